/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols that are compressed in pieces: found as in the text, without unpacking more; damage; tables that lie. */
#include "file/text_chunks.h"

#include "event/event.h"
#include "file/compress.h"
#include "tap.h"

#define SYMBOLS 20000
#define BASE	0xffffffff81000000ULL
#define LEAD	4	/* bytes before the text, as in the section */

/* Of all kinds: some at one address, as many as @run, absolute ones that say nothing, modules. */
static char *make_text(int run, size_t *len)
{
	struct buf b = {0};
	uint64_t addr = BASE;
	int i;

	buf_add(&b, "size", LEAD);
	for (i = 0; i < SYMBOLS; i++) {
		if (i % 7 && (i < 5000 || i > 5000 + run))
			addr += 0x10 + i * 13 % 0x900;
		buf_printf(&b, "%016" PRIx64 " %c function_%d%s\n", addr, "tTdDwWrA"[i % 8], i * i % 99991,
			   i > 15000 ? i > 17000 ? "\t[ext4]" : "\t[nfs]" : "");
	}
	*len = b.len;
	return buf_take(&b);
}

static void pack(const char *text, size_t len, const char *how, struct buf *out)
{
	struct compress_opts p;
	struct compress_packer *k;

	packing_parse(how, &p);
	k = packer_new(&p);
	TAP_OK(!text_chunks_pack(k, text, len, LEAD, out), how);
	packer_free(k);
}

static bool whole(const struct buf *packed, const char *text, size_t len)
{
	char *mem = malloc(len + 1);
	void *ctx = NULL;
	size_t done;
	bool same = !decompress_all(&ctx, mem, len, packed->data, packed->len, &done) &&
	done == len &&
		    !memcmp(mem, text, len);

	decompress_release(ctx);
	free(mem);
	return same;
}

/* --- as a loader */

struct reader {
	struct text_chunks *p;
	size_t windows, bytes, texts;	/* what was asked for */
};

static bool near(void *ctx, uint64_t addr, size_t more, struct ev_near *out)
{
	struct reader *r = ctx;

	out->p = text_chunks_near(r->p, addr, more, &out->len, &out->begins, &out->ends);
	r->windows++;
	r->bytes += out->p ? out->len : 0;
	return out->p;
}

static const char *all(void *ctx, enum ev_text which, size_t *len)
{
	struct reader *r = ctx;
	const uint8_t *p;
	bool bad;

	r->texts += which == EV_KALLSYMS;
	p = text_chunks_all(r->p, len, &bad);
	*len = *len > LEAD ? *len - LEAD : 0;
	return (const char *)p + LEAD;
}

static struct ev_syms *open_syms(const struct buf *packed, size_t len, struct reader *r, struct ev_loader *l)
{
	struct ev_syms *s;

	*r = (struct reader){ .p = text_chunks_open((const uint8_t *)packed->data, packed->len, len, LEAD) };
	*l = (struct ev_loader){ .ctx = r, .near = near, .text = all };
	if (!r->p)
		return NULL;
	s = ev_syms_new_lazy(l);
	ev_syms_sorted(s);
	return s;
}

static void close_syms(struct ev_syms *s, struct reader *r)
{
	ev_syms_free(s);
	text_chunks_free(r->p);
}

static bool same_symbol(struct ev_syms *a, struct ev_syms *b, uint64_t addr)
{
	const char *name[2], *mod[2];
	size_t n[2], mod_n[2];
	uint64_t off[2];

	name[0] = ev_syms_find(a, addr, &n[0], &mod[0], &mod_n[0], &off[0]);
	name[1] = ev_syms_find(b, addr, &n[1], &mod[1], &mod_n[1], &off[1]);
	if (!name[0] || !name[1])
		return name[0] == name[1];
	return n[0] == n[1] && !memcmp(name[0], name[1], n[0]) && off[0] == off[1] && !mod[0] == !mod[1] &&
	       (!mod[0] || (mod_n[0] == mod_n[1] && !memcmp(mod[0], mod[1], mod_n[0]))) &&
	       ev_syms_size(a, addr) == ev_syms_size(b, addr);
}

static uint64_t addresses[3 * 3000];

/* Below, at and behind symbols, all over the text. */
static size_t choose_addresses(const char *text)
{
	const char *p;
	size_t n = 0;
	int i = 0;

	for (p = text + LEAD; *p; p = strchr(p, '\n') + 1, i++) {
		if (i % 17)
			continue;
		addresses[n++] = strtoull(p, NULL, 16);
		addresses[n++] = strtoull(p, NULL, 16) - 1;
		addresses[n++] = strtoull(p, NULL, 16) + 9;
	}
	return n;
}

static bool all_same(struct ev_syms *a, const char *text, size_t len)
{
	struct ev_syms *b = ev_syms_new(text + LEAD, len - LEAD);
	size_t i, n = choose_addresses(text), differ = 0;

	differ += !same_symbol(a, b, 1) + !same_symbol(a, b, ~0ULL) + !same_symbol(a, b, BASE - 1);
	for (i = 0; i < n; i++)
		differ += !same_symbol(a, b, addresses[i * 7919 % n]);
	ev_syms_free(b);
	return !differ;
}

static void test_reading(const char *text, size_t len, const struct buf *packed)
{
	struct ev_loader l;
	struct reader r;
	struct ev_syms *s = open_syms(packed, len, &r, &l);
	const char *mod;
	size_t n, mod_n;
	uint64_t off;

	if (!TAP_OK(s, "there is a table"))
		return;
	ev_syms_find(s, BASE + 0x400000, &n, &mod, &mod_n, &off);
	TAP_OK(r.windows == 1 && r.bytes <= TEXT_CHUNK_BYTES, "a symbol takes a piece");
	TAP_OK(all_same(s, text, len), "each symbol, its module, distance and size as in the text");
	TAP_EQ(r.texts, 0, "and the text was never asked for");
	close_syms(s, &r);
}

/* More symbols at one address than are in a few pieces. */
static void test_run(void)
{
	struct buf packed = {0};
	struct ev_loader l;
	struct ev_syms *s;
	struct reader r;
	size_t len;
	char *text = make_text(2000, &len);

	pack(text, len, "zstd:1", &packed);
	s = open_syms(&packed, len, &r, &l);
	TAP_OK(s && all_same(s, text, len), "symbols at one address as in the text");
	TAP_EQ(r.texts, 1, "where some pieces do not do, the text is asked for once");
	close_syms(s, &r);
	buf_release(&packed);
	free(text);
}

/* Byte @at of the table, from its end, is another. False: symbols are others, and nothing tells. */
static bool damage_found(const char *text, size_t len, const struct buf *packed, size_t at)
{
	struct buf other = {0};
	struct ev_loader l;
	struct ev_syms *s;
	struct reader r;
	bool bad = false;
	size_t n;

	buf_add(&other, packed->data, packed->len);
	other.data[other.len - at] ^= 1 << at % 8;
	s = open_syms(&other, len, &r, &l);
	if (s && !all_same(s, text, len))
		text_chunks_all(r.p, &n, &bad);
	else
		bad = true;
	if (s)
		close_syms(s, &r);
	buf_release(&other);
	return bad;
}

static void test_lies(const char *text, size_t len, const struct buf *packed)
{
	size_t at, silent = 0;

	for (at = 1; at < 3 * TEXT_CHUNKS_ENTRY + TEXT_CHUNKS_TAIL + TEXT_CHUNKS_HEAD; at++)
		silent += !damage_found(text, len, packed, at);
	TAP_EQ(silent, 0, "a table that lies changes no symbol, or is found damaged");
}

/* A frame in the middle of the text has no beginning: symbols elsewhere are still found, all as far as that. */
static void test_damage(const char *text, size_t len, const struct buf *packed)
{
	struct buf other = {0};
	struct ev_loader l;
	struct reader r;
	struct ev_syms *s, *b = ev_syms_new(text + LEAD, len - LEAD);
	uint64_t last = strtoull(memrchr(text, '\n', len - 1) + 1, NULL, 16);
	size_t n;
	bool bad;

	buf_add(&other, packed->data, packed->len);
	memset(memmem(other.data + other.len / 2, other.len / 2, "\x28\xb5\x2f\xfd", 4), 0, 4);
	s = open_syms(&other, len, &r, &l);
	TAP_OK(s && same_symbol(s, b, BASE + 9) && same_symbol(s, b, last + 1) && !r.texts,
	       "beside damage, symbols are found");
	text_chunks_all(r.p, &n, &bad);
	TAP_OK(bad && n > len / 4 && n < len * 3 / 4, "damage is said, and the text before it is there");
	close_syms(s, &r);
	ev_syms_free(b);
	buf_release(&other);
}

/* Bounds are checked at each length, and for each size that the section may name. */
static void test_cut(size_t len, const struct buf *packed)
{
	size_t n, opened = 0;
	uint8_t *mem;

	for (n = 0; n < 400; n++) {
		mem = malloc(n + 1);
		memcpy(mem, packed->data + packed->len - n, n);
		opened += !!text_chunks_open(mem, n, len, LEAD);
		free(mem);
	}
	for (n = 0; n < len; n += 997) {
		struct text_chunks *p = text_chunks_open((const uint8_t *)packed->data, packed->len, n, LEAD);

		opened += !!p && n < len - TEXT_CHUNK_BYTES;
		text_chunks_free(p);
	}
	TAP_EQ(opened, 0, "a table alone, and of a text of another size");
}

static void test_without(const char *text, size_t len)
{
	struct buf b = {0};
	char *back = malloc(len);

	pack(text, len, "zlib:1", &b);
	TAP_OK(whole(&b, text, len), "zlib has no frames: one stream");
	TAP_OK(!text_chunks_open((const uint8_t *)b.data, b.len, len, LEAD), "and no table");
	buf_reset(&b);
	memcpy(back, text, len);
	memcpy(back + len / 2, text + LEAD, 40000);
	pack(back, len, "zstd:1", &b);
	TAP_OK(whole(&b, back, len) && !text_chunks_open((const uint8_t *)b.data, b.len, len, LEAD),
	       "nor where symbols are in no order");
	buf_reset(&b);
	pack(text, LEAD, "zstd:1", &b);
	TAP_OK(whole(&b, text, LEAD) && !text_chunks_open((const uint8_t *)b.data, b.len, LEAD, LEAD), "no symbols");
	buf_release(&b);
	free(back);
}

int main(void)
{
	struct buf packed = {0};
	size_t len;
	char *text = make_text(3, &len);

	pack(text, len, "zstd:1", &packed);
	TAP_OK(whole(&packed, text, len), "any reader of zstd unpacks the text");
	test_reading(text, len, &packed);
	test_run();
	test_lies(text, len, &packed);
	test_damage(text, len, &packed);
	test_cut(len, &packed);
	test_without(text, len);
	buf_release(&packed);
	free(text);
	return tap_done();
}
