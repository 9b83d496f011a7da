#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""cut_proxy.py LISTEN TARGET CUTS SPREAD [SEED]: a TCP connection to 127.0.0.1:LISTEN goes on to 127.0.0.1:TARGET.

The first CUTS connections are cut after a random number of bytes up to SPREAD, now and then by a reset; later ones are
left alone. Prints "listening", then the number of connections so far each time one is made.
"""
import random
import select
import socket
import struct
import sys


def carry(near, far, limit):
    """Until one side ends, or @limit bytes came from @near."""
    while True:
        for sock in select.select([near, far], [], [])[0]:
            data = sock.recv(65536)
            if not data:
                return
            if sock is far:
                near.sendall(data)
                continue
            if limit is not None and len(data) >= limit:
                far.sendall(data[:limit])
                return
            limit = None if limit is None else limit - len(data)
            far.sendall(data)


def main():
    here, target, cuts, spread = map(int, sys.argv[1:5])
    rng = random.Random(sys.argv[5] if len(sys.argv) > 5 else None)
    server = socket.create_server(("127.0.0.1", here))
    print("listening", flush=True)
    count = 0
    while True:
        near = server.accept()[0]
        count += 1
        print(count, flush=True)
        try:
            far = socket.create_connection(("127.0.0.1", target))
            carry(near, far, rng.randrange(1, spread) if count <= cuts else None)
            if rng.random() < 0.3:
                for sock in (near, far):
                    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            far.close()
        except OSError:
            pass
        near.close()


if __name__ == "__main__":
    main()
