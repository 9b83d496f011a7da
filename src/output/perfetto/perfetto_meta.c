/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets beside the events: the machine, its clocks, the names of its tasks. */
#include <stdlib.h>
#include <string.h>

#include "file/read/dat.h"
#include "output/perfetto/perfetto_priv.h"

/* BuiltinClock */
enum { CLOCK_REAL = 1, CLOCK_BOOT = 6 };
/* FtraceClock; those of the kernel that it has no number for are told as global. */
enum { FTRACE_BOOT = 0, FTRACE_GLOBAL = 2, FTRACE_LOCAL = 3, FTRACE_MONO_RAW = 4 };

static unsigned int clock_number(const char *clock)
{
	if (!strcmp(clock, "boot"))
		return FTRACE_BOOT;
	if (!strcmp(clock, "local"))
		return FTRACE_LOCAL;
	return strcmp(clock, "mono_raw") ? FTRACE_GLOBAL : FTRACE_MONO_RAW;
}

/*
 * Perfetto counts all by the boot clock, and wants a pair of times for another. Which time of that
 * clock is meant is not in the file: the times of the trace are taken as they are. It compares the
 * first of a pair with that of the bundle before, of whatever sequence, and passes over equal ones.
 */
void pf_add_clock(const struct dat_buffer *b, uint64_t ts, size_t seq, struct buf *bundle)
{
	unsigned int clock = clock_number(b->clock ? b->clock : "");

	if (clock == FTRACE_BOOT)
		return;
	proto_add_number(bundle, BUNDLE_CLOCK, clock);
	proto_add_number(bundle, BUNDLE_CLOCK_TIME, ts + seq);
	proto_add_number(bundle, BUNDLE_BOOT_TIME, ts + seq);
}

void pf_add_machine(unsigned int file, struct buf *packet)
{
	if (file)
		proto_add_number(packet, PACKET_MACHINE, file);
}

static void add_packet(struct buf *out, const struct buf *packet, size_t seq, unsigned int file)
{
	size_t at = proto_begin(out, TRACE_PACKET);

	proto_add_number(out, PACKET_SEQUENCE, seq);
	pf_add_machine(file, out);
	buf_add(out, packet->data, packet->len);
	proto_end(out, at);
}

/* "Linux HOST RELEASE VERSION MACHINE" */
static void add_system(const struct trace *t, uint64_t ts, struct buf *packet)
{
	const struct dat_option *o = dat_option(t->dat, DAT_UNAME);
	const char *p = o ? o->data.p : "", *end, *host, *release, *machine;
	size_t len = o ? strnlen(p, o->data.len) : 0, outer, inner;

	(void)ts;
	end = p + len;
	host = memchr(p, ' ', len);
	release = host ? memchr(host + 1, ' ', end - host - 1) : NULL;
	machine = release ? memrchr(release + 1, ' ', end - release - 1) : NULL;
	if (!machine)
		return;
	outer = proto_begin(packet, PACKET_SYSTEM);
	inner = proto_begin(packet, 1);
	proto_add_bytes(packet, 1, p, host - p);
	p = memchr(release + 1, ' ', machine - release);
	if (p < machine)
		proto_add_bytes(packet, 2, p + 1, machine - p - 1);
	proto_add_bytes(packet, 3, release + 1, p - release - 1);
	proto_add_bytes(packet, 4, machine + 1, end - machine - 1);
	proto_end(packet, inner);
	proto_end(packet, outer);
}

static void add_clock_time(struct buf *packet, unsigned int clock, uint64_t ns)
{
	size_t at = proto_begin(packet, 1);

	proto_add_number(packet, 1, clock);
	proto_add_number(packet, 2, ns);
	proto_end(packet, at);
}

/*
 * What time of day it was at @ts. Only the first file tells it: pairs of clocks of another machine
 * would move the times of all others.
 */
static void add_clocks(const struct trace *t, uint64_t ts, struct buf *packet)
{
	size_t at;

	if (!t->has_wall)
		return;
	at = proto_begin(packet, PACKET_CLOCKS);
	add_clock_time(packet, CLOCK_BOOT, ts);
	add_clock_time(packet, CLOCK_REAL, ts - (uint64_t)t->ts_add_ns + (uint64_t)t->wall_ns);
	proto_end(packet, at);
}

/* --- tasks */

static int by_pid(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void add_process(struct buf *packet, int pid, const char *name)
{
	size_t at = proto_begin(packet, 1);

	proto_add_number(packet, 1, pid);
	proto_add_bytes(packet, 3, name, strlen(name));
	proto_end(packet, at);
}

static void add_thread(struct buf *packet, int pid, int tgid, const char *name)
{
	size_t at = proto_begin(packet, 2);

	proto_add_number(packet, 1, pid);
	proto_add_bytes(packet, 2, name, strlen(name));
	proto_add_number(packet, 3, tgid);
	proto_end(packet, at);
}

/* A task whose process the file does not tell is one of its own: Perfetto wants one for each. */
static void add_tasks(const struct trace *t, uint64_t ts, struct buf *packet)
{
	size_t n = trace_nr_comms(t), at;
	int *pids = trace_comm_pids(t), tgid;
	struct map tgids = {0};

	tgids_read(&tgids, t);
	qsort(pids, n, sizeof(*pids), by_pid);
	proto_add_number(packet, PACKET_TIMESTAMP, ts);
	at = proto_begin(packet, PACKET_PROCESS_TREE);
	for (size_t i = 0; i < n; i++) {
		tgid = (int)(uintptr_t)map_get(&tgids, (uint32_t)pids[i]);
		if (!pids[i])
			continue;
		if (!tgid || tgid == pids[i])
			add_process(packet, pids[i], trace_comm(t, pids[i]));
		add_thread(packet, pids[i], tgid ? tgid : pids[i], trace_comm(t, pids[i]));
	}
	proto_end(packet, at);
	map_release(&tgids);
	free(pids);
}

/* --- outside */

void pf_add_meta(struct trace *const *traces, size_t n, uint64_t ts, size_t seq, struct buf *out)
{
	static void (*const adders[])(const struct trace *t, uint64_t ts, struct buf *packet) = {
		add_system, add_clocks, add_tasks,
	};
	struct buf packet = {0};

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < sizeof(adders) / sizeof(*adders); k++) {
			if (i && adders[k] == add_clocks)
				continue;
			buf_reset(&packet);
			adders[k](traces[i], ts, &packet);
			if (packet.len)
				add_packet(out, &packet, seq + i, i);
		}
	buf_release(&packet);
}
