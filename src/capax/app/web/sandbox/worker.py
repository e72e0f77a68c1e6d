"""The process behind the playground: it forks a fresh child for each request, which works inside the sandbox.

A fork takes milliseconds and starts with all of capax loaded; what a request leaves behind goes away with its child.
"""

import gc
import json
import os
import resource
import signal
import socket
import struct
import sys
import traceback
from typing import Final

from capax.app.process.output import json_text
from capax.app.web.jobs.registry import JOBS, warm
from capax.app.web.request import Request
from capax.app.web.sandbox import sandbox
from capax.app.web.sandbox.request_budget import MOST_REPLY, out_of_memory, too_large
from capax.errors import CapaxError

LENGTH: Final = struct.Struct("<I")
"""Before a message its length. A child first sends its number, in the same form."""


def main(door: socket.socket) -> None:
    """Serves until the other end of the door is closed; through it come connections, one for each request."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in the terminal is for the server
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no zombies
    warm()
    gc.collect()
    gc.freeze()  # children share the pages of what is loaded; the collector would touch them all
    gc.set_threshold(20_000, 20, 50)
    door.sendall(b"!")
    while True:
        message, files, _, _ = socket.recv_fds(door, 1, 1)
        if not message:
            return
        if os.fork() == 0:
            door.close()
            _child(socket.socket(fileno=files[0]))
        for file in files:
            os.close(file)


def _child(line: socket.socket) -> None:
    """Answers one request and ends the process."""
    try:
        line.sendall(LENGTH.pack(os.getpid()))
        message = json.loads(_read(line))
        os.nice(5 if JOBS[message["job"]].budget.slow else 0)
        reply = answer(message["job"], message["request"], message["folder"])
        line.sendall(LENGTH.pack(len(reply)) + reply)
    finally:
        os._exit(0)


def _read(line: socket.socket) -> bytes:
    with line.makefile("rb") as stream:
        (size,) = LENGTH.unpack(stream.read(LENGTH.size))
        return stream.read(size)


def answer(name: str, request: Request, folder: str | None) -> bytes:
    """The reply to a request, worked out inside the sandbox: `{"result": ...}` or `{"error": ...}`."""
    job = JOBS[name]
    sandbox.enter(job.budget, folder)
    sys.setrecursionlimit(3_000)
    sys.set_int_max_str_digits(100_000)
    try:
        reply = json_text({"result": job.run(request, folder)}).encode("utf-8", "replace")
        if len(reply) > MOST_REPLY:
            raise too_large("the answer", len(reply), MOST_REPLY)
        return reply
    except CapaxError as error:
        failure = error
    except MemoryError:
        resource.setrlimit(resource.RLIMIT_AS, (resource.getrlimit(resource.RLIMIT_AS)[1],) * 2)
        failure = out_of_memory(job.budget)
    except RecursionError:
        failure = CapaxError("too-large", "this is nested too deeply", hint="name the inner parts")
    except Exception:  # a bug of ours: the log has it, the page a sentence
        traceback.print_exc()
        failure = CapaxError("stopped", "capax failed on this; the log of the server has the details")
    return json_text({"error": failure.to_json() | {"text": failure.render()}}).encode("utf-8", "replace")


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
