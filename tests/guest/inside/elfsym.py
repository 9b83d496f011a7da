#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints where in an ELF file a dynamic symbol, or without one the entry point, lies: what a uprobe wants.

usage: elfsym.py FILE [SYMBOL]
"""
import struct
import sys


def offset_of(d, addr):
    phoff, = struct.unpack_from('<Q', d, 32)
    size, n = struct.unpack_from('<HH', d, 54)
    for i in range(n):
        kind, _, off, vaddr, _, filesz = struct.unpack_from('<IIQQQQ', d, phoff + i * size)
        if kind == 1 and vaddr <= addr < vaddr + filesz:
            return addr - vaddr + off
    sys.exit('elfsym.py: address in no segment')


def value_of(d, name):
    shoff, = struct.unpack_from('<Q', d, 40)
    size, n = struct.unpack_from('<HH', d, 58)
    heads = [struct.unpack_from('<IIQQQQIIQQ', d, shoff + i * size) for i in range(n)]
    for h in heads:
        if h[1] != 11:  # SHT_DYNSYM
            continue
        strs = heads[h[6]][4]
        for at in range(h[4], h[4] + h[5], 24):
            st_name, _, _, shndx, value, _ = struct.unpack_from('<IBBHQQ', d, at)
            s = strs + st_name
            if shndx and d[s:d.index(b'\0', s)] == name:
                return value
    sys.exit('elfsym.py: no such symbol')


def main():
    d = open(sys.argv[1], 'rb').read()
    if len(sys.argv) > 2:
        addr = value_of(d, sys.argv[2].encode())
    else:
        addr, = struct.unpack_from('<Q', d, 24)
    print('0x%x' % offset_of(d, addr))


main()
