/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hands one CPU's recording from a process that ended to another: what was on its way. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "record/cpu/recorder_priv.h"

static size_t batch_map_bytes(const struct lane *l)
{
	return l->buf_bytes + sizeof(*l->batch_at);
}

static int map_batch(struct lane *l, int fd)
{
	void *p = mmap(NULL, batch_map_bytes(l), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		return -1;
	l->buf = p;
	l->batch_at = (uint64_t *)(l->buf + l->buf_bytes);
	return 0;
}

static char *batch_name(const char *path, int cpu)
{
	return xasprintf("%s.cpu%d", path, cpu);
}

/*
 * Of its own name. It gets its room at once, and stays in memory, so that the kernel never has to
 * wait for a page of it between taking a sub-buffer and copying it: a kill would end that.
 */
static bool batch_named(struct lane *l)
{
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;

	l->batch_name = batch_name(l->r->batch_path, l->cpu->cpu);
	l->batch_fd = open(l->batch_name, flags, 0600);
	if (l->batch_fd >= 0 && !fallocate(l->batch_fd, 0, 0, batch_map_bytes(l)) &&
	    !map_batch(l, l->batch_fd)) {
		mlock(l->buf, batch_map_bytes(l));
		return true;
	}
	batch_release(l);
	return false;
}

/* Memory costs only what is touched: most never read(). */
int batch_make(struct lane *l, size_t bytes, struct ftr_error *err)
{
	l->buf_bytes = bytes / l->r->subbuf_size * l->r->subbuf_size;
	if (!l->buf_bytes)
		l->buf_bytes = l->r->subbuf_size;
	if (l->r->batch_path && batch_named(l))
		return 0;
	l->batch_fd = memfd_create("ftr-batch", MFD_CLOEXEC);
	if (l->batch_fd < 0 || ftruncate(l->batch_fd, batch_map_bytes(l)) ||
	    map_batch(l, l->batch_fd))
		return err_sys(err, "cannot get %zu bytes of memory", batch_map_bytes(l));
	return 0;
}

/*
 * From the sub-buffers' headers, which are never zero once they are read, it can be told how much
 * of a batch there is.
 */
void batch_begin(struct lane *l, size_t bytes)
{
	size_t at;

	__atomic_store_n(l->batch_at, 0, __ATOMIC_RELEASE);
	/* the first that stays empty ends it */
	for (at = 0; at <= bytes && at < l->buf_bytes; at += l->r->subbuf_size)
		memset(l->buf + at, 0, HEADER_BYTES);
	__atomic_store_n(l->batch_at, l->cpu->base + l->cpu->size + 1, __ATOMIC_RELEASE);
}

void batch_end(struct lane *l)
{
	__atomic_store_n(l->batch_at, 0, __ATOMIC_RELEASE);
}

void batch_release(struct lane *l)
{
	if (l->batch_fd >= 0)
		close(l->batch_fd);
	l->batch_fd = -1;
	if (l->buf)
		munmap(l->buf, batch_map_bytes(l));
	l->buf = NULL;
	if (l->batch_name)
		unlink(l->batch_name);
	free(l->batch_name);
	l->batch_name = NULL;
}

const char *recorder_batch_path(const struct recorder *r)
{
	return r->batch_path;
}

int recorder_batch(const char *batch_path, int cpu)
{
	char *name = batch_name(batch_path, cpu);
	int fd = open(name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);

	free(name);
	return fd;
}

off_t recorder_hand(const struct recorder *r, size_t i, struct recorder_hand *out)
{
	const struct lane *l = &r->lanes[i];

	out->fd[HAND_FILE] = l->cpu->fd;
	/* three are sent in any case */
	out->fd[HAND_PIPE] = l->pipe[0] >= 0 ? l->pipe[0] : l->batch_fd;
	out->fd[HAND_BATCH] = l->batch_fd;
	return l->limit;
}

/* What the pipe holds goes first: it was taken before anything that is in a batch. */
static int write_pipe(struct lane *l, int fd)
{
	int held = 0, own = l->pipe[0];
	enum moved got;
	struct stat st;

	/* of a regular file FIONREAD tells the size: there is something in its place, then */
	if (fd < 0 || fstat(fd, &st) || !S_ISFIFO(st.st_mode) || ioctl(fd, FIONREAD, &held) ||
	    !held)
		return 0;
	l->pipe[0] = fd;
	got = lane_pipe_out(l, held);
	l->pipe[0] = own;
	return got == MOVED_FAILED ? -1 : 0;
}

static int write_batch(struct lane *l, int fd)
{
	uint64_t at, end, skip, size = l->r->subbuf_size;
	const uint8_t *buf;
	int ret = 0;

	if (fd < 0)
		return 0;
	buf = mmap(NULL, batch_map_bytes(l), PROT_READ, MAP_SHARED, fd, 0);
	if (buf == MAP_FAILED)
		return -1;
	memcpy(&at, buf + l->buf_bytes, sizeof(at));
	skip = l->cpu->base + l->cpu->size - (at - 1);
	if (at && skip < l->buf_bytes) {
		end = skip - skip % size;
		while (end < l->buf_bytes && !mem_is_zero(buf + end, HEADER_BYTES))
			end += size;
		if (end > skip)
			ret = lane_write(l, buf + skip, end - skip);
	}
	munmap((void *)buf, batch_map_bytes(l));
	return ret;
}

int recorder_adopt(struct recorder *r, size_t i, const struct recorder_hand *h, off_t base,
		   off_t limit, struct ftr_error *err)
{
	struct lane *l = &r->lanes[i];
	off_t at = lseek(h->fd[HAND_FILE], 0, SEEK_CUR);
	int ret;

	l->cpu->fd = h->fd[HAND_FILE];
	l->cpu->base = base;
	l->limit = limit;
	l->placed = true;
	lane_wrote(l, at > base ? at - base : 0);
	ret = write_pipe(l, h->fd[HAND_PIPE]) || write_batch(l, h->fd[HAND_BATCH]) ? -1 : 0;
	if (ret)
		err_sys(err, "cannot write what CPU %d had recorded", l->cpu->cpu);
	if (h->fd[HAND_PIPE] >= 0)
		close(h->fd[HAND_PIPE]);
	if (h->fd[HAND_BATCH] >= 0)
		close(h->fd[HAND_BATCH]);
	return ret;
}
