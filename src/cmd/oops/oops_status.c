/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr oops status: reports which parts of a trace would survive a crash now. */
#include <jansson.h>
#include <stdio.h>

#include "cmd/frame/tracefs_change.h"
#include "cmd/oops/oops_verbs.h"
#include "oops/arm/crash_preview.h"

struct oops_status_args {
	bool json;
};

const struct opt oops_status_options[] = {
	OPT_GROUP("Output"),
	{ 0, "json", NULL, "print JSON", opt_flag, offsetof(struct oops_status_args, json) },
	OPT_END
};

static void print_words(const char *head, const struct strv *words)
{
	size_t i;

	for (i = 0; i < words->n; i++)
		cmd_print("    %s: %s\n", head, words->v[i]);
}

static void print_preview(const struct oops_look *l)
{
	const struct oops_row *row;
	size_t i;

	if (!l->armed)
		cmd_print("not armed\n");
	for (i = 0; i < l->places.n; i++)
		cmd_print("%s%s%s", i ? ", " : "armed: ",
			  *l->places.v[i] ? l->places.v[i] : "top level",
			  i + 1 == l->places.n ? "\n" : "");
	for (i = 0; i < l->unstopped.n; i++)
		cmd_print("%s%s%s", i ? ", " : "an oops in a task does not stop recording in: ",
			  l->unstopped.v[i], i + 1 == l->unstopped.n ? "\n" : "");
	cmd_print("\nWould it survive a crash now?\n");
	for (i = 0; i < OOPS_ROWS; i++) {
		row = &l->rows[i];
		cmd_print("  %-18s %s%s%s\n", row->name, row->survives ? "yes" : "no",
			  row->how_much.len ? ": " : "",
			  row->how_much.len ? row->how_much.data : "");
		print_words("missing", &row->missing);
		print_words("in the way", &row->obstacles);
	}
}

/* --- JSON */

static json_t *words_json(const struct strv *words)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < words->n; i++)
		json_array_append_new(list, json_string(words->v[i]));
	return list;
}

static void print_json(const struct oops_look *l)
{
	json_t *rows = json_array(), *all;
	const struct oops_row *row;

	for (row = l->rows; row < l->rows + OOPS_ROWS; row++)
		json_array_append_new(rows, json_pack(
			"{s:s, s:b, s:s, s:o, s:o}", "name", row->name,
			"survives", (int)row->survives,
			"how_much", row->how_much.len ? row->how_much.data : "",
			"missing", words_json(&row->missing),
			"in_the_way", words_json(&row->obstacles)));
	all = json_pack("{s:b, s:o, s:o, s:o, s:{s:I, s:I, s:I}}", "armed", (int)l->armed, "places",
			words_json(&l->places), "unstopped", words_json(&l->unstopped), "rows",
			rows, "dump",
			"lines", (json_int_t)l->dump.lines, "bytes", (json_int_t)l->dump.bytes,
			"seconds_115200", (json_int_t)l->dump.seconds);
	json_dumpf(all, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(all);
}

int oops_status(const struct cmd *self, int argc, char **argv)
{
	struct ftr_error err = {0};
	struct oops_status_args s = {0};
	struct oops_look look;
	struct tfs tfs;
	int status, first = cmd_parse(self, argc, argv, &s, &status);

	if (first < 0)
		return status;
	status = no_operands(self, first, argc, argv);
	if (status)
		return status;
	if (tfs_open(&tfs, &err))
		return cmd_fail(&err);
	oops_look(&look, &tfs);
	if (s.json)
		print_json(&look);
	else
		print_preview(&look);
	oops_look_release(&look);
	tfs_close(&tfs);
	return FTR_OK;
}
