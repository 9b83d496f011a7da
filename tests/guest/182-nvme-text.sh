#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The text of nvme's events, commands of which functions of the kernel decode (plugins/nvme.c), is the kernel's own.
. "$(dirname "$0")/../lib.sh"
HERE=$FTR_TOP/tests/guest

NULL_DISK="driver=null-co,size=16777216,read-zeroes=on"
DEVICES="-device nvme,id=v,serial=1
	-blockdev $NULL_DISK,node-name=n1 -device nvme-ns,bus=v,drive=n1
	-blockdev $NULL_DISK,node-name=n2 -device nvme-ns,bus=v,drive=n2,zoned=on,zoned.zone_size=1048576"

# What must have occurred, or little is proved: on all kernels, and what they have of their own.
WORDS="disk=nvme0n1, |create_sq sqid=|delete_sq sqid=|create_cq cqid=|identify cns=|set_features fid=|get_features fid=\
|get_lba_status slba=|format_nvm lbaf=|abort_cmd cdw10=|cmd_read slba=|cmd_write slba=|write_zeroes slba=|dsm nr=|zone_append slba=\
|zone_mgmt_send slba=|zone_mgmt_recv slba=|property_set attrib=|connect recfmt=|property_get attrib=|auth_send spsp0=\
|auth_receive spsp0=|specific="
OWN_6_1="zsa=1, all|resv_register cdw10="
OWN_6_12="zsa=1:close zone|resv_register rrega=.,|resv_report numd="
OWN_7_2="zsa=1:close zone|resv_register rrega=.:|resv_acquire racqa=.:|resv_release rrela=.:"

missing() {
	local word own=OWN_${K//./_}
	tr '|' '\n' <<< "$WORDS|${!own}" | while IFS= read -r word; do
		grep -q -- "$word" "$OUTDIR/nvme.trace" || echo "$word"
	done
}

one_kernel() {
	guest --append no_hash_pointers --timeout 300 --qemu "$DEVICES" -- bash "$HERE/kernel-text-record.sh" \
		"$FTR_BUILD/tests/guest/take" "$FTR_BUILD/tests/guest/agree_load" - nvme > "$OUTDIR/log"
	if [ ! -s "$OUTDIR/nvme.dat" ]; then
		fail "$V: a recording" "$(tail -n 20 "$OUTDIR/err" "$OUTDIR/log" "$OUTDIR"/*.err)"
		return
	fi
	missing > "$OUTDIR/missing"
	same "$V: all kinds of commands are in it" '' "$(< "$OUTDIR/missing")"
	[ ! -s "$OUTDIR/missing" ] || sed 's/^/# /' "$OUTDIR/nvme.err" "$OUTDIR/nvme.take"
	check "$V: the text is the kernel's" python3 "$FTR_TOP/tests/tools/kernel-text.py" \
		-c "$HERE/kernel-text-classes.txt" -f "$TMP/found.$K" -n 4 "$OUTDIR/nvme"
	check "$V: the listed events differ nowhere" \
		python3 "$FTR_TOP/tests/tools/kernel-text.py" -l "$HERE/kernel-text-events.txt" "$K" "$TMP/found.$K"
	same "$V: no function is unknown" '' "$("$FTR" check-events "$OUTDIR/nvme.dat" | grep -o 'nvme[^ ]*(')"
}

for_kernels one_kernel
finish
