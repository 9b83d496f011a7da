/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conversions of a print fmt: parsing, integers, characters, strings. */
#include "event/conv.h"

size_t conv_parse(const char *p, const char *end, unsigned int long_size, struct conv *c)
{
	(void)p;
	(void)end;
	(void)long_size;
	*c = (struct conv){ .kind = 'd', .width = -1, .prec = -1, .size = 4 };
	return 0;
}
