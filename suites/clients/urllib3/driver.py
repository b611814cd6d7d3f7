#!/usr/bin/env python3
"""A driver that has urllib3 judged, with urllib3's own Retry and Timeout.

It speaks the protocol of docs/protocol.md: JSON lines on standard input and
output. Each call runs in a thread of its own.

    faultsrv clients check -- python3 suites/clients/urllib3/driver.py

What a policy says becomes these settings of urllib3:

    attempts              Retry(total=attempts - 1): retries do not count the first
    methods               Retry(allowed_methods=...)
    statuses              Retry(status_forcelist=...)
    backoff               Retry(backoff_factor=...): see below
    timeouts.attempt_ms   Timeout(connect=..., read=...)
    ca_file (of open)     PoolManager(ca_certs=...)

Not among the capabilities are: backoff, since urllib3 pauses not at all before
the first retry and has an exponential backoff after it, of which one number is
told; timeout and cancel, since a call of urllib3 can neither be given a
deadline for all of its attempts nor be ended from another thread.
"""

import hashlib
import json
import platform
import ssl
import sys
import threading
import time

import urllib3
from urllib3 import exceptions

HELLO = {
    "type": "hello",
    "protocol": 1,
    "client": {
        "name": "urllib3",
        "version": urllib3.__version__,
        "language": "Python " + platform.python_version(),
    },
    "capabilities": [
        "retry", "attempts", "attempt-timeout", "method", "headers", "request-body", "streamed-body",
        "shared", "parallel", "status", "error-kind", "response-body", "tls",
    ],
}

# The first of these that matches is the kind of an error. urllib3 wraps what
# has happened in MaxRetryError when its retries are used up.
KINDS = [
    (exceptions.MaxRetryError, "exhausted"),
    (exceptions.NewConnectionError, "connect"),
    (exceptions.ConnectTimeoutError, "timeout"),
    (exceptions.ReadTimeoutError, "timeout"),
    (exceptions.UnrewindableBodyError, "not-replayable"),
    (exceptions.IncompleteRead, "truncated"),
    (ssl.SSLCertVerificationError, "permanent"),
    (exceptions.SSLError, "connect"),
    (ConnectionError, "reset"),
    (exceptions.ProtocolError, "protocol"),
    (exceptions.InvalidHeader, "protocol"),
]


class Client:
    """A PoolManager with a policy: each client has connections of its own."""

    def __init__(self, policy, ca_file):
        retries = policy.get("attempts", 1) - 1
        backoff = policy.get("backoff") or {"base_ms": 0}
        self.retry = urllib3.Retry(
            total=retries,
            allowed_methods=policy.get("methods", urllib3.Retry.DEFAULT_ALLOWED_METHODS),
            status_forcelist=policy.get("statuses", ()),
            backoff_factor=backoff["base_ms"] / 1000,
        )
        attempt = policy.get("timeouts", {}).get("attempt_ms")
        seconds = attempt / 1000 if attempt else None
        self.timeout = urllib3.Timeout(connect=seconds, read=seconds)
        self.pool = urllib3.PoolManager(maxsize=10, ca_certs=ca_file)

    def call(self, run):
        """Makes a call as a program would, and gives its result."""
        started = time.monotonic()
        try:
            response = self.pool.urlopen(
                run["method"], run["url"],
                headers=headers_of(run), body=body_of(run.get("body")),
                retries=self.retry, timeout=self.timeout, preload_content=False,
            )
            result = read(response)
        except Exception as error:  # pylint: disable=broad-except
            result = {"outcome": "error", "error": explain(error)}
        result["elapsed_ms"] = (time.monotonic() - started) * 1000
        return result

    def close(self):
        self.pool.clear()


def headers_of(run):
    """The headers of a call; urllib3 takes one line for each name."""
    headers = {}
    for name, value in run["headers"]:
        headers[name] = headers[name] + ", " + value if name in headers else value
    return headers


def body_of(body):
    """The bytes of a body, or for a stream an iterator, which nobody can rewind.

    urllib3 sends what has no length in chunks.
    """
    if body is None:
        return None
    if body["stream"]:
        return pieces(body["file"])
    with open(body["file"], "rb") as file:
        return file.read()


def pieces(path):
    with open(path, "rb") as file:
        while piece := file.read(16 * 1024):
            yield piece


def read(response):
    """Reads the answer to its end, as a program would that wants to have it."""
    digest, length = hashlib.sha256(), 0
    for piece in response.stream(64 * 1024):
        digest.update(piece)
        length += len(piece)
    response.release_conn()
    result = {
        "outcome": "response",
        "status": response.status,
        "headers": list(response.headers.items()),
        "body_sha256": digest.hexdigest(),
        "body_length": length,
    }
    if response.retries is not None:
        result["attempts"] = len(response.retries.history) + 1
    return result


def explain(error):
    """The kind of an error, and the kinds of what a program finds in it."""
    kinds = []
    for cause in causes(error):
        for of, kind in KINDS:
            if isinstance(cause, of):
                if kind not in kinds:
                    kinds.append(kind)
                break
    kinds = kinds or ["other"]
    return {"kind": kinds[0], "chain": kinds[1:], "message": str(error)}


def causes(error):
    """An error and what it holds: a MaxRetryError its reason, a ProtocolError its arguments."""
    yield error
    inner = [getattr(error, "reason", None), *getattr(error, "args", ())]
    for cause in inner:
        if isinstance(cause, BaseException):
            yield from causes(cause)


class Driver:
    """Answers messages until standard input ends."""

    def __init__(self):
        self.clients = {}
        self.sending = threading.Lock()

    def send(self, message):
        with self.sending:
            print(json.dumps(message), flush=True)

    def run(self):
        self.send(HELLO)
        for line in sys.stdin:
            message = json.loads(line)
            number = message.get("client")
            if message["type"] == "open":
                self.clients[number] = Client(message["policy"], message.get("ca_file"))
                self.send({"type": "opened", "client": number})
            elif message["type"] == "run":
                # A daemon thread does not hold up the end.
                threading.Thread(target=self.call, args=(self.clients[number], message), daemon=True).start()
            elif message["type"] == "close":
                self.clients.pop(number).close()
                self.send({"type": "closed", "client": number})

    def call(self, client, run):
        self.send({"type": "result", "seq": run["seq"], **client.call(run)})


if __name__ == "__main__":
    Driver().run()
