/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The printk_formats table: strings that trace_printk() left in the kernel, by address. */
#include <string.h>

#include "base/limits.h"
#include "event/data/printk_lines.h"
#include "event/handle/engine_priv.h"

static void add_printk_line(struct ev_shared *sh, const struct printk_line *line)
{
	struct buf text = { 0 };

	if (sh->printk.n >= LIMIT_PRINTK) {
		sh->printk_left_out++;
		return;
	}
	printk_line_unescape(&text, line);
	buf_addch(&text, 0);
	map_put(&sh->printk, line->addr, texts_add(&sh->texts, text.data, strlen(text.data)));
	buf_release(&text);
}

static void build_printks(struct ev_shared *sh)
{
	struct printk_line line;
	size_t len;
	const char *p = ev_world_text(sh->w, EV_PRINTK, &len), *end = p + len;

	while (printk_line_next(&line, &p, end))
		add_printk_line(sh, &line);
}

const char *ev_printk_at(struct ev_engine *e, uint64_t addr)
{
	struct ev_shared *sh = e->sh;

	if (!atomic_load_explicit(&sh->printk_built, memory_order_acquire)) {
		pthread_mutex_lock(&sh->printk_lock);
		if (!sh->printk_built) {
			build_printks(sh);
			atomic_store_explicit(&sh->printk_built, true, memory_order_release);
		}
		pthread_mutex_unlock(&sh->printk_lock);
	}
	return map_get(&sh->printk, addr);
}

size_t ev_printk_left_out(struct ev_engine *e)
{
	size_t len;

	/* as few bytes can't be so many lines */
	if (!ev_world_text(e->w, EV_PRINTK, &len) || len / strlen("1\"a\"\n") <= LIMIT_PRINTK)
		return 0;
	ev_printk_at(e, 0);
	return e->sh->printk_left_out;
}
