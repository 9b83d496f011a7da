/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls: names by number; spans from raw_syscalls, from the events of each, or from both. */
#include <stddef.h>
#include <string.h>

#include "event/tables/syscall_table.h"
#include "model/model_priv.h"

#define ENTER_PREFIX	"sys_enter_"
#define EXIT_PREFIX	"sys_exit_"
/* the number at the exit of rt_sigreturn, which restores the interrupted orig_ax (x86) */
#define NO_NUMBER	UINT64_MAX
#define COUNT(v) (sizeof(v) / sizeof((v)[0]))

static const struct {
	const char *machine;
	const char *const *calls;
	size_t n;
} syscall_tables[] = {
	[SYSCALL_UNKNOWN] = { "", NULL, 0 },
	[SYSCALL_X86_64] = { "x86_64", calls_x86_64, COUNT(calls_x86_64) },
	[SYSCALL_ARM64] = { "aarch64", calls_arm64, COUNT(calls_arm64) },
};

enum syscall_arch syscall_arch_of(const char *machine)
{
	size_t i;

	for (i = SYSCALL_UNKNOWN + 1; machine && i < COUNT(syscall_tables); i++)
		if (!strcmp(machine, syscall_tables[i].machine))
			return i;
	return SYSCALL_UNKNOWN;
}

const char *syscall_name(enum syscall_arch arch, uint64_t nr)
{
	return nr < syscall_tables[arch].n ? syscall_tables[arch].calls[nr] : NULL;
}

/* --- spans */

/* Keeps the name in events of a single system call: the table may lack it. */
static void syscall_note_name(struct model *m, const struct model_bind *b,
			      const struct model_rec *at, uint64_t nr, size_t prefix)
{
	struct map *names = &m->files[at->r->file].syscalls;
	const char *name = at->r->rec.fmt->name;

	if (b->form && strlen(name) > prefix && !map_get(names, nr + 1))
		map_put(names, nr + 1, (void *)(uintptr_t)(name + prefix));
}

static struct span_list *syscall_list(struct model *m, const struct task *t, bool make)
{
	return span_list_of(m, SPAN_SYSCALL, (uintptr_t)t, 0, make);
}

void syscall_enter(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	struct span_list *list = syscall_list(m, at->task, false);
	struct span *s = list ? list->young : NULL;
	const char *name;
	uint64_t nr;

	if (!at_num(at, b->f[0], &nr))
		return;
	syscall_note_name(m, b, at, nr, strlen(ENTER_PREFIX));
	at->task->sys_ended = false;
	if (s && s->end_id == nr && s->form != b->form && !s->is_merged) {
		s->is_merged = true;
		return;
	}
	if (s)
		span_end_now(m, s, SPAN_NO_END, at);
	name = model_syscall_name(m, at->r->file, nr);
	/* exit and exit_group do not return */
	if (name && (!strcmp(name, "exit") || !strcmp(name, "exit_group")))
		return;
	s = span_begin(m, syscall_list(m, at->task, true), SPAN_SYSCALL, nr, SPAN_NAME_SYSCALL,
		       true, at);
	if (!s)
		return;
	s->end_id = nr;
	s->form = b->form;
	span_begun(m, s, at);
}

void syscall_exit(struct model *m, const struct model_bind *b, const struct model_rec *at)
{
	struct span_list *list;
	struct task *t = at->task;
	struct span *s;
	uint64_t nr;
	bool is_same;

	if (!at_num(at, b->f[0], &nr))
		return;
	syscall_note_name(m, b, at, nr, strlen(EXIT_PREFIX));
	/* the other of the two events for one end, maybe with interrupts in between */
	is_same = t->sys_ended && t->sys_nr == nr && t->sys_form != b->form;
	t->sys_ended = !is_same;
	if (is_same)
		return;
	t->sys_nr = nr;
	t->sys_form = b->form;
	list = syscall_list(m, t, false);
	s = list ? list->young : NULL;
	if (s && (s->end_id == nr || nr == NO_NUMBER)) {
		s->has_retval = at_num(at, b->f[1], &s->retval);
		span_end_now(m, s, 0, at);
		return;
	}
	if (s)
		span_end_now(m, s, SPAN_NO_END, at);
	span_lone_end(m, syscall_list(m, t, true), SPAN_SYSCALL, nr, SPAN_NAME_SYSCALL, true, at);
}
