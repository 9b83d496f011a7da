#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr trigger and ftr snapshot: wrong usage; what they list and write, on a folder that looks like tracefs.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1
export FTR_TRACEFS=$TMP/tracefs FTR_JOURNAL_DIR=$TMP/journal

usage() {	# NAME WORDS ARGS...
	local name=$1 words=$2
	shift 2
	capture "$FTR" "$@"
	same "$name: status 2, nothing on stdout" "2:" "$ST:$OUT"
	has "$name: words" "$ERR" "$words"
}

usage 'no verb' "^ftr: 'ftr trigger' needs a verb" trigger
has 'no verb: which there are' "$ERR" '^hint: it takes add, list or remove;'
usage 'an unknown verb' "^hint: did you mean 'ftr trigger remove'" trigger remov
usage 'an option before the verb' "the verb comes before the option '-Bx'" trigger -Bx list
usage 'add: no event' '^ftr: which event' trigger add
usage 'add: no trigger' '^ftr: which trigger' trigger add sched:sched_switch
has 'add: no trigger: the usage' "$ERR" '^hint: ftr trigger add \[OPTIONS\] EVENT'
usage 'list: two events' 'only one event' trigger list a b
usage 'remove: no trigger' '^ftr: which trigger' trigger remove sched:sched_switch
usage 'remove --all: two events' '^ftr: --all takes' trigger remove --all a b
usage 'add: an unknown option' "^hint: did you mean '--func'" trigger add --fnuc x
usage 'snapshot: an unknown verb' "did you mean 'ftr snapshot take'" snapshot tak
usage 'snapshot: a word too many' "unexpected word 'now'" snapshot take now
usage 'snapshot: save takes no word' "unexpected word 'x.dat'" snapshot save x.dat
usage 'snapshot: save has the options of extract' "did you mean '--output'" snapshot save --ouput x.dat
usage 'snapshot: --on and --off' 'exclude each other' snapshot --on a:b --off
usage 'snapshot: --if alone' 'go with --on' snapshot --if 'a > 1'
usage 'snapshot: --count alone' 'go with --on' snapshot --count 3
usage 'snapshot: no count' "'x' is not a count" snapshot --on a:b --count x
usage 'snapshot: no CPU' "'x' is not a CPU" snapshot take -c x

# ---- a folder that looks like tracefs
E=$FTR_TRACEFS/events
tree() {
	rm -rf "$FTR_TRACEFS" "$FTR_JOURNAL_DIR"
	mkdir -p "$E"/sched/{sched_switch,sched_waking} "$E/irq/irq_handler_entry" \
		"$FTR_TRACEFS/instances/one/events/sched/sched_switch" "$FTR_JOURNAL_DIR"
	chmod 700 "$FTR_JOURNAL_DIR"
	echo nop | tee "$FTR_TRACEFS/current_tracer" > "$FTR_TRACEFS/instances/one/current_tracer"
	echo 1 | tee "$FTR_TRACEFS/tracing_on" > "$FTR_TRACEFS/instances/one/tracing_on"
	printf 'sched:sched_switch\nsched:sched_waking\nirq:irq_handler_entry\n' > "$FTR_TRACEFS/available_events"
	printf '%s\n' 'traceoff:count=3 if prev_pid > 4 && next_comm ~ "a if b"' stacktrace:unlimited \
		enable_event:irq:irq_handler_entry:count=0 \
		'hist:keys=next_pid:vals=hitcount:sort=hitcount:size=2048 if prev_pid > 4 [paused]' \
		> "$E/sched/sched_switch/trigger"
	printf '# Available triggers:\n# traceon traceoff snapshot stacktrace\n' |
		tee "$E/sched/sched_waking/trigger" > "$E/irq/irq_handler_entry/trigger"
	echo snapshot:unlimited > "$FTR_TRACEFS/instances/one/events/sched/sched_switch/trigger"
	printf '%s\n' '#### all functions enabled ####' vfs_read:traceoff:count=4 vfs_write:dump:count=1 \
		'nfs_*:mod:nfs' vfs_open:enable_event:sched:sched_switch:unlimited > "$FTR_TRACEFS/set_ftrace_filter"
	printf 'vfs_read\nvfs_write\nvfs_open\nnfs_open [nfs]\n' > "$FTR_TRACEFS/available_filter_functions"
}
tree

HIST=hist:keys=next_pid:vals=hitcount:sort=hitcount:size=2048
cat > want.txt <<END
WHERE                              LEFT STATE   BY         TRIGGER
sched:sched_switch                    3 active  -          traceoff if prev_pid > 4 && next_comm ~ "a if b"
sched:sched_switch                    - active  -          stacktrace
sched:sched_switch                    0 spent   -          enable_event:irq:irq_handler_entry
sched:sched_switch                    - paused  -          $HIST if prev_pid > 4
vfs_read()                            4 active  -          traceoff
vfs_write()                           1 active  -          dump
vfs_open()                            - active  -          enable_event:sched:sched_switch
one/sched:sched_switch                - active  -          snapshot
END
"$FTR" trigger list > got.txt
same_files 'list: every instance, events and functions' want.txt got.txt
same 'list: an instance' 1 "$("$FTR" trigger list -B one | grep -c snapshot)"
same 'list: an event: without functions' 5 "$("$FTR" trigger list sched:sched_switch -B '' | wc -l)"
same 'list: a glob of functions' 'vfs_read() vfs_write()' \
	"$("$FTR" trigger list --func 'vfs_[rw]*' | awk 'NR > 1 { print $1 }' | xargs)"
# 7.2 tells which events have triggers, in columns
printf 'sched:sched_switch                                traceoff:count=3\n' > "$FTR_TRACEFS/show_event_triggers"
"$FTR" trigger list > got.txt
same_files 'list: with show_event_triggers' <(grep -v '^one' want.txt) <(grep -v '^one' got.txt)
rm "$FTR_TRACEFS/show_event_triggers"
capture "$FTR" trigger list irq
same 'list: nothing there' '0::ftr: there are no triggers' "$ST:$OUT:$ERR"
capture "$FTR" trigger list sched:sched_swich
has 'list: an unknown event' "$ST $ERR" "^1 ftr: no event matches 'sched:sched_swich'"
capture "$FTR" trigger list -B two
has 'list: an unknown instance' "$ST $ERR" "^1 ftr: no instance 'two'"
"$FTR" trigger list --json > got.json
python3 - <<'END' > got.rows
import json
for o in json.load(open('got.json')):
    print('|'.join(str(o.get(k, '-'))
                   for k in ('instance', 'event', 'function', 'trigger', 'filter', 'left', 'state', 'by')))
END
cat > want.rows <<'END'
|sched:sched_switch|-|traceoff|prev_pid > 4 && next_comm ~ "a if b"|3|active|-
|sched:sched_switch|-|stacktrace|-|-|active|-
|sched:sched_switch|-|enable_event:irq:irq_handler_entry|-|0|spent|-
|sched:sched_switch|-|hist:keys=next_pid:vals=hitcount:sort=hitcount:size=2048|prev_pid > 4|-|paused|-
|-|vfs_read|traceoff|-|4|active|-
|-|vfs_write|dump|-|1|active|-
|-|vfs_open|enable_event:sched:sched_switch|-|-|active|-
one|sched:sched_switch|-|snapshot|-|-|active|-
END
same_files 'list --json: the same' want.rows got.rows

# what is written behind what was there: plain files keep it
written() {	# NAME FILE WANTED ARGS...
	local name=$1 file=$FTR_TRACEFS/$2 want=$3 before
	shift 3
	before=$(wc -l < "$file")
	capture "$FTR" "$@"
	same "$name: status" "0" "$ST"
	[ "$ST" = 0 ] || sed 's/^/# /' <<< "$ERR"
	same "$name: what is written" "$want" "$(tail -n +$((before + 1)) "$file")"
}

written 'add' events/sched/sched_waking/trigger 'stacktrace:5 if pid > 1' trigger add sched:sched_waking \
	stacktrace:5 if 'pid > 1'
same 'add: by whom' ftr "$("$FTR" trigger list sched:sched_waking | awk '/stacktrace/ { print $4 }')"
tree
written 'add to functions' set_ftrace_filter 'vfs_*:stacktrace:3' trigger add --func 'vfs_*' stacktrace:3
tree
written 'add in an instance' instances/one/events/sched/sched_switch/trigger traceoff trigger add -B one \
	sched:sched_switch traceoff
tree
written 'remove: as it was added' events/sched/sched_switch/trigger '!traceoff' trigger remove sched:sched_switch \
	traceoff:9 if 'prev_pid > 4 && next_comm ~ "a if b"'
tree
written 'remove: as it is listed' events/sched/sched_switch/trigger '!stacktrace' trigger remove sched:sched_switch \
	stacktrace:unlimited
tree
written 'del: another word for remove' events/sched/sched_switch/trigger '!stacktrace' trigger del sched:sched_switch \
	stacktrace
tree
written 'create: another word for add' events/sched/sched_waking/trigger traceoff trigger create sched:sched_waking \
	traceoff
has '-h: the other words' "$("$FTR" trigger -h)" '^ +remove triggers, also those of others \(or del, delete\)$'
same '-h: of a verb by another word' "$("$FTR" trigger remove -h)" "$("$FTR" trigger delete -h)"
usage 'list: no other word' "'show' is not a verb of 'ftr trigger'" trigger show
tree
written 'remove: a table' events/sched/sched_switch/trigger \
	'!hist:keys=next_pid:vals=hitcount:sort=hitcount:size=2048 if prev_pid > 4' \
	trigger remove sched:sched_switch hist
tree
written 'remove: a table by its keys' events/sched/sched_switch/trigger \
	'!hist:keys=next_pid:vals=hitcount:sort=hitcount:size=2048 if prev_pid > 4' trigger remove sched:sched_switch \
	hist:keys=next_pid
tree
written 'remove --all of an event' events/sched/sched_switch/trigger \
	"$(printf '!%s\n' traceoff stacktrace enable_event:irq:irq_handler_entry \
		'hist:keys=next_pid:vals=hitcount:sort=hitcount:size=2048 if prev_pid > 4')" \
	trigger remove --all sched:sched_switch
tree
written 'remove of a function, counted' set_ftrace_filter '!vfs_read:traceoff:0' trigger remove --func vfs_read traceoff
tree
written 'remove of functions, not counted' set_ftrace_filter '!vfs_*:enable_event:sched:sched_switch' \
	trigger remove --func 'vfs_*' enable_event:sched:sched_switch
tree
written 'remove --all of functions' set_ftrace_filter $'!*:traceoff:0\n!*:dump:0\n!*:enable_event:sched:sched_switch' \
	trigger remove --func --all
tree
capture "$FTR" trigger remove sched:sched_switch stacktrce
same 'remove: not there' "1:ftr: 'sched:sched_switch' has no trigger 'stacktrce'" "$ST:$(head -n 1 <<< "$ERR")"
has 'remove: not there: hint' "$ERR" "^hint: did you mean 'stacktrace'"
capture "$FTR" trigger remove sched:sched_switch traceoff if 'prev_pid > 5'
same 'remove: another filter' 1 "$ST"
capture "$FTR" trigger remove sched:sched_waking --all
same 'remove --all: nothing there' "1:ftr: 'sched:sched_waking' has no triggers" "$ST:$(head -n 1 <<< "$ERR")"
capture "$FTR" trigger add --func vfs_read traceoff if 'x > 1'
has 'add to a function: no filter' "$ERR" 'commands of functions take no filter'
capture "$FTR" trigger add -B two sched:sched_switch traceoff
has 'add: an unknown instance' "$ST $ERR" "^1 ftr: no instance 'two'"

# ---- snapshots
tree
capture "$FTR" snapshot
has 'snapshot: a kernel without' "$ST $ERR" '^1 ftr: this kernel has no snapshots \(CONFIG_TRACER_SNAPSHOT\)'
printf '# tracer: nop\n#\n#\n# * Snapshot is freed *\n#\n' > "$FTR_TRACEFS/snapshot"
capture "$FTR" snapshot
same 'snapshot: freed' '0:instance the top level buffer not allocated armed no' "$ST:$(xargs <<< "$OUT")"
capture "$FTR" snapshot show
has 'snapshot show: there is none' "$ST $ERR" '^1 ftr: the top level has no snapshot'
printf '# tracer: nop\n#\n# entries-in-buffer/entries-written: 204/21512   #P:2\n#\n   a\033[31m-1 [000] 1.5: x\n' \
	> "$FTR_TRACEFS/instances/one/snapshot"
capture "$FTR" snapshot -B one --json
same 'snapshot --json' 'one True 204 [{"event": "sched:sched_switch", "trigger": "snapshot"}]' \
	"$(python3 -c 'import json, sys
o = json.load(sys.stdin)
print(o["instance"], o["allocated"], o["entries"], json.dumps(o["armed"]))' <<< "$OUT")"
has 'snapshot show: the text, escaped' "$("$FTR" snapshot show -B one)" '^   a\\x1b\[31m-1 \[000\] 1.5: x$'
capture "$FTR" snapshot free -B one
has 'snapshot free: armed' "$ST $ERR" "^1 ftr: cannot free the snapshot: 'sched:sched_switch' would"
capture "$FTR" snapshot take
same 'snapshot take' '0:1' "$ST:$(head -c 1 "$FTR_TRACEFS/snapshot")"
tree
echo '# * Snapshot is freed *' > "$FTR_TRACEFS/snapshot"
written 'snapshot --on EVENT' events/sched/sched_waking/trigger 'snapshot:1 if pid == 3' snapshot --on sched_waking \
	--if 'pid == 3'
written 'snapshot --on FUNC' set_ftrace_filter 'vfs_read:snapshot' snapshot --on vfs_read --count 0
capture "$FTR" snapshot --on vfs_read --if 'pid == 3'
has 'snapshot --on FUNC --if' "$ERR" "'vfs_read' is not an event, and functions have no filter"
finish
