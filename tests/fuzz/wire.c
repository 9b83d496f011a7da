/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target: what a sender says to a listener, at once and in pieces whose sizes the first byte
 * makes: the same is heard.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "record/net/net_protocol.h"

struct heard {
	uint64_t bytes, sum;		/* of the data, in its order */
	int hellos, ends;
	enum wire_event last;
};

static bool goes_on(enum wire_event ev)
{
	return ev != WIRE_GOT_UNKNOWN && ev != WIRE_GOT_INVALID;
}

static void add_data(struct heard *h, const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		h->sum = h->sum * 31 + data[i];
	h->bytes += len;
}

/* In memory of its own, so that what is read beyond it is seen. */
static void hear(struct wire_reader *r, const uint8_t *from, size_t n, struct heard *h)
{
	uint8_t *mem = malloc(n + !n);
	const uint8_t *p = mem, *data = NULL;
	size_t len = 0, left = n;

	memcpy(mem, from, n);
	while (left && goes_on(h->last)) {
		h->last = wire_read(r, &p, &left, &data, &len);
		FUZZ_ASSERT(p >= mem && p + left == mem + n);
		FUZZ_ASSERT(r->got < WIRE_HELLO_BYTES && r->left <= WIRE_DATA_MAX);
		if (h->last == WIRE_GOT_DATA) {
			FUZZ_ASSERT(h->hellos && len && data >= mem && data + len <= mem + n);
			add_data(h, data, len);
		}
		h->hellos += h->last == WIRE_GOT_HELLO;
		h->ends += h->last == WIRE_GOT_END;
	}
	FUZZ_ASSERT(h->hellos <= 1 && (h->hellos || !h->ends));
	free(mem);
}

static void read_answer(const uint8_t *data, size_t size)
{
	uint8_t made[WIRE_ANSWER_BYTES];
	enum wire_answer answer;
	uint64_t have;

	if (size < WIRE_ANSWER_BYTES || !wire_get_answer(data, &answer, &have))
		return;
	fuzz_sink += strlen(wire_answer_text(answer));
	wire_encode_answer(made, answer, have);
	/* four bytes are left for what comes later */
	FUZZ_ASSERT(!memcmp(made, data, 12) && !memcmp(made + 16, data + 16, 8));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire_reader whole = {0}, split = {0};
	struct heard all = {0}, parts = {0};
	size_t at, n, step;

	if (!size)
		return 0;
	step = data[0] % 64 + 1;
	data++;
	size--;
	hear(&whole, data, size, &all);
	for (at = 0; at < size && goes_on(parts.last); at += n) {
		n = size - at < step ? size - at : step;
		hear(&split, data + at, n, &parts);
	}
	FUZZ_ASSERT(all.bytes == parts.bytes && all.sum == parts.sum);
	FUZZ_ASSERT(all.hellos == parts.hellos && all.ends == parts.ends);
	FUZZ_ASSERT(goes_on(all.last) == goes_on(parts.last));
	read_answer(data, size);
	return 0;
}
