/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a tracer keeps of the longest latency it measured. wakeup, irqsoff and their like swap the
 * buffer with the snapshot whenever a latency is longer than all before. The file trace then shows
 * the snapshot, from the begin of that latency on (iter->trace->print_max in __tracing_open(),
 * kernel/trace/trace.c), and it is the only way to it: snapshot_raw is busy while the tracer is
 * set, and empty after it.
 */
#include "record/capture/capture_latency.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracefs/verbs/snapshot_buffer.h"

enum { READ_BYTES = 64 << 10 };

/*
 * Reads the text of the file trace up to @most bytes, as whole lines. The limit is needed, because
 * functions may fill a buffer.
 */
static void read_latency_text(int fd, size_t most, struct latency *l)
{
	struct buf *text = &l->text;
	const char *nl;
	ssize_t n;

	do {
		buf_reserve(text, READ_BYTES);
		n = read(fd, text->data + text->len, READ_BYTES);
		text->len += n > 0 ? n : 0;
	} while (n > 0 && text->len <= most);
	l->cut = text->len > most;
	if (l->cut) {
		nl = memrchr(text->data, '\n', most);
		text->len = nl ? (size_t)(nl - text->data) + 1 : most;
	}
}

/* Without a measurement there are comments alone. */
static bool has_records(const struct buf *text)
{
	const char *p = text->data, *end = p + text->len, *nl;

	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		if (!nl)
			nl = end;
		if (nl > p && *p != '#')
			return true;
	}
	return false;
}

void latency_read(const struct tfs *t, const char *instance, size_t most, struct latency *out)
{
	struct buf path = {0};
	int fd;

	*out = (struct latency){0};
	if (!snapshot_is_tracers(t, instance))
		return;
	out->tracer = tfs_line(t, instance, "current_tracer");
	out->max = tfs_line(t, instance, "tracing_max_latency");
	fd = openat(t->dirfd, tfs_path(&path, instance, "trace"), O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		read_latency_text(fd, most, out);
		close(fd);
	}
	out->measured = has_records(&out->text);
	buf_release(&path);
}

void latency_add(struct buf *b, const struct latency *l, const char *name)
{
	if (!l->measured)
		return;
	buf_printf(b, ", max latency %s us", *l->max ? l->max : "?");
	if (*name)
		buf_printf(b, " of '%s'", name);
}

void latency_release(struct latency *l)
{
	free(l->tracer);
	free(l->max);
	buf_release(&l->text);
	*l = (struct latency){0};
}
