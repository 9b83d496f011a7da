/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz target: the build-id of any file. */
#include <string.h>

#include "fuzz.h"
#include "record/capture/procmaps.h"

/* The digits stand for bytes of the file. */
static bool stands_in(const struct buf *id, const uint8_t *data, size_t size)
{
	uint8_t bytes[64];
	size_t n = id->len / 2;

	FUZZ_ASSERT(n && n <= sizeof(bytes) && id->len == 2 * n);
	FUZZ_ASSERT(strspn(id->data, "0123456789abcdef") == id->len);
	for (size_t i = 0; i < n; i++)
		FUZZ_ASSERT(sscanf(id->data + 2 * i, "%2hhx", &bytes[i]) == 1);
	return memmem(data, size, bytes, n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[FUZZ_PATH];
	int fd = fuzz_file(data, size, path);
	struct buf id = {0};

	if (build_id_read(fd, &id))
		FUZZ_ASSERT(stands_in(&id, data, size));
	else
		FUZZ_ASSERT(!id.len);
	buf_release(&id);
	close(fd);
	return 0;
}
