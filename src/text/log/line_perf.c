/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the lines of perf script with its usual fields: "comm pid/tid [cpu] time: period event:
 * text", and the frames below an event, "\taddress symbol+0x1 (file)". The CPU, the tid and the
 * period are not always there.
 */
#include "text/log/text_line.h"

/* Parses "[000] ", the CPU. If it is missing @s does not move. */
static bool scan_perf_cpu(struct line_scanner *s, struct text_line *l)
{
	struct line_scanner at = *s;
	uint64_t cpu;

	if (!scan_char(&at, '[') || !scan_number(&at, &cpu) || cpu >= DUMP_CPUS ||
	    !scan_char(&at, ']'))
		return false;
	scan_blanks(&at);
	l->rec.cpu = cpu;
	l->has_cpu = true;
	*s = at;
	return true;
}

/* Parses "7870/7871 [000] 37864.881396: " from the pid on; the tid is the pid of the kernel. */
static bool scan_perf(struct line_scanner *s, struct text_line *l)
{
	struct line_scanner at;
	uint64_t pid;

	if (!scan_number(s, &pid) || (scan_char(s, '/') && !scan_number(s, &pid)) ||
	    pid > INT32_MAX || !scan_char(s, ' '))
		return false;
	scan_blanks(s);
	l->has_cpu = false;
	l->rec.cpu = 0;
	scan_perf_cpu(s, l);
	at = *s;
	if (!scan_time(s, l) || !memchr(at.p, '.', s->p - at.p) || !scan_word(s, ": "))
		return false;
	l->rec.pid = pid;
	l->absolute = l->has_task = true;
	l->comm_width = DUMP_COMM_WHOLE;
	return true;
}

/* Returns true for the modifiers of an event of perf, as in "cycles:ppu". */
static bool is_modifier(struct span_text t)
{
	for (size_t i = 0; i < t.len; i++)
		if (!memchr("ukhGHpPSDIWeb", t.p[i], 13))
			return false;
	return true;
}

/*
 * Splits "sched:sched_switch" into system and name. Events of the hardware have no system, and may
 * have modifiers: "cycles:u".
 */
static bool split_event(struct span_text t, struct dump_rec *rec)
{
	const char *colon = t.len ? memrchr(t.p, ':', t.len) : NULL;
	struct span_text last;

	rec->name = t;
	if (!colon || colon == t.p)
		return t.len > 0;
	last = (struct span_text){ colon + 1, t.p + t.len - (colon + 1) };
	if (is_modifier(last)) {
		rec->name.len = colon - t.p;
		return true;
	}
	rec->system = (struct span_text){ t.p, colon - t.p };
	rec->name = last;
	return true;
}

/* Parses the period, which is not always there, and leaves @s at the event. */
static void scan_period(struct line_scanner *s)
{
	struct line_scanner at;
	uint64_t period;

	scan_blanks(s);
	at = *s;
	if (!scan_number(&at, &period) || !scan_char(&at, ' '))
		return;
	scan_blanks(&at);
	*s = at;
}

/* Finds the pid after a name of a task, which may have blanks and digits. */
bool context_perf(struct line_scanner *s, struct text_line *l)
{
	const char *begin = s->p, *limit = s->end - begin < 64 ? s->end : begin + 64;

	for (const char *p = begin; p < limit && *p != '\t'; p++) {
		struct line_scanner at = { p, s->end };

		if (!scan_is_digit(*p) || p == begin || p[-1] != ' ' || !scan_perf(&at, l))
			continue;
		l->comm = span_trim((struct span_text){ begin, p - begin });
		if (!l->comm.len)
			continue;
		scan_period(&at);
		*s = at;
		return true;
	}
	return false;
}

bool body_perf(const struct line_form *f, struct line_scanner s, struct text_line *l)
{
	const char *from = s.p;

	(void)f;
	while (s.p < s.end && *s.p != ' ')
		s.p++;
	if (s.p - from < 2 || s.p[-1] != ':')
		return false;
	l->rec.kind = DUMP_EVENT;
	if (!split_event((struct span_text){ from, s.p - 1 - from }, &l->rec) ||
	    l->rec.name.len > NAME_MAX_LEN || l->rec.system.len > NAME_MAX_LEN)
		return false;
	scan_blanks(&s);
	l->rec.text = scan_rest(&s);
	text_line_find_names(l);
	return true;
}

/* Parses "\tffffffff816e1f36 __d_lookup_rcu+0x56 ([kernel.kallsyms])". */
bool frame_perf(struct line_scanner s, struct text_line *l)
{
	const char *from = s.p, *file;
	unsigned int digits;
	uint64_t addr;

	while (s.p < s.end && (*s.p == ' ' || *s.p == '\t'))
		s.p++;
	if (s.p == from)
		return false;
	digits = scan_hex(&s, &addr);
	if (!digits || !scan_char(&s, ' '))
		return false;
	l->class = LINE_FRAME;
	l->is_user = digits < 16 || addr >> 63 == 0;
	l->rec.text = scan_rest(&s);
	file = s.p < s.end && s.end[-1] == ')' ? memmem(s.p, s.end - s.p, " (", 2) : NULL;
	if (file)
		l->rec.text.len = file - s.p;
	return true;
}
