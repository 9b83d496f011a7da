/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The accounts of tasks, and the intervals to which they are restricted. */
#include <stdlib.h>

#include "model/why/why_priv.h"

/* --- accounts */

/* Appends an account. Returns its number. */
static uint32_t account_new(struct why *w, const struct why_account *a)
{
	w->accounts = xgrow(w->accounts, &w->cap_accounts, w->nr_accounts + 1,
			    sizeof(*w->accounts));
	w->accounts[w->nr_accounts++] = *a;
	return w->nr_accounts;
}

/* Adds accounts of the same intervals for a later task with the pid. Returns the first number. */
static uint32_t accounts_repeat(struct why *w, uint32_t nr)
{
	uint32_t first = 0;

	for (; nr; nr = w->accounts[nr - 1].next) {
		struct why_account a = { .in = w->accounts[nr - 1].in, .original = nr,
					 .nr_in = w->accounts[nr - 1].nr_in, .next = first };

		first = account_new(w, &a);
	}
	return first;
}

static int compare_todo(const void *a, const void *b)
{
	const struct why_todo *x = a, *y = b;

	return x->from != y->from ? x->from < y->from ? -1 : 1 : (x->nr > y->nr) - (x->nr < y->nr);
}

void why_account_add(struct why *w, struct why_task *wt)
{
	uint64_t key = (uint64_t)wt->t->file << 32 | (uint32_t)wt->t->pid;
	uint32_t nr = (uintptr_t)map_get(&w->spans, key);

	if (!nr) {
		if (w->opts.wants && !w->opts.wants(w->opts.ctx, wt->t))
			return;
		nr = account_new(w, &(struct why_account){0});
	} else if (w->accounts[nr - 1].task) {
		nr = accounts_repeat(w, nr);
	}
	wt->account = nr;
	for (; nr; nr = w->accounts[nr - 1].next) {
		struct why_account *a = &w->accounts[nr - 1];

		a->task = wt->t;
		wt->todo = xgrow(wt->todo, &wt->cap_todo, wt->nr_todo + 1, sizeof(*wt->todo));
		wt->todo[wt->nr_todo++] = (struct why_todo){ a->in ? a->in[0].from : 0, nr };
	}
	qsort(wt->todo, wt->nr_todo, sizeof(*wt->todo), compare_todo);
}

size_t why_add_account(struct why *w, uint32_t file, int32_t pid, uint64_t from, uint64_t to)
{
	uint64_t key = (uint64_t)file << 32 | (uint32_t)pid;
	uint32_t nr = (uintptr_t)map_get(&w->spans, key);
	struct why_account a = { .in = xcalloc(1, sizeof(*a.in)), .nr_in = 1, .next = nr };

	a.in[0] = (struct why_span){ from, to, file };
	nr = account_new(w, &a);
	map_put(&w->spans, key, (void *)(uintptr_t)nr);
	return nr - 1;
}

void why_add_span(struct why *w, uint32_t file, int32_t pid, uint64_t from, uint64_t to)
{
	uint64_t key = (uint64_t)file << 32 | (uint32_t)pid;
	uint32_t nr = (uintptr_t)map_get(&w->spans, key);
	struct why_account *a;

	if (!nr) {
		nr = account_new(w, &(struct why_account){0});
		map_put(&w->spans, key, (void *)(uintptr_t)nr);
	}
	a = &w->accounts[nr - 1];
	a->in = xgrow(a->in, &a->cap_in, a->nr_in + 1, sizeof(*a->in));
	a->in[a->nr_in++] = (struct why_span){ from, to, file };
}

/* --- stays in intervals */

/* Returns the index of the first interval of the file that ends after @from, or of one after it. */
static size_t span_after(const struct why_span *v, size_t n, uint32_t file, uint64_t from)
{
	size_t low = 0, high = n, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (v[mid].file < file || (v[mid].file == file && v[mid].to <= from))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static void account_part(struct why *w, uint32_t account, const struct why_stay *s, uint64_t from,
			 uint64_t to)
{
	struct why_account *a = &w->accounts[account - 1];
	struct why_place at = { .account = account };

	if (!a->time || from < a->from)
		a->from = from;
	a->to = to > a->to ? to : a->to;
	a->time += to - from;
	why_rows_add(w, &at, a->task, s, from, to);
}

/* Adds the part of a stay from @from to @to, as far as it is in the intervals of all tasks. */
static void account_all(struct why *w, uint32_t account, const struct why_stay *s, uint64_t from,
			uint64_t to)
{
	const struct why_opts *o = &w->opts;
	uint32_t file = w->accounts[account - 1].task->file;
	uint64_t begin, end;

	if (!o->in) {
		account_part(w, account, s, from, to);
		return;
	}
	for (size_t i = span_after(o->in, o->nr_in, file, from);
	     i < o->nr_in && o->in[i].file == file && o->in[i].from < to; i++) {
		begin = o->in[i].from > from ? o->in[i].from : from;
		end = o->in[i].to < to ? o->in[i].to : to;
		if (end > begin)
			account_part(w, account, s, begin, end);
	}
}

/* Adds a stay of the task of an account to its rows, as far as it is in its intervals. */
static void account_stay(struct why *w, uint32_t account, const struct why_stay *s)
{
	const struct why_span all = { 0, UINT64_MAX, w->accounts[account - 1].task->file };
	struct why_account *a = &w->accounts[account - 1];
	const struct why_span *in = a->in ? a->in : &all;
	size_t n = a->in ? a->nr_in : 1;
	uint64_t from, to;

	if (s->state == TASK_DEAD)
		return;
	for (size_t i = span_after(in, n, all.file, s->from); i < n && in[i].from < s->to; i++) {
		from = in[i].from > s->from ? in[i].from : s->from;
		to = in[i].to < s->to ? in[i].to : s->to;
		from = from > w->opts.from ? from : w->opts.from;
		to = to < w->opts.to ? to : w->opts.to;
		if (to <= from)
			continue;
		if (a->last_met != i + 1) {
			a->last_met = i + 1;
			a->nr_met++;
		}
		account_all(w, account, s, from, to);
	}
}

/* Returns true if no interval of the account ends after @ts. */
static bool account_has_ended(const struct why *w, uint32_t account, uint64_t ts)
{
	const struct why_account *a = &w->accounts[account - 1];

	return a->in && a->in[a->nr_in - 1].to <= ts;
}

void why_account_stays(struct why *w, struct why_task *wt, size_t left)
{
	while (wt->account && wt->accounted + left < wt->n) {
		struct why_stay s = wt->v[wt->accounted++];
		size_t kept = 0;

		while (wt->next_todo < wt->nr_todo && wt->todo[wt->next_todo].from < s.to)
			wt->todo[wt->nr_open++] = wt->todo[wt->next_todo++];
		for (size_t i = 0; i < wt->nr_open; i++) {
			account_stay(w, wt->todo[i].nr, &s);
			if (!account_has_ended(w, wt->todo[i].nr, s.to))
				wt->todo[kept++] = wt->todo[i];
		}
		wt->nr_open = kept;
		if (!kept && wt->next_todo == wt->nr_todo)
			wt->account = 0;
	}
}

/* --- results */

/* Swaps an account with its original, which stays the one that owns the intervals. */
static void accounts_swap(struct why_account *a, struct why_account *original)
{
	struct why_account was = *original;
	uint32_t nr = a->original;

	*original = *a;
	original->original = 0;
	*a = was;
	a->original = nr;
}

struct why_account *why_accounts(struct why *w, size_t *n)
{
	for (size_t i = 0; i < w->nr_accounts; i++) {
		struct why_account *a = &w->accounts[i];
		struct why_task *wt = a->task ? why_task_known(w, a->task) : NULL;

		if (wt)
			why_account_stays(w, wt, 0);
	}
	for (size_t i = 0; i < w->nr_accounts; i++) {
		uint32_t nr = w->accounts[i].original;

		if (nr && w->accounts[i].time && !w->accounts[nr - 1].time)
			accounts_swap(&w->accounts[i], &w->accounts[nr - 1]);
	}
	*n = w->nr_accounts;
	return w->accounts;
}
