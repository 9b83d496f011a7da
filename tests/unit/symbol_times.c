/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory of one module that became another's: what a recorder notes of it, and how records are named. */
#include <stdio.h>
#include <sys/wait.h>

#include "demo_file.h"
#include "event/event.h"
#include "record/capture/clock_offset.h"
#include "record/symbols/symbol_texts.h"
#include "record/symbols/symtimes.h"

#define SECOND 1000000000ULL

static char dir[] = "/var/tmp/ftr-times-XXXXXX";

/* --- what is noted */

/* In the kernel's order: the newest module first, then what ftrace knows of init sections. */
static const char both[] =
	"ffffffff81000000 T _stext\n"
	"ffffffffc0501000 t second_a\t[second]\n"
	"ffffffffc0501100 t second_b\t[second]\n"
	"0000000000019a18 d second_each_cpu\t[second]\n"
	"ffffffffc0401000 t first_core\t[first]\n"
	"0000000000019a10 d first_each_cpu\t[first]\n"
	"ffffffffc0301000 t old\t[old]\n"
	"ffffffffc0501010 T init_first\t[first]\n"
	"ffffffffc0501010 T init_first\t[first]\n"
	"ffffffffc0501200 T init_helper\t[first]\n"
	"ffffffffc0601000 t ftrace_trampoline\t[__builtin__ftrace]\n";
static const char only_first[] =
	"ffffffff81000000 T _stext\n"
	"ffffffffc0401000 t first_core\t[first]\n"
	"ffffffffc0301000 t old\t[old]\n";
static const char only_second[] =
	"ffffffff81000000 T _stext\n"
	"ffffffffc0401000 t second_core\t[second]\n"
	"ffffffffc0301000 t old\t[old]\n";

static uint64_t later(const void *ctx, uint64_t ns)
{
	return ns + *(const uint64_t *)ctx;
}

struct reading {
	const char *text;
	uint64_t ns;
	size_t nr_events;	/* so many are known by then */
};

/* What comes of these readings, as the recorder takes them. */
static char *noted(const struct reading *v, size_t n, const struct module_event *events, size_t nr_events)
{
	uint64_t by = 100;
	struct symbol_times st = {0};
	struct kallsyms_history s = {0};
	struct buf text = {0}, room = {0}, out = {0};

	buf_add(&out, "", 0);
	for (size_t i = 0; i < n; i++) {
		buf_addstr(&text, v[i].text);
		symtimes_note(&st, events, v[i].nr_events, &s.h.last, &text, v[i].ns);
		symbols_update(&s, &text);
	}
	symtimes_text(&st, events, nr_events, symbols_text(&s, &room), later, &by, &out);
	history_release(&s.h);
	symtimes_release(&st);
	buf_release(&room);
	return buf_take(&out);
}

static void is_noted(const char *name, char *got, const char *want)
{
	if (!TAP_OK(!strcmp(got, want), name))
		printf("# want: %s\n# got:  %s\n", want, got);
	free(got);
}

static void test_notes(void)
{
	static const struct module_event init[] = {
		{ 1000, false, "first" }, { 2000, false, "second" },
	};
	static const struct module_event again[] = {
		{ 1000, true, "first" }, { 2000, false, "second" }, { 3000, true, "second" },
		{ 4000, false, "first" },
	};
	static const struct module_event apart[] = { { 1000, false, "first" }, { 5000, true, "old" } };
	struct reading end = { both, 3000, 2 }, forming = { both, 1999, 1 },
		       quiet = { both, 3000, 0 };
	struct reading three[] = { { only_first, 500, 0 }, { only_second, 2500, 2 }, { only_first, 4500, 4 } };
	struct reading gone[] = { { only_first, 3000, 1 }, { only_second, 6000, 2 } };

	is_noted("an init section whose memory the next module got", noted(&end, 1, init, 2),
		 "ffffffffc0401000 ffffffffc0401000 first 1100-;"
		 "ffffffffc0501010 ffffffffc0501200 first 1100-2100;"
		 "ffffffffc0501000 ffffffffc0501100 second 2100-");
	is_noted("a module that is listed before its event comes", noted(&forming, 1, init, 2),
		 "ffffffffc0401000 ffffffffc0401000 first 1100-;"
		 "ffffffffc0501010 ffffffffc0501200 first 1100-2100;"
		 "ffffffffc0501000 ffffffffc0501100 second 2100-");
	is_noted("a module that went, and came again where another had been", noted(three, 3, again, 4),
		 "ffffffffc0401000 ffffffffc0401000 first 0-1100,4100-;"
		 "ffffffffc0401000 ffffffffc0401000 second 2100-3100");
	is_noted("modules that are in nobody's place", noted(gone, 1, apart, 1), "");
	is_noted("nothing without an event", noted(&quiet, 1, NULL, 0), "");
}

static void test_clock(void)
{
	struct wall_line l;

	TAP_OK(!wall_line(&l, "5000 1 1000", "7000 2 2000", false), "a clock of two moments");
	TAP_EQ(wall_trace(&l, 1500), 6000, "between them");
	TAP_EQ(wall_trace(&l, 2500), 8000, "behind them");
	TAP_EQ(wall_trace(&l, 500), 4000, "before them");
	TAP_OK(!wall_line(&l, NULL, "7000 2 2000", true), "one moment, of a clock that counts nanoseconds");
	TAP_EQ(wall_trace(&l, 1999), 6999, "before it");
	TAP_EQ(wall_trace(&l, -1), 6998 + 1 + UINT64_MAX - 1999, "far behind it");
	TAP_OK(wall_line(&l, NULL, "7000 2 2000", false), "one moment of any other clock is not enough");
	TAP_OK(wall_line(&l, NULL, NULL, true), "none");
}

/* --- how records are named */

static const char kallsyms[] =
	"ffffffff81000000 T _stext\n"
	"ffffffff81000100 T caller\n"
	"ffffffffc0501000 t second_a\t[second]\n"
	"ffffffffc0501010 T init_first\t[first]\n"
	"ffffffffc0501100 t second_b\t[second]\n";
static const char meta[] =
	"kallsyms_order=address\n"
	"symbol_times=ffffffffc0501010 ffffffffc0501010 first 2000000000-3000000000;"
	"ffffffffc0501000 ffffffffc0501100 second 3000000000-\n";

#define COMMON "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
static const char function_format[] = "name: function\nID: 1\nformat:\n" COMMON
	"\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long parent_ip;\toffset:16;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \" %ps <-- %ps\", (void *)REC->ip, (void *)REC->parent_ip\n";
static const char stack_format[] = "name: kernel_stack\nID: 4\nformat:\n" COMMON
	"\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned long caller[];\toffset:16;\tsize:0;\tsigned:0;\n\n"
	"print fmt: \"\\t=> %ps\\n\\t=> %ps\\n\" , (void *)REC->caller[0], (void *)REC->caller[1]\n";
static const char spot_format[] = "name: spot\nID: 901\nformat:\n" COMMON
	"\tfield:void * at;\toffset:8;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"at %pS\", REC->at\n";

struct record {
	uint16_t type;
	uint8_t  flags, preempt;
	int32_t  pid;
	uint64_t a, b;
};

#define ADDR 0xffffffffc0501014ull
enum { PAGES = 60, PAGE_NS = 50000000 };

/* Sub-buffers from second 1 on, full of the three kinds of records. */
static void add_page(uint8_t *mem, int page)
{
	struct ring_layout l = { .commit_size = 8, .commit_off = 8, .data_off = 16, .subbuf_size = SUBBUF };
	struct record f = { .type = 1, .pid = 7, .a = ADDR, .b = 0xffffffff81000104 };
	struct record stack = { .type = 4, .pid = 7, .a = 1, .b = ADDR };
	struct record spot = { .type = 901, .pid = 7, .a = ADDR };
	struct ring_build b;

	memset(mem, 0, SUBBUF);
	ring_build_start(&b, &l, mem, SECOND + (uint64_t)page * PAGE_NS);
	while (ring_build_event(&b, 1000, &f, sizeof(f)) && ring_build_event(&b, 1000, &stack, sizeof(stack)) &&
	       ring_build_event(&b, 1000, &spot, 16))
		;
	ring_build_commit(&b, 0);
}

static void write_file(const char *path)
{
	struct dat_write_format ftrace[] = {
		{ "ftrace", function_format, sizeof(function_format) - 1 },
		{ "ftrace", stack_format, sizeof(stack_format) - 1 },
		{ "ftrace", print_format, sizeof(print_format) - 1 },
	}, spot = { "demo", spot_format, sizeof(spot_format) - 1 };
	char *raw = xasprintf("%s/raw", dir);
	int fd = open(path, O_RDWR | O_CREAT, 0600), data = open(raw, O_RDWR | O_CREAT, 0600);
	struct dat_write_cpu cpu = { .cpu = 0, .fd = data, .size = PAGES * SUBBUF };
	struct dat_writer *w;
	struct ftr_error err;
	uint8_t mem[SUBBUF];

	for (int i = 0; i < PAGES; i++) {
		add_page(mem, i);
		if (pwrite(data, mem, SUBBUF, (off_t)i * SUBBUF) != SUBBUF)
			exit(1);
	}
	w = dat_create(fd, path, SUBBUF, &err);
	dat_write_header_info(w, header_page, sizeof(header_page) - 1, header_event, sizeof(header_event) - 1);
	dat_write_ftrace_events(w, ftrace, 3);
	dat_write_event_formats(w, &spot, 1);
	dat_write_meta(w, meta, sizeof(meta) - 1);
	demo_texts(w, 1);
	dat_write_blob(w, DAT_KALLSYMS, kallsyms, sizeof(kallsyms) - 1);
	dat_write_buffer(w, "", "local", SUBBUF, &cpu, 1);
	TAP_EQ(dat_finish(w, &err), 0, "the file");
	close(fd);
	close(data);
	free(raw);
}

/* Lines of a report by the second that they are of, and whether they name what was there then. */
struct lines {
	unsigned int right, wrong, of[4];
};

static struct lines report(const char *path, const char *options, double add)
{
	static const char *const names[] = { "?", "ffffffffc0501014", "init_first", "second_a" };
	char *cmd = xasprintf("%s report %s %s 2> /dev/null", getenv("FTR"), options, path);
	struct lines l = {0};
	FILE *f = popen(cmd, "r");
	char line[512], *at;
	double ts;
	int second = 0;

	while (f && fgets(line, sizeof(line), f)) {
		at = strchr(line, ']');
		at = at ? strpbrk(at, "123456789") : NULL;
		ts = at ? strtod(at, NULL) - add : 0;
		if (ts >= 1 && ts < 5)
			second = ts;
		if (!strstr(line, "first") && !strstr(line, "second") && !strstr(line, "c0501014"))
			continue;
		l.of[second]++;
		if (strstr(line, names[second]))
			l.right++;
		else if (!l.wrong++)
			printf("# %s: %s", options, line);
	}
	if (f)
		pclose(f);
	free(cmd);
	return l;
}

static void test_reports(const char *path)
{
	static const struct {
		const char *options;
		double add;
	} cases[] = {
		{ "", 0 }, { "--engine=traceevent", 0 }, { "-j2", 0 }, { "-j1", 0 }, { "--format=kernel", 0 },
		{ "--format=kernel -j2", 0 }, { "--ts-offset=100000000000", 100 },
	};
	struct lines l, first = report(path, "", 0);
	size_t i;
	char *name;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		l = report(path, cases[i].options, cases[i].add);
		name = xasprintf("each record by what was there then: report %s", cases[i].options);
		TAP_OK(!l.wrong && l.of[1] > 100 && l.of[2] > 100 && l.of[3] > 100 && l.right == first.right,
		       name);
		free(name);
	}
}

static void test_filters(const char *path)
{
	struct lines l = report(path, "-F 'function: ip.function == init_first'", 0);

	TAP_OK(!l.wrong && !l.of[1] && l.of[2] > 100 && !l.of[3], "a filter by the name of the earlier");
	l = report(path, "-F 'function: ip.function == second_a' -j2", 0);
	TAP_OK(!l.wrong && !l.of[1] && !l.of[2] && l.of[3] > 100, "by the name of the later");
	l = report(path, "-F 'function: ip.function != second_a'", 0);
	TAP_OK(!l.wrong && l.of[1] > 100 && l.of[2] > 100 && !l.of[3], "by what is not its name");
	l = report(path, "-F 'function: ip.function == 0xffffffffc0501018'", 0);
	TAP_OK(!l.wrong && !l.of[1] && l.of[2] > 100 && l.of[3] > 100, "by an address in it");
}

/* --- what a file may say */

static void test_texts(void)
{
	static const char *const bad[] = {
		"", ";", ";;;;", "1", "1 2", "1 2 m", "1 2 m ", "2 1 m 0-", "1 2 m 5", "1 2 m 5-4", "1 2 m 5-6,", "1 2  5-6",
		"1 2 m 0-5,4-", "fffffffffffffffff 2 m 0-", "1 2 m 99999999999999999999-", "1 2 m -", "x 2 m 0-",
	};
	struct ev_syms *s;
	size_t i, n;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		s = ev_syms_new(kallsyms, sizeof(kallsyms) - 1);
		ev_syms_times(s, bad[i], strlen(bad[i]), &n);
		if (ev_syms_timed(s))
			printf("# %s\n", bad[i]);
		TAP_OK(!n && !ev_syms_timed(s), "a text that says nothing");
		ev_syms_free(s);
	}
	s = ev_syms_new(kallsyms, sizeof(kallsyms) - 1);
	ev_syms_times(s, "junk;1 2 m 7-9,9-;1 2 n 0-0", 27, &n);
	TAP_EQ(n, 3, "what makes sense is taken: three moments");
	ev_syms_free(s);
}

int main(void)
{
	char *path;

	if (!mkdtemp(dir))
		return 1;
	path = xasprintf("%s/times.dat", dir);
	test_notes();
	test_clock();
	test_texts();
	write_file(path);
	test_reports(path);
	test_filters(path);
	free(path);
	return demo_done(dir);
}
