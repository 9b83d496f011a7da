/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of settings. */
#include "tracefs/state/knobs.h"

#include <fcntl.h>
#include <string.h>

#include "base/io.h"
#include "base/mem.h"

#define ROW(file, where, how, fresh, turn) \
	{ file, KNOB_##where, KNOB_##how, fresh, TURN_##turn, NULL, KIND_NONE },
#define OPT(file, where, how, fresh, turn, option, arg, kind, help) \
	{ file, KNOB_##where, KNOB_##how, fresh, TURN_##turn, option, KIND_##kind },

const struct knob knobs[] = { KNOBS(ROW, OPT) };
const size_t nr_knobs = sizeof(knobs) / sizeof(*knobs);

const struct knob *knob_of_option(const char *name)
{
	size_t i;

	for (i = 0; i < nr_knobs; i++)
		if (knobs[i].option && !strcmp(knobs[i].option, name))
			return &knobs[i];
	return NULL;
}

char *knob_all_cpus(void)
{
	return io_line_at(AT_FDCWD, "/sys/devices/system/cpu/possible");
}

char *knob_sysctl(const struct knob *k)
{
	return xasprintf("kernel.%s", strrchr(k->file, '/') + 1);
}
