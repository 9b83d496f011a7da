/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target: address maps. The path of a program up to the first NUL and its /proc/PID/maps, made
 * an option PROCMAPS and read again; and the whole input as such an option.
 */
#include <regex.h>
#include <string.h>

#include "event/data/usermaps.h"
#include "fuzz.h"
#include "record/capture/procmaps.h"

#define PID 0x4d2

static void find(const struct ev_maps *m, uint64_t addr)
{
	uint64_t start;
	const char *path = ev_maps_find(m, PID, addr, &start);

	if (path)
		FUZZ_ASSERT(*path == '/' && !strchr(path, '\n') && start <= addr);
}

static const char mapping[] =
	"^([0-9a-f]{1,16})-[0-9a-f]{1,16} [r-][w-][x-][sp] [0-9a-f]+ [0-9a-f]+:[0-9a-f]+ [0-9]+ +/";

/* Each mapping of a file as the kernel writes them begins where it says. */
static void check_lines(const struct ev_maps *m, const char *at)
{
	static regex_t re;
	uint64_t start, end, found;
	const char *nl;
	char *dash;

	if (!re.re_nsub)
		FUZZ_ASSERT(!regcomp(&re, mapping, REG_EXTENDED));
	for (; (nl = strchr(at, '\n')); at = nl + 1) {
		regmatch_t line = { .rm_eo = nl - at };

		if (regexec(&re, at, 1, &line, REG_STARTEND))
			continue;
		start = strtoull(at, &dash, 16);
		end = strtoull(dash + 1, NULL, 16);
		if (end <= start)
			continue;
		FUZZ_ASSERT(ev_maps_find(m, PID, start, &found) && found == start);
		find(m, end);
		find(m, end - 1);
	}
}

static size_t lines(const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += text[i] == '\n';
	return n;
}

static void from_proc(const char *exe, const char *text)
{
	struct ev_maps *m = ev_maps_new();
	struct buf option = {0};
	unsigned int pid, n;

	procmaps_text(PID, exe, text, &option);
	FUZZ_ASSERT(strlen(option.data) == option.len - 1);
	FUZZ_ASSERT(sscanf(option.data, "%x %x ", &pid, &n) == 2 && pid == PID);
	FUZZ_ASSERT(lines(option.data, option.len) == 1 + n);
	ev_maps_add(m, option.data, option.len);
	check_lines(m, text);
	ev_maps_free(m);
	buf_release(&option);
}

static void from_file(const uint8_t *data, size_t size)
{
	struct ev_maps *m = ev_maps_new();
	char *exact = memcpy(malloc(size + !size), data, size), *text;
	const char *at;

	ev_maps_add(m, exact, size / 2);
	ev_maps_add(m, exact, size);
	free(exact);
	text = strndup((const char *)data, size);
	for (at = text; *at; at += strcspn(at, " \n"), at += !!*at)
		find(m, strtoull(at, NULL, 16));
	free(text);
	ev_maps_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t n = strnlen((const char *)data, size), at = n + (n < size);
	char *exe = strndup((const char *)data, n);
	char *text = strndup((const char *)data + at, size - at);

	from_proc(exe, text);
	from_file(data, size);
	free(exe);
	free(text);
	return 0;
}
