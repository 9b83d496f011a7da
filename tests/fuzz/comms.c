/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz target: lines "PID NAME", as the recorder collects them and as the engine looks them up. */
#include <string.h>

#include "event/event.h"
#include "event/handle/engine_priv.h"
#include "fuzz.h"
#include "record/capture/capture_comms.h"

static void text_of(const struct task_comms *c, struct buf *out)
{
	buf_reset(out);
	comms_text(c, out);
}

/* What was written is read as it was, and merged with nothing it stays the same. */
static void check_again(const struct task_comms *c, const struct buf *text)
{
	struct task_comms again = {0}, merged = {0};
	struct buf out = {0};

	comms_add_saved(&again, text->data);
	text_of(&again, &out);
	FUZZ_ASSERT(out.len == text->len && !memcmp(out.data, text->data, out.len));
	comms_merge(&merged, c);
	text_of(&merged, &out);
	FUZZ_ASSERT(out.len == text->len && !memcmp(out.data, text->data, out.len));
	comms_release(&again);
	comms_release(&merged);
	buf_release(&out);
}

/* The engine has the names that @c has, NULL: any. */
static void look_up(const char *text, size_t len, const struct task_comms *c)
{
	struct event_meta w = {
		.long_size = 8, .page_size = 4096, .cmdlines = text, .cmdlines_len = len,
	};
	struct ev_engine *e = ev_engine_new(&w, NULL, NULL);
	const char *p, *end = text + len, *name;

	FUZZ_ASSERT(e);
	for (p = text; p && p < end; p = memchr(p, '\n', end - p), p += !!p) {
		int pid = 0;

		for (; p < end && *p >= '0' && *p <= '9' && pid < INT32_MAX / 10; p++)
			pid = pid * 10 + (*p - '0');
		name = comm_find(e, pid);
		fuzz_sink += strlen(name);
		if (c && pid && comms_get(c, pid))
			FUZZ_ASSERT(!strcmp(name, comms_get(c, pid)));
	}
	ev_engine_free(e);
}

/* Each line by another witness. */
static void set_lines(struct task_comms *c, const char *at)
{
	for (int n = 0; *at; n++) {
		const char *nl = strchrnul(at, '\n');

		comms_set(c, n % 7, n % (COMM_EVENT + 1), n % 5, at, nl - at);
		at = *nl ? nl + 1 : nl;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *exact = memcpy(malloc(size + !size), data, size);
	char *text = strndup((const char *)data, size);
	struct task_comms c = {0};
	struct buf out = {0};

	comms_add_saved(&c, text);
	set_lines(&c, text);
	text_of(&c, &out);
	check_again(&c, &out);
	look_up(out.data, out.len, &c);
	look_up(exact, size, NULL);
	comms_release(&c);
	buf_release(&out);
	free(exact);
	free(text);
	return 0;
}
