/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Conditions that tracing is under: mounts, rights, switches, others at work, memory. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/sym_lines.h"
#include "base/text.h"
#include "tracefs/session/journal.h"
#include "tracefs/session/lock.h"
#include "tracefs/session/session.h"
#include "tracefs/state/buffer_idle.h"
#include "tracefs/state/feature.h"

#define KPROBES "/sys/kernel/debug/kprobes/enabled"
#define UNUSED(v, f) ((void)(v), (void)(f))

/* --- access */

/* Not being allowed to use it is the business of the next two. */
void look_tracefs(struct feature_view *v, const struct feature *f, struct finding *out)
{
	UNUSED(v, f);
	if (v->usable) {
		finding_works(out, "mounted at %s", v->t.path);
		return;
	}
	if (v->why_not.sys == EACCES || v->why_not.sys == EPERM ||
	    strstr(v->why_not.msg, "locked down")) {
		finding_works(out, "mounted");
		return;
	}
	finding_no(out, "%s", v->why_not.msg);
	finding_hint(out, "%s", v->why_not.hint);
}

static void rights_hint(const struct feature_view *v, int sys, struct finding *out)
{
	struct ftr_error err = {0};

	tfs_hint_rights(v->usable ? v->t.path : "/sys/kernel/tracing", sys, &err);
	finding_hint(out, "%s", err.hint);
}

void look_rights(struct feature_view *v, const struct feature *f, struct finding *out)
{
	static const char *const needed[] = {
		"current_tracer", "set_event", "tracing_on", "trace_clock", "buffer_size_kb",
	};
	size_t i;
	int sys;

	UNUSED(v, f);
	if (!v->usable) {
		if (v->why_not.sys == EACCES || v->why_not.sys == EPERM) {
			finding_no(out, "%s", v->why_not.msg);
			rights_hint(v, v->why_not.sys, out);
		} else {
			finding_unknown(out, "%s", v->why_not.msg);
		}
		return;
	}
	for (i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		if (faccessat(v->t.dirfd, needed[i], W_OK, AT_EACCESS) && errno != ENOENT) {
			sys = errno;
			finding_no(out, "cannot write '%s/%s': %s", v->t.path, needed[i],
				   strerror(sys));
			rights_hint(v, sys, out);
			return;
		}
	finding_works(out, geteuid() ? "by the group" : "root's");
}

/* Of its two modes only confidentiality forbids tracing. */
void look_lockdown(struct feature_view *v, const struct feature *f, struct finding *out)
{
	char *line = io_line_at(AT_FDCWD, "/sys/kernel/security/lockdown"), *word, *end;

	UNUSED(v, f);
	word = line ? strchr(line, '[') : NULL;
	end = word ? strchr(word, ']') : NULL;
	if (end)
		*end = '\0';
	if (end && !strcmp(word + 1, "confidentiality")) {
		finding_no(out, "lockdown=confidentiality forbids tracing");
		finding_hint(out, "boot with lockdown=integrity, or without Secure Boot");
	} else if (end && strcmp(word + 1, "none")) {
		finding_works(out, "lockdown=%s does not forbid tracing", word + 1);
	} else if (!end && (v->why_not.sys == EPERM || v->why_not.sys == ENOENT)) {
		finding_no(out, v->why_not.sys == EPERM ? "tracefs is refused even to root" :
							  "tracefs is empty");
		finding_hint(out, "see /sys/kernel/security/lockdown (mount -t securityfs s "
			     "/sys/kernel/security)");
	} else if (end) {
		finding_works(out, "the kernel is not locked down");
	} else if (v->usable) {
		finding_works(out, "its mode is unknown, but tracefs can be used");
	} else {
		finding_unknown(out, "cannot read '/sys/kernel/security/lockdown'");
	}
	free(line);
}

/* --- switches */

static bool file_is_0(const char *path)
{
	char *line = io_line_at(AT_FDCWD, path);
	bool is = line && !strcmp(line, "0");

	free(line);
	return is;
}

/* Without rights every address reads 0. */
static bool addresses_shown(void)
{
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	char text[4096], type;
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1), i;
	bool shown = false;
	uint64_t addr;

	/* the first symbols are per-CPU ones, at 0 or near it */
	while (n > 0 && !shown) {
		text[n] = '\0';
		for (i = 0; i < n && !shown; i += strcspn(text + i, "\n") + 1)
			shown = sym_line_head(text + i, text + n, &addr, &type) && addr;
		n = read(fd, text, sizeof(text) - 1);
	}
	if (fd >= 0)
		close(fd);
	return shown;
}

void look_symbols(struct feature_view *v, const struct feature *f, struct finding *out)
{
	char *line = io_line_at(AT_FDCWD, "/proc/sys/kernel/kptr_restrict");

	UNUSED(v, f);
	if (access("/proc/kallsyms", R_OK)) {
		finding_no(out, "cannot read '/proc/kallsyms': %s", strerror(errno));
		finding_hint(out, "it needs a kernel built with CONFIG_KALLSYMS");
	} else if (addresses_shown()) {
		finding_works(out, "kptr_restrict is %s", line ? line : "not there");
	} else if (line && !strcmp(line, "2")) {
		finding_no(out, "no addresses of functions: kptr_restrict is 2");
		finding_hint(out, "as root: sysctl kernel.kptr_restrict=1");
	} else {
		finding_no(out, "no addresses of functions for this user");
		finding_hint(out, "run it as root, or with the capability CAP_SYSLOG");
	}
	free(line);
}

/* The stubs at the entry of functions are left alone then: tprobes are on such a stub as well. */
void need_ftrace(struct feature_view *v, const struct feature *f, struct finding *out)
{
	UNUSED(v, f);
	if (!file_is_0("/proc/sys/kernel/ftrace_enabled"))
		return;
	finding_no(out, "sysctl kernel.ftrace_enabled is 0: calls of functions are not seen");
	finding_hint(out, "as root: sysctl kernel.ftrace_enabled=1");
}

void look_enabled(struct feature_view *v, const struct feature *f, struct finding *out)
{
	if (access("/proc/sys/kernel/ftrace_enabled", F_OK))
		finding_lacks(v, f, out, "sysctl kernel.ftrace_enabled");
	else
		need_ftrace(v, f, out);
}

static void look_kprobes_off(struct finding *out)
{
	if (!file_is_0(KPROBES))
		return;
	finding_no(out, "all kprobes are switched off");
	finding_hint(out, "as root: echo 1 > " KPROBES);
}

/* Those at the entry of a function or at its return are set by ftrace. */
void need_kprobes(struct feature_view *v, const struct feature *f, struct finding *out)
{
	need_ftrace(v, f, out);
	look_kprobes_off(out);
}

/* debugfs need not be mounted: then nobody has switched them off through it. */
void look_kprobes_on(struct feature_view *v, const struct feature *f, struct finding *out)
{
	UNUSED(v, f);
	if (access(KPROBES, R_OK) && errno == EACCES)
		finding_unknown(out, "cannot read '%s': %s", KPROBES, strerror(errno));
	else
		look_kprobes_off(out);
}

void look_tracing_on(struct feature_view *v, const struct feature *f, struct finding *out)
{
	char *line;

	UNUSED(v, f);
	line = tfs_line(&v->t, NULL, "tracing_on");
	if (!strcmp(line, "0")) {
		finding_no(out, "the top level's buffer takes no records: tracing_on is 0");
		finding_hint(out, "ftr restart, or: echo 1 > %s/tracing_on", v->t.path);
	}
	free(line);
}

/* --- others at work */

void look_idle(struct feature_view *v, const struct feature *f, struct finding *out)
{
	char *why = NULL;

	UNUSED(v, f);
	if (!tfs_idle(&v->t, NULL, &why)) {
		finding_no(out, "the top level is in use: %s", why);
		finding_hint(out, "ftr record takes an instance of its own then; 'ftr reset' puts "
			     "back what ftr left");
	}
	free(why);
}

void look_lock(struct feature_view *v, const struct feature *f, struct finding *out)
{
	char *who;

	UNUSED(v, f);
	who = global_lock_holder(&v->t);
	if (!who)
		return;
	finding_no(out, "tracing of the whole kernel is in use by %.300s", who);
	finding_hint(out, "wait for it to end, or leave out what exists once for the kernel");
	free(who);
}

/* Of this user only. The folder is not made for a look. */
static bool has_folder(void)
{
	char *path = journal_folder_path();
	bool has = !access(path, R_OK | X_OK);

	free(path);
	return has;
}

/* What root has changed is in force for all, and is told to root alone. */
static void look_unseen(struct finding *out)
{
	const char *folder = journal_unseen();

	if (!folder)
		return;
	finding_unknown(out, "cannot look into '%s': %s", folder, strerror(EACCES));
	finding_hint(out, "run it as root");
}

static void find_dead(struct finding *out)
{
	struct strv dead = {0};
	struct ftr_error err = {0};

	if (session_dead_journals(&dead, &err)) {
		finding_unknown(out, "%s", err.msg);
	} else if (dead.n) {
		finding_no(out, "%zu run%s of ftr ended without putting tracefs back: '%s'%s",
			   dead.n, dead.n == 1 ? "" : "s", dead.v[0], dead.n == 1 ? "" : ", ...");
		finding_hint(out, "ftr reset --recover");
	}
	strv_release(&dead);
}

static void find_standing(struct finding *out)
{
	struct journal_owner who;
	struct entries what;
	struct ftr_error err = {0};
	int ret = session_standing(&who, &what, &err);
	size_t n;

	if (ret < 0)
		finding_unknown(out, "%s", err.msg);
	if (ret <= 0)
		return;
	n = entries_left(&what);
	finding_no(out, "%zu change%s of ftr stand%s, the first by '%.200s'", n, n == 1 ? "" : "s",
		   n == 1 ? "s" : "", who.command);
	finding_hint(out, "ftr reset puts them back");
	journal_owner_release(&who);
	entries_release(&what);
}

void look_journals(struct feature_view *v, const struct feature *f, struct finding *out)
{
	UNUSED(v, f);
	look_unseen(out);
	if (has_folder())
		find_dead(out);
}

void look_standing(struct feature_view *v, const struct feature *f, struct finding *out)
{
	UNUSED(v, f);
	look_unseen(out);
	if (has_folder())
		find_standing(out);
}

/* --- memory */

/* A line of /proc/meminfo in KiB. */
static unsigned long long meminfo_kb(const char *name)
{
	struct buf text = {0};
	const char *at;
	unsigned long long kb = 0;

	if (!io_read_at(AT_FDCWD, "/proc/meminfo", &text)) {
		at = strstr(text.data, name);
		kb = at ? strtoull(at + strlen(name) + 1, NULL, 10) : 0;
	}
	buf_release(&text);
	return kb;
}

/* "7 (expanded: 1408)": what it is now, and what it will be; of all CPUs. */
struct size {
	unsigned long long now, later;
};

static struct size total_size(const struct feature_view *v, const char *instance)
{
	char *line = tfs_line(&v->t, instance, "buffer_total_size_kb");
	char *more = strstr(line, "expanded: ");
	struct size s;

	s.now = strtoull(line, NULL, 10);
	s.later = more ? strtoull(more + strlen("expanded: "), NULL, 10) : s.now;
	free(line);
	return s;
}

static struct size all_sizes(const struct feature_view *v)
{
	struct size s = total_size(v, NULL), one;
	struct strv names = {0};
	size_t i;

	if (!tfs_instances(&v->t, &names, NULL))
		for (i = 0; i < names.n; i++) {
			one = total_size(v, names.v[i]);
			s.now += one.now;
			s.later += one.later;
		}
	strv_release(&names);
	return s;
}

static void add_kb(struct buf *out, const char *before, unsigned long long kb)
{
	buf_addstr(out, before);
	text_bytes(out, kb * 1024);
}

/* What buffers will still grow by must be free, and they should leave half of all memory. */
void look_memory(struct feature_view *v, const struct feature *f, struct finding *out)
{
	unsigned long long free_kb = meminfo_kb("MemAvailable"), all_kb = meminfo_kb("MemTotal");
	struct size s;
	struct buf b = {0};

	UNUSED(v, f);
	s = all_sizes(v);
	add_kb(&b, "the buffers of all CPUs and instances take ", s.later);
	add_kb(&b, " of ", all_kb);
	add_kb(&b, ", ", free_kb);
	buf_addstr(&b, " are free");
	if (s.later - s.now > free_kb || s.later > all_kb / 2) {
		finding_no(out, "%s", b.data);
		finding_hint(out, "smaller ones: -b SIZE, or write buffer_size_kb; 'ftr list "
			     "instances' shows instances");
	} else {
		finding_works(out, "%s", b.data);
	}
	buf_release(&b);
}

void look_snapshot_memory(struct feature_view *v, const struct feature *f, struct finding *out)
{
	unsigned long long free_kb = meminfo_kb("MemAvailable");
	struct size s;
	struct buf b = {0};

	UNUSED(v, f);
	s = total_size(v, NULL);
	if (2 * s.later - s.now <= free_kb)
		return;
	add_kb(&b, "a snapshot takes as much as the buffer, ", s.later);
	add_kb(&b, ", and ", free_kb);
	finding_no(out, "%s are free", b.data);
	finding_hint(out, "a smaller buffer: -b SIZE, or write buffer_size_kb");
	buf_release(&b);
}

/* --- a crash */

/* One whose buffer a reboot keeps. */
static bool has_kept_instance(const struct tfs *t)
{
	struct strv names = {0};
	bool has = false;
	size_t i;

	if (!tfs_instances(t, &names, NULL))
		for (i = 0; i < names.n && !has; i++)
			has = tfs_exists(t, names.v[i], "last_boot_info");
	strv_release(&names);
	return has;
}

/* Whether something is recorded there as well is left to ftr oops status. */
void look_crash(struct feature_view *v, const struct feature *f, struct finding *out)
{
	char *dump = io_line_at(AT_FDCWD, "/proc/sys/kernel/ftrace_dump_on_oops");
	char *kdump = io_line_at(AT_FDCWD, "/sys/kernel/kexec_crash_loaded");

	(void)f;
	if (has_kept_instance(&v->t)) {
		finding_works(out, "an instance is in memory that a reboot keeps; see 'ftr oops "
			      "status'");
	} else if (kdump && !strcmp(kdump, "1")) {
		finding_works(out, "a kdump kernel is loaded; see 'ftr oops status'");
	} else if (dump && strcmp(dump, "0")) {
		finding_works(out, "an oops prints the buffer; see 'ftr oops status'");
	} else {
		finding_no(out, "nothing of a trace would survive a crash");
		finding_hint(out, "ftr oops arm --dump=all prints it; 'ftr oops status' says more");
	}
	free(dump);
	free(kdump);
}
