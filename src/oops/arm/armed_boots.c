/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Manages the directory for crash data, and the record of each armed boot in it. */
#include "oops/arm/armed_boots.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/now.h"
#include "base/text.h"

#define ARMED ".armed"
#define SKELETON ".front"
#define ID_LEN 36		/* "9f3c7e1a-...": hexadecimal digits and dashes */

enum {
	KEPT_BOOTS = 5,
	LEAST_SECONDS = 2,	/* minimum between the starts of two boots */
};

/* Returns the path; the caller frees. */
static char *oops_dir_path(void)
{
	const char *dir = secure_getenv("FTR_OOPS_DIR");

	return xstrdup(dir && *dir ? dir : "/var/lib/ftr/oops");
}

char *oops_dir(struct ftr_error *err)
{
	char *path = oops_dir_path(), *above = xstrdup(path), *end = strrchr(above, '/');
	struct stat st;
	int ret = 0;

	/* anybody may read the directories above it */
	if (end && end != above) {
		*end = '\0';
		ret = io_mkdirs(above, 0755);
	}
	free(above);
	if (ret || (mkdir(path, 0700) && errno != EEXIST) || lstat(path, &st)) {
		err_sys(err, "cannot make the directory '%s'", path);
		if (geteuid())
			err_hint(err, "run it as root");
	} else if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || st.st_mode & 077) {
		/* the files in it contain addresses of the kernel */
		err_set(err, FTR_FAILED, "'%s' is not a directory of mode 0700 of this user", path);
		err_hint(err, "move it away, or: chown root %s; chmod 700 %s", path, path);
	} else {
		return path;
	}
	free(path);
	return NULL;
}

int oops_dir_lock(void)
{
	char *path = oops_dir_path();
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	free(path);
	while (fd >= 0 && flock(fd, LOCK_EX) && errno == EINTR)
		;
	return fd;
}

static char *read_boot_id(struct ftr_error *err)
{
	char *id = io_line_at(AT_FDCWD, "/proc/sys/kernel/random/boot_id");

	if (!id)
		err_sys(err, "cannot read '/proc/sys/kernel/random/boot_id'");
	return id;
}

char *oops_skeleton_path(struct ftr_error *err)
{
	char *dir = oops_dir(err), *id = dir ? read_boot_id(err) : NULL;
	char *path = id ? xasprintf("%s/%s" SKELETON, dir, id) : NULL;

	free(dir);
	free(id);
	return path;
}

void oops_boot_release(struct oops_boot *b)
{
	free(b->id);
	strv_release(&b->places);
	*b = (struct oops_boot){0};
}

/* --- records */

/* Reads the record of a boot. Returns 1, or 0 if there is none. */
static int read_record(struct oops_boot *b, const char *dir, const char *id)
{
	char *path = xasprintf("%s/%s" ARMED, dir, id);
	struct strv lines = {0};
	struct buf text = {0};
	int found = !io_read_at(AT_FDCWD, path, &text);
	const char *line;
	int64_t nr;
	size_t i;

	*b = (struct oops_boot){ .id = xstrdup(id) };
	if (found && text.len)
		strv_split(&lines, text.data, "\n");
	for (i = 0; i < lines.n; i++) {
		line = lines.v[i];
		if (!strncmp(line, "nr=", 3) && !text_number(line + 3, 0, INT64_MAX, &nr))
			b->nr = nr;
		else if (!strncmp(line, "began=", 6))
			text_number(line + 6, 0, INT64_MAX, &b->began);
		else if (!strcmp(line, "ended=1"))
			b->ended = true;
		else if (!strncmp(line, "place=", 6))
			strv_add(&b->places, line + 6);
	}
	strv_release(&lines);
	buf_release(&text);
	free(path);
	return found;
}

int oops_boot_read_now(struct oops_boot *b)
{
	char *dir = oops_dir_path(), *id = read_boot_id(NULL);
	int found = id && read_record(b, dir, id);

	if (!id)
		*b = (struct oops_boot){0};
	free(dir);
	free(id);
	return found;
}

/* Replaces a file: after a crash in between it is the old one or the new one. */
static int replace_file(const char *dir, const char *path, const struct buf *text)
{
	char *fresh = xasprintf("%s.new", path);
	int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600), sys;
	int ret = fd < 0 || io_write_all(fd, text->data, text->len) || fsync(fd) ? -1 : 0;

	sys = errno;
	if (fd >= 0)
		close(fd);
	errno = sys;
	if (!ret)
		ret = rename(fresh, path);
	if (!ret) {
		fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		ret = fd < 0 ? -1 : fsync(fd);
		if (fd >= 0)
			close(fd);
	}
	free(fresh);
	return ret;
}

int oops_boot_write(const struct oops_boot *b, struct ftr_error *err)
{
	char *dir = oops_dir(err), *path;
	struct buf text = {0};
	size_t i;
	int ret;

	if (!dir)
		return -1;
	path = xasprintf("%s/%s" ARMED, dir, b->id);
	buf_printf(&text, "nr=%" PRIu64 "\nbegan=%" PRId64 "\n%s", b->nr, b->began,
		   b->ended ? "ended=1\n" : "");
	for (i = 0; i < b->places.n; i++)
		buf_printf(&text, "place=%s\n", b->places.v[i]);
	ret = replace_file(dir, path, &text);
	if (ret)
		err_sys(err, "cannot write '%s'", path);
	buf_release(&text);
	free(path);
	free(dir);
	return ret;
}

/* --- all records */

struct oops_boots {
	struct oops_boot *v;
	size_t n, cap;
};

static int by_number(const void *a, const void *b)
{
	const struct oops_boot *x = a, *y = b;

	if (x->nr != y->nr)
		return x->nr > y->nr ? -1 : 1;
	if (x->began != y->began)
		return x->began > y->began ? -1 : 1;
	return strcmp(x->id, y->id);
}

/* Reads all records, the newest first. */
static void read_boots(struct oops_boots *all, const char *dir)
{
	size_t n, end = strlen(ARMED);
	DIR *d = opendir(dir);
	struct dirent *e;
	char *id;

	while (d && (e = readdir(d))) {
		n = strlen(e->d_name);
		if (n != ID_LEN + end || strcmp(e->d_name + ID_LEN, ARMED) ||
		    strspn(e->d_name, "0123456789abcdef-") < ID_LEN)
			continue;
		all->v = xgrow(all->v, &all->cap, all->n + 1, sizeof(*all->v));
		id = xstrndup(e->d_name, ID_LEN);
		if (read_record(&all->v[all->n], dir, id))
			all->n++;
		else
			oops_boot_release(&all->v[all->n]);
		free(id);
	}
	if (d)
		closedir(d);
	if (all->n)
		qsort(all->v, all->n, sizeof(*all->v), by_number);
}

static void release_boots(struct oops_boots *all)
{
	size_t i;

	for (i = 0; i < all->n; i++)
		oops_boot_release(&all->v[i]);
	free(all->v);
}

int oops_boot_now(struct oops_boot *b, struct ftr_error *err)
{
	char *dir = oops_dir_path();
	struct oops_boots all = {0};

	*b = (struct oops_boot){ .id = read_boot_id(err), .nr = 1 };
	b->began = time(NULL) - clock_ns(CLOCK_BOOTTIME) / 1000000000;
	if (b->id)
		read_boots(&all, dir);
	if (all.n)
		b->nr = all.v[0].nr + !!strcmp(all.v[0].id, b->id);
	release_boots(&all);
	free(dir);
	return b->id ? 0 : -1;
}

uint64_t oops_boot_nr(const char *dir, const char *id)
{
	struct oops_boot b;
	uint64_t nr = read_record(&b, dir, id) ? b.nr : 0;

	oops_boot_release(&b);
	return nr;
}

unsigned int oops_short_boots(void)
{
	char *dir = oops_dir_path();
	struct oops_boots all = {0};
	struct oops_boot now;
	unsigned int n = 0;
	int64_t next, lasted;
	size_t i;

	if (oops_boot_now(&now, NULL))
		goto out;
	next = now.began;
	read_boots(&all, dir);
	for (i = 0; i < all.n; i++) {
		const struct oops_boot *b = &all.v[i];

		if (!strcmp(b->id, now.id))
			continue;
		lasted = next - b->began;
		if (b->ended || lasted < LEAST_SECONDS || lasted >= OOPS_SHORT_SECONDS)
			break;
		next = b->began;
		n++;
	}
	release_boots(&all);
	oops_boot_release(&now);
out:
	free(dir);
	return n;
}

void oops_boots_prune(void)
{
	char *dir = oops_dir_path(), *path;
	static const char *const kinds[] = { ARMED, SKELETON };
	struct oops_boots all = {0};
	size_t i, k;

	read_boots(&all, dir);
	for (i = KEPT_BOOTS; i < all.n; i++)
		for (k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
			path = xasprintf("%s/%s%s", dir, all.v[i].id, kinds[k]);
			unlink(path);
			free(path);
		}
	release_boots(&all);
	free(dir);
}
