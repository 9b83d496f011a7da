#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compare the sleeps in accounts of ftr why with Perfetto's critical paths.

Usage: tests/oracle/perfetto-why.py [--name TEXT] DAT...

The sleeps of all tasks are those of spans.py. The account of each, from its start to its end, comes from
ftr why --tree: one row with the waker, and the rows inside of it. Perfetto's critical path of the span of execution
that follows a sleep divides the sleep among the tasks that the sleeper waited for, and its thread_state divides the
time of these into running, runnable and asleep. Where a task ended the sleep, waker and times have to be equal to the
nanosecond. A sleep that differs is asked for again in the pieces of Perfetto's path. Each piece that differs needs a
reason that the records give, but in files with losses; the reasons are counted in a table. The sleeps together have
to be the rows of the account of all time.

Uses the program $FTR, or ftr of $FTR_BUILD. Prints result lines as tests do. Exit codes: 0 nothing failed,
1 something did, 77 there is no trace processor (one line why).
"""
import argparse
import bisect
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

import perfetto
import spans
import thread_states

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FTR = os.environ.get("FTR") or os.path.join(os.environ.get("FTR_BUILD", TOP + "/build"), "ftr")
SHOWN = 10                      # of what differs
HARDIRQ, SOFTIRQ, NMI = 0x08, 0x10, 0x40        # common_flags, include/linux/trace_events.h
AWAKE = ("running", "new", "runnable", "preempted", "unknown", "dead")
GROUPS = {"ran": "ran", "interrupted": "ran", "asleep": "slept", "blocked": "slept", "stopped": "slept",
          "not known": "unknown", "not followed": "not followed"}
DEEPEST = 16                    # wakers that --tree follows
TASK = re.compile(r"(?:signal \d+ from )?.*?-(\d+)(?:\.\d+)?(?: released lock .*| woke futex 0x[0-9a-f]+)?", re.S)
WORK = re.compile(r"work .*", re.S)
WORKERS = "a row of ours has sleeps that several workers ended"

MODULE = "INCLUDE PERFETTO MODULE sched.thread_executing_span"
NODES = ("SELECT g.id, t.tid, g.ts, g.idle_dur, g.idle_state, g.waker_id, g.prev_id "
         "FROM _wakeup_graph g JOIN thread t USING (utid)")
PATHS = ("SELECT p.root_id, p.ts, p.dur, p.id FROM _critical_path_by_roots!("
         "(SELECT id AS root_node_id FROM _wakeup_graph), _wakeup_graph) p ORDER BY p.root_id, p.ts")
STATES = "SELECT t.tid, s.ts, s.dur, s.state FROM thread_state s JOIN thread t USING (utid) ORDER BY t.tid, s.ts, s.id"

INTERRUPT = "woken in an interrupt, where theirs ends"
IDLE = "woken in an interrupt that hit the idle task, of which theirs has no state"
CONTEXT = "woken in an interrupt, whose context the trace cannot pass on to theirs"
LEFT = "ours knows the threads to which softirqs are left, theirs takes the task that the interrupt hit, or none"
EARLY = "woken on its way to sleep, which theirs does not look at"

Sleep = collections.namedtuple("Sleep", "pid begin end state is_woken")
Node = collections.namedtuple("Node", "id pid ts idle state waker prev")
Piece = collections.namedtuple("Piece", "begin end pid group")     # pid None: no task of theirs


# --- the records -----------------------------------------------------------------------------

def name_of(rec):
    return rec.format.name if rec.format else None


def is_interrupt(rec):
    return bool(rec.flags & (HARDIRQ | SOFTIRQ | NMI))


class Recording:
    """The sleeps of a file, and what its records say of wakings."""

    def __init__(self, path):
        models, _ = spans.read_files([path], [])
        self.model = models[0]
        self.records = self.model.records
        self.lossy = any(rec.lost for rec in self.records)
        self.wakings = {(rec.number("pid", True), rec.ts): rec for rec in self.named("sched_waking")}
        self.waking_times = collections.defaultdict(list)
        for pid, ts in self.wakings:
            self.waking_times[pid].append(ts)
        self.woken = {(rec.number("pid", True), rec.ts): rec for rec in self.named("sched_wakeup")}
        self.first_in = {}          # pid: the first time that a switch names it
        self.iowait = collections.defaultdict(list)
        for rec in self.named("sched_switch"):
            for field in ("prev_pid", "next_pid"):
                self.first_in.setdefault(rec.number(field, True), rec.ts)
        for rec in self.named("sched_blocked_reason"):
            if rec.number("io_wait"):
                self.iowait[rec.number("pid", True)].append(rec.ts)
        self.torn = self.torn_times()
        self.known = {(rec.number("pid", True), rec.ts) for rec in thread_states.known_wakings(self.records)}
        self.rows, self.shared = {}, set()
        for task in self.model.tasks.all:
            pid = int(re.split("[./]", task.name)[0])
            if pid in self.rows and pid:
                self.shared.add(pid)
            self.rows.setdefault(pid, []).extend(task.rows)
        self.sleeps = {pid: list(self.sleeps_of(pid)) for pid in self.rows if pid and pid not in self.shared}
        self.begins = {pid: [sleep.begin for sleep in sleeps] for pid, sleeps in self.sleeps.items()}

    def named(self, *names):
        return [rec for rec in self.records if name_of(rec) in names]

    def torn_times(self):
        """(task, ts) of records of several CPUs that have one time. Nobody knows their order."""
        return thread_states.torn(self.records, lambda rec: [(pid, rec.ts) for pid in thread_states.told(rec)])

    def sleeps_of(self, pid):
        rows = self.rows[pid]
        for (begin, end, state, *_), after in zip(rows, rows[1:] + [None]):
            if state not in AWAKE and end > begin and after and after[2] in ("running", "runnable"):
                yield Sleep(pid, begin, end, state, after[2] == "runnable")

    def unended(self, pid):
        """(waker or None, time) of the sleeps after which the recording ends, or the task is not known."""
        rows = self.rows[pid]
        for row, after in zip(rows, rows[1:] + [None]):
            if row[2] not in AWAKE and not (after and after[2] in ("running", "runnable")):
                waking = self.wakings.get((pid, row[1]))
                yield waking.pid if waking and not is_interrupt(waking) else None, row[1] - row[0]

    def sleep_at(self, pid, ts):
        """The sleep of a task at that time, or None."""
        i = bisect.bisect_right(self.begins.get(pid, []), ts) - 1
        return self.sleeps[pid][i] if i >= 0 and ts < self.sleeps[pid][i].end else None

    def state_at(self, pid, ts):
        return next((row[2] for row in self.rows.get(pid, []) if row[0] <= ts < row[1]), None)

    def runs_at_end(self, pid, ts):
        """Whether the run of the task at that time is its last row, which only the recording ends."""
        rows = self.rows.get(pid, [])
        return bool(rows) and rows[-1][2] == "running" and rows[-1][0] <= ts and rows[-1][1] == self.model.end_ts

    def last_sleep(self, pid, ts):
        """The last sleep of the task that ended up to that time, or None."""
        i = bisect.bisect_right(self.begins.get(pid, []), ts) - 1
        while i >= 0 and self.sleeps[pid][i].end > ts:
            i -= 1
        return self.sleeps[pid][i] if i >= 0 else None

    def waking(self, sleep):
        """The record that ended the sleep, or None. A task that is woken on its way to sleep may still leave its CPU;
        then the record is before the sleep, and sched_wakeup ends it."""
        exact = self.wakings.get((sleep.pid, sleep.end))
        if not self.wakings:
            return self.woken.get((sleep.pid, sleep.end))
        times = self.waking_times[sleep.pid]
        i = bisect.bisect_right(times, sleep.end) - 1
        if exact or i < 0 or (sleep.pid, sleep.end) not in self.woken:
            return exact
        since = next((row[0] for row in self.rows[sleep.pid] if row[1] == sleep.begin and row[2] == "running"), None)
        return self.wakings[sleep.pid, times[i]] if since is not None and since <= times[i] <= sleep.begin else None


# --- Perfetto --------------------------------------------------------------------------------

class Theirs:
    """The graph of wakings, the critical paths and the states."""

    def __init__(self, trace, begin):
        self.processor = perfetto.Processor(perfetto.library())
        with open(trace, "rb") as file:
            self.processor.parse(file.read())
        first = self.rows("SELECT min(ts) FROM ftrace_event")[0][0]
        shift = int(first) - begin if first else 0      # all times are later by it than those of the file
        self.processor.query(MODULE)
        self.nodes = {}
        for number, pid, ts, idle, state, waker, prev in self.rows(NODES):
            self.nodes[number] = Node(number, int(pid), int(ts) - shift, int(idle or 0), state, waker, prev)
        self.at = {(node.pid, node.ts): node for node in self.nodes.values()}
        self.paths = collections.defaultdict(list)
        for root, ts, dur, number in self.rows(PATHS):
            ts = int(ts) - shift
            if number != root:          # they fill with it where no frame is
                self.paths[root].append((ts, ts + int(dur), self.nodes[number].pid))
        self.states = collections.defaultdict(list)
        for pid, ts, dur, state in self.rows(STATES):
            self.states[int(pid)].append((int(ts) - shift, int(dur), state))
        self.starts = {pid: [row[0] for row in rows] for pid, rows in self.states.items()}

    def rows(self, sql):
        return [[None if cell == b"[NULL]" else cell.decode(errors="backslashreplace") for cell in row]
                for row in self.processor.query(sql)[1:]]

    def waker(self, node):
        """The pid of the task that woke it, None where the graph has none."""
        return self.nodes[node.waker].pid if node.waker in self.nodes else None

    def pieces(self, sleep, node):
        """The sleep as their path divides it, up to its end."""
        out, at = [], sleep.begin
        for begin, end, pid in self.paths[node.id]:
            begin, end = max(begin, sleep.begin), min(end, sleep.end)
            if end <= begin:
                continue
            if begin > at:
                out.append(Piece(at, begin, None, None))
            out += self.divided(pid, max(begin, at), end)
            at = max(at, end)
        if at < sleep.end:
            out.append(Piece(at, sleep.end, None, None))
        return out

    def divided(self, pid, begin, end):
        """A time of a task by its states."""
        i, at = max(bisect.bisect_right(self.starts.get(pid, []), begin) - 1, 0), begin
        for ts, dur, state in self.states[pid][i:]:
            to = end if dur < 0 else min(ts + dur, end)
            if ts >= end:
                break
            if to <= at:
                continue
            if ts > at:
                yield Piece(at, ts, pid, "unknown")
                at = ts
            yield Piece(at, to, pid, "ran" if state == "Running" else "waited" if state in ("R", "R+") else "slept")
            at = to
        if at < end:
            yield Piece(at, end, pid, "unknown")


def times_of(pieces):
    times = collections.Counter()
    for piece in pieces:
        times[piece.pid, piece.group] += piece.end - piece.begin
    return times


# --- ftr why ---------------------------------------------------------------------------------

def seconds(ns):
    return "%d.%09d" % divmod(ns, 10 ** 9)


def accounts(path, task, *options):
    done = subprocess.run([FTR, "why", "-q", "--json", "--tree", *options, str(task), path], capture_output=True,
                          text=True, check=False)
    if done.returncode not in (0, 3):       # 3: records are lost
        raise perfetto.Failed("ftr why %s %s: status %d: %s" % (task, " ".join(options), done.returncode, done.stderr))
    return json.loads(done.stdout)


def part(path, pid, begin, end):
    """The rows of a part of the task's time. --until includes its nanosecond."""
    found = accounts(path, pid, "--since", seconds(begin), "--until", seconds(end - 1))
    return [row for account in found for row in account["rows"]]


def group(row):
    return GROUPS.get(row["what"], "waited")


def waker_of(row):
    """The pid of the task that ended a sleep, or None; "work" if these were several workers."""
    if WORK.fullmatch(row["cause"] or ""):
        return row.get("worker", "work")
    named = TASK.fullmatch(row["cause"] or "")
    return int(named[1]) if named else None


def ender_of(row):
    """As waker_of(); "work" for all workers."""
    return "work" if WORK.fullmatch(row["cause"] or "") else waker_of(row)


def deepest(pid, rows, depth=0):
    """{(task, ran/waited/slept): time} of the tasks that are followed last, as theirs are."""
    times = collections.Counter()
    for row in rows:
        waker = waker_of(row) if group(row) == "slept" else None
        if waker == "work":
            times[None, "work"] += row["time"]
        elif waker is not None and row["rows"]:
            times += deepest(waker, row["rows"], depth + 1)
        elif waker is not None and depth >= DEEPEST:
            times[None, "deep"] += row["time"]
        else:
            times[pid, group(row)] += row["time"]
    return times


# --- both ------------------------------------------------------------------------------------

class Beside:
    """The sleeps of a file. same: with equal wakers and times. reasons: {why it is not: how many}. odd: without one."""

    def __init__(self, path, recording, theirs):
        self.path, self.recording, self.theirs = path, recording, theirs
        self.same, self.ns, self.reasons, self.odd = 0, 0, collections.Counter(), []
        self.sums = collections.Counter()           # (pid, waker): time of the sleeps
        for sleeps in recording.sleeps.values():
            for sleep in sleeps:
                self.sleep(sleep)
        self.check_sums()
        self.reasons["their pid was that of several tasks, whose sleeps are not compared"] += len(recording.shared)
        self.reasons += collections.Counter()       # drops those of none

    def sleep(self, sleep):
        waking = self.recording.waking(sleep)
        node = self.theirs.at.get((sleep.pid, sleep.end))
        if waking and is_interrupt(waking) and (not node or node.state == "IRQ"):
            self.sums[sleep.pid, None] += sleep.end - sleep.begin       # which check_sums() finds in the account
            why = self.other_waker(sleep, None)
            if why:
                self.reasons[why] += 1
            else:
                self.odd.append(f"{sleep}: woken in an interrupt, theirs: {node}")
            return
        rows = part(self.path, sleep.pid, sleep.begin, sleep.end)
        if len(rows) != 1 or group(rows[0]) != "slept" or rows[0]["time"] != sleep.end - sleep.begin:
            self.odd.append(f"{sleep}: {[(row['what'], row['cause'], row['time']) for row in rows]}")
            return
        self.sums[sleep.pid, ender_of(rows[0])] += rows[0]["time"]
        why = self.compare(sleep, rows)
        if why == "":
            self.same += 1
            self.ns += sleep.end - sleep.begin
        elif why:
            self.reasons[why] += 1

    def compare(self, sleep, rows):
        """Why theirs differs: "" if it does not, None if there is no reason, which is noted."""
        ours, node = waker_of(rows[0]), self.theirs.at.get((sleep.pid, sleep.end))
        waking = self.recording.waking(sleep)
        if ours is not None and (not waking or waking.pid != ours):
            self.odd.append(f"{sleep}: ours names {rows[0]['cause']}, the waking {waking and waking.pid}")
            return None
        why = self.other_waker(sleep, ours)
        if why is None and rows[0]["cause"] == "softirqs were left to it":
            return LEFT
        if why is None:
            self.odd.append(f"{sleep}: ours: {rows[0]['cause']}, theirs: {node}")
        if why != "":
            return why
        pieces = self.theirs.pieces(sleep, node)
        whole = deepest(sleep.pid, rows)
        if times_of(pieces) == whole:
            return ""
        found = [self.other_piece(sleep, piece, ours, pieces) for piece, ours in self.differing(sleep.pid, pieces)]
        if not found and (None, "work") in whole:
            return ""       # in the pieces each has one worker
        if not found:
            self.odd.append(f"{sleep}: ours: {whole}, theirs: {times_of(pieces)}, equal in pieces")
        return None if None in found or not found else found[0]

    def differing(self, pid, pieces):
        """The pieces of a sleep in which ours is different, with ours, found by halves."""
        ours = deepest(pid, part(self.path, pid, pieces[0].begin, pieces[-1].end))
        if ours == times_of(pieces):
            return []
        if len(pieces) == 1:
            return [(pieces[0], ours)]
        half = len(pieces) // 2
        return self.differing(pid, pieces[:half]) + self.differing(pid, pieces[half:])

    def other_waker(self, sleep, ours):
        """Why another task ended the sleep in theirs than in ours: "" if it is the same task, None for no reason."""
        node = self.theirs.at.get((sleep.pid, sleep.end))
        waking = self.recording.waking(sleep)
        if {(sleep.pid, sleep.begin), (sleep.pid, sleep.end)} & self.recording.torn:
            return "records of its task have one time on several CPUs"
        if not node:
            return self.no_node(sleep, waking)
        if ours is None and not is_interrupt(waking):
            return None
        if node.state == "IRQ":
            return self.interrupt_in_theirs(sleep, waking)
        if ours is None:
            # theirs takes the task that the interrupt hit, or none
            return None if (sleep.pid, sleep.end) in self.recording.known else CONTEXT
        waker = self.theirs.waker(node)
        if waker is None:
            return self.no_waker(waking)
        return "" if waker == ours else None

    def interrupt_in_theirs(self, sleep, waking):
        if is_interrupt(waking):
            return INTERRUPT
        if any(sleep.begin <= ts <= sleep.end for ts in self.recording.iowait[sleep.pid]):
            return "theirs takes the end of an iowait for that of an interrupt"
        return None

    def no_node(self, sleep, waking):
        """Why theirs has no span of execution that begins at the end of the sleep."""
        if not sleep.is_woken or not waking:
            return "no waking of it is recorded"
        if name_of(waking) == "sched_wakeup":
            return "only sched_wakeup is recorded, which theirs does not look at"
        if waking.ts < sleep.begin:
            return EARLY
        if not waking.pid:
            return IDLE
        if sleep.state not in ("S", "D", "I"):
            return "theirs follows sleeps of S, D and I alone"
        if self.recording.first_in.get(waking.pid, waking.ts) >= waking.ts:
            return "theirs does not know the waker before the first switch of it"
        if not any(row[0] >= sleep.end and row[2] == "running" for row in self.recording.rows[sleep.pid]):
            return "theirs needs the end of the wait for a CPU, which is not recorded"
        return None

    def no_waker(self, waking):
        """Why theirs has no span of execution of the task that woke a sleeper."""
        if self.recording.runs_at_end(waking.pid, waking.ts):
            return "theirs needs the end of the waker's run, which is not recorded"
        last = self.recording.last_sleep(waking.pid, waking.ts)
        if not last:
            return "the waker has not been woken since the recording began"
        if not self.theirs.at.get((waking.pid, last.end)):
            return self.no_node(last, self.recording.waking(last))
        return None

    def other_piece(self, sleep, piece, ours, pieces):
        """Why ours is different in a piece of a sleep, None if there is no reason, which is noted."""
        why = self.why_gap(piece, pieces) if piece.pid is None else self.why_piece(piece, ours)
        if why is None:
            self.odd.append(f"{sleep}: ours: {dict(ours)}, theirs: {piece}")
        return why

    def why_piece(self, piece, ours):
        if (None, "deep") in ours:
            return "theirs follows more wakers than ours"
        if any(how == "not followed" for _, how in ours):
            return "ours does not keep the states of the waker so long"
        if (None, "work") in ours:
            return WORKERS
        key = piece.pid, piece.begin
        if piece.group == "slept" and not self.recording.sleep_at(*key) and (
                key in self.recording.wakings or key in self.recording.woken):
            return "woken at the time at which it left its CPU, of a waker"
        # one of them stops at a sleep that the other goes on from
        stopped = [piece.pid] * (piece.group == "slept") + [pid for pid, how in ours if how == "slept"]
        for why in [self.why_stopped(pid, piece.begin) for pid in stopped]:
            if why:
                return why
        if all(how == "unknown" and self.recording.state_at(pid, piece.begin) == "unknown" for pid, how in ours):
            return "theirs goes on from a waker that is not known before it was woken"
        return None

    def why_stopped(self, pid, ts):
        """Why they differ on what a waker slept for at that time."""
        sleep = self.recording.sleep_at(pid, ts) or self.recording.last_sleep(pid, ts)  # which lasts longer in theirs
        waking = sleep and self.recording.waking(sleep)
        why = sleep and self.other_waker(sleep, waking.pid if waking and not is_interrupt(waking) else None)
        if waking and is_interrupt(waking) and why not in (CONTEXT, EARLY):     # both stop at it
            return None
        return f"{why}, of a waker" if why else None

    def why_gap(self, gap, pieces):
        """Their path goes from one span of execution of a task to the one before, and ends with the first one. It has
        no task for a sleep that a task ended whose span is not in the graph."""
        for pid in sorted({piece.pid for piece in pieces if piece.pid and piece.begin >= gap.end}):
            last = self.recording.last_sleep(pid, gap.end - 1)
            there = self.recording.sleep_at(pid, gap.begin)
            waking = there and self.recording.waking(there)
            if there and there.end >= gap.end and not (waking and is_interrupt(waking)):
                why = self.why_stopped(pid, gap.begin)
            elif last:
                why = not self.theirs.at.get((pid, last.end)) and self.no_node(last, self.recording.waking(last))
            else:
                why = "theirs ends with the first span of execution of a waker"
            if why:
                return why
        return None

    def check_sums(self):
        """The sleeps of a task, with those that nothing ended, are the rows of its account, by the task that ended
        them."""
        for pid in self.recording.sleeps:
            for waker, time in self.recording.unended(pid):
                self.sums[pid, waker] += time
        for account in accounts(self.path, "*") if self.recording.named("sched_switch") else []:
            if account["pid"] not in self.recording.shared:
                for row in account["rows"]:
                    if group(row) == "slept":
                        self.sums[account["pid"], ender_of(row)] -= row["time"]
        self.odd += [f"sleeps of task {pid} until {waker}: {time} ns more than in its account"
                     for (pid, waker), time in self.sums.items() if time]


def compare_file(name, path):
    recording = Recording(path)
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace")
        done = subprocess.run([FTR, "export", "-q", "--to", "perfetto", "-o", trace, path], capture_output=True,
                              text=True, check=False)
        if "does not count nanoseconds" in done.stderr:
            print(f"skip - {name}: Perfetto's critical paths # its clock does not count nanoseconds")
            return True
        if not os.path.exists(trace):
            print(f"not ok - {name}: ftr export\n# {done.stderr}")
            return False
        theirs = Theirs(trace, min((rec.ts for rec in recording.records), default=0))
    found = Beside(path, recording, theirs)
    differ = sum(found.reasons.values())
    text = (f"{name}: Perfetto: {found.same} sleeps have the critical path that ftr why has, to {found.ns} ns, "
            f"{differ} differ for a reason")
    good = not found.odd or recording.lossy
    if recording.lossy:
        text += f", {len(found.odd)} as records are missing"
    print(f"{'ok' if good else 'not ok'} - {text}")
    for line in [] if good else [f"{len(found.odd)} for none"] + found.odd[:SHOWN]:
        print("# " + line)
    for why, count in sorted(found.reasons.items()):
        print(f"# {count} sleeps: {why}")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--name")
    parser.add_argument("dat", nargs="+")
    args = parser.parse_args()
    try:
        status = perfetto.check(perfetto.library())
    except perfetto.Unusable as error:
        print(f"perfetto-why.py: {error}")
        return perfetto.UNUSABLE
    if status:
        return status
    good = True
    for path in args.dat:
        name = args.name or os.path.basename(path)
        try:
            good &= compare_file(name, path)
        except (perfetto.Failed, perfetto.Unusable) as error:
            print(f"not ok - {name}: Perfetto reads it\n# {error}")
            good = False
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
