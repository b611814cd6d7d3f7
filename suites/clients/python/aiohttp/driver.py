#!/usr/bin/env python3
"""A driver that has aiohttp judged, which makes one attempt a call.

What a policy says becomes these settings:

    timeouts.attempt_ms   ClientTimeout(total=...), as a call is one attempt
    deadline_ms           ClientTimeout(total=...), where it is shorter
    ca_file               TCPConnector(ssl=ssl.create_default_context(cafile=...))

A call is cancelled as everything is in asyncio, by its task.
"""

import asyncio
import ssl
import sys
from pathlib import Path

import aiohttp

sys.path.append(str(Path(__file__).resolve().parents[1]))
import kit  # pylint: disable=wrong-import-position

CAPABILITIES = [
    "timeout", "attempt-timeout", "method", "headers", "request-body", "streamed-body",
    "cancel", "shared", "parallel", "status", "error-kind", "response-body", "tls",
]

KINDS = [
    (asyncio.CancelledError, "canceled"),
    (TimeoutError, "timeout"),
    (aiohttp.ClientConnectorError, "connect"),
    (aiohttp.ServerDisconnectedError, "reset"),
    (aiohttp.ClientOSError, "reset"),
    (aiohttp.ClientPayloadError, "truncated"),
    (aiohttp.ClientResponseError, "protocol"),
]

LOOP = kit.Loop()


class Client:
    """A ClientSession with a connector, and so with connections, of its own."""

    def __init__(self, policy, ca_file):
        attempt = policy.get("timeouts", {}).get("attempt_ms")
        self.attempt = attempt / 1000 if attempt else None
        self.session = LOOP.run(self.open(ca_file))

    async def open(self, ca_file):
        context = ssl.create_default_context(cafile=ca_file) if ca_file else None
        return aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=context))

    def call(self, call):
        return LOOP.run_call(call, self.request(call))

    async def request(self, call):
        body = call.body()
        if body is not None and not isinstance(body, bytes):
            body = kit.asynchronous(body)
        limits = [self.attempt, call.deadline]
        timeout = aiohttp.ClientTimeout(total=min((limit for limit in limits if limit), default=None))
        try:
            async with self.session.request(
                    call.method, call.url, headers=call.pairs, data=body, timeout=timeout) as response:
                return kit.answered(response.status, response.headers.items(), await response.read())
        except (Exception, asyncio.CancelledError) as error:  # pylint: disable=broad-except
            return kit.failed(error, KINDS)

    def close(self):
        LOOP.run(self.session.close())


if __name__ == "__main__":
    kit.serve("aiohttp", aiohttp.__version__, CAPABILITIES, Client)
