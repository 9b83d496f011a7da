/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes print fmts of texts that another program or another machine has printed. */
#include "text/fields/other_prints.h"

#include <ctype.h>
#include <string.h>

/* --- pointers and symbols */

/* Appends @print with @to for each %p that is only a pointer. Returns false if there is none. */
static bool replace_pointers(const char *print, const char *to, struct buf *out)
{
	bool any = false;

	while (*print) {
		if (print[0] == '%' && print[1] == 'p' && !isalnum((unsigned char)print[2])) {
			buf_addstr(out, to);
			print += 2;
			any = true;
			continue;
		}
		buf_addch(out, *print++);
	}
	return any;
}

bool print_of_traceevent(const char *print, struct buf *out)
{
	return replace_pointers(print, "%#llx", out) || strstr(print, "%pS");
}

bool print_of_32bit(const char *print, struct buf *out)
{
	return replace_pointers(print, "%08lx", out);
}

bool print_of_kmem_plugin(const char *print, struct buf *out)
{
	static const char head[] = "\"call_site=%pS";
	struct buf text = {0};
	const char *arg, *end;

	if (strncmp(print, head, sizeof(head) - 1))
		return false;
	arg = strchr(print + 1, '"');
	if (!arg || arg[1] != ',')
		return false;
	end = strchr(arg + 2, ',');
	buf_addstr(&text, "\"(%pS) ");
	buf_add(&text, print + 1, arg + 1 - (print + 1));
	buf_add(&text, arg + 1, (end ? end : arg + strlen(arg)) - (arg + 1));
	buf_addstr(&text, arg + 1);
	replace_pointers(text.data, "%#llx", out);
	buf_release(&text);
	return true;
}

/* --- probes: print_kprobe_event() in kernel/trace/trace_kprobe.c, and the like */

/*
 * Appends @print with the conversions @ip and @func for the addresses at its start. In a text, a
 * return probe has the place of the return first.
 */
static bool print_of_probe(const char *print, const char *ip, const char *func, struct buf *out)
{
	static const char one[] = "\"(%lx)", two[] = "\"(%lx <- %lx)";
	static const char ip_arg[] = ", REC->__probe_ip",
			  two_args[] = ", REC->__probe_func, REC->__probe_ret_ip";
	bool is_return = !strncmp(print, two, sizeof(two) - 1);
	const char *from = print + (is_return ? sizeof(two) : sizeof(one)) - 1, *arg;

	if (!is_return && strncmp(print, one, sizeof(one) - 1))
		return false;
	arg = strstr(from, is_return ? two_args : ip_arg);
	if (!arg)
		return false;
	buf_printf(out, is_return ? "\"(%s <- %s)" : "\"(%s)", ip, func);
	buf_add(out, from, arg - from);
	buf_addstr(out, is_return ? ", REC->__probe_ret_ip, REC->__probe_func" : ip_arg);
	buf_addstr(out, arg + (is_return ? sizeof(two_args) : sizeof(ip_arg)) - 1);
	return true;
}

bool print_of_kprobe(const char *print, struct buf *out)
{
	return print_of_probe(print, "%pS", "%ps", out);
}

bool print_of_uprobe(const char *print, struct buf *out)
{
	return print_of_probe(print, "0x%lx", "0x%lx", out);
}

bool print_of_eprobe(const char *print, struct span_text text, struct buf *out)
{
	const char *close = memchr(text.p, ')', text.len);

	if (strncmp(print, "\" ", 2) || !close || *text.p != '(')
		return false;
	for (const char *p = text.p + 1; p < close; p++)
		if (!isalnum((unsigned char)*p) && *p != '_' && *p != '.')
			return false;
	buf_printf(out, "\"%.*s%s", (int)(close + 1 - text.p), text.p, print + 1);
	return true;
}

/* --- the kernel's option fields: print_fields() in kernel/trace/trace_output.c */

/* Adds the conversion of a number and its arguments. Returns false for other fields. */
static bool add_both_bases(const struct ev_field *f, struct buf *out, struct buf *args)
{
	static const struct {
		uint32_t size;
		const char *spec, *args;
	} both[] = {
		{ 1, "(%d)", ", (unsigned char)REC->%s" },
		{ 2, "0x%x (%d)", ", (unsigned short)REC->%s, (unsigned short)REC->%s" },
		{ 4, "0x%x (%d)", ", (unsigned int)REC->%s, (int)REC->%s" },
		{ 8, "0x%llx (%lld)", ", (unsigned long long)REC->%s, (long long)REC->%s" },
	};

	for (size_t i = 0; i < sizeof(both) / sizeof(*both); i++) {
		if (f->kind != EV_FIXED || f->size != both[i].size)
			continue;
		buf_addstr(out, both[i].spec);
		buf_printf(args, both[i].args, f->name, f->name);
		return true;
	}
	return false;
}

static void add_string(const struct ev_field *f, struct buf *out, struct buf *args)
{
	buf_addstr(out, "%s");
	buf_printf(args, f->kind == EV_DATA_LOC ? ", __get_str(%s)" : ", REC->%s", f->name);
}

/* Appends the value of a field: its conversion to @out, its argument to @args. */
typedef bool (*add_value)(const struct ev_field *f, bool is_32bit, struct buf *out,
			  struct buf *args);

/* Appends the print fmt "name=VALUE name=VALUE". Returns false if a value has no conversion. */
static bool print_of_fields(const struct ev_format *fmt, add_value add, bool is_32bit,
			    struct buf *out)
{
	struct buf args = {0};
	bool ok = true, any = false;

	buf_addch(out, '"');
	for (size_t i = 0; ok && i < fmt->nr_fields; i++) {
		const struct ev_field *f = &fmt->fields[i];

		if (f->common)
			continue;
		buf_printf(out, "%s%s=", any ? " " : "", f->name);
		any = true;
		ok = add(f, is_32bit, out, &args);
	}
	buf_addch(out, '"');
	if (args.len)
		buf_add(out, args.data, args.len);
	buf_release(&args);
	return ok && any;
}

static bool add_option_value(const struct ev_field *f, bool is_32bit, struct buf *out,
			     struct buf *args)
{
	(void)is_32bit;
	if (!f->is_string)
		return add_both_bases(f, out, args);
	add_string(f, out, args);
	return true;
}

bool print_of_option_fields(const struct ev_format *fmt, struct buf *out)
{
	return print_of_fields(fmt, add_option_value, false, out);
}

/* --- trace-cmd report -R */

/* A long of a machine with 32 bits is in hexadecimal. */
static const char *raw_spec(const struct ev_field *f, bool is_32bit)
{
	if (is_32bit && !strcmp(f->type, "long"))
		return "0x%llx";
	if (strchr(f->type, '*') || (!f->is_signed && strstr(f->type, "long")))
		return "0x%llx";
	if (f->is_signed)
		return f->size == 8 ? "%lld" : f->size == 2 ? "%2d" : "%d";
	return f->size == 8 ? "%llu" : "%u";
}

static bool add_raw_value(const struct ev_field *f, bool is_32bit, struct buf *out,
			  struct buf *args)
{
	if (f->kind != EV_FIXED) {
		add_string(f, out, args);
		return f->is_string;
	}
	buf_addstr(out, raw_spec(f, is_32bit));
	buf_printf(args, ", REC->%s", f->name);
	return true;
}

bool print_of_raw(const struct ev_format *fmt, bool is_32bit, struct buf *out)
{
	return print_of_fields(fmt, add_raw_value, is_32bit, out);
}
