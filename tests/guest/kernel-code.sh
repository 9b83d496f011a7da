#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What functions of plugins say of random arguments is what the functions of the kernels say, which are taken out of
# their modules and run in user space (kcode/beside.c). No guest is booted.
. "$(dirname "$0")/../lib.sh"
HERE=$FTR_TOP/tests/guest
TIMES=20000
[ "${FTR_LONG:-}" != 1 ] || TIMES=400000

# The file of module $1, unpacked, is $OUTDIR/module.
unpack() {
	local file
	file=$(find "$("$FTR_TOP/utils/guest" modules "$K")" -name "$1.ko*" | head -n 1)
	case $file in
	'') return 1 ;;
	*.xz) xz -dc "$file" ;;
	*.zst) zstd -qdc "$file" ;;
	*) cat "$file" ;;
	esac > "$OUTDIR/module"
}

# both MODULE PLUGIN: a program of them in $OUTDIR/beside
both() {
	local name=() major=${V%%.*} minor=${V#*.}
	while read -r symbol; do
		name+=("--globalize-symbol=$symbol")
	done < <(nm "$OUTDIR/module" | awk '$3 ~ /^trace_raw_output_/ { print $3 }')
	for symbol in sprintf snprintf scnprintf; do
		name+=("--redefine-sym=$symbol=kernel_$symbol")
	done
	objcopy "${name[@]}" "$OUTDIR/module" "$OUTDIR/module.o" &&
		gcc -O1 -g -w -fno-pie -no-pie -I"$FTR_TOP/include" -DKERNEL="FTR_KERNEL($major, ${minor%%.*})" \
			"$HERE/load/kcode/beside.c" "$FTR_TOP/plugins/$2.c" "$OUTDIR/module.o" -o "$OUTDIR/beside" \
			-Wl,-z,muldefs,--unresolved-symbols=ignore-all 2> "$OUTDIR/err"
}

one_kernel() {
	local module plugin
	for pair in xhci-hcd:xhci dwc3:dwc3 usb-common:usb libata:libata scsi_mod:scsi \
		nvme-core:nvme mlx5_core:mlx5 typec_ucsi:drivers; do
		module=${pair%:*} plugin=${pair#*:}
		if ! unpack "$module"; then
			skip "$V: $plugin" "the kernel has no module $module"
		elif ! both "$module" "$plugin"; then
			fail "$V: $plugin is linked with $module" "$(tail "$OUTDIR/err")"
		else
			check "$V: $plugin says what $module does" "$OUTDIR/beside" $TIMES
		fi
	done
}

if [ "$(uname -m)" != x86_64 ]; then
	skip "functions of kernels" "their code is for x86_64"
	exit
fi
for_kernels one_kernel
finish
