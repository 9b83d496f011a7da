/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes: dynamic events on functions, instructions, events and tracepoints. Translates a user's
 * text to the kernel's, adds and removes probes, and lists defined probes.
 */
#ifndef FTR_TRACEFS_PROBE_DYNAMIC_PROBE_H
#define FTR_TRACEFS_PROBE_DYNAMIC_PROBE_H

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

/* Features of a kernel, by its file README. */
enum probe_feature {
	PROBE_HAS_KPROBE   = 1 << PROBE_KPROBE,
	PROBE_HAS_UPROBE   = 1 << PROBE_UPROBE,
	PROBE_HAS_EPROBE   = 1 << PROBE_EPROBE,
	PROBE_HAS_FPROBE   = 1 << PROBE_FPROBE,
	PROBE_HAS_TPROBE   = 1 << PROBE_TPROBE,
	PROBE_HAS_BTF_ARGS = 1 << 8,	/* names of arguments and members: 6.6 and later */
	PROBE_HAS_RET_ARGS = 1 << 9,	/* arguments also at the return */
};

/* The properties of the kernel that the translation depends on. */
struct probe_kernel {
	const struct tfs *t;
	unsigned int features;		/* mask of enum probe_feature */
	bool registers;			/* also translate names that the kernel could translate */
	const char *btf_path;		/* NULL: /sys/kernel/btf and its modules */
	struct btf_set *btf;		/* read on first use, by probe_btf() */
	struct buf *btf_bytes;
	size_t nr_btf;
};

/* Reads the features of the kernel of @t, which must outlive @k. Returns 0, or -1 with @err. */
int probe_kernel_open(struct probe_kernel *k, const struct tfs *t, struct ftr_error *err);
void probe_kernel_close(struct probe_kernel *k);
/* Returns the kernel's BTF, read on first use and owned by @k, or NULL with @err. */
const struct btf_set *probe_btf(struct probe_kernel *k, struct ftr_error *err);
/* Returns 0 if the kernel supports @kind, else -1 with @err, which names the missing feature. */
int probe_kernel_supports(const struct probe_kernel *k, enum probe_kind kind,
			  struct ftr_error *err);
/* They return "kprobe", "kretprobe", ..., and the kernel's default group. */
const char *probe_kind_name(enum probe_kind kind, bool is_return);
const char *probe_kind_group(enum probe_kind kind);

/* A user's request; all members are borrowed. */
struct probe_ask {
	enum probe_kind kind;
	const char *file;	/* uprobe: the program or library */
	const char *event;	/* eprobe: "sched/sched_switch" */
	const char *name;	/* "GROUP/EVENT", "EVENT" or NULL */
	unsigned int max_active;
	const char *text;	/* "tcp_sendmsg size sk->__sk_common.skc_state" */
};

/* A chunk of the user's text and its place in the kernel's text, in bytes. */
struct probe_chunk {
	size_t kernel, kernel_len, user, user_len;
	bool   same;		/* both texts of the chunk are the same */
};

struct probe_def {
	char *event;		/* "kprobes/tcp_sendmsg" */
	char *text;		/* definition in the kernel's syntax */
	char *user;		/* user's text */
	struct probe_chunk *chunks;
	size_t nr_chunks, cap_chunks;
};

/* Translates @ask to @def. Returns 0, or -1 with @err, which points into the user's text. */
int probe_make(struct probe_kernel *k, const struct probe_ask *ask, struct probe_def *def,
	       struct ftr_error *err);
/*
 * Makes @def from a line in the kernel's syntax. If the line has no name, it gets the kernel's
 * default name. Returns 0, or -1 with @err.
 */
int probe_make_raw(struct probe_kernel *k, const char *line, struct probe_def *def,
		   struct ftr_error *err);
/* True if @text starts like a definition in the kernel's syntax: "p:", "r10 ", "e:", "f:", "t:". */
bool probe_is_raw(const char *text);
void probe_def_release(struct probe_def *def);

/* Adds the probe. 0, or -1 with the kernel's message, and a caret under the user's text. */
int probe_add(struct session *s, const struct probe_def *def, struct ftr_error *err);

/* The place of a symbol in a program or library, by its symbol tables. */
struct probe_symbol {
	uint64_t offset;	/* offset in the file, in bytes */
	bool     is_x86_64;
};

/*
 * Finds @symbol in @file: "malloc", "malloc@GLIBC_2.2.5", with or without "+OFFSET", or "0x1234",
 * an offset in the file. Returns 0, or -1 with @err.
 */
int probe_symbol(const char *file, const char *symbol, struct probe_symbol *out,
		 struct ftr_error *err);

/* A definition as dynamic_events lists it. */
struct probe_line {
	enum probe_kind kind;
	bool  is_return;
	char *event;		/* "kprobes/tcp_sendmsg" */
	char *place;		/* "tcp_sendmsg", "/bin/x:0x1234" */
	char *args;		/* "a=%di b=%si" */
	char *text;		/* whole definition, with the filter if it is known */
	char *filter;		/* eprobe: its filter; NULL if there is none or it is unknown */
	bool  filter_known;	/* the journal has the filter, which the kernel does not show */
	bool  counted;		/* ->hits and ->misses are known */
	uint64_t hits, misses;
	bool  enabled;		/* in at least one buffer */
};

struct probe_lines {
	struct probe_line *v;
	size_t n, cap;
};

/* Lists all probes. Returns 0, or -1 with @err. Call probe_lines_release() in both cases. */
int probe_lines_read(const struct tfs *t, struct probe_lines *l, struct ftr_error *err);
void probe_lines_release(struct probe_lines *l);
/* True if @pattern (a glob) matches the probe: "GROUP/EVENT", "GROUP:EVENT" or "EVENT". */
bool probe_line_matches(const struct probe_line *l, const char *pattern);
/*
 * Disables and removes the probe. If @others, its event has other places: these stay, and so does
 * the state of the event. Returns 0, or -1 with @err.
 */
int probe_del(struct session *s, const struct probe_line *l, bool others, struct ftr_error *err);

#endif
