#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes a small BTF file by hand: the functions and structures that ftr-probe(1) names, with the
offsets that they have in Debian's Linux 6.1. mkbtf.py FILE"""
import struct, sys

strings, types = b'\0', []


def name(s):
    global strings
    if not s:
        return 0
    at = len(strings)
    strings += s.encode() + b'\0'
    return at


def add(kind, nm, vlen, size, rest=b'', kflag=0):
    types.append(struct.pack('<III', name(nm), kflag << 31 | kind << 24 | vlen, size) + rest)
    return len(types)


def integer(nm, size, signed):
    return add(1, nm, 0, size, struct.pack('<I', signed << 24 | size * 8))


def pointer(to):
    return add(2, '', 0, to)


def array(of, n, index):
    return add(3, '', 0, 0, struct.pack('<III', of, index, n))


def structure(nm, size, members, kflag=0, kind=4):
    """members: (name, type, byte offset) or (name, type, bit offset, bits)"""
    rest = b''
    for m in members:
        off = m[2] | m[3] << 24 if len(m) == 4 else m[2] * 8
        rest += struct.pack('<III', name(m[0]), m[1], off)
    return add(kind, nm, len(members), size, rest, kflag)


def function(nm, ret, params):
    proto = add(13, '', len(params), ret, b''.join(struct.pack('<II', name(n), t) for n, t in params))
    return add(12, nm, 1, proto)


char, uchar = integer('char', 1, 1), integer('unsigned char', 1, 0)
s32, u32 = integer('int', 4, 1), integer('unsigned int', 4, 0)
s64, u64 = integer('long int', 8, 1), integer('long unsigned int', 8, 0)
size_t, ssize_t, pid_t = add(8, 'size_t', 0, u64), add(8, 'ssize_t', 0, s64), add(8, 'pid_t', 0, s32)
str_t, ustr_t = pointer(add(10, '', 0, char)), pointer(add(10, '', 0, uchar))
common = structure('sock_common', 136, [('skc_family', u32, 16), ('skc_state', add(9, '', 0, uchar), 18)])
sock = structure('sock', 760, [('__sk_common', common, 0)])
hidden = structure('', 8, [('hash', u32, 0), ('len', u32, 4)])
either = structure('', 8, [('', hidden, 0), ('hash_len', u64, 0)], kind=5)
qstr = structure('qstr', 16, [('', either, 0), ('name', ustr_t, 8)])
dentry = structure('dentry', 192, [('d_flags', u32, 0), ('d_name', qstr, 32)])
path = structure('path', 16, [('mnt', pointer(0), 0), ('dentry', pointer(dentry), 8)])
file_t = structure('file', 232, [('f_path', path, 16), ('f_mode', u32, 68)])
how = structure('open_how', 24, [('flags', u64, 0), ('mode', u64, 8)])
mask = structure('cpumask', 1024, [('bits', array(u64, 128, u32), 0)])
task = structure('task_struct', 9536, [
    ('cpus_mask', mask, 1000 * 8, 0), ('sched_remote_wakeup', u32, 2344 * 8, 1),
    ('in_execve', u32, 2344 * 8 + 2, 1), ('pid', pid_t, 2416 * 8, 0),
    ('comm', array(char, 16, u32), 2976 * 8, 0)], kflag=1)
function('tcp_sendmsg', s32, [('sk', pointer(sock)), ('msg', pointer(0)), ('size', size_t)])
function('vfs_read', ssize_t, [('file', pointer(file_t)), ('buf', pointer(char)), ('count', size_t),
                               ('pos', pointer(s64))])
function('do_sys_openat2', s64, [('dfd', s32), ('filename', str_t), ('how', pointer(how))])
function('wake_up_new_task', 0, [('p', pointer(task))])
function('seven', s32, [(c, s32) for c in 'abcdefg'])
function('by_value', s32, [('whole', how), ('after', s32)])
body = b''.join(types)
open(sys.argv[1], 'wb').write(struct.pack('<HBBIIIII', 0xeb9f, 1, 0, 24, 0, len(body), len(body),
                                          len(strings)) + body + strings)
