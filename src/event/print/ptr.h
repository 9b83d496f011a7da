/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the conversions: the parts of the %p family. */
#ifndef FTR_EVENT_PTR_H
#define FTR_EVENT_PTR_H

#include "event/print/conv.h"

/* conv.c: width and precision as put_*() takes them, *left set for '-' and for a negative '*'. */
int conv_width(const struct conv *c, int width, bool *left);
int conv_prec(const struct conv *c, int prec);
unsigned int conv_flags(const struct conv *c, bool left);

/* One %p conversion on its way out. */
struct ptr {
	const struct conv_env *env;
	const struct conv *c;
	const char *ext;	/* the letters behind %p */
	int  width, prec;	/* as conv_width() and conv_prec() give them */
	bool left;
	int  amount;		/* the width where it counts what is printed: %*ph, %*pb, %*pE */
};

/*
 * %ps and its kin: by which kind of text struct symtext keeps addresses; 0: no symbol is printed.
 */
unsigned int ptr_symbol_kind(const char *ext);

/* A text of the kernel's or ours: cut to the precision, padded. */
void ptr_text(struct buf *out, const struct ptr *p, const char *s, size_t n);

/*
 * The printers of bytes. They get at least what ptr_bytes() says; false if that does not suffice.
 */
typedef bool (*ptr_fn)(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len);

bool ptr_mac(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len);
bool ptr_ip(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len);
bool ptr_uuid(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len);
bool ptr_hex(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len);
bool ptr_bitmap(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len);
bool ptr_escaped(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len);
bool ptr_time(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len);
bool ptr_fourcc(struct buf *out, const struct ptr *p, const uint8_t *b, uint32_t len);

/* @bits bits as %*pb and %*pbl print them; bytes that are not there count as 0. */
void bitmap_hex(const struct conv_env *env, struct buf *out, const uint8_t *b, uint32_t len,
		uint32_t bits);
void bitmap_ranges(const struct conv_env *env, struct buf *out, const uint8_t *b, uint32_t len,
		   uint32_t bits);

/* "EPERM" of 1, or NULL: include/uapi/asm-generic/errno*.h and include/linux/errno.h. */
const char *errname_find(unsigned int err);

#endif
