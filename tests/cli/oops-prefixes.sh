#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr oops parse: whatever a logger, a console, a mail or a CI system puts before the lines of a dump, it is read as the
# plain log is: 60 forms of a grammar (tests/oracle/log_prefixes.py), of three dumps; FTR_LONG=1: 60 of each.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
cd "$TMP" || exit 1

FORMS=20
[ "${FTR_LONG:-}" != 1 ] || FORMS=60
LOGS=$FTR_TOP/tests/cases/oops
echo "# seed $FTR_SEED"

# said_and_read LOG: what is said of it, and its records
said_and_read() {
	rm -f a.dat
	"$FTR" oops parse "$1" -o a.dat --formats "$LOGS/formats.txt" 2>&1 | sed "s#'$1'#'LOG'#g"
	"$FTR" report -t a.dat 2>&1
}

# one_dump NAME SEED: without a time of printk the records have only the trace's own.
one_dump() {
	local name=$1 number kind what wrong='' n=0
	cp "$LOGS/$name.log" plain
	sed 's/^\[[^]]*\] //' plain > bare
	said_and_read plain > stamped.wanted
	said_and_read bare > bare.wanted
	has "$name: the plain log is read" "$(cat stamped.wanted)" '[1-9][0-9]* records'
	while read -r number kind what; do
		n=$((n + 1))
		said_and_read "plain.$number" > got
		cmp -s got "$kind.wanted" || wrong+="plain.$number ($what): $(diff got "$kind.wanted" | head -n 4)"$'\n'
	done < <(python3 "$ORACLE/log_prefixes.py" "$2" $FORMS plain)
	same "$name: forms" $FORMS $n
	same "$name: all forms are read as the plain log" '' "$wrong"
}

one_dump events "$FTR_SEED"
one_dump graphabs $((FTR_SEED + 1))
one_dump stacks $((FTR_SEED + 2))
finish
