/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the contexts of the kernel's records, which trace-cmd report and ftr report have, too: the
 * task, the CPU, the flags and the time before the event.
 */
#include "text/log/text_line.h"

#define SECONDS_MAX 10000000000

bool scan_time(struct line_scanner *s, struct text_line *l)
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

bool scan_letters(struct line_scanner *s, struct dump_rec *rec)
{
	static const bool is_letter[256] = {
		['0' ... '9'] = true, ['a' ... 'f'] = true, ['.'] = true,
		['D'] = true, ['X'] = true,
		['N'] = true, ['n'] = true, ['p'] = true, ['B'] = true, ['L'] = true, ['l'] = true,
		['Z'] = true, ['z'] = true, ['H'] = true, ['h'] = true, ['s'] = true,
	};
	unsigned int n = 0;

	while (s->p + n < s->end && n < DUMP_LETTERS && is_letter[(unsigned char)s->p[n]]) {
		rec->letters[n] = s->p[n];
		n++;
	}
	if (n < 4 || s->p + n == s->end || s->p[n] != ' ') {
		memset(rec->letters, 0, sizeof(rec->letters));
		rec->has_flags = false;
		return false;
	}
	rec->columns = n;
	rec->has_flags = true;
	s->p += n;
	return true;
}

/* --- the kernel, trace-cmd report, ftr report */

/*
 * Parses the latency format after "comm-pid" and the CPU: "dNs4. 1542219us : ", and of trace-cmd
 * "dNs4.  2084.021443: ". If the clock does not count nanoseconds there is only the number.
 */
static bool scan_latency(struct line_scanner *s, struct text_line *l)
{
	if (!scan_letters(s, &l->rec))
		return false;
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
static bool scan_plain(struct line_scanner *s, struct text_line *l)
{
	uint64_t cpu;

	if (!scan_char(s, '[') || !scan_number(s, &cpu) || cpu >= DUMP_CPUS || !scan_word(s, "] "))
		return false;
	l->rec.cpu = cpu;
	scan_blanks(s);
	/* the option irq-info may be off */
	scan_letters(s, &l->rec);
	scan_blanks(s);
	l->absolute = true;
	l->comm_width = DUMP_COMM_WHOLE;
	return scan_time(s, l) && scan_word(s, ": ");
}

/* Parses "( 4711) " and "(-----) ", the tgid. */
static bool scan_tgid(struct line_scanner *s)
{
	const char *end = memchr(s->p, ')', s->end - s->p < 10 ? s->end - s->p : 10);

	if (!end)
		return false;
	s->p = end + 1;
	scan_blanks(s);
	return true;
}

/* Parses the context after the minus of "comm-pid". */
static bool scan_after_minus(struct line_scanner *s, struct text_line *l)
{
	uint64_t v;

	if (!scan_number(s, &v) || v > INT32_MAX)
		return false;
	l->rec.pid = v;
	scan_blanks(s);
	if (s->p == s->end)
		return false;
	if (*s->p == '(' && !scan_tgid(s))
		return false;
	if (s->p < s->end && *s->p == '[')
		return scan_plain(s, l);
	if (!scan_number(s, &v) || v >= DUMP_CPUS)
		return false;
	l->rec.cpu = v;
	return scan_latency(s, l);
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
 * Finds the minus of "comm-pid" that a context follows: names may have minus signs, too. The
 * verbose format has none.
 */
bool context_kernel(struct line_scanner *s, struct text_line *l)
{
	const char *begin = s->p, *limit = s->end - begin < 24 ? s->end : begin + 24;

	for (const char *p = begin; p < limit; p++) {
		struct line_scanner at = { p + 1, s->end };

		if (*p != '-' || at.p == at.end || !scan_is_digit(*at.p) ||
		    !scan_after_minus(&at, l))
			continue;
		l->comm = (struct span_text){ begin, p - begin };
		while (l->comm.len && *l->comm.p == ' ') {
			l->comm.p++;
			l->comm.len--;
		}
		l->has_cpu = l->has_task = true;
		*s = at;
		return true;
	}
	l->rec.has_flags = false;
	if (begin == s->end || !find_verbose(s, l))
		return false;
	l->comm = span_trim(l->comm);
	l->has_cpu = l->has_task = true;
	return true;
}
