/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz target: a file that may be packed, and the text that may be in a page. */
#include <string.h>
#include <sys/stat.h>

#include "file/unpack_file.h"
#include "fuzz.h"
#include "text/text_input.h"

/* The bytes of a file that is a text, or a page with one. */
static void read_text(int fd)
{
	struct ftr_error err = {0};
	struct text_input in;
	struct stat st;

	FUZZ_ASSERT(!fstat(fd, &st));
	if (text_input_map(&in, fd, "fuzz", &err)) {
		FUZZ_ASSERT(err.msg[0]);
	} else {
		/* a newline is added to each element of a page */
		FUZZ_ASSERT(in.len <= (size_t)st.st_size * 2);
		for (size_t i = 0; i < in.len; i += 512)
			fuzz_sink += in.p[i];
	}
	text_input_release(&in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char path[FUZZ_PATH];
	int fd = fuzz_file(data, len, path), to;
	struct ftr_error err = {0};
	bool cut = false;

	if (len >= UNPACK_HEAD && unpack_program(data, len)) {
		to = unpack_file(fd, "fuzz", &cut, &err);
		FUZZ_ASSERT(to >= 0 || err.msg[0]);
		if (to >= 0) {
			read_text(to);
			close(to);
		}
	}
	read_text(fd);
	close(fd);
	return 0;
}
