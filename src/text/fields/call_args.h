/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arguments of calls as print_function_args() of kernel/trace/trace_output.c prints them,
 * "fd=0x3, count=-1, how=1 [NAME]": the numbers, and the prototypes that print them so again.
 */
#ifndef FTR_TEXT_FIELDS_CALL_ARGS_H
#define FTR_TEXT_FIELDS_CALL_ARGS_H

#include "text/log/log_dump.h"

/* No kernel records more registers than arm64 and riscv, which have 8 for arguments. */
#define CALL_REGS_MAX 8

struct call_args;

struct call_args *call_args_new(void);
void call_args_free(struct call_args *c);
/*
 * Sets @regs to the numbers in @text, the arguments of a call of @func, and returns how many there
 * are. 0 if the text has another form, or one that differs from that of an earlier call of @func.
 * The texts are borrowed.
 */
uint32_t call_args_read(struct call_args *c, struct span_text func, struct span_text text,
			uint64_t regs[CALL_REGS_MAX]);
/*
 * Appends the prototypes of all functions, in the form of btf_protos(). Nothing if their parameters
 * have no names: the kernel of the text then had no BTF.
 */
void call_args_protos(const struct call_args *c, struct buf *out);

#endif
