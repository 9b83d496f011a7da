#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr info --json: one object with what the lines say, as a decoder of its own reads it in the file;
# hostile texts, damaged files.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
cd "$TMP" || exit 1

# as_decoder NAME FILE
as_decoder() {
	"$FTR" info --json "$2" > said 2> err
	python3 "$ORACLE/rawdecode.py" --json "$2" > want 2> err
	check "$1: as the decoder" python3 - << 'P'
import json
said, want = json.load(open("said", encoding="ascii")), json.load(open("want"))
form = {"version": "version", "endian": "endian", "page_bytes": "page_size", "compression": "compression"}
assert {said_so: want[name] for said_so, name in form.items()}.items() <= said["format"].items(), said["format"]
assert sum(o["count"] for o in said["options"]) == len([o for o in want["options"] if o["id"] != 0]), said["options"]
assert said["formats"] == want["formats"], said["formats"]
events = {}
for mine, theirs in zip(said["buffers"], want["buffers"], strict=True):
    assert mine["name"] == theirs["name"] and mine["subbuf_bytes"] == theirs["page_size"]
    mine_cpus = {c["cpu"]: (c["events"], c["lost"], c["lost_unknown"]) for c in mine["cpus"] if c["bytes"]}
    assert mine_cpus == {c["cpu"]: (c["records"], c["lost"], c["lost_unknown"] > 0)
                         for c in theirs["cpus"] if c["size"]}, mine_cpus
    assert mine["events"] == sum(c["records"] for c in theirs["cpus"])
    assert mine["lost"] == sum(c["lost"] for c in theirs["cpus"])
    assert mine["first_ts"] == min((c["first_ts"] for c in theirs["cpus"] if c["records"]), default=None)
    for one in mine["by_event"]:
        name = one["event"] or "unknown"
        events[name] = events.get(name, 0) + one["count"]
assert events == want["events"], events
P
}

# as_lines NAME FILE: the lines of the same
as_lines() {
	"$FTR" info "$2" > lines 2> err
	check "$1: as the lines" python3 - << 'P'
import json, re
said, lines = json.load(open("said")), open("lines", encoding="utf-8").read()
def line(key):
    found = re.search(r"^%s: +(.*)$" % key, lines, re.M)
    return found and found[1]
assert line("kernel") == said["kernel"] and line("recorded by") == said["recorded_by"]
assert line("clock") == said["clock"]["name"] or said["clock"]["name"] is None
assert line("missing") == (", ".join(said["missing"]) or "nothing")
assert (line("checksums") == "none in this file") == (said["checksums"] is None)
assert int(line("task names")) == said["tasks"] and int(line("CPUs")) == said["cpus"]
session = dict(l.split("=", 1) for l in re.findall(r"^(?:session:| {8}) +(\S+=.*)$", lines, re.M))
assert session == said["session"], session
P
}

fixtures() {
	local f name
	for f in "$FTR_FIXTURES_DIR"/*.dat.xz; do
		[ -e "$f" ] || { skip "fixtures" "none in '$FTR_FIXTURES_DIR'"; return; }
		name=$(basename "$f" .dat.xz)
		xz -dc "$f" > "$name.dat"
		as_decoder "$name" "$name.dat"
		as_lines "$name" "$name.dat"
		rm "$name.dat"
	done
}

synthetic() {
	python3 "$ORACLE/mkdat.py" a.dat --records 600 --cpus 3 --instances one,two --lost 0.2 \
		--empty-cpu --meta tracer=nop --meta x=1
	python3 "$ORACLE/mkdat.py" b.dat --records 100 --compress zlib --endian be --long 4
	as_decoder "instances" a.dat
	as_lines "instances" a.dat
	as_decoder "compressed, big-endian" b.dat
	same "several files: a line each" "a.dat b.dat" "$("$FTR" info --json a.dat b.dat 2> err | python3 -c '
import json, sys
print(*[json.loads(line)["file"] for line in sys.stdin])')"
	same "--quick: no counts" "none none" "$("$FTR" info --quick --json a.dat 2> err | python3 -c '
import json, sys
one = json.load(sys.stdin)
print(one.get("checksums", "none"), one["buffers"][0].get("events", "none"))')"
}

hostile() {
	local text
	# a text of the session may be any bytes
	text=$(printf 'note=quote" \\n \xff\xe2\x82 gr\xc3\xbcn \x1b[2J\x7f')
	python3 "$ORACLE/mkodd.py" -meta=note=PLACEHOLDER-FOR-A-TEXT-OF-ANY-BYTE \
		"-meta=wall_begin=1 1700000000123456789 2" odd.dat
	python3 - "$text" << 'P'
import os, sys
old, new = b"note=PLACEHOLDER-FOR-A-TEXT-OF-ANY-BYTE", os.fsencode(sys.argv[1])
data = open("odd.dat", "rb").read()
assert data.count(old) == 1
open("odd.dat", "wb").write(data.replace(old, new.ljust(len(old))))
P
	"$FTR" info --json odd.dat > said 2> err
	same "bytes of any kind" '"quote\" \n ÿâ\u0082 grün \u001b[2J\u007f"' "$(python3 -c '
import json
text = json.load(open("said", encoding="ascii"))["session"]["note"].rstrip()
print(json.dumps(text, ensure_ascii=False).replace("\x82", "\\u0082").replace("\x7f", "\\u007f"))')"
	has "the time of day" "$(< said)" '"begin":"2023-11-14T22:13:20\.123456789Z","end":null'
	has "names of events" "$(< said)" '"system":"sy\\"s\\\\tem\\n\\u001B","event":"ev\\"il\\\\"'
	! command -v jq > err || check "jq" jq -e '.buffers[0].events == 49' said
}

ends() {
	local f
	"$FTR" info --json a.dat > /dev/full 2> err
	same "to a full disk: status" 3 $?
	head -c 30000 a.dat > cut.dat
	run_ftr info --json cut.dat
	same "cut off: status" 3 "$ST"
	check "cut off: JSON" \
		python3 -c 'import json, sys; assert "the end of the file" in json.loads(sys.argv[1])["missing"]' "$OUT"
	ftr_refuses "no file" 1 "cannot open" info --json nowhere.dat
	python3 "$ORACLE/mkdat.py" small.dat --records 60 --cpus 2 --instances one
	if f=$(python3 "$FTR_TOP/tests/tools/damage-run.py" --seed "$FTR_SEED" --cuts 6 --flips 1 \
		--json-of 'info --json' \
			theirs small.dat 2>&1); then
		pass "damage: JSON"
	else
		fail "damage" "$f"
	fi
}

fixtures
synthetic
hostile
ends
finish
