/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What print fmts name of the recorded kernel: ticks, addresses, arrays of strings, odd layouts. */
#include "event/data/kernel_values.h"
#include "event/event.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "tap.h"

#define HEAD(name, id) "name: " name "\nID: " #id "\nformat:\n" COMMON
#define WRITEBACK(hz) HEAD("writeback_single_inode", 301) F("unsigned long dirtied_when", 8, 8, 0) \
	"\nprint fmt: \"age=%lu\", (jiffies - REC->dirtied_when) / " hz "\n"

static struct event_meta meta;
static struct buf out;

/* The text of a record with 8 bytes of common fields and @data behind them; @other may be NULL. */
static void text(const char *other, const char *format, const void *data, uint32_t len, const char *want)
{
	struct ev_format v[2] = { 0 };
	struct ftr_error err = { 0 };
	struct event_meta w = meta;
	struct ev_engine *e;
	uint8_t *copy = xcalloc(1, 8 + len);
	struct ev_rec r = { .fmt = &v[0], .data = copy, .len = 8 + len, .long_size = w.long_size };

	memcpy(copy + 8, data, len);
	if (ev_format_parse(&v[0], "test", format, strlen(format), &err) ||
	    (other && ev_format_parse(&v[1], "writeback", other, strlen(other), &err)))
		printf("# format: %s\n", err.msg);
	w.formats = v;
	w.nr_formats = other ? 2 : 1;
	e = ev_engine_new(&w, NULL, NULL);
	buf_reset(&out);
	ev_render(e, &r, 0, 1234, &out);
	if (!TAP_OK(!strcmp(out.data, want), want))
		printf("# got  '%s'\n", out.data);
	free(copy);
	ev_engine_free(e);
	ev_format_release(&v[0]);
	ev_format_release(&v[1]);
}

/* --- ticks: kernel/time/time.c, and HZ from the print fmt of writeback_single_inode */

static void msecs(const char *other, uint64_t j, const char *want)
{
	static const char stats[] = HEAD("jbd2_run_stats", 300) F("unsigned long wait", 8, 8, 0)
		"\nprint fmt: \"wait %u\", jiffies_to_msecs(REC->wait)\n";

	text(other, stats, &j, sizeof(j), want);
}

static void test_hz(void)
{
	msecs(WRITEBACK("250"), 25, "wait 100");
	msecs(WRITEBACK("1000"), 25, "wait 25");
	msecs(WRITEBACK("100"), 25, "wait 250");
	/* 10 thirds and 125 / 128 of a millisecond, rounded up */
	msecs(WRITEBACK("300"), 3, "wait 10");
	msecs(WRITEBACK("300"), 1, "wait 4");
	msecs(WRITEBACK("1024"), 1024, "wait 1000");
	msecs(WRITEBACK("1024"), 1, "wait 1");
	msecs(WRITEBACK("2000"), 3, "wait 2");
	/* an unsigned int is returned */
	msecs(WRITEBACK("250"), 0x100000001, "wait 4");
	msecs(WRITEBACK("HZ"), 25, "wait jiffies_to_msecs(0x19)");
	msecs(NULL, 25, "wait jiffies_to_msecs(0x19)");
	meta.long_size = 4;
	msecs(WRITEBACK("300"), 25, "wait jiffies_to_msecs(0x19)");
	msecs(WRITEBACK("250"), 25, "wait 100");
	meta.long_size = 8;
}

/* --- struct page by its number: x86 and arm64 (5.10, 39 bits of addresses) */

#define PAGE(expr) HEAD("mm_page_free", 300) F("unsigned long pfn", 8, 8, 0) \
	"\nprint fmt: \"page=%p pfn=0x%lx\", " expr ", REC->pfn\n"
#define X86_PAGE PAGE("(((struct page *)vmemmap_base) + (REC->pfn))")
#define ARM_PAGE PAGE("(((struct page *)(-(((-((((1UL))) << ((((39))) - 1))) - ((-((((1UL))) << ((39)))))) >> (12 - ((" \
	"__builtin_constant_p(sizeof(struct page)) ? ( ((sizeof(struct page)) == 0 || (sizeof(struct page)) == 1) ? 0 : " \
	"1) : __order_base_2(sizeof(struct page)) )))) - 0x00200000) - (memstart_addr >> 12)) + (REC->pfn))")

static void values(const char *v)
{
	meta.values = v;
	meta.values_len = strlen(v);
}

static void test_page(void)
{
	uint64_t pfn = 0x1234;

	text(NULL, X86_PAGE, &pfn, 8, "page=vmemmap_base pfn=0x1234");
	values("vmemmap_base=0xffffea0000000000;sizeof(struct page)=64");
	text(NULL, X86_PAGE, &pfn, 8, "page=ffffea0000048d00 pfn=0x1234");
	values("sizeof(struct page)=80;vmemmap_base=0xffffea0000000000");
	text(NULL, X86_PAGE, &pfn, 8, "page=ffffea000005b040 pfn=0x1234");
	values("vmemmap_base=0xffffea0000000000");
	text(NULL, X86_PAGE, &pfn, 8, "page=sizeof(0x1234) pfn=0x1234");
	values(";=;vmemmap_base;vmemmap_base=;vmemmap_bases=1;sizeof(struct page)=64;"
	       "vmemmap_base=123456789012345678901234567890");
	text(NULL, X86_PAGE, &pfn, 8, "page=vmemmap_base(0x1234) pfn=0x1234");
	values("sizeof(struct page)=64;memstart_addr=0x80000000");
	pfn = 0x80123;
	text(NULL, ARM_PAGE, &pfn, 8, "page=fffffffeffe048c0 pfn=0x80123");
	values("sizeof(struct page)=64");
	text(NULL, ARM_PAGE, &pfn, 8, "page=memstart_addr(0x80123) pfn=0x80123");
	values("");
}

/* --- its number by its place: arm64 before 4.5 */

#define PFN HEAD("mm_page_free", 300) F("struct page * page", 8, 8, 0) \
	"\nprint fmt: \"pfn=%lu\", ((unsigned long)((REC->page) - ((struct page *)0xffffffbc00000000UL)))\n"

static void test_pfn(void)
{
	uint64_t page = 0xffffffbc00000000 + 0x1234 * 64;

	text(NULL, PFN, &page, 8, "pfn=sizeof(0x48d00)");
	values("sizeof(struct page)=64");
	text(NULL, PFN, &page, 8, "pfn=4660");
	values("");
}

/* --- constants of headers, some of one system alone */

static void test_constants(void)
{
	static const struct { const char *system, *name; uint32_t kernel; int64_t want; } rows[] = {
		{ "writeback", "WB_REASON_FORKER_THREAD", KERNEL_VERSION_OF(3, 4), 7 },
		{ "writeback", "WB_REASON_FORKER_THREAD", KERNEL_VERSION_OF(5, 10), -1 },
		{ "writeback", "WB_REASON_SYNC", 0, -1 },
		{ "migrate", "MIGRATE_SYNC", 0, 2 },
		{ "migrate", "MR_CMA", KERNEL_VERSION_OF(3, 10), 6 },
		{ "migrate", "MR_CMA", KERNEL_VERSION_OF(3, 7), -1 },
		{ "sched", "CPU_NEWLY_IDLE", KERNEL_VERSION_OF(3, 10), 2 },
		{ "f2fs", "META_FLUSH", 0, 4 }, { "other", "META_FLUSH", 0, -1 },
		{ "f2fs", "NO_CHECK_TYPE", KERNEL_VERSION_OF(3, 10), 6 },
		{ "f2fs", "NO_CHECK_TYPE", KERNEL_VERSION_OF(5, 10), -1 },
		{ "f2fs", "DATA", 0, 0 }, { "f2fs", "DAT", 0, -1 },
	};
	int64_t v;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		v = -1;
		kenum_find(rows[i].system, rows[i].name, strlen(rows[i].name), rows[i].kernel, &v);
		TAP_EQ(v, rows[i].want, rows[i].name);
	}
}

/* --- arrays of strings: binder of 5.10 */

#define BINDER(array) HEAD("binder_command", 300) F("uint32_t cmd", 8, 4, 0) "\nprint fmt: \"cmd=0x%x %s\", REC->cmd, " \
	"(((REC->cmd) >> 0) & ((1 << 8)-1)) < (sizeof(" array ") / sizeof((" array ")[0]) + ((int)(sizeof(struct { " \
	"int:(-!!(__builtin_types_compatible_p(typeof((" array ")), typeof(&(" array ")[0])))); })))) ? " array \
	"[(((REC->cmd) >> 0) & ((1 << 8)-1))] : \"unknown\"\n"

static void binder(const char *format, uint32_t cmd, const char *want)
{
	text(NULL, format, &cmd, sizeof(cmd), want);
}

static void test_words(void)
{
	binder(BINDER("binder_command_strings"), 0x40086303, "cmd=0x40086303 BC_FREE_BUFFER");
	binder(BINDER("binder_command_strings"), 0x40486312, "cmd=0x40486312 BC_REPLY_SG");
	binder(BINDER("binder_command_strings"), 0x63ff, "cmd=0x63ff unknown");
	binder(BINDER("binder_return_strings"), 0x720c, "cmd=0x720c BR_NOOP");
	binder(BINDER("binder_return_strings"), 0x7216, "cmd=0x7216 BR_CLEAR_FREEZE_NOTIFICATION_DONE");
	binder(BINDER("binder_return_strings"), 0x7217, "cmd=0x7217 unknown");
	binder(HEAD("x", 300) F("u32 cmd", 8, 4, 0) "\nprint fmt: \"%s\", task_event_names[REC->cmd]\n", 3,
	       "TASK_MIGRATE");
	/* no branch is taken of what depends on something unknown */
	binder(BINDER("nobodys_strings"), 1, "cmd=0x1 sizeof");
	binder(HEAD("x", 300) F("u32 cmd", 8, 4, 0) "\nprint fmt: \"%s\", __print_symbolic(REC->cmd + jiffies, { 1, "
	       "\"one\" })\n", 1, "jiffies");
	binder(HEAD("x", 300) F("u32 cmd", 8, 4, 0) "\nprint fmt: \"%s\", __print_flags(REC->cmd | jiffies, \"|\", { 1, "
	       "\"one\" })\n", 1, "jiffies");
}

/* --- fields that are larger than their format says: f2fs of 5.10, and of kernels before 5.6 */

#define NODES(depth, err) HEAD("f2fs_truncate_partial_nodes", 300) F("nid_t nid[3]", 8, 4, 0) F("int depth", depth, 4, 1) \
	F("int err", err, 4, 1) "\nprint fmt: \"nid[0] = %u, nid[1] = %u, nid[2] = %u, depth = %d, err = %d\", " \
	"(unsigned int)REC->nid[0], (unsigned int)REC->nid[1], (unsigned int)REC->nid[2], REC->depth, REC->err\n"

static void test_layout(void)
{
	static const int32_t d[] = { 11, 12, 13, 4, -5 };
	static const char flags[] = HEAD("map", 300) F("unsigned int mflags", 8, 4, 0) "\nprint fmt: \"%s\", "
		"__print_flags(REC->mflags, \"\", { (1 << BH_Mapped), \"M\" }, { (1 << BH_Zipped), \"Z\" })\n";

	text(NULL, HEAD("rcu_torture_read", 300) F("char rcutorturename[8]", 8, 1, 0) F("unsigned long secs", 16, 8, 0)
	     "\nprint fmt: \"%s torture read %lus\", REC->rcutorturename, REC->secs\n", "rcu\0xyz\0\5\0\0\0\0\0\0", 16,
	     "rcu torture read 5s");
	text(NULL, NODES(12, 16), d, sizeof(d), "nid[0] = 11, nid[1] = 12, nid[2] = 13, depth = 4, err = -5");
	text(NULL, NODES(20, 24), d, sizeof(d), "nid[0] = 11, nid[1] = 12, nid[2] = 13, depth = 4, err = -5");
	meta.kernel = KERNEL_VERSION_OF(5, 10);
	text(NULL, flags, (uint32_t[]){ 0x10010 }, 4, "MZ");
	meta.kernel = 0;
	text(NULL, flags, (uint32_t[]){ 0x10010 }, 4, "M0x10000");
}

int main(void)
{
	meta = (struct event_meta){ .long_size = 8, .page_size = 4096 };
	test_hz();
	test_page();
	test_pfn();
	test_constants();
	test_words();
	test_layout();
	buf_release(&out);
	return tap_done();
}
