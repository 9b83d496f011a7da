#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Exchange a file for a link while a program has it open: swap.py UID NR-OPENS NEW TARGET PATH -- COMMAND...

When PATH was opened NR-OPENS times (0: all the time) the command is stopped, the user UID moves NEW, a folder on the
way to PATH or PATH itself, to NEW.gone and makes NEW a link to TARGET; then the command goes on. Prints how often that
was done and the command's exit status.
"""
import ctypes
import os
import select
import signal
import struct
import subprocess
import sys

IN_OPEN = 0x20
AT_FDCWD, RENAME_EXCHANGE = -100, 2

uid, opens, new, target, path = int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:6]
command = sys.argv[7:]
libc = ctypes.CDLL(None, use_errno=True)


def as_user(call):
    os.setegid(uid)
    os.seteuid(uid)
    try:
        call()
    finally:
        os.seteuid(0)
        os.setegid(0)


def swap():
    os.rename(new, new + ".gone")
    os.symlink(target, new)


def swap_at(child, fd):
    """When it was opened so often: 1 if that came before the command ended."""
    seen = 0
    while child.poll() is None:
        if not select.select([fd], [], [], 0.01)[0]:
            continue
        data = os.read(fd, 4096)
        while data:
            mask, length = struct.unpack_from("IxxxxI", data, 4)
            data = data[16 + length:]
            seen += bool(mask & IN_OPEN)
        if seen < opens:
            continue
        child.send_signal(signal.SIGSTOP)
        as_user(swap)
        child.send_signal(signal.SIGCONT)
        child.wait()
        return 1
    return 0


def swap_always(child):
    n = 0
    as_user(lambda: os.symlink(target, new + ".gone"))
    os.setegid(uid)
    os.seteuid(uid)
    while child.poll() is None:
        n += not libc.renameat2(AT_FDCWD, new.encode(), AT_FDCWD, (new + ".gone").encode(), RENAME_EXCHANGE)
    return n


fd = libc.inotify_init()
libc.inotify_add_watch(fd, path.encode(), IN_OPEN)
child = subprocess.Popen(command, stdin=subprocess.DEVNULL)
done = swap_at(child, fd) if opens else swap_always(child)
print(done, child.returncode)
