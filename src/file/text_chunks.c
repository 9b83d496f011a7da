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

#define PIECE_MAX (64u << 10)	/* bytes of one, whoever wrote it */

/* --- writing */

static void put_le_bytes(struct buf *b, uint64_t v, size_t bytes)
{
	unsigned char c;

	for (; bytes--; v >>= 8) {
		c = v;
		buf_add(b, &c, 1);
	}
}

/* Adds an entry. Returns false if the chunk does not start with a line, or is out of order. */
static bool add_piece(struct buf *table, size_t packed, const char *text, size_t len, size_t at,
		      size_t lead)
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
	put_le_bytes(table, packed, 4);
	put_le_bytes(table, at, 4);
	put_le_bytes(table, addr, 8);
	return true;
}

int pieces_pack(struct packer *k, const char *text, size_t len, size_t lead, struct buf *out)
{
	bool frames = packer_has_frames(k), listed = frames && len > lead;
	size_t at, end, n = 1, start = out->len;
	struct buf table = {0};
	const char *nl;

	for (at = 0; at < len && n; at = end) {
		end = len;
		if (frames && len - at > PIECES_BYTES) {
			/* whole lines, if one of them fits */
			nl = memrchr(text + at, '\n', PIECES_BYTES);
			end = nl ? (size_t)(nl - text) + 1 : at + PIECES_BYTES;
		}
		listed = listed && add_piece(&table, out->len - start, text, len, at, lead);
		buf_reserve(out, packer_room(k, end - at));
		n = packer_pack(k, out->data + out->len, text + at, end - at);
		out->len += n;
	}
	if (n && listed) {
		put_le_bytes(out, PIECES_FRAME, 4);
		put_le_bytes(out, table.len + PIECES_TAIL, 4);
		buf_add(out, table.data, table.len);
		put_le_bytes(out, table.len / PIECES_ENTRY, 4);
		put_le_bytes(out, PIECES_MARK, 4);
	}
	buf_release(&table);
	return n ? 0 : -1;
}

/* --- reading */

enum state { UNKNOWN, GOOD, BAD };

struct pieces {
	const uint8_t *src;
	size_t packed, size, lead;	/* bytes of all frames, of the text */
	const uint8_t *table;
	size_t   n;
	uint8_t *text;			/* what is not unpacked takes no memory */
	uint8_t *states;		/* with release and acquire, under the lock */
	void    *unpacker;
	pthread_mutex_t lock;
};

static size_t packed_at(const struct pieces *p, size_t i)
{
	return i < p->n ? get_u32(p->table + i * PIECES_ENTRY, false) : p->packed;
}

static size_t text_at(const struct pieces *p, size_t i)
{
	return i < p->n ? get_u32(p->table + i * PIECES_ENTRY + 4, false) : p->size;
}

static uint64_t piece_address(const struct pieces *p, size_t i)
{
	return get_u64(p->table + i * PIECES_ENTRY + 8, false);
}

/*
 * Finds the table. Returns false if there is none, or if its chunks do not follow each other in the
 * file and in the text, or are too large.
 */
static bool find_piece_table(struct pieces *p, const uint8_t *src, size_t len)
{
	size_t i, bytes;

	if (len < PIECES_HEAD + PIECES_TAIL || get_u32(src + len - 4, false) != PIECES_MARK)
		return false;
	p->n = get_u32(src + len - PIECES_TAIL, false);
	if (!p->n || p->n > (len - PIECES_HEAD - PIECES_TAIL) / PIECES_ENTRY)
		return false;
	bytes = p->n * PIECES_ENTRY + PIECES_TAIL;
	p->packed = len - bytes - PIECES_HEAD;
	p->table = src + p->packed + PIECES_HEAD;
	if (get_u32(src + p->packed, false) != PIECES_FRAME ||
	    get_u32(src + p->packed + 4, false) != bytes)
		return false;
	if (packed_at(p, 0) || text_at(p, 0) || text_at(p, 1) <= p->lead)
		return false;
	for (i = 0; i < p->n; i++) {
		bytes = text_at(p, i + 1) - text_at(p, i);
		if (packed_at(p, i) >= packed_at(p, i + 1) || text_at(p, i) >= text_at(p, i + 1) ||
		    bytes > PIECE_MAX || (i && piece_address(p, i) < piece_address(p, i - 1)))
			return false;
	}
	return true;
}

struct pieces *pieces_open(const uint8_t *src, size_t len, size_t size, size_t lead)
{
	struct pieces *p = xcalloc(1, sizeof(*p));

	*p = (struct pieces){ .src = src, .size = size, .lead = lead };
	pthread_mutex_init(&p->lock, NULL);
	if (find_piece_table(p, src, len)) {
		p->text = malloc(size);
		p->states = xcalloc(p->n, 1);
	}
	if (p->text)
		return p;
	pieces_free(p);
	return NULL;
}

/* Decompresses a chunk. Returns the number of bytes that could be decompressed. */
static size_t unpack_piece(struct pieces *p, size_t i, uint8_t *state)
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

const char *pieces_near(struct pieces *p, uint64_t addr, size_t more, size_t *len, bool *begins,
			bool *ends)
{
	/* the last chunk that starts at or below @addr, else the first */
	size_t at = SEARCH_LAST(i, 0, p->n, piece_address(p, i) <= addr);
	size_t from = at > more ? at - more : 0, end, i, start;
	uint8_t state;

	end = more < p->n - at ? at + more + 1 : p->n;
	for (i = from; i < end; i++) {
		state = __atomic_load_n(&p->states[i], __ATOMIC_ACQUIRE);
		if (state == UNKNOWN)
			unpack_piece(p, i, &state);
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

const uint8_t *pieces_all(struct pieces *p, size_t *len, bool *bad)
{
	uint8_t state = GOOD;
	size_t i;

	*len = 0;
	for (i = 0; i < p->n && state == GOOD; i++)
		*len += unpack_piece(p, i, &state);
	*bad = state != GOOD;
	return p->text;
}

void pieces_free(struct pieces *p)
{
	if (!p)
		return;
	decompress_release(p->unpacker);
	pthread_mutex_destroy(&p->lock);
	free(p->text);
	free(p->states);
	free(p);
}
