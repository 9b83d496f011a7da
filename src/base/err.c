/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fills struct ftr_error. */
#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void err_fill(struct ftr_error *err, int code, int sys, const char *fmt, va_list ap)
{
	size_t n;

	err->code = code;
	err->sys = sys;
	err->hint[0] = '\0';
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	n = strlen(err->msg);
	if (sys && n < sizeof(err->msg) - 3)
		snprintf(err->msg + n, sizeof(err->msg) - n, ": %s", strerror(sys));
}

int err_set(struct ftr_error *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return -1;
	va_start(ap, fmt);
	err_fill(err, code, 0, fmt, ap);
	va_end(ap);
	return -1;
}

int err_sys(struct ftr_error *err, const char *fmt, ...)
{
	int sys = errno;
	va_list ap;

	if (!err)
		return -1;
	va_start(ap, fmt);
	err_fill(err, FTR_FAILED, sys, fmt, ap);
	va_end(ap);
	return -1;
}

int err_write(struct ftr_error *err, const char *fmt, ...)
{
	int sys = errno;
	va_list ap;

	if (!err)
		return -1;
	va_start(ap, fmt);
	err_fill(err, FTR_DAMAGED, sys, fmt, ap);
	va_end(ap);
	return -1;
}

int err_hint(struct ftr_error *err, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return -1;
	va_start(ap, fmt);
	vsnprintf(err->hint, sizeof(err->hint), fmt, ap);
	va_end(ap);
	return -1;
}
