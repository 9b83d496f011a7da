/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The %p family: bytes that a pointer leads to, and pointers that are printed by their value. */
#include "event/print/conv.h"

#include <stddef.h>
#include <string.h>

#include "base/cursor.h"
#include "base/text.h"
#include "event/data/data.h"
#include "event/data/symtext.h"

/* A %p conversion that is being printed. */
struct pointer_conv {
	const struct conv_env *env;
	const struct printf_conv *c;
	const char *ext;	/* the letters after %p */
	int  width, prec;	/* from conv_width() and conv_prec() */
	bool left;
	int  amount;	/* the width, if it is a number of bytes or bits: %*ph, %*pb, %*pE */
};

/*
 * A printer of bytes. It gets at least conv_bytes() bytes and returns false if that is not enough.
 */
typedef bool (*ptr_fn)(struct buf *out, const struct pointer_conv *p, const uint8_t *b,
	      uint32_t len);

/* Appends a text, cut to the precision and padded. */
static void ptr_text(struct buf *out, const struct pointer_conv *p, const char *s, size_t n)
{
	if (p->prec >= 0 && n > (size_t)p->prec)
		n = p->prec;
	buf_add_padded(out, s, n, p->width, p->left);
}

/* --- %pe: names of error numbers */

/* The generic numbers: all but a few old architectures use them. */
static const char *const names[] = {
	[1] = "EPERM", [2] = "ENOENT", [3] = "ESRCH", [4] = "EINTR", [5] = "EIO", [6] = "ENXIO",
	[7] = "E2BIG", [8] = "ENOEXEC", [9] = "EBADF", [10] = "ECHILD", [11] = "EAGAIN",
	[12] = "ENOMEM", [13] = "EACCES", [14] = "EFAULT", [15] = "ENOTBLK", [16] = "EBUSY",
	[17] = "EEXIST", [18] = "EXDEV", [19] = "ENODEV", [20] = "ENOTDIR", [21] = "EISDIR",
	[22] = "EINVAL", [23] = "ENFILE", [24] = "EMFILE", [25] = "ENOTTY", [26] = "ETXTBSY",
	[27] = "EFBIG", [28] = "ENOSPC", [29] = "ESPIPE", [30] = "EROFS", [31] = "EMLINK",
	[32] = "EPIPE", [33] = "EDOM", [34] = "ERANGE", [35] = "EDEADLK", [36] = "ENAMETOOLONG",
	[37] = "ENOLCK", [38] = "ENOSYS", [39] = "ENOTEMPTY", [40] = "ELOOP", [42] = "ENOMSG",
	[43] = "EIDRM", [44] = "ECHRNG", [45] = "EL2NSYNC", [46] = "EL3HLT", [47] = "EL3RST",
	[48] = "ELNRNG", [49] = "EUNATCH", [50] = "ENOCSI", [51] = "EL2HLT", [52] = "EBADE",
	[53] = "EBADR", [54] = "EXFULL", [55] = "ENOANO", [56] = "EBADRQC", [57] = "EBADSLT",
	[59] = "EBFONT", [60] = "ENOSTR", [61] = "ENODATA", [62] = "ETIME", [63] = "ENOSR",
	[64] = "ENONET", [65] = "ENOPKG", [66] = "EREMOTE", [67] = "ENOLINK", [68] = "EADV",
	[69] = "ESRMNT", [70] = "ECOMM", [71] = "EPROTO", [72] = "EMULTIHOP", [73] = "EDOTDOT",
	[74] = "EBADMSG", [75] = "EOVERFLOW", [76] = "ENOTUNIQ", [77] = "EBADFD", [78] = "EREMCHG",
	[79] = "ELIBACC", [80] = "ELIBBAD", [81] = "ELIBSCN", [82] = "ELIBMAX", [83] = "ELIBEXEC",
	[84] = "EILSEQ", [85] = "ERESTART", [86] = "ESTRPIPE", [87] = "EUSERS", [88] = "ENOTSOCK",
	[89] = "EDESTADDRREQ", [90] = "EMSGSIZE", [91] = "EPROTOTYPE", [92] = "ENOPROTOOPT",
	[93] = "EPROTONOSUPPORT", [94] = "ESOCKTNOSUPPORT", [95] = "EOPNOTSUPP",
	[96] = "EPFNOSUPPORT", [97] = "EAFNOSUPPORT", [98] = "EADDRINUSE", [99] = "EADDRNOTAVAIL",
	[100] = "ENETDOWN", [101] = "ENETUNREACH", [102] = "ENETRESET", [103] = "ECONNABORTED",
	[104] = "ECONNRESET", [105] = "ENOBUFS", [106] = "EISCONN", [107] = "ENOTCONN",
	[108] = "ESHUTDOWN", [109] = "ETOOMANYREFS", [110] = "ETIMEDOUT", [111] = "ECONNREFUSED",
	[112] = "EHOSTDOWN", [113] = "EHOSTUNREACH", [114] = "EALREADY", [115] = "EINPROGRESS",
	[116] = "ESTALE", [117] = "EUCLEAN", [118] = "ENOTNAM", [119] = "ENAVAIL",
	[120] = "EISNAM", [121] = "EREMOTEIO", [122] = "EDQUOT", [123] = "ENOMEDIUM",
	[124] = "EMEDIUMTYPE", [125] = "ECANCELED", [126] = "ENOKEY", [127] = "EKEYEXPIRED",
	[128] = "EKEYREVOKED", [129] = "EKEYREJECTED", [130] = "EOWNERDEAD",
	[131] = "ENOTRECOVERABLE", [132] = "ERFKILL", [133] = "EHWPOISON",
};

/* Numbers from 512 on, which user space never gets. */
static const char *const inner[] = {
	[0] = "ERESTARTSYS", [1] = "ERESTARTNOINTR", [2] = "ERESTARTNOHAND", [3] = "ENOIOCTLCMD",
	[4] = "ERESTART_RESTARTBLOCK", [5] = "EPROBE_DEFER", [6] = "EOPENSTALE", [7] = "ENOPARAM",
	[9] = "EBADHANDLE", [10] = "ENOTSYNC", [11] = "EBADCOOKIE", [12] = "ENOTSUPP",
	[13] = "ETOOSMALL", [14] = "ESERVERFAULT", [15] = "EBADTYPE", [16] = "EJUKEBOX",
	[17] = "EIOCBQUEUED", [18] = "ERECALLCONFLICT", [19] = "ENOGRACE",
};

/*
 * Returns the name of an error code, "EPERM" for 1, or NULL if it is unknown; from
 * include/uapi/asm-generic/errno*.h and include/linux/errno.h.
 */
static const char *errname_find(unsigned int err)
{
	if (err < sizeof(names) / sizeof(*names))
		return names[err];
	if (err >= 512 && err - 512 < sizeof(inner) / sizeof(*inner))
		return inner[err - 512];
	return NULL;
}

/* --- %pM, %pI, %pU: network addresses and UUIDs */

#define LINUX_INET	2
#define LINUX_INET6	10
#define FLOWINFO_MASK	0x0fffffff
#define TEXT_MAX	96	/* "[...]:65535/268435455%4294967295" fits */

static const char lower[] = "0123456789abcdef", upper[] = "0123456789ABCDEF";

static char *byte_hex(char *to, uint8_t b, const char *digits)
{
	*to++ = digits[b >> 4];
	*to++ = digits[b & 15];
	return to;
}

/* MF: dashes; MR: from the last byte on, as Bluetooth does; U, alone or after these: upper case. */
static bool ptr_mac(struct buf *out, const struct pointer_conv *p, const uint8_t *b, uint32_t len)
{
	char kind = p->ext[1], text[18], *to = text;
	bool up = kind == 'U' || ((kind == 'F' || kind == 'R') && p->ext[2] == 'U');

	(void)len;
	for (int i = 0; i < 6; i++) {
		to = byte_hex(to, b[kind == 'R' ? 5 - i : i], up ? upper : lower);
		if (p->ext[0] == 'M' && i < 5)
			*to++ = kind == 'F' ? '-' : ':';
	}
	ptr_text(out, p, text, to - text);
	return true;
}

/* l, L: the first three groups are little-endian numbers (a GUID); B, L: upper case. */
static bool ptr_uuid(struct buf *out, const struct pointer_conv *p, const uint8_t *b, uint32_t len)
{
	static const uint8_t big[16] = {
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	}, little[16] = {
		3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15
	};
	char kind = p->ext[1], text[36], *to = text;
	const uint8_t *order = (kind | 0x20) == 'l' ? little : big;
	bool up = kind == 'B' || kind == 'L';

	(void)len;
	for (int i = 0; i < 16; i++) {
		to = byte_hex(to, b[order[i]], up ? upper : lower);
		if (i == 3 || i == 5 || i == 7 || i == 9)
			*to++ = '-';
	}
	ptr_text(out, p, text, to - text);
	return true;
}

static char *byte_dec(char *to, uint32_t v)
{
	char tmp[10];
	int n = 0;

	do {
		tmp[n++] = '0' + v % 10;
		v /= 10;
	} while (v);
	while (n)
		*to++ = tmp[--n];
	return to;
}

/*
 * Writes an IPv4 address, with three digits each if @padded is true ('i'). @order: h host, l
 * little, others network order.
 */
static char *ip4_text(char *to, const uint8_t *b, bool padded, char order, bool big)
{
	bool back = order == 'l' || (order == 'h' && !big);

	for (int i = 0; i < 4; i++) {
		uint8_t v = b[back ? 3 - i : i];

		if (padded && v < 100)
			*to++ = '0';
		if (padded && v < 10)
			*to++ = '0';
		to = byte_dec(to, v);
		if (i < 3)
			*to++ = '.';
	}
	return to;
}

static char *ip6_full(char *to, const uint8_t *b, bool colons)
{
	for (int i = 0; i < 16; i++) {
		to = byte_hex(to, b[i], lower);
		if (colons && i % 2 && i < 15)
			*to++ = ':';
	}
	return to;
}

/*
 * Returns the first of the longest runs of at least two zero groups and its length in *run, 0 if
 * there is none.
 */
static int ip6_zero_run(const uint8_t *b, int groups, int *run)
{
	int at = -1, n = 0;

	*run = 0;
	for (int i = 0; i < groups; i++) {
		n = b[2 * i] || b[2 * i + 1] ? 0 : n + 1;
		if (n > 1 && n > *run) {
			*run = n;
			at = i - n + 1;
		}
	}
	return at;
}

static char *ip6_short(char *to, const uint8_t *b)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	/* ::ffff:a.b.c.d, and ISATAP's ...:[02]00:5efe:a.b.c.d, end in an IPv4 address. */
	bool v4 = !memcmp(b, mapped, 12) ||
		  ((b[8] | 2) == 2 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe);
	int groups = v4 ? 6 : 8, run, at = ip6_zero_run(b, groups, &run), shift;
	bool colon = false;
	uint16_t v;

	for (int i = 0; i < groups; i++) {
		if (i == at) {
			*to++ = ':';
			*to++ = ':';
			colon = false;
			i += run - 1;
			continue;
		}
		if (colon)
			*to++ = ':';
		v = b[2 * i] << 8 | b[2 * i + 1];
		shift = v > 0xfff ? 12 : v > 0xff ? 8 : v > 0xf ? 4 : 0;
		for (; shift >= 0; shift -= 4)
			*to++ = lower[v >> shift & 15];
		colon = true;
	}
	if (!v4)
		return to;
	if (colon)
		*to++ = ':';
	return ip4_text(to, b + 12, false, 0, false);
}

/*
 * The letters after IS are in any order; the last one of h n b l counts. Events store no byte of an
 * address that is still unknown: the kernel prints that like an unknown family.
 */
static bool ptr_sockaddr(struct buf *out, const struct pointer_conv *p, const uint8_t *b,
			 uint32_t len)
{
	bool port = false, flow = false, scope = false, compact = false, plain, v6;
	uint16_t family = len < 2 ? 0 : get_u16(b, p->env->big);
	char text[TEXT_MAX], *to = text, order = 0;

	for (const char *ext = p->ext + 2; *ext && (*ext < '0' || *ext > '9'); ext++) {
		port |= *ext == 'p';
		flow |= *ext == 'f';
		scope |= *ext == 's';
		compact |= *ext == 'c';
		if (strchr("hnbl", *ext))
			order = *ext;
	}
	v6 = family == LINUX_INET6;
	if (!v6 && family != LINUX_INET) {
		ptr_text(out, p, "(einval)", 8);
		return true;
	}
	if (len < (!v6 ? 8 : scope ? 28 : 24))
		return false;
	plain = !v6 || !(port || flow || scope);
	if (!plain)
		*to++ = '[';
	if (!v6)
		to = ip4_text(to, b + 4, p->ext[0] == 'i', order, p->env->big);
	else if (compact && p->ext[0] == 'I')
		to = ip6_short(to, b + 8);
	else
		to = ip6_full(to, b + 8, p->ext[0] == 'I');
	if (!plain)
		*to++ = ']';
	if (port) {
		*to++ = ':';
		to = byte_dec(to, get_u16(b + 2, true));
	}
	if (v6 && flow) {
		*to++ = '/';
		to = byte_dec(to, get_u32(b + 4, true) & FLOWINFO_MASK);
	}
	if (v6 && scope) {
		*to++ = '%';
		to = byte_dec(to, get_u32(b + 24, p->env->big));
	}
	ptr_text(out, p, text, to - text);
	return true;
}

static bool ptr_ip(struct buf *out, const struct pointer_conv *p, const uint8_t *b, uint32_t len)
{
	char text[TEXT_MAX], *end;

	if (p->ext[1] == 'S')
		return ptr_sockaddr(out, p, b, len);
	if (p->ext[1] == '4')
		end = ip4_text(text, b, p->ext[0] == 'i', p->ext[2], p->env->big);
	else if (p->ext[0] == 'I' && p->ext[2] == 'c')
		end = ip6_short(text, b);
	else
		end = ip6_full(text, b, p->ext[0] == 'I');
	ptr_text(out, p, text, end - text);
	return true;
}

/* --- %ph, %pb, %pE, %p4cc, %pt: bytes, bits, escaped text, pixel formats, times */

static bool ptr_hex(struct buf *out, const struct pointer_conv *p, const uint8_t *b, uint32_t len)
{
	char sep = p->ext[1] == 'C' ? ':' : p->ext[1] == 'D' ? '-' : p->ext[1] == 'N' ? 0 : ' ';
	uint32_t n = p->amount < 0 ? 1 : p->amount > 64 ? 64 : p->amount;
	char *to = buf_tail(out, 3 * n);

	(void)len;
	for (uint32_t i = 0; i < n; i++) {
		if (i && sep)
			*to++ = sep;
		*to++ = lower[b[i] >> 4];
		*to++ = lower[b[i] & 15];
	}
	buf_tail_end(out, to);
	return true;
}

/* Returns byte @i of the value in little-endian order: bitmaps are arrays of longs. */
static uint8_t bitmap_byte(const struct conv_env *env, const uint8_t *b, uint32_t len, uint32_t i)
{
	if (env->big)
		i = i / env->long_size * env->long_size + env->long_size - 1 - i % env->long_size;
	return i < len ? b[i] : 0;
}

void bitmap_hex(const struct conv_env *env, struct buf *out, const uint8_t *b, uint32_t len,
		uint32_t bits)
{
	uint32_t chunk = (bits + 31) / 32, part, value;

	for (part = bits % 32 ? bits % 32 : 32; chunk--; part = 32) {
		value = 0;
		for (uint32_t i = 0; i < 4; i++)
			value |= (uint32_t)bitmap_byte(env, b, len, 4 * chunk + i) << 8 * i;
		if (part < 32)
			value &= (1u << part) - 1;
		buf_add_hex_fixed(out, value, (part + 3) / 4);
		if (chunk)
			buf_addch(out, ',');
	}
}

static bool bitmap_bit(const struct conv_env *env, const uint8_t *b, uint32_t len, uint32_t i)
{
	return bitmap_byte(env, b, len, i / 8) >> i % 8 & 1;
}

void bitmap_ranges(const struct conv_env *env, struct buf *out, const uint8_t *b, uint32_t len,
		   uint32_t bits)
{
	bool first = true;
	uint32_t from;

	for (uint32_t i = 0; i < bits; i++) {
		if (!bitmap_bit(env, b, len, i))
			continue;
		for (from = i; i + 1 < bits && bitmap_bit(env, b, len, i + 1); i++)
			;
		if (!first)
			buf_addch(out, ',');
		first = false;
		buf_add_dec(out, from);
		if (from == i)
			continue;
		buf_addch(out, '-');
		buf_add_dec(out, i);
	}
}

static bool ptr_bitmap(struct buf *out, const struct pointer_conv *p, const uint8_t *b,
		       uint32_t len)
{
	uint32_t bits = p->amount < 0 ? 0 : p->amount;

	if (p->ext[1] == 'l')
		bitmap_ranges(p->env, out, b, len, bits);
	else
		bitmap_hex(p->env, out, b, len, bits);
	return true;
}

enum { ESC_SPACE = 1, ESC_SPECIAL = 2, ESC_NULL = 4, ESC_OCTAL = 8, ESC_NP = 16, ESC_HEX = 32 };
#define ESC_ANY (ESC_SPACE | ESC_SPECIAL | ESC_NULL | ESC_OCTAL)

/* Returns the character after the backslash for one of @from, or 0. */
static char escaped_as(uint8_t c, const char *from, const char *to)
{
	const char *at = c ? strchr(from, c) : NULL;

	return at ? to[at - from] : 0;
}

static char *escape_byte(char *to, uint8_t c, unsigned int flags)
{
	char as = 0;

	/* the kernel's isprint() accepts Latin-1 */
	if (flags & ESC_NP && ((c >= 0x20 && c < 0x7f) || c >= 0xa0)) {
		*to++ = c;
		return to;
	}
	if (flags & ESC_SPACE)
		as = escaped_as(c, "\n\r\t\v\f", "nrtvf");
	if (!as && flags & ESC_SPECIAL)
		as = escaped_as(c, "\\\a\033\"", "\\ae\"");
	if (!as && flags & ESC_NULL && !c)
		as = '0';
	if (as || flags & (ESC_OCTAL | ESC_HEX))
		*to++ = '\\';
	if (as) {
		*to++ = as;
	} else if (flags & ESC_OCTAL) {
		*to++ = '0' + (c >> 6);
		*to++ = '0' + (c >> 3 & 7);
		*to++ = '0' + (c & 7);
	} else if (flags & ESC_HEX) {
		*to++ = 'x';
		*to++ = lower[c >> 4];
		*to++ = lower[c & 15];
	} else {
		*to++ = c;
	}
	return to;
}

/*
 * Without letters everything that is not printable is escaped. Bytes that the flags leave unchanged
 * and that would control a terminal are sanitised.
 */
static bool ptr_escaped(struct buf *out, const struct pointer_conv *p, const uint8_t *b,
			uint32_t len)
{
	static const struct { char letter; unsigned int flags; } letters[] = {
		{ 'a', ESC_ANY }, { 'c', ESC_SPECIAL }, { 'h', ESC_HEX }, { 'n', ESC_NULL },
		{ 'o', ESC_OCTAL }, { 'p', ESC_NP }, { 's', ESC_SPACE },
	};
	unsigned int flags = 0, nr = sizeof(letters) / sizeof(*letters), k;
	uint32_t n = p->amount < 0 ? 1 : p->amount;
	struct buf text = { 0 };
	char *to = buf_tail(&text, 4 * (size_t)n);

	(void)len;
	for (const char *ext = p->ext + 1; *ext; ext++) {
		for (k = 0; k < nr && letters[k].letter != *ext; k++)
			;
		if (k == nr)
			break;
		flags |= letters[k].flags;
	}
	if (!flags)
		flags = ESC_ANY | ESC_NP;
	for (uint32_t i = 0; i < n; i++)
		to = escape_byte(to, b[i], flags);
	buf_tail_end(&text, to);
	if (p->env->raw)
		buf_add(out, text.data, text.len);
	else
		text_sanitise(out, text.data, text.len, false);
	buf_release(&text);
	return true;
}

static char *fourcc_chars(char *to, uint32_t v)
{
	for (int shift = 24; shift >= 0; shift -= 8) {
		uint8_t c = v >> shift;

		*to++ = c >= 0x20 && c < 0x7f ? c : '.';
	}
	return to;
}

static bool ptr_fourcc(struct buf *out, const struct pointer_conv *p, const uint8_t *b,
		       uint32_t len)
{
	char kind = p->ext[2], text[48], *to;
	bool order = kind == 'l' ? false : kind == 'b' ? true : p->env->big;
	const char *what = "";
	uint32_t v;

	(void)len;
	if (!kind || !strchr("chlb", kind)) {
		ptr_text(out, p, "(%p4?)", 6);
		return true;
	}
	if (kind == 'h' && p->ext[3] == 'R')
		order = !order;
	v = get_u32(b, order);
	/* a pixel format starts with its lowest byte, and has a bit for its byte order */
	if (kind == 'c') {
		what = v >> 31 ? " big-endian" : " little-endian";
		to = fourcc_chars(text, __builtin_bswap32(v & 0x7fffffff));
	} else {
		to = fourcc_chars(text, v);
	}
	to = stpcpy(stpcpy(to, what), " (0x");
	for (int shift = 28; shift >= 0; shift -= 4)
		*to++ = lower[v >> shift & 15];
	*to++ = ')';
	ptr_text(out, p, text, to - text);
	return true;
}

struct civil_time {
	int64_t year;		/* the number that is printed */
	int mon, day, hour, min, sec;
};

/* Negative numbers are printed as unsigned 64-bit ones, in the kernel too. */
static void print_time_field(struct buf *out, int64_t v, int width)
{
	buf_add_number(out, v, 10, NUM_ZERO, width, -1);
}

/* @letters: d date only, t time only; then s: a space between them (r has no effect here). */
static void print_civil(struct buf *out, const struct civil_time *c, const char *letters)
{
	bool date = *letters != 't', time = *letters != 'd', space = false;

	if (*letters == 'd' || *letters == 't')
		letters++;
	for (; *letters == 'r' || *letters == 's'; letters++)
		space |= *letters == 's';
	if (date) {
		print_time_field(out, c->year, 4);
		buf_addch(out, '-');
		print_time_field(out, c->mon, 2);
		buf_addch(out, '-');
		print_time_field(out, c->day, 2);
	}
	if (date && time)
		buf_addch(out, space ? ' ' : 'T');
	if (!time)
		return;
	print_time_field(out, c->hour, 2);
	buf_addch(out, ':');
	print_time_field(out, c->min, 2);
	buf_addch(out, ':');
	print_time_field(out, c->sec, 2);
}

static bool is_raw(const char *letters)
{
	if (*letters == 'd' || *letters == 't')
		letters++;
	for (; *letters == 's'; letters++)
		;
	return *letters == 'r';
}

static void print_time64(struct buf *out, const struct pointer_conv *p, int64_t seconds)
{
	int64_t days = seconds / 86400, rest = seconds % 86400, era;
	unsigned int doe, yoe, doy, m;
	struct civil_time c;

	if (rest < 0) {
		rest += 86400;
		days--;
	}
	/* days since 1970-01-01 as a date, by eras of 400 years that start in March */
	days += 719468;
	era = (days >= 0 ? days : days - 146096) / 146097;
	doe = days - era * 146097;
	yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	m = (5 * doy + 2) / 153;
	c = (struct civil_time){
		.year = yoe + era * 400 + (m >= 10), .mon = m < 10 ? m + 3 : m - 9,
		.day = doy - (153 * m + 2) / 5 + 1,
		.hour = rest / 3600, .min = rest / 60 % 60, .sec = rest % 60,
	};
	if (is_raw(p->ext + 2)) {
		c.year -= 1900;
		c.mon--;
	}
	c.year = (int32_t)c.year;
	print_civil(out, &c, p->ext + 2);
}

/*
 * R: struct rtc_time: sec, min, hour, mday, mon from 0, year from 1900; r prints these unchanged.
 * S: struct timespec64, since 7.0. T: seconds.
 */
static bool ptr_time(struct buf *out, const struct pointer_conv *p, const uint8_t *b, uint32_t len)
{
	bool raw = is_raw(p->ext + 2), big = p->env->big;
	int32_t year, mon;
	int64_t nsec;
	struct civil_time c;

	(void)len;
	if (p->ext[1] == 'R') {
		year = get_u32(b + 20, big);
		mon = get_u32(b + 16, big);
		c = (struct civil_time){
			.year = raw ? year : (int32_t)((uint32_t)year + 1900),
			.mon = raw ? mon : (int32_t)((uint32_t)mon + 1),
			.day = (int32_t)get_u32(b + 12, big), .hour = (int32_t)get_u32(b + 8, big),
			.min = (int32_t)get_u32(b + 4, big), .sec = (int32_t)get_u32(b, big),
		};
		print_civil(out, &c, p->ext + 2);
		return true;
	}
	if (p->ext[1] == 'S' && p->ext[2] == 'p')
		buf_add_dec(out, get_u64(b, big));
	else
		print_time64(out, p, get_u64(b, big));
	if (p->ext[1] == 'S') {
		nsec = p->env->long_size == 8 ? (int64_t)get_u64(b + 8, big) :
						(int32_t)get_u32(b + 8, big);
		buf_addch(out, '.');
		buf_add_number(out, nsec, 10, NUM_ZERO, 9, -1);
	}
	return true;
}

/* --- the letters and their printers */

#define MAX_ERRNO	4095
#define AMOUNT_MAX	((1 << 23) - 1)

/* Prints "0x" and all digits of @size bytes: %pa, %pNF, %p4cc. */
static void print_special_hex(struct buf *out, uint64_t v, unsigned int size)
{
	buf_add(out, "0x", 2);
	buf_add_hex_fixed(out, v, 2 * size);
}

/*
 * %pa, %pap, %pad. These types may have 8 bytes on 32-bit machines: the size of the field decides.
 */
static bool ptr_addr(struct buf *out, const struct pointer_conv *p, const uint8_t *b, uint32_t len)
{
	if (p->env->long_size == 4 && len != 8)
		print_special_hex(out, get_u32(b, p->env->big), 4);
	else
		print_special_hex(out, get_u64(b, p->env->big), 8);
	return true;
}

static bool ptr_features(struct buf *out, const struct pointer_conv *p, const uint8_t *b,
			 uint32_t len)
{
	(void)len;
	print_special_hex(out, get_u64(b, p->env->big), 8);
	return true;
}

/* The names of page, vma and gfp flags change with nearly every kernel: print numbers. */
static bool ptr_flags(struct buf *out, const struct pointer_conv *p, const uint8_t *b, uint32_t len)
{
	(void)len;
	buf_add_0x(out, get_sized(b, p->ext[1] == 'g' ? 4 : p->env->long_size, p->env->big));
	return true;
}

struct pointer_kind {
	char        letter;
	const char *second;	/* letters that may follow; NULL if any may, or none */
	ptr_fn      print;
	uint32_t    bytes;	/* 0: see ptr_bytes() */
};

static const struct pointer_kind kinds[] = {
	{ 'M', NULL, ptr_mac, 6 },
	{ 'm', NULL, ptr_mac, 6 },
	{ 'I', "4", ptr_ip, 4 },
	{ 'i', "4", ptr_ip, 4 },
	{ 'I', "6", ptr_ip, 16 },
	{ 'i', "6", ptr_ip, 16 },
	{ 'I', "S", ptr_ip, 0 },
	{ 'i', "S", ptr_ip, 0 },
	{ 'U', NULL, ptr_uuid, 16 },
	{ 'h', NULL, ptr_hex, 0 },
	{ 'b', NULL, ptr_bitmap, 0 },
	{ 'a', NULL, ptr_addr, 0 },
	{ 'N', "F", ptr_features, 8 },
	{ '4', "c", ptr_fourcc, 4 },
	{ 't', "RTS", ptr_time, 0 },
	{ 'G', "pvg", ptr_flags, 0 },
	{ 'E', NULL, ptr_escaped, 0 },
};

static const struct pointer_kind *find_ptr_kind(const char *ext)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (kinds[i].letter == ext[0] &&
		    (!kinds[i].second || (ext[1] && strchr(kinds[i].second, ext[1]))))
			return &kinds[i];
	return NULL;
}

enum conv_arg conv_arg(const struct printf_conv *c)
{
	if (c->kind == 's')
		return CONV_ARG_STR;
	if (c->kind != 'p')
		return CONV_ARG_INT;
	return find_ptr_kind(c->ext) ? CONV_ARG_BYTES : CONV_ARG_VALUE;
}

/*
 * Returns the bytes that a conversion needs. A width below 0 is none. %ph prints at most 64 bytes,
 * without a width one.
 */
static uint32_t ptr_bytes(const struct pointer_kind *k, const char *ext, int width,
			  unsigned int long_size)
{
	if (k->bytes)
		return k->bytes;
	switch (ext[0]) {
	case 'h':
		return width < 0 ? 1 : width > 64 ? 64 : width;
	case 'E':
		return width < 0 ? 1 : width;
	case 'b':
		return width < 0 ? 0 : (width + 7) / 8;
	case 'I':	/* depends on the address family */
	case 'i':
		return 0;
	case 't':	/* struct rtc_time is nine ints, of which the first six are printed */
		return ext[1] == 'R' ? 24 : ext[1] == 'S' ? 8 + long_size : 8;
	case 'G':
		return ext[1] == 'g' ? 4 : long_size;
	}
	return long_size;
}

/* A width that counts bits or bytes of the value may be as large as in the kernel. */
static int clamp_amount(const struct printf_conv *c, int width)
{
	if (c->width_arg && width < 0)
		width = width > -AMOUNT_MAX ? -width : AMOUNT_MAX;
	return width < AMOUNT_MAX ? width : AMOUNT_MAX;
}

uint32_t conv_bytes(const struct printf_conv *c, int width, unsigned int long_size)
{
	const struct pointer_kind *k = find_ptr_kind(c->ext);

	return k ? ptr_bytes(k, c->ext, clamp_amount(c, width), long_size) : 0;
}

bool conv_ptr(const struct conv_env *env, struct buf *out, const struct printf_conv *c, int width,
	      int prec, const uint8_t *b, uint32_t len)
{
	const struct pointer_kind *k = find_ptr_kind(c->ext);
	struct pointer_conv p = { .env = env, .c = c, .ext = c->ext };

	p.width = conv_width(c, width, &p.left);
	p.prec = conv_prec(c, prec);
	p.amount = clamp_amount(c, width);
	if (!k || len < ptr_bytes(k, c->ext, p.amount, env->long_size))
		return false;
	return k->print(out, &p, b, len);
}

/* Without a width all digits are shown. */
static void print_pointer(struct buf *out, const struct pointer_conv *p, uint64_t v)
{
	unsigned int flags = conv_flags(p->c, p->left), digits = 2 * p->env->long_size;

	if (p->width < 0 && p->prec < 0 && !(flags & ~NUM_ZERO))
		buf_add_hex_fixed(out, v, digits);
	else if (p->width < 0)
		buf_add_number(out, v, 16, flags | NUM_ZERO, digits, p->prec);
	else
		buf_add_number(out, v, 16, flags, p->width, p->prec);
}

/* @back is 1 for a return address, which belongs to the instruction before it. */
static void symbol_text(struct ev_syms *syms, struct buf *out, uint64_t addr, unsigned int back,
			bool offset)
{
	const char *name, *mod;
	size_t len, mod_len;
	uint64_t off;

	name = ev_syms_find(syms, addr - back, &len, &mod, &mod_len, &off);
	if (!name || ev_syms_listed_only(mod, mod_len)) {
		buf_add_0x(out, addr);
		return;
	}
	text_sanitise(out, name, len, false);
	if (offset) {
		buf_addch(out, '+');
		buf_add_0x(out, off + back);
		buf_addch(out, '/');
		buf_add_0x(out, ev_syms_size(syms, addr - back));
	}
	if (mod) {
		buf_add(out, " [", 2);
		text_sanitise(out, mod, mod_len, false);
		buf_addch(out, ']');
	}
}

/* Flags for SYMTEXT_CONV. */
enum { BACK = 1, OFFSET = 2 };

static void make_symbol_text(void *syms, uint64_t addr, unsigned int kind, struct buf *out)
{
	symbol_text(syms, out, addr, !!(kind & BACK), kind & OFFSET);
}

void conv_symbol(struct ev_syms *syms, struct buf *out, uint64_t addr, bool offset)
{
	symbol_text(syms, out, addr, 0, offset);
}

/* %ps %pS %pB; before 5.2 these were called %pf and %pF. */
unsigned int ptr_symbol_kind(const char *ext)
{
	if (!ext[0] || !strchr("sSBFf", ext[0]) || (ext[0] == 'f' && ext[1] == 'w'))
		return 0;
	return SYMTEXT_CONV | (ext[0] == 'B' ? BACK : 0) | (ext[0] < 'a' ? OFFSET : 0);
}

/* Appends the text, then cuts it, or moves it to make room. */
static void print_symbol(struct buf *out, const struct pointer_conv *p, uint64_t v)
{
	unsigned int kind = ptr_symbol_kind(p->ext);
	size_t start = out->len, len;
	int pad;

	if (p->env->symbols)
		symtext_add(p->env->symbols, p->env->syms, v, kind, make_symbol_text, out);
	else
		make_symbol_text(p->env->syms, v, kind, out);
	len = out->len - start;
	if (p->prec >= 0 && len > (size_t)p->prec) {
		len = p->prec;
		buf_tail_end(out, out->data + start + len);
	}
	pad = p->width > 0 && (size_t)p->width > len ? p->width - (int)len : 0;
	buf_add_padded(out, "", 0, pad, false);
	if (!pad || p->left)
		return;
	memmove(out->data + start + pad, out->data + start, len);
	memset(out->data + start, ' ', pad);
}

static bool print_errname(struct buf *out, const struct pointer_conv *p, uint64_t v)
{
	uint64_t top = p->env->long_size == 8 ? UINT64_MAX : UINT32_MAX;
	uint32_t err = top - v + 1;
	const char *name;
	char text[40];

	if (v > top || top - v >= MAX_ERRNO)
		return false;
	name = errname_find(err);
	if (!name) {
		buf_add_number(out, -(uint64_t)err, 10, conv_flags(p->c, p->left) | NUM_SIGN,
			       p->width, p->prec);
		return true;
	}
	text[0] = '-';
	strcpy(text + 1, name);
	ptr_text(out, p, text, strlen(text));
	return true;
}

void conv_value(const struct conv_env *env, struct buf *out, const struct printf_conv *c, int width,
		int prec, uint64_t v)
{
	/* the kernel's text for unknown letters after these */
	static const char *const complaints[] = {
		"(%pI?)", "(%pi?)", "(%pN?)", "(%p4?)", "(%pt?)", "(%pG?)",
	};
	struct pointer_conv p = { .env = env, .c = c, .ext = c->ext };
	size_t i;

	p.width = conv_width(c, width, &p.left);
	p.prec = conv_prec(c, prec);
	if (env->long_size == 4)
		v = (uint32_t)v;
	if (!c->ext[0] || c->ext[0] == 'x') {
		print_pointer(out, &p, v);
	} else if (ptr_symbol_kind(c->ext)) {
		print_symbol(out, &p, v);
	} else if (c->ext[0] != 'e' || !print_errname(out, &p, v)) {
		for (i = 0; i < sizeof(complaints) / sizeof(*complaints); i++)
			if (complaints[i][3] == c->ext[0])
				break;
		if (i < sizeof(complaints) / sizeof(*complaints) && !find_ptr_kind(c->ext))
			ptr_text(out, &p, complaints[i], strlen(complaints[i]));
		else
			print_pointer(out, &p, v);
	}
}
