/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads values of the running kernel that print fmts name. mm events print the address of struct
 * page: the start of the array of these is chosen at boot, and is the value of a variable.
 */
#include "record/symbols/kvalues.h"

#include <elf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sym_lines.h"

#define PHDRS_MAX 4096
#define NOTES_MAX (1 << 20)

/* Variables of 8 bytes that do not change after boot: arch/x86, arch/arm64. */
static const char *const variables[] = { "vmemmap_base", "memstart_addr" };

struct kcore_file {
	int fd;
	Elf64_Phdr *v;
	size_t n;
};

static bool core_open(struct kcore_file *c, int fd)
{
	Elf64_Ehdr e;
	size_t size;

	*c = (struct kcore_file){ .fd = fd };
	if (pread(fd, &e, sizeof(e), 0) != (ssize_t)sizeof(e) ||
	    memcmp(e.e_ident, ELFMAG, SELFMAG) || e.e_ident[EI_CLASS] != ELFCLASS64 ||
	    e.e_phentsize != sizeof(*c->v) || !e.e_phnum || e.e_phnum > PHDRS_MAX)
		return false;
	size = e.e_phnum * sizeof(*c->v);
	c->v = xmalloc(size);
	c->n = e.e_phnum;
	return pread(fd, c->v, size, e.e_phoff) == (ssize_t)size;
}

static bool core_read(const struct kcore_file *c, uint64_t addr, void *to, size_t len)
{
	const Elf64_Phdr *p = c->v;
	uint64_t off;

	for (; p < c->v + c->n; p++) {
		off = addr - p->p_vaddr;
		if (p->p_type == PT_LOAD && addr >= p->p_vaddr && off < p->p_memsz &&
		    p->p_memsz - off >= len)
			return pread(c->fd, to, len, p->p_offset + off) == (ssize_t)len;
	}
	return false;
}

static size_t pad_record(uint32_t n)
{
	return ((size_t)n + 3) / 4 * 4;
}

/* Returns the text of the note VMCOREINFO, or NULL if it is not among @len bytes of notes. */
static const char *find_info(const char *p, size_t len, size_t *info_len)
{
	static const char name[] = "VMCOREINFO";
	Elf64_Nhdr h;
	size_t all;

	for (; len >= sizeof(h); p += all, len -= all) {
		memcpy(&h, p, sizeof(h));
		all = sizeof(h) + pad_record(h.n_namesz) + pad_record(h.n_descsz);
		if (all > len)
			return NULL;
		if (h.n_namesz != sizeof(name) || memcmp(p + sizeof(h), name, sizeof(name)))
			continue;
		*info_len = h.n_descsz;
		return p + sizeof(h) + pad_record(h.n_namesz);
	}
	return NULL;
}

/* Appends the size of struct page by the line "SIZE(page)=64". */
static void add_page_size(const struct kcore_file *c, struct buf *out)
{
	static const char key[] = "\nSIZE(page)=";
	const Elf64_Phdr *p = c->v;
	const char *info, *at;
	char *notes, *digits;
	size_t len;

	while (p < c->v + c->n && p->p_type != PT_NOTE)
		p++;
	if (p == c->v + c->n || p->p_filesz > NOTES_MAX)
		return;
	notes = xcalloc(1, p->p_filesz + 1);
	if (pread(c->fd, notes, p->p_filesz, p->p_offset) == (ssize_t)p->p_filesz &&
	    (info = find_info(notes, p->p_filesz, &len)) &&
	    (at = memmem(info, len, key, sizeof(key) - 1))) {
		digits = xstrndup(at + sizeof(key) - 1, strspn(at + sizeof(key) - 1, "0123456789"));
		buf_printf(out, "%ssizeof(struct page)=%s", out->len ? ";" : "", digits);
		free(digits);
	}
	free(notes);
}

void kvalues_read(int fd, const char *kallsyms, size_t len, struct buf *out)
{
	struct kcore_file c;
	uint64_t addr, v;
	size_t i;

	if (!core_open(&c, fd))
		goto out;
	for (i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		addr = sym_text_find(kallsyms, len, variables[i]);
		if (addr && core_read(&c, addr, &v, sizeof(v)))
			buf_printf(out, "%s%s=0x%" PRIx64, out->len ? ";" : "", variables[i], v);
	}
	add_page_size(&c, out);
out:
	free(c.v);
}
