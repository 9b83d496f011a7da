/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes each boot keep a trace over a crash: the kernel's boot arguments, and the files with them
 * for GRUB, and with the units of systemd.
 */
#include "oops/boot/boot_install.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/dir_file.h"
#include "base/io.h"
#include "base/limits.h"
#include "base/text.h"
#include "file/read/dat.h"

/* --- boot arguments */

#define KERNEL(major, minor)	((major) * 10000u + (minor))
#define MIB			((uint64_t)1 << 20)
/* reserve_mem= came in 6.12. Earlier kernels have only memmap=, which needs a known address. */
#define HAS_RESERVE_MEM		KERNEL(6, 12)
#define FOREVER			UINT32_MAX

#define TRACE_LABEL	"ftr-trace"	/* 15 characters at most: RESERVE_MEM_NAME_SIZE */
#define LOG_LABEL	"ftr-log"
#define LOG_BYTES	MIB
#define LOG_RECORD	(128u << 10)	/* all of the kernel's log, as Debian builds it */
/*
 * The lines of a CPU in a dump of 64 KiB of records: some 1,600, each with the prefix of printk().
 */
#define DUMP_BYTES	(256u << 10)
#define MEMORY_SHARE	8		/* a buffer may use one of so many bytes of memory */

/*
 * Returns the size of the memory for the trace. The kernel takes whole sub-buffers, and metadata of
 * each CPU, out of it: both are added.
 */
static uint64_t trace_mib(const struct boot_machine *m)
{
	return (m->cpus * (m->cpu_kb + 16) * 1024 + MIB - 1) / MIB + 1;
}

static void add_trace_memory(struct buf *b, const struct boot_machine *m)
{
	buf_printf(b, "reserve_mem=%" PRIu64 "M:4096:" TRACE_LABEL, trace_mib(m));
}

static void add_trace_instance(struct buf *b, const struct boot_machine *m)
{
	(void)m;
	buf_addstr(b, "trace_instance=ftr-oops^traceoff@" TRACE_LABEL);
}

static void add_backup(struct buf *b, const struct boot_machine *m)
{
	(void)m;
	buf_addstr(b, "trace_instance=ftr-backup=ftr-oops");
}

static void add_log_memory(struct buf *b, const struct boot_machine *m)
{
	(void)m;
	buf_printf(b, "reserve_mem=%" PRIu64 "M:4096:" LOG_LABEL, LOG_BYTES / MIB);
}

static void add_ramoops(struct buf *b, const struct boot_machine *m)
{
	(void)m;
	buf_printf(b, "ramoops.mem_name=" LOG_LABEL " ramoops.record_size=%u", LOG_RECORD);
}

static void add_log_size(struct buf *b, const struct boot_machine *m)
{
	uint64_t bytes = 1;

	while (bytes < m->cpus * DUMP_BYTES + LOG_RECORD)
		bytes <<= 1;
	buf_printf(b, "log_buf_len=%" PRIu64 "K", bytes / 1024);
}

static void add_panic(struct buf *b, const struct boot_machine *m)
{
	(void)m;
	buf_addstr(b, "panic=10");
}

static const struct boot_argument {
	uint32_t from, to;		/* versions: from <= kernel < to */
	void   (*add)(struct buf *b, const struct boot_machine *m);
	const char *reason;
} arguments[] = {
	{ HAS_RESERVE_MEM, FOREVER, add_trace_memory,
	  "Memory that the next boot leaves alone, for the trace. A loss of power clears it.\n"
	  "Where KASLR moves the kernel into it, the next boot discards the trace: nokaslr\n"
	  "avoids that, and takes a protection away." },
	{ HAS_RESERVE_MEM, FOREVER, add_trace_instance,
	  "The instance in that memory. It is off after a boot, so that its data is not\n"
	  "overwritten before it is read." },
	{ KERNEL(7, 2), FOREVER, add_backup,
	  "A copy of the trace of the previous boot: the buffer itself may record again at once." },
	{ HAS_RESERVE_MEM, FOREVER, add_log_memory,
	  "Memory for the text of the oops." },
	{ HAS_RESERVE_MEM, FOREVER, add_ramoops,
	  "The module ramoops writes the kernel's log there when it crashes, and shows it in\n"
	  "/sys/fs/pstore after the next boot. It has to be loaded: a line 'ramoops' in a file of\n"
	  "/etc/modules-load.d." },
	{ 0, HAS_RESERVE_MEM, add_log_size,
	  "No memory outlives a boot of this kernel: a buffer in it needs Linux 6.12. The trace\n"
	  "is printed to the console when the kernel crashes, through the kernel's log, which is\n"
	  "too small: the oops would be pushed out of it." },
	{ 0, FOREVER, add_panic,
	  "A machine that panics boots again after 10 seconds. Without it somebody has to switch\n"
	  "it off, which clears its memory." },
};

uint32_t boot_kernel_of(const char *release)
{
	unsigned int major, minor;

	if (sscanf(release, "%u.%u", &major, &minor) != 2 || major > 999 || minor > 9999)
		return 0;
	return KERNEL(major, minor);
}

int boot_machine_complete(struct boot_machine *m, struct ftr_error *err)
{
	uint64_t bits[LIMIT_CPUS / 64], cpu;
	struct utsname u;
	char *list;

	if (!*m->release && !uname(&u))
		snprintf(m->release, sizeof(m->release), "%s", u.release);
	m->kernel = boot_kernel_of(m->release);
	if (!m->cpus) {
		/* every number below nr_cpu_ids gets a buffer, even if there is no such CPU */
		m->cpus = 1;
		list = io_line_at(AT_FDCWD, "/sys/devices/system/cpu/possible");
		if (list && !text_cpulist(list, bits, LIMIT_CPUS))
			for (cpu = 0; cpu < LIMIT_CPUS; cpu++)
				if (bits[cpu / 64] >> cpu % 64 & 1)
					m->cpus = cpu + 1;
		free(list);
	}
	if (!m->memory)
		m->memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
	if (m->kernel < HAS_RESERVE_MEM || trace_mib(m) <= m->memory / MIB / MEMORY_SHARE)
		return 0;
	err_set(err, FTR_FAILED, "a trace of %" PRIu64 " MiB is more than an eighth of the memory, "
		"%" PRIu64 " MiB", trace_mib(m), m->memory / MIB);
	return err_hint(err, "-b sets the KiB of each CPU, %" PRIu64 " now", m->cpu_kb);
}

bool boot_argument_next(const struct boot_machine *m, size_t *i, struct buf *word,
			const char **reason)
{
	while (*i < sizeof(arguments) / sizeof(*arguments)) {
		const struct boot_argument *a = &arguments[(*i)++];

		if (m->kernel < a->from || m->kernel >= a->to)
			continue;
		buf_reset(word);
		a->add(word, m);
		*reason = a->reason;
		return true;
	}
	return false;
}

void boot_arguments_line(const struct boot_machine *m, struct buf *out)
{
	struct buf word = {0};
	const char *reason, *before = "";

	for (size_t i = 0; boot_argument_next(m, &i, &word, &reason); before = " ")
		buf_printf(out, "%s%s", before, word.data);
	buf_release(&word);
}

/* --- the contents of the files */

#define UNITS	"/etc/systemd/system/"
#define COLLECT "ftr-oops-collect.service"
#define ARM	"ftr-oops-arm.service"
/* Both run on a machine in normal operation, not in rescue mode. */
#define WANTS	UNITS "multi-user.target.wants/"

/* The first line of a file. The sum of the other lines shows whether the file was changed. */
#define HEAD	 "# Made by 'ftr oops install', removed by 'ftr oops uninstall', sum "
#define SUM_ROOM 17		/* 16 digits and the end of the line */

/* An argument only for the units: the kernel ignores it. */
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

/* ramoops shows the log of the boot before, and records the log of this boot when it crashes. */
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
 * The unit notifies systemd when it is armed: a unit that refuses was not started, so that systemd
 * does not disarm what somebody else has armed. A boot that was disarmed ended in order. Disarming
 * empties the buffer, so data that an oops has stopped is collected before.
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

/* A row has the function that adds its text, or the target of a link. */
static const struct {
	const char *path;
	void (*add)(struct buf *b, const char *program, const struct boot_machine *m);
	const char *target;
} rows[BOOT_FILES] = {
	{ "/etc/default/grub.d/50-ftr-oops.cfg", add_grub, NULL },
	{ UNITS COLLECT, add_collect_unit, NULL },
	{ UNITS ARM, add_arm_unit, NULL },
	{ WANTS COLLECT, NULL, UNITS COLLECT },
	{ WANTS ARM, NULL, UNITS ARM },
};

/* Returns false for characters with a meaning in a unit: blanks, quotes, specifiers, variables. */
static bool is_plain_path(const char *path)
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
	if (is_plain_path(path) && !access(path, X_OK))
		return xstrdup(path);
	err_set(err, FTR_FAILED, "a systemd unit cannot name this program, '%s'", path);
	err_hint(err, "move it to a directory whose name has no blanks or special characters, as "
		 "/usr/local/bin");
	return NULL;
}

int boot_files_make(struct boot_files *f, const char *root, const struct boot_machine *m,
		    struct ftr_error *err)
{
	char *program = boot_program(err);
	struct buf body = {0};

	if (!program)
		return -1;
	f->root = root;
	for (size_t i = 0; i < BOOT_FILES; i++) {
		struct boot_file *file = &f->v[i];

		file->path = rows[i].path;
		file->link = rows[i].target;
		if (file->link) {
			buf_addstr(&file->text, rows[i].target);
			continue;
		}
		rows[i].add(&body, program, m);
		buf_printf(&file->text, HEAD "%016" PRIx64 "\n", dat_sum(body.data, body.len));
		buf_add(&file->text, body.data, body.len);
		buf_release(&body);
	}
	free(program);
	return 0;
}

void boot_files_release(struct boot_files *f)
{
	for (size_t i = 0; i < BOOT_FILES; i++)
		buf_release(&f->v[i].text);
}

/* --- existing files */

struct existing_file {
	enum { FOUND_NONE, FOUND_FILE, FOUND_LINK, FOUND_OTHER } kind;
	struct buf text;	/* the text of a file, or the target of a link */
};

/* Opens the directory of @path below @root. Returns -1, with errno ENOENT if there is none. */
static int open_directory(const char *root, const char *path, bool make, struct ftr_error *err)
{
	char *dir = xasprintf("%s%.*s", root, (int)(place_base(path) - path - 1), path);
	struct dir_file p = {0};
	int fd = -1, sys;

	if (make && io_mkdirs(dir, 0755)) {
		err_sys(err, "cannot make the directory '%s'", dir);
	} else if (!place_open(&p, dir, err)) {
		fd = openat(p.dir, p.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			err_sys(err, "cannot open '%s'", dir);
	}
	sys = err->sys;
	place_release(&p);
	free(dir);
	errno = sys;
	return fd;
}

/* Reads a file. If it has more than 1 MiB it is FOUND_OTHER. Returns 0, or -1 with errno. */
static int read_file(struct existing_file *f, int dir, const char *name)
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

static int find_file(struct existing_file *f, const char *root, const char *path,
		     struct ftr_error *err)
{
	int dir = open_directory(root, path, false, err), ret = 0;
	const char *name = place_base(path);
	char target[PATH_MAX];
	struct stat st;
	ssize_t n;

	*f = (struct existing_file){0};
	if (dir < 0)
		return errno == ENOENT ? 0 : -1;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW)) {
		ret = errno == ENOENT ? 0 : -1;
	} else if (S_ISLNK(st.st_mode)) {
		n = readlinkat(dir, name, target, sizeof(target));
		ret = n < 0 ? -1 : 0;
		if (!ret) {
			f->kind = FOUND_LINK;
			buf_add(&f->text, target, n);
		}
	} else if (S_ISREG(st.st_mode)) {
		ret = read_file(f, dir, name);
	} else {
		f->kind = FOUND_OTHER;
	}
	if (ret)
		err_sys(err, "cannot read '%s%s'", root, path);
	close(dir);
	return ret;
}

/* --- writing */

/*
 * Writes a file under a temporary name, and renames it. systemd and GRUB ignore files whose name
 * starts with a dot.
 */
static int write_file(const char *root, const struct boot_file *file, struct ftr_error *err)
{
	int dir = open_directory(root, file->path, true, err), fd, ret, sys;
	const char *name = place_base(file->path);
	char *fresh;

	if (dir < 0) {
		if (geteuid())
			err_hint(err, "run it as root");
		return -1;
	}
	fresh = xasprintf(".%s.new", name);
	unlinkat(dir, fresh, 0);
	if (file->link) {
		ret = symlinkat(file->text.data, dir, fresh);
	} else {
		fd = openat(dir, fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		ret = fd < 0 || io_write_all(fd, file->text.data, file->text.len) ||
		      fchmod(fd, 0644) || fsync(fd);
		sys = errno;
		if (fd >= 0)
			close(fd);
		errno = sys;
	}
	ret = ret || renameat(dir, fresh, dir, name) || fsync(dir);
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
	struct existing_file there;
	int ret = 0;

	for (size_t i = 0; i < BOOT_FILES && !force && !ret; i++) {
		const struct boot_file *file = &f->v[i];
		bool same;

		ret = find_file(&there, f->root, file->path, err);
		same = there.kind == (file->link ? FOUND_LINK : FOUND_FILE) &&
		       there.text.len == file->text.len &&
		       !memcmp(there.text.data, file->text.data, file->text.len);
		if (!ret && there.kind && !same) {
			ret = err_set(err, FTR_FAILED, "'%s%s' exists with other content",
				      f->root, file->path);
			err_hint(err, "--force writes over it; 'ftr oops uninstall' removes the "
				 "files that are installed");
		}
		buf_release(&there.text);
	}
	for (size_t i = 0; i < BOOT_FILES && !ret; i++)
		ret = write_file(f->root, &f->v[i], err);
	return ret;
}

/* --- removing */

/* Returns true if the file has its sum, or the link its target. */
static bool is_unchanged(const struct existing_file *f, size_t row)
{
	size_t head = strlen(HEAD);
	const char *text = f->text.data, *target = rows[row].target;
	uint64_t sum;

	if (target)
		return f->kind == FOUND_LINK && f->text.len == strlen(target) &&
		       !memcmp(text, target, f->text.len);
	if (f->kind != FOUND_FILE || f->text.len < head + SUM_ROOM || memcmp(text, HEAD, head) ||
	    text[head + SUM_ROOM - 1] != '\n')
		return false;
	sum = strtoull(text + head, NULL, 16);
	return sum == dat_sum(text + head + SUM_ROOM, f->text.len - head - SUM_ROOM);
}

/* Removes a file. Returns 1 if it existed, 0 if not, -1 with @err. */
static int remove_file(const char *root, const char *path, struct ftr_error *err)
{
	int dir = open_directory(root, path, false, err), ret;

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
	struct existing_file there;
	int ret = 0;

	for (size_t i = 0; i < BOOT_FILES && !force && !ret; i++) {
		ret = find_file(&there, root, rows[i].path, err);
		if (!ret && there.kind && !is_unchanged(&there, i)) {
			ret = err_set(err, FTR_FAILED, "'%s%s' was changed since it was installed: "
				      "nothing was removed", root, rows[i].path);
			err_hint(err, "--force removes it as well");
		}
		buf_release(&there.text);
	}
	/* links before their targets */
	for (size_t i = BOOT_FILES; !ret && i-- > 0;) {
		ret = remove_file(root, rows[i].path, err);
		if (ret > 0) {
			strv_take(gone, xasprintf("%s%s", root, rows[i].path));
			ret = 0;
		}
	}
	return ret;
}
