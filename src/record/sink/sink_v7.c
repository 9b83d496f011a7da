/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file that is recorded into becomes the finished one: its parts are joined in place. */
#include "record/sink/sink_priv.h"

const struct sink_ops *sink_kind_of_v7(const struct sink *s)
{
	return s->w && s->joins ? &sink_v7 : &sink_copy;
}

static int v7_place(struct sink *s, struct capture *c, const struct lane_buffer *bufs, size_t n,
		    struct ftr_error *err)
{
	if (sink_place_in_file(s, c, bufs, n, err))
		return -1;
	s->ops = sink_kind_of_v7(s);
	return 0;
}

int sink_begin_following(struct sink *s, struct ftr_error *err)
{
	return s->w ? follow_start(s->follow, err) : 0;
}

/* The data is there already. */
static int v7_finish(struct sink *s, const struct captured *c, struct ftr_error *err)
{
	struct dat_writer *w = s->w;
	const struct dat_region_sums *sums;

	sink_write_sections(s, c);
	sink_seal(s, c);
	/* raw data has none where it was to be compressed */
	sums = s->packed ? pack_sums(s->pack) : s->pack ? NULL : follow_sums(s->follow);
	dat_join(w, &s->spool, sums);
	sink_write_late_symbols(s, w, &c->symbols);
	s->w = NULL;
	return dat_finish(w, err);
}

void sink_leave_as_is(struct sink *s)
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
