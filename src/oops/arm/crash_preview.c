/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds how much of a trace would survive if the kernel crashed now. */
#include "oops/arm/crash_preview.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <unistd.h>

#include "base/io.h"
#include "base/text.h"
#include "oops/arm/arm.h"
#include "oops/arm/armed_boots.h"

enum {
	BAUD_BYTES = 11520,		/* a second of a console of 115200 baud, 8N1 */
	PRINTK_BYTES = 15,		/* "[   12.345678] " before each line */
	LINE_BYTES = 100,		/* assumed length of a line without any samples */
	SAMPLE_BYTES = 256 << 10,	/* bytes of the text for the mean length of lines */
	LOG_SIZE_CALL = 10,		/* SYSLOG_ACTION_SIZE_BUFFER */
	LOG_BYTES = 128 << 10,
	PSTORE_BYTES = 10 << 10,	/* the default of kmsg_bytes */
	PANIC_PRINT_FTRACE = 1 << 4,	/* panic_print: the buffer of the top level */
	PANIC_PRINT_AFTER = 0x0f,	/* tasks, memory, timers, locks: printed after the dump */
};

/* Reads a line of a file below $FTR_OOPS_ROOT, for tests. NULL on failure; the caller frees. */
static char *system_line(const char *path)
{
	const char *root = secure_getenv("FTR_OOPS_ROOT");
	char *full = xasprintf("%s%s", root ? root : "", path);
	char *line = io_line_at(AT_FDCWD, full);

	free(full);
	return line;
}

/* Returns the number in a file, or 0 if it can't be read. */
static long system_number(const char *path)
{
	char *line = system_line(path);
	long n = line ? strtol(line, NULL, 0) : 0;

	free(line);
	return n;
}

static void __attribute__((format(printf, 2, 3))) add_words(struct strv *out, const char *fmt, ...)
{
	struct buf b = {0};
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	strv_take(out, buf_take(&b));
}

bool oops_kdump_loaded(void)
{
	return system_number("/sys/kernel/kexec_crash_loaded") == 1;
}

bool oops_panics(void)
{
	static const char *const sysctls[] = {
		"panic_on_oops", "panic_on_warn", "softlockup_panic", "hardlockup_panic",
		"hung_task_panic",
	};
	bool any = false;

	for (size_t i = 0; i < sizeof(sysctls) / sizeof(*sysctls) && !any; i++) {
		char *path = xasprintf("/proc/sys/kernel/%s", sysctls[i]);

		any = system_number(path) > 0;
		free(path);
	}
	return any;
}

/*
 * A buffer that survives a reboot has last_boot_info. So has its copy of the earlier boot
 * (backup=), but that can't record.
 */
char *oops_boot_instance(const struct tfs *t)
{
	struct strv names = {0};
	struct buf path = {0};
	char *found = NULL;
	size_t i;

	if (tfs_instances(t, &names, NULL))
		return NULL;
	for (i = 0; i < names.n && !found; i++)
		if (tfs_exists(t, names.v[i], "last_boot_info") &&
		    !faccessat(t->dirfd, tfs_path(&path, names.v[i], "tracing_on"), W_OK,
			       AT_EACCESS))
			found = xstrdup(names.v[i]);
	buf_release(&path);
	strv_release(&names);
	return found;
}

/*
 * Returns true if an oops in a task stops the recording. If ftrace is off, commands at functions do
 * not run.
 */
static bool oops_in_task_stops(const struct tfs *t, const char *instance)
{
	char *ftrace = system_line("/proc/sys/kernel/ftrace_enabled");
	bool off = ftrace && !strcmp(ftrace, "0");

	free(ftrace);
	return system_number("/proc/sys/kernel/panic_on_oops") || !*instance ||
	       (!off && oops_stops(t, instance));
}

/* --- the persistent buffer */

static void preview_buffer(struct oops_look *l, const struct tfs *t, struct oops_row *row)
{
	const char *name = l->boot_instance;
	char *line;

	if (!name) {
		add_words(&row->missing, "no instance in reserved memory: boot with "
			  "reserve_mem=12M:4096:trace trace_instance=boot_map^traceoff@trace "
			  "(Linux 6.12 or later)");
		return;
	}
	line = tfs_line(t, name, "tracing_on");
	row->survives = !strcmp(line, "1");
	free(line);
	line = tfs_line(t, name, "buffer_total_size_kb");
	buf_printf(&row->how_much, "instance '%s', ", name);
	text_bytes(&row->how_much, (uint64_t)strtoull(line, NULL, 10) * 1024);
	free(line);
	if (!row->survives)
		add_words(&row->missing, "%s", strv_has(&l->places, name) ?
			  "it was stopped, as by an oops: ftr oops collect takes its data" :
			  "nothing is recorded there: ftr oops arm");
	add_words(&row->obstacles, "a loss of power: it is RAM");
	if (!oops_in_task_stops(t, name))
		add_words(&row->obstacles, "an oops in a task stops the top level only: what led "
			  "to it is overwritten, unless panic_on_oops is 1 or ftr oops arm has it "
			  "stopped");
	line = system_line("/proc/cmdline");
	if (!line || !strstr(line, "nokaslr"))
		add_words(&row->obstacles, "KASLR may move the memory: then the kernel discards "
			  "the buffer; nokaslr prevents it");
	free(line);
}

/* --- the console */

/* Returns the mean bytes of a line of the dump, by the lines of the buffer now. */
static uint64_t mean_line_len(const struct tfs *t, const char *instance)
{
	struct buf path = {0}, text = {0};
	int fd = openat(t->dirfd, tfs_path(&path, instance, "trace"), O_RDONLY | O_CLOEXEC);
	uint64_t bytes = 0, lines = 0;
	const char *p, *end;

	if (fd >= 0 && !io_read_max(fd, SAMPLE_BYTES, &text) && text.len)
		for (p = text.data; (end = strchr(p, '\n')); p = end + 1)
			if (*p != '#') {
				bytes += end - p + 1;
				lines++;
			}
	if (fd >= 0)
		close(fd);
	buf_release(&path);
	buf_release(&text);
	return (lines ? bytes / lines : LINE_BYTES) + PRINTK_BYTES;
}

/*
 * Adds the instances that a value dumps, "" for the top level: "1", "orig_cpu", "2", "ftr-oops",
 * "x=orig_cpu,y".
 */
static void dumped_places(const char *value, struct strv *out)
{
	struct strv words = {0};
	size_t i;
	char *end;

	strv_split(&words, value, ",");
	for (i = 0; i < words.n; i++) {
		if (!strcmp(words.v[i], "1") || !strcmp(words.v[i], "2") ||
		    !strcmp(words.v[i], "orig_cpu") || words.v[i][0] == '=') {
			strv_add(out, "");
			continue;
		}
		end = strchr(words.v[i], '=');
		if (end)
			*end = '\0';
		if (strcmp(words.v[i], "0"))
			strv_add(out, words.v[i]);
	}
	strv_release(&words);
}

uint64_t oops_log_bytes(void)
{
	int n = secure_getenv("FTR_OOPS_ROOT") ? 0 : klogctl(LOG_SIZE_CALL, NULL, 0);

	return n > 0 ? (uint64_t)n : LOG_BYTES;
}

/* Adds conditions that prevent a dump, losses by it, and output that follows it. */
static void dump_obstacles(const struct oops_look *l, struct oops_row *row)
{
	long print = system_number("/proc/sys/kernel/panic_print");
	char *after = system_line("/sys/module/kernel/parameters/crash_kexec_post_notifiers");
	struct buf b = {0};

	if (oops_kdump_loaded() && !(after && (*after == 'Y' || *after == '1')))
		add_words(&row->obstacles, "a kdump kernel is loaded: a panic goes there before "
			  "the dump, unless crash_kexec_post_notifiers is set; an oops in a task "
			  "dumps");
	free(after);
	/* ftrace_dump() consumes the records that it prints */
	if (row->survives)
		add_words(&row->obstacles, "the dump takes the records out of the buffer: then "
			  "they are in the log only");
	if (l->dump.bytes > oops_log_bytes()) {
		buf_addstr(&b, "the kernel's log has ");
		text_bytes(&b, oops_log_bytes());
		add_words(&row->obstacles, "%s: the dump pushes the text of the oops out of it; "
			  "the console still has it", b.data);
	}
	if (print & PANIC_PRINT_AFTER)
		add_words(&row->obstacles, "panic_print is %#lx: a panic prints more after the "
			  "dump", print);
	buf_release(&b);
}

static void preview_dump(struct oops_look *l, const struct tfs *t, struct oops_row *row)
{
	char *value = system_line("/proc/sys/kernel/ftrace_dump_on_oops");
	bool printed = system_number("/proc/sys/kernel/panic_print") & PANIC_PRINT_FTRACE;
	struct strv places = {0};
	uint64_t lines;
	size_t i;

	dumped_places(value ? value : "0", &places);
	row->survives = places.n;
	if (!places.n && printed)
		strv_add(&places, "");
	for (i = 0; t && i < places.n; i++) {
		if (*places.v[i] && tfs_check_instance(t, places.v[i], NULL)) {
			add_words(&row->missing, "there is no instance '%s'", places.v[i]);
			continue;
		}
		/* each record in the buffer now becomes a line */
		lines = tfs_buffered(t, places.v[i]);
		l->dump.lines += lines;
		l->dump.bytes += lines * mean_line_len(t, places.v[i]);
	}
	l->dump.seconds = (l->dump.bytes + BAUD_BYTES - 1) / BAUD_BYTES;
	if (row->survives) {
		buf_printf(&row->how_much, "ftrace_dump_on_oops is %s: ", value);
		text_count(&row->how_much, l->dump.lines);
		buf_addstr(&row->how_much, " lines, ");
		text_bytes(&row->how_much, l->dump.bytes);
		buf_printf(&row->how_much, ", %" PRIu64 " s at 115200 baud", l->dump.seconds);
	} else {
		add_words(&row->missing, "ftrace_dump_on_oops is 0: ftr oops arm --dump=all");
	}
	if (!row->survives && printed)
		add_words(&row->missing, "panic_print has bit 4: a panic dumps the top level, an "
			  "oops does not");
	dump_obstacles(l, row);
	strv_release(&places);
	free(value);
}

/* --- pstore */

static void preview_pstore(struct oops_look *l, const struct tfs *t, struct oops_row *row)
{
	char *backend = system_line("/sys/module/pstore/parameters/backend");
	long kept = 0;

	(void)t;
	row->survives = backend && *backend && strcmp(backend, "(null)");
	if (row->survives) {
		/*
		 * ramoops keeps only the first part of a crash, which is as long as one of its
		 * records whatever kmsg_bytes is; other backends accept parts up to that.
		 */
		if (!strcmp(backend, "ramoops"))
			kept = system_number("/sys/module/ramoops/parameters/record_size");
		if (kept <= 0)
			kept = system_number("/sys/module/pstore/parameters/kmsg_bytes");
		if (kept <= 0)
			kept = PSTORE_BYTES;
		buf_printf(&row->how_much, "%s, the last ", backend);
		text_bytes(&row->how_much, kept);
		buf_addstr(&row->how_much, " of the kernel's log");
		if (l->dump.bytes > (uint64_t)kept)
			add_words(&row->obstacles, "the dump is longer: its end is kept, and not "
				  "the text of the oops");
	} else {
		add_words(&row->missing, "no backend: modprobe efi_pstore, or ramoops with "
			  "reserved memory (ramoops.mem_address=, mem_size=)");
	}
	free(backend);
}

/* --- kdump */

static void preview_kdump(struct oops_look *l, const struct tfs *t, struct oops_row *row)
{
	long size = system_number("/sys/kernel/kexec_crash_size");

	(void)l;
	(void)t;
	row->survives = oops_kdump_loaded();
	if (row->survives) {
		buf_addstr(&row->how_much, "all memory, by the crash kernel in ");
		text_bytes(&row->how_much, size > 0 ? size : 0);
		if (!system_number("/proc/sys/kernel/panic_on_oops"))
			add_words(&row->obstacles, "panic_on_oops is 0: an oops in a task does "
				  "not start it");
	} else if (size > 0) {
		add_words(&row->missing, "no crash kernel is loaded: kdump-config load, or kexec "
			  "-p");
	} else {
		add_words(&row->missing, "no memory for a crash kernel: boot with "
			  "crashkernel=256M");
	}
}

/* --- all rows */

static const struct {
	const char *name;
	void (*look)(struct oops_look *l, const struct tfs *t, struct oops_row *row);
} kinds[OOPS_ROWS] = {
	{ "persistent buffer", preview_buffer },
	{ "console dump", preview_dump },
	{ "pstore", preview_pstore },
	{ "kdump", preview_kdump },
};

void oops_look(struct oops_look *l, const struct tfs *t)
{
	struct oops_boot now;
	size_t i;

	*l = (struct oops_look){ .armed = oops_is_armed() };
	if (oops_boot_read_now(&now) && l->armed) {
		l->places = now.places;
		now.places = (struct strv){0};
	}
	oops_boot_release(&now);
	if (t)
		l->boot_instance = oops_boot_instance(t);
	for (i = 0; t && i < l->places.n; i++)
		if (!oops_in_task_stops(t, l->places.v[i]))
			strv_add(&l->unstopped, l->places.v[i]);
	for (i = 0; i < OOPS_ROWS; i++) {
		l->rows[i].name = kinds[i].name;
		kinds[i].look(l, t, &l->rows[i]);
	}
}

void oops_look_release(struct oops_look *l)
{
	size_t i;

	for (i = 0; i < OOPS_ROWS; i++) {
		buf_release(&l->rows[i].how_much);
		strv_release(&l->rows[i].missing);
		strv_release(&l->rows[i].obstacles);
	}
	strv_release(&l->places);
	strv_release(&l->unstopped);
	free(l->boot_instance);
	*l = (struct oops_look){0};
}
