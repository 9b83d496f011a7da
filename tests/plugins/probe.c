/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Uses all of <ftr/plugin.h> on the event test:probe; tests/unit/event_plugin.c knows the answers. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ftr/plugin.h"

static const char *mode = "none";
static const char *log_path = "";
static int64_t level;
static int marked;

enum { A, B, ARR, S, D, NAME, MISSING };
static const char *const fields[] = { "a", "b", "arr", "s", "d", "name", "missing?", NULL };

struct state {
	unsigned int records;
};

static void note(const char *what)
{
	FILE *f = *log_path ? fopen(log_path, "a") : NULL;

	if (!f)
		return;
	fprintf(f, "%s\n", what);
	fclose(f);
}

static int init(struct ftr_init *in)
{
	note("init");
	if (!strcmp(mode, "fail")) {
		ftr_init_error(in, "mode is %s", mode);
		return FTR_PASS;
	}
	if (!strcmp(mode, "ordered"))
		ftr_init_ordered(in);
	return FTR_DONE;
}

static void plugin_exit(void)
{
	note("exit");
}

static void thread_exit(void *state)
{
	char line[32];

	snprintf(line, sizeof(line), "thread %u", ((struct state *)state)->records);
	note(line);
}

static int bind(struct ftr_bind *b, void **priv)
{
	static struct ftr_name handle;	/* any memory will do */
	ftr_field wide = ftr_field_find(b, "wide");

	if (strcmp(ftr_bind_system(b), "test") || strcmp(ftr_bind_event(b), "probe") ||
	    strcmp(ftr_bind_print_fmt(b), "\"b=%d\", REC->b") || wide != MISSING + 1 ||
	    ftr_field_find(b, "nothing") != -1 || ftr_field_size(b, wide) != 8 ||
	    strcmp(ftr_field_type(b, wide), "u64") || ftr_field_type(b, MISSING))
		return FTR_PASS;
	*priv = &handle;
	handle.value = wide;
	return !strcmp(mode, "unbound") ? FTR_PASS : FTR_DONE;
}

static void unbind(void *priv)
{
	note(priv ? "unbind" : "unbind nothing");
}

static void show_fields(const struct ftr_record *r, struct ftr_out *out, ftr_field wide)
{
	size_t i, n;
	const unsigned char *p = ftr_field_bytes(r, ARR, &n);

	ftr_out_printf(out, "a=%" PRId64 " b=%" PRIu64 " wide=%" PRIx64 " s=%s name=%s", ftr_field_s64(r, A),
		       ftr_field_u64(r, B), ftr_field_u64(r, wide), ftr_field_string(r, S),
		       ftr_field_string(r, NAME));
	ftr_out_str(out, " arr=");
	for (i = 0; i < n; i++)
		ftr_out_printf(out, "%x", p[i]);
	ftr_out_str(out, " d=");
	for (i = 0; i < ftr_field_count(r, D); i++)
		ftr_out_printf(out, "%" PRIx64 ",", ftr_field_elem(r, D, i));
	ftr_out_printf(out, " missing=%d,%" PRIu64 ",%s", ftr_field_present(r, MISSING), ftr_field_u64(r, MISSING),
		       ftr_field_string(r, MISSING));
}

static void show_rest(const struct ftr_record *r, struct ftr_out *out)
{
	static const struct ftr_name names[] = { { 1, "one" }, { 2, "two" }, { 7, "seven" }, { 0, NULL } };
	size_t n;
	const char *p = ftr_field_bytes(r, D, &n);

	ftr_out_printf(out, "cpu=%d pid=%d ts=%" PRIu64 " long=%d kernel=%d num=%" PRIx64 " ", ftr_record_cpu(r),
		       ftr_record_pid(r), ftr_record_ts(r), ftr_record_long_size(r),
		       ftr_record_kernel(r) == FTR_KERNEL(6, 12), ftr_record_num(r, p, 2));
	ftr_out_sym(out, 0xffffffffc0000004);
	ftr_out_str(out, " ");
	ftr_out_sym_offset(out, 0xffffffffc0000004);
	ftr_out_str(out, " ");
	ftr_out_sym_name(out, 0xffffffffc0000004);
	ftr_out_printf(out, " %d ", ftr_symbol_start(r, 0xffffffffc0000004) == 0xffffffffc0000000);
	ftr_out_comm(out, 41);
	ftr_out_comm(out, 0);
	ftr_out_comm(out, 4711);
	ftr_out_str(out, " ");
	ftr_out_symbolic(out, ftr_field_u64(r, B), names);
	ftr_out_symbolic(out, 3, names);
	ftr_out_str(out, " ");
	ftr_out_name(out, 7, names, "other");
	ftr_out_name(out, 8, names, "other");
	ftr_out_str(out, " ");
	ftr_out_flags(out, 11, "|", names);
	ftr_out_line(out);
	ftr_out_bytes(out, "a\nb\033[m", 6);
}

static int format(const struct ftr_record *r, struct ftr_out *out, void *priv)
{
	struct state *s = ftr_thread_state(r);

	s->records++;
	if (marked)
		ftr_out_printf(out, "<%" PRId64 ">", level);
	if (!strcmp(mode, "fields"))
		show_fields(r, out, ((struct ftr_name *)priv)->value);
	else if (!strcmp(mode, "rest"))
		show_rest(r, out);
	else if (!strcmp(mode, "elem"))
		ftr_field_elem(r, D, 2);
	else if (!strcmp(mode, "outside"))
		ftr_record_num(r, (const char *)r, 4);
	else if (!strcmp(mode, "handle"))
		ftr_out_printf(out, "%" PRIu64, ftr_field_u64(r, 4000) + ftr_field_u64(r, -1));
	else if (!strcmp(mode, "long"))
		ftr_out_printf(out, "%200000s", "");
	else
		ftr_out_default(out, r);
	return !strcmp(mode, "pass") ? FTR_PASS : FTR_DONE;
}

static int twice(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out, uint64_t *num)
{
	(void)r;
	(void)out;
	*num = 2 * args[0].num;
	return args[0].num == 13 ? FTR_PASS : FTR_DONE;
}

static int greet(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out, uint64_t *num)
{
	(void)r;
	(void)num;
	ftr_out_printf(out, "hello %s %zu", (const char *)args[0].data, args[1].len);
	ftr_out_default(out, r);	/* does nothing in a function */
	return FTR_DONE;
}

static const struct ftr_option options[] = {
	{ "mode", FTR_STRING, &mode, "none", "what to print" },
	{ "log", FTR_STRING, &log_path, NULL, "where to note what is called" },
	{ "level", FTR_INT, &level, "5", "a number" },
	{ "marked", FTR_BOOL, &marked, NULL, "print the number first" },
	{ NULL, FTR_BOOL, NULL, NULL, NULL },
};

static const struct ftr_formatter formatters[] = {
	{ "te?t", "prob*", fields, bind, format, unbind },
	{ NULL, NULL, NULL, NULL, NULL, NULL },
};

static const struct ftr_function functions[] = {
	{ "probe_twice", "i:i", twice },
	{ "probe_greet", "s:sb-", greet },
	{ NULL, NULL, NULL },
};

static const struct ftr_constant constants[] = { { "PROBE_X", -3 }, { NULL, 0 } };

const struct ftr_plugin ftr_plugin = {
	FTR_PLUGIN_HEAD,
	.name = "probe",
	.description = "for the tests",
	.options = options,
	.formatters = formatters,
	.functions = functions,
	.constants = constants,
	.init = init,
	.exit = plugin_exit,
	.thread_size = sizeof(struct state),
	.thread_exit = thread_exit,
};
