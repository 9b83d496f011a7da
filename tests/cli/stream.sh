#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Streams, as ftr record -o - writes them: read to where they were cut, finished by ftr recover.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1
export PYTHONPATH=$FTR_TOP/tests/tools PYTHONDONTWRITEBYTECODE=1
SPOOL="python3 $ORACLE/mkspool.py"
export FTR_TRACEFS=$TMP/none

# agree NAME OPTION...: a stream has the records of the finished file, before and after ftr recover
agree() {
	local name=$1
	shift
	$SPOOL a.dat --like b.dat "$@" || { fail "$name: made"; return; }
	same "$name" "$(dat_cpus b.dat)" "$(dat_cpus a.dat)"
	same "$name: nothing is missing" "" "$(dat_damage a.dat)"
	case "$*" in
	*be*) return ;;
	esac
	"$FTR" report b.dat > wanted 2> /dev/null
	"$FTR" recover -q a.dat 2> err
	same "$name: ftr recover: status and words" "0 " "$? $(cat err)"
	same "$name: ftr recover: the same records" "$(records b.dat)" "$(records a.dat)"
	"$FTR" report a.dat > got 2> /dev/null
	same_files "$name: ftr recover: the same text" wanted got
	has "$name: ftr recover: checksums" "$("$FTR" info a.dat)" '^checksums: +[0-9]+ ranges, all correct'
}

agree "chunks of one sub-buffer" --instances foo,bar --stream 1
agree "chunks of 3" --instances foo --stream 3
agree "all in one chunk a CPU" --stream 1000
agree "an empty CPU" --empty-cpu --stream 2
agree "sub-buffers of 16 KiB in instances" --instances foo --instance-page-size 16384 --stream 2
agree "big endian, 4-byte long, sub-buffers of 64 KiB" --endian be --long 4 --page-size 65536 --stream 2
if command -v trace-cmd > /dev/null; then
	$SPOOL a.dat --like b.dat --stream 2 --instances foo
	"$FTR" recover -q a.dat
	trace-cmd report b.dat 2> /dev/null > wanted
	trace-cmd report a.dat 2> /dev/null > got
	check "trace-cmd reads it: $(wc -l < got) lines" test "$(wc -l < got)" -gt 2000
	same_files "trace-cmd: the same lines" wanted got
else
	skip "trace-cmd reads it" "no trace-cmd"
fi

# --- what ftr says

$SPOOL a.dat --stream 2 --text tracer=nop
"$FTR" report a.dat > all 2> err
same "report of a whole stream: status and words" "0 " "$? $(cat err)"
OUT=$("$FTR" info a.dat 2> err)
same "info of a whole stream: status and words" "0 " "$? $(cat err)"
has "info: state" "$OUT" '^state: +a stream, to its end'
has "info: session" "$OUT" 'tracer=nop'
$SPOOL a.dat --stream 2 --endless
"$FTR" report a.dat > got 2> err
same "without its end: status" 3 $?
same_files "without its end: the same text" all got
same "without its end: words" "ftr: damaged: 'a.dat': the recording was not finished
hint: 'ftr recover a.dat' finishes it" "$(cat err)"
has "without its end: state" "$("$FTR" info a.dat 2> /dev/null)" '^state: +a stream, cut off'
$SPOOL a.dat --stream 2
echo more >> a.dat
OUT=$("$FTR" report a.dat 2>&1 > /dev/null)
has "bytes behind the end" "$OUT" "damaged: 'a.dat': bytes after the end of the stream at offset 0x[0-9a-f]+, 5 bytes"

# --- cut copies, wrong bytes

cat > cut.py <<'END'
"""Runs datwalk on copies that are cut or have wrong bytes: no crash, and never more than was there."""
import os, random, sys
import ftr_batch
kind, path, seed = sys.argv[1:4]
rng = random.Random(int(seed))
batch = ftr_batch.Batch()
data = open(path, "rb").read()
long_run = os.environ.get("FTR_LONG") == "1"
bad = []

def try_it(what, copy):
    with open("x.dat", "wb") as f:
        f.write(copy)
    done = batch.run("x.dat", **{"as": "datwalk"})
    if done.status not in (0, 1, 3) or "Sanitizer" in done.err or "runtime error" in done.err:
        bad.append("%s: exit %d %s" % (what, done.status, done.err[-300:]))
    out = done.out.decode("utf-8", "replace")
    return sum(int(w.split("=")[1]) for w in out.split() if w.startswith("pages=")), out

if kind == "cut":
    # every byte of the sections' headers and of some more; all of them in a long run
    places = range(1, len(data)) if long_run else \
        sorted(rng.sample(range(1, len(data)), 150) + list(range(len(data) - 40, len(data))) + list(range(1, 60)))
    last = 0
    for place in places:
        pages, out = try_it("cut at %d" % place, data[:place])
        if pages < last:
            bad.append("cut at %d: %d sub-buffers, fewer than before" % (place, pages))
        if place > 40000 and "not finished" not in out:
            bad.append("cut at %d: not named" % place)
        last = pages
else:
    marks = [i for i in range(len(data) - 24)
             if data[i:i + 2] in (b"\x03\xf7", b"\x04\xf7", b"\x05\xf7") and not any(data[i + 2:i + 8])]
    for mark in marks:
        for at in range(mark, min(mark + 64, len(data))):
            if long_run or rng.random() < 0.2:
                flip = rng.choice((0xff, 1 << rng.randrange(8)))
                try_it("byte at %d ^ %d" % (at, flip), data[:at] + bytes([data[at] ^ flip]) + data[at + 1:])
batch.close()
print("\n".join(bad[:10]))
sys.exit(bool(bad))
END
$SPOOL small.dat --stream 2 --records 40 --cpus 2
check "cut copies" python3 cut.py cut small.dat "$FTR_SEED"
check "wrong bytes" python3 cut.py flip small.dat "$FTR_SEED"
# a chunk of a CPU that there is not, and one that is no whole sub-buffers
python3 - <<'END'
data = bytearray(open("small.dat", "rb").read())
at = data.index(b"\x04\xf7\0\0")
chunk = bytes(data[at:at + 24 + 512])
wrong = chunk[:8] + (8 + 512).to_bytes(8, "little") + (7).to_bytes(4, "little") + chunk[20:]
open("x.dat", "wb").write(data[:at] + wrong + data[at:])
END
has "a chunk of no CPU" "$(dat_damage x.dat)" "section FTR_CHUNK damaged.* it belongs to no CPU"
$SPOOL a.dat --stream 2 --records 400
truncate -s 60000 a.dat
"$FTR" recover a.dat 2> err
same "a cut stream: status of ftr recover" 0 $?
has "a cut stream: words" "$(cat err)" "without .*statistics"
has "a cut stream: checksums" "$("$FTR" info a.dat)" '^checksums: +[0-9]+ ranges, all correct'

# --- usage

if command -v script > /dev/null; then
	OUT=$(script -qec "$FTR record -e sched -o - -- true" /dev/null < /dev/null | tr -d '\r' |
		sed -E 's/\x1b\[[0-9;]*m//g')
	has "-o - on a terminal: words" "$OUT" "ftr: -o - writes a trace file to standard output, which is a terminal"
	has "-o - on a terminal: hint" "$OUT" "hint: .*ssh HOST"
else
	skip "-o - on a terminal" "no script"
fi
finish
