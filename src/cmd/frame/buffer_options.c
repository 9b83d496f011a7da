/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses buffers by -B, -a, -t, and switches them on and off. */
#include "cmd/frame/buffer_options.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/frame/tracefs_change.h"

int buffer_name(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct buffer_args *a = ctx;

	(void)o;
	if (!*arg || *arg == '.' || strchr(arg, '/'))
		return err_set(err, FTR_USAGE, "-B takes the name of an instance, not '%s'", arg);
	if (!strv_has(&a->names, arg))
		strv_add(&a->names, arg);
	return 0;
}

void buffer_args_release(struct buffer_args *a)
{
	strv_release(&a->names);
}

bool buffers_chosen(const struct buffer_args *a)
{
	return a->names.n || a->all || a->top;
}

static int check_names(const struct buffer_args *a, const struct tfs *t, struct ftr_error *err)
{
	struct buf path = {0};
	size_t i;
	int ret = 0;

	for (i = 0; i < a->names.n && !ret; i++)
		if (!tfs_exists(t, NULL, tfs_path(&path, a->names.v[i], "")))
			ret = err_set(err, FTR_FAILED, "no instance '%s'", a->names.v[i]);
	buf_release(&path);
	return ret;
}

int buffers_resolve(const struct buffer_args *a, const struct tfs *t, const char *file,
		    struct strv *out, struct ftr_error *err)
{
	struct strv all = {0};
	size_t i;
	int ret;

	if (a->top || !buffers_chosen(a))
		strv_add(out, "");
	ret = check_names(a, t, err);
	for (i = 0; i < a->names.n; i++)
		strv_add(out, a->names.v[i]);
	if (!ret && a->all)
		ret = tfs_instances(t, &all, err);
	for (i = 0; i < all.n; i++)
		if (tfs_exists(t, all.v[i], file))
			strv_add(out, all.v[i]);
	strv_sort_unique(out);
	strv_release(&all);
	return ret;
}

void buffers_describe(const struct strv *names, struct buf *out)
{
	size_t i;

	for (i = 0; i < names->n; i++) {
		buf_addstr(out, i ? ", " : "");
		if (*names->v[i])
			buf_printf(out, "instance '%s'", names->v[i]);
		else
			buf_addstr(out, "the top level");
	}
	if (!names->n)
		buf_addstr(out, "no instance");
}

int no_operands(const struct cmd *self, int first, int argc, char **argv)
{
	struct ftr_error err = {0};

	if (first >= argc)
		return 0;
	err_set(&err, FTR_USAGE, "unexpected word '%s'", argv[first]);
	err_hint(&err, "'ftr %s -h' lists the options", self->name);
	return cmd_fail(&err);
}

struct switching {
	struct buffer_args args;
	bool on;
	struct strv names, were;	/* all that are meant; those that were so before */
};

static int switch_all(struct session *s, void *ctx, struct ftr_error *err)
{
	struct switching *w = ctx;
	const char *want = w->on ? "1" : "0";
	size_t i;

	if (buffers_resolve(&w->args, session_tfs(s), "tracing_on", &w->names, err))
		return -1;
	for (i = 0; i < w->names.n; i++) {
		char *now = tfs_line(session_tfs(s), w->names.v[i], "tracing_on");

		if (!strcmp(now, want))
			strv_add(&w->were, w->names.v[i]);
		free(now);
		if (session_set(s, w->names.v[i], "tracing_on", want, err))
			return -1;
	}
	return 0;
}

static void say_switched(const struct switching *w)
{
	bool all_were = w->were.n && w->were.n == w->names.n;
	const char *state = w->on ? "on" : "off";
	struct buf text = {0}, were = {0};

	buffers_describe(&w->names, &text);
	if (w->were.n && !all_were) {
		buffers_describe(&w->were, &were);
		buf_printf(&text, " (already %s: %s)", state, were.data);
	}
	cmd_say("recording %s %s: %s", all_were ? "was already" : "is", state, text.data);
	buf_release(&were);
	buf_release(&text);
}

int buffers_switch(const struct cmd *self, int argc, char **argv, bool on)
{
	struct switching w = { .on = on };
	int status, first = cmd_parse(self, argc, argv, &w, &status);

	if (first >= 0)
		status = no_operands(self, first, argc, argv);
	if (first >= 0 && !status)
		status = cmd_change(CHANGE_STANDS, switch_all, &w);
	if (first >= 0 && !status)
		say_switched(&w);
	buffer_args_release(&w.args);
	strv_release(&w.names);
	strv_release(&w.were);
	return status;
}
