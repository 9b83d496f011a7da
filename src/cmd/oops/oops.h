/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verbs of ftr oops, a file each. */
#ifndef FTR_CMD_OOPS_OOPS_H
#define FTR_CMD_OOPS_OOPS_H

#include "cmd/frame/cmd.h"

/* arm.c */
extern const struct opt oops_arm_options[];
int oops_arm(const struct cmd *self, int argc, char **argv);

/* disarm.c */
extern const struct opt oops_disarm_options[];
int oops_disarm_now(const struct cmd *self, int argc, char **argv);

/* cmdline.c */
extern const struct opt oops_cmdline_options[];
int oops_cmdline(const struct cmd *self, int argc, char **argv);

/* collect.c */
extern const struct opt oops_collect_options[];
int oops_collect(const struct cmd *self, int argc, char **argv);

/* install.c */
extern const struct opt oops_install_options[], oops_uninstall_options[];
int oops_install(const struct cmd *self, int argc, char **argv);
int oops_uninstall(const struct cmd *self, int argc, char **argv);

/* parse.c */
extern const struct opt oops_parse_options[];
int oops_parse(const struct cmd *self, int argc, char **argv);

/* show.c */
extern const struct opt oops_show_options[];
int oops_show(const struct cmd *self, int argc, char **argv);

/* status.c */
extern const struct opt oops_status_options[];
int oops_status(const struct cmd *self, int argc, char **argv);

#endif
