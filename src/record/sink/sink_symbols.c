/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's symbols in the file: when they are written, what of them on a full disk. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/text.h"
#include "record/sink/sink_priv.h"

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

bool sink_has_room(int fd, uint64_t bytes)
{
	uint64_t room = disk_room(fd);

	return room != UINT64_MAX && room >= bytes + BESIDE;
}

/* Unless it is done, for as many readings as there are now. */
static void pack_symbols(struct sink *s, const struct symbols *symbols, const struct buf *text)
{
	if (s->symbols_packed_of == symbols->readings)
		return;
	buf_reset(&s->symbols_packed);
	s->symbols_packed_of = 0;
	if (!dat_pack_symbols(&s->packing, text->data, text->len, &s->symbols_packed))
		s->symbols_packed_of = symbols->readings;
}

/*
 * Of a file that is killed and read on another machine they are the only ones. Where the data is
 * compressed they come at the end, and version 6 has its own place for them. Where little fits, the
 * data comes first.
 */
void sink_take_symbols(void *sink, const struct symbols *symbols)
{
	struct sink *s = sink;
	struct buf room = {0};
	const struct buf *text = symbols_text(symbols, &room);

	if (s->w && s->ops->symbols_anywhere && !s->packing.data && !s->symbols_written &&
	    sink_has_room(s->plan.out->fd, text->len)) {
		dat_write_blob(s->w, DAT_KALLSYMS, text->data, text->len);
		s->symbols_written = symbols->readings;
	}
	if (s->packing.name)
		pack_symbols(s, symbols, text);
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
static size_t fit_symbols(struct sink *s, const struct buf *text, uint64_t room, struct buf *out,
			  struct buf *packed)
{
	size_t max = text->len, need;

	for (;; max = (double)max * room / need * 15 / 16) {
		buf_reset(out);
		buf_reset(packed);
		if (max < LEAST)
			return 0;
		choose_functions(text, max, out);
		if (s->packing.name && dat_pack_symbols(&s->packing, out->data, out->len, packed))
			return 0;
		need = s->packing.name ? packed->len : out->len;
		if (need <= room)
			return need;
	}
}

static void write_some(struct sink *s, struct dat_writer *w, const struct buf *text, uint64_t room)
{
	struct buf some = {0}, packed = {0};
	size_t n = fit_symbols(s, text, room, &some, &packed);

	s->symbols_missing = text->len - (n ? some.len : 0);
	s->symbols_all = text->len;
	if (n && s->packing.name)
		dat_write_symbols(w, &packed);
	else
		dat_write_blob(w, DAT_KALLSYMS, some.data ? some.data : "", n ? some.len : 0);
	buf_release(&some);
	buf_release(&packed);
}

/* --- when */

static void write_whole(struct sink *s, struct dat_writer *w, const struct buf *text)
{
	if (s->packing.name && s->symbols_packed_of)
		dat_write_symbols(w, &s->symbols_packed);
	else
		dat_write_blob(w, DAT_KALLSYMS, text->data ? text->data : "", text->len);
}

/* Bytes of their section. */
static uint64_t bytes_of(struct sink *s, const struct symbols *symbols, const struct buf *text)
{
	if (!s->packing.name || !text->len)
		return text->len;
	pack_symbols(s, symbols, text);
	return s->symbols_packed_of ? s->symbols_packed.len : text->len;
}

void sink_write_symbols(struct sink *s, struct dat_writer *w, const struct symbols *symbols,
			const struct buf *text)
{
	uint64_t bytes;

	if (w == s->w && !s->packing.name && s->symbols_written == symbols->readings &&
	    s->symbols_written)
		return;
	bytes = bytes_of(s, symbols, text);
	s->symbols_wait = bytes && bytes + SPARE > disk_room(s->plan.out->fd);
	if (!s->symbols_wait)
		write_whole(s, w, text);
	else if (!s->ops->symbols_anywhere)
		write_some(s, w, text, 0);
}

void sink_write_late_symbols(struct sink *s, struct dat_writer *w, const struct symbols *symbols)
{
	struct buf b = {0};
	const struct buf *text;
	uint64_t room;

	if (!s->symbols_wait || !s->ops->symbols_anywhere)
		return;
	text = symbols_text(symbols, &b);
	room = disk_room(s->plan.out->fd);
	room = room > TAIL ? room - TAIL : 0;
	if (bytes_of(s, symbols, text) <= room)
		write_whole(s, w, text);
	else
		write_some(s, w, text, room);
	buf_release(&b);
}

int sink_tell_symbols(const struct sink *s, int ret, struct ftr_error *err)
{
	if (ret || !s->symbols_missing)
		return ret;
	errno = ENOSPC;
	err_sys(err, "'%s' lacks %" PRIu64 " of %" PRIu64 " bytes of kernel symbols", s->plan.path,
		s->symbols_missing, s->symbols_all);
	err->code = FTR_DAMAGED;
	err_hint(err, "the data is all there; addresses without a symbol are shown as such");
	return 1;
}
