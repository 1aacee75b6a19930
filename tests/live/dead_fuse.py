#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""dead_fuse.py FOLDER [OPTIONS [FILE]]: a file server that seems to die: mounts a FUSE file system, answers the kernel's
FUSE_INIT, prints "ready", and reads further requests without answering them. Who looks up a name in FOLDER waits until
this process ends, and cannot be killed meanwhile; the mount stays until it is unmounted. OPTIONS: further mount options,
such as allow_other. With FILE it serves that file under any name that is requested until it gets SIGUSR1; then it prints
"dead"."""
import ctypes
import errno
import os
import signal
import struct
import sys

LOOKUP, FORGET, GETATTR, OPEN, READ, RELEASE, INIT, INTERRUPT, BATCH_FORGET = 1, 2, 3, 14, 15, 18, 26, 36, 42
FOLDER, FILE = 1, 2  # nodes
KEEP_CACHE, NOSUID, NODEV, BUFFER = 2, 2, 4, 1 << 17

def attributes(node):
    mode, size = (0o100755, os.fstat(file).st_size) if node == FILE else (0o40000 | 0o755, 0)
    return struct.pack("6Q10I", node, size, 0, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 0, 0)

def answer(asked, node, body):
    """What it sends, or an error; None: nothing. Never valid for longer than the answer, so that the kernel asks again."""
    if asked in (FORGET, BATCH_FORGET, INTERRUPT):
        return None
    if asked == READ:
        offset, size = struct.unpack_from("8xQI", body)
        return os.pread(file, min(size, BUFFER), offset)
    return {LOOKUP: struct.pack("4QII", FILE, 0, 0, 0, 0, 0) + attributes(FILE), GETATTR: struct.pack("QII", 0, 0, 0) + attributes(node),
            OPEN: struct.pack("QII", 0, KEEP_CACHE, 0), RELEASE: b""}.get(asked, errno.ENOSYS)

def requests():
    while True:
        try:
            request = os.read(device, BUFFER)
            _, asked, unique, node = struct.unpack_from("IIQQ", request)
            yield asked, unique, node, request[40:]
        except OSError as error:
            if error.errno != errno.ENOENT:
                sys.exit("dead_fuse: %s" % error)

def send(unique, what):
    error, body = (-what, b"") if isinstance(what, int) else (0, what)
    try:
        os.write(device, struct.pack("IiQ", 16 + len(body), error, unique) + body)
    except OSError as failed:
        if failed.errno != errno.ENOENT:
            raise

def die(*_):
    global file
    if file is not None:
        file = None
        print("dead", flush=True)

folder, options, file = sys.argv[1], sys.argv[2:3], None
if sys.argv[3:]:
    file = os.open(sys.argv[3], os.O_RDONLY)
    signal.signal(signal.SIGUSR1, die)
device = os.open("/dev/fuse", os.O_RDWR)
libc = ctypes.CDLL(None, use_errno=True)
words = ["fd=%d,rootmode=40000,user_id=%d,group_id=%d" % (device, os.getuid(), os.getgid()), *options]
if libc.mount(b"dead_fuse", folder.encode(), b"fuse", NOSUID | NODEV, ",".join(words).encode()):
    sys.exit("dead_fuse: %s: %s" % (folder, os.strerror(ctypes.get_errno())))
for asked, unique, node, body in requests():
    if asked == INIT:  # everything else waits for its answer
        send(unique, struct.pack("4I2H2I2H8I", 7, 31, 0, 0, 0, 0, 4096, 0, 0, 0, *[0] * 8))
        print("ready", flush=True)
    elif file is not None:
        found = answer(asked, node, body)
        if found is not None:
            send(unique, found)
