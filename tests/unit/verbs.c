/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Verbs below a command: which one runs with what, refusals, help. */
#include "cmd/frame/command_verbs.h"

#include "base/mem.h"
#include "tap.h"

static struct {
	char name[32], word[32];
	int argc, first;
	const char *buffer;
} ran;

static const struct opt none_options[] = {
	{ 0, "on", "EVENT", "when this happens", opt_str, 0 },
	OPT_END
};

static const struct opt options[] = {
	{ 'B', "buffer", "INSTANCE", "in this instance", opt_str, 0 },
	OPT_END
};

static int note(const struct cmd *self, int argc, char **argv)
{
	int status;

	snprintf(ran.name, sizeof(ran.name), "%s", self->name);
	snprintf(ran.word, sizeof(ran.word), "%s", argv[0]);
	ran.argc = argc;
	ran.buffer = NULL;
	ran.first = cmd_parse(self, argc, argv, &ran.buffer, &status);
	return 40 + status;
}

static const struct cmd plain[] = {
	{ .name = "add", .usage = "EVENT", .summary = "add one", .options = options, .run = note },
	{ .name = "remove", .usage = "EVENT", .summary = "take it away", .options = options, .run = note },
	{ 0 }
};

static const struct cmd with_none[] = {
	{ .name = "", .usage = "[--on EVENT]", .summary = "show it", .options = none_options, .run = note },
	{ .name = "take", .usage = "", .summary = "take one", .options = options, .run = note },
	{ 0 }
};

static const struct cmd trig = { .name = "trig", .usage = "VERB", .summary = "s", .verbs = plain };
static const struct cmd snap = { .name = "snap", .usage = "[VERB]", .summary = "s", .verbs = with_none };

static int run(const struct cmd *c, char *a, char *b, char *d)
{
	char *argv[] = { (char *)c->name, a, b, d, NULL };
	int argc = 1 + !!a + !!b + !!d;

	ran.name[0] = ran.word[0] = '\0';
	return verbs_run(c, argc, argv);
}

static void test_run(void)
{
	TAP_EQ(run(&trig, "add", "-Bx", "ev"), 40, "a verb runs, its status is returned");
	TAP_OK(!strcmp(ran.name, "trig add") && !strcmp(ran.word, "add") && ran.argc == 3, "... whole name, own words");
	TAP_OK(ran.first == 2 && ran.buffer && !strcmp(ran.buffer, "x"), "... cmd_parse() takes its options");
	TAP_EQ(run(&trig, "ad", NULL, NULL), FTR_USAGE, "an unknown verb is wrong usage");
	TAP_OK(!*ran.name, "... and nothing runs");
	TAP_EQ(run(&trig, NULL, NULL, NULL), FTR_USAGE, "no verb is wrong usage");
	TAP_EQ(run(&trig, "-Bx", "add", NULL), FTR_USAGE, "options before the verb are wrong usage");
	TAP_EQ(run(&trig, "", NULL, NULL), FTR_USAGE, "an empty word is no verb");
	TAP_EQ(run(&snap, NULL, NULL, NULL), 40, "a command may run without a verb");
	TAP_OK(!strcmp(ran.name, "snap"), "... under its own name");
	TAP_EQ(run(&snap, "--on", "x:y", NULL), 40, "... with options");
	TAP_OK(ran.buffer && !strcmp(ran.buffer, "x:y"), "... of its own");
	TAP_EQ(run(&snap, "", NULL, NULL), FTR_USAGE, "... but not by an empty word");
	TAP_EQ(run(&snap, "tak", NULL, NULL), FTR_USAGE, "... nor by an unknown one");
}

static void test_find(void)
{
	struct ftr_error err = {0};
	struct cmd verb;

	TAP_OK(!verbs_find(&trig, "remove", &verb, &err) && !strcmp(verb.name, "trig remove"), "a verb is found");
	TAP_OK(!verbs_find(&trig, "del", &verb, &err) && !strcmp(verb.name, "trig remove"), "and by another word");
	TAP_OK(verbs_find(&trig, "remov", &verb, &err) == -1 && err.code == FTR_USAGE &&
	       !strcmp(err.msg, "'remov' is not a verb of 'ftr trig'") &&
	       !strcmp(err.hint, "did you mean 'ftr trig remove'?"), "the nearest one is named");
	verbs_find(&trig, "xyzzy", &verb, &err);
	TAP_OK(!strcmp(err.hint, "it takes add or remove; 'ftr trig -h' explains them"), "else all are");
	if (strcmp(err.hint, "it takes add or remove; 'ftr trig -h' explains them"))
		printf("# %s\n", err.hint);
}

static void test_help(void)
{
	static const char want_plain[] =
		"\nVerbs:\n"
		"  ftr trig add EVENT\n        add one (or create)\n"
		"  ftr trig remove EVENT\n        take it away (or del, delete)\n"
		"\nftr trig add, ftr trig remove:\n"
		"  -B, --buffer=INSTANCE     in this instance\n";
	static const char want_none[] =
		"\nVerbs:\n"
		"  ftr snap [--on EVENT]\n        show it\n"
		"  ftr snap take\n        take one\n"
		"\nftr snap:\n"
		"      --on=EVENT            when this happens\n"
		"\nftr snap take:\n"
		"  -B, --buffer=INSTANCE     in this instance\n";
	struct buf out = {0};

	verbs_help(&trig, &out);
	TAP_OK(!strcmp(out.data, want_plain), "help: verbs, then shared options once");
	buf_reset(&out);
	verbs_help(&snap, &out);
	TAP_OK(!strcmp(out.data, want_none), "help: without a verb, and with one");
	buf_release(&out);
}

int main(void)
{
	test_run();
	test_find();
	test_help();
	return tap_done();
}
