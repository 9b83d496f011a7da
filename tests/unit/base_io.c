/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads that are bounded, and cursors over nothing. */
#include "base/io.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/mem.h"
#include "tap.h"

static void test_bounds(void)
{
	struct buf text = {0};
	int zeros = open("/dev/zero", O_RDONLY), nothing = open("/dev/null", O_RDONLY);

	TAP_OK(io_read_max(zeros, 100000, &text) && errno == EFBIG, "a file without an end");
	TAP_OK(text.len < 1 << 20, "is not read much further than it may");
	buf_reset(&text);
	TAP_OK(!io_read_max(nothing, 0, &text) && !text.len, "an empty one");
	TAP_OK(io_read_input("/dev/zero", &text) && errno == EFBIG, "what the user named has bounds, too");
	buf_release(&text);
	close(zeros);
	close(nothing);
}

static void test_nothing(void)
{
	struct cursor c = cur_init(NULL, 0, false);

	TAP_OK(!cur_str(&c) && c.bad, "no string in nothing");
}

int main(void)
{
	test_bounds();
	test_nothing();
	return tap_done();
}
