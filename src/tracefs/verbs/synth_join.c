/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two events joined by a key: the synthetic event and its two hist triggers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/data/format_lines.h"
#include "tracefs/verbs/synth_event.h"

#define MAX_KEYS 3		/* of a hist trigger */

struct side {
	char *event;		/* "sched/sched_waking" */
	struct buf format;
};

struct joining {
	const struct tfs *t;
	const struct synth_join *j;
	struct synth_plan *p;
	struct side from, to;
	struct strv from_vars, to_vars;	/* "NAME=FIELD" of either trigger */
	struct ftr_error *err;
};

/* One field of a format: its type and name as declared, size and sign. */
struct field {
	char declared[128];	/* "char comm[16]" */
	int size, is_signed;
};

static int load_side(struct joining *g, const char *pattern, struct side *side)
{
	struct strv found = {0};
	char *file, *full = xstrdup(pattern);
	int ret = -1;

	if (!strpbrk(full, ":/")) {
		free(full);
		full = xasprintf(":%s", pattern);
	}
	if (tfs_match_events(g->t, full, &found, g->err) != 1)
		goto out;
	if (found.n != 1) {
		err_set(g->err, FTR_USAGE, "'%s' names %zu events", pattern, found.n);
		err_hint(g->err, "give one as SYSTEM:EVENT, as '%s'", found.v[0]);
		goto out;
	}
	side->event = xstrdup(found.v[0]);
	file = xasprintf("events/%s/format", found.v[0]);
	ret = tfs_read(g->t, NULL, file, &side->format, g->err);
	free(file);
out:
	strv_release(&found);
	free(full);
	return ret;
}

static bool find_side_field(const struct side *side, const char *name, struct field *f,
			    struct strv *names)
{
	struct format_field line;

	if (!side->format.data || !format_field_find(&line, side->format.data, name)) {
		format_field_names(side->format.data ? side->format.data : "", true, names);
		return false;
	}
	snprintf(f->declared, sizeof(f->declared), "%.*s", (int)line.decl_len, line.decl);
	f->size = line.size;
	f->is_signed = line.is_signed;
	return true;
}

static int no_side_field(struct joining *g, const struct side *side, const char *name,
			 const struct strv *names)
{
	const char *near = names->n ? text_closest(name, names->v) : NULL;
	struct buf all = {0};
	size_t i;

	err_set(g->err, FTR_USAGE, "event '%s' has no field '%s'", side->event, name);
	for (i = 0; i < names->n; i++)
		buf_printf(&all, " %s", names->v[i]);
	if (near)
		err_hint(g->err, "did you mean '%s'?", near);
	else
		err_hint(g->err, "it has:%.400s", all.len ? all.data : " none");
	buf_release(&all);
	return -1;
}

static int need_field(struct joining *g, const struct side *side, const char *name, struct field *f)
{
	struct strv names = {0};
	bool special = !strcmp(name, "common_cpu") || !strcmp(name, "common_timestamp");
	int ret = 0;

	*f = (struct field){ .size = special && name[7] == 't' ? 8 : 4 };
	snprintf(f->declared, sizeof(f->declared), "%s %s", "u64", name);
	if (!special && !find_side_field(side, name, f, &names))
		ret = no_side_field(g, side, name, &names);
	strv_release(&names);
	return ret;
}

/* What the kernel asks of an argument is the size and sign of the field that gets it. */
static char *declare_field(const struct field *f, const char *name)
{
	const char *bracket = strchr(f->declared, '[');
	bool text = bracket && strstr(f->declared, "char");

	if (text && strstr(f->declared, "__data_loc"))
		return xasprintf("char %s[]", name);
	if (text)
		return xasprintf("char %s[%d]", name, f->size);
	return xasprintf("%c%d %s", f->is_signed ? 's' : 'u', f->size * 8, name);
}

static bool is_scalar_field(const struct field *f)
{
	return !strchr(f->declared, '[') &&
	       (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8);
}

/* --on "pid=next_pid", or one name for both. */
static int add_key(struct joining *g, const char *on, struct buf *from, struct buf *to)
{
	const char *eq = strchr(on, '=');
	char *a = eq ? xstrndup(on, eq - on) : xstrdup(on);
	const char *b = eq ? eq + 1 : on;
	struct field fa, fb;
	int ret = need_field(g, &g->from, a, &fa) || need_field(g, &g->to, b, &fb) ? -1 : 0;

	if (!ret && is_scalar_field(&fa) != is_scalar_field(&fb)) {
		err_set(g->err, FTR_USAGE, "'%s' and '%s' cannot be compared: '%s' and '%s'", a, b,
			fa.declared, fb.declared);
		ret = -1;
	}
	if (!ret) {
		buf_printf(from, "%s%s", from->len ? "," : "hist:keys=", a);
		buf_printf(to, "%s%s", to->len ? "," : "hist:keys=", b);
	}
	free(a);
	return ret;
}

/* A field of the first event travels in a variable, which is read in the second. */
static int add_from(struct joining *g, const char *field, const char *name, const struct field *f)
{
	const char *event = g->j->name;

	strv_take(&g->from_vars, xasprintf("%s_%s=%s", event, name, field));
	strv_take(&g->to_vars, xasprintf("%s_%s_=$%s_%s", event, name, event, name));
	strv_take(&g->p->values, xasprintf("$%s_%s_", event, name));
	strv_take(&g->p->fields, declare_field(f, name));
	return 0;
}

/* A variable, though the field would do: onmax and onchange watch variables only. */
static int add_to(struct joining *g, const char *field, const char *name, const struct field *f)
{
	const char *event = g->j->name;

	strv_take(&g->p->fields, declare_field(f, name));
	if (!is_scalar_field(f)) {
		strv_add(&g->p->values, field);
		return 0;
	}
	strv_take(&g->to_vars, xasprintf("%s_%s_=%s", event, name, field));
	strv_take(&g->p->values, xasprintf("$%s_%s_", event, name));
	return 0;
}

/* "FIELD", "from.FIELD", "to.FIELD", each with "NAME=" in front; without a side the second's. */
static int add_join_field(struct joining *g, const char *text)
{
	const char *eq = strchr(text, '='), *field = eq ? eq + 1 : text;
	bool from = !strncmp(field, "from.", 5);
	char *name;
	struct field f;
	int ret;

	if (from || !strncmp(field, "to.", 3))
		field = strchr(field, '.') + 1;
	name = eq ? xstrndup(text, eq - text) : xstrdup(field);
	ret = need_field(g, from ? &g->from : &g->to, field, &f);
	if (!ret && !is_scalar_field(&f) && !strstr(f.declared, "char")) {
		err_set(g->err, FTR_USAGE, "'%s' is neither a number nor a string: '%s'", field,
			f.declared);
		ret = -1;
	}
	if (!ret)
		ret = (from ? add_from : add_to)(g, field, name, &f);
	free(name);
	return ret;
}

static void add_latency(struct joining *g)
{
	const char *event = g->j->name, *unit = g->j->nsecs ? "" : ".usecs";

	strv_take(&g->from_vars, xasprintf("%s_ts=common_timestamp%s", event, unit));
	strv_take(&g->to_vars, xasprintf("%s_lat_=common_timestamp%s-$%s_ts", event, unit, event));
	strv_take(&g->p->values, xasprintf("$%s_lat_", event));
	strv_add(&g->p->fields, "u64 lat");
}

static char *with_vars(struct buf *keys, const struct strv *vars)
{
	size_t i;

	for (i = 0; i < vars->n; i++)
		buf_printf(keys, "%s%s", i ? "," : ":", vars->v[i]);
	return buf_take(keys);
}

static int build_join(struct joining *g)
{
	const struct synth_join *j = g->j;
	struct buf from = {0}, to = {0};
	size_t i;
	int ret = load_side(g, j->from, &g->from) || load_side(g, j->to, &g->to) ? -1 : 0;

	for (i = 0; i < j->keys.n && !ret; i++)
		ret = add_key(g, j->keys.v[i], &from, &to);
	for (i = 0; i < j->fields.n && !ret; i++)
		ret = add_join_field(g, j->fields.v[i]);
	if (!ret) {
		if (j->latency)
			add_latency(g);
		g->p->name = xstrdup(j->name);
		g->p->start_event = xstrdup(g->from.event);
		g->p->end_event = xstrdup(g->to.event);
		g->p->start_hist = with_vars(&from, &g->from_vars);
		g->p->end_hist = with_vars(&to, &g->to_vars);
		g->p->start_filter = j->from_filter ? xstrdup(j->from_filter) : NULL;
		g->p->end_filter = j->to_filter ? xstrdup(j->to_filter) : NULL;
	}
	buf_release(&from);
	buf_release(&to);
	return ret;
}

int synth_join(const struct tfs *t, const struct synth_join *j, struct synth_plan *p,
	       struct ftr_error *err)
{
	struct joining g = { .t = t, .j = j, .p = p, .err = err };
	int ret;

	*p = (struct synth_plan){0};
	if (!j->keys.n || j->keys.n > MAX_KEYS)
		return err_set(err, FTR_USAGE, "a join takes one to %d --on KEY, not %zu",
			       MAX_KEYS, j->keys.n);
	if (!j->fields.n && !j->latency) {
		err_set(err, FTR_USAGE, "'%s' would have no field", j->name);
		return err_hint(err, "add --latency, --field FIELD or --field from.FIELD");
	}
	ret = build_join(&g);
	if (ret)
		synth_plan_release(p);
	free(g.from.event);
	free(g.to.event);
	buf_release(&g.from.format);
	buf_release(&g.to.format);
	strv_release(&g.from_vars);
	strv_release(&g.to_vars);
	return ret;
}
