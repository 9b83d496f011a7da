/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parser of the kernel's event format files: identity, fields with checked offsets, and the print
 * fmt text.
 */
#include <ctype.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "event/data/data.h"
#include "event/data/format_lines.h"

/* Limits far above any format of a kernel (7 KiB of text, 41 fields). */
#define TEXT_MAX	(256 * 1024)
#define TOO_LONG	"more than 256 KiB of text"
#define NAME_LEN_MAX	256
#define TYPE_LEN_MAX	1024
#define FIELDS_MAX	256
#define RECORD_MAX	65536

/* Values of text.state. A zeroed format counts as parsed. */
enum { PARSED, SLICED, BROKEN };

/* A part of the text, [p, end). */
struct format_part {
	const char *p, *end;
};

static bool span_is(struct format_part s, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(s.end - s.p) == n && !memcmp(s.p, word, n);
}

static bool span_starts(struct format_part s, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(s.end - s.p) >= n && !memcmp(s.p, word, n);
}

static struct format_part span_trim(struct format_part s)
{
	while (s.p < s.end && isspace((unsigned char)*s.p))
		s.p++;
	while (s.p < s.end && isspace((unsigned char)s.end[-1]))
		s.end--;
	return s;
}

static bool span_graphic(struct format_part s)
{
	for (; s.p < s.end; s.p++)
		if (*s.p <= ' ' || *s.p >= 0x7f)
			return false;
	return true;
}

/* Removes the first line from @s and returns it. */
static struct format_part span_line(struct format_part *s)
{
	const char *nl = memchr(s->p, '\n', s->end - s->p);
	struct format_part line = { s->p, nl ? nl : s->end };

	s->p = nl ? nl + 1 : s->end;
	return line;
}

/* Parses a decimal number that fills @s. Returns false if it is no number or above @max. */
static bool span_number(struct format_part s, uint32_t max, uint32_t *v)
{
	uint64_t n = 0;

	if (s.p == s.end)
		return false;
	for (; s.p < s.end; s.p++) {
		if (!isdigit((unsigned char)*s.p))
			return false;
		n = n * 10 + (*s.p - '0');
		if (n > max)
			return false;
	}
	*v = n;
	return true;
}

/* Parses "KEY:value;" after white space and removes it from @s. Returns false if it is missing. */
static bool parse_attr(struct format_part *s, const char *key, struct format_part *value)
{
	struct format_part t = span_trim(*s);
	const char *semi;

	if (!span_starts(t, key))
		return false;
	t.p += strlen(key);
	semi = memchr(t.p, ';', t.end - t.p);
	if (!semi)
		return false;
	*value = span_trim((struct format_part){ t.p, semi });
	s->p = semi + 1;
	return true;
}

/*
 * Splits "type name" or "type name[N]". @dim is the text between the brackets, empty without them.
 * Returns false if the brackets do not match.
 */
static bool split_decl(struct format_part decl, struct format_part *type, struct format_part *name,
		       struct format_part *dim)
{
	int depth = 0;

	decl = span_trim(decl);
	*dim = (struct format_part){ decl.end, decl.end };
	if (decl.p < decl.end && decl.end[-1] == ']') {
		const char *p = decl.end;

		do {
			p--;
			depth += *p == ']' ? 1 : *p == '[' ? -1 : 0;
		} while (p > decl.p && depth);
		if (depth)
			return false;
		*dim = span_trim((struct format_part){ p + 1, decl.end - 1 });
		decl.end = p;
		decl = span_trim(decl);
	}
	name->end = decl.end;
	for (name->p = decl.end; name->p > decl.p; name->p--)
		if (isspace((unsigned char)name->p[-1]) || strchr("*])", name->p[-1]))
			break;
	*type = span_trim((struct format_part){ decl.p, name->p });
	return true;
}

/* Element types whose size does not depend on the kernel's long. */
static const struct {
	const char *name;
	uint8_t size;
} type_sizes[] = {
	{ "char", 1 }, { "unsigned char", 1 }, { "signed char", 1 }, { "u8", 1 }, { "s8", 1 },
	{ "__u8", 1 }, { "__s8", 1 }, { "uint8_t", 1 }, { "bool", 1 }, { "const char", 1 },
	{ "short", 2 }, { "unsigned short", 2 }, { "u16", 2 }, { "s16", 2 }, { "__u16", 2 },
	{ "__be16", 2 }, { "__le16", 2 }, { "uint16_t", 2 },
	{ "int", 4 }, { "unsigned int", 4 }, { "unsigned", 4 }, { "u32", 4 }, { "s32", 4 },
	{ "__u32", 4 }, { "__s32", 4 }, { "__be32", 4 }, { "__le32", 4 }, { "uint32_t", 4 },
	{ "long long", 8 }, { "unsigned long long", 8 }, { "u64", 8 }, { "s64", 8 },
	{ "__u64", 8 }, { "__s64", 8 }, { "__be64", 8 }, { "__le64", 8 }, { "uint64_t", 8 },
};

/* Returns the type of an element: "char" for "__data_loc char[]", "u8" for "u8". */
static struct format_part elem_type(struct format_part type)
{
	if (span_starts(type, "__data_loc"))
		type.p += strlen("__data_loc");
	else if (span_starts(type, "__rel_loc"))
		type.p += strlen("__rel_loc");
	type = span_trim(type);
	if (type.end - type.p >= 2 && type.end[-1] == ']') {
		while (type.end > type.p && type.end[-1] != '[')
			type.end--;
		if (type.end > type.p)
			type.end--;
	}
	return span_trim(type);
}

/* Sets the kind and, for all but numbers, the size of an element. */
static void field_classify(struct ev_field *fd, struct format_part type, struct format_part dim,
			   bool array)
{
	struct format_part elem;
	uint32_t n;

	if (span_starts(type, "__data_loc"))
		fd->kind = EV_DATA_LOC;
	else if (span_starts(type, "__rel_loc"))
		fd->kind = EV_REL_LOC;
	else
		fd->kind = !fd->size ? EV_REST : array ? EV_ARRAY : EV_FIXED;
	if (fd->kind == EV_FIXED)
		return;
	elem = elem_type(type);
	for (size_t i = 0; !fd->elem_size && i < sizeof(type_sizes) / sizeof(*type_sizes); i++)
		if (span_is(elem, type_sizes[i].name))
			fd->elem_size = type_sizes[i].size;
	if (!fd->elem_size && span_number(dim, RECORD_MAX, &n) && n && fd->size % n == 0)
		fd->elem_size = fd->size / n;
	fd->is_string = span_is(elem, "char") || span_is(elem, "const char");
}

/*
 * "__field(nid_t, nid[3])" of f2fs before 6.4, "__field(char, rcutorturename[8])": the record has
 * all elements, the format the size of one. Kernels since 5.6 compute the following offsets from
 * the sizes in the format, so they may be wrong as well.
 */
static void fix_brackets(struct ev_format *f, struct ev_field *fd, struct format_part dim)
{
	const struct ev_field *before = f->nr_fields ? &f->fields[f->nr_fields - 1] : NULL;
	uint32_t n, align = fd->kind == EV_ARRAY ? fd->elem_size : fd->size;

	if (align != 1 && align != 2 && align != 4 && align != 8)
		align = 0;	/* unknown */
	if (f->text.moved && before && align && fd->offset < before->offset + before->size)
		fd->offset = (before->offset + before->size + align - 1) / align * align;
	if (fd->kind != EV_ARRAY || (fd->elem_size && fd->elem_size != fd->size) ||
	    !span_number(dim, FIELDS_MAX, &n) || n < 2)
		return;
	f->text.moved = true;
	fd->elem_size = fd->size;
	fd->size *= n;
}

static const char *field_check(const struct ev_format *f, const struct ev_field *fd,
			       struct format_part type,
			       struct format_part name)
{
	if (type.p == type.end || name.p == name.end)
		return "a field without type or name";
	if (!span_graphic(name))
		return "a field with an odd name";
	if (type.end - type.p > TYPE_LEN_MAX || name.end - name.p > NAME_LEN_MAX)
		return "a field name or type that is too long";
	if (f->nr_fields >= FIELDS_MAX)
		return "too many fields";
	if ((uint64_t)fd->offset + fd->size > RECORD_MAX)
		return "a field beyond 64 KiB";
	/* Before 2.6.34 the location was a 2-byte offset, the string ended at its NUL. */
	if (fd->kind == EV_DATA_LOC && fd->size != 8 && fd->size != 4 && fd->size != 2)
		return "a __data_loc field that is none of 8, 4 and 2 bytes";
	if (fd->kind == EV_REL_LOC && fd->size != 4)
		return "a __rel_loc field that is not 4 bytes";
	return NULL;
}

/* A hash of the name, as each name is compared with up to 256 names before it. */
static uint32_t hash_name(const char *s)
{
	return hash_bytes(s, strlen(s));
}

static struct ev_field *field_by_name(const struct ev_format *f, const char *name)
{
	uint32_t hash = hash_name(name);

	for (size_t i = 0; i < f->nr_fields; i++)
		if (f->fields[i].hash == hash && !strcmp(f->fields[i].name, name))
			return &f->fields[i];
	return NULL;
}

/*
 * Real events have two fields of one name (regmap:regcache_sync, amdgpu): the later one becomes
 * "name_2". The first one has the last used number. The caller frees the result.
 */
static char *unique_field_name(const struct ev_format *f, struct format_part name)
{
	char *s = xstrndup(name.p, name.end - name.p);
	struct ev_field *first = field_by_name(f, s);

	if (!first)
		return s;
	first->nr_same += !first->nr_same;
	do {
		free(s);
		s = xasprintf("%s_%u", first->name, ++first->nr_same);
	} while (field_by_name(f, s));
	return s;
}

/* The parts of a field's line. */
struct field_line {
	struct format_part decl, type, name, dim;
	uint32_t offset, size;
	bool is_signed;
};

/*
 * Parses "field:TYPE NAME; offset:N; size:N; signed:N;". The fields of old ftrace events start with
 * "field special:". Returns NULL, or the reason why the line is invalid.
 */
static const char *split_field_line(struct format_part line, struct field_line *l)
{
	static const char *const signed_types[] = {
		"char", "short", "int", "long", "long long", "pid_t", "s8", "s16", "s32", "s64",
		"ssize_t", "loff_t",
	};
	uint32_t is_signed = 0;
	struct format_part v;

	if (!parse_attr(&line, "field:", &l->decl) &&
	    !parse_attr(&line, "field special:", &l->decl))
		return "a line that is not a field";
	if (!split_decl(l->decl, &l->type, &l->name, &l->dim))
		return "a field without type or name";
	if (!parse_attr(&line, "offset:", &v) || !span_number(v, RECORD_MAX, &l->offset))
		return "a field without a sane offset";
	if (!parse_attr(&line, "size:", &v) || !span_number(v, RECORD_MAX, &l->size))
		return "a field without a sane size";
	if (parse_attr(&line, "signed:", &v)) {
		if (!span_number(v, 1, &is_signed))
			return "a field with an unknown sign";
		l->is_signed = is_signed;
	} else {
		/* Kernels before 2.6.34 wrote no "signed:". */
		l->is_signed = false;
		for (size_t i = 0; i < sizeof(signed_types) / sizeof(*signed_types); i++)
			l->is_signed |= span_is(l->type, signed_types[i]);
	}
	line = span_trim(line);
	return line.p == line.end ? NULL : "text after a field";
}

static const char *parse_field_line(struct ev_format *f, struct format_part line)
{
	struct ev_field fd = { 0 };
	struct field_line l;
	const char *why = split_field_line(line, &l);

	if (why)
		return why;
	fd.offset = l.offset;
	fd.size = l.size;
	fd.is_signed = l.is_signed;
	field_classify(&fd, l.type, l.dim, l.decl.end > l.decl.p && l.decl.end[-1] == ']');
	fix_brackets(f, &fd, l.dim);
	why = field_check(f, &fd, l.type, l.name);
	if (why)
		return why;
	fd.type = xstrndup(l.type.p, l.type.end - l.type.p);
	fd.name = unique_field_name(f, l.name);
	fd.hash = hash_name(fd.name);
	fd.common = !strncmp(fd.name, "common_", 7);
	/*
	 * A kernel_stack record is as long as its stack: "caller[8]" in the format is a sample, the
	 * bytes up to the record's end count.
	 */
	if (fd.kind == EV_ARRAY && !strcmp(fd.name, "caller") && !strcmp(f->name, "kernel_stack") &&
	    !strcmp(f->system, "ftrace")) {
		fd.kind = EV_REST;
		fd.size = 0;
	}
	/* Synthetic events since 6.4 have the location in the first half of a u64. */
	if (fd.kind == EV_DATA_LOC && fd.size == 8)
		fd.size = 4;
	if (fd.offset + fd.size > f->min_len)
		f->min_len = fd.offset + fd.size;
	f->fields = xgrow(f->fields, &f->cap_fields, f->nr_fields + 1, sizeof(*f->fields));
	f->fields[f->nr_fields++] = fd;
	return NULL;
}

static const char *split_name_line(struct format_part line, struct format_part *name)
{
	if (!span_starts(line, "name:"))
		return "no name";
	*name = span_trim((struct format_part){ line.p + strlen("name:"), line.end });
	if (name->p == name->end || name->end - name->p > NAME_LEN_MAX)
		return "no sane name";
	return span_graphic(*name) ? NULL : "no sane name";
}

static bool split_id_line(struct format_part line, uint32_t *id)
{
	return span_starts(line, "ID:") &&
	       span_number(span_trim((struct format_part){ line.p + strlen("ID:"), line.end }),
			   UINT16_MAX, id);
}

/* Parses the first two lines of @text and moves to the third. */
static const char *parse_identity(struct ev_format *f, struct format_part *text)
{
	struct format_part name;
	const char *why = split_name_line(span_line(text), &name);
	uint32_t id;

	if (why)
		return why;
	f->name = xstrndup(name.p, name.end - name.p);
	if (!split_id_line(span_line(text), &id))
		return "no sane ID";
	f->id = id;
	return NULL;
}

static const char *parse_fields(struct ev_format *f, struct format_part *text)
{
	struct format_part line = span_line(text);
	const char *why = NULL;

	if (!span_is(span_trim(line), "format:"))
		return "no field list";
	while (text->p < text->end && !why) {
		if (span_starts(*text, "print fmt:"))
			break;
		line = span_trim(span_line(text));
		if (line.p < line.end)
			why = parse_field_line(f, line);
	}
	if (!why && !f->nr_fields)
		why = "no fields";
	/* Common fields come first in every kernel; other files are sorted, keeping the order. */
	for (size_t i = 1; i < f->nr_fields; i++) {
		for (size_t j = i; j && f->fields[j].common && !f->fields[j - 1].common; j--) {
			struct ev_field t = f->fields[j];

			f->fields[j] = f->fields[j - 1];
			f->fields[j - 1] = t;
		}
	}
	return why;
}

/* Releases @f and sets @err. Returns -1. */
static int refuse_format(struct ev_format *f, const char *system, const char *why,
			 struct ftr_error *err)
{
	char *name = f->name;

	f->name = NULL;
	ev_format_release(f);
	err_set(err, FTR_DAMAGED, "cannot parse the format of '%s:%s': it has %s", system,
		name ? name : "?", why);
	free(name);
	return -1;
}

int ev_format_parse(struct ev_format *f, const char *system, const char *text, size_t len,
		    struct ftr_error *err)
{
	struct format_part rest = { text, text + len };
	const char *why = NULL;

	memset(f, 0, sizeof(*f));
	f->system = system;
	if (len > TEXT_MAX)
		why = TOO_LONG;
	else if (memchr(text, 0, len))
		why = "a NUL byte";
	if (!why)
		why = parse_identity(f, &rest);
	if (!why)
		why = parse_fields(f, &rest);
	if (why)
		return refuse_format(f, system, why, err);
	if (rest.p < rest.end)
		rest.p += strlen("print fmt:");
	rest = span_trim(rest);
	f->print_fmt = xstrndup(rest.p, rest.end - rest.p);
	return 0;
}

int ev_format_slice(struct ev_format *f, const char *system, const char *text, size_t len,
		    struct ftr_error *err)
{
	struct format_part head = { text, text + len };
	const char *why;

	memset(f, 0, sizeof(*f));
	f->system = system;
	why = len > TEXT_MAX ? TOO_LONG : parse_identity(f, &head);
	if (why)
		return refuse_format(f, system, why, err);
	f->text.p = text;
	f->text.len = len;
	f->text.state = SLICED;
	return 0;
}

/*
 * Parses the sliced text into a separate format and moves its parts to @f. Threads that do it at
 * the same time each parse it: nothing is allocated under the lock, see mem_guard_enter().
 */
const char *ev_format_ready(const struct ev_format *f)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	/* a format is constant for all but the thread that completes it */
	struct ev_format *to = (struct ev_format *)f, whole;
	struct ftr_error err;
	char *why = NULL;

	if (__atomic_load_n(&f->text.state, __ATOMIC_ACQUIRE) != SLICED)
		return f->text.why;
	if (ev_format_parse(&whole, f->system, f->text.p, f->text.len, &err))
		why = xstrdup(err.msg);
	pthread_mutex_lock(&lock);
	if (f->text.state != SLICED) {
		if (!why)
			ev_format_release(&whole);
		free(why);
	} else if (why) {
		to->text.why = why;
		__atomic_store_n(&to->text.state, BROKEN, __ATOMIC_RELEASE);
	} else {
		to->fields = whole.fields;
		to->nr_fields = whole.nr_fields;
		to->cap_fields = whole.cap_fields;
		to->print_fmt = whole.print_fmt;
		to->min_len = whole.min_len;
		free(whole.name);
		__atomic_store_n(&to->text.state, PARSED, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
	return f->text.why;
}

void ev_format_release(struct ev_format *f)
{
	for (size_t i = 0; i < f->nr_fields; i++) {
		free(f->fields[i].type);
		free(f->fields[i].name);
	}
	free(f->fields);
	free(f->name);
	free(f->print_fmt);
	free(f->text.why);
	memset(f, 0, sizeof(*f));
}

const struct ev_field *ev_field(const struct ev_format *f, const char *name)
{
	const char *dot;

	if (ev_format_ready(f))
		return NULL;
	for (size_t i = 0; i < f->nr_fields; i++)
		if (!strcmp(f->fields[i].name, name))
			return &f->fields[i];
	/* Old ftrace events write "graph_ent.func" for func. */
	for (size_t i = 0; i < f->nr_fields; i++) {
		dot = strrchr(f->fields[i].name, '.');
		if (dot && !strcmp(dot + 1, name))
			return &f->fields[i];
	}
	return NULL;
}

/* --- single lines of a format file */

bool format_field_next(struct format_field *f, const char **p)
{
	struct format_part text = { *p, *p + strlen(*p) }, line;
	struct field_line l;

	while (text.p < text.end && !span_starts(text, "print fmt:")) {
		line = span_line(&text);
		if (split_field_line(line, &l) || l.name.p == l.name.end)
			continue;
		*f = (struct format_field){
			.decl = l.decl.p, .decl_len = l.decl.end - l.decl.p, .name = l.name.p,
			.name_len = l.name.end - l.name.p, .offset = l.offset, .size = l.size,
			.is_signed = l.is_signed,
		};
		*p = text.p;
		return true;
	}
	return false;
}

bool format_field_find(struct format_field *f, const char *text, const char *name)
{
	size_t n = strlen(name);

	while (format_field_next(f, &text))
		if (f->name_len == n && !memcmp(f->name, name, n))
			return true;
	return false;
}

void format_field_names(const char *text, bool common, struct strv *out)
{
	struct format_field f;

	while (format_field_next(&f, &text))
		if (common || f.name_len < 7 || memcmp(f.name, "common_", 7))
			strv_take(out, xstrndup(f.name, f.name_len));
}

const char *format_name(const char *text, size_t text_len, size_t *len)
{
	struct format_part all = { text, text + text_len }, name;

	if (split_name_line(span_line(&all), &name))
		return NULL;
	*len = name.end - name.p;
	return name.p;
}

bool format_id(const char *text, uint16_t *id)
{
	struct format_part all = { text, text + strlen(text) };
	uint32_t v;

	span_line(&all);
	if (!split_id_line(span_line(&all), &v))
		return false;
	*id = v;
	return true;
}

const char *format_print_fmt(const char *text, size_t *len)
{
	struct format_part all = { text, text + strlen(text) };

	while (all.p < all.end && !span_starts(all, "print fmt:"))
		span_line(&all);
	if (all.p == all.end)
		return NULL;
	all.p += strlen("print fmt:");
	all = span_trim(span_line(&all));
	*len = all.end - all.p;
	return all.p;
}

/* --- formats and texts of a file, which may be loaded on first use */

size_t event_meta_formats(const struct event_meta *w, const char *system, struct ev_format **v)
{
	if (w->loader)
		return w->loader->formats(w->loader->ctx, system, v);
	*v = w->formats;
	return w->nr_formats;
}

const struct ev_format *event_meta_find_id(const struct event_meta *w, uint16_t id)
{
	if (w->loader)
		return w->loader->by_id(w->loader->ctx, id);
	if (w->by_id.n)
		return map_get(&w->by_id, id);
	for (size_t i = 0; i < w->nr_formats; i++)
		if (w->formats[i].id == id)
			return &w->formats[i];
	return NULL;
}

const struct ev_format *event_meta_find_name(const struct event_meta *w, const char *system,
					     const char *name)
{
	struct ev_format *v;
	size_t i, n = event_meta_formats(w, system, &v);

	for (i = 0; i < n; i++)
		if (v[i].name && !strcmp(v[i].name, name) && !strcmp(v[i].system, system))
			return &v[i];
	return NULL;
}

const char *event_meta_text(const struct event_meta *w, enum ev_text which, size_t *len)
{
	const char *const p[] = {
		[EV_KALLSYMS] = w->kallsyms, [EV_PRINTK] = w->printk, [EV_CMDLINES] = w->cmdlines,
		[EV_PROTOS] = w->protos,
	};
	const size_t n[] = {
		[EV_KALLSYMS] = w->kallsyms_len, [EV_PRINTK] = w->printk_len,
		[EV_CMDLINES] = w->cmdlines_len, [EV_PROTOS] = w->protos_len,
	};

	if (w->loader)
		return w->loader->text(w->loader->ctx, which, len);
	*len = p[which] ? n[which] : 0;
	return p[which];
}
