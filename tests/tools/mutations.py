# SPDX-License-Identifier: GPL-2.0-or-later
"""Small recordings of all kinds, and changes of them and of console logs by a random generator: for mutate-run.py."""
import glob
import lzma
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.dont_write_bytecode = True
sys.path[:0] = [HERE, os.path.join(HERE, "..", "oracle")]
import mkdat                            # noqa: E402
import mkspans                          # noqa: E402
import mkspool                          # noqa: E402
import rawdecode                        # noqa: E402
import span_cases                       # noqa: E402

PAGE, pack = 4096, mkdat.pack
SMALL = 64 << 10                        # what is taken of the folders of others' files
OOPS = os.path.join(TOP, "tests/cases/oops")
BUGS, HOSTILE, FIXTURES = (os.environ.get("FTR_%s_DIR" % name.upper(), os.path.join(TOP, "../shared", name))
                           for name in ("bugs", "hostile", "fixtures"))

# Arguments of mkdat.py, and for 'spool-' of mkspool.py.
MADE = {
    "v7": "--records 60 --cpus 3 --instances a,b --oops " + os.path.join(OOPS, "6.12-null.txt"),
    "v6": "--version 6 --records 60 --cpus 3 --instances a,b",
    "v6-be32": "--version 6 --endian be --long 4 --records 60 --cpus 2",
    "v7-be32": "--endian be --long 4 --records 60 --cpus 2 --page-size 16384",
    "zlib": "--compress zlib --records 60 --cpus 2",
    "zstd": "--compress zstd --records 200 --cpus 2 --instances a --short-sizes",
    "stored": "--compress zstd --records 60 --cpus 2 --instances a",
    "tsc": "--clock x86-tsc --tsc 4194304,22 --records 60 --cpus 2 --absolute 0.3 --wakeup --renamed",
    "date": "--date 1700000000000000 --ts-offset 99 --unknown-options 3 --empty-cpu --records 60",
    "spool-open": "--records 60 --cpus 2 --instances a --front 0x10000 --stride 0x10000 --room 4096",
    "spool-zeros": "--records 60 --cpus 2 --zeros 2 --front 0x10000 --stride 0x10000 --room 4096 --packed zstd --half",
    "spool-sealed": "--records 60 --cpus 3 --sealed 1 --front 0x10000 --stride 0x10000 --room 4096",
    "spool-stream": "--records 60 --cpus 2 --stream 1",
    "spool-endless": "--records 60 --cpus 2 --stream 1 --endless --oops " + os.path.join(OOPS, "6.12-null.txt"),
}
LARGE = {                               # where threads have something to share
    "large": "--records 4000 --cpus 4 --lost 0.1",
    "large-v6": "--version 6 --records 2500 --cpus 3 --instances a",
    "large-zstd": "--compress zstd --records 3000 --cpus 3 --instances x",
}
SPANS_SEED = 36                         # of mkspans.py, by which tasks are switched often
SPANS = {"spans": "", "spans-v6": "version=6", "spans-zstd": "compress=zstd", "spans-stored": "compress=zstd"}


class Base:
    """A file and what its parts are: (offset, length) of each class of rawdecode.py and of texts, begin and end of
    sub-buffers and of records' data."""

    def __init__(self, name, data):
        self.name, self.data, self.classes, self.texts, self.pages = name, data, {}, [], []
        try:
            trace = rawdecode.Trace(data, keep_regions=True).read()
        except (rawdecode.Damaged, IndexError, ValueError, KeyError, OSError):
            trace = None
        for region in trace.sorted_regions() if trace else ():
            place = region["offset"], region["length"]
            if region["kind"] == "text" and b"print fmt" in data[place[0]:sum(place)]:
                self.texts.append(place)
            elif place[1]:
                self.classes.setdefault(region["class"], []).append(place)
        if trace:
            self.pages = [(start, end) for start, end, _, _ in trace.pages if end <= len(data)]
        if not self.pages:
            self.pages = [(at, at + PAGE) for at in range(0, len(data) - PAGE, PAGE)]
        self.find_texts()
        heads = sorted(at for at, _ in self.classes.get("event", ()))
        self.records = [(at + 4, after) for at, after in zip(heads, heads[1:]) if 8 < after - at < 1000]
        self.order = "big" if data[10:11] == b"\1" else "little"

    def find_texts(self):
        """Formats that lie in a section, as stored frames have them."""
        if not self.texts:
            self.texts = [(m.start(), len(m[0])) for m in re.finditer(rb"name: [^\0]{20,4000}?print fmt: [^\0\n]*",
                                                                      self.data)]


def pack_stored(_, data):
    """A frame of zstd with its bytes as they are: a change of them is a change below the compression."""
    out, at = b"\x28\xb5\x2f\xfd\xa0" + len(data).to_bytes(4, "little"), 0
    while True:
        part = data[at:at + (64 << 10)]
        at += len(part)
        out += (len(part) << 3 | (at == len(data))).to_bytes(3, "little") + part
        if at == len(data):
            return out


def made(folder, name, words, module, packed):
    """What mkdat.py or mkspool.py makes of @words."""
    path, argv = os.path.join(folder, name + ".dat"), sys.argv
    sys.argv = [module.__name__, path, *words.split()]
    mkdat.pack = packed
    try:
        module.main()
    finally:
        sys.argv, mkdat.pack = argv, pack
        mkdat.SHOWN_NAMES.clear()       # of --wakeup
    with open(path, "rb") as stream:
        return stream.read()



def records_of_spans(seed, count):
    load = mkspans.Load(seed)
    while len(load.lines) < count:
        load.step(load.random.randrange(mkspans.CPUS))
    return load.lines


def regular_load(rounds):
    """On each of two CPUs a task that calls, sleeps, does a system call, asks a disk, and is woken by the other's."""
    lines = []
    for i in range(rounds):
        for c in 0, 1:
            at = 10000000 + i * 100000 + c * 300
            lines += ["%d %d %d . %s" % (c, at + behind, 100 + c if pid else 0, text) for behind, pid, text in (
                (0, 0, "sched_switch prev_state=R next_pid=%d next_comm=task%d" % (100 + c, c)),
                (1000, 1, "sys_enter id=0"), (2000, 1, "funcgraph_entry func=ksys_read depth=0"),
                (3000, 1, "funcgraph_entry func=vfs_read depth=1"),
                (4000, 1, "block_rq_issue dev=8 sector=%d nr_sector=8 rwbs=W" % (8 * i)),
                (9000, 1, "funcgraph_exit func=vfs_read depth=1 calltime=%d rettime=%d" % (at, at + 6000)),
                (9500, 1, "block_rq_complete dev=8 sector=%d nr_sector=8 rwbs=W" % (8 * i)),
                (10000, 1, "sched_waking pid=%d comm=task%d" % (101 - c, 1 - c)),
                (20000, 1, "funcgraph_exit func=ksys_read depth=0 calltime=%d rettime=%d" % (at, at + 18000)),
                (21000, 1, "sys_exit id=0 ret=%d" % i), (22000, 1, "kmem_cache_alloc bytes_req=%d" % i),
                (22100, 1, "kernel_stack caller=vfs_read,ksys_read"),
                (30000, 1, "sched_switch prev_comm=task%d prev_state=%s next_pid=0 next_comm=swapper" % (
                    c, "S" if i % 3 else "R")))]
    return lines


def spans(folder, name, words):
    """Calls, switches, wakeups, interrupts, system calls, work, locks and requests, in two instances."""
    path = os.path.join(folder, name + ".dat")
    case = span_cases.Case(os.devnull)
    case.take("FILE " + words)
    for line in records_of_spans(SPANS_SEED, 350) + regular_load(8) + ["BUFFER second"] + records_of_spans(8, 120):
        case.take(line)
    mkdat.pack = pack_stored if "stored" in name else pack
    case.files[0].write(path)
    mkdat.pack = pack
    with open(path, "rb") as stream:
        return stream.read()


class Cut:
    """A recording of version 6, as others made it, with what few of its records need: so many bytes of each text that
    is no format, the formats of its events and two more of each system, two sub-buffers of each CPU."""

    def __init__(self, data):
        self.trace = rawdecode.Trace(data, keep_regions=True).read()
        self.data, self.out, self.rows = data, bytearray(), self.trace.sorted_regions()
        self.order = "big" if data[10:11] == b"\1" else "little"

    def number(self, row):
        return int.from_bytes(self.data[row["offset"]:row["offset"] + row["length"]], self.order)

    def put(self, value, length):
        self.out += value.to_bytes(length, self.order)

    def blob(self, size, text, most):
        body = self.data[text["offset"]:text["offset"] + text["length"]][:most]
        self.put(len(body), size["length"])
        self.out += body

    def system(self, rows):
        """The formats behind a count: @rows begin with it."""
        pairs = [(rows[i], rows[i + 1]) for i in range(1, 1 + 2 * self.number(rows[0]), 2)]
        taken = pairs[:2] + [p for p in pairs[2:] if self.is_used(p[1])]
        self.put(len(taken), rows[0]["length"])
        for size, text in taken:
            self.blob(size, text, 1 << 20)
        return 1 + 2 * len(pairs)

    def is_used(self, text):
        found = re.search(rb"\nID: (\d+)", self.data[text["offset"]:text["offset"] + text["length"]])
        return bool(found) and int(found[1]) in self.trace.formats

    def front(self, rows):
        at = 0
        while at < len(rows):
            row = rows[at]
            after = rows[at + 1] if at + 1 < len(rows) else row
            if row["kind"] == "event_count":
                at += self.system(rows[at:])
            elif row["kind"] == "blob_size" and after["kind"] == "text":
                self.blob(row, after, 2000)
                at += 2
            else:
                self.out += self.data[row["offset"]:row["offset"] + row["length"]]
                at += 1

    def bytes(self):
        tables = [r for r in self.rows if r["kind"] in ("cpu_offset", "cpu_size")]
        first = tables[0]["offset"]
        self.front([r for r in self.rows if r["offset"] < first])
        table, cpus = len(self.out), len(tables) // 2
        behind = [r for r in self.rows if tables[-1]["offset"] < r["offset"] and r["kind"] in ("clock_size", "clock")]
        self.out += b"\0" * (16 * cpus) + b"".join(self.data[r["offset"]:r["offset"] + r["length"]] for r in behind)
        for cpu in range(cpus):
            at, size = (self.number(row) for row in tables[2 * cpu:2 * cpu + 2])
            size = min(size, 2 * PAGE)
            self.out += b"\0" * (-len(self.out) % PAGE)
            self.out[table + 16 * cpu:table + 16 * cpu + 16] = b"".join(
                value.to_bytes(8, self.order) for value in (len(self.out), size))
            self.out += self.data[at:at + size]
        return bytes(self.out)


def opened(path):
    with (lzma.open if path.endswith(".xz") else open)(path, "rb") as stream:
        return stream.read((8 << 20) + 1)


def of_others():
    for path in sorted(glob.glob(BUGS + "/*.dat*") + glob.glob(HOSTILE + "/*.dat*")):
        data = opened(path)
        if len(data) <= SMALL and "bomb" not in path:   # those take a second each, by themselves
            yield os.path.basename(path).split(".")[0], data
    for path in sorted(glob.glob(FIXTURES + "/*.dat.xz")):
        yield os.path.basename(path).split(".")[0], Cut(opened(path)).bytes()


def of_ftr(folder, bases):
    """What ftr itself makes of the others: checksums are in them."""
    env = dict(os.environ, FTR_CONFIG="")
    ftr = os.environ.get("FTR", os.path.join(TOP, "build/ftr"))
    out = os.path.join(folder, "of-ftr.dat")
    rows = [("recovered-" + how, ["recover", os.path.join(folder, "spool-open.dat"), "--compression", how, "-o", out])
            for how in ("none", "zstd", "zlib")]
    rows += [("parsed-" + name, ["oops", "parse", os.path.join(OOPS, name + ".log"), "-o", out,
                                 "--formats", os.path.join(OOPS, "formats.txt")])
             for name in ("graph", "sys", "stacks")]
    for name, words in rows:
        subprocess.run([ftr, *words, "-q"], env=env, stderr=subprocess.DEVNULL, check=False)
        with open(out, "rb") as stream:
            bases[name] = stream.read()
        for path in glob.glob(out + "*"):
            os.unlink(path)


def bases_of(folder, rows):
    """All bases by name; @rows: MADE or LARGE. The folder keeps those that are named as arguments."""
    found = {}
    for name, words in rows.items():
        found[name] = made(folder, name, words, mkspool if name.startswith("spool") else mkdat,
                           pack_stored if name == "stored" else pack)
    if rows is MADE:
        of_ftr(folder, found)
    span_cases.prepare()
    for name, words in SPANS.items():
        found[name] = spans(folder, name, words)
    if rows is MADE:
        found.update(of_others())
    return [Base(name, data) for name, data in found.items()]


# --- changes of a file

EDGES = (0, 1, 2, 3, 4, 7, 8, 12, 16, 0x7f, 0x80, 0xff, 0xfff, 0x1000, 0x1001, 0x7fff, 0x8000, 0xffff, 0x10000,
         0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff)
WORDS = [w.encode() for w in (
    "0 1 -1 2147483648 18446744073709551615 99999999999999999999 0x7fffffff %s %d %p %ps %pS %*s %99999d %.*s %n %llx "
    "%pI4 %pI6c %pM %pU %phC %c %hhd ( ) (( )) { } [ ] , ; \" \\ REC-> REC->pid ->x && || ? : / % << >> sizeof(int) "
    "__get_str(comm) __get_dynamic_array(x) __get_dynamic_array_len(x) __get_rel_dynamic_array(x) __get_bitmask(cpus) "
    "__get_cpumask(cpus) __get_sockaddr(a) __print_flags(REC->x,\"|\",{1,\"a\"}) __print_symbolic(REC->x,{1,\"a\"}) "
    "__print_hex(REC->x,99) __print_array(REC->x,99,8) __print_hex_dump(\"\",1,16,1,REC->x,99,1) __builtin_expect(1,0) "
    "__data_loc __rel_loc char[] u8 u16 u32 u64 int long unsigned short const char* pid_t struct enum typeof(x) "
    "field: offset: size: signed: name: ID: format: print fmt: common_pid common_type next_pid depth func ip calltime "
    "0000000000000000 __attribute__((x)) ((unsigned long)(REC->a)) \u00fc\u6f22").split()]


def spot(rng, data):
    return rng.randrange(len(data)) if data else 0


def some_length(rng, most):
    return max(1, min(most, int(2 ** (rng.random() * 13))))


def value_of(rng, length, old):
    dice = rng.random()
    if dice < 0.5:
        value = rng.choice(EDGES)
    elif dice < 0.8:
        value = old + rng.choice((-8, -4, -1, 1, 4, 8, 16, 4096, -4096))
    else:
        value = old * 2 if dice < 0.9 else rng.getrandbits(8 * length)
    return value % (1 << 8 * length)


def put_value(rng, base, data, at, length):
    length = min(length, 8, len(data) - at)
    if length > 0:
        old = int.from_bytes(data[at:at + length], base.order)
        data[at:at + length] = value_of(rng, length, old).to_bytes(length, base.order)


def flip(rng, base, data, _):
    for _ in range(rng.choice((1, 1, 1, 4, 30))):
        if data:
            data[spot(rng, data)] ^= 1 << rng.randrange(8)


def number(rng, base, data, _):
    """A length, an offset, a count: of each class as often."""
    if base.classes:
        at, length = rng.choice(base.classes[rng.choice(sorted(base.classes))])
        put_value(rng, base, data, min(at, len(data)), length)


def payload(rng, base, data, _):
    """Fields of records."""
    places = base.records if base.records and rng.random() < 0.8 else base.pages
    for _ in range(rng.choice((1, 1, 3, 20)) if places else 0):
        start, end = rng.choice(places)
        if start < end:
            at = rng.randrange(start, end) & ~3
            put_value(rng, base, data, min(at, len(data)), rng.choice((1, 2, 4, 4, 8)))


def overwrite(rng, base, data, _):
    at, length = spot(rng, data), some_length(rng, 4096)
    length = min(length, len(data) - at)
    data[at:at + length] = rng.choice((bytes(length), b"\xff" * length, rng.randbytes(length), b" " * length))


def zero_blocks(rng, base, data, _):
    block = rng.choice((512, 4096))
    at = spot(rng, data) // block * block
    length = min(block * rng.choice((1, 1, 2, 8)), len(data) - at)
    data[at:at + length] = bytes(length)


def cut(rng, base, data, _):
    places = [at for places in base.classes.values() for at, _ in places] + [start for start, _ in base.pages]
    at = rng.choice(places) + rng.choice((-1, 0, 1, 3)) if places and rng.random() < 0.5 else spot(rng, data)
    del data[max(at, 0):]


def swap(rng, base, data, _):
    """Sub-buffers change places, or one stands in the other's, too."""
    if len(base.pages) < 2:
        return
    (a, a_end), (b, b_end) = rng.sample(base.pages, 2)
    length = min(a_end - a, b_end - b)
    if max(a, b) + length <= len(data):
        first, second = data[a:a + length], data[b:b + length]
        data[a:a + length] = second
        if rng.random() < 0.6:
            data[b:b + length] = first


def splice(rng, base, data, others):
    """Bytes of another file, or of elsewhere in this one."""
    source = rng.choice((base, rng.choice(others))).data
    at, start, length = spot(rng, data), spot(rng, source), some_length(rng, 8192)
    part = source[start:start + length]
    data[at:at + (len(part) if rng.random() < 0.8 else 0)] = part


def remove(rng, base, data, _):
    at = spot(rng, data)
    del data[at:at + some_length(rng, 4096)]


def double(rng, base, data, _):
    """A part once more behind itself, up to often."""
    at = spot(rng, data)
    part = data[at:at + some_length(rng, 8192)]
    data[at:at] = bytes(part) * rng.choice((1, 1, 2, 40))


def section_again(rng, base, data, _):
    """All between two places of the structure, once more at the end."""
    places = sorted(at for name in ("header", "id", "length") for at, _ in base.classes.get(name, ()))
    if places:
        at = rng.choice(places)
        data += data[at:at + some_length(rng, 8192)]


def text_changed(rng, text):
    text = bytearray(text)
    for _ in range(rng.choice((1, 1, 2, 6))):
        dice = rng.random()
        found = list(re.finditer(rb"\d+|\w+|[^\w\s]", text))
        if not found:
            break
        m = rng.choice(found)
        if dice < 0.35:
            text[m.start():m.end()] = rng.choice(WORDS)
        elif dice < 0.5:
            text[m.start():m.start()] = rng.choice(WORDS) * rng.choice((1, 1, 1, 30))
        elif dice < 0.65:
            del text[m.start():m.end()]
        elif dice < 0.75:
            lines = bytes(text).split(b"\n")
            rng.shuffle(lines)
            text[:] = b"\n".join(lines)
        elif dice < 0.85:
            other = rng.choice(found)
            text[m.start():m.end()] = other[0]
        else:
            text[m.start():m.start()] = text[m.start():m.start() + some_length(rng, 2000)]
    return bytes(text)


def format_text(rng, base, data, _):
    """The text of an event: of the same length, or its length and what lies behind it move as well."""
    if not base.texts:
        return
    at, length = rng.choice(base.texts)
    if at + length > len(data):
        return
    text = text_changed(rng, data[at:at + length])
    if rng.random() < 0.7:
        end = rng.choice((b"\n", b"\n", b"\n", b" ", b"\0"))
        data[at:at + length] = text[:length - 1].ljust(length - 1, end if rng.random() < 0.2 else b" ") + end
        return
    move(base, data, at, len(text) - length)
    data[at:at + length] = text


def move(base, data, at, delta):
    """Sizes of what holds the byte and offsets of what is behind it, where they are still as they were."""
    for name in ("length", "offset"):
        for place, width in base.classes.get(name, ()):
            value = int.from_bytes(data[place:place + width], base.order)
            holds = place + width <= at < place + width + value + 8 if name == "length" else at < value
            if holds and width <= 8 and place + width <= len(data):
                data[place:place + width] = ((value + delta) % (1 << 8 * width)).to_bytes(width, base.order)


CHANGES = [(flip, 10), (number, 16), (payload, 26), (overwrite, 6), (zero_blocks, 4), (cut, 5), (swap, 7), (splice, 6),
           (remove, 3), (double, 3), (section_again, 3), (format_text, 14)]
SOUND = [(payload, 8), (format_text, 2), (swap, 1)]     # the file says what it said, of other records


def change_file(rng, base, others):
    data = bytearray(base.data)
    for how in rng.choices(*zip(*(SOUND if rng.random() < 0.4 else CHANGES)), k=rng.choice((1, 1, 1, 2, 2, 3, 6))):
        if data:
            how(rng, base, data, others)
    return bytes(data)


# --- logs

PREFIXES = [p.encode() for p in ("[   12.345678] ", "<4>[    1.000000] ", "[Fri Nov 27 20:36:21 2026] ", "kernel: ",
                                 "Nov 27 20:36:21 host kernel: ", "2026-11-27T20:36:21.123456+00:00 h kernel: ", "  ",
                                 "\x1b[32m[    1.0] \x1b[0m", "[    5.1][  T155] ", "> ", "\"", "\t", "1,2,3,-;")]
LINES = [b"", b"---------------------------------", b"Dumping ftrace buffer:", b"   (ftrace buffer empty)",
         b"CPU:0 [LOST 99999999999999999999 EVENTS]", b"CPU:1 [LOST 3 EVENTS]", b"CPU:999999999 [LOST EVENTS]",
         b"** 12 printk messages dropped **", b"** 18446744073709551616 printk messages dropped **",
         b"Oops: 0002 [#1] PREEMPT SMP NOPTI", b"RIP: 0010:ftrmod_null+0x1c/0x30 [ftrmod]", b"---[ end trace 0 ]---",
         b"Kernel panic - not syncing: Fatal exception", b"Out of memory: Killed process 155 (insmod) total-vm:1kB",
         b"mce: [Hardware Error]: CPU 1: Machine Check", b"<stack trace>", b" => vfs_read", b"Call Trace:", b"<TASK>",
         b"  <idle>-0         0d..1. 12345us : sched_switch: prev_comm=a prev_pid=0", b"# tracer: function_graph",
         b"note: insmod[155] exited with irqs disabled", b"Modules linked in: ftrmod(O)", b"\0\0\0", b"\xff\xfe",
         b" 0)   1.234 us    |  vfs_read();", b" 1)               |  vfs_read() {", b" 1) * 99999999999.999 us |  }"]
GROWN = 8 << 20


def log_bases():
    """(name, bytes) of logs and texts of oopses."""
    paths = sorted(glob.glob(OOPS + "/*.log") + glob.glob(OOPS + "/[67]*.txt"))
    for path in paths + sorted(glob.glob(BUGS + "/*.log*") + glob.glob(BUGS + "/*.txt")):
        yield os.path.basename(path), opened(path)


def one_log(rng, logs):
    """Mostly one that has a dump; at times with another one before or behind it."""
    dumps = [data for _, data in logs if b"\nDumping" in data or b"-----\n" in data or len(data) > 3000]
    parts = [rng.choice(dumps) if rng.random() < 0.8 else rng.choice(logs)[1]]
    if rng.random() < 0.3:
        parts.insert(rng.randrange(2), rng.choice(logs)[1])
    return b"".join(parts)


def some_lines(rng, lines):
    at = rng.randrange(len(lines)) if lines else 0
    return slice(at, at + some_length(rng, 300))


def cells(rng, line):
    """A number, a blank, a mark of a line becomes another."""
    found = list(re.finditer(rb"\d+|\s+|\w+|[^\w\s]", line))
    if not found:
        return line
    m = rng.choice(found)
    new = rng.choice((b"", b" ", b"0", b"%d" % rng.choice(EDGES), b"-1", rng.choice(found)[0], b"x" * 300, b"\0",
                      rng.choice(WORDS), m[0] * 2))
    return line[:m.start()] + new + line[m.end():]


def change_lines(rng, lines, others):
    part = some_lines(rng, lines)
    dice = rng.randrange(14)
    if dice == 0:
        del lines[part]
    elif dice == 1:
        lines[part] = lines[part] * 2
    elif dice == 2:
        some = lines[part]
        rng.shuffle(some)
        lines[part] = some
    elif dice == 3:
        prefix = rng.choice(PREFIXES)
        lines[part] = [prefix + line for line in lines[part]]
    elif dice == 4:
        lines[part] = [line[rng.randrange(len(line) + 1):] for line in lines[part]]
    elif dice == 5:
        lines[part] = [line[:rng.randrange(len(line) + 1)] for line in lines[part]]
    elif dice == 6:
        lines[part.start:part.start] = [rng.choice(LINES)] * rng.choice((1, 1, 3, 100))
    elif dice == 7:
        other = rng.choice(others)[1].split(b"\n")
        lines[part.start:part.start] = other[some_lines(rng, other)]
    elif dice == 8:
        lines[part] = [b"".join(lines[part])]
    elif dice == 9:
        lines[part] = [line + b"\r" for line in lines[part]]
    elif dice == 10:
        lines[part] = lines[part][::-1]
    else:
        lines[part] = [cells(rng, line) if rng.random() < 0.5 else line for line in lines[part]]


def change_log(rng, data, others, grows):
    lines = data.split(b"\n")
    for _ in range(rng.choice((1, 2, 3, 5, 12))):
        change_lines(rng, lines, others)
    out = bytearray(b"\n".join(lines))
    if rng.random() < 0.3:
        flip(rng, None, out, None)
    if grows and out:
        size = int(GROWN * rng.choice((0.05, 0.3, 1)))
        out = bytes(out) * (size // len(out) + 1)
        out = bytearray(out[:size])
        for _ in range(20):
            at = spot(rng, out)
            out[at:at + 100] = rng.choice(LINES) + b"\n"
    return bytes(out[:GROWN])


def change_formats(rng, text):
    """A bundle of formats, in which one is another."""
    parts = re.split(rb"(?m)^(?=@@)", text)
    for _ in range(rng.choice((1, 1, 3))):
        at = rng.randrange(len(parts))
        parts[at] = text_changed(rng, parts[at])
    return b"".join(parts)
