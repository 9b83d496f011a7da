/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queries in a build without SQLite: WITHOUT_SQLITE=1, or its headers were missing. */
#include <stdlib.h>

#include "browse/work/query_work.h"

void query_work_run(struct background_job *j, void *ctx)
{
	struct query_work *w = ctx;

	(void)j;
	w->failed = true;
	err_set(&w->err, FTR_FAILED, "this ftr was built without SQLite");
}

void query_work_clear(struct query_work *w)
{
	free(w->query);
	*w = (struct query_work){0};
}

void query_work_release(struct query_work *w)
{
	query_work_clear(w);
}
