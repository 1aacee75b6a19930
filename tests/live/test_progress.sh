#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# Long operations of the reporter: a progress line on a terminal and never in a pipe; Ctrl-C in the middle gives what
# is known so far, with a note that it is incomplete; it leaves no process, no partial file and nothing wrong in the
# cache; and a complete report does not depend on how many modules are read at once. Operations that must take long
# are kept stopped most of the time until the line is shown (on_terminal.py --slowly), or delayed by a library in
# front of libdw.
. "$(dirname "$0")/lib.sh"

need_tool python3 taskset

on_terminal() { python3 "$here/tests/live/on_terminal.py" "$@"; }

# pressed [OPTION] NAME ENDING PATTERN COMMAND...: stdout to NAME.out, the terminal to NAME.screen.
pressed() {
	local option=
	case $1 in --*) option=$1; shift ;; esac
	local name=$1 ending=$2 pattern=$3
	shift 3
	check_equal "$name: how it ends" "$ending, pressed, 0, left" \
		"$(on_terminal $option "$scratch/$name.out" "$scratch/$name.screen" "$pattern" "$@")"
}

# said NAME ERE: the terminal shows a line that matches at the end.
said() { check "$1: says '$2'" grep -qE "$2" "$scratch/$1.screen.lines" || cat "$scratch/$1.screen.lines" >&2; }
# clean NAME: no progress line is left on the terminal.
clean() { check "$1: the line is gone" lacks -E '^(reading|unwinding|lines of|names|condensing) ' "$scratch/$1.screen.lines"; }

cd "$scratch" || exit 1
export HOME=$scratch/home TERM=xterm TMPDIR=$scratch/tmp
mkdir home tmp

# --- reading: a file that takes a while ---------------------------------------------------------------------------------------

many() { # TRACE COUNT
	local i files=()
	for ((i = 0; i < $2; i++)); do files+=("$here/samples/$1/trace.rwk"); done
	cat "${files[@]}"
}
many cpu_paths 800 >long.rwk
many frameless 400 >snapshots.rwk

pressed --slowly reading 'exit 3' '(reading|unwinding) long.rwk: [1-9][0-9]*%' "$report" --no-cache -q --tree long.rwk
said reading 'warning: stopped by Ctrl-C, so this is incomplete: [0-9]+% of the events read'
clean reading
check 'reading: so does the account' grep -qE '^# stopped by Ctrl-C, so this is incomplete: [0-9]+% of the events read(;|$)' reading.out
check 'reading: there is a tree' grep -q '^>>> .*crunch' reading.out
check 'reading: one line, written again' grep -qE $'\r\033\[K(reading|unwinding) ' reading.screen

# With --folded, the account goes to stderr and the output can be counted: less than everything, more than nothing.
"$report" --no-cache -q --folded long.rwk >whole.out 2>whole.err
check_equal 'in no terminal: exit code' 0 $?
check 'in no terminal: no progress' lacks -E "(reading|unwinding) "$'long|\r' whole.err
pressed --slowly part 'exit 3' '(reading|unwinding) long.rwk: [1-9][0-9]*%' "$report" --no-cache -q --folded long.rwk
check_number 'a part of the samples' "0 < $(folded_sum part.out) && $(folded_sum part.out) < $(folded_sum whole.out)"
check_equal 'undisturbed: how it ends' 'exit 0, not pressed, 0, left' \
	"$(on_terminal --slowly --look undisturbed.out undisturbed.screen '(reading|unwinding) long.rwk: [0-9]+%' "$report" --no-cache -q --folded long.rwk)"
check 'undisturbed: the same bytes' cmp whole.out undisturbed.out
check 'undisturbed: there was progress' grep -qE '(reading|unwinding) long.rwk: [0-9]+%' undisturbed.screen
clean undisturbed

pressed --slowly unwinding 'exit 3' 'unwinding snapshots.rwk: [1-9][0-9]*%' "$report" --no-cache -q --source cpu --stacks snapshots.rwk
clean unwinding

# The pager starts only when there is something to read, so an earlier Ctrl-C does not end it. Of root's, it is another
# user's.
chmod 711 . && mkdir -m 1777 pages
check_equal 'pager: how it ends' 'exit 3, pressed, 0, left' \
	"$(RWALKER_PAGER='cat >pages/paged' on_terminal --slowly - pager.screen '(reading|unwinding) long.rwk: [1-9][0-9]*%' "$report" --no-cache -q --tree long.rwk)"
check 'pager: has the report' grep -q '^# stopped by Ctrl-C' pages/paged

# If the input is a pipe, Ctrl-C ended the recording at its other end, and the report leaves out nothing.
cat >pipe.bash <<'END'
reads() { # the worker reads; it gets Ctrl-C as SIGUSR1
	local pid
	for pid in $(pgrep -s 0 -x rwalker-report); do
		grep -qE '^SigCgt:.*[2367abef]..$' "/proc/$pid/status" 2>/dev/null && return
	done
	return 1
}
recorder() { # ends the recording on Ctrl-C, once the reporter has begun to read
	ended=
	trap 'ended=1' INT
	until reads; do sleep 0.01; done
	echo go >&2
	while [ ! "$ended" ]; do sleep 0.01; done
	cat "$2"
}
trap : INT
recorder "$@" | "$1" --no-cache -q --folded -
END
pressed pipe 'exit 0' go bash pipe.bash "$report" "$here/samples/cpu_paths/trace.rwk"
"$report" --no-cache -q --folded "$here/samples/cpu_paths/trace.rwk" >one.out 2>/dev/null
check 'pipe: the whole report' cmp one.out pipe.out

# --- writing: no partial file ------------------------------------------------------------------------------------------------

pressed --slowly condense 'exit 1' 'condensing snapshots.rwk: [0-9]+%' "$report" --no-cache --condense --partial snapshots.rwk -o condensed.rwk
said condense "stopped by Ctrl-C: 'condensed.rwk' is not written"
clean condense
check 'condense: no file' test ! -e condensed.rwk

if grep -q ' /proc ' /proc/mounts && python3 -c 'import os; os.open(".", os.O_TMPFILE | os.O_RDWR)' 2>/dev/null; then
	check_equal 'killed: in the middle' 'signal 9, pressed, 0, left' "$(on_terminal --slowly --kill killed.out killed.screen \
		'condensing snapshots.rwk: [0-9]+%' "$report" --no-cache --condense --partial snapshots.rwk -o killed.rwk)"
	check 'killed: no file' test ! -e killed.rwk
fi

# --- lines: a module that is stuck ----------------------------------------------------------------------------------------------

need_recording
cat >library.c <<'END'
#include <stdint.h>
static inline __attribute__((always_inline)) uint64_t step(uint64_t x) { return x * 6364136223846793005u + 1; }
uint64_t NAME(uint64_t x) { for (int i = 0; i < 100000; i++) x = step(x) ^ x >> 7; return x; }
END
cat >work.c <<'END'
#include <stdint.h>
#include <time.h>
uint64_t one(uint64_t), two(uint64_t), three(uint64_t), slow(uint64_t);
int main(void) { time_t end = time(0) + 2; uint64_t x = 1; while (time(0) < end) x = one(two(three(slow(x)))); return x == 5; }
END
cat >hold.c <<'END'
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int entries(const char *path, const char *prefix)
{
	DIR *folder = opendir(path);
	int count = 0;
	for (struct dirent *entry; folder && (entry = readdir(folder));)
		count += entry->d_name[0] != '.' && !strncmp(entry->d_name, prefix, strlen(prefix));
	if (folder) closedir(folder);
	return count;
}
static int has_open(const char *name)
{
	char link[64], path[4096];
	for (int fd = 3; fd < 64; fd++) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		ssize_t length = readlink(link, path, sizeof(path) - 1);
		if (length > 0 && (path[length] = 0, strstr(path, name))) return 1;
	}
	return 0;
}
static void touch(const char *folder, const char *name)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	close(open(path, O_CREAT | O_WRONLY, 0600));
}
/* It opens files, so reports run without the sandbox. HOLD: the module whose reading never ends. MEET: a folder in which readings wait, TIMES 10 ms, until two of them have met. */
void *dwarf_begin_elf(void *elf, int command, void *group)
{
	const char *hold = getenv("HOLD"), *meet = getenv("MEET");
	char name[4200];
	if (hold && has_open(hold)) for (;;) pause();
	snprintf(name, sizeof(name), "here/%d", (int)getpid());
	if (meet) {
		char here[4096];
		snprintf(here, sizeof(here), "%s/here", meet);
		touch(meet, name);
		for (int i = 0; i < atoi(getenv("TIMES")) && !entries(meet, "met"); i++, usleep(10000))
			if (entries(here, "") > 1) touch(meet, "met");
		snprintf(name, sizeof(name), "%s/%d", here, (int)getpid());
		unlink(name);
	}
	return ((void *(*)(void *, int, void *))dlsym(RTLD_NEXT, "dwarf_begin_elf"))(elf, command, group);
}
END
for name in one two three slow; do
	gcc -g -O2 -fno-omit-frame-pointer -shared -fPIC -Wl,--build-id -DNAME=$name -o lib$name.so library.c || skip 'no compiler'
done
gcc -g -O2 -fno-omit-frame-pointer -Wl,--build-id -o work work.c -L. -lone -ltwo -lthree -lslow -Wl,-rpath,"$scratch"
gcc -O2 -shared -fPIC -o hold.so hold.c -ldl || die 'cannot build the library in front of libdw'
"$record" -p 0 -u -o work.rwk -- ./work >said 2>&1 || skip "cannot record: $(tail -n 1 said)"
tree() { "$report" -c '^work$' --min-percent 0 "$@" work.rwk; }
held=(env LD_PRELOAD="$scratch/hold.so" HOLD=/libslow.so)

tree --no-cache >none 2>none.err
check_equal 'all lines: exit code' 0 $?
check 'lines of slow' grep -qE 'slow(\+0x[0-9a-f]+)? library\.c:3' none
forks() { strace -f -e trace=clone,fork,vfork "$report" --no-cache "$@" -c '^work$' work.rwk 2>&1 >/dev/null | grep -cE '(clone|fork|vfork)\('; }
# One process reads the lines of one module. On a busy machine one that is too slow may be replaced, so a number that
# was seen only once does not count.
modules=0
for _ in 1 2 3 4 5; do
	before=$modules modules=$(($(forks) - $(forks -q)))
	[ $modules != $before ] || break
done

pressed lines 'exit 3' 'lines of libslow\.so: [0-9]+%' "${held[@]}" "$report" --no-sandbox -c '^work$' --min-percent 0 --cache names.sqlite work.rwk
said lines "warning: stopped by Ctrl-C, so this is incomplete: lines of 1 of $modules modules not looked up\$"
clean lines
check 'lines: so does the account' grep -q "^# stopped by Ctrl-C, so this is incomplete: lines of 1 of $modules modules not" lines.out
check 'lines: the others are there' grep -qE 'one(\+0x[0-9a-f]+)? library\.c:3' lines.out
check 'lines: slow has its name' grep -qE ' slow\+0x' lines.out
check 'lines: and no more' lacks -E 'slow(\+0x[0-9a-f]+)? library' lines.out
check 'lines: no module is said to be broken' lacks DWARF lines.out
tree --cache names.sqlite >after 2>after.err
check 'the cache did not take the part for the whole' cmp none after
tree --cache names.sqlite >warm 2>warm.err
check 'nor later' cmp none warm

pressed resolve 'exit 1' 'lines of libslow\.so' "${held[@]}" "$report" --no-sandbox --no-cache --resolve-lines work.rwk -o resolved.rwk
said resolve "'resolved.rwk' is not written"
check 'resolve: no file' test ! -e resolved.rwk

# --- a server that does not answer ------------------------------------------------------------------------------------------------

cat >server.py <<'END'
import os
import socket

listening = socket.create_server(("127.0.0.1", 0))
open("port.new", "w").write(str(listening.getsockname()[1]))
os.rename("port.new", "port")
kept = []
while True:
    kept.append(listening.accept())
END
start python3 server.py
check 'the server listens' wait_for 60 test -e port
if ldconfig -p | grep -q libdebuginfod.so.1; then
	mkdir nowhere asked
	pressed server 'exit 3' 'asking for the [a-z]+ of [0-9a-f]+' env DEBUGINFOD_URLS="http://127.0.0.1:$(cat port)" \
		DEBUGINFOD_CACHE_PATH="$scratch/asked" "$report" --no-cache --debuginfod --symfs nowhere -c '^work$' work.rwk
	said server 'warning: stopped by Ctrl-C, so this is incomplete: .*[0-9]+ server quer(y|ies) skipped$'
	clean server
	check 'server: it is not said to have failed' lacks -E 'cannot fetch|too slow|do not answer' server.screen
	check_equal 'server: nor by the library' '' "$(find asked -name debuginfo -o -name executable)"
fi

# The processes that read modules end with the reporter, however that ends.
start "${held[@]}" "$report" --no-sandbox --no-cache work.rwk >/dev/null 2>&1
holder=$started
readers() { # children of the worker, which check with a timer whether they should end
	local worker pid
	for worker in $(pgrep -P "$1"); do
		for pid in $(pgrep -P "$worker"); do
			grep -qE '^SigCgt:.*[2367abef]...$' "/proc/$pid/status" 2>/dev/null && echo "$pid"
		done
	done
}
is_held() { [ "$(readers "$holder" | wc -l)" -eq 1 ] && [ "$(sed 's/.*) //; s/ .*//' "/proc/$(readers "$holder")/stat" 2>/dev/null)" = S ]; }
check 'a child is held' wait_for 60 is_held
reader=$(readers "$holder")
kill -KILL "$holder"
check 'it ends with its parent' wait_for 60 have_ended "$reader"

# --- several at once ------------------------------------------------------------------------------------------------------------

taskset -c "$(allowed_cpus | head -n 1)" "$report" --no-cache -c '^work$' --min-percent 0 work.rwk >alone 2>alone.err
check 'on one CPU: the same bytes' cmp none alone
check 'on one CPU: the same account' cmp none.err alone.err
meet() { # FOLDER TIMES COMMAND...
	mkdir -p "$1/here"
	env LD_PRELOAD="$scratch/hold.so" MEET="$scratch/$1" TIMES="$2" "${@:3}" "$report" --no-sandbox --no-cache -c '^work$' --min-percent 0 work.rwk
}
if [ "$(nproc)" -gt 1 ]; then
	meet several 6000 env >several.out 2>several.err
	check 'on several: two at once' test -e several/met
	check 'on several: the same bytes' cmp none several.out
fi
meet single 20 taskset -c "$(allowed_cpus | head -n 1)" >single.out 2>single.err
check 'on one: never two at once' test ! -e single/met
check 'on one: the same bytes' cmp none single.out
check_equal 'no temporary file is left' '' "$(ls -A tmp)"
finish
