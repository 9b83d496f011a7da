/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to the engine: the built-in renderers of the events of ftrace itself. */
#ifndef FTR_EVENT_BUILTIN_H
#define FTR_EVENT_BUILTIN_H

#include "base/cursor.h"
#include "event/handle/engine_priv.h"

/* The value of the renderer's @i-th field; 0 if the record or the kernel lacks it. */
static inline uint64_t own_num(const struct ev_slot *s, const struct ev_rec *r, unsigned int i)
{
	const struct ev_field *f = s->f[i];
	uint64_t v = 0;

	if (f && f->kind == EV_FIXED && f->size == 8 && f->offset + 8 <= r->len)
		return get_u64(r->data + f->offset, r->big);
	if (f)
		ev_get_num(r, f, &v);
	return v;
}

/* The bytes from the start of the @i-th field to the end of the record. */
static inline const uint8_t *own_rest(const struct ev_slot *s, const struct ev_rec *r,
				      unsigned int i, uint32_t *len)
{
	const struct ev_field *f = s->f[i];

	*len = f && f->offset < r->len ? r->len - f->offset : 0;
	return *len ? r->data + f->offset : NULL;
}

static inline uint64_t own_long(const struct ev_rec *r, const uint8_t *p)
{
	return r->long_size == 8 ? get_u64(p, r->big) : get_u32(p, r->big);
}

/*
 * Appends seconds with six decimals, rounded as in the kernel. @width is that of the integer part.
 */
void own_seconds(struct buf *out, uint64_t ts_ns, int width);

/* Sets ->own and ->f of @s if there is a renderer for its format. */
void builtin_bind(struct ev_slot *s);
/*
 * bprint.c: appends the text of a trace_printk() from its format and packed arguments. It is not
 * sanitised.
 */
void bprint_format(struct ev_engine *e, const char *fmt, const uint8_t *args, uint32_t len,
		   bool big, struct buf *out);
/* builtin_latency.c */
void own_hwlat(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r, uint64_t ts,
	       struct buf *out);
void own_osnoise(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r, uint64_t ts,
		 struct buf *out);
void own_timerlat(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r, uint64_t ts,
		  struct buf *out);
void own_context_switch(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
			uint64_t ts, struct buf *out);
void own_wakeup(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r, uint64_t ts,
		struct buf *out);
void own_branch(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r, uint64_t ts,
		struct buf *out);
/* builtin_mmio.c */
void own_mmio_rw(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r, uint64_t ts,
		 struct buf *out);
void own_mmio_map(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r, uint64_t ts,
		  struct buf *out);

#endif
