/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a recording has nothing of its tracer, or nothing at all: what is said, as far as the plan tells. */
#include "record/summary.h"

#include "tap.h"

static struct rec_plan plan;
static struct rec_setup up = { .p = &plan };

static void begin(const char *tracer)
{
	plan_release(&plan);
	plan_init(&plan);
	plan.bufs[0].tracer = tracer;
	up.applied = (struct rec_applied){0};
}

static void check_reason(bool had_children, bool off, const char *want, const char *name)
{
	struct buf out = {0};

	silence_of_tracer(&up, had_children, off, &out);
	TAP_OK(!strcmp(out.data, want), name);
	if (strcmp(out.data, want))
		printf("# '%s'\n", out.data);
	buf_release(&out);
}

#define NOTHING	"the tracer 'function_graph' recorded nothing"
#define MATCHED	": nothing that is traced called a function that -l matched"

static void test_tracer(void)
{
	struct rec_matched none = { "nfs*", 0, true }, some = { "nfs*", 7, false };
	struct rec_setting threshold = { .file = "tracing_thresh", .value = "100" };

	begin("function_graph");
	check_reason(true, false, NOTHING, "tracer: no reason is known");
	up.applied = (struct rec_applied){ .v = &none, .n = 1 };
	check_reason(false, false, NOTHING, "tracer: -l matched nothing so far");
	up.applied = (struct rec_applied){ .v = &some, .n = 1 };
	check_reason(false, false, NOTHING MATCHED, "tracer: -l");
	check_reason(false, true, NOTHING, "tracer: it was off, which is said elsewhere");
	plan.only_command = true;
	check_reason(false, false,
		     NOTHING MATCHED "; -F follows the command alone, -c its children, too",
		     "tracer: -l and -F, perhaps without children");
	check_reason(true, false, NOTHING ": -F follows the command alone, which had children: -c follows them, too",
		     "tracer: -F, with children");
	plan.children = true;
	check_reason(true, false, NOTHING MATCHED, "tracer: -l, -F and -c");
	strv_add(&plan.graph_funcs, "vfs_read");
	check_reason(true, false, NOTHING,
		     "tracer: -l and -g: a function may have been called elsewhere");
	begin("function_graph");
	strv_add(&plan.pids, "1");
	check_reason(false, false,
		     NOTHING ": -P follows the tasks that it names alone, -c their children, too",
		     "tracer: -P");
	begin("function_graph");
	up.applied = (struct rec_applied){ .v = &some, .n = 1 };
	plan.settings = (struct rec_settings){ &threshold, 1, 0 };
	check_reason(false, false, NOTHING ": no traced call took as long as --time-filter",
		     "tracer: --time-filter: -l is not to blame for sure");
	plan.settings = (struct rec_settings){0};
}

static void test_plan(void)
{
	begin("nop");
	TAP_OK(!plan_function_tracer(&plan), "plan: nop records no calls");
	plan_add_buffer(&plan, "mine")->tracer = "function";
	TAP_OK(!strcmp(plan_function_tracer(&plan), "function"), "plan: the tracer of an instance");
	begin(NULL);
	TAP_OK(!plan_function_tracer(&plan), "plan: no tracer");
}

int main(void)
{
	test_tracer();
	test_plan();
	plan_release(&plan);
	return tap_done();
}
