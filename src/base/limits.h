/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is built of a file at most, whatever it says of itself: a few kilobytes that are compressed
 * may become any number of anything. What is beyond a limit is damage, named and counted; the rest
 * of the file is read. ftr-report(1) lists these limits.
 */
#ifndef FTR_BASE_LIMITS_H
#define FTR_BASE_LIMITS_H

/* --- numbers, with what the kernel or a large machine has */

#define LIMIT_CPUS	  8192		/* of a buffer: the largest NR_CPUS of any configuration */
#define LIMIT_BUFFERS	  1024		/* top level and instances, each a folder of tracefs */
#define LIMIT_CPU_ENTRIES (256 << 10)	/* of all buffers: 1,024 CPUs of 256 instances */
#define LIMIT_SECTIONS	  (64 << 10)	/* some 15 that have a meaning, a few for each buffer */
/* a text of statistics for each CPU of each buffer, a map of addresses for each process */
#define LIMIT_OPTIONS	  (1 << 20)
#define LIMIT_SESSION	  (64 << 10)	/* ftr's own lines: some 30, and a few for each buffer */
/* ids have 16 bits; kernels have some 5,000. Half as many again may share an id with others */
#define LIMIT_FORMATS	  (96 << 10)
#define LIMIT_SYMBOLS	  (4 << 20)	/* kernels have some 300,000, with all their modules */
#define LIMIT_SYMBOL_LINE 1024		/* bytes: KSYM_NAME_LEN is 512 */
#define LIMIT_COMMS	  (4 << 20)	/* PID_MAX_LIMIT: there are no more pids */
#define LIMIT_PRINTK	  (128 << 10)	/* each is a line of the kernel's source */
#define LIMIT_RANGES	  (4 << 20)	/* of mapped files: 32,768 processes with 128 each */

/* --- bytes of a section that is decompressed, of all OPTIONS together; several times the above */

#define LIMIT_BYTES_HEADER  (1 << 20)	/* HEADER_INFO: the kernel's two texts have 700 bytes */
#define LIMIT_BYTES_BUILTIN (16 << 20)	/* FTRACE_EVENTS: 20 formats */
#define LIMIT_BYTES_FORMATS (64 << 20)	/* EVENT_FORMATS: 5,000 have some 10 MiB */
#define LIMIT_BYTES_SYMBOLS (128 << 20)	/* KALLSYMS: 300,000 have some 14 MiB */
#define LIMIT_BYTES_PRINTK  (16 << 20)	/* PRINTK */
#define LIMIT_BYTES_COMMS   (128 << 20)	/* CMDLINES: 23 bytes for each pid that there can be */
#define LIMIT_BYTES_PROTOS  (32 << 20)	/* FTR_PROTOS: of all functions some 2 MiB */
#define LIMIT_BYTES_LATENCY (64 << 20)	/* FTR_LATENCY: the text of one way from wakeup to CPU */
#define LIMIT_BYTES_OOPS    (1 << 20)	/* FTR_OOPS: LIMIT_OOPS is written */
#define LIMIT_BYTES_BTF	    (128 << 20)	/* BTF_FILE: the kernel's own has some 6 MiB */
#define LIMIT_BYTES_OPTIONS (256 << 20)	/* OPTIONS: maps of addresses, some 4 KiB a process */

/* --- other sizes */

/*
 * bytes of a name of a task (TASK_COMM_LEN is 16), an instance (NAME_MAX is 255), a system of
 * events: each line of a report may have it
 */
#define LIMIT_NAME	  256
#define LIMIT_HEADER_PAGE (64 << 10)	/* bytes: four lines; parsed again for each buffer */
/* bytes of an oops text: the kernel's log has 128 KiB, an oops some 4 KiB of it for each CPU */
#define LIMIT_OOPS	  (64 << 10)
#define LIMIT_CHUNK	  (64 << 20)	/* bytes of one decompressed chunk of CPU data */
/*
 * bytes of a chunk of each CPU together: where records are merged there is one of each. A CPU of
 * many has 128 KiB at least, as ftr record writes them
 */
#define LIMIT_CHUNKS	  (512 << 20)
#define LIMIT_CHUNK_LEAST (128 << 10)
/* bytes of all those that several threads have: beyond it there are fewer threads */
#define LIMIT_CHUNKS_HELD (1 << 30)
/* bytes that chunks of CPU data give where it is tried at open which sizes are right */
#define LIMIT_TRIED	  (1 << 30)

#endif
