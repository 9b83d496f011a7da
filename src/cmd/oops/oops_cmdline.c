/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr oops cmdline: what the kernel is to be booted with, so that a trace outlives a crash. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "cmd/oops/oops_machine.h"
#include "cmd/oops/oops_verbs.h"
#include "oops/boot/boot_arguments.h"

struct cmdline {
	struct boot_machine m;		/* first: the rows of oops_machine.h */
	bool line;
	char *booted;			/* with these words; NULL: not this machine, or not known */
};

static bool was_booted_with(const struct cmdline *c, const char *argument)
{
	size_t len = strlen(argument);

	for (const char *p = c->booted; p && (p = strstr(p, argument)); p += len)
		if ((p == c->booted || p[-1] == ' ') && (!p[len] || p[len] == ' '))
			return true;
	return false;
}

static void print_reason(const char *reason)
{
	while (*reason) {
		int len = strcspn(reason, "\n");

		cmd_print("    %.*s\n", len, reason);
		reason += len + !!reason[len];
	}
}

static void print_reasons(const struct cmdline *c)
{
	struct buf word = {0};
	const char *reason;

	cmd_print("# for %s, %" PRIu64 " CPU%s, %" PRIu64 " MiB of memory\n", c->m.release,
		  c->m.cpus, c->m.cpus == 1 ? "" : "s", c->m.memory >> 20);
	for (size_t i = 0; boot_argument_next(&c->m, &i, &word, &reason);) {
		cmd_print("%s\n", word.data);
		if (was_booted_with(c, word.data))
			print_reason("This boot already has it.");
		print_reason(reason);
	}
	buf_release(&word);
}

static void print_line(const struct cmdline *c)
{
	struct buf line = {0};

	boot_arguments_line(&c->m, &line);
	cmd_print("%s\n", line.data);
	buf_release(&line);
}

const struct opt oops_cmdline_options[] = {
	MACHINE_OPT_BUFFER,
	{ '1', "line", NULL, "print only the arguments, in one line", opt_flag,
	  offsetof(struct cmdline, line) },
	MACHINE_OPTS_OTHER,
	OPT_END
};

int oops_cmdline(const struct cmd *self, int argc, char **argv)
{
	struct cmdline c = { .m.cpu_kb = BOOT_CPU_KB };
	struct ftr_error err = {0};
	int status, first = cmd_parse(self, argc, argv, &c, &status);

	if (first < 0)
		return status;
	if (first < argc) {
		err_set(&err, FTR_USAGE, "unexpected word '%s'", argv[first]);
		err_hint(&err, "--kernel, --cpus and --memory describe another machine");
		return cmd_fail(&err);
	}
	if (!*c.m.release && !c.m.cpus && !c.m.memory)
		c.booted = io_line_at(AT_FDCWD, "/proc/cmdline");
	if (boot_machine_complete(&c.m, &err))
		status = cmd_fail(&err);
	else if (c.line)
		print_line(&c);
	else
		print_reasons(&c);
	free(c.booted);
	return status;
}
