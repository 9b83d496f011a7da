/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The snapshot buffer of an instance: takes, clears and frees it.
 *
 * wakeup, irqsoff and similar tracers swap the whole buffer with the snapshot at each new longest
 * latency. The data that is read of such a buffer goes back in time, and the snapshot lacks it:
 * only the file trace shows the records that users want. A busy snapshot_raw reveals such a
 * tracer. The recorders of its buffer are then made but never started, and the text of trace is
 * captured before the tracer is restored (record/capture/capture.c). Raw data is not kept: readers
 * could report a file whose records go back in time as damaged.
 */
#include "tracefs/verbs/snapshot_buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracefs/files/control.h"

/* While such a tracer (use_max_tr) is set, the kernel refuses this file with EBUSY; 6.1 to 7.2. */
bool snapshot_is_tracers(const struct tfs *t, const char *instance)
{
	struct buf path = {0};
	char *file;
	int *cpus, fd;
	size_t n;
	bool busy;

	if (tfs_cpus(t, instance, &cpus, &n, NULL))
		return false;
	file = xasprintf("per_cpu/cpu%d/snapshot_raw", n ? cpus[0] : 0);
	fd = openat(t->dirfd, tfs_path(&path, instance, file), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	busy = fd < 0 && errno == EBUSY;
	if (fd >= 0)
		close(fd);
	free(file);
	free(cpus);
	buf_release(&path);
	return busy;
}

char *snapshot_file(int cpu)
{
	return cpu < 0 ? xstrdup("snapshot") : xasprintf("per_cpu/cpu%d/snapshot", cpu);
}

static int snapshot_explain_missing(const struct tfs *t, const char *instance, int cpu,
				    struct ftr_error *err)
{
	if (!tfs_exists(t, instance, "current_tracer")) {
		err_set(err, FTR_FAILED, "no instance '%s'", instance);
		return err_hint(err, "'ftr snapshot' without -B is about the top level");
	}
	if (cpu >= 0 && tfs_exists(t, instance, "snapshot"))
		return err_set(err, FTR_FAILED, "no CPU %d", cpu);
	err_set(err, FTR_FAILED, "this kernel has no snapshots (CONFIG_TRACER_SNAPSHOT)");
	return err_hint(err, "'ftr extract' takes the buffer itself");
}

int snapshot_state(const struct tfs *t, const char *instance, int cpu, struct snapshot_state *st,
		   struct ftr_error *err)
{
	char text[SNAPSHOT_HEAD_BYTES], *file = snapshot_file(cpu);
	const char *at;
	struct buf path = {0};
	int ret = snapshot_head(t, tfs_path(&path, instance, file), text, sizeof(text));

	*st = (struct snapshot_state){ .entries = -1 };
	if (ret && errno == ENOENT)
		snapshot_explain_missing(t, instance, cpu, err);
	else if (ret)
		err_sys(err, "cannot read '%s/%s'", t->path, path.data);
	if (ret)
		goto out;
	st->allocated = !strstr(text, "Snapshot is freed");
	at = strstr(text, "entries-in-buffer/entries-written: ");
	if (strstr(text, "* Snapshot is "))
		st->entries = 0;
	else if (at)
		st->entries = strtoll(strchr(at, ' '), NULL, 10);
out:
	free(file);
	buf_release(&path);
	return ret;
}

static const char *const act_words[] = {
	[SNAPSHOT_FREE] = "free", [SNAPSHOT_TAKE] = "take", [SNAPSHOT_CLEAR] = "clear",
};

static int snapshot_refused(int cpu, enum snapshot_act act, struct ftr_error *err)
{
	int sys = err->sys;

	if (sys == EINVAL && cpu >= 0 && act == SNAPSHOT_TAKE) {
		err_set(err, FTR_FAILED, "this kernel cannot take a snapshot of one CPU "
			"(CONFIG_RING_BUFFER_ALLOW_SWAP)");
		err_hint(err, "without -c all CPUs are taken at one moment");
	} else if (sys == EINVAL && cpu >= 0 && act == SNAPSHOT_FREE) {
		err_set(err, FTR_FAILED, "the memory of one CPU's snapshot cannot be freed");
		err_hint(err, "'ftr snapshot clear -c %d' empties it", cpu);
	} else if (sys == EBUSY) {
		err_set(err, FTR_FAILED, "cannot %s the snapshot: the kernel uses it",
			act_words[act]);
		err_hint(err, "it is used by a latency tracer, a trigger with snapshot(), a reader "
			 "of snapshot_raw or a mapped buffer");
	}
	err->sys = sys;
	errno = sys;
	return -1;
}

/*
 * Taking a snapshot swaps the two buffers: the records of an older snapshot are in the buffer
 * again. The snapshot is not cleared before, as 7.2 would then not print the records up to that
 * moment.
 */
int snapshot_do(struct session *s, const char *instance, int cpu, enum snapshot_act act,
		struct ftr_error *err)
{
	const char value[] = { '0' + act, '\0' };
	char *file = snapshot_file(cpu);
	int ret = 0;

	if (!tfs_exists(session_tfs(s), instance, file))
		ret = snapshot_explain_missing(session_tfs(s), instance, cpu, err);
	else if (session_set(s, instance, file, value, err))
		ret = snapshot_refused(cpu, act, err);
	free(file);
	return ret;
}

const char *snapshot_what_is_held(const struct tfs *t, const char *instance)
{
	struct snapshot_state snap;

	if (tfs_has_data(t, instance))
		return "buffer";
	return !snapshot_state(t, instance, SNAPSHOT_ALL_CPUS, &snap, NULL) && snap.allocated &&
	       snap.entries ? "snapshot" : NULL;
}

int snapshot_refuse_emptying(const char *what, const char *held, const char *instance,
			     struct ftr_error *err)
{
	char *where = instance && *instance ? xasprintf("instance '%s'", instance) :
		      xstrdup("the top level");

	err_set(err, FTR_FAILED, "%s would empty the %s of %s, which holds records", what, held,
		where);
	err_hint(err, "'ftr extract%s' saves them; --force discards them",
		 *held == 's' ? " -s" : "");
	free(where);
	return -1;
}
