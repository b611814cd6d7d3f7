#!/usr/bin/env python3
"""A driver that has tenacity judged, around requests and as tenacity's documentation shows.

What a policy says becomes these settings:

    attempts              stop_after_attempt
    methods               what is not among them is called without tenacity
    statuses              retry_if_result, beside retry_if_exception_type(IOError)
    backoff               wait_fixed, wait_incrementing, wait_exponential, wait_random,
                          wait_random_exponential, and for equal jitter the sum of two
    timeouts.attempt_ms   timeout=(connect, read) of requests
    deadline_ms           stop_after_delay, and the timeout of requests where that is longer
    ca_file               Session.verify

Not among the capabilities is cancel: stop_when_event_set and sleep_using_event
would end a pause from another thread, and nothing ends a request of requests.
"""

import sys
from importlib.metadata import version
from pathlib import Path

import requests
import tenacity
from urllib3 import exceptions as urllib3_exceptions

sys.path.append(str(Path(__file__).resolve().parents[1]))
import kit  # pylint: disable=wrong-import-position

CAPABILITIES = [
    "retry", "attempts", "backoff", "timeout", "attempt-timeout", "method", "headers", "request-body",
    "streamed-body", "shared", "parallel", "status", "error-kind", "response-body", "tls",
]

# requests hands over urllib3's errors, wrapped.
KINDS = [
    (tenacity.RetryError, "exhausted"),
    (urllib3_exceptions.NewConnectionError, "connect"),
    (requests.exceptions.Timeout, "timeout"),
    (urllib3_exceptions.TimeoutError, "timeout"),
    (requests.exceptions.UnrewindableBodyError, "not-replayable"),
    (urllib3_exceptions.IncompleteRead, "truncated"),
    (requests.exceptions.ChunkedEncodingError, "truncated"),
    (ConnectionError, "reset"),
    (urllib3_exceptions.ProtocolError, "protocol"),
]


class Client:
    """A Session whose requests are retried."""

    def __init__(self, policy, ca_file):
        self.policy = policy
        self.wait = wait_of(policy["backoff"])
        self.session = requests.Session()
        self.session.trust_env = False  # no proxy, and no CA file but the given one
        if ca_file:
            self.session.verify = ca_file

    def call(self, call):
        send = self.session.request
        if call.method in self.policy["methods"]:
            send = self.retrying(call)(send)
        try:
            response = send(call.method, call.url, headers=call.headers(), data=call.body(), timeout=self.timeout(call))
        except tenacity.RetryError as error:
            last = error.last_attempt
            status = None if last.failed else last.result().status_code
            return kit.failed(error, KINDS, inner_of, last_status=status)
        except Exception as error:  # pylint: disable=broad-except
            return kit.failed(error, KINDS, inner_of)
        return kit.answered(response.status_code, response.headers.items(), response.content)

    def retrying(self, call):
        stop = tenacity.stop_after_attempt(self.policy["attempts"])
        if call.deadline:
            stop |= tenacity.stop_after_delay(call.deadline)
        statuses = self.policy["statuses"]
        return tenacity.retry(
            retry=tenacity.retry_if_exception_type(IOError)
            | tenacity.retry_if_result(lambda response: response.status_code in statuses),
            wait=self.wait,
            stop=stop,
        )

    def timeout(self, call):
        attempt = self.policy.get("timeouts", {}).get("attempt_ms")
        limits = [attempt / 1000 if attempt else None, call.deadline]
        return min((limit for limit in limits if limit), default=None)

    def close(self):
        self.session.close()


def wait_of(backoff):
    """The wait that a backoff is; an absent maximum is tenacity's own."""
    kind, jitter = backoff["kind"], backoff["jitter"]
    base = backoff["base_ms"] / 1000
    limit = backoff["max_ms"] / 1000 if "max_ms" in backoff else None
    most = {} if limit is None else {"max": limit}
    match kind, jitter:
        case "constant", "none":
            return tenacity.wait_fixed(base)
        case "constant", "full":
            return tenacity.wait_random(0, base)
        case "constant", "equal":
            return tenacity.wait_fixed(base / 2) + tenacity.wait_random(0, base / 2)
        case "linear", "none":
            return tenacity.wait_incrementing(start=base, increment=base, **most)
        case "exponential", "none":
            return tenacity.wait_exponential(base, exp_base=backoff["factor"], **most)
        case "exponential", "full":
            return tenacity.wait_random_exponential(base, exp_base=backoff["factor"], **most)
        case "exponential", "equal":
            half = {} if limit is None else {"max": limit / 2}
            return (tenacity.wait_exponential(base / 2, exp_base=backoff["factor"], **half)
                    + tenacity.wait_random_exponential(base / 2, exp_base=backoff["factor"], **half))
    raise kit.Unsupported(f"tenacity has no {kind} wait with {jitter} jitter")


def inner_of(error):
    """What an error holds: a RetryError that of the last attempt, a MaxRetryError its reason."""
    if isinstance(error, tenacity.RetryError) and error.last_attempt.failed:
        return [error.last_attempt.exception()]
    return [getattr(error, "reason", None)]


if __name__ == "__main__":
    kit.serve("tenacity-requests", f"{version('tenacity')} on requests {requests.__version__}", CAPABILITIES, Client)
