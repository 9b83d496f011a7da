/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rendering of hand-made records: ftrace's own events, print fmts, and what would harm libtraceevent. */
#include "event/event.h"

#include "format.h"
#include "tap.h"

/* The fields of most cases: two ints, an array, a dynamic string, a dynamic array, a u64, the rest. */
#define FIELDS F("int a", 8, 4, 1) F("int b", 12, 4, 1) F("u8 arr[8]", 16, 8, 0) \
	F("__data_loc char[] s", 24, 4, 1) F("__data_loc u32[] d", 28, 4, 0) F("u64 wide", 32, 8, 0) \
	F("__rel_loc u8[] rel", 40, 4, 0) F("char name[4]", 44, 4, 0) F("char rest[]", 48, 0, 0)

static const char kallsyms[] =
	"ffffffff81001000 T vfs_read\nffffffff81002000 T ksys_read\nffffffffc0000000 t nfs_open\t[nfs]\n"
	"ffffffffc0100000 t ftrace_trampoline\t[__builtin__ftrace]\n";
static const char printk[] =
	"0xffffffff82000000 : \"n=%d s=%s l=%lu f=%ps%%\\n\"\n0xffffffff82000040 : \"put\\tthis\\n\"\n"
	"0x0123456789abcdef : \"Start here\"\n0xffffffff82000080 : \"\"\n0xffffffff82000081 : \"x\"\n";

static struct buf out;
static struct ev_syms *syms;
static const char *engine;	/* both engines are to pass */

static bool own(void)
{
	return !strcmp(engine, "ftr");
}

/* Renders one record of the format; *why is set if it was degraded. Returns the text, borrowed. */
static const char *render(const char *system, const char *text, const void *data, uint32_t len, const char **why)
{
	static char reason[256];
	struct event_meta w = { .long_size = 8, .page_size = 4096, .syms = syms, .printk = printk,
			      .printk_len = sizeof(printk) - 1 };
	struct ev_engine *e = ev_engine_new(&w, engine, NULL);
	uint8_t *copy = memcpy(xmalloc(len + !len), data, len);
	struct ev_format f;
	struct ev_rec r = { .fmt = &f, .data = copy, .len = len, .long_size = 8 };
	struct ftr_error err;
	const char *s;

	buf_reset(&out);
	buf_addstr(&out, "");
	*reason = 0;
	if (ev_format_parse(&f, system, text, strlen(text), &err)) {
		buf_addstr(&out, "unparsed");
	} else {
		ev_render(e, &r, 0, 1000000, &out);
		s = ev_degraded(e, &f);
		snprintf(reason, sizeof(reason), "%s", s ? s : "");
	}
	ev_engine_free(e);
	ev_format_release(&f);
	free(copy);
	if (why)
		*why = *reason ? reason : NULL;
	return out.data;
}

/* a=-5, b=7, arr 1..8, s="str" at 48, d={0x11,0x22} at 52, wide, rel = 3 bytes at 60, name "abcd" without a NUL. */
static const uint8_t plain[64] = {
	44, 1, 0, 0, 1, 0, 0, 0, 0xfb, 0xff, 0xff, 0xff, 7, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8,
	48, 0, 4, 0, 52, 0, 8, 0, 0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01,
	16, 0, 3, 0, 'a', 'b', 'c', 'd', 's', 't', 'r', 0, 0x11, 0, 0, 0, 0x22, 0, 0, 0, 'x', 'y', 0, 0,
};

static char *format(const char *print_fmt)
{
	return xasprintf("name: probe\nID: 300\nformat:\n" COMMON FIELDS "\nprint fmt: %s\n", print_fmt);
}

/* @want, or @or_else if that is not NULL: libtraceevent 1.8.4 prints arrays as the kernel does, 1.7.1 does not. */
static void expect_either(const char *print_fmt, const char *want, const char *or_else)
{
	char *text = format(print_fmt), name[128];
	const char *why, *got = render("test", text, plain, sizeof(plain), &why);

	snprintf(name, sizeof(name), "%s prints %.90s", engine, print_fmt);
	if (!TAP_OK(!strcmp(got, want) || (or_else && !strcmp(got, or_else)), name))
		printf("# got '%s', want '%s'; %s\n", got, want, why ? why : "not degraded");
	free(text);
}

static void expect(const char *print_fmt, const char *want)
{
	expect_either(print_fmt, want, NULL);
}

/* Where libtraceevent, or what is written for it, differs from the kernel. */
static void expect_own(const char *print_fmt, const char *want, const char *tep)
{
	expect_either(print_fmt, own() ? want : tep, NULL);
}

static void test_print_fmt(void)
{
	expect("\"a=%d b=%u\", REC->a, REC->b", "a=-5 b=7");
	expect("\"%s|%s\", __get_str(s), REC->name", "str|abcd");
	expect("\"%5.2s|%-5s|\", __get_str(s), __get_str(s)", "   st|str  |");
	expect("\"%d\", REC->b - 1 - 2", "4");
	expect("\"%d\", REC->b * (2 + 3)", "35");
	expect("\"%d\", (100 - 1) / (REC->b + 4)", "9");
	expect("\"%d\", 1 << 4 | REC->b & 3", "19");
	expect("\"%s\", REC->b == 7 ? \"yes\" : \"no\"", "yes");
	expect("\"%s\", __print_symbolic(REC->b, { 1 << 2, \"four\" }, { 7, \"seven\" })", "seven");
	expect("\"%s\", __print_symbolic(REC->a, { -5, \"minus\" }, { KERNEL_NAME, \"?\" })", "minus");
	expect("\"%s\", __print_flags(REC->b, \"|\", { 0x1, \"A\" }, { 0x2, \"B\" })", "A|B|0x4");
	expect("\"%s\", __print_hex(REC->arr, 3)", "01 02 03");
	expect_either("\"%s\", __print_array(__get_dynamic_array(d), __get_dynamic_array_len(d) / sizeof(u32), 4)",
		      "{0x11,0x22}", "17 34");
	expect_either("\"%s\", __print_dynamic_array(d, sizeof(u32))", "{0x11,0x22}", "17 34");
	expect("\"%d %d\", REC->arr[1], REC->arr[REC->b]", "2 8");
	expect("\"%px\", REC->wide", "0123456789abcdef");
	expect("\"%c%c\", REC->b ? 'S' : 'A', REC->name[0] ? 'x' : 'y'", "Sx");
	expect("\"%d\", sizeof(unsigned long) + sizeof(REC->arr)", "16");
	expect("\"%d\", __builtin_expect(!!(REC->b > 6), 0)", "1");
	expect_own("\"%d\", __builtin_constant_p(REC->b) ? KERNEL : 3", "3",
	       "a=-5 b=7 arr={0x1,0x2,0x3,0x4,0x5,0x6,0x7,0x8} s=str d={0x11,0x22} wide=81985529216486895 "
	       "rel={0x78,0x79,0x0} name=abcd rest=str");
	expect("\"tab\there %d\\n\", REC->b", "tab\there 7");
	expect("\"%lu%%\", (unsigned long)REC->wide & 0xff", "239%");
}

/* As the kernel's own text has them, seen beside records of 6.1, 6.12 and 7.2. */
static void test_kernel_words(void)
{
	uint8_t bytes[sizeof(plain)];
	char *text = format("\"%s\", __print_dynamic_array(s, 1)");
	const char *got;

	expect_own("\"p=%p n=%d\", REC->b != -1UL ? (((struct page *)vmemmap_base) + (REC->b)) : ((void *)0), REC->b",
	       "p=vmemmap_base(0x7) n=7", "p=? n=7");
	expect_own("\"b=%d age=%lu\", REC->b, (jiffies - REC->wide) / HZ", "b=7 age=jiffies(0x123456789abcdef)",
		   "b=7 age=?");
	expect("\"%s %d\", __print_flags(REC->b, \"|\", { 1, \"A\" }, { 0, ((void *)0) } ), REC->b", "A|0x6 7");
	expect("\"%s\", REC->wide", "Start here");
	expect_own("\"%pS|%pS|%pS|\", (void *)0xffffffff81001010UL, (void *)0xffffffffc0000004UL, (void *)0x10",
	       "vfs_read+0x10/0x1000|nfs_open+0x4/0x1000 [nfs]|0x10|",
	       "vfs_read+0x10|nfs_open+0x4 [nfs]|0x10|");
	expect("\"%ps %ps\", (void *)0xffffffffc0000004UL, (void *)0x10", "nfs_open [nfs] 0x10");
	expect_own("\"%ps %ps\", (void *)0xffffffffc0100010UL, (void *)0xffffffffc0102010UL",
	       "0xffffffffc0100010 0xffffffffc0102010",
	       "ftrace_trampoline [__builtin__ftrace] 0xffffffffc0102010");
	memcpy(bytes, plain, sizeof(bytes));
	bytes[26] = 3;	/* the string without its NUL */
	got = render("test", text, bytes, sizeof(bytes), NULL);
	if (!TAP_OK(!strcmp(got, "115 116 114") || !strcmp(got, "{0x73,0x74,0x72}"), "bytes declared as char"))
		printf("# got '%s'\n", got);
	free(text);
}

/* What harms libtraceevent 1.7.1; each must give some text, under the sanitisers. The numbers are of no meaning here. */
static void test_harm(void)
{
	static const struct { const char *name, *print_fmt; enum { NO, TEP, ALL } degraded; } cases[] = {
		{ "division by a constant 0", "\"%d\", REC->a / 0", TEP },
		{ "division by a folded 0", "\"%d\", 6 / (2 - 2)", TEP },
		{ "division by a moved 0", "\"%d\", 6 / (0 + REC->b)", NO },
		{ "division by a field that is 0", "\"%d\", REC->b / (REC->b - 7)", NO },
		{ "remainder by a field that is 0", "\"%d\", REC->b % (REC->b - 7)", NO },
		{ "length of a __rel_loc array", "\"%d\", __get_rel_dynamic_array_len(rel)", TEP },
		{ "hex of a length from the record", "\"%s\", __print_hex(REC->arr, REC->a)", NO },
		{ "hex of a constant length that is too large", "\"%s\", __print_hex(REC->arr, 100000)", NO },
		{ "an array of a length from the record", "\"%s\", __print_array(REC->arr, REC->wide, 8)", NO },
		{ "an unknown field in flags", "\"%s\", __print_flags(REC->none, \"|\", { 1, \"A\" })", ALL },
		{ "an unknown field in a table", "\"%s\", __print_symbolic(REC->none, { 1, \"A\" })", ALL },
		{ "flags of no field, then an unknown one",
		  "\"%s %d\", __print_flags(5, \"|\", { 1, \"A\" }), REC->none", ALL },
		{ "a width of 99999999", "\"%99999999d\", REC->a", TEP },
		{ "a precision of 99999999", "\"%.99999999d\", REC->a", TEP },
		{ "a width from the record", "\"%*d\", REC->a, REC->b", NO },
		{ "two stars", "\"%*.*d\", REC->b, REC->b, REC->b", TEP },
		{ "an index from the record, negative", "\"%d\", REC->arr[REC->a]", NO },
		{ "an index beyond the array", "\"%d\", REC->arr[8]", TEP },
		{ "a string of a __rel_loc", "\"%s\", __get_rel_str(rel)", NO },
		{ "an unknown cpumask", "\"%s\", __get_cpumask(none)", ALL },
		{ "a cpumask that is no dynamic field", "\"%s\", __get_cpumask(a)", TEP },
		{ "a cpumask", "\"%s\", __get_cpumask(d)", NO },
		{ "sizeof of nothing", "\"%d\", sizeof(", ALL },
		{ "sizeof of a structure", "\"%d\", sizeof(struct page)", ALL },
		{ "sizeof of unsigned", "\"%d\", sizeof(unsigned)", NO },
		{ "a conversion that stores", "\"%n\", REC->wide", ALL },
		{ "a positional conversion", "\"%1$s\", REC->wide", ALL },
		{ "fewer arguments than conversions", "\"%d %d %s\", REC->a", ALL },
		{ "an open quote", "\"%d, REC->a", ALL },
		{ "an open parenthesis", "\"%d\", (REC->a", ALL },
		{ "an operator at the end", "\"%d\", REC->a +", ALL },
		{ "an unknown operator", "\"%d\", REC->a ++ REC->b", ALL },
		{ "an empty middle", "\"%d\", REC->a ?: 1", TEP },
		{ "an unknown helper", "\"%d\", kernel_helper(REC->a)", ALL },
		{ "a socket address that is too short", "\"addr %pISpc\", __get_dynamic_array(d)", NO },
		{ "a MAC of something else", "\"%pM\", REC->wide", ALL },
		{ "a string that is a number", "\"%s\", REC->a + 1", ALL },
		{ "a number that is a string", "\"%d\", __get_str(s)", ALL },
		{ "the address of data", "\"%lx\", (unsigned long)__get_dynamic_array(d)", ALL },
		{ "an empty table", "\"%s\", __print_symbolic(REC->a, )", TEP },
		{ "a statement expression", "\"%d\", ({ int x; x; })", ALL },
		{ "an empty print fmt", "", ALL },
	};
	char name[128];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = format(cases[i].print_fmt);
		const char *why, *got = render("test", text, plain, sizeof(plain), &why);

		bool degraded = cases[i].degraded == ALL || (cases[i].degraded == TEP && !own());

		snprintf(name, sizeof(name), "%s, harmless: %s", engine, cases[i].name);
		if (!TAP_OK(got && strcmp(got, "unparsed") && !why == !degraded, name))
			printf("# '%s', %s\n", got, why ? why : "not degraded");
		free(text);
	}
}

static void test_nesting(void)
{
	static const char *const units[] = { "(", "!", "-", "REC->a?", "(int)", "REC->a+(" };
	struct buf b = { 0 };
	const char *why;

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		buf_reset(&b);
		buf_addstr(&b, "name: probe\nID: 300\nformat:\n" COMMON FIELDS "\nprint fmt: \"%d\", ");
		for (int n = 0; n < 8000; n++)
			buf_addstr(&b, units[i]);
		buf_addstr(&b, "REC->a\n");
		render("test", b.data, plain, sizeof(plain), &why);
		TAP_OK(why, "a deeply nested print fmt is degraded");
	}
	buf_release(&b);
}

/* Records that are short, point elsewhere, or lack NULs. */
static void test_records(void)
{
	char *text = format("\"%s %s %s\", __get_str(s), REC->name, REC->rest");
	uint8_t d[sizeof(plain)];
	const char *got = "";
	bool fine = true;

	for (uint32_t len = 0; len <= sizeof(plain); len++) {
		got = render("test", text, plain, len, NULL);
		fine = fine && *got;
	}
	TAP_OK(fine, "a record cut at every place");
	memcpy(d, plain, sizeof(d));
	d[24] = 0xff;
	d[25] = 0xff;
	got = render("test", text, d, sizeof(d), NULL);
	TAP_OK(strstr(got, own() ? "<outside the record> abcd" : "s=<outside the record>"), "a string outside of its record");
	d[24] = 60;
	d[25] = 0;
	d[26] = 2;
	got = render("test", text, d, sizeof(d), NULL);
	TAP_OK(!strncmp(got, "xy abcd ", 8), "a string without a NUL ends at its length");
	d[24] = 52;
	d[26] = 3;
	d[52] = 0x1b;
	d[53] = '[';
	d[54] = 'J';
	got = render("test", text, d, sizeof(d), NULL);
	TAP_OK(!strncmp(got, "\\x1b[J abcd", 10), "control bytes are escaped");
	free(text);
}

static void test_types(void)
{
	const char *got, *why;

	got = render("test", "name: probe\nID: 300\nformat:\n" COMMON F("__attribute__((user)) char * u", 8, 8, 0)
		     "\nprint fmt: \"%lx\", REC->u\n", plain, 24, &why);
	TAP_OK(!why && *got, "a type that starts with __attribute__");
	got = render("test", "name: probe\nID: 300\nformat:\n" COMMON F("__attribute__( c", 8, 4, 0)
		     "\nprint fmt: \"%d\", REC->c\n", plain, 24, &why);
	TAP_OK(*got, "a broken __attribute__");
	got = render("test", "name: probe\nID: 300\nformat:\n" F("unsigned short common_type", 60000, 2, 0)
		     "\n" F("int a", 8, 4, 1) "\nprint fmt: \"%d\", REC->a\n", plain, 24, &why);
	TAP_OK((why || own()) && *got, "common fields elsewhere");
}

/* Two formats of one ID, as a damaged file may have them. */
static void test_duplicate(void)
{
	struct event_meta w = { .long_size = 8, .page_size = 4096 };
	struct ev_engine *e = ev_engine_new(&w, engine, NULL);
	char *one = format("\"one %d\", REC->b"), *two = format("\"two %d\", REC->b");
	struct ev_format f, g;
	struct ev_rec r = { .data = plain, .len = sizeof(plain), .long_size = 8 };

	ev_format_parse(&f, "a", one, strlen(one), NULL);
	ev_format_parse(&g, "b", two, strlen(two), NULL);
	r.fmt = &f;
	buf_reset(&out);
	ev_render(e, &r, 0, 0, &out);
	r.fmt = &g;
	ev_render(e, &r, 0, 0, &out);
	if (own())
		TAP_OK(!strcmp(out.data, "one 7two 7"), "two events of one ID");
	else
		TAP_OK(!strncmp(out.data, "one 7a=-5", 9) && ev_degraded(e, &g), "the second event of an ID is degraded");
	ev_format_release(&f);
	ev_format_release(&g);
	ev_engine_free(e);
	free(one);
	free(two);
}

#define FUNC F("unsigned long ip", 8, 8, 0) F("unsigned long parent_ip", 16, 8, 0)

static void put64(uint8_t *p, uint64_t v)
{
	for (int i = 0; i < 8; i++)
		p[i] = v >> 8 * i;
}

static void test_function(void)
{
	uint8_t d[72] = { 1 };

	put64(d + 8, 0xffffffff81001004);
	put64(d + 16, 0xffffffffc0000010);
	TAP_OK(!strcmp(render("ftrace", "name: function\nID: 1\nformat:\n" COMMON FUNC "\nprint fmt: \" %ps\", "
			      "(void *)REC->ip\n", d, 24, NULL), "vfs_read <-nfs_open"), "function");
	TAP_OK(*render("ftrace", "name: function\nID: 1\nformat:\n" COMMON FUNC "\nprint fmt: \"\"\n", d, 12, NULL),
	       "function, cut short");
	d[24] = 3;
	d[28] = 0xd0;	/* 2000 of the 1000000 ns */
	d[29] = 7;
	TAP_OK(!strcmp(render("ftrace", "name: func_repeats\nID: 20\nformat:\n" COMMON FUNC F("u16 count", 24, 2, 0)
			      F("u16 top_delta_ts", 26, 2, 0) F("u32 bottom_delta_ts", 28, 4, 0) "\nprint fmt: \"\"\n",
			      d, 32, NULL), "vfs_read <-nfs_open (repeats: 3, last_ts:     0.000998)"),
	       "func_repeats");
}

static void test_stacks(void)
{
	uint8_t d[40] = { 4, [8] = 2 };

	put64(d + 16, 0xffffffff81001004);
	put64(d + 24, 0xffffffff81002004);
	put64(d + 32, UINT64_MAX);
	TAP_OK(!strcmp(render("ftrace", "name: kernel_stack\nID: 4\nformat:\n" COMMON F("int size", 8, 4, 1)
			      F("unsigned long caller[8]", 16, 64, 0) "\nprint fmt: \"\"\n", d, 40, NULL),
		       "<stack trace>\n => vfs_read\n => ksys_read"), "kernel_stack, shorter than its format");
	d[8] = 200;
	TAP_OK(!strcmp(render("ftrace", "name: kernel_stack\nID: 4\nformat:\n" COMMON F("int size", 8, 4, 1)
			      F("unsigned long caller[8]", 16, 64, 0) "\nprint fmt: \"\"\n", d, 40, NULL),
		       "<stack trace>\n => vfs_read\n => ksys_read"), "kernel_stack that claims more than it has");
	put64(d + 24, 0);
	TAP_OK(!strcmp(render("ftrace", "name: user_stack\nID: 12\nformat:\n" COMMON F("unsigned int tgid", 8, 4, 0)
			      F("unsigned long caller[3]", 16, 24, 0) "\nprint fmt: \"\"\n", d, 40, NULL),
		       "<user stack trace>\n =>  <ffffffff81001004>"), "user_stack");
}

static void test_prints(void)
{
	static const char bprint[] = "name: bprint\nID: 6\nformat:\n" COMMON F("unsigned long ip", 8, 8, 0)
		F("const char * fmt", 16, 8, 0) F("u32 buf[]", 24, 0, 0) "\nprint fmt: \"%ps: %s\", REC->ip, REC->fmt\n";
	uint8_t d[48] = { 5 };

	put64(d + 8, 0xffffffff81001004);
	memcpy(d + 16, "hi\033 there\n\0junk", 15);
	TAP_OK(!strcmp(render("ftrace", "name: print\nID: 5\nformat:\n" COMMON F("unsigned long ip", 8, 8, 0)
			      F("char buf[]", 16, 0, 0) "\nprint fmt: \"%ps: %s\", REC->ip, REC->buf\n", d, 32, NULL),
		       "vfs_read: hi\\x1b there"), "print");
	put64(d + 16, 0xffffffff82000040);
	TAP_OK(!strcmp(render("ftrace", "name: bputs\nID: 14\nformat:\n" COMMON F("unsigned long ip", 8, 8, 0)
			      F("const char * str", 16, 8, 0) "\nprint fmt: \"%ps: %s\", REC->ip, REC->str\n", d, 24, NULL),
		       "vfs_read: put\tthis"), "bputs");
	put64(d + 16, 0xffffffff82000000);
	/* -3, "ab" inline, then 8 bytes each at the next multiple of 4 */
	memcpy(d + 24, "\xfd\xff\xff\xff" "ab\0", 7);
	put64(d + 32, 5000000000);
	put64(d + 40, 0xffffffffc0000000);
	TAP_OK(!strcmp(render("ftrace", bprint, d, 48, NULL), "vfs_read: n=-3 s=ab l=5000000000 f=nfs_open [nfs]%"),
	       "bprint");
	TAP_OK(strstr(render("ftrace", bprint, d, 29, NULL), "cut"), "bprint, cut short");
	put64(d + 16, 0x1234);
	TAP_OK(strstr(render("ftrace", bprint, d, 48, NULL), "no format at 0x1234"), "bprint without a format");
	TAP_OK(!strcmp(render("ftrace", "name: raw_data\nID: 18\nformat:\n" COMMON F("unsigned int id", 8, 4, 0)
			      F("char buf[]", 12, 0, 0) "\nprint fmt: \"\"\n", "\x12\0\0\0\0\0\0\0\x2a\0\0\0\x01\xff", 14,
			      NULL), "# 2a buf: 01 ff"), "raw_data");
}

static void test_engine(const char *name)
{
	engine = name;
	test_print_fmt();
	test_kernel_words();
	test_harm();
	test_nesting();
	test_records();
	test_types();
	test_duplicate();
	test_function();
	test_stacks();
	test_prints();
}

int main(void)
{
	syms = ev_syms_new(kallsyms, sizeof(kallsyms) - 1);
	test_engine("ftr");
	test_engine("traceevent");
	ev_syms_free(syms);
	buf_release(&out);
	return tap_done();
}
