/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the offset of a function in a program or library: uprobes are set by that offset. */
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "tracefs/probe/dynamic_probe.h"

#define CANDIDATES_MAX	8
#define NR_VERSIONS	0x8000	/* the bit above them means "hidden" */

/* A symbol table with its versions. */
struct elf_symtab {
	Elf_Data *syms, *versions, *defined;
	size_t n, strings, defined_strings;
	const char **names;		/* names of versions, by index */
};

struct elf_search {
	Elf *elf;
	const char *file;
	char *name, *version;		/* "malloc", "GLIBC_2.2.5" or NULL */
	uint64_t addrs[CANDIDATES_MAX];
	size_t n;			/* number of different addresses */
	bool has_default;		/* one of ->addrs is of the default version */
	bool has_symtab, is_ifunc;
	struct strv near;
};

/* --- versions */

/*
 * Sets ->names to the versions that the file defines. At most 2^15 definitions are read, as they
 * may be linked to a circle.
 */
static void read_version_names(const struct elf_search *f, struct elf_symtab *t)
{
	GElf_Verdaux aux;
	GElf_Verdef def;
	const char **name;
	int off = 0;

	t->names = xcalloc(NR_VERSIONS, sizeof(*t->names));
	for (unsigned int i = 0; i < NR_VERSIONS && t->defined; i++) {
		if (!gelf_getverdef(t->defined, off, &def))
			break;
		name = &t->names[def.vd_ndx % NR_VERSIONS];
		if (!*name && gelf_getverdaux(t->defined, off + def.vd_aux, &aux))
			*name = elf_strptr(f->elf, t->defined_strings, aux.vda_name);
		if (!def.vd_next || __builtin_add_overflow(off, def.vd_next, &off))
			break;
	}
}

/*
 * True if the symbol has the name and the version. In .symtab the version is a part of the name:
 * "memcpy@GLIBC_2.2.5", "memcpy@@GLIBC_2.14".
 */
static bool is_wanted_symbol(const struct elf_search *f, const struct elf_symtab *t, size_t i,
			     const char *name,
			     bool *is_default)
{
	size_t len = strcspn(name, "@");
	const char *version = name + len + strspn(name + len, "@"), *of;
	GElf_Versym sym = VER_NDX_GLOBAL;

	*is_default = name[len] != '@' || name[len + 1] == '@';
	if (strlen(f->name) != len || strncmp(f->name, name, len))
		return false;
	if (!*version && t->versions && gelf_getversym(t->versions, i, &sym)) {
		*is_default = !(sym & 0x8000);		/* "hidden": not the default */
		of = t->names[sym % NR_VERSIONS];
		version = of ? of : "";
	}
	return !f->version || !strcmp(f->version, version);
}

/* --- tables */

static void find_add_address(struct elf_search *f, uint64_t addr, bool is_default)
{
	size_t i;

	if (f->version)
		is_default = true;
	/* Programs are linked with the default version today. */
	if (is_default && !f->has_default)
		f->n = 0;
	if (!is_default && f->has_default)
		return;
	f->has_default = is_default;
	for (i = 0; i < f->n; i++)
		if (f->addrs[i] == addr)
			return;
	if (f->n < CANDIDATES_MAX)
		f->addrs[f->n++] = addr;
}

static void find_search_table(struct elf_search *f, const struct elf_symtab *t)
{
	const char *name;
	bool is_default;
	GElf_Sym sym;
	size_t i;
	int type;

	for (i = 0; i < t->n && gelf_getsym(t->syms, i, &sym); i++) {
		type = GELF_ST_TYPE(sym.st_info);
		name = elf_strptr(f->elf, t->strings, sym.st_name);
		if (!name || sym.st_shndx == SHN_UNDEF ||
		    (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE))
			continue;
		if (type != STT_NOTYPE && strlen(name) < 64)
			strv_take(&f->near, xstrndup(name, strcspn(name, "@")));
		if (!is_wanted_symbol(f, t, i, name, &is_default))
			continue;
		f->is_ifunc = type == STT_GNU_IFUNC;
		find_add_address(f, sym.st_value, is_default);
	}
}

/* The versions of the dynamic symbols are in separate sections. */
static void find_versions(struct elf_search *f, struct elf_symtab *t)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(f->elf, scn))) {
		if (!gelf_getshdr(scn, &sh))
			continue;
		if (sh.sh_type == SHT_GNU_versym)
			t->versions = elf_getdata(scn, NULL);
		if (sh.sh_type == SHT_GNU_verdef) {
			t->defined = elf_getdata(scn, NULL);
			t->defined_strings = sh.sh_link;
		}
	}
}

static void find_search_sections(struct elf_search *f)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(f->elf, scn))) {
		struct elf_symtab t = {0};

		if (!gelf_getshdr(scn, &sh) || !sh.sh_entsize ||
		    (sh.sh_type != SHT_SYMTAB && sh.sh_type != SHT_DYNSYM))
			continue;
		f->has_symtab |= sh.sh_type == SHT_SYMTAB;
		t.syms = elf_getdata(scn, NULL);
		t.n = t.syms ? sh.sh_size / sh.sh_entsize : 0;
		t.strings = sh.sh_link;
		if (sh.sh_type == SHT_DYNSYM)
			find_versions(f, &t);
		read_version_names(f, &t);
		find_search_table(f, &t);
		free(t.names);
	}
}

/* --- addresses and offsets */

static int find_file_offset(const struct elf_search *f, uint64_t addr, uint64_t *offset,
			    struct ftr_error *err)
{
	size_t i, n = 0;
	GElf_Phdr ph;

	elf_getphdrnum(f->elf, &n);
	for (i = 0; i < n && gelf_getphdr(f->elf, i, &ph); i++) {
		if (ph.p_type != PT_LOAD || addr < ph.p_vaddr || addr - ph.p_vaddr >= ph.p_filesz)
			continue;
		*offset = addr - ph.p_vaddr + ph.p_offset;
		return 0;
	}
	return err_set(err, FTR_FAILED, "'%s' in '%s' is in no segment that is loaded", f->name,
		       f->file);
}

static int explain_not_found(struct elf_search *f, struct ftr_error *err)
{
	const char *near = f->near.n ? text_closest(f->name, f->near.v) : NULL;

	if (f->version)
		return err_set(err, FTR_FAILED, "'%s' has no function '%s' of version '%s'",
			       f->file, f->name, f->version);
	if (!f->has_symtab) {
		err_set(err, FTR_FAILED, "'%s' is stripped, and does not export a function '%s'",
			f->file, f->name);
		if (near)
			return err_hint(err, "did you mean '%s'?", near);
		return err_hint(err,
				"give an offset in the file (0x...), or a file with its symbols");
	}
	err_set(err, FTR_FAILED, "'%s' has no function '%s'", f->file, f->name);
	return near ? err_hint(err, "did you mean '%s'?", near) : -1;
}

static int refuse_several(const struct elf_search *f, struct ftr_error *err)
{
	struct buf all = {0};
	uint64_t off;

	for (size_t i = 0; i < f->n; i++)
		if (!find_file_offset(f, f->addrs[i], &off, NULL))
			buf_printf(&all, "%s0x%jx", all.len ? ", " : "", (uintmax_t)off);
	err_set(err, FTR_FAILED, "'%s' has several functions '%s'", f->file, f->name);
	err_hint(err, "name one by its offset in the file: %.300s", all.data ? all.data : "");
	buf_release(&all);
	return -1;
}

static int find_offset(struct elf_search *f, uint64_t *offset, struct ftr_error *err)
{
	find_search_sections(f);
	if (!f->n)
		return explain_not_found(f, err);
	if (f->n > 1)
		return refuse_several(f, err);
	if (f->is_ifunc) {
		err_set(err, FTR_FAILED, "'%s' in '%s' is chosen when the program starts (ifunc)",
			f->name, f->file);
		return err_hint(err, "probe the function that it chooses, by its offset in the "
				"file (0x...)");
	}
	return find_file_offset(f, f->addrs[0], offset, err);
}

/* --- files */

static int open_elf(struct elf_search *f, struct probe_symbol *out, int *fd, struct ftr_error *err)
{
	GElf_Ehdr eh;

	*fd = open(f->file, O_RDONLY | O_CLOEXEC);
	if (*fd < 0)
		return err_sys(err, "cannot open '%s'", f->file);
	elf_version(EV_CURRENT);
	f->elf = elf_begin(*fd, ELF_C_READ, NULL);
	if (!f->elf || elf_kind(f->elf) != ELF_K_ELF || !gelf_getehdr(f->elf, &eh))
		return err_set(err, FTR_FAILED, "'%s' is neither a program nor a library", f->file);
	if (eh.e_type != ET_EXEC && eh.e_type != ET_DYN) {
		err_set(err, FTR_FAILED, "'%s' is not linked yet", f->file);
		return err_hint(err, "probes are set in programs and shared libraries");
	}
	out->is_x86_64 = eh.e_machine == EM_X86_64 && gelf_getclass(f->elf) == ELFCLASS64;
	return 0;
}

/* Splits "name@VERSION+0x10". Returns 0, or -1 with @err. */
static int split_symbol(struct elf_search *f, const char *symbol, uint64_t *plus,
			struct ftr_error *err)
{
	size_t len = strcspn(symbol, "+");
	int64_t n = 0;
	char *at;

	if (symbol[len] && text_number(symbol + len + 1, 0, INT64_MAX, &n))
		return err_set(err, FTR_USAGE, "'%s' is not an offset", symbol + len);
	*plus = n;
	f->name = xstrndup(symbol, len);
	at = strchr(f->name, '@');
	if (at) {
		f->version = xstrdup(at + strspn(at, "@"));
		*at = '\0';
	}
	return 0;
}

int probe_symbol(const char *file, const char *symbol, struct probe_symbol *out,
		 struct ftr_error *err)
{
	struct elf_search f = { .file = file };
	uint64_t plus = 0;
	int64_t n = 0;
	int fd = -1, ret;

	*out = (struct probe_symbol){0};
	ret = open_elf(&f, out, &fd, err);
	if (ret)
		goto out;
	if (!strncmp(symbol, "0x", 2)) {
		ret = text_number(symbol, 0, INT64_MAX, &n) ?
		      err_set(err, FTR_USAGE, "'%s' is not an offset in a file", symbol) : 0;
		out->offset = n;
		goto out;
	}
	ret = split_symbol(&f, symbol, &plus, err);
	if (!ret)
		ret = find_offset(&f, &out->offset, err);
	out->offset += plus;
out:
	if (f.elf)
		elf_end(f.elf);
	if (fd >= 0)
		close(fd);
	strv_release(&f.near);
	free(f.name);
	free(f.version);
	return ret;
}
