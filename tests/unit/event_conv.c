/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conversions and list helpers. Expected texts: what the kernel's own lib/test_printf.c and
 * Documentation/core-api/printk-formats.rst state, glibc's printf for integers, bytes worked out by
 * hand.
 */
#include "event/event.h"
#include "event/print/conv.h"

#include <stdarg.h>

#include "tap.h"

static const char kallsyms[] =
	"ffffffff81000000 T _text\n"
	"ffffffff81000000 T stext_twin\n"
	"ffffffff81000040 t vfs_read\n"
	"ffffffff81000140 T vfs_write\n"
	"ffffffffc0001000 t nfs_open\t[nfs]\n"
	"ffffffffc0001080 t nfs_close\t[nfs]\n";

static struct conv_env env = { .long_size = 8 };

static size_t parse(const char *fmt, struct printf_conv *c)
{
	return conv_parse(fmt, fmt + strlen(fmt), 8, c);
}

static void one(struct buf *out, const struct printf_conv *c, int width, int prec, va_list *ap)
{
	const uint8_t *p;

	switch (conv_arg(c)) {
	case CONV_ARG_INT:
		if (c->kind == '%')
			buf_addch(out, '%');
		else if (c->kind == 'c')
			conv_char(&env, out, c, width, va_arg(*ap, int));
		else if (c->size == 8)
			conv_int(out, c, width, prec, va_arg(*ap, uint64_t));
		else
			conv_int(out, c, width, prec, va_arg(*ap, unsigned int));
		break;
	case CONV_ARG_STR:
		p = va_arg(*ap, const uint8_t *);
		conv_str(&env, out, c, width, prec, (const char *)p, p ? strlen((const char *)p) : 0);
		break;
	case CONV_ARG_VALUE:
		conv_value(&env, out, c, width, prec, va_arg(*ap, uint64_t));
		break;
	case CONV_ARG_BYTES:
		p = va_arg(*ap, const uint8_t *);
		if (c->ext[1] == 'S' && (c->ext[0] | 0x20) == 'i')
			conv_ptr(&env, out, c, width, prec, p, 28);
		else
			conv_ptr(&env, out, c, width, prec, p,
				 conv_bytes(c, width, env.long_size));
		break;
	}
}

/* printf by way of conv_*(); pointers that are printed by value are given as uint64_t. */
static void print(struct buf *out, const char *fmt, va_list *ap)
{
	const char *end = fmt + strlen(fmt);
	struct printf_conv c;
	int width, prec;
	size_t n;

	while (*fmt) {
		if (*fmt != '%') {
			buf_addch(out, *fmt++);
			continue;
		}
		n = conv_parse(fmt, end, env.long_size, &c);
		if (!n)
			return;
		fmt += n;
		width = c.width_arg ? va_arg(*ap, int) : c.width;
		prec = c.prec_arg ? va_arg(*ap, int) : c.prec;
		one(out, &c, width, prec, ap);
	}
}

static void want(const char *text, const char *fmt, ...)
{
	struct buf out = { 0 };
	char name[160];
	va_list ap;
	int ok;

	buf_reserve(&out, 1);
	out.data[0] = 0;
	va_start(ap, fmt);
	print(&out, fmt, &ap);
	va_end(ap);
	snprintf(name, sizeof(name), "%s is \"%.60s\"", fmt, text);
	for (char *p = name; *p; p++)
		if ((unsigned char)*p < ' ')
			*p = '?';
	ok = TAP_OK(!strcmp(out.data, text), name);
	if (!ok)
		printf("# got \"%s\"\n", out.data);
	buf_release(&out);
}

static void test_numbers(void)
{
	want("0x1234abcd  ", "%#-12x", 0x1234abcd);
	want("  0x1234abcd", "%#12x", 0x1234abcd);
	want("0|001| 12|+123| 1234|-123|-1234", "%d|%03d|%3d|%+d|% d|%+d|% d", 0, 1, 12, 123, 1234,
	     -123, -1234);
	want("0|1|1|128|255", "%hhu|%hhu|%hhu|%hhu|%hhu", 0, 1, 257, 128, -1);
	want("0|1|1|-128|-1", "%hhd|%hhd|%hhd|%hhd|%hhd", 0, 1, 257, 128, -1);
	want("2015122420151225", "%ho%ho%#ho", 1037, 5282, -11627);
	want("00|0|0|0|0", "%.2d|%.1d|%.0d|%.*d|%1.0d", 0, 0, 0, 0, 0, 0);
	want("0xfffffff0|0xf0|0xf0", "%#02x|%#02x|%#02x", -16, -16 & 0xff, (uint8_t)-16);
	want("0x0|0|0X0|0x00000000", "%#x|%#o|%#X|%#010x", 0, 0, 0, 0);
	want("-9223372036854775808|18446744073709551615|ffffffffffffffff", "%lld|%llu|%Lx",
	     INT64_MIN, UINT64_MAX, UINT64_MAX);
	want("5    |    5|00005", "%*d|%*d|%0*d", -5, 5, 5, 5, 5, 5);
	want("100%", "100%%");
	want("7%", "%d%5%", 7);
	want("xxx%yyy", "xxx%cyyy", '%');
	want("  a|a  |b", "%3c|%-3c|%c", 'a', 'a', 'b');
	want("\\x00", "%c", 0);
	want("x", "x%n", 0);
	want("x", "x%y and more", 0);
	want("x", "x%");
	want("0012", "%04.3d", 12);	/* C: " 012" */
}

static void test_strings(void)
{
	want("", "%s%.0s", "", "123");
	want("ABCD|abc|123", "%s|%.3s|%.*s", "ABCD", "abcdef", 3, "123456");
	want("1  |  2|3  |  4|5  ", "%-3s|%3s|%-*s|%*s|%*s", "1", "2", 3, "3", 3, "4", -3, "5");
	want("1234      ", "%-10.4s", "123456");
	want("      1234", "%10.4s", "123456");
	want("    ", "%4.*s", -5, "123456");
	want("123456", "%.s", "123456");
	want("a||", "%.s|%.0s|%.*s", "a", "b", 0, "c");
	want("a  |   |   ", "%-3.s|%-3.0s|%-3.*s", "a", "b", 0, "c");
	want("(null)|  (null)", "%s|%8s", NULL, NULL);
	want("a\\x1b[31m\\x0ab\tc", "%s", "a\x1b[31m\nb\tc");
	env.raw = true;
	want("a\x1b[31m\nb", "%s", "a\x1b[31m\nb");
	env.raw = false;
}

static void test_values(void)
{
	want("0000000000000000|ffff0123456789ab", "%p|%px", (uint64_t)0, 0xffff0123456789ab);
	want("ffff0123456789ab|0xffff0123456789ab|ff|  ff", "%pK|%#p|%1p|%4p", 0xffff0123456789ab,
	     0xffff0123456789ab, (uint64_t)255, (uint64_t)255);
	want("0000000000000000000018762f|18762f", "%.26px|%1.2px", (uint64_t)0x18762f,
	     (uint64_t)0x18762f);
	want("-ENOMEM|-EINPROGRESS|-4000|0000000000000004", "%pe|%pe|%pe|%pe", (uint64_t)-12,
	     (uint64_t)-115, (uint64_t)-4000, (uint64_t)4);
	want("-EPROBE_DEFER|[   -EIO]|[-EIO   ]", "%pe|[%7pe]|[%-7pe]", (uint64_t)-517, (uint64_t)-5,
	     (uint64_t)-5);
	want("fffffffffffff000", "%pe", (uint64_t)-4096);
	want("0000000000001000|0000000000001000|0000000000001000", "%pd4|%pg|%pOFn",
	     (uint64_t)0x1000, (uint64_t)0x1000, (uint64_t)0x1000);
	want("(%pt?)|(%pI?)|(%pi?)|(%pG?)", "%pt|%pI5|%pi|%pGx", (uint64_t)8, (uint64_t)8,
	     (uint64_t)8, (uint64_t)8);
	env.long_size = 4;
	want("456789ab|00000000|-EPERM", "%p|%px|%pe", 0xffffffff456789ab, (uint64_t)0,
	     (uint64_t)0xffffffff);
	env.long_size = 8;
}

static void test_symbols(void)
{
	env.syms = ev_syms_new(kallsyms, strlen(kallsyms));
	want("vfs_read+0x10/0x100|vfs_read|_text+0x0/0x40", "%pS|%ps|%pS", 0xffffffff81000050,
	     0xffffffff81000050, 0xffffffff81000000);
	want("nfs_open+0x7f/0x80 [nfs]|nfs_close [nfs]", "%pS|%ps", 0xffffffffc000107f,
	     0xffffffffc0001084);
	want("vfs_read+0x100/0x100|vfs_write+0x", "%pB|%.12pS", 0xffffffff81000140,
	     0xffffffff81000140);
	want("nfs_close+0x4/0xf80 [nfs]|vfs_read+0x0/0x100", "%pSR|%pF", 0xffffffffc0001084,
	     0xffffffff81000040);
	want("0x12345|0x0", "%pS|%ps", (uint64_t)0x12345, (uint64_t)0);
	want("[  vfs_read]|[vfs_read  ]|[vfs]", "[%10ps]|[%-10ps]|[%.3pf]", 0xffffffff81000041,
	     0xffffffff81000041, 0xffffffff81000041);
	ev_syms_free(env.syms);
	env.syms = NULL;
	want("0xffffffff81000050", "%pS", 0xffffffff81000050);
}

static void test_bytes(void)
{
	static const uint8_t coffee[] = { 0xc0, 0xff, 0xee };
	static const uint8_t zeros[300] = { 0 };
	static const uint8_t text[] = "a\"b\n\x01\\\0\xe9";

	want("c0 ff ee|c0:ff:ee|c0-ff-ee|c0ffee", "%3ph|%3phC|%3phD|%3phN", coffee, coffee, coffee,
	     coffee);
	want("c0 ff ee|c0:ff:ee|c0-ff-ee|c0ffee", "%*ph|%*phC|%*phD|%*phN", 3, coffee, 3, coffee, 3,
	     coffee, 3, coffee);
	want("c0||c0 ff ee", "%ph|%*ph|%*ph", coffee, 0, coffee, -3, coffee);
	want("00000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
	     "000000000000000000000000000000000000000000", "%100phN", zeros);
	env.raw = true;
	want("a\"b\\n\\001\\\\0\xe9", "%*pE", 8, text);
	env.raw = false;
	want("a\"b\\n\\001\\\\0\\xe9", "%*pE", 8, text);
	want("a\\\"b\\x0a", "%4pEc", text);
	want("a\"b\\x0a", "%4pEhp", "a\"b\n");
}

static void test_network(void)
{
	static const uint8_t mac[] = { 0x2d, 0x48, 0xd6, 0xfc, 0x7a, 0x05 };
	static const uint8_t uuid[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	static const uint8_t lo[] = { 127, 0, 0, 1 };

	want("2d:48:d6:fc:7a:05|05:7a:fc:d6:48:2d|2d-48-d6-fc-7a-05", "%pM|%pMR|%pMF", mac, mac, mac);
	want("2d48d6fc7a05|057afcd6482d|2D:48:D6:FC:7A:05", "%pm|%pmR|%pMU", mac, mac, mac);
	want("[  2d:48:d6:fc:7a:05]", "[%19pM]", mac);
	/* The kernel swallows every letter and digit behind %p. */
	want("2d:48:d6:fc:7a:05 x", "%pMpmk x", mac);
	want("127.000.000.001|127.0.0.1", "%pi4|%pI4", lo, lo);
	want("1.0.0.127|127.0.0.1|127.0.0.1|1.0.0.127", "%pI4h|%pI4n|%pI4b|%pI4l", lo, lo, lo, lo);
	want("00010203-0405-0607-0809-0a0b0c0d0e0f", "%pUb", uuid);
	want("00010203-0405-0607-0809-0A0B0C0D0E0F", "%pUB", uuid);
	want("03020100-0504-0706-0809-0a0b0c0d0e0f", "%pUl", uuid);
	want("03020100-0504-0706-0809-0A0B0C0D0E0F", "%pUL", uuid);
	want("00010203-0405-0607-0809-0a0b0c0d0e0f", "%pU", uuid);
}

static void test_ip6(void)
{
	static const uint8_t doc[16] = { 0x00, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8 };
	static const uint8_t one[16] = { [15] = 1 }, any[16] = { 0 };
	static const uint8_t two[16] = { 0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1 };
	static const uint8_t mapped[16] = { [10] = 0xff, 0xff, 192, 0, 2, 33 };
	static const uint8_t isatap[16] = { 0xfe, 0x80, [10] = 0x5e, 0xfe, 10, 0, 0, 1 };
	static const uint8_t single[16] = { 0x20, 1, 0, 0, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8 };
	static const uint8_t tail[16] = { 0x20, 1, 0x0d, 0xb8, 0xab, 0xcd, 0x0f, 0xff, 1, 0 };

	want("0001:0002:0003:0004:0005:0006:0007:0008|00010002000300040005000600070008|1:2:3:4:5:6:7:8",
	     "%pI6|%pi6|%pI6c", doc, doc, doc);
	want("::1|::|2001:db8::1:0:0:1", "%pI6c|%pI6c|%pI6c", one, any, two);
	want("::ffff:192.0.2.33|fe80::5efe:10.0.0.1", "%pI6c|%pI6c", mapped, isatap);
	want("2001:0:3:4:5:6:7:8|2001:db8:abcd:fff:100::", "%pI6c|%pI6c", single, tail);
}

static void test_sockaddr(void)
{
	static const uint8_t in4[28] = { 2, 0, 0x30, 0x39, 127, 0, 0, 1 };
	static const uint8_t in4b[28] = { 0, 2, 0x30, 0x39, 1, 2, 3, 4 };
	static const uint8_t in6[28] = { 10, 0, 0x1f, 0x90, 0xf1, 0x23, 0x45, 0x67, 0xfe, 0x80,
					 [23] = 9, 3, 0, 0, 0 };
	static const uint8_t un[28] = { 1, 0, '/' };
	struct buf out = { 0 };
	struct printf_conv c;

	want("127.000.000.001|127.0.0.1|127.0.0.1:12345", "%piS|%pIS|%pISpc", in4, in4, in4);
	want("1.0.0.127:12345", "%pISpl", in4);
	want("fe80:0000:0000:0000:0000:0000:0000:0009|[fe80::9]:8080", "%pIS|%pISpc", in6, in6);
	want("[fe80::9]:8080/19088743%3|fe800000000000000000000000000009", "%pISpfsc|%piSc", in6, in6);
	want("(einval)", "%pISpc", un);
	env.big = true;
	want("1.2.3.4|1.2.3.4", "%pIS|%pISh", in4b, in4b);
	env.big = false;
	parse("%pISpc", &c);
	TAP_OK(!conv_ptr(&env, &out, &c, -1, -1, in6, 16) && !out.len, "an IPv6 address that is cut");
	TAP_OK(conv_ptr(&env, &out, &c, -1, -1, in4, 0) && !strcmp(out.data, "(einval)"),
	       "an address of no bytes");
	buf_release(&out);
}

static void set_bit(uint8_t *bits, unsigned int i, bool big)
{
	bits[big ? (i / 64 * 8) + 7 - i % 64 / 8 : i / 8] |= 1 << i % 8;
}

static void test_bitmaps(void)
{
	static const unsigned int primes[] = { 2, 3, 5, 7, 11, 13, 17, 19 };
	uint8_t le[8] = { 0 }, be[8] = { 0 }, *large = calloc(1, 8192);
	static const uint8_t mask[16] = { 0x0f, [4] = 0xff, [9] = 0x80 };

	want("00000|00000||", "%20pb|%*pb|%20pbl|%*pbl", le, 20, le, le, 20, le);
	for (int i = 0; i < 8; i++) {
		set_bit(le, primes[i], false);
		set_bit(be, primes[i], true);
	}
	want("a28ac|a28ac", "%20pb|%*pb", le, 20, le);
	want("2-3,5,7,11,13,17,19", "%*pbl", 20, le);
	want("00000000,00000000,000000ff,0000000f|8000,000000ff,0000000f", "%*pb|%*pb", 128,
	     (const uint8_t[16]){ 0x0f, [4] = 0xff }, 80, mask);
	env.big = true;
	want("00000000,000a28ac|2-3,5,7,11,13,17,19", "%*pb|%*pbl", 64, be, 64, be);
	env.big = false;
	for (int i = 0; i < 20; i++)
		set_bit(large, 1 + i, false);
	for (int i = 0; i < 15; i++)
		set_bit(large, 60000 + i, false);
	want("1-20,60000-60014", "%*pbl", 1 << 16, large);
	free(large);
}

static void test_times(void)
{
	static const uint8_t rtc[36] = { 43, 0, 0, 0, 35, 0, 0, 0, 5, 0, 0, 0, 26, 0, 0, 0, 10, 0, 0, 0,
					 118 };
	static const uint8_t t[8] = { 0xef, 0x85, 0xfb, 0x5b };		/* 1543210479 */
	static const uint8_t before[8] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	static const uint8_t leap[8] = { 0x00, 0xac, 0xbb, 0x38 };	/* 0x38bbac00 */
	static const uint8_t spec[16] = { 0xef, 0x85, 0xfb, 0x5b, [8] = 7 };

	want("2018-11-26T05:35:43|0118-10-26T05:35:43", "%ptR|%ptRr", rtc, rtc);
	want("05:35:43|2018-11-26|2018-11-26 05:35:43", "%ptRt|%ptRd|%ptRs", rtc, rtc, rtc);
	want("05:35:43|0118-10-26", "%ptRtr|%ptRdr", rtc, rtc);
	want("2018-11-26T05:34:39|1969-12-31T23:59:59|2000-02-29T11:22:40", "%ptT|%ptT|%ptT", t, before,
	     leap);
	want("1543210479.000000007|2018-11-26T05:34:39.000000007", "%ptSp|%ptS", spec, spec);
}

static void test_rest(void)
{
	static const uint8_t addr[8] = { 0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01 };
	static const uint8_t bg[4] = { 'B', 'G', '1', '2' }, y10[4] = { 'Y', '1', '0', ' ' };
	static const uint8_t be[4] = { 'B', 'G', '1', '2' | 0x80 };
	static const uint8_t ctl[4] = { 0x11, 'G', 0xff, '2' };

	want("0x0123456789abcdef|0x0123456789abcdef|0x0123456789abcdef", "%pa|%pap|%pad", addr, addr,
	     addr);
	want("0x0123456789abcdef", "%pNF", addr);
	want("BG12 little-endian (0x32314742)|Y10  little-endian (0x20303159)", "%p4cc|%p4cc", bg, y10);
	want("BG12 big-endian (0xb2314742)|.G.2 little-endian (0x32ff4711)", "%p4cc|%p4cc", be, ctl);
	want("21GB (0x32314742)|BG12 (0x42473132)", "%p4ch|%p4cb", bg, bg);
	env.long_size = 4;
	want("0x89abcdef", "%pa", addr);
	env.long_size = 8;
}

/* Integers against glibc, in what the kernel and C agree on: no '0' beside a precision, no 0. */
static unsigned int rnd(void)
{
	static uint64_t state = 88172645463325252ull;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state >> 16;
}

static void random_fmt(char *fmt, bool *wide)
{
	static const char *const sizes[] = { "hh", "h", "", "l", "ll", "z" };
	char flags[6] = "", *flag = flags;
	unsigned int size = rnd() % 6;
	bool prec = rnd() % 3 == 0;

	for (unsigned int i = 0; i < 5; i++)
		if (rnd() % 3 == 0 && !("-+ #0"[i] == '0' && prec))
			*flag++ = "-+ #0"[i];
	fmt += sprintf(fmt, "%%%s", flags);
	if (rnd() % 2)
		fmt += sprintf(fmt, "%u", 1 + rnd() % 30);
	if (prec)
		fmt += sprintf(fmt, ".%u", 1 + rnd() % 25);
	*wide = size >= 3;
	sprintf(fmt, "%s%c", sizes[size], "diuxXo"[rnd() % 6]);
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
static void test_random(void)
{
	char fmt[32], theirs[128];
	struct buf ours = { 0 };
	unsigned int bad = 0;
	struct printf_conv c;
	bool wide;

	for (int i = 0; i < 200000; i++) {
		uint64_t v = ((uint64_t)rnd() << 32 | rnd()) >> rnd() % 64 | 1;

		random_fmt(fmt, &wide);
		/* %#.Nx of C counts the prefix in neither: the same; %#.No counts it in. */
		if (strchr(fmt, '#') && strchr(fmt, '.') && strchr(fmt, 'o'))
			continue;
		if (wide)
			snprintf(theirs, sizeof(theirs), fmt, v);
		else
			snprintf(theirs, sizeof(theirs), fmt, (unsigned int)v);
		buf_reset(&ours);
		if (conv_parse(fmt, fmt + strlen(fmt), 8, &c) != strlen(fmt))
			bad++;
		/* The kernel drops a sign on what is not signed, and so does C. */
		conv_int(&ours, &c, c.width, c.prec, v);
		if (strcmp(ours.data, theirs) && bad++ < 5)
			printf("# %s of %" PRIu64 ": \"%s\", glibc \"%s\"\n", fmt, v, ours.data, theirs);
	}
	TAP_EQ(bad, 0, "200,000 random integer conversions equal glibc's");
	buf_release(&ours);
}

static void test_limits(void)
{
	struct buf out = { 0 };
	struct printf_conv c;
	const char *wide = "%99999999999999999999d", *star = "%*.*d";

	parse(wide, &c);
	conv_int(&out, &c, c.width, c.prec, 1);
	TAP_EQ(out.len, CONV_WIDTH_MAX, "a width from the file is bounded");
	buf_reset(&out);
	parse(star, &c);
	conv_int(&out, &c, INT32_MIN, INT32_MAX, 1);
	TAP_EQ(out.len, CONV_WIDTH_MAX, "so are those from a record");
	buf_reset(&out);
	parse("%*pbl", &c);
	TAP_OK(!conv_ptr(&env, &out, &c, INT32_MIN, -1, (const uint8_t *)"abcd", 4) && !out.len,
	       "a bitmap larger than the record");
	TAP_EQ(conv_bytes(&c, INT32_MIN, 8), 1 << 20, "its size is bounded");
	parse("%-08.3llx tail", &c);
	TAP_OK(c.kind == 'x' && c.left && c.zero && c.width == 8 && c.prec == 3 && c.size == 8,
	       "the parts of a conversion");
	TAP_OK(parse("%5", &c) == 0 && parse("%l", &c) == 0 &&
	       parse("%", &c) == 0, "conversions that are cut");
	buf_release(&out);
}

/* Conversions and bytes of no meaning, each value alone in its memory: for the sanitisers. */
static void test_noise(void)
{
	static const char letters[] = "0123456789*.-+ #hlLztjZdiuxXocsppppppIiSMmUbBlLhCDNaEGtRTSrdFKe4cc6";
	struct buf out = { 0 };
	unsigned int refused = 0;

	for (int i = 0; i < 300000; i++) {
		char fmt[12] = "%";
		uint32_t len = rnd() % 40;
		uint8_t *p = malloc(len + !len);
		struct printf_conv c;
		int width, prec;

		for (int k = 1; k < 11; k++)
			fmt[k] = letters[rnd() % (sizeof(letters) - 1)];
		for (uint32_t k = 0; k < len; k++)
			p[k] = rnd() % 3 ? rnd() : k == 0 ? 2 + 8 * (rnd() % 2) : 0;
		buf_reset(&out);
		env.big = rnd() % 2;
		env.long_size = rnd() % 2 ? 4 : 8;
		if (conv_parse(fmt, fmt + strlen(fmt), env.long_size, &c)) {
			width = c.width_arg ? (int)rnd() >> rnd() % 32 : c.width;
			prec = c.prec_arg ? (int)rnd() >> rnd() % 32 : c.prec;
			conv_int(&out, &c, width, prec, rnd());
			conv_char(&env, &out, &c, width, rnd());
			conv_str(&env, &out, &c, width, prec, (char *)p, len);
			conv_value(&env, &out, &c, width, prec, rnd());
			refused += !conv_ptr(&env, &out, &c, width, prec, p, len);
			list_array(&out, p, len, rnd(), rnd() % 10, env.big);
			list_hex_dump(&env, &out, fmt, rnd() % 4, rnd(), rnd() % 10, p, len, true, 0);
			list_bitmask(&env, &out, p, len, rnd() % 2);
		}
		free(p);
	}
	env.big = false;
	env.long_size = 8;
	TAP_OK(refused > 0 && out.len < 100000, "noise does no harm");
	buf_release(&out);
}

static void list_is(struct buf *out, const char *text, const char *name)
{
	int ok = TAP_OK(out->len == strlen(text) && !memcmp(out->data ? out->data : "", text, out->len),
			name);

	if (!ok)
		printf("# got \"%s\"\n", out->data ? out->data : "");
	buf_reset(out);
}

static void test_flags(void)
{
	static const struct list_entry t[] = {
		{ 1, "A", 1 }, { 2, "B", 1 }, { 0, "NONE", 4 }, { 6, "BC", 2 }, { 0x10, "", 0 },
	};
	struct buf out = { 0 };

	list_flags(&out, 3, "|", t, 2);
	list_is(&out, "A|B", "two flags");
	list_flags(&out, 0x83, "|", t, 2);
	list_is(&out, "A|B|0x80", "flags and what is left");
	list_flags(&out, 0x80, "|", t, 2);
	list_is(&out, "0x80", "no flag known");
	list_flags(&out, 0, "|", t, 5);
	list_is(&out, "", "no flag set: nothing, whatever a mask 0 says");
	list_flags(&out, 8, "|", t, 5);
	list_is(&out, "NONE|0x8", "a mask 0 is in any value");
	list_flags(&out, 6, ", ", t, 5);
	list_is(&out, "B, NONE, 0x4", "bits that are named are gone");
	list_flags(&out, 3, NULL, t, 2);
	list_is(&out, "AB", "no delimiter");
	list_symbolic(&out, 6, t, 5);
	list_is(&out, "BC", "a symbol");
	list_symbolic(&out, 0xffffffffffffffff, t, 5);
	list_is(&out, "0xffffffffffffffff", "no symbol");
	list_symbolic(&out, 16, t, 5);
	list_is(&out, "0x10", "a symbol without a name");
	buf_release(&out);
}

static void test_arrays(void)
{
	static const uint8_t b[] = { 1, 0, 0xfe, 0xff, 5, 6, 7, 8 };
	struct buf out = { 0 };

	list_hex(&out, b, 3, false);
	list_is(&out, "01 00 fe", "__print_hex");
	list_hex(&out, b, 3, true);
	list_is(&out, "0100fe", "__print_hex_str");
	list_array(&out, b, 8, 4, 2, false);
	list_is(&out, "{0x1,0xfffe,0x605,0x807}", "__print_array");
	list_array(&out, b, 8, 2, 4, true);
	list_is(&out, "{0x100feff,0x5060708}", "__print_array, big-endian");
	list_array(&out, b, 8, 1, 8, false);
	list_is(&out, "{0x8070605fffe0001}", "__print_array of u64");
	list_array(&out, b, 8, 1, 3, false);
	list_is(&out, "{BAD SIZE:3 0x1,0x0,0xfe}", "__print_array of an odd size");
	list_array(&out, b, 7, UINT32_MAX, 4, false);
	list_is(&out, "{0xfffe0001}", "__print_array beyond the record");
	list_array(&out, b, 8, 0, 4, false);
	list_is(&out, "{}", "__print_array of nothing");
	list_array(&out, b, 8, 5, 0, false);
	list_is(&out, "{}", "__print_array of nothings");
	buf_release(&out);
}

static void test_dumps(void)
{
	static const uint8_t b[] = "0123456789abcdef\x01\x7fZ";
	struct buf out = { 0 };

	list_hex_dump(&env, &out, "p: ", 2, 16, 1, b, 19, true, 0);
	list_is(&out, "\np: 00000000: 30 31 32 33 34 35 36 37 38 39 61 62 63 64 65 66  0123456789abcdef\n"
		      "p: 00000010: 01 7f 5a                                         ..Z\n",
		"__print_hex_dump by bytes");
	list_hex_dump(&env, &out, "", 0, 32, 4, b, 16, false, 0);
	list_is(&out, "\n33323130 37363534 62613938 66656463\n", "__print_hex_dump by words");
	list_hex_dump(&env, &out, "", 1, 16, 8, b, 16, true, 0xffff888000000000);
	list_is(&out, "\nffff888000000000: 3736353433323130 6665646362613938  0123456789abcdef\n",
		"__print_hex_dump with addresses");
	list_bitmask(&env, &out, (const uint8_t[8]){ 0x0d }, 8, false);
	list_is(&out, "00000000,0000000d", "__get_bitmask");
	list_bitmask(&env, &out, (const uint8_t[8]){ 0x0d }, 8, true);
	list_is(&out, "0,2-3", "__get_bitmask with option bitmask-list");
	buf_release(&out);
}

int main(void)
{
	test_numbers();
	test_strings();
	test_values();
	test_symbols();
	test_bytes();
	test_network();
	test_ip6();
	test_sockaddr();
	test_bitmaps();
	test_times();
	test_rest();
	test_random();
	test_limits();
	test_noise();
	test_flags();
	test_arrays();
	test_dumps();
	return tap_done();
}
