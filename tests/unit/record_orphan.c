/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is noted of a file that is recorded into, whatever its path holds. */
#include "record/rescue/orphan.h"

#include "tap.h"

static void there_and_back(const char *path, const char *instance, const char *batches, const char *want)
{
	struct orphan_buffer bufs[] = { { instance, batches }, { "", NULL } };
	struct orphan_file o = { .path = path, .bufs = bufs, .n = 2 }, got = {0};
	struct buf text = {0};

	orphan_write(&text, &o);
	TAP_OK(!strcmp(text.data, want), "a line for each");
	orphan_read(&got, text.data);
	TAP_OK(!strcmp(got.path, path), "the path");
	TAP_EQ(got.n, 2, "the buffers");
	TAP_OK(!strcmp(got.bufs[0].instance, instance) && !*got.bufs[1].instance, "their instances");
	TAP_OK(batches ? got.bufs[0].batches && !strcmp(got.bufs[0].batches, batches) : !got.bufs[0].batches,
	       "what goes with them");
	TAP_OK(!got.bufs[1].batches, "or does not");
	orphan_release(&got);
	buf_release(&text);
}

int main(void)
{
	there_and_back("/a/b.dat", "one", "/a/.b.dat.part", "/a/b.dat\none//a/.b.dat.part\n");
	there_and_back("/a\n/etc/x/b\n", "", "/a\n/b.part\n", "/a\\n/etc/x/b\\n\n//a\\n/b.part\\n\n");
	there_and_back("/\\n\\\\", "o\nne", NULL, "/\\\\n\\\\\\\\\no\\nne\n");
	return tap_done();
}
