/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr oops install, uninstall: each boot keeps a trace over a crash, and collects it. */
#include "oops/boot/boot_install.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/dir_file.h"
#include "cmd/frame/buffer_options.h"
#include "cmd/oops/oops_machine.h"
#include "cmd/oops/oops_verbs.h"

struct install {
	struct boot_machine m;		/* first: the rows of oops_machine.h */
	const char *root;
	bool print_only, force, quiet;
};

#define OPT_ROOT									\
	{ 0, "root", "DIR", "take DIR as /, as for an image of a disk", opt_str,	\
	  offsetof(struct install, root) }
#define OPT_QUIET									\
	{ 'q', "quiet", NULL, "print errors and warnings only", cmd_set_quiet,		\
	  offsetof(struct install, quiet) }

const struct opt oops_install_options[] = {
	{ 'n', "dry-run", NULL, "print the files; write nothing", opt_flag,
	  offsetof(struct install, print_only) },
	{ 0, "force", NULL, "overwrite files that have other content", opt_flag,
	  offsetof(struct install, force) },
	OPT_ROOT,
	MACHINE_OPT_BUFFER,
	OPT_QUIET,
	MACHINE_OPTS_OTHER,
	OPT_END
};

const struct opt oops_uninstall_options[] = {
	{ 0, "force", NULL, "remove files even if they were changed", opt_flag,
	  offsetof(struct install, force) },
	OPT_ROOT,
	OPT_QUIET,
	OPT_END
};

/* Below DIR: its name without the slashes at its end, "" for /. The caller frees. */
static char *root_of(const struct install *in)
{
	char *root = xstrdup(in->root ? in->root : "");
	size_t n = strlen(root);

	while (n && root[n - 1] == '/')
		root[--n] = '\0';
	return root;
}

static bool is_there(const char *root, const char *path)
{
	char *full = xasprintf("%s%s", root, path);
	bool there = !access(full, F_OK);

	free(full);
	return there;
}

/* --- what is next */

static bool has_systemd_boot(const char *root)
{
	static const char *const made_by_it[] = {
		"/boot/loader/loader.conf", "/efi/loader/loader.conf",
		"/boot/efi/loader/loader.conf",
	};
	bool any = false;

	for (size_t i = 0; i < sizeof(made_by_it) / sizeof(*made_by_it); i++)
		any = any || is_there(root, made_by_it[i]);
	return any && !is_there(root, "/boot/grub/grub.cfg");
}

static void say_next(const struct install *in, const char *root)
{
	const char *r = in->m.release;

	if (has_systemd_boot(root)) {
		cmd_say("next, as systemd-boot does not read the file for GRUB: what 'ftr oops "
			"cmdline -1' prints goes to the end of the line in /etc/kernel/cmdline "
			"(where it is missing: of /proc/cmdline)");
		cmd_say("then: kernel-install add %s /boot/vmlinuz-%s", r, r);
	} else {
		cmd_say("next: update-grub");
	}
	cmd_say("then: systemctl daemon-reload; the next boot is armed, but for ftr.oops=off");
}

/* --- install */

static void print_text(const char *text)
{
	while (*text) {
		int len = strcspn(text, "\n");

		cmd_print(len ? "    %.*s\n" : "\n", len, text);
		text += len + !!text[len];
	}
}

static void print_files(const struct boot_files *f)
{
	for (size_t i = 0; i < BOOT_FILES; i++) {
		const struct boot_file *file = &f->v[i];

		if (file->link) {
			cmd_print("%s%s -> %s\n", f->root, file->path, file->text.data);
			continue;
		}
		cmd_print("%s%s:\n", f->root, file->path);
		print_text(file->text.data);
		cmd_print("\n");
	}
}

/* What root runs at each boot. */
static void warn_of_others(void)
{
	char *program = boot_program(NULL);
	struct place p;

	if (program && !place_open(&p, program, NULL)) {
		if (p.foreign)
			cmd_warn("others can change '%s', which root runs at each boot", program);
		place_release(&p);
	}
	free(program);
}

static int install_files(struct install *in, const char *root)
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
		cmd_say("nothing was written");
	else if (boot_files_write(&f, in->force, &err))
		status = cmd_fail(&err);
	else
		say_next(in, root);
out:
	boot_files_release(&f);
	return status;
}

/* Whether to go on; else *status is what to end with. */
static bool parse_install(const struct cmd *self, int argc, char **argv, struct install *in,
			  int *status)
{
	int first = cmd_parse(self, argc, argv, in, status);

	if (first < 0)
		return false;
	*status = no_operands(self, first, argc, argv);
	return !*status;
}

int oops_install(const struct cmd *self, int argc, char **argv)
{
	struct install in = { .m.cpu_kb = BOOT_CPU_KB };
	char *root;
	int status;

	if (!parse_install(self, argc, argv, &in, &status))
		return status;
	root = root_of(&in);
	status = install_files(&in, root);
	free(root);
	return status;
}

/* --- uninstall */

int oops_uninstall(const struct cmd *self, int argc, char **argv)
{
	struct install in = {0};
	struct ftr_error err = {0};
	struct strv gone = {0};
	char *root;
	int status;

	if (!parse_install(self, argc, argv, &in, &status))
		return status;
	root = root_of(&in);
	if (boot_files_remove(root, in.force, &gone, &err))
		status = cmd_fail(&err);
	for (size_t i = 0; i < gone.n; i++)
		cmd_say("removed '%s'", gone.v[i]);
	if (!status && !gone.n)
		cmd_say("nothing is installed");
	else if (!status && has_systemd_boot(root))
		cmd_say("next: systemctl daemon-reload; take the words out of /etc/kernel/cmdline, "
			"then kernel-install add as after install");
	else if (!status)
		cmd_say("next: systemctl daemon-reload; update-grub");
	strv_release(&gone);
	free(root);
	return status;
}
