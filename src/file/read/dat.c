/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens and closes trace.dat files: the initial header, what both versions share, look-ups. */
#include "file/read/dat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/search.h"
#include "file/read/dat_priv.h"

#define MAGIC_BYTES      10
#define KEPT_FDS	 512	/* a process has 1,024, and ftr merges any number of files */
#define FIXED_HEADER_END (MAGIC_BYTES + 2 + 1 + 1 + 4)	/* version, byte order, long, page size */

static const char magic[] = "\x17\x08\x44tracing";

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

static int explain_open(const struct dat *d, struct ftr_error *err)
{
	err_sys(err, "cannot open '%s'", d->path);
	if (err->sys == ENOENT || err->sys == ENOTDIR)
		err_hint(err, "record one first with 'ftr record', or name a file");
	if (err->sys == EACCES || err->sys == EPERM)
		err_hint(err, "only its owner may read a recording: run it as that user, or chmod "
			 "the file");
	return -1;
}

static int check_kind(const struct dat *d, const struct stat *st, struct ftr_error *err)
{
	if (S_ISDIR(st->st_mode)) {
		err_set(err, FTR_FAILED, "'%s' is a folder", d->path);
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

/* @fd is ours. */
static int dat_map(struct dat *d, int fd, struct ftr_error *err)
{
	struct stat st;
	void *p;

	if (fd < 0)
		return explain_open(d, err);
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
 * Byte order, sizeof(long) and page size; values that can't be are noted and replaced by the likely
 * ones.
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

bool dat_nearly(const uint8_t *p, const char *text, size_t n)
{
	size_t i, wrong = 0;

	for (i = 0; i < n; i++)
		wrong += p[i] != (uint8_t)text[i];
	return wrong <= 1;
}

/*
 * The content tells the versions apart, should the digit be damaged: 6 goes on with "header_page".
 */
static void settle_version(struct dat *d, const struct cursor *c)
{
	int version = 7;

	if (cur_left(c) >= sizeof(v6_start) && dat_nearly(c->p, v6_start, sizeof(v6_start)))
		version = 6;
	if (version != d->version)
		note_header(d, 10, "version number and content disagree");
	d->version = version;
}

/*
 * Whether what follows the fixed header can be read in that byte order: the size of "header_page"
 * (6), the first options, and while there are none yet the first section (7).
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

/* A page size can look right in either order: 4096 is 1 MiB in the other. */
static void settle_order(struct dat *d, struct cursor *c)
{
	uint32_t page_size = __builtin_bswap32(d->page_size);

	if (order_fits(d, *c, d->big) || !order_fits(d, *c, !d->big))
		return;
	note_header(d, FIXED_HEADER_END - 6, "byte order and content disagree");
	d->big = c->big = !d->big;
	if (dat_page_size_ok(page_size))
		d->page_size = page_size;
}

/* The version by what follows the fixed header, 0 where that is nothing known. */
static int version_by_content(const struct cursor *c)
{
	static const char *const first[] = { "header_page", "none", "zlib", "zstd" };
	const uint8_t *p = c->base + FIXED_HEADER_END;
	size_t i, n;

	for (i = 0; i < sizeof(first) / sizeof(first[0]); i++) {
		n = strlen(first[i]) + 1;
		if (c->end - c->base >= FIXED_HEADER_END + (ptrdiff_t)n && !memcmp(p, first[i], n))
			return i ? 7 : 6;
	}
	return 0;
}

/* A version that is no number was none of a newer writer, but is damaged. */
static void mend_version(struct dat *d, struct cursor *c, const char *version)
{
	if (*version && !version[strspn(version, "0123456789")])
		return;
	d->version = version_by_content(c);
	if (!d->version)
		return;
	note_header(d, MAGIC_BYTES, "version number");
	cur_seek(c, MAGIC_BYTES + 2);
}

static int read_initial_header(struct dat *d, struct cursor *c, struct ftr_error *err)
{
	const uint8_t *bytes = cur_bytes(c, MAGIC_BYTES);
	const char *version;

	if (!bytes || !dat_nearly(bytes, magic, MAGIC_BYTES))
		return dat_name_foreign(d->path, c->base, c->end - c->base, err);
	if (memcmp(bytes, magic, MAGIC_BYTES))
		note_header(d, 0, "magic");
	version = cur_str(c);
	if (!version)
		return err_set(err, FTR_DAMAGED, "'%s' ends in its first bytes", d->path);
	d->version = version[0] && !version[1] ? version[0] - '0' : 0;
	if (d->version != 6 && d->version != 7)
		mend_version(d, c, version);
	if (d->version != 6 && d->version != 7) {
		err_set(err, FTR_FAILED,
			"'%s' has trace.dat version '%.16s', only 6 and 7 are known", d->path,
			version);
		return err_hint(err, "if a newer trace-cmd made it: trace-cmd convert");
	}
	read_fixed_header(d, c);
	if (c->bad)
		return err_set(err, FTR_DAMAGED, "'%s' ends in its first bytes", d->path);
	settle_version(d, c);
	settle_order(d, c);
	return 0;
}

/* The top level goes first; the others keep their order. */
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

/* The buffers by name, of equal ones the first. */
struct names {
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

static void names_sort(struct names *v, struct dat *d)
{
	v->v = xcalloc(d->nr_buffers, sizeof(*v->v));
	for (v->n = 0; v->n < d->nr_buffers; v->n++)
		v->v[v->n] = &d->buffers[v->n];
	if (v->n)
		qsort(v->v, v->n, sizeof(*v->v), by_buffer_name);
}

static struct dat_buffer *buffer_named(const struct names *v, const char *name, size_t len)
{
	size_t at = SEARCH_ABOVE(i, 0, v->n, strncmp(v->v[i]->name, name, len) < 0);

	return at < v->n && strlen(v->v[at]->name) == len &&
	       !memcmp(v->v[at]->name, name, len) ? v->v[at] : NULL;
}

/* The buffer that the head "\nBuffer: NAME\n\n" names; false when @t is no such head. */
static bool stats_head(const struct names *names, const char *t, size_t len,
		       struct dat_buffer **b)
{
	static const char head[] = "\nBuffer: ";
	const char *end;

	if (len < sizeof(head) || memcmp(t, head, sizeof(head) - 1))
		return false;
	t += sizeof(head) - 1;
	len -= sizeof(head) - 1;
	end = memchr(t, '\n', len);
	*b = buffer_named(names, t, end ? (size_t)(end - t) : len);
	return true;
}

/*
 * One CPUSTAT option a CPU: first those of the top level, then for each instance an option that
 * only names it and those of its CPUs. *texts are the buffers' own.
 */
static void gather_stats(struct dat *d, const struct names *names, struct buf *texts)
{
	struct dat_buffer *b = buffer_named(names, "", 0);
	const struct dat_blob *t;
	struct buf *to;
	size_t i, len;

	for (i = 0; i < d->nr_options; i++) {
		t = &d->options[i].data;
		if (d->options[i].id != DAT_CPUSTAT)
			continue;
		len = strnlen(t->p, t->len);
		if (stats_head(names, t->p, len, &b) || !b)
			continue;
		to = &texts[b - d->buffers];
		buf_add(to, t->p, len);
		if (!len || t->p[len - 1] != '\n')
			buf_addch(to, '\n');
	}
}

static void collect_stats(struct dat *d)
{
	struct buf *texts;
	struct names names;
	size_t i;

	if (!dat_option(d, DAT_CPUSTAT))
		return;
	texts = xcalloc(d->nr_buffers, sizeof(*texts));
	names_sort(&names, d);
	gather_stats(d, &names, texts);
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

struct dat *dat_open(const char *path, struct ftr_error *err)
{
	int fd;

	if (strcmp(path, DAT_INPUT))
		return open_own(open(path, DAT_OPEN_FLAGS), path, err);
	fd = dat_input_fd(err);
	return fd >= 0 ? open_own(fd, path, err) : NULL;
}

struct dat *dat_open_fd(int fd, const char *path, struct ftr_error *err)
{
	return open_own(fd < 0 ? fd : fcntl(fd, F_DUPFD_CLOEXEC, 0), path, err);
}

static void release_dat_buffer(struct dat_buffer *b)
{
	size_t i;

	for (i = 0; i < b->nr_cpus; i++)
		dat_release_cpu(&b->cpus[i]);
	free(b->cpus);
	free(b->name);
	free(b->clock);
	free(b->stats);
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

/* Before what is decompressed, and the lists of chunks, are freed. */
static void release_cursors(struct dat *d)
{
	struct dat_cpu *c;
	size_t i;

	for (i = 0; i < d->nr_buffers; i++)
		for (c = d->buffers[i].cpus; c < d->buffers[i].cpus + d->buffers[i].nr_cpus; c++)
			if (c->priv)
				dat_cursor_release(&c->priv->cursor);
}

void dat_close(struct dat *d)
{
	size_t i;

	if (!d)
		return;
	release_cursors(d);
	dat_shelf_release(&d->priv->shelf);
	for (i = 0; i < d->nr_buffers; i++)
		release_dat_buffer(&d->buffers[i]);
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
