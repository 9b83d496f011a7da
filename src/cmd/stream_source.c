/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of records as they come: sub-buffers of all CPUs, held a moment, merged, rendered. */
#include "cmd/stream_source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "output/open_calls.h"
#include "record/capture/capture_comms.h"
#include "record/capture/capture_formats.h"
#include "record/capture/clock_tsc.h"
#include "record/symbols/protos.h"
#include "record/symbols/symbol_texts.h"
#include "trace/trace_live.h"

/* What one CPU has given. */
struct flow {
	uint64_t last;		/* time of its last record */
	bool fresh;		/* it came in this round */
	bool behind;		/* there may be more of this round's time */
};

struct buffer {
	struct raw *raw;
	struct flow *cpus;
	size_t nr_cpus;
};

struct stream_out {
	struct stream_opts opts;
	const struct tfs *tfs;
	struct trace *trace;
	struct calls *calls;	/* from round to round */
	struct buffer *bufs;
	size_t nr_bufs;
	uint64_t horizon;	/* all up to here was there when the last round ended */
	bool     got;		/* something came in this round, or is held */
	struct formats formats;
	size_t   given;		/* of ->formats, to the trace */
	struct strv enabled;
	struct buf kallsyms, printk, protos;
	bool     had_protos;	/* ->protos was asked for */
};

/* --- what is beside the data */

static void give_formats(struct stream_out *s)
{
	const struct format *f;

	for (; s->given < s->formats.n; s->given++) {
		f = &s->formats.v[s->given];
		trace_live_format(s->trace, f->system, f->text, f->len);
	}
}

static void need_formats(void *ctx, const char *system)
{
	struct stream_out *s = ctx;

	if (system)
		formats_read_system(&s->formats, s->tfs, system, false);
	else
		formats_read_all(&s->formats, s->tfs, false);
	give_formats(s);
}

/* Without the right to see addresses all of them are 0: then there are no symbols. */
static void read_symbols(struct buf *out)
{
	struct symbols symbols = {0};
	struct buf reading = {0};

	if (!io_read_at(AT_FDCWD, "/proc/kallsyms", &reading))
		symbols_update(&symbols, &reading);
	history_text(&symbols.h, out);
	history_release(&symbols.h);
	buf_release(&reading);
}

static const char *get_symbols(struct stream_out *s, size_t *len)
{
	if (!s->kallsyms.data)
		read_symbols(&s->kallsyms);
	buf_add(&s->kallsyms, "", 0);
	*len = s->kallsyms.len;
	return s->kallsyms.data;
}

static const char *get_printk(struct stream_out *s, size_t *len)
{
	if (!s->printk.data)
		tfs_read(s->tfs, NULL, "printk_formats", &s->printk, NULL);
	buf_add(&s->printk, "", 0);
	*len = s->printk.len;
	return s->printk.data;
}

/* Of all functions there are: which ones will come nobody knows. None without BTF. */
static const char *get_all_protos(struct stream_out *s, size_t *len)
{
	struct protos p = {0};

	if (!s->had_protos) {
		protos_update(&p);
		if (protos_text(&p, NULL, NULL, &s->protos, NULL))
			buf_release(&s->protos);
		protos_release(&p);
	}
	s->had_protos = true;
	*len = s->protos.len;
	return s->protos.data;
}

/* They take long to read: only who prints an address or arguments waits for them. */
static const char *get_live_text(void *ctx, enum ev_text which, size_t *len)
{
	static const char *(*const get[])(struct stream_out *s, size_t *len) = {
		[EV_KALLSYMS] = get_symbols, [EV_PRINTK] = get_printk, [EV_CMDLINES] = NULL,
		[EV_PROTOS] = get_all_protos,
	};

	return get[which] ? get[which](ctx, len) : NULL;
}

static void first_formats(struct stream_out *s)
{
	size_t i;

	formats_read_system(&s->formats, s->tfs, "ftrace", false);
	for (i = 0; i < s->enabled.n; i++)
		formats_read(&s->formats, s->tfs, s->enabled.v[i]);
	give_formats(s);
}

static void give_comms(struct stream_out *s, const struct comms *c)
{
	const struct comm *comm;
	size_t i;

	for (i = 0; i < c->by_pid.cap; i++) {
		comm = c->by_pid.slots[i].val;
		if (comm)
			trace_live_comm(s->trace, comm->pid, comm->name, strlen(comm->name));
	}
}

/* Names change by exec: the kernel's list is read again before each round's lines. */
static void read_comms(struct stream_out *s, bool first)
{
	struct comms c = {0};
	struct buf text = {0};

	if (first)
		comms_add_proc(&c, COMM_PROC_START);
	else if (!tfs_read(s->tfs, NULL, "saved_cmdlines", &text, NULL))
		comms_add_saved(&c, text.data);
	give_comms(s, &c);
	comms_release(&c);
	buf_release(&text);
}

/* --- opening */

/* The words of trace_options in one line. */
static char *read_options(const struct tfs *t, const char *instance)
{
	struct strv words = {0};
	struct buf text = {0}, line = {0};
	size_t i;

	if (!tfs_read(t, instance, "trace_options", &text, NULL))
		strv_split(&words, text.data, "\n");
	for (i = 0; i < words.n; i++)
		buf_printf(&line, "%s%s", i ? " " : "", words.v[i]);
	strv_release(&words);
	buf_release(&text);
	return buf_take(&line);
}

static int open_buffers(struct stream_out *s, const struct live_buffer *bufs, size_t n,
			struct trace_live_buffer *out, struct ftr_error *err)
{
	struct strv clocks = {0};
	char *clock;
	size_t i;

	s->bufs = xcalloc(n + 1, sizeof(*s->bufs));
	s->nr_bufs = n;
	for (i = 0; i < n; i++) {
		s->bufs[i].raw = raw_open(s->tfs, bufs[i].instance, err);
		if (!s->bufs[i].raw)
			return -1;
		out[i].name = bufs[i].name;
		out[i].nr_cpus = raw_cpus(s->bufs[i].raw, &out[i].cpus);
		out[i].subbuf_size = raw_subbuf_size(s->bufs[i].raw);
		s->bufs[i].nr_cpus = out[i].nr_cpus;
		s->bufs[i].cpus = xcalloc(out[i].nr_cpus + 1, sizeof(*s->bufs[i].cpus));
		out[i].options = read_options(s->tfs, bufs[i].instance);
		clock = NULL;
		if (!tfs_clocks(s->tfs, bufs[i].instance, &clocks, &clock, NULL))
			out[i].clock = clock;
		strv_release(&clocks);
	}
	return 0;
}

static int begin_tsc(struct stream_out *s, struct ftr_error *err)
{
	struct tsc_scale scale;

	if (!s->opts.tsc2nsec)
		return 0;
	if (tsc_scale_read(&scale, err))
		return -1;
	trace_live_tsc(s->trace, scale.mult, scale.shift);
	return 0;
}

/* What it would show goes back in time, and the longest latency is not among it. */
static int check_swaps(const struct tfs *t, const struct live_buffer *bufs, size_t n,
		       struct ftr_error *err)
{
	char *tracer;
	size_t i;

	for (i = 0; i < n && !bufs[i].swaps; i++)
		;
	if (i == n)
		return 0;
	tracer = tfs_line(t, bufs[i].instance, "current_tracer");
	err_set(err, FTR_FAILED, "tracer '%s' keeps the longest latency only, which cannot be "
		"streamed", tracer);
	err_hint(err, "'ftr record -p %s' records it; 'ftr start -p %s' and 'ftr show' show it",
		 tracer, tracer);
	free(tracer);
	return -1;
}

static int stream_begin(void *ctx, const struct tfs *t, const struct live_buffer *bufs, size_t n,
			const struct strv *enabled, struct ftr_error *err)
{
	struct stream_out *s = ctx;
	const struct trace_live_source from = { s, need_formats, get_live_text };
	struct trace_live_buffer *live = xcalloc(n + 1, sizeof(*live));
	struct buf header = {0};
	size_t i;
	int ret = -1;

	s->tfs = t;
	for (i = 0; i < enabled->n; i++)
		strv_add(&s->enabled, enabled->v[i]);
	if (check_swaps(t, bufs, n, err) || open_buffers(s, bufs, n, live, err) ||
	    tfs_read(t, NULL, "events/header_page", &header, err))
		goto out;
	s->trace = trace_live_new(&from, header.data, live, n, err);
	if (!s->trace || begin_tsc(s, err))
		goto out;
	s->trace->world.plugins = s->opts.plugins;
	s->calls = calls_new(trace_nr_streams(&s->trace, 1));
	first_formats(s);
	read_comms(s, true);
	ret = 0;
out:
	for (i = 0; i < n; i++) {
		free((char *)live[i].clock);
		free((char *)live[i].options);
	}
	free(live);
	buf_release(&header);
	return ret;
}

/* --- rounds */

/* Not more than the buffer holds: the others' turn must come while it is filled again. */
static int read_cpu(struct stream_out *s, size_t buffer, size_t cpu, struct ftr_error *err)
{
	struct buffer *b = &s->bufs[buffer];
	struct flow *f = &b->cpus[cpu];
	size_t left = raw_subbufs(b->raw);
	uint64_t last;
	uint8_t *mem;
	int got = 1;

	f->fresh = false;
	for (; left; left--) {
		mem = xmalloc(raw_subbuf_size(b->raw));
		got = raw_read(b->raw, cpu, mem, err);
		if (got <= 0) {
			free(mem);
			break;
		}
		s->got = true;
		if (!trace_live_push(s->trace, buffer, cpu, mem, &last))
			continue;
		f->fresh = true;
		f->last = last;
	}
	f->behind = !left;
	return got < 0 ? -1 : 0;
}

/*
 * The end of the lines to come: what was there a round ago. Of a CPU that has more to read only
 * what is before its last record; the same for the last record of this round, which may be an
 * entry of a function whose exit is about to come.
 */
static uint64_t lines_end(const struct stream_out *s)
{
	uint64_t end = s->horizon;
	const struct flow *f;
	size_t i, k;

	for (i = 0; i < s->nr_bufs; i++)
		for (k = 0; k < s->bufs[i].nr_cpus; k++) {
			f = &s->bufs[i].cpus[k];
			if ((f->fresh || f->behind) && f->last && f->last <= end)
				end = f->last - 1;
		}
	return end;
}

static uint64_t newest_time(const struct stream_out *s)
{
	uint64_t max = s->horizon;
	size_t i, k;

	for (i = 0; i < s->nr_bufs; i++)
		for (k = 0; k < s->bufs[i].nr_cpus; k++)
			if (s->bufs[i].cpus[k].last > max)
				max = s->bufs[i].cpus[k].last;
	return max;
}

static int print_lines(struct stream_out *s, uint64_t until, struct ftr_error *err)
{
	struct out out = {
		.ops = s->opts.ops, .opts = s->opts.out, .traces = &s->trace, .nr_traces = 1,
		.fd = s->opts.fd, .calls = s->calls,
	};

	if (!s->got)
		return 0;
	read_comms(s, false);
	s->got = until < newest_time(s);
	return out_run(&out, trace_live_iter(s->trace, until), NULL, err);
}

static bool output_gone(const struct stream_out *s)
{
	struct pollfd p = { .fd = s->opts.fd };

	return poll(&p, 1, 0) > 0 && p.revents & (POLLERR | POLLNVAL);
}

static int round_now(void *ctx, bool last, struct ftr_error *err)
{
	struct stream_out *s = ctx;
	size_t i, k;

	if (!s->trace || output_gone(s))
		return 1;
	for (i = 0; i < s->nr_bufs; i++)
		for (k = 0; k < s->bufs[i].nr_cpus; k++)
			if (read_cpu(s, i, k, err))
				return -1;
	if (print_lines(s, last ? UINT64_MAX : lines_end(s), err))
		return err->sys == EPIPE ? 1 : -1;
	s->horizon = newest_time(s);
	return 0;
}

/* --- life */

/* What nobody reads any more must not stay in the kernel's buffer: it was ours. */
static void drain_buffer(struct raw *r, size_t cpus)
{
	uint8_t *mem = r ? xmalloc(raw_subbuf_size(r)) : NULL;
	size_t i, left;

	for (i = 0; r && i < cpus; i++)
		for (left = raw_subbufs(r); left && raw_read(r, i, mem, NULL) > 0; left--)
			;
	free(mem);
}

static void stream_end(void *ctx)
{
	struct stream_out *s = ctx;
	size_t i;

	for (i = 0; i < s->nr_bufs; i++) {
		drain_buffer(s->bufs[i].raw, s->bufs[i].nr_cpus);
		raw_close(s->bufs[i].raw);
		s->bufs[i].raw = NULL;
	}
}

struct stream_out *stream_out_new(const struct stream_opts *opts, struct rec_live *live)
{
	struct stream_out *s = xcalloc(1, sizeof(*s));

	s->opts = *opts;
	*live = (struct rec_live){
		.ctx = s, .every_ns = opts->every_ns, .begin = stream_begin, .round = round_now,
		.end = stream_end,
	};
	return s;
}

const struct damages *stream_out_damages(const struct stream_out *s)
{
	return s->trace ? &s->trace->damages : NULL;
}

void stream_out_free(struct stream_out *s)
{
	size_t i;

	if (!s)
		return;
	stream_end(s);
	for (i = 0; i < s->nr_bufs; i++)
		free(s->bufs[i].cpus);
	free(s->bufs);
	trace_live_free(s->trace);
	calls_free(s->calls);
	formats_release(&s->formats);
	strv_release(&s->enabled);
	buf_release(&s->kallsyms);
	buf_release(&s->printk);
	buf_release(&s->protos);
	free(s);
}
