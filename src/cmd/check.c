/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr check: shows which features this kernel has, and the reason and a hint if it lacks one. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/term.h"
#include "base/text.h"
#include "cmd/frame/command.h"
#include "tracefs/state/feature.h"

#define WIDTH 80
#define INDENT 29	/* first column of reasons and hints */

struct check_args {
	bool json, missing;
	struct feature_view view;
	bool *wanted;			/* selected by the operands; indexed as features[] */
	size_t asked, works;
};

#define AT(member) offsetof(struct check_args, member)
static const struct opt options[] = {
	OPT_GROUP("Output"),
	{ 0, "missing", NULL, "print only what does not work", opt_flag, AT(missing) },
	{ 0, "json", NULL, "print JSON: kernel, works, features", opt_flag, AT(json) },
	OPT_END
};

static const char *const examples[] = {
	"ftr check                             everything",
	"ftr check conditions --missing        what is in the way of tracing here",
	"ftr check function_graph hist && ...  status 0 if both work",
	NULL
};

static int err_no_feature(const char *word, struct ftr_error *err)
{
	struct strv names = {0};
	const char *near;
	size_t i;

	for (i = 0; features[i].name; i++) {
		strv_add(&names, features[i].name);
		strv_add(&names, features[i].group);
	}
	strv_sort_unique(&names);
	err_set(err, FTR_USAGE, "no feature '%.200s'", word);
	near = text_closest(word, names.v);
	if (near)
		err_hint(err, "did you mean '%s'?", near);
	else
		err_hint(err, "'ftr check' without words shows all names; tracers are features");
	strv_release(&names);
	return -1;
}

/*
 * Marks the features whose name or group is among the words, or all features without words. Returns
 * -1 with @err if a word names none.
 */
static int choose_features(struct check_args *c, char *const *words, size_t n,
			   struct ftr_error *err)
{
	size_t i, k, before, nr = 0;

	while (features[nr].name)
		nr++;
	c->wanted = xcalloc(nr + 1, sizeof(*c->wanted));
	for (k = 0; !n && k < nr; k++)
		c->wanted[k] = true;
	for (i = 0; i < n; i++) {
		for (before = k = 0; k < nr; k++)
			if (!strcmp(words[i], features[k].name) ||
			    !strcmp(words[i], features[k].group)) {
				c->wanted[k] = true;
				before++;
			}
		if (!before)
			return err_no_feature(words[i], err);
	}
	return 0;
}

static const char *state_word(enum feature_state s)
{
	static const char *const words[] = {
		[FEATURE_WORKS] = "works", [FEATURE_NO] = "no", [FEATURE_UNKNOWN] = "unknown",
	};

	return words[s];
}

/* Appends text that starts at column @at and is broken at blanks; further lines start at INDENT. */
static void wrap_text(struct buf *out, const char *text, size_t at)
{
	size_t len;

	while (*text) {
		len = strcspn(text, " ");
		if (at > INDENT && at + 1 + len > WIDTH) {
			buf_printf(out, "\n%*s", INDENT, "");
			at = INDENT;
		} else if (at > INDENT) {
			buf_addch(out, ' ');
			at++;
		}
		text_sanitise(out, text, len, false);
		at += len;
		text += len + strspn(text + len, " ");
	}
	buf_addch(out, '\n');
}

static void print_finding(const struct feature *f, const struct feature_result *found)
{
	static const char *const colours[] = {
		[FEATURE_WORKS] = "\033[32m", [FEATURE_NO] = "\033[31m",
		[FEATURE_UNKNOWN] = "\033[33m",
	};
	bool paint = term_colour(STDOUT_FILENO);
	struct buf out = {0};

	buf_printf(&out, "  %-18s %s%-7s%s", f->name, paint ? colours[found->state] : "",
		   state_word(found->state), paint ? "\033[0m" : "");
	if (found->detail.len) {
		buf_addch(&out, ' ');
		wrap_text(&out, found->detail.data, INDENT);
	} else {
		while (!paint && out.data[out.len - 1] == ' ')
			out.data[--out.len] = '\0';
		buf_addch(&out, '\n');
	}
	if (found->hint.len) {
		buf_printf(&out, "%*shint:", INDENT, "");
		wrap_text(&out, found->hint.data, INDENT + 5);
	}
	fwrite(out.data, 1, out.len, stdout);
	buf_release(&out);
}

static void print_features_json(const struct check_args *c, json_t *list)
{
	struct utsname u;
	json_t *all;

	if (uname(&u))
		strcpy(u.release, "?");
	all = json_pack("{s:s, s:b, s:o}", "kernel", u.release, "works", c->works == c->asked,
			"features", list);
	json_dumpf(all, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(all);
}

/* Checks the selected features one after the other, and prints each result at once. */
static void check_features(struct check_args *c)
{
	json_t *list = c->json ? json_array() : NULL;
	const char *group = NULL;
	struct feature_result found = {0};
	struct buf detail = {0};
	size_t i;

	for (i = 0; features[i].name; i++) {
		if (!c->wanted[i])
			continue;
		feature_look(&c->view, &features[i], &found);
		c->asked++;
		c->works += found.state == FEATURE_WORKS;
		if (c->missing && found.state == FEATURE_WORKS)
			continue;
		if (list) {
			buf_reset(&detail);
			text_sanitise(&detail, found.detail.data, found.detail.len, false);
			json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:s}",
				"name", features[i].name, "group", features[i].group,
				"state", state_word(found.state),
				"detail", detail.len ? detail.data : "",
				"hint", found.hint.data));
			continue;
		}
		if (!group || strcmp(group, features[i].group)) {
			group = features[i].group;
			printf("%c%s\n", group[0] - 'a' + 'A', group + 1);
		}
		print_finding(&features[i], &found);
	}
	if (list)
		print_features_json(c, list);
	finding_release(&found);
	buf_release(&detail);
}

static int run_check(const struct cmd *self, int argc, char **argv)
{
	struct ftr_error err = {0};
	struct check_args c = {0};
	int status, first = cmd_parse(self, argc, argv, &c, &status);

	if (first < 0)
		return status;
	if (choose_features(&c, argv + first, argc - first, &err)) {
		status = cmd_fail(&err);
		goto out;
	}
	feature_view_open(&c.view);
	check_features(&c);
	feature_view_close(&c.view);
	cmd_notice("%zu of %zu work", c.works, c.asked);
	status = c.works == c.asked ? FTR_OK : FTR_FAILED;
out:
	free(c.wanted);
	return status;
}

const struct cmd cmd_check = {
	.name = "check",
	.usage = "[OPTIONS] [FEATURE|GROUP...]",
	.summary = "show what works on this kernel, what does not, and how to get it",
	.examples = examples,
	.options = options,
	.flags = CMD_PAGER | CMD_EVERYDAY,
	.run = run_check,
};
