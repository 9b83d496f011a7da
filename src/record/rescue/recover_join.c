/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finishes a trace file in its place, as its recorder does: where there is no room for a copy. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/read/dat_regions.h"
#include "file/write/dat_join.h"
#include "record/rescue/recover_priv.h"

static struct dat_region *region_of(struct dat_spool *s, const char *name, int cpu)
{
	size_t i, k;

	for (i = 0; i < s->n; i++)
		for (k = 0; k < s->bufs[i].n && !strcmp(s->bufs[i].name, name); k++)
			if (s->bufs[i].v[k].cpu == cpu)
				return &s->bufs[i].v[k];
	return NULL;
}

/* One piece of a CPU's data in an open file: false if it is not all that its region has. */
static bool set_region(struct dat_region *at, const struct dat_write_cpu *c)
{
	uint64_t base = c->base;

	if (at->size || base < at->at || base - at->at + c->size > at->limit)
		return false;
	at->limit -= base - at->at;
	at->at = base;
	at->size = c->size;
	return true;
}

/* In a sealed one. Of what is compressed, all of which was read, the pieces are copies. */
static bool is_region(const struct dat_region *now, const struct dat_write_cpu *c, int fd)
{
	if (now->packed)
		return true;
	return c->fd == fd && now->at == (uint64_t)c->base && now->size == (uint64_t)c->size;
}

/* Where its data is by now; nothing of a file that is open. */
static struct dat_spool look_where(const struct dat_spool *s, int fd)
{
	struct dat_spool now = {0};
	uint64_t body;
	struct stat st;
	bool all;

	if (s->state == DAT_SPOOL_SEALED && !fstat(fd, &st) && dat_spool_find(fd, &now, &body))
		dat_spool_locate(&now, st.st_size, &all);
	return now;
}

/* Sizes that are there before it is sealed are those of a sealing that was killed. */
static void forget_sizes(struct dat_spool *s)
{
	size_t i, k;

	for (i = 0; i < s->n && s->state == DAT_SPOOL_OPEN; i++)
		for (k = 0; k < s->bufs[i].n; k++)
			s->bufs[i].v[k].size = 0;
}

static bool set_piece(struct dat_spool *s, const char *name, const struct dat_write_cpu *c, int fd)
{
	struct dat_region *at = region_of(s, name, c->cpu);

	if (!at)
		return false;
	if (s->state == DAT_SPOOL_SEALED)
		return is_region(at, c, fd);
	return c->fd == fd && set_region(at, c);
}

/* What was read is all that @s tells of, and where it tells. */
static bool set_regions(const struct recover *r, struct dat_spool *s, int fd)
{
	struct dat_spool now = look_where(s, fd);
	struct dat_join *steps;
	bool ok = true;
	uint64_t end;
	size_t i, k;

	forget_sizes(s);
	for (i = 0; i < r->nr_bufs; i++)
		for (k = 0; k < r->bufs[i].n; k++)
			ok &= set_piece(now.n ? &now : s, r->bufs[i].name, &r->bufs[i].cpus[k],
					r->fd);
	dat_spool_joins(s, &steps, &end);
	free(steps);
	dat_spool_release(&now);
	return ok && end != UINT64_MAX;
}

/* In the folder of the file: whether holes can be removed there, and there is room for the rest. */
static bool can_join(const struct recover *r, const struct dat_writer *w)
{
	uint64_t bytes = dat_end_bytes(w, r->bytes, r->nr_cpus) + recover_rest_bytes(r);
	int beside = place_tmpfile(&r->in);
	bool can = beside >= 0 && dat_can_join(beside) && dat_resume_room(w, bytes, beside);

	if (beside >= 0)
		close(beside);
	return can;
}

/* The same file, to write to it. */
static int open_again(const struct recover *r)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", r->fd);
	return open(path, O_RDWR | O_CLOEXEC);
}

static int join_in_place(struct recover *r, struct dat_writer *w, struct dat_spool *s, int fd,
			 struct ftr_error *err)
{
	int ret;

	if (s->state == DAT_SPOOL_OPEN)
		dat_seal(w, s);
	dat_join(w, s, NULL);
	recover_write_rest(r, w);
	ret = dat_finish(w, err);
	if (!ret && fsync(fd))
		ret = err_write(err, "cannot write '%s'", r->in.path);
	if (!ret)
		return 0;
	return err_hint(err, "it can be read as it is, and recovered again once there is room");
}

int recover_join(struct recover *r, struct ftr_error *err)
{
	struct dat_spool s = {0};
	struct dat_writer *w;
	int fd, ret = 1;

	if (r->gaps || r->left_out || !place_is(&r->in, r->in.name, &r->was))
		return 1;
	fd = open_again(r);
	w = fd < 0 ? NULL : dat_resume(fd, r->in.path, &s);
	if (w && set_regions(r, &s, fd) && can_join(r, w)) {
		r->p->say("there is no room for a copy: '%s' is finished in its place",
			  r->in.path);
		if (r->live)
			fchmod(fd, r->was.st_mode & 0700);
		ret = join_in_place(r, w, &s, fd, err);
	} else {
		dat_abort(w);
	}
	dat_spool_release(&s);
	if (fd >= 0)
		close(fd);
	return ret;
}
