/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's histogram text: what is taken of it, and what hostile names can do. */
#include <stdbool.h>

#include "base/mem.h"
#include "output/hist_text.h"
#include "tap.h"
#include "tracefs/hist/hist_live.h"
#include "tracefs/hist/hist_parse.h"

#define HEAD(info) "# event histogram\n#\n# trigger info: hist:" info " [active]\n#\n\n"
#define TOTALS(hits, entries, dropped) \
	"\nTotals:\n    Hits: " #hits "\n    Entries: " #entries "\n    Dropped: " #dropped "\n"

static struct hist h;

static int parse(const char *text, const struct hist_type *types, size_t n)
{
	struct ftr_error err = {0};

	return hist_parse(&h, text, strlen(text), types, n, &err);
}

static bool text_is(const char *got, const char *want)
{
	bool same = got && !strcmp(got, want);

	if (!same)
		printf("# got '%s', want '%s'\n", got ? got : "(none)", want);
	return same;
}

static void numbers(void)
{
	static const struct hist_type types[] = { { "ret", false, true }, { "fd", false, false } };
	struct hist_at at[2];

	TAP_OK(!parse(HEAD("keys=ret,fd:vals=hitcount,bytes.hex:sort=hitcount:size=2048")
		      "{ ret:         16, fd:          3 } hitcount:         20  bytes:         1f\n"
		      "{ ret: 18446744073709551607, fd:          4 } hitcount:          5  bytes:   ffffffff\n"
		      TOTALS(25, 2, 0), types, 2), "numbers: parsed");
	TAP_EQ(h.nr_rows, 2, "numbers: rows");
	TAP_EQ(h.nr_keys, 2, "numbers: keys");
	TAP_EQ(h.nr_vals, 2, "numbers: values");
	TAP_OK(h.whole && h.hits == 25 && h.entries == 2 && !h.dropped && !h.unread,
	       "numbers: totals");
	TAP_EQ(h.rows[0].keys[0].num, 16, "numbers: first key");
	TAP_EQ(h.rows[0].keys[1].num, 3, "numbers: second key");
	TAP_EQ(h.rows[0].vals[1].num, 0x1f, "numbers: hexadecimal value");
	TAP_OK(h.keys[0].is_signed && !h.keys[1].is_signed, "numbers: signs by the format");
	TAP_OK(hist_find(&h, "ret.log2", &at[0]) && !at[0].is_val && !at[0].index,
	       "numbers: a column is found without its modifier");
	TAP_OK(!hist_find(&h, "nothing", &at[1]), "numbers: what is no column is not found");
	at[0].descending = false;
	hist_sort(&h, at, 1);
	TAP_OK((int64_t)h.rows[0].keys[0].num == -9, "numbers: -9 sorts before 16");
	TAP_OK(text_is(h.trigger, "hist:keys=ret,fd:vals=hitcount,bytes.hex:sort=hitcount:size=2048"),
	       "numbers: the trigger");
	hist_release(&h);
}

/* The rows' first keys, as digits. */
static const char *order(const struct hist_at *by, size_t n)
{
	static char digits[16];
	size_t i;

	hist_sort(&h, by, n);
	for (i = 0; i < h.nr_rows; i++)
		digits[i] = (char)('0' + h.rows[i].keys[0].num);
	digits[i] = '\0';
	return digits;
}

/* Each of the columns counts, the first before the others, and keys at last. */
static void sorted(void)
{
	static const struct hist_at hits = { .is_val = true }, down = { .is_val = true, .descending = true },
				    second = { .index = 1 }, first_down = { .descending = true };

	TAP_OK(!parse(HEAD("keys=pid,fd:vals=hitcount:sort=hitcount:size=2048")
		      "{ pid:          3, fd:          1 } hitcount:          2\n"
		      "{ pid:          1, fd:          2 } hitcount:          9\n"
		      "{ pid:          4, fd:          0 } hitcount:          2\n"
		      "{ pid:          2, fd:          3 } hitcount:          5\n"
		      TOTALS(18, 4, 0), NULL, 0), "sorted: parsed");
	TAP_OK(text_is(order(NULL, 0), "1234"), "sorted: by keys");
	TAP_OK(text_is(order(&hits, 1), "3421"), "sorted: by a value, equal ones by keys");
	TAP_OK(text_is(order(&down, 1), "1234"), "sorted: by a value downwards, equal ones by keys upwards");
	TAP_OK(text_is(order(&second, 1), "4312"), "sorted: by the second key");
	TAP_OK(text_is(order(&first_down, 1), "4321"), "sorted: by a key downwards");
	TAP_OK(text_is(order((struct hist_at[]){ hits, first_down }, 2), "4321"), "sorted: by two columns");
	TAP_OK(text_is(order((struct hist_at[]){ down, second }, 2), "1243"), "sorted: by two others");
	hist_release(&h);
}

/* A distribution for each value of the keys before the last. */
static void drawn(void)
{
	static const struct hist_look look = { .width = 60, .main = NULL };
	/* shares are of the group; the longest bar takes what a line has */
	static const char want[] = "pid: 7, fd: 1\n"
		"count  hitcount       %    cum%\n"
		" 3..4         5   55.56   55.56  ###########################\n"
		" 5..8         0    0.00   55.56\n"
		"9..16         4   44.44  100.00  ######################\n"
		"\npid: 7, fd: 2\n"
		"count  hitcount       %    cum%\n"
		" 3..4         2  100.00  100.00  ###########################\n"
		"\npid: 9, fd: 1\n"
		"count  hitcount       %    cum%\n"
		" 5..8         1  100.00  100.00  ###########################\n"
		"\nTotals: 12 hits, 4 entries, 0 dropped\n";
	struct buf out = {0};

	TAP_OK(!parse(HEAD("keys=pid,fd,count.log2:vals=hitcount:sort=hitcount:size=2048")
		      "{ pid:          9, fd:          1, count: ~ 2^3  } hitcount:          1\n"
		      "{ pid:          7, fd:          2, count: ~ 2^2  } hitcount:          2\n"
		      "{ pid:          7, fd:          1, count: ~ 2^4  } hitcount:          4\n"
		      "{ pid:          7, fd:          1, count: ~ 2^2  } hitcount:          5\n"
		      TOTALS(12, 4, 0), NULL, 0), "drawn: parsed");
	TAP_OK(hist_order(&h, &look, NULL, 0), "drawn: it is a distribution");
	hist_draw(&h, &look, &out);
	TAP_OK(text_is(out.data, want), "drawn: each group with its head, shares and bars");
	buf_release(&out);
	hist_release(&h);
}

static void nothing(void)
{
	TAP_OK(!parse(HEAD("keys=pid:vals=hitcount:sort=hitcount:size=2048") TOTALS(0, 0, 0), NULL, 0),
	       "no rows: parsed");
	hist_sort(&h, NULL, 0);
	TAP_OK(h.whole && !h.nr_rows && !h.hits, "no rows: sorted");
	hist_release(&h);
}

static void names(void)
{
	TAP_OK(!parse(HEAD("keys=call_site.sym,bytes_req.log2:vals=hitcount,bytes_alloc:sort=bytes_alloc.descending:size=2048")
		      "{ call_site: [ffffffffc02943bf] p9_fcall_init [9pnet]                        , bytes_req: ~ 2^12 } hitcount:        253  bytes_alloc:    1036288\n"
		      "{ call_site: [ffffffff813d3a9b] __kmalloc_node_noprof                        , bytes_req: ~ 2^3  } hitcount:          1  bytes_alloc:     262144\n"
		      TOTALS(254, 2, 7), NULL, 0), "sym: parsed");
	TAP_EQ(h.nr_rows, 2, "sym: rows");
	TAP_EQ(h.dropped, 7, "sym: dropped");
	TAP_OK(h.nr_rows == 2 && text_is(h.rows[0].keys[0].text, "p9_fcall_init [9pnet]"), "sym: name");
	TAP_EQ(h.rows[0].keys[0].num, 0xffffffffc02943bf, "sym: address");
	TAP_EQ(h.rows[1].keys[1].num, 3, "log2: exponent");
	hist_release(&h);

	parse(HEAD("keys=common_pid.execname,id.syscall:vals=hitcount:sort=hitcount:size=2048")
	      "{ common_pid: ls              [       259], id: sys_set_tid_address           [218] } hitcount:          1\n"
	      "{ common_pid: a [ 7], id: s[3][   4194304], id: unknown_syscall               [999] } hitcount:          2\n"
	      TOTALS(3, 2, 0), NULL, 0);
	TAP_EQ(h.nr_rows, 2, "execname: rows");
	TAP_OK(text_is(h.rows[0].keys[0].text, "ls") && h.rows[0].keys[0].num == 259, "execname: task");
	TAP_OK(text_is(h.rows[0].keys[1].text, "sys_set_tid_address") && h.rows[0].keys[1].num == 218,
	       "syscall: name and number");
	TAP_OK(text_is(h.rows[1].keys[0].text, "a [ 7], id: s[3]") && h.rows[1].keys[0].num == 4194304,
	       "execname: brackets in a name");
	hist_release(&h);
}

static void stacks(void)
{
	TAP_OK(!parse(HEAD("keys=stacktrace:vals=hitcount:sort=hitcount:size=2048")
		      "{ stacktrace:\n         __schedule+0x4f8/0xa00\n         ovl_open+0x8c/0xd0 [overlay]\n"
		      "} hitcount:          1\n"
		      "{ stacktrace:\n} hitcount:          9\n"
		      TOTALS(10, 2, 0), NULL, 0), "stack of 6.1: parsed");
	TAP_EQ(h.nr_rows, 2, "stack of 6.1: rows");
	TAP_OK(text_is(h.rows[0].keys[0].text, "__schedule+0x4f8/0xa00\novl_open+0x8c/0xd0 [overlay]"),
	       "stack of 6.1: frames");
	TAP_OK(text_is(h.rows[1].keys[0].text, ""), "stack of 6.1: none");
	hist_release(&h);

	parse(HEAD("keys=common_stacktrace,prev_pid:vals=hitcount:sort=hitcount:size=2048")
	      "{ common_stacktrace:\n         __schedule+0x5bc/0xbf0\n         alloc_bprm+0x21/0x3a0\n"
	      ", prev_pid:        273} hitcount:          4\n" TOTALS(4, 1, 0), NULL, 0);
	TAP_EQ(h.nr_rows, 1, "stack and a key behind it: rows");
	TAP_OK(h.nr_rows && h.rows[0].keys[1].num == 273 && h.rows[0].vals[0].num == 4,
	       "stack and a key behind it: both");
	hist_release(&h);

	parse(HEAD("keys=prev_pid,common_stacktrace:vals=hitcount:sort=hitcount:size=2048")
	      "{ prev_pid:        273, common_stacktrace:\n         __schedule+0x5bc/0xbf0\n"
	      "} hitcount:          4\n" TOTALS(4, 1, 0), NULL, 0);
	TAP_EQ(h.nr_rows, 1, "a key before a stack: rows");
	hist_release(&h);

	parse(HEAD("keys=stack.stacktrace:vals=hitcount:sort=hitcount:size=2048")
	      "{ stack.stacktrace         a+0x1/0x2\n         b+0x3/0x4\n} hitcount:          4\n"
	      TOTALS(4, 1, 0), NULL, 0);
	TAP_OK(h.nr_rows == 1 && text_is(h.rows[0].keys[0].text, "a+0x1/0x2\nb+0x3/0x4"),
	       "stack of a synthetic event");
	hist_release(&h);
}

static void ranges(void)
{
	static const struct hist_type types[] = { { "ret", false, true } };
	uint64_t lo, hi;
	bool negative;

	parse(HEAD("keys=ret.log2:vals=hitcount:sort=ret.log2:size=2048")
	      "{ ret: ~ 2^0  } hitcount:         13\n{ ret: ~ 2^1  } hitcount:          2\n"
	      "{ ret: ~ 2^7  } hitcount:          2\n{ ret: ~ 2^64 } hitcount:          1\n"
	      TOTALS(18, 4, 0), types, 1);
	TAP_EQ(h.nr_rows, 4, "log2: rows");
	hist_range(&h.keys[0], &h.rows[0].keys[0], &lo, &hi, &negative);
	TAP_OK(lo == 0 && hi == 1 && !negative, "log2: 2^0 is 0 and 1");
	hist_range(&h.keys[0], &h.rows[1].keys[0], &lo, &hi, &negative);
	TAP_OK(lo == 2 && hi == 2, "log2: 2^1 is 2");
	hist_range(&h.keys[0], &h.rows[2].keys[0], &lo, &hi, &negative);
	TAP_OK(lo == 65 && hi == 128, "log2: 2^7 is 65 to 128");
	hist_range(&h.keys[0], &h.rows[3].keys[0], &lo, &hi, &negative);
	TAP_OK(negative && lo == (1ull << 63) + 1 && hi == UINT64_MAX, "log2: 2^64 is negative");
	hist_sort(&h, NULL, 0);
	TAP_EQ(h.rows[0].keys[0].num, 64, "log2: negative numbers come first");
	hist_release(&h);

	parse(HEAD("keys=ret.buckets=10:vals=hitcount:sort=ret.buckets=10:size=2048")
	      "{ ret: ~ 18446744073709551600-18446744073709551609 } hitcount:          4\n"
	      "{ ret: ~ 120-129 } hitcount:          2\n" TOTALS(6, 2, 0), types, 1);
	TAP_EQ(h.nr_rows, 2, "buckets: rows");
	TAP_EQ(h.keys[0].step, 10, "buckets: step");
	hist_range(&h.keys[0], &h.rows[1].keys[0], &lo, &hi, &negative);
	TAP_OK(lo == 120 && hi == 129, "buckets: bounds");
	hist_release(&h);
}

static void values(void)
{
	TAP_OK(!parse(HEAD("keys=common_pid:vals=hitcount,hitcount.percent,count.graph:sort=hitcount:size=2048")
		      "{ common_pid:        333 } hitcount:          3  hitcount (%):   2.67  count: ##                  \n"
		      "{ common_pid:        334 } hitcount:          4  hitcount (%):[ERROR]  count:                     \n"
		      TOTALS(7, 2, 0), NULL, 0), "percent and graph: parsed");
	TAP_EQ(h.nr_rows, 2, "percent and graph: rows");
	TAP_EQ(h.rows[0].vals[1].num, 267, "percent: hundredths");
	TAP_EQ(h.rows[0].vals[2].num, 2, "graph: marks");
	TAP_OK(text_is(h.rows[1].vals[1].text, ""), "percent: an error of the kernel's");
	hist_release(&h);

	parse(HEAD("keys=common_pid:vals=count:sort=hitcount:size=2048:nohitcount")
	      "{ common_pid:        369 }  count:      17216\n" TOTALS(4, 1, 0), NULL, 0);
	TAP_OK(h.nr_rows == 1 && h.nr_vals == 1 && h.rows[0].vals[0].num == 17216, "nohitcount");
	hist_release(&h);

	parse(HEAD("keys=common_pid:vals=hitcount:m=count:sort=hitcount:size=2048:onmax($m).save(fd)")
	      "{ common_pid:        414 } hitcount:          4\n\tmax:       8192  fd:          3\n"
	      TOTALS(4, 1, 0), NULL, 0);
	TAP_OK(h.nr_rows == 1 && text_is(h.rows[0].saved, "max:       8192  fd:          3"), "onmax().save()");
	hist_release(&h);

	parse(HEAD("keys=common_cpucommon_cpu,comm:vals=hitcount:sort=hitcount:size=2048")
	      "{ common_cpu:          1, comm: sh            } hitcount:        134\n" TOTALS(134, 1, 0), NULL, 0);
	TAP_OK(h.nr_rows == 1 && text_is(h.keys[0].name, "common_cpu"), "common_cpu of 7.2");
	hist_release(&h);

	parse(HEAD("keys=cpu:vals=hitcount:sort=hitcount:size=2048 if comm ~ \"[x\"")
	      "{ cpu:          1 } hitcount:        134\n" TOTALS(134, 1, 0), NULL, 0);
	TAP_OK(h.nr_rows == 1 && text_is(h.trigger, "hist:keys=cpu:vals=hitcount:sort=hitcount:size=2048 if comm ~ \"[x\""),
	       "a bracket in the filter");
	hist_release(&h);
}

static void strings(void)
{
	static const struct hist_type types[] = { { "comm", true, false } };
	struct buf b = {0};

	parse(HEAD("keys=name,common_pid:vals=hitcount:sort=hitcount:size=2048")
	      "{ name: /a b } hitcount: 7, common_pid: 9                  , common_pid:        556 } hitcount:          2\n"
	      "{ name: /x\n{y\x1b[31m                                    , common_pid:        557 } hitcount:          3\n"
	      "{ name: 1234567890                                        , common_pid:        558 } hitcount:          3\n"
	      TOTALS(8, 3, 0), NULL, 0);
	TAP_EQ(h.nr_rows, 3, "strings: rows");
	TAP_OK(text_is(h.rows[0].keys[0].text, "/a b } hitcount: 7, common_pid: 9") &&
	       h.rows[0].keys[1].num == 556, "strings: braces, and what looks like the next key");
	TAP_OK(text_is(h.rows[1].keys[0].text, "/x\\x0a{y\\x1b[31m"), "strings: a line's end, escaped");
	TAP_OK(text_is(h.rows[2].keys[0].text, "1234567890"), "strings: digits alone");
	TAP_OK(h.keys[0].kind == HIST_STRING && h.keys[1].kind == HIST_NUM, "strings: kinds");
	hist_draw(&h, &(struct hist_look){0}, &b);
	TAP_OK(!strchr(b.data, '\x1b'), "strings: no control byte is drawn");
	buf_release(&b);
	hist_release(&h);

	parse(HEAD("keys=comm,comm2,cpu:vals=hitcount:sort=hitcount:size=2048")
	      "{ comm: 12        , comm2: a, cpu: 1, cpu: 2       , cpu:          1 } hitcount:          2\n"
	      TOTALS(2, 1, 0), types, 1);
	TAP_OK(h.nr_rows == 1 && text_is(h.rows[0].keys[0].text, "12") &&
	       text_is(h.rows[0].keys[1].text, "a, cpu: 1, cpu: 2"), "strings: three keys");
	hist_release(&h);
}

/* What no kernel writes must neither crash nor be believed. */
/* Each key may end at each comma: all of these ways together are more than anybody can wait for. */
static void many_ways(void)
{
	struct buf text = {0};
	size_t i;

	buf_addstr(&text, "# event histogram\n#\n# trigger info: hist:keys=");
	for (i = 0; i < HIST_COLUMNS - 1; i++)
		buf_addstr(&text, "a,");
	buf_addstr(&text, "a.log2:vals=hitcount [active]\n#\n\n{ a: x");
	for (i = 0; i < 120; i++)
		buf_addstr(&text, ", a: x");
	buf_addstr(&text, " } hitcount: 1\n" TOTALS(1, 1, 0));
	TAP_OK(!parse(text.data, NULL, 0) && !h.nr_rows && h.unread == 1, "damage: a row with many ends");
	hist_release(&h);
	buf_release(&text);
}

static void damage(void)
{
	static const char whole[] =
		HEAD("keys=call_site.sym,common_pid.execname,n.buckets=10:vals=hitcount,a.percent:sort=hitcount:size=2048")
		"{ call_site: [ffffffffc02943bf] x [m] , common_pid: ls              [       259], n: ~ 10-19 } hitcount:        253  a (%):   2.67\n"
		"{ call_site: [1] y , common_pid: ls              [       259], n: ~ 20-29 } hitcount:          1  a (%):[ERROR]\n"
		TOTALS(254, 2, 0);
	struct ftr_error err;
	size_t i, rows = 0;
	char *copy;

	TAP_OK(parse("", NULL, 0) == -1, "damage: an empty text");
	TAP_OK(parse("# trigger info: hist:", NULL, 0) == -1, "damage: no keys");
	hist_release(&h);
	parse(HEAD("keys=a:vals=hitcount") "{ a: 1 } hitcount: 99999999999999999999999\n{ a: ", NULL, 0);
	TAP_OK(!h.nr_rows && h.unread == 2 && !h.whole, "damage: too large a number, a cut entry, no totals");
	hist_release(&h);
	parse(HEAD("keys=a.log2:vals=hitcount") "{ a: ~ 2^65 } hitcount: 1\n" TOTALS(1, 1, 0), NULL, 0);
	TAP_OK(!h.nr_rows && h.unread == 1, "damage: 2^65");
	hist_release(&h);

	for (i = 0; i < sizeof(whole); i++) {
		copy = xstrndup(whole, i);
		hist_parse(&h, copy, i, NULL, 0, &err);
		rows += h.nr_rows;
		hist_release(&h);
		free(copy);
		copy = xstrdup(whole);
		copy[i] ^= 1 << i % 8;
		hist_parse(&h, copy, sizeof(whole) - 1, NULL, 0, &err);
		rows += h.nr_rows;
		hist_release(&h);
		free(copy);
	}
	TAP_OK(rows > 2, "damage: cut and changed at every byte");
}

static void line(const char *words, const char *sort, const char *want)
{
	struct hist_spec s = {0};
	struct ftr_error err = {0};
	char *got = NULL;

	if (!hist_spec_parse(&s, words, &err) && (!sort || !hist_spec_sort(&s, sort, &err)))
		got = hist_spec_line(&s);
	TAP_OK(want ? text_is(got, want) : !got && err.code == FTR_USAGE, words);
	free(got);
	hist_spec_release(&s);
}

static void spec(void)
{
	line("prev_comm", NULL, "hist:keys=prev_comm");
	line("call_site.sym,bytes_req.log2:bytes_alloc", "bytes_alloc:desc",
	     "hist:keys=call_site.sym,bytes_req.log2:vals=bytes_alloc:sort=bytes_alloc.descending");
	line("ret.buckets=10:hitcount,x.percent", "ret,hitcount.descending",
	     "hist:keys=ret.buckets=10:vals=hitcount,x.percent:sort=ret,hitcount.descending");
	line("hist:keys=pid:vals=a:size=100:sort=a if b == 1", NULL,
	     "hist:keys=pid:vals=a:sort=a:size=128 if b == 1");
	line("pid:ts0=common_timestamp.usecs:nohitcount:a", NULL,
	     "hist:keys=pid:vals=a:ts0=common_timestamp.usecs:nohitcount");
	line("pid:m=a*2:onmax($m).save(b,c)", NULL, "hist:keys=pid:m=a*2:onmax($m).save(b,c)");
	line("pid if comm ~ \"a:b\"", NULL, "hist:keys=pid if comm ~ \"a:b\"");
	line("a,b,c,d", NULL, NULL);
	line("", NULL, NULL);
	line(":a", NULL, NULL);
	line("a:pause", NULL, NULL);
	line("a:name=x", NULL, NULL);
	line("a:size=0", NULL, NULL);
	line("a", "b:up", NULL);
	line("a", "a,b,c", NULL);
	line("a", ":desc", NULL);
}

/* Sums and shares of a picture, as counted by hand. */
static void picture(void)
{
	struct hist_look look = { .width = 60 };
	struct buf b = {0};
	bool groups;

	parse(HEAD("keys=n.log2:vals=hitcount:sort=n.log2:size=2048")
	      "{ n: ~ 2^1  } hitcount:          2\n{ n: ~ 2^4  } hitcount:          6\n"
	      TOTALS(8, 2, 3), NULL, 0);
	groups = hist_order(&h, &look, NULL, 0);
	hist_draw(&h, &look, &b);
	TAP_OK(groups && text_is(b.data,
	       "    n  hitcount       %    cum%\n"
	       "    2         2   25.00   25.00  #########\n"
	       " 3..4         0    0.00   25.00\n"
	       " 5..8         0    0.00   25.00\n"
	       "9..16         6   75.00  100.00  ###########################\n"
	       "\nTotals: 8 hits, 2 entries, 3 dropped\n"), "picture: a distribution in 60 columns");
	buf_release(&b);
	hist_release(&h);

	parse(HEAD("keys=comm:vals=hitcount,len:sort=hitcount:size=2048")
	      "{ comm: kworker/u8:2 } hitcount:          1  len:         30\n"
	      "{ comm: sh } hitcount:          9  len:         10\n" TOTALS(10, 2, 0), NULL, 0);
	look = (struct hist_look){ .utf8 = true };
	hist_order(&h, &look, NULL, 0);
	look.top = 1;
	hist_draw(&h, &look, &b);
	TAP_OK(text_is(b.data,
	       "comm          hitcount  len       %    cum%\n"
	       "kworker/u8:2         1   30   75.00   75.00  "
	       "████████████████████████████████████████\n"
	       "(1 more rows)\n"
	       "\nTotals: 10 hits, 2 entries, 0 dropped\n"), "picture: a table, the most of the value first");
	buf_release(&b);
	hist_release(&h);
}

/* A hist file of two triggers, as sched_switch has it when it is both ends of a join. */
static void several(void)
{
	static const char first[] =
		HEAD("keys=prev_pid:vals=hitcount:ts0=common_timestamp.usecs:sort=hitcount:size=2048")
		"{ prev_pid:          1 } hitcount:          2\n" TOTALS(2, 1, 0) "\n\n";
	static const char second[] =
		HEAD("keys=next_pid:vals=hitcount:lat=common_timestamp.usecs-$ts0:sort=hitcount:size=2048"
		     ":onmax($lat).save(next_comm)")
		"{ next_pid:          7 } hitcount:          3\n"
		"\tmax:         25  next_comm: sh              \n" TOTALS(3, 1, 0);
	struct buf both = {0};
	const char *text;
	size_t len;

	buf_addstr(&both, first);
	buf_addstr(&both, second);
	text = both.data;
	len = both.len;
	TAP_OK(!hist_cut(&text, &len, "onchange") && text == both.data && len == both.len,
	       "several: what is not there changes nothing");
	TAP_OK(hist_cut(&text, &len, ".save(") && text_is(text, second), "several: what saves");
	hist_parse(&h, text, len, NULL, 0, NULL);
	TAP_OK(h.nr_rows == 1 && h.hits == 3 &&
	       text_is(h.rows[0].saved, "max:         25  next_comm: sh"),
	       "several: with what was saved");
	hist_release(&h);
	text = both.data;
	len = both.len;
	TAP_OK(hist_cut(&text, &len, "keys=prev_pid") && len == strlen(first) && text == both.data,
	       "several: the first ends where the second begins");
	buf_release(&both);
}

/* What -i shows: a row that is new has grown by all that it has. */
static void growth(void)
{
	static const struct hist_type types[] = { { "len", false, true } };
	struct hist before;
	struct hist_look look = { .width = 51 };
	struct buf b = {0};

	parse(HEAD("keys=comm:vals=hitcount,len:sort=hitcount:size=2048")
	      "{ comm: ls } hitcount:          4  len:         40\n"
	      "{ comm: dd } hitcount:          1  len:         18446744073709551615\n" TOTALS(5, 2, 0),
	      types, 1);
	before = h;
	parse(HEAD("keys=comm:vals=hitcount,len:sort=hitcount:size=2048")
	      "{ comm: dd } hitcount:          2  len:         18446744073709551614\n"
	      "{ comm: ls } hitcount:          4  len:         40\n"
	      "{ comm: sh } hitcount:          5  len:         50\n" TOTALS(11, 3, 0), types, 1);
	hist_add_growth(&h, &before, hist_main_value(&h, NULL));
	TAP_OK(h.nr_vals == 3 && text_is(h.vals[2].name, "+len"), "growth: its column");
	TAP_OK(h.rows[0].vals[2].num == UINT64_MAX && !h.rows[1].vals[2].num &&
	       h.rows[2].vals[2].num == 50, "growth: by the keys, signed, and of a new row");
	TAP_OK(text_is(h.rows[0].keys[0].text, "dd") && h.rows[2].vals[0].num == 5,
	       "growth: the rest stays");
	hist_release(&h);

	parse(HEAD("keys=n.log2:vals=hitcount:sort=hitcount:size=2048")
	      "{ n: ~ 2^1 } hitcount:          2\n"
	      "{ n: ~ 2^3 } hitcount:          6\n" TOTALS(8, 2, 0), NULL, 0);
	hist_add_growth(&h, &before, 0);
	hist_release(&before);
	before = h;
	parse(HEAD("keys=n.log2:vals=hitcount:sort=hitcount:size=2048")
	      "{ n: ~ 2^3 } hitcount:          8\n"
	      "{ n: ~ 2^1 } hitcount:          2\n" TOTALS(10, 2, 0), NULL, 0);
	hist_add_growth(&h, &before, hist_main_value(&h, NULL));
	hist_order(&h, &look, NULL, 0);
	hist_draw(&h, &look, &b);
	TAP_OK(text_is(b.data,
	       "   n  hitcount  +hitcount       %    cum%\n"
	       "   2         2          0   20.00   20.00  ##\n"
	       "3..4         0          0    0.00   20.00\n"
	       "5..8         8          2   80.00  100.00  ########\n"
	       "\nTotals: 10 hits, 2 entries, 0 dropped\n"), "growth: drawn beside the totals");
	buf_release(&b);
	hist_release(&before);
	hist_release(&h);
}

int main(void)
{
	numbers();
	sorted();
	drawn();
	nothing();
	names();
	stacks();
	ranges();
	values();
	strings();
	damage();
	many_ways();
	spec();
	picture();
	several();
	growth();
	return tap_done();
}
