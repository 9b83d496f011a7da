/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the text of a crash in a log, and reads head, place, CPU and task of an oops. */
#include "text/log/oops_text.h"

#include <string.h>

#include "base/limits.h"
#include "text/log/log_lines.h"

#define PID_MAX (4 << 20)		/* the kernel's PID_MAX_LIMIT */
#define LINES_AFTER_END 60		/* registers, code, and the task that exits */
#define PANIC "Kernel panic - not syncing: "
#define CHUNK	(1u << 20)		/* bytes of a log that are split into lines at once */
/*
 * An oops causes a panic, and a hung task others. Between them the kernel may dump the trace to a
 * serial console, which takes minutes.
 */
#define SAME_CRASH_NS (600ull * 1000000000)

struct oops_words {
	const char *p, *end;
};

static bool skip_word(struct oops_words *w, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(w->end - w->p) < n || memcmp(w->p, word, n))
		return false;
	w->p += n;
	return true;
}

/* Moves after the first @word. Without one nothing moves, and it returns false. */
static bool skip_to(struct oops_words *w, const char *word)
{
	size_t n = strlen(word);
	const char *at = memmem(w->p, w->end - w->p, word, n);

	if (at)
		w->p = at + n;
	return at;
}

static bool has_word(struct oops_words w, const char *word)
{
	return skip_to(&w, word);
}

/* Parses a number. Returns -1 if there is none, or if it is not below @most. */
static int parse_number(struct oops_words *w, int most)
{
	const char *start = w->p;
	int v = 0;

	for (; w->p < w->end && *w->p >= '0' && *w->p <= '9'; w->p++)
		if (v < most)
			v = v * 10 + (*w->p - '0');
	return w->p > start && v < most ? v : -1;
}

/* Gets the next line without its end and the blanks around it. Returns false after the last. */
static bool next_line(struct oops_words *text, struct oops_words *line)
{
	const char *nl;

	if (text->p == text->end)
		return false;
	nl = memchr(text->p, '\n', text->end - text->p);
	*line = (struct oops_words){ text->p, nl ? nl : text->end };
	text->p = nl ? nl + 1 : text->end;
	while (line->p < line->end && (*line->p == ' ' || *line->p == '\t'))
		line->p++;
	while (line->p < line->end && (line->end[-1] == '\r' || line->end[-1] == ' '))
		line->end--;
	return true;
}

static struct oops_part words_part(const struct oops_words *w)
{
	if (w->p == w->end)
		return (struct oops_part){0};
	return (struct oops_part){ w->p, w->end - w->p };
}

static bool skip_hex(struct oops_words *w)
{
	const char *start;

	if (!skip_word(w, "0x"))
		return false;
	for (start = w->p; w->p < w->end && memchr("0123456789abcdef", *w->p, 16);)
		w->p++;
	return w->p > start;
}

/*
 * Parses "func+0x1/0x2 [module]", or "0x0" where there is no function. A line that was cut within
 * has no place, as the end of the name is not known.
 */
static bool parse_place(struct oops_part *place, struct oops_words w)
{
	const char *start = w.p, *plus, *blank;

	if (!skip_hex(&w)) {
		blank = memchr(w.p, ' ', w.end - w.p);
		plus = memchr(w.p, '+', (blank ? blank : w.end) - w.p);
		w.p = plus ? plus + 1 : w.end;
		if (plus == start || !skip_hex(&w) || !skip_word(&w, "/") || !skip_hex(&w))
			return false;
	}
	*place = (struct oops_part){ start, w.p - start };
	blank = w.p < w.end && skip_word(&w, " [") ? memchr(w.p, ']', w.end - w.p) : NULL;
	if (blank)
		place->len = blank + 1 - start;
	return true;
}

/* Sets ->comm, unless the name is longer than names in the kernel. */
static bool set_comm_name(struct oops_text *o, const char *p, const char *end)
{
	if (p >= end || end - p > OOPS_COMM_MAX)
		return false;
	memcpy(o->comm, p, end - p);
	o->comm[end - p] = '\0';
	return true;
}

/* --- details in the head */

/* Parses "comm:123", which @tail follows. The name may have colons. */
static void parse_task(struct oops_text *o, struct oops_words w, const char *tail)
{
	struct oops_words rest = w, number;
	const char *colon = NULL;

	if (!skip_to(&rest, tail))
		return;
	w.end = rest.p - strlen(tail);
	colon = memrchr(w.p, ':', w.end - w.p);
	if (!colon)
		return;
	number = (struct oops_words){ colon + 1, w.end };
	o->pid = parse_number(&number, PID_MAX);
	set_comm_name(o, w.p, colon);
}

/* Parses the number of a CPU, which @tail follows. Returns -1 if the line was cut before that. */
static int parse_cpu(struct oops_words *w, const char *tail)
{
	int cpu = parse_number(w, LIMIT_CPUS);

	return skip_word(w, tail) ? cpu : -1;
}

/* "INFO: task %s:%d blocked for more than %ld seconds.", or "blocked in I/O wait for more than" */
static void read_hung(struct oops_text *o, struct oops_words w)
{
	o->is_hung = true;
	skip_word(&w, "INFO: task ");
	parse_task(o, w, " blocked ");
}

/* watchdog.c: "BUG: soft lockup - CPU#%d stuck for %us! [%s:%d]". */
static void read_soft_lockup(struct oops_text *o, struct oops_words w)
{
	o->is_watched = true;
	if (skip_to(&w, "CPU#"))
		o->cpu = parse_cpu(&w, " stuck ");
	if (skip_to(&w, "! ["))
		parse_task(o, w, "]");
}

/*
 * A stall, "rcu: INFO: rcu_preempt self-detected stall on CPU", or the panic after a lockup: it
 * runs on the CPU concerned, in the interrupt of the watchdog.
 */
static void read_watched(struct oops_text *o, struct oops_words w)
{
	(void)w;
	o->is_watched = true;
}

/* khungtaskd panics: the line has no task, and the lines that follow are those of khungtaskd. */
static void read_hung_panic(struct oops_text *o, struct oops_words w)
{
	(void)w;
	o->is_hung = true;
}

/* Returns true if @w is the start of @reason, which was cut. */
static bool is_cut(struct oops_words w, const char *reason)
{
	size_t n = w.end - w.p;

	return n < strlen(reason) && !memcmp(w.p, reason, n);
}

static void read_panic(struct oops_text *o, struct oops_words w)
{
	skip_word(&w, PANIC);
	if (is_cut(w, "hung_task: "))
		read_hung_panic(o, w);
	else if (is_cut(w, "softlockup: ") || is_cut(w, "Hard LOCKUP"))
		read_watched(o, w);
}

/* "watchdog: Watchdog detected hard LOCKUP on cpu 1", perhaps with the printing CPU before it. */
static void read_hard_lockup(struct oops_text *o, struct oops_words w)
{
	o->is_watched = true;
	if (skip_to(&w, "LOCKUP on cpu "))
		o->cpu = parse_number(&w, LIMIT_CPUS);
}

/* report.c of KASAN and its like: "BUG: KASAN: use-after-free in func+0x1/0x2". */
static void read_sanitizer(struct oops_text *o, struct oops_words w)
{
	if (skip_to(&w, " in "))
		parse_place(&o->place, w);
}

/*
 * __warn(): "WARNING: CPU: %d PID: %d at FILE:LINE func+0x1/0x2"; from 6.19 on
 * "WARNING: FILE:LINE at func+0x1/0x2, CPU#%d: comm/%d".
 */
static void read_warning(struct oops_text *o, struct oops_words w)
{
	struct oops_words at = w;
	const char *comma;

	if (skip_to(&w, "WARNING: CPU: ")) {
		o->cpu = parse_cpu(&w, " PID: ");
		o->pid = parse_number(&w, PID_MAX);
		if (!skip_word(&w, " at "))
			o->pid = -1;
		else if (skip_to(&w, " "))
			parse_place(&o->place, w);
		return;
	}
	if (!skip_to(&at, " at "))
		return;
	comma = memmem(at.p, at.end - at.p, ", CPU#", 6);
	if (!comma)
		return;
	w = (struct oops_words){ comma + 6, at.end };
	o->cpu = parse_cpu(&w, ": ");
	at.end = comma;
	parse_place(&o->place, at);
}

/* print_mce(): "mce: [Hardware Error]: CPU %d: Machine Check Exception: %Lx Bank %d: %016Lx" */
static void read_mce(struct oops_text *o, struct oops_words w)
{
	if (skip_to(&w, "CPU "))
		o->cpu = parse_cpu(&w, ": ");
}

/* oom_kill.c: "Out of memory: Killed process %d (%s) total-vm:...". The victim is on no CPU. */
static void read_oom(struct oops_text *o, struct oops_words w)
{
	const char *end;

	o->is_killed = true;
	if (!skip_to(&w, "Killed process "))
		return;
	o->pid = parse_number(&w, PID_MAX);
	end = memmem(w.p, w.end - w.p, ") total-vm:", 11);
	if (!skip_word(&w, " ("))
		o->pid = -1;
	else if (end)
		set_comm_name(o, w.p, end);
}

/* --- heads */

enum head_kind {
	HEAD_OOPS, HEAD_STOPPED, HEAD_KILLED, HEAD_WARNED,
	HEAD_KINDS,
	HEAD_LEADS = HEAD_KINDS,	/* a text may start with it: it does not name the event */
};

/*
 * Head lines; the first row that matches counts. One oops prints several of them, and its
 * consequences print more: a hung task or an oops in an interrupt causes a panic.
 */
static const struct oops_head {
	const char *begins;
	const char *has;		/* also, or NULL */
	enum head_kind kind;
	void (*read)(struct oops_text *o, struct oops_words w);
	bool has_registers;		/* they have the place; the stack starts with the caller */
	const char *function;		/* the function that prints it is the place; or NULL */
} heads[] = {
	/* watchdogs of CPUs that do not schedule, or do not even take interrupts */
	{ "watchdog: BUG: soft lockup", NULL, HEAD_STOPPED, read_soft_lockup, true, NULL },
	{ "BUG: soft lockup", NULL, HEAD_STOPPED, read_soft_lockup, true, NULL },
	{ "watchdog: ", "hard LOCKUP on cpu ", HEAD_STOPPED, read_hard_lockup, true, NULL },
	{ "NMI watchdog: ", "hard LOCKUP on cpu ", HEAD_STOPPED, read_hard_lockup, true, NULL },
	/* khungtaskd reports another task; 6.16 adds such a line for the owner of a mutex */
	{ "INFO: task ", " for more than ", HEAD_STOPPED, read_hung, false, NULL },
	/* a CPU that passes no quiescent state */
	{ "rcu: INFO: ", "stall", HEAD_STOPPED, read_watched, false, NULL },
	/* KASAN, KCSAN, KFENCE, KMSAN print no registers with the place */
	{ "BUG: K", ": ", HEAD_OOPS, read_sanitizer, false, NULL },
	/* a page fault in the kernel */
	{ "BUG: kernel NULL pointer dereference", NULL, HEAD_OOPS, NULL, true, NULL },
	{ "BUG: unable to handle ", NULL, HEAD_OOPS, NULL, true, NULL },
	/* sleeping where it is forbidden, damaged page tables ... */
	{ "BUG: ", NULL, HEAD_OOPS, NULL, false, NULL },
	{ "kernel BUG at ", NULL, HEAD_OOPS, NULL, true, NULL },
	/* x86: a fault without an address */
	{ "general protection fault", NULL, HEAD_OOPS, NULL, true, NULL },
	/* arm64, riscv, loongarch: a page fault */
	{ "Unable to handle kernel ", NULL, HEAD_OOPS, NULL, true, NULL },
	/* if the lines before it are lost */
	{ "Oops: ", NULL, HEAD_OOPS, NULL, true, NULL },
	{ "Internal error: ", NULL, HEAD_OOPS, NULL, true, NULL },
	{ "PANIC: double fault", NULL, HEAD_OOPS, NULL, true, NULL },
	/* die() of all architectures counts oopses: "divide error: 0000 [#1]" */
	{ "", " [#", HEAD_OOPS, NULL, true, NULL },
	{ "sysrq: Trigger a crash", NULL, HEAD_STOPPED, NULL, false, "sysrq_handle_crash+" },
	{ PANIC "sysrq triggered ", NULL, HEAD_STOPPED, NULL, false, "sysrq_handle_crash+" },
	/* if the line of the watchdog is lost */
	{ PANIC "softlockup: ", NULL, HEAD_STOPPED, read_watched, true, NULL },
	{ PANIC "Hard LOCKUP", NULL, HEAD_STOPPED, read_watched, true, NULL },
	{ PANIC "hung_task: ", NULL, HEAD_STOPPED, read_hung_panic, false, NULL },
	{ PANIC, NULL, HEAD_STOPPED, read_panic, false, NULL },
	/* other lines of mce are corrected errors, which stop nothing */
	{ "mce: [Hardware Error]: ", "Machine Check Exception", HEAD_STOPPED, read_mce, true,
	  NULL },
	/* also "Memory cgroup out of memory: " */
	{ "Out of memory", ": Killed process ", HEAD_KILLED, read_oom, false, NULL },
	{ "Memory cgroup out of memory", ": Killed process ", HEAD_KILLED, read_oom, false, NULL },
	{ "WARNING: ", NULL, HEAD_WARNED, read_warning, true, NULL },
	/* dump_header(): the task that asked for memory, before the line of the victim */
	{ "", " invoked oom-killer: ", HEAD_LEADS, NULL, false, NULL },
	/* before "kernel BUG at" and "WARNING:" */
	{ "------------[ cut here ]", NULL, HEAD_LEADS, NULL, false, NULL },
	/* other messages of lockdep, watchdogs and sysrq */
	{ "INFO: ", NULL, HEAD_LEADS, NULL, false, NULL },
	{ "watchdog: ", NULL, HEAD_LEADS, NULL, false, NULL },
	{ "sysrq: ", NULL, HEAD_LEADS, NULL, false, NULL },
	{ "Unable to handle ", NULL, HEAD_LEADS, NULL, false, NULL },
	{ "Kernel panic ", NULL, HEAD_LEADS, NULL, false, NULL },
};

static const struct oops_head *find_row(struct oops_words line)
{
	struct oops_words w;

	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
		w = line;
		if (skip_word(&w, heads[i].begins) && (!heads[i].has || has_word(w, heads[i].has)))
			return &heads[i];
	}
	return NULL;
}

static const struct oops_head *find_head(struct oops_words line)
{
	const struct oops_head *h = find_row(line);

	return h && h->kind < HEAD_KINDS ? h : NULL;
}

enum oops_line { OOPS_LINE_PLAIN, OOPS_LINE_WARNS, OOPS_LINE_CRASHES };

/* Returns the kind of a line without prefix: a head of a warning or OOM kill, of worse, or none. */
static enum oops_line oops_text_line(const char *line, size_t len)
{
	struct oops_words text = { line, line + len }, w;
	const struct oops_head *h = next_line(&text, &w) ? find_head(w) : NULL;

	if (!h)
		return OOPS_LINE_PLAIN;
	return h->kind >= HEAD_KILLED ? OOPS_LINE_WARNS : OOPS_LINE_CRASHES;
}

bool oops_text_begins(const char *line, size_t len)
{
	return find_row((struct oops_words){ line, line + len });
}

/* --- lines after the head */

/* The lowest bits of the code segment are the privilege level: 0 is the kernel's. */
static bool is_kernel_segment(struct oops_words *w)
{
	const char *at = memchr(w->p, ':', w->end - w->p);

	if (!at || at == w->p || at - w->p > 4 || !strchr("048c", at[-1]))
		return false;
	w->p = at + 1;
	return true;
}

/* Reads the place from the register of x86-64, i386, arm64, riscv or powerpc that contains it. */
static bool read_register(struct oops_text *o, struct oops_words w)
{
	if (skip_word(&w, "RIP: ")) {
		if (!is_kernel_segment(&w))
			return false;
	} else if (skip_word(&w, "mce: [Hardware Error]: RIP ")) {
		/* "10:<ffffffff8101f6a2> {func+0x1/0x2}", of the kernel's code alone with a name */
		if (!skip_to(&w, "{"))
			return false;
	} else if (skip_word(&w, "NIP [")) {
		if (!skip_to(&w, "] "))
			return false;
	} else if (!skip_word(&w, "EIP: ") && !skip_word(&w, "pc : ") &&
		   !skip_word(&w, "epc : ")) {
		return false;
	}
	return parse_place(&o->place, w);
}

static bool is_frame_of(struct oops_words w, const char *const *names, size_t nr_names)
{
	const char *plus = memchr(w.p, '+', w.end - w.p);
	size_t n = plus ? plus - w.p : 0;

	for (size_t i = 0; i < nr_names; i++)
		if (strlen(names[i]) == n && !memcmp(names[i], w.p, n))
			return true;
	return false;
}

/* Returns true for frames that stop the machine because of another task or CPU. */
static bool is_stopping_frame(struct oops_words w)
{
	static const char *const names[] = {
		"panic", "vpanic", "nmi_panic", "watchdog", "watchdog.cold", "watchdog_timer_fn",
		"watchdog_timer_fn.cold",
	};

	return is_frame_of(w, names, sizeof(names) / sizeof(*names));
}

/* Returns true for frames at the top or the bottom of any stack: printing, sleeping, starting. */
static bool is_usual_frame(struct oops_words w)
{
	static const char *const names[] = {
		"dump_stack", "dump_stack_lvl", "__dump_stack",
		"__schedule", "schedule", "schedule_timeout", "schedule_preempt_disabled",
		"schedule_timeout_uninterruptible", "io_schedule", "io_schedule_timeout",
		"msleep", "usleep_range_state",
		"kthread", "ret_from_fork", "ret_from_fork_asm",
	};

	return is_stopping_frame(w) || is_frame_of(w, names, sizeof(names) / sizeof(*names));
}

/* dump_stack_print_info(): "CPU: 0 UID: 0 PID: 136 Comm: insmod Kdump: loaded Tainted: G" */
static bool read_cpu_line(struct oops_text *o, struct oops_words w)
{
	static const char *const ends[] = { " Kdump: loaded ", " Tainted: ", " Not tainted" };
	const char *end = NULL, *at;
	int cpu, pid = -1;

	if (!skip_word(&w, "CPU: "))
		return false;
	cpu = parse_number(&w, LIMIT_CPUS);
	if (cpu < 0 || !skip_to(&w, " PID: "))
		return false;
	pid = parse_number(&w, PID_MAX);
	if (pid < 0 || !skip_word(&w, " Comm: "))
		return false;
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends) && !end; i++) {
		at = memmem(w.p, w.end - w.p, ends[i], strlen(ends[i]));
		if (at && at - w.p <= OOPS_COMM_MAX)
			end = at;
	}
	o->cpu = o->cpu < 0 ? cpu : o->cpu;
	o->pid = o->pid < 0 ? pid : o->pid;
	if (!*o->comm && end && o->pid == pid)
		set_comm_name(o, w.p, end);
	return true;
}

/* The part of a stack above the task's: that of an interrupt or NMI. */
struct stack_section {
	bool begun;
	bool watching, known;		/* it has confirmed frames of a watchdog; of other code */
};

struct after_head {
	const struct oops_head *head;
	bool had_cpu;
	bool in_stack;
	unsigned int traces;		/* stacks so far: the first belongs to the head */
	bool in_irq;
	struct stack_section irq;
	struct oops_part frame;		/* the first frame that is not a usual one */
};

/* Returns true for frames between a watchdog's interrupt and the code that it interrupted. */
static bool is_watching(struct oops_words w)
{
	static const char *const begins[] = {
		"watchdog", "hrtimer", "__hrtimer", "sysvec_", "__sysvec_", "asm_sysvec_",
		"update_process_times", "tick_", "rcu_", "show_regs", "nmi_", "exc_nmi",
	};

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		if (skip_word(&w, begins[i]))
			return true;
	return false;
}

static bool is_top_frame(const struct after_head *b, struct oops_words line)
{
	return b->head->function ? skip_word(&line, b->head->function) : !is_usual_frame(line);
}

/* Reads a frame. "? " before it means that the unwinder does not confirm it. */
static void read_frame(const struct oops_text *o, struct after_head *b, struct oops_words line)
{
	struct oops_part frame;

	if (!parse_place(&frame, line))
		return;
	/* the stack of khungtaskd, whose start is lost */
	if (o->is_hung && is_stopping_frame(line))
		b->traces++;
	else if (!b->frame.p && is_top_frame(b, line))
		b->frame = frame;
	if (!b->in_irq)
		return;
	b->irq.watching |= is_watching(line);
	b->irq.known |= !is_usual_frame(line) && !is_watching(line);
}

static void read_stack(const struct oops_text *o, struct after_head *b, struct oops_words line)
{
	if (has_word(line, "Call Trace:") || has_word(line, "Call trace:")) {
		b->traces++;
		b->in_stack = true;
	}
	if (b->traces > 1)
		return;
	if (skip_word(&line, "<IRQ>") || skip_word(&line, "<NMI>"))
		b->in_irq = b->irq.begun = true;
	else if (skip_word(&line, "</IRQ>") || skip_word(&line, "</NMI>"))
		b->in_irq = false;
	else if (skip_word(&line, "</TASK>"))
		b->in_stack = false;
	else if (b->traces)
		read_frame(o, b, line);
}

/*
 * Finds the panic line of oops_end(), which reports in_interrupt(). The stack does not show an
 * interrupt that came while a program ran in user space, as it has no separate stack then.
 * Watchdogs of other CPUs may print before that line; after another oops it may be of that one.
 */
static void find_verdict(struct oops_text *o, struct oops_words text)
{
	const struct oops_head *h;
	struct oops_words line;

	while (next_line(&text, &line)) {
		h = find_head(line);
		if (h && h->kind == HEAD_OOPS)
			return;
		if (!skip_word(&line, PANIC "Fatal exception"))
			continue;
		if (line.p == line.end)
			o->is_irq = false;
		else if (has_word(line, " in interrupt"))
			o->is_irq = true;
		return;
	}
}

enum text_end { TEXT_GOES_ON, TEXT_ENDS, TEXT_ENDED };

/*
 * An oops ends with "---[ end trace". Without that, the start of another text ends it: a head, or
 * the line "CPU: ..." of another task or CPU, or of the same one again.
 */
static enum text_end find_text_end(const struct oops_text *o, const struct after_head *b,
				   struct oops_words line)
{
	struct oops_text other = { .cpu = -1, .pid = -1 };
	/* an oops has several heads before its place */
	bool after_heads = o->is_hung || o->is_killed || b->had_cpu || o->place.p || b->traces;

	if (skip_word(&line, "---[ end "))
		return TEXT_ENDS;
	/* in the text of a hung task such a line is that of khungtaskd */
	if (read_cpu_line(&other, line) &&
	    (b->had_cpu || o->is_hung || (o->cpu >= 0 && other.cpu != o->cpu) ||
	     (o->pid >= 0 && other.pid != o->pid)))
		return TEXT_ENDED;
	return after_heads && find_head(line) ? TEXT_ENDED : TEXT_GOES_ON;
}

/* Parses do_exit(): "note: insmod[160] exited with irqs disabled", or "with preempt_count 1". */
static bool read_note(struct oops_text *o, struct oops_words line)
{
	struct oops_words number = line;
	const char *open;

	if (!skip_word(&line, "note: ") || !skip_to(&number, "] exited with "))
		return false;
	number.end = number.p - strlen("] exited with ");
	open = memrchr(line.p, '[', number.end - line.p);
	if (!open)
		return false;
	number.p = open + 1;
	o->pid = parse_number(&number, PID_MAX);
	set_comm_name(o, line.p, open);
	return true;
}

/*
 * Reads the lines after the end. oops_end() prints the place again, and do_exit() the task: the
 * only source if the lines before lack them, or are lost. Returns the first line that has one.
 */
static struct oops_part read_after_end(struct oops_text *o, struct oops_words text)
{
	struct oops_part first = {0};
	struct oops_words line;

	for (unsigned int n = 0; n < LINES_AFTER_END && next_line(&text, &line); n++) {
		bool parsed = false;

		if (find_head(line) || skip_word(&line, "---[ end "))
			break;
		if (!o->place.p && !o->is_hung)
			parsed = read_register(o, line);
		if (o->pid < 0)
			parsed |= read_note(o, line);
		if (parsed && !first.p)
			first = words_part(&line);
	}
	return first;
}

/* Reads the lines after the head: place, CPU and task, and whether it was in an interrupt. */
static void read_after_head(struct oops_text *o, const struct oops_head *h, struct oops_words text)
{
	struct after_head b = { .head = h };
	enum text_end end = TEXT_GOES_ON;
	struct oops_words line;

	while (!end && next_line(&text, &line)) {
		end = find_text_end(o, &b, line);
		if (end)
			break;
		/* in the text of a hung task this line is of khungtaskd, which panics */
		if (!b.had_cpu && !o->is_hung && !o->is_killed)
			b.had_cpu = read_cpu_line(o, line);
		/* registers within a stack are those of the interrupted code */
		if (!o->place.p && !o->is_hung && (!b.in_stack || o->is_watched))
			read_register(o, line);
		read_stack(o, &b, line);
	}
	if (!o->is_hung && !o->is_killed) {
		/*
		 * A watchdog looks at its CPU from an interrupt: the frames above the registers of
		 * the interrupted code are all the watchdog's, or unknown to the unwinder
		 * (arch/x86/kernel/dumpstack.c). The same holds for an oops in an interrupt.
		 */
		o->is_irq = b.irq.begun && (b.irq.known || (!o->is_watched && !b.irq.watching));
		if (end == TEXT_ENDS)
			read_after_end(o, text);
		if (end && h->kind == HEAD_OOPS)
			find_verdict(o, end == TEXT_ENDS ? text :
						(struct oops_words){ line.p, text.end });
	}
	/*
	 * With registers, the top of the stack is only the caller. The stack of a panic may be that
	 * of the watchdog's timer that caused it.
	 */
	if (o->place.p || !b.frame.p || h->has_registers || o->is_killed ||
	    (o->is_hung && o->pid < 0) || (o->is_watched && h->read == read_panic))
		return;
	o->place = b.frame;
	o->is_top = !h->function;
}

bool oops_text_read(const char *text, size_t len, struct oops_text *out)
{
	struct oops_words rest = { text, text + len }, line;
	struct oops_words after_head[HEAD_KINDS], found[HEAD_KINDS];
	const struct oops_head *kinds[HEAD_KINDS] = {0}, *h;

	*out = (struct oops_text){ .cpu = -1, .pid = -1 };
	while (len && next_line(&rest, &line)) {
		h = find_head(line);
		if (!h || kinds[h->kind])
			continue;
		kinds[h->kind] = h;
		found[h->kind] = line;
		after_head[h->kind] = rest;
	}
	for (size_t i = 0; i < HEAD_KINDS; i++) {
		if (!kinds[i])
			continue;
		out->head = words_part(&found[i]);
		if (kinds[i]->read)
			kinds[i]->read(out, found[i]);
		read_after_head(out, kinds[i], after_head[i]);
		return true;
	}
	/* a log may have only the lines after the end of an oops */
	rest = (struct oops_words){ text, text + len };
	while (len && !out->head.p && next_line(&rest, &line))
		if (skip_word(&line, "---[ end trace"))
			out->head = read_after_end(out, rest);
	return out->head.p;
}

/* --- the crash in a log */

static void parse_crash_line(struct crash_log *c, const struct log_line *l)
{
	enum oops_line kind = oops_text_line(l->p, l->len);
	bool crashes = kind == OOPS_LINE_CRASHES;

	if (kind != OOPS_LINE_PLAIN && c->found &&
	    (l->ns < c->ns || l->ns - c->ns <= SAME_CRASH_NS)) {
		c->crashed |= crashes;
		c->ns = l->ns;
	} else if (kind != OOPS_LINE_PLAIN && (crashes || !c->crashed)) {
		/* a warning hours after a crash that the machine survived does not replace it */
		buf_reset(&c->text);
		c->found = true;
		c->crashed = crashes;
		c->ns = l->ns;
	}
	if (!c->found || c->text.len + l->len >= CRASH_TEXT_MAX)
		return;
	buf_add(&c->text, l->p, l->len);
	buf_addch(&c->text, '\n');
}

/* Parses the first @len bytes of ->rest. */
static void parse_crash_lines(struct crash_log *c, size_t len)
{
	struct log_lines lines = {0};

	log_lines_split(&lines, c->rest.data, len);
	for (size_t i = 0; i < lines.n; i++)
		parse_crash_line(c, &lines.v[i]);
	log_lines_release(&lines);
	memmove(c->rest.data, c->rest.data + len, c->rest.len - len);
	c->rest.len -= len;
}

void crash_log_add(struct crash_log *c, const char *p, size_t n)
{
	const char *nl;
	size_t part;

	for (; n; p += part, n -= part) {
		part = n < CHUNK ? n : CHUNK;
		buf_add(&c->rest, p, part);
		if (c->rest.len < CHUNK)
			continue;
		nl = memrchr(c->rest.data, '\n', c->rest.len);
		parse_crash_lines(c, nl ? (size_t)(nl + 1 - c->rest.data) : c->rest.len);
	}
}

bool crash_log_end(struct crash_log *c, struct buf *out, uint64_t *ns)
{
	struct oops_text text;
	bool has;

	if (c->rest.len)
		parse_crash_lines(c, c->rest.len);
	has = c->text.len && oops_text_read(c->text.data, c->text.len, &text);
	if (has)
		buf_add(out, text.head.p, c->text.data + c->text.len - text.head.p);
	if (ns)
		*ns = c->ns;
	buf_release(&c->rest);
	buf_release(&c->text);
	*c = (struct crash_log){0};
	return has;
}
