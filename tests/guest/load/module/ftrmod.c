/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small kernel module for tests: calls to trace, and trace_printk of both kinds. It is built without
 * kernel headers (mkmodule supplies what depends on the kernel), hence the declarations by hand.
 */
int __trace_bprintk(unsigned long ip, const char *fmt, ...);
int __trace_bputs(unsigned long ip, const char *str);

#define NOINLINE	__attribute__((noinline, noclone, used))
#define NOTRACE		__attribute__((no_instrument_function))
/*
 * As linux/trace_printk.h has it: the kernel copies the strings of this section when the module loads, and
 * puts the address of the copy into the pointer.
 */
#define TRACE_FMT	__attribute__((section("__trace_printk_fmt"), used))

static const char *volatile fmt_outer TRACE_FMT = "ftrmod_outer: n=%d name=%s big=%llx\n";
static const char *volatile str_done TRACE_FMT = "ftrmod done\n";

int ftrmod_leaf(int n);
int ftrmod_middle(int n);
int ftrmod_outer(int n);
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

NOTRACE int init_module(void)
{
	int i;

	for (i = 0; i < 3; i++)
		ftrmod_outer(i);
	__trace_bputs((unsigned long)init_module, str_done);
	return 0;
}

NOTRACE void cleanup_module(void)
{
}
