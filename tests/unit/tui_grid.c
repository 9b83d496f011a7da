/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cells: widths, edges, hostile bytes, coordinates that are none; scripts of keys. */
#include <limits.h>
#include <locale.h>

#include "base/mem.h"
#include "browse/screen/cell_grid.h"
#include "browse/screen/key_names.h"

#include "tap.h"

#define WIDE  "\xe6\xbc\xa2"			/* U+6F22, two columns */
#define EA    "\xc3\xa9"			/* U+E9 */
#define ACUTE "\xcc\x81"			/* U+301, combining */
#define GRAVE "\xcc\x80"			/* U+300, combining */
#define BELOW "\xcc\xa3"			/* U+323, combining */

static struct cell_grid g;
static struct buf out;

static void is_now(const char *want, const char *name)
{
	TAP_OK(out.data && !strcmp(out.data, want), name);
	if (out.data && strcmp(out.data, want))
		printf("# got '%s'\n# want '%s'\n", out.data, want);
	buf_reset(&out);
}

static void grid_is(const char *want, const char *name)
{
	grid_dump(&g, &out);
	is_now(want, name);
}

/* One row of 12 columns of its own, with the text from column 2 up to 10. */
struct put_row {
	const char *text;
	size_t len, skip;
	int behind;				/* the column that is returned */
	size_t width;
	const char *want, *name;
};

#define TEXT(s) s, sizeof(s) - 1

static void check_rows(const struct put_row *rows, size_t n, bool ascii)
{
	char *want;

	for (const struct put_row *r = rows; r < rows + n; r++) {
		grid_init(&g, 12, 1, ascii);
		grid_fill(&g, 0, 0, 12, GRID_PLAIN);
		grid_print(&g, 0, 0, 2, "[[", 2, GRID_PLAIN);
		grid_print(&g, 0, 10, 12, "]]", 2, GRID_PLAIN);
		TAP_EQ(grid_print_from(&g, 0, 2, 10, r->text, r->len, r->skip, GRID_PLAIN), r->behind,
		       r->name);
		TAP_EQ(grid_text_width(r->text, r->len, ascii), r->width, "its width");
		want = xasprintf("%s\n\n\n", r->want);
		grid_is(want, "its cells");
		free(want);
		grid_release(&g);
	}
}

static void test_put(void)
{
	static const struct put_row rows[] = {
		{ TEXT("abc"), 0, 5, 3, "[[abc     ]]", "plain" },
		{ TEXT(""), 0, 2, 0, "[[        ]]", "nothing" },
		{ TEXT("0123456789"), 0, 10, 10, "[[01234567]]", "cut at the end" },
		{ TEXT(EA EA), 0, 4, 2, "[[" EA EA "      ]]", "two bytes, one column" },
		{ TEXT(WIDE "x"), 0, 5, 3, "[[" WIDE "x     ]]", "a wide one" },
		{ TEXT("123456" WIDE), 0, 10, 8, "[[123456" WIDE "]]", "a wide one that fits" },
		{ TEXT("1234567" WIDE), 0, 10, 9, "[[1234567 ]]", "one that does not leaves a blank" },
		{ TEXT("1234567" WIDE ACUTE), 0, 10, 9, "[[1234567 ]]", "and its accent goes, too" },
		{ TEXT("\xf0\x9f\x98\x80"), 0, 4, 2, "[[\xf0\x9f\x98\x80      ]]", "beyond 16 bits" },
		{ TEXT("e" ACUTE "x"), 0, 4, 2, "[[e" ACUTE "x      ]]", "a combining one" },
		{ TEXT("e" ACUTE BELOW GRAVE "x"), 0, 4, 2, "[[e" ACUTE BELOW "x      ]]", "two, no more" },
		{ TEXT(ACUTE "x"), 0, 4, 2, "[[ " ACUTE "x      ]]", "one that begins stands on a blank" },
		{ TEXT("01234567" ACUTE "x"), 0, 10, 9, "[[01234567" ACUTE "]]", "one at the last column" },
		{ TEXT("a\tb"), 0, 8, 6, "[[a\\x09b  ]]", "a tab" },
		{ TEXT("\x1b[2J"), 0, 9, 7, "[[\\x1b[2J ]]", "ESC" },
		{ TEXT("a\0b"), 0, 8, 6, "[[a\\x00b  ]]", "NUL" },
		{ TEXT("\x7f\n"), 0, 10, 8, "[[\\x7f\\x0a]]", "DEL, newline" },
		{ TEXT("\xc2\x9b"), 0, 10, 8, "[[\\xc2\\x9b]]", "CSI of C1 as UTF-8" },
		{ TEXT("\x9b" "2"), 0, 7, 5, "[[\\x9b2   ]]", "CSI of C1 as a byte" },
		{ TEXT("\xe2\x80\xae"), 4, 10, 12, "[[\\x80\\xae]]", "turned writing, U+202E" },
		{ TEXT("\xe2\x81\xa6"), 0, 10, 12, "[[\\xe2\\x81]]", "turned writing, U+2066" },
		{ TEXT("\xe2\x80\xa8"), 0, 10, 12, "[[\\xe2\\x80]]", "a line separator" },
		{ TEXT("\xff" EA), 0, 7, 5, "[[\\xff" EA "   ]]", "no UTF-8" },
		{ TEXT("a\xe6\xbc"), 0, 10, 9, "[[a\\xe6\\xb]]", "cut UTF-8" },
		{ TEXT("\xe6" "a"), 0, 7, 5, "[[\\xe6a   ]]", "cut by another character" },
		{ TEXT("\xc0\xaf"), 0, 10, 8, "[[\\xc0\\xaf]]", "too long a form" },
		{ TEXT("\xed\xa0\x80"), 4, 10, 12, "[[\\xa0\\x80]]", "a surrogate" },
		{ TEXT("\xf4\x90\x80\x80"), 8, 10, 16, "[[\\x80\\x80]]", "beyond U+10FFFF" },
		{ "\xe6\xbc\xa2", 2, 0, 10, 8, "[[\\xe6\\xbc]]", "the length is minded within a character" },
		{ TEXT("0123456789ab"), 3, 10, 12, "[[3456789a]]", "scrolled" },
		{ TEXT("abc"), 2, 3, 3, "[[c       ]]", "scrolled to its end" },
		{ TEXT("abc"), 3, 2, 3, "[[        ]]", "scrolled away" },
		{ TEXT("abc"), SIZE_MAX, 2, 3, "[[        ]]", "scrolled far away" },
		{ TEXT(WIDE "x"), 1, 4, 3, "[[ x      ]]", "half of a wide one is a blank" },
		{ TEXT(WIDE ACUTE "x"), 1, 4, 3, "[[ x      ]]", "without its accent" },
		{ TEXT("e" ACUTE "x"), 1, 3, 2, "[[x       ]]", "nor one of what is scrolled away" },
		{ TEXT(WIDE "x"), 2, 3, 3, "[[x       ]]", "a wide one, scrolled away" },
		{ TEXT("\x1bz"), 2, 5, 5, "[[1bz     ]]", "scrolled into an escape" },
	};

	check_rows(rows, sizeof(rows) / sizeof(*rows), false);
}

static void test_ascii(void)
{
	static const struct put_row rows[] = {
		{ TEXT("abc"), 0, 5, 3, "[[abc     ]]", "ASCII: plain" },
		{ TEXT(EA), 0, 10, 8, "[[\\xc3\\xa9]]", "ASCII: a character" },
		{ TEXT("\xe2\x94\x82\xe2\x94\x80\xe2\x80\xa6\xe2\x96\xb8\xe2\x96\xbe"), 0, 7, 5,
		  "[[|-.>v   ]]", "ASCII: lines, signs" },
		{ TEXT("\xe2\x96\x81\xe2\x96\x82\xe2\x96\x83\xe2\x96\x84\xe2\x96\x85\xe2\x96\x86\xe2\x96\x87"
		       "\xe2\x96\x88"), 0, 10, 8, "[[.:-=+*%#]]", "ASCII: blocks" },
		{ TEXT("e" ACUTE), 0, 10, 9, "[[e\\xcc\\x8]]", "ASCII: a combining one" },
		{ TEXT("\xe2\x94"), 0, 10, 8, "[[\\xe2\\x94]]", "ASCII: cut UTF-8" },
	};

	check_rows(rows, sizeof(rows) / sizeof(*rows), true);
}

static void test_no_locale(void)
{
	setlocale(LC_CTYPE, "C");
	grid_init(&g, 12, 1, false);
	TAP_EQ(grid_print(&g, 0, 2, 12, TEXT("a" EA), GRID_PLAIN), 11,
	       "what the locale does not know is escaped");
	grid_is("  a\\xc3\\xa9\n\n\n", "its cells");
	grid_release(&g);
	setlocale(LC_CTYPE, "C.UTF-8");
}

/* What is written over a half of a wide character, from either side. */
static void test_halves(void)
{
	grid_init(&g, 8, 1, false);
	grid_print(&g, 0, 0, 8, TEXT(WIDE WIDE WIDE WIDE), GRID_PLAIN);
	grid_is(WIDE WIDE WIDE WIDE "\n\n\n", "four wide ones");
	grid_print(&g, 0, 1, 8, "x", 1, GRID_PLAIN);
	grid_is(" x" WIDE WIDE WIDE "\n\n\n", "over a right half");
	grid_print(&g, 0, 2, 8, "y", 1, GRID_PLAIN);
	grid_is(" xy " WIDE WIDE "\n\n\n", "over a left half");
	grid_print(&g, 0, 5, 8, TEXT(WIDE), GRID_PLAIN);
	grid_is(" xy  " WIDE "\n\n\n", "a wide one over two halves");
	grid_fill(&g, 0, 6, 7, GRID_DIM);
	grid_is(" xy\n\n......d\n", "a fill over a half");
	grid_print(&g, 0, 0, 8, TEXT(WIDE "e" ACUTE), GRID_PLAIN);
	grid_print(&g, 0, 2, 8, "f", 1, GRID_PLAIN);
	grid_is(WIDE "f\n\n......d\n", "accents go with their character");
	grid_release(&g);
}

static void test_attributes(void)
{
	char seen[256] = {0};
	int same = 0;

	grid_init(&g, 6, 3, false);
	grid_print(&g, 0, 0, 6, "ab", 2, GRID_HEAD);
	grid_print(&g, 1, 1, 6, TEXT(WIDE), GRID_TASK);
	grid_fill(&g, 2, 4, 9, GRID_STATUS);
	grid_set_attr(&g, 0, 1, 3, GRID_SELECTED);
	grid_is("ab\n " WIDE "\n\n\nhss\n.tt\n....SS\n", "letters of attributes");
	grid_print(&g, 0, 0, 6, "a", 1, 99);
	grid_set_attr(&g, 0, 1, 3, GRID_ATTRS);
	grid_is("a" "b\n " WIDE "\n\n\n\n.tt\n....SS\n", "one that is none is plain");
	grid_release(&g);
	for (int i = 0; i < GRID_ATTRS; i++) {
		same += seen[(unsigned char)grid_looks[i].letter]++;
		for (int j = 0; j < i; j++)
			same += grid_looks[i].mono == grid_looks[j].mono;
	}
	TAP_EQ(same, 0, "no two have the same letter, or look alike without colour");
}

static void test_outside(void)
{
	static const int far[] = { INT_MIN, INT_MIN + 1, -1000, -1, 3, 4, 1000, INT_MAX - 1, INT_MAX };
	const size_t n = sizeof(far) / sizeof(*far);

	grid_init(&g, 3, 3, false);
	for (size_t i = 0; i < n * n * n; i++) {
		int y = far[i % n], x = far[i / n % n], end = far[i / n / n];

		grid_print(&g, y, x, end, TEXT(ACUTE "ab" WIDE "\xff"), GRID_HEAD);
		grid_print_from(&g, y, x, end, TEXT("ab" WIDE "\xff"), SIZE_MAX, GRID_HEAD);
		grid_fill(&g, y, x, end, GRID_HEAD);
		grid_set_attr(&g, y, x, end, GRID_HEAD);
	}
	grid_is("\n\n\n\n\n\n\n", "rows that are none");
	TAP_EQ(grid_print(&g, 1, -2, 99, "abcdefg", 7, GRID_PLAIN), 3, "from left of the grid");
	TAP_EQ(grid_print(&g, 0, -5, 3, "abc", 3, GRID_PLAIN), (unsigned long long)-2, "left of it altogether");
	TAP_EQ(grid_print(&g, 0, 3, 99, "abc", 3, GRID_PLAIN), 3, "right of it");
	TAP_EQ(grid_print(&g, 0, 2, 1, "abc", 3, GRID_PLAIN), 2, "an end before the begin");
	TAP_EQ(grid_print(&g, 2, -1, 3, TEXT(WIDE "x"), GRID_PLAIN), 2, "half of a wide one is left of it");
	grid_is("\ncde\n x\n\n\n\n\n", "what is within is there");
	grid_fill(&g, 1, INT_MIN, INT_MAX, GRID_DIM);
	grid_set_attr(&g, 2, INT_MIN, INT_MAX, GRID_MARK);
	grid_is("\n\n x\n\n\nddd\nmmm\n", "whole rows");
	grid_release(&g);
}

static void test_resize(void)
{
	grid_init(&g, 4, 2, false);
	grid_print(&g, 1, 0, 4, "abcd", 4, GRID_HEAD);
	g.cursor_x = g.cursor_y = 1;
	grid_resize(&g, 2, 3);
	grid_is("\n\n\n\n\n\n\n", "another size is empty");
	TAP_EQ(g.cursor_x, -1, "without a cursor");
	grid_print(&g, 2, 0, 4, "abcd", 4, GRID_HEAD);
	grid_is("\n\nab\n\n\n\nhh\n", "and has its own edges");
	grid_resize(&g, -1, INT_MAX);
	TAP_OK(g.w == 0 && g.h == GRID_SIDE_MAX, "sides that cannot be");
	TAP_EQ(grid_print(&g, 0, 0, 9, "abc", 3, GRID_PLAIN), 0, "no columns, nothing is put");
	grid_resize(&g, 0, 0);
	grid_is("\n", "no cells");
	grid_release(&g);
	grid_release(&g);
	grid_release(NULL);
}

/* --- at random: a known sequence, so that what fails fails again */

static uint64_t random_state = 20260;

static uint32_t random_below(uint32_t n)
{
	random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (random_state >> 33) % n;
}

/* Pieces that meet each other in all ways, and bytes. */
static size_t random_text(char *text, size_t room)
{
	static const char *const pieces[] = {
		WIDE, ACUTE, EA, "a", " ", "\xf0\x9f\x98\x80", "\x1b", "\xe2\x80\xae", "\xe2\x94\x82",
		"\xe2\x80\x8d", "\xe6\xbc", "\xf0\x9f", "\xe1\x85\xa0", "\xe1\x84\x80", "\xef\xb8\x8f",
	};
	size_t n = 0, want = random_below(room - 4), len;

	while (n < want) {
		const char *piece = pieces[random_below(sizeof(pieces) / sizeof(*pieces))];

		len = random_below(3) ? strlen(piece) : 1;
		if (len > 1)
			memcpy(text + n, piece, len);
		else
			text[n] = random_below(256);
		n += len;
	}
	return n;
}

static int random_column(void)
{
	return (int)random_below(40) - 10;
}

/* As the terminal will take it: each row is as wide as the grid. */
static const char *what_is_wrong(const struct cell_grid *grid)
{
	for (int i = 0; i < grid->w * grid->h; i++) {
		const struct grid_cell *c = &grid->cells[i];
		int width = c->ch[0] ? wcwidth(c->ch[0]) : 0;
		bool last = i % grid->w == grid->w - 1;

		if (c->attr >= GRID_ATTRS)
			return "an attribute";
		if (!c->ch[0] && (i % grid->w == 0 || !c[-1].ch[0] || wcwidth(c[-1].ch[0]) != 2))
			return "a right half without its left one";
		if (c->ch[0] && width != 1 && width != 2)
			return "a character that has no width";
		if (width == 2 && (last || c[1].ch[0]))
			return "a left half without its right one";
		if (grid->ascii && (c->ch[0] < ' ' || c->ch[0] > '~'))
			return "beyond ASCII";
		for (int k = 1; k < 3; k++)
			if (c->ch[k] && (!c->ch[k - 1] || wcwidth(c->ch[k])))
				return "what combines";
	}
	return NULL;
}

/* The text has memory of its own size: the sanitizer sees what is read behind it. */
static bool random_put(void)
{
	char text[64], *copy;
	size_t n = random_text(text, sizeof(text)), skip = random_below(4) ? 0 : random_below(70), width;
	int y = (int)random_below(10) - 2, x = random_column(), end = random_column(), to, most;

	copy = xmalloc(n ? n : 1);
	memcpy(copy, text, n);
	to = grid_print_from(&g, y, x, end, copy, n, skip, random_below(GRID_ATTRS));
	width = grid_text_width(copy, n, g.ascii);
	free(copy);
	most = end < g.w ? end : g.w;
	width = width > skip ? width - skip : 0;
	if (most <= x)
		return to == x;
	return to == (width < (size_t)(most - x) ? x + (int)width : most);
}

static void test_random(void)
{
	const char *wrong = NULL;
	size_t bad_columns = 0;

	for (int i = 0; i < 20000 && !wrong; i++) {
		if (i % 500 == 0) {
			grid_release(&g);
			grid_init(&g, random_below(24), random_below(7), random_below(4) == 0);
		}
		bad_columns += !random_put();
		if (!random_below(4))
			grid_fill(&g, random_below(6), random_column(), random_column(), GRID_DIM);
		if (!random_below(4))
			grid_set_attr(&g, random_below(6), random_column(), random_column(), GRID_MARK);
		wrong = what_is_wrong(&g);
	}
	TAP_OK(!wrong, wrong ? wrong : "20000 texts at random: cells are sound");
	TAP_EQ(bad_columns, 0, "and so are the columns behind them");
	grid_release(&g);
}

/* --- scripts */

static void add_step(const struct key_step *s)
{
	switch (s->kind) {
	case KEY_STEP_KEY:
		key_add_name(s->key, &out);
		break;
	case KEY_STEP_WAIT:
		buf_addstr(&out, "{wait}");
		break;
	case KEY_STEP_SCREEN:
		buf_printf(&out, "{screen %s}", s->name);
		break;
	case KEY_STEP_SIZE:
		buf_printf(&out, "{size %d %d}", s->w, s->h);
		break;
	}
	buf_addch(&out, ',');
}

static void test_scripts(void)
{
	static const char name64[] = "0123456789abcdef0123456789ABCDEF0123456789-_-_-_0123456789zyxwvu";
	static const struct { const char *script, *want, *name; } rows[] = {
		{ "ab", "a,b,", "characters" },
		{ EA WIDE ">", EA "," WIDE ",>,", "of UTF-8" },
		{ "<up><down><left><right><pgup><pgdn><home><end>",
		  "<up>,<down>,<left>,<right>,<pgup>,<pgdn>,<home>,<end>,", "keys that move" },
		{ "<enter><tab><backtab><esc><backspace><delete><f1><space><lt><suspend>",
		  "<enter>,<tab>,<backtab>,<esc>,<backspace>,<delete>,<f1>,<space>,<lt>,<suspend>,", "others" },
		{ "<ctrl-l><ctrl-a><ctrl-m><ctrl-i><ctrl-z>", "<ctrl-l>,<ctrl-a>,<enter>,<tab>,<suspend>,",
		  "of control" },
		{ "a b", "a,<space>,b,", "a blank within" },
		{ " a", "<space>,a,", "a blank at the begin" },
		{ "a \t\nb\r\n\n \nc  ", "a,b,c,", "newlines, blanks before them" },
		{ "a\n b", "a,<space>,b,", "a blank behind one counts" },
		{ "<wait>\n<screen a-B_9><size 80x24>q\n", "{wait},{screen a-B_9},{size 80 24},q,", "steps" },
		{ "<size 1x1000>", "{size 1 1000},", "the bounds of sizes" },
		{ "", "", "no step" },
		{ " \n\n", "", "blanks alone" },
	};
	struct key_step step;
	struct ftr_error err;
	const char *p;
	char *script;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		buf_addstr(&out, "");
		for (p = rows[i].script; key_script_next(&p, &step, &err) == 1;)
			add_step(&step);
		is_now(rows[i].want, rows[i].name);
		TAP_OK(!*p, "to its end");
	}
	script = xasprintf("<screen %s>", name64);
	p = script;
	TAP_OK(key_script_next(&p, &step, &err) == 1 && !strcmp(step.name, name64), "a long name");
	free(script);
}

static void test_bad_scripts(void)
{
	static const struct { const char *script, *msg, *hint; } rows[] = {
		{ "<upp>", "a script has '<upp>', which is not a key", "did you mean '<up>'?" },
		{ "<pgdwn>", "a script has '<pgdwn>', which is not a key", "did you mean '<pgdn>'?" },
		{ "<UP>", "a script has '<UP>', which is not a key", NULL },
		{ "<>", "a script has '<>', which is not a key", NULL },
		{ "<ctrl-LL>", "a script has '<ctrl-LL>', which is not a key", NULL },
		{ "<up", "a script has '<up' without its '>'", "the character < is <lt>" },
		{ "<up\n>", "a script has '<up' without its '>'", "the character < is <lt>" },
		{ "<a<b>", "a script has '<a' without its '>'", "the character < is <lt>" },
		{ "<", "a script has '<' without its '>'", "the character < is <lt>" },
		{ "<wait 5>", "a script has '<wait 5>'", "it is <wait> alone" },
		{ "<screen>", "a script has '<screen >', which names no screen",
		  "a name has letters, digits, '-' and '_', at most 64 of them" },
		{ "<screen ../a>", "a script has '<screen ../a>', which names no screen",
		  "a name has letters, digits, '-' and '_', at most 64 of them" },
		{ "<screen 0123456789012345678901234567890123456789012345678901234567890123x>",
		  "a script has '<screen 0123456789012345678901234567890123456789012345678901234567890123x>', "
		  "which names no screen", "a name has letters, digits, '-' and '_', at most 64 of them" },
		{ "<size 80>", "a script has '<size 80>', which is not a size",
		  "<size 80x24> is 80 columns and 24 rows; both are 1 to 1000" },
		{ "<size 0x5>", "a script has '<size 0x5>', which is not a size", NULL },
		{ "<size 80x1001>", "a script has '<size 80x1001>', which is not a size", NULL },
		{ "<size 99999999999x5>", "a script has '<size 99999999999x5>', which is not a size", NULL },
		{ "<size 80x24 >", "a script has '<size 80x24 >', which is not a size", NULL },
		{ "<size -1x24>", "a script has '<size -1x24>', which is not a size", NULL },
		{ "\x1b[A", "a script has '\\x1b', which is not a character",
		  "scripts are UTF-8; other keys have names as <esc>, <ctrl-l>" },
		{ "\xe6\xbc", "a script has '\\xe6', which is not a character", NULL },
		{ "\tx", "a script has '\\x09', which is not a character", NULL },
		{ "\x7f", "a script has '\\x7f', which is not a character", NULL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ftr_error err = {0};
		struct key_step step;
		const char *p = rows[i].script;

		TAP_EQ(key_script_next(&p, &step, &err), (unsigned long long)-1, rows[i].msg);
		TAP_OK(!strcmp(err.msg, rows[i].msg) && err.code == FTR_USAGE && *err.hint, "and says so");
		TAP_OK(!rows[i].hint || !strcmp(err.hint, rows[i].hint), "with a hint");
		TAP_OK(p == rows[i].script, "where it is");
		if (strcmp(err.msg, rows[i].msg) || (rows[i].hint && strcmp(err.hint, rows[i].hint)))
			printf("# got '%s', '%s'\n", err.msg, err.hint);
	}
}

static void test_long_word(void)
{
	char script[300];
	struct ftr_error err = {0};
	struct key_step step;
	const char *p = script;

	memset(script, 'u', sizeof(script));
	script[0] = '<';
	script[298] = '>';
	script[299] = '\0';
	TAP_EQ(key_script_next(&p, &step, &err), (unsigned long long)-1, "a word without end");
	TAP_OK(!strncmp(err.msg, "a script has '<uuu", 18), "is said");
}

static void test_names(void)
{
	static const int none[] = { -1, 0, INT_MIN, INT_MAX, TUI_KEYS_END, 0xd800, 30, 0x7f };

	for (int key = KEY_NAMED; key < TUI_KEYS_END; key++) {
		struct key_step step = {0};
		const char *p;

		key_add_name(key, &out);
		p = out.data;
		TAP_OK(key_script_next(&p, &step, NULL) == 1 && step.key == key && !*p, out.data);
		buf_reset(&out);
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
		key_add_name(none[i], &out);
		is_now("<?>", "no key");
	}
	TAP_EQ(key_of_char('\n'), TUI_ENTER, "a newline is enter");
	TAP_EQ(key_of_char('\r'), TUI_ENTER, "a carriage return is, too");
	TAP_EQ(key_of_char(127), TUI_BACKSPACE, "DEL is backspace");
	TAP_EQ(key_of_char('x'), 'x', "x is x");
}

int main(void)
{
	if (!setlocale(LC_CTYPE, "C.UTF-8")) {
		TAP_SKIP("cells", "no C.UTF-8 here");
		return 0;
	}
	test_put();
	test_ascii();
	test_no_locale();
	test_halves();
	test_attributes();
	test_outside();
	test_resize();
	test_random();
	test_scripts();
	test_bad_scripts();
	test_long_word();
	test_names();
	buf_release(&out);
	return tap_done();
}
