/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints every control file of a list as "path: value", one line each; independent of ftr's own
 * code.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "value.h"

#define SIZE_INITIAL "1410"

/*
 * The first use of tracing turns "7 (expanded: 1408)" for good into 1410 (1408 rounded up to
 * sub-buffers), and a CPU's "7" with it.
 */
static void normalise_size(const char *path)
{
	const char *expanded = strstr(value, "(expanded: ");
	bool cpu = !strncmp(path, "per_cpu/", 8) || strstr(path, "/per_cpu/");

	if (expanded)
		memmove(value, expanded + 11, strcspn(expanded + 11, ")") + 1);
	value[strcspn(value, ")")] = '\0';
	if (!strcmp(value, "1408") || (cpu && !strcmp(value, "7")))
		strcpy(value, SIZE_INITIAL);
}

static void dump_file(int dir, const char *name, const char *path)
{
	if (!value_read(dir, name, 0))
		return;
	if (!strcmp(name, "buffer_size_kb"))
		normalise_size(path);
	value_print("", path);
}

/* "enable" or "{enable,filter}" */
static void dump_leaves(int dir, const char *leaf, const char *prefix)
{
	char names[256], path[4096], *name, *save;
	struct stat st;

	snprintf(names, sizeof(names), "%s", leaf);
	for (name = strtok_r(names, "{,}", &save); name; name = strtok_r(NULL, "{,}", &save)) {
		snprintf(path, sizeof(path), "%s%s", prefix, name);
		if (!fstatat(dir, name, &st, 0) && S_ISREG(st.st_mode))
			dump_file(dir, name, path);
	}
}

static void walk(int dir, const char *pattern, const char *prefix)
{
	const char *slash = strchr(pattern, '/');
	char part[256], path[4096];
	struct dirent **list;
	int n, i, sub;

	snprintf(part, sizeof(part), "%.*s", slash ? (int)(slash - pattern) : 255, pattern);
	if (!slash && !strpbrk(part, "*?")) {
		dump_leaves(dir, part, prefix);
		return;
	}
	if (slash && !strpbrk(part, "*?")) {
		sub = openat(dir, part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		snprintf(path, sizeof(path), "%s%s/", prefix, part);
		if (sub >= 0) {
			walk(sub, slash + 1, path);
			close(sub);
		}
		return;
	}
	n = scandirat(dir, ".", &list, no_dots, alphasort);
	for (i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s%s%s", prefix, list[i]->d_name, slash ? "/" : "");
		sub = -1;
		if (fnmatch(part, list[i]->d_name, 0))
			;
		else if (!slash)
			dump_leaves(dir, list[i]->d_name, prefix);
		else
			sub = openat(dir, list[i]->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (sub >= 0) {
			walk(sub, slash + 1, path);
			close(sub);
		}
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

/* All patterns of the list, below the top level (@instance NULL) or an instance. */
static void dump_list(FILE *list, int dir, const char *prefix)
{
	char line[512];

	rewind(list);
	while (fgets(line, sizeof(line), list)) {
		line[strcspn(line, "\n")] = '\0';
		if (*line && *line != '#' && *line != '/')
			walk(dir, line, prefix);
		else if (*line == '/' && !*prefix && !access(line, F_OK))
			dump_file(AT_FDCWD, line, line);
	}
}

static void dump_instances(FILE *list, int top)
{
	struct dirent **names;
	char path[300], prefix[300];
	int n = scandirat(top, "instances", &names, no_dots, alphasort), i, dir;

	printf("instances:");
	for (i = 0; i < n; i++)
		printf(" %s", names[i]->d_name);
	putchar('\n');
	for (i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "instances/%s", names[i]->d_name);
		snprintf(prefix, sizeof(prefix), "instances/%s/", names[i]->d_name);
		dir = openat(top, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (dir >= 0) {
			dump_list(list, dir, prefix);
			close(dir);
		}
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

int main(int argc, char **argv)
{
	FILE *list = argc > 1 ? fopen(argv[1], "r") : NULL;
	int top = open(argc > 2 ? argv[2] : "/sys/kernel/tracing", O_RDONLY | O_DIRECTORY);

	if (!list || top < 0) {
		fprintf(stderr, "usage: statedump LIST [TRACEFS]\n");
		return 1;
	}
	dump_list(list, top, "");
	dump_instances(list, top);
	return fflush(stdout) || ferror(stdout);
}
