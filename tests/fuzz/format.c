/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz target: the parser of event format files, and what it promises of its result. */
#include <string.h>

#include "event/event.h"
#include "fuzz.h"

#define RECORD_MAX 65536

static void check(const struct ev_format *f)
{
	for (size_t i = 0; i < f->nr_fields; i++) {
		const struct ev_field *fd = &f->fields[i];

		FUZZ_ASSERT((uint64_t)fd->offset + fd->size <= RECORD_MAX);
		FUZZ_ASSERT(!i || !fd->common || f->fields[i - 1].common);
		for (size_t k = 0; k < i; k++)
			FUZZ_ASSERT(strcmp(f->fields[k].name, fd->name));
	}
	FUZZ_ASSERT(f->min_len <= RECORD_MAX && f->name && f->print_fmt);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ftr_error err = {0};
	struct ev_format f;

	if (!ev_format_parse(&f, "fuzz", (const char *)data, size, &err))
		check(&f);
	else
		FUZZ_ASSERT(*err.msg);
	ev_format_release(&f);
	return 0;
}
