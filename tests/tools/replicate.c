/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replicate [-zZ] [-c CPUS] [-f FORMATS] [-n RECORDS] [-b BYTES] IN OUT: writes OUT with the sub-buffers of
 * IN over and over, until it has at least that many records and bytes of them. Each copy continues the time
 * of the one before: page time stamps and the call times of function_graph are shifted. -f adds the
 * formats of a collection ("@@FILE ./SYSTEM/EVENT/format" and a text, over and over) that IN lacks. With -z
 * metadata is compressed, as it is by default where ftr records, with -Z the data as well. -c: so many CPUs
 * side by side, those of IN over and over, each from another sub-buffer of IN on that is shifted to where IN
 * begins; of IN no more than it takes for about RECORDS in all.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "event/event.h"
#include "file/write/dat_write.h"

#define GAP	1000000		/* clock units between the copies */
#define IDS	65536
#define CHUNK	(128u << 10)	/* of compressed data, as ftr records it */

struct job {
	struct dat *in;
	const char *out_path, *formats_path;
	uint64_t want_records, want_bytes;
	bool packed, pack_data;
	unsigned int cpus;			/* 0: those of IN */

	uint64_t records, bytes, copies;	/* of one copy; how many */
	uint64_t first, last;			/* time stamps of IN */
	struct ev_format exit;			/* funcgraph_exit */
	const struct ev_field *times[2];	/* its call and return, NULL where there is none */
};

static void die(const char *what)
{
	fprintf(stderr, "replicate: %s\n", what);
	exit(1);
}

/* --- formats */

struct formats {
	struct dat_write_format *v;
	size_t n, cap;
	bool   used[IDS];
};

static void add_format(struct formats *fs, const char *system, const char *text, size_t len)
{
	fs->v = xgrow(fs->v, &fs->cap, fs->n + 1, sizeof(*fs->v));
	fs->v[fs->n++] = (struct dat_write_format){ system, text, len };
}

static bool has_event_in(struct dat *d, uint16_t section, const char *system, const char *text)
{
	size_t n = strcspn(text, "\n") + 1;	/* "name: EVENT\n" */
	const struct dat_format *v;
	size_t nr = dat_formats(d, section, &v);

	for (size_t i = 0; i < nr; i++)
		if (!strcmp(v[i].system, system) && v[i].text.len > n && !memcmp(v[i].text.p, text, n))
			return true;
	return false;
}

static bool has_event(struct dat *d, const char *system, const char *text)
{
	return has_event_in(d, DAT_FTRACE_EVENTS, system, text) ||
	       has_event_in(d, DAT_EVENT_FORMATS, system, text);
}

/* The collection is of another boot: its ids may be taken. */
static char *with_own_id(struct formats *fs, const char *text, size_t len)
{
	const char *id = memmem(text, len, "\nID: ", 5);
	unsigned long v;
	char *end, *new;

	if (!id)
		return NULL;
	v = strtoul(id + 5, &end, 10);
	while (v < IDS && fs->used[v])
		v++;
	if (v >= IDS)
		return NULL;
	fs->used[v] = true;
	new = xasprintf("%.*s\nID: %lu%.*s", (int)(id - text), text, v, (int)(text + len - end), end);
	return new;
}

/* @entry: "./SYSTEM/EVENT/format\n" and the text. */
static void add_entry(struct dat *d, struct formats *fs, const char *entry, const char *end)
{
	const char *text = memchr(entry, '\n', end - entry), *slash;
	char *system, *new;

	if (!text || end - entry < 3 || !(slash = memchr(entry + 2, '/', text - entry - 2)))
		return;
	text++;
	system = xstrndup(entry + 2, slash - entry - 2);
	new = has_event(d, system, text) || !strcmp(system, "ftrace") ? NULL :
	      with_own_id(fs, text, end - text);
	if (new)
		add_format(fs, system, new, strlen(new));
}

static void add_collection(struct dat *d, struct formats *fs, const char *path)
{
	static const char mark[] = "@@FILE ";
	struct buf b = {0};
	const char *p, *next, *end;

	if (io_read_at(AT_FDCWD, path, &b))
		die("cannot read the formats");
	end = b.data + b.len;
	for (p = strstr(b.data, mark); p; p = next) {
		p += sizeof(mark) - 1;
		next = strstr(p, mark);
		add_entry(d, fs, p, next ? next : end);
	}
	/* the texts are used until the program ends */
}

static int by_system(const void *a, const void *b)
{
	const struct dat_write_format *x = a, *y = b;

	return strcmp(x->system, y->system);
}

static void add_section(struct dat *d, uint16_t section, struct formats *to, struct formats *all)
{
	const struct dat_format *v;
	size_t nr = dat_formats(d, section, &v);
	struct ev_format f;

	for (size_t i = 0; i < nr; i++) {
		add_format(to, v[i].system, v[i].text.p, v[i].text.len);
		if (!ev_format_parse(&f, v[i].system, v[i].text.p, v[i].text.len, NULL))
			all->used[f.id] = true;
		ev_format_release(&f);
	}
}

static void write_formats(const struct job *j, struct dat_writer *w)
{
	struct formats *ftrace = xcalloc(1, sizeof(*ftrace)), *other = xcalloc(1, sizeof(*other));
	struct dat *d = j->in;

	add_section(d, DAT_FTRACE_EVENTS, ftrace, other);
	add_section(d, DAT_EVENT_FORMATS, other, other);
	if (j->formats_path)
		add_collection(d, other, j->formats_path);
	qsort(other->v, other->n, sizeof(*other->v), by_system);
	dat_write_ftrace_events(w, ftrace->v, ftrace->n);
	dat_write_event_formats(w, other->v, other->n);
	free(ftrace->v);
	free(other->v);
	free(ftrace);
	free(other);
}

/* --- records */

static void find_times(struct job *j)
{
	const struct dat_format *v;
	size_t nr = dat_formats(j->in, DAT_FTRACE_EVENTS, &v);

	for (size_t i = 0; i < nr; i++) {
		const struct dat_format *f = &v[i];

		if (strcmp(f->system, "ftrace") ||
		    ev_format_parse(&j->exit, f->system, f->text.p, f->text.len, NULL))
			continue;
		if (!strcmp(j->exit.name, "funcgraph_exit"))
			break;
		ev_format_release(&j->exit);
		j->exit = (struct ev_format){0};
	}
	if (!j->exit.name)
		return;
	j->times[0] = ev_field(&j->exit, "calltime");
	j->times[1] = ev_field(&j->exit, "rettime");
}

static void count_page(struct job *j, struct ring_page *pg)
{
	struct ring_record rec;

	while (ring_page_next(pg, &rec) == RING_OK) {
		j->records++;
		if (rec.ts < j->first)
			j->first = rec.ts;
		if (rec.ts > j->last)
			j->last = rec.ts;
	}
}

static void shift_record(const struct job *j, const struct ring_record *rec, uint64_t shift)
{
	uint16_t type;
	uint64_t v;

	memcpy(&type, rec->data, sizeof(type));
	if (type != j->exit.id)
		return;
	for (int i = 0; i < 2; i++) {
		const struct ev_field *f = j->times[i];
		uint8_t *p = (uint8_t *)rec->data + (f ? f->offset : 0);

		if (!f || f->size != sizeof(v) || f->offset + sizeof(v) > rec->len)
			continue;
		memcpy(&v, p, sizeof(v));
		v += shift;
		memcpy(p, &v, sizeof(v));
	}
}

/*
 * A write that was interrupted by another one leaves an absolute time stamp: type_len 31, the time's
 * low 27 bits in the header, 32 more in the next word.
 */
static void shift_absolute(uint8_t *event, uint64_t shift)
{
	uint32_t word[2];
	uint64_t ts;

	memcpy(word, event, sizeof(word));
	ts = (((uint64_t)word[1] << 27) + (word[0] >> 5) + shift) & ((1ULL << 59) - 1);
	word[0] = (uint32_t)ts << 5 | 31;
	word[1] = ts >> 27;
	memcpy(event, word, sizeof(word));
}

/* Bytes of the event at @event, 0 at the end of the page. */
static uint32_t event_len(const uint8_t *event)
{
	uint32_t word[2], type_len;

	memcpy(word, event, sizeof(word));
	type_len = word[0] & 31;
	if (type_len >= 30)
		return 8;
	if (type_len == 29 && !(word[0] >> 5))
		return 0;
	return type_len == 29 || !type_len ? 4 + word[1] : 4 + type_len * 4;
}

/* Little-endian pages only, as the tests' machines are. */
static void shift_absolutes(struct ring_page *pg, uint64_t shift)
{
	uint8_t *data = (uint8_t *)pg->data;
	uint32_t at, len;

	for (at = 0; at + 8 <= pg->commit; at += len) {
		len = event_len(data + at);
		if (!len)
			break;
		if ((data[at] & 31) == 31)
			shift_absolute(data + at, shift);
	}
}

static void shift_page(const struct job *j, const struct ring_layout *l, uint8_t *mem, size_t len,
		       const uint8_t *old, uint64_t shift)
{
	struct ring_record rec, was;
	struct ring_page pg, before;
	uint64_t ts;

	memcpy(&ts, mem, sizeof(ts));
	ts += shift;
	memcpy(mem, &ts, sizeof(ts));
	if (ring_page_open(&pg, l, mem, len) != RING_OK ||
	    ring_page_open(&before, l, old, len) != RING_OK)
		die("the input is damaged");
	shift_absolutes(&pg, shift);
	while (ring_page_next(&pg, &rec) == RING_OK) {
		if (ring_page_next(&before, &was) != RING_OK || rec.ts != was.ts + shift)
			die("a time stamp could not be shifted");
		if (j->exit.name && rec.len >= sizeof(uint16_t))
			shift_record(j, &rec, shift);
	}
}

static void count_cpu(struct job *j, struct dat_buffer *b, struct dat_cpu *c)
{
	struct ring_page pg;
	const uint8_t *mem;
	uint64_t page, off;
	size_t len;

	for (page = 0; page < c->nr_pages; page++) {
		mem = dat_page(j->in, b, c, page, &len, &off);
		if (!mem || ring_page_open(&pg, &b->layout, mem, len) != RING_OK)
			die("the input is damaged");
		count_page(j, &pg);
		j->bytes += b->layout.subbuf_size;
	}
}

static void count_all(struct job *j)
{
	j->first = UINT64_MAX;
	for (size_t i = 0; i < j->in->nr_buffers; i++)
		for (size_t k = 0; k < j->in->buffers[i].nr_cpus; k++)
			count_cpu(j, &j->in->buffers[i], &j->in->buffers[i].cpus[k]);
	if (!j->records)
		die("the input has no records");
	j->copies = 1;
	while (!j->cpus && (j->copies * j->records < j->want_records ||
			    j->copies * j->bytes < j->want_bytes))
		j->copies++;
}

/* A file without a name: disk, as the data may be larger than memory. */
static int scratch_file(const char *beside)
{
	char *path = xasprintf("%s.XXXXXX", beside);
	int fd = mkstemp(path);

	if (fd < 0)
		die("cannot make a scratch file");
	unlink(path);
	free(path);
	return fd;
}

/* Sub-buffers of a CPU of IN that go into OUT, as one CPU there. */
struct part {
	struct dat_buffer *b;
	struct dat_cpu *c;
	uint64_t first, n;
};

static const uint8_t *read_page(const struct job *j, const struct part *p, uint64_t page,
				size_t *len)
{
	const uint8_t *mem;
	uint64_t off;

	mem = dat_page(j->in, p->b, p->c, page, len, &off);
	if (!mem || *len < sizeof(uint64_t))
		die("the input is damaged");
	return mem;
}

static uint64_t copy_part(const struct job *j, const struct part *p, int fd, uint64_t shift)
{
	uint32_t size = p->b->layout.subbuf_size;
	uint8_t *mem = xmalloc(size);
	const uint8_t *old;
	uint64_t page;
	size_t len;

	for (page = p->first; page < p->first + p->n; page++) {
		old = read_page(j, p, page, &len);
		memset(mem, 0, size);
		memcpy(mem, old, len);
		shift_page(j, &p->b->layout, mem, len, old, shift);
		if (io_write_all(fd, mem, size))
			die("cannot write");
	}
	free(mem);
	return p->n * size;
}

/* One that begins elsewhere in IN begins when IN does. */
static uint64_t shift_to_begin(const struct job *j, const struct part *p)
{
	uint64_t ts;
	size_t len;

	if (!j->cpus || !p->n)
		return 0;
	memcpy(&ts, read_page(j, p, p->first, &len), sizeof(ts));
	return j->first - ts;
}

/* As trace.dat(5) has it: the number of chunks, and each after its two sizes. */
static uint64_t pack_file(int *fd, uint64_t size, const char *beside)
{
	struct compress_opts how = packing_of_metadata();
	struct compress_packer *k = packer_new(&how);
	uint32_t n = (size + CHUNK - 1) / CHUNK, head[2];
	uint8_t *mem = xmalloc(CHUNK), *packed = xmalloc(packer_room(k, CHUNK));
	int to = scratch_file(beside);
	uint64_t at, sum = sizeof(n);

	if (io_write_all(to, &n, sizeof(n)))
		die("cannot write");
	for (at = 0; at < size; at += head[1], sum += sizeof(head) + head[0]) {
		head[1] = size - at < CHUNK ? size - at : CHUNK;
		if (pread(*fd, mem, head[1], at) != (ssize_t)head[1])
			die("cannot read what was written");
		head[0] = packer_pack(k, packed, mem, head[1]);
		if (!head[0] || io_write_all(to, head, sizeof(head)) ||
		    io_write_all(to, packed, head[0]))
			die("cannot write");
	}
	close(*fd);
	*fd = to;
	packer_free(k);
	free(packed);
	free(mem);
	return sum;
}

static void fill_cpu(const struct job *j, struct dat_write_cpu *to, int cpu, const struct part *p)
{
	uint64_t n, period = j->last - j->first + GAP, shift = shift_to_begin(j, p);

	to->cpu = cpu;
	to->fd = scratch_file(j->out_path);
	to->consume = true;
	for (n = 0; n < j->copies; n++)
		to->size += copy_part(j, p, to->fd, shift + n * period);
	if (j->pack_data && to->size)
		to->size = pack_file(&to->fd, to->size, j->out_path);
}

/* Of a CPU of IN that is the @nr-th of as many as there are to be. */
static struct part part_of(const struct job *j, struct dat_buffer *b, struct dat_cpu *c, size_t nr)
{
	struct part p = { .b = b, .c = c, .n = c->nr_pages };
	size_t copies = j->cpus / b->nr_cpus;

	if (j->cpus && j->want_records < j->records * copies) {
		p.n = p.n * j->want_records / (j->records * copies) + 1;
		p.first = nr * p.n % (c->nr_pages - p.n + 1);
	}
	return p;
}

static void write_buffer(const struct job *j, struct dat_writer *w, struct dat_buffer *b)
{
	size_t i, n = j->cpus ? j->cpus : b->nr_cpus;
	struct dat_write_cpu *cpus = xcalloc(n, sizeof(*cpus));
	struct dat_cpu *c;
	struct part p;

	for (i = 0; i < n && b->nr_cpus; i++) {
		c = &b->cpus[i % b->nr_cpus];
		p = part_of(j, b, c, i);
		fill_cpu(j, &cpus[i], j->cpus ? (int)i : c->cpu, &p);
	}
	dat_write_buffer(w, b->name, b->clock, b->layout.subbuf_size, cpus, n);
	for (i = 0; i < n; i++)
		close(cpus[i].fd);
	free(cpus);
}

/* --- the file */

static void write_options(const struct job *j, struct dat_writer *w)
{
	/* those that the writer does not make, and that stay true */
	static const uint16_t ids[] = { DAT_DATE, DAT_TRACECLOCK, DAT_UNAME, DAT_OFFSET,
					DAT_CPUCOUNT, DAT_VERSION, DAT_TRACEID, DAT_TSC2NSEC };
	uint32_t cpus = j->cpus;
	const struct dat_option *o;

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++)
		if (cpus && ids[i] == DAT_CPUCOUNT)
			dat_add_option(w, ids[i], &cpus, sizeof(cpus));
		else if ((o = dat_option(j->in, ids[i])))
			dat_add_option(w, ids[i], o->data.p, o->data.len);
}

static void write_text(struct dat *d, struct dat_writer *w, uint16_t id)
{
	const struct dat_blob *b = dat_text(d, id);

	dat_write_blob(w, id, b->p, b->len);
}

static int write_all(const struct job *j, int fd, struct ftr_error *err)
{
	const char *header = j->in->header_page.p, *event = j->in->header_event.p;
	struct compress_opts how = packing_of_metadata();
	struct dat *d = j->in;
	struct dat_writer *w = dat_create_packed(fd, j->out_path, d->page_size, j->packed ? &how : NULL, err);

	if (!w)
		return -1;
	if (j->packed)
		dat_pack(w, j->pack_data);
	dat_write_header_info(w, header, d->header_page.len, event, d->header_event.len);
	write_formats(j, w);
	if (d->ftr_meta.p)
		dat_write_meta(w, d->ftr_meta.p, d->ftr_meta.len);
	write_text(d, w, DAT_KALLSYMS);
	write_text(d, w, DAT_PRINTK);
	write_text(d, w, DAT_CMDLINES);
	if (dat_text(d, DAT_FTR_PROTOS)->p)
		dat_write_protos(w, dat_text(d, DAT_FTR_PROTOS)->p, dat_text(d, DAT_FTR_PROTOS)->len);
	if (dat_text(d, DAT_FTR_OOPS)->p)
		dat_write_oops(w, dat_text(d, DAT_FTR_OOPS)->p, dat_text(d, DAT_FTR_OOPS)->len);
	write_options(j, w);
	for (size_t i = 0; i < d->nr_buffers; i++)
		write_buffer(j, w, &d->buffers[i]);
	return dat_finish(w, err);
}

static void parse(struct job *j, int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "zZc:f:n:b:")) != -1) {
		j->pack_data |= c == 'Z';
		if (c == 'f')
			j->formats_path = optarg;
		else if (c == 'n')
			j->want_records = strtoull(optarg, NULL, 0);
		else if (c == 'z' || c == 'Z')
			j->packed = true;
		else if (c == 'c')
			j->cpus = strtoul(optarg, NULL, 0);
		else if (c == 'b')
			j->want_bytes = strtoull(optarg, NULL, 0);
		else
			die("usage: replicate [-zZ] [-c CPUS] [-f FORMATS] [-n RECORDS] [-b BYTES] IN OUT");
	}
	if (argc - optind != 2)
		die("usage: replicate [-zZ] [-c CPUS] [-f FORMATS] [-n RECORDS] [-b BYTES] IN OUT");
}

int main(int argc, char **argv)
{
	struct ftr_error err = {0};
	struct job j = {0};
	int fd;

	parse(&j, argc, argv);
	j.out_path = argv[optind + 1];
	j.in = dat_open(argv[optind], &err);
	if (!j.in)
		die(err.msg);
	if (j.in->big || RING_HOST_BIG)
		die("the input is not little-endian");
	find_times(&j);
	count_all(&j);
	fd = open(j.out_path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || write_all(&j, fd, &err) || close(fd))
		die(err.code ? err.msg : "cannot write");
	if (!j.cpus)
		printf("records=%" PRIu64 " copies=%" PRIu64 " of=%" PRIu64 "\n",
		       j.records * j.copies, j.copies, j.records);
	ev_format_release(&j.exit);
	dat_close(j.in);
	return 0;
}
