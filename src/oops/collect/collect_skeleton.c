/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a front tells of its boot and its buffers, for the file that is made of them. */
#include <stdlib.h>
#include <string.h>

#include "file/read/dat.h"
#include "oops/collect/collect_old.h"
#include "oops/collect/collect_priv.h"

#define INSTANCE_KEY COLLECT_INSTANCE_KEY

/* True of the boot, whatever was recorded in it. */
static const char *const of_boot[] = {
	"boot_id", "kernel_values", "kallsyms_order", "symbol_times", "modules",
};
/* True of the front alone: it was written before anything was recorded. */
static const char *const of_front[] = { "wall_end", "recovered", "keep_bytes" };

/* "key=..." or, of an instance, "key.NAME=...". */
static bool is_key_of(const char *line, size_t len, const char *key)
{
	size_t n = strlen(key);

	return len > n && !memcmp(line, key, n) && (line[n] == '=' || line[n] == '.');
}

static bool is_listed(const char *line, size_t len, const char *const *v, size_t n)
{
	while (n--)
		if (is_key_of(line, len, v[n]))
			return true;
	return false;
}

/* @armed: all that was set up is what is in the buffer now. */
static void take_lines(const struct dat *d, bool armed, struct buf *out)
{
	const char *p = d->ftr_meta.p, *end = p ? p + d->ftr_meta.len : NULL, *nl;
	bool wanted;

	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', end - p);
		nl = nl ? nl : end;
		wanted = armed ? !is_listed(p, nl - p, of_front,
					    sizeof(of_front) / sizeof(*of_front)) :
				 is_listed(p, nl - p, of_boot, sizeof(of_boot) / sizeof(*of_boot));
		if (!wanted || nl == p)
			continue;
		buf_add(out, p, nl - p);
		buf_addch(out, '\n');
	}
}

static bool has_dat_buffer(const struct dat *d, const char *name)
{
	size_t i;

	for (i = 0; i < d->nr_buffers; i++)
		if (!strcmp(d->buffers[i].name, name))
			return true;
	return false;
}

char *collect_armed_instance(const char *front)
{
	struct ftr_error err = {0};
	struct dat *d = dat_open(front, &err);
	const char *v = NULL;
	size_t len;
	char *name;

	if (d)
		v = dat_ftr_value(d, INSTANCE_KEY, &len);
	name = v ? xstrndup(v, len) : NULL;
	dat_close(d);
	return name;
}

char *found_trace_lines(const struct found_trace *f, struct buf *lines)
{
	const char *instance = f->original ? f->original : f->instance, *name = "", *main_of;
	struct ftr_error err = {0};
	struct dat *d = f->front ? dat_open(f->front, &err) : NULL;
	size_t len;

	main_of = d ? dat_ftr_value(d, INSTANCE_KEY, &len) : NULL;
	if (d)
		take_lines(d, main_of, lines);
	if (!main_of)
		buf_printf(lines, INSTANCE_KEY "=%s\n", instance);
	else if ((len != strlen(instance) || memcmp(main_of, instance, len)) &&
		 has_dat_buffer(d, instance))
		name = instance;
	dat_close(d);
	return xstrdup(name);
}
