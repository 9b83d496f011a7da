#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr oops install, uninstall: which files below a folder, what is in them, what is never written over or removed.
# tests/guest/oops-systemd.sh boots with them.
. "$(dirname "$0")/../lib.sh"

R=$TMP/root
GRUB=etc/default/grub.d/50-ftr-oops.cfg
UNITS=etc/systemd/system
MACHINE='--kernel 6.12.117 --cpus 2 --memory 2G'
ALL="./$GRUB
./$UNITS/ftr-oops-arm.service
./$UNITS/ftr-oops-collect.service
./$UNITS/multi-user.target.wants/ftr-oops-arm.service
./$UNITS/multi-user.target.wants/ftr-oops-collect.service"
mkdir "$R"

files() {
	(cd "$R" && find . ! -type d | LC_ALL=C sort)
}

install_it() {
	run_ftr oops install --root "$R" $MACHINE "$@"
}

install_it -n
same "-n: status" 0 "$ST"
same "-n: nothing is written" '' "$(ls -A "$R")"
PRINTED=$OUT
install_it
same "install: status" 0 "$ST"
same "install: the same files are printed" "$PRINTED" "$OUT"
same "install: these files" "$ALL" "$(files)"
# What is printed: path, then the lines behind four blanks; a link with what it leads to.
while read -r f; do
	if [ -L "$R/$f" ]; then
		has "printed: ${f##*/}, link" "$OUT" "^$R/${f#./} -> $(readlink "$R/$f")\$"
	else
		same "printed: ${f##*/}" "$(cat "$R/$f")" \
			"$(awk -v p="$R/${f#./}:" '$0 == p { on = 1; next } on && /^[^ ]/ { exit } on' <<< "$OUT" |
				sed 's/^    //')"
		same "mode: ${f##*/}" 644 "$(stat -c %a "$R/$f")"
	fi
done < <(files)
has "install: next" "$ERR" '^ftr: next: update-grub$'
has "install: then" "$ERR" 'systemctl daemon-reload'

# As grub-mkconfig reads it: a shell's text, behind the machine's own.
same "GRUB: what the kernel gets" "quiet $("$FTR" oops cmdline -1 $MACHINE)" \
	"$(sh -c 'GRUB_CMDLINE_LINUX_DEFAULT=quiet; . "$1"; echo "$GRUB_CMDLINE_LINUX_DEFAULT"' - "$R/$GRUB")"

# --- the units
value() {
	sed -n "s/^$2=//p" "$R/$UNITS/ftr-oops-$1.service"
}
exe=$(readlink -f "$FTR")
same "collect: what it runs" "$exe oops collect --if-any" "$(value collect ExecStart)"
same "arm: what it runs" "$exe oops arm --watch" "$(value arm ExecStart)"
same "arm: what ends it" "-$exe oops collect --if-any $exe oops disarm" "$(value arm ExecStop | xargs)"
same "arm: behind collect" ftr-oops-collect.service "$(value arm After)"
same "arm: it is not started again" '' "$(value arm Restart)"
for u in collect arm; do
	same "$u: a word turns it off" '!ftr.oops=off' "$(value $u ConditionKernelCommandLine)"
	same "$u: enabled" "/$UNITS/ftr-oops-$u.service" \
		"$(readlink "$R/$UNITS/$(value $u WantedBy).wants/ftr-oops-$u.service")"
done
if command -v systemd-analyze > /dev/null; then
	check "systemd-analyze verify" systemd-analyze verify --man=no "$R/$UNITS"/ftr-oops-{collect,arm}.service
	same "systemd-analyze verify: no remark" '' \
		"$(systemd-analyze verify --man=no "$R/$UNITS"/ftr-oops-{collect,arm}.service 2>&1 | grep ftr-oops)"
else
	skip "systemd-analyze verify" "no systemd-analyze"
fi

# --- again
install_it
same "again: status" 0 "$ST"
echo '# mine' >> "$R/$GRUB"
had=$(cat "$R/$GRUB")
rm "$R/$UNITS/ftr-oops-arm.service"
ftr_refuses "changed: install" 1 "^ftr: '$R/$GRUB' exists with other content$" oops install --root "$R" $MACHINE
has "changed: install: hint" "$ERR" '^hint: --force'
same "changed: no file is written" "$had $(grep -v 'system/ftr-oops-arm' <<< "$ALL")" "$(cat "$R/$GRUB") $(files)"
ftr_refuses "changed: uninstall" 1 "^ftr: '$R/$GRUB' was changed since it was installed: nothing was removed$" \
	oops uninstall --root "$R"
same "changed: nothing is removed" "$(grep -v 'system/ftr-oops-arm' <<< "$ALL")" "$(files)"
install_it --force
same "changed: --force" "0 $ALL" "$ST $(files)"
same "changed: --force: as printed" '' "$(grep mine "$R/$GRUB")"
ftr_refuses "another machine" 1 'exists with other content' oops install --root "$R" --kernel 6.1 \
	--cpus 64 --memory 64G
rm "$R/$GRUB"
ln -s /etc/passwd "$R/$GRUB"
ftr_refuses "a link" 1 'exists with other content' oops install --root "$R" $MACHINE
install_it --force
same "a link: --force takes its place" 'regular file' "$(stat -c %F "$R/$GRUB")"

# --- uninstall
touch "$R/$UNITS/ftr-oops-mine.service"
run_ftr oops uninstall --root "$R/"
same "uninstall: status, what is left" "0 ./$UNITS/ftr-oops-mine.service" "$ST $(files)"
same "uninstall: each is named" 5 "$(grep -c "^ftr: removed '$R/etc/" <<< "$ERR")"
has "uninstall: next" "$ERR" 'next: systemctl daemon-reload; update-grub$'
run_ftr oops uninstall --root "$R"
same "uninstall: again" "0 ftr: nothing is installed" "$ST $ERR"
install_it -q
same "-q" '' "$ERR"
echo x >> "$R/$UNITS/ftr-oops-arm.service"
run_ftr oops uninstall --root "$R" --force
same "uninstall --force" "0 ./$UNITS/ftr-oops-mine.service" "$ST $(files)"

# Where systemd-boot is, and no GRUB.
mkdir -p "$R/boot/loader"
touch "$R/boot/loader/loader.conf"
install_it
has "systemd-boot" "$ERR" '^ftr: then: kernel-install add 6.12.117 /boot/vmlinuz-6.12.117$'
run_ftr oops uninstall --root "$R"
has "systemd-boot: uninstall" "$ERR" '/etc/kernel/cmdline'

# --- what can't be
cp "$FTR" "$TMP/a name"
capture "$TMP/a name" oops install -n $MACHINE
same "a blank in the program's name" "1 ftr: a systemd unit cannot name this program, '$TMP/a name'" \
	"$ST $(head -n 1 <<< "$ERR")"
: > "$TMP/file"
ftr_refuses "no folder" 1 "cannot " oops install --root "$TMP/file" $MACHINE
ftr_refuses "a word" 2 x oops install x
ftr_refuses "a word: uninstall" 2 x oops uninstall x
chmod 777 "$TMP"
cp "$FTR" "$TMP/ftr"
capture "$TMP/ftr" oops install -n $MACHINE
has "a program that others can change" "$ERR" "others can change '$TMP/ftr'"
finish
