/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz target: a journal, read; what was read is written and read again. */
#include <fcntl.h>
#include <string.h>

#include "fuzz.h"
#include "tracefs/session/journal.h"
#include "tracefs/session/sysctl.h"

static const char head[] = "ftr journal 1\nboot 0 1\n\nx\npid 0 1\n\n7\n";

/* None of the parts of the path leads upwards. */
static bool stays_below(const char *path)
{
	const char *p;
	size_t n;

	if (*path == '/')
		return false;
	for (p = path; *p; p += n + (p[n] == '/')) {
		n = strcspn(p, "/");
		if (n == 2 && !memcmp(p, "..", 2))
			return false;
	}
	return true;
}

static void check(const struct journal_entries *e)
{
	for (size_t i = 0; i < e->n; i++) {
		const char *path = e->v[i].path;

		if (e->v[i].type == ENTRY_SYSCTL)
			FUZZ_ASSERT(sysctl_known(path));
		else if (e->v[i].type == ENTRY_FILE)
			FUZZ_ASSERT(*path == '/');
		else
			FUZZ_ASSERT(stays_below(path));
	}
}

/* Those that journal_append_all() writes. */
static const struct journal_entry *next_written(const struct journal_entries *e, size_t *i)
{
	while (*i < e->n && (e->v[*i].kept || e->v[*i].type == ENTRY_FILE))
		++*i;
	return *i < e->n ? &e->v[(*i)++] : NULL;
}

static void write_again(const struct journal_entries *e, const char *path)
{
	struct journal_owner owner;
	struct journal_entries again;
	const struct journal_entry *x;
	size_t i = 0, n = 0;
	int fd;

	fuzz_write_file(path, (const uint8_t *)head, strlen(head));
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	FUZZ_ASSERT(fd >= 0 && !journal_append_all(fd, e, path, NULL));
	close(fd);
	FUZZ_ASSERT(!journal_read(path, &owner, &again, NULL));
	for (; (x = next_written(e, &i)); n++) {
		const struct journal_entry *y = &again.v[n];

		FUZZ_ASSERT(n < again.n && x->type == y->type && !strcmp(x->path, y->path) &&
			    !strcmp(x->value, y->value));
	}
	FUZZ_ASSERT(n == again.n && owner.pid == 7);
	journal_owner_release(&owner);
	entries_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct journal_owner owner;
	struct ftr_error err = {0};
	struct journal_entries entries;
	char path[FUZZ_PATH];

	fuzz_name(path, ".journal");
	fuzz_write_file(path, data, size);
	if (!journal_read(path, &owner, &entries, &err)) {
		FUZZ_ASSERT(owner.boot_id && owner.pid);
		fuzz_sink += journal_alive(&owner);
		check(&entries);
		write_again(&entries, path);
	} else {
		FUZZ_ASSERT(*err.msg);
	}
	journal_owner_release(&owner);
	entries_release(&entries);
	unlink(path);
	return 0;
}
