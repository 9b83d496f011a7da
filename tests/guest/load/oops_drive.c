/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints where the text of the oops of the boot before this one is found, then the text. */
#include <stdio.h>

#include "oops/collect/collect_priv.h"

int main(void)
{
	struct collect_plan plan = {0};
	struct buf text = {0};

	printf("%s\n", find_oops_text(&plan, true, 0, 0, &text));
	fwrite(text.len ? text.data : "", 1, text.len, stdout);
	buf_release(&text);
	return 0;
}
