/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads sub-buffers one by one, for a caller that needs them at once instead of a file. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/cpu/live_recording.h"

struct raw_reader {
	int     *cpus, *fds;
	size_t   n, subbufs;
	uint32_t subbuf_size;
	char    *path;		/* of the buffer's directory, for messages */
};

struct raw_reader *raw_open(const struct tfs *t, const char *instance, struct ftr_error *err)
{
	char *line = tfs_line(t, instance, "buffer_size_kb"), *file;
	struct raw_reader *r = xcalloc(1, sizeof(*r));
	struct buf path = {0};
	size_t i;

	r->path = xasprintf("%s%s%s", t->path, instance ? "/instances/" : "",
			    instance ? instance : "");
	r->subbuf_size = tfs_subbuf_size(t, instance);
	r->subbufs = strtoul(line, NULL, 10) * 1024 / r->subbuf_size;
	free(line);
	/* if the file contains "X" or "7 (expanded: 1408)" */
	if (r->subbufs < 352)
		r->subbufs = 352;
	if (tfs_cpus(t, instance, &r->cpus, &r->n, err))
		goto fail;
	r->fds = xcalloc(r->n + 1, sizeof(*r->fds));
	for (i = 0; i < r->n; i++)
		r->fds[i] = -1;
	for (i = 0; i < r->n; i++) {
		file = xasprintf("per_cpu/cpu%d/trace_pipe_raw", r->cpus[i]);
		r->fds[i] = openat(t->dirfd, tfs_path(&path, instance, file),
				   O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (r->fds[i] < 0)
			err_sys(err, "cannot open '%s/%s'", t->path, path.data);
		buf_release(&path);
		free(file);
		if (r->fds[i] < 0)
			goto fail;
	}
	return r;
fail:
	raw_close(r);
	return NULL;
}

size_t raw_cpus(const struct raw_reader *r, const int **cpus)
{
	*cpus = r->cpus;
	return r->n;
}

uint32_t raw_subbuf_size(const struct raw_reader *r)
{
	return r->subbuf_size;
}

size_t raw_subbufs(const struct raw_reader *r)
{
	return r->subbufs;
}

int raw_read(struct raw_reader *r, size_t i, uint8_t *to, struct ftr_error *err)
{
	ssize_t n;

	do {
		n = read(r->fds[i], to, r->subbuf_size);
	} while (n < 0 && errno == EINTR);
	/* ENODEV and ENOMEM occur while a CPU or the buffer is added or removed */
	if (!n || (n < 0 && (errno == EAGAIN || errno == EBUSY || errno == ENOMEM ||
			     errno == ENODEV)))
		return 0;
	if (n < 0)
		return err_sys(err, "cannot read '%s/per_cpu/cpu%d/trace_pipe_raw'", r->path,
			       r->cpus[i]);
	memset(to + n, 0, r->subbuf_size - n);
	return 1;
}

void raw_close(struct raw_reader *r)
{
	size_t i;

	if (!r)
		return;
	for (i = 0; r->fds && i < r->n; i++)
		if (r->fds[i] >= 0)
			close(r->fds[i]);
	free(r->fds);
	free(r->cpus);
	free(r->path);
	free(r);
}
