/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr report --stacks: behind the records that are shown their stacks, as trace-cmd shows them. */
#include <string.h>

#include "cmd/report.h"

static bool is_stack_record(const struct trace_rec *rec)
{
	const struct ev_format *f = rec->rec.fmt;

	return f && !strcmp(f->system, "ftrace") &&
	       (!strcmp(f->name, "kernel_stack") || !strcmp(f->name, "user_stack"));
}

/* Records of a CPU tell of the one before: there is no other order than that of the file. */
static bool match_stacks(void *ctx, const struct trace_rec *rec)
{
	static char yes[] = "y", no[] = "n";
	uint64_t key = (uint64_t)rec->file << 48 | (uint64_t)rec->buffer << 32 | (uint32_t)rec->cpu;
	struct report *r = ctx;
	const char *before;
	bool hit = selection_has(&r->select, rec);

	if (!is_stack_record(rec)) {
		map_put(&r->shown, key, hit ? yes : no);
		return hit;
	}
	before = map_get(&r->shown, key);
	return hit || (before && *before == 'y');
}

void report_match(struct report *r, struct out_match *m)
{
	selection_match(&r->select, m);
	if (r->stacks && m->match)
		*m = (struct out_match){ .match = match_stacks, .ctx = r };
}
