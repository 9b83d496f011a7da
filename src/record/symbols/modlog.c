/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When modules came and went: two tracepoints, through perf. */
#include "record/symbols/modlog.h"

#include <errno.h>
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

#include "event/event.h"
#include "record/setup/worker_thread.h"

enum { LOADED, FREED, NR_KINDS };

#define DATA_PAGES 4		/* of each CPU: a hundred events between two readings */

static const char *const names[NR_KINDS] = { "module_load", "module_free" };

struct ring {
	int fds[NR_KINDS];
	struct perf_event_mmap_page *page;	/* the data lies behind it */
};

struct modlog {
	struct ev_format formats[NR_KINDS];
	char    *texts[NR_KINDS];
	struct ring *rings;
	size_t   nr_rings, page_size;
	struct module_event *v;
	size_t   n, cap;
	int      holder;		/* holds the events too; -1: none */
	struct worker closer;
};

/* --- watching */

static int read_mod_format(struct modlog *l, const struct tfs *t, int kind)
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

static void close_ring(const struct modlog *l, struct ring *r)
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
static int open_ring(const struct modlog *l, struct ring *r, int cpu)
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
static int open_rings(struct modlog *l)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int sys;

	l->rings = xcalloc(cpus, sizeof(*l->rings));
	for (int cpu = 0; cpu < cpus; cpu++) {
		struct ring *r = &l->rings[l->nr_rings];

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
 * Returns an io_uring instance that holds the events, or -1 without one. When the last file of a
 * perf event is closed the kernel waits for RCU with event_mutex held (perf_trace_event_unreg()),
 * and restoring tracefs waits for that mutex: together a tenth of a second at the end. An instance
 * of io_uring that has the files keeps them until the kernel releases it, in a kernel thread
 * (io_ring_exit_work()), after we have closed it or exited. Without an instance our process closes
 * the events.
 */
static int hold_events(const struct modlog *l)
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

struct modlog *modlog_new(const struct tfs *t)
{
	struct modlog *l = xcalloc(1, sizeof(*l));

	l->page_size = sysconf(_SC_PAGESIZE);
	l->holder = -1;
	if (!read_mod_format(l, t, LOADED) && !read_mod_format(l, t, FREED) && !open_rings(l)) {
		l->holder = hold_events(l);
		return l;
	}
	modlog_free(l);
	return NULL;
}

/* --- reading */

struct sample {
	struct perf_event_header head;
	uint64_t ns;
	uint32_t size;			/* of what follows */
	uint8_t  data[256];		/* longer records are none of ours */
} __attribute__((packed));

static void add_module_event(struct modlog *l, const struct sample *s)
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

/* @n bytes at position @at of the ring, which may go round. */
static void ring_copy(const struct modlog *l, const struct ring *r, uint64_t at, void *to, size_t n)
{
	const uint8_t *data = (const uint8_t *)r->page + l->page_size;
	size_t size = DATA_PAGES * l->page_size, first = size - at % size;

	first = first < n ? first : n;
	memcpy(to, data + at % size, first);
	memcpy((uint8_t *)to + first, data, n - first);
}

static void read_ring(struct modlog *l, const struct ring *r)
{
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t at = r->page->data_tail;
	struct sample s;

	for (; at < head; at += s.head.size) {
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

static int by_event_time(const void *a, const void *b)
{
	const struct module_event *x = a, *y = b;

	return (x->ns > y->ns) - (x->ns < y->ns);
}

void modlog_read(struct modlog *l)
{
	size_t i, had = l ? l->n : 0;

	for (i = 0; l && i < l->nr_rings; i++)
		read_ring(l, &l->rings[i]);
	if (l && l->n > had)
		qsort(l->v, l->n, sizeof(*l->v), by_event_time);
}

const struct module_event *modlog_events(const struct modlog *l, size_t *n)
{
	*n = l ? l->n : 0;
	return l ? l->v : NULL;
}

/* --- the end */

static void close_rings(void *arg)
{
	struct modlog *l = arg;

	while (l->nr_rings)
		close_ring(l, &l->rings[--l->nr_rings]);
}

void modlog_end(struct modlog *l)
{
	struct ftr_error err;

	if (l && l->nr_rings && l->holder < 0 && !l->closer.started)
		worker_start(&l->closer, "ftr-modules", 0, close_rings, l, "closes perf events",
			     &err);
}

void modlog_free(struct modlog *l)
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
