/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Begins the next file of a recording that goes on, and finishes the one before: --rotate. */
#include <stdlib.h>

#include "record/recording_priv.h"
#include "record/setup/own_activity.h"
#include "record/summary.h"

/* Whatever can fail, before anything is changed. */
static int begin_next(struct recording *r, struct ftr_error *err)
{
	r->f = (struct rec_file){ .path = series_next(&r->series, r->p->out_path),
				  .out = xcalloc(1, sizeof(*r->f.out)) };
	if (outfile_open(r->f.out, r->f.path, err) || rec_make_file(r, err) ||
	    guardian_next(r->guardian, r->f.out, err))
		return -1;
	if (!rec_make_recorders(r, err))
		return 0;
	guardian_forget(r->guardian);
	return -1;
}

static void hide_again(const struct recording *r)
{
	size_t i;

	for (i = 0; plan_hides_us(r->p) && i < r->up.places.n; i++)
		if (r->up.places.v[i].buf)
			self_hide_again(&r->tfs, r->up.places.v[i].instance,
					guardian_pid(r->guardian), plan_clears(r->p));
}

/* The threads of the old file end where those of the new one begin. */
static int hand_over_data(struct recording *r, const struct rec_file *old, struct ftr_error *err)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < r->up.places.n; i++)
		if (recorder_leave(old->recs[i], r->f.recs[i], ret ? NULL : err))
			ret = -1;
	if (rec_start_recorders(r, ret ? NULL : err) || ret)
		return -1;
	hide_again(r);
	rec_note_begin(r);
	rec_follow(r);
	watch_next(&r->watch, r->f.recs, r->f.budget);
	return 0;
}

static void finish_old(struct recording *r, struct rec_file *old, struct ftr_error *err)
{
	struct rec_file now = r->f;
	struct sink_totals sum;
	struct buf text = {0};

	r->f = *old;
	r->written = false;
	rec_end_capture(r, false);
	rec_write_out(r, err);
	sink_totals(r->f.sink, &sum);
	r->lost |= sum.lost || sum.lost_unknown;
	r->calls |= sum.calls || sum.unread;
	summary_totals(r->f.sink, r->f.captured, r->f.path, &text);
	capture_inherit(now.capture, r->f.captured);
	r->f.captured = NULL;
	sink_inherit(now.sink, now.capture, r->f.sink);
	r->p->say("%s", text.data);
	if (r->written)
		series_add(&r->series, r->f.path, r->p->rotate - 1);
	buf_release(&text);
	rec_file_release(r, &r->f);
	r->f = now;
}

bool rec_next_file(struct recording *r, struct ftr_error *err)
{
	struct ftr_error later = {0};
	struct rec_file old = r->f;

	if (r->stuck)
		return false;
	if (begin_next(r, &later)) {
		r->p->warn("no next file: %s: '%s' goes on", later.msg, old.path);
		rec_file_release(r, &r->f);
		r->f = old;
		r->stuck = true;
		return false;
	}
	sink_halt(old.sink);
	if (hand_over_data(r, &old, &later)) {
		later.code = FTR_DAMAGED;
		rec_keep_first(err, &later, r->p);
	}
	finish_old(r, &old, err);
	if (rec_start_capture(r, &later))
		rec_keep_first(err, &later, r->p);
	hide_again(r);
	return err->code;
}
