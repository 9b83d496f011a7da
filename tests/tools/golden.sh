# SPDX-License-Identifier: GPL-2.0-or-later
# Screens of ftr browse that are kept. Sourced behind lib.sh.

TUI=$FTR_TOP/tests/cases/screens

# golden NAME: the screens of NAME.keys in tests/cases/screens are those of NAME.SCREEN.txt there; FTR_WRITE=1 writes
# them
golden() {
	local name=$1 made size options file status wanted
	made=$(sed -n 's/^# made by: //p' "$TUI/$name.keys")
	size=$(sed -n 's/^# size: //p' "$TUI/$name.keys")
	options=$(sed -n 's/^# options: //p' "$TUI/$name.keys")
	eval "\"\$ORACLE/mkdat.py\" t.dat $made" 2> err || { fail "$name: made" "$(cat err)"; return; }
	python3 - t.dat "$(sed -n 's/^# replaced: //p' "$TUI/$name.keys")" <<-'EOF'
	import sys
	path, pairs = sys.argv[1:]
	data = open(path, "rb").read()
	for pair in pairs.split():
	    old, new = (part.encode().decode("unicode_escape").encode("latin-1") for part in pair.split("=", 1))
	    assert len(old) == len(new) and old in data, pair
	    data = data.replace(old, new)
	open(path, "wb").write(data)
	EOF
	size=$(sed -n 's/^# cut: //p' "$TUI/$name.keys")
	[ -z "$size" ] || truncate -s -"$size" t.dat
	size=$(sed -n 's/^# size: //p' "$TUI/$name.keys")
	rm -rf screens
	mkdir screens
	grep -v '^# ' "$TUI/$name.keys" > keys
	"$FTR" browse --keys keys --size "$size" --dump screens $options t.dat > out 2> err
	status=$?
	wanted=$(sed -n 's/^# status: //p' "$TUI/$name.keys")
	[ "$status" = "$wanted" ] && pass "$name: status" ||
		fail "$name: status" "wanted: $wanted" "got:    $status" "$(cat err)"
	for file in screens/*.txt; do
		[ "${FTR_WRITE:-}" != 1 ] || cp "$file" "$TUI/$name.$(basename "$file")"
		same_files "$name: $(basename "$file" .txt)" "$TUI/$name.$(basename "$file")" "$file"
	done
	same "$name: as many screens" "$(ls "$TUI/$name".*.txt | wc -l)" "$(ls screens | wc -l)"
}

# golden_all: of all scripts
golden_all() {
	local script
	for script in "$TUI"/*.keys; do
		golden "$(basename "$script" .keys)"
	done
}
