/* SPDX-License-Identifier: GPL-2.0-or-later */
/* %pM, %pI, %pU: addresses of networks and what is written like them. */
#include <string.h>

#include "base/cursor.h"
#include "event/print/ptr.h"

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

/* MF: dashes; MR: from the last byte on, as Bluetooth does; a U behind these or alone: upper. */
bool ptr_mac(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len)
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
bool ptr_uuid(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len)
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

/* 'i': three digits each. @order: h host, l little, others as on the wire. */
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

/* ::ffff:a.b.c.d, and ISATAP's ...:[02]00:5efe:a.b.c.d, end in an IPv4 address. */
static bool has_ip4(const uint8_t *b)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(b, mapped, 12) ||
	       ((b[8] | 2) == 2 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe);
}

/* The longest run of at least two zero groups; the first of equals. @run 0: none. */
static int zero_run(const uint8_t *b, int groups, int *run)
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

static char *ip6_group(char *to, const uint8_t *b)
{
	uint16_t v = b[0] << 8 | b[1];
	int shift = v > 0xfff ? 12 : v > 0xff ? 8 : v > 0xf ? 4 : 0;

	for (; shift >= 0; shift -= 4)
		*to++ = lower[v >> shift & 15];
	return to;
}

static char *ip6_short(char *to, const uint8_t *b)
{
	bool v4 = has_ip4(b), colon = false;
	int groups = v4 ? 6 : 8, run, at = zero_run(b, groups, &run);

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
		to = ip6_group(to, b + 2 * i);
		colon = true;
	}
	if (!v4)
		return to;
	if (colon)
		*to++ = ':';
	return ip4_text(to, b + 12, false, 0, false);
}

/* The letters behind IS, in any order; of h n b l the last one counts. */
struct sockaddr_letters {
	bool port, flow, scope, compact;
	char order;
};

static struct sockaddr_letters sockaddr_letters(const char *ext)
{
	struct sockaddr_letters l = { 0 };

	for (; *ext && (*ext < '0' || *ext > '9'); ext++) {
		l.port |= *ext == 'p';
		l.flow |= *ext == 'f';
		l.scope |= *ext == 's';
		l.compact |= *ext == 'c';
		if (strchr("hnbl", *ext))
			l.order = *ext;
	}
	return l;
}

static bool sockaddr_ip4(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len)
{
	struct sockaddr_letters l = sockaddr_letters(p->ext + 2);
	char text[TEXT_MAX], *to;

	if (len < 8)
		return false;
	to = ip4_text(text, b + 4, p->ext[0] == 'i', l.order, p->env->big);
	if (l.port) {
		*to++ = ':';
		to = byte_dec(to, get_u16(b + 2, true));
	}
	ptr_text(out, p, text, to - text);
	return true;
}

static bool sockaddr_ip6(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len)
{
	struct sockaddr_letters l = sockaddr_letters(p->ext + 2);
	bool brackets = l.port || l.flow || l.scope;
	char text[TEXT_MAX], *to = text;

	if (len < (l.scope ? 28 : 24))
		return false;
	if (brackets)
		*to++ = '[';
	to = l.compact && p->ext[0] == 'I' ? ip6_short(to, b + 8)
					   : ip6_full(to, b + 8, p->ext[0] == 'I');
	if (brackets)
		*to++ = ']';
	if (l.port) {
		*to++ = ':';
		to = byte_dec(to, get_u16(b + 2, true));
	}
	if (l.flow) {
		*to++ = '/';
		to = byte_dec(to, get_u32(b + 4, true) & FLOWINFO_MASK);
	}
	if (l.scope) {
		*to++ = '%';
		to = byte_dec(to, get_u32(b + 24, p->env->big));
	}
	ptr_text(out, p, text, to - text);
	return true;
}

/* Events store no byte of an address that is not known yet: to the kernel a family like another. */
static bool sockaddr_text(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len)
{
	switch (len < 2 ? 0 : get_u16(b, p->env->big)) {
	case LINUX_INET:
		return sockaddr_ip4(out, p, b, len);
	case LINUX_INET6:
		return sockaddr_ip6(out, p, b, len);
	}
	ptr_text(out, p, "(einval)", 8);
	return true;
}

bool ptr_ip(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len)
{
	char text[TEXT_MAX], *end;

	if (p->ext[1] == 'S')
		return sockaddr_text(out, p, b, len);
	if (p->ext[1] == '4')
		end = ip4_text(text, b, p->ext[0] == 'i', p->ext[2], p->env->big);
	else if (p->ext[0] == 'I' && p->ext[2] == 'c')
		end = ip6_short(text, b);
	else
		end = ip6_full(text, b, p->ext[0] == 'I');
	ptr_text(out, p, text, end - text);
	return true;
}
