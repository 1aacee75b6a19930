#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""stopped_server.py tcp|unix recv|poll|select: stops a server with one epoll, p-server, after it has answered each of
its two clients once. Then the thread p-asks sends a question and waits for the answer in the given call; p-keeps
waits as well, but has sent nothing. Prints "ready" when the server is stopped and has not read the question, then
sleeps until it is killed, which also kills the server."""
import ctypes, os, select, signal, socket, sys, threading, time

PR_SET_PDEATHSIG = 1

def name_thread(name):
    with open(f"/proc/self/task/{threading.get_native_id()}/comm", "w", encoding="ascii") as comm:
        comm.write(name)

def serve(listener):
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    name_thread("p-server")
    poll = select.epoll()
    poll.register(listener.fileno(), select.EPOLLIN)
    connections = {}
    while True:
        for descriptor, _ in poll.poll():
            if descriptor == listener.fileno():
                connection, _ = listener.accept()
                connections[connection.fileno()] = connection
                poll.register(connection.fileno(), select.EPOLLIN)
            else:
                connections[descriptor].send(connections[descriptor].recv(100))

def state_of(process):
    with open(f"/proc/{process}/stat", encoding="ascii", errors="replace") as stat:
        return stat.read().rpartition(")")[2].split()[0]

def wait_until(condition):
    deadline = time.monotonic() + 60
    while not condition():
        if time.monotonic() > deadline:
            sys.exit("gave up waiting")
        time.sleep(0.01)

def connect(family, address):
    client = socket.socket(family, socket.SOCK_STREAM)
    client.connect(address)
    client.send(b"hello")
    client.recv(100)
    return client

def wait_for(client):
    if sys.argv[2] == "poll":
        poll = select.poll()
        poll.register(client.fileno(), select.POLLIN)
        poll.poll()
    elif sys.argv[2] == "select":
        select.select([client], [], [])

def receive(name, client):
    name_thread(name)
    wait_for(client)
    client.recv(100)

family = socket.AF_INET if sys.argv[1] == "tcp" else socket.AF_UNIX
listener = socket.socket(family, socket.SOCK_STREAM)
listener.bind(("127.0.0.1", 0) if family == socket.AF_INET else f"\0rwalker-stopped-{os.getpid()}")
listener.listen()
server = os.fork()
if server == 0:
    serve(listener)
asks, keeps = (connect(family, listener.getsockname()) for _ in range(2))
wait_until(lambda: state_of(server) == "S")
os.kill(server, signal.SIGSTOP)
wait_until(lambda: state_of(server) == "T")
asks.send(b"question")
for each in ("p-asks", asks), ("p-keeps", keeps):
    threading.Thread(target=receive, args=each, daemon=True).start()
print("ready", flush=True)
time.sleep(3600)
