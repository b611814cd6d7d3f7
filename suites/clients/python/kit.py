"""What the Python drivers share: the protocol of docs/protocol.md.

A driver says what its library is called and can do, and how a client is opened:

    kit.serve(name, version, capabilities, Client)

Client(policy, ca_file) is a client with a policy, as the protocol words it. It
raises Unsupported for one that its library has no setting for. It has two
methods: call(call), which makes a Call and gives its result, and close(). Each
call runs in a thread of its own; a library for asyncio runs in a Loop.
"""

import asyncio
import hashlib
import json
import platform
import sys
import threading
import time

PIECE = 16 * 1024  # bytes of a streamed body that are read at a time


class Unsupported(Exception):
    """The library has no setting for this."""


class Call:
    """A call as faultsrv asks for it."""

    def __init__(self, message):
        self.method = message["method"]
        self.url = message["url"]
        self.pairs = [tuple(pair) for pair in message["headers"]]
        self.started = time.monotonic()
        deadline = message.get("deadline_ms")
        # The whole call's, in seconds; None where there is none.
        self.deadline = deadline / 1000 if deadline else None
        self.canceled = threading.Event()
        self._body = message.get("body")
        self._lock = threading.Lock()
        self._cancel = None

    def headers(self):
        """The headers for a library that takes one line for each name."""
        headers = {}
        for name, value in self.pairs:
            headers[name] = headers[name] + ", " + value if name in headers else value
        return headers

    def body(self):
        """The body's bytes, or for a stream an iterator, which nobody can rewind."""
        if self._body is None:
            return None
        if self._body["stream"]:
            return self._pieces()
        with open(self._body["file"], "rb") as file:
            return file.read()

    def _pieces(self):
        with open(self._body["file"], "rb") as file:
            while piece := file.read(PIECE):
                yield piece

    def on_cancel(self, cancel):
        """Has cancel called when the call is cancelled, at once if it is already."""
        with self._lock:
            self._cancel = cancel
            if self.canceled.is_set():
                cancel()

    def cancel(self):
        with self._lock:
            self.canceled.set()
            if self._cancel:
                self._cancel()


class Loop:
    """An event loop for the clients of a driver, in a thread of its own."""

    def __init__(self):
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()

    def run(self, coroutine):
        """Waits for a coroutine."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    def run_call(self, call, coroutine):
        """Waits for the coroutine of a call, whose task is cancelled when the call is."""
        async def cancellable():
            task = asyncio.current_task()
            call.on_cancel(lambda: self._loop.call_soon_threadsafe(task.cancel))
            return await coroutine
        return self.run(cancellable())


async def asynchronous(pieces):
    """A streamed body for a library that wants an asynchronous iterator."""
    for piece in pieces:
        yield piece


def answered(status, headers, body):
    """The result of a call that got an answer, which was read to its end."""
    return {
        "outcome": "response",
        "status": status,
        "headers": [list(pair) for pair in headers],
        "body_sha256": hashlib.sha256(body).hexdigest(),
        "body_length": len(body),
    }


def failed(error, kinds, inner=lambda error: (), last_status=None):
    """The result of a call that ended in an error.

    kinds are pairs of a type and a kind, of which the first counts that matches;
    inner gives what an error holds beside its cause.
    """
    found = []
    for cause in _causes(error, inner, set()):
        kind = next((kind for of, kind in kinds if isinstance(cause, of)), None)
        if kind and kind not in found:
            found.append(kind)
    found = found or ["other"]
    explained = {"kind": found[0], "chain": found[1:], "message": f"{type(error).__name__}: {error}"}
    if last_status is not None:
        explained["last_status"] = last_status
    return {"outcome": "error", "error": explained}


def _causes(error, inner, seen):
    """An error and, in depth, what it holds and was caused by."""
    if not isinstance(error, BaseException) or id(error) in seen:
        return
    seen.add(id(error))
    yield error
    for cause in (*inner(error), *error.args, error.__cause__):
        yield from _causes(cause, inner, seen)


def serve(name, version, capabilities, client_class):
    """Answers the messages on standard input until it ends."""
    _Driver(client_class).run({
        "type": "hello",
        "protocol": 1,
        "client": {"name": name, "version": version, "language": "Python " + platform.python_version()},
        "capabilities": capabilities,
    })


class _Driver:
    def __init__(self, client_class):
        self._client_class = client_class
        self._clients = {}
        self._calls = {}
        self._sending = threading.Lock()

    def run(self, hello):
        self._send(hello)
        for line in sys.stdin:
            message = json.loads(line)
            getattr(self, "_" + message["type"])(message)

    def _send(self, message):
        with self._sending:
            print(json.dumps(message), flush=True)

    def _open(self, message):
        opened = {"type": "opened", "client": message["client"]}
        try:
            self._clients[message["client"]] = self._client_class(message["policy"], message.get("ca_file"))
        except Unsupported as missing:
            opened["unsupported"] = str(missing)
        self._send(opened)

    def _run(self, message):
        call = self._calls[message["seq"]] = Call(message)
        client = self._clients[message["client"]]
        # A daemon thread does not hold up the end.
        threading.Thread(target=self._call, args=(client, message["seq"], call), daemon=True).start()

    def _call(self, client, seq, call):
        try:
            result = client.call(call)
        except Unsupported as missing:
            result = {"outcome": "unsupported", "reason": str(missing)}
        result["elapsed_ms"] = (time.monotonic() - call.started) * 1000
        del self._calls[seq]
        self._send({"type": "result", "seq": seq, **result})

    def _cancel(self, message):
        if call := self._calls.get(message["seq"]):
            call.cancel()

    def _close(self, message):
        self._clients.pop(message["client"]).close()
        self._send({"type": "closed", "client": message["client"]})
