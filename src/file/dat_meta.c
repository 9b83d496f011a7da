/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the metadata that versions 6 and 7 of trace.dat lay out alike: formats, symbols, comms. */
#include "file/dat_priv.h"

#include "base/mem.h"

static struct dat_blob take(struct dat_src *src, uint64_t n)
{
	const uint8_t *p = cur_bytes(&src->c, n);

	return p ? dat_src_blob(src, p, n) : (struct dat_blob){0};
}

static void tag(struct dat *d, struct dat_src *src, const char *text)
{
	size_t n = strlen(text) + 1;
	const uint8_t *p = cur_bytes(&src->c, n);

	if (!p || !memcmp(p, text, n))
		return;
	if (dat_nearly(p, text, n))
		damage_note(&d->damages, "metadata damaged", d->path,
			    dat_src_blob(src, p, n).off, -1, "word '%s'", text);
	else
		src->c.bad = true;
}

static void read_header_info(struct dat *d, struct dat_src *src)
{
	tag(d, src, "header_page");
	d->header_page = take(src, cur_u64(&src->c));
	tag(d, src, "header_event");
	d->header_event = take(src, cur_u64(&src->c));
}

static void read_formats(struct dat *d, struct dat_src *src, const char *system)
{
	uint32_t n = cur_u32(&src->c);
	struct dat_blob text;

	for (; n && !src->c.bad; n--) {
		text = take(src, cur_u64(&src->c));
		if (src->c.bad)
			return;
		d->formats = xgrow(d->formats, &d->priv->cap_formats, d->nr_formats + 1,
				   sizeof(*d->formats));
		d->formats[d->nr_formats++] = (struct dat_format){ .system = system, .text = text };
	}
}

static void read_ftrace_events(struct dat *d, struct dat_src *src)
{
	read_formats(d, src, "ftrace");
}

static void read_event_formats(struct dat *d, struct dat_src *src)
{
	uint32_t n = cur_u32(&src->c);
	const char *system;

	for (; n && !src->c.bad; n--) {
		system = cur_str(&src->c);
		read_formats(d, src, system);
	}
}

/* Where the section tells the end, a damaged size loses nothing. */
static struct dat_blob take_text(struct dat_src *src, uint64_t n)
{
	struct dat_blob text;

	if (src->c.bad || !src->bounded || n <= cur_left(&src->c))
		return take(src, n);
	text = take(src, cur_left(&src->c));
	src->c.bad = true;
	return text;
}

static void read_kallsyms(struct dat *d, struct dat_src *src)
{
	d->kallsyms = take_text(src, cur_u32(&src->c));
}

static void read_printk(struct dat *d, struct dat_src *src)
{
	d->printk = take_text(src, cur_u32(&src->c));
}

static void read_cmdlines(struct dat *d, struct dat_src *src)
{
	d->cmdlines = take_text(src, cur_u64(&src->c));
}

static const struct meta {
	uint16_t id;
	const char *name;
	void (*read)(struct dat *d, struct dat_src *src);
} metas[] = {
	{ DAT_HEADER_INFO,   "header_page",     read_header_info },
	{ DAT_FTRACE_EVENTS, "ftrace formats",  read_ftrace_events },
	{ DAT_EVENT_FORMATS, "event formats",   read_event_formats },
	{ DAT_KALLSYMS,      "kallsyms",        read_kallsyms },
	{ DAT_PRINTK,        "printk_formats",  read_printk },
	{ DAT_CMDLINES,      "saved_cmdlines",  read_cmdlines },
};

static const struct meta *find_meta(uint16_t id)
{
	size_t i;

	for (i = 0; i < sizeof(metas) / sizeof(metas[0]); i++)
		if (metas[i].id == id)
			return &metas[i];
	return NULL;
}

const char *dat_section_text(uint16_t id)
{
	const struct meta *m = find_meta(id);

	if (id == DAT_FTR_META || id == DAT_FTR_SUMS)
		return id == DAT_FTR_META ? "FTR_META" : "FTR_SUMS";
	return m ? m->name : dat_option_name(id);
}

bool dat_read_meta(struct dat *d, uint16_t id, struct dat_src *src)
{
	const struct meta *m = find_meta(id);
	uint64_t at;

	if (!m)
		return true;
	m->read(d, src);
	if (!src->c.bad && (!src->bounded || !cur_left(&src->c)))
		return true;
	at = src->off + (src->unpacked ? 0 : cur_pos(&src->c));
	damage_note(&d->damages, "metadata does not fit its place", d->path, at, -1, "'%s'",
		    m->name);
	return false;
}

const char *dat_ftr_value(const struct dat *d, const char *key, size_t *len)
{
	const char *p = d->ftr_meta.p, *end = p ? p + d->ftr_meta.len : NULL, *nl;
	size_t n = strlen(key);

	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		if (!nl)
			nl = end;
		if ((size_t)(nl - p) > n && !memcmp(p, key, n) && p[n] == '=') {
			*len = nl - p - n - 1;
			return p + n + 1;
		}
	}
	return NULL;
}
