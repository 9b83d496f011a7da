/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Result lines for unit tests: "ok - NAME", "not ok - NAME", "skip - NAME # reason". */
#ifndef FTR_TESTS_TAP_H
#define FTR_TESTS_TAP_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tap_failed;

#define TAP_OK(cond, name) tap_result(!!(cond), (name), #cond, __FILE__, __LINE__)
/* Prints both numbers when they differ. */
#define TAP_EQ(got, want, name) \
	tap_equal((unsigned long long)(got), (unsigned long long)(want), (name), __FILE__, __LINE__)
#define TAP_SKIP(name, reason) printf("skip - %s # %s\n", (name), (reason))

static inline int tap_result(int good, const char *name, const char *cond, const char *file, int line)
{
	printf("%s - %s\n", good ? "ok" : "not ok", name);
	if (!good) {
		printf("# %s:%d: %s\n", file, line, cond);
		tap_failed++;
	}
	fflush(stdout);	/* tests fork */
	return good;
}

static inline int tap_equal(unsigned long long got, unsigned long long want, const char *name,
			    const char *file, int line)
{
	char what[96];

	snprintf(what, sizeof(what), "got %llu (0x%llx), want %llu (0x%llx)", got, got, want, want);
	return tap_result(got == want, name, what, file, line);
}

/* The exit status of main(). */
static inline int tap_done(void)
{
	return tap_failed ? 1 : 0;
}

#endif
