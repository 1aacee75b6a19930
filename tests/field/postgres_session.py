# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One psql, and so one backend of PostgreSQL."""
import subprocess


class Session:
    """psql: the process. pid: of its backend."""

    def __init__(self, host, port):
        """host: also the folder of the server's unix socket."""
        self.psql = subprocess.Popen(["psql", "-XqAt", "-h", host, "-p", port, "-U", "nobody", "postgres"], stdin=subprocess.PIPE,
                                     stdout=subprocess.PIPE, text=True, bufsize=1)
        self.pid = int(self.ask("SELECT pg_backend_pid()"))

    def send(self, query):
        self.psql.stdin.write(query + ";\n\\echo .\n")
        self.psql.stdin.flush()

    def answer(self):
        lines = []
        for line in self.psql.stdout:
            if line.strip() == ".":
                return "\n".join(lines)
            lines.append(line.strip())
        raise SystemExit("psql ended")

    def ask(self, query):
        self.send(query)
        return self.answer()
