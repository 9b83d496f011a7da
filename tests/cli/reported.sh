#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Files that showed a fault of ftr or of others, one after the other: what they hold is known. Without the folder that
# has them each is skipped by its name.
. "$(dirname "$0")/../lib.sh"

cd "$TMP" || exit 1

# reported FILE: whether it is there; leaves it in ./FILE, unpacked
reported() {
	local file=$FTR_BUGS_DIR/$1
	if [ -e "$file.xz" ]; then
		xz -dc "$file.xz" > "$1"
	elif [ -e "$file" ]; then
		cp "$file" "$1"
	else
		skip "$1" "no such file in '$FTR_BUGS_DIR'"
		return 1
	fi
}

# Assemblers mark code with "$x" at the addresses of functions.
mapping_symbols() {
	reported fg-arm64-module.dat &&
		same "functions of a module on arm64" 'drv_probe drv_remove drv_irq' \
			"$(echo $("$FTR" report fg-arm64-module.dat | sed -nE 's/.*\|  ([^ ]+) \[modarm\].*/\1/p'))"
	reported sym-arm64-module.dat &&
		same "none of them is called by a mapping symbol" 0 \
			"$("$FTR" report sym-arm64-module.dat | grep -c '\$[xd]')"
}

mapping_symbols
finish
