/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the mapped file at a user-space address of a process, from PROCMAPS of trace.dat files. */
#ifndef FTR_EVENT_USERMAPS_H
#define FTR_EVENT_USERMAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Several threads may search when all processes are added. NULL is valid and empty. */
struct ev_maps;

struct ev_maps *ev_maps_new(void);
/*
 * Adds a process: "PID COUNT NAME\n", then lines "START END PATH\n", all numbers hexadecimal.
 * Invalid lines are skipped, and COUNT is not used. Data of the same process is replaced. Returns
 * false if ranges are left out, as all processes together have more than LIMIT_RANGES.
 */
bool ev_maps_add(struct ev_maps *m, const char *text, size_t len);
/*
 * Returns the path of the mapping that contains @addr of process @tgid, borrowed from @m, and its
 * start address in *start. NULL if there is none, or it is not of a file.
 */
const char *ev_maps_find(const struct ev_maps *m, int tgid, uint64_t addr, uint64_t *start);
void ev_maps_free(struct ev_maps *m);

#endif
