/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's own scale from TSC cycles to nanoseconds. */
#include "record/capture/clock_tsc.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The page is rewritten by the kernel; ->lock changes meanwhile. */
static bool read_page(const volatile struct perf_event_mmap_page *pg, struct tsc_scale *scale)
{
	uint32_t seq;
	bool usable;

	do {
		seq = pg->lock;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		usable = pg->cap_user_time;
		scale->mult = pg->time_mult;
		scale->shift = pg->time_shift;
		scale->offset_ns = pg->cap_user_time_zero ? pg->time_zero : 0;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (pg->lock != seq);
	return usable && scale->mult;
}

int tsc_scale_read(struct tsc_scale *scale, struct ftr_error *err)
{
	/* a dummy event of our own: its page says how sched_clock() is made from the TSC */
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_DUMMY,
		.disabled = 1, .exclude_kernel = 1, .exclude_hv = 1,
	};
	size_t len = sysconf(_SC_PAGESIZE);
	void *page = MAP_FAILED;
	int fd, ret = -1;

	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		err_sys(err, "cannot open a perf event for the scale of the TSC");
		goto out;
	}
	page = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		err_sys(err, "cannot map a perf event for the scale of the TSC");
	else if (!read_page(page, scale))
		err_set(err, FTR_FAILED, "the kernel does not use the TSC as its clock here"),
		err_hint(err, "give -C x86-tsc for raw cycles, or -C mono");
	else
		ret = 0;
out:
	if (page != MAP_FAILED)
		munmap(page, len);
	if (fd >= 0)
		close(fd);
	return ret;
}
