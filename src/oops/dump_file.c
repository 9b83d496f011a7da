/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of a dump as sub-buffers of their CPUs, and the file around them. */
#include "oops/dump_file.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "file/ring/page.h"
#include "file/write/dat_write.h"
#include "oops/dump_records.h"
#include "record/file/outfile.h"

#define SUBBUF 4096
/* More between two records takes a time extend. */
#define DELTA_MAX ((1u << 27) - 1)

static const char header_page[] =
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
static const char header_event[] =
	"# compressed entry header\n\ttype_len    :    5 bits\n"
	"\ttime_delta  :   27 bits\n\tarray       :   32 bits\n\n\tpadding     : type == 29\n"
	"\ttime_extend : type == 30\n\ttime_stamp : type == 31\n\tdata max type_len  == 28\n";

static const struct ring_layout layout = {
	.big = RING_HOST_BIG, .commit_size = 8, .commit_off = 8, .data_off = 16,
	.subbuf_size = SUBBUF,
};

/* The data of one CPU as it grows. */
struct cpu_data {
	struct ring_build build;
	uint8_t  mem[SUBBUF];
	bool     open;
	uint64_t ts, lost;		/* of the last record; before the open sub-buffer */
	struct buf done;
};

struct maker {
	const struct dump *dump;
	const struct buf *lines;	/* more of the file's own, or NULL */
	struct cpu_data **cpus;
	size_t nr_cpus;
	int64_t shift_ns;
	struct oops_syms *syms;
	struct oops_events *events;
	size_t records;
};

/* --- sub-buffers */

static void end_page(struct cpu_data *c)
{
	if (!c->open)
		return;
	if (c->lost)
		ring_build_commit_lost(&c->build, c->lost);
	else
		ring_build_commit(&c->build, 0);
	buf_add(&c->done, c->mem, SUBBUF);
	c->open = false;
	c->lost = 0;
}

static void begin_page(struct cpu_data *c, uint64_t ts, uint64_t lost)
{
	memset(c->mem, 0, SUBBUF);
	ring_build_start(&c->build, &layout, c->mem, ts);
	c->open = true;
	c->ts = ts;
	c->lost = lost;
}

/* The number of lost events stands behind the last record. */
static bool has_room(const struct cpu_data *c, size_t len)
{
	return c->build.at + len + 8 + 8 + 8 + 8 <= SUBBUF - 16;
}

static void add_record(struct cpu_data *c, uint64_t ts, uint64_t lost, const struct buf *rec)
{
	if (lost || (c->open && !has_room(c, rec->len)))
		end_page(c);
	if (!c->open)
		begin_page(c, ts, lost);
	if (ts - c->ts > DELTA_MAX) {
		ring_build_extend(&c->build, ts - c->ts);
		c->ts = ts;
	}
	ring_build_event(&c->build, ts - c->ts, rec->data, rec->len);
	c->ts = ts;
}

static struct cpu_data *cpu_data_of(struct maker *m, int cpu)
{
	if (!m->cpus[cpu])
		m->cpus[cpu] = xcalloc(1, sizeof(*m->cpus[cpu]));
	return m->cpus[cpu];
}

/* Times count from the start of the buffer: the last record is as late as the dump's head. */
static int64_t find_shift(const struct dump *d)
{
	uint64_t last = 0;

	for (size_t i = 0; i < d->n; i++)
		if (d->v[i].ns > last)
			last = d->v[i].ns;
	return d->timed && !d->absolute && d->head_ns > last ? d->head_ns - last : 0;
}

static void add_records(struct maker *m)
{
	struct buf rec = {0};

	for (size_t i = 0; i < m->dump->n; i++) {
		struct dump_rec r = m->dump->v[i];

		r.ns += m->shift_ns;
		buf_reset(&rec);
		if (!oops_events_encode(m->events, m->dump, &r, &rec))
			continue;
		add_record(cpu_data_of(m, r.cpu), r.ns, r.lost, &rec);
		m->records++;
	}
	for (size_t i = 0; i < m->nr_cpus; i++)
		if (m->cpus[i])
			end_page(m->cpus[i]);
	buf_release(&rec);
}

/* --- the file */

static int compare_kinds(const void *a, const void *b)
{
	const struct oops_kind *const *x = a, *const *y = b;
	int order = strcmp((*x)->system, (*y)->system);

	return order ? order : (*x)->id - (*y)->id;
}

static void write_formats(struct maker *m, struct dat_writer *w)
{
	struct dat_write_format builtin[OOPS_BUILTIN_FORMATS], *v;
	struct oops_kind *const *kinds, **sorted;
	size_t n = oops_events_kinds(m->events, &kinds);

	for (size_t i = 0; i < OOPS_BUILTIN_FORMATS; i++)
		builtin[i] = (struct dat_write_format){
			"ftrace", oops_builtin_formats[i], strlen(oops_builtin_formats[i])
		};
	dat_write_ftrace_events(w, builtin, OOPS_BUILTIN_FORMATS);
	v = xcalloc(n + 1, sizeof(*v));
	sorted = xcalloc(n + 1, sizeof(*sorted));
	if (n)
		memcpy(sorted, kinds, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare_kinds);
	for (size_t i = 0; i < n; i++)
		v[i] = (struct dat_write_format){
			sorted[i]->system, sorted[i]->format.data, sorted[i]->format.len
		};
	dat_write_event_formats(w, v, n);
	free(v);
	free(sorted);
}

static void write_comms(const struct dump *d, struct dat_writer *w)
{
	struct buf b = {0};

	for (size_t i = 0; i < d->nr_pids; i++)
		if (d->pids[i])
			buf_printf(&b, "%d %s\n", d->pids[i],
				   (char *)map_get(&d->comms, d->pids[i]));
	dat_write_blob(w, DAT_CMDLINES, b.data ? b.data : "", b.len);
	buf_release(&b);
}

static void write_texts(struct maker *m, struct dat_writer *w)
{
	struct buf b = {0};

	oops_syms_print(m->syms, &b);
	dat_write_blob(w, DAT_KALLSYMS, b.data ? b.data : "", b.len);
	dat_write_blob(w, DAT_PRINTK, "", 0);
	buf_release(&b);
	write_comms(m->dump, w);
}

static const char *times_text(const struct dump *d)
{
	if (d->made_times)
		return "made up, in the order of the text, with its durations";
	if (d->absolute)
		return "of the text";
	if (!d->timed)
		return "of the text, since the start of the buffer";
	if (d->headless)
		return "of the text, the last record at the time of the first line that is left";
	return "of the text, the last record at the time of the dump's first line";
}

static void write_meta(struct maker *m, struct dat_writer *w)
{
	struct buf b = {0};

	buf_printf(&b, "source=text of a dump of ftrace\naddresses=made up from names\n"
		   "times=%s\n", times_text(m->dump));
	if (*m->dump->instance)
		buf_printf(&b, "dumped_instance=%s\n", m->dump->instance);
	if (m->lines)
		buf_add(&b, m->lines->data, m->lines->len);
	dat_write_meta(w, b.data, b.len);
	buf_release(&b);
}

static void write_options(struct maker *m, struct dat_writer *w)
{
	uint32_t n = m->nr_cpus;

	dat_add_option(w, DAT_CPUCOUNT, &n, sizeof(n));
	dat_add_option(w, DAT_TRACECLOCK, "[local]", sizeof("[local]"));
}

/* Data in a file without a name, one CPU behind the other. */
static int write_data(struct maker *m, struct dat_writer *w, struct ftr_error *err)
{
	struct dat_write_cpu *v = xcalloc(m->nr_cpus + 1, sizeof(*v));
	int fd = io_unnamed(), ret = 0;
	size_t n = 0;
	off_t at = 0;

	if (fd < 0)
		ret = err_sys(err, "cannot make a file in '%s'", io_tmpdir());
	for (size_t i = 0; !ret && i < m->nr_cpus; i++) {
		if (!m->cpus[i])
			continue;
		ret = io_write_all(fd, m->cpus[i]->done.data, m->cpus[i]->done.len);
		if (ret)
			err_write(err, "cannot write to a file in '%s'", io_tmpdir());
		v[n++] = (struct dat_write_cpu){
			.cpu = i, .fd = fd, .base = at, .size = m->cpus[i]->done.len,
		};
		at += m->cpus[i]->done.len;
	}
	if (!ret)
		dat_write_buffer(w, "", "local", SUBBUF, v, n);
	if (fd >= 0)
		close(fd);
	free(v);
	return ret;
}

static int write_all(struct maker *m, int fd, const char *path, struct ftr_error *err)
{
	struct dat_writer *w = dat_create(fd, path, SUBBUF, err);

	if (!w)
		return -1;
	dat_write_header_info(w, header_page, sizeof(header_page) - 1, header_event,
			      sizeof(header_event) - 1);
	write_formats(m, w);
	write_texts(m, w);
	write_meta(m, w);
	dat_write_oops(w, m->dump->oops.data ? m->dump->oops.data : "", m->dump->oops.len);
	write_options(m, w);
	if (write_data(m, w, err)) {
		dat_abort(w);
		return -1;
	}
	return dat_finish(w, err) ? -1 : 0;
}

static int write_file(struct maker *m, const char *path, struct ftr_error *err)
{
	struct outfile out;
	int ret;

	if (outfile_open(&out, path, err))
		return -1;
	ret = write_all(m, out.fd, path, err);
	if (ret)
		outfile_drop(&out);
	else
		ret = outfile_commit(&out, err);
	outfile_release(&out);
	return ret;
}

static void maker_release(struct maker *m)
{
	for (size_t i = 0; i < m->nr_cpus; i++) {
		if (m->cpus[i])
			buf_release(&m->cpus[i]->done);
		free(m->cpus[i]);
	}
	free(m->cpus);
	oops_events_free(m->events);
	oops_syms_free(m->syms);
}

int oops_file_write(const char *path, const struct dump *d, const struct formats *formats,
		    const struct buf *lines, struct oops_counts *counts, struct ftr_error *err)
{
	struct maker m = { .dump = d, .lines = lines, .shift_ns = find_shift(d), .nr_cpus = 1 };
	int ret;

	for (size_t i = 0; i < d->n; i++)
		if ((size_t)d->v[i].cpu >= m.nr_cpus)
			m.nr_cpus = d->v[i].cpu + 1;
	m.cpus = xcalloc(m.nr_cpus, sizeof(*m.cpus));
	m.syms = oops_syms_new(d);
	m.events = oops_events_new(m.syms, formats);
	add_records(&m);
	ret = write_file(&m, path, err);
	*counts = oops_events_count(m.events);
	counts->records = m.records;
	maker_release(&m);
	return ret;
}
