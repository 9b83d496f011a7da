/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The wire format of protobuf (protobuf.dev/programming-guides/encoding): as much of it as packets
 * need. A length is written before what it is of: with room for it, in a fixed number of bytes
 * that may be more than it takes, which all readers accept.
 */
#ifndef FTR_OUTPUT_PERFETTO_PROTOBUF_H
#define FTR_OUTPUT_PERFETTO_PROTOBUF_H

#include <stdint.h>
#include <string.h>

#include "base/mem.h"

enum proto_wire { PROTO_VARINT = 0, PROTO_BYTES = 2 };

#define PROTO_VARINT_MAX 10	/* bytes of 64 bits */
#define PROTO_TAG_MAX	 3	/* of the numbers that are used: below 1 << 18 */

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

/* In @n bytes, which are enough. */
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
 * The @len bytes of a message begin at @at + @n, where room was left for its length; they move if
 * that takes more. Returns their end; up to 4 bytes behind it are written.
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

/* --- the same into a buffer, where it need not be fast */

void proto_add_number(struct buf *b, uint32_t number, uint64_t v);
void proto_add_bytes(struct buf *b, uint32_t number, const void *s, size_t len);
/* A message inside: what is added until proto_end() is in it. */
size_t proto_begin(struct buf *b, uint32_t number);
void proto_end(struct buf *b, size_t begun);

#endif
