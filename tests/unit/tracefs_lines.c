/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The canonical forms of control files: which two readings mean the same state. */
#include "tap.h"
#include "tracefs/files/control.h"
#include "tracefs/verbs/triggers.h"

static void same(const char *path, const char *a, const char *b, bool want, const char *name)
{
	const struct control_file *c = control_of(path);
	char *x = c->canon(a), *y = c->canon(b);

	TAP_OK(!strcmp(x, y) == want, name);
	if (!strcmp(x, y) != want)
		printf("# '%s' and '%s'\n", x, y);
	free(x);
	free(y);
}

static void base(const char *line, const char *want, long want_count, const char *name)
{
	long count;
	char *got = lines_base(line, &count);

	TAP_OK(!strcmp(got, want) && count == want_count, name);
	if (strcmp(got, want) || count != want_count)
		printf("# got '%s' %ld\n", got, count);
	free(got);
}

/* Whether @given, as it was added, means the trigger that the kernel lists as @listed. */
static void is(const char *listed, const char *given, bool want)
{
	struct triggers l = {0};

	triggers_add_line(&l, false, "s:e", listed);
	TAP_OK(l.n == 1 && trigger_is(&l.v[0], given) == want, given);
	triggers_release(&l);
}

static void test_hist_as_added(void)
{
	static const char sums[] = "hist:keys=call_site:vals=hitcount,bytes_req:sort=hitcount:size=2048 [active]";
	static const char sizes[] = "hist:keys=bytes_req.log2:vals=hitcount:sort=bytes_req.log2:size=4096 if a > 1 [active]";

	is(sums, "hist:keys=call_site:vals=bytes_req", true);
	is(sums, "hist:key=call_site:val=bytes_req,hitcount", true);
	is(sums, "hist:keys=call_site:values=bytes_req:size=1500", true);
	is(sums, "hist:keys=call_site:vals=bytes_req:size=1024", false);
	is(sums, "hist:keys=call_site:vals=bytes_req:size=2049", false);
	is(sums, "hist:keys=call_site:vals=bytes_alloc", false);
	is(sums, "hist:keys=call", false);
	is(sizes, "hist:keys=bytes_req.log2:sort=bytes_req if a > 1", true);
	is(sizes, "hist:keys=bytes_req.log2:sort=bytes_req.log2:size=4096", true);
	is(sizes, "hist:keys=bytes_req:sort=bytes_req", false);
	is(sizes, "hist:keys=bytes_req.log2 if a > 2", false);
}

int main(void)
{
	char *instance;

	test_hist_as_added();
	same("buffer_size_kb", "7 (expanded: 1408)\n", "1408\n", true, "size: waiting to grow");
	same("instances/x/buffer_size_kb", "1410\n", "2000\n", false, "size: two sizes");
	same("trace_clock", "local [global] mono\n", "global", true, "clock: the choice");
	same("trace_clock", "[local] global\n", "local [global]\n", false, "clock: another");
	same("events/sched/sched_switch/enable", "1*\n", "1\n", true, "enable: with a trigger on it");
	same("events/sched/sched_switch/enable", "0*\n", "1*\n", false, "enable: off and on");
	same("instances/a/events/s/e/filter", "none\n", "0", true, "filter: none");
	same("events/s/filter", "### global filter ###\n# Use this to ...\n", "0", true,
	     "filter: a system's help");
	same("events/s/e/filter", "a == 1\n", "a == 1\n      ^\nparse_error: Field not found\n", false,
	     "filter: refused is another state");
	same("set_ftrace_pid", "no pid\n", "", true, "pids: none");
	same("set_ftrace_pid", "1\n77\n", "1 77", true, "pids: by blank or line");
	same("set_graph_function", "#### all functions enabled ####\n", "", true, "graph: all");
	same("set_graph_function", "a\nnfs_open [nfs]\n", "a\nnfs_open\n", true, "graph: of a module");
	same("set_ftrace_filter", "a\nb:traceoff:count=3\n", "a\nb:traceoff:count=1\n", true,
	     "functions: a counter that ran down");
	same("set_ftrace_filter", "a\n", "a\nx:mod:nfs\n", false, "functions: a pending module");
	same("set_ftrace_filter", "#### all functions enabled ####\n", "a\n", false, "functions: all");
	same("events/s/e/trigger", "# Available triggers:\n# traceon\n", "", true, "triggers: none");
	same("events/s/e/trigger", "traceoff:count=2 if x\nstacktrace:unlimited\n",
	     "stacktrace:unlimited\ntraceoff:count=1 if x\n", true, "triggers: counted");
	same("events/s/e/trigger", "hist:keys=a [active]\n", "hist:keys=b [active]\n", false,
	     "triggers: two histograms");

	base("traceoff:count=3 if prev_pid == 1", "traceoff if prev_pid == 1", 3, "line: counted");
	base("stacktrace:unlimited", "stacktrace", -1, "line: unlimited");
	base("hist:keys=bytes_req.log2:vals=hitcount:sort=bytes_req.log2:size=2048 [active]",
	     "hist:keys=bytes_req.log2:vals=hitcount:sort=bytes_req:size=2048", -1,
	     "line: a modifier in sort");
	base("hist:keys=a.buckets=4,b:vals=hitcount:sort=a.buckets=4.descending,b:size=8 if c == 1.5 [active]",
	     "hist:keys=a.buckets=4,b:vals=hitcount:sort=a.descending,b:size=8 if c == 1.5", -1,
	     "line: a modifier in sort, downwards");
	base("hist:keys=common_cpucommon_cpu,pid:vals=hitcount [active]",
	     "hist:keys=common_cpu,pid:vals=hitcount", -1, "line: a key that is shown twice");
	base("enable_event:a:b:count=0", "enable_event:a:b", 0, "line: ran out");
	base("stacktrace:unlimited if comm == \":count=9\"", "stacktrace if comm == \":count=9\"", -1,
	     "line: the filter is not read");
	base("hist:keys=a:vals=hitcount if b > 5 [active]", "hist:keys=a:vals=hitcount if b > 5", -1,
	     "line: a histogram's state");

	TAP_OK(functions_is_command("f:traceoff:3"), "command: traceoff");
	TAP_OK(!functions_is_command("nfs_*:mod:nfs"), "command: a module is none");
	TAP_OK(!functions_is_command("vfs_*"), "command: a function is none");

	TAP_OK(!strcmp(control_split("instances/ab/events/enable", &instance), "events/enable") &&
	       !strcmp(instance, "ab"), "path: taken apart");
	free(instance);
	TAP_OK(!strcmp(control_split("instances/ab", &instance), "instances/ab") && !instance,
	       "path: an instance itself is at the top");
	return tap_done();
}
