# SPDX-License-Identifier: GPL-2.0-or-later
# Run in the guest by 390-tutorial.sh: a new user's first session. What it prints is Documentation/tutorial.md.
# Text is as it is, a line "$ COMMAND" is run. Its status is noted in $OUT/statuses.

cd "$(mktemp -d)" || exit 1
PATH=$(dirname "$FTR"):$PATH
export PATH

while IFS= read -r line; do
	case $line in
	'$ '*)
		printf '```\n%s\n' "$line"
		bash -c "${line#'$ '}" > out 2>&1
		printf '%s %s\n' "$?" "${line#'$ '}" >> "$OUT/statuses"
		# no blanks at the ends of lines
		sed 's/[[:blank:]]*$//' out
		printf '```\n'
		;;
	*)
		printf '%s\n' "$line"
		;;
	esac
done < "$FTR_TOP/tests/guest/lib/tutorial.txt"
echo end >> "$OUT/statuses"
