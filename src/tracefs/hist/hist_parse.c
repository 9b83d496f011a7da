/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the text of a kernel histogram.
 *
 * Names of tasks and files in it may contain braces, commas and newlines, which also separate the
 * columns. The line "# trigger info:" lists the keys and values, so a key is parsed by its kind,
 * and a name ends where all that must follow fits. Rows that do not fit are counted and reported.
 * The kernel's log2 rounds up, and that is drawn: 2^7 is 65 to 128, 2^0 is 0 and 1, and negative
 * numbers of signed fields are 2^64. The trigger is paused before the last reading (hist_live.c),
 * so the totals are those of the rows.
 */
#include "tracefs/hist/hist_parse.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"
#include "base/text.h"

/* Bytes of an entry: three strings of 256 bytes, or 31 frames, are far below. */
#define ENTRY_MAX 16384
/* The number of places in a string that are tried as its end. */
#define TRIES_MAX 64
/* for all keys of a row: the kernel has three, TRIES_MAX squared is enough */
#define ROW_TRIES_MAX 5000

struct hist_cursor {
	const char *p, *end;
};

/* --- small pieces: false if it is not there; then ->p may be anywhere */

static void text_skip_blanks(struct hist_cursor *t)
{
	while (t->p < t->end && *t->p == ' ')
		t->p++;
}

static bool text_accept(struct hist_cursor *t, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(t->end - t->p) < n || memcmp(t->p, word, n))
		return false;
	t->p += n;
	return true;
}

static bool text_parse_digits(struct hist_cursor *t, unsigned int base, uint64_t *v)
{
	const char *start = t->p;
	unsigned int digit;

	for (*v = 0; t->p < t->end && isxdigit((unsigned char)*t->p); t->p++) {
		digit = isdigit((unsigned char)*t->p) ? *t->p - '0' : (*t->p | 32) - 'a' + 10;
		if (digit >= base)
			break;
		if (__builtin_mul_overflow(*v, base, v) || __builtin_add_overflow(*v, digit, v))
			return false;
	}
	return t->p > start;
}

/* Returns the text without blanks at its end, with control bytes escaped. The caller frees. */
static char *clean_copy(const char *p, const char *end)
{
	struct buf b = {0};

	while (end > p && (end[-1] == ' ' || end[-1] == '\n'))
		end--;
	text_sanitise(&b, p, end - p, false);
	return b.data ? buf_take(&b) : xstrdup("");
}

static const char *find_within(const char *p, const char *end, const char *what)
{
	return memmem(p, end - p, what, strlen(what));
}

static const char *find_last(const char *p, const char *end, const char *what)
{
	const char *at = NULL;

	while (p < end && (p = find_within(p, end, what)))
		at = p++;
	return at;
}

/* --- columns */

static const struct {
	const char *name;
	enum hist_kind kind;
} modifiers[] = {
	{ "hex", HIST_HEX }, { "sym", HIST_SYM }, { "sym-offset", HIST_SYM_OFFSET },
	{ "execname", HIST_EXECNAME }, { "syscall", HIST_SYSCALL }, { "log2", HIST_LOG2 },
	{ "buckets", HIST_BUCKET }, { "usecs", HIST_NUM }, { "percent", HIST_PERCENT },
	{ "graph", HIST_GRAPH }, { "stacktrace", HIST_STACK },
};

/* Returns the length of a field's name without its modifier. *kind and *step get the modifier's. */
static size_t split_modifier(const char *p, size_t n, enum hist_kind *kind, uint64_t *step)
{
	const char *dot = memrchr(p, '.', n), *equals;
	struct hist_cursor number = { p, p + n };
	size_t i, len;

	*kind = HIST_NUM;
	*step = 1;
	if (!dot)
		return n;
	dot++;
	equals = memchr(dot, '=', p + n - dot);
	len = equals ? equals - dot : p + n - dot;
	for (i = 0; i < sizeof(modifiers) / sizeof(*modifiers); i++)
		if (strlen(modifiers[i].name) == len && !memcmp(modifiers[i].name, dot, len))
			break;
	if (i == sizeof(modifiers) / sizeof(*modifiers))
		return n;
	*kind = modifiers[i].kind;
	number.p = equals ? equals + 1 : number.end;
	if (*kind == HIST_BUCKET && (!text_parse_digits(&number, 10, step) || !*step))
		*step = 1;
	return dot - 1 - p;
}

/* Adds the columns of "bytes_req.log2,call_site.sym:vals=..." up to the colon. */
static void add_head_columns(struct hist_column *cols, size_t *n, const char *p, const char *end)
{
	const char *stop = memchr(p, ':', end - p), *comma;
	struct hist_column *c;

	for (end = stop ? stop : end; p < end; p = comma + 1) {
		comma = memchr(p, ',', end - p);
		comma = comma ? comma : end;
		if (*n == HIST_COLUMNS || p == comma)
			continue;
		/* 7.2 writes "common_cpucommon_cpu" and "common_cpucpu". */
		if (comma - p > 10 && !memcmp(p, "common_cpuc", 11))
			p += 10;
		c = &cols[(*n)++];
		c->name = clean_copy(p, p + split_modifier(p, comma - p, &c->kind, &c->step));
		if (c->kind == HIST_NUM &&
		    (!strcmp(c->name, "common_stacktrace") || !strcmp(c->name, "stacktrace")))
			c->kind = HIST_STACK;
	}
}

static void apply_types(struct hist_column *cols, size_t n, const struct hist_type *types,
			size_t nr_types)
{
	size_t i, j;

	for (i = 0; i < n; i++) {
		for (j = 0; j < nr_types && strcmp(types[j].name, cols[i].name); j++)
			;
		if (j == nr_types)
			continue;
		cols[i].is_signed = types[j].is_signed;
		if (types[j].is_string && cols[i].kind == HIST_NUM)
			cols[i].kind = HIST_STRING;
	}
}

static int parse_trigger_info(struct hist *h, const char *text, const char *end,
			      struct ftr_error *err)
{
	static const char mark[] = "# trigger info: hist:";
	const char *p = find_within(text, end, mark), *eol, *keys, *vals, *state;

	if (!p)
		return err_set(err, FTR_DAMAGED, "no histogram: no line '# trigger info:'");
	p += strlen(mark);
	eol = memchr(p, '\n', end - p);
	eol = eol ? eol : end;
	state = memrchr(p, '[', eol - p);
	h->trigger = clean_copy(p - strlen("hist:"), state ? state : eol);
	keys = find_within(p, eol, "keys=");
	vals = keys ? find_within(keys, eol, ":vals=") : NULL;
	if (keys)
		add_head_columns(h->keys, &h->nr_keys, keys + strlen("keys="), eol);
	if (vals)
		add_head_columns(h->vals, &h->nr_vals, vals + strlen(":vals="), eol);
	return h->nr_keys && h->nr_vals ? 0 :
	       err_set(err, FTR_DAMAGED, "no histogram: no keys or values in '%.200s'", h->trigger);
}

/* --- values: "} hitcount:         19  count (%):   2.67  count: ##      " */

static bool parse_percent(struct hist_cursor *t, struct hist_cell *c)
{
	uint64_t whole, part;

	if (text_accept(t, "[ERROR]")) {
		c->text = xstrdup("");
		return true;
	}
	text_skip_blanks(t);
	if (!text_parse_digits(t, 10, &whole) || !text_accept(t, ".") ||
	    !text_parse_digits(t, 10, &part))
		return false;
	c->num = whole < UINT64_MAX / 200 ? whole * 100 + part : UINT64_MAX;
	return true;
}

static bool parse_vals(const struct hist *h, struct hist_row *r, struct hist_cursor t)
{
	enum hist_kind kind;
	struct hist_cell *c;
	size_t i;

	for (i = 0; i < h->nr_vals; i++) {
		kind = h->vals[i].kind;
		c = &r->vals[i];
		text_skip_blanks(&t);
		while (t.p < t.end && *t.p != ':' && *t.p != ' ')
			t.p++;
		if (!text_accept(&t, kind == HIST_PERCENT ? " (%):" : ": "))
			return false;
		for (; kind == HIST_GRAPH && t.p < t.end && *t.p == '#'; t.p++)
			c->num++;
		if (kind == HIST_PERCENT && !parse_percent(&t, c))
			return false;
		if (kind == HIST_PERCENT || kind == HIST_GRAPH)
			continue;
		text_skip_blanks(&t);
		if (!text_parse_digits(&t, kind == HIST_HEX ? 16 : 10, &c->num))
			return false;
	}
	text_skip_blanks(&t);
	return t.p == t.end;
}

/* --- keys: "{ call_site: [ffffffff81] vfs_read   , bytes_req: ~ 2^12 }" */

/* Parses key @i and the keys after it. Returns false if they do not fit. */
typedef bool parse_key_fn(const struct hist *h, struct hist_row *r, size_t i, struct hist_cursor t);
static parse_key_fn parse_keys;

/* Parses the next key, or the end, after a key. */
static bool parse_rest(const struct hist *h, struct hist_row *r, size_t i, struct hist_cursor t)
{
	text_skip_blanks(&t);
	if (i + 1 == h->nr_keys)
		return t.p == t.end;
	if (r->tries == ROW_TRIES_MAX)
		return false;
	r->tries++;
	return text_accept(&t, ", ") && parse_keys(h, r, i + 1, t);
}

static bool set_cell_text(struct hist_cell *c, const char *p, const char *end)
{
	free(c->text);
	c->text = clean_copy(p, end);
	return true;
}

/*
 * Parses a number or a string. If the string contains text like the next key, it ends at the last
 * place after which all other keys fit.
 */
static bool parse_plain(const struct hist *h, struct hist_row *r, size_t i, struct hist_cursor t)
{
	struct hist_cursor number = t, next = { .p = t.end, .end = t.end };
	int tries;

	text_skip_blanks(&number);
	if (h->keys[i].kind != HIST_STRING && text_parse_digits(&number, 10, &r->keys[i].num) &&
	    (number.p == number.end || *number.p == ',') && parse_rest(h, r, i, number))
		return true;
	if (i + 1 == h->nr_keys)
		return set_cell_text(&r->keys[i], t.p, t.end);
	for (tries = 0; tries < TRIES_MAX; tries++) {
		next.p = memrchr(t.p, ',', next.p - t.p);
		if (!next.p)
			break;
		if (parse_rest(h, r, i, next))
			return set_cell_text(&r->keys[i], t.p, next.p);
	}
	return false;
}

static bool parse_sym(const struct hist *h, struct hist_row *r, size_t i, struct hist_cursor t)
{
	const char *end;

	if (!text_accept(&t, "[") || !text_parse_digits(&t, 16, &r->keys[i].num) ||
	    !text_accept(&t, "] "))
		return false;
	end = i + 1 == h->nr_keys ? t.end : find_within(t.p, t.end, ", ");
	if (!end)
		return false;
	set_cell_text(&r->keys[i], t.p, end);
	t.p = end;
	return parse_rest(h, r, i, t);
}

/*
 * Parses "bash [ 181]": the name of a task fills 16 bytes and may contain brackets.
 */
static bool parse_named(const struct hist *h, struct hist_row *r, size_t i, struct hist_cursor t)
{
	const char *name = t.p;
	size_t least = h->keys[i].kind == HIST_EXECNAME ? 16 : 0;

	if ((size_t)(t.end - t.p) < least)
		return false;
	for (t.p += least; (t.p = find_within(t.p, t.end, "[")); ) {
		struct hist_cursor in = t;
		const char *end = in.p++;

		text_skip_blanks(&in);
		if (text_parse_digits(&in, 10, &r->keys[i].num) && text_accept(&in, "]")) {
			set_cell_text(&r->keys[i], name, end);
			return parse_rest(h, r, i, in);
		}
		t.p++;
	}
	return false;
}

static bool parse_range(const struct hist *h, struct hist_row *r, size_t i, struct hist_cursor t)
{
	bool log2 = h->keys[i].kind == HIST_LOG2;
	uint64_t hi;

	if (!text_accept(&t, "~ ") || (log2 && !text_accept(&t, "2^")) ||
	    !text_parse_digits(&t, 10, &r->keys[i].num))
		return false;
	if (log2 ? r->keys[i].num > 64 : !text_accept(&t, "-") || !text_parse_digits(&t, 10, &hi))
		return false;
	return parse_rest(h, r, i, t);
}

/* Frames are indented. The first may follow the key's name (fields of synthetic events). */
static bool parse_stack(const struct hist *h, struct hist_row *r, size_t i, struct hist_cursor t)
{
	struct buf frames = {0};
	const char *eol;
	char *one;

	while (t.p < t.end && (*t.p == '\n' || *t.p == ' ')) {
		t.p += *t.p == '\n';
		if (t.p == t.end || *t.p != ' ')
			break;
		text_skip_blanks(&t);
		eol = memchr(t.p, '\n', t.end - t.p);
		eol = eol ? eol : t.end;
		one = clean_copy(t.p, eol);
		buf_printf(&frames, "%s%s", frames.len ? "\n" : "", one);
		free(one);
		t.p = eol;
	}
	free(r->keys[i].text);
	r->keys[i].text = frames.data ? buf_take(&frames) : xstrdup("");
	return parse_rest(h, r, i, t);
}

static bool parse_hex(const struct hist *h, struct hist_row *r, size_t i, struct hist_cursor t)
{
	return text_parse_digits(&t, 16, &r->keys[i].num) && parse_rest(h, r, i, t);
}

/* The head has common_cpu if rows have cpu, and special words for expressions. */
static bool column_is_named(const struct hist_column *c, const char *p, size_t n)
{
	const char *name = c->name, *at;

	for (at = name; isalnum((unsigned char)*at) || *at == '_'; at++)
		;
	if (*at)
		return n > 0;
	if (strlen(name) != n && !strncmp(name, "common_", 7))
		name += 7;
	return strlen(name) == n && !memcmp(name, p, n);
}

static bool parse_keys(const struct hist *h, struct hist_row *r, size_t i, struct hist_cursor t)
{
	static parse_key_fn *const by_kind[] = {
		[HIST_NUM] = parse_plain, [HIST_STRING] = parse_plain, [HIST_HEX] = parse_hex,
		[HIST_SYM] = parse_sym, [HIST_SYM_OFFSET] = parse_sym,
		[HIST_EXECNAME] = parse_named, [HIST_SYSCALL] = parse_named,
		[HIST_LOG2] = parse_range, [HIST_BUCKET] = parse_range, [HIST_STACK] = parse_stack,
		[HIST_PERCENT] = parse_plain, [HIST_GRAPH] = parse_plain,
	};
	const char *name = t.p;
	bool stack = h->keys[i].kind == HIST_STACK;

	while (t.p < t.end && *t.p != ':' && *t.p != ' ' && *t.p != '\n')
		t.p++;
	if (!stack && !column_is_named(&h->keys[i], name, t.p - name))
		return false;
	if (!text_accept(&t, stack ? ":\n" : ": ") && !stack)
		return false;
	return by_kind[h->keys[i].kind](h, r, i, t);
}

/* --- rows */

static void row_release(const struct hist *h, struct hist_row *r)
{
	size_t i;

	for (i = 0; r->keys && i < h->nr_keys + h->nr_vals; i++)
		free(r->keys[i].text);
	free(r->keys);
	free(r->saved);
}

/*
 * Parses keys in [start, brace) and values in [brace + 1, eol). Returns false if the values do not
 * fit. If only the keys do not fit, the row is counted as unread.
 */
static bool parse_row(struct hist *h, const char *start, const char *brace, const char *eol)
{
	struct hist_row r = { .keys = xcalloc(h->nr_keys + h->nr_vals, sizeof(*r.keys)) };
	struct hist_cursor vals = { brace + 1, eol }, keys = { start + 2, brace };

	keys.end -= brace[-1] == ' ';
	r.vals = r.keys + h->nr_keys;
	if (!parse_vals(h, &r, vals)) {
		row_release(h, &r);
		return false;
	}
	if (brace - start > ENTRY_MAX || !parse_keys(h, &r, 0, keys)) {
		h->unread++;
		row_release(h, &r);
		return true;
	}
	h->rows = xgrow(h->rows, &h->cap_rows, h->nr_rows + 1, sizeof(*h->rows));
	h->rows[h->nr_rows++] = r;
	return true;
}

/* An entry is a line, or several lines if it has a stack or a name that contains a newline. */
static void parse_rows(struct hist *h, const char *p, const char *end)
{
	const char *start = NULL, *eol, *brace;
	struct hist_row *last;

	for (; p < end; p = eol + 1) {
		eol = memchr(p, '\n', end - p);
		eol = eol ? eol : end;
		if (eol - p >= 2 && !memcmp(p, "{ ", 2)) {
			h->unread += start != NULL;
			start = p;
		} else if (!start && p < eol && *p == '\t' && h->nr_rows) {
			/* "\tmax:       8192  fd:          3" belongs to the row before it. */
			last = &h->rows[h->nr_rows - 1];
			free(last->saved);
			last->saved = clean_copy(p + 1, eol);
		}
		brace = start ? memrchr(p, '}', eol - p) : NULL;
		if (brace && brace > start + 1 && parse_row(h, start, brace, eol))
			start = NULL;
	}
	h->unread += start != NULL;
}

static bool parse_total(struct hist_cursor *t, const char *name, uint64_t *v)
{
	text_skip_blanks(t);
	return text_accept(t, name) && text_accept(t, ": ") && text_parse_digits(t, 10, v) &&
	       text_accept(t, "\n");
}

int hist_parse(struct hist *h, const char *text, size_t len, const struct hist_type *types,
	       size_t nr_types, struct ftr_error *err)
{
	static const char mark[] = "\nTotals:\n";
	const char *end = text + len, *totals;
	struct hist_cursor t = { .end = end };
	size_t i, j;

	*h = (struct hist){0};
	if (parse_trigger_info(h, text, end, err))
		return -1;
	apply_types(h->keys, h->nr_keys, types, nr_types);
	apply_types(h->vals, h->nr_vals, types, nr_types);
	totals = find_last(text, end, mark);
	if (totals) {
		t.p = totals + strlen(mark);
		h->whole = parse_total(&t, "Hits", &h->hits) &&
			   parse_total(&t, "Entries", &h->entries) &&
			   parse_total(&t, "Dropped", &h->dropped);
	}
	parse_rows(h, text, totals ? totals : end);
	/* A key without modifier is a string if one of its cells is not a number. */
	for (i = 0; i < h->nr_keys; i++)
		for (j = 0; j < h->nr_rows && h->keys[i].kind == HIST_NUM; j++)
			if (h->rows[j].keys[i].text)
				h->keys[i].kind = HIST_STRING;
	return 0;
}

/* The longest name of a task is shorter than that. */
static const char head[] = "# event histogram\n#\n# trigger info: ";

bool hist_cut(const char **text, size_t *len, const char *word)
{
	const char *end = *text + *len, *p, *next, *eol, *found = NULL, *found_end = NULL;

	for (p = find_within(*text, end, head); p; p = next) {
		next = find_within(p + 1, end, head);
		eol = memchr(p + strlen(head), '\n', end - p - strlen(head));
		if (!find_within(p, eol ? eol : end, word))
			continue;
		found = p;
		found_end = next ? next : end;
	}
	if (found) {
		*text = found;
		*len = found_end - found;
	}
	return found;
}

void hist_release(struct hist *h)
{
	size_t i;

	for (i = 0; i < h->nr_rows; i++)
		row_release(h, &h->rows[i]);
	for (i = 0; i < HIST_COLUMNS; i++) {
		free(h->keys[i].name);
		free(h->vals[i].name);
	}
	free(h->rows);
	free(h->trigger);
	*h = (struct hist){0};
}

/* --- reading it */

void hist_range(const struct hist_column *c, const struct hist_cell *k, uint64_t *lo, uint64_t *hi,
		bool *negative)
{
	*negative = false;
	if (c->kind == HIST_BUCKET) {
		*lo = k->num;
		*hi = k->num + (c->step - 1);
	} else if (!k->num) {
		*lo = 0;
		*hi = 1;
	} else {
		*lo = (1ull << (k->num - 1)) + 1;
		*hi = k->num > 63 ? UINT64_MAX : 1ull << k->num;
		*negative = c->is_signed && k->num > 63;
	}
}

bool hist_find(const struct hist *h, const char *name, struct hist_at *at)
{
	enum hist_kind kind;
	uint64_t step;
	size_t i, n = split_modifier(name, strlen(name), &kind, &step);

	for (i = 0; i < h->nr_keys + h->nr_vals; i++) {
		at->is_val = i >= h->nr_keys;
		at->index = at->is_val ? i - h->nr_keys : i;
		const char *have = at->is_val ? h->vals[at->index].name : h->keys[at->index].name;

		if (strlen(have) == n && !memcmp(have, name, n))
			return true;
	}
	return false;
}

struct hist_order {
	const struct hist *h;
	const struct hist_at *by;
	size_t n;
};

static int compare_cells(const struct hist_column *c, const struct hist_cell *a,
			 const struct hist_cell *b)
{
	uint64_t x = a->num, y = b->num;
	int diff = a->text && b->text ? strcmp(a->text, b->text) : 0;

	if (diff)
		return diff;
	/* This exchanges the two halves, so that negative numbers come first. */
	if (c->is_signed && c->kind == HIST_LOG2) {
		x = x > 63 ? 0 : x + 1;
		y = y > 63 ? 0 : y + 1;
	} else if (c->is_signed) {
		x ^= 1ull << 63;
		y ^= 1ull << 63;
	}
	return (x > y) - (x < y);
}

static int compare_rows(const void *left, const void *right, void *ctx)
{
	const struct hist_row *a = left, *b = right;
	const struct hist_order *o = ctx;
	size_t i, at;
	int diff;

	for (i = 0; i < o->n; i++) {
		at = o->by[i].index;
		diff = o->by[i].is_val ?
		       compare_cells(&o->h->vals[at], &a->vals[at], &b->vals[at]) :
		       compare_cells(&o->h->keys[at], &a->keys[at], &b->keys[at]);
		if (diff)
			return o->by[i].descending ? -diff : diff;
	}
	for (i = 0; i < o->h->nr_keys; i++) {
		diff = compare_cells(&o->h->keys[i], &a->keys[i], &b->keys[i]);
		if (diff)
			return diff;
	}
	return 0;
}

void hist_sort(struct hist *h, const struct hist_at *by, size_t n)
{
	struct hist_order o = { h, by, n };

	if (h->nr_rows)
		qsort_r(h->rows, h->nr_rows, sizeof(*h->rows), compare_rows, &o);
}

/* Returns the row with the same keys, NULL if there is none. @h must be sorted by its keys. */
static const struct hist_row *find_same_keys(const struct hist *h, const struct hist_row *r)
{
	struct hist_order o = { h, NULL, 0 };
	size_t at = SEARCH_ABOVE(i, 0, h->nr_rows, compare_rows(&h->rows[i], r, &o) < 0);

	return at < h->nr_rows && !compare_rows(&h->rows[at], r, &o) ? &h->rows[at] : NULL;
}

void hist_add_growth(struct hist *h, struct hist *before, size_t val)
{
	struct hist_column *c = &h->vals[h->nr_vals];
	size_t i, n = h->nr_keys + h->nr_vals;
	const struct hist_row *was;
	struct hist_row *r;

	if (h->nr_vals == HIST_COLUMNS || val >= h->nr_vals)
		return;
	if (before && (before->nr_keys != h->nr_keys || before->nr_vals <= val))
		before = NULL;
	if (before)
		hist_sort(before, NULL, 0);
	*c = h->vals[val];
	c->name = xasprintf("+%s", h->vals[val].name);
	for (i = 0; i < h->nr_rows; i++) {
		r = &h->rows[i];
		was = before ? find_same_keys(before, r) : NULL;
		r->keys = xrealloc(r->keys, (n + 1) * sizeof(*r->keys));
		r->vals = r->keys + h->nr_keys;
		r->vals[h->nr_vals] = (struct hist_cell){
			.num = r->vals[val].num - (was ? was->vals[val].num : 0),
		};
	}
	h->nr_vals++;
}
