/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz target: the name of a function, up to the first NUL, looked for in the ELF file behind it. */
#include <string.h>

#include "fuzz.h"
#include "tracefs/probe/dynamic_probe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n = strnlen((const char *)data, size), at = n + (n < size);
	char *name = strndup((const char *)data, n), path[FUZZ_PATH];
	int fd = fuzz_file(data + at, size - at, path);
	struct ftr_error err = {0};
	struct probe_symbol found;

	if (!probe_symbol(path, name, &found, &err))
		fuzz_sink += found.offset + found.is_x86_64;
	else
		FUZZ_ASSERT(err.code && *err.msg);
	close(fd);
	free(name);
	return 0;
}
