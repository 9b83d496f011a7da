/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The wire format of protobuf (protobuf.dev/programming-guides/encoding), as far as packets need
 * it. The length of a message is written before the message, in a fixed number of bytes, which may
 * be more than it needs: all readers accept that, and Perfetto's own writer does the same.
 *
 * The format is tags, varints and lengths, so a few inline functions write it into memory that is
 * known to suffice. nanopb's low-level calls ask a stream for each part. Generated code does not
 * fit events that are described at run time.
 */
#ifndef FTR_OUTPUT_PERFETTO_PROTOBUF_H
#define FTR_OUTPUT_PERFETTO_PROTOBUF_H

#include <stdint.h>
#include <string.h>

#include "base/mem.h"

enum proto_wire { PROTO_VARINT = 0, PROTO_BYTES = 2 };

#define PROTO_VARINT_MAX 10	/* bytes of 64 bits */
#define PROTO_TAG_MAX	 3	/* bytes of the field numbers in use, which are below 1 << 18 */
#define PROTO_LENGTH	 4	/* bytes of the length of a message in a buffer: up to 256 MiB */

#define PROTO_TAG(number, wire) ((uint32_t)(number) << 3 | (wire))

static inline char *proto_varint(char *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (char)(v | 0x80);
		v >>= 7;
	}
	*p++ = (char)v;
	return p;
}

/* Writes @v in @n bytes, which must be enough. */
static inline void proto_varint_in(char *p, uint64_t v, unsigned int n)
{
	for (; n > 1; n--, v >>= 7)
		*p++ = (char)(v | 0x80);
	*p = (char)(v & 0x7f);
}

static inline char *proto_number(char *p, uint32_t number, uint64_t v)
{
	return proto_varint(proto_varint(p, PROTO_TAG(number, PROTO_VARINT)), v);
}

static inline char *proto_bytes(char *p, uint32_t number, const void *s, size_t len)
{
	p = proto_varint(proto_varint(p, PROTO_TAG(number, PROTO_BYTES)), len);
	memcpy(p, s, len);
	return p + len;
}

/*
 * Writes the length of a message of @len bytes at @at. The message is at @at + @n, and moves if the
 * length needs more than @n bytes. Returns the end of the message; up to 4 bytes after it are
 * overwritten.
 */
static inline char *proto_close(char *at, unsigned int n, size_t len)
{
	unsigned int need = len < 1u << 7 ? 1 : len < 1u << 14 ? 2 : len < 1u << 21 ? 3 : 4;

	if (__builtin_expect(need > n, 0)) {
		memmove(at + need, at + n, len);
		n = need;
	}
	proto_varint_in(at, len, n);
	return at + n + len;
}

/* --- the same in a buffer, for less frequent fields */

static inline void proto_add_number(struct buf *b, uint32_t number, uint64_t v)
{
	char *p = buf_poke(b, PROTO_TAG_MAX + PROTO_VARINT_MAX);

	buf_poked(b, proto_number(p, number, v));
}

static inline void proto_add_bytes(struct buf *b, uint32_t number, const void *s, size_t len)
{
	char *p = buf_poke(b, PROTO_TAG_MAX + PROTO_VARINT_MAX + len);

	buf_poked(b, proto_bytes(p, number, s, len));
}

/* Starts a nested message, to which all is added until proto_end() gets the returned offset. */
static inline size_t proto_begin(struct buf *b, uint32_t number)
{
	char *p = buf_poke(b, PROTO_TAG_MAX + PROTO_LENGTH);

	buf_poked(b, proto_varint(p, PROTO_TAG(number, PROTO_BYTES)) + PROTO_LENGTH);
	return b->len;
}

static inline void proto_end(struct buf *b, size_t begun)
{
	proto_varint_in(b->data + begun - PROTO_LENGTH, b->len - begun, PROTO_LENGTH);
}

#endif
