/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside ftr latency: what is asked for, and its output. */
#ifndef FTR_CMD_LATENCY_PRIV_H
#define FTR_CMD_LATENCY_PRIV_H

#include "cmd/frame/span_commands.h"
#include "model/span_latency.h"

struct latency_unit {
	const char *name;		/* of --unit */
	uint64_t ns;
	const char *label;		/* of the histogram, as bcc writes it */
};

struct latency_args {
	struct span_args spans;		/* first: its own rows */
	const char *by;			/* --by as it was written, or NULL */
	const char *key, *heatmap;
	const struct latency_unit *unit;
	bool has_unit;			/* --unit was given */
	struct span_limit limit;	/* --slower */
	uint64_t slower;		/* the same, in the clock's units */
	struct buf of;			/* what the spans are: the operands */
	bool wakeup;
	const char *function;		/* the operand, where it is no kind; or NULL */
	uint32_t kinds;
};

/* Durations are nanoseconds, but for clocks that do not count these. */
bool latency_is_ns(const struct latency_args *a);
const char *latency_label(const struct latency_args *a);

void latency_add_slower_head(const struct latency_args *a, struct buf *out);
void latency_add_slower(const struct latency_args *a, const struct latency_span *s,
			struct buf *out);
/* Histograms, figures, the worst, the marks. */
void latency_print_text(const struct latency_args *a, const struct model *m, struct latency *l);
/* Appends the last lines: what is in no sum, and why. */
void latency_add_unknown(const struct latency_args *a, const struct model *m,
			 const struct latency *l, struct buf *out);
void latency_print_json(const struct latency_args *a, struct latency *l);
/* One element of the list of --slower --json. */
void latency_print_span_json(const struct latency_args *a, const struct latency_span *s);
/* The command line of ftr report that shows what was recorded from begin to end. */
void latency_add_report(const struct latency_args *a, const struct latency_span *s,
			struct buf *out);

#endif
