#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr sql --schema and the shell's .schema and .functions: the functions and the columns in the manual are those of the
# program, with its texts (FTR_WRITE=1 writes them into the page), and each table of the program is in its text.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1

PAGE=$FTR_TOP/Documentation/man/ftr-sql.1
"$FTR" import "$FTR_TOP/tests/cases/sql/tables.txt" -o trace.dat 2> err
"$FTR" sql --schema --json > schema.json 2> err
same '--schema --json: status' 0 $?

# The list of functions as the page has it.
function_list() {
	jq -r '.functions[] | ".TP\n.BI \"" + (.usage | gsub("(?<w>[A-Z]+)"; "\" \(.w) \"")) + "\"\n" +
		(.about | gsub("\\\\"; "\\e") | gsub("-"; "\\-"))' schema.json
}

# The list of tables, but those of events, with their columns.
column_list() {
	jq -r 'def roff: gsub("\\\\"; "\\e") | gsub("-"; "\\-") | gsub("^\\."; "\\&.");
		.tables[] | select(.event | not) | ".TP\n.B \(.name)\n\(.about | roff)" + ([.columns[] |
		"\n.br\n\\fI\(.name)\\fP: \(.about | roff)" + (if .unit then ", \(.unit)" else "" end) +
		(if .hidden then " (hidden)" else "" end)] | add)' schema.json
}

# in_manual WHAT LIST: the lines between its two comments in the page are those that LIST prints
in_manual() {
	local start="^\\.\\\\\" The $1 are made by" end="^\\.\\\\\" End of the $1"
	$2 > want
	if [ "${FTR_WRITE:-}" = 1 ]; then
		sed -i -e "/$start/r want" -e "/$start/,/$end/{/$start/b" -e "/$end/b" -e 'd}' "$PAGE"
	fi
	sed -n "/$start/,/$end/p" "$PAGE" | sed '1d; $d' > got
	same_files "the $1 of the manual are those of the program" want got
	check "there are some $1" test "$(wc -l < want)" -ge 30
}

# A name stands alone, or before the parenthesis of a table that is called like a function.
tables_in_manual() {
	sed 's/\\-/-/g' "$PAGE" | grep -oE '[a-z_]+' | LC_ALL=C sort -u > words
	jq -r '.tables[] | select(.event | not) | .name' schema.json |
		LC_ALL=C sort -u > tables
	check 'there are some tables' test "$(wc -l < tables)" -gt 20
	same 'each table is in the manual' '' "$(LC_ALL=C comm -23 tables words)"
}

# The commands in the manual's examples, as a reader would type them.
examples_in_manual() {
	python3 - "$PAGE" > commands <<-'END'
		import re, sys
		for block in re.findall(r'\.nf\n(ftr sql.*?)\.fi', open(sys.argv[1]).read(), re.S):
		    for roff, plain in ((r'\(aq', "'"), (r'\(dq', '"'), (r'\-', '-'), (r'\e', chr(92))):
		        block = block.replace(roff, plain)
		    print(block.replace('ftr sql', '"$FTR" sql').strip() + ' || echo failed')
	END
	check 'there are some examples' test "$(grep -c '|| echo failed' commands)" -ge 6
	bash commands > out 2> err
	same 'the examples of the manual can be asked' '0' "$(grep -c failed out)$(cat err)"
}

shell() {
	local name
	while read -r name; do
		has ".schema $name" "$(echo ".schema $name" | "$FTR" sql)" "^-- function $name\("
	done < <(jq -r '.functions[].name' schema.json | head -n 3)
	same '.functions has each function' "$(jq -r '.functions[] | "\(.usage): \(.about)"' schema.json)" \
		"$(echo .functions | "$FTR" sql)"
	echo '.schema nosuch' | "$FTR" sql > out 2> err
	same '.schema of nothing: status' 1 $?
	has '.schema of nothing' "$(cat err)" "no table or function 'nosuch'; .tables and .functions list them"
	# what Tab completes comes from the list of SQLite, in which the functions are
	"$FTR" sql --csv --no-header 'SELECT DISTINCT name, narg FROM pragma_function_list' | LC_ALL=C sort -u > all
	jq -r '.functions[] | .name as $n | range(.min_arguments; .max_arguments + 1) | "\($n),\(.)"' schema.json |
		LC_ALL=C sort -u > ours
	same 'SQLite has each function, with its numbers of arguments' '' "$(LC_ALL=C comm -23 ours all)"
}

columns() {
	same 'each column of a table that is no event has a text' '' "$(jq -r '.tables[] | select(.event | not) |
		.name as $t | .columns[] | select(.about == null or .about == "") | "\($t).\(.name)"' schema.json)"
	same 'times and lengths of time have a unit' 'ns' "$(jq -r '.tables[] | select(.event | not) | .columns[] |
		select(.name | test("^(ts|dur|.*_ts|ts_end|.*_dur|time|longest|longest_at|.*_offset)$")) | .unit' \
		schema.json | sort -u)"
	jq -r '.tables[] | .name as $t | .columns[] | "\($t).\(.name) \(.unit)"' schema.json > units
	same 'other units' 2 "$(grep -cxE 'trace_file.bytes bytes|block_io.nr_sector 512-byte sectors' units)"
	same 'fields of events have types of C and units' '["long","bytes"]' "$(jq -c '.tables[] |
		select(.name == "rss_stat") | .columns[] | select(.name == "size") | [.about, .unit]' schema.json)"
	same 'arguments of tables that are called like functions' 'begin_event end_event key_field' \
		"$(jq -r '.tables[] | select(.name == "pair").columns[] | select(.argument).name' schema.json | xargs)"
	python3 "$ORACLE/mkdat.py" counter.dat --records 5 --clock counter
	same 'a clock that does not count nanoseconds' 'units of the clock' \
		"$("$FTR" sql --schema --json -i counter.dat |
		jq -r '.tables[] | select(.name == "sched_slice").columns[] | select(.name == "dur").unit')"
	# overlap, pair and symbol cannot be read without arguments
	jq -r '.tables[] | select(.name | test("^(overlap|pair|symbol)$") | not) | .name as $t | .columns[] |
		select(.type != "any" and (.argument | not)) |
		"SELECT DISTINCT '\''\($t).\(.name)'\'', typeof(\"\(.name)\") FROM \"\($t)\"
		WHERE typeof(\"\(.name)\") NOT IN ('\''null'\'', '\''\(.type)'\'');"' schema.json > types.sql
	check 'there are many columns' test "$(grep -c '^SELECT' types.sql)" -gt 300
	same 'values have the types of their columns' '' "$("$FTR" sql --csv --no-header -f types.sql 2>&1)"
}

in_manual functions function_list
in_manual columns column_list
tables_in_manual
columns
examples_in_manual
shell
finish
