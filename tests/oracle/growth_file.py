# SPDX-License-Identifier: GPL-2.0-or-later
"""Trace files with much of one thing and little of everything else."""
from types import SimpleNamespace

import mkdat

M = mkdat.Machine("le", 8)
PAGE = 4096


def page(first=0, name="function", **values):
    """A sub-buffer with one record."""
    data = M.payload(name, 512, values or {"ip": M.func(first % 9), "parent_ip": M.func(1)})
    data = M.u32((len(data) // 4) | 100 << 5) + data
    return (M.u64(10 ** 12 + 1000 * first) + M.ulong(len(data)) + data).ljust(PAGE, b"\0")


class File(mkdat.Writer):
    """What there is many of is set by the functions below; else there is little of everything."""

    def __init__(self, version=7, **more):
        args = SimpleNamespace(version=version, compress="none", page_size=PAGE, clock="local", ts_offset=0, date=0,
                               unknown_options=0, short_sizes=False, meta=None)
        vars(args).update({key: more.pop(key) for key in list(more) if key in vars(args)})
        top = mkdat.Buffer("", args.page_size)
        top.cpus = more.pop("cpus", [[page()]])
        super().__init__(M, [top] + more.pop("buffers", []), args)
        self.more_options = more.pop("options_more", [])
        self.texts = more
        self.args.sections = more.pop("sections", ())

    def plain_options(self):
        return super().plain_options() + self.more_options

    def text(self, kind, size, plain):
        more = self.texts.get(kind)
        return plain if more is None else size(len(more)) + more

    def kallsyms(self):
        return self.text("kallsyms", M.u32, super().kallsyms())

    def printk(self):
        return self.text("printk", M.u32, super().printk())

    def cmdlines(self):
        return self.text("cmdlines", M.u64, super().cmdlines())

    def event_formats(self):
        more = self.texts.get("formats")
        if more is None:
            return super().event_formats()
        return (super().event_formats().replace(M.u32(len(mkdat.SYSTEMS)), M.u32(len(mkdat.SYSTEMS) + 1), 1) +
                b"many\0" + M.u32(len(more)) + b"".join(M.u64(len(text)) + text for text in more))


def one_format(number, name="e%d", fields=3):
    lines = ["name: " + name % number, "ID: %d" % number, "format:"]
    lines += ["\tfield:int f%d;\toffset:%d;\tsize:4;\tsigned:1;" % (i, 8 + 4 * i) for i in range(fields)]
    return ("\n".join(lines) + '\n\nprint fmt: "%d", REC->f0\n').encode()


def records(items):
    """Sub-buffers of records, each (event id, values behind the common fields)."""
    out = []
    for i in range(0, len(items), 100):
        data = b""
        for number, values in items[i:i + 100]:
            body = M.u16(number) + b"\0\0" + M.u32(512) + values
            data += M.u32(len(body) // 4 | 100 << 5) + body
        out.append((M.u64(10 ** 12 + 10 ** 6 * i) + M.ulong(len(data)) + data).ljust(PAGE, b"\0"))
    return out
