/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Histograms as text. */
#include "output/hist_text.h"

#include <stdlib.h>
#include <string.h>

#define BAR_DEFAULT 40			/* without a terminal */
#define BAR_MIN 8
#define KEY_MIN 12			/* the narrowest key, in columns */
#define GAP_MAX 16			/* empty buckets that are drawn; more are one line */

struct hist_drawing {
	const struct hist *h;
	const struct hist_look *look;
	struct buf *out;
	size_t main;			/* column of ->vals */
	size_t first_key;		/* keys before it are the head of a distribution */
	size_t key_width[HIST_COLUMNS], val_width[HIST_COLUMNS];
	size_t bar;			/* columns, 0 = none */
	bool addresses[HIST_COLUMNS];	/* of keys: a symbol has several addresses */
	bool shares;			/* there are shares: no value is negative */
	double total, max, sum;		/* of the rows that are drawn together */
};

/* --- cells */

static size_t count_columns(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static void print_integer(struct buf *b, const struct hist_column *c, uint64_t v)
{
	if (c->is_signed)
		buf_printf(b, "%lld", (long long)v);
	else
		buf_printf(b, "%llu", (unsigned long long)v);
}

static void print_cell(struct buf *b, const struct hist_column *c, const struct hist_cell *k)
{
	uint64_t lo, hi;
	bool negative;
	size_t i;

	switch (c->kind) {
	case HIST_HEX:
		buf_printf(b, "0x%llx", (unsigned long long)k->num);
		break;
	case HIST_EXECNAME:
		buf_printf(b, "%s-%llu", k->text, (unsigned long long)k->num);
		break;
	case HIST_LOG2:
	case HIST_BUCKET:
		hist_range(c, k, &lo, &hi, &negative);
		if (negative) {
			buf_addstr(b, "negative");
			break;
		}
		print_integer(b, c, lo);
		if (lo == hi)
			break;
		buf_addstr(b, "..");
		print_integer(b, c, hi);
		break;
	case HIST_PERCENT:
		if (k->text)
			buf_addstr(b, "?");
		else
			buf_printf(b, "%llu.%02llu", (unsigned long long)k->num / 100,
				   (unsigned long long)k->num % 100);
		break;
	case HIST_GRAPH:
		for (i = 0; i < k->num && i < 20; i++)
			buf_addch(b, '#');
		break;
	default:
		if (k->text)
			buf_addstr(b, k->text);
		else
			print_integer(b, c, k->num);
	}
}

static bool is_text_column(const struct hist_column *c)
{
	return c->kind == HIST_STRING || c->kind == HIST_SYM || c->kind == HIST_SYM_OFFSET ||
	       c->kind == HIST_EXECNAME || c->kind == HIST_SYSCALL || c->kind == HIST_GRAPH;
}

static bool is_number_column(const struct hist_column *c)
{
	return c->kind == HIST_NUM || c->kind == HIST_HEX;
}

static void print_key(const struct hist_drawing *d, struct buf *b, const struct hist_row *r,
		      size_t i)
{
	print_cell(b, &d->h->keys[i], &r->keys[i]);
	if (d->addresses[i])
		buf_printf(b, " [%llx]", (unsigned long long)r->keys[i].num);
}

static int compare_symbols(const void *left, const void *right)
{
	const struct hist_cell *const *a = left, *const *b = right;
	int diff = strcmp((*a)->text ? (*a)->text : "", (*b)->text ? (*b)->text : "");

	return diff ? diff : ((*a)->num > (*b)->num) - ((*a)->num < (*b)->num);
}

/* Returns true if a symbol without offset has several addresses, which have separate rows then. */
static bool has_equal_symbols(const struct hist *h, size_t key)
{
	const struct hist_cell **cells = xcalloc(h->nr_rows + 1, sizeof(*cells)), *a, *b;
	bool equal = false;
	size_t i;

	for (i = 0; i < h->nr_rows; i++)
		cells[i] = &h->rows[i].keys[key];
	qsort(cells, h->nr_rows, sizeof(*cells), compare_symbols);
	for (i = 1; i < h->nr_rows && !equal; i++) {
		a = cells[i - 1];
		b = cells[i];
		equal = a->num != b->num && a->text && b->text && !strcmp(a->text, b->text);
	}
	free(cells);
	return equal;
}

/* --- lines */

static void print_blanks(struct buf *b, size_t n)
{
	while (n--)
		buf_addch(b, ' ');
}

/* Prints @s in @width columns. A longer text is cut, and ends with '~'. */
static void print_aligned(struct buf *b, const char *s, size_t width, bool left)
{
	size_t n = count_columns(s), i = 0, want = n > width ? width - 1 : width;
	const char *at = s;

	if (!left && n < width)
		print_blanks(b, width - n);
	for (; *at; at++) {
		i += ((unsigned char)*at & 0xc0) != 0x80;
		if (i > want)
			break;
	}
	buf_add(b, s, at - s);
	if (*at)
		buf_addch(b, '~');
	if (left && n < width)
		print_blanks(b, width - n);
}

static void end_line(struct buf *b)
{
	while (b->len && b->data[b->len - 1] == ' ')
		b->len--;
	buf_addch(b, '\n');
}

static double row_main_value(const struct hist_drawing *d, const struct hist_row *r)
{
	const struct hist_column *c = &d->h->vals[d->main];
	uint64_t v = r->vals[d->main].num;

	return c->is_signed ? (double)(int64_t)v : (double)v;
}

/* Prints the values with shares and bar of @r; without it those of an empty row. */
static void print_vals(struct hist_drawing *d, const struct hist_row *r)
{
	size_t i, steps = d->look->utf8 ? 8 : 1, n;
	double v = r ? row_main_value(d, r) : 0, share = d->max ? v / d->max : 0;
	struct buf b = {0};

	for (i = 0; i < d->h->nr_vals; i++) {
		buf_reset(&b);
		if (r)
			print_cell(&b, &d->h->vals[i], &r->vals[i]);
		else
			buf_addch(&b, '0');
		buf_addstr(d->out, "  ");
		print_aligned(d->out, b.data, d->val_width[i], is_text_column(&d->h->vals[i]));
	}
	buf_release(&b);
	d->sum += v;
	if (d->shares)
		buf_printf(d->out, "  %6.2f  %6.2f", d->total ? 100 * v / d->total : 0,
			   d->total ? 100 * d->sum / d->total : 0);
	if (d->shares && d->bar) {
		/* eighths of a block in UTF-8, else whole characters; at least one if not 0 */
		buf_addstr(d->out, "  ");
		n = share * d->bar * steps + 0.5;
		if (!n && share > 0)
			n = 1;
		for (i = 0; i < n / steps; i++)
			buf_addstr(d->out, d->look->utf8 ? "\u2588" : "#");
		if (n % steps)
			buf_printf(d->out, "\xe2\x96%c", (char)(0x90 - n % steps));
	}
	end_line(d->out);
}

static void print_stack(struct hist_drawing *d, const char *frames)
{
	size_t n;

	for (; *frames; frames += n + (frames[n] != '\0')) {
		n = strcspn(frames, "\n");
		buf_printf(d->out, "      %.*s\n", (int)n, frames);
	}
}

static void print_row(struct hist_drawing *d, const struct hist_row *r)
{
	struct buf b = {0};
	size_t i;

	for (i = d->first_key; i < d->h->nr_keys; i++) {
		if (d->h->keys[i].kind == HIST_STACK)
			continue;
		buf_reset(&b);
		print_key(d, &b, r, i);
		if (i > d->first_key)
			buf_addstr(d->out, "  ");
		print_aligned(d->out, b.data, d->key_width[i], is_text_column(&d->h->keys[i]));
	}
	print_vals(d, r);
	for (i = d->first_key; i < d->h->nr_keys; i++)
		if (d->h->keys[i].kind == HIST_STACK)
			print_stack(d, r->keys[i].text ? r->keys[i].text : "");
	if (r->saved)
		buf_printf(d->out, "      %s\n", r->saved);
	buf_release(&b);
}

static void print_head(struct hist_drawing *d)
{
	struct buf b = {0};
	size_t i;

	for (i = d->first_key; i < d->h->nr_keys; i++) {
		if (d->h->keys[i].kind == HIST_STACK)
			continue;
		if (i > d->first_key)
			buf_addstr(d->out, "  ");
		print_aligned(d->out, d->h->keys[i].name, d->key_width[i],
			      is_text_column(&d->h->keys[i]));
	}
	for (i = 0; i < d->h->nr_vals; i++) {
		buf_reset(&b);
		buf_printf(&b, "%s%s", d->h->vals[i].name,
			   d->h->vals[i].kind == HIST_PERCENT ? " (%)" : "");
		buf_addstr(d->out, "  ");
		print_aligned(d->out, b.data, d->val_width[i], is_text_column(&d->h->vals[i]));
	}
	if (d->shares)
		buf_addstr(d->out, "       %    cum%");
	end_line(d->out);
	buf_release(&b);
}

/* --- widths and sums */

static void widen_column(size_t *width, const struct buf *b)
{
	size_t n = count_columns(b->data ? b->data : "");

	if (n > *width)
		*width = n;
}

static void measure_widths(struct hist_drawing *d)
{
	const struct hist *h = d->h;
	struct buf b = {0};
	size_t i, j;

	for (i = 0; i < h->nr_keys; i++)
		d->key_width[i] = count_columns(h->keys[i].name);
	for (i = 0; i < h->nr_vals; i++)
		d->val_width[i] = count_columns(h->vals[i].name) +
				  (h->vals[i].kind == HIST_PERCENT ? 4 : 0);
	for (j = 0; j < h->nr_rows; j++) {
		for (i = 0; i < h->nr_keys; i++) {
			buf_reset(&b);
			if (h->keys[i].kind != HIST_STACK)
				print_key(d, &b, &h->rows[j], i);
			widen_column(&d->key_width[i], &b);
		}
		for (i = 0; i < h->nr_vals; i++) {
			buf_reset(&b);
			print_cell(&b, &h->vals[i], &h->rows[j].vals[i]);
			widen_column(&d->val_width[i], &b);
		}
	}
	buf_release(&b);
}

static void fit_width(struct hist_drawing *d)
{
	const struct hist_column *keys = d->h->keys;
	size_t i, used = d->shares ? 16 : 0, over, widest;

	for (i = d->first_key; i < d->h->nr_keys; i++)
		used += keys[i].kind == HIST_STACK ? 0 : d->key_width[i] + 2;
	for (i = 0; i < d->h->nr_vals; i++)
		used += d->val_width[i] + 2;
	if (!d->look->width) {
		d->bar = BAR_DEFAULT;
		return;
	}
	if (used + BAR_MIN <= d->look->width)
		d->bar = d->look->width - used < BAR_DEFAULT * 2 ? d->look->width - used :
			 BAR_DEFAULT * 2;
	/* cut the widest keys, as far as that is possible */
	over = used > d->look->width + 2 ? used - d->look->width - 2 : 0;
	for (; over; over--) {
		widest = d->first_key;
		for (i = d->first_key; i < d->h->nr_keys; i++)
			if (keys[i].kind != HIST_STACK && is_text_column(&keys[i]) &&
			    (!is_text_column(&keys[widest]) ||
			     d->key_width[i] > d->key_width[widest]))
				widest = i;
		if (!is_text_column(&keys[widest]) || d->key_width[widest] <= KEY_MIN)
			break;
		d->key_width[widest]--;
	}
}

/* Sums up the rows [from, to), which are drawn together. */
static void sum_rows(struct hist_drawing *d, size_t from, size_t to)
{
	double v;

	d->total = d->max = d->sum = 0;
	for (; from < to; from++) {
		v = row_main_value(d, &d->h->rows[from]);
		d->total += v;
		d->max = v > d->max ? v : d->max;
	}
}

/* --- distributions: a group of rows that differ in the last key only */

/* Returns true if two rows differ in the last key only. */
static bool same_group(const struct hist *h, const struct hist_row *a, const struct hist_row *b)
{
	size_t i;

	for (i = 0; i + 1 < h->nr_keys; i++) {
		const char *x = a->keys[i].text, *y = b->keys[i].text;

		if (a->keys[i].num != b->keys[i].num || strcmp(x ? x : "", y ? y : ""))
			return false;
	}
	return true;
}

static void print_group_head(struct hist_drawing *d, const struct hist_row *r)
{
	const struct hist_column *c;
	size_t i;

	for (i = 0; i < d->first_key; i++) {
		c = &d->h->keys[i];
		buf_printf(d->out, "%s%s: ", i ? ", " : "", c->name);
		if (c->kind != HIST_STACK) {
			print_cell(d->out, c, &r->keys[i]);
			continue;
		}
		buf_addch(d->out, '\n');
		print_stack(d, r->keys[i].text ? r->keys[i].text : "");
	}
	if (d->first_key && d->out->data[d->out->len - 1] != '\n')
		buf_addch(d->out, '\n');
}

/* Prints the ranges between two rows, which have no row. */
static void print_gap(struct hist_drawing *d, const struct hist_cell *a, const struct hist_cell *b)
{
	size_t last = d->h->nr_keys - 1;
	const struct hist_column *c = &d->h->keys[last];
	uint64_t i, step = c->kind == HIST_BUCKET ? c->step : 1, n;
	struct hist_cell k = { .num = a->num };
	struct buf text = {0};

	/* no range lies between the negative numbers and 2^0 */
	n = c->kind == HIST_LOG2 && a->num > b->num ? 0 : (b->num - a->num) / step - 1;
	if (n > GAP_MAX && c->kind == HIST_BUCKET) {
		print_aligned(d->out, "...", d->key_width[last], false);
		buf_addch(d->out, '\n');
		return;
	}
	for (i = 0; i < n; i++) {
		k.num += step;
		buf_reset(&text);
		print_cell(&text, c, &k);
		print_aligned(d->out, text.data, d->key_width[last], false);
		print_vals(d, NULL);
	}
	buf_release(&text);
}

/* Draws the groups, up to look.top. Returns the number of rows in them. */
static size_t draw_groups(struct hist_drawing *d)
{
	const struct hist *h = d->h;
	size_t from, to, i, n = 0, last = h->nr_keys - 1;

	for (from = 0; from < h->nr_rows; from = to) {
		if (d->look->top && n++ == d->look->top)
			break;
		for (to = from + 1; to < h->nr_rows; to++)
			if (!same_group(h, &h->rows[from], &h->rows[to]))
				break;
		if (from)
			buf_addch(d->out, '\n');
		print_group_head(d, &h->rows[from]);
		print_head(d);
		sum_rows(d, from, to);
		for (i = from; i < to; i++) {
			if (i > from)
				print_gap(d, &h->rows[i - 1].keys[last], &h->rows[i].keys[last]);
			print_row(d, &h->rows[i]);
		}
	}
	return from;
}

/* --- public */

size_t hist_main_value(const struct hist *h, const char *name)
{
	struct hist_at at;
	size_t i;

	if (name && hist_find(h, name, &at) && at.is_val && is_number_column(&h->vals[at.index]))
		return at.index;
	for (i = 0; i < h->nr_vals; i++)
		if (is_number_column(&h->vals[i]) && strcmp(h->vals[i].name, "hitcount") &&
		    *h->vals[i].name != '+')
			return i;
	return 0;
}

static bool is_distribution(const struct hist *h, const struct hist_look *look)
{
	enum hist_kind kind = h->keys[h->nr_keys - 1].kind;

	return !look->table && (kind == HIST_LOG2 || kind == HIST_BUCKET);
}

bool hist_order(struct hist *h, const struct hist_look *look, const struct hist_at *sorts,
		size_t nr_sorts)
{
	struct hist_at by = { .is_val = true, .descending = true };

	if (nr_sorts) {
		hist_sort(h, sorts, nr_sorts);
	} else if (is_distribution(h, look)) {
		hist_sort(h, NULL, 0);
	} else {
		by.index = hist_main_value(h, look->main);
		hist_sort(h, &by, 1);
	}
	return is_distribution(h, look);
}

void hist_draw(const struct hist *h, const struct hist_look *look, struct buf *out)
{
	struct hist_drawing d = { .h = h, .look = look, .out = out };
	size_t shown = h->nr_rows, i;

	d.main = hist_main_value(h, look->main);
	d.shares = is_number_column(&h->vals[d.main]);
	for (i = 0; i < h->nr_rows; i++)
		if (row_main_value(&d, &h->rows[i]) < 0)
			d.shares = false;
	if (is_distribution(h, look))
		d.first_key = h->nr_keys - 1;
	for (i = 0; i < h->nr_keys; i++)
		d.addresses[i] = h->keys[i].kind == HIST_SYM && has_equal_symbols(h, i);
	measure_widths(&d);
	fit_width(&d);
	if (is_distribution(h, look)) {
		shown = draw_groups(&d);
	} else {
		print_head(&d);
		sum_rows(&d, 0, shown);
		if (look->top && look->top < shown)
			shown = look->top;
		for (i = 0; i < shown; i++)
			print_row(&d, &h->rows[i]);
	}
	if (shown < h->nr_rows)
		buf_printf(out, "(%zu more rows)\n", h->nr_rows - shown);
	buf_printf(out, "\nTotals: %llu hits, %llu entries, %llu dropped\n",
		   (unsigned long long)h->hits, (unsigned long long)h->entries,
		   (unsigned long long)h->dropped);
}
