#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Write small trace.dat files whose every record is chosen, for lines worked out by hand.

mkkernel.py FILE SCENE [KEY=VALUE...]: the lines become ftr's own section; without any there is none.
"""
import struct
import sys

import mkdat

BASE = 1234 * 10 ** 9
M = mkdat.Machine("le", 8)
PAGE = 4096


def func(name):
    return M.func(mkdat.FUNCS.index(name))


def event(cpu, ns, task, name, tail=b"", flags=0, preempt=0, **values):
    return cpu, BASE + ns, M.payload(name, task, values, tail, flags, preempt)


def call(cpu, ns, pid, name, depth, **more):
    return event(cpu, ns, pid, "funcgraph_entry", func=func(name), depth=depth, **more)


def back(cpu, ns, pid, name, depth, took, **more):
    return event(cpu, ns, pid, "funcgraph_exit", func=func(name), depth=depth, overrun=3,
                 calltime=ns, rettime=ns + took, **more)


def waking(cpu, ns, pid, **more):
    return event(cpu, ns, pid, "sched_waking", comm=b"ls", prio=120, pid=4001, target_cpu=1, **more)


def stack(cpu, ns, pid, names):
    calls = b"".join(M.ulong(func(name) + 16) for name in names)
    calls += b"\xff" * (64 - len(calls))
    return event(cpu, ns, pid, "kernel_stack", size=len(names), caller=calls)


def marker(cpu, ns, pid, text):
    return event(cpu, ns, pid, "print", text + b"\0", ip=func("vfs_read") + 8)


def plain():
    return [
        waking(0, 0, 512),
        waking(1, 1499, 0, flags=0x01, preempt=0x02),
        waking(0, 1500, 1234, flags=0x04 | 0x08, preempt=0x10),
        waking(1, 2000, 99999, flags=0x24 | 0x18),
        event(0, 12000, 4194303, "function", ip=func("vfs_open") + 4,
              parent_ip=func("ksys_read") + 32),
        stack(0, 13000, 512, ["vfs_open", "ksys_read"]),
        marker(0, 14000, 777, b"line\n"),
        marker(0, 15000, 777, b"no end"),
        marker(0, 16000, 777, b"a\x1bb\n"),
        waking(2, 2 * 10 ** 6, 512, flags=0x81, preempt=0x3f),
    ]


MIGRATE = ("unsigned char", "common_migrate_disable", 1, 0)
LAZY = ("unsigned char", "common_preempt_lazy_count", 1, 0)


def patched(*fields):
    """Records of kernels with PREEMPT_RT's own common fields."""
    def records():
        mkdat.COMMON.extend(fields)
        return [
            waking(0, 0, 512, flags=0x01, preempt=0x02, common_migrate_disable=1,
                   common_preempt_lazy_count=3),
            waking(0, 1000, 512, flags=0x84),
            waking(0, 2000, 512, flags=0x22, preempt=0x10),
            waking(0, 3000, 512, flags=0x2d, preempt=0x21, common_migrate_disable=0x1f,
                   common_preempt_lazy_count=0xa0),
        ]
    return records


def graph():
    return [
        call(0, 0, 512, "vfs_read", 0),
        call(0, 100, 512, "kfree", 1),
        back(0, 300, 512, "kfree", 1, 987),
        marker(0, 350, 512, b"here\n"),
        waking(0, 400, 512),
        stack(0, 450, 512, ["vfs_open"]),
        back(0, 500, 512, "vfs_read", 0, 10001),
        call(0, 700, 4001, "vfs_write", 0),
        back(0, 800, 4001, "vfs_write", 0, 123456789),
        back(1, 900, 1234, "schedule", 2, 2 * 10 ** 9),
        waking(1, 950, 1234),
        waking(0, 990, 4001),
    ]


def graph_retval():
    """Exits with a return value, as the kernel has them since 6.5."""
    fields, text = M.layouts["funcgraph_exit"]
    M.layouts["funcgraph_exit"] = (fields[:1] + [(UL, "retval", 8, 0)] + fields[1:], text)
    return [
        call(0, 0, 512, "vfs_read", 0),
        call(0, 100, 512, "kfree", 1),
        back(0, 300, 512, "kfree", 1, 987, retval=7),
        back(0, 500, 512, "vfs_read", 0, 10001, retval=-22 & (1 << 64) - 1),
        back(1, 900, 1234, "schedule", 2, 2 * 10 ** 9, retval=1),
    ]


def mmio():
    rw = dict(phys=0xfebc0000, pc=func("vfs_read") + 4, map_id=1, width=4)
    return [
        event(0, 0, 512, "mmiotrace_map", phys=0xfebc0000, virt=0xffffc90000010000, len=4096,
              map_id=1, opcode=3),
        event(0, 1000, 512, "mmiotrace_rw", value=0xa1b2, opcode=1, **rw),
        waking(0, 2000, 512),
        marker(0, 3500, 512, b"here\n"),
        event(0, 4000, 512, "mmiotrace_rw", value=0xa1b2c3, opcode=5, **rw),
        event(0, 5000, 512, "mmiotrace_map", map_id=1, opcode=4),
    ]


def add_format(number, name, fields):
    mkdat.IDS[name] = number
    M.layouts[name] = (fields, '"%lx", REC->phys')


UL = "unsigned long"
add_format(7, "mmiotrace_rw", [
    ("resource_size_t", "phys", 8, 0), (UL, "value", 8, 0), (UL, "pc", 8, 0),
    ("int", "map_id", 4, 1), ("unsigned char", "opcode", 1, 0), ("unsigned char", "width", 1, 0)])
add_format(8, "mmiotrace_map", [
    ("resource_size_t", "phys", 8, 0), (UL, "virt", 8, 0), (UL, "len", 8, 0),
    ("int", "map_id", 4, 1), ("unsigned char", "opcode", 1, 0)])


# --- arguments of functions

def with_args():
    """Formats as the kernel has them since 6.15."""
    for name, fields in (("function", ("ip", "parent_ip")), ("funcgraph_entry", ("func", "depth"))):
        M.layouts[name] = ([(UL, field, 8, 0) for field in fields] + [(UL, "args[]", 0, 0)],
                           '"%lx", REC->' + fields[0])


def registers(*values):
    return b"".join(M.ulong(value) for value in values)


def args():
    with_args()
    one = registers(0xffff888004be2c00, -2, 3, 1 << 63, 5, 6)
    return [
        event(0, 0, 512, "function", one, ip=func("vfs_read") + 4, parent_ip=func("ksys_read") + 32),
        event(0, 1000, 512, "function", one, ip=func("kfree") + 4, parent_ip=func("ksys_read") + 32),
        event(0, 2000, 512, "function", one, ip=func("schedule") + 4, parent_ip=0),
        event(0, 3000, 512, "function", ip=func("vfs_read") + 4, parent_ip=0),
        event(0, 4000, 512, "function", one[:32], ip=func("vfs_read") + 4, parent_ip=0),
    ]


def args_graph():
    with_args()
    one = registers(0xffff888004be2c00, -2, 3, 1 << 63, 5, 6)
    return [
        call(0, 0, 512, "vfs_read", 0, tail=one),
        call(0, 100, 512, "kfree", 1, tail=one),
        back(0, 300, 512, "kfree", 1, 987),
        call(0, 400, 512, "schedule", 1),
        back(0, 450, 512, "schedule", 1, 50),
        back(0, 500, 512, "vfs_read", 0, 10001),
    ]


PROTOS = b"#00000 ONE:1 MINUS:-2 TWO:-2\nschedule\nvfs_read file:p kind:e0 pair:s16 n:i :?\n"


def btf():
    """The same in the kernel's own form, include/uapi/linux/btf.h."""
    names, types = bytearray(b"\0"), bytearray()

    def name(text):
        names.extend(text.encode() + b"\0" if text else b"")
        return len(names) - len(text) - 1 if text else 0

    def kind(text, number, nr, size, *more):
        types.extend(struct.pack("<III", name(text), number << 24 | nr, size))
        types.extend(struct.pack("<%dI" % len(more), *more))

    kind("int", 1, 0, 4, 1 << 24 | 32)                                      # 1
    kind("", 2, 0, 0)                                                       # 2: pointer
    kind("kinds", 6, 3, 4, name("ONE"), 1, name("MINUS"), 0xfffffffe, name("TWO"), 0xfffffffe)
    kind("pair", 4, 0, 16)                                                  # 4: structure
    kind("pair_t", 8, 0, 4)                                                 # 5: typedef of it
    kind("", 13, 5, 0, name("file"), 2, name("kind"), 3, name("pair"), 5, name("n"), 1, 0, 0)
    kind("vfs_read", 12, 1, 6)
    kind("", 13, 0, 0)                                                      # 8
    kind("schedule", 12, 1, 8)
    head = struct.pack("<HBBIIIII", 0xeb9f, 1, 0, 24, 0, len(types), len(types), len(names))
    return head + bytes(types) + bytes(names)


SECTIONS = {"protos": lambda: (0xf702, struct.pack("<I", len(PROTOS)) + PROTOS),
            "btf": lambda: (23, btf()), "rubbish": lambda: (23, b"no BTF at all, but long enough to be"),
            "cut": lambda: (0xf702, struct.pack("<I", 4096) + PROTOS)}
SCENES = {"plain": plain, "graph": graph, "graph_retval": graph_retval, "mmio": mmio, "args": args,
          "args_graph": args_graph, "rt": patched(MIGRATE, LAZY), "rt_lazy": patched(LAZY),
          "rt_migrate": patched(MIGRATE)}


def page(events, lost):
    """One sub-buffer; lost: 0, a count, or -1 for an unknown one."""
    first = last = events[0][1]
    data = b""
    for _, ts, payload in events:
        assert len(payload) % 4 == 0 and len(payload) <= 112 and ts - last < 1 << 27
        data += struct.pack("<I", (ts - last) << 5 | len(payload) // 4) + payload
        last = ts
    commit = len(data)
    if lost:
        commit |= 1 << 31
    if lost > 0:
        commit |= 1 << 30
        data += struct.pack("<Q", lost)
    return (struct.pack("<QQ", first, commit) + data).ljust(PAGE, b"\0")


class Args:
    version, page_size, compress, clock = 7, PAGE, "none", "local"
    ts_offset = date = unknown_options = 0
    short_sizes = False
    meta = ()


def main():
    words = [word.split("=", 1) for word in sys.argv[3:]]
    ours = dict(word for word in words if word[0].startswith("-"))
    args = Args()
    args.meta = ["=".join(word) for word in words if not word[0].startswith("-")]
    args.sections = [SECTIONS[ours["-section"]]()] if "-section" in ours else []
    args.release = ours.get("-release", "6.12.0-test")
    args.clock = ours.get("-clock", "local")
    args.date = int(ours.get("-date", 0))
    lost = {int(cpu): int(count) for cpu, count in
            (word.split(":") for word in ours.get("-lost", "").split(",") if word)}
    events = SCENES[sys.argv[2]]()
    split = int(ours.get("-split", 0))
    buf = mkdat.Buffer("", PAGE)
    for cpu in range(3):
        mine = [item for item in events if item[0] == cpu]
        parts = [mine[:split], mine[split:]] if split and cpu == 0 else [mine]
        buf.cpus.append([page(part, lost.get(cpu, 0) if index == len(parts) - 1 else 0)
                         for index, part in enumerate(parts) if part])
    with open(sys.argv[1], "wb") as stream:
        stream.write(mkdat.Writer(M, [buf], args).write())


if __name__ == "__main__":
    main()
