#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""processes.py KIND ARGUMENT...: processes that wait for known objects.

ends ROUNDS         one process writes to a pipe that another reads; two talk over TCP and two over a socketpair, each making the
                    other wait for some ms. Prints "pipe INODE READER WRITER", "tcp PORT ONE OTHER", "unix - ONE OTHER" as comms
                    and pids.
convoy N FIFO       two terminals, each read by N processes, one after the other, with the terminal's mutex: cv-0 reads, and
                    holds the mutex meanwhile, cv-1 to cv-(N-1) queue for it in this order. Whoever got a line pauses. The
                    second terminal's readers are kp-0 and so on. Prints "asleep" when all of them sleep. Then types a line on
                    the first terminal, never on the second, for each byte from the FIFO, and prints "read I" when cv-I has it.
away N FOLDER       N waits for a file's lock in each of several places, each in a process that is named after the place: below a
                    mount within a mount, in a folder that is mounted a second time, below a root made by chroot() and one like
                    a container's, and in a pid namespace. Prints what was waited for, as objects.c does; paths start at the
                    root of the process's mount namespace. Its mounts are visible only to itself.
aged FOLDER         waits for a futex in a shared file and for two pipes with names; then another file is mapped in the place of
                    the first, and folders are renamed, the nearest one and one far above. Waits again: for what has another
                    token at once, and for the rest when its name has aged. The process's name says for what: w-a, w-b: FOLDER/a,
                    then FOLDER/b, at the same address; w-near, w-moved: FOLDER/old/pipe, then FOLDER/new/pipe; w-far, w-aged:
                    FOLDER/above/1/2/3/4/pipe, then FOLDER/below/1/2/3/4/pipe; w-kept, w-still: FOLDER/kept.
below UID GID GROUP,... COMMAND...
                    runs the command as root, below a process that has these ids and groups, with the environment of sudo: as if
                    that user's shell had typed it.
"""
import ctypes
import fcntl
import os
import platform
import select
import signal
import socket
import sys
import time

PR_SET_PDEATHSIG = 1
X86 = platform.machine() == "x86_64"
FLOCK, FUTEX, PIVOT_ROOT = (73, 202, 155) if X86 else (32, 98, 41)
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
children = []

def must(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

def rename(comm):
    with open("/proc/self/comm", "w", encoding="ascii") as name:
        name.write(comm)

def start(comm, work):
    """Runs it in a process of that name, which ends with this one."""
    child = os.fork()
    if not child:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        rename(comm)
        work()
        os._exit(0)
    children.append(child)
    return child

# --- ends -----------------------------------------------------------------------------------------------------------------

PAUSE = 0.004

def read_all(end):
    while os.read(end, 1):
        pass

def write_slowly(end, rounds):
    for _ in range(rounds):
        time.sleep(PAUSE)
        os.write(end, b"x")

def talk(connection, first, rounds):
    for i in range(2 * rounds):
        if (i % 2 == 0) == first:
            time.sleep(PAUSE)
            connection.sendall(b"x")
        else:
            connection.recv(1)

def ends(rounds):
    rounds = int(rounds)
    reading, writing = os.pipe()
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    client = socket.create_connection(("127.0.0.1", port))
    server = listener.accept()[0]
    one, other = socket.socketpair()
    inode = os.fstat(reading).st_ino
    for kind, what, left, right in (
            ("pipe", inode, lambda: (os.close(writing), read_all(reading)), lambda: (os.close(reading), write_slowly(writing, rounds))),
            ("tcp", port, lambda: talk(client, True, rounds), lambda: talk(server, False, rounds)),
            ("unix", "-", lambda: talk(one, True, rounds), lambda: talk(other, False, rounds))):
        names = "e-%s-one" % kind, "e-%s-two" % kind
        print(kind, what, names[0], start(names[0], left), names[1], start(names[1], right), flush=True)
    os.close(writing)
    for child in children:
        os.waitpid(child, 0)

# --- convoy ---------------------------------------------------------------------------------------------------------------

def state_of(pid):
    with open("/proc/%d/stat" % pid, encoding="ascii") as stat:
        return stat.read().rpartition(")")[2].split()[0]

def queue_up(kind, readers, told):
    """Returns the end at which to type."""
    keyboard, terminal = os.openpty()
    for number in range(readers):
        pid = start("%s-%d" % (kind, number), lambda: (os.read(terminal, 16), os.write(told, b"%d" % number), signal.pause()))
        while not is_named(pid, kind) or state_of(pid) != "S":
            time.sleep(0.001)
    return keyboard

def is_named(pid, kind):
    with open("/proc/%d/comm" % pid, encoding="ascii") as comm:
        return comm.read().startswith(kind)

def convoy(readers, fifo):
    reading, told = os.pipe()
    keys = os.open(fifo, os.O_RDWR)
    keyboard = queue_up("cv", int(readers), told)
    queue_up("kp", int(readers), told)
    print("asleep", flush=True)
    while os.read(keys, 1):
        os.write(keyboard, b"x\n")
        print("read", os.read(reading, 1).decode(), flush=True)

# --- away -----------------------------------------------------------------------------------------------------------------

NEWNS, NEWPID = 0x20000, 0x20000000
BIND, REC, PRIVATE, DETACH = 4096, 16384, 1 << 18, 2

def mount(source, target, kind=None, flags=0):
    words = [word and word.encode() for word in (source, target, kind)]
    must(libc.mount(*words, flags, b"size=1m" if kind else None))

def nest(folder):
    for name in ("mount", "mount/deeper"):
        os.mkdir(folder + "/" + name)
        mount("tmpfs", folder + "/" + name, "tmpfs")

def bind(folder):
    os.mkdir(folder + "/source")
    os.mkdir(folder + "/bound")
    mount(folder + "/source", folder + "/bound", None, BIND)

def change_root(folder):
    os.mkdir(folder + "/root")
    os.chroot(folder + "/root")
    os.chdir("/")

def be_container(folder):
    os.mkdir(folder + "/image")
    mount("tmpfs", folder + "/image", "tmpfs")
    os.mkdir(folder + "/image/old")
    os.chdir(folder + "/image")
    must(libc.syscall(PIVOT_ROOT, b".", b"old"))
    os.chroot(".")
    must(libc.umount2(b"/old", DETACH))

# The path by which the file is opened; that from the root of the mount namespace; how to get there; for unshare().
PLACES = {
    "w-mount": ("%s/mount/deeper/file", "%s/mount/deeper/file", nest, NEWNS),
    "w-bind": ("%s/bound/file", "%s/bound/file", bind, NEWNS),
    "w-chroot": ("/file", "%s/root/file", change_root, 0),
    "w-container": ("/file", "/file", be_container, NEWNS),
    "w-pid": ("%s/pid", "%s/pid", lambda folder: None, NEWPID),
}

def hold(path, ready, turn):
    """In its own file description, and so by its own lock, until it is its turn."""
    if not os.fork():
        fcntl.flock(os.open(path, os.O_RDWR), fcntl.LOCK_EX)
        os.write(ready, b"x")
        os.read(turn, 1)
        os._exit(0)

def lock_often(comm, folder, rounds, ready, turn):
    path, told, go, flags = PLACES[comm]
    if flags & NEWNS:
        must(libc.unshare(NEWNS))
        mount(None, "/", None, REC | PRIVATE)
    go(folder)
    path = path.replace("%s", folder)
    file = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    print(comm, "flock 1 inode=%d path=%s" % (os.fstat(file).st_ino, told.replace("%s", folder)), flush=True)
    for _ in range(rounds):
        hold(path, ready, turn)
        try:
            while True:  # as long as it does not have it yet
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                fcntl.flock(file, fcntl.LOCK_UN)
                time.sleep(0.001)
        except BlockingIOError:
            pass
        fcntl.flock(file, fcntl.LOCK_EX)
        fcntl.flock(file, fcntl.LOCK_UN)
        os.wait()

def call_of(pid):
    with open("/proc/%d/syscall" % pid, encoding="ascii") as call:
        return call.read().split()[0]

def visit(comm, folder, rounds):
    """Runs a process in that place, and ends its waits."""
    (ready, told), (turn, given) = os.pipe(), os.pipe()
    if PLACES[comm][3] & NEWPID:
        must(libc.unshare(NEWPID))
    pid = start(comm, lambda: lock_often(comm, folder, rounds, told, turn))
    for _ in range(rounds):
        os.read(ready, 1)
        while call_of(pid) != str(FLOCK):
            time.sleep(0.001)
        time.sleep(0.003)
        os.write(given, b"x")
    os._exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))

def away(rounds, folder):
    pids = [start("ender", lambda comm=comm: visit(comm, folder, int(rounds))) for comm in PLACES]
    sys.exit(any([os.waitpid(pid, 0)[1] for pid in pids]))

# --- aged -----------------------------------------------------------------------------------------------------------------

WAITS, WAIT_MS, AGED_SECONDS = 8, 3, 2
SHARED, FIXED = 1, 16

def wait_for_futex(comm, word):
    rename(comm)
    for _ in range(WAITS):
        libc.syscall(FUTEX, ctypes.c_void_p(word), 0, 0, (ctypes.c_long * 2)(0, WAIT_MS * 1000000), None, 0)

def wait_for_pipe(comm, end):
    rename(comm)
    poll = select.poll()
    poll.register(end, select.POLLIN)
    for _ in range(WAITS):
        poll.poll(WAIT_MS)

def make_pipe(path):
    os.mkfifo(path)
    return os.open(path, os.O_RDWR)

def map_shared(path, place=None):
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    os.ftruncate(file, 4096)
    return libc.mmap(ctypes.c_void_p(place), ctypes.c_size_t(4096), 3, SHARED | (FIXED if place else 0), file, ctypes.c_long(0))

def aged(folder):
    os.chdir(folder)
    os.makedirs("above/1/2/3/4")
    os.mkdir("old")
    near, far, word, kept = make_pipe("old/pipe"), make_pipe("above/1/2/3/4/pipe"), map_shared("a"), map_shared("kept")
    wait_for_futex("w-a", word)
    wait_for_futex("w-kept", kept)
    wait_for_pipe("w-near", near)
    wait_for_pipe("w-far", far)
    map_shared("b", word)
    os.rename("old", "new")
    os.rename("above", "below")
    wait_for_pipe("w-moved", near)
    rename("w-rest")
    time.sleep(AGED_SECONDS)
    wait_for_futex("w-b", word)
    wait_for_pipe("w-aged", far)
    wait_for_futex("w-still", kept)

# --- below ----------------------------------------------------------------------------------------------------------------

def exit_as(pid):
    os._exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))

def below(uid, gid, groups, *command):
    shell = os.fork()
    if shell:
        exit_as(shell)
    released, release = os.pipe()
    child = os.fork()
    if not child:
        os.environ.update(SUDO_UID=uid, SUDO_GID=gid)
        os.read(released, 1)
        os.execvp(command[0], command)
    os.setgroups([int(group) for group in groups.split(",")])
    os.setresgid(*[int(gid)] * 3)
    os.setresuid(*[int(uid)] * 3)
    os.write(release, b"x")
    exit_as(child)

{"ends": ends, "convoy": convoy, "away": away, "aged": aged, "below": below}[sys.argv[1]](*sys.argv[2:])
