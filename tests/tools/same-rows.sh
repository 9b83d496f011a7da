# SPDX-License-Identifier: GPL-2.0-or-later
# Rows of ftr browse beside the commands that have the same words. Sourced behind lib.sh.

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

# same_rows NAME [ARGUMENT...]: of same-rows.py, whose result lines these are; its rows count as compared
same_rows() {
	local name=$1 said
	shift
	said=$("$FTR_TOP/tests/tools/same-rows.py" --seed "$FTR_SEED" --name "$name" "$@" 2>&1) || FAILED=1
	printf '%s\n' "$said"
	grep -q '^ok\|^not ok' <<< "$said" || fail "$name: rows are compared" "$said"
	COMPARED=$((COMPARED + $(awk '/^# .* rows$/ { n += $(NF - 1) } END { print n + 0 }' <<< "$said")))
}

# same_zooms NAME FILE [NS]: at its begin and its end, against the states of all of it; times are so much later
same_zooms() {
	local said times keys
	times=${3:+--later $3}
	keys='4<wait><screen b0>+<wait><screen b1>+<wait><screen b2>+++<wait><screen b5>++<wait><screen b7>'
	keys+='0<wait>1<end>4+<wait><screen e1>++<wait><screen e3>+++<wait><screen e6>-----<wait><screen e1a>'
	browse "$2" "$keys" 110x30 --view events
	said=$(python3 "$FTR_TOP/tests/tools/lanes-check.py" $times "$2" screens \
		"$(sed -n '3s/.*, \([0-9]*\) columns of.*/\1/p' screens/b0.txt)" \
		b1:1:begin b2:2:begin b5:5:begin b7:7:begin e1:1:end e3:3:end e6:6:end 2>&1) &&
		pass "$1: zoomed lanes are those of the oracle" ||
		fail "$1: zoomed lanes are those of the oracle" "$said"
	COMPARED=$((COMPARED + $(sed -n 's/ rows$//p' <<< "$said")))
}

# rows_were_compared N: that many at least
rows_were_compared() {
	[ $COMPARED -ge "$1" ] && pass "$COMPARED rows were compared" || fail "$1 rows were compared" "$COMPARED"
}
