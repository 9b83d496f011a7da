/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The load of a recording: the kernel's counters of its buffers, since they were added. */
#ifndef FTR_RECORD_CPU_BUFFER_LOAD_H
#define FTR_RECORD_CPU_BUFFER_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "tracefs/files/tfs.h"

/* The buffer of one CPU. */
struct load_cpu {
	char    *instance;		/* "" if top level */
	int      cpu;
	uint64_t room;			/* size in bytes, 0 if unknown */
	struct tfs_stats first, now; /* the counters at load_add(), and at the last load_read() */
};

/* It is empty if all fields but ->t are zero. */
struct buffer_load {
	const struct tfs *t;
	struct load_cpu *v;
	size_t n, cap;
};

/* Sums since each buffer was added, of one instance or of all. */
struct load_sum {
	uint64_t events;	/* events written, including those that were overwritten later */
	uint64_t overrun;		/* events overwritten before they were read */
	uint64_t dropped;		/* events dropped, as the buffer was full */
	uint64_t waiting;		/* unread bytes in the buffers */
	uint64_t room;			/* size of the buffers in bytes */
	unsigned int percent;		/* fill level of the fullest buffer */
};

/*
 * Adds the buffers of all CPUs of @instance (NULL and "": top level). Adds none if they can't be
 * read.
 */
void load_add(struct buffer_load *l, const char *instance);
/* Reads all counters. It takes about 20 us for each CPU, as the kernel formats the file. */
void load_read(struct buffer_load *l);
/* Sums the counters of @instance, or of all instances if it is NULL. */
void load_sum(const struct buffer_load *l, const char *instance, struct load_sum *out);
/*
 * load_events() returns the events written on one CPU, load_lost() those lost there. Overwritten
 * events count as lost if @overrun.
 */
uint64_t load_events(const struct load_cpu *c);
uint64_t load_lost(const struct load_cpu *c, bool overrun);
/*
 * Returns the estimated bytes of all events written, if @taken bytes were read. Overwritten records
 * are assumed to have the average size.
 */
uint64_t load_bytes(const struct load_sum *s, uint64_t taken);
/*
 * Appends the CPUs that lost events, the worst first, and the number of others: "CPU 1 (2,345), CPU
 * 0 of 'x' (12)". Appends nothing if no events were lost. @overrun as in load_lost().
 */
void load_describe_lost(const struct buffer_load *l, bool overrun, struct buf *out);
void load_release(struct buffer_load *l);

#endif
