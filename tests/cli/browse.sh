#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# builds: both
# ftr browse without a terminal: its rows are the lines of ftr report at any time, its lanes those of ftr timeline;
# screens of keys; what is typed wrong.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/python.sh"
cd "$TMP" || exit 1
. "$FTR_TOP/tests/tools/same-rows.sh"
. "$FTR_TOP/tests/tools/golden.sh"

# random_times FILE N: of its lines, a little before or behind
random_times() {
	python3 - "$1" "$2" "$FTR_SEED" <<-'EOF'
	import random, re, sys
	path, n, seed = sys.argv[1:]
	random.seed(seed + path)
	text = open(path, errors="replace").read()
	times = [int(m[1] + m[2]) for m in re.finditer(r"^.*?\] (?:\S+ )? *(\d+)\.(\d{6}): ", text, re.M)]
	for _ in range(int(n)):
	    t = random.choice(times) + random.choice([0, 0, 0, 1, -1, 50])
	    print("%d.%06d" % (t // 1000000, t % 1000000))
	EOF
}

# same_times NAME FORM KEYS REPORT-OPTION [FILE-OPTION...]: of times.dat at random times, marker A at the first one
same_times() {
	local name=$1 form=$2 keys=$3 said zero i=0
	shift 3
	"$FTR" report -q times.dat "${@:2}" > text 2> err
	times=$(random_times text 20)
	for time in $times; do
		keys+="g$time<enter><wait>"
		[ $i != 0 ] || keys+=A
		keys+="<screen $i>"
		i=$((i + 1))
	done
	"$FTR" report -q -t "$@" times.dat > exact 2> err
	# the row that was selected first; its time is below in the status line
	browse times.dat "t$keys" 110x30 --view events "${@:2}"
	zero=$(sed -n '30s/ .*//p' screens/0.txt | tr -d .)
	browse times.dat "$keys" 110x30 --view events "${@:2}"
	python3 "$FTR_TOP/tests/tools/times-lines.py" "$form" exact "$zero" > wanted
	said=$(python3 "$FTR_TOP/tests/tools/rows-check.py" wanted screens 110 $(printf -- '- %.0s' $times) 2>&1) &&
		pass "times of rows: $name" || fail "times of rows: $name" "$said"
	COMPARED=$((COMPARED + $(sed -n '1s/ rows//p' <<< "$said")))
}

times_of_rows() {
	"$ORACLE/mkdat.py" --seed "$FTR_SEED" times.dat --records 3000 --lost 0 \
		--meta 'wall_begin=1000000000000 1699999999123456789 5'
	same_times "time of day" day tt --date
	same_times "since A" since ttt -q
	same_times "since the row before" before tttt -q
	same_times "since the row before, few rows" before tttt -q --event sched_switch --pid 777
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
	browse "$*" '<wait><screen all><size 140x30><wait><screen wide>o+<wait>0oo<wait><screen again>' 110x30 \
		--view timeline
	lanes_shown all 110 "$@" || wrong=1
	lanes_shown wide 140 "$@" || wrong=1
	lanes_shown again 140 --sort pid "$@" || wrong=1
	same "$name: lanes are those of ftr timeline" 0 $wrong
}

# A zoom reads a fifth of the 30,000 records at most, one whose columns are whole leaves nothing.
few_records() {
	"$ORACLE/mkdat.py" --seed "$FTR_SEED" a.dat --records 10000
	printf '<wait>%s' "$(printf '+<wait>%.0s' 1 2 3 4 5 6 7 8 9 10 11 12)" > keys
	"$FTR" browse --keys keys --size 110x30 --view timeline --timing times a.dat > out 2> err
	# a zoom that takes longer than 0.1 s ends in what is waited for
	awk '$1 == "+" { read = $4 } $1 == "<wait>" && NR > 1 { print read + $4 }' times > read
	same "records: zooms read few" '' "$(awk '$1 > 6000' read)"
	same "records: some read some, and one none" 2 $((($(awk '$1' read | wc -l) > 1) + ($(grep -cx 0 read) > 0)))
}

# What makes a file; each is as other files are not.
same_words() {
	local name what i
	while read -r name what; do
		"$ORACLE/mkdat.py" --seed "$FTR_SEED" a.dat $what 2> err ||
			{ fail "$name: made" "$(cat err)"; continue; }
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
	same_rows "one event" --views events b.dat -- --event sched_switch
	same_rows "one task" --views events,graph b.dat -- --pid 777
	same_rows "two files" a.dat b.dat
	same_lanes "two files" a.dat b.dat
	for i in 1 2 3; do
		python3 "$ORACLE/mkspans.py" $((FTR_SEED + i)) 1500 | case_file "random$i"
		same_lanes "random $i" "random${i}0.dat"
		same_zooms "random $i" "random${i}0.dat"
	done
	python3 "$ORACLE/mkspans.py" "$FTR_SEED" 1500 | grep -v funcgraph_entry | case_file alone
	same_rows "exits alone" --views graph alone0.dat
	browse alone0.dat '/funcgraph_exit<enter><wait>M<wait><screen there>' 110x30 --view events
	has "exits alone: no record is where a call begins" "$(cat screens/there.txt)" \
		'^where it begins was not recorded'
	few_records
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
		has "a row of other words is found: $name" \
			"$(FTR=./liar "$FTR_TOP/tests/tools/same-rows.py" --times 2 --views $name a.dat)" '^not ok'
	done
}

# Each key of the help is in one of the scripts, and in the manual with the same words.
keys_are_tried() {
	"$ORACLE/mkdat.py" t.dat
	browse t.dat '<f1><screen help>' 100x60 --view events
	MANWIDTH=200 man -l "$FTR_TOP/Documentation/man/ftr-browse.1" > manual 2> err ||
		{ skip "keys are in the manual" 'no man'; return; }
	same "keys: all are in scripts and in the manual" '' "$(python3 - screens/help.txt manual "$TUI"/*.keys <<-'EOF'
	import re, sys
	help, manual, *scripts = sys.argv[1:]
	manual = re.sub(r"\s+", " ", open(manual).read().replace("\u2212", "-").replace("\u2010", "-"))
	scripts = "".join(line for s in scripts for line in open(s) if not line.startswith("# "))
	names = {"Up": "<up>", "Down": "<down>", "PgUp": "<pgup>", "PgDn": "<pgdn>", "Home": "<home>", "End": "<end>",
	         "Left": "<left>", "Right": "<right>", "Enter": "<enter>", "Tab": "<tab>", "F1": "<f1>", "Esc": "<esc>",
	         "Ctrl-C": "<ctrl-c>",
	         "Space": "<space>"}
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

# What is told to begin with goes together; the timeline has its height before it has its lanes.
at_start() {
	local early late task cpu
	"$ORACLE/mkdat.py" t.dat --records 400 --lost 0
	browse t.dat '<wait><screen x>' 80x24 -F sched_switch --view info
	same "-F with --view: the view" info "$(sed -n 2p screens/x.txt)"
	has "-F with --view: the filter" "$(sed -n 24p screens/x.txt)" 'records left +filter: sched_switch$'
	browse t.dat '<wait><screen none>6<wait><screen x>' 200x24 --comm nope --view events
	same "a selection that shows nothing: as report says it" \
		"$("$FTR" report --comm nope t.dat 2>&1 | cut -c6-205)" \
		"$(sed -n '24s/ *$//p' screens/none.txt)"
	has "a selection that shows nothing: it is in the log, too" "$(cat screens/x.txt)" \
		"^  no record matches --comm 'nope'; 't.dat' has 1,200 records "
	task=$("$FTR" report -q t.dat | sed -n '1s/^ *\(.*\) \[.*/\1/p')
	browse t.dat '<wait>.<wait><screen x>' 100x24 --view log
	same "--view log: the next record of the first one's task" \
		"$("$FTR" report -q t.dat | grep -F -- "$task" | sed -n '2s/.* \([0-9]*\.[0-9]*\): .*/\1/p')" \
		"$(sed -n '24s/ .*//p' screens/x.txt)"
	browse t.dat '<screen early><wait><screen late>' 200x50
	early=$(grep -n '^events' screens/early.txt | cut -d: -f1)
	late=$(grep -n '^events' screens/late.txt | cut -d: -f1)
	check "two panes: where the lower one begins, before and behind: $early $late" \
		test $((early - late < 3 && late - early < 3)) = 1
	# more CPUs than rows: that of the record is there, and its task
	"$ORACLE/mkdat.py" t.dat --seed 6 --cpus 24 --records 50 --lost 0
	browse t.dat '<wait><screen x>' 80x24
	"$FTR" report -q t.dat | sed -n 's/^ *\(.*\)-.*\[\([0-9]*\)\].*/\2 \1/p' > text
	read -r cpu task < text
	same "24 CPUs: the lanes of the first record's CPU and task are in view" "1 1" \
		"$(sed -n 3,11p screens/x.txt | grep -c "^  CPU $((10#$cpu)) ") $(grep -c "^ >$task" screens/x.txt)"
}

# The sums that ftr timeline prints in 200 columns and not in those of the screen, of a file with interrupts,
# are said to be hidden.
hidden_sums() {
	local width words
	case_file irq <<-'END'
	0 1000 100 . sched_switch prev_comm=a prev_state=S next_pid=0 next_comm=swapper
	0 2000 0 . irq_handler_entry irq=1 name=x
	0 3000 0 h irq_handler_exit irq=1 ret=1
	0 4000 0 . sched_switch prev_state=R next_pid=100 next_comm=a
	END
	for width in 50 61 62 101 102; do
		words=$(COLUMNS=$((width - 2)) "$FTR" timeline -q irq0.dat | sed -n '/^# CPU/p' |
			grep -Eo 'busy|idle|unknown|irq' | wc -l)
		browse irq0.dat '<wait><screen x>' "${width}x20" --view timeline
		same "$width columns: sums that are hidden" "$((4 - words))" \
			"$(sed -n '2s/^timeline *\([0-9]*\).*/0\1/p' screens/x.txt | sed 's/^0\(.\)/\1/')"
	done
	has "200 columns: there is a sum for interrupts" "$(COLUMNS=200 "$FTR" timeline -q irq0.dat)" 'unknown +irq$'
}

# 256 CPUs and thousands of tasks: how many are in sight is said, and they are scrolled at once.
many_lanes() {
	local all most name try
	"$ORACLE/mkmany.py" 5000 many.dat --cpus 256 --records 150 --lost 0
	all=$("$FTR" timeline -q many.dat | grep -vc '^#')
	# what else runs makes a page cost more now and then, a page that is slow does so each time
	for try in 1 2 3; do
		browse many.dat "<wait><screen top>$(printf '<pgdn>%.0s' {1..100})<screen middle><end><screen end>" \
			100x40 --view timeline --timing times
		most=$(awk '$1 != "<wait>" && int($2) > n { n = int($2) } END { print n + 0 }' times)
		[ "$most" -gt 50 ] && [ "${FTR_IS_SAN:-}" != 1 ] || break
	done
	same "many lanes: there are thousands" 1 $((all > 3000))
	for name in top middle end; do
		same "many lanes: how many are in sight, $name" \
			"$(sed -n 3,39p screens/$name.txt | grep -vc '^ [ >]#') of $all" \
			"$(sed -n '2s/^timeline  \([0-9]* of [0-9,]*\) lanes.*/\1/p' screens/$name.txt | tr -d ,)"
	done
	[ "${FTR_IS_SAN:-}" = 1 ] || check "many lanes: a page takes 50 ms of CPU at most: $most" test "$most" -le 50
}

# Whatever selects a time, the zoomed timeline has it in view, in the column that is marked, and as much time as before.
timeline_follows() {
	local keys='<wait>++++<wait><screen 00>' key i=0
	"$ORACLE/mkdat.py" --seed "$FTR_SEED" t.dat --records 2000 --lost 0.2
	for key in G '<home>' 'g+1s<enter>' 'g-1s<enter>' ma G "'a" '[' ']' '/marker<enter>' n N W M . , ';' ')' L B \
		'<pgdn><pgdn><pgdn><pgdn><pgdn><pgdn>' 'V<home><enter>' u 'q6<end><enter>' '3<wait><end>' q \
		'<tab><end><right>' '<left>' '<left><left><left>' '<enter>' '1<home>4<right>'; do
		i=$((i + 1))
		keys+="$key<wait><screen $(printf %02d $i)>"
	done
	browse t.dat "$keys" 120x60
	same "the timeline follows what is selected" "32 screens" "$(python3 - screens/*.txt <<-'EOF'
	import re, sys
	times, ways = set(), set()
	for path in sys.argv[1:]:
	    lines = open(path).read().split("\n")
	    rows, looks = lines[:len(lines) // 2 - 1], lines[len(lines) // 2:-1]
	    head = next(i for i, row in enumerate(rows) if row.startswith("timeline"))
	    since, until, n, column = re.match(r"  # (\S+) to (\S+), (\d+) columns of (.*)", rows[head + 1]).groups()
	    ways.add((n, column))
	    time = re.match(r"\d+\.\d+", rows[-1])
	    if not time:
	        continue                # there is a message
	    times.add(time[0])
	    now, since, until, n = (float(x) for x in (time[0], since, until, n))
	    marked = looks[head + 3].find("m", rows[head + 2].index("|")) - rows[head + 2].index("|")
	    if not since <= now <= until or abs((now - since) / (until - since) * n - marked - 0.5) > 1:
	        print("%s: %s is column %d of %s" % (path, time[0], marked, rows[head + 1]))
	if len(ways) != 1 or len(times) < 8:
	    print("ranges", ways, "times", times)
	print(len(sys.argv) - 1, "screens")
	EOF
	)"
	# each Left goes to another column, however few records there are
	"$ORACLE/mkdat.py" --seed "$FTR_SEED" t.dat --records 60 --lost 0
	browse t.dat "<wait><screen first><end><tab>$(printf '<left>%.0s' {1..99})<screen back>" 80x24
	same "Left goes to the first record" "$(sed -n '24s/ .*//p' screens/first.txt)" \
		"$(sed -n '24s/ .*//p' screens/back.txt)"
}

# A step from the log or the graph goes on from the events beside it.
steps_beside() {
	local text
	"$ORACLE/mkdat.py" t.dat --records 400 --lost 0.2
	text=$("$FTR" report -q t.dat | grep -o 'marker [0-9]* ' | sed -n 50p)
	browse t.dat "<wait>S6/$text<enter><wait><screen log>B<wait><screen marked><tab>3<wait>.<wait><screen graph>" \
		110x40 --view events
	same "from the log: what is found is selected in the events" \
		"$(grep -F -- "$text" screens/log.txt | sed 's/.* \([0-9]*\.[0-9]*\): .*/\1/')" \
		"$(sed -n '40s/ .*//p' screens/log.txt)"
	has "from the log: a marker is set there" "$(cat screens/marked.txt)" "^B.*$text"
	"$FTR" report -q t.dat | grep -A 1000 -F -- "$text" > behind
	same "from the graph: the next record of the task" \
		"$(grep -F -- "$(sed -n '1s/ *\[.*//p' behind)" behind | sed -n '2s/.*\] .....  //p' | cut -c1-40)" \
		"$(sed -n 's/^ >.*\] .....  //p' screens/graph.txt | cut -c1-40)"
}

# Keys that are sent together do what they do one after the other: at each ~ who is patient waits. All lanes have room:
# where they are scrolled to depends on the tasks that were selected while they were there.
typed_ahead() {
	local name start keys far near
	install -m 755 "$FTR_BUILD/tests/plugins/slow.so" slow.so
	"$ORACLE/mkdat.py" --seed "$FTR_SEED" t.dat --records 400 --lost 0.3
	# what is found behind most switches, and before some
	far=$("$FTR" report -q t.dat | grep -o 'marker [0-9]* ' | tail -n 3 | head -n 1)
	near=$("$FTR" report -q t.dat | grep -o 'marker [0-9]* ' | tail -n 20 | head -n 1)
	while IFS=: read -r name start keys; do
		keys=${keys//FAR/$far<enter>} keys=${keys//NEAR/$near<enter>}
		browse t.dat "$start${keys//\~/<wait>}<wait><screen x>" 100x40 --plugin ./slow.so -O slow:us=2000
		cp screens/x.txt patient.txt
		browse t.dat "$start${keys//\~/}<wait><screen x>" 100x40 --plugin ./slow.so -O slow:us=2000
		same_files "typed ahead: $name" patient.txt screens/x.txt
	done <<-'EOS'
	a marker behind a search:<wait>:A/FAR~B
	rows behind searches:<wait>:/NEAR~jj~n~kA<pgdn>B
	another search:<wait>:/FAR~?NEAR~ma<home>
	its other end, and from there:<wait>:/FAR~M~B
	another view of it:<wait>:/NEAR~3~jj~A
	the column behind:<wait>++<wait><tab>:/NEAR~<right><right>A
	what is counted::V~<home><enter>~j<enter>~1
	the log::6~<end><enter>~B
	lanes::<tab>~<end>kkk~<enter>~A
	calls::3~jjjj<enter>~c~A
	EOS
}

# Ctrl-C stops what goes on, without what was to come behind it; else it ends the program.
interrupted() {
	install -m 755 "$FTR_BUILD/tests/plugins/slow.so" slow.so
	"$ORACLE/mkdat.py" t.dat --records 1200 --lost 0
	browse t.dat '<wait><screen before>/zzzz<enter>G<screen on><ctrl-c><wait><screen off><ctrl-c><screen never>' \
		80x24 --plugin ./slow.so -O slow:us=3000
	same "Ctrl-C: it ends a search, then the program" "before off on" "$(cd screens && echo * | sed 's/\.txt//g')"
	has "Ctrl-C: a key waits for the search" "$(sed -n 24p screens/on.txt)" 'searching [0-9]* %, 1 key waits$'
	same "Ctrl-C: the search was stopped" "the search was stopped" "$(sed -n 24p screens/off.txt)"
	same "Ctrl-C: the key does not come" "$(sed -n 2,23p screens/before.txt)" "$(sed -n 2,23p screens/off.txt)"
	browse t.dat '<ctrl-c><wait><screen on><ctrl-c><screen never>' 80x24
	same "Ctrl-C: it ends what goes on at the start, then the program" on.txt "$(ls screens)"
	browse t.dat '<wait>/text<screen typed><ctrl-c><screen never>' 80x24
	same "Ctrl-C: it ends the program while a text is typed" typed.txt "$(ls screens)"
}

# Where there are no calls the graph counts the records of other spans, as the file was made.
other_spans() {
	case_file spans <<-'END'
	0 1000 100 . sys_enter id=0
	0 1100 100 h irq_handler_entry irq=1 name=x
	0 1200 100 h irq_handler_exit irq=1 ret=1
	0 1300 100 . sys_exit id=0 ret=7
	0 1400 100 . sys_enter id=1
	0 4000 100 . sched_switch prev_comm=a prev_state=S next_pid=0 next_comm=swapper
	END
	browse spans0.dat '<wait><screen x>' 80x24 --view graph
	same "no calls: which other spans there are" "$(cat <<-'END'
	graph
	  no records of function_graph: 'ftr record -p function_graph' records them
	    syscall                   3  ftr graph --kind syscall
	    irq                       2  ftr graph --kind irq
	    sched_switch              1  the timeline, key 4
	  in the events, M goes from one end of a span to the other
	END
	)" "$(sed -n 2,7p screens/x.txt)"
	case_file none <<-'END'
	0 1000 100 . sched_waking comm=a pid=100 prio=120 target_cpu=0
	END
	browse none0.dat '<wait><down><screen x>' 80x24 --view graph
	same "no calls: no other spans" "  there are none of other spans either" "$(sed -n 4p screens/x.txt)"
}

wrong_usage() {
	"$ORACLE/mkdat.py" t.dat
	ftr_refuses "no terminal" 2 "standard output is not a terminal" browse t.dat
	ftr_refuses "no terminal: what else" 2 "hint: use 'ftr report' for text" browse t.dat
	printf 'j<nonsense>' > keys
	ftr_refuses "a script that is wrong" 2 "'<nonsense>'" browse --keys keys t.dat
	printf j > keys
	ftr_refuses "a size" 2 "'80' is not a size of a screen" browse --keys keys --size 80 t.dat
	ftr_refuses "a time" 2 "yesterday" browse --keys keys --at yesterday t.dat
	ftr_refuses "a view" 2 "unknown view 'graphs'" browse --keys keys --view graphs t.dat
	ftr_refuses "a filter" 2 "cannot understand the filter" browse --keys keys -F 'prev_pid =' t.dat
	ftr_refuses "a column" 2 "nonesuch" browse --keys keys --fields nonesuch t.dat
	ftr_refuses "no file" 1 "cannot open 'none.dat'" browse --keys keys none.dat
	ftr_refuses "--size alone" 2 "work with --keys only" browse --size 80x24 t.dat
	printf '<screen x>' > keys
	ftr_refuses "a folder that is not there" 1 "cannot write 'none/x.txt'" browse --keys keys --dump none t.dat
}

timing() {
	"$ORACLE/mkdat.py" t.dat
	printf 'j<down><space><wait>' > keys
	"$FTR" browse --keys keys --timing times t.dat > out 2> err
	same "--timing: a line a key" 'j <down> <space> <wait>' \
		"$(awk 'NF == 4 && $4 == 0 && $2 + 0 >= 0 && $3 + 0 >= 0 { print $1 }' times | xargs)"
}

same_words
other_rows
golden_all
keys_are_tried
times_of_rows
at_start
hidden_sums
many_lanes
timeline_follows
steps_beside
typed_ahead
interrupted
other_spans
wrong_usage
timing
finish
