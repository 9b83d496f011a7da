/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private to src/trace: shared metadata, caches, conversion of times. */
#ifndef FTR_TRACE_TRACE_PRIV_H
#define FTR_TRACE_TRACE_PRIV_H

#include <pthread.h>

#include "base/limits.h"
#include "event/data/text_tables.h"
#include "trace/trace.h"

#define TRACE_TYPES	 65536	/* common_type has 16 bits */
#define TRACE_COMM_SLOTS 256
#define TRACE_BAD_FORMAT "event format that can't be parsed"

/*
 * Shared by a file and all its views. Parts that are read on first use are published under the
 * lock.
 */
struct trace_shared {
	struct dat *dat;
	pthread_mutex_t lock;
	struct ev_loader loader;
	struct ev_format *formats;	/* never moved, as users keep pointers */
	uint64_t *format_offs;		/* file offsets of formats, for messages */
	size_t   nr_formats;
	uint8_t  sections;	/* sections of formats read completely: built-in ones, all */
	size_t   taken;			/* number of formats read from the current section */
	uint8_t  comms_built;
	uint8_t  protos_built;
	uint32_t *by_id;		/* number of the format + 1 */
	struct comm_table comm_lines;	/* for a file: offset of each name in its text */
	struct map comms;		/* pid -> char *; for a file only names that were used */
	struct string_pool names;		/* memory of a file's comms */
	struct ev_maps *maps;		/* address maps of processes, or NULL */
	struct buf protos;		/* prototypes, from BTF in the file */
	struct damage_list damages;		/* damage in formats, comms and BTF */
};

struct trace_comm_slot {
	int64_t pid;			/* pid + 1; 0 = empty */
	const char *comm;
};

struct trace_shared *trace_shared_new(struct dat *d);
void trace_shared_free(struct trace_shared *s);

/*
 * Returns the parsed format of a common_type, cached in ->by_type; &trace_no_format if there is
 * none.
 */
extern const struct ev_format trace_no_format;
const struct ev_format *trace_resolve(struct trace *t, uint16_t type);

static inline const struct ev_format *trace_format(struct trace *t, uint16_t type)
{
	const struct ev_format *f = t->by_type[type];

	if (__builtin_expect(!f, 0))
		f = trace_resolve(t, type);
	return f == &trace_no_format ? NULL : f;
}

/* Allocates the caches that each view has. */
void trace_caches_init(struct trace *t);

/* Reads clock, DATE, OFFSET and TSC2NSEC. Invalid values are damage. */
void trace_time_init(struct trace *t);

static inline uint64_t trace_scaled(const struct trace *t, uint64_t raw)
{
	if (t->tsc_mult)
		raw = (uint64_t)((unsigned __int128)raw * t->tsc_mult >> t->tsc_shift);
	return raw;
}

/* --- guest_times.c */

/*
 * Reads the option TIME_SHIFT. Returns NULL if it has no CPUs, or if it makes no sense: then *ok is
 * false. Free it with guest_times_free(), which takes NULL.
 */
struct guest_times *guest_times_read(const struct dat_option *o, bool big, bool *ok);
void guest_times_free(struct guest_times *g);
/* Returns the raw time on the clock of the host. */
uint64_t guest_times_to_host(const struct guest_times *g, int cpu, uint64_t raw);

/* Converts a raw time stamp of a CPU to ->ts of records: on the host's clock, scaled, shifted. */
static inline uint64_t trace_time(const struct trace *t, int cpu, uint64_t raw)
{
	if (__builtin_expect(t->guest != NULL, 0))
		raw = guest_times_to_host(t->guest, cpu, raw);
	return trace_scaled(t, raw) + (uint64_t)t->ts_add_ns;
}

void trace_comms_release(struct trace_shared *s);

#endif
