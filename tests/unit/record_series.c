/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbered files of a recording: numbers behind those that are there, and which stay. */
#include <fcntl.h>
#include <unistd.h>

#include "record/file/outfile.h"
#include "tap.h"

static void make(const char *name)
{
	close(open(name, O_CREAT | O_WRONLY, 0600));
}

static void test_begin(const char *what, const char *path, const char *want)
{
	struct file_series s;
	char *name;

	series_begin(&s, path);
	name = series_next(&s, path);
	TAP_OK(!strcmp(name, want), what);
	free(name);
	series_release(&s);
}

int main(void)
{
	char dir[] = "/var/tmp/ftr-series-XXXXXX";
	struct file_series s;
	char *name;
	int i;

	if (!mkdtemp(dir) || chdir(dir))
		return 1;
	test_begin("the first of all", "t.dat", "t.dat.0001");
	make("t.dat.part-77");
	make("t.data.0099");
	make("t.dat.0031x");
	make("xt.dat.0031");
	test_begin("names that are others", "t.dat", "t.dat.0001");
	make("t.dat.0003");
	make("t.dat.0012.part-5");
	test_begin("behind what a killed one left", "t.dat", "t.dat.0013");
	test_begin("with a folder", "./t.dat", "./t.dat.0013");
	make("t.dat.12345");
	test_begin("behind four digits", "t.dat", "t.dat.12346");
	series_begin(&s, "a.dat");
	for (i = 0; i < 4; i++) {
		name = series_next(&s, "a.dat");
		make(name);
		series_add(&s, name, 2);
		free(name);
	}
	TAP_OK(access("a.dat.0001", F_OK) && access("a.dat.0002", F_OK), "the oldest are gone");
	TAP_OK(!access("a.dat.0003", F_OK) && !access("a.dat.0004", F_OK), "the last two stay");
	name = series_next(&s, "a.dat");
	make(name);
	series_add(&s, name, 0);
	TAP_OK(access(name, F_OK) && access("a.dat.0004", F_OK), "none stays");
	free(name);
	series_release(&s);
	if (system("rm -rf \"$PWD\""))
		return 1;
	return tap_done();
}
