/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What only one kernel tells: addresses that it chose, sizes and ticks that it was built with. */
#include "event/data/known.h"

#include <stdlib.h>
#include <string.h>

#include "event/data/data.h"

/* The types that arch/x86 and arch/arm64 give them. */
static const struct {
	const char *name;
	bool is_signed;
} values[] = {
	{ "vmemmap_base", false }, { "memstart_addr", true },
};

/* "NAME=VALUE" of those, with ';' between them. */
static bool kvalue_parse(const struct ev_world *w, const char *name, size_t len, uint64_t *v)
{
	const char *p = w->values, *end = p + w->values_len, *semi;
	char digits[24];
	size_t n;

	for (; p && p < end; p = semi + 1) {
		semi = memchr(p, ';', end - p);
		semi = semi ? semi : end;
		n = semi - p;
		if (n <= len + 1 || n - len > sizeof(digits) || memcmp(p, name, len) ||
		    p[len] != '=')
			continue;
		memcpy(digits, p + len + 1, n - len - 1);
		digits[n - len - 1] = 0;
		*v = strtoull(digits, NULL, 0);
		return true;
	}
	return false;
}

bool kvalue_find(const struct ev_world *w, const char *name, size_t len, uint64_t *v,
		 bool *is_signed)
{
	for (size_t i = 0; w && i < sizeof(values) / sizeof(*values); i++) {
		if (strlen(values[i].name) != len || memcmp(values[i].name, name, len))
			continue;
		*is_signed = values[i].is_signed;
		return kvalue_parse(w, name, len, v);
	}
	return false;
}

uint32_t kvalue_page_struct(const struct ev_world *w)
{
	static const char name[] = "sizeof(struct page)";
	uint64_t v;

	return w && kvalue_parse(w, name, sizeof(name) - 1, &v) && v <= 4096 ? v : 0;
}

/* "(jiffies - REC->dirtied_when) / 250": HZ is a macro, so the format has its number. */
uint32_t kvalue_hz(const struct ev_world *w)
{
	static const char before[] = "(jiffies - REC->dirtied_when) / ";
	const struct ev_format *f = w ? ev_world_by_name(w, "writeback", "writeback_single_inode") :
		NULL;
	const char *at;
	unsigned long hz;

	if (!f || ev_format_ready(f) || !f->print_fmt)
		return 0;
	at = strstr(f->print_fmt, before);
	hz = at ? strtoul(at + sizeof(before) - 1, NULL, 10) : 0;
	return hz <= 100000 ? hz : 0;
}
