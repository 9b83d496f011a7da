#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints records of a scheduler at work, for tests/spans/run.py: tasks that fork, sleep, are woken, take turns and end on three CPUs.

Usage: tests/tools/sched-load.py SEED STEPS

No two records have one time. At some, records of other events are lost: what the scheduler did is all there.
"""
import random
import sys

CPUS = 3
LETTERS = "S", "S", "D", "R", "R+", "I", "T", "D|P"
FORKED = 200            # pids from here on are forked, and may end and come again


class Machine:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.ts = 1000
        self.current = [0] * CPUS
        self.states = {100 + i: "S" for i in range(8)}
        self.names = {pid: "t%d" % pid for pid in self.states}
        self.next_pid = FORKED
        self.loses = [False] * CPUS

    def emit(self, cpu, text, pid=None):
        self.ts += self.random.choice((1, 7, 100, 1500, 20000))
        if self.loses[cpu]:
            print("lost %d %s" % (cpu, self.random.choice(("5", "?"))))
            self.loses[cpu] = False
        print(cpu, self.ts, self.current[cpu] if pid is None else pid, ".", text)

    def some(self, *states):
        return [pid for pid, state in self.states.items() if state in states]

    def wake(self, cpu):
        asleep = [pid for pid, state in self.states.items() if state not in ("ready", "runs", "new")]
        if not asleep:
            return
        pid = self.random.choice(asleep)
        self.states[pid] = "ready"
        self.emit(cpu, "sched_waking pid=%d" % pid)
        if self.random.random() < 0.7:
            self.emit(cpu, "sched_wakeup pid=%d" % pid)

    def switch(self, cpu):
        prev, ready = self.current[cpu], self.some("ready")
        following = self.random.choice(ready) if ready and self.random.random() < 0.9 else 0
        if following == prev:
            return
        letters = self.random.choice(LETTERS) if prev else "R"
        if prev >= FORKED and self.random.random() < 0.2:
            letters = "X"
        self.current[cpu] = following
        self.emit(cpu, "sched_switch prev_state=%s next_pid=%d prev_comm=%s next_comm=%s" % (
            letters, following, self.names.get(prev, "swapper"), self.names.get(following, "swapper")), prev)
        if letters == "X":
            del self.states[prev]
        elif prev:
            self.states[prev] = "ready" if letters[0] == "R" else letters
        if following:
            self.states[following] = "runs"

    def fork(self, cpu):
        if not self.current[cpu]:
            return
        free = [pid for pid in range(FORKED, self.next_pid + 1) if pid not in self.states]
        pid = self.random.choice(free)
        self.next_pid = max(self.next_pid, pid + 1)
        self.names[pid], self.states[pid] = "k%d" % pid, "new"
        self.emit(cpu, "sched_process_fork parent_pid=%d child_pid=%d child_comm=%s" % (self.current[cpu], pid, self.names[pid]))
        if self.random.random() < 0.9:
            self.states[pid] = "ready"
            self.emit(cpu, "sched_wakeup_new pid=%d" % pid)

    def rename(self, cpu):
        pid = self.current[cpu]
        if pid:
            self.names[pid] = "n%d" % (pid % 7)
            self.emit(cpu, "task_rename pid=%d newcomm=%s" % (pid, self.names[pid]))

    def interrupt(self, cpu):
        self.emit(cpu, "irq_handler_entry irq=5 name=eth0")
        self.emit(cpu, "irq_handler_exit irq=5")

    def call(self, cpu):
        self.emit(cpu, "sys_enter id=1")

    def run(self, steps):
        verbs = self.wake, self.switch, self.fork, self.rename, self.interrupt, self.call
        for _ in range(steps):
            cpu = self.random.randrange(CPUS)
            self.loses[cpu] |= self.random.random() < 0.004
            self.random.choices(verbs, (25, 40, 5, 2, 6, 22))[0](cpu)


Machine(int(sys.argv[1])).run(int(sys.argv[2]))
