/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a dump as a trace.dat file: encodes its records, makes sub-buffers and formats. */
#include "oops/dump_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/map.h"
#include "file/read/dat.h"
#include "file/ring/page.h"
#include "file/write/dat_write.h"
#include "oops/fields/field_solver.h"
#include "record/file/outfile.h"

#define FORMAT_BYTES_MAX (1 << 20)	/* limit for a format file */
#define SUBBUF 4096
/* A longer time between two records needs a time extend. */
#define DELTA_MAX ((1u << 27) - 1)

static const char header_page[] =
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
static const char header_event[] =
	"# compressed entry header\n\ttype_len    :    5 bits\n"
	"\ttime_delta  :   27 bits\n\tarray       :   32 bits\n\n\tpadding     : type == 29\n"
	"\ttime_extend : type == 30\n\ttime_stamp : type == 31\n\tdata max type_len  == 28\n";

static const struct ring_layout layout = {
	.big = RING_HOST_BIG, .commit_size = 8, .commit_off = 8, .data_off = 16,
	.subbuf_size = SUBBUF,
};

/* --- formats of events */

static int read_dat(struct format_files *f, const char *path, struct ftr_error *err)
{
	struct dat *d = dat_open(path, err);
	const struct dat_format *v;
	char *event;
	size_t n;

	if (!d)
		return -1;
	n = dat_formats(d, DAT_EVENT_FORMATS, &v);
	for (size_t i = 0; i < n; i++) {
		const char *p = v[i].text.p, *end = p + v[i].text.len, *nl;

		nl = memchr(p, '\n', end - p);
		if (!nl || nl - p < 7 || memcmp(p, "name: ", 6))
			continue;
		event = xstrndup(p + 6, nl - p - 6);
		formats_add(f, v[i].system, event, p, end - p);
		free(event);
	}
	dat_close(d);
	return 0;
}

static void read_event(struct format_files *f, int dir, const char *system, const char *event)
{
	char *path = xasprintf("%s/%s/format", system, event);
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct buf text = {0};

	if (fd >= 0) {
		if (!io_read_max(fd, FORMAT_BYTES_MAX, &text) && text.len)
			formats_add(f, system, event, text.data, text.len);
		close(fd);
	}
	buf_release(&text);
	free(path);
}

/* Appends the sorted names in the directory @path below @dir. */
static void list_names(int dir, const char *path, struct strv *names)
{
	int fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (*e->d_name != '.')
			strv_add(names, e->d_name);
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
	strv_sort_unique(names);
}

static int read_directory(struct format_files *f, const char *path, struct ftr_error *err)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct strv systems = {0}, events;

	if (dir < 0)
		return err_sys(err, "cannot read '%s'", path);
	list_names(dir, ".", &systems);
	for (size_t i = 0; i < systems.n; i++) {
		events = (struct strv){0};
		list_names(dir, systems.v[i], &events);
		for (size_t j = 0; j < events.n; j++)
			read_event(f, dir, systems.v[i], events.v[j]);
		strv_release(&events);
	}
	strv_release(&systems);
	close(dir);
	return 0;
}

static const char mark[] = "@@FILE ";

/* Returns the next line that starts with the mark, from @p on, or NULL. */
static const char *next_mark(const char *p, const char *start, const char *end)
{
	while ((p = memmem(p, end - p, mark, sizeof(mark) - 1)) && p > start && p[-1] != '\n')
		p++;
	return p;
}

/* Adds a format: the line "@@FILE ./SYSTEM/EVENT/format" and its text. */
static void add_part(struct format_files *f, const char *p, const char *end)
{
	const char *nl = memchr(p, '\n', end - p);
	struct strv parts = {0};
	char *path;

	if (!nl)
		return;
	path = xstrndup(p + sizeof(mark) - 1, nl - p - (sizeof(mark) - 1));
	strv_split(&parts, path, "/");
	if (parts.n >= 3)
		formats_add(f, parts.v[parts.n - 3], parts.v[parts.n - 2], nl + 1, end - nl - 1);
	strv_release(&parts);
	free(path);
}

static int read_file(struct format_files *f, const char *path, struct ftr_error *err)
{
	const char *start, *end, *p, *next;
	struct buf text = {0};
	int ret = 0;

	if (io_read_input(path, &text)) {
		buf_release(&text);
		return err_sys(err, "cannot read '%s'", path);
	}
	if (text.len > sizeof(mark) && memmem(text.data, text.len < 4096 ? text.len : 4096, mark,
					      sizeof(mark) - 1)) {
		start = text.data;
		end = start + text.len;
		for (p = next_mark(start, start, end); p; p = next) {
			next = next_mark(p + 1, start, end);
			add_part(f, p, next ? next : end);
		}
	} else {
		ret = read_dat(f, path, err);
	}
	buf_release(&text);
	return ret;
}

int oops_formats_read(struct format_files *f, const char *path, struct ftr_error *err)
{
	struct stat st;
	struct tfs t;
	int ret;

	if (!path) {
		if (!tfs_open(&t, NULL)) {
			formats_read_all(f, &t, false);
			tfs_close(&t);
		}
		return 0;
	}
	if (stat(path, &st))
		return err_sys(err, "cannot read '%s'", path);
	ret = (S_ISDIR(st.st_mode) ? read_directory : read_file)(f, path, err);
	if (ret || f->n)
		return ret;
	err_set(err, FTR_FAILED, "'%s' has no formats of events", path);
	return err_hint(err, "it may be a trace file, a directory as tracefs' events, or a text "
			"with '@@FILE SYSTEM/EVENT/format' before each");
}

/* --- records */

#define COMMON_LINES \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

enum { ID_FUNCTION = 1, ID_STACK = 4, ID_PRINT = 5, ID_EXIT = 10, ID_ENTRY = 11, ID_FIRST = 100 };

#define ID_MAX	   UINT16_MAX
/* Limit for names of events, each with up to two formats. A kernel has some thousands. */
#define NAMES_MAX  16384
#define TEXT_MAX   3000
#define FRAMES_MAX 400

const char *const oops_builtin_formats[OOPS_BUILTIN_FORMATS] = {
	"name: function\nID: 1\nformat:\n" COMMON_LINES
	"\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long parent_ip;\toffset:16;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \" %ps <-- %ps\", (void *)REC->ip, (void *)REC->parent_ip\n",

	"name: kernel_stack\nID: 4\nformat:\n" COMMON_LINES
	"\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n\n"
	"print fmt: \"\\t=> %ps\\n\\t=> %ps\\n\", (void *)REC->caller[0], (void *)REC->caller[1]\n",

	"name: print\nID: 5\nformat:\n" COMMON_LINES
	"\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n\n"
	"print fmt: \"%ps: %s\", (void *)REC->ip, REC->buf\n",

	"name: funcgraph_entry\nID: 11\nformat:\n" COMMON_LINES
	"\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"--> %ps (%d)\", (void *)REC->func, REC->depth\n",

	"name: funcgraph_exit\nID: 10\nformat:\n" COMMON_LINES
	"\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned int overrun;\toffset:20;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long long calltime;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long long rettime;\toffset:32;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"<-- %ps (%d) (start: %llx  end: %llx) over: %d\", (void *)REC->func, "
	"REC->depth, REC->calltime, REC->rettime, REC->depth\n",
};

/* The events of one name: with its text, and with fields once they were solved. */
struct named_events {
	struct oops_kind *text, *fields;
	struct named_events *same;		/* the next one with the same hash */
	struct oops_fields *how;	/* its solver, never NULL */
};

struct oops_events {
	const struct oops_syms *syms;
	const struct format_files *formats;
	struct oops_kind **v;
	size_t n, cap;
	struct map by_name;
	struct named_events **names;
	size_t nr_names, cap_names;
	struct oops_counts counts;
	struct oops_solver *solver;
};

struct oops_events *oops_events_new(const struct oops_syms *syms,
				    const struct format_files *formats)
{
	struct oops_events *e = xcalloc(1, sizeof(*e));

	e->syms = syms;
	e->formats = formats;
	e->solver = oops_solver_new(syms, formats);
	return e;
}

/* --- records of ftrace, in the byte order of this machine */

static void add_common(struct buf *out, uint16_t id, const struct dump_rec *r)
{
	int32_t pid = r->pid;

	buf_add(out, &id, 2);
	buf_add(out, &r->flags, 1);
	buf_add(out, &r->count, 1);
	buf_add(out, &pid, 4);
}

static void add_u64(struct buf *out, uint64_t v)
{
	buf_add(out, &v, 8);
}

static void add_u32(struct buf *out, uint32_t v)
{
	buf_add(out, &v, 4);
}

static void encode_stack(struct oops_events *e, const struct log_dump *d, const struct dump_rec *r,
			 struct buf *out)
{
	size_t n = r->nr_frames > FRAMES_MAX ? FRAMES_MAX : r->nr_frames;

	add_common(out, ID_STACK, r);
	add_u32(out, n);
	add_u32(out, 0);
	for (size_t i = 0; i < n; i++)
		add_u64(out, oops_syms_addr(e->syms, d->frames[r->frames + i]));
}

static void encode_graph(struct oops_events *e, const struct dump_rec *r, struct buf *out)
{
	bool exit = r->kind == DUMP_EXIT;

	add_common(out, exit ? ID_EXIT : ID_ENTRY, r);
	add_u64(out, r->name.len ? oops_syms_addr(e->syms, r->name) : 0);
	add_u32(out, r->depth);
	add_u32(out, 0);
	if (!exit)
		return;
	add_u64(out, r->ns - r->duration_ns);
	add_u64(out, r->ns);
}

/* --- events */

static struct oops_kind *add_kind(struct oops_events *e, const char *system, const char *name)
{
	struct oops_kind *k;

	if (ID_FIRST + e->n > ID_MAX)
		return NULL;
	k = xcalloc(1, sizeof(*k));
	k->id = ID_FIRST + e->n;
	k->system = xstrdup(system);
	k->name = xstrdup(name);
	buf_printf(&k->format, "name: %s\nID: %u\nformat:\n" COMMON_LINES, name, k->id);
	e->v = xgrow(e->v, &e->cap, e->n + 1, sizeof(*e->v));
	e->v[e->n++] = k;
	return k;
}

static struct named_events *find_named(struct oops_events *e, const char *before,
				       struct span_text name)
{
	static const char other[] = "other_event";
	uint64_t hash = hash_two(before, strlen(before), name.p, name.len);
	struct named_events *n = map_get(&e->by_name, hash);
	char *full;

	for (; n; n = n->same)
		if (oops_fields_is(n->how, before, name))
			return n;
	if (e->nr_names >= NAMES_MAX && name.p != other)
		return find_named(e, "", (struct span_text){ other, sizeof(other) - 1 });
	n = xcalloc(1, sizeof(*n));
	full = xasprintf("%s%.*s", before, (int)name.len, name.p);
	n->how = oops_fields_new(e->solver, full);
	free(full);
	n->same = map_put(&e->by_name, hash, n);
	e->names = xgrow(e->names, &e->cap_names, e->nr_names + 1, sizeof(*e->names));
	e->names[e->nr_names++] = n;
	return n;
}

static bool encode_fields(struct oops_events *e, struct named_events *n, const struct dump_rec *r,
			  struct buf *out)
{
	struct buf body = {0};
	bool ok = oops_fields_solve(n->how, r, &body);

	if (ok && !n->fields) {
		n->fields = add_kind(e, oops_fields_system(n->how), oops_fields_name(n->how));
		ok = n->fields;
		if (ok)
			oops_fields_format(n->how, &n->fields->format);
	}
	if (ok) {
		n->fields->records++;
		add_common(out, n->fields->id, r);
		buf_add(out, body.data, body.len);
		e->counts.with_fields++;
	}
	buf_release(&body);
	return ok;
}

/* Encodes an event whose only field is its text. Returns false if the file can have no more ids. */
static bool encode_text(struct oops_events *e, struct named_events *n, const struct dump_rec *r,
			struct span_text text, struct buf *out)
{
	const char *system = n->how ? oops_fields_system(n->how) : "dump";
	size_t len = text.len > TEXT_MAX ? TEXT_MAX : text.len;

	if (!n->text)
		n->text = add_kind(e, system, oops_fields_name(n->how));
	if (!n->text)
		return false;
	if (!n->text->records++)
		buf_addstr(&n->text->format,
			   "\tfield:__data_loc char[] text;\toffset:8;\tsize:4;\tsigned:0;\n\n"
			   "print fmt: \"%s\", __get_str(text)\n");
	add_common(out, n->text->id, r);
	add_u32(out, 12 | (uint32_t)(len + 1) << 16);
	buf_add(out, text.p, len);
	buf_addch(out, '\0');
	return true;
}

static bool encode_event(struct oops_events *e, const struct dump_rec *r, struct buf *out)
{
	static const char *const prefixes[] = {
		[DUMP_EVENT] = "", [DUMP_SYSCALL] = "sys_enter_", [DUMP_SYSRET] = "sys_exit_",
		[DUMP_STACK] = "",
	};
	const char *prefix = prefixes[r->kind];
	struct named_events *n = find_named(e, prefix, r->name);
	struct buf text = {0};
	bool ok;

	e->counts.events++;
	if (oops_fields_is(n->how, prefix, r->name))
		return encode_fields(e, n, r, out) || encode_text(e, n, r, r->text, out);
	/* an event beyond NAMES_MAX: its text starts with its name */
	buf_printf(&text, "%s%.*s: %.*s", prefix, (int)r->name.len, r->name.p, (int)r->text.len,
		   r->text.p);
	ok = encode_text(e, n, r, (struct span_text){ text.data, text.len }, out);
	e->counts.others += ok;
	buf_release(&text);
	return ok;
}

/* Encodes a user stack, whose frames are text. */
static bool encode_user_stack(struct oops_events *e, const struct log_dump *d,
			      const struct dump_rec *r, struct buf *out)
{
	struct buf text = {0};
	bool ok;

	for (size_t i = 0; i < r->nr_frames && text.len < TEXT_MAX; i++) {
		const struct span_text *f = &d->frames[r->frames + i];

		buf_addstr(&text, i ? " => " : "=> ");
		buf_add(&text, f->p, f->len);
	}
	ok = encode_text(e, find_named(e, "", r->name), r,
			 (struct span_text){ text.data ? text.data : "", text.len }, out);
	e->counts.events += ok;
	buf_release(&text);
	return ok;
}

bool oops_events_encode(struct oops_events *e, const struct log_dump *d, const struct dump_rec *r,
			struct buf *out)
{
	switch (r->kind) {
	case DUMP_FUNCTION:
		add_common(out, ID_FUNCTION, r);
		add_u64(out, oops_syms_addr(e->syms, r->name));
		add_u64(out, oops_syms_addr(e->syms, r->text));
		return true;
	case DUMP_ENTRY:
	case DUMP_EXIT:
		encode_graph(e, r, out);
		return true;
	case DUMP_STACK:
		if (*r->name.p == 'u')
			return encode_user_stack(e, d, r, out);
		encode_stack(e, d, r, out);
		return true;
	default:
		return encode_event(e, r, out);
	}
}

size_t oops_events_kinds(const struct oops_events *e, struct oops_kind *const **v)
{
	*v = e->v;
	return e->n;
}

struct oops_counts oops_events_count(const struct oops_events *e)
{
	return e->counts;
}

void oops_events_free(struct oops_events *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->n; i++) {
		free(e->v[i]->system);
		free(e->v[i]->name);
		buf_release(&e->v[i]->format);
		free(e->v[i]);
	}
	for (size_t i = 0; i < e->nr_names; i++) {
		oops_fields_free(e->names[i]->how);
		free(e->names[i]);
	}
	free(e->v);
	free(e->names);
	map_release(&e->by_name);
	oops_solver_free(e->solver);
	free(e);
}

/* --- sub-buffers */

/* The sub-buffers of one CPU. */
struct cpu_data {
	struct ring_build build;
	uint8_t  mem[SUBBUF];
	bool     open;			/* ->mem has a sub-buffer that is not complete */
	uint64_t ts;			/* time of the last record */
	uint64_t lost;			/* events lost before the open sub-buffer */
	struct buf done;		/* complete sub-buffers */
};

struct dump_writer {
	const struct log_dump *dump;
	const struct buf *lines;	/* more lines "key=value" for the file, or NULL */
	struct cpu_data **cpus;
	size_t nr_cpus;
	int64_t shift_ns;		/* added to the times of the dump */
	struct oops_syms *syms;
	struct oops_events *events;
	size_t records;
};

static void end_page(struct cpu_data *c)
{
	if (!c->open)
		return;
	if (c->lost)
		ring_build_commit_lost(&c->build, c->lost);
	else
		ring_build_commit(&c->build, 0);
	buf_add(&c->done, c->mem, SUBBUF);
	c->open = false;
	c->lost = 0;
}

static void add_record(struct cpu_data *c, uint64_t ts, uint64_t lost, const struct buf *rec)
{
	/* the number of lost events is stored after the last record */
	bool has_room = c->build.at + rec->len + 8 + 8 + 8 + 8 <= SUBBUF - 16;

	if (lost || (c->open && !has_room))
		end_page(c);
	if (!c->open) {
		memset(c->mem, 0, SUBBUF);
		ring_build_start(&c->build, &layout, c->mem, ts);
		c->open = true;
		c->ts = ts;
		c->lost = lost;
	}
	if (ts - c->ts > DELTA_MAX) {
		ring_build_extend(&c->build, ts - c->ts);
		c->ts = ts;
	}
	ring_build_event(&c->build, ts - c->ts, rec->data, rec->len);
	c->ts = ts;
}

static void add_records(struct dump_writer *m)
{
	struct buf rec = {0};

	for (size_t i = 0; i < m->dump->n; i++) {
		struct dump_rec r = m->dump->v[i];

		r.ns += m->shift_ns;
		buf_reset(&rec);
		if (!oops_events_encode(m->events, m->dump, &r, &rec))
			continue;
		if (!m->cpus[r.cpu])
			m->cpus[r.cpu] = xcalloc(1, sizeof(*m->cpus[r.cpu]));
		add_record(m->cpus[r.cpu], r.ns, r.lost, &rec);
		m->records++;
	}
	for (size_t i = 0; i < m->nr_cpus; i++)
		if (m->cpus[i])
			end_page(m->cpus[i]);
	buf_release(&rec);
}

/* --- the file */

static int compare_kinds(const void *a, const void *b)
{
	const struct oops_kind *const *x = a, *const *y = b;
	int order = strcmp((*x)->system, (*y)->system);

	return order ? order : (*x)->id - (*y)->id;
}

static void write_formats(struct dump_writer *m, struct dat_writer *w)
{
	struct dat_write_format builtin[OOPS_BUILTIN_FORMATS], *v;
	struct oops_kind *const *kinds, **sorted;
	size_t n = oops_events_kinds(m->events, &kinds);

	for (size_t i = 0; i < OOPS_BUILTIN_FORMATS; i++)
		builtin[i] = (struct dat_write_format){
			"ftrace", oops_builtin_formats[i], strlen(oops_builtin_formats[i])
		};
	dat_write_ftrace_events(w, builtin, OOPS_BUILTIN_FORMATS);
	v = xcalloc(n + 1, sizeof(*v));
	sorted = xcalloc(n + 1, sizeof(*sorted));
	if (n)
		memcpy(sorted, kinds, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare_kinds);
	for (size_t i = 0; i < n; i++)
		v[i] = (struct dat_write_format){
			sorted[i]->system, sorted[i]->format.data, sorted[i]->format.len
		};
	dat_write_event_formats(w, v, n);
	free(v);
	free(sorted);
}

static void write_meta(struct dump_writer *m, struct dat_writer *w)
{
	const struct log_dump *d = m->dump;
	const char *times = "of the text, the last record at the time of the dump's first line";
	struct buf b = {0};

	if (d->made_times)
		times = "made up, in the order of the text, with its durations";
	else if (d->absolute)
		times = "of the text";
	else if (!d->timed)
		times = "of the text, since the start of the buffer";
	else if (d->headless)
		times = "of the text, the last record at the time of the first line that is left";
	buf_printf(&b, "source=text of a dump of ftrace\naddresses=made up from names\n"
		   "times=%s\n", times);
	if (*d->instance)
		buf_printf(&b, "dumped_instance=%s\n", d->instance);
	if (m->lines)
		buf_add(&b, m->lines->data, m->lines->len);
	dat_write_meta(w, b.data, b.len);
	buf_release(&b);
}

/*
 * Writes the data to a file without a name, one CPU after the other, and from there to @w. Returns
 * 0, or -1 with @err.
 */
static int write_data(struct dump_writer *m, struct dat_writer *w, struct ftr_error *err)
{
	struct dat_write_cpu *v = xcalloc(m->nr_cpus + 1, sizeof(*v));
	int fd = io_unnamed(), ret = 0;
	size_t n = 0;
	off_t at = 0;

	if (fd < 0)
		ret = err_sys(err, "cannot make a file in '%s'", io_tmpdir());
	for (size_t i = 0; !ret && i < m->nr_cpus; i++) {
		if (!m->cpus[i])
			continue;
		ret = io_write_all(fd, m->cpus[i]->done.data, m->cpus[i]->done.len);
		if (ret)
			err_write(err, "cannot write to a file in '%s'", io_tmpdir());
		v[n++] = (struct dat_write_cpu){
			.cpu = i, .fd = fd, .base = at, .size = m->cpus[i]->done.len,
		};
		at += m->cpus[i]->done.len;
	}
	if (!ret)
		dat_write_buffer(w, "", "local", SUBBUF, v, n);
	if (fd >= 0)
		close(fd);
	free(v);
	return ret;
}

static int write_all(struct dump_writer *m, int fd, const char *path, struct ftr_error *err)
{
	struct dat_writer *w = dat_create(fd, path, SUBBUF, err);
	const struct log_dump *d = m->dump;
	struct buf symbols = {0}, comms = {0};
	uint32_t n = m->nr_cpus;

	if (!w)
		return -1;
	dat_write_header_info(w, header_page, sizeof(header_page) - 1, header_event,
			      sizeof(header_event) - 1);
	write_formats(m, w);
	oops_syms_print(m->syms, &symbols);
	dat_write_blob(w, DAT_KALLSYMS, symbols.data ? symbols.data : "", symbols.len);
	buf_release(&symbols);
	dat_write_blob(w, DAT_PRINTK, "", 0);
	for (size_t i = 0; i < d->nr_pids; i++)
		if (d->pids[i])
			buf_printf(&comms, "%d %s\n", d->pids[i],
				   (char *)map_get(&d->comms, d->pids[i]));
	dat_write_blob(w, DAT_CMDLINES, comms.data ? comms.data : "", comms.len);
	buf_release(&comms);
	write_meta(m, w);
	dat_write_oops(w, d->oops.data ? d->oops.data : "", d->oops.len);
	dat_add_option(w, DAT_CPUCOUNT, &n, sizeof(n));
	dat_add_option(w, DAT_TRACECLOCK, "[local]", sizeof("[local]"));
	if (write_data(m, w, err)) {
		dat_abort(w);
		return -1;
	}
	return dat_finish(w, err) ? -1 : 0;
}

static void maker_release(struct dump_writer *m)
{
	for (size_t i = 0; i < m->nr_cpus; i++) {
		if (m->cpus[i])
			buf_release(&m->cpus[i]->done);
		free(m->cpus[i]);
	}
	free(m->cpus);
	oops_events_free(m->events);
	oops_syms_free(m->syms);
}

int oops_file_write(const char *path, const struct log_dump *d, const struct format_files *formats,
		    const struct buf *lines, struct oops_counts *counts, struct ftr_error *err)
{
	struct dump_writer m = { .dump = d, .lines = lines, .nr_cpus = 1 };
	struct outfile out;
	uint64_t last = 0;
	int ret;

	for (size_t i = 0; i < d->n; i++) {
		if ((size_t)d->v[i].cpu >= m.nr_cpus)
			m.nr_cpus = d->v[i].cpu + 1;
		if (d->v[i].ns > last)
			last = d->v[i].ns;
	}
	/*
	 * times count from the start of the buffer: put the last record at the time of the dump's
	 * head
	 */
	if (d->timed && !d->absolute && d->head_ns > last)
		m.shift_ns = d->head_ns - last;
	m.cpus = xcalloc(m.nr_cpus, sizeof(*m.cpus));
	m.syms = oops_syms_new(d);
	m.events = oops_events_new(m.syms, formats);
	add_records(&m);
	ret = outfile_open(&out, path, err) ? -1 : 0;
	if (!ret) {
		ret = write_all(&m, out.fd, path, err);
		if (ret)
			outfile_drop(&out);
		else
			ret = outfile_commit(&out, err);
		outfile_release(&out);
	}
	*counts = oops_events_count(m.events);
	counts->records = m.records;
	maker_release(&m);
	return ret;
}
