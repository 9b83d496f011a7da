/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filters: which records of a hand-made event match, and which filters are refused. */
#include "event/event.h"

#include "tap.h"

static const char wakeup[] =
	"name: sched_wakeup\nID: 300\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:int prio;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:char comm[8];\toffset:12;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] path;\toffset:20;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long func;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\nprint fmt: \"%d\", kernel_only(REC->prio)\n";
static const char kallsyms[] = "ffffffff81001000 T vfs_read\n";
static const char cmdlines[] = "7 bash\n8 a b-1\n";

/* pid 7, prio -5, comm "kworker" without a NUL behind, path "/tmp", func inside vfs_read. */
static const uint8_t data[40] = {
	44, 1, 0, 0, 7, 0, 0, 0, 0xfb, 0xff, 0xff, 0xff, 'k', 'w', 'o', 'r', 'k', 'e', 'r', '!',
	32, 0, 5, 0, 4, 0x10, 0, 0x81, 0xff, 0xff, 0xff, 0xff, '/', 't', 'm', 'p', 0,
};

static struct ev_engine *engine;
static struct ev_format format;

/* 1 matches, 0 does not, -1 refused. */
static int match(const char *text, uint32_t len)
{
	struct ev_rec r = { .fmt = &format, .data = data, .len = len, .long_size = 8 };
	struct ev_filter *f = ev_filter_new(engine, NULL);
	struct ftr_error err = { 0 };
	int got = -1;

	if (!ev_filter_add(f, text, &err))
		got = ev_filter_match(f, &r, 3, 0);
	else if (err.code != FTR_USAGE || !*err.msg || !*err.hint)
		got = -2;
	ev_filter_free(f);
	return got;
}

static void check(const char *text, int want)
{
	char name[160];
	int got = match(text, sizeof(data));

	snprintf(name, sizeof(name), "%s %s", text, want > 0 ? "matches" : want ? "is refused" : "does not match");
	if (!TAP_OK(got == want, name))
		printf("# got %d\n", got);
}

static void test_matches(void)
{
	check("sched_wakeup", 1);
	check("sched", 1);
	check("sched/sched_.*", 1);
	check("SCHED_WAKEUP", 1);
	check("sched_wakeup: prio < 0", 1);
	check("sched_wakeup: prio == -5 && CPU == 3", 1);
	check("sched_wakeup: prio > 0 || CPU == 2", 0);
	check("sched_wakeup: !(prio > 0)", 1);
	check("sched_wakeup: prio + 10 == 5", 1);
	check("sched_wakeup: prio & 0xf == 11", 1);
	check("sched_wakeup: comm == \"kworker!\"", 1);
	check("sched_wakeup: comm != \"kworker!\"", 0);
	check("sched_wakeup: comm =~ \"^KWORK\"", 1);
	check("sched_wakeup: comm !~ \"^kwork\"", 0);
	check("sched_wakeup: path == \"/tmp\"", 1);
	check("sched_wakeup: path =~ \"a,b\"", 0);
	check("sched_wakeup: COMM == \"bash\"", 1);
	check("sched_wakeup: func == \"vfs_read\"", 1);
	check("sched_wakeup: common_pid == 7", 1);
	check("sched_wakeup: common_pid == \"7\"", 0);
	check("sched_wakeup: nothing == 0", 0);
	check("sched_wakeup: nothing == 0 || prio == -5", 1);
	check("sched_wakeup: prio / (prio + 5) == 0", 1);
	check("sched_wakeup: prio % (prio + 5) == 0", 1);
	check("sched_wakeup: prio << 100 == 0", 1);
}

static void test_refused(void)
{
	static char deep[4000], longest[6000];

	check("", -1);
	check("no_such_event", -1);
	check("sched_wakeup: ", -1);
	check("sched_wakeup: prio ==", -1);
	check("sched_wakeup: prio == 1 && comm == }", -1);
	check("sched_wakeup: (prio == 1", -1);
	check("sched_wakeup: prio == 1)", -1);
	check("sched_wakeup: comm =~ \"[\"", -1);
	check("sched_wakeup: comm < \"a\"", -1);
	check("sched_wakeup: \"a\" == comm", -1);
	check("sched_wakeup: comm == \"a", -1);
	check("sched_wakeup: prio = 1", -1);
	memset(deep, '(', sizeof(deep) - 1);
	memcpy(deep, "sched_wakeup:", 13);
	TAP_EQ(match(deep, sizeof(data)), -1, "4000 parentheses are refused");
	memset(deep + 13, '!', sizeof(deep) - 14);
	TAP_EQ(match(deep, sizeof(data)), -1, "4000 negations are refused");
	memset(longest, 'x', sizeof(longest) - 1);
	TAP_EQ(match(longest, sizeof(data)), -1, "a filter of 6000 bytes is refused");
}

static void test_short(void)
{
	int bad = 0;

	for (uint32_t len = 0; len < sizeof(data); len++)
		bad += match("sched_wakeup: path == \"/tmp\" && func == \"vfs_read\" && COMM != \"x\"", len) > (len >= 37);
	TAP_EQ(bad, 0, "records that are cut match nothing that is missing");
}

int main(void)
{
	struct ev_syms *syms = ev_syms_new(kallsyms, sizeof(kallsyms) - 1);
	struct ev_world w = { .long_size = 8, .page_size = 4096, .formats = &format, .nr_formats = 1, .syms = syms,
			      .cmdlines = cmdlines, .cmdlines_len = sizeof(cmdlines) - 1 };

	ev_format_parse(&format, "sched", wakeup, strlen(wakeup), NULL);
	engine = ev_engine_new(&w, getenv("FTR_ENGINE"), NULL);
	test_matches();
	test_refused();
	test_short();
	ev_engine_free(engine);
	ev_format_release(&format);
	ev_syms_free(syms);
	return tap_done();
}
