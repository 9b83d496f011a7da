#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Write a synthetic trace.dat byte by byte, with a sidecar saying what a reader must find in it.

Deterministic from --seed.  Contains time extends, absolute time stamps, padding, discarded events
and lost events (with and without a count); knows nothing of the program under test.
"""
import argparse
import ctypes
import json
import random
import subprocess
import sys
import zlib

COMMS = {0: "<idle>", 1: "systemd", 41: "kworker/0:1-ev", 512: "bash", 777: "a b-1 c",
         1234: "mount.nfs", 4001: "ls", 32768: "dd", 4194303: "last-pid"}
TASKS = sorted(pid for pid in COMMS if pid)
FUNCS = ["vfs_read", "vfs_write", "vfs_open", "do_sys_openat2", "ksys_read", "nfs_lookup",
         "nfs4_proc_lookup", "rpc_call_sync", "schedule", "mutex_lock", "kfree", "path_lookupat"]
PRINTK = ["value=%d\n", "enter %s\n", "plain text\n"]
ABS_BITS = 59
DELTA_MAX = (1 << 27) - 1

IDS = {"function": 1, "kernel_stack": 4, "print": 5, "bprint": 6, "funcgraph_exit": 10,
       "funcgraph_entry": 11, "sched_switch": 316, "sched_waking": 318, "demo_path": 1201}
SYSTEMS = {"sched": ["sched_switch", "sched_waking"], "demo": ["demo_path"]}
COMMON = [("unsigned short", "common_type", 2, 0), ("unsigned char", "common_flags", 1, 0),
          ("unsigned char", "common_preempt_count", 1, 0), ("int", "common_pid", 4, 1)]


# --- event formats: fields as (type, name with array, size, signed); size 'L' is the kernel's long

def layouts(long_size):
    """Fields behind the common ones and the print fmt of each event."""
    ul, wide = ("unsigned long", 0), long_size
    comm = ("char", "%s[16]", 16, 0)
    return {
        "function": ([(ul[0], "ip", wide, 0), (ul[0], "parent_ip", wide, 0)],
                     '" %ps <-- %ps", (void *)REC->ip, (void *)REC->parent_ip'),
        "kernel_stack": ([("int", "size", 4, 1), (ul[0], "caller[8]", wide * 8, 0)],
                         '"\\t=> %ps\\n\\t=> %ps\\n", (void *)REC->caller[0], '
                         '(void *)REC->caller[1]'),
        "print": ([(ul[0], "ip", wide, 0), ("char", "buf[]", 0, 0)],
                  '"%ps: %s", (void *)REC->ip, REC->buf'),
        "bprint": ([(ul[0], "ip", wide, 0), ("const char *", "fmt", wide, 0),
                    ("u32", "buf[]", 0, 0)], '"%ps: %s", (void *)REC->ip, REC->fmt'),
        "funcgraph_entry": ([(ul[0], "func", wide, 0), ("int", "depth", 4, 1)],
                            '"--> %ps (%d)", (void *)REC->func, REC->depth'),
        "funcgraph_exit": ([(ul[0], "func", wide, 0), ("int", "depth", 4, 1),
                            ("unsigned int", "overrun", 4, 0),
                            ("unsigned long long", "calltime", 8, 0),
                            ("unsigned long long", "rettime", 8, 0)],
                           '"<-- %ps (%d) (start: %llx  end: %llx) over: %d", '
                           '(void *)REC->func, REC->depth, REC->calltime, REC->rettime, '
                           'REC->depth'),
        "sched_switch": ([(comm[0], "prev_comm[16]", 16, 0), ("pid_t", "prev_pid", 4, 1),
                          ("int", "prev_prio", 4, 1), ("long", "prev_state", wide, 1),
                          (comm[0], "next_comm[16]", 16, 0), ("pid_t", "next_pid", 4, 1),
                          ("int", "next_prio", 4, 1)],
                         '"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%ld ==> next_comm=%s '
                         'next_pid=%d next_prio=%d", REC->prev_comm, REC->prev_pid, '
                         'REC->prev_prio, REC->prev_state, REC->next_comm, REC->next_pid, '
                         'REC->next_prio'),
        "sched_waking": ([(comm[0], "comm[16]", 16, 0), ("pid_t", "pid", 4, 1),
                          ("int", "prio", 4, 1), ("int", "target_cpu", 4, 1)],
                         '"comm=%s pid=%d prio=%d target_cpu=%03d", REC->comm, REC->pid, '
                         'REC->prio, REC->target_cpu'),
        "demo_path": ([("unsigned long", "ino", wide, 0), ("__data_loc char[]", "path", 4, 0),
                       ("int", "ret", 4, 1)],
                      '"ino=%lu path=%s ret=%d", REC->ino, __get_str(path), REC->ret'),
    }


def place(fields):
    """Offsets as a compiler gives them: aligned to size, arrays to their element."""
    out, offset = [], 0
    for ctype, name, size, signed in fields:
        element = size
        if "[" in name and size:
            element = size // int(name[name.index("[") + 1:-1])
        elif not size:
            element = 4 if ctype == "u32" else 1
        offset = -(-offset // element) * element
        out.append((ctype, name, offset, size, signed))
        offset += size
    return out, offset


SHOWN_NAMES = {}                # what formats call an event, where it is not what we call it


def format_text(name, fields, print_fmt):
    placed, _ = place(COMMON + fields)
    lines = ["name: %s" % SHOWN_NAMES.get(name, name), "ID: %d" % IDS[name], "format:"]
    for index, (ctype, field, offset, size, signed) in enumerate(placed):
        if index == len(COMMON):
            lines.append("")
        gap = "" if ctype.endswith("*") else " "
        lines.append("\tfield:%s%s%s;\toffset:%d;\tsize:%d;\tsigned:%d;"
                     % (ctype, gap, field, offset, size, signed))
    return ("\n".join(lines) + "\n\nprint fmt: %s\n" % print_fmt).encode()


class Machine:
    """Byte order and sizes of the pretended machine."""

    def __init__(self, endian, long_size):
        self.sign = "<" if endian == "le" else ">"
        self.big = endian == "be"
        self.long_size = long_size
        self.text_base = 0xffffffff81000000 if long_size == 8 else 0xc0100000
        self.layouts = layouts(long_size)
        self.places = {}            # name -> the layout, and what place() makes of it

    def number(self, value, size):
        return (value & ((1 << (8 * size)) - 1)).to_bytes(size, "big" if self.big else "little")

    def u16(self, value):
        return self.number(value, 2)

    def u32(self, value):
        return self.number(value, 4)

    def u64(self, value):
        return self.number(value, 8)

    def ulong(self, value):
        return self.number(value, self.long_size)

    def func(self, index):
        return self.text_base + 0x1000 * (index + 1)

    def printk(self, index):
        return self.text_base + 0x800000 + 32 * index

    def placed(self, name):
        fields = self.layouts[name][0]
        if name not in self.places or self.places[name][0] is not fields:
            self.places[name] = fields, *place(COMMON + fields)
        return self.places[name][1:]

    def payload(self, name, pid, values, tail=b"", flags=0, preempt=0):
        """A record: common fields, then values in the places that the format names."""
        placed, size = self.placed(name)
        # records end aligned to the widest member, as structs do; dynamic tails start unaligned
        dynamic = placed[-1][3] == 0
        out = bytearray(placed[-1][2] if dynamic else -(-size // 4) * 4)
        values = dict(values, common_type=IDS[name], common_flags=flags,
                      common_preempt_count=preempt, common_pid=pid)
        for _, field, offset, width, _ in placed:
            value = values.get(field.split("[")[0])
            if value is None or not width:
                continue
            if isinstance(value, bytes):
                out[offset:offset + len(value)] = value
            else:
                out[offset:offset + width] = self.number(value, width)
        out += tail
        return bytes(out) + b"\0" * (-len(out) % 4)

    def header_page(self, page_size):
        long_size = self.long_size
        data = 8 + long_size
        return ("\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
                "\tfield: local_t commit;\toffset:8;\tsize:%d;\tsigned:1;\n"
                "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
                "\tfield: char data;\toffset:%d;\tsize:%d;\tsigned:0;\n"
                % (long_size, data, page_size - data)).encode()

    @staticmethod
    def header_event():
        return (b"# compressed entry header\n\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n"
                b"\tarray       :   32 bits\n\n\tpadding     : type == 29\n"
                b"\ttime_extend : type == 30\n\ttime_stamp : type == 31\n"
                b"\tdata max type_len  == 28\n")


# --- what happens on one CPU -------------------------------------------------------------------

class Cpu:
    """Makes up the history of one CPU of one instance."""

    def __init__(self, machine, rng, number, start_ts, args):
        self.m = machine
        self.rng = rng
        self.cpu = number
        self.ts = start_ts
        self.args = args
        self.pid = rng.choice(TASKS)
        self.stacks = {}
        self.events = []            # (ts, pid, name, payload)

    def tick(self):
        gap = self.rng.choice((0, 1, 7, 150, 900, 4000, 65000, 2000000))
        if self.rng.random() < 0.01:
            gap += self.rng.randrange(DELTA_MAX, 40 * DELTA_MAX)
        self.ts += gap

    def emit(self, name, values, tail=b""):
        flags = self.rng.choice((0, 1, 4, 8, 16, 0x11))
        preempt = self.rng.choice((0, 1, 2, 16))
        payload = self.m.payload(name, self.pid, values, tail, flags, preempt)
        self.events.append((self.ts, self.pid, name, payload))

    def stack(self):
        return self.stacks.setdefault(self.pid, [])

    def entry(self, func=None):
        stack = self.stack()
        func = self.m.func(self.rng.randrange(len(FUNCS))) if func is None else func
        self.emit("funcgraph_entry", {"func": func, "depth": len(stack)})
        stack.append((func, self.ts))

    def exit(self):
        func, called = self.stack().pop()
        self.emit("funcgraph_exit", {"func": func, "depth": len(self.stack()), "overrun": 0,
                                     "calltime": called, "rettime": self.ts})

    def do_graph(self):
        stack = self.stack()
        kind = self.rng.random()
        if kind < 0.5 or not stack:
            self.entry()
            if kind < 0.35:
                self.tick()
                self.exit()
        else:
            self.exit()

    def do_function(self):
        pick = [self.m.func(self.rng.randrange(len(FUNCS))) for _ in range(2)]
        self.emit("function", {"ip": pick[0] + 4, "parent_ip": pick[1] + 0x20})

    def do_print(self):
        size = self.rng.choice((1, 5, 20, 60, 113, 400))
        text = ("marker %d " % len(self.events) + "x" * size + "\n").encode() + b"\0"
        self.emit("print", {"ip": self.m.func(0) + 8}, text)

    def do_bprint(self):
        pick = self.rng.randrange(len(PRINTK))
        tail = (self.m.u32(self.rng.randrange(1000)), b"here\0\0\0\0", b"")[pick]
        self.emit("bprint", {"ip": self.m.func(1) + 8, "fmt": self.m.printk(pick)}, tail)

    def do_stack(self):
        frames = [self.m.func(self.rng.randrange(len(FUNCS))) + 16
                  for _ in range(self.rng.randrange(1, 9))]
        calls = b"".join(self.m.ulong(frame) for frame in frames)
        calls += b"\xff" * (8 * self.m.long_size - len(calls))
        self.emit("kernel_stack", {"size": len(frames), "caller": calls})

    def do_waking(self):
        pid = self.rng.choice(TASKS)
        self.emit("sched_waking", {"comm": COMMS[pid].encode()[:15], "pid": pid, "prio": 120,
                                   "target_cpu": self.rng.randrange(4)})

    def do_switch(self):
        after = self.rng.choice([pid for pid in COMMS if pid != self.pid])
        self.emit("sched_switch", {
            "prev_comm": COMMS[self.pid].encode()[:15], "prev_pid": self.pid, "prev_prio": 120,
            "prev_state": self.rng.choice((0, 1, 2)), "next_comm": COMMS[after].encode()[:15],
            "next_pid": after,
            "next_prio": 49 if self.args.wakeup and after == 512 else 120})
        self.pid = after

    def do_path(self):
        text = ("/srv/%s" % ("dir/" * self.rng.randrange(12))).encode() + b"\0"
        start = place(COMMON + self.m.layouts["demo_path"][0])[1]
        self.emit("demo_path", {"ino": self.rng.randrange(1 << 31), "ret": -2,
                                "path": len(text) << 16 | start}, text)

    def run(self, count):
        steps = [(self.do_graph, 8), (self.do_function, 5), (self.do_print, 2), (self.do_bprint, 1),
                 (self.do_stack, 1), (self.do_waking, 2), (self.do_switch, 2), (self.do_path, 2)]
        bag = [step for step, weight in steps for _ in range(weight)]
        while len(self.events) < count:
            self.tick()
            self.rng.choice(bag)()
        return self.events[:count]


# --- packing into sub-buffers ------------------------------------------------------------------

def random_bytes(rng, count):
    """As many of rng.randrange(256), which takes nine bits until they are below 256."""
    out, bits = bytearray(), rng.getrandbits
    while len(out) < count:
        byte = bits(9)
        if byte < 256:
            out.append(byte)
    return bytes(out)


class Packer:
    """Lays events of one CPU out in sub-buffers the way the ring buffer does."""

    def __init__(self, machine, rng, page_size, args):
        self.m = machine
        self.rng = rng
        self.page_size = page_size
        self.args = args
        self.room = page_size - 8 - machine.long_size
        self.pages = []
        self.lost_marks = []        # (index of the record after the loss, count or None)
        self.seen = dict.fromkeys(("time_extends", "abs_stamps", "discarded", "paddings"), 0)
        self.fresh_page(None)

    def fresh_page(self, ts):
        self.data = bytearray()
        self.page_ts = ts
        self.ts = ts
        self.lost = None

    def head(self, kind, delta):
        word = kind << 27 | delta if self.m.big else delta << 5 | kind
        return self.m.u32(word)

    def encode(self, payload, delta, kind=None):
        words = len(payload) // 4
        long_form = words > 28 or self.rng.random() < 0.05
        if kind is None and not long_form:
            return self.head(words, delta) + payload
        return self.head(kind or 0, delta) + self.m.u32(len(payload) + 4) + payload

    def stamp(self, ts):
        """Bytes that bring the running time near ts, and the delta left for the event."""
        delta = ts - self.ts
        absolute = self.args.absolute and self.rng.random() < self.args.absolute
        if not absolute and delta <= DELTA_MAX and self.rng.random() > 0.01:
            return b"", delta
        if absolute:
            low = ts & ((1 << ABS_BITS) - 1)
            self.seen["abs_stamps"] += 1
            return self.head(31, low & DELTA_MAX) + self.m.u32(low >> 27), 0
        rest = min(delta, self.rng.choice((0, 5)))
        extend = delta - rest
        self.seen["time_extends"] += 1
        return self.head(30, extend & DELTA_MAX) + self.m.u32(extend >> 27), rest

    def discard(self):
        """A discarded event: its time counts unless its delta is 1."""
        delta = self.rng.choice((2, 30, 700))
        if self.args.discard_delta1:
            delta = 1
        body = self.m.payload("function", 1, {"ip": 1, "parent_ip": 2})
        return self.encode(body, delta, 29), 0 if delta == 1 else delta

    def add(self, index, ts, payload):
        if self.page_ts is None:
            self.fresh_page(ts)
            self.maybe_lose(index)
        state = self.rng.getstate()
        seen = dict(self.seen)
        blob = self.build(ts, payload)
        if len(self.data) + len(blob) > self.room or \
                (len(self.data) > self.room // 8 and self.rng.random() < self.args.short_pages):
            self.rng.setstate(state)
            self.seen = seen
            self.rng.random()
            self.close()
            self.fresh_page(ts)
            self.maybe_lose(index)
            blob = self.build(ts, payload)
            if len(blob) > self.room:
                raise ValueError("record of %d bytes fits no page" % len(blob))
        self.data += blob
        self.ts = ts

    def build(self, ts, payload):
        blob = b""
        if self.lost is not None and not self.data and not self.args.lost_behind_stamp:
            return self.encode(payload, 0)
        if self.data and ts - self.ts > 1000 and self.rng.random() < self.args.discards:
            blob, spent = self.discard()
            self.seen["discarded"] += 1
            saved, self.ts = self.ts, self.ts + spent
            extra, delta = self.stamp(ts)
            self.ts = saved
        elif not self.data and self.rng.random() < 0.1:
            # a time extend that opens a page is worth nothing: the page has the time
            extra, delta = self.head(30, 0) + self.m.u32(0), 0
            self.seen["time_extends"] += 1
        else:
            extra, delta = self.stamp(ts)
        return blob + extra + self.encode(payload, delta)

    def maybe_lose(self, index):
        if not self.pages or self.rng.random() >= self.args.lost:
            return
        self.lost = self.rng.choice((None, 1, 42, 70000))
        self.lost_marks.append([index, self.lost])
        self.lost = self.lost or -1

    def end_padding(self):
        """Fill the rest of the page as the writer does when the next event did not fit."""
        left = self.room - len(self.data)
        if left < 4 or self.rng.random() < 0.4 or (self.lost or 0) > 0:
            return
        self.seen["paddings"] += 1
        if left == 4:
            self.data += self.head(29, 0)
            return
        self.data += self.head(29, self.rng.choice((0, 1))) + self.m.u32(left - 4)
        self.data += random_bytes(self.rng, self.room - len(self.data))

    def close(self):
        if self.page_ts is None:
            return
        self.end_padding()
        commit = len(self.data)
        after = b""
        if self.lost is not None:
            flags = 1 << 31
            if self.lost > 0 and commit + self.m.long_size <= self.room:
                flags |= 1 << 30
                after = self.m.ulong(self.lost)
            else:
                self.lost_marks[-1][1] = None
            commit |= flags
            if self.m.long_size == 8 and self.rng.random() < 0.5:
                commit -= 1 << 32       # sign extended, as 1<<31 added to a long comes out
        page = self.m.u64(self.page_ts) + self.m.ulong(commit) + self.data + after
        self.pages.append(bytes(page) + b"\0" * (self.page_size - len(page)))
        self.page_ts = None


# --- compression -------------------------------------------------------------------------------

def zstd_pack(data):
    """One zstd frame without content size, as trace-cmd writes."""
    try:
        lib = ctypes.CDLL("libzstd.so.1")
    except OSError:
        return subprocess.run(["zstd", "-cq", "--no-content-size"], input=data,
                              capture_output=True, check=True).stdout
    for name, kinds in (("ZSTD_compressBound", [ctypes.c_size_t]), ("ZSTD_createCCtx", []),
                        ("ZSTD_freeCCtx", [ctypes.c_void_p]),
                        ("ZSTD_CCtx_setParameter", [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]),
                        ("ZSTD_compress2", [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t,
                                            ctypes.c_char_p, ctypes.c_size_t])):
        getattr(lib, name).argtypes = kinds
        getattr(lib, name).restype = ctypes.c_size_t
    lib.ZSTD_createCCtx.restype = ctypes.c_void_p
    context = lib.ZSTD_createCCtx()
    lib.ZSTD_CCtx_setParameter(context, 200, 0)     # ZSTD_c_contentSizeFlag
    bound = lib.ZSTD_compressBound(len(data))
    out = ctypes.create_string_buffer(bound)
    size = lib.ZSTD_compress2(context, out, bound, data, len(data))
    lib.ZSTD_freeCCtx(context)
    if size > bound:
        raise OSError("zstd failed")
    return out.raw[:size]


def pack(algorithm, data):
    return zlib.compress(data, 9) if algorithm == "zlib" else zstd_pack(data)


# --- the file ----------------------------------------------------------------------------------

class Buffer:
    """One instance: its name and the pages of each CPU."""

    def __init__(self, name, page_size):
        self.name = name
        self.page_size = page_size
        self.cpus = []              # list of pages, per CPU


class Writer:
    def __init__(self, machine, buffers, args):
        self.m = machine
        self.buffers = buffers
        self.args = args
        self.out = bytearray()

    # -- pieces that both versions have

    def start(self):
        m = self.m
        self.out += b"\x17\x08\x44tracing" + str(self.args.version).encode() + b"\0"
        self.out += bytes([m.big, m.long_size]) + m.u32(self.args.page_size)

    def header_info(self):
        page, event = self.m.header_page(self.args.page_size), self.m.header_event()
        return (b"header_page\0" + self.m.u64(len(page)) + page +
                b"header_event\0" + self.m.u64(len(event)) + event)

    def one_format(self, name):
        text = format_text(name, *self.m.layouts[name])
        return self.m.u64(len(text)) + text

    def ftrace_events(self):
        inside = {name for names in SYSTEMS.values() for name in names}
        names = [name for name in IDS if name not in inside]
        return self.m.u32(len(names)) + b"".join(map(self.one_format, names))

    def event_formats(self):
        out = self.m.u32(len(SYSTEMS))
        for system, names in SYSTEMS.items():
            out += system.encode() + b"\0" + self.m.u32(len(names))
            out += b"".join(map(self.one_format, names))
        return out

    def kallsyms(self):
        digits = self.m.long_size * 2
        lines = ["%0*x T %s" % (digits, self.m.func(i), name) for i, name in enumerate(FUNCS)]
        lines.append("%0*x t nfs_module_func\t[nfs]" % (digits, self.m.func(len(FUNCS))))
        text = ("\n".join(lines) + "\n").encode()
        return self.m.u32(len(text)) + text

    def printk(self):
        lines = ['0x%x : "%s"' % (self.m.printk(i), fmt.replace("\n", "\\n"))
                 for i, fmt in enumerate(PRINTK)]
        text = ("\n".join(lines) + "\n").encode()
        return self.m.u32(len(text)) + text

    def cmdlines(self):
        lines = ["%d %s\n" % item for item in COMMS.items() if item[0]]
        if getattr(self.args, "renamed", False):
            lines += ["%d later-%d\n" % (pid, pid) for pid in TASKS]
        text = "".join(lines).encode()
        return self.m.u64(len(text)) + text

    def stat_options(self, buf, top):
        texts = ["CPU: %d\nentries: %d\noverrun: 0\ncommit overrun: 0\nbytes: %d\n"
                 "oldest event ts:  1000.000000\nnow ts:  2000.000000\ndropped events: 0\n"
                 "read events: 0\n" % (cpu, len(pages), len(pages) * 100)
                 for cpu, pages in enumerate(buf.cpus)]
        if not top:
            texts.insert(0, "\nBuffer: %s\n\n" % buf.name)
        return [(2, text.encode() + b"\0") for text in texts]

    def oops(self, path):
        with open(path, "rb") as stream:
            text = stream.read()
        return self.m.u32(len(text)) + text

    def time_shift(self, text):
        """The payload of TIME_SHIFT, as tracecmd_write_guest_time_shift() writes it."""
        m, (flags, *cpus) = self.m, text.split()
        cpus = [[[int(word, 0) for word in sample.split(",")] for sample in cpu.split("/")] for cpu in cpus]
        out = m.u64(0x8877665544332211) + m.u32(int(flags)) + m.u32(len(cpus))
        for samples in cpus:
            out += m.u32(len(samples))
            out += b"".join(m.u64(sample[at] if at < len(sample) else 1) for at in range(3) for sample in samples)
        if any(len(sample) > 3 for samples in cpus for sample in samples):
            out += b"".join(m.u64(sample[3] if len(sample) > 3 else 0) for samples in cpus for sample in samples)
        return out

    def plain_options(self):
        m, args = self.m, self.args
        release = getattr(args, "release", "6.12.0-test")
        out = [(4, ("[%s] global counter uptime\n" % args.clock).encode() + b"\0"),
               (5, ("Linux synthetic %s x86_64" % release).encode() + b"\0"), (9, b"3.1.6 synthetic\0"),
               (11, m.u64(0x1122334455667788))]
        if args.ts_offset:
            out.append((7, b"%d\0" % args.ts_offset))
        if getattr(args, "tsc", None):
            mult, shift = map(int, args.tsc.split(","))
            out.append((14, m.u32(mult) + m.u32(shift) + m.u64(0)))
        if args.date:
            out.append((1, b"0x%x\0" % args.date))
        if getattr(args, "time_shift", None):
            out.append((12, self.time_shift(args.time_shift)))
        for index in range(args.unknown_options):
            out.append((0x7001 + index, b"options that nobody knows\0"[index:]))
        return out

    def options(self, entries):
        return b"".join(self.m.u16(number) + self.m.u32(len(data)) + data
                        for number, data in entries)

    def align(self, size):
        self.out += b"\0" * (-len(self.out) % size)

    def patch(self, offset, data):
        self.out[offset:offset + len(data)] = data

    # -- version 6

    def write_v6(self):
        m, top = self.m, self.buffers[0]
        self.start()
        self.out += self.header_info() + self.ftrace_events() + self.event_formats()
        self.out += self.kallsyms() + self.printk() + self.cmdlines()
        self.out += m.u32(len(top.cpus)) + b"options  \0"
        self.out += self.options(self.plain_options() + self.stat_options(top, True))
        places = []
        for buf in self.buffers[1:]:
            places.append(len(self.out) + 6)
            self.out += self.options([(3, m.u64(0) + buf.name.encode() + b"\0"),
                                      (8, m.u32(len(buf.cpus)))] + self.stat_options(buf, False))
        self.out += self.options([(8, m.u32(len(top.cpus)))])
        self.out += m.u16(0)
        self.flyrecord(top)
        for buf, place_at in zip(self.buffers[1:], places):
            self.patch(place_at, m.u64(len(self.out)))
            self.flyrecord(buf)

    def flyrecord(self, buf):
        m = self.m
        self.out += b"flyrecord\0"
        table = len(self.out)
        self.out += b"\0" * (16 * len(buf.cpus))
        clock = ("[%s]" % self.args.clock).encode()
        self.out += m.u64(len(clock)) + clock
        for index, pages in enumerate(buf.cpus):
            self.align(buf.page_size)
            data = b"".join(pages)
            self.patch(table + 16 * index, m.u64(len(self.out)) + m.u64(len(data)))
            self.out += data

    # -- version 7

    def section(self, number, body, name, packed=True):
        """Append a section; returns its offset."""
        m, start = self.m, len(self.out)
        packed = packed and self.args.compress != "none"
        if packed:
            blob = pack(self.args.compress, body)
            body = m.u32(len(blob)) + m.u32(len(body)) + blob
        self.out += m.u16(number) + m.u16(packed) + m.u32(self.string(name)) + m.u64(len(body))
        self.out += body
        return start

    def string(self, text):
        offset = len(self.strings)
        self.strings += text.encode() + b"\0"
        return offset

    def write_v7(self):
        m, args = self.m, self.args
        self.strings = bytearray()
        self.start()
        version = {"none": b"", "zlib": b"1.2.13", "zstd": b"1.5.4"}[args.compress]
        self.out += args.compress.encode() + b"\0" + version + b"\0"
        self.link = len(self.out)
        self.out += m.u64(0)
        bodies = [(16, self.header_info(), "headers"), (17, self.ftrace_events(), "ftrace events"),
                  (18, self.event_formats(), "events format"), (19, self.kallsyms(), "kallsyms"),
                  (20, self.printk(), "printk"), (21, self.cmdlines(), "command lines")]
        entries = [(number, m.u64(self.section(number, body, name)))
                   for number, body, name in bodies]
        entries += self.plain_options()
        for buf in self.buffers:
            entries += self.stat_options(buf, not buf.name)
        for number, body in getattr(args, "sections", ()):
            start = self.section(number, body, "more")
            if number < 64:
                entries.append((number, m.u64(start)))
        if args.meta:
            self.section(0xf700, "".join(line + "\n" for line in args.meta).encode() + b"\0", "ftr")
        if getattr(args, "oops", None):
            self.section(0xf708, self.oops(args.oops), "oops")
        if args.unknown_options:
            self.section(0x7001, b"a section that nobody knows\0", "unknown")
        self.option_section(entries)
        self.option_section([(3, self.buffer_section(buf)) for buf in self.buffers])
        self.section(15, bytes(self.strings) + b"strings\0", "strings")

    def option_section(self, entries):
        m = self.m
        body = self.options(entries) + m.u16(0) + m.u32(8) + m.u64(0)
        start = self.section(0, body, "options", False)
        self.patch(self.link, m.u64(start))
        self.link = len(self.out) - 8

    def buffer_section(self, buf):
        """Append the section with the pages; returns the payload of its option."""
        m, packed = self.m, self.args.compress != "none"
        start = len(self.out)
        self.out += m.u16(3) + m.u16(packed) + m.u32(self.string("buffer flyrecord " + buf.name))
        self.out += m.u64(0)
        table = []
        for cpu, pages in enumerate(buf.cpus):
            if not pages:
                continue
            self.align(buf.page_size)
            offset = len(self.out)
            self.out += self.chunks(pages) if packed else b"".join(pages)
            short = 4 if packed and self.args.short_sizes else 0
            table.append(m.u32(cpu) + m.u64(offset) + m.u64(len(self.out) - offset - short))
        self.patch(start + 8, m.u64(len(self.out) - start - 16))
        return (m.u64(start) + buf.name.encode() + b"\0" + self.args.clock.encode() + b"\0" +
                m.u32(buf.page_size) + m.u32(len(table)) + b"".join(table))

    def chunks(self, pages):
        m, out = self.m, b""
        groups = [pages[i:i + 10] for i in range(0, len(pages), 10)]
        for group in groups:
            raw = b"".join(group)
            blob = pack(self.args.compress, raw)
            out += m.u32(len(blob)) + m.u32(len(raw)) + blob
        return m.u32(len(groups)) + out

    def write(self):
        if self.args.version == 6:
            self.write_v6()
        else:
            self.write_v7()
        return bytes(self.out)


# --- expectations ------------------------------------------------------------------------------

def leaf_pairs(events, machine):
    """Exits that directly follow the entry of the same task and function."""
    count, where = 0, slice(8, 8 + machine.long_size)
    for (_, pid, name, payload), (_, pid2, name2, payload2) in zip(events, events[1:]):
        count += (name, name2) == ("funcgraph_entry", "funcgraph_exit") and pid == pid2 and \
            payload[where] == payload2[where]
    return count


def build_buffer(machine, rng, name, page_size, args, expect):
    buf = Buffer(name, page_size)
    for cpu in range(args.cpus):
        empty = args.empty_cpu and cpu == 1
        start = args.start_ts + rng.randrange(100000)
        events = [] if empty else Cpu(machine, rng, cpu, start, args).run(args.records)
        packer = Packer(machine, rng, page_size, args)
        for index, (ts, _, _, payload) in enumerate(events):
            packer.add(index, ts, payload)
        packer.close()
        if args.blank and cpu == 0:
            first, count = map(int, args.blank.split(":"))
            packer.pages[first:first + count] = [b"\0" * page_size] * count
        buf.cpus.append(packer.pages)
        expect["cpus"].append(dict({
            "buffer": name, "cpu": cpu, "records": len(events), "pages": len(packer.pages),
            "leaf_pairs": leaf_pairs(events, machine),
            "lost": sum(count or 0 for _, count in packer.lost_marks),
            "lost_unknown": sum(count is None for _, count in packer.lost_marks),
            "lost_before_record": packer.lost_marks}, **packer.seen))
        expect["records"] += [{"buffer": name, "cpu": cpu, "ts": ts, "pid": pid,
                               "comm": COMMS[pid], "event": event}
                              for ts, pid, event, _ in events]
    return buf


def totals(expect):
    keys = ("records", "leaf_pairs", "lost", "lost_unknown", "pages", "time_extends", "abs_stamps",
            "discarded", "paddings")
    return {key: sum(cpu[key] for cpu in expect["cpus"]) for key in keys}


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    number = lambda text: int(text, 0)
    parser.add_argument("file")
    parser.add_argument("--expect", metavar="FILE.json")
    parser.add_argument("--version", type=int, choices=(6, 7), default=7)
    parser.add_argument("--endian", choices=("le", "be"), default="le")
    parser.add_argument("--long", type=int, choices=(4, 8), default=8)
    parser.add_argument("--page-size", type=number, default=4096)
    parser.add_argument("--instance-page-size", type=number,
                        help="v7: sub-buffer size of the instances, when it differs")
    parser.add_argument("--compress", choices=("none", "zlib", "zstd"), default="none")
    parser.add_argument("--instances", default="", help="names, by comma")
    parser.add_argument("--cpus", type=int, default=3)
    parser.add_argument("--records", type=int, default=400, help="per CPU and instance")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--clock", default="local")
    parser.add_argument("--tsc", metavar="MULT,SHIFT", help="TSC2NSEC option")
    parser.add_argument("--time-shift", metavar="'FLAGS CPU0 CPU1...'",
                        help="TIME_SHIFT option: of a CPU TIME,OFFSET[,SCALING[,FRACTION]], several with / between")
    parser.add_argument("--start-ts", type=number, default=1000 * 10 ** 9,
                        help="above 1<<59: absolute stamps need their top bits restored")
    parser.add_argument("--absolute", type=float, default=0.02, help="share of absolute stamps")
    parser.add_argument("--discards", type=float, default=0.05, help="share of discarded events")
    parser.add_argument("--discard-delta1", action="store_true",
                        help="discarded events have delta 1, which does not count")
    parser.add_argument("--lost", type=float, default=0.3, help="share of pages after a loss")
    parser.add_argument("--blank", metavar="FIRST:COUNT", help="so many sub-buffers of CPU 0 are zeroes: "
                        "what a reader must find is not told then")
    parser.add_argument("--lost-behind-stamp", action="store_true",
                        help="a page after a loss may open with a time extend or stamp "
                        "(libtraceevent 1.7.1 then forgets the loss)")
    parser.add_argument("--short-pages", type=float, default=0.01)
    parser.add_argument("--meta", action="append", metavar="KEY=VALUE",
                        help="v7: a line of ftr's own section")
    parser.add_argument("--oops", metavar="FILE", help="v7: the text of an oops")
    parser.add_argument("--wakeup", action="store_true",
                        help="sched_waking is called sched_wakeup, and some tasks are realtime")
    parser.add_argument("--renamed", action="store_true",
                        help="each task has a second line in the saved comms")
    parser.add_argument("--empty-cpu", action="store_true", help="CPU 1 has no data")
    parser.add_argument("--ts-offset", type=int, default=0, help="OFFSET option, ns")
    parser.add_argument("--date", type=number, default=0, help="DATE option, us")
    parser.add_argument("--unknown-options", type=int, default=0)
    parser.add_argument("--short-sizes", action="store_true",
                        help="compressed CPU sizes lack 4 bytes, as trace-cmd 3.1.6 writes them")
    args = parser.parse_args()
    if args.version == 6 and (args.compress != "none" or args.instance_page_size):
        parser.error("version 6 knows neither compression nor two page sizes")
    for size in (args.page_size, args.instance_page_size or 4096):
        if not 4096 <= size <= 65536 or size & (size - 1):
            parser.error("page size: a power of two in 4096..65536")
    return args


def main():
    args = parse_args()
    rng = random.Random(args.seed)
    machine = Machine(args.endian, args.long)
    if args.wakeup:
        SHOWN_NAMES["sched_waking"] = "sched_wakeup"
    names = [""] + [name for name in args.instances.split(",") if name]
    expect = {"options": vars(args), "ts_offset_ns": args.ts_offset + args.date * 1000,
              "cpus": [], "records": []}
    sizes = {name: args.instance_page_size or args.page_size for name in names if name}
    buffers = [build_buffer(machine, rng, name, sizes.get(name, args.page_size), args, expect)
               for name in names]
    expect["totals"] = totals(expect)
    with open(args.file, "wb") as stream:
        stream.write(Writer(machine, buffers, args).write())
    if args.expect:
        with open(args.expect, "w", encoding="utf-8") as stream:
            stream.write(json.dumps(expect))
    return 0


if __name__ == "__main__":
    sys.exit(main())
