/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a change of tracefs: it stands in full, or nothing of it does. Selects buffers by -B, -a,
 * -t, and switches them on and off.
 */
#include "cmd/frame/tracefs_change.h"

#include <stdlib.h>
#include <string.h>

#include "base/sig.h"
#include "cmd/frame/command.h"
#include "tracefs/files/tfs.h"

static int change_in_session(struct session *s, enum change_end end,
			     int (*make)(struct session *s, void *ctx, struct ftr_error *err),
			     void *ctx)
{
	struct ftr_error err = {0}, later = {0};
	int ret = end == CHANGE_STANDS ? session_stand_alone(s, &err) : 0, sig;

	if (!ret)
		ret = make(s, ctx, &err);
	if (!ret && end == CHANGE_STANDS) {
		sig = sig_held();
		if (sig) {
			err_set(&err, 128 + sig, "interrupted (%s)", strsignal(sig));
			ret = err_hint(&err, "tracefs is as it was before");
		} else {
			ret = session_stand(s, &err);
		}
	}
	ret = ret ? cmd_fail(&err) : FTR_OK;
	if (session_close(s, &later))
		ret = ret ? ret : cmd_fail(&later);
	return ret;
}

int cmd_change(enum change_end end,
	       int (*make)(struct session *s, void *ctx, struct ftr_error *err), void *ctx)
{
	struct ftr_error err = {0};
	struct session *s;
	struct tfs tfs;
	int status;

	sig_hold();
	if (tfs_open(&tfs, &err))
		return cmd_fail(&err);
	s = session_open(&tfs, &err);
	status = s ? change_in_session(s, end, make, ctx) : cmd_fail(&err);
	tfs_close(&tfs);
	return status;
}

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

int buffers_resolve(const struct buffer_args *a, const struct tfs *t, const char *file,
		    struct strv *out, struct ftr_error *err)
{
	struct strv all = {0};
	struct buf path = {0};
	size_t i;
	int ret = 0;

	if (a->top || !buffers_chosen(a))
		strv_add(out, "");
	for (i = 0; i < a->names.n && !ret; i++) {
		if (!tfs_exists(t, NULL, tfs_path(&path, a->names.v[i], "")))
			ret = err_set(err, FTR_FAILED, "no instance '%s'", a->names.v[i]);
		strv_add(out, a->names.v[i]);
	}
	if (!ret && a->all)
		ret = tfs_instances(t, &all, err);
	for (i = 0; i < all.n; i++)
		if (tfs_exists(t, all.v[i], file))
			strv_add(out, all.v[i]);
	strv_sort_unique(out);
	strv_release(&all);
	buf_release(&path);
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

struct tracing_switch {
	struct buffer_args args;
	bool on;
	struct strv names, were;	/* the chosen buffers; those already in this state */
};

static int switch_all(struct session *s, void *ctx, struct ftr_error *err)
{
	struct tracing_switch *w = ctx;
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

int buffers_switch(const struct cmd *self, int argc, char **argv, bool on)
{
	struct tracing_switch w = { .on = on };
	int status, first = cmd_parse(self, argc, argv, &w, &status);
	const char *state = on ? "on" : "off";
	struct buf text = {0};
	bool all_were;

	if (first >= 0)
		status = no_operands(self, first, argc, argv);
	if (first >= 0 && !status)
		status = cmd_change(CHANGE_STANDS, switch_all, &w);
	if (first >= 0 && !status) {
		all_were = w.were.n && w.were.n == w.names.n;
		buffers_describe(&w.names, &text);
		if (w.were.n && !all_were) {
			buf_printf(&text, " (already %s: ", state);
			buffers_describe(&w.were, &text);
			buf_addch(&text, ')');
		}
		cmd_notice("recording %s %s: %s", all_were ? "was already" : "is", state,
			   text.data);
	}
	buf_release(&text);
	buffer_args_release(&w.args);
	strv_release(&w.names);
	strv_release(&w.were);
	return status;
}
