/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of option tables that set up tracing: the same letters, words and setters in every command
 * that takes them. The context of parsing is a struct rec_plan, or starts with one.
 */
#ifndef FTR_CMD_PLAN_OPTIONS_H
#define FTR_CMD_PLAN_OPTIONS_H

#include <stddef.h>

#include "base/opt.h"
#include "record/setup/plan.h"
#include "tracefs/state/setting_table.h"

/*
 * Setters in the form of opt_fn, with the plan as ctx. Setters of a buffer act on the last -B, else
 * on the main buffer; plan_buf_str() and plan_buf_strv() set the field at o->off of struct
 * rec_buffer.
 */
int plan_instance(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_event(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_purpose(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_all_events(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_filter(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_trigger(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_buf_str(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_buf_strv(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_functions(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_graph_functions(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_modules(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_clock(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_size(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_cpus(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_cpumask(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_subbuf(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_func_stack(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_no_functions(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_stop_ftrace(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_no_reset(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_stacks(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_pids(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_depth(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_cmdlines(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_prio(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_sleep(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_sync(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_at(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_duration(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_stop_event(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_stop_func(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_flight(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_keep(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_max_size(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_file_version(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_compression(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_rotate(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);
int plan_max_rate(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);

#define IN_PLAN(field)	.off = offsetof(struct rec_plan, field)
#define IN_BUF(field)	.off = offsetof(struct rec_buffer, field)

#define PLAN_OPTS_WHAT \
	OPT_GROUP("What to trace"), \
	{ 'p', "tracer", "TRACER", "set the tracer: function, function_graph, ...", plan_buf_str, \
	  IN_BUF(tracer) }, \
	{ 'e', "event", "EVENT", "trace SYSTEM:EVENT, a system, a glob, :mod:MODULE, or all", \
	  plan_event, 0 }, \
	{ 0, "for", "PURPOSE", "trace the events for sched, latency, why, browse", plan_purpose, \
	  0 }, \
	{ 'f', "filter", "FILTER", "filter the last -e", plan_filter, 0 }, \
	{ 'R', "trigger", "TRIGGER", "add a trigger to the last -e", plan_trigger, 0 }, \
	{ 'v', "negate", NULL, "disable the events of each -e after it",	\
	  opt_flag, IN_PLAN(negate) },	\
	{ 'a', "all-events", NULL, "trace all events", plan_all_events, 0 }, \
	{ 'T', "stacks", NULL, "record a stack trace with every event", plan_stacks, 0 }, \
	{ 0, "func-stack", NULL, "-p function: record a stack trace with every function", \
	  plan_func_stack, 0 }

#define PLAN_OPTS_FUNCTIONS \
	OPT_GROUP("Which functions"), \
	{ 'l', NULL, "FUNC", "trace only functions of this name or glob", plan_functions, \
	  IN_BUF(funcs) }, \
	{ 'n', NULL, "FUNC", "do not trace FUNC (a name or glob)",	\
	  plan_functions, IN_BUF(notrace) },	\
	{ 'g', NULL, "FUNC", "function_graph: only FUNC and what it calls", \
	  plan_graph_functions, IN_PLAN(graph_funcs) }, \
	{ 0, "module", "MODULE", "limit -l to functions of MODULE[,MODULE], loaded or to come", \
	  plan_modules, 0 }, \
	{ 0, "max-graph-depth", "LEVELS", "limit function_graph to LEVELS nested calls",	\
	  plan_depth, 0 },	\
	{ 'd', "no-function-trace", NULL, "latency tracers: do not trace functions", \
	  plan_no_functions, 0 }, \
	{ 'D', "stop-ftrace", NULL, "like -d, and stop all function tracing", \
	  plan_stop_ftrace, 0 }

#define PLAN_OPTS_TASKS \
	OPT_GROUP("Which tasks and CPUs"), \
	{ 'P', "pid", "PID", "trace only these processes", plan_pids, 0 }, \
	{ 'F', "only-command", NULL, "trace only the command", opt_flag, IN_PLAN(only_command) }, \
	{ 'c', "children", NULL, "with -F, -P: include their children",	\
	  opt_flag, IN_PLAN(children) },	\
	{ 0, "cpu", "LIST", "trace only on these CPUs, as 0,2-5", plan_cpus, 0 }, \
	{ 'M', "cpumask", "MASK", "like --cpu, as a mask in hexadecimal", plan_cpumask, 0 }

#define PLAN_OPTS_BUFFER \
	OPT_GROUP("How"), \
	{ 'B', "buffer", "INSTANCE", "apply the options that follow to INSTANCE",	\
	  plan_instance, 0 },	\
	{ 'b', "buffer-size", "SIZE", "set each CPU's buffer size: 4M; a plain number is KiB", \
	  plan_size, 0 }, \
	{ 0, "subbuf-size", "SIZE", "set the sub-buffer size: 16K; a plain number is KiB", \
	  plan_subbuf, 0 }, \
	{ 'C', "clock", "CLOCK", "set the trace clock; tsc2nsec: x86-tsc with its scale",	\
	  plan_clock, 0 },	\
	{ 'O', NULL, "OPTION", "set a trace option; with 'no' in front clear it", plan_buf_strv, \
	  IN_BUF(options) }, \
	{ 0, "cmdlines-size", "N", "remember the names of N tasks", plan_cmdlines, 0 }

#define PLAN_NO_OPT(...)
#define PLAN_SETTING_OPT(file, where, how, fresh, turn, option, arg, kind, help) \
	{ 0, option, arg, help, settings_option, 0 },
/* Use it without a comma after it. */
#define PLAN_OPTS_SETTINGS \
	OPT_GROUP("Settings of buffers, tracers and the kernel"), \
	TRACEFS_SETTINGS(PLAN_NO_OPT, PLAN_SETTING_OPT, PLAN_NO_OPT)

#define PLAN_OPTS_KEEP \
	{ 'k', "keep", NULL, "do not restore tracefs at the end", opt_flag, IN_PLAN(keep) }, \
	{ 'K', "no-reset", NULL, "keep what is set already; implies -k", \
	  plan_no_reset, 0 }

#endif
