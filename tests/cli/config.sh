#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Config files: where they are, what wins, whose they may be, and errors that say where.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1
unset XDG_CONFIG_HOME
export FTR_TRACEFS=$TMP/none HOME=$TMP/home FTR_CONFIG
mkdir -p home/.config/ftr xdg/ftr

# conf FILE LINE...: writes it
conf() {
	local file=$1
	shift
	printf '%s\n' "$@" > "$file"
}

# What a command of ours does with an option shows without tracefs: check-events counts a bundle of formats.
conf bundle '@@FILE sys/ev/format' 'name: ev' 'ID: 7' 'format:' \
	'	field:unsigned short common_type;	offset:0;	size:2;	signed:0;' '' 'print fmt: "x"'

FTR_CONFIG=$TMP/one
conf one '# a remark' '' '; another' '[check-events]' "formats = $TMP/bundle" 'json'
capture "$FTR" check-events
has "an option with and one without a value" "$OUT" '"events": 1'
same "status" 0 "$ST"
conf one '[check-events]' "formats=\"$TMP/bundle\"" 'json = no'
capture "$FTR" check-events
has "quotes, and 'no'" "$OUT" '^.*bundle: 1 events'
capture "$FTR" check-events --json
has "the command line adds" "$OUT" '"events": 1'
conf one '[check-events]' "formats = $TMP/nothere" 'json = yes'
capture "$FTR" check-events --formats bundle
has "the command line wins" "$OUT" '"source": "bundle"'
capture "$FTR" --no-config check-events --formats bundle
has "--no-config" "$OUT" '^bundle: 1 events'
capture env FTR_CONFIG= "$FTR" check-events --formats bundle
has "an empty FTR_CONFIG" "$OUT" '^bundle: 1 events'
capture timeout 20 env FTR_CONFIG=/dev/zero "$FTR" check-events --formats bundle
has "FTR_CONFIG=/dev/zero is not read" "$ERR" "'/dev/zero' is not used: it is not a regular file"
has "and the rest goes on" "$OUT" '^bundle: 1 events'
capture timeout 20 "$FTR" check-events --formats /dev/zero
has "nor are formats without end" "$ERR" "cannot read '/dev/zero': File too large"
capture env FTR_CONFIG=/dev/null "$FTR" check-events --formats bundle
has "FTR_CONFIG=/dev/null" "$OUT" '^bundle: 1 events'
capture env FTR_CONFIG="$TMP/no" "$FTR" check-events --formats bundle
same "a file that was named must be there: status" 1 "$ST"
has "a file that was named must be there" "$ERR" "cannot open the config file '$TMP/no': No such file"

# the user's file: XDG_CONFIG_HOME, else ~/.config (there is no /etc/ftr.conf of ours to be seen here)
unset FTR_CONFIG
conf home/.config/ftr/config '[check-events]' "formats = $TMP/bundle"
conf xdg/ftr/config '[check-events]' "formats = $TMP/bundle" json
capture "$FTR" check-events
has "~/.config/ftr/config" "$OUT" 'bundle: 1 events'
capture env XDG_CONFIG_HOME="$TMP/xdg" "$FTR" check-events
has "XDG_CONFIG_HOME" "$OUT" '"events": 1'
capture env XDG_CONFIG_HOME=relative "$FTR" check-events
has "XDG_CONFIG_HOME that is no absolute path is none" "$OUT" 'bundle: 1 events'
capture env HOME="$TMP/nohome" "$FTR" check-events --formats bundle
same "no file at all: status, nothing on stderr" '0:' "$ST:$ERR"

# options before the command
export FTR_CONFIG=$TMP/one
conf one '[ftr]' 'color = always'
capture "$FTR" report nothere
has "[ftr] color" "$ERR" $'^\033\\[31;1mftr:'
capture "$FTR" --color=never report nothere
has "[ftr] color: the command line wins" "$ERR" '^ftr:'
conf one '[ftr]' 'no-config'
capture "$FTR" report nothere
has "[ftr] no-config is refused" "$ERR" "^ftr: $TMP/one:2: option 'no-config' is not allowed in a file"

# every kind of setter, in the order of lines: record refuses -R before any -e
conf one '[record]' 'trigger = stacktrace' 'event = sched'
capture "$FTR" record -- true
has "the order of lines counts" "$ERR" "^ftr: $TMP/one:2: '-R' needs an event before it"
same "status" 2 "$ST"
conf one '[record]' 'event = sched' 'trigger = stacktrace' 'buffer-size = 4X'
capture "$FTR" record -- true
has "a value that the option refuses" "$ERR" "^ftr: $TMP/one:4: -b takes a size.*'4X'"
conf one '[record]' 'l = vfs_*'
capture "$FTR" record -e sched -- true
has "an option without a long name, by its letter" "$ERR" "function filter 'vfs_\*' needs a tracer"
capture "$FTR" record -l 'ksys_*' -e sched -- true
has "one that can be repeated is replaced too" "$ERR" "function filter 'ksys_\*' needs a tracer"
capture "$FTR" record -l'ksys_*' -e sched -- ftr -l x
has "words of the command are no options" "$ERR" "function filter 'ksys_\*'"
conf one '[record]' 'only-command'
capture "$FTR" record -e sched
has "a flag" "$ERR" '-F traces only the command'

# errors
conf one 'event = sched'
capture "$FTR" report nothere
same "an option before any section: status" 2 "$ST"
has "an option before any section" "$ERR" "^ftr: $TMP/one:1: no section before 'event = sched'"
conf one '[record' 'event = sched'
capture "$FTR" report nothere
has "a bracket is missing" "$ERR" "^ftr: $TMP/one:1: no '\]'"
conf one '[record]' 'event sched'
capture "$FTR" report nothere
has "no =" "$ERR" "^ftr: $TMP/one:2: no option: 'event sched'"
conf one '[record]' '' 'buffer-sise = 4M'
capture "$FTR" report nothere
has "an unknown option of another command is its business" "$ERR" "^ftr: cannot open 'nothere'"
capture "$FTR" record -e sched -- true
has "an unknown option" "$ERR" "^ftr: $TMP/one:3: 'ftr record' has no option 'buffer-sise'"
has "an unknown option: suggestion" "$ERR" "^hint: did you mean 'buffer-size'"
capture "$FTR" record -h
same "-h works in spite of it" 0 "$ST"
conf one '[record]' 'buffer-size'
capture "$FTR" record -e sched -- true
has "a value is missing" "$ERR" "^ftr: $TMP/one:2: option 'buffer-size' needs a value"
conf one '[record]' 'date = maybe'
capture "$FTR" record -e sched -- true
has "neither yes nor no" "$ERR" "^ftr: $TMP/one:2: option 'date' is yes or no, not 'maybe'"
conf one '[recrod]' 'event = sched'
capture "$FTR" check-events --formats bundle
same "a section of an unknown command: status" 0 "$ST"
has "a section of an unknown command is warned of" "$ERR" \
	"$TMP/one:1: ftr has no command 'recrod'; did you mean 'record'\?"
conf one 'rubbish rubbish'
capture "$FTR" help
same "ftr help works in spite of rubbish" '0:' "$ST:$ERR"
head -c 100000 /dev/urandom > one
capture "$FTR" check-events --formats bundle
check "bytes by chance: no crash" test "$ST" -le 2

# whose files
conf one '[check-events]' "formats = $TMP/bundle"
chmod o+w one
capture "$FTR" check-events --formats bundle
has "anybody may write it: not used" "$ERR" "config file '$TMP/one' is not used: others may write it"
chmod 644 one
capture "$FTR" check-events
has "mode 644 is fine" "$OUT" 'bundle: 1 events'
# Nothing is run, nothing is expanded.
conf one '[check-events]' 'formats = $(touch ran)`touch ran`'
capture "$FTR" check-events
has "nothing is expanded" "$ERR" '\$\(touch ran\)`touch ran`'
check "nothing is run" test ! -e ran
if [ "$(id -u)" = 0 ] && command -v setpriv > setpriv.path; then
	conf one '[check-events]' 'plugin = /tmp/evil.so'
	chown 65534 one
	capture "$FTR" check-events --formats bundle
	has "somebody's file is not used by root" "$ERR" "is not used: it does not belong to root"
	has "and the rest goes on" "$OUT" '^bundle: 1 events'
	chmod 755 "$TMP"
	capture setpriv --reuid 65534 --regid 65534 --clear-groups "$FTR" check-events --formats bundle
	has "its owner uses it" "$ERR" "evil.so"
	chown 65533 one
	capture setpriv --reuid 65534 --regid 65534 --clear-groups "$FTR" check-events --formats bundle
	has "nobody uses another's" "$ERR" "is not used: it belongs to somebody else"
else
	skip "files of others" "not root, or no setpriv"
fi
finish
