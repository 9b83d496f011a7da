/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a trace file front to back, as into a pipe. */
#include "file/write/dat_stream.h"

#include "file/read/dat_priv.h"
#include "file/write/dat_write_priv.h"

static void add_section_head(uint16_t id, uint64_t size, struct buf *out)
{
	buf_u16(out, id);
	buf_u16(out, 0);
	buf_u32(out, 0);	/* there are no STRINGS */
	buf_u64(out, size);
}

void dat_stream_head(const struct dat_spool *s, struct buf *out)
{
	struct dat_spool as = *s;
	struct buf body = {0};

	as.state = DAT_SPOOL_STREAM;
	dat_spool_encode(&as, &body);
	add_section_head(DAT_FTR_SPOOL, body.len, out);
	buf_add(out, body.data, body.len);
	buf_release(&body);
}

void dat_stream_chunk(uint32_t buffer, uint32_t region, uint64_t size, struct buf *out)
{
	add_section_head(DAT_FTR_CHUNK, DAT_STREAM_NUMBERS + size, out);
	buf_u32(out, buffer);
	buf_u32(out, region);
}

/* Of each section that the writer has one: an option that tells where it is. */
static bool names_section(uint16_t id)
{
	return id == DAT_BUFFER || (id >= DAT_STRINGS && id <= DAT_CMDLINES) || id == DAT_BTF_FILE;
}

void dat_stream_options(const struct dat_writer *w, struct buf *out)
{
	struct cursor c = cur_init(w->options.data, w->options.len, __BYTE_ORDER__ ==
				   __ORDER_BIG_ENDIAN__);
	struct buf body = {0};
	const uint8_t *p;
	uint32_t len;
	uint16_t id;

	while (cur_left(&c)) {
		id = cur_u16(&c);
		len = cur_u32(&c);
		p = cur_bytes(&c, len);
		if (p && !names_section(id))
			buf_add(&body, p - DAT_OPTION_HEADER, DAT_OPTION_HEADER + len);
	}
	buf_u16(&body, DAT_DONE);
	buf_u32(&body, 8);
	buf_u64(&body, 0);
	add_section_head(DAT_DONE, body.len, out);
	buf_add(out, body.data, body.len);
	buf_release(&body);
}

void dat_stream_end(uint64_t at, struct buf *out)
{
	add_section_head(DAT_FTR_END, sizeof(at), out);
	buf_u64(out, at);
}
