/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files that make each boot keep a trace over a crash: arguments for GRUB, units of systemd. */
#include "oops/boot/boot_install.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir_file.h"
#include "base/io.h"
#include "file/read/dat.h"

#define UNITS	"/etc/systemd/system/"
#define COLLECT "ftr-oops-collect.service"
#define ARM	"ftr-oops-arm.service"
/* Both are wanted where a machine does its work, and not where it is mended. */
#define WANTS	UNITS "multi-user.target.wants/"

/* The first line of a file; the sum is that of what follows, so that a change of it is known. */
#define HEAD	 "# Made by 'ftr oops install', removed by 'ftr oops uninstall', sum "
#define SUM_ROOM 17		/* 16 digits and the end of the line */

/* The kernel has no such argument: it is for the units alone. */
#define UNLESS_OFF "ConditionKernelCommandLine=!ftr.oops=off\n"
#define MOUNTS	   "RequiresMountsFor=/sys/kernel/tracing /var/lib/ftr/oops\n"
#define MANUAL	   "Documentation=man:ftr-oops(1)\n"
#define WANTED	   "\n[Install]\nWantedBy=multi-user.target\n"

static void add_grub(struct buf *b, const char *program, const struct boot_machine *m)
{
	(void)program;
	buf_addstr(b, "GRUB_CMDLINE_LINUX_DEFAULT=\"$GRUB_CMDLINE_LINUX_DEFAULT ");
	boot_arguments_line(m, b);
	buf_addstr(b, "\"\n");
}

/* ramoops shows what the boot before left, and takes what this one says when it crashes. */
static void add_collect_unit(struct buf *b, const char *program, const struct boot_machine *m)
{
	(void)m;
	buf_printf(b, "[Unit]\nDescription=Collect the trace of a boot that crashed\n" MANUAL
		   UNLESS_OFF MOUNTS
		   "Wants=modprobe@ramoops.service\n"
		   "After=modprobe@ramoops.service systemd-pstore.service\n"
		   "\n[Service]\nType=oneshot\n"
		   "ExecStart=%s oops collect --if-any\n" WANTED, program);
}

/*
 * It says when it is armed: one that refuses has not been started, so that systemd does not disarm
 * what somebody else has armed. Disarmed before its end, a boot ended in order. Disarming empties
 * the buffer: what an oops stopped, and nobody has collected, is taken before.
 */
static void add_arm_unit(struct buf *b, const char *program, const struct boot_machine *m)
{
	(void)m;
	buf_printf(b, "[Unit]\nDescription=Record a trace that is to survive a crash\n" MANUAL
		   UNLESS_OFF MOUNTS
		   "After=" COLLECT "\n"
		   "\n[Service]\nType=notify\nTimeoutStartSec=5min\n"
		   "ExecStart=%s oops arm --watch\n"
		   "ExecStop=-%s oops collect --if-any\n"
		   "ExecStop=%s oops disarm\n" WANTED, program, program, program);
}

/* A row has what adds its text, or what it leads to. */
static const struct {
	const char *path;
	void (*add)(struct buf *b, const char *program, const struct boot_machine *m);
	const char *leads;
} rows[BOOT_FILES] = {
	{ "/etc/default/grub.d/50-ftr-oops.cfg", add_grub, NULL },
	{ UNITS COLLECT, add_collect_unit, NULL },
	{ UNITS ARM, add_arm_unit, NULL },
	{ WANTS COLLECT, NULL, UNITS COLLECT },
	{ WANTS ARM, NULL, UNITS ARM },
};

/* --- what is in them */

/* What has a meaning in a unit: blanks, quotes, specifiers, variables. */
static bool is_plain(const char *path)
{
	for (const unsigned char *p = (const unsigned char *)path; *p; p++)
		if (*p <= ' ' || *p >= 0x7f || strchr("\"'\\%$;", *p))
			return false;
	return *path == '/';
}

char *boot_program(struct ftr_error *err)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n < 0) {
		err_sys(err, "cannot read '/proc/self/exe'");
		return NULL;
	}
	path[n] = '\0';
	if (is_plain(path) && !access(path, X_OK))
		return xstrdup(path);
	err_set(err, FTR_FAILED, "a systemd unit cannot name this program, '%s'", path);
	err_hint(err, "move it to a folder whose name has no blanks or special characters, as "
		 "/usr/local/bin");
	return NULL;
}

/* Of @text behind its first line. */
static uint64_t sum_of(const char *text, size_t n)
{
	return dat_sum(text, n);
}

static void add_text(struct buf *out, size_t row, const char *program,
		     const struct boot_machine *m)
{
	struct buf body = {0};

	rows[row].add(&body, program, m);
	buf_printf(out, HEAD "%016" PRIx64 "\n", sum_of(body.data, body.len));
	buf_add(out, body.data, body.len);
	buf_release(&body);
}

int boot_files_make(struct boot_files *f, const char *root, const struct boot_machine *m,
		    struct ftr_error *err)
{
	char *program = boot_program(err);

	if (!program)
		return -1;
	f->root = root;
	for (size_t i = 0; i < BOOT_FILES; i++) {
		struct boot_file *file = &f->v[i];

		file->path = rows[i].path;
		file->link = rows[i].leads;
		if (file->link)
			buf_addstr(&file->text, rows[i].leads);
		else
			add_text(&file->text, i, program, m);
	}
	free(program);
	return 0;
}

void boot_files_release(struct boot_files *f)
{
	for (size_t i = 0; i < BOOT_FILES; i++)
		buf_release(&f->v[i].text);
}

/* --- what is there */

struct found {
	enum { FOUND_NONE, FOUND_FILE, FOUND_LINK, FOUND_OTHER } kind;
	struct buf text;	/* of a file, or what a link leads to */
};

/* The folder of @path below @root, held open; -1 with errno ENOENT where there is none. */
static int open_folder(const char *root, const char *path, bool make, struct ftr_error *err)
{
	char *folder = xasprintf("%s%.*s", root, (int)(place_base(path) - path - 1), path);
	struct place p = {0};
	int fd = -1, sys;

	if (make && io_mkdirs(folder, 0755)) {
		err_sys(err, "cannot make the folder '%s'", folder);
	} else if (!place_open(&p, folder, err)) {
		fd = openat(p.dir, p.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			err_sys(err, "cannot open '%s'", folder);
	}
	sys = err->sys;
	place_release(&p);
	free(folder);
	errno = sys;
	return fd;
}

static int read_link(struct found *f, int dir, const char *name)
{
	char to[PATH_MAX];
	ssize_t n = readlinkat(dir, name, to, sizeof(to));

	if (n < 0)
		return -1;
	f->kind = FOUND_LINK;
	buf_add(&f->text, to, n);
	return 0;
}

static int read_file(struct found *f, int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), ret, sys;

	if (fd < 0)
		return -1;
	f->kind = FOUND_FILE;
	ret = io_read_max(fd, 1 << 20, &f->text);
	sys = errno;
	close(fd);
	if (!ret || sys != EFBIG) {
		errno = sys;
		return ret;
	}
	f->kind = FOUND_OTHER;
	return 0;
}

static int find_file(struct found *f, const char *root, const char *path, struct ftr_error *err)
{
	int dir = open_folder(root, path, false, err), ret = 0;
	const char *name = place_base(path);
	struct stat st;

	*f = (struct found){0};
	if (dir < 0)
		return errno == ENOENT ? 0 : -1;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		ret = errno == ENOENT ? 0 : -1;
	else if (S_ISLNK(st.st_mode))
		ret = read_link(f, dir, name);
	else if (S_ISREG(st.st_mode))
		ret = read_file(f, dir, name);
	else
		f->kind = FOUND_OTHER;
	if (ret)
		err_sys(err, "cannot read '%s%s'", root, path);
	close(dir);
	return ret;
}

static bool is_content(const struct found *f, const struct boot_file *file)
{
	return f->kind == (file->link ? FOUND_LINK : FOUND_FILE) && f->text.len == file->text.len &&
	       !memcmp(f->text.data, file->text.data, f->text.len);
}

/* It has its sum, or leads where it was made to. */
static bool is_as_made(const struct found *f, size_t row)
{
	size_t head = strlen(HEAD);
	const char *text = f->text.data;
	uint64_t sum;

	if (rows[row].leads)
		return f->kind == FOUND_LINK && f->text.len == strlen(rows[row].leads) &&
		       !memcmp(text, rows[row].leads, f->text.len);
	if (f->kind != FOUND_FILE || f->text.len < head + SUM_ROOM || memcmp(text, HEAD, head) ||
	    text[head + SUM_ROOM - 1] != '\n')
		return false;
	sum = strtoull(text + head, NULL, 16);
	return sum == sum_of(text + head + SUM_ROOM, f->text.len - head - SUM_ROOM);
}

/* --- writing them */

static int check_others(const struct boot_files *f, struct ftr_error *err)
{
	struct found there;
	int ret = 0;

	for (size_t i = 0; i < BOOT_FILES && !ret; i++) {
		const char *path = f->v[i].path;

		ret = find_file(&there, f->root, path, err);
		if (!ret && there.kind && !is_content(&there, &f->v[i])) {
			ret = err_set(err, FTR_FAILED, "'%s%s' exists with other content",
				      f->root, path);
			err_hint(err, "--force writes over it; 'ftr oops uninstall' removes what "
				 "was installed before");
		}
		buf_release(&there.text);
	}
	return ret;
}

static int write_fresh(int dir, const char *fresh, const struct boot_file *file)
{
	int fd, ret, sys;

	if (file->link)
		return symlinkat(file->text.data, dir, fresh);
	fd = openat(dir, fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	ret = io_write_all(fd, file->text.data, file->text.len) || fchmod(fd, 0644) || fsync(fd) ?
		-1 : 0;
	sys = errno;
	close(fd);
	errno = sys;
	return ret;
}

/* systemd and GRUB take no file whose name begins with a point. */
static int write_file(const char *root, const struct boot_file *file, struct ftr_error *err)
{
	int dir = open_folder(root, file->path, true, err), ret;
	const char *name = place_base(file->path);
	char *fresh;

	if (dir < 0) {
		if (geteuid())
			err_hint(err, "run it as root");
		return -1;
	}
	fresh = xasprintf(".%s.new", name);
	unlinkat(dir, fresh, 0);
	ret = write_fresh(dir, fresh, file) || renameat(dir, fresh, dir, name) || fsync(dir);
	if (ret) {
		err_write(err, "cannot write '%s%s'", root, file->path);
		unlinkat(dir, fresh, 0);
	}
	close(dir);
	free(fresh);
	return ret ? -1 : 0;
}

int boot_files_write(const struct boot_files *f, bool force, struct ftr_error *err)
{
	if (!force && check_others(f, err))
		return -1;
	for (size_t i = 0; i < BOOT_FILES; i++)
		if (write_file(f->root, &f->v[i], err))
			return -1;
	return 0;
}

/* --- taking them away */

static int check_unchanged(const char *root, struct ftr_error *err)
{
	struct found there;
	int ret = 0;

	for (size_t i = 0; i < BOOT_FILES && !ret; i++) {
		ret = find_file(&there, root, rows[i].path, err);
		if (!ret && there.kind && !is_as_made(&there, i)) {
			ret = err_set(err, FTR_FAILED, "'%s%s' was changed since it was installed: "
				      "nothing was removed", root, rows[i].path);
			err_hint(err, "--force removes it as well");
		}
		buf_release(&there.text);
	}
	return ret;
}

/* 1: it was there. */
static int remove_file(const char *root, const char *path, struct ftr_error *err)
{
	int dir = open_folder(root, path, false, err), ret;

	if (dir < 0)
		return errno == ENOENT ? 0 : -1;
	ret = !unlinkat(dir, place_base(path), 0) ? 1 : errno == ENOENT ? 0 : -1;
	if (ret < 0)
		err_sys(err, "cannot remove '%s%s'", root, path);
	if (ret < 0 && err->sys == EACCES)
		err_hint(err, "run it as root");
	close(dir);
	return ret;
}

int boot_files_remove(const char *root, bool force, struct strv *gone, struct ftr_error *err)
{
	if (!force && check_unchanged(root, err))
		return -1;
	/* a link before what it leads to */
	for (size_t i = BOOT_FILES; i-- > 0;) {
		int ret = remove_file(root, rows[i].path, err);

		if (ret < 0)
			return -1;
		if (ret)
			strv_take(gone, xasprintf("%s%s", root, rows[i].path));
	}
	return 0;
}
