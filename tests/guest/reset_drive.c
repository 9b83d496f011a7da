/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Puts back what stands, for checks of the layers below ftr reset. */
#include <stdio.h>

#include "tracefs/session.h"

int main(void)
{
	struct ftr_error err = {0};
	struct tfs t;
	size_t n = 0;
	int ret = tfs_open(&t, false, &err);

	if (!ret) {
		ret = session_reset(&t, "*", &n, &err);
		tfs_close(&t);
	}
	if (ret)
		fprintf(stderr, "reset: %s\n", err.msg);
	else
		printf("%zu\n", n);
	return ret ? 1 : 0;
}
