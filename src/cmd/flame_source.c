/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the stacks of a flame graph from trace files. */
#include "cmd/flame_source.h"

#include "cmd/frame/command.h"

/* --- options */

enum flame_of flame_source_of(const struct flame_source *s)
{
	if (s->off_cpu)
		return FLAME_OFF_CPU;
	return s->stacks || s->weight ? FLAME_STACKS : FLAME_SELF;
}

static int err_both(const char *one, const char *other, const char *hint, struct ftr_error *err)
{
	err_set(err, FTR_USAGE, "%s and %s do not go together", one, other);
	return err_hint(err, "%s", hint);
}

int flame_source_check(const struct flame_source *s, struct ftr_error *err)
{
	static const char hint[] = "it shows self times, kernel stacks, or time off the CPU";
	const char *one = s->off_cpu ? "--off-cpu" : s->weight ? "--weight" : "--stacks";

	if (s->off_cpu && (s->stacks || s->weight))
		return err_both(one, s->weight ? "--weight" : "--stacks", hint, err);
	if (flame_source_of(s) != FLAME_SELF && (s->spans.kinds.n || s->spans.pairs.n))
		return err_both(one, s->spans.kinds.n ? "--kind" : "--pair", hint, err);
	return 0;
}

/* --- reading */

static bool is_selected(void *ctx, const struct trace_rec *r)
{
	return span_is_selected(ctx, r);
}

/* Returns -1 with @err if the files lack the records that the graph needs. */
static int check_records(struct flame_source *s, const struct model *m, uint32_t kinds,
			 const struct flame_data *f, struct ftr_error *err)
{
	const char *path = s->spans.select.traces[0]->dat->path;
	enum flame_of of = flame_source_of(s);

	if (of == FLAME_SELF)
		return span_check(&s->spans, m, kinds, false, err);
	if (s->spans.signal)
		return 0;
	if (of == FLAME_OFF_CPU)
		return model_met_switch(m) ? 0 : span_fail_no_switches(&s->spans, err);
	if (!flame_met_stack(f)) {
		if (span_fail_range(&s->spans, "kernel stacks", err))
			return -1;
		err_set(err, FTR_FAILED, "no kernel stacks in '%s'", path);
		return err_hint(err, "'ftr record -T -e EVENT ...' records them");
	}
	if (!s->weight || flame_met_weight(f))
		return 0;
	err_set(err, FTR_FAILED, "no record with a stack and a number '%s' in '%s'", s->weight,
		path);
	return err_hint(err, "'ftr report -R' prints the fields of each record");
}

/*
 * Collects remarks in ->marks and reports them, without the "# " and the newlines that tables have.
 */
static void report_marks(struct flame_source *s, const struct model *m, const struct flame_data *f,
			 bool named)
{
	struct buf line = {0};

	span_add_marks(&line, flame_marks(f), flame_below_0(f));
	span_add_unknown(&line, m, flame_source_of(s) == FLAME_OFF_CPU);
	buf_addstr(&line, "");
	for (char *p = line.data, *end; *p; p = end + 1) {
		end = strchr(p, '\n');
		buf_printf(&s->marks, "%s%.*s", s->marks.len ? "; " : "", (int)(end - p - 2),
			   p + 2);
	}
	buf_release(&line);
	if (s->marks.len && named)
		cmd_notice("'%s': %s", s->spans.select.traces[0]->dat->path, s->marks.data);
	else if (s->marks.len)
		cmd_notice("%s", s->marks.data);
}

int flame_source_read(struct flame_source *s, unsigned int column, bool named,
		      struct folded_stacks *w, struct ftr_error *err)
{
	struct model_opts o = { .pairs = &s->spans.pairs, .instance = s->spans.instance };
	struct flame_opts fo = { .of = flame_source_of(s), .column = column, .weight = s->weight,
				 .is_selected = is_selected, .ctx = &s->spans };
	struct flame_data *f;
	struct model *m;
	int ret = -1;

	if (fo.of == FLAME_SELF &&
	    span_kinds(&s->spans, 1u << SPAN_FUNCTION_GRAPH, &o.kinds, err))
		return -1;
	if (fo.of != FLAME_STACKS && span_check_clocks(&s->spans, err))
		return -1;
	f = flame_new(&fo, w);
	m = model_new(s->spans.select.traces, s->spans.select.nr_traces, &o, flame_ops(f), f, err);
	if (m) {
		flame_bind(f, m);
		span_read(&s->spans, m, NULL);
		flame_end(f);
		ret = check_records(s, m, o.kinds, f, err);
		if (!ret)
			report_marks(s, m, f, named);
		s->is_empty = !ret && !folded_has_value(w, column) && !s->spans.signal;
		if (s->is_empty && fo.of == FLAME_STACKS)
			selection_add_none(&s->spans.select, false, NULL, NULL, &s->none);
		else if (s->is_empty)
			span_add_none(&s->spans, &o, fo.of == FLAME_SELF ? SPAN_NONE_SPANS :
				      SPAN_NONE_SWITCHES, &s->none);
	}
	flame_free(f);
	model_free(m);
	return ret;
}

void flame_source_release(struct flame_source *s)
{
	buf_release(&s->marks);
	buf_release(&s->none);
}
