#!/usr/bin/env python3
"""A driver that has httpx judged: its AsyncClient, with the retries of its transport.

What a policy says becomes these settings:

    attempts              AsyncHTTPTransport(retries=attempts - 1): of connecting, and of nothing else
    timeouts.attempt_ms   Timeout(...), of connecting and of each read and write
    deadline_ms           asyncio.wait_for, since httpx has no timeout of a whole call
    ca_file               AsyncHTTPTransport(verify=ssl.create_default_context(cafile=...))

A call is cancelled as everything is in asyncio, by its task. Redirects are
followed, which httpx does only when told.

Not among the capabilities are attempts, since they are those of one request
only as long as no connection is made; and backoff, since the pauses between
connects are fixed.
"""

import asyncio
import ssl
import sys
from pathlib import Path

import httpx

sys.path.append(str(Path(__file__).resolve().parents[1]))
import kit  # pylint: disable=wrong-import-position

CAPABILITIES = [
    "retry", "timeout", "attempt-timeout", "method", "headers", "request-body", "streamed-body",
    "cancel", "shared", "parallel", "status", "error-kind", "response-body", "tls",
]

KINDS = [
    (asyncio.CancelledError, "canceled"),
    (TimeoutError, "timeout"),
    (httpx.TimeoutException, "timeout"),
    (httpx.ConnectError, "connect"),
    (httpx.ReadError, "reset"),
    (httpx.WriteError, "reset"),
    (httpx.StreamConsumed, "not-replayable"),
    (httpx.RemoteProtocolError, "protocol"),
]

LOOP = kit.Loop()


class Client:
    """An AsyncClient with a transport, and so with connections, of its own."""

    def __init__(self, policy, ca_file):
        verify = ssl.create_default_context(cafile=ca_file) if ca_file else True
        transport = httpx.AsyncHTTPTransport(verify=verify, retries=policy["attempts"] - 1)
        attempt = policy.get("timeouts", {}).get("attempt_ms")
        timeout = httpx.Timeout(attempt / 1000 if attempt else None)
        self.client = httpx.AsyncClient(transport=transport, timeout=timeout, trust_env=False, follow_redirects=True)

    def call(self, call):
        return LOOP.run_call(call, self.request(call))

    async def request(self, call):
        body = call.body()
        if body is not None and not isinstance(body, bytes):
            body = kit.asynchronous(body)
        try:
            response = await asyncio.wait_for(
                self.client.request(call.method, call.url, headers=call.pairs, content=body), call.deadline)
        except (Exception, asyncio.CancelledError) as error:  # pylint: disable=broad-except
            return kit.failed(error, KINDS)
        return kit.answered(response.status_code, response.headers.multi_items(), response.content)

    def close(self):
        LOOP.run(self.client.aclose())


if __name__ == "__main__":
    kit.serve("httpx", httpx.__version__, CAPABILITIES, Client)
