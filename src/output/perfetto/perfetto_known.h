/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events that Perfetto has messages of their own for. */
#ifndef FTR_OUTPUT_PERFETTO_PERFETTO_KNOWN_H
#define FTR_OUTPUT_PERFETTO_PERFETTO_KNOWN_H

#include <stdint.h>

/*
 * ->number is the field of FtraceEvent. ->fields are names in the order of the message's numbers
 * from 1 on, "." for one that is left out; with "s:" the message has a string, with "f:" the number
 * of a kernel symbol that is told beside it, with "t:" the state of a task. "= " before all says
 * that Perfetto makes nothing of the event but a row in its table. Numbers and names are those of
 * Perfetto's protos/perfetto/trace/ftrace.
 */
struct known_event {
	const char *system, *name;
	uint32_t    number;
	const char *fields;
};

/* NULL: none. */
const struct known_event *known_event_find(const char *system, const char *name);

#endif
