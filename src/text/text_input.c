/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bytes of a text: mapped, and without the HTML around them. */
#include "text/text_input.h"

#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/text.h"

#define HTML_HEAD 4096		/* bytes in which a page shows that it is one */

/* Returns the place of @word, in letters of either case, or NULL. */
static const char *find_tag(const char *p, const char *end, const char *word)
{
	size_t n = strlen(word);

	while ((p = memchr(p, *word, end - p)) && (size_t)(end - p) >= n) {
		if (!strncasecmp(p, word, n))
			return p;
		p++;
	}
	return NULL;
}

static bool is_html(const char *p, size_t len)
{
	const char *end = p + (len < HTML_HEAD ? len : HTML_HEAD);

	return find_tag(p, end, "<!doctype html") || find_tag(p, end, "<html");
}

/*
 * Appends the content of the first element <script class="trace-data"> that has the head of the
 * kernel's text, else of the first one: systrace and the catapult tools put the texts of other
 * sources into further ones.
 */
static void add_trace_data(const char *p, const char *end, struct buf *out)
{
	static const char head[] = "# tracer: ";
	const char *open, *text, *close, *first = NULL;
	bool has_head = false;
	size_t len = 0;

	while (!has_head && (open = find_tag(p, end, "<script"))) {
		text = memchr(open, '>', end - open);
		if (!text)
			break;
		p = ++text;
		if (!memmem(open, text - open, "trace-data", strlen("trace-data")))
			continue;
		close = find_tag(text, end, "</script");
		p = close ? close : end;
		has_head = memmem(text, p - text, head, sizeof(head) - 1);
		if (first && !has_head)
			continue;
		first = text;
		len = p - text;
	}
	if (first)
		buf_add(out, first, len);
}

/*
 * Appends the string of the script "var linuxPerfData = "...";", in which systrace up to 2014 put
 * the text: its lines end in \n, a backslash and a newline.
 */
static void add_perf_data(const char *p, const char *end, struct buf *out)
{
	const char *at = memmem(p, end - p, "linuxPerfData", strlen("linuxPerfData"));

	at = at ? memchr(at, '"', end - at) : NULL;
	while (at && ++at < end && *at != '"') {
		if (*at != '\\') {
			buf_addch(out, *at);
			continue;
		}
		if (++at == end)
			return;
		if (*at == 'n')
			buf_addch(out, '\n');
		else if (*at == 't')
			buf_addch(out, '\t');
		else if (*at != '\n' && *at != '\r')
			buf_addch(out, *at);
	}
}

int text_input_map(struct text_input *in, int fd, const char *path, struct ftr_error *err)
{
	struct stat st;
	void *map;

	*in = (struct text_input){0};
	if (fstat(fd, &st))
		return err_sys(err, "cannot read '%s'", path);
	if ((uint64_t)st.st_size > TEXT_INPUT_MAX) {
		err_set(err, FTR_FAILED, "'%s' is a text of more than %d GiB", path,
			(int)(TEXT_INPUT_MAX >> 30));
		return err_hint(err, "split it: split -C 1G --additional-suffix=.txt '%s'", path);
	}
	if (!st.st_size)
		return 0;
	map = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return err_sys(err, "cannot read '%s'", path);
	in->map = map;
	in->p = map;
	in->len = in->map_len = st.st_size;
	if (!is_html(in->p, in->len))
		return 0;
	in->html = true;
	add_trace_data(in->p, in->p + in->len, &in->own);
	if (!in->own.len)
		add_perf_data(in->p, in->p + in->len, &in->own);
	in->p = in->own.data;
	in->len = in->own.len;
	return 0;
}

void text_input_release(struct text_input *in)
{
	if (in->map)
		munmap(in->map, in->map_len);
	buf_release(&in->own);
	*in = (struct text_input){0};
}
