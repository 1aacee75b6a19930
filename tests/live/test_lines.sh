#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A program whose lines and inlined calls are known: inlined functions are frames of their own, in their place, marked; the
# tree has the lines; -q has neither, and opens nothing for them; another build of the program is not used. After
# --resolve-lines, all of that is the same where none of the host's files can be found.
. "$(dirname "$0")/lib.sh"

need_recording
source=$here/tests/live/workloads/inlined.c
trace=$scratch/inlined.rwk
cp "$workloads/inlined" "$scratch/inlined" # so that it can be taken away
check "recording" "$record" -u -f 200 -o "$trace" -- "$scratch/inlined" 1 2>"$scratch/errors" || cat "$scratch/errors" >&2

line_of() { grep -n "mark: $1 " "$source" | cut -d : -f 1; }

# The tree below the heaviest leaf function, without offsets.
tree() { "$report" --tree "$@" "$trace" | awk '/^>>>/ { if (seen++) exit } seen' | sed 's/+0x[0-9a-f]*//'; }

tree >"$scratch/tree"
check_equal "leaf" "innermost [inlined]" "$(sed -n 's/^>>> *[0-9.]*%  \(.*\)  (.*/\1/p' "$scratch/tree")"
for frame in 'main' 'real' 'middle [inlined]' 'innermost [inlined]'; do
	check "tree: line of $frame" grep -qF " $frame inlined.c:$(line_of "${frame%% *}")" "$scratch/tree"
done
check_equal "tree: order" "main real middle innermost" \
	"$(grep -oE '(main|real|middle|innermost)( \[inlined\])? inlined\.c' "$scratch/tree" | sed 's/ .*//' | tr '\n' ' ' | sed 's/ $//')"
check "tree -v: whole path" grep -q "innermost \[inlined\] \[inlined\] .*/tests/live/workloads/inlined.c:" <(tree -v)

# The recorded bytes stay those of the first trace.
mkdir "$scratch/empty"
away() { "$report" --tree --no-cache --symfs "$scratch/empty" --debug-dir "$scratch/empty" "$@" 2>&1; }
check "resolve" "$report" --no-cache --resolve-lines -o "$scratch/resolved.rwk" "$trace"
"$report" --tree --no-cache "$trace" >"$scratch/whole"
check "resolved: the same away" cmp "$scratch/whole" <(away "$scratch/resolved.rwk")
check "unresolved: not the same away" eval '! cmp -s "$scratch/whole" <(away "$trace")'
check "resolved: what was recorded is there" cmp -n "$(stat -c %s "$trace")" "$trace" "$scratch/resolved.rwk"
check "resolved: it is not overwritten" eval '! "$report" --no-cache --resolve-lines -o "$scratch/resolved.rwk" "$trace" 2>/dev/null'
"$report" --no-cache --resolve-lines -o - "$trace" >"$scratch/piped.rwk"
check "resolved: the same to stdout" cmp "$scratch/whole" <(away "$scratch/piped.rwk")
check "resolved: dumps agree" cmp <("$report" --dump "$scratch/resolved.rwk") <(python3 "$here/tests/rwk_dump.py" "$scratch/resolved.rwk")

check "folded" grep -q ';main;.*real;middle_\[i\];innermost_\[i\] [0-9]*$' <("$report" --folded "$trace")

# Weights are the same with lines and without.
sum() { "$report" --folded "$@" "$trace" | awk '{ sum += $NF } END { print sum }'; }
check_equal "sum of weights" "$(sum -q)" "$(sum)"

check_equal "-q: no mark" "0" "$("$report" --tree -q "$trace" | grep -cE 'inlined\]|inlined\.c')"
if command -v strace >/dev/null; then
	# Counts the children that read lines: only these let the limit of CPU time kill them.
	children() {
		strace -f -e trace=rt_sigaction -o "$scratch/calls" "$report" "$@" "$trace" >/dev/null
		grep -c 'rt_sigaction(SIGXCPU, {sa_handler=SIG_DFL' "$scratch/calls"
	}
	check_equal "-q: no child that looks for lines" 0 "$(children --no-cache --tree -q)"
	check_number "a child that looks for lines" "$(children --no-cache --tree) > 0"
fi

# A debug file of the kernel in which every address has the same line: names come from the trace, lines from the file,
# but only if its build-id is right.
fake_kernel() { # BUILD_ID
	printf '.globl _text\n.type _text, @function\n_text: nop\n.skip 0x8000000, 0x90\n.size _text, . - _text\n' >"$scratch/fake.S"
	(cd "$scratch" && gcc -g -nostdlib -static -Wl,-e,_text "-Wl,--build-id=0x$1" -Wl,-Ttext=0xffffffff81000000 fake.S -o vmlinux)
}
id=$(python3 -c '
import struct
notes, at = open("/sys/kernel/notes", "rb").read(), 0
while at < len(notes):
    name, size, kind = struct.unpack_from("<III", notes, at)
    start = at + 12 + (name + 3) // 4 * 4
    if kind == 3 and notes[at + 12 : at + 16] == b"GNU\0":
        print(notes[start : start + size].hex())
    at = start + (size + 3) // 4 * 4')
check "recording the kernel" "$record" -f 500 -o "$scratch/kernel.rwk" -- \
	sh -c 'timeout 1 dd if=/dev/zero of=/dev/null bs=64k 2>/dev/null; true' 2>"$scratch/errors" || cat "$scratch/errors" >&2
if fake_kernel "$id"; then
	check "line in the kernel" grep -qE '^    [a-z_0-9]+\+0x[0-9a-f]+ fake\.S:3$' \
		<("$report" --vmlinux "$scratch/vmlinux" "$scratch/kernel.rwk")
	fake_kernel "00${id:2}"
	check_equal "another kernel's lines" "0" "$("$report" --vmlinux "$scratch/vmlinux" "$scratch/kernel.rwk" | grep -c 'fake\.S')"
fi

# Files are found by build-id only: the debug file is elsewhere, the binary deleted, then replaced by another program.
id=$(readelf -n "$scratch/inlined" | sed -n 's/.*Build ID: //p')
if [ "$id" ]; then
	mkdir -p "$scratch/debug/.build-id/${id:0:2}"
	objcopy --only-keep-debug "$scratch/inlined" "$scratch/debug/.build-id/${id:0:2}/${id:2}.debug"
	rm "$scratch/inlined"
	check "from a debug file" grep -q "innermost \[inlined\] inlined.c:$(line_of innermost)" <(tree --debug-dir "$scratch/debug")
	cp "$workloads/burn" "$scratch/inlined"
	check_equal "another program's lines" "0" "$(tree | grep -c 'inlined\.c\|burn\.c')"
fi
finish
