/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr oops cmdline, install, uninstall: boots that keep a trace over a crash, and collect it. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dir_file.h"
#include "base/io.h"
#include "base/limits.h"
#include "base/opt.h"
#include "base/text.h"
#include "cmd/frame/tracefs_change.h"
#include "cmd/oops/oops_verbs.h"
#include "oops/boot/boot_install.h"

/* --- options of a machine that keeps a trace over a crash */

static int machine_set_release(void *ctx, const struct opt *o, const char *arg,
			       struct ftr_error *err)
{
	struct boot_machine *m = ctx;

	(void)o;
	if (!boot_kernel_of(arg) || strlen(arg) >= sizeof(m->release))
		return err_set(err, FTR_USAGE, "--kernel takes a release as 6.12.1, not '%s'", arg);
	snprintf(m->release, sizeof(m->release), "%s", arg);
	return 0;
}

static int machine_set_cpus(void *ctx, const struct opt *o, const char *arg, struct ftr_error *err)
{
	struct boot_machine *m = ctx;
	int64_t n;

	(void)o;
	if (text_number(arg, 1, LIMIT_CPUS, &n))
		return err_set(err, FTR_USAGE, "--cpus takes a number up to %d, not '%s'",
			       LIMIT_CPUS, arg);
	m->cpus = n;
	return 0;
}

static int machine_set_memory(void *ctx, const struct opt *o, const char *arg,
			      struct ftr_error *err)
{
	struct boot_machine *m = ctx;

	(void)o;
	return text_size(arg, 1, &m->memory) || !m->memory ?
		err_set(err, FTR_USAGE, "--memory takes a size as 16G, not '%s'", arg) : 0;
}

static int machine_set_cpu_kb(void *ctx, const struct opt *o, const char *arg,
			      struct ftr_error *err)
{
	struct boot_machine *m = ctx;
	uint64_t bytes;

	(void)o;
	if (text_size(arg, 1024, &bytes) || bytes < 16 * 1024 || bytes > 1ull << 40)
		return err_set(err, FTR_USAGE, "-b takes KiB a CPU, 16 at least, not '%s'", arg);
	m->cpu_kb = bytes / 1024;
	return 0;
}

#define MACHINE_OPT_BUFFER								\
	{ 'b', "buffer-size", "SIZE",							\
	  "set each CPU's buffer size: 4M; a plain number is KiB (1M)",	\
	  machine_set_cpu_kb, 0 }
#define MACHINE_OPTS_OTHER								\
	OPT_GROUP("For another machine"),					\
	{ 0, "kernel", "RELEASE", "for this kernel, as 'uname -r' prints it",		\
	  machine_set_release, 0 },							\
	{ 0, "cpus", "N", "the machine has N CPUs", machine_set_cpus, 0 },			\
	{ 0, "memory", "SIZE", "the machine has SIZE of memory, as 16G", machine_set_memory, 0 }

/* --- cmdline */

struct oops_cmdline_args {
	struct boot_machine m;		/* first: MACHINE_OPTS_OTHER */
	bool line;
	char *booted;			/* arguments of this boot; NULL: another machine, unknown */
};

static bool is_booted_with(const struct oops_cmdline_args *c, const char *argument)
{
	size_t len = strlen(argument);

	for (const char *p = c->booted; p && (p = strstr(p, argument)); p += len)
		if ((p == c->booted || p[-1] == ' ') && (!p[len] || p[len] == ' '))
			return true;
	return false;
}

static void print_reason(const char *reason)
{
	while (*reason) {
		int len = strcspn(reason, "\n");

		cmd_print("    %.*s\n", len, reason);
		reason += len + !!reason[len];
	}
}

static void print_reasons(const struct oops_cmdline_args *c)
{
	struct buf word = {0};
	const char *reason;

	cmd_print("# for %s, %" PRIu64 " CPU%s, %" PRIu64 " MiB of memory\n", c->m.release,
		  c->m.cpus, c->m.cpus == 1 ? "" : "s", c->m.memory >> 20);
	for (size_t i = 0; boot_argument_next(&c->m, &i, &word, &reason);) {
		cmd_print("%s\n", word.data);
		if (is_booted_with(c, word.data))
			print_reason("This boot already has it.");
		print_reason(reason);
	}
	buf_release(&word);
}

const struct opt oops_cmdline_options[] = {
	MACHINE_OPT_BUFFER,
	{ '1', "line", NULL, "print only the arguments, in one line", opt_flag,
	  offsetof(struct oops_cmdline_args, line) },
	MACHINE_OPTS_OTHER,
	OPT_END
};

int oops_cmdline(const struct cmd *self, int argc, char **argv)
{
	struct oops_cmdline_args c = { .m.cpu_kb = BOOT_CPU_KB };
	struct ftr_error err = {0};
	struct buf line = {0};
	int status, first = cmd_parse(self, argc, argv, &c, &status);

	if (first < 0)
		return status;
	if (first < argc) {
		err_set(&err, FTR_USAGE, "unexpected word '%s'", argv[first]);
		err_hint(&err, "--kernel, --cpus and --memory describe another machine");
		return cmd_fail(&err);
	}
	if (!*c.m.release && !c.m.cpus && !c.m.memory)
		c.booted = io_line_at(AT_FDCWD, "/proc/cmdline");
	if (boot_machine_complete(&c.m, &err)) {
		status = cmd_fail(&err);
	} else if (c.line) {
		boot_arguments_line(&c.m, &line);
		cmd_print("%s\n", line.data);
	} else {
		print_reasons(&c);
	}
	buf_release(&line);
	free(c.booted);
	return status;
}

/* --- install */

struct oops_install_args {
	struct boot_machine m;		/* first: MACHINE_OPTS_OTHER */
	const char *root;
	bool print_only, force, quiet;
};

#define OPT_ROOT									\
	{ 0, "root", "DIR", "take DIR as /, as for an image of a disk", opt_str,	\
	  offsetof(struct oops_install_args, root) }
#define OPT_QUIET									\
	{ 'q', "quiet", NULL, "print errors and warnings only", cmd_set_quiet,		\
	  offsetof(struct oops_install_args, quiet) }

const struct opt oops_install_options[] = {
	{ 'n', "dry-run", NULL, "print the files; write nothing", opt_flag,
	  offsetof(struct oops_install_args, print_only) },
	{ 0, "force", NULL, "overwrite files that have other content", opt_flag,
	  offsetof(struct oops_install_args, force) },
	OPT_ROOT,
	MACHINE_OPT_BUFFER,
	OPT_QUIET,
	MACHINE_OPTS_OTHER,
	OPT_END
};

const struct opt oops_uninstall_options[] = {
	{ 0, "force", NULL, "remove files even if they were changed", opt_flag,
	  offsetof(struct oops_install_args, force) },
	OPT_ROOT,
	OPT_QUIET,
	OPT_END
};

/* Returns DIR of --root without the slashes at its end, "" for /. The caller frees. */
static char *make_root(const struct oops_install_args *in)
{
	char *root = xstrdup(in->root ? in->root : "");
	size_t n = strlen(root);

	while (n && root[n - 1] == '/')
		root[--n] = '\0';
	return root;
}

static bool exists_below(const char *root, const char *path)
{
	char *full = xasprintf("%s%s", root, path);
	bool there = !access(full, F_OK);

	free(full);
	return there;
}

static bool has_systemd_boot(const char *root)
{
	static const char *const loader_files[] = {
		"/boot/loader/loader.conf", "/efi/loader/loader.conf",
		"/boot/efi/loader/loader.conf",
	};
	bool any = false;

	for (size_t i = 0; i < sizeof(loader_files) / sizeof(*loader_files); i++)
		any = any || exists_below(root, loader_files[i]);
	return any && !exists_below(root, "/boot/grub/grub.cfg");
}

static void print_next_steps(const struct oops_install_args *in, const char *root)
{
	const char *r = in->m.release;

	if (has_systemd_boot(root)) {
		cmd_notice("next, as systemd-boot does not read the file for GRUB: what 'ftr oops "
			   "cmdline -1' prints goes to the end of the line in /etc/kernel/cmdline "
			   "(where it is missing: of /proc/cmdline)");
		cmd_notice("then: kernel-install add %s /boot/vmlinuz-%s", r, r);
	} else {
		cmd_notice("next: update-grub");
	}
	cmd_notice("then: systemctl daemon-reload; the next boot is armed, but for ftr.oops=off");
}

static void print_files(const struct boot_files *f)
{
	int len;
	for (size_t i = 0; i < BOOT_FILES; i++) {
		const struct boot_file *file = &f->v[i];

		if (file->link) {
			cmd_print("%s%s -> %s\n", f->root, file->path, file->text.data);
			continue;
		}
		cmd_print("%s%s:\n", f->root, file->path);
		for (const char *p = file->text.data; *p; p += len + !!p[len]) {
			len = strcspn(p, "\n");
			cmd_print(len ? "    %.*s\n" : "\n", len, p);
		}
		cmd_print("\n");
	}
}

/* Warns if others can change the program that root runs at each boot. */
static void warn_of_others(void)
{
	char *program = boot_program(NULL);
	struct dir_file p;

	if (program && !place_open(&p, program, NULL)) {
		if (p.foreign)
			cmd_warn("others can change '%s', which root runs at each boot", program);
		place_release(&p);
	}
	free(program);
}

static int write_boot_files(struct oops_install_args *in, const char *root)
{
	struct boot_files f = {0};
	struct ftr_error err = {0};
	int status = FTR_OK;

	if (boot_machine_complete(&in->m, &err) || boot_files_make(&f, root, &in->m, &err)) {
		status = cmd_fail(&err);
		goto out;
	}
	print_files(&f);
	warn_of_others();
	if (in->print_only)
		cmd_notice("nothing was written");
	else if (boot_files_write(&f, in->force, &err))
		status = cmd_fail(&err);
	else
		print_next_steps(in, root);
out:
	boot_files_release(&f);
	return status;
}

/* Parses the options. Returns false if the command must end with *status. */
static bool parse_install(const struct cmd *self, int argc, char **argv,
			  struct oops_install_args *in, int *status)
{
	int first = cmd_parse(self, argc, argv, in, status);

	if (first < 0)
		return false;
	*status = no_operands(self, first, argc, argv);
	return !*status;
}

int oops_install(const struct cmd *self, int argc, char **argv)
{
	struct oops_install_args in = { .m.cpu_kb = BOOT_CPU_KB };
	char *root;
	int status;

	if (!parse_install(self, argc, argv, &in, &status))
		return status;
	root = make_root(&in);
	status = write_boot_files(&in, root);
	free(root);
	return status;
}

/* --- uninstall */

int oops_uninstall(const struct cmd *self, int argc, char **argv)
{
	struct oops_install_args in = {0};
	struct ftr_error err = {0};
	struct strv gone = {0};
	char *root;
	int status;

	if (!parse_install(self, argc, argv, &in, &status))
		return status;
	root = make_root(&in);
	if (boot_files_remove(root, in.force, &gone, &err))
		status = cmd_fail(&err);
	for (size_t i = 0; i < gone.n; i++)
		cmd_notice("removed '%s'", gone.v[i]);
	if (!status && !gone.n)
		cmd_notice("nothing is installed");
	else if (!status && has_systemd_boot(root))
		cmd_notice("next: systemctl daemon-reload; take the words out of "
			   "/etc/kernel/cmdline, then kernel-install add as after install");
	else if (!status)
		cmd_notice("next: systemctl daemon-reload; update-grub");
	strv_release(&gone);
	free(root);
	return status;
}
