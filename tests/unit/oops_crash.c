/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The crash in logs of 1, 10 and 100 MiB, at the begin, in the middle, at the end; and of several the last. */
#include "text/log/oops_text.h"
#include "tap.h"

#define MIB	(1u << 20)
#define CHUNK	61553			/* no piece ends where a line does */
#define USUAL	"usb 1-1: new high-speed USB device number 2 using xhci_hcd and so on and on"
/* A sanitizer takes ten times as long. */
#ifdef __SANITIZE_ADDRESS__
#define MIB_MAX	10
#else
#define MIB_MAX	100
#endif

/* A log that is fed in pieces as it is made. */
struct feed {
	struct crash_log log;
	struct buf chunk;
	size_t total, peak;
};

static void flush(struct feed *f)
{
	size_t held;

	crash_log_add(&f->log, f->chunk.data, f->chunk.len);
	f->total += f->chunk.len;
	f->chunk.len = 0;
	held = f->log.rest.cap + f->log.text.cap;
	f->peak = held > f->peak ? held : f->peak;
}

static void notice(struct feed *f, double seconds, const char *text)
{
	char line[256];
	int n = snprintf(line, sizeof(line), "[%12.6f] guest kernel: %s\n", seconds, text);

	for (int at = 0; at < n; at++) {
		buf_addch(&f->chunk, line[at]);
		if (f->chunk.len == CHUNK)
			flush(f);
	}
}

static void fill(struct feed *f, double from, size_t bytes)
{
	size_t until = f->total + f->chunk.len + bytes;

	for (double at = from; f->total + f->chunk.len < until; at += 0.001)
		notice(f, at, USUAL);
}

static void crash(struct feed *f, double at, const char *place)
{
	char rip[64];

	snprintf(rip, sizeof(rip), "RIP: 0010:%s+0x1/0x2", place);
	notice(f, at, "BUG: kernel NULL pointer dereference, address: 0000000000000000");
	notice(f, at + 0.001, rip);
	notice(f, at + 0.002, "---[ end trace 0000000000000000 ]---");
}

/* The text that is found begins with @head and has @place, and no more was held than one piece and the text. */
static void found(struct feed *f, const char *head, const char *place, const char *name)
{
	struct buf out = {0};
	bool has;

	flush(f);
	has = crash_log_end(&f->log, &out, NULL);
	buf_addch(&out, '\0');
	TAP_OK(has && !strncmp(out.data, head, strlen(head)) && strstr(out.data, place), name);
	TAP_OK(f->peak <= 2 * CRASH_TEXT_MAX + 4 * MIB, "memory is bounded");
	TAP_OK(out.len <= CRASH_TEXT_MAX + 1, "so is the text");
	buf_release(&out);
	buf_release(&f->chunk);
}

static void sizes(void)
{
	static const struct { size_t mib; const char *name; } logs[] = {
		{ 1, "1 MiB" }, { 10, "10 MiB" }, { 100, "100 MiB" },
	};
	static const char *const where[] = { "at the begin", "in the middle", "at the end" };
	char name[64];

	for (size_t i = 0; i < sizeof(logs) / sizeof(*logs); i++)
		for (size_t k = 0; k < 3; k++) {
			size_t bytes = logs[i].mib * MIB, before = bytes / 2 * k;
			struct feed f = {0};

			snprintf(name, sizeof(name), "%s, %s", logs[i].name, where[k]);
			if (logs[i].mib > MIB_MAX) {
				TAP_SKIP(name, "the plain build has it");
				continue;
			}
			fill(&f, 1, before);
			crash(&f, 5000, "crash_here");
			fill(&f, 5001, bytes - before);
			found(&f, "BUG: kernel NULL", "crash_here", name);
		}
}

int main(void)
{
	struct feed f = {0};

	sizes();

	crash(&f, 100, "survived");
	fill(&f, 101, 1000);
	crash(&f, 3000, "deadly");
	notice(&f, 3001, "Kernel panic - not syncing: Fatal exception");
	found(&f, "BUG: kernel NULL", "deadly", "of two crashes the last one");

	f = (struct feed){0};
	crash(&f, 100, "cause");
	fill(&f, 101, 1000);
	crash(&f, 110, "effect");
	found(&f, "BUG: kernel NULL", "cause", "what it leads to is of the same crash");

	f = (struct feed){0};
	crash(&f, 100, "cause");
	notice(&f, 9000, "WARNING: CPU: 0 PID: 1 at a.c:1 warned+0x1/0x2");
	found(&f, "BUG: kernel NULL", "cause", "a crash, and a warning hours later");

	f = (struct feed){0};
	notice(&f, 10, "WARNING: CPU: 0 PID: 1 at a.c:1 first+0x1/0x2");
	notice(&f, 9000, "WARNING: CPU: 0 PID: 1 at a.c:1 second+0x1/0x2");
	found(&f, "WARNING: ", "second", "warnings alone: the last one");

	f = (struct feed){0};
	notice(&f, 10, "WARNING: CPU: 0 PID: 1 at a.c:1 first+0x1/0x2");
	notice(&f, 9000, "sysrq: Trigger a crash");
	notice(&f, 9000, "Kernel panic - not syncing: sysrq triggered crash");
	found(&f, "sysrq: Trigger", "sysrq triggered crash", "a warning, and hours later a crash");

	f = (struct feed){0};
	fill(&f, 1, 2 * MIB);
	flush(&f);
	TAP_OK(!crash_log_end(&f.log, &f.chunk, NULL), "no crash at all");
	buf_release(&f.chunk);
	return tap_done();
}
