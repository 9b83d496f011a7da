/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data is copied into the finished file, from where it was recorded into. */
#include <stdlib.h>

#include "record/sink/sink_priv.h"

/* What the recorders have is in files of their own. */
static int copy_place(struct sink *s, struct capture *c, const struct lane_buffer *bufs, size_t n,
		      struct ftr_error *err)
{
	(void)s;
	(void)c;
	(void)bufs;
	(void)n;
	(void)err;
	return 0;
}

/* What is copied need not stay where it was, but may while there is room for both. */
static bool room_is_short(const struct sink *s)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < s->n; i++)
		bytes += recorder_bytes(s->recs[i]);
	return !s->w || !sink_has_room(s->plan.out->fd, bytes + bytes / 16);
}

static void copy_buffer(struct sink *s, struct dat_writer *w, const struct captured_buffer *o,
			const struct dat_spool_buffer *packed, bool consume)
{
	const struct recorder_cpu *from;
	struct dat_write_cpu *cpus;
	size_t i, n;

	from = recorder_cpus(o->rec, &n);
	cpus = xcalloc(n, sizeof(*cpus));
	for (i = 0; i < n; i++)
		cpus[i] = (struct dat_write_cpu){ .cpu = from[i].cpu, .fd = from[i].fd,
						  .base = from[i].base, .size = from[i].size,
						  .consume = consume };
	for (i = 0; i < n && s->packed; i++) {
		cpus[i].base = packed->v[i].at;
		cpus[i].size = packed->v[i].size;
	}
	dat_write_buffer(w, o->name, o->clock, recorder_subbuf_size(o->rec), cpus, n);
	free(cpus);
}

void sink_copy_data(struct sink *s, struct dat_writer *w, const struct captured *c)
{
	bool consume = room_is_short(s);
	size_t i;

	for (i = 0; i < c->n; i++)
		copy_buffer(s, w, &c->bufs[i], s->packed ? &s->spool.bufs[i] : NULL, consume);
}

int sink_begin_copy(struct sink *s, const struct captured *c, struct ftr_error *err)
{
	if (!s->w || s->plan.out->spool_path)
		return 0;
	sink_seal(s, c);
	return outfile_begin_copy(s->plan.out, err);
}

static int copy_finish(struct sink *s, const struct captured *c, struct ftr_error *err)
{
	uint32_t page_size = s->n ? recorder_subbuf_size(s->recs[0]) : 4096;
	struct dat_writer *w;

	if (sink_begin_copy(s, c, err))
		return -1;
	w = dat_create_packed(s->plan.out->fd, s->plan.path, page_size, &s->packing, err);
	if (!w)
		return -1;
	seen_read(s, c);
	if (s->packing.name)
		dat_pack(w, s->packed);
	sink_write_headers(w, &c->front, seen_formats(&s->seen, c));
	sink_write_captured(s, w, c);
	sink_copy_data(s, w, c);
	sink_write_late_symbols(s, w, &c->symbols);
	return dat_finish(w, err);
}

void sink_leave_raw(struct sink *s)
{
	struct strv names = {0};
	size_t i;

	if (s->w) {
		sink_leave_as_is(s);
		return;
	}
	for (i = 0; i < s->n; i++)
		recorder_keep(s->recs[i], &names);
	for (i = 0; i < names.n; i++)
		s->plan.warn("raw data of a CPU is left in '%s'", names.v[i]);
	strv_release(&names);
}

const struct sink_ops sink_copy = {
	.place = copy_place,
	.begin = sink_begin_following,
	.finish = copy_finish,
	.give_up = sink_leave_raw,
	.symbols_anywhere = true,
};
