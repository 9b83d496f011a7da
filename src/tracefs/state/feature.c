/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of features, and how those are found that a file, README or a list tells of. */
#include "tracefs/state/feature.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/io.h"

void finding_release(struct finding *f)
{
	buf_release(&f->detail);
	buf_release(&f->hint);
	f->state = FEATURE_WORKS;
}

#define FINDING(f, what, to)				\
	do {						\
		va_list ap;				\
							\
		f->state = what;			\
		buf_reset(&f->to);			\
		va_start(ap, fmt);			\
		buf_vprintf(&f->to, fmt, ap);		\
		va_end(ap);				\
	} while (0)

void finding_works(struct finding *f, const char *fmt, ...)
{
	FINDING(f, FEATURE_WORKS, detail);
}

void finding_no(struct finding *f, const char *fmt, ...)
{
	FINDING(f, FEATURE_NO, detail);
}

void finding_unknown(struct finding *f, const char *fmt, ...)
{
	FINDING(f, FEATURE_UNKNOWN, detail);
}

void finding_hint(struct finding *f, const char *fmt, ...)
{
	FINDING(f, f->state, hint);
}

/* --- the kernel's configuration */

/* Distributions put it beside the kernel or its modules. */
static void read_config(struct feature_view *v)
{
	static const char *const places[] = { "/boot/config-%s", "/lib/modules/%s/config",
					      "/lib/modules/%s/build/.config" };
	struct utsname u;
	char *path;
	size_t i;

	if (v->has_config)
		return;
	v->has_config = true;
	for (i = 0; i < sizeof(places) / sizeof(*places) && !v->config.len && !uname(&u); i++) {
		path = xasprintf("%.*s%s%s", (int)strcspn(places[i], "%"), places[i], u.release,
				 strchr(places[i], '%') + 2);
		if (io_read_at(AT_FDCWD, path, &v->config))
			buf_reset(&v->config);
		free(path);
	}
}

/* What is said of "FUNCTION_TRACER", or several with blanks: those that are not on, "" if none. */
struct config {
	struct buf off;
	bool unheard;		/* it does not even say of one that it is off */
};

static void find_config(struct feature_view *v, const char *config, struct config *c)
{
	struct strv names = {0};
	char *on, *off;
	size_t i;

	*c = (struct config){0};
	read_config(v);
	strv_split(&names, config ? config : "", " ");
	for (i = 0; i < names.n && v->config.len; i++) {
		on = xasprintf("\nCONFIG_%s=y\n", names.v[i]);
		off = xasprintf("\n# CONFIG_%s is not set\n", names.v[i]);
		if (!strstr(v->config.data, on)) {
			buf_printf(&c->off, "%sCONFIG_%s", c->off.len ? ", " : "", names.v[i]);
			c->unheard |= !strstr(v->config.data, off);
		}
		free(on);
		free(off);
	}
	strv_release(&names);
}

static void add_configs(const struct feature *f, struct buf *out)
{
	struct strv names = {0};
	size_t i;

	strv_split(&names, f->config, " ");
	for (i = 0; i < names.n; i++)
		buf_printf(out, "%sCONFIG_%s", i ? " and " : "", names.v[i]);
	strv_release(&names);
}

/* How to get it, as far as it is known. */
static void hint_lacking(const struct feature *f, bool on, bool unheard, struct finding *out)
{
	if (f->hint) {
		finding_hint(out, "%s", f->hint);
	} else if (f->config && !on) {
		finding_hint(out, "it needs a kernel built with ");
		add_configs(f, &out->hint);
		if (f->since && unheard)
			buf_printf(&out->hint, "; Linux %s knows that", f->since);
	} else if (f->since) {
		finding_hint(out, "Linux %s has it", f->since);
	}
}

void finding_lacks(struct feature_view *v, const struct feature *f, struct finding *out,
		   const char *what)
{
	struct config c;
	bool on;

	find_config(v, f->config, &c);
	on = f->config && v->config.len && !c.off.len;
	if (on) {
		finding_no(out, "this kernel has ");
		add_configs(f, &out->detail);
		buf_printf(&out->detail, ", but no %s", what);
	} else {
		finding_no(out, "this kernel has no %s", what);
	}
	if (c.off.len)
		buf_printf(&out->detail, ": it is built without %s", c.off.data);
	hint_lacking(f, on, c.unheard || !v->config.len, out);
	buf_release(&c.off);
}

/* --- ways of looking */

static void look_file(struct feature_view *v, const struct feature *f, struct finding *out)
{
	char *what;

	if (tfs_exists(&v->t, NULL, f->file))
		return;
	what = xasprintf("'%s'", f->file);
	finding_lacks(v, f, out, what);
	free(what);
}

/* Not below tracefs. */
static void look_path(struct feature_view *v, const struct feature *f, struct finding *out)
{
	char *what;

	if (!access(f->file, F_OK))
		return;
	what = xasprintf("'%s'", f->file);
	finding_lacks(v, f, out, what);
	free(what);
}

static void look_readme(struct feature_view *v, const struct feature *f, struct finding *out)
{
	if (!v->readme.len && tfs_read(&v->t, NULL, "README", &v->readme, NULL)) {
		finding_unknown(out, "cannot read 'README', which tells");
		return;
	}
	if (!strstr(v->readme.data, f->file))
		finding_lacks(v, f, out, f->name);
}

static void look_tracer(struct feature_view *v, const struct feature *f, struct finding *out)
{
	struct strv names = {0};
	char *what;

	if (tfs_tracers(&v->t, NULL, &names, NULL)) {
		finding_unknown(out, "cannot read 'available_tracers'");
	} else if (!strv_has(&names, f->name)) {
		what = xasprintf("tracer '%s'", f->name);
		finding_lacks(v, f, out, what);
		free(what);
	}
	strv_release(&names);
}

static bool has_symbol(struct feature_view *v, const char *name)
{
	char *text = xasprintf(" %s\n", name);
	bool has;

	if (!v->has_symbols && io_read_at(AT_FDCWD, "/proc/kallsyms", &v->symbols))
		buf_reset(&v->symbols);
	v->has_symbols = true;
	has = v->symbols.len && strstr(v->symbols.data, text);
	free(text);
	return has;
}

/* An instance tells; without one, a function that the tracer has for no other purpose. */
static void look_graph_instances(struct feature_view *v, const struct feature *f,
				 struct finding *out)
{
	struct strv names = {0}, tracers = {0};
	bool has;

	if (!tfs_instances(&v->t, &names, NULL) && names.n &&
	    !tfs_tracers(&v->t, names.v[0], &tracers, NULL))
		has = strv_has(&tracers, "function_graph");
	else
		has = has_symbol(v, f->file);
	if (!has) {
		finding_no(out, "this kernel has function_graph at the top level only");
		finding_hint(out, "%s", f->hint);
	}
	strv_release(&names);
	strv_release(&tracers);
}

/* The file is always there; only its help says whether it takes a 1. It is shown when empty. */
static void look_cpu_swap(struct feature_view *v, const struct feature *f, struct finding *out)
{
	struct buf text = {0};
	struct config c = {0};

	if (tfs_read(&v->t, NULL, "per_cpu/cpu0/snapshot", &text, NULL)) {
		finding_lacks(v, f, out, "snapshots");
	} else if (strstr(text.data, "Not supported with this kernel")) {
		finding_lacks(v, f, out, "snapshots of one CPU");
	} else if (!strstr(text.data, "echo 1 > snapshot")) {
		find_config(v, f->config, &c);
		if (c.off.len)
			finding_lacks(v, f, out, "snapshots of one CPU");
		else
			finding_unknown(out, "a snapshot that is allocated hides it");
	}
	buf_release(&c.off);
	buf_release(&text);
}

/* Whether splice() itself is taken can't be seen without taking data away. */
static void look_raw(struct feature_view *v, const struct feature *f, struct finding *out)
{
	struct buf path = {0};
	char *max = io_line_at(AT_FDCWD, "/proc/sys/fs/pipe-max-size");
	int *cpus = NULL;
	size_t n = 0;

	if (tfs_cpus(&v->t, NULL, &cpus, &n, NULL) || !n) {
		finding_unknown(out, "cannot list 'per_cpu'");
	} else {
		buf_printf(&path, "per_cpu/cpu%d/%s", cpus[0], f->file);
		if (faccessat(v->t.dirfd, path.data, R_OK, AT_EACCESS))
			finding_no(out, "cannot read '%s': %s", path.data, strerror(errno));
		else if (max)
			finding_works(out, "through pipes of up to %ld KiB", atol(max) / 1024);
	}
	free(max);
	free(cpus);
	buf_release(&path);
}

#define RT_HINT "real-time kernels of distributions often have it (Debian: linux-image-rt-amd64)"

const struct feature features[] = {
	{ .name = "tracefs", "conditions", look_tracefs, NULL, "TRACING", .alone = true },
	{ .name = "rights", "conditions", look_rights, .alone = true },
	{ .name = "lockdown", "conditions", look_lockdown, .alone = true },
	{ .name = "symbols", "conditions", look_symbols, .alone = true },
	{ .name = "ftrace-enabled", "conditions", look_enabled, NULL, "FUNCTION_TRACER",
	  .alone = true },
	{ .name = "kprobes-enabled", "conditions", look_kprobes_on, .alone = true },
	{ .name = "tracing-on", "conditions", look_tracing_on },
	{ .name = "idle", "conditions", look_idle },
	{ .name = "lock", "conditions", look_lock },
	{ .name = "journals", "conditions", look_journals, .alone = true },
	{ .name = "standing", "conditions", look_standing, .alone = true },
	{ .name = "buffer-memory", "conditions", look_memory },
	{ .name = "snapshot-memory", "conditions", look_snapshot_memory },

	{ .name = "function", "tracers", look_tracer, NULL, "FUNCTION_TRACER",
	  .needs = need_ftrace },
	{ .name = "function_graph", "tracers", look_tracer, NULL, "FUNCTION_GRAPH_TRACER",
	  .needs = need_ftrace },
	{ .name = "irqsoff", "tracers", look_tracer, NULL, "IRQSOFF_TRACER" },
	{ .name = "preemptoff", "tracers", look_tracer, NULL, "PREEMPT_TRACER" },
	{ .name = "preemptirqsoff", "tracers", look_tracer, NULL, "IRQSOFF_TRACER PREEMPT_TRACER" },
	{ .name = "wakeup", "tracers", look_tracer, NULL, "SCHED_TRACER", RT_HINT },
	{ .name = "wakeup_rt", "tracers", look_tracer, NULL, "SCHED_TRACER", RT_HINT },
	{ .name = "wakeup_dl", "tracers", look_tracer, NULL, "SCHED_TRACER", RT_HINT },
	{ .name = "blk", "tracers", look_tracer, NULL, "BLK_DEV_IO_TRACE" },
	{ .name = "mmiotrace", "tracers", look_tracer, NULL, "MMIOTRACE" },
	{ .name = "hwlat", "tracers", look_tracer, NULL, "HWLAT_TRACER", RT_HINT },
	{ .name = "osnoise", "tracers", look_tracer, NULL, "OSNOISE_TRACER", RT_HINT },
	{ .name = "timerlat", "tracers", look_tracer, NULL, "TIMERLAT_TRACER", RT_HINT },

	{ .name = "function-filters", "functions", look_file, "set_ftrace_filter",
	  "DYNAMIC_FTRACE" },
	{ .name = "module-filters", "functions", look_readme, "Format: :mod:<module-name>",
	  "DYNAMIC_FTRACE" },
	{ .name = "graph-instances", "functions", look_graph_instances, "allocate_fgraph_ops", NULL,
	  "Linux 6.12 has it in instances, too; until then: one at a time, at the top level" },
	{ .name = "func-args", "functions", look_file, "options/func-args", "FUNCTION_TRACE_ARGS",
	  .since = "7.2" },
	{ .name = "funcgraph-args", "functions", look_file, "options/funcgraph-args",
	  "FUNCTION_TRACE_ARGS", .since = "7.2" },
	{ .name = "funcgraph-retval", "functions", look_file, "options/funcgraph-retval",
	  "FUNCTION_GRAPH_RETVAL", .since = "6.12" },
	{ .name = "funcgraph-retaddr", "functions", look_file, "options/funcgraph-retaddr",
	  "FUNCTION_GRAPH_RETADDR", .since = "7.2" },
	{ .name = "function-addresses", "functions", look_file, "available_filter_functions_addrs",
	  NULL,
	  "Linux 6.12 lists them; /proc/kallsyms has those of symbols" },
	{ .name = "function-profiler", "functions", look_file, "function_profile_enabled",
	  "FUNCTION_PROFILER", .needs = need_ftrace },
	{ .name = "stack-tracer", "functions", look_path, "/proc/sys/kernel/stack_tracer_enabled",
	  "STACK_TRACER", .alone = true, .needs = need_ftrace },

	{ .name = "events", "events", look_file, "events/enable", "EVENT_TRACING" },
	{ .name = "syscalls", "events", look_file, "events/syscalls", "FTRACE_SYSCALLS" },
	{ .name = "module-events", "events", look_readme, "Can enable module events via: :mod:",
	  NULL,
	  "Linux 7.2 takes ':mod:NAME' in set_event; until then: load the module first" },
	{ .name = "triggers", "events", look_file, "events/sched/sched_switch/trigger",
	  "EVENT_TRACING" },
	{ .name = "hist", "events", look_file, "events/sched/sched_switch/hist", "HIST_TRIGGERS" },
	{ .name = "synthetic-events", "events", look_file, "synthetic_events", "SYNTH_EVENTS" },
	{ .name = "trace-marker", "events", look_file, "trace_marker", "TRACING" },
	{ .name = "copy_trace_marker", "events", look_file, "options/copy_trace_marker", NULL,
	  "Linux 7.2 copies trace_marker into instances" },
	{ .name = "trace_printk_dest", "events", look_file, "options/trace_printk_dest", NULL,
	  "Linux 6.12 sends trace_printk() into an instance; until then the top has it" },

	{ .name = "kprobes", "probes", look_file, "kprobe_events", "KPROBE_EVENTS",
	  .needs = need_kprobes },
	{ .name = "uprobes", "probes", look_file, "uprobe_events", "UPROBE_EVENTS" },
	{ .name = "eprobes", "probes", look_readme, "e[:[<group>/]", "EPROBE_EVENTS" },
	{ .name = "fprobes", "probes", look_readme, "f[:[<group>/]", "FPROBE_EVENTS",
	  .since = "6.12", .needs = need_ftrace },
	{ .name = "tprobes", "probes", look_readme, "t[:[<group>/]", "FPROBE_EVENTS",
	  .since = "6.12", .needs = need_ftrace },
	{ .name = "user-events", "probes", look_file, "user_events_data", "USER_EVENTS",
	  .since = "6.12" },
	{ .name = "btf", "probes", look_path, "/sys/kernel/btf/vmlinux", "DEBUG_INFO_BTF",
	  .alone = true },
	{ .name = "btf-args", "probes", look_readme, "<argname>[->field", "PROBE_EVENTS_BTF_ARGS",
	  .since = "6.12" },

	{ .name = "instances", "buffers", look_file, "instances", "TRACING" },
	{ .name = "raw-buffers", "buffers", look_raw, "trace_pipe_raw" },
	{ .name = "subbuf-size", "buffers", look_file, "buffer_subbuf_size_kb", NULL,
	  "Linux 6.12 has it; until then a sub-buffer is a page" },
	{ .name = "snapshot", "buffers", look_file, "snapshot", "TRACER_SNAPSHOT" },
	{ .name = "snapshot-cpu", "buffers", look_cpu_swap, NULL, "RING_BUFFER_ALLOW_SWAP",
	  "take a snapshot of all CPUs, and show one of them: ftr snapshot" },
	{ .name = "crash", "buffers", look_crash },
	{ 0 }
};

/* --- the view */

void feature_view_open(struct feature_view *v)
{
	*v = (struct feature_view){ .t.dirfd = -1 };
	v->usable = !tfs_open(&v->t, &v->why_not);
}

void feature_view_close(struct feature_view *v)
{
	buf_release(&v->readme);
	buf_release(&v->symbols);
	buf_release(&v->config);
	tfs_close(&v->t);
}

/* What of tracefs can't be looked at without it. */
void feature_look(struct feature_view *v, const struct feature *f, struct finding *out)
{
	finding_release(out);
	if (v->usable || f->alone)
		f->look(v, f, out);
	else
		finding_unknown(out, "%s", v->why_not.msg);
	if (f->needs && out->state == FEATURE_WORKS)
		f->needs(v, f, out);
	if (!out->detail.data)
		buf_addstr(&out->detail, "");
	if (!out->hint.data)
		buf_addstr(&out->hint, "");
}
