/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * marker_load FOLDER COUNT USEC: on each CPU writes "load CPU NUMBER" to trace_marker, COUNT times (0: without end),
 * with a pause of USEC; FOLDER/CPU, mapped, holds the number of the last one that is written.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void load(const char *dir, int cpu, long count, int pause)
{
	char path[256], text[64];
	volatile uint64_t *done;
	cpu_set_t set;
	int fd, marker, len;
	long i;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	snprintf(path, sizeof(path), "%s/%d", dir, cpu);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	marker = open("/sys/kernel/tracing/trace_marker", O_WRONLY);
	if (fd < 0 || marker < 0 || ftruncate(fd, 8))
		_exit(1);
	done = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (i = 1; !count || i <= count; i++) {
		len = snprintf(text, sizeof(text), "load %d %ld", cpu, i);
		if (write(marker, text, len) == len)
			*done = i;
		usleep(pause);
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	int cpu, cpus = sysconf(_SC_NPROCESSORS_ONLN), status;

	if (argc != 4)
		return 2;
	for (cpu = 0; cpu < cpus; cpu++)
		if (!fork())
			load(argv[1], cpu, atol(argv[2]), atoi(argv[3]));
	while (wait(&status) > 0)
		;
	return 0;
}
