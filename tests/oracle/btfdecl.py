#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Declarations of functions by a BTF decoder of its own: btfdecl.py FOLDER LIST.json

FOLDER has the files of /sys/kernel/btf, LIST.json is what 'ftr list functions --proto --json' printed. Prints what
differs, then "total checked N", "total with N"; status 1 if anything differed."""
import json
import os
import struct
import sys

VLEN_BYTES = {4: 12, 5: 12, 6: 8, 13: 8, 15: 12, 19: 12}
FIXED_BYTES = {1: 4, 3: 12, 14: 4, 17: 4}


class Btf:
    def __init__(self, path, base=None):
        d = open(path, 'rb').read()
        magic, _, _, header, toff, tlen, soff, slen = struct.unpack_from('<HBBIIIII', d)
        assert magic == 0xeb9f
        own = d[header + soff:header + soff + slen]
        self.strings = (base.strings if base else b'') + own
        self.types = list(base.types) if base else [None]
        self.funcs = {}
        at, end = header + toff, header + toff + tlen
        while at < end:
            name, info, size = struct.unpack_from('<III', d, at)
            kind, n = info >> 24 & 0x7f, info & 0xffffff
            more = FIXED_BYTES.get(kind, 0) + VLEN_BYTES.get(kind, 0) * n
            if kind == 12:
                self.funcs.setdefault(self.string(name), size)
            self.types.append((kind, name, info >> 31, size, d[at + 12:at + 12 + more]))
            at += 12 + more

    def string(self, off):
        return self.strings[off:self.strings.index(b'\0', off)].decode()

    def is_pointer(self, i):
        while i and self.types[i][0] in (9, 10, 11, 18):
            i = self.types[i][3]
        return i and self.types[i][0] == 2

    def params(self, more):
        v = [struct.unpack_from('<II', more, at) for at in range(0, len(more), 8)]
        words = [self.declare(t, self.string(n)) for n, t in v]
        if v and not v[-1][1]:
            words[-1] = '...'
        return ', '.join(words) or 'void'

    def declare(self, i, inner):
        """The type around a declarator, from the inside to the outside."""
        if not i:
            return ('void ' + inner).rstrip()
        kind, name, flag, size, more = self.types[i]
        if kind == 2:
            return self.declare(size, '*' + inner)
        if kind in (3, 13):
            if inner.startswith('*'):
                inner = '(' + inner + ')'
            if kind == 3:
                of, _, n = struct.unpack('<III', more)
                return self.declare(of, '%s[%d]' % (inner, n))
            return self.declare(size, '%s(%s)' % (inner, self.params(more)))
        if kind in (9, 10, 11):
            word = {9: 'volatile', 10: 'const', 11: 'restrict'}[kind]
            if self.is_pointer(size):
                return self.declare(size, (word + ' ' + inner).rstrip())
            return word + ' ' + self.declare(size, inner)
        if kind == 18:
            return self.declare(size, ('__' + self.string(name) + ' ' + inner).rstrip())
        prefix = {4: 'struct ', 5: 'union ', 6: 'enum ', 19: 'enum ', 7: 'union ' if flag else 'struct '}.get(kind, '')
        return (prefix + (self.string(name) or '{...}') + ' ' + inner).rstrip()


def main():
    folder, listed = sys.argv[1:]
    kernel = Btf(os.path.join(folder, 'vmlinux'))
    files = {None: kernel}
    checked = having = 0
    bad = []
    for f in json.load(open(listed))['items']:
        module = f['module']
        if module not in files:
            path = os.path.join(folder, module)
            files[module] = Btf(path, kernel) if os.path.exists(path) else None
        btf = files[module]
        want = None
        if btf and f['function'] in btf.funcs:
            want = btf.declare(btf.funcs[f['function']], f['function'])
        checked += 1
        having += want is not None
        if want != f['prototype']:
            bad.append((want, f['prototype']))
    for b in bad[:20]:
        print('wanted: %s\ngot:    %s' % b)
    print('total checked %d\ntotal with %d\ntotal differ %d' % (checked, having, len(bad)))
    sys.exit(bool(bad) or not having)


main()
