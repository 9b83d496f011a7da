#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Write a trace.dat with many GiB of data on little disk: sub-buffers of 512 KiB, the largest that the kernel has with
pages of 4 KiB, with three records each and a hole after them. Arguments: FILE BYTES SINCE UNTIL [SUB-BUFFERS]. Prints
the records with SINCE <= ts < UNTIL as lines "CPU TS PID", in the order of CPUs. All but the first SUB-BUFFERS of each
CPU are holes.
"""
import random
import sys
from types import SimpleNamespace

import mkdat

SUBBUF = 512 << 10
CPUS = 4
START = 1000 * 10 ** 9
STEP = 10 ** 6              # ns from one sub-buffer of a CPU to the next
PLACEHOLDER = b"DATAHERE"


class SparseWriter(mkdat.Writer):
    """The section with the data is the last one; the file gets its contents later."""

    def buffer_section(self, buf):
        m = self.m
        self.name = self.string("buffer flyrecord")
        table = b"".join(m.u32(cpu) + m.u64(place(cpu, 0)) + m.u64(PAGES * SUBBUF) for cpu in range(CPUS))
        return PLACEHOLDER + b"\0local\0" + m.u32(SUBBUF) + m.u32(CPUS) + table

    def write(self):
        head, m = super().write(), self.m
        body = m.u16(3) + m.u16(0) + m.u32(self.name) + m.u64(place(CPUS, 0) - len(head) - 16)
        return head.replace(PLACEHOLDER, m.u64(len(head))) + body


PAGES = 0


def place(cpu, page):
    return SUBBUF * (1 + cpu * PAGES + page)


def subbuffer(machine, cpu, page, wanted):
    """The bytes of one sub-buffer up to its commit, and its records in the wanted range."""
    ts, data, lines = START + page * STEP + cpu * 1000, b"", []
    for nr in range(3):
        delta = 0 if not nr else 100 + cpu
        ts += delta
        pid = 1 + (page * 3 + nr) % 30000
        payload = machine.payload("sched_waking", pid, {"comm": b"sparse", "pid": pid, "prio": 120, "target_cpu": cpu})
        data += machine.u32(delta << 5 | len(payload) // 4) + payload
        if wanted[0] <= ts < wanted[1]:
            lines.append("%d %d %d" % (cpu, ts, pid))
    return machine.u64(ts - 2 * (100 + cpu)) + machine.ulong(len(data)) + data, lines


def main():
    global PAGES
    path, size, since, until, *filled = sys.argv[1], *map(int, sys.argv[2:])
    machine = mkdat.Machine("le", 8)
    PAGES = size // CPUS // SUBBUF
    args = SimpleNamespace(version=7, page_size=4096, compress="none", clock="local", ts_offset=0, date=0,
                           unknown_options=0, meta=None)
    buf = mkdat.Buffer("", SUBBUF)
    head = SparseWriter(machine, [buf], args).write()
    assert len(head) <= SUBBUF
    with open(path, "wb") as out:
        out.write(head)
        for cpu in range(CPUS):
            for page in range(min([PAGES] + filled)):
                mem, lines = subbuffer(machine, cpu, page, (since, until))
                out.seek(place(cpu, page))
                out.write(mem)
                for line in lines:
                    print(line)
        out.truncate(place(CPUS, 0))


if __name__ == "__main__":
    main()
