/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Completes recordings whose process and guardian were both killed. */
#include "record/rescue/orphan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/read/dat_regions.h"
#include "file/write/dat_join.h"
#include "record/cpu/recorder.h"
#include "record/file/outfile.h"
#include "tracefs/session/journal.h"

/* Adds a path with "\\n" for a newline and "\\\\" for a backslash. */
static void add_escaped_path(struct buf *b, const char *path)
{
	for (; *path; path++) {
		if (*path == '\n' || *path == '\\')
			buf_addch(b, '\\');
		buf_addch(b, *path == '\n' ? 'n' : *path);
	}
}

/* Removes the escapes of add_escaped_path(), in place. Returns @path, which may be NULL. */
static char *unescape_path(char *path)
{
	char *to = path, *from = path;

	for (; from && *from; from++) {
		if (*from == '\\' && from[1])
			*to++ = *++from == 'n' ? '\n' : *from;
		else
			*to++ = *from;
	}
	if (to)
		*to = 0;
	return path;
}

/*
 * The text is the final name and, on a line for each buffer of the file, the instance ("" = top
 * level) and, if there is one, "/" and the path of the batches.
 */
void orphan_write(struct buf *b, const struct orphan_file *o)
{
	add_escaped_path(b, o->path);
	for (size_t i = 0; i < o->n; i++) {
		buf_addch(b, '\n');
		add_escaped_path(b, o->bufs[i].instance);
		if (!o->bufs[i].batches)
			continue;
		buf_addch(b, '/');
		add_escaped_path(b, o->bufs[i].batches);
	}
}

void orphan_read(struct orphan_file *o, const char *text)
{
	char *at = o->text = xstrdup(text);

	o->path = unescape_path(strsep(&at, "\n"));
	while (at) {
		char *batches = strsep(&at, "\n"), *instance = strsep(&batches, "/");

		o->bufs = xrealloc(o->bufs, (o->n + 1) * sizeof(*o->bufs));
		o->bufs[o->n++] = (struct orphan_buffer){ unescape_path(instance),
							  unescape_path(batches) };
	}
}

void orphan_release(struct orphan_file *o)
{
	free(o->bufs);
	free(o->text);
}

int orphan_note(struct session *s, const char *part_path, const char *path,
		const struct recorded_buffer *bufs, size_t n, struct ftr_error *err)
{
	char *part = realpath(part_path, NULL), *slash = part ? strrchr(part, '/') : NULL;
	const char *name = strrchr(path, '/');
	struct orphan_file o = { .n = n };
	struct buf b = {0};
	int ret;

	if (!slash)
		return free(part), err_sys(err, "cannot find '%s'", part_path);
	o.text = xasprintf("%.*s/%s", (int)(slash - part), part, name ? name + 1 : path);
	o.path = o.text;
	o.bufs = xcalloc(n + 1, sizeof(*o.bufs));
	for (size_t i = 0; i < n; i++)
		o.bufs[i] = (struct orphan_buffer){ bufs[i].instance,
						    recorder_batch_path(bufs[i].rec) };
	orphan_write(&b, &o);
	ret = session_note_file(s, part, b.data, err);
	orphan_release(&o);
	buf_release(&b);
	free(part);
	return ret;
}

static int drain_orphan(const struct tfs *t, const struct orphan_file *o, int fd, size_t i,
			const struct dat_spool_buffer *b, struct ftr_error *err)
{
	const struct orphan_buffer *of = &o->bufs[i];
	const char *instance = *of->instance ? of->instance : NULL;
	struct recorder_hand hand = { { -1, -1, -1 } };
	struct recorder_opts opts = {0};
	const struct recorder_cpu *cpus;
	struct recorder *r;
	char again[32];
	size_t k, n;
	int ret = 0;

	snprintf(again, sizeof(again), "/proc/self/fd/%d", fd);
	r = recorder_new(t, instance, o->part, &opts, err);
	if (!r)
		return -1;
	cpus = recorder_cpus(r, &n);
	for (k = 0; k < n && k < b->n && !ret; k++) {
		const struct dat_region *at = &b->v[k];
		uint64_t end = dat_spool_end(fd, at, b->subbuf_size);

		if (cpus[k].cpu != at->cpu)
			ret = err_set(err, FTR_FAILED, "'%s' has the data of other CPUs", o->part);
		/* a new description of the same file, as each CPU has a separate position */
		hand.fd[HAND_FILE] = open(again, O_RDWR | O_CLOEXEC);
		lseek(hand.fd[HAND_FILE], at->at + end, SEEK_SET);
		hand.fd[HAND_BATCH] = of->batches ? recorder_batch(of->batches, at->cpu) : -1;
		ret = ret ? ret : recorder_adopt(r, k, &hand, at->at, at->limit, err);
	}
	ret = ret || recorder_start(r, err) || recorder_stop(r, err) ? -1 : 0;
	recorder_free(r);
	return ret;
}

static int drain_file(const struct tfs *t, const struct orphan_file *o, int fd,
		      struct ftr_error *err)
{
	struct dat_spool s = {0};
	struct stat st;
	uint64_t body;
	size_t i;
	int ret = 0;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return err_set(err, FTR_FAILED, "'%s' is not the file that was recorded into",
			       o->part);
	if (!dat_spool_find(fd, &s, &body))
		return err_set(err, FTR_FAILED, "'%s' is not a recording", o->part);
	for (i = 0; i < s.n && i < o->n && s.state == DAT_SPOOL_OPEN; i++)
		ret |= drain_orphan(t, o, fd, i, &s.bufs[i], err);
	dat_spool_release(&s);
	return ret;
}

/* Completes a file. If it is gone it was named or removed: that is no error. */
static int complete_orphan(const struct tfs *t, const struct orphan_file *o, struct strv *files,
			   struct ftr_error *err)
{
	struct outfile out = {
		.path = xstrdup(o->path), .part_path = xstrdup(o->part), .fd = -1,
	};
	struct ftr_error why = {0};
	int fd = -1, ret;

	ret = place_open(&out.at, o->part, &why);
	if (!ret)
		fd = openat(out.at.dir, out.at.name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (!ret && fd < 0)
		ret = err_sys(&why, "cannot open '%s'", o->part);
	if (!ret)
		ret = drain_file(t, o, fd, &why);
	if (!ret)
		dat_spool_shrink(fd);
	if (!ret)
		strv_add(files, outfile_keep(&out));
	if (fd >= 0)
		close(fd);
	place_release(&out.at);
	free(out.path);
	free(out.part_path);
	if (!ret || (fd < 0 && why.sys == ENOENT))
		return 0;
	if (err)
		*err = why;
	return -1;
}

static int complete_run(const struct tfs *t, const char *journal, struct strv *files,
			struct ftr_error *err)
{
	struct journal_owner owner;
	struct journal_entries e;
	size_t i;
	int ret = 0;

	if (journal_read(journal, &owner, &e, err))
		return -1;
	entries_stop_tracing(t, &e);
	/* the last file first, as the kernel's buffers are drained to it */
	for (i = e.n; i--;) {
		struct orphan_file o = {0};

		if (e.v[i].type != ENTRY_FILE)
			continue;
		o.part = e.v[i].path;
		orphan_read(&o, e.v[i].value);
		ret |= complete_orphan(t, &o, files, ret ? NULL : err);
		orphan_release(&o);
	}
	journal_owner_release(&owner);
	entries_release(&e);
	return ret;
}

int orphan_complete_all(const struct tfs *t, struct strv *files, struct ftr_error *err)
{
	struct strv dead = {0};
	size_t i;
	int ret = session_dead_journals(&dead, err);

	for (i = 0; i < dead.n; i++)
		ret |= complete_run(t, dead.v[i], files, ret ? NULL : err);
	strv_release(&dead);
	return ret;
}
