/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Address maps of processes, and build-ids out of ELF files: some made here, whole and broken. */
#include "event/data/usermaps.h"
#include "record/capture/procmaps.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tap.h"

#define NOTES_AT 0x100

/* --- build-ids */

static size_t add_note(char *to, const char *name, uint32_t type, const char *desc, size_t len)
{
	Elf64_Nhdr h = { .n_namesz = strlen(name) + 1, .n_descsz = len, .n_type = type };
	size_t n = sizeof(h) + (h.n_namesz + 3) / 4 * 4;

	memcpy(to, &h, sizeof(h));
	memcpy(to + sizeof(h), name, h.n_namesz);
	memcpy(to + n, desc, len);
	return n + (len + 3) / 4 * 4;
}

static void expect_id(const char *file, size_t len, const char *want, const char *name)
{
	struct buf out = {0};
	int fd = memfd_create("elf", 0);
	bool found;

	if (write(fd, file, len) != (ssize_t)len)
		perror("memfd");
	found = build_id_read(fd, &out);
	close(fd);
	TAP_OK(found == !!want && !strcmp(out.data ? out.data : "", want ? want : ""), name);
	buf_release(&out);
}

static void head_64(char *file, size_t notes)
{
	Elf64_Ehdr e = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB }, .e_phoff = 64,
			 .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2 };
	Elf64_Phdr p[] = { { .p_type = PT_LOAD },
			   { .p_type = PT_NOTE, .p_offset = NOTES_AT, .p_filesz = notes } };

	memcpy(file, &e, sizeof(e));
	memcpy(file + 64, p, sizeof(p));
}

static void head_32(char *file, size_t notes)
{
	Elf32_Ehdr e = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB }, .e_phoff = 64,
			 .e_phentsize = sizeof(Elf32_Phdr), .e_phnum = 1 };
	Elf32_Phdr p = { .p_type = PT_NOTE, .p_offset = NOTES_AT, .p_filesz = notes };

	memcpy(file, &e, sizeof(e));
	memcpy(file + 64, &p, sizeof(p));
}

static void test_ids(void)
{
	char file[0x200] = "";
	size_t at = NOTES_AT, other;

	at += add_note(file + at, "GNU", NT_GNU_ABI_TAG, "0123456789abcdef", 16);
	at += add_note(file + at, "XYZ", NT_GNU_BUILD_ID, "\x77", 1);
	other = at;
	at += add_note(file + at, "GNU", NT_GNU_BUILD_ID, "\x01\x23\xab\x00\xff", 5);
	head_64(file, at - NOTES_AT);
	expect_id(file, sizeof(file), "0123ab00ff", "of a 64-bit file");
	expect_id(file, at, "0123ab00ff", "the file ends with it");
	expect_id(file, at - 1, NULL, "the file ends within it");
	expect_id(file, 70, NULL, "the file ends in its headers");
	head_64(file, other - NOTES_AT);
	expect_id(file, sizeof(file), NULL, "the segment ends before it");
	head_64(file, 1 << 30);
	expect_id(file, sizeof(file), NULL, "a segment of 1 GiB");
	head_64(file, at - NOTES_AT);
	file[EI_DATA] = ELFDATA2MSB;
	expect_id(file, sizeof(file), NULL, "another byte order");
	head_32(file, at - NOTES_AT);
	expect_id(file, sizeof(file), "0123ab00ff", "of a 32-bit file");
	memset(file + other, 0xff, 4);
	expect_id(file, sizeof(file), NULL, "the length of a name is 4 GiB");
	memset(file + other + 4, 0xff, 4);
	expect_id(file, sizeof(file), NULL, "both lengths are 4 GiB");
	expect_id("#!/bin/sh\n", 10, NULL, "a script");
}

/* --- maps */

static void at(const struct ev_maps *m, int tgid, uint64_t addr, const char *want, uint64_t offset)
{
	uint64_t start = 0;
	char name[128];
	const char *path = ev_maps_find(m, tgid, addr, &start);

	snprintf(name, sizeof(name), "%s pid %d, address %llx: %s", m ? "maps" : "no maps", tgid,
		 (unsigned long long)addr, want ? want : "none");
	TAP_OK(want ? path && !strcmp(path, want) && addr - start == offset : !path, name);
}

static void add(struct ev_maps *m, const char *text)
{
	ev_maps_add(m, text, strlen(text) + 1);
}

static void test_maps(void)
{
	struct ev_maps *m = ev_maps_new();

	add(m, "b8 3 /usr/bin/a b\n7000 8000 /lib/x.so\n1000 2000 /usr/bin/a b\n2000 3000 /usr/bin/a b\n"
	    "3000 4000 [heap]\n9000 8000 /wrong\nnonsense\n");
	add(m, "b9 ffffffff ?\n1000 2000 /old\n");
	add(m, "b9 1 ?\n1000 2000 /new");
	add(m, "");
	add(m, "ffffffffff 1 x\n1000 2000 /far\n");
	ev_maps_add(m, "ba 1 x\n1000 2000 /cut-here", 21);
	at(m, 0xb8, 0x1000, "/usr/bin/a b", 0);
	at(m, 0xb8, 0x2fff, "/usr/bin/a b", 0xfff);
	at(m, 0xb8, 0x7abc, "/lib/x.so", 0xabc);
	at(m, 0xb8, 0x3100, NULL, 0);
	at(m, 0xb8, 0x8000, NULL, 0);
	at(m, 0xb8, 0xfff, NULL, 0);
	at(m, 0xb8, 0x8500, NULL, 0);
	at(m, 0xb9, 0x1234, "/new", 0x234);
	at(m, 0xba, 0x1234, "/cut", 0x234);
	at(m, 0xbb, 0x1234, NULL, 0);
	at(m, -1, 0x1234, NULL, 0);
	at(NULL, 0xb8, 0x1000, NULL, 0);
	ev_maps_free(m);
}

/* What the recorder makes of /proc/PID/maps is read again; in a path a line end is no line. */
static void test_option(void)
{
	static const char maps[] =
		"00400000-00402000 r-xp 00001000 fe:01 18                         /bin/a b\n"
		"00402000-00403000 rw-p 00000000 00:00 0                          [heap]\n"
		"00403000-00404000 rw-p 00000000 00:00 0\n";
	struct ev_maps *m = ev_maps_new();
	struct buf option = {0};

	procmaps_text(0x4d2, "/tmp/a\n8000 9000 /etc/passwd", maps, &option);
	TAP_OK(!strcmp(option.data, "4d2 2 /tmp/a\\0128000 9000 /etc/passwd\n"
		       "400000 402000 /bin/a b\n402000 403000 [heap]\n"), "the option PROCMAPS");
	TAP_OK(option.len == strlen(option.data) + 1, "the option PROCMAPS ends with a NUL");
	ev_maps_add(m, option.data, option.len);
	at(m, 0x4d2, 0x401234, "/bin/a b", 0x1234);
	at(m, 0x4d2, 0x8000, NULL, 0);
	buf_release(&option);
	ev_maps_free(m);
}

int main(void)
{
	test_ids();
	test_option();
	test_maps();
	return tap_done();
}
