/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Words: nearest candidates, human numbers, escaping of control bytes.
 *
 * Records, names and files may contain bytes that a terminal obeys. One function escapes them for
 * all commands, as names that some commands printed themselves were not escaped: C0, DEL, C1 (CSI
 * is U+009B), the controls of bidirectional text, and bytes that are not UTF-8. Most text is
 * ASCII: the fast paths (64 bytes at once, event/prog/prog_run_fast.c) accept printable ASCII, the
 * slow one handles the rest. JSON has \u for all characters beyond ASCII. Text for programs
 * (--format=kernel, ftr show) keeps its bytes if it does not go to a terminal.
 */
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define WORD_MAX 63
#define START_MIN 4

/* Edit distance in which a swap of two neighbours counts once (optimal string alignment). */
static unsigned int word_distance(const char *a, const char *b)
{
	unsigned int row[3][WORD_MAX + 1], la = strlen(a), lb = strlen(b), i, j;
	unsigned int *two = row[0], *one = row[1], *now = row[2], *t;
	unsigned int best;

	if (la > WORD_MAX || lb > WORD_MAX)
		return WORD_MAX;
	for (j = 0; j <= lb; j++)
		one[j] = j;
	for (i = 1; i <= la; i++) {
		now[0] = i;
		for (j = 1; j <= lb; j++) {
			unsigned int cost = tolower((unsigned char)a[i - 1]) !=
					    tolower((unsigned char)b[j - 1]);

				best = now[j - 1] < one[j] ? now[j - 1] + 1 : one[j] + 1;
				now[j] = best < one[j - 1] + cost ? best : one[j - 1] + cost;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    two[j - 2] + 1 < now[j])
				now[j] = two[j - 2] + 1;
		}
		t = two;
		two = one;
		one = now;
		now = t;
	}
	return one[lb];
}

static size_t common_start(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && tolower((unsigned char)a[n]) == tolower((unsigned char)b[n]))
		n++;
	return n;
}

/* If both have the same distance, the longer common start counts: 'traceof' is 'traceoff'. */
static bool is_nearer(const char *word, const char *a, const char *b)
{
	unsigned int da = word_distance(word, a), db = word_distance(word, b);

	return da != db ? da < db : common_start(word, a) > common_start(word, b);
}

static bool is_candidate(const char *word, char *const *candidates)
{
	for (; *candidates; candidates++)
		if (!strcmp(*candidates, word))
			return true;
	return false;
}

/* The changes that make a word its opposite: another start, or another end. */
static const struct { const char *from, *to; bool at_end; } opposites[] = {
	{ "on", "off", true },	     { "off", "on", true },
	{ "no-", "", false },	     { "", "no-", false },
	{ "no", "", false },	     { "", "no", false },
	{ "enable", "disable", false }, { "disable", "enable", false },
	{ "start", "stop", false },  { "stop", "start", false },
	{ "un", "", false },	     { "", "un", false },
};

/* Returns @name with the opposite @which, after the dashes of an option; NULL if it has none. */
static char *opposite_of(const char *name, size_t which)
{
	const char *from = opposites[which].from, *to = opposites[which].to;
	size_t dashes = strspn(name, "-"), n = strlen(name), len = strlen(from);

	if (n < dashes + len)
		return NULL;
	if (opposites[which].at_end)
		return strcmp(name + n - len, from) ? NULL :
		       xasprintf("%.*s%s", (int)(n - len), name, to);
	if (strncmp(name + dashes, from, len))
		return NULL;
	return xasprintf("%.*s%s%s", (int)dashes, name, to, name + dashes + len);
}

static bool starts_with(const char *name, const char *start)
{
	return !strncmp(name, start, strlen(start));
}

/*
 * Returns true if @word may as well mean the opposite of @name: it is that, or that is as near, or
 * it is cut off before the two differ.
 */
static bool may_oppose(const char *word, const char *name, char *const *candidates)
{
	bool yes = false;
	char *other;
	size_t i;

	for (i = 0; !yes && i < sizeof(opposites) / sizeof(*opposites); i++) {
		other = opposite_of(name, i);
		if (!other)
			continue;
		if (!strcmp(other, word))
			yes = true;
		else if (is_candidate(other, candidates))
			yes = !is_nearer(word, name, other) ||
			      (starts_with(name, word) && starts_with(other, word));
		free(other);
	}
	return yes;
}

/*
 * Returns the only one of @candidates that starts with @word, or the longest one that @word starts
 * with ('monotonic' with 'mono'). Too many words start with only a few letters.
 */
static const char *closest_by_start(const char *word, char *const *candidates)
{
	const char *longest = NULL, *only = NULL;
	bool several = false, starts, is_longer;
	char *const *c;
	size_t n = strlen(word), len;

	for (c = candidates; n >= START_MIN && *c; c++) {
		len = strlen(*c);
		starts = !several && starts_with(*c, word);
		is_longer = len >= START_MIN && 3 * len >= n && starts_with(word, *c) &&
			    (!longest || len > strlen(longest));
		/* this searches all candidates again, which may be all functions of a kernel */
		if (!(starts || is_longer) || may_oppose(word, *c, candidates))
			continue;
		if (is_longer)
			longest = *c;
		if (!starts)
			continue;
		several |= only && strcmp(only, *c);
		only = *c;
	}
	return only && !several ? only : longest;
}

const char *text_closest(const char *word, char *const *candidates)
{
	/* the number of letters that may be wrong */
	unsigned int limit = strlen(word) < 12 ? strlen(word) / 3 : 4;
	const char *found = NULL;
	char *const *c;

	if (!candidates || !limit || is_candidate(word, candidates))
		return NULL;
	for (c = candidates; *c; c++)
		if (word_distance(word, *c) <= limit && (!found || is_nearer(word, *c, found)) &&
		    !may_oppose(word, *c, candidates))
			found = *c;
	return found ? found : closest_by_start(word, candidates);
}

int text_size(const char *s, uint64_t unit, uint64_t *bytes)
{
	static const char suffix[] = "KMGT";
	const char *at;
	char *end;
	uint64_t v;

	if (!isdigit((unsigned char)*s))
		return -1;
	errno = 0;
	v = strtoull(s, &end, 10);
	if (errno)
		return -1;
	if (*end) {
		at = strchr(suffix, toupper((unsigned char)*end));
		if (!at)
			return -1;
		unit = 1ULL << 10 * (at - suffix + 1);
		end++;
		if (!strcasecmp(end, "ib") || !strcasecmp(end, "b"))
			end += strlen(end);
	}
	return *end || __builtin_mul_overflow(v, unit, bytes) ? -1 : 0;
}

int text_duration(const char *s, uint64_t *ns)
{
	static const struct { const char *name; double ns; } units[] = {
		{ "", 1e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 },
		{ "m", 60e9 }, { "min", 60e9 }, { "h", 3600e9 },
	};
	char *end;
	double v;
	size_t i;

	if (!isdigit((unsigned char)*s) && *s != '.')
		return -1;
	v = strtod(s, &end);
	for (i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(end, units[i].name))
			continue;
		v *= units[i].ns;
		if (!(v >= 0 && v < 9e18))
			return -1;
		*ns = v + 0.5;
		return 0;
	}
	return -1;
}

int text_number(const char *s, int64_t min, int64_t max, int64_t *v)
{
	char *end;

	if (!*s || isspace((unsigned char)*s))
		return -1;
	errno = 0;
	*v = strtoll(s, &end, 0);
	return errno || *end || *v < min || *v > max ? -1 : 0;
}

static unsigned int digit_value(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	c = tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

int text_c_integer(const char *p, const char *end, uint64_t *v)
{
	unsigned int base = 10;

	if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x') {
		base = 16;
		p += 2;
	} else if (end - p > 1 && p[0] == '0') {
		base = 8;
	}
	for (*v = 0; p < end && digit_value(*p) < base; p++)
		if (__builtin_mul_overflow(*v, base, v) ||
		    __builtin_add_overflow(*v, digit_value(*p), v))
			return -ERANGE;
	while (p < end && strchr("uUlL", *p))
		p++;
	return p == end ? 0 : -EINVAL;
}

int text_cpulist(const char *s, uint64_t *bits, unsigned int nbits)
{
	unsigned long from, to;
	char *end;

	memset(bits, 0, (nbits + 63) / 64 * sizeof(*bits));
	for (;; s = end + 1) {
		if (!isdigit((unsigned char)*s))
			return -1;
		from = to = strtoul(s, &end, 10);
		if (*end == '-') {
			if (!isdigit((unsigned char)end[1]))
				return -1;
			to = strtoul(end + 1, &end, 10);
		}
		if (from > to || to >= nbits)
			return -1;
		for (; from <= to; from++)
			bits[from / 64] |= 1ULL << from % 64;
		if (!*end)
			return 0;
		if (*end != ',')
			return -1;
	}
}

void text_cpumask(struct buf *out, const uint64_t *bits, unsigned int nbits)
{
	size_t w = (nbits + 63) / 64 * 2;
	bool more = false;

	while (w-- > 0) {
		uint32_t word = bits[w / 2] >> w % 2 * 32;

		if (more)
			buf_printf(out, ",%08" PRIx32, word);
		else if (word || !w)
			buf_printf(out, "%" PRIx32, word);
		more |= word != 0;
	}
}

static void add_scaled(struct buf *out, uint64_t n, unsigned int step, const char *const *unit)
{
	double v = n;

	while (v >= step && unit[1]) {
		v /= step;
		unit++;
	}
	if (v == n)
		buf_printf(out, "%" PRIu64 "%s", n, *unit);
	else
		buf_printf(out, v < 10 ? "%.1f%s" : "%.0f%s", v, *unit);
}

void text_count(struct buf *out, uint64_t n)
{
	static const char *const unit[] = { "", "K", "M", "G", "T", NULL };

	if (n < 10000)
		buf_printf(out, "%" PRIu64, n);
	else
		add_scaled(out, n, 1000, unit);
}

void text_grouped(struct buf *out, uint64_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n), i;

	for (i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			buf_addch(out, ',');
		buf_addch(out, digits[i]);
	}
}

void text_bytes(struct buf *out, uint64_t n)
{
	static const char *const unit[] = { " bytes", " KiB", " MiB", " GiB", " TiB", NULL };

	add_scaled(out, n, 1024, unit);
}

/* Characters beyond ASCII with an effect but no glyph: C1, and those that set the direction. */
static const struct { uint32_t first, last; } acting[] = {
	{ 0x80, 0x9f }, { 0x61c, 0x61c }, { 0x200e, 0x200f }, { 0x202a, 0x202e },
	{ 0x2066, 0x2069 },
};

bool text_acts(uint32_t c)
{
	for (size_t i = 0; i < sizeof(acting) / sizeof(*acting); i++)
		if (c >= acting[i].first && c <= acting[i].last)
			return true;
	return false;
}

size_t text_utf8(const char *p, size_t n, uint32_t *c)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *s = (const unsigned char *)p;
	size_t len = *s >= 0xf0 ? 4 : *s >= 0xe0 ? 3 : 2;

	*c = *s & 0x7f >> len;
	if (*s < 0xc2 || *s > 0xf4 || len > n)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (s[i] & 0x3f);
	}
	if (*c < least[len] || *c > 0x10ffff || (*c >= 0xd800 && *c <= 0xdfff))
		return 0;
	return len;
}

/*
 * Returns the length of the character at @p; 0 if its first byte must be escaped. Bytes that are no
 * UTF-8 must be: terminals with a single-byte character set obey 0x80 to 0x9f.
 */
static inline size_t printable_char_len(const char *p, size_t n, bool keep_nl)
{
	const unsigned char *s = (const unsigned char *)p;
	uint32_t c;
	size_t len;

	if (*s >= 0x80) {
		len = text_utf8(p, n, &c);
		return len && !text_acts(c) ? len : 0;
	}
	return (*s >= ' ' && *s != 0x7f) || *s == '\t' || (*s == '\n' && keep_nl);
}

#define BLOCK 64

/* There is no branch, so that the compiler can test many bytes at once. */
static bool block_plain(const char *s, bool keep_nl)
{
	const unsigned char nl = keep_nl ? '\n' : '\t';
	unsigned char bad = 0, c;

	for (int i = 0; i < BLOCK; i++) {
		c = s[i];
		bad |= ((c < ' ') & (c != '\t') & (c != nl)) | (c >= 0x7f);
	}
	return !bad;
}

bool text_clean(const char *s, size_t n, bool keep_nl)
{
	size_t len;

	for (; n; s += len, n -= len) {
		if (n >= BLOCK && block_plain(s, keep_nl))
			len = BLOCK;
		else
			len = printable_char_len(s, n, keep_nl);
		if (!len)
			return false;
	}
	return true;
}

void text_sanitise(struct buf *out, const char *s, size_t n, bool keep_nl)
{
	size_t i, len;

	if (text_clean(s, n, keep_nl)) {
		buf_add(out, s, n);
		return;
	}
	for (i = 0; i < n; i += len ? len : 1) {
		len = printable_char_len(s + i, n - i, keep_nl);
		if (len)
			buf_add(out, s + i, len);
		else
			buf_printf(out, "\\x%02x", (unsigned char)s[i]);
	}
}

/* --- cells */

static size_t skip_digits(const char *s, size_t n, size_t at)
{
	while (at < n && s[at] >= '0' && s[at] <= '9')
		at++;
	return at;
}

bool text_is_formula(const char *s, size_t n)
{
	size_t at;

	if (!n || !memchr("=+-@\t\r", *s, 6))
		return false;
	if (*s != '+' && *s != '-')
		return true;
	/* "-12" and "+0.5" are numbers */
	at = skip_digits(s, n, 1);
	if (at == 1)
		return true;
	if (at < n && s[at] == '.')
		at = skip_digits(s, n, at + 1);
	return at != n;
}

/* --- command lines */

/* Returns true if a shell takes the word unchanged. */
static bool is_plain_word(const char *text)
{
	static const char others[] = "%+,-./:=@_";

	if (!*text)
		return false;
	for (; *text; text++)
		if (!strchr(others, *text) && (*text < '0' || *text > '9') &&
		    ((*text | 0x20) < 'a' || (*text | 0x20) > 'z'))
			return false;
	return true;
}

static bool is_printable(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || (unsigned char)*text >= 0x7f || *text == '\'')
			return false;
	return true;
}

/* bash has an escape in $'...' for each byte that a terminal would act on. */
void text_add_word(struct buf *out, const char *word)
{
	if (is_plain_word(word)) {
		buf_addstr(out, word);
		return;
	}
	if (is_printable(word)) {
		buf_printf(out, "'%s'", word);
		return;
	}
	buf_addstr(out, "$'");
	for (; *word; word++) {
		if ((unsigned char)*word < 0x20 || (unsigned char)*word >= 0x7f)
			buf_printf(out, "\\x%02x", (unsigned char)*word);
		else
			buf_printf(out, "%s%c", strchr("'\\", *word) ? "\\" : "", *word);
	}
	buf_addch(out, '\'');
}

char *text_word(const char *word)
{
	struct buf out = {0};

	text_add_word(&out, word);
	buf_addstr(&out, "");
	return buf_take(&out);
}

void text_add_file(struct buf *out, const char *path)
{
	char *guarded = *path == '-' && path[1] ? xasprintf("./%s", path) : xstrdup(path);

	text_add_word(out, guarded);
	free(guarded);
}

void text_vprint(FILE *to, const char *fmt, va_list ap)
{
	struct buf text = {0}, clean = {0};

	buf_vprintf(&text, fmt, ap);
	text_sanitise(&clean, text.data, text.len, true);
	fwrite(clean.data, 1, clean.len, to);
	buf_release(&text);
	buf_release(&clean);
}

#define CARET_WIDTH  120		/* bytes of a line that are shown */
#define CARET_AFTER  40			/* of them after the caret, if the line is cut there */

static bool continues_utf8(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Adds the bytes with blanks for control bytes. Returns the columns of those before @at. */
static size_t add_plain(struct buf *out, const char *s, size_t n, size_t at)
{
	size_t i, len, columns = 0;

	for (i = 0; i < n; i += len ? len : 1) {
		len = s[i] == '\t' ? 0 : printable_char_len(s + i, n - i, false);
		buf_add(out, len ? s + i : " ", len ? len : 1);
		columns += i < at;
	}
	return columns;
}

void text_caret(struct buf *out, const char *line, size_t n, size_t at, unsigned int indent)
{
	size_t from = 0, to = n, columns;
	bool cut_left, cut_right;

	at = at < n ? at : n;
	if (n > CARET_WIDTH) {
		to = at + CARET_AFTER < n ? at + CARET_AFTER : n;
		to = to > CARET_WIDTH ? to : CARET_WIDTH;
		from = to - CARET_WIDTH;
	}
	while (from && from < at && continues_utf8(line[from]))
		from++;
	while (to < n && continues_utf8(line[to]))
		to++;
	cut_left = from > 0;
	cut_right = to < n;
	buf_printf(out, "%*s%s", (int)indent, "", cut_left ? "..." : "");
	columns = add_plain(out, line + from, to - from, at - from);
	buf_printf(out, "%s\n%*s%s%*s^", cut_right ? "..." : "", (int)indent, "",
		   cut_left ? "   " : "", (int)columns, "");
}
