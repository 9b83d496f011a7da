/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the words of options to the plan: what each leaves there, and that a later one of its kind counts. */
#include "cmd/frame/plan_options.h"

#include "record/setup/plan.h"
#include "tap.h"

typedef int (*set_fn)(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err);

static const struct opt any = { .letter = 'x', .name = "any" };

static struct rec_plan plan;

/* Sets the words in their order in a new plan; whether all were taken. */
static bool take(set_fn set, const char *first, const char *second)
{
	struct ftr_error err = {0};
	int ret;

	plan_release(&plan);
	plan_init(&plan);
	ret = set(&plan, &any, first, &err);
	if (!ret && second)
		ret = set(&plan, &any, second, &err);
	if (ret)
		printf("# %s\n", err.msg);
	return !ret;
}

static bool text_is(const char *got, const char *want)
{
	if (!got || strcmp(got, want))
		printf("# '%s', not '%s'\n", got ? got : "nothing", want);
	return got && !strcmp(got, want);
}

static void test_cpus(void)
{
	TAP_OK(take(plan_cpus, "0", NULL) && text_is(plan.bufs[0].cpumask, "1"), "a list of CPUs is a mask");
	TAP_OK(take(plan_cpumask, "f0,00000001", NULL) && text_is(plan.bufs[0].cpumask, "f0,00000001"),
	       "a mask is taken as it is");
	TAP_OK(take(plan_cpumask, "0xf", "3") && text_is(plan.bufs[0].cpumask, "3"), "the last mask counts");
	TAP_OK(take(plan_cpumask, "1", "-1") && plan.bufs[0].cpumask[strspn(plan.bufs[0].cpumask, "137f,")] == '\0',
	       "all CPUs");
	TAP_OK(take(plan_cpus, "0", "0-0") && text_is(plan.bufs[0].cpumask, "1"), "the last list counts");
	TAP_OK(!take(plan_cpumask, "0", NULL) && !take(plan_cpumask, "0,00000000", NULL), "a mask without a CPU");
	TAP_OK(!take(plan_cpumask, "", NULL) && !take(plan_cpumask, "0x", NULL) && !take(plan_cpumask, "12g", NULL),
	       "no mask");
	TAP_OK(!take(plan_cpus, "", NULL) && !take(plan_cpus, "1-", NULL) && !take(plan_cpus, "a", NULL), "no list");
}

static int set_negate(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	(void)o;
	(void)arg;
	(void)err;
	((struct rec_plan *)ctx)->negate = true;
	return 0;
}

/* Each -e after -v is off; it may have a trigger, but no filter. -B ends it. */
static void test_negate(void)
{
	const struct rec_buffer *b;
	struct ftr_error err = {0};

	TAP_OK(take(plan_event, "one", NULL) && !plan_negates_nothing(&plan) && take(set_negate, "", NULL) &&
	       plan_negates_nothing(&plan), "-v alone negates nothing");
	TAP_OK(take(plan_event, "one", NULL) && !set_negate(&plan, &any, "", &err) && plan_negates_nothing(&plan) &&
	       plan_instance(&plan, &any, "x", &err), "nor does -v before -B");
	TAP_OK(!plan_event(&plan, &any, "two", &err) && !plan_event(&plan, &any, "three", &err) &&
	       !plan_negates_nothing(&plan), "-v before two -e");
	b = &plan.bufs[0];
	TAP_OK(b->nr_events == 3 && !b->events[0].negated && b->events[1].negated && b->events[2].negated,
	       "both are off");
	TAP_OK(!plan_trigger(&plan, &any, "stacktrace", &err) && b->events[2].triggers.n == 1 &&
	       plan_filter(&plan, &any, "x==1", &err), "a trigger, no filter");
	TAP_OK(!plan_instance(&plan, &any, "x", &err) && !plan_event(&plan, &any, "four", &err) &&
	       !plan.bufs[1].events[0].negated, "-B ends it");
}

static bool clock_is(size_t i, const char *want)
{
	return want ? text_is(plan.bufs[i].clock, want) : !plan.bufs[i].clock;
}

/* The first -C is that of all that have none. */
static void test_clocks(void)
{
	struct ftr_error err = {0};

	TAP_OK(take(plan_event, "one", NULL) && !plan_instance(&plan, &any, "x", &err) &&
	       !plan_clock(&plan, &any, "mono", &err) && !plan_instance(&plan, &any, "y", &err) &&
	       !plan_clock(&plan, &any, "boot", &err) && !plan_instance(&plan, &any, "z", &err) &&
	       !plan_check(&plan, &err) && clock_is(0, "mono") && clock_is(1, "mono") && clock_is(2, "boot") &&
	       clock_is(3, "mono"), "a clock of an instance");
	TAP_OK(take(plan_instance, "x", NULL) && !plan_event(&plan, &any, "one", &err) &&
	       !plan_clock(&plan, &any, "mono", &err) && !plan_check(&plan, &err) && clock_is(0, NULL),
	       "a top level that is not used stays so");
}

static void test_numbers(void)
{
	TAP_OK(take(plan_depth, "0", "3") && plan.max_graph_depth == 3, "levels");
	TAP_OK(take(plan_cmdlines, "1", NULL) && plan.cmdlines_size == 1 && !take(plan_cmdlines, "0", NULL), "names");
	TAP_OK(take(plan_cmdlines, "4194304", NULL) && !take(plan_cmdlines, "4194305", NULL), "at most so many names");
	TAP_OK(take(plan_prio, "1", "99") && plan.rt_prio == 99, "a priority");
	TAP_OK(!take(plan_prio, "0", NULL) && !take(plan_prio, "100", NULL), "no priority");
	TAP_OK(take(plan_sleep, "0", "250") && plan.sleep_ns == 250000, "microseconds");
	TAP_OK(take(plan_sync, "500ms", NULL) && plan.sync_ns == 500000000, "between two writes to the disk");
	TAP_OK(take(plan_sync, "0", NULL) && !plan.sync_ns, "never to the disk");
}

static void test_words(void)
{
	TAP_OK(take(plan_pids, "1,22 4194304", NULL) && plan.pids.n == 3 && text_is(plan.pids.v[1], "22"), "pids");
	TAP_OK(take(plan_pids, "1", "2") && plan.pids.n == 2, "pids of two options");
	TAP_OK(!take(plan_pids, "", NULL) && !take(plan_pids, "1,-2", NULL) && !take(plan_pids, "4194305", NULL) &&
	       !take(plan_pids, "1,x", NULL), "no pids");
	TAP_OK(take(plan_stacks, "", NULL) && strv_has(&plan.bufs[0].options, "stacktrace"), "stacks of events");
	TAP_OK(take(plan_func_stack, "", NULL) && strv_has(&plan.bufs[0].options, "func_stack_trace"),
	       "stacks of functions");
	TAP_OK(take(plan_stop_ftrace, "", NULL) && plan.ftrace_off &&
	       strv_has(&plan.bufs[0].options, "nofunction-trace"), "no functions at all");
	TAP_OK(take(plan_no_functions, "", NULL) && !plan.ftrace_off &&
	       strv_has(&plan.bufs[0].options, "nofunction-trace"), "no functions here");
	TAP_OK(take(plan_no_reset, "", NULL) && plan.no_reset && plan.keep, "nothing of others is removed");
}

/* What stands behind -B is of that buffer, and what is global is of the plan. */
static void test_instances(void)
{
	struct ftr_error err = {0};

	TAP_OK(take(plan_instance, "one", "two") && plan.nr_bufs == 3 && text_is(plan.bufs[2].name, "two"),
	       "instances");
	TAP_OK(!plan_cpus(&plan, &any, "0", &err) && text_is(plan.bufs[2].cpumask, "1") && !plan.bufs[1].cpumask &&
	       !plan.bufs[0].cpumask, "a mask is of the last");
	TAP_OK(!take(plan_instance, "one", "one") || plan.nr_bufs == 2, "one of a name");
	TAP_OK(!take(plan_instance, "", NULL) && !take(plan_instance, ".x", NULL) && !take(plan_instance, "a/b", NULL),
	       "no names of instances");
}

int main(void)
{
	plan_init(&plan);
	test_cpus();
	test_negate();
	test_clocks();
	test_numbers();
	test_words();
	test_instances();
	plan_release(&plan);
	return tap_done();
}
