#!/usr/bin/env python3
"""A driver that has requests judged, with urllib3's Retry in its HTTPAdapter.

What a policy says becomes these settings:

    attempts              Retry(total=attempts - 1): retries do not count the first
    methods               Retry(allowed_methods=...)
    statuses              Retry(status_forcelist=...)
    backoff               Retry(backoff_factor=...): see below
    timeouts.attempt_ms   timeout=(connect, read)
    ca_file               Session.verify

Not among the capabilities are: backoff, since Retry pauses not at all before
the first retry and has an exponential backoff after it, of which one number is
told; timeout and cancel, since a call of requests can neither be given a
deadline for all of its attempts nor be ended from another thread.
"""

import sys
from pathlib import Path

import requests
from urllib3 import Retry
from urllib3 import exceptions as urllib3_exceptions

sys.path.append(str(Path(__file__).resolve().parents[1]))
import kit  # pylint: disable=wrong-import-position

CAPABILITIES = [
    "retry", "attempts", "attempt-timeout", "method", "headers", "request-body", "streamed-body",
    "shared", "parallel", "status", "error-kind", "response-body", "tls",
]

# requests hands over urllib3's errors, wrapped: what the retries were used up
# by is found in a MaxRetryError.
KINDS = [
    (requests.exceptions.RetryError, "exhausted"),
    (urllib3_exceptions.MaxRetryError, "exhausted"),
    (urllib3_exceptions.NewConnectionError, "connect"),
    (requests.exceptions.Timeout, "timeout"),
    (urllib3_exceptions.TimeoutError, "timeout"),
    (requests.exceptions.UnrewindableBodyError, "not-replayable"),
    (urllib3_exceptions.UnrewindableBodyError, "not-replayable"),
    (urllib3_exceptions.IncompleteRead, "truncated"),
    (requests.exceptions.ChunkedEncodingError, "truncated"),
    (ConnectionError, "reset"),
    (urllib3_exceptions.ProtocolError, "protocol"),
    (urllib3_exceptions.InvalidHeader, "protocol"),
]


class Client:
    """A Session with an adapter of its own, and so with connections of its own."""

    def __init__(self, policy, ca_file):
        adapter = requests.adapters.HTTPAdapter(max_retries=Retry(
            total=policy["attempts"] - 1,
            allowed_methods=policy["methods"],
            status_forcelist=policy["statuses"],
            backoff_factor=policy["backoff"]["base_ms"] / 1000,
        ))
        self.session = requests.Session()
        self.session.trust_env = False  # no proxy, and no CA file but the given one
        self.session.mount("http://", adapter)
        self.session.mount("https://", adapter)
        if ca_file:
            self.session.verify = ca_file
        attempt = policy.get("timeouts", {}).get("attempt_ms")
        self.timeout = (attempt / 1000, attempt / 1000) if attempt else None

    def call(self, call):
        try:
            response = self.session.request(
                call.method, call.url, headers=call.headers(), data=call.body(), timeout=self.timeout)
        except Exception as error:  # pylint: disable=broad-except
            return kit.failed(error, KINDS, lambda error: [getattr(error, "reason", None)])
        return kit.answered(response.status_code, response.headers.items(), response.content)

    def close(self):
        self.session.close()


if __name__ == "__main__":
    kit.serve("requests", requests.__version__, CAPABILITIES, Client)
