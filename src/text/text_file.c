/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes the records of a text as a trace.dat file: makes its sub-buffers and metadata. */
#include "text/text_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/map.h"
#include "file/ring/page.h"
#include "file/write/dat_write.h"
#include "record/file/outfile.h"
#include "text/log/text_progress.h"
#include "text/text_events.h"

#define SUBBUF 4096
/* A longer time between two records needs a time extend. */
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

/* --- sub-buffers */

/* The sub-buffers of one CPU. */
struct cpu_data {
	struct ring_build build;
	bool     open;			/* ->done ends with a sub-buffer that is not complete */
	uint64_t ts;			/* time of the last record */
	uint64_t lost;			/* events lost before the open sub-buffer */
	struct buf done;		/* its length is that of the complete sub-buffers */
};

struct dump_writer {
	const struct log_dump *dump;
	const struct buf *lines;	/* more lines "key=value" for the file, or NULL */
	struct cpu_data **cpus;
	size_t nr_cpus;
	int64_t shift_ns;		/* added to the times of the dump */
	struct dump_syms *syms;
	struct text_events *events;
	size_t records;
};

static void end_page(struct cpu_data *c)
{
	if (!c->open)
		return;
	if (c->lost)
		ring_build_commit_lost(&c->build, c->lost);
	else
		ring_build_commit(&c->build, 0);
	c->done.len += SUBBUF;
	c->open = false;
	c->lost = 0;
}

static void add_record(struct cpu_data *c, uint64_t ts, uint64_t lost, const struct buf *rec)
{
	/* the number of lost events is stored after the last record */
	bool has_room = c->build.at + rec->len + 8 + 8 + 8 + 8 <= SUBBUF - 16;

	if (lost || (c->open && !has_room))
		end_page(c);
	if (!c->open) {
		buf_reserve(&c->done, SUBBUF);
		ring_build_start(&c->build, &layout, c->done.data + c->done.len, ts);
		c->open = true;
		c->ts = ts;
		c->lost = lost;
	}
	if (ts - c->ts > DELTA_MAX) {
		ring_build_extend(&c->build, ts - c->ts);
		c->ts = ts;
	}
	ring_build_event(&c->build, ts - c->ts, rec->data, rec->len);
	c->ts = ts;
}

#define RECORDS_PER_STEP 10000

static void add_records(struct dump_writer *m)
{
	struct buf rec = {0};

	for (size_t i = 0; i < m->dump->n; i++) {
		const struct dump_rec *r = &m->dump->v[i];

		if (!(i % RECORDS_PER_STEP))
			text_progress_step(m->dump->progress, "records", i, m->dump->n);
		struct dump_rec moved;

		if (m->shift_ns) {
			moved = *r;
			moved.ns += m->shift_ns;
			r = &moved;
		}
		rec.len = 0;
		if (!text_events_encode(m->events, m->dump, r, &rec))
			continue;
		if (!m->cpus[r->cpu])
			m->cpus[r->cpu] = xcalloc(1, sizeof(*m->cpus[r->cpu]));
		add_record(m->cpus[r->cpu], r->ns, r->lost, &rec);
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
	const struct text_event_kind *const *x = a, *const *y = b;
	int order = strcmp((*x)->system, (*y)->system);

	return order ? order : (*x)->id - (*y)->id;
}

static void write_formats(struct dump_writer *m, struct dat_writer *w)
{
	struct dat_write_format builtin[TEXT_BUILTIN_FORMATS], *v;
	struct text_event_kind *const *kinds, **sorted;
	size_t n = text_events_kinds(m->events, &kinds);

	for (size_t i = 0; i < TEXT_BUILTIN_FORMATS; i++)
		builtin[i] = (struct dat_write_format){
			"ftrace", text_events_builtin(m->events, i),
			strlen(text_events_builtin(m->events, i))
		};
	dat_write_ftrace_events(w, builtin, TEXT_BUILTIN_FORMATS);
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

/* Returns true if all ends of calls have a result: there is no number that says "none". */
static bool has_results(const struct log_dump *d)
{
	return d->results && d->results == d->ends;
}

/* Returns true if all ends of calls have a name, as with the option funcgraph-tail. */
static bool has_tails(const struct log_dump *d)
{
	return d->closings && d->tails == d->closings;
}

static void write_meta(struct dump_writer *m, struct dat_writer *w)
{
	const struct log_dump *d = m->dump;
	const char *times = "of the text, the last record at the time of the dump's first line";
	struct buf b = {0};

	if (d->made_times)
		times = "made up, in the order of the text, with its durations";
	else if (d->absolute)
		times = "of the text";
	else if (!d->timed)
		times = "of the text, since the start of the buffer";
	else if (d->headless)
		times = "of the text, the last record at the time of the first line that is left";
	buf_printf(&b, "source=text of a dump of ftrace\naddresses=made up from names\n"
		   "times=%s\n", times);
	/* without these options results and names at ends are not shown, with the last no flags */
	if (has_results(d) || has_tails(d) || dump_lacks_flags(d))
		buf_printf(&b, "trace_options=%s%s%s\n",
			   has_results(d) ? "funcgraph-retval " : "",
			   has_tails(d) ? "funcgraph-tail " : "",
			   dump_lacks_flags(d) ? "noirq-info" : "");
	if (dump_lacks_flags(d))
		buf_printf(&b, "flags=unknown\ncontexts=%s\n",
			   d->contexts_known ? "inferred" : "unknown but for interrupts");
	if (d->is_rt)
		buf_addstr(&b, "preempt_rt=1\n");
	if (*d->instance)
		buf_printf(&b, "dumped_instance=%s\n", d->instance);
	if (m->lines)
		buf_add(&b, m->lines->data, m->lines->len);
	dat_write_meta(w, b.data, b.len);
	buf_release(&b);
}

/*
 * Writes the data to a file without a name, one CPU after the other, and from there to @w. Returns
 * 0, or -1 with @err.
 */
static int write_data(struct dump_writer *m, struct dat_writer *w, struct ftr_error *err)
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

static int write_all(struct dump_writer *m, int fd, const char *path, struct ftr_error *err)
{
	struct dat_writer *w = dat_create(fd, path, SUBBUF, err);
	const struct log_dump *d = m->dump;
	struct buf symbols = {0}, comms = {0}, protos = {0};
	uint32_t n = m->nr_cpus;

	if (!w)
		return -1;
	dat_write_header_info(w, header_page, sizeof(header_page) - 1, header_event,
			      sizeof(header_event) - 1);
	write_formats(m, w);
	dump_syms_print(m->syms, &symbols);
	dat_write_blob(w, DAT_KALLSYMS, symbols.data ? symbols.data : "", symbols.len);
	buf_release(&symbols);
	dat_write_blob(w, DAT_PRINTK, "", 0);
	for (size_t i = 0; i < d->nr_pids; i++)
		if (d->pids[i])
			buf_printf(&comms, "%d %s\n", d->pids[i],
				   (char *)map_get(&d->comms, d->pids[i]));
	dat_write_blob(w, DAT_CMDLINES, comms.data ? comms.data : "", comms.len);
	buf_release(&comms);
	write_meta(m, w);
	text_events_protos(m->events, &protos);
	if (protos.len)
		dat_write_protos(w, protos.data, protos.len);
	buf_release(&protos);
	dat_write_oops(w, d->oops.data ? d->oops.data : "", d->oops.len);
	dat_add_option(w, DAT_CPUCOUNT, &n, sizeof(n));
	dat_add_option(w, DAT_TRACECLOCK, "[local]", sizeof("[local]"));
	if (write_data(m, w, err)) {
		dat_abort(w);
		return -1;
	}
	return dat_finish(w, err) ? -1 : 0;
}

static void maker_release(struct dump_writer *m)
{
	for (size_t i = 0; i < m->nr_cpus; i++) {
		if (m->cpus[i])
			buf_release(&m->cpus[i]->done);
		free(m->cpus[i]);
	}
	free(m->cpus);
	text_events_free(m->events);
	dump_syms_free(m->syms);
}

static void maker_init(struct dump_writer *m, const struct format_files *formats)
{
	const struct log_dump *d = m->dump;
	uint64_t last = 0;

	m->nr_cpus = 1;
	for (size_t i = 0; i < d->n; i++) {
		if ((size_t)d->v[i].cpu >= m->nr_cpus)
			m->nr_cpus = d->v[i].cpu + 1;
		if (d->v[i].ns > last)
			last = d->v[i].ns;
	}
	/*
	 * times count from the start of the buffer: put the last record at the time of the dump's
	 * head
	 */
	if (d->timed && !d->absolute && d->head_ns > last)
		m->shift_ns = d->head_ns - last;
	m->cpus = xcalloc(m->nr_cpus, sizeof(*m->cpus));
	m->syms = dump_syms_new(d);
	m->events = text_events_new(m->syms, formats);
	if (has_results(d))
		text_events_set_results(m->events);
	if (d->with_args)
		text_events_set_args(m->events);
}

int text_file_write_fd(int fd, const char *path, const struct log_dump *d,
		       const struct format_files *formats, const struct buf *lines,
		       struct text_counts *counts, struct ftr_error *err)
{
	struct dump_writer m = { .dump = d, .lines = lines };
	int ret;

	maker_init(&m, formats);
	add_records(&m);
	ret = write_all(&m, fd, path, err);
	*counts = text_events_count(m.events);
	counts->records = m.records;
	maker_release(&m);
	return ret;
}

int text_file_write(const char *path, const struct log_dump *d, const struct format_files *formats,
		    const struct buf *lines, struct text_counts *counts, struct ftr_error *err)
{
	struct outfile out;
	int ret;

	if (outfile_open(&out, path, err))
		return -1;
	ret = text_file_write_fd(out.fd, path, d, formats, lines, counts, err);
	if (ret)
		outfile_drop(&out);
	else
		ret = outfile_commit(&out, err);
	outfile_release(&out);
	return ret;
}
