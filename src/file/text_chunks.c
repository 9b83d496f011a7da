/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A text of symbols in chunks that are compressed separately, and the table of their places. */
#include "file/text_chunks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/search.h"
#include "base/sym_lines.h"
#include "file/compress.h"

#define TEXT_CHUNK_MAX (64u << 10)	/* bytes of a chunk, also of another writer */

/* --- writing */

static void buf_add_le(struct buf *b, uint64_t v, size_t bytes)
{
	unsigned char c;

	for (; bytes--; v >>= 8) {
		c = v;
		buf_add(b, &c, 1);
	}
}

/* Adds an entry. Returns false if the chunk does not start with a line, or is out of order. */
static bool add_chunk_entry(struct buf *table, size_t packed, const char *text, size_t len,
			    size_t at, size_t lead)
{
	size_t line = at ? at : lead;
	uint64_t addr, before = 0;
	const char *stop;

	if (table->len)
		before = get_u64(table->data + table->len - 8, false);
	if (at && text[at - 1] != '\n')
		return false;
	stop = sym_line_addr(text + line, text + len, &addr);
	if (stop == text + line || stop - (text + line) > 16 || stop >= text + len || *stop != ' ')
		return false;
	if (addr < before)
		return false;
	buf_add_le(table, packed, 4);
	buf_add_le(table, at, 4);
	buf_add_le(table, addr, 8);
	return true;
}

int text_chunks_pack(struct compress_packer *k, const char *text, size_t len, size_t lead,
		     struct buf *out)
{
	bool frames = packer_has_frames(k), listed = frames && len > lead;
	size_t at, end, n = 1, start = out->len;
	struct buf table = {0};
	const char *nl;

	for (at = 0; at < len && n; at = end) {
		end = len;
		if (frames && len - at > TEXT_CHUNK_BYTES) {
			/* whole lines, if one of them fits */
			nl = memrchr(text + at, '\n', TEXT_CHUNK_BYTES);
			end = nl ? (size_t)(nl - text) + 1 : at + TEXT_CHUNK_BYTES;
		}
		listed = listed && add_chunk_entry(&table, out->len - start, text, len, at, lead);
		buf_reserve(out, packer_room(k, end - at));
		n = packer_pack(k, out->data + out->len, text + at, end - at);
		out->len += n;
	}
	if (n && listed) {
		buf_add_le(out, TEXT_CHUNKS_FRAME, 4);
		buf_add_le(out, table.len + TEXT_CHUNKS_TAIL, 4);
		buf_add(out, table.data, table.len);
		buf_add_le(out, table.len / TEXT_CHUNKS_ENTRY, 4);
		buf_add_le(out, TEXT_CHUNKS_MARK, 4);
	}
	buf_release(&table);
	return n ? 0 : -1;
}

/* --- reading */

enum state { UNKNOWN, GOOD, BAD };

struct text_chunks {
	const uint8_t *src;
	size_t packed;			/* bytes of all frames */
	size_t size, lead;		/* bytes of the text, and of its part before the lines */
	const uint8_t *table;
	size_t   n;
	uint8_t *text;			/* pages that are not written take no memory */
	uint8_t *states;		/* enum state; changed under the lock */
	void    *unpacker;
	pthread_mutex_t lock;
};

static size_t packed_at(const struct text_chunks *p, size_t i)
{
	return i < p->n ? get_u32(p->table + i * TEXT_CHUNKS_ENTRY, false) : p->packed;
}

static size_t text_at(const struct text_chunks *p, size_t i)
{
	return i < p->n ? get_u32(p->table + i * TEXT_CHUNKS_ENTRY + 4, false) : p->size;
}

static uint64_t chunk_address(const struct text_chunks *p, size_t i)
{
	return get_u64(p->table + i * TEXT_CHUNKS_ENTRY + 8, false);
}

/*
 * Finds the table. Returns false if there is none, or if its chunks do not follow each other in the
 * file and in the text, or are too large.
 */
static bool find_chunk_table(struct text_chunks *p, const uint8_t *src, size_t len)
{
	size_t i, bytes;

	if (len < TEXT_CHUNKS_HEAD + TEXT_CHUNKS_TAIL ||
	    get_u32(src + len - 4, false) != TEXT_CHUNKS_MARK)
		return false;
	p->n = get_u32(src + len - TEXT_CHUNKS_TAIL, false);
	if (!p->n || p->n > (len - TEXT_CHUNKS_HEAD - TEXT_CHUNKS_TAIL) / TEXT_CHUNKS_ENTRY)
		return false;
	bytes = p->n * TEXT_CHUNKS_ENTRY + TEXT_CHUNKS_TAIL;
	p->packed = len - bytes - TEXT_CHUNKS_HEAD;
	p->table = src + p->packed + TEXT_CHUNKS_HEAD;
	if (get_u32(src + p->packed, false) != TEXT_CHUNKS_FRAME ||
	    get_u32(src + p->packed + 4, false) != bytes)
		return false;
	if (packed_at(p, 0) || text_at(p, 0) || text_at(p, 1) <= p->lead)
		return false;
	for (i = 0; i < p->n; i++) {
		bytes = text_at(p, i + 1) - text_at(p, i);
		if (packed_at(p, i) >= packed_at(p, i + 1) || text_at(p, i) >= text_at(p, i + 1) ||
		    bytes > TEXT_CHUNK_MAX || (i && chunk_address(p, i) < chunk_address(p, i - 1)))
			return false;
	}
	return true;
}

struct text_chunks *text_chunks_open(const uint8_t *src, size_t len, size_t size, size_t lead)
{
	struct text_chunks *p = xcalloc(1, sizeof(*p));

	*p = (struct text_chunks){ .src = src, .size = size, .lead = lead };
	pthread_mutex_init(&p->lock, NULL);
	if (find_chunk_table(p, src, len)) {
		p->text = malloc(size);
		p->states = xcalloc(p->n, 1);
	}
	if (p->text)
		return p;
	text_chunks_free(p);
	return NULL;
}

/* Decompresses a chunk. Returns the number of bytes that could be decompressed. */
static size_t unpack_text_chunk(struct text_chunks *p, size_t i, uint8_t *state)
{
	size_t at = text_at(p, i), room = text_at(p, i + 1) - at, from = packed_at(p, i), done;

	pthread_mutex_lock(&p->lock);
	*state = p->states[i];
	done = *state == GOOD ? room : 0;
	if (*state == UNKNOWN) {
		*state = decompress_all(&p->unpacker, p->text + at, room, p->src + from,
					packed_at(p, i + 1) - from, &done) || done != room ? BAD
					: GOOD;
		__atomic_store_n(&p->states[i], *state, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&p->lock);
	return done;
}

const char *text_chunks_near(struct text_chunks *p, uint64_t addr, size_t more, size_t *len,
			     bool *begins, bool *ends)
{
	/* the last chunk that starts at or below @addr, else the first */
	size_t at = SEARCH_LAST(i, 0, p->n, chunk_address(p, i) <= addr);
	size_t from = at > more ? at - more : 0, end, i, start;
	uint8_t state;

	end = more < p->n - at ? at + more + 1 : p->n;
	for (i = from; i < end; i++) {
		state = __atomic_load_n(&p->states[i], __ATOMIC_ACQUIRE);
		if (state == UNKNOWN)
			unpack_text_chunk(p, i, &state);
		/* the lines of a chunk end with it */
		if (state != GOOD || p->text[text_at(p, i + 1) - 1] != '\n')
			return NULL;
	}
	start = from ? text_at(p, from) : p->lead;
	*len = text_at(p, end) - start;
	*begins = !from;
	*ends = end == p->n;
	return (const char *)p->text + start;
}

const uint8_t *text_chunks_all(struct text_chunks *p, size_t *len, bool *bad)
{
	uint8_t state = GOOD;
	size_t i;

	*len = 0;
	for (i = 0; i < p->n && state == GOOD; i++)
		*len += unpack_text_chunk(p, i, &state);
	*bad = state != GOOD;
	return p->text;
}

void text_chunks_free(struct text_chunks *p)
{
	if (!p)
		return;
	decompress_release(p->unpacker);
	pthread_mutex_destroy(&p->lock);
	free(p->text);
	free(p->states);
	free(p);
}
