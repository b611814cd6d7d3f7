"""A shop with one defect: GET /price asks for a currency's rate, and retries
without looking at Retry-After."""

import http.client
import os
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ADDRESS = ("127.0.0.1", 18090)
RATES_URL = os.environ.get("RATES_URL", "http://127.0.0.1:18091")
ATTEMPTS = 3
PAUSE = 0.1  # seconds
RETRIED = (429, 502, 503, 504)


def rate():
    """Asks for the rate, up to ATTEMPTS times. It waits the same pause before each
    retry, whatever Retry-After says, which is the defect."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with urllib.request.urlopen(RATES_URL + "/rates/eur", timeout=1) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            error.close()
            failure, final = f"rates answered {error.code}", error.code not in RETRIED
        except (OSError, http.client.HTTPException) as error:
            failure, final = f"rates could not be asked: {error!r}", False
        if final or attempt == ATTEMPTS:
            raise RuntimeError(failure)
        time.sleep(PAUSE)


class Shop(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/healthz":
            self.reply(200, b"")
            return
        try:
            self.reply(200, b"price: " + rate())
        except RuntimeError as failure:
            self.reply(502, str(failure).encode())

    def reply(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    ThreadingHTTPServer(ADDRESS, Shop).serve_forever()
