/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The model: the actions for each type of records, the names of its objects, and its copies. */
#include "model/model_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"

const char *const span_mark_names[SPAN_MARKS] = {
	"no begin", "no end", "ended by exit", "open at the end", "loss inside", "requeued",
};

static const char *const kind_names[SPAN_PAIR] = {
	"function_graph", "syscall", "irq", "softirq", "work", "lock", "block", "probe", "marker",
	"async",
};

/* --- fields and texts */

bool at_text(const struct model_rec *at, const struct ev_field *f, const char **p, size_t *len)
{
	const uint8_t *bytes;
	uint32_t n;

	if (!ev_get_bytes(&at->r->rec, f, &bytes, &n))
		return false;
	*p = (const char *)bytes;
	*len = strnlen(*p, n);
	return true;
}

const char *model_text(struct model *m, const char *p, size_t len)
{
	return textmap_copy(&m->texts, p, len);
}

/* --- the actions for the records of a type */

bool model_reads_kind(const struct model *m, unsigned int kind)
{
	if (kind == MODEL_KIND_CPU)
		return m->cpus;
	if (kind == MODEL_KIND_MOMENT)
		return m->ops->marked && m->kinds >> SPAN_MARKER & 1;
	return kind == MODEL_KIND_SCHED || kind == MODEL_KIND_WAKER || m->kinds >> kind & 1;
}

static bool kind_fits(const struct kind_event *row, const struct ev_format *fmt)
{
	size_t n = strlen(row->name);

	if (strcmp(row->system, fmt->system))
		return false;
	if (n && row->name[n - 1] == '*')
		return !strncmp(row->name, fmt->name, n - 1);
	return !strcmp(row->name, fmt->name);
}

/*
 * Fills @b from the row for events of @fmt. Returns false if there is none, or if a field that is
 * not optional is missing.
 */
static bool bind_init(const struct model *m, const struct kind_event *row, struct model_bind *b,
		      const struct ev_format *fmt)
{
	uint32_t count_off;

	while (row->system && (!model_reads_kind(m, row->kind) || !kind_fits(row, fmt)))
		row++;
	if (!row->system)
		return false;
	for (size_t i = 0; i < MODEL_FIELDS && row->fields[i]; i++) {
		const char *name = row->fields[i];
		bool optional = *name == '?';

		b->f[i] = ev_field(fmt, name + optional);
		if (!b->f[i] && !optional)
			return false;
	}
	b->on = row->on;
	b->kind = row->kind;
	b->form = row->form;
	ev_latency_offsets(fmt, &b->flags_off, &count_off);
	return true;
}

static void bind_set_fgraph(struct model *m, struct model_bind *b, const struct ev_format *fmt)
{
	struct model_file *f = &m->files[b->file];

	if (!f->fgraph_ready)
		fgraph_init(&f->fgraph, f->trace);
	f->fgraph_ready = true;
	b->fgraph = &f->fgraph;
	for (size_t i = 0; i < FGRAPH_ENTRIES; i++)
		if (f->fgraph.entry[i].fmt == fmt)
			b->entry = &f->fgraph.entry[i];
}

void bind_add(struct model *m, const struct model_bind *b, uint32_t *nr)
{
	m->binds = xgrow(m->binds, &m->cap_binds, m->nr_binds + 1, sizeof(*m->binds));
	m->binds[m->nr_binds] = *b;
	m->binds[m->nr_binds].met = b->kind < SPAN_KINDS_MAX ? 1u << b->kind : 0;
	m->binds[m->nr_binds++].next = *nr;
	*nr = m->nr_binds;
}

/* Returns the number of the first action for records of this type; number 1 does nothing. */
static uint16_t bind_type(struct model *m, const struct trace_rec *r)
{
	struct model_bind b = { .file = r->file };
	const struct ev_format *fmt = r->rec.fmt;
	uint32_t nr = 0;

	if (!fmt || ev_format_ready(fmt))
		return 1;
	pairs_bind(m, r->file, fmt, &nr);
	markers_bind(m, r->file, fmt, &nr);
	if (bind_init(m, cpu_events, &b, fmt))
		bind_add(m, &b, &nr);
	b = (struct model_bind){ .file = r->file };
	if (bind_init(m, waker_events, &b, fmt))
		bind_add(m, &b, &nr);
	b = (struct model_bind){ .file = r->file };
	if (bind_init(m, kind_events, &b, fmt)) {
		if (b.kind == SPAN_FUNCTION_GRAPH)
			bind_set_fgraph(m, &b, fmt);
		bind_add(m, &b, &nr);
	} else if (model_reads_kind(m, SPAN_PROBE) && probe_bind(m, &b, fmt)) {
		bind_add(m, &b, &nr);
	}
	return nr && nr < UINT16_MAX ? nr : 1;
}

/* --- records that change nothing */

#define TYPE_WATCHED 2		/* in ->ignored: a record that the reader wants to see */

/* Notes the first action of a type that is met. Its records are ignored if they have none. */
static void type_set_bind(struct model_file *f, uint16_t type, uint16_t nr)
{
	f->bind_of[type] = nr;
	if (nr == 1 && !f->ignored[type])
		f->ignored[type] = TRACE_IGNORED;
}

void model_watch(struct model *m, unsigned int file, uint16_t type)
{
	m->files[file].ignored[type] = TYPE_WATCHED;
}

/*
 * Returns the table of types whose records change nothing if they follow the record of @at in its
 * stream, and are of its task; or NULL. Each of them sets times that the next one sets again.
 */
static const uint8_t *types_without_effect(const struct model *m, const struct model_rec *at)
{
	const struct model_file *f = &m->files[at->r->file];
	const struct model_cpu *c = at->stream->cpu;

	/* without sched_switch a record may start the state of its task */
	if (m->ops->event || f->exits || (!c->switched && !c->lost &&
	    (c->task != at->task || at->task->state != TASK_RUNNING)))
		return NULL;
	return f->ignored[at->r->type] == TRACE_IGNORED ? f->ignored : NULL;
}

const struct trace_rec *model_next(struct model *m, struct trace_iter *it, uint32_t *n)
{
	uint32_t passed = 0;
	const struct trace_rec *r;

	if (m->without_effect)
		r = trace_iter_next_but(it, m->without_effect, &passed);
	else
		r = trace_iter_next(it);
	*n += passed + (r != NULL);
	return r;
}

/* --- records */

#define CPUS_FIRST	16

/* Returns the slot of a CPU in the table. An unknown CPU has an empty slot: half of them are. */
static struct model_cpu **cpu_slot(const struct model *m, uint32_t file, int32_t cpu)
{
	size_t mask = m->s.cpu_table_cap - 1;
	size_t i = hash_number((uint64_t)file << 32 | (uint32_t)cpu) & mask;
	struct model_cpu *const *at = m->s.cpu_table;

	while (at[i] && (at[i]->file != file || at[i]->cpu != cpu))
		i = (i + 1) & mask;
	return &m->s.cpu_table[i];
}

static void grow_cpu_table(struct model *m)
{
	m->s.cpu_table_cap = m->s.cpu_table_cap ? m->s.cpu_table_cap * 2 : CPUS_FIRST;
	m->s.cpu_table = arena_alloc(&m->arena, m->s.cpu_table_cap * sizeof(*m->s.cpu_table));
	for (struct model_cpu *c = m->s.cpus; c; c = c->next)
		*cpu_slot(m, c->file, c->cpu) = c;
}

struct model_cpu *model_cpu_of(struct model *m, uint32_t file, int32_t cpu)
{
	struct model_cpu **slot = cpu_slot(m, file, cpu), *c = *slot;

	if (c)
		return c;
	c = arena_alloc(&m->arena, sizeof(*c));
	*c = (struct model_cpu){
		.file = file, .cpu = cpu, .since = m->s.times[file].first, .id = m->s.nr_cpus++,
	};
	*m->s.last_cpu = c;
	m->s.last_cpu = &c->next;
	*slot = c;
	if (m->s.nr_cpus * 2 > m->s.cpu_table_cap)
		grow_cpu_table(m);
	return c;
}

static inline void file_note_time(struct file_time *t, uint64_t ts)
{
	if (__builtin_expect(!t->started, 0)) {
		t->started = true;
		t->first = ts;
	}
	if (ts > t->last)
		t->last = ts;
}

/* A loss at the end of a CPU, without a record after it, never ends. */
static void buffer_note_gap(struct model *m, const struct trace_rec *end)
{
	uint64_t *until = &m->s.gap_until[end->file][end->buffer];
	uint64_t ts = end->rec.data ? end->ts : UINT64_MAX;

	if (*until < ts)
		*until = ts;
}

static __attribute__((noinline)) void model_begin_gaps(struct model *m, const struct trace_rec *r)
{
	struct file_time *f = &m->s.times[r->file];

	if (!f->started)
		file_note_time(f, r->ts);
	for (const struct trace_rec *end = r->gaps; end; end = end->gaps) {
		state_begin_gap(m, &m->s.streams[end->stream], end);
		buffer_note_gap(m, end);
	}
	if (r->lost) {
		state_begin_gap(m, &m->s.streams[r->stream], r);
		buffer_note_gap(m, r);
	}
}

static __attribute__((noinline)) void stream_init(struct model *m, struct stream_at *st,
						  const struct trace_rec *r)
{
	st->known = true;
	st->buffer = r->buffer;
	st->first = st->last = r->ts;
	st->pid = -1;
	st->cpu = model_cpu_of(m, r->file, r->cpu);
}

/* Returns true if @r is in the buffer of its kind: the first of the file that has such records. */
static bool kind_reads(struct model *m, unsigned int kind, const struct trace_rec *r)
{
	uint16_t *buffer = &m->s.buffers[r->file][kind];

	if (!*buffer) {
		*buffer = r->buffer + 1;
		m->s.bound[r->file][kind] = r->ts;
		if (kind == MODEL_KIND_SCHED)
			tasks_filter(m, r->file, r->buffer);
	}
	return *buffer == r->buffer + 1u;
}

bool model_reads_stack(struct model *m, const struct trace_rec *r)
{
	return kind_reads(m, MODEL_KIND_STACK, r);
}

/* Actions with ->fits never know their buffer, so they come here for each record. */
static __attribute__((noinline)) bool bind_reads(struct model *m, struct model_bind *b,
						 const struct trace_rec *r)
{
	if (!b->on)
		return false;
	if (b->fits)
		return b->fits(m, b, r) && kind_reads(m, b->kind, r);
	if (!kind_reads(m, b->kind, r))
		return false;
	b->buffer = r->buffer + 1;
	return true;
}

void model_feed(struct model *m, const struct trace_rec *r)
{
	struct model_file *f = &m->files[r->file];
	struct model_rec at = { .r = r, .stream = &m->s.streams[r->stream] };
	struct model_cpu *c;
	uint32_t taken = 0;
	uint16_t *nr;

	m->without_effect = NULL;
	/* gaps start before everything that this record reports */
	if (__builtin_expect(r->gaps || r->lost, 0))
		model_begin_gaps(m, r);
	if (__builtin_expect(f->exits != NULL, 0))
		calls_begin_before(m, r);
	file_note_time(&m->s.times[r->file], r->ts);
	if (__builtin_expect(!at.stream->known, 0))
		stream_init(m, at.stream, r);
	c = at.stream->cpu;
	if (__builtin_expect(r->lost, 0)) {
		at.stream->gap = r->ts;
		at.stream->had_gap = true;
		wakers_clear(m, c, r->ts);
		if (m->cpus)
			cpu_gap(m, at.stream, &at);
		state_end_gap(m, at.stream, &at);
		if (m->ops->lost)
			m->ops->lost(m->ctx, r);
	}
	at.stream->last = r->ts;
	if (!r->rec.data || r->pid < 0)
		return;
	at.task = at.stream->task;
	if (at.stream->pid != r->pid || at.stream->generation != m->s.generation)
		at.task = stream_set_task(m, r);
	if (c->task == at.task)
		c->proved = r->ts;
	/* without sched_switch each record shows which task runs */
	if (!c->switched && !c->lost && (c->task != at.task || at.task->state != TASK_RUNNING))
		state_note_running(m, &at);
	nr = &f->bind_of[r->type];
	if (__builtin_expect(!*nr, 0))
		type_set_bind(f, r->type, bind_type(m, r));
	for (uint32_t i = *nr; i; i = m->binds[i - 1].next) {
		struct model_bind *b = &m->binds[i - 1];

		if (b->buffer != r->buffer + 1u && !bind_reads(m, b, r))
			continue;
		taken |= b->met;
		m->s.met |= b->met;
		b->on(m, b, &at);
	}
	if (!taken && m->ops->event)
		m->ops->event(m->ctx, at.task, r);
	if (*nr == 1)
		m->without_effect = types_without_effect(m, &at);
}

bool model_has_ended(const struct model *m)
{
	return m->ended;
}

void model_end(struct model *m)
{
	m->ended = true;
	spans_end(m);
	states_end(m);
	cpus_end(m);
}

/* --- model_new(), model_free() */

/* Reads all kinds of all files from the instance @name alone. Fails if no file has it. */
static int model_set_instance(struct model *m, const char *name, struct ftr_error *err)
{
	bool found = false;

	for (size_t i = 0; i < m->nr_files; i++) {
		const struct dat *d = m->files[i].trace->dat;
		const struct dat_buffer *b = dat_find_buffer(d, name);
		uint16_t buffer = UINT16_MAX;

		if (b && b - d->buffers < UINT16_MAX - 1)
			buffer = b - d->buffers + 1;
		found |= buffer != UINT16_MAX;
		for (size_t k = 0; k < MODEL_KINDS; k++)
			m->s.buffers[i][k] = buffer;
		if (buffer != UINT16_MAX)
			tasks_filter(m, i, buffer - 1);
	}
	if (found)
		return 0;
	err_set(err, FTR_FAILED, "no instance '%s' in '%s'", name,
		m->files[0].trace->dat->path);
	return err_hint(err, "'ftr info FILE' lists the buffers of a file");
}

static enum syscall_arch trace_arch(const struct trace *t)
{
	const struct dat_option *o = dat_option(t->dat, DAT_UNAME);
	const char *last;
	char *text;
	enum syscall_arch arch;

	if (!o)
		return SYSCALL_UNKNOWN;
	text = xstrndup((const char *)o->data.p, strnlen((const char *)o->data.p, o->data.len));
	last = strrchr(text, ' ');
	arch = syscall_arch_of(last ? last + 1 : text);
	free(text);
	return arch;
}

const char *model_syscall_of(const struct trace *t, uint64_t nr)
{
	return syscall_name(trace_arch(t), nr);
}

struct model *model_new(struct trace *const *traces, size_t n, const struct model_opts *o,
			const struct span_ops *ops, void *ctx, struct ftr_error *err)
{
	struct model *m = xcalloc(1, sizeof(*m));

	m->ops = ops;
	m->ctx = ctx;
	m->kinds = o->kinds;
	m->cpus = o->cpus;
	m->nr_files = n;
	m->nr_streams = trace_nr_streams(traces, n);
	m->files = xcalloc(n, sizeof(*m->files));
	for (size_t i = 0; i < n; i++) {
		m->files[i].trace = traces[i];
		m->files[i].arch = trace_arch(traces[i]);
		m->files[i].lacks_contexts = trace_lacks_contexts(traces[i]);
		m->files[i].bind_of = xcalloc(UINT16_MAX + 1u, sizeof(*m->files[i].bind_of));
		m->files[i].ignored = xcalloc(UINT16_MAX + 1u, 1);
	}
	bind_add(m, &(struct model_bind){0}, &(uint32_t){0});
	m->s.streams = arena_alloc(&m->arena, (m->nr_streams + 1) * sizeof(*m->s.streams));
	m->s.times = arena_alloc(&m->arena, (n + 1) * sizeof(*m->s.times));
	m->s.buffers = arena_alloc(&m->arena, n * sizeof(*m->s.buffers));
	m->s.bound = arena_alloc(&m->arena, n * sizeof(*m->s.bound));
	m->s.gap_until = arena_alloc(&m->arena, n * sizeof(*m->s.gap_until));
	for (size_t i = 0; i < n; i++)
		m->s.gap_until[i] = arena_alloc(&m->arena, (traces[i]->dat->nr_buffers + 1) *
						sizeof(**m->s.gap_until));
	m->s.last_cpu = &m->s.cpus;
	grow_cpu_table(m);
	tasks_init(m);
	spans_init(m);
	states_init(m);
	for (size_t i = 0; i < n; i++)
		if (traces[i]->dat->nr_buffers == 1)
			tasks_filter(m, i, 0);
	if ((o->instance && model_set_instance(m, o->instance, err)) ||
	    (o->pairs && pairs_parse(m, o->pairs, err))) {
		model_free(m);
		return NULL;
	}
	return m;
}

void model_free(struct model *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->nr_files; i++) {
		free(m->files[i].bind_of);
		free(m->files[i].ignored);
		exits_free(m->files[i].exits);
		map_release(&m->files[i].syscalls);
		map_release(&m->files[i].states);
		trace_filters_release(&m->files[i].filters);
	}
	pairs_release(m);
	textmap_release(&m->texts);
	buf_release(&m->scratch);
	buf_release(&m->marker_text);
	arena_release(&m->arena);
	free(m->files);
	free(m->binds);
	free(m);
}

/* --- queries, messages, names */

const struct task *model_tasks(const struct model *m)
{
	return m->s.first_task;
}

const struct model_cpu *model_cpus(const struct model *m)
{
	return m->s.cpus;
}

size_t model_nr_streams(const struct model *m)
{
	return m->nr_streams;
}

size_t model_live(const struct model *m)
{
	return m->s.live;
}

uint64_t model_refused(const struct model *m)
{
	return m->s.refused;
}

static void model_add_places(struct buf *out, const char *what, uint64_t places)
{
	if (places)
		buf_printf(out, "# %s in %" PRIu64 " place%s: what tasks and CPUs did there is "
			   "unknown\n", what, places, places == 1 ? "" : "s");
}

void model_add_losses(const struct model *m, struct buf *out)
{
	model_add_places(out, "records are lost", m->s.all_gaps);
}

void model_add_missed(const struct model *m, struct buf *out)
{
	model_add_places(out, "switches are missing", m->s.missed);
}

static void model_end_filter_line(const struct model *m, size_t file, struct buf *out)
{
	const char *path = m->files[file].trace->dat->path;

	if (m->nr_files > 1) {
		buf_addstr(out, ": '");
		text_sanitise(out, path, strlen(path), false);
		buf_addch(out, '\'');
	}
	buf_addch(out, '\n');
}

void model_add_filters(const struct model *m, struct buf *out)
{
	for (size_t i = 0; i < m->nr_files; i++) {
		const struct trace_filters *f = &m->files[i].filters;

		if (f->has_pids) {
			buf_printf(out, "# recorded: only %zu task%s%s (set_event_pid); the "
				   "activity of others is unknown",
				   f->pids.n, f->pids.n == 1 ? "" : "s",
				   f->forks ? " and children" : "");
			model_end_filter_line(m, i, out);
		}
		if (f->cpumask) {
			buf_printf(out, "# recorded: only CPUs of the mask %s; the activity "
				   "of tasks elsewhere is unknown", f->cpumask);
			model_end_filter_line(m, i, out);
		}
		if (f->hidden.n) {
			buf_printf(out, "# not recorded: %zu task%s (set_event_notrace_pid); their "
				   "activity is unknown", f->hidden.n, f->hidden.n == 1 ? "" : "s");
			model_end_filter_line(m, i, out);
		}
	}
}

bool model_met(const struct model *m, enum span_kind kind)
{
	return m->s.met >> kind & 1;
}

bool model_met_switch(const struct model *m)
{
	for (unsigned int i = 0; i < m->nr_files; i++)
		if (model_has_states(m, i))
			return true;
	return false;
}

bool model_has_states(const struct model *m, unsigned int file)
{
	return m->s.times[file].switched;
}

const char *model_kind_name(const struct model *m, unsigned int kind)
{
	return kind < SPAN_PAIR ? kind_names[kind] : m->pairs[kind - SPAN_PAIR].name;
}

int model_kind_of(const char *name)
{
	for (int i = 0; i < SPAN_PAIR; i++)
		if (!strcmp(kind_names[i], name))
			return i;
	return -1;
}

int model_kind_of_event(const struct event_meta *meta, const struct ev_format *fmt)
{
	const struct ev_field *text;

	for (const struct kind_event *row = kind_events; row->system; row++)
		if (row->kind < SPAN_PAIR && kind_fits(row, fmt))
			return row->kind;
	if (!ev_format_ready(fmt) && strcmp(fmt->system, "ftrace") &&
	    marker_form_of(fmt, &text) != MARKER_NONE)
		return SPAN_MARKER;
	return !ev_format_ready(fmt) && probe_has_spans(meta, fmt) ? SPAN_PROBE : -1;
}

const char *model_kind_near(const char *name)
{
	char *names[SPAN_PAIR + 1] = {0};

	for (int i = 0; i < SPAN_PAIR; i++)
		names[i] = (char *)kind_names[i];
	return text_closest(name, names);
}

void model_add_kinds(struct buf *out)
{
	for (size_t i = 0; i < SPAN_PAIR; i++)
		buf_printf(out, "%s%s", i ? ", " : "", kind_names[i]);
}

const char *model_state_name(const struct model *m, unsigned int state)
{
	return m->states[state];
}

unsigned int model_nr_states(const struct model *m)
{
	return m->nr_states;
}

static void model_add_symbol(const struct model *m, unsigned int file, uint64_t addr, bool exact,
			     struct buf *out)
{
	const char *mod, *name;
	size_t len, mod_len;
	uint64_t off;

	name = ev_syms_find(m->files[file].trace->meta.syms, addr, &len, &mod, &mod_len, &off);
	if (!name || ev_syms_listed_only(mod, mod_len) || (exact && off)) {
		buf_printf(out, "0x%" PRIx64, addr);
		return;
	}
	text_sanitise(out, name, len, false);
}

const char *model_module_of(const struct model *m, const struct span *s, size_t *len)
{
	static const char kernel[] = "[kernel]";
	const char *mod;
	size_t name_len;
	uint64_t off;

	if (s->how != SPAN_NAME_SYMBOL ||
	    !ev_syms_find(m->files[s->file].trace->meta.syms, s->name, &name_len, &mod, len, &off))
		return NULL;
	if (mod && *len)
		return mod;
	*len = sizeof(kernel) - 1;
	return kernel;
}

const char *model_syscall_name(const struct model *m, unsigned int file, uint64_t nr)
{
	const char *name = syscall_name(m->files[file].arch, nr);

	return name ? name : map_get(&m->files[file].syscalls, nr + 1);
}

void model_add_named(const struct model *m, unsigned int file, uint64_t name, enum span_name how,
		     struct buf *out)
{
	/* include/linux/interrupt.h, and the table in the print fmt of softirq_entry */
	static const char *const vecs[] = {
		"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED",
		"HRTIMER", "RCU",
	};
	const char *text = NULL;

	switch (how) {
	case SPAN_NAME_TEXT:
		text = (const char *)(uintptr_t)name;
		break;
	case SPAN_NAME_SYMBOL:
	case SPAN_NAME_OBJECT:
		model_add_symbol(m, file, name, how == SPAN_NAME_OBJECT, out);
		break;
	case SPAN_NAME_SYSCALL:
		text = model_syscall_name(m, file, name);
		if (!text)
			buf_printf(out, "%" PRId64, (int64_t)name);
		break;
	case SPAN_NAME_IRQ:
		buf_printf(out, "irq %" PRId64, (int64_t)name);
		break;
	case SPAN_NAME_VEC:
		if (name < sizeof(vecs) / sizeof(*vecs))
			buf_addstr(out, vecs[name]);
		else
			buf_printf(out, "vec %" PRIu64, name);
		break;
	}
	if (text)
		text_sanitise(out, text, strlen(text), false);
}

void model_add_name(const struct model *m, const struct span *s, struct buf *out)
{
	model_add_named(m, s->file, s->name, s->how, out);
}

/* --- copies */

struct model_copy {
	struct model_state s;
	struct arena_copy arena;
};

struct model_copy *model_save(const struct model *m)
{
	struct model_copy *c = xcalloc(1, sizeof(*c));

	c->s = m->s;
	arena_save(&m->arena, &c->arena);
	return c;
}

void model_restore(struct model *m, const struct model_copy *c)
{
	m->s = c->s;
	for (size_t i = 0; i < m->nr_binds; i++)
		m->binds[i].buffer = 0;
	arena_restore(&m->arena, &c->arena);
}

size_t model_copy_bytes(const struct model_copy *c)
{
	return sizeof(*c) + c->arena.len + (c->arena.at + 1) * sizeof(*c->arena.used);
}

void model_copy_free(struct model_copy *c)
{
	if (!c)
		return;
	arena_copy_release(&c->arena);
	free(c);
}
