/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target: ftr sql as a command. Up to the first 0 the input is the query; the rest makes the
 * file (recipe.h). Whatever is asked of whatever file, it ends in time, and writes to no file.
 */
#include <string.h>

#include "cmd/frame/command.h"
#include "fuzz.h"
#include "recipe.h"

enum { OUTPUT_MAX = 16 << 20, QUERY_MAX = 4000 };

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return fuzz_start_commands(OUTPUT_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char script[QUERY_MAX + 1];
	char path[FUZZ_PATH], script_path[FUZZ_PATH], out_path[FUZZ_PATH];
	size_t len = strnlen((const char *)data, size < QUERY_MAX ? size : QUERY_MAX);
	struct buf file = {0};
	int fd, query, out, status;

	if (len == size || data[len])
		return 0;
	memcpy(script, data, len);
	recipe_make(data + len + 1, size - len - 1, &file);
	fd = fuzz_file((uint8_t *)file.data, file.len, path);
	buf_release(&file);
	query = fuzz_file((uint8_t *)script, len, script_path);
	out = fuzz_file(NULL, 0, out_path);
	FUZZ_ASSERT(dup2(out, STDOUT_FILENO) == STDOUT_FILENO);
	status = cmd_sql.run(&cmd_sql, 9, (char *[]){ "sql", "--max-time", "300ms", "--memory-limit",
						       "200M", "--csv", "-f", script_path, path,
						       NULL });
	fflush(stdout);
	FUZZ_ASSERT(status == FTR_OK || status == FTR_FAILED || status == FTR_DAMAGED ||
		    status == FTR_USAGE);
	close(out);
	close(query);
	close(fd);
	return 0;
}
