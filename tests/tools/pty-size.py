#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a program in a terminal of any size, and ends it by SIGTERM once it has drawn something.

Usage: pty-size.py ROWS COLUMNS PROGRAM ARG...

Prints "signal N", by which it ended, its seconds of CPU, and its peak memory in MiB.
"""
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

LONGEST = 120


def main():
    pid, terminal = pty.fork()
    if not pid:
        # the size has to stand before the program asks
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", int(sys.argv[1]), int(sys.argv[2]), 0, 0))
        os.execvp(sys.argv[3], sys.argv[3:])
    end, asked = time.monotonic() + LONGEST, False
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            data = os.read(terminal, 1 << 16)
        except OSError:
            break
        if not data:
            break
        if not asked:
            os.kill(pid, signal.SIGTERM)
            asked = True
    else:
        os.kill(pid, signal.SIGKILL)
    _, status, used = os.wait4(pid, 0)
    print("signal %d, %.2f s, %d MiB" % (os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
                                        used.ru_utime + used.ru_stime, used.ru_maxrss // 1024))


main()
