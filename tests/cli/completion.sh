#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Completion: what 'ftr help --complete' says, and that bash, zsh and fish themselves complete with it.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/ftr_batch.sh"
cd "$TMP" || exit 1

# A tree that looks like tracefs as far as names go.
export FTR_TRACEFS=$TMP/tracefs
mkdir -p tracefs/instances/mine tracefs/instances/other bin here
(cd tracefs && {
	echo nop > current_tracer
	echo 'hwlat function_graph function nop' > available_tracers
	printf '%s\n' sched:sched_switch sched:sched_waking irq:irq_handler_entry > available_events
	printf '%s\n' vfs_read vfs_write 'ext4_open [ext4]' > available_filter_functions
	echo '[local] global counter mono' > trace_clock
	printf '%s\n' print-parent nosym-offset overwrite > trace_options
	mkdir -p events/sched/sched_switch
	: > events/sched/sched_switch/format
	: > events/sched/enable
})
: > 'here/one.dat'
ln -s "$FTR" bin/ftr
PATH=$TMP/bin:$PATH
export PATH

# What help and completion say comes from one process; the shells below start ftr itself.
batch_start
batch_ftr help -a
OVERVIEW=$OUT

# named WORD: the commands of the overview that begin so, one line
named() {
	awk -v w="$1" '/^  [a-z]/ && index($1, w) == 1 { out = out s $1; s = " " } END { print out }' <<< "$OVERVIEW"
}

# says WORDS... : the names, one line
says() {
	local line out=
	batch_ftr help --complete -- "$@"
	while IFS= read -r line; do
		out+=" ${line%%$'\t'*}"
	done <<< "$OUT"
	[ -z "$ERR" ] || out+=" $ERR"
	echo "${out# }"
}

same "commands" "$(named re)" "$(says re)"
same "every command of the table" "$(named '')" "$(says '')"
same "options before the command" '--no-pager --no-config' "$(says --no)"
same "a command behind them" "$(named re)" "$(says --color always --no-pager re)"
same "long options" '--max-graph-depth --max-kept --max-size --max-rate' "$(says record --max)"
same "every long option of the help" \
	"$("$FTR" record -h | grep -oE '^  (  |-[a-zA-Z]),? +--[a-z-]+' | grep -oE -- '--.*' | LC_ALL=C sort |
		xargs) --help" \
	"$(says record -- 2> err | tr ' ' '\n' | grep -v '^--help$' | LC_ALL=C sort | xargs) --help"
same "events and systems" 'sched sched:sched_switch sched:sched_waking' "$(says record -e sch)"
same "events, --event=" '--event=sched:sched_switch' "$(says record --event=sched:sched_s)"
same "events, -eWORD" '-esched:sched_switch' "$(says record -esched:sched_s)"
same "behind other options" 'irq irq:irq_handler_entry' "$(says record -p nop -qe ir)"
same "functions" 'vfs_read vfs_write' "$(says record -l vfs_)"
same "tracers" 'function_graph function' "$(says record -p fun)"
same "clocks" 'mono' "$(says record -C m)"
same "instances" 'mine other' "$(says record -B '')"
same "trace options" 'sym-offset' "$(says record -O sym)"
same "trace options, cleared" 'nooverwrite' "$(says record -O noo)"
same "operands: trace options" 'overwrite' "$(says options ov)"
same "operands: files" ':files' "$(says report o)"
same "an option that takes a file" ':files' "$(says record -o x)"
same "the command of a recording" ':commands' "$(says record -e sched -- l)"
same "the command of a recording, without --" ':commands' "$(says record -e sched ls -)"
# the verbs of a command are those that its help lists
verbs_of() {
	"$FTR" "$1" -h | sed -n '/^Verbs:$/,/^$/p' | awk -v c="$1" -v w="$2" \
		'$1 == "ftr" && $2 == c && $3 ~ /^[a-z]/ && index($3, w) == 1 { print $3 }' | xargs
}
for c in $(named ''); do
	verbs=$(verbs_of "$c" '')
	[ -n "$verbs" ] || continue
	verbs_seen+=" $c"
	same "verbs of $c" "$verbs" "$(says "$c" '')"
	same "help, verbs of $c" "$verbs" "$(says help "$c" '')"
done
has "verbs: commands that have some" "$verbs_seen" '^( (oops|probe|sched|snapshot|synth|trigger)){6}$'
same "verbs: begun" 'load' "$(says probe lo)"
same "verbs: options of one" '--func' "$(says trigger add --fu)"
same "verbs: options of one by another word" '--func' "$(says trigger del --fu)"
same "verbs: options without one" '--from-def' "$(says probe --from)"
same "verbs: options of a command with both" '--off' "$(says snapshot --of)"
same "verbs: an option's argument" 'mine' "$(says snapshot take -B mi)"
same "verbs: events" 'sched:sched_switch' "$(says trigger add sched:sched_s)"
same "verbs: functions" 'vfs_read' "$(says probe add vfs_r)"
same "verbs: files" ':files' "$(says probe load x)"
same "verbs: none of them" '' "$(says probe nothing x)"
same "help: a command without verbs" '' "$(says help record '')"
same "stack: no verbs but options" '--start --stop' "$(says stack --st)"
same "control files" 'current_tracer' "$(says show cur)"
same "control files: a folder" 'events/' "$(says show ev)"
same "control files: in it" 'events/sched/' "$(says show events/)"
same "control files: deeper" 'events/sched/enable events/sched/sched_switch/' "$(says show events/sched/)"
same "control files: begun there" 'events/sched/sched_switch/format' "$(says show -c 1 events/sched/sched_switch/fo)"
same "control files: not out of tracefs" '' "$(says show ../)$(says show /et)$(says show events/../../)"
has "control files: with what they are" "$("$FTR" help --complete -- show ev)" $'^events/\tdirectory$'
same "help completes commands" "$(named re)" "$(says help re)"
same "words that are no command" '' "$(says mark ls l)"
same "an argument that nothing is known of" '' "$(says record -f x)"
same "an unknown command" '' "$(says nothing x)"
same "no words" '' "$(says)"
same "formats" 'text kernel' "$(says report --format '')"
same "formats, --format=" '--format=kernel' "$(says report --format=k)"
check "within a word: the status, also of the build that looks for leaks" "$FTR" help --complete -- report --format=k
same "formats of export" 'chrome' "$(says export --to ch)"
same "formats of the rows of a query" 'json jsonl markdown' "$(says export --to j) $(says export --to m)"
same "themes and views of browse" 'dark help' "$(says browse --theme d) $(says browse --view h)"
same "engines" 'traceevent' "$(says report --engine t)$(says report x --engine=x)"
same "engines of check-events" 'ftr traceevent' "$(says check-events --engine '')"
same "kinds of spans" 'syscall softirq' "$(says graph --kind sys)$(says profile --kind x) $(says graph --kind so)"
same "kinds of spans: a list" 'syscall,irq' "$(says profile --kind syscall,ir)"
same "kinds of spans: --kind=" '--kind=work' "$(says graph --kind=w)"
same "rows of a profile" 'task' "$(says profile --by t)"
same "columns of a profile" 'max min' "$(says profile --fields m)"
same "columns of a profile: a list behind a plus" '+self,p50 +self,p99' "$(says profile --fields +self,p)"
same "columns to sort by" 'stddev runtime' "$(says profile --sort st) $(says sched latency --sort r)"
same "orders of a timeline and of a diff" 'wait ratio' "$(says timeline --sort w) $(says diff --sort r)"
same "what is compared" 'max min' "$(says diff --of m)"
same "kinds of latencies" 'wakeup work' "$(says latency w)"
same "behind the kind: files" ':files' "$(says latency wakeup '')"
same "groups and units of latencies" 'task ns' "$(says latency --by t) $(says latency --unit n)"
same "columns of a report are others" 'comm cpu' "$(says report --fields c)"
same "when to colour" 'always' "$(says --color al)"
same "when to colour, --color=" '--color=never' "$(says --color=n)"
same "shells" 'bash zsh fish' "$(says help --completion '')"
same "compressions" "$("$FTR" list compressions | awk '{ print $1 }' | sort | xargs)" \
	"$(says record --compression '' | tr ' ' '\n' | sort | xargs)"
# each word is taken: what the commands refuse has a list of those that there are
for o in format engine; do
	has "--$o: what there is" "$("$FTR" report --$o=none 2>&1)" \
		"there are: $(says report --$o '' | sed 's/ /, /g')$|there are: $(says report --$o '' |
		awk '{ print $2 ", " $1 }')$"
done

# --- what a trace file has

# Names that a shell would run, of a task, and of one with a blank; control bytes.
cat > mkevil.py <<'END'
import sys
sys.path.insert(0, sys.argv.pop(1))
import mkdat
mkdat.COMMS.update({41: "$(>ran1)", 1234: "`>ran2`", 4001: "l;>ran3;s", 32768: "e\x1b[2Jd", 777: "a b 'c"})
sys.exit(mkdat.main())
END
python3 mkevil.py "$ORACLE" trace.dat --records 300 --cpus 2 > /dev/null
python3 "$ORACLE/mkdat.py" here/sound.dat --records 300 > /dev/null
same "kinds of spans: all that there are" \
	"$("$FTR" graph --kind none here/sound.dat 2>&1 | sed -n 's/^hint: there are: //p')" \
	"$(says graph --kind '' | sed 's/ /, /g')"
cp trace.dat 'here/a b.dat'
same "events of a file" 'sched sched:sched_switch sched:sched_waking sched_switch sched_waking' \
	"$(says report here/sound.dat --event sched)"
same "events of a file, not the kernel's" '' "$(says report here/sound.dat --event irq)"
same "events of a file, --event=, by its name" '--event=demo:demo_path' "$(says report -i here/sound.dat --event=demo:)"
same "events of --input=" 'demo_path' "$(says report --input=here/sound.dat --event demo_)"
same "events of -iFILE" 'demo_path' "$(says report -ihere/sound.dat --event demo_)"
same "tasks of a file" 'bash' "$(says report here/sound.dat --comm b)"
same "tasks to draw" 'bash' "$(says timeline here/sound.dat --tasks b)"
same "tasks of several files" 'kworker/0:1-ev last-pid' \
	"$(says report trace.dat here/sound.dat --comm k) $(says report trace.dat here/sound.dat --comm la)"
"$FTR" help --complete -- report here/sound.dat --comm '' | cut -f 1 | sort > got
"$FTR" report --fields=comm here/sound.dat | sed 's/^ *//; s/ *$//' | grep -v -e '^<' -e 'EVENTS DROPPED' |
	sort -u > want
same "all of them are those of its records" "$(cat want)" "$(grep -Fx -f want got)"
same "fields" 'prev_comm prev_pid prev_prio prev_state' "$(says report here/sound.dat --fields prev_)"
same "fields, behind others" 'comm,pid,text' "$(says report here/sound.dat --fields comm,pid,te)"
same "fields to weigh stacks by" 'prev_comm prev_pid prev_prio prev_state' "$(says flame here/sound.dat --weight prev_)"
same "fields, --fields=" '--fields=time,target_cpu' "$(says report here/sound.dat --fields=time,targ)"
same "the default file" "a b 'c" "$("$FTR" help --complete -- report --comm a | cut -f 1)"
same "control bytes are left out" '' "$(says report --comm e)"
cp here/sound.dat here/xi
same "a file whose name ends as an option" 'demo_path' "$(says report here/xi --event demo_)"
mkfifo here/fifo
for f in none here here/fifo here/one.dat - /dev/zero ftr.bash; do
	same "nothing of '$f', in silence" '0:' \
		"$(timeout 10 "$FTR" help --complete -- report "$f" --comm '' 2>&1 < here/sound.dat; echo "$?:")"
done
head -c 3000 trace.dat > cut.dat
check "of a file that is cut: no error" "$FTR" help --complete -- report cut.dat --comm ''
has "with what they are" "$("$FTR" help --complete -- rec)" $'^record\t.'
run_out=$(FTR_TRACEFS=$TMP/none "$FTR" help --complete -- record -e sch 2>&1)
same "no tracefs: nothing, in silence" '0:' "$?:$run_out"
"$FTR" help --completion tcsh > out 2> err
same "an unknown shell: status" 2 $?
has "an unknown shell" "$(cat err)" "no completion for 'tcsh'"

# --- the shells

"$FTR" help --completion bash > ftr.bash
cat > drive.bash <<'END'
. ./ftr.bash
[[ $(complete -p ftr) == 'complete -F _ftr ftr' ]] || echo not registered
compopt() { opts=" ($*)"; }	# bash has it in a completion only
completed() {
	COMP_LINE=$1 COMP_POINT=${#1}
	COMPREPLY=() opts=
	_ftr
	echo "$1: ${COMPREPLY[*]}$opts"
}
completed 'ftr rec'
completed 'ftr record -e sched:sched_s'
completed 'ftr record --event=sched:sched_s'
completed 'ftr record --tracer=function_'
completed 'ftr record -p '
completed 'ftr report here/o'
completed 'ftr record -e irq -- mkfif'
completed 'ftr probe '
completed 'ftr snapshot ta'
completed 'ftr show cur'
completed 'ftr show ev'
completed 'ftr show events/sched/e'
END
cat > want <<'END'
ftr rec: record recover
ftr record -e sched:sched_s: sched_switch
ftr record --event=sched:sched_s: sched_switch
ftr record --tracer=function_: function_graph
ftr record -p : hwlat function_graph function nop
ftr report here/o: here/one.dat (-o filenames)
ftr record -e irq -- mkfif: mkfifo
ftr probe : add list del load
ftr snapshot ta: take
ftr show cur: current_tracer
ftr show ev: events/ (-o nospace)
ftr show events/sched/e: events/sched/enable
END
cat >> drive.bash <<'END'
HOME=$PWD/here
completed 'ftr report ~/sound.dat --event demo:'
completed 'ftr report here/a\ b.dat --comm a'
completed 'ftr report --comm $'
completed 'ftr report --comm l;'
END
cat >> want <<'END'
ftr report ~/sound.dat --event demo:: demo_path
ftr report here/a\ b.dat --comm a: a\ b\ \'c
ftr report --comm $: \$\(\>ran1\)
ftr report --comm l;: l\;\>ran3\;s
END
bash drive.bash 2>&1 | sed "s/mkfifo mkfifo/mkfifo/" > got	# it may be in two folders
same_files "bash" want got
# A real command line: TAB typed at an interactive bash.
if command -v script > script.path; then
	printf '. ./ftr.bash\nPS1=\nbind "set bell-style none"\nbind "set enable-bracketed-paste off"\n' > rc
	printf 'echo ftr record -e sched:sched_s\001\ndd\n' > /dev/null
	# the completed line is run by an ftr that prints its arguments
	mkdir fake
	printf '#!/bin/sh\n[ "$1" = help ] && exec %s "$@"\necho "ARGS: $*"\n' "$FTR" > fake/ftr
	chmod +x fake/ftr
	printf 'ftr record -e sched:sched_s\t\nexit\n' |
		PATH=$TMP/fake:$PATH TERM=dumb timeout 120 script -qec 'bash --rcfile rc -i' /dev/null > tty 2>&1
	has "bash: TAB on a terminal" "$(tr -d '\r' < tty)" '^ARGS: record -e sched:sched_switch *$'
	printf 'ftr show ev\tsched/en\t\nftr snapshot ta\t\nexit\n' |
		PATH=$TMP/fake:$PATH TERM=dumb timeout 120 script -qec 'bash --rcfile rc -i' /dev/null > tty 2>&1
	has "bash: TAB on a terminal, a control file" "$(tr -d '\r' < tty)" '^ARGS: show events/sched/enable *$'
	printf '%s\n' 'ftr report --comm \$'$'\t' 'ftr report --comm \`'$'\t' $'ftr report --comm l\t' \
		$'ftr report --comm a\t' exit |
		PATH=$TMP/fake:$PATH TERM=dumb timeout 120 script -qec 'bash --rcfile rc -i' /dev/null > tty2 2>&1
	same "bash: TAB on a terminal, names that a shell would run" \
		"report --comm \$(>ran1):report --comm \`>ran2\`:report --comm l:report --comm a b 'c:" \
		"$(tr -d '\r' < tty2 | sed -n 's/^ARGS: //p' | sed 's/ $//' | tr '\n' ':')"
	has "bash: TAB on a terminal, a verb" "$(tr -d '\r' < tty)" '^ARGS: snapshot take *$'
else
	skip "bash: TAB on a terminal" "no script(1)"
fi

if command -v zsh > zsh.path; then
	"$FTR" help --completion zsh > _ftr
	check "zsh: syntax" zsh -n _ftr
	cat > drive.zsh <<'END'
		zmodload zsh/zpty
		zpty z zsh -f -i
		zpty -w z 'PS1=; PROMPT_EOL_MARK=; autoload -Uz compinit; compinit -u -D; source ./_ftr; print READY'
		zpty -r -m z line '*READY*READY*'
		zpty -w -n z $'ftr record -e sched:sched_s\t\n'
		zpty -r -m z line '*ARGS:*sched_switch*'
		print -r -- "$line"
		zpty -w -n z $'ftr show ev\tsched/en\t\n'
		zpty -r -m z line '*ARGS: show*enable*'
		print -r -- "$line"
		zpty -w -n z $'ftr snapshot ta\t\n'
		zpty -r -m z line '*ARGS: snapshot take*'
		print -r -- "$line"
		zpty -w -n z $'ftr report --comm \\$\t\n'
		zpty -r -m z line '*ARGS: report*ran1[)]*'
		print -r -- "$line"
		zpty -w -n z $'ftr report here/a\\ b.dat --comm \\`\t\n'
		zpty -r -m z line '*ARGS: report*ran2[`]*'
		print -r -- "$line"
		zpty -d z
END
	TERM=dumb PATH=$TMP/fake:$PATH timeout 120 zsh -f drive.zsh > tty 2>&1
	has "zsh: TAB on a terminal" "$(tr -d '\r' < tty)" 'ARGS: record -e sched:sched_switch'
	has "zsh: TAB on a terminal, a control file" "$(tr -d '\r' < tty)" 'ARGS: show events/sched/enable'
	has "zsh: TAB on a terminal, a name that it would run" "$(tr -d '\r' < tty)" 'ARGS: report --comm \$\(>ran1\)'
	has "zsh: TAB on a terminal, another" "$(tr -d '\r' < tty)" 'ARGS: report here/a b.dat --comm `>ran2`'
	has "zsh: TAB on a terminal, a verb" "$(tr -d '\r' < tty)" 'ARGS: snapshot take'
else
	skip "zsh" "it is not installed"
fi

if command -v fish > fish.path; then
	"$FTR" help --completion fish > ftr.fish
	check "fish: syntax" fish -n ftr.fish
	complete_fish() {
		HOME=$TMP fish --no-config -c "source ftr.fish; complete -C '$1'" | cut -f 1 | xargs
	}
	same "fish: commands" "$(named re | tr ' ' '\n' | sort | xargs)" "$(complete_fish 'ftr re')"
	same "fish: events" 'sched:sched_switch' "$(complete_fish 'ftr record -e sched:sched_s')"
	same "fish: events, --event=" '--event=sched:sched_switch' "$(complete_fish 'ftr record --event=sched:sched_s')"
	same "fish: files" 'here/one.dat' "$(complete_fish 'ftr report here/o')"
	same "fish: tasks of a file" 'bash' "$(complete_fish 'ftr report here/sound.dat --comm b')"
	same "fish: formats" 'kernel' "$(complete_fish 'ftr report --format k')"
	same "fish: names that a shell would run" 'l;>ran3;s last-pid' "$(complete_fish 'ftr report --comm l')"
	same "fish: verbs" 'add del list load' "$(complete_fish 'ftr probe ' | tr ' ' '\n' | sort | xargs)"
	same "fish: control files" 'events/sched/enable events/sched/sched_switch/' \
		"$(complete_fish 'ftr show events/sched/')"
	has "fish: what it is" "$(HOME=$TMP fish --no-config -c "source ftr.fish; complete -C 'ftr rec'")" $'^record\t'
else
	skip "fish" "it is not installed"
fi
batch_stop
same "no name was run" '' "$(ls -d ran* here/ran* 2> err)"
finish
