/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording has beside its data, on the disk before anything is recorded. */
#include "oops/arm/skeleton.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir_file.h"
#include "base/io.h"
#include "record/capture/capture.h"
#include "record/cpu/recorder.h"
#include "record/file/outfile.h"
#include "record/sink/sink.h"

struct oops_front {
	const struct tfs *t;
	const struct rec_setup *up;
	const struct captured *known;	/* when it was written, NULL = never */
	struct buf modules;		/* that were there then */
};

/* One writing of it. */
struct front_file {
	struct outfile out;
	struct capture *capture;
	struct sink *sink;
	struct recorder **recs;
	struct lane_buffer *bufs;
	size_t n;
};

static void no_words(const char *fmt, ...)
{
	(void)fmt;
}

/* Name, state and address of each: how often one is used changes all the time. */
static void read_modules(struct buf *out)
{
	struct strv lines = {0}, f = {0};
	struct buf text = {0};
	size_t i;

	buf_reset(out);
	buf_addstr(out, "");
	if (!io_read_at(AT_FDCWD, "/proc/modules", &text) && text.len)
		strv_split(&lines, text.data, "\n");
	for (i = 0; i < lines.n; i++) {
		strv_split(&f, lines.v[i], " ");
		if (f.n >= 6)
			buf_printf(out, "%s %s %s\n", f.v[0], f.v[4], f.v[5]);
		strv_release(&f);
	}
	strv_release(&lines);
	buf_release(&text);
}

struct oops_front *oops_front_new(const struct tfs *t, const struct rec_setup *up)
{
	struct oops_front *f = xcalloc(1, sizeof(*f));

	f->t = t;
	f->up = up;
	return f;
}

void oops_front_move(struct oops_front *f, const struct tfs *t)
{
	f->t = t;
}

static void list_enabled(const struct rec_setup *up, struct strv *out)
{
	const struct rec_selection *sel;
	size_t i, k;

	for (i = 0; i < up->p->nr_bufs; i++) {
		sel = &up->sel[i];
		for (k = 0; k < sel->n; k++)
			if (sel->v[k].on)
				strv_add(out, sel->v[k].path);
	}
	strv_sort_unique(out);
}

/* The main buffer is the first of the plan at the top level, else the last: arm.c moved it. */
static size_t main_place(const struct rec_setup *up)
{
	return up->places.v[0].buf == &up->p->bufs[0] ? 0 : up->places.n - 1;
}

/* Nothing is read by them: they know the CPUs, and the sizes of sub-buffers. */
static int make_lanes(const struct oops_front *f, struct front_file *w, struct ftr_error *err)
{
	const struct recorder_opts opts = { .no_splice = true };
	const struct rec_places *pl = &f->up->places;
	size_t i, first = main_place(f->up);

	w->recs = xcalloc(pl->n + 1, sizeof(*w->recs));
	w->bufs = xcalloc(pl->n + 1, sizeof(*w->bufs));
	for (i = 0; i < pl->n; i++) {
		w->recs[i] = recorder_new(f->t, pl->v[i].instance, w->out.path, &opts, err);
		if (!w->recs[i])
			return -1;
		w->bufs[i] = (struct lane_buffer){
			.name = i == first ? "" : pl->v[i].instance,
			.instance = pl->v[i].instance ? pl->v[i].instance : "",
			.rec = w->recs[i], .flight = true,
		};
		w->n++;
	}
	return 0;
}

static int begin_capture(struct oops_front *f, struct front_file *w, struct ftr_error *err)
{
	struct strv enabled = {0};
	size_t i;

	list_enabled(f->up, &enabled);
	w->capture = capture_new(f->t, &enabled, err);
	strv_release(&enabled);
	if (!w->capture)
		return -1;
	if (f->known)
		capture_inherit(w->capture, f->known);
	f->known = NULL;
	capture_note(w->capture, "oops_instance", w->bufs[main_place(f->up)].instance);
	for (i = 0; i < w->n; i++)
		capture_begin(w->capture, w->bufs[i].name, w->bufs[i].instance);
	return 0;
}

/* The capture's thread reads all once, at least. */
static int fill_front(struct oops_front *f, struct front_file *w, struct ftr_error *err)
{
	if (sink_place(w->sink, w->capture, w->bufs, w->n, err) ||
	    capture_start(w->capture, NULL, err))
		return -1;
	f->known = capture_end(w->capture, w->bufs, w->n, false);
	w->capture = NULL;
	return sink_leave_front(w->sink, f->known, err);
}

static int commit_front(struct front_file *w, struct ftr_error *err)
{
	struct stat old;
	bool is = !fstatat(w->out.at.dir, w->out.at.name, &old, AT_SYMLINK_NOFOLLOW);

	if (fsync(w->out.fd))
		return err_write(err, "cannot write '%s' to the disk", w->out.path);
	if (is ? outfile_replace(&w->out, &old, false, err) : outfile_commit(&w->out, err))
		return -1;
	return place_sync(&w->out.at) ?
		err_sys(err, "cannot write the folder of '%s' to the disk", w->out.path) : 0;
}

static void release_file(struct front_file *w)
{
	size_t i;

	capture_free(w->capture);
	sink_free(w->sink);
	for (i = 0; w->recs && i <= w->n; i++)
		recorder_free(w->recs[i]);
	free(w->recs);
	free(w->bufs);
	outfile_release(&w->out);
}

int oops_front_write(struct oops_front *f, const char *path, struct ftr_error *err)
{
	struct front_file w = { .out = { .fd = -1 } };
	const struct packing plain = {0};
	struct sink_plan plan = { .out = &w.out, .path = path, .packing = &plain, .flight = true,
				  .warn = no_words };
	int ret = -1;

	read_modules(&f->modules);
	if (outfile_open(&w.out, path, err) || make_lanes(f, &w, err) ||
	    begin_capture(f, &w, err))
		goto out;
	w.sink = sink_new(&plan);
	if (!fill_front(f, &w, err))
		ret = commit_front(&w, err);
out:
	release_file(&w);
	return ret;
}

bool oops_front_is_old(const struct oops_front *f)
{
	struct buf now = {0};
	bool old;

	read_modules(&now);
	old = now.len != f->modules.len || memcmp(now.data, f->modules.data, now.len);
	buf_release(&now);
	return old;
}

void oops_front_free(struct oops_front *f)
{
	if (!f)
		return;
	captured_free(f->known);
	buf_release(&f->modules);
	free(f);
}
