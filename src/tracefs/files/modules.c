/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Function filters of modules that are loaded or not loaded yet. */
#include "tracefs/files/modules.h"

#include <ctype.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/io.h"

/* Shorter literal starts ("nf*", "*") would match half of all modules. */
#define GUESS_PREFIX_MIN 3

/* File names have '-', the kernel's names '_'. */
static void module_kernel_name(char *name)
{
	for (; *name; name++)
		if (*name == '-')
			*name = '_';
}

static void read_lines(const char *path, struct strv *lines)
{
	struct buf text = {0};

	if (!io_read_at(AT_FDCWD, path, &text))
		strv_split(lines, text.data, "\n");
	buf_release(&text);
}

void modules_loaded(struct strv *out)
{
	struct strv lines = {0};
	size_t i;

	read_lines("/proc/modules", &lines);
	for (i = 0; i < lines.n; i++)
		strv_take(out, xstrndup(lines.v[i], strcspn(lines.v[i], " ")));
	strv_release(&lines);
}

void module_events(const char *module, struct strv *out)
{
	static const char mark[] = " __traceiter_";
	char *suffix = xasprintf("\t[%s]\n", module);
	struct buf text = {0};
	const char *p;
	size_t n;

	if (!io_read_at(AT_FDCWD, "/proc/kallsyms", &text))
		for (p = text.data; p && (p = strstr(p, mark)); p += n) {
			p += sizeof(mark) - 1;
			n = strcspn(p, "\t\n ");
			if (!strncmp(p + n, suffix, strlen(suffix)))
				strv_take(out, xstrndup(p, n));
		}
	buf_release(&text);
	free(suffix);
}

bool module_is_glob(const char *name)
{
	return strpbrk(name, "*?[");
}

bool module_is_named(const char *word, const char *name)
{
	char *kernel_word = xstrdup(word);
	bool yes;

	if (module_is_glob(word))
		yes = !fnmatch(word, name, 0);
	else {
		module_kernel_name(kernel_word);
		yes = !strcmp(kernel_word, name);
	}
	free(kernel_word);
	return yes;
}

char *module_filter(const char *pattern, const char *module, const struct strv *loaded)
{
	char *name = xstrdup(module), *filter;

	/* A glob may contain '-': "[a-z]". */
	if (!module_is_glob(name))
		module_kernel_name(name);
	if (isdigit((unsigned char)*name) && (module_is_glob(name) || strv_has(loaded, name)))
		filter = xasprintf("%s:mod:[%c]%s", pattern, *name, name + 1);
	else
		filter = xasprintf("%s:mod:%s", pattern, name);
	free(name);
	return filter;
}

char *module_word(const char *word, const struct strv *loaded, char **missing)
{
	const char *mod = strstr(word, ":mod:"), *name = mod ? mod + strlen(":mod:") : "";
	char *pattern, *filter, *module;

	*missing = NULL;
	if (!*name || strpbrk(name, "!:"))
		return xstrdup(word);
	pattern = xstrndup(word, mod - word);
	if (module_is_glob(name)) {
		filter = module_filter(pattern, name, loaded);
		free(pattern);
		return filter;
	}
	module = xstrdup(name);
	module_kernel_name(module);
	filter = module_filter(pattern, module, loaded);
	if (!strv_has(loaded, module))
		*missing = xstrdup(module);
	free(module);
	free(pattern);
	return filter;
}

void modules_installed(struct strv *out)
{
	char *path, *name, *slash, *end;
	struct strv lines = {0};
	struct utsname uts;
	size_t i;

	if (uname(&uts))
		return;
	path = xasprintf("/lib/modules/%s/modules.dep", uts.release);
	read_lines(path, &lines);
	/* "kernel/fs/nfs/nfs.ko.xz: kernel/..." is nfs. */
	for (i = 0; i < lines.n; i++) {
		name = lines.v[i];
		name[strcspn(name, ":")] = '\0';
		slash = strrchr(name, '/');
		name = slash ? slash + 1 : name;
		end = strstr(name, ".ko");
		if (end)
			*end = '\0';
		module_kernel_name(name);
		strv_add(out, name);
	}
	strv_release(&lines);
	free(path);
}

void modules_guess(const char *pattern, const struct strv *loaded, struct strv *out)
{
	size_t literal = strcspn(pattern, "*?["), i, len;
	struct strv names = {0};
	const char *name;
	bool fits;

	if (literal < GUESS_PREFIX_MIN)
		return;
	modules_installed(&names);
	for (i = 0; i < names.n; i++) {
		name = names.v[i];
		len = strlen(name);
		fits = !fnmatch(pattern, name, 0) ||
		       (len >= GUESS_PREFIX_MIN && len < literal && !strncmp(pattern, name, len) &&
			pattern[len] == '_');
		if (fits && !isdigit((unsigned char)*name) && !strv_has(loaded, name))
			strv_add(out, name);
	}
	strv_sort_unique(out);
	strv_release(&names);
}
