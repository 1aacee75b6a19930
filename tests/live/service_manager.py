# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""service_manager.py SOCKET: a service manager, as sd_notify(3) has it. Prints each message as one line: its time
(CLOCK_MONOTONIC, us), the sender's pid as the kernel has it, and the text."""
import os
import socket
import struct
import sys
import time

manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
manager.bind(sys.argv[1] + ".new")
os.chmod(sys.argv[1] + ".new", 0o777)
os.rename(sys.argv[1] + ".new", sys.argv[1])
while True:
    data, others, _, _ = manager.recvmsg(4096, socket.CMSG_SPACE(12))
    pid = struct.unpack("iii", others[0][2][:12])[0]
    print(time.monotonic_ns() // 1000, pid, data.decode().replace("\n", " "), flush=True)
