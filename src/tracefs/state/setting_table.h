/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of settings: the values of control files and trace options after boot, which no file of
 * the kernel shows, and the options of commands that set them.
 */
#ifndef FTR_TRACEFS_STATE_SETTING_TABLE_H
#define FTR_TRACEFS_STATE_SETTING_TABLE_H

#include <stddef.h>

#include "tracefs/files/tfs.h"

enum setting_where {
	SETTING_EACH,		/* the top level and each instance */
	SETTING_TOP,		/* once for the kernel */
	SETTING_SYSCTL,
	SETTING_ADMIN,		/* a sysctl that belongs to the administrator */
};

/* How a setting is compared with its value after boot, and reset to it: see fresh_state.c. */
enum setting_how {
	SETTING_VALUE, SETTING_LIST, SETTING_FUNCTIONS, SETTING_CLOCK, SETTING_CPUMASK,
	SETTING_CPUS, SETTING_SIZE, SETTING_SUBBUF, SETTING_EVENTS, SETTING_EVENT_FILE,
	SETTING_OPTIONS, SETTING_DEFINITIONS, SETTING_SNAPSHOT, SETTING_RECORDS, SETTING_PROC,
	SETTING_PER_CPU,		/* shown with buffer_size_kb */
	SETTING_OPTION,		/* shown with the row options */
};

/* The order in which settings are reset: within a turn by the order of the table. */
enum setting_turn {
	TURN_STOP,		/* stops recording */
	TURN_SET,
	TURN_DEFINE,		/* definitions, after nothing refers to them */
	TURN_EMPTY,		/* empties buffers */
	TURN_GO_ON,
	TURN_END
};

/* The kind of argument of the setting's option. */
enum setting_kind {
	KIND_NONE,		/* no option of this table */
	KIND_PERCENT, KIND_USEC, KIND_SWITCH, KIND_WORD, KIND_WORDS, KIND_CPULIST,
	KIND_CPU_SIZE, KIND_FUNCTION,
};

/* The kernel gives each CPU's buffer this size when it is first used, in KiB. */
#define SETTING_SIZE_KB "1408"

/*
 * ROW(file, where, how, value after boot, turn). OPT() adds the long name of an option of ftr
 * record, start and set, its argument, the kind of that, and its help. The rows have the order of
 * ftr stat. If the value depends on the machine, setting_boot_value() completes it.
 * saved_cmdlines_size is 128, and 6552 if the kernel shows how many names fit into the memory for
 * 128.
 *
 * FLAG(name, tracer, at the top, in a new instance) is a trace option, of trace_flags or of a
 * tracer as the kernel defines them. A new instance has the top's flags, except for flags that are
 * on at only one of the two.
 */
#define TRACEFS_SETTINGS(ROW, OPT, FLAG) \
	ROW("current_tracer",                EACH,   VALUE,       "nop", STOP) \
	ROW("tracing_on",                    EACH,   VALUE,       "1", GO_ON) \
	ROW("trace_clock",                   EACH,   CLOCK,       "local|global", SET) \
	ROW("buffer_subbuf_size_kb",         EACH,   SUBBUF,      NULL, SET) \
	ROW("buffer_size_kb",                EACH,   SIZE,        SETTING_SIZE_KB, SET) \
	OPT("per_cpu/cpu%u/buffer_size_kb",  EACH,   PER_CPU,     NULL, SET, \
	    "cpu-buffer-size", "CPUS=SIZE", CPU_SIZE, \
	    "set the size of these CPUs' buffers: 0,2-5=16M") \
	OPT("buffer_percent",                EACH,   VALUE,       "50", SET, \
	    "buffer-percent", "PERCENT", PERCENT, \
	    "wake a reader at PERCENT of a CPU's buffer; 0: at once") \
	ROW("tracing_cpumask",               EACH,   CPUMASK,     "", SET) \
	ROW("syscall_user_buf_size",         EACH,   VALUE,       "63", SET) \
	ROW("set_ftrace_filter",             EACH,   FUNCTIONS,   NULL, SET) \
	ROW("set_ftrace_notrace",            EACH,   LIST,        NULL, SET) \
	ROW("set_ftrace_pid",                EACH,   LIST,        NULL, SET) \
	ROW("set_ftrace_notrace_pid",        EACH,   LIST,        NULL, SET) \
	ROW("set_event_pid",                 EACH,   LIST,        NULL, SET) \
	ROW("set_event_notrace_pid",         EACH,   LIST,        NULL, SET) \
	ROW("set_event",                     EACH,   EVENTS,      NULL, STOP) \
	ROW("trigger",                       EACH,   EVENT_FILE,  "", STOP) \
	ROW("filter",                        EACH,   EVENT_FILE,  "none", STOP) \
	ROW("options",                       EACH,   OPTIONS,     NULL, SET) \
	ROW("tracing_max_latency",           EACH,   VALUE,       "0", SET) \
	ROW("snapshot",                      EACH,   SNAPSHOT,    "Snapshot is freed", EMPTY) \
	ROW("records",                       EACH,   RECORDS,     NULL, EMPTY) \
	ROW("set_graph_function",            TOP,    LIST,        NULL, SET) \
	OPT("set_graph_notrace",             TOP,    LIST,        NULL, SET, \
	    "nograph-funcs", "FUNC", FUNCTION, \
	    "function_graph: leave out FUNC and what it calls") \
	ROW("max_graph_depth",               TOP,    VALUE,       "0", SET) \
	OPT("tracing_thresh",                TOP,    VALUE,       "0", SET, \
	    "time-filter", "TIME", USEC, \
	    "keep only calls, latencies above TIME: 100us; plain: us") \
	OPT("osnoise/period_us",             TOP,    VALUE,       "1000000", SET, \
	    "osnoise-period", "TIME", USEC, \
	    "osnoise: begin a sample every TIME") \
	OPT("osnoise/runtime_us",            TOP,    VALUE,       "1000000", SET, \
	    "osnoise-runtime", "TIME", USEC, \
	    "osnoise: sample for TIME of each period") \
	OPT("osnoise/stop_tracing_us",       TOP,    VALUE,       "0", SET, \
	    "osnoise-stop", "TIME", USEC, \
	    "stop at one noise, or one interrupt latency, of TIME") \
	OPT("osnoise/stop_tracing_total_us", TOP,    VALUE,       "0", SET, \
	    "osnoise-stop-total", "TIME", USEC, \
	    "stop at a sample's noise, or a thread latency, of TIME") \
	OPT("osnoise/cpus",                  TOP,    CPUS,        NULL, SET, \
	    "osnoise-cpus", "LIST", CPULIST, \
	    "osnoise, timerlat: run on these CPUs, as 0,2-5") \
	OPT("osnoise/options",               TOP,    VALUE,       "DEFAULTS", SET, \
	    "osnoise-option", "WORD", WORDS, \
	    "osnoise: set an option: PANIC_ON_STOP, NO_OSNOISE_WORKLOAD") \
	OPT("osnoise/print_stack",           TOP,    VALUE,       "0", SET, \
	    "timerlat-stack", "TIME", USEC, \
	    "timerlat: save the stack at an interrupt latency of TIME") \
	OPT("osnoise/timerlat_period_us",    TOP,    VALUE,       "1000", SET, \
	    "timerlat-period", "TIME", USEC, \
	    "timerlat: fire the timer every TIME") \
	OPT("hwlat_detector/window",         TOP,    VALUE,       "1000000", SET, \
	    "hwlat-window", "TIME", USEC, \
	    "hwlat: begin a sample every TIME") \
	OPT("hwlat_detector/width",          TOP,    VALUE,       "500000", SET, \
	    "hwlat-width", "TIME", USEC, \
	    "hwlat: sample for TIME of each window, interrupts off") \
	OPT("hwlat_detector/mode",           TOP,    VALUE,       "round-robin", SET, \
	    "hwlat-mode", "MODE", WORD, \
	    "hwlat: none, round-robin or per-cpu") \
	ROW("saved_cmdlines_size",           TOP,    VALUE,       "128|6552", SET) \
	ROW("dynamic_events",                TOP,    DEFINITIONS, NULL, DEFINE) \
	ROW("function_profile_enabled",      TOP,    VALUE,       "0", STOP) \
	ROW("stack_trace_filter",            TOP,    LIST,        NULL, SET) \
	ROW("stack_max_size",                TOP,    VALUE,       "0", EMPTY) \
	ROW("/proc/sys/kernel/stack_tracer_enabled", SYSCTL, PROC,        "0", SET) \
	ROW("/proc/sys/kernel/ftrace_enabled", SYSCTL, PROC,        "1", SET) \
	OPT("/proc/sys/kernel/ftrace_dump_on_oops", ADMIN,  PROC,        "0", SET, \
	    "dump-on-oops", "WHAT", WORD, \
	    "print the buffer at an oops: 1, orig_cpu, INSTANCE; 0: no") \
	OPT("/proc/sys/kernel/traceoff_on_warning", ADMIN,  PROC,        "0", SET, \
	    "traceoff-on-warning", "ON", SWITCH, \
	    "stop tracing at a kernel warning: on, off") \
	ROW("/proc/sys/kernel/tracepoint_printk", ADMIN,  PROC,        "0", SET) \
	/* graph-time belongs to function_graph before 7.2 */ \
	FLAG("annotate",             NULL,             "1", "1") \
	FLAG("bin",                  NULL,             "0", "0") \
	FLAG("bitmask-list",         NULL,             "0", "0") \
	FLAG("blk_cgname",           "blk",            "0", "0") \
	FLAG("blk_cgroup",           "blk",            "0", "0") \
	FLAG("blk_classic",          "blk",            "0", "0") \
	FLAG("block",                NULL,             "0", "0") \
	FLAG("branch",               NULL,             "0", "0") \
	FLAG("context-info",         NULL,             "1", "1") \
	FLAG("copy_trace_marker",    NULL,             "1", "0") \
	FLAG("disable_on_free",      NULL,             "0", "0") \
	FLAG("display-graph",        NULL,             "0", "0") \
	FLAG("event-fork",           NULL,             "0", "0") \
	FLAG("fields",               NULL,             "0", "0") \
	FLAG("func-args",            "function",       "0", "0") \
	FLAG("func-no-repeats",      "function",       "0", "0") \
	FLAG("func_stack_trace",     "function",       "0", "0") \
	FLAG("funcgraph-abstime",    "function_graph", "0", "0") \
	FLAG("funcgraph-args",       "function_graph", "0", "0") \
	FLAG("funcgraph-cpu",        "function_graph", "1", "1") \
	FLAG("funcgraph-duration",   "function_graph", "1", "1") \
	FLAG("funcgraph-irqs",       "function_graph", "1", "1") \
	FLAG("funcgraph-overhead",   "function_graph", "1", "1") \
	FLAG("funcgraph-overrun",    "function_graph", "0", "0") \
	FLAG("funcgraph-proc",       "function_graph", "0", "0") \
	FLAG("funcgraph-retaddr",    "function_graph", "0", "0") \
	FLAG("funcgraph-retval",     "function_graph", "0", "0") \
	FLAG("funcgraph-retval-hex", "function_graph", "0", "0") \
	FLAG("funcgraph-tail",       "function_graph", "0", "0") \
	FLAG("function-fork",        NULL,             "0", "0") \
	FLAG("function-trace",       NULL,             "1", "1") \
	FLAG("graph-time",           NULL,             "1", "1") \
	FLAG("hash-ptr",             NULL,             "1", "1") \
	FLAG("hex",                  NULL,             "0", "0") \
	FLAG("irq-info",             NULL,             "1", "1") \
	FLAG("latency-format",       NULL,             "0", "0") \
	FLAG("markers",              NULL,             "1", "1") \
	FLAG("overwrite",            NULL,             "1", "1") \
	FLAG("pause-on-trace",       NULL,             "0", "0") \
	FLAG("print-parent",         NULL,             "1", "1") \
	FLAG("printk-msg-only",      NULL,             "0", "0") \
	FLAG("prof-text-offset",     NULL,             "0", "0") \
	FLAG("raw",                  NULL,             "0", "0") \
	FLAG("record-cmd",           NULL,             "1", "1") \
	FLAG("record-tgid",          NULL,             "0", "0") \
	FLAG("sleep-time",           "function_graph", "1", "1") \
	FLAG("stacktrace",           NULL,             "0", "0") \
	FLAG("sym-addr",             NULL,             "0", "0") \
	FLAG("sym-offset",           NULL,             "0", "0") \
	FLAG("sym-userobj",          NULL,             "0", "0") \
	FLAG("test_nop_accept",      "nop",            "0", "0") \
	FLAG("test_nop_refuse",      "nop",            "0", "0") \
	FLAG("trace_printk",         NULL,             "1", "1") \
	FLAG("trace_printk_dest",    NULL,             "1", "0") \
	FLAG("userstacktrace",       NULL,             "0", "0") \
	FLAG("verbose",              NULL,             "0", "0")

struct tracefs_setting {
	const char *file;		/* as in tracefs, or a full path */
	enum setting_where where;
	enum setting_how how;
	const char *fresh;		/* value after boot; setting_boot_value() completes it */
	enum setting_turn turn;
	const char *option;		/* NULL if no option sets it */
	enum setting_kind kind;
	/* trace option: the tracer that has it; NULL = all tracing */
	const char *tracer;
	const char *fresh_instance;	/* trace option: the value in a new instance */
};

extern const struct tracefs_setting tracefs_settings[];
extern const size_t nr_tracefs_settings;

/* Returns the setting whose option has this long name, or NULL. */
const struct tracefs_setting *setting_find_option(const char *name);
/* Returns the trace option @name, or NULL. */
const struct tracefs_setting *setting_find_flag(const char *name);
/*
 * Returns the value of @k in @instance (NULL or "" = top level) after boot: several possible values
 * have "|" between them, and writing the first one resets the setting; "" for an empty list. NULL
 * if the machine does not show it. The caller frees.
 */
char *setting_boot_value(const struct tracefs_setting *k, const struct tfs *t,
			 const char *instance);
/*
 * Returns the mask of all CPUs as the kernel prints it: words of 32 bits, the highest first. NULL
 * if it is unknown. The caller frees.
 */
char *setting_boot_cpumask(const struct tfs *t, const char *instance);
/* Returns "kernel.ftrace_enabled" for a sysctl's path. The caller frees. */
char *setting_sysctl_name(const struct tracefs_setting *k);

#endif
