/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Raw data of CPUs that no file could be made of: each file that is left has its name said, and nothing else is. */
#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

#include "base/mem.h"
#include "record/cpu/recorder_priv.h"
#include "record/sink/sink_priv.h"
#include "tap.h"

enum { CPUS = 4 };

static char dir[] = "/var/tmp/ftr-left-XXXXXX";
static struct strv warnings;

__attribute__((format(printf, 1, 2))) static void take_words(const char *fmt, ...)
{
	struct buf b = {0};
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&b, fmt, ap);
	va_end(ap);
	strv_take(&warnings, buf_take(&b));
}

/* A recorder whose CPUs have so many bytes each, in files without a name. */
struct demo_recorder {
	struct recorder r;
	struct recorder_cpu cpus[CPUS];
	struct cpu_rec lanes[CPUS];
};

static void begin(struct demo_recorder *d, const char *out, const uint64_t *sizes, size_t n)
{
	*d = (struct demo_recorder){ .r = { .cpus = d->cpus, .cpu_recs = d->lanes, .n = n, .out_path = (char *)out } };
	for (size_t i = 0; i < n; i++) {
		d->cpus[i] = (struct recorder_cpu){ .cpu = i,
			      .fd = open(dir, O_RDWR | O_TMPFILE, 0600),
						    .size = sizes[i] };
		d->lanes[i] = (struct cpu_rec){ .r = &d->r, .cpu = &d->cpus[i] };
		if (ftruncate(d->cpus[i].fd, sizes[i]))
			abort();
	}
}

static void end(struct demo_recorder *d)
{
	for (size_t i = 0; i < d->r.n; i++)
		close(d->cpus[i].fd);
}

/* @n of two recorders, of which @want CPUs have data. */
static void test_left(size_t n, const uint64_t (*sizes)[CPUS], size_t want, const char *name)
{
	struct demo_recorder d[2];
	struct recorder *recs[2] = { &d[0].r, &d[1].r };
	struct record_sink s = { .plan = { .warn = take_words }, .recs = recs, .n = n };
	char *out[2] = { xasprintf("%s/%s-a", dir, name), xasprintf("%s/%s-b", dir, name) }, *file,
				   *quote;
	size_t i, there = 0;

	for (i = 0; i < n; i++)
		begin(&d[i], out[i], sizes[i], CPUS);
	sink_leave_raw(&s);
	TAP_EQ(warnings.n, want, name);
	for (i = 0; i < warnings.n; i++) {
		file = strchr(warnings.v[i], '\'');
		quote = file ? strchr(++file, '\'') : NULL;
		if (quote)
			*quote = '\0';
		there += quote && !access(file, F_OK);
		printf("# %s\n", warnings.v[i]);
	}
	TAP_EQ(there, want, "each file is there");
	for (i = 0; i < n; i++)
		end(&d[i]);
	free(out[0]);
	free(out[1]);
	strv_release(&warnings);
}

int main(void)
{
	char *cmd;

	if (!mkdtemp(dir))
		return 1;
	test_left(1, (uint64_t[][CPUS]){ { 4096, 8192, 4096, 4096 } }, 4, "all CPUs have data");
	test_left(2, (uint64_t[][CPUS]){ { 4096, 0, 0, 12288 }, { 0, 0, 4096, 0 } }, 3, "some have, in two buffers");
	test_left(1, (uint64_t[][CPUS]){ { 0, 0, 0, 0 } }, 0, "none has");
	test_left(0, NULL, 0, "there are no buffers");
	cmd = xasprintf("rm -rf '%s'", dir);
	if (system(cmd))
		return 1;
	free(cmd);
	return tap_done();
}
