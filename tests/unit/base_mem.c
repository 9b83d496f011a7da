/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory that runs out under a guard: the thread goes back to the innermost one. */
#include "base/mem.h"

#include <pthread.h>

#include "tap.h"

/* No address space has room for it, so that nothing is asked for. */
static void run_out(void)
{
	size_t cap = 0;

	xgrow(NULL, &cap, (size_t)1 << 62, 8);
}

/* Returns 1 if the guard caught it. */
static int caught(void)
{
	struct mem_guard g;

	mem_guard_enter(&g);
	if (setjmp(g.env))
		return 1;
	run_out();
	mem_guard_leave(&g);
	return 0;
}

static void guards_nest(void)
{
	struct mem_guard outer;
	volatile int inner = 0;

	mem_guard_enter(&outer);
	if (setjmp(outer.env)) {
		TAP_OK(inner == 2, "the outer guard counts after the inner ones");
		return;
	}
	inner += caught();
	inner += caught();
	run_out();
	TAP_OK(0, "the outer guard counts after the inner ones");
}

static void *run_thread(void *arg)
{
	*(int *)arg = caught();
	return NULL;
}

/* The guard of one thread is not that of another. */
static void threads_have_their_own(void)
{
	struct mem_guard g;
	pthread_t t;
	int there = 0;

	mem_guard_enter(&g);
	if (setjmp(g.env)) {
		TAP_OK(0, "each thread has its guards");
		return;
	}
	if (!pthread_create(&t, NULL, run_thread, &there))
		pthread_join(t, NULL);
	mem_guard_leave(&g);
	TAP_OK(there == 1, "each thread has its guards");
}

int main(void)
{
	TAP_OK(caught() == 1, "a guard is left when memory runs out");
	guards_nest();
	threads_have_their_own();
	return tap_done();
}
