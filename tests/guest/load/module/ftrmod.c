/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small kernel module for tests: calls to trace, trace_printk of both kinds, and on demand a crash. It is
 * built without kernel headers (mkmodule supplies what depends on the kernel), hence the declarations by hand.
 *
 * crash=null writes to NULL, crash=bug is a BUG(), crash=warn a WARN(), crash=sleep sleeps uninterruptibly for ten
 * minutes, which makes a hung task, crash=spin holds a spin lock and turns in circles, which makes a soft lockup: in
 * init, so in the context of insmod. irq=CPU does it in an interrupt of that CPU, which has to be another one than
 * insmod's (on its own the kernel makes a plain call of it), softirq=CPU in a tasklet that such an interrupt schedules.
 *
 * waits=1 makes files in /proc, which a task writes to in order to wait. ftrmod-hold and ftrmod-release lock and unlock
 * a mutex, ftrmod-mutex does both. ftrmod-completion waits for a completion, which a work completes that ftrmod-queue
 * queues.
 */
int __trace_bprintk(unsigned long ip, const char *fmt, ...);
int __trace_bputs(unsigned long ip, const char *str);
void msleep(unsigned int msecs);
int smp_call_function_single(int cpu, void (*func)(void *info), void *info, int wait);
int strcmp(const char *a, const char *b);
void tasklet_init(void *tasklet, void (*func)(unsigned long data), unsigned long data);
void __tasklet_schedule(void *tasklet);
void _raw_spin_lock(unsigned int *lock);
void mutex_lock(void *mutex);
void mutex_unlock(void *mutex);
void wait_for_completion(void *completion);
void complete(void *completion);
void __init_swait_queue_head(void *queue, const char *name, void *key);
int queue_work_on(int cpu, void *workqueue, void *work);
void *proc_create(const char *name, unsigned short mode, void *parent, const void *ops);
void proc_remove(void *entry);
extern void *system_long_wq;

/* One of them is there: up to 6.16, from then on, and with PREEMPT_RT. A weak symbol that is missing is NULL. */
#define WEAK		__attribute__((weak))
WEAK void __mutex_init(void *mutex, const char *name, void *key);
WEAK void mutex_init_generic(void *mutex);
WEAK void __mutex_rt_init(void *mutex, const char *name, void *key);

#define NOINLINE	__attribute__((noinline, noclone, used))
#define NOTRACE		__attribute__((no_instrument_function))
/*
 * As linux/trace_printk.h has it: the kernel copies the strings of this section when the module loads, and
 * puts the address of the copy into the pointer.
 */
#define TRACE_FMT	__attribute__((section("__trace_printk_fmt"), used))

static const char *volatile fmt_outer TRACE_FMT = "ftrmod_outer: n=%d name=%s big=%llx\n";
static const char *volatile str_done TRACE_FMT = "ftrmod done\n";

/* As linux/moduleparam.h has it; the same from 6.1 to 7.2. */
struct kernel_param {
	const char *name;
	void *mod;
	const void *ops;
	const unsigned short perm;
	signed char level;
	unsigned char flags;
	void *arg;
};

extern const char param_ops_charp[], param_ops_int[];
extern char __this_module[];

static const char *crash;
static int irq = -1, softirq = -1, waits;

#define PARAM		static const struct kernel_param __attribute__((section("__param"), used, aligned(8)))
PARAM param_crash = { "crash", __this_module, param_ops_charp, 0, -1, 0, &crash };
PARAM param_irq = { "irq", __this_module, param_ops_int, 0, -1, 0, &irq };
PARAM param_softirq = { "softirq", __this_module, param_ops_int, 0, -1, 0, &softirq };
PARAM param_waits = { "waits", __this_module, param_ops_int, 0, -1, 0, &waits };

/* Since 6.19 an entry of the bug table has a format, too. */
#ifdef BUG_HAS_FORMAT
#define BUG_FORMAT	"	.long 3b - .\n"
#else
#define BUG_FORMAT
#endif

int ftrmod_leaf(int n);
int ftrmod_middle(int n);
int ftrmod_outer(int n);
void ftrmod_null(void *info);
void ftrmod_bug(void *info);
void ftrmod_warn(void *info);
void ftrmod_sleep(void *info);
void ftrmod_spin(void *info);
void ftrmod_work(void *work);
int init_module(void);
void cleanup_module(void);

NOINLINE int ftrmod_leaf(int n)
{
	asm volatile("" : "+r"(n));
	return n + 1;
}

NOINLINE int ftrmod_middle(int n)
{
	n = ftrmod_leaf(n);
	return ftrmod_leaf(n);
}

NOINLINE int ftrmod_outer(int n)
{
	__trace_bprintk((unsigned long)ftrmod_outer, fmt_outer, n, "seven", 0x123456789abcdefULL);
	return ftrmod_middle(n);
}

NOINLINE void ftrmod_null(void *info)
{
	int *null = 0;

	(void)info;
	asm volatile("" : "+r"(null));
	*null = 1;
}

/* BUG() of asm/bug.h: an instruction, and a table that says what it is about. */
#define BUG_ENTRY(flags) \
	asm volatile("1:	ud2\n" \
		     "	.pushsection .rodata.str, \"a\"\n" \
		     "2:	.asciz \"ftrmod.c\"\n" \
		     "3:	.asciz \"\"\n" \
		     "	.popsection\n" \
		     "	.pushsection __bug_table, \"aw\"\n" \
		     "	.long 1b - .\n" \
		     BUG_FORMAT \
		     "	.long 2b - .\n" \
		     "	.word %c0, %c1\n" \
		     "	.popsection" : : "i"(__LINE__), "i"(flags))

enum { BUGFLAG_WARNING = 1 };

NOINLINE void ftrmod_bug(void *info)
{
	(void)info;
	BUG_ENTRY(0);
}

/* The kernel goes on behind the instruction. */
NOINLINE void ftrmod_warn(void *info)
{
	(void)info;
	BUG_ENTRY(BUGFLAG_WARNING);
}

NOINLINE void ftrmod_sleep(void *info)
{
	(void)info;
	msleep(600 * 1000);
}

/* Nothing preempts who holds a spin lock. */
NOINLINE void ftrmod_spin(void *info)
{
	static unsigned int lock;

	(void)info;
	_raw_spin_lock(&lock);
	for (;;)
		asm volatile("pause");
}

static const struct {
	const char *name;
	void (*run)(void *info);
} crashes[] = {
	{ "null", ftrmod_null },
	{ "bug", ftrmod_bug },
	{ "warn", ftrmod_warn },
	{ "sleep", ftrmod_sleep },
	{ "spin", ftrmod_spin },
};

/* As linux/interrupt.h has it, with room for more; bit 0 of the state: it is scheduled. */
static struct {
	void *next;
	unsigned long state, rest[14];
} tasklet;

NOTRACE static void tasklet_runs(unsigned long which)
{
	crashes[which].run(0);
}

NOTRACE static void schedule_tasklet(void *info)
{
	tasklet_init(&tasklet, tasklet_runs, (unsigned long)info);
	tasklet.state = 1;
	__tasklet_schedule(&tasklet);
}

NOTRACE static int crash_as_asked(void)
{
	const int einval = 22;
	unsigned long i;

	for (i = 0; i < sizeof(crashes) / sizeof(*crashes); i++) {
		if (strcmp(crash, crashes[i].name))
			continue;
		if (softirq >= 0)
			return smp_call_function_single(softirq, schedule_tasklet, (void *)i, 1);
		if (irq >= 0)
			return smp_call_function_single(irq, crashes[i].run, 0, 1);
		crashes[i].run(0);
		return 0;
	}
	return -einval;
}

/* --- waits */

/* Room for the kernel's struct mutex. */
static unsigned long mutex[16];

/* As linux/completion.h and linux/swait.h have it; the lock of PREEMPT_RT is as large. */
static struct {
	unsigned int done;
	struct {
		unsigned int lock;
		void *next, *prev;
	} wait __attribute__((aligned(8)));
} completion;

/* As linux/workqueue.h has it. */
static struct {
	unsigned long data;
	void *next, *prev;
	void (*func)(void *work);
} work;

NOINLINE void ftrmod_work(void *unused)
{
	(void)unused;
	complete(&completion);
}

NOTRACE static void wait_hold(void)
{
	mutex_lock(mutex);
}

NOTRACE static void wait_release(void)
{
	mutex_unlock(mutex);
}

NOTRACE static void wait_mutex(void)
{
	mutex_lock(mutex);
	mutex_unlock(mutex);
}

NOTRACE static void wait_completion(void)
{
	wait_for_completion(&completion);
}

NOTRACE static void wait_queue(void)
{
	queue_work_on(0, system_long_wq, &work);
}

#define WRITE(name) \
	NOTRACE static long name##_write(void *file, const char *from, unsigned long size, long long *pos) \
	{ \
		(void)file; \
		(void)from; \
		(void)pos; \
		name(); \
		return size; \
	}
WRITE(wait_hold)
WRITE(wait_release)
WRITE(wait_mutex)
WRITE(wait_completion)
WRITE(wait_queue)

/* As linux/proc_fs.h has it, with room for more. */
struct proc_ops {
	unsigned int flags;
	void *open, *read, *read_iter;
	long (*write)(void *file, const char *from, unsigned long size, long long *pos);
	void *rest[12];
};

static struct {
	const char *name;
	struct proc_ops ops;
	void *entry;
} wait_files[] = {
	{ "ftrmod-hold", { .write = wait_hold_write }, 0 },
	{ "ftrmod-release", { .write = wait_release_write }, 0 },
	{ "ftrmod-mutex", { .write = wait_mutex_write }, 0 },
	{ "ftrmod-completion", { .write = wait_completion_write }, 0 },
	{ "ftrmod-queue", { .write = wait_queue_write }, 0 },
};

NOTRACE static void waits_init(void)
{
	unsigned long i;

	if (mutex_init_generic)
		mutex_init_generic(mutex);
	else if (__mutex_rt_init)
		__mutex_rt_init(mutex, "ftrmod", 0);
	else
		__mutex_init(mutex, "ftrmod", 0);
	__init_swait_queue_head(&completion.wait, "ftrmod", 0);
	/* an empty list, as INIT_LIST_HEAD() */
	work.next = work.prev = &work.next;
	work.func = ftrmod_work;
	for (i = 0; i < sizeof(wait_files) / sizeof(*wait_files); i++)
		wait_files[i].entry = proc_create(wait_files[i].name, 0200, 0, &wait_files[i].ops);
}

NOTRACE int init_module(void)
{
	int i;

	if (waits)
		waits_init();
	for (i = 0; i < 3; i++)
		ftrmod_outer(i);
	__trace_bputs((unsigned long)init_module, str_done);
	return crash ? crash_as_asked() : 0;
}

NOTRACE void cleanup_module(void)
{
	unsigned long i;

	for (i = 0; i < sizeof(wait_files) / sizeof(*wait_files); i++)
		proc_remove(wait_files[i].entry);
}
