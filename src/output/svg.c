/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pictures as SVG. */
#include "output/svg.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"

#define NUMBER_MAX	1e9	/* coordinates above it cannot be seen */

/* --- texts */

static const char *xml_entity(char c)
{
	switch (c) {
	case '&': return "&amp;";
	case '<': return "&lt;";
	case '>': return "&gt;";
	case '"': return "&quot;";
	case '\'': return "&#39;";
	default: return NULL;
	}
}

/* Returns true for U+FFFE and U+FFFF, which XML 1.0 lacks and text_sanitise() keeps. */
static bool is_non_xml(const char *p, size_t n)
{
	return n >= 3 && !memcmp(p, "\xef\xbf", 2) && (p[2] == '\xbe' || p[2] == '\xbf');
}

void svg_escape(struct buf *svg, const char *text, size_t n)
{
	struct buf clean = {0};
	const char *entity;

	buf_addstr(&clean, "");
	text_sanitise(&clean, text, n, true);
	for (size_t i = 0; i < clean.len; i++) {
		entity = xml_entity(clean.data[i]);
		if (entity) {
			buf_addstr(svg, entity);
		} else if (is_non_xml(clean.data + i, clean.len - i)) {
			buf_addstr(svg, "\xef\xbf\xbd");
			i += 2;
		} else {
			buf_addch(svg, clean.data[i]);
		}
	}
	buf_release(&clean);
}

/* Returns the number of bytes of the first @chars characters. */
static size_t count_bytes(const char *text, size_t chars)
{
	size_t n = 0;

	for (; text[n]; n++)
		if ((text[n] & 0xc0) != 0x80 && !chars--)
			break;
	return n;
}

void svg_number(struct buf *svg, double v)
{
	long hundredths;

	if (!(fabs(v) < NUMBER_MAX))
		v = v > 0 ? NUMBER_MAX : -NUMBER_MAX;
	hundredths = lround(v * 100);
	buf_printf(svg, "%s%ld", hundredths < 0 ? "-" : "", labs(hundredths) / 100);
	hundredths = labs(hundredths) % 100;
	if (hundredths)
		buf_printf(svg, hundredths % 10 ? ".%02ld" : ".%ld",
			   hundredths % 10 ? hundredths : hundredths / 10);
}

static void add_attribute(struct buf *svg, const char *name, double v)
{
	buf_printf(svg, " %s=\"", name);
	svg_number(svg, v);
	buf_addch(svg, '"');
}

static void add_class(struct buf *svg, const char *class)
{
	if (class)
		buf_printf(svg, " class=\"%s\"", class);
}

static void add_tip(struct buf *svg, const char *tip)
{
	buf_addstr(svg, "<title>");
	svg_escape(svg, tip, strlen(tip));
	buf_addstr(svg, "</title>");
}

/* --- the page */

/* Colours of medium brightness: legible as text on black, and as the background of black text. */
static const char *const colours[SVG_COLOURS] = {
	"#e8854a", "#5b9bd5", "#70ad63", "#d9a62e", "#b57edc", "#e06c75", "#4db6ac", "#a1887f",
	"#90a4ae", "#c0ca33", "#f06292", "#7986cb",
};

static const char *const heat[SVG_HEAT] = {
	"#fde0a8", "#fcc97c", "#fab45a", "#f79a45", "#f0803c", "#e4653a", "#d24a3c", "#b93342",
	"#99234a", "#741a4f",
};

void svg_begin(struct buf *svg, const struct svg_head *h)
{
	buf_addstr(svg, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\"");
	add_attribute(svg, "width", h->width);
	add_attribute(svg, "height", h->height);
	buf_addstr(svg, " viewBox=\"0 0 ");
	svg_number(svg, h->width);
	buf_addch(svg, ' ');
	svg_number(svg, h->height);
	buf_addstr(svg, "\">\n");
	add_tip(svg, h->title);
	buf_addch(svg, '\n');
	buf_addstr(svg, "<style>\n"
		   "svg{--paper:#fff;--ink:#222;--dim:#777;--grid:#ddd}\n"
		   "@media (prefers-color-scheme:dark){"
		   "svg{--paper:#1c1c1e;--ink:#ddd;--dim:#999;--grid:#444}}\n"
		   "svg{background:var(--paper)}\n"
		   "text{font:12px monospace;fill:var(--ink);white-space:pre}\n"
		   ".page{fill:var(--paper)}.dim{fill:var(--dim)}.head{font-weight:bold}\n"
		   ".right{text-anchor:end}.middle{text-anchor:middle}\n"
		   ".grid{stroke:var(--grid)}.axis{stroke:var(--dim)}\n");
	for (int i = 0; i < SVG_COLOURS; i++)
		buf_printf(svg, ".c%d{fill:%s}\n", i, colours[i]);
	for (int i = 0; i < SVG_HEAT; i++)
		buf_printf(svg, ".h%d{fill:%s}\n", i, heat[i]);
	buf_addstr(svg, h->style ? h->style : "");
	buf_addstr(svg, "</style>\n");
	if (h->script)
		buf_printf(svg, "<script><![CDATA[\n%s]]></script>\n", h->script);
	svg_rect(svg, &(struct svg_box){ 0, 0, h->width, h->height }, "page", NULL);
}

void svg_end(struct buf *svg)
{
	buf_addstr(svg, "</svg>\n");
}

/* --- shapes and texts */

void svg_rect(struct buf *svg, const struct svg_box *b, const char *class, const char *tip)
{
	buf_addstr(svg, "<rect");
	add_attribute(svg, "x", b->x);
	add_attribute(svg, "y", b->y);
	add_attribute(svg, "width", b->width);
	add_attribute(svg, "height", b->height);
	add_class(svg, class);
	if (!tip) {
		buf_addstr(svg, "/>\n");
		return;
	}
	buf_addch(svg, '>');
	add_tip(svg, tip);
	buf_addstr(svg, "</rect>\n");
}

void svg_text(struct buf *svg, double x, double y, double width, const char *class,
	      const char *text)
{
	size_t chars = width > 0 ? (size_t)(width / SVG_CHAR) : 0, fitting;

	buf_addstr(svg, "<text");
	add_attribute(svg, "x", x);
	add_attribute(svg, "y", y);
	add_class(svg, class);
	buf_addch(svg, '>');
	fitting = count_bytes(text, width > 0 ? chars : SIZE_MAX);
	if (!text[fitting]) {
		svg_escape(svg, text, fitting);
	} else if (chars >= 4) {
		/* less than two characters before the two points are of no use */
		svg_escape(svg, text, count_bytes(text, chars - 2));
		buf_addstr(svg, "..");
	}
	buf_addstr(svg, "</text>\n");
}

void svg_line(struct buf *svg, double x1, double y1, double x2, double y2, const char *class)
{
	buf_addstr(svg, "<line");
	add_attribute(svg, "x1", x1);
	add_attribute(svg, "y1", y1);
	add_attribute(svg, "x2", x2);
	add_attribute(svg, "y2", y2);
	add_class(svg, class);
	buf_addstr(svg, "/>\n");
}

void svg_group_begin(struct buf *svg, const char *class, const char *tip)
{
	buf_addstr(svg, "<g");
	add_class(svg, class);
	buf_addch(svg, '>');
	if (tip)
		add_tip(svg, tip);
}

void svg_group_end(struct buf *svg)
{
	buf_addstr(svg, "</g>\n");
}
