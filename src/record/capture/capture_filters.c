/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes which tasks and CPUs the kernel leaves out of a buffer, as its control files say. */
#include "record/capture/capture_filters.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "file/read/dat.h"
#include "record/capture/recording_keys.h"
#include "tracefs/state/setting_table.h"

static void note_filter(struct capture *c, const char *what, const char *name, const char *value)
{
	char *key = keys_name_of(what, name);

	capture_note(c, key, value);
	free(key);
}

/*
 * A list has a pid on each line. It is empty where there is none (p_start() in trace_events.c), or
 * where its tasks have all ended: then nothing is recorded.
 */
static void note_pids(struct capture *c, const char *name, const char *instance, const char *file)
{
	const struct tfs *t = capture_front(c)->t;
	struct buf text = {0};

	if (tfs_exists(t, instance, file) && !tfs_read(t, instance, file, &text, NULL) &&
	    text.len && isdigit((unsigned char)text.data[0])) {
		while (text.len && text.data[text.len - 1] == '\n')
			text.data[--text.len] = '\0';
		for (size_t i = 0; i < text.len; i++)
			if (text.data[i] == '\n')
				text.data[i] = ' ';
		note_filter(c, file, name, text.data);
	}
	buf_release(&text);
}

static void note_fork(struct capture *c, const char *name, const char *instance)
{
	char *line = tfs_line(capture_front(c)->t, instance, "options/event-fork");

	if (*line == '1')
		note_filter(c, DAT_EVENT_FORK_KEY, name, line);
	free(line);
}

static void note_cpumask(struct capture *c, const char *name, const char *instance)
{
	const struct tfs *t = capture_front(c)->t;
	char *mask = tfs_line(t, instance, "tracing_cpumask"), *full = knob_cpumask(t, instance);
	const char *digits = mask + strspn(mask, "0,");

	if (full && *mask && strcmp(digits, full))
		note_filter(c, DAT_CPUMASK_KEY, name, *digits ? digits : "0");
	free(mask);
	free(full);
}

void filters_note(struct capture *c, const char *name, const char *instance)
{
	note_pids(c, name, instance, DAT_EVENT_PID_KEY);
	note_pids(c, name, instance, DAT_EVENT_NOTRACE_PID_KEY);
	note_fork(c, name, instance);
	note_cpumask(c, name, instance);
}
