/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Completes a file: joins its parts in place, copies the data, or writes version 6. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "file/write/dat_join.h"
#include "record/sink/sink_priv.h"

/* ---- the file that is recorded into becomes the finished one, its parts joined in place */

const struct sink_ops *sink_kind_of_v7(const struct record_sink *s)
{
	return s->w && s->joins ? &sink_v7 : &sink_copy;
}

static int v7_place(struct record_sink *s, struct meta_capture *c,
		    const struct recorded_buffer *bufs, size_t n, struct ftr_error *err)
{
	if (sink_place_in_file(s, c, bufs, n, err))
		return -1;
	s->ops = sink_kind_of_v7(s);
	return 0;
}

int sink_begin_following(struct record_sink *s, struct ftr_error *err)
{
	return s->w ? follow_start(s->follow, err) : 0;
}

/* The data is already in the file. */
static int v7_finish(struct record_sink *s, const struct captured_meta *c, struct ftr_error *err)
{
	struct dat_writer *w = s->w;
	const struct dat_region_sums *sums;

	sink_write_sections(s, c);
	sink_seal(s, c);
	/* raw data has no checksums if it was to be compressed */
	sums = s->packed ? pack_sums(s->pack) : s->pack ? NULL : follow_sums(s->follow);
	dat_join(w, &s->spool, sums);
	sink_write_late_symbols(s, w, &c->symbols);
	s->w = NULL;
	return dat_finish(w, err);
}

void sink_leave_as_is(struct record_sink *s)
{
	s->plan.warn("the recording is in '%s', not finished: 'ftr recover' can do that",
		     outfile_keep(s->plan.out));
}

const struct sink_ops sink_v7 = {
	.place = v7_place,
	.begin = sink_begin_following,
	.finish = v7_finish,
	.give_up = sink_leave_as_is,
	.symbols_anywhere = true,
};

/* ---- the data is copied into the finished file */

/* Does nothing: the recorders' data is in separate files. */
static int copy_place(struct record_sink *s, struct meta_capture *c,
		      const struct recorded_buffer *bufs, size_t n, struct ftr_error *err)
{
	(void)s;
	(void)c;
	(void)bufs;
	(void)n;
	(void)err;
	return 0;
}

static void copy_buffer(struct record_sink *s, struct dat_writer *w,
			const struct captured_buffer *o, const struct dat_spool_buffer *packed,
			bool consume)
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

static void copy_data(struct record_sink *s, struct dat_writer *w, const struct captured_meta *c)
{
	uint64_t bytes = 0;
	bool consume;
	size_t i;

	for (i = 0; i < s->n; i++)
		bytes += recorder_bytes(s->recs[i]);
	/* the source keeps its disk space if there is room for both */
	consume = !s->w || !sink_has_room(s->plan.out->fd, bytes + bytes / 16);
	for (i = 0; i < c->n; i++)
		copy_buffer(s, w, &c->bufs[i], s->packed ? &s->spool.bufs[i] : NULL, consume);
}

static int begin_copy(struct record_sink *s, const struct captured_meta *c, struct ftr_error *err)
{
	if (!s->w || s->plan.out->spool_path)
		return 0;
	sink_seal(s, c);
	return outfile_begin_copy(s->plan.out, err);
}

static int copy_finish(struct record_sink *s, const struct captured_meta *c, struct ftr_error *err)
{
	uint32_t page_size = s->n ? recorder_subbuf_size(s->recs[0]) : 4096;
	struct dat_writer *w;

	if (begin_copy(s, c, err))
		return -1;
	w = dat_create_packed(s->plan.out->fd, s->plan.path, page_size, &s->packing, err);
	if (!w)
		return -1;
	recorded_data_read(s, c);
	if (s->packing.name)
		dat_pack(w, s->packed);
	sink_write_headers(w, &c->headers, recorded_data_formats(&s->data, c));
	sink_write_captured(s, w, c);
	copy_data(s, w, c);
	sink_write_late_symbols(s, w, &c->symbols);
	return dat_finish(w, err);
}

void sink_leave_raw(struct record_sink *s)
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

/* ---- version 6, whose metadata is first written as version 7, to memory */

/*
 * Returns true if version 6 can represent the recording: one size of sub-buffers, the top level
 * first, and no additional sections. Otherwise adds a note.
 */
static bool v6_fits(struct record_sink *s, const struct captured_meta *c)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (c->bufs[i].latency.text.len)
			break;
	if (i < c->n) {
		strv_add(&s->data.notes, "the file is of version 7: version 6 has no place "
					 "for the text of the longest latency");
		return false;
	}
	for (i = 0; i < c->n; i++)
		if (recorder_subbuf_size(s->recs[i]) != recorder_subbuf_size(s->recs[0]))
			break;
	if (i == c->n && i && !*c->bufs[0].name)
		return true;
	strv_add(&s->data.notes, "the file is of version 7: "
				 "in version 6 all sub-buffers have one size");
	return false;
}

/*
 * Writes the data and the metadata in @meta to the file. Frees ->w if its parts are joined. Returns
 * as dat_v6_finish().
 */
static int v6_write_data(struct record_sink *s, const struct dat_writer *meta,
			 const struct captured_meta *c, struct ftr_error *err)
{
	uint32_t page_size = recorder_subbuf_size(s->recs[0]);
	bool joins = s->w && s->joins;
	struct dat_writer *w = joins ? s->w :
			       dat_create(s->plan.out->fd, s->plan.path, page_size, err);
	const struct recorder_cpu *cpus;
	struct dat_spool_buffer *b;
	size_t i, k, n;

	if (!w)
		return -1;
	/* if there is no ->w, the buffers have no regions in a file yet */
	for (i = 0; i < c->n && !s->w; i++) {
		b = dat_spool_add(&s->spool, c->bufs[i].name, c->bufs[i].clock,
				  recorder_subbuf_size(s->recs[i]));
		cpus = recorder_cpus(s->recs[i], &n);
		for (k = 0; k < n; k++)
			dat_spool_add_cpu(b, cpus[k].cpu);
	}
	if (!dat_v6_begin(w, meta, &s->spool)) {
		err_set(err, FTR_DAMAGED, "'%s' has no room for the metadata of version 6",
			s->plan.path);
		if (!joins)
			dat_abort(w);
		return -1;
	}
	if (joins) {
		sink_seal(s, c);
		dat_join(w, &s->spool, follow_sums(s->follow));
		s->w = NULL;
	} else {
		copy_data(s, w, c);
	}
	return dat_v6_finish(w, meta, &s->spool, err);
}

static int v6_finish(struct record_sink *s, const struct captured_meta *c, struct ftr_error *err)
{
	struct dat_writer *meta;
	int mem, ret = -1;

	if (!s->joins && begin_copy(s, c, err))
		return -1;
	if (!v6_fits(s, c)) {
		s->ops = sink_kind_of_v7(s);
		return s->ops->finish(s, c, err);
	}
	mem = memfd_create("ftr-meta", MFD_CLOEXEC);
	if (mem < 0)
		return err_sys(err, "cannot get memory for metadata");
	recorded_data_read(s, c);
	meta = dat_create(mem, s->plan.path, recorder_subbuf_size(s->recs[0]), err);
	if (meta) {
		sink_write_headers(meta, &c->headers, recorded_data_formats(&s->data, c));
		sink_write_captured(s, meta, c);
		ret = v6_write_data(s, meta, c, err);
	}
	dat_abort(meta);
	close(mem);
	return ret;
}

const struct sink_ops sink_v6 = {
	.place = sink_place_in_file,
	.begin = sink_begin_following,
	.finish = v6_finish,
	.give_up = sink_leave_raw,
};
