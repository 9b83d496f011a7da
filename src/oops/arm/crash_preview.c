/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel would leave of a trace if it crashed now. */
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
#include "oops/arm/stop_at_oops.h"

enum {
	BAUD_BYTES = 11520,		/* a second of a console of 115200 baud, 8N1 */
	PRINTK_BYTES = 15,		/* "[   12.345678] " before each line */
	LINE_BYTES = 100,		/* of an event, where none can be looked at */
	SAMPLE_BYTES = 256 << 10,	/* of the text, from which its lines are judged */
	LOG_SIZE_CALL = 10,		/* SYSLOG_ACTION_SIZE_BUFFER */
	LOG_BYTES = 128 << 10,
	PSTORE_BYTES = 10 << 10,	/* kmsg_bytes, unless it is set */
	PANIC_PRINT_FTRACE = 1 << 4,	/* panic_print: the buffer of the top level */
	PANIC_PRINT_BEHIND = 0x0f,	/* tasks, memory, timers, locks: printed behind it */
};

/* Below $FTR_OOPS_ROOT, for tests. NULL when it can't be read. The caller frees. */
static char *system_line(const char *path)
{
	const char *root = secure_getenv("FTR_OOPS_ROOT");
	char *full = xasprintf("%s%s", root ? root : "", path);
	char *line = io_line_at(AT_FDCWD, full);

	free(full);
	return line;
}

/* 0 where it can't be read. */
static long system_number(const char *path)
{
	char *line = system_line(path);
	long n = line ? strtol(line, NULL, 0) : 0;

	free(line);
	return n;
}

static bool system_is_yes(const char *path)
{
	char *line = system_line(path);
	bool yes = line && (*line == 'Y' || *line == '1');

	free(line);
	return yes;
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
 * A buffer that is kept over a reboot has last_boot_info; its copy of the boot before (backup=)
 * has that as well, but takes no records.
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

static bool records_into(const struct tfs *t, const char *instance)
{
	char *on = tfs_line(t, instance, "tracing_on");
	bool is = !strcmp(on, "1");

	free(on);
	return is;
}

/* Commands of functions rest while ftrace is off. */
static bool oops_in_task_stops(const struct tfs *t, const char *instance)
{
	char *ftrace = system_line("/proc/sys/kernel/ftrace_enabled");
	bool off = ftrace && !strcmp(ftrace, "0");

	free(ftrace);
	return system_number("/proc/sys/kernel/panic_on_oops") || !*instance ||
	       (!off && oops_stops(t, instance));
}

static uint64_t buffer_bytes(const struct tfs *t, const char *instance)
{
	char *line = tfs_line(t, instance, "buffer_total_size_kb");
	uint64_t kb = strtoull(line, NULL, 10);

	free(line);
	return kb * 1024;
}

/* --- the persistent buffer */

static bool has_kaslr(void)
{
	char *line = system_line("/proc/cmdline");
	bool has = !line || !strstr(line, "nokaslr");

	free(line);
	return has;
}

static void look_buffer(struct oops_look *l, const struct tfs *t, struct oops_row *row)
{
	const char *name = l->boot_instance;

	if (!name) {
		add_words(&row->missing, "no instance in reserved memory: boot with "
			  "reserve_mem=12M:4096:trace trace_instance=boot_map^traceoff@trace "
			  "(Linux 6.12 or later)");
		return;
	}
	row->survives = records_into(t, name);
	buf_printf(&row->how_much, "instance '%s', ", name);
	text_bytes(&row->how_much, buffer_bytes(t, name));
	if (!row->survives)
		add_words(&row->missing, "%s", strv_has(&l->places, name) ?
			  "it was stopped, as by an oops: ftr oops collect takes what it holds" :
			  "nothing is recorded there: ftr oops arm");
	add_words(&row->in_the_way, "a loss of power: it is RAM");
	if (!oops_in_task_stops(t, name))
		add_words(&row->in_the_way, "an oops in a task stops the top level only: what led "
			  "to it is overwritten, unless panic_on_oops is 1 or ftr oops arm has it "
			  "stopped");
	if (has_kaslr())
		add_words(&row->in_the_way, "KASLR may move the memory: then the kernel discards "
			  "the buffer; nokaslr prevents it");
}

/* --- the console */

/* Mean length of the lines of the buffer as it is now. */
static uint64_t mean_line(const struct tfs *t, const char *instance)
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

/* What is in the buffer now becomes a line each. */
static void add_dump_of(struct oops_look *l, const struct tfs *t, const char *instance)
{
	uint64_t lines = tfs_buffered(t, instance);

	l->dump.lines += lines;
	l->dump.bytes += lines * mean_line(t, instance);
}

/* "1", "orig_cpu", "2", "ftr-oops", "x=orig_cpu,y": the instances, "" for the top level. */
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

/* A panic is a dump's end: what comes first, and what is printed behind it. */
static void dump_in_the_way(const struct oops_look *l, struct oops_row *row)
{
	long print = system_number("/proc/sys/kernel/panic_print");
	struct buf b = {0};

	if (oops_kdump_loaded() &&
	    !system_is_yes("/sys/module/kernel/parameters/crash_kexec_post_notifiers"))
		add_words(&row->in_the_way, "a kdump kernel is loaded: a panic goes there before "
			  "the dump, unless crash_kexec_post_notifiers is set; an oops in a task "
			  "dumps");
	/* ftrace_dump() consumes what it prints */
	if (row->survives)
		add_words(&row->in_the_way, "the dump takes the records out of the buffer: then "
			  "they are in the log only");
	if (l->dump.bytes > oops_log_bytes()) {
		buf_addstr(&b, "the kernel's log has ");
		text_bytes(&b, oops_log_bytes());
		add_words(&row->in_the_way, "%s: the dump pushes the text of the oops out of it; "
			  "the console still has it", b.data);
	}
	if (print & PANIC_PRINT_BEHIND)
		add_words(&row->in_the_way, "panic_print is %#lx: a panic prints more behind the "
			  "dump", print);
	buf_release(&b);
}

static void say_dump(const struct oops_look *l, const char *value, struct buf *out)
{
	buf_printf(out, "ftrace_dump_on_oops is %s: ", value);
	text_count(out, l->dump.lines);
	buf_addstr(out, " lines, ");
	text_bytes(out, l->dump.bytes);
	buf_printf(out, ", %" PRIu64 " s at 115200 baud", l->dump.seconds);
}

static void look_dump(struct oops_look *l, const struct tfs *t, struct oops_row *row)
{
	char *value = system_line("/proc/sys/kernel/ftrace_dump_on_oops");
	bool printed = system_number("/proc/sys/kernel/panic_print") & PANIC_PRINT_FTRACE;
	struct strv places = {0};
	size_t i;

	dumped_places(value ? value : "0", &places);
	row->survives = places.n;
	if (!places.n && printed)
		strv_add(&places, "");
	for (i = 0; t && i < places.n; i++)
		if (!*places.v[i] || !tfs_check_instance(t, places.v[i], NULL))
			add_dump_of(l, t, places.v[i]);
		else
			add_words(&row->missing, "there is no instance '%s'", places.v[i]);
	l->dump.seconds = (l->dump.bytes + BAUD_BYTES - 1) / BAUD_BYTES;
	if (row->survives)
		say_dump(l, value, &row->how_much);
	else
		add_words(&row->missing, "ftrace_dump_on_oops is 0: ftr oops arm --dump=all");
	if (!row->survives && printed)
		add_words(&row->missing, "panic_print has bit 4: a panic dumps the top level, an "
			  "oops does not");
	dump_in_the_way(l, row);
	strv_release(&places);
	free(value);
}

/* --- pstore */

/*
 * Of a crash ramoops takes the first part alone, which is as long as one of its records whatever
 * kmsg_bytes is; other backends take parts up to that.
 */
static uint64_t pstore_bytes(const char *backend)
{
	long bytes = strcmp(backend, "ramoops") ? 0 :
		     system_number("/sys/module/ramoops/parameters/record_size");

	if (bytes <= 0)
		bytes = system_number("/sys/module/pstore/parameters/kmsg_bytes");
	return bytes > 0 ? (uint64_t)bytes : PSTORE_BYTES;
}

static void look_pstore(struct oops_look *l, const struct tfs *t, struct oops_row *row)
{
	char *backend = system_line("/sys/module/pstore/parameters/backend");
	uint64_t kept;

	(void)t;
	row->survives = backend && *backend && strcmp(backend, "(null)");
	if (row->survives) {
		kept = pstore_bytes(backend);
		buf_printf(&row->how_much, "%s, the last ", backend);
		text_bytes(&row->how_much, kept);
		buf_addstr(&row->how_much, " of the kernel's log");
		if (l->dump.bytes > kept)
			add_words(&row->in_the_way, "the dump is longer: its end is kept, and not "
				  "the text of the oops");
	} else {
		add_words(&row->missing, "no backend: modprobe efi_pstore, or ramoops with memory "
			  "of its own (ramoops.mem_address=, mem_size=)");
	}
	free(backend);
}

/* --- kdump */

static void look_kdump(struct oops_look *l, const struct tfs *t, struct oops_row *row)
{
	long size = system_number("/sys/kernel/kexec_crash_size");

	(void)l;
	(void)t;
	row->survives = oops_kdump_loaded();
	if (row->survives) {
		buf_addstr(&row->how_much, "all memory, by the crash kernel in ");
		text_bytes(&row->how_much, size > 0 ? size : 0);
		if (!system_number("/proc/sys/kernel/panic_on_oops"))
			add_words(&row->in_the_way, "panic_on_oops is 0: an oops in a task does "
				  "not start it");
	} else if (size > 0) {
		add_words(&row->missing, "no crash kernel is loaded: kdump-config load, or kexec "
			  "-p");
	} else {
		add_words(&row->missing, "no memory for a crash kernel: boot with "
			  "crashkernel=256M");
	}
}

/* --- all of it */

static const struct {
	const char *name;
	void (*look)(struct oops_look *l, const struct tfs *t, struct oops_row *row);
} kinds[OOPS_ROWS] = {
	{ "persistent buffer", look_buffer },
	{ "console dump", look_dump },
	{ "pstore", look_pstore },
	{ "kdump", look_kdump },
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
		strv_release(&l->rows[i].in_the_way);
	}
	strv_release(&l->places);
	strv_release(&l->unstopped);
	free(l->boot_instance);
	*l = (struct oops_look){0};
}
