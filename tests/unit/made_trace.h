/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trace files that mkdat.py makes by chance, in a directory that the test removes. */
#ifndef FTR_UNIT_MADE_TRACE_H
#define FTR_UNIT_MADE_TRACE_H

#include <unistd.h>

#include "made.h"
#include "tap.h"
#include "trace/trace.h"

static char made_dir[] = "/tmp/ftr-made-XXXXXX";

/* Seeds rand() by FTR_SEED and makes the directory. Returns false if it can't. */
static inline bool made_begin(void)
{
	unsigned int seed = getenv("FTR_SEED") ? atoi(getenv("FTR_SEED")) : getpid();

	printf("# FTR_SEED=%u\n", seed);
	srand(seed);
	return mkdtemp(made_dir);
}

/* Removes the directory. Returns the status of the test. */
static inline int made_end(void)
{
	run("rm -rf %s", made_dir);
	return tap_done();
}

/* Makes NAME.dat with these options of mkdat.py. Returns its path, which the caller frees, or NULL. */
static inline char *made_file(const char *name, const char *options)
{
	char *path = xasprintf("%s/%s.dat", made_dir, name);

	if (run("python3 %s/tests/oracle/mkdat.py %s %s > /dev/null", top(), path, options))
		return path;
	free(path);
	return NULL;
}

/* Makes such a file and opens it. Returns NULL if it can't. */
static inline struct trace *made_open(const char *name, const char *options)
{
	char *path = made_file(name, options);
	struct ftr_error err = {0};
	struct trace *t = path ? trace_open(path, &err) : NULL;

	if (!t)
		printf("# %s\n", err.msg);
	free(path);
	return t;
}

#endif
