/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pseudonyms.
 *
 * A word becomes letters and digits of the same number, computed from the word and the key alone:
 * so it is the same in a record, in the list of names and in another file with the same key. Words
 * are cached, as a trace has the same few thousand. A pid becomes another one by a permutation, so
 * that no two tasks become one. The last letter of a word of four or more follows from the others,
 * by which scrub_check() knows a pseudonym without the key.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rewrite/scrub_priv.h"

#define WORDS_MAX (1u << 20)	/* cached words; more, and longer ones, are computed each time */
#define WORD_CACHED 64		/* bytes of the longest one */
#define PID_BITS  SCRUB_PID_BITS
#define PID_LIMIT (1u << PID_BITS)
#define EXAMPLE_MAX 60
#define SMALL	  4096		/* numbers below are no addresses: the first page is never mapped */
#define CHECKED	  4		/* letters of a word with a check letter */

static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";

/* Different hashes of one key. */
enum hash_kind { HASH_WORD = 1, HASH_PID, HASH_USER, HASH_ADDRESS, HASH_ID };

struct scrub_word {
	uint32_t classes;	/* bits of those that it was counted in */
	char     text[];
};

/* --- counting */

struct scrub_place *scrub_place_of(struct scrub_run *s, const char *fmt, ...)
{
	struct scrub_place *p;
	struct buf name = {0};
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&name, fmt, ap);
	va_end(ap);
	p = textmap_get(&s->by_name, name.data, name.len);
	if (!p) {
		p = xcalloc(1, sizeof(*p));
		p->name = xstrdup(name.data);
		p->next = s->places;
		s->places = p;
		textmap_put(&s->by_name, name.data, name.len, p);
	}
	buf_release(&name);
	return p;
}

/* Returns a copy for a table of lines: control bytes become blanks. */
static char *copy_example(const char *p, size_t len)
{
	char *out = xstrndup(p, len < EXAMPLE_MAX ? len : EXAMPLE_MAX);

	for (char *c = out; *c; c++)
		if ((uint8_t)*c < ' ')
			*c = ' ';
	return out;
}

static inline void scrub_note_text(struct scrub_place *at, enum scrub_class c, const char *p,
				   size_t len)
{
	if (!at->n[c]++)
		at->example[c] = copy_example(p, len);
}

/* Stores the first number as its example. Numbers of a marked source are pseudonyms. */
static inline void scrub_note_number(struct scrub_run *s, struct scrub_place *at,
				     enum scrub_class c, int64_t v)
{
	if (s->marked[c] || at->n[c]++)
		return;
	at->example[c] = c == SCRUB_PIDS || c == SCRUB_USERS ? xasprintf("%lld", (long long)v) :
			 xasprintf("%#llx", (unsigned long long)v);
}

/* --- words */

static uint64_t scrub_hash(const struct scrub_run *s, enum hash_kind kind, uint64_t a, uint64_t b)
{
	uint64_t in[3] = { kind, a, b };

	return siphash(&s->opts.key, in, sizeof(in));
}

/* Returns the letter that a word with the @n letters at @p ends with. */
static char check_letter(const char *p, size_t n)
{
	unsigned int sum = 7;

	for (size_t i = 0; i < n; i++)
		sum = sum * 5 + (uint8_t)p[i];
	return letters[sum % 32];
}

static void scrub_make_word(const struct scrub_run *s, const char *p, size_t len, char *out)
{
	uint64_t seed = siphash(&s->opts.key, p, len), bits = 0;
	size_t n = len >= CHECKED ? len - 1 : len;

	for (size_t i = 0; i < n; i++) {
		if (i % 12 == 0)
			bits = scrub_hash(s, HASH_WORD, seed, i / 12);
		out[i] = i ? letters[bits % 32] : letters[bits % 26];
		bits = i ? bits / 32 : bits / 26;
	}
	if (n < len)
		out[n] = check_letter(out, n);
}

/* Returns true for the form of scrub_make_word()'s result. */
static bool is_pseudonym(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!p[i] || !strchr(letters, p[i]))
			return false;
	return len < CHECKED || p[len - 1] == check_letter(p, len - 1);
}

void scrub_word(struct scrub_run *s, struct scrub_place *at, enum scrub_class c, char *p,
		size_t len)
{
	struct scrub_word *w;

	if (!len || s->opts.keep[c] || (s->marked[c] && is_pseudonym(p, len)))
		return;
	scrub_note_text(at, c, p, len);
	w = textmap_get(&s->words, p, len);
	if (!w && (len > WORD_CACHED || s->words.n >= WORDS_MAX)) {
		char *out = xmalloc(len);

		scrub_make_word(s, p, len, out);
		memcpy(p, out, len);
		free(out);
		return;
	}
	if (!w) {
		w = xmalloc(sizeof(*w) + len);
		w->classes = 0;
		scrub_make_word(s, p, len, w->text);
		textmap_put(&s->words, p, len, w);
	}
	if (!(w->classes >> c & 1)) {
		w->classes |= 1u << c;
		s->distinct[c]++;
	}
	memcpy(p, w->text, len);
}

static inline bool is_separator(char c)
{
	return c == '/' || c == ' ' || c == '\n' || c == '\t' || !c;
}

/* Words that are no names: parts of a path, and the kernel's text for no text. */
static bool is_plain_word(const char *p, size_t len)
{
	static const char *const words[] = { ".", "..", "(null)", "(fault)", "(efault)" };

	for (size_t i = 0; (*p == '.' || *p == '(') && i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i]) == len && !memcmp(words[i], p, len))
			return true;
	return false;
}

void scrub_words(struct scrub_run *s, struct scrub_place *at, enum scrub_class c, char *p,
		 size_t len)
{
	char *end = p + len, *word, whole[EXAMPLE_MAX];
	size_t shown = len < sizeof(whole) ? len : sizeof(whole);
	bool first;

	if (c == SCRUB_STRINGS && memchr(p, '/', len))
		c = SCRUB_PATHS;
	if (s->opts.keep[c])
		return;
	first = !at->n[c];
	if (first)
		memcpy(whole, p, shown);
	while (p < end) {
		word = p;
		while (p < end && !is_separator(*p))
			p++;
		if (p > word && !is_plain_word(word, p - word))
			scrub_word(s, at, c, word, p - word);
		while (p < end && is_separator(*p))
			p++;
	}
	/* the example is the whole text, not its first word */
	if (first && at->n[c]) {
		free(at->example[c]);
		at->example[c] = copy_example(whole, shown);
	}
}

bool scrub_glob(const char *pattern, const char *p, size_t len)
{
	const char *end = p + len, *star = NULL, *from = NULL;
	int digits;

	while (p < end || *pattern) {
		if (*pattern == '*') {
			star = ++pattern;
			from = p;
			continue;
		}
		if (*pattern == '#' && p < end && *p >= '0' && *p <= '9') {
			for (digits = 0; digits < 5 && p < end && *p >= '0' && *p <= '9'; digits++)
				p++;
			pattern++;
			continue;
		}
		if (p < end && *pattern == *p) {
			pattern++;
			p++;
			continue;
		}
		if (!star || from >= end)
			return false;
		p = ++from;
		pattern = star;
	}
	return true;
}

/* Threads that all kernels have. The list is in ftr-scrub(1). */
static bool is_kernel_thread(const char *p, size_t len)
{
	static const char *const names[] = {
		"swapper", "swapper/#", "<idle>", "<...>", "kthreadd", "kworker/#:#",
		"kworker/#:#H", "kworker/u#:#", "kworker/u#:#H", "ksoftirqd/#", "migration/#",
		"cpuhp/#", "idle_inject/#", "watchdog/#", "ktimers/#", "ktimersoftd/#",
		"posixcputmr/#", "rcu_sched", "rcu_preempt", "rcu_bh", "rcu_gp",
		"rcu_par_gp", "rcuc/#", "rcub/#",
		"rcuop/#", "rcuos/#", "rcuog/#", "rcu_tasks_kthre", "rcu_tasks_rude_",
		"rcu_tasks_trace", "rcu_exp_gp_kthr", "rcu_exp_par_gp_", "kswapd#", "kcompactd#",
		"khugepaged", "ksmd", "kdevtmpfs", "khungtaskd", "oom_reaper", "kauditd",
	};

	/* all but <idle> and <...> begin with one of these letters */
	if (!len || !strchr("skmciwpro<", *p))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (scrub_glob(names[i], p, len))
			return true;
	return false;
}

void scrub_task(struct scrub_run *s, struct scrub_place *at, char *p, size_t len)
{
	if (!s->opts.keep[SCRUB_TASKS] && !is_kernel_thread(p, len))
		scrub_word(s, at, SCRUB_TASKS, p, len);
}

void scrub_clear(struct scrub_run *s, struct scrub_place *at, enum scrub_class c, void *p,
		 size_t len)
{
	const uint8_t *b = p;
	char example[3 * 12 + 4];
	size_t i, at_out = 0;

	if (s->opts.keep[c] || mem_is_zero(p, len))
		return;
	if (!at->n[c]) {
		for (i = 0; i < len && i < 12; i++)
			at_out += snprintf(example + at_out, sizeof(example) - at_out, "%s%02x",
					   i ? " " : "", b[i]);
		scrub_note_text(at, c, example, at_out);
	} else {
		at->n[c]++;
	}
	memset(p, 0, len);
}

/* --- numbers */

/* A Feistel network of four rounds over the bits of a pid. */
static uint32_t permute(const struct scrub_run *s, enum hash_kind kind, uint32_t v)
{
	const uint32_t half = PID_BITS / 2, mask = (1u << half) - 1;
	uint32_t left = v >> half, right = v & mask, next;

	for (unsigned int round = 0; round < 4; round++) {
		next = left ^ (scrub_hash(s, kind, round, right) & mask);
		left = right;
		right = next;
	}
	return left << half | right;
}

/* 0 stays, so the number that would become 0 becomes what 0 would be. */
static uint32_t permute_nonzero(const struct scrub_run *s, enum hash_kind kind, uint32_t v)
{
	uint32_t to = permute(s, kind, v);

	return to ? to : permute(s, kind, 0);
}

/* A number beyond all pids stays beyond them. */
static uint32_t hash_beyond(const struct scrub_run *s, enum hash_kind kind, uint64_t v)
{
	return PID_LIMIT + scrub_hash(s, kind, v, 1) % (INT32_MAX - PID_LIMIT);
}

int64_t scrub_pid(struct scrub_run *s, struct scrub_place *at, int64_t pid)
{
	uint64_t v = pid < 0 ? -(uint64_t)pid : (uint64_t)pid, to;

	/* -1 is all tasks, or no task; other negative numbers are process groups */
	if (s->opts.keep[SCRUB_PIDS] || !pid || pid == -1)
		return pid;
	scrub_note_number(s, at, SCRUB_PIDS, pid);
	if (v >= PID_LIMIT) {
		to = hash_beyond(s, HASH_PID, v);
	} else {
		if (!s->pids[v]) {
			s->pids[v] = permute_nonzero(s, HASH_PID, v);
			s->distinct[SCRUB_PIDS]++;
		}
		to = s->pids[v];
	}
	return pid < 0 ? -(int64_t)to : (int64_t)to;
}

uint64_t scrub_user(struct scrub_run *s, struct scrub_place *at, uint64_t id, unsigned int size)
{
	uint64_t none = size < 8 ? UINT32_MAX : UINT64_MAX;

	if (s->opts.keep[SCRUB_USERS] || !id || id == none || id == UINT32_MAX)
		return id;
	scrub_note_number(s, at, SCRUB_USERS, id);
	return id < PID_LIMIT ? permute_nonzero(s, HASH_USER, id) : hash_beyond(s, HASH_USER, id);
}

uint64_t scrub_address(struct scrub_run *s, struct scrub_place *at, uint64_t v, unsigned int size)
{
	uint64_t all = size < 8 ? UINT32_MAX : UINT64_MAX, hash;

	/* errors are negative */
	if (v < SMALL || v > all - SMALL || (v >= s->low && v <= s->high) ||
	    s->opts.keep[SCRUB_ADDRESSES])
		return v;
	scrub_note_number(s, at, SCRUB_ADDRESSES, v);
	hash = scrub_hash(s, HASH_ADDRESS, v, size);
	if (size < 8)
		return v >> 31 ? 0x80000000 | (hash & 0x3fffffff) | SMALL :
		       (hash & 0x7fffffff) | SMALL;
	return v >> 63 ? 0xffff800000000000 | (hash & 0x3fffffffffff) :
	       (hash & 0x7fffffffffff) | SMALL;
}

uint64_t scrub_id(struct scrub_run *s, struct scrub_place *at, uint64_t id)
{
	if (s->opts.keep[SCRUB_HOST] || !id)
		return id;
	scrub_note_number(s, at, SCRUB_HOST, id);
	return scrub_hash(s, HASH_ID, id, 0);
}
