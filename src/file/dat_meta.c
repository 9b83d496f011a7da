/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the metadata that versions 6 and 7 of trace.dat lay out alike: formats, symbols, comms. */
#include "file/dat_priv.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define LIST_ROOM 4096

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
		damage_note(src->damages, "metadata damaged", d->path,
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

/* --- lists of formats */

/* A length that is wrong cuts in elsewhere: the kernel's format files end with a line feed. */
static void check_format(struct dat_list *l, const struct dat_blob *text)
{
	if (text->len && text->p[text->len - 1] != '\n')
		damage_note(l->src.damages, "format does not end where its length says", l->path,
			    text->off, -1, "system '%s'", l->system);
}

/* Names of systems are words of C, or of a module: with a '-' or '.' at most. */
static bool is_system_name(const char *name)
{
	while (isalnum((unsigned char)*name) || (*name && strchr("_-.", *name)))
		name++;
	return !*name;
}

static bool list_format(struct dat_list *l)
{
	struct dat_blob text = take(&l->src, cur_u64(&l->src.c));

	if (l->src.c.bad)
		return false;
	check_format(l, &text);
	l->formats--;
	/* kernels have some thousand: no use in copying them */
	if (!l->cap && l->systems)
		l->v = xgrow(l->v, &l->cap, LIST_ROOM, sizeof(*l->v));
	l->v = xgrow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	l->v[l->n++] = (struct dat_format){ .system = l->system, .text = text };
	return true;
}

static bool list_system(struct dat_list *l)
{
	const uint8_t *at = l->src.c.p;
	const char *system = cur_str(&l->src.c);
	uint32_t n = cur_u32(&l->src.c);

	if (l->src.c.bad)
		return false;
	if (!is_system_name(system))
		damage_note(l->src.damages, "name of a system of events damaged", l->path,
			    dat_src_blob(&l->src, at, 1).off, -1, NULL);
	l->systems--;
	l->system = system;
	l->formats = n;
	return true;
}

/* The number of systems, or of formats where all are of one. */
static bool list_head(struct dat_list *l)
{
	uint32_t n = cur_u32(&l->src.c);

	l->begun = !l->src.c.bad;
	if (l->system)
		l->formats = n;
	else
		l->systems = n;
	return l->begun;
}

/* A head or a format; false at the end, or when it is not there as a whole. */
static bool list_item(struct dat_list *l)
{
	if (!l->begun)
		return list_head(l);
	if (l->formats)
		return list_format(l);
	return l->systems && list_system(l);
}

/* Reads one more format; false at the end. What is compressed is decompressed as it is needed. */
static bool list_next(struct dat_list *l)
{
	struct cursor before;
	size_t n = l->n;

	while (l->n == n && !l->ended) {
		before = l->src.c;
		if (list_item(l))
			continue;
		if (l->src.c.bad && dat_src_more(&l->src)) {
			before.end = l->src.c.end;
			l->src.c = before;
		} else {
			l->ended = true;
		}
	}
	return l->n > n;
}

static void list_start(const struct dat *d, struct dat_part *part, const struct dat_src *src)
{
	part->list.path = d->path;
	part->list.src = *src;
	part->list.system = part->id == DAT_FTRACE_EVENTS ? "ftrace" : NULL;
}

static void read_formats(struct dat *d, uint16_t id, struct dat_src *src)
{
	struct dat_part *part = dat_part(d, id);

	list_start(d, part, src);
	while (list_next(&part->list))
		;
	*src = part->list.src;
}

static void read_ftrace_events(struct dat *d, struct dat_src *src)
{
	read_formats(d, DAT_FTRACE_EVENTS, src);
}

static void read_event_formats(struct dat *d, struct dat_src *src)
{
	read_formats(d, DAT_EVENT_FORMATS, src);
}

/* --- texts */

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
	dat_part(d, DAT_KALLSYMS)->text = take_text(src, cur_u32(&src->c));
}

static void read_printk(struct dat *d, struct dat_src *src)
{
	dat_part(d, DAT_PRINTK)->text = take_text(src, cur_u32(&src->c));
}

static void read_cmdlines(struct dat *d, struct dat_src *src)
{
	dat_part(d, DAT_CMDLINES)->text = take_text(src, cur_u64(&src->c));
}

static void read_protos(struct dat *d, struct dat_src *src)
{
	dat_part(d, DAT_FTR_PROTOS)->text = take_text(src, cur_u32(&src->c));
}

/* Without a size in front. */
static void read_btf(struct dat *d, struct dat_src *src)
{
	dat_part(d, DAT_BTF_FILE)->text = take(src, cur_left(&src->c));
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
	{ DAT_BTF_FILE,      "BTF",             read_btf },
	{ DAT_FTR_PROTOS,    "FTR_PROTOS",      read_protos },
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
	static const char *const spool[] = { "FTR_SPOOL", "FTR_CHUNK", "FTR_END" };
	const struct meta *m = find_meta(id);

	if (id >= DAT_FTR_SPOOL && id <= DAT_FTR_END)
		return spool[id - DAT_FTR_SPOOL];
	if (id == DAT_FTR_META || id == DAT_FTR_SUMS)
		return id == DAT_FTR_META ? "FTR_META" : "FTR_SUMS";
	return m ? m->name : dat_option_name(id);
}

/* False, and noted, if the content is not what fits. */
static bool check_end(struct dat *d, const struct meta *m, const struct dat_src *src)
{
	uint64_t at;

	if (!src->c.bad && (!src->bounded || !cur_left(&src->c)))
		return true;
	at = src->off + (src->unpacked ? 0 : cur_pos(&src->c));
	damage_note(src->damages, "metadata does not fit its place", d->path, at, -1, "'%s'",
		    m->name);
	return false;
}

bool dat_read_meta(struct dat *d, uint16_t id, struct dat_src *src)
{
	const struct meta *m = find_meta(id);

	if (!m)
		return true;
	m->read(d, src);
	return check_end(d, m, src);
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

/* --- what is read when it is wanted */

/* In this order damage is told. */
static const uint16_t part_ids[DAT_PARTS] = {
	DAT_FTRACE_EVENTS, DAT_EVENT_FORMATS, DAT_KALLSYMS, DAT_PRINTK, DAT_CMDLINES,
	DAT_FTR_PROTOS, DAT_BTF_FILE,
};

struct dat_part *dat_part(struct dat *d, uint16_t id)
{
	size_t i;

	for (i = 0; i < DAT_PARTS; i++)
		if (part_ids[i] == id)
			return &d->priv->parts[i];
	return NULL;
}

void dat_parts_init(struct dat_priv *p)
{
	size_t i;

	pthread_mutex_init(&p->lock, NULL);
	for (i = 0; i < DAT_PARTS; i++)
		p->parts[i].id = part_ids[i];
}

void dat_parts_release(struct dat_priv *p)
{
	size_t i;

	for (i = 0; i < DAT_PARTS; i++) {
		decompress_release(unpack_end(&p->parts[i].list.src.more));
		free(p->parts[i].list.v);
		damages_release(&p->parts[i].damages);
	}
	pthread_mutex_destroy(&p->lock);
}

const struct dat_blob *dat_text(struct dat *d, uint16_t id)
{
	struct dat_part *part = dat_part(d, id);
	struct dat_src src;

	if (__atomic_load_n(&part->loaded, __ATOMIC_ACQUIRE))
		return &part->text;
	pthread_mutex_lock(&d->priv->lock);
	if (!part->loaded && part->found && dat_v7_part(d, part, &src)) {
		dat_src_all(d, &src);
		dat_read_meta(d, id, &src);
	}
	__atomic_store_n(&part->loaded, 1, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&d->priv->lock);
	return &part->text;
}

static void list_open(struct dat *d, struct dat_part *part)
{
	struct dat_src src;

	part->loaded = 1;
	if (part->found && dat_v7_part(d, part, &src))
		list_start(d, part, &src);
	else
		part->list.ended = true;
}

static void list_close(struct dat *d, struct dat_part *part)
{
	struct dat_src *src = &part->list.src;

	if (!src->damages || !part->found)
		return;
	dat_src_all(d, src);
	check_end(d, find_meta(part->id), src);
	src->damages = NULL;
}

size_t dat_formats_upto(struct dat *d, uint16_t id, size_t n, const struct dat_format **v)
{
	struct dat_part *part = dat_part(d, id);
	struct dat_list *l = &part->list;

	pthread_mutex_lock(&d->priv->lock);
	if (!part->loaded)
		list_open(d, part);
	while (l->n < n && list_next(l))
		;
	if (l->ended)
		list_close(d, part);
	pthread_mutex_unlock(&d->priv->lock);
	*v = l->v;
	return l->n;
}

size_t dat_formats(struct dat *d, uint16_t id, const struct dat_format **v)
{
	return dat_formats_upto(d, id, SIZE_MAX, v);
}

static struct damages *settle_part(struct dat *d, struct dat_part *part)
{
	const struct dat_format *v;

	if (part->id == DAT_FTRACE_EVENTS || part->id == DAT_EVENT_FORMATS)
		dat_formats(d, part->id, &v);
	else
		dat_text(d, part->id);
	return &part->damages;
}

void dat_settle(struct dat *d)
{
	struct damages before = d->damages;
	size_t i;

	if (d->priv->settled)
		return;
	d->priv->settled = true;
	/* checksums go first: they tell best where the damage is */
	d->damages = (struct damages){0};
	dat_sums_meta(d);
	damages_merge(&d->damages, &before);
	damages_release(&before);
	/* BTF is large, and of use for some files only: it is not read to be checked */
	for (i = 0; i < DAT_PARTS; i++)
		if (part_ids[i] != DAT_BTF_FILE)
			damages_merge(&d->damages, settle_part(d, &d->priv->parts[i]));
	damages_merge(&d->damages, &dat_part(d, DAT_BTF_FILE)->damages);
}
