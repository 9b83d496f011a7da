# SPDX-License-Identifier: GPL-2.0-or-later
"""The command lines that read, for mutate-run.py: rows of words, and options that go with them."""

KINDS = "function_graph syscall irq softirq work lock block probe marker async".split()
FIELDS = "time,cpu,task,comm,pid,tgid,flags,delta,system,event,text,next_pid,prev_comm,func,caller"
FILTERS = ("sched_switch: next_pid > 100 && prev_comm ~ \"*b*\" || prev_state == 1",
           "sched_switch: prev_state == 2 || next_comm == 'ls'",
           "ftrace: func != 0", "*: common_pid == 512 || CPU == 1", "sched_*", "funcgraph_exit: rettime - calltime > 5",
           "block: sector < 8 && rwbs == 'W'", "*: COMM ~ 't*'", "irq_handler_entry: name == \"i1\"")

INPUT = ("--ts-offset=77", "--ts-offset=-9000000000000000000", "--ts-offset=9223372036854775807", "--date", "--nodate",
         "--align-ts", "--raw-ts")
SELECT = ("--cpu=0", "--cpu=0,2-5", "--pid=512,100,101", "--comm=*t*", "--since=+10us", "--until=-10us",
          "--since=1000.00001", "--until=+1ms")
EVENTS = ("--event=sched*", "--event=ftrace", "--event=*irq*", "-I", "-S", "-v -F",
          *("-F " + text.replace(" ", "\0") for text in FILTERS))
RENDER = ("-N", "--engine=traceevent", "--engine=ftr", "-j1", "-j2", "-O function:offset=yes",
          "-O function:indent=yes", "-O futex:names=yes", "-O jbd2:hz=250")
PAIRS = ("--pair=p=sched:sched_waking,sched:sched_switch",
         "--pair=q=sched:sched_waking,sched:sched_switch,pid=next_pid",
         "--pair=r=block:block_rq_issue,block:block_rq_complete,sector",
         "--pair=s=raw_syscalls:sys_enter,raw_syscalls:sys_exit,id")
SPAN = (*("--kind=" + kind for kind in KINDS), "--kind=syscall,irq", *PAIRS, "-B second", "-B a")
ONE_SPAN = (*("--kind=" + kind for kind in KINDS), *PAIRS, "-B second", "-B a")
TREE = ("-l vfs_*", "-n kfree", "-g ksys_read", "--callers=kfree", "--depth=2", "--min=1us", "--fold", "--args",
        "--retval", "--retaddr")
SUMS = ("--by=task", "--by=cpu", "--by=module", "--by=kind", "--tree", "--callers=kfree", "--fields=+p50,p99,max",
        "--fields=total,avg,max,p99", "--sort=max", "--on-cpu", "--csv", "--raw", "--json")
WIDE = ("--tasks=*", "--tasks=t*", "--event=sched_wakeup", "--event=*", "--sort=wait", "--sort=name", "--width=20",
        "--width=3000", "--ascii", "--json", "-o OUT", "-o -", "-B second")
LATENCY = ("--by=task", "--by=cpu", "--by=name", "--by=common_pid", "--unit=ns", "--unit=ms", "--slower=1us",
           "--slower=0", "--heatmap=OUT", "--json", "--why", "-B second")
STACKS = ("--stacks", "--stacks --weight=bytes_req", "--off-cpu", "--reverse")
QUERIES = ("SELECT * FROM why('*',NULL,NULL,2)", "SELECT * FROM trace_file,lost,thread", "SELECT * FROM info",
           "SELECT text,stack(stack),stack_json(stack),host FROM ftrace_event",
           "SELECT top(comm),hist(ts,10) FROM ftrace_event")

# words of a row: the groups of options of which up to three go with it. IN: the file, OTHER: a second one, OUT: what
# is written; where IN is in none of them it is at the end.
ROWS = [
    ("report", 6, INPUT + SELECT + EVENTS + RENDER),
    ("report -R", 3, INPUT + SELECT + EVENTS + RENDER),
    ("report --format=kernel", 3, SELECT + EVENTS + RENDER),
    ("report -l", 1, INPUT + RENDER),
    ("report --json", 2, INPUT + SELECT + EVENTS + ("--json-safe", "--text", "-j2")),
    ("report --csv --fields " + FIELDS, 2, INPUT + SELECT + EVENTS + ("-R", "-j2")),
    ("report --fields " + FIELDS, 2, INPUT + RENDER),
    ("report --ts-diff --boundary --stacks -w -t", 2, INPUT + SELECT + EVENTS + RENDER),
    ("report --cpus --first-event --last-event --stat --uname --version -E -f -P", 2, ()),
    ("report --events", 1, ()),
    ("report --stat", 1, ("-j2",)),
    ("report IN OTHER", 2, INPUT + SELECT + EVENTS),
    ("report -i IN --ts-offset=5 -i OTHER", 1, EVENTS),
    ("report -", 1, SELECT),
    ("graph", 4, INPUT + SELECT + EVENTS + ONE_SPAN + TREE),
    ("graph IN OTHER", 1, ONE_SPAN + TREE),
    ("profile", 4, INPUT + SELECT + EVENTS + SPAN + SUMS),
    ("flame", 2, SELECT + EVENTS + SPAN + STACKS + ("-o OUT", "--folded")),
    ("flame --folded", 2, SELECT + EVENTS + SPAN + STACKS),
    ("flame --diff OTHER IN", 1, SPAN + STACKS + ("-o OUT", "--folded")),
    ("sched latency", 2, INPUT + SELECT + ("--sort=max", "--sort=runtime", "--json", "-B second")),
    ("sched timehist", 2, INPUT + SELECT + ("-B second",)),
    ("sched states", 2, INPUT + SELECT + ("--json", "-B second")),
    ("why *", 3, INPUT + SELECT + ("--tree", "--depth=0", "--json", "--folded", "-B second")),
    ("why --in *", 1, SELECT + ("--worst=all", "--tree", "--folded")),
    ("diff --why OTHER IN", 1, SELECT + ("--csv",)),
    *(("latency " + kind, 1, SELECT + LATENCY) for kind in ("wakeup", *KINDS)),
    ("latency sched:sched_waking sched:sched_switch --key pid=next_pid", 2, SELECT + EVENTS + LATENCY),
    ("latency block:block_rq_issue block:block_rq_complete --key sector", 1, SELECT + EVENTS + LATENCY),
    ("timeline", 4, INPUT + SELECT + WIDE),
    ("diff OTHER IN", 2, SELECT + EVENTS + SPAN + ("--of=max", "--of=p99", "--of=count", "--sort=ratio", "--sort=name",
                                                  "--on-cpu", "--csv", "--raw", "--json")),
    ("diff IN OTHER", 1, SPAN),
    ("export --to perfetto", 3, INPUT + SELECT + EVENTS + ("-o OUT",)),
    ("export --to json", 2, INPUT + SELECT + EVENTS + ("-o OUT", "--text", "--json-safe", "-j2")),
    ("export --to csv", 2, INPUT + SELECT + EVENTS + ("-o OUT", "--fields " + FIELDS, "--raw", "-j2")),
    ("export --to text:perf", 2, INPUT + SELECT + EVENTS + ("-o OUT",)),
    *(("export --to %s --table %s" % (to, table), 1, SELECT + ("-o OUT",))
      for to, table in (("rowbinary", "sched_switch"), ("jsonl", "sched_waking"), ("csv", "kernel_stack"),
                        ("rowbinary", "print"))),
    ("export --to rowbinary --table thread", 1, ("-o OUT",)),
    ("export --to folded", 2, SELECT + EVENTS + SPAN + STACKS[:3] + ("-o OUT",)),
    ("export --to chrome", 2, SELECT + EVENTS + SPAN + ("-o OUT",)),
    *(("export --to %s --sql %s" % (to, query.replace(" ", "/**/")), 1, ("-o OUT",))
      for to, query in zip(("csv", "markdown"), QUERIES)),
    ("export --schema", 1, ("--text", "-o OUT")),
    ("sql -i IN --schema --json", 1, ()),
    *(("sql -i IN --max-time=5s " + query.replace(" ", "/**/"), 1, ("--json", "--csv"))
      for query in QUERIES),
    ("info", 3, ("--quick",)),
    ("info --json", 2, ("--quick",)),
    ("info IN OTHER", 1, ("--json",)),
    ("check-events", 2, ("--json", "-N", "--engine=traceevent")),
    ("check-events --formats FORMATS", 2, ("--json", "-N", "--kernel=6.12", "--engine=traceevent")),
    ("oops show", 3, ("--last=3", "--last=1000", "--around=1s", "--text", "--json")),
    ("split IN -o OUT", 3, ("-r -e 100", "-r -p 2", "-r -c -e 50", "--parts 3", "--each cpu", "--each buffer",
                            "--marker *1*", "-m 1", "--since=+1us --until=-1us", "--cpu=1", "--event=sched*")),
    ("convert IN OUT", 3, ("--file-version=6", "--compression=none", "--compression=zstd", "--drop=formats",
                           "--drop=symbols,btf")),
    ("scrub IN OUT", 3, ("--keep=sched", "--keep=addresses,strings", "--drop=formats", "--key=k")),
    ("scrub --check IN", 2, ("--keep=sched", "--keep=pids,addresses")),
    ("dump IN", 2, ("--all", "--sections --options", "--flyrecord", "--events", "-v")),
    ("merge IN OTHER -o OUT", 2, ("--drop=symbols", "--ts-offset=5", "--date")),
    ("recover IN -o OUT", 3, ("--from=OTHER", "--compression=none", "--compression=zstd", "--compression=zlib")),
    ("recover IN", 2, ("--from=OTHER", "--compression=zstd")),
    ("recover IN.cpu0 IN.cpu1 --from OTHER -o OUT", 1, ("--compression=zstd",)),
    ("browse --keys KEYS", 6, SELECT + ("--date", "--raw-ts", "-R", "-t", "--ascii", "--view=graph", "--view=timeline",
                                        "--view=log", "--size=40x8", "--size=200x60", "--fields=" + FIELDS,
                                        "--event=sched*", "--at=-1ms", "-F sched_*")),
    ("browse --keys KEYS IN OTHER", 1, ("--view=graph",)),
]
EXCLUSIVE = (("--json", "--csv", "--raw"), ("--stacks", "--off-cpu", "--kind", "--pair", "--reverse"),
             ("--engine", "-O"), ("--callers", "--tree"), ("-o", "--json"), ("--slower", "--by"), ("-N", "-O"))

# What has threads.
JOBS = [
    ("report -j2", 4, INPUT + SELECT + EVENTS),
    ("report -j2 -R", 1, EVENTS),
    ("report -j2 --json --text", 2, EVENTS),
    ("report -j2 --csv --fields " + FIELDS, 2, EVENTS),
    ("report -j2 --format=kernel", 2, SELECT),
    ("report -j2 --engine=traceevent", 1, ()),
    ("report -j3 -w --stacks IN OTHER", 1, EVENTS),
    ("export -j2 --to json", 2, EVENTS + ("--text",)),
    ("export -j2 --to csv", 2, EVENTS + ("--fields " + FIELDS,)),
    ("browse --keys KEYS", 12, SELECT + ("-R", "--view=graph", "--view=timeline", "--view=log", "--event=sched*",
                                         "--at=-1ms", "-F sched_*")),
    ("browse --keys KEYS IN OTHER", 3, ("--view=graph", "--view=timeline")),
]
# What comes out of a log.
PARSED = [("oops show", 8, ("--last=3", "--last=500", "--around=1s", "--text", "--json")), ("report", 3, RENDER),
          ("info", 1, ("--json",)), ("graph", 1, TREE), ("sched timehist", 1, ()), ("export --to perfetto", 1, ())]
# What needs spans or switches, of which few files have all kinds.
OF_SPANS = ("graph", "profile", "flame", "sched latency", "sched timehist", "sched states", "latency", "timeline",
            "diff")


def excluded(words, option):
    """Whether it does not go with what is there, which the usage would say."""
    name = option.split("=")[0].split(" ")[0]
    for group in EXCLUSIVE:
        if name in group and any(w.split("=")[0] in group for w in words):
            return True
    return any(w.split("=")[0] == name for w in words)


def command_line(rng, rows):
    """(verb, words): IN and the like are still to be replaced."""
    text, _, options = rng.choices(rows, [row[1] for row in rows])[0]
    words = text.split(" ")
    verb = " ".join(words[:2] if words[0] in ("sched", "oops") else words[:1])
    more = []
    for option in rng.sample(options, min(len(options), rng.choice((0, 0, 1, 1, 2, 3)))):
        if not excluded(words + more, option):
            more += [w.replace("\0", " ") for w in option.split(" ")]
    words += ["-v" if w == "-v" and "-F" in more else w for w in more]
    if "-v" in words and words[-1] == "-F":
        words.append("sched_switch: next_pid == 0")
    if not any(w == "-" or w.startswith("IN") for w in words) and "FORMATS" not in words:
        words.append("IN")
    return verb, words
