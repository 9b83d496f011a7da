/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens and closes trace.dat files: standard input, the initial header, the kinds of other files,
 * what both versions share, look-ups.
 */
#include "file/read/dat.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/search.h"
#include "file/read/dat_priv.h"

static const struct foreign_file {
	const char *bytes;
	size_t n;
	const char *what;
	const char *hint;		/* a format with the path */
} table[] = {
	{ "\x1f\x8b", 2, "is compressed with gzip", "gzip -dc '%s' > trace.dat" },
	{ "\xfd" "7zXZ", 5, "is compressed with xz", "xz -dc '%s' > trace.dat" },
	{ "\x28\xb5\x2f\xfd", 4, "is compressed with zstd", "zstd -dc '%s' > trace.dat" },
	{ "BZh", 3, "is compressed with bzip2", "bzip2 -dc '%s' > trace.dat" },
	{ "\x04\x22\x4d\x18", 4, "is compressed with lz4", "lz4 -dc '%s' > trace.dat" },
	{ "PERFILE2", 8, "is data of perf", "perf script -i '%s'" },
	{ "2ELIFREP", 8, "is data of perf, of a machine of the other byte order",
	  "perf script -i '%s'" },
	{ "Ftrace!", 7, "is data of uftrace", "uftrace replay -d the directory of '%s'" },
	{ "KDUMP   ", 8, "is a dump of a kernel's memory", "crash VMLINUX '%s'" },
	{ "\x7f" "ELF", 4, "is an ELF file: a program, or a dump of memory",
	  "a trace in a kernel's dump: crash VMLINUX '%s'" },
	{ "# tracer: ", 10, "is a trace as the kernel prints it, which is text already",
	  "less '%s'" },
};

static const struct foreign_file *find_foreign(const void *bytes, size_t n)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (n >= table[i].n && !memcmp(bytes, table[i].bytes, table[i].n))
			return &table[i];
	return NULL;
}

static int report_foreign(const char *path, const void *bytes, size_t n, struct ftr_error *err)
{
	const struct foreign_file *f = find_foreign(bytes, n);

	if (f) {
		err_set(err, FTR_FAILED, "'%s' is not a trace file: it %s", path, f->what);
		return err_hint(err, f->hint, path);
	}
	err_set(err, FTR_FAILED, "'%s' is not a trace file (no trace.dat magic)", path);
	return err_hint(err, "files of 'ftr record' and 'trace-cmd record' can be read");
}

#define STDIN_BLOCK (256u << 10)

/* The process at the other end of a pipe may have made it non-blocking. */
static ssize_t read_stdin(void *mem, size_t n)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	ssize_t got;

	while ((got = read(STDIN_FILENO, mem, n)) < 0 && (errno == EINTR || errno == EAGAIN))
		poll(&p, 1, -1);
	return got;
}

/* Copies standard input to a file without a name. Returns its descriptor, or -1 with @err. */
static int copy_stdin(struct ftr_error *err)
{
	static bool taken;
	uint8_t *mem;
	ssize_t got;
	int fd, ret = 0;

	if (taken) {
		err_set(err, FTR_USAGE, "standard input was read already");
		return err_hint(err, "give '-' once");
	}
	taken = true;
	fd = io_unnamed();
	if (fd < 0) {
		err_sys(err, "cannot create a file in '%s'", io_tmpdir());
		return err_hint(err, "standard input is kept there; TMPDIR names another "
				"directory");
	}
	mem = xmalloc(STDIN_BLOCK);
	while (!ret && (got = read_stdin(mem, STDIN_BLOCK))) {
		if (got < 0) {
			ret = err_sys(err, "cannot read standard input");
		} else if (io_write_all(fd, mem, got)) {
			ret = err_sys(err, "cannot keep standard input in '%s'", io_tmpdir());
			err_hint(err, "TMPDIR names another directory");
		}
	}
	free(mem);
	if (!ret)
		return fd;
	close(fd);
	return -1;
}

#define MAGIC_BYTES      10
#define KEPT_FDS	 512	/* a process has 1,024, and ftr merges any number of files */
#define FIXED_HEADER_END (MAGIC_BYTES + 2 + 1 + 1 + 4)	/* version, byte order, long, page size */

static const char magic[] = "\x17\x08\x44tracing";

bool dat_is_binary(const void *head, size_t len)
{
	const struct foreign_file *f = find_foreign(head, len);
	size_t right = 0;

	if (f)
		return *f->bytes != '#';
	for (size_t i = 0; i < MAGIC_BYTES && i < len; i++)
		right += ((const char *)head)[i] == magic[i];
	return right > MAGIC_BYTES / 2;
}

struct dat_blob dat_src_blob(const struct dat_src *src, const uint8_t *p, uint64_t n)
{
	uint64_t off = src->off + (src->unpacked ? 0 : p - src->c.base);

	return (struct dat_blob){ .p = (const char *)p, .len = n, .off = off };
}

void dat_add_option_entry(struct dat *d, uint16_t id, struct dat_blob data)
{
	struct dat_priv *p = d->priv;

	if (d->nr_options >= LIMIT_OPTIONS) {
		damage_note(&d->damages, "too many options", d->path, data.off, -1,
			    "more than %d", LIMIT_OPTIONS);
		return;
	}
	d->options = xgrow(d->options, &p->cap_options, d->nr_options + 1, sizeof(*d->options));
	d->options[d->nr_options++] = (struct dat_option){ .id = id, .data = data };
	if (id < DAT_FIRST_IDS && !p->first_option[id])
		p->first_option[id] = d->nr_options;
}

bool dat_may_add_buffer(struct dat *d, uint64_t off)
{
	if (d->nr_buffers < LIMIT_BUFFERS)
		return true;
	damage_note(&d->damages, "too many instances", d->path, off, -1, "more than %d",
		    LIMIT_BUFFERS);
	return false;
}

struct dat_buffer *dat_add_buffer(struct dat *d, const char *name, const char *clock, uint64_t at)
{
	size_t len = strnlen(name, LIMIT_NAME + 1);
	struct dat_buffer *b;

	if (len > LIMIT_NAME)
		damage_note(&d->damages, "name of an instance is too long", d->path, at, -1,
			    "more than %d bytes", LIMIT_NAME);
	d->buffers =
		xgrow(d->buffers, &d->priv->cap_buffers, d->nr_buffers + 1, sizeof(*d->buffers));
	b = &d->buffers[d->nr_buffers++];
	*b = (struct dat_buffer){
		.name = xstrndup(name, LIMIT_NAME),
		.clock = dat_clock_name(clock, strlen(clock)),
	};
	return b;
}

void dat_set_layout(struct dat *d, struct dat_buffer *b, uint32_t subbuf_size)
{
	const struct dat_blob *hp = &d->header_page;

	if (hp->len <= LIMIT_HEADER_PAGE &&
	    !ring_layout_parse(&b->layout, hp->p, hp->len, d->big, d->long_size, subbuf_size))
		return;
	damage_note(&d->damages, "header_page makes no sense", d->path, hp->off, -1, NULL);
	ring_layout_parse(&b->layout, NULL, 0, d->big, d->long_size, subbuf_size);
}

char *dat_clock_name(const char *text, size_t len)
{
	const char *open = memchr(text, '[', len), *close = NULL;

	if (open)
		close = memchr(open, ']', text + len - open);
	if (close)
		return xstrndup(open + 1, close - open - 1);
	while (len && (text[len - 1] == '\n' || text[len - 1] == ' '))
		len--;
	return xstrndup(text, len);
}

static int check_kind(const struct dat *d, const struct stat *st, struct ftr_error *err)
{
	if (S_ISDIR(st->st_mode)) {
		err_set(err, FTR_FAILED, "'%s' is a directory", d->path);
		return err_hint(err, "name a file in it");
	}
	if (!S_ISREG(st->st_mode)) {
		err_set(err, FTR_FAILED, "'%s' is not a regular file", d->path);
		return err_hint(err, "trace files are not read from front to back: copy it to a "
				"file");
	}
	if (!st->st_size) {
		err_set(err, FTR_FAILED, "'%s' is empty", d->path);
		return err_hint(err, strcmp(d->path, DAT_INPUT) ?
				"its recorder did not get to the end: record it again" :
				"the command before the pipe wrote nothing");
	}
	return 0;
}

/* Fills @err for an open() that failed with errno. Returns -1. */
static int report_open(const char *path, struct ftr_error *err)
{
	err_sys(err, "cannot open '%s'", path);
	if (err->sys == ENOENT || err->sys == ENOTDIR)
		err_hint(err, "record one first with 'ftr record', or name a file");
	if (err->sys == EACCES || err->sys == EPERM)
		err_hint(err, "only its owner may read a recording: run it as that user, or chmod "
			 "the file");
	return -1;
}

/* Maps the file. It closes @fd if that fails. */
static int dat_map(struct dat *d, int fd, struct ftr_error *err)
{
	struct stat st;
	void *p;

	if (fd < 0)
		return report_open(d->path, err);
	if (fstat(fd, &st)) {
		err_sys(err, "cannot read '%s'", d->path);
		goto out;
	}
	if (check_kind(d, &st, err))
		goto out;
	p = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED) {
		err_sys(err, "cannot read '%s'", d->path);
		goto out;
	}
	d->priv->map = p;
	d->priv->fd = fd;
	d->priv->sparse = (uint64_t)st.st_blocks * 512 < (uint64_t)st.st_size;
	d->file_size = d->priv->size = st.st_size;
	d->dev = st.st_dev;
	d->ino = st.st_ino;
	return 0;
out:
	close(fd);
	return -1;
}

static void note_header(struct dat *d, uint64_t off, const char *what)
{
	damage_note(&d->damages, "initial header damaged", d->path, off, -1, "%s", what);
}

/*
 * Reads byte order, sizeof(long) and page size. Impossible values are noted and replaced by the
 * likely ones.
 */
static void read_fixed_header(struct dat *d, struct cursor *c)
{
	uint8_t endian = cur_u8(c);

	if (endian > 1)
		note_header(d, cur_pos(c) - 1, "unknown byte order");
	d->big = endian == 1;
	d->long_size = cur_u8(c);
	if (d->long_size != 4 && d->long_size != 8) {
		note_header(d, cur_pos(c) - 1, "unknown size of long");
		d->long_size = 8;
	}
	c->big = d->big;
	d->page_size = cur_u32(c);
	if (dat_page_size_ok(d->page_size))
		return;
	if (dat_page_size_ok(__builtin_bswap32(d->page_size))) {
		note_header(d, cur_pos(c) - 4, "byte order and page size disagree");
		d->page_size = __builtin_bswap32(d->page_size);
		d->big = c->big = !d->big;
		return;
	}
	note_header(d, cur_pos(c) - 4, "impossible page size");
	d->page_size = 4096;
}

static const char v6_start[] = "header_page";

bool dat_bytes_similar(const uint8_t *p, const char *text, size_t n)
{
	size_t i, wrong = 0;

	for (i = 0; i < n; i++)
		wrong += p[i] != (uint8_t)text[i];
	return wrong <= 1;
}

/*
 * Returns true if the bytes after the fixed header make sense in that byte order: the size of
 * "header_page" (6); the first options or, without any, the first section (7).
 */
static bool order_fits(const struct dat *d, struct cursor c, bool big)
{
	uint64_t size, first;
	uint16_t id;

	c.big = big;
	if (d->version == 6) {
		cur_bytes(&c, sizeof(v6_start));
	} else {
		cur_str(&c);
		cur_str(&c);
		first = cur_u64(&c);
		if (first)
			cur_seek(&c, first);
		id = cur_u16(&c);
		cur_bytes(&c, DAT_SECTION_HEADER - 2 - 8);
		if (first ? id != DAT_DONE : !dat_section_plausible(id))
			return false;
	}
	size = cur_u64(&c);
	return !c.bad && size <= cur_left(&c);
}

/* A version that is no number does not come from a newer writer: it is damaged. */
static void fix_version(struct dat *d, struct cursor *c, const char *version)
{
	static const char *const first[] = { "header_page", "none", "zlib", "zstd" };
	const uint8_t *p = c->base + FIXED_HEADER_END;
	size_t i, n;

	if (*version && !version[strspn(version, "0123456789")])
		return;
	d->version = 0;
	for (i = 0; i < sizeof(first) / sizeof(first[0]) && !d->version; i++) {
		n = strlen(first[i]) + 1;
		if (c->end - c->base >= FIXED_HEADER_END + (ptrdiff_t)n && !memcmp(p, first[i], n))
			d->version = i ? 7 : 6;
	}
	if (!d->version)
		return;
	note_header(d, MAGIC_BYTES, "version number");
	cur_seek(c, MAGIC_BYTES + 2);
}

static int read_initial_header(struct dat *d, struct cursor *c, struct ftr_error *err)
{
	const uint8_t *bytes = cur_bytes(c, MAGIC_BYTES);
	const char *version;
	uint32_t page_size;
	int by_content;

	if (!bytes || !dat_bytes_similar(bytes, magic, MAGIC_BYTES))
		return report_foreign(d->path, c->base, c->end - c->base, err);
	if (memcmp(bytes, magic, MAGIC_BYTES))
		note_header(d, 0, "magic");
	version = cur_str(c);
	if (!version)
		return err_set(err, FTR_DAMAGED, "'%s' ends in its first bytes", d->path);
	d->version = version[0] && !version[1] ? version[0] - '0' : 0;
	if (d->version != 6 && d->version != 7)
		fix_version(d, c, version);
	if (d->version != 6 && d->version != 7) {
		err_set(err, FTR_FAILED,
			"'%s' has trace.dat version '%.16s', only 6 and 7 are known", d->path,
			version);
		return err_hint(err, "if a newer trace-cmd made it: trace-cmd convert");
	}
	read_fixed_header(d, c);
	if (c->bad)
		return err_set(err, FTR_DAMAGED, "'%s' ends in its first bytes", d->path);
	/* the content shows the version even if the digit is damaged */
	by_content = cur_left(c) >= sizeof(v6_start) &&
		     dat_bytes_similar(c->p, v6_start, sizeof(v6_start)) ? 6 : 7;
	if (by_content != d->version)
		note_header(d, 10, "version number and content disagree");
	d->version = by_content;
	/* a page size can be valid in both byte orders: 4096 is 1 MiB in the other one */
	if (!order_fits(d, *c, d->big) && order_fits(d, *c, !d->big)) {
		note_header(d, FIXED_HEADER_END - 6, "byte order and content disagree");
		page_size = __builtin_bswap32(d->page_size);
		d->big = c->big = !d->big;
		if (dat_page_size_ok(page_size))
			d->page_size = page_size;
	}
	return 0;
}

/* Moves the top level to the front. The others keep their order. */
static void sort_buffers(struct dat *d)
{
	struct dat_buffer top;
	size_t i;

	for (i = 1; i < d->nr_buffers; i++)
		if (!d->buffers[i].name[0] && d->buffers[0].name[0]) {
			top = d->buffers[i];
			memmove(&d->buffers[1], &d->buffers[0], i * sizeof(top));
			d->buffers[0] = top;
		}
}

/* The buffers by name. Those with equal names keep their order. */
struct buffer_names {
	struct dat_buffer **v;
	size_t n;
};

static int by_buffer_name(const void *a, const void *b)
{
	const struct dat_buffer *x = *(struct dat_buffer *const *)a;
	const struct dat_buffer *y = *(struct dat_buffer *const *)b;
	int ret = strcmp(x->name, y->name);

	return ret ? ret : (x > y) - (x < y);
}

static struct dat_buffer *buffer_named(const struct buffer_names *v, const char *name, size_t len)
{
	size_t at = SEARCH_ABOVE(i, 0, v->n, strncmp(v->v[i]->name, name, len) < 0);

	return at < v->n && strlen(v->v[at]->name) == len &&
	       !memcmp(v->v[at]->name, name, len) ? v->v[at] : NULL;
}

/*
 * Collects the CPUSTAT options, one per CPU: first those of the top level, then for each instance
 * an option with only its name and those of its CPUs.
 */
static void collect_stats(struct dat *d)
{
	static const char head[] = "\nBuffer: ";
	const size_t head_len = sizeof(head) - 1;
	struct buffer_names names = {0};
	const struct dat_option *o;
	const char *text, *end;
	struct dat_buffer *b;
	struct buf *texts;
	size_t i, len;

	if (!dat_option(d, DAT_CPUSTAT))
		return;
	texts = xcalloc(d->nr_buffers, sizeof(*texts));
	names.v = xcalloc(d->nr_buffers, sizeof(*names.v));
	for (; names.n < d->nr_buffers; names.n++)
		names.v[names.n] = &d->buffers[names.n];
	if (names.n)
		qsort(names.v, names.n, sizeof(*names.v), by_buffer_name);
	b = buffer_named(&names, "", 0);
	for (o = d->options; o < d->options + d->nr_options; o++) {
		if (o->id != DAT_CPUSTAT)
			continue;
		text = o->data.p;
		len = strnlen(text, o->data.len);
		if (len > head_len && !memcmp(text, head, head_len)) {
			end = memchr(text + head_len, '\n', len - head_len);
			b = buffer_named(&names, text + head_len,
					 (end ? end : text + len) - (text + head_len));
		} else if (b) {
			buf_add(&texts[b - d->buffers], text, len);
			if (!len || text[len - 1] != '\n')
				buf_addch(&texts[b - d->buffers], '\n');
		}
	}
	for (i = 0; i < d->nr_buffers; i++)
		d->buffers[i].stats = texts[i].len ? buf_take(&texts[i]) : NULL;
	free(names.v);
	free(texts);
}

static void fill_cpu_count(struct dat *d)
{
	const struct dat_option *count = dat_option(d, DAT_CPUCOUNT);
	size_t i, j;
	int max = -1;

	for (i = 0; i < d->nr_buffers; i++)
		for (j = 0; j < d->buffers[i].nr_cpus; j++)
			if (d->buffers[i].cpus[j].cpu > max)
				max = d->buffers[i].cpus[j].cpu;
	if (!d->nr_cpus && count && count->data.len >= 4)
		d->nr_cpus = get_u32(count->data.p, d->big);
	if (d->nr_cpus > LIMIT_CPUS || d->nr_cpus < (unsigned int)(max + 1))
		d->nr_cpus = max + 1;
}

static int check_readable(struct dat *d, struct ftr_error *err)
{
	struct buf why = {0};

	if (d->nr_buffers)
		return 0;
	dat_settle(d);
	if (d->damages.n)
		damage_describe(&d->damages.v[0], &why);
	if (dat_option(d, DAT_BUFFER_TEXT))
		err_set(err, FTR_FAILED, "'%s' holds a trace as text, not raw data", d->path);
	else if (why.len)
		err_set(err, FTR_DAMAGED, "no trace data can be read from %s", why.data);
	else
		err_set(err, FTR_DAMAGED, "'%s' has no trace data", d->path);
	buf_release(&why);
	return -1;
}

static struct dat *open_own(int fd, const char *path, struct ftr_error *err)
{
	int sys = errno, ret;
	struct dat *d = xcalloc(1, sizeof(*d));
	struct cursor c;

	d->priv = xcalloc(1, sizeof(*d->priv));
	d->priv->fd = -1;
	dat_parts_init(d->priv);
	d->path = xstrdup(path);
	d->compression = "none";
	errno = sys;
	if (dat_map(d, fd, err))
		goto fail;
	c = cur_init(d->priv->map, d->priv->size, false);
	if (read_initial_header(d, &c, err))
		goto fail;
	dat_sums_load(d);
	ret = d->version == 6 ? dat_v6_open(d, &c, err) : dat_v7_open(d, &c, err);
	if (ret)
		goto fail;
	sort_buffers(d);
	collect_stats(d);
	fill_cpu_count(d);
	dat_list_keys(d);
	if (check_readable(d, err))
		goto fail;
	dat_stamps_init(d);
	free(d->priv->tried_mem);
	d->priv->tried_mem = NULL;
	d->priv->tried_room = 0;
	if (d->priv->fd >= KEPT_FDS) {
		close(d->priv->fd);
		d->priv->fd = -1;
	}
	return d;
fail:
	dat_close(d);
	return NULL;
}

int dat_open_input(const char *path, struct ftr_error *err)
{
	struct stat st;
	int fd;

	if (strcmp(path, DAT_INPUT)) {
		fd = open(path, DAT_OPEN_FLAGS);
		return fd < 0 ? report_open(path, err) : fd;
	}
	if (isatty(STDIN_FILENO)) {
		err_set(err, FTR_USAGE, "'-' is standard input, which is a terminal");
		return err_hint(err, "pipe a trace into it: ssh HOST ftr record -o - ... | "
				"ftr report -");
	}
	/* a regular file can be mapped if its first byte is the next one to be read */
	if (fstat(STDIN_FILENO, &st) || !S_ISREG(st.st_mode) ||
	    lseek(STDIN_FILENO, 0, SEEK_CUR) != 0)
		return copy_stdin(err);
	fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? err_sys(err, "cannot read standard input") : fd;
}

struct dat *dat_open(const char *path, struct ftr_error *err)
{
	int fd = dat_open_input(path, err);

	return fd < 0 ? NULL : open_own(fd, path, err);
}

struct dat *dat_open_fd(int fd, const char *path, struct ftr_error *err)
{
	return open_own(fd < 0 ? fd : fcntl(fd, F_DUPFD_CLOEXEC, 0), path, err);
}

static void release_priv(struct dat_priv *p)
{
	size_t i;

	for (i = 0; i < p->nr_owned; i++) {
		if (p->owned[i].pages)
			pages_free(p->owned[i].p, p->owned[i].room);
		else
			free(p->owned[i].p);
	}
	if (p->fd >= 0)
		close(p->fd);
	free(p->owned);
	decompress_release(p->unpacker);
	free(p->sections);
	map_release(&p->by_off);
	free(p->chunks);
	free(p->places);
	free(p->keys);
	free(p->sums);
	free(p->stamps);
	free(p->tried_mem);
	dat_parts_release(p);
	if (p->map)
		munmap((void *)p->map, p->size);
	free(p);
}

/* Cuts off the first word. Returns it, or NULL if there is none. *rest is what follows, or NULL. */
static char *next_word(char **rest)
{
	char *word = strsep(rest, " ");

	return word && *word ? word : NULL;
}

void dat_uname_read(const struct dat *d, struct dat_uname *out)
{
	const struct dat_option *o = dat_option(d, DAT_UNAME);
	char *rest, *last;

	*out = (struct dat_uname){
		.text = o ? xstrndup(o->data.p, strnlen(o->data.p, o->data.len)) : xstrdup(""),
	};
	rest = out->text;
	out->system = next_word(&rest);
	out->host = next_word(&rest);
	out->release = next_word(&rest);
	last = rest ? strrchr(rest, ' ') : NULL;
	if (last) {
		*last = '\0';
		out->version = rest;
	}
	last = last ? last + 1 : rest;
	out->machine = last && *last ? last : NULL;
}

struct dat_buffer *dat_find_buffer(const struct dat *d, const char *name)
{
	size_t i;

	for (i = 0; i < d->nr_buffers; i++)
		if (!strcmp(d->buffers[i].name, name))
			return &d->buffers[i];
	return NULL;
}

int dat_fd(const struct dat *d)
{
	return d->priv->fd;
}

bool dat_is_cut(const struct dat *d)
{
	struct stat st;

	return fstat(d->priv->fd, &st) || (uint64_t)st.st_size < d->priv->size;
}

void dat_close(struct dat *d)
{
	struct dat_buffer *b;
	size_t i, k;

	if (!d)
		return;
	/* cursors release decompressed chunks, which need the lists of chunks */
	for (i = 0; i < d->nr_buffers; i++) {
		b = &d->buffers[i];
		for (k = 0; k < b->nr_cpus; k++)
			if (b->cpus[k].priv)
				dat_cursor_release(&b->cpus[k].priv->cursor);
	}
	dat_chunk_cache_release(&d->priv->cache);
	for (i = 0; i < d->nr_buffers; i++) {
		b = &d->buffers[i];
		for (k = 0; k < b->nr_cpus; k++)
			dat_release_cpu(&b->cpus[k]);
		free(b->cpus);
		free(b->name);
		free(b->clock);
		free(b->stats);
	}
	free(d->buffers);
	free(d->options);
	damages_release(&d->damages);
	release_priv(d->priv);
	free(d->path);
	free(d);
}

const struct dat_option *dat_option(const struct dat *d, uint16_t id)
{
	uint32_t at = d->priv && id < DAT_FIRST_IDS ? d->priv->first_option[id] : 0;

	return at ? &d->options[at - 1] : NULL;
}
