# SPDX-License-Identifier: GPL-2.0-or-later
"""Rows of Perfetto's tables thread_state and sched_slice beside the states that spans.py finds.

Perfetto's states are not all of ours. expected() makes its rows of thread_state out of the records alone. Beside
compares them with the rows of spans.py's model, and counts for which reason a row is of one of them only;
Slices does so for sched_slice.
"""
import collections
import re

RUNNING, RUNNABLE = "Running", ("R", "R+")
# A task that was preempted on its way to sleep stays on the runqueue; a waking only undoes that it wanted to sleep.
PREEMPTED = "theirs parts at a waking what is preempted in ours until the task runs again"
Row = collections.namedtuple("Row", "ts dur state cpu")      # dur is -1 where nothing ended it


class States:
    """Rows by task. A switch ends what its tasks did; a waking ends a sleep;
    what else a record says is not looked at."""

    def __init__(self):
        self.rows = collections.defaultdict(list)

    def close(self, pid, ts):
        rows = self.rows[pid]
        if rows:
            rows[-1] = rows[-1]._replace(dur=ts - rows[-1].ts)

    def open(self, pid, ts, state, cpu=None):
        if pid:
            self.rows[pid].append(Row(ts, -1, state, cpu))

    def last(self, pid):
        return self.rows[pid][-1].state if self.rows[pid] else None

    def switch(self, ts, cpu, prev, state, next_):
        if self.last(prev) == RUNNING:      # else a record is missing, and the row stays open
            self.close(prev, ts)
        self.open(prev, ts, state)
        self.close(next_, ts)
        self.open(next_, ts, RUNNING, cpu)

    def made(self, ts, pid):
        self.open(pid, ts, "R")

    def wake(self, ts, pid):
        if self.last(pid) not in (RUNNING, "R"):
            self.close(pid, ts)
            self.open(pid, ts, "R")


def told(rec):
    """The tasks whose rows a record begins or ends."""
    name = rec.format.name if rec.format else None
    if name == "sched_switch":
        return rec.number("prev_pid", True), rec.number("next_pid", True)
    return (rec.number("pid", True),) if name in ("sched_waking", "task_newtask") else ()


def known_wakings(records):
    """The sched_waking records, of those in the order of time, whose context Perfetto can know from what ftr exports:
    a switch of their CPU tells their task, and no other record has their time."""
    running, times = {}, collections.Counter(rec.ts for rec in records)
    for rec in records:
        name = rec.format.name if rec.format else None
        if rec.lost:
            running.pop(rec.cpu, None)
        if name == "sched_switch":
            running[rec.cpu] = rec.number("next_pid", True)
        elif (name == "sched_waking" and running.get(rec.cpu) == rec.pid and times[rec.ts] == 1 and
              rec.has("target_cpu") and not rec.has("success")):
            yield rec


def torn(records, told_of):
    """Of what told_of(record) names: what records of several CPUs or buffers tell of at one time. Nobody knows their
    order."""
    seen, out = {}, set()
    for rec in records:
        for what in told_of(rec):
            if seen.setdefault((what, rec.ts), (rec.buffer, rec.cpu)) != (rec.buffer, rec.cpu):
                out.add(what)
    return out


def expected(records, end_state):
    """{pid: [Row]} of records in the order of their times; end_state(record of sched_switch):
    the letters of prev_state."""
    states = States()
    for rec in records:
        name = rec.format.name if rec.format else None
        if name == "sched_switch":
            prev, next_ = told(rec)
            states.switch(rec.ts, rec.cpu, prev, end_state(rec), next_)
        elif name == "sched_waking":
            states.wake(rec.ts, *told(rec))
        elif name == "task_newtask":
            states.made(rec.ts, *told(rec))
    return {pid: rows for pid, rows in states.rows.items() if rows}


# --- beside the model ------------------------------------------------------------------------

def is_state(ours, theirs):
    if ours in ("preempted", "runnable"):
        return theirs in RUNNABLE
    if ours == "dead":
        return bool(set(theirs) & set("XZx"))
    return theirs == ours.replace("|", "")


class Ours(collections.namedtuple("Ours", "begin end state cpu switched")):
    """A row of the model: when it began and ended, its state, the CPU where it ran,
    and whether sched_switch began it."""

    def fits(self, row):
        if self.begin != row.ts:
            return False
        if self.state == "running":
            return self.switched and row.state == RUNNING and row.cpu == self.cpu
        return is_state(self.state, row.state)


LEFT_OUT = "the recording left its task out, of which theirs tells anyway"


def left_out(model):
    """The pids of tasks of which the file says so: see spans.Filters."""
    return {int(re.split("[./]", task.name)[0]) for task in model.tasks.all if task.blind}


class Slices:
    """Rows [ts, dur, cpu, pid, end state, prio] of sched_slice beside the model's; its members are those of Beside."""

    def __init__(self, model, slices):
        self.same, self.reasons, self.odd = 0, collections.Counter(), []
        theirs = collections.defaultdict(list)      # a clock may stand still over several switches
        for s in slices:
            theirs[s[2], s[0], s[3]].append(s)
        for task in model.tasks.all:
            rows = [Ours(*row) for row in task.rows]
            pid = int(re.split("[./]", task.name)[0])
            for row, after in zip(rows, rows[1:] + [None]):
                if row.state == "running":
                    there = theirs[row.cpu, row.begin, pid] if row.switched else []
                    self.slice(row, after, there.pop(0) if there else None, model.end_ts)
        hidden = left_out(model)
        alone = [s for there in theirs.values() for s in there]
        self.reasons.update(LEFT_OUT for s in alone if s[3] in hidden)
        self.odd += [f"theirs alone: {s}" for s in alone if s[3] not in hidden]

    def slice(self, row, after, theirs, end):
        if not theirs and not row.switched:
            self.reasons["ours runs from the first record on, theirs from a switch on"] += 1
        elif theirs and theirs[1] == -1 and row.end == end:
            self.reasons["theirs is open at the end of the file, where ours ends"] += 1
        elif theirs and theirs[1] == row.end - row.begin and after and is_state(after.state, theirs[4]):
            self.same += 1
        else:
            self.odd.append(f"{row}: {theirs}")


class Beside:
    """Both tables, task by task. same: rows of both. reasons: {why it is not: how many}. odd:
    rows for which there is no reason."""

    def __init__(self, model, theirs, records):
        self.same, self.reasons, self.odd = 0, collections.Counter(), []
        self.end = model.end_ts
        self.made, self.woken, self.woken_there = set(), set(), set()
        for rec in records:
            name = rec.format.name if rec.format else None
            if name == "task_newtask":
                self.made.add((rec.ts, rec.number("pid", True)))
            elif name == "sched_waking":
                there = self.woken if rec.buffer == model.state_buffer else self.woken_there
                there.add((rec.ts, rec.number("pid", True)))
        ours = collections.defaultdict(list)
        for task in model.tasks.all:
            if not task.name.startswith("0/"):
                ours[int(task.name.split(".")[0])] += [Ours(*row) for row in task.rows]
        hidden = left_out(model)
        for pid in sorted(ours.keys() | theirs.keys()):
            if pid in hidden:
                self.reasons[LEFT_OUT] += len(theirs.get(pid, []))
            else:
                self.task(pid, ours[pid], theirs.get(pid, []))

    def task(self, pid, ours, theirs):
        left, seen = list(theirs), False
        for i, row in enumerate(ours):
            match = next((other for other in left if row.fits(other)), None)
            later = ours[i + 1:]
            if match:
                left.remove(match)
                why = self.ends(match, row, later, pid)
                seen = True
            else:
                why = self.only_ours(row, pid, seen, ours[i - 1] if i else None)
            self.count(why, pid, row)
        for row in left:
            self.count(self.only_theirs(row, pid, ours, theirs), pid, row)

    def count(self, why, pid, row):
        if why == "":
            self.same += 1
        elif why:
            self.reasons[why] += 1
        else:
            self.odd.append(f"task {pid}: {row}")

    def ends(self, theirs, row, later, pid):
        """Of a row of both: how their ends differ, "" where they do not."""
        if theirs.dur == row.end - row.begin:
            return ""
        if theirs.dur == -1 and row.end == self.end and all(r.begin == self.end for r in later):
            return "theirs is open at the end of the file, where ours ends"
        if row.state == "dead" and later:
            return "ours ends as its pid is another task's"
        if theirs.dur >= 0 and (theirs.ts + theirs.dur, pid) in self.woken_there:
            return "theirs ends at a waking of another instance than the one that ours looks at"
        if row.state == "preempted" and self.is_woken_within(row, theirs.ts + theirs.dur, pid):
            return PREEMPTED
        if later and later[0].state == "unknown" and not 0 <= theirs.dur < row.end - row.begin:
            return "ours is unknown from a time on"
        if later and later[0].state == "runnable" and (row.end, pid) not in self.woken:
            return "ours ends at sched_wakeup, theirs at sched_waking alone"
        return None

    def only_ours(self, row, pid, seen, before):
        if row.state == "unknown":
            return "ours is unknown"
        if row.state == "runnable" and before and before.state == "unknown" and (row.begin, pid) in self.woken:
            return "ours is unknown up to a waking"
        if row.state == "running" and not row.switched:
            return "ours runs from the first record on, theirs from a switch on"
        if row.state == "runnable" and (row.begin, pid) not in self.woken:
            return "ours begins at sched_wakeup, which theirs does not look at"
        if row.state == "new":
            return "ours begins at sched_process_fork, which theirs does not look at"
        if row.state == "dead" and not row.switched:
            return "ours ends as its pid is another task's"
        return None

    def is_woken_within(self, row, ts, pid):
        return row.begin <= ts <= row.end and (ts, pid) in self.woken

    def only_theirs(self, row, pid, ours, theirs):
        if row.state == "R" and (row.ts, pid) in self.woken_there:
            return "theirs begins at a waking of another instance than the one that ours looks at"
        if row.state == "R" and any(r.state == "unknown" and r.begin <= row.ts < r.end for r in ours):
            return "theirs waits where ours is unknown"
        if row.state == "R" and (row.ts, pid) in self.made:
            return "theirs begins at task_newtask, ours at sched_process_fork"
        if row.state == "R" and (row.ts, pid) in self.woken and row is theirs[0]:
            return "theirs begins at a waking, of whose task ours knows nothing yet"
        if row.state == "R" and any(r.state == "preempted" and self.is_woken_within(r, row.ts, pid)
                                    and r.end == (self.end if row.dur < 0 else row.ts + row.dur) for r in ours):
            return PREEMPTED
        return None
