/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes captured metadata as sections and options of a trace file.
 *
 * On a nearly full disk the symbols could take the room of the data: with the symbols always
 * first, they did so on a disk of 1 MiB. If they do not fit with 1 MiB to spare, as many as fit
 * are written after the data instead. Readers show an address by the symbol before it, so a line
 * "symbols_missing" replaces the first line of each part that is left out.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/text.h"
#include "file/write/dat_join.h"
#include "record/file/dat_formats.h"
#include "record/sink/sink_priv.h"

#ifndef FTR_VERSION
#define FTR_VERSION "0.1"
#endif

#define BESIDE    (64 << 20)	/* bytes of data that may be written while symbols are */
#define SPARE     (1 << 20)	/* if less room than that is left, symbols come after the data */
#define TAIL      (128 << 10)	/* and leave so much room for the end of the file */
#define LEAST     4096		/* fewer bytes of symbols are not worth a try */
#define MISSING   "symbols_missing"

/* ---- the symbols of the kernel: when they are written, and which ones to a full disk */

/* Returns the free bytes of the disk; UINT64_MAX if unknown, so that writing is tried. */
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

/* Compresses @text to ->symbols_packed, unless that has as many readings. */
static void pack_symbols(struct record_sink *s, const struct kallsyms_history *symbols,
			 const struct buf *text)
{
	if (s->symbols_packed_of == symbols->readings)
		return;
	buf_reset(&s->symbols_packed);
	s->symbols_packed_of = 0;
	if (!dat_pack_symbols(&s->packing, text->data, text->len, &s->symbols_packed))
		s->symbols_packed_of = symbols->readings;
}

/*
 * A file that was not finished and is read on another machine has only these symbols. Compressed
 * data has them at the end, and version 6 in a separate place. If the disk has little room, the
 * data comes first.
 */
void sink_write_early_symbols(void *sink, const struct kallsyms_history *symbols)
{
	struct record_sink *s = sink;
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

/*
 * Copies the lines of functions, from the lowest address on, at most @max bytes. An address is
 * printed as the symbol before it, so one line marks each gap.
 */
static void choose_functions(const struct buf *text, size_t max, struct buf *out)
{
	const char *at = text->data, *end = at + text->len, *next, *type;
	bool gap = true, take;

	for (; at < end; at = next, gap = !take) {
		next = (const char *)memchr(at, '\n', end - at) + 1;
		type = memchr(at, ' ', next - at);
		take = type && next - type > 3 && strchr("tTwW", type[1]) &&
		       out->len + (next - at) <= max;
		if (take)
			buf_add(out, at, next - at);
		else if (!gap)
			buf_printf(out, "%.*s t " MISSING "\n", (int)strcspn(at, " "), at);
	}
}

/*
 * Chooses lines of @text that fit into @room bytes, in @out and compressed in @packed. Returns
 * their length in the file, 0 if too few fit.
 */
static size_t fit_symbols(struct record_sink *s, const struct buf *text, uint64_t room,
			  struct buf *out, struct buf *packed)
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

static void write_symbols_partly(struct record_sink *s, struct dat_writer *w,
				 const struct buf *text, uint64_t room)
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

static void write_symbols_whole(struct record_sink *s, struct dat_writer *w, const struct buf *text)
{
	if (s->packing.name && s->symbols_packed_of)
		dat_write_symbols(w, &s->symbols_packed);
	else
		dat_write_blob(w, DAT_KALLSYMS, text->data ? text->data : "", text->len);
}

/* Returns the bytes of the section of symbols. */
static uint64_t symbols_section_bytes(struct record_sink *s, const struct kallsyms_history *symbols,
				      const struct buf *text)
{
	if (!s->packing.name || !text->len)
		return text->len;
	pack_symbols(s, symbols, text);
	return s->symbols_packed_of ? s->symbols_packed.len : text->len;
}

static void write_symbols(struct record_sink *s, struct dat_writer *w,
			  const struct kallsyms_history *symbols, const struct buf *text)
{
	uint64_t bytes;

	if (w == s->w && !s->packing.name && s->symbols_written == symbols->readings &&
	    s->symbols_written)
		return;
	bytes = symbols_section_bytes(s, symbols, text);
	s->symbols_wait = bytes && bytes + SPARE > disk_room(s->plan.out->fd);
	if (!s->symbols_wait)
		write_symbols_whole(s, w, text);
	else if (!s->ops->symbols_anywhere)
		write_symbols_partly(s, w, text, 0);
}

void sink_write_late_symbols(struct record_sink *s, struct dat_writer *w,
			     const struct kallsyms_history *symbols)
{
	struct buf b = {0};
	const struct buf *text;
	uint64_t room;

	if (!s->symbols_wait || !s->ops->symbols_anywhere)
		return;
	text = symbols_text(symbols, &b);
	room = disk_room(s->plan.out->fd);
	room = room > TAIL ? room - TAIL : 0;
	if (symbols_section_bytes(s, symbols, text) <= room)
		write_symbols_whole(s, w, text);
	else
		write_symbols_partly(s, w, text, room);
	buf_release(&b);
}

int sink_check_symbols(const struct record_sink *s, int ret, struct ftr_error *err)
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

/* ---- other sections */

static void add_text_option(struct dat_writer *w, uint16_t id, const char *s)
{
	dat_add_option(w, id, s, strlen(s) + 1);
}

static void write_options(struct dat_writer *w, const struct captured_meta *c)
{
	const struct captured_buffer *o;
	const struct recorder_cpu *cpus;
	struct buf b = {0};
	uint32_t count = 0;
	size_t i, n;
	char *head;

	if (c->has_date) {
		/* readers parse it by strtoll() with base 0 */
		buf_printf(&b, "0x%" PRIx64, (uint64_t)c->date_us);
		add_text_option(w, DAT_DATE, b.data);
		buf_reset(&b);
	}
	if (c->has_tsc) {
		buf_u32(&b, c->tsc.mult);
		buf_u32(&b, c->tsc.shift);
		buf_u64(&b, c->tsc.offset_ns);
		dat_add_option(w, DAT_TSC2NSEC, b.data, b.len);
	}
	/* as trace-cmd does: an option for each CPU; those of an instance follow its name */
	for (o = c->bufs; o < c->bufs + c->n; o++) {
		if (*o->name) {
			head = xasprintf("\nBuffer: %s\n\n", o->name);
			add_text_option(w, DAT_CPUSTAT, head);
			free(head);
		}
		for (i = 0; i < o->stats.n; i++)
			add_text_option(w, DAT_CPUSTAT, o->stats.v[i]);
		cpus = recorder_cpus(o->rec, &n);
		for (i = 0; i < n; i++)
			if ((uint32_t)cpus[i].cpu + 1 > count)
				count = cpus[i].cpu + 1;
	}
	if (c->n)
		add_text_option(w, DAT_TRACECLOCK, c->bufs[0].clock_text.data);
	if (c->headers.uname)
		add_text_option(w, DAT_UNAME, c->headers.uname);
	dat_add_option(w, DAT_CPUCOUNT, &count, sizeof(count));
	add_text_option(w, DAT_VERSION, "ftr " FTR_VERSION);
	dat_add_option(w, DAT_TRACEID, &c->trace_id, sizeof(c->trace_id));
	n = c->maps ? procmaps_n(c->maps) : 0;
	for (i = 0; i < n; i++) {
		buf_reset(&b);
		procmaps_option(c->maps, i, &b);
		dat_add_option(w, DAT_PROCMAPS, b.data, b.len);
	}
	buf_release(&b);
}

void sink_write_headers(struct dat_writer *w, const struct capture_headers *headers,
			const struct format_files *f)
{
	struct dat_write_format *v;
	size_t n;

	dat_write_header_info(w, headers->header_page.data, headers->header_page.len,
			      headers->header_event.data, headers->header_event.len);
	n = dat_formats_list(f, true, &v);
	dat_write_ftrace_events(w, v, n);
	free(v);
}

void sink_write_formats(struct record_sink *s, struct dat_writer *w, const struct format_files *f)
{
	struct dat_write_format *v;
	size_t n;

	if (w == s->w && s->formats_written == f->n && !s->packing.name)
		return;
	n = dat_formats_list(f, false, &v);
	dat_write_event_formats(w, v, n);
	free(v);
	if (w == s->w)
		s->formats_written = f->n;
}

/*
 * Writes the prototypes of the functions in the data: those of all functions take some megabytes.
 */
static void write_protos(struct record_sink *s, struct dat_writer *w,
			 const struct module_protos *protos, const struct buf *kallsyms)
{
	struct buf b = {0};
	struct ftr_error err;

	if (!s->data.called.n)
		return;
	buf_add(&b, "", 0);
	if (protos_text(protos, &s->data.called, kallsyms, &b, &err))
		strv_take(&s->data.notes,
			  xasprintf("no names of functions' arguments: %s", err.msg));
	else
		dat_write_protos(w, b.data, b.len);
	buf_release(&b);
}

void sink_write_captured(struct record_sink *s, struct dat_writer *w, const struct captured_meta *c)
{
	struct dat_latency *latencies = xcalloc(c->n + 1, sizeof(*latencies));
	const struct captured_buffer *o;
	const struct buf *symbols;
	struct buf b = {0};
	size_t n = 0;

	sink_write_formats(s, w, recorded_data_formats(&s->data, c));
	keys_text(&c->headers.keys, &b);
	keys_text(&s->data.keys, &b);
	dat_write_meta(w, b.data ? b.data : "", b.len);
	buf_reset(&b);
	symbols = symbols_text(&c->symbols, &b);
	write_symbols(s, w, &c->symbols, symbols);
	write_protos(s, w, &c->protos, symbols);
	for (o = c->bufs; o < c->bufs + c->n; o++)
		if (o->latency.text.len)
			latencies[n++] = (struct dat_latency){ o->name, o->latency.text.data,
							       o->latency.text.len };
	if (n)
		dat_write_latencies(w, latencies, n);
	free(latencies);
	buf_reset(&b);
	history_text(&c->printk, &b);
	dat_write_blob(w, DAT_PRINTK, b.data ? b.data : "", b.len);
	buf_reset(&b);
	comms_text(&s->data.comms, &b);
	dat_write_blob(w, DAT_CMDLINES, b.data, b.len);
	if (c->btf.len)
		dat_write_btf(w, c->btf.data, c->btf.len);
	buf_release(&b);
	write_options(w, c);
}

void sink_write_sections(struct record_sink *s, const struct captured_meta *c)
{
	if (s->sections_written)
		return;
	recorded_data_read(s, c);
	if (s->packing.name) {
		dat_drop_meta(s->w, &s->spool);
		dat_pack(s->w, s->packed);
		sink_write_headers(s->w, &c->headers, recorded_data_formats(&s->data, c));
	}
	sink_write_captured(s, s->w, c);
	s->sections_written = true;
}
