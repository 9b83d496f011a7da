# SPDX-License-Identifier: GPL-2.0-or-later
# Run in the guest by page-lib.sh with the name of a text, tests/guest/lib/NAME.txt: what it prints, $OUT/NAME.md, is a
# page of Documentation. Text is as it is, a line "$ COMMAND" is run, a line "% COMMAND" is run and not shown;
# "! COMMAND" crashes the kernel, and the next boot goes on behind it. Statuses are noted in $OUT/NAME.statuses.

PAGE=$OUT/$1.md
STATUSES=$OUT/$1.statuses
DONE=$OUT/$1.done
cd "$(mktemp -d)" || exit 1
PATH=$(dirname "$FTR"):$PATH
export PATH
[ -e "$DONE" ] || echo 0 > "$DONE"

# run COMMAND: its output in ./out
run() {
	bash -c "$1" > out 2>&1
	printf '%s %s\n' "$?" "$1" >> "$STATUSES"
}

# crash LINE COMMAND
crash() {
	printf '```\n$ %s\n```\n' "$2" >> "$PAGE"
	echo "$1" > "$DONE"
	sync
	bash -c "$2"
	sleep 60
	exit 1
}

number=0
while IFS= read -r line; do
	number=$((number + 1))
	[ "$number" -gt "$(cat "$DONE")" ] || continue
	case $line in
	'$ '*)
		run "${line#'$ '}"
		# no blanks at the ends of lines
		{ printf '```\n%s\n' "$line"; sed 's/[[:blank:]]*$//' out; printf '```\n'; } >> "$PAGE"
		;;
	'% '*) run "${line#'% '}" ;;
	'! '*) crash $number "${line#'! '}" ;;
	*) printf '%s\n' "$line" >> "$PAGE" ;;
	esac
done < "$FTR_TOP/tests/guest/lib/$1.txt"
echo end >> "$STATUSES"
