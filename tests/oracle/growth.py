#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How time and memory grow with each count that a trace file has.

growth.py FOLDER [KIND...]: writes files of 1, of N and of 10 N of each KIND (all kinds), has ftr read them, and
prints "ok - ..." or "not ok - ...". Instructions (callgrind), peak memory and output, each less those of the file with
a count of 1, may grow by a factor of 15 for a factor of 10. With FTR_LONG=1 there is a file of 100 N as well where the
limits allow it. growth.py --write KIND N FILE only writes a file; --list names the kinds, --list-views those of
growth_views.py, each a file and the number of a command that reads it.
"""
import ctypes
import os
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "tools")]
import ftr_batch                        # noqa: E402
import growth_views                     # noqa: E402
import mkdat                            # noqa: E402
from growth_file import M, PAGE, File, one_format, page, records    # noqa: E402

FACTOR = 15
# below these a difference is noise: of the loader, of where the heap begins; of a heading, of digits
FEW_INSTRUCTIONS, FEW_BYTES, FEW_CHARACTERS = 200 * 1000, 4 << 20, 2000
MASK = (1 << 64) - 1
GOLDEN = 0x9e3779b97f4a7c15             # the multiplier of Fibonacci hashing


def instance(name, cpus=None):
    buf = mkdat.Buffer(name, PAGE)
    buf.cpus = [[page()]] if cpus is None else cpus
    return buf


def stat(cpu):
    return 2, b"CPU: %d\nentries: 0\noverrun: 1\n\0" % (cpu % 64)


# --- files

def options(n):
    return File(options_more=[(0x7001, b"abcd")] * n)


def options_v6(n):
    return File(6, options_more=[(0x7001, b"abcd")] * n)


def statistics(n):
    return File(options_more=[stat(i) for i in range(n)])


def statistics_v6(n):
    return File(6, options_more=[stat(i) for i in range(n)])


def clocks(n):
    return File(options_more=[(4, b"[local] global\n\0")] * n)


def sections(n):
    return File(sections=[(0x7001, b"nothing")] * n)


class OptionSections(File):
    def option_section(self, entries):
        super().option_section(entries)
        for _ in range(self.texts["many"]):
            super().option_section([(0x7001, b"")])
        self.texts["many"] = 0


def option_sections(n):
    return OptionSections(many=n)


class LooseOptions(OptionSections):
    """Sections of options that the chain does not reach."""

    def patch(self, offset, data):
        if len(data) != 8 or self.texts.get("many") or offset == self.link:
            super().patch(offset, data)

    def option_section(self, entries):
        link, many = self.link, self.texts["many"]
        mkdat.Writer.option_section(self, entries)
        for _ in range(many):
            end, self.link = self.link, link
            body = self.options([(0x7001, b"")]) + M.u16(0) + M.u32(8) + M.u64(0)
            self.section(0, body, "options", False)
            self.link = end
        self.texts["many"] = 0


def loose_options(n):
    return LooseOptions(many=n)


def instances(n):
    return File(buffers=[instance("i%d" % i) for i in range(n)])


def instances_v6(n):
    return File(6, buffers=[instance("i%d" % i) for i in range(n)])


def instances_session(n):
    """Each with lines of its own."""
    return File(buffers=[instance("i%d" % i) for i in range(n)],
                meta=["tracer.i%d=nop" % i for i in range(n)] + ["saved_tgids=" + ";".join(
                    "%d %d" % (i + 1, i + 1) for i in range(n))])


class LostBuffers(File):
    """BUFFER options that lead nowhere, and as many sections that no option leads to."""

    def buffer_section(self, buf):
        out = super().buffer_section(buf)
        if buf.name:
            out = M.u64(2) + out[8:]
        return out


def lost_instances(n):
    return LostBuffers(buffers=[instance("i%d" % i, []) for i in range(n)])


def lost_instances_v6(n):
    return File(6, options_more=[(3, M.u64(1) + b"x\0")] * n)


class StrayBuffers(File):
    def write_v7(self):
        many = [buf for buf in self.buffers if buf.name]
        self.buffers = self.buffers[:1]
        section = self.option_section

        def with_strays(entries):
            if entries and entries[0][0] == 3:
                for buf in many:
                    self.buffer_section(buf)
            section(entries)
        self.option_section = with_strays
        super().write_v7()


def stray_instances(n):
    return StrayBuffers(buffers=[instance("i%d" % i) for i in range(n)])


def cpus(n):
    return File(cpus=[[page(i)] for i in range(n)])


def cpus_v6(n):
    return File(6, cpus=[[page(i)] for i in range(n)])


def cpus_of_instances(n):
    """Entries without data."""
    empty = b"".join(M.u32(i) + M.u64(0) + M.u64(0) for i in range(n // 100 + 1))

    class Table(File):
        def buffer_section(self, buf):
            out = super().buffer_section(buf)
            return out if not buf.name else out[:-4] + M.u32(n // 100 + 1) + empty
    return Table(buffers=[instance("i%d" % i, []) for i in range(100)])


def sub_buffers(n):
    return File(cpus=[[page(i) for i in range(n)]])


def cpus_and_sub_buffers(n):
    return File(cpus=[[page(i + 64 * k) for k in range(n // 64 + 1)] for i in range(64)])


def backwards(n, cpus_in_all, pages):
    """Each CPU has recorded before the one before it."""
    return [[page(i + pages * (cpus_in_all - cpu)) for i in range(pages)] for cpu in range(n)]


def backwards_cpus(n):
    return File(cpus=backwards(n, n, 2))


def backwards_sub_buffers(n):
    return File(cpus=backwards(64, 64, n // 64 + 1))


def backwards_chunks(n):
    return File(compress="zlib", cpus=backwards(n, n, 10))


def interleaved_chunks(n):
    """Each is of a time that all others overlap."""
    return File(compress="zlib", cpus=[[page(i + 1000 * k) for k in range(20)] for i in range(n)])


def nested_chunks(n):
    """Each says that it has all that follow, in blocks that are stored."""
    class Nested(File):
        def chunks(self, pages):
            out = M.u32(n)
            for i in range(n):
                out += M.u32(20 * (n - i) - 8) + M.u32(PAGE) + b"\x78\x9c\0\xff\xff\0\0fill."
            return out
    return Nested(compress="zlib")


def chunks(n):
    return File(compress="zlib", cpus=[[page(i) for i in range(10 * n)]])


def formats(n):
    return File(formats=[one_format(2000 + i) for i in range(n)])


def formats_of_one_id(n):
    return File(formats=[one_format(2000).replace(b"e2000", b"e%d" % i) for i in range(n)])


def fields_of_one_name(n):
    """Of many events, as one has few fields."""
    lines = ["\tfield:int f;\toffset:%d;\tsize:4;\tsigned:1;" % (8 + 4 * i) for i in range(n)]
    return File(formats=[("name: e%d\nID: %d\nformat:\n%s\n\nprint fmt: \"%%d\", REC->f\n" % (
        i, 2000 + i, "\n".join(lines))).encode() for i in range(20)])


def formats_in_use(n):
    return File(formats=[one_format(2000 + i) for i in range(n)],
                cpus=[records([(2000 + i, M.u32(i) * 3) for i in range(n)])])


def long_system_name(n):
    """Of as many events, each with a record."""
    class Long(File):
        def event_formats(self):
            return super().event_formats().replace(b"many\0", b"m" * n + b"\0")
    return Long(formats=[one_format(2000 + i) for i in range(n)],
                cpus=[records([(2000 + i, M.u32(i) * 3) for i in range(n)])])


def long_task_name(n):
    """Of the task of as many records."""
    return File(cmdlines=b"512 %s\n" % (b"x" * n), cpus=[[page(i) for i in range(n)]])


def long_instance_name(n):
    """Beside as many records of the top level, whose lines have room for it."""
    return File(cpus=[[page(i) for i in range(n)]], buffers=[instance("i" * n)])


def long_clock_name(n):
    return File(clock="c" * n, buffers=[instance("i%d" % i, []) for i in range(min(n, 900))])


def symbols(n):
    """Out of order, and as many at one address; each record asks for one."""
    first, text = 0xffffffff90000000, b""
    text = b"".join(b"%016x t s%d\n" % (first + 64 * (i * 7919 % n), i) for i in range(n))
    text += b"".join(b"%016x t a%d\n" % (first + 64 * n, i) for i in range(n))
    return File(kallsyms=text, cpus=[[page(i, ip=first + 64 * n + 16 * i, parent_ip=1) for i in range(200)]])


def sorted_symbols(n):
    text = b"".join(b"%016x t s%d\n" % (0xffffffff90000000 + 64 * i, i) for i in range(n))
    return File(kallsyms=text, meta=["kallsyms_order=address"],
                cpus=[[page(i, ip=0xffffffff90000000 + 64 * i, parent_ip=1) for i in range(100)]])


def comms(n):
    return File(cmdlines=b"".join(b"%d task-%d\n" % (i + 1, i) for i in range(n)))


def colliding(n):
    """Keys whose product with the multiplier has the same middle bits."""
    inverse = pow(GOLDEN, -1, 1 << 64)
    return [(((i << 52 | i) & MASK) * inverse) & MASK for i in range(1, n + 1)]


def printk(n):
    keys = colliding(n)
    text = b"".join(b'0x%x : "x"\n' % key for key in keys)
    return File(printk=text, cpus=[[page(0, "bprint", ip=M.func(1), fmt=keys[0])]])


def maps(n):
    return File(options_more=[(10, b"%x 1 /bin/x\n1000 2000 /bin/x\n\0" % (i + 1)) for i in range(n)])


def ranges(n):
    """Of one process."""
    lines = b"".join(b"%x %x /bin/x%d\n" % (4096 * i, 4096 * i + 4096, i) for i in range(n))
    return File(options_more=[(10, b"200 %d /bin/x\n" % n + lines + b"\0")])


def session_lines(n):
    return File(meta=["key%d=value" % i for i in range(n)])


def tgids(n):
    return File(meta=["saved_tgids=" + ";".join("%d %d" % (i + 1, i + 1) for i in range(n)),
                      "trace_options=record-tgid",
                      "kernel_comms=" + "".join("%d c%d\\n" % (i + 1, i) for i in range(n))],
                buffers=[instance("i%d" % i) for i in range(30)])


def prototypes(n):
    text = b"".join(b"f%07d a:u b:p\n" % i for i in range(n))
    return File(sections=[(0xf702, M.u32(len(text)) + text)])


def oops_lines(n):
    text = b"BUG: line\n" * n
    return File(sections=[(0xf708, M.u32(len(text)) + text)])


class Summed(File):
    """With a table of checksums; each range is of few bytes."""

    def write(self):
        out = super().write()
        lib = ctypes.CDLL("libxxhash.so.0")
        lib.XXH64.restype = ctypes.c_uint64
        lib.XXH64.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]
        start, step = len(out), max(1, -(-len(out) // self.texts["many"]))
        table = b"".join(M.u64(lib.XXH64(out[at:at + step], len(out[at:at + step]), 0)) +
                         M.u32(len(out[at:at + step])) + M.u16(16) + M.u16(0xffff) for at in range(0, start, step))
        body = M.u32(2) + M.u32(len(table) // 16) + table + M.u64(start)
        head = M.u16(0xf701) + M.u16(0) + M.u32(0) + M.u64(len(body) + 8)
        return out + head + body + M.u64(lib.XXH64(head + body, len(head + body), 0))


def checksum_tables(n):
    return File(sections=[(0xf701, M.u32(2) + M.u32(0) + M.u64(0) + M.u64(0))] * n)


def checksums(n):
    return Summed(many=n, cpus=[[page(i) for i in range(10)]])


# --- options that the user gives

def options_given(_):
    """What grows is what the user asks for."""
    return File(cpus=[[page(i) for i in range(10)]])


def terms(n):
    return "report", "-F", "function: " + "||".join("ip==%d" % (i + 600) for i in range(n))


def filters(n):
    return ("report",) + tuple(word for i in range(n) for word in ("-F", "function: common_pid == %d" % (i + 600)))


def cpu_ranges(n):
    return "report", "--cpu", ",".join("%d-%d" % (4 * i, 4 * i + 1) for i in range(n))


def pids(n):
    return "report", "--pid", ",".join(str(600 + 2 * i) for i in range(n))


def globs(n):
    return ("report",) + tuple(word for i in range(n) for word in ("--event", "f*" + "?" * (i % 5),
                                                                   "--comm", "*%d" % i))


# --- beyond the limits, in few bytes

def packed_formats(n):
    return File(compress="zlib", formats=[b""] * n)


def packed_options(n):
    class Packed(File):
        def option_section(self, entries):
            if entries[0][0] != 3:
                super().option_section(entries)
                return
            body = self.options(entries) + self.options([(0x7001, b"")]) * n + M.u16(0) + M.u32(8) + M.u64(0)
            self.patch(self.link, M.u64(self.section(0, body, "options")))
    return Packed(compress="zlib")


def packed_printk(n):
    return File(compress="zlib", printk=b"".join(b'%x:"a"\n' % (i + 1) for i in range(n)))


def packed_symbols(n):
    return File(compress="zlib", kallsyms=b"1 T a\n" * n)


def packed_comms(n):
    return File(compress="zlib", cmdlines=b"".join(b"%d a\n" % (i + 1) for i in range(n)))


def many_instances(n):
    return File(buffers=[instance("i%d" % i, []) for i in range(n)])


def packed_chunks(n):
    """A chunk of 16 MiB for each CPU, of sub-buffers of 64 KiB that are all alike."""
    class Packed(File):
        def chunks(self, pages):
            packed = mkdat.zstd_pack(pages[0] * 256)
            return M.u32(1) + M.u32(len(packed)) + M.u32(256 * len(pages[0])) + packed
    return Packed(compress="zstd", page_size=65536, cpus=[[page(i).ljust(65536, b"\0")] for i in range(n)])


BEYOND = [packed_formats, packed_options, packed_printk, packed_symbols, packed_comms, many_instances, packed_chunks]


class Kind:
    def __init__(self, make, args=("report",), few=1000, most=10 ** 6, name=None):
        self.make, self.args, self.few, self.most = make, args, few, most
        self.name = name or make.__name__


INFO, J2, KERNEL, RAW = ("info",), ("report", "-j2"), ("report", "--format=kernel"), ("report", "-R")
CHECK, OOPS, RANGE = ("check-events",), ("oops", "show"), ("report", "--since", "1000.0001", "--until", "1000.5")
KINDS = [
    Kind(options, INFO), Kind(options_v6), Kind(statistics, INFO), Kind(statistics_v6), Kind(clocks),
    Kind(sections, most=60000), Kind(option_sections, most=60000), Kind(loose_options, most=60000),
    Kind(instances, INFO, 100, 1000), Kind(instances_v6, INFO, 100, 1000),
    Kind(instances_session, KERNEL, 100, 1000), Kind(lost_instances, most=60000), Kind(lost_instances_v6),
    Kind(stray_instances, few=100, most=1000), Kind(cpus, INFO, 800, 8000), Kind(cpus_v6, J2, 800, 8000),
    Kind(cpus_of_instances, INFO, 10000, 200000),
    Kind(sub_buffers, RAW), Kind(cpus_and_sub_buffers, J2), Kind(chunks, few=100, most=10000),
    Kind(sub_buffers, RANGE), Kind(cpus_and_sub_buffers, RANGE),
    Kind(backwards_cpus, J2, 100, 8000), Kind(backwards_sub_buffers, J2), Kind(backwards_sub_buffers, RANGE),
    Kind(backwards_chunks, J2, 100, 1000), Kind(interleaved_chunks, J2, 100, 1000), Kind(nested_chunks, INFO),
    Kind(formats, INFO), Kind(formats_of_one_id, INFO), Kind(formats_of_one_id, CHECK),
    Kind(fields_of_one_name, CHECK, 25, 250),
    Kind(formats_in_use, few=600, most=60000), Kind(formats_in_use, INFO, 600, 60000),
    Kind(long_system_name, INFO), Kind(long_task_name), Kind(long_instance_name),
    Kind(long_clock_name, INFO), Kind(long_clock_name, KERNEL),
    Kind(symbols), Kind(sorted_symbols), Kind(comms), Kind(printk, most=120000),
    Kind(maps), Kind(ranges), Kind(session_lines, INFO, most=60000), Kind(tgids, KERNEL),
    Kind(prototypes), Kind(oops_lines, INFO), Kind(oops_lines, OOPS),
    Kind(sub_buffers, OOPS), Kind(backwards_sub_buffers, OOPS),
    Kind(checksums, INFO, most=30000), Kind(checksum_tables, INFO, most=60000),
    Kind(options_given, terms, 40, 400), Kind(options_given, filters, most=10000),
    Kind(options_given, cpu_ranges, 200, 2000), Kind(options_given, pids, most=10000),
    Kind(options_given, globs, most=10000),
]
VIEWS = [Kind(make, view.split(), few, 10 * few, "%s/%d" % (make.__name__, i))
         for make, few, views in growth_views.VIEWS for i, view in enumerate(views)]


# --- measuring

class Meter:
    """Instructions and peak memory of a run. callgrind starts ftr once (tests/tools/ftr_batch.c): a run is a fork of
    it, and what callgrind has translated is there already."""

    def __init__(self, folder):
        self.folder = tempfile.mkdtemp(dir=folder)
        counter = ["valgrind", "-q", "--tool=callgrind", "--callgrind-out-file=" + self.folder + "/%p"]
        self.counted, self.plain = ftr_batch.Batch(counter), ftr_batch.Batch()

    @staticmethod
    def check_status(done):
        """A picture of a file without such spans ends with 1: it was read for that."""
        if done.status not in (0, 3) and not (done.status == 1 and "there is nothing to draw" in done.err):
            raise RuntimeError("status %d: %s" % (done.status, done.err[-500:]))

    def instructions(self, args, path):
        for name in os.listdir(self.folder):
            os.remove(os.path.join(self.folder, name))
        done = self.counted.run(*args, path, seconds=550)
        self.check_status(done)
        total = 0
        for name in os.listdir(self.folder):
            with open(os.path.join(self.folder, name), encoding="utf-8") as stream:
                found = re.search(r"^(?:summary|totals): (\d+)", stream.read(), re.M)
            os.remove(os.path.join(self.folder, name))
            total += int(found.group(1)) if found else 0
        if not total:
            raise RuntimeError("callgrind has counted nothing")
        return total

    def peak_bytes(self, args, path):
        """And how much it writes."""
        done = self.plain.run(*args, path, seconds=550)
        self.check_status(done)
        return done.kib * 1024, len(done.out)

    def close(self):
        self.counted.close()
        self.plain.close()
        shutil.rmtree(self.folder)


def measure(meter, folder, kind, n):
    """Instructions, bytes of memory, characters of output."""
    path, keys, out = (os.path.join(folder, name) for name in ("growth-%d.dat" % n, "growth.keys", "growth.out"))
    with open(path, "wb") as stream:
        stream.write(kind.make(n).write())
    with open(keys, "w", encoding="utf-8") as stream:
        stream.write(growth_views.KEYS)
    try:
        args = [{"FILE": path, "KEYS": keys, "OUT": out}.get(arg, arg) for arg in
                (kind.args(n) if callable(kind.args) else kind.args)]
        return meter.instructions(args, path), *meter.peak_bytes(args, path)
    finally:
        for made in filter(os.path.exists, (path, keys, out)):
            os.remove(made)


def judge(meter, folder, kind):
    counts = [1, kind.few, 10 * kind.few]
    if os.environ.get("FTR_LONG") == "1" and 100 * kind.few <= kind.most:
        counts.append(100 * kind.few)
    what = kind.args.__name__ + " of report" if callable(kind.args) else " ".join(kind.args)
    name = "%s of %s %s" % (what, ", ".join(map(str, counts)), kind.make.__name__.replace("_", " "))
    name = name.replace("KEYS", growth_views.KEYS)
    try:
        got = [measure(meter, folder, kind, n) for n in counts]
    except (RuntimeError, OSError) as why:
        return "not ok - %s\n# %s" % (name, str(why).replace("\n", "\n# "))
    bad = ""
    for what, few, values in (("instructions", FEW_INSTRUCTIONS, [v[0] for v in got]),
                              ("bytes", FEW_BYTES, [v[1] for v in got]),
                              ("characters", FEW_CHARACTERS, [v[2] for v in got])):
        more = [value - values[0] for value in values[1:]]
        if any(b > FACTOR * max(a, few) for a, b in zip(more, more[1:])):
            bad += "\n# more %s than of 1: %s" % (what, ", ".join(map(str, more)))
        elif os.environ.get("GROWTH_SHOW"):
            name += " [%s %s]" % (what, ", ".join(map(str, more)))
    return ("not ok - " if bad else "ok - ") + name + bad


def main():
    if sys.argv[1] == "--write":
        make = next(f for f in BEYOND + [kind.make for kind in KINDS + VIEWS] if f.__name__ == sys.argv[2])
        with open(sys.argv[4], "wb") as stream:
            stream.write(make(int(sys.argv[3])).write())
        return 0
    if sys.argv[1] == "--list":
        print(*dict.fromkeys(kind.name for kind in KINDS))
        return 0
    if sys.argv[1] == "--list-views":
        print(*(kind.name for kind in VIEWS))
        return 0
    folder, wanted = sys.argv[1], sys.argv[2:]
    todo = [kind for kind in KINDS + VIEWS if not wanted or kind.name in wanted]
    meter = Meter(folder)
    for kind in todo:
        print(judge(meter, folder, kind), flush=True)
    meter.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
