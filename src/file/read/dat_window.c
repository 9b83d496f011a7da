/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes of the file that a cursor stands in, read by system calls. The file is mapped, too, but
 * each first touch of a mapped page is a page fault: on a virtual machine whose page tables the
 * host keeps it costs as much as copying 30 KiB, and copied bytes lie in the processor's cache.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "file/read/dat_priv.h"
#include "file/read/dat_sums.h"

#define WINDOWS_ALL (8u << 20)	/* bytes of the windows of one cursor of each CPU, together */
#define WINDOW_FIRST (16u << 10) /* copying them takes about as long as the call itself */
#define WINDOW_MAX  (64u << 10)	/* with what is made of it, it stays in the second-level cache */

bool dat_read_at(const struct dat *d, void *to, size_t n, uint64_t off)
{
	size_t done = 0;
	ssize_t got = 1;

	for (; d->priv->fd >= 0 && done < n && got > 0; done += got > 0 ? got : 0)
		got = pread(d->priv->fd, (uint8_t *)to + done, n - done, off + done);
	return done == n;
}

static bool is_in_window(const struct dat_cursor *c, uint64_t off, size_t len)
{
	return off >= c->off && off - c->off <= c->len && len <= c->len - (off - c->off);
}

static bool fill_window(struct dat_cursor *c, uint64_t off, size_t n)
{
	if (c->cap < n) {
		free(c->mem);
		c->mem = xmalloc(n);
		c->cap = n;
	}
	c->off = off;
	c->len = dat_read_at(c->dat, c->mem, n, off) ? n : 0;
	return c->len;
}

static size_t share_of(const struct dat *d, size_t most)
{
	uint64_t share = WINDOWS_ALL / (d->priv->nr_cpu_entries + 1);

	return share < most ? share : most;
}

/* Who jumps reads little; who goes on from there, twice as much each time. */
static size_t next_size(const struct dat_cursor *c, uint64_t off, size_t len)
{
	size_t most = share_of(c->dat, WINDOW_MAX), n = share_of(c->dat, WINDOW_FIRST);
	uint64_t left = c->dat->file_size - off;

	if (c->len && off == c->off + c->len)
		n = 2 * c->len < most ? 2 * c->len : most;
	n = n > len ? n : len;
	return n < left ? n : left;
}

const uint8_t *dat_window(struct dat_cursor *c, uint64_t off, size_t len)
{
	if (!is_in_window(c, off, len) && !fill_window(c, off, next_size(c, off, len)))
		return c->dat->priv->map + off;	/* a file that was cut is noticed there */
	return c->mem + (off - c->off);
}

static bool goes_on(const struct dat_cursor *c, uint64_t off)
{
	return c->len && off == c->off + c->len && c->len >= share_of(c->dat, WINDOW_MAX);
}

/*
 * Reads a whole range where its checksum needs all of it anyway. Not for one who jumps: fresh
 * memory of that size takes longer than reading the bytes twice.
 */
static void read_range(struct dat_cursor *c, uint64_t off, size_t len)
{
	struct dat_sum *s = goes_on(c, off) ? dat_sums_unknown(c->dat, off, &c->sum) : NULL;

	if (s && off + len <= s->off + s->len && s->len <= share_of(c->dat, DAT_SUM_RANGE) &&
	    fill_window(c, s->off, s->len))
		dat_sums_settle(c->dat, s, c->mem);
}

const uint8_t *dat_window_checked(struct dat_cursor *c, uint64_t off, size_t len)
{
	read_range(c, off, len);
	dat_sums_touch(c->dat, off, len, c->damages, &c->sum);
	return dat_window(c, off, len);
}
