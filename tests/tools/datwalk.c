/* SPDX-License-Identifier: GPL-2.0-or-later */
/* datwalk FILE: records, lost events and damage of a trace.dat, by buffer and CPU, as src/file sees it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "file/read/dat.h"

struct sum {
	uint64_t records, bytes, lost, unknown, hash, first_ts, last_ts;
};

static void add_record(struct sum *s, const struct ring_record *rec)
{
	if (!s->records++)
		s->first_ts = rec->ts;
	s->last_ts = rec->ts;
	s->bytes += rec->len;
	/* touches every byte, so that sanitizers see what is out of bounds */
	for (uint32_t i = 0; i < rec->len; i++)
		s->hash = s->hash * 31 + rec->data[i];
}

static void walk_page(struct dat *d, struct dat_buffer *b, struct dat_cpu *c, uint64_t page, struct sum *s)
{
	struct ring_record rec;
	struct ring_page pg;
	enum ring_status st;
	const uint8_t *mem;
	uint64_t off;
	size_t len;

	mem = dat_page(d, b, c, page, &len, &off);
	if (!mem)
		return;
	st = ring_page_open(&pg, &b->layout, mem, len);
	if (st != RING_OK)
		damage_note(&d->damages, ring_status_text(st), d->path, off, c->cpu, NULL);
	if (st != RING_OK && st != RING_COMMIT_TOO_LARGE)
		return;
	if (pg.lost == RING_LOST_UNKNOWN)
		s->unknown++;
	else
		s->lost += pg.lost;
	while ((st = ring_page_next(&pg, &rec)) == RING_OK)
		add_record(s, &rec);
	if (st != RING_END)
		damage_note(&d->damages, ring_status_text(st), d->path, off + b->layout.data_off + pg.at, c->cpu, NULL);
}

/* A damaged name may hold any byte; its line stays one line. */
static void print_name(const char *word, const char *name)
{
	struct buf clean = {0};

	text_sanitise(&clean, name, strlen(name), false);
	printf("%s '%s'", word, clean.data ? clean.data : "");
	buf_release(&clean);
}

static void walk_cpu(struct dat *d, struct dat_buffer *b, struct dat_cpu *c, struct sum *total)
{
	struct sum s = {0};
	uint64_t page;

	for (page = 0; page < c->nr_pages; page++)
		walk_page(d, b, c, page, &s);
	print_name("cpu", b->name);
	printf(" %d pages=%" PRIu64 " records=%" PRIu64 " bytes=%" PRIu64 " lost=%" PRIu64 " lost-unknown=%" PRIu64
	       " first=%" PRIu64 " last=%" PRIu64 " hash=%016" PRIx64 "\n", c->cpu, c->nr_pages, s.records,
	       s.bytes, s.lost, s.unknown, s.first_ts, s.last_ts, s.hash);
	total->records += s.records;
	total->lost += s.lost;
	total->unknown += s.unknown;
}

static void print_damages(const struct dat *d)
{
	struct buf line = {0};
	size_t i;

	for (i = 0; i < d->damages.n; i++) {
		buf_reset(&line);
		damage_describe(&d->damages.v[i], &line);
		printf("damage %s\n", line.data);
	}
	buf_release(&line);
}

int main(int argc, char **argv)
{
	struct ftr_error err = {0};
	struct sum total = {0};
	uint64_t ranges;
	const struct dat_format *f;
	struct dat *d;
	size_t i, j;
	int ret;

	if (argc != 2) {
		fputs("usage: datwalk FILE\n", stderr);
		return 2;
	}
	d = dat_open(argv[1], &err);
	if (!d) {
		fprintf(stderr, "datwalk: %s\n", err.msg);
		return err.code;
	}
	printf("version %d %s-endian long %d page %u compression %s cpus %u formats %zu options %zu\n",
	       d->version, d->big ? "big" : "little", d->long_size, d->page_size, d->compression, d->nr_cpus,
	       dat_formats(d, DAT_FTRACE_EVENTS, &f) + dat_formats(d, DAT_EVENT_FORMATS, &f), d->nr_options);
	printf("header_page=%zu header_event=%zu kallsyms=%zu printk=%zu cmdlines=%zu\n", d->header_page.len,
	       d->header_event.len, dat_text(d, DAT_KALLSYMS)->len, dat_text(d, DAT_PRINTK)->len,
	       dat_text(d, DAT_CMDLINES)->len);
	for (i = 0; i < d->nr_buffers; i++) {
		print_name("buffer", d->buffers[i].name);
		print_name(" clock", d->buffers[i].clock);
		printf(" subbuf %u\n", d->buffers[i].layout.subbuf_size);
		for (j = 0; j < d->buffers[i].nr_cpus; j++)
			walk_cpu(d, &d->buffers[i], &d->buffers[i].cpus[j], &total);
	}
	dat_settle(d);
	ranges = dat_verify(d);
	printf("total records=%" PRIu64 " lost=%" PRIu64 " lost-unknown=%" PRIu64 " ranges=%" PRIu64
	       " truncated=%d\n", total.records, total.lost, total.unknown, ranges, d->truncated);
	print_damages(d);
	ret = d->damages.n ? 3 : 0;
	dat_close(d);
	return ret;
}
