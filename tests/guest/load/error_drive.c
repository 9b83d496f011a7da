/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the changes that lines of stdin name, "FILE UNDO INPUT" with input and undo in hexadecimal,
 * each in a session of its own, and prints what is said of a refusal; a line "." ends each.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tracefs/session/session.h"

static char *from_hex(const char *hex)
{
	size_t i, n = strlen(hex) / 2;
	char *text = xmalloc(n + 1);

	for (i = 0; i < n; i++) {
		unsigned int byte = 0;

		sscanf(hex + 2 * i, "%2x", &byte);
		text[i] = byte;
	}
	text[n] = '\0';
	return text;
}

static int change(struct session *s, const char *file, const char *input, const char *undo,
		  struct ftr_error *err)
{
	if (!fnmatch("events/*", file, 0))
		return session_set(s, NULL, file, input, err);
	return session_line(s, file, input, undo, err);
}

static void one(struct tfs *t, char *line)
{
	char *file = strtok(line, " "), *undo = strtok(NULL, " "), *input = strtok(NULL, " \n");
	struct ftr_error err = {0}, later = {0};
	struct session *s;

	if (!file || !undo || !input)
		return;
	undo = from_hex(undo);
	input = from_hex(input);
	s = session_open(t, &err);
	if (s && !change(s, file, input, undo, &err))
		printf("taken\n");
	else
		printf("%s\n", err.msg);
	if (session_close(s, &later))
		printf("close: %s\n", later.msg);
	printf(".\n");
	fflush(stdout);
	free(input);
	free(undo);
}

int main(void)
{
	struct ftr_error err = {0};
	char *line = NULL;
	size_t cap = 0;
	struct tfs t;

	if (tfs_open(&t, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		return 1;
	}
	while (getline(&line, &cap, stdin) > 0)
		one(&t, line);
	free(line);
	tfs_close(&t);
	return 0;
}
