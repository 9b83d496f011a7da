/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recovers raw data of CPUs: files NAME.cpuN and NAME.INSTANCE.cpuN. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "record/rescue/recover_priv.h"
#include "tracefs/files/tfs.h"

#define CPUS_MAX 8192
#define BATCH	 (1 << 20)

/* Returns the suffix ".cpu12" of "NAME.cpu12", and *cpu = 12, or NULL without such a suffix. */
static const char *cpu_suffix(const char *file, int *cpu)
{
	const char *dot = strrchr(file, '.');
	char *end;
	long n;

	if (!dot || dot == file || strncmp(dot, ".cpu", 4) || dot[4] < '0' || dot[4] > '9')
		return NULL;
	n = strtol(dot + 4, &end, 10);
	if (*end || n >= CPUS_MAX)
		return NULL;
	*cpu = n;
	return dot;
}

bool recover_is_raw(const char *file)
{
	int cpu;

	return cpu_suffix(file, &cpu);
}

void recover_find_raw(const char *name, struct strv *out)
{
	const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
	char *dir_path = slash ? xstrndup(name, slash - name + 1) : xstrdup("");
	DIR *dir = opendir(*dir_path ? dir_path : ".");
	size_t len = strlen(last);
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (!strncmp(e->d_name, last, len) && e->d_name[len] == '.' &&
		    recover_is_raw(e->d_name))
			strv_take(out, xasprintf("%s%s", dir_path, e->d_name));
	if (dir)
		closedir(dir);
	free(dir_path);
}

struct raw_file {
	const char *path;
	const char *instance;		/* borrowed from ->stem */
	char *stem;			/* the path without ".cpuN" */
	int   cpu;
};

static int by_instance_cpu(const void *a, const void *b)
{
	const struct raw_file *x = a, *y = b;
	int d = strcmp(x->instance, y->instance);

	return d ? d : x->cpu - y->cpu;
}

/*
 * Sets the instances of sorted files. The shortest stem is the name of the recording, *base; the
 * others are that name, a dot and the instance.
 */
static int name_instances(struct raw_file *v, size_t n, char **base, struct ftr_error *err)
{
	const char *shortest = v[0].stem;
	size_t i, len;

	for (i = 1; i < n; i++)
		if (strlen(v[i].stem) < strlen(shortest))
			shortest = v[i].stem;
	len = strlen(shortest);
	*base = xstrdup(shortest);
	for (i = 0; i < n; i++) {
		v[i].instance = v[i].stem + len + (v[i].stem[len] == '.');
		if (!strncmp(v[i].stem, shortest, len) &&
		    (!v[i].stem[len] || v[i].stem[len] == '.'))
			continue;
		err_set(err, FTR_USAGE, "'%s' belongs to another recording than '%s.cpu...'",
			v[i].path,
			shortest);
		return err_hint(err, "recover one after the other");
	}
	qsort(v, n, sizeof(*v), by_instance_cpu);
	for (i = 1; i < n; i++)
		if (!by_instance_cpu(&v[i - 1], &v[i]))
			return err_set(err, FTR_USAGE, "'%s' is named twice", v[i].path);
	return 0;
}

/* The source of clocks and sub-buffer sizes. */
struct raw_source {
	const struct dat *from;		/* NULL: the running kernel */
	struct tfs t;
};

/* Returns the file's buffer of that name, else its first, or NULL if it has no buffers. */
static const struct dat_buffer *find_buffer(const struct dat *from, const char *instance)
{
	const struct dat_buffer *b = dat_find_buffer(from, instance);

	return b || !from->nr_buffers ? b : &from->buffers[0];
}

/* Returns the sub-buffer size in bytes of an instance's buffer. The instance may not exist now. */
static uint32_t find_subbuf_size(const struct raw_source *w, const char *instance)
{
	const struct dat_buffer *b;

	if (!w->from)
		return tfs_subbuf_size(&w->t, tfs_exists(&w->t, instance, "trace") ? instance :
				       NULL);
	b = find_buffer(w->from, instance);
	return b ? b->layout.subbuf_size : w->from->page_size;
}

/* Returns the clock of an instance's buffer, "local" if it is unknown; the caller frees. */
static char *find_clock(const struct raw_source *w, const char *instance)
{
	const struct dat_buffer *b = w->from ? find_buffer(w->from, instance) : NULL;
	struct strv clocks = {0};
	char *clock = NULL;

	if (w->from)
		return xstrdup(b ? b->clock : "");
	if (!tfs_exists(&w->t, instance, "trace"))
		instance = NULL;
	if (tfs_clocks(&w->t, instance, &clocks, &clock, NULL) || !clock) {
		free(clock);
		clock = xstrdup("local");
	}
	strv_release(&clocks);
	return clock;
}

static int walk_file(struct recover_state *r, struct data_walk *w, const struct ring_layout *l,
		     int fd, off_t size)
{
	size_t batch = BATCH > l->subbuf_size ? BATCH : l->subbuf_size, want, at;
	uint8_t *mem = xmalloc(batch);
	ssize_t n = 0;
	off_t pos;

	for (pos = 0; pos < size; pos += n) {
		want = size - pos < (off_t)batch ? (size_t)(size - pos) : batch;
		n = pread(fd, mem, want, pos);
		n -= n > 0 ? n % l->subbuf_size : 0;
		if (n <= 0)
			break;
		for (at = 0; at < (size_t)n; at += l->subbuf_size)
			walk_mem(w, l, mem + at, l->subbuf_size, &r->comms, &r->sum);
	}
	free(mem);
	return pos < size ? -1 : 0;
}

static int add_raw_file(struct recover_state *r, struct data_walk *w, const struct raw_file *f,
			struct rescued_buffer *b, struct ftr_error *err)
{
	struct dat_write_cpu out = { .cpu = f->cpu };
	struct ring_layout l;
	struct stat st;

	if (ring_layout_parse(&l, r->header_page.data, r->header_page.len,
			      __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, sizeof(long), b->subbuf_size))
		return err_set(err, FTR_FAILED, "events/header_page makes no sense");
	out.fd = recover_open(f->path, err);
	if (out.fd < 0)
		return -1;
	recover_own(r, out.fd);
	if (fstat(out.fd, &st))
		return err_sys(err, "cannot read '%s'", f->path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, FTR_FAILED, "'%s' is not a regular file", f->path);
	out.size = st.st_size - st.st_size % b->subbuf_size;
	if (out.size != st.st_size)
		r->p->warn("'%s' ends in the middle of a sub-buffer: its last %jd bytes are left "
			   "out", f->path, (intmax_t)(st.st_size - out.size));
	r->left_out += st.st_size - out.size;
	if (walk_file(r, w, &l, out.fd, out.size))
		return err_sys(err, "cannot read '%s'", f->path);
	recover_add_cpu(r, b, &out);
	return 0;
}

static int add_raw_files(struct recover_state *r, const struct raw_source *raw_source,
			 const struct raw_file *v, size_t n, struct ftr_error *err)
{
	struct data_walk *w = walk_new(&r->formats);
	struct rescued_buffer *b = NULL;
	char *clock;
	size_t i;
	int ret = 0;

	for (i = 0; i < n && !ret; i++) {
		if (!b || strcmp(b->name, v[i].instance)) {
			clock = find_clock(raw_source, v[i].instance);
			b = recover_add_buffer(r, v[i].instance, clock,
					       find_subbuf_size(raw_source, v[i].instance));
			free(clock);
		}
		ret = add_raw_file(r, w, &v[i], b, err);
	}
	recover_see(r, w);
	walk_free(w);
	if (!ret && r->sum.bad_pages)
		r->p->warn("%" PRIu64 " sub-buffers are not valid: they are from another kernel, "
			   "or of another size", r->sum.bad_pages);
	return ret;
}

int recover_raw(struct recover_state *r, const struct strv *files, char **base,
		struct ftr_error *err)
{
	struct raw_file *v = xcalloc(files->n, sizeof(*v));
	struct raw_source raw_source = {0};
	const char *end;
	size_t i;
	int ret;

	for (i = 0; i < files->n; i++) {
		v[i].path = files->v[i];
		end = cpu_suffix(v[i].path, &v[i].cpu);
		v[i].stem = xstrndup(v[i].path, end - v[i].path);
	}
	ret = name_instances(v, files->n, base, err);
	for (i = 0; i < files->n && r->p->buffer; i++)
		v[i].instance = r->p->buffer;
	raw_source.from = r->from;
	if (!ret && !raw_source.from)
		ret = tfs_open(&raw_source.t, err);
	if (!ret)
		ret = add_raw_files(r, &raw_source, v, files->n, err);
	if (raw_source.t.path)
		tfs_close(&raw_source.t);
	for (i = 0; i < files->n; i++)
		free(v[i].stem);
	free(v);
	return ret;
}
