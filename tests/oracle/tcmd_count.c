/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Count or list the records of all instances of a trace.dat with libtracecmd's public API.
 *
 * cc -Wall -Wextra $(pkg-config --cflags libtracecmd) -o tcmd_count tcmd_count.c \
 *	$(pkg-config --libs libtracecmd)
 *
 * usage: tcmd_count [--list] FILE
 * prints "instance 'NAME' records N lost N lost_unknown N" per instance (top: empty name), then
 * "total records N"; --list prints "INSTANCE CPU TS_ns EVENTNAME PID COMM" per record instead
 * ("-" is the top instance), in the order of time within each instance.
 * Exit codes: 0 fine, 1 the file cannot be read, 2 usage.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <trace-cmd.h>

struct tally {
	const char *name;
	bool list;
	unsigned long long records;
	unsigned long long lost;
	unsigned long long lost_unknown;
};

static const char *record_event(struct tep_handle *tep, struct tep_record *record)
{
	struct tep_event *event = tep_find_event_by_record(tep, record);

	return event ? event->name : "unknown";
}

static int count_record(struct tracecmd_input *handle, struct tep_record *record, int cpu,
			void *data)
{
	struct tep_handle *tep = tracecmd_get_tep(handle);
	struct tally *tally = data;
	int pid;

	tally->records++;
	/* a negative number: events are missing, but the kernel could not say how many */
	if (record->missed_events > 0)
		tally->lost += record->missed_events;
	else if (record->missed_events < 0)
		tally->lost_unknown++;
	if (!tally->list)
		return 0;
	pid = tep_data_pid(tep, record);
	printf("%s %d %llu %s %d %s\n", *tally->name ? tally->name : "-", cpu, record->ts,
	       record_event(tep, record), pid, tep_data_comm_from_pid(tep, pid));
	return 0;
}

static int count_instance(struct tracecmd_input *handle, const char *name, bool list,
			  unsigned long long *total)
{
	struct tally tally = { .name = name ? name : "", .list = list };
	int ret = tracecmd_iterate_events(handle, NULL, 0, count_record, &tally);

	if (ret < 0) {
		fprintf(stderr, "tcmd_count: cannot iterate instance '%s'\n", tally.name);
		return -1;
	}
	*total += tally.records;
	if (!list)
		printf("instance '%s' records %llu lost %llu lost_unknown %llu\n", tally.name,
		       tally.records, tally.lost, tally.lost_unknown);
	return 0;
}

static int count_others(struct tracecmd_input *handle, bool list, unsigned long long *total)
{
	int nr = tracecmd_buffer_instances(handle);
	int ret = 0;

	for (int i = 0; i < nr; i++) {
		const char *name = tracecmd_buffer_instance_name(handle, i);
		struct tracecmd_input *instance = tracecmd_buffer_instance_handle(handle, i);

		if (!instance) {
			fprintf(stderr, "tcmd_count: cannot open instance '%s'\n", name);
			ret = -1;
			continue;
		}
		if (count_instance(instance, name, list, total) < 0)
			ret = -1;
		tracecmd_close(instance);
	}
	return ret;
}

int main(int argc, char **argv)
{
	bool list = argc == 3 && !strcmp(argv[1], "--list");
	struct tracecmd_input *handle;
	unsigned long long total = 0;
	int ret = 0;

	if (argc != 2 + list) {
		fprintf(stderr, "usage: tcmd_count [--list] FILE\n");
		return 2;
	}
	handle = tracecmd_open(argv[argc - 1], TRACECMD_FL_LOAD_NO_PLUGINS);
	if (!handle) {
		fprintf(stderr, "tcmd_count: cannot open '%s'\n", argv[argc - 1]);
		return 1;
	}
	if (count_instance(handle, "", list, &total) < 0 || count_others(handle, list, &total) < 0)
		ret = 1;
	if (!list)
		printf("total records %llu\n", total);
	tracecmd_close(handle);
	return ret;
}
