/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verbs of ftr oops, by the file that runs them. */
#ifndef FTR_CMD_OOPS_OOPS_VERBS_H
#define FTR_CMD_OOPS_OOPS_VERBS_H

#include "cmd/frame/command.h"

/* oops_arm.c */
extern const struct opt oops_arm_options[], oops_disarm_options[];
int oops_arm(const struct cmd *self, int argc, char **argv);
int oops_disarm_now(const struct cmd *self, int argc, char **argv);

/* oops_boot.c */
extern const struct opt oops_cmdline_options[], oops_install_options[], oops_uninstall_options[];
int oops_cmdline(const struct cmd *self, int argc, char **argv);
int oops_install(const struct cmd *self, int argc, char **argv);
int oops_uninstall(const struct cmd *self, int argc, char **argv);

/* oops_collect.c */
extern const struct opt oops_collect_options[];
int oops_collect(const struct cmd *self, int argc, char **argv);


/* oops_show.c */
extern const struct opt oops_show_options[];
int oops_show(const struct cmd *self, int argc, char **argv);

/* oops_status.c */
extern const struct opt oops_status_options[];
int oops_status(const struct cmd *self, int argc, char **argv);

#endif
