/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What options say: of their own damage, when content and id do not fit, and of the CPUs. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/search.h"
#include "file/read/dat_priv.h"

#define LAST_KNOWN DAT_MODULES_FILE

static bool blob_starts(const struct dat_blob *b, const char *with)
{
	size_t n = strlen(with);

	return b->len >= n && !memcmp(b->p, with, n);
}

static bool is_stat(const struct dat_blob *b)
{
	return blob_starts(b, "CPU: ") || blob_starts(b, "\nBuffer: ");
}

static bool is_uname(const struct dat_blob *b)
{
	return blob_starts(b, "Linux ");
}

/* A statistics text as a whole: one that swallowed its neighbours has zeros within. */
static bool is_whole_stat(const struct dat_blob *b)
{
	return is_stat(b) && !memchr(b->p, 0, b->len - 1);
}

/* The text of the control file trace_clock, or nothing. */
static bool is_clock(const struct dat_blob *b)
{
	return !b->len || (memchr(b->p, '[', b->len) && memchr(b->p, ']', b->len));
}

static bool is_date(const struct dat_blob *b)
{
	return blob_starts(b, "0x");
}

static bool is_number(const struct dat_blob *b)
{
	return b->len && (isdigit((unsigned char)b->p[0]) || b->p[0] == '-');
}

static bool is_text(const struct dat_blob *b)
{
	return b->len && isprint((unsigned char)b->p[0]);
}

static bool is_u32(const struct dat_blob *b)
{
	return b->len == 4;
}

static bool is_u64(const struct dat_blob *b)
{
	return b->len == 8;
}

static bool is_tsc2nsec(const struct dat_blob *b)
{
	return b->len == 16;
}

static bool is_any(const struct dat_blob *b)
{
	return b;
}

static bool is_nothing(const struct dat_blob *b)
{
	return !b;
}

static bool (*const forms[])(const struct dat_blob *b) = {
	[DAT_DONE] = is_nothing,       [DAT_DATE] = is_date,	    [DAT_CPUSTAT] = is_whole_stat,
	[DAT_BUFFER] = is_any,	       [DAT_TRACECLOCK] = is_clock, [DAT_UNAME] = is_text,
	[DAT_HOOK] = is_text,	       [DAT_OFFSET] = is_number,    [DAT_CPUCOUNT] = is_u32,
	[DAT_VERSION] = is_text,       [DAT_PROCMAPS] = is_text,    [DAT_TRACEID] = is_u64,
	[DAT_TIME_SHIFT] = is_any,     [DAT_GUEST] = is_any,	    [DAT_TSC2NSEC] = is_tsc2nsec,
	[DAT_STRINGS] = is_nothing,    [DAT_HEADER_INFO] = is_u64,  [DAT_FTRACE_EVENTS] = is_u64,
	[DAT_EVENT_FORMATS] = is_u64,  [DAT_KALLSYMS] = is_u64,	    [DAT_PRINTK] = is_u64,
	[DAT_CMDLINES] = is_u64,       [DAT_BUFFER_TEXT] = is_any,  [DAT_BTF_FILE] = is_u64,
	[DAT_LAST_BOOT_INFO] = is_any, [DAT_MODULES_FILE] = is_u64,
};

/*
 * trace-cmd counts its ids up from 0, and others may take theirs from 0x7000 on. What lies between
 * is a known id with a damaged byte.
 */
static bool id_plausible(uint16_t id)
{
	return id < 64 || (id >> 12) == 7;
}

bool dat_section_plausible(uint16_t id)
{
	return id_plausible(id) || (id >= DAT_FTR_META && id <= DAT_FTR_OOPS);
}

static bool option_plausible(const struct dat_option *o)
{
	if (!id_plausible(o->id))
		return false;
	if (o->id <= LAST_KNOWN && !forms[o->id](&o->data))
		return false;
	if (o->id != DAT_CPUSTAT && is_stat(&o->data))
		return false;
	return o->id == DAT_UNAME || !is_uname(&o->data);
}

void dat_check_options(struct dat *d)
{
	const struct dat_option *o;

	for (o = d->options; o < d->options + d->nr_options; o++)
		if (!option_plausible(o))
			damage_note(&d->damages, "option and its id disagree", d->path,
				    o->data.off - DAT_OPTION_HEADER, -1, "id %d, '%s'", o->id,
				    dat_option_name(o->id));
}

unsigned int dat_cpus_with_stats(const struct dat *d)
{
	const struct dat_option *o;
	unsigned int max = 0, cpu;
	char text[16];

	for (o = d->options; o < d->options + d->nr_options; o++) {
		if (o->id != DAT_CPUSTAT)
			continue;
		snprintf(text, sizeof(text), "%.*s", (int)(o->data.len < 12 ? o->data.len : 12),
			 o->data.p);
		if (sscanf(text, "CPU: %5u", &cpu) == 1 && cpu < LIMIT_CPUS && cpu >= max)
			max = cpu + 1;
	}
	return max;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void dat_list_places(struct dat *d, bool (*is_data)(const struct dat *d, uint64_t off))
{
	struct dat_priv *p = d->priv;
	const struct dat_option *o;
	size_t cap = 0;
	uint64_t off;

	for (o = d->options; o < d->options + d->nr_options; o++) {
		if (o->id != DAT_BUFFER || o->data.len < 8)
			continue;
		off = get_u64(o->data.p, d->big);
		if (is_data && !is_data(d, off))
			continue;
		p->places = xgrow(p->places, &cap, p->nr_places + 1, sizeof(*p->places));
		p->places[p->nr_places++] = off;
	}
	if (p->nr_places)
		qsort(p->places, p->nr_places, sizeof(*p->places), by_value);
}

bool dat_is_place(const struct dat *d, uint64_t off)
{
	const struct dat_priv *p = d->priv;

	return p->nr_places && bsearch(&off, p->places, p->nr_places, sizeof(off), by_value);
}

uint64_t dat_place_after(const struct dat *d, uint64_t off)
{
	const struct dat_priv *p = d->priv;
	size_t at = SEARCH_ABOVE(i, 0, p->nr_places, p->places[i] <= off);

	return at < p->nr_places && p->places[at] < d->file_size ? p->places[at] : d->file_size;
}
