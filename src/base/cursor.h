/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A byte cursor with bounds checks. All data from files is read through it. */
#ifndef FTR_BASE_CURSOR_H
#define FTR_BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Reads from [p, end). A read that does not fit sets ->bad, moves nothing and returns 0 or NULL.
 * ->bad is never cleared, so a caller may do several reads and check it once at the end.
 */
struct cursor {
	const uint8_t *base, *p, *end;
	bool big;		/* big-endian data */
	bool bad;
};

static inline struct cursor cur_init(const void *data, size_t n, bool big)
{
	return (struct cursor){
		.base = data, .p = data, .end = (const uint8_t *)data + n, .big = big
	};
}

static inline size_t cur_left(const struct cursor *c)
{
	return c->bad ? 0 : (size_t)(c->end - c->p);
}

static inline size_t cur_pos(const struct cursor *c)
{
	return c->p - c->base;
}

/* Returns the next @n bytes, borrowed, or NULL. */
static inline const uint8_t *cur_bytes(struct cursor *c, uint64_t n)
{
	const uint8_t *at = c->p;

	if (c->bad || n > (uint64_t)(c->end - c->p)) {
		c->bad = true;
		return NULL;
	}
	c->p += n;
	return at;
}

static inline bool cur_seek(struct cursor *c, uint64_t pos)
{
	if (c->bad || pos > (uint64_t)(c->end - c->base)) {
		c->bad = true;
		return false;
	}
	c->p = c->base + pos;
	return true;
}

/* Read integers from bytes that are known to be readable. */
static inline uint16_t get_u16(const void *p, bool big)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return big == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? v : __builtin_bswap16(v);
}

static inline uint32_t get_u32(const void *p, bool big)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return big == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? v : __builtin_bswap32(v);
}

static inline uint64_t get_u64(const void *p, bool big)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return big == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? v : __builtin_bswap64(v);
}

/* Reads a number of @size bytes: 2, 4 or 8. With any other @size it reads one byte. */
static inline uint64_t get_sized(const uint8_t *p, uint32_t size, bool big)
{
	switch (size) {
	case 2:
		return get_u16(p, big);
	case 4:
		return get_u32(p, big);
	case 8:
		return get_u64(p, big);
	}
	return *p;
}

/* Reads a number of @size bytes: 1, 2, 4, or else 8. A signed one is sign-extended. */
static inline uint64_t get_number(const uint8_t *p, uint32_t size, bool is_signed, bool big)
{
	switch (size) {
	case 1:
		return is_signed ? (uint64_t)(int8_t)*p : *p;
	case 2:
		return is_signed ? (uint64_t)(int16_t)get_u16(p, big) : get_u16(p, big);
	case 4:
		return is_signed ? (uint64_t)(int32_t)get_u32(p, big) : get_u32(p, big);
	default:
		return get_u64(p, big);
	}
}

static inline uint8_t cur_u8(struct cursor *c)
{
	const uint8_t *p = cur_bytes(c, 1);

	return p ? *p : 0;
}

static inline uint16_t cur_u16(struct cursor *c)
{
	const uint8_t *p = cur_bytes(c, 2);

	return p ? get_u16(p, c->big) : 0;
}

static inline uint32_t cur_u32(struct cursor *c)
{
	const uint8_t *p = cur_bytes(c, 4);

	return p ? get_u32(p, c->big) : 0;
}

static inline uint64_t cur_u64(struct cursor *c)
{
	const uint8_t *p = cur_bytes(c, 8);

	return p ? get_u64(p, c->big) : 0;
}

/* Returns a NUL-terminated string, borrowed, or NULL if there is no NUL before the end. */
static inline const char *cur_str(struct cursor *c)
{
	const uint8_t *nul = c->bad || c->p == c->end ? NULL : memchr(c->p, 0, c->end - c->p);
	const char *s = (const char *)c->p;

	if (!nul) {
		c->bad = true;
		return NULL;
	}
	c->p = nul + 1;
	return s;
}

#endif
