/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prototypes of functions: makes their text for a trace file from the kernel's BTF, and prints
 * arguments by it as the tracers do: "(file=0xffff888004be2c00, count=4096)".
 */
#ifndef FTR_EVENT_BTF_H
#define FTR_EVENT_BTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

/* One file of /sys/kernel/btf; borrowed bytes. */
struct btf_file {
	const char *p;
	size_t len;
};

/*
 * Appends a line for each function and for each enumeration that they use, sorted (strcmp()):
 *
 *	#00000 CONSTANT:VALUE CONSTANT:VALUE ...
 *	NAME PARAMETER:KIND PARAMETER:KIND ...
 *
 * A parameter may have no name. KIND is p (pointer), i and u (signed and unsigned integers, bool is
 * one of these), e0 (enumeration number 0), ? (none, or not known), or with the size in bytes s16
 * (structure), n8 (union), f8 (floating point), E8 (enumeration of 64 bits).
 * kernel/trace/trace_output.c uses no more than that. Modifiers and typedefs are resolved.
 *
 * @v[0] is the kernel's own BTF. The others are those of modules in the order of loading, in which
 * the kernel searches them. Of functions of one name the first is used. @wanted are the names to
 * use, sorted, or NULL for all.
 *
 * The bytes are untrusted; invalid parts are skipped. -1 with @err if @v[0] is no BTF.
 */
int btf_protos(const struct btf_file *v, size_t n, const struct strv *wanted, struct buf *out,
	       struct ftr_error *err);

/*
 * The line of function @name in such a text, without its newline, or NULL. The text is untrusted.
 * In an unsorted text some functions are not found.
 */
const char *btf_proto_find(const char *text, size_t text_len, const char *name, size_t name_len,
			   size_t *len);

/* The registers of a call, as in its record. */
struct btf_args {
	const uint8_t *p;
	uint32_t n;		/* number of registers, of ->size bytes each */
	uint8_t  size;		/* of a long: 4 or 8 */
	bool     big;
	bool     plain_ints;	/* unsigned integers in decimal: kernels before 6.17 */
	bool     plain_enums;	/* enumerations without names of constants: older kernels */
	const char *text;	/* the whole text, which has the constants */
	size_t   text_len;
};

/* Appends "(name=value, ...)" for a line of btf_proto_find(), in the kernel's form. */
void btf_print_args(const char *line, size_t len, const struct btf_args *a, struct buf *out);

#endif
