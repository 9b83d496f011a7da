/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls into plugins, and the functions that they may call for a record. All reads are checked
 * here.
 */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "event/handle/engine_priv.h"
#include "event/plugin/plugin_priv.h"

/* --- output of plugins: sanitised, and cut at a limit */

#define TEXT_MAX (64u << 10)	/* bytes a record; an escaped one counts as one */

static void undo_output(struct ftr_out *out)
{
	out->buf->len = out->start;
	if (out->buf->data)
		out->buf->data[out->start] = 0;
}

void ftr_out_bytes(struct ftr_out *out, const void *p, size_t len)
{
	size_t has = out->buf->len - out->start;

	if (!p || has >= TEXT_MAX)
		return;
	if (len > TEXT_MAX - has)
		len = TEXT_MAX - has;
	if (out->plain)
		buf_add(out->buf, p, len);
	else
		engine_text(out->rec->engine, out->buf, p, len, false);
}

void ftr_out_str(struct ftr_out *out, const char *s)
{
	ftr_out_bytes(out, s, s ? strlen(s) : 0);
}

void ftr_out_printf(struct ftr_out *out, const char *fmt, ...)
{
	char line[512], *more;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n < sizeof(line)) {
		ftr_out_bytes(out, line, n);
		return;
	}
	n = (unsigned int)n < TEXT_MAX ? n : (int)TEXT_MAX;
	more = xmalloc(n + 1);
	va_start(ap, fmt);
	vsnprintf(more, n + 1, fmt, ap);
	va_end(ap);
	ftr_out_bytes(out, more, n);
	free(more);
}

void ftr_out_line(struct ftr_out *out)
{
	if (out->buf->len - out->start < TEXT_MAX)
		buf_addch(out->buf, '\n');
}

void ftr_out_sym(struct ftr_out *out, uint64_t addr)
{
	ev_print_func(out->rec->engine, addr, false, out->buf);
}

void ftr_out_sym_offset(struct ftr_out *out, uint64_t addr)
{
	ev_print_func(out->rec->engine, addr, true, out->buf);
}

void ftr_out_sym_name(struct ftr_out *out, uint64_t addr)
{
	func_name(out->rec->engine, addr, out->buf);
}

void ftr_out_comm(struct ftr_out *out, int pid)
{
	/* the column of tasks has no separate text for negative pids */
	ftr_out_str(out, pid < 0 ? "<...>" : comm_find(out->rec->engine, pid));
}

static const char *find_name(uint64_t v, const struct ftr_name *names)
{
	while (names->name && names->value != v)
		names++;
	return names->name;
}

void ftr_out_symbolic(struct ftr_out *out, uint64_t v, const struct ftr_name *names)
{
	const char *name = find_name(v, names);

	if (name)
		ftr_out_str(out, name);
	else
		ftr_out_printf(out, "0x%" PRIx64, v);
}

void ftr_out_name(struct ftr_out *out, uint64_t v, const struct ftr_name *names, const char *other)
{
	const char *name = find_name(v, names);

	ftr_out_str(out, name ? name : other);
}

void ftr_out_flags(struct ftr_out *out, uint64_t v, const char *delim,
		   const struct ftr_name *names)
{
	const char *sep = "";

	for (; names->name; names++) {
		if ((v & names->value) != names->value)
			continue;
		v &= ~names->value;
		ftr_out_str(out, sep);
		ftr_out_str(out, names->name);
		sep = delim;
	}
	if (v)
		ftr_out_printf(out, "%s0x%" PRIx64, sep, v);
}

#define FIELDS_MAX 256

/* --- binding */

struct ftr_bind {
	struct plug_bind *b;
};

const char *ftr_bind_system(const struct ftr_bind *b)
{
	return b->b->fmt->system;
}

const char *ftr_bind_event(const struct ftr_bind *b)
{
	return b->b->fmt->name;
}

const char *ftr_bind_print_fmt(const struct ftr_bind *b)
{
	return b->b->fmt->print_fmt ? b->b->fmt->print_fmt : "";
}

static void add_bind_field(struct plug_bind *b, const struct ev_field *f)
{
	b->fields = xgrow(b->fields, &b->cap_fields, b->nr_fields + 1, sizeof(*b->fields));
	b->fields[b->nr_fields++] = f;
}

static const struct ev_field *bound_field(const struct plug_bind *b, ftr_field f)
{
	return b && f >= 0 && (size_t)f < b->nr_fields ? b->fields[f] : NULL;
}

ftr_field ftr_field_find(struct ftr_bind *b, const char *name)
{
	const struct ev_field *f = ev_field(b->b->fmt, name);

	if (!f || b->b->nr_fields >= FIELDS_MAX)
		return -1;
	add_bind_field(b->b, f);
	return b->b->nr_fields - 1;
}

const char *ftr_field_type(const struct ftr_bind *b, ftr_field f)
{
	const struct ev_field *fd = bound_field(b->b, f);

	return fd ? fd->type : NULL;
}

size_t ftr_field_size(const struct ftr_bind *b, ftr_field f)
{
	const struct ev_field *fd = bound_field(b->b, f);

	return fd ? fd->size : 0;
}

/* Binds if the formatter's patterns and fields fit and its bind() accepts the event. */
static bool try_bind(struct plug_bind *b, const struct plug_formatter *by)
{
	const char *const *names = by->f.fields;
	struct ftr_bind handle = { b };
	const struct ev_field *f;
	char name[128];
	size_t n;

	b->nr_fields = 0;
	b->priv = NULL;
	if ((by->f.system && fnmatch(by->f.system, b->fmt->system, 0)) ||
	    (by->f.event && fnmatch(by->f.event, b->fmt->name, 0)))
		return false;
	/* "name", or "name?" if the event may lack it */
	for (; names && *names; names++) {
		n = strcspn(*names, "?");
		if (n >= sizeof(name))
			return false;
		memcpy(name, *names, n);
		name[n] = 0;
		f = ev_field(b->fmt, name);
		if (!f && !(*names)[n])
			return false;
		add_bind_field(b, f);
	}
	if (by->f.bind && by->f.bind(&handle, &b->priv) != FTR_DONE)
		return false;
	b->by = by;
	return true;
}

const struct plug_bind *plug_bind(const struct ev_plugins *set, const struct ev_format *fmt)
{
	struct ev_plugins *s = (struct ev_plugins *)set;
	struct plug_bind *b;
	size_t i;

	if (!s)
		return NULL;
	b = xcalloc(1, sizeof(*b));
	b->fmt = fmt;
	pthread_mutex_lock(&s->lock);
	for (i = 0; s->asleep && i < s->n; i++)
		if (s->v[i]->asleep && plug_late_fits(s->v[i]->late, fmt->system, fmt->name))
			plug_wake(s);
	for (i = 0; i < s->nr_formatters && !b->by; i++)
		try_bind(b, s->formatters[i]);
	if (b->by) {
		b->next = s->binds;
		s->binds = b;
	}
	pthread_mutex_unlock(&s->lock);
	if (b->by)
		return b;
	free(b->fields);
	free(b);
	return NULL;
}

/* --- fields */

/* A read failed: the text will be dropped. */
static void record_mark_bad(const struct ftr_record *r)
{
	((struct ftr_record *)r)->bad = true;
}

int ftr_field_present(const struct ftr_record *r, ftr_field f)
{
	return bound_field(r->bind, f) != NULL;
}

uint64_t ftr_field_u64(const struct ftr_record *r, ftr_field f)
{
	const struct ev_field *fd = bound_field(r->bind, f);
	uint64_t v = 0;

	if (fd && !ev_get_num(r->rec, fd, &v)) {
		record_mark_bad(r);
		return 0;
	}
	return v;
}

int64_t ftr_field_s64(const struct ftr_record *r, ftr_field f)
{
	return (int64_t)ftr_field_u64(r, f);
}

const void *ftr_field_bytes(const struct ftr_record *r, ftr_field f, size_t *len)
{
	const struct ev_field *fd = bound_field(r->bind, f);
	const uint8_t *p = NULL;
	uint32_t n = 0;

	*len = 0;
	if (!fd)
		return NULL;
	if (!ev_get_bytes(r->rec, fd, &p, &n)) {
		record_mark_bad(r);
		return NULL;
	}
	*len = n;
	return p;
}

const char *ftr_field_string(const struct ftr_record *r, ftr_field f)
{
	size_t n;
	const char *p = ftr_field_bytes(r, f, &n);

	if (!p || !n)
		return "";
	if (memchr(p, 0, n))
		return p;
	strv_take(&r->thread->strings, xstrndup(p, n));
	return r->thread->strings.v[r->thread->strings.n - 1];
}

static uint32_t elem_size(const struct ev_field *f)
{
	uint32_t n = f->kind == EV_FIXED ? f->size : f->elem_size;

	return n == 1 || n == 2 || n == 4 || n == 8 ? n : 0;
}

size_t ftr_field_count(const struct ftr_record *r, ftr_field f)
{
	const struct ev_field *fd = bound_field(r->bind, f);
	size_t n;

	if (!fd || !elem_size(fd))
		return 0;
	ftr_field_bytes(r, f, &n);
	return n / elem_size(fd);
}

uint64_t ftr_field_elem(const struct ftr_record *r, ftr_field f, size_t index)
{
	const struct ev_field *fd = bound_field(r->bind, f);
	const uint8_t *p;
	uint64_t v;
	size_t n;

	if (!fd)
		return 0;
	if (index >= ftr_field_count(r, f)) {
		record_mark_bad(r);
		return 0;
	}
	p = ftr_field_bytes(r, f, &n);
	n = elem_size(fd);
	v = ftr_record_num(r, p + index * n, n);
	if (!fd->is_signed || n >= 8)
		return v;
	n = 64 - 8 * n;
	return (uint64_t)((int64_t)(v << n) >> n);
}

/* --- the rest of the record */

int ftr_record_cpu(const struct ftr_record *r)
{
	return r->cpu;
}

int ftr_record_pid(const struct ftr_record *r)
{
	const struct ev_field *f = ev_field(r->rec->fmt, "common_pid");
	uint64_t v = 0;

	return f && ev_get_num(r->rec, f, &v) ? (int)v : -1;
}

uint64_t ftr_record_ts(const struct ftr_record *r)
{
	return r->ts;
}

int ftr_record_long_size(const struct ftr_record *r)
{
	return r->rec->long_size;
}

uint64_t ftr_record_num(const struct ftr_record *r, const void *p, unsigned int size)
{
	uintptr_t off = (uintptr_t)p - (uintptr_t)r->rec->data;

	if (!p || off > r->rec->len || size > r->rec->len - off) {
		record_mark_bad(r);
		return 0;
	}
	switch (size) {
	case 1:
		return *(const uint8_t *)p;
	case 2:
		return get_u16(p, r->rec->big);
	case 4:
		return get_u32(p, r->rec->big);
	case 8:
		return get_u64(p, r->rec->big);
	default:
		record_mark_bad(r);
		return 0;
	}
}

uint32_t ftr_record_kernel(const struct ftr_record *r)
{
	return r->engine->w->kernel;
}

uint64_t ftr_symbol_start(const struct ftr_record *r, uint64_t addr)
{
	const char *mod;
	size_t n, mod_n;
	uint64_t off;

	return ev_syms_find(r->engine->syms, addr, &n, &mod, &mod_n, &off) ? addr - off : addr;
}

/* --- threads */

static void thread_init(struct plug_thread *t, const struct ev_plugins *s)
{
	if (t->set)
		return;
	t->set = s;
	t->states = xcalloc(s->n + 1, sizeof(*t->states));
}

void *ftr_thread_state(const struct ftr_record *r)
{
	void **state = &r->thread->states[r->plugin->index];

	if (!*state && r->plugin->desc->thread_size)
		*state = xcalloc(1, r->plugin->desc->thread_size);
	return *state;
}

void plug_thread_release(struct plug_thread *t)
{
	for (size_t i = 0; t->set && i < t->set->n; i++) {
		const struct ftr_plugin *d = t->set->v[i]->desc;

		if (t->states[i] && d && d->thread_exit)
			d->thread_exit(t->states[i]);
		free(t->states[i]);
	}
	free(t->states);
	strv_release(&t->strings);
	memset(t, 0, sizeof(*t));
}

/* --- calls */

bool plug_render(const struct plug_bind *b, struct ev_engine *e, const struct ev_rec *r, int cpu,
		 uint64_t ts, struct buf *out)
{
	struct ftr_record rec = {
		.bind = b, .plugin = b->by->plugin, .thread = &e->plug, .engine = e, .rec = r,
		.cpu = cpu, .ts = ts,
	};
	struct ftr_out text = { .rec = &rec, .buf = out, .start = out->len };
	int ret;

	thread_init(&e->plug, e->w->plugins);
	ret = b->by->f.format(&rec, &text, b->priv);
	while (e->plug.strings.n)
		free(e->plug.strings.v[--e->plug.strings.n]);
	if (e->plug.strings.v)
		e->plug.strings.v[0] = NULL;
	if (ret == FTR_DONE && !rec.bad)
		return true;
	undo_output(&text);
	return false;
}

/* --- functions and constants: a name that the engine lacks is worth loading all plugins */

static const struct plug_func *find_func(const struct ev_plugins *s, const char *name, size_t len)
{
	for (size_t i = 0; i < s->nr_funcs; i++)
		if (!strncmp(s->funcs[i]->f.name, name, len) && !s->funcs[i]->f.name[len])
			return s->funcs[i];
	return NULL;
}

const struct plug_func *plug_func_find(const struct ev_plugins *set, const char *name, size_t len)
{
	struct ev_plugins *s = (struct ev_plugins *)set;
	const struct plug_func *f;

	if (!s)
		return NULL;
	pthread_mutex_lock(&s->lock);
	f = find_func(s, name, len);
	if (!f && s->asleep) {
		plug_wake(s);
		f = find_func(s, name, len);
	}
	pthread_mutex_unlock(&s->lock);
	return f;
}

const char *plug_func_signature(const struct plug_func *f)
{
	return f->f.signature;
}

const char *plug_signature_at(const char *sig, unsigned int skip, unsigned int i)
{
	const char *s = sig + 2;

	for (; *s; s++) {
		if (*s == '-' && skip)
			skip--;
		else if (!i--)
			return s;
	}
	return NULL;
}

bool plug_func_call(const struct plug_func *f, struct ev_engine *e, const struct ev_rec *r,
		    const struct ftr_arg *args, uint64_t *num, struct buf *str)
{
	struct ftr_record rec = {
		.plugin = f->plugin, .thread = &e->plug, .engine = e, .rec = r, .cpu = -1,
	};
	struct ftr_out text = { .rec = &rec, .buf = str, .start = str->len, .plain = true };
	uint64_t v = 0;

	thread_init(&e->plug, e->w->plugins);
	if (f->f.call(&rec, args, &text, &v) == FTR_DONE && !rec.bad) {
		*num = v;
		return true;
	}
	undo_output(&text);
	return false;
}

bool plug_has_constant(const struct ev_plugins *s, const char *name, size_t len, int64_t *value)
{
	for (size_t i = 0; i < s->nr_constants; i++) {
		const struct ftr_constant *c = &s->constants[i];

		if (strncmp(c->name, name, len) || c->name[len])
			continue;
		*value = c->value;
		return true;
	}
	return false;
}

bool plug_constant(const struct ev_plugins *set, const char *name, size_t len, int64_t *value)
{
	struct ev_plugins *s = (struct ev_plugins *)set;
	bool found;

	if (!s)
		return false;
	pthread_mutex_lock(&s->lock);
	found = plug_has_constant(s, name, len, value);
	if (!found && s->asleep) {
		plug_wake(s);
		found = plug_has_constant(s, name, len, value);
	}
	pthread_mutex_unlock(&s->lock);
	return found;
}
