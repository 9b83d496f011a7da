/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTR_REWRITE_SCRUB_PRIV_H
#define FTR_REWRITE_SCRUB_PRIV_H

#include "base/map.h"
#include "rewrite/scrubber.h"

#define SCRUB_TYPES 65536	/* common_type has 16 bits */
#define SCRUB_CALLS 1024	/* more system calls than a kernel has */
#define SCRUB_PID_BITS 22	/* PID_MAX_LIMIT of 64-bit kernels is 1 << 22 */
#define SCRUB_PIDS_BYTES ((size_t)4 << SCRUB_PID_BITS)

/* Values that were found in a field or in a section, by class: a text may be a path or not. */
struct scrub_place {
	struct scrub_place *next;
	char    *name;
	uint64_t n[SCRUB_CLASSES];
	char    *example[SCRUB_CLASSES];	/* the first value */
};

struct scrub_plan;

struct scrub_run {
	struct trace *t;
	struct scrub_opts opts;
	bool     marked[SCRUB_CLASSES];	/* the source says that these are pseudonyms */
	/* the kernel's symbols are at low <= address <= high; none if low > high */
	uint64_t low, high;
	struct map printk;		/* addresses of trace_printk()'s texts */
	struct scrub_plan *plans[SCRUB_TYPES];
	struct scrub_place *places;
	struct textmap by_name;		/* the same */
	/* records without a format; between records; common_pid of all events */
	struct scrub_place *unknown, *gaps, *common;
	uint8_t calls[SCRUB_CALLS];	/* scrub_calls.c: by number of the system call */
	struct textmap words;		/* struct scrub_word * */
	uint32_t *pids;			/* pseudonym of each pid met, or 0 */
	uint64_t distinct[SCRUB_CLASSES];
	struct buf text;		/* the section or option made last */
	struct buf dropped;
};

/* How the bytes of a field are replaced. */
enum scrub_how {
	SCRUB_KEEP,		/* they are not */
	SCRUB_NAME,		/* a text that is one word */
	SCRUB_TEXT,		/* words between blanks and slashes */
	SCRUB_BLANK,		/* zeroes */
	SCRUB_PID,
	SCRUB_PID_RET,		/* a pid, or an error if it is negative */
	SCRUB_USER,
	SCRUB_ADDRESS,
	SCRUB_WIDE,		/* a number of 8 bytes, an address if it has more than 32 bits */
	SCRUB_FMT,		/* the address of a text of trace_printk() */
};

struct scrub_op {
	enum scrub_how how;
	enum scrub_class class;
	uint32_t off, len;	/* in the record; of arrays in the dynamic part: of their u32 */
	uint32_t elem;		/* bytes of a number */
	bool     relative;	/* the u32 has an offset from its end */
	struct scrub_place *place;
};

struct scrub_hole { uint32_t off, len; };

/* The places of one event, made from its format once. */
struct scrub_plan {
	struct scrub_op *fixed;		/* fields of a fixed size */
	struct scrub_op *dynamic;	/* arrays at the end of the record, in order */
	struct scrub_hole *holes;	/* bytes of the fixed part in no field */
	size_t nr_fixed, nr_dynamic, nr_holes;
	uint32_t end;			/* of the fixed part */
	bool     is_call;		/* raw_syscalls: ->call is args or ret, ->nr its number */
	struct scrub_op call, nr;
	bool     has_rest;		/* ->rest: from its ->off to the end of the record */
	struct scrub_op rest;
	struct scrub_place *place;	/* of bytes in no field; NULL: the event has no format */
};

/* scrub_plan.c. A plan without ->place has no format that can be read. */
struct scrub_plan *scrub_plan_new(struct scrub_run *s, uint16_t type);
void scrub_plan_free(struct scrub_plan *p);

/* --- scrub_names.c: the pseudonyms */

/* Returns the place of this name, a new one if there is none yet. */
struct scrub_place *scrub_place_of(struct scrub_run *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Replaces a word in place. */
void scrub_word(struct scrub_run *s, struct scrub_place *at, enum scrub_class c, char *p,
		size_t len);
/* Replaces a name of a task in place, unless it is one of the kernel's threads. */
void scrub_task(struct scrub_run *s, struct scrub_place *at, char *p, size_t len);
/*
 * Replaces the words of a text in place; blanks, newlines and slashes stay. The class of a text
 * of SCRUB_STRINGS with a slash is SCRUB_PATHS. Does nothing if the class is kept.
 */
void scrub_words(struct scrub_run *s, struct scrub_place *at, enum scrub_class c, char *p,
		 size_t len);
/* Clears bytes, and counts them as one value. Does nothing if the class is kept. */
void scrub_clear(struct scrub_run *s, struct scrub_place *at, enum scrub_class c, void *p,
		 size_t len);
/* Return the pseudonym of a number, or the number if its class is kept. */
int64_t scrub_pid(struct scrub_run *s, struct scrub_place *at, int64_t pid);
uint64_t scrub_user(struct scrub_run *s, struct scrub_place *at, uint64_t id, unsigned int size);
uint64_t scrub_address(struct scrub_run *s, struct scrub_place *at, uint64_t v, unsigned int size);
uint64_t scrub_id(struct scrub_run *s, struct scrub_place *at, uint64_t id);
/* Returns true if @p is @pattern: '*' is any text, '#' one to five digits. */
bool scrub_glob(const char *pattern, const char *p, size_t len);

/* --- scrub_calls.c */

/* Fills s->calls for the recorded machine. */
void scrub_calls_find(struct scrub_run *s);
/* Replaces the arguments of the system call @nr, or what it returns, at @p. */
void scrub_call(struct scrub_run *s, const struct scrub_op *op, uint64_t nr, uint8_t *p,
		uint32_t len);

/* --- scrub_page.c */

/* Applies @op to the @len bytes at @p. */
void scrub_apply(struct scrub_run *s, const struct scrub_op *op, uint8_t *p, uint32_t len);

#endif
