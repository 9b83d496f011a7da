/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps the last name of each pid, from the most reliable source. */
#include "record/capture/capture_comms.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "event/data/text_tables.h"

void comms_add_task(struct task_comms *c, enum comm_rank rank, int pid)
{
	const struct comm *known = pid > 0 ? map_get(&c->by_pid, pid) : NULL;
	char path[32], *name;
	size_t len;

	if (known && known->rank > rank)
		return;
	/* threads have a directory in /proc, too, though readdir() does not list them */
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	name = io_line_at(AT_FDCWD, path);
	if (name) {
		/*
		 * /proc shows the work of a kworker after its name: "kworker/0:1-events",
		 * "kworker/u8:2+writeback". The dash in "kworker/R-nfsiod" is part of the name.
		 */
		if (!strncmp(name, "kworker/", 8) && strncmp(name, "kworker/R-", 10))
			len = strcspn(name, "-+");
		else
			len = strnlen(name, 15);
		comms_set(c, pid, rank, 0, name, len);
	}
	free(name);
}

static bool is_pid_name(const char *s)
{
	return *s && !s[strspn(s, "0123456789")];
}

static void add_process_tasks(struct task_comms *c, enum comm_rank rank, const char *pid)
{
	char *path = xasprintf("/proc/%s/task", pid);
	DIR *dir = opendir(path);
	struct dirent *e;

	free(path);
	while (dir && (e = readdir(dir)))
		if (is_pid_name(e->d_name))
			comms_add_task(c, rank, atoi(e->d_name));
	if (dir)
		closedir(dir);
}

static int by_pid(const void *a, const void *b)
{
	const struct comm *const *x = a, *const *y = b;

	return ((*x)->pid > (*y)->pid) - ((*x)->pid < (*y)->pid);
}

void comms_set(struct task_comms *c, int pid, enum comm_rank rank, uint64_t ts, const char *name,
	       size_t len)
{
	struct comm *e;
	char *nl;

	len = strnlen(name, len < COMM_LEN - 1 ? len : COMM_LEN - 1);
	/* pid 0 is the idle task of each CPU, "swapper/N"; "<...>" is an unknown name */
	if (pid <= 0 || !len || (len == 5 && !memcmp(name, "<...>", 5)))
		return;
	e = map_get(&c->by_pid, pid);
	if (e && (rank < e->rank || (rank == e->rank && ts < e->ts)))
		return;
	if (!e) {
		e = xcalloc(1, sizeof(*e));
		e->pid = pid;
		map_put(&c->by_pid, pid, e);
	}
	e->rank = rank;
	e->ts = ts;
	memcpy(e->name, name, len);
	e->name[len] = '\0';
	while ((nl = strchr(e->name, '\n')))
		*nl = ' ';
}

void comms_add_saved(struct task_comms *c, const char *text)
{
	const char *end = text + strlen(text);
	struct comm_line line;

	while (comm_line_next(&line, &text, end))
		comms_set(c, line.pid, COMM_SAVED, 0, line.name, line.len);
}

void comms_add_proc(struct task_comms *c, enum comm_rank rank)
{
	DIR *dir = opendir("/proc");
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (is_pid_name(e->d_name))
			add_process_tasks(c, rank, e->d_name);
	if (dir)
		closedir(dir);
}

void comms_merge(struct task_comms *c, const struct task_comms *from)
{
	const struct comm *e;
	size_t i;

	for (i = 0; i < from->by_pid.cap; i++) {
		if (!from->by_pid.slots[i].val)
			continue;
		e = from->by_pid.slots[i].val;
		comms_set(c, e->pid, e->rank, e->ts, e->name, sizeof(e->name));
	}
}

const char *comms_get(const struct task_comms *c, int pid)
{
	const struct comm *e = pid > 0 ? map_get(&c->by_pid, pid) : NULL;

	return e ? e->name : pid ? NULL : "<idle>";
}

void comms_text(const struct task_comms *c, struct buf *out)
{
	struct comm **sorted = xcalloc(c->by_pid.n, sizeof(*sorted));
	size_t i, n = 0;

	for (i = 0; i < c->by_pid.cap; i++)
		if (c->by_pid.slots[i].val)
			sorted[n++] = c->by_pid.slots[i].val;
	qsort(sorted, n, sizeof(*sorted), by_pid);
	buf_addstr(out, "0 <idle>\n");
	for (i = 0; i < n; i++)
		buf_printf(out, "%d %s\n", sorted[i]->pid, sorted[i]->name);
	free(sorted);
}

void comms_release(struct task_comms *c)
{
	size_t i;

	for (i = 0; i < c->by_pid.cap; i++)
		if (c->by_pid.slots[i].val)
			free(c->by_pid.slots[i].val);
	map_release(&c->by_pid);
}
