/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Histograms as text. */
#include "output/hist_text.h"

#include <stdlib.h>
#include <string.h>

#define BAR_DEFAULT 40			/* where no terminal limits it */
#define BAR_MIN 8
#define KEY_MIN 12			/* what is left of a key at least */
#define GAP_MAX 16			/* so many empty buckets are drawn, more are one line */

struct drawing {
	const struct hist *h;
	const struct hist_look *look;
	struct buf *out;
	size_t main;			/* column of ->vals */
	size_t first_key;		/* keys before it head a distribution */
	size_t key_width[HIST_COLUMNS], val_width[HIST_COLUMNS];
	size_t bar;			/* columns, 0 = none */
	bool addresses[HIST_COLUMNS];	/* one symbol stands for several */
	bool shares;			/* can be told: nothing is negative */
	double total, max, sum;		/* of the rows drawn together */
};

/* --- cells */

static size_t columns_of(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static void put_integer(struct buf *b, const struct hist_column *c, uint64_t v)
{
	if (c->is_signed)
		buf_printf(b, "%lld", (long long)v);
	else
		buf_printf(b, "%llu", (unsigned long long)v);
}

static void put_range(struct buf *b, const struct hist_column *c, const struct hist_cell *k)
{
	uint64_t lo, hi;
	bool negative;

	hist_range(c, k, &lo, &hi, &negative);
	if (negative) {
		buf_addstr(b, "negative");
		return;
	}
	put_integer(b, c, lo);
	if (lo == hi)
		return;
	buf_addstr(b, "..");
	put_integer(b, c, hi);
}

static void put_cell(struct buf *b, const struct hist_column *c, const struct hist_cell *k)
{
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
		put_range(b, c, k);
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
			put_integer(b, c, k->num);
	}
}

static bool is_range(const struct hist_column *c)
{
	return c->kind == HIST_LOG2 || c->kind == HIST_BUCKET;
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

static void put_key(const struct drawing *d, struct buf *b, const struct hist_row *r, size_t i)
{
	put_cell(b, &d->h->keys[i], &r->keys[i]);
	if (d->addresses[i])
		buf_printf(b, " [%llx]", (unsigned long long)r->keys[i].num);
}

static int compare_symbols(const void *left, const void *right)
{
	const struct hist_cell *const *a = left, *const *b = right;
	int diff = strcmp((*a)->text ? (*a)->text : "", (*b)->text ? (*b)->text : "");

	return diff ? diff : ((*a)->num > (*b)->num) - ((*a)->num < (*b)->num);
}

/* A symbol without offset may stand for several addresses, which are rows of their own then. */
static bool has_twins(const struct hist *h, size_t key)
{
	const struct hist_cell **cells = xcalloc(h->nr_rows + 1, sizeof(*cells)), *a, *b;
	bool twins = false;
	size_t i;

	for (i = 0; i < h->nr_rows; i++)
		cells[i] = &h->rows[i].keys[key];
	qsort(cells, h->nr_rows, sizeof(*cells), compare_symbols);
	for (i = 1; i < h->nr_rows && !twins; i++) {
		a = cells[i - 1];
		b = cells[i];
		twins = a->num != b->num && a->text && b->text && !strcmp(a->text, b->text);
	}
	free(cells);
	return twins;
}

/* --- lines */

static void put_blanks(struct buf *b, size_t n)
{
	while (n--)
		buf_addch(b, ' ');
}

/* The first @columns of @s; the last of them is '~' when something is cut off. */
static void put_cut(struct buf *b, const char *s, size_t columns)
{
	size_t n = 0, want = columns_of(s) > columns ? columns - 1 : columns;
	const char *at = s;

	for (; *at; at++) {
		n += ((unsigned char)*at & 0xc0) != 0x80;
		if (n > want)
			break;
	}
	buf_add(b, s, at - s);
	if (*at)
		buf_addch(b, '~');
}

static void put_aligned(struct buf *b, const char *s, size_t width, bool left)
{
	size_t n = columns_of(s);

	if (!left && n < width)
		put_blanks(b, width - n);
	put_cut(b, s, width);
	if (left && n < width)
		put_blanks(b, width - n);
}

/* Eighths of a block in UTF-8, whole marks otherwise; what is there has a mark at least. */
static void put_bar(const struct drawing *d, double share)
{
	size_t steps = d->look->utf8 ? 8 : 1, n = share * d->bar * steps + 0.5, i;

	if (!n && share > 0)
		n = 1;
	for (i = 0; i < n / steps; i++)
		buf_addstr(d->out, d->look->utf8 ? "\u2588" : "#");
	if (n % steps)
		buf_printf(d->out, "\xe2\x96%c", (char)(0x90 - n % steps));
}

static void end_line(struct buf *b)
{
	while (b->len && b->data[b->len - 1] == ' ')
		b->len--;
	buf_addch(b, '\n');
}

static double row_main_value(const struct drawing *d, const struct hist_row *r)
{
	const struct hist_column *c = &d->h->vals[d->main];
	uint64_t v = r->vals[d->main].num;

	return c->is_signed ? (double)(int64_t)v : (double)v;
}

static void put_share(struct drawing *d, double v)
{
	d->sum += v;
	if (d->shares)
		buf_printf(d->out, "  %6.2f  %6.2f", d->total ? 100 * v / d->total : 0,
			   d->total ? 100 * d->sum / d->total : 0);
	if (d->shares && d->bar) {
		buf_addstr(d->out, "  ");
		put_bar(d, d->max ? v / d->max : 0);
	}
	end_line(d->out);
}

static void put_vals(struct drawing *d, const struct hist_row *r)
{
	struct buf b = {0};
	size_t i;

	for (i = 0; i < d->h->nr_vals; i++) {
		buf_reset(&b);
		if (r)
			put_cell(&b, &d->h->vals[i], &r->vals[i]);
		else
			buf_addch(&b, '0');
		buf_addstr(d->out, "  ");
		put_aligned(d->out, b.data, d->val_width[i], is_text_column(&d->h->vals[i]));
	}
	put_share(d, r ? row_main_value(d, r) : 0);
	buf_release(&b);
}

static void put_stack(struct drawing *d, const char *frames)
{
	size_t n;

	for (; *frames; frames += n + (frames[n] != '\0')) {
		n = strcspn(frames, "\n");
		buf_printf(d->out, "      %.*s\n", (int)n, frames);
	}
}

/* What has lines of its own below the row. */
static void put_below(struct drawing *d, const struct hist_row *r)
{
	size_t i;

	for (i = d->first_key; i < d->h->nr_keys; i++)
		if (d->h->keys[i].kind == HIST_STACK)
			put_stack(d, r->keys[i].text ? r->keys[i].text : "");
	if (r->saved)
		buf_printf(d->out, "      %s\n", r->saved);
}

static void put_row(struct drawing *d, const struct hist_row *r)
{
	struct buf b = {0};
	size_t i;

	for (i = d->first_key; i < d->h->nr_keys; i++) {
		if (d->h->keys[i].kind == HIST_STACK)
			continue;
		buf_reset(&b);
		put_key(d, &b, r, i);
		if (i > d->first_key)
			buf_addstr(d->out, "  ");
		put_aligned(d->out, b.data, d->key_width[i], is_text_column(&d->h->keys[i]));
	}
	put_vals(d, r);
	put_below(d, r);
	buf_release(&b);
}

static void put_head(struct drawing *d)
{
	struct buf b = {0};
	size_t i;

	for (i = d->first_key; i < d->h->nr_keys; i++) {
		if (d->h->keys[i].kind == HIST_STACK)
			continue;
		if (i > d->first_key)
			buf_addstr(d->out, "  ");
		put_aligned(d->out, d->h->keys[i].name, d->key_width[i],
			    is_text_column(&d->h->keys[i]));
	}
	for (i = 0; i < d->h->nr_vals; i++) {
		buf_reset(&b);
		buf_printf(&b, "%s%s", d->h->vals[i].name,
			   d->h->vals[i].kind == HIST_PERCENT ? " (%)" : "");
		buf_addstr(d->out, "  ");
		put_aligned(d->out, b.data, d->val_width[i], is_text_column(&d->h->vals[i]));
	}
	if (d->shares)
		buf_addstr(d->out, "       %    cum%");
	end_line(d->out);
	buf_release(&b);
}

/* --- widths and sums */

static void widen_column(size_t *width, const struct buf *b)
{
	size_t n = columns_of(b->data ? b->data : "");

	if (n > *width)
		*width = n;
}

static void measure_widths(struct drawing *d)
{
	const struct hist *h = d->h;
	struct buf b = {0};
	size_t i, j;

	for (i = 0; i < h->nr_keys; i++)
		d->key_width[i] = columns_of(h->keys[i].name);
	for (i = 0; i < h->nr_vals; i++)
		d->val_width[i] = columns_of(h->vals[i].name) +
				  (h->vals[i].kind == HIST_PERCENT ? 4 : 0);
	for (j = 0; j < h->nr_rows; j++) {
		for (i = 0; i < h->nr_keys; i++) {
			buf_reset(&b);
			if (h->keys[i].kind != HIST_STACK)
				put_key(d, &b, &h->rows[j], i);
			widen_column(&d->key_width[i], &b);
		}
		for (i = 0; i < h->nr_vals; i++) {
			buf_reset(&b);
			put_cell(&b, &h->vals[i], &h->rows[j].vals[i]);
			widen_column(&d->val_width[i], &b);
		}
	}
	buf_release(&b);
}

/* Cuts the widest keys until @over columns are saved, as far as that is possible. */
static size_t narrow_keys(struct drawing *d, size_t over)
{
	size_t i, widest;

	for (; over; over--) {
		widest = d->first_key;
		for (i = d->first_key; i < d->h->nr_keys; i++)
			if (d->h->keys[i].kind != HIST_STACK && is_text_column(&d->h->keys[i]) &&
			    (!is_text_column(&d->h->keys[widest]) ||
			     d->key_width[i] > d->key_width[widest]))
				widest = i;
		if (!is_text_column(&d->h->keys[widest]) || d->key_width[widest] <= KEY_MIN)
			break;
		d->key_width[widest]--;
	}
	return over;
}

static void fit_width(struct drawing *d)
{
	size_t i, used = d->shares ? 16 : 0;

	for (i = d->first_key; i < d->h->nr_keys; i++)
		used += d->h->keys[i].kind == HIST_STACK ? 0 : d->key_width[i] + 2;
	for (i = 0; i < d->h->nr_vals; i++)
		used += d->val_width[i] + 2;
	if (!d->look->width) {
		d->bar = BAR_DEFAULT;
		return;
	}
	if (used > d->look->width + 2)
		narrow_keys(d, used - d->look->width - 2);
	else if (used + BAR_MIN <= d->look->width)
		d->bar = d->look->width - used < BAR_DEFAULT * 2 ? d->look->width - used :
			 BAR_DEFAULT * 2;
}

/* Sums of the rows from @from to @to, which are drawn together. */
static void sum_rows(struct drawing *d, size_t from, size_t to)
{
	double v;

	d->total = d->max = d->sum = 0;
	for (; from < to; from++) {
		v = row_main_value(d, &d->h->rows[from]);
		d->total += v;
		d->max = v > d->max ? v : d->max;
	}
}

static bool has_negative(const struct drawing *d)
{
	size_t i;

	for (i = 0; i < d->h->nr_rows; i++)
		if (row_main_value(d, &d->h->rows[i]) < 0)
			return true;
	return false;
}

/* --- distributions: a group of rows that differ in the last key only */

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

static void put_group_head(struct drawing *d, const struct hist_row *r)
{
	const struct hist_column *c;
	size_t i;

	for (i = 0; i < d->first_key; i++) {
		c = &d->h->keys[i];
		buf_printf(d->out, "%s%s: ", i ? ", " : "", c->name);
		if (c->kind != HIST_STACK) {
			put_cell(d->out, c, &r->keys[i]);
			continue;
		}
		buf_addch(d->out, '\n');
		put_stack(d, r->keys[i].text ? r->keys[i].text : "");
	}
	if (d->first_key && d->out->data[d->out->len - 1] != '\n')
		buf_addch(d->out, '\n');
}

/* How many ranges without a row lie between two. */
static uint64_t count_gap(const struct hist_column *c, const struct hist_cell *a,
			  const struct hist_cell *b)
{
	uint64_t step = c->kind == HIST_BUCKET ? c->step : 1;

	/* from the negative numbers to 2^0 is no way */
	if (c->kind == HIST_LOG2 && a->num > b->num)
		return 0;
	return (b->num - a->num) / step - 1;
}

static void put_gap(struct drawing *d, const struct hist_cell *a, const struct hist_cell *b)
{
	size_t last = d->h->nr_keys - 1;
	const struct hist_column *c = &d->h->keys[last];
	uint64_t i, n = count_gap(c, a, b);
	struct hist_cell k = { .num = a->num };
	struct buf text = {0};

	if (n > GAP_MAX && c->kind == HIST_BUCKET) {
		put_aligned(d->out, "...", d->key_width[last], false);
		buf_addch(d->out, '\n');
		return;
	}
	for (i = 0; i < n; i++) {
		k.num += c->kind == HIST_BUCKET ? c->step : 1;
		buf_reset(&text);
		put_cell(&text, c, &k);
		put_aligned(d->out, text.data, d->key_width[last], false);
		put_vals(d, NULL);
	}
	buf_release(&text);
}

static void put_group(struct drawing *d, size_t from, size_t to)
{
	size_t last = d->h->nr_keys - 1, i;

	if (from)
		buf_addch(d->out, '\n');
	put_group_head(d, &d->h->rows[from]);
	put_head(d);
	sum_rows(d, from, to);
	for (i = from; i < to; i++) {
		if (i > from)
			put_gap(d, &d->h->rows[i - 1].keys[last], &d->h->rows[i].keys[last]);
		put_row(d, &d->h->rows[i]);
	}
}

static size_t draw_groups(struct drawing *d)
{
	const struct hist *h = d->h;
	size_t from, to, n = 0;

	for (from = 0; from < h->nr_rows; from = to) {
		if (d->look->top && n++ == d->look->top)
			break;
		for (to = from + 1; to < h->nr_rows &&
		     same_group(h, &h->rows[from], &h->rows[to]); to++)
			;
		put_group(d, from, to);
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
	return !look->table && is_range(&h->keys[h->nr_keys - 1]);
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

static size_t draw_table(struct drawing *d)
{
	size_t i, n = d->h->nr_rows;

	put_head(d);
	sum_rows(d, 0, n);
	if (d->look->top && d->look->top < n)
		n = d->look->top;
	for (i = 0; i < n; i++)
		put_row(d, &d->h->rows[i]);
	return n;
}

void hist_draw(const struct hist *h, const struct hist_look *look, struct buf *out)
{
	struct drawing d = { .h = h, .look = look, .out = out };
	size_t shown, i;

	d.main = hist_main_value(h, look->main);
	d.shares = is_number_column(&h->vals[d.main]) && !has_negative(&d);
	if (is_distribution(h, look))
		d.first_key = h->nr_keys - 1;
	for (i = 0; i < h->nr_keys; i++)
		d.addresses[i] = h->keys[i].kind == HIST_SYM && has_twins(h, i);
	measure_widths(&d);
	fit_width(&d);
	shown = d.first_key || is_distribution(h, look) ? draw_groups(&d) : draw_table(&d);
	if (shown < h->nr_rows)
		buf_printf(out, "(%zu more rows)\n", h->nr_rows - shown);
	buf_printf(out, "\nTotals: %llu hits, %llu entries, %llu dropped\n",
		   (unsigned long long)h->hits, (unsigned long long)h->entries,
		   (unsigned long long)h->dropped);
}
