/* SPDX-License-Identifier: GPL-2.0-or-later */
/* last_boot_info of 6.12 and 7.2, and the symbols that are moved by it. */
#include "oops/collect/collect_priv.h"
#include "tap.h"

static const char symbols[] =
	"0000000000000000 A fixed_percpu_data\n"
	"ffffffff81000000 T _text\n"
	"ffffffff81000010 t one\n"
	"ffffffff82000000 D datum\n"
	"ffffffffc0001010 t far\t[ext4]\n"
	"ffffffffc0001020 t far\tther\t[ext4]\n"
	"ffffffffc0008000 d far_datum\t[ext4]\n"
	"ffffffffc0100020 t farther\t[nfs]\n"
	"ffffffffc0200000 t bpf_prog_1\t[bpf]\n";
static const char modules[] = "ext4 1028096 1 - Live 0xffffffffc0001000\n"
			      "nfs 4096 0 - Live 0xffffffffc0100000\n";

static void kind(const char *text, enum last_boot_kind want, size_t n, const char *name)
{
	struct last_boot l = {0};

	last_boot_parse(&l, text, strlen(text));
	TAP_EQ(l.kind, want, name);
	TAP_EQ(l.n, n, name);
	last_boot_release(&l);
}

static void moved(const char *before, const char *want, const char *lost, const char *name)
{
	struct last_boot l = {0};
	struct buf now = {0}, out = {0}, names = {0};
	struct strv unplaced = {0};
	bool ok;

	buf_addstr(&out, "");
	buf_addstr(&names, "");
	buf_addstr(&now, symbols);
	last_boot_parse(&l, before, strlen(before));
	ok = collect_move_symbols(&l, &now, modules, &out, &unplaced);
	for (size_t i = 0; i < unplaced.n; i++)
		buf_printf(&names, "%s ", unplaced.v[i]);
	if (!TAP_OK(ok == !!*want && !strcmp(out.data, want), name))
		printf("# %s\n", out.data);
	if (!TAP_OK(!strcmp(names.data, lost), name))
		printf("# %s\n", names.data);
	last_boot_release(&l);
	buf_release(&now);
	buf_release(&out);
	buf_release(&names);
	strv_release(&unplaced);
}

int main(void)
{
	kind("", LAST_BOOT_NOT, 0, "nothing");
	kind("# Current\n", LAST_BOOT_CURRENT, 0, "of this boot");
	kind("text delta:\t-4096\ndata delta:\t0\n", LAST_BOOT_DELTAS, 0, "deltas");
	kind("text delta:\t\n", LAST_BOOT_NOT, 0, "no number");
	kind("text delta:\t12x\n", LAST_BOOT_NOT, 0, "half a number");
	kind("ffffffff81000000\t[kernel]\nffffffffc0001000\text4\n", LAST_BOOT_ADDRESSES, 1, "addresses");
	kind("ffffffff81000000\t[kernel]\nxyz\tnfs\nffffffffc0001000\t\nffff", LAST_BOOT_ADDRESSES, 0, "lines that are none");
	moved("text delta:\t-65536\ndata delta:\t-131072\n",
	      "0000000000000000 A fixed_percpu_data\n"
	      "ffffffff81010000 T _text\n"
	      "ffffffff81010010 t one\n"
	      "ffffffff82020000 D datum\n",
	      "ext4 nfs ", "by the deltas of 6.12, which knows no modules");
	moved("ffffffff90000000\t[kernel]\nffffffffc0501000\text4\nffffffffc0600000\txfs\n",
	      "0000000000000000 A fixed_percpu_data\n"
	      "ffffffff90000000 T _text\n"
	      "ffffffff90000010 t one\n"
	      "ffffffff91000000 D datum\n"
	      "ffffffffc0501010 t far\t[ext4]\n"
	      "ffffffffc0501020 t far\tther\t[ext4]\n",
	      "nfs xfs ", "by the addresses of 7.2; of a module its code");
	moved("# Current\n", "", "", "of this boot: nothing moves");
	return tap_done();
}
