/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The build-id of a program or library, which tells its debug information. */
#include "record/capture/buildid.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	PHDRS_MAX = 64,
	NOTES_MAX = 64 << 10,		/* bytes of one PT_NOTE */
	ID_MAX = 64,			/* bytes; 20 of SHA-1 are usual */
};

static bool read_elf_at(int fd, void *to, size_t n, uint64_t at)
{
	return at <= INT64_MAX - n && pread(fd, to, n, at) == (ssize_t)n;
}

static uint32_t pad_note(uint32_t n)
{
	return (n + 3) & ~3u;
}

static void add_id_hex(struct buf *out, const uint8_t *p, size_t n)
{
	for (; n; n--)
		buf_printf(out, "%02x", *p++);
}

/* Notes of 64-bit files, too, have 4-byte words and alignment, but for kinds that others use. */
static bool search_notes(const uint8_t *p, size_t n, struct buf *out)
{
	Elf32_Nhdr note;
	uint64_t name, desc;

	for (; n >= sizeof(note); p += desc, n -= desc) {
		memcpy(&note, p, sizeof(note));
		name = sizeof(note);
		desc = name + pad_note(note.n_namesz);
		if (note.n_namesz > NOTES_MAX || note.n_descsz > NOTES_MAX ||
		    desc + note.n_descsz > n)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
		    !memcmp(p + name, "GNU", sizeof("GNU")) && note.n_descsz &&
		    note.n_descsz <= ID_MAX) {
			add_id_hex(out, p + desc, note.n_descsz);
			return true;
		}
		desc += pad_note(note.n_descsz);
		if (desc > n)
			return false;
	}
	return false;
}

static bool notes_at(int fd, uint64_t at, uint64_t n, struct buf *out)
{
	uint8_t *p;
	bool found;

	if (!n || n > NOTES_MAX)
		return false;
	p = xmalloc(n);
	found = read_elf_at(fd, p, n, at) && search_notes(p, n, out);
	free(p);
	return found;
}

static bool in_64(int fd, struct buf *out)
{
	Elf64_Ehdr head;
	Elf64_Phdr ph;
	unsigned int i;

	if (!read_elf_at(fd, &head, sizeof(head), 0) || head.e_phentsize != sizeof(ph))
		return false;
	for (i = 0; i < head.e_phnum && i < PHDRS_MAX; i++) {
		if (!read_elf_at(fd, &ph, sizeof(ph), head.e_phoff + i * sizeof(ph)))
			return false;
		if (ph.p_type == PT_NOTE && notes_at(fd, ph.p_offset, ph.p_filesz, out))
			return true;
	}
	return false;
}

static bool in_32(int fd, struct buf *out)
{
	Elf32_Ehdr head;
	Elf32_Phdr ph;
	unsigned int i;

	if (!read_elf_at(fd, &head, sizeof(head), 0) || head.e_phentsize != sizeof(ph))
		return false;
	for (i = 0; i < head.e_phnum && i < PHDRS_MAX; i++) {
		if (!read_elf_at(fd, &ph, sizeof(ph), (uint64_t)head.e_phoff + i * sizeof(ph)))
			return false;
		if (ph.p_type == PT_NOTE && notes_at(fd, ph.p_offset, ph.p_filesz, out))
			return true;
	}
	return false;
}

bool build_id_read(int fd, struct buf *out)
{
	const uint8_t order = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ELFDATA2MSB : ELFDATA2LSB;
	uint8_t ident[EI_NIDENT];

	if (!read_elf_at(fd, ident, sizeof(ident), 0) || memcmp(ident, ELFMAG, SELFMAG) ||
	    ident[EI_DATA] != order)
		return false;
	return ident[EI_CLASS] == ELFCLASS64 ? in_64(fd, out) :
	       ident[EI_CLASS] == ELFCLASS32 && in_32(fd, out);
}
