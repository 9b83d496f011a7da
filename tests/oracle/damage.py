#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Make damaged copies of a trace.dat: cut at chosen places, or with one byte flipped.

damage.py truncate FILE OUTDIR [-n 50]
damage.py flip FILE OUTDIR --kind KIND [-n N] [--seed S]

KIND: length offset id count pagehdr chunk header event text other.  "other" is every byte that no
reader needs to find its way: texts, option payloads, record payloads, slack.  A flip in "event"
(event headers) changes the records behind it in the same page.

OUTDIR/manifest.json lists per copy: file, kind, offset, old and new byte (flip), region, where,
records (of the undamaged file) and records_intact: how many of them lie in pages or chunks that
the damage does not touch (null where a flip may hide everything).
"""
import argparse
import json
import os
import random
import sys

sys.dont_write_bytecode = True
import rawdecode                        # noqa: E402

KINDS = ("length", "offset", "id", "count", "pagehdr", "chunk", "header", "event", "text", "other")


def holes(trace, regions):
    """Byte ranges that no region claims: record payloads, padding, slack between sections."""
    pages = sorted((start, end, where) for start, end, _, where in trace.pages)
    position, out = 0, []
    for region in regions + [{"offset": len(trace.data), "length": 0}]:
        if region["offset"] > position:
            inside = any(start <= position < end for start, end, _ in pages)
            out.append({"offset": position, "length": region["offset"] - position,
                        "kind": "page_data" if inside else "gap", "class": "other",
                        "where": next((where for start, end, where in pages
                                       if start <= position < end), "")})
        position = max(position, region["offset"] + region["length"])
    return out


def spread(regions, count, rng):
    """Regions picked in turn from every kind of them, so that rare kinds are hit too."""
    pools = {}
    for region in regions:
        pools.setdefault(region["kind"], []).append(region)
    order = sorted(pools)
    out = []
    for index in range(count):
        if not order:
            break
        out.append(rng.choice(pools[order[index % len(order)]]))
    return out


def records_of_cpu(trace, where):
    return sum(count for _, _, count, place in trace.pages
               if place == where or place.startswith(where + " "))


def intact_after_flip(trace, region, offset):
    total = trace.totals()["records"]
    if region["class"] in ("other", "text"):
        return total - (0 if region["kind"] != "page_data" else 1)
    if region["kind"] in ("chunk_count", "cpu_offset", "cpu_size", "cpu_id"):
        where = region["where"]
        return total - records_of_cpu(trace, where) if where.startswith("buffer ") else None
    if region["kind"] == "chunk_csize" and region["where"].startswith("buffer "):
        # the chunks behind it can no longer be found either
        return total - sum(count for _, end, count, place in trace.pages
                           if end > offset and place.startswith(region["where"] + " "))
    if region["class"] in ("pagehdr", "event") or \
            (region["class"] == "chunk" and region["where"].startswith("buffer ")):
        return trace.records_outside(offset)
    return None


def write_copy(outdir, name, data):
    with open(os.path.join(outdir, name), "wb") as stream:
        stream.write(data)


def flip(trace, args):
    rng = random.Random(args.seed)
    regions = trace.sorted_regions()
    if args.kind == "other":
        pool = [r for r in regions if r["class"] in ("other", "text")] + holes(trace, regions)
    else:
        pool = [r for r in regions if r["class"] == args.kind]
    manifest, used = [], set()
    for region in spread(pool, args.n * 4, rng):
        offset = region["offset"] + rng.randrange(region["length"])
        if offset in used:
            continue
        used.add(offset)
        old = trace.data[offset]
        new = old ^ rng.randrange(1, 256)
        name = "flip-%s-%03d.dat" % (args.kind, len(manifest))
        write_copy(args.outdir, name, trace.data[:offset] + bytes([new]) + trace.data[offset + 1:])
        manifest.append({"file": name, "kind": args.kind, "offset": offset, "old": old, "new": new,
                         "start": region["offset"],
                         "region": region["kind"], "where": region["where"],
                         "records": trace.totals()["records"],
                         "records_intact": intact_after_flip(trace, region, offset)})
        if len(manifest) == args.n:
            break
    return manifest


def cut_places(trace, regions, count, rng):
    """Half of the places spread evenly, the others at and beside the starts of structures."""
    size = len(trace.data)
    even = count - count // 2
    places = {size * index // even: "evenly spread" for index in range(even)}
    for region in spread(regions, count * 8, rng):
        place = region["offset"] + rng.choice((0, 0, 1, -1, region["length"] // 2))
        if len(places) >= count:
            break
        if 0 <= place < size:
            places.setdefault(place, "%s %s" % (region["kind"], region["where"]))
    return sorted(places.items())


def truncate(trace, args):
    rng = random.Random(args.seed)
    regions = [r for r in trace.sorted_regions() if r["class"] != "event"]
    manifest = []
    for place, where in cut_places(trace, regions, args.n, rng):
        name = "cut-%03d.dat" % len(manifest)
        write_copy(args.outdir, name, trace.data[:place])
        manifest.append({"file": name, "kind": "truncate", "offset": place, "where": where.strip(),
                         "size_before": len(trace.data), "records": trace.totals()["records"],
                         "records_intact": trace.records_below(place)})
    return manifest


def main():
    parser = argparse.ArgumentParser(description="make damaged copies of a trace.dat")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, count in (("truncate", 50), ("flip", 20)):
        command = commands.add_parser(name)
        command.add_argument("file")
        command.add_argument("outdir")
        command.add_argument("-n", type=int, default=count)
        command.add_argument("--seed", type=int, default=1)
        if name == "flip":
            command.add_argument("--kind", choices=KINDS, required=True)
    args = parser.parse_args()
    try:
        trace = rawdecode.load(args.file, keep_regions=True)
        os.makedirs(args.outdir, exist_ok=True)
    except OSError as error:
        print("damage: %s" % error, file=sys.stderr)
        return 1
    if trace.problems:
        print("damage: '%s' is damaged already: %s" % (args.file, trace.problems[0][1]),
              file=sys.stderr)
        return 1
    manifest = (flip if args.command == "flip" else truncate)(trace, args)
    with open(os.path.join(args.outdir, "manifest.json"), "w", encoding="utf-8") as stream:
        json.dump({"source": args.file, "seed": args.seed, "copies": manifest}, stream, indent=1)
    print("%d copies" % len(manifest))
    return 0 if manifest else 1


if __name__ == "__main__":
    sys.exit(main())
