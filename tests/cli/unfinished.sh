#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Files as they are while ftr records into them, and as they are left: read up to the last sub-buffer, damage is named.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1
export PYTHONPATH=$FTR_TOP/tests/tools PYTHONDONTWRITEBYTECODE=1
SPOOL="python3 $ORACLE/mkspool.py"

# agree NAME OPTION...: an unfinished file has the records of the finished one
agree() {
	local name=$1
	shift
	rm -f a.dat
	$SPOOL a.dat --like b.dat "$@" || { fail "$name: made"; return; }
	same "$name" "$(dat_cpus b.dat)" "$(dat_cpus a.dat)"
	[ "${NOTES:-1}" = "$(dat_damage a.dat | wc -l)" ] || fail "$name: one note" "$(dat_damage a.dat)"
}

agree "open" --instances foo,bar
agree "open, zeroes behind the data" --instances foo --zeros 5
agree "open, an empty CPU" --empty-cpu
agree "open, regions of 1 TiB" --stride $((1 << 40)) --cpus 6 --records 50
agree "open, big endian, 4-byte long, sub-buffers of 64 KiB" --endian be --long 4 --page-size 65536 --zeros 16
agree "open, sub-buffers of 16 KiB in instances" --instances foo --instance-page-size 16384 --zeros 4
agree "sealed, sub-buffers of 16 KiB in instances" --instances foo --instance-page-size 16384 --sealed 4
for steps in 0 1 2 3 4 5 6; do
	agree "sealed, $steps of 6 steps of joining done" --instances foo --sealed $steps
done
agree "sealed, big endian" --endian be --long 4 --sealed 2
agree "open, the oldest was dropped" --hole :0:0:3 --hole :1:0:1 --text keep_bytes=16384
NOTES=2 agree "open, a section that is torn" --torn
has "a section that is torn: named" "$(dat_damage a.dat)" "section was not written to its end.*section 'kallsyms'"
agree "open, formats twice" --twice
has "the last formats count" "$("$FTR" info --quick a.dat 2> /dev/null)" '^formats: +9 events'

# --- what ftr says

$SPOOL a.dat --like b.dat --stride $((1 << 30)) --cpus 3 --records 50
has "holes do not count as size" "$("$FTR" info a.dat 2> /dev/null | head -n 1)" \
	"^file: +a.dat, [0-9.]+ GiB \\([0-9]+ bytes\\), takes $(du -k a.dat | cut -f 1) KiB of the disk\$"

$SPOOL a.dat --like b.dat --sealed 3 --tail --text uname='Linux here 6.12.0-test x86_64' --text tracer=nop
timeout 60 "$FTR" report b.dat 2> err | grep -v bprint > wanted
timeout 60 "$FTR" report a.dat 2> err > got
same "report: status" 3 $?
same_files "report: the same text" wanted <(grep -v bprint got)
same "report: words" "ftr: damaged: 'a.dat': the recording was not finished; missing: trace_printk formats, statistics
hint: 'ftr recover a.dat' finishes it" "$(cat err)"
OUT=$("$FTR" info a.dat 2> err)
same "info: status" 3 $?
has "info: state" "$OUT" '^state: +not finished'
has "info: session" "$OUT" '^session: +uname=Linux here'
has "info: kernel" "$OUT" '^kernel: +Linux here 6.12.0-test x86_64$'
has "info: sizes" "$OUT" '^ +CPU 0: .* KiB'
$SPOOL a.dat --symbols
"$FTR" report a.dat 2> err > /dev/null
has "report: what is missing" "$(cat err)" \
	'the recording was not finished; missing: task names, trace_printk formats, statistics$'

# --- holes: pages that a power cut kept from the disk

for how in "" "--sealed 0" "--sealed 1" "--sealed 3"; do
	NOTES=2 agree "a hole in the data ${how:-open}" --records 2000 --hole :1:3:2 --lost 0 $how
	has "a hole is named ${how:-open}" "$(dat_damage a.dat)" \
		"sub-buffers were never written at offset 0x[0-9a-f]+ \(CPU 1\), 8192 bytes of zeroes$"
done
OUT=$("$FTR" report a.dat 2> /dev/null | grep -c 'EVENTS DROPPED')
same "a hole counts as lost events" 1 "$OUT"
# zeroes that take room on the disk are told one by one
cp --sparse=never b.dat c.dat
python3 - a.dat <<'END'
import sys
f = open(sys.argv[1], "r+b")
data = f.read(1 << 22)
at = data.find(b"\0" * 8192)
while at >= 0 and (at % 4096 or not any(data[at + 8192:at + 12288])):
    at = data.find(b"\0" * 8192, at + 1)
f.seek(at)
f.write(b"\0" * 8192)
END
has "zeroes on the disk are named" "$(dat_damage a.dat)" "sub-buffers were never written"
# a hole as large as a region
$SPOOL a.dat --records 50 --lost 0 --stride $((1 << 40))
python3 - a.dat <<'END'
import sys
f = open(sys.argv[1], "r+b")
f.seek(16 << 20)
page = f.read(4096)
f.seek((16 << 20) + (900 << 30))
f.write(page)
END
START=$SECONDS
has "a hole of 900 GiB is stepped over" "$(dat_damage a.dat)" \
	"never written at offset 0x100[0-9a-f]+ \(CPU 0\), 9663676[0-9]+ bytes"
"$FTR" info a.dat > /dev/null 2>&1
check "nothing is read through a hole: $((SECONDS - START)) s" test $((SECONDS - START)) -lt 20

# --- cut copies, wrong bytes

cat > cut.py <<'END'
"""Runs datwalk on copies that are cut or have wrong bytes: named damage and never a crash."""
import os, random, subprocess, sys
import ftr_batch
kind, path, seed = sys.argv[1:4]
share = 1 if os.environ.get("FTR_LONG") == "1" else 0.2
rng = random.Random(int(seed))
batch = ftr_batch.Batch()
size = os.path.getsize(path)
data = open(path, "rb").read(1 << 16)
spool = data.index(b"\x03\xf7\0\0")
bad = []

def try_it(what):
    done = batch.run("x.dat", **{"as": "datwalk"})
    if done.status not in (1, 3) or "Sanitizer" in done.err or "runtime error" in done.err:
        bad.append("%s: exit %d %s" % (what, done.status, done.err[-300:]))
    return done.out.decode("utf-8", "replace")

subprocess.run(["cp", "--sparse=always", path, "x.dat"], check=True)
n = 0
if kind == "cut":
    places = sorted({rng.randrange(1, size) for _ in range(20)} | {rng.randrange(1, 20000) for _ in range(20)} |
                    {size - 1, size - 4096, size - 4097, size - 20000}, reverse=True)
    for place in places:
        os.truncate("x.dat", place)
        out = try_it("cut at %d" % place)
        n += 1
        if place > 1 << 20 and "sealed" in path and "cut off" not in out:
            bad.append("cut at %d: not named" % place)
else:
    with open("x.dat", "r+b") as f:
        for at in range(spool, spool + 16 + int.from_bytes(data[spool + 8:spool + 16], "little")):
            flip = rng.choice((0xff, 1 << rng.randrange(8)))
            if rng.random() > share:
                continue
            f.seek(at)
            f.write(bytes([data[at] ^ flip]))
            f.flush()
            try_it("byte at %d ^ %d" % (at, flip))
            n += 1
            f.seek(at)
            f.write(data[at:at + 1])
print("%d copies" % n)
batch.close()
print("\n".join(bad[:10]))
sys.exit(bool(bad))
END
$SPOOL open.dat --instances foo --stride $((1 << 30))
$SPOOL sealed-2.dat --instances foo --stride $((1 << 30)) --sealed 2
$SPOOL sealed-6.dat --instances foo --stride $((1 << 30)) --sealed 6
for f in open sealed-2 sealed-6; do
	check "cut copies: $f" python3 cut.py cut $f.dat "$FTR_SEED"
	[ $f = sealed-6 ] || check "wrong bytes in section FTR_SPOOL: $f" python3 cut.py flip $f.dat "$FTR_SEED"
done
cp --sparse=always sealed-2.dat x.dat
truncate -s -4096 x.dat
OUT=$(dat_cpus x.dat)
same "cut by one sub-buffer: the other CPUs are whole" "$(dat_cpus sealed-2.dat | head -n 5)" "$(head -n 5 <<< "$OUT")"
has "cut by one sub-buffer: named" "$(dat_damage x.dat)" \
	"CPU data is cut off at offset 0x[0-9a-f]+ \(CPU 2\), [0-9]+ of [0-9]+ bytes are there"

# regions one over another
python3 - open.dat <<'END'
import struct, sys
f = open(sys.argv[1], "r+b")
data = f.read(1 << 16)
first = struct.pack("<QQ", 16 << 20, (1 << 30) - (1 << 16))
second = struct.pack("<QQ", (16 << 20) + (1 << 30), (1 << 30) - (1 << 16))
at = data.index(second)
assert data.index(first) == at - 32
f.seek(at)
f.write(first)
END
"$FTR" report open.dat > out 2> err
same "regions overlap: status" 3 $?
has "regions overlap: named" "$(cat err)" \
	"section FTR_SPOOL damaged at offset 0x[0-9a-f]+, it has the offsets of the data"

# a file that is cut short while it is read, as when its recorder finishes it
$SPOOL a.dat --records 30000 --cpus 1 --lost 0
{ "$FTR" report -j 1 a.dat 2> err; echo "status $?" >> err; } | { read -r _; truncate -s 100 a.dat; cat > /dev/null; }
has "cut short while it is read: words" "$(cat err)" "ftr: a file was cut short while it was read"
has "cut short while it is read: status" "$(cat err)" "^status 3$"
finish
