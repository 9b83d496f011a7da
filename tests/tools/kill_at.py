#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Kill a command at one of its system calls: kill_at.py N COMMAND...

The command is stopped when it enters a system call and when it leaves it. At the N-th stop of its first thread it is
killed. With 0 it runs to its end, and the number of stops is printed. The status is that of the command, 128 and the
signal if one killed it.
"""
import ctypes
import os
import signal
import sys

TRACEME, SYSCALL, SETOPTIONS = 0, 24, 0x4200
EXITKILL, TRACESYSGOOD = 0x100000, 1

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


def ptrace(request, pid, data=0):
    if libc.ptrace(request, pid, None, data) == -1:
        raise OSError(ctypes.get_errno(), "ptrace")


def start(command):
    pid = os.fork()
    if pid:
        os.waitpid(pid, 0)
        ptrace(SETOPTIONS, pid, EXITKILL | TRACESYSGOOD)
        return pid
    ptrace(TRACEME, 0)
    os.execvp(command[0], command)


def main():
    kill_at, stops, deliver = int(sys.argv[1]), 0, 0
    pid = start(sys.argv[2:])
    while True:
        ptrace(SYSCALL, pid, deliver)
        _, status = os.waitpid(pid, 0)
        if not os.WIFSTOPPED(status):
            break
        called = os.WSTOPSIG(status) == signal.SIGTRAP | 0x80
        deliver = 0 if called else os.WSTOPSIG(status)
        stops += called
        if called and stops == kill_at:
            os.kill(pid, signal.SIGKILL)
            _, status = os.waitpid(pid, 0)
            break
    if not kill_at:
        print(stops)
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


if __name__ == "__main__":
    sys.exit(main())
