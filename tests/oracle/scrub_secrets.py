#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Secrets in every place that a trace.dat has, and what is left of them.

scrub_secrets.py make FILE LIST [--seed N] [--compress none|zlib|zstd] [--count N] [--end]
    writes a file of version 7, byte by byte, with N secrets or some more, and LIST: "PLACE<tab>SECRET in hex" a line.
    With --end there are secrets after the committed bytes of sub-buffers, too, which a reader reports as damage.
scrub_secrets.py find FILE LIST
    searches the bytes of FILE, and those of each compressed part unpacked, for each secret; prints how many there are.
scrub_secrets.py checked LIST < OUTPUT
    compares the output of --check with LIST: each place has at least as many values as there are secrets.
scrub_secrets.py formats FORMATS.xz FILE [--seed N]
    writes a file with a record of random bytes for each format of FORMATS ("@@FILE ./SYSTEM/EVENT/format", text).
scrub_secrets.py shapes A B
    compares the records of two such files: no array, structure or pointer of B is that of A.
scrub_secrets.py same A B [CLASS...]
    compares JSON lines of the records of two files: all but what identifies is equal, lengths of names are, and each
    name and pid of A is one of B. CLASSes are those that were kept: tasks, pids, ...

Shares no code with the program under test.
"""
import argparse
import collections
import json
import lzma
import os
import random
import re
import string
import struct
import sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mkdat                            # noqa: E402
import rawdecode                        # noqa: E402
import rawfields                        # noqa: E402

UL, PTR = "unsigned long", "const char *"


def comm(name):
    return ("char", name + "[16]", 16, 0)


# As the kernel (7.2, and 6.12 for probes) has them; demo: shapes that no event of it has alone
FORMATS = {
    "task_rename": ("task", 400, [("pid_t", "pid", 4, 1), comm("oldcomm"), comm("newcomm"),
                                  ("short", "oom_score_adj", 2, 1)],
                    '"pid=%d oldcomm=%s newcomm=%s oom_score_adj=%hd", REC->pid, REC->oldcomm, REC->newcomm, '
                    'REC->oom_score_adj'),
    "sched_process_exec": ("sched", 401, [("__data_loc char[]", "filename", 4, 0), ("pid_t", "pid", 4, 1),
                                          ("pid_t", "old_pid", 4, 1)],
                           '"filename=%s pid=%d old_pid=%d", __get_str(filename), REC->pid, REC->old_pid'),
    "sys_enter_openat": ("syscalls", 402, [("int", "__syscall_nr", 4, 1), ("int", "dfd", 8, 0),
                                           (PTR, "filename", 8, 0), ("int", "flags", 8, 0), ("umode_t", "mode", 8, 0),
                                           ("__data_loc char[]", "__filename_val", 4, 0)],
                         '"dfd: 0x%08lx, filename: 0x%08lx \\"%s\\", flags: 0x%08lx, mode: 0x%08lx", '
                         '((unsigned long)(REC->dfd)), ((unsigned long)(REC->filename)), __get_str(__filename_val), '
                         '((unsigned long)(REC->flags)), ((unsigned long)(REC->mode))'),
    "sys_enter_write": ("syscalls", 403, [("int", "__syscall_nr", 4, 1), ("unsigned int", "fd", 8, 0),
                                          (PTR, "buf", 8, 0), ("size_t", "count", 8, 0),
                                          ("__data_loc char[]", "__buf_val", 4, 0)],
                        '"fd: 0x%08lx, buf: 0x%08lx (%s), count: 0x%08lx", ((unsigned long)(REC->fd)), '
                        '((unsigned long)(REC->buf)), __print_dynamic_array(__buf_val, 1), '
                        '((unsigned long)(REC->count))'),
    "sys_exit_mmap": ("syscalls", 404, [("int", "__syscall_nr", 4, 1), ("long", "ret", 8, 1)], '"0x%lx", REC->ret'),
    "sys_enter": ("raw_syscalls", 405, [("long", "id", 8, 1), (UL, "args[6]", 48, 0)],
                  '"NR %ld (%lx, %lx, %lx, %lx, %lx, %lx)", REC->id, REC->args[0], REC->args[1], REC->args[2], '
                  'REC->args[3], REC->args[4], REC->args[5]'),
    "rdev_scan": ("cfg80211", 406, [("char", "wiphy_name[32]", 32, 0), ("u8", "bssid[6]", 6, 0),
                                    ("int", "ret", 4, 1)], '"%s, ret %d", REC->wiphy_name, REC->ret'),
    "tcp_probe": ("tcp", 407, [("__u8", "saddr[28]", 28, 0), ("__u8", "daddr[28]", 28, 0), ("__u32", "mark", 4, 0)],
                  '"mark=%u", REC->mark'),
    "kmalloc": ("kmem", 408, [(UL, "call_site", 8, 0), ("const void *", "ptr", 8, 0), ("size_t", "bytes_req", 8, 0)],
                '"call_site=%pS ptr=%p bytes_req=%zu", (void *)REC->call_site, REC->ptr, REC->bytes_req'),
    "upr": ("uprobes", 409, [(UL, "__probe_ip", 8, 0), ("u64", "arg1", 8, 0), ("__data_loc char[]", "arg2", 4, 0)],
            '"(%lx) arg1=%Lu arg2=\\"%s\\"", REC->__probe_ip, REC->arg1, __get_str(arg2)'),
    "demo_hole": ("demo2", 410, [("unsigned char", "kind", 1, 0), (UL, "value", 8, 0)],
                  '"kind %d value %lu", REC->kind, REC->value'),
    "demo_struct": ("demo2", 411, [("int", "ret", 4, 1), ("struct demo_key", "key", 24, 0)], '"ret %d", REC->ret'),
    "demo_rel": ("demo2", 412, [("int", "ret", 4, 1), ("__rel_loc char[]", "device", 4, 0),
                                ("__rel_loc u8[]", "raw", 4, 0)], '"ret %d %s", REC->ret, __get_rel_str(device)'),
    "demo_mask": ("demo2", 413, [("__data_loc u32[]", "words", 4, 0), ("int", "ret", 4, 1), ("kuid_t", "uid", 4, 0)],
                  '"ret %d uid %u", REC->ret, REC->uid'),
    "user_stack": ("ftrace", 12, [("unsigned int", "tgid", 4, 0), (UL, "caller[8]", 64, 0)],
                   '"\\t=> %ps\\n", (void *)REC->caller[0]'),
    "raw_data": ("ftrace", 18, [("unsigned int", "id", 4, 0), ("char", "buf[]", 0, 0)],
                 '"id:%04x %08x", REC->id, (int)REC->buf[0]'),
}
NO_FORMAT = 999


def add_formats(machine):
    for name, (system, number, fields, text) in FORMATS.items():
        mkdat.IDS[name] = number
        if system != "ftrace":
            mkdat.SYSTEMS.setdefault(system, []).append(name)
        machine.layouts[name] = (fields, text)


class Secrets:
    """Draws them, each once, and knows where each one is."""

    def __init__(self, rng):
        self.rng, self.taken, self.places, self.names, self.formats = rng, set(), [], [], []

    def keep(self, place, secret):
        self.taken.add(secret)
        self.places.append((place, secret))
        return secret

    def word(self, place, size):
        while True:
            word = "".join(self.rng.choice(string.ascii_letters + string.digits + "_-.") for _ in range(size)).encode()
            if word not in self.taken:
                return self.keep(place, word)

    def raw(self, place, size):
        return self.keep(place, bytes(self.rng.randrange(1, 256) for _ in range(size)))

    def address(self, place):
        """Six random bytes of a user's address are the secret."""
        number = self.rng.randrange(1 << 46, 1 << 47)
        self.keep(place, struct.pack("<Q", number)[:6])
        return number

    def path(self, place, parts):
        return b"/" + b"/".join(self.word(place, self.rng.randrange(6, 20)) for _ in range(parts))

    def comm(self, place):
        """A name, and after its NUL bytes of an earlier one."""
        size = self.rng.choice((6, 8, 15))
        name = self.word(place, size) + b"\0"
        return name + (self.raw(place + " rest", 15 - size) if size < 9 else b"") + \
            (b"" if size < 9 else b"\0" * (15 - size))


class Maker:
    def __init__(self, args):
        self.args, self.rng = args, random.Random(args.seed)
        self.m = mkdat.Machine("le", 8)
        add_formats(self.m)
        self.s = Secrets(self.rng)
        self.events = []

    def record(self, name, values, arrays=(), tail=b""):
        """@arrays: (field, bytes) in the dynamic part, in order."""
        placed, end = mkdat.place(mkdat.COMMON + self.m.layouts[name][0])
        where = {field: offset for _, field, offset, _, _ in placed}
        kinds = {field: kind for kind, field, _, _, _ in placed}
        end = -(-end // 4) * 4
        for field, data in arrays:
            at = end - (where[field] + 4 if kinds[field].startswith("__rel") else 0)
            values = dict(values, **{field: len(data) << 16 | at})
            tail += data
            end += len(data)
        blob = self.m.payload(name, self.rng.choice(mkdat.TASKS), values, tail)
        self.events.append(blob)
        return len(self.events) - 1

    def patch(self, index, at, data):
        blob = self.events[index]
        self.events[index] = blob[:at] + data + blob[at + len(data):]

    # -- one of each kind

    def do_tasks(self):
        s = self.s
        self.record("task_rename", {"pid": 512, "oldcomm": s.comm("task:task_rename.oldcomm"),
                                    "newcomm": s.comm("task:task_rename.newcomm"), "oom_score_adj": 0})
        self.record("sched_switch", {"prev_comm": s.comm("sched:sched_switch.prev_comm"), "prev_pid": 1,
                                     "prev_prio": 120, "prev_state": 1, "next_pid": 777, "next_prio": 120,
                                     "next_comm": s.comm("sched:sched_switch.next_comm")})

    def do_paths(self):
        s = self.s
        self.record("sched_process_exec", {"pid": 41, "old_pid": 41},
                    [("filename", s.path("sched:sched_process_exec.filename", 2) + b"\0")])
        self.record("sys_enter_openat", {"__syscall_nr": 257, "dfd": 0xffffff9c, "flags": 0x241, "mode": 0o644,
                                         "filename": s.address("syscalls:sys_enter_openat.filename")},
                    [("__filename_val", s.path("syscalls:sys_enter_openat.__filename_val", 3) + b"\0")])
        self.record("demo_path", {"ino": 77, "ret": -2}, [("path", s.path("demo:demo_path.path", 2) + b"\0" +
                                                           s.raw("demo:demo_path.path rest", 8))])
        self.record("demo_rel", {"ret": 3}, [("device", s.word("demo2:demo_rel.device", 9) + b"\0"),
                                             ("raw", s.raw("demo2:demo_rel.raw", 12))])

    def do_user_data(self):
        s = self.s
        data = s.raw("syscalls:sys_enter_write.__buf_val", self.rng.randrange(6, 64))
        self.record("sys_enter_write", {"__syscall_nr": 1, "fd": 1, "count": len(data),
                                        "buf": s.address("syscalls:sys_enter_write.buf")}, [("__buf_val", data)])
        self.record("raw_data", {"id": 7}, tail=s.raw("ftrace:raw_data.buf", 16))
        self.record("demo_struct", {"ret": 1, "key": s.raw("demo2:demo_struct.key", 24)})
        self.record("demo_mask", {"ret": 1, "uid": self.rng.choice((0, 1000, 1001, 4000000000))},
                    [("words", s.raw("demo2:demo_mask.words", 16))])
        self.record("tcp_probe", {"saddr": s.raw("tcp:tcp_probe.saddr", 28), "mark": 5,
                                  "daddr": s.raw("tcp:tcp_probe.daddr", 28)})
        self.record("rdev_scan", {"wiphy_name": s.word("cfg80211:rdev_scan.wiphy_name", 11) + b"\0", "ret": 0,
                                  "bssid": s.raw("cfg80211:rdev_scan.bssid", 6)})

    def do_markers(self):
        s = self.s
        self.record("print", {"ip": self.m.func(0)}, tail=s.word("ftrace:print.buf", 10) + b" " +
                    s.word("ftrace:print.buf", 7) + b"\n\0")
        self.record("bprint", {"ip": self.m.func(1), "fmt": self.m.printk(1)},
                    tail=s.word("ftrace:bprint.buf", 11) + b"\0")

    def do_addresses(self):
        s = self.s
        self.record("kmalloc", {"call_site": self.m.func(2) + 8, "ptr": s.address("kmem:kmalloc.ptr"),
                                "bytes_req": 4711})
        self.record("sys_exit_mmap", {"__syscall_nr": 9, "ret": s.address("syscalls:sys_exit_mmap.ret")})
        args = b"".join(struct.pack("<Q", s.address("raw_syscalls:sys_enter.args")) for _ in range(3))
        self.record("sys_enter", {"id": 257, "args": args + struct.pack("<3Q", 3, 0, 12)})
        self.record("upr", {"__probe_ip": s.address("uprobes:upr.__probe_ip"),
                            "arg1": s.address("uprobes:upr.arg1")}, [("arg2", s.word("uprobes:upr.arg2", 12) + b"\0")])
        callers = b"".join(struct.pack("<Q", s.address("ftrace:user_stack.caller")) for _ in range(3))
        self.record("user_stack", {"tgid": 1, "caller": callers})

    def do_rest(self):
        s = self.s
        self.patch(self.record("demo_hole", {"kind": 1, "value": 4712}), 9, s.raw("demo2:demo_hole", 7))
        index = self.record("demo_path", {"ino": 78, "ret": 0})
        self.patch(index, 24 + (-len(self.events[index]) % 4), b"")
        self.events[index] += s.raw("demo:demo_path", 8)
        blob = bytearray(self.m.payload("function", 41, {"ip": 0, "parent_ip": 0}))
        blob[:2] = struct.pack("<H", NO_FORMAT)
        blob[8:] = s.raw("records without a format", 16)
        self.events.append(bytes(blob))

    def discarded(self):
        return self.m.payload("print", 1, {"ip": 1}, self.s.word("between records", 12) + b"\0")

    # -- the file

    def page_of(self, blobs, ts):
        """A sub-buffer, with a discarded event after the third record. Returns its bytes and the committed ones."""
        data = bytearray()
        for index, blob in enumerate(blobs):
            blob += b"\0" * (-len(blob) % 4)
            data += struct.pack("<II", 1000 << 5, len(blob) + 4) + blob if len(blob) > 112 else \
                struct.pack("<I", 1000 << 5 | len(blob) // 4) + blob
            if index == 2:
                gone = self.discarded()
                data += struct.pack("<II", 30 << 5 | 29, len(gone) + 4) + gone
        left = 4096 - 16 - len(data)
        if left >= 32:
            # the padding that the kernel writes where the next record did not fit
            data += struct.pack("<II", 29, left - 4) + self.s.raw("between records", 16) + b"\0" * (left - 24)
        return struct.pack("<QQ", ts, len(data)) + bytes(data) + b"\0" * (4080 - len(data))

    def pages(self):
        out, now, size, ts = [], [], 0, 10 ** 12
        for blob in self.events:
            if size + len(blob) + 12 > 3800:
                out.append(self.page_of(now, ts))
                now, size, ts = [], 0, ts + 10 ** 6
            now.append(blob)
            size += len(blob) + 12
        out.append(self.page_of(now, ts))
        return out

    def make(self):
        # the same for any number of records
        self.s.names = [(pid, self.s.word("saved_cmdlines", 13)) for pid in mkdat.TASKS]
        self.s.formats = [[self.s.word("printk formats", n) for n in (8, 9)] for _ in range(3)]
        instance = self.s.word("name of an instance", 9).decode()
        kinds = [self.do_tasks, self.do_paths, self.do_user_data, self.do_markers, self.do_addresses, self.do_rest]
        while len(self.s.places) < self.args.count:
            self.rng.choice(kinds)()
        s, args = self.s, self.args
        args.page_size, args.version, args.clock, args.unknown_options = 4096, 7, "local", 0
        args.ts_offset = args.date = args.short_sizes = 0
        args.meta = ["command=" + (s.word("line command", 9) + b" " + s.path("line command", 2)).decode(),
                     "boot_id=" + s.word("line boot_id", 36).decode(), "tracer=nop",
                     "dynamic_events=p:uprobes/upr " + s.path("line dynamic_events", 2).decode() + ":0x1234",
                     "build_ids=%s %s" % (s.word("line build_ids", 40).decode(), s.path("line build_ids", 2).decode()),
                     "set_event_pid=1 41 512", "who_knows=" + s.word("line with another key", 12).decode()]
        top, other = mkdat.Buffer("", 4096), mkdat.Buffer(instance, 4096)
        pages = self.pages()
        if args.end:
            pages = [page[:-12] + s.raw("between records", 12) if not any(page[-12:]) else page for page in pages]
        top.cpus, other.cpus = [pages[::2], pages[1::2]], [pages[1:3]]
        with open(args.file, "wb") as stream:
            stream.write(Writer(self.m, [top, other], args, s).write())
        with open(args.list, "w", encoding="utf-8") as stream:
            stream.writelines("%s\t%s\n" % (place, secret.hex()) for place, secret in s.places)
        print("%d secrets in %d places" % (len(s.places), len({place for place, _ in s.places})))


class Writer(mkdat.Writer):
    """The sections and options, with secrets in them."""

    def __init__(self, machine, buffers, args, secrets):
        super().__init__(machine, buffers, args)
        self.s = secrets

    def section(self, number, body, name, packed=True):
        # ftr's own lines are never compressed
        return super().section(number, body, name, packed and number != 0xf700)

    def text(self, width, text):
        return (self.m.u64 if width == 8 else self.m.u32)(len(text)) + text

    def cmdlines(self):
        return self.text(8, b"".join(b"%d %s\n" % row for row in self.s.names))

    def printk(self):
        return self.text(4, b"".join(b'0x%x : "%s %%d %s\\n"\n' % (self.m.printk(i), *words)
                                     for i, words in enumerate(self.s.formats)))

    def plain_options(self):
        s, m = self.s, self.m
        trace_id = s.raw("option TRACEID", 8)
        maps = b"29 2 %s\n7f0000001000 7f0000002000 %s\n" % (s.word("option PROCMAPS", 9), s.path("option PROCMAPS", 2))
        return [(4, b"[local] global counter %s\n\0" % s.word("option TRACECLOCK", 8)),
                (5, b"Linux %s 6.12.0-%s x86_64\0" % (s.word("option UNAME", 9),
                                                      "".join(self.s.rng.choice("qzxv") for _ in range(9)).encode())),
                (9, b"3.1.6 %s\0" % s.keep("option VERSION", b"zqWWkqzzvv")), (11, trace_id),
                (6, b"%s\0" % s.word("option HOOK", 20)), (10, maps + b"\0"),
                (12, trace_id + m.u32(0) + m.u32(1) + m.u32(0)),
                (13, s.word("option GUEST", 10) + b"\0" + trace_id + m.u32(2) + m.u32(0) + m.u32(512) + m.u32(1) +
                 m.u32(777)),
                (24, b"boot_map:%s\0" % s.word("option LAST_BOOT_INFO", 14)),
                (0x7001, s.raw("option unknown", 20))]

    def stat_options(self, buf, top):
        return super().stat_options(buf, top) + [(2, b"CPU: 0\nentries: %s\n\0" % self.s.word("option CPUSTAT", 9))]


# --- a record for each of a kernel's formats

class AllFormats(mkdat.Writer):
    """A file with given formats: texts by system."""

    def __init__(self, machine, buffers, args, texts):
        super().__init__(machine, buffers, args)
        self.texts = texts

    def ftrace_events(self):
        return self.listed(self.texts.get("ftrace", []))

    def listed(self, texts):
        return self.m.u32(len(texts)) + b"".join(self.m.u64(len(text)) + text for text in texts)

    def event_formats(self):
        systems = [name for name in self.texts if name != "ftrace"]
        return self.m.u32(len(systems)) + b"".join(name.encode() + b"\0" + self.listed(self.texts[name])
                                                   for name in systems)


def random_record(rng, number, text):
    """Random bytes, in which only the type and the places of arrays are what they should be."""
    fields = [rawfields.Field(*m.groups()) for m in rawfields.LINE.finditer(text.split("print fmt:")[0])]
    end = max(f.offset + f.size for f in fields)
    blob = bytearray(rng.randrange(1, 256) for _ in range(-(-end // 4) * 4))
    blob[:2] = struct.pack("<H", number)
    for field in fields:
        if field.loc:
            at = len(blob) - (field.offset + 4 if field.loc[1] == "rel" else 0)
            blob[field.offset:field.offset + 4] = struct.pack("<I", 16 << 16 | at)
            blob += bytes(rng.randrange(1, 256) for _ in range(16))
    return bytes(blob)


def formats(args):
    rng, texts, blobs = random.Random(args.seed), {}, []
    with lzma.open(args.formats, "rt", encoding="utf-8") as stream:
        parts_of = re.split(r"^@@FILE \./(.*)/format\n", stream.read(), flags=re.M)[1:]
    for path, text in zip(parts_of[::2], parts_of[1::2]):
        texts.setdefault(path.split("/")[-2], []).append(text.encode())
        blobs.append(random_record(rng, int(re.search("^ID: ([0-9]+)", text, re.M)[1]), text))
    maker = Maker(argparse.Namespace(seed=args.seed))
    maker.events, maker.discarded = blobs, lambda: b"\0" * 16
    top = mkdat.Buffer("", 4096)
    top.cpus = [maker.pages()]
    plain = argparse.Namespace(page_size=4096, version=7, compress="none", clock="local", unknown_options=0,
                               ts_offset=0, date=0, short_sizes=False, meta=[])
    with open(args.file, "wb") as stream:
        stream.write(AllFormats(maker.m, [top], plain, texts).write())
    print("%d formats" % len(blobs))


# Fields that identify nobody.
KEPT = re.compile("cpumask|^rwbs$")


def shapes(args):
    bad, n, fields = [], 0, {}
    one, two = (rawdecode.load(path, keep_data=True) for path in (args.a, args.b))
    rows, others = ([row for buf in t.buffers for cpu in buf.cpus for row in cpu.rows] for t in (one, two))
    for (_, number, _, _, old), (_, again, _, _, new) in zip(rows, others):
        fmt = one.formats[number]
        if number not in fields:
            fields[number] = rawfields.fields_of(fmt)
        if number != again or len(old) != len(new):
            bad.append("%s: type %d, length %d and %d" % (fmt.name, again, len(old), len(new)))
        for name, field in fields[number]:
            a, b = field.bytes_of(old, "little", fmt), field.bytes_of(new, "little", fmt)
            single = not field.array and not field.loc and "*" not in field.type and field.size <= 8
            if a is None or len(a) < 4 or single or KEPT.search(name):
                continue
            n += 1
            # of arrays of numbers a single one may look like an error or a small number
            if a == b or (field.array and any(a[i:i + 8] == b[i:i + 8] for i in range(0, len(a) - 7, 8))):
                bad.append("%s:%s.%s (%s): %s, %s" % (fmt.system, fmt.name, name, field.type, a.hex(), b.hex()))
    print("\n".join(bad[:20] + ["%d fields of %d records, %d as before" % (n, len(rows), len(bad))]))
    if len(rows) != len(others):
        print("%d and %d records" % (len(rows), len(others)))


# --- what is left

def parts(data):
    """The file, and each compressed part of it unpacked."""
    yield data
    trace = rawdecode.Trace(data).read()
    for problem in trace.problems:
        print("# problem: %s" % (problem,))
    for section in trace.sections:
        if section.flags & 1 and section.id != 3:
            packed, plain = struct.unpack_from("<II", data, section.body)
            yield rawdecode.unpack(trace.compression, data[section.body + 8:section.body + 8 + packed], plain, 0)
    for buf in trace.buffers:
        for cpu in buf.cpus:
            at = cpu.offset
            if trace.compression == "none" or not cpu.size:
                continue
            count, at = struct.unpack_from("<I", data, at)[0], at + 4
            for _ in range(count):
                packed, plain = struct.unpack_from("<II", data, at)
                yield rawdecode.unpack(trace.compression, data[at + 8:at + 8 + packed], plain, 0)
                at += 8 + packed


def read_list(path):
    with open(path, encoding="utf-8") as stream:
        rows = (line.rstrip("\n").split("\t") for line in stream)
        return [(place, bytes.fromhex(secret)) for place, secret in rows]


def find(args):
    with open(args.file, "rb") as stream:
        pieces = list(parts(stream.read()))
    left = [(place, secret) for place, secret in read_list(args.list) if any(secret in piece for piece in pieces)]
    for place, secret in left[:10]:
        print("# %s: %s" % (place, secret))
    print("%d found" % len(left))


def checked(args):
    wanted, got = collections.Counter(), collections.Counter()
    for place, _ in read_list(args.list):
        wanted[place.replace(" rest", "")] += 1
    for line in sys.stdin:
        match = re.match(r"([a-z]+) +([0-9,]+)  (.*?)  ", line)
        if match:
            got[match[3].strip()] += int(match[2].replace(",", ""))
    bad = ["%s: %d of %d" % (place, got[place], count) for place, count in wanted.items() if got[place] < count]
    print("\n".join(bad + ["%d places, %d with too few values" % (len(wanted), len(bad))]))


# --- reports

NAMES = re.compile(r".*comm$")
PIDS = re.compile(r"(.*_)?(pid|tgid|ppid)$|pid$")
USERS = re.compile(r"(.*_)?[ug]id$")


class Mapped:
    """One value always becomes the same one."""

    def __init__(self, what, single):
        self.what, self.single, self.to, self.back, self.bad = what, single, {}, {}, []

    def see(self, old, new):
        if self.to.setdefault(old, new) != new:
            self.bad.append("%s %r became %r and %r" % (self.what, old, self.to[old], new))
        if self.single and self.back.setdefault(new, old) != old:
            self.bad.append("%s %r is of %r and %r" % (self.what, new, self.back[new], old))


def compare_value(name, a, b, kept, names, pids, users, bad):
    if NAMES.match(name) and isinstance(a, str):
        if len(a) != len(b):
            bad.append("%s: length of %r and %r" % (name, a, b))
        names.see(a, b)
        if "tasks" in kept and a != b:
            bad.append("%s was kept: %r, %r" % (name, a, b))
    elif PIDS.match(name) and isinstance(a, int):
        pids.see(a, b)
        if "pids" in kept and a != b:
            bad.append("%s was kept: %r, %r" % (name, a, b))
    elif USERS.match(name) and isinstance(a, int):
        users.see(a, b)
    elif isinstance(a, str) and isinstance(b, str):
        if [len(w) for w in re.split("[/ \n]", a)] != [len(w) for w in re.split("[/ \n]", b)] and b.strip("\0"):
            bad.append("%s: words of %r and %r" % (name, a, b))
    elif isinstance(a, int) and abs(a) < 4096 and a != b and b:
        bad.append("%s: %r, %r" % (name, a, b))


# System calls that return a pid.
PID_CALLS = re.compile("sys_exit_(get.*pid|gettid|getpgrp|getsid|setsid|set_tid_address|.*fork|clone3?|wait4)$")


def same(args):
    bad, n = [], 0
    names, pids, users = Mapped("name", False), Mapped("pid", True), Mapped("user", True)
    with open(args.a, encoding="utf-8") as first, open(args.b, encoding="utf-8") as second:
        one, two = (list(map(json.loads, stream)) for stream in (first, second))
    if len(one) != len(two):
        bad.append("%d and %d lines" % (len(one), len(two)))
    for a, b in zip(one, two):
        n += 1
        for key in "ts", "cpu", "system", "event", "flags", "lost", "type":
            if a.get(key) != b.get(key):
                bad.append("%s: %r, %r" % (key, a.get(key), b.get(key)))
        if "pid" in a:
            pids.see(a["pid"], b["pid"])
            compare_value("comm", a["comm"], b["comm"], args.kept, names, pids, users, bad)
        if list(a.get("fields", {})) != list(b.get("fields", {})):
            bad.append("fields %s, %s" % (a, b))
            continue
        for name, value in a.get("fields", {}).items():
            if name == "ret" and (a["event"] == "sys_exit" or PID_CALLS.match(a["event"])) and \
                    b["fields"][name] == pids.to.get(value):
                continue
            compare_value(name, value, b["fields"][name], args.kept, names, pids, users, bad)
    bad += names.bad + pids.bad + users.bad
    if any(m.to.get(0, 0) for m in (pids, users)) or any(k == v and k > 0 for k, v in users.to.items()):
        bad.append("0 changed, or another user did not")
    print("\n".join(bad[:15] + ["%d differ" % len(bad) if n else "no records"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    one = verbs.add_parser("make")
    one.add_argument("file")
    one.add_argument("list")
    one.add_argument("--seed", type=int, default=1)
    one.add_argument("--count", type=int, default=1000)
    one.add_argument("--compress", choices=("none", "zlib", "zstd"), default="none")
    one.add_argument("--end", action="store_true")
    one = verbs.add_parser("find")
    one.add_argument("file")
    one.add_argument("list")
    one = verbs.add_parser("checked")
    one.add_argument("list")
    one = verbs.add_parser("same")
    one.add_argument("a")
    one.add_argument("b")
    one.add_argument("kept", nargs="*")
    one = verbs.add_parser("formats")
    one.add_argument("formats")
    one.add_argument("file")
    one.add_argument("--seed", type=int, default=1)
    one = verbs.add_parser("shapes")
    one.add_argument("a")
    one.add_argument("b")
    args = parser.parse_args()
    if args.verb == "make":
        Maker(args).make()
    else:
        {"find": find, "checked": checked, "same": same, "formats": formats, "shapes": shapes}[args.verb](args)


if __name__ == "__main__":
    main()
