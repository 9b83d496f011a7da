# SPDX-License-Identifier: GPL-2.0-or-later
"""Recipes of trace files (tests/fuzz/recipe.h), with a repeat at each count that the format has;
the pieces are mkdat.py's."""
import os, random, struct, sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'oracle'))
import mkdat                            # noqa: E402

START, OPTIONS, BUFFER, DATA = 255, 0, 1, 64    # labels
DEC, HEX = 16, 17
END = bytes([4])


def text(data):
    data = data.encode() if isinstance(data, str) else data
    parts = [data[i:i + 0xffff] for i in range(0, len(data), 0xffff)]
    return b''.join(b'\0' + struct.pack('<H', len(p)) + p for p in parts)


def repeat(n, width, *ops):
    return b'\1' + struct.pack('<I', n)[:3] + bytes([width]) + b''.join(ops) + END


def sized(width, *ops):
    return bytes([2, width]) + b''.join(ops) + END


def packed(*ops):
    return bytes([3, 1]) + b''.join(ops) + END


def number(form, base, step=1, outer=0):
    return struct.pack('<BBQQQ', 5, form, base, step, outer)


def here(label):
    return bytes([6, label])


def offset(a, b=START, step=0, outer=0):
    return struct.pack('<BBBBQQ', 7, a, b, 8, step, outer)


def align(bits):
    return bytes([8, bits])


# What a file may have much of: each is there once, or as often as asked for.
COUNTS = ('systems', 'formats', 'fields', 'symbols', 'printk', 'comms', 'options', 'stats', 'maps', 'meta', 'buffers',
          'cpus', 'pages', 'records')
FORMAT = ('\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n'
          '\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n'
          '\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n'
          '\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n')


class File:
    def __init__(self, counts, zip_it=False, version=7):
        sys.argv[1:] = ['-', '--version', str(version), '--records', '12', '--cpus', '1']
        self.args = mkdat.parse_args()
        rng = random.Random(7)
        self.m = mkdat.Machine('le', 8)
        self.n = dict.fromkeys(COUNTS, 1)
        self.n.update(counts)
        self.zip = zip_it
        buffer = mkdat.build_buffer(self.m, rng, '', 4096, self.args, {'cpus': [], 'records': []})
        self.page = buffer.cpus[0][0]
        self.w = mkdat.Writer(self.m, [buffer], self.args)

    # contents

    def many(self, what, *ops, width=0):
        return repeat(self.n[what], width, *ops)

    def formats(self):
        event = sized(8, text('name: e'), number(DEC, 0), text('\nID: '), number(DEC, 2000), text(FORMAT),
                      self.many('fields', text('\tfield:u64 f'), number(DEC, 0), text(';\toffset:'),
                                number(DEC, 8, 8), text(';\tsize:8;\tsigned:0;\n')),
                      text('\nprint fmt: "%llu", REC->f0\n'))
        known = text(self.m.u32(len(mkdat.SYSTEMS['sched'])) + b''.join(map(self.w.one_format, mkdat.SYSTEMS['sched'])))
        made = self.many('formats', event, width=4)
        return (text(self.m.u32(1 + self.n['systems']) + b'sched\0') + known +
                self.many('systems', text('s'), number(DEC, 0), text(b'\0'), made))

    def symbols(self):
        return sized(4, text(self.w.kallsyms()[4:]),
                     self.many('symbols', number(HEX, 0xffffffff82000000, 16), text(' t f'), number(DEC, 0),
                               text('\n')))

    def printk(self):
        return sized(4, text(self.w.printk()[4:]),
                     self.many('printk', text('0x'), number(HEX, 0xffffffff83000000, 32), text(' : "n=%d\\n"\n')))

    def comms(self):
        return sized(8, text(self.w.cmdlines()[8:]),
                     self.many('comms', number(DEC, 100), text(' task-'), number(DEC, 0), text('\n')))

    def meta(self, *lines):
        return (text(''.join(line + '\n' for line in lines)) +
                self.many('meta', text('key'), number(DEC, 0), text('=value\n')) +
                text('modules=a 4096 0xffffffffc0000000\\nb 1 2\nbuild_ids=0123 /bin/x\n'))

    def pages(self):
        """The last of the page's records again, as often as fits."""
        used = struct.unpack('<Q', self.page[8:16])[0] & 0xffff
        body = self.page[16:16 + used]
        record = self.m.payload('sched_waking', 512, {'comm': b'bash', 'pid': 41})
        again = struct.pack('<I', 5 << 5 | len(record) // 4) + record
        return self.many('pages', number(8, 10**12, 10**7, 10**4),
                         text(struct.pack('<Q', len(body) + len(again) * self.n['records']) + body),
                         self.many('records', text(again)), align(12))

    # options, their ids and data

    def option(self, number_of, *ops):
        return text(self.m.u16(number_of)) + sized(4, *ops)

    def stat(self):
        return self.option(2, text('CPU: '), number(DEC, 0), text('\nentries: 3\noverrun: 1\n\0'))

    def maps(self):
        return self.option(10, text('4d2 1 /bin/x\n'), self.many('maps', number(HEX, 0x1000, 0x1000), text(' '),
                           number(HEX, 0x2000, 0x1000), text(' /lib/x.so\n')), text(b'\0'))

    def plain(self):
        count = self.option(8, text(self.m.u32(self.n['cpus'])))
        return (text(self.w.options(self.w.plain_options())) + count + self.many('stats', self.stat()) + self.maps() +
                self.many('options', text(self.m.u16(0x7001)), sized(4, text('unknown'))))

    # version 7

    def head(self):
        return (text(b'\x17\x08\x44tracing7\0' + bytes([0, 8]) + self.m.u32(4096) +
                     (b'zstd\x001.5.4\0' if self.zip else b'none\0\0')))

    def section(self, kind, label, *ops, plain=False):
        pack = self.zip and not plain
        return (here(label) + text(self.m.u16(kind) + self.m.u16(pack) + self.m.u32(0)) +
                sized(8, packed(*ops) if pack else b''.join(ops)))

    def contents(self):
        """(id, operations) of sections that an option leads to."""
        return [(16, text(self.w.header_info())), (17, text(self.w.ftrace_events())), (18, self.formats()),
                (19, self.symbols()), (20, self.printk()), (21, self.comms())]

    def cpu_bytes(self):
        return 4096 * self.n['pages']

    def buffer(self):
        """An instance's option; the sections have one size, behind() sees to it."""
        stride = 4096 * (1 + self.n['cpus'] * self.n['pages'])
        cpu = number(4, 0) + offset(DATA, START, self.cpu_bytes(), stride) + number(8, self.cpu_bytes(), 0)
        if self.zip:
            cpu = number(4, 0) + offset(DATA) + offset(DATA + 1, DATA)
        return self.option(3, offset(BUFFER, START, 0 if self.zip else stride), text('i'), number(DEC, 0),
                           text(b'\0local\0' + self.m.u32(4096)), self.many('cpus', cpu, width=4))

    def behind(self, *ops, head=0):
        """An unknown section before, so that what follows begins so many bytes before a multiple of 4096."""
        return (text(self.m.u16(0x7001) + self.m.u16(0) + self.m.u32(0)) +
                sized(8, align(12), text(bytes(-head % 4096))) + b''.join(ops))

    def data(self):
        raw = self.many('cpus', self.pages())
        if self.zip:
            raw = text(self.m.u32(1)) + packed(self.pages())
        head = text(self.m.u16(3) + self.m.u16(self.zip) + self.m.u32(0))
        body = sized(8, align(12), here(DATA), raw, here(DATA + 1))
        if self.zip:
            return here(BUFFER) + head + body
        # labels are those of the last round: the first one stands before
        first = here(BUFFER) + head + body
        return self.behind(first, self.more(head + sized(8, align(12), raw)))

    def more(self, ops):
        return repeat(self.n['buffers'] - 1, 0, ops) if self.n['buffers'] > 1 else b''

    def v7(self):
        contents = self.contents()
        sections = [self.section(kind, 2 + i, ops) for i, (kind, ops) in enumerate(contents)]
        entries = [self.option(kind, offset(2 + i)) for i, (kind, _) in enumerate(contents)]
        done = self.option(0, text(self.m.u64(0)))
        options = self.section(0, OPTIONS, *entries, self.plain(), self.many('buffers', self.buffer()),
                               done, plain=True)
        return (self.head() + offset(OPTIONS) + b''.join(sections) +
                self.section(0xf700, 60, self.meta('kallsyms_order=address'), text(b'\0'), plain=True) +
                self.data() + options +
                self.section(15, 61, text('strings\0'), plain=True))

    # version 6

    def v6(self):
        instance = self.option(3, offset(BUFFER), text('i'), number(DEC, 0), text(b'\0'))
        count = self.option(8, text(self.m.u32(self.n['cpus'])))
        size = self.cpu_bytes()
        table = [text(b'flyrecord\0') + self.many('cpus', offset(at, START, size), number(8, size, 0)) +
                 text(self.m.u64(7) + b'[local]') for at in (DATA, DATA + 2)]
        return (text(b'\x17\x08\x44tracing6\0' + bytes([0, 8]) + self.m.u32(4096)) +
                b''.join(ops for _, ops in self.contents()) + text(self.m.u32(self.n['cpus']) + b'options  \0') +
                self.plain() + self.many('buffers', instance, count, self.many('stats', self.stat())) + count +
                text(self.m.u16(0)) + table[0] + align(12) + here(DATA) + self.many('cpus', self.pages()) +
                here(BUFFER) + table[1] + align(12) + here(DATA + 2) +
                self.many('cpus', self.pages()))

    # what was not finished

    def stream(self):
        region = number(4, 0) + text(self.m.u32(0) + bytes(24))
        spool = (text(self.m.u32(1) + self.m.u32(2) + self.m.u64(0)) + sized(4, self.meta('tracer=nop')) +
                 self.many('buffers', text('i'), number(DEC, 0), text(b'\0local\0' + self.m.u32(4096) + self.m.u32(16)),
                           self.many('cpus', region, width=4), width=4))
        chunk = text(self.m.u32(0)) + number(4, 0, 0) + self.pages()
        done = self.option(0, text(self.m.u64(0)))
        contents = [self.section(kind, 2, ops, plain=True) for kind, ops in self.contents()]
        return (self.head() + text(self.m.u64(0)) + b''.join(contents[:3]) + self.section(0xf703, 60, spool) +
                self.behind(self.section(0xf704, 61, chunk), head=24) + self.section(18, 2, self.formats()) +
                b''.join(contents[3:]) +
                self.section(0xf700, 62, self.meta(), text(b'\0')) + self.section(0, 63, self.plain(), done) +
                self.section(0xf705, 64, offset(64)))


def all_recipes():
    """(name, recipe): each form with each of its counts raised."""
    forms = (('v7', File.v7, False), ('zip', File.v7, True), ('v6', File.v6, False), ('stream', File.stream, False))
    for form, make, zip_it in forms:
        for what in (None,) + COUNTS:
            counts = {what: 60 if what == 'records' else 40} if what else {}
            yield '%s-%s' % (form, what or 'one'), b'\3' + make(File(counts, zip_it, 6 if form == 'v6' else 7))
