#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""ftr report of damaged copies, in one process: damaged.py SEED FLIPS FILE...

Of each file 50 copies that are cut, and FLIPS with a byte that differs in each kind of place (tests/oracle/damage.py),
are judged as 'report-check.py damage' judges them. Prints "ok - ..." and "not ok - ...".
"""
import argparse
import importlib
import os
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "oracle")]
import damage                           # noqa: E402
import ftr_batch                        # noqa: E402
import rawdecode                        # noqa: E402
judge = importlib.import_module("report-check")


def say(name, bad):
    print(("not ok - " if bad else "ok - ") + name)
    for text in bad[:40]:
        print("# " + text.replace("\n", "\n# "))
    return bool(bad)


def judged(path, manifest, folder, original):
    out = []
    for entry in manifest:
        copy = os.path.join(folder, entry["file"])
        out += judge.check_copy(entry, copy, original)
        os.unlink(copy)
    return out


def copies_of(path, seed, flips, folder):
    trace = rawdecode.load(path, keep_regions=True)
    options = argparse.Namespace(outdir=folder, seed=seed, n=50)
    yield "cut at 50 places", damage.truncate(trace, options) if not trace.problems else []
    for kind in damage.KINDS:
        options = argparse.Namespace(outdir=folder, seed=seed, n=flips, kind=kind)
        manifest = damage.flip(trace, options)
        if manifest:                    # this file may have none of that kind
            yield "flips of kind " + kind, manifest


def main():
    seed, flips, bad = int(sys.argv[1]), int(sys.argv[2]), False
    with ftr_batch.Batch() as batch, tempfile.TemporaryDirectory(dir=os.path.dirname(sys.argv[3])) as folder:
        def run(_, *argv, timeout=300):
            done = batch.run(*argv, seconds=timeout)
            return done.status, done.out.decode("utf-8", "surrogateescape"), done.err

        judge.run = run
        for path in sys.argv[3:]:
            name = os.path.basename(path)[:-len(".dat")]
            original = judge.record_keys(run(None, "report", "--raw", "-t", path)[1])
            for what, manifest in copies_of(path, seed, flips, folder):
                wrong = judged(path, manifest, folder, original) if manifest else ["the manifest is empty"]
                bad |= say("%s: %s" % (name, what), wrong)
    return bad


if __name__ == "__main__":
    sys.exit(main())
