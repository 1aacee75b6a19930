#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# hostile.sh FILE NUMBER: makes a trace with every source in which every name is the hostile name of that number: markup,
# controls, text directions, separators of folded stacks, malformed UTF-8, an empty name, the longest one possible.
# Prints the kind of the name; prints nothing and exits with 1 if there is no such number.
set -u
names=('markup </script><b>\x22\x27&x' 'controls \x0a\x0d\x09\x1b[2J\x07\x7f\x08' 'directions \xe2\x80\xaelive\xe2\x80\xa8\xef\xbb\xbf'
	'separators a;b,\x22c\x22\x0d\x0a=1+2' 'malformed \xff\xfe\xc3(\xed\xa0\x80\x80' 'script </script><script>globalThis.ran=1</script>' 'handler \x22><img src=x onerror=globalThis.ran=1>'
	'prototype __proto__' 'backslashes \\u003c\\\\\x22\\x1b\\' 'empty '
	"longest $(printf 'w%.0s' {1..4096})")
[[ $# == 2 && $2 -lt ${#names[@]} ]] || exit 1
kind=${names[$2]%% *} name=${names[$2]#* }
kernel='kernel=0x100000110;0x100000210' user='user=0x555511112010;0x555511112120'
"${BUILD:-build}/tests/make_trace" /dev/stdin "$1" <<TEXT || exit
base 1000s
$(for row in '1 kind=1' '2 kind=2' '3 kind=3' '4 kind=4' '5 kind=6'; do
	echo "source id=$row weight=2 name=\"$name\" frequency=99 period=1000 start=@0 stop=@1ms flags=1"
done)
probe id=1 source=4 hook=2 name="$name"
meta key="hostname" value="$name"
clock time=@0 realtime=1768439496s window=100
module id=1 kind=2 path="[kernel]"
module id=2 kind=1 path="$name"
kernel-symbol module=1 offset=0x100 size=0x100 name="$name"
comm time=@0 tgid=100 tid=100 flags=1 comm="x"
mapping time=@0 tgid=100 start=0x555511110000 length=0x8000 module=2 flags=1
embed-module module=2 status=1 machine=62
  segment file_offset=0x0 address=0x0 file_size=0x10000 memory_size=0x10000 flags=0x5
embed-symbols module=2
  symbol address=0x2000 size=0x200 name="$name"
task tgid=100 tid=100 start=7 comm="$name"
task tgid=200 tid=200 start=8 comm="$name"
sample cpu=1 time=@100 task=1 source=4 period=1000 $kernel $user probe=1
sample cpu=1 time=@101 task=1 source=1 period=1000 $kernel $user
sample cpu=1 time=@102 task=1 source=4 period=1000 $user probe=1
sample cpu=1 time=@103 task=1 source=1 period=1000 $user
wake cpu=1 task=2 source=3 target=1 context=1 $kernel $user time=@1975
wait cpu=1 out_cpu=0 task=1 source=2 state=2 $kernel $user time=@2us length=1900 context=1 waker=2 woken=25
walk time=@6900 number=1 source=5
walk-task time=@7us walk=1 task=1 state=1 wait=50 bound=1 cpu=1 $kernel
walk time=@7100 number=1 source=5 flags=1 seen=1 kept=1
TEXT
echo "$kind"
