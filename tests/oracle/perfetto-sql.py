#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare the rows of ftr sql with those of Perfetto's trace processor, of the same queries.

Usage: tests/oracle/perfetto-sql.py [--name TEXT] [--counts FILE] DAT TRACE
       tests/oracle/perfetto-sql.py --needed FILE

TRACE is what ftr export --to perfetto made of DAT; the program is $FTR. Each query of QUERIES has one text for both. A
row that only one of the two has must have a reason of the table REASONS, and each reason is counted: --counts adds the
numbers to FILE, and --needed fails for each reason that no recording of FILE needed. Prints result lines as tests do.
Exit codes: 0 nothing failed, 1 something did.
"""
import argparse
import collections
import importlib
import json
import os
import re
import subprocess
import sys

import perfetto
import thread_states

check = importlib.import_module("perfetto-check")
SHOWN = 5

REASONS = {
    "end": "a length without an end is NULL in ours, -1 in theirs",
    "loss": "ours knows no end over a loss, theirs takes the next switch from the same task",
    "letters": "ours has the kernel's S|D, theirs SD",
    "idle": "each CPU has an idle task in ours, all have one in theirs, and it is called swapper",
    "unseen": "theirs lists tasks whose names are saved, ours those with records",
    "exec": "ours has the name after exec(), theirs that of the last switch or task_rename",
    "moved": "ours has a task that only sched_migrate_task or sched_wakeup knows",
    "waking": "theirs takes names of tasks from sched_waking, too",
    "forked": "ours takes the name of a task from sched_process_fork, too",
    "born": "theirs makes another task of a pid at task_newtask, in the process that its flags name",
    "torn": "records of several CPUs have one time, and nobody knows their order",
    "last": "theirs begins with the last record, after which ours has nothing",
    "zero": "ours has no state of no length, such as a sleep whose task is woken at the same time",
    "life": "a pid that is used again is another task in ours only",
    "alone": "theirs makes a process of a task whose process is not known, ours none",
    "leader": "a task that has made an exec is the first of its process in ours",
    "idle process": "theirs has a process of the idle task",
    "interrupted": "the task that an interrupt hit is a waker in theirs, not in ours",
    "context": "theirs does not know the context of each waking",
    "state": "the wait itself is a row of one only, see the states",
    "fork": "theirs takes task_newtask as the begin of a task, ours sched_process_fork, too",
    "idle waker": "the idle task wakes nobody in ours outside of interrupts",
    "mark": "theirs takes the process of a task from its marks",
    "unnamed": "a mark without a name is <...> in ours, [empty slice name] in theirs",
    "fraction": "the export has no counters that are not whole numbers, or with a bar in the name",
    "interrupt": "a call that interrupted another one has no caller in ours",
    "retaddr": "theirs has one name for calls with and without a return address",
    "rt": "with PREEMPT_RT softirqs run in tasks, which theirs does not know",
    "category": "theirs has other categories, or none",
    "sys": "theirs puts sys_ before the names of system calls",
    "irq": "theirs writes IRQ (NAME)",
    "began": "ours has ends without a begin, theirs leaves them out",
    "lock": "ours has waits for locks and probes, theirs has not",
    "signal": "theirs has slices of no length for signals",
    "exit": "theirs has open slices for exit() and exit_group(), which do not return",
    "sigreturn": "rt_sigreturn has no length in theirs",
    "write": "theirs ends write() at the mark that it writes",
    "depth": "ours has the depth that the kernel recorded, theirs counts the calls around",
    "measured": "ours has the length that the kernel measured, theirs that between the records",
}
REASONS.update({"state: " + text: text for text in (
    thread_states.PREEMPTED, thread_states.LEFT_OUT,
    "theirs is open at the end of the file, where ours ends",
    "ours ends as its pid is another task's",
    "ours is unknown from a time on",
    "ours ends at sched_wakeup, theirs at sched_waking alone",
    "ours is unknown",
    "ours is unknown up to a waking",
    "ours runs from the first record on, theirs from a switch on",
    "ours begins at sched_wakeup, which theirs does not look at",
    "ours begins at sched_process_fork, which theirs does not look at",
    "theirs waits where ours is unknown",
    "theirs begins at task_newtask, ours at sched_process_fork",
    "theirs begins at a waking, of whose task ours knows nothing yet",
    "theirs begins at a waking of another instance than the one that ours looks at",
    "theirs ends at a waking of another instance than the one that ours looks at",
)})
TASK = "JOIN thread t USING (utid)"
ON_TASK = "JOIN thread t ON t.utid = s.utid"
ON_THREAD = "FROM slice s JOIN thread_track k ON s.track_id = k.id " + TASK
EVENTS = "FROM ftrace_event e JOIN args a USING (arg_set_id)"
QUERIES = {
    "runs": f"SELECT s.ts, s.dur, s.cpu, t.tid, s.end_state, s.priority FROM sched_slice s {TASK}",
    "time of CPUs": "SELECT cpu, count(*) AS n, sum(dur) AS time FROM sched WHERE dur >= 0 GROUP BY cpu",
    "time of tasks": f"SELECT t.tid, count(*) AS n, sum(s.dur) AS time, max(s.ts + s.dur) AS last FROM sched_slice s "
                     f"{TASK} WHERE s.dur >= 0 AND NOT t.is_idle GROUP BY t.tid",
    "ends of runs": "SELECT ts_end, count(*) AS n FROM sched WHERE dur >= 0 GROUP BY ts_end",
    "priorities": "SELECT priority, count(*) AS n FROM sched_slice GROUP BY priority",
    "states": f"SELECT s.ts, s.dur, s.cpu, t.tid, s.state FROM thread_state s {TASK}",
    "states and runs": "SELECT t.tid, s.ts, s.cpu, c.dur = s.dur AS equal FROM thread_state s JOIN sched_slice c "
                       f"ON c.ts = s.ts AND c.utid = s.utid {ON_TASK} WHERE s.state = 'Running' AND c.dur >= 0",
    "wakers": f"SELECT s.ts, t.tid, s.irq_context, w.tid AS waker FROM thread_state s {TASK} "
              "LEFT JOIN thread w ON w.utid = s.waker_utid WHERE s.state = 'R' AND s.irq_context IS NOT NULL",
    "reasons of sleeps": f"SELECT s.ts, t.tid, s.io_wait, s.blocked_function FROM thread_state s {TASK} "
                         "WHERE s.io_wait IS NOT NULL",
    "slices of tasks": f"SELECT s.ts, s.dur, s.category, s.name, t.tid {ON_THREAD} WHERE k.type = 'thread_execution'",
    "calls": f"SELECT s.ts, s.dur, s.name, s.depth, t.tid {ON_THREAD} WHERE k.type = 'thread_funcgraph'",
    "callers": "SELECT s.ts, s.name, p.name AS caller FROM slice s LEFT JOIN slice p ON s.parent_id = p.id "
               "JOIN thread_track k ON k.id = s.track_id WHERE k.type = 'thread_funcgraph'",
    "slices of CPUs": "SELECT s.ts, s.dur, s.category, s.name, k.cpu, k.type, k.name AS track FROM slice s "
                      "JOIN cpu_track k ON s.track_id = k.id WHERE k.type <> 'cpu_funcgraph'",
    "time of softirqs": "SELECT s.name, count(*) AS n, sum(s.dur) AS time, max(s.dur) AS longest FROM slice s "
                        "JOIN track k ON s.track_id = k.id WHERE k.type = 'cpu_softirq' AND s.dur >= 0 GROUP BY s.name",
    "slices of processes": "SELECT s.ts, s.dur, s.name FROM slice s JOIN process_track k ON s.track_id = k.id",
    "tasks": "SELECT tid, name, is_idle FROM thread",
    "begins of tasks": "SELECT tid, start_ts FROM thread WHERE start_ts IS NOT NULL",
    "processes": f"SELECT t.tid, p.pid, t.is_main_thread FROM thread t JOIN process p USING (upid)",
    "records": f"SELECT e.ts, e.cpu, e.name, t.tid FROM ftrace_event e {TASK}",
    "kinds of records": "SELECT name, count(*) AS n, min(ts) AS first, max(ts) AS last FROM raw GROUP BY name",
    "numbers of switches": f"SELECT e.ts, a.key, a.int_value AS value {EVENTS} WHERE e.name = 'sched_switch' "
                           "AND a.key IN ('prev_pid', 'prev_prio', 'next_pid', 'next_prio')",
    "names of switches": f"SELECT e.ts, a.flat_key, a.string_value AS value {EVENTS} WHERE e.name = 'sched_switch' "
                         "AND a.value_type = 'string'",
    "sums of numbers": f"SELECT e.name, a.key, count(*) AS n, sum(a.int_value) AS sum {EVENTS} WHERE a.key IN "
                       "('irq', 'vec', 'id', 'target_cpu', 'cpu_id', 'sector') GROUP BY e.name, a.key",
    "counters": "SELECT c.ts, k.name, k.type, CAST(c.value AS INT) AS value FROM counter c "
                "JOIN counter_track k ON c.track_id = k.id",
    "counters by name": "SELECT name, count(*) AS n, CAST(sum(value) AS INT) AS sum FROM counters GROUP BY name",
    "counters of CPUs": "SELECT c.ts, k.name, k.cpu, CAST(c.value AS INT) AS value FROM counter c "
                        "JOIN cpu_counter_track k ON c.track_id = k.id",
    "counters of processes": "SELECT c.ts, k.name, k.upid IS NULL AS free FROM counter c "
                             "JOIN process_counter_track k ON c.track_id = k.id",
}


# --- rows ------------------------------------------------------------------------------------

def number_or_text(value):
    """A value of Perfetto, all of which are texts."""
    if value == "[NULL]":
        return None
    return int(value) if re.fullmatch(r"-?\d+", value) else value


def ask_theirs(answers, query):
    """Rows as tuples."""
    rows = answers.rows(query)
    return [tuple(number_or_text(cell.decode(errors="backslashreplace")) for cell in row) for row in rows]


def ask_ours(path):
    """{name: rows} of all queries, and the names of their columns, of one run."""
    done = subprocess.run([os.environ["FTR"], "sql", "--json", "-i", path, ";".join(QUERIES.values())],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    text = done.stdout.decode(errors="surrogateescape")
    decoder, at, out = json.JSONDecoder(), 0, {}
    for name in QUERIES:
        while at < len(text) and text[at].isspace():
            at += 1
        if at == len(text):
            raise perfetto.Failed(f"ftr sql: {name}: {done.stderr.decode(errors='replace')}")
        rows, at = decoder.raw_decode(text, at)
        out[name] = [tuple(row.values()) for row in rows]
    return out


def plain_value(value):
    """Numbers in texts are numbers, as number_or_text() has them."""
    return number_or_text(value) if isinstance(value, str) else value


# --- reasons ---------------------------------------------------------------------------------

class Facts:
    """What the reasons need to know of the recording."""

    def __init__(self, recording):
        self.recording = recording
        self.lossy = recording.lossy
        self.model = recording.model()
        self.wakings = {(rec.ts, rec.number("pid", True)) for rec in thread_states.known_wakings(recording.by_time())}
        self.moved = {rec.number("pid", True) for rec in recording.named("sched_migrate_task", "sched_wakeup",
                                                                         "sched_wakeup_new")}
        self.wakers = {(rec.ts, rec.number("pid", True), rec.pid) for rec in recording.named("sched_waking")}
        self.blind = thread_states.left_out(self.model)
        self.pids = collections.Counter(int(re.split("[./]", task.name)[0]) for task in self.model.tasks.all)
        self.made = {rec.number("pid", True) for rec in recording.named("task_newtask")}
        self.names(recording)
        self.leaders = {rec.number("pid", True) for rec in recording.named("sched_process_exec")}
        self.torn = thread_states.torn(recording.by_time(), thread_states.told)
        self.rt = "-rt" in recording.trace.uname
        self.notes(recording)
        times = collections.Counter((rec.ts, rec.cpu) for rec in recording.named("sched_switch"))
        self.still = {ts for (ts, _), n in times.items() if n > 1}     # times of several switches of one CPU
        self.waits = set()          # (time, task) of the waits that both have

    def names(self, recording):
        """Names that records give to pids, by pid."""
        self.switched, self.forked, self.execs = (collections.defaultdict(set) for _ in range(3))
        self.woken = {rec.number("pid", True): check.text_of(rec, "comm").decode(errors="backslashreplace")
                      for rec in recording.named("sched_waking")}       # the last one of each
        for names, event, pid, comm in ((self.switched, "sched_switch", "prev_pid", "prev_comm"),
                                        (self.switched, "sched_switch", "next_pid", "next_comm"),
                                        (self.forked, "sched_process_fork", "child_pid", "child_comm"),
                                        (self.execs, "sched_process_exec", "pid", "filename"),
                                        (self.execs, "task_rename", "pid", "newcomm")):
            for rec in recording.named(event):
                name = os.path.basename(check.text_of(rec, comm)) if comm == "filename" else check.text_of(rec, comm)
                names[rec.number(pid, True)].add(name[:15].decode(errors="backslashreplace"))
        self.named = collections.defaultdict(set, {pid: self.switched[pid] | self.forked[pid] | self.execs[pid]
                                                    for pid in self.pids})

    def notes(self, recording):
        """Marks, and what the kernel recorded of calls."""
        marks = [(rec, check.text_of(rec, "buf").rstrip(b"\n")) for rec in recording.named("print") if rec.has("buf")]
        self.marks = {(rec.pid, rec.ts) for rec, text in marks if check.MARK.match(text)}
        named = {(rec.pid, int(text.split(b"|")[1])) for rec, text in marks
                 if check.MARK.match(text) and re.match(rb"[^|]*\|\d", text)}
        self.marked = named | {(pid, pid) for _, pid in named}      # (task, process) as marks have them
        self.markers = {pid for pair in named for pid in pair}
        self.fractions = {rec.ts: text.split(b"|")[2].decode() for rec, text in marks
                          if text.startswith(b"C|") and not check.MARK.match(text)}
        self.measured = {(rec.pid, rec.number("rettime") - rec.number("calltime"))
                         for rec in recording.named("funcgraph_exit") if rec.has("rettime")}
        self.exits = {(rec.pid, rec.ts) for rec in recording.named("funcgraph_exit")}
        self.depths = {(rec.pid, rec.ts, rec.number("depth", True)) for rec in recording.named(*check.GRAPH)
                       if rec.format.name != "funcgraph_exit"}
        self.interrupts = {(span.begin, span.name) for span in self.model.spans if span.interrupted}


def change(row, at, value):
    return row[:at] + (value,) + row[at + 1:]


def open_end(at):
    """NULL in ours, -1 in theirs."""
    def rule(row, _):
        return change(row, at, -1) if row[at] is None else row
    return "end", rule


def letters(at):
    def rule(row, _):
        return change(row, at, row[at].replace("|", "")) if row[at] else row
    return "letters", rule


def renamed(key, at, convert):
    def rule(row, _):
        return change(row, at, convert(row))
    return key, rule


CATEGORIES = {"syscall": None, "marker": None, "async": None, "work": "workqueue", "irq": "irq", "softirq": "irq",
              "function_graph": None}


# Changes of our rows, in this order; a row that is the same as one of theirs before needs none.
OURS = {
    "runs": [open_end(1), letters(4)],
    "slices of tasks": [
        open_end(1),
        renamed("sys", 3, lambda r: "sys_" + r[3] if r[2] == "syscall" else r[3]),
        renamed("sigreturn", 1, lambda r: 0 if r[3] == "sys_rt_sigreturn" else r[1]),
        renamed("unnamed", 3, lambda r: "[empty slice name]" if (r[2], r[3]) == ("marker", "<...>") else r[3]),
        renamed("category", 2, lambda r: CATEGORIES.get(r[2], r[2]))],
    "slices of CPUs": [
        open_end(1),
        renamed("irq", 3, lambda r: f"IRQ ({r[3]})" if r[2] == "irq" else r[3]),
        renamed("category", 2, lambda r: CATEGORIES.get(r[2], r[2]))],
    "calls": [open_end(1)],
    "slices of processes": [open_end(1)],
    "tasks": [renamed("idle", 1, lambda r: "swapper" if r[2] else r[1])],
    "records": [renamed("retaddr", 2, lambda r: check.RENAMED.get(r[2], r[2]))],
}

def event_name(name):
    """An event's name without its system, which drivers have in front, too."""
    return re.sub(rf"\A(?:{'|'.join(check.DRIVERS)})_tracing", "tracing", check.plain(name))


def added_up(rows):
    """Kinds of records whose names are the same."""
    kinds = {}
    for name, n, first, last in rows:
        old = kinds.get(name, (name, 0, first, last))
        kinds[name] = name, old[1] + n, min(old[2], first), max(old[3], last)
    return list(kinds.values())


# Changes of their rows, which nobody needs to know of.
THEIRS = {
    "calls": [renamed("module", 2, lambda r: check.bare(r[2].encode()).decode())],
    "callers": [renamed("module", 1, lambda r: check.bare(r[1].encode()).decode()),
                renamed("module", 2, lambda r: r[2] and check.bare(r[2].encode()).decode())],
    "tasks": [renamed("empty", 1, lambda r: r[1] or None)],
    "slices of tasks": [renamed("module", 3, lambda r: check.bare(str(r[3]).encode()).decode())],
    "records": [renamed("system", 2, lambda r: event_name(r[2]))],
    "kinds of records": [renamed("system", 0, lambda r: event_name(r[0]))],
    "sums of numbers": [renamed("system", 0, lambda r: check.plain(r[0]))],
}

# Rows that only one of them has: (reason, whose, test of the row).
ALONE = {
    "slices of tasks": [
        ("began", "ours", lambda r, f: r[0] is None),
        ("lock", "ours", lambda r, f: r[2] in ("lock", "probe")),
        ("rt", "ours", lambda r, f: f.rt and r[2] == "softirq"),
        ("signal", "theirs", lambda r, f: r[1] == 0 and r[3] in ("signal_generate", "signal_deliver")),
        ("exit", "theirs", lambda r, f: r[3] in ("sys_exit", "sys_exit_group") and r[1] == -1)],
    "slices of CPUs": [
        ("began", "ours", lambda r, f: r[0] is None),
        ("rt", "theirs", lambda r, f: f.rt and r[5] == "cpu_softirq")],
    "time of softirqs": [("rt", "theirs", lambda r, f: f.rt)],
    "calls": [("began", "ours", lambda r, f: r[0] is None)],
    "callers": [("began", "ours", lambda r, f: r[0] is None)],
    "slices of processes": [("began", "ours", lambda r, f: r[0] is None)],
    "tasks": [
        ("idle", "ours", lambda r, f: r[0] == 0 and r[2] == 1),
        ("forked", "ours", lambda r, f: r[1] in f.forked[r[0]]),
        ("moved", "ours", lambda r, f: r[1:] == (None, 0) and r[0] in f.moved and not f.switched[r[0]]),
        ("life", "ours", lambda r, f: f.pids[r[0]] > 1 and r[1] in f.named[r[0]] | {None}),
        ("life", "theirs", lambda r, f: f.pids[r[0]] > 1 and r[1] in f.named[r[0]] | {None}),
        ("born", "theirs", lambda r, f: r[0] in f.made),
        ("mark", "theirs", lambda r, f: r[0] in f.markers),
        ("unseen", "theirs", lambda r, f: not f.pids[r[0]])],
    "processes": [
        ("leader", "ours", lambda r, f: r[0] in f.leaders and r[0] == r[1]),
        ("idle process", "theirs", lambda r, f: r[:2] == (0, 0)),
        ("born", "theirs", lambda r, f: r[0] in f.made),
        ("mark", "theirs", lambda r, f: r[:2] in f.marked),
        ("alone", "theirs", lambda r, f: r[0] == r[1] and r[2] == 1)],
    "wakers": [
        ("idle waker", "theirs", lambda r, f: r[2:] == (0, 0)),
        ("state", "ours", lambda r, f: (r[0], r[1]) not in f.waits),
        ("state", "theirs", lambda r, f: (r[0], r[1]) not in f.waits),
        ("context", "ours", lambda r, f: (r[0], r[1]) not in f.wakings)],
    "states and runs": [
        ("state: " + thread_states.LEFT_OUT, "theirs", lambda r, f: r[0] in f.blind),
        ("life", "theirs", lambda r, f: f.pids[r[0]] > 1),
        ("zero", "theirs", lambda r, f: r[1] in f.still),
        ("torn", "ours", lambda r, f: r[0] in f.torn),
        ("torn", "theirs", lambda r, f: r[0] in f.torn)],
    "counters": [("fraction", "ours", lambda r, f: r[0] in f.fractions)],
    "counters of processes": [("fraction", "ours", lambda r, f: r[0] in f.fractions)],
    "counters by name": [
        ("fraction", "ours", lambda r, f: r[0] in f.fractions.values()),
        ("fraction", "theirs", lambda r, f: r[0] in f.fractions.values())],
    "begins of tasks": [("fork", "ours", lambda r, f: r[0] in f.forked and r[0] not in f.made)],
}

# A row of ours and one of theirs that belong together but differ: (reason, key of a row, test of both).
PARTNERS = {
    "runs": [("loss", lambda r: (r[0], r[2], r[3], r[5]), lambda o, t, f: o[1] is None and o[2] in f.lossy)],
    "tasks": [("exec", lambda r: (r[0], r[2]), lambda o, t, f: o[1] in f.execs[o[0]] and t[1] in f.named[o[0]]),
              ("waking", lambda r: (r[0], r[2]), lambda o, t, f: t[1] == f.woken.get(o[0])),
              ("forked", lambda r: (r[0], r[2]), lambda o, t, f: t[1] is None and o[1] in f.forked[o[0]])],
    "slices of tasks": [
        ("write", lambda r: (r[0], re.sub("^sys_", "", str(r[3])), r[4]),
         lambda o, t, f: t[3] == "sys_write" and t[1] >= 0 and (t[4], t[0] + t[1]) in f.marks)],
    "calls": [("depth", lambda r: (r[0], -1 if r[1] is None else r[1], r[2], r[4]),
               lambda o, t, f: (o[4], o[0], o[3]) in f.depths and t[3] < o[3]),
              ("measured", lambda r: (r[0], r[2], r[4]),
               lambda o, t, f: (o[4], o[1]) in f.measured and (t[4], t[0] + t[1]) in f.exits)],
    "callers": [("interrupt", lambda r: (r[0], r[1]), lambda o, t, f: o[2] is None and (o[0], o[1]) in f.interrupts)],
    "wakers": [("interrupted", lambda r: (r[0], r[1], r[2]),
                lambda o, t, f: o[2:] == (1, None) and (t[0], t[1], t[3]) in f.wakers)],
}


# --- comparing -------------------------------------------------------------------------------

class Comparison:
    """Rows of one query; ->same are those of both, ->counts those of one by reason, ->odd those for which there is
    none."""

    def __init__(self, name, facts):
        self.name, self.facts = name, facts
        self.same, self.counts, self.odd = 0, collections.Counter(), []

    def run(self, ours, theirs):
        for _, rule in THEIRS.get(self.name, []):
            theirs = [rule(row, self.facts) for row in theirs]
        if self.name == "kinds of records":
            ours = added_up((check.RENAMED.get(row[0], row[0]),) + row[1:] for row in ours)
            theirs = added_up(theirs)
        left, right = collections.Counter(ours), collections.Counter(theirs)
        both = left & right
        self.same = sum(both.values())
        left, right = left - both, right - both
        left = self.changed(left, right)
        left = self.partners(left, right)
        self.alone(left, "ours")
        self.alone(+right, "theirs")

    def changed(self, left, right):
        """Takes what is equal after the changes out of both. Returns the rest of the left."""
        rest = collections.Counter()
        for row, n in left.items():
            new, keys = row, []
            for key, rule in OURS.get(self.name, []):
                before, new = new, rule(new, self.facts)
                keys += [key] if new != before else []
            k = min(n, right[new])
            right[new] -= k
            self.same += k
            for key in keys:
                self.counts[key] += k
            rest[row] += n - k
        return +rest

    def partners(self, left, right):
        for reason, key, test in PARTNERS.get(self.name, []):
            by_key = collections.defaultdict(list)
            for row in +right:
                by_key[key(row)].append(row)
            for row in list(left.elements()):
                other = next((o for o in by_key[key(row)] if right[o] and test(row, o, self.facts)), None)
                if other:
                    left[row] -= 1
                    right[other] -= 1
                    self.counts[reason] += 1
        return +left

    def alone(self, rows, whose):
        for row, n in rows.items():
            reason = next((key for key, of, test in ALONE.get(self.name, []) if of == whose and test(row, self.facts)),
                          None)
            if reason:
                self.counts[reason] += n
            else:
                self.odd += [f"{whose} alone: {row}"] * n


class SqlTask:
    """The rows of thread_state of one pid, as a task of spans.py."""

    def __init__(self, name, blind):
        self.name, self.blind, self.rows = name, blind, []


class SqlModel:
    """What thread_states.Beside wants of a model, of rows of thread_state."""

    WORDS = {None: "unknown", "Running": "running", "R+": "preempted", "X": "dead"}

    def __init__(self, rows, facts):
        model, records = facts.model, facts.recording.by_time()
        self.end_ts, self.state_buffer, self.tasks = model.end_ts, model.state_buffer, self
        self.switched, self.left, self.came, self.made = set(), set(), set(), set()
        for rec in records:
            self.note(rec)
        tasks, blind = {}, facts.blind
        for ts, dur, cpu, tid, state in sorted(rows, key=lambda r: (r[3], r[0], r[1])):
            task = tasks.setdefault(tid, SqlTask(str(tid), tid in blind))
            task.rows.append((ts, ts + dur, self.word(ts, tid, state), cpu, self.is_switched(ts, tid, cpu, state)))
        for pid in blind - set(tasks):
            tasks[pid] = SqlTask(str(pid), True)
        self.all = list(tasks.values())

    def note(self, rec):
        name = rec.format.name if rec.format else None
        if name == "sched_switch":
            self.switched.add((rec.ts, rec.number("prev_pid", True)))
            if check.end_state(rec)[0] == "R":
                self.left.add((rec.ts, rec.number("prev_pid", True)))
            self.came.add((rec.ts, rec.number("next_pid", True), rec.cpu))
        elif name == "sched_process_fork":
            self.made.add((rec.ts, rec.number("child_pid", True)))

    def word(self, ts, tid, state):
        if state == "R" and (ts, tid) in self.left:
            return "preempted"
        if state == "R":
            return "new" if (ts, tid) in self.made else "runnable"
        return self.WORDS.get(state, state)

    def is_switched(self, ts, tid, cpu, state):
        return (ts, tid, cpu) in self.came if state == "Running" else (ts, tid) in self.switched


class States(Comparison):
    """thread_state, whose rows depend on each other: thread_states.py knows the reasons."""

    def run(self, ours, theirs):
        rows = collections.defaultdict(list)
        for ts, dur, cpu, tid, state in sorted(theirs, key=lambda r: (r[3], r[0])):
            rows[tid].append(thread_states.Row(ts, dur, state, cpu))
        found = thread_states.Beside(SqlModel(ours, self.facts), rows, self.facts.recording.by_time())
        self.same = found.same
        self.begins = {(r[3], r[0]) for r in ours}
        for text in found.odd:
            self.explain(text)
        self.counts.update({"state: " + reason: n for reason, n in found.reasons.items()})
        self.facts.waits = {(r[0], r[3]) for r in ours if r[4] == "R"} & {(r[0], r[3]) for r in theirs if r[4] == "R"}
        self.letters(ours, theirs)

    def explain(self, text):
        """A row that thread_states.py has no reason for: "task PID: ROW"."""
        pid, ts, dur = (int(n) for n in re.search(r"task (\d+): \w+\(\w+=(\d+), \w+=(-?\d+)", text).groups())
        if pid in self.facts.torn:
            self.counts["torn"] += 1
        elif "Row(" in text and (dur == 0 or (pid, ts) in self.begins):
            self.counts["zero"] += 1
        elif "Row(" in text and dur == -1 and ts == self.facts.model.end_ts:
            self.counts["last"] += 1
        else:
            self.odd.append(text)

    def letters(self, ours, theirs):
        """States of both at the same time have one name; a task that is dead has that of its parts in theirs."""
        names = {row[:4]: row[4] for row in theirs}
        for row in ours:
            mine, other = row[4], names.get(row[:4])
            if mine and other and mine != "X" and mine[0] + other[0] not in ("RD", "RS", "DR", "SR") and \
               mine.replace("|", "") != other:
                self.odd.append(f"{row}: {other}")


# Without a switch or a begin the two make different things of the rest.
NEED_SWITCHES = {name for name, query in QUERIES.items() if re.search(r"FROM (sched|thread_state)", query)} - {"runs"}
NEED_SLICES = {name for name, query in QUERIES.items() if "FROM slice s" in query}


def is_whole(facts):
    """Whether no record of a switch is missing, and one buffer has them all."""
    by_buffer = facts.recording.switches()
    if facts.lossy or len(by_buffer) > 1:
        return False
    switches = next(iter(by_buffer.values()), [])
    return not check.cpu_slices(switches)[1] and not check.runs_twice(switches)


def has_slices(facts):
    """Whether begins and ends of slices belong together in both; see check_spans() of perfetto-check.py."""
    mine = [s for s in facts.model.spans if s.kind in check.KINDS]
    calls = facts.recording.named(*check.GRAPH)
    graph = check.Graph(calls, facts.recording.symbols)
    return not facts.lossy and not check.is_torn(facts.recording, mine) and not graph.misplaced and not graph.torn


def compare(report, facts, path, trace, counts):
    answers = check.Answers(perfetto.library(), trace)
    mine = ask_ours(path)
    broken = set() if is_whole(facts) else set(NEED_SWITCHES)
    broken |= {"runs"} if len(facts.recording.switches()) > 1 else set()
    broken |= set() if has_slices(facts) else NEED_SLICES
    for name, query in QUERIES.items():
        found = (States if name == "states" else Comparison)(name, facts)
        try:
            found.run([tuple(map(plain_value, row)) for row in mine[name]], ask_theirs(answers, query))
        except perfetto.Failed as error:
            report.line(False, f"{name}: Perfetto answers", str(error))
            continue
        text = f"{name}: {found.same} rows of both, {sum(found.counts.values())} with a reason"
        if name in broken:
            report.line(True, f"{text}, {len(found.odd)} as records are missing")
            continue
        report.line(not found.odd, text, f"{len(found.odd)} without", *found.odd[:SHOWN])
        for reason, n in sorted(found.counts.items()):
            print(f"# {name}: {n} rows: {REASONS.get(reason)}")
            if reason not in REASONS:
                report.line(False, f"{name}: a reason of the table", reason)
        counts.update(found.counts)


def is_needed(path):
    """Prints a line for each reason of REASONS. Returns false if one was not needed."""
    with open(path, encoding="utf-8") as file:
        counts = collections.Counter()
        for line in file:
            key, n = line.rstrip("\n").split("\t")
            counts[key] += int(n)
    for key, text in REASONS.items():
        if not counts[key]:
            print(f"not ok - a reason that nothing needs: {text}")
        else:
            print(f"ok - a reason for {counts[key]} rows: {text}")
    return all(counts[key] for key in REASONS)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--name", default="sql")
    parser.add_argument("--counts")
    parser.add_argument("--needed", metavar="FILE")
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    if args.needed:
        return 0 if is_needed(args.needed) else 1
    if len(args.files) != 2:
        parser.error("a trace.dat and its export are wanted")
    report = check.Report(args.name, False)
    counts = collections.Counter()
    try:
        compare(report, Facts(check.Recording(args.files[0])), *args.files, counts)
    except (perfetto.Failed, perfetto.Unusable) as error:
        report.line(False, "both answer", str(error))
    if args.counts:
        with open(args.counts, "a", encoding="utf-8") as file:
            file.writelines(f"{key}\t{n}\n" for key, n in counts.items())
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
