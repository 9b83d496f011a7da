#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Ask Perfetto's own trace processor what it found in a trace.

Usage: tests/oracle/perfetto.py [--lib PATH] [--header] TRACE SQL...
       tests/oracle/perfetto.py [--lib PATH] --check

Prints the rows of each query, fields between tabs; with several queries an empty line between two. The library is
libtest_trace_processor.so out of Debian's package chromium-shell, see perfetto-lib,
which is asked where --lib is missing.

The library is nobody's public interface: three C++ methods, called here with objects of libc++ laid out by hand. Each
run tries them first, in a process of its own, on a trace of some bytes (--check does no more),
so that another layout shows as such.

Exit codes: 0 fine, 1 the trace was refused or a query failed, 2 usage, 77 no library,
or one that does not work (one line why).
"""
import argparse
import ctypes
import os
import signal
import subprocess
import sys

UNUSABLE = 77
HERE = os.path.dirname(os.path.abspath(__file__))
PREFIX = "_ZN4base4test22TestTraceProcessorImpl"
STRING = "NSt3__112basic_stringIcNS2_11char_traitsIcEENS2_9allocatorIcEEEE"
CONSTRUCT = PREFIX + "C1Ev"
PARSE = PREFIX + "10ParseTraceERKNSt3__16vectorIcNS2_9allocatorIcEEEE"
QUERY = "_ZNK" + PREFIX[3:] + "12ExecuteQueryERK" + STRING
WORD = ctypes.sizeof(ctypes.c_void_p)


class Unusable(Exception):
    """The library is not there, or not the one that this was written for."""


class Failed(Exception):
    """The trace processor says that something is wrong."""


# --- objects of libc++ ---------------------------------------------------------------------------

def word(address):
    return ctypes.c_uint64.from_address(address).value


def string_at(address):
    """A basic_string<char>: {capacity | 1, size, data}, or up to 22 bytes behind twice their number."""
    first = ctypes.c_uint8.from_address(address).value
    if first & 1:
        return ctypes.string_at(word(address + 16), word(address + 8))
    return ctypes.string_at(address + 1, first >> 1)


def vector_at(address, size):
    """Addresses of the elements of a vector: {begin, end, end of what is allocated}."""
    begin, end = word(address), word(address + WORD)
    if end < begin or (end - begin) % size:
        raise Unusable(f"no vector: begin {begin:#x}, end {end:#x}, elements of {size}")
    return range(begin, end, size)


class Processor:
    """One trace processor with one trace."""

    def __init__(self, path):
        try:
            library = ctypes.CDLL(path)
            self.calls = [getattr(library, name) for name in (CONSTRUCT, PARSE, QUERY)]
        except (OSError, AttributeError) as error:
            raise Unusable(f"'{path}': {error}") from error
        for call, arguments in zip(self.calls, (1, 3, 3)):
            call.restype = None
            call.argtypes = [ctypes.c_void_p] * arguments
        self.object = ctypes.create_string_buffer(4096)
        self.calls[0](self.object)

    def parse(self, data):
        data = ctypes.create_string_buffer(data, len(data) + 1)
        begin = ctypes.addressof(data)
        end = begin + len(data) - 1
        status = (ctypes.c_uint64 * 32)()
        self.calls[1](status, self.object, (ctypes.c_uint64 * 3)(begin, end, end))
        # A Status without words is a number with bit 0 set, of which 1 is fine; others begin with a count and a code.
        if status[0] & 1:
            if status[0] != 1:
                raise Failed(f"status {status[0] >> 2}")
        elif not status[0]:
            raise Unusable("no status")
        else:
            raise Failed(string_at(status[0] + 8).decode(errors="replace"))

    def query(self, text):
        """Rows of bytes, the first being the names of the columns."""
        text = text.encode()
        data = ctypes.create_string_buffer(text, len(text) + 1)
        out = (ctypes.c_uint64 * 32)()
        self.calls[2](out, self.object,
                      (ctypes.c_uint64 * 3)((len(text) + 16) & ~15 | 1, len(text), ctypes.addressof(data)))
        base = ctypes.addressof(out)
        error = string_at(base + 3 * WORD)
        if error:
            raise Failed(error.decode(errors="replace"))
        return [[string_at(cell) for cell in vector_at(row, 3 * WORD)] for row in vector_at(base, 3 * WORD)]


# --- a trace of some bytes -----------------------------------------------------------------------

def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7f:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number, value):
    """One field: a number, bytes or text, or a list of fields."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, list):
        value = b"".join(value)
    elif isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def event(ts, pid, number, *values):
    """An FtraceEvent, whose fields have the numbers from 1 on."""
    return field(2, [field(1, ts), field(2, pid),
                     field(number, [field(i, v) for i, v in enumerate(values, 1) if v is not None])])


def trace(*packets):
    return b"".join(field(1, list(packet)) for packet in packets)


def own_trace():
    """Two tasks that take turns."""
    switches = [event(1000 + 10 * i, 5 + i % 2, 4, "ab"[i % 2], 5 + i % 2, 120, 1, "ba"[i % 2], 6 - i % 2, 120)
                for i in range(3)]
    return trace([field(10, 1), field(45, [field(1, [field(1, "Linux"), field(3, "6.1.0")])])],
                 [field(10, 1), field(1, [field(1, 0), *switches])])


def try_library(path):
    processor = Processor(path)
    processor.parse(own_trace())
    rows = processor.query("select name, count(*) from ftrace_event group by name")
    if rows[1:] != [[b"sched_switch", b"3"]]:
        raise Unusable(f"it says of three sched_switch: {rows}")
    rows = processor.query("select ts, dur, end_state from sched_slice order by ts limit 2")
    if rows[1:] != [[b"1000", b"10", b"S"], [b"1010", b"10", b"S"]]:
        raise Unusable(f"it says of two slices: {rows}")
    try:
        processor.query("select 'a name that is longer than twenty-two bytes' from nowhere")
    except Failed:
        return
    raise Unusable("it knows a table that there is not")


def check(path):
    """Tries the library in a process of its own: another layout of objects ends in a signal, mostly."""
    sys.stdout.flush()
    child = os.fork()
    if not child:
        status = UNUSABLE
        try:
            signal.alarm(60)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            try_library(path)
            status = 0
        except (Unusable, Failed) as error:
            print(f"perfetto.py: {error}", flush=True)
        finally:
            os._exit(status)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if ended < 0:
        print(f"perfetto.py: '{path}': another layout? signal {-ended} on a sound trace")
    return UNUSABLE if ended else 0


def library():
    done = subprocess.run([os.path.join(HERE, "perfetto-lib")], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)
    if done.returncode:
        raise Unusable((done.stderr.strip().splitlines() or ["perfetto-lib failed"])[0])
    return done.stdout.strip()


def main():
    parser = argparse.ArgumentParser(description="Ask Perfetto's trace processor.")
    parser.add_argument("--lib")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--header", action="store_true", help="the names of the columns before the rows")
    parser.add_argument("trace", nargs="?")
    parser.add_argument("sql", nargs="*")
    args = parser.parse_args()
    if not args.check and not args.sql:
        parser.error("a trace and a query are wanted")
    try:
        path = args.lib or library()
    except Unusable as error:
        print(f"perfetto.py: {error}")
        return UNUSABLE
    status = check(path)
    if status or args.check:
        return status
    try:
        processor = Processor(path)
        with open(args.trace, "rb") as file:
            processor.parse(file.read())
        for number, sql in enumerate(args.sql):
            rows = processor.query(sql)
            if number:
                print()
            for row in rows[0 if args.header else 1:]:
                print("\t".join(cell.decode(errors="backslashreplace") for cell in row))
    except (Failed, Unusable, OSError) as error:
        print(f"perfetto.py: '{args.trace}': {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
