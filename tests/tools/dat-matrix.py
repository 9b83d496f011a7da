#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds datwalk (the reader in src/file) against files that were written byte by byte.

dat-matrix.py DATWALK [--damage] [--seed N]: per CPU, the records, pages and lost events of each kind of file must be
those that tests/oracle/mkdat.py says it wrote; with --damage, cut and flipped copies must neither crash datwalk nor
cost records that the damage does not touch, and what is not a flip of plain content must be noted.
"""
import argparse
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

ORACLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle")
sys.dont_write_bytecode = True
sys.path.insert(0, ORACLE)
import rawdecode                        # noqa: E402

CPU = re.compile(r"^cpu '(.*)' (\d+) pages=(\d+) records=(\d+) bytes=\d+ lost=(\d+) lost-unknown=(\d+)")
KINDS = ("length", "offset", "id", "count", "pagehdr", "chunk", "header", "event", "text", "other")
MUST_NOTE = ("length", "offset", "id", "count", "chunk", "header")
RECORDS = "400" if os.environ.get("FTR_LONG") == "1" else "200"     # of each CPU of a sound file
results = {"ok": 0, "not ok": 0}


def report(good, name, detail=""):
    results["ok" if good else "not ok"] += 1
    print(("ok - " if good else "not ok - ") + name)
    if not good and detail:
        print("# " + detail)


def walk(datwalk, path):
    done = subprocess.run([datwalk, path], capture_output=True, timeout=120, check=False)
    out = done.stdout.decode("utf-8", "replace")
    found = [CPU.match(line) for line in out.splitlines()]
    cpus = [((f[1], int(f[2])), tuple(int(f[i]) for i in (3, 4, 5, 6))) for f in found if f]
    return done.returncode, cpus, out, done.stderr.decode("utf-8", "replace")


def make(path, *args):
    expect = path + ".json"
    subprocess.run([os.path.join(ORACLE, "mkdat.py"), path, "--expect", expect, *args], check=True,
                   stdout=subprocess.DEVNULL)
    with open(expect, encoding="utf-8") as stream:
        wanted = json.load(stream)
    return {(c["buffer"], c["cpu"]): (c["pages"], c["records"], c["lost"], c["lost_unknown"])
            for c in wanted["cpus"]}


def variants():
    base = ["--records", RECORDS, "--lost", "0.2", "--discards", "0.1", "--absolute", "0.1", "--instances", "foo,bar"]
    for version, endian, long_size, page, compress in itertools.product(
            ("6", "7"), ("le", "be"), ("4", "8"), ("4096", "65536"), ("none", "zlib", "zstd")):
        if version == "6" and compress != "none":
            continue
        yield base + ["--version", version, "--endian", endian, "--long", long_size, "--page-size", page,
                      "--compress", compress]
    yield base + ["--compress", "zlib", "--short-sizes"]
    yield base + ["--compress", "zstd", "--short-sizes", "--empty-cpu", "--unknown-options", "3"]
    yield base + ["--instance-page-size", "16384"]
    yield base + ["--start-ts", str((1 << 59) + 12345), "--discard-delta1", "--lost-behind-stamp"]
    yield base + ["--version", "6", "--empty-cpu", "--short-pages", "0.3"]


def test_sound(datwalk, folder, seed):
    for number, args in enumerate(variants()):
        path = os.path.join(folder, "sound.dat")
        wanted = make(path, "--seed", str(seed + number), *args)
        code, cpus, out, err = walk(datwalk, path)
        wanted = {key: value for key, value in wanted.items() if value[0]}
        cpus = {key: value for key, value in cpus if value[0]}
        report(code == 0 and cpus == wanted, "reads " + " ".join(args[9:] or args),
               "exit %d, %s, wanted %s, got %s %s" % (
                   code, err.strip()[-300:], wanted, cpus,
                   [line for line in out.splitlines() if line.startswith("damage")]))


def silent(copy, name):
    """No redundancy tells these: zstd frames of trace-cmd have no checksum, some options no form of their own; and a
    program with longs of 4 bytes may record a kernel with longs of 8."""
    return copy["region"] == "option_id" or (copy["region"] == "chunk_data" and "zstd" in name) or \
        (copy["region"] == "long_size" and copy.get("new") in (4, 8))


def harmless(copy, records):
    """A size that still covers all records of the last sub-buffer: files with short ones are sound."""
    return copy.get("region") == "cpu_size" and records == copy["records"]


def check_copy(datwalk, folder, copy, name, cut):
    code, cpus, out, err = walk(datwalk, os.path.join(folder, copy["file"]))
    records = sum(value[1] for _, value in cpus)        # damaged names of two buffers may be the same
    where = "%s: %s at 0x%x %s" % (name, copy["kind"], copy["offset"], copy.get("region", copy["where"]))
    problems = []
    if code not in (0, 1, 3) or "Sanitizer" in err or "runtime error" in err:
        problems.append("exit %d: %s" % (code, err[-400:]))
    if code == 0 and not harmless(copy, records) and \
            (cut or (copy["kind"] in MUST_NOTE and not silent(copy, name))):
        problems.append("nothing noted")
    if copy["records_intact"] is not None and records < copy["records_intact"]:
        problems.append("%d records, %d are intact of %d" % (records, copy["records_intact"], copy["records"]))
    if problems:
        report(False, where, "; ".join(problems) + " " + " | ".join(
            line for line in out.splitlines() if line.startswith("damage")) + err[-200:])
    return not problems


def test_damage(datwalk, folder, seed, count):
    sources = [["--compress", c, "--instances", "foo", "--version", v]
               for v, c in (("6", "none"), ("7", "none"), ("7", "zlib"), ("7", "zstd"))]
    for args in sources:
        path = os.path.join(folder, "sound.dat")
        make(path, "--seed", str(seed), "--records", "1500", *args)
        for kind in ("truncate",) + KINDS:
            copies = os.path.join(folder, "copies")
            command = ["truncate"] if kind == "truncate" else ["flip", "--kind", kind]
            command[1:1] = [path, copies, "-n", str(count), "--seed", str(seed)]
            if subprocess.run([os.path.join(ORACLE, "damage.py"), *command], check=False,
                              stdout=subprocess.DEVNULL).returncode:
                continue
            with open(os.path.join(copies, "manifest.json"), encoding="utf-8") as stream:
                manifest = json.load(stream)["copies"]
            name = "v%s %s" % (args[5], args[1])
            good = [check_copy(datwalk, copies, copy, name, kind == "truncate") for copy in manifest]
            report(all(good), "%s %s: %d of %d copies" % (name, kind, sum(good), len(good)))


def changed(trace, region, value):
    """The file with another number in a region: what no flip of one byte reaches for sure."""
    end = region["offset"] + region["length"]
    number = value.to_bytes(region["length"], "little")
    return trace.data[:region["offset"]] + number + trace.data[end:]


def crossed_places(trace):
    """Each CPU's data said to lie a page or three within another one's."""
    regions = [r for r in trace.sorted_regions() if r["kind"] == "cpu_offset"]
    places = [int.from_bytes(trace.data[r["offset"]:r["offset"] + 8], "little") for r in regions]
    for region, own in zip(regions, places):
        for place in places:
            for pages in (0, 1, 3):
                if place + pages * 4096 != own:
                    yield region, place + pages * 4096


def short_formats(trace):
    for region in trace.sorted_regions():
        if region["kind"] == "blob_size" and region["where"].startswith("format "):
            size = int.from_bytes(trace.data[region["offset"]:region["offset"] + 8], "little")
            for less in (1, 4, 9, 17):
                yield region, size - less


def clocks_without_size(trace):
    for region in trace.sorted_regions():
        if region["kind"] == "clock_size":
            yield region, 0


def test_aimed(datwalk, folder, seed):
    """Damage that makes sense elsewhere: seen by what stands beside it, and only what it names is lost."""
    for version, compress in (("6", "none"), ("7", "none"), ("7", "zstd")):
        path = os.path.join(folder, "sound.dat")
        make(path, "--seed", str(seed), "--records", "700", "--compress", compress, "--version", version)
        trace = rawdecode.load(path, keep_regions=True)
        for name, makes in (("places", crossed_places), ("lengths of formats", short_formats),
                            ("sizes of clocks", clocks_without_size)):
            copies = list(makes(trace))
            good = 0
            for number, (region, value) in enumerate(copies):
                copy = {"file": "aimed.dat", "kind": name, "offset": region["offset"], "where": region["where"],
                        "records": trace.totals()["records"],
                        "records_intact": None if makes is short_formats else 2 * 700}
                with open(os.path.join(folder, copy["file"]), "wb") as stream:
                    stream.write(changed(trace, region, value))
                good += check_copy(datwalk, folder, copy, "v%s %s %d" % (version, compress, number), True)
            if copies:
                report(good == len(copies), "v%s %s: %d of %d wrong %s" % (version, compress, good, len(copies), name))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("datwalk")
    parser.add_argument("--damage", action="store_true")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if args.damage:
            test_damage(args.datwalk, folder, args.seed, args.count)
            test_aimed(args.datwalk, folder, args.seed)
        else:
            test_sound(args.datwalk, folder, args.seed)
    print("# %d ok, %d not ok, seed %d" % (results["ok"], results["not ok"], args.seed))
    return 1 if results["not ok"] else 0


if __name__ == "__main__":
    sys.exit(main())
