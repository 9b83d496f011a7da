/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events and commands of the USB device controller DWC3, as kernels 5.10 to 7.2 print them. */
#include <stdint.h>

#include "ftr/plugin.h"

#define TIMED_OUT (-110)	/* ETIMEDOUT */

static int trb_type(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
		    uint64_t *num)
{
	/* where it stands in the control word */
	static const struct ftr_name types[] = {
		{ 0x10, "normal" }, { 0x20, "setup" }, { 0x30, "status2" }, { 0x40, "status3" },
		{ 0x50, "data" }, { 0x60, "isoc-first" }, { 0x70, "isoc" }, { 0x80, "link" },
		{ 0, NULL },
	};

	(void)r;
	(void)num;
	ftr_out_name(out, (uint32_t)args[0].num, types, "UNKNOWN");
	return FTR_DONE;
}

static int ep_cmd(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
		  uint64_t *num)
{
	static const struct ftr_name cmds[] = {
		{ 1, "Set Endpoint Configuration" }, { 2, "Set Endpoint Transfer Resource" },
		{ 3, "Get Endpoint State" }, { 4, "Set Stall" }, { 5, "Clear Stall" },
		{ 6, "Start Transfer" }, { 7, "Update Transfer" }, { 8, "End Transfer" },
		{ 9, "Start New Configuration" }, { 0, NULL },
	};

	(void)r;
	(void)num;
	ftr_out_name(out, (uint8_t)args[0].num, cmds, "UNKNOWN command");
	return FTR_DONE;
}

static int ep_cmd_status(const struct ftr_record *r, const struct ftr_arg *args,
			 struct ftr_out *out, uint64_t *num)
{
	static const struct ftr_name statuses[] = {
		{ (uint32_t)TIMED_OUT, "Timed Out" }, { 0, "Successful" }, { 1, "No Resource" },
		{ 2, "Bus Expiry" }, { 0, NULL },
	};

	(void)r;
	(void)num;
	ftr_out_name(out, (uint32_t)args[0].num, statuses, "UNKNOWN");
	return FTR_DONE;
}

/* Kernels that never give a command do not know its name either: 7 since 6.4, 13 since 5.8. */
static int generic_cmd(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
		       uint64_t *num)
{
	static const struct ftr_name cmds[] = {
		{ 0x01, "Set LMP" }, { 0x02, "Set Periodic Parameters" },
		{ 0x03, "Transmit Function Wake Device Notification" },
		{ 0x04, "Set Scratchpad Buffer Array Address Lo" },
		{ 0x05, "Set Scratchpad Buffer Array Address Hi" }, { 0x07, "Device Notification" },
		{ 0x09, "Selected FIFO Flush" }, { 0x0a, "All FIFO Flush" },
		{ 0x0c, "Set Endpoint NRDY" }, { 0x0d, "Set Endpoint Prime" },
		{ 0x10, "Run SoC Bus Loopback Test" }, { 0, NULL },
	};

	(void)r;
	(void)num;
	ftr_out_name(out, (uint8_t)args[0].num, cmds, "UNKNOWN");
	return FTR_DONE;
}

static int generic_status(const struct ftr_record *r, const struct ftr_arg *args,
			  struct ftr_out *out, uint64_t *num)
{
	static const struct ftr_name statuses[] = {
		{ (uint32_t)TIMED_OUT, "Timed Out" }, { 0, "Successful" }, { 1, "Error" },
		{ 0, NULL },
	};

	(void)r;
	(void)num;
	ftr_out_name(out, (uint32_t)args[0].num, statuses, "UNKNOWN");
	return FTR_DONE;
}

/* Since 6.18, of dwc3_set_prtcap. */
static int mode(const struct ftr_record *r, const struct ftr_arg *args, struct ftr_out *out,
		uint64_t *num)
{
	static const struct ftr_name modes[] = {
		{ 1, "host" }, { 2, "device" }, { 3, "otg" }, { 0, NULL },
	};

	(void)r;
	(void)num;
	ftr_out_name(out, (uint32_t)args[0].num, modes, "UNKNOWN");
	return FTR_DONE;
}

/* --- events: bit 0 tells those of the device from those of an endpoint */

#define SUSPEND 6	/* "End-Of-Frame" before 5.13 */

/* bits 8 to 11: what, 16 to 19: the link's state */
static void device_event(uint32_t kernel, uint32_t event, struct ftr_out *out)
{
	static const char *const kinds[16] = {
		"Disconnect:", "Reset", "Connection Done", "Link Change", "WakeUp",
		[SUSPEND] = "Suspend", [7] = "Start-Of-Frame", [9] = "Erratic Error",
		[10] = "Command Complete", [11] = "Overflow",
	};
	static const struct ftr_name links[] = {
		{ 0, "U0" }, { 1, "U1" }, { 2, "U2" }, { 3, "U3" }, { 4, "SS.Disabled" },
		{ 5, "RX.Detect" }, { 6, "SS.Inactive" }, { 7, "Polling" }, { 8, "Recovery" },
		{ 9, "Hot Reset" }, { 10, "Compliance" }, { 11, "Loopback" }, { 14, "Reset" },
		{ 15, "Resume" }, { 0, NULL },
	};
	unsigned int kind = event >> 8 & 0xf;
	const char *name = kinds[kind];

	if (!name) {
		ftr_out_str(out, "UNKNOWN");
		return;
	}
	if (kind == SUSPEND && kernel < FTR_KERNEL(5, 13))
		name = "End-Of-Frame";
	ftr_out_printf(out, "%s [", name);
	ftr_out_name(out, event >> 16 & 0xf, links, "UNKNOWN link state");
	ftr_out_str(out, "]");
}

/* A letter for each bit from @bit up, capital where it is set. */
static void flags(struct ftr_out *out, unsigned int status, unsigned int bit, const char *letters)
{
	ftr_out_str(out, " (");
	for (; *letters; letters++, bit++)
		ftr_out_printf(out, "%c", status >> bit & 1 ? *letters : *letters - 'A' + 'a');
	ftr_out_str(out, ")");
}

/* The parameters are in hex since 6.1. */
static void parameters(uint32_t kernel, uint32_t event, struct ftr_out *out)
{
	ftr_out_printf(out, kernel >= FTR_KERNEL(6, 1) ? " [%08x]" : " [%u]",
		       event >> 16);
}

enum { COMPLETE = 1, IN_PROGRESS, NOT_READY, FIFO, STREAM = 6, COMMAND };

/* What follows the name of these, of endpoint 0. */
static void phase(struct ftr_out *out, unsigned int kind, unsigned int status, uint32_t ep0state)
{
	static const struct ftr_name states[] = {
		{ 0, "Unconnected" }, { 1, "Setup Phase" }, { 2, "Data Phase" },
		{ 3, "Status Phase" }, { 0, NULL },
	};
	static const struct ftr_name phases[] = {
		{ 1, " [Data Phase]" }, { 2, " [Status Phase]" }, { 0, NULL },
	};

	if (kind == NOT_READY) {
		ftr_out_name(out, status & 3, phases, "");
		return;
	}
	ftr_out_str(out, " [");
	ftr_out_name(out, ep0state, states, "UNKNOWN");
	ftr_out_str(out, "]");
}

static void transfer(uint32_t kernel, uint32_t event, uint32_t ep0state, struct ftr_out *out)
{
	unsigned int ep = event >> 1 & 0x1f, kind = event >> 6 & 0xf, status = event >> 12 & 0xf;

	if (kind == COMPLETE) {
		ftr_out_str(out, "Transfer Complete");
		flags(out, status, 1, "SIL");
	} else if (kind == IN_PROGRESS) {
		ftr_out_str(out, "Transfer In Progress");
		parameters(kernel, event, out);
		flags(out, status, 1, "SIM");
	} else {
		ftr_out_str(out, "Transfer Not Ready");
		parameters(kernel, event, out);
		ftr_out_str(out, status & 8 ? " (Active)" : " (Not Active)");
	}
	if (ep <= 1 && kind != IN_PROGRESS)
		phase(out, kind, status, ep0state);
}

/* bits 1 to 5: the endpoint, 6 to 9: what, 12 to 15: status, 16 to 31: parameters */
static void endpoint_event(uint32_t kernel, uint32_t event, uint32_t ep0state, struct ftr_out *out)
{
	static const struct ftr_name others[] = {
		{ FIFO, "FIFO" }, { STREAM, " Stream Not Found" },
		{ COMMAND, "Endpoint Command Complete" }, { 0, NULL },
	};
	unsigned int ep = event >> 1 & 0x1f, kind = event >> 6 & 0xf, status = event >> 12 & 0xf;

	ftr_out_printf(out, "ep%u%s: ", ep >> 1, ep & 1 ? "in" : "out");
	if (kind >= COMPLETE && kind <= NOT_READY)
		transfer(kernel, event, ep0state, out);
	else if (kind == STREAM && status == 1)
		ftr_out_printf(out, " Stream %u Found", event >> 16);
	else
		ftr_out_name(out, kind, others, "UNKNOWN");
}

static int decode_event(const struct ftr_record *r, const struct ftr_arg *args,
			struct ftr_out *out, uint64_t *num)
{
	uint32_t event = args[2].num, kernel = ftr_record_kernel(r);

	(void)num;
	if (!kernel)
		return FTR_PASS;
	if (event & 1)
		device_event(kernel, event, out);
	else
		endpoint_event(kernel, event, args[3].num, out);
	return FTR_DONE;
}

static const struct ftr_function functions[] = {
	{ "dwc3_trb_type_string", "s:i", trb_type },
	{ "dwc3_gadget_ep_cmd_string", "s:i", ep_cmd },
	{ "dwc3_ep_cmd_status_string", "s:i", ep_cmd_status },
	{ "dwc3_gadget_generic_cmd_string", "s:i", generic_cmd },
	{ "dwc3_gadget_generic_cmd_status_string", "s:i", generic_status },
	{ "dwc3_mode_string", "s:i", mode },
	{ "dwc3_decode_event", "s:--ii", decode_event },
	{ NULL, NULL, NULL },
};

FTR_PLUGIN_LATE("");

const struct ftr_plugin ftr_plugin = {
	FTR_PLUGIN_HEAD,
	.name = "dwc3",
	.description = "events and commands of the USB device controller DWC3",
	.functions = functions,
};
