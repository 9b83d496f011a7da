/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of settings. */
#include "tracefs/state/setting_table.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/text.h"

#define ROW(file, where, how, fresh, turn) \
	{ file, SETTING_##where, SETTING_##how, fresh, TURN_##turn, NULL, KIND_NONE, NULL, NULL },
#define OPT(file, where, how, fresh, turn, option, arg, kind, help) \
	{ file, SETTING_##where, SETTING_##how, fresh, TURN_##turn, option, KIND_##kind, NULL, \
	  NULL },
#define FLAG(name, tracer, top, instance) \
	{ OPTIONS_DIR name, SETTING_EACH, SETTING_OPTION, top, TURN_SET, NULL, KIND_NONE, tracer, \
	  instance },

#define OPTIONS_DIR "options/"

const struct tracefs_setting tracefs_settings[] = { TRACEFS_SETTINGS(ROW, OPT, FLAG) };
const size_t nr_tracefs_settings = sizeof(tracefs_settings) / sizeof(*tracefs_settings);

const struct tracefs_setting *setting_find_option(const char *name)
{
	size_t i;

	for (i = 0; i < nr_tracefs_settings; i++)
		if (tracefs_settings[i].option && !strcmp(tracefs_settings[i].option, name))
			return &tracefs_settings[i];
	return NULL;
}

const struct tracefs_setting *setting_find_flag(const char *name)
{
	size_t i;

	for (i = 0; i < nr_tracefs_settings; i++)
		if (tracefs_settings[i].how == SETTING_OPTION &&
		    !strcmp(tracefs_settings[i].file + strlen(OPTIONS_DIR), name))
			return &tracefs_settings[i];
	return NULL;
}

/*
 * If sched_clock is unstable, the kernel itself sets the clock of the top level to global at boot.
 * Its clock source is not the TSC then.
 */
static char *fresh_clock(const struct tracefs_setting *k, const char *instance)
{
	static const char source[] =
		"/sys/devices/system/clocksource/clocksource0/current_clocksource";
	char *now = io_line_at(AT_FDCWD, source);
	bool stable = *instance || !now || !strcmp(now, "tsc");

	free(now);
	return xstrndup(k->fresh, stable ? strcspn(k->fresh, "|") : strlen(k->fresh));
}

/*
 * The kernel rounds the KiB up to whole sub-buffers when it allocates them. "7" is a buffer that
 * was never used, on kernels that do not show the size that it will have.
 */
static char *fresh_size(const struct tracefs_setting *k, const struct tfs *t, const char *instance)
{
	unsigned long room = tfs_subbuf_size(t, instance) - 16;
	unsigned long asked = strtoul(k->fresh, NULL, 10) * 1024;
	unsigned long subbufs = (asked + room - 1) / room;

	return xasprintf("%s|%lu%s", k->fresh, subbufs * room / 1024, *instance ? "" : "|7");
}

char *setting_boot_value(const struct tracefs_setting *k, const struct tfs *t, const char *instance)
{
	const char *at = instance ? instance : "";

	switch (k->how) {
	case SETTING_CLOCK:
		return fresh_clock(k, at);
	case SETTING_SIZE:
		return fresh_size(k, t, at);
	case SETTING_SUBBUF:	/* a page */
		return xasprintf("%ld", sysconf(_SC_PAGESIZE) / 1024);
	case SETTING_CPUS:		/* all that the machine can have */
		return io_line_at(AT_FDCWD, "/sys/devices/system/cpu/possible");
	case SETTING_CPUMASK:
		return setting_boot_cpumask(t, instance);
	case SETTING_OPTION:
		return xstrdup(*at ? k->fresh_instance : k->fresh);
	default:
		return xstrdup(k->fresh ? k->fresh : "");
	}
}

char *setting_boot_cpumask(const struct tfs *t, const char *instance)
{
	struct buf mask = {0};
	uint64_t *bits;
	size_t n = 0, i;
	int *cpus = NULL;

	if (tfs_cpus(t, instance, &cpus, &n, NULL) || !n)
		return NULL;
	bits = xcalloc(cpus[n - 1] / 64 + 1, sizeof(*bits));
	for (i = 0; i < n; i++)
		bits[cpus[i] / 64] |= 1ULL << cpus[i] % 64;
	text_cpumask(&mask, bits, cpus[n - 1] + 1);
	free(bits);
	free(cpus);
	return buf_take(&mask);
}

char *setting_sysctl_name(const struct tracefs_setting *k)
{
	return xasprintf("kernel.%s", strrchr(k->file, '/') + 1);
}
