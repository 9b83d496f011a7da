/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls: names by number; spans by raw_syscalls, by the events of each, or by both. */
#include "model/syscalls.h"

#include <stddef.h>
#include <string.h>

#include "model/model_priv.h"
#include "model/syscall_table.h"

#define ENTER_PREFIX	"sys_enter_"
#define EXIT_PREFIX	"sys_exit_"
/* rt_sigreturn: its own number is not kept, it restores what a signal interrupted (orig_ax, x86) */
#define NO_NUMBER	UINT64_MAX
#define COUNT(v) (sizeof(v) / sizeof((v)[0]))

static const struct {
	const char *machine;
	const char *const *calls;
	size_t n;
} arches[] = {
	[SYSCALL_UNKNOWN] = { "", NULL, 0 },
	[SYSCALL_X86_64] = { "x86_64", calls_x86_64, COUNT(calls_x86_64) },
	[SYSCALL_ARM64] = { "aarch64", calls_arm64, COUNT(calls_arm64) },
};

enum syscall_arch syscall_arch_of(const char *machine)
{
	size_t i;

	for (i = SYSCALL_UNKNOWN + 1; machine && i < COUNT(arches); i++) {
		if (!strcmp(machine, arches[i].machine))
			return i;
	}
	return SYSCALL_UNKNOWN;
}

const char *syscall_name(enum syscall_arch arch, uint64_t nr)
{
	return nr < arches[arch].n ? arches[arch].calls[nr] : NULL;
}

/* --- spans */

/* The events of one call have its name, which the table need not know. */
static void note_name(struct model *m, const struct bind *b, const struct at *at, uint64_t nr,
		      size_t prefix)
{
	struct map *names = &m->files[at->r->file].syscalls;
	const char *name = at->r->rec.fmt->name;

	if (b->form && strlen(name) > prefix && !map_get(names, nr + 1))
		map_put(names, nr + 1, (void *)(uintptr_t)(name + prefix));
}

/* exit and exit_group do not return. */
static bool never_returns(const struct model *m, const struct at *at, uint64_t nr)
{
	const char *name = model_syscall_name(m, at->r->file, nr);

	return name && (!strcmp(name, "exit") || !strcmp(name, "exit_group"));
}

static struct span_list *list_of_task(struct model *m, const struct task *t, bool make)
{
	return list_of(m, SPAN_SYSCALL, (uintptr_t)t, 0, make);
}

void syscall_enter(struct model *m, const struct bind *b, const struct at *at)
{
	struct span_list *list = list_of_task(m, at->task, false);
	struct span *s = list ? list->young : NULL;
	uint64_t nr;

	if (!at_num(at, b->f[0], &nr))
		return;
	note_name(m, b, at, nr, strlen(ENTER_PREFIX));
	at->task->sys_ended = false;
	if (s && s->end_id == nr && s->form != b->form && !s->is_merged) {
		s->is_merged = true;
		return;
	}
	if (s)
		span_end_now(m, s, SPAN_NO_END, at);
	if (never_returns(m, at, nr))
		return;
	s = span_begin(m, list_of_task(m, at->task, true), SPAN_SYSCALL, nr, SPAN_NAME_SYSCALL,
		       true, at);
	if (!s)
		return;
	s->end_id = nr;
	s->form = b->form;
	span_begun(m, s, at);
}

/* The same end by the other of both events; interrupts may have come between. */
static bool has_just_ended(struct task *t, const struct bind *b, uint64_t nr)
{
	bool same = t->sys_ended && t->sys_nr == nr && t->sys_form != b->form;

	t->sys_ended = !same;
	return same;
}

void syscall_exit(struct model *m, const struct bind *b, const struct at *at)
{
	struct span_list *list;
	struct task *t = at->task;
	struct span *s;
	uint64_t nr;

	if (!at_num(at, b->f[0], &nr))
		return;
	note_name(m, b, at, nr, strlen(EXIT_PREFIX));
	if (has_just_ended(t, b, nr))
		return;
	t->sys_nr = nr;
	t->sys_form = b->form;
	list = list_of_task(m, t, false);
	s = list ? list->young : NULL;
	if (s && (s->end_id == nr || nr == NO_NUMBER)) {
		s->has_retval = at_num(at, b->f[1], &s->retval);
		span_end_now(m, s, 0, at);
		return;
	}
	if (s)
		span_end_now(m, s, SPAN_NO_END, at);
	span_lone_end(m, list_of_task(m, t, true), SPAN_SYSCALL, nr, SPAN_NAME_SYSCALL, true, at);
}
