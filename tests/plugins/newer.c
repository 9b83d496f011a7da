/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Built with a newer header, whose structure has a member more, which is in use. */
#include "ftr/plugin.h"

struct newer {
	struct ftr_plugin now;
	int more;
};

extern FTR_EXPORT const struct newer newer_plugin __asm__("ftr_plugin");
const struct newer newer_plugin = {
	.now = { sizeof(struct newer), FTR_PLUGIN_ABI, sizeof(struct ftr_option), sizeof(struct ftr_formatter),
		 sizeof(struct ftr_function), sizeof(struct ftr_constant), .name = "newer" },
	.more = 1,
};
