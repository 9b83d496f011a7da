#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes a random case of tests/tools/span_cases.py: two CPUs whose tasks call, sleep, wake each other, fork, rename,
exec and exit, with interrupts, system calls, work, locks, requests and marks, while records are lost and some are left
out.

Usage: mkspans.py SEED RECORDS
"""
import random
import sys

FUNCS = "vfs_read vfs_write vfs_open ksys_read kfree mutex_lock".split()
STATES = ["S"] * 5 + ["D", "R", "R+", "I", "S|D", "X"]
CPUS = 2


class Task:
    def __init__(self, pid):
        self.pid, self.comm, self.calls, self.dead, self.cpu = pid, "t%d" % pid, [], False, None


class Load:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.ts, self.lines = 1000000, []
        self.idle = [Task(0) for _ in range(CPUS)]
        self.tasks = [Task(100 + i) for i in range(6)]
        self.runs = list(self.idle)
        self.irqs = [[] for _ in range(CPUS)]
        self.softirqs = [[] for _ in range(CPUS)]
        self.requests = []

    def put(self, cpu, event, *fields, flags=None):
        """A record; one of fifty is left out, as by an event that was off."""
        if flags is None:
            flags = "h" if self.irqs[cpu] else "s" if self.softirqs[cpu] else "."
        if self.random.random() > 0.02:
            self.lines.append("%d %d %d %s %s %s" % (cpu, self.ts, self.runs[cpu].pid, flags, event, " ".join(fields)))

    # what can happen on a CPU

    def switch(self, cpu):
        if self.irqs[cpu] or self.softirqs[cpu]:
            return
        prev = self.runs[cpu]
        ready = [t for t in self.tasks if not t.dead and t.cpu is None] + [self.idle[cpu]]
        after = self.random.choice(ready)
        state = "R" if prev.pid == 0 else self.random.choice(STATES)
        if after is prev:
            return
        self.put(cpu, "sched_switch", "prev_comm=" + prev.comm, "prev_state=" + state, "next_pid=%d" % after.pid,
                 "next_comm=" + after.comm)
        prev.cpu, after.cpu = None, cpu
        prev.dead = state == "X"
        if prev.dead:
            prev.calls = []
        self.runs[cpu] = after

    def wake(self, cpu):
        event = self.random.choice(["sched_waking", "sched_waking", "sched_wakeup", "sched_wakeup_new"])
        task = self.random.choice(self.tasks)
        self.put(cpu, event, "pid=%d" % task.pid, "comm=" + task.comm)

    def migrate(self, cpu):
        self.put(cpu, "sched_migrate_task", "pid=%d" % self.random.choice(self.tasks).pid, "orig_cpu=0", "dest_cpu=1")

    def fork(self, cpu):
        dead = [t for t in self.tasks if t.dead]
        if self.runs[cpu].pid == 0 or (not dead and len(self.tasks) > 10):
            return
        child = Task(self.random.choice(dead).pid if dead and self.random.random() < 0.5 else 200 + len(self.tasks))
        self.tasks = [t for t in self.tasks if t.pid != child.pid] + [child]
        self.put(cpu, "sched_process_fork", "parent_pid=%d" % self.runs[cpu].pid, "child_pid=%d" % child.pid,
                 "child_comm=" + child.comm)

    def rename(self, cpu):
        task = self.runs[cpu]
        if task.pid:
            task.comm = "n%d" % self.random.randrange(100)
            self.put(cpu, "task_rename", "pid=%d" % task.pid, "newcomm=" + task.comm)

    def execute(self, cpu):
        task = self.runs[cpu]
        if task.pid:
            task.comm = "prog"
            self.put(cpu, "sched_process_exec", "pid=%d" % task.pid, "old_pid=%d" % task.pid, "filename=/bin/prog")

    def call(self, cpu):
        """In an interrupt also at the depth of the call around it, which is about to return."""
        task = self.runs[cpu]
        if len(task.calls) < 6:
            func, depth = self.random.choice(FUNCS), task.calls[-1][2] + 1 if task.calls else 0
            if depth and (self.irqs[cpu] or self.softirqs[cpu]) and self.random.random() < 0.3:
                depth -= 1
            self.put(cpu, "funcgraph_entry", "func=" + func, "depth=%d" % depth)
            task.calls.append((func, self.ts, depth))

    def come_back(self, cpu):
        task = self.runs[cpu]
        if task.calls:
            func, began, depth = task.calls.pop()
            took = (self.ts - began) * self.random.choice([90, 95, 100, 100, 101]) // 100
            self.put(cpu, "funcgraph_exit", "func=" + func, "depth=%d" % depth, "calltime=5000",
                     "rettime=%d" % (5000 + took))

    def interrupt(self, cpu):
        if len(self.irqs[cpu]) < 2:
            irq = self.random.randrange(1, 4)
            self.put(cpu, "irq_handler_entry", "irq=%d" % irq, "name=i%d" % irq, flags="h")
            self.irqs[cpu].append(irq)

    def interrupt_ends(self, cpu):
        if self.irqs[cpu]:
            self.put(cpu, "irq_handler_exit", "irq=%d" % self.irqs[cpu][-1])
            self.irqs[cpu].pop()

    def softirq(self, cpu):
        if not self.irqs[cpu] and not self.softirqs[cpu]:
            vec = self.random.randrange(10)
            self.put(cpu, "softirq_entry", "vec=%d" % vec, flags="s")
            self.softirqs[cpu].append(vec)

    def softirq_ends(self, cpu):
        if self.softirqs[cpu] and not self.irqs[cpu]:
            self.put(cpu, "softirq_exit", "vec=%d" % self.softirqs[cpu][-1])
            self.softirqs[cpu].pop()

    def syscall(self, cpu):
        if self.runs[cpu].pid:
            self.put(cpu, self.random.choice(["sys_enter", "sys_exit"]), "id=%d" % self.random.choice([0, 1, 2]))

    def work(self, cpu):
        work = self.random.randrange(0x1000, 0x1003)
        self.put(cpu, "workqueue_execute_" + self.random.choice(["start", "end"]), "work=%d" % work,
                 "function=schedule")

    def lock(self, cpu):
        self.put(cpu, self.random.choice(["contention_begin", "contention_end"]),
                 "lock_addr=%d" % self.random.randrange(0x2000, 0x2003))

    def block(self, cpu):
        event = self.random.choice(["issue", "complete", "complete", "requeue"])
        sectors = self.random.choice([0, 4, 8])
        self.put(cpu, "block_rq_" + event, "dev=8", "sector=%d" % (self.random.randrange(3) * 8),
                 "nr_sector=%d" % sectors, "rwbs=W")

    def mark(self, cpu):
        name, cookie, pid = self.random.choice("abc"), self.random.randrange(3), self.random.choice([1, 1, 1, 2])
        text = self.random.choice(["B|%d|%s" % (pid, name)] * 4 + ["E|%d" % pid] * 4 + ["E"] + [
            "S|%d|%s|%d" % (pid, name, cookie), "F|%d|%s|%d" % (pid, name, cookie),
            "G|%d|t%d|%s|%d" % (pid, cookie, name, cookie), "H|%d|t%d|%d" % (pid, cookie, cookie),
            "C|%d|%s|%d" % (pid, name, self.ts % 100), "I|%d|%s" % (pid, name), "none"])
        self.put(cpu, "print", "buf=" + text)

    def power(self, cpu):
        event = self.random.choice(["cpu_idle", "cpu_frequency"])
        state = self.random.choice([1, 2, 4294967295] if event == "cpu_idle" else [800000, 2000000])
        self.put(cpu, event, "state=%d" % state, "cpu_id=%d" % self.random.choice([cpu, cpu, cpu, 0, 1, 9]))

    def lose(self, cpu):
        if self.lines and self.random.random() < 0.3:
            self.lines.append("lost %d %s" % (cpu, self.random.choice(["?", "7"])))
            for _ in range(5):
                self.step(cpu, silent=True)

    def step(self, cpu, silent=False):
        before = len(self.lines)
        self.ts += self.random.choice([0, 1, 37, 500, 3000, 70001])
        what = self.random.choices(ACTIONS, WEIGHTS)[0]
        if not silent or what is not Load.lose:
            what(self, cpu)
        if silent:
            del self.lines[before:]


ACTIONS, WEIGHTS = zip(
    (Load.switch, 14), (Load.wake, 14), (Load.migrate, 2), (Load.fork, 1), (Load.rename, 1), (Load.execute, 1),
    (Load.call, 16), (Load.come_back, 15), (Load.interrupt, 4), (Load.interrupt_ends, 6), (Load.softirq, 4),
    (Load.softirq_ends, 6), (Load.syscall, 8), (Load.work, 4), (Load.lock, 4), (Load.block, 6), (Load.power, 4),
    (Load.mark, 10), (Load.lose, 2))


def main():
    seed, records = int(sys.argv[1]), int(sys.argv[2])
    load = Load(seed)
    while len(load.lines) < records:
        load.step(load.random.randrange(CPUS))
    while load.lines[-1].startswith("lost"):
        load.lines.pop()
    print("\n".join(load.lines))


if __name__ == "__main__":
    main()
