#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The text of xhci-hcd's events, which functions of the kernel make (plugins/xhci.c), is the kernel's own while a
# controller and its devices come, work and go.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/guest/lib/device-text.sh"

# Transfers of all kinds: interrupts, bulk, streams, isochronous, and a device behind a hub.
DEVICES="-device qemu-xhci,id=x
	-device usb-kbd,bus=x.0,port=1
	-device usb-hub,bus=x.0,port=2 -device usb-mouse,bus=x.0,port=2.1
	-blockdev $NULL_DISK,node-name=d1 -device usb-storage,bus=x.0,port=3,drive=d1
	-blockdev $NULL_DISK,node-name=d2 -device usb-uas,id=u,bus=x.0,port=4 -device scsi-hd,bus=u.0,drive=d2
	-audiodev none,id=a -device usb-audio,bus=x.0,audiodev=a"

# What must have occurred, or little is proved.
WORDS="Setup Stage|Data Stage|Status Stage|'Normal'|'Isoch'|Transfer Event|Port Status Change Event\
|Address Device Command|Configure Endpoint Command|Stop Ring Command|Reset Device Command|STREAM: |high-speed\
|super-speed| Hub |Int IN|Bulk OUT|Isoc OUT| Stream 1|Link.U0|Add: slot|Drop:"

one_kernel() {
	device_text usb "$DEVICES" "$WORDS" xhci
}

for_a_kernel one_kernel
finish
