# SPDX-License-Identifier: GPL-2.0-or-later
# Screens of ftr browse that are kept. Sourced behind lib.sh.

TUI=$FTR_TOP/tests/cases/screens

# told_by FILE: HEAD has what its lines "# WHAT: ..." tell, and the file keys the rest
told_by() {
	local line
	declare -gA HEAD=()
	while IFS= read -r line; do
		if [[ $line =~ ^#\ ([a-z\ ]+):\ (.*) ]]; then
			HEAD[${BASH_REMATCH[1]}]=${BASH_REMATCH[2]}
		elif [[ $line != '# '* ]]; then
			printf '%s\n' "$line"
		fi
	done < "$1" > keys
}

# replace_bytes FILE OLD=NEW...: of one length, with escapes of Python
replace_bytes() {
	python3 - "$@" <<-'EOF'
	import sys
	path, *pairs = sys.argv[1:]
	data = open(path, "rb").read()
	for pair in pairs:
	    old, new = (part.encode().decode("unicode_escape").encode("latin-1") for part in pair.split("=", 1))
	    assert len(old) == len(new) and old in data, pair
	    data = data.replace(old, new)
	open(path, "wb").write(data)
	EOF
}

# same_screen_file NAME WANTED GOT: a process only where they differ
same_screen_file() {
	local wanted got
	IFS= read -r -d '' wanted < "$2"
	IFS= read -r -d '' got < "$3"
	if [ -s "$3" ] && [ "$wanted" = "$got" ]; then pass "$1"; else same_files "$@"; fi
}

# golden NAME: the screens of NAME.keys in tests/cases/screens are those of NAME.SCREEN.txt there; FTR_WRITE=1 writes
# them
golden() {
	local name=$1 file screen status
	local wanted=("$TUI/$name".*.txt) made
	told_by "$TUI/$name.keys"
	eval "\"\$ORACLE/mkdat.py\" t.dat ${HEAD[made by]}" 2> err || { fail "$name: made" "$(cat err)"; return; }
	[ -z "${HEAD[replaced]:-}" ] || replace_bytes t.dat ${HEAD[replaced]} 2> err ||
		fail "$name: made" "$(cat err)"
	[ -z "${HEAD[cut]:-}" ] || truncate -s -"${HEAD[cut]}" t.dat
	rm -rf screens
	mkdir screens
	"$FTR" browse --keys keys --size "${HEAD[size]}" --dump screens ${HEAD[options]:-} t.dat > out 2> err
	status=$?
	same "$name: status" "${HEAD[status]}" $status
	[ $status = "${HEAD[status]}" ] || sed 's/^/# /' err
	made=(screens/*.txt)
	for file in "${made[@]}"; do
		screen=${file##*/}
		[ "${FTR_WRITE:-}" != 1 ] || cp "$file" "$TUI/$name.$screen"
		same_screen_file "$name: ${screen%.txt}" "$TUI/$name.$screen" "$file"
	done
	same "$name: as many screens" "${#wanted[@]}" "${#made[@]}"
}

# golden_all: of all scripts
golden_all() {
	local script
	for script in "$TUI"/*.keys; do
		script=${script##*/}
		golden "${script%.keys}"
	done
}
