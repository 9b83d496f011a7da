#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr browse without a terminal: its rows are the lines of ftr report at any time, its lanes those of ftr timeline; screens of keys; what is typed wrong.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1
TUI=$FTR_TOP/tests/tui
COMPARED=0

# browse FILE KEYS SIZE [OPTION...]: screens in ./screens
browse() {
	local file=$1 keys=$2 size=$3
	shift 3
	rm -rf screens
	mkdir screens
	printf '%s' "$keys" > keys
	"$FTR" browse --keys keys --size "$size" --dump screens "$@" $file > out 2> err
}

# random_times FILE N: of its lines, a little before or behind
random_times() {
	python3 - "$1" "$2" "$FTR_SEED" <<-'EOF'
	import random, re, sys
	path, n, seed = sys.argv[1:]
	random.seed(seed + path)
	times = [int(m[1] + m[2]) for m in re.finditer(r"^.*?\] (?:\S+ )? *(\d+)\.(\d{6}): ", open(path, errors="replace").read(), re.M)]
	for _ in range(int(n)):
	    t = random.choice(times) + random.choice([0, 0, 0, 1, -1, 50])
	    print("%d.%06d" % (t // 1000000, t % 1000000))
	EOF
}

# same_rows NAME FILE [OPTION...]: at 20 random times
same_rows() {
	local name=$1 file=$2 keys='' i=0 said times
	shift 2
	"$FTR" report -q "$@" $file > text 2> err
	times=$(random_times text 20)
	for time in $times; do
		keys+="g$time<enter><wait><screen $i>"
		i=$((i + 1))
	done
	browse "$file" "$keys" 110x30 "$@"
	case $?,$(grep -c '^ftr: damaged' err) in 0,0|3,[1-9]*) ;; *) fail "$name: status" "$(cat err)" ;; esac
	said=$(python3 "$TUI/rows-check.py" text screens 110 $times 2>&1) && pass "$name: rows are lines of the report" ||
		fail "$name: rows are lines of the report" "$said"
	COMPARED=$((COMPARED + $(sed -n '1s/ rows//p' <<< "$said")))
}

# lanes_shown NAME WIDTH FILE...: what ftr timeline prints of all is on the screen NAME, so wide
lanes_shown() {
	local name=$1 width=$2
	shift 2
	COLUMNS=$((width - 2)) "$FTR" timeline -q "$@" 2> err | head -n 27 > wanted
	! grep -q 'no sched_switch in\|no records to be shown' err ||
		echo "no sched_switch: 'ftr record -e sched' records when tasks run" > wanted
	sed '/^$/q' "screens/$name.txt" | sed -n '3,29p' | cut -c3- | sed 's/ *$//; /^$/d' > got
	COMPARED=$((COMPARED + $(wc -l < got)))
	cmp -s wanted got || { diff wanted got | head -n 5 | sed "s/^/# $name: /"; return 1; }
}

# same_lanes NAME FILE...: all of it, at two widths
same_lanes() {
	local name=$1 wrong=0
	shift
	browse "$*" '3<wait><screen all><size 140x30>3<wait><screen wide>o+<wait>0oo<wait><screen again>' 110x30
	lanes_shown all 110 "$@" || wrong=1
	lanes_shown wide 140 "$@" || wrong=1
	lanes_shown again 140 --sort pid "$@" || wrong=1
	same "$name: lanes are those of ftr timeline" 0 $wrong
}

# same_zooms NAME FILE [NS]: at its begin and its end, against the states of all of it; times are so much later
same_zooms() {
	local said times
	times=${3:+--later $3}
	browse "$2" '3<wait><screen b0>+<wait><screen b1>+<wait><screen b2>+++<wait><screen b5>++<wait><screen b7>0<wait>1<end>3+<wait><screen e1>++<wait><screen e3>+++<wait><screen e6>-----<wait><screen e1a>' 110x30
	said=$(python3 "$TUI/lanes-check.py" $times "$2" screens "$(sed -n '3s/.*, \([0-9]*\) columns of.*/\1/p' screens/b0.txt)" \
		b1:1:begin b2:2:begin b5:5:begin b7:7:begin e1:1:end e3:3:end e6:6:end 2>&1) && pass "$1: zoomed lanes are those of the oracle" ||
		fail "$1: zoomed lanes are those of the oracle" "$said"
	COMPARED=$((COMPARED + $(sed -n 's/ rows$//p' <<< "$said")))
}

# A zoom reads a fifth of the 30,000 records at most, one whose columns are whole leaves nothing.
few_records() {
	"$ORACLE/mkdat.py" --seed "$FTR_SEED" a.dat --records 10000
	printf '3<wait>%s' "$(printf '+<wait>%.0s' 1 2 3 4 5 6 7 8 9 10 11 12)" > keys
	"$FTR" browse --keys keys --size 110x30 --timing times a.dat > out 2> err
	same "records: zooms read few" '' "$(awk '$1 == "<wait>" && n++ && $4 > 6000' times)"
	same "records: one read some, and one none" 2 $((($(awk '$1 == "<wait>" && $4 { n++ } END { print n + 0 }' times) > 1) +
		($(awk '$1 == "<wait>" && !$4 { n++ } END { print n + 0 }' times) > 0)))
}

same_words() {
	local name what i
	while read -r name what; do
		"$ORACLE/mkdat.py" --seed "$FTR_SEED" a.dat $what 2> err || { fail "$name: made" "$(cat err)"; continue; }
		same_rows "$name" a.dat
		same_lanes "$name" a.dat
		same_zooms "$name" a.dat $(sed -n 's/.*--ts-offset \([0-9]*\).*/\1/p' <<< "$what")
	done <<-'EOS'
	v6 --records 3000
	v7 --version 7 --compress zstd --records 3000 --clock mono
	big-endian --endian be --long 4 --version 7 --ts-offset 5000
	losses --lost 0.3 --version 7 --page-size 8192
	instances --version 7 --instances a,b --lost 0
	wakeups --wakeup --renamed --empty-cpu --discards 0.1
	EOS
	"$ORACLE/mkdat.py" --seed 1 b.dat --records 2000
	same_rows "one event" b.dat --event sched_switch
	same_rows "two files" "a.dat b.dat"
	same_lanes "two files" a.dat b.dat
	for i in 1 2 3; do
		python3 "$ORACLE/mkspans.py" $((FTR_SEED + i)) 1500 | case_file "random$i"
		same_lanes "random $i" "random${i}0.dat"
		same_zooms "random $i" "random${i}0.dat"
	done
	few_records
	for name in lisa-sched-load-64le trappy-extends-32le; do
		[ -e "$FTR_FIXTURES_DIR/$name.dat.xz" ] || { skip "$name" "no folder $FTR_FIXTURES_DIR"; continue; }
		xz -dc "$FTR_FIXTURES_DIR/$name.dat.xz" > c.dat
		same_rows "$name" c.dat
	done
	[ $COMPARED -ge 2000 ] && pass "$COMPARED rows were compared" || fail "2,000 rows were compared" "$COMPARED"
}

# golden NAME: the screens of tests/tui/NAME.keys are those of tests/tui/NAME.SCREEN.txt; FTR_WRITE=1 writes them
golden() {
	local name=$1 made size options file status
	made=$(sed -n 's/^# made by: //p' "$TUI/$name.keys")
	size=$(sed -n 's/^# size: //p' "$TUI/$name.keys")
	options=$(sed -n 's/^# options: //p' "$TUI/$name.keys")
	"$ORACLE/mkdat.py" t.dat $made 2> err || { fail "$name: made" "$(cat err)"; return; }
	python3 - t.dat "$(sed -n 's/^# replaced: //p' "$TUI/$name.keys")" <<-'EOF'
	import sys
	path, pairs = sys.argv[1:]
	data = open(path, "rb").read()
	for pair in pairs.split():
	    old, new = (part.encode().decode("unicode_escape").encode("latin-1") for part in pair.split("=", 1))
	    assert len(old) == len(new) and old in data, pair
	    data = data.replace(old, new)
	open(path, "wb").write(data)
	EOF
	size=$(sed -n 's/^# cut: //p' "$TUI/$name.keys")
	[ -z "$size" ] || truncate -s -"$size" t.dat
	size=$(sed -n 's/^# size: //p' "$TUI/$name.keys")
	rm -rf screens
	mkdir screens
	grep -v '^# ' "$TUI/$name.keys" > keys
	"$FTR" browse --keys keys --size "$size" --dump screens $options t.dat > out 2> err
	status=$?
	same "$name: status" "$(sed -n 's/^# status: //p' "$TUI/$name.keys")" $status
	for file in screens/*.txt; do
		[ "${FTR_WRITE:-}" != 1 ] || cp "$file" "$TUI/$name.$(basename "$file")"
		same_files "$name: $(basename "$file" .txt)" "$TUI/$name.$(basename "$file")" "$file"
	done
	same "$name: as many screens" "$(ls "$TUI/$name".*.txt | wc -l)" "$(ls screens | wc -l)"
}

screens() {
	local name
	for name in "$TUI"/*.keys; do
		golden "$(basename "$name" .keys)"
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
	same "--timing: a line a key" 'j <down> <space> <wait>' "$(awk 'NF == 4 && $4 == 0 && $2 + 0 >= 0 && $3 + 0 >= 0 { print $1 }' times | xargs)"
}

same_words
screens
keys_are_tried
wrong_usage
timing
finish
