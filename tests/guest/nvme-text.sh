#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The text of nvme's events, commands of which functions of the kernel decode (plugins/nvme.c), is the kernel's own.
. "$(dirname "$0")/../lib.sh"
. "$FTR_TOP/tests/guest/lib/device-text.sh"

DEVICES="-device nvme,id=v,serial=1
	-blockdev $NULL_DISK,node-name=n1 -device nvme-ns,bus=v,drive=n1
	-blockdev $NULL_DISK,node-name=n2 -device nvme-ns,bus=v,drive=n2,zoned=on,zoned.zone_size=1048576"

# What must have occurred, or little is proved: on all kernels, and what they have of their own.
WORDS="disk=nvme0n1, |create_sq sqid=|delete_sq sqid=|create_cq cqid=|identify cns=|set_features fid=|get_features fid=\
|get_lba_status slba=|format_nvm lbaf=|abort_cmd cdw10=|cmd_read slba=|cmd_write slba=|write_zeroes slba=|dsm nr=\
|zone_append slba=|zone_mgmt_send slba=|zone_mgmt_recv slba=|property_set attrib=|connect recfmt=\
|property_get attrib=|auth_send spsp0=|auth_receive spsp0=|specific="
OWN_6_1="zsa=1, all|resv_register cdw10="
OWN_6_12="zsa=1:close zone|resv_register rrega=.,|resv_report numd="
OWN_7_2="zsa=1:close zone|resv_register rrega=.:|resv_acquire racqa=.:|resv_release rrela=.:"

one_kernel() {
	local own=OWN_${K//./_}
	device_text nvme "$DEVICES" "$WORDS|${!own}" nvme
}

for_a_kernel one_kernel
finish
