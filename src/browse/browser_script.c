/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the browser without a terminal: keys from a text, screens to files. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "browse/browser_priv.h"
#include "browse/screen/key_names.h"

static double clock_ms(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static int dump_screen(struct browse *b, const char *name, struct ftr_error *err)
{
	char *path = xasprintf("%s/%s.txt", b->o->script.dump_dir, name);
	struct buf text = {0};
	FILE *f;
	int ret = 0;

	browse_draw(b);
	grid_dump(&b->grid, &text);
	f = fopen(path, "w");
	if (!f)
		ret = err_sys(err, "cannot write '%s'", path);
	else if (fwrite(text.data, 1, text.len, f) != text.len)
		ret = err_write(err, "cannot write '%s'", path);
	if (f && fclose(f) && !ret)
		ret = err_write(err, "cannot write '%s'", path);
	buf_release(&text);
	free(path);
	return ret;
}

/* Does the work between two keys, as with a terminal: waiting keys act on the screen as drawn. */
static void script_idle(struct browse *b, unsigned int wait_ms)
{
	browse_press_waiting(b);
	browse_finish_jobs(b, browse_is_late(b) || browse_waiting_is_ready(b) ? 0 : wait_ms);
	browse_retry_rows(b);
	browse_draw(b);
}

static int run_step(struct browse *b, const struct key_step *step, struct ftr_error *err)
{
	switch (step->kind) {
	case KEY_STEP_KEY:
		browse_press_key(b, step->key);
		browse_draw(b);
		script_idle(b, 0);
		return 0;
	case KEY_STEP_WAIT:
		while (!b->ended && (browse_is_busy(b) || browse_is_late(b) || b->ahead.n))
			script_idle(b, TICK_MS);
		return 0;
	case KEY_STEP_SIZE:
		grid_resize(&b->grid, step->w, step->h);
		browse_draw(b);
		return 0;
	default:
		return b->o->script.dump_dir ? dump_screen(b, step->name, err) : 0;
	}
}

/*
 * Runs a step and writes a line for a key or a wait: its CPU time and its time in milliseconds, and
 * the number of records that the timeline has read for it.
 */
static int time_step(struct browse *b, const struct key_step *step, FILE *timing,
		     struct ftr_error *err)
{
	double cpu = clock_ms(CLOCK_PROCESS_CPUTIME_ID), wall = clock_ms(CLOCK_MONOTONIC);
	uint64_t records = b->lanes_records;
	struct buf name = {0};
	int ret = run_step(b, step, err);

	if (step->kind == KEY_STEP_KEY)
		key_add_name(step->key, &name);
	else if (step->kind == KEY_STEP_WAIT)
		buf_addstr(&name, "<wait>");
	if (name.len)
		fprintf(timing, "%s %.3f %.3f %" PRIu64 "\n", name.data,
			clock_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu, clock_ms(CLOCK_MONOTONIC) - wall,
			b->lanes_records - records);
	buf_release(&name);
	return ret;
}

int browse_script(struct browse *b, struct ftr_error *err)
{
	const struct browse_script *script = &b->o->script;
	FILE *timing = NULL;
	const char *p = script->keys;
	struct key_step step;
	int ret = 1;

	if (script->timing && !(timing = fopen(script->timing, "w")))
		return err_sys(err, "cannot write '%s'", script->timing);
	grid_resize(&b->grid, script->w, script->h);
	browse_draw(b);
	while (!b->ended && (ret = key_script_next(&p, &step, err)) > 0) {
		if (!b->begun)
			browse_allow_jobs(b);
		if ((ret = timing ? time_step(b, &step, timing, err) : run_step(b, &step, err)))
			break;
	}
	if (timing && fclose(timing) && ret >= 0)
		ret = err_write(err, "cannot write '%s'", script->timing);
	return ret < 0 ? -1 : 0;
}
