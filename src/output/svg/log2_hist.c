/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Histograms of powers of two. */
#include "output/svg/log2_hist.h"

#include <inttypes.h>

#define ROWS_NARROW	32	/* of more the numbers need other columns */

/* Widths, as those of _print_log2_hist() in bcc's src/python/bcc/table.py. */
struct layout {
	int indent, label, number, bar;
};

static const struct layout narrow = { 5, 19, 10, 40 }, wide = { 15, 29, 20, 20 };

static void add_bar(struct buf *out, uint64_t count, uint64_t most, int width)
{
	int stars = (unsigned __int128)count * width / most;

	buf_addch(out, '|');
	for (int i = 0; i < width; i++)
		buf_addch(out, i < stars ? '*' : ' ');
	buf_addstr(out, "|\n");
}

void log2_draw(struct buf *out, const uint64_t *rows, size_t n, const char *label)
{
	const struct layout *l;
	uint64_t most = 1;

	while (n && !rows[n - 1])
		n--;
	l = n > ROWS_NARROW ? &wide : &narrow;
	for (size_t i = 0; i < n; i++)
		most = rows[i] > most ? rows[i] : most;
	buf_printf(out, "%*s%-*s : count     distribution\n", l->indent, "", l->label, label);
	for (size_t i = 0; i < n; i++) {
		buf_printf(out, "%*" PRIu64 " -> %-*" PRIu64 " : %-8" PRIu64 " ", l->number,
			   log2_from(i), l->number, log2_to(i), rows[i]);
		add_bar(out, rows[i], most, l->bar);
	}
}
