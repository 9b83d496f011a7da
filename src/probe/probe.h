/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes (dynamic events on functions, instructions, events and tracepoints): from what a user
 * writes to the text that the kernel takes, and what is defined.
 */
#ifndef FTR_PROBE_PROBE_H
#define FTR_PROBE_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "tracefs/files/tfs.h"
#include "tracefs/session/session.h"

enum probe_kind {
	PROBE_KPROBE, PROBE_UPROBE, PROBE_EPROBE, PROBE_FPROBE, PROBE_TPROBE, NR_PROBE_KINDS,
};

/* What a kernel takes, after its README. */
enum probe_feature {
	PROBE_HAS_KPROBE   = 1 << PROBE_KPROBE,
	PROBE_HAS_UPROBE   = 1 << PROBE_UPROBE,
	PROBE_HAS_EPROBE   = 1 << PROBE_EPROBE,
	PROBE_HAS_FPROBE   = 1 << PROBE_FPROBE,
	PROBE_HAS_TPROBE   = 1 << PROBE_TPROBE,
	PROBE_HAS_BTF_ARGS = 1 << 8,	/* names of arguments and members: 6.6 and later */
	PROBE_HAS_RET_ARGS = 1 << 9,	/* arguments at the return, too */
};

/* What translating needs to know of the kernel that will get the text. */
struct probe_kernel {
	const struct tfs *t;
	unsigned int features;		/* enum probe_feature */
	bool registers;			/* translate even what the kernel would */
	const char *btf_path;		/* NULL: /sys/kernel/btf and its modules */
	struct btf_set *btf;		/* read when it is first needed: probe_btf() */
	struct buf *btf_bytes;
	size_t nr_btf;
};

int probe_kernel_open(struct probe_kernel *k, const struct tfs *t, struct ftr_error *err);
void probe_kernel_close(struct probe_kernel *k);
/* NULL with @err where there is none. */
const struct btf_set *probe_btf(struct probe_kernel *k, struct ftr_error *err);
/* -1 with @err, which names what the kernel lacks. */
int probe_kernel_takes(const struct probe_kernel *k, enum probe_kind kind, struct ftr_error *err);
/* "kprobe", "kretprobe", ...; the group that the kernel takes where none is given. */
const char *probe_kind_name(enum probe_kind kind, bool is_return);
const char *probe_kind_group(enum probe_kind kind);

/* What a user asks for; all borrowed. */
struct probe_ask {
	enum probe_kind kind;
	const char *file;	/* of a uprobe */
	const char *event;	/* of an eprobe: "sched/sched_switch" */
	const char *name;	/* "GROUP/EVENT", "EVENT" or NULL */
	unsigned int max_active;
	const char *text;	/* "tcp_sendmsg size sk->__sk_common.skc_state" */
};

/* Where a piece of the user's text stands in the kernel's. */
struct probe_piece {
	size_t kernel, kernel_len, user, user_len;
	bool   same;		/* letter by letter */
};

struct probe_def {
	char *event;		/* "kprobes/tcp_sendmsg" */
	char *text;		/* the kernel's */
	char *undo;		/* "-:kprobes/tcp_sendmsg", of an eprobe with " # " and ->text */
	char *user;		/* what was asked for */
	struct probe_piece *pieces;
	size_t nr_pieces, cap_pieces;
};

/* Translates; -1 with @err, which points into the user's text. */
int probe_make(struct probe_kernel *k, const struct probe_ask *ask, struct probe_def *def,
	       struct ftr_error *err);
/* One line of the kernel's own syntax; one without a name gets the kernel's. */
int probe_make_raw(struct probe_kernel *k, const char *line, struct probe_def *def,
		   struct ftr_error *err);
/* Does @text begin as a definition of the kernel's does: "p:", "r10 ", "e:", "f:", "t:"? */
bool probe_is_raw(const char *text);
void probe_def_release(struct probe_def *def);

/*
 * Adds it. A refusal is the kernel's message with the caret under the user's text. -1 with @err.
 */
int probe_add(struct session *s, const struct probe_def *def, struct ftr_error *err);

/* A symbol of a program or library: where it lies in the file, by its symbol tables. */
struct probe_symbol {
	uint64_t offset;	/* in the file */
	bool     is_x86_64;
};

/*
 * @symbol is "malloc", "malloc@GLIBC_2.2.5", with or without "+OFFSET", or "0x1234", an offset in
 * the file. -1 with @err.
 */
int probe_symbol(const char *file, const char *symbol, struct probe_symbol *out,
		 struct ftr_error *err);

/* One definition as dynamic_events lists it. */
struct probe_line {
	enum probe_kind kind;
	bool  is_return;
	char *event;		/* "kprobes/tcp_sendmsg" */
	char *place;		/* "tcp_sendmsg", "/bin/x:0x1234" */
	char *args;		/* "a=%di b=%si" */
	char *text;		/* all of the definition, with the filter as far as it is known */
	char *filter;		/* of an eprobe; NULL: none, or not known */
	bool  filter_known;	/* by the journal: the kernel shows filters nowhere */
	bool  counted;		/* ->hits and ->misses are known */
	uint64_t hits, misses;
	bool  enabled;		/* somewhere */
};

struct probe_lines {
	struct probe_line *v;
	size_t n, cap;
};

int probe_lines_read(const struct tfs *t, struct probe_lines *l, struct ftr_error *err);
void probe_lines_release(struct probe_lines *l);
/* Does @pattern (a glob) mean it: "GROUP/EVENT", "GROUP:EVENT" or "EVENT"? */
bool probe_line_matches(const struct probe_line *l, const char *pattern);
/* Disables and removes it. */
int probe_del(struct session *s, const struct probe_line *l, struct ftr_error *err);

#endif
