/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a sender says to a listener: bytes written by hand, cut at each place, and wrong ones. */
#include <stdlib.h>
#include <string.h>

#include "record/net/net_protocol.h"
#include "tap.h"

static const uint8_t stream[] = {
	'f', 't', 'r', '-', 's', 'e', 'n', 'd', 0, 1, 0, 1, 0, 0, 0, 0,
	1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
	0, 1, 0, 0, 0, 0, 0, 5, 'h', 'e', 'l', 'l', 'o',
	0, 3, 0, 0, 0, 0, 0, 0,
	0, 1, 0, 0, 0, 0, 0, 1, '!',
	0, 2, 0, 0, 0, 0, 0, 0,
};

struct heard {
	char   text[64];
	size_t len;
	int    hellos, ends, bad;
};

static void hear(struct wire_reader *r, const uint8_t *p, size_t n, struct heard *h)
{
	const uint8_t *data;
	size_t len;

	while (n && !h->bad) {
		switch (wire_read(r, &p, &n, &data, &len)) {
		case WIRE_GOT_PART:
			break;
		case WIRE_GOT_HELLO:
			h->hellos += !memcmp(r->id, stream + 16, WIRE_ID);
			break;
		case WIRE_GOT_DATA:
			if (len > sizeof(h->text) - h->len)
				len = sizeof(h->text) - h->len;
			memcpy(h->text + h->len, data, len);
			h->len += len;
			break;
		case WIRE_GOT_END:
			h->ends++;
			break;
		default:
			h->bad++;
		}
	}
}

/* In memory of its own size, so that a sanitizer sees what is read beyond it. */
static void hear_copy(struct wire_reader *r, const uint8_t *p, size_t n, struct heard *h)
{
	uint8_t *mem = malloc(n + !n);

	memcpy(mem, p, n);
	hear(r, mem, n, h);
	free(mem);
}

static bool all_heard(const struct heard *h)
{
	return h->hellos == 1 && h->ends == 1 && !h->bad && h->len == 6 &&
	       !memcmp(h->text, "hello!", 6);
}

static void test_splits(void)
{
	size_t cut, bad = 0;

	for (cut = 0; cut <= sizeof(stream); cut++) {
		struct wire_reader r = {0};
		struct heard h = {0};

		hear_copy(&r, stream, cut, &h);
		bad += h.bad || (cut < sizeof(stream) && h.ends);
		hear_copy(&r, stream + cut, sizeof(stream) - cut, &h);
		bad += !all_heard(&h);
	}
	TAP_OK(!bad, "the same, wherever it is cut");
}

static void test_bytes(void)
{
	struct wire_reader r = {0};
	struct heard h = {0};
	size_t i;

	for (i = 0; i < sizeof(stream); i++)
		hear_copy(&r, stream + i, 1, &h);
	TAP_OK(all_heard(&h), "byte by byte");
}

/* Each byte of the heads: what is said is refused, or is something else, and never too much. */
static void test_wrong(void)
{
	uint8_t copy[sizeof(stream)];
	size_t i, bad = 0;
	int v;

	for (i = 0; i < sizeof(stream); i++)
		for (v = 0; v < 256; v++) {
			struct wire_reader r = {0};
			struct heard h = {0};

			memcpy(copy, stream, sizeof(stream));
			copy[i] = v;
			hear_copy(&r, copy, sizeof(copy), &h);
			bad += i < 12 && v != stream[i] && (!h.bad || h.hellos);
			bad += h.len > 30;
		}
	TAP_OK(!bad, "wrong bytes");
}

static void test_answer(void)
{
	static const uint8_t wire[WIRE_ANSWER_BYTES] = {
		'f', 't', 'r', '-', 'r', 'e', 'c', 'v', 0, 1, 0, 3, 0, 0, 0, 0,
		1, 2, 3, 4, 5, 6, 7, 8,
	};
	uint8_t made[WIRE_ANSWER_BYTES], hello[WIRE_HELLO_BYTES], frame[WIRE_FRAME_BYTES];
	enum wire_answer answer;
	uint64_t have;

	wire_encode_answer(made, WIRE_TOO_LARGE, 0x0102030405060708);
	TAP_OK(!memcmp(made, wire, sizeof(wire)), "an answer as it is written");
	TAP_OK(wire_get_answer(wire, &answer, &have) && answer == WIRE_TOO_LARGE &&
	   have == 0x0102030405060708, "an answer as it is read");
	made[11] = WIRE_ANSWERS;
	TAP_OK(!wire_get_answer(made, &answer, &have), "an answer that there is not");
	wire_encode_hello(hello, stream + 16);
	TAP_OK(!memcmp(hello, stream, sizeof(hello)), "a hello as it is written");
	wire_encode_frame(frame, WIRE_DATA, 5);
	TAP_OK(!memcmp(frame, stream + 32, sizeof(frame)), "the head of a frame as it is written");
}

int main(void)
{
	test_splits();
	test_bytes();
	test_wrong();
	test_answer();
	return tap_done();
}
