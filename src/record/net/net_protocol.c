/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Encodes and parses the messages between ftr record and ftr listen. */
#include "record/net/net_protocol.h"

#include <endian.h>
#include <string.h>

#include "base/cursor.h"

#define MAGIC_BYTES 8

static const char hello_magic[MAGIC_BYTES + 1] = "ftr-send";
static const char answer_magic[MAGIC_BYTES + 1] = "ftr-recv";

static void write_be16(uint8_t *to, uint16_t v)
{
	v = htobe16(v);
	memcpy(to, &v, sizeof(v));
}

static void write_be64(uint8_t *to, uint64_t v)
{
	v = htobe64(v);
	memcpy(to, &v, sizeof(v));
}

void wire_encode_hello(uint8_t *to, const uint8_t *id)
{
	memset(to, 0, WIRE_HELLO_BYTES);
	memcpy(to, hello_magic, MAGIC_BYTES);
	write_be16(to + 8, WIRE_VERSION);
	write_be16(to + 10, WIRE_KIND);
	memcpy(to + 16, id, WIRE_ID);
}

void wire_encode_answer(uint8_t *to, enum wire_answer answer, uint64_t have)
{
	memset(to, 0, WIRE_ANSWER_BYTES);
	memcpy(to, answer_magic, MAGIC_BYTES);
	write_be16(to + 8, WIRE_VERSION);
	write_be16(to + 10, answer);
	write_be64(to + 16, have);
}

void wire_encode_frame(uint8_t *to, enum wire_frame frame, uint32_t len)
{
	write_be64(to, (uint64_t)frame << 48 | len);
}

bool wire_get_answer(const uint8_t *from, enum wire_answer *answer, uint64_t *have)
{
	uint16_t what = get_u16(from + 10, true);

	if (memcmp(from, answer_magic, MAGIC_BYTES) || get_u16(from + 8, true) != WIRE_VERSION ||
	    what >= WIRE_ANSWERS)
		return false;
	*answer = what;
	*have = get_u64(from + 16, true);
	return true;
}

const char *wire_answer_text(enum wire_answer answer)
{
	static const char *const texts[WIRE_ANSWERS] = {
		[WIRE_BUSY] = "it serves as many senders as it may",
		[WIRE_TOO_LARGE] = "the recording is larger than it takes",
		[WIRE_NO_ROOM] = "it cannot write the recording",
		[WIRE_UNKNOWN] = "it speaks another version",
	};

	return texts[answer] ? texts[answer] : "";
}

static enum wire_event read_hello(struct wire_reader *r)
{
	if (memcmp(r->head, hello_magic, MAGIC_BYTES))
		return WIRE_GOT_INVALID;
	if (get_u16(r->head + 8, true) != WIRE_VERSION ||
	    get_u16(r->head + 10, true) != WIRE_KIND)
		return WIRE_GOT_UNKNOWN;
	memcpy(r->id, r->head + 16, WIRE_ID);
	r->greeted = true;
	return WIRE_GOT_HELLO;
}

static enum wire_event read_frame(struct wire_reader *r)
{
	uint32_t len = get_u32(r->head + 4, true);

	switch (get_u16(r->head, true)) {
	case WIRE_DATA:
		if (!len || len > WIRE_DATA_MAX)
			return WIRE_GOT_INVALID;
		r->left = len;
		return WIRE_GOT_PART;
	case WIRE_END:
		return len ? WIRE_GOT_INVALID : WIRE_GOT_END;
	case WIRE_IDLE:
		return len ? WIRE_GOT_INVALID : WIRE_GOT_PART;
	}
	return WIRE_GOT_INVALID;
}

/* Reads a hello, or the head of a frame. Returns true if it is complete. */
static bool read_frame_head(struct wire_reader *r, const uint8_t **p, size_t *n)
{
	size_t want = r->greeted ? WIRE_FRAME_BYTES : WIRE_HELLO_BYTES;
	size_t len = want - r->got < *n ? want - r->got : *n;

	memcpy(r->head + r->got, *p, len);
	*p += len;
	*n -= len;
	r->got += len;
	if (r->got < want)
		return false;
	r->got = 0;
	return true;
}

enum wire_event wire_read(struct wire_reader *r, const uint8_t **p, size_t *n,
			  const uint8_t **data, size_t *len)
{
	enum wire_event ev = WIRE_GOT_PART;

	while (*n && ev == WIRE_GOT_PART && !r->left)
		if (read_frame_head(r, p, n))
			ev = r->greeted ? read_frame(r) : read_hello(r);
	if (ev != WIRE_GOT_PART || !r->left || !*n)
		return ev;
	*data = *p;
	*len = r->left < *n ? r->left : *n;
	r->left -= *len;
	*p += *len;
	*n -= *len;
	return WIRE_GOT_DATA;
}
