#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How much of the time that tasks sleep has a named cause in the accounts of ftr why.

Usage: why_named.py FTR FILE

At least 95 % of it, of the tasks that did not sleep all the time. An interrupt or a softirq without a name, a timer
without its function, and a waking that is not recorded are no names; a sleep that lasts to the end has no cause yet.
"""
import collections
import json
import subprocess
import sys

SLEPT = ("asleep", "blocked", "stopped")
UNNAMED = ("a timer", "the timer interrupt", "a hard interrupt", "a soft interrupt", "an NMI",
           "a waking of unknown origin", "a waking that is not recorded", "records are lost")
END = "the end of the recording"


def main():
    run = subprocess.run([sys.argv[1], "why", "--json", "--depth", "0", "*", sys.argv[2]], capture_output=True,
                         text=True, check=True)
    causes = collections.Counter()
    for account in json.loads(run.stdout):
        if sum(row["time"] for row in account["rows"] if row["what"] in SLEPT) < account["time"]:
            for row in account["rows"]:
                if row["what"] in SLEPT and row["cause"] != END:
                    causes[row["cause"] if row["cause"] in UNNAMED else "named"] += row["time"]
    whole = sum(causes.values())
    for cause, time in causes.most_common():
        print("# %6.2f %% %s" % (100 * time / whole, cause))
    return causes["named"] < 0.95 * whole


if __name__ == "__main__":
    sys.exit(main())
