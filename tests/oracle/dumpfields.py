#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the fields of a file that `ftr oops parse` made with what the kernel said of the same records.

Usage: dumpfields.py KERNEL RAW

RAW is what `ftr report --raw` prints. KERNEL is the kernel's file trace: with its option fields, where each field is
"name=0x1 (1)", or without, where of an event's text each "name=1" counts whose name is that of a field, and of a call's
"name: 1". Each field that both have is compared, and prints "COUNT values of N events are the same"; each one that
differs is printed, and the status is 1.

Not compared: numbers of system calls, which their text does not tell; addresses of the kernel, which are made up (the
text of the event is compared elsewhere).
"""
import re
import sys

BEGIN = re.compile(r'-(\d+) +\[\d+\] \S{5} +\d+\.\d+: (.*)')
# "sys_read(fd: 3, buf: 7ffd12, count: 1f)", "sys_read -> 0x1f"
CALL = re.compile(r'sys_(\w+)(?:\((.*)\)| -> (0x[0-9a-f]+))$')
ARG = re.compile(r'(?:^|, )(\w+): (\w+)')
PAIR = re.compile(r'(?:^|[ (\[{,])(\w+)=')
# What the option fields prints of an array of longs, and of a char * (where in the buffer it lies).
NO_VALUE = re.compile(r'^(<INVALID-SIZE>|\(0xffff[0-9a-f]{12}\))$')
ADDRESS = re.compile(r'^(\S+\+0x[0-9a-f]+/|0xffff[0-9a-f]{12} \()')
# The bytes of a user's buffer (7.0 and later): "a.b (61:0a:62)", a dot for each byte that is not printed.
BYTES = re.compile(r' \(([0-9a-f]{2}(?::[0-9a-f]{2})*)\)$')
ESCAPED = re.compile(rb'\\x([0-9a-f]{2})')
UNTOLD = {'__syscall_nr'}


def records(path):
    """(event, text) of each record; lines that belong to one, such as frames of a stack, are left out."""
    for line in open(path, errors='surrogateescape'):
        m = BEGIN.search(line)
        call = m and CALL.match(m.group(2))
        if call:
            name, args, ret = call.groups()
            yield (('sys_exit_' + name, 'ret=' + ret) if ret else
                   ('sys_enter_' + name, ' '.join('='.join(arg) for arg in ARG.findall(args))))
        elif m:
            name, _, text = m.group(2).rstrip('\n').partition(':')
            yield (name, text.strip()) if re.fullmatch(r'\w+', name) else ('', m.group(2))


def pairs(text):
    """name -> value: up to the next name, so that a value may have blanks."""
    found = list(PAIR.finditer(text))
    ends = [m.start() for m in found[1:]] + [len(text)]
    return {m.group(1): text[m.end():end] for m, end in zip(found, ends)}


def numbers(word):
    """What the kernel's word may stand for: "0x1f (31)", "'a'(97)", "sym+0x1/0x2 (-7)", "31", "1f"."""
    m = re.search(r'\((-?\d+)\)$', word)
    if m:
        return {int(m.group(1))}
    first = word.split(' ')[0].rstrip(',])}')
    values = set()
    for base, form in ((10, r'-?\d+'), (8, r'0[0-7]+'), (16, r'(0x)?[0-9a-f]+')):
        if re.fullmatch(form, first):
            values.add(int(first, base))
    return values


def same(want, got):
    """None where the two cannot be compared."""
    if want == got:
        return True
    if NO_VALUE.match(want):
        return None
    told = BYTES.search(want)
    if told and ':' in told.group(1):
        plain = ESCAPED.sub(lambda m: bytes.fromhex(m.group(1).decode()), got.encode(errors='surrogateescape'))
        # The newline that ends a string is left out, as everywhere in --raw.
        return plain == bytes.fromhex(told.group(1).replace(':', '')).removesuffix(b'\n')
    if not re.fullmatch(r'-?\d+|0x[0-9a-f]+', got):
        return want.split(' (')[0] == got if got else None
    mine, theirs = int(got, 0), numbers(want)
    if not theirs or ADDRESS.match(want) and min(theirs) < -2**24:
        return None
    return any((mine - v) % 2**32 == 0 if -2**31 <= v < 2**32 and -2**31 <= mine < 2**32 else (mine - v) % 2**64 == 0
               for v in theirs)


def main():
    kernel, raw = list(records(sys.argv[1])), list(records(sys.argv[2]))
    count, events, bad = 0, set(), 0
    if len(kernel) != len(raw):
        print('%d records of the kernel, %d of the file' % (len(kernel), len(raw)))
        bad = 1
    for (name, want), (mine, got) in zip(kernel, raw):
        if not name or name != mine:
            continue
        want = pairs(want)
        for field, value in pairs(got).items():
            if field in UNTOLD or field not in want:
                continue
            equal = same(want[field], value)
            if equal is False:
                bad += 1
                if bad < 30:
                    print("%s: '%s' is '%s', the kernel says '%s'" % (name, field, value, want[field]))
            elif equal:
                count += 1
                events.add(name)
    print('%d values of %d events are the same' % (count, len(events)))
    sys.exit(1 if bad else 0)


main()
