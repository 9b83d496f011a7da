/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads prototypes and declarations of functions from the BTF of the running kernel and its
 * modules.
 */
#include "record/symbols/protos.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "event/btf/btf.h"
#include "event/event.h"

#define BTF_DIR "/sys/kernel/btf"

/* --- prototypes of the functions in a trace */

/*
 * Adds the module of a line of /proc/modules (name, size, uses, users, state, address), and reads
 * its BTF unless it has been read.
 */
static void add_proto_module(struct module_protos *p, const char *line)
{
	struct protos_module *m;
	struct strv f = {0};
	char *key, *path;

	strv_split(&f, line, " ");
	key = xasprintf("%s %s", f.n ? f.v[0] : "", f.n > 5 ? f.v[5] : "");
	path = xasprintf(BTF_DIR "/%s", f.n ? f.v[0] : "");
	for (m = p->v; m < p->v + p->n && strcmp(m->key, key); m++)
		;
	if (m == p->v + p->n) {
		p->v = xgrow(p->v, &p->cap, p->n + 1, sizeof(*p->v));
		m = &p->v[p->n++];
		*m = (struct protos_module){ .key = xstrdup(key) };
	}
	/* a module that is being loaded has no BTF yet */
	if (!m->btf.len && io_read_at(AT_FDCWD, path, &m->btf))
		buf_reset(&m->btf);
	m->live = true;
	free(path);
	free(key);
	strv_release(&f);
}

void protos_update(struct module_protos *p)
{
	struct buf text = {0};
	struct strv lines = {0};
	size_t i;

	for (i = 0; i < p->n; i++)
		p->v[i].live = false;
	if (!io_read_at(AT_FDCWD, "/proc/modules", &text))
		strv_split(&lines, text.data, "\n");
	/*
	 * the last loaded module is the first in the file, and the last in the kernel's list of BTF
	 */
	for (i = lines.n; i-- > 0; )
		add_proto_module(p, lines.v[i]);
	strv_release(&lines);
	buf_release(&text);
}

static void add_btf_files(const struct module_protos *p, bool live, struct btf_file *v, size_t *n)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (p->v[i].live == live && p->v[i].btf.len)
			v[(*n)++] = (struct btf_file){ p->v[i].btf.data, p->v[i].btf.len };
}

/* Adds the names of @funcs: the kernel looks up a prototype by the name of the function. */
static void add_proto_names(const struct map *funcs, const struct buf *kallsyms,
			    struct strv *names)
{
	struct ev_syms *syms = ev_syms_new(kallsyms->data, kallsyms->len);
	const char *mod, *name;
	size_t i, n, mod_n;
	uint64_t off;

	ev_syms_sorted(syms);
	for (i = 0; i < funcs->cap; i++) {
		if (!funcs->slots[i].val)
			continue;
		name = ev_syms_find(syms, funcs->slots[i].key, &n, &mod, &mod_n, &off);
		if (name)
			strv_take(names, xstrndup(name, n));
	}
	strv_sort_unique(names);
	ev_syms_free(syms);
}

int protos_text(const struct module_protos *p, const struct map *funcs, const struct buf *kallsyms,
		struct buf *out, struct ftr_error *err)
{
	struct btf_file *v = xcalloc(p->n + 1, sizeof(*v));
	struct strv names = {0};
	struct buf kernel = {0};
	size_t n = 1;
	int ret = -1;

	if (io_read_at(AT_FDCWD, BTF_DIR "/vmlinux", &kernel)) {
		err_sys(err, "cannot read '" BTF_DIR "/vmlinux'");
		goto out;
	}
	v[0] = (struct btf_file){ kernel.data, kernel.len };
	add_btf_files(p, true, v, &n);
	add_btf_files(p, false, v, &n);
	if (funcs)
		add_proto_names(funcs, kallsyms, &names);
	ret = btf_protos(v, n, funcs ? &names : NULL, out, err);
out:
	strv_release(&names);
	buf_release(&kernel);
	free(v);
	return ret;
}

void protos_release(struct module_protos *p)
{
	size_t i;

	for (i = 0; i < p->n; i++) {
		free(p->v[i].key);
		buf_release(&p->v[i].btf);
	}
	free(p->v);
	*p = (struct module_protos){0};
}

/* --- declarations of functions by name */

struct decl_file {
	char *module;			/* NULL: the kernel itself */
	struct buf bytes;
	struct btf_decls *decls;	/* NULL if there is no BTF */
};

struct proto_decls {
	const char *dir;
	struct decl_file kernel, *modules;
	size_t n, cap;
	struct strv without;
};

static int read_btf_file(struct proto_decls *d, const char *name, struct decl_file *f,
			 struct ftr_error *err)
{
	char *path = xasprintf("%s/%s", d->dir, name);
	struct btf_file bytes;

	if (io_read_at(AT_FDCWD, path, &f->bytes)) {
		err_sys(err, "no prototypes: cannot read '%s'", path);
	} else {
		bytes = (struct btf_file){ f->bytes.data, f->bytes.len };
		f->decls = btf_decls_new(&bytes, d->kernel.decls, err);
	}
	free(path);
	return f->decls ? 0 : -1;
}

struct proto_decls *decls_open(struct ftr_error *err)
{
	struct proto_decls *d = xcalloc(1, sizeof(*d));
	const char *dir = secure_getenv("FTR_BTF_DIR");

	d->dir = dir && *dir ? dir : BTF_DIR;
	if (!read_btf_file(d, "vmlinux", &d->kernel, err))
		return d;
	err_hint(err, "it needs a kernel built with CONFIG_DEBUG_INFO_BTF");
	decls_close(d);
	return NULL;
}

/* Returns the BTF of a module (NULL: the kernel), which is read on first use. */
static struct decl_file *find_btf_file(struct proto_decls *d, const char *module)
{
	struct decl_file *f;
	size_t i;

	if (!module)
		return &d->kernel;
	for (i = d->n; i-- > 0; )
		if (!strcmp(d->modules[i].module, module))
			return &d->modules[i];
	d->modules = xgrow(d->modules, &d->cap, d->n + 1, sizeof(*d->modules));
	f = &d->modules[d->n++];
	*f = (struct decl_file){ .module = xstrdup(module) };
	if (strchr(module, '/') || read_btf_file(d, module, f, NULL))
		strv_add(&d->without, module);
	return f;
}

bool decls_add(struct proto_decls *d, const char *module, const char *func, struct buf *out)
{
	const struct decl_file *f = find_btf_file(d, module);

	return f->decls && btf_decl(f->decls, func, out);
}

const struct strv *decls_without(const struct proto_decls *d)
{
	return &d->without;
}

static void close_file(struct decl_file *f)
{
	btf_decls_free(f->decls);
	buf_release(&f->bytes);
	free(f->module);
}

void decls_close(struct proto_decls *d)
{
	size_t i;

	if (!d)
		return;
	for (i = 0; i < d->n; i++)
		close_file(&d->modules[i]);
	close_file(&d->kernel);
	free(d->modules);
	strv_release(&d->without);
	free(d);
}
