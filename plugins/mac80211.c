/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What changed in a BSS, which the kernel prints as a number, by names behind the text. */
#include "ftr/plugin.h"

static int names;

enum { CHANGED };
static const char *const fields[] = { "changed", NULL };

#define BIT(n) (1ull << (n))

/* enum ieee80211_bss_change, BSS_CHANGED_ left out */
static const struct ftr_name bits[] = {
	{ BIT(0), "ASSOC" }, { BIT(1), "ERP_CTS_PROT" }, { BIT(2), "ERP_PREAMBLE" },
	{ BIT(3), "ERP_SLOT" }, { BIT(4), "HT" }, { BIT(5), "BASIC_RATES" },
	{ BIT(6), "BEACON_INT" }, { BIT(7), "BSSID" }, { BIT(8), "BEACON" },
	{ BIT(9), "BEACON_ENABLED" }, { BIT(10), "CQM" }, { BIT(11), "IBSS" },
	{ BIT(12), "ARP_FILTER" }, { BIT(13), "QOS" }, { BIT(14), "IDLE" }, { BIT(15), "SSID" },
	{ BIT(16), "AP_PROBE_RESP" }, { BIT(17), "PS" }, { BIT(18), "TXPOWER" },
	{ BIT(19), "P2P_PS" }, { BIT(20), "BEACON_INFO" }, { BIT(21), "BANDWIDTH" },
	{ BIT(22), "OCB" }, { BIT(23), "MU_GROUPS" }, { BIT(24), "KEEP_ALIVE" },
	{ BIT(25), "MCAST_RATE" }, { BIT(26), "FTM_RESPONDER" }, { BIT(27), "TWT" },
	{ BIT(28), "HE_OBSS_PD" }, { BIT(29), "HE_BSS_COLOR" }, { BIT(30), "FILS_DISCOVERY" },
	{ BIT(31), "UNSOL_BCAST_PROBE_RESP" }, { BIT(33), "MLD_VALID_LINKS" },
	{ BIT(34), "MLD_TTLM" }, { BIT(35), "TPE" }, { 0, NULL },
};

static int bind(struct ftr_bind *b, void **priv)
{
	(void)b;
	(void)priv;
	return names ? FTR_DONE : FTR_PASS;
}

static int changed(const struct ftr_record *r, struct ftr_out *out, void *priv)
{
	(void)priv;
	ftr_out_default(out, r);
	ftr_out_str(out, " (");
	ftr_out_flags(out, ftr_field_u64(r, CHANGED), "|", bits);
	ftr_out_str(out, ")");
	return FTR_DONE;
}

static const struct ftr_option options[] = {
	{ "names", FTR_BOOL, &names, "no", "what changed by name behind the kernel's text" },
	{ NULL, FTR_BOOL, NULL, NULL, NULL },
};

/* The first was split into the other two in 6.0. */
static const struct ftr_formatter formatters[] = {
	{ "mac80211", "drv_bss_info_changed", fields, bind, changed, NULL },
	{ "mac80211", "drv_vif_cfg_changed", fields, bind, changed, NULL },
	{ "mac80211", "drv_link_info_changed", fields, bind, changed, NULL },
	{ NULL, NULL, NULL, NULL, NULL, NULL },
};

FTR_PLUGIN_LATE("mac80211:drv_bss_info_changed mac80211:drv_vif_cfg_changed " \
		"mac80211:drv_link_info_changed");

const struct ftr_plugin ftr_plugin = {
	FTR_PLUGIN_HEAD,
	.name = "mac80211",
	.description = "changes of a BSS by name",
	.options = options,
	.formatters = formatters,
};
