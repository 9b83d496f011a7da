# SPDX-License-Identifier: GPL-2.0-or-later
# Run in the guest by page-lib.sh with the name of a text, tests/guest/lib/NAME.txt: what it prints is a page of
# Documentation, $OUT/NAME.md; of a text in roff, which begins with .\", it is $OUT/NAME.7. Statuses are noted in
# $OUT/NAME.statuses.
# How a line begins:
#   $ COMMAND          is run and shown
#   ~ COMMAND          the same, and what it prints differs from run to run
#   % COMMAND          is run and not shown
#   ! COMMAND          crashes the kernel, and the next boot goes on behind it
#   ? COMMAND # WHAT   if it fails, the kernel lacks WHAT, and lines up to the next "?" alone are left out
#   @ boot             the rest is run in another guest
#   @ elsewhere        the rest is run outside of a guest
# Where a command's line ends with a backslash it goes on in the next one. Other lines are text.

TEXT=$FTR_TOP/tests/guest/lib/$1.txt
STATUSES=$OUT/$1.statuses
DONE=$OUT/$1.done
ROFF=
PAGE=$OUT/$1.md
if head -n 1 "$TEXT" | grep -q '^\.\\"'; then
	ROFF=1
	PAGE=$OUT/$1.7
	# a manual page has ASCII alone
	LC_ALL=C
	export LC_ALL
	# on which CPU a command runs is not to vary
	[ -z "${GUEST_BOOT:-}" ] || taskset -pc 0 $$ > /dev/null
fi
HERE=$(mktemp -d)
trap 'rm -rf "$HERE"' EXIT
cd "$HERE" || exit 1
# ftr alone: beside it there may be other programs that are not the user's
mkdir "$HERE/.bin" && ln -s "$FTR" "$HERE/.bin/ftr"
PATH=$HERE/.bin:$PATH
export PATH
# the last line that was done before
BEFORE=0
[ ! -e "$DONE" ] || BEFORE=$(cat "$DONE")

# Outside of a guest nothing is run but what is for there, even if a guest did not get so far, and by a user who is
# nobody, where that is possible.
AS=()
if [ -z "${GUEST_BOOT:-}" ]; then
	[ "$BEFORE" != 0 ] && [ "$(sed -n "${BEFORE}p" "$TEXT")" = '@ elsewhere' ] || exit 1
	if [ "$(id -u)" = 0 ]; then
		AS=(setpriv --reuid=65534 --regid=65534 --clear-groups)
		chown 65534:65534 . && "${AS[@]}" "$FTR" -V > /dev/null 2>&1 || AS=()
	fi
fi

# run COMMAND [AS...]: its output in .out
run() {
	local command=$1
	shift
	"$@" bash -c "$command" > "$HERE/.out" 2>&1
	printf '%s %s\n' "$?" "${command//$'\n'/ }" >> "$STATUSES"
}

# Text becomes what roff prints as it is.
roff_escaped() {
	sed -E 's/\\/\\e/g; s/-/\\-/g; s/'\''/\\(aq/g; s/`/\\(ga/g; s/\^/\\(ha/g; s/~/\\(ti/g; s/^\./\\\&./'
}

# Commands that follow one another are one block of a roff page.
OPEN=
block_close() {
	[ -z "$OPEN" ] || echo .fi >> "$PAGE"
	OPEN=
}

# block COMMAND FILE [varies]: as it is shown, with what it printed; no blanks at the ends of lines
block() {
	if [ -z "$ROFF" ]; then
		{ printf '```\n$ %s\n' "$1"; sed 's/[[:blank:]]*$//' "$2"; printf '```\n'; } >> "$PAGE"
		return
	fi
	{
		[ -n "$OPEN" ] || printf '.PP\n.nf\n'
		printf '$ \\fB%s\\fP\n' "$(roff_escaped <<< "$1")"
		[ -z "${3:-}" ] || echo '.\" varies'
		sed 's/[[:blank:]]*$//' "$2" | roff_escaped
		[ -z "${3:-}" ] || echo '.\" end'
	} >> "$PAGE"
	OPEN=1
	BEHIND=
}

# text LINE: in roff an empty one is the end of a paragraph
BEHIND=
text() {
	block_close
	if [ -n "$ROFF" ]; then
		[ -n "$1" ] || { BEHIND=1; return; }
		[ -z "$BEHIND" ] || [[ $1 == .[ST]* ]] || echo .PP >> "$PAGE"
		BEHIND=
	fi
	printf '%s\n' "$1" >> "$PAGE"
}

# crash LINE COMMAND
crash() {
	block "$2" /dev/null
	block_close
	echo "$1" > "$DONE"
	sync
	bash -c "$2"
	sleep 60
	exit 1
}

# left_out LINE: does this kernel lack what it asks for?
left_out() {
	! bash -c "${1%' # '*}" > /dev/null 2>&1 && echo "lacks ${1##*' # '}" >> "$STATUSES"
}

leaving=
# leave LINE: it is not run, as the kernel lacks something
leave() {
	case $1 in
	'?') leaving= ;;
	[$~%]' '*) echo "left ${1//$'\n'/ }" >> "$STATUSES" ;;
	esac
}

number=0
while IFS= read -r line <&3; do
	number=$((number + 1))
	while [[ $line == [\$~%]' '*\\ ]] && IFS= read -r more <&3; do
		number=$((number + 1))
		line+=$'\n'$more
	done
	[ "$number" -gt "$BEFORE" ] || continue
	[ -z "$leaving" ] || { leave "$line"; continue; }
	case $line in
	'$ '*) run "${line#??}" "${AS[@]}"; block "${line#??}" "$HERE/.out" ;;
	'~ '*) run "${line#??}" "${AS[@]}"; block "${line#??}" "$HERE/.out" varies ;;
	'% '*) run "${line#??}" ;;
	'! '*) crash $number "${line#??}" ;;
	'? '*) ! left_out "${line#??}" || leaving=1 ;;
	'?') ;;
	'@ '*)
		block_close
		echo $number > "$DONE"
		exit 0
		;;
	*) text "$line" ;;
	esac
done 3< "$TEXT"
block_close
echo end >> "$STATUSES"
