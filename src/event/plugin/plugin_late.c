/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plugins that wait until they are needed: what FTR_PLUGIN_LATE() says stands in an ELF note, so
 * that it is read without loading anything.
 */
#include <fnmatch.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event/plugin/plugin_priv.h"

#define HEAD_BYTES 4096		/* linkers put notes behind the program headers */
#define NOTE_NAME  "ftr"
#define NOTE_TYPE  1
#define WORD_MAX   256

struct head {
	uint8_t bytes[HEAD_BYTES];
	size_t  len;
};

/* @n bytes at @off into @to; false if they are not in the head of the file. */
static bool copy_head(const struct head *h, uint64_t off, void *to, size_t n)
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

/* Our text among the notes of [at, end). */
static char *find_note(const struct head *h, uint64_t at, uint64_t end)
{
	const char *text;
	ElfW(Nhdr) note;

	while (at < end && copy_head(h, at, &note, sizeof(note))) {
		at += sizeof(note);
		text = (const char *)h->bytes + at + align_note(note.n_namesz);
		if (at + align_note(note.n_namesz) + note.n_descsz > h->len)
			return NULL;
		if (note.n_type == NOTE_TYPE && note.n_namesz == sizeof(NOTE_NAME) &&
		    !memcmp(h->bytes + at, NOTE_NAME, sizeof(NOTE_NAME)))
			return xstrndup(text, note.n_descsz);
		at += align_note(note.n_namesz) + align_note(note.n_descsz);
	}
	return NULL;
}

static char *search_elf_notes(const struct head *h)
{
	char *text = NULL;
	ElfW(Ehdr) file;
	ElfW(Phdr) part;

	if (!copy_head(h, 0, &file, sizeof(file)) || memcmp(file.e_ident, ELFMAG, SELFMAG) ||
	    file.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
	    file.e_phentsize != sizeof(part))
		return NULL;
	for (unsigned int i = 0; i < file.e_phnum && !text; i++) {
		if (!copy_head(h, file.e_phoff + i * sizeof(part), &part, sizeof(part)))
			break;
		if (part.p_type == PT_NOTE && part.p_offset < h->len)
			text = find_note(h, part.p_offset, part.p_offset + part.p_filesz);
	}
	return text;
}

char *plug_late_events(int fd)
{
	struct head h;
	ssize_t n = pread(fd, h.bytes, sizeof(h.bytes), 0);

	if (n < 0)
		return NULL;
	h.len = n;
	return search_elf_notes(&h);
}

/* The next word; false at the end, or at one that makes no sense. */
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

bool plug_late_names(const char *events, const struct ftr_formatter *f)
{
	char word[WORD_MAX], *wanted = xasprintf("%s:%s", f->system ? f->system : "*", f->event);
	bool found = false;

	while (!found && next_word(&events, word))
		found = !strcmp(word, wanted);
	free(wanted);
	return found;
}
