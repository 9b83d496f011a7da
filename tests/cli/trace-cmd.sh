#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# trace-cmd's words: each is taken, or the message names what to type, which is taken.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/tools/ftr_batch.sh"
cd "$TMP" || exit 1
# Nothing is there: what gets past the command line ends with that.
export FTR_TRACEFS=$TMP/none FTR_JOURNAL_DIR=$TMP/journal
REFUSED="unknown option|is not a command|needs an argument|written in full|takes no argument|unexpected word|takes no"
REFUSED+="|runs no command|the verb comes"
# Not the pointer to -h, which any wrong option has.
SAID="trace-cmd's '[^']*' is '|'ftr [a-z-]+' without -|'ftr reset -B x'|'ftr start -K'|'ftr record --dry-run'"
LIST=$FTR_TOP/tests/cases/trace-cmd-words.txt

batch_start
run() {
	batch_both "$@"
}

# refuses: did the last run end because of its command line?
refuses() {
	[[ $ST = 2 || $OUT =~ $REFUSED ]]
}

# typed COMMANDS: each command of a row, up to the first that is not ours, is taken by its parser
typed() {
	local command rest=$1 words
	while [ -n "$rest" ]; do
		command=${rest%%' && '*}
		[ "$command" != "$rest" ] && rest=${rest#*' && '} || rest=
		command=${command%%' | '*}
		case $command in ftr\ *) ;; *) continue ;; esac
		eval "words=(${command#ftr })"
		# Options end at --, and -h ends parsing after those before it.
		[[ $command == *' -- '* ]] && eval "words=(${command%% -- *} -h)" && words=("${words[@]:1}")
		[[ $command == *' -- '* ]] || words+=(-h)
		run "${words[@]}"
		[ "$ST" = 0 ] || { fail "$1 can be typed" "$command" "$OUT"; return; }
	done
	pass "$1 can be typed"
}

# --- the table: each row is said where it is due, and what it says is right

: > trace.dat
set -f
while IFS=$'\x1f' read -r verb options arg kind words _; do
	typed "$words"
	[ "$kind" != taken ] || continue
	for option in ${options:-''}; do
		[ "$option" != "''" ] || option=
		case $kind in
		says) want="is '$words'" ;;
		drop) want="'ftr $verb' without $option" ;;
		esac
		run $verb $option $arg
		same "$verb $option $arg: status" 2 "$ST"
		if [[ $OUT == *"$want"* ]]; then pass "$verb $option $arg: says it"
		else fail "$verb $option $arg: says it" "wanted: $want" "$OUT"; fi
	done
done < <("$FTR" help --trace-cmd | tr '\t' '\037')
rm trace.dat

# --- all words: taken, or said

said=0 taken=0
: > trace.dat
while IFS= read -r line; do
	eval "words=($line)"
	# It would listen.
	[ "${words[0]}" != listen ] || words+=(-h)
	run "${words[@]}"
	if ! refuses; then
		taken=$((taken + 1))
	elif [[ $OUT =~ $SAID ]]; then
		said=$((said + 1))
	else
		fail "trace-cmd $line" "$OUT"
	fi
done < <(grep -v '^#' "$LIST")
pass "trace-cmd's words: $taken taken, $said said"

# --- what needs words of its own

run record -v -B x
has "record -v -B x" "$OUT" "^hint: 'ftr reset -B x'"
run record -o /dev/null -e sched
has "record -o /dev/null" "$OUT" "^hint: 'ftr record --dry-run' estimates"
same "record -o /dev/null: status" 2 "$ST"
run sqlhist -e -n x 'SELECT pid FROM sched_waking'
has "sqlhist -e -n" "$OUT" "is 'ftr sqlhist -x SQL'"
run restore --no-such -c
has "of several options the first that is known" "$OUT" \
	"trace-cmd's 'restore -c' is 'ftr recover trace.dat.cpu\* -o trace.dat'"
run hist sched_switch
has "hist of an event without a key is no file's" "$OUT" '^hint: ftr hist EVENT KEY'
run hist -i 5x sched_switch prev_comm
has "a wrong interval still says what it takes" "$OUT" '^hint: it takes a time'
run record --tsc2nse
has "a word near trace-cmd's is not taken for it" "$OUT" "unknown option '--tsc2nse'"

# --- the list is whole: what trace-cmd's own help shows is in it

if command -v trace-cmd > /dev/null; then
	missing='' list=$'\n'$(< "$LIST")$'\n'
	for verb in record set start extract stop restart show reset clear report stream profile hist stat \
		split listen agent setup-guest restore snapshot stack check-events dump convert list; do
		while IFS= read -r option; do
			# a blank before the verb, one, a "=" or the end behind the option
			[[ $list =~ $'\n'"$verb "([^$'\n']*' ')?"$option"[\ =$'\n'] ]] || missing+=" $verb $option;"
		done < <(timeout 10 trace-cmd "$verb" -h 2>&1 < /dev/null | sed -n '/^ *trace-cmd/,$p' |
			grep -oE '^ +(-[A-Za-z]|--[a-z0-9_-]+)\b' | tr -d ' ' | grep -vxE -e '-h|--help' | sort -u)
	done
	same "each option of trace-cmd's help is tried" "" "$missing"
else
	skip "each option of trace-cmd's help is tried" "no trace-cmd"
fi
batch_stop
finish
