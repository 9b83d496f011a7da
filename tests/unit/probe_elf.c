/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols of ELF files with versions, written by hand. */
#include <elf.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "tracefs/probe/dynamic_probe.h"

#include "tap.h"

enum { S_NULL, S_DYNSYM, S_VERSYM, S_VERDEF, S_STR, NR_SECTIONS };

/* f, of version V2, which is the second of two that the file defines. */
static struct image {
	Elf64_Ehdr head;
	Elf64_Phdr load;
	Elf64_Shdr sh[NR_SECTIONS];
	Elf64_Sym sym[2];
	Elf64_Half versym[2];
	struct { Elf64_Verdef d; Elf64_Verdaux a; } def[2];
	char str[16];			/* "" "f" "V1" "V2" */
} image;

static void section(unsigned int i, Elf64_Word type, size_t at, size_t size, size_t one)
{
	image.sh[i] = (Elf64_Shdr){ .sh_type = type, .sh_offset = at, .sh_size = size, .sh_entsize = one,
				    .sh_link = S_STR, .sh_addralign = 1 };
}

static void make(Elf64_Word last_next)
{
	memset(&image, 0, sizeof(image));
	image.head = (Elf64_Ehdr){
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT }, .e_type = ET_DYN,
		.e_machine = EM_X86_64, .e_version = EV_CURRENT, .e_phoff = offsetof(struct image, load),
		.e_shoff = offsetof(struct image, sh), .e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1, .e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = NR_SECTIONS, .e_shstrndx = S_STR,
	};
	image.load = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = 0x1000, .p_memsz = 0x1000 };
	section(S_DYNSYM, SHT_DYNSYM, offsetof(struct image, sym), sizeof(image.sym), sizeof(Elf64_Sym));
	section(S_VERSYM, SHT_GNU_versym, offsetof(struct image, versym), sizeof(image.versym), 2);
	section(S_VERDEF, SHT_GNU_verdef, offsetof(struct image, def), sizeof(image.def), 0);
	section(S_STR, SHT_STRTAB, offsetof(struct image, str), sizeof(image.str), 0);
	image.sym[1] = (Elf64_Sym){ .st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1,
				    .st_value = 0x123, .st_size = 16 };
	image.versym[1] = 2;
	for (unsigned int i = 0; i < 2; i++) {
		image.def[i].d = (Elf64_Verdef){ .vd_version = 1, .vd_ndx = 1 + i, .vd_cnt = 1,
						 .vd_aux = sizeof(Elf64_Verdef), .vd_next = sizeof(image.def[0]) };
		image.def[i].a.vda_name = 3 + 3 * i;
	}
	image.def[1].d.vd_next = last_next;
	memcpy(image.str, "\0f\0V1\0V2", 9);
}

static int find(const char *symbol, struct probe_symbol *out, struct ftr_error *err)
{
	char path[] = "/var/tmp/ftr-elf.XXXXXX";
	int fd = mkstemp(path), ret;

	if (fd < 0 || write(fd, &image, sizeof(image)) != sizeof(image))
		abort();
	close(fd);
	*out = (struct probe_symbol){0};
	*err = (struct ftr_error){0};
	alarm(10);
	ret = probe_symbol(path, symbol, out, err);
	alarm(0);
	unlink(path);
	return ret;
}

int main(void)
{
	struct probe_symbol s;
	struct ftr_error err;

	make(0);
	TAP_OK(!find("f@V2", &s, &err) && s.offset == 0x123, "the version that the symbol has");
	TAP_OK(find("f@V1", &s, &err), "another one");
	TAP_OK(find("f@V9", &s, &err), "one that there is not");
	make(-(Elf64_Word)sizeof(image.def[0]));
	TAP_OK(!find("f@V2", &s, &err) && s.offset == 0x123, "definitions that go round: one that there is");
	image.versym[1] = 5;
	TAP_OK(find("f@V9", &s, &err), "and one that there is not");
	return tap_done();
}
