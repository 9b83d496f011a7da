/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations of the running kernel's functions, by its BTF. */
#include "record/symbols/decls.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "event/btf/btf.h"

#define BTF_DIR "/sys/kernel/btf"

struct file {
	char *module;			/* NULL: the kernel itself */
	struct buf bytes;
	struct btf_decls *decls;	/* or NULL */
};

struct decls {
	const char *dir;
	struct file kernel, *modules;
	size_t n, cap;
	struct strv without;
};

static int read_btf_file(struct decls *d, const char *name, struct file *f, struct ftr_error *err)
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

struct decls *decls_open(struct ftr_error *err)
{
	struct decls *d = xcalloc(1, sizeof(*d));
	const char *dir = secure_getenv("FTR_BTF_DIR");

	d->dir = dir && *dir ? dir : BTF_DIR;
	if (!read_btf_file(d, "vmlinux", &d->kernel, err))
		return d;
	err_hint(err, "it needs a kernel built with CONFIG_DEBUG_INFO_BTF");
	decls_close(d);
	return NULL;
}

static struct file *find_btf_file(struct decls *d, const char *module)
{
	struct file *f;
	size_t i;

	if (!module)
		return &d->kernel;
	for (i = d->n; i-- > 0; )
		if (!strcmp(d->modules[i].module, module))
			return &d->modules[i];
	d->modules = xgrow(d->modules, &d->cap, d->n + 1, sizeof(*d->modules));
	f = &d->modules[d->n++];
	*f = (struct file){ .module = xstrdup(module) };
	if (strchr(module, '/') || read_btf_file(d, module, f, NULL))
		strv_add(&d->without, module);
	return f;
}

bool decls_add(struct decls *d, const char *module, const char *func, struct buf *out)
{
	const struct file *f = find_btf_file(d, module);

	return f->decls && btf_decl(f->decls, func, out);
}

const struct strv *decls_without(const struct decls *d)
{
	return &d->without;
}

static void close_file(struct file *f)
{
	btf_decls_free(f->decls);
	buf_release(&f->bytes);
	free(f->module);
}

void decls_close(struct decls *d)
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
