#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr report --csv: a table by RFC 4180, whose cells are what ftr report --json says of the same records.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
cd "$TMP" || exit 1

# as_json NAME COLUMNS FILE...: "" are the default
as_json() {
	local name=$1 columns=$2
	shift 2
	"$FTR" report --json --text "$@" > json 2> err
	"$FTR" report --csv ${columns:+--fields=$columns} "$@" > csv 2> err
	check "$name: cells" python3 "$FTR_TOP/tests/tools/csv-check.py" csv json
}

fixtures() {
	local f name
	for f in "$FTR_FIXTURES_DIR"/*.dat.xz; do
		[ -e "$f" ] || { skip "fixtures" "none in '$FTR_FIXTURES_DIR'"; return; }
		name=$(basename "$f" .dat.xz)
		xz -dc "$f" > "$name.dat"
		as_json "$name" "" "$name.dat"
	done
	same "the columns that are there without --fields" "time,cpu,pid,comm,event,text"$'\r' "$(head -n 1 csv)"
	as_json "fields" "time,system,event,prev_comm,prev_pid,next_comm,flags" lisa-sched-load-64le.dat
	"$FTR" report --csv --fields event,pid,prev_comm,cpu lisa-sched-load-64le.dat > csv
	"$FTR" report --fields event,pid,prev_comm,cpu lisa-sched-load-64le.dat > lines
	same "as many as lines of --fields" "$(wc -l < lines)" "$(tail -n +2 csv | wc -l)"
}

synthetic() {
	local j lost
	python3 "$ORACLE/mkdat.py" a.dat --records 6000 --cpus 3 --instances one,two --lost 0.2
	python3 "$ORACLE/mkdat.py" b.dat --records 6000 --cpus 3 --seed 5
	as_json "files, instances" "" a.dat b.dat
	has "columns for them" "$(head -n 1 csv)" '^file,buffer,time,cpu,'
	sed 's/vfs_read/v"s,read/g; s/schedule/sc""le,x/g' a.dat > symbols.dat
	as_json "quotes in symbols" "event,text,pid" symbols.dat
	for j in 1 2 4; do
		"$FTR" report -j$j --csv symbols.dat > j$j 2> err$j
	done
	check "-j2 prints the same" cmp j1 j2
	check "-j4 prints the same" cmp j1 j4
	lost=$(python3 "$ORACLE/rawdecode.py" a.dat 2> err | total lost)
	same "losses are counted" "ftr: $lost events were lost in the recording, and an unknown number of others" \
		"$(sed -E 's/([0-9]),/\1/g' err1)"
	same "-j4 counts the same" "$(< err1)" "$(< err4)"
	same "-q" "" "$("$FTR" report -q --csv symbols.dat 2>&1 > csv)"
}

# Names that tasks choose, and marks that they write.
formulas() {
	python3 - "$ORACLE" <<- 'EOF' > formulas.dat
		import sys
		sys.path[:0] = [sys.argv[1]]
		import growth_views as views
		names = [b"=1+1", b"+cmd|'/C x'!A", b"-2+3", b"@SUM(A1)", b"\t=x", b"-7", b"+7", b"-7.5", b"-", b'="a"',
		         b"=HYPERLINK(1)"]
		events = []
		for i, name in enumerate(names):
		    switch = views.switch(2000 * i, 7, 8)
		    switch[3].update(prev_comm=name, next_comm=name)
		    events += [switch, views.mark(2000 * i + 1000, name)]
		comms = b"7 =HYPERLINK(1)\n8 -8+8\n"
		sys.stdout.buffer.write(views.file_of(events, cmdlines=comms).write())
	EOF
	as_json "what a spreadsheet takes for a formula" "comm,event,prev_comm,prev_pid,buf,text" formulas.dat
	same "what a spreadsheet takes for a formula: cells" "'=1+1" \
		"$("$FTR" report --csv --fields prev_comm formulas.dat 2> err | sed -n '2s/.$//p')"
	same "numbers stay as they are" "-7 +7 -7.5" "$("$FTR" report --csv --fields prev_comm formulas.dat 2> err |
		tr -d '\r' | grep '7' | grep -v HYPER | xargs)"
	"$FTR" report --csv --raw --fields comm,prev_comm,buf formulas.dat > csv 2> err
	"$FTR" report --json formulas.dat > json
	check "--raw leaves them" python3 "$FTR_TOP/tests/tools/csv-check.py" csv json --raw
	same "--raw leaves them: none has a quote in front" 0 "$(grep -c "^'\|,'\|\"'" csv)"
	"$FTR" export --to csv --raw --fields comm,prev_comm,buf formulas.dat > exported 2> err
	same_files "ftr export --raw leaves them" csv exported
	set -- --csv --by task --pair x=sched:sched_switch,ftrace:print formulas.dat
	same "ftr profile --csv" "'=HYPERLINK(1)-7" "$("$FTR" profile "$@" 2> err | sed -n '2s/,.*//p')"
	same "ftr profile --csv --raw" "=HYPERLINK(1)-7" "$("$FTR" profile --raw "$@" 2> err | sed -n '2s/,.*//p')"
}

odd() {
	python3 "$ORACLE/mkodd.py" odd.dat
	as_json "hostile names and bytes" "" odd.dat
	as_json "strings" "fixed,far,near,event,u64,s64,s8" odd.dat
	as_json "names in the first row" 'plain,a"b\c' odd.dat
	same "they are quoted" 'plain,"a""b\c"'$'\r' "$(head -n 1 csv)"
	same "nothing that a terminal acts on" "" "$(tr -d '\r\n\t' < csv | LC_ALL=C grep -a '[^ -~]')"
	same "no value is an empty cell" ",7"$'\r' \
		"$("$FTR" report --csv --fields tgid,plain odd.dat 2> err | tail -n +2 | grep 7)"
	same "nanoseconds" "1000.000000100"$'\r' "$("$FTR" report --csv -t --fields time odd.dat 2> err | sed -n 2p)"
}

ends() {
	"$FTR" report --csv b.dat 2> err | head -n 3 > out
	same "into head: status, lines, remarks" "0 3 0" "${PIPESTATUS[0]} $(wc -l < out) $(wc -c < err)"
	"$FTR" report --csv b.dat > /dev/full 2> err
	same "to a full disk: status" 3 $?
	has "to a full disk: it is said" "$(< err)" "cannot write"
}

usage() {
	local arg
	for arg in --latency --ts-diff --boundary -w --format=text --cpus; do
		ftr_refuses "--csv $arg" 2 '--csv prints a table' report --csv "$arg" b.dat
	done
	ftr_refuses "--csv --json" 2 '--json prints records' report --csv --json b.dat
	ftr_refuses "no such column" 2 "'commm' is neither a column nor a field of an event" report --csv --fields \
		commm b.dat
}

fixtures
synthetic
formulas
odd
ends
usage
finish
