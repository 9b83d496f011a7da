/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Format files, field access, symbols and latency flags, on hand-written text and bytes. */
#include "event/data/format_lines.h"
#include "event/event.h"

#include "tap.h"

#define COMMON \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char good[] =
	"name: probe\nID: 300\nformat:\n" COMMON
	"\tfield:s16 small;\toffset:8;\tsize:2;\tsigned:1;\n"
	"\tfield:u8 cap[(int)sizeof(struct ieee80211_ht_cap)];\toffset:10;\tsize:2;\tsigned:0;\n"
	"\tfield:__data_loc char[] path;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:__rel_loc u32[] words;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:u64 values[(4 * sizeof(u64)) / sizeof(u64)];\toffset:24;\tsize:32;\tsigned:0;\n"
	"\tfield:const char * where;\toffset:56;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long graph_ent.func;\toffset:64;\tsize:8;\tsigned:0;\n"
	"\tfield:char type[4];\toffset:72;\tsize:4;\tsigned:0;\n"
	"\tfield:char type[4];\toffset:76;\tsize:4;\tsigned:0;\n"
	"\tfield:char rest[];\toffset:80;\tsize:0;\tsigned:0;\n"
	"\nprint fmt: \"%d\", REC->small\n";

static bool parses(const char *text)
{
	struct ev_format f;
	bool ok = !ev_format_parse(&f, "sys", text, strlen(text), NULL);

	if (ok)
		ev_format_release(&f);
	return ok;
}

static bool field_is(const struct ev_format *f, const char *name, enum ev_field_kind kind, uint32_t offset,
		     uint32_t size, uint32_t elem)
{
	const struct ev_field *fd = ev_field(f, name);

	return fd && fd->kind == kind && fd->offset == offset && fd->size == size && fd->elem_size == elem;
}

static void test_good(void)
{
	struct ev_format f;
	struct ftr_error err;

	if (!TAP_OK(!ev_format_parse(&f, "sys", good, strlen(good), &err), "a format is parsed"))
		return;
	TAP_OK(f.id == 300 && !strcmp(f.name, "probe") && !strcmp(f.print_fmt, "\"%d\", REC->small"),
	       "name, ID and print fmt");
	TAP_EQ(f.nr_fields, 14, "all fields");
	TAP_EQ(f.min_len, 80, "the length that is always there");
	TAP_OK(field_is(&f, "small", EV_FIXED, 8, 2, 0) && ev_field(&f, "small")->is_signed, "a number");
	TAP_OK(field_is(&f, "cap", EV_ARRAY, 10, 2, 1), "an array with a sizeof");
	TAP_OK(field_is(&f, "path", EV_DATA_LOC, 12, 4, 1) && ev_field(&f, "path")->is_string, "__data_loc");
	TAP_OK(field_is(&f, "words", EV_REL_LOC, 16, 4, 4), "__rel_loc");
	TAP_OK(field_is(&f, "values", EV_ARRAY, 24, 32, 8), "an array with an expression");
	TAP_OK(field_is(&f, "where", EV_FIXED, 56, 8, 0), "a pointer");
	TAP_OK(field_is(&f, "graph_ent.func", EV_FIXED, 64, 8, 0) &&
	       ev_field(&f, "func") == ev_field(&f, "graph_ent.func"), "a name with a dot");
	TAP_OK(field_is(&f, "type", EV_ARRAY, 72, 4, 1) && field_is(&f, "type_2", EV_ARRAY, 76, 4, 1),
	       "two fields of one name");
	TAP_OK(field_is(&f, "rest", EV_REST, 80, 0, 1), "an array up to the end");
	ev_format_release(&f);
}

/* The same text without parsing it whole. */
static void test_lines(void)
{
	struct format_field f;
	struct strv names = {0};
	const char *p = good, *s;
	size_t n = 0, len;
	uint16_t id = 0;

	while (format_field_next(&f, &p))
		n++;
	TAP_EQ(n, 14, "lines: all fields, and nothing of the print fmt");
	TAP_OK(format_field_find(&f, good, "values") && f.offset == 24 && f.size == 32 && !f.is_signed,
	       "lines: an array with an expression");
	TAP_OK(format_field_find(&f, good, "path") && f.decl_len == 22 && !memcmp(f.decl, "__data_loc char[] path", 22),
	       "lines: the declaration");
	TAP_OK(format_field_find(&f, good, "type") && f.offset == 72, "lines: the first of a name");
	TAP_OK(!format_field_find(&f, good, "func") && !format_field_find(&f, good, "smal"), "lines: a name is whole");
	format_field_names(good, false, &names);
	TAP_OK(names.n == 10 && !strcmp(names.v[0], "small") && !strcmp(names.v[4], "values"), "lines: names");
	strv_release(&names);
	s = format_name(good, strlen(good), &len);
	TAP_OK(s && len == 5 && !memcmp(s, "probe", 5) && format_id(good, &id) && id == 300, "lines: name and ID");
	s = format_print_fmt(good, &len);
	TAP_OK(s && len == 16 && !memcmp(s, "\"%d\", REC->small", 16), "lines: the print fmt");
	s = "name: x\n\tfield:;\toffset:0;\tsize:1;\n\tfield:int a;\tsize:4;\nprint fmt: field:int b;";
	TAP_OK(!format_field_next(&f, &s) && !format_id(s, &id), "lines: what is none");
	TAP_OK(!format_name("nam: x\n", 7, &len) && !format_print_fmt("name: x\n", &len), "lines: what is not there");
}

static void test_bad(void)
{
	static const struct { const char *name, *text; } cases[] = {
		{ "empty", "" },
		{ "no name", "ID: 1\nformat:\n" },
		{ "no number for an ID", "name: x\nID: one\nformat:\n" COMMON },
		{ "an ID beyond 65535", "name: x\nID: 65536\nformat:\n" COMMON },
		{ "a negative offset", "name: x\nID: 1\nformat:\n\tfield:int a;\toffset:-4;\tsize:4;\tsigned:1;\n" },
		{ "a size of 4 GiB",
		  "name: x\nID: 1\nformat:\n\tfield:int a;\toffset:0;\tsize:4294967295;\tsigned:1;\n" },
		{ "a field beyond 64 KiB",
		  "name: x\nID: 1\nformat:\n\tfield:int a;\toffset:65535;\tsize:4;\tsigned:1;\n" },
		{ "a __data_loc of 16 bytes",
		  "name: x\nID: 1\nformat:\n\tfield:__data_loc char[] a;\toffset:8;\tsize:16;\tsigned:1;\n" },
		{ "a field without a name", "name: x\nID: 1\nformat:\n\tfield:;\toffset:0;\tsize:4;\tsigned:1;\n" },
		{ "an escape sequence for a name",
		  "name: x\nID: 1\nformat:\n\tfield:int \033[2J;\toffset:0;\tsize:4;\tsigned:1;\n" },
		{ "a line that is no field", "name: x\nID: 1\nformat:\n" COMMON "garbage\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		TAP_OK(!parses(cases[i].text), cases[i].name);
	TAP_OK(parses("name: x\nID: 1\nformat:\n" COMMON), "a format without print fmt is one");
}

static void test_access(void)
{
	uint8_t d[96] = { 0x2c, 1, [8] = 0xfe, 0xff, [12] = 88, 0, 3, 0, [16] = 68, 0, 4, 0, [80] = 'r',
			  [88] = 'h', 'i', 0, 0, };
	struct ev_rec r = { .data = d, .len = sizeof(d), .long_size = 8 };
	const uint8_t *p = NULL;
	struct ev_format f;
	uint32_t len = 0;
	uint64_t v = 0;

	ev_format_parse(&f, "sys", good, strlen(good), NULL);
	r.fmt = &f;
	TAP_OK(ev_get_num(&r, ev_field(&f, "small"), &v) && (int64_t)v == -2, "a number with its sign");
	r.big = true;
	TAP_OK(ev_get_num(&r, ev_field(&f, "small"), &v) && (int64_t)v == -257, "a big-endian number");
	r.big = false;
	TAP_OK(ev_get_bytes(&r, ev_field(&f, "path"), &p, &len) && p == d + 88 && len == 3, "__data_loc bytes");
	TAP_OK(ev_get_bytes(&r, ev_field(&f, "words"), &p, &len) && p == d + 88 && len == 4,
	       "__rel_loc counts from the field's end");
	TAP_OK(ev_get_bytes(&r, ev_field(&f, "rest"), &p, &len) && p == d + 80 && len == 16, "the rest");
	r.len = 90;
	TAP_OK(!ev_get_bytes(&r, ev_field(&f, "path"), &p, &len), "bytes beyond the record");
	r.len = 9;
	TAP_OK(!ev_get_num(&r, ev_field(&f, "small"), &v), "a number beyond the record");
	TAP_OK(!ev_get_num(&r, ev_field(&f, "path"), &v), "a string is no number");
	ev_format_release(&f);
}

static bool symbol_is(struct ev_syms *s, uint64_t addr, const char *name, const char *module, uint64_t off)
{
	size_t n = 0, mod_n = 0;
	const char *mod = NULL, *got;
	uint64_t got_off = 0;

	got = ev_syms_find(s, addr, &n, &mod, &mod_n, &got_off);
	if (!name)
		return !got;
	return got && n == strlen(name) && !memcmp(got, name, n) && got_off == off &&
	       (module ? mod && mod_n == strlen(module) && !memcmp(mod, module, mod_n) : !mod);
}

static void test_symbols(void)
{
	static const char text[] =
		"0000000000000000 A fixed_percpu_data\n"
		"00000000000fffff A last_percpu\n"
		"ffffffff81002000 t second\n"
		"ffffffff81001000 D alias_data\n"
		"ffffffff81001000 T first\n"
		"ffffffff81001000 T first_alias\n"
		"not a line\n"
		"ffffffffc0000100 t nfs_open\t[nfs]\n"
		"ffffffffc0000200 t no_newline [x]";
	struct ev_syms *s = ev_syms_new(text, strlen(text)), *none = ev_syms_new("", 0);

	TAP_OK(symbol_is(s, 0xffffffff81001000, "first", NULL, 0), "a function before data and aliases");
	TAP_OK(symbol_is(s, 0xffffffff81001fff, "first", NULL, 0xfff), "inside a function");
	TAP_OK(symbol_is(s, 0xffffffff81002000, "second", NULL, 0), "an unsorted table");
	TAP_OK(symbol_is(s, 0xffffffffc0000180, "nfs_open", "nfs", 0x80), "a module's function");
	TAP_OK(symbol_is(s, 0xffffffffc0000200, "no_newline", "x", 0), "the last line");
	TAP_OK(symbol_is(s, 0xffffffff81000fff, NULL, NULL, 0), "below the first");
	TAP_OK(symbol_is(s, 0x100000, NULL, NULL, 0), "absolute symbols are no functions");
	TAP_OK(symbol_is(s, UINT64_MAX, NULL, NULL, 0), "far above the last");
	TAP_OK(symbol_is(none, 1, NULL, NULL, 0) && symbol_is(NULL, 1, NULL, NULL, 0), "no symbols");
	ev_syms_free(s);
	ev_syms_free(none);
	ev_syms_free(NULL);
}

static void test_latency(void)
{
	static const struct { uint8_t flags, count; const char *want; } cases[] = {
		{ 0x00, 0x00, "....." }, { 0x01, 0x00, "d...." }, { 0x81, 0x01, "D..1." },
		{ 0x80, 0x00, "b...." }, { 0x24, 0x10, ".N..1" }, { 0x04, 0x00, ".N..." },
		{ 0x20, 0x00, ".p..." }, { 0x02, 0x00, ".l..." }, { 0x22, 0x00, ".L..." },
		{ 0x06, 0x00, ".b..." }, { 0x26, 0x00, ".B..." }, { 0x08, 0x0f, "..hf." },
		{ 0x10, 0xf0, "..s.f" }, { 0x18, 0x00, "..H.." }, { 0x40, 0x00, "..z.." },
		{ 0x48, 0x00, "..Z.." },
	};
	char got[6];
	size_t bad = 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint8_t d[8] = { 1, 0, cases[i].flags, cases[i].count };
		struct ev_rec r = { .data = d, .len = sizeof(d) };

		ev_print_latency(NULL, &r, got);
		if (strcmp(got, cases[i].want)) {
			printf("# %02x %02x: '%s', not '%s'\n", cases[i].flags, cases[i].count, got, cases[i].want);
			bad++;
		}
	}
	TAP_EQ(bad, 0, "latency flags");
}

int main(void)
{
	test_good();
	test_lines();
	test_bad();
	test_access();
	test_symbols();
	test_latency();
	return tap_done();
}
