/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target: ftr report and ftr info as commands, on files of up to 8 MiB (recipe.h). The first
 * byte chooses their options; two threads say what one says. What is to be JSON is.
 */
#include <jansson.h>
#include <string.h>

#include "cmd/frame/command.h"
#include "fuzz.h"
#include "recipe.h"

enum {
	OUTPUT_MAX = 64 << 20,
	WORDS_MAX = 24,
	JSON_MAX = 1 << 20,		/* bytes that are parsed again */
};

#define EXPRESSION "sched_switch: next_pid > 100 && prev_comm ~ \"*b*\" || prev_state == 1"

static char *const rows[][16] = {
	{ "info" },
	{ "report" },
	{ "report", "-t", "--since", "+50us", "--until", "-50us" },
	{ "report", "--since", "1000.0001", "--until", "1000.002", "--cpu", "0,2-3" },
	{ "report", "-F", EXPRESSION, "--event", "sched*", "--pid", "0,41,512,777" },
	{ "report", "-F", EXPRESSION, "--stacks" },
	{ "report", "-v", "-F", "ftrace: ip > 0", "--comm", "*s*", "-I", "-S", "-l" },
	{ "report", "-R" },
	{ "report", "--format=kernel" },
	{ "report", "--fields", "comm,pid,task,tgid,cpu,flags,time,delta,system,event,text,ip" },
	{ "report", "--ts-diff", "--boundary", "--align-ts" },
	{ "report", "-w", "--date", "--ts-offset", "77" },
	{ "report", "--engine=traceevent" },
	{ "report", "--cpus", "--first-event", "--last-event", "--stat", "--uname", "--version",
	  "-E", "--events", "-f", "-P" },
	{ "info", "--quick" },
	{ "report", "--raw-ts", "FILE" },
	{ "report", "--json", "--text" },
	{ "report", "--json", "--json-safe", "--date", "FILE" },
	{ "report", "--csv", "--fields", "time,cpu,task,tgid,delta,event,text,prev_comm,path" },
	{ "info", "--json" },
};

static int run(char *const *row, const char *path, const char *jobs, int out)
{
	const struct cmd *cmd = strcmp(row[0], "info") ? &cmd_report : &cmd_info;
	char *argv[WORDS_MAX] = {0};
	int n, status;

	for (n = 0; row[n]; n++)
		argv[n] = strcmp(row[n], "FILE") ? row[n] : (char *)path;
	if (cmd == &cmd_report) {
		argv[n++] = "-N";
		argv[n++] = (char *)jobs;
	}
	argv[n++] = (char *)path;
	FUZZ_ASSERT(!lseek(out, 0, SEEK_SET) && dup2(out, STDOUT_FILENO) == STDOUT_FILENO);
	status = cmd->run(cmd, n, argv);
	fflush(stdout);
	FUZZ_ASSERT(status == FTR_OK || status == FTR_FAILED || status == FTR_DAMAGED ||
		    status == FTR_USAGE);
	return status;
}

/* What both have, piece by piece. */
static void check_same(int a, int b, off_t len)
{
	static char x[1 << 16], y[1 << 16];

	for (off_t at = 0; at < len; at += sizeof(x)) {
		ssize_t n = pread(a, x, sizeof(x), at), want = len - at < n ? len - at : n;

		FUZZ_ASSERT(n > 0 && pread(b, y, sizeof(y), at) >= want);
		FUZZ_ASSERT(!memcmp(x, y, want));
	}
}

static bool is_json(char *const *row)
{
	for (; *row; row++)
		if (!strcmp(*row, "--json"))
			return true;
	return false;
}

/* A line an object of UTF-8, in which no name comes twice. */
static void check_json(int fd, off_t len)
{
	size_t n = len < JSON_MAX ? len : JSON_MAX, at, end;
	char *text = xmalloc(n + 1), *nl;
	json_t *one;

	FUZZ_ASSERT(pread(fd, text, n, 0) == (ssize_t)n);
	for (at = 0; at < n; at = end + 1) {
		nl = memchr(text + at, '\n', n - at);
		FUZZ_ASSERT(nl || n < (size_t)len);
		if (!nl)
			break;
		end = nl - text;
		one = json_loadb(text + at, end - at, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL |
				 JSON_DECODE_INT_AS_REAL, NULL);
		FUZZ_ASSERT(json_is_object(one));
		json_decref(one);
	}
	free(text);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return fuzz_start_commands(OUTPUT_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[FUZZ_PATH], out_path[FUZZ_PATH];
	char *const *row;
	struct buf file = {0};
	int fd, out[2], one, two;
	off_t len;

	if (!size)
		return 0;
	row = rows[data[0] % (sizeof(rows) / sizeof(*rows))];
	recipe_make(data + 1, size - 1, &file);
	fd = fuzz_file((uint8_t *)file.data, file.len, path);
	buf_release(&file);
	out[0] = fuzz_file(NULL, 0, out_path);
	out[1] = fuzz_file(NULL, 0, out_path);
	one = run(row, path, "-j1", out[0]);
	len = lseek(out[0], 0, SEEK_CUR);
	if (is_json(row) && len < OUTPUT_MAX)
		check_json(out[0], len);
	if (!strcmp(row[0], "report")) {
		two = run(row, path, "-j2", out[1]);
		if (len < OUTPUT_MAX) {
			FUZZ_ASSERT(one == two && lseek(out[1], 0, SEEK_CUR) == len);
			check_same(out[0], out[1], len);
		}
	}
	close(out[0]);
	close(out[1]);
	close(fd);
	return 0;
}
