/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prototypes out of BTF, and arguments printed after them. The BTF is written by hand after
 * include/uapi/linux/btf.h, expected arguments after print_function_args() of
 * kernel/trace/trace_output.c.
 */
#include "event/btf/btf.h"
#include "event/event.h"

#include "tap.h"

enum { INT = 1, PTR, ARRAY, STRUCT, UNION, ENUM, FWD, TYPEDEF, VOLATILE, CONST, RESTRICT, FUNC, FUNC_PROTO, VAR,
       DATASEC, FLOAT, DECL_TAG, TYPE_TAG, ENUM64 };
#define SIGNED_INT (1u << 24)
#define BOOL_INT   (4u << 24)

/* One file that is being written. */
struct file {
	struct buf types, strings, all;
	uint32_t n, first_string;
	bool big;
};

static struct buf out;
static struct ftr_error err;

static void word(struct file *f, struct buf *to, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		buf_addch(to, v >> 8 * (f->big ? 3 - i : i));
}

static uint32_t string(struct file *f, const char *s)
{
	uint32_t at;

	if (!f->strings.len && !f->first_string)
		buf_add(&f->strings, "", 1);
	if (!*s)
		return 0;
	at = f->first_string + f->strings.len;
	buf_add(&f->strings, s, strlen(s) + 1);
	return at;
}

/* Returns the id. */
static uint32_t type(struct file *f, const char *name, uint32_t kind, uint32_t nr, uint32_t size)
{
	word(f, &f->types, string(f, name));
	word(f, &f->types, kind << 24 | nr);
	word(f, &f->types, size);
	return ++f->n;
}

static uint32_t integer(struct file *f, const char *name, uint32_t bytes, uint32_t encoding)
{
	uint32_t id = type(f, name, INT, 0, bytes);

	word(f, &f->types, encoding | bytes * 8);
	return id;
}

struct param {
	const char *name;
	uint32_t type;
};

static uint32_t function(struct file *f, const char *name, const struct param *v, uint32_t n)
{
	uint32_t proto = type(f, "", FUNC_PROTO, n, 0);

	for (uint32_t i = 0; i < n; i++) {
		word(f, &f->types, string(f, v[i].name));
		word(f, &f->types, v[i].type);
	}
	return type(f, name, FUNC, 1, proto);
}

#define FUNCTION(f, name, ...) function(f, name, (struct param[]){ __VA_ARGS__ }, \
					sizeof((struct param[]){ __VA_ARGS__ }) / sizeof(struct param))

static struct btf_file finish(struct file *f)
{
	buf_addch(&f->all, f->big ? 0xeb : 0x9f);
	buf_addch(&f->all, f->big ? 0x9f : 0xeb);
	buf_add(&f->all, "\1", 2);
	word(f, &f->all, 24);
	word(f, &f->all, 0);
	word(f, &f->all, f->types.len);
	word(f, &f->all, f->types.len);
	word(f, &f->all, f->strings.len);
	buf_add(&f->all, f->types.data, f->types.len);
	buf_add(&f->all, f->strings.data, f->strings.len);
	return (struct btf_file){ f->all.data, f->all.len };
}

static void drop(struct file *f)
{
	buf_release(&f->types);
	buf_release(&f->strings);
	buf_release(&f->all);
}

static void is(const char *got, const char *want, const char *name)
{
	if (!TAP_OK(!strcmp(got, want), name))
		printf("# got '%s'\n# want '%s'\n", got, want);
}

static const char *protos(const struct btf_file *v, size_t n, const struct strv *wanted)
{
	buf_reset(&out);
	buf_addstr(&out, "");
	if (btf_protos(v, n, wanted, &out, &err))
		return err.msg;
	return out.data;
}

/* One of each kind. */
static void fill(struct file *f)
{
	uint32_t i, u, c, b, p, s, n, e, e64, fl, t;

	i = integer(f, "int", 4, SIGNED_INT);
	u = integer(f, "unsigned long", 8, 0);
	b = integer(f, "_Bool", 1, BOOL_INT);
	c = type(f, "", CONST, 0, i);
	p = type(f, "", PTR, 0, 0);
	s = type(f, "pair", STRUCT, 2, 16);
	for (int k = 0; k < 6; k++)
		word(f, &f->types, k == 1 || k == 4 ? u : 0);
	n = type(f, "either", UNION, 1, 12);
	for (int k = 0; k < 3; k++)
		word(f, &f->types, 0);
	e = type(f, "color", ENUM, 2, 4);
	word(f, &f->types, string(f, "RED"));
	word(f, &f->types, 0);
	word(f, &f->types, string(f, "NONE"));
	word(f, &f->types, -1);
	e64 = type(f, "wide", ENUM64, 1, 8);
	for (int k = 0; k < 3; k++)
		word(f, &f->types, k);
	fl = type(f, "double", FLOAT, 0, 8);
	t = type(f, "loff_t", TYPEDEF, 0, type(f, "", VOLATILE, 0, type(f, "", RESTRICT, 0, type(f, "user", TYPE_TAG, 0, c))));
	type(f, "array", ARRAY, 0, 0);
	for (int k = 0; k < 3; k++)
		word(f, &f->types, 1);
	word(f, &f->types, (type(f, "var", VAR, 0, i), 1));
	type(f, ".data", DATASEC, 1, 8);
	for (int k = 0; k < 3; k++)
		word(f, &f->types, 1);
	type(f, "tag", DECL_TAG, 0, i);
	word(f, &f->types, 0);
	type(f, "ahead", FWD, 0, 0);
	FUNCTION(f, "vfs_read", { "file", p }, { "n", i }, { "count", u }, { "on", b });
	FUNCTION(f, "all", { "s", s }, { "n", n }, { "e", e }, { "w", e64 }, { "f", fl }, { "pos", t });
	FUNCTION(f, "printk", { "fmt", p }, { "", 0 });
	function(f, "nothing", NULL, 0);
	FUNCTION(f, "vfs_read", { "second", p });
}

#define ENUMS "#00000 RED:0 NONE:-1\n"
#define ALL "all s:s16 n:n12 e:e0 w:E8 f:f8 pos:i\n"
#define READ "vfs_read file:p n:i count:u on:u\n"

static const char *decl(const struct btf_file *kernel, const struct btf_file *module, const char *name);

static void test_kinds(void)
{
	for (int big = 0; big < 2; big++) {
		struct file f = { .big = big };
		struct btf_file file;

		fill(&f);
		file = finish(&f);
		is(protos(&file, 1, NULL), ENUMS ALL "nothing\nprintk fmt:p :?\n" READ, big ? "all kinds, big endian" : "all kinds");
		drop(&f);
	}
}

static void test_wanted(void)
{
	struct file f = {0};
	struct strv names = {0};
	struct btf_file file;

	fill(&f);
	file = finish(&f);
	is(protos(&file, 1, &names), "", "none is wanted");
	strv_add(&names, "all");
	strv_add(&names, "vfs_read");
	strv_add(&names, "vfs_read.isra.0");
	is(protos(&file, 1, &names), ENUMS ALL READ, "some are wanted");
	strv_release(&names);
	drop(&f);
}

/* Ids and strings of a module go on where those of the kernel end. */
static void test_modules(void)
{
	struct file f = {0}, m[2];
	struct btf_file v[4];
	uint32_t base;

	fill(&f);
	v[0] = finish(&f);
	for (int i = 0; i < 2; i++) {
		m[i] = (struct file){ .n = f.n, .first_string = f.strings.len };
		base = type(&m[i], "size_t", TYPEDEF, 0, 2);
		FUNCTION(&m[i], i ? "of_b" : "of_a", { "x", base }, { i ? "b" : "a", 1 });
		FUNCTION(&m[i], "of_both", { i ? "b" : "a", 1 });
		FUNCTION(&m[i], "nothing", { "something", 1 });
		v[i + 2] = finish(&m[i]);
	}
	v[1] = (struct btf_file){ "rubbish that is no BTF, long enough for a header", 48 };
	is(protos(v, 4, NULL), ENUMS ALL "nothing\nof_a x:u a:i\nof_b x:u b:i\nof_both a:i\nprintk fmt:p :?\n" READ,
	   "the kernel's functions come first, then those of the module that came first");
	is(protos(v + 1, 1, NULL), "no BTF: no header of version 1", "no BTF");
	is(protos(v, 0, NULL), "no BTF: nothing is there", "no file");
	drop(&f);
	drop(&m[0]);
	drop(&m[1]);
}

static void test_odd(void)
{
	struct file f = {0};
	struct btf_file file;
	uint32_t a, i, chain;

	i = integer(&f, "int", 4, SIGNED_INT);
	a = type(&f, "a", TYPEDEF, 0, 3);
	type(&f, "b", TYPEDEF, 0, a);
	for (chain = i, a = 0; a < 100; a++)
		chain = type(&f, "", CONST, 0, chain);
	FUNCTION(&f, "circle", { "x", 2 }, { "y", i });
	FUNCTION(&f, "long_way", { "x", chain });
	FUNCTION(&f, "no_type", { "x", 100000 }, { "y", UINT32_MAX });
	FUNCTION(&f, "odd:name", { "x", i });
	FUNCTION(&f, "odd_param", { "x y", i });
	FUNCTION(&f, "new\nline", { "x", i });
	type(&f, "no_proto", FUNC, 0, i);
	type(&f, "no_proto2", FUNC, 0, 0);
	function(&f, "fine", NULL, 0);
	word(&f, &f.types, UINT32_MAX);
	word(&f, &f.types, FUNC << 24);
	word(&f, &f.types, f.n - 1);
	type(&f, "too_many", FUNC_PROTO, 0xffff, 0);
	file = finish(&f);
	is(protos(&file, 1, NULL), "circle x:? y:i\nfine\nlong_way x:?\nno_type x:? y:?\n", "what makes no sense is left out");
	drop(&f);
}

/* Whatever the length or a byte: memory is what the sanitizers look at, and lines stay lines. */
static void test_damaged(void)
{
	struct file f = {0};
	struct btf_file file, copy;
	char *p;

	fill(&f);
	file = finish(&f);
	for (size_t n = 0; n < file.len; n++) {
		copy = (struct btf_file){ memcpy(xmalloc(n + !n), file.p, n), n };
		protos(&copy, 1, NULL);
		free((char *)copy.p);
	}
	for (size_t at = 0; at < file.len; at++) {
		p = memcpy(xmalloc(file.len), file.p, file.len);
		p[at] ^= 0xff;
		copy = (struct btf_file){ p, file.len };
		protos(&copy, 1, NULL);
		decl(&copy, NULL, "vfs_read");
		p[at] ^= 0x80;
		protos(&copy, 1, NULL);
		decl(&copy, NULL, "all");
		free(p);
	}
	TAP_OK(true, "cut anywhere, damaged anywhere");
	drop(&f);
}

/* --- declarations: the words are C's */

static const char *decl(const struct btf_file *kernel, const struct btf_file *module, const char *name)
{
	struct btf_decls *k = btf_decls_new(kernel, NULL, &err), *m = NULL;

	buf_reset(&out);
	buf_addstr(&out, "a ");
	if (module)
		m = btf_decls_new(module, k, &err);
	if (k && !btf_decl(m ? m : k, name, &out))
		buf_addstr(&out, "none");
	else if (!k)
		buf_addstr(&out, err.msg);
	btf_decls_free(m);
	btf_decls_free(k);
	return out.data + 2;
}

static uint32_t array(struct file *f, uint32_t of, uint32_t n)
{
	uint32_t id = type(f, "", ARRAY, 0, 0);

	word(f, &f->types, of);
	word(f, &f->types, of);
	word(f, &f->types, n);
	return id;
}

static uint32_t proto(struct file *f, uint32_t returns, uint32_t param, const char *name)
{
	uint32_t id = type(f, "", FUNC_PROTO, 1, returns);

	word(f, &f->types, string(f, name));
	word(f, &f->types, param);
	return id;
}

static uint32_t ptr(struct file *f, uint32_t to)
{
	return type(f, "", PTR, 0, to);
}

static void test_decls(void)
{
	struct file f = {0}, m;
	struct btf_file v[2];
	uint32_t i, u, s, un, c, user, cb, chars;

	i = integer(&f, "int", 4, SIGNED_INT);
	u = integer(&f, "long unsigned int", 8, 0);
	chars = integer(&f, "char", 1, SIGNED_INT);
	s = type(&f, "file", FWD, 0, 0);
	un = type(&f, "either", FWD, 0, 0);
	/* the flag of a union */
	f.types.data[f.types.len - 5] |= 0x80;
	c = type(&f, "", CONST, 0, chars);
	user = type(&f, "user", TYPE_TAG, 0, c);
	FUNCTION(&f, "plain", { "a", i }, { "count", u }, { "", i });
	function(&f, "nothing", NULL, 0);
	FUNCTION(&f, "printk", { "fmt", ptr(&f, c) }, { "", 0 });
	FUNCTION(&f, "pointers", { "f", ptr(&f, s) }, { "e", ptr(&f, ptr(&f, un)) }, { "p", ptr(&f, 0) },
		 { "ubuf", ptr(&f, user) });
	FUNCTION(&f, "consts", { "a", type(&f, "", CONST, 0, ptr(&f, c)) },
		 { "b", ptr(&f, type(&f, "", CONST, 0, ptr(&f, type(&f, "", VOLATILE, 0, i)))) },
		 { "c", type(&f, "", RESTRICT, 0, ptr(&f, 0)) }, { "", type(&f, "", CONST, 0, ptr(&f, i)) });
	cb = ptr(&f, proto(&f, ptr(&f, 0), ptr(&f, 0), "arg"));
	FUNCTION(&f, "callbacks", { "fn", cb }, { "", cb }, { "v", ptr(&f, array(&f, cb, 4)) },
		 { "t", ptr(&f, array(&f, array(&f, c, 8), 3)) }, { "k", type(&f, "", CONST, 0, cb) });
	type(&f, "signal", FUNC, 0, proto(&f, ptr(&f, proto(&f, 0, i, "")), i, "sig"));
	type(&f, "of_array", FUNC, 0, proto(&f, ptr(&f, array(&f, i, 2)), type(&f, "", CONST, 0, array(&f, i, 3)), "a"));
	FUNCTION(&f, "kinds", { "s", type(&f, "pair", STRUCT, 0, 16) }, { "e", type(&f, "color", ENUM, 0, 4) },
		 { "w", type(&f, "wide", ENUM64, 0, 8) }, { "t", type(&f, "size_t", TYPEDEF, 0, u) },
		 { "x", type(&f, "", UNION, 0, 4) }, { "d", type(&f, "double", FLOAT, 0, 8) },
		 { "r", type(&f, "&core::ffi::c_str::CStr", STRUCT, 0, 8) });
	FUNCTION(&f, "twice", { "first", i });
	FUNCTION(&f, "twice", { "second", i });
	v[0] = finish(&f);
	is(decl(v, NULL, "plain"), "void plain(int a, long unsigned int count, int)", "a declaration");
	is(decl(v, NULL, "nothing"), "void nothing(void)", "no parameters");
	is(decl(v, NULL, "printk"), "void printk(const char *fmt, ...)", "variable arguments");
	is(decl(v, NULL, "pointers"),
	   "void pointers(struct file *f, union either **e, void *p, const char __user *ubuf)", "pointers");
	is(decl(v, NULL, "consts"),
	   "void consts(const char *const a, volatile int *const *b, void *restrict c, int *const)", "qualifiers");
	is(decl(v, NULL, "callbacks"),
	   "void callbacks(void *(*fn)(void *arg), void *(*)(void *arg), void *(*(*v)[4])(void *arg), "
	   "const char (*t)[3][8], void *(*const k)(void *arg))", "pointers to functions and arrays");
	is(decl(v, NULL, "signal"), "void (*signal(int sig))(int)", "a function that returns a function");
	is(decl(v, NULL, "of_array"), "int (*of_array(const int a[3]))[2]", "a function that returns an array");
	is(decl(v, NULL, "kinds"), "void kinds(struct pair s, enum color e, enum wide w, size_t t, union {...} x, "
	   "double d, struct &core::ffi::c_str::CStr r)", "kinds of types");
	is(decl(v, NULL, "twice"), "void twice(int first)", "the first of a name");
	is(decl(v, NULL, "plai"), "none", "no such function");
	m = (struct file){ .n = f.n, .first_string = f.strings.len };
	FUNCTION(&m, "of_module", { "f", ptr(&m, s) }, { "own", type(&m, "mine", STRUCT, 0, 4) });
	v[1] = finish(&m);
	is(decl(v, v + 1, "of_module"), "void of_module(struct file *f, struct mine own)", "of a module");
	is(decl(v, v + 1, "plain"), "none", "the kernel's are not the module's");
	v[1] = (struct btf_file){ "rubbish that is no BTF, long enough for a header", 48 };
	is(decl(v + 1, NULL, "plain"), "no BTF: no header of version 1", "no declarations without BTF");
	drop(&f);
	drop(&m);
}

/* Circles, and what doubles with each step. */
static void test_decls_odd(void)
{
	struct file f = {0};
	struct btf_file v;
	uint32_t i, p, chain, k;

	i = integer(&f, "int", 4, SIGNED_INT);
	p = ptr(&f, f.n + 1);
	chain = type(&f, "", CONST, 0, f.n + 2);
	type(&f, "", VOLATILE, 0, chain);
	FUNCTION(&f, "circle", { "a", p });
	FUNCTION(&f, "circle2", { "a", chain });
	for (k = 0, chain = i; k < 40; k++) {
		uint32_t fn = type(&f, "", FUNC_PROTO, 2, chain);

		for (int j = 0; j < 2; j++) {
			word(&f, &f.types, 0);
			word(&f, &f.types, chain);
		}
		chain = ptr(&f, fn);
	}
	FUNCTION(&f, "bomb", { "a", chain });
	for (k = 0, chain = i; k < 100; k++)
		chain = ptr(&f, chain);
	FUNCTION(&f, "deep", { "a", chain });
	FUNCTION(&f, "no_type", { "a", 100000 });
	FUNCTION(&f, "no_name", { "a", integer(&f, "", 4, 0) });
	FUNCTION(&f, "a_func", { "a", f.n });
	type(&f, "no_proto", FUNC, 0, i);
	v = finish(&f);
	for (const char *const *n = (const char *const []){ "circle", "circle2", "bomb", "deep", "no_type", "no_name",
							     "a_func", "no_proto", NULL }; *n; n++)
		is(decl(&v, NULL, *n), "none", *n);
	drop(&f);
}

/* --- arguments */

static uint64_t regs[8] = { 0xffff888004be2c00, 0xfffffffffffffffe, 3, 4, 5, 6, 7, 8 };

static const char *args(const char *line, uint32_t n, bool plain)
{
	static const char text[] = "#00000 A:3 B:-2 C:4 D:4 E:x\n#00001 X:\x7f\n";
	struct btf_args a = { .p = (const uint8_t *)regs, .n = n, .size = 8, .plain_ints = plain, .plain_enums = plain,
			      .text = text, .text_len = strlen(text),
			      .big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

	buf_reset(&out);
	btf_print_args(line, strlen(line), &a, &out);
	return out.data;
}

static void test_args(void)
{
	uint32_t half[6] = { 0x80000000, 1, 2, 3, 4, 5 };
	struct btf_args a = { .p = (const uint8_t *)half, .n = 6, .size = 4,
			      .big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };

	is(args("f", 6, false), "()", "no parameters");
	is(args("f a:p b:i c:u d:e", 6, false), "(a=0xffff888004be2c00, b=-2, c=0x3, d=4)", "simple kinds");
	is(args("f a:e0 b:e0 c:e0 d:e0 e:e0 f:e1", 6, false),
	   "(a=-131391559947264, b=-2 [B], c=3 [A], d=4 [C], e=5, f=6)", "names of constants");
	is(args("f a:p b:e0", 6, true), "(a=0xffff888004be2c00, b=-2)", "none of them before 7.1");
	is(args("f a:u b:u", 6, true), "(a=-131391559947264, b=-2)", "before 6.17");
	is(args("f fmt:p :?", 6, false), "(fmt=0xffff888004be2c00, =?0xfffffffffffffffe)", "variable arguments");
	is(args("f a:i b:i c:i d:i e:i f:i g:i h:i", 6, false),
	   "(a=-131391559947264, b=-2, c=3, d=4, e=5, f=6, ...)", "more than the registers hold");
	is(args("f a:s16 b:i", 6, false), "(a=(STRUCT)[0xffff888004be2c00:0xfffffffffffffffe], b=3)", "a structure");
	is(args("f a:s4 b:n12 c:E8 d:f8", 6, false),
	   "(a=(STRUCT)[0xffff888004be2c00], b=(UNION)[0xfffffffffffffffe:0x3], c=(ENUM64)[0x4], d=(FLOAT)[0x5])",
	   "other complex ones");
	is(args("f a:i b:i c:i d:i e:i f:s24 g:i", 6, false),
	   "(a=-131391559947264, b=-2, c=3, d=4, e=5, f=(STRUCT)[0x6:...])", "a structure that ends elsewhere");
	is(args("f a:s0 b:i", 6, false), "(a=(STRUCT)[0xffff888004be2c00], b=-2)", "an empty structure");
	is(args("f a:s64", 8, false),
	   "(a=(STRUCT)[0xffff888004be2c00:0xfffffffffffffffe:0x3:0x4:0x5:0x6:0x7:0x8])", "eight registers");
	is(args("f a:s99999999999999999999", 6, false),
	   "(a=(STRUCT)[0xffff888004be2c00:0xfffffffffffffffe:0x3:0x4:0x5:0x6:...])", "an impossible size");
	is(args("f a  b: \1:p", 6, false), "(a=?0xffff888004be2c00, =?0xfffffffffffffffe, b=?0x3, \\x01=0x4)", "odd lines");
	buf_reset(&out);
	btf_print_args("f a:i b:s8 c:u", 14, &a, &out);
	is(out.data, "(a=-2147483648, b=(STRUCT)[0x1:0x2], c=0x3)", "longs of four bytes");
}

static const char *found(const char *text, const char *name)
{
	size_t len = 0;
	const char *p = btf_proto_find(text, strlen(text), name, strlen(name), &len);

	buf_reset(&out);
	if (p)
		buf_add(&out, p, len);
	else
		buf_addstr(&out, "none");
	return out.data;
}

static void test_find(void)
{
	static const char text[] = "a x:i\nab\nabc y:p\nb\nvfs_read file:p";
	char *wide = xmalloc(100001);

	is(found(text, "a"), "a x:i", "the first line");
	is(found(text, "ab"), "ab", "one that others begin with");
	is(found(text, "abc"), "abc y:p", "and these");
	is(found(text, "b"), "b", "one without parameters");
	is(found(text, "vfs_read"), "vfs_read file:p", "the last line, without its end");
	is(found(text, "vfs"), "none", "the beginning of a name");
	is(found(text, ""), "none", "no name");
	is(found("", "a"), "none", "no text");
	is(found("\n\n\n", "a"), "none", "empty lines");
	memset(wide, 'x', 100000);
	wide[100000] = '\0';
	is(found(wide, "x"), "none", "a line without end");
	free(wide);
}

/* --- the tracers' records */

static void test_event_meta(void)
{
	static const char kallsyms[] = "ffffffff81001000 T vfs_read\nffffffff81002000 T vfs_open\n"
				       "ffffffffc0000000 t nfs_open\t[nfs]\nffffffffc0000040 t nfs_close\t[nfs]\n";
	static const char text[] = "nfs_open x:u\nvfs_read file:p n:i\n";
	struct event_meta w = { .long_size = 8, .big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
			      .kallsyms = kallsyms, .kallsyms_len = strlen(kallsyms) };
	struct ev_rec r = { .long_size = 8, .big = w.big };
	struct ev_field all = { .type = "unsigned long" }, shown = { .type = "u64" };
	struct ev_engine *e;
	const uint8_t *p = (const uint8_t *)regs;

	w.syms = ev_syms_new(kallsyms, strlen(kallsyms));
	e = ev_engine_new(&w, NULL, NULL);
	buf_reset(&out);
	ev_print_args(e, &r, 0xffffffff81001004, p, 16, &out);
	is(out.data, "(0xffff888004be2c00, 0xfffffffffffffffe)", "a file without prototypes");
	w.protos = text;
	w.protos_len = strlen(text);
	for (int i = 0; i < 2; i++) {
		buf_reset(&out);
		ev_print_args(e, &r, 0xffffffff81001004, p, 48, &out);
		ev_print_args(e, &r, 0xffffffff81002004, p, 48, &out);
		ev_print_args(e, &r, 0xffffffffc0000004, p, 48, &out);
		ev_print_args(e, &r, 0x10, p, 48, &out);
		is(out.data, "(file=0xffff888004be2c00, n=-2)()(x=0xffff888004be2c00)()", i ? "once more" : "by address");
	}
	w.kernel = KERNEL_VERSION_OF(6, 16);
	buf_reset(&out);
	ev_print_args(e, &r, 0xffffffffc0000004, p, 48, &out);
	is(out.data, "(x=-131391559947264)", "as 6.16 prints it");
	TAP_OK(ev_has_args(&r, &all, 48) && ev_has_args(&r, &all, 40) && !ev_has_args(&r, &all, 39) &&
	       !ev_has_args(&r, &all, 0), "what has arguments");
	TAP_OK(ev_has_args(&r, &shown, 8) && !ev_has_args(&r, &shown, 0), "what has those of a text");
	ev_engine_free(e);
	ev_syms_free(w.syms);
}

int main(void)
{
	test_kinds();
	test_wanted();
	test_modules();
	test_odd();
	test_damaged();
	test_decls();
	test_decls_odd();
	test_args();
	test_find();
	test_event_meta();
	buf_release(&out);
	return tap_done();
}
