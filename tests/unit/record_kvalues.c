/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of a kernel out of an ELF core: one made here, whole and broken. */
#include "record/symbols/kvalues.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tap.h"

#define TEXT_AT 0x1000		/* in the file: what 0xffffffff82000000 holds */
#define NOTES_AT 0x800

static const char kallsyms[] =
	"ffffffff82000010 D vmemmap_base_not\nffffffff82000008 D vmemmap_base\nffffffff82000008 t vmemmap_base\t[m]\n"
	"ffffffff82000018 D memstart_addr\n";

struct file {
	Elf64_Ehdr e;
	Elf64_Phdr p[3];
};

/* Two notes: one of another kind, and VMCOREINFO. */
static size_t add_notes(char *to, const char *info)
{
	Elf64_Nhdr other = { .n_namesz = 5, .n_descsz = 3, .n_type = 1 };
	Elf64_Nhdr h = { .n_namesz = 11, .n_descsz = strlen(info) };
	size_t n = 0;

	memcpy(to, &other, sizeof(other));
	memcpy(to + sizeof(other), "CORE", 5);
	n = sizeof(other) + 8 + 4;
	memcpy(to + n, &h, sizeof(h));
	memcpy(to + n + sizeof(h), "VMCOREINFO", 11);
	memcpy(to + n + sizeof(h) + 12, info, strlen(info));
	return n + sizeof(h) + 12 + (strlen(info) + 3) / 4 * 4;
}

static struct file core(void)
{
	return (struct file){
		.e = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64 }, .e_phoff = sizeof(Elf64_Ehdr),
		       .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 3 },
		.p = { { .p_type = PT_NOTE, .p_offset = NOTES_AT },
		       { .p_type = PT_LOAD, .p_offset = 0x3000, .p_vaddr = 0x1000, .p_memsz = 0x1000 },
		       { .p_type = PT_LOAD, .p_offset = TEXT_AT, .p_vaddr = 0xffffffff82000000, .p_memsz = 0x1c } },
	};
}

static void expect(struct file f, const char *info, const char *want, const char *name)
{
	static const uint64_t memory[] = { 1, 0xffffea0000000000, 2, 3 };
	char bytes[0x1040] = "";
	struct buf out = { 0 };
	int fd = memfd_create("core", 0);

	f.p[0].p_filesz = f.p[0].p_filesz ? f.p[0].p_filesz : add_notes(bytes + NOTES_AT, info);
	add_notes(bytes + NOTES_AT, info);
	memcpy(bytes, &f, sizeof(f));
	memcpy(bytes + TEXT_AT, memory, sizeof(memory));
	TAP_OK(write(fd, bytes, sizeof(bytes)) == sizeof(bytes), "a file");
	buf_addstr(&out, "");
	kvalues_read(fd, kallsyms, sizeof(kallsyms) - 1, &out);
	if (!TAP_OK(!strcmp(out.data, want), name))
		printf("# got  '%s'\n# want '%s'\n", out.data, want);
	buf_release(&out);
	close(fd);
}

int main(void)
{
	static const char info[] = "OSRELEASE=6.1\nPAGESIZE=4096\nSIZE(page)=64\nSIZE(list_head)=16\n";
	struct file f = core();

	expect(f, info, "vmemmap_base=0xffffea0000000000;sizeof(struct page)=64",
	       "a variable, and the size of struct page; not what lies behind the end of a segment");
	f.p[2].p_memsz = 0x20;
	expect(f, info, "vmemmap_base=0xffffea0000000000;memstart_addr=0x3;sizeof(struct page)=64", "two variables");
	expect(f, "SIZES(page)=64\n", "vmemmap_base=0xffffea0000000000;memstart_addr=0x3", "no size");
	f.p[0].p_filesz = 30;
	expect(f, info, "vmemmap_base=0xffffea0000000000;memstart_addr=0x3", "notes that are cut");
	f = core();
	f.p[2].p_vaddr += 0x1000;
	expect(f, info, "sizeof(struct page)=64", "an address that is not there");
	f = core();
	f.e.e_phnum = 0;
	expect(f, info, "", "no segments");
	f.e.e_phnum = 0xffff;
	expect(f, info, "", "too many segments");
	f = core();
	f.e.e_ident[EI_CLASS] = ELFCLASS32;
	expect(f, info, "", "another kind of core");
	f = core();
	f.e.e_phoff = UINT64_MAX;
	expect(f, info, "", "segments beyond the end");
	return tap_done();
}
