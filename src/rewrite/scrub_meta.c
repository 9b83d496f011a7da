/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replaces values in the sections and options of a trace file.
 *
 * Texts are read line by line in the form that the kernel or a recorder gives them; lines of
 * another form are left out, and so are options that no row of the table has.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "event/data/text_tables.h"
#include "rewrite/scrub_priv.h"

/* --- lists of words that are the same on many machines */

static bool scrub_is_listed(const char *const *list, const char *p, size_t len)
{
	for (; *list; list++)
		if (scrub_glob(*list, p, len))
			return true;
	return false;
}

/* Parts of the names and versions of kernels, distributions and recorders. */
static const char *const version_words[] = {
	"#", "Linux", "rt", "rt#", "rc#", "deb#", "deb#u#", "bpo#", "fc#", "el#", "generic",
	"lowlatency", "cloud", "realtime", "amd64", "x86", "arm64", "armv#l", "aarch64", "riscv64",
	"s390x", "ppc64le", "i#86", "mips", "unsigned", "aws", "azure", "gcp", "gke", "kvm",
	"android#", "default", "trace", "cmd", "ftr", "dev", "not", "a", "git", "repo", NULL,
};

static const char *const clocks[] = {
	"local", "global", "counter", "uptime", "perf", "mono", "mono_raw", "boot", "tai",
	"x86-tsc", "ppc-tb", "s390-tod", "?", NULL,
};

/* Replaces the runs of letters and digits that are not in @list. */
static void scrub_parts(struct scrub_run *s, struct scrub_place *at, const char *const *list,
			char *p, size_t len)
{
	char *end = p + len, *part;

	while (p < end) {
		part = p;
		while (p < end && (isalnum((unsigned char)*p) || *p & 0x80))
			p++;
		if (p > part && !scrub_is_listed(list, part, p - part))
			scrub_word(s, at, SCRUB_HOST, part, p - part);
		p += p < end;
	}
}

/* "sysname nodename release machine" */
static void scrub_uname(struct scrub_run *s, struct scrub_place *at, char *p, size_t len)
{
	char *end = p + len, *word;

	for (unsigned int nr = 0; p < end; nr++) {
		word = p;
		while (p < end && *p != ' ')
			p++;
		if (nr == 1)
			scrub_word(s, at, SCRUB_HOST, word, p - word);
		else
			scrub_parts(s, at, version_words, word, p - word);
		p += p < end;
	}
}

static void scrub_clocks(struct scrub_run *s, struct scrub_place *at, char *p, size_t len)
{
	char *end = p + len, *word;

	while (p < end) {
		word = p;
		while (p < end && !strchr(" []\n", *p))
			p++;
		if (!scrub_is_listed(clocks, word, p - word))
			scrub_word(s, at, SCRUB_STRINGS, word, p - word);
		p += p < end;
	}
}

void scrub_clock(struct scrub_run *s, char *name)
{
	scrub_clocks(s, scrub_place_of(s, "clock of a buffer"), name, strlen(name));
}

void scrub_instance(struct scrub_run *s, char *name)
{
	scrub_word(s, scrub_place_of(s, "name of an instance"), SCRUB_STRINGS, name,
		   strlen(name));
}

/* Replaces each number in a list, in @out. */
static void scrub_add_pids(struct scrub_run *s, struct scrub_place *at, const char *p,
			   const char *end, struct buf *out)
{
	int64_t pid;

	while (p < end) {
		if (*p < '0' || *p > '9') {
			buf_addch(out, *p++);
			continue;
		}
		for (pid = 0; p < end && *p >= '0' && *p <= '9'; p++)
			pid = pid < INT32_MAX ? pid * 10 + (*p - '0') : pid;
		buf_printf(out, "%lld", (long long)scrub_pid(s, at, pid));
	}
}

/* --- texts */

static const char *scrub_line_end(const char *p, const char *end)
{
	const char *eol = memchr(p, '\n', end - p);

	return eol ? eol : end;
}

/* Replaces the words of a format of printk(), but for its conversions and escapes. */
static void scrub_printk_text(struct scrub_run *s, struct scrub_place *at, char *p, char *end)
{
	char *word;

	while (p < end) {
		word = p;
		while (p < end && !strchr("\\% /\t", *p))
			p++;
		scrub_word(s, at, SCRUB_FORMATS, word, p - word);
		if (p < end && *p == '\\') {
			p += end - p > 1 ? 2 : 1;
		} else if (p < end && *p == '%') {
			for (p++; p < end && strchr("-+ #0123456789.*hlLzjtq", *p); p++)
				;
			/* letters after %p, as in %pS, choose the form of a pointer */
			if (p < end && *p == 'p')
				while (p < end && isalnum((unsigned char)*p))
					p++;
			else
				p += p < end;
		} else {
			p += p < end;
		}
	}
}

static void make_printk(struct scrub_run *s, struct scrub_place *at, const struct dat_blob *from)
{
	const char *p = from->p;
	struct printk_line line;
	size_t start;

	while (printk_line_next(&line, &p, from->p + from->len)) {
		buf_printf(&s->text, "0x%llx : \"", (unsigned long long)line.addr);
		start = s->text.len;
		buf_add(&s->text, line.text, line.len);
		if (!s->opts.keep[SCRUB_FORMATS])
			scrub_printk_text(s, at, s->text.data + start, s->text.data + s->text.len);
		buf_addstr(&s->text, "\"\n");
	}
}

/* Adds lines "PID NAME" to @out. */
static void scrub_add_comms(struct scrub_run *s, struct scrub_place *at, const char *p,
			    const char *end, struct buf *out)
{
	struct comm_line line;
	size_t start;

	while (comm_line_next(&line, &p, end)) {
		if (line.pid < 0)
			continue;
		buf_printf(out, "%lld ", (long long)scrub_pid(s, at, line.pid));
		start = out->len;
		buf_add(out, line.name, line.len);
		if (line.len)
			scrub_task(s, at, out->data + start, line.len);
		buf_addch(out, '\n');
	}
}

/* --- ftr's own lines */

enum line_how {
	LINE_KEEP, LINE_DROP, LINE_PIDS, LINE_COMMS, LINE_UNAME, LINE_WORDS, LINE_INSTANCE,
};

static const struct meta_key {
	const char *key;
	enum line_how how;
	enum scrub_class class;		/* LINE_WORDS */
} meta_keys[] = {
	{ "tracer", LINE_KEEP, 0 }, { "clock", LINE_KEEP, 0 }, { "trace_options", LINE_KEEP, 0 },
	{ "kernel_values", LINE_KEEP, 0 }, { "modules", LINE_KEEP, 0 },
	{ "kallsyms_order", LINE_KEEP, 0 }, { "symbol_times", LINE_KEEP, 0 },
	{ "wall_begin", LINE_KEEP, 0 }, { "wall_end", LINE_KEEP, 0 }, { "at", LINE_KEEP, 0 },
	{ "lost", LINE_KEEP, 0 }, { "overwritten", LINE_KEEP, 0 }, { "keep_bytes", LINE_KEEP, 0 },
	{ "event-fork", LINE_KEEP, 0 }, { "tracing_cpumask", LINE_KEEP, 0 },
	{ "source", LINE_KEEP, 0 }, { "addresses", LINE_KEEP, 0 }, { "times", LINE_KEEP, 0 },
	{ "contexts", LINE_KEEP, 0 }, { "kernel_comms", LINE_COMMS, 0 },
	{ "collect_nr", LINE_KEEP, 0 }, { "dropped", LINE_KEEP, 0 },
	/* the mark is written anew; the text that these belong to is dropped */
	{ "scrubbed", LINE_DROP, 0 }, { "latency_tracer", LINE_DROP, 0 },
	{ "max_latency", LINE_DROP, 0 },
	{ "set_event_pid", LINE_PIDS, 0 }, { "set_event_notrace_pid", LINE_PIDS, 0 },
	{ "saved_tgids", LINE_PIDS, 0 },
	{ "uname", LINE_UNAME, 0 },
	{ "oops_instance", LINE_INSTANCE, 0 }, { "dumped_instance", LINE_INSTANCE, 0 },
	{ "command", LINE_WORDS, SCRUB_COMMAND },
	{ "dynamic_events", LINE_WORDS, SCRUB_STRINGS },
	{ "build_ids", LINE_WORDS, SCRUB_PATHS },
	{ "boot_id", LINE_WORDS, SCRUB_HOST },
	{ "*", LINE_WORDS, SCRUB_HOST },
};

static const struct meta_key *meta_key_find(const char *p, size_t len)
{
	size_t i = 0;

	while (!scrub_glob(meta_keys[i].key, p, len))
		i++;
	return &meta_keys[i];
}

/* Adds "KEY.INSTANCE=" or "KEY=", where the key ends at @dot. */
static void scrub_add_key(struct scrub_run *s, const char *p, const char *dot, const char *equals)
{
	size_t start;

	buf_add(&s->text, p, dot - p);
	if (dot < equals) {
		buf_addch(&s->text, '.');
		start = s->text.len;
		buf_add(&s->text, dot + 1, equals - dot - 1);
		scrub_instance(s, s->text.data + start);
	}
	buf_addch(&s->text, '=');
}

/* Adds the lines of scrub_add_comms() as a value of a key, with a newline as \n. */
static void add_escaped_comms(struct scrub_run *s, struct scrub_place *at, const char *p,
			      const char *end)
{
	struct buf plain = {0}, made = {0};

	for (; p < end; p++) {
		if (*p == '\\' && end - p > 1) {
			p++;
			buf_addch(&plain, *p == 'n' ? '\n' : *p);
		} else {
			buf_addch(&plain, *p);
		}
	}
	if (plain.len)
		scrub_add_comms(s, at, plain.data, plain.data + plain.len, &made);
	for (size_t i = 0; i < made.len; i++) {
		if (made.data[i] == '\\' || made.data[i] == '\n')
			buf_addch(&s->text, '\\');
		buf_addch(&s->text, made.data[i] == '\n' ? 'n' : made.data[i]);
	}
	buf_release(&plain);
	buf_release(&made);
}

static void make_meta_line(struct scrub_run *s, const char *p, const char *eol)
{
	const char *equals = memchr(p, '=', eol - p), *dot;
	const struct meta_key *k;
	struct scrub_place *at;
	size_t start;

	if (!equals)
		return;
	dot = memchr(p, '.', equals - p);
	dot = dot ? dot : equals;
	k = meta_key_find(p, dot - p);
	if (k->how == LINE_DROP)
		return;
	at = scrub_place_of(s, "line %s", strcmp(k->key, "*") ? k->key : "with another key");
	scrub_add_key(s, p, dot, equals);
	start = s->text.len;
	if (k->how == LINE_PIDS)
		scrub_add_pids(s, at, equals + 1, eol, &s->text);
	else if (k->how == LINE_COMMS)
		add_escaped_comms(s, at, equals + 1, eol);
	else
		buf_add(&s->text, equals + 1, eol - equals - 1);
	if (k->how == LINE_UNAME)
		scrub_uname(s, at, s->text.data + start, s->text.len - start);
	else if (k->how == LINE_INSTANCE)
		scrub_word(s, at, SCRUB_STRINGS, s->text.data + start, s->text.len - start);
	else if (k->how == LINE_WORDS)
		scrub_words(s, at, k->class, s->text.data + start, s->text.len - start);
	buf_addch(&s->text, '\n');
}

static void make_meta(struct scrub_run *s, const struct dat_blob *from)
{
	const char *p = from->p, *end = p + from->len, *eol;

	for (; p < end; p = eol + 1) {
		eol = scrub_line_end(p, end);
		make_meta_line(s, p, eol);
	}
}

/* --- sections */

static bool keeps_all(const struct scrub_run *s)
{
	for (int c = 0; c < SCRUB_REST; c++)
		if (!s->opts.keep[c])
			return false;
	return true;
}

/* Notes that the part is not copied, with @p as an example of its text. */
static void drop_part(struct scrub_run *s, const char *name, enum scrub_class c, const char *p,
		      size_t len)
{
	struct scrub_place *at = scrub_place_of(s, "%s", name);
	char *copy = xstrndup(p, len < 40 ? len : 40);

	scrub_word(s, at, c, copy, strlen(copy));
	free(copy);
	if (!strstr(scrub_dropped(s), name))
		buf_printf(&s->dropped, "%s%s", s->dropped.len ? ", " : "", name);
}

bool scrub_latencies(struct scrub_run *s)
{
	struct dat_latency one;
	size_t at = 0;

	if (keeps_all(s))
		return true;
	while (dat_latency_next(s->t->dat, &at, &one))
		drop_part(s, "texts of latencies", SCRUB_STRINGS, one.text, one.len);
	return false;
}

struct dat_blob scrub_section(struct scrub_run *s, uint16_t id, const struct dat_blob *from)
{
	struct dat_blob out = {0};

	buf_reset(&s->text);
	if (!from->len)
		return out;
	if (id == DAT_FTR_OOPS && !keeps_all(s)) {
		drop_part(s, "text of the oops", SCRUB_STRINGS, from->p, from->len);
		return out;
	}
	if (id == DAT_PRINTK)
		make_printk(s, scrub_place_of(s, "printk formats"), from);
	else if (id == DAT_CMDLINES)
		scrub_add_comms(s, scrub_place_of(s, "saved_cmdlines"), from->p,
				from->p + from->len, &s->text);
	else if (id == DAT_FTR_META)
		make_meta(s, from);
	else
		return *from;
	out.p = s->text.data;
	out.len = s->text.len;
	return out;
}

/* --- options */

/* Makes a value in s->text from that of the file. Returns false if the option is dropped. */
typedef bool (*option_fn)(struct scrub_run *s, struct scrub_place *at, const struct dat_blob *from);

static char *copy_value(struct scrub_run *s, const struct dat_blob *from)
{
	buf_add(&s->text, from->p ? from->p : "", from->len);
	return s->text.data;
}

/* Bytes after the NUL of a text are cut off. */
static size_t text_len(const struct dat_blob *from)
{
	return from->p ? strnlen(from->p, from->len) : 0;
}

static bool option_decimal(struct scrub_run *s, struct scrub_place *at, const struct dat_blob *from)
{
	size_t len = text_len(from);

	if (!len || strspn(from->p, "-+0123456789abcdefABCDEFx") < len) {
		drop_part(s, at->name, SCRUB_HOST, from->p ? from->p : "", len);
		return false;
	}
	buf_add(&s->text, from->p, len);
	buf_addch(&s->text, '\0');
	return true;
}

static bool option_uname(struct scrub_run *s, struct scrub_place *at, const struct dat_blob *from)
{
	size_t len = text_len(from);

	buf_add(&s->text, from->p ? from->p : "", len);
	scrub_uname(s, at, s->text.data, len);
	buf_addch(&s->text, '\0');
	return true;
}

static bool option_version(struct scrub_run *s, struct scrub_place *at, const struct dat_blob *from)
{
	size_t len = text_len(from);

	buf_add(&s->text, from->p ? from->p : "", len);
	scrub_parts(s, at, version_words, s->text.data, len);
	buf_addch(&s->text, '\0');
	return true;
}

static bool option_clock(struct scrub_run *s, struct scrub_place *at, const struct dat_blob *from)
{
	size_t len = text_len(from);

	buf_add(&s->text, from->p ? from->p : "", len);
	scrub_clocks(s, at, s->text.data, len);
	if (from->len > len)
		buf_addch(&s->text, '\0');
	return true;
}

static bool option_trace_id(struct scrub_run *s, struct scrub_place *at,
			    const struct dat_blob *from)
{
	uint64_t id;

	if (from->len != 8)
		return false;
	memcpy(&id, from->p, 8);
	buf_u64(&s->text, scrub_id(s, at, id));
	return true;
}

/* u64 id of the peer, then numbers */
static bool option_shift(struct scrub_run *s, struct scrub_place *at, const struct dat_blob *from)
{
	uint64_t id;
	char *to;

	if (from->len < 16)
		return false;
	to = copy_value(s, from);
	memcpy(&id, to, 8);
	id = scrub_id(s, at, id);
	memcpy(to, &id, 8);
	return true;
}

/* str name, u64 id, u32 n, n times: u32 virtual CPU, u32 pid */
static bool option_guest(struct scrub_run *s, struct scrub_place *at, const struct dat_blob *from)
{
	size_t len = text_len(from);
	const uint8_t *p = (const uint8_t *)from->p + len + 1;
	uint64_t id;
	uint32_t n;

	if (from->len < len + 1 + 12)
		return false;
	buf_add(&s->text, from->p, len);
	scrub_word(s, at, SCRUB_HOST, s->text.data, len);
	buf_addch(&s->text, '\0');
	memcpy(&id, p, 8);
	memcpy(&n, p + 8, 4);
	if (n > (from->len - len - 13) / 8)
		return false;
	buf_u64(&s->text, scrub_id(s, at, id));
	buf_u32(&s->text, n);
	for (p += 12; n--; p += 8) {
		buf_u32(&s->text, get_u32(p, RING_HOST_BIG));
		buf_u32(&s->text, scrub_pid(s, at, (int32_t)get_u32(p + 4, RING_HOST_BIG)));
	}
	return true;
}

static bool option_tsc(struct scrub_run *s, struct scrub_place *at, const struct dat_blob *from)
{
	(void)at;
	copy_value(s, from);
	return from->len == 16;
}

/* Statistics of a buffer: lines of numbers, and its name. */
static bool option_stats(struct scrub_run *s, struct scrub_place *at, const struct dat_blob *from)
{
	static const char *const known[] = {
		"CPU: #", "entries: *", "overrun: *", "commit overrun: *", "bytes: *",
		"oldest event ts: *", "now ts: *", "dropped events: *", "read events: *", NULL,
	};
	size_t len = text_len(from), start;
	const char *p = from->p, *end = p + len, *eol, *colon;

	for (; p < end; p = eol + 1) {
		eol = scrub_line_end(p, end);
		start = s->text.len;
		buf_add(&s->text, p, eol - p);
		colon = memchr(p, ':', eol - p);
		if (eol - p > 8 && !memcmp(p, "Buffer: ", 8))
			scrub_word(s, at, SCRUB_STRINGS, s->text.data + start + 8, eol - p - 8);
		else if (!colon || !scrub_is_listed(known, p, eol - p) ||
			 strspn(colon, ": .0123456789") < (size_t)(eol - colon))
			scrub_words(s, at, SCRUB_STRINGS, s->text.data + start, eol - p);
		if (eol < end)
			buf_addch(&s->text, '\n');
	}
	buf_addch(&s->text, '\0');
	return true;
}

/* Returns the end of a hexadecimal number and the blank after it, or NULL. */
static const char *scrub_parse_hex(const char *p, const char *end, uint64_t *v)
{
	const char *start = p;

	for (*v = 0; p < end && isxdigit((unsigned char)*p) && p - start < 16; p++)
		*v = *v << 4 | (isdigit((unsigned char)*p) ? *p - '0' : (*p | 32) - 'a' + 10);
	return p > start && p < end && *p == ' ' ? p + 1 : NULL;
}

/* The ranges find the file at an address: without addresses nothing is found. */
static bool option_maps(struct scrub_run *s, struct scrub_place *at, const struct dat_blob *from)
{
	size_t len = text_len(from), start;
	const char *p = from->p, *end = p + len, *eol, *rest;
	uint64_t a, b;

	for (; p < end; p = eol + 1) {
		eol = scrub_line_end(p, end);
		rest = scrub_parse_hex(p, eol, &a);
		rest = rest ? scrub_parse_hex(rest, eol, &b) : NULL;
		if (!rest)
			continue;
		a = p == from->p ? (uint64_t)scrub_pid(s, at, (int32_t)a) : a;
		buf_printf(&s->text, "%llx %llx ", (unsigned long long)a, (unsigned long long)b);
		start = s->text.len;
		buf_add(&s->text, rest, eol - rest);
		if (p == from->p)
			scrub_task(s, at, s->text.data + start, eol - rest);
		else
			scrub_words(s, at, SCRUB_PATHS, s->text.data + start, eol - rest);
		buf_addch(&s->text, '\n');
	}
	buf_addch(&s->text, '\0');
	if (!s->opts.keep[SCRUB_ADDRESSES])
		drop_part(s, at->name, SCRUB_ADDRESSES, from->p ? from->p : "", len);
	return s->opts.keep[SCRUB_ADDRESSES];
}

static const struct { uint16_t id; option_fn make; } options[] = {
	{ DAT_DATE, option_decimal }, { DAT_OFFSET, option_decimal }, { DAT_CPUSTAT, option_stats },
	{ DAT_TRACECLOCK, option_clock }, { DAT_UNAME, option_uname },
	{ DAT_VERSION, option_version }, { DAT_TRACEID, option_trace_id },
	{ DAT_TIME_SHIFT, option_shift }, { DAT_GUEST, option_guest },
	{ DAT_TSC2NSEC, option_tsc }, { DAT_PROCMAPS, option_maps },
};

/* The layout is made anew. */
static bool is_made_anew(uint16_t id)
{
	return id == DAT_DONE || id == DAT_BUFFER || id == DAT_CPUCOUNT ||
	       (id >= DAT_HEADER_INFO && id <= DAT_BTF_FILE) || id == DAT_MODULES_FILE;
}

bool scrub_option(struct scrub_run *s, const struct dat_option *from, struct dat_blob *to)
{
	struct scrub_place *at;
	bool made = keeps_all(s);
	char name[40];
	size_t i;

	buf_reset(&s->text);
	if (is_made_anew(from->id))
		return false;
	snprintf(name, sizeof(name), "option %s", dat_option_name(from->id));
	at = scrub_place_of(s, "%s", name);
	for (i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (options[i].id == from->id) {
			made = options[i].make(s, at, &from->data);
			break;
		}
	if (i == sizeof(options) / sizeof(*options)) {
		copy_value(s, &from->data);
		if (!made && from->data.len)
			drop_part(s, name, SCRUB_STRINGS, from->data.p, from->data.len);
	}
	*to = (struct dat_blob){ .p = s->text.data ? s->text.data : "", .len = s->text.len };
	return made;
}
