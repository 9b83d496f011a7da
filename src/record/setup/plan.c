/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plan of a recording: how it is made, checked and released. */
#include "record/setup/plan.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/text.h"
#include "tracefs/state/setting_table.h"
#include "tracefs/state/trace_options.h"

#define SYNC_NS 5000000000ull		/* as the journal of ext4 does */

struct rec_event *plan_add_event(struct rec_buffer *b, const char *pattern)
{
	b->events = xgrow(b->events, &b->cap_events, b->nr_events + 1, sizeof(*b->events));
	b->events[b->nr_events] = (struct rec_event){ .pattern = xstrdup(pattern) };
	return &b->events[b->nr_events++];
}

struct rec_buffer *plan_add_buffer(struct rec_plan *p, const char *name)
{
	struct rec_buffer *b;

	p->bufs = xgrow(p->bufs, &p->cap_bufs, p->nr_bufs + 1, sizeof(*p->bufs));
	b = &p->bufs[p->nr_bufs++];
	memset(b, 0, sizeof(*b));
	b->name = xstrdup(name);
	return b;
}

static void settings_release(struct rec_settings *list)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		free(list->v[i].file);
		free(list->v[i].value);
	}
	free(list->v);
	*list = (struct rec_settings){0};
}

void plan_init(struct rec_plan *p)
{
	memset(p, 0, sizeof(*p));
	p->max_graph_depth = -1;
	p->sync_ns = SYNC_NS;
	p->out_path = "trace.dat";
	plan_add_buffer(p, "");
}

void plan_release(struct rec_plan *p)
{
	struct rec_buffer *b;
	size_t i;

	for (b = p->bufs; b < p->bufs + p->nr_bufs; b++) {
		for (i = 0; i < b->nr_events; i++) {
			free(b->events[i].pattern);
			free(b->events[i].filter);
			strv_release(&b->events[i].triggers);
		}
		free(b->events);
		free(b->cpumask);
		free(b->name);
		strv_release(&b->funcs);
		strv_release(&b->notrace);
		strv_release(&b->modules);
		strv_release(&b->options);
		settings_release(&b->settings);
	}
	free(p->bufs);
	strv_release(&p->graph_funcs);
	strv_release(&p->nograph_funcs);
	settings_release(&p->settings);
	strv_release(&p->pids);
	strv_release(&p->stop_events);
	strv_release(&p->stop_funcs);
	memset(p, 0, sizeof(*p));
}

bool plan_possible_cpus(uint64_t *cpus)
{
	char *list = io_line_at(AT_FDCWD, "/sys/devices/system/cpu/possible");
	bool known = list && !text_cpulist(list, cpus, LIMIT_CPUS);

	free(list);
	return known;
}

int plan_cpu_missing(const uint64_t *cpus)
{
	uint64_t possible[LIMIT_CPUS / 64];
	bool known = plan_possible_cpus(possible);
	size_t w;

	for (w = 0; known && w < LIMIT_CPUS / 64; w++)
		if (cpus[w] & ~possible[w])
			return w * 64 + __builtin_ctzll(cpus[w] & ~possible[w]);
	return -1;
}

bool plan_negates_nothing(const struct rec_plan *p)
{
	const struct rec_buffer *b = &p->bufs[p->nr_bufs - 1];

	return p->negate && (!b->nr_events || !b->events[b->nr_events - 1].negated);
}

bool plan_buffer_used(const struct rec_buffer *b)
{
	return b->tracer || b->clock || b->cpumask || b->size_kb || b->subbuf_kb || b->funcs.n ||
	       b->notrace.n || b->options.n || b->nr_events || b->settings.n;
}

static int check_buffer(const struct rec_plan *p, const struct rec_buffer *b,
			struct ftr_error *err)
{
	const char *where = *b->name ? b->name : "the top level";

	if (p->ftrace_off && b->tracer && !strncmp(b->tracer, "function", 8))
		return err_set(err, FTR_USAGE, "-D stops all tracing of functions, which -p %s "
			       "needs", b->tracer);
	if (!plan_clears(p))
		return 0;
	if (strv_has(&b->options, "func_stack_trace") &&
	    !(b->tracer && !strcmp(b->tracer, "function"))) {
		err_set(err, FTR_USAGE, "--func-stack acts on the function tracer only");
		return err_hint(err, "-p function -l FUNC --func-stack; stacks of events: -T");
	}
	if ((b->funcs.n || b->notrace.n) && !(b->tracer && strcmp(b->tracer, "nop"))) {
		err_set(err, FTR_USAGE, "function filter '%s' needs a tracer for %s",
			b->funcs.n ? b->funcs.v[0] : b->notrace.v[0], where);
		return err_hint(err, "-p function or -p function_graph traces functions");
	}
	return 0;
}

static int check_graph(const struct rec_plan *p, struct ftr_error *err)
{
	size_t i;

	if (!plan_clears(p) || (!p->graph_funcs.n && !p->nograph_funcs.n &&
				p->max_graph_depth < 0))
		return 0;
	for (i = 0; i < p->nr_bufs; i++)
		if (p->bufs[i].tracer && !strcmp(p->bufs[i].tracer, "function_graph"))
			return 0;
	err_set(err, FTR_USAGE, "%s acts on the function_graph tracer only",
		p->graph_funcs.n ? "-g" : p->nograph_funcs.n ? "--nograph-funcs" :
		"--max-graph-depth");
	return err_hint(err, "add -p function_graph");
}

static int check_tasks(const struct rec_plan *p, struct ftr_error *err)
{
	if (p->only_command && !p->argv)
		return err_set(err, FTR_USAGE, "-F traces only the command, but none was given");
	if (p->proc_map && !p->argv && !p->pids.n) {
		err_set(err, FTR_USAGE, "--proc-map is for the processes of -P and the command, "
			"but neither was given");
		return err_hint(err, "-P PID names a process");
	}
	if (p->children && !p->only_command && !p->pids.n) {
		err_set(err, FTR_USAGE, "-c follows children of -F or -P, but neither was given");
		return err_hint(err, "add -F or -P PID");
	}
	if (p->user && !p->argv)
		return err_set(err, FTR_USAGE, "--user '%s' runs the command, but none was given",
			       p->user);
	return 0;
}

static bool sets_something(const struct rec_plan *p)
{
	size_t i;

	for (i = 0; i < p->nr_bufs; i++)
		if (plan_buffer_used(&p->bufs[i]))
			return true;
	return p->graph_funcs.n || p->nograph_funcs.n || p->max_graph_depth >= 0 ||
	       p->cmdlines_size || p->pids.n || p->only_command || p->ftrace_off || p->settings.n;
}

const char *plan_function_tracer(const struct rec_plan *p)
{
	const struct rec_buffer *b;

	for (b = p->bufs; b < p->bufs + p->nr_bufs; b++)
		if (b->tracer && !strncmp(b->tracer, "function", 8))
			return b->tracer;
	return NULL;
}

static bool records_something(const struct rec_plan *p)
{
	size_t i, j;

	for (i = 0; i < p->nr_bufs; i++) {
		if (p->bufs[i].tracer)
			return true;
		for (j = 0; j < p->bufs[i].nr_events; j++)
			if (!p->bufs[i].events[j].negated)
				return true;
	}
	return false;
}

static int check_purpose(const struct rec_plan *p, struct ftr_error *err)
{
	if (p->purpose == PLAN_SET) {
		if (sets_something(p))
			return 0;
		err_set(err, FTR_USAGE, "nothing to set");
		return err_hint(err, "-e sched, -p nop, -O sym-offset, ...");
	}
	/* with -K, there may be a tracer or an event already */
	if (p->no_reset || records_something(p))
		return 0;
	err_set(err, FTR_USAGE, "nothing to %s: no tracer and no event",
		p->purpose == PLAN_START ? "trace" : "record");
	if (p->negate)
		return err_hint(err, "-v disables the events of each -e after it: -e sched -v -e "
				"'sched_stat_*'");
	if (p->purpose == PLAN_START && !p->argv && sets_something(p))
		return err_hint(err, "'ftr set' changes settings alone; -e sched or -p "
				"function_graph traces as well");
	return err_hint(err, "-p function_graph -l 'vfs_*', or -e sched");
}

static int check_flight(struct rec_plan *p, struct ftr_error *err)
{
	size_t i;

	if (!p->flight_kb)
		return 0;
	if (p->max_size) {
		err_set(err, FTR_USAGE, "--max-size bounds the written data, and --flight writes "
			"nothing before the end");
		return err_hint(err, "the size of --flight is already a bound");
	}
	if (p->keep_bytes)
		return err_set(err, FTR_USAGE, "-m bounds the written data, and --flight writes "
			       "nothing before the end");
	if (p->bufs[0].size_kb)
		return err_set(err, FTR_USAGE, "-b and --flight both give the buffer's size");
	for (i = 0; i < p->nr_bufs; i++) {
		if (strv_has(&p->bufs[i].options, "nooverwrite"))
			return err_set(err, FTR_USAGE, "--flight overwrites the oldest records, "
				       "which -O nooverwrite forbids");
		if (!p->bufs[i].size_kb)
			p->bufs[i].size_kb = p->flight_kb;
	}
	return 0;
}

static int check_rotate(const struct rec_plan *p, struct ftr_error *err)
{
	if (!p->rotate)
		return 0;
	if (!p->max_size) {
		err_set(err, FTR_USAGE, "--rotate begins a new file at --max-size, but none was "
			"given");
		return err_hint(err, "--rotate 10 --max-size 100M");
	}
	if (p->to_stdout || p->listener)
		return err_set(err, FTR_USAGE, "--rotate makes files, which -o - and -N do not");
	if (p->keep_bytes)
		return err_set(err, FTR_USAGE, "-m and --rotate both bound the kept data");
	return 0;
}

static int check_dry_run(const struct rec_plan *p, struct ftr_error *err)
{
	if (!p->dry_run)
		return 0;
	if (p->only_command) {
		err_set(err, FTR_USAGE, "-F traces only the command, which --dry-run does not "
			"start");
		return err_hint(err, "-P PID tries it with a process that runs");
	}
	if (p->keep)
		return err_set(err, FTR_USAGE, "--dry-run leaves nothing as it was set up, as "
			       "-k would");
	return 0;
}

/* Checks the options of the output, and chooses the compression if none is given. */
static int check_output(struct rec_plan *p, struct ftr_error *err)
{
	bool sent;

	if (!*p->out_path)
		return err_set(err, FTR_USAGE, "-o needs the name of a file");
	if (!strcmp(p->out_path, "/dev/null") && !p->dry_run) {
		err_set(err, FTR_USAGE, "-o '/dev/null' would keep nothing");
		return err_hint(err, "'ftr record --dry-run' estimates how much would come");
	}
	p->to_stdout = !p->dry_run && !strcmp(p->out_path, "-");
	sent = p->to_stdout || p->listener;
	if (p->keep_bytes && p->packing.name) {
		err_set(err, FTR_USAGE, "-m drops data that --compression has already compressed");
		return err_hint(err, "--rotate 10 --max-size 100M --compression %s drops whole "
				"files", p->packing.name);
	}
	if (sent && p->packing.name) {
		err_set(err, FTR_USAGE, "%s sends the recorded data as it is, --compression makes "
			"a file", p->to_stdout ? "-o -" : "-N");
		return err_hint(err, "a pipe can compress: ftr record -o - ... | zstd > x.dat.zst");
	}
	if (p->keep_bytes && sent)
		return err_set(err, FTR_USAGE, "-m drops the oldest data, which was already sent "
			       "by then");
	if (p->to_stdout && p->listener)
		return err_set(err, FTR_USAGE, "-o - and -N exclude each other");
	if (p->file_version == 6 && p->packing.name)
		return err_set(err, FTR_USAGE, "files of version 6 cannot be compressed, so "
			       "--compression does not work");
	if (p->file_version == 6 && sent)
		return err_set(err, FTR_USAGE, "%s sends version 7 only",
			       p->to_stdout ? "-o -" : "-N");
	/* a stream is sent as it is, and version 6 has no compression */
	if (!p->packing_given && p->file_version != 6 && !sent)
		p->packing = packing_of_metadata();
	if (!p->to_stdout || !isatty(STDOUT_FILENO))
		return 0;
	err_set(err, FTR_USAGE, "-o - writes a trace file to standard output, which is a terminal");
	return err_hint(err, "ftr record -o - ... | ssh HOST 'cat > x.dat'");
}

/* Gives all buffers one clock, as they are merged by time, unless they have a -C. */
static void complete_clocks(struct rec_plan *p)
{
	const struct rec_buffer *first = p->bufs;
	size_t i;

	while (first < p->bufs + p->nr_bufs - 1 && !first->clock)
		first++;
	for (i = 0; i < p->nr_bufs; i++) {
		if (p->bufs[i].clock || (!i && p->nr_bufs > 1 && !plan_buffer_used(p->bufs)))
			continue;
		p->bufs[i].clock = first->clock;
		p->bufs[i].tsc2nsec = first->tsc2nsec;
	}
}

int plan_check(struct rec_plan *p, struct ftr_error *err)
{
	size_t i;

	/* --module alone means all functions of the modules */
	for (i = 0; i < p->nr_bufs; i++)
		if (p->bufs[i].modules.n && !p->bufs[i].funcs.n)
			strv_add(&p->bufs[i].funcs, "*");
	if (plan_negates_nothing(p))
		return err_set(err, FTR_USAGE, "-v negates the -e after it, but none was given");
	if (check_purpose(p, err))
		return -1;
	if (p->purpose != PLAN_SET)
		complete_clocks(p);
	for (i = 0; i < p->nr_bufs; i++)
		if (check_buffer(p, &p->bufs[i], err))
			return -1;
	if (check_graph(p, err) || check_tasks(p, err) || check_flight(p, err) ||
	    check_dry_run(p, err) || check_output(p, err))
		return -1;
	return check_rotate(p, err);
}

bool plan_has_threads(const struct rec_plan *p)
{
	static const char *const tracers[] = { "hwlat", "osnoise", "timerlat" };
	size_t i, j;

	for (i = 0; i < p->nr_bufs; i++)
		for (j = 0; p->bufs[i].tracer && j < sizeof(tracers) / sizeof(*tracers); j++)
			if (!strcmp(p->bufs[i].tracer, tracers[j]))
				return true;
	return false;
}

/* ---- options that set one control file each: tracefs/state/setting_table.h */

/* An option that is parsed. */
struct plan_parser {
	struct rec_plan *p;
	const struct tracefs_setting *setting;	/* its setting */
	struct rec_settings *to;	/* gets the control files and values */
};

/* Adds a setting. Takes over @file and @value. */
static void add_setting(struct plan_parser *g, char *file, char *value)
{
	struct rec_settings *l = g->to;

	l->v = xgrow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	l->v[l->n++] = (struct rec_setting){ .setting = g->setting, .file = file, .value = value };
}

static void add_setting_value(struct plan_parser *g, char *value)
{
	add_setting(g, xstrdup(g->setting->file), value);
}

static int parse_within(struct plan_parser *g, const char *arg, int64_t max)
{
	int64_t v;

	if (text_number(arg, 0, max, &v))
		return -1;
	add_setting_value(g, xasprintf("%lld", (long long)v));
	return 0;
}

static int parse_percent(struct plan_parser *g, const char *arg)
{
	return parse_within(g, arg, 100);
}

/* Parses a time. A plain number has the kernel's unit, microseconds. */
static int parse_usec(struct plan_parser *g, const char *arg)
{
	uint64_t ns;

	if (!parse_within(g, arg, INT64_MAX))
		return 0;
	if (text_duration(arg, &ns) || ns % 1000)
		return -1;
	add_setting_value(g, xasprintf("%llu", (unsigned long long)ns / 1000));
	return 0;
}

static int parse_switch(struct plan_parser *g, const char *arg)
{
	int on = option_value(arg);

	if (on >= 0)
		add_setting_value(g, xstrdup(on ? "1" : "0"));
	return on < 0 ? -1 : 0;
}

static int parse_word(struct plan_parser *g, const char *arg)
{
	if (!*arg || arg[strcspn(arg, " \t\n")])
		return -1;
	add_setting_value(g, xstrdup(arg));
	return 0;
}

static int parse_words(struct plan_parser *g, const char *arg)
{
	struct strv words = {0};
	size_t i;

	strv_split(&words, arg, ", \t\n");
	for (i = 0; i < words.n; i++)
		add_setting_value(g, xstrdup(words.v[i]));
	strv_release(&words);
	return i ? 0 : -1;
}

static int parse_cpulist(struct plan_parser *g, const char *arg)
{
	uint64_t cpus[LIMIT_CPUS / 64];

	return text_cpulist(arg, cpus, LIMIT_CPUS) || plan_cpu_missing(cpus) >= 0 ?
		-1 : parse_word(g, arg);
}

/* Parses "0,2-5=16M": a buffer size for some CPUs. */
static int parse_cpu_size(struct plan_parser *g, const char *arg)
{
	const char *eq = strchr(arg, '=');
	char *list = eq ? xstrndup(arg, eq - arg) : NULL;
	uint64_t cpus[LIMIT_CPUS / 64], bytes;
	bool bad = !eq || text_size(eq + 1, 1024, &bytes) || !bytes ||
		   text_cpulist(list, cpus, LIMIT_CPUS) || plan_cpu_missing(cpus) >= 0;
	unsigned int cpu;

	for (cpu = 0; !bad && cpu < LIMIT_CPUS; cpu++)
		if (cpus[cpu / 64] >> cpu % 64 & 1)
			add_setting(g, xasprintf("per_cpu/cpu%u/buffer_size_kb", cpu),
				    xasprintf("%llu", (unsigned long long)(bytes + 1023) / 1024));
	free(list);
	return bad ? -1 : 0;
}

static int parse_function(struct plan_parser *g, const char *arg)
{
	if (*arg)
		strv_add(&g->p->nograph_funcs, arg);
	return *arg ? 0 : -1;
}

static const struct {
	int (*parse)(struct plan_parser *g, const char *arg);
	const char *want;
} kinds[] = {
	[KIND_PERCENT]  = { parse_percent, "a percentage (0 to 100)" },
	[KIND_USEC]     = { parse_usec, "a time (100, 100us, 2ms; plain: microseconds)" },
	[KIND_SWITCH]   = { parse_switch, "on or off" },
	[KIND_WORD]     = { parse_word, "a word" },
	[KIND_WORDS]    = { parse_words, "words" },
	[KIND_CPULIST]  = { parse_cpulist, "a list of CPUs of this machine (0,2-5)" },
	[KIND_CPU_SIZE] = { parse_cpu_size, "CPUs of this machine with a size (0,2-5=16M)" },
	[KIND_FUNCTION] = { parse_function, "a function" },
};

int settings_option(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct rec_plan *p = ctx;
	struct plan_parser g = { .p = p, .setting = setting_find_option(o->name) };

	g.to = g.setting->where == SETTING_EACH ? &p->bufs[p->nr_bufs - 1].settings : &p->settings;
	if (!kinds[g.setting->kind].parse(&g, arg))
		return 0;
	return err_set(err, FTR_USAGE, "--%s takes %s, not '%s'", o->name,
		       kinds[g.setting->kind].want, arg);
}
