/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a file is that is none of ours, by its first bytes, and who reads it. */
#include <string.h>

#include "file/read/dat_priv.h"

static const struct foreign {
	const char *bytes;
	size_t n;
	const char *what;
	const char *hint;		/* a format with the path */
} table[] = {
	{ "\x1f\x8b", 2, "is compressed with gzip", "gzip -dc '%s' > trace.dat" },
	{ "\xfd" "7zXZ", 5, "is compressed with xz", "xz -dc '%s' > trace.dat" },
	{ "\x28\xb5\x2f\xfd", 4, "is compressed with zstd", "zstd -dc '%s' > trace.dat" },
	{ "BZh", 3, "is compressed with bzip2", "bzip2 -dc '%s' > trace.dat" },
	{ "\x04\x22\x4d\x18", 4, "is compressed with lz4", "lz4 -dc '%s' > trace.dat" },
	{ "PERFILE2", 8, "is data of perf", "perf script -i '%s'" },
	{ "2ELIFREP", 8, "is data of perf, of a machine of the other byte order",
	  "perf script -i '%s'" },
	{ "Ftrace!", 7, "is data of uftrace", "uftrace replay -d the folder of '%s'" },
	{ "KDUMP   ", 8, "is a dump of a kernel's memory", "crash VMLINUX '%s'" },
	{ "\x7f" "ELF", 4, "is an ELF file: a program, or a dump of memory",
	  "a trace in a kernel's dump: crash VMLINUX '%s'" },
	{ "# tracer: ", 10, "is a trace as the kernel prints it, which is text already",
	  "less '%s'" },
};

int dat_name_foreign(const char *path, const void *bytes, size_t n, struct ftr_error *err)
{
	const struct foreign *f;

	for (f = table; f < table + sizeof(table) / sizeof(*table); f++) {
		if (n < f->n || memcmp(bytes, f->bytes, f->n))
			continue;
		err_set(err, FTR_FAILED, "'%s' is not a trace file: it %s", path, f->what);
		return err_hint(err, f->hint, path);
	}
	err_set(err, FTR_FAILED, "'%s' is not a trace file (no trace.dat magic)", path);
	return err_hint(err, "files of 'ftr record' and 'trace-cmd record' can be read");
}
