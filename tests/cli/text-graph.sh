#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Texts of function_graph that lack times or tasks: what ftr makes of them. The figures are counted by hand.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1

# Two CPUs, without times. While a() of CPU 0 is open, schedule() of CPU 1 ends, which took 20 ms: a() takes 12 us all
# the same, and 9 us of them are its own.
cat > two.txt <<'END'
# tracer: function_graph
#
# CPU  DURATION                  FUNCTION CALLS
# |     |   |                     |   |   |   |
 1)               |  schedule() {
 1)   2.000 us    |    c();
 0)               |  a() {
 1) * 20000.00 us |  }
 0)   3.000 us    |    b();
 0) + 12.000 us   |  }
END

# row FUNCTION: total, own time, calls of ftr profile
row() {
	"$FTR" profile two.txt 2> /dev/null | awk -v name="$1" '$NF == name { print $1, $2, $(NF - 1) }'
}

times() {
	same "a call keeps its duration" "12.000 9.000 1" "$(row a)"
	same "a call inside of it as well" "3.000 3.000 1" "$(row b)"
	same "a call that started before it as well" "20000.000 19998.000 1" "$(row schedule)"
	"$FTR" import two.txt -o two.dat 2> /dev/null
	"$FTR" report --format=kernel two.dat 2> /dev/null | grep '|' > lines
	grep '|' two.txt | grep -v '^#' | sed 's/ *$//' > want
	sed 's/ *$//' lines | grep -v '^#' > got
	same_files "the lines keep their order" want got
}

# The task is shown by a switch after its first call, whose end has no name.
late_task() {
	cat > late.txt <<-'END'
	# tracer: function_graph
	 0)               |  outer() {
	 ------------------------------------------
	 0)   first-11     =>   second-22
	 ------------------------------------------

	 0)   1.000 us    |    inner();
	 ------------------------------------------
	 0)   second-22    =>   first-11
	 ------------------------------------------

	 0) + 50.000 us   |  }
	END
	"$FTR" report late.txt 2> /dev/null > out
	has "a call is that of the task that a later switch shows" "$(cat out)" "^ *first-11 .* \|  outer\(\) \{"
	"$FTR" report --json late.txt 2> /dev/null > out
	same "its end has its function" 1 \
		"$(sed -n 's/.*"pid":11,.*"event":"funcgraph_.*\("func":[0-9]*\).*/\1/p' out | sort -u | wc -l)"
}

no_task() {
	cat > none.txt <<-'END'
	# tracer: function_graph
	 1)               |  outer() {
	 1)   1.000 us    |    inner();
	 1) + 50.000 us   |  }
	END
	"$FTR" graph none.txt > out 2> err
	same "no task is known: graph shows the calls" 0 $?
	has "as those of a pid that no task has" "$(cat out)" '^# <\.\.\.>-4194306 '
	has "with their durations" "$(cat out)" '50\.000 us .*outer\(\)'
	"$FTR" import none.txt -o none.dat > /dev/null 2> err
	has "import says so" "$(cat err)" "4 records have no task: that of CPU 0 is called 4194305"
}

# With results of calls the file has the field that kernels have, if no end of a call lacks one.
results() {
	cat > ret.txt <<-'END'
	# tracer: function_graph
	 0)               |  ksys_read() {
	 0)   2.000 us    |    fdget(); /* ret=0xffff888004a36b00 */
	 0)               |    vfs_read() {
	 0)   1.000 us    |      f(); /* ret=0x0 */
	 0)   9.000 us    |    } /* vfs_read ret=-11 */
	 0) + 12.000 us   |  } /* ksys_read ret=0x10 */
	END
	"$FTR" import ret.txt -o ret.dat > /dev/null 2> err
	sed 1d ret.txt > want
	"$FTR" report -q --format=kernel ret.dat > got
	same_files "results of calls are printed again" want got
	same "and are numbers" "18446612682147851008 0 18446744073709551605 16" \
		"$("$FTR" report --json -q ret.dat | sed -n 's/.*"retval":\([0-9]*\).*/\1/p' | xargs)"
	same "nothing is said to be dropped" 0 "$(grep -c result err)"
	sed -i 's,; /\* ret=0x0 \*/,;,' ret.txt
	"$FTR" import ret.txt -o ret.dat > /dev/null 2> err
	same "an end without a result: no field" 0 "$("$FTR" report --json -q ret.dat | grep -c retval)"
	has "and it is said" "$(cat err)" "3 of 4 calls have a result, which no field has"
}

times
results
late_task
no_task
finish
