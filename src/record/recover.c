/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes finished trace files of what a recorder left when it was killed. */
#include "record/recover.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/text.h"
#include "record/outfile.h"
#include "record/recover_priv.h"

#define HOST_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define MISSED   (1u << 31)		/* of the commit: events were lost before this sub-buffer */

/* --- the data of an unfinished file */

/* Sub-buffers that lie one behind the other, of the file or of the one with what was mended. */
struct piecing {
	struct recover *r;
	struct rescued_buffer *b;
	struct dat_cursor c;
	int      fd;			/* the file */
	struct dat_write_cpu piece;	/* as far as it is known */
	bool     gap;			/* before the next sub-buffer */
};

static int open_beside(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash ? xstrndup(path, slash - path + 1) : xstrdup(".");
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	free(dir);
	return fd;
}

/* Says in a copy of the sub-buffer that events were lost before it. */
static void mark_gap(uint8_t *mem, const struct ring_layout *l)
{
	uint8_t *commit = mem + l->commit_off + (l->big && l->commit_size == 8 ? 4 : 0);
	uint32_t v;

	memcpy(&v, commit, sizeof(v));
	v |= MISSED;
	memcpy(commit, &v, sizeof(v));
}

static void end_piece(struct piecing *p)
{
	if (p->piece.size)
		recover_add_cpu(p->r, p->b, &p->piece);
	p->piece.size = 0;
}

static void add_page(struct piecing *p, int fd, off_t at)
{
	uint32_t size = p->b->subbuf_size;

	if (p->piece.fd != fd || p->piece.base + p->piece.size != at)
		end_piece(p);
	if (!p->piece.size)
		p->piece = (struct dat_write_cpu){ .cpu = p->c.cpu->cpu, .fd = fd, .base = at };
	p->piece.size += size;
}

/* A copy of the sub-buffer: it says so if it is behind a gap. */
static int add_mended(struct piecing *p, const uint8_t *mem)
{
	const struct ring_layout *l = &p->c.buffer->layout;
	struct recover *r = p->r;
	uint8_t *copy;
	int ret;

	if (r->mended_fd <= 0) {
		r->mended_fd = open_beside(r->p->out_path ? r->p->out_path : p->c.dat->path);
		if (r->mended_fd < 0)
			return -1;
		recover_own(r, r->mended_fd);
	}
	copy = xmalloc(l->subbuf_size);
	memcpy(copy, mem, l->subbuf_size);
	if (p->gap)
		mark_gap(copy, l);
	ret = io_pwrite_all(r->mended_fd, copy, l->subbuf_size, r->mended_bytes);
	free(copy);
	add_page(p, r->mended_fd, r->mended_bytes);
	r->mended_bytes += l->subbuf_size;
	return ret;
}

/* Leaves out what was never written and an end that is incomplete. */
static int see_page(struct piecing *p, struct walk *w, uint64_t page)
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
		add_page(p, p->fd, off);
	p->gap = false;
	return ret;
}

static int take_cpu(struct piecing *p, struct walk *w, struct ftr_error *err)
{
	uint64_t page;
	int ret = 0;

	for (page = 0; page < p->c.cpu->nr_pages && !ret; page++)
		ret = see_page(p, w, page);
	end_piece(p);
	dat_cursor_release(&p->c);
	if (ret)
		err_sys(err, "cannot copy the data of CPU %d of '%s'", p->c.cpu->cpu,
			p->c.dat->path);
	return ret;
}

static int take_data(struct recover *r, struct dat *d, int fd, struct ftr_error *err)
{
	struct walk *w = walk_new(&r->formats);
	size_t i, k;
	int ret = 0;

	for (i = 0; i < d->nr_buffers; i++) {
		struct dat_buffer *from = &d->buffers[i];
		struct rescued_buffer *b = recover_add_buffer(r, from->name, from->clock,
							      from->layout.subbuf_size);

		for (k = 0; k < from->nr_cpus && !ret; k++) {
			struct piecing p = { .r = r, .b = b, .fd = fd, .c = {
				.dat = d, .buffer = from, .cpu = &from->cpus[k],
				.damages = &d->damages,
			} };

			ret = take_cpu(&p, w, err);
		}
	}
	if (d->nr_cpus > r->nr_cpus)
		r->nr_cpus = d->nr_cpus;
	recover_see(r, w);
	walk_free(w);
	return ret;
}

/* --- the file before and after */

static char *boot_id(void)
{
	char *id = io_line_at(AT_FDCWD, "/proc/sys/kernel/random/boot_id");

	return id ? id : xstrdup("");
}

static bool same_boot(const struct dat *d)
{
	size_t len;
	const char *was = dat_ftr_value(d, "boot_id", &len);
	char *is = boot_id();
	bool same = was && len && len == strlen(is) && !memcmp(was, is, len);

	free(is);
	return same;
}

/* A lease for reading is not given while somebody has the file open for writing. */
static bool is_written(int fd)
{
	if (fcntl(fd, F_SETLEASE, F_RDLCK))
		return errno == EAGAIN;
	fcntl(fd, F_SETLEASE, F_UNLCK);
	return false;
}

static int check_file(const struct recover *r, const struct dat *d, int fd,
		      struct ftr_error *err)
{
	if (!d->unfinished) {
		err_set(err, FTR_FAILED, "'%s' is no recording that was not finished", d->path);
		return err_hint(err, "'ftr info %s' tells what it is; raw data of CPUs is called "
				     "NAME.cpu0, NAME.cpu1, ...", d->path);
	}
	if (fd < 0)
		return err_sys(err, "cannot open '%s'", d->path);
	if (!r->p->ended && is_written(fd)) {
		err_set(err, FTR_FAILED, "'%s' is still being recorded", d->path);
		return err_hint(err, "end the recorder first; ftr report reads the file as it is");
	}
	if (d->big == HOST_BIG && d->long_size == sizeof(long))
		return 0;
	err_set(err, FTR_FAILED, "'%s' is of another kind of machine", d->path);
	return err_hint(err, "ftr report reads it as it is; finished it can be on such a machine");
}

/* Who may read the file may read the new one. */
static void keep_owner(int fd, int from)
{
	struct stat st;

	if (fstat(from, &st))
		return;
	if (fchown(fd, st.st_uid, st.st_gid))
		fchmod(fd, 0600);
	else
		fchmod(fd, st.st_mode & 0777);
}

static int sync_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash ? xstrndup(path, slash - path + 1) : xstrdup(".");
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret = fd < 0 ? -1 : fsync(fd);

	if (fd >= 0)
		close(fd);
	free(dir);
	return ret;
}

/* The new file takes the place of the old one at once. */
static int replace(struct outfile *out, struct ftr_error *err)
{
	if (rename(out->part_path, out->path))
		return err_sys(err, "cannot rename '%s' to '%s'", out->part_path, out->path);
	free(out->part_path);
	out->part_path = NULL;
	return 0;
}

/* @from: the file that the new one replaces, or -1; @keep: as "FILE.old". */
static int write_file(struct recover *r, const char *path, int from, bool keep,
		      struct ftr_error *err)
{
	struct outfile out = { .fd = -1 };
	int ret;

	if (outfile_open(&out, path, err))
		return -1;
	ret = recover_write(r, out.fd, path, err);
	if (ret) {
		err_hint(err, "'-o FILE' writes it elsewhere; what was there is as it was");
		ret = -1;
	} else if (fsync(out.fd)) {
		ret = err_sys(err, "cannot write '%s'", path);
	}
	if (!ret && from >= 0)
		keep_owner(out.fd, from);
	if (!ret)
		ret = from >= 0 && !keep ? replace(&out, err) : outfile_commit(&out, err);
	if (!ret)
		sync_folder(out.path);
	outfile_release(&out);
	return ret;
}

/* --- the two kinds */

/* All but the one that is mended now. */
static int tell_damages(const struct recover_plan *p, const struct dat *d)
{
	struct damages all = {0};
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

static void know_kernel(struct recover *r, const struct dat *d)
{
	struct ftr_error err = {0};

	if (r->p->from)
		return;
	if (!same_boot(d))
		r->p->say("'%s' is of another boot: what it lacks can't be found here", d->path);
	else if (recover_know_kernel(r, &err))
		r->p->say("what the file lacks can't be asked of the kernel: %s", err.msg);
}

static int know_other(struct recover *r, struct ftr_error *err)
{
	struct dat *d;

	if (!r->p->from)
		return 0;
	d = dat_open(r->p->from, err);
	if (!d)
		return -1;
	if (d->big != HOST_BIG || d->long_size != sizeof(long)) {
		err_set(err, FTR_FAILED, "'%s' is of another kind of machine", d->path);
		dat_close(d);
		return -1;
	}
	recover_know_file(r, d);
	dat_close(d);
	return 0;
}

/* What reports say of a missing file does not fit here. */
static struct dat *open_cut(const char *path, struct ftr_error *err)
{
	struct dat *d = dat_open(path, err);

	if (!d && err->sys == ENOENT)
		err_hint(err, "a recording that was not finished is called as -o of ftr record, "
			      "or that and .part-PID");
	return d;
}

static int recover_file(struct recover *r, const char *path, struct ftr_error *err)
{
	struct dat *d = open_cut(path, err);
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret = -1, damaged;

	if (!d || check_file(r, d, fd, err))
		goto out;
	recover_know_file(r, d);
	recover_keep(r, d);
	if (know_other(r, err))
		goto out;
	if (!d->whole)
		know_kernel(r, d);
	if (take_data(r, d, fd, err))
		goto out;
	dat_settle(d);
	damaged = tell_damages(r->p, d);
	ret = write_file(r, r->p->out_path ? r->p->out_path : path, r->p->out_path ? -1 : fd,
			 damaged, err);
	if (!ret && damaged && !r->p->out_path)
		r->p->say("'%s.old' is the file as it was", path);
	ret = ret ? ret : damaged;
out:
	if (fd >= 0)
		close(fd);
	dat_close(d);
	return ret;
}

static int recover_cpus(struct recover *r, const struct strv *files, char **base,
			struct ftr_error *err)
{
	if (know_other(r, err))
		return -1;
	if (!r->p->from) {
		if (recover_know_kernel(r, err)) {
			err_hint(err, "the kernel that was recorded tells what the data is: be "
				      "root there, or --from=FILE names a trace file of it");
			return -1;
		}
		r->p->say("taken for data of this boot: event formats and symbols are the running "
			  "kernel's");
	}
	if (recover_raw(r, files, base, err))
		return -1;
	return write_file(r, r->p->out_path ? r->p->out_path : *base, -1, true, err);
}

static void summarize(const struct recover *r, const char *path, struct buf *out)
{
	size_t i;

	buf_printf(out, "%s: %u CPU%s, ", path, r->nr_cpus, r->nr_cpus == 1 ? "" : "s");
	text_grouped(out, r->sum.events);
	buf_printf(out, " event%s, ", r->sum.events == 1 ? "" : "s");
	text_bytes(out, r->bytes);
	buf_addstr(out, r->sum.lost_unknown || r->left_out ? ", at least " : ", ");
	text_grouped(out, r->sum.lost);
	buf_addstr(out, " lost");
	for (i = 0; i < r->lacks.n; i++)
		buf_printf(out, "%s%s", i ? ", " : "; without ", r->lacks.v[i]);
}

static void release(struct recover *r)
{
	size_t i;

	for (i = 0; i < r->nr_bufs; i++) {
		free(r->bufs[i].name);
		free(r->bufs[i].clock);
		free(r->bufs[i].cpus);
	}
	free(r->bufs);
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
	buf_release(&r->saved_comms);
	buf_release(&r->text);
	comms_release(&r->comms);
	strv_release(&r->lacks);
}

int recover_run(const struct recover_plan *p, struct buf *summary, struct ftr_error *err)
{
	struct recover r = { .p = p };
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
		ret = err_set(err, FTR_USAGE, "trace files and raw data of CPUs at once");
	else if (!raw.n && p->files->n > 1)
		ret = err_set(err, FTR_USAGE, "more than one trace file");
	else if (raw.n)
		ret = recover_cpus(&r, &raw, &base, err);
	else
		ret = recover_file(&r, p->files->v[0], err);
	if (ret >= 0)
		summarize(&r, p->out_path ? p->out_path : base ? base : p->files->v[0], summary);
	free(base);
	strv_release(&raw);
	release(&r);
	return ret;
}
