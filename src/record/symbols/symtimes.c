/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watches when modules are loaded and freed, and finds out when their symbols are valid. */
#include "record/symbols/symtimes.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/io_uring.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/sym_lines.h"
#include "event/event.h"
#include "record/setup/worker_thread.h"
#include "record/symbols/symbol_texts.h"

enum { LOADED, FREED, NR_KINDS };

#define DATA_PAGES 4		/* for each CPU: a hundred events between two readings */

static const char *const names[NR_KINDS] = { "module_load", "module_free" };

struct perf_ring {
	int fds[NR_KINDS];
	struct perf_event_mmap_page *page;	/* the data follows it */
};

struct module_log {
	struct ev_format formats[NR_KINDS];
	char    *texts[NR_KINDS];
	struct perf_ring *rings;
	size_t   nr_rings, page_size;
	struct module_event *v;
	size_t   n, cap;
	int      holder;		/* an io_uring instance that has the events; -1: none */
	struct worker_thread closer;
};

/* --- watching modules */

static int read_mod_format(struct module_log *l, const struct tfs *t, int kind)
{
	char *path = xasprintf("events/module/%s/format", names[kind]);
	struct buf text = {0};
	struct ftr_error err;
	int ret = tfs_read(t, NULL, path, &text, NULL);

	l->texts[kind] = buf_take(&text);
	if (!ret)
		ret = ev_format_parse(&l->formats[kind], "module", l->texts[kind],
				      strlen(l->texts[kind]), &err);
	free(path);
	return ret;
}

static void close_ring(const struct module_log *l, struct perf_ring *r)
{
	if (r->page)
		munmap(r->page, (1 + DATA_PAGES) * l->page_size);
	r->page = NULL;
	for (int i = NR_KINDS; i--; r->fds[i] = -1)
		if (r->fds[i] >= 0)
			close(r->fds[i]);
}

/*
 * Opens the events of a CPU and the buffer that they share. Returns -1 with errno; close_ring()
 * then closes the events that were opened.
 */
static int open_ring(const struct module_log *l, struct perf_ring *r, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .sample_period = 1,
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
		.use_clockid = 1, .clockid = CLOCK_MONOTONIC,
		.watermark = 1, .wakeup_watermark = UINT32_MAX,
	};
	void *page;

	for (int i = 0; i < NR_KINDS; i++) {
		attr.config = l->formats[i].id;
		r->fds[i] = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
		if (r->fds[i] < 0)
			return -1;
	}
	page = mmap(NULL, (1 + DATA_PAGES) * l->page_size, PROT_READ | PROT_WRITE, MAP_SHARED,
		    r->fds[0], 0);
	if (page == MAP_FAILED)
		return -1;
	r->page = page;
	return ioctl(r->fds[FREED], PERF_EVENT_IOC_SET_OUTPUT, r->fds[LOADED]);
}

/* Opens a ring for each CPU. CPUs that are offline are left out. */
static int open_rings(struct module_log *l)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int sys;

	l->rings = xcalloc(cpus, sizeof(*l->rings));
	for (int cpu = 0; cpu < cpus; cpu++) {
		struct perf_ring *r = &l->rings[l->nr_rings];

		r->fds[LOADED] = r->fds[FREED] = -1;
		if (!open_ring(l, r, cpu)) {
			l->nr_rings++;
			continue;
		}
		sys = errno;
		close_ring(l, r);
		if (sys != ENODEV)
			return -1;
	}
	return 0;
}

/*
 * Returns an io_uring instance that holds the events, or -1 if there is none. When the last file of
 * a perf event is closed the kernel waits for RCU with event_mutex held (perf_trace_event_unreg()),
 * and restoring tracefs waits for that mutex: together a tenth of a second at the end. If an
 * instance of io_uring has the files they stay open until the kernel releases it, in a kernel
 * thread (io_ring_exit_work()), after we have closed it or exited. Without an instance our process
 * closes the events.
 */
static int hold_events(const struct module_log *l)
{
	struct io_uring_params how = {0};
	int fd = syscall(SYS_io_uring_setup, 1, &how), *all;
	size_t i, n = l->nr_rings * NR_KINDS;
	bool held;

	if (fd < 0)
		return -1;
	all = xcalloc(n, sizeof(*all));
	for (i = 0; i < n; i++)
		all[i] = l->rings[i / NR_KINDS].fds[i % NR_KINDS];
	held = !syscall(SYS_io_uring_register, fd, IORING_REGISTER_FILES, all, n);
	free(all);
	if (held)
		return fd;
	close(fd);
	return -1;
}

struct module_log *modlog_new(const struct tfs *t)
{
	struct module_log *l = xcalloc(1, sizeof(*l));

	l->page_size = sysconf(_SC_PAGESIZE);
	l->holder = -1;
	if (!read_mod_format(l, t, LOADED) && !read_mod_format(l, t, FREED) && !open_rings(l)) {
		l->holder = hold_events(l);
		return l;
	}
	modlog_free(l);
	return NULL;
}

/* --- reading events */

struct module_sample {
	struct perf_event_header head;
	uint64_t ns;
	uint32_t size;			/* bytes of ->data */
	uint8_t  data[256];		/* records of modules are shorter */
} __attribute__((packed));

static void add_module_event(struct module_log *l, const struct module_sample *s)
{
	struct ev_rec r = { .data = s->data, .len = s->size, .long_size = sizeof(long),
			    .big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };
	const struct ev_field *f;
	const uint8_t *name;
	uint16_t type;
	uint32_t len;

	memcpy(&type, s->data, sizeof(type));
	r.fmt = &l->formats[type == l->formats[FREED].id ? FREED : LOADED];
	f = type == r.fmt->id ? ev_field(r.fmt, "name") : NULL;
	if (!f || !ev_get_bytes(&r, f, &name, &len))
		return;
	l->v = xgrow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	l->v[l->n] = (struct module_event){ .ns = s->ns,
					    .freed = r.fmt == &l->formats[FREED] };
	snprintf(l->v[l->n++].name, sizeof(l->v->name), "%.*s", (int)len, (const char *)name);
}

/* Copies @n bytes at position @at of the ring, which may wrap around. */
static void ring_copy(const struct module_log *l, const struct perf_ring *r, uint64_t at, void *to,
		      size_t n)
{
	const uint8_t *data = (const uint8_t *)r->page + l->page_size;
	size_t size = DATA_PAGES * l->page_size, first = size - at % size;

	first = first < n ? first : n;
	memcpy(to, data + at % size, first);
	memcpy((uint8_t *)to + first, data, n - first);
}

static int by_event_time(const void *a, const void *b)
{
	const struct module_event *x = a, *y = b;

	return (x->ns > y->ns) - (x->ns < y->ns);
}

void modlog_read(struct module_log *l)
{
	size_t i, had = l ? l->n : 0;
	uint64_t head, at;
	struct module_sample s;
	struct perf_ring *r;

	for (i = 0; l && i < l->nr_rings; i++) {
		r = &l->rings[i];
		head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
		for (at = r->page->data_tail; at < head; at += s.head.size) {
			memset(&s, 0, sizeof(s));
			ring_copy(l, r, at, &s.head, sizeof(s.head));
			if (s.head.size < sizeof(s.head))
				break;
			if (s.head.type != PERF_RECORD_SAMPLE || s.head.size > sizeof(s))
				continue;
			ring_copy(l, r, at, &s, s.head.size);
			if (s.size <= sizeof(s.data))
				add_module_event(l, &s);
		}
		__atomic_store_n(&r->page->data_tail, head, __ATOMIC_RELEASE);
	}
	if (l && l->n > had)
		qsort(l->v, l->n, sizeof(*l->v), by_event_time);
}

const struct module_event *modlog_events(const struct module_log *l, size_t *n)
{
	*n = l ? l->n : 0;
	return l ? l->v : NULL;
}

/* --- the end of watching */

static void close_rings(void *arg)
{
	struct module_log *l = arg;

	while (l->nr_rings)
		close_ring(l, &l->rings[--l->nr_rings]);
}

void modlog_end(struct module_log *l)
{
	struct ftr_error err;

	if (l && l->nr_rings && l->holder < 0 && !l->closer.started)
		worker_start(&l->closer, "ftr-modules", 0, close_rings, l, "closes perf events",
			     &err);
}

void modlog_free(struct module_log *l)
{
	if (!l)
		return;
	worker_stop(&l->closer);
	close_rings(l);
	if (l->holder >= 0)
		close(l->holder);
	for (int i = 0; i < NR_KINDS; i++) {
		ev_format_release(&l->formats[i]);
		free(l->texts[i]);
	}
	free(l->rings);
	free(l->v);
	free(l);
}

/*
 * --- symbols of modules over time
 *
 * The memory of an init section, and of a module that was unloaded, becomes the next module's. The
 * kernel still lists the functions of init sections that ftrace knows (ftrace_mod_get_kallsym()),
 * after all modules, as long as their module is loaded. Lines of modules that are gone are in
 * earlier readings.
 */

enum {
	PAGE = 4096,			/* no page is shared by two modules at the same time */
	FUNCTION_MAX = 1 << 16,		/* no function is larger, in bytes */
	NEAR_MAX = 512,			/* lines to examine before and after a line */
	CODE_MIN = 1 << 24,		/* lower addresses are offsets of per-CPU variables */
};

/*
 * Values of ->lines, by their addresses: the line was in the core section, or in the init section.
 */
static char seen_core, seen_init;

/* A line like "ffffffffc0401000 t nfs_read\t[nfs]". */
struct kallsyms_line {
	const char *p, *mod;
	size_t len, mod_len;
	uint64_t addr;
};

/* The time of a line during one loading of its module, in nanoseconds. */
struct line_lifetime {
	struct kallsyms_line line;
	uint64_t from, until;
	bool init;
	bool timed;			/* the module collides with another one */
};

struct line_lifetimes {
	struct line_lifetime *v;
	size_t n, cap;
};

/* --- lines */

/* Makes the key of @line in one loading of its module, which event number @loaded - 1 started. */
static void make_key(struct buf *key, const struct kallsyms_line *line, size_t loaded)
{
	buf_reset(key);
	buf_add(key, &loaded, sizeof(loaded));
	buf_add(key, line->p, line->len);
}

/* Returns &seen_core, &seen_init, or NULL if the line was not seen in that loading. */
static const void *find_seen(const struct symbol_times *st, const struct kallsyms_line *line,
			     size_t loaded)
{
	struct buf key = {0};
	const void *seen;

	make_key(&key, line, loaded);
	seen = textmap_get(&st->lines, key.data, key.len);
	buf_release(&key);
	return seen;
}

/*
 * Gets the next line of a module, from *at on. Lines of the kernel itself have no tab. Returns
 * false if there is none.
 */
static bool next_line(const char **at, const char *end, struct kallsyms_line *line)
{
	const char *tab = *at < end ? memchr(*at, '\t', end - *at) : NULL;
	const char *nl = tab ? memchr(tab, '\n', end - tab) : NULL;

	if (!nl)
		return false;
	for (line->p = tab; line->p > *at && line->p[-1] != '\n'; line->p--)
		;
	*at = nl + 1;
	line->len = nl - line->p;
	sym_line_module(tab, nl, &line->mod, &line->mod_len);
	sym_line_addr(line->p, tab, &line->addr);
	return true;
}

/* Returns false for programs of bpf and code that the kernel generates. */
static bool in_module(const struct kallsyms_line *l)
{
	return l->mod_len && l->addr >= CODE_MIN &&
	       !(l->mod_len == 3 && !memcmp(l->mod, "bpf", 3)) &&
	       memcmp(l->mod, "__builtin__", l->mod_len < 11 ? l->mod_len : 11);
}

static bool same_module(const struct kallsyms_line *a, const struct kallsyms_line *b)
{
	return a->mod_len == b->mod_len && !memcmp(a->mod, b->mod, a->mod_len);
}

static bool is_module_event(const struct module_event *e, const struct kallsyms_line *l)
{
	return strlen(e->name) == l->mod_len && !memcmp(e->name, l->mod, l->mod_len);
}

/* --- readings */

static size_t loaded_at(const struct module_event *events, size_t n,
			const struct kallsyms_line *line, uint64_t ns)
{
	size_t i, last = 0;

	for (i = 0; i < n && events[i].ns <= ns; i++)
		if (!events[i].freed && is_module_event(&events[i], line))
			last = i + 1;
	return last;
}

static void note_module_lines(struct symbol_times *st, const struct module_event *events, size_t n,
			      const struct buf *text, uint64_t ns)
{
	const char *at = text->data, *end = at + text->len;
	struct kallsyms_line line, last = {0};
	struct textmap met = {0};
	struct buf key = {0};
	size_t loaded = 0;
	bool init = false;

	while (text->len && next_line(&at, end, &line)) {
		if (!in_module(&line))
			continue;
		if (!last.p || !same_module(&line, &last)) {
			loaded = loaded_at(events, n, &line, ns);
			/*
			 * a second group of lines of a module, in the kernel's order, is the init
			 * section
			 */
			init = textmap_put_borrowed(&met, line.mod, line.mod_len, &met) && ns;
			last = line;
		}
		make_key(&key, &line, loaded);
		if (!textmap_get(&st->lines, key.data, key.len))
			textmap_put(&st->lines, key.data, key.len, init ? &seen_init : &seen_core);
	}
	buf_release(&key);
	textmap_release(&met);
}

void symtimes_note(struct symbol_times *st, const struct module_event *events, size_t n,
		   const struct buf *before, const struct buf *reading, uint64_t ns)
{
	if (!n)
		return;
	if (!st->lines.n)
		note_module_lines(st, events, n, before, 0);
	note_module_lines(st, events, n, reading, ns);
}

/* --- stays */

/*
 * Adds a stay of @line. It ends when its module is freed or loaded again, by event @loaded or
 * later.
 */
static void add_stay(struct line_lifetimes *s, const struct module_event *events, size_t n,
		     const struct kallsyms_line *line, size_t loaded, const void *seen)
{
	size_t end = loaded;

	while (end < n && !is_module_event(&events[end], line))
		end++;
	s->v = xgrow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
	s->v[s->n++] = (struct line_lifetime){
		.line = *line, .init = seen == &seen_init,
		.from = loaded ? events[loaded - 1].ns : 0,
		.until = end < n ? events[end].ns : UINT64_MAX,
	};
}

static void add_stays(const struct symbol_times *st, struct line_lifetimes *s,
		      const struct module_event *events, size_t n, const struct kallsyms_line *line)
{
	const void *seen = find_seen(st, line, 0);
	size_t i, had = s->n, first = 0;

	/*
	 * If the first event of a module is a free, earlier readings of its lines belong to an
	 * earlier loading. If not, they were read while the module was being loaded: it is listed
	 * before the event comes.
	 */
	while (first < n && !is_module_event(&events[first], line))
		first++;
	first = first < n && !events[first].freed ? first + 1 : 0;
	if (seen)
		add_stay(s, events, n, line, first, seen);
	for (i = 0; i < n; i++) {
		if (events[i].freed || !is_module_event(&events[i], line))
			continue;
		seen = find_seen(st, line, i + 1);
		if (seen)
			add_stay(s, events, n, line, i + 1, seen);
	}
	if (s->n == had)
		add_stay(s, events, n, line, first, &seen_core);
}

/* --- collisions */

/* Returns true if @y took the place of @x in memory, so that @x ended then. */
static bool stay_replaces(const struct line_lifetime *y, const struct line_lifetime *x)
{
	if (same_module(&x->line, &y->line) && x->from == y->from)
		return false;
	if (!x->init && x->until > y->from)
		return false;
	return y->from > x->from || (y->from == x->from && x->init && !y->init);
}

static void end_replaced(struct line_lifetime *x, struct line_lifetime *y)
{
	if (y->from < x->until)
		x->until = y->from;
	x->timed = y->timed = true;
}

static struct line_lifetime *find_nearby(const struct line_lifetimes *s, size_t i, int step)
{
	const struct line_lifetime *x = &s->v[i];
	size_t k = i + step, n = 0;

	for (; k < s->n && n < NEAR_MAX; k += step, n++) {
		if (x->line.addr - s->v[k].line.addr + FUNCTION_MAX > 2 * FUNCTION_MAX)
			break;
		if (stay_replaces(&s->v[k], x))
			return &s->v[k];
	}
	return NULL;
}

/*
 * Ends the stay @x if another one is in the same page, or if @x lies between two lines of another
 * module that are nearer to each other than a function may be long.
 */
static void end_collided_stay(struct line_lifetimes *s, size_t i)
{
	struct line_lifetime *x = &s->v[i], *below = find_nearby(s, i, -1), *above = find_nearby(s,
								 i, 1);

	if (below && x->line.addr / PAGE == below->line.addr / PAGE)
		end_replaced(x, below);
	if (above && x->line.addr / PAGE == above->line.addr / PAGE)
		end_replaced(x, above);
	if (below && above && same_module(&below->line, &above->line) &&
	    above->line.addr - below->line.addr < FUNCTION_MAX)
		end_replaced(x, below);
}

/* --- the text */

static int by_stay_module(const void *a, const void *b)
{
	const struct line_lifetime *v = a, *w = b;
	const struct kallsyms_line *x = &v->line, *y = &w->line;
	int ret = memcmp(x->mod, y->mod, x->mod_len < y->mod_len ? x->mod_len : y->mod_len);

	if (!ret)
		ret = (x->mod_len > y->mod_len) - (x->mod_len < y->mod_len);
	if (ret)
		return ret;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (v->from != w->from)
		return v->from < w->from ? -1 : 1;
	return (x->p > y->p) - (x->p < y->p);
}

struct text_clock {
	uint64_t (*clock)(const void *ctx, uint64_t ns);
	const void *ctx;
};

static void add_span(const struct text_clock *c, uint64_t from, uint64_t until, struct buf *out)
{
	buf_printf(out, "%s%" PRIu64 "-", out->len ? "," : "", from ? c->clock(c->ctx, from) : 0);
	if (until != UINT64_MAX)
		buf_printf(out, "%" PRIu64, until ? c->clock(c->ctx, until) : 0);
}

/* Appends the times of one address, from stay @i on. Returns the index after its last stay. */
static size_t add_spans(const struct line_lifetimes *s, size_t i, const struct text_clock *c,
			struct buf *out)
{
	const struct kallsyms_line *line = &s->v[i].line;
	uint64_t from = 0, until = 0;
	const struct line_lifetime *x;

	for (; i < s->n; i++) {
		x = &s->v[i];
		if (x->line.addr != line->addr || !same_module(&x->line, line))
			break;
		if (x->until <= x->from)
			continue;
		if (x->from > until && until)
			add_span(c, from, until, out);
		if (x->from > until || !until)
			from = x->from;
		if (x->until > until)
			until = x->until;
	}
	add_span(c, from, until, out);
	return i;
}

static void add_run(const struct kallsyms_line *first, const struct kallsyms_line *last,
		    const struct buf *spans, struct buf *out)
{
	if (first && strcmp(spans->data, "0-"))
		buf_printf(out, "%s%" PRIx64 " %" PRIx64 " %.*s %s", out->len ? ";" : "",
			   first->addr, last->addr, (int)first->mod_len, first->mod, spans->data);
}

static void add_runs(const struct line_lifetimes *s, const struct text_clock *c, struct buf *out)
{
	const struct kallsyms_line *first = NULL, *last = NULL, *line;
	struct buf spans = {0}, now = {0}, swap;
	size_t i;

	for (i = 0; i < s->n; last = line) {
		line = &s->v[i].line;
		buf_reset(&now);
		i = add_spans(s, i, c, &now);
		if (first && same_module(first, line) && !strcmp(now.data, spans.data))
			continue;
		add_run(first, last, &spans, out);
		first = line;
		swap = spans;
		spans = now;
		now = swap;
	}
	add_run(first, last, &spans, out);
	buf_release(&spans);
	buf_release(&now);
}

void symtimes_text(const struct symbol_times *st, const struct module_event *events, size_t n,
		   const struct buf *text, uint64_t (*clock)(const void *ctx, uint64_t ns),
		   const void *ctx, struct buf *out)
{
	const char *at = text->data, *end = at + text->len;
	struct text_clock c = { clock, ctx };
	struct textmap timed = {0};
	struct line_lifetimes s = {0};
	struct kallsyms_line line;
	size_t i, kept = 0;

	while (n && text->len && next_line(&at, end, &line))
		if (in_module(&line))
			add_stays(st, &s, events, n, &line);
	for (i = 0; i < s.n; i++)
		if (s.v[i].init || s.v[i].until != UINT64_MAX)
			end_collided_stay(&s, i);
	/* keep the stays of modules that collide, by module */
	for (i = 0; i < s.n; i++)
		if (s.v[i].timed)
			textmap_put_borrowed(&timed, s.v[i].line.mod, s.v[i].line.mod_len, &s);
	for (i = 0; i < s.n; i++)
		if (textmap_get(&timed, s.v[i].line.mod, s.v[i].line.mod_len))
			s.v[kept++] = s.v[i];
	s.n = kept;
	if (s.n)
		qsort(s.v, s.n, sizeof(*s.v), by_stay_module);
	textmap_release(&timed);
	add_runs(&s, &c, out);
	free(s.v);
}

void symtimes_release(struct symbol_times *st)
{
	textmap_release(&st->lines);
}
