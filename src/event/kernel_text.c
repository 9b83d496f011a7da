/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of the kernel's trace file after their context. Most are "name: " and the print fmt; events
 * of ftrace itself, system calls and probes have separate printers in the kernel, and here.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "event/event.h"
#include "event/handle/engine_priv.h"
#include "event/print/conv.h"
#include "event/print/number_text.h"

static uint64_t field_number(const struct ev_rec *r, const struct ev_field *f)
{
	uint64_t v = 0;

	if (f)
		ev_get_num(r, f, &v);
	return v;
}

static bool is_ascii_print(uint8_t ch)
{
	return ch < 0x80 && isprint(ch);
}

/* --- system calls: the call with its arguments, and its return value */

#define PREFIX_ENTER	"sys_enter"
#define PREFIX_EXIT	"sys_exit"
#define MORE		"..."	/* marks user data that is cut */

/* Since this kernel numbers above 9 have a 0x, and user memory is in the record. */
#define KERNEL_WITH_0X	KERNEL_VERSION_OF(6, 19)

struct kernel_call {
	const struct ev_rec *r;
	struct buf *out;
	const struct ev_field *args[8];
	size_t nr_args;
};

/* Arguments are unsigned longs in the record, whatever their type in the format. */
static uint64_t arg_value(const struct kernel_call *c, size_t i)
{
	uint64_t v = i < c->nr_args ? field_number(c->r, c->args[i]) : 0;

	return c->r->long_size == 8 ? v : (uint32_t)v;
}

/* Returns the field "__NAME_val", which has the user memory at argument NAME, or NULL. */
static const struct ev_field *user_field(const struct kernel_call *c, size_t i)
{
	char name[80];

	if (strlen(c->args[i]->name) > sizeof(name) - 10)
		return NULL;
	strcpy(name, "__");
	strcat(strcat(name, c->args[i]->name), "_val");
	return ev_field(c->r->fmt, name);
}

/* Appends the bytes of a buffer of @size bytes, of which @len are recorded. */
static void add_user_bytes(const struct kernel_call *c, const uint8_t *p, uint32_t len,
			   int32_t size)
{
	bool cut = (int64_t)len < size;
	uint32_t i;

	buf_addstr(c->out, " (");
	for (i = 0; i < len; i++)
		buf_printf(c->out, i ? ":%02x" : "%02x", p[i]);
	buf_addstr(c->out, cut ? ", " MORE ")" : ")");
	for (i = 0; i < len && !is_ascii_print(p[i]); i++)
		;
	if (i == len)
		return;
	buf_addstr(c->out, " \"");
	for (i = 0; i < len; i++)
		buf_addch(c->out, is_ascii_print(p[i]) ? p[i] : '.');
	buf_addstr(c->out, cut ? "\"" MORE : "\"");
}

/*
 * Appends the user memory of argument @i. write(), pwrite64() and mq_timedsend() are the calls with
 * a buffer that is no string; the next argument is its size.
 */
static void add_user_data(const struct kernel_call *c, size_t i)
{
	const struct ev_field *f = user_field(c, i);
	char call[100] = "__print_dynamic_array(";
	const uint8_t *p;
	uint32_t len;

	if (!f || !ev_get_bytes(c->r, f, &p, &len))
		return;
	strncat(call, f->name, sizeof(call) - strlen(call) - 1);
	if (strstr(c->r->fmt->print_fmt, call)) {
		add_user_bytes(c, p, len, (int32_t)arg_value(c, i + 1));
		return;
	}
	buf_addstr(c->out, " \"");
	buf_add(c->out, p, strnlen((const char *)p, len));
	buf_addch(c->out, '"');
}

/*
 * The flags of openat() on x86. A flag is printed if all its bits are set and no flag before it has
 * used them.
 */
static const struct {
	uint32_t bits;
	const char *name;
} open_flags[] = {
	{ 020200000, "O_TMPFILE" }, { 01, "O_WRONLY" }, { 02, "O_RDWR" }, { 0100, "O_CREAT" },
	{ 0200, "O_EXCL" }, { 0400, "O_NOCTTY" }, { 01000, "O_TRUNC" }, { 02000, "O_APPEND" },
	{ 04000, "O_NONBLOCK" }, { 010000, "O_DSYNC" }, { 040000, "O_DIRECT" },
	{ 0100000, "O_LARGEFILE" }, { 0200000, "O_DIRECTORY" }, { 0400000, "O_NOFOLLOW" },
	{ 01000000, "O_NOATIME" }, { 02000000, "O_CLOEXEC" },
};
#define ACCESS_MODE	 03
#define CREATES		 020200100	/* O_CREAT | O_TMPFILE */

bool ev_open_flag(const char *name, size_t len, uint32_t *bits)
{
	static const char none[] = "O_RDONLY";

	*bits = 0;
	if (len == sizeof(none) - 1 && !memcmp(name, none, len))
		return true;
	for (size_t i = 0; i < sizeof(open_flags) / sizeof(*open_flags); i++) {
		if (strlen(open_flags[i].name) != len || memcmp(open_flags[i].name, name, len))
			continue;
		*bits = open_flags[i].bits;
		return true;
	}
	return false;
}

/* Flags have names if the file name is recorded. The mode is shown only if a file is created. */
static void add_openat(const struct kernel_call *c)
{
	uint32_t flags = arg_value(c, 2), mode = arg_value(c, 3);
	bool creates = flags & CREATES, first = true;
	size_t i;

	for (i = 0; i < 2; i++) {
		buf_printf(c->out, "%s%s: %" PRIu64, i ? ", " : "", c->args[i]->name,
			   arg_value(c, i));
		add_user_data(c, i);
	}
	buf_addstr(c->out, ", flags: ");
	if (!(flags & ACCESS_MODE))
		buf_addstr(c->out, flags ? "O_RDONLY|" : "O_RDONLY");
	for (i = 0; i < sizeof(open_flags) / sizeof(*open_flags); i++) {
		if ((flags & open_flags[i].bits) != open_flags[i].bits)
			continue;
		flags &= ~open_flags[i].bits;
		buf_printf(c->out, "%s%s", first ? "" : "|", open_flags[i].name);
		first = false;
	}
	if (flags)
		buf_printf(c->out, "%s0x%x", first ? "" : "|", flags);
	if (creates)
		buf_printf(c->out, ", %s: 0%03o", c->args[3]->name, mode);
}

/* "sys_openat(dfd: ffffff9c, ...)" */
static void kernel_sys_enter(struct ev_engine *e, const struct ev_rec *r, struct buf *out)
{
	bool with_0x = e->w->kernel >= KERNEL_WITH_0X;
	struct kernel_call c = { .r = r, .out = out };
	uint64_t v;
	size_t i;

	for (i = 0; i < r->fmt->nr_fields; i++) {
		const struct ev_field *f = &r->fmt->fields[i];

		if (f->common || !strcmp(f->name, "__syscall_nr"))
			continue;
		if (f->kind == EV_DATA_LOC)
			with_0x = true;
		else if (c.nr_args < sizeof(c.args) / sizeof(*c.args))
			c.args[c.nr_args++] = f;
	}

	buf_printf(out, "sys%s(", r->fmt->name + strlen(PREFIX_ENTER));
	if (!strcmp(r->fmt->name, "sys_enter_openat") && c.nr_args == 4 && user_field(&c, 1) &&
	    !e->style.verbose) {
		add_openat(&c);
		c.nr_args = 0;
	}
	for (i = 0; i < c.nr_args; i++) {
		v = arg_value(&c, i);
		buf_addstr(out, i ? ", " : "");
		if (e->style.verbose)
			buf_printf(out, "%s ", c.args[i]->type);
		buf_printf(out, "%s: ", c.args[i]->name);
		if (!with_0x)
			buf_printf(out, "%" PRIx64, v);
		else
			buf_printf(out, v < 10 ? "%" PRIu64 : "0x%" PRIx64, v);
		add_user_data(&c, i);
	}
	buf_addstr(out, ")\n");
}

/*
 * --- kprobes, fprobes, uprobes and event probes: the print fmt has addresses, the kernel's text
 * has their symbols, and "(fault)" for a string that could not be fetched
 */

#define FAULT "(fault)"

/*
 * Appends @text with "(fault)" in ` name=""` of a string that could not be fetched. The text may
 * have NUL bytes (type char).
 */
static void add_probe_args(const struct ev_rec *r, const char *text, const char *end,
			   struct buf *out)
{
	char empty[300];
	const uint8_t *p;
	const char *at;
	uint32_t len;
	size_t i;

	for (i = 0; i < r->fmt->nr_fields; i++) {
		const struct ev_field *f = &r->fmt->fields[i];

		if (f->common || !f->is_string || f->kind != EV_DATA_LOC ||
		    !ev_get_bytes(r, f, &p, &len) || len || strlen(f->name) > sizeof(empty) - 8)
			continue;
		strcpy(empty, " ");
		strcat(strcat(empty, f->name), "=\"\"");
		at = memmem(text, end - text, empty, strlen(empty));
		if (!at)
			continue;
		buf_add(out, text, at - text + strlen(empty) - 2);
		buf_addstr(out, FAULT);
		text = at + strlen(empty);
	}
	buf_add(out, text, end - text);
	buf_addch(out, '\n');
}

/*
 * "name: (vfs_read+0x0/0x2b0) arg=1", "name: (f+0x1/0x20 <- g)", "name: (0x40)". The print fmt
 * starts with the place, "(%lx)" or "(%lx <- %lx)".
 */
static void kernel_probe(struct ev_engine *e, const struct ev_rec *r, int cpu, uint64_t ts,
			 struct buf *out)
{
	bool ret = ev_field(r->fmt, "__probe_ret_ip") != NULL;
	uint64_t ip = field_number(r, ev_field(r->fmt, ret ? "__probe_ret_ip" : "__probe_ip"));
	uint64_t func = ret ? field_number(r, ev_field(r->fmt, "__probe_func")) : 0;
	uint64_t addr = ret ? func : ip;
	const char *close, *end;
	struct buf text = {0};

	buf_printf(out, "%s: (", r->fmt->name);
	/* Uprobes have the same fields and print fmt as kprobes; only the address differs. */
	if (r->long_size == 8 ? !(addr >> 63) : addr < 0xc0000000) {
		buf_printf(out, "0x%" PRIx64, ip);
		if (ret)
			buf_printf(out, " <- 0x%" PRIx64, func);
	} else {
		ev_print_ip(e, ip, true, out);
		if (ret) {
			buf_addstr(out, " <- ");
			ev_print_ip(e, func, false, out);
		}
	}
	buf_addch(out, ')');
	buf_reserve(&text, 1);
	ev_render(e, r, cpu, ts, &text);
	end = text.data + text.len;
	close = text.len && text.data[0] == '(' ? memchr(text.data, ')', text.len) : NULL;
	add_probe_args(r, close ? close + 1 : end, end, out);
	buf_release(&text);
}

/*
 * Returns the event of the definition "e:GROUP/NAME SYSTEM.EVENT ..." or "...SYSTEM/EVENT" up to
 * its blank, or NULL.
 */
static const char *find_probed(const struct event_meta *w, const struct ev_format *f, size_t *len)
{
	char *head = xasprintf(":%s/%s ", f->system, f->name);
	const char *at, *end = w->dynamic ? w->dynamic + w->dynamic_len : NULL;

	at = end ? memmem(w->dynamic, w->dynamic_len, head, strlen(head)) : NULL;
	if (at) {
		at += strlen(head);
		for (*len = 0; at + *len < end && !strchr(" ;\n", at[*len]); ++*len)
			;
	}
	free(head);
	return at;
}

/*
 * Recognises an event probe by dynamic_events if the file has that, else by the print fmt:
 * " arg=%d ..." of all its fields.
 */
static bool is_eprobe(const struct event_meta *w, const struct ev_format *f)
{
	const char *p = f->print_fmt;
	size_t len, i, n;

	if (w->dynamic)
		return find_probed(w, f, &len) != NULL;
	if (*p++ != '"')
		return false;
	for (i = 0; i < f->nr_fields && f->fields[i].common; i++)
		;
	n = i < f->nr_fields ? strlen(f->fields[i].name) : 0;
	return n && *p == ' ' && !strncmp(p + 1, f->fields[i].name, n) && p[n + 1] == '=';
}

/* "name: (sched.sched_switch) arg=1" */
static void kernel_eprobe(struct ev_engine *e, const struct ev_rec *r, int cpu, uint64_t ts,
			  struct buf *out)
{
	struct buf text = {0};
	size_t len;
	const char *event = find_probed(e->w, r->fmt, &len);

	buf_printf(out, "%s: (", r->fmt->name);
	if (!event)
		buf_addch(out, '?');
	for (size_t i = 0; event && i < len; i++)
		buf_addch(out, event[i] == '/' ? '.' : event[i]);
	buf_addch(out, ')');
	buf_reserve(&text, 1);
	ev_render(e, r, cpu, ts, &text);
	add_probe_args(r, text.data, text.data + text.len, out);
	buf_release(&text);
}

/* Prints a stack. The first long is the number of the others. */
static void add_synth_stack(struct ev_engine *e, const struct ev_rec *r, const struct ev_field *f,
			    struct buf *out)
{
	uint32_t len, size = r->long_size;
	const uint8_t *p;

	buf_addstr(out, "STACK:\n");
	if (!ev_get_bytes(r, f, &p, &len))
		return;
	for (uint32_t at = size; at + size <= len; at += size) {
		buf_addstr(out, "=> ");
		conv_symbol(e->syms, out,
			    size == 8 ? get_u64(p + at, r->big) : get_u32(p + at, r->big), true);
		buf_addch(out, '\n');
	}
}

static bool is_synth_stack(const struct ev_field *f)
{
	return f->kind == EV_DATA_LOC && strstr(f->type, "long[");
}

/* Returns the conversion that the option verbose prints before each value. */
static const char *synth_conversion(const struct ev_field *f)
{
	if (f->is_string || is_synth_stack(f))
		return "%s";
	if (!strcmp(f->type, "gfp_t"))
		return "%x";
	if (f->size == 8 && strstr(f->type, "long"))
		return f->is_signed ? "%ld" : "%lu";
	if (f->size == 8)
		return f->is_signed ? "%lld" : "%llu";
	return f->is_signed ? "%d" : "%u";
}

/* "name: a=1 b=text" */
static void kernel_synth(struct ev_engine *e, const struct ev_rec *r, struct buf *out)
{
	bool blank = false;
	const uint8_t *p;
	uint32_t len;
	size_t i;

	buf_printf(out, "%s: ", r->fmt->name);
	for (i = 0; i < r->fmt->nr_fields; i++) {
		const struct ev_field *f = &r->fmt->fields[i];

		if (f->common)
			continue;
		buf_addstr(out, blank ? " " : "");
		if (e->style.verbose)
			buf_printf(out, "%s ", synth_conversion(f));
		buf_printf(out, "%s=", f->name);
		blank = !is_synth_stack(f);
		if (!blank)
			add_synth_stack(e, r, f, out);
		else if (!f->is_string && !strcmp(f->type, "gfp_t"))
			buf_printf(out, "%" PRIx64, field_number(r, f));
		else if (!f->is_string)
			buf_printf(out, f->is_signed ? "%" PRId64 : "%" PRIu64, field_number(r, f));
		else if (ev_get_bytes(r, f, &p, &len))
			buf_add(out, p, strnlen((const char *)p, len));
	}
	buf_addch(out, '\n');
}

/* --- the trace option fields: every field of a record by its type, without the print fmt */

#define OVERFLOW "<OVERFLOW>"

/*
 * Since this kernel numbers of 8 bytes are printed as symbols, and bytes that are no text as a
 * list.
 */
#define KERNEL_SYMBOLS KERNEL_VERSION_OF(6, 15)

static void add_byte_list(const uint8_t *p, uint32_t len, char between, struct buf *out)
{
	uint32_t i;

	for (i = 0; i < len; i++) {
		if (i)
			buf_addch(out, between);
		buf_printf(out, "%02x", p[i]);
	}
}

static void print_field(struct ev_engine *e, const struct ev_rec *r, const struct ev_field *f,
			struct buf *out)
{
	bool dynamic = f->kind == EV_DATA_LOC || f->kind == EV_REL_LOC;
	bool text = strstr(f->type, "char");
	const uint8_t *p = r->data + f->offset;
	uint32_t len = f->size, i;
	uint64_t v;

	if (f->kind == EV_DATA_LOC && strstr(f->type, "cpumask_t")) {
		buf_addstr(out, "<INVALID-TYPE>");
		return;
	}
	if (dynamic ? !ev_get_bytes(r, f, &p, &len) : f->offset + f->size > r->len) {
		buf_addstr(out, OVERFLOW);
	} else if (dynamic && !text) {
		add_byte_list(p, len, ',', out);
	} else if (dynamic || (f->kind == EV_ARRAY && text)) {
		for (i = 0; i < len && (!p[i] || is_ascii_print(p[i])); i++)
			;
		if (!dynamic || i == len || e->w->kernel < KERNEL_SYMBOLS) {
			buf_add(out, p, strnlen((const char *)p, len));
			return;
		}
		for (i = 0; i < len; i++)
			buf_addch(out, is_ascii_print(p[i]) ? p[i] : '.');
		buf_addstr(out, " (");
		add_byte_list(p, len, ':', out);
		buf_addch(out, ')');
	} else if (!strcmp(f->type, "char *") || !strcmp(f->type, "const char *")) {
		v = r->long_size == 8 ? get_u64(p, r->big) : get_u32(p, r->big);
		buf_printf(out, "(0x%0*" PRIx64 ")", 2 * r->long_size, v);
	} else if (f->size == 1) {
		if (is_ascii_print(*p))
			buf_printf(out, "'%c'", *p);
		buf_printf(out, "(%d)", *p);
	} else if (f->size == 2) {
		buf_printf(out, "0x%x (%d)", get_u16(p, r->big), get_u16(p, r->big));
	} else if (f->size == 4) {
		buf_printf(out, "0x%x (%d)", get_u32(p, r->big), (int)get_u32(p, r->big));
	} else if (f->size == 8) {
		v = get_u64(p, r->big);
		if (e->w->kernel >= KERNEL_SYMBOLS && e->w->long_size == 8)
			conv_symbol(e->syms, out, v, true);
		else
			buf_printf(out, "0x%" PRIx64, v);
		buf_printf(out, " (%" PRId64 ")", (int64_t)v);
	} else {
		buf_addstr(out, "<INVALID-SIZE>");
	}
}

/* "name: a=0x1 (1) b=text". For its own events ftrace looks at the wrong end of a list. */
static void kernel_fields(struct ev_engine *e, const struct ev_rec *r, struct buf *out)
{
	size_t i;

	if (!strcmp(r->fmt->system, "ftrace")) {
		buf_printf(out, "UNKNOWN TYPE %u\n", r->fmt->id);
		return;
	}
	buf_printf(out, "%s:", r->fmt->name);
	for (i = 0; i < r->fmt->nr_fields; i++) {
		const struct ev_field *f = &r->fmt->fields[i];

		if (f->common)
			continue;
		buf_printf(out, " %s=", f->name);
		print_field(e, r, f, out);
	}
	buf_addch(out, '\n');
}

/* --- the line of any event */

/* Nonzero, as values of a map. */
enum line_kind {
	LINE_EVENT = 1, LINE_FTRACE, LINE_PRINT, LINE_SYS_ENTER, LINE_SYS_EXIT, LINE_SYNTH,
	LINE_PROBE, LINE_EPROBE,
};

static enum line_kind find_line_kind(struct ev_engine *e, const struct ev_format *f)
{
	if (!strcmp(f->system, "ftrace"))
		return !strcmp(f->name, "print") || !strcmp(f->name, "bprint") ||
		       !strcmp(f->name, "bputs") ? LINE_PRINT : LINE_FTRACE;
	if (!strcmp(f->system, "syscalls") && ev_field(f, "__syscall_nr")) {
		if (!strncmp(f->name, "sys_enter_", strlen("sys_enter_")))
			return LINE_SYS_ENTER;
		if (!strncmp(f->name, "sys_exit_", strlen("sys_exit_")))
			return LINE_SYS_EXIT;
	}
	if (!strcmp(f->system, "synthetic"))
		return LINE_SYNTH;
	if (ev_field(f, "__probe_ip") || ev_field(f, "__probe_ret_ip"))
		return LINE_PROBE;
	return is_eprobe(e->w, f) ? LINE_EPROBE : LINE_EVENT;
}

static void print_line(struct ev_engine *e, const struct ev_rec *r, int cpu, uint64_t ts,
		       struct buf *out)
{
	enum line_kind kind = (uintptr_t)map_get(&e->kinds, (uintptr_t)r->fmt);
	uint64_t v;

	if (!kind) {
		kind = find_line_kind(e, r->fmt);
		map_put(&e->kinds, (uintptr_t)r->fmt, (void *)(uintptr_t)kind);
	}
	switch (kind) {
	case LINE_EVENT:
		buf_addstr(out, r->fmt->name);
		buf_addstr(out, ": ");
		ev_render(e, r, cpu, ts, out);
		buf_addch(out, '\n');
		break;
	case LINE_FTRACE:
		ev_render(e, r, cpu, ts, out);
		buf_addch(out, '\n');
		break;
	case LINE_PRINT:
		/* the written text has the newline, or the line has none */
		ev_render(e, r, cpu, ts, out);
		break;
	case LINE_SYS_ENTER:
		kernel_sys_enter(e, r, out);
		break;
	case LINE_SYS_EXIT:
		/* "sys_openat -> 0x3" */
		v = field_number(r, ev_field(r->fmt, "ret"));
		buf_printf(out, "sys%s -> 0x%" PRIx64 "\n", r->fmt->name + strlen(PREFIX_EXIT),
			   r->long_size == 8 ? v : (uint32_t)v);
		break;
	case LINE_SYNTH:
		kernel_synth(e, r, out);
		break;
	case LINE_PROBE:
		kernel_probe(e, r, cpu, ts, out);
		break;
	case LINE_EPROBE:
		kernel_eprobe(e, r, cpu, ts, out);
		break;
	}
}

void ev_render_kernel(struct ev_engine *e, const struct ev_rec *r, int cpu, uint64_t ts,
		      struct buf *out)
{
	e->bytes = true;
	if (r->fmt && e->style.fields) {
		kernel_fields(e, r, out);
	} else if (r->fmt) {
		print_line(e, r, cpu, ts, out);
	} else {
		/* blk has no format file */
		if (!ev_render_blk(e, r, cpu, ts, out)) {
			buf_addstr(out, "Unknown type ");
			buf_add_dec(out, r->len >= 2 ? get_u16(r->data, r->big) : 0);
		}
		buf_addch(out, '\n');
	}
	e->bytes = false;
}
