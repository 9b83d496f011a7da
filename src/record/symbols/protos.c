/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prototypes of the functions in a trace, from the BTF of the running kernel and its modules. */
#include "record/symbols/protos.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "event/btf/btf.h"
#include "event/event.h"

#define BTF_DIR "/sys/kernel/btf/"

static struct protos_module *find_proto_module(struct protos *p, const char *key)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (!strcmp(p->v[i].key, key))
			return &p->v[i];
	return NULL;
}

/* @line is one of /proc/modules: name, size, uses, users, state, address. */
static void see_module(struct protos *p, const char *line)
{
	struct protos_module *m;
	struct strv f = {0};
	char *key, *path;

	strv_split(&f, line, " ");
	key = xasprintf("%s %s", f.n ? f.v[0] : "", f.n > 5 ? f.v[5] : "");
	path = xasprintf(BTF_DIR "%s", f.n ? f.v[0] : "");
	m = find_proto_module(p, key);
	if (!m) {
		p->v = xgrow(p->v, &p->cap, p->n + 1, sizeof(*p->v));
		m = &p->v[p->n++];
		*m = (struct protos_module){ .key = xstrdup(key) };
	}
	/* one that is about to come has none yet */
	if (!m->btf.len && io_read_at(AT_FDCWD, path, &m->btf))
		buf_reset(&m->btf);
	m->live = true;
	free(path);
	free(key);
	strv_release(&f);
}

void protos_update(struct protos *p)
{
	struct buf text = {0};
	struct strv lines = {0};
	size_t i;

	for (i = 0; i < p->n; i++)
		p->v[i].live = false;
	if (!io_read_at(AT_FDCWD, "/proc/modules", &text))
		strv_split(&lines, text.data, "\n");
	/* the last one that was loaded comes first there, and last in the kernel's list of BTF */
	for (i = lines.n; i-- > 0; )
		see_module(p, lines.v[i]);
	strv_release(&lines);
	buf_release(&text);
}

static void add_btf_files(const struct protos *p, bool live, struct btf_file *v, size_t *n)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (p->v[i].live == live && p->v[i].btf.len)
			v[(*n)++] = (struct btf_file){ p->v[i].btf.data, p->v[i].btf.len };
}

/* As the kernel names a function to look its prototype up. */
static void add_proto_name(struct strv *names, struct ev_syms *syms, uint64_t addr)
{
	const char *mod, *name;
	size_t n, mod_n;
	uint64_t off;

	name = ev_syms_find(syms, addr, &n, &mod, &mod_n, &off);
	if (name)
		strv_take(names, xstrndup(name, n));
}

static void names_at(const struct map *funcs, const struct buf *kallsyms, struct strv *names)
{
	struct ev_syms *syms = ev_syms_new(kallsyms->data, kallsyms->len);
	size_t i;

	ev_syms_sorted(syms);
	for (i = 0; i < funcs->cap; i++)
		if (funcs->slots[i].val)
			add_proto_name(names, syms, funcs->slots[i].key);
	strv_sort_unique(names);
	ev_syms_free(syms);
}

int protos_text(const struct protos *p, const struct map *funcs, const struct buf *kallsyms,
		struct buf *out, struct ftr_error *err)
{
	struct btf_file *v = xcalloc(p->n + 1, sizeof(*v));
	struct strv names = {0};
	struct buf kernel = {0};
	size_t n = 1;
	int ret = -1;

	if (io_read_at(AT_FDCWD, BTF_DIR "vmlinux", &kernel)) {
		err_sys(err, "cannot read '" BTF_DIR "vmlinux'");
		goto out;
	}
	v[0] = (struct btf_file){ kernel.data, kernel.len };
	add_btf_files(p, true, v, &n);
	add_btf_files(p, false, v, &n);
	if (funcs)
		names_at(funcs, kallsyms, &names);
	ret = btf_protos(v, n, funcs ? &names : NULL, out, err);
out:
	strv_release(&names);
	buf_release(&kernel);
	free(v);
	return ret;
}

void protos_release(struct protos *p)
{
	size_t i;

	for (i = 0; i < p->n; i++) {
		free(p->v[i].key);
		buf_release(&p->v[i].btf);
	}
	free(p->v);
	*p = (struct protos){0};
}
