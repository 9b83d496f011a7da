/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of tasks, symbols of modules that come and go, formats: from hand-written texts and sub-buffers. */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "record/capture/capture_comms.h"
#include "record/capture/capture_formats.h"
#include "record/capture/data_walk.h"
#include "record/file/dat_formats.h"
#include "record/symbols/symbol_texts.h"
#include "tap.h"

static bool named(const struct task_comms *c, int pid, const char *name)
{
	const char *is = comms_get(c, pid);

	if (!is || !name)
		return is == name;
	return !strcmp(is, name);
}

static void test_comms(void)
{
	struct task_comms c = {0};
	struct buf text = {0};

	comms_set(&c, 7, COMM_PROC_START, 0, "old", 3);
	comms_set(&c, 7, COMM_EVENT, 200, "later", 5);
	comms_set(&c, 7, COMM_EVENT, 100, "earlier", 7);
	comms_set(&c, 7, COMM_CAPTURED, 0, "told", 4);
	TAP_OK(named(&c, 7, "later"), "comms: the latest event wins, in whatever order the CPUs are walked");
	comms_set(&c, 8, COMM_EVENT_WEAK, 900, "bash", 4);
	comms_add_saved(&c, "8 ls\n9 <...>\n12 two words\nnonsense\n13\n-4 x\n99999999999 y\n");
	TAP_OK(named(&c, 8, "ls"), "comms: saved_cmdlines knows better than a wake-up before exec");
	TAP_OK(named(&c, 9, NULL), "comms: <...> is no name");
	TAP_OK(named(&c, 12, "two words"), "comms: blanks belong to a name");
	comms_set(&c, 12, COMM_EVENT, 1, "abc\0def", 7);
	TAP_OK(named(&c, 12, "abc"), "comms: cut at the NUL");
	comms_set(&c, 5, COMM_EVENT, 1, "a\nb", 3);
	TAP_OK(named(&c, 5, "a b"), "comms: a newline cannot forge an entry");
	comms_set(&c, 0, COMM_EVENT, 1, "swapper/1", 9);
	comms_text(&c, &text);
	TAP_OK(!strcmp(text.data, "0 <idle>\n5 a b\n7 later\n8 ls\n12 abc\n"), "comms: each pid once, in order");
	comms_add_proc(&c, COMM_PROC_END);
	TAP_OK(named(&c, getpid(), "meta_names"), "comms: live tasks from /proc");
	buf_release(&text);
	comms_release(&c);
}

/* A thread, which /proc does not list, is asked by its number; names change. */
static void *name_thread(void *arg)
{
	struct task_comms *c = arg;

	prctl(PR_SET_NAME, "one");
	comms_add_task(c, COMM_PROC_END, gettid());
	TAP_OK(named(c, gettid(), "one"), "comms: the name of a thread");
	prctl(PR_SET_NAME, "two");
	comms_add_task(c, COMM_PROC_END, gettid());
	TAP_OK(named(c, gettid(), "two"), "comms: asked again, the later name");
	comms_set(c, gettid(), COMM_EVENT, 1, "event", 5);
	comms_add_task(c, COMM_PROC_END, gettid());
	TAP_OK(named(c, gettid(), "event"), "comms: not where an event has told");
	return NULL;
}

static void test_living(void)
{
	struct task_comms c = {0};
	pthread_t thread;

	pthread_create(&thread, NULL, name_thread, &c);
	pthread_join(thread, NULL);
	comms_add_task(&c, COMM_PROC_END, INT32_MAX);
	TAP_OK(named(&c, INT32_MAX, NULL), "comms: nobody's number");
	comms_release(&c);
}

static void give(struct kallsyms_history *s, const char *text)
{
	struct buf b = {0};

	buf_addstr(&b, text);
	symbols_update(s, &b);
	buf_release(&b);
}

static void test_symbols(void)
{
	static const char *const core = "0000000000000000 A fixed_percpu_data\nffffffff81000000 T _text\n";
	struct kallsyms_history s = {0};
	struct buf out = {0};
	char *one, *two, *three;

	one = xasprintf("%sffffffffc0001000 t a\t[nfs]\nffffffffc0001010 t b\t[nfs]\n", core);
	two = xasprintf("%sffffffffc0005000 t x\t[tun]\n", core);
	three = xasprintf("%sffffffffc0001000 t a\t[nfs]\nffffffffc0007010 t b\t[nfs]\n", core);
	give(&s, one);
	give(&s, two);
	history_text(&s.h, &out);
	TAP_OK(strstr(out.data, two) == out.data && strstr(out.data, " a\t[nfs]\n") && strstr(out.data, " b\t[nfs]\n"),
	       "symbols: those of a module that went are kept behind the last reading");
	TAP_OK(!strstr(strstr(out.data, "_text") + 1, "_text"), "symbols: those of the kernel are there once");
	give(&s, three);
	buf_reset(&out);
	history_text(&s.h, &out);
	TAP_OK(strstr(out.data, three) == out.data && strstr(out.data + strlen(three), "ffffffffc0001010 t b\t[nfs]\n") &&
	       !strstr(out.data + strlen(three), "ffffffffc0001000") && strstr(out.data, "[tun]"),
	       "symbols: a module back elsewhere has both addresses, what is equal once");
	give(&s, "0000000000000000 A fixed_percpu_data\n0000000000000000 T _text\n");
	TAP_OK(s.hidden, "symbols: addresses that are all 0 are hidden ones");
	buf_reset(&out);
	history_text(&s.h, &out);
	TAP_OK(strstr(out.data, three) == out.data, "symbols: and do not replace a better reading");
	history_release(&s.h);
	buf_release(&out);
	free(one);
	free(two);
	free(three);
}

static void test_order(void)
{
	struct buf text = {0};

	buf_addstr(&text, "0000000000000000 A percpu\nffffffff81000000 T _text\nffffffff81000000 T also_text\n"
			  "ffffffffc0005000 t x\t[tun]\nffffffffc0001000 t a\t[nfs]\nffffffff82000000 t bpf\t[bpf]\n");
	symbols_sort(&text);
	TAP_OK(!strcmp(text.data, "0000000000000000 A percpu\nffffffff81000000 T _text\nffffffff81000000 T also_text\n"
				  "ffffffff82000000 t bpf\t[bpf]\nffffffffc0001000 t a\t[nfs]\nffffffffc0005000 t x\t[tun]\n"),
	       "symbols: sorted by address, in their order where that is equal");
	buf_reset(&text);
	symbols_sort(&text);
	TAP_OK(!text.len, "symbols: none to sort");
	buf_release(&text);
}

/* Sorted lines of the kernel, then those of modules from @low on; half of the runs are in one piece. */
static void make_symbols(struct buf *out, unsigned int n, uint64_t low, bool above)
{
	uint64_t kernel = 0xffffffff81000000;
	unsigned int i;

	buf_reset(out);
	for (i = 0; i < n; i++, kernel += rand() % 3 * 16)
		buf_printf(out, "%016" PRIx64 " T core_%u\n", kernel, i);
	for (i = 0; i < n / 4; i++)
		buf_printf(out, "%016" PRIx64 " t mod_%u\t[m]\n", above ? kernel + 16 + rand() % 4096 : low + rand() % 4096, i);
}

static int line_order(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;
	int by = strncmp(*x, *y, 16);

	return by ? by : (*x > *y) - (*x < *y);
}

/* The order by the texts, as the numbers are of one length. */
static char *sorted_by_text(const struct buf *text)
{
	char *copy = xstrdup(text->data), *at, *nl;
	const char **v = xcalloc(text->len + 1, sizeof(*v));
	struct buf out = {0};
	size_t n = 0, i;

	for (at = copy; *at; at = nl + 1) {
		nl = strchr(at, '\n');
		v[n++] = at;
	}
	qsort(v, n, sizeof(*v), line_order);
	for (i = 0; i < n; i++)
		buf_add(&out, v[i], strchr(v[i], '\n') + 1 - v[i]);
	buf_add(&out, "", 0);
	free(v);
	free(copy);
	return buf_take(&out);
}

static void test_many_orders(void)
{
	static const uint64_t lows[] = { 0xffff800000000000, 0xffffffff81000000, 0xffffffff81000400, 0xffffffffc0000000 };
	struct buf text = {0};
	unsigned int i, wrong = 0;
	char *want;

	srand(1);
	for (i = 0; i < 400; i++) {
		make_symbols(&text, i % 100, lows[i % 4], i % 5 == 0);
		buf_add(&text, "", 0);
		want = sorted_by_text(&text);
		symbols_sort(&text);
		wrong += strcmp(text.data, want) != 0;
		free(want);
	}
	TAP_OK(!wrong, "symbols: modules above, below and amid the kernel are sorted as by their texts");
	buf_reset(&text);
	buf_addstr(&text, "ffffffff81000000 T b\nffffffff80000000 T a\nffffffff82000000 T half");
	symbols_sort(&text);
	TAP_OK(!strcmp(text.data, "ffffffff80000000 T a\nffffffff81000000 T b\n"), "symbols: half a line is none");
	buf_release(&text);
}

/* As nobody's kernel has them, but a file may: a search for the ends of lines must not begin anew for each stray. */
static void test_long_line(void)
{
	enum { LONG = 8 << 20, MANY = 100000 };
	struct buf text = {0};
	clock_t begin = clock();
	const char *last;
	char *x;
	int i;

	x = xcalloc(1, LONG + 1);
	memset(x, 'x', LONG);
	buf_printf(&text, "0000000000000001 T %s\nffffffffffffffff T end\n", x);
	for (i = MANY; i; i--)
		buf_printf(&text, "%016x t s\n", i + 1);
	symbols_sort(&text);
	last = text.data + text.len - strlen("ffffffffffffffff T end\n");
	TAP_OK(!strcmp(last, "ffffffffffffffff T end\n") && !strncmp(last - 21, "00000000000186a1 t s\n", 21) &&
	       text.data[15] == '1', "symbols: many strays behind a long line");
	TAP_OK(clock() - begin < 10 * CLOCKS_PER_SEC, "symbols: are sorted at once");
	buf_release(&text);
	free(x);
}

static const char switch_format[] =
	"name: sched_switch\nID: 316\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:28;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t next_pid;\toffset:44;\tsize:4;\tsigned:1;\n\nprint fmt: \"%s\", REC->next_comm\n";
static const char exec_format[] =
	"name: sched_process_exec\nID: 310\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:__data_loc char[] filename;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:pid_t pid;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:pid_t old_pid;\toffset:16;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n";

/* A record of @words 32-bit words; @delta to the one before. */
static uint8_t *add_record(uint8_t *at, uint32_t delta, const void *data, uint32_t words)
{
	uint32_t head = delta << 5 | words;

	memcpy(at, &head, 4);
	memcpy(at + 4, data, words * 4);
	return at + 4 + words * 4;
}

static void put32(uint8_t *at, uint32_t v)
{
	memcpy(at, &v, 4);
}

static uint8_t *add_switch(uint8_t *at, uint32_t delta, int prev, const char *prev_comm, int next,
			   const char *next_comm)
{
	uint8_t r[48] = { 316 & 255, 316 >> 8 };

	put32(r + 4, prev);
	strcpy((char *)r + 8, prev_comm);
	put32(r + 24, prev);
	strcpy((char *)r + 28, next_comm);
	put32(r + 44, next);
	return add_record(at, delta, r, 12);
}

/* @loc: the word of the __data_loc field. */
static uint8_t *add_exec(uint8_t *at, int pid, const char *file, uint32_t loc)
{
	uint8_t r[64] = { 310 & 255, 310 >> 8 };

	put32(r + 4, pid);
	put32(r + 8, loc);
	put32(r + 12, pid);
	strcpy((char *)r + 20, file);
	return add_record(at, 5, r, 16);
}

/* Little-endian hosts only, as the words above. */
static void test_walk(void)
{
	struct ring_layout layout = { .commit_size = 8, .commit_off = 8, .data_off = 16, .subbuf_size = 4096 };
	uint8_t pages[2][4096] = {0}, *at = pages[0] + 16;
	const char *path = "/usr/bin/a-long-command-name";
	uint64_t ts = 1000, commit;
	struct walk_totals sum = {0};
	struct format_files f = {0};
	struct task_comms c = {0};
	struct data_walk *w;

	formats_add(&f, "sched", "sched_switch", switch_format, sizeof(switch_format) - 1);
	formats_add(&f, "sched", "sched_process_exec", exec_format, sizeof(exec_format) - 1);
	at = add_switch(at, 0, 50, "before", 60, "six");
	at = add_exec(at, 50, path, (uint32_t)(strlen(path) + 1) << 16 | 20);
	at = add_exec(at, 70, path, 40u << 16 | 60);
	memcpy(pages[0], &ts, 8);
	commit = at - pages[0] - 16;
	memcpy(pages[0] + 8, &commit, 8);
	/* the second page lost three events, as its flags and the word behind the data say */
	at = add_switch(pages[1] + 16, 0, 60, "renamed", 80, "eight");
	commit = 3;
	memcpy(at, &commit, 8);
	ts = 5000;
	memcpy(pages[1], &ts, 8);
	commit = (at - pages[1] - 16) | 0xc0000000;
	memcpy(pages[1] + 8, &commit, 8);
	w = walk_new(&f);
	walk_mem(w, &layout, pages[0], sizeof(pages), &c, &sum);
	TAP_OK(sum.events == 4 && sum.lost == 3 && !sum.lost_unknown && !sum.bad_pages,
	       "walk: 4 events, 3 lost");
	TAP_OK(named(&c, 50, "a-long-command-"), "walk: exec names by the last part of the path, 15 bytes");
	TAP_OK(named(&c, 60, "renamed") && named(&c, 80, "eight"), "walk: both names of sched_switch, the later one");
	TAP_OK(named(&c, 70, NULL), "walk: a string beyond the record is not read");
	TAP_OK(walk_unnamed(w, &c) == 1, "walk: one pid has no name");
	TAP_OK(walk_pids(w) == 3 && walk_next_pid(w, 0) == 50 && walk_next_pid(w, 50) == 60 &&
	       walk_next_pid(w, 60) == 70 && !walk_next_pid(w, 70), "walk: the pids that records are of");
	TAP_OK(!walk_lacks(w, &f), "walk: all records are of events whose formats are known");
	formats_release(&f);
	formats_add(&f, "sched", "sched_switch", switch_format, sizeof(switch_format) - 1);
	TAP_OK(walk_lacks(w, &f), "walk: the format of some records is not known");
	walk_free(w);
	comms_release(&c);
	formats_release(&f);
}

/* Formats of a name and an id alone. */
static void test_calls(void)
{
	static const char other[] = "name: function\nID: 9\nformat:\n", own[] = "name: function\nID: 7\nformat:\n",
			  graph_exit[] = "name: funcgraph_exit\nID: 5\nformat:\n";
	struct ring_layout layout = { .commit_size = 8, .commit_off = 8, .data_off = 16, .subbuf_size = 4096 };
	uint8_t page[4096] = {0}, record[8] = { 7 };
	struct walk_totals sum = {0};
	struct format_files f = {0};
	uint64_t ts = 1000, commit;
	struct data_walk *w;

	commit = add_record(page + 16, 5, record, 2) - page - 16;
	memcpy(page, &ts, 8);
	memcpy(page + 8, &commit, 8);
	formats_add(&f, "sched", "function", own, sizeof(own) - 1);
	formats_add(&f, "ftrace", "function", other, sizeof(other) - 1);
	w = walk_new(&f);
	walk_mem(w, &layout, page, sizeof(page), NULL, &sum);
	TAP_OK(sum.events == 1 && !walk_met_calls(w, &f), "walk: a record, which is no call");
	formats_add(&f, "ftrace", "funcgraph_exit", graph_exit, sizeof(graph_exit) - 1);
	TAP_OK(!walk_met_calls(w, &f), "walk: no exit of a call");
	formats_add(&f, "ftrace", "function", own, sizeof(own) - 1);
	TAP_OK(walk_met_calls(w, &f), "walk: a call");
	walk_free(w);
	formats_release(&f);
}

static void test_formats(void)
{
	struct dat_write_format *v;
	struct format_files f = {0};
	size_t n;

	formats_add(&f, "sched", "b", "one", 3);
	formats_add(&f, "irq", "c", "two", 3);
	formats_add(&f, "ftrace", "print", "p", 1);
	TAP_OK(!formats_add(&f, "sched", "b", "one", 3), "formats: the same text is taken once");
	TAP_OK(formats_add(&f, "sched", "b", "other", 5), "formats: a replaced module's event is taken again");
	n = dat_formats_list(&f, false, &v);
	TAP_OK(n == 3 && !strcmp(v[0].system, "irq") && !strcmp(v[1].text, "one") && !strcmp(v[2].text, "other"),
	       "formats: sorted by system, those of one event as they came");
	free(v);
	n = dat_formats_list(&f, true, &v);
	TAP_OK(n == 1 && !strcmp(v[0].text, "p"), "formats: the built-in ones apart");
	free(v);
	formats_release(&f);
}

int main(void)
{
	test_comms();
	test_living();
	test_symbols();
	test_order();
	test_many_orders();
	test_long_line();
	test_formats();
	test_walk();
	test_calls();
	return tap_done();
}
