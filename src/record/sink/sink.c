/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a recording goes: what all kinds of sinks have in common. */
#include "record/sink/sink.h"

#include <stdlib.h>

#include "record/capture/capture_filters.h"
#include "record/rescue/orphan.h"
#include "record/sink/sink_priv.h"

int sink_open_output(struct outfile *out, struct send **send, const char *path, bool to_stdout,
		     const char *listener, struct ftr_error *err)
{
	if (to_stdout ? outfile_open_nameless(out, err) : outfile_open(out, path, err))
		return -1;
	if (to_stdout)
		*send = send_to_stdout(out->fd, err);
	else if (listener)
		*send = send_to_listener(out->fd, listener, err);
	return (to_stdout || listener) && !*send ? -1 : 0;
}

struct sink *sink_new(const struct sink_plan *plan)
{
	struct sink *s = xcalloc(1, sizeof(*s));

	s->plan = *plan;
	if (plan->packing)
		s->packing = *plan->packing;
	s->plan.packing = &s->packing;
	if (plan->taken)
		s->ops = &sink_copy;
	else if (plan->send)
		s->ops = &sink_stream;
	else
		s->ops = plan->version == 6 ? &sink_v6 : &sink_v7;
	return s;
}

int sink_place(struct sink *s, struct capture *c, const struct lane_buffer *bufs, size_t n,
	       struct ftr_error *err)
{
	size_t i;
	int ret;

	s->n = n;
	s->recs = xcalloc(n + 1, sizeof(*s->recs));
	for (i = 0; i < n; i++) {
		s->recs[i] = bufs[i].rec;
		/* what limited the boot before is not known */
		if (!bufs[i].earlier_boot)
			filters_note(c, bufs[i].name, bufs[i].instance);
	}
	ret = s->ops->place(s, c, bufs, n, err);
	for (i = 0; i < n && !ret && s->w && s->plan.guardian; i++)
		ret = guardian_watch(s->plan.guardian, s->recs[i], bufs[i].instance, err);
	return ret;
}

/*
 * Pids of the data, as far as it was read. A stream's file may have nothing of it any more, and
 * compressing is far behind.
 */
static const struct walk *pids_so_far(void *ctx)
{
	struct sink *s = ctx;

	if (!s->w || s->flows || s->pack)
		return NULL;
	follow_pause(s->follow);
	return follow_walk(s->follow);
}

void sink_hooks(struct sink *s, struct capture_hooks *out)
{
	*out = (struct capture_hooks){ s, sink_take_symbols, pids_so_far };
}

/* A flight recorder writes nothing before the end. */
static int begin_sync(struct sink *s, struct ftr_error *err)
{
	const struct sink_plan *p = &s->plan;

	if (!p->sync_ns || !s->w || p->flight || p->send)
		return 0;
	return sync_start(&s->sync, s->recs, s->n, p->out->fd, p->sync_ns, s->joins, err);
}

int sink_begin(struct sink *s, struct ftr_error *err)
{
	return s->ops->begin(s, err) || begin_sync(s, err) ? -1 : 0;
}

bool sink_failed(const struct sink *s)
{
	return s->plan.consume && send_failed(s->plan.send);
}

void sink_halt(struct sink *s)
{
	if (s)
		sync_stop(&s->sync);
}

void sink_flush(struct sink *s)
{
	if (s->plan.sync_ns && !s->plan.send && s->w && s->joins)
		sync_rest(&s->sync, s->plan.out->fd);
}

void sink_all_taken(struct sink *s)
{
	const struct sink_plan *p = &s->plan;

	if (s->w && p->session && p->out->part_path)
		orphan_note(p->session, p->out->part_path, p->out->path, NULL, 0, NULL);
}

/* A later error does not replace the first. */
static void keep_first(struct sink *s, struct ftr_error *err, const struct ftr_error *later)
{
	if (!err->code)
		*err = *later;
	else if (later->code)
		s->plan.warn("%s", later->msg);
}

static void let_go(struct sink *s)
{
	if (s->plan.guardian)
		guardian_let_go(s->plan.guardian);
}

/* What was recorded into is no longer the recording when it was copied. */
static int name_file(struct sink *s, struct ftr_error *err)
{
	bool copied = s->plan.out->spool_path;
	int ret;

	if (copied)
		let_go(s);
	ret = s->plan.out->part_path ? outfile_commit(s->plan.out, err) : 0;
	if (!copied)
		let_go(s);
	return ret;
}

int sink_finish(struct sink *s, const struct captured *c, struct ftr_error *err)
{
	struct ftr_error later = {0};
	int ret = s->ops->finish(s, c, &later);

	if (s->sent) {
		if (ret)
			keep_first(s, err, &later);
		/* the file has nothing that was not taken */
		let_go(s);
		return 0;
	}
	ret = sink_tell_symbols(s, ret, &later);
	if (ret) {
		/* whatever it was, as no inode for a copy */
		later.code = FTR_DAMAGED;
		keep_first(s, err, &later);
	}
	if (ret < 0) {
		s->ops->give_up(s);
		let_go(s);
		return -1;
	}
	if (!name_file(s, &later))
		return 0;
	later.code = FTR_DAMAGED;
	keep_first(s, err, &later);
	return -1;
}

int sink_leave_front(struct sink *s, const struct captured *c, struct ftr_error *err)
{
	if (!s->w)
		return err_set(err, FTR_FAILED, "cannot record into '%s': no sparse files there",
			       s->plan.path);
	sink_write_sections(s, c);
	if (!dat_write_error(s->w)->code)
		return 0;
	*err = *dat_write_error(s->w);
	return -1;
}

const char *sink_name(const struct sink *s)
{
	return s->sent ? s->plan.sent_to : s->plan.path;
}

void sink_inherit(struct sink *next, struct capture *c, struct sink *from)
{
	capture_learn(c, &from->seen.comms, &from->seen.formats);
	/* in another order than those in front */
	next->formats_written = SIZE_MAX;
	buf_release(&next->symbols_packed);
	next->symbols_packed = from->symbols_packed;
	next->symbols_packed_of = from->symbols_packed_of;
	from->symbols_packed = (struct buf){0};
}

void sink_totals(const struct sink *s, struct sink_totals *out)
{
	*out = s->seen.totals;
}

const struct strv *sink_notes(const struct sink *s)
{
	return &s->seen.notes;
}

void sink_free(struct sink *s)
{
	if (!s)
		return;
	sync_stop(&s->sync);
	sink_flows_free(s->flows);
	follow_free(s->follow);
	pack_free(s->pack);
	dat_abort(s->w);
	dat_spool_release(&s->spool);
	buf_release(&s->symbols_packed);
	seen_release(&s->seen);
	free(s->layouts);
	free(s->recs);
	free(s);
}
