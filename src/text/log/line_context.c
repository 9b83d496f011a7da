/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the contexts of the kernel's records, which trace-cmd report and ftr report have, too: the
 * task, the CPU, the flags and the time before the event.
 */
#include "text/log/text_line.h"

#define SECONDS_MAX 10000000000
/* Characters in which the name of a task ends: no kernel has longer ones. */
#define COMM_COLUMN 24

static inline __attribute__((always_inline)) bool scan_time_here(struct line_scanner *s,
								 struct text_line *l)
{
	uint64_t sec, part;
	unsigned int digits;

	if (!scan_number(s, &sec))
		return false;
	l->rec.ns = sec;
	l->has_time = true;
	l->exact = true;
	if (!scan_char(s, '.'))
		return true;
	digits = scan_digits(s, &part);
	if ((digits != 6 && digits != 9) || sec > SECONDS_MAX)
		return false;
	l->exact = digits == 9;
	l->rec.ns = sec * 1000000000 + (l->exact ? part : part * 1000);
	return true;
}

bool scan_time(struct line_scanner *s, struct text_line *l)
{
	return scan_time_here(s, l);
}

/* Their meaning, and whether they have one, is found when all lines are read: flag_columns.h. */
static inline bool scan_letters_here(struct line_scanner *s, struct dump_rec *rec)
{
	uint64_t letters, blanks;
	unsigned int n;

	/* the time and the event follow: there are 8 bytes */
	if (s->end - s->p < 8)
		return false;
	letters = scan_load(s->p);
	blanks = scan_bytes_of(letters, ' ');
	n = blanks ? __builtin_ctzll(blanks) / 8 : 0;
	/* a time of seconds ends with a colon */
	if (n < 4 || s->p[n - 1] == ':')
		return false;
	letters &= ~(~0ULL << 8 * n);
	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		letters = __builtin_bswap64(letters);
	memcpy(rec->letters, &letters, DUMP_LETTERS);
	rec->columns = n;
	rec->has_flags = true;
	s->p += n;
	return true;
}

bool scan_letters(struct line_scanner *s, struct dump_rec *rec)
{
	return scan_letters_here(s, rec);
}

/* --- the kernel, trace-cmd report, ftr report */

/*
 * Bytes of the parts of a usual context with the most digits and blanks, seven of each. So many are
 * checked at once.
 */
#define PID_AND_CPU    22
#define FLAGS_AND_TIME 30

/* Parses one to seven decimal digits, most often few. They do not stand at the end of the line. */
static inline bool scan_few_digits(struct line_scanner *s, uint64_t *v)
{
	uint64_t number = 0;
	unsigned int n;

	for (n = 0; n < 8 && scan_is_digit(s->p[n]); n++)
		number = number * 10 + (s->p[n] - '0');
	*v = number;
	s->p += n;
	return n && n < 8;
}

/* Parses "012]", a CPU of three digits. */
static inline bool parse_cpu(const char *p, unsigned int *cpu)
{
	uint32_t d;

	memcpy(&d, p, sizeof(d));
	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		d = __builtin_bswap32(d);
	/* "000]"; a byte is a digit if it is at most 9 then */
	d ^= 0x5d303030;
	if (((d + 0x767676) | d) & 0xff808080)
		return false;
	*cpu = (d & 0xff) * 100 + (d >> 8 & 0xff) * 10 + (d >> 16);
	return true;
}

/* Parses "310804: ", the six digits of microseconds. */
static inline bool scan_microseconds(struct line_scanner *s, uint64_t *v)
{
	/* "000000: " */
	uint64_t d = scan_load(s->p) ^ 0x203a303030303030ULL;

	/* a byte is a digit if it is at most 9 then */
	if (((d + 0x767676767676ULL) | d) & 0xffff808080808080ULL)
		return false;
	d <<= 16;
	d = (d * 10 + (d >> 8)) & 0x00ff00ff00ff00ffULL;
	d = (d * 100 + (d >> 16)) & 0x0000ffff0000ffffULL;
	*v = (d * 10000 + (d >> 32)) & 0xffffffff;
	s->p += 8;
	return true;
}

/* Skips one to seven blanks, at least 8 bytes before the end. Returns false for other numbers. */
static inline bool scan_few_blanks(struct line_scanner *s)
{
	uint64_t others = scan_load(s->p) ^ ' ' * SCAN_ONES;
	unsigned int n = others ? __builtin_ctzll(others) / 8 : 0;

	s->p += n;
	return n;
}

/*
 * Parses the latency format after "comm-pid": "  3dNs4. 1542219us : ", and of trace-cmd
 * "  3dNs4.  2084.021443: ". If the clock does not count nanoseconds there is only the number.
 */
static bool scan_latency(struct line_scanner *s, struct text_line *l)
{
	uint64_t cpu;

	if (!scan_number(s, &cpu) || cpu >= DUMP_CPUS || !scan_letters(s, &l->rec))
		return false;
	l->rec.cpu = cpu;
	scan_blanks(s);
	if (!scan_time(s, l))
		return false;
	l->absolute = !l->exact;
	if (scan_word(s, "us")) {
		l->exact = false;
		l->rec.ns *= 1000;
		if (s->p == s->end || !strchr(" $@*#!+", *s->p++))
			return false;
	}
	l->comm_width = DUMP_COMM_RECORD;
	return scan_word(s, ": ");
}

/* Parses the context of the file trace after the task: "[000] d..2.  12.345678: ". */
static inline bool scan_plain(struct line_scanner *s, struct text_line *l)
{
	uint64_t cpu;

	if (!scan_char(s, '[') || !scan_long_digits(s, &cpu) || cpu >= DUMP_CPUS ||
	    !scan_char(s, ']') || !scan_char(s, ' '))
		return false;
	l->rec.cpu = cpu;
	scan_blanks(s);
	/* the option irq-info may be off */
	if (scan_letters_here(s, &l->rec))
		scan_blanks(s);
	l->absolute = true;
	l->comm_width = DUMP_COMM_WHOLE;
	return scan_time_here(s, l) && scan_char(s, ':') && scan_char(s, ' ');
}

/* Parses "( 4711) " and "(-----) ", the tgid. Returns its end, or NULL. */
static const char *skip_tgid(const char *p, const char *end)
{
	const char *close = memchr(p, ')', end - p < 10 ? end - p : 10);

	return close ? close + 1 : NULL;
}

/* Parses the context after the minus of "comm-pid". Returns its end, or NULL. */
static inline const char *scan_after_minus(const char *p, const char *end, struct text_line *l)
{
	struct line_scanner s = { p, end }, other;
	uint64_t pid;

	if (!scan_long_digits(&s, &pid) || pid > INT32_MAX)
		return NULL;
	l->rec.pid = pid;
	scan_blanks(&s);
	if (s.p < s.end && *s.p == '(') {
		s.p = skip_tgid(s.p, s.end);
		if (!s.p)
			return NULL;
		scan_blanks(&s);
	}
	if (s.p < s.end && *s.p == '[')
		return scan_plain(&s, l) ? s.p : NULL;
	other = (struct line_scanner){ s.p, s.end };
	return scan_latency(&other, l) ? other.p : NULL;
}

/*
 * Parses the verbose latency format from the pid on: pid, CPU, flags, preempt count, index, the
 * time in microseconds, "  149   1 0 00000001 0000000a [004bffe9] 102.171ms (+0.012ms): ".
 */
static bool scan_verbose(struct line_scanner *s, struct text_line *l)
{
	uint64_t pid, cpu, flags, count, v, us;

	if (!scan_number(s, &pid) || pid > INT32_MAX || !scan_char(s, ' '))
		return false;
	scan_blanks(s);
	if (!scan_number(s, &cpu) || cpu >= DUMP_CPUS || !scan_char(s, ' ') ||
	    !scan_number(s, &flags) || flags > 255 || !scan_char(s, ' ') ||
	    scan_hex(s, &count) < 8 || count > 255 || !scan_char(s, ' ') ||
	    scan_hex(s, &v) < 8 || !scan_word(s, " [") || scan_hex(s, &us) < 8 ||
	    us > UINT64_MAX / 1000 || !scan_word(s, "] ") || !scan_number(s, &v) ||
	    !scan_char(s, '.') || !scan_number(s, &v) || !scan_word(s, "ms (+") ||
	    !scan_number(s, &v) || !scan_char(s, '.') || !scan_number(s, &v) ||
	    !scan_word(s, "ms): "))
		return false;
	l->rec.pid = pid;
	l->rec.cpu = cpu;
	l->rec.flags = flags;
	l->rec.count = count;
	l->rec.has_flags = true;
	l->rec.columns = 0;
	l->rec.ns = us * 1000;
	l->has_time = l->absolute = true;
	l->comm_width = DUMP_COMM_WHOLE;
	return true;
}

/* Finds the pid of the verbose format, after a name that may have blanks. */
static bool find_verbose(struct line_scanner *s, struct text_line *l)
{
	const char *limit = s->end - s->p < 32 ? s->end : s->p + 32;
	const char *at = memchr(s->p, '[', s->end - s->p < 96 ? s->end - s->p : 96);

	if (!at || at - s->p < 36)
		return false;
	for (const char *p = s->p + 1; p < limit; p++) {
		struct line_scanner from = { p, s->end };

		if (p[-1] != ' ' || !scan_is_digit(*p) || !scan_verbose(&from, l))
			continue;
		l->comm = (struct span_text){ s->p, p - s->p };
		s->p = from.p;
		return true;
	}
	return false;
}

/*
 * Parses a context of the file trace in its most common form, "187   [000] d..2. 5.310804: ", from
 * the pid at @p on. Returns its end, or NULL for all other forms.
 */
static inline const char *scan_usual(const char *p, const char *end, struct text_line *l)
{
	struct line_scanner s = { p, end };
	uint64_t pid, sec, us;
	unsigned int cpu;

	if (end - p < PID_AND_CPU || !scan_few_digits(&s, &pid) || !scan_few_blanks(&s) ||
	    s.p[0] != '[' || !parse_cpu(s.p + 1, &cpu) || s.p[5] != ' ')
		return NULL;
	s.p += 6;
	if (end - s.p < FLAGS_AND_TIME || !scan_letters_here(&s, &l->rec) ||
	    !scan_few_blanks(&s) ||
	    !scan_few_digits(&s, &sec) || *s.p++ != '.' || !scan_microseconds(&s, &us))
		return NULL;
	l->rec.pid = pid;
	l->rec.cpu = cpu;
	l->rec.ns = sec * 1000000000 + us * 1000;
	l->has_time = l->absolute = true;
	l->comm_width = DUMP_COMM_WHOLE;
	return s.p;
}

/* Returns the bits of the minus signs in the first @n bytes at @p, at most 24, before @end. */
static inline unsigned int find_minus(const char *p, const char *end, unsigned int n)
{
	unsigned int bits = 0;
	scan_block b;

	if (end - p >= 32) {
		memcpy(&b, p, sizeof(b));
		bits = scan_block_bits(b == '-');
		memcpy(&b, p + 16, sizeof(b));
		bits |= scan_block_bits(b == '-') << 16;
		return bits & ((1u << n) - 1);
	}
	for (unsigned int i = 0; i < n && p + i < end; i++)
		bits |= (unsigned int)(p[i] == '-') << i;
	return bits;
}

/*
 * Finds the minus of "comm-pid" that a context follows: names may have minus signs, too. The
 * verbose format has none.
 */
bool context_kernel(struct line_scanner *s, struct text_line *l)
{
	const char *begin = s->p, *end = s->end, *p, *after;
	unsigned int minus = find_minus(begin, end, COMM_COLUMN);

	for (; minus; minus &= minus - 1) {
		p = begin + __builtin_ctz(minus);
		if (p + 1 == end || !scan_is_digit(p[1]))
			continue;
		after = scan_usual(p + 1, end, l);
		if (after) {
			l->comm = (struct span_text){ begin, p - begin };
			l->has_cpu = l->has_task = true;
			s->p = after;
			return true;
		}
		remove_letters(&l->rec);
		after = scan_after_minus(p + 1, end, l);
		if (!after) {
			remove_letters(&l->rec);
			continue;
		}
		l->comm = (struct span_text){ begin, p - begin };
		l->has_cpu = l->has_task = true;
		s->p = after;
		return true;
	}
	if (begin == end || !find_verbose(s, l))
		return false;
	l->comm = span_trim(l->comm);
	l->has_cpu = l->has_task = true;
	return true;
}
