/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Constants of kernel headers that print fmts name instead of their values. */
#include <string.h>

#include "event/expr.h"

/*
 * Values that no kernel since 5.10 has changed (or as said), so that they hold for any file. The
 * others stay names: an entry of a table without a value does not match, which ev_degraded() tells.
 */
static const struct {
	const char *name;
	int64_t value;
} kenums[] = {
	/* softirqs */
	{ "HI_SOFTIRQ", 0 }, { "TIMER_SOFTIRQ", 1 }, { "NET_TX_SOFTIRQ", 2 },
	{ "NET_RX_SOFTIRQ", 3 }, { "BLOCK_SOFTIRQ", 4 }, { "IRQ_POLL_SOFTIRQ", 5 },
	{ "BLOCK_IOPOLL_SOFTIRQ", 5 }, { "TASKLET_SOFTIRQ", 6 }, { "SCHED_SOFTIRQ", 7 },
	{ "HRTIMER_SOFTIRQ", 8 }, { "RCU_SOFTIRQ", 9 },
	/* hrtimers */
	{ "HRTIMER_NORESTART", 0 }, { "HRTIMER_RESTART", 1 }, { "HRTIMER_MODE_ABS", 0 },
	{ "HRTIMER_MODE_REL", 1 }, { "HRTIMER_MODE_ABS_PINNED", 2 },
	{ "HRTIMER_MODE_REL_PINNED", 3 }, { "HRTIMER_MODE_ABS_SOFT", 4 },
	{ "HRTIMER_MODE_REL_SOFT", 5 }, { "HRTIMER_MODE_ABS_PINNED_SOFT", 6 },
	{ "HRTIMER_MODE_REL_PINNED_SOFT", 7 }, { "HRTIMER_MODE_ABS_HARD", 8 },
	{ "HRTIMER_MODE_REL_HARD", 9 }, { "HRTIMER_MODE_ABS_PINNED_HARD", 10 },
	{ "HRTIMER_MODE_REL_PINNED_HARD", 11 },
	/* include/net/tcp_states.h */
	{ "TCP_ESTABLISHED", 1 }, { "TCP_SYN_SENT", 2 }, { "TCP_SYN_RECV", 3 },
	{ "TCP_FIN_WAIT1", 4 }, { "TCP_FIN_WAIT2", 5 }, { "TCP_TIME_WAIT", 6 }, { "TCP_CLOSE", 7 },
	{ "TCP_CLOSE_WAIT", 8 }, { "TCP_LAST_ACK", 9 }, { "TCP_LISTEN", 10 }, { "TCP_CLOSING", 11 },
	{ "TCP_NEW_SYN_RECV", 12 },
	/* I/O priorities */
	{ "IOPRIO_CLASS_NONE", 0 }, { "IOPRIO_CLASS_RT", 1 }, { "IOPRIO_CLASS_BE", 2 },
	{ "IOPRIO_CLASS_IDLE", 3 }, { "IOPRIO_CLASS_INVALID", 7 },
	/* libata: device classes */
	{ "ATA_DEV_UNKNOWN", 0 }, { "ATA_DEV_ATA", 1 }, { "ATA_DEV_ATA_UNSUP", 2 },
	{ "ATA_DEV_ATAPI", 3 }, { "ATA_DEV_ATAPI_UNSUP", 4 }, { "ATA_DEV_PMP", 5 },
	{ "ATA_DEV_PMP_UNSUP", 6 }, { "ATA_DEV_SEMB", 7 }, { "ATA_DEV_SEMB_UNSUP", 8 },
	{ "ATA_DEV_ZAC", 9 }, { "ATA_DEV_ZAC_UNSUP", 10 }, { "ATA_DEV_NONE", 11 },
	/* libata: protocols since 4.8, bits of PIO, DMA, NCQ, ATAPI */
	{ "ATA_PROT_UNKNOWN", 255 }, { "ATA_PROT_NODATA", 0 }, { "ATA_PROT_PIO", 1 },
	{ "ATA_PROT_DMA", 2 }, { "ATA_PROT_NCQ_NODATA", 4 }, { "ATA_PROT_NCQ", 6 },
	{ "ATAPI_PROT_NODATA", 8 }, { "ATAPI_PROT_PIO", 9 }, { "ATAPI_PROT_DMA", 10 },
	/* libata: state machine */
	{ "HSM_ST_IDLE", 0 }, { "HSM_ST_FIRST", 1 }, { "HSM_ST", 2 }, { "HSM_ST_LAST", 3 },
	{ "HSM_ST_ERR", 4 },
	/* ATA commands */
	{ "ATA_CMD_DEV_RESET", 0x08 }, { "ATA_CMD_CHK_POWER", 0xe5 }, { "ATA_CMD_STANDBY", 0xe2 },
	{ "ATA_CMD_IDLE", 0xe3 }, { "ATA_CMD_EDD", 0x90 }, { "ATA_CMD_DOWNLOAD_MICRO", 0x92 },
	{ "ATA_CMD_DOWNLOAD_MICRO_DMA", 0x93 }, { "ATA_CMD_NOP", 0x00 }, { "ATA_CMD_FLUSH", 0xe7 },
	{ "ATA_CMD_FLUSH_EXT", 0xea }, { "ATA_CMD_ID_ATA", 0xec }, { "ATA_CMD_ID_ATAPI", 0xa1 },
	{ "ATA_CMD_SERVICE", 0xa2 }, { "ATA_CMD_READ", 0xc8 }, { "ATA_CMD_READ_EXT", 0x25 },
	{ "ATA_CMD_READ_QUEUED", 0x26 }, { "ATA_CMD_READ_STREAM_EXT", 0x2b },
	{ "ATA_CMD_READ_STREAM_DMA_EXT", 0x2a }, { "ATA_CMD_WRITE", 0xca },
	{ "ATA_CMD_WRITE_EXT", 0x35 }, { "ATA_CMD_WRITE_QUEUED", 0x36 },
	{ "ATA_CMD_WRITE_STREAM_EXT", 0x3b }, { "ATA_CMD_WRITE_STREAM_DMA_EXT", 0x3a },
	{ "ATA_CMD_WRITE_FUA_EXT", 0x3d }, { "ATA_CMD_WRITE_QUEUED_FUA_EXT", 0x3e },
	{ "ATA_CMD_FPDMA_READ", 0x60 }, { "ATA_CMD_FPDMA_WRITE", 0x61 },
	{ "ATA_CMD_NCQ_NON_DATA", 0x63 }, { "ATA_CMD_FPDMA_SEND", 0x64 },
	{ "ATA_CMD_FPDMA_RECV", 0x65 }, { "ATA_CMD_PIO_READ", 0x20 },
	{ "ATA_CMD_PIO_READ_EXT", 0x24 }, { "ATA_CMD_PIO_WRITE", 0x30 },
	{ "ATA_CMD_PIO_WRITE_EXT", 0x34 }, { "ATA_CMD_READ_MULTI", 0xc4 },
	{ "ATA_CMD_READ_MULTI_EXT", 0x29 }, { "ATA_CMD_WRITE_MULTI", 0xc5 },
	{ "ATA_CMD_WRITE_MULTI_EXT", 0x39 }, { "ATA_CMD_WRITE_MULTI_FUA_EXT", 0xce },
	{ "ATA_CMD_SET_FEATURES", 0xef }, { "ATA_CMD_SET_MULTI", 0xc6 }, { "ATA_CMD_PACKET", 0xa0 },
	{ "ATA_CMD_VERIFY", 0x40 }, { "ATA_CMD_VERIFY_EXT", 0x42 },
	{ "ATA_CMD_WRITE_UNCORR_EXT", 0x45 }, { "ATA_CMD_STANDBYNOW1", 0xe0 },
	{ "ATA_CMD_IDLEIMMEDIATE", 0xe1 }, { "ATA_CMD_SLEEP", 0xe6 },
	{ "ATA_CMD_INIT_DEV_PARAMS", 0x91 }, { "ATA_CMD_READ_NATIVE_MAX", 0xf8 },
	{ "ATA_CMD_READ_NATIVE_MAX_EXT", 0x27 }, { "ATA_CMD_SET_MAX", 0xf9 },
	{ "ATA_CMD_SET_MAX_EXT", 0x37 }, { "ATA_CMD_READ_LOG_EXT", 0x2f },
	{ "ATA_CMD_WRITE_LOG_EXT", 0x3f }, { "ATA_CMD_READ_LOG_DMA_EXT", 0x47 },
	{ "ATA_CMD_WRITE_LOG_DMA_EXT", 0x57 }, { "ATA_CMD_TRUSTED_NONDATA", 0x5b },
	{ "ATA_CMD_TRUSTED_RCV", 0x5c }, { "ATA_CMD_TRUSTED_RCV_DMA", 0x5d },
	{ "ATA_CMD_TRUSTED_SND", 0x5e }, { "ATA_CMD_TRUSTED_SND_DMA", 0x5f },
	{ "ATA_CMD_PMP_READ", 0xe4 }, { "ATA_CMD_PMP_READ_DMA", 0xe9 },
	{ "ATA_CMD_PMP_WRITE", 0xe8 }, { "ATA_CMD_PMP_WRITE_DMA", 0xeb },
	{ "ATA_CMD_CONF_OVERLAY", 0xb1 }, { "ATA_CMD_SEC_SET_PASS", 0xf1 },
	{ "ATA_CMD_SEC_UNLOCK", 0xf2 }, { "ATA_CMD_SEC_ERASE_PREP", 0xf3 },
	{ "ATA_CMD_SEC_ERASE_UNIT", 0xf4 }, { "ATA_CMD_SEC_FREEZE_LOCK", 0xf5 },
	{ "ATA_CMD_SEC_DISABLE_PASS", 0xf6 }, { "ATA_CMD_CONFIG_STREAM", 0x51 },
	{ "ATA_CMD_SMART", 0xb0 }, { "ATA_CMD_MEDIA_LOCK", 0xde }, { "ATA_CMD_MEDIA_UNLOCK", 0xdf },
	{ "ATA_CMD_DSM", 0x06 }, { "ATA_CMD_CHK_MED_CRD_TYP", 0xd1 },
	{ "ATA_CMD_CFA_REQ_EXT_ERR", 0x03 }, { "ATA_CMD_CFA_WRITE_NE", 0x38 },
	{ "ATA_CMD_CFA_TRANS_SECT", 0x87 }, { "ATA_CMD_CFA_ERASE", 0xc0 },
	{ "ATA_CMD_CFA_WRITE_MULT_NE", 0xcd }, { "ATA_CMD_REQ_SENSE_DATA", 0x0b },
	{ "ATA_CMD_SANITIZE_DEVICE", 0xb4 }, { "ATA_CMD_ZAC_MGMT_IN", 0x4a },
	{ "ATA_CMD_ZAC_MGMT_OUT", 0x9f }, { "ATA_CMD_RESTORE", 0x10 },
	{ "ATA_CMD_READ_LONG", 0x22 }, { "ATA_CMD_READ_LONG_ONCE", 0x23 },
	{ "ATA_CMD_WRITE_LONG", 0x32 }, { "ATA_CMD_WRITE_LONG_ONCE", 0x33 },
	/* SCSI */
	{ "SCSI_PROT_NORMAL", 0 }, { "SCSI_PROT_READ_INSERT", 1 }, { "SCSI_PROT_WRITE_STRIP", 2 },
	{ "SCSI_PROT_READ_STRIP", 3 }, { "SCSI_PROT_WRITE_INSERT", 4 },
	{ "SCSI_PROT_READ_PASS", 5 }, { "SCSI_PROT_WRITE_PASS", 6 }, { "DID_OK", 0 },
	{ "DID_NO_CONNECT", 1 }, { "DID_BUS_BUSY", 2 }, { "DID_TIME_OUT", 3 },
	{ "DID_BAD_TARGET", 4 }, { "DID_ABORT", 5 }, { "DID_PARITY", 6 }, { "DID_ERROR", 7 },
	{ "DID_RESET", 8 }, { "DID_BAD_INTR", 9 }, { "DID_PASSTHROUGH", 10 },
	{ "DID_SOFT_ERROR", 11 }, { "DID_IMM_RETRY", 12 }, { "DID_REQUEUE", 13 },
	{ "DID_TRANSPORT_DISRUPTED", 14 }, { "DID_TRANSPORT_FAILFAST", 15 }, { "SAM_STAT_GOOD", 0 },
	{ "SAM_STAT_CHECK_CONDITION", 0x02 }, { "SAM_STAT_CONDITION_MET", 0x04 },
	{ "SAM_STAT_BUSY", 0x08 }, { "SAM_STAT_INTERMEDIATE", 0x10 },
	{ "SAM_STAT_INTERMEDIATE_CONDITION_MET", 0x14 }, { "SAM_STAT_RESERVATION_CONFLICT", 0x18 },
	{ "SAM_STAT_COMMAND_TERMINATED", 0x22 }, { "SAM_STAT_TASK_SET_FULL", 0x28 },
	{ "SAM_STAT_ACA_ACTIVE", 0x30 }, { "SAM_STAT_TASK_ABORTED", 0x40 },
	/* page faults */
	{ "FAULT_FLAG_WRITE", 0x1 }, { "FAULT_FLAG_MKWRITE", 0x2 },
	{ "FAULT_FLAG_ALLOW_RETRY", 0x4 }, { "FAULT_FLAG_RETRY_NOWAIT", 0x8 },
	{ "FAULT_FLAG_KILLABLE", 0x10 }, { "FAULT_FLAG_TRIED", 0x20 }, { "FAULT_FLAG_USER", 0x40 },
	{ "FAULT_FLAG_REMOTE", 0x80 }, { "FAULT_FLAG_INSTRUCTION", 0x100 },
	{ "FAULT_FLAG_INTERRUPTIBLE", 0x200 }, { "FAULT_FLAG_VMA_LOCK", 0x1000 },
	{ "VM_FAULT_OOM", 0x1 }, { "VM_FAULT_SIGBUS", 0x2 }, { "VM_FAULT_MAJOR", 0x4 },
	{ "VM_FAULT_HWPOISON", 0x10 }, { "VM_FAULT_HWPOISON_LARGE", 0x20 },
	{ "VM_FAULT_SIGSEGV", 0x40 }, { "VM_FAULT_NOPAGE", 0x100 }, { "VM_FAULT_LOCKED", 0x200 },
	{ "VM_FAULT_RETRY", 0x400 }, { "VM_FAULT_FALLBACK", 0x800 },
	{ "VM_FAULT_DONE_COW", 0x1000 }, { "VM_FAULT_NEEDDSYNC", 0x2000 },
	{ "VM_FAULT_COMPLETED", 0x4000 },
	/* reclaim */
	{ "VMSCAN_THROTTLE_WRITEBACK", 0 }, { "VMSCAN_THROTTLE_ISOLATED", 1 },
	{ "VMSCAN_THROTTLE_NOPROGRESS", 2 }, { "VMSCAN_THROTTLE_CONGESTED", 3 },
	/* btrfs since 5.13 */
	{ "BTRFS_ORDERED_REGULAR", 0 }, { "BTRFS_ORDERED_NOCOW", 1 },
	{ "BTRFS_ORDERED_PREALLOC", 2 }, { "BTRFS_ORDERED_COMPRESSED", 3 },
	{ "BTRFS_ORDERED_DIRECT", 4 }, { "BTRFS_ORDERED_IO_DONE", 5 },
	{ "BTRFS_ORDERED_COMPLETE", 6 }, { "BTRFS_ORDERED_IOERR", 7 },
	{ "BTRFS_ORDERED_TRUNCATED", 8 }, { "BTRFS_ADD_DELAYED_REF", 1 },
	{ "BTRFS_DROP_DELAYED_REF", 2 }, { "BTRFS_ADD_DELAYED_EXTENT", 3 },
	{ "BTRFS_UPDATE_DELAYED_HEAD", 4 }, { "QGROUP_RESERVE", 1 }, { "QGROUP_RELEASE", 2 },
	{ "QGROUP_FREE", 4 },
	/* f2fs */
	{ "COMPRESS_LZO", 0 }, { "COMPRESS_LZ4", 1 }, { "COMPRESS_ZSTD", 2 },
	{ "COMPRESS_LZORLE", 3 }, { "GC_AT", 2 }, { "AT_SSR", 2 }, { "CP_NO_NEEDED", 0 },
	{ "CP_NON_REGULAR", 1 }, { "CP_COMPRESSED", 2 }, { "CP_HARDLINK", 3 },
	{ "CP_SB_NEED_CP", 4 }, { "CP_WRONG_PINO", 5 }, { "CP_NO_SPC_ROLL", 6 },
	{ "CP_NODE_NEED_CP", 7 }, { "CP_FASTBOOT_MODE", 8 }, { "CP_SPEC_LOG_NUM", 9 },
	{ "CP_RECOVER_DIR", 10 }, { "CP_XATTR_DIR", 11 },
	/* SUNRPC, NFS */
	{ "RPC_TASK_RUNNING", 0 }, { "RPC_TASK_QUEUED", 1 }, { "RPC_TASK_ACTIVE", 2 },
	{ "RPC_TASK_NEED_XMIT", 3 }, { "RPC_TASK_NEED_RECV", 4 }, { "RPC_TASK_MSG_PIN_WAIT", 5 },
	{ "RPC_XPRTSEC_TLS_ANON", 1 }, { "IPPROTO_TCP", 6 }, { "IPPROTO_UDP", 17 },
	{ "RCA4_TYPE_MASK_RDATA_DLG", 0 }, { "RCA4_TYPE_MASK_WDATA_DLG", 1 },
	{ "RCA4_TYPE_MASK_DIR_DLG", 2 }, { "RCA4_TYPE_MASK_FILE_LAYOUT", 3 },
	{ "RCA4_TYPE_MASK_BLK_LAYOUT", 4 }, { "RCA4_TYPE_MASK_OBJ_LAYOUT_MIN", 8 },
	{ "RCA4_TYPE_MASK_OBJ_LAYOUT_MAX", 9 }, { "RCA4_TYPE_MASK_OTHER_LAYOUT_MIN", 12 },
	{ "RCA4_TYPE_MASK_OTHER_LAYOUT_MAX", 15 },
	/* fscache */
	{ "fscache_active_use", 0 }, { "fscache_active_use_modify", 1 },
	{ "fscache_active_unuse", 2 },
	/* power management */
	{ "DEV_PM_QOS_RESUME_LATENCY", 1 }, { "DEV_PM_QOS_FLAGS", 5 }, { "PM_QOS_ADD_REQ", 0 },
	{ "PM_QOS_UPDATE_REQ", 1 }, { "PM_QOS_REMOVE_REQ", 2 },
	/* CXL */
	{ "CXL_EVENT_TYPE_INFO", 0 }, { "CXL_EVENT_TYPE_WARN", 1 }, { "CXL_EVENT_TYPE_FAIL", 2 },
	{ "CXL_EVENT_TYPE_FATAL", 3 }, { "CXL_POISON_TRACE_LIST", 0 },
	{ "CXL_POISON_TRACE_INJECT", 1 }, { "CXL_POISON_TRACE_CLEAR", 2 },
	/* Intel's IOMMU */
	{ "CACHE_TAG_IOTLB", 0 }, { "CACHE_TAG_DEVTLB", 1 }, { "CACHE_TAG_NESTING_IOTLB", 2 },
	{ "CACHE_TAG_NESTING_DEVTLB", 3 },
	/* KVM, x86 */
	{ "VDSO_CLOCKMODE_NONE", 0 }, { "VDSO_CLOCKMODE_TSC", 1 },
	{ "VMXERR_VMLAUNCH_NONCLEAR_VMCS", 4 }, { "VMXERR_VMRESUME_NONLAUNCHED_VMCS", 5 },
	{ "VMXERR_VMRESUME_AFTER_VMXOFF", 6 }, { "VMXERR_ENTRY_INVALID_CONTROL_FIELD", 7 },
	{ "VMXERR_ENTRY_INVALID_HOST_STATE_FIELD", 8 },
	{ "VMXERR_ENTRY_EVENTS_BLOCKED_BY_MOV_SS", 26 }, { "APICV_INHIBIT_REASON_DISABLED", 0 },
	{ "APICV_INHIBIT_REASON_HYPERV", 1 }, { "APICV_INHIBIT_REASON_ABSENT", 2 },
	{ "APICV_INHIBIT_REASON_BLOCKIRQ", 3 }, { "APICV_INHIBIT_REASON_PHYSICAL_ID_ALIASED", 4 },
	{ "APICV_INHIBIT_REASON_APIC_ID_MODIFIED", 5 },
	{ "APICV_INHIBIT_REASON_APIC_BASE_MODIFIED", 6 }, { "APICV_INHIBIT_REASON_NESTED", 7 },
	{ "APICV_INHIBIT_REASON_IRQWIN", 8 }, { "APICV_INHIBIT_REASON_PIT_REINJ", 9 },
	{ "APICV_INHIBIT_REASON_SEV", 10 }, { "APICV_INHIBIT_REASON_LOGICAL_ID_ALIASED", 11 },
	/* Xen */
	{ "XEN_LAZY_MMU", 1 }, { "XEN_LAZY_CPU", 2 }, { "XEN_MC_XE_OK", 0 },
	{ "XEN_MC_XE_BAD_OP", 1 }, { "XEN_MC_XE_NO_SPACE", 2 }, { "XEN_MC_FL_NONE", 0 },
	{ "XEN_MC_FL_BATCH", 1 }, { "XEN_MC_FL_ARGS", 2 }, { "XEN_MC_FL_CALLBACK", 3 },
	/* network */
	{ "NETDEV_UP", 1 }, { "NETDEV_CHANGE", 4 }, { "NETDEV_UNREGISTER", 6 },
	{ "NETDEV_CHANGEMTU", 7 }, { "NETDEV_CHANGEADDR", 8 }, { "NETDEV_GOING_DOWN", 10 },
	{ "NETDEV_CHANGENAME", 11 }, { "NL80211_BAND_2GHZ", 0 }, { "NL80211_BAND_5GHZ", 1 },
	{ "NL80211_BAND_60GHZ", 2 }, { "NL80211_BAND_6GHZ", 3 }, { "L2TP_PWTYPE_ETH_VLAN", 4 },
	{ "L2TP_PWTYPE_ETH", 5 }, { "L2TP_PWTYPE_PPP", 7 }, { "L2TP_PWTYPE_PPP_AC", 8 },
	{ "L2TP_PWTYPE_IP", 11 }, { "L2TP_ENCAPTYPE_UDP", 0 }, { "L2TP_ENCAPTYPE_IP", 1 },
	/* graphics, sound */
	{ "PIPE_A", 0 }, { "PIPE_B", 1 }, { "PIPE_C", 2 }, { "SND_SOC_DAPM_DIR_OUT", 1 },
	/* swiotlb before 5.18 */
	{ "SWIOTLB_NORMAL", 0 }, { "SWIOTLB_FORCE", 1 }, { "SWIOTLB_NO_FORCE", 2 },
	/* NVMe */
	{ "NVME_AER_ERROR", 0 }, { "NVME_AER_SMART", 1 }, { "NVME_AER_NOTICE", 2 },
	{ "NVME_AER_CSS", 6 }, { "NVME_AER_VS", 7 }, { "nvme_fabrics_command", 0x7f },
	{ "nvme_fabrics_type_property_set", 0x00 }, { "nvme_fabrics_type_connect", 0x01 },
	{ "nvme_fabrics_type_property_get", 0x04 }, { "nvme_fabrics_type_auth_send", 0x05 },
	{ "nvme_fabrics_type_auth_receive", 0x06 }, { "nvme_cmd_flush", 0x00 },
	{ "nvme_cmd_write", 0x01 }, { "nvme_cmd_read", 0x02 }, { "nvme_cmd_write_uncor", 0x04 },
	{ "nvme_cmd_compare", 0x05 }, { "nvme_cmd_write_zeroes", 0x08 }, { "nvme_cmd_dsm", 0x09 },
	{ "nvme_cmd_verify", 0x0c }, { "nvme_cmd_resv_register", 0x0d },
	{ "nvme_cmd_resv_report", 0x0e }, { "nvme_cmd_resv_acquire", 0x11 },
	{ "nvme_cmd_resv_release", 0x15 }, { "nvme_cmd_zone_mgmt_send", 0x79 },
	{ "nvme_cmd_zone_mgmt_recv", 0x7a }, { "nvme_cmd_zone_append", 0x7d },
	{ "nvme_admin_delete_sq", 0x00 }, { "nvme_admin_create_sq", 0x01 },
	{ "nvme_admin_get_log_page", 0x02 }, { "nvme_admin_delete_cq", 0x04 },
	{ "nvme_admin_create_cq", 0x05 }, { "nvme_admin_identify", 0x06 },
	{ "nvme_admin_abort_cmd", 0x08 }, { "nvme_admin_set_features", 0x09 },
	{ "nvme_admin_get_features", 0x0a }, { "nvme_admin_async_event", 0x0c },
	{ "nvme_admin_ns_mgmt", 0x0d }, { "nvme_admin_activate_fw", 0x10 },
	{ "nvme_admin_download_fw", 0x11 }, { "nvme_admin_dev_self_test", 0x14 },
	{ "nvme_admin_ns_attach", 0x15 }, { "nvme_admin_keep_alive", 0x18 },
	{ "nvme_admin_directive_send", 0x19 }, { "nvme_admin_directive_recv", 0x1a },
	{ "nvme_admin_virtual_mgmt", 0x1c }, { "nvme_admin_nvme_mi_send", 0x1d },
	{ "nvme_admin_nvme_mi_recv", 0x1e }, { "nvme_admin_dbbuf", 0x7c },
	{ "nvme_admin_format_nvm", 0x80 }, { "nvme_admin_security_send", 0x81 },
	{ "nvme_admin_security_recv", 0x82 }, { "nvme_admin_sanitize_nvm", 0x84 },
	{ "nvme_admin_get_lba_status", 0x86 },
	/* ChromeOS EC */
	{ "EC_RES_SUCCESS", 0 }, { "EC_RES_INVALID_COMMAND", 1 }, { "EC_RES_ERROR", 2 },
	{ "EC_RES_INVALID_PARAM", 3 }, { "EC_RES_ACCESS_DENIED", 4 },
	{ "EC_RES_INVALID_RESPONSE", 5 }, { "EC_RES_INVALID_VERSION", 6 },
	{ "EC_RES_INVALID_CHECKSUM", 7 }, { "EC_RES_IN_PROGRESS", 8 }, { "EC_RES_UNAVAILABLE", 9 },
	{ "EC_RES_TIMEOUT", 10 }, { "EC_RES_OVERFLOW", 11 }, { "EC_RES_INVALID_HEADER", 12 },
	{ "EC_RES_REQUEST_TRUNCATED", 13 }, { "EC_RES_RESPONSE_TOO_BIG", 14 },
	{ "EC_RES_BUS_ERROR", 15 }, { "EC_RES_BUSY", 16 }, { "EC_RES_INVALID_HEADER_VERSION", 17 },
	{ "EC_RES_INVALID_HEADER_CRC", 18 }, { "EC_RES_INVALID_DATA_CRC", 19 },
	{ "EC_RES_DUP_UNAVAILABLE", 20 },
};

bool kenum_find(const char *system, const char *name, size_t len, int64_t *v)
{
	(void)system;
	for (size_t i = 0; i < sizeof(kenums) / sizeof(*kenums); i++) {
		if (strlen(kenums[i].name) != len || memcmp(kenums[i].name, name, len))
			continue;
		*v = kenums[i].value;
		return true;
	}
	return false;
}
