/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of ftr hist become the kernel's. */
#include "tracefs/hist/hist_spec.h"

#include <ctype.h>
#include <stdlib.h>

/* Where the part ends that begins at @p: a colon outside of parentheses. */
static const char *part_end(const char *p)
{
	int depth = 0;

	for (; *p && (*p != ':' || depth > 0); p++)
		depth += *p == '(' ? 1 : *p == ')' ? -1 : 0;
	return p;
}

size_t hist_name_len(const char *field)
{
	static const char *const known[] = {
		"hex", "sym", "sym-offset", "execname", "syscall", "log2", "buckets", "usecs",
		"percent", "graph", "stacktrace", "descending", "ascending",
	};
	const char *dot = strrchr(field, '.');
	size_t i, n = dot ? strcspn(dot + 1, "=") : 0;

	for (i = 0; dot && i < sizeof(known) / sizeof(*known); i++)
		if (strlen(known[i]) == n && !strncmp(dot + 1, known[i], n))
			return dot - field;
	return strlen(field);
}

/* Behind "keys=" or "key="; @part itself if it does not begin so. */
static char *behind_names(char *part, const char *const *names)
{
	for (; *names; names++)
		if (!strncmp(part, *names, strlen(*names)))
			return part + strlen(*names);
	return part;
}

static bool is_one_of(const char *part, const char *const *words)
{
	for (; *words; words++)
		if (!strcmp(part, *words))
			return true;
	return false;
}

/* What would stop, empty or share the histogram, which is ours alone and runs as long as we do. */
static int check_word(const char *part, struct ftr_error *err)
{
	static const char *const no[] = { "pause", "continue", "cont", "clear", NULL };

	if (!is_one_of(part, no) && strncmp(part, "name=", 5))
		return 0;
	err_set(err, FTR_USAGE, "'%s' does not work here: ftr hist makes a histogram of its own",
		part);
	return err_hint(err, "'ftr trigger add' makes one that stays");
}

static int set_spec_size(struct hist_spec *s, const char *text, struct ftr_error *err)
{
	char *end;

	s->size = strtoull(text, &end, 10);
	if (isdigit((unsigned char)*text) && !*end && s->size && s->size <= HIST_SIZE_MAX)
		return 0;
	err_set(err, FTR_USAGE, "'%s' is not a size of a histogram", text);
	return err_hint(err, "size= takes %d to %d entries", HIST_SIZE_MIN, HIST_SIZE_MAX);
}

static int add_spec_part(struct hist_spec *s, char *part, struct ftr_error *err)
{
	static const char *const vals[] = { "vals=", "values=", "val=", NULL };
	static const char *const flags[] = { "nohitcount", "NOHC", NULL };
	char *list = behind_names(part, vals);
	size_t n = 0;

	while (isalnum((unsigned char)part[n]) || part[n] == '_')
		n++;

	if (check_word(part, err))
		return -1;
	if (!strncmp(part, "sort=", 5))
		return hist_spec_sort(s, part + 5, err);
	if (!strncmp(part, "size=", 5))
		return set_spec_size(s, part + 5, err);
	if (list == part && (part[n] == '=' || part[n] == '(' || is_one_of(part, flags)))
		strv_add(&s->more, part);
	else
		strv_split(&s->vals, list, ",");
	return 0;
}

static int add_parts(struct hist_spec *s, const char *p, struct ftr_error *err)
{
	static const char *const keys[] = { "keys=", "key=", NULL };
	bool first = true;
	const char *end;
	char *part;
	int ret = 0;

	if (!strncmp(p, "hist:", 5))
		p += 5;
	for (; !ret && *p; p = *end ? end + 1 : end, first = false) {
		end = part_end(p);
		part = xstrndup(p, end - p);
		if (first)
			strv_split(&s->keys, behind_names(part, keys), ",");
		else if (*part)
			ret = add_spec_part(s, part, err);
		free(part);
	}
	return ret;
}

int hist_spec_parse(struct hist_spec *s, const char *text, struct ftr_error *err)
{
	const char *filter = strstr(text, " if ");
	char *parts = filter ? xstrndup(text, filter - text) : xstrdup(text);
	int ret = add_parts(s, parts, err);

	free(parts);
	if (ret)
		return -1;
	if (filter)
		strv_add(&s->filters, filter + 4);
	if (!s->keys.n) {
		err_set(err, FTR_USAGE, "no keys in '%s'", text);
		return err_hint(err, "keys come first: 'KEY,KEY:VALUE'; hitcount is always there");
	}
	if (s->keys.n > HIST_KEYS_MAX)
		return err_set(err, FTR_USAGE, "%zu keys in '%s': a histogram has at most %d",
			       s->keys.n, text, HIST_KEYS_MAX);
	return 0;
}

static int add_sort(struct hist_spec *s, const char *name, const char *order,
		    struct ftr_error *err)
{
	static const char *const down[] = { "desc", "descending", NULL };
	static const char *const up[] = { "", "asc", "ascending", NULL };
	struct hist_sort *to = &s->sorts[s->nr_sorts];
	const char *dot = strrchr(name, '.');
	size_t n = hist_name_len(name);

	if (!*order && dot && dot == name + n &&
	    (is_one_of(dot + 1, down) || is_one_of(dot + 1, up)))
		order = dot + 1;
	if (!n || (!is_one_of(order, down) && !is_one_of(order, up))) {
		err_set(err, FTR_USAGE, "'%s%s%s' is not a key to sort by",
			name, *order ? ":" : "", order);
		return err_hint(err, "write it as KEY, KEY:desc or KEY:asc");
	}
	if (s->nr_sorts == HIST_SORTS_MAX)
		return err_set(err, FTR_USAGE, "more than %d keys to sort by: '%s'",
			       HIST_SORTS_MAX, name);
	to->name = xstrndup(name, n);
	to->descending = is_one_of(order, down);
	s->nr_sorts++;
	return 0;
}

int hist_spec_sort(struct hist_spec *s, const char *text, struct ftr_error *err)
{
	struct strv list = {0};
	int ret = 0;
	size_t i;

	strv_split(&list, text, ",");
	if (!list.n)
		ret = add_sort(s, "", text, err);
	for (i = 0; !ret && i < list.n; i++) {
		char *colon = strchr(list.v[i], ':');

		if (colon)
			*colon++ = '\0';
		ret = add_sort(s, list.v[i], colon ? colon : "", err);
	}
	strv_release(&list);
	return ret;
}

static void add_word_list(struct buf *b, const char *head, const struct strv *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		buf_printf(b, "%s%s", i ? "," : head, list->v[i]);
}

char *hist_spec_line(const struct hist_spec *s)
{
	struct buf b = {0};
	size_t i;

	buf_addstr(&b, "hist");
	add_word_list(&b, ":keys=", &s->keys);
	add_word_list(&b, ":vals=", &s->vals);
	for (i = 0; i < s->more.n; i++)
		buf_printf(&b, ":%s", s->more.v[i]);
	for (i = 0; i < s->nr_sorts; i++)
		buf_printf(&b, "%s%s%s", i ? "," : ":sort=", s->sorts[i].name,
			   s->sorts[i].descending ? ".descending" : "");
	if (s->size)
		buf_printf(&b, ":size=%llu", (unsigned long long)
			   (s->size < HIST_SIZE_MIN ? HIST_SIZE_MIN : s->size));
	for (i = 0; i < s->filters.n; i++)
		buf_printf(&b, s->filters.n == 1 ? " if %s" : i ? " && (%s)" : " if (%s)",
			   s->filters.v[i]);
	return buf_take(&b);
}

void hist_spec_release(struct hist_spec *s)
{
	size_t i;

	strv_release(&s->keys);
	strv_release(&s->vals);
	strv_release(&s->more);
	strv_release(&s->filters);
	for (i = 0; i < s->nr_sorts; i++)
		free(s->sorts[i].name);
	*s = (struct hist_spec){0};
}
