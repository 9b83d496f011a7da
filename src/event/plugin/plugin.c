/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The set of plugins: finding, vetting, loading and unloading them. */
#include "event/plugin/plugin.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/auxv.h>
#include <sys/stat.h>

#include "base/text.h"
#include "event/plugin/plugin_priv.h"

/* --- Plugins that wait until they are needed: what FTR_PLUGIN_LATE() says stands in an ELF note, so that it is read without loading anything. / */

#define HEAD_BYTES 4096		/* linkers put notes behind the program headers */
#define NOTE_NAME  "ftr"
#define NOTE_TYPE  1
#define WORD_MAX   256

struct head {
	uint8_t bytes[HEAD_BYTES];
	size_t  len;
};

/* @n bytes at @off into @to; false if they are not in the head of the file. */
static bool copy_head(const struct head *h, uint64_t off, void *to, size_t n)
{
	if (off > h->len || n > h->len - off)
		return false;
	memcpy(to, h->bytes + off, n);
	return true;
}

static uint64_t align_note(uint64_t n)
{
	return (n + 3) & ~3ULL;
}

/* Our text among the notes of [at, end). */
static char *find_note(const struct head *h, uint64_t at, uint64_t end)
{
	const char *text;
	ElfW(Nhdr) note;

	while (at < end && copy_head(h, at, &note, sizeof(note))) {
		at += sizeof(note);
		text = (const char *)h->bytes + at + align_note(note.n_namesz);
		if (at + align_note(note.n_namesz) + note.n_descsz > h->len)
			return NULL;
		if (note.n_type == NOTE_TYPE && note.n_namesz == sizeof(NOTE_NAME) &&
		    !memcmp(h->bytes + at, NOTE_NAME, sizeof(NOTE_NAME)))
			return xstrndup(text, note.n_descsz);
		at += align_note(note.n_namesz) + align_note(note.n_descsz);
	}
	return NULL;
}

static char *search_elf_notes(const struct head *h)
{
	char *text = NULL;
	ElfW(Ehdr) file;
	ElfW(Phdr) part;

	if (!copy_head(h, 0, &file, sizeof(file)) || memcmp(file.e_ident, ELFMAG, SELFMAG) ||
	    file.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
	    file.e_phentsize != sizeof(part))
		return NULL;
	for (unsigned int i = 0; i < file.e_phnum && !text; i++) {
		if (!copy_head(h, file.e_phoff + i * sizeof(part), &part, sizeof(part)))
			break;
		if (part.p_type == PT_NOTE && part.p_offset < h->len)
			text = find_note(h, part.p_offset, part.p_offset + part.p_filesz);
	}
	return text;
}

char *plug_late_events(int fd)
{
	struct head h;
	ssize_t n = pread(fd, h.bytes, sizeof(h.bytes), 0);

	if (n < 0)
		return NULL;
	h.len = n;
	return search_elf_notes(&h);
}

/* The next word; false at the end, or at one that makes no sense. */
static bool next_word(const char **at, char word[WORD_MAX])
{
	size_t n;

	*at += strspn(*at, " ");
	n = strcspn(*at, " ");
	if (!n || n >= WORD_MAX)
		return false;
	memcpy(word, *at, n);
	word[n] = 0;
	*at += n;
	return true;
}

bool plug_late_fits(const char *events, const char *system, const char *event)
{
	char word[WORD_MAX], *colon;

	while (next_word(&events, word)) {
		colon = strchr(word, ':');
		if (!colon)
			continue;
		*colon = 0;
		if (!fnmatch(word, system, 0) && !fnmatch(colon + 1, event, 0))
			return true;
	}
	return false;
}

bool plug_late_names(const char *events, const struct ftr_formatter *f)
{
	char word[WORD_MAX], *wanted = xasprintf("%s:%s", f->system ? f->system : "*", f->event);
	bool found = false;

	while (!found && next_word(&events, word))
		found = !strcmp(word, wanted);
	free(wanted);
	return found;
}

/* --- May code of this path be loaded? Plugins run with all rights of the program, so that nobody else than those who have these rights anyway may be able to exchange the file. What is checked is what was opened, and the descriptor is what is loaded: names may lead elsewhere a moment later. / */

#define AS_FOLDER (O_PATH | O_DIRECTORY)
#define AS_FILE	  (O_RDONLY | O_NONBLOCK | O_NOCTTY)

bool plug_elevated(void)
{
	return getauxval(AT_SECURE) || geteuid() != getuid() || getegid() != getgid();
}

static int refuse_path(struct ftr_error *err, const char *at, const char *why)
{
	return err_set(err, FTR_FAILED, "'%s' %s", at, why);
}


/*
 * One step of the path. Root's plugins must be root's; others may take whose they like, but not
 * what anybody may write. A sticky folder (/tmp) is fine: what is in it stays its owner's.
 */
static int check_step(const char *at, const struct stat *st, struct ftr_error *err)
{
	bool root = !geteuid() || plug_elevated();
	bool sticky = S_ISDIR(st->st_mode) && st->st_mode & S_ISVTX;

	if (st->st_mode & S_IWOTH && !sticky) {
		refuse_path(err, at, "can be written by anybody");
		return err_hint(err, "chmod o-w '%s'", at);
	}
	if (!root)
		return 0;
	if (st->st_uid) {
		refuse_path(err, at, "does not belong to root");
		return err_hint(err, "copy it to a folder of root's, or run ftr as its owner");
	}
	if (st->st_mode & S_IWGRP && st->st_gid && !sticky) {
		refuse_path(err, at, "can be written by its group");
		return err_hint(err, "chmod g-w '%s'", at);
	}
	return 0;
}

/* The last word of @at in the folder @dir. A link that was put there meanwhile is not followed. */
static int open_step(const char *at, int dir, int flags, struct ftr_error *err)
{
	const char *name = strrchr(at, '/') + 1;
	int fd = openat(dir, *name ? name : "/", flags | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return refuse_path(err, at, strerror(errno));
	if (!fstat(fd, &st) && !check_step(at, &st, err)) {
		if (flags == AS_FOLDER || S_ISREG(st.st_mode))
			return fd;
		refuse_path(err, at, "is not a regular file");
	}
	close(fd);
	return -1;
}

/* All steps from the root on, each opened in the one before. */
static int open_steps(char *real, int flags, struct ftr_error *err)
{
	int dir = open_step("/", AT_FDCWD, AS_FOLDER, err), fd;

	for (char *p = real; dir >= 0; *p = '/') {
		p += 1 + strcspn(p + 1, "/");
		if (!*p)
			break;
		*p = 0;
		fd = open_step(real, dir, AS_FOLDER, err);
		close(dir);
		dir = fd;
	}
	if (dir < 0)
		return -1;
	fd = open_step(real, dir, flags, err);
	close(dir);
	return fd;
}

static int open_real_path(const char *path, int flags, struct ftr_error *err)
{
	char *real = realpath(path, NULL);
	int fd;

	if (!real)
		return err_set(err, FTR_FAILED, "%s", strerror(errno));
	fd = open_steps(real, flags, err);
	free(real);
	return fd;
}

int plug_open(const char *path, struct ftr_error *err)
{
	return open_real_path(path, AS_FILE, err);
}

int plug_open_folder(const char *path, struct ftr_error *err)
{
	return open_real_path(path, AS_FOLDER, err);
}

int plug_open_in(int folder, const char *path, struct ftr_error *err)
{
	struct stat st;

	if (fstatat(folder, strrchr(path, '/') + 1, &st, AT_SYMLINK_NOFOLLOW) ||
	    S_ISLNK(st.st_mode))
		return plug_open(path, err);
	return open_step(path, folder, AS_FILE, err);
}

#define SYMBOL		"ftr_plugin"
#define PATH_LEN	4096
#define STRUCT_MAX	4096

struct ftr_init {
	struct ev_plugins *set;
	struct ev_plugin *plugin;
	char error[256];
};

/* --- what init() may call */

void ftr_init_error(struct ftr_init *in, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(in->error, sizeof(in->error), fmt, ap);
	va_end(ap);
}

void ftr_init_ordered(struct ftr_init *in)
{
	in->plugin->ordered = true;
}

void ftr_init_withdraw(struct ftr_init *in, const char *function)
{
	struct ev_plugins *s = in->set;

	for (size_t i = 0; i < s->nr_funcs; i++) {
		if (s->funcs[i]->plugin != in->plugin || strcmp(s->funcs[i]->f.name, function))
			continue;
		free(s->funcs[i]);
		memmove(&s->funcs[i], &s->funcs[i + 1],
			(--s->nr_funcs - i) * sizeof(*s->funcs));
		return;
	}
}

/* --- tables */

/* The element @i of a table, as far as both sides know its structure. */
static void copy_elem(void *to, size_t size, const void *table, size_t their_size, size_t i)
{
	size_t n = their_size < size ? their_size : size;

	memset(to, 0, size);
	if (table)
		memcpy(to, (const char *)table + i * their_size, n);
}

bool ev_plugin_option(const struct ev_plugin *p, size_t i, struct ftr_option *o)
{
	copy_elem(o, sizeof(*o), p->copy.options, p->copy.option_size, i);
	return o->name;
}

bool ev_plugin_formatter(const struct ev_plugin *p, size_t i, struct ftr_formatter *f)
{
	copy_elem(f, sizeof(*f), p->copy.formatters, p->copy.formatter_size, i);
	return f->event;
}

bool ev_plugin_function(const struct ev_plugin *p, size_t i, struct ftr_function *f)
{
	copy_elem(f, sizeof(*f), p->copy.functions, p->copy.function_size, i);
	return f->name;
}

static bool ev_plugin_constant(const struct ev_plugin *p, size_t i, struct ftr_constant *c)
{
	copy_elem(c, sizeof(*c), p->copy.constants, p->copy.constant_size, i);
	return c->name;
}

static bool is_plain_word(const char *s)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789_-";

	return s && *s && !s[strspn(s, letters)];
}

static bool same_pattern(const char *a, const char *b)
{
	return !strcmp(a ? a : "*", b ? b : "*");
}

/* ->sys tells this error from others. */
static int fail_taken(const struct ev_plugin *by, struct ftr_error *err, const char *what,
		      const char *name)
{
	err_set(err, FTR_FAILED, "%s '%s' is already given by plugin '%s' ('%s')", what, name,
		by->desc->name, by->path);
	err->sys = EEXIST;
	return -1;
}

static int add_formatters(struct ev_plugins *s, const struct ev_plugin *p, struct ftr_error *err)
{
	struct plug_formatter add = { .plugin = p };

	for (size_t i = 0; ev_plugin_formatter(p, i, &add.f); i++) {
		if (!add.f.format)
			return err_set(err, FTR_FAILED, "its formatter of '%s' has no function",
				       add.f.event);
		if (p->late && !plug_late_names(p->late, &add.f))
			return err_set(err, FTR_FAILED, "its FTR_PLUGIN_LATE() lacks '%s:%s'",
				       add.f.system ? add.f.system : "*", add.f.event);
		for (size_t k = 0; k < s->nr_formatters; k++)
			if (same_pattern(s->formatters[k]->f.system, add.f.system) &&
			    same_pattern(s->formatters[k]->f.event, add.f.event))
				return fail_taken(s->formatters[k]->plugin, err, "the formatter of",
						  add.f.event);
		s->formatters = xgrow(s->formatters, &s->cap_formatters, s->nr_formatters + 1,
				      sizeof(*s->formatters));
		s->formatters[s->nr_formatters++] = memcpy(xmalloc(sizeof(add)), &add, sizeof(add));
	}
	return 0;
}

/* "s:-bi" */
static bool good_signature(const char *sig)
{
	return sig && sig[0] && strchr("is", sig[0]) && sig[1] == ':' &&
	       !sig[2 + strspn(sig + 2, "isb-")] && strlen(sig) <= 2 + PLUG_ARGS_MAX;
}

static int add_functions(struct ev_plugins *s, const struct ev_plugin *p, struct ftr_error *err)
{
	struct plug_func add = { .plugin = p };

	for (size_t i = 0; ev_plugin_function(p, i, &add.f); i++) {
		if (!add.f.call)
			return err_set(err, FTR_FAILED, "its function '%s' has no code",
				       add.f.name);
		if (!good_signature(add.f.signature))
			return err_set(err, FTR_FAILED, "its function '%s' has a wrong signature",
				       add.f.name);
		for (size_t k = 0; k < s->nr_funcs; k++)
			if (!strcmp(s->funcs[k]->f.name, add.f.name))
				return fail_taken(s->funcs[k]->plugin, err, "function", add.f.name);
		s->funcs = xgrow(s->funcs, &s->cap_funcs, s->nr_funcs + 1, sizeof(*s->funcs));
		s->funcs[s->nr_funcs++] = memcpy(xmalloc(sizeof(add)), &add, sizeof(add));
	}
	return 0;
}

static int add_constants(struct ev_plugins *s, const struct ev_plugin *p, struct ftr_error *err)
{
	struct ftr_constant add;
	int64_t has;

	for (size_t i = 0; ev_plugin_constant(p, i, &add); i++) {
		if (plug_has_constant(s, add.name, strlen(add.name), &has) && has != add.value)
			return err_set(err, FTR_FAILED, "another plugin has the constant '%s' with "
				       "the value %jd", add.name, (intmax_t)has);
		s->constants = xgrow(s->constants, &s->cap_constants, s->nr_constants + 1,
				     sizeof(add));
		s->constants[s->nr_constants++] = add;
	}
	return 0;
}

/* --- one plugin */

/* Members that we do not know, of a newer header, must not be in use. */
static bool uses_newer(const struct ftr_plugin *d)
{
	const unsigned char *p = (const unsigned char *)d;

	for (size_t i = sizeof(*d); i < d->size; i++)
		if (p[i])
			return true;
	return false;
}

/* @first is the size when the ABI was new: when a structure grows, it stays what it is here. */
static bool good_size(uint32_t size, size_t first)
{
	return size >= first && size <= STRUCT_MAX;
}

static int check_head(const struct ftr_plugin *d, struct ftr_error *err)
{
	if (d->abi != FTR_PLUGIN_ABI) {
		err_set(err, FTR_FAILED, "it has plugin ABI %u, this ftr %u", d->abi,
			FTR_PLUGIN_ABI);
		return err_hint(err, "compile it anew with this ftr's <ftr/plugin.h>");
	}
	if (!good_size(d->size, sizeof(*d)) ||
	    !good_size(d->option_size, sizeof(struct ftr_option)) ||
	    !good_size(d->formatter_size, sizeof(struct ftr_formatter)) ||
	    !good_size(d->function_size, sizeof(struct ftr_function)) ||
	    !good_size(d->constant_size, sizeof(struct ftr_constant))) {
		err_set(err, FTR_FAILED, "the sizes of its tables make no sense");
		return err_hint(err, "begin it with FTR_PLUGIN_HEAD");
	}
	if (uses_newer(d)) {
		err_set(err, FTR_FAILED, "it uses what only a newer ftr has");
		return err_hint(err, "this is ftr " FTR_VERSION);
	}
	if (!is_plain_word(d->name))
		return err_set(err, FTR_FAILED, "the plugin's name is empty or has other "
			       "characters than letters, digits, '-' and '_'");
	return 0;
}

static const struct ev_plugin *plugin_by_name(const struct ev_plugins *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i]->desc && !strcmp(s->v[i]->desc->name, name))
			return s->v[i];
	return NULL;
}

static int fail_loaded(const struct ev_plugin *other, struct ftr_error *err)
{
	err_set(err, FTR_FAILED, "plugin '%s' is already loaded ('%s')", other->desc->name,
		other->path);
	err->sys = EEXIST;
	return -1;
}

static int start_plugin(struct ev_plugins *s, struct ev_plugin *p, const struct ftr_plugin *theirs,
			struct ftr_error *err)
{
	struct ftr_init in = { .set = s, .plugin = p };
	const struct ev_plugin *other;
	const struct ftr_plugin *d;

	if (check_head(theirs, err))
		return -1;
	other = plugin_by_name(s, theirs->name);
	if (other)
		return fail_loaded(other, err);
	copy_elem(&p->copy, sizeof(p->copy), theirs, theirs->size, 0);
	p->desc = d = &p->copy;
	if (plug_options_check(p, err) || plug_options_apply(s, p, err) ||
	    add_formatters(s, p, err) || add_functions(s, p, err) || add_constants(s, p, err))
		return -1;
	if (d->init && d->init(&in) != FTR_DONE)
		return err_set(err, FTR_FAILED, "%s", *in.error ? in.error : "it could not start");
	if (p->late && p->ordered && !s->nr_options)
		return err_set(err, FTR_FAILED, "FTR_PLUGIN_LATE() and ftr_init_ordered() exclude "
			       "each other");
	return 0;
}

/*
 * What the dynamic linker says of @loaded, which it was given for @path, with the path as the user
 * knows it; not where the message begins, as it has it already.
 */
static int loader_says(const char *loaded, const char *path, struct ftr_error *err)
{
	const char *msg = dlerror(), *at;
	size_t n = strlen(loaded);
	struct buf text = { 0 };

	msg = msg ? msg : "unknown error";
	if (!strncmp(msg, loaded, n) && msg[n] == ':')
		msg += n + 1 + strspn(msg + n + 1, " ");
	for (; (at = strstr(msg, loaded)); msg = at + n) {
		buf_add(&text, msg, at - msg);
		buf_addstr(&text, path);
	}
	buf_addstr(&text, msg);
	err_set(err, FTR_FAILED, "%s", text.data);
	buf_release(&text);
	return -1;
}

static bool is_same_file(const char *path, int fd)
{
	struct stat a, b;

	return !stat(path, &a) && !fstat(fd, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/*
 * dlopen() takes names only. It first compares them with those of what is loaded, and what was
 * loaded may outlive its dlclose(): so the number in this name must never be another file's.
 */
static int load_object(struct ev_plugin *p, struct ftr_error *err)
{
	char name[32];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", p->fd);
	if (!is_same_file(name, p->fd)) {
		err_set(err, FTR_FAILED, "/proc is not mounted");
		return err_hint(err, "mount -t proc proc /proc");
	}
	p->dl = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (!p->dl)
		return loader_says(name, p->path, err);
	p->fd = -1;
	return 0;
}

static int open_object(struct ev_plugins *s, struct ev_plugin *p, struct ftr_error *err)
{
	const struct ftr_plugin *d;

	if (load_object(p, err)) {
		if (strstr(err->msg, "undefined symbol: ftr_"))
			err_hint(err, "it needs a newer ftr than " FTR_VERSION);
		return -1;
	}
	d = dlsym(p->dl, SYMBOL);
	if (d)
		return start_plugin(s, p, d, err);
	if (!plug_tep_is(p->dl)) {
		err_set(err, FTR_FAILED, "it has no symbol '%s'", SYMBOL);
		return err_hint(err, "ftr-plugin(3) says what a plugin exports");
	}
	if (!s->traceevent) {
		err_set(err, FTR_FAILED, "it is a plugin of libtraceevent");
		return err_hint(err, "such plugins run with --engine=traceevent");
	}
	p->tep = true;
	return plug_tep_options(s, p, err);
}

/* Tables with so many rows; those behind them go. */
static void cut_tables(struct ev_plugins *s, size_t formatters, size_t funcs, size_t constants)
{
	while (s->nr_formatters > formatters)
		free(s->formatters[--s->nr_formatters]);
	while (s->nr_funcs > funcs)
		free(s->funcs[--s->nr_funcs]);
	s->nr_constants = constants;
}

static int load_checked(struct ev_plugins *s, struct ev_plugin *p, struct ftr_error *err)
{
	size_t formatters = s->nr_formatters, funcs = s->nr_funcs, constants = s->nr_constants;

	if (!open_object(s, p, err))
		return 0;
	cut_tables(s, formatters, funcs, constants);
	p->desc = NULL;
	if (p->dl)
		dlclose(p->dl);
	p->dl = NULL;
	return -1;
}

static struct ev_plugin *new_plugin(struct ev_plugins *s, const char *path, bool asked)
{
	struct ev_plugin *p = xcalloc(1, sizeof(*p));

	/* with a '/', so that the dynamic linker does not search for it */
	p->path = strchr(path, '/') ? xstrdup(path) : xasprintf("./%s", path);
	p->asked = asked;
	p->index = s->n;
	p->fd = -1;
	s->v = xgrow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
	s->v[s->n++] = p;
	return p;
}

static int load_plugin(struct ev_plugins *s, struct ev_plugin *p, struct ftr_error *err)
{
	struct ftr_error why = { 0 };

	if (!load_checked(s, p, &why))
		return 0;
	p->why = xstrdup(why.msg);
	p->replaced = !p->asked && why.sys == EEXIST;
	if (why.code == FTR_USAGE) {
		*err = why;
		return -1;
	}
	err_set(err, why.code, "cannot load plugin '%s': %s", p->path, why.msg);
	return why.hint[0] ? err_hint(err, "%s", why.hint) : -1;
}

static int not_safe(struct ev_plugin *p, struct ftr_error *err)
{
	struct ftr_error why = *err;

	p->why = xstrdup(why.msg);
	err_set(err, why.code, "cannot load plugin '%s': %s", p->path, p->why);
	return why.hint[0] ? err_hint(err, "%s", why.hint) : -1;
}

static int load_given_file(struct ev_plugins *s, const char *path, struct ftr_error *err)
{
	struct ev_plugin *p = new_plugin(s, path, true);

	p->fd = plug_open(p->path, err);
	if (p->fd < 0)
		return not_safe(p, err);
	p->late = plug_late_events(p->fd);
	return load_plugin(s, p, err);
}

/* One of the default folder: now, or when it is needed. @folder is -1 if that is not safe. */
static int add_default_file(struct ev_plugins *s, int folder, const char *path,
			    struct ftr_error *err)
{
	struct ev_plugin *p = new_plugin(s, path, false);

	p->fd = folder < 0 ? plug_open(p->path, err) : plug_open_in(folder, p->path, err);
	if (p->fd < 0)
		return not_safe(p, err);
	p->late = plug_late_events(p->fd);
	p->asleep = s->late && p->late;
	s->asleep += p->asleep;
	return p->asleep ? 0 : load_plugin(s, p, err);
}

void plug_wake(struct ev_plugins *s)
{
	struct ftr_error err;

	for (size_t i = 0; s->asleep; i++) {
		if (!s->v[i]->asleep)
			continue;
		s->v[i]->asleep = false;
		s->asleep--;
		load_plugin(s, s->v[i], &err);
	}
}

/* --- folders */

static bool is_object(const char *name)
{
	size_t n = strlen(name);

	return name[0] != '.' && n > 3 && !strcmp(name + n - 3, ".so");
}

static int list_objects(const char *path, struct strv *names, struct ftr_error *err)
{
	DIR *d = opendir(path);
	struct dirent *e;

	if (!d)
		return err_sys(err, "cannot read plugin folder '%s'", path);
	while ((e = readdir(d)))
		if (is_object(e->d_name))
			strv_take(names, xasprintf("%s/%s", path, e->d_name));
	closedir(d);
	strv_sort_unique(names);
	return 0;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

int ev_plugins_load(struct ev_plugins *s, const char *path, struct ftr_error *err)
{
	struct strv names = { 0 };
	int ret;

	if (!is_folder(path))
		return load_given_file(s, path, err);
	ret = list_objects(path, &names, err);
	if (!ret && !names.n)
		ret = err_set(err, FTR_FAILED, "no plugin is in '%s'", path);
	for (size_t i = 0; i < names.n && !ret; i++)
		ret = load_given_file(s, names.v[i], err);
	strv_release(&names);
	return ret;
}

/*
 * Who can write beside the program can exchange the program, so its folder is as good as the
 * compiled-in one. Not so when it runs with other rights than its caller's: a link to it can be
 * made in a folder of one's own.
 */
static char *find_folder(void)
{
	char exe[PATH_LEN], *slash, *beside;
	ssize_t n = plug_elevated() ? -1 : readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (n > 0) {
		exe[n] = 0;
		slash = strrchr(exe, '/');
		if (slash)
			*slash = 0;
		beside = xasprintf("%s/plugins", exe);
		if (is_folder(beside))
			return beside;
		free(beside);
	}
	return xstrdup(plug_installed_folder());
}

const char *ev_plugins_folder(struct ev_plugins *s)
{
	if (!s->folder)
		s->folder = find_folder();
	return s->folder;
}

void ev_plugins_load_default(struct ev_plugins *s)
{
	const char *folder = ev_plugins_folder(s);
	struct strv names = { 0 };
	struct ftr_error err = { 0 };
	int dir;

	if (is_folder(folder))
		list_objects(folder, &names, &err);
	dir = names.n ? plug_open_folder(folder, &err) : -1;
	for (size_t i = 0; i < names.n; i++)
		if (add_default_file(s, dir, names.v[i], &err) && err.code == FTR_USAGE)
			s->wrong_option = err;
	if (dir >= 0)
		close(dir);
	strv_release(&names);
}

/* --- life */

void ev_plugins_late(struct ev_plugins *s)
{
	s->late = !s->traceevent && !s->nr_options;
}

bool ev_plugins_are_late(const struct ev_plugins *s)
{
	return s->late;
}

struct ev_plugins *ev_plugins_new(bool traceevent)
{
	struct ev_plugins *s = xcalloc(1, sizeof(*s));

	s->traceevent = traceevent;
	pthread_mutex_init(&s->lock, NULL);
	return s;
}

static void binds_free(struct ev_plugins *s)
{
	struct plug_bind *b;

	while ((b = s->binds)) {
		s->binds = b->next;
		if (b->by && b->by->f.unbind)
			b->by->f.unbind(b->priv);
		free(b->fields);
		free(b);
	}
}

static void unload_plugin(struct ev_plugin *p)
{
	if (p->desc && p->desc->exit)
		p->desc->exit();
	if (p->dl)
		dlclose(p->dl);
	if (p->fd >= 0)
		close(p->fd);
	free(p->path);
	free(p->why);
	free(p->late);
	free(p);
}

void ev_plugins_free(struct ev_plugins *s)
{
	if (!s)
		return;
	binds_free(s);
	cut_tables(s, 0, 0, 0);
	while (s->n)
		unload_plugin(s->v[--s->n]);
	for (size_t i = 0; i < s->nr_options; i++) {
		free(s->options[i].plugin);
		free(s->options[i].name);
		free(s->options[i].value);
	}
	free(s->v);
	free(s->options);
	free(s->formatters);
	free(s->funcs);
	free(s->constants);
	free(s->folder);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

size_t ev_plugins_count(const struct ev_plugins *s)
{
	return s->n;
}

const struct ev_plugin *ev_plugins_get(const struct ev_plugins *s, size_t i)
{
	return s->v[i];
}

bool ev_plugins_ordered(const struct ev_plugins *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i]->desc && s->v[i]->ordered)
			return true;
	return false;
}
