/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the metadata that has the same layout in versions 6 and 7: formats, symbols, comms; the
 * names and limits of sections and options, and signs of damage in them.
 *
 * Data that trace-cmd's files do not have (checksums, prototypes, the text of tracers) is in
 * separate sections, not in options: readers of version 7 go from section to section and skip
 * unknown ids silently, but libtracecmd prints a warning for each option that it does not know.
 */
#include "file/read/dat_priv.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/search.h"

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

static bool is_no_option(const struct dat_blob *b)
{
	return !b;
}

static bool (*const forms[])(const struct dat_blob *b) = {
	[DAT_DONE] = is_no_option,       [DAT_DATE] = is_date,	    [DAT_CPUSTAT] = is_whole_stat,
	[DAT_BUFFER] = is_any,	       [DAT_TRACECLOCK] = is_clock, [DAT_UNAME] = is_text,
	[DAT_HOOK] = is_text,	       [DAT_OFFSET] = is_number,    [DAT_CPUCOUNT] = is_u32,
	[DAT_VERSION] = is_text,       [DAT_PROCMAPS] = is_text,    [DAT_TRACEID] = is_u64,
	[DAT_TIME_SHIFT] = is_any,     [DAT_GUEST] = is_any,	    [DAT_TSC2NSEC] = is_tsc2nsec,
	[DAT_STRINGS] = is_no_option,    [DAT_HEADER_INFO] = is_u64,  [DAT_FTRACE_EVENTS] = is_u64,
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

void dat_check_options(struct dat *d)
{
	const struct dat_option *o;
	bool plausible;

	for (o = d->options; o < d->options + d->nr_options; o++) {
		plausible = id_plausible(o->id) &&
			    (o->id > LAST_KNOWN || forms[o->id](&o->data)) &&
			    (o->id == DAT_CPUSTAT || !is_stat(&o->data)) &&
			    (o->id == DAT_UNAME || !blob_starts(&o->data, "Linux "));
		if (!plausible)
			damage_note(&d->damages, "option and its id disagree", d->path,
				    o->data.off - DAT_OPTION_HEADER, -1, "id %d, '%s'", o->id,
				    dat_option_name(o->id));
	}
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
		qsort(p->places, p->nr_places, sizeof(*p->places), u64_compare);
}

bool dat_is_place(const struct dat *d, uint64_t off)
{
	const struct dat_priv *p = d->priv;

	return p->nr_places && bsearch(&off, p->places, p->nr_places, sizeof(off), u64_compare);
}

uint64_t dat_place_after(const struct dat *d, uint64_t off)
{
	const struct dat_priv *p = d->priv;
	size_t at = SEARCH_ABOVE(i, 0, p->nr_places, p->places[i] <= off);

	return at < p->nr_places && p->places[at] < d->file_size ? p->places[at] : d->file_size;
}

#define LIST_ROOM	 4096
#define TOO_MANY_FORMATS "too many event formats"

static struct dat_blob read_meta_blob(struct dat_src *src, uint64_t n)
{
	const uint8_t *p = cur_bytes(&src->c, n);

	return p ? dat_src_blob(src, p, n) : (struct dat_blob){0};
}

static void expect_tag(struct dat *d, struct dat_src *src, const char *text)
{
	size_t n = strlen(text) + 1;
	const uint8_t *p = cur_bytes(&src->c, n);

	if (!p || !memcmp(p, text, n))
		return;
	if (dat_bytes_similar(p, text, n))
		damage_note(src->damages, "metadata damaged", d->path,
			    dat_src_blob(src, p, n).off, -1, "word '%s'", text);
	else
		src->c.bad = true;
}

static void read_header_info(struct dat *d, uint16_t id, struct dat_src *src)
{
	(void)id;
	expect_tag(d, src, "header_page");
	d->header_page = read_meta_blob(src, cur_u64(&src->c));
	expect_tag(d, src, "header_event");
	d->header_event = read_meta_blob(src, cur_u64(&src->c));
}

/* --- lists of formats */

static bool list_format(struct dat_list *l)
{
	struct dat_blob text = read_meta_blob(&l->src, cur_u64(&l->src.c));

	if (l->src.c.bad)
		return false;
	/* the kernel's format files end with a line feed; a wrong length ends elsewhere */
	if (text.len && text.p[text.len - 1] != '\n')
		damage_note(l->src.damages, "format does not end at its length", l->path,
			    text.off, -1, "system '%s'", l->system);
	l->formats--;
	if (l->n >= LIMIT_FORMATS) {
		damage_note(l->src.damages, TOO_MANY_FORMATS, l->path, text.off, -1,
			    "more than %d", LIMIT_FORMATS);
		return true;
	}
	/* kernels have some thousand: a large first allocation saves the copies */
	if (!l->cap && l->systems)
		l->v = xgrow(l->v, &l->cap, LIST_ROOM, sizeof(*l->v));
	l->v = xgrow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	l->v[l->n++] = (struct dat_format){ .system = l->system, .text = text };
	return true;
}

static bool list_system(struct dat_list *l)
{
	const uint8_t *at = l->src.c.p;
	const char *system = cur_str(&l->src.c), *end = system;
	uint32_t n = cur_u32(&l->src.c);
	size_t len;

	if (l->src.c.bad)
		return false;
	/* names of systems are C identifiers, or names of modules, with '-' and '.' */
	while (isalnum((unsigned char)*end) || (*end && strchr("_-.", *end)))
		end++;
	len = strlen(system);
	if (*end || len > LIMIT_NAME)
		damage_note(l->src.damages, "name of a system of events damaged", l->path,
			    dat_src_blob(&l->src, at, 1).off, -1, NULL);
	l->systems--;
	/* the end of a name that is too long is a string as well */
	l->system = system + (len > LIMIT_NAME ? len - LIMIT_NAME : 0);
	l->formats = n;
	return true;
}

/* Reads a head or a format. Returns false at the end, or if it is incomplete. */
static bool list_item(struct dat_list *l)
{
	uint32_t n;

	if (l->formats)
		return list_format(l);
	if (l->begun)
		return l->systems && list_system(l);
	/* the number of systems, or of formats if all have the same system */
	n = cur_u32(&l->src.c);
	l->begun = !l->src.c.bad;
	if (l->system)
		l->formats = n;
	else
		l->systems = n;
	return l->begun;
}

/* Reads one more format, and decompresses as much as it needs. Returns false at the end. */
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

/* --- texts */

static void read_text(struct dat *d, uint16_t id, struct dat_src *src)
{
	uint64_t n = id == DAT_CMDLINES ? cur_u64(&src->c) : cur_u32(&src->c);
	uint64_t left = src->c.bad ? 0 : cur_left(&src->c);
	bool cut = !src->c.bad && src->bounded && n > left;

	/* if the end of the section is known, a damaged size loses no text */
	dat_part(d, id)->text = read_meta_blob(src, cut ? left : n);
	src->c.bad |= cut;
}

/* Reads one text. If the last one is cut off, @out has the rest of it. */
static bool next_latency(struct cursor *c, struct dat_latency *out)
{
	const char *name = cur_str(c);
	uint32_t len = cur_u32(c);

	if (c->bad || strlen(name) > LIMIT_NAME)
		return false;
	*out = (struct dat_latency){
		.buffer = name, .text = (const char *)c->p,
		.len = len < cur_left(c) ? len : cur_left(c),
	};
	return cur_bytes(c, len);
}

/* Checks the texts that next_latency() reads later. */
static void read_latencies(struct dat *d, uint16_t id, struct dat_src *src)
{
	struct dat_blob *text = &dat_part(d, id)->text;
	uint32_t n = cur_u32(&src->c);
	struct cursor c = src->c;
	const uint8_t *start = c.p;
	struct dat_latency one;
	uint32_t i;

	*text = read_meta_blob(src, cur_left(&src->c));
	for (i = 0; i < n && i < LIMIT_BUFFERS && next_latency(&c, &one); i++)
		;
	src->c.bad |= i < n || cur_left(&c);
	if (!c.bad)
		text->len = c.p - start;
}

bool dat_latency_next(struct dat *d, size_t *at, struct dat_latency *out)
{
	const struct dat_blob *b = dat_text(d, DAT_FTR_LATENCY);
	struct cursor c;

	if (*at >= b->len)
		return false;
	c = cur_init(b->p + *at, b->len - *at, d->big);
	*out = (struct dat_latency){0};
	*at = next_latency(&c, out) ? *at + cur_pos(&c) : b->len;
	return out->text;
}

/* The section has no size in front of the BTF. */
static void read_btf(struct dat *d, uint16_t id, struct dat_src *src)
{
	dat_part(d, id)->text = read_meta_blob(src, cur_left(&src->c));
}

static const struct meta_reader {
	uint16_t id;
	void (*read)(struct dat *d, uint16_t id, struct dat_src *src);
} metas[] = {
	{ DAT_HEADER_INFO,   read_header_info },
	{ DAT_FTRACE_EVENTS, read_formats },
	{ DAT_EVENT_FORMATS, read_formats },
	{ DAT_KALLSYMS,      read_text },
	{ DAT_PRINTK,        read_text },
	{ DAT_CMDLINES,      read_text },
	{ DAT_BTF_FILE,      read_btf },
	{ DAT_FTR_PROTOS,    read_text },
	{ DAT_FTR_LATENCY,   read_latencies },
	{ DAT_FTR_OOPS,      read_text },
};

/* Notes content that does not fit its section. Returns false if so. */
static bool check_end(struct dat *d, uint16_t id, const struct dat_src *src)
{
	uint64_t at;

	if (!src->c.bad && (!src->bounded || !cur_left(&src->c)))
		return true;
	at = src->off + (src->unpacked ? 0 : cur_pos(&src->c));
	damage_note(src->damages, "metadata does not fit its place", d->path, at, -1, "'%s'",
		    dat_section_text(id));
	return false;
}

bool dat_read_meta(struct dat *d, uint16_t id, struct dat_src *src)
{
	size_t i;

	for (i = 0; i < sizeof(metas) / sizeof(metas[0]); i++) {
		if (metas[i].id != id)
			continue;
		metas[i].read(d, id, src);
		return check_end(d, id, src);
	}
	return true;
}

/* --- ftr's own lines */

#define FEW_BYTES (16 << 10)	/* bytes of lines that are searched without an index */

static int key_compare(const struct dat_key *k, const char *p, size_t len)
{
	int ret = memcmp(k->p, p, k->len < len ? k->len : len);

	return ret ? ret : (k->len > len) - (k->len < len);
}

static int by_key(const void *a, const void *b)
{
	const struct dat_key *x = a, *y = b;
	int ret = key_compare(x, y->p, y->len);

	return ret ? ret : (x->p > y->p) - (x->p < y->p);
}

static const char *key_line_end(const struct dat *d, const char *p)
{
	const char *end = d->ftr_meta.p + d->ftr_meta.len, *nl = memchr(p, '\n', end - p);

	return nl ? nl : end;
}

void dat_list_keys(struct dat *d)
{
	const char *p = d->ftr_meta.p, *end = p ? p + d->ftr_meta.len : NULL, *nl, *sign;
	struct dat_priv *v = d->priv;
	size_t cap = 0;

	if (d->ftr_meta.len < FEW_BYTES)
		return;
	for (; p < end; p = nl + 1) {
		nl = key_line_end(d, p);
		sign = memchr(p, '=', nl - p);
		if (!sign)
			continue;
		if (v->nr_keys >= LIMIT_SESSION) {
			damage_note(&d->damages, "too many session lines", d->path,
				    d->ftr_meta.off + (p - d->ftr_meta.p), -1, "more than %d",
				    LIMIT_SESSION);
			continue;
		}
		v->keys = xgrow(v->keys, &cap, v->nr_keys + 1, sizeof(*v->keys));
		v->keys[v->nr_keys++] = (struct dat_key){ p, sign - p };
	}
	if (v->nr_keys)
		qsort(v->keys, v->nr_keys, sizeof(*v->keys), by_key);
}

const char *dat_ftr_value(const struct dat *d, const char *key, size_t *len)
{
	const char *p = d->ftr_meta.p, *end = p ? p + d->ftr_meta.len : NULL, *nl;
	const struct dat_priv *v = d->priv;
	size_t at, n = strlen(key);

	/* the name of an instance may have such a sign, too: such a key is not in the index */
	if (v && v->nr_keys && !memchr(key, '=', n)) {
		at = SEARCH_ABOVE(i, 0, v->nr_keys, key_compare(&v->keys[i], key, n) < 0);
		if (at == v->nr_keys || key_compare(&v->keys[at], key, n))
			return NULL;
		p = v->keys[at].p;
	}
	for (; p < end; p = nl + 1) {
		nl = key_line_end(d, p);
		if ((size_t)(nl - p) <= n || memcmp(p, key, n) || p[n] != '=')
			continue;
		*len = nl - p - n - 1;
		return p + n + 1;
	}
	return NULL;
}

const char *dat_ftr_value_of(const struct dat *d, const char *key, const char *instance,
			     size_t *len)
{
	char *whole = xasprintf("%s%s%s", key, *instance ? "." : "", instance);
	const char *value = dat_ftr_value(d, whole, len);

	free(whole);
	return value;
}

bool dat_lacks_latency(const struct dat *d)
{
	const char *p = d->ftr_meta.p, *end = p ? p + d->ftr_meta.len : NULL, *nl;
	size_t i, n = sizeof(DAT_LATENCY_KEY) - 1;

	for (i = 0; i < DAT_PARTS; i++)
		if (d->priv->parts[i].id == DAT_FTR_LATENCY && d->priv->parts[i].found)
			return false;
	/* the key may be that of any buffer */
	for (; p < end; p = nl + 1) {
		nl = key_line_end(d, p);
		if ((size_t)(nl - p) > n && !memcmp(p, DAT_LATENCY_KEY, n))
			return true;
	}
	return false;
}

/* --- metadata that is read on first use */

/* Damage is reported in this order. */
static const uint16_t part_ids[DAT_PARTS] = {
	DAT_FTRACE_EVENTS, DAT_EVENT_FORMATS, DAT_KALLSYMS, DAT_PRINTK, DAT_CMDLINES,
	DAT_FTR_PROTOS, DAT_FTR_LATENCY, DAT_FTR_OOPS, DAT_BTF_FILE,
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
	pthread_mutex_init(&p->cache.lock, NULL);
	for (i = 0; i < DAT_PARTS; i++)
		p->parts[i].id = part_ids[i];
}

void dat_parts_release(struct dat_priv *p)
{
	size_t i;

	for (i = 0; i < DAT_PARTS; i++) {
		decompress_release(unpack_end(&p->parts[i].list.src.more));
		free(p->parts[i].list.v);
		text_chunks_free(p->parts[i].text_chunks);
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

bool dat_symbols_near(struct dat *d, uint64_t addr, size_t more, struct dat_near *out)
{
	struct dat_part *part = dat_part(d, DAT_KALLSYMS);
	struct text_chunks *p;

	/* once all of the section was read, chunks would decompress it twice */
	if (!__atomic_load_n(&part->chunks_tried, __ATOMIC_ACQUIRE)) {
		pthread_mutex_lock(&d->priv->lock);
		if (!part->chunks_tried && !part->loaded && part->found)
			part->text_chunks = dat_v7_text_chunks(d, part);
		__atomic_store_n(&part->chunks_tried, true, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&d->priv->lock);
	}
	p = part->text_chunks;
	out->p = p ? text_chunks_near(p, addr, more, &out->len, &out->begins, &out->ends) : NULL;
	return out->p;
}

size_t dat_formats_upto(struct dat *d, uint16_t id, size_t n, const struct dat_format **v)
{
	struct dat_part *part = dat_part(d, id);
	struct dat_list *l = &part->list;
	struct dat_src src;

	pthread_mutex_lock(&d->priv->lock);
	if (!part->loaded) {
		part->loaded = 1;
		if (part->found && dat_v7_part(d, part, &src))
			list_start(d, part, &src);
		else
			l->ended = true;
	}
	while (l->n < n && list_next(l))
		;
	/* the first call that gets to the end checks the section's end */
	if (l->ended && l->src.damages && part->found) {
		dat_src_all(d, &l->src);
		check_end(d, part->id, &l->src);
		l->src.damages = NULL;
	}
	pthread_mutex_unlock(&d->priv->lock);
	*v = l->v;
	return l->n;
}

size_t dat_formats(struct dat *d, uint16_t id, const struct dat_format **v)
{
	return dat_formats_upto(d, id, SIZE_MAX, v);
}

/* The kernel's formats are text. This is checked late, after the first line of a report. */
static void check_formats(struct dat *d, struct dat_part *part)
{
	const struct dat_format *v;
	size_t i, n = dat_formats(d, part->id, &v);

	for (i = 0; i < n; i++)
		if (memchr(v[i].text.p, '\0', v[i].text.len))
			damage_note(&part->damages, "format holds a NUL", d->path, v[i].text.off,
				    -1, "system '%s'", v[i].system);
}

void dat_settle(struct dat *d)
{
	struct damage_list before = d->damages;
	struct dat_part *part;
	size_t i;

	if (d->priv->settled)
		return;
	d->priv->settled = true;
	/* checksums go first: they show best where the damage is */
	d->damages = (struct damage_list){0};
	dat_sums_meta(d);
	damages_merge(&d->damages, &before);
	damages_release(&before);
	for (i = 0; i < DAT_PARTS; i++) {
		part = &d->priv->parts[i];
		/* BTF is large, and few files need it: it is not read to be checked */
		if (part->id == DAT_BTF_FILE)
			continue;
		/* a text that nobody has read is not decompressed if its checksum is right */
		if (part->id == DAT_FTRACE_EVENTS || part->id == DAT_EVENT_FORMATS)
			check_formats(d, part);
		else if (!dat_sums_vouch(d, part->sec.off, part->sec.end))
			dat_text(d, part->id);
		damages_merge(&d->damages, &part->damages);
	}
	damages_merge(&d->damages, &dat_part(d, DAT_BTF_FILE)->damages);
}
