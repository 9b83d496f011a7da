/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pictures: hostile texts by hand, what is cut, files that are replaced; xmllint says whether it is XML. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/svg.h"

#include "tap.h"

static struct buf out;

static void is_now(const char *want, const char *name)
{
	TAP_OK(!strcmp(out.data, want), name);
	if (strcmp(out.data, want))
		printf("# got '%s'\n", out.data);
	buf_reset(&out);
}

#define HOSTILE "</title><script>alert(1)</script>&amp;\"'\x1b[2J\x00\x01\xff\xed\xa0\x80\xef\xbf\xbf\xc2\x9b]]>"

static void test_escape(void)
{
	static const struct { const char *text; size_t n; const char *want, *name; } rows[] = {
		{ "vfs_read", 8, "vfs_read", "a name" },
		{ "<&>\"'", 5, "&lt;&amp;&gt;&quot;&#39;", "what XML has for itself" },
		{ "a\0b", 3, "a\\x00b", "NUL" },
		{ "\x1b[2J\x7f", 5, "\\x1b[2J\\x7f", "control bytes" },
		{ "\xff\xc3\xa9\xe2\x82", 5, "\\xff\xc3\xa9\\xe2\\x82", "no UTF-8" },
		{ "\xed\xa0\x80", 3, "\\xed\\xa0\\x80", "half of a pair of UTF-16" },
		{ "x\xef\xbf\xbey\xef\xbf\xbfz\xef\xbf\xbd", 12,
		  "x\xef\xbf\xbdy\xef\xbf\xbdz\xef\xbf\xbd", "what XML has not" },
		{ "]]>", 3, "]]&gt;", "an end of CDATA" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		svg_escape(&out, rows[i].text, rows[i].n);
		is_now(rows[i].want, rows[i].name);
	}
}

static void test_numbers(void)
{
	static const struct { double v; const char *want; } rows[] = {
		{ 0, "0" }, { 12, "12" }, { 1.5, "1.5" }, { 2.25, "2.25" }, { 3.05, "3.05" }, { -0.5, "-0.5" },
		{ 0.004, "0" }, { 1e300, "1000000000" }, { -1e300, "-1000000000" }, { 99.999, "100" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		svg_number(&out, rows[i].v);
		is_now(rows[i].want, rows[i].want);
	}
}

/* A character is 7.2 wide: ten are 72. */
static void test_clip(void)
{
	svg_text(&out, 1, 2, 72, NULL, "0123456789");
	is_now("<text x=\"1\" y=\"2\">0123456789</text>\n", "as long as there is room");
	svg_text(&out, 1, 2, 71, NULL, "0123456789");
	is_now("<text x=\"1\" y=\"2\">0123456..</text>\n", "cut: nine places, two of them points");
	svg_text(&out, 1, 2, 28, NULL, "0123456789");
	is_now("<text x=\"1\" y=\"2\"></text>\n", "three say nothing");
	svg_text(&out, 1, 2, 36, NULL, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9");
	is_now("<text x=\"1\" y=\"2\">\xc3\xa9\xc3\xa9\xc3\xa9..</text>\n", "characters count, not bytes");
	svg_text(&out, 1, 2, 0, "dim", "0123456789");
	is_now("<text x=\"1\" y=\"2\" class=\"dim\">0123456789</text>\n", "0: all of it");
}

static void draw(struct buf *svg)
{
	static const char hostile[] = HOSTILE;
	struct svg_head head = { .width = 1200, .height = 100.5, .title = hostile,
				 .script = "if (1 < 2 && 3 > 2) ;\n" };

	buf_reset(svg);
	svg_begin(svg, &head);
	svg_group_begin(svg, "frame", hostile);
	svg_rect(svg, &(struct svg_box){ 1, 2.5, 3, 4 }, "c1", hostile);
	svg_text(svg, 1, 2, 0, "head", hostile);
	svg_group_end(svg);
	svg_line(svg, 0, 0, 10, 10, "grid");
	svg_end(svg);
}

static void test_file(const char *dir)
{
	char *path = xasprintf("%s/a.svg", dir);
	char *command = xasprintf("xmllint --noout --nonet %s", path);
	struct buf svg = {0};
	FILE *f;

	draw(&svg);
	f = fopen(path, "w");
	TAP_OK(f && fwrite(svg.data, 1, svg.len, f) == svg.len && !fclose(f), "written");
	if (system("xmllint --version > /dev/null 2>&1"))
		TAP_SKIP("xmllint takes it", "no xmllint here");
	else
		TAP_EQ(system(command), 0, "xmllint takes it");
	unlink(path);
	free(command);
	free(path);
	buf_release(&svg);
}

int main(void)
{
	char dir[] = "/tmp/ftr-svg-XXXXXX";

	test_escape();
	test_numbers();
	test_clip();
	if (!mkdtemp(dir))
		return 1;
	test_file(dir);
	rmdir(dir);
	buf_release(&out);
	return tap_done();
}
