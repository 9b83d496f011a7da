/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The format files of events. Each is read once, and again after its module was replaced. */
#ifndef FTR_RECORD_CAPTURE_CAPTURE_FORMATS_H
#define FTR_RECORD_CAPTURE_CAPTURE_FORMATS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/map.h"
#include "tracefs/files/tfs.h"

struct format_file {
	char  *system, *event, *text;
	size_t len;
};

/* Zeroed formats are empty. */
struct format_files {
	struct format_file *v;
	size_t n, cap;
	struct textmap latest;		/* "system/event" -> index + 1 of its last text */
	bool running;			/* of the running kernel, which may be another one */
};

/* Keeps a copy of @text unless it equals the event's last text. Returns true if it was kept. */
bool formats_add(struct format_files *f, const char *system, const char *event, const char *text,
		 size_t len);
/* Reads the format of @name ("system/event"). Returns 0, or -1 with errno. */
int formats_read(struct format_files *f, const struct tfs *t, const char *name);
/* Reads the formats of one system, or of all systems. Known events are read only if @again. */
void formats_read_system(struct format_files *f, const struct tfs *t, const char *system,
			 bool again);
void formats_read_all(struct format_files *f, const struct tfs *t, bool again);
/* Copies all formats. @to must be empty. */
void formats_copy(struct format_files *to, const struct format_files *from);
void formats_release(struct format_files *f);

#endif
