#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Trace files whose records have fields of every kind, and names and strings that no kernel would write.

Usage: mkodd.py [-endian=be] [-long=4] [-meta=KEY=VALUE ...] [-short] OUT

The event with strings that are bytes of any kind is odd:bytes, the one with numbers at their ends odd:numbers. There is
a record that is cut off within its fields, one of a type without a format,
and one of an event whose names have quotes and backslashes.
-short: also one without room for its pid, which is damage.
"""
import os
import sys
from types import SimpleNamespace
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mkdat                            # noqa: E402

PAGE = 4096
STRINGS = [b"plain", b"", b"sixteen bytes...", b"quote\" back\\", b"a,b;c\td", b"two\nlines\r\n", b"nul\0behind",
           b"\x1b[31mred\x07\x7f", "gr\u00fcn \u20ac \U0001f600".encode(), b"\xff\xfe\x80", b"\xc3", b"\xe2\x82A",
           b"\xed\xa0\x80", b"\xc0\xafx", b"\xf4\x90\x80\x80", b"\xc2\x85\xe2\x80\xae", b"</script>&'", b"=1+2",
           bytes(range(1, 16)), b"\xe2\x80\xa8line"]
EDGES = [0, 1, -1, 127, -128, 128, 255, 256, 32767, -32768, 65535, (1 << 31) - 1, -(1 << 31), 1 << 31,
         (1 << 32) - 1, 1 << 32, (1 << 53) - 1, 1 << 53, (1 << 53) + 1, -(1 << 53), -(1 << 53) - 1, (1 << 63) - 1,
         -(1 << 63), (1 << 64) - 1]
NAMES = {"bytes": 2001, "numbers": 2002, 'ev"il\\': 2003}
COMMS = {70: 'q"uo\\te', 71: "tab\there\x1b[2J", 72: "gr\u00fcn"}


def add_events(m):
    wide = m.long_size
    m.layouts["bytes"] = ([("char", "fixed[16]", 16, 0), ("__data_loc char[]", "far", 4, 0),
                           ("__rel_loc char[]", "near", 4, 0), ("unsigned char", "mac[6]", 6, 0),
                           ("struct pair", "pair", 12, 0), ("struct pair", "pairs[2]", 16, 0),
                           ("__data_loc u32[]", "list", 4, 0), ("__data_loc unsigned long[]", "longs", 4, 0),
                           ("__data_loc struct pair[]", "blob", 4, 0)],
                          '"fixed=%s far=%s near=%s", REC->fixed, __get_str(far), __get_rel_str(near)')
    m.layouts["numbers"] = ([("u8", "u8", 1, 0), ("s8", "s8", 1, 1), ("unsigned short", "u16", 2, 0),
                             ("short", "s16", 2, 1), ("unsigned int", "u32", 4, 0), ("int", "s32", 4, 1),
                             ("u64", "u64", 8, 0), ("s64", "s64", 8, 1), ("unsigned long", "ulong", wide, 0),
                             ("void *", "ptr", wide, 0), ("bool", "yes", 1, 0), ("s64", "three[3]", 24, 1),
                             ("int", "type", 4, 1), ("int", "type", 4, 1)],
                            '"u64=%llu s64=%lld", REC->u64, REC->s64')
    m.layouts['ev"il\\'] = ([("u32", 'a"b\\c', 4, 0), ("u32", "plain", 4, 0)], '"a \\"quoted\\" %d\\\\", REC->plain')
    mkdat.IDS.update(NAMES)
    mkdat.SYSTEMS["odd"] = ["bytes", "numbers"]
    mkdat.SYSTEMS['sy"s\\tem\n\x1b'] = ['ev"il\\']
    mkdat.COMMS.update(COMMS)


def bytes_record(m, number, text):
    placed, size = mkdat.place(mkdat.COMMON + m.layouts["bytes"][0])
    near_at = next(offset for _, name, offset, _, _ in placed if name == "near")
    tail, values = b"", {"fixed": text[:16], "mac": bytes(range(250, 256)), "pair": b"\x01\xab" * 6,
                         "pairs": bytes(range(16))}
    size = -(-size // 4) * 4
    for name, data in (("far", text + b"\0"), ("near", text), ("list", m.u32(number) + m.u32(0xffffffff)),
                       ("longs", m.ulong(number) * (number % 4)), ("blob", b"\x00\xff\x10"[:number % 4])):
        at = size + len(tail)
        if name == "near":
            at -= near_at + 4
        values[name] = len(data) << 16 | at
        tail += data
    return m.payload("bytes", 70 + number % 3, values, tail)


def numbers_record(m, number, value):
    names = [field.split("[")[0] for _, field, _, _ in m.layouts["numbers"][0]]
    values = dict.fromkeys(names, value)
    values["three"] = b"".join(m.u64(v) for v in (value, -value, number))
    return m.payload("numbers", 512, values)


def records(m, short):
    out = [bytes_record(m, i, text) for i, text in enumerate(STRINGS)]
    out += [numbers_record(m, i, value) for i, value in enumerate(EDGES)]
    out.append(m.payload('ev"il\\', 70, {"plain": 7}))
    # cut off within its fields; an end that a location leads beyond
    whole = bytes_record(m, 1, b"whole")
    out += [whole[:20], whole[:len(whole) - 12], numbers_record(m, 1, 5)[:24]]
    out.append(m.u16(2999) + bytes(2) + m.u32(71) + b"\xde\xad\xbe\xef")
    return out + [m.u16(2002) + bytes(2)] * short


def pages(m, short):
    all_pages, data, ts = [], b"", 10 ** 12
    for record in records(m, short):
        words = len(record) // 4
        head = m.u32(100 << 5 | 0 if not m.big else 100) + m.u32(len(record) + 4)
        if words <= 28:
            head = m.u32(words << 27 | 100 if m.big else 100 << 5 | words)
        if len(data) + len(head + record) > PAGE - 8 - m.long_size:
            all_pages.append((m.u64(ts) + m.ulong(len(data)) + data).ljust(PAGE, b"\0"))
            data, ts = b"", ts + 10 ** 6
        data += head + record
    all_pages.append((m.u64(ts) + m.ulong(len(data)) + data).ljust(PAGE, b"\0"))
    return all_pages


def main():
    words = sys.argv[1:]
    ours = [(w[1:].split("=", 1) + [""])[:2] for w in words if w.startswith("-")]
    one = dict(ours)
    m = mkdat.Machine(one.get("endian", "le"), int(one.get("long", 8)))
    add_events(m)
    args = SimpleNamespace(version=7, compress="none", page_size=PAGE, clock="local", ts_offset=0, date=0,
                           unknown_options=0, short_sizes=False, meta=[value for name, value in ours if name == "meta"])
    buf = mkdat.Buffer("", PAGE)
    buf.cpus = [pages(m, "short" in one)]
    open(words[-1], "wb").write(mkdat.Writer(m, [buf], args).write())


main()
