/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which file of which process an address of user space lies in: PROCMAPS of trace.dat files. */
#ifndef FTR_EVENT_USERMAPS_H
#define FTR_EVENT_USERMAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* May be asked by several threads once all is added. NULL knows nothing. */
struct ev_maps;

struct ev_maps *ev_maps_new(void);
/*
 * One process: "PID COUNT NAME\n", then lines "START END PATH\n", all numbers hexadecimal. What
 * makes no sense is left out; COUNT is not believed. A later one of the same process replaces it.
 * False: some ranges are left out, as all processes have more than LIMIT_RANGES.
 */
bool ev_maps_add(struct ev_maps *m, const char *text, size_t len);
/*
 * The path of the mapping that @addr of process @tgid lies in, and where that begins; NULL if there
 * is none, or none of a file. Borrowed from @m.
 */
const char *ev_maps_find(const struct ev_maps *m, int tgid, uint64_t addr, uint64_t *start);
void ev_maps_free(struct ev_maps *m);

#endif
