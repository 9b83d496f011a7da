#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr browse without a terminal: its rows are the lines of ftr report at any time, its lanes those of ftr timeline; screens of keys; what is typed wrong.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1
. "$FTR_TOP/tests/tui/same-rows.sh"
. "$FTR_TOP/tests/tui/golden.sh"

# browse FILE KEYS SIZE [OPTION...]: screens in ./screens
browse() {
	local file=$1 keys=$2 size=$3
	shift 3
	rm -rf screens
	mkdir screens
	printf '%s' "$keys" > keys
	"$FTR" browse --keys keys --size "$size" --dump screens "$@" $file > out 2> err
}

# What makes a file; each is as other files are not.
same_words() {
	local name what
	while read -r name what; do
		"$ORACLE/mkdat.py" --seed "$FTR_SEED" a.dat $what 2> err || { fail "$name: made" "$(cat err)"; continue; }
		same_rows "$name" a.dat
	done <<-'EOS'
	v6 --records 3000
	v7 --version 7 --compress zstd --records 3000 --clock mono
	big-endian --endian be --long 4 --version 7 --ts-offset 5000
	losses --lost 0.3 --version 7 --page-size 8192
	instances --version 7 --instances a,b --lost 0
	wakeups --wakeup --renamed --empty-cpu --discards 0.1
	EOS
	"$ORACLE/mkdat.py" --seed 1 b.dat --records 2000
	same_rows "one event" --views events b.dat -- --event sched_switch
	same_rows "two files" a.dat b.dat
	for name in lisa-sched-load-64le trappy-extends-32le; do
		[ -e "$FTR_FIXTURES_DIR/$name.dat.xz" ] || { skip "$name" "no folder $FTR_FIXTURES_DIR"; continue; }
		xz -dc "$FTR_FIXTURES_DIR/$name.dat.xz" > c.dat
		same_rows "$name" c.dat
	done
	rows_were_compared 2000
}

# A check that can't fail tells nothing: one letter of a row that is another is found.
other_rows() {
	cat > liar <<-EOS
	#!/bin/sh
	"$FTR" "\$@" || exit
	[ "\$1" = browse ] || exit 0
	while [ "\$1" != --dump ]; do shift; done
	sed -i '5s/[a-zA-Z0-9]\([^a-zA-Z0-9]*\)\$/~\1/' "\$2"/*.txt
	EOS
	chmod +x liar
	for name in events timeline; do
		has "a row of other words is found: $name" "$(FTR=./liar "$TUI/same-rows.py" --times 2 --views $name a.dat)" '^not ok'
	done
}

# Each key of the help is in one of the scripts, and in the manual with the same words.
keys_are_tried() {
	"$ORACLE/mkdat.py" t.dat
	browse t.dat '<f1><screen help>' 100x60
	MANWIDTH=200 man -l "$FTR_TOP/Documentation/ftr-browse.1" > manual 2> err || { skip "keys are in the manual" 'no man'; return; }
	same "keys: all are in scripts and in the manual" '' "$(python3 - screens/help.txt manual "$TUI"/*.keys <<-'EOF'
	import re, sys
	help, manual, *scripts = sys.argv[1:]
	manual = re.sub(r"\s+", " ", open(manual).read().replace("\u2212", "-").replace("\u2010", "-"))
	scripts = "".join(line for s in scripts for line in open(s) if not line.startswith("# "))
	names = {"Up": "<up>", "Down": "<down>", "PgUp": "<pgup>", "PgDn": "<pgdn>", "Home": "<home>", "End": "<end>", "Left": "<left>",
	         "Right": "<right>", "Enter": "<enter>", "Tab": "<tab>", "F1": "<f1>", "Esc": "<esc>", "Space": "<space>"}
	for line in open(help).read().split("\n\n.")[0].split("\n"):
	    m = re.match(r"    (.{12}) (\S.*)", line)
	    if not m:
	        continue
	    for key in m[1].split():
	        if key != "X" and names.get(key, key) not in scripts:
	            print("no script has", key)
	    if " ".join(m[1].split()) + " " + m[2].strip() not in manual:
	        print("not in the manual:", line)
	EOF
	)"
}

wrong_usage() {
	"$ORACLE/mkdat.py" t.dat
	ftr_refuses "no terminal" 2 "standard output is not a terminal" browse t.dat
	ftr_refuses "no terminal: what else" 2 "hint: use 'ftr report' for text" browse t.dat
	printf 'j<nonsense>' > keys
	ftr_refuses "a script that is wrong" 2 "'<nonsense>'" browse --keys keys t.dat
	printf j > keys
	ftr_refuses "a size" 2 "no size of a screen: '80'" browse --keys keys --size 80 t.dat
	ftr_refuses "a time" 2 "yesterday" browse --keys keys --at yesterday t.dat
	ftr_refuses "a view" 2 "unknown view 'graphs'" browse --keys keys --view graphs t.dat
	ftr_refuses "a filter" 2 "cannot understand the filter" browse --keys keys -F 'prev_pid =' t.dat
	ftr_refuses "a column" 2 "nonesuch" browse --keys keys --fields nonesuch t.dat
	ftr_refuses "no file" 1 "cannot open 'none.dat'" browse --keys keys none.dat
	ftr_refuses "--size alone" 2 "are for --keys" browse --size 80x24 t.dat
	printf '<screen x>' > keys
	ftr_refuses "a folder that is not there" 1 "cannot write 'none/x.txt'" browse --keys keys --dump none t.dat
}

timing() {
	"$ORACLE/mkdat.py" t.dat
	printf 'j<down><space><wait>' > keys
	"$FTR" browse --keys keys --timing times t.dat > out 2> err
	same "--timing: a line a key" 'j <down> <space> <wait>' "$(awk 'NF == 3 && $2 + 0 >= 0 && $3 + 0 >= 0 { print $1 }' times | xargs)"
}

same_words
other_rows
golden_all
keys_are_tried
wrong_usage
timing
finish
