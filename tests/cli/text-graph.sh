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

# With funcgraph-tail each end of a call has a name, without it only one whose start is not in the text.
tails() {
	cat > tail.txt <<-'END'
	 0)   1.000 us    |  } /* before */
	 0)               |  outer() {
	 0)   1.000 us    |    inner();
	 0) + 50.000 us   |  } /* outer */
	END
	"$FTR" report -q --format=kernel tail.txt > got
	same_files "names at all ends are printed again" tail.txt got
	sed -i 's, /\* outer \*/,,' tail.txt
	"$FTR" report -q --format=kernel tail.txt > got
	same_files "a name at one end as well" tail.txt got
}

# As print_function_args() prints them: pointers, signed numbers, constants, structures, a type that is not known, and
# more than the registers have. "..." in a structure ends the registers, too.
arguments() {
	cat > args.txt <<-'END'
	# tracer: function_graph
	 0)               |  vfs_read(file=0xffff888004be2c00, buf=0x7ffd01, count=0x1000, pos=0x0) {
	 0)   1.000 us    |    set(how=1 [TWA_RESUME], value=-9223372036854775808, what=?0x13);
	 0)   1.000 us    |    set(how=-2 [TWA_NONE], value=5, what=?0xffffffffffffffff);
	 0)   1.000 us    |    set(how=7, value=9223372036854775807, what=?0x0);
	 0)   1.000 us    |    pass [mod](s=(STRUCT)[0x1:0x2], u=(UNION)[0xff], f=(FLOAT)[0x0], g=(ENUM64)[0x9]);
	 0)   1.000 us    |    many.part.0(a=0x1, b=0x2, c=0x3, d=0x4, e=0x5, f=0x6, ...); /* ret=0x0 */
	 0)   1.000 us    |    cut(a=0x1, s=(STRUCT)[0x2:0x3:...]);
	 0)   1.000 us    |    nothing();
	 0) + 12.000 us   |  }
	END
	"$FTR" import args.txt -o args.dat > /dev/null 2> err
	same "arguments: nothing is said of them" 0 "$(grep -c argument err)"
	sed -e 1d -e 's, /\* ret=0x0 \*/,,' args.txt > want
	"$FTR" report -q --format=kernel args.dat > got
	same_files "arguments are printed again" want got
	python3 "$ORACLE/rawfields.py" args.dat |
		sed -n 's/.*"event": "funcgraph_entry".*"args": \(\[[^]]*\]\).*/\1/p' > got
	has "they are numbers in the record" "$(cat got)" '^\[18446612682149604352, 8387841, 4096, 0\]$'
	has "signed ones as well" "$(cat got)" '^\[1, 9223372036854775808, 19\]$'
	same "of all calls" 8 "$(wc -l < got)"
	"$FTR" report -q --format=kernel args.txt > got
	same_files "the text itself is printed the same" <("$FTR" report -q --format=kernel args.dat) got
}

# The function tracer with func-args, of a kernel without BTF.
arguments_of_functions() {
	cat > func.txt <<-'END'
	# tracer: function
	            bash-175     [001] ...1.    15.526126: ksys_dup3(oldfd=0xb, newfd=1, flags=0) <-__x64_sys_dup2
	            bash-175     [001] ...1.    15.526205: ksys_dup3(oldfd=0xc, newfd=-1, flags=0) <-__x64_sys_dup2
	END
	"$FTR" report -q --format=kernel func.txt > got
	sed 1d func.txt > want
	same_files "arguments of functions are printed again" want got
	sed -E 's/[a-z]+=//g; s/, -1, 0/, 0xffffffffffffffff, 0x0/; s/, 1, 0/, 0x1, 0x0/' func.txt > bare.txt
	"$FTR" report -q --format=kernel bare.txt > got
	sed 1d bare.txt > want
	same_files "and without names" want got
}

# What is no argument of print_function_args(), or is not what the same function has in another line.
other_arguments() {
	local args
	for args in a b=1 'a=0x1, b=2' a=1 'a=0x10000000000000000' 'a=0x1,' 'a=0x1 b=0x2' 'a=(STRUCT)[0x1' \
		'a=(STRUCT)[]' 'a=1 [N' 'a=0x1, ...' '...' 'a=99999999999999999999' 'a=0x1:p b=0x2' 'a=?' 'a=-' \
		'a=0x1, b=0x2, c=0x3, d=0x4, e=0x5, f=0x6, g=0x7, h=0x8, i=0x9'; do
		printf ' 0)   1.000 us    |  f(%s);\n' a=0x1 "$args" > odd.txt
		"$FTR" import odd.txt -o odd.dat > /dev/null 2> err
		has "arguments '$args' of another form: it is said" "$(cat err)" '1 call has arguments of another form'
		same "'$args': those of the other call are kept" "f(a=0x1); f();" \
			"$("$FTR" report -q --format=kernel odd.dat | grep -o 'f(.*' | xargs)"
	done
	has "a command that takes the text says so, too" "$("$FTR" report odd.txt 2>&1 > /dev/null)" \
		'no arguments of 1 call$'
	awk 'BEGIN { for (i = 0; i < 300; i++) printf " 0)   1.000 us    |  f(a=%d [N%d]);\n", i, i }' > odd.txt
	"$FTR" import odd.txt -o odd.dat > /dev/null 2> err
	has "an enumeration without end is bounded" "$(cat err)" '44 calls have arguments of another form'
}

times
results
tails
arguments
arguments_of_functions
other_arguments
late_task
no_task
finish
