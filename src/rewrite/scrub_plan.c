/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which bytes of an event's records are replaced, and how.
 *
 * The format gives each field a shape; the first rule that matches the system, the event, the field
 * and the shape decides. Without a rule the shape does: fields of no known kind are cleared, and
 * plain numbers stay. The plan is made once for each event, so that a record costs what its
 * replaced fields cost.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "rewrite/scrub_priv.h"

/* Bits, so that a rule may be for several. */
enum shape {
	TEXT = 1,	/* an array of char */
	BYTES = 2,	/* another array, or a struct */
	LONGS = 4,	/* an array of the size of addresses */
	POINTER = 8,
	NUMBER = 16,
	HEX = 32,	/* a number of 8 bytes that is printed as one in hex */
	ARRAYS = TEXT | BYTES | LONGS,
	NUMBERS = NUMBER | HEX,
};

struct scrub_rule {
	const char *system, *event, *field;
	unsigned int shapes;
	enum scrub_how how;
	enum scrub_class class;
};

static const struct scrub_rule rules[] = {
	/* --- arrays */
	{ "ftrace", "print", "buf", TEXT, SCRUB_TEXT, SCRUB_MARKERS },
	{ "ftrace", "bprint", "buf", ARRAYS, SCRUB_BLANK, SCRUB_MARKERS },
	{ "ftrace", "raw_data", "id", NUMBERS, SCRUB_BLANK, SCRUB_USERDATA },
	{ "ftrace", "raw_data", "buf", ARRAYS, SCRUB_BLANK, SCRUB_USERDATA },
	{ "*", "*", "*comm", TEXT, SCRUB_NAME, SCRUB_TASKS },
	{ "*", "*", "rwbs", TEXT, SCRUB_KEEP, 0 },
	{ "*", "*", "*cpumask*", ARRAYS, SCRUB_KEEP, 0 },
	{ "*", "*", "*filename*", TEXT, SCRUB_TEXT, SCRUB_PATHS },
	{ "*", "*", "*path*", TEXT, SCRUB_TEXT, SCRUB_PATHS },
	{ "*", "*", "dentry", TEXT, SCRUB_TEXT, SCRUB_PATHS },
	{ "*", "*", "*", TEXT, SCRUB_TEXT, SCRUB_STRINGS },
	{ "*", "*", "*", LONGS, SCRUB_ADDRESS, SCRUB_ADDRESSES },
	{ "*", "*", "*", BYTES, SCRUB_BLANK, SCRUB_USERDATA },
	/* --- tasks and users */
	{ "*", "*", "common_pid", NUMBERS, SCRUB_PID, SCRUB_PIDS },
	{ "*", "*", "common_*", NUMBERS, SCRUB_KEEP, 0 },
	{ "*", "*", "*pid", NUMBERS, SCRUB_PID, SCRUB_PIDS },
	{ "*", "*", "*tgid", NUMBERS, SCRUB_PID, SCRUB_PIDS },
	{ "*", "*", "uid", NUMBERS, SCRUB_USER, SCRUB_USERS },
	{ "*", "*", "gid", NUMBERS, SCRUB_USER, SCRUB_USERS },
	{ "*", "*", "euid", NUMBERS, SCRUB_USER, SCRUB_USERS },
	{ "*", "*", "egid", NUMBERS, SCRUB_USER, SCRUB_USERS },
	{ "*", "*", "*_uid", NUMBERS, SCRUB_USER, SCRUB_USERS },
	{ "*", "*", "*_gid", NUMBERS, SCRUB_USER, SCRUB_USERS },
	{ "*", "*", "loginuid", NUMBERS, SCRUB_USER, SCRUB_USERS },
	{ "syscalls", "sys_exit_get*pid", "ret", NUMBERS, SCRUB_PID_RET, SCRUB_PIDS },
	{ "syscalls", "sys_exit_gettid", "ret", NUMBERS, SCRUB_PID_RET, SCRUB_PIDS },
	{ "syscalls", "sys_exit_getp*", "ret", NUMBERS, SCRUB_PID_RET, SCRUB_PIDS },
	{ "syscalls", "sys_exit_getsid", "ret", NUMBERS, SCRUB_PID_RET, SCRUB_PIDS },
	{ "syscalls", "sys_exit_setsid", "ret", NUMBERS, SCRUB_PID_RET, SCRUB_PIDS },
	{ "syscalls", "sys_exit_set_tid_address", "ret", NUMBERS, SCRUB_PID_RET, SCRUB_PIDS },
	{ "syscalls", "sys_exit_*fork", "ret", NUMBERS, SCRUB_PID_RET, SCRUB_PIDS },
	{ "syscalls", "sys_exit_clone*", "ret", NUMBERS, SCRUB_PID_RET, SCRUB_PIDS },
	{ "syscalls", "sys_exit_wait4", "ret", NUMBERS, SCRUB_PID_RET, SCRUB_PIDS },
	{ "syscalls", "sys_exit_get*uid", "ret", NUMBERS, SCRUB_USER, SCRUB_USERS },
	{ "syscalls", "sys_exit_get*gid", "ret", NUMBERS, SCRUB_USER, SCRUB_USERS },
	/* --- addresses of memory and of networks */
	{ "*", "*", "*", POINTER, SCRUB_FMT, SCRUB_ADDRESSES },
	{ "*", "*", "*addr", NUMBERS, SCRUB_ADDRESS, SCRUB_ADDRESSES },
	{ "*", "*", "*address", NUMBERS, SCRUB_ADDRESS, SCRUB_ADDRESSES },
	{ "*", "*", "*ip", NUMBERS, SCRUB_ADDRESS, SCRUB_ADDRESSES },
	{ "*", "*", "*ptr", NUMBERS, SCRUB_ADDRESS, SCRUB_ADDRESSES },
	{ "*", "*", "*func", NUMBERS, SCRUB_ADDRESS, SCRUB_ADDRESSES },
	{ "*", "*", "function", NUMBERS, SCRUB_ADDRESS, SCRUB_ADDRESSES },
	{ "*", "*", "caller", NUMBERS, SCRUB_ADDRESS, SCRUB_ADDRESSES },
	{ "*", "*", "call*site", NUMBERS, SCRUB_ADDRESS, SCRUB_ADDRESSES },
	{ "*", "*", "retval", NUMBERS, SCRUB_ADDRESS, SCRUB_ADDRESSES },
	{ "*", "*", "sport", NUMBERS, SCRUB_BLANK, SCRUB_ADDRESSES },
	{ "*", "*", "dport", NUMBERS, SCRUB_BLANK, SCRUB_ADDRESSES },
	{ "*", "*", "*", HEX, SCRUB_WIDE, SCRUB_ADDRESSES },
};

/* --- shapes */

static bool is_pid_type(const char *type)
{
	return !strcmp(type, "pid_t");
}

static bool is_user_type(const char *type)
{
	return !strcmp(type, "uid_t") || !strcmp(type, "gid_t") || !strcmp(type, "kuid_t") ||
	       !strcmp(type, "kgid_t");
}

static bool is_number_size(uint32_t n)
{
	return n == 1 || n == 2 || n == 4 || n == 8;
}

static enum shape shape_of(const struct scrub_run *s, const struct ev_field *f, bool hex)
{
	uint32_t elem = f->elem_size ? f->elem_size : 1;

	if (f->kind == EV_FIXED && strchr(f->type, '*') && f->size >= 4 && is_number_size(f->size))
		return POINTER;
	if (f->kind == EV_FIXED && is_number_size(f->size))
		return hex && f->size == 8 ? HEX : NUMBER;
	if (f->is_string)
		return TEXT;
	if (f->kind != EV_FIXED && (elem == 8 || (elem == 4 && strstr(f->type, "long") &&
						  s->t->meta.long_size == 4)))
		return LONGS;
	return BYTES;
}

/* --- conversions of the print fmt */

struct fmt_scan {
	const struct ev_format *f;
	char  conv[256];		/* the conversion of each argument: 'd', 'x', 's', ... */
	size_t n;
	bool *hex;			/* one for each field */
};

/* Reads the conversions of one string literal. Returns the first byte after it. */
static const char *scan_literal(struct fmt_scan *scan, const char *p)
{
	while (*p && *p != '"') {
		if (*p == '\\' && p[1]) {
			p += 2;
			continue;
		}
		if (*p++ != '%')
			continue;
		for (; *p && strchr("-+ #0123456789.*hlLzjtq", *p); p++)
			if (*p == '*' && scan->n < sizeof(scan->conv))
				scan->conv[scan->n++] = 'd';
		if (*p && *p != '%' && *p != '"' && scan->n < sizeof(scan->conv))
			scan->conv[scan->n++] = *p;
		p += *p && *p != '"';
	}
	return *p ? p + 1 : p;
}

/* Marks the fields that the argument [p, end) names. */
static void scan_argument(struct fmt_scan *scan, const char *p, const char *end)
{
	const char *name;
	size_t i, len;

	while ((p = memmem(p, end - p, "REC->", 5))) {
		name = p += 5;
		while (p < end && (isalnum((unsigned char)*p) || *p == '_'))
			p++;
		len = p - name;
		for (i = 0; i < scan->f->nr_fields; i++)
			if (!strncmp(scan->f->fields[i].name, name, len) &&
			    !scan->f->fields[i].name[len])
				scan->hex[i] = true;
	}
}

/* Sets hex[i] for fields that are printed by %x, %X or %p. */
static void scan_print_fmt(const struct ev_format *f, bool *hex)
{
	struct fmt_scan scan = { .f = f, .hex = hex };
	const char *p = f->print_fmt, *arg;
	int depth;

	for (; *p && *p != ','; p++)
		if (*p == '"')
			p = scan_literal(&scan, p + 1) - 1;
	for (size_t i = 0; *p && i < scan.n; i++) {
		arg = ++p;
		for (depth = 0; *p && (depth || *p != ','); p++) {
			if (*p == '"') {
				for (p++; *p && *p != '"'; p++)
					p += *p == '\\' && p[1];
				if (!*p)
					return;
			}
			depth += (*p == '(') - (*p == ')');
		}
		if (strchr("xXp", scan.conv[i]))
			scan_argument(&scan, arg, p);
	}
}

/* --- operations */

static bool scrub_rule_matches(const struct scrub_rule *r, const struct ev_format *f,
			 const struct ev_field *field, enum shape shape)
{
	return r->shapes & shape && scrub_glob(r->system, f->system, strlen(f->system)) &&
	       scrub_glob(r->event, f->name, strlen(f->name)) &&
	       scrub_glob(r->field, field->name, strlen(field->name));
}

/* Memory of the user, as sys_enter_write has since 7.0, is printed as an array of bytes. */
static bool is_user_memory(const struct ev_format *f, const struct ev_field *field)
{
	char *call;
	bool is;

	if (strcmp(f->system, "syscalls") || !scrub_glob("__*_val", field->name,
							  strlen(field->name)))
		return false;
	call = xasprintf("__get_str(%s)", field->name);
	is = !strstr(f->print_fmt, call);
	free(call);
	return is;
}

/* Events of probes fetch what the user asked for. */
static bool is_probe(const struct ev_format *f)
{
	for (size_t i = 0; i < f->nr_fields; i++)
		if (!strncmp(f->fields[i].name, "__probe_", 8))
			return true;
	return false;
}

static void set_how(struct scrub_op *op, enum scrub_how how, enum scrub_class class)
{
	op->how = how;
	op->class = class;
}

static void classify(const struct ev_format *f, const struct ev_field *field, enum shape shape,
		     struct scrub_op *op)
{
	size_t i;

	set_how(op, SCRUB_KEEP, 0);
	if (shape & NUMBERS && is_pid_type(field->type))
		set_how(op, SCRUB_PID, SCRUB_PIDS);
	else if (shape & NUMBERS && is_user_type(field->type))
		set_how(op, SCRUB_USER, SCRUB_USERS);
	else if (shape == TEXT && is_user_memory(f, field))
		set_how(op, SCRUB_BLANK, SCRUB_USERDATA);
	else if (shape & NUMBERS && field->size == 8 && !field->common && is_probe(f))
		set_how(op, SCRUB_ADDRESS, SCRUB_ADDRESSES);
	else
		for (i = 0; i < sizeof(rules) / sizeof(*rules); i++)
			if (scrub_rule_matches(&rules[i], f, field, shape)) {
				set_how(op, rules[i].how, rules[i].class);
				break;
			}
	/* numbers of other sizes than the pseudonyms have */
	if (op->elem != 4 && op->elem != 8 && op->how == SCRUB_ADDRESS)
		op->how = SCRUB_KEEP;
	else if (op->elem != 4 && op->elem != 8 && op->how >= SCRUB_PID)
		op->how = SCRUB_BLANK;
}

/* A text is a path or another string, so both have to be kept. */
static bool scrub_op_is_kept(const struct scrub_run *s, const struct scrub_op *op)
{
	if (op->how == SCRUB_KEEP)
		return true;
	if (op->how == SCRUB_TEXT && op->class == SCRUB_STRINGS)
		return s->opts.keep[SCRUB_STRINGS] && s->opts.keep[SCRUB_PATHS];
	return s->opts.keep[op->class];
}

static struct scrub_op plan_make_op(struct scrub_run *s, const struct ev_format *f,
			       const struct ev_field *field, bool hex)
{
	struct scrub_op op = {
		.off = field->offset, .len = field->size,
		.elem = field->kind == EV_FIXED ? field->size : field->elem_size,
		.relative = field->kind == EV_REL_LOC,
	};

	classify(f, field, shape_of(s, field, hex), &op);
	if (scrub_op_is_kept(s, &op))
		op.how = SCRUB_KEEP;
	else if (field->common)
		op.place = s->common;
	else
		op.place = scrub_place_of(s, "%s:%s.%s", f->system, f->name, field->name);
	return op;
}

/*
 * Stacks of ftrace and arguments of functions have as many numbers as fit into the record, whatever
 * the size of their array in the format.
 */
static bool is_open_ended(const struct ev_format *f, const struct ev_field *field)
{
	return field->kind == EV_REST ||
	       (field->kind == EV_ARRAY && !strcmp(f->system, "ftrace") && !field->is_string &&
		field->offset + field->size == f->min_len);
}

static void plan_add_op(struct scrub_plan *p, struct scrub_run *s, const struct ev_format *f,
			size_t i, bool hex)
{
	const struct ev_field *field = &f->fields[i];
	struct scrub_op op = plan_make_op(s, f, field, hex);

	if (!strcmp(f->system, "raw_syscalls") && !strcmp(field->name, "id"))
		p->nr = op;
	if (!strcmp(f->system, "raw_syscalls") && (op.elem == 4 || op.elem == 8) &&
	    (!strcmp(field->name, "args") || !strcmp(field->name, "ret"))) {
		set_how(&op, SCRUB_ADDRESS, SCRUB_ADDRESSES);
		op.place = op.place ? op.place :
			   scrub_place_of(s, "%s:%s.%s", f->system, f->name, field->name);
		p->call = op;
		p->is_call = true;
	} else if (is_open_ended(f, field)) {
		if (!p->has_rest || op.off < p->rest.off)
			p->rest = op;
		p->has_rest = true;
	} else if (field->kind == EV_DATA_LOC || field->kind == EV_REL_LOC) {
		p->dynamic[p->nr_dynamic++] = op;
	} else if (op.how != SCRUB_KEEP) {
		p->fixed[p->nr_fixed++] = op;
	}
}

static int scrub_holes_compare(const void *a, const void *b)
{
	const struct scrub_hole *x = a, *y = b;

	return (x->off > y->off) - (x->off < y->off);
}

/* Lists the bytes before p->end that no field covers. */
static void plan_find_holes(struct scrub_plan *p, const struct ev_format *f)
{
	struct scrub_hole *covered = xcalloc(f->nr_fields + 1, sizeof(*covered));
	uint32_t at = 0;
	size_t i, n = 0;

	for (i = 0; i < f->nr_fields; i++)
		if (f->fields[i].kind != EV_REST)
			covered[n++] = (struct scrub_hole){ f->fields[i].offset,
					f->fields[i].size };
	covered[n++] = (struct scrub_hole){ p->end, 0 };
	qsort(covered, n, sizeof(*covered), scrub_holes_compare);
	p->holes = xcalloc(n, sizeof(*p->holes));
	for (i = 0; i < n; i++) {
		if (covered[i].off > p->end)
			break;
		if (covered[i].off > at)
			p->holes[p->nr_holes++] = (struct scrub_hole){ at, covered[i].off - at };
		if (covered[i].off + covered[i].len > at)
			at = covered[i].off + covered[i].len;
	}
	free(covered);
}

struct scrub_plan *scrub_plan_new(struct scrub_run *s, uint16_t type)
{
	const struct ev_format *f = event_meta_find_id(&s->t->meta, type);
	struct scrub_plan *p;
	bool *hex;
	size_t i;

	p = xcalloc(1, sizeof(*p));
	if (!f || ev_format_ready(f))
		return p;
	p->fixed = xcalloc(f->nr_fields + 1, sizeof(*p->fixed));
	p->dynamic = xcalloc(f->nr_fields + 1, sizeof(*p->dynamic));
	p->place = scrub_place_of(s, "%s:%s", f->system, f->name);
	hex = xcalloc(f->nr_fields + 1, sizeof(*hex));
	scan_print_fmt(f, hex);
	for (i = 0; i < f->nr_fields; i++)
		plan_add_op(p, s, f, i, hex[i]);
	free(hex);
	for (i = 0; i < f->nr_fields; i++)
		if (f->fields[i].kind != EV_REST && !is_open_ended(f, &f->fields[i]) &&
		    f->fields[i].offset + f->fields[i].size > p->end)
			p->end = f->fields[i].offset + f->fields[i].size;
	if (p->has_rest && p->rest.off < p->end)
		p->end = p->rest.off;
	plan_find_holes(p, f);
	return p;
}

void scrub_plan_free(struct scrub_plan *p)
{
	if (!p)
		return;
	free(p->fixed);
	free(p->dynamic);
	free(p->holes);
	free(p);
}
