#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Sends commands of all kinds to an NVMe device, in vain: nvme-commands.py CONTROLLER NAMESPACE SEED

The device refuses them, which is enough for nvme_setup_cmd. What is given is beyond what there is: queues, blocks, a
namespace to format. Numbers are by chance.
"""
import ctypes, fcntl, os, random, struct, sys

ID, ADMIN, IO = 0x4e40, 0xc0484e41, 0xc0484e43
FABRICS = 0x7f
PAGE = ctypes.create_string_buffer(8192)
AT = (ctypes.addressof(PAGE) + 4095) // 4096 * 4096


def send(fd, kind, opcode, nsid, cdw):
    data = 4096 if opcode & 3 else 0
    arg = struct.pack('<BBHIIIQQII6III', opcode, 0, 0, nsid, 0, 0, 0, AT if data else 0, 0, data, *cdw, 1000, 0)
    try:
        fcntl.ioctl(fd, kind, bytearray(arg))
    except OSError:
        pass


def main():
    controller, namespace = (os.open(p, os.O_RDWR) for p in sys.argv[1:3])
    nsid = fcntl.ioctl(namespace, ID)
    random.seed(int(sys.argv[3]))
    for _ in range(25):
        word = [random.getrandbits(32) for _ in range(6)]
        for opcode in (0x00, 0x01, 0x04, 0x05, 0x08, 0x09, 0x0a, 0x80, 0x86, 0xc1):
            send(controller, ADMIN, opcode, 77, [word[0] | 0x4000] + word[1:])
        send(controller, ADMIN, 0x06, 77, [0x10 + random.getrandbits(3)] + word[1:])
        for fctype in (0, 1, 4, 5, 6, 8):
            send(controller, ADMIN, FABRICS, fctype, word)
        for opcode in (0x01, 0x04, 0x05, 0x08, 0x0c, 0x7d):
            send(namespace, IO, opcode, nsid, [word[0], 0xffffffff] + word[2:])
        send(namespace, IO, 0x09, nsid, [0] + word[1:])
        for opcode in (0x0d, 0x11, 0x15):
            send(namespace, IO, opcode, nsid,
                 [random.getrandbits(5) | random.getrandbits(3) << 8 | word[2] & 3 << 30] + word[1:])
        send(namespace, IO, 0x0e, nsid, [1023, word[1]] + word[2:])
        for opcode in (0x79, 0x7a):
            send(namespace, IO, opcode, nsid,
                 [word[0], word[1], 1023, random.getrandbits(5) | random.getrandbits(4) << 8] + word[4:])


main()
