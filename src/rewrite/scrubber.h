/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replaces, in a copy of a trace file, the values that identify people, machines and programs. */
#ifndef FTR_REWRITE_SCRUBBER_H
#define FTR_REWRITE_SCRUBBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "rewrite/siphash.h"
#include "file/read/dat.h"
#include "trace/trace.h"

/* The kinds of values. A class is replaced as a whole, or kept. */
enum scrub_class {
	SCRUB_TASKS,		/* names of tasks */
	SCRUB_PIDS,		/* pids, tids, tgids */
	SCRUB_USERS,		/* uids, gids */
	SCRUB_PATHS,		/* texts with a slash */
	SCRUB_STRINGS,		/* other texts */
	SCRUB_USERDATA,		/* bytes and arrays of no known kind, user memory */
	SCRUB_MARKERS,		/* texts of trace_marker, arguments of trace_printk() */
	SCRUB_FORMATS,		/* formats of trace_printk() and other texts in the kernel */
	SCRUB_ADDRESSES,	/* all but those of the kernel's symbols */
	SCRUB_HOST,		/* names and ids of machines, boots and recordings */
	SCRUB_COMMAND,		/* the command line that was recorded */
	SCRUB_REST,		/* bytes that belong to no field; cannot be kept */
	SCRUB_CLASSES,
};

const char *scrub_class_name(enum scrub_class c);

struct scrub_opts {
	bool keep[SCRUB_CLASSES];
	struct siphash_key key;
};

/*
 * Adds the classes in @text, names of classes and of presets with commas between, to opts->keep.
 * Returns 0, or -1 with @err, which lists the words.
 */
int scrub_keep_parse(const char *text, struct scrub_opts *opts, struct ftr_error *err);
/* Makes the key of a passphrase or of the bytes of a key file; any length. */
void scrub_key_of(struct siphash_key *key, const void *p, size_t n);

struct scrub_run;
/* @t is borrowed. Never returns NULL. */
struct scrub_run *scrub_new(struct trace *t, const struct scrub_opts *opts);
void scrub_free(struct scrub_run *s);

/* --- for the copy */

/*
 * Replaces values in the sub-buffer of @len bytes at @mem. Its end after damage is removed.
 * Returns RING_OK, or the damage.
 */
enum ring_status scrub_page(struct scrub_run *s, const struct ring_layout *layout, uint8_t *mem,
			    size_t len);
/*
 * Makes the text of a section, one of enum dat_id, from that of the source. The result is borrowed
 * until the next call; its ->len is 0 for a section that is dropped.
 */
struct dat_blob scrub_section(struct scrub_run *s, uint16_t id, const struct dat_blob *from);
/* Returns true if the texts of latencies can be copied. */
bool scrub_latencies(struct scrub_run *s);
/* Makes the value of an option. Returns false if it is dropped. The result is as above. */
bool scrub_option(struct scrub_run *s, const struct dat_option *from, struct dat_blob *to);
/* Replaces the name of an instance, in place. */
void scrub_instance(struct scrub_run *s, char *name);
/* Replaces the name of a clock that no kernel has, in place. */
void scrub_clock(struct scrub_run *s, char *name);
/* Appends the line of DAT_FTR_META that names the replaced classes. */
void scrub_add_mark(const struct scrub_run *s, struct buf *out);

/* --- results */

struct scrub_sum {
	uint64_t values;
	uint64_t distinct;	/* 0 where they are not counted */
};

/* Stores the values of the class that were replaced so far, those that were empty excepted. */
void scrub_sum(const struct scrub_run *s, enum scrub_class c, struct scrub_sum *sum);
/* Returns the names of sections and options that were dropped, with commas between, or "". */
const char *scrub_dropped(const struct scrub_run *s);

/* One place of identifying values: a field of an event, or a section. */
struct scrub_found {
	enum scrub_class class;
	const char *place, *example;	/* borrowed from the scrub */
	uint64_t values;
};
/*
 * Reads all of the trace and lists the places with values that a scrub would replace, by class and
 * name. A file with the line of scrub_add_mark() has them where they do not look like pseudonyms.
 * Returns their number; the caller frees *v. Damage is noted in the trace.
 */
size_t scrub_check(struct scrub_run *s, struct scrub_found **v);

#endif
