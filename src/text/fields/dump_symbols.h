/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes up addresses for the names in a dump: its text has no addresses, but records need them. */
#ifndef FTR_TEXT_FIELDS_DUMP_SYMBOLS_H
#define FTR_TEXT_FIELDS_DUMP_SYMBOLS_H

#include "text/log/log_dump.h"

struct dump_syms;

/* Assigns consecutive addresses to all functions, frames and "name+0x1/0x2" of @d. */
struct dump_syms *dump_syms_new(const struct log_dump *d);
/*
 * Returns the address of "name", "name [mod]", "name+0x1/0x2 [mod]", or 0 if it is not in the dump.
 */
uint64_t dump_syms_addr(const struct dump_syms *s, struct span_text name);
/*
 * Sets *addr to the address of "name+0x1" or "name+0x1 [mod]". Returns false if the text has
 * another form or no such address.
 */
bool dump_syms_bare(const struct dump_syms *s, struct span_text text, uint64_t *addr);
/* Sets *v to the texts of the first events called @name, borrowed. Returns their number. */
size_t dump_syms_samples(const struct dump_syms *s, const char *name, const struct span_text **v);
/*
 * Returns the function in the text "function: text" of a record of trace_printk(), empty if there
 * is none.
 */
struct span_text dump_syms_printer(struct span_text text);
/* Appends the symbols as a text of kallsyms. */
void dump_syms_print(const struct dump_syms *s, struct buf *out);
void dump_syms_free(struct dump_syms *s);

#endif
