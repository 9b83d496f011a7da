#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes a random case of tests/tools/span_cases.py: tasks on three CPUs that sleep, wake each other, are preempted,
and are woken by interrupts, as a kernel does it. Unlike those of mkspans.py, the records are complete, and a task is
woken only if it sleeps or is on its way to sleep.

Usage: mkwakings.py SEED RECORDS
"""
import random
import sys

CPUS = 3
TASKS = range(100, 109)
STATES = ["S"] * 20 + ["D"] * 6 + ["I"] * 3 + ["T"]


class Load:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.ts, self.lines = 1000000, []
        self.runs = [0] * CPUS
        self.ready = [[] for _ in range(CPUS)]      # woken or preempted, by CPU
        self.asleep = set(TASKS)

    def put(self, cpu, event, flags="."):
        self.ts += self.random.randint(1, 20000)
        self.lines.append("%d %d %d %s %s" % (cpu, self.ts, self.runs[cpu], flags, event))

    def switch(self, cpu, state):
        after = self.ready[cpu].pop(0) if self.ready[cpu] else 0
        self.put(cpu, "sched_switch prev_state=%s next_pid=%d" % (state, after))
        self.runs[cpu] = after

    def waking(self, cpu, pid, target, flags):
        self.put(cpu, "sched_waking pid=%d target_cpu=%d" % (pid, target), flags)

    def woken(self, cpu, pid, target, flags):
        self.put(cpu, "sched_wakeup pid=%d target_cpu=%d" % (pid, target), flags)
        self.asleep.discard(pid)
        self.ready[target].append(pid)

    def wake(self, cpu, flags):
        if self.asleep:
            pid, target = self.random.choice(sorted(self.asleep)), self.random.randrange(CPUS)
            self.waking(cpu, pid, target, flags)
            self.woken(cpu, pid, target, flags)

    def sleep(self, cpu):
        """Sometimes it is woken while it still runs: then it leaves its CPU, and an interrupt there queues it."""
        pid = self.runs[cpu]
        other = self.random.choice([c for c in range(CPUS) if c != cpu])
        early = self.runs[other] and self.random.random() < 0.05
        if early:
            self.waking(other, pid, cpu, ".")
        self.switch(cpu, self.random.choice(STATES))
        if early:
            self.woken(cpu, pid, cpu, "h")
        else:
            self.asleep.add(pid)

    def step(self, cpu):
        dice = self.random.random()
        if not self.runs[cpu]:
            if self.ready[cpu]:
                self.switch(cpu, "R")
            elif dice < 0.15:
                self.wake(cpu, "h")
        elif dice < 0.4:
            self.wake(cpu, ".")
        elif dice < 0.5:
            self.wake(cpu, self.random.choice("hs"))
        elif dice < 0.8:
            self.sleep(cpu)
        elif self.ready[cpu]:
            self.ready[cpu].append(self.runs[cpu])
            self.switch(cpu, "R")


def main():
    load = Load(int(sys.argv[1]))
    while len(load.lines) < int(sys.argv[2]):
        load.step(load.random.randrange(CPUS))
    print("\n".join(load.lines))


if __name__ == "__main__":
    main()
