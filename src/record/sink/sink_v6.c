/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file of version 6: its metadata is written as version 7 first, into memory. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "file/write/dat_join.h"
#include "file/write/dat_write_v6.h"
#include "record/sink/sink_priv.h"

/* One size of sub-buffers has room, and the top level first; no sections of our own. */
static bool fits_v6(struct sink *s, const struct captured *c)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (c->bufs[i].latency.text.len)
			break;
	if (i < c->n) {
		strv_add(&s->seen.notes, "the file is of version 7: version 6 has no place "
					 "for the text of the longest latency");
		return false;
	}
	for (i = 0; i < c->n; i++)
		if (recorder_subbuf_size(s->recs[i]) != recorder_subbuf_size(s->recs[0]))
			break;
	if (i == c->n && i && !*c->bufs[0].name)
		return true;
	strv_add(&s->seen.notes, "the file is of version 7: "
				 "in version 6 all sub-buffers have one size");
	return false;
}

/* The buffers, where no region of a file is theirs. */
static void name_buffers(struct sink *s, const struct captured *c)
{
	const struct recorder_cpu *cpus;
	struct dat_spool_buffer *b;
	size_t i, k, n;

	for (i = 0; i < c->n && !s->w; i++) {
		b = dat_spool_add(&s->spool, c->bufs[i].name, c->bufs[i].clock,
				  recorder_subbuf_size(s->recs[i]));
		cpus = recorder_cpus(s->recs[i], &n);
		for (k = 0; k < n; k++)
			dat_spool_add_cpu(b, cpus[k].cpu);
	}
}

/* Its metadata is in @meta. Frees ->w if that is what is joined. */
static int write_data(struct sink *s, const struct dat_writer *meta, const struct captured *c,
		      struct ftr_error *err)
{
	uint32_t page_size = recorder_subbuf_size(s->recs[0]);
	bool joins = s->w && s->joins;
	struct dat_writer *w = joins ? s->w :
			       dat_create(s->plan.out->fd, s->plan.path, page_size, err);

	if (!w)
		return -1;
	name_buffers(s, c);
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
		sink_copy_data(s, w, c);
	}
	return dat_v6_finish(w, meta, &s->spool, err);
}

static int write_v6(struct sink *s, const struct captured *c, struct ftr_error *err)
{
	int mem = memfd_create("ftr-meta", MFD_CLOEXEC), ret = -1;
	struct dat_writer *meta;

	if (mem < 0)
		return err_sys(err, "cannot get memory for metadata");
	seen_read(s, c);
	meta = dat_create(mem, s->plan.path, recorder_subbuf_size(s->recs[0]), err);
	if (meta) {
		sink_write_headers(meta, &c->front, seen_formats(&s->seen, c));
		sink_write_captured(s, meta, c);
		ret = write_data(s, meta, c, err);
	}
	dat_abort(meta);
	close(mem);
	return ret;
}

static int v6_finish(struct sink *s, const struct captured *c, struct ftr_error *err)
{
	if (!s->joins && sink_begin_copy(s, c, err))
		return -1;
	if (fits_v6(s, c))
		return write_v6(s, c, err);
	s->ops = sink_kind_of_v7(s);
	return s->ops->finish(s, c, err);
}

const struct sink_ops sink_v6 = {
	.place = sink_place_in_file,
	.begin = sink_begin_following,
	.finish = v6_finish,
	.give_up = sink_leave_raw,
};
