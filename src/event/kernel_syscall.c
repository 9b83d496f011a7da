/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Syscalls as the kernel prints them: the call with its arguments, and what it returned. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "event/kernel_text.h"

#define PREFIX_ENTER	"sys_enter"
#define PREFIX_EXIT	"sys_exit"
#define MORE		"..."	/* what user data is cut with */

/* Since then numbers above 9 have their 0x, and user memory is in the record. */
#define KERNEL_WITH_0X	KERNEL_VERSION_OF(6, 19)

struct call {
	const struct ev_rec *r;
	struct buf *out;
	const struct ev_field *args[8];
	size_t nr_args;
	bool   with_0x, types;
};

static uint64_t syscall_number(const struct ev_rec *r, const struct ev_field *f)
{
	uint64_t v = 0;

	if (f)
		ev_get_num(r, f, &v);
	return v;
}

/* Arguments are unsigned longs in the record, whatever their type says. */
static uint64_t arg_value(const struct call *c, size_t i)
{
	uint64_t v = i < c->nr_args ? syscall_number(c->r, c->args[i]) : 0;

	return c->r->long_size == 8 ? v : (uint32_t)v;
}

/* "__NAME_val" holds what user memory had at argument NAME. */
static const struct ev_field *user_field(const struct call *c, size_t i)
{
	char name[80];

	if (strlen(c->args[i]->name) > sizeof(name) - 10)
		return NULL;
	strcpy(name, "__");
	strcat(strcat(name, c->args[i]->name), "_val");
	return ev_field(c->r->fmt, name);
}

static void collect_args(struct call *c, struct ev_engine *e)
{
	size_t i;
	bool user = false;

	for (i = 0; i < c->r->fmt->nr_fields; i++) {
		const struct ev_field *f = &c->r->fmt->fields[i];

		if (f->common || !strcmp(f->name, "__syscall_nr"))
			continue;
		if (f->kind == EV_DATA_LOC)
			user = true;
		else if (c->nr_args < sizeof(c->args) / sizeof(*c->args))
			c->args[c->nr_args++] = f;
	}
	c->with_0x = user || e->w->kernel >= KERNEL_WITH_0X;
	c->types = e->style.verbose;
}

static void add_arg_number(const struct call *c, uint64_t v)
{
	if (!c->with_0x)
		buf_printf(c->out, "%" PRIx64, v);
	else
		buf_printf(c->out, v < 10 ? "%" PRIu64 : "0x%" PRIx64, v);
}

static void add_user_string(const struct call *c, const uint8_t *p, uint32_t len)
{
	size_t n = strnlen((const char *)p, len);

	buf_addstr(c->out, " \"");
	buf_add(c->out, p, n);
	buf_addch(c->out, '"');
}

static bool is_user_printable(uint8_t ch)
{
	return ch < 0x80 && isprint(ch);
}

static void add_printable(const struct call *c, const uint8_t *p, uint32_t len, bool cut)
{
	uint32_t i;

	for (i = 0; i < len && !is_user_printable(p[i]); i++)
		;
	if (i == len)
		return;
	buf_addstr(c->out, " \"");
	for (i = 0; i < len; i++)
		buf_addch(c->out, is_user_printable(p[i]) ? p[i] : '.');
	buf_addstr(c->out, cut ? "\"" MORE : "\"");
}

/* Bytes of a buffer; an argument says how many there were. */
static void add_user_bytes(const struct call *c, const uint8_t *p, uint32_t len, int32_t size)
{
	bool cut = (int64_t)len < size;
	uint32_t i;

	buf_addstr(c->out, " (");
	for (i = 0; i < len; i++)
		buf_printf(c->out, i ? ":%02x" : "%02x", p[i]);
	buf_addstr(c->out, cut ? ", " MORE ")" : ")");
	add_printable(c, p, len, cut);
}

/*
 * write(), pwrite64() and mq_timedsend() are the ones with a buffer that is no string; its size is
 * the argument behind it.
 */
static void add_user(const struct call *c, size_t i)
{
	const struct ev_field *f = user_field(c, i);
	char call[100] = "__print_dynamic_array(";
	const uint8_t *p;
	uint32_t len;

	if (!f || !ev_get_bytes(c->r, f, &p, &len))
		return;
	strncat(call, f->name, sizeof(call) - strlen(call) - 1);
	if (strstr(c->r->fmt->print_fmt, call))
		add_user_bytes(c, p, len, (int32_t)arg_value(c, i + 1));
	else
		add_user_string(c, p, len);
}

static void add_arg(const struct call *c, size_t i)
{
	buf_addstr(c->out, i ? ", " : "");
	if (c->types)
		buf_printf(c->out, "%s ", c->args[i]->type);
	buf_printf(c->out, "%s: ", c->args[i]->name);
	add_arg_number(c, arg_value(c, i));
	add_user(c, i);
}

/* --- openat(), whose flags have names where its file name is known */

/* x86's; the first one that is whole in what is left takes its bits. */
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

static void add_open_flags(struct buf *out, uint32_t flags)
{
	bool first = true;
	size_t i;

	if (!(flags & ACCESS_MODE))
		buf_addstr(out, flags ? "O_RDONLY|" : "O_RDONLY");
	for (i = 0; i < sizeof(open_flags) / sizeof(*open_flags); i++) {
		if ((flags & open_flags[i].bits) != open_flags[i].bits)
			continue;
		flags &= ~open_flags[i].bits;
		buf_printf(out, "%s%s", first ? "" : "|", open_flags[i].name);
		first = false;
	}
	if (flags)
		buf_printf(out, "%s0x%x", first ? "" : "|", flags);
}

static bool is_openat(const struct call *c)
{
	return !strcmp(c->r->fmt->name, "sys_enter_openat") && c->nr_args == 4 &&
	       user_field(c, 1) && !c->types;
}

/* The mode is not shown where no file is made. */
static void add_openat(const struct call *c)
{
	uint32_t flags = arg_value(c, 2);
	size_t i;

	for (i = 0; i < 2; i++) {
		buf_printf(c->out, "%s%s: %" PRIu64, i ? ", " : "", c->args[i]->name,
			   arg_value(c, i));
		add_user(c, i);
	}
	buf_addstr(c->out, ", flags: ");
	add_open_flags(c->out, flags);
	if (flags & CREATES)
		buf_printf(c->out, ", %s: 0%03o", c->args[3]->name, (uint32_t)arg_value(c, 3));
}

void kernel_sys_enter(struct ev_engine *e, const struct ev_rec *r, int cpu, uint64_t ts,
		      struct buf *out)
{
	struct call c = { .r = r, .out = out };
	size_t i;

	(void)cpu;
	(void)ts;
	collect_args(&c, e);
	buf_printf(out, "sys%s(", r->fmt->name + strlen(PREFIX_ENTER));
	if (is_openat(&c))
		add_openat(&c);
	else
		for (i = 0; i < c.nr_args; i++)
			add_arg(&c, i);
	buf_addstr(out, ")\n");
}

void kernel_sys_exit(struct ev_engine *e, const struct ev_rec *r, int cpu, uint64_t ts,
		     struct buf *out)
{
	uint64_t v = syscall_number(r, ev_field(r->fmt, "ret"));

	(void)e;
	(void)cpu;
	(void)ts;
	buf_printf(out, "sys%s -> 0x%" PRIx64 "\n", r->fmt->name + strlen(PREFIX_EXIT),
		   r->long_size == 8 ? v : (uint32_t)v);
}
