/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of features, and how each is detected: by files, README, lists, conditions. */
#include "tracefs/state/feature.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/io.h"
#include "base/sym_lines.h"
#include "base/text.h"
#include "tracefs/session/journal.h"
#include "tracefs/session/session.h"
#include "tracefs/state/buffer_idle.h"

#define KPROBES "/sys/kernel/debug/kprobes/enabled"
#define UNUSED(v, f) ((void)(v), (void)(f))

void finding_release(struct feature_result *f)
{
	buf_release(&f->detail);
	buf_release(&f->hint);
	f->state = FEATURE_WORKS;
}

#define FINDING(f, what, to)				\
	do {						\
		va_list ap;				\
							\
		f->state = what;			\
		buf_reset(&f->to);			\
		va_start(ap, fmt);			\
		buf_vprintf(&f->to, fmt, ap);		\
		va_end(ap);				\
	} while (0)

__attribute__((format(printf, 2, 3)))
static void finding_works(struct feature_result *f, const char *fmt, ...)
{
	FINDING(f, FEATURE_WORKS, detail);
}

__attribute__((format(printf, 2, 3)))
static void finding_no(struct feature_result *f, const char *fmt, ...)
{
	FINDING(f, FEATURE_NO, detail);
}

__attribute__((format(printf, 2, 3)))
static void finding_unknown(struct feature_result *f, const char *fmt, ...)
{
	FINDING(f, FEATURE_UNKNOWN, detail);
}

__attribute__((format(printf, 2, 3)))
static void finding_hint(struct feature_result *f, const char *fmt, ...)
{
	FINDING(f, f->state, hint);
}

/* --- the kernel's configuration */

/* Distributions install it next to the kernel or its modules. */
static void feature_read_config(struct feature_view *v)
{
	static const char *const places[] = { "/boot/config-%s", "/lib/modules/%s/config",
					      "/lib/modules/%s/build/.config" };
	struct utsname u;
	char *path;
	size_t i;

	if (v->has_config)
		return;
	v->has_config = true;
	for (i = 0; i < sizeof(places) / sizeof(*places) && !v->config.len && !uname(&u); i++) {
		path = xasprintf("%.*s%s%s", (int)strcspn(places[i], "%"), places[i], u.release,
				 strchr(places[i], '%') + 2);
		if (io_read_at(AT_FDCWD, path, &v->config))
			buf_reset(&v->config);
		free(path);
	}
}

/*
 * The options of "FUNCTION_TRACER", or of several with blanks, that the kernel's configuration has
 * not on; "" if all are on.
 */
struct kernel_config {
	struct buf off;
	bool unlisted;		/* an option is not even listed as off */
};

static void feature_find_config(struct feature_view *v, const char *config, struct kernel_config *c)
{
	struct strv names = {0};
	char *on, *off;
	size_t i;

	*c = (struct kernel_config){0};
	feature_read_config(v);
	strv_split(&names, config ? config : "", " ");
	for (i = 0; i < names.n && v->config.len; i++) {
		on = xasprintf("\nCONFIG_%s=y\n", names.v[i]);
		off = xasprintf("\n# CONFIG_%s is not set\n", names.v[i]);
		if (!strstr(v->config.data, on)) {
			buf_printf(&c->off, "%sCONFIG_%s", c->off.len ? ", " : "", names.v[i]);
			c->unlisted |= !strstr(v->config.data, off);
		}
		free(on);
		free(off);
	}
	strv_release(&names);
}

static void feature_add_configs(const struct feature *f, struct buf *out)
{
	struct strv names = {0};
	size_t i;

	strv_split(&names, f->config, " ");
	for (i = 0; i < names.n; i++)
		buf_printf(out, "%sCONFIG_%s", i ? " and " : "", names.v[i]);
	strv_release(&names);
}

/*
 * Sets "this kernel has no X", with its CONFIG_ option and the value of that in the kernel's
 * configuration. If the option is on, the reason is unknown, and none is given.
 */
static void finding_lacks(struct feature_view *v, const struct feature *f,
			  struct feature_result *out, const char *what)
{
	struct kernel_config c;
	bool on;

	feature_find_config(v, f->config, &c);
	on = f->config && v->config.len && !c.off.len;
	if (on) {
		finding_no(out, "this kernel has ");
		feature_add_configs(f, &out->detail);
		buf_printf(&out->detail, ", but no %s", what);
	} else {
		finding_no(out, "this kernel has no %s", what);
	}
	if (c.off.len)
		buf_printf(&out->detail, ": it is built without %s", c.off.data);
	if (f->hint) {
		finding_hint(out, "%s", f->hint);
	} else if (f->config && !on) {
		finding_hint(out, "it needs a kernel built with ");
		feature_add_configs(f, &out->hint);
		if (f->since && (c.unlisted || !v->config.len))
			buf_printf(&out->hint, "; Linux %s knows that", f->since);
	} else if (f->since) {
		finding_hint(out, "Linux %s has it", f->since);
	}
	buf_release(&c.off);
}

/* --- ways of looking */

/* Checks for a control file, or for any file by its full path. */
static void check_file(struct feature_view *v, const struct feature *f, struct feature_result *out)
{
	bool there = *f->file == '/' ? !access(f->file, F_OK) : tfs_exists(&v->t, NULL, f->file);
	char *what = xasprintf("'%s'", f->file);

	if (!there)
		finding_lacks(v, f, out, what);
	free(what);
}

static void check_readme(struct feature_view *v, const struct feature *f,
			 struct feature_result *out)
{
	if (!v->readme.len && tfs_read(&v->t, NULL, "README", &v->readme, NULL)) {
		finding_unknown(out, "cannot read 'README', which lists it");
		return;
	}
	if (!strstr(v->readme.data, f->file))
		finding_lacks(v, f, out, f->name);
}

static void check_tracer(struct feature_view *v, const struct feature *f,
			 struct feature_result *out)
{
	struct strv names = {0};
	char *what;

	if (tfs_tracers(&v->t, NULL, &names, NULL)) {
		finding_unknown(out, "cannot read 'available_tracers'");
	} else if (!strv_has(&names, f->name)) {
		what = xasprintf("tracer '%s'", f->name);
		finding_lacks(v, f, out, what);
		free(what);
	}
	strv_release(&names);
}

/*
 * Checks the tracers of an instance. If there is no instance, it searches /proc/kallsyms for a
 * function that only this feature needs.
 */
static void check_graph_instances(struct feature_view *v, const struct feature *f,
				  struct feature_result *out)
{
	struct strv names = {0}, tracers = {0};
	char *symbol = xasprintf(" %s\n", f->file);
	bool has;

	if (!tfs_instances(&v->t, &names, NULL) && names.n &&
	    !tfs_tracers(&v->t, names.v[0], &tracers, NULL)) {
		has = strv_has(&tracers, "function_graph");
	} else {
		if (!v->has_symbols && io_read_at(AT_FDCWD, "/proc/kallsyms", &v->symbols))
			buf_reset(&v->symbols);
		v->has_symbols = true;
		has = v->symbols.len && strstr(v->symbols.data, symbol);
	}
	if (!has) {
		finding_no(out, "this kernel has function_graph at the top level only");
		finding_hint(out, "%s", f->hint);
	}
	free(symbol);
	strv_release(&names);
	strv_release(&tracers);
}

/* The file always exists. Only its help, which it shows if it is empty, lists if it accepts a 1. */
static void check_cpu_swap(struct feature_view *v, const struct feature *f,
			   struct feature_result *out)
{
	struct buf text = {0};
	struct kernel_config c = {0};

	if (tfs_read(&v->t, NULL, "per_cpu/cpu0/snapshot", &text, NULL)) {
		finding_lacks(v, f, out, "snapshots");
	} else if (strstr(text.data, "Not supported with this kernel")) {
		finding_lacks(v, f, out, "snapshots of one CPU");
	} else if (!strstr(text.data, "echo 1 > snapshot")) {
		feature_find_config(v, f->config, &c);
		if (c.off.len)
			finding_lacks(v, f, out, "snapshots of one CPU");
		else
			finding_unknown(out, "a snapshot that is allocated hides it");
	}
	buf_release(&c.off);
	buf_release(&text);
}

/* A check for splice() itself would consume data. */
static void check_raw(struct feature_view *v, const struct feature *f, struct feature_result *out)
{
	struct buf path = {0};
	char *max = io_line_at(AT_FDCWD, "/proc/sys/fs/pipe-max-size");
	int *cpus = NULL;
	size_t n = 0;

	if (tfs_cpus(&v->t, NULL, &cpus, &n, NULL) || !n) {
		finding_unknown(out, "cannot list 'per_cpu'");
	} else {
		buf_printf(&path, "per_cpu/cpu%d/%s", cpus[0], f->file);
		if (faccessat(v->t.dirfd, path.data, R_OK, AT_EACCESS))
			finding_no(out, "cannot read '%s': %s", path.data, strerror(errno));
		else if (max)
			finding_works(out, "through pipes of up to %ld KiB", atol(max) / 1024);
	}
	free(max);
	free(cpus);
	buf_release(&path);
}

/* --- access */

/* Missing permission is not an error here: the features rights and lockdown report it. */
static void check_tracefs(struct feature_view *v, const struct feature *f,
			  struct feature_result *out)
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

static void hint_rights(const struct feature_view *v, int sys, struct feature_result *out)
{
	struct ftr_error err = {0};

	tfs_hint_rights(v->usable ? v->t.path : "/sys/kernel/tracing", sys, &err);
	finding_hint(out, "%s", err.hint);
}

static void check_rights(struct feature_view *v, const struct feature *f,
			 struct feature_result *out)
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
			hint_rights(v, v->why_not.sys, out);
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
			hint_rights(v, sys, out);
			return;
		}
	finding_works(out, geteuid() ? "by the group" : "root's");
}

/* Only the mode confidentiality forbids tracing, the mode integrity does not. */
static void check_lockdown(struct feature_view *v, const struct feature *f,
			   struct feature_result *out)
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

static bool file_reads_0(const char *path)
{
	char *line = io_line_at(AT_FDCWD, path);
	bool is = line && !strcmp(line, "0");

	free(line);
	return is;
}

/* True if /proc/kallsyms shows addresses. Without permission every address reads 0. */
static bool kallsyms_has_addresses(void)
{
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	char text[4096], type;
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1), i;
	bool shown = false;
	uint64_t addr;

	/* The first symbols are per-CPU symbols, at 0 or near it. */
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

static void check_symbols(struct feature_view *v, const struct feature *f,
			  struct feature_result *out)
{
	char *line = io_line_at(AT_FDCWD, "/proc/sys/kernel/kptr_restrict");

	UNUSED(v, f);
	if (access("/proc/kallsyms", R_OK)) {
		finding_no(out, "cannot read '/proc/kallsyms': %s", strerror(errno));
		finding_hint(out, "it needs a kernel built with CONFIG_KALLSYMS");
	} else if (kallsyms_has_addresses()) {
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

/* With 0 in ftrace_enabled no entries of functions are patched, which tprobes also need. */
static void need_ftrace(struct feature_view *v, const struct feature *f, struct feature_result *out)
{
	UNUSED(v, f);
	if (!file_reads_0("/proc/sys/kernel/ftrace_enabled"))
		return;
	finding_no(out, "sysctl kernel.ftrace_enabled is 0: calls of functions are not seen");
	finding_hint(out, "as root: sysctl kernel.ftrace_enabled=1");
}

static void check_enabled(struct feature_view *v, const struct feature *f,
			  struct feature_result *out)
{
	if (access("/proc/sys/kernel/ftrace_enabled", F_OK))
		finding_lacks(v, f, out, "sysctl kernel.ftrace_enabled");
	else
		need_ftrace(v, f, out);
}

static void check_kprobes_off(struct feature_result *out)
{
	if (!file_reads_0(KPROBES))
		return;
	finding_no(out, "all kprobes are switched off");
	finding_hint(out, "as root: echo 1 > " KPROBES);
}

/* ftrace also sets kprobes at the entry of a function or at its return. */
static void need_kprobes(struct feature_view *v, const struct feature *f,
			 struct feature_result *out)
{
	need_ftrace(v, f, out);
	check_kprobes_off(out);
}

/* If debugfs is not mounted, nobody has disabled kprobes through it. */
static void check_kprobes_on(struct feature_view *v, const struct feature *f,
			     struct feature_result *out)
{
	UNUSED(v, f);
	if (access(KPROBES, R_OK) && errno == EACCES)
		finding_unknown(out, "cannot read '%s': %s", KPROBES, strerror(errno));
	else
		check_kprobes_off(out);
}

static void check_tracing_on(struct feature_view *v, const struct feature *f,
			     struct feature_result *out)
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

static void check_idle(struct feature_view *v, const struct feature *f, struct feature_result *out)
{
	char *why = NULL;

	UNUSED(v, f);
	if (!tfs_idle(&v->t, NULL, &why)) {
		finding_no(out, "the top level is in use: %s", why);
		finding_hint(out, "ftr record takes a private instance then; 'ftr reset' puts back "
			     "what ftr left");
	}
	free(why);
}

static void check_lock(struct feature_view *v, const struct feature *f, struct feature_result *out)
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

/* True if the directory of this user's journals exists. This check does not make it. */
static bool journals_exist(void)
{
	char *path = journal_dir_path();
	bool has = !access(path, R_OK | X_OK);

	free(path);
	return has;
}

/* Root's changes affect all users, but only root can read their journals. */
static void check_unseen(struct feature_result *out)
{
	const char *dir = journal_unseen();

	if (!dir)
		return;
	finding_unknown(out, "cannot look into '%s': %s", dir, strerror(EACCES));
	finding_hint(out, "run it as root");
}

static void check_journals(struct feature_view *v, const struct feature *f,
			   struct feature_result *out)
{
	struct strv dead = {0};
	struct ftr_error err = {0};

	UNUSED(v, f);
	check_unseen(out);
	if (!journals_exist())
		return;
	if (session_dead_journals(&dead, &err)) {
		finding_unknown(out, "%s", err.msg);
	} else if (dead.n) {
		finding_no(out, "%zu run%s of ftr ended without putting tracefs back: '%s'%s",
			   dead.n, dead.n == 1 ? "" : "s", dead.v[0], dead.n == 1 ? "" : ", ...");
		finding_hint(out, "ftr reset --recover");
	}
	strv_release(&dead);
}

static void check_standing(struct feature_view *v, const struct feature *f,
			   struct feature_result *out)
{
	struct journal_owner owner;
	struct journal_entries e;
	struct ftr_error err = {0};
	size_t n;
	int ret;

	UNUSED(v, f);
	check_unseen(out);
	if (!journals_exist())
		return;
	ret = session_standing(&owner, &e, &err);
	if (ret < 0)
		finding_unknown(out, "%s", err.msg);
	if (ret <= 0)
		return;
	n = entries_left(&e);
	finding_no(out, "%zu change%s of ftr stand%s, the first by '%.200s'", n, n == 1 ? "" : "s",
		   n == 1 ? "s" : "", owner.command);
	finding_hint(out, "ftr reset puts them back");
	journal_owner_release(&owner);
	entries_release(&e);
}

/* --- memory */

/* Returns a value of /proc/meminfo in KiB, 0 if it is not there. */
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

/* The sizes in KiB of the buffers of all CPUs: "7 (expanded: 1408)" is 7 now and 1408 later. */
struct buffer_size {
	unsigned long long now, later;
};

static struct buffer_size total_size(const struct feature_view *v, const char *instance)
{
	char *line = tfs_line(&v->t, instance, "buffer_total_size_kb");
	char *more = strstr(line, "expanded: ");
	struct buffer_size s;

	s.now = strtoull(line, NULL, 10);
	s.later = more ? strtoull(more + strlen("expanded: "), NULL, 10) : s.now;
	free(line);
	return s;
}

static void add_kb(struct buf *out, const char *before, unsigned long long kb)
{
	buf_addstr(out, before);
	text_bytes(out, kb * 1024);
}

/* The growth of the buffers must fit into free memory, and half of all memory should be left. */
static void check_memory(struct feature_view *v, const struct feature *f,
			 struct feature_result *out)
{
	unsigned long long free_kb = meminfo_kb("MemAvailable"), all_kb = meminfo_kb("MemTotal");
	struct buffer_size s, one;
	struct strv names = {0};
	struct buf b = {0};

	UNUSED(v, f);
	s = total_size(v, NULL);
	tfs_instances(&v->t, &names, NULL);
	for (size_t i = 0; i < names.n; i++) {
		one = total_size(v, names.v[i]);
		s.now += one.now;
		s.later += one.later;
	}
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
	strv_release(&names);
	buf_release(&b);
}

static void check_snapshot_memory(struct feature_view *v, const struct feature *f,
				  struct feature_result *out)
{
	unsigned long long free_kb = meminfo_kb("MemAvailable");
	struct buffer_size s;
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

/* ftr oops status also shows if something is recorded there. */
static void check_crash(struct feature_view *v, const struct feature *f, struct feature_result *out)
{
	char *dump = io_line_at(AT_FDCWD, "/proc/sys/kernel/ftrace_dump_on_oops");
	char *kdump = io_line_at(AT_FDCWD, "/sys/kernel/kexec_crash_loaded");
	struct strv names = {0};
	bool kept = false;

	(void)f;
	tfs_instances(&v->t, &names, NULL);
	for (size_t i = 0; i < names.n && !kept; i++)
		kept = tfs_exists(&v->t, names.v[i], "last_boot_info");
	strv_release(&names);
	if (kept) {
		finding_works(out, "an instance is in memory that a reboot keeps; see 'ftr oops "
			      "status'");
	} else if (kdump && !strcmp(kdump, "1")) {
		finding_works(out, "a kdump kernel is loaded; see 'ftr oops status'");
	} else if (dump && strcmp(dump, "0")) {
		finding_works(out, "an oops prints the buffer; see 'ftr oops status'");
	} else {
		finding_no(out, "nothing of a trace would survive a crash");
		finding_hint(out, "ftr oops arm --dump=all prints it; 'ftr oops status' shows "
			     "more");
	}
	free(dump);
	free(kdump);
}

/* --- the table */

#define RT_HINT "real-time kernels of distributions often have it (Debian: linux-image-rt-amd64)"

const struct feature features[] = {
	{ .name = "tracefs", "conditions", check_tracefs, NULL, "TRACING", .alone = true },
	{ .name = "rights", "conditions", check_rights, .alone = true },
	{ .name = "lockdown", "conditions", check_lockdown, .alone = true },
	{ .name = "symbols", "conditions", check_symbols, .alone = true },
	{ .name = "ftrace-enabled", "conditions", check_enabled, NULL, "FUNCTION_TRACER",
	  .alone = true },
	{ .name = "kprobes-enabled", "conditions", check_kprobes_on, .alone = true },
	{ .name = "tracing-on", "conditions", check_tracing_on },
	{ .name = "idle", "conditions", check_idle },
	{ .name = "lock", "conditions", check_lock },
	{ .name = "journals", "conditions", check_journals, .alone = true },
	{ .name = "standing", "conditions", check_standing, .alone = true },
	{ .name = "buffer-memory", "conditions", check_memory },
	{ .name = "snapshot-memory", "conditions", check_snapshot_memory },

	{ .name = "function", "tracers", check_tracer, NULL, "FUNCTION_TRACER",
	  .needs = need_ftrace },
	{ .name = "function_graph", "tracers", check_tracer, NULL, "FUNCTION_GRAPH_TRACER",
	  .needs = need_ftrace },
	{ .name = "irqsoff", "tracers", check_tracer, NULL, "IRQSOFF_TRACER" },
	{ .name = "preemptoff", "tracers", check_tracer, NULL, "PREEMPT_TRACER" },
	{ .name = "preemptirqsoff", "tracers", check_tracer, NULL,
	  "IRQSOFF_TRACER PREEMPT_TRACER" },
	{ .name = "wakeup", "tracers", check_tracer, NULL, "SCHED_TRACER", RT_HINT },
	{ .name = "wakeup_rt", "tracers", check_tracer, NULL, "SCHED_TRACER", RT_HINT },
	{ .name = "wakeup_dl", "tracers", check_tracer, NULL, "SCHED_TRACER", RT_HINT },
	{ .name = "blk", "tracers", check_tracer, NULL, "BLK_DEV_IO_TRACE" },
	{ .name = "mmiotrace", "tracers", check_tracer, NULL, "MMIOTRACE" },
	{ .name = "hwlat", "tracers", check_tracer, NULL, "HWLAT_TRACER", RT_HINT },
	{ .name = "osnoise", "tracers", check_tracer, NULL, "OSNOISE_TRACER", RT_HINT },
	{ .name = "timerlat", "tracers", check_tracer, NULL, "TIMERLAT_TRACER", RT_HINT },

	{ .name = "function-filters", "functions", check_file, "set_ftrace_filter",
	  "DYNAMIC_FTRACE" },
	{ .name = "module-filters", "functions", check_readme, "Format: :mod:<module-name>",
	  "DYNAMIC_FTRACE" },
	{ .name = "graph-instances", "functions", check_graph_instances, "allocate_fgraph_ops",
	  NULL,
	  "Linux 6.12 has it in instances, too; until then: one at a time, at the top level" },
	{ .name = "func-args", "functions", check_file, "options/func-args", "FUNCTION_TRACE_ARGS",
	  .since = "7.2" },
	{ .name = "funcgraph-args", "functions", check_file, "options/funcgraph-args",
	  "FUNCTION_TRACE_ARGS", .since = "7.2" },
	{ .name = "funcgraph-retval", "functions", check_file, "options/funcgraph-retval",
	  "FUNCTION_GRAPH_RETVAL", .since = "6.12" },
	{ .name = "funcgraph-retaddr", "functions", check_file, "options/funcgraph-retaddr",
	  "FUNCTION_GRAPH_RETADDR", .since = "7.2" },
	{ .name = "function-addresses", "functions", check_file, "available_filter_functions_addrs",
	  NULL,
	  "Linux 6.12 lists them; /proc/kallsyms has those of symbols" },
	{ .name = "function-profiler", "functions", check_file, "function_profile_enabled",
	  "FUNCTION_PROFILER", .needs = need_ftrace },
	{ .name = "stack-tracer", "functions", check_file, "/proc/sys/kernel/stack_tracer_enabled",
	  "STACK_TRACER", .alone = true, .needs = need_ftrace },

	{ .name = "events", "events", check_file, "events/enable", "EVENT_TRACING" },
	{ .name = "syscalls", "events", check_file, "events/syscalls", "FTRACE_SYSCALLS" },
	{ .name = "module-events", "events", check_readme, "Can enable module events via: :mod:",
	  NULL,
	  "Linux 7.2 takes ':mod:NAME' in set_event; until then: load the module first" },
	{ .name = "triggers", "events", check_file, "events/sched/sched_switch/trigger",
	  "EVENT_TRACING" },
	{ .name = "hist", "events", check_file, "events/sched/sched_switch/hist", "HIST_TRIGGERS" },
	{ .name = "synthetic-events", "events", check_file, "synthetic_events", "SYNTH_EVENTS" },
	{ .name = "trace-marker", "events", check_file, "trace_marker", "TRACING" },
	{ .name = "copy_trace_marker", "events", check_file, "options/copy_trace_marker", NULL,
	  "Linux 7.2 copies trace_marker into instances" },
	{ .name = "trace_printk_dest", "events", check_file, "options/trace_printk_dest", NULL,
	  "Linux 6.12 sends trace_printk() into an instance; until then the top has it" },

	{ .name = "kprobes", "probes", check_file, "kprobe_events", "KPROBE_EVENTS",
	  .needs = need_kprobes },
	{ .name = "uprobes", "probes", check_file, "uprobe_events", "UPROBE_EVENTS" },
	{ .name = "eprobes", "probes", check_readme, "e[:[<group>/]", "EPROBE_EVENTS" },
	{ .name = "fprobes", "probes", check_readme, "f[:[<group>/]", "FPROBE_EVENTS",
	  .since = "6.12", .needs = need_ftrace },
	{ .name = "tprobes", "probes", check_readme, "t[:[<group>/]", "FPROBE_EVENTS",
	  .since = "6.12", .needs = need_ftrace },
	{ .name = "user-events", "probes", check_file, "user_events_data", "USER_EVENTS",
	  .since = "6.12" },
	{ .name = "btf", "probes", check_file, "/sys/kernel/btf/vmlinux", "DEBUG_INFO_BTF",
	  .alone = true },
	{ .name = "btf-args", "probes", check_readme, "<argname>[->field", "PROBE_EVENTS_BTF_ARGS",
	  .since = "6.12" },

	{ .name = "instances", "buffers", check_file, "instances", "TRACING" },
	{ .name = "raw-buffers", "buffers", check_raw, "trace_pipe_raw" },
	{ .name = "subbuf-size", "buffers", check_file, "buffer_subbuf_size_kb", NULL,
	  "Linux 6.12 has it; until then a sub-buffer is a page" },
	{ .name = "snapshot", "buffers", check_file, "snapshot", "TRACER_SNAPSHOT" },
	{ .name = "snapshot-cpu", "buffers", check_cpu_swap, NULL, "RING_BUFFER_ALLOW_SWAP",
	  "take a snapshot of all CPUs, and show one of them: ftr snapshot" },
	{ .name = "crash", "buffers", check_crash },
	{ 0 }
};

/* --- the view */

void feature_view_open(struct feature_view *v)
{
	*v = (struct feature_view){ .t.dirfd = -1 };
	v->usable = !tfs_open(&v->t, &v->why_not);
}

void feature_view_close(struct feature_view *v)
{
	buf_release(&v->readme);
	buf_release(&v->symbols);
	buf_release(&v->config);
	tfs_close(&v->t);
}

/* Without tracefs the state is unknown, unless ->alone. */
void feature_look(struct feature_view *v, const struct feature *f, struct feature_result *out)
{
	finding_release(out);
	if (v->usable || f->alone)
		f->check(v, f, out);
	else
		finding_unknown(out, "%s", v->why_not.msg);
	if (f->needs && out->state == FEATURE_WORKS)
		f->needs(v, f, out);
	if (!out->detail.data)
		buf_addstr(&out->detail, "");
	if (!out->hint.data)
		buf_addstr(&out->hint, "");
}
