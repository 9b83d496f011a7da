#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""ftr recover on a full disk, killed at one of its system calls, or on a front with a wrong byte.

in_place.py kills PLACE...: of a.dat, copied to the disk anew for each: recovered up to its N-th stop, read,
recovered again; it must then be as b.dat, whose records rawdecode.py counts. With 0 only the number of stops is
printed. in_place.py flips SEED...: a.dat with one byte that differs, by a seed. Prints what is wrong.
"""
import ctypes
import io
import os
import random
import sys
from contextlib import redirect_stdout

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "oracle")]
import ftr_batch                        # noqa: E402
import rawdecode                        # noqa: E402

DISK, FILE, ROOM = "disk", "disk/a.dat", 128 << 10


def copy_sparse(source, target):
    """A new file with what is not a hole."""
    with open(source, "rb") as old, open(target, "wb") as new:
        size, at = os.fstat(old.fileno()).st_size, 0
        new.truncate(size)
        while at < size:
            try:
                at = os.lseek(old.fileno(), at, os.SEEK_DATA)
            except OSError:
                break
            end = os.lseek(old.fileno(), at, os.SEEK_HOLE)
            os.pwrite(new.fileno(), os.pread(old.fileno(), end - at, at), at)
            at = end


def sync_disk():
    fd = os.open(DISK, os.O_RDONLY)
    ctypes.CDLL(None).syncfs(fd)
    os.close(fd)


def fill(source):
    """The file lies on the disk, which has ROOM besides."""
    for name in os.listdir(DISK):
        if name == "fill" or ".dat" in name:
            os.unlink(os.path.join(DISK, name))
    copy_sparse(source, FILE)
    sync_disk()
    free = os.statvfs(DISK)
    with open(DISK + "/fill", "wb") as stream:
        os.posix_fallocate(stream.fileno(), 0, free.f_bavail * free.f_frsize - ROOM)
    sync_disk()


def summary(path):
    """What rawdecode.py prints of a file, as its lines for the shell."""
    out = io.StringIO()
    with redirect_stdout(out):
        rawdecode.print_summary(rawdecode.load(path))
    return out.getvalue()


def is_whole(batch, wanted):
    return summary(FILE) == wanted and batch.run("info", FILE).status == 0


class Kills:
    def __init__(self, batch):
        self.batch = batch
        self.wanted, self.lines = summary("b.dat"), batch.run("report", "b.dat").out.count(b"\n")
        self.finished = self.wrong = 0

    def fail(self, at, what, detail):
        print("stop %d: %s" % (at, what), *detail.splitlines()[:20], sep="\n")
        self.wrong += 1

    def one(self, at):
        fill("a.dat")
        self.batch.run("recover", FILE, stop=at)
        for name in os.listdir(DISK):
            if name.startswith("a.dat.part-"):
                os.unlink(os.path.join(DISK, name))
        found = self.batch.run("report", FILE)
        if found.out.count(b"\n") != self.lines:
            self.fail(at, "the file is read", found.err)
        again = self.batch.run("recover", FILE)
        if "is complete: nothing to recover" in again.err:
            self.finished += 1
        elif again.status:
            self.fail(at, "recovered again", again.err)
        if not is_whole(self.batch, self.wanted):
            self.fail(at, "whole", summary(FILE))


def count_stops(batch):
    fill("a.dat")
    done = batch.run("recover", FILE, stop=0)
    print(done.stops, "is finished in its place" in done.err)


def kills(places):
    # leaks are not looked for under ptrace()
    options = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    with ftr_batch.Batch(ASAN_OPTIONS=options) as batch:
        if places == [0]:
            count_stops(batch)
            return 0
        run = Kills(batch)
        for at in places:
            run.one(at)
        print("finished", run.finished)
        return run.wrong > 0


def flip(seed):
    rng = random.Random(seed)
    with open(FILE, "r+b") as stream:
        at = rng.randrange(20, rng.choice((80, 400, 6000)))
        stream.seek(at)
        byte = stream.read(1)[0]
        stream.seek(at)
        stream.write(bytes([rng.choice((byte ^ 1 << rng.randrange(8), 255, 0))]))
    return at, byte


def flips(seeds):
    bad = 0
    with ftr_batch.Batch() as batch:
        for seed in seeds:
            fill("a.dat")
            at = flip(seed)
            done = batch.run("recover", FILE)
            if done.status not in (0, 1, 3):
                print("byte %d, %d, seed %d: status %d\n%s" % (*at, seed, done.status, done.err[:2000]))
                bad = 1
    return bad


if __name__ == "__main__":
    sys.exit({"kills": kills, "flips": flips}[sys.argv[1]]([int(word) for word in sys.argv[2:]]))
