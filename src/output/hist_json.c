/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Histograms as JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/hist_text.h"

static const char *const kinds[] = {
	[HIST_NUM] = "number", [HIST_HEX] = "hex", [HIST_STRING] = "string", [HIST_SYM] = "sym",
	[HIST_SYM_OFFSET] = "sym-offset", [HIST_EXECNAME] = "execname",
	[HIST_SYSCALL] = "syscall", [HIST_STACK] = "stacktrace", [HIST_LOG2] = "log2",
	[HIST_BUCKET] = "buckets", [HIST_PERCENT] = "percent", [HIST_GRAPH] = "graph",
};

/* Makes a string. Names may have any bytes: if they are no UTF-8, those above 0x7f become \xNN. */
static json_t *json_hist_text(const char *s)
{
	json_t *j = json_string(s);
	struct buf b = {0};

	for (; !j && *s; s++)
		buf_printf(&b, (unsigned char)*s < 0x80 ? "%c" : "\\x%02x", (unsigned char)*s);
	if (!j)
		j = json_string(b.data ? b.data : "");
	buf_release(&b);
	return j;
}

/* Integers of the JSON library have 63 bits: a larger number is a string. */
static json_t *json_number(const struct hist_column *c, uint64_t v)
{
	char text[24];

	if (c->is_signed || v <= INT64_MAX)
		return json_integer((json_int_t)v);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)v);
	return json_string(text);
}

/* Makes the list of the frames of a stack. */
static json_t *json_frames(const char *frames)
{
	json_t *list = json_array();
	size_t n;
	char *one;

	for (; *frames; frames += n + (frames[n] != '\0')) {
		n = strcspn(frames, "\n");
		one = xstrndup(frames, n);
		json_array_append_new(list, json_hist_text(one));
		free(one);
	}
	return list;
}

static json_t *json_hist_cell(const struct hist_column *c, const struct hist_cell *k)
{
	char address[24];
	uint64_t lo, hi;
	bool negative;

	switch (c->kind) {
	case HIST_LOG2:
	case HIST_BUCKET:
		hist_range(c, k, &lo, &hi, &negative);
		if (negative)
			return json_pack("{s:n, s:i}", "from", "to", -1);
		return json_pack("{s:o, s:o}", "from", json_number(c, lo), "to",
				 json_number(c, hi));
	case HIST_STACK:
		return json_frames(k->text ? k->text : "");
	case HIST_PERCENT:
		return k->text ? json_null() : json_real(k->num / 100.0);
	default:
		break;
	}
	if (!k->text)
		return json_number(c, k->num);
	switch (c->kind) {
	case HIST_STRING:
	case HIST_NUM:
		return json_hist_text(k->text);
	case HIST_EXECNAME:
		return json_pack("{s:o, s:o}", "pid", json_number(c, k->num), "comm",
				 json_hist_text(k->text));
	case HIST_SYSCALL:
		return json_pack("{s:o, s:o}", "id", json_number(c, k->num), "name",
				 json_hist_text(k->text));
	default:
		snprintf(address, sizeof(address), "0x%llx", (unsigned long long)k->num);
		return json_pack("{s:s, s:o}", "address", address, "symbol",
				 json_hist_text(k->text));
	}
}

static json_t *json_columns(const struct hist_column *cols, size_t n)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < n; i++)
		json_array_append_new(list, json_pack("{s:o, s:s}", "name",
						      json_hist_text(cols[i].name),
						      "kind", kinds[cols[i].kind]));
	return list;
}

static json_t *json_cells(const struct hist_column *cols, const struct hist_cell *cells, size_t n)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < n; i++)
		json_array_append_new(list, json_hist_cell(&cols[i], &cells[i]));
	return list;
}

json_t *hist_json_object(const struct hist *h, const char *event, double seconds)
{
	const struct hist_column plain = {0};
	json_t *rows = json_array(), *row;

	for (size_t i = 0; i < h->nr_rows; i++) {
		row = json_pack("{s:o, s:o}",
				"keys", json_cells(h->keys, h->rows[i].keys, h->nr_keys),
				"values", json_cells(h->vals, h->rows[i].vals, h->nr_vals));
		if (h->rows[i].saved)
			json_object_set_new(row, "saved", json_hist_text(h->rows[i].saved));
		json_array_append_new(rows, row);
	}
	return json_pack("{s:o, s:o, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:I}",
			 "event", json_hist_text(event), "trigger", json_hist_text(h->trigger),
			 "seconds", seconds,
			 "keys", json_columns(h->keys, h->nr_keys),
			 "values", json_columns(h->vals, h->nr_vals), "rows", rows,
			 "hits", json_number(&plain, h->hits),
			 "entries", json_number(&plain, h->entries),
			 "dropped", json_number(&plain, h->dropped),
			 "unread", (json_int_t)h->unread);
}

void hist_json(const struct hist *h, const char *event, double seconds, bool compact,
	       struct buf *out)
{
	json_t *all = hist_json_object(h, event, seconds);
	char *text = json_dumps(all, JSON_ENSURE_ASCII |
				    (compact ? JSON_COMPACT : JSON_INDENT(1)));

	buf_addstr(out, text ? text : "{}");
	buf_addch(out, '\n');
	free(text);
	json_decref(all);
}
