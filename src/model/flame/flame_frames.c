/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names as frames. */
#include "model/flame/flame_frames.h"

#include <stdlib.h>

#include "base/map.h"

struct frames {
	const struct model *model;
	struct ways *ways;
	struct slots known;
	struct buf scratch;
};

struct frames *frames_new(const struct model *m, struct ways *w)
{
	struct frames *f = xcalloc(1, sizeof(*f));

	f->model = m;
	f->ways = w;
	slots_init(&f->known);
	return f;
}

void frames_free(struct frames *f)
{
	if (!f)
		return;
	slots_release(&f->known);
	buf_release(&f->scratch);
	free(f);
}

uint32_t frame_text(struct frames *f, const char *text)
{
	return ways_name(f->ways, text, strlen(text));
}

uint32_t frame_name(struct frames *f, unsigned int file, uint64_t name, enum span_name how)
{
	uint64_t key = (uint64_t)file << 8 | how;
	uint32_t frame = slots_find(&f->known, name, key);

	if (frame)
		return frame;
	buf_reset(&f->scratch);
	buf_addstr(&f->scratch, "");
	model_add_named(f->model, file, name, how, &f->scratch);
	frame = ways_name(f->ways, f->scratch.data, f->scratch.len);
	slots_add(&f->known, name, key, frame);
	return frame;
}

uint32_t frame_task(struct frames *f, const struct task *t)
{
	return frame_text(f, model_task_name(f->model, t));
}
