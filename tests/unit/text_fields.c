/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts of events without their kernel's formats: records that formats of several kernels render are read back, and
 * their fields compared; what is read directly is the same as what is found by trying.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event/event.h"
#include "record/capture/capture_formats.h"
#include "tap.h"
#include "text/fields/known_events.h"
#include "text/text_events.h"

#define RECORDS 8	/* of each format */

static uint64_t seed = 1;

static uint32_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed >> 16;
}

/* --- texts and what they should become */

struct expected {
	const struct ev_format *fmt;
	uint8_t data[512];
	uint32_t len;
	char *name, *text;
};

struct texts {
	struct ev_format *formats;
	size_t nr_formats, cap_formats;
	struct expected *v;
	size_t n, cap;
	struct log_dump dump;
};

static void add_text(struct texts *t, const char *name, const char *text)
{
	struct expected *e;

	t->v = xgrow(t->v, &t->cap, t->n + 1, sizeof(*t->v));
	e = &t->v[t->n++];
	*e = (struct expected){ .name = xstrdup(name), .text = xstrdup(text) };
}

static void make_dump(struct texts *t)
{
	struct log_dump *d = &t->dump;

	for (size_t i = 0; i < t->n; i++) {
		const struct expected *e = &t->v[i];

		d->v = xgrow(d->v, &d->cap, d->n + 1, sizeof(*d->v));
		d->v[d->n++] = (struct dump_rec){
			.kind = DUMP_EVENT, .pid = 1, .ns = i, .name = { e->name, strlen(e->name) },
			.text = { e->text, strlen(e->text) },
		};
	}
}

static void release(struct texts *t)
{
	for (size_t i = 0; i < t->nr_formats; i++) {
		free((char *)t->formats[i].system);
		ev_format_release(&t->formats[i]);
	}
	for (size_t i = 0; i < t->n; i++) {
		free(t->v[i].name);
		free(t->v[i].text);
	}
	free(t->formats);
	free(t->v);
	free(t->dump.v);
	*t = (struct texts){ .n = 0 };
}

/* --- records of real formats */

static const char kallsyms[] = "ffffffff81000000 T vfs_read\nffffffff81001000 T tick\nffffffff81002000 T _etext\n";

/* A name that no print fmt has as a literal. */
static void put_name(uint8_t *to, size_t room)
{
	static const char *const names[] = { "bash", "kworker/0:1", "a b", "R", "swapper/12", "x=1" };
	const char *name = names[rnd() % 6];
	size_t n = strlen(name) < room ? strlen(name) : room - 1;

	memcpy(to, name, n);
}

static uint64_t number_for(const struct ev_field *f, const char *print)
{
	char used[80];

	/* a function: any text with %ps or %pS has one of the two symbols, or none */
	if (strstr(f->name, "func") || strstr(f->name, "call_site") || !strcmp(f->name, "caller") ||
	    !strcmp(f->name, "callback") || !strcmp(f->name, "location") || !strcmp(f->name, "callsite"))
		return 0xffffffff81000000 + (rnd() % 2 << 12) + (strstr(print, "%pS") ? 16 : 0);
	/* only whether it is 0 is shown */
	snprintf(used, sizeof(used), "REC->%s ?", f->name);
	if (strstr(print, used))
		return rnd() % 2;
	/* the values of tables are small, or single bits */
	snprintf(used, sizeof(used), "(REC->%s", f->name);
	if (strstr(print, used) || !strcmp(f->name, "prev_state") || !strcmp(f->name, "flags"))
		return rnd() % 2 ? rnd() % 4 : 1u << rnd() % 4;
	if (!strcmp(f->name, "ioprio"))
		return (rnd() % 4) << 13 | (rnd() & 7);
	if (f->size == 8 && rnd() % 2)
		return (uint64_t)rnd() << 32 | rnd();
	if (f->size >= 4 && rnd() % 8 == 0)
		return rnd() % 2 ? -1ull : 0;
	return rnd() % 3 ? rnd() : rnd() % 200;
}

static bool fill_record(struct expected *e)
{
	const struct ev_format *f = e->fmt;

	e->len = f->min_len;
	if (e->len > 400)
		return false;
	for (size_t i = 0; i < f->nr_fields; i++) {
		const struct ev_field *d = &f->fields[i];
		uint64_t v;
		uint32_t loc;

		if (d->common)
			continue;
		if (d->kind == EV_DATA_LOC && d->is_string) {
			loc = e->len | 16u << 16;
			memcpy(e->data + d->offset, &loc, 4);
			put_name(e->data + e->len, 16);
			e->len += 16;
		} else if (d->kind == EV_ARRAY && d->elem_size == 1) {
			put_name(e->data + d->offset, d->size);
		} else if (d->kind == EV_FIXED || d->kind == EV_ARRAY) {
			for (uint32_t at = 0; at < d->size; at += d->kind == EV_FIXED ? d->size : d->elem_size) {
				v = d->size == 1 ? rnd() % 2 : number_for(d, f->print_fmt);
				memcpy(e->data + d->offset + at, &v,
				       d->kind == EV_FIXED ? d->size : d->elem_size);
			}
		} else {
			return false;
		}
	}
	return true;
}

static void add_records(struct texts *t, struct ev_engine *engine, const struct ev_format *f)
{
	for (int i = 0; i < RECORDS; i++) {
		struct expected e = { .fmt = f };
		struct buf text = {0};
		struct ev_rec r;

		if (!fill_record(&e))
			return;
		r = (struct ev_rec){ .fmt = f, .data = e.data, .len = e.len, .long_size = 8 };
		ev_render(engine, &r, 0, 0, &text);
		buf_addstr(&text, "");
		add_text(t, f->name, text.data);
		e.name = t->v[t->n - 1].name;
		e.text = t->v[t->n - 1].text;
		t->v[t->n - 1] = e;
		buf_release(&text);
	}
}

static void parse_formats(struct texts *t, char *p)
{
	while (p && (p = strstr(p, "@@FILE "))) {
		char *sys = strchr(p, '/') + 1, *name = xstrndup(sys, strcspn(sys, "/"));
		char *body = strchr(p, '\n') + 1, *end = strstr(body, "\n@@FILE ");
		struct ev_format f;

		end = end ? end + 1 : body + strlen(body);
		p = end;
		if (ev_format_parse(&f, name, body, end - body, NULL)) {
			free(name);
			continue;
		}
		if (!known_event_next(f.name, NULL)) {
			free(name);
			ev_format_release(&f);
			continue;
		}
		t->formats = xgrow(t->formats, &t->cap_formats, t->nr_formats + 1, sizeof(*t->formats));
		t->formats[t->nr_formats++] = f;
	}
}

static bool read_formats(const char *name, struct buf *out)
{
	const char *dir = getenv("FTR_FORMATS_DIR");
	char path[4096], chunk[65536];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir ? dir : "../shared/formats", name);
	if (access(path, R_OK))
		return false;
	snprintf(path, sizeof(path), "xz -dc '%s/%s'", dir ? dir : "../shared/formats", name);
	f = popen(path, "r");
	while (f && (n = fread(chunk, 1, sizeof(chunk), f)))
		buf_add(out, chunk, n);
	buf_addstr(out, "");
	return f && !pclose(f) && out->len;
}

/* --- reading them back */

static const struct text_event_kind *kind_of(struct text_events *e, uint16_t id)
{
	struct text_event_kind *const *v;
	size_t n = text_events_kinds(e, &v);

	for (size_t i = 0; i < n; i++)
		if (v[i]->id == id)
			return v[i];
	return NULL;
}

/* Returns true if the field has the same value in both records, or cannot be compared. */
static bool same_field(const struct ev_rec *want, const struct ev_field *f, const struct ev_rec *got)
{
	const struct ev_field *g = ev_field(got->fmt, f->name);
	const uint8_t *a, *b;
	uint32_t na, nb;
	uint64_t x, y;

	if (!g)
		return true;
	if (ev_get_num(want, f, &x) && ev_get_num(got, g, &y)) {
		/* made-up addresses of functions */
		if (x >> 24 == 0xffffffff81 || y >> 24 == 0xffffffff81)
			return true;
		return f->size < 8 ? !((x ^ y) << (64 - 8 * f->size)) : x == y;
	}
	if (!f->is_string || !g->is_string || !ev_get_bytes(want, f, &a, &na) || !ev_get_bytes(got, g, &b, &nb))
		return true;	/* a name instead of a number */
	return !strncmp((const char *)a, (const char *)b, na < nb ? na : nb);
}

static void read_back(struct texts *t, const char *name)
{
	static const struct format_files none;
	struct dump_syms *syms = dump_syms_new(&t->dump);
	struct text_events *e = text_events_new(syms, &none);
	size_t without = 0, wrong = 0;
	char label[200];

	for (size_t i = 0; i < t->n; i++) {
		const struct text_event_kind *k;
		struct buf rec = {0};
		struct ev_format fmt;
		struct ev_rec want = { .fmt = t->v[i].fmt, .data = t->v[i].data, .len = t->v[i].len, .long_size = 8 };
		struct ev_rec got;

		text_events_encode(e, &t->dump, &t->dump.v[i], &rec);
		k = kind_of(e, *(uint16_t *)rec.data);
		if (!k || ev_format_parse(&fmt, k->system, k->format.data, k->format.len, NULL)) {
			without++;
			buf_release(&rec);
			continue;
		}
		got = (struct ev_rec){ .fmt = &fmt, .data = (uint8_t *)rec.data, .len = rec.len, .long_size = 8 };
		if (ev_field(&fmt, "text")) {
			without++;
			printf("# no fields: %s: %s\n", t->v[i].name, t->v[i].text);
		}
		for (size_t j = 0; j < want.fmt->nr_fields; j++)
			if (!want.fmt->fields[j].common && !same_field(&want, &want.fmt->fields[j], &got)) {
				printf("# %s of %s: %s\n", want.fmt->fields[j].name, t->v[i].name, t->v[i].text);
				wrong++;
			}
		ev_format_release(&fmt);
		buf_release(&rec);
	}
	snprintf(label, sizeof(label), "%s: %zu texts of %zu events have fields", name, t->n, t->nr_formats);
	TAP_EQ(without, 0, label);
	snprintf(label, sizeof(label), "%s: the fields have the values of the records", name);
	TAP_EQ(wrong, 0, label);
	text_events_free(e);
	dump_syms_free(syms);
}

/* Compares records that are read directly with those that are found by trying. */
static void compare_ways(const struct texts *t, const char *name)
{
	static const struct format_files none;
	struct dump_syms *syms = dump_syms_new(&t->dump);
	struct text_events *fast = text_events_new(syms, &none), *slow = text_events_new(syms, &none);
	size_t differ = 0;
	char label[200];

	text_events_set_slow(slow);
	for (size_t i = 0; i < t->n; i++) {
		struct buf a = {0}, b = {0};

		text_events_encode(fast, &t->dump, &t->dump.v[i], &a);
		text_events_encode(slow, &t->dump, &t->dump.v[i], &b);
		if (a.len != b.len || memcmp(a.data, b.data, a.len)) {
			printf("# %s: %s\n", t->v[i].name, t->v[i].text);
			differ++;
		}
		buf_release(&a);
		buf_release(&b);
	}
	snprintf(label, sizeof(label), "%s: directly and by trying, the same", name);
	TAP_EQ(differ, 0, label);
	text_events_free(fast);
	text_events_free(slow);
	dump_syms_free(syms);
}

static void real_formats(const char *name)
{
	struct event_meta w = { .long_size = 8, .page_size = 4096, .kallsyms = kallsyms,
				.kallsyms_len = sizeof(kallsyms) - 1 };
	struct texts t = {0};
	struct buf text = {0};
	struct ev_engine *engine;

	if (!read_formats(name, &text)) {
		TAP_SKIP(name, "no such file in FTR_FORMATS_DIR");
		buf_release(&text);
		return;
	}
	parse_formats(&t, text.data);
	w.formats = t.formats;
	w.nr_formats = t.nr_formats;
	w.syms = ev_syms_new(kallsyms, sizeof(kallsyms) - 1);
	engine = ev_engine_new(&w, NULL, NULL);
	for (size_t i = 0; i < t.nr_formats; i++)
		add_records(&t, engine, &t.formats[i]);
	make_dump(&t);
	read_back(&t, name);
	compare_ways(&t, name);
	ev_engine_free(engine);
	ev_syms_free(w.syms);
	release(&t);
	buf_release(&text);
}

int main(void)
{
	real_formats("debian-6.12-with-modules.fmt.xz");
	real_formats("android-5.10.fmt.xz");
	real_formats("android_flounder_lte_LRX16F_3.10.40.fmt.xz");
	real_formats("android_seed_N2F62_3.10.49.fmt.xz");
	real_formats("android_hammerhead_MRA59G_3.4.0.fmt.xz");
	return tap_done();
}
