/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's symbols in the file: when they are written, what of them on a full disk. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/text.h"
#include "record/meta_priv.h"

#define BESIDE    (64 << 20)	/* bytes of data that come while symbols are written */
#define SPARE     (1 << 20)	/* with less than that beside them they come after the data */
#define TAIL      (128 << 10)	/* and leave so much for what ends the file */
#define LEAST     4096		/* bytes of symbols that are worth a try */
#define MISSING   "symbols_missing"

/* Bytes that can be written; without an answer it is tried. */
static uint64_t disk_room(int fd)
{
	struct statvfs st;

	return fstatvfs(fd, &st) ? UINT64_MAX : (uint64_t)st.f_bavail * st.f_frsize;
}

bool meta_has_room(int fd, uint64_t bytes)
{
	uint64_t room = disk_room(fd);

	return room != UINT64_MAX && room >= bytes + BESIDE;
}

/* Unless it is done, for as many readings as there are now. */
static void pack_symbols(struct meta *m, const struct buf *text)
{
	if (m->symbols_packed_of == m->symbols.readings)
		return;
	buf_reset(&m->symbols_packed);
	m->symbols_packed_of = 0;
	if (!dat_pack_symbols(&m->packing, text->data, text->len, &m->symbols_packed))
		m->symbols_packed_of = m->symbols.readings;
}

/*
 * Of a file that is killed and read on another machine they are the only ones. Where the data is
 * compressed they come at the end, and version 6 has its own place for them. Where little fits, the
 * data comes first.
 */
void meta_begin_symbols(struct meta *m)
{
	struct buf room = {0};
	const struct buf *text;

	if (!m->symbols.readings)
		return;
	text = symbols_text(&m->symbols, &room);
	if (m->w && !m->v6 && !m->packing.data && !m->symbols_written &&
	    meta_has_room(m->fd, text->len)) {
		dat_write_blob(m->w, DAT_KALLSYMS, text->data, text->len);
		m->symbols_written = m->symbols.readings;
	}
	if (m->packing.name)
		pack_symbols(m, text);
	buf_release(&room);
}

/* --- as many as fit */

static bool is_function(const char *line, const char *end)
{
	const char *type = memchr(line, ' ', end - line);

	return type && end - type > 3 && strchr("tTwW", type[1]);
}

/*
 * Functions alone, from the lowest address on, at most @max bytes. An address is shown by the
 * symbol before it: where lines are left out one says so.
 */
static void choose_functions(const struct buf *text, size_t max, struct buf *out)
{
	const char *at = text->data, *end = at + text->len, *next;
	bool gap = true, take;

	for (; at < end; at = next, gap = !take) {
		next = (const char *)memchr(at, '\n', end - at) + 1;
		take = is_function(at, next) && out->len + (next - at) <= max;
		if (take)
			buf_add(out, at, next - at);
		else if (!gap)
			buf_printf(out, "%.*s t " MISSING "\n", (int)strcspn(at, " "), at);
	}
}

/* What is to be written of @text, in at most @room bytes; and its length in the file. */
static size_t fit_symbols(struct meta *m, const struct buf *text, uint64_t room, struct buf *out,
			  struct buf *packed)
{
	size_t max = text->len, need;

	for (;; max = (double)max * room / need * 15 / 16) {
		buf_reset(out);
		buf_reset(packed);
		if (max < LEAST)
			return 0;
		choose_functions(text, max, out);
		if (m->packing.name && dat_pack_symbols(&m->packing, out->data, out->len, packed))
			return 0;
		need = m->packing.name ? packed->len : out->len;
		if (need <= room)
			return need;
	}
}

static void write_some(struct dat_writer *w, struct meta *m, const struct buf *text, uint64_t room)
{
	struct buf some = {0}, packed = {0};
	size_t n = fit_symbols(m, text, room, &some, &packed);

	m->symbols_missing = text->len - (n ? some.len : 0);
	m->symbols_all = text->len;
	if (n && m->packing.name)
		dat_write_symbols(w, &packed);
	else
		dat_write_blob(w, DAT_KALLSYMS, some.data ? some.data : "", n ? some.len : 0);
	buf_release(&some);
	buf_release(&packed);
}

/* --- when */

static void write_whole(struct dat_writer *w, struct meta *m, const struct buf *text)
{
	if (m->packing.name && m->symbols_packed_of)
		dat_write_symbols(w, &m->symbols_packed);
	else
		dat_write_blob(w, DAT_KALLSYMS, text->data ? text->data : "", text->len);
}

/* Bytes of their section. */
static uint64_t bytes_of(struct meta *m, const struct buf *text)
{
	if (!m->packing.name || !text->len)
		return text->len;
	pack_symbols(m, text);
	return m->symbols_packed_of ? m->symbols_packed.len : text->len;
}

void meta_write_symbols(struct dat_writer *w, struct meta *m, const struct buf *text)
{
	uint64_t bytes;

	if (w == m->w && !m->packing.name && m->symbols_written == m->symbols.readings &&
	    m->symbols_written)
		return;
	bytes = bytes_of(m, text);
	m->symbols_wait = bytes && bytes + SPARE > disk_room(m->fd);
	if (!m->symbols_wait)
		write_whole(w, m, text);
	else if (m->v6)
		write_some(w, m, text, 0);
}

void meta_write_late_symbols(struct dat_writer *w, struct meta *m)
{
	struct buf b = {0};
	const struct buf *text;
	uint64_t room;

	if (!m->symbols_wait || m->v6)
		return;
	text = symbols_text(&m->symbols, &b);
	room = disk_room(m->fd);
	room = room > TAIL ? room - TAIL : 0;
	if (bytes_of(m, text) <= room)
		write_whole(w, m, text);
	else
		write_some(w, m, text, room);
	buf_release(&b);
}

int meta_tell_symbols(const struct meta *m, int ret, const char *path, struct ftr_error *err)
{
	if (ret || !m->symbols_missing)
		return ret;
	errno = ENOSPC;
	err_sys(err, "'%s' lacks %" PRIu64 " of %" PRIu64 " bytes of kernel symbols", path,
		m->symbols_missing, m->symbols_all);
	err->code = FTR_DAMAGED;
	err_hint(err, "the data is all there; addresses without a symbol are shown as such");
	return 1;
}
