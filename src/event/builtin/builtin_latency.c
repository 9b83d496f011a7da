/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of the tracers hwlat, osnoise, timerlat, wakeup and branch. */
#include <string.h>

#include "event/builtin/builtin.h"
#include "event/print/number_text.h"

static void add_num(struct buf *out, const char *before, uint64_t v, int width)
{
	buf_addstr(out, before);
	put_number(out, v, 10, PUT_SIGN, width, -1);
}

/* Kernels with a generic sched_clock() (not x86) can't take the time in an NMI: they leave it 0. */
void own_hwlat(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r, uint64_t ts,
	       struct buf *out)
{
	(void)e;
	(void)ts;
	buf_addch(out, '#');
	put_number(out, own_num(s, r, 0), 10, PUT_LEFT, 5, -1);
	add_num(out, " inner/outer(us): ", own_num(s, r, 1), 4);
	buf_addch(out, '/');
	put_number(out, own_num(s, r, 2), 10, PUT_LEFT, 5, -1);
	add_num(out, " ts:", own_num(s, r, 3), -1);
	buf_addch(out, '.');
	put_number(out, own_num(s, r, 4), 10, PUT_SIGN | PUT_ZERO, 9, -1);
	add_num(out, " count:", (int32_t)own_num(s, r, 5), -1);
	if (!own_num(s, r, 6))
		return;
	if (own_num(s, r, 7))
		add_num(out, " nmi-total:", own_num(s, r, 7), -1);
	add_num(out, " nmi-count:", own_num(s, r, 6), -1);
}

/* The share of the time that was left to the measuring thread, in percent with five digits. */
static void add_share(struct buf *out, uint64_t runtime, uint64_t noise)
{
	uint64_t ratio = runtime ? (runtime - noise) * 10000000 / runtime : 0;

	put_number(out, ratio / 100000, 10, 0, 3, -1);
	buf_addch(out, '.');
	put_number(out, ratio % 100000, 10, PUT_ZERO, 5, -1);
}

void own_osnoise(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r, uint64_t ts,
		 struct buf *out)
{
	(void)e;
	(void)ts;
	put_dec(out, own_num(s, r, 0));
	buf_addch(out, ' ');
	put_number(out, own_num(s, r, 1), 10, 0, 10, -1);
	buf_addch(out, ' ');
	add_share(out, own_num(s, r, 0), own_num(s, r, 1));
	buf_addch(out, ' ');
	put_number(out, own_num(s, r, 2), 10, 0, 7, -1);
	for (unsigned int i = 3; i < 8; i++)
		add_num(out, " ", own_num(s, r, i), 6);
}

void own_timerlat(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r, uint64_t ts,
		  struct buf *out)
{
	static const char *const contexts[] = { "irq", "thread", "user-ret" };
	uint64_t context = own_num(s, r, 1);
	const char *name = context < 3 ? contexts[context] : "?";

	(void)e;
	(void)ts;
	buf_addch(out, '#');
	put_number(out, own_num(s, r, 0), 10, PUT_LEFT, 5, -1);
	buf_addstr(out, " context ");
	put_padded(out, name, strlen(name), 6, false);
	buf_addstr(out, " timer_latency ");
	put_number(out, own_num(s, r, 2), 10, 0, 9, -1);
	buf_add(out, " ns", 3);
}

/* pid, prio and state as "%7d:%3d:%c"; the state is an index of the kernel's task states. */
static void add_task_state(struct buf *out, const struct ev_slot *s, const struct ev_rec *r,
			   unsigned int first)
{
	static const char states[] = "RSDTtXZPI";
	uint64_t state = own_num(s, r, first + 2);

	put_number(out, (int32_t)own_num(s, r, first), 10, PUT_SIGN, 7, -1);
	buf_addch(out, ':');
	put_number(out, own_num(s, r, first + 1), 10, 0, 3, -1);
	buf_addch(out, ':');
	buf_addch(out, state < sizeof(states) - 1 ? states[state] : '?');
}

static void add_switch(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
		       const char *arrow, struct buf *out)
{
	const char *comm = comm_find(e, own_num(s, r, 4));

	buf_addch(out, ' ');
	add_task_state(out, s, r, 0);
	buf_addstr(out, arrow);
	put_number(out, (int32_t)own_num(s, r, 3), 10, PUT_SIGN | PUT_ZERO, 3, -1);
	buf_add(out, "] ", 2);
	add_task_state(out, s, r, 4);
	buf_addch(out, ' ');
	engine_text(e, out, comm, strlen(comm), false);
}

void own_context_switch(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
			uint64_t ts, struct buf *out)
{
	(void)ts;
	add_switch(e, s, r, " ==> [", out);
}

void own_wakeup(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r, uint64_t ts,
		struct buf *out)
{
	(void)ts;
	add_switch(e, s, r, "   + [", out);
}

static void add_field_text(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r,
			   unsigned int i, struct buf *out)
{
	const uint8_t *p;
	uint32_t len;

	if (ev_get_bytes(r, s->f[i], &p, &len))
		engine_text(e, out, (const char *)p, strnlen((const char *)p, len), false);
}

void own_branch(struct ev_engine *e, const struct ev_slot *s, const struct ev_rec *r, uint64_t ts,
		struct buf *out)
{
	(void)ts;
	buf_addstr(out, own_num(s, r, 0) ? "[  ok  ] " : "[ MISS ] ");
	add_field_text(e, s, r, 1, out);
	buf_addch(out, ':');
	add_field_text(e, s, r, 2, out);
	add_num(out, ":", (int32_t)own_num(s, r, 3), -1);
}
