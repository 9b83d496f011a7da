/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of tasks as the kernel had them in saved_cmdlines, where the file knows later ones. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/data/text_tables.h"
#include "output/kernel/kernel_format.h"

/* The bytes of one line of @text, which ends at "\\n"; its length with that. */
static size_t unescape_line(struct buf *out, const char *text, const char *end)
{
	const char *p;

	buf_reset(out);
	for (p = text; p < end; p++) {
		if (*p == '\\' && p + 1 < end && *++p == 'n')
			return p + 1 - text;
		buf_addch(out, *p);
	}
	return p - text;
}

/* "PID COMM\nPID COMM\n", with newlines and backslashes as \n and \\ */
void kernel_comms_read(struct kbuffer *kb)
{
	size_t len, off;
	const char *text = dat_ftr_value(kb->trace->dat, "kernel_comms", &len);
	struct buf bytes = {0}, shown = {0};
	struct comm_line line;

	for (off = 0; text && off < len; ) {
		off += unescape_line(&bytes, text + off, text + len);
		comm_line_split(&line, bytes.data, bytes.data + bytes.len);
		if (line.pid < 0 || map_get(&kb->comms, (uint32_t)line.pid))
			continue;
		text_sanitise(&shown, line.name, line.len, false);
		map_put(&kb->comms, (uint32_t)line.pid, buf_take(&shown));
	}
	buf_release(&bytes);
}

const char *kernel_comm(const struct kline *l, int pid)
{
	const char *comm = map_get(&l->kb->first->comms, (uint32_t)pid);

	return comm ? comm : trace_comm(l->r->trace, pid);
}

void kernel_comms_release(struct kbuffer *kb)
{
	size_t i;

	for (i = 0; i < kb->comms.cap; i++)
		if (kb->comms.slots[i].val)
			free(kb->comms.slots[i].val);
	map_release(&kb->comms);
}
