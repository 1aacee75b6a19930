#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""many_records.py KIND COUNT: prints a small recording with COUNT records of one kind, which all differ, so that a
reader that keeps them needs memory for each, as text for make_trace. Numbers beyond a limit of the format wrap around.
many_records.py --kinds: prints the names of the kinds, one per line."""
import sys

HEAD = """base 1000000000
source id=1 kind=1 weight=2 name="cpu-clock" frequency=1000 period=1000000 start=1000 stop=2000001000 flags=0x5
source id=2 kind=2 weight=2 name="sched_switch" start=@0 stop=@0
source id=3 kind=3 weight=2 name="sched_waking" start=@0 stop=@0
source id=4 kind=4 weight=1 name="t" start=@0 stop=@0
source id=5 kind=6 weight=1 name="walk" start=@0 stop=@0
meta key="hostname" value="here"
meta key="boot_id" value="1-2-3"
meta key="machine" value="x86_64"
module id=1 kind=2 path="[kernel]"
module id=2 kind=1 path="/bin/many" build_id=0102030405060708
mapping time=@0 tgid=100 start=0x400000 length=0x40000000 module=2 flags=1"""
EVENTS = """walk time=@0 number=1 source=5
task tgid=100 tid=100 start=7 comm="many"
sample time=@0 task=1 source=1 kernel=0x100000010 user=0x400000;0x400001"""
EMBEDDED = """embed-module module=2 status=1 machine=62
  segment file_offset=0x0 address=0x400000 file_size=0x40000000 memory_size=0x40000000 flags=0x5
embed-symbols module=2
  symbol address=0x400000 size=0x10 name="main\""""
STATE, EVENT, EMBED = range(3)
SOURCES, CPUS, MODULES, PROBES, OBJECTS, SECTION, LIST = 1024, 8192, 1 << 24, 1 << 16, 1 << 24, 64 << 20, 1000  # format/limits.h

TIME = "time=@{n}us"
STACK = "kernel={0x100000000 | n * 16 & 0xfffffff0:#x} user={0x400000 + n:#x};{0x400000 + n // 3:#x}"
TASK = 'task tgid=100 tid={1000 + n} start=7 comm="n{n}"\n'  # number n + 2
SYMBOLS = "{symbols(n)}"


def varint(value):
    return "".join(f"{value >> 7 * i & 127 | (128 if value >> 7 * i > 127 else 0):02x}" for i in range(max(1, (value.bit_length() + 6) // 7)))


def symbols(n):
    return "\n".join(f'symbol address={0x400000 + i * 16:#x} size=0x10 name="name{i}"' for i in range(n * LIST, (n + 1) * LIST))


def words(n):
    return "".join((0x400000 + n * 31 + i).to_bytes(8, "little").hex() for i in range(16))


# The records in which a kind differs: of state, events or what is embedded; several texts if they are in several chunks.
KINDS = {
    "meta": (STATE, 'meta key="n{n}" value="value"'),
    "clock": (STATE, f"clock {TIME} realtime={{10**9 + 1001 * n}} window=5"),
    "source": (STATE, 'source id={10 + n % (SOURCES - 10)} kind=1 weight=2 name="n{n}" start=@0 stop=@0'),
    "module": (STATE, 'module id={10 + n % (MODULES - 10)} kind=1 path="n{n}" build_id={n:016x}'),
    "mapping": (STATE, f"mapping {TIME} tgid={{1000 + n}} start=0x400000 length=0x40000000 module=2"),
    "mapping-beside": (STATE, f"mapping {TIME} tgid=100 start={{0x40400000 + n * 0x2000:#x}} length=0x1000 module=2"),
    "fork": (STATE, f"fork {TIME} tgid={{1000 + n}} tid={{1000 + n}} parent_tgid=100"),
    "comm": (STATE, f'comm {TIME} tgid={{1000 + n}} tid={{1000 + n}} flags=1 comm="n{{n}}"'),
    "exit": (STATE, f"exit {TIME} tgid={{1000 + n}} tid={{1000 + n}}"),
    "kernel-symbol": (STATE, 'kernel-symbol module=1 offset={n * 16:#x} size=0x10 name="n{n}"'),
    "loss": (STATE, f"loss {TIME} source={{(n >> 13) % SOURCES}} cpu={{n % CPUS}} cause=1 total={{n}}"),
    "cost": (STATE, f"cost {TIME} user_ns=1 system_ns=2 bpf_ns=3 max_rss=4 ring_bytes=5 written={{n}}"),
    "maps-unavailable": (STATE, f"maps-unavailable {TIME} tgid={{1000 + n}} reason=110"),
    "probe": (STATE, 'probe id={2 + n % (PROBES - 2)} source=4 hook=1 name="n{n}"'),
    "probe-hits": (STATE, f"probe-hits {TIME} probe={{2 + n % (PROBES - 2)}} hits={{n}}"),
    "unsure": (STATE, f"unsure {TIME} until=@{{n * 1000 + 500}} cpu={{n % 256}} cause=1 missing={{n}}"),
    "counter": (STATE, f"counter {TIME} source={{(n >> 13) % SOURCES}} cpu={{n % CPUS}} counted=9 seen=8 missed=1 enabled=7 running=7"),
    "cgroup": (STATE, f'cgroup {TIME} id={{n + 1}} path="/kubepods/burstable/pod{{n // 8:08x}}/crio-{{n:064x}}"'),
    "task": (EVENT, f"{TASK}sample cpu={{n % 256}} {TIME} task={{n + 2}} source=1 kernel=0x100000010 user=0x400001;0x400000"),
    "task-in-cgroup": (EVENT, f'task tgid=100 tid=100 start=7 comm="many" cgroup={{n + 1}}\nsample cpu={{n % 256}} {TIME} task={{n + 2}} source=1 kernel=0x100000010'),
    "sample": (EVENT, f"sample cpu={{n % 256}} {TIME} task=1 source=1 kernel=0x100000010 user=0x400001;0x400000"),
    "stack": (EVENT, f"sample cpu={{n % 256}} {TIME} task=1 source=1 {STACK}"),
    "walk": (EVENT, f"walk {TIME} number={{2 + n // 2}} source=5 flags={{n % 2}} seen=1 kept=1"),
    "walk-task": (EVENT, f"{TASK}walk-task {TIME} walk=1 task={{n + 2}} state=2 wait={{n}} bound=1 call=9 object={{1 + n % OBJECTS}} owner=1 {STACK}"),
    "wait": (EVENT, f"{TASK}wait cpu={{n % 256}} {TIME} length=500 task={{n + 2}} source=2 state=1 run_queue=10 context=1 waker=1 woken=10 out_cpu=0 {STACK}"),
    "wake": (EVENT, f"{TASK}wake cpu={{n % 256}} {TIME} task=1 target={{n + 2}} source=3 context=1 {STACK}"),
    "user-stack": (EVENT, f"{TASK}user-stack cpu={{n % 256}} {TIME} task={{n + 2}} source=2 since=1000 {STACK[STACK.index('user'):]}"),
    "wait-sums": (EVENT, f"{TASK}wait-sums {TIME} task={{n + 2}} source=2 span=1000 running=5 interruptible_count=1 interruptible_total=400 interruptible_run_queue=10"),
    "snapshot": (EVENT, f"snapshot {TIME} number={{n + 1}} known=0x1ffff registers=000000000000008080f8ff0f0000000000000000{{varint((0x400000 + n) * 2)}} "
                 "address=0x7fff0000 size=128 stack=42{words(n)}",
                 f"sample cpu={{n % 256}} {TIME} task=1 source=1 user={{0x400000 + n:#x}} snapshot={{n + 1}}"),
    "embed-module": (EMBED, "embed-module module={10 + n % (MODULES - 10)} status=1 machine=62\n"
                     "segment file_offset=0x0 address={n << 12:#x} file_size=0x1000 memory_size=0x1000 flags=0x5"),
    "embed-symbols": (EMBED, f"embed-symbols module=2\n{SYMBOLS}"),
    "perf-map": (EMBED, f"perf-map tgid=100\n{SYMBOLS}"),
    "embed-lines": (EMBED, 'embed-lines module=2\nline address={0x400000 + n:#x}\nlevel function="n{n}" file="a.c" line={n}\nlevel function="main" file="b.c" line=7'),
    "embed-unwind": (EMBED, "embed-unwind module=2 section=1 address=0x400000 size=67108864 offset={n * 2 % SECTION} bytes=78"),
}


def write(text, count):
    one = eval(f"lambda n: f'''{text}\n'''")  # pylint: disable=eval-used # the texts above
    sys.stdout.writelines(map(one, range(count)))


def main():
    if sys.argv[1] == "--kinds":
        print("\n".join(KINDS))
        return
    (place, *texts), count = KINDS[sys.argv[1]], int(sys.argv[2])
    if SYMBOLS in texts[0]:
        count = -(-count // LIST)  # each list counts as that many
    print(HEAD)
    if sys.argv[1] == "embed-module":
        write('module id={10 + n % (MODULES - 10)} kind=1 path="n{n}"', count)
    if place == STATE:
        write(texts[0], count)
    if sys.argv[1] == "snapshot":
        write(texts.pop(0), count)
    print(EVENTS)
    if place == EVENT:
        write(texts[0], count)
    print(EMBEDDED)
    if place == EMBED:
        write(texts[0], count)


main()
