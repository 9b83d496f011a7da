/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz target: the format of an event up to the first NUL, behind it a log, whose dumps become records. */
#include <stdlib.h>
#include <string.h>

#include "event/btf/btf.h"
#include "fuzz.h"
#include "record/capture/capture_formats.h"
#include "text/fields/call_args.h"
#include "text/text_file.h"
#include "text/text_formats.h"

/* A copy of its own, so that no byte behind the log is read unseen. */
static char *copy_of(const uint8_t *data, size_t len)
{
	char *p = malloc(len + !len);

	if (len)
		memcpy(p, data, len);
	return p;
}

static void add_format(struct format_files *f, const char *text, size_t len)
{
	const char *nl = memchr(text, '\n', len);
	char name[64];

	if (!nl || nl - text < 7 || nl - text > 60)
		return;
	memcpy(name, text + 6, nl - text - 6);
	name[nl - text - 6] = '\0';
	formats_add(f, "fuzz", name, text, len);
}

/* The format of the record, without its name and id; NULL for records of ftrace. */
static const char *format_of(const struct text_events *e, const struct buf *rec)
{
	struct text_event_kind *const *kinds;
	size_t n = text_events_kinds(e, &kinds);
	uint16_t id;

	memcpy(&id, rec->data, 2);
	for (size_t i = 0; i < n; i++)
		if (kinds[i]->id == id)
			return strstr(kinds[i]->format.data, "format:");
	return NULL;
}

/* Records that are read directly are those that are found by trying. */
static void compare_ways(const struct log_dump *d, const struct format_files *formats)
{
	struct dump_syms *syms = dump_syms_new(d);
	struct text_events *fast = text_events_new(syms, formats), *slow = text_events_new(syms, formats);
	struct buf a = {0}, b = {0};

	text_events_set_slow(slow);
	for (size_t i = 0; i < d->n && i < 200; i++) {
		const char *x, *y;

		buf_reset(&a);
		buf_reset(&b);
		if (!text_events_encode(fast, d, &d->v[i], &a) || !text_events_encode(slow, d, &d->v[i], &b))
			continue;
		x = format_of(fast, &a);
		y = format_of(slow, &b);
		FUZZ_ASSERT(!x == !y);
		if (x && !strcmp(x, y))
			FUZZ_ASSERT(a.len == b.len && !memcmp(a.data + 2, b.data + 2, a.len - 2));
	}
	buf_release(&a);
	buf_release(&b);
	text_events_free(fast);
	text_events_free(slow);
	dump_syms_free(syms);
}

static bool is_call(const struct dump_rec *r)
{
	return (r->kind == DUMP_ENTRY || r->kind == DUMP_FUNCTION) && r->args.len;
}

/* The arguments of a call, printed by the prototype, are the same registers again. */
static void print_again(struct call_args *c, const struct buf *protos, const struct dump_rec *r)
{
	const char *blank = memchr(r->name.p, ' ', r->name.len), *line;
	uint64_t regs[CALL_REGS_MAX], again[CALL_REGS_MAX];
	struct btf_args a = {
		.p = (const uint8_t *)regs, .n = call_args_read(c, r->name, r->args, regs), .size = 8,
		.text = protos->data, .text_len = protos->len,
	};
	struct call_args *fresh = call_args_new();
	struct buf b = {0};
	size_t len;

	if (a.n) {
		line = btf_proto_find(protos->data, protos->len, r->name.p,
				      blank ? (size_t)(blank - r->name.p) : r->name.len, &len);
		FUZZ_ASSERT(line);
		btf_print_args(line, len, &a, &b);
		FUZZ_ASSERT(a.n == call_args_read(fresh, r->name,
						  (struct span_text){ b.data + 1, b.len - 2 }, again));
		FUZZ_ASSERT(!memcmp(regs, again, a.n * sizeof(*regs)));
	}
	buf_release(&b);
	call_args_free(fresh);
}

static void check_args(const struct log_dump *d)
{
	struct call_args *c = call_args_new();
	uint64_t regs[CALL_REGS_MAX];
	struct buf protos = {0};

	for (size_t i = 0; i < d->n; i++)
		if (is_call(&d->v[i]))
			call_args_read(c, d->v[i].name, d->v[i].args, regs);
	call_args_protos(c, &protos);
	for (size_t i = 0; protos.len && i < d->n && i < 200; i++)
		if (is_call(&d->v[i]))
			print_again(c, &protos, &d->v[i]);
	buf_release(&protos);
	call_args_free(c);
}

static void encode(const struct log_dump *d, const struct format_files *formats)
{
	struct dump_syms *syms = dump_syms_new(d);
	struct text_events *e = text_events_new(syms, formats);
	struct text_event_kind *const *kinds;
	struct text_counts counts;
	size_t n;
	struct buf rec = {0};
	uint64_t last = 0;

	if (d->with_args)
		text_events_set_args(e);
	for (size_t i = 0; i < d->n; i++) {
		const struct dump_rec *r = &d->v[i];

		FUZZ_ASSERT(r->cpu < 8192 && r->pid >= -1);
		FUZZ_ASSERT(r->kind != DUMP_STACK ||
			    (size_t)r->frames + r->nr_frames <= d->nr_frames);
		last = r->cpu == d->v[0].cpu ? r->ns : last;
		FUZZ_ASSERT(r->cpu != d->v[0].cpu || r->ns >= last);
		buf_reset(&rec);
		if (text_events_encode(e, d, r, &rec))
			FUZZ_ASSERT(rec.len >= 8 && rec.len < 4000);
		fuzz_sink += rec.len;
	}
	counts = text_events_count(e);
	FUZZ_ASSERT(counts.with_fields <= counts.events && counts.events <= d->n);
	FUZZ_ASSERT(counts.others <= counts.events);
	n = text_events_kinds(e, &kinds);
	for (size_t i = 0; i < n; i++)
		FUZZ_ASSERT(kinds[i]->format.len && kinds[i]->records);
	buf_release(&rec);
	text_events_free(e);
	dump_syms_free(syms);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const uint8_t *nul = memchr(data, 0, len), *log = nul ? nul + 1 : data;
	size_t log_len = data + len - log;
	struct format_files formats = {0};
	struct log_dumps dumps = {0};
	char *text = copy_of(log, log_len);

	if (nul)
		add_format(&formats, (const char *)data, nul - data);
	dumps_find(&dumps, text, log_len, NULL);
	for (size_t i = 0; i < dumps.n; i++) {
		encode(&dumps.v[i], &formats);
		compare_ways(&dumps.v[i], &formats);
		if (dumps.v[i].with_args)
			check_args(&dumps.v[i]);
	}
	dumps_release(&dumps);
	formats_release(&formats);
	free(text);
	return 0;
}
