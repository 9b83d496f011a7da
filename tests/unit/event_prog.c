/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Print fmts compiled by the engine "ftr": values worked out by hand by C's rules, and what a
 * kernel's helpers print. Each case is a print fmt over one fixed record.
 */
#include "event/event.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "tap.h"

#define F(decl, off, size, sign) "\tfield:" decl ";\toffset:" #off ";\tsize:" #size ";\tsigned:" #sign ";\n"

/*
 * n=-5 (int), u=0xfffffffb (the same bits, unsigned), b=200 (u8), sb=-56 (s8, the same bits), w=0xffff
 * (u16), l=-1 (long), ul=2^63+1, zero=0, str="kernel", dyn={1,2,3} (u32), one=1, ptr, arr = 10 20 30 (u16).
 */
static const char fields[] =
	F("unsigned short common_type", 0, 2, 0) F("unsigned char common_flags", 2, 1, 0)
	F("unsigned char common_preempt_count", 3, 1, 0) F("int common_pid", 4, 4, 1) "\n"
	F("int n", 8, 4, 1) F("unsigned int u", 12, 4, 0) F("u8 b", 16, 1, 0) F("s8 sb", 17, 1, 1)
	F("u16 w", 18, 2, 0) F("int zero", 20, 4, 1) F("long l", 24, 8, 1) F("unsigned long ul", 32, 8, 0)
	F("__data_loc char[] str", 40, 4, 1) F("__data_loc u32[] dyn", 44, 4, 0) F("bool one", 48, 1, 0)
	F("u16 arr[3]", 50, 6, 0) F("void * ptr", 56, 8, 0) F("char name[8]", 64, 8, 1)
	F("__data_loc cpumask_t mask", 72, 4, 0) F("__rel_loc char[] rel", 76, 4, 1);

static const uint8_t record[] = {
	44, 1, 0x08, 0, 7, 0, 0, 0,
	0xfb, 0xff, 0xff, 0xff, 0xfb, 0xff, 0xff, 0xff,
	200, 200, 0xff, 0xff, 0, 0, 0, 0,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	1, 0, 0, 0, 0, 0, 0, 0x80,
	80, 0, 7, 0, 88, 0, 12, 0,
	1, 0, 10, 0, 20, 0, 30, 0,
	0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01,
	'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h',
	100, 0, 8, 0, 28, 0, 4, 0,
	'k', 'e', 'r', 'n', 'e', 'l', 0, 0,
	1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0,
	0x0f, 0, 0, 0, 0, 0, 0, 0,
	'r', 'e', 'l', 0,
};

static const struct { const char *print_fmt, *want; } cases[] = {
	/* signs: libtraceevent computes in 64 unsigned bits */
	{ "\"%s\", REC->n < 0 ? \"neg\" : \"pos\"", "neg" },
	{ "\"%s\", REC->u < 0 ? \"neg\" : \"pos\"", "pos" },
	{ "\"%lld\", (long long)REC->n", "-5" },
	{ "\"%lld\", (long long)REC->u", "4294967291" },
	{ "\"%d %u\", REC->n, REC->n", "-5 4294967291" },
	{ "\"%d %d\", REC->b, REC->sb", "200 -56" },
	{ "\"%s\", REC->n < REC->u ? \"less\" : \"not\"", "not" },
	{ "\"%s\", REC->n == REC->u ? \"same\" : \"not\"", "same" },
	{ "\"%s\", REC->n < (long)REC->u ? \"less\" : \"not\"", "less" },
	{ "\"%s\", REC->sb < REC->b ? \"less\" : \"not\"", "less" },
	{ "\"%s\", REC->l < 1U ? \"less\" : \"not\"", "less" },
	{ "\"%s\", REC->l < 1UL ? \"less\" : \"not\"", "not" },
	/* promotion and 32-bit wrap */
	{ "\"%d\", REC->b + REC->b", "400" },
	{ "\"%d\", (u8)(REC->b + REC->b)", "144" },
	{ "\"%lx\", (unsigned long)(REC->u + 10)", "5" },
	{ "\"%lx\", (unsigned long)REC->u + 10", "100000005" },
	{ "\"%lx\", (unsigned long)(REC->u << 4)", "ffffffb0" },
	{ "\"%lx\", (unsigned long)REC->u << 4", "fffffffb0" },
	{ "\"%x %x\", ~REC->b, (u8)~REC->b", "ffffff37 37" },
	{ "\"%x\", -REC->w", "ffff0001" },
	{ "\"%d\", !REC->n + !REC->zero", "1" },
	{ "\"%hhu %hd %hx\", REC->n, REC->u, REC->n", "251 -5 fffb" },
	/* left to right */
	{ "\"%d\", REC->b - 1 - 1", "198" },
	{ "\"%d\", REC->b / 3 / 2", "33" },
	{ "\"%d\", REC->b - (1 - 1)", "200" },
	{ "\"%d\", 100 - 10 * 2 + 3 % 2", "81" },
	{ "\"%d\", 1 | 6 & 3 ^ 1", "3" },
	{ "\"%d\", REC->one ^ 3", "2" },
	{ "\"%d\", 1 << 2 + 1", "8" },
	{ "\"%d\", 3 > 2 > 1", "0" },
	{ "\"%d\", REC->zero || REC->n && !REC->one", "0" },
	{ "\"%d\", REC->zero ? 1 : REC->one ? 2 : 3", "2" },
	/* division, shifts */
	{ "\"%d\", REC->n / 2", "-2" },
	{ "\"%d\", REC->n % 3", "-2" },
	{ "\"%u\", REC->u / 2", "2147483645" },
	{ "\"%d %d\", REC->b / REC->zero, REC->b % REC->zero", "0 0" },
	{ "\"%ld\", REC->l / -1", "1" },
	{ "\"%d\", REC->n >> 1", "-3" },
	{ "\"%u\", REC->u >> 1", "2147483645" },
	{ "\"%lu\", REC->ul >> 63", "1" },
	{ "\"%ld\", REC->l >> 63", "-1" },
	{ "\"%d %d\", 1 << (REC->one + 32), REC->b >> (REC->one + 32)", "2 100" },
	{ "\"%llu\", REC->ul / 1000000000ULL", "9223372036" },
	/* casts */
	{ "\"%d %d\", (bool)REC->n, (bool)REC->zero", "1 0" },
	{ "\"%lx\", (unsigned long)(int)REC->ul", "1" },
	{ "\"%lx\", (unsigned long)(signed char)REC->b", "ffffffffffffffc8" },
	{ "\"%x\", (__force unsigned int)(gfp_t)REC->ul", "1" },
	{ "\"%d\", (some_type_t)REC->n", "-5" },
	{ "\"%d\", (enum pid_type)REC->one", "1" },
	/* literals */
	{ "\"%d %d %d\", 010, 0x10, 'A'", "8 16 65" },
	{ "\"%lx %llx\", -1UL, 0xffffffffULL", "ffffffffffffffff ffffffff" },
	{ "\"%lx\", (unsigned long)-1U", "ffffffff" },
	{ "\"%s\", \"a\" \"b\\tc\"", "ab\tc" },
	{ "\"%s\", -1 < 0U ? \"less\" : \"not\"", "not" },
	/* ?: */
	{ "\"%d\", REC->zero ?: 7", "7" },
	{ "\"%d\", REC->one ? : 7", "1" },
	{ "\"%d\", __builtin_constant_p(REC->n) ? nonsense(1) : REC->one", "1" },
	/* pointers */
	{ "\"%d\", *(u16 *)((void *)REC + 52)", "20" },
	{ "\"%d\", ((u32 *)__get_dynamic_array(dyn))[1]", "2" },
	{ "\"%d\", *((u32 *)__get_dynamic_array(dyn) + 2)", "3" },
	{ "\"%d %d\", REC->arr[2], REC->arr[REC->one]", "30 20" },
	{ "\"%d\", REC->arr[100000000]", "0" },
	{ "\"%d\", REC->arr[REC->n * 100]", "0" },
	{ "\"%c%c\", __get_str(str)[0], REC->name[1]", "kb" },
	{ "\"%s\", __get_str(str)[0] ? \" \" : \"\"", " " },
	{ "\"%d %d\", __get_dynamic_array_len(dyn), __get_dynamic_array_len(dyn) / sizeof(u32)", "12 3" },
	{ "\"%pM\", &REC->arr[0]", "0a:00:14:00:1e:00" },
	{ "\"%pI4\", &REC->u", "251.255.255.255" },
	{ "\"%ph\", &REC->b", "c8" },
	{ "\"%*ph\", 3, __get_dynamic_array(dyn)", "01 00 00" },
	{ "\"%d\", ((const struct drm_rect *)__get_dynamic_array(dyn))->y1", "2" },
	{ "\"%p\", REC->ptr", "0123456789abcdef" },
	{ "\"%s\", REC->ptr ? \"set\" : \"not\"", "set" },
	{ "\"%ld %ld\", (u32 *)(REC->ptr + 8) - (u32 *)REC->ptr, (u32 *)REC->ptr - (u32 *)(REC->ptr + 8)", "2 -2" },
	{ "\"%ld %ld\", (REC->ptr + 8) - REC->ptr, (char *)(REC->ptr + 8) - (char *)REC->ptr", "8 8" },
	/* a variable of the kernel's printer */
	{ "\"%X\", flags", "1" },
	/* calls */
	{ "\"%x %x\", __builtin_bswap16(REC->w - 1), __builtin_bswap32(0x12345678)", "feff 78563412" },
	{ "\"%d %d\", __ilog2_u32(REC->b), __order_base_2(REC->b)", "7 8" },
	{ "\"%zu %zu %zu\", sizeof(int), sizeof(REC->arr), sizeof(struct { int:(-!!(1)); })", "4 6 0" },
	{ "\"%s %s\", str_yes_no(REC->one), str_plural(REC->one)", "yes " },
	{ "\"%d\", __event_in_hardirq() ? 1 : 0", "1" },
	{ "\"%llu.%llu\", __print_ns_to_secs(REC->ul), __print_ns_without_secs(REC->ul)", "9223372036.854775809" },
	{ "\"%d:%d\", MAJOR(REC->u), MINOR(REC->u)", "4095:1048571" },
	{ "\"%s %s\", __get_rel_str(rel), REC->name", "rel abcdefgh" },
	{ "\"%.*s|%-8.3s|%10s|\", 2, __get_str(str), __get_str(str), __get_str(str)", "ke|ker     |    kernel|" },
	{ "\"%s\", __get_cpumask(mask)", "00000000,0000000f" },
	/* flags: a 0 mask, bits left over, nothing set */
	{ "\"%s\", __print_flags(REC->one, \"|\", { 0, \"NONE\" }, { 1, \"A\" })", "NONE|A" },
	{ "\"%s.\", __print_flags(REC->zero, \"|\", { 0, \"NONE\" }, { 1, \"A\" })", "." },
	{ "\"%s\", __print_flags(REC->b, \"\", { 8, \"X\" }, { 0xc0, \"YZ\" }, { 3, \"no\" })", "XYZ" },
	{ "\"%s\", __print_flags(REC->n, \",\", { 1, \"one\" })", "one,0xfffffffffffffffa" },
	{ "\"%s\", __print_flags_u64(REC->one, NULL, { 1ULL, \"A\" })", "A" },
	{ "\"%s %s\", __print_symbolic(REC->n, { -5, \"minus\" }), __print_symbolic(REC->b, { 1, \"x\" })", "minus 0xc8" },
	{ "\"[%10s]\", __print_symbolic(REC->one, { 1, \"x\" })", "[         x]" },
	{ "\"%s\", REC->one ? __print_symbolic(REC->one, { 1, \"x\" }) : \"no\"", "x" },
	{ "\"%s\", __print_hex(__get_dynamic_array(dyn), 5)", "01 00 00 00 02" },
	{ "\"%s\", __print_hex_str(REC->arr, 4)", "0a001400" },
	{ "\"%s %s\", __print_array(REC->arr, 3, 2), __print_dynamic_array(dyn, 4)", "{0xa,0x14,0x1e} {0x1,0x2,0x3}" },
	/* statement expressions */
	{ "\"%d\", ({ int x = (REC->n); int y = 128; x < y ? x : y; })", "-5" },
	{ "\"%u\", ({ u8 x = REC->n; x; })", "251" },
	{ "\"%s\", ({ char *s; switch (REC->one + 1) { case 1: s = \"one\"; break; case 3: case 2: s = \"two\"; break; "
	  "default: s = \"?\"; } s; })", "two" },
	{ "\"%s\", ({ char *s; int k = 3; switch (REC->zero) { case 0: switch (k) { case 1: s = \"a\"; break; case 2: "
	  "default: s = \"b\"; break; } break; default: s = \"\"; } s; })", "b" },
	{ "\"%s!\", ({ const char *saved_ptr = trace_seq_buffer_ptr(p); static const char *t[] = { \"no\", \"yes\" }; "
	  "trace_seq_printf(p, \"n=%d %s\", REC->n, t[REC->one]); saved_ptr; })", "n=-5 yes!" },
	{ "\"[%8s]\", ({ const char *saved_ptr = trace_seq_buffer_ptr(p); trace_seq_printf(p, \"n=%d\", REC->n); "
	  "saved_ptr; })", "[    n=-5]" },
	{ "\"%s\", ({ const char *one = trace_seq_buffer_ptr(p); trace_seq_printf(p, \"<%d %s>\", REC->n, ({ const char *two = "
	  "trace_seq_buffer_ptr(p); trace_seq_printf(p, \"(%d)\", REC->one); two; })); one; })", "<-5 (1)>" },
	/* compound literals: of a type that is known, with a body, and of which the name alone is known */
	{ "\"%lld\", ((ktime_t) { .tv64 = REC->ul }).tv64", "-9223372036854775807" },
	{ "\"%llu\", (unsigned long long)(((ktime_t) { .tv64 = REC->n }).tv64)", "18446744073709551611" },
	{ "\"%lld %lld\", ((ktime_t){ REC->n }).tv64, ((const ktime_t) { tv64: 7, }).tv64", "-5 7" },
	{ "\"%lld %lx\", ktime_to_ns((ktime_t){ 9 }), pte_val(((pte_t) { .pte = REC->b }))", "9 c8" },
	{ "\"%d %d %d %zu\", (int){ REC->b } + 1, (u8){ REC->w }, (int){ { 7 } }, sizeof((u16){ 1 })", "201 255 7 2" },
#define SEVERAL "((struct { int a; u8 b, c; long d; }) { REC->n, REC->w, .d = REC->b })"
	{ "\"%d %d %d %ld\", " SEVERAL ".a, " SEVERAL ".b, " SEVERAL ".c, " SEVERAL ".d", "-5 255 0 200" },
	{ "\"%d\", ((struct { struct { int x, y; } p; int z; }){ { 1, 2 }, 3 }).p.y", "2" },
#define FLAT "((struct tag { struct { int x, y; } p; int z; }){ 1, 2, 3 })"
	{ "\"%d %d %d\", " FLAT ".p.x, " FLAT ".p.y, " FLAT ".z", "1 2 3" },
#define CHAIN "((struct { struct { int x, y; } p; int z; }){ .p.x = 4, 5, 6 })"
	{ "\"%d %d %d\", " CHAIN ".p.x, " CHAIN ".p.y, " CHAIN ".z", "4 5 6" },
#define LATER "((struct { struct { int x, y; } p; int z; }){ .z = 6, .p = { .y = 5 }, .z = 8 })"
	{ "\"%d %d %d\", " LATER ".p.x, " LATER ".p.y, " LATER ".z", "0 5 8" },
	{ "\"%lld\", ((struct { int x; ktime_t t; }){ 6, (ktime_t){ 5 } }).t.tv64", "5" },
	{ "\"%lld\", ((struct { int x; ktime_t t; }){ 6, { 5 } }).t.tv64", "5" },
	{ "\"%lld %lld\", (&(ktime_t){ .tv64 = 9 })->tv64, (*(&(ktime_t){ 8 })).tv64", "9 8" },
	{ "\"%d\", ((union { u32 w; u8 b; s8 c; }){ .w = REC->u }).c", "-5" },
	{ "\"%u\", ((union { u8 b; u32 w; }){ REC->n }).w", "251" },
	{ "\"%d %d\", ((struct { union { u32 v; u16 h; }; int k; }){ .v = 0x12345, .k = 1 }).h, "
	  "((struct { union { u32 v; u16 h; }; int k; }){ { 2 }, 1 }).v", "9029 2" },
	{ "\"%d %d\", ((struct { unsigned int a:3; int b:3; }){ 15, 7 }).a, "
	  "((struct { unsigned int a:3; int b:3; }){ 15, 7 }).b", "7 -1" },
	{ "\"%d %d\", ((u16[]){ 1, 70000, 3 })[1], ((u16[]){ 1, 70000, 3 })[REC->one + 1]", "4464 3" },
	{ "\"%d %d\", ((int[4]){ [2] = 5, 6 })[3], ((int[4]){ [2] = 5, 6 })[0]", "6 0" },
	{ "\"%d %d\", ((int[2][2]){ { 1, 2 }, { 3, 4 } })[1][0], ((int[2][2]){ 1, 2, 3, 4 })[1][0]", "3 3" },
	{ "\"%d\", ((struct { u8 a[3]; int n; }){ { 1, 2 }, 9 }).a[1]", "2" },
	{ "\"%s %s\", ((const char *[]){ \"no\", \"yes\" })[REC->one], ((char *[2]){ \"no\", \"yes\" })[0]", "yes no" },
	{ "\"%c%c\", ((char[4]){ \"abc\" })[1], ((struct { char s[4]; }){ \"xyz\" }).s[2]", "bz" },
	{ "\"%d %d\", ((struct foo){ .a = REC->n, .b = { .c = 7 } }).b.c, ((foo_t){ .a = REC->n, .b.c = 7 }).a", "7 -5" },
	{ "\"%lld\", REC->one ? ((ktime_t){ 5 }).tv64 : 0", "5" },
	{ "\"%d %d\", ((struct foo){ .a = REC->n }).z, REC->one", "z({}(0xfffffffffffffffb)) 1" },
	{ "\"%d %d\", ((ktime_t){ 1, 2 }).tv64, REC->one", "? 1" },
	{ "\"%d %d\", ((ktime_t){ .nothing = 1 }).tv64, REC->one", "? 1" },
	{ "\"%d %d\", ((u8[]){ 1 })[1], REC->one", "? 1" },
	{ "\"%d %d\", ((u8[2]){ [2] = 1 })[1], REC->one", "? 1" },
	/* macros that formats of early kernels have expanded */
	{ "\"%d %d\", __entry->n, *(u16 *)((char *)__entry + 52)", "-5 20" },
	{ "\"%s\", ftrace_print_hex_seq(p, __get_dynamic_array(dyn), 5)", "01 00 00 00 02" },
	{ "\"%s\", ftrace_print_hex_seq(p, ((void *)((char *)__entry + (__entry->__data_loc_dyn & 0xffff))), 3)", "01 00 00" },
	{ "\"%s %s\", trace_print_hex_seq(p, REC->arr, 4, true), trace_print_hex_seq(p, REC->arr, 4, false)",
	  "0a001400 0a 00 14 00" },
	{ "\"%s\", (char *)REC + (REC->__data_loc_str & 0xffff)", "kernel" },
#define ROWS "({ static const struct trace_print_flags_u64 s[] = { { 1, \"one\" }, { 200ULL, \"b\" }, " \
	"{ -1, ((void *)0) } }; "
	{ "\"%s %s\", " ROWS "ftrace_print_symbols_seq_u64(p, REC->b, s); }), " ROWS
	  "trace_print_flags_seq(p, \"|\", REC->b + 1, s); })", "b one|b" },
	{ "\"%s %d\", " ROWS "ftrace_print_symbols_seq_u64(p, REC->b, nothing); }), REC->n", "? -5" },
	{ "\"%s\", " ROWS "ftrace_print_flags_seq(p, \",\", REC->w, s); })", "one,b,0xff36" },
	{ "\"%d\", ({ int x = REC->n; __ilog2_u32(x + 13); })", "3" },
	/* numbers cut to the conversion, extended by their own type */
	{ "\"%hhd %hd %hhu %hx\", REC->n, REC->n, REC->n, REC->n", "-5 -5 251 fffb" },
	{ "\"%x %u %d\", REC->sb, REC->sb, REC->sb", "ffffffc8 4294967240 -56" },
	{ "\"%lx %lu %ld %d\", REC->ul, REC->ul, REC->ul, REC->ul",
	  "8000000000000001 9223372036854775809 -9223372036854775807 1" },
	{ "\"%u %d %llu\", (u8)REC->n, (s8)REC->u, (u64)REC->n", "251 -5 18446744073709551611" },
	{ "\"[%5d][%05d][%05d][%3u][%12u]\", REC->n, REC->n, REC->b, REC->u, REC->u",
	  "[   -5][-0005][00200][4294967291][  4294967291]" },
	{ "\"%02x %04x %016lx %08lx %#x\", REC->b, REC->w, REC->ul, REC->ul, REC->n",
	  "c8 ffff 8000000000000001 8000000000000001 0xfffffffb" },
	{ "\"%u %lu %lu %lu\", 99999999, 100000000UL, 10000000012345678UL, 18446744073709551615UL",
	  "99999999 100000000 10000000012345678 18446744073709551615" },
	{ "\"%d %x\", REC->common_pid, REC->common_type", "7 12c" },
	/* texts of one value and of two */
	{ "\"%s%s\", (REC->w & 3) ? __print_flags(REC->w & 3, \"|\", { 1, \"A\" }, { 2, \"B\" }) : \"R\", "
	  "REC->w & 4 ? \"+\" : \"\"", "A|B+" },
	{ "\"%s\", REC->zero ? \"a\" : REC->b == 200 ? \"b\" : \"c\"", "b" },
	{ "\"%s\", __print_symbolic(REC->b, { 200, \"a name of more bytes than are kept for the next record\" })",
	  "a name of more bytes than are kept for the next record" },
	/* raw quotes, as the kernel writes them, and two literals */
	{ "\"name=\"%s\" n=%d\", __get_str(str), REC->n", "name=\"kernel\" n=-5" },
	{ "\"err=\"%s\"\", __get_str(str)", "err=\"kernel\"" },
	{ "\"a%d\" \"b%d\", REC->one, REC->zero", "a1b0" },
	{ "\"100%% %c\", 'x'", "100% x" },
	/* one argument that only the kernel knows does not harm the others */
	{ "\"%d %s %d\", REC->n, kernel_name(REC->b, __get_str(str)), REC->one", "-5 kernel_name(0xc8, \"kernel\") 1" },
	{ "\"%lu %d\", (jiffies - REC->ul) / HZ, REC->one", "jiffies(0x8000000000000001) 1" },
	{ "\"%s\", REC->zero ? kernel_name(1) : \"known\"", "known" },
	{ "\"%d %d\", REC->none, REC->one", "? 1" },
	{ "\"%d %d\", (REC->one, REC->n", "? ?" },
	{ "\"%d %d\", REC->one", "1 ?" },
	{ "\"%s %d\", __print_symbolic(REC->one, { SOMETHING_ODD, \"odd\" }, { 1, \"one\" }), REC->n", "one -5" },
};

static struct buf out;
#define BEFORE "what stands in the buffer before: "

static char *format_text(const char *print_fmt)
{
	return xasprintf("name: probe\nID: 300\nformat:\n%s\nprint fmt: %s\n", fields, print_fmt);
}

static const char *render(struct ev_engine *e, const struct ev_format *f, const uint8_t *data, uint32_t len)
{
	struct ev_rec r = { .fmt = f, .data = data, .len = len, .long_size = 8 };

	buf_reset(&out);
	buf_addstr(&out, BEFORE);
	ev_render(e, &r, 0, 0, &out);
	return out.data + strlen(BEFORE);
}

static void test_cases(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct event_meta w = { .long_size = 8, .page_size = 4096 };
		struct ev_engine *e = ev_engine_new(&w, "ftr", NULL);
		char *text = format_text(cases[i].print_fmt), name[160];
		struct ev_format f;
		const char *got = "unparsed", *why = NULL;

		if (!ev_format_parse(&f, "test", text, strlen(text), NULL)) {
			/* the second time texts come from where they were kept */
			render(e, &f, record, sizeof(record));
			got = render(e, &f, record, sizeof(record));
			why = ev_degraded(e, &f);
		}
		snprintf(name, sizeof(name), "%.120s", cases[i].print_fmt);
		if (!TAP_OK(!strcmp(got, cases[i].want), name))
			printf("# got '%s', want '%s'; %s\n", got, cases[i].want, why ? why : "whole");
		ev_engine_free(e);
		ev_format_release(&f);
		free(text);
	}
}

/* Which argument is not as the kernel has it, and why: of a number, of a text, of a text in a choice. */
static void test_reasons(void)
{
	static const struct { const char *print_fmt, *why; } reasons[] = {
		{ "\"%d %s\", REC->n, kernel_name(REC->b)",
		  "argument 2: it needs 'kernel_name()', which only the kernel knows" },
		{ "\"%lu %d\", jiffies, REC->one", "argument 1: it needs 'jiffies', which only the kernel knows" },
		{ "\"%8s|%s\", kernel_name(1), REC->zero ? other_name(2) : \"known\"",
		  "argument 1: it needs 'kernel_name()', which only the kernel knows; "
		  "argument 2: it needs 'other_name()', which only the kernel knows" },
		{ "\"%d\", { 1 }", "argument 1: a value is missing before '{'" },
		{ "\"%d\", REC->n +", "argument 1: a value is missing at its end" },
		{ "\"%d\", *(int *)REC->ptr",
		  "argument 1: it reads the target of a pointer, which is in the kernel's memory" },
		{ "\"%d\", ((int *)REC->ptr)[2]",
		  "argument 1: it reads the target of a pointer, which is in the kernel's memory" },
		{ "\"%lu\", (unsigned long)&REC->n",
		  "argument 1: it is the address of something in the kernel's buffer" },
		{ "\"%s\", some_names[REC->one]",
		  "argument 1: it needs 'some_names', which only the kernel knows" },
		{ "\"%lu\", (unsigned long)((struct foo *)REC->ptr - mem_map)",
		  "argument 1: it needs 'mem_map', which only the kernel knows" },
		{ "\"%zu\", sizeof(struct foo)",
		  "argument 1: it needs the size of a structure, which only the kernel knows" },
		{ "\"%d\", ((struct page *)REC->ptr)->index",
		  "argument 1: it reads the member 'index' of a structure that no format describes" },
		{ "\"%d\", ((struct foo){ .a = 1 }).z",
		  "argument 1: it reads the member 'z' of a structure that no format describes" },
		{ "\"%d\", ((struct foo){ .a = 1 })", "argument 1: it is a structure as a whole" },
		{ "\"%d\", ((ktime_t){ .nothing = 1 }).tv64", "argument 1: a literal has no member 'nothing'" },
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
		struct event_meta w = { .long_size = 8, .page_size = 4096 };
		struct ev_engine *e = ev_engine_new(&w, "ftr", NULL);
		char *text = format_text(reasons[i].print_fmt);
		struct ev_format f;
		const char *why;

		ev_format_parse(&f, "test", text, strlen(text), NULL);
		why = ev_degraded(e, &f);
		if (!TAP_OK(why && !strcmp(why, reasons[i].why), reasons[i].print_fmt))
			printf("# got '%s'\n", why ? why : "whole");
		ev_engine_free(e);
		ev_format_release(&f);
		free(text);
	}
}

/* "flags" is what the kernel's options say of symbols. */
static void test_options(void)
{
	static const struct ev_style style = { .no_parent = true, .sym_offset = true, .sym_addr = true };
	char *text = format_text("\"flags=%X\", flags");
	struct event_meta w = { .long_size = 8, .page_size = 4096 };
	struct ev_engine *e = ev_engine_new(&w, "ftr", NULL);
	struct ev_format f;

	ev_format_parse(&f, "test", text, strlen(text), NULL);
	ev_set_style(e, &style);
	TAP_OK(!strcmp(render(e, &f, record, sizeof(record)), "flags=6"), "the printer's flags");
	ev_engine_free(e);
	ev_format_release(&f);
	free(text);
}

/* Texts are kept by value: others of the same field, and other conversions, have their own. */
static void test_values(void)
{
	static const char *const want[] = { "one 1 1", "two 0x2 0x2", "0x3 1|0x2 0x3", "0  0x0" };
	struct event_meta w = { .long_size = 8, .page_size = 4096 };
	struct ev_engine *e = ev_engine_new(&w, "ftr", NULL);
	char *text = format_text("\"%s %s %s\", REC->zero ? __print_symbolic(REC->zero, { 1, \"one\" }, "
				 "{ 2, \"two\" }) : \"0\", __print_flags(REC->zero, \"|\", { 1, \"1\" }), "
				 "__print_symbolic(REC->zero, { 1, \"1\" })");
	uint8_t copy[sizeof(record)];
	struct ev_format f;
	bool fine = true;

	ev_format_parse(&f, "test", text, strlen(text), NULL);
	memcpy(copy, record, sizeof(copy));
	for (unsigned int i = 0; i < 12; i++) {
		copy[20] = (i + 1) % 4;
		fine = fine && !strcmp(render(e, &f, copy, sizeof(copy)), want[i % 4]);
	}
	TAP_OK(fine, "texts of one field's values, in turn");
	ev_engine_free(e);
	ev_format_release(&f);
	free(text);
}

/* __event_in_irq() and its kin read common_flags, whatever the file says of it. */
static void test_odd_flags(void)
{
	static const char *const odd[] = { "8;\tsize:0", "9;\tsize:3", "10;\tsize:16", "8;\tsize:250" };
	struct event_meta w = { .long_size = 8, .page_size = 4096 };
	static const uint8_t long_record[300];
	bool fine = true;

	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		struct ev_engine *e = ev_engine_new(&w, "ftr", NULL);
		char *text = xasprintf("name: probe\nID: 300\nformat:\n\tfield:unsigned short common_type;\toffset:0;"
				       "\tsize:2;\tsigned:0;\n\tfield:unsigned char common_flags;\toffset:%s;\t"
				       "signed:0;\n\nprint fmt: \"%%s %%d\", __event_in_irq() ? \"irq\" : \"none\", "
				       "__event_in_hardirq()\n", odd[i]);
		struct ev_format f;

		if (!ev_format_parse(&f, "test", text, strlen(text), NULL)) {
			fine = fine && *render(e, &f, long_record, sizeof(long_record));
			ev_format_release(&f);
		}
		ev_engine_free(e);
		free(text);
	}
	TAP_OK(fine, "common_flags of odd sizes");
}

static void test_big_endian(void)
{
	static const uint8_t swapped[] = {
		1, 44, 0, 0, 0, 0, 0, 7,
		0xff, 0xff, 0xff, 0xfb, 0xff, 0xff, 0xff, 0xfb, 200, 200, 0xff, 0xfe, 0, 0, 0, 2,
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 1,
		0, 7, 0, 80, 0, 0, 0, 80, 1, 0, 0, 10, 0, 20, 0, 30, 1, 2, 3, 4, 5, 6, 7, 8,
		'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 0, 0, 0, 80, 0, 0, 0, 0,
		'k', 'e', 'r', 'n', 'e', 'l', 0,
	};
	struct event_meta w = { .long_size = 8, .page_size = 4096, .big = true };
	struct ev_engine *e = ev_engine_new(&w, "ftr", NULL);
	struct ev_rec r = { .data = swapped, .len = sizeof(swapped), .long_size = 8, .big = true };
	char *text = format_text("\"%d %hhd %x %u %hhx %lx %ld %d %p %s %s %s\", REC->n, REC->n, REC->sb, REC->w, "
				 "REC->w, REC->ul, REC->l, REC->ul, REC->ptr, REC->name, __get_str(str), "
				 "__print_symbolic(REC->zero, { 2, \"two\" })");
	struct ev_format f;

	ev_format_parse(&f, "test", text, strlen(text), NULL);
	r.fmt = &f;
	buf_reset(&out);
	ev_render(e, &r, 0, 0, &out);
	if (!TAP_OK(!strcmp(out.data, "-5 -5 ffffffc8 65534 fe 8000000000000001 -1 1 0102030405060708 abcdefgh "
				      "kernel two"), "a big-endian record"))
		printf("# got '%s'\n", out.data);
	ev_engine_free(e);
	ev_format_release(&f);
	free(text);
}

/* Every length of a record, every place that its dynamic fields may point to. */
static void test_short(void)
{
	struct event_meta w = { .long_size = 8, .page_size = 4096 };
	struct ev_engine *e = ev_engine_new(&w, "ftr", NULL);
	char *text = format_text("\"%s %d %s %s %s\", __get_str(str), ((u32 *)__get_dynamic_array(dyn))[1], "
				 "__print_hex(__get_dynamic_array(dyn), REC->b), __get_cpumask(mask), __get_rel_str(rel)");
	struct ev_format f;
	bool fine = true;

	ev_format_parse(&f, "test", text, strlen(text), NULL);
	for (uint32_t len = 0; len <= sizeof(record); len++) {
		uint8_t *copy = memcpy(xmalloc(len + !len), record, len);

		for (unsigned int off = 0; len > 80 && off < 130; off++) {
			copy[40] = copy[44] = copy[72] = off;
			fine = fine && *render(e, &f, copy, len);
		}
		fine = fine && *render(e, &f, copy, len);
		free(copy);
	}
	TAP_OK(fine, "records cut at each byte, dynamic fields that point anywhere");
	ev_engine_free(e);
	ev_format_release(&f);
	free(text);
}

/* What grows with the text's size has a limit. */
static void test_bounds(void)
{
	struct event_meta w = { .long_size = 8, .page_size = 4096 };
	struct ev_engine *e = ev_engine_new(&w, "ftr", NULL);
	struct buf b = { 0 };
	struct ev_format f;
	char *text;

	buf_addstr(&b, "\"");
	for (int i = 0; i < 400; i++)
		buf_addstr(&b, "%99999999d");
	buf_addstr(&b, "\"");
	for (int i = 0; i < 400; i++)
		buf_addstr(&b, ", REC->n");
	text = format_text(b.data);
	TAP_OK(!ev_format_parse(&f, "test", text, strlen(text), NULL) &&
	       strlen(render(e, &f, record, sizeof(record))) < 300000, "400 wide numbers are cut");
	ev_format_release(&f);
	ev_engine_free(e);
	free(text);
	e = ev_engine_new(&w, "ftr", NULL);
	buf_reset(&b);
	buf_addstr(&b, "\"%d\", ({ u64 a = REC->n;");
	for (char c = 'b'; c <= 'o'; c++)
		buf_printf(&b, " u64 %c = %c + %c + %c + %c;", c, c - 1, c - 1, c - 1, c - 1);
	buf_addstr(&b, " o; })");
	text = format_text(b.data);
	ev_format_parse(&f, "test2", text, strlen(text), NULL);
	TAP_OK(!strcmp(render(e, &f, record, sizeof(record)), "?") && ev_degraded(e, &f),
	       "a value that doubles its work with each variable is refused");
	ev_format_release(&f);
	ev_engine_free(e);
	free(text);
	buf_release(&b);
}

struct job {
	struct ev_engine *e;
	const struct ev_format *f;
	bool fine;
};

static void *run_job(void *arg)
{
	struct job *j = arg;
	struct ev_rec r = { .data = record, .len = sizeof(record), .long_size = 8 };
	struct buf text = { 0 };

	j->fine = true;
	for (int i = 0; i < 20000; i++) {
		r.fmt = &j->f[i % 8];
		buf_reset(&text);
		ev_render(j->e, &r, 0, 0, &text);
		j->fine = j->fine && !strcmp(text.data, "-5 kernel");
	}
	buf_release(&text);
	return NULL;
}

static void test_threads(void)
{
	struct event_meta w = { .long_size = 8, .page_size = 4096 };
	struct ev_engine *e = ev_engine_new(&w, "ftr", NULL);
	char *text = format_text("\"%d %s\", REC->n, __get_str(str)");
	struct ev_format f[8];
	struct job jobs[4];
	pthread_t t[4];
	bool fine = true;

	for (int i = 0; i < 8; i++) {
		ev_format_parse(&f[i], "test", text, strlen(text), NULL);
		f[i].id += i;
	}
	for (int i = 0; i < 4; i++) {
		jobs[i] = (struct job){ .e = i ? ev_engine_share(e) : e, .f = f };
		pthread_create(&t[i], NULL, run_job, &jobs[i]);
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(t[i], NULL);
		fine = fine && jobs[i].fine;
	}
	TAP_OK(fine, "four threads with handles of one engine");
	for (int i = 4; i-- > 0;)
		ev_engine_free(jobs[i].e);
	for (int i = 0; i < 8; i++)
		ev_format_release(&f[i]);
	free(text);
}

int main(void)
{
	test_cases();
	test_reasons();
	test_options();
	test_values();
	test_odd_flags();
	test_big_endian();
	test_short();
	test_bounds();
	test_threads();
	buf_release(&out);
	return tap_done();
}
