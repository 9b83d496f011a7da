/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ftr info: lost events of which the ring buffer has no number, and the recorder had. */
#include <stdio.h>
#include <sys/mman.h>

#include "demo_file.h"

static char dir[] = "/var/tmp/ftr-lost-XXXXXX";

/* One sub-buffer; events were lost before it, and it had no room to say how many. */
static int raw_data(void)
{
	struct ring_layout l = { .commit_size = 8, .commit_off = 8, .data_off = 16, .subbuf_size = SUBBUF };
	struct demo d = { .type = 900, .pid = 7 };
	uint8_t mem[SUBBUF] = {0};
	struct ring_build b;
	int fd = memfd_create("raw", 0);

	ring_build_start(&b, &l, mem, 1000000000);
	ring_build_event(&b, 1000, &d, sizeof(d));
	ring_build_commit(&b, 1u << 31);
	if (pwrite(fd, mem, SUBBUF, 0) != SUBBUF)
		exit(1);
	return fd;
}

/* A file of two CPUs with that data, and with @meta. */
static void write_file(const char *path, const char *meta)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600), raw = raw_data();
	struct dat_write_cpu cpus[] = {
		{ .cpu = 0, .fd = raw, .size = SUBBUF }, { .cpu = 3, .fd = raw, .size = SUBBUF },
	};
	struct ftr_error err;
	struct dat_writer *w = dat_create(fd, path, SUBBUF, &err);

	demo_formats(w);
	dat_write_meta(w, meta, strlen(meta));
	demo_texts(w, 4);
	dat_write_buffer(w, "", "local", SUBBUF, cpus, 2);
	if (dat_finish(w, &err))
		exit(1);
	close(raw);
	close(fd);
}

/* Does ftr info say @line of the file? */
static bool prints_line(const char *path, const char *line)
{
	char *cmd = xasprintf("%s info %s", getenv("FTR"), path), text[4096];
	FILE *f = popen(cmd, "r");
	bool found = false;

	while (f && fgets(text, sizeof(text), f))
		found |= !!strstr(text, line);
	if (f)
		pclose(f);
	free(cmd);
	return found;
}

int main(void)
{
	char *path;

	if (!mkdtemp(dir))
		return 1;
	path = xasprintf("%s/lost.dat", dir);
	write_file(path, "tracer=nop\n");
	TAP_OK(prints_line(path, "lost 0 and an unknown number,"), "nobody knows");
	write_file(path, "lost=0:46716 3:12\n");
	TAP_OK(prints_line(path, "1 events, lost 46716, "), "the recorder knew it of CPU 0");
	TAP_OK(prints_line(path, "1 events, lost 12, "), "and of CPU 3");
	TAP_OK(prints_line(path, " 46728\n"), "and of both");
	write_file(path, "lost=3:12\n");
	TAP_OK(prints_line(path, " 12 and an unknown number\n"), "of one of them");
	write_file(path, "lost=9:5 x\n");
	TAP_OK(prints_line(path, " 0 and an unknown number\n"),
	       "of a CPU that is not there, and nonsense");
	free(path);
	return demo_done(dir);
}
