/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks recorded data once: collects the names in events, and counts events and lost events. */
#include "record/capture/data_walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/mem.h"
#include "event/data/format_lines.h"

enum { NR_IDS = 1 << 16, PID_LIMIT = 1 << 22 };

/* State of an event id. Records of most ids are only counted after the first: ID_PLAIN. */
enum { ID_NEW, ID_PLAIN, ID_READ };

/* Events that name tasks, with the fields of pid and name. */
static const struct naming_event {
	const char *event, *pid, *comm;
	enum comm_rank rank;
} namings[] = {
	{ "sched/sched_switch", "prev_pid", "prev_comm", COMM_EVENT },
	{ "sched/sched_switch", "next_pid", "next_comm", COMM_EVENT },
	{ "sched/sched_process_exec", "pid", "filename", COMM_EVENT },
	{ "sched/sched_process_exit", "pid", "comm", COMM_EVENT },
	{ "sched/sched_process_fork", "parent_pid", "parent_comm", COMM_EVENT },
	{ "sched/sched_process_fork", "child_pid", "child_comm", COMM_EVENT_WEAK },
	{ "sched/sched_waking", "pid", "comm", COMM_EVENT_WEAK },
	{ "sched/sched_wakeup", "pid", "comm", COMM_EVENT_WEAK },
	{ "sched/sched_wakeup_new", "pid", "comm", COMM_EVENT_WEAK },
	{ "sched/sched_migrate_task", "pid", "comm", COMM_EVENT_WEAK },
	{ "task/task_newtask", "pid", "comm", COMM_EVENT_WEAK },
	{ "task/task_rename", "pid", "newcomm", COMM_EVENT },
};

enum kind { FIELD_PLAIN, FIELD_DATA_LOC, FIELD_REL_LOC };

struct raw_field {
	uint32_t  off, size;
	enum kind kind;
};

/* A naming with the offsets of its fields. An id may have several. */
struct comm_source {
	struct raw_field pid, comm;
	enum comm_rank rank;
	bool   is_path;			/* exec: the name is the last component of the path */
	struct comm_source *next;
};

/* Events of calls. Their records also have the arguments, with func-args or funcgraph-args. */
static const struct call_event {
	const char *event, *func;
} callings[] = {
	{ "function", "ip" },
	{ "funcgraph_entry", "func" },
	{ "fgraph_retaddr_entry", "func" },
};

enum { NR_CALLINGS = sizeof(callings) / sizeof(*callings) };

struct call_fields {
	uint16_t id;			/* 0: the event has no format with arguments */
	struct raw_field func, args;
};

struct data_walk {
	struct comm_source *by_id[NR_IDS];
	struct call_fields calls[NR_CALLINGS];
	struct map called;
	struct raw_field common_pid;
	uint8_t *pids;			/* bitmap of the values of common_pid so far */
	uint32_t pid;			/* common_pid of the last record */
	uint8_t ids[NR_IDS];		/* ID_NEW: no records so far */
};

static bool find_probe_field(const char *text, const char *name, struct raw_field *f)
{
	struct format_field line;

	if (!format_field_find(&line, text, name))
		return false;
	f->off = line.offset;
	f->size = line.size;
	f->kind = !strncmp(line.decl, "__data_loc", 10) ? FIELD_DATA_LOC :
		  !strncmp(line.decl, "__rel_loc", 9) ? FIELD_REL_LOC : FIELD_PLAIN;
	return true;
}

static void add_comm_probe(struct data_walk *w, const struct naming_event *n,
			   const struct format_file *f)
{
	struct comm_source p = { .rank = n->rank, .is_path = !strcmp(n->comm, "filename") }, *made;
	uint16_t id;

	if (!format_id(f->text, &id) || !find_probe_field(f->text, n->pid, &p.pid) ||
	    !find_probe_field(f->text, n->comm, &p.comm))
		return;
	if (p.pid.kind != FIELD_PLAIN || p.pid.size != 4)
		return;
	p.next = w->by_id[id];
	made = xmalloc(sizeof(*made));
	*made = p;
	w->by_id[id] = made;
}

static void add_call(struct data_walk *w, size_t i, const struct format_file *f)
{
	struct call_fields c = {0};

	if (format_id(f->text, &c.id) && find_probe_field(f->text, callings[i].func, &c.func) &&
	    find_probe_field(f->text, "args", &c.args) && c.func.size == sizeof(long))
		w->calls[i] = c;
}

/* Returns the bytes of a field in the record, *len of them, or NULL if they are outside of it. */
static const char *probe_field_bytes(const struct raw_field *f, const struct ring_record *rec,
				     bool big, uint32_t *len)
{
	uint32_t off = f->off, size = f->size, word;

	if (off > rec->len || size > rec->len - off)
		return NULL;
	if (f->kind != FIELD_PLAIN) {
		if (size != 4)
			return NULL;
		word = get_u32(rec->data + off, big);
		off = (word & 0xffff) + (f->kind == FIELD_REL_LOC ? f->off + 4 : 0);
		size = word >> 16;
		if (off > rec->len || size > rec->len - off)
			return NULL;
	}
	*len = size;
	return (const char *)rec->data + off;
}

/* Adds the name in a record to @c, if the record has all of it. */
static void read_probe_comm(const struct comm_source *p, const struct ring_record *rec, bool big,
			    struct task_comms *c)
{
	uint32_t pid_len, len;
	const char *pid = probe_field_bytes(&p->pid, rec, big, &pid_len);
	const char *name = probe_field_bytes(&p->comm, rec, big, &len), *slash;

	if (!pid || !name)
		return;
	len = strnlen(name, len);
	slash = p->is_path ? memrchr(name, '/', len) : NULL;
	if (slash) {
		len -= slash + 1 - name;
		name = slash + 1;
	}
	if (p->is_path && len > 15)
		len = 15;		/* TASK_COMM_LEN less the NUL */
	comms_set(c, (int)get_u32(pid, big), p->rank, rec->ts, name, len);
}

/* Reads the names of tasks and the called function out of a record of an event that has some. */
static void read_record_fields(struct data_walk *w, uint16_t id, const struct ring_record *rec,
			       bool big, struct task_comms *c)
{
	const struct call_fields *call = NULL;
	const struct comm_source *p;
	const char *func;
	uint64_t addr;
	uint32_t len;
	size_t i;

	for (i = 0; id && i < NR_CALLINGS && !call; i++)
		if (w->calls[i].id == id)
			call = &w->calls[i];
	w->ids[id] = call || w->by_id[id] ? ID_READ : ID_PLAIN;
	if (call && rec->len >= call->args.off + sizeof(long)) {
		func = probe_field_bytes(&call->func, rec, big, &len);
		addr = func ? get_sized((const uint8_t *)func, sizeof(long), big) : 0;
		if (addr && !map_get(&w->called, addr))
			map_put(&w->called, addr, w);
	}
	for (p = c ? w->by_id[id] : NULL; p; p = p->next)
		read_probe_comm(p, rec, big, c);
}

/* Runs for each record: there are millions, and nearly all have the pid of the one before. */
static inline void walk_record(struct data_walk *w, const struct ring_record *rec, bool big,
			       struct task_comms *c)
{
	uint32_t pid;
	uint16_t id;

	if (rec->len < 2)
		return;
	id = get_u16(rec->data, big);
	if (rec->len >= sizeof(pid) && rec->len - sizeof(pid) >= w->common_pid.off) {
		pid = get_u32(rec->data + w->common_pid.off, big);
		if (pid != w->pid && pid < PID_LIMIT)
			w->pids[pid / 8] |= 1 << pid % 8;
		w->pid = pid;
	}
	if (w->ids[id] != ID_PLAIN)
		read_record_fields(w, id, rec, big, c);
}

void walk_events(struct strv *out)
{
	size_t i;

	for (i = 0; i < sizeof(namings) / sizeof(*namings); i++)
		strv_add(out, namings[i].event);
	strv_sort_unique(out);
}

struct data_walk *walk_new(const struct format_files *f)
{
	struct data_walk *w = xcalloc(1, sizeof(*w));
	size_t i, k;

	w->pids = xcalloc(1, PID_LIMIT / 8);
	w->common_pid = (struct raw_field){ .off = 4, .size = 4 };
	for (k = 0; k < f->n; k++) {
		for (i = 0; i < sizeof(namings) / sizeof(*namings); i++) {
			const char *slash = strchr(namings[i].event, '/');

			if (!strcmp(slash + 1, f->v[k].event) &&
			    !strncmp(namings[i].event, f->v[k].system, slash - namings[i].event))
				add_comm_probe(w, &namings[i], &f->v[k]);
		}
		for (i = 0; i < NR_CALLINGS; i++)
			if (!strcmp(f->v[k].system, "ftrace") &&
			    !strcmp(f->v[k].event, callings[i].event))
				add_call(w, i, &f->v[k]);
	}
	if (f->n)
		find_probe_field(f->v[0].text, "common_pid", &w->common_pid);
	return w;
}

void walk_mem(struct data_walk *w, const struct ring_layout *layout, const uint8_t *mem, size_t len,
	      struct task_comms *c, struct walk_totals *sum)
{
	enum ring_status st;
	struct ring_record rec;
	struct ring_page pg;
	uint64_t events;
	size_t n;

	for (; len; mem += n, len -= n) {
		n = len < layout->subbuf_size ? len : layout->subbuf_size;
		st = ring_page_open(&pg, layout, mem, n);
		if (st != RING_OK)
			sum->bad_pages++;
		if (st != RING_OK && st != RING_COMMIT_TOO_LARGE)
			continue;
		if (pg.lost == RING_LOST_UNKNOWN)
			sum->lost_unknown = true;
		else
			sum->lost += pg.lost;
		for (events = 0; (st = ring_page_next(&pg, &rec)) == RING_OK; events++)
			walk_record(w, &rec, layout->big, c);
		sum->events += events;
		if (st != RING_END)
			sum->bad_pages++;
	}
}

int walk_next_pid(const struct data_walk *w, int pid)
{
	uint64_t some;

	while (++pid < PID_LIMIT) {
		if (w->pids[pid / 8] & 1 << pid % 8)
			return pid;
		memcpy(&some, w->pids + pid / 64 * 8, sizeof(some));
		if (!some)
			pid |= 63;
	}
	return 0;
}

size_t walk_pids(const struct data_walk *w)
{
	size_t n = 0;
	int pid = 0;

	while ((pid = walk_next_pid(w, pid)))
		n++;
	return n;
}

size_t walk_unnamed(const struct data_walk *w, const struct task_comms *c)
{
	size_t n = 0;
	int pid = 0;

	while ((pid = walk_next_pid(w, pid)))
		n += !comms_get(c, pid);
	return n;
}

bool walk_lacks(const struct data_walk *w, const struct format_files *f)
{
	bool *known = xcalloc(NR_IDS, sizeof(*known)), lacks;
	uint16_t id;
	size_t i;

	known[0] = true;		/* no event has id 0 */
	for (i = 0; i < f->n; i++)
		if (format_id(f->v[i].text, &id))
			known[id] = true;
	for (i = 0, lacks = false; i < NR_IDS && !lacks; i++)
		lacks = w->ids[i] && !known[i];
	free(known);
	return lacks;
}

bool walk_met_calls(const struct data_walk *w, const struct format_files *f)
{
	/* if tracing_thresh is set function_graph records only exits, no entries */
	static const char *const events[] = {
		"function", "funcgraph_entry", "fgraph_retaddr_entry", "funcgraph_exit",
	};
	uint16_t id;
	size_t i, k;

	for (i = 0; i < f->n; i++)
		for (k = 0; k < sizeof(events) / sizeof(*events); k++)
			if (!strcmp(f->v[i].system, "ftrace") &&
			    !strcmp(f->v[i].event, events[k]) &&
			    format_id(f->v[i].text, &id) && w->ids[id])
				return true;
	return false;
}

const struct map *walk_called(const struct data_walk *w)
{
	return &w->called;
}

void walk_free(struct data_walk *w)
{
	struct comm_source *p, *next;
	size_t i;

	if (!w)
		return;
	for (i = 0; i < NR_IDS; i++) {
		for (p = w->by_id[i]; p; p = next) {
			next = p->next;
			free(p);
		}
	}
	map_release(&w->called);
	free(w->pids);
	free(w);
}
