#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""below_shell.py UID GID GROUP,... COMMAND...: runs it as root, below a process that has these ids and groups, with the
environment of sudo: as if that user's shell had typed it."""
import os
import sys

uid, gid = int(sys.argv[1]), int(sys.argv[2])
groups = [int(group) for group in sys.argv[3].split(",")]


def exit_as(pid):
    os._exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


shell = os.fork()
if shell:
    exit_as(shell)
released, release = os.pipe()
command = os.fork()
if not command:
    os.environ.update(SUDO_UID=str(uid), SUDO_GID=str(gid))
    os.read(released, 1)
    os.execvp(sys.argv[4], sys.argv[4:])
os.setgroups(groups)
os.setresgid(gid, gid, gid)
os.setresuid(uid, uid, uid)
os.write(release, b"x")
exit_as(command)
