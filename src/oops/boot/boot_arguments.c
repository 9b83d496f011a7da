/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a kernel is to be booted with, so that a trace outlives a crash. */
#include "oops/boot/boot_arguments.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/io.h"
#include "base/limits.h"
#include "base/text.h"

#define KERNEL(major, minor)	((major) * 10000u + (minor))
#define MIB			((uint64_t)1 << 20)
/* reserve_mem= came in 6.12; before it only memmap= kept memory, at an address one has to know. */
#define HAS_RESERVE_MEM		KERNEL(6, 12)
#define FOREVER			UINT32_MAX

#define TRACE_LABEL	"ftr-trace"	/* 15 letters at most: RESERVE_MEM_NAME_SIZE */
#define LOG_LABEL	"ftr-log"
#define LOG_BYTES	MIB
#define LOG_RECORD	(128u << 10)	/* all of the kernel's log, as Debian builds it */
/* A CPU's lines in a dump of 64 KiB of records, some 1,600, each with the head of printk(). */
#define DUMP_BYTES	(256u << 10)
#define MEMORY_SHARE	8		/* a buffer takes at most one in so many bytes */

/* --- what is needed */

static uint64_t power_of_two(uint64_t v)
{
	uint64_t p = 1;

	while (p < v)
		p <<= 1;
	return p;
}

/* The kernel takes its own notes of each CPU out of it, and whole sub-buffers: some for these. */
static uint64_t trace_mib(const struct boot_machine *m)
{
	return (m->cpus * (m->cpu_kb + 16) * 1024 + MIB - 1) / MIB + 1;
}

static void add_trace_memory(struct buf *b, const struct boot_machine *m)
{
	buf_printf(b, "reserve_mem=%" PRIu64 "M:4096:" TRACE_LABEL, trace_mib(m));
}

static void add_trace_instance(struct buf *b, const struct boot_machine *m)
{
	(void)m;
	buf_addstr(b, "trace_instance=ftr-oops^traceoff@" TRACE_LABEL);
}

static void add_backup(struct buf *b, const struct boot_machine *m)
{
	(void)m;
	buf_addstr(b, "trace_instance=ftr-backup=ftr-oops");
}

static void add_log_memory(struct buf *b, const struct boot_machine *m)
{
	(void)m;
	buf_printf(b, "reserve_mem=%" PRIu64 "M:4096:" LOG_LABEL, LOG_BYTES / MIB);
}

static void add_ramoops(struct buf *b, const struct boot_machine *m)
{
	(void)m;
	buf_printf(b, "ramoops.mem_name=" LOG_LABEL " ramoops.record_size=%u", LOG_RECORD);
}

static void add_log_size(struct buf *b, const struct boot_machine *m)
{
	buf_printf(b, "log_buf_len=%" PRIu64 "K",
		   power_of_two(m->cpus * DUMP_BYTES + LOG_RECORD) / 1024);
}

static void add_panic(struct buf *b, const struct boot_machine *m)
{
	(void)m;
	buf_addstr(b, "panic=10");
}

static const struct argument {
	uint32_t from, to;		/* kernels: from <= kernel < to */
	void   (*add)(struct buf *b, const struct boot_machine *m);
	const char *reason;
} arguments[] = {
	{ HAS_RESERVE_MEM, FOREVER, add_trace_memory,
	  "Memory that the next boot leaves alone, for the trace. A loss of power clears it.\n"
	  "Where KASLR moves the kernel into it, the next boot discards the trace: nokaslr\n"
	  "avoids that, and takes a protection away." },
	{ HAS_RESERVE_MEM, FOREVER, add_trace_instance,
	  "The instance in that memory. It is off after a boot, so that what it holds is not\n"
	  "written over before it was read." },
	{ KERNEL(7, 2), FOREVER, add_backup,
	  "A copy of what the previous boot left: the buffer itself may record again at once." },
	{ HAS_RESERVE_MEM, FOREVER, add_log_memory,
	  "Memory for the text of the oops." },
	{ HAS_RESERVE_MEM, FOREVER, add_ramoops,
	  "The module ramoops writes the kernel's log there when it crashes, and shows it in\n"
	  "/sys/fs/pstore after the next boot. It has to be loaded: a line 'ramoops' in a file of\n"
	  "/etc/modules-load.d." },
	{ 0, HAS_RESERVE_MEM, add_log_size,
	  "No memory outlives a boot of this kernel: a buffer in it needs Linux 6.12. The trace\n"
	  "is printed to the console when the kernel crashes, through the kernel's log, which is\n"
	  "too small: the oops would be pushed out of it." },
	{ 0, FOREVER, add_panic,
	  "A machine that panics boots again after 10 seconds. Without it somebody has to switch\n"
	  "it off, which clears its memory." },
};

/* --- the machine */

uint32_t boot_kernel_of(const char *release)
{
	unsigned int major, minor;

	if (sscanf(release, "%u.%u", &major, &minor) != 2 || major > 999 || minor > 9999)
		return 0;
	return KERNEL(major, minor);
}

/* The kernel gives each number below nr_cpu_ids its share, whether there is such a CPU or not. */
static uint64_t count_cpus(void)
{
	char *list = io_line_at(AT_FDCWD, "/sys/devices/system/cpu/possible");
	uint64_t bits[LIMIT_CPUS / 64], n = 1;

	if (list && !text_cpulist(list, bits, LIMIT_CPUS))
		for (uint64_t cpu = 0; cpu < LIMIT_CPUS; cpu++)
			if (bits[cpu / 64] >> cpu % 64 & 1)
				n = cpu + 1;
	free(list);
	return n;
}

int boot_machine_complete(struct boot_machine *m, struct ftr_error *err)
{
	struct utsname u;

	if (!*m->release && !uname(&u))
		snprintf(m->release, sizeof(m->release), "%s", u.release);
	m->kernel = boot_kernel_of(m->release);
	if (!m->cpus)
		m->cpus = count_cpus();
	if (!m->memory)
		m->memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
	if (m->kernel < HAS_RESERVE_MEM || trace_mib(m) <= m->memory / MIB / MEMORY_SHARE)
		return 0;
	err_set(err, FTR_FAILED, "a trace of %" PRIu64 " MiB is more than an eighth of the memory, "
		"%" PRIu64 " MiB", trace_mib(m), m->memory / MIB);
	return err_hint(err, "-b says how many KiB each CPU gets, %" PRIu64 " now", m->cpu_kb);
}

/* --- the arguments */

bool boot_argument_next(const struct boot_machine *m, size_t *i, struct buf *word,
			const char **reason)
{
	while (*i < sizeof(arguments) / sizeof(*arguments)) {
		const struct argument *a = &arguments[(*i)++];

		if (m->kernel < a->from || m->kernel >= a->to)
			continue;
		buf_reset(word);
		a->add(word, m);
		*reason = a->reason;
		return true;
	}
	return false;
}

void boot_arguments_line(const struct boot_machine *m, struct buf *out)
{
	struct buf word = {0};
	const char *reason, *before = "";

	for (size_t i = 0; boot_argument_next(m, &i, &word, &reason); before = " ")
		buf_printf(out, "%s%s", before, word.data);
	buf_release(&word);
}
