# SPDX-License-Identifier: GPL-2.0-or-later
# The session on each kernel: what it changes it puts back, from a fresh and from a dirty tracefs, at any end.

. "$(dirname "$0")/../lib.sh"

session_checks() {
	guest_checks 900 session-checks.sh
}

for_a_kernel session_checks
finish
