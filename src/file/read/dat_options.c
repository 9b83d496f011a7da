/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names and limits of sections and options; damaged options; offsets and CPUs in options. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/search.h"
#include "file/read/dat_priv.h"

static const struct section_name {
	uint16_t id;
	const char *name;
	uint64_t max;
} section_names[] = {
	{ DAT_HEADER_INFO,   "header_page",    LIMIT_BYTES_HEADER },
	{ DAT_FTRACE_EVENTS, "ftrace formats", LIMIT_BYTES_BUILTIN },
	{ DAT_EVENT_FORMATS, "event formats",  LIMIT_BYTES_FORMATS },
	{ DAT_KALLSYMS,      "kallsyms",       LIMIT_BYTES_SYMBOLS },
	{ DAT_PRINTK,        "printk_formats", LIMIT_BYTES_PRINTK },
	{ DAT_CMDLINES,      "saved_cmdlines", LIMIT_BYTES_COMMS },
	{ DAT_BTF_FILE,      "BTF",            LIMIT_BYTES_BTF },
	{ DAT_FTR_PROTOS,    "FTR_PROTOS",     LIMIT_BYTES_PROTOS },
	{ DAT_FTR_LATENCY,   "FTR_LATENCY",    LIMIT_BYTES_LATENCY },
	{ DAT_FTR_OOPS,      "FTR_OOPS",       LIMIT_BYTES_OOPS },
};

static const struct section_name *find_section_name(uint16_t id)
{
	size_t i;

	for (i = 0; i < sizeof(section_names) / sizeof(section_names[0]); i++)
		if (section_names[i].id == id)
			return &section_names[i];
	return NULL;
}

uint64_t dat_section_max(uint16_t id)
{
	const struct section_name *s = find_section_name(id);

	return s ? s->max : LIMIT_BYTES_OPTIONS;
}

const char *dat_section_text(uint16_t id)
{
	static const char *const spool[] = {
		"FTR_SPOOL", "FTR_CHUNK", "FTR_END", "FTR_PAD",
	};
	const struct section_name *s = find_section_name(id);

	if (id >= DAT_FTR_SPOOL && id <= DAT_FTR_PAD)
		return spool[id - DAT_FTR_SPOOL];
	if (id == DAT_FTR_META || id == DAT_FTR_SUMS)
		return id == DAT_FTR_META ? "FTR_META" : "FTR_SUMS";
	return s ? s->name : dat_option_name(id);
}

const char *dat_option_name(uint16_t id)
{
	static const char *const names[] = {
		"DONE",		"DATE",	       "CPUSTAT",	"BUFFER",	 "TRACECLOCK",
		"UNAME",	"HOOK",	       "OFFSET",	"CPUCOUNT",	 "VERSION",
		"PROCMAPS",	"TRACEID",     "TIME_SHIFT",	"GUEST",	 "TSC2NSEC",
		"STRINGS",	"HEADER_INFO", "FTRACE_EVENTS", "EVENT_FORMATS", "KALLSYMS",
		"PRINTK",	"CMDLINES",    "BUFFER_TEXT",	"BTF_FILE",	 "LAST_BOOT_INFO",
		"MODULES_FILE",
	};

	return id < sizeof(names) / sizeof(names[0]) ? names[id] : "unknown";
}

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

/* A complete text of statistics: one that swallowed its neighbours contains zeros. */
static bool is_whole_stat(const struct dat_blob *b)
{
	return is_stat(b) && !memchr(b->p, 0, b->len - 1);
}

/* The text of the control file trace_clock, or an empty one. */
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
 * trace-cmd numbers its ids from 0 on, and others may use ids from 0x7000 on. An id between the two
 * is a known one with a damaged byte.
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
	return o->id == DAT_UNAME || !blob_starts(&o->data, "Linux ");
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
