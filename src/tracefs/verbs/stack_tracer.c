/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stack tracer: the deepest kernel stack since it was enabled. */
#include "tracefs/verbs/stack_tracer.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracefs/files/control.h"
#include "tracefs/session/journal_note.h"
#include "tracefs/session/sysctl.h"

#define SWITCH "kernel.stack_tracer_enabled"

/*
 * Parses the lines of the file stack_trace, " 12)     3472     112   vfs_read+0xaa/0x2e0": number,
 * depth, size, location.
 */
static void stack_parse(const char *text, struct stack_trace *out)
{
	struct strv lines = {0};
	struct stack_frame f;
	unsigned int number;
	size_t i;
	int at;

	strv_split(&lines, text, "\n");
	for (i = 0; i < lines.n; i++) {
		at = -1;
		if (sscanf(lines.v[i], " %u) %" SCNu64 " %" SCNu64 " %n", &number, &f.depth_bytes,
			   &f.size_bytes, &at) < 3 || at < 0)
			continue;
		f.location = xstrdup(lines.v[i] + at);
		out->frames = xgrow(out->frames, &out->cap, out->n + 1, sizeof(f));
		out->frames[out->n++] = f;
	}
	strv_release(&lines);
}

static int need_stack_tracer(const struct tfs *t, struct ftr_error *err)
{
	if (tfs_exists(t, NULL, "stack_trace"))
		return 0;
	err_set(err, FTR_FAILED, "this kernel has no stack tracer");
	return err_hint(err, "it needs CONFIG_STACK_TRACER");
}

static bool stack_tracer_is_on(void)
{
	char *value = sysctl_read(SWITCH);
	bool on = value && strcmp(value, "0");

	free(value);
	return on;
}

int stack_read(const struct tfs *t, struct stack_trace *out, struct ftr_error *err)
{
	struct buf text = {0};
	char *line;
	size_t i;
	int ret;

	*out = (struct stack_trace){0};
	if (need_stack_tracer(t, err))
		return -1;
	out->on = stack_tracer_is_on();
	line = tfs_line(t, NULL, "stack_max_size");
	out->max_bytes = strtoull(line, NULL, 10);
	free(line);
	if (!tfs_read(t, NULL, "stack_trace_filter", &text, NULL) && *text.data != '#')
		strv_split(&out->filter, text.data, "\n");
	for (i = 0; i < out->filter.n; i++)
		out->filter.v[i][strcspn(out->filter.v[i], " ")] = '\0';
	ret = tfs_read(t, NULL, "stack_trace", &text, err);
	/* When the maximum is reset to 0, the kernel keeps the functions of the old stack. */
	if (!ret && out->max_bytes)
		stack_parse(text.data, out);
	buf_release(&text);
	return ret;
}

void stack_release(struct stack_trace *st)
{
	size_t i;

	for (i = 0; i < st->n; i++)
		free(st->frames[i].location);
	free(st->frames);
	strv_release(&st->filter);
	*st = (struct stack_trace){0};
}

int stack_switch(struct session *s, bool on, struct ftr_error *err)
{
	char *max;
	int ret = 0;

	if (need_stack_tracer(session_tfs(s), err))
		return -1;
	/*
	 * While it is on, the kernel raises stack_max_size to the depth of the deepest stack, and
	 * ignores stacks below it.
	 */
	if (on && !stack_tracer_is_on()) {
		max = tfs_line(session_tfs(s), NULL, "stack_max_size");
		ret = session_record(s, ENTRY_SET, "stack_max_size", max, err);
		free(max);
	}
	return ret ? -1 : session_sysctl(s, SWITCH, on ? "1" : "0", err);
}

int stack_filter(struct session *s, const struct strv *words, struct ftr_error *err)
{
	if (need_stack_tracer(session_tfs(s), err))
		return -1;
	return session_set_list(s, NULL, "stack_trace_filter", words, err);
}

int stack_forget(const struct tfs *t, struct ftr_error *err)
{
	if (need_stack_tracer(t, err))
		return -1;
	if (control_write(t, "stack_max_size", O_TRUNC, "0"))
		return err_sys(err, "cannot reset '%s/stack_max_size'", t->path);
	return 0;
}
