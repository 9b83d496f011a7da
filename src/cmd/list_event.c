/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr list events, systems and probes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/frame/command.h"
#include "cmd/list.h"
#include "event/data/format_lines.h"

/* --- events */

/* Reads events/SYSTEM/EVENT/@file of @event "system:event". Returns -1 if there is no such file. */
static int read_event_file(const struct list_args *l, const char *event, const char *file,
			   struct buf *out)
{
	char *path = xasprintf("events/%s/%s", event, file), *colon = strchr(path, ':');
	int ret;

	if (colon)
		*colon = '/';
	ret = tfs_read(&l->t, l->instance, path, out, NULL);
	free(path);
	return ret;
}

/* Appends the lines of a filter or trigger file, without the comments of an empty one. */
static void read_settings(const struct list_args *l, const char *event, const char *file,
			  struct strv *out)
{
	struct strv lines = {0};
	struct buf text = {0};
	size_t i;

	if (!read_event_file(l, event, file, &text))
		strv_split(&lines, text.data, "\n");
	for (i = 0; i < lines.n; i++)
		if (lines.v[i][0] != '#' && strcmp(lines.v[i], "none"))
			strv_add(out, lines.v[i]);
	strv_release(&lines);
	buf_release(&text);
}

static bool has_settings(const struct list_args *l, const char *event, const char *file)
{
	struct strv lines = {0};
	bool has;

	read_settings(l, event, file, &lines);
	has = lines.n > 0;
	strv_release(&lines);
	return has;
}

bool list_wanted_event(struct list_args *l, const char *const *row)
{
	if (!pick_event(&l->pick, row[0]))
		return false;
	if (!l->filters && !l->triggers)
		return true;
	return (l->filters && has_settings(l, row[0], "filter")) ||
	       (l->triggers && has_settings(l, row[0], "trigger"));
}

/* Appends the whole name and both parts, since a pattern may match one part. */
void list_event_names(const char *const *row, struct strv *out)
{
	const char *colon = strchr(row[0], ':');

	strv_add(out, row[0]);
	if (!colon)
		return;
	strv_add(out, colon + 1);
	strv_take(out, xstrndup(row[0], colon - row[0]));
}

static json_t *json_clean(const char *s, size_t len)
{
	struct buf b = {0};
	json_t *v;

	text_sanitise(&b, s, len, false);
	v = json_string(b.data ? b.data : "");
	buf_release(&b);
	return v ? v : json_null();
}

/*
 * Appends fields to @text, or to @fields if that is not NULL. Fields before the empty line are
 * common to all events and shown with --full only.
 */
static void add_format_fields(const struct list_args *l, const char *format, struct buf *text,
			      json_t *fields)
{
	const char *blank = strstr(format, "\n\n");
	struct format_field f;
	struct buf decl = {0};
	bool common;

	while (format_field_next(&f, &format)) {
		common = blank && f.decl < blank;
		if (common && !l->full)
			continue;
		if (fields) {
			json_array_append_new(fields, json_pack("{s:o, s:o, s:I, s:I, s:b, s:b}",
				"name", json_clean(f.name, f.name_len),
				"declaration", json_clean(f.decl, f.decl_len),
				"offset", (json_int_t)f.offset, "size", (json_int_t)f.size,
				"signed", f.is_signed, "common", common));
			continue;
		}
		buf_reset(&decl);
		text_sanitise(&decl, f.decl, f.decl_len, false);
		buf_printf(text, "    %-42s offset %-4u size %*u%s\n", decl.data, f.offset,
			   f.is_signed ? -4 : 0, f.size, f.is_signed ? " signed" : "");
	}
	buf_release(&decl);
}

static void add_event_format(const struct list_args *l, const char *event, struct buf *text,
			     json_t *object)
{
	json_t *fields = object ? json_array() : NULL;
	struct buf file = {0};
	const char *fmt;
	size_t len;
	uint16_t id;

	if (read_event_file(l, event, "format", &file)) {
		cmd_warn("cannot read the format of '%s'", event);
		json_decref(fields);
		buf_release(&file);
		return;
	}
	add_format_fields(l, file.data, text, fields);
	if (object) {
		json_object_set_new(object, "id",
				    json_integer(format_id(file.data, &id) ? id : -1));
		json_object_set_new(object, "fields", fields);
	}
	fmt = l->full ? format_print_fmt(file.data, &len) : NULL;
	if (fmt && object) {
		json_object_set_new(object, "print_fmt", json_clean(fmt, len));
	} else if (fmt) {
		buf_addstr(text, "    print fmt: ");
		text_sanitise(text, fmt, len, false);
		buf_addch(text, '\n');
	}
	buf_release(&file);
}

static void add_settings(const struct list_args *l, const char *event, const char *file,
			 struct buf *text, json_t *object)
{
	json_t *list = object ? json_array() : NULL;
	struct strv lines = {0};
	const char *line;
	size_t i;

	read_settings(l, event, file, &lines);
	for (i = 0; i < lines.n; i++) {
		line = lines.v[i];
		if (list) {
			json_array_append_new(list, json_clean(line, strlen(line)));
			continue;
		}
		buf_printf(text, "    %s: ", file);
		text_sanitise(text, line, strlen(line), false);
		buf_addch(text, '\n');
	}
	if (list)
		json_object_set_new(object, !strcmp(file, "filter") ? "filter" : "triggers", list);
	strv_release(&lines);
}

static void add_event_details(void *ctx, const char *const *row, struct buf *text, json_t *object)
{
	const struct list_args *l = ctx;

	if (l->fields || l->full)
		add_event_format(l, row[0], text, object);
	if (l->filters)
		add_settings(l, row[0], "filter", text, object);
	if (l->triggers)
		add_settings(l, row[0], "trigger", text, object);
}

int list_fill_events(struct list_args *l, struct listing *out, struct ftr_error *err)
{
	static const struct listing_column columns[] = { { "event", COL_TEXT, NULL } };
	struct strv events = {0};
	size_t i;

	out->columns = columns;
	out->nr_columns = 1;
	out->more = add_event_details;
	out->ctx = l;
	if (tfs_events(&l->t, &events, err))
		return -1;
	for (i = 0; i < events.n; i++)
		listing_add(out, (const char *const *)&events.v[i]);
	out->owned = events;
	return 0;
}

/* --- systems */

int list_fill_systems(struct list_args *l, struct listing *out, struct ftr_error *err)
{
	static const struct listing_column columns[] = {
		{ "system", COL_TEXT, NULL }, { "events", COL_NUMBER, "events" },
	};
	struct strv events = {0};
	const char *row[2];
	size_t i, n, len;

	out->columns = columns;
	out->nr_columns = 2;
	if (tfs_events(&l->t, &events, err))
		return -1;
	strv_sort_unique(&events);
	for (i = 0; i < events.n; i += n) {
		len = strcspn(events.v[i], ":");
		for (n = 1; i + n < events.n; n++)
			if (strncmp(events.v[i], events.v[i + n], len) ||
			    events.v[i + n][len] != ':')
				break;
		row[0] = listing_own(out, xstrndup(events.v[i], len));
		row[1] = listing_own(out, xasprintf("%zu", n));
		listing_add(out, row);
	}
	strv_release(&events);
	return 0;
}

/* --- probes */

static const struct probe_type {
	char letter;
	const char *name, *of_file;	/* ->of_file: name if the place is a path */
} probe_types[] = {
	{ 'p', "kprobe", "uprobe" }, { 'r', "kretprobe", "uretprobe" },
	{ 'e', "eprobe", "eprobe" }, { 'f', "fprobe", "fprobe" },
	{ 't', "tprobe", "tprobe" }, { 's', "synthetic", "synthetic" }, { 'u', "user", "user" },
};

/*
 * Adds a row for "r10:foo/bar vfs_read arg1=$retval" or "s:synthetic/lat\tu64 x; int pid". The line
 * is split in place.
 */
static void add_probe_row(struct listing *out, char *line)
{
	char *colon = strchr(line, ':'), *slash, *rest, *args = NULL;
	const char *row[4];

	if (!colon)
		return;
	slash = strchr(colon, '/');
	rest = colon + 1 + strcspn(colon + 1, " \t");
	if (*rest)
		*rest++ = '\0';
	rest += strspn(rest, " \t");
	if (slash && slash < rest)
		*slash = ':';
	row[1] = "?";
	for (size_t i = 0; i < sizeof(probe_types) / sizeof(*probe_types); i++)
		if (probe_types[i].letter == line[0])
			row[1] = *rest == '/' ? probe_types[i].of_file : probe_types[i].name;
	if (line[0] != 's' && line[0] != 'u') {
		args = rest + strcspn(rest, " ");
		if (*args)
			*args++ = '\0';
	}
	row[0] = colon + 1;
	row[2] = args ? rest : NULL;
	row[3] = args ? (*args ? args : NULL) : rest;
	listing_add(out, row);
}

/* Adds a row for each line of @text, with @prefix before the line. */
static void add_probes(struct listing *out, const char *text, const char *prefix)
{
	struct strv lines = {0};
	size_t i;

	strv_split(&lines, text, "\n");
	for (i = 0; i < lines.n; i++)
		add_probe_row(out, (char *)listing_own(out, xasprintf("%s%s", prefix, lines.v[i])));
	strv_release(&lines);
}

/* A kernel without dynamic_events has a file for each kind of dynamic event. */
int list_fill_probes(struct list_args *l, struct listing *out, struct ftr_error *err)
{
	static const struct listing_column columns[] = {
		{ "event", COL_TEXT, NULL }, { "type", COL_TEXT, NULL }, { "at", COL_TEXT, NULL },
		{ "arguments", COL_TEXT, NULL },
	};
	static const char *const files[][2] = {
		{ "kprobe_events", "" }, { "uprobe_events", "" },
		{ "synthetic_events", "s:synthetic/" },
	};
	struct buf text = {0};
	size_t i, found = 0;
	int ret = 0;

	out->columns = columns;
	out->nr_columns = 4;
	if (tfs_exists(&l->t, NULL, "dynamic_events")) {
		ret = tfs_read(&l->t, NULL, "dynamic_events", &text, err);
		if (!ret)
			add_probes(out, text.data, "");
		buf_release(&text);
		return ret;
	}
	for (i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (!tfs_read(&l->t, NULL, files[i][0], &text, NULL)) {
			add_probes(out, text.data, files[i][1]);
			found++;
		}
	buf_release(&text);
	if (found)
		return 0;
	err_set(err, FTR_FAILED, "this kernel has no dynamic events");
	return err_hint(err, "it needs CONFIG_KPROBE_EVENTS, CONFIG_UPROBE_EVENTS or "
			"CONFIG_SYNTH_EVENTS");
}
