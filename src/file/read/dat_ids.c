/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the sections and options of trace.dat are called, and how large a section may be. */
#include "file/read/dat_priv.h"

static const struct section_name {
	uint16_t id;
	const char *name;
	uint64_t max;
} section_names[] = {
	{ DAT_HEADER_INFO,   "header_page",    LIMIT_BYTES_HEADER },
	{ DAT_FTRACE_EVENTS, "ftrace formats", LIMIT_BYTES_BUILTIN },
	{ DAT_EVENT_FORMATS, "event formats",  LIMIT_BYTES_FORMATS },
	{ DAT_KALLSYMS,      "kallsyms",       LIMIT_BYTES_SYMBOLS },
	{ DAT_PRINTK,        "printk_formats", LIMIT_BYTES_PRINTK },
	{ DAT_CMDLINES,      "saved_cmdlines", LIMIT_BYTES_COMMS },
	{ DAT_BTF_FILE,      "BTF",            LIMIT_BYTES_BTF },
	{ DAT_FTR_PROTOS,    "FTR_PROTOS",     LIMIT_BYTES_PROTOS },
	{ DAT_FTR_LATENCY,   "FTR_LATENCY",    LIMIT_BYTES_LATENCY },
	{ DAT_FTR_OOPS,      "FTR_OOPS",       LIMIT_BYTES_OOPS },
};

static const struct section_name *find_section_name(uint16_t id)
{
	size_t i;

	for (i = 0; i < sizeof(section_names) / sizeof(section_names[0]); i++)
		if (section_names[i].id == id)
			return &section_names[i];
	return NULL;
}

uint64_t dat_section_max(uint16_t id)
{
	const struct section_name *s = find_section_name(id);

	return s ? s->max : LIMIT_BYTES_OPTIONS;
}

const char *dat_section_text(uint16_t id)
{
	static const char *const spool[] = {
		"FTR_SPOOL", "FTR_CHUNK", "FTR_END", "FTR_PAD",
	};
	const struct section_name *s = find_section_name(id);

	if (id >= DAT_FTR_SPOOL && id <= DAT_FTR_PAD)
		return spool[id - DAT_FTR_SPOOL];
	if (id == DAT_FTR_META || id == DAT_FTR_SUMS)
		return id == DAT_FTR_META ? "FTR_META" : "FTR_SUMS";
	return s ? s->name : dat_option_name(id);
}

const char *dat_option_name(uint16_t id)
{
	static const char *const names[] = {
		"DONE",		"DATE",	       "CPUSTAT",	"BUFFER",	 "TRACECLOCK",
		"UNAME",	"HOOK",	       "OFFSET",	"CPUCOUNT",	 "VERSION",
		"PROCMAPS",	"TRACEID",     "TIME_SHIFT",	"GUEST",	 "TSC2NSEC",
		"STRINGS",	"HEADER_INFO", "FTRACE_EVENTS", "EVENT_FORMATS", "KALLSYMS",
		"PRINTK",	"CMDLINES",    "BUFFER_TEXT",	"BTF_FILE",	 "LAST_BOOT_INFO",
		"MODULES_FILE",
	};

	return id < sizeof(names) / sizeof(names[0]) ? names[id] : "unknown";
}
