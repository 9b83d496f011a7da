/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine's frame. Whether a plugin, a built-in renderer, a program or libtraceevent renders the
 * records of a format is decided at its first record.
 */
#include "event/event.h"

#include <stdlib.h>
#include <string.h>

#include "event/handle/engine_priv.h"
#include "event/plugin/plugin_priv.h"

#define IDS (UINT16_MAX + 1)
#define DEFAULT_NAME "ftr"

static const char *const names[] = { "ftr", "traceevent" };

/* Most changes of the time: more mean a file whose times go back and forth. */
#define TURNS_MAX 65536

/* The caches by address are valid for one time only. */
void ev_engine_at(struct ev_engine *e, uint64_t ts)
{
	if (e->syms == e->w->syms || e->turns == TURNS_MAX ||
	    !ev_syms_turn(e->syms, event_meta_clock(e->w, ts)))
		return;
	e->turns++;
	symtext_forget(&e->symbols);
	args_forget(e);
}

/* --- slots */

static struct ev_slot *slot_new(struct ev_engine *e, const struct ev_format *fmt)
{
	struct ev_slot *s = xcalloc(1, sizeof(*s));
	const char *why;

	s->fmt = fmt;
	s->next = e->sh->all;
	e->sh->all = s;
	why = ev_format_ready(fmt);
	if (why) {
		s->why = xstrdup(why);
		return s;
	}
	s->bind = plug_bind(e->w->plugins, fmt);
	builtin_bind(s);
	if (e->tep)
		tep_slot_init(e, s);
	else if (!s->builtin)
		s->prog = prog_compile(fmt, e->w, &s->why);
	s->builtin_only = s->builtin && !s->bind && !s->prog;
	return s;
}

/* Returns the slot of @fmt, and makes it if this is the first record of the format. */
static const struct ev_slot *slot_make(struct ev_engine *e, const struct ev_format *fmt)
{
	_Atomic(struct ev_slot *) *at = &e->sh->slots[fmt->id];
	struct ev_slot *s = atomic_load_explicit(at, memory_order_acquire);

	if (s && s->fmt == fmt)
		return s;
	pthread_mutex_lock(&e->sh->lock);
	s = atomic_load_explicit(at, memory_order_relaxed);
	if (!s) {
		s = slot_new(e, fmt);
		atomic_store_explicit(at, s, memory_order_release);
	}
	if (s->fmt != fmt) {
		/* a second format with this ID */
		s = map_get(&e->sh->others, (uintptr_t)fmt);
		if (!s) {
			s = slot_new(e, fmt);
			map_put(&e->sh->others, (uintptr_t)fmt, s);
		}
	}
	pthread_mutex_unlock(&e->sh->lock);
	return s;
}

/* Returns NULL if the slot has to be made. */
static inline const struct ev_slot *slot_find(struct ev_engine *e, const struct ev_format *fmt)
{
	const struct ev_slot *s;

	s = atomic_load_explicit(&e->sh->slots[fmt->id], memory_order_acquire);
	return __builtin_expect(s && s->fmt == fmt, 1) ? s : NULL;
}

static inline const struct ev_slot *slot_find_or_make(struct ev_engine *e,
						      const struct ev_format *fmt)
{
	const struct ev_slot *s = slot_find(e, fmt);

	return s ? s : slot_make(e, fmt);
}

const char *ev_degraded(struct ev_engine *e, const struct ev_format *fmt)
{
	return slot_find_or_make(e, fmt)->why;
}

/* --- rendering */

static void render_slot(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
			int cpu, uint64_t ts, struct buf *out)
{
	if (s->prog && prog_run(s->prog, e, r, out))
		return;
	if (s->builtin && r->len >= 8)
		s->builtin(e, s, r, ts, out);
	else if (!e->tep || !tep_slot_render(e, s, r, cpu, ts, out))
		fields_print(r, out);
}

/* See ftr/plugin.h: appends the text that the record has without plugins. */
void ftr_out_default(struct ftr_out *out, const struct ftr_record *r)
{
	if (r->bind)
		render_slot(r->engine, slot_find_or_make(r->engine, r->rec->fmt), r->rec, r->cpu,
			    r->ts, out->buf);
}

static __attribute__((noinline)) void render_any(struct ev_engine *e, const struct ev_slot *s,
						 const struct ev_rec *r, int cpu, uint64_t ts,
						 struct buf *out)
{
	if (!s->bind || !plug_render(s->bind, e, r, cpu, ts, out))
		render_slot(e, s, r, cpu, ts, out);
}

static __attribute__((noinline)) void render_first(struct ev_engine *e, const struct ev_rec *r,
						   int cpu, uint64_t ts, struct buf *out)
{
	if (r->fmt)
		render_any(e, slot_find_or_make(e, r->fmt), r, cpu, ts, out);
	else if (!ev_render_blk(e, r, cpu, ts, out))
		buf_addstr(out, "[unknown event]");
}

/* All calls are tail calls, so that no registers are saved for the rare cases. */
void ev_render(struct ev_engine *e, const struct ev_rec *r, int cpu, uint64_t ts, struct buf *out)
{
	const struct ev_slot *s = r->fmt ? slot_find(e, r->fmt) : NULL;

	if (!s)
		render_first(e, r, cpu, ts, out);
	else if (s->builtin_only && r->len >= 8)
		s->builtin(e, s, r, ts, out);
	else
		render_any(e, s, r, cpu, ts, out);
}

void ev_render_word(struct ev_engine *e, const struct ev_rec *r, const struct ev_field *f, int cpu,
		    uint64_t ts, struct buf *out)
{
	uint8_t *data = xcalloc(1, r->len);
	struct buf text = {0}, key = {0};
	struct ev_rec alone = *r;
	const char *at;

	/* all other fields are 0, so that none has a text like the one that is searched for */
	memcpy(data + f->offset, r->data + f->offset, f->size);
	alone.data = data;
	alone.behind = 0;
	ev_render(e, &alone, cpu, ts, &text);
	buf_printf(&key, "%s=", f->name);
	at = text.len ? strstr(text.data, key.data) : NULL;
	if (at) {
		at += key.len;
		buf_add(out, at, strcspn(at, " "));
	}
	buf_release(&key);
	buf_release(&text);
	free(data);
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

bool ev_engine_known(const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static void shared_put(struct ev_shared *sh)
{
	unsigned int left;

	pthread_mutex_lock(&sh->lock);
	left = --sh->refs;
	pthread_mutex_unlock(&sh->lock);
	if (left)
		return;
	while (sh->all) {
		struct ev_slot *s = sh->all;

		sh->all = s->next;
		prog_free(s->prog);
		free(s->tep);
		free(s->why);
		free(s);
	}
	map_release(&sh->others);
	map_release(&sh->printk);
	map_release(&sh->comms);
	comm_table_release(&sh->comm_lines);
	texts_release(&sh->texts);
	pthread_mutex_destroy(&sh->printk_lock);
	pthread_mutex_destroy(&sh->lock);
	free(sh->slots);
	free(sh);
}

static struct ev_engine *handle_new(struct ev_shared *sh)
{
	struct ev_engine *e = xcalloc(1, sizeof(*e));

	e->w = sh->w;
	e->sh = sh;
	e->syms = ev_syms_timed(sh->w->syms) ? ev_syms_view(sh->w->syms) : sh->w->syms;
	symtext_init(&e->symbols);
	memo_init(&e->memo);
	return e;
}

struct ev_engine *ev_engine_new(const struct event_meta *w, const char *name, struct ftr_error *err)
{
	struct ev_shared *sh;
	struct ev_engine *e;

	if (name && !ev_engine_known(name)) {
		err_set(err, FTR_USAGE, "unknown engine '%s'", name);
		err_hint(err, "there are: ftr, traceevent");
		return NULL;
	}
	if (!name)
		name = DEFAULT_NAME;
	sh = xcalloc(1, sizeof(*sh));
	pthread_mutex_init(&sh->lock, NULL);
	pthread_mutex_init(&sh->printk_lock, NULL);
	sh->refs = 1;
	sh->w = w;
	sh->slots = xcalloc(IDS, sizeof(*sh->slots));
	e = handle_new(sh);
	if (!strcmp(name, "traceevent") && tep_engine_init(e, err)) {
		ev_engine_free(e);
		return NULL;
	}
	return e;
}

struct ev_engine *ev_engine_share(struct ev_engine *e)
{
	if (e->tep)
		return ev_engine_new(e->w, "traceevent", NULL);
	pthread_mutex_lock(&e->sh->lock);
	e->sh->refs++;
	pthread_mutex_unlock(&e->sh->lock);
	return handle_new(e->sh);
}

void ev_engine_free(struct ev_engine *e)
{
	if (!e)
		return;
	plug_thread_release(&e->plug);
	if (e->syms != e->w->syms)
		ev_syms_free(e->syms);
	shared_put(e->sh);
	tep_engine_free(e);
	map_release(&e->kinds);
	symtext_release(&e->symbols);
	memo_release(&e->memo);
	args_forget(e);
	buf_release(&e->text);
	free(e);
}
