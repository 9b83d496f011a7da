#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# builds: both
# ftr browse in a real terminal, which tmux is: the same screens as from a script,
# and a terminal that is left as it was.
. "$(dirname "$0")/../lib.sh"
cd "$TMP" || exit 1

if ! command -v tmux > /dev/null; then
	skip "ftr browse in a terminal" "tmux is not installed"
	finish
fi

TERMINAL=tmux-256color
infocmp $TERMINAL > /dev/null 2>&1 || TERMINAL=screen-256color
# Seconds, on a machine that is busy; what has failed once is not waited for as long.
PATIENCE=60 LITTLE=10

# --- the terminal

# A server of our own, whose socket lies in the scratch folder.
export TMUX_TMPDIR=$TMP LC_ALL=C.UTF-8
unset TMUX TMUX_PANE NO_COLOR LINES COLUMNS
cat > tmux.conf <<-EOC
	set -g default-terminal $TERMINAL
	set -g status off
	set -g escape-time 0
	set -g exit-empty off
	set -g default-size 80x24
EOC

in_tmux() {
	tmux -u -L ftr-296 -f "$TMP/tmux.conf" "$@"
}

trap 'in_tmux kill-server 2> /dev/null; rm -rf "$TMP"' EXIT

# One pane at the start, but for what is about both.
export VIEW='--view events'

# What is run in it. Files named after NAME tell of it: its PID, its status, the modes of the terminal before and after.
cat > go <<'EOC'
#!/usr/bin/env bash
name=$1
shift
ulimit -c 0
echo "the shell said $name"
stty -g < /dev/tty > $name.before
bash -c 'echo $$ > "$0.pid"; exec "$FTR" browse $VIEW "$@"' "$name" "$@"
echo $? > $name.status
stty -g < /dev/tty > $name.after
: > $name.end
EOC
chmod +x go

# The screen, without blanks at the ends of lines
shown() {
	in_tmux capture-pane -p | sed 's/ *$//'
}

# asked FORMAT: what tmux knows of the terminal
asked() {
	in_tmux display-message -p "$1"
}

shows() {
	shown | grep -Eq -e "$1"
}

is_asked() {
	[ "$(asked "$1")" = "$2" ]
}

await() {
	wait_until $((FAILED ? LITTLE : PATIENCE)) "$@"
}

new_terminal() {
	in_tmux kill-session 2> /dev/null
	in_tmux new-session -d -x "${1:-80}" -y "${2:-24}" "PS1='ready> ' exec bash --norc --noprofile -i"
	await shows '^ready>' && return
	fail "tmux shows a shell" "$(shown)"
	finish
}

type_line() {
	in_tmux send-keys -l -- "$1"
	in_tmux send-keys Enter
}

press() {
	in_tmux send-keys "$@"
}

# start NAME LINE: types it, which begins ./go NAME, and waits for the last line to tell how many records there are
start() {
	type_line "clear; $2"
	await shows '^[0-9.]+  [0-9,]+ records' || fail "$1: it begins" "$(shown)"
}

begin() {
	local name=$1
	shift
	start "$name" "./go $name $*"
}

# ended NAME STATUS: it ends with that status, and the terminal is as it was
ended() {
	if ! await test -e "$1.end"; then
		fail "$1: it ends" "$(shown)"
		new_terminal
		return
	fi
	same "$1: status" "$2" "$(cat "$1.status")"
	same "$1: the terminal's modes are as before" "$(cat "$1.before")" "$(cat "$1.after")"
	await shows '^ready>'
	same "$1: first screen, cursor shown, keys as before" "0 1 0 0" \
		"$(asked '#{alternate_on} #{cursor_flag} #{keypad_flag} #{keypad_cursor_flag}')"
	[[ $1 == vt100* ]] ||		# has no other screen
		has "$1: what the shell printed is there again" "$(shown)" "^the shell said ${1}\$"
}

# is_screen FILE: does the terminal show what was dumped there?
is_screen() {
	shown > now.txt
	head -n "$(wc -l < now.txt)" "$1" | cmp -s - now.txt
}

# same_screen NAME FILE
same_screen() {
	if await is_screen "$2"; then
		pass "$1"
	else
		fail "$1" "$(head -n "$(wc -l < now.txt)" "$2" | diff - now.txt)"
	fi
}

# --- what is looked at

# Names of tasks with control bytes, bytes that are no UTF-8, wide and combining characters; losses; three CPUs
"$ORACLE/mkdat.py" --seed 7 --records 3000 --lost 0.2 x.dat
python3 - <<'EOC'
data = open("x.dat", "rb").read()
data = data.replace(b"bash", "ü".encode() + b"\x1b\xff").replace(b"a b-1 c", "e\u0301漢x".encode())
open("x.dat", "wb").write(data)
# One commit that is longer than its sub-buffer
page = len(data) // 4096 // 2 * 4096
open("bad.dat", "wb").write(data[:page + 8] + b"\xff" * 8 + data[page + 16:])
EOC

# --- the same screens

declare -A KEYS=([down]=Down [up]=Up [left]=Left [right]=Right [pgdn]=PageDown [pgup]=PageUp [home]=Home [end]=End
	[enter]=Enter [tab]=Tab [esc]=Escape [backspace]=BSpace [f1]=F1 [delete]=DC [space]=Space [lt]='<')

# One line, each screen with its reason
SCRIPT='<wait><screen begin><down><down><pgdn><screen moved><enter><screen record>q<screen closed>'
SCRIPT+='/vfs_<enter><wait><screen found>n<wait><screen next>?bprint<enter><wait><screen backward>'
SCRIPT+='<right><right><screen scrolled><left><left>w<screen wrapped>w'
SCRIPT+='S<screen two>6<wait><screen log><tab><down><pgdn><screen followed><tab>q<screen closed-log>S<screen one>'
SCRIPT+='Fsched_switxh<backspace><backspace>ch<screen typed><enter><wait><screen filter>u<wait><screen no-filter>'
SCRIPT+='Fpid =<enter><screen wrong><esc>g+2s<enter><screen time>ma<end><screen end>'"'"'a<screen mark>'
SCRIPT+='L<wait><screen loss>;<wait><screen cpu>A)<screen same-event>B<screen distance>t<screen nanoseconds>'
SCRIPT+='<home><screen home><f1><screen help>q2<screen info><esc><screen escape>1<screen back>Z<screen no-key>'

# A terminal is looked at until nothing goes on any more.
SCRIPT=${SCRIPT//<wait>/}
SCRIPT=${SCRIPT//<screen/<wait><screen}

# play SCRIPT DIR SIZE: its keys to the terminal, at each <screen NAME> it is compared with DIR/NAME.txt
play() {
	local rest=$1 dir=$2 size=$3 word
	while [ -n "$rest" ]; do
		word=${rest%%<*}
		if [ -n "$word" ]; then
			rest=${rest#"$word"}
			in_tmux send-keys -l -- "${word/%;/\\;}"
			continue
		fi
		word=${rest%%>*}
		rest=${rest#*>}
		word=${word#<}
		case $word in
		wait) ;;
		'screen '*) same_screen "$size: ${word#screen }" "$dir/${word#screen }.txt" ;;
		*) press "${KEYS[$word]}" ;;
		esac
	done
}

# dump DIR SIZE SCRIPT [OPTION...]
dump() {
	mkdir -p "$1"
	echo "$3" > "$1/keys"
	check "the script runs for $1" timeout 60 "$FTR" browse $VIEW --keys "$1/keys" --size "$2" --dump "$1" \
		"${@:4}" x.dat
}

screens() {
	local size=$1
	dump "$size" "$size" "$SCRIPT"
	new_terminal "${size%x*}" "${size#*x}"
	start "at$size" "./go at$size x.dat"
	play "$SCRIPT" "$size" "$size"
	press q
	ended "at$size" 0
}

# The two panes of the start, on screens that are too low for them as well.
usual() {
	local script='<wait><screen begin><down><down><screen moved><tab><down><down><down><screen lane><enter>'
	script+='<wait><screen events>S<screen one>S<screen two>'
	VIEW='' dump usual 80x24 "$script"
	VIEW='' dump low 80x24 '<wait><size 80x15><screen begin><tab><wait><screen other>'
	start usual "VIEW= ./go usual x.dat"
	play "$script" usual usual
	press q
	ended usual 0
	start low "VIEW= ./go low x.dat"
	resize 80 15
	same_screen "80x15: one pane" low/begin.txt
	press Tab
	same_screen "80x15: the other one" low/other.txt
	resize 80 24
	await shows '^events' || fail "80x24: two panes again" "$(shown)"
	press q
	ended low 0
}

ascii() {
	local script='<wait><screen begin><pgdn><screen moved>q'
	dump ascii 80x24 "$script" --ascii
	start plain "LC_ALL=C ./go plain x.dat"
	play "${script%q}" ascii "LC_ALL=C"
	same "LC_ALL=C: no byte beyond ASCII" 0 "$(shown | LC_ALL=C grep -c '[^ -~]')"
	has "LC_ALL=C: a name with others is there" "$(shown)" 'e.xcc.x81|.xc3.xbc.x1b.xff'
	press q
	ended plain 0
	has "UTF-8: a name is shown as it is" "$(cat 80x24/begin.txt)" $'e\u0301漢x-777'
}

# --- the ways to end

# ends_by NAME SIGNAL STATUS
ends_by() {
	begin "$1" x.dat
	kill "-$2" "$(cat "$1.pid")"
	ended "$1" "$3"
}

ends() {
	begin q x.dat
	press q
	ended q 0
	ends_by SIGTERM TERM 143
	ends_by SIGHUP HUP 129
	ends_by SIGABRT ABRT 134
	[ "${FTR_IS_SAN:-}" = 1 ] || ends_by SIGSEGV SEGV 139	# which AddressSanitizer has for itself
	begin ctrl-c x.dat
	press C-c
	ended ctrl-c 0
	begin ctrl-backslash x.dat
	press C-'\'
	ended ctrl-backslash 131
}

# Keys that are sent together act one after the other. Ctrl-C ends a search that takes long, then the program.
slow_search() {
	install -m 755 "$FTR_BUILD/tests/plugins/slow.so" slow.so
	dump slow 80x24 '<wait>A/marker 2000<enter><wait>B<wait><screen marked>'
	begin slow --plugin ./slow.so -O slow:us=200 x.dat
	press A /marker Space 2000 Enter B
	same_screen "a marker that is sent behind a search" slow/marked.txt
	press q
	ended slow 0
	begin search --plugin ./slow.so -O slow:us=5000 x.dat
	press /no Space such Space text Enter j
	await shows 'searching [0-9]* %, 1 key waits' || fail "Ctrl-C: a search goes on" "$(shown)"
	press C-c
	await shows '^the search was stopped' || fail "Ctrl-C: it ends the search" "$(shown)"
	press C-c
	ended search 0
}

damaged() {
	run_ftr report bad.dat > /dev/null
	same "ftr report of the damaged file: status" 3 "$ST"
	begin damaged bad.dat
	press q
	ended damaged 3
	has "damaged: it is said at the end" "$(shown)" '^ftr: .*bad.dat'
}

cut_short() {
	cp x.dat cut.dat
	begin cut cut.dat
	truncate -s 4096 cut.dat
	press End			# no more: the terminal would echo it before the shell's prompt
	ended cut 3
	has "cut: what happened is said" "$(shown)" '^ftr: a file was cut short while it was read'
}

# Memory runs out: there is no more of it from now on, and a search wants some.
no_memory() {
	[ "${FTR_IS_SAN:-}" != 1 ] || return 0		# its allocator ends the program otherwise
	start memory "MALLOC_ARENA_MAX=1 ./go memory x.dat"
	python3 -c 'import resource, sys; resource.prlimit(int(sys.argv[1]), resource.RLIMIT_AS, (1, 1))' \
		"$(cat memory.pid)"
	in_tmux send-keys -l -- /vfs_
	press Enter
	ended memory 1
	has "memory is out: it is said" "$(shown)" '^ftr: out of memory'
}

# begin_job NAME: without ./go, which would be stopped as well, and sooner; end_job NAME notes what it does.
begin_job() {
	type_line "echo the shell said $1; stty -g > $1.before"
	start "$1" "bash -c 'echo \$\$ > $1.pid; exec \"\$FTR\" browse --view events x.dat'"
}

end_job() {
	await shows '^ready>'
	type_line "echo \$? > $1.status; stty -g > $1.after; : > $1.end; echo the shell said $1"
	ended "$1" "$2"
}

# Ctrl-Z as of any program, and again; what was on the screen comes back.
stopped() {
	local i
	begin_job stop
	shown > before.txt
	for i in 1 2; do
		press C-z
		await shows 'Stopped' || fail "Ctrl-Z $i: it stops" "$(shown)"
		same "Ctrl-Z $i: first screen, cursor shown" "0 1" "$(asked '#{alternate_on} #{cursor_flag}')"
		type_line "clear; fg"
		same_screen "fg $i: the screen is as before" before.txt
	done
	press q
	end_job stop 0
	begin_job stop-term
	press C-z
	await shows 'Stopped'
	kill -TERM "$(cat stop-term.pid)"
	type_line "clear; fg"
	await shows 'Terminated'
	end_job stop-term 143
}

# Without a shell that could have it go on Ctrl-Z does nothing: it would stay stopped.
no_shell() {
	in_tmux respawn-pane -k ./go alone x.dat
	await shows ' records' || fail "no shell: it begins" "$(shown)"
	press C-z
	press Down
	press q
	if await test -e alone.end; then
		same "Ctrl-Z without a shell: it goes on, status" 0 "$(cat alone.status)"
	else
		fail "Ctrl-Z without a shell: it goes on" "$(grep State "/proc/$(cat alone.pid)/status")"
		kill -KILL "$(cat alone.pid)"
	fi
	new_terminal
}

terminal_goes() {
	local pid
	begin gone x.dat
	pid=$(cat gone.pid)
	in_tmux kill-pane
	check "the terminal goes: the process ends" await test ! -e "/proc/$pid"
	new_terminal
}

# --- sizes

resize() {
	in_tmux resize-window -x "$1" -y "$2"
}

resizes() {
	local i
	dump sizes 80x24 '<wait><screen begin><size 20x5><screen small>q'
	begin sizes x.dat
	for i in {1..100}; do
		resize $((30 + i * 37 % 150)) $((4 + i * 13 % 50))
	done
	resize 80 24
	same_screen "100 sizes, and back: the screen is as before" sizes/begin.txt
	resize 20 5
	same_screen "20x5: it says that this is too small" sizes/small.txt
	has "20x5: the words, as far as they fit" "$(shown)" '^smaller than 40x8$'
	press Down
	press Up
	resize 80 24
	same_screen "20x5, and back: the screen is as before" sizes/begin.txt
	press q
	ended sizes 0
}

# --- kinds of terminals

# written NAME LINE: all that is written to the terminal is in NAME.bytes
written() {
	in_tmux pipe-pane "cat > $1.bytes"
	start "$1" "$2"
	press PageDown
	press S
	await shows '>'
	press q
	press q
	ended "$1" 0
	in_tmux pipe-pane
	colours=$(grep -Eac $'\e\\[([0-9;]*;)?(3[0-9]|4[0-9]|9[0-7]|10[0-7])(;[0-9;]*)?m' "$1.bytes")
}

colours() {
	local colours
	written colour "./go colour x.dat"
	check "$TERMINAL: there are colours" test "$colours" != 0
	written no-color "NO_COLOR=1 ./go no-color x.dat"
	same "NO_COLOR: there are none" 0 "$colours"
	written mono "./go mono --theme mono x.dat"
	same "--theme mono: there are none" 0 "$colours"
	written vt100 "TERM=vt100 ./go vt100 x.dat"
	same "TERM=vt100: there are none" 0 "$colours"
	start vt100-keys "TERM=vt100 ./go vt100-keys x.dat"
	play '<down><down><up><down><pgdn><screen moved>' 80x24 TERM=vt100
	press q
	ended vt100-keys 0
}

# refused NAME LINE STATUS PATTERN
refused() {
	type_line "clear; $2"
	ended "$1" "$3"
	has "$1: words" "$(shown)" "$4"
	has "$1: hint" "$(shown)" '^ *hint: TERM=xterm-256color'
}

refusals() {
	refused unknown "TERM=nosuch ./go unknown x.dat" 1 "cannot use the terminal 'nosuch': TERM names none"
	refused dumb "TERM=dumb ./go dumb x.dat" 1 "cannot use the terminal 'dumb': it cannot place the cursor"
	refused unset "TERM= ./go unset x.dat" 1 "cannot use the terminal: TERM is not set"
	"$FTR" browse x.dat 2> err | cat > out
	same "no terminal: status" "2 0" "${PIPESTATUS[0]} $(wc -c < out)"
	has "no terminal: hint" "$(cat err)" "hint: .*'ftr report'"
}

through_pipe() {
	start pipe "cat x.dat | ./go pipe -"
	press Down
	press Down
	press PageDown
	sed "1s/^x.dat/-    /" 80x24/moved.txt > piped.txt
	same_screen "a trace from a pipe, keys from the terminal" piped.txt
	press q
	ended pipe 0
}

# Sizes that no screen has: 30,000 times 30,000 cells took 12 GB, and no signal was heard meanwhile.
huge() {
	local size said
	for size in "30000 30000" "65535 65535" "1 65535" "65535 1"; do
		said=$(TERM=xterm-256color python3 "$FTR_TOP/tests/tools/pty-size.py" $size "$FTR" browse x.dat)
		check "a terminal of $size: $said" awk -v san="${FTR_IS_SAN:-0}" '
			{ exit $2 != 15 || $3 > (san ? 20 : 2) || $5 > (san ? 2000 : 300) }' <<< "${said//,/}"
	done
}

in_tmux start-server
new_terminal
for part in 'screens 200x50' 'screens 80x24' usual ascii ends slow_search damaged cut_short no_memory stopped no_shell \
	terminal_goes resizes colours refusals through_pipe huge; do
	at=$SECONDS
	$part
	echo "# $part took $((SECONDS - at)) s"
done
finish
