/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages of protobuf in a buffer. */
#include "output/perfetto/protobuf.h"

#define LENGTH_BYTES 4		/* of a message: up to 256 MiB */

void proto_add_number(struct buf *b, uint32_t number, uint64_t v)
{
	char *p = buf_poke(b, PROTO_TAG_MAX + PROTO_VARINT_MAX);

	buf_poked(b, proto_number(p, number, v));
}

void proto_add_bytes(struct buf *b, uint32_t number, const void *s, size_t len)
{
	char *p = buf_poke(b, PROTO_TAG_MAX + PROTO_VARINT_MAX + len);

	buf_poked(b, proto_bytes(p, number, s, len));
}

size_t proto_begin(struct buf *b, uint32_t number)
{
	char *p = buf_poke(b, PROTO_TAG_MAX + LENGTH_BYTES);

	buf_poked(b, proto_varint(p, PROTO_TAG(number, PROTO_BYTES)) + LENGTH_BYTES);
	return b->len;
}

void proto_end(struct buf *b, size_t begun)
{
	proto_varint_in(b->data + begun - LENGTH_BYTES, b->len - begun, LENGTH_BYTES);
}
