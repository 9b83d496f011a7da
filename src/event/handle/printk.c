/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The printk_formats table: strings that trace_printk() left in the kernel, by address. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "event/handle/engine.h"

/* The escapes that the kernel writes in printk_formats. */
static void unescape_printk(struct buf *out, const char *p, const char *end)
{
	static const char from[] = "ntr", to[] = "\n\t\r";
	const char *at;

	for (; p < end; p++) {
		if (*p != '\\' || p + 1 == end) {
			buf_addch(out, *p);
			continue;
		}
		p++;
		at = *p ? strchr(from, *p) : NULL;
		buf_addch(out, at ? to[at - from] : *p);
	}
}

/* `0xffffffff81234567 : "text\n"` */
static void add_printk_line(struct ev_shared *sh, const char *p, const char *end)
{
	const char *open = memchr(p, '"', end - p);
	struct buf text = { 0 };
	char head[24], *stop;
	uint64_t addr;

	if (!open || (size_t)(open - p) >= sizeof(head))
		return;
	memcpy(head, p, open - p);
	head[open - p] = 0;
	addr = strtoull(head, &stop, 16);
	while (end > open + 1 && end[-1] != '"')
		end--;
	if (stop == head || end <= open + 1)
		return;
	if (sh->printk.n >= LIMIT_PRINTK) {
		sh->printk_left_out++;
		return;
	}
	buf_reserve(&text, 1);
	unescape_printk(&text, open + 1, end - 1);
	buf_addch(&text, 0);
	map_put(&sh->printk, addr, texts_add(&sh->texts, text.data, strlen(text.data)));
	buf_release(&text);
}

static void build_printks(struct ev_shared *sh)
{
	const char *p, *end, *nl;
	size_t len;

	p = ev_world_text(sh->w, EV_PRINTK, &len);
	end = p + len;
	for (; p && p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		if (!nl)
			nl = end;
		add_printk_line(sh, p, nl);
	}
}

const char *printk_find(struct ev_engine *e, uint64_t addr)
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
	printk_find(e, 0);
	return e->sh->printk_left_out;
}
