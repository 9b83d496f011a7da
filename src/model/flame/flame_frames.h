/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of functions, system calls, interrupts as frames of ways: each is asked for once. */
#ifndef FTR_MODEL_FLAME_FLAME_FRAMES_H
#define FTR_MODEL_FLAME_FLAME_FRAMES_H

#include "model/model.h"
#include "model/flame/folded_stacks.h"

struct frames;

struct frames *frames_new(const struct model *m, struct ways *w);
void frames_free(struct frames *f);
/* Names of @f->ways, as ways_step() takes them. */
uint32_t frame_name(struct frames *f, unsigned int file, uint64_t name, enum span_name how);
uint32_t frame_task(struct frames *f, const struct task *t);
uint32_t frame_text(struct frames *f, const char *text);

#endif
