#!/usr/bin/env python3
"""An HTTP server for tests that misbehaves on demand. Python 3 standard library only.

    httpd.py [--root DIR] [--simple DIR] [--log FILE] [--bind ADDR] [--port N]
             [--tls CERT KEY] [--proxy-auth USER:PASSWORD]

Listens on 127.0.0.1 (and a free port), prints the port as its first line on stdout, serves until it is
killed or its stdin, when that is a pipe, comes to its end.

The first part of the path chooses a mode; what follows the mode's arguments is a file below --root:

    /file/PATH              as it should be: Range, ETag, Last-Modified, HEAD
    /norange/PATH           ignores Range: always 200 and the whole
    /false206/DELTA/PATH    answers a Range with 206 and bytes that start DELTA later (and says so)
    /badtotal/DELTA/PATH    206 with the right bytes, the total in Content-Range off by DELTA
    /startotal/PATH         206 with "/*" in place of the total
    /no206/PATH             206 without Content-Range
    /416/PATH               416 to each request with a Range
    /always206/PATH         206 also to a request without Range
    /partial/N/PATH         a 206 never brings more than N bytes (the rest is asked for again)
    /short/N/PATH           announces everything, closes after the file's byte N
    /reset/N/PATH           the same with a TCP reset
    /each/N/PATH            announces everything, closes after N bytes of each answer
    /stall/N/PATH           the same with silence
    /slow/RATE/PATH         RATE bytes a second
    /chunked/PATH           no Content-Length, chunked
    /chunkcut/N/PATH        chunked, closed after byte N without the last chunk
    /nolength/PATH          no Content-Length, the end is the connection's
    /nolengthcut/N/PATH     the same, closed after byte N
    /wronglen/DELTA/PATH    announces DELTA bytes more (or fewer, -N) than the file has, sends those it has
    /longer/N/PATH          N bytes more than the file has, announced and sent
    /endless/PATH           the file and then zeros for ever, without a length
    /corrupt/N/PATH         the file's byte N is another one
    /empty/PATH             200 with no byte
    /close/PATH             closes without an answer
    /html/PATH              200, text/html: a login page
    /rawhtml/PATH           the same page as application/octet-stream
    /gzip/PATH              Content-Encoding: gzip whatever was asked
    /status/CODE/PATH       that status
    /retry-after/V/PATH     503 with "Retry-After: V"; V "date": a date 30 seconds ahead
    /auth/USER:PASSWORD/PATH  401 unless these come by Basic
    /type/MAJOR/MINOR/PATH  that Content-Type
    /redirect/KIND/PATH     loop (onto itself) | pair (two that name each other) | scheme (file:///etc/passwd)
                            | ftp | none (no Location) | relative | blank (a blank in the Location)
                            | hops:N | host (the same server by its other name: 127.0.0.1, localhost)
                            | login (user and password in the Location) | to:BASE (BASE quoted: its file/PATH)

A mode or its argument may end in "xN": the first N requests for that URL only, then /file/PATH. Query strings
make two URLs different and are otherwise ignored. Modes nest: the rest of the path may begin with a mode again
(/auth/u:p/short/5/f); a path that begins with no mode is /file/. One that ends in "/" is the folder's index.html.

--simple DIR serves the wheels of a folder as a package index: /simple/, /simple/NAME/ (JSON of PEP 691 when
Accept asks for it, else HTML of PEP 503) and /packages/FILE. DIR/FILE.yanked (a reason) marks a file as yanked,
DIR/FILE.requires-python holds that value. Flags follow the word "simple" (/simple+html+nohash/NAME/):

    html       never JSON                  nohash     no digests
    wronghash  digests of something else   nosize     no sizes in the JSON
    wrongsize  sizes one too large         login      200, an HTML login page
    404 503 .. that status                 down       closes without an answer
    broken     JSON cut in the middle      v2         api-version 2.0
    via:A:B    files as /A/B/packages/FILE, so through that mode
    auth:U:P   401 unless these come by Basic (pages; files with via:auth:...)
    base       HTML with <base href>, relative links below it
    abs        absolute URLs (JSON and HTML); default: relative ones in HTML, absolute in JSON

As a proxy: absolute request targets are answered as if they were paths of this server (log: "proxy": true),
CONNECT gets 502; with --proxy-auth both get 407 unless the right Proxy-Authorization comes.

--log FILE gets one JSON object a line as each answer ends: method, path, mode, range, status, sent
(body bytes), host, user (of Basic), accept, encoding, agent, connection (a number for each connection), proxy.
/log answers with the lines so far in the order of arrival, /clear forgets them and all counts.
"""
import argparse
import base64
import email.utils
import gzip
import hashlib
import html
import http.server
import json
import os
import re
import socket
import ssl
import struct
import sys
import threading
import time
import urllib.parse

PAGE = b"<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>Please log in</body></html>\n"
LOCK = threading.Lock()
ARGS = {"file": 0, "norange": 0, "false206": 1, "badtotal": 1, "startotal": 0, "no206": 0, "416": 0,
        "always206": 0, "partial": 1, "each": 1, "short": 1, "reset": 1, "stall": 1, "slow": 1, "chunked": 0,
        "chunkcut": 1, "nolength": 0, "nolengthcut": 1, "wronglen": 1, "longer": 1, "endless": 0,
        "corrupt": 1, "empty": 0, "close": 0, "html": 0, "rawhtml": 0, "gzip": 0, "status": 1,
        "retry-after": 1, "auth": 1, "type": 2, "redirect": 1}


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address, options):
        super().__init__(address, Handler)
        self.options = options
        self.entries, self.counts, self.hashes = [], {}, {}
        self.connections = 0

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], (OSError, ssl.SSLError)):
            super().handle_error(request, client_address)

    def count(self, key):
        with LOCK:
            self.counts[key] = self.counts.get(key, 0) + 1
            return self.counts[key]

    def sha256(self, path):
        info = os.stat(path)
        key = (path, info.st_size, info.st_mtime_ns)
        if key not in self.hashes:
            h = hashlib.sha256()
            with open(path, "rb") as f:
                for block in iter(lambda: f.read(1 << 20), b""):
                    h.update(block)
            self.hashes[key] = h.hexdigest()
        return self.hashes[key]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "misbehaving"
    wbufsize = 65536

    def setup(self):
        super().setup()
        with LOCK:
            self.server.connections += 1
            self.number = self.server.connections

    def log_message(self, *args):
        pass

    # ---- one request

    def do_GET(self):
        target = self.path
        self.begin("://" in target)
        if self.through_proxy:
            parts = urllib.parse.urlsplit(target)
            target = parts.path + ("?" + parts.query if parts.query else "")
        try:
            if self.through_proxy and not self.proxy_allowed():
                return
            self.route(target)
            self.wfile.flush()
        except (OSError, ssl.SSLError):
            self.close_connection = True
        finally:
            self.note(target)

    do_HEAD = do_GET

    def do_CONNECT(self):
        self.begin(True)
        if self.proxy_allowed():
            self.simple_answer(502, b"no tunnels here\n")
        self.note(self.path)

    def proxy_allowed(self):
        want = self.server.options.proxy_auth
        if not want or self.basic("Proxy-Authorization") == want:
            return True
        self.simple_answer(407, b"", {"Proxy-Authenticate": 'Basic realm="proxy"'})
        return False

    def basic(self, header):
        value = self.headers.get(header, "")
        if not value.startswith("Basic "):
            return None
        try:
            return base64.b64decode(value[6:]).decode()
        except ValueError:
            return "?"

    def begin(self, through_proxy):
        self.sent, self.status, self.mode, self.through_proxy = 0, 0, "", through_proxy
        self.entry = {}
        if self.path not in ("/log", "/clear"):
            with LOCK:
                self.server.entries.append(self.entry)

    def note(self, target):
        if target in ("/log", "/clear"):
            return
        credentials = self.basic("Authorization")
        entry = {"method": self.command, "path": target, "mode": self.mode, "status": self.status,
                 "range": self.headers.get("Range"), "sent": self.sent, "host": self.headers.get("Host"),
                 "user": credentials.split(":")[0] if credentials else None,
                 "accept": self.headers.get("Accept"), "encoding": self.headers.get("Accept-Encoding"),
                 "agent": self.headers.get("User-Agent"), "connection": self.number,
                 "proxy": self.through_proxy}
        with LOCK:
            self.entry.update(entry)
            if self.server.options.log:
                with open(self.server.options.log, "a", encoding="utf-8") as f:
                    f.write(json.dumps(entry) + "\n")

    def log_text(self):
        """In the order of arrival; an answer that is still going on gets two seconds."""
        for _ in range(200):
            with LOCK:
                if all(self.server.entries):
                    break
            time.sleep(0.01)
        with LOCK:
            return "".join(json.dumps(e) + "\n" for e in self.server.entries if e)

    # ---- answers

    def head(self, status, headers):
        self.status = status
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.end_headers()

    def body(self, data):
        if self.command != "HEAD":
            self.wfile.write(data)
            self.sent += len(data)

    def simple_answer(self, status, data, headers=None):
        self.head(status, {"Content-Type": "text/plain", **(headers or {}), "Content-Length": len(data)})
        self.body(data)

    def hang_up(self, reset=False):
        self.wfile.flush()
        self.close_connection = True
        if reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()

    def own_url(self, path, other_name=False):
        scheme = "https" if self.server.options.tls else "http"
        host = self.headers.get("Host", "127.0.0.1")
        name, _, port = host.partition(":")
        if other_name:
            name = "127.0.0.1" if name == "localhost" else "localhost"
        return f"{scheme}://{name}:{port or self.server.server_address[1]}{path}"

    # ---- routes

    def route(self, target):
        path = target.split("?")[0]
        if path == "/log":
            self.simple_answer(200, self.log_text().encode(), {"Connection": "close"})
        elif path == "/clear":
            with LOCK:
                self.server.entries.clear()
                self.server.counts.clear()
            self.simple_answer(200, b"", {"Connection": "close"})
        elif self.server.options.simple and re.match(r"/simple(\+[^/]*)?(/|$)", urllib.parse.unquote(path)):
            self.index(urllib.parse.unquote(path))
        else:
            self.serve(path.lstrip("/"), target)

    def serve(self, path, target):
        """Takes modes off the front of the path until a file is left."""
        first, _, rest = path.partition("/")
        name, limit = self.split_limit(first)
        if name not in ARGS:
            self.send_file(path, "file", [])
            return
        arguments = []
        for _ in range(ARGS[name]):
            value, _, rest = rest.partition("/")
            value, other = self.split_limit(value)
            limit = other or limit
            arguments.append(urllib.parse.unquote(value))
        if limit and self.server.count((target, name)) > limit:
            self.serve(rest, target)
            return
        self.mode = name
        special = getattr(self, "mode_" + name.replace("-", "_"), None)
        if special:
            special(rest, target, *arguments)
        else:
            self.send_file(rest, name, arguments)

    @staticmethod
    def split_limit(word):
        found = re.fullmatch(r"(.*?)x(\d+)", word)
        return (found[1], int(found[2])) if found else (word, 0)

    def mode_close(self, rest, target):
        self.hang_up()

    def mode_empty(self, rest, target):
        self.simple_answer(200, b"", {"Content-Type": "application/octet-stream"})

    def mode_html(self, rest, target):
        self.simple_answer(200, PAGE, {"Content-Type": "text/html; charset=utf-8"})

    def mode_rawhtml(self, rest, target):
        self.simple_answer(200, PAGE, {"Content-Type": "application/octet-stream"})

    def mode_status(self, rest, target, code):
        self.simple_answer(int(code), b"no\n")

    def mode_retry_after(self, rest, target, value):
        if value == "date":
            value = email.utils.formatdate(time.time() + 30, usegmt=True)
        self.simple_answer(503, b"later\n", {"Retry-After": value})

    def mode_auth(self, rest, target, want):
        if self.basic("Authorization") == want:
            self.serve(rest, target)
        else:
            self.simple_answer(401, b"who?\n", {"WWW-Authenticate": 'Basic realm="test"'})

    def mode_redirect(self, rest, target, kind):
        word, _, value = kind.partition(":")
        if word == "hops":
            left = int(value)
            to = self.own_url(f"/redirect/hops:{left - 1}/{rest}" if left > 1 else f"/{rest}")
        else:
            to = {"loop": lambda: self.own_url(self.path),
                  "pair": lambda: self.own_url(f"/redirect/riap/{rest}"),
                  "riap": lambda: self.own_url(f"/redirect/pair/{rest}"),
                  "scheme": lambda: "file:///etc/passwd",
                  "ftp": lambda: "ftp://127.0.0.1/x",
                  "none": lambda: None,
                  "relative": lambda: "../" * (2 + rest.count("/")) + rest,
                  "blank": lambda: f"/{rest}?a b",
                  "host": lambda: self.own_url(f"/{rest}", True),
                  "login": lambda: self.own_url(f"/{rest}").replace("://", "://user:secret@"),
                  "to": lambda: f"{value}/{rest}"}[word]()
        self.simple_answer(302, b"over there\n", {"Location": to} if to else {})

    # ---- files

    def find(self, rest):
        options = self.server.options
        base, rest = options.root, urllib.parse.unquote(rest)
        if options.simple and rest.startswith("packages/"):
            base, rest = options.simple, rest[len("packages/"):]
        if not base or ".." in rest.split("/"):
            return None
        path = os.path.join(base, rest)
        if path.endswith("/"):
            path += "index.html"
        return path if os.path.isfile(path) else None

    def asked_range(self, size, mode):
        """The (first, last) to send, None for the whole, () for one that cannot be."""
        found = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if not found or mode in ("norange", "gzip"):
            return None
        first = int(found[1])
        last = min(int(found[2]) if found[2] else size - 1, size - 1)
        return (first, last) if first <= last and mode != "416" else ()

    def send_file(self, rest, mode, arguments):
        path = self.find(rest)
        if not path:
            self.simple_answer(404, b"no such file\n")
            return
        size = os.path.getsize(path)
        number = int(arguments[0]) if arguments and mode != "type" else 0
        wanted = self.asked_range(size, mode)
        headers = {"Content-Type": "application/octet-stream", "ETag": f'"{size:x}"',
                   "Last-Modified": email.utils.formatdate(os.path.getmtime(path), usegmt=True)}
        if mode == "type":
            headers["Content-Type"] = "/".join(arguments)
        if mode != "norange":
            headers["Accept-Ranges"] = "bytes"
        if wanted == ():
            self.simple_answer(416, b"", {"Content-Range": f"bytes */{size}"})
            return
        if mode == "always206" and not wanted:
            wanted = (0, size - 1)
        first, last = wanted or (0, size - 1)
        total = str(size)
        if wanted:
            if mode == "false206":
                first = min(first + number, last)
            elif mode == "badtotal":
                total = str(size + number)
            elif mode == "startotal":
                total = "*"
            elif mode == "partial":
                last = min(last, first + number - 1)
            if mode != "no206":
                headers["Content-Range"] = f"bytes {first}-{last}/{total}"
        with open(path, "rb") as f:
            self.send_bytes(f, first, last + 1, mode, number, 206 if wanted else 200, headers)

    def send_bytes(self, f, first, end, mode, number, status, headers):
        length = end - first
        if mode == "gzip":
            data = gzip.compress(f.read(), 1)
            self.head(status, {**headers, "Content-Encoding": "gzip", "Content-Length": len(data)})
            self.body(data)
            return
        if mode in ("chunked", "chunkcut"):
            self.head(status, {**headers, "Transfer-Encoding": "chunked"})
            self.send_chunks(f, first, min(end, max(first, number)) if mode == "chunkcut" else end,
                             mode == "chunked")
            return
        if mode in ("nolength", "nolengthcut", "endless"):
            headers["Connection"] = "close"
        else:
            headers["Content-Length"] = length + (number if mode in ("wronglen", "longer") else 0)
        self.head(status, headers)
        if self.command == "HEAD":
            return
        if mode in ("short", "reset", "stall", "nolengthcut"):
            end = min(end, max(first, number))
        elif mode == "each":
            end = min(end, first + number)
        self.copy(f, first, end, mode, number)
        if mode == "longer":
            self.body(b"\0" * number)
        while mode == "endless":
            self.body(b"\0" * 65536)
        if mode == "stall":
            self.wfile.flush()
            while self.connection.recv(1):
                pass
        if mode in ("short", "reset", "stall", "each", "nolength", "nolengthcut", "wronglen"):
            self.hang_up(mode == "reset")

    def copy(self, f, first, end, mode, number):
        if mode == "file" and not self.server.options.tls and end - first > 65536:
            self.wfile.flush()
            self.sent += self.connection.sendfile(f, first, end - first)
            return
        f.seek(first)
        at = first
        while at < end:
            block = f.read(min(max(1, number // 10) if mode == "slow" else 65536, end - at))
            if mode == "corrupt" and at <= number < at + len(block):
                block = bytearray(block)
                block[number - at] ^= 1
            self.body(block)
            at += len(block)
            if mode == "slow":
                self.wfile.flush()
                time.sleep(0.1)

    def send_chunks(self, f, first, end, whole):
        f.seek(first)
        at = first
        while at < end:
            block = f.read(min(5000, end - at))
            self.wfile.write(f"{len(block):x}\r\n".encode())
            self.body(block)
            self.wfile.write(b"\r\n")
            at += len(block)
        if whole:
            self.wfile.write(b"0\r\n\r\n")
        else:
            self.hang_up()

    # ---- package index

    def index(self, path):
        word, _, rest = path.strip("/").partition("/")
        flags = word.split("+")[1:]
        self.mode = word
        values = dict(f.partition(":")[::2] for f in flags)
        status = next((int(f) for f in flags if f.isdigit()), 0)
        if "down" in flags:
            self.hang_up()
        elif status:
            self.simple_answer(status, b"no\n")
        elif "login" in flags:
            self.mode_html(None, None)
        elif "auth" in values and self.basic("Authorization") != values["auth"]:
            self.simple_answer(401, b"who?\n", {"WWW-Authenticate": 'Basic realm="index"'})
        else:
            self.index_page(rest.strip("/"), flags, values)

    def index_page(self, project, flags, values):
        files = self.projects()
        if project and project not in files:
            self.simple_answer(404, b"no such project\n")
            return
        as_json = "html" not in flags and "application/vnd.pypi.simple.v1+json" in self.headers.get("Accept", "")
        if not project:
            page = self.root_json(files) if as_json else self.root_html(files)
        else:
            page = (self.project_json if as_json else self.project_html)(project, files[project], flags, values)
        data = page.encode()
        if "broken" in flags:
            data = data[:len(data) // 2]
        kind = "application/vnd.pypi.simple.v1+json" if as_json else "text/html; charset=utf-8"
        self.simple_answer(200, data, {"Content-Type": kind})

    def projects(self):
        found = {}
        for name in sorted(os.listdir(self.server.options.simple)):
            if name.endswith((".whl", ".tar.gz", ".zip")):
                project = name.split("-")[0] if name.endswith(".whl") else re.sub(r"-\d.*", "", name)
                found.setdefault(re.sub(r"[-_.]+", "-", project).lower(), []).append(name)
        return found

    def facts(self, name, flags):
        path = os.path.join(self.server.options.simple, name)

        def beside(kind):
            try:
                with open(f"{path}.{kind}", encoding="utf-8") as f:
                    return f.read().strip()
            except OSError:
                return None
        digest = hashlib.sha256(name.encode()).hexdigest() if "wronghash" in flags else self.server.sha256(path)
        return {"hash": None if "nohash" in flags else digest,
                "size": os.path.getsize(path) + ("wrongsize" in flags),
                "yanked": beside("yanked"), "python": beside("requires-python")}

    @staticmethod
    def file_path(name, values):
        via = "/" + values["via"].replace(":", "/") if values.get("via") else ""
        return f"{via}/packages/{urllib.parse.quote(name)}"

    def project_json(self, project, names, flags, values):
        entries = []
        for name in names:
            facts = self.facts(name, flags)
            entry = {"filename": name, "url": self.own_url(self.file_path(name, values)),
                     "hashes": {"sha256": facts["hash"]} if facts["hash"] else {},
                     "yanked": facts["yanked"] if facts["yanked"] is not None else False}
            if "nosize" not in flags:
                entry["size"] = facts["size"]
            if facts["python"]:
                entry["requires-python"] = facts["python"]
            entries.append(entry)
        versions = sorted({n.split("-")[1] for n in names if n.endswith(".whl")})
        return json.dumps({"meta": {"api-version": "2.0" if "v2" in flags else "1.1"}, "name": project,
                           "versions": versions, "files": entries})

    def project_html(self, project, names, flags, values):
        lines = []
        for name in names:
            facts = self.facts(name, flags)
            link = self.file_path(name, values)
            if "abs" in flags:
                link = self.own_url(link)
            elif "base" in flags:
                link = link.lstrip("/")
            else:
                link = "../.." + link
            link += f"#sha256={facts['hash']}" if facts["hash"] else ""
            more = ""
            if facts["yanked"] is not None:
                more += f' data-yanked="{html.escape(facts["yanked"])}"'
            if facts["python"]:
                more += f' data-requires-python="{html.escape(facts["python"])}"'
            lines.append(f'<a href="{html.escape(link)}"{more}>{html.escape(name)}</a><br/>')
        base = f'<base href="{self.own_url("/")}">' if "base" in flags else ""
        return ("<!DOCTYPE html>\n<html><head><meta name=\"pypi:repository-version\" content=\"1.1\">"
                f"{base}<title>Links for {project}</title></head><body>\n" + "\n".join(lines) +
                "\n</body></html>\n")

    @staticmethod
    def root_json(files):
        return json.dumps({"meta": {"api-version": "1.1"}, "projects": [{"name": n} for n in files]})

    @staticmethod
    def root_html(files):
        return "<!DOCTYPE html>\n<html><body>\n" + "\n".join(
            f'<a href="{n}/">{n}</a><br/>' for n in files) + "\n</body></html>\n"


def main():
    parser = argparse.ArgumentParser(description="a misbehaving HTTP server for tests")
    parser.add_argument("--root")
    parser.add_argument("--simple")
    parser.add_argument("--log")
    parser.add_argument("--bind", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--tls", nargs=2, metavar=("CERT", "KEY"))
    parser.add_argument("--proxy-auth")
    options = parser.parse_args()
    server = Server((options.bind, options.port), options)
    if options.tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*options.tls)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    print(server.server_address[1], flush=True)
    if not sys.stdin.closed and not os.isatty(0) and os.path.realpath("/proc/self/fd/0").startswith("/proc"):
        def watch():
            while os.read(0, 4096):
                pass
            os._exit(0)
        threading.Thread(target=watch, daemon=True).start()
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
