/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a trace file with records of other trace files.
 *
 * The new file is written without a name, and gets its name when it is complete. Data that cannot
 * be copied from a source at once goes through a second file without a name, of which the writer
 * frees what it has copied: the disk needs room for little more than the new file.
 */
#include "rewrite/rewrite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/map.h"
#include "base/text.h"
#include "file/read/dat_regions.h"
#include "file/ring/page.h"
#include "file/write/dat_join.h"
#include "file/write/dat_write.h"
#include "record/file/outfile.h"
#include "rewrite/cpu_copy.h"

/* --- plans */

struct rewrite_format rewrite_format_of(const struct dat *d)
{
	struct rewrite_format f = { .version = d->version };
	size_t i, k;

	packing_parse(d->compression, &f.packing);
	f.packing.data = false;
	for (i = 0; i < d->nr_buffers; i++)
		for (k = 0; k < d->buffers[i].nr_cpus; k++)
			f.packing.data |= dat_is_packed(&d->buffers[i].cpus[k]);
	return f;
}

void rewrite_buffer_all(struct rewrite_buffer *b, struct trace *t, struct dat_buffer *from)
{
	size_t i;

	*b = (struct rewrite_buffer){
		.trace = t, .from = from, .name = xstrdup(from->name),
		.clock = xstrdup(from->clock),
		.cpus = xcalloc(from->nr_cpus + 1, sizeof(*b->cpus)), .n = from->nr_cpus,
	};
	for (i = 0; i < from->nr_cpus; i++)
		b->cpus[i] = (struct rewrite_cpu){
			.from = &from->cpus[i], .end = from->cpus[i].nr_pages, .until = UINT64_MAX,
		};
}

size_t rewrite_buffers_all(struct trace *t, struct rewrite_buffer **v)
{
	struct dat *d = t->dat;
	size_t i, n = 0;

	*v = xcalloc(d->nr_buffers + 1, sizeof(**v));
	if (d->nr_buffers && *d->buffers[0].name) {
		rewrite_buffer_all(&(*v)[n], t, &d->buffers[0]);
		(*v)[n].name[0] = '\0';
		(*v)[n++].n = 0;
	}
	for (i = 0; i < d->nr_buffers; i++)
		rewrite_buffer_all(&(*v)[n++], t, &d->buffers[i]);
	return n;
}

static void rewrite_buffer_release(struct rewrite_buffer *b)
{
	free(b->name);
	free(b->clock);
	free(b->cpus);
	*b = (struct rewrite_buffer){0};
}

void rewrite_buffers_free(struct rewrite_buffer *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		rewrite_buffer_release(&v[i]);
	free(v);
}

int rewrite_drop_parse(const char *text, struct rewrite_drop *d, struct ftr_error *err)
{
	struct { const char *name; bool *set; } parts[] = {
		{ "formats", &d->formats }, { "symbols", &d->symbols }, { "btf", &d->btf },
	};
	struct strv words = {0};
	size_t i, k, n = sizeof(parts) / sizeof(*parts);
	int ret = 0;

	strv_split(&words, text, ",");
	for (i = 0; i < words.n && !ret; i++) {
		for (k = 0; k < n && strcmp(parts[k].name, words.v[i]); k++)
			;
		if (k < n)
			*parts[k].set = true;
		else
			ret = err_set(err, FTR_USAGE, "'%s' can't be dropped", words.v[i]);
	}
	strv_release(&words);
	return ret ? err_hint(err, "there are: formats, symbols, btf") : 0;
}

/* --- checks */

/* A file that was unpacked, or made of a text, is another one than that of its path. */
static int check_source(const struct rewrite_plan *p, const struct dat *d, struct ftr_error *err)
{
	struct stat st, named;

	if (d->big != RING_HOST_BIG)
		return err_set(err, FTR_FAILED, "'%s' has the byte order of another machine: "
			       "it can be rewritten only on such a one", d->path);
	if (stat(p->path, &st))
		return 0;
	if (stat(d->path, &named))
		named = (struct stat){0};
	if ((st.st_ino != d->ino || st.st_dev != d->dev) &&
	    (st.st_ino != named.st_ino || st.st_dev != named.st_dev))
		return 0;
	err_set(err, FTR_USAGE, "'%s' is the source, which is not overwritten", p->path);
	return err_hint(err, "-o FILE writes another file");
}

static int check_plan(const struct rewrite_plan *p, struct ftr_error *err)
{
	uint32_t size = p->n ? p->bufs[0].from->layout.subbuf_size : 0;
	size_t i;

	for (i = 0; i < p->n; i++) {
		if (check_source(p, p->bufs[i].trace->dat, err))
			return -1;
		if (p->format.version == 6 && p->bufs[i].from->layout.subbuf_size != size)
			return err_set(err, FTR_FAILED, "'%s' can't have version 6, in which all "
				       "sub-buffers have one size", p->path);
	}
	return 0;
}

unsigned int rewrite_nr_cpus(const struct rewrite_plan *p)
{
	unsigned int most = p->meta->dat->nr_cpus;
	size_t i;

	for (i = 0; i < p->n; i++)
		if (p->bufs[i].trace->dat->nr_cpus > most)
			most = p->bufs[i].trace->dat->nr_cpus;
	return most;
}

/* --- data */

struct copied_buffers {
	struct copy_list *v;		/* one for each buffer */
	struct copy_spool spool;
};

/* Selects all data. Returns 0, or -1 with @err. */
static int copy_all(const struct rewrite_plan *p, const struct outfile *out,
		    struct copied_buffers *c, struct rewrite_totals *sum, struct ftr_error *err)
{
	size_t i, k;

	c->spool.fd = place_tmpfile(&out->at);
	if (c->spool.fd < 0)
		return err_sys(err, "cannot create a file beside '%s'", p->path);
	if (p->format.packing.name && p->format.packing.data)
		c->spool.packer = packer_new(&p->format.packing);
	for (i = 0; i < p->n; i++)
		for (k = 0; k < p->bufs[i].n; k++)
			cpu_copy(&p->bufs[i], &p->bufs[i].cpus[k], p->scrub, p->types,
				 &c->spool, &c->v[i], sum);
	if (!c->spool.sys)
		return 0;
	errno = c->spool.sys;
	return err_write(err, "cannot write '%s'", p->path);
}

/* Returns true if the new file has the buffer. */
static bool is_written(const struct rewrite_plan *p, const struct copied_buffers *c, size_t i)
{
	return !p->with_data || !*p->bufs[i].name || c->v[i].n;
}

static void write_buffers(const struct rewrite_plan *p, struct dat_writer *w,
			  const struct copied_buffers *c)
{
	const struct rewrite_buffer *b;
	size_t i;

	for (i = 0; i < p->n; i++) {
		if (!is_written(p, c, i))
			continue;
		b = &p->bufs[i];
		dat_write_buffer(w, b->name, b->clock, b->from->layout.subbuf_size, c->v[i].v,
				 c->v[i].n);
	}
}

/* --- the two versions */

static int write_v7(const struct rewrite_plan *p, const struct outfile *out,
		    const struct copied_buffers *c, struct ftr_error *err)
{
	const struct compress_opts *packing = &p->format.packing;
	struct dat_writer *w = dat_create_packed(out->fd, p->path, p->meta->dat->page_size,
						 packing, err);

	if (!w)
		return -1;
	if (packing->name)
		dat_pack(w, packing->data);
	meta_copy(w, p);
	write_buffers(p, w, c);
	return dat_finish(w, err) ? -1 : 0;
}

/* Lists the buffers, with all CPUs of the recorded machine. All clocks are named, or none is. */
static void list_regions(const struct rewrite_plan *p, const struct copied_buffers *c,
			 struct dat_spool *s)
{
	const struct dat *d = p->meta->dat;
	bool named = dat_option(d, DAT_TRACECLOCK) || (d->nr_buffers && *d->buffers[0].clock);
	struct dat_spool_buffer *b;
	const char *clock;
	unsigned int cpu;
	size_t i;

	for (i = 0; i < p->n; i++) {
		if (!is_written(p, c, i))
			continue;
		clock = !named ? "" : *p->bufs[i].clock ? p->bufs[i].clock : "local";
		b = dat_spool_add(s, p->bufs[i].name, clock, p->bufs[i].from->layout.subbuf_size);
		for (cpu = 0; cpu < rewrite_nr_cpus(p); cpu++)
			dat_spool_add_cpu(b, cpu);
	}
}

/* The metadata is first written as that of version 7, to memory. */
static int write_v6(const struct rewrite_plan *p, const struct outfile *out,
		    const struct copied_buffers *c, struct ftr_error *err)
{
	int mem = memfd_create("ftr-meta", MFD_CLOEXEC), ret = -1;
	struct dat_writer *meta = NULL, *w = NULL;
	struct dat_spool regions = {0};

	if (mem < 0)
		return err_sys(err, "cannot get memory for metadata");
	meta = dat_create(mem, p->path, p->meta->dat->page_size, err);
	if (meta) {
		meta_copy(meta, p);
		w = dat_create(out->fd, p->path, p->meta->dat->page_size, err);
	}
	list_regions(p, c, &regions);
	if (w && dat_v6_begin(w, meta, &regions)) {
		write_buffers(p, w, c);
		ret = dat_v6_finish(w, meta, &regions, err) ? -1 : 0;
	} else if (w) {
		err_set(err, FTR_DAMAGED, "cannot write the metadata of version 6 to '%s'",
			p->path);
		dat_abort(w);
	}
	dat_abort(meta);
	dat_spool_release(&regions);
	close(mem);
	return ret;
}

/* Returns the number of CPUs with data in any buffer. */
static unsigned int count_cpus(const struct rewrite_plan *p, const struct copied_buffers *c)
{
	struct map seen = {0};
	unsigned int n;
	size_t i, k;

	for (i = 0; i < p->n; i++)
		for (k = 0; k < c->v[i].n; k++)
			map_count(&seen, c->v[i].v[k].cpu);
	n = seen.n;
	map_release(&seen);
	return n;
}

static int write_file(const struct rewrite_plan *p, struct outfile *out, struct copied_buffers *c,
		      struct rewrite_totals *sum, struct ftr_error *err)
{
	if (copy_all(p, out, c, sum, err))
		return -1;
	sum->cpus = count_cpus(p, c);
	if (!sum->events && !p->keep_empty)
		return 0;
	if (p->format.version == 6 ? write_v6(p, out, c, err) : write_v7(p, out, c, err))
		return -1;
	return outfile_commit(out, err);
}

int rewrite_file(struct rewrite_plan *p, struct rewrite_totals *sum, struct ftr_error *err)
{
	struct copied_buffers c = { .spool = { .fd = -1 } };
	struct outfile out;
	size_t i;
	int ret;

	*sum = (struct rewrite_totals){0};
	if (p->format.version == 6)
		p->format.packing = (struct compress_opts){0};
	if (check_plan(p, err) || outfile_open_unseen(&out, p->path, err))
		return -1;
	c.v = xcalloc(p->n + 1, sizeof(*c.v));
	p->types = p->drop.formats ? xcalloc(REWRITE_TYPES / 64, sizeof(*p->types)) : NULL;
	ret = write_file(p, &out, &c, sum, err);
	if (ret && err->code == FTR_DAMAGED)
		err_hint(err, "there is no new file; -o FILE writes it to another disk");
	for (i = 0; i < p->n; i++)
		free(c.v[i].v);
	free(c.v);
	free(p->types);
	p->types = NULL;
	copy_spool_release(&c.spool);
	outfile_release(&out);
	return ret;
}

void rewrite_add_totals(const char *name, const struct rewrite_totals *t, struct buf *out)
{
	buf_printf(out, "%s: %u CPU%s, ", name, t->cpus, t->cpus == 1 ? "" : "s");
	text_grouped(out, t->events);
	buf_printf(out, " event%s, ", t->events == 1 ? "" : "s");
	text_bytes(out, t->bytes);
	buf_addstr(out, t->lost_unknown ? ", at least " : ", ");
	text_grouped(out, t->lost);
	buf_addstr(out, " lost");
}
