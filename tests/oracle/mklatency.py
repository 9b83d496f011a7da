#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Trace files with FTR_LATENCY, the text of tracers that keep the longest latency, trace.dat(5).

Usage: mklatency.py [-endian=be] [-compress=zstd] [-data] [-n=COUNT] [-cut=BYTES] [-more=BYTES]
                    [-meta=KEY=VALUE ...] OUT [BUFFER=FILE ...]

-data: the file has a record as well. -n: the number of texts that the section claims. -cut, -more: so many bytes are
missing at the end of the section, or follow it.
"""
import os, sys
from types import SimpleNamespace
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mkdat                            # noqa: E402

PAGE = 4096


def page(m):
    data = m.payload("function", 512, {"ip": m.func(0), "parent_ip": m.func(1)})
    data = m.u32(len(data) // 4 | 100 << 5) + data
    return (m.u64(10 ** 12) + m.ulong(len(data)) + data).ljust(PAGE, b"\0")


class Writer(mkdat.Writer):
    """ftr's own lines are never compressed."""
    def section(self, number, body, name, packed=True):
        return super().section(number, body, name, packed and number != 0xf700)


def main():
    words = sys.argv[1:]
    ours = [w[1:].split("=", 1) for w in words if w.startswith("-")]
    one = {w[0]: w[-1] for w in ours}
    out, *texts = [w for w in words if not w.startswith("-")]
    m = mkdat.Machine(one.get("endian", "le"), 8)
    texts = [t.split("=", 1) for t in texts]
    body = m.u32(int(one.get("n", len(texts))))
    for name, path in texts:
        text = open(path, "rb").read()
        body += name.encode() + b"\0" + m.u32(len(text)) + text
    body = body[:len(body) - int(one.get("cut", 0))] + b"x" * int(one.get("more", 0))
    args = SimpleNamespace(version=7, compress=one.get("compress", "none"), page_size=PAGE, clock="local", ts_offset=0,
                           date=0, unknown_options=0, short_sizes=False, meta=[w[1] for w in ours if w[0] == "meta"],
                           sections=[(0xf707, body)])
    buf = mkdat.Buffer("", PAGE)
    buf.cpus = [[page(m)]] if "data" in one else [[]]
    open(out, "wb").write(Writer(m, [buf], args).write())


main()
