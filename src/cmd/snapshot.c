/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ftr snapshot: takes, shows, clears and frees the snapshot buffer, and arms triggers that take it.
 */
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "cmd/command_parts.h"
#include "cmd/frame/command.h"
#include "cmd/frame/command_verbs.h"
#include "cmd/frame/tracefs_change.h"
#include "tracefs/verbs/snapshot_buffer.h"
#include "tracefs/verbs/triggers.h"

struct snapshot_args {
	const char *instance;
	int cpu;
	bool json, off;
	const char *on, *filter;
	int64_t count;
	enum snapshot_act act;
	size_t n;		/* number of events or functions that were armed or disarmed */
	bool functions;		/* --on names a function */
};

#define AT(member) .off = offsetof(struct snapshot_args, member)

static int set_snap_cpu(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct snapshot_args *p = ctx;
	int64_t cpu;

	(void)o;
	if (text_number(arg, 0, 1 << 20, &cpu))
		return err_set(err, FTR_USAGE, "'%s' is not a CPU", arg);
	p->cpu = cpu;
	return 0;
}

static int set_count(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct snapshot_args *p = ctx;

	(void)o;
	if (!text_number(arg, 0, INT32_MAX, &p->count))
		return 0;
	err_set(err, FTR_USAGE, "'%s' is not a count", arg);
	return err_hint(err, "--count=3 takes three snapshots, --count=0 one each time");
}

#define OPT_BUFFER \
	{ 'B', "buffer", "INSTANCE", "use INSTANCE instead of the top level", opt_str, \
	  AT(instance) }
#define OPT_CPU \
	{ 'c', "cpu", "CPU", "use this CPU only", set_snap_cpu, 0 }

static const struct opt state_options[] = {
	OPT_BUFFER,
	{ 0, "json", NULL, "print the state as JSON", opt_flag, AT(json) },
	OPT_GROUP("Arming it"),
	{ 0, "on", "EVENT|FUNC", "take a snapshot when this event or function comes", opt_str,
	  AT(on) },
	{ 0, "if", "FILTER", "with --on EVENT: only for records that match", opt_str, AT(filter) },
	{ 0, "count", "N", "with --on: take the first N snapshots (1); 0: every one",
	  set_count, 0 },
	{ 0, "off", NULL, "disarm: remove everything that would take a snapshot",
	  opt_flag, AT(off) },
	OPT_END
};

static const struct opt cpu_options[] = {
	OPT_BUFFER,
	OPT_CPU,
	OPT_END
};

static const struct opt free_options[] = {
	OPT_BUFFER,
	OPT_END
};

static const char *snap_place(const struct snapshot_args *p)
{
	return p->instance && *p->instance ? p->instance : "the top level";
}

/*
 * Parses the options of a verb without operands. Returns true if the verb is to be run, else false
 * with the exit status.
 */
static bool snap_parse(const struct cmd *self, int argc, char **argv, struct snapshot_args *p,
		       int *status)
{
	struct ftr_error err = {0};
	int first;

	*p = (struct snapshot_args){ .cpu = SNAPSHOT_ALL_CPUS, .count = 1 };
	first = cmd_parse(self, argc, argv, p, status);
	if (first < 0 || first == argc)
		return first == argc;
	err_set(&err, FTR_USAGE, "unexpected word '%s'", argv[first]);
	err_hint(&err, "'ftr %s -h' lists the options", self->name);
	*status = cmd_fail(&err);
	return false;
}

/* ---- triggers that take a snapshot */

/* Adds the triggers that take a snapshot to @out. Returns -1 with @err. */
static int find_armed(const struct tfs *t, const char *instance, struct triggers *out,
		      struct ftr_error *err)
{
	struct triggers all = {0};
	int ret = triggers_of_events(t, instance, NULL, &all, err);

	if (!ret)
		ret = triggers_of_functions(t, instance, NULL, &all, err);
	for (const struct trigger *tr = all.v; tr < all.v + all.n; tr++)
		if (!strcmp(tr->command, "snapshot") ||
		    (!strncmp(tr->command, "hist:", 5) && strstr(tr->command, ".snapshot()")))
			triggers_add_line(out, tr->function, tr->where, tr->line);
	triggers_release(&all);
	return ret;
}

static int disarm_snapshot(struct session *s, void *ctx, struct ftr_error *err)
{
	struct snapshot_args *p = ctx;
	struct snapshot_state st;
	struct triggers armed = {0};
	int ret = snapshot_state(session_tfs(s), p->instance, SNAPSHOT_ALL_CPUS, &st, err);

	if (!ret)
		ret = find_armed(session_tfs(s), p->instance, &armed, err);
	p->n = armed.n;
	if (!ret)
		ret = triggers_remove(s, p->instance, &armed, NULL, err);
	triggers_release(&armed);
	return ret;
}

static int arm_snapshot(struct session *s, void *ctx, struct ftr_error *err)
{
	struct snapshot_args *p = ctx;
	struct snapshot_state st;
	struct strv events = {0};
	char *text;
	int ret = snapshot_state(session_tfs(s), p->instance, SNAPSHOT_ALL_CPUS, &st, err);

	if (ret)
		return ret;
	/* A word without a colon may name an event or a function; an event takes precedence. */
	p->functions = !strchr(p->on, ':') &&
		       tfs_match_events(session_tfs(s), p->on, &events, NULL) != 1;
	strv_release(&events);
	if (p->functions && p->filter) {
		err_set(err, FTR_FAILED, "'%s' is not an event, and functions have no filter",
			p->on);
		return err_hint(err, "leave --if out, or name an event");
	}
	text = p->count ? xasprintf("snapshot:%jd", (intmax_t)p->count) : xstrdup("snapshot");
	if (p->functions) {
		ret = triggers_add_functions(s, p->instance, p->on, text, &p->n, err);
	} else {
		char *full = p->filter ? xasprintf("%s if %s", text, p->filter) : xstrdup(text);

		ret = triggers_add_events(s, p->instance, p->on, full, &p->n, err);
		free(full);
	}
	free(text);
	return ret;
}

/* ---- the state */

static void print_state_json(const struct snapshot_args *p, const struct snapshot_state *st,
			     const struct triggers *armed)
{
	json_t *o = json_pack("{s:s, s:b, s:o}", "instance", p->instance ? p->instance : "",
			      "allocated", st->allocated, "armed", json_array());
	json_t *list = json_object_get(o, "armed"), *one;
	size_t i;

	if (st->entries >= 0)
		json_object_set_new(o, "entries", json_integer(st->entries));
	for (i = 0; i < armed->n; i++) {
		const struct trigger *tr = &armed->v[i];

		one = json_pack("{s:s, s:s, s:s*}", tr->function ? "function" : "event", tr->where,
				"trigger", tr->command, "filter", tr->filter);
		if (tr->count >= 0)
			json_object_set_new(one, "left", json_integer(tr->count));
		json_array_append_new(list, one);
	}
	json_dumpf(o, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(o);
}

static void print_state_text(const struct snapshot_args *p, const struct snapshot_state *st,
			     const struct triggers *armed)
{
	struct buf out = {0};
	size_t i;

	buf_printf(&out, "instance   %s\n", snap_place(p));
	buf_printf(&out, "buffer     %s\n", st->allocated ? "allocated" : "not allocated");
	if (st->allocated && st->entries >= 0)
		buf_printf(&out, "entries    %jd\n", (intmax_t)st->entries);
	for (i = 0; i < armed->n; i++) {
		const struct trigger *tr = &armed->v[i];

		buf_addstr(&out, "armed      ");
		text_sanitise(&out, tr->where, strlen(tr->where), false);
		buf_printf(&out, "%s: ", tr->function ? "()" : "");
		text_sanitise(&out, tr->line, strlen(tr->line), false);
		buf_addch(&out, '\n');
	}
	if (!armed->n)
		buf_addstr(&out, "armed      no\n");
	fwrite(out.data, 1, out.len, stdout);
	buf_release(&out);
}

static int run_state(struct snapshot_args *p)
{
	struct ftr_error err = {0};
	struct snapshot_state st;
	struct triggers armed = {0};
	struct tfs tfs;
	int status = FTR_OK;

	if (tfs_open(&tfs, &err))
		return cmd_fail(&err);
	if (snapshot_state(&tfs, p->instance, SNAPSHOT_ALL_CPUS, &st, &err) ||
	    find_armed(&tfs, p->instance, &armed, &err))
		status = cmd_fail(&err);
	else
		(p->json ? print_state_json : print_state_text)(p, &st, &armed);
	triggers_release(&armed);
	tfs_close(&tfs);
	return status;
}

static int snap_run_without_verb(const struct cmd *self, int argc, char **argv)
{
	struct ftr_error err = {0};
	struct snapshot_args p;
	int status;

	if (!snap_parse(self, argc, argv, &p, &status))
		return status;
	if (p.on && p.off)
		err_set(&err, FTR_USAGE, "--on and --off exclude each other");
	else if (!p.on && (p.filter || p.count != 1))
		err_set(&err, FTR_USAGE, "--if and --count go with --on");
	else if (p.json && (p.on || p.off))
		err_set(&err, FTR_USAGE, "--json shows the state: not with --on or --off");
	if (err.code)
		return cmd_fail(&err);
	if (!p.on && !p.off)
		return run_state(&p);
	status = cmd_change(CHANGE_STANDS, p.on ? arm_snapshot : disarm_snapshot, &p);
	if (!status && p.on)
		cmd_notice("%s takes a snapshot when '%s' comes%s (%zu %s%s)", snap_place(&p), p.on,
			   p.count ? "" : ", each time", p.n, p.functions ? "function" : "event",
			   p.n == 1 ? "" : "s");
	else if (!status)
		cmd_notice(p.n ? "disarmed: removed %zu trigger%s" : "nothing was armed", p.n,
			   p.n == 1 ? "" : "s");
	return status;
}

/* ---- take, clear, free */

/*
 * Returns -1 with @err if a trigger would take a snapshot. Without the buffer it would stop
 * tracing: "*** SNAPSHOT NOT ALLOCATED ***".
 */
static int check_unarmed(const struct tfs *t, const struct snapshot_args *p, struct ftr_error *err)
{
	struct triggers armed = {0};
	int ret = find_armed(t, p->instance, &armed, err);

	if (!ret && armed.n) {
		err_set(err, FTR_FAILED, "cannot free the snapshot: '%s' would still take one",
			armed.v[0].where);
		ret = err_hint(err, "'ftr snapshot --off' disarms it; 'ftr snapshot clear' empties "
			       "it and keeps the memory");
	}
	triggers_release(&armed);
	return ret;
}

static int change_snapshot(struct session *s, void *ctx, struct ftr_error *err)
{
	const struct snapshot_args *p = ctx;

	if (p->act == SNAPSHOT_FREE && check_unarmed(session_tfs(s), p, err))
		return -1;
	return snapshot_do(s, p->instance, p->cpu, p->act, err);
}

static int snap_run_change(const struct cmd *self, int argc, char **argv, enum snapshot_act what)
{
	struct snapshot_args p;
	int status;

	if (!snap_parse(self, argc, argv, &p, &status))
		return status;
	p.act = what;
	return cmd_change(CHANGE_STANDS, change_snapshot, &p);
}

static int run_take(const struct cmd *self, int argc, char **argv)
{
	return snap_run_change(self, argc, argv, SNAPSHOT_TAKE);
}

static int run_clear(const struct cmd *self, int argc, char **argv)
{
	return snap_run_change(self, argc, argv, SNAPSHOT_CLEAR);
}

static int run_free(const struct cmd *self, int argc, char **argv)
{
	return snap_run_change(self, argc, argv, SNAPSHOT_FREE);
}

/* ---- show */

/*
 * Prints the kernel's text, sanitised because a comm may contain control bytes. Returns -1 with
 * @err.
 */
static int print_snapshot_text(const struct tfs *t, const char *path, struct ftr_error *err)
{
	int fd = openat(t->dirfd, path, O_RDONLY | O_CLOEXEC);
	struct buf clean = {0};
	char text[65536];
	ssize_t n = -1;

	while (fd >= 0 && (n = read(fd, text, sizeof(text))) > 0) {
		buf_reset(&clean);
		text_sanitise(&clean, text, n, true);
		if (fwrite(clean.data, 1, clean.len, stdout) != clean.len)
			break;
	}
	if (n < 0)
		err_sys(err, "cannot read '%s/%s'", t->path, path);
	if (fd >= 0)
		close(fd);
	buf_release(&clean);
	return n < 0 ? -1 : 0;
}

static int show_snapshot(const struct tfs *t, const struct snapshot_args *p, struct ftr_error *err)
{
	struct snapshot_state st;
	struct buf path = {0};
	char *file;
	int ret = snapshot_state(t, p->instance, p->cpu, &st, err);

	if (ret)
		return ret;
	if (!st.allocated) {
		err_set(err, FTR_FAILED, "%s has no snapshot", snap_place(p));
		return err_hint(err, "'ftr snapshot take' takes one");
	}
	if (!st.entries) {
		cmd_notice("the snapshot is empty");
		return 0;
	}
	file = snapshot_file(p->cpu);
	ret = print_snapshot_text(t, tfs_path(&path, p->instance, file), err);
	free(file);
	buf_release(&path);
	return ret;
}

static int run_snap_show(const struct cmd *self, int argc, char **argv)
{
	struct ftr_error err = {0};
	struct snapshot_args p;
	struct tfs tfs;
	int status;

	if (!snap_parse(self, argc, argv, &p, &status))
		return status;
	if (tfs_open(&tfs, &err))
		return cmd_fail(&err);
	if (show_snapshot(&tfs, &p, &err))
		status = cmd_fail(&err);
	tfs_close(&tfs);
	return status;
}

static const struct cmd verbs[] = {
	{ .name = "", .usage = "[-B INSTANCE] [--json | --on=... | --off]",
	  .summary = "show the snapshot's state, or arm or disarm it",
	  .options = state_options, .run = snap_run_without_verb },
	{ .name = "take", .usage = "[-B INSTANCE] [-c CPU]",
	  .summary = "swap the buffer with the snapshot; tracing goes on",
	  .options = cpu_options, .run = run_take },
	{ .name = "show", .usage = "[-B INSTANCE] [-c CPU]",
	  .summary = "print the snapshot as the kernel does; it stays",
	  .options = cpu_options, .flags = CMD_PAGER, .run = run_snap_show },
	{ .name = "save", .usage = "[-B INSTANCE]... [-o FILE] [OPTIONS]",
	  .summary = "move the snapshot's records into a trace file",
	  .options = extract_snapshot_options, .run = extract_snapshot },
	{ .name = "clear", .usage = "[-B INSTANCE] [-c CPU]",
	  .summary = "empty the snapshot, keep its memory",
	  .options = cpu_options, .run = run_clear },
	{ .name = "free", .usage = "[-B INSTANCE]",
	  .summary = "free the snapshot's memory",
	  .options = free_options, .run = run_free },
	{ 0 }
};

static const char *const examples[] = {
	"ftr snapshot take && ftr snapshot save -o moment.dat",
	"ftr snapshot --on sched:sched_process_exit --if 'comm == \"make\"'",
	"ftr snapshot --on __oom_kill_process",
	NULL
};

const struct cmd cmd_snapshot = {
	.name = "snapshot",
	.usage = "[VERB] [OPTIONS]",
	.summary = "keep what the buffer holds, now or when an event happens",
	.examples = examples,
	.verbs = verbs,
	.run = verbs_run,
};
