/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses texts that start with a trace. A line becomes a record without regard to others, which
 * threads do in parts of the text; then the parts are read in their order, as times, losses and
 * names of tasks depend on it. The parts are small, so that their lines stay in the caches: with
 * one array of all lines, memory and its speed would be the limit.
 */
#include "text/log/plain_text.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "text/log/text_progress.h"

#define PART_BYTES   (192 << 10)
#define THREADS_MAX  4
#define PARTS_MAX    (2 * THREADS_MAX)
#define PARALLEL_MIN (8 * PART_BYTES)	/* a text of fewer bytes is parsed in one thread */
#define SOURCES_MAX  32			/* files in one text of trace-cmd report */

/* A part of the text, and its lines. */
struct text_part {
	const char *p, *end;
	struct text_line *v;
	size_t n, cap;
	bool parsed;
};

/* The work of the threads. ->lock guards all that follows it, and ->parsed of the parts. */
struct part_queue {
	const struct line_form *form;
	struct text_part parts[PARTS_MAX];
	pthread_mutex_t lock;
	pthread_cond_t changed;
	const char *at, *end;		/* the rest of the text */
	size_t taken, read;		/* number of parts that were started, and read */
	bool stop;
};

/* A dump that is being read. There are several if a text has the lines of several files. */
struct text_source {
	struct span_text prefix;
	struct log_dump dump;
	struct dump_reader *reader;
};

struct plain_reader {
	struct log_dumps *dumps;
	const char *text;
	struct line_form form;
	struct text_source sources[SOURCES_MAX];
	size_t nr, last;
	uint32_t line;
};

/* --- parts */

static const char *part_end(const char *p, const char *end)
{
	const char *nl;

	if (end - p <= PART_BYTES)
		return end;
	nl = memchr(p + PART_BYTES, '\n', end - p - PART_BYTES);
	return nl ? nl + 1 : end;
}

static void part_parse(struct text_part *part, const struct line_form *form)
{
	const char *p = part->p, *nl;
	size_t len;

	for (part->n = 0; p < part->end; p = nl + 1) {
		nl = memchr(p, '\n', part->end - p);
		if (!nl)
			nl = part->end;
		for (len = nl - p; len && p[len - 1] == '\r';)
			len--;
		if (part->n == part->cap)
			part->v = xgrow(part->v, &part->cap, part->n + 1, sizeof(*part->v));
		text_line_parse(form, p, len, &part->v[part->n++]);
	}
}

/* Takes the next part of the text. Returns NULL if there is none. Called with the lock. */
static struct text_part *queue_take(struct part_queue *q)
{
	struct text_part *part = &q->parts[q->taken % PARTS_MAX];

	if (q->stop || q->at == q->end)
		return NULL;
	part->p = q->at;
	part->end = q->at = part_end(q->at, q->end);
	part->parsed = false;
	q->taken++;
	return part;
}

static void *queue_worker(void *arg)
{
	struct part_queue *q = arg;
	struct text_part *part;

	pthread_mutex_lock(&q->lock);
	for (;;) {
		while (!q->stop && q->taken - q->read == PARTS_MAX)
			pthread_cond_wait(&q->changed, &q->lock);
		part = queue_take(q);
		if (!part)
			break;
		pthread_mutex_unlock(&q->lock);
		part_parse(part, q->form);
		pthread_mutex_lock(&q->lock);
		part->parsed = true;
		pthread_cond_broadcast(&q->changed);
	}
	pthread_mutex_unlock(&q->lock);
	return NULL;
}

/* --- reading */

static struct span_text line_prefix(const struct plain_reader *r, const struct text_line *l)
{
	return (struct span_text){ l->line.p,
				   line_form_skip(&r->form, l->line.p, l->line.len) };
}

static struct text_source *add_source(struct plain_reader *r, struct span_text prefix)
{
	struct text_source *s = &r->sources[r->nr];

	r->last = r->nr++;
	*s = (struct text_source){ .prefix = prefix, .dump.type = r->form.type };
	s->reader = dump_reader_new(&s->dump, true);
	return s;
}

/* Returns the dump to which a line belongs. Too many files share the last one. */
static struct text_source *find_source(struct plain_reader *r, const struct text_line *l)
{
	struct span_text prefix = line_prefix(r, l);
	size_t i;

	if (!r->nr)
		return add_source(r, prefix);
	if (!r->form.skip || !prefix.len)
		return &r->sources[r->last];
	for (i = r->last; i < r->nr; i++)
		if (!memcmp(r->sources[i].prefix.p, prefix.p, prefix.len))
			return &r->sources[r->last = i];
	for (i = 0; i < r->last; i++)
		if (!memcmp(r->sources[i].prefix.p, prefix.p, prefix.len))
			return &r->sources[r->last = i];
	return r->nr < SOURCES_MAX ? add_source(r, prefix) : &r->sources[r->nr - 1];
}

/* Completes the dumps that are being read, and moves them to the result. */
static void end_sources(struct plain_reader *r)
{
	struct log_dump *to;
	char *instance;

	for (size_t i = 0; i < r->nr; i++) {
		struct text_source *s = &r->sources[i];

		dump_reader_end(s->reader);
		s->dump.ended = true;
		if (!s->dump.n && !s->dump.unknown && r->nr > 1) {
			dump_release(&s->dump);
			continue;
		}
		to = log_dumps_add(r->dumps, (struct span_text){ "", 0 });
		instance = to->instance;
		*to = s->dump;
		to->instance = instance;
		to->progress = r->dumps->progress;
	}
	r->nr = r->last = 0;
}

static bool line_begins(const struct text_line *l, const char *word)
{
	return l->line.len >= strlen(word) && !memcmp(l->line.p, word, strlen(word));
}

/* Returns true if no line of a dump was read: a header alone is none. */
static bool is_empty(const struct plain_reader *r)
{
	return !r->nr || (r->nr == 1 && !r->sources[0].dump.n && !r->sources[0].dump.unknown);
}

/* Reads the lines of a part. Returns the first line of another kind, or NULL. */
static const char *read_part(struct plain_reader *r, const struct text_part *part, bool is_last)
{
	for (size_t i = 0; i < part->n; i++, r->line++) {
		const struct text_line *l = &part->v[i];

		if (l->class == LINE_HEADER && line_begins(l, "# tracer: ") && !is_empty(r))
			end_sources(r);
		else if (l->class == LINE_UNKNOWN && line_begins(l, "Dumping ftrace "))
			return l->line.p;
		/* the last line may be cut */
		if (is_last && i + 1 == part->n && part->end[-1] != '\n' &&
		    l->class == LINE_UNKNOWN)
			continue;
		dump_reader_add(find_source(r, l)->reader, l, r->line);
	}
	return NULL;
}

static const char *read_alone(struct plain_reader *r, const char *p, const char *end)
{
	struct text_part part = {0};
	const char *other = NULL;

	while (p < end && !other) {
		text_progress_step(r->dumps->progress, "lines", p - r->text, end - r->text);
		part.p = p;
		part.end = p = part_end(p, end);
		part_parse(&part, &r->form);
		other = read_part(r, &part, p == end);
	}
	free(part.v);
	return other;
}

/* Reads the parts that other threads parse, in their order. */
static const char *read_parts(struct plain_reader *r, struct part_queue *q)
{
	const char *other = NULL;
	struct text_part *part;

	pthread_mutex_lock(&q->lock);
	while (!other && (q->read < q->taken || q->at < q->end)) {
		part = &q->parts[q->read % PARTS_MAX];
		while (q->read == q->taken || !part->parsed)
			pthread_cond_wait(&q->changed, &q->lock);
		pthread_mutex_unlock(&q->lock);
		text_progress_step(r->dumps->progress, "lines", part->p - r->text,
				   q->end - r->text);
		other = read_part(r, part, part->end == q->end);
		pthread_mutex_lock(&q->lock);
		q->read++;
		pthread_cond_broadcast(&q->changed);
	}
	q->stop = true;
	pthread_cond_broadcast(&q->changed);
	pthread_mutex_unlock(&q->lock);
	return other;
}

/* Returns the number of CPUs for threads beside this one. */
static unsigned int count_threads(size_t len)
{
	cpu_set_t cpus;
	int n;

	if (len < PARALLEL_MIN || sched_getaffinity(0, sizeof(cpus), &cpus))
		return 0;
	n = CPU_COUNT(&cpus) - 1;
	return n > THREADS_MAX ? THREADS_MAX : n;
}

static const char *read_text(struct plain_reader *r, const char *p, const char *end)
{
	unsigned int want = count_threads(end - p), n = 0;
	struct part_queue q = { .form = &r->form, .at = p, .end = end };
	pthread_t threads[THREADS_MAX];
	const char *other;

	pthread_mutex_init(&q.lock, NULL);
	pthread_cond_init(&q.changed, NULL);
	while (n < want && !pthread_create(&threads[n], NULL, queue_worker, &q))
		n++;
	other = n ? read_parts(r, &q) : read_alone(r, p, end);
	for (unsigned int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < PARTS_MAX; i++)
		free(q.parts[i].v);
	pthread_cond_destroy(&q.changed);
	pthread_mutex_destroy(&q.lock);
	return other;
}

size_t plain_text_parse(struct log_dumps *d, const char *text, size_t len,
			const struct line_form *form, uint32_t line)
{
	struct plain_reader r = { .dumps = d, .text = text, .form = *form, .line = line };
	const char *other = len ? read_text(&r, text, text + len) : NULL;

	end_sources(&r);
	return other ? (size_t)(other - text) : len;
}
