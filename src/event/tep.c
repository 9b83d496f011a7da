/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine over libtraceevent. It gets formats at their first record and only after vetting,
 * records as copies in the scratch buffer, and symbols one at a time from our index instead of the
 * whole table.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/dry.h"
#include "event/engine.h"

/* Marks of our own in a text that libtraceevent makes; no kernel text has such bytes in a row. */
#define TAIL	 "\1\2\3\1"
#define TAIL_END "\1\2\3\2"
#define NO_TAIL	 "\1\2\3\3"
#define MARK	 4	/* bytes */

/* --- symbols */

static void add_symbol(struct ev_engine *e, uint64_t addr, bool with_mod, bool with_off,
		       struct buf *out)
{
	const char *mod, *name;
	size_t n, mod_n;
	uint64_t off;

	name = ev_syms_find(e->w->syms, addr, &n, &mod, &mod_n, &off);
	if (!name) {
		buf_printf(out, "0x%" PRIx64, addr);
		return;
	}
	text_sanitise(out, name, n, false);
	if (with_off)
		buf_printf(out, "+0x%" PRIx64, off);
	if (!mod || !with_mod)
		return;
	buf_addstr(out, " [");
	text_sanitise(out, mod, mod_n, false);
	buf_addch(out, ']');
}

void func_name(struct ev_engine *e, uint64_t addr, struct buf *out)
{
	add_symbol(e, addr, false, false, out);
}

void ev_print_func(struct ev_engine *e, uint64_t addr, bool with_offset, struct buf *out)
{
	add_symbol(e, addr, true, with_offset, out);
}

/*
 * Called by libtraceevent for %ps, %pS. It puts the offset of a %pS behind what we give, where the
 * kernel has it before the module, and none behind an address without a symbol: TAIL stands where
 * the offset belongs, or NO_TAIL where it does not, and add_seq() makes it so. It never gets NULL:
 * comparing such a symbol with a string, 1.7.1 would use memory of a function that has returned.
 */
static char *resolve(void *priv, unsigned long long *addr, char **mod)
{
	struct ev_engine *e = priv;
	struct buf name = { 0 };
	const char *m, *found;
	size_t n, mod_n;
	uint64_t off = 0;

	*mod = NULL;
	found = ev_syms_find(e->w->syms, *addr, &n, &m, &mod_n, &off);
	add_symbol(e, *addr, !e->plain_symbols, false, &name);
	if (e->plain_symbols && !found)
		buf_addstr(&name, NO_TAIL);
	else if (e->plain_symbols && m)
		buf_printf(&name, TAIL " [%.*s]" TAIL_END, (int)mod_n, m);
	snprintf(e->symbol, sizeof(e->symbol), "%s", name.data);
	buf_release(&name);
	if (found)
		*addr -= off;
	return e->symbol;
}

struct tep_handle *engine_new_tep(struct ev_engine *e)
{
	struct tep_handle *tep = tep_alloc();

	if (!tep)
		return NULL;
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(tep, e->w->long_size);
	tep_set_page_size(tep, e->w->page_size ? e->w->page_size : 4096);
	tep_set_file_bigendian(tep, e->w->big ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(tep, tep_is_bigendian() ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_function_resolver(tep, resolve, e);
	return tep;
}

/* --- formats */

static void degrade(struct ev_slot *s, const char *why)
{
	s->ev = NULL;
	s->why = xstrdup(why);
}

/* A line break of the print fmt itself that is not its end. */
static bool inner_break(const struct vet *v)
{
	const char *p = strstr(v->text.data, "\nprint fmt: \"");

	for (p = p ? p + strlen("\nprint fmt: \"") : NULL; p && *p && *p != '"'; p++)
		if (*p == '\\' && *++p == 'n' && p[1] != '"')
			return true;
	return false;
}

/*
 * The strings that a %s of a pointer means. In quotes, which libtraceevent takes off, and not the
 * shortest: 1.7.1 looks for a "\n" before the last quote without looking whether there is room.
 */
static void give_strings(struct ev_engine *e)
{
	struct buf quoted = { 0 };
	size_t i;

	if (e->strings_given)
		return;
	e->strings_given = true;
	printk_find(e, 0);	/* builds the table */
	for (i = 0; i < e->printk.cap; i++) {
		if (!e->printk.slots[i].used || strlen(e->printk.slots[i].val) < 3)
			continue;
		buf_reset(&quoted);
		buf_printf(&quoted, "\"%s\"", (const char *)e->printk.slots[i].val);
		tep_register_print_string(e->tep, quoted.data, e->printk.slots[i].key);
	}
	buf_release(&quoted);
}

/*
 * Gives the rewritten text to libtraceevent, which says 0 to what it can't parse and flags the
 * event.
 */
static void add_event(struct ev_engine *e, struct ev_slot *s, struct vet *v)
{
	give_strings(e);
	if (tep_find_event(e->tep, s->fmt->id)) {
		degrade(s, "another event has the same ID");
		return;
	}
	if (tep_parse_event(e->tep, v->text.data, v->text.len, "ftr"))
		s->ev = NULL;
	else
		s->ev = tep_find_event(e->tep, s->fmt->id);
	if (!s->ev || s->ev->flags & TEP_EVENT_FL_FAILED || !dry_sound(s->ev)) {
		degrade(s, "libtraceevent cannot parse its print fmt");
		return;
	}
	s->dry = v->dry;
	s->offsets = v->offsets;
	s->lines = inner_break(v);
	s->nr_want = v->nr_want;
	s->want = xmalloc(sizeof(v->want));
	memcpy(s->want, v->want, sizeof(v->want));
}

static struct ev_slot *new_slot(struct ev_engine *e, const struct ev_format *fmt)
{
	struct ev_slot *s = xcalloc(1, sizeof(*s));
	struct vet v = { .fmt = fmt, .long_size = e->w->long_size };

	s->fmt = fmt;
	s->own = builtin_find(fmt);
	if (s->own)
		return s;
	if (vet_format(&v))
		degrade(s, v.why);
	else
		add_event(e, s, &v);
	vet_release(&v);
	return s;
}

struct ev_slot *engine_slot(struct ev_engine *e, const struct ev_format *fmt)
{
	struct ev_slot *s = map_get(&e->slots, (uintptr_t)fmt);

	if (!s) {
		s = new_slot(e, fmt);
		map_put(&e->slots, (uintptr_t)fmt, s);
	}
	return s;
}

const char *ev_degraded(struct ev_engine *e, const struct ev_format *fmt)
{
	return engine_slot(e, fmt)->why;
}

/* --- rendering */

/* How many bytes of "+0x12ab" stand at @p. */
static size_t offset_len(const char *p, const char *end)
{
	size_t n = 3;

	if (end - p <= 3 || memcmp(p, "+0x", 3))
		return 0;
	while (p + n < end && isxdigit((unsigned char)p[n]))
		n++;
	return n;
}

/* Puts offsets in the place that resolve() marked. */
static void place_offsets(struct buf *to, const char *p, const char *end)
{
	const char *mark, *stop;
	size_t n;

	while ((mark = memmem(p, end - p, TAIL, MARK - 1)) && end - mark >= MARK) {
		buf_add(to, p, mark - p);
		p = mark + MARK;
		stop = mark[MARK - 1] == TAIL[MARK - 1] ?
			memmem(p, end - p, TAIL_END, MARK) : NULL;
		mark = p;
		if (stop)
			p = stop + MARK;
		n = offset_len(p, end);
		if (stop) {
			buf_add(to, p, n);
			buf_add(to, mark, stop - mark);
		}
		p += n;
	}
	buf_add(to, p, end - p);
}

static void add_seq(struct ev_engine *e, const struct ev_slot *s, struct buf *out)
{
	const char *p = e->seq.buffer;
	struct buf placed = { 0 };
	size_t n = e->seq.len;

	while (n && (p[n - 1] == '\n' || p[n - 1] == '\0'))
		n--;
	if (s->offsets) {
		place_offsets(&placed, p, p + n);
		p = placed.data;
		n = placed.len;
	}
	engine_text(e, out, n ? p : "", n, s->lines);
	buf_release(&placed);
}

/* False when this record must not go to libtraceevent, or it failed. */
static bool render_tep(struct ev_engine *e, struct ev_slot *s, const struct ev_rec *r, int cpu,
		       uint64_t ts,
		       struct buf *out)
{
	struct tep_record rec = { .cpu = cpu, .ts = ts };

	if (!scratch_fill(&e->scratch, r, false))
		return false;
	if (s->dry && !dry_run(s->ev, s->want, s->nr_want, e->scratch.data, e->scratch.len))
		return false;
	rec.data = e->scratch.data;
	rec.size = rec.record_size = e->scratch.len;
	e->plain_symbols = s->offsets;
	trace_seq_reset(&e->seq);
	tep_print_event(e->tep, &e->seq, &rec, "%s", TEP_PRINT_INFO);
	e->plain_symbols = false;
	if (e->seq.state != TRACE_SEQ__GOOD) {
		trace_seq_destroy(&e->seq);
		trace_seq_init(&e->seq);
		return false;
	}
	add_seq(e, s, out);
	return true;
}

void ev_render(struct ev_engine *e, const struct ev_rec *r, int cpu, uint64_t ts, struct buf *out)
{
	struct ev_slot *s;

	if (!r->fmt) {
		buf_addstr(out, "[unknown event]");
		return;
	}
	s = engine_slot(e, r->fmt);
	if (s->own && r->len >= 8)
		s->own(e, r, ts, out);
	else if (!s->ev || !render_tep(e, s, r, cpu, ts, out))
		fields_print(r, out);
}

void ev_render_raw(struct ev_engine *e, const struct ev_rec *r, struct buf *out)
{
	(void)e;
	if (r->fmt)
		fields_print(r, out);
	else
		buf_addstr(out, "[unknown event]");
}

/* --- life */

struct ev_engine *ev_engine_new(const struct ev_world *w, struct ftr_error *err)
{
	struct ev_engine *e = xcalloc(1, sizeof(*e));

	e->w = w;
	e->tep = engine_new_tep(e);
	if (!e->tep) {
		free(e);
		err_set(err, FTR_FAILED, "cannot start libtraceevent");
		return NULL;
	}
	trace_seq_init(&e->seq);
	return e;
}

static void slot_free(struct ev_slot *s)
{
	free(s->want);
	free(s->why);
	free(s);
}

void ev_engine_free(struct ev_engine *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->slots.cap; i++)
		if (e->slots.slots[i].used)
			slot_free(e->slots.slots[i].val);
	map_release(&e->slots);
	kernel_release(e);
	printk_release(e);
	trace_seq_destroy(&e->seq);
	scratch_release(&e->scratch);
	tep_free(e->tep);
	free(e);
}
