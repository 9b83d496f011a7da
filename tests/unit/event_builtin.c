/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of ftrace itself, and trace_printk()'s packed arguments. Records are written by hand after
 * the kernel's structures, expected lines after its format strings; those of blk are lines that
 * Linux 6.12 printed of these bytes.
 */
#include "event/event.h"

#include "format.h"
#include "tap.h"

#define EVENT(name, id, fields) "name: " name "\nID: " #id "\nformat:\n" COMMON fields "\nprint fmt: \"?\"\n"

static const char kallsyms[] =
	"ffffffff81001000 T vfs_read\nffffffff81002000 T ksys_read\nffffffff81003000 T arch_rethook_trampoline\n"
	"ffffffff81003040 T behind\nffffffffc0000000 t nfs_open\t[nfs]\nffffffffc0000040 t nfs_close\t[nfs]\n";
static const char printk[] =
	"0x1000 : \"n=%d s=%s l=%lu f=%ps%%\\n\"\n0x1008 : \"%hhd|%hd|%hu|%d\\n\"\n"
	"0x1010 : \"%*d|%-*s|%.*s|%c|%5c\\n\"\n0x1018 : \"%pM and %pI4 %p\\n\"\n0x1020 : \"%pS %pe %px\\n\"\n"
	"0x1028 : \"%08.3llx|%#x|%+d|% d|%o\\n\"\n0x1030 : \"a\\tb\\n\"\n0x1038 : \"no end %d\"\n"
	"0x1040 : \"%d %y %d\\n\"\n0x1048 : \"%ph %*pbl|%pUb.\\n\"\n0x1050 : \"%ld %zu %lld\\n\"\n";
static const char cmdlines[] = "12 some task\n898 dd\n17 ksoftirqd/0\n";

static struct event_meta meta;
static struct ev_syms *syms;
static struct ev_style style;
static struct buf out;

/* A record on its way in. */
static uint8_t bytes[512];
static uint32_t len;

static void start(uint16_t type, int32_t pid)
{
	memset(bytes, 0, sizeof(bytes));
	bytes[0] = meta.big ? type >> 8 : type;
	bytes[1] = meta.big ? type : type >> 8;
	memcpy(bytes + 4, &pid, 4);
	len = 8;
}

static void num(uint64_t v, unsigned int size)
{
	for (unsigned int i = 0; i < size; i++)
		bytes[len + (meta.big ? size - 1 - i : i)] = v >> 8 * i;
	len += size;
}

static void raw(const void *p, uint32_t n)
{
	memcpy(bytes + len, p, n);
	len += n;
}

static const char *render_at(const char *text, uint64_t ts)
{
	struct ev_engine *e = ev_engine_new(&meta, getenv("FTR_ENGINE"), NULL);
	uint8_t *copy = memcpy(xmalloc(len + !len), bytes, len);
	struct ev_format f;
	struct ev_rec r = { .fmt = text ? &f : NULL, .data = copy, .len = len, .big = meta.big,
			    .long_size = meta.long_size };

	buf_reset(&out);
	buf_addstr(&out, "");
	ev_set_style(e, &style);
	if (text && ev_format_parse(&f, "ftrace", text, strlen(text), NULL))
		buf_addstr(&out, "unparsed");
	else
		ev_render(e, &r, 1, ts, &out);
	ev_engine_free(e);
	if (text)
		ev_format_release(&f);
	free(copy);
	return out.data;
}

static void is(const char *text, uint64_t ts, const char *want, const char *name)
{
	const char *got = render_at(text, ts);

	if (!TAP_OK(!strcmp(got, want), name))
		printf("# got '%s'\n# want '%s'\n", got, want);
}

/* --- functions, stacks */

#define FUNC F("unsigned long ip", 8, 8, 0) F("unsigned long parent_ip", 16, 8, 0)

static void test_function(void)
{
	static const char plain[] = EVENT("function", 1, FUNC);
	static const char args[] = EVENT("function", 1, FUNC F("unsigned long args[]", 24, 0, 0));

	start(1, 12);
	num(0xffffffff81001004, 8);
	num(0xffffffffc0000010, 8);
	is(plain, 0, "vfs_read <-nfs_open", "a function");
	is(args, 0, "vfs_read <-nfs_open", "one that could have arguments");
	style.sym_offset = true;
	is(plain, 0, "vfs_read+0x4/0x1000 <-nfs_open+0x10/0x40 [nfs]", "with offsets");
	style.sym_addr = true;
	is(plain, 0, "vfs_read+0x4/0x1000 <ffffffff81001004> <-nfs_open+0x10/0x40 [nfs] <ffffffffc0000010>",
	   "with offsets and addresses");
	style = (struct ev_style){ .no_parent = true };
	is(plain, 0, "vfs_read", "without its caller");
	style.no_parent = false;
	for (uint64_t i = 1; i <= 6; i++)
		num(i << 32, 8);
	is(args, 0, "vfs_read(0x100000000, 0x200000000, 0x300000000, 0x400000000, 0x500000000, 0x600000000)"
	   " <-nfs_open", "with arguments");
	start(1, 12);
	num(0x1234, 8);
	num(0, 8);
	is(plain, 0, "0x00001234", "an address without a symbol, no caller");
	start(1, 12);
	num(0xffffffff81003000, 8);
	num(0xffffffff81003008, 8);
	is(plain, 0, "[unknown/kretprobe'd] <-arch_rethook_trampoline", "a return that a kretprobe took");
	len = 12;
	TAP_OK(*render_at(plain, 0), "a function, cut");
	TAP_OK(*render_at(args, 0), "a function with arguments, cut");
}

static void test_repeats(void)
{
	static const char text[] = EVENT("func_repeats", 19, FUNC F("u16 count", 24, 2, 0)
					 F("u16 top_delta_ts", 26, 2, 0) F("u32 bottom_delta_ts", 28, 4, 0));

	start(19, 12);
	num(0xffffffff81001000, 8);
	num(0xffffffff81002000, 8);
	num(15, 2);
	num(1, 2);
	num(500, 4);
	is(text, 100000001999 + (1ull << 32), "vfs_read <-ksys_read (repeats: 15, last_ts:   100.000001)",
	   "a function that repeats");
	is(text, 100000002000 + (1ull << 32), "vfs_read <-ksys_read (repeats: 15, last_ts:   100.000002)",
	   "its time is rounded");
}

static void test_stacks(void)
{
	static const char kernel[] = EVENT("kernel_stack", 4, F("int size", 8, 4, 1)
					   F("unsigned long caller[8]", 16, 64, 0));
	static const char user[] = EVENT("user_stack", 12, F("unsigned int tgid", 8, 4, 0)
					 F("unsigned long caller[8]", 16, 64, 0));

	start(4, 12);
	num(3, 8);
	num(0xffffffff81001004, 8);
	num(0x7fffffff, 8);
	num(0xffffffff81002004, 8);
	is(kernel, 0, "<stack trace>\n => vfs_read\n => [FTRACE TRAMPOLINE]\n => ksys_read", "a kernel stack");
	for (int i = 0; i < 9; i++)
		num(0xffffffff81001000, 8);
	num(UINT64_MAX, 8);
	num(0xffffffff81002004, 8);
	is(kernel, 0, "<stack trace>\n => vfs_read\n => [FTRACE TRAMPOLINE]\n => ksys_read\n => vfs_read\n => vfs_read"
	   "\n => vfs_read\n => vfs_read\n => vfs_read\n => vfs_read\n => vfs_read\n => vfs_read\n => vfs_read",
	   "a deep one, ended by ~0");
	start(12, 12);
	num(12, 8);
	num(0x7f0011223344, 8);
	num(0x55, 8);
	num(0, 8);
	num(0x66, 8);
	is(user, 0, "<user stack trace>\n =>  <00007f0011223344>\n =>  <0000000000000055>", "a user stack");
	len = 20;
	is(user, 0, "<user stack trace>", "a user stack, cut");
}

/* --- trace_printk() */

#define BPRINT EVENT("bprint", 6, F("unsigned long ip", 8, 8, 0) F("const char * fmt", 16, 8, 0) \
		     F("u32 buf[]", 24, 0, 0))

static void start_bprint(uint64_t fmt)
{
	start(6, 12);
	num(0xffffffff81001004, 8);
	num(fmt, 8);
}

static void pad(unsigned int align)
{
	while (len % align)
		bytes[len++] = 0;
}

static void test_bprint(void)
{
	start_bprint(0x1000);
	num(-3, 4);
	raw("abcd", 5);
	pad(4);
	num(5000000000, 8);
	num(0xffffffffc0000004, 8);
	is(BPRINT, 0, "vfs_read: n=-3 s=abcd l=5000000000 f=nfs_open [nfs]%", "a number, a string, a long, a symbol");
	len -= 4;
	is(BPRINT, 0, "vfs_read: n=-3 s=abcd l=5000000000 f=0x0 <arguments cut>", "the last one cut");
	style.message = true;
	len += 4;
	is(BPRINT, 0, "n=-3 s=abcd l=5000000000 f=nfs_open [nfs]%", "the message alone");
	style.message = false;
	start_bprint(0x1010);
	num(4, 4);
	num(7, 4);
	num(5, 4);
	raw("ab", 3);
	pad(4);
	num(2, 4);
	raw("wxyz", 5);
	num('!', 1);
	num('?', 1);
	is(BPRINT, 0, "vfs_read:    7|ab   |wx|!|    ?", "widths by '*', characters");
	start_bprint(0x1028);
	num(0xab, 8);
	num(0, 4);
	num(5, 4);
	num(6, 4);
	num(8, 4);
	is(BPRINT, 0, "vfs_read: 000000ab|0x0|+5| 6|10", "flags");
	start_bprint(0x1040);
	num(1, 4);
	num(2, 4);
	is(BPRINT, 0, "vfs_read: 1 ", "a conversion that the kernel does not know ends the text");
	start_bprint(0x9999);
	is(BPRINT, 0, "vfs_read: (no format at 0x9999)", "a format that is not in the file");
}

/* Numbers below an int took their own size until 6.13. */
static void test_narrow(void)
{
	meta.kernel = KERNEL_VERSION_OF(6, 12);
	start_bprint(0x1008);
	num(0xff, 1);
	pad(2);
	num(0xfffe, 2);
	num(0xfffd, 2);
	pad(4);
	num(9, 4);
	is(BPRINT, 0, "vfs_read: -1|-2|65533|9", "narrow numbers, packed by 6.12");
	meta.kernel = KERNEL_VERSION_OF(7, 2);
	start_bprint(0x1008);
	num(0xffffffff, 4);
	num(0xfffffffe, 4);
	num(0xfffd, 4);
	num(9, 4);
	is(BPRINT, 0, "vfs_read: -1|-2|65533|9", "narrow numbers, packed by 7.2");
	meta.kernel = 0;
}

static void test_pointers(void)
{
	start_bprint(0x1018);
	raw("00:11:22:33:44:55", 18);
	raw("10.0.0.1", 9);
	pad(4);
	num(0xffff888012345678, 8);
	is(BPRINT, 0, "vfs_read: 00:11:22:33:44:55 and 10.0.0.1 ffff888012345678", "pointers that were made text");
	start_bprint(0x1020);
	num(0xffffffff81001010, 8);
	num(-22, 8);
	num(1, 8);
	is(BPRINT, 0, "vfs_read: vfs_read+0x10/0x1000 -EINVAL 0000000000000001", "pointers that are values");
	start_bprint(0x1048);
	raw("c0", 3);
	pad(4);
	num(8, 4);
	raw("0-3", 4);
	raw("00010203-0405-0607-0809-0a0b0c0d0e0f", 37);
	is(BPRINT, 0, "vfs_read: c0 0-3|00010203-0405-0607-0809-0a0b0c0d0e0f.", "bytes, a bitmap, a UUID");
}

static void test_bprint32(void)
{
	static const char text[] = EVENT("bprint", 6, F("unsigned long ip", 8, 4, 0) F("const char * fmt", 12, 4, 0)
					 F("u32 buf[]", 16, 0, 0));

	for (int big = 0; big < 2; big++) {
		meta.long_size = 4;
		meta.big = big;
		start(6, 12);
		num(0, 4);
		num(0x1050, 4);
		num(-5, 4);
		num(7, 4);
		num(-6, 8);
		is(text, 0, "0: -5 7 -6", big ? "32 bits, big-endian" : "32 bits, little-endian");
	}
	meta.big = false;
	meta.long_size = 8;
}

static void test_prints(void)
{
	static const char print[] = EVENT("print", 5, F("unsigned long ip", 8, 8, 0) F("char buf[]", 16, 0, 0));
	static const char bputs[] = EVENT("bputs", 14, F("unsigned long ip", 8, 8, 0) F("const char * str", 16, 8, 0));
	static const char data[] = EVENT("raw_data", 18, F("unsigned int id", 8, 4, 0) F("char buf[]", 12, 0, 0));

	start(5, 12);
	num(0xffffffff81002004, 8);
	raw("mark\x1b[1m two\nlines\n\0junk", 24);
	is(print, 0, "ksys_read: mark\\x1b[1m two\\x0alines", "a marker");
	start(14, 12);
	num(0, 8);
	num(0x1030, 8);
	is(bputs, 0, "0: a\tb", "trace_puts()");
	start(18, 12);
	num(0x1f, 4);
	raw("\x01\xff\0", 4);
	is(data, 0, "# 1f buf: 01 ff 00 00", "trace_marker_raw");
}

/* --- tracers */

static void test_latency(void)
{
	static const char hwlat[] = EVENT("hwlat", 15, F("u64 duration", 8, 8, 0) F("u64 outer_duration", 16, 8, 0)
		F("u64 nmi_total_ts", 24, 8, 0) F("s64 tv_sec", 32, 8, 1) F("long tv_nsec", 40, 8, 1)
		F("unsigned int nmi_count", 48, 4, 0) F("unsigned int seqnum", 52, 4, 0) F("unsigned int count", 56, 4, 0));
	static const char osnoise[] = EVENT("osnoise", 16, F("u64 noise", 8, 8, 0) F("u64 runtime", 16, 8, 0)
		F("u64 max_sample", 24, 8, 0) F("unsigned int hw_count", 32, 4, 0) F("unsigned int nmi_count", 36, 4, 0)
		F("unsigned int irq_count", 40, 4, 0) F("unsigned int softirq_count", 44, 4, 0)
		F("unsigned int thread_count", 48, 4, 0));
	static const char timerlat[] = EVENT("timerlat", 17, F("unsigned int seqnum", 8, 4, 0)
		F("int context", 12, 4, 1) F("u64 timer_latency", 16, 8, 0));

	start(15, 12);
	num(11, 8);
	num(12, 8);
	num(0, 8);
	num(1499801089, 8);
	num(66, 8);
	num(0, 4);
	num(1, 4);
	num(3, 4);
	is(hwlat, 0, "#1     inner/outer(us):   11/12    ts:1499801089.000000066 count:3", "hwlat");
	start(15, 12);
	num(14, 8);
	num(0, 8);
	num(500, 8);
	num(1499801089, 8);
	num(120000000, 8);
	num(2, 4);
	num(31, 4);
	num(9, 4);
	is(hwlat, 0, "#31    inner/outer(us):   14/0     ts:1499801089.120000000 count:9 nmi-total:500 nmi-count:2",
	   "hwlat with NMIs");
	start(16, 12);
	num(190, 8);
	num(1000000, 8);
	num(9, 8);
	num(18, 4);
	num(0, 4);
	num(1007, 4);
	num(18, 4);
	num(1, 4);
	is(osnoise, 0, "1000000        190  99.98100       9     18      0   1007     18      1", "osnoise");
	memset(bytes + 16, 0, 8);
	is(osnoise, 0, "0        190   0.00000       9     18      0   1007     18      1", "osnoise of no time");
	start(17, 12);
	num(1, 4);
	num(0, 4);
	num(932, 8);
	is(timerlat, 0, "#1     context    irq timer_latency       932 ns", "timerlat");
	bytes[12] = 2;
	is(timerlat, 0, "#1     context user-ret timer_latency       932 ns", "timerlat, on the way to user space");
	bytes[12] = 200;
	is(timerlat, 0, "#1     context      ? timer_latency       932 ns", "timerlat, a context that is none");
}

static void test_wakeup(void)
{
#define CTX F("unsigned int prev_pid", 8, 4, 0) F("unsigned int next_pid", 12, 4, 0) \
	    F("unsigned int next_cpu", 16, 4, 0) F("unsigned char prev_prio", 20, 1, 0) \
	    F("unsigned char prev_state", 21, 1, 0) F("unsigned char next_prio", 22, 1, 0) \
	    F("unsigned char next_state", 23, 1, 0)
	start(2, 12);
	num(1234, 4);
	num(12, 4);
	num(1, 4);
	num(120, 1);
	num(1, 1);
	num(98, 1);
	num(0, 1);
	is(EVENT("context_switch", 2, CTX), 0, "    1234:120:S ==> [001]      12: 98:R some task", "a switch");
	is(EVENT("wakeup", 3, CTX), 0, "    1234:120:S   + [001]      12: 98:R some task", "a wakeup");
	bytes[21] = 77;
	bytes[12] = 0;
	is(EVENT("wakeup", 3, CTX), 0, "    1234:120:?   + [001]       0: 98:R <idle>", "a state that is none");
}

static void test_branch(void)
{
	start(9, 12);
	num(77, 4);
	raw("do_it\0\0\0\0\0", 10);
	raw("file.c\0\0\0\0", 10);
	num(1, 1);
	num(0, 1);
	is(EVENT("branch", 9, F("unsigned int line", 8, 4, 0) F("char func[10]", 12, 10, 0) F("char file[10]", 22, 10, 0)
		 F("char correct", 32, 1, 0) F("char constant", 33, 1, 0)), 0, "[  ok  ] do_it:file.c:77", "a branch");
}

static void test_mmio(void)
{
	static const char rw[] = EVENT("mmiotrace_rw", 7, F("resource_size_t phys", 8, 8, 0)
		F("unsigned long value", 16, 8, 0) F("unsigned long pc", 24, 8, 0) F("int map_id", 32, 4, 1)
		F("unsigned char opcode", 36, 1, 0) F("unsigned char width", 37, 1, 0));
	static const char map[] = EVENT("mmiotrace_map", 8, F("resource_size_t phys", 8, 8, 0)
		F("unsigned long virt", 16, 8, 0) F("unsigned long len", 24, 8, 0) F("int map_id", 32, 4, 1)
		F("unsigned char opcode", 36, 1, 0));

	start(7, 12);
	num(0xfebc0000, 8);
	num(0xa1b2c3, 8);
	num(0xffffffffc0000010, 8);
	num(1, 4);
	num(1, 1);
	num(4, 1);
	is(rw, 12345678500, "R 4 12.345679 1 0xfebc0000 0xa1b2c3 0xffffffffc0000010 0", "mmiotrace, a read");
	bytes[36] = 2;
	is(rw, 12345678499, "W 4 12.345678 1 0xfebc0000 0xa1b2c3 0xffffffffc0000010 0", "mmiotrace, a write");
	bytes[36] = 5;
	is(rw, 12345678499, "UNKNOWN 12.345678 1 0xfebc0000 a1,b2,c3 0xffffffffc0000010 0", "mmiotrace, unknown");
	bytes[36] = 9;
	is(rw, 0, "rw what?", "mmiotrace, nonsense");
	start(8, 12);
	num(0xfebc0000, 8);
	num(0xffffc90000010000, 8);
	num(0x1000, 8);
	num(2, 4);
	num(3, 1);
	is(map, 1000000, "MAP 0.001000 2 0xfebc0000 0xffffc90000010000 0x1000 0x0 0", "mmiotrace, a mapping");
	bytes[36] = 4;
	is(map, 1000000, "UNMAP 0.001000 2 0x0 0", "mmiotrace, its end");
}

/* --- blk */

static void blk(const char *hex)
{
	unsigned int v;

	start(13, 0);
	for (len = 0; sscanf(hex, "%2x", &v) == 1; hex += 2)
		bytes[len++] = v;
}

static void test_blk(void)
{
	const char *queue = "0d0001018203000008be090000c9ffff900d000000000000000400000100111082030000000070000100000000000000";

	blk(queue);
	is(NULL, 307377865000, "  7,0    Q  RM 3472 + 2 [dd]", "blk: a bio is queued");
	style.verbose = true;
	is(NULL, 307377865000, "  7,0   queue  RM 3472 + 2 [dd]", "the same, verbose");
	style = (struct ev_style){ .blk_classic = true };
	is(NULL, 320993285772, "  7,0    1   320.993285772   898  Q  RM 3472 + 2 [dd]", "the same, classic");
	style.blk_classic = false;
	blk("0d000101820300007263755f707265650000000000000000000000000900110082030000000070000100000000000000");
	is(NULL, 0, "  7,0    P   N [dd]", "blk: plugged");
	blk("0d000101820300009a003401710300000000000000000000000000000a001100820300000000700001000000000008000000000000000001");
	is(NULL, 0, "  7,0    U   N [dd] 1", "blk: unplugged");
	/* by hand from here: a completion with an error, a remap, a message with a cgroup, the form of 7.0 */
	blk("0d000101820300000000000000000000900d0000000000000000000008008100820300000300800001000000fbff0000");
	is(NULL, 0, "  8,3    C   N 3472 [65531]", "blk: completed with an error");
	start(13, 898);
	num(0, 8);
	num(1000, 8);
	num(4096, 4);
	num(15 | 1 << 20 | 1 << 17, 4);
	num(898, 4);
	num(8 << 20 | 1, 4);
	num(0, 4);
	num(0, 2);
	num(16, 2);
	raw("\x00\xd0\x00\x02\x00\x80\x00\x01\x00\x00\x00\x00\x00\x00\x03\xe9", 16);
	is(NULL, 0, "  8,1    A   W 1000 + 8 <- (13,2) 1001", "blk: remapped");
	start(13, 898);
	num(0, 8);
	num(0, 8);
	num(0, 4);
	num(1 << 26 | 0x102, 4);
	num(898, 4);
	num(7 << 20, 4);
	num(0, 4);
	num(0, 2);
	num(8 + 7, 2);
	num(0x12345678abcdefull, 8);
	raw("hi \x1b[0m", 7);
	is(NULL, 0, "  7,0   78abcdef,123456  m   N hi \\x1b[0m", "blk: a message");
	start(13, 898);
	num(0, 8);
	num(2048, 8);
	num(8192, 4);
	num(898, 4);
	num(7ull | 1ull << 22 | 1ull << 38, 8);
	num(259 << 20 | 12, 4);
	num(3, 4);
	num(0, 2);
	num(0, 2);
	len += 12;
	is(NULL, 0, "259,12   D  WZ 2048 + 16 [dd]", "blk: the form of 7.0, zeroes are written");
	len = 40;
	is(NULL, 0, "[unknown event]", "blk, cut");
	start(99, 898);
	len = 48;
	is(NULL, 0, "[unknown event]", "another type without a format");
}

/* No record, whatever it holds, is read beyond its end: each kind with noise, of each length. */
static void test_noise(void)
{
	static const char *const texts[] = {
		BPRINT, EVENT("kernel_stack", 4, F("int size", 8, 4, 1) F("unsigned long caller[8]", 16, 64, 0)),
		EVENT("print", 5, F("unsigned long ip", 8, 8, 0) F("char buf[]", 16, 0, 0)), NULL,
	};
	uint32_t seed = 1, n = 0;

	for (unsigned int k = 0; k < 4; k++) {
		for (uint32_t size = 8; size < 120; size++) {
			start(13, 1);
			for (len = 8; len < size; len++)
				bytes[len] = (seed = seed * 1664525 + 1013904223) >> 24;
			if (k == 0 && size >= 24)
				memcpy(bytes + 16, &(uint64_t){ 0x1000 + 8 * (size % 11) }, 8);
			n += strlen(render_at(texts[k], 0)) > 0;
		}
	}
	TAP_EQ(n, 4 * 112, "noise of each length is rendered as something");
}

int main(void)
{
	struct ev_format bputs;
	const char *text = EVENT("bputs", 14, F("unsigned long ip", 8, 8, 0) F("const char * str", 16, 8, 0));

	syms = ev_syms_new(kallsyms, sizeof(kallsyms) - 1);
	if (ev_format_parse(&bputs, "ftrace", text, strlen(text), NULL))
		return 1;
	meta = (struct event_meta){
		.long_size = 8, .page_size = 4096, .syms = syms, .printk = printk,
		.printk_len = sizeof(printk) - 1, .cmdlines = cmdlines, .cmdlines_len = sizeof(cmdlines) - 1,
		.formats = &bputs, .nr_formats = 1,
	};
	test_function();
	test_repeats();
	test_stacks();
	test_bprint();
	test_narrow();
	test_pointers();
	test_bprint32();
	test_prints();
	test_latency();
	test_wakeup();
	test_branch();
	test_mmio();
	test_blk();
	test_noise();
	ev_format_release(&bputs);
	ev_syms_free(syms);
	buf_release(&out);
	return tap_done();
}
