/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a terminal would act on is escaped: bytes by hand, and each character that there is. */
#include <stdbool.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"

#include "tap.h"

static struct buf out;

static void escaped(const char *s, size_t n, bool keep_nl, const char *want, const char *name)
{
	buf_reset(&out);
	text_sanitise(&out, s, n, keep_nl);
	TAP_OK(!strcmp(out.data, want), name);
	if (strcmp(out.data, want))
		printf("# got '%s'\n", out.data);
	TAP_EQ(text_clean(s, n, keep_nl), n == strlen(want) && !memcmp(s, want, n), "and seen before");
}

static void test_by_hand(void)
{
	static const struct { const char *text, *want, *name; } rows[] = {
		{ "plain\ttext ~", "plain\ttext ~", "ASCII" },
		{ "a\x1b[2J\x7f\n", "a\\x1b[2J\\x7f\\x0a", "C0 and DEL" },
		{ "\xc2\x9b" "31m\xc2\x80\xc2\x9f", "\\xc2\\x9b31m\\xc2\\x80\\xc2\\x9f", "C1 as UTF-8" },
		{ "\x9b" "31m\x80\x9f", "\\x9b31m\\x80\\x9f", "C1 as bytes" },
		{ "\xc2\xa0\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\xa7", "\xc2\xa0\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\xa7",
		  "UTF-8 of two, three and four bytes" },
		{ "\xe2\x80\xae" "cod.exe\xe2\x81\xa6\xd8\x9c\xe2\x80\x8f",
		  "\\xe2\\x80\\xaecod.exe\\xe2\\x81\\xa6\\xd8\\x9c\\xe2\\x80\\x8f", "what turns the writing" },
		{ "\xc0\x9b\xc1\xbf\xe0\x82\x9b\xf0\x80\x82\x9b", "\\xc0\\x9b\\xc1\\xbf\\xe0\\x82\\x9b\\xf0\\x80\\x82\\x9b",
		  "longer than it needs to be" },
		{ "\xed\xa0\x80\xf4\x90\x80\x80\xf5\xff", "\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80\\xf5\\xff", "no characters" },
		{ "\xc3\xa9\xe2\x82", "\xc3\xa9\\xe2\\x82", "the last one is cut" },
		{ "\xe2\x1b\x9b", "\\xe2\\x1b\\x9b", "an escape where the rest should be" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		escaped(rows[i].text, strlen(rows[i].text), false, rows[i].want, rows[i].name);
	escaped("a\nb\xc2\x85", 5, true, "a\nb\\xc2\\x85", "line ends that are kept, and NEL");
}

/* At each place of a text that is longer than what is looked at at once. */
static void test_places(void)
{
	char text[200], want[300];
	unsigned int wrong = 0;

	for (size_t at = 0; at + 2 <= sizeof(text); at++) {
		memset(text, 'x', sizeof(text));
		memcpy(text + at, "\xc2\x9b", 2);
		snprintf(want, sizeof(want), "%.*s\\xc2\\x9b%.*s", (int)at, text, (int)(sizeof(text) - at - 2),
			 text + at + 2);
		buf_reset(&out);
		text_sanitise(&out, text, sizeof(text), true);
		wrong += strcmp(out.data, want) != 0;
		memcpy(text + at, "\xc3\xa9", 2);
		wrong += !text_clean(text, sizeof(text), true);
	}
	TAP_EQ(wrong, 0, "anywhere in a long text");
}

static size_t encode(char to[4], uint32_t c)
{
	if (c < 0x80)
		return to[0] = c, 1;
	if (c < 0x800)
		return to[0] = 0xc0 | c >> 6, to[1] = 0x80 | (c & 63), 2;
	if (c < 0x10000)
		return to[0] = 0xe0 | c >> 12, to[1] = 0x80 | (c >> 6 & 63), to[2] = 0x80 | (c & 63), 3;
	return to[0] = 0xf0 | c >> 18, to[1] = 0x80 | (c >> 12 & 63), to[2] = 0x80 | (c >> 6 & 63),
	       to[3] = 0x80 | (c & 63), 4;
}

/* Unicode's general category Cc, and property Bidi_Control. */
static bool is_control(uint32_t c)
{
	return (c < 0x20 && c != '\t') || (c >= 0x7f && c <= 0x9f) || c == 0x61c || c == 0x200e || c == 0x200f ||
	       (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static void test_all(void)
{
	unsigned int wrong = 0;
	char text[4];

	for (uint32_t c = 0; c <= 0x10ffff; c++)
		if (c < 0xd800 || c > 0xdfff)
			wrong += text_clean(text, encode(text, c), false) == is_control(c);
	TAP_EQ(wrong, 0, "all characters of Unicode");
}

static void caret(const char *line, size_t at, const char *want, const char *name)
{
	buf_reset(&out);
	text_caret(&out, line, strlen(line), at, 2);
	TAP_OK(!strcmp(out.data, want), name);
	if (strcmp(out.data, want))
		printf("# got '%s'\n", out.data);
}

static void test_caret(void)
{
	caret("\xc3\xa9\xc3\xa9 x", 5, "  \xc3\xa9\xc3\xa9 x\n     ^", "a caret counts characters");
	caret("\xc2\x9b" "2Jx", 4, "  " "  2Jx\n      ^", "and shows blanks for those that a terminal obeys");
	caret("\x9b\t\xe2\x80\xaex", 5, "  " "     x\n       ^", "a blank for each byte");
}

/* As the kernel prints masks with %*pb: groups of 32 bits, the first without zeros in front. */
static void test_cpumask(void)
{
	static const struct {
		const char *list, *mask;
	} cases[] = {
		{ "0", "1" }, { "0,2", "5" }, { "31", "80000000" }, { "32", "1,00000000" },
		{ "0-35", "f,ffffffff" }, { "3,100", "10,00000000,00000000,00000008" },
	};
	uint64_t bits[4];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		buf_reset(&out);
		TAP_OK(!text_cpulist(cases[i].list, bits, 256), cases[i].list);
		text_cpumask(&out, bits, 256);
		TAP_OK(!strcmp(out.data, cases[i].mask), cases[i].mask);
	}
	buf_reset(&out);
	text_cpumask(&out, (const uint64_t[4]){ 0 }, 256);
	TAP_OK(!strcmp(out.data, "0"), "no CPU");
}

/* What is suggested for a word: NULL where a guess would be wild, or the opposite. */
static void test_closest(void)
{
	static char *const words[] = {
		"traceon", "traceoff", "stacktrace", "snapshot", "function", "enable_event", "disable_event",
		"--filter", "--plugin", "--date", "--nodate", "restart", "start", "stop", "set", "overwrite", "mono", "sched", "sched_switch", NULL
	};
	static const struct {
		const char *word, *want;
	} cases[] = {
		{ "traceof", "traceoff" },	{ "traceoof", "traceoff" },	{ "traceonn", "traceon" },
		{ "traceo", NULL },		{ "tracon", "traceon" },	{ "tarceoff", "traceoff" },
		{ "enable_evnt", "enable_event" }, { "disabel_event", "disable_event" },
		{ "functio", "function" },	{ "functoin", "function" },	{ "FUNCTION", "function" },
		{ "--no-filter", NULL },	{ "--nofilter", NULL },		{ "--no-date", "--nodate" },
		{ "--dtae", "--date" },		{ "nooverwrite", NULL },
		{ "statr", "start" },		{ "stpo", "stop" },		{ "strat", "start" },
		{ "resotre", NULL },		{ "sql", NULL },		{ "mem", NULL },
		{ "mon", "mono" },		{ "a", NULL },			{ "", NULL },
		{ "stacktraceabcde", "stacktrace" }, { "snapshot", NULL },	{ "stop", NULL },
		{ "monotonic", "mono" },	{ "monotonic_clocks", NULL },	{ "stac", "stacktrace" },
		{ "trac", NULL },		{ "sna", NULL },		{ "stopwatch_s", "stop" },
		{ "sched_sw", "sched_switch" }, { "sched_xyz", "sched" },	{ "sche", "sched" },
		{ "traceo", NULL },		{ "settings", NULL },		{ "overwrites_all", "overwrite" },
	};
	const char *got;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		got = text_closest(cases[i].word, words);
		TAP_OK(got && cases[i].want ? !strcmp(got, cases[i].want) : got == cases[i].want,
		       cases[i].word);
	}
	TAP_OK(!text_closest("word", NULL), "no candidates");
}

#define MANY 60000	/* functions of a kernel */

/* Looking at all of them once takes no time, once for each of them takes minutes. */
static void test_many(void)
{
	char *words[MANY + 1] = {0};

	for (size_t i = 0; i < MANY; i++)
		words[i] = xasprintf("get_%zu_idle", i);
	alarm(20);
	TAP_OK(!text_closest("qqqqqq*", words), "a word like none of many");
	TAP_OK(!text_closest("get_", words), "a word that many begin with");
	alarm(0);
	for (size_t i = 0; i < MANY; i++)
		free(words[i]);
}

/* What a shell makes of each is the word: tests/cli/latency.sh asks one. */
static void test_words(void)
{
	static const struct { const char *word, *want, *file; } cases[] = {
		{ "trace.dat", "trace.dat", "trace.dat" },
		{ "-x.dat", "-x.dat", "./-x.dat" },
		{ "-", "-", "-" },
		{ "", "''", "''" },
		{ "a b", "'a b'", "'a b'" },
		{ "-a b", "'-a b'", "'./-a b'" },
		{ "$HOME;*", "'$HOME;*'", "'$HOME;*'" },
		{ "it's", "$'it\\'s'", "$'it\\'s'" },
		{ "a\nb\\", "$'a\\x0ab\\\\'", "$'a\\x0ab\\\\'" },
		{ "\xff", "$'\\xff'", "$'\\xff'" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *word = text_word(cases[i].word);

		TAP_OK(!strcmp(word, cases[i].want), cases[i].want);
		free(word);
		buf_reset(&out);
		text_add_file(&out, cases[i].word);
		buf_addstr(&out, "");
		TAP_OK(!strcmp(out.data, cases[i].file), cases[i].file);
	}
}

#define WRONG UINT64_MAX	/* no number is read */

static void test_numbers(void)
{
	static const struct { const char *text; uint64_t number, size, duration; } cases[] = {
		{ "", WRONG, WRONG, WRONG },
		{ " 5", WRONG, WRONG, WRONG },
		{ "5 ", WRONG, WRONG, WRONG },
		{ "\t5", WRONG, WRONG, WRONG },
		{ "0", 0, 0, 0 },
		{ "7", 7, 7 * 512, 7000000000 },
		{ "100", 100, 100 * 512, 100000000000 },
		{ "101", WRONG, 101 * 512, 101000000000 },
		{ "-1", WRONG, WRONG, WRONG },
		{ "0x40", 64, WRONG, 64000000000 },
		{ "64K", WRONG, 65536, WRONG },
		{ "1kib", WRONG, 1024, WRONG },
		{ "3MB", WRONG, 3 << 20, WRONG },
		{ "2Gx", WRONG, WRONG, WRONG },
		{ "16777216T", WRONG, WRONG, WRONG },
		{ "99999999999999999999", WRONG, WRONG, WRONG },
		{ "1.5ms", WRONG, WRONG, 1500000 },
		{ ".5us", WRONG, WRONG, 500 },
		{ "2m", WRONG, 2 << 20, 120000000000 },
		{ "1h", WRONG, WRONG, 3600000000000 },
		{ "3d", WRONG, WRONG, WRONG },
		{ ".", WRONG, WRONG, WRONG },
	};
	uint64_t size, ns;
	int64_t v;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *text = cases[i].text;

		if (text_number(text, 0, 100, &v))
			v = WRONG;
		TAP_EQ((uint64_t)v, cases[i].number, text);
		if (text_size(text, 512, &size))
			size = WRONG;
		TAP_EQ(size, cases[i].size, text);
		if (text_duration(text, &ns))
			ns = WRONG;
		TAP_EQ(ns, cases[i].duration, text);
	}
	TAP_OK(!text_number("-9", -9, -9, &v) && v == -9, "the least and the largest");
	TAP_OK(text_number("-10", -9, 5, &v) && text_number("6", -9, 5, &v), "one beyond each");
}

int main(void)
{
	test_numbers();
	test_words();
	test_closest();
	test_many();
	test_by_hand();
	test_places();
	test_all();
	test_caret();
	test_cpumask();
	buf_release(&out);
	return tap_done();
}
