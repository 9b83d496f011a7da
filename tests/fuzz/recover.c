/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target: a recording that was not finished, or a part of it as raw data of a CPU, recovered
 * (recipe.h). The first byte chooses: 1 by what the file itself tells as --from, 2 raw data that
 * begins at a page that the second byte names, 4 compressed metadata. The running kernel is never
 * asked.
 */
#include <fcntl.h>
#include <string.h>

#include "base/io.h"
#include "file/read/dat.h"
#include "file/read/dat_regions.h"
#include "file/write/dat_join.h"
#include "file/write/dat_write.h"
#include "fuzz.h"
#include "recipe.h"
#include "record/rescue/rescue.h"

static void quiet(const char *fmt, ...)
{
	(void)fmt;
}

static int no_damages(const struct damage_list *d)
{
	return d->n != 0;
}

/* Finished, and its checksums hold. */
static void check(const char *path)
{
	struct ftr_error err = {0};
	struct dat *d = dat_open(path, &err);

	FUZZ_ASSERT(d && !d->unfinished && !d->truncated);
	dat_verify(d);
	for (size_t i = 0; i < d->damages.n; i++)
		FUZZ_ASSERT(!strstr(d->damages.v[i].kind, "checksum"));
	dat_close(d);
}

/* A file of this boot would be completed from the running kernel. */
static bool file_from_this_boot(const struct buf *file)
{
	static char *id;

	if (!id)
		id = io_line_at(AT_FDCWD, "/proc/sys/kernel/random/boot_id");
	return id && memmem(file->data, file->len, id, strlen(id));
}

/* As where there is no room for a copy; nothing is written before all of it makes sense. */
static void resume(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct dat_spool s;
	struct dat_writer *w = dat_resume(fd, path, &s);

	if (w)
		dat_spool_release(&s);
	dat_abort(w);
	close(fd);
}

static void recover(const struct buf *file, uint8_t how, size_t at)
{
	char in[FUZZ_PATH], out[FUZZ_PATH], raw[FUZZ_PATH];
	struct strv files = {0};
	struct recover_plan p = {
		.files = &files, .out_path = out, .ended = true, .from = how & 3 ? in : NULL,
		.notice = quiet, .warn = quiet, .damages = no_damages,
		.packing = how & 4 ? packing_of_metadata() : (struct compress_opts){0},
	};
	struct ftr_error err = {0};
	struct buf summary = {0};

	fuzz_name(in, ".dat");
	fuzz_name(out, ".out");
	fuzz_name(raw, ".raw.cpu0");
	fuzz_write_file(in, (uint8_t *)file->data, file->len);
	if (how & 2) {
		at = at < file->len ? at : file->len;
		fuzz_write_file(raw, (uint8_t *)file->data + at, file->len - at);
	} else {
		resume(in);
	}
	strv_add(&files, how & 2 ? raw : in);
	if (recover_run(&p, &summary, &err) >= 0) {
		FUZZ_ASSERT(summary.len);
		check(out);
	} else {
		FUZZ_ASSERT(err.code && *err.msg && access(out, F_OK));
	}
	unlink(out);
	unlink(raw);
	unlink(in);
	buf_release(&summary);
	strv_release(&files);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf file = {0};

	if (size < 2)
		return 0;
	recipe_make(data + 2, size - 2, &file);
	if (!file_from_this_boot(&file))
		recover(&file, data[0], (size_t)data[1] << 12);
	buf_release(&file);
	return 0;
}
