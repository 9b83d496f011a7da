/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests to block devices, from the driver's taking to the device's answer. */
#include "model/model_priv.h"

#define NO_SECTOR UINT64_MAX

struct request {
	uint64_t dev, sector, nr;
};

/* A request without sectors, such as a flush, is told by its device alone. */
static bool read_request(const struct bind *b, const struct at *at, struct request *q)
{
	if (!at_num(at, b->f[0], &q->dev) || !at_num(at, b->f[1], &q->sector) ||
	    !at_num(at, b->f[2], &q->nr))
		return false;
	q->nr &= UINT32_MAX;
	q->dev |= (uint64_t)at->r->file << 32;
	if (!q->nr)
		q->sector = NO_SECTOR;
	return true;
}

static struct span_list *list_of_request(struct model *m, const struct request *q, bool make)
{
	return list_of(m, SPAN_BLOCK, q->dev, q->sector, make);
}

static const char *rwbs_text(struct model *m, const struct bind *b, const struct at *at)
{
	const char *p;
	size_t len;

	return at_text(at, b->f[3], &p, &len) ? model_text(m, p, len) : "";
}

/* The oldest that was given back, and now is taken again. */
static struct span *find_requeued(const struct span_list *list)
{
	struct span *s = list ? list->old : NULL;

	while (s && !s->form)
		s = s->above;
	return s;
}

void block_issue(struct model *m, const struct bind *b, const struct at *at)
{
	struct request q;
	struct span *s;

	if (!read_request(b, at, &q))
		return;
	s = find_requeued(list_of_request(m, &q, false));
	if (s) {
		s->form = 0;
		return;
	}
	s = span_begin(m, list_of_request(m, &q, true), SPAN_BLOCK,
		       (uintptr_t)rwbs_text(m, b, at), SPAN_NAME_TEXT, false, at);
	if (!s)
		return;
	s->left = q.nr;
	span_begun(m, s, at);
}

void block_complete(struct model *m, const struct bind *b, const struct at *at)
{
	struct span_list *list;
	struct request q;
	struct span *s;

	if (!read_request(b, at, &q))
		return;
	list = list_of_request(m, &q, true);
	s = list->old;
	if (!s) {
		span_lone_end(m, list, SPAN_BLOCK, (uintptr_t)rwbs_text(m, b, at), SPAN_NAME_TEXT,
			      false, at);
	} else if (q.nr < s->left) {
		s->left -= q.nr;
		span_rekey(m, s, q.dev, q.sector + q.nr);
	} else {
		span_end_now(m, s, 0, at);
	}
}

void block_requeue(struct model *m, const struct bind *b, const struct at *at)
{
	struct request q;
	struct span_list *list;
	struct span *s;

	if (!read_request(b, at, &q))
		return;
	list = list_of_request(m, &q, false);
	s = list ? list->old : NULL;
	while (s && s->form)
		s = s->above;
	if (!s)
		return;
	s->form = 1;
	s->marks |= SPAN_REQUEUED;
}
