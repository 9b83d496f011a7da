/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unit tests print one TAP-like line a check; a failed check does not end the program. */
#ifndef FTR_TESTS_TAP_H
#define FTR_TESTS_TAP_H

#include <stdio.h>

static int tap_failed_;

#define TAP_OK(cond, name)								\
	do {										\
		if (cond) {								\
			printf("ok - %s\n", name);					\
		} else {								\
			tap_failed_++;							\
			printf("not ok - %s\n# %s:%d: %s\n", name, __FILE__, __LINE__, #cond); \
		}									\
		fflush(stdout);								\
	} while (0)

/* The exit status of the test program. */
static inline int tap_done(void)
{
	return tap_failed_ != 0;
}

#endif
