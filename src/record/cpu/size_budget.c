/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many bytes of data a file may still get: one account of all threads that write to it. */
#include "record/cpu/size_budget.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"

struct budget {
	pthread_mutex_t lock;
	pthread_cond_t given;		/* somebody has taken what he got, or returned it */
	int64_t  left;			/* below 0: more was taken than there was */
	uint64_t least;			/* a sub-buffer of each CPU */
	uint32_t unit;			/* the largest sub-buffer */
	unsigned int holders;		/* threads between budget_take() and budget_give() */
	bool     spent;			/* somebody got nothing */
	bool     spills;
};

struct budget *budget_new(uint64_t bytes, bool spills)
{
	struct budget *b = xcalloc(1, sizeof(*b));

	b->left = bytes < INT64_MAX ? bytes : INT64_MAX;
	b->spills = spills;
	pthread_mutex_init(&b->lock, NULL);
	pthread_cond_init(&b->given, NULL);
	return b;
}

bool budget_spills(const struct budget *b)
{
	return b->spills;
}

void budget_add(struct budget *b, uint32_t subbuf_size, size_t cpus)
{
	b->least += (uint64_t)subbuf_size * cpus;
	if (b->left < (int64_t)b->least)
		b->left = b->least;
	if (b->unit < subbuf_size)
		b->unit = subbuf_size;
}

/* How much comes is known only once it is there: a thread asks for more than it will get. */
size_t budget_take(struct budget *b, size_t want, uint32_t subbuf_size, bool beyond)
{
	size_t got = want;

	pthread_mutex_lock(&b->lock);
	while (!beyond && b->left < (int64_t)want && b->holders)
		pthread_cond_wait(&b->given, &b->lock);
	if (!beyond && b->left < (int64_t)want)
		got = b->left > 0 ? b->left - b->left % subbuf_size : 0;
	b->left -= got;
	b->holders += got > 0;
	b->spent |= !got;
	pthread_mutex_unlock(&b->lock);
	return got;
}

void budget_give(struct budget *b, size_t bytes)
{
	pthread_mutex_lock(&b->lock);
	b->left += bytes;
	b->holders--;
	pthread_cond_broadcast(&b->given);
	pthread_mutex_unlock(&b->lock);
}

bool budget_spent(struct budget *b)
{
	bool spent;

	pthread_mutex_lock(&b->lock);
	spent = b->spent || (!b->holders && b->left < (int64_t)b->unit);
	pthread_mutex_unlock(&b->lock);
	return spent;
}

void budget_free(struct budget *b)
{
	if (!b)
		return;
	pthread_cond_destroy(&b->given);
	pthread_mutex_destroy(&b->lock);
	free(b);
}
