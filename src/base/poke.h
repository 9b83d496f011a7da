/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing text where there is known to be room, a whole line between two checks (buf_poke()). All
 * return where they end.
 */
#ifndef FTR_BASE_POKE_H
#define FTR_BASE_POKE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"

/* What poke_text() may write for a text of @len bytes: it copies in units of 16. */
#define POKE_TEXT_ROOM(len) ((len) + 16)
#define POKE_DEC_ROOM	    20

extern const char poke_pairs[200];	/* "00" "01" ... "99" */

/* As many bytes as POKE_TEXT_ROOM() says must be readable at @s as well. */
static inline char *poke_text(char *p, const char *s, size_t len)
{
	size_t at = 0;

	do {
		memcpy(p + at, s + at, 16);
		at += 16;
	} while (at < len);
	return p + len;
}

/* Two digits. */
static inline char *poke_2(char *p, unsigned int v)
{
	memcpy(p, poke_pairs + 2 * v, 2);
	return p + 2;
}

/* Three digits. */
static inline char *poke_3(char *p, unsigned int v)
{
	*p = '0' + v / 100;
	return poke_2(p + 1, v % 100);
}

/* Six digits. */
static inline char *poke_6(char *p, unsigned int v)
{
	poke_2(p, v / 10000);
	poke_2(p + 2, v / 100 % 100);
	return poke_2(p + 4, v % 100);
}

/* As many digits as it takes. */
static inline char *poke_dec(char *p, uint64_t v)
{
	char text[POKE_DEC_ROOM], *at = text + sizeof(text);

	while (v >= 100) {
		at -= 2;
		poke_2(at, v % 100);
		v /= 100;
	}
	if (v >= 10) {
		at -= 2;
		poke_2(at, v);
	} else {
		*--at = '0' + v;
	}
	memcpy(p, at, text + sizeof(text) - at);
	return p + (text + sizeof(text) - at);
}

#endif
