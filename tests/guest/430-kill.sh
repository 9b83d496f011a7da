#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# ftr record, killed at random moments in each way of choosing where to record and how: the file has every marker that
# was written before, all control files are as they were, nothing is left in /run/ftr and no process of ours,
# the command goes on.
#
# The ways (kill-checks.sh has their options), which take turns in an order of the seed:
#   top           the top level                           beside      -B NAME -e ..., settings of the top level too
#   busy          an instance, as the top level is in use several     two instances
#   busy-tracer   the same with function_graph            all         two instances, and settings of the top level
#   force         taking the top level over               mine        an instance that was there, with settings in it
#   instance      -B NAME alone, markers from the top     triggers    -e with triggers
#   command       -F -c                                   pids        -P
#   user          --user                                  nosplice    --nosplice
#   rotate        --rotate, also with an instance         kept        -m
#   flight        --flight                                stop        --stop-on, --stop-on-func
#   sync          --sync                                  function    with filters
#   graph         function_graph with -l, -g, a depth     module      --module
#   global        -D, --cmdlines-size, -O of the top      buffers     -b, --subbuf-size, -C, -M
#   date          --date                                  stdout      -o -
#   listener      -N                                      packed      --compression
#   version6      --file-version 6
# -k and -K are none of them: they leave what they set.
#
# FTR_LONG=1: 100 kills on each kernel. Else some ways on one kernel.
. "$(dirname "$0")/../lib.sh"

FTR_MOMENTS=${FTR_MOMENTS:-8}
[ "${FTR_LONG:-}" != 1 ] || FTR_MOMENTS=100
export FTR_MOMENTS

one_kernel() {
	echo "# $V: seed $FTR_SEED, $FTR_MOMENTS moments"
	guest_checks $((600 + FTR_MOMENTS * 60)) kill-checks.sh
}

for_a_kernel one_kernel
finish
