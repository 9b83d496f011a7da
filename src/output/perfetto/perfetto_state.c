/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prev_state of sched_switch as Perfetto reads it. Its bits have moved from kernel to kernel, and
 * Perfetto goes by the kernel's version: those of 4.14 and later as they are, all others by the
 * table below, whatever kernel it was. The letters are in the event's format.
 */
#include <stdlib.h>
#include <string.h>

#include "output/perfetto/perfetto_priv.h"

#define AS_IT_IS   KERNEL_VERSION_OF(4, 14)
#define PLUS_MOVED KERNEL_VERSION_OF(4, 8)

static const char key[] = "prev_state=";

/* I is D and N (TASK_IDLE in include/linux/sched.h), and both are shown as I. */
static const struct state_letter {
	char letter;
	uint16_t bits;
} letters[] = {
	{ 'R', 0 }, { 'S', 1 }, { 'D', 2 }, { 'T', 4 }, { 't', 8 }, { 'X', 16 }, { 'Z', 32 },
	{ 'x', 64 }, { 'K', 128 }, { 'W', 256 }, { 'P', 512 }, { 'N', 1024 }, { 'I', 2 | 1024 },
};
#define LETTERS (sizeof(letters) / sizeof(*letters))

static const struct state_letter *find_letter(char c)
{
	for (size_t i = 0; i < LETTERS; i++)
		if (letters[i].letter == c)
			return &letters[i];
	return NULL;
}

/* "S", "D|K", "R+"; -1 for what has no letter there. */
static int read_letters(const char *text, uint64_t plus, uint64_t *state)
{
	const struct state_letter *l;

	*state = 0;
	for (; *text && *text != ' '; text++) {
		l = find_letter(*text);
		if (l)
			*state |= l->bits;
		else if (*text == '+')
			*state |= plus;
		else if (*text != '|')
			return -1;
	}
	return 0;
}

static uint64_t translate(const struct trace_rec *r, const struct ev_field *f, uint64_t raw)
{
	uint64_t state = raw, plus = r->trace->world.kernel < PLUS_MOVED ? 2048 : 4096;
	struct buf text = {0};
	const char *at;

	ev_render_alone(r->trace->engine, &r->rec, f, r->cpu, r->ts, &text);
	at = text.len ? strstr(text.data, key) : NULL;
	if (!at || read_letters(at + strlen(key), plus, &state))
		state = raw;
	buf_release(&text);
	return state;
}

uint64_t pf_state(struct map *known, const struct trace_rec *r, const struct ev_field *f,
		  uint64_t raw)
{
	void *found;

	if (r->trace->world.kernel >= AS_IT_IS || raw > UINT32_MAX)
		return raw;
	found = map_get(known, raw + 1);
	if (!found) {
		found = (void *)(uintptr_t)(translate(r, f, raw) + 1);
		map_put(known, raw + 1, found);
	}
	return (uintptr_t)found - 1;
}
