# SPDX-License-Identifier: GPL-2.0-or-later
"""Files for growth.py with many tasks, open spans, CPUs, levels, stacks and marks, and texts with many of a kind;
and the views of each."""
from growth_file import M, PAGE, File

START = 10 ** 12
FIRST_SYMBOL = 0xffffffff90000000
SYMBOLS = 32768                         # as many for one stack as for many: one in many is sought for longer


def pages(events):
    """Sub-buffers of (time, event, pid, values, tail), in the order of time, less than 134 ms apart."""
    out, data, first, last = [], b"", 0, 0

    def close():
        if data:
            out.append((M.u64(START + first) + M.ulong(len(data)) + data).ljust(PAGE, b"\0"))

    for ts, name, pid, values, tail in events:
        body = M.payload(name, pid, values, tail)
        if not data or len(data) + len(body) + 8 > PAGE - 16:
            close()
            data, first, last = b"", ts, ts
        if len(body) <= 112:
            data += M.u32(len(body) // 4 | (ts - last) << 5) + body
        else:
            data += M.u32((ts - last) << 5) + M.u32(len(body) + 4) + body
        last = ts
    close()
    return out


def file_of(*cpus, **more):
    return File(cpus=[pages(cpu) for cpu in cpus], options_more=[(8, M.u32(len(cpus)))], **more)


def comm(pid):
    return b"t%d" % pid if pid else b"<idle>"


def waking(ts, pid, by=0):
    return ts, "sched_waking", by, {"comm": comm(pid), "pid": pid, "prio": 120, "target_cpu": 0}, b""


def switch(ts, prev, then):
    return ts, "sched_switch", prev, {
        "prev_comm": comm(prev), "prev_pid": prev, "prev_prio": 120, "prev_state": int(prev != 0),
        "next_comm": comm(then), "next_pid": then, "next_prio": 120}, b""


def entry(ts, pid, func, depth=0):
    return ts, "funcgraph_entry", pid, {"func": func, "depth": depth}, b""


def leave(ts, pid, func, begin, depth=0):
    return ts, "funcgraph_exit", pid, {
        "func": func, "depth": depth, "calltime": START + begin, "rettime": START + ts}, b""


def mark(ts, text):
    return ts, "print", 7, {"ip": M.func(0) + 8}, text + b"\n\0"


def stack(ts, pid, number):
    """Of eight frames, another one for each @number."""
    frames = b"".join(M.ulong(FIRST_SYMBOL + 64 * (number * (k + 1) % SYMBOLS) + 8) for k in range(8))
    return ts, "kernel_stack", pid, {"size": 8, "caller": frames}, b""


def symbols(n):
    return b"".join(b"%016x t s%d\n" % (FIRST_SYMBOL + 64 * i, i) for i in range(n))


# --- files

def tasks(n):
    out = []
    for i in range(n):
        out += [waking(4000 * i, i + 1), switch(4000 * i + 1000, 0, i + 1), switch(4000 * i + 3000, i + 1, 0)]
    return file_of(out)


def waiting_tasks(n):
    """All sleep, are woken, and wait before the first of them runs."""
    out = [switch(1000 * i, i, i + 1) for i in range(n)] + [waking(1000 * (n + i), i + 1) for i in range(n)]
    return file_of(out + [switch(1000 * (2 * n + i), i or n + 1, i + 1) for i in range(n)])


def open_pairs(n):
    """Spans of a key: all are open before the first of them ends."""
    ends = [(1000 * (n + i), "demo_path", 7, {"ino": i + 1}, b"") for i in range(n)]
    return file_of([waking(1000 * i, i + 1, 7) for i in range(n)] + ends)


def deep_calls(n):
    out = [entry(1000 * i, 7, M.func(i % 9), i) for i in range(n)]
    return file_of(out + [leave(1000 * (2 * n - i), 7, M.func(i % 9), 1000 * i, i) for i in reversed(range(n))])


def tasks_with_calls(n):
    """A call of each, which are all open at a time."""
    out = [entry(2000 * i, i + 1, M.func(i % 9)) for i in range(n)]
    return file_of(out + [leave(2000 * (n + i), i + 1, M.func(i % 9), 2000 * i) for i in range(n)])


def calls_with_sleeps(n):
    """Calls of one task, and of one of many, with a sleep inside of each; two markers around the first."""
    out = []
    for i in range(n):
        at, pids = 20000 * i, (7, i + 10)
        for pid in pids:
            out += [switch(at, 0, pid), mark(at + 500, b"b"), entry(at + 1000, pid, M.func(i % 9)),
                    switch(at + 2000, pid, 0), waking(at + 3000, pid), switch(at + 4000, 0, pid),
                    leave(at + 5000, pid, M.func(i % 9), at + 1000), mark(at + 5500, b"e"), switch(at + 6000, pid, 0)]
            at += 10000
    return file_of(out)


def functions(n):
    out = []
    for i in range(n):
        func = FIRST_SYMBOL + 64 * i
        out += [entry(2000 * i, 7, func), leave(2000 * i + 1000, 7, func, 2000 * i)]
    return file_of(out, kallsyms=symbols(n))


def cpus_with_tasks(n):
    return file_of(*[[switch(1000 * i, 0, i + 1), switch(1000 * i + 500000, i + 1, 0)] for i in range(n)])


def stacks(n):
    out = []
    for i in range(n):
        out += [(2000 * i, "function", 7, {"ip": M.func(0), "parent_ip": M.func(1)}, b""),
                stack(2000 * i + 500, 7, i)]
    return file_of(out, kallsyms=symbols(SYMBOLS))


def stacks_of_sleepers(n):
    out = []
    for i in range(n):
        out += [switch(4000 * i, i % 7 + 1, 0), stack(4000 * i + 500, i % 7 + 1, i),
                waking(4000 * i + 1000, i % 7 + 1), switch(4000 * i + 2000, 0, (i + 1) % 7 + 1)]
    return file_of(out, kallsyms=symbols(SYMBOLS))


def marks(n):
    out = []
    for i in range(n):
        out += [mark(2000 * i, b"B|7|m%d" % i), mark(2000 * i + 1000, b"E|7")]
    return file_of(out)


def open_marks(n):
    begins = [mark(1000 * i, b"B|7|m%d" % i) for i in range(n)]
    return file_of(begins + [mark(1000 * (n + i), b"E|7") for i in range(n)])


def open_cookies(n):
    """Spans of one name, which are all open before the first of them ends."""
    begins = [mark(1000 * i, b"S|7|m|%d" % i) for i in range(n)]
    return file_of(begins + [mark(1000 * (n + i), b"F|7|m|%d" % i) for i in range(n)])


def counters(n):
    return file_of([mark(1000 * i, b"C|7|m%d|%d" % (i, i)) for i in range(n)])


# --- texts that ftrace printed

class Text:
    def __init__(self, lines):
        self.text = "\n".join(["# tracer: nop", "#", *lines, ""])

    def write(self):
        return self.text.encode()


def line(number, event, pid=7, cpu=0):
    return "%16s-%-7d [%03d] d..2. %5d.%06d: %s" % (
        "t%d" % pid, pid, cpu, 100 + number // 1000000, number % 1000000, event)


def text_tasks(n):
    out = []
    for i in range(n):
        task = "%scomm=t%d %spid=%d %sprio=120"
        waking = task % ("", i + 10, "", i + 10, "") + " target_cpu=000"
        then = task % ("next_", i + 11, "next_", i + 11, "next_")
        out += [line(9 * i, "sched_waking: " + waking, i + 10),
                line(9 * i + 5, "sched_switch: %s prev_state=S ==> %s" % (
                    task % ("prev_", i + 10, "prev_", i + 10, "prev_"), then), i + 10)]
    return Text(out)


def text_names(n):
    return Text([line(i, "event_%d: value=%d" % (i, i)) for i in range(n)])


def text_symbols(n):
    return Text([line(i, "kfree: call_site=function_%d+0x10/0x80 ptr=%016x" % (i, i + 1)) for i in range(n)])


def text_functions(n):
    return Text([line(i, "function_%d <-caller_%d" % (i, i)) for i in range(n)])


def text_marks(n):
    return Text([line(i, "tracing_mark_write: B|7|m%d" % i) for i in range(n)])


def text_cpus(n):
    return Text([line(i, "event: value=%d" % i, i + 1, i) for i in range(n)])


def text_graph(n):
    """Calls of two CPUs without times. One in three is longer than its lines allow, or shorter."""
    out = []
    for i in range(n):
        out += [" %d)               |  outer_%d() {" % (i % 2, i % 9),
                " %d)   0.5%02d us    |    leaf();" % (i % 2, i % 99),
                " %d)   1.%03d us    |  inner();" % (1 - i % 2, i % 999),
                " %d) + %d.%03d us   |  }" % (i % 2, 15 * (i % 3), 100 + i % 800)]
    return Text(out)


# --- views

RECORDS = ("report", "report --json", "report --csv", "report --stacks", "info", "export --to perfetto")
SCHED = ("sched latency", "sched timehist", "sched states", "sched states --json", "latency wakeup",
         "latency wakeup --by task", "latency wakeup --by task --json", "latency wakeup --slower 1ns",
         "timeline", "timeline --json", "timeline -o -", "flame --off-cpu", "export --to chrome", "why *",
         "why --tree *")
SPANS = ("profile %s", "profile --by task %s", "profile --json %s", "diff %s FILE", "flame %s", "flame --folded %s",
         "graph %s", "graph --fold %s", "graph --callers * %s", "export --to chrome %s")
LATENCY = ("latency %s", "latency --by task %s", "latency --by name --json %s", "latency --slower 1ns %s")
ACCOUNTS = ("why --in * --worst all", "why --in * --worst all --json", "why --between b,e 7",
            "latency function_graph --slower 1ns --why", "graph --why")
STACKS = ("flame --stacks", "flame --stacks --folded", "report --stacks")
SQL = tuple("sql %s -i" % query.replace(" ", "/**/") for query in (
    "SELECT count(utid) FROM ftrace_event", "SELECT * FROM why", "SELECT * FROM thread JOIN process USING(upid)",
    "SELECT count(*) FROM overlap('sched_slice','thread_state','utid')"))
SQL_STACKS = ("sql SELECT/**/stack(stack)/**/FROM/**/ftrace_event/**/GROUP/**/BY/**/stack -i",)
TEXTS = ("report", "import -q -o OUT")
# In the timeline, at both ends, then closer.
BROWSE = ("browse --keys KEYS",)
KEYS = "<wait><end><wait>+<wait>+<wait>"


def of_kind(what, views):
    return tuple(view % what for view in views)


CALLS = of_kind("--kind function_graph", SPANS) + of_kind("function_graph", LATENCY)
MARKS = of_kind("--kind marker", SPANS) + of_kind("marker", LATENCY)
PAIR = "sched:sched_waking,demo:demo_path,pid=ino"
# (file, how many of it, views)
VIEWS = [
    (tasks, 1000, RECORDS + SCHED + SQL + BROWSE),
    (waiting_tasks, 1000, SCHED + BROWSE),
    (open_pairs, 1000, RECORDS + of_kind("--pair x=" + PAIR, SPANS) +
     ("latency sched:sched_waking demo:demo_path --key pid=ino",) + BROWSE),
    (deep_calls, 2000, RECORDS + CALLS + BROWSE),
    (tasks_with_calls, 1000, CALLS + BROWSE),
    (calls_with_sleeps, 1000, ACCOUNTS),
    (functions, 1000, CALLS + BROWSE),
    (cpus_with_tasks, 400, RECORDS + SCHED + BROWSE),
    (stacks, 1000, RECORDS + STACKS + SQL_STACKS + BROWSE),
    (stacks_of_sleepers, 1000, SCHED + STACKS + BROWSE),
    (marks, 1000, RECORDS + MARKS + BROWSE), (open_marks, 1000, RECORDS + MARKS + BROWSE),
    (open_cookies, 1000, RECORDS + of_kind("--kind async", SPANS) + of_kind("async", LATENCY)),
    (counters, 1000, RECORDS + ("export --to chrome",)),
    (text_tasks, 1000, TEXTS + ("sched latency",)), (text_names, 400, TEXTS), (text_symbols, 1000, TEXTS),
    (text_functions, 1000, TEXTS), (text_marks, 1000, TEXTS), (text_graph, 2000, TEXTS), (text_cpus, 400, TEXTS),
]
