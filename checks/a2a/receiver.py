"""A small receiver of push notifications, on a thread of its own."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

ORDER = (
    "Customer C-8821 wants to change order #ORD-5592: remove 3x Widget A, add 2x Widget B. "
    "Check inventory first."
)
YES = "Confirmed, proceed"


class Receiver:
    def __init__(self):
        told = self.told = []

        class Hear(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                told.append((dict(self.headers.items()), json.loads(body)))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Hear)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}/hook"

    def wait(self, found, seconds=20):
        """The first notification for which `found` holds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for headers, body in list(self.told):
                if found(body):
                    return headers, body
            time.sleep(0.05)
        raise SystemExit(f"no such notification; there were {[body for _, body in self.told]}")


def done(what):
    print(f"   ok  {what}")
