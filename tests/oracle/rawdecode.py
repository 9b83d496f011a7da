#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Count the records of a trace.dat (v6, v7) from its bytes alone, as a check of other readers.

Shares no code with the program under test.  Exit codes: 0 fine, 1 cannot be opened, 2 usage,
3 structural problems (each named on stderr; everything that could be read is still counted).
"""
import argparse
import ctypes
import json
import re
import struct
import subprocess
import sys
import zlib

COMMIT_MASK = (1 << 30) - 1
MISSED_EVENTS = 1 << 31
MISSED_STORED = 1 << 30
TS_BITS = 59                    # an absolute time stamp carries the low 59 bits
TS_LOW = (1 << TS_BITS) - 1
MAX_PAGE = 1 << 26
MAX_UNPACKED = 1 << 28

SECTION_NAMES = {
    0: "options", 3: "buffer", 15: "strings", 16: "header_info", 17: "ftrace_events",
    18: "event_formats", 19: "kallsyms", 20: "printk", 21: "cmdlines", 22: "buffer_text",
    23: "btf", 25: "modules", 0xf700: "ftr's own (meta)", 0xf701: "ftr's own (sums)",
}
OPTION_NAMES = {
    0: "DONE", 1: "DATE", 2: "CPUSTAT", 3: "BUFFER", 4: "TRACECLOCK", 5: "UNAME", 6: "HOOK",
    7: "OFFSET", 8: "CPUCOUNT", 9: "VERSION", 10: "PROCMAPS", 11: "TRACEID", 12: "TIME_SHIFT",
    13: "GUEST", 14: "TSC2NSEC", 16: "HEADER_INFO", 17: "FTRACE_EVENTS", 18: "EVENT_FORMATS",
    19: "KALLSYMS", 20: "PRINTK", 21: "CMDLINES", 22: "BUFFER_TEXT", 23: "BTF_FILE",
    24: "LAST_BOOT_INFO", 25: "MODULES_FILE",
}
SECTION_OPTIONS = (16, 17, 18, 19, 20, 21, 23, 25)

# Damage class of each kind of region: what a bad-input test may expect of a flip there.
CLASS_OF = {
    "magic": "header", "tracing": "header", "version": "header", "endian": "header",
    "long_size": "header", "page_size": "header", "comp_name": "header", "tag": "header",
    "section_flags": "header",
    "comp_version": "other", "section_description": "other", "option_payload": "other",
    "clock": "other", "buffer_name": "other", "buffer_clock": "other",
    "section_id": "id", "option_id": "id", "cpu_id": "id",
    "section_size": "length", "option_size": "length", "blob_size": "length",
    "cpu_size": "length", "buffer_page_size": "length", "clock_size": "length",
    "options_offset": "offset", "next_options_offset": "offset", "section_offset": "offset",
    "buffer_offset": "offset", "cpu_offset": "offset",
    "event_count": "count", "system_count": "count", "cpu_count": "count",
    "chunk_count": "chunk", "chunk_csize": "chunk", "chunk_usize": "chunk",
    "chunk_data": "chunk",
    "page_timestamp": "pagehdr", "page_commit": "pagehdr",
    "event_header": "event", "lost_count": "event",
    "text": "text", "system_name": "text",
}


class Damaged(Exception):
    """Bytes that cannot be what the format says; carries the place."""

    def __init__(self, offset, text):
        super().__init__(text)
        self.offset = offset
        self.text = text


# --- decompression ---------------------------------------------------------------------------

_zstd = None


def zstd_library():
    global _zstd
    if _zstd is None:
        try:
            lib = ctypes.CDLL("libzstd.so.1")
            lib.ZSTD_decompress.restype = ctypes.c_size_t
            lib.ZSTD_decompress.argtypes = [ctypes.c_void_p, ctypes.c_size_t,
                                            ctypes.c_char_p, ctypes.c_size_t]
            lib.ZSTD_isError.argtypes = [ctypes.c_size_t]
            lib.ZSTD_isError.restype = ctypes.c_uint
            _zstd = lib
        except OSError:
            _zstd = False
    return _zstd


def zstd_unpack(data, usize):
    lib = zstd_library()
    if lib:
        out = ctypes.create_string_buffer(max(usize, 1))
        got = lib.ZSTD_decompress(out, usize, data, len(data))
        if lib.ZSTD_isError(got):
            raise ValueError("zstd: corrupt data or wrong size")
        return out.raw[:got]
    run = subprocess.run(["zstd", "-dcq"], input=data, capture_output=True, check=False)
    if run.returncode:
        raise ValueError("zstd: " + run.stderr.decode(errors="replace").strip())
    return run.stdout


def unpack(algorithm, data, usize, offset):
    """One compressed block; its length must be what the file declares."""
    if usize > MAX_UNPACKED:
        raise Damaged(offset, "unpacked size %d is beyond reason" % usize)
    try:
        if algorithm == "zlib":
            stream = zlib.decompressobj()
            out = stream.decompress(data, usize + 1)
            if not stream.eof:
                raise ValueError("zlib: stream does not end here")
        elif algorithm == "zstd":
            out = zstd_unpack(data, usize)
        else:
            raise ValueError("unknown compression '%s'" % algorithm)
    except (ValueError, zlib.error) as error:
        raise Damaged(offset, "compressed block of %d bytes: %s" % (len(data), error)) from None
    if len(out) != usize:
        raise Damaged(offset, "compressed block unpacks to %d bytes, declared %d"
                      % (len(out), usize))
    return out


# --- reading bytes ---------------------------------------------------------------------------

class Cursor:
    """A place in some bytes; base is their offset in the file, None when they were compressed."""

    def __init__(self, trace, data, pos=0, base=0, end=None):
        self.trace = trace
        self.data = data
        self.pos = pos
        self.base = base
        self.end = len(data) if end is None else end

    def where(self, pos=None):
        if self.base is None:
            return None
        return self.base + (self.pos if pos is None else pos)

    def left(self):
        return self.end - self.pos

    def mark(self, kind, length, where=""):
        if self.base is not None and length:
            self.trace.mark(self.base + self.pos, length, kind, where)

    def take(self, length, kind, where=""):
        if length < 0 or length > self.left():
            raise Damaged(self.where(), "%s%s needs %d bytes, %d are left"
                          % (kind, " of " + where if where else "", length, max(self.left(), 0)))
        self.mark(kind, length, where)
        out = self.data[self.pos:self.pos + length]
        self.pos += length
        return out

    def number(self, size, kind, where=""):
        return int.from_bytes(self.take(size, kind, where), self.trace.order)

    def string(self, kind, where=""):
        stop = self.data.find(b"\0", self.pos, self.end)
        if stop < 0:
            raise Damaged(self.where(), "%s%s has no end" % (kind, " of " + where if where else ""))
        return self.take(stop + 1 - self.pos, kind, where)[:-1].decode(errors="replace")

    def tag(self, expect):
        start = self.where()
        got = self.take(len(expect), "tag", expect.rstrip(b"\0 ").decode())
        if got != expect:
            raise Damaged(start, "expected %r, found %r" % (expect, bytes(got)))


# --- formats ---------------------------------------------------------------------------------

FIELD = re.compile(r"field[^:\n]*:([^;\n]*);\s*offset:(\d+);\s*size:(\d+);")


class Format:
    """Name, id and field places of one event format."""

    def __init__(self, text, system=""):
        self.text = text
        self.system = system
        name = re.search(r"^name: *(\S+)", text, re.M)
        number = re.search(r"^ID: *(\d+)", text, re.M)
        self.name = name.group(1) if name else None
        self.id = int(number.group(1)) if number else None
        self.fields = {}
        for declaration, offset, size in FIELD.findall(text):
            word = re.sub(r"\[[^]]*\]", " ", declaration).split()
            if word:
                self.fields.setdefault(word[-1].lstrip("*"), (int(offset), int(size)))


class Cpu:
    """What one CPU of one buffer holds."""

    def __init__(self, number, offset, size):
        self.cpu = number
        self.offset = offset
        self.size = size
        self.records = 0
        self.leaf_pairs = 0
        self.leaf_pairs_across_loss = 0
        self.lost = 0
        self.lost_unknown = 0
        self.pages = 0
        self.first_ts = None
        self.last_ts = None
        self.time_extends = 0
        self.abs_stamps = 0
        self.discarded = 0
        self.rows = []

    def summary(self):
        names = ("cpu", "offset", "size", "records", "leaf_pairs", "leaf_pairs_across_loss",
                 "lost", "lost_unknown", "pages", "first_ts", "last_ts", "time_extends",
                 "abs_stamps", "discarded")
        return {name: getattr(self, name) for name in names}


class Buffer:
    """One instance of the file; the name of the top one is empty."""

    def __init__(self, name, page_size, clock=""):
        self.name = name
        self.page_size = page_size
        self.clock = clock
        self.cpus = []


class Section:
    def __init__(self, offset, number, flags, size):
        self.offset = offset
        self.id = number
        self.flags = flags
        self.size = size
        self.body = offset + 16
        self.end = self.body + size


# --- the file --------------------------------------------------------------------------------

class Trace:
    """Everything known about one file.  Problems are collected, not raised."""

    def __init__(self, data, keep_rows=False, keep_regions=False, keep_data=False):
        self.data = data
        self.keep_rows = keep_rows
        self.keep_data = keep_data  # each CPU gets rows (ts, type id, pid, lost before it, bytes)
        self.keep_regions = keep_regions
        self.regions = []
        self.pages = []             # (file offset, end, records, where) of pages or chunks
        self.problems = []
        self.notes = []
        self.order = "little"
        self.version = None
        self.long_size = None
        self.page_size = None
        self.compression = "none"
        self.formats = {}
        self.sections = []
        self.options = []
        self.buffers = []
        self.header_page = ""
        self.event_counts = {}
        self.extents = []
        self.clock = ""
        self.cpu_count = None
        self.uname = ""
        self.own_lines = b""        # "KEY=VALUE" of ftr
        self.kallsyms = self.printk = b""
        self.cmdlines = b""

    # -- bookkeeping

    def mark(self, offset, length, kind, where=""):
        if self.keep_regions:
            self.regions.append((offset, length, kind, where))

    def problem(self, offset, text):
        self.problems.append((offset, text))

    def note(self, offset, text):
        self.notes.append((offset, text))

    def guarded(self, step, *args):
        try:
            return step(*args)
        except Damaged as error:
            self.problem(error.offset, error.text)
            return None

    # -- initial header

    def read(self):
        self.guarded(self.read_all)
        return self

    def read_all(self):
        cursor = Cursor(self, self.data)
        if cursor.take(3, "magic") != b"\x17\x08\x44":
            raise Damaged(0, "no trace.dat: wrong magic")
        if cursor.take(7, "tracing") != b"tracing":
            raise Damaged(3, "no trace.dat: no 'tracing' after the magic")
        version = cursor.string("version")
        if version not in ("6", "7"):
            raise Damaged(10, "unknown file version '%s'" % version)
        self.version = int(version)
        self.read_machine(cursor)
        if self.version == 6:
            self.read_v6(cursor)
        else:
            self.read_v7(cursor)
        self.check_overlap()

    def read_machine(self, cursor):
        endian = cursor.number(1, "endian")
        if endian > 1:
            raise Damaged(12, "endian byte is %d, not 0 or 1" % endian)
        self.order = "big" if endian else "little"
        self.long_size = cursor.number(1, "long_size")
        if self.long_size not in (4, 8):
            self.problem(13, "size of long is %d, not 4 or 8" % self.long_size)
        self.page_size = cursor.number(4, "page_size")
        if not self.valid_page(self.page_size):
            self.problem(14, "page size %d is not a power of two in 512..%d"
                         % (self.page_size, MAX_PAGE))

    @staticmethod
    def valid_page(size):
        return 512 <= size <= MAX_PAGE and not size & (size - 1)

    # -- bodies common to v6 and v7

    def read_header_info(self, cursor):
        cursor.tag(b"header_page\0")
        self.header_page = self.blob(cursor, 8, "header_page").decode(errors="replace")
        cursor.tag(b"header_event\0")
        self.blob(cursor, 8, "header_event")

    def blob(self, cursor, width, where):
        return cursor.take(cursor.number(width, "blob_size", where), "text", where)

    def read_ftrace_events(self, cursor):
        for index in range(cursor.number(4, "event_count", "ftrace_events")):
            self.one_format(cursor, "ftrace format %d" % index, "ftrace")

    def one_format(self, cursor, where, system):
        start = cursor.where()
        fmt = Format(self.blob(cursor, 8, where).decode(errors="replace"), system)
        if fmt.name is None or fmt.id is None:
            self.problem(start, "%s has no name or no ID" % where)
            return
        if fmt.id in self.formats:
            self.note(start, "event id %d is both '%s' and '%s'"
                      % (fmt.id, self.formats[fmt.id].name, fmt.name))
        self.formats.setdefault(fmt.id, fmt)

    def read_event_formats(self, cursor):
        for _ in range(cursor.number(4, "system_count", "event_formats")):
            system = cursor.string("system_name")
            for index in range(cursor.number(4, "event_count", system)):
                self.one_format(cursor, "format %d of system '%s'" % (index, system), system)

    def read_kallsyms(self, cursor):
        self.kallsyms = self.blob(cursor, 4, "kallsyms")

    def read_printk(self, cursor):
        self.printk = self.blob(cursor, 4, "printk_formats")

    def read_cmdlines(self, cursor):
        self.cmdlines = self.blob(cursor, 8, "cmdlines")

    # -- v6

    def read_v6(self, cursor):
        for step in (self.read_header_info, self.read_ftrace_events, self.read_event_formats,
                     self.read_kallsyms, self.read_printk, self.read_cmdlines):
            step(cursor)
        start = cursor.where()
        self.cpu_count = cursor.number(4, "cpu_count")
        if not 0 < self.cpu_count <= 65536:
            raise Damaged(start, "%d CPUs are beyond reason" % self.cpu_count)
        instances = []
        while True:
            start = cursor.where()
            tag = cursor.take(10, "tag", "data kind")
            if tag != b"options  \0":
                break
            instances += self.read_v6_options(cursor)
        if tag == b"latency  \0":
            self.note(start, "latency text, no records")
            return
        if tag != b"flyrecord\0":
            raise Damaged(start, "unknown kind of data %r" % bytes(tag))
        top = Buffer("", self.page_size, self.clock)
        self.buffers.append(top)
        self.guarded(self.read_v6_buffer, cursor, top, self.cpu_count)
        for offset, name, cpus in instances:
            buf = Buffer(name, self.page_size, self.clock)
            self.buffers.append(buf)
            self.guarded(self.read_v6_instance, offset, buf, cpus)

    def read_v6_options(self, cursor):
        instances = []
        after_buffer = False
        while True:
            start = cursor.where()
            number = cursor.number(2, "option_id")
            if number == 0:
                return instances
            name = OPTION_NAMES.get(number, "id %d" % number)
            size = cursor.number(4, "option_size", name)
            if size > cursor.left():
                raise Damaged(start, "option %s of %d bytes runs beyond the end" % (name, size))
            self.options.append((number, start, size))
            inner = Cursor(self, self.data, cursor.pos, 0, cursor.pos + size)
            cursor.pos += size
            if number == 3:
                instances.append([inner.number(8, "buffer_offset"),
                                  inner.string("buffer_name"), self.cpu_count])
            elif number == 8:
                count = inner.number(4, "cpu_count", "CPUCOUNT")
                if after_buffer and instances:
                    instances[-1][2] = count
            else:
                self.plain_option(inner, number, name, size)
            after_buffer = number == 3

    def plain_option(self, inner, number, name, size):
        if number not in OPTION_NAMES:
            self.note(inner.where(), "option id %d is unknown" % number)
        payload = inner.take(size, "option_payload", name)
        if number == 4:
            current = re.search(rb"\[([^]\s]+)\]", payload)
            self.clock = current.group(1).decode(errors="replace") if current else ""
        elif number == 5:
            self.uname = payload.rstrip(b"\0").decode(errors="replace")
        elif number == 0xf700:
            self.own_lines += payload

    def read_v6_instance(self, offset, buf, cpus):
        if offset + 10 > len(self.data):
            raise Damaged(offset, "buffer '%s' starts beyond the end of the file" % buf.name)
        cursor = Cursor(self, self.data, offset)
        cursor.tag(b"flyrecord\0")
        self.read_v6_buffer(cursor, buf, cpus)

    def read_v6_buffer(self, cursor, buf, cpus):
        for number in range(cpus):
            where = "buffer '%s' cpu %d" % (buf.name, number)
            offset = cursor.number(8, "cpu_offset", where)
            size = cursor.number(8, "cpu_size", where)
            buf.cpus.append(Cpu(number, offset, size))
        if any(number == 4 for number, _, _ in self.options):
            clock = cursor.take(cursor.number(8, "clock_size"), "clock")
            buf.clock = clock.decode(errors="replace").strip("[]\0")
        for cpu in buf.cpus:
            if cpu.size and cpu.offset < cursor.pos and buf is self.buffers[0]:
                self.problem(cpu.offset, "data of cpu %d lies inside the header" % cpu.cpu)
            self.guarded(self.read_cpu, buf, cpu, False)

    # -- v7

    def read_v7(self, cursor):
        self.compression = cursor.string("comp_name")
        cursor.string("comp_version")
        if self.compression not in ("none", "zlib", "zstd"):
            self.problem(18, "unknown compression '%s'" % self.compression)
        first = cursor.number(8, "options_offset")
        self.guarded(self.walk_sections, cursor)
        self.by_offset = {section.offset: section for section in self.sections}
        self.buffer_options = []
        seen = set()
        while first:
            if first in seen:
                self.problem(first, "the chain of options sections is a loop")
                break
            seen.add(first)
            section = self.section_at(first, 0, "options")
            first = self.guarded(self.read_v7_options, section) if section else None
        for section in self.sections:
            if section.id == 0 and section.offset not in seen:
                self.problem(section.offset, "options section that no chain reaches")
                self.guarded(self.read_v7_options, section)
            if section.id == 0xf700:
                self.guarded(self.read_own_lines, section)
        self.check_used()
        for buf, section in self.buffer_options:
            for cpu in buf.cpus:
                self.guarded(self.read_v7_cpu, buf, cpu, section)

    def walk_sections(self, cursor):
        while cursor.left():
            offset = cursor.pos
            if cursor.left() < 16:
                raise Damaged(offset, "%d bytes are no section header" % cursor.left())
            number = cursor.number(2, "section_id")
            name = SECTION_NAMES.get(number, "id %d" % number)
            flags = cursor.number(2, "section_flags", name)
            cursor.number(4, "section_description", name)
            size = cursor.number(8, "section_size", name)
            section = Section(offset, number, flags, size)
            if flags & ~1:
                self.problem(offset + 2, "unknown flags 0x%x of section %s" % (flags, name))
            if section.end > len(self.data):
                self.problem(offset + 8, "section %s of %d bytes runs beyond the end of the file"
                             % (name, size))
                section.end = len(self.data)
            self.sections.append(section)
            cursor.pos = section.end
        if not any(section.id == 15 for section in self.sections):
            self.note(None, "no strings section")

    def section_at(self, offset, number, what):
        section = self.by_offset.get(offset)
        if section is None:
            self.problem(offset, "%s: there is no section at offset %d" % (what, offset))
        elif section.id != number:
            self.problem(offset, "%s: section at offset %d has id %d, not %d"
                         % (what, offset, section.id, number))
        else:
            return section
        return None

    def body(self, section):
        """Cursor over a section's content, unpacked when need be."""
        cursor = Cursor(self, self.data, section.body, 0, section.end)
        if not section.flags & 1:
            return cursor
        name = SECTION_NAMES.get(section.id, "id %d" % section.id)
        csize = cursor.number(4, "chunk_csize", name)
        usize = cursor.number(4, "chunk_usize", name)
        start = cursor.where()
        packed = cursor.take(csize, "chunk_data", name)
        if cursor.left():
            self.problem(cursor.where(), "%d bytes after the compressed block of section %s"
                         % (cursor.left(), name))
        return Cursor(self, unpack(self.compression, packed, usize, start), 0, None)

    def read_v7_options(self, section):
        cursor = self.body(section)
        while True:
            start = cursor.where()
            number = cursor.number(2, "option_id")
            name = OPTION_NAMES.get(number, "id %d" % number)
            size = cursor.number(4, "option_size", name)
            if size > cursor.left():
                raise Damaged(start, "option %s of %d bytes runs beyond its section" % (name, size))
            self.options.append((number, start, size))
            inner = Cursor(self, cursor.data, cursor.pos, cursor.base, cursor.pos + size)
            cursor.pos += size
            if number == 0:
                if size != 8:
                    raise Damaged(start, "DONE option has %d bytes, not 8" % size)
                if cursor.left():
                    self.problem(cursor.where(), "%d bytes after the DONE option" % cursor.left())
                return inner.number(8, "next_options_offset")
            self.guarded(self.read_v7_option, inner, number, name, size)

    def read_v7_option(self, inner, number, name, size):
        if number == 3:
            self.read_buffer_option(inner)
        elif number == 22:
            self.section_at(inner.number(8, "section_offset", name), 22, name)
            inner.string("buffer_name")
            inner.string("buffer_clock")
        elif number in SECTION_OPTIONS:
            section = self.section_at(inner.number(8, "section_offset", name), number, name)
            if section:
                self.read_section(section)
        else:
            self.plain_option(inner, number, name, size)

    def read_own_lines(self, section):
        cursor = self.body(section)
        self.own_lines += cursor.take(cursor.left(), "text", SECTION_NAMES[section.id])

    def read_section(self, section):
        step = {16: self.read_header_info, 17: self.read_ftrace_events,
                18: self.read_event_formats, 19: self.read_kallsyms, 20: self.read_printk,
                21: self.read_cmdlines}.get(section.id)
        section.used = True
        cursor = self.body(section)
        if step is None:
            cursor.take(cursor.left(), "text", SECTION_NAMES.get(section.id, "?"))
            return
        step(cursor)
        if cursor.left():
            self.problem(cursor.where(), "%d bytes after the content of section %s"
                         % (cursor.left(), SECTION_NAMES[section.id]))

    def read_buffer_option(self, inner):
        section = self.section_at(inner.number(8, "section_offset", "BUFFER"), 3, "BUFFER")
        name = inner.string("buffer_name")
        clock = inner.string("buffer_clock", name)
        start = inner.where()
        page_size = inner.number(4, "buffer_page_size", name)
        if not self.valid_page(page_size):
            raise Damaged(start, "buffer '%s': page size %d" % (name, page_size))
        buf = Buffer(name, page_size, clock)
        seen = set()
        for _ in range(inner.number(4, "cpu_count", name)):
            start = inner.where()
            number = inner.number(4, "cpu_id", name)
            where = "buffer '%s' cpu %d" % (name, number)
            offset = inner.number(8, "cpu_offset", where)
            size = inner.number(8, "cpu_size", where)
            if number in seen:
                self.problem(start, "%s occurs twice" % where)
            seen.add(number)
            buf.cpus.append(Cpu(number, offset, size))
        if inner.left():
            self.problem(inner.where(), "%d bytes after the CPUs of buffer '%s'"
                         % (inner.left(), name))
        if section:
            section.used = True
            self.buffers.append(buf)
            self.buffer_options.append((buf, section))

    def check_used(self):
        """A section that no option names holds data that readers cannot find."""
        for section in self.sections:
            if section.id not in SECTION_NAMES:
                self.note(section.offset, "section id %d is unknown" % section.id)
            if section.id not in SECTION_OPTIONS + (3,) or getattr(section, "used", False):
                continue
            self.problem(section.offset, "no option leads to section %s"
                         % SECTION_NAMES[section.id])

    def read_v7_cpu(self, buf, cpu, section):
        if cpu.size and not section.body <= cpu.offset <= section.end:
            raise Damaged(cpu.offset, "buffer '%s' cpu %d lies outside its section"
                          % (buf.name, cpu.cpu))
        if cpu.offset + cpu.size > section.end and section.end < len(self.data):
            self.problem(cpu.offset, "buffer '%s' cpu %d runs beyond its section"
                         % (buf.name, cpu.cpu))
        self.read_cpu(buf, cpu, bool(section.flags & 1))

    # -- CPU data

    def read_cpu(self, buf, cpu, compressed):
        if not cpu.size:
            return
        where = "buffer '%s' cpu %d" % (buf.name, cpu.cpu)
        if cpu.offset >= len(self.data):
            raise Damaged(cpu.offset, "%s starts beyond the end of the file" % where)
        decode = PageDecoder(self, buf, cpu, where)
        if compressed:
            self.read_chunks(buf, cpu, where, decode)
            return
        end = cpu.offset + cpu.size
        if end > len(self.data):
            self.problem(cpu.offset, "%s ends beyond the end of the file (%d bytes missing)"
                         % (where, end - len(self.data)))
            end = len(self.data)
        elif cpu.size % buf.page_size:
            self.problem(cpu.offset, "%s: %d bytes are no whole number of pages of %d"
                         % (where, cpu.size, buf.page_size))
        if cpu.offset % buf.page_size:
            self.problem(cpu.offset, "%s is not aligned to its page size" % where)
        self.extents.append((cpu.offset, end, where))
        for offset in range(cpu.offset, end - buf.page_size + 1, buf.page_size):
            before = cpu.records
            self.guarded(decode.page, self.data[offset:offset + buf.page_size], offset)
            self.pages.append((offset, offset + buf.page_size, cpu.records - before, where))

    def read_chunks(self, buf, cpu, where, decode):
        cursor = Cursor(self, self.data, cpu.offset)
        count = cursor.number(4, "chunk_count", where)
        pending = b""
        for index in range(count):
            first = cursor.pos
            csize = cursor.number(4, "chunk_csize", where)
            usize = cursor.number(4, "chunk_usize", where)
            start = cursor.where()
            packed = cursor.take(csize, "chunk_data", where)
            before = cpu.records
            out = self.guarded(unpack, self.compression, packed, usize, start)
            if out is not None:
                pending += out
            while len(pending) >= buf.page_size:
                self.guarded(decode.page, pending[:buf.page_size], None, first)
                pending = pending[buf.page_size:]
            self.pages.append((first, cursor.pos, cpu.records - before,
                               "%s chunk %d" % (where, index)))
        if pending:
            self.problem(cpu.offset, "%s: %d bytes after its last whole page"
                         % (where, len(pending)))
        self.extents.append((cpu.offset, cursor.pos, where))
        used = cursor.pos - cpu.offset
        if used == cpu.size + 4:
            # as trace-cmd 3.1.6 writes it
            self.note(cpu.offset, "%s: declared size lacks the 4 bytes of the chunk count" % where)
        elif used != cpu.size:
            self.problem(cpu.offset, "%s: chunks take %d bytes, declared %d"
                         % (where, used, cpu.size))

    def check_overlap(self):
        last_end, last_where = 0, ""
        for start, end, where in sorted(self.extents):
            if start < last_end:
                self.problem(start, "%s overlaps %s" % (where, last_where))
            last_end, last_where = max(end, last_end), where

    # -- results

    def totals(self):
        out = {"records": 0, "leaf_pairs": 0, "leaf_pairs_across_loss": 0, "lost": 0,
               "lost_unknown": 0, "pages": 0}
        for buf in self.buffers:
            for cpu in buf.cpus:
                for key in out:
                    out[key] += getattr(cpu, key)
        return out

    def name_of(self, type_id):
        fmt = self.formats.get(type_id)
        return fmt.name if fmt else "unknown"

    def sorted_regions(self, all_events=True):
        """Regions by offset, each with its damage class and a hint of where it belongs."""
        out = []
        for offset, length, kind, where in sorted(set(self.regions)):
            if kind == "event_header" and not all_events and not where.endswith("first"):
                continue
            out.append({"offset": offset, "length": length, "kind": kind,
                        "class": CLASS_OF[kind], "where": where})
        return out

    def records_outside(self, offset):
        """Records that do not lie in the page or chunk holding this byte."""
        total = self.totals()["records"]
        for start, end, count, _ in self.pages:
            if start <= offset < end:
                return total - count
        return total

    def records_below(self, offset):
        """Records of the pages or chunks that end at or before this offset."""
        return sum(count for _, end, count, _ in self.pages if end <= offset)


class PageDecoder:
    """Decodes the sub-buffers of one CPU in order."""

    def __init__(self, trace, buf, cpu, where):
        self.trace = trace
        self.buf = buf
        self.cpu = cpu
        self.where = where
        sign = "<" if trace.order == "little" else ">"
        fields = Format(trace.header_page).fields
        self.commit_off, self.long = fields.get("commit", (8, trace.long_size))
        self.data_off = fields.get("data", (self.commit_off + self.long, 0))[0]
        ts_off, ts_size = fields.get("timestamp", (0, 8))
        if (ts_off, ts_size) != (0, 8) or self.long not in (4, 8) or \
           self.data_off < self.commit_off + self.long or self.data_off > 64:
            raise Damaged(None, "%s: cannot follow this header_page" % where)
        self.u64 = struct.Struct(sign + "Q")
        self.u32 = struct.Struct(sign + "I")
        self.ulong = struct.Struct(sign + ("Q" if self.long == 8 else "I"))
        self.sign = sign
        self.common = struct.Struct(sign + "H2xi")
        names = {fmt.name: fmt for fmt in trace.formats.values()}
        self.entry = names.get("funcgraph_entry")
        self.exit = names.get("funcgraph_exit")
        self.pending = None         # (pid, func) of an entry that was the last record
        self.lost_since = False
        self.blank_before = False   # the page before has no data
        common = next(iter(trace.formats.values())).fields if trace.formats else {}
        if common.get("common_type", (0, 2)) != (0, 2) or \
           common.get("common_pid", (4, 4)) != (4, 4):
            raise Damaged(None, "%s: unknown common fields" % where)

    def page(self, page, offset, chunk=None):
        """offset: in the file, None when the page was compressed (then chunk is the place)."""
        trace, cpu = self.trace, self.cpu
        place = offset if offset is not None else chunk
        index = cpu.pages
        cpu.pages += 1
        where = "%s page %d" % (self.where, index)
        if offset is not None:
            trace.mark(offset, 8, "page_timestamp", where)
            trace.mark(offset + self.commit_off, self.long, "page_commit", where)
        ts = self.u64.unpack_from(page, 0)[0]
        commit = self.ulong.unpack_from(page, self.commit_off)[0]
        high = commit >> 32
        if high not in (0, 0xffffffff) or (high and not commit & MISSED_EVENTS):
            trace.problem(place, "%s: commit 0x%x" % (where, commit))
        size = commit & COMMIT_MASK
        room = len(page) - self.data_off
        if size > room:
            raise Damaged(place, "%s: commit says %d bytes, %d fit" % (where, size, room))
        if size & 3:
            trace.problem(place, "%s: %d bytes of events are not aligned" % (where, size))
            size &= ~3
        self.missed(page, commit, size, room, offset, where)
        self.blank(size, place, where)
        if not size:
            return
        if cpu.last_ts is not None and ts < cpu.last_ts:
            trace.note(place, "%s: starts before the end of the page before" % where)
        self.events(page, size, ts, offset, place, where)

    def blank(self, size, place, where):
        """A ring buffer gives no page without data: before others there was something."""
        if size and self.blank_before:
            self.trace.problem(place, "%s: before it are pages without data" % where)
            self.lost_since = True
            self.cpu.lost_unknown += 1
        self.blank_before = not size

    def missed(self, page, commit, size, room, offset, where):
        cpu = self.cpu
        if not commit & MISSED_EVENTS:
            if commit & MISSED_STORED:
                self.trace.problem(offset, "%s: a missed count without missed events" % where)
            return
        self.lost_since = True
        if not commit & MISSED_STORED:
            cpu.lost_unknown += 1
        elif size + self.long > room:
            self.trace.problem(offset, "%s: no room for the missed count" % where)
            cpu.lost_unknown += 1
        else:
            if offset is not None:
                self.trace.mark(offset + self.data_off + size, self.long, "lost_count", where)
            cpu.lost += self.ulong.unpack_from(page, self.data_off + size)[0]

    def events(self, page, size, ts, offset, place, where):
        trace, cpu = self.trace, self.cpu
        words = struct.unpack_from("%s%dI" % (self.sign, size // 4), page, self.data_off)
        little = trace.order == "little"
        marking = trace.keep_regions and offset is not None
        common, counts = self.common, trace.event_counts
        pos, count = 0, len(words)
        tag = "first"
        while pos < count:
            word = words[pos]
            kind, delta = (word & 31, word >> 5) if little else (word >> 27, word & 0x7ffffff)
            at = self.data_off + pos * 4
            long_form = kind == 0 or kind > 28
            if marking:
                length = 8 if long_form and pos + 1 < count else 4
                trace.mark(offset + at, length, "event_header", "%s %s" % (where, tag))
                tag = ""
            if kind == 29 and delta == 0:
                return              # nothing more on this page
            if long_form and pos + 1 >= count:
                raise Damaged(place, "%s: event header at %d is cut by the commit" % (where, at))
            if kind == 30:
                ts += (words[pos + 1] << 27) + delta
                cpu.time_extends += 1
                pos += 2
                continue
            if kind == 31:
                ts = self.absolute((words[pos + 1] << 27) + delta, ts)
                cpu.abs_stamps += 1
                pos += 2
                continue
            if long_form:
                length = words[pos + 1]
                if length < 4 or length & 3:
                    raise Damaged(place, "%s: event at %d has length %d" % (where, at, length))
                step, skip = 4 + length, 8
            else:
                step, skip = 4 + kind * 4, 4
            if pos * 4 + step > size:
                raise Damaged(place, "%s: event at %d of %d bytes runs beyond the commit"
                              % (where, at, step))
            if kind == 29:
                # the kernel writes delta 1 where a discarded event had none
                if delta != 1:
                    ts += delta
                cpu.discarded += 1
                pos += step // 4
                continue
            ts += delta
            pos += step // 4
            if step - skip < 8:
                trace.problem(place, "%s: record at %d has only %d bytes"
                              % (where, at, step - skip))
                continue
            type_id, pid = common.unpack_from(page, at + skip)
            counts[type_id] = counts.get(type_id, 0) + 1
            cpu.records += 1
            if cpu.first_ts is None:
                cpu.first_ts = ts
            cpu.last_ts = ts
            if trace.keep_rows:
                cpu.rows.append((ts, type_id, pid, step - skip))
            if trace.keep_data:
                cpu.rows.append((ts, type_id, pid, self.lost_since,
                                 page[at + skip:at + step]))
            self.pair(page, at + skip, step - skip, type_id, pid)
            if type_id not in trace.formats and counts[type_id] == 1:
                trace.note(place, "%s: record at %d has the unknown type %d"
                           % (where, at, type_id))

    @staticmethod
    def absolute(stamp, ts):
        """Restore the five top bits that a time stamp event has no room for."""
        full = (ts & ~TS_LOW) | (stamp & TS_LOW)
        if full < ts and ts & ~TS_LOW:
            full += 1 << TS_BITS
        return full & 0xffffffffffffffff

    def pair(self, page, at, length, type_id, pid):
        """Count an exit that directly follows the entry of the same call."""
        cpu = self.cpu
        pending, self.pending = self.pending, None
        lost, self.lost_since = self.lost_since, False
        if self.entry and type_id == self.entry.id:
            self.pending = (pid, self.func(page, at, length, self.entry))
        elif pending and self.exit and type_id == self.exit.id and \
                pending == (pid, self.func(page, at, length, self.exit)):
            cpu.leaf_pairs += 1
            cpu.leaf_pairs_across_loss += lost

    def func(self, page, at, length, fmt):
        offset, size = fmt.fields.get("func", (8, self.long))
        if offset + size > length:
            return None
        return page[at + offset:at + offset + size]


# --- command line ----------------------------------------------------------------------------

def print_summary(trace):
    for buf in trace.buffers:
        for cpu in buf.cpus:
            print("buffer '%s' cpu %d records %d leaf_pairs %d lost %d lost_unknown %d pages %d "
                  "first_ts %s last_ts %s" % (buf.name, cpu.cpu, cpu.records, cpu.leaf_pairs,
                                              cpu.lost, cpu.lost_unknown, cpu.pages,
                                              "-" if cpu.first_ts is None else cpu.first_ts,
                                              "-" if cpu.last_ts is None else cpu.last_ts))
    for key, value in trace.totals().items():
        print("total %s %d" % (key, value))


def print_buffers(trace):
    for buf in trace.buffers:
        print("buffer '%s' clock %s page_size %d cpus %d records %d"
              % (buf.name, buf.clock or "-", buf.page_size, len(buf.cpus),
                 sum(cpu.records for cpu in buf.cpus)))


def print_records(trace):
    out = []
    for buf in trace.buffers:
        for cpu in buf.cpus:
            for ts, type_id, pid, length in cpu.rows:
                out.append("%s %d %d %d %s %d %d\n" % (buf.name or "-", cpu.cpu, ts, type_id,
                                                       trace.name_of(type_id), pid, length))
    sys.stdout.write("".join(out))


def as_json(trace):
    return {
        "version": trace.version, "endian": trace.order, "long_size": trace.long_size,
        "page_size": trace.page_size, "compression": trace.compression, "clock": trace.clock,
        "sections": [{"offset": s.offset, "id": s.id, "flags": s.flags, "size": s.size}
                     for s in trace.sections],
        "options": [{"id": n, "name": OPTION_NAMES.get(n, "?"), "offset": o, "size": s}
                    for n, o, s in trace.options],
        "formats": len(trace.formats),
        "events": {trace.name_of(n): c for n, c in sorted(trace.event_counts.items())},
        "buffers": [{"name": b.name, "clock": b.clock, "page_size": b.page_size,
                     "cpus": [c.summary() for c in b.cpus]} for b in trace.buffers],
        "totals": trace.totals(),
        "problems": [{"offset": o, "text": t} for o, t in trace.problems],
        "notes": [{"offset": o, "text": t} for o, t in trace.notes],
    }


def load(path, keep_rows=False, keep_regions=False, keep_data=False):
    with open(path, "rb") as stream:
        return Trace(stream.read(), keep_rows, keep_regions, keep_data).read()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file")
    parser.add_argument("--json", action="store_true", help="everything as JSON")
    parser.add_argument("--records", action="store_true",
                        help="one line a record: BUFFER CPU TS TYPE_ID EVENTNAME PID LEN")
    parser.add_argument("--buffers", action="store_true", help="one line a buffer")
    parser.add_argument("--offsets", action="store_true", help="structural regions as JSON")
    parser.add_argument("--all-events", action="store_true",
                        help="with --offsets: every event header, not the first of each page")
    args = parser.parse_args()
    try:
        trace = load(args.file, args.records, args.offsets)
    except OSError as error:
        print("rawdecode: cannot open '%s': %s" % (args.file, error.strerror), file=sys.stderr)
        return 1
    if args.offsets:
        json.dump({"file": args.file, "size": len(trace.data),
                   "regions": trace.sorted_regions(args.all_events)}, sys.stdout, indent=0)
        print()
    elif args.json:
        json.dump(as_json(trace), sys.stdout, indent=1)
        print()
    elif args.records:
        print_records(trace)
    elif args.buffers:
        print_buffers(trace)
    else:
        print_summary(trace)
    for name, entries in (("note", trace.notes), ("problem", trace.problems)):
        for offset, text in entries:
            place = "" if offset is None else " at offset %d" % offset
            print("%s: %s%s: %s" % (args.file, name, place, text), file=sys.stderr)
    return 3 if trace.problems else 0


if __name__ == "__main__":
    sys.exit(main())
