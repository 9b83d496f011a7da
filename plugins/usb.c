/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* usb_decode_ctrl(), which print fmts of USB device controllers call: a request to a device. */
#include <stdint.h>

#include "ftr/plugin.h"

struct usb_setup {
	uint8_t  type, request;
	uint16_t value, index, length;
};

enum { DEVICE, INTERFACE, ENDPOINT };

static unsigned int recipient(const struct usb_setup *q)
{
	return q->type & 0x1f;
}

/* "(ep2in)": bit 7 is the direction, the rest is taken for the number. */
static void endpoint(struct ftr_out *out, const struct usb_setup *q)
{
	ftr_out_printf(out, "ep%u%s)", q->index & ~0x80u, q->index & 0x80 ? "in" : "out");
}

/* The kernel writes nothing for other recipients: what was in its buffer is shown. */
static int get_status(const struct usb_setup *q, struct ftr_out *out)
{
	switch (recipient(q)) {
	case DEVICE:
		ftr_out_printf(out, "Get Device Status(Length = %u)", q->length);
		return FTR_DONE;
	case INTERFACE:
		ftr_out_printf(out, "Get Interface Status(Intf = %u, Length = %u)", q->index,
			       q->length);
		return FTR_DONE;
	case ENDPOINT:
		ftr_out_str(out, "Get Endpoint Status(");
		endpoint(out, q);
		return FTR_DONE;
	default:
		return FTR_PASS;
	}
}

static void device_feature(const struct usb_setup *q, struct ftr_out *out)
{
	static const struct ftr_name features[] = {
		{ 0, "Self Powered" }, { 1, "Remote Wakeup" }, { 2, "Test Mode: " },
		{ 48, "U1 Enable" }, { 49, "U2 Enable" }, { 50, "LTM Enable" }, { 0, NULL },
	};
	static const struct ftr_name tests[] = {
		{ 1, "TEST_J" }, { 2, "TEST_K" }, { 3, "TEST_SE0_NAK" }, { 4, "TEST_PACKET" },
		{ 5, "TEST_FORCE_EN" }, { 0, NULL },
	};

	ftr_out_str(out, " Device Feature(");
	ftr_out_name(out, q->value, features, "UNKNOWN");
	if (q->value == 2)
		ftr_out_name(out, q->index, tests, "UNKNOWN");
	ftr_out_str(out, ")");
}

static int set_or_clear_feature(const struct usb_setup *q, struct ftr_out *out)
{
	if (recipient(q) > ENDPOINT)
		return FTR_PASS;
	ftr_out_str(out, q->request == 1 ? "Clear" : "Set");
	if (recipient(q) == DEVICE) {
		device_feature(q, out);
	} else if (recipient(q) == INTERFACE) {
		ftr_out_printf(out, " Interface Feature(%s)",
			       q->value ? "UNKNOWN" : "Function Suspend");
	} else {
		ftr_out_printf(out, " Endpoint Feature(%s ", q->value ? "UNKNOWN" : "Halt");
		endpoint(out, q);
	}
	return FTR_DONE;
}

static int descriptor(const struct usb_setup *q, struct ftr_out *out)
{
	static const struct ftr_name kinds[] = {
		{ 0x01, "Device" }, { 0x02, "Configuration" }, { 0x03, "String" },
		{ 0x04, "Interface" }, { 0x05, "Endpoint" }, { 0x06, "Device Qualifier" },
		{ 0x07, "Other Speed Config" }, { 0x08, "Interface Power" }, { 0x09, "OTG" },
		{ 0x0a, "Debug" }, { 0x0b, "Interface Association" }, { 0x0f, "BOS" },
		{ 0x10, "Device Capability" }, { 0x24, "Pipe Usage" },
		{ 0x30, "SS Endpoint Companion" }, { 0x31, "SSP Isochronous Endpoint Companion" },
		{ 0, NULL },
	};

	ftr_out_str(out, q->request == 6 ? "Get " : "Set ");
	ftr_out_name(out, q->value >> 8, kinds, "UNKNOWN");
	ftr_out_printf(out, " Descriptor(Index = %u, Length = %u)", q->value & 0xff, q->length);
	return FTR_DONE;
}

/* No standard request. Before 6.1 and stable releases of October 2022 all were taken for one. */
static int generic(const struct usb_setup *q, struct ftr_out *out)
{
	static const struct ftr_name types[] = {
		{ 0, "Standard" }, { 1, "Class" }, { 2, "Vendor" }, { 0, NULL },
	};
	static const struct ftr_name recipients[] = {
		{ DEVICE, "Device" }, { INTERFACE, "Interface" }, { ENDPOINT, "Endpoint" },
		{ 0, NULL },
	};

	ftr_out_str(out, "Type=");
	ftr_out_name(out, q->type >> 5 & 3, types, "Unknown");
	ftr_out_str(out, " Recipient=");
	ftr_out_name(out, recipient(q), recipients, "Unknown");
	ftr_out_printf(out, " Dir=%s bRequest=%u wValue=%u wIndex=%u wLength=%u",
		       q->type & 0x80 ? "IN" : "OUT", q->request, q->value, q->index, q->length);
	return FTR_DONE;
}

static int get_configuration(const struct usb_setup *q, struct ftr_out *out)
{
	ftr_out_printf(out, "Get Configuration(Length = %u)", q->length);
	return FTR_DONE;
}

static int set_configuration(const struct usb_setup *q, struct ftr_out *out)
{
	ftr_out_printf(out, "Set Configuration(Config = %u)", q->value & 0xff);
	return FTR_DONE;
}

static int get_interface(const struct usb_setup *q, struct ftr_out *out)
{
	ftr_out_printf(out, "Get Interface(Intf = %u, Length = %u)", q->index, q->length);
	return FTR_DONE;
}

static int set_interface(const struct usb_setup *q, struct ftr_out *out)
{
	ftr_out_printf(out, "Set Interface(Intf = %u, Alt.Setting = %u)", q->index,
		       q->value & 0xff);
	return FTR_DONE;
}

static int set_address(const struct usb_setup *q, struct ftr_out *out)
{
	ftr_out_printf(out, "Set Address(Addr = %02x)", q->value);
	return FTR_DONE;
}

static int synch_frame(const struct usb_setup *q, struct ftr_out *out)
{
	ftr_out_printf(out, "Synch Frame(Endpoint = %u, Length = %u)", q->index, q->length);
	return FTR_DONE;
}

static int set_sel(const struct usb_setup *q, struct ftr_out *out)
{
	ftr_out_printf(out, "Set SEL(Length = %u)", q->length);
	return FTR_DONE;
}

static int set_isoch_delay(const struct usb_setup *q, struct ftr_out *out)
{
	ftr_out_printf(out, "Set Isochronous Delay(Delay = %u ns)", q->value & 0xff);
	return FTR_DONE;
}

static int (*const standard[])(const struct usb_setup *q, struct ftr_out *out) = {
	[0x00] = get_status,
	[0x01] = set_or_clear_feature,
	[0x03] = set_or_clear_feature,
	[0x05] = set_address,
	[0x06] = descriptor,
	[0x07] = descriptor,
	[0x08] = get_configuration,
	[0x09] = set_configuration,
	[0x0a] = get_interface,
	[0x0b] = set_interface,
	[0x0c] = synch_frame,
	[0x30] = set_sel,
	[0x31] = set_isoch_delay,
};

static int decode_ctrl(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
		       uint64_t *num)
{
	const struct usb_setup q = {
		args[2].num, args[3].num, args[4].num, args[5].num, args[6].num,
	};

	(void)r;
	(void)num;
	if (q.type & 0x60 || q.request >= sizeof(standard) / sizeof(*standard) ||
	    !standard[q.request])
		return generic(&q, out);
	return standard[q.request](&q, out);
}

static const struct ftr_function functions[] = {
	{ "usb_decode_ctrl", "s:--iiiii", decode_ctrl },
	{ NULL, NULL, NULL },
};

FTR_PLUGIN_LATE("");

const struct ftr_plugin ftr_plugin = {
	FTR_PLUGIN_HEAD,
	.name = "usb",
	.description = "requests to USB devices",
	.functions = functions,
};
