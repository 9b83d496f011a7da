/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts of the plugins that come with ftr and know hardware: worked out from the kernel's source. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "event/event.h"
#include "event/plugin/plugin.h"

#include "format.h"
#include "tap.h"

#define HEAD(name) "name: " name "\nID: 300\nformat:\n" COMMON
#define K(major, minor) KERNEL_VERSION_OF(major, minor)

static char dir[64];		/* copies of the plugins: the build tree may be anybody's */
static const char *plugin;	/* those that are tested */
static struct buf out;

static struct ev_plugins *load(const char *name)
{
	struct ev_plugins *s = ev_plugins_new(false);
	struct ftr_error err = { 0 };
	char to[256], cmd[1024], exe[512];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	exe[n > 0 ? n : 0] = 0;
	*strrchr(exe, '/') = 0;
	snprintf(to, sizeof(to), "%s/%s.so", dir, name);
	snprintf(cmd, sizeof(cmd), "cp '%s/../../plugins/%s.so' '%s' && chmod 755 '%s'", exe, name, to, to);
	if (system(cmd) || ev_plugins_load(s, to, &err))
		printf("# %s: %s\n", name, err.msg);
	return s;
}

/* The text of a record of @len bytes: common_type 300, common_pid 1, and @data behind. */
static void text(uint32_t kernel, bool big, const char *format, const void *data, uint32_t len,
		 const char *want)
{
	struct ev_plugins *set = load(plugin);
	struct event_meta w = { .long_size = 8, .big = big, .page_size = 4096, .plugins = set, .kernel = kernel };
	struct ev_engine *e = ev_engine_new(&w, NULL, NULL);
	struct ev_format f = { 0 };
	struct ftr_error err = { 0 };
	uint8_t *copy = xcalloc(1, 8 + len);
	struct ev_rec r = { .fmt = &f, .data = copy, .len = 8 + len, .long_size = 8, .big = big };
	size_t n = strcspn(want, "*");
	char name[200];

	memcpy(copy + 8, data, len);
	buf_reset(&out);
	buf_addstr(&out, "");
	if (ev_format_parse(&f, "test", format, strlen(format), &err))
		printf("# format: %s\n", err.msg);
	else
		ev_render(e, &r, 0, 1234, &out);
	snprintf(name, sizeof(name), "%s %u.%u: %.120s", plugin, kernel >> 16, kernel & 0xffff, want);
	/* a '*' stands for the rest */
	if (!TAP_OK(want[n] ? !strncmp(out.data, want, n) : !strcmp(out.data, want), name))
		printf("# got  '%s'\n# want '%s'\n", out.data, want);
	free(copy);
	ev_engine_free(e);
	ev_format_release(&f);
	ev_plugins_free(set);
}

static size_t unhex(const char *hex, uint8_t *to, size_t max)
{
	size_t n = 0;
	char two[3] = "";

	for (; *hex && n < max; hex++) {
		if (*hex == ' ')
			continue;
		two[0] = hex[0];
		two[1] = *++hex;
		to[n++] = strtoul(two, NULL, 16);
	}
	return n;
}

/* --- nvme */

#define NVME(call) HEAD("nvme") F("char disk[8]", 8, 8, 0) F("u8 opcode", 16, 1, 0) F("u8 cdw10[24]", 17, 24, 0) \
	"\nprint fmt: \"%scmd=(%s)\", nvme_trace_disk_name(p, REC->disk), " call "(p, REC->opcode, REC->cdw10)\n"

static void nvme(char set, uint32_t kernel, uint8_t opcode, const char *hex, const char *want)
{
	uint8_t d[33] = { [8] = opcode };
	char whole[300];

	unhex(hex, d + 9, 24);
	snprintf(whole, sizeof(whole), want[strcspn(want, "*")] ? "cmd=(%s" : "cmd=(%s)", want);
	text(kernel, false, set == 'a' ? NVME("nvme_trace_parse_admin_cmd") :
	     set == 'n' ? NVME("nvme_trace_parse_nvm_cmd") : NVME("nvme_trace_parse_fabrics_cmd"), d,
	     sizeof(d), whole);
}

static void test_nvme(void)
{
	static const uint8_t named[33] = { 'n', 'v', 'm', 'e', '0', 'n', '1', 0, 2 };

	plugin = "nvme";
	text(K(6, 12), false, NVME("nvme_trace_parse_nvm_cmd"), named, sizeof(named),
	     "disk=nvme0n1, cmd=(slba=0, len=0, ctrl=0x0, dsmgmt=0, reftag=0)");
	nvme('a', 0, 1, "0100 ff03 0100 0200", "sqid=1, qsize=1023, sq_flags=0x1, cqid=2");
	nvme('a', 0, 5, "0200 ff03 0300 0500", "cqid=2, qsize=1023, cq_flags=0x3, irq_vector=5");
	nvme('a', 0, 6, "01000100", "cns=1, ctrlid=1");
	nvme('a', K(6, 1), 0, "0100", "sqid=1");
	nvme('a', K(6, 1), 4, "0201", "cqid=258");
	nvme('a', K(5, 10), 4, "0201", "nvme_trace_parse_admin_cmd(0x4*");
	nvme('a', K(6, 12), 9, "07000008 03000300", "fid=0x7, sv=0x8, cdw11=0x30003");
	nvme('a', K(6, 12), 10, "0b0b0000 00000000", "fid=0xb, sel=0x3, cdw11=0x0");
	nvme('a', K(6, 12), 0x86, "0010000000000000 00020000 1000 0011", "slba=0x1000, mndw=0x200, rl=0x10, atype=17");
	nvme('a', K(6, 12), 0x80, "7513", "lbaf=21, mset=1, pi=3, pil=1, ses=1");
	nvme('a', K(6, 1), 0x80, "7513", "lbaf=5, mset=1, pi=3, pil=1, ses=1");
	nvme('a', 0, 8, "01020304", "cdw10=01 02 03 04 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00");
	nvme('n', 0, 1, "0000000001000000 0700 0080 04000000 0a000000",
	     "slba=4294967296, len=7, ctrl=0x8000, dsmgmt=4, reftag=10");
	nvme('n', 0, 9, "01000000 04000000", "nr=1, attributes=4");
	nvme('n', K(6, 12), 0x79, "0000000000000000 00000000 0401", "slba=0, zsa=4:reset zone, all=1");
	nvme('n', K(6, 12), 0x79, "0000000000000000 00000000 0600", "slba=0, zsa=6:reserved, all=0");
	nvme('n', K(6, 1), 0x79, "0000000000000000 00000000 0401", "slba=0, zsa=4, all=1");
	nvme('n', K(6, 6), 0x79, "0000000000000000 00000000 0401", "nvme_trace_parse_nvm_cmd(0x79*");
	nvme('n', K(7, 2), 0x7a, "0800000000000000 ff030000 000901", "slba=8, numd=1023, zra=0, "
	     "zrasf=9:list the zones that have the zone attribute, pr=1");
	nvme('n', K(6, 1), 0x7a, "0800000000000000 ff030000 000901", "slba=8, numd=1023, zra=0, zrasf=9, pr=1");
	nvme('n', K(7, 2), 0x0d, "090000c0", "rrega=1:unregister, iekey=1, ptpl=3");
	nvme('n', K(6, 12), 0x0d, "090000c0", "rrega=1, iekey=1, ptpl=3");
	nvme('n', K(6, 1), 0x0d, "090000c0",
	     "cdw10=09 00 00 c0 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00");
	nvme('n', 0, 0x0d, "090000c0", "nvme_trace_parse_nvm_cmd(0xd*");
	nvme('n', K(7, 2), 0x11, "0205", "racqa=2:preempt and abort, iekey=0, rtype=5:write exclusive all registrants");
	nvme('n', K(7, 2), 0x11, "0307", "racqa=3:reserved, iekey=0, rtype=7:reserved");
	nvme('n', K(7, 2), 0x15, "0100", "rrela=1:clear, iekey=0, rtype=0:reserved");
	nvme('n', K(6, 12), 0x15, "0102", "rrela=1, iekey=0, rtype=2");
	nvme('n', K(6, 12), 0x0e, "10000000 03", "numd=16, eds=1");
	nvme('f', 0, 0, "01000000 14000000 0100460000000000", "attrib=1, ofst=0x14, value=0x460001");
	nvme('f', 0, 1, "0000 0000 1f00 0400 983a0000", "recfmt=0, qid=0, sqsize=31, cattr=4, kato=15000");
	nvme('f', 0, 4, "01000000 08000000", "attrib=1, ofst=0x8");
	nvme('f', K(6, 1), 5, "000101e9 50000000", "spsp0=01, spsp1=01, secp=e9, tl=80");
	nvme('f', K(6, 1), 6, "000101e9 50000000", "spsp0=01, spsp1=01, secp=e9, al=80");
	nvme('f', K(5, 10), 6, "000101e9 50000000", "nvme_trace_parse_fabrics_cmd(0x6*");
	nvme('f', K(6, 1), 8, "07", "specific=07 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00");
}

/* --- mlx5 */

#define HDRS HEAD("mlx5_fs_set_fte") F("u8 mask_enable", 8, 1, 0) F("u32 mask_outer[16]", 12, 64, 0) \
	F("u32 mask_misc[16]", 76, 64, 0) F("u32 mask_inner[16]", 140, 64, 0) F("u32 value_outer[16]", 204, 64, 0) \
	F("u32 value_misc[16]", 268, 64, 0) F("u32 value_inner[16]", 332, 64, 0) "\nprint fmt: \"%s|\", " \
	"parse_fs_hdrs(p, REC->mask_enable, REC->mask_outer, REC->mask_misc, REC->mask_inner, REC->value_outer, " \
	"REC->value_misc, REC->value_inner)\n"
#define RULE HEAD("mlx5_fs_add_rule") F("u32 counter_id", 8, 4, 0) F("u8 destination[40]", 12, 40, 0) \
	"\nprint fmt: \"[dst] %s|\", parse_fs_dst(p, (const struct mlx5_flow_destination *)REC->destination, " \
	"REC->counter_id)\n"

/* Puts bytes where the mask and where the value of a header is. */
static void set(uint8_t *d, unsigned int header, unsigned int at, const char *mask, const char *value)
{
	unhex(mask, d + 4 + 64 * header + at, 64 - at);
	unhex(value, d + 196 + 64 * header + at, 64 - at);
}

static void rule(uint32_t kernel, const char *hex, const char *want)
{
	uint8_t d[44] = { 0x2a };

	unhex(hex, d + 4, 40);
	text(kernel, false, RULE, d, sizeof(d), want);
}

static void test_mlx5(void)
{
	uint8_t d[388] = { 7 };

	plugin = "mlx5";
	/* the two first bytes of a MAC address are lost in the kernel, the others come backwards */
	set(d, 0, 0, "ffffffffffff ffff", "001122334455 0800");
	set(d, 0, 14, "0fff", "0064");
	set(d, 0, 16, "ff", "06");
	set(d, 0, 22, "ffff", "0050");
	set(d, 0, 60, "ffffff00", "0a000001");
	/* gre_protocol has 16 bits, of which 8 are kept: 0x58 */
	set(d, 1, 14, "ffff ffffffff ffffff", "6558 00000102 000064");
	/* ip_version 6 alone: 4 bits behind cvlan_tag, svlan_tag, frag */
	set(d, 2, 18, "1e", "0c");
	set(d, 2, 32, "ffffffffffffffffffffffffffffffff", "fe800000000000000000000000000001");
	text(K(6, 12), false, HDRS, d, sizeof(d), "[outer] smac=55:44:33:22:00:00 ethertype=0800 dst_ipv4=10.0.0.1 "
	     "ip_protocol=06 tcp_dport=80 first_vid=0064 [misc] gre_key=258 gre_protocol=88 vxlan_vni=100 "
	     "[inner] src_ipv6=fe80:0000:0000:0000:0000:0000:0000:0001 |");
	text(K(6, 12), true, HDRS, d, sizeof(d), "[outer] smac=00:00:00:00:22:33 ethertype=0800 dst_ipv4=10.0.0.1 "
	     "ip_protocol=06 tcp_dport=80 first_vid=0064 [misc] gre_key=258 gre_protocol=88 vxlan_vni=100 "
	     "[inner] src_ipv6=fe80:0000:0000:0000:0000:0000:0000:0001 |");
	d[0] = 2;
	text(K(6, 12), false, HDRS, d, sizeof(d), "[misc] gre_key=258 gre_protocol=88 vxlan_vni=100 |");
	d[0] = 0;
	text(K(6, 12), false, HDRS, d, sizeof(d), "|");
	rule(K(6, 12), "01000000 00000000 0300", "[dst] vport=3\\x0a|");
	rule(K(6, 12), "02000000 00000000 0010203040ff8888", "[dst] ft=8888ff4030201000\\x0a|");
	rule(K(6, 12), "07000000", "[dst] counter_id=42\\x0a|");
	rule(K(6, 12), "05000000", "[dst] uplink\\x0a|");
	rule(K(6, 12), "09000000 00000000 0000000000000000 0000000000000000 00000000 ffffffff 05000000",
	     "[dst] field=packet len min=-1 max=5\\x0a|");
	rule(K(7, 2), "0b000000 00000000 0700", "[dst] rx_vhca_id=7\\x0a|");
	rule(K(6, 12), "0a000000", "[dst] parse_fs_dst(*");
	rule(K(5, 10), "01000000", "[dst] parse_fs_dst(*");
	rule(0, "01000000", "[dst] parse_fs_dst(*");
}

/* --- drivers */

#define CALL(call) HEAD("call") F("u64 v", 8, 8, 0) "\nprint fmt: \"%s|\", " call "(REC->v)\n"

static void call(uint32_t kernel, const char *format, uint64_t v, const char *want)
{
	text(kernel, false, format, &v, sizeof(v), want);
}

#define MEM HEAD("extlog_mem_event") F("struct cper_mem_err_compact data", 8, 55, 0) \
	"\nprint fmt: \"%s|\", cper_mem_err_unpack(p, &REC->data)\n"

static void memory(uint32_t kernel, const char *hex, const char *want)
{
	uint8_t d[55] = { 0 };

	unhex(hex, d, sizeof(d));
	text(kernel, false, MEM, d, sizeof(d), want);
}

static void test_ras(void)
{
	static const char *const types[] = { "Corrected|", "Uncorrected|", "Deferred|", "Fatal|", "Info|", "Info|" };

	for (uint64_t i = 0; i < 6; i++)
		call(0, CALL("mc_event_error_type"), i, types[i]);
	call(0, CALL("cper_severity_str"), 0, "recoverable|");
	call(0, CALL("cper_severity_str"), 4, "unknown|");
	call(0, CALL("cper_mem_err_type_str"), 15, "physical memory map-out event|");
	call(0, CALL("cper_mem_err_type_str"), 16, "unknown|");
	/* node, card, module, bank, device, row, column, bit; row has bit 16 more, chip 5 */
	memory(K(6, 12), "f887240000000000 0100 0200 0300 0401 0500 0600 0700 0800"
	       "0000000000000000 0000000000000000 0000000000000000 0900 0000 0000 a1",
	       "node:1 card:2 module:3 rank:9 bank:260 device:5 row:65542 column:7 bit_position:8 chip_id:5 |");
	memory(K(6, 1), "0038180000000000 0000 0000 0000 0401 0000 0000 0000 0000"
	       "0100000000000000 0200000000000000 0300000000000000", "bank_group:1 bank_address:4 "
	       "requestor_id:0x0000000000000001 responder_id:0x0000000000000002 target_id:0x0000000000000003 |");
	memory(K(6, 12), "", "|");
	memory(K(6, 12), "0800020000000000", "cper_mem_err_unpack(*");
	memory(K(5, 10), "0800", "cper_mem_err_unpack(*");
}

static void test_drivers(void)
{
	static const char prq[] = HEAD("prq_report") F("u64 dw0", 8, 8, 0) F("u64 dw1", 16, 8, 0) F("u64 dw2", 24, 8, 0)
		F("u64 dw3", 32, 8, 0) F("__data_loc char[] buff", 40, 4, 0) "\nprint fmt: \"%s|\", "
		"decode_prq_descriptor(__get_str(buff), 256, REC->dw0, REC->dw1, REC->dw2, REC->dw3)\n";
	/* rid 0x1234, private, pasid 0xabcde, x; address 0x7f0000001, r, l, index 0x1f */
	uint64_t dw[5] = { 0x12340200ULL | 0xabcdeULL << 32 | 1ULL << 52, 0x7f0000001ULL << 12 | 0x1f << 3 | 5, 9, 10,
			   1 << 16 | 48 };

	plugin = "drivers";
	test_ras();
	call(K(5, 10), CALL("ucsi_cmd_str"), 0xffff00000010, "GET_PDOS|");
	call(K(5, 10), CALL("ucsi_cmd_str"), 0x14, "Unknown command|");
	call(K(5, 10), CALL("ucsi_cmd_str"), 8, "SET_UOM|");
	call(K(7, 2), CALL("ucsi_cmd_str"), 8, "SET_CCOM|");
	call(0, CALL("ucsi_cmd_str"), 8, "ucsi_cmd_str(0x8)|");
	call(0, CALL("ucsi_recipient_str"), 2, "plug (prime)|");
	call(0, CALL("ucsi_recipient_str"), 4, "ucsi_recipient_str(0x4)|");
	call(0, CALL("snd_pcm_direction_name"), 0, "Playback|");
	call(0, CALL("snd_pcm_direction_name"), 1, "Capture|");
	text(0, false, prq, dw, sizeof(dw), "rid=0x1234 addr=0x7f0000001 r-x-l pasid=0xabcde index=0x1f "
	     "private=0x9/0xa\\x0a|");
	dw[0] = 1ULL << 53;
	dw[1] = 2;
	text(0, false, prq, dw, sizeof(dw), "rid=0x0 addr=0x0 -w-p- pasid=0x0 index=0x0|");
}

/* --- pixel */

static void test_pixel(void)
{
	static const char systrace[] = HEAD("0") F("int flag", 8, 4, 1) F("int pid", 12, 4, 1)
		F("int64_t value", 16, 8, 1) "\nprint fmt: \"%s|%d|%lld\", __print_flags(REC->flag, \"\", "
		"{ SYSTRACE_EVENT_BEGIN, \"B\" }, { SYSTRACE_EVENT_END, \"E\" }, { SYSTRACE_EVENT_INT64, \"C\" }), "
		"REC->pid, REC->value\n";
	static const char tx[] = HEAD("dw3000_mcps_tx_frame") F("u8 flags", 8, 1, 0) "\nprint fmt: \"flags: %s\", "
		"__print_flags(REC->flags, \"|\", { MCPS802154_TX_FRAME_TIMESTAMP_DTU, \"TIMESTAMP_DTU\" }, "
		"{ MCPS802154_TX_FRAME_SP3, \"SP3\" }, { MCPS802154_TX_FRAME_SP2, \"SP2\" }, "
		"{ MCPS802154_TX_FRAME_SP1, \"SP1\" })\n";
	static const char rx[] = HEAD("region_fira_rx_message_type") F("u32 msg_id", 8, 4, 0) F("int status", 12, 4, 1)
		"\nprint fmt: \"%s %s\", __print_symbolic(REC->msg_id, { FIRA_MESSAGE_ID_RANGING_FINAL, \"RFM\" }, "
		"{ FIRA_MESSAGE_ID_CONTROL, \"RCM\" }), __print_symbolic(REC->status, "
		"{ FIRA_STATUS_RANGING_RX_TIMEOUT, \"rx_timeout\" })\n";
	static const uint8_t c[] = { 4, 0, 0, 0, 9, 0, 0, 0, 0xfe, 255, 255, 255, 255, 255, 255, 255 };
	static const uint8_t sp3[] = { 0x61 }, sp2[] = { 0x40 }, control[] = { 3, 0, 0, 0, 2, 0, 0, 0 };

	plugin = "pixel";
	text(K(5, 10), false, systrace, c, sizeof(c), "C|9|-2");
	text(K(5, 10), false, tx, sp3, 1, "flags: TIMESTAMP_DTU|SP3");
	text(K(5, 10), false, tx, sp2, 1, "flags: SP2");
	text(K(5, 10), false, rx, control, 8, "RCM rx_timeout");
}

int main(void)
{
	char cmd[128];

	snprintf(dir, sizeof(dir), "/var/tmp/ftr-texts.XXXXXX");
	if (!mkdtemp(dir))
		return 1;
	test_nvme();
	test_mlx5();
	test_drivers();
	test_pixel();
	buf_release(&out);
	snprintf(cmd, sizeof(cmd), "rm -rf '%s'", dir);
	return system(cmd) | tap_done();
}
