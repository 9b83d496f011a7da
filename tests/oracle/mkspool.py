#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Write a trace.dat as it is while ftr records into it, or as it was left:
mkspool.py FILE [OPTIONS of its own] [of mkdat.py].

The same records as mkdat.py makes of the same options, in the layout that trace.dat(5) describes under UNFINISHED
FILES. Nothing here is taken from the program under test.
"""
import argparse
import json
import os
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mkdat                            # noqa: E402

SPOOL, CHUNK, END, PAD = 0xf703, 0xf704, 0xf705, 0xf706
BLOCK = 4096
OPEN, SEALED, STREAM = 0, 1, 2


class Region:
    def __init__(self, cpu, pages, start, limit):
        self.cpu, self.pages, self.start, self.limit = cpu, pages, start, limit
        self.data = b"".join(pages)
        self.place = start              # now


class Spool(mkdat.Writer):
    def __init__(self, machine, buffers, args, own):
        super().__init__(machine, buffers, args)
        self.own = own
        self.strings = bytearray()
        self.pieces = []                # (offset, bytes) besides the front
        self.regions = []               # of each buffer
        self.cut = [0, 0]               # sections between go first
        at = own.front
        for buf in buffers:
            self.regions.append([])
            for cpu, pages in enumerate(buf.cpus):
                self.regions[-1].append(Region(cpu, pages, at, own.stride - own.room))
                at += own.stride
        self.head = own.v6 if own.v6 and own.sealed is not None else 16
        if own.data:
            self.args.compress = own.packed
            for region in (region for regions in self.regions for region in regions if region.pages):
                region.data = self.chunks(region.pages)
            self.args.compress = "none"

    def spool(self, front):
        m, own = self.m, self.own
        text = "".join(line + "\n" for line in own.text).encode()
        state = STREAM if own.stream else SEALED if own.sealed is not None else OPEN
        out = m.u32(1) + m.u32(state) + m.u64(front if own.sealed is not None else 0)
        out += m.u32(len(text)) + text + m.u32(len(self.buffers))
        for buf, regions in zip(self.buffers, self.regions):
            out += buf.name.encode() + b"\0" + self.args.clock.encode() + b"\0"
            out += m.u32(buf.page_size) + m.u32(self.head) + m.u32(len(regions))
            for r in regions:
                size = len(r.data) if own.sealed is not None else 0
                out += m.u32(r.cpu) + m.u32(own.data) + m.u64(r.start) + m.u64(r.limit) + m.u64(size)
        if not own.first:
            return out
        out += m.u64(self.cut[0]) + m.u64(self.cut[1] if own.sealed is not None else 0)
        return out + b"\0" * (self.cut[0] - 16 - self.spool_at - len(out) if self.cut[0] else 0)

    def few_formats(self):
        """Formats of one system: what was known first."""
        name, events = next(iter(mkdat.SYSTEMS.items()))
        return (self.m.u32(1) + name.encode() + b"\0" + self.m.u32(len(events)) +
                b"".join(map(self.one_format, events)))

    def align_up(self):
        return -(-(len(self.out) + 16) // BLOCK) * BLOCK

    def put_spool(self):
        """Where it is the first section what follows starts a block."""
        if self.own.first:
            self.spool_at = len(self.out)
            self.cut[0] = -(-(len(self.out) + 16 + len(self.spool(0))) // BLOCK) * BLOCK
        return self.section(SPOOL, self.spool(0), "recording")

    def metadata(self):
        self.section(16, self.header_info(), "headers")
        self.section(17, self.ftrace_events(), "ftrace events")
        self.section(18, self.few_formats() if self.own.twice else self.event_formats(), "events format")
        if self.own.oops:
            self.section(0xf708, self.oops(self.own.oops), "oops")

    def packed_metadata(self):
        """The same once more, compressed, behind a block's start."""
        self.section(PAD, b"\0" * (self.align_up() - len(self.out) - 16), "padding")
        self.cut[1] = len(self.out)
        self.args.compress = self.own.packed
        self.metadata()
        if not self.own.half:
            if self.own.symbols:
                self.section(19, self.kallsyms(), "kallsyms")
            self.section(0xf700, "".join(line + "\n" for line in self.own.text).encode() + b"\0", "ftr", False)
        self.args.compress = "none"

    def write(self):
        m, own = self.m, self.own
        if own.stream:
            self.write_stream()
            return
        self.start()
        self.out += {None: b"none\0\0", "zstd": b"open\0001.5.4\0", "zlib": b"open\0001.2.13\0"}[own.first]
        self.out += m.u64(0)
        if own.first:
            at = self.put_spool()
            self.metadata()
        else:
            self.metadata()
            at = self.put_spool()
        if own.twice:
            self.section(18, self.event_formats(), "events format")
        if own.symbols:
            self.section(19, self.kallsyms(), "kallsyms")
        if own.packed:
            self.packed_metadata()
        if own.torn:
            start = self.section(19, self.kallsyms(), "kallsyms")
            half = (len(self.out) - start) // 2 + start
            self.out[half:] = b"\0" * (len(self.out) - half)
        if self.head > 16:
            self.out += b"\0" * (-len(self.out) % (64 << 10)) + b"\x17\x08\x44tracing6\0" + b"x" * 3000
        front = len(self.out)
        self.patch(at + 16, self.spool(front))
        if own.sealed and self.cut[1] or own.cut:
            del self.out[self.cut[0]:self.cut[1]]
        if own.sealed is not None:
            self.join(front, own.sealed)
        for buf, regions in zip(self.buffers, self.regions):
            for r in regions:
                self.put(buf, r)
        self.pieces.append((0, bytes(self.out)))

    def write_stream(self):
        """Front to back: chunks of all CPUs in turn, what is known last, the end."""
        m, own = self.m, self.own
        self.start()
        self.out += b"none\0\0"
        self.out += m.u64(0)
        self.section(16, self.header_info(), "headers")
        self.section(17, self.ftrace_events(), "ftrace events")
        self.section(18, self.few_formats(), "events format")
        self.section(SPOOL, self.spool(0), "recording")
        left = [(b, r, region.pages) for b, regions in enumerate(self.regions) for r, region in enumerate(regions)]
        while any(pages for _, _, pages in left):
            for b, r, pages in left:
                if pages:
                    self.section(CHUNK, m.u32(b) + m.u32(r) + b"".join(pages[:own.stream]), "")
            left = [(b, r, pages[own.stream:]) for b, r, pages in left]
        self.section(18, self.event_formats(), "events format")
        self.section(0xf700, "".join(line + "\n" for line in own.text).encode() + b"\0", "ftr")
        if own.oops:
            self.section(0xf708, self.oops(own.oops), "oops")
        self.section(19, self.kallsyms(), "kallsyms")
        self.section(20, self.printk(), "printk")
        self.section(21, self.cmdlines(), "command lines")
        entries = self.plain_options()
        for buf in self.buffers:
            entries += self.stat_options(buf, not buf.name)
        options = self.options(entries)
        self.section(0, options + m.u16(0) + m.u32(8) + m.u64(0), "options")
        if not own.endless:
            self.section(END, m.u64(len(self.out)), "end")
        self.pieces.append((0, bytes(self.out)))

    def put(self, buf, region):
        """The data of a region, without what was never written."""
        place, data, done = region.place, region.data, 0
        for buffer, cpu, page, count in sorted(self.own.hole):
            if (buffer, cpu) == (buf.name, region.cpu):
                self.pieces.append((place + done, data[done:page * buf.page_size]))
                done = (page + count) * buf.page_size
        self.pieces.append((place + done, data[done:]))
        if self.own.zeros and data and self.own.sealed is None:
            self.pieces.append((place + len(data), b"\0" * self.own.zeros * 4096))

    def join(self, front, steps):
        """The first of so many regions with data are where a finished file has them."""
        gone = self.cut[1] - self.cut[0] if self.cut[1] else 0
        at, shift, done = front - gone, gone if steps or self.own.cut else 0, 0
        for buf, regions in zip(self.buffers, self.regions):
            head, at = at, at + self.head
            with_data = [r for r in regions if r.data]
            for r in with_data:
                to = -(-at // buf.page_size) * buf.page_size
                if done < steps:
                    shift += r.start - shift - to
                    r.place = to
                at = to + len(r.data)
                done += 1
            if done - len(with_data) < steps:
                self.pieces.append((head, self.m.u16(3) + self.m.u16(self.own.data) + self.m.u32(0) +
                                    self.m.u64(at - head - 16)))
        done = 0
        for r in [r for regions in self.regions for r in regions if r.data]:
            if done >= steps:
                r.place = r.start - shift
            done += 1
        if steps >= done and self.own.tail:
            front_bytes, self.out = self.out, bytearray()
            self.section(19, self.kallsyms(), "kallsyms")
            self.section(21, self.cmdlines(), "command lines")
            self.pieces.append((at, bytes(self.out)))
            self.out = front_bytes


def hole(text):
    """BUFFER:CPU:PAGE:COUNT"""
    buffer, cpu, page, count = text.split(":")
    return buffer, int(cpu), int(page), int(count)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0], add_help=False)
    number = lambda text: int(text, 0)
    parser.add_argument("--front", type=number, default=16 << 20, help="where the first region starts")
    parser.add_argument("--stride", type=number, default=64 << 30, help="from region to region")
    parser.add_argument("--room", type=number, default=1 << 16, help="of a stride, left behind the data")
    parser.add_argument("--sealed", type=int, metavar="STEPS", help="sealed, so many regions are joined")
    parser.add_argument("--zeros", type=int, default=0, help="open: pages of zeroes behind each CPU's data")
    parser.add_argument("--hole", type=hole, action="append", default=[], metavar="BUFFER:CPU:PAGE:COUNT")
    parser.add_argument("--twice", action="store_true", help="a second, complete section of event formats")
    parser.add_argument("--symbols", action="store_true", help="kallsyms in the front")
    parser.add_argument("--first", choices=("zstd", "zlib"),
                        help="FTR_SPOOL before the metadata, which is to be compressed")
    parser.add_argument("--packed", choices=("zstd", "zlib"), help="the metadata once more, compressed")
    parser.add_argument("--half", action="store_true", help="of it all but the symbols and the session")
    parser.add_argument("--cut", action="store_true",
                        help="sealed: what is not compressed is gone, as it is with --sealed=1 and more")
    parser.add_argument("--data", action="store_true", help="sealed: the data is compressed as well, by --packed")
    parser.add_argument("--v6", type=number, metavar="BYTES",
                        help="sealed: to be of version 6, with so many bytes before the data of each buffer")
    parser.add_argument("--torn", action="store_true",
                        help="kallsyms that was not written to its end, last in the front")
    parser.add_argument("--tail", action="store_true", help="all joined: kallsyms and task names behind the data")
    parser.add_argument("--oops", metavar="FILE", help="the text of an oops, of a stream at the end")
    parser.add_argument("--text", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--stream", type=int, metavar="PAGES", help="written front to back, in chunks of so many pages")
    parser.add_argument("--endless", action="store_true", help="a stream without its end")
    parser.add_argument("--like", metavar="FILE", help="also the finished file of the same sub-buffers")
    own, rest = parser.parse_known_args()
    sys.argv[1:] = rest
    args = mkdat.parse_args()
    args.compress = "none"
    rng = random.Random(args.seed)
    machine = mkdat.Machine(args.endian, args.long)
    names = [""] + [name for name in args.instances.split(",") if name]
    expect = {"options": {}, "cpus": [], "records": []}
    buffers = [mkdat.build_buffer(machine, rng, name,
                                  args.instance_page_size if name and args.instance_page_size else args.page_size,
                                  args, expect) for name in names]
    spool = Spool(machine, buffers, args, own)
    spool.write()
    with open(args.file, "wb") as stream:
        for offset, data in spool.pieces:
            stream.seek(offset)
            stream.write(data)
    if args.expect:
        with open(args.expect, "w", encoding="utf-8") as stream:
            json.dump(expect, stream)
    if own.like:
        for buffer, cpu, page, count in own.hole:
            buf = next(b for b in buffers if b.name == buffer)
            del buf.cpus[cpu][page:page + count]
        with open(own.like, "wb") as stream:
            stream.write(mkdat.Writer(machine, buffers, args).write())
    return 0


if __name__ == "__main__":
    sys.exit(main())
