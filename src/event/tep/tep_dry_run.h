/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What libtraceevent would compute for a record, computed beforehand where it could hurt. */
#ifndef FTR_EVENT_TEP_TEP_DRY_RUN_H
#define FTR_EVENT_TEP_TEP_DRY_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include <traceevent/event-parse.h>

#include "event/tep/vet.h"

/*
 * True if the parsed arguments hold nothing that libtraceevent follows unchecked (absent fields,
 * half operations).
 */
bool dry_sound(const struct tep_event *ev);
/*
 * True if printing the record is safe: no divisor is 0, indexes and lengths stay in their field,
 * widths are sane. @want are the conversions in the order of the arguments.
 */
bool dry_run(const struct tep_event *ev, const struct vet_arg *want, size_t nr_want,
	     const uint8_t *data,
	     uint32_t len);

#endif
