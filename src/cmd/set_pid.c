/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr set-pid: shows and sets the tasks that events and functions are traced for. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cmd/frame/command.h"
#include "cmd/frame/tracefs_change.h"
#include "tracefs/verbs/pid_lists.h"

#define PID_MAX 4194304		/* the kernel's PID_MAX_LIMIT */

struct pid_args {
	const char *instance;
	bool event, function, notrace, children;
	bool add, remove, clear, json;
	struct pids_change change;
};

#define AT(member) offsetof(struct pid_args, member)
static const struct opt options[] = {
	OPT_GROUP("What to do with PID..."),
	{ 0, "add", NULL, "add them to those that are traced", opt_flag, AT(add) },
	{ 0, "remove", NULL, "trace these tasks no more", opt_flag, AT(remove) },
	{ 0, "clear", NULL, "empty the list, so that all tasks are traced", opt_flag, AT(clear) },
	{ 'c', "children", NULL, "include their children, from now on", opt_flag, AT(children) },
	OPT_GROUP("Which lists"),
	{ 0, "event", NULL, "list the tasks of events only", opt_flag, AT(event) },
	{ 0, "function", NULL, "list the tasks of functions only", opt_flag, AT(function) },
	{ 0, "notrace", NULL, "choose the tasks that are not traced", opt_flag, AT(notrace) },
	{ 'B', "buffer", "INSTANCE", "use INSTANCE instead of the top level",
	  opt_str, AT(instance) },
	OPT_GROUP("Output"),
	{ 0, "json", NULL, "print the lists as JSON", opt_flag, AT(json) },
	OPT_END
};

static const char *const examples[] = {
	"ftr set-pid                      which tasks are traced",
	"ftr set-pid --children 1234      of 1234 and its children only",
	"ftr set-pid --event --notrace --add $$    no events of this shell",
	NULL
};

/* --- show */

static const struct {
	const char *title, *key;
} lists[N_PID_LISTS] = {
	[PIDS_EVENT] = { "events of", "event" },
	[PIDS_EVENT_NOTRACE] = { "no events of", "event_notrace" },
	[PIDS_FUNCTION] = { "functions of", "function" },
	[PIDS_FUNCTION_NOTRACE] = { "no functions of", "function_notrace" },
};

static void print_pid_list(const struct tfs *t, const struct pid_args *a, enum pid_list list,
			   const struct strv *pids)
{
	bool notrace = list == PIDS_EVENT_NOTRACE || list == PIDS_FUNCTION_NOTRACE;
	bool functions = list >= PIDS_FUNCTION;
	size_t i;

	printf("%-17s", lists[list].title);
	if (!pids_available(t, a->instance, list))
		fputs("(this kernel has no such list)", stdout);
	else if (!pids->n)
		fputs(notrace ? "none" : "all tasks", stdout);
	for (i = 0; i < pids->n; i++)
		printf("%s%s", i ? " " : "", pids->v[i]);
	if (pids->n && pids_follow(t, a->instance, functions))
		fputs(", and their children", stdout);
	putchar('\n');
}

static json_t *json_pids(const struct strv *pids)
{
	json_t *list = json_array();
	int64_t pid;
	size_t i;

	for (i = 0; i < pids->n; i++)
		if (!text_number(pids->v[i], 0, PID_MAX, &pid))
			json_array_append_new(list, json_integer(pid));
	return list;
}

static int show_lists(const struct pid_args *a)
{
	struct strv pids[N_PID_LISTS] = {{0}};
	struct ftr_error err = {0};
	json_t *all = json_object();
	struct tfs t;
	int i, ret = tfs_open(&t, &err);

	if (ret)
		goto out;
	ret = tfs_check_instance(&t, a->instance, &err);
	for (i = 0; !ret && i < N_PID_LISTS; i++) {
		ret = pids_read(&t, a->instance, i, &pids[i], &err);
		if (pids_available(&t, a->instance, i))
			json_object_set_new(all, lists[i].key, json_pids(&pids[i]));
	}
	json_object_set_new(all, "event_fork", json_boolean(pids_follow(&t, a->instance, false)));
	json_object_set_new(all, "function_fork", json_boolean(pids_follow(&t, a->instance, true)));
	for (i = 0; !ret && !a->json && i < N_PID_LISTS; i++)
		print_pid_list(&t, a, i, &pids[i]);
	if (!ret && a->json) {
		json_dumpf(all, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
		putchar('\n');
	}
	for (i = 0; i < N_PID_LISTS; i++)
		strv_release(&pids[i]);
	tfs_close(&t);
out:
	json_decref(all);
	return ret ? cmd_fail(&err) : FTR_OK;
}

/* --- change */

static int check_pid_words(struct pid_args *a, char **words, int n, struct ftr_error *err)
{
	struct pids_change *c = &a->change;
	bool both = a->event == a->function;
	struct strv one = {0};
	int64_t pid;
	size_t k;
	int i, ret = 0;

	if (a->add + a->remove + a->clear > 1)
		return err_set(err, FTR_USAGE, "only one of --add, --remove and --clear");
	if (a->clear && n)
		return err_set(err, FTR_USAGE, "--clear takes no pids: '%s'", words[0]);
	if ((a->add || a->remove || a->children) && !n)
		return err_set(err, FTR_USAGE, "no process id was given");
	/* Blanks and commas separate pids, as in the output of pidof and the argument of -P. */
	for (i = 0; i < n; i++)
		strv_split(&one, words[i], ", \n");
	for (k = 0; !ret && k < one.n; k++) {
		if (text_number(one.v[k], 0, PID_MAX, &pid)) {
			err_set(err, FTR_USAGE, "'%s' is not a process id", one.v[k]);
			ret = err_hint(err, "pids are numbers, as ps or pidof print them");
		} else {
			/* The kernel lists pids in this form. */
			strv_take(&c->pids, xasprintf("%lld", (long long)pid));
		}
	}
	if (!ret && n && !one.n)
		ret = err_set(err, FTR_USAGE, "'%s' is not a process id", words[0]);
	strv_release(&one);
	c->instance = a->instance;
	c->how = a->add ? PIDS_ADD : a->remove ? PIDS_REMOVE : PIDS_SET;
	c->children = a->children;
	c->lists[a->notrace ? PIDS_EVENT_NOTRACE : PIDS_EVENT] = both || a->event;
	c->lists[a->notrace ? PIDS_FUNCTION_NOTRACE : PIDS_FUNCTION] = both || a->function;
	return ret;
}

/* If both lists are meant, a kernel without function tracer gets the list of events only. */
static int change_pid_lists(struct session *s, void *ctx, struct ftr_error *err)
{
	struct pid_args *a = ctx;
	int i;

	for (i = PIDS_FUNCTION; i <= PIDS_FUNCTION_NOTRACE; i++)
		if (!a->function && !pids_available(session_tfs(s), NULL, i))
			a->change.lists[i] = false;
	return pids_change(s, &a->change, err);
}

static int run_set_pid(const struct cmd *self, int argc, char **argv)
{
	struct ftr_error err = {0};
	struct pid_args a = {0};
	int status, first = cmd_parse(self, argc, argv, &a, &status);
	bool change;

	if (first < 0)
		return status;
	change = first < argc || a.clear || a.add || a.remove || a.children;
	if (check_pid_words(&a, argv + first, argc - first, &err))
		status = cmd_fail(&err);
	else if (change)
		status = cmd_change(CHANGE_STANDS, change_pid_lists, &a);
	if (!status && (!change || a.json))
		status = show_lists(&a);
	strv_release(&a.change.pids);
	return status;
}

const struct cmd cmd_set_pid = {
	.name = "set-pid",
	.usage = "[--add | --remove | --clear] [OPTIONS] [PID...]",
	.summary = "show or choose the tasks that are traced",
	.examples = examples,
	.options = options,
	.run = run_set_pid,
};
