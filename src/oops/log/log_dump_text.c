/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a record says behind its context: an event, a system call, a function, a stack. */
#include <stdlib.h>

#include "oops/log/log_dump_priv.h"

static bool is_name(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

static struct span_text take_name(struct scan *s)
{
	const char *from = s->p;

	while (s->p < s->end && is_name(*s->p))
		s->p++;
	return (struct span_text){ from, s->p - from };
}

/* "sys_openat(dfd: ffffff9c, ...)", "sys_openat -> 0x3" */
static bool take_syscall(struct scan s, struct dump_rec *rec)
{
	if (!line_word(&s, "sys_"))
		return false;
	rec->name = take_name(&s);
	if (!rec->name.len)
		return false;
	if (line_word(&s, " -> ")) {
		rec->kind = DUMP_SYSRET;
		rec->text = line_rest(&s);
		return true;
	}
	if (!line_word(&s, "(") || s.p == s.end || s.end[-1] != ')')
		return false;
	rec->kind = DUMP_SYSCALL;
	rec->text = (struct span_text){ s.p, s.end - 1 - s.p };
	return true;
}

/* "name: text"; a text may be empty. */
static bool take_event(struct scan s, struct dump_rec *rec)
{
	rec->kind = DUMP_EVENT;
	rec->name = take_name(&s);
	if (!rec->name.len || rec->name.len > 200 || !line_word(&s, ":"))
		return false;
	line_word(&s, " ");
	rec->text = line_rest(&s);
	return true;
}

/* "function <-parent", with arguments since 6.15: "function(a=1) <-parent" */
static bool take_function(struct scan s, struct dump_rec *rec)
{
	static const char arrow[] = " <-";
	const char *at = memmem(s.p, s.end - s.p, arrow, sizeof(arrow) - 1);

	if (!at || at == s.p || at + sizeof(arrow) - 1 == s.end)
		return false;
	rec->kind = DUMP_FUNCTION;
	rec->name = (struct span_text){ s.p, at - s.p };
	s.p = at + sizeof(arrow) - 1;
	rec->text = line_rest(&s);
	return true;
}

bool dump_text(struct dump_reader *r, struct scan s, struct dump_rec *rec)
{
	static const char stack[] = "<stack trace>", user[] = "<user stack trace>";

	(void)r;
	if ((size_t)(s.end - s.p) == sizeof(stack) - 1 && line_word(&s, stack)) {
		rec->kind = DUMP_STACK;
		rec->name = (struct span_text){ "kernel_stack", 12 };
		return true;
	}
	if (line_word(&s, user)) {
		rec->kind = DUMP_STACK;
		rec->name = (struct span_text){ "user_stack", 10 };
		return true;
	}
	return take_syscall(s, rec) || take_event(s, rec) || take_function(s, rec);
}

/* "comm=" to a pid behind it, whose name begins alike: "next_comm=a b next_pid=7". */
static const char *take_pair(struct dump *d, const char *p, const char *end)
{
	static const char *const behind[] = { " pid=", " prev_pid=", " next_pid=", " child_pid=" };
	const char *comm = p + strlen("comm="), *at, *best = NULL;
	struct scan s;
	uint64_t pid;

	for (size_t i = 0; i < sizeof(behind) / sizeof(*behind); i++) {
		at = memmem(comm, end - comm, behind[i], strlen(behind[i]));
		if (at && (!best || at < best))
			best = at;
	}
	if (!best || best - comm > 15)
		return comm;
	s = (struct scan){ (const char *)memchr(best, '=', end - best) + 1, end };
	if (line_number(&s, &pid) && pid && pid < INT32_MAX)
		dump_add_comm(d, pid, (struct span_text){ comm, best - comm });
	return s.p;
}

void dump_text_comms(struct dump *d, struct span_text text)
{
	const char *p = text.p, *end = p + text.len;

	while ((p = memmem(p, end - p, "comm=", 5)))
		p = take_pair(d, p, end);
}
