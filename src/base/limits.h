/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits for the data that is built from a file, whatever numbers it claims: a few compressed
 * kilobytes can expand to any number of items. Items beyond a limit are damage, which is named and
 * counted; the rest of the file is read. ftr-report(1) lists these limits.
 */
#ifndef FTR_BASE_LIMITS_H
#define FTR_BASE_LIMITS_H

/* --- numbers of items, with the number that the kernel or a large machine has */

#define LIMIT_CPUS	  8192		/* of a buffer: the largest NR_CPUS of any configuration */
#define LIMIT_BUFFERS	  1024		/* top level and instances, each a directory of tracefs */
#define LIMIT_CPU_ENTRIES (256 << 10)	/* of all buffers: 1,024 CPUs of 256 instances */
#define LIMIT_SECTIONS	  (64 << 10)	/* some 15 known ones, and a few for each buffer */
/* a text of statistics for each CPU of each buffer, a map of addresses for each process */
#define LIMIT_OPTIONS	  (1 << 20)
#define LIMIT_SESSION	  (64 << 10)	/* ftr's own lines: some 30, and a few for each buffer */
/* ids have 16 bits, and kernels have some 5,000 events. Half as many more may share an id */
#define LIMIT_FORMATS	  (96 << 10)
#define LIMIT_SYMBOLS	  (4 << 20)	/* kernels have some 300,000, with all their modules */
#define LIMIT_SYMBOL_LINE 1024		/* bytes: KSYM_NAME_LEN is 512 */
#define LIMIT_COMMS	  (4 << 20)	/* PID_MAX_LIMIT, the largest number of pids */
#define LIMIT_PRINTK	  (128 << 10)	/* each is a line of the kernel's source */
#define LIMIT_RANGES	  (4 << 20)	/* of mapped files: 32,768 processes with 128 each */

/*
 * --- bytes of a decompressed section (of all OPTIONS sections together): several times the bytes
 * of the numbers above
 */

#define LIMIT_BYTES_HEADER  (1 << 20)	/* HEADER_INFO: the kernel's two texts have 700 bytes */
#define LIMIT_BYTES_BUILTIN (16 << 20)	/* FTRACE_EVENTS: 20 formats */
#define LIMIT_BYTES_FORMATS (64 << 20)	/* EVENT_FORMATS: 5,000 have some 10 MiB */
#define LIMIT_BYTES_SYMBOLS (128 << 20)	/* KALLSYMS: 300,000 have some 14 MiB */
#define LIMIT_BYTES_PRINTK  (16 << 20)	/* PRINTK */
#define LIMIT_BYTES_COMMS   (32 << 20)	/* CMDLINES: 32,768 names of the kernel have 0.8 MiB */
#define LIMIT_BYTES_PROTOS  (32 << 20)	/* FTR_PROTOS: of all functions some 2 MiB */
#define LIMIT_BYTES_LATENCY (64 << 20)	/* FTR_LATENCY: the trace of one wakeup */
#define LIMIT_BYTES_OOPS    (1 << 20)	/* FTR_OOPS: LIMIT_OOPS is written */
#define LIMIT_BYTES_BTF	    (128 << 20)	/* BTF_FILE: the kernel's own has some 6 MiB */
#define LIMIT_BYTES_OPTIONS (256 << 20)	/* OPTIONS: maps of addresses, some 4 KiB a process */

/* --- other sizes */

/*
 * bytes of the name of a task (TASK_COMM_LEN is 16), an instance (NAME_MAX is 255) or a system of
 * events: each line of a report may repeat it
 */
#define LIMIT_NAME	  256
#define LIMIT_HEADER_PAGE (64 << 10)	/* bytes: four lines; parsed again for each buffer */
/* bytes of an oops text: the kernel's log has 128 KiB, an oops some 4 KiB of it for each CPU */
#define LIMIT_OOPS	  (64 << 10)
#define LIMIT_CHUNK	  (64 << 20)	/* bytes of one decompressed chunk of CPU data */
/*
 * bytes of one chunk of each CPU, all together: a merge of records holds one of each. With many
 * CPUs each may still have 128 KiB, the size that ftr record writes
 */
#define LIMIT_CHUNKS	  (512 << 20)
#define LIMIT_CHUNK_LEAST (128 << 10)
/* bytes of the chunks of all threads: above it fewer threads are used */
#define LIMIT_CHUNKS_HELD (1 << 30)
/* bytes to decompress at open, at most, when it tries which sizes of CPU data are right */
#define LIMIT_TRIED	  (1 << 30)

#endif
