/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The display of a long text's progress: both steps go from their start to their end, and forwards. */
#include <unistd.h>

#include "record/capture/capture_formats.h"
#include "tap.h"
#include "text/text_file.h"
#include "text/text_read.h"

#define RECORDS 60000

static struct text_progress progress;
static struct step {
	const char *what;
	unsigned int calls, first, last;
	bool goes_back;
} steps[] = { { .what = "lines" }, { .what = "records" } };

static void see(const char *what, unsigned int percent)
{
	for (struct step *s = steps; s < steps + 2; s++) {
		if (strcmp(s->what, what))
			continue;
		if (!s->calls++)
			s->first = percent;
		s->goes_back |= percent < s->last;
		s->last = percent;
	}
	/* the next one is shown at once */
	progress.next = 0;
}

static int write_text(void)
{
	FILE *f = tmpfile();

	fputs("# tracer: nop\n#\n", f);
	for (int i = 0; i < RECORDS; i++)
		fprintf(f, "            bash-210     [001] .....  %3d.%06d: sched_waking: comm=x pid=7 prio=120 "
			"target_cpu=000\n", 10 + i / 1000, i % 1000);
	fflush(f);
	return dup(fileno(f));
}

int main(void)
{
	int fd = write_text(), out = fileno(tmpfile());
	struct format_files formats = {0};
	struct text_counts counts;
	struct ftr_error err = {0};
	struct text_read r;

	progress.show = see;
	TAP_OK(!text_read(&r, fd, "text", NULL, &progress, &err) && r.dumps.n == 1, "the text is read");
	TAP_OK(!text_file_write_fd(out, "out", &r.dumps.v[0], &formats, NULL, &counts, &err),
	       "its records are written");
	TAP_EQ(counts.records, RECORDS, "all of them");
	for (struct step *s = steps; s < steps + 2; s++) {
		TAP_OK(s->calls > 2, s->what);
		TAP_OK(s->first < 10 && s->last > 50 && s->last <= 100, "from the start to the end");
		TAP_OK(!s->goes_back, "it does not go back");
	}
	text_read_release(&r);
	TAP_OK(!text_read(&r, fd, "text", NULL, NULL, &err) && r.dumps.v[0].n == RECORDS,
	       "no display is wanted");
	text_read_release(&r);
	close(fd);
	return tap_done();
}
