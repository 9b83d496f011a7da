/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks tracefs and prints every readable file that is there as "path: value", one line each, but for
 * what a table leaves out; independent of ftr's own code. What a kernel has and nobody thought of
 * is compared, too.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "value.h"

#define PATTERN_MAX	128
#define ROWS_MAX	100
#define SIZE_BEFORE	1408
#define SIZE_USED	1410

/* A row: files below the top level or an instance (or elsewhere), and what is done with them. */
struct row {
	char pattern[PATTERN_MAX], how[16], since[16];
	bool is_matched;
};

/* A buffer's folder: what is in it rests while nothing records into it. */
struct buffer {
	int dir;
	const char *prefix;
	bool rests;
};

static struct row rows[ROWS_MAX];
static int nr_rows;

/* Calls a function for each line, which may shorten it in place or leave it out (false). */
static void each_line(bool (*line_change)(char *line))
{
	char *in = value, *out = value, *end;
	bool is_last;

	do {
		end = in + strcspn(in, "\n");
		is_last = !*end;
		*end = '\0';
		if (line_change(in)) {
			size_t len = strlen(in);

			memmove(out, in, len);
			out += len;
			*out++ = '\n';
		}
		in = end + 1;
	} while (!is_last);
	if (out > value)
		out--;
	*out = '\0';
}

/*
 * The first use of tracing turns "7 (expanded: 1408)" for good into 1410 (1408 rounded up to
 * sub-buffers), and a CPU's "7" with it.
 */
static void size_normalise(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF), kb;
	char *expanded = strstr(value, "(expanded: ");

	if (!strcmp(value, "X"))
		return;
	kb = atol(expanded ? expanded + 11 : value);
	if (kb == SIZE_BEFORE || kb == 7)
		kb = SIZE_USED;
	else if (kb == SIZE_BEFORE * cpus || kb == 7 * cpus)
		kb = SIZE_USED * cpus;
	sprintf(value, "%ld", kb);
}

/* "   comm-123   [001] d..1.  12.345: ..." */
static bool line_without_comm(char *line)
{
	char *p = line;
	size_t len;

	while ((p = strchr(p, '-'))) {
		len = strspn(++p, "0123456789");
		if (len && !strncmp(p + len + strspn(p + len, " "), "[0", 2)) {
			memmove(line, p, strlen(p) + 1);
			break;
		}
	}
	return true;
}

/* The time, and what was read or written there before: leftovers that nothing uses. */
static bool line_without_now(char *line)
{
	return strncmp(line, "now ts:", 7) && strncmp(line, "oldest event ts:", 16) &&
	       strncmp(line, "read events:", 12);
}

/* Numbers at its end are hits and misses. */
static bool line_without_counts(char *line)
{
	size_t len = strlen(line);

	while (len && strchr(" \t0123456789", line[len - 1])) {
		size_t word = len;

		while (word && strchr("0123456789", line[word - 1]))
			word--;
		if (word && !strchr(" \t", line[word - 1]))
			break;
		len = word;
		while (len && strchr(" \t", line[len - 1]))
			len--;
	}
	line[len] = '\0';
	return true;
}

/* "func [module] (1) R   M	tramp: 0xffffffffc0..." and lines about trampolines */
static bool line_without_tramp(char *line)
{
	char *users = strstr(line, " (");

	if (*line == '\t')
		return false;
	if (users && (users = strchr(users, ')')))
		users[1] = '\0';
	return true;
}

static bool line_without_optimized(char *line)
{
	char *word = strstr(line, "[OPTIMIZED]");

	if (word)
		memmove(word, word + 11, strlen(word + 11) + 1);
	while (*line && line[strlen(line) - 1] == ' ')
		line[strlen(line) - 1] = '\0';
	return true;
}

/* What the table's second column may say. */
static const struct compare_rule {
	const char *name;
	bool (*line_change)(char *line);
	bool at_rest;		/* only compared while nothing records into the buffer */
	bool is_unread, is_size;
} compare_rules[] = {
	{ .name = "skip", .is_unread = true },
	{ .name = "content", .line_change = line_without_comm, .at_rest = true },
	{ .name = "stats", .line_change = line_without_now, .at_rest = true },
	{ .name = "size", .is_size = true },
	{ .name = "read" },
	{ .name = "counts", .line_change = line_without_counts },
	{ .name = "tramp", .line_change = line_without_tramp },
	{ .name = "optimized", .line_change = line_without_optimized },
};

static const struct compare_rule *compare_rule_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(compare_rules) / sizeof(compare_rules[0]); i++) {
		if (!strcmp(name, compare_rules[i].name))
			return &compare_rules[i];
	}
	return NULL;
}

static const struct compare_rule *compare_rule_of_path(const char *path)
{
	const struct compare_rule *compare_rule = NULL;
	int i;

	/* all rows that match are marked, the first one says what is done */
	for (i = 0; i < nr_rows; i++) {
		if (fnmatch(rows[i].pattern, path, FNM_PATHNAME))
			continue;
		rows[i].is_matched = true;
		compare_rule = compare_rule ? compare_rule : compare_rule_find(rows[i].how);
	}
	return compare_rule;
}

static void file_dump(const struct buffer *b, int dir, const char *name, const char *path)
{
	const struct compare_rule *compare_rule = compare_rule_of_path(path);

	if (compare_rule && (compare_rule->is_unread || (compare_rule->at_rest && !b->rests)))
		return;
	value_read(dir, name, O_NONBLOCK);
	if (compare_rule && compare_rule->is_size)
		size_normalise();
	if (compare_rule && compare_rule->line_change)
		each_line(compare_rule->line_change);
	value_print(b->prefix, path);
}

static int dir_open(int dir, const char *name)
{
	return openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* A folder within a buffer's; the path is below that. Who can write only has no right to read. */
static void dir_dump(const struct buffer *b, int dir, const char *path)
{
	struct dirent **list;
	struct stat st;
	char below[1024];
	int n = scandirat(dir, ".", &list, no_dots, alphasort), i, sub;

	for (i = 0; i < n; i++) {
		const char *name = list[i]->d_name;

		snprintf(below, sizeof(below), "%s%s%s", path, *path ? "/" : "", name);
		if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW)) {
			printf("%s%s: !%s\n", b->prefix, below, strerror(errno));
		} else if (S_ISREG(st.st_mode) && (st.st_mode & 0444)) {
			file_dump(b, dir, name, below);
		} else if (S_ISDIR(st.st_mode) && strcmp(below, "instances")) {
			printf("%s%s/\n", b->prefix, below);
			sub = dir_open(dir, name);
			if (sub >= 0)
				dir_dump(b, sub, below);
			close(sub);
		}
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

static bool reads(int dir, const char *name, const char *text)
{
	value_read(dir, name, O_NONBLOCK);
	return !strcmp(value, text);
}

/* Nothing records where tracing is off, or no tracer and no event is on. */
static void buffer_dump(int dir, const char *prefix)
{
	struct buffer b = { .dir = dir, .prefix = prefix };

	b.rests = reads(dir, "tracing_on", "0") ||
		  (reads(dir, "current_tracer", "nop") && reads(dir, "events/enable", "0"));
	dir_dump(&b, dir, "");
}

static void instances_dump(int top)
{
	char prefix[300];
	struct dirent **list;
	int dir = dir_open(top, "instances"), sub, i;
	int n = scandirat(top, "instances", &list, no_dots, alphasort);

	for (i = 0; i < n; i++) {
		snprintf(prefix, sizeof(prefix), "instances/%s/", list[i]->d_name);
		printf("%s\n", prefix);
		sub = dir_open(dir, list[i]->d_name);
		if (sub >= 0)
			buffer_dump(sub, prefix);
		close(sub);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	close(dir);
}

/* The files of a folder elsewhere whose names have a word in them; whether there are any. */
static bool elsewhere_dump(const char *dir_path, const char *word)
{
	struct buffer b = { .prefix = "", .rests = true };
	int dir = open(dir_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), n, i;
	struct dirent **list;
	bool any = false;
	char path[1024];

	n = dir < 0 ? -1 : scandirat(dir, ".", &list, no_dots, alphasort);
	for (i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir_path, list[i]->d_name);
		if (strstr(list[i]->d_name, word)) {
			file_dump(&b, dir, list[i]->d_name, path);
			any = true;
		}
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	if (dir >= 0)
		close(dir);
	return any;
}

/* "PATTERN HOW SINCE REASON", or "FOLDER WORD SINCE" with a + before it. */
static bool row_read(const char *line, struct row *r)
{
	char dir_path[PATTERN_MAX], word[24];

	if (sscanf(line, "+%127s %23s %15s", dir_path, word, r->since) == 3) {
		snprintf(r->pattern, sizeof(r->pattern), "%.99s/*%s*", dir_path, word);
		strcpy(r->how, "read");
		r->is_matched = elsewhere_dump(dir_path, word);
		return true;
	}
	return sscanf(line, "%127s %15s %15s", r->pattern, r->how, r->since) == 3 &&
	       compare_rule_find(r->how);
}

/* Files elsewhere are printed as their rows are read, so what is done with them stands before. */
static bool table_read(const char *name)
{
	FILE *f = fopen(name, "r");
	char line[512];
	bool ok = f;

	while (ok && fgets(line, sizeof(line), f)) {
		if (*line == '#' || *line == '\n')
			continue;
		ok = nr_rows < ROWS_MAX && row_read(line, &rows[nr_rows]);
		nr_rows += ok;
		if (!ok)
			fprintf(stderr, "statewalk: %s: not a row: %s", name, line);
	}
	if (f)
		fclose(f);
	return ok;
}

/* The rows that no file was like: "SINCE PATTERN" */
static bool unmatched_write(const char *name)
{
	FILE *f = fopen(name, "w");
	int i;

	for (i = 0; f && i < nr_rows; i++) {
		if (!rows[i].is_matched)
			fprintf(f, "%s %s\n", rows[i].since, rows[i].pattern);
	}
	return f && !fclose(f);
}

int main(int argc, char **argv)
{
	int top = argc == 4 ? dir_open(AT_FDCWD, argv[2]) : -1;

	if (top < 0) {
		fprintf(stderr, "usage: statewalk TABLE TRACEFS UNMATCHED-FILE\n");
		return 2;
	}
	if (!table_read(argv[1]))
		return 1;
	buffer_dump(top, "");
	instances_dump(top);
	return !unmatched_write(argv[3]) || fflush(stdout) || ferror(stdout);
}
