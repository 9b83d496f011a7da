/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Task names by pid, from the saved_cmdlines of a trace file. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "trace/priv.h"

static void add_comm(struct trace *t, int pid, const char *comm, size_t len)
{
	struct buf text = {0};

	/* the first line of a pid counts, as in the kernel's own lookup */
	if (map_get(&t->comms, (uint32_t)pid))
		return;
	text_sanitise(&text, comm, len, false);
	map_put(&t->comms, (uint32_t)pid, buf_take(&text));
}

/* "PID COMM", where COMM may have blanks. */
static bool comm_line(struct trace *t, const char *line, size_t len)
{
	const char *blank = memchr(line, ' ', len);
	int64_t pid;
	char num[16] = "";

	if (!blank || blank == line || (size_t)(blank - line) >= sizeof(num) ||
	    blank + 1 == line + len)
		return false;
	memcpy(num, line, blank - line);
	if (text_number(num, 0, INT32_MAX, &pid))
		return false;
	add_comm(t, pid, blank + 1, line + len - blank - 1);
	return true;
}

void trace_comms_init(struct trace *t)
{
	const struct dat_blob *b = &t->dat->cmdlines;
	const char *p = b->p, *end = b->p + b->len, *nl;

	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		if (!nl)
			nl = p + strnlen(p, end - p);
		/* a NUL ends the text; an empty comm (prctl) leaves a line with a number only */
		if (p < end && !*p)
			break;
		if (nl > p && !comm_line(t, p, nl - p) && (*p < '0' || *p > '9'))
			damage_note(&t->damages, "unreadable line in the saved comms", t->dat->path,
				    b->off, -1, NULL);
	}
}

void trace_comms_release(struct trace *t)
{
	size_t i;

	for (i = 0; i < t->comms.cap; i++)
		if (t->comms.slots[i].used)
			free(t->comms.slots[i].val);
	map_release(&t->comms);
}

const char *trace_comm(const struct trace *t, int pid)
{
	const char *comm;

	if (!pid)
		return "<idle>";
	comm = map_get(&t->comms, (uint32_t)pid);
	return comm ? comm : "<...>";
}
