#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The text of xhci-hcd's events, which functions of the kernel make (plugins/xhci.c), is the kernel's own while a controller and
# its devices come, work and go.
. "$(dirname "$0")/../lib.sh"
HERE=$FTR_TOP/tests/guest

# Transfers of all kinds: interrupts, bulk, streams, isochronous, and a device behind a hub.
NULL_DISK="driver=null-co,size=16777216,read-zeroes=on"
DEVICES="-device qemu-xhci,id=x
	-device usb-kbd,bus=x.0,port=1
	-device usb-hub,bus=x.0,port=2 -device usb-mouse,bus=x.0,port=2.1
	-blockdev $NULL_DISK,node-name=d1 -device usb-storage,bus=x.0,port=3,drive=d1
	-blockdev $NULL_DISK,node-name=d2 -device usb-uas,id=u,bus=x.0,port=4 -device scsi-hd,bus=u.0,drive=d2
	-audiodev none,id=a -device usb-audio,bus=x.0,audiodev=a"

# What must have occurred, or little is proved.
WORDS="Setup Stage|Data Stage|Status Stage|'Normal'|'Isoch'|Transfer Event|Port Status Change Event|Address Device Command\
|Configure Endpoint Command|Stop Ring Command|Reset Device Command|STREAM: |high-speed|super-speed| Hub |Int IN|Bulk OUT\
|Isoc OUT| Stream 1|Link.U0|Add: slot|Drop:"

missing() {
	local word
	tr '|' '\n' <<< "$WORDS" | while IFS= read -r word; do
		grep -q -- "$word" "$OUTDIR/usb.trace" || echo "$word"
	done
}

one_kernel() {
	guest --append no_hash_pointers --timeout 300 --qemu "$DEVICES" -- bash "$HERE/kernel-text-record.sh" \
		"$FTR_BUILD/tests/guest/take" "$FTR_BUILD/tests/guest/agree_load" - usb > "$OUTDIR/log"
	if [ ! -s "$OUTDIR/usb.dat" ]; then
		fail "$V: a recording" "$(tail -n 20 "$OUTDIR/err" "$OUTDIR/log" "$OUTDIR"/*.err)"
		return
	fi
	same "$V: all kinds of transfers are in it" '' "$(missing)"
	check "$V: the text is the kernel's" python3 "$FTR_TOP/tests/tools/kernel-text.py" \
		-c "$HERE/kernel-text-classes.txt" -f "$TMP/found.$K" -n 4 "$OUTDIR/usb"
	check "$V: the listed events differ nowhere" \
		python3 "$FTR_TOP/tests/tools/kernel-text.py" -l "$HERE/kernel-text-events.txt" "$K" "$TMP/found.$K"
	same "$V: no function is unknown" '' "$("$FTR" check-events "$OUTDIR/usb.dat" | grep -o 'xhci[^ ]*(')"
}

for_kernels one_kernel
finish
