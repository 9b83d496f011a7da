/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The defects that libtraceevent 1.7.1 and 1.8.4 have with hostile formats and records, a case
 * each: our reader must print what the kernel would, or say what is wrong, under the sanitisers.
 * Numbers are those of the list in Documentation/testing.md.
 */
#include "event/event.h"
#include "file/ring/page.h"

#include "format.h"
#include "tap.h"

#define HEAD "name: probe\nID: 300\nformat:\n" COMMON

static struct buf out;

/* Renders @len bytes at @data, copied to exact memory. "unparsed" if the format is none. */
static const char *render_as(const char *system, const char *text, const void *data, uint32_t len)
{
	struct event_meta w = { .long_size = 8, .page_size = 4096 };
	struct ev_engine *e = ev_engine_new(&w, NULL, NULL);
	uint8_t *copy = memcpy(xmalloc(len + !len), data, len);
	struct ftr_error err = {0};
	struct ev_format f;
	struct ev_rec r = { .fmt = &f, .data = copy, .len = len, .long_size = 8 };

	buf_reset(&out);
	buf_addstr(&out, "");
	if (ev_format_parse(&f, system, text, strlen(text), &err))
		buf_addstr(&out, "unparsed");
	else
		ev_render(e, &r, 0, 0, &out);
	ev_engine_free(e);
	ev_format_release(&f);
	free(copy);
	return out.data;
}

static const char *render(const char *text, const void *data, uint32_t len)
{
	return render_as("test", text, data, len);
}

static void equal(const char *got, const char *want, const char *name)
{
	if (!TAP_OK(!strcmp(got, want), name))
		printf("# got  '%.200s'\n# want '%.200s'\n", got, want);
}

static void lacks(const char *got, const char *what, const char *name)
{
	if (!TAP_OK(*got && !strstr(got, what), name))
		printf("# got  '%.200s'\n", got);
}

/* zero = 0, minus = -5, count = 0x40000000 */
#define NUMBERS F("int zero", 8, 4, 1) F("int minus", 12, 4, 1) F("int count", 16, 4, 1) \
	F("u8 arr[4]", 20, 4, 0)
static const uint8_t numbers[24] = {
	44, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xfb, 0xff, 0xff, 0xff, 0, 0, 0, 0x40, 1, 2, 3, 4,
};

static void test_numbers(void)
{
	equal(render(HEAD NUMBERS "print fmt: \"%d %d\", REC->minus / REC->zero, REC->minus % REC->zero\n",
		     numbers, 24), "0 0", "1: division by a zero of the record");
	lacks(render(HEAD NUMBERS "print fmt: \"%s\", __print_hex(REC->arr, REC->count)\n", numbers, 24),
	      "01 02 03 04 00", "5: hex of more than the record has");
	TAP_OK(strlen(render(HEAD NUMBERS "print fmt: \"%s\", __print_array(REC->arr, REC->count, 8)\n",
			     numbers, 24)) < 4096, "5: an array of more than the record has");
	TAP_OK(*render(HEAD NUMBERS "print fmt: \"%s\", __print_flags(REC->none, \"|\", {1, \"A\"})\n",
		       numbers, 24), "6: an unknown field in a table of flags");
	TAP_OK(strlen(render(HEAD NUMBERS "print fmt: \"%99999999d\", REC->zero\n", numbers, 24)) < 65536,
	       "7: a width of 99999999");
	TAP_OK(strlen(render(HEAD NUMBERS "print fmt: \"%*d\", REC->count, REC->zero\n", numbers, 24)) < 65536,
	       "7: a width from the record");
	TAP_OK(*render(HEAD NUMBERS "print fmt: \"%d\", REC->arr[REC->minus]\n", numbers, 24),
	       "13: an index from the record, below the array");
	TAP_OK(*render(HEAD NUMBERS "print fmt: \"%d\", REC->arr[REC->count]\n", numbers, 24),
	       "13: an index from the record, beyond the array");
	TAP_OK(*render(HEAD NUMBERS "print fmt: \"%n %1$s\", REC->zero\n", numbers, 24),
	       "20: conversions that store or have a position");
	equal(render(HEAD NUMBERS "print fmt: \"%d\", sizeof(u8) + sizeof(REC->arr) + sizeof(unsigned long)\n",
		     numbers, 24), "13", "23: sizeof");
	TAP_OK(*render(HEAD NUMBERS "print fmt: \"%d\", sizeof(\n", numbers, 24), "23: sizeof of nothing");
	TAP_OK(*render(HEAD NUMBERS "print fmt: \"%d\", REC->zero + \n", numbers, 24),
	       "23: an operator without its operand");
	TAP_OK(!strncmp(render(HEAD NUMBERS "print fmt: \"%d %s\", REC->minus, REC->zero ? \"a\" : \"b\"\n",
			       numbers, 24), "-5 b", 4), "23: strings chosen by a number");
}

static void test_strings(void)
{
	static const uint8_t data[16] = {
		44, 1, 0, 0, 1, 0, 0, 0, 12, 0, 4, 0, 'a', '\x1b', '[', 'J',
	};
	static const uint8_t far[16] = { 44, 1, 0, 0, 1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 'a', 'b', 'c', 'd' };

	lacks(render(HEAD F("char name[64]", 8, 64, 0) "print fmt: \"%s|\", REC->name\n", data, 16),
	      "JJ", "3: a fixed string that is longer than the record");
	TAP_OK(*render(HEAD F("char rest[]", 17, 0, 0) "print fmt: \"%s|\", REC->rest\n", data, 16),
	       "4: the rest of a record that ends before it");
	equal(render(HEAD F("__data_loc char[] s", 8, 4, 0) "print fmt: \"%s|\", __get_str(s)\n", data, 16),
	      "a\\x1b[J|", "14, 22: a string without a NUL that moves the cursor");
	lacks(render(HEAD F("__data_loc char[] s", 8, 4, 0) "print fmt: \"%s|\", __get_str(s)\n", far, 16),
	      "abcd|", "14: a string that lies outside of the record");
	TAP_OK(*render(HEAD F("__rel_loc char[] s", 8, 4, 0) "print fmt: \"%s|\", __get_rel_str(s)\n", far, 16),
	       "14: a relative location outside of the record");
	TAP_OK(*render(HEAD F("__rel_loc u32[] s", 8, 4, 0)
		       "print fmt: \"%d\", __get_rel_dynamic_array_len(s)\n", data, 16),
	       "2: the length of a relative array");
	TAP_OK(*render(HEAD F("int s", 8, 4, 0) "print fmt: \"%d\", __get_rel_dynamic_array_len(s)\n", data, 16),
	       "2: the length of what is no array");
	TAP_OK(*render(HEAD F("__data_loc u8[] a", 8, 4, 0) "print fmt: \"%s\", __get_sockaddr(a)\n",
		       "\x2c\1\0\0\1\0\0\0\x0c\0\1\0\2", 13), "17: a socket address of one byte");
	TAP_OK(*render(HEAD F("int a", 8, 4, 0) "print fmt: \"%s\", __get_cpumask(none)\n", data, 16),
	       "18: a cpumask of an unknown field");
	TAP_OK(*render(HEAD F("__data_loc unsigned long[] m", 8, 4, 0) "print fmt: \"%s|\", __get_bitmask(m)\n",
		       "\x2c\1\0\0\1\0\0\0\x0c\0\0\0", 12), "18: a bitmask without bits");
}

static void test_short(void)
{
	static const char text[] = HEAD NUMBERS "print fmt: \"%d\", REC->minus\n";
	bool fine = true;

	for (uint32_t len = 0; len < sizeof(numbers); len++)
		fine &= *render(text, numbers, len) != 0;
	TAP_OK(fine, "15: a record that ends before its fields");
}

static void test_formats(void)
{
	struct ftr_error err = {0};
	struct ev_format f;
	struct buf deep = {0};
	static const struct { const char *text, *name; } bad[] = {
		{ "name: a\nID: 70000\nformat:\n" COMMON, "19: an ID above 65535" },
		{ HEAD F("int a", 70000, 4, 1), "19: an offset above 64 KiB" },
		{ HEAD F("int a", -8, 4, 1), "19: a negative offset" },
		{ HEAD F("int a", 2147483647, 2147483647, 1), "19: offset and size that overflow" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (TAP_OK(ev_format_parse(&f, "s", bad[i].text, strlen(bad[i].text), &err), bad[i].name) == 0)
			ev_format_release(&f);
	TAP_OK(*render(HEAD F("__attribute__( c", 8, 4, 0) "print fmt: \"%d\", REC->c\n", numbers, 24),
	       "8: a type that is a broken attribute");
	buf_addstr(&deep, HEAD NUMBERS "print fmt: \"%d\", ");
	for (int i = 0; i < 100000; i++)
		buf_addch(&deep, '(');
	buf_addstr(&deep, "REC->zero\n");
	TAP_OK(*render(deep.data, numbers, 24), "9: a hundred thousand parentheses");
	buf_release(&deep);
}

static void test_pages(void)
{
	struct ring_layout layout = { .commit_size = 8, .commit_off = 8, .data_off = 16, .subbuf_size = 4096 };
	uint8_t *mem = xcalloc(1, 4096);
	struct ring_build b;
	struct ring_record rec;
	struct ring_page pg;
	enum ring_status st;
	unsigned int n = 0;

	ring_build_start(&b, &layout, mem, 1);
	ring_build_event(&b, 1, numbers, sizeof(numbers));
	ring_build_commit(&b, 0);
	mem[11] = 7;	/* commit: more than 100 MiB */
	TAP_EQ(ring_page_open(&pg, &layout, mem, 4096), RING_COMMIT_TOO_LARGE, "10: a commit beyond the page");
	ring_build_start(&b, &layout, mem, 1);
	ring_build_header(&b, 0, 1);
	ring_build_word(&b, 0xfffffffc);
	ring_build_event(&b, 1, numbers, sizeof(numbers));
	ring_build_commit(&b, 0);
	ring_page_open(&pg, &layout, mem, 4096);
	while ((st = ring_page_next(&pg, &rec)) == RING_OK && n < 10000)
		n++;
	TAP_EQ(st, RING_EVENT_LENGTH, "11: a length that leads backwards");
	free(mem);
}

static void test_builtins(void)
{
	static const char bprint[] = "name: bprint\nID: 6\nformat:\n" COMMON F("unsigned long ip", 8, 8, 0)
		F("const char * fmt", 16, 8, 0) F("u32 buf[]", 24, 0, 0) "\nprint fmt: \"%s\", REC->fmt\n";
	static const char stack[] = "name: kernel_stack\nID: 4\nformat:\n" COMMON F("int size", 8, 4, 1)
		F("unsigned long caller[8]", 16, 64, 0) "\nprint fmt: \"\"\n";
	uint8_t d[31] = { 6, [8] = 200 };

	TAP_OK(*render_as("ftrace", bprint, d, 28), "16: trace_printk without its format");
	TAP_OK(*render_as("ftrace", bprint, d, 20), "16: trace_printk cut short");
	equal(render_as("ftrace", stack, d, 31), "<stack trace>\n => 0", "24: a stack that ends within an address");
}

/* Types as no kernel writes them; libtraceevent minds some of them, and is given them without what is odd. */
static void test_types(void)
{
	static const char *const types[] = { "int", "(*)", "(5)", "[4] int", "<int>", "__attribute__((x)) int",
					     "__attribute__((x)) *", "__attribute__((x)", "7", "**" };
	static const char *const engines[] = { "ftr", "traceevent" };
	static const uint8_t data[16] = { 44, 1, 0, 0, 7, 0, 0, 0, 5, 0, 0, 0, 6 };
	struct event_meta w = { .long_size = 8, .page_size = 4096 };

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		char *text = xasprintf(HEAD "\tfield:%s odd;\toffset:8;\tsize:4;\tsigned:1;\n" F("int n", 12, 4, 1)
				       "print fmt: \"%%d %%d\", REC->odd, REC->n\n", types[i]), *name;

		for (size_t k = 0; k < 2; k++) {
			struct ev_engine *e = ev_engine_new(&w, engines[k], NULL);
			struct ev_format f;
			struct ev_rec r = { .fmt = &f, .data = data, .len = sizeof(data), .long_size = 8 };

			buf_reset(&out);
			if (!ev_format_parse(&f, "test", text, strlen(text), NULL))
				ev_render(e, &r, 0, 0, &out);
			name = xasprintf("%s: the type '%s'", engines[k], types[i]);
			equal(out.len ? out.data : "unparsed", "5 6", name);
			ev_engine_free(e);
			ev_format_release(&f);
			free(name);
		}
		free(text);
	}
}

int main(void)
{
	test_types();
	test_numbers();
	test_strings();
	test_short();
	test_formats();
	test_pages();
	test_builtins();
	buf_release(&out);
	return tap_done();
}
