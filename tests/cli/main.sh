#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# builds: both
# The main program: help, suggestions, exit statuses, colour, pager, a standard output that goes away or is full.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1

capture "$FTR"
same "ftr alone: status 0" 0 "$ST"
same "ftr alone: five example lines" 5 "$(grep -c '^  ftr ' <<< "$OUT")"
for words in help -h --help; do
	capture "$FTR" $words
	same "ftr $words: status 0, nothing on stderr" "0:" "$ST:$ERR"
	has "ftr $words lists record" "$OUT" '^  record +[a-z]'
	has "ftr $words groups commands" "$OUT" '^Look at trace files:$'
done
same "ftr -h: at most 24 lines of 80 columns" "0 0" \
	"$("$FTR" -h | awk 'END { printf "%d", (NR > 24) }') $("$FTR" -h | awk 'length > 80' | wc -l)"
table=$(sed -n 's/^\t&cmd_\([a-z_]*\),$/\1/p' "$FTR_TOP/src/cmd/command_table.c" | tr _ - | xargs)
check "the table has commands" test "$(wc -w <<< "$table")" -ge 39
for words in "help -a" "help --all"; do
	capture "$FTR" $words
	same "ftr $words: every row of the table, in its order" "0:$table" \
		"$ST:$(sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p' <<< "$OUT" | xargs)"
	has "ftr $words: options before the command" "$OUT" '^ +--no-pager '
	check "ftr $words: 80 columns" test "$(awk 'length > 80' <<< "$OUT" | wc -l)" = 0
done
same "ftr -h has rows of ftr help -a only" '' "$(comm -13 <("$FTR" help -a | sort) <("$FTR" -h | grep '^  ' | sort))"
for c in record report info help; do
	capture "$FTR" "$c" -h
	same "ftr $c -h: status 0, nothing on stderr" "0:" "$ST:$ERR"
	has "ftr $c -h: usage" "$OUT" "^Usage: ftr $c"
	check "ftr $c -h: at least three examples" test "$(sed -n '/^Examples:/,$p' <<< "$OUT" | grep -c '^  ')" -ge 3
	capture "$FTR" "$c" --bogus
	same "ftr $c --bogus: status 2, nothing on stdout" "2:" "$ST:$OUT"
	has "ftr $c --bogus: names the option" "$ERR" "unknown.*option '--bogus'"
done
capture "$FTR" recrod
same "an unknown command: status 2" 2 "$ST"
has "an unknown command: suggestion" "$ERR" "^hint: did you mean 'ftr record'\?"
capture "$FTR" xyzzyplugh
has "a command like no other: no wild guess" "$ERR" "^hint: 'ftr help' lists"
capture "$FTR" report --cpuu 1
has "an unknown option: suggestion" "$ERR" "did you mean '--cpu'"
# An option that stands in the wrong place: where it belongs
hint_is() {	# NAME HINT ARGS...
	local name=$1 want=$2
	shift 2
	capture "$FTR" "$@"
	same "$name" "2 hint: $want" "$ST $(grep '^hint: ' <<< "$ERR")"
}
hint_is "an option before the command, behind it" \
	"'--color' stands before the command, as in 'ftr --color=WHEN report': auto, always or never; NO_COLOR is \
honoured" report --color=always
hint_is "a letter before the command, behind it" \
	"'-V' stands before the command, as in 'ftr -V info': print the version" info -V
hint_is "another command's option" "'--flight' is an option of 'ftr record'" report --flight
hint_is "a verb's option, given to another" "'--max-active' is an option of 'ftr probe add'" probe list --max-active 3
hint_is "a command's option before the command" "'--flight' is an option of 'ftr record'" --flight record
capture "$FTR" stop --json
has "an option of many commands" "$ERR" \
	"^hint: '--json' is an option of 'ftr [a-z ]*', 'ftr [a-z ]*', 'ftr [a-z ]*' and [1-9]"
hint_is "what is near stays in front" "did you mean '--filter'? '--filters' is an option of 'ftr list'" \
	record --filters
hint_is "an option of four commands" \
	"did you mean '--event'? '--events' is an option of 'ftr split', 'ftr report', 'ftr dump' and 1 other" \
	record --events
hint_is "nobody's option" "'ftr stop -h' lists the options" stop --nobodys
# An option's name is written in full: each beginning of each name of these commands is refused. With sanitizers these
# 900 runs take a minute.
commands="report record listen"
if [ "${FTR_IS_SAN:-}" = 1 ] && [ "${FTR_LONG:-}" != 1 ]; then
	commands=listen
	skip "ftr report, record: beginnings of names" "a minute with sanitizers; plain and FTR_LONG=1 have them"
fi
PYTHONPATH=$FTR_TOP/tests/tools PYTHONDONTWRITEBYTECODE=1 python3 - $commands <<- 'EOF' || FAILED=1
	import re, sys
	import ftr_batch

	batch = ftr_batch.Batch()

	def run_ftr(*words):
	    return batch.run(*words)

	def is_refused(command, name, word):
	    out = run_ftr(command, word + '=1', 'nosuch')
	    if (out.status == 2 and "unknown option '%s'" % word in out.err and
	            re.search(r"^hint: .*in full: .*'%s'" % name, out.err, re.M)):
	        return True
	    print('# ftr %s %s: %d: %s' % (command, word, out.status, out.err))

	bad = 0
	for command in sys.argv[1:]:
	    names = re.findall(r'^ +(?:-[a-zA-Z],)? *(--[a-z0-9-]+)', run_ftr(command, '-h').out.decode(), re.M)
	    words = [(name, name[:n]) for name in names + ['--help'] for n in range(3, len(name))
	             if name[:n] not in names]
	    taken = [word for name, word in words if not is_refused(command, name, word)]
	    ok = not taken and len(names) > 5
	    bad += not ok
	    print('%s - ftr %s: none of %d beginnings of %d names is taken' %
	          ('ok' if ok else 'not ok', command, len(words), len(names)))
	batch.close()
	sys.exit(bad > 0)
EOF
capture "$FTR" report --stat=1
has "an option that takes no argument" "$ERR" "option '--stat' takes no argument"
capture "$FTR" report --engine
has "an option without its argument" "$ERR" "option '--engine' needs an argument"
capture "$FTR" --version
has "ftr --version" "$OUT" '^ftr [0-9]+\.[0-9]+'
capture "$FTR" --color=sometimes help
same "--color=sometimes: status 2" 2 "$ST"

capture "$FTR" report
same "report without a file: status 1" 1 "$ST"
has "report without a file: subject and reason" "$ERR" "^ftr: cannot open 'trace.dat': No such file or directory"
has "report without a file: hint" "$ERR" '^hint: '
capture "$FTR" --color=always report
has "--color=always paints the message" "$ERR" $'^\033\\[31;1mftr:'
capture env NO_COLOR=1 TERM=xterm "$FTR" report
has "stderr is no terminal: plain" "$ERR" '^ftr: cannot'

capture "$FTR" report $'no\nhint: rm -rf /\nftr: warning: x'
same "a line end in a name makes no hint of ours" 'ftr:|hint: record' \
	"$(grep -o '^ftr:\|^hint: record\|^hint: rm' <<< "$ERR" | paste -sd '|')"
has "a line end in a name is shown" "$ERR" "'no\\\\x0ahint: rm -rf /\\\\x0aftr: warning: x'"
"$FTR" help > /dev/full 2> "$TMP/stderr"
same "a full standard output: status 3" 3 $?
has "a full standard output: message" "$(cat "$TMP/stderr")" "cannot write to standard output: No space left on device"
{ "$FTR" record -h; echo $? > "$TMP/st"; } 2> "$TMP/stderr" | head -c 1 > "$TMP/one"
same "a reader that goes away: quiet" "0:" "$(cat "$TMP/st"):$(cat "$TMP/stderr")"
python3 "$FTR_TOP/tests/oracle/mkdat.py" small.dat --seed 1
for words in help 'report small.dat' 'info small.dat'; do
	"$FTR" $words >&- 2> "$TMP/stderr"
	same "ftr $words, a closed standard output: status 3" 3 $?
	has "ftr $words, a closed standard output: message" "$(cat "$TMP/stderr")" \
		"cannot write to standard output: Bad file descriptor"
	"$FTR" $words < /dev/null > out 2> "$TMP/stderr"
	"$FTR" $words <&- 2> /dev/null | cmp -s - out && pass "ftr $words, a closed standard input" ||
		fail "ftr $words, a closed standard input"
done

# Help fits the terminal: its longest line of options is shorter than that, but not by a word.
longest() {
	"$@" | sed -nE '/^Examples:/q; /^(Usage|ftr) ?/d; p' | tr -d '\r' |
		awk '{ if (length($0) > n) n = length($0) } END { print n + 0 }'
}
for w in 60 70 80; do
	n=$(COLUMNS=$w longest "$FTR" report -h)
	check "-h fits $w columns: $n" test "$n" -lt "$w" -a "$n" -gt $((w - 12))
done
# no text of an option has more than 60 columns, the first of which is the 29th
n=$(COLUMNS=100 longest "$FTR" report -h)
check "-h fits 100 columns: $n" test "$n" -le 88 -a "$n" -gt 80
same "-h: no more than 100 columns" "$(COLUMNS=100 "$FTR" report -h)" "$(COLUMNS=300 "$FTR" report -h)"
same "-h: no fewer than 48" "$(COLUMNS=48 "$FTR" report -h)" "$(COLUMNS=5 "$FTR" report -h)"
same "-h: 80 where nothing tells" "$(COLUMNS=80 "$FTR" report -h)" "$(env -u COLUMNS "$FTR" report -h)"
same "-h: COLUMNS that is no number" "$(COLUMNS=80 "$FTR" report -h)" "$(COLUMNS=wide "$FTR" report -h)"
if command -v script > /dev/null; then
	for p in cat 'sed s/x/x/'; do
		FTR_PAGER=$p script -qec "stty cols 60; env -u COLUMNS $FTR report -h" /dev/null < /dev/null |
			tr -d '\r' > help60
		same "-h fits the terminal, pager: $p" "$(COLUMNS=60 "$FTR" report -h)" "$(cat help60)"
	done
	FTR_PAGER='sh -c "echo LESS=$LESS"' script -qec "env -u LESS $FTR report -h" /dev/null < /dev/null |
		tr -d '\r' > less
	same "less shows colours and leaves one screen on it" "LESS=FRX" "$(cat less)"
	FTR_PAGER='sh -c "echo LESS=$LESS"' LESS=F script -qec "$FTR report -h" /dev/null < /dev/null |
		tr -d '\r' > less
	same "the user's LESS stays" "LESS=F" "$(cat less)"
else
	skip "-h fits the terminal" "no script(1)"
fi

# On a terminal: the pager runs and colour is on; script(1) gives the terminal.
if command -v script > /dev/null && [ -e "$FTR_FIXTURES_DIR/trappy-raw-64le.dat.xz" ]; then
	xz -dc "$FTR_FIXTURES_DIR/trappy-raw-64le.dat.xz" > f.dat
	"$FTR" report f.dat > plain 2> /dev/null
	FTR_PAGER='sed s/^/PAGED:/' script -qec "$FTR report f.dat" /dev/null < /dev/null 2>&1 | tr -d '\r' > paged
	same "on a terminal: every line goes through the pager" "$(wc -l < plain)" "$(grep -c '^PAGED:' paged)"
	FTR_PAGER='sed s/^/PAGED:/' script -qec "$FTR --no-pager report f.dat" /dev/null < /dev/null |
		tr -d '\r' > unpaged
	echo "$([ "$(id -u)" = 0 ] && echo 1)" > secure.want
	FTR_PAGER='sh -c "echo SECURE=$LESSSECURE; cat >/dev/null"' script -qec "$FTR report f.dat" \
		/dev/null < /dev/null |
		tr -d '\r' | sed -n 's/^SECURE=//p' > secure
	same_files "root's pager gets LESSSECURE, others' not" secure.want secure
	same "--no-pager" 0 "$(grep -c '^PAGED:' unpaged)"
	FTR_PAGER='sed s/^/PAGED:/' "$FTR" report f.dat > nopager 2> /dev/null
	same_files "no terminal: no pager" plain nopager
	TERM=xterm script -qec "$FTR report nothere" /dev/null < /dev/null > painted 2>&1
	has "on a terminal: the message is painted" "$(cat painted)" $'\033\\[31;1mftr:'
	FTR_PAGER=cat NO_COLOR=1 TERM=xterm script -qec "$FTR report nothere" /dev/null < /dev/null > painted 2>&1
	has "NO_COLOR is honoured" "$(cat painted)" '^ftr: cannot'
else
	skip "pager and colour on a terminal" "no script(1) or no fixtures in $FTR_FIXTURES_DIR"
fi
finish
