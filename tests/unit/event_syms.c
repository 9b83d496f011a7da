/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbol lookup: in a sorted text, by the index, and line by line in the plainest way, are the same. */
#include "event/event.h"

#include <ctype.h>

#include "base/limits.h"
#include "tap.h"

#define REACH (16 << 20)	/* how far above a symbol an address may be */

static const char small[] =
	"0000000000000000 A fixed_percpu_data\n"
	"0000000000000000 A __per_cpu_start\n"
	"0000000000001000 A cpu_debug_store\n"
	"ffffffff81000000 D data_first\n"
	"ffffffff81000000 T _text\n"
	"ffffffff81000000 t startup_64\n"
	"ffffffff81000100 t helper\n"
	"ffffffff81000200 a absolute\n"
	"ffffffff81000200 U undefined\n"
	"ffffffff81000300 W weak\n"
	"ffffffffc0401000 t nfs_read\t[nfs]\n"
	"ffffffffc0401040 t nfs_write\t[nfs]\n"
	"ffffffffc0403f00 t ext4_first\t[ext4]\n"
	"ffffffffc0403f80 t ext4_last\t[ext4]\n"
	"ffffffffc0404040 t jbd2_only\t[jbd2]\n"
	"ffffffffc0501000 t bpf_prog_1\t[bpf]\n"
	"ffffffffc0601000 t ftrace_trampoline\t[__builtin__ftrace]\n";

/* The lines in the opposite order. */
static char *turned(const char *text)
{
	size_t len = strlen(text), at = len, n;
	char *out = calloc(len + 1, 1), *to = out;

	while (at) {
		size_t start = at - 1;

		while (start && text[start - 1] != '\n')
			start--;
		n = at - start;
		memcpy(to, text + start, n);
		to += n;
		at = start;
	}
	return out;
}

/* Is the first symbol above @addr, in a sorted text, of another module, or is there none? */
static int last_of_module(const char *text, uint64_t addr, const char *mod)
{
	char type, word[64], next[64];
	uint64_t a;

	for (const char *p = text; *p; p = strchr(p, '\n') + 1) {
		*next = 0;
		if (sscanf(p, "%" SCNx64 " %c %63[^\t\n]\t%63[^\n]", &a, &type, word, next) >= 3 &&
		    !strchr("aAuU", type) && a > addr)
			return *next != '[' || strcmp(mod, next) != 0;
	}
	return 1;
}

/* Function before data, then the first line, of those with the largest address up to @addr. */
static int plain(const char *text, uint64_t addr, char name[64], uint64_t *off)
{
	uint64_t best = 0, a;
	char type, word[64], mod[64], best_mod[64] = "", line[128];
	int rank, best_rank = 2;

	for (const char *p = text; *p; p = strchr(p, '\n') + 1) {
		/* sscanf() looks for the end of all of its text */
		snprintf(line, sizeof(line), "%.*s", (int)strcspn(p, "\n"), p);
		*mod = 0;
		if (sscanf(line, "%" SCNx64 " %c %63[^\t\n]\t%63[^\n]", &a, &type, word, mod) < 3)
			continue;
		/* without a module, the blank matched the newline */
		if (*mod != '[')
			*mod = 0;
		rank = !strchr("tTwW", type);
		if (*word == '$' || !strncmp(word, ".L", 2) || !strncmp(word, "L0", 2))
			continue;
		if (!a || strchr("aAuU", type) || a > addr || a < best || (a == best && rank >= best_rank))
			continue;
		best = a;
		best_rank = rank;
		strcpy(name, word);
		if (strstr(mod, "__builtin__") && addr - a >= 4096)
			*name = 0;
		strcpy(best_mod, mod);
	}
	if (*best_mod && !strstr(best_mod, "__builtin__") && strcmp(best_mod, "[bpf]") &&
	    addr / 4096 > best / 4096 && last_of_module(text, addr, best_mod))
		*name = 0;
	*off = addr - best;
	return best && *off <= REACH && *name;
}

static int same(struct ev_syms *s, const char *text, uint64_t addr)
{
	uint64_t off, want_off;
	char want[64] = "";
	const char *mod, *got;
	size_t n, mod_n;
	int found = plain(text, addr, want, &want_off);

	got = ev_syms_find(s, addr, &n, &mod, &mod_n, &off);
	if (!found && !got)
		return 1;
	if (found && got && n == strlen(want) && !memcmp(got, want, n) && off == want_off)
		return 1;
	printf("# %" PRIx64 ": want %s, got %.*s\n", addr, found ? want : "none", got ? (int)n : 4,
	       got ? got : "none");
	return 0;
}

/* Around each address that the text has, and far from all of them. */
static int all_same(struct ev_syms *s, const char *text)
{
	static const uint64_t far[] = { 0, 1, 0xfff, 0x7fffffff, 0x7f0012345678, 0xffffffff80ffffff,
					0xffffffff82000300, 0xffffffff83000301, ~0ULL };
	int good = 1;

	for (size_t i = 0; i < sizeof(far) / sizeof(*far); i++)
		good &= same(s, text, far[i]);
	for (const char *p = text; *p; p = strchr(p, '\n') + 1) {
		uint64_t a = strtoull(p, NULL, 16);

		good &= same(s, text, a) & same(s, text, a - 1) & same(s, text, a + 1) &
			same(s, text, a + 0x40) & same(s, text, a + 4096);
	}
	return good;
}

static void compare(const char *text, const char *what)
{
	struct ev_syms *sorted = ev_syms_new(text, strlen(text)), *indexed = ev_syms_new(text, strlen(text));
	char name[128];

	ev_syms_sorted(sorted);
	snprintf(name, sizeof(name), "%s: searched in the text", what);
	TAP_OK(all_same(sorted, text), name);
	snprintf(name, sizeof(name), "%s: by the index", what);
	TAP_OK(all_same(indexed, text), name);
	ev_syms_free(sorted);
	ev_syms_free(indexed);
}

/* Searches in a text that is not sorted end, with or without an answer. */
static void test_false_claim(const char *text, size_t len, const char *what)
{
	struct ev_syms *s = ev_syms_new(text, len);
	const char *mod;
	size_t n, mod_n;
	uint64_t off;

	ev_syms_sorted(s);
	for (uint64_t a = 0xffffffff80fff000; a < 0xffffffff81003000; a += 0x35)
		ev_syms_find(s, a, &n, &mod, &mod_n, &off);
	ev_syms_find(s, 0, &n, &mod, &mod_n, &off);
	ev_syms_find(s, ~0ULL, &n, &mod, &mod_n, &off);
	TAP_OK(1, what);
	ev_syms_free(s);
}

static char *many_lines(void)
{
	char *text = malloc(400 * 64), *p = text;
	uint64_t a = 0xffffffff81000000;

	for (int i = 0; i < 400; i++) {
		p += sprintf(p, "%016" PRIx64 " %c symbol_%d%s\n", a, "tTdDwWrA"[i % 8], i,
			     i > 300 ? "\t[mod]" : "");
		a += i * 7 % 5 * 16;
	}
	return text;
}

/* The address 0x1234567890abcdef with @byte at place @at, as a symbol's; 0 if it is none. */
static uint64_t address_read(int at, unsigned char byte)
{
	char text[] = "1234567890abcdef T it\n";
	struct ev_syms *s;
	const char *mod;
	size_t n, mod_n;
	uint64_t off = 0;
	bool found;

	text[at] = byte;
	s = ev_syms_new(text, sizeof(text) - 1);
	found = ev_syms_find(s, strtoull(text, NULL, 16), &n, &mod, &mod_n, &off) && !off;
	ev_syms_free(s);
	return found ? strtoull(text, NULL, 16) : 0;
}

/* Every byte at every place of an address: digits of both cases, and all else, which ends it too early. */
static void test_digits(void)
{
	int good = 1;

	for (int at = 0; at < 16; at++)
		for (int byte = '!'; byte < 256; byte++)
			if (at || !strchr("+-", byte))		/* strtoull() takes a sign */
				good &= !!address_read(at, byte) == !!isxdigit(byte);
	TAP_OK(good, "each byte at each place of an address");
}

/* What assemblers mark code and data with stands at the function's own address, before or behind it. */
static const char mapping[] =
	"ffff800010080000 T _text\n"
	"ffff800079e10000 t $x\t[modarm]\n"
	"ffff800079e10000 t drv_probe\t[modarm]\n"
	"ffff800079e10080 t drv_remove\t[modarm]\n"
	"ffff800079e10080 t $x.12\t[modarm]\n"
	"ffff800079e10084 d $d\t[modarm]\n"
	"ffff800079e10100 t .L17\t[modarm]\n"
	"ffff800079e10100 t L0^A\t[modarm]\n"
	"ffff800079e10100 t L1_is_a_name\t[modarm]\n"
	"ffff800079e10140 t .text_is_one\t[modarm]\n";

static void test_mapping(void)
{
	static const struct { uint64_t addr; const char *name; uint64_t off; } rows[] = {
		{ 0xffff800079e10000, "drv_probe", 0 }, { 0xffff800079e1007f, "drv_probe", 0x7f },
		{ 0xffff800079e10080, "drv_remove", 0 }, { 0xffff800079e10090, "drv_remove", 0x10 },
		{ 0xffff800079e10100, "L1_is_a_name", 0 }, { 0xffff800079e10144, ".text_is_one", 4 },
	};
	struct ev_syms *s = ev_syms_new(mapping, sizeof(mapping) - 1);
	const char *mod, *got;
	size_t n, mod_n;
	uint64_t off;
	int good = 1;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		got = ev_syms_find(s, rows[i].addr, &n, &mod, &mod_n, &off);
		good &= got && n == strlen(rows[i].name) && !memcmp(got, rows[i].name, n) &&
			off == rows[i].off;
	}
	TAP_OK(good, "mapping symbols name nothing");
	TAP_EQ(ev_syms_size(s, 0xffff800079e10080), 0x80, "and end nothing");
	ev_syms_free(s);
}

/* A text with more lines than are read, the shortest that a line may be. */
static void test_limit(void)
{
	enum { LINE = 6, MORE = 3 };
	char *text = xmalloc((size_t)(LIMIT_SYMBOLS + MORE) * LINE);
	struct ev_syms *s;
	size_t n;

	for (n = 0; n < LIMIT_SYMBOLS + MORE; n++)
		memcpy(text + n * LINE, n < LIMIT_SYMBOLS ? "1 T a\n" : "8 T b\n", LINE);
	for (n = LIMIT_SYMBOLS; n <= LIMIT_SYMBOLS + MORE; n++) {
		s = ev_syms_new(text, n * LINE);
		TAP_EQ(ev_syms_left_out(s), n - LIMIT_SYMBOLS, "lines beyond the limit");
		TAP_EQ(ev_syms_size(s, 1), 0xfff, "have no symbol");
		ev_syms_free(s);
	}
	free(text);
}

int main(void)
{
	char long_line[5000], *many = many_lines(), *back = turned(small);
	struct ev_syms *s = ev_syms_new(small, strlen(small));

	compare(small, "a few lines");
	compare(many, "many lines");
	compare(mapping, "mapping symbols");
	test_mapping();
	compare("ffffffff81000000 T only\n", "one line");
	compare("FFFFFFFF81000000 T capitals\nFfffffff81000100 T mixed\n", "digits of both cases");
	test_digits();
	TAP_EQ(ev_syms_size(s, 0xffffffff81000004), 0x100, "a symbol ends where the next one begins");
	TAP_EQ(ev_syms_size(s, 0xffffffff81000104), 0x200, "absolute symbols end nothing");
	TAP_EQ(ev_syms_size(s, 0xffffffffc0401050), 0xfc0, "the last symbol of a module ends with its page");
	TAP_EQ(ev_syms_size(s, 0xffffffffc0403f80), 0x80, "before the next module");
	ev_syms_free(s);
	memset(long_line, 'f', sizeof(long_line));
	test_false_claim(back, strlen(back), "a text in the wrong order");
	test_false_claim(many + 1, strlen(many) - 100, "half lines at both ends");
	test_false_claim(long_line, sizeof(long_line), "one line without an end");
	test_false_claim("\n\n\n", 3, "empty lines");
	test_false_claim("", 0, "no text");
	test_limit();
	free(many);
	free(back);
	return tap_done();
}
