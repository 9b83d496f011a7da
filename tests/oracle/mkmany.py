#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""mkdat.py with many tasks: mkmany.py TASKS FILE [OPTION of mkdat.py...]. Their pids begin with 10000,
their names with "task"."""
import sys

import mkdat

mkdat.COMMS = {0: "<idle>", **{10000 + i: "task%d" % i for i in range(int(sys.argv[1]))}}
mkdat.TASKS = sorted(pid for pid in mkdat.COMMS if pid)
del sys.argv[1]
mkdat.main()
