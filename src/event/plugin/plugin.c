/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The set of plugins: finding, vetting, loading and unloading them.
 *
 * Plugins are code that runs with the rights of a root shell. So they come from one directory and
 * from --plugin only: with an environment variable or the home directory, any user who can set
 * those would run code in root's ftr. Each step of the path is checked and opened in the one
 * before. The directory "plugins" next to the program precedes the installed one, so that a build
 * tree works; it is ignored with AT_SECURE or with ids that differ. dlopen() gets /proc/self/fd/N
 * of the file that was checked, as a name may lead elsewhere between check and load. That
 * descriptor is never closed, see open_object().
 *
 * A dlopen() for each plugin delays the first line, so plugins that come with ftr are loaded late.
 * The text of FTR_PLUGIN_LATE() is an ELF note in the first 4 KiB of the file, which three system
 * calls read. The first event that one of the plugins names, or the first name that the engine
 * does not know, loads all of them in the order of their names: so their effect on each other does
 * not depend on the time of loading. A list that lacks a formatter is refused, so it cannot be out
 * of date.
 */
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

/*
 * --- plugins that wait until they are needed: the text of FTR_PLUGIN_LATE() is in an ELF note,
 * which is read without loading the object
 */

#define HEAD_BYTES 4096		/* linkers write notes after the program headers */
#define NOTE_NAME  "ftr"
#define NOTE_TYPE  1
#define WORD_MAX   256

struct plugin_head {
	uint8_t bytes[HEAD_BYTES];
	size_t  len;
};

/* Copies @n bytes at @off to @to. Returns false if they are not in the head of the file. */
static bool copy_head(const struct plugin_head *h, uint64_t off, void *to, size_t n)
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

/*
 * Returns the text of FTR_PLUGIN_LATE() in the file @fd, or NULL if there is none. The caller
 * frees.
 */
static char *late_events_read(int fd)
{
	struct plugin_head h;
	ssize_t n = pread(fd, h.bytes, sizeof(h.bytes), 0);
	uint64_t at, end, text;
	ElfW(Ehdr) file;
	ElfW(Phdr) part;
	ElfW(Nhdr) note;

	if (n < 0)
		return NULL;
	h.len = n;
	if (!copy_head(&h, 0, &file, sizeof(file)) || memcmp(file.e_ident, ELFMAG, SELFMAG) ||
	    file.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
	    file.e_phentsize != sizeof(part))
		return NULL;
	for (unsigned int i = 0; i < file.e_phnum; i++) {
		if (!copy_head(&h, file.e_phoff + i * sizeof(part), &part, sizeof(part)))
			break;
		if (part.p_type != PT_NOTE || part.p_offset >= h.len)
			continue;
		at = part.p_offset;
		end = part.p_offset + part.p_filesz;
		while (at < end && copy_head(&h, at, &note, sizeof(note))) {
			at += sizeof(note);
			text = at + align_note(note.n_namesz);
			if (text + note.n_descsz > h.len)
				break;
			if (note.n_type == NOTE_TYPE && note.n_namesz == sizeof(NOTE_NAME) &&
			    !memcmp(h.bytes + at, NOTE_NAME, sizeof(NOTE_NAME)))
				return xstrndup((const char *)h.bytes + text, note.n_descsz);
			at = text + align_note(note.n_descsz);
		}
	}
	return NULL;
}

/* Copies the next word. Returns false at the end, or at a word that is too long. */
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

/* Returns true if the list has the events of a formatter. */
static bool late_events_name(const char *events, const struct ftr_formatter *f)
{
	char word[WORD_MAX], *wanted = xasprintf("%s:%s", f->system ? f->system : "*", f->event);
	bool found = false;

	while (!found && next_word(&events, word))
		found = !strcmp(word, wanted);
	free(wanted);
	return found;
}

/*
 * --- safe paths: plugins run with all rights of the program, so only users who have these rights
 * anyway may be able to replace the file. The checks are of the opened file, and its descriptor is
 * loaded: names may lead elsewhere a moment later.
 */

#define AS_DIR	(O_PATH | O_DIRECTORY)
#define AS_FILE	(O_RDONLY | O_NONBLOCK | O_NOCTTY)

/* Returns true if the program has extra privileges: set-id bits or file capabilities. */
static bool is_elevated(void)
{
	return getauxval(AT_SECURE) || geteuid() != getuid() || getegid() != getgid();
}

static int refuse_path(struct ftr_error *err, const char *at, const char *why)
{
	return err_set(err, FTR_FAILED, "'%s' %s", at, why);
}

/*
 * Checks one step of a path. Root's plugins must belong to root; other users may load anybody's,
 * but no file that anybody may write. A sticky directory (/tmp) is safe: its files stay their
 * owners'.
 */
static int check_step(const char *at, const struct stat *st, struct ftr_error *err)
{
	bool root = !geteuid() || is_elevated();
	bool sticky = S_ISDIR(st->st_mode) && st->st_mode & S_ISVTX;

	if (st->st_mode & S_IWOTH && !sticky) {
		refuse_path(err, at, "can be written by anybody");
		return err_hint(err, "chmod o-w '%s'", at);
	}
	if (!root)
		return 0;
	if (st->st_uid) {
		refuse_path(err, at, "does not belong to root");
		return err_hint(err, "copy it to a directory of root's, or run ftr as its owner");
	}
	if (st->st_mode & S_IWGRP && st->st_gid && !sticky) {
		refuse_path(err, at, "can be written by its group");
		return err_hint(err, "chmod g-w '%s'", at);
	}
	return 0;
}

/*
 * Opens the last word of @at in the directory @dir. A link that was made there meanwhile is not
 * followed.
 */
static int open_step(const char *at, int dir, int flags, struct ftr_error *err)
{
	const char *name = strrchr(at, '/') + 1;
	int fd = openat(dir, *name ? name : "/", flags | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return refuse_path(err, at, strerror(errno));
	if (!fstat(fd, &st) && !check_step(at, &st, err)) {
		if (flags == AS_DIR || S_ISREG(st.st_mode))
			return fd;
		refuse_path(err, at, "is not a regular file");
	}
	close(fd);
	return -1;
}

/*
 * Opens a regular file for reading, or a directory, if only trusted users could have written it.
 * All steps from the root on are opened in the one before. Returns a descriptor, which the caller
 * closes, or -1 with @err.
 */
static int open_safe_path(const char *path, int flags, struct ftr_error *err)
{
	char *real = realpath(path, NULL);
	int dir, fd = -1;

	if (!real)
		return err_set(err, FTR_FAILED, "%s", strerror(errno));
	dir = open_step("/", AT_FDCWD, AS_DIR, err);
	for (char *p = real; dir >= 0; *p = '/') {
		p += 1 + strcspn(p + 1, "/");
		if (!*p)
			break;
		*p = 0;
		fd = open_step(real, dir, AS_DIR, err);
		close(dir);
		dir = fd;
	}
	if (dir >= 0) {
		fd = open_step(real, dir, flags, err);
		close(dir);
	}
	free(real);
	return fd;
}

#define SYMBOL		"ftr_plugin"
#define PATH_LEN	4096
#define STRUCT_MAX	4096

struct ftr_init {
	struct ev_plugins *set;
	struct ev_plugin *plugin;
	char error[256];
};

/* --- functions for init() */

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

/*
 * Copies the element @i of a table, as far as both sides know its structure. Missing members are
 * zero.
 */
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

/* Sets @err, with ->sys as a mark for load_plugin(). Returns -1. */
static int plugin_fail_duplicate(const struct ev_plugin *by, struct ftr_error *err,
				 const char *what, const char *name)
{
	err_set(err, FTR_FAILED, "%s '%s' is already given by plugin '%s' ('%s')", what, name,
		by->desc->name, by->path);
	err->sys = EEXIST;
	return -1;
}

static const char *or_any(const char *pattern)
{
	return pattern ? pattern : "*";
}

static int add_formatters(struct ev_plugins *s, const struct ev_plugin *p, struct ftr_error *err)
{
	struct plug_formatter add = { .plugin = p };

	for (size_t i = 0; ev_plugin_formatter(p, i, &add.f); i++) {
		if (!add.f.format)
			return err_set(err, FTR_FAILED, "its formatter of '%s' has no function",
				       add.f.event);
		if (p->late && !late_events_name(p->late, &add.f))
			return err_set(err, FTR_FAILED, "its FTR_PLUGIN_LATE() lacks '%s:%s'",
				       add.f.system ? add.f.system : "*", add.f.event);
		for (size_t k = 0; k < s->nr_formatters; k++)
			if (!strcmp(or_any(s->formatters[k]->f.system), or_any(add.f.system)) &&
			    !strcmp(or_any(s->formatters[k]->f.event), or_any(add.f.event)))
				return plugin_fail_duplicate(s->formatters[k]->plugin, err,
							     "the formatter of", add.f.event);
		s->formatters = xgrow(s->formatters, &s->cap_formatters, s->nr_formatters + 1,
				      sizeof(*s->formatters));
		s->formatters[s->nr_formatters++] = memcpy(xmalloc(sizeof(add)), &add, sizeof(add));
	}
	return 0;
}

static int add_functions(struct ev_plugins *s, const struct ev_plugin *p, struct ftr_error *err)
{
	struct plug_func add = { .plugin = p };
	const char *sig;

	for (size_t i = 0; ev_plugin_function(p, i, &add.f); i++) {
		if (!add.f.call)
			return err_set(err, FTR_FAILED, "its function '%s' has no code",
				       add.f.name);
		/* "s:-bi" */
		sig = add.f.signature;
		if (!sig || !sig[0] || !strchr("is", sig[0]) || sig[1] != ':' ||
		    sig[2 + strspn(sig + 2, "isb-")] || strlen(sig) > 2 + PLUG_ARGS_MAX)
			return err_set(err, FTR_FAILED, "its function '%s' has a wrong signature",
				       add.f.name);
		for (size_t k = 0; k < s->nr_funcs; k++)
			if (!strcmp(s->funcs[k]->f.name, add.f.name))
				return plugin_fail_duplicate(s->funcs[k]->plugin, err, "function",
							     add.f.name);
		s->funcs = xgrow(s->funcs, &s->cap_funcs, s->nr_funcs + 1, sizeof(*s->funcs));
		s->funcs[s->nr_funcs++] = memcpy(xmalloc(sizeof(add)), &add, sizeof(add));
	}
	return 0;
}

static int add_constants(struct ev_plugins *s, const struct ev_plugin *p, struct ftr_error *err)
{
	struct ftr_constant add;
	int64_t has;

	for (size_t i = 0; ; i++) {
		copy_elem(&add, sizeof(add), p->copy.constants, p->copy.constant_size, i);
		if (!add.name)
			return 0;
		if (plug_has_constant(s, add.name, strlen(add.name), &has) && has != add.value)
			return err_set(err, FTR_FAILED, "another plugin has the constant '%s' with "
				       "the value %jd", add.name, (intmax_t)has);
		s->constants = xgrow(s->constants, &s->cap_constants, s->nr_constants + 1,
				     sizeof(add));
		s->constants[s->nr_constants++] = add;
	}
}

/* --- one plugin */

/*
 * @first is the size in the first version of the ABI. Change it to a constant if a structure grows.
 */
static bool good_size(uint32_t size, size_t first)
{
	return size >= first && size <= STRUCT_MAX;
}

/* Checks the plugin's description, copies it, applies options, adds tables and calls init(). */
static int start_plugin(struct ev_plugins *s, struct ev_plugin *p, const struct ftr_plugin *theirs,
			struct ftr_error *err)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789_-";
	struct ftr_init in = { .set = s, .plugin = p };
	const struct ev_plugin *other;

	if (theirs->abi != FTR_PLUGIN_ABI) {
		err_set(err, FTR_FAILED, "it has plugin ABI %u, this ftr %u", theirs->abi,
			FTR_PLUGIN_ABI);
		return err_hint(err, "compile it anew with this ftr's <ftr/plugin.h>");
	}
	if (!good_size(theirs->size, sizeof(*theirs)) ||
	    !good_size(theirs->option_size, sizeof(struct ftr_option)) ||
	    !good_size(theirs->formatter_size, sizeof(struct ftr_formatter)) ||
	    !good_size(theirs->function_size, sizeof(struct ftr_function)) ||
	    !good_size(theirs->constant_size, sizeof(struct ftr_constant))) {
		err_set(err, FTR_FAILED, "the sizes of its tables make no sense");
		return err_hint(err, "begin it with FTR_PLUGIN_HEAD");
	}
	/* Unknown members, of a newer header, must not be in use. */
	for (size_t i = sizeof(*theirs); i < theirs->size; i++) {
		if (!((const unsigned char *)theirs)[i])
			continue;
		err_set(err, FTR_FAILED, "it uses what only a newer ftr has");
		return err_hint(err, "this is ftr " FTR_VERSION);
	}
	if (!theirs->name || !*theirs->name || theirs->name[strspn(theirs->name, letters)])
		return err_set(err, FTR_FAILED, "the plugin's name is empty or has other "
			       "characters than letters, digits, '-' and '_'");
	for (size_t i = 0; i < s->n; i++) {
		other = s->v[i];
		if (!other->desc || strcmp(other->desc->name, theirs->name))
			continue;
		err_set(err, FTR_FAILED, "plugin '%s' is already loaded ('%s')", other->desc->name,
			other->path);
		err->sys = EEXIST;
		return -1;
	}
	copy_elem(&p->copy, sizeof(p->copy), theirs, theirs->size, 0);
	p->desc = &p->copy;
	if (plug_options_check(p, err) || plug_options_apply(s, p, err) ||
	    add_formatters(s, p, err) || add_functions(s, p, err) || add_constants(s, p, err))
		return -1;
	if (p->copy.init && p->copy.init(&in) != FTR_DONE)
		return err_set(err, FTR_FAILED, "%s", *in.error ? in.error : "it could not start");
	if (p->late && p->ordered && !s->nr_options)
		return err_set(err, FTR_FAILED, "FTR_PLUGIN_LATE() and ftr_init_ordered() exclude "
			       "each other");
	return 0;
}

/*
 * Sets @err to the message of the dynamic linker, in which the path that the user knows replaces
 * @loaded, the name that dlopen() got. The start of the message is left out, as it has the name.
 */
static void set_dl_error(const char *loaded, const char *path, struct ftr_error *err)
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
	if (strstr(text.data, "undefined symbol: ftr_"))
		err_hint(err, "it needs a newer ftr than " FTR_VERSION);
	buf_release(&text);
}

/*
 * dlopen() takes names only. It first compares them with those of the loaded objects, and an object
 * may outlive its dlclose(). So the number in this name must never be another file's: that file
 * would silently be the first one.
 */
static int open_object(struct ev_plugins *s, struct ev_plugin *p, struct ftr_error *err)
{
	const struct ftr_plugin *d;
	struct stat a, b;
	char name[32];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", p->fd);
	if (stat(name, &a) || fstat(p->fd, &b) || a.st_dev != b.st_dev || a.st_ino != b.st_ino) {
		err_set(err, FTR_FAILED, "/proc is not mounted");
		return err_hint(err, "mount -t proc proc /proc");
	}
	p->dl = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (!p->dl) {
		set_dl_error(name, p->path, err);
		return -1;
	}
	p->fd = -1;
	d = dlsym(p->dl, SYMBOL);
	if (d)
		return start_plugin(s, p, d, err);
	if (!plug_tep_is(p->dl)) {
		err_set(err, FTR_FAILED, "it has no symbol '%s'", SYMBOL);
		return err_hint(err, "ftr-plugin(3) describes the symbol that a plugin exports");
	}
	if (!s->traceevent) {
		err_set(err, FTR_FAILED, "it is a plugin of libtraceevent");
		return err_hint(err, "such plugins run with --engine=traceevent");
	}
	p->tep = true;
	return plug_tep_options(s, p, err);
}

/* Removes the rows after these numbers from the tables. */
static void cut_tables(struct ev_plugins *s, size_t formatters, size_t funcs, size_t constants)
{
	while (s->nr_formatters > formatters)
		free(s->formatters[--s->nr_formatters]);
	while (s->nr_funcs > funcs)
		free(s->funcs[--s->nr_funcs]);
	s->nr_constants = constants;
}

/* Sets p->why to the message of @why and @err to the message for the user. Returns -1. */
static int fail_load(struct ev_plugin *p, const struct ftr_error *why, struct ftr_error *err)
{
	p->why = xstrdup(why->msg);
	if (why->code == FTR_USAGE) {
		*err = *why;
		return -1;
	}
	err_set(err, why->code, "cannot load plugin '%s': %s", p->path, p->why);
	return why->hint[0] ? err_hint(err, "%s", why->hint) : -1;
}

static int load_plugin(struct ev_plugins *s, struct ev_plugin *p, struct ftr_error *err)
{
	size_t formatters = s->nr_formatters, funcs = s->nr_funcs, constants = s->nr_constants;
	struct ftr_error why = { 0 };

	if (!open_object(s, p, &why))
		return 0;
	cut_tables(s, formatters, funcs, constants);
	p->desc = NULL;
	if (p->dl)
		dlclose(p->dl);
	p->dl = NULL;
	p->replaced = !p->asked && why.sys == EEXIST;
	return fail_load(p, &why, err);
}

/*
 * Adds the plugin at @path: one that the user asked for, or a file of the default directory @dir,
 * which is -1 if the directory is not safe. Such a file may be loaded when it is needed.
 */
static int add_file(struct ev_plugins *s, const char *path, bool asked, int dir,
		    struct ftr_error *err)
{
	struct ev_plugin *p = xcalloc(1, sizeof(*p));
	struct ftr_error why = { 0 };
	struct stat st;

	/* with a '/', so that the dynamic linker does not search for it */
	p->path = strchr(path, '/') ? xstrdup(path) : xasprintf("./%s", path);
	p->asked = asked;
	p->index = s->n;
	s->v = xgrow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
	s->v[s->n++] = p;
	if (dir < 0 || fstatat(dir, strrchr(p->path, '/') + 1, &st, AT_SYMLINK_NOFOLLOW) ||
	    S_ISLNK(st.st_mode))
		p->fd = open_safe_path(p->path, AS_FILE, &why);
	else
		p->fd = open_step(p->path, dir, AS_FILE, &why);
	if (p->fd < 0)
		return fail_load(p, &why, err);
	p->late = late_events_read(p->fd);
	p->asleep = !asked && s->late && p->late;
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

/* --- directories */

static int list_objects(const char *path, struct strv *names, struct ftr_error *err)
{
	DIR *d = opendir(path);
	struct dirent *e;
	size_t n;

	if (!d)
		return err_sys(err, "cannot read plugin directory '%s'", path);
	while ((e = readdir(d))) {
		n = strlen(e->d_name);
		if (e->d_name[0] != '.' && n > 3 && !strcmp(e->d_name + n - 3, ".so"))
			strv_take(names, xasprintf("%s/%s", path, e->d_name));
	}
	closedir(d);
	strv_sort_unique(names);
	return 0;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

int ev_plugins_load(struct ev_plugins *s, const char *path, struct ftr_error *err)
{
	struct strv names = { 0 };
	int ret;

	if (!is_directory(path))
		return add_file(s, path, true, -1, err);
	ret = list_objects(path, &names, err);
	if (!ret && !names.n)
		ret = err_set(err, FTR_FAILED, "no plugin is in '%s'", path);
	for (size_t i = 0; i < names.n && !ret; i++)
		ret = add_file(s, names.v[i], true, -1, err);
	strv_release(&names);
	return ret;
}

/*
 * Users who can write to the program's directory can replace the program, so a directory of plugins
 * in it is as safe as the compiled-in one. It is not if the program runs with other rights than its
 * caller's: users can link to it from their own directories.
 */
const char *ev_plugins_dir(struct ev_plugins *s)
{
	char exe[PATH_LEN], *slash;
	ssize_t n;

	if (s->dir_path)
		return s->dir_path;
	n = is_elevated() ? -1 : readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (n > 0) {
		exe[n] = 0;
		slash = strrchr(exe, '/');
		if (slash)
			*slash = 0;
		s->dir_path = xasprintf("%s/plugins", exe);
		if (is_directory(s->dir_path))
			return s->dir_path;
		free(s->dir_path);
	}
	s->dir_path = xstrdup(plug_installed_dir());
	return s->dir_path;
}

void ev_plugins_load_default(struct ev_plugins *s)
{
	const char *dir_path = ev_plugins_dir(s);
	struct strv names = { 0 };
	struct ftr_error err = { 0 };
	int dir;

	if (is_directory(dir_path))
		list_objects(dir_path, &names, &err);
	dir = names.n ? open_safe_path(dir_path, AS_DIR, &err) : -1;
	for (size_t i = 0; i < names.n; i++)
		if (add_file(s, names.v[i], false, dir, &err) && err.code == FTR_USAGE)
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

void ev_plugins_free(struct ev_plugins *s)
{
	struct plug_bind *b;
	struct ev_plugin *p;

	if (!s)
		return;
	while ((b = s->binds)) {
		s->binds = b->next;
		if (b->by && b->by->f.unbind)
			b->by->f.unbind(b->priv);
		free(b->fields);
		free(b);
	}
	cut_tables(s, 0, 0, 0);
	while (s->n) {
		p = s->v[--s->n];
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
	free(s->dir_path);
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
