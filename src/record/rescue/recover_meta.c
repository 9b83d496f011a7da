/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects the metadata of a recovered trace file from a file and from the running kernel, and
 * writes it.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/io.h"
#include "event/data/format_lines.h"
#include "record/file/dat_formats.h"
#include "record/rescue/recover_priv.h"
#include "record/symbols/kvalues.h"
#include "record/symbols/protos.h"
#include "record/symbols/symbol_texts.h"
#include "tracefs/files/tfs.h"

#ifndef FTR_VERSION
#define FTR_VERSION "0.1"
#endif

#define REST_ROOM (16 << 10)	/* bytes of the options and of ->lacks */

static void note_lacking(struct recover_state *r, const char *what, const char *why)
{
	strv_take(&r->lacks, why ? xasprintf("%s (%s)", what, why) : xstrdup(what));
}

/* --- from a file */

/*
 * Adds the formats of a section. If a format has a NUL it is damaged, which dat_settle() reports.
 */
static void add_formats(struct recover_state *r, struct dat *d, uint16_t id)
{
	const struct dat_format *v;
	size_t i, len, n = dat_formats(d, id, &v);
	const char *at;
	char *name;

	for (i = 0; i < n; i++) {
		at = memchr(v[i].text.p, '\0', v[i].text.len) ? NULL :
		     format_name(v[i].text.p, v[i].text.len, &len);
		if (!at)
			continue;
		name = xstrndup(at, len);
		formats_add(&r->formats, v[i].system, name, v[i].text.p, v[i].text.len);
		free(name);
	}
}

static void add_blob(struct buf *to, const struct dat_blob *b)
{
	if (!to->len && b->len)
		buf_add(to, b->p, b->len);
}

void recover_know_file(struct recover_state *r, struct dat *d)
{
	const struct dat_option *o = dat_option(d, DAT_UNAME);
	const char *order;
	size_t len;

	add_blob(&r->header_page, &d->header_page);
	add_blob(&r->header_event, &d->header_event);
	add_formats(r, d, DAT_FTRACE_EVENTS);
	add_formats(r, d, DAT_EVENT_FORMATS);
	order = dat_ftr_value(d, "kallsyms_order", &len);
	r->sorted = !r->kallsyms.len && order && len == 7 && !memcmp(order, "address", len);
	add_blob(&r->kallsyms, dat_text(d, DAT_KALLSYMS));
	add_blob(&r->printk, dat_text(d, DAT_PRINTK));
	add_blob(&r->saved_comms, dat_text(d, DAT_CMDLINES));
	add_blob(&r->protos, dat_text(d, DAT_FTR_PROTOS));
	add_blob(&r->oops, dat_text(d, DAT_FTR_OOPS));
	if (r->saved_comms.len) {
		comms_add_saved(&r->comms, r->saved_comms.data);
		r->has_comms = true;
	}
	if (o && !r->uname)
		r->uname = xstrndup(o->data.p, o->data.len);
}

void recover_keep(struct recover_state *r, struct dat *d)
{
	const struct dat_blob *btf = dat_text(d, DAT_BTF_FILE);

	r->latencies = d;
	buf_add(&r->text, d->ftr_meta.p, d->ftr_meta.len);
	if (btf->len)
		buf_add(&r->btf, btf->p, btf->len);
	if (d->whole)
		r->whole = d;
}

/* --- from the running kernel */

static long text_format_id(const char *text)
{
	uint16_t id;

	return format_id(text, &id) ? id : -1;
}

/*
 * Adds formats of the running kernel if the file does not have their ids. The formats of known ids
 * stay, as another event may have the id now.
 */
static void add_live_formats(struct recover_state *r, const struct tfs *t)
{
	struct format_files live = {0};
	struct map ids = {0};
	size_t i;

	for (i = 0; i < r->formats.n; i++)
		map_put(&ids, (uint64_t)text_format_id(r->formats.v[i].text) + 1, r);
	formats_read_all(&live, t, false);
	for (i = 0; i < live.n; i++) {
		const struct format_file *f = &live.v[i];

		if (!map_get(&ids, (uint64_t)text_format_id(f->text) + 1))
			formats_add(&r->formats, f->system, f->event, f->text, f->len);
	}
	map_release(&ids);
	formats_release(&live);
}

static void add_symbols(struct recover_state *r)
{
	struct kallsyms_history s = {0};
	struct buf text = {0};

	if (r->kallsyms.len)
		return;
	if (!io_read_at(AT_FDCWD, "/proc/kallsyms", &text))
		symbols_update(&s, &text);
	history_text(&s.h, &r->kallsyms);
	if (s.hidden)
		note_lacking(r, "kernel symbols", "/proc/kallsyms hides the addresses");
	history_release(&s.h);
	buf_release(&text);
}

int recover_know_kernel(struct recover_state *r, struct ftr_error *err)
{
	struct buf values = {0}, saved = {0};
	struct utsname u;
	struct tfs t;
	int fd;

	if (tfs_open(&t, err))
		return -1;
	if (!r->header_page.len &&
	    (tfs_read(&t, NULL, "events/header_page", &r->header_page, err) ||
	     tfs_read(&t, NULL, "events/header_event", &r->header_event, err))) {
		tfs_close(&t);
		return -1;
	}
	r->live = true;
	add_live_formats(r, &t);
	add_symbols(r);
	if (!r->p->symbols) {
		fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
		if (fd >= 0 && r->kallsyms.len && sizeof(long) == 8)
			kvalues_read(fd, r->kallsyms.data, r->kallsyms.len, &values);
		if (fd >= 0)
			close(fd);
		if (values.len)
			buf_printf(&r->text, "kernel_values=%s\n", values.data);
		buf_release(&values);
		if (!r->printk.len)
			tfs_read(&t, NULL, "printk_formats", &r->printk, NULL);
		if (!tfs_read(&t, NULL, "saved_cmdlines", &saved, NULL) && saved.len)
			comms_add_saved(&r->comms, saved.data);
		buf_release(&saved);
		/* the lowest rank, as a pid may be another task's by now */
		comms_add_proc(&r->comms, COMM_PROC_START);
		r->has_comms = true;
	}
	if (!r->uname && !uname(&u))
		r->uname = xasprintf("%s %s %s %s", u.sysname, u.nodename, u.release, u.machine);
	tfs_close(&t);
	return 0;
}

/* --- from the data */

void recover_see(struct recover_state *r, const struct data_walk *w)
{
	size_t unnamed = walk_unnamed(w, &r->comms);
	const struct map *called = walk_called(w);
	struct module_protos p = {0};
	struct ftr_error err;
	char *some;

	if (r->kallsyms.len && !r->sorted)
		symbols_sort(&r->kallsyms);
	if (r->whole)
		return;
	if (!r->kallsyms.len && !r->lacks.n)
		note_lacking(r, "kernel symbols", NULL);
	if (!r->protos.len && called->n && r->live) {
		protos_update(&p);
		buf_add(&r->protos, "", 0);
		if (protos_text(&p, called, &r->kallsyms, &r->protos, &err))
			buf_reset(&r->protos);
		protos_release(&p);
	}
	if (!r->protos.len && called->n)
		note_lacking(r, "names of functions' arguments", NULL);
	if (!r->printk.len && !r->live)
		note_lacking(r, "trace_printk formats", NULL);
	if (unnamed) {
		some = xasprintf("names of %zu tasks", unnamed);
		note_lacking(r, some, r->has_comms ? NULL
			     : "only those in recorded events are known");
		free(some);
	}
	if (r->latencies && dat_lacks_latency(r->latencies))
		note_lacking(r, "the longest latency", "only the kernel had it");
	note_lacking(r, "statistics", NULL);
}

/* --- the file */

struct rescued_buffer *recover_add_buffer(struct recover_state *r, const char *name,
					  const char *clock, uint32_t subbuf_size)
{
	struct rescued_buffer *b;

	r->bufs = xrealloc(r->bufs, (r->nr_bufs + 1) * sizeof(*r->bufs));
	b = &r->bufs[r->nr_bufs++];
	*b = (struct rescued_buffer){
		.name = xstrdup(name), .clock = xstrdup(clock), .subbuf_size = subbuf_size,
	};
	return b;
}

void recover_own(struct recover_state *r, int fd)
{
	r->fds = xgrow(r->fds, &r->cap_fds, r->nr_fds + 1, sizeof(*r->fds));
	r->fds[r->nr_fds++] = fd;
}

void recover_add_cpu(struct recover_state *r, struct rescued_buffer *b,
		     const struct dat_write_cpu *c)
{
	b->cpus = xrealloc(b->cpus, (b->n + 1) * sizeof(*b->cpus));
	b->cpus[b->n++] = *c;
	r->bytes += c->size;
	if ((uint32_t)c->cpu + 1 > r->nr_cpus)
		r->nr_cpus = c->cpu + 1;
}

static void add_recover_str(struct dat_writer *w, uint16_t id, const char *s)
{
	dat_add_option(w, id, s, strlen(s) + 1);
}

/* Notes that the symbols are sorted by address: recover_see() has sorted them. */
static void note_sorted(struct recover_state *r)
{
	if (r->kallsyms.len && !r->sorted)
		buf_addstr(&r->text, "kallsyms_order=address\n");
}

static void write_recover_text(struct recover_state *r, struct dat_writer *w)
{
	static const char key[] = "\nrecovered=";
	const char *text = r->text.len ? r->text.data : "";
	/* if an earlier recovery was killed before the file was finished, the line is there */
	bool known = !strncmp(text, key + 1, sizeof(key) - 2) || strstr(text, key);
	size_t i;

	if (r->lacks.n && !known)
		buf_addstr(&r->text, "recovered=without");
	for (i = 0; i < r->lacks.n && !known; i++)
		buf_printf(&r->text, "%s %s%s", i ? "," : "", r->lacks.v[i],
			   i + 1 < r->lacks.n ? "" : "\n");
	dat_write_meta(w, r->text.data, r->text.len);
}

/* Writes the options. From a complete stream it copies those that contain no file offsets. */
static void write_recover_options(const struct recover_state *r, struct dat_writer *w)
{
	char *clock = xasprintf("[%s]", r->nr_bufs ? r->bufs[0].clock : "");
	const struct dat *d = r->whole;
	const struct dat_option *o;

	dat_add_option(w, DAT_CPUCOUNT, &r->nr_cpus, sizeof(r->nr_cpus));
	for (o = d ? d->options : NULL; d && o < d->options + d->nr_options; o++)
		if (o->id > DAT_DONE && o->id < DAT_STRINGS && o->id != DAT_BUFFER &&
		    o->id != DAT_CPUCOUNT)
			dat_add_option(w, o->id, o->data.p, o->data.len);
	if (!d) {
		if (strlen(clock) > 2)
			add_recover_str(w, DAT_TRACECLOCK, clock);
		if (r->uname)
			add_recover_str(w, DAT_UNAME, r->uname);
		add_recover_str(w, DAT_VERSION, "ftr " FTR_VERSION);
	}
	free(clock);
}

size_t recover_rest_bytes(const struct recover_state *r)
{
	struct buf comms = {0};
	size_t n;

	comms_text(&r->comms, &comms);
	n = comms.len + r->printk.len + r->text.len + REST_ROOM;
	buf_release(&comms);
	return n;
}

void recover_write_rest(struct recover_state *r, struct dat_writer *w)
{
	size_t rest = dat_end_bytes(w, r->bytes, r->nr_cpus) + recover_rest_bytes(r);
	struct buf comms = {0};

	comms_text(&r->comms, &comms);
	/* symbols are large: they must leave room for the other sections */
	if (!dat_is_linked(w, DAT_KALLSYMS)) {
		if (r->kallsyms.len &&
		    dat_fit_symbols(w, r->kallsyms.data, r->kallsyms.len, rest)) {
			note_sorted(r);
		} else {
			dat_write_blob(w, DAT_KALLSYMS, "", 0);
			if (r->kallsyms.len)
				note_lacking(r, "kernel symbols", "there is no room for them");
		}
	}
	if (!dat_is_linked(w, DAT_PRINTK))
		dat_write_blob(w, DAT_PRINTK, r->printk.data, r->printk.len);
	if (!dat_is_linked(w, DAT_CMDLINES))
		dat_write_blob(w, DAT_CMDLINES, comms.data, comms.len);
	write_recover_text(r, w);
	write_recover_options(r, w);
	buf_release(&comms);
}

int recover_write(struct recover_state *r, int fd, const char *path, struct ftr_error *err)
{
	uint32_t page_size = r->nr_bufs ? r->bufs[0].subbuf_size : 4096;
	const struct compress_opts *how = &r->p->packing;
	struct dat_writer *w = dat_create_packed(fd, path, page_size, how, err);
	struct dat_latency *latencies = NULL, one;
	struct dat_write_format *v;
	size_t i, n, at = 0, cap = 0;
	struct buf comms = {0};

	if (!w)
		return -1;
	if (how->name)
		dat_pack(w, false);
	dat_write_header_info(w, r->header_page.data, r->header_page.len, r->header_event.data,
			      r->header_event.len);
	n = dat_formats_list(&r->formats, true, &v);
	dat_write_ftrace_events(w, v, n);
	free(v);
	n = dat_formats_list(&r->formats, false, &v);
	dat_write_event_formats(w, v, n);
	free(v);
	note_sorted(r);
	write_recover_text(r, w);
	dat_write_blob(w, DAT_KALLSYMS, r->kallsyms.data, r->kallsyms.len);
	if (r->protos.len)
		dat_write_protos(w, r->protos.data, r->protos.len);
	for (n = 0; r->latencies && dat_latency_next(r->latencies, &at, &one); n++) {
		latencies = xgrow(latencies, &cap, n + 1, sizeof(*latencies));
		latencies[n] = one;
	}
	if (n)
		dat_write_latencies(w, latencies, n);
	free(latencies);
	dat_write_oops(w, r->oops.data, r->oops.len);
	dat_write_blob(w, DAT_PRINTK, r->printk.data, r->printk.len);
	comms_text(&r->comms, &comms);
	dat_write_blob(w, DAT_CMDLINES, comms.data, comms.len);
	buf_release(&comms);
	if (r->btf.len)
		dat_write_btf(w, r->btf.data, r->btf.len);
	write_recover_options(r, w);
	for (i = 0; i < r->nr_bufs; i++)
		dat_write_buffer(w, r->bufs[i].name, r->bufs[i].clock, r->bufs[i].subbuf_size,
				 r->bufs[i].cpus, r->bufs[i].n);
	return dat_finish(w, err);
}
