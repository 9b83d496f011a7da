# SPDX-License-Identifier: GPL-2.0-or-later
"""Small ELF files by hand: functions with versions, a build-id."""
import struct

FUNC, OBJECT, IFUNC = 2, 1, 10
SHT = {'.symtab': 2, '.strtab': 3, '.dynsym': 11, '.dynstr': 3, '.gnu.version': 0x6fffffff,
       '.gnu.version_d': 0x6ffffffd, '.note': 7, '.shstrtab': 3}
SYMBOLS = (('f', FUNC, 1, 0x8002), ('f', FUNC, 2, 3), ('g', IFUNC, 3, 1), ('data', OBJECT, 4, 1), ('gone', FUNC, 0, 1))


def strings(names):
    """A table, and where each name is in it."""
    table, places = b'\0', {'': 0}
    for name in names:
        if name not in places:
            places[name] = len(table)
            table += name.encode() + b'\0'
    return table, places


class Elf:
    def __init__(self, wide, big, kind=3):
        self.wide, self.order = wide, '>' if big else '<'
        self.kind = kind
        self.ident = b'\x7fELF' + bytes([2 if wide else 1, 2 if big else 1, 1]) + bytes(9)
        self.sections = [('', b'', 0, 0)]       # name, content, link, size of an entry

    def pack(self, fmt, *values):
        return struct.pack(self.order + fmt, *values)

    def symbol(self, name, kind, index):
        value = 0x1000 + 16 * index
        if self.wide:
            return self.pack('IBBHQQ', name, kind | 16, 0, min(index, 1), value, 8)
        return self.pack('IIIBBH', name, value, 8, kind | 16, 0, min(index, 1))

    def table(self, names, places, name, link):
        size = 24 if self.wide else 16
        body = bytes(size) + b''.join(self.symbol(places[n], kind, i) for n, kind, i in names)
        self.sections.append((name, body, link, size))

    def versions(self, places):
        last, body = 3, b''
        for index, name in ((1, 'lib.so'), (2, 'V1'), (3, 'V2')):
            body += self.pack('HHHHIII', 1, index == 1, index, 1, 7, 20, 0 if index == last else 28)
            body += self.pack('II', places[name], 0)
        self.sections.append(('.gnu.version_d', body, 2, 0))

    def note(self):
        return (self.pack('III', 4, 8, 1) + b'XYZ\0' + bytes(8) +
                self.pack('III', 4, 20, 3) + b'GNU\0' + bytes(range(20)))

    def make(self):
        dyn, at = strings([s[0] for s in SYMBOLS] + ['V1', 'V2', 'lib.so'])
        self.table([s[:3] for s in SYMBOLS], at, '.dynsym', 2)
        self.sections.append(('.dynstr', dyn, 0, 0))
        self.sections.append(('.gnu.version', self.pack('6H', 0, *(s[3] for s in SYMBOLS)), 1, 2))
        self.versions(at)
        own = [('main', FUNC, 5), ('f@V1', FUNC, 1), ('f@@V2', FUNC, 2), ('twice', FUNC, 6), ('twice', FUNC, 7)]
        static, at = strings([s[0] for s in own])
        self.table(own, at, '.symtab', 6)
        self.sections.append(('.strtab', static, 0, 0))
        self.sections.append(('.note', self.note(), 0, 0))
        names, at = strings([s[0] for s in self.sections] + ['.shstrtab'])
        self.sections.append(('.shstrtab', names, 0, 0))
        return self.lay(at)

    def lay(self, names):
        heads, step = (64, 56) if self.wide else (52, 32)
        body, headers, note = b'', b'', (0, 0)
        for name, content, link, entry in self.sections:
            at = heads + 2 * step + len(body)
            word = 'IIQQQQIIQQ' if self.wide else '10I'
            headers += self.pack(word, names[name], SHT.get(name, 0), 0, 0, at if name else 0, len(content), link,
                                 0, 4, entry)
            body += content
            note = (at, len(content)) if name == '.note' else note
            body += bytes(-len(body) % 8)
        shoff = heads + 2 * step + len(body)
        word = 'HHIQQQIHHHHHH' if self.wide else 'HHIIIIIHHHHHH'
        head = self.ident + self.pack(word, self.kind, 62 if self.wide else 3, 1, 0x1000, heads, shoff, 0,
                                      heads, step, 2, 64 if self.wide else 40, len(self.sections),
                                      len(self.sections) - 1)
        return head + self.program(1, 0, 0x1000, shoff) + self.program(4, note[0], 0, note[1]) + body + headers

    def program(self, kind, offset, addr, size):
        if self.wide:
            return self.pack('IIQQQQQQ', kind, 5, offset, addr, addr, size, size, 4)
        return self.pack('8I', kind, offset, addr, addr, size, size, 5, 4)


def all_elves():
    """(name, file)"""
    for wide in (False, True):
        for big in (False, True):
            yield '%d-%s' % (64 if wide else 32, 'be' if big else 'le'), Elf(wide, big).make()
    yield 'object', Elf(True, False, 1).make()
