/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kinds that users make of two events: --pair NAME=BEGIN,END[,KEY]. */
#include <stdlib.h>

#include "base/text.h"
#include "model/model_priv.h"

#define PAIRS_MAX	(SPAN_KINDS_MAX - SPAN_PAIR)

enum { PAIR_BEGIN, PAIR_END };

static struct span_list *list_of_key(struct model *m, const struct bind *b, const struct at *at,
				     uint64_t *key)
{
	uint64_t a = (uintptr_t)at->task;

	*key = 0;
	if (b->f[0]) {
		if (!at_num(at, b->f[0], key))
			return NULL;
		a = at->r->file;
	}
	return list_of(m, b->kind, a, *key, true);
}

static uint64_t name_of(const struct model *m, const struct bind *b)
{
	return (uintptr_t)m->pairs[b->kind - SPAN_PAIR].name;
}

static void pair_begin(struct model *m, const struct bind *b, const struct at *at)
{
	uint64_t key;
	struct span_list *list = list_of_key(m, b, at, &key);
	struct span *s;

	if (!list)
		return;
	if (list->young) {
		span_end_now(m, list->young, SPAN_NO_END, at);
		list = list_of_key(m, b, at, &key);
	}
	s = span_begin(m, list, b->kind, name_of(m, b), SPAN_NAME_TEXT, !b->f[0], at);
	if (s)
		span_begun(m, s, at);
}

static void pair_end(struct model *m, const struct bind *b, const struct at *at)
{
	uint64_t key;
	struct span_list *list = list_of_key(m, b, at, &key);

	if (!list)
		return;
	if (list->young)
		span_end_now(m, list->young, 0, at);
	else
		span_lone_end(m, list, b->kind, name_of(m, b), SPAN_NAME_TEXT, !b->f[0], at);
}

static bool is_event(const struct model_pair *p, int which, const struct ev_format *fmt)
{
	return !strcmp(p->system[which], fmt->system) && !strcmp(p->event[which], fmt->name);
}

/* What ends comes before what begins: one event may do both. The last one added is done first. */
void pairs_bind(struct model *m, uint32_t file, const struct ev_format *fmt, uint32_t *nr)
{
	for (int which = PAIR_BEGIN; which <= PAIR_END; which++) {
		for (size_t i = 0; i < m->nr_pairs; i++) {
			const struct model_pair *p = &m->pairs[i];
			struct bind b = { .file = file, .kind = SPAN_PAIR + i };

			if (!is_event(p, which, fmt))
				continue;
			b.on = which == PAIR_BEGIN ? pair_begin : pair_end;
			b.f[0] = p->key[which] ? ev_field(fmt, p->key[which]) : NULL;
			if (p->key[which] && !b.f[0])
				continue;
			bind_add(m, &b, nr);
		}
	}
}

/* --- the user's words */

static int say_form(const char *text, struct ftr_error *err)
{
	err_set(err, FTR_USAGE, "'%s' is not a pair of events", text);
	return err_hint(err, "write it as NAME=SYSTEM:EVENT,SYSTEM:EVENT[,FIELD] or "
			"[,BEGINFIELD=ENDFIELD]");
}

static bool take_event(struct model_pair *p, int which, const char *word)
{
	const char *colon = strchr(word, ':');

	if (!colon || colon == word || !colon[1])
		return false;
	p->system[which] = xstrndup(word, colon - word);
	p->event[which] = xstrdup(colon + 1);
	return true;
}

static bool take_key(struct model_pair *p, const char *word)
{
	const char *equal = strchr(word, '=');

	if (equal == word || (equal && !equal[1]))
		return false;
	p->key[PAIR_BEGIN] = equal ? xstrndup(word, equal - word) : xstrdup(word);
	p->key[PAIR_END] = xstrdup(equal ? equal + 1 : word);
	return true;
}

static int parse_pair(struct model *m, const char *text, struct ftr_error *err)
{
	const char *equal = strchr(text, '=');
	struct model_pair *p = &m->pairs[m->nr_pairs];
	struct strv words = {0};
	bool fine;

	if (!equal || equal == text)
		return say_form(text, err);
	m->nr_pairs++;
	p->name = xstrndup(text, equal - text);
	strv_split(&words, equal + 1, ",");
	fine = (words.n == 2 || words.n == 3) && take_event(p, PAIR_BEGIN, words.v[0]) &&
	       take_event(p, PAIR_END, words.v[1]) && (words.n == 2 || take_key(p, words.v[2]));
	strv_release(&words);
	return fine ? 0 : say_form(text, err);
}

static int say_no_event(const struct model *m, const struct model_pair *p, int which,
			struct ftr_error *err)
{
	struct strv names = {0};
	struct buf word = {0};
	struct ev_format *v;
	const char *near;

	for (size_t i = 0; i < m->nr_files; i++)
		for (size_t k = ev_world_formats(&m->files[i].trace->world, NULL, &v); k--;) {
			buf_printf(&word, "%s:%s", v[k].system, v[k].name);
			strv_take(&names, buf_take(&word));
		}
	buf_printf(&word, "%s:%s", p->system[which], p->event[which]);
	err_set(err, FTR_FAILED, "no event '%s' for --pair", word.data);
	near = names.n ? text_closest(word.data, names.v) : NULL;
	if (near)
		err_hint(err, "did you mean '%s'?", near);
	else
		err_hint(err, "'ftr report -E FILE' lists the events that a file knows");
	buf_release(&word);
	strv_release(&names);
	return -1;
}

/* An event or a field that no file has is most likely a slip. */
static int check_end(const struct model *m, const struct model_pair *p, int which,
		     struct ftr_error *err)
{
	const struct ev_format *fmt = NULL;

	for (size_t i = 0; i < m->nr_files && !fmt; i++)
		fmt = ev_world_by_name(&m->files[i].trace->world, p->system[which],
				       p->event[which]);
	if (!fmt)
		return say_no_event(m, p, which, err);
	if (!p->key[which] || ev_format_ready(fmt) || ev_field(fmt, p->key[which]))
		return 0;
	err_set(err, FTR_FAILED, "event '%s:%s' has no field '%s'", p->system[which],
		p->event[which], p->key[which]);
	return err_hint(err, "'ftr report --events FILE' prints the formats of events");
}

int pairs_parse(struct model *m, const struct strv *pairs, struct ftr_error *err)
{
	if (pairs->n > PAIRS_MAX)
		return err_set(err, FTR_USAGE, "--pair was given more than %d times", PAIRS_MAX);
	m->pairs = xcalloc(pairs->n + 1, sizeof(*m->pairs));
	for (size_t i = 0; i < pairs->n; i++) {
		if (parse_pair(m, pairs->v[i], err))
			return -1;
		for (int which = PAIR_BEGIN; which <= PAIR_END; which++)
			if (check_end(m, &m->pairs[i], which, err))
				return -1;
	}
	return 0;
}

void pairs_release(struct model *m)
{
	for (size_t i = 0; i < m->nr_pairs; i++) {
		free(m->pairs[i].name);
		for (int which = PAIR_BEGIN; which <= PAIR_END; which++) {
			free(m->pairs[i].system[which]);
			free(m->pairs[i].event[which]);
			free(m->pairs[i].key[which]);
		}
	}
	free(m->pairs);
}
