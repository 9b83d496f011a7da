/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options that stand for one control file each. */
#include "record/setup/plan_settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/text.h"
#include "tracefs/session/sysctl.h"
#include "tracefs/state/setting_table.h"
#include "tracefs/state/trace_options.h"

struct parsing {
	struct rec_plan *p;
	const struct knob *knob;
	struct rec_settings *to;
};

/* @file and @value are ours now. */
static void add_setting(struct parsing *g, char *file, char *value)
{
	struct rec_settings *l = g->to;

	l->v = xgrow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	l->v[l->n++] = (struct rec_setting){ .knob = g->knob, .file = file, .value = value };
}

static void add_knob_value(struct parsing *g, char *value)
{
	add_setting(g, xstrdup(g->knob->file), value);
}

static int parse_within(struct parsing *g, const char *arg, int64_t max)
{
	int64_t v;

	if (text_number(arg, 0, max, &v))
		return -1;
	add_knob_value(g, xasprintf("%lld", (long long)v));
	return 0;
}

static int parse_percent(struct parsing *g, const char *arg)
{
	return parse_within(g, arg, 100);
}

/* The kernel's unit is the one of a plain number. */
static int parse_usec(struct parsing *g, const char *arg)
{
	uint64_t ns;

	if (!parse_within(g, arg, INT64_MAX))
		return 0;
	if (text_duration(arg, &ns) || ns % 1000)
		return -1;
	add_knob_value(g, xasprintf("%llu", (unsigned long long)ns / 1000));
	return 0;
}

static int parse_switch(struct parsing *g, const char *arg)
{
	int on = option_value(arg);

	if (on >= 0)
		add_knob_value(g, xstrdup(on ? "1" : "0"));
	return on < 0 ? -1 : 0;
}

static int parse_word(struct parsing *g, const char *arg)
{
	if (!*arg || arg[strcspn(arg, " \t\n")])
		return -1;
	add_knob_value(g, xstrdup(arg));
	return 0;
}

static int parse_words(struct parsing *g, const char *arg)
{
	struct strv words = {0};
	size_t i;

	strv_split(&words, arg, ", \t\n");
	for (i = 0; i < words.n; i++)
		add_knob_value(g, xstrdup(words.v[i]));
	strv_release(&words);
	return i ? 0 : -1;
}

static int parse_cpulist(struct parsing *g, const char *arg)
{
	uint64_t cpus[LIMIT_CPUS / 64];

	return text_cpulist(arg, cpus, LIMIT_CPUS) || plan_cpu_missing(cpus) >= 0 ?
		-1 : parse_word(g, arg);
}

/* "0,2-5=16M" */
static int parse_cpu_size(struct parsing *g, const char *arg)
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

static int parse_function(struct parsing *g, const char *arg)
{
	if (*arg)
		strv_add(&g->p->nograph_funcs, arg);
	return *arg ? 0 : -1;
}

static const struct {
	int (*parse)(struct parsing *g, const char *arg);
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
	struct parsing g = { .p = p, .knob = knob_of_option(o->name) };

	g.to = g.knob->where == KNOB_EACH ? &p->bufs[p->nr_bufs - 1].settings : &p->settings;
	if (!kinds[g.knob->kind].parse(&g, arg))
		return 0;
	return err_set(err, FTR_USAGE, "--%s takes %s, not '%s'", o->name,
		       kinds[g.knob->kind].want, arg);
}

/* --- writing */

static int missing_setting(const struct rec_setting *r, struct ftr_error *err)
{
	static const struct {
		const char *begin, *config;
	} needs[] = {
		{ "osnoise/timerlat", "CONFIG_TIMERLAT_TRACER" },
		{ "osnoise/", "CONFIG_OSNOISE_TRACER" },
		{ "hwlat_detector/", "CONFIG_HWLAT_TRACER" },
	};
	size_t i;

	err_set(err, FTR_FAILED, "this kernel has no '%s', so --%s does not work", r->file,
		r->knob->option);
	for (i = 0; i < sizeof(needs) / sizeof(*needs); i++)
		if (!strncmp(r->file, needs[i].begin, strlen(needs[i].begin)))
			return err_hint(err, "it needs %s", needs[i].config);
	return -1;
}

/* The first of each pair is at least the second. */
static void hint_bound(const struct tfs *t, const struct rec_setting *r, struct ftr_error *err)
{
	static const char *const pairs[][2] = {
		{ "osnoise/period_us", "osnoise/runtime_us" },
		{ "hwlat_detector/window", "hwlat_detector/width" },
	};
	size_t i;
	char *line;
	int is;

	for (i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		is = !strcmp(r->file, pairs[i][1]);
		if (!is && strcmp(r->file, pairs[i][0]))
			continue;
		line = tfs_line(t, NULL, pairs[i][!is]);
		err_hint(err, "'%s' is %s: '%s' must not be more than '%s'", pairs[i][!is], line,
			 pairs[i][1], pairs[i][0]);
		free(line);
	}
}

static int apply_one(struct session *s, const char *instance, const struct rec_setting *r,
		     struct ftr_error *err)
{
	bool sysctl = *r->file == '/';
	char *name;
	int ret;

	if (sysctl) {
		name = knob_sysctl(r->knob);
		ret = session_sysctl(s, name, r->value, err);
		free(name);
		return ret;
	}
	if (!tfs_exists(session_tfs(s), instance, r->file))
		return missing_setting(r, err);
	ret = session_set(s, instance, r->file, r->value, err);
	if (ret && err && err->sys == EINVAL)
		hint_bound(session_tfs(s), r, err);
	return ret;
}

int settings_apply(struct session *s, const char *instance, const struct rec_settings *list,
		   struct ftr_error *err)
{
	bool *done = xcalloc(list->n + 1, sizeof(*done));
	size_t i, failed = list->n + 1, before;
	struct ftr_error first, later;

	do {
		before = failed;
		failed = 0;
		for (i = 0; i < list->n; i++) {
			if (done[i])
				continue;
			done[i] = !apply_one(s, instance, &list->v[i], failed ? &later : &first);
			failed += !done[i];
		}
	} while (failed && failed < before);
	if (failed && err)
		*err = first;
	free(done);
	return failed ? -1 : 0;
}

bool settings_size_cpus(const struct rec_settings *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (list->v[i].knob->kind == KIND_CPU_SIZE)
			return true;
	return false;
}

void settings_release(struct rec_settings *list)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		free(list->v[i].file);
		free(list->v[i].value);
	}
	free(list->v);
	*list = (struct rec_settings){0};
}
