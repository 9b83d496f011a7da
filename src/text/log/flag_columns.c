/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the meaning of the columns of flags in a text, and parses them. */
#include "text/log/flag_columns.h"

#include <stdlib.h>

#include "event/data/data.h"
#include "text/log/line_scan.h"

/*
 * The columns, as letters. Linux 5.15 came with 'm'; kernels with the patches for real time had it
 * before, and also 'l' and 'z'. A depth of over 15 took two digits before 5.15: "dD".
 */
enum {
	COLUMN_IRQS = 'i', COLUMN_RESCHED = 'r', COLUMN_LAZY = 'l', COLUMN_CONTEXT = 'c',
	COLUMN_DEPTH = 'd', COLUMN_DEPTH_LOW = 'D', COLUMN_LAZY_DEPTH = 'z',
	COLUMN_MIGRATE = 'm', COLUMN_LOCK = 'k',
};

#define FLAGS_OLD	"ircd"
#define FLAGS_OLD_DEEP	"ircdD"
#define FLAGS_USUAL	"ircdm"
#define FLAGS_LAZY	"irlcd"
#define FLAGS_RT	"irlcdm"
#define FLAGS_RT_DEPTH	"irlcdzm"

const uint8_t flag_letters[256] = {
	['H'] = FLAG_CONTEXT, ['h'] = FLAG_CONTEXT, ['s'] = FLAG_CONTEXT, ['Z'] = FLAG_CONTEXT,
	['z'] = FLAG_CONTEXT, ['N'] = FLAG_LAZY | FLAG_DEPTH, ['n'] = FLAG_LAZY | FLAG_DEPTH,
	['p'] = FLAG_LAZY | FLAG_DEPTH, ['B'] = FLAG_LAZY | FLAG_DEPTH,
	['L'] = FLAG_LAZY | FLAG_DEPTH, ['l'] = FLAG_LAZY | FLAG_DEPTH, ['D'] = FLAG_DEPTH,
	['X'] = FLAG_DEPTH, ['0' ... '9'] = FLAG_DEPTH, ['a' ... 'f'] = FLAG_DEPTH,
};

/* The words of a header, after "=> ". */
static const struct {
	const char *word;
	char column;
} header_words[] = {
	{ "irqs-off", COLUMN_IRQS },
	{ "need-resched-lazy", COLUMN_LAZY },
	{ "need-resched_lazy", COLUMN_LAZY },
	{ "need-resched", COLUMN_RESCHED },
	{ "lazy", COLUMN_LAZY },
	{ "hardirq/softirq", COLUMN_CONTEXT },
	{ "preempt-lazy-depth", COLUMN_LAZY_DEPTH },
	{ "preempt-depth", COLUMN_DEPTH },
	{ "migrate-disable", COLUMN_MIGRATE },
	{ "lock-depth", COLUMN_LOCK },
};

/* Parses "6.1.0-rt5" and returns 601. Returns 0 if it is no version. */
static unsigned int parse_version(struct line_scanner s, bool *is_rt)
{
	uint64_t major, minor;
	const char *end;

	if (!scan_number(&s, &major) || !scan_char(&s, '.') || !scan_number(&s, &minor) ||
	    major > 99 || minor > 99)
		return 0;
	end = memchr(s.p, ' ', s.end - s.p);
	*is_rt = memmem(s.p, (end ? end : s.end) - s.p, "-rt", 3) != NULL;
	return major * 100 + minor;
}

static void add_version(struct flag_columns *c, struct span_text line, const char *word)
{
	const char *at = memmem(line.p, line.len, word, strlen(word));
	bool is_rt = false;
	unsigned int v;

	if (!at)
		return;
	v = parse_version((struct line_scanner){ at + strlen(word), line.p + line.len }, &is_rt);
	if (!v)
		return;
	c->version = v;
	c->is_rt = is_rt;
}

void flag_columns_log(struct flag_columns *c, struct span_text line)
{
	if (c->version || line.len > 1024)
		return;
	add_version(c, line, "Linux version ");
	if (!c->version)
		add_version(c, line, "Not tainted ");
}

void flag_columns_header(struct flag_columns *c, struct span_text line)
{
	const char *arrow = memmem(line.p, line.len, "=> ", 3);
	struct line_scanner s;
	size_t n = strlen(c->header);

	add_version(c, line, "latency trace v1.1.5 on ");
	if (!arrow || n == DUMP_LETTERS)
		return;
	s = (struct line_scanner){ arrow + 3, line.p + line.len };
	for (size_t i = 0; i < sizeof(header_words) / sizeof(*header_words); i++) {
		if (!scan_word(&s, header_words[i].word))
			continue;
		if (header_words[i].column == COLUMN_IRQS)
			memset(c->header, n = 0, sizeof(c->header));
		c->header[n] = header_words[i].column;
		return;
	}
}

/* --- the meaning */

/* Returns the header's columns, or NULL if it does not name those that all kernels have. */
static const char *known_header(const struct flag_columns *c)
{
	static const char all[] = { COLUMN_IRQS, COLUMN_RESCHED, COLUMN_CONTEXT, COLUMN_DEPTH };

	for (size_t i = 0; i < sizeof(all); i++)
		if (!strchr(c->header, all[i]))
			return NULL;
	return c->header;
}

/*
 * Returns the meaning of five columns without a header that names five, or NULL: it is ambiguous.
 * The columns that differ are the third to fifth. Letters of lazy preemption alone do not make a
 * column of their own: such lines are not understood.
 */
static const char *choose_five(const struct flag_columns *c, const char **why)
{
	bool usual = (c->third & (FLAG_CONTEXT | FLAG_LAZY)) || (c->fourth & FLAG_DEPTH);
	bool lazy = c->fourth & FLAG_CONTEXT;

	if (c->lines[4])
		return FLAGS_OLD_DEEP;
	if (usual != lazy)
		return usual ? FLAGS_USUAL : FLAGS_LAZY;
	if (!usual && c->version && !c->is_rt)
		return c->version >= 515 ? FLAGS_USUAL : FLAGS_OLD_DEEP;
	if (!usual && !c->last)
		return FLAGS_USUAL;
	*why = usual ? "the lines have five columns of flags in two orders"
		     : "the last of five columns of flags is preempt-depth or migrate-disable";
	return NULL;
}

/* Returns the meaning of @n columns, or NULL with the reason why it is unknown. */
static const char *choose_columns(const struct flag_columns *c, unsigned int n, const char **why)
{
	const char *header = known_header(c);

	if (header && strlen(header) == n)
		return header;
	/* headers of osnoise name more columns than its lines have */
	if (header && strlen(header) > n)
		header = NULL;
	switch (n) {
	case 4:
		return FLAGS_OLD;
	case 5:
		/* headers of function_graph do not name migrate-disable */
		return header && !c->lines[4] ? FLAGS_USUAL : choose_five(c, why);
	case 6:
		return FLAGS_RT;
	}
	return FLAGS_RT_DEPTH;
}

/* --- records */

static bool parse_depth(char c, unsigned int *v)
{
	*v = 0;
	if (scan_is_digit(c))
		*v = c - '0';
	else if (c >= 'a' && c <= 'f')
		*v = c - 'a' + 10;
	else
		return c == '.';
	return true;
}

/* Returns need-resched with the letter of lazy preemption, as kernels have it in one column. */
static char merge_lazy(char resched, char lazy)
{
	if (lazy == '.')
		return resched;
	return resched == 'N' ? 'B' : resched == 'n' ? 'b' : resched == 'p' ? 'L' : 'l';
}

/* Parses letters by @columns. Returns false if a letter has no meaning in its column. */
static bool parse_letters(const char *letters, const char *columns, struct dump_rec *out)
{
	unsigned int depth = 0, low, migrate = 0, lazy_depth = 0, lock;
	char three[3] = { '.', '.', '.' }, lazy = '.';
	bool ok = true;

	for (; *columns && ok; columns++, letters++) {
		switch (*columns) {
		case COLUMN_IRQS:
			three[0] = *letters;
			break;
		case COLUMN_RESCHED:
			three[1] = *letters;
			break;
		case COLUMN_LAZY:
			lazy = *letters;
			break;
		case COLUMN_CONTEXT:
			three[2] = *letters;
			break;
		case COLUMN_DEPTH:
			ok = parse_depth(*letters, &depth);
			break;
		case COLUMN_DEPTH_LOW:
			ok = parse_depth(*letters, &low) && *letters != '.' && depth;
			depth = depth << 4 | low;
			break;
		case COLUMN_LAZY_DEPTH:
			ok = parse_depth(*letters, &lazy_depth);
			break;
		case COLUMN_MIGRATE:
			ok = parse_depth(*letters, &migrate);
			break;
		case COLUMN_LOCK:
			ok = parse_depth(*letters, &lock);
			break;
		}
	}
	three[1] = merge_lazy(three[1], lazy);
	out->count = depth | migrate << 4;
	out->lazy_depth = lazy_depth;
	return ok && ev_latency_parse(three, &out->flags);
}

/* Letters that were parsed: a text has few different ones. */
struct parsed_letters {
	uint64_t key;			/* the letters and their number; 0: empty */
	bool ok;
	uint8_t flags, count, lazy_depth;
};

#define PARSED_SLOTS 256

static uint64_t letters_key(const struct dump_rec *r)
{
	uint64_t key = 0;

	memcpy(&key, r->letters, DUMP_LETTERS);
	return key << 3 | (r->columns & 7);
}

/* Sets the flags of @r. Returns false if its letters have no meaning in their columns. */
static bool apply_letters(struct parsed_letters *slots, const char *columns, struct dump_rec *r)
{
	uint64_t key = letters_key(r);
	struct parsed_letters *p = &slots[(key * 0x9e3779b97f4a7c15ULL) >> 56];

	if (p->key != key) {
		struct dump_rec parsed = {0};

		p->ok = parse_letters(r->letters, columns, &parsed);
		p->key = key;
		p->flags = parsed.flags;
		p->count = parsed.count;
		p->lazy_depth = parsed.lazy_depth;
	}
	if (!p->ok)
		return false;
	memset(r->letters, 0, sizeof(r->letters));
	r->flags = p->flags;
	r->count = p->count;
	r->lazy_depth = p->lazy_depth;
	return true;
}

static void remove_flags(struct dump_rec *r)
{
	memset(r->letters, 0, sizeof(r->letters));
	r->has_flags = false;
}

void flag_columns_apply(const struct flag_columns *c, struct log_dump *d)
{
	struct parsed_letters *slots = xcalloc(PARSED_SLOTS, sizeof(*slots));
	const char *columns[DUMP_LETTERS + 1] = {0};
	struct dump_rec *r, *to, *end = d->v + d->n;

	for (unsigned int n = 4; n <= DUMP_LETTERS; n++)
		if (c->lines[n])
			columns[n] = choose_columns(c, n, &d->ambiguity);
	for (r = to = d->v; r < end; r++) {
		if (r->columns && !columns[r->columns]) {
			d->ambiguous_flags++;
			remove_flags(r);
		} else if (r->columns && r->letters[0] == 'X') {
			/* the architecture does not show whether interrupts were off */
			remove_flags(r);
			d->without_flags++;
		} else if (r->columns && !apply_letters(slots, columns[r->columns], r)) {
			if (!d->unknown++ || r->line < d->first_unknown)
				d->first_unknown = r->line;
			continue;
		} else if (!r->has_flags) {
			d->without_flags++;
		}
		if (r->lazy_depth)
			d->lazy_depths += r->columns > 0;
		if (to != r)
			*to = *r;
		to++;
	}
	d->n = to - d->v;
	free(slots);
}
