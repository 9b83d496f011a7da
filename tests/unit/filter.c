/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filters: which records of a hand-made event match, and which filters are refused. */
#include "trace/filter.h"

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
static const char wide[] =
	"name: wide\nID: 301\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:u8 b;\toffset:8;\tsize:1;\tsigned:0;\n"
	"\tfield:s8 c;\toffset:9;\tsize:1;\tsigned:1;\n"
	"\tfield:u16 h;\toffset:10;\tsize:2;\tsigned:0;\n"
	"\tfield:u32 w;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:u64 q;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:s64 sq;\toffset:24;\tsize:8;\tsigned:1;\n"
	"\tfield:const char * fmt;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long ip;\toffset:40;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc cpumask_t mask;\toffset:48;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc char[] rel;\toffset:52;\tsize:4;\tsigned:0;\n"
	"\tfield:char name[8];\toffset:56;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long list[2];\toffset:64;\tsize:16;\tsigned:0;\n"
	"\nprint fmt: \"\"\n";
/* As ftrace:branch, whose func is a text; that of the first event is an address. */
static const char branch[] =
	"name: branch\nID: 303\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:char func[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\nprint fmt: \"\"\n";
static const char printk[] = "0xffffffff82000010 : \"value=%d\\n\"\n0xffffffff82000000 : \"enter %s\"\n";
static const char kallsyms[] = "ffffffff81001000 T vfs_read\nffffffff81001000 t alias_read\nffffffff81001100 T vfs_write\n"
	"ffffffff81001200 T do_exit\n0000000000000040 A percpu\n";
static const char cmdlines[] = "7 bash\n8 a b-1\n";

/* pid 7, prio -5, comm "kworker" without a NUL behind, path "/tmp", func inside vfs_read. */
static const uint8_t data[40] = {
	44, 1, 0, 0, 7, 0, 0, 0, 0xfb, 0xff, 0xff, 0xff, 'k', 'w', 'o', 'r', 'k', 'e', 'r', '!',
	32, 0, 5, 0, 4, 0x10, 0, 0x81, 0xff, 0xff, 0xff, 0xff, '/', 't', 'm', 'p', 0,
};

/* b 200, c -3, h 40000, w 0xfffffffb, q 1 << 63, sq -2, fmt and ip as below, CPUs 1 and 65, "rel", "shell". */
static const uint8_t wide_data[96] = {
	45, 1, 0, 0, 8, 0, 0, 0, 200, 0xfd, 0x40, 0x9c, 0xfb, 0xff, 0xff, 0xff,
	0, 0, 0, 0, 0, 0, 0, 0x80, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0x10, 0, 0, 0x82, 0xff, 0xff, 0xff, 0xff, 0x44, 0x11, 0, 0x81, 0xff, 0xff, 0xff, 0xff,
	80, 0, 16, 0, 32, 0, 4, 0, 's', 'h', 'e', 'l', 'l', 0, 'x', 'x',
	1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0,
	2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0,
};

static struct event_meta meta;
static struct ev_format formats[3];

/* What the records of the tests are. */
struct sample {
	const uint8_t *data;
	uint32_t len;
	uint16_t type;
	int pid;
};

/* 1 matches, 0 does not, -1 refused, -2 refused without an explanation. */
static int ask(const char *text, const struct sample *s, bool lax)
{
	struct ev_rec r = { .data = s->data, .len = s->len, .long_size = 8 };
	const struct event_meta *metas[] = { &meta };
	struct filter_spec spec = { .lax = lax };
	struct ftr_error err = { 0 };
	struct filter *f = NULL;
	int got = -1;

	if (!filter_add(&spec, text, false, &err) && !filter_compile(&spec, metas, 1, &f, &err))
		got = filter_match(f, s->type, s->pid, 3, 0, &r);
	else if (err.code != FTR_USAGE || !*err.msg || !*err.hint)
		got = -2;
	filter_free(f);
	filter_spec_release(&spec);
	return got;
}

/* The first event; fields that no event has are false, as with libtraceevent. */
static int match(const char *text, uint32_t len)
{
	struct sample s = { data, len, 300, len < 8 ? -1 : 7 };

	return ask(text, &s, true);
}

static void check_match(const char *text, int got, int want)
{
	char name[160];

	snprintf(name, sizeof(name), "%s %s", text, want > 0 ? "matches" : want ? "is refused" : "does not match");
	if (!TAP_OK(got == want, name))
		printf("# got %d\n", got);
}

static void check(const char *text, int want)
{
	check_match(text, match(text, sizeof(data)), want);
}

/* The second event, an error where no event has a field. */
static void wide_check(const char *text, int want)
{
	struct sample s = { wide_data, sizeof(wide_data), 301, 8 };

	check_match(text, ask(text, &s, false), want);
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

/* The kernel's casts and comparisons, by the width and sign of the field. */
static void test_numbers(void)
{
	wide_check("wide: b == 200", 1);
	wide_check("wide: b == 0310", 1);
	wide_check("wide: b == 0xc8", 1);
	wide_check("wide: b == 456", 1);	/* 456 & 0xff */
	wide_check("wide: b == -56", 1);
	wide_check("wide: b < 0", 0);
	wide_check("wide: c == -3", 1);
	wide_check("wide: c < 0", 1);
	wide_check("wide: c == 253", 1);	/* (s8)253 */
	wide_check("wide: c + 0 == 253", 0);	/* no cast in arithmetic */
	wide_check("wide: h > 39999 && h < 40001", 1);
	wide_check("wide: h >= 40000 && h <= 40000", 1);
	wide_check("wide: w == -5", 1);
	wide_check("wide: w == 4294967291", 1);
	wide_check("wide: w < 0", 0);
	wide_check("wide: q > 1", 1);
	wide_check("wide: q & 0x8000000000000000", 1);
	wide_check("wide: q & 1", 0);
	wide_check("wide: sq < 0", 1);
	wide_check("wide: sq & 1", 0);
	wide_check("wide: 200 == b", 1);
	wide_check("wide: 100 < b", 1);
	wide_check("wide: 100 >= b", 0);
	wide_check("wide: b != 200", 0);
	wide_check("wide: b", 1);
	wide_check("wide: !b", 0);
	wide_check("wide: b & ~200", 0);
	wide_check("wide: (b == 200) + (c == -3) == 2", 1);
	wide_check("wide: (b == 200 && c == 1) + 1 == 1", 1);
	wide_check("wide: w - 1 > c", 1);	/* 4294967290 > -3 */
}

static void test_texts(void)
{
	wide_check("wide: name == \"shell\"", 1);
	wide_check("wide: name == 'shell'", 1);
	wide_check("wide: name == shell", 1);
	wide_check("wide: name != bash", 1);
	wide_check("wide: name == \"shel\"", 0);
	wide_check("wide: name ~ \"sh*\"", 1);
	wide_check("wide: name ~ \"*ell\"", 1);
	wide_check("wide: name ~ \"*hel*\"", 1);
	wide_check("wide: name ~ \"s*l\"", 1);
	wide_check("wide: name ~ \"s?e[k-m]l\"", 1);
	wide_check("wide: name ~ \"s?e[!k-m]l\"", 0);
	wide_check("wide: name ~ \"!sh*\"", 0);
	wide_check("wide: name ~ \"!x*\"", 1);
	wide_check("wide: name ~ sh*", 1);
	wide_check("wide: (name ~ sh*)&&b == 200", 1);
	wide_check("wide: name ~ \"*\"", 1);
	wide_check("wide: name ~ \"\"", 0);
	wide_check("wide: name ~ \"shell?\"", 0);
	wide_check("wide: rel == \"\\x02\"", 0);
	wide_check("wide: rel ~ \"?\"", 1);
	wide_check("wide: comm == \"a b-1\"", 1);
	wide_check("wide: COMM ~ \"* b-?\"", 1);
	wide_check("wide: comm != \"a b-1\"", 0);
	wide_check("wide: comm == bash", 0);
	wide_check("wide: fmt ~ \"value*\"", 1);
	wide_check("wide: fmt == \"enter %s\"", 0);
	wide_check("wide: ip == \"vfs_write\"", 1);
	wide_check("wide: ip ~ \"vfs_*\"", 1);
	wide_check("wide: ip ~ \"vfs_r*\"", 0);
	wide_check("wide: ip.function == vfs_write", 1);
	wide_check("wide: ip.function != vfs_write", 0);
	wide_check("wide: ip.function == 0xffffffff81001150", 1);
	wide_check("wide: ip.function == alias_read", 0);
	wide_check("sched_wakeup: func.function == alias_read", 0);
	check("sched_wakeup: func.function == alias_read", 1);
	check("sched_wakeup: func.function == vfs_read", 1);
}

static void test_cpus(void)
{
	wide_check("wide: cpu == 3", 1);
	wide_check("wide: CPU & CPUS{0-3}", 1);
	wide_check("wide: CPU & CPUS{0-2,4}", 0);
	wide_check("wide: CPU == CPUS{3}", 1);
	wide_check("wide: CPU != CPUS{3}", 0);
	wide_check("wide: CPU == CPUS{2-3}", 0);
	wide_check("wide: CPU != CPUS{2-3}", 1);
	wide_check("wide: b & CPUS{199-201}", 1);
	wide_check("wide: c & CPUS{0-8191}", 0);
	wide_check("wide: mask & CPUS{65}", 1);
	wide_check("wide: mask & CPUS{0,64,66}", 0);
	wide_check("wide: mask == CPUS{1,65}", 1);
	wide_check("wide: mask == CPUS{1,65,66}", 0);
	wide_check("wide: mask == CPUS{1}", 0);
	wide_check("wide: mask != CPUS{1}", 1);
	wide_check("wide: list & CPUS{0}", 1);
	wide_check("wide: (mask & CPUS{1}) + (CPU & CPUS{3}) == 2", 1);
	wide_check("wide: mask & CPUS{0} | b == 200", 1);
	wide_check("wide: mask & CPUS{1} | b == 200", 0);	/* 1 | 200 */
}

/* Without an event: all events that have the fields. */
static void test_bare(void)
{
	struct sample s = { wide_data, sizeof(wide_data), 301, 8 };

	wide_check("b == 200", 1);
	wide_check("common_pid == 8", 1);
	wide_check("common_pid == 8 && CPUS{3} == 3", -1);
	wide_check("prio < 0", 0);
	check("prio < 0", 1);
	wide_check("prio < 0 || b == 200", -1);
	wide_check("comm ~ \"a b*\"", 1);
	check("comm ~ \"kwork*\"", 1);		/* its own field */
	check("common_type == 300", 1);
	TAP_EQ(ask("b == 200 && CPU & CPUS{3}", &s, false), 1, "two predicates");
	wide_check("sched:*: b == 200", -1);
	wide_check("sched:*,demo:wide: b == 200", 1);
	wide_check("*: b == 200", 1);
	wide_check("demo:*", 1);
	wide_check("demo:wide", 1);
	wide_check("sched:sched_wakeup", 0);
	wide_check("w*: b == 200", 1);
	wide_check(".*: COMM != \"bash\"", 1);
	wide_check("demo:wide:b==200", 1);
	wide_check("demo : b == 200", 1);
	wide_check("wide: CPUS{0:3} & cpu", -1);
}

/* A word right of an address is a function of the file, whether events are named or not. */
static void test_functions(void)
{
	static const uint8_t branch_data[24] = { 47, 1, 0, 0, 7, 0, 0, 0, 'v', 'f', 's', '_', 'r', 'e', 'a', 'd' };
	struct sample text = { branch_data, sizeof(branch_data), 303, 7 }, address = { data, sizeof(data), 300, 7 };

	wide_check("wide: ip == vfs_write", 1);
	wide_check("wide: vfs_write == ip", -1);
	wide_check("ip == vfs_write", 1);
	wide_check("ip != vfs_write", 0);
	wide_check("ip == do_exit", 0);
	wide_check("ip == vfs_raed", -1);
	wide_check("q == vfs_read", 0);
	wide_check("sq == vfs_read", -1);
	wide_check("w == vfs_read", -1);
	check_match("func == vfs_read, an address", ask("func == vfs_read", &address, false), 1);
	check_match("func == vfs_read, a text", ask("func == vfs_read", &text, false), 1);
	check_match("func == vfs_write, an address", ask("func == vfs_write", &address, false), 0);
	check_match("func != vfs_write, a text", ask("func != vfs_write", &text, false), 1);
	check_match("func == vfs_raed, a text alone may be so",
		    ask("func == vfs_raed", &address, false), 0);
}

static void test_wide_refused(void)
{
	wide_check("wide: bb == 200", -1);
	wide_check("wide: b == c == 1 && x", -1);
	wide_check("wide: name == 5", -1);
	wide_check("wide: name.ustring == \"x\"", -1);
	wide_check("wide: name.function == vfs_read", -1);
	wide_check("wide: ip.function == no_such", -1);
	wide_check("wide: ip.function < vfs_read", -1);
	wide_check("wide: ip.nothing == vfs_read", -1);
	wide_check("wide: list == 5", -1);
	wide_check("wide: stacktrace == 5", -1);
	wide_check("wide: CPU == \"3\"", -1);
	wide_check("wide: name & CPUS{1}", -1);
	wide_check("wide: CPU < CPUS{1}", -1);
	wide_check("wide: CPU & CPUS{1", -1);
	wide_check("wide: CPU & CPUS{}", -1);
	wide_check("wide: CPU & CPUS{9000}", -1);
	wide_check("wide: CPU | CPUS{1}", -1);
	wide_check("wide: \"x\"", -1);
	wide_check("wide: CPUS{1}", -1);
	wide_check("wide: b == 18446744073709551616", -1);
	wide_check("wide: b == 12ab", -1);
	wide_check("wide: b == 200 extra", -1);
	wide_check("wide: b == 200 &&", -1);
	wide_check("wide: name ~", -1);
	wide_check("wide: name ~ 'x", -1);
	wide_check("wide: b == -c", -1);
	wide_check("wide: b $ 1", -1);
	wide_check(": b == 200", -1);
	wide_check("wid: b == 200", -1);
}

/* Each record that is cut matches only if what is asked for is whole. */
static void test_wide_short(void)
{
	static const struct {
		const char *text;
		uint32_t needs;
	} cases[] = {
		{ "wide: b != 1", 9 }, { "wide: q != 1", 24 }, { "wide: ip != \"vfs_read\"", 48 },
		{ "wide: mask != CPUS{1}", 96 }, { "wide: name != \"x\"", 64 }, { "wide: b + c != 1", 10 },
		{ "wide: ip.function != vfs_read", 48 }, { "wide: fmt != \"x\"", 40 }, { "wide: h & CPUS{0-1} || w > 1", 16 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int bad = 0;

		for (uint32_t len = 0; len <= sizeof(wide_data); len++) {
			struct sample s = { wide_data, len, 301, 8 };

			bad += ask(cases[i].text, &s, false) != (len >= cases[i].needs);
		}
		TAP_EQ(bad, 0, cases[i].text);
	}
}

/* Several -F, -v, and what is not a filter expression. */
static void test_spec(void)
{
	const struct event_meta *metas[] = { &meta };
	struct ev_rec r = { .data = wide_data, .len = sizeof(wide_data), .long_size = 8 };
	struct filter_spec s = { 0 };
	struct filter *f = NULL;

	filter_compile(&s, metas, 1, &f, NULL);
	TAP_OK(filter_all(f), "an empty selection takes all");
	filter_free(f);
	filter_add(&s, "sched_wakeup", false, NULL);
	filter_add(&s, "b == 200", false, NULL);
	filter_add(&s, "wide: c == 5", true, NULL);
	filter_compile(&s, metas, 1, &f, NULL);
	TAP_OK(filter_match(f, 301, 8, 0, 0, &r), "the second of two filters matches, what is left out does not");
	TAP_OK(!filter_match(f, 302, 8, 0, 0, &r), "an unknown type matches no filter");
	filter_free(f);
	filter_add(&s, "demo", true, NULL);
	filter_compile(&s, metas, 1, &f, NULL);
	TAP_OK(!filter_match(f, 301, 8, 0, 0, &r), "what is left out wins");
	filter_free(f);
	filter_spec_release(&s);

	filter_add(&s, "wide", true, NULL);
	filter_compile(&s, metas, 1, &f, NULL);
	TAP_OK(filter_match(f, 302, 8, 0, 0, &r), "an unknown type is not left out");
	filter_free(f);
	filter_spec_release(&s);

	filter_add_pids(&s, "5,8", NULL);
	strv_add(&s.comms, "a *");
	strv_add(&s.events, "de?o:wi*");
	filter_compile(&s, metas, 1, &f, NULL);
	filter_set_range(f, 100, 200);
	TAP_OK(filter_match(f, 301, 8, 0, 100, &r), "pid, comm, event and time");
	TAP_OK(filter_match(f, 301, 8, 0, 200, &r), "until is included");
	TAP_OK(!filter_match(f, 301, 8, 0, 99, &r), "before since");
	TAP_OK(!filter_match(f, 301, 8, 0, 201, &r), "behind until");
	TAP_OK(!filter_match(f, 301, 5, 0, 150, &r), "another comm");
	TAP_OK(!filter_match(f, 301, 9, 0, 150, &r), "another pid");
	TAP_OK(!filter_match(f, 300, 8, 0, 150, &r), "another event");
	TAP_OK(!filter_match(f, 999, 8, 0, 150, &r), "an unknown event");
	filter_free(f);
	filter_spec_release(&s);
}

static void range_is(const char *since, const char *until, uint64_t want_since, uint64_t want_until)
{
	struct filter_spec s = { 0 };
	uint64_t from = 1, to = 1;
	int ret = 0;

	ret |= since && filter_when_parse(&s.since, since, NULL);
	ret |= until && filter_when_parse(&s.until, until, NULL);
	ret |= filter_range(&s, 5000000000, 9000000000, true, &from, &to, NULL);
	TAP_EQ(ret, 0, since ? since : until);
	TAP_EQ(from, want_since, "  from");
	TAP_EQ(to, want_until, "  to");
}

static void test_times(void)
{
	struct filter_when w;
	struct filter_spec s = { 0 };
	struct ftr_error err = { 0 };
	uint64_t from, to;

	range_is("5.5", NULL, 5500000000, UINT64_MAX);
	range_is("5.123456", "5.123456", 5123455500, 5123456499);
	range_is("5.123456789", "5.123456789", 5123456789, 5123456789);
	range_is("+1.5s", "-2s", 6500000000, 7000000000);
	range_is("+20ms", "+30ms", 5020000000, 5030000000);
	range_is("-100", "-0", 0, 9000000000);
	range_is("18446744073.709551615", NULL, UINT64_MAX, UINT64_MAX);
	TAP_EQ(filter_when_parse(&w, "soon", &err), -1, "no time is refused");
	TAP_EQ(err.code, FTR_USAGE, "as wrong usage");
	TAP_EQ(filter_when_parse(&w, "5.1s", &err), -1, "a time has no unit");
	TAP_EQ(filter_when_parse(&w, "5.1234567891", &err), -1, "nor ten digits");
	TAP_EQ(filter_when_parse(&w, "99999999999999999999", &err), -1, "nor what overflows");
	range_is("18446744074", NULL, UINT64_MAX, UINT64_MAX);
	TAP_EQ(filter_when_parse(&w, "+", &err), -1, "nor a sign alone");
	filter_when_parse(&s.since, "7", &err);
	filter_when_parse(&s.until, "6", &err);
	TAP_EQ(filter_range(&s, 0, 0, true, &from, &to, &err), -1, "since behind until is refused");
	filter_when_parse(&s.since, "+7", &err);
	s.until.kind = FILTER_ANY_TIME;
	TAP_EQ(filter_range(&s, 10, 50, false, &from, &to, &err), 0, "counts of a clock that is no time");
	TAP_EQ(from, 17, "  from");
	filter_when_parse(&s.since, "1.5", &err);
	TAP_EQ(filter_range(&s, 10, 50, false, &from, &to, &err), -1, "seconds of such a clock are refused");
}

int main(void)
{
	meta = (struct event_meta){ .long_size = 8, .page_size = 4096, .formats = formats,
		.nr_formats = 3,
				   .kallsyms = kallsyms, .kallsyms_len = sizeof(kallsyms) - 1,
				   .printk = printk, .printk_len = sizeof(printk) - 1,
				   .cmdlines = cmdlines, .cmdlines_len = sizeof(cmdlines) - 1 };
	ev_format_parse(&formats[0], "sched", wakeup, strlen(wakeup), NULL);
	ev_format_parse(&formats[1], "demo", wide, strlen(wide), NULL);
	ev_format_parse(&formats[2], "ftrace", branch, strlen(branch), NULL);
	test_matches();
	test_refused();
	test_short();
	test_numbers();
	test_texts();
	test_cpus();
	test_bare();
	test_functions();
	test_wide_refused();
	test_wide_short();
	test_spec();
	test_times();
	ev_format_release(&formats[0]);
	ev_format_release(&formats[1]);
	ev_format_release(&formats[2]);
	return tap_done();
}
