/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz target: print fmt compiled and run on a record, in both byte orders and long sizes. */
#include <string.h>

#include "event/event.h"
#include "fuzz.h"

#define OUT_MAX (16u << 20)	/* far above what a record can sensibly become */

static const char kallsyms[] =
	"ffffffff81001000 T vfs_read\nffffffffc0000000 t nfs_open\t[nfs]\n";
static const char printk[] =
	"0xffffffff82000000 : \"n=%d s=%s l=%lu f=%ps %*ph\\n\"\n0xffffffff82000040 : \"put\\n\"\n";

static const char values[] = "vmemmap_base=0xffffea0000000000;sizeof(struct page)=64";

/* In exact memory, so that a byte too many is seen. */
static void render(struct ev_engine *e, const struct ev_format *f, const uint8_t *data,
		   uint32_t len, bool big, uint8_t long_size)
{
	uint8_t *copy = memcpy(malloc(len + !len), data, len);
	struct ev_rec r = {
		.fmt = f, .data = copy, .len = len, .big = big, .long_size = long_size,
	};
	struct buf out = {0};

	ev_render(e, &r, 0, 1234567890, &out);
	FUZZ_ASSERT(out.len <= OUT_MAX);
	for (size_t i = 0; i < out.len; i++)
		FUZZ_ASSERT((uint8_t)out.data[i] >= ' ' || out.data[i] == '\n' ||
			    out.data[i] == '\t');
	buf_reset(&out);
	ev_render_raw(e, &r, &out);
	buf_release(&out);
	free(copy);
}

static void both(const struct ev_format *f, const uint8_t *data, uint32_t len, uint8_t mode)
{
	struct event_meta w = {
		.big = mode & 1, .long_size = mode & 2 ? 4 : 8, .page_size = 4096,
		.printk = printk, .printk_len = sizeof(printk) - 1,
		.values = values, .values_len = sizeof(values) - 1,
	};
	struct ev_engine *e;

	w.syms = ev_syms_new(kallsyms, sizeof(kallsyms) - 1);
	e = ev_engine_new(&w, getenv("FTR_ENGINE"), NULL);
	FUZZ_ASSERT(e);
	render(e, f, data, len, w.big, w.long_size);
	render(e, f, data, len / 2, w.big, w.long_size);
	ev_degraded(e, f);
	ev_engine_free(e);
	ev_syms_free(w.syms);
}

/* A byte of mode, two of the record's length, the record, and the text of a format file. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ftr_error err = {0};
	struct ev_format f;
	uint32_t len;

	if (size < 3)
		return 0;
	len = data[1] | data[2] << 8;
	if (len > size - 3)
		return 0;
	if (!ev_format_parse(&f, data[0] & 4 ? "ftrace" : "fuzz", (const char *)data + 3 + len,
			     size - 3 - len, &err))
		both(&f, data + 3, len, data[0]);
	ev_format_release(&f);
	return 0;
}
