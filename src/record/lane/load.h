/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much comes: the kernel's counters of the buffers that are recorded, since they were added. */
#ifndef FTR_RECORD_LOAD_H
#define FTR_RECORD_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "tracefs/files/tfs.h"

/* The buffer of one CPU. */
struct load_cpu {
	char    *instance;		/* "" = top level */
	int      cpu;
	uint64_t room;			/* bytes that it can hold, 0 = not known */
	struct tfs_stats first, now;	/* when it was added, and at the last load_read() */
};

/* Zeroed but for ->t is empty. */
struct load {
	const struct tfs *t;
	struct load_cpu *v;
	size_t n, cap;
};

/* Since each was added; of one instance, or of all. */
struct load_sum {
	uint64_t events;		/* that came, with those that were lost by overwriting */
	uint64_t overrun;		/* overwritten before they were read */
	uint64_t dropped;		/* that found no place */
	uint64_t waiting;		/* bytes in the buffers */
	uint64_t room;			/* bytes that fit into them */
	unsigned int percent;		/* of the fullest one */
};

/* The buffers of all CPUs of @instance (NULL and "": top level); none if they can't be read. */
void load_add(struct load *l, const char *instance);
/* Reads all counters. Each CPU is a file that the kernel makes up: some 20 us. */
void load_read(struct load *l);
/* @instance: NULL = all. */
void load_sum(const struct load *l, const char *instance, struct load_sum *out);
/* Events of one CPU that came, and those that were lost; @overrun: overwritten ones are. */
uint64_t load_events(const struct load_cpu *c);
uint64_t load_lost(const struct load_cpu *c, bool overrun);
/*
 * Bytes of all that came, @taken of which were read: overwritten records count like the others on
 * average.
 */
uint64_t load_bytes(const struct load_sum *s, uint64_t taken);
/*
 * "CPU 1 (2,345), CPU 0 of 'x' (12)": the CPUs that lost, the worst first, and how many others.
 * @overrun as above. Nothing when none did.
 */
void load_describe_lost(const struct load *l, bool overrun, struct buf *out);
void load_release(struct load *l);

#endif
