/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The main program: global options, configuration, the command, and the status of standard output.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/opt.h"
#include "base/sig.h"
#include "base/term.h"
#include "cmd/command_table.h"
#include "cmd/frame/command.h"
#include "cmd/frame/config.h"
#include "cmd/frame/trace_cmd.h"

/*
 * Returns @status, or the status of a failed write, as on a full disk. A closed pipe is no error.
 */
static int stdout_status(int status)
{
	struct ftr_error err = {0};
	int bad = ferror(stdout);

	if (fflush(stdout))
		bad = 1;
	if (!bad || errno == EPIPE)
		return status;
	err_write(&err, "cannot write to standard output");
	return cmd_fail(&err);
}

static int run_command(int argc, char **argv)
{
	struct ftr_error err = {0};
	const struct cmd *c = cmd_find(argv[0], &err);
	int status;

	if (!c) {
		trace_cmd_hint_verb(argc, argv, &err);
		return cmd_fail(&err);
	}
	if (c->flags & CMD_PAGER)
		term_pager_start();
	status = c->run(c, argc, argv);
	status = stdout_status(status);
	term_pager_stop();
	return status;
}

/*
 * Opens /dev/null for descriptors 0 to 2 that are closed, as daemons and cron jobs may leave them:
 * a trace file that is opened next would become standard output. Standard output is opened
 * read-only, so that writing fails instead of losing data.
 */
static void open_std_fds(void)
{
	int fd;

	do {
		fd = open("/dev/null", fcntl(STDIN_FILENO, F_GETFD) < 0 ? O_RDWR : O_RDONLY);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

/*
 * Loads the config files and applies defaults of global options, except for 'ftr help', which must
 * always work. Returns -1 with @err.
 */
static int apply_config(int argc, char **argv, int first, struct ftr_error *err)
{
	bool done;

	if (first >= argc || !strcmp(argv[first], "help"))
		return 0;
	if (config_load(cmd_table, err))
		return -1;
	return config_apply("ftr", cmd_global_options, true, argc, argv, &done, err);
}

static void hint_option_owner(const char *option, struct ftr_error *err)
{
	owners_hint(NULL, option, err);
}

int main(int argc, char **argv)
{
	struct ftr_error err = {0};
	bool done = false;
	int first;

	mem_init();
	open_std_fds();
	sig_write_errors();
	sig_read_errors();
	owners_know(cmd_global_options, cmd_table);
	opt_ask = hint_option_owner;
	first = opt_parse(cmd_global_options, true, argc, argv, &done, &err);
	opt_ask = NULL;
	if (first < 0 && err.code != FTR_OK)
		return cmd_fail(&err);
	if (first >= 0 && apply_config(argc, argv, first, &err))
		return cmd_fail(&err);
	if (first < 0)
		cmd_print_overview(false);
	else if (first < argc)
		return run_command(argc - first, argv + first);
	else if (!done)
		cmd_print_first_steps();
	return stdout_status(FTR_OK);
}
