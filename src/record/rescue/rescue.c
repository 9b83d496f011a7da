/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes finished trace files from the files of a killed recorder, as a copy or in place. */
#include "record/rescue/rescue.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/text.h"
#include "file/read/dat_regions.h"
#include "file/write/dat_join.h"
#include "record/file/outfile.h"
#include "record/rescue/recover_priv.h"

#define HOST_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define MISSED   (1u << 31)		/* flag in commit: events were lost before it */

/* --- the data of an unfinished file */

/* A run of adjacent sub-buffers, in the file or in the temporary file of copies. */
struct page_run {
	struct recover_state *r;
	struct rescued_buffer *b;
	struct dat_cursor c;
	int      fd;			/* the file */
	struct dat_write_cpu run;	/* the sub-buffers so far */
	bool     gap;			/* data is missing before the next sub-buffer */
};

static void end_run(struct page_run *p)
{
	if (p->run.size)
		recover_add_cpu(p->r, p->b, &p->run);
	p->run.size = 0;
}

static void extend_run(struct page_run *p, int fd, off_t at)
{
	uint32_t size = p->b->subbuf_size;

	if (p->run.fd != fd || p->run.base + p->run.size != at)
		end_run(p);
	if (!p->run.size)
		p->run = (struct dat_write_cpu){ .cpu = p->c.cpu->cpu, .fd = fd, .base = at };
	p->run.size += size;
}

static bool is_no_space(int sys)
{
	return sys == ENOSPC || sys == EDQUOT;
}

/*
 * Copies a sub-buffer to the temporary file. If data is missing before it, the copy has the flag of
 * lost events.
 */
static int add_mended(struct page_run *p, const uint8_t *mem)
{
	const struct ring_layout *l = &p->c.buffer->layout;
	struct recover_state *r = p->r;
	uint8_t *copy, *commit;
	uint32_t v;
	int ret;

	r->gaps |= p->gap;
	if (r->full)
		return 0;
	if (r->mended_fd <= 0) {
		r->mended_fd = place_tmpfile(&r->out);
		if (r->mended_fd < 0)
			return -1;
		recover_own(r, r->mended_fd);
	}
	copy = xmalloc(l->subbuf_size);
	memcpy(copy, mem, l->subbuf_size);
	if (p->gap) {
		commit = copy + l->commit_off + (l->big && l->commit_size == 8 ? 4 : 0);
		memcpy(&v, commit, sizeof(v));
		v |= MISSED;
		memcpy(commit, &v, sizeof(v));
	}
	ret = io_pwrite_all(r->mended_fd, copy, l->subbuf_size, r->mended_bytes);
	free(copy);
	if (!ret) {
		extend_run(p, r->mended_fd, r->mended_bytes);
		r->mended_bytes += l->subbuf_size;
		return 0;
	}
	/* the file may still be finished in place, where nothing is copied */
	if (!r->in_place || !is_no_space(errno) || ftruncate(r->mended_fd, 0))
		return -1;
	r->full = true;
	return 0;
}

/* Adds a sub-buffer, unless it was never written or is cut off by the end of the file. */
static int add_subbuf(struct page_run *p, struct data_walk *w, uint64_t page)
{
	const struct ring_layout *l = &p->c.buffer->layout;
	const uint8_t *mem;
	uint64_t off;
	size_t len;
	int ret = 0;

	mem = dat_cursor_page(&p->c, page, &len, &off);
	if (!mem || len < l->subbuf_size) {
		p->r->left_out += mem ? len : l->subbuf_size;
		p->gap = true;
		return 0;
	}
	walk_mem(w, l, mem, len, &p->r->comms, &p->r->sum);
	if (p->gap || dat_is_packed(p->c.cpu))
		ret = add_mended(p, mem);
	else
		extend_run(p, p->fd, off);
	p->gap = false;
	return ret;
}

/* Adds the data of all CPUs, and finds the metadata that is missing. Returns 0, or -1 with @err. */
static int add_data(struct recover_state *r, struct dat *d, int fd, struct ftr_error *err)
{
	struct data_walk *w = walk_new(&r->formats);
	uint64_t page;
	size_t i, k;
	int ret = 0;

	for (i = 0; i < d->nr_buffers; i++) {
		struct dat_buffer *from = &d->buffers[i];
		struct rescued_buffer *b = recover_add_buffer(r, from->name, from->clock,
							      from->layout.subbuf_size);

		for (k = 0; k < from->nr_cpus && !ret; k++) {
			struct page_run p = { .r = r, .b = b, .fd = fd, .c = {
				.dat = d, .buffer = from, .cpu = &from->cpus[k],
				.damages = &d->damages,
			} };

			for (page = 0; page < p.c.cpu->nr_pages && !ret; page++)
				ret = add_subbuf(&p, w, page);
			end_run(&p);
			dat_cursor_release(&p.c);
			if (ret)
				err_sys(err, "cannot copy the data of CPU %d of '%s'",
					p.c.cpu->cpu, d->path);
		}
	}
	if (d->nr_cpus > r->nr_cpus)
		r->nr_cpus = d->nr_cpus;
	recover_see(r, w);
	walk_free(w);
	return ret;
}

/* --- checks of the file before */

/* Returns true if the file was recorded in this boot. */
static bool same_boot(const struct dat *d)
{
	size_t len;
	const char *was = dat_ftr_value(d, "boot_id", &len);
	char *is = io_line_at(AT_FDCWD, "/proc/sys/kernel/random/boot_id");
	bool same = was && len && is && len == strlen(is) && !memcmp(was, is, len);

	free(is);
	return same;
}

/* Returns true if a process writes the file: if so, no lease for reading is granted. */
static bool is_written(int fd)
{
	if (fcntl(fd, F_SETLEASE, F_RDLCK))
		return errno == EAGAIN;
	fcntl(fd, F_SETLEASE, F_UNLCK);
	return false;
}

static int check_file(const struct recover_state *r, const struct dat *d, int fd,
		      struct ftr_error *err)
{
	struct buf name = {0};

	if (!d->unfinished) {
		text_add_file(&name, d->path);
		err_set(err, FTR_FAILED, "'%s' is complete: nothing to recover", d->path);
		err_hint(err, "'ftr report %s' shows it", name.data);
		buf_release(&name);
		return -1;
	}
	if (!r->p->ended && is_written(fd)) {
		err_set(err, FTR_FAILED, "'%s' is still being recorded", d->path);
		return err_hint(err, "end the recorder first; ftr report reads the file as it is");
	}
	if (d->big == HOST_BIG && d->long_size == sizeof(long))
		return 0;
	err_set(err, FTR_FAILED, "'%s' was recorded on another kind of machine", d->path);
	return err_hint(err, "ftr report reads it as it is; recover it on a machine of that kind");
}

/* --- in place */

/* Returns the region of a CPU, or NULL. */
static struct dat_region *find_region(struct dat_spool *s, const char *name, int cpu)
{
	size_t i, k;

	for (i = 0; i < s->n; i++)
		for (k = 0; k < s->bufs[i].n && !strcmp(s->bufs[i].name, name); k++)
			if (s->bufs[i].v[k].cpu == cpu)
				return &s->bufs[i].v[k];
	return NULL;
}

/*
 * Enters data of a CPU, as it was read, into its region. Returns false if that is not all data of
 * the region. The sizes in a sealed file are final. Compressed data was read completely, and @c has
 * unpacked copies.
 */
static bool set_region_data(struct dat_spool *s, const char *name, const struct dat_write_cpu *c,
			    int fd)
{
	struct dat_region *at = find_region(s, name, c->cpu);
	uint64_t base = c->base;

	if (!at)
		return false;
	if (s->state == DAT_SPOOL_SEALED)
		return at->packed || (c->fd == fd && at->at == (uint64_t)c->base &&
				      at->size == (uint64_t)c->size);
	if (c->fd != fd || at->size || base < at->at || base - at->at + c->size > at->limit)
		return false;
	at->limit -= base - at->at;
	at->at = base;
	at->size = c->size;
	return true;
}

/* Enters all data into @s. Returns false if @s does not have exactly this data. */
static bool set_regions(const struct recover_state *r, struct dat_spool *s, int fd)
{
	struct dat_spool now = {0};
	struct dat_join *steps;
	uint64_t body, end;
	bool all, ok = true;
	struct stat st;
	size_t i, k;

	/* if a sealed file was joined partly, its data has moved: locate it */
	if (s->state == DAT_SPOOL_SEALED && !fstat(fd, &st) && dat_spool_find(fd, &now, &body))
		dat_spool_locate(&now, st.st_size, &all);
	/* if a seal was interrupted, an open file has sizes of it */
	for (i = 0; i < s->n && s->state == DAT_SPOOL_OPEN; i++)
		for (k = 0; k < s->bufs[i].n; k++)
			s->bufs[i].v[k].size = 0;
	for (i = 0; i < r->nr_bufs; i++)
		for (k = 0; k < r->bufs[i].n; k++)
			ok &= set_region_data(now.n ? &now : s, r->bufs[i].name,
					      &r->bufs[i].cpus[k], r->fd);
	dat_spool_joins(s, &steps, &end);
	free(steps);
	dat_spool_release(&now);
	return ok && end != UINT64_MAX;
}

/* Returns true if the file system of the file can remove holes and has room for the metadata. */
static bool can_join(const struct recover_state *r, const struct dat_writer *w)
{
	uint64_t bytes = dat_end_bytes(w, r->bytes, r->nr_cpus) + recover_rest_bytes(r);
	int beside = place_tmpfile(&r->in);
	bool can = beside >= 0 && dat_can_join(beside) && dat_resume_room(w, bytes, beside);

	if (beside >= 0)
		close(beside);
	return can;
}

static int join_in_place(struct recover_state *r, struct dat_writer *w, struct dat_spool *s, int fd,
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

/*
 * Finishes the file in place, as its recorder does, if there is no room for a copy. If it is
 * interrupted, the file can still be read and recovered. Returns 0, -1 with @err, or 1 if that is
 * not possible; the file is unchanged then.
 */
static int recover_join(struct recover_state *r, struct ftr_error *err)
{
	struct dat_spool s = {0};
	struct dat_writer *w;
	char path[32];
	int fd, ret = 1;

	if (r->gaps || r->left_out || !place_is(&r->in, r->in.name, &r->was))
		return 1;
	/* open the same file again, for writing */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", r->fd);
	fd = open(path, O_RDWR | O_CLOEXEC);
	w = fd < 0 ? NULL : dat_resume(fd, r->in.path, &s);
	if (w && set_regions(r, &s, fd) && can_join(r, w)) {
		r->p->notice("there is no room for a copy: '%s' is finished in its place",
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

/* --- as a copy */

/*
 * Sets the owner and the mode of the new file to those of the old one. The group and others lose
 * their rights if the new file has data that only the kernel had, or another group. Returns -1 with
 * @err.
 */
static int keep_owner(const struct recover_state *r, int fd, struct ftr_error *err)
{
	mode_t mode = r->was.st_mode & 0777;
	struct stat st;

	if (!r->out.foreign && fchown(fd, r->was.st_uid, r->was.st_gid))
		/* the mode would be that of another group */
		mode &= 0700;
	if (fstat(fd, &st) || st.st_gid != r->was.st_gid || r->live)
		mode &= 0700;
	if (st.st_uid != r->was.st_uid) {
		err_set(err, FTR_FAILED, "'%s' belongs to user %u, and the new file would not",
			r->in.path, (unsigned int)r->was.st_uid);
		return err_hint(err, "'-o FILE' makes a file of your own; the old file is "
				"unchanged");
	}
	return fchmod(fd, mode) ? err_sys(err, "cannot set the mode of '%s'", r->in.path) : 0;
}

/* Writes a new file. @keep: the file that it replaces becomes "FILE.old". */
static int write_copy(struct recover_state *r, bool keep, struct ftr_error *err)
{
	static const char elsewhere[] = "'-o FILE' writes it elsewhere; the old file is unchanged";
	struct outfile out;
	int ret;

	if (r->full) {
		errno = ENOSPC;
		err_sys(err, "cannot copy the data of '%s'", r->in.path);
		return err_hint(err, "%s", elsewhere);
	}
	ret = outfile_open_at(&out, &r->out, r->in_place ? &r->was : NULL, err);
	if (!ret && recover_write(r, out.fd, out.path, err))
		ret = err_hint(err, "%s", elsewhere);
	if (!ret && fsync(out.fd))
		ret = err_write(err, "cannot write '%s'", out.path);
	if (!ret && r->in_place)
		ret = keep_owner(r, out.fd, err);
	if (!ret)
		ret = r->in_place ? outfile_replace(&out, &r->was, keep, err) :
		      outfile_commit(&out, err);
	if (!ret)
		place_sync(&r->out);
	outfile_release(&out);
	return ret;
}

static int write_recovered(struct recover_state *r, bool keep, struct ftr_error *err)
{
	int ret, joined = 1;

	/*
	 * If the directory belongs to others, the new file is created with the rights of the file's
	 * owner: no fchown() is needed, and nothing is possible that the owner could not do.
	 */
	if (!r->own && r->out.foreign) {
		setfsgid(r->was.st_gid);
		setfsuid(r->was.st_uid);
	}
	ret = write_copy(r, keep, err);
	if (ret && r->in_place && !keep && is_no_space(err->sys))
		joined = recover_join(r, err);
	setfsuid(geteuid());
	setfsgid(getegid());
	return joined > 0 ? ret : joined;
}

/* --- from one file */

/*
 * Reports all damages except the end of the file, which is mended now. Returns 1 if there are any.
 */
static int report_damages(const struct recover_plan *p, const struct dat *d)
{
	struct damage_list all = {0};
	size_t i;

	damages_merge(&all, &d->damages);
	for (i = 0; i < all.n; i++)
		if (!strcmp(all.v[i].kind, DAT_UNFINISHED))
			break;
	if (i < all.n) {
		memmove(&all.v[i], &all.v[i + 1], (all.n - i - 1) * sizeof(*all.v));
		all.n--;
	}
	i = all.n;
	if (i)
		p->damages(&all);
	damages_release(&all);
	return i ? 1 : 0;
}

/*
 * Adds metadata of the running kernel, if it is the recorded one. If the file belongs to another
 * user nothing is added, as its owner may not have the right to read it.
 */
static void read_kernel_metadata(struct recover_state *r, const struct dat *d)
{
	struct ftr_error err = {0};

	if (r->p->from)
		return;
	if (!same_boot(d))
		r->p->notice("'%s' was recorded in another boot: its missing parts can't be read "
			     "from this kernel", d->path);
	else if (!r->own)
		r->p->notice("'%s' belongs to user %u: its missing parts are read from the kernel "
			     "with -o FILE only, which makes your own file", d->path,
			     (unsigned int)r->was.st_uid);
	else if (recover_know_kernel(r, &err))
		r->p->notice("the kernel does not give the missing parts of the file: %s", err.msg);
}

int recover_open(const char *path, struct ftr_error *err)
{
	struct dir_file at;
	int fd;

	if (place_open(&at, path, err))
		return -1;
	fd = openat(at.dir, at.name, DAT_OPEN_FLAGS | O_NOFOLLOW);
	if (fd < 0)
		err_sys(err, "cannot open '%s'", path);
	place_release(&at);
	return fd;
}

/* Adds the metadata of the file --from. Returns -1 with @err. */
static int read_from_metadata(struct recover_state *r, struct ftr_error *err)
{
	struct stat st;
	int fd;

	if (!r->p->from)
		return 0;
	fd = recover_open(r->p->from, err);
	if (fd < 0)
		return -1;
	recover_own(r, fd);
	r->from = dat_open_fd(fd, r->p->from, err);
	if (!r->from)
		return -1;
	if (r->from->big != HOST_BIG || r->from->long_size != sizeof(long))
		return err_set(err, FTR_FAILED, "'%s' was recorded on another kind of machine",
			       r->from->path);
	if (!r->own && (fstat(fd, &st) || st.st_uid != r->was.st_uid)) {
		err_set(err, FTR_FAILED, "'%s' and '%s' belong to different users", r->in.path,
			r->from->path);
		return err_hint(err, "'-o FILE' makes a file of your own with what both have");
	}
	recover_know_file(r, r->from);
	return 0;
}

/* Opens the file. If it does not exist, the hint is another one than in reports. */
static struct dat *open_unfinished(struct recover_state *r, const char *path, struct ftr_error *err)
{
	struct dat *d = NULL;
	int fd = -1;

	if (!place_open(&r->in, path, err)) {
		fd = openat(r->in.dir, r->in.name, DAT_OPEN_FLAGS | O_NOFOLLOW);
		d = dat_open_fd(fd, path, err);
	}
	if (!d && err->sys == ENOENT)
		err_hint(err, "an unfinished recording has the name that -o of ftr record gave, or "
			      "that name and .part-PID");
	if (fd >= 0)
		recover_own(r, fd);
	r->fd = fd;
	return d;
}

/* Checks the file before its data is read, and opens the place of the new one. */
static int prepare_recover(struct recover_state *r, const struct dat *d, struct ftr_error *err)
{
	if (fstat(r->fd, &r->was))
		return err_sys(err, "cannot read '%s'", d->path);
	r->in_place = !r->p->out_path;
	r->own = !r->in_place || r->was.st_uid == geteuid();
	if (check_file(r, d, r->fd, err))
		return -1;
	if (r->p->out_path)
		return place_open(&r->out, r->p->out_path, err) ? -1 : 0;
	r->out = place_dup(&r->in);
	return 0;
}

static int recover_file(struct recover_state *r, const char *path, struct ftr_error *err)
{
	struct dat *d = open_unfinished(r, path, err);
	int ret = -1, damaged;

	if (!d || prepare_recover(r, d, err))
		goto out;
	recover_know_file(r, d);
	recover_keep(r, d);
	if (read_from_metadata(r, err))
		goto out;
	if (!d->whole)
		read_kernel_metadata(r, d);
	if (add_data(r, d, r->fd, err))
		goto out;
	dat_settle(d);
	damaged = report_damages(r->p, d);
	ret = write_recovered(r, damaged, err);
	if (!ret && damaged && !r->p->out_path)
		r->p->notice("'%s.old' is the file before recovery", path);
	ret = ret ? ret : damaged;
out:
	dat_close(d);
	return ret;
}

/* --- from raw data of CPUs */

static int recover_cpus(struct recover_state *r, const struct strv *files, char **base,
			struct ftr_error *err)
{
	r->own = true;
	if (read_from_metadata(r, err))
		return -1;
	if (!r->p->from) {
		if (r->p->symbols)
			buf_add(&r->kallsyms, r->p->symbols->data, r->p->symbols->len);
		if (recover_know_kernel(r, err)) {
			err_hint(err, "run it as root on the kernel that was recorded, or name a "
				      "trace file of that kernel with --from=FILE");
			return -1;
		}
		r->p->notice(r->p->symbols ?
			     "event formats are the running kernel's, and symbols, as they lay in "
			     "the boot before" :
			     "taken for data of this boot: event formats and symbols are the "
			     "running kernel's");
	}
	if (r->p->oops) {
		buf_reset(&r->oops);
		buf_add(&r->oops, r->p->oops->data, r->p->oops->len);
	}
	if (r->p->lines)
		buf_add(&r->text, r->p->lines->data, r->p->lines->len);
	if (recover_raw(r, files, base, err) ||
	    place_open(&r->out, r->p->out_path ? r->p->out_path : *base, err))
		return -1;
	return write_recovered(r, true, err);
}

/* --- both */

static void release_recover(struct recover_state *r)
{
	size_t i;

	for (i = 0; i < r->nr_bufs; i++) {
		free(r->bufs[i].name);
		free(r->bufs[i].clock);
		free(r->bufs[i].cpus);
	}
	free(r->bufs);
	dat_close(r->from);
	place_release(&r->in);
	place_release(&r->out);
	for (i = 0; i < r->nr_fds; i++)
		close(r->fds[i]);
	free(r->fds);
	free(r->uname);
	buf_release(&r->btf);
	buf_release(&r->header_page);
	buf_release(&r->header_event);
	formats_release(&r->formats);
	buf_release(&r->kallsyms);
	buf_release(&r->printk);
	buf_release(&r->protos);
	buf_release(&r->oops);
	buf_release(&r->saved_comms);
	buf_release(&r->text);
	comms_release(&r->comms);
	strv_release(&r->lacks);
}

int recover_run(const struct recover_plan *p, struct buf *summary, struct ftr_error *err)
{
	struct recover_state r = { .p = p };
	struct strv raw = {0};
	char *base = NULL;
	size_t i;
	int ret;

	for (i = 0; i < p->files->n; i++)
		if (recover_is_raw(p->files->v[i]))
			strv_add(&raw, p->files->v[i]);
	if (!raw.n && p->files->n == 1 && access(p->files->v[0], F_OK))
		recover_find_raw(p->files->v[0], &raw);
	if (raw.n && p->files->n > 1 && raw.n != p->files->n)
		ret = err_set(err, FTR_USAGE, "trace files and raw data of CPUs cannot be "
			      "recovered together");
	else if (!raw.n && p->files->n > 1)
		ret = err_set(err, FTR_USAGE, "more than one trace file");
	else if (raw.n)
		ret = recover_cpus(&r, &raw, &base, err);
	else
		ret = recover_file(&r, p->files->v[0], err);
	if (ret >= 0) {
		buf_printf(summary, "%s: %u CPU%s, ",
			   p->out_path ? p->out_path : base ? base : p->files->v[0], r.nr_cpus,
			   r.nr_cpus == 1 ? "" : "s");
		text_grouped(summary, r.sum.events);
		buf_printf(summary, " event%s, ", r.sum.events == 1 ? "" : "s");
		text_bytes(summary, r.bytes);
		buf_addstr(summary, r.sum.lost_unknown || r.left_out ? ", at least " : ", ");
		text_grouped(summary, r.sum.lost);
		buf_addstr(summary, " lost");
		for (i = 0; i < r.lacks.n; i++)
			buf_printf(summary, "%s%s", i ? ", " : "; without ", r.lacks.v[i]);
	}
	free(base);
	strv_release(&raw);
	release_recover(&r);
	return ret;
}
