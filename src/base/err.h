/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errors as values: what failed, the subject in quotes, the reason, and one line with the fix. */
#ifndef FTR_BASE_ERR_H
#define FTR_BASE_ERR_H

#include <stdarg.h>

/* Exit codes of the program. Functions use the same numbers as error codes. */
enum ftr_status {
	FTR_OK      = 0,
	FTR_FAILED  = 1,	/* it did not work */
	FTR_USAGE   = 2,	/* wrong arguments */
	FTR_DAMAGED = 3,	/* data damaged, or data that could not be written */
};

struct ftr_error {
	int  code;		/* enum ftr_status; 0 = no error */
	int  sys;		/* errno of the failing call, 0 if none */
	char msg[1024];		/* "cannot open 'x': No such file or directory" */
	char hint[512];		/* "" = none */
};

/*
 * Fills @err (which may be NULL) and returns -1, so that a function can end in
 * "return err_set(...)". A later err_set() overwrites an earlier one.
 */
int err_set(struct ftr_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Like err_set() with code FTR_FAILED; ": strerror(errno)" is appended, and errno kept in ->sys. */
int err_sys(struct ftr_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Like err_sys() with code FTR_DAMAGED: a file, or standard output, could not be written. */
int err_write(struct ftr_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Sets the hint of an error that is set. Returns -1, like err_set(). */
int err_hint(struct ftr_error *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
