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
#include "event/plugin/plugin_tep.h"
#include "event/tep/tep.h"
#include "event/tep/tep_dry_run.h"

/* Marks of our own in a text that libtraceevent makes; no kernel text has such bytes in a row. */
#define TAIL	 "\1\2\3\1"
#define TAIL_END "\1\2\3\2"
#define NO_TAIL	 "\1\2\3\3"
#define MARK	 4	/* bytes */

/* --- symbols */

/*
 * Called by libtraceevent for %ps, %pS. It puts the offset of a %pS behind what we give, where the
 * kernel has it before the module, and none behind an address without a symbol: TAIL stands where
 * the offset belongs, or NO_TAIL where it does not, and add_seq() makes it so. It never gets NULL:
 * comparing such a symbol with a string, 1.7.1 would use memory of a function that has returned.
 */
static char *resolve_symbol(void *priv, unsigned long long *addr, char **mod)
{
	struct ev_engine *e = priv;
	struct buf name = { 0 };
	const char *m, *found;
	size_t n, mod_n;
	char *to;
	uint64_t off = 0;

	*mod = NULL;
	found = ev_syms_find(e->syms, *addr, &n, &m, &mod_n, &off);
	symbol_print(e, *addr, !e->plain_symbols, false, &name);
	if (e->plain_symbols && !found)
		buf_addstr(&name, NO_TAIL);
	else if (e->plain_symbols && m)
		buf_printf(&name, TAIL " [%.*s]" TAIL_END, (int)mod_n, m);
	to = e->symbol[e->next_symbol++ % 8];	/* plugins hold several */
	snprintf(to, sizeof(e->symbol[0]), "%s", name.data);
	buf_release(&name);
	if (found)
		*addr -= off;
	return to;
}

/* --- formats */

static void degrade_slot(struct ev_slot *s, const char *why)
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
	ev_printk_at(e, 0);	/* builds the table */
	for (i = 0; i < e->sh->printk.cap; i++) {
		if (!e->sh->printk.slots[i].val || strlen(e->sh->printk.slots[i].val) < 3)
			continue;
		buf_reset(&quoted);
		buf_printf(&quoted, "\"%s\"", (const char *)e->sh->printk.slots[i].val);
		tep_register_print_string(e->tep, quoted.data, e->sh->printk.slots[i].key);
	}
	buf_release(&quoted);
}

/*
 * Gives the rewritten text to libtraceevent, which says 0 to what it can't parse and flags the
 * event.
 */
static void add_tep_event(struct ev_engine *e, struct ev_slot *s, struct vet *v)
{
	/* plugins go by the system; else libtraceevent had rather not know ftrace's own events */
	const char *system = e->tep_plugins ? s->fmt->system : "ftr";

	give_strings(e);
	if (tep_find_event(e->tep, s->fmt->id)) {
		degrade_slot(s, "another event has the same ID");
		return;
	}
	if (tep_parse_event(e->tep, v->text.data, v->text.len, system))
		s->ev = NULL;
	else
		s->ev = tep_find_event(e->tep, s->fmt->id);
	if (!s->ev || s->ev->flags & TEP_EVENT_FL_FAILED || !dry_sound(s->ev)) {
		degrade_slot(s, "libtraceevent cannot parse its print fmt");
		return;
	}
	s->dry = v->dry;
	s->offsets = v->offsets;
	/* stacks */
	s->lines = inner_break(v) || (s->ev->handler && !strcmp(s->fmt->system, "ftrace"));
	s->nr_want = v->nr_want;
	s->want = xmalloc(sizeof(v->want));
	memcpy(s->want, v->want, sizeof(v->want));
}

/* Before the first format: functions that print fmts call must be known by then. */
static void attach_plugins(struct ev_engine *e)
{
	if (!e->plugins_told)
		e->tep_plugins = plug_tep_attach(e->w->plugins, e->tep);
	e->plugins_told = true;
}

static bool try_format(struct ev_engine *e, struct ev_slot *s, struct vet v)
{
	v.fmt = s->fmt;
	v.long_size = e->w->long_size;
	free(s->why);
	s->why = NULL;
	if (vet_format(&v))
		degrade_slot(s, v.why);
	else
		add_tep_event(e, s, &v);
	vet_release(&v);
	return s->ev;
}

/* Plugins make the text of events, or lend functions that return a string or a number. */
static bool by_plugin(struct ev_engine *e, struct ev_slot *s)
{
	if (!s->own && (try_format(e, s, (struct vet){ .foreign = true, .foreign_text = true }) ||
			try_format(e, s, (struct vet){ .foreign = true })))
		return true;
	return try_format(e, s, (struct vet){ .fields_only = true }) && s->ev->handler;
}

static void try_plugins(struct ev_engine *e, struct ev_slot *s)
{
	char *first = s->why;

	s->why = NULL;
	if (by_plugin(e, s)) {
		s->own = NULL;
		free(first);
		return;
	}
	s->ev = NULL;
	free(s->why);
	s->why = first;
}

void tep_slot_init(struct ev_engine *e, struct ev_slot *s)
{
	attach_plugins(e);
	if (!s->own && try_format(e, s, (struct vet){ 0 }))
		return;
	if (e->tep_plugins)
		try_plugins(e, s);
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

/* Puts offsets in the place that resolve_symbol() marked. */
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

bool tep_slot_render(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r, int cpu,
		     uint64_t ts, struct buf *out)
{
	struct tep_record rec = { .cpu = cpu, .ts = ts };

	if (!s->ev || !scratch_fill(&e->scratch, r, false))
		return false;
	if (s->dry && !s->ev->handler &&
	    !dry_run(s->ev, s->want, s->nr_want, e->scratch.data, e->scratch.len))
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

int tep_engine_init(struct ev_engine *e, struct ftr_error *err)
{
	e->tep = tep_alloc();
	if (!e->tep)
		return err_set(err, FTR_FAILED, "cannot start libtraceevent");
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(e->tep, e->w->long_size);
	tep_set_page_size(e->tep, e->w->page_size ? e->w->page_size : 4096);
	tep_set_file_bigendian(e->tep, e->w->big ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(e->tep, tep_is_bigendian() ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_function_resolver(e->tep, resolve_symbol, e);
	trace_seq_init(&e->seq);
	return 0;
}

void tep_engine_release(struct ev_engine *e)
{
	if (!e->tep)
		return;
	if (e->plugins_told)
		plug_tep_detach(e->w->plugins, e->tep);
	trace_seq_destroy(&e->seq);
	scratch_release(&e->scratch);
	tep_free(e->tep);
}
