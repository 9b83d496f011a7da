#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr export --schema: the lines of --to json have the members, fields and types that it describes, whatever the file
# holds; units are those of the print fmts of the kernel.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1

cat > lines-check.py <<'END'
"""lines-check.py SCHEMA < LINES: prints what a line has that the schema does not describe, and what it lacks."""
import json
import sys

TYPES = {"integer": lambda v: type(v) is int, "string": lambda v: type(v) is str,
         "object": lambda v: type(v) is dict,
         "string in hexadecimal": lambda v: type(v) is str and bytes.fromhex(v) is not None,
         "array of integers": lambda v: type(v) is list and all(type(n) is int for n in v)}
schema = json.load(open(sys.argv[1]))
members = {m["name"]: m for m in schema["members"]}
events = {(e["system"], e["event"]): {f["name"]: f for f in e["fields"]} for e in schema["events"]}
bad, lines = set(), 0


def look(where, values, known):
    for name, value in values.items():
        if name not in known:
            bad.add("%s: %s is not described" % (where, name))
        elif value is not None and not TYPES[known[name]["type"]](value):
            bad.add("%s: %s is no %s: %r" % (where, name, known[name]["type"], value))


for line in sys.stdin:
    values = json.loads(line)
    lines += 1
    look("line", values, members)
    bad.update("line: no " + m for m in members if m not in values and "optional" not in members[m])
    if values.get("event") is not None:
        fields = events.get((values["system"], values["event"]))
        if fields is None:
            bad.add("no event " + values["event"])
        else:
            look(values["event"], values["fields"], fields)
print("\n".join(sorted(bad)) if bad or not lines else "ok")
END

# described NAME [OPTION]... FILE...: the lines are as the schema has them
described() {
	local name=$1
	shift
	"$FTR" export --schema "$@" > schema.json 2> err
	"$FTR" export -q --to json "$@" > lines.json 2>> err
	same "$name" ok "$(python3 lines-check.py schema.json < lines.json)"
}

made() {
	python3 "$ORACLE/mkodd.py" odd.dat
	described 'fields of every kind' odd.dat
	described 'with texts' --text odd.dat
	python3 "$ORACLE/mkdat.py" one.dat --records 200
	python3 "$ORACLE/mkdat.py" two.dat --records 200 --instances a,b --seed 2
	described 'losses and instances' two.dat
	described 'two files' one.dat two.dat
	described 'kernels that differ' one.dat odd.dat
	same 'an event of two files is described once' '' "$("$FTR" export --schema one.dat two.dat 2> err |
		jq -r '.events[] | "\(.system):\(.event)"' | sort | uniq -d)"
}

fixtures() {
	local name
	for name in lisa-sched-load-64le trappy-u32-array-32le; do
		if [ ! -e "$FTR_FIXTURES_DIR/$name.dat.xz" ]; then
			skip "the lines of $name" "no $FTR_FIXTURES_DIR"
			continue
		fi
		xz -dc "$FTR_FIXTURES_DIR/$name.dat.xz" > "$name.dat"
		described "$name" "$name.dat"
	done
	[ -e lisa-sched-load-64le.dat ] || return
	cat > want <<-'END'
		hrtimer_start.expires ns
		kmalloc.bytes_req bytes
		cpu_frequency.state kHz
		sched_stat_runtime.runtime ns
	END
	"$FTR" export --schema lisa-sched-load-64le.dat | jq -r '.events[] | .event as $e | .fields[] |
		"\($e).\(.name) \(.unit)"' > all
	same 'units of fields' '' "$(grep -vxFf all want)"
}

units() {
	python3 "$ORACLE/mkdat.py" counter.dat --records 5 --clock counter
	same 'the unit of a clock' 'ns|units of the clock' "$(for f in one counter; do
		"$FTR" export --schema $f.dat | jq -r '.members[] | select(.name == "ts").unit'; done | paste -sd'|')"
	ftr_refuses 'of another format' 2 'schema works with --to json only' export --schema --to csv one.dat
	"$FTR" export --schema -o out.json one.dat 2> err
	same 'into a file' ts "$(jq -r '.members[0].name' out.json)"
}

made
fixtures
units
finish
