/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flow steering of mlx5 network cards: what rules match, where packets go (kernels 6.1 to 7.2). */
#include <inttypes.h>
#include <string.h>

#include "ftr/plugin.h"

#define HDRS_LEN 64		/* fte_match_set_lyr_2_4 and fte_match_set_misc: 512 bits each */

enum form { DEC, HEX, HEX2, HEX4 };

/*
 * A field of the device's interface: bits are counted from the highest of the first byte. The
 * kernel keeps gre_protocol in 8 bits though it has 16; only what is kept counts.
 */
struct mlx5_field {
	const char *name;	/* NULL ends them */
	uint16_t at;
	uint8_t bits, kept;
	enum form form;
};

static const struct mlx5_field layer_2_4[] = {
	{ "ip_protocol", 0x80, 8, 8, HEX2 }, { "tcp_flags", 0x97, 9, 16, HEX },
	{ "tcp_sport", 0xa0, 16, 16, DEC }, { "tcp_dport", 0xb0, 16, 16, DEC },
	{ "udp_sport", 0xe0, 16, 16, DEC }, { "udp_dport", 0xf0, 16, 16, DEC },
	{ "first_vid", 0x74, 12, 16, HEX4 }, { "first_prio", 0x70, 3, 8, HEX },
	{ "first_cfi", 0x73, 1, 8, DEC }, { "ip_dscp", 0x88, 6, 8, HEX2 },
	{ "ip_ecn", 0x8e, 2, 8, HEX }, { "cvlan_tag", 0x90, 1, 8, DEC },
	{ "svlan_tag", 0x91, 1, 8, DEC }, { "frag", 0x92, 1, 8, DEC },
	{ NULL, 0, 0, 0, DEC },
};

static const struct mlx5_field misc[] = {
	{ "gre_key", 0x80, 32, 64, DEC }, { "source_sqn", 0x08, 24, 32, DEC },
	{ "source_port", 0x30, 16, 16, DEC },
	{ "outer_second_prio", 0x40, 3, 8, DEC }, { "outer_second_cfi", 0x43, 1, 8, DEC },
	{ "outer_second_vid", 0x44, 12, 16, DEC },
	{ "inner_second_prio", 0x50, 3, 8, DEC }, { "inner_second_cfi", 0x53, 1, 8, DEC },
	{ "inner_second_vid", 0x54, 12, 16, DEC },
	{ "outer_second_cvlan_tag", 0x60, 1, 8, DEC },
	{ "inner_second_cvlan_tag", 0x61, 1, 8, DEC },
	{ "outer_second_svlan_tag", 0x62, 1, 8, DEC },
	{ "inner_second_svlan_tag", 0x63, 1, 8, DEC },
	{ "gre_protocol", 0x70, 16, 8, DEC }, { "vxlan_vni", 0xa0, 24, 32, DEC },
	{ "outer_ipv6_flow_label", 0xec, 20, 32, HEX },
	{ "inner_ipv6_flow_label", 0x10c, 20, 32, HEX },
	{ NULL, 0, 0, 0, DEC },
};

static const struct mlx5_field ethertype = { "ethertype", 0x30, 16, 16, HEX4 };
static const struct mlx5_field ip_version = { "ip_version", 0x93, 4, 8, DEC };

#define SMAC 0x00		/* bytes */
#define DMAC 0x08
#define SRC_IP 0x20		/* 16 bytes; IPv4 in the last 4 */
#define DST_IP 0x30

static uint64_t get(const uint8_t *p, const struct mlx5_field *f)
{
	uint64_t v = 0;

	for (unsigned int i = f->at; i < (unsigned int)f->at + f->bits; i++)
		v = v << 1 | (p[i / 8] >> (7 - i % 8) & 1);
	return f->kept < 64 ? v & ((1ULL << f->kept) - 1) : v;
}

static void print(struct ftr_out *out, const struct mlx5_field *f, const uint8_t *mask,
		  const uint8_t *value)
{
	static const char *const forms[] = {
		[DEC] = "%s=%" PRIu64 " ", [HEX] = "%s=%" PRIx64 " ", [HEX2] = "%s=%02" PRIx64 " ",
		[HEX4] = "%s=%04" PRIx64 " ",
	};

	if (get(mask, f))
		ftr_out_printf(out, forms[f->form], f->name, get(value, f));
}

/* Whether the recording is of a big-endian machine; -1 if the bytes do not tell. */
static int is_big(const struct ftr_record *r, const uint8_t *p)
{
	for (unsigned int i = 0; i + 1 < HDRS_LEN; i++)
		if (p[i] != p[i + 1])
			return ftr_record_num(r, p + i, 2) == (uint64_t)(p[i] << 8 | p[i + 1]);
	return -1;
}

/*
 * The kernel puts an address together in 32 bits, which loses the first two bytes, and prints the
 * first 6 of the 8 bytes of that number.
 */
static int print_mac(const struct ftr_record *r, struct ftr_out *out, const char *name,
		     const uint8_t *mask, const uint8_t *value, unsigned int at)
{
	const uint8_t *m = mask + at + 2, *v = value + at + 2;
	int big;

	if (!(m[0] | m[1] | m[2] | m[3]))
		return FTR_DONE;
	big = is_big(r, mask);
	if (big < 0)
		return FTR_PASS;
	if (big)
		ftr_out_printf(out, "%s=00:00:00:00:%02x:%02x ", name, v[0], v[1]);
	else
		ftr_out_printf(out, "%s=%02x:%02x:%02x:%02x:00:00 ", name, v[3], v[2], v[1], v[0]);
	return FTR_DONE;
}

static void print_ipv4(struct ftr_out *out, const char *name, const uint8_t *mask,
		       const uint8_t *v)
{
	if (mask[12] | mask[13] | mask[14] | mask[15])
		ftr_out_printf(out, "%s=%u.%u.%u.%u ", name, v[12], v[13], v[14], v[15]);
}

/* Only if all of it is asked for. */
static void print_ipv6(struct ftr_out *out, const char *name, const uint8_t *mask,
		       const uint8_t *v)
{
	unsigned int i;

	for (i = 0; i < 16 && mask[i] == 0xff; i++)
		;
	if (i < 16)
		return;
	for (i = 0; i < 16; i += 2)
		ftr_out_printf(out, "%s%02x%02x", i ? ":" : name, v[i], v[i + 1]);
	ftr_out_str(out, " ");
}

static int is_ip(const uint8_t *mask, const uint8_t *value, uint64_t type, uint64_t version)
{
	return (get(mask, &ethertype) == 0xffff && get(value, &ethertype) == type) ||
		(get(mask, &ip_version) == 0xf && get(value, &ip_version) == version);
}

static int print_headers(const struct ftr_record *r, struct ftr_out *out, const uint8_t *mask,
			 const uint8_t *value)
{
	if (print_mac(r, out, "smac", mask, value, SMAC) ||
	    print_mac(r, out, "dmac", mask, value, DMAC))
		return FTR_PASS;
	print(out, &ethertype, mask, value);
	if (is_ip(mask, value, 0x0800, 4)) {
		print_ipv4(out, "src_ipv4", mask + SRC_IP, value + SRC_IP);
		print_ipv4(out, "dst_ipv4", mask + DST_IP, value + DST_IP);
	} else if (is_ip(mask, value, 0x86dd, 6)) {
		print_ipv6(out, "src_ipv6=", mask + SRC_IP, value + SRC_IP);
		print_ipv6(out, "dst_ipv6=", mask + DST_IP, value + DST_IP);
	}
	for (const struct mlx5_field *f = layer_2_4; f->name; f++)
		print(out, f, mask, value);
	return FTR_DONE;
}

/* p, which there are, masks of outer, misc, inner, values of the same */
static int headers(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
		   uint64_t *num)
{
	const struct ftr_arg *outer = &args[2], *other = &args[3], *inner = &args[4];
	uint8_t enabled = args[1].num;

	(void)num;
	for (unsigned int i = 2; i < 8; i++)
		if (!args[i].data || args[i].len < HDRS_LEN)
			return FTR_PASS;
	if (enabled & 1) {
		ftr_out_str(out, "[outer] ");
		if (print_headers(r, out, outer[0].data, outer[3].data))
			return FTR_PASS;
	}
	if (enabled & 2) {
		ftr_out_str(out, "[misc] ");
		for (const struct mlx5_field *f = misc; f->name; f++)
			print(out, f, other[0].data, other[3].data);
	}
	if (enabled & 4) {
		ftr_out_str(out, "[inner] ");
		if (print_headers(r, out, inner[0].data, inner[3].data))
			return FTR_PASS;
	}
	return FTR_DONE;
}

/* struct mlx5_flow_destination of 6.1, 6.12 and 7.2 on 64 bits: a type, and a union at 8. */
static int destination(const struct ftr_record *r, const struct ftr_arg *args,
		       struct ftr_out *out, uint64_t *num)
{
	static const struct {
		const char *text;
		uint8_t size;		/* of the number at 8 */
	} types[] = {
		[0] = { "none", 0 }, [1] = { "vport=%" PRIu64, 2 },
		[2] = { "ft=%016" PRIx64, 8 }, [3] = { "tir=%" PRIu64, 4 },
		[4] = { "sampler_id=%" PRIu64, 4 }, [5] = { "uplink", 0 }, [6] = { "port", 0 },
		[8] = { "ft_num=%" PRIu64, 4 }, [11] = { "rx_vhca_id=%" PRIu64, 2 },
	};
	const uint8_t *p = args[1].data;
	uint64_t type;

	(void)num;
	/* types had other numbers before, and the table's (10) are where its pointer points to */
	if (!p || args[1].len < 32 || ftr_record_long_size(r) != 8 ||
	    ftr_record_kernel(r) < FTR_KERNEL(6, 1))
		return FTR_PASS;
	type = ftr_record_num(r, p, 4);
	if (type == 7) {
		ftr_out_printf(out, "counter_id=%u\n", (unsigned int)args[2].num);
	} else if (type == 9 && args[1].len >= 36) {
		ftr_out_printf(out, "field=%s min=%d max=%d\n", ftr_record_num(r, p + 24, 4) ?
			       "unknown dest range field" : "packet len",
			       (int)ftr_record_num(r, p + 28, 4),
			       (int)ftr_record_num(r, p + 32, 4));
	} else if (type < sizeof(types) / sizeof(*types) && types[type].text) {
		if (types[type].size)
			ftr_out_printf(out, types[type].text,
				       ftr_record_num(r, p + 8, types[type].size));
		else
			ftr_out_str(out, types[type].text);
		ftr_out_str(out, "\n");
	} else {
		return FTR_PASS;
	}
	return FTR_DONE;
}

static const struct ftr_function functions[] = {
	{ "parse_fs_hdrs", "s:-ibbbbbb", headers },
	{ "parse_fs_dst", "s:-bi", destination },
	{ NULL, NULL, NULL },
};

FTR_PLUGIN_LATE("");

const struct ftr_plugin ftr_plugin = {
	FTR_PLUGIN_HEAD,
	.name = "mlx5",
	.description = "flow steering of mlx5 network cards",
	.functions = functions,
};
