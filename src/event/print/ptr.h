/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the conversions and event/prog: the %p family. */
#ifndef FTR_EVENT_PTR_H
#define FTR_EVENT_PTR_H

#include "event/print/conv.h"

/* conv.c: width and precision for put_*(). *left is set for '-' and for a negative '*'. */
int conv_width(const struct conv *c, int width, bool *left);
int conv_prec(const struct conv *c, int prec);
unsigned int conv_flags(const struct conv *c, bool left);

/* A %p conversion that is being printed. */
struct ptr {
	const struct conv_env *env;
	const struct conv *c;
	const char *ext;	/* the letters after %p */
	int  width, prec;	/* from conv_width() and conv_prec() */
	bool left;
	int  amount;	/* the width, if it is a number of bytes or bits: %*ph, %*pb, %*pE */
};

/* The kind for struct symtext of %ps and the like; 0: it prints no symbol. */
unsigned int ptr_symbol_kind(const char *ext);

/* Appends a text, cut to the precision and padded. */
void ptr_text(struct buf *out, const struct ptr *p, const char *s, size_t n);

/* Printers of bytes. They get at least conv_bytes() bytes; false if that is not enough. */
typedef bool (*ptr_fn)(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len);

bool ptr_mac(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len);
bool ptr_ip(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len);
bool ptr_uuid(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len);
bool ptr_hex(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len);
bool ptr_bitmap(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len);
bool ptr_escaped(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len);
bool ptr_time(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len);
bool ptr_fourcc(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len);

/* Append @bits bits as %*pb and %*pbl. Missing bytes count as 0. */
void bitmap_hex(const struct conv_env *env, struct buf *out, const uint8_t *b, uint32_t len,
		uint32_t bits);
void bitmap_ranges(const struct conv_env *env, struct buf *out, const uint8_t *b, uint32_t len,
		   uint32_t bits);

/*
 * The name of an error code, "EPERM" for 1, or NULL; from include/uapi/asm-generic/errno*.h and
 * include/linux/errno.h.
 */
const char *errname_find(unsigned int err);

#endif
