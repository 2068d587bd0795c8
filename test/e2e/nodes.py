#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Daemons of several nodes that hear each other's states through etcd. A real one, from Debian's etcd-server, on ports of this
test alone; skipped where there is none. What no real one says is said by a server of a few lines. nodes.py CASE"""

import base64
import contextlib
import http.server
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from monitor import until  # noqa: E402
from recording import SPIKE  # noqa: E402
from wire import Daemon  # noqa: E402

LEASE = 2


def free_ports(n):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(n)]
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in sockets]


def b64(text):
    return base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()


class Etcd:
    def __init__(self, scheme="http", options=()):
        program = shutil.which("etcd")
        if not program:
            print("etcd is not there (Debian: etcd-server): skipped")
            sys.exit(77)
        self.program, self.directory = program, tempfile.mkdtemp(prefix="siox-etcd.")
        port, peer = free_ports(2)
        self.url, self.peer = f"{scheme}://127.0.0.1:{port}", f"http://127.0.0.1:{peer}"
        self.options, self.tls = options, None
        self.start()

    def start(self):
        with open(os.path.join(self.directory, "log"), "a") as log:
            self.process = subprocess.Popen(
                [self.program, "--data-dir", os.path.join(self.directory, "data"), "--listen-client-urls", self.url,
                 "--advertise-client-urls", self.url, "--listen-peer-urls", self.peer, "--initial-advertise-peer-urls", self.peer,
                 "--initial-cluster", f"default={self.peer}", *self.options], stdout=log, stderr=log)
        if self.url.startswith("http:"):
            until(self.answers)

    def answers(self):
        assert self.process.poll() is None, open(os.path.join(self.directory, "log")).read()
        try:
            self.ask("kv/range", key=b64("x"))
            return True
        except OSError:
            return False

    def ask(self, path, **body):
        request = urllib.request.Request(f"{self.url}/v3/{path}", json.dumps(body).encode())
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=20) as answer:
            return json.load(answer)

    def put(self, key, value):
        return int(self.ask("kv/put", key=b64(key), value=b64(value))["header"]["revision"])

    def keys(self):
        found = self.ask("kv/range", key=b64("siox"), range_end=b64("sioy"), limit="1000").get("kvs", [])
        return {base64.b64decode(kv["key"]).decode(): base64.b64decode(kv.get("value", "")) for kv in found}

    def kill(self):
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()
        shutil.rmtree(self.directory, ignore_errors=True)


def monitor_yaml(directory, name, grows_from=None, every=0.02):
    """The metric grows from then on so often, for two minutes at least: such cycles are abnormal. None: it never does."""
    with open(os.path.join(directory, name + ".txt"), "w") as f:
        f.write("metric level - 1 gauge\nat 0 1\n")
        if grows_from is not None:
            f.writelines(f"at {grows_from + i * every:.2f} {1.1 ** (i + 1):.6g}\n" for i in range(7000))
    path = os.path.join(directory, name + ".yaml")
    with open(path, "w") as f:
        f.write(f"providers: [{{plugin: scripted, config: {{file: {name}.txt}}}}]\n"
                f"detectors: [{{plugin: {SPIKE}, config: {{metric: level, factor: 1.01}}}}]\n")
    return path


@contextlib.contextmanager
def nodes(url, grows_from=None, names=("a", "b", "c"), every=0.02, **more):
    """Daemons of these names; the first one is not as usual from then on."""
    with tempfile.TemporaryDirectory() as directory, contextlib.ExitStack() as stack:
        settings = dict(monitor_period=0.05, clock="monotonic", etcd=url, etcd_lease=LEASE)
        settings.update(more)
        yield [stack.enter_context(Daemon(node=name, monitor=monitor_yaml(directory, f"{name}{i}", None if i else grows_from, every),
                                          **settings)) for i, name in enumerate(names)]


def monitor_of(daemon):
    client = daemon.client()
    try:
        return client.ask("status")["monitor"]
    finally:
        client.close()


def hears(daemon, n):
    """Its status, once it hears so many others."""
    def look():
        m = monitor_of(daemon)
        return m["etcd"]["connected"] and m["etcd"]["heard"] == n and m["system"]["nodes"] == n + 1 and m
    return until(look)


def state_of(daemon, node):
    return next((n for n in monitor_of(daemon)["etcd"]["nodes"] if n["node"] == node), None)


def all_nodes_see_that_one_is_not_as_usual():
    with Etcd() as etcd, nodes(etcd.url, grows_from=2) as (a, b, c):
        for daemon in (a, b, c):
            hears(daemon, 2)
        for daemon in (b, c):
            m = until(lambda: (m := monitor_of(daemon))["system"]["state"] == "ABNORMAL_OTHER" and m)
            assert m["node"]["state"] == "GOOD", m
            assert {"node": "a", "state": "ABNORMAL_OTHER", "verdict": "unclear"} in m["etcd"]["nodes"], m["etcd"]
            shown = subprocess.run([os.path.join(os.environ["SIOX_BUILD"], "bin", "siox"), "disks", "--socket", daemon.socket],
                                   capture_output=True, text=True, timeout=60).stdout
            assert f"3 nodes: {m['etcd']['node']}, and 2 heard through {etcd.url}\n" in shown, shown
            assert "  node a: ABNORMAL_OTHER, unclear\n" in shown and "system: ABNORMAL_OTHER" in shown, shown
        assert monitor_of(a)["node"]["state"] == "ABNORMAL_OTHER"


def a_killed_daemon_vanishes_and_one_that_ends_does_at_once():
    with Etcd() as etcd, nodes(etcd.url, etcd_lease=6) as (a, b, c):
        for daemon in (a, b, c):
            hears(daemon, 2)
        began = time.monotonic()
        a.stop()
        hears(b, 1)
        assert time.monotonic() - began < 6, "its lease was not given back"
        assert list(etcd.keys()) == ["siox/v1/nodes/b", "siox/v1/nodes/c"]
        b.kill()
        until(lambda: list(etcd.keys()) == ["siox/v1/nodes/c"])
        hears(c, 0)
        b.wait()
        os.unlink(b.socket)
        b.start()  # with another owner, and numbers that begin anew
        hears(b, 1)
        hears(c, 1)


def a_killed_etcd_is_said_once_and_comes_back():
    with Etcd() as etcd, nodes(etcd.url, grows_from=2) as (a, b, c):
        until(lambda: hears(b, 2)["system"]["state"] == "ABNORMAL_OTHER")
        etcd.kill()
        m = until(lambda: not (m := monitor_of(b))["etcd"]["connected"] and m)
        assert m["etcd"]["why"], m
        shown = subprocess.run([os.path.join(os.environ["SIOX_BUILD"], "bin", "siox"), "disks", "--socket", b.socket],
                               capture_output=True, text=True, timeout=60).stdout
        assert f"; etcd {etcd.url}: " in shown, shown
        m = until(lambda: (m := monitor_of(b))["system"]["state"] == "GOOD" and m)  # who knows whether the others live
        assert m["system"]["nodes"] == 1 and m["etcd"]["heard"] == 0, m
        etcd.start()
        for daemon in (b, c):
            until(lambda: hears(daemon, 2)["system"]["state"] == "ABNORMAL_OTHER")
        log = b.log_text().splitlines()
        assert sum("other nodes are not heard" in line for line in log) == 1, log
        assert sum("there again, after" in line for line in log) == 1, log
        assert monitor_of(b)["etcd"]["losses"] == 1


def an_etcd_that_lost_all_is_told_all_again():
    with Etcd() as etcd, nodes(etcd.url) as (a, b, c):
        hears(b, 2)
        etcd.kill()
        shutil.rmtree(os.path.join(etcd.directory, "data"))
        etcd.start()
        until(lambda: len(etcd.keys()) == 3)
        for daemon in (a, b, c):
            hears(daemon, 2)


def a_lost_lease_is_taken_again():
    with Etcd() as etcd, nodes(etcd.url) as (a, b, c):
        hears(b, 2)
        for lease in etcd.ask("lease/leases")["leases"]:
            etcd.ask("lease/revoke", ID=lease["ID"])
        until(lambda: len(etcd.keys()) == 3 and len(etcd.ask("lease/leases")["leases"]) == 3)
        for daemon in (a, b, c):
            hears(daemon, 2)
            assert monitor_of(daemon)["etcd"]["losses"] == 0


def compaction_loses_nothing():
    with Etcd() as etcd, nodes(etcd.url, grows_from=3) as (a, b, c):
        hears(b, 2)
        for _ in range(20):
            etcd.ask("kv/compaction", revision=str(etcd.put("other", "x")))
        until(lambda: monitor_of(b)["system"]["state"] == "ABNORMAL_OTHER")
        m = hears(b, 2)
        assert m["etcd"]["losses"] == 0, m


def nonsense_of_others_is_ignored_and_counted():
    report = '{"owner":"0123456789abcdef","number":1,"state":"%s","verdict":"%s"}'
    nothing = (("siox/v1/nodes/x", "no JSON"), ("siox/v1/nodes/x", ""), ("siox/v1/nodes/x", b"\xff\x00"),
               ("siox/v1/nodes/x", "[" * 400), ("siox/v1/nodes/x", "x" * 1000000), ("siox/v1/nodes/x", report % ("BAD", "fault")),
               ("siox/v1/nodes/x", report % ("GOOD", "guilty")), ("siox/v1/nodes/x", report.replace("1,", "-1,") % ("GOOD", "fault")),
               ("siox/v1/nodes/x", (report % ("GOOD", "fault")).replace("0123456789abcdef", "me")),
               ("siox/v1/nodes/", report % ("GOOD", "fault")), ("siox/v1/nodes/a/b", report % ("GOOD", "fault")),
               ("siox/v1/nodes/\x1b[31m", report % ("GOOD", "fault")), ("siox/v1/nodes/" + "y" * 64, report % ("GOOD", "fault")),
               ("siox/v1/nodes/" + "y" * 2000, report % ("GOOD", "fault")))
    with Etcd() as etcd:
        for i in range(8):  # too much for one answer: they are listed one by one
            etcd.put(f"siox/v1/nodes/long{i}", "x" * 1400000)
        with nodes(etcd.url, names=("a", "b")) as (a, b):
            m = hears(b, 1)
            assert m["etcd"]["ignored"] == 8, m["etcd"]
            for key, value in nothing:
                etcd.put(key, value)
            etcd.put("siox/v1/nodes/good", report % ("ABNORMAL_BAD", "fault"))
            m = hears(b, 2)
            assert m["etcd"]["ignored"] == 8 + len(nothing) and m["etcd"]["losses"] == 0, m["etcd"]
            until(lambda: monitor_of(b)["system"]["bad_nodes"] == 1)
            etcd.put("siox/v1/nodes/good", "no longer")  # what it said before is not true for ever
            hears(b, 1)


def two_daemons_of_one_name_are_told_once():
    with Etcd() as etcd, nodes(etcd.url, names=("a", "a", "b")) as (one, two, b):
        for daemon in (one, two):
            until(lambda: monitor_of(daemon)["etcd"]["namesake"])
        until(lambda: state_of(b, "a"))
        writes = monitor_of(one)["etcd"]["writes"]
        until(lambda: monitor_of(one)["etcd"]["writes"] > writes + 2)
        for daemon in (one, two):
            assert daemon.log_text().count("another daemon is called a, too") == 1, daemon.log_text()
        assert not monitor_of(b)["etcd"]["namesake"]


def a_state_that_stays_is_written_rarely_and_one_that_changes_at_a_bounded_rate():
    with Etcd() as etcd:
        with nodes(etcd.url, grows_from=0.1, every=0.1, names=("flaps",)) as (daemon,):  # from one cycle to the next
            began = time.monotonic()
            m = until(lambda: (m := monitor_of(daemon))["cycles"] >= 100 and m)
            most = (time.monotonic() - began) / 0.5 + 2
            assert m["node"]["abnormal_cycles"] > 10 and 4 <= m["etcd"]["writes"] <= most, (m, most)
        with nodes(etcd.url, names=("stays",)) as (daemon,):
            began = time.monotonic()
            until(lambda: monitor_of(daemon)["etcd"]["writes"] == 3)
            assert 5.5 < time.monotonic() - began, "more than once in 3 s"


def no_etcd_at_all_keeps_nobody():
    port, = free_ports(1)
    with nodes(f"http://127.0.0.1:{port}", names=("a",), grows_from=0.5) as (daemon,):
        m = until(lambda: (m := monitor_of(daemon))["etcd"]["why"] not in ("", "not yet") and m)
        assert "onnect" in m["etcd"]["why"] and not m["etcd"]["connected"], m["etcd"]
        m = until(lambda: (m := monitor_of(daemon))["system"]["state"] == "ABNORMAL_OTHER" and m)
        assert m["system"]["nodes"] == 1, m
        requests = m["etcd"]["requests"]
        until(lambda: monitor_of(daemon)["etcd"]["requests"] >= requests + 2)
        assert daemon.log_text().count("etcd http") <= 1, daemon.log_text()  # none: it was said before there was a log
        began = time.monotonic()
        daemon.stop()
        assert time.monotonic() - began < 10, "it waited"


def the_second_server_is_taken_where_the_first_is_not_there():
    port, = free_ports(1)
    with Etcd() as etcd, nodes(f"http://127.0.0.1:{port},{etcd.url}", names=("a", "b")) as (a, b):
        hears(a, 1)
        assert hears(b, 1)["etcd"]["server"] == etcd.url


def certificates(directory):
    """Of an authority, a member on 127.0.0.1 and a daemon: ca.pem, NAME.pem and NAME.key."""
    if not shutil.which("openssl"):
        print("openssl is not there: skipped")
        sys.exit(77)

    def openssl(*words):
        subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=directory, timeout=60)

    new = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    openssl("req", "-x509", *new, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=siox test", "-days", "2")
    with open(os.path.join(directory, "ext"), "w") as f:
        f.write("subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n")
    for name in ("member", "daemon"):
        openssl("req", *new, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/O={name}")
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out", f"{name}.pem",
                "-days", "2", "-extfile", "ext")


def members_and_daemons_show_each_other_certificates():
    with tempfile.TemporaryDirectory() as directory:
        certificates(directory)
        at = {name: os.path.join(directory, name) for name in ("ca.pem", "member.pem", "member.key", "daemon.pem", "daemon.key")}
        with Etcd("https", ("--cert-file", at["member.pem"], "--key-file", at["member.key"], "--trusted-ca-file", at["ca.pem"],
                            "--client-cert-auth")) as etcd:
            whole = dict(etcd_ca=at["ca.pem"], etcd_cert=at["daemon.pem"], etcd_key=at["daemon.key"])
            with nodes(etcd.url, names=("a", "b"), **whole) as (a, b):
                hears(a, 1)
                hears(b, 1)
            for settings in (dict(etcd_ca=at["ca.pem"]), {}):  # no certificate; whose signature nobody knows
                with nodes(etcd.url, names=("a",), **settings) as (a,):
                    m = until(lambda: (m := monitor_of(a))["etcd"]["why"] not in ("", "not yet") and m)
                    assert not m["etcd"]["connected"] and "SSL" in m["etcd"]["why"], m["etcd"]


class Liar(http.server.BaseHTTPRequestHandler):
    """What answers(path, body) says; a generator says it line by line."""
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(self.path)
        answer = self.server.answers(self.path, body)
        self.close_connection = True
        self.send_response(200)
        self.end_headers()
        with contextlib.suppress(OSError):
            for line in [answer] if isinstance(answer, bytes) else answer:
                self.wfile.write(line)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def liar(answers):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Liar)
    server.daemon_threads = True
    server.answers, server.asked, server.url = answers, [], f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def as_etcd(path, revision=1):
    header = {"header": {"revision": str(revision)}}
    if path.endswith("grant"):
        return json.dumps({**header, "ID": "77", "TTL": "2"}).encode()
    if path.endswith("keepalive"):
        return json.dumps({"result": {**header, "ID": "77", "TTL": "2"}}).encode()
    return json.dumps(header).encode()


def line(**result):
    return json.dumps({"result": {"header": {"revision": "1"}, **result}}).encode() + b"\n"


def what_no_etcd_says_ends_nothing():
    done = threading.Event()

    def forever(*pieces):
        yield from pieces
        done.wait()

    def endless():
        while not done.is_set():
            yield b"x" * 65536

    cases = (("is not etcd", lambda path, body: b"<html>"),
             ("is not etcd", lambda path, body: b'{"header": 3}'),
             ("is not etcd", lambda path, body: b"[" * 100000),
             ("is not etcd", lambda path, body: b'{"header": {"revision": "99999999999999999999"}, "ID": "1"}'),
             ("without a number", lambda path, body: b'{"header": {"revision": "1"}, "ID": "-1"}'),
             ("it says ?[31m", lambda path, body: b'{"error": "it says \\u001b[31m", "code": 3}'),
             ("longer than", lambda path, body: endless()),
             ("timed out", lambda path, body: forever()),
             ("no end", lambda path, body: b'{"header": {"revision": "1"}, "more": true}' if path.endswith("range") else as_etcd(path)),
             ("no next one", lambda path, body: as_etcd(path, 2**63 - 1 if path.endswith("range") else 1)),
             ("the watch", lambda path, body: b"" if path.endswith("watch") else as_etcd(path)),
             ("no JSON of etcd", lambda path, body: b"no\n" if path.endswith("watch") else as_etcd(path)),
             ("longer than", lambda path, body: endless() if path.endswith("watch") else as_etcd(path)),
             ("no answer to a watch", lambda path, body: forever() if path.endswith("watch") else as_etcd(path)),
             ("nothing of what was put", lambda path, body: forever(line(created=True)) if path.endswith("watch")
              else as_etcd(path, 5 if path.endswith("put") else 1)),
             ("ended by the server", lambda path, body: forever(line(created=True), line(canceled=True))
              if path.endswith("watch") else as_etcd(path)),
             ("compacted before", lambda path, body: forever(line(created=True), line(canceled=True, compact_revision="5"))
              if path.endswith("watch") else as_etcd(path)),
             ("as soon as", lambda path, body: b'{"error": "etcdserver: requested lease not found", "code": 5}'
              if path.endswith("put") else forever(line(created=True)) if path.endswith("watch") else as_etcd(path)))
    try:
        with contextlib.ExitStack() as stack:
            at = [(says, server := stack.enter_context(liar(answers)), *stack.enter_context(nodes(server.url, names=("a",))))
                  for says, answers in cases]
            for says, server, daemon in at:
                until(lambda: says in monitor_of(daemon)["etcd"]["why"] or says in daemon.log_text(), 40)
                m = monitor_of(daemon)
                assert m["etcd"]["heard"] == 0, m
                until(lambda: monitor_of(daemon)["cycles"] > m["cycles"] + 2)
            for says, server, daemon in at:  # each tries at most twice a second at first, then less often
                assert len(server.asked) < 200, (says, len(server.asked))
                with open(f"/proc/{daemon.pid}/status") as f:
                    kib = {text.split(":")[0]: int(text.split()[1]) for text in f if text.startswith("Vm")}
                sanitizer = kib["VmPeak"] > 1 << 30  # which reserves more than a TiB
                assert sanitizer or kib["VmHWM"] < 64 * 1024, (says, kib)
    finally:
        done.set()


def a_compacted_watch_lists_again():
    """The first watch is told that its revision is gone; the list that follows has a node more."""
    done = threading.Event()
    lists = []
    value = b64('{"owner":"0123456789abcdef","number":1,"state":"ABNORMAL_BAD","verdict":"fault"}')

    def answers(path, body):
        if path.endswith("range"):
            lists.append(body)
            kvs = [{"key": b64(f"siox/v1/nodes/n{i}"), "value": value, "mod_revision": "1"} for i in range(len(lists))]
            return json.dumps({"header": {"revision": str(len(lists))}, "kvs": kvs}).encode()
        if not path.endswith("watch"):
            return as_etcd(path)
        assert body["create_request"]["start_revision"] == str(len(lists) + 1), body

        def stream():
            yield line(created=True)
            if len(lists) == 1:
                yield line(canceled=True, compact_revision="9")
            done.wait()
        return stream()

    try:
        with liar(answers) as server, nodes(server.url, names=("a",)) as (daemon,):
            m = hears(daemon, 2)
            assert m["etcd"]["losses"] == 0 and m["etcd"]["lists"] == 2 and m["system"]["bad_nodes"] == 2, m
    finally:
        done.set()


def what_is_wrong_in_the_settings_ends_the_daemon_with_its_place():
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "siox.yaml")
        for text, says in (("etcd: localhost:2379", "2: etcd: number 1 is not http://HOST:PORT"),
                           ("etcd: ['http://a:1', 'ftp://a']", "2: etcd: number 2 is not"),
                           ("etcd: http://root:secret@a:1", "2: etcd: number 1 is not"),
                           ("etcd: http://a:1/x", "2: etcd: number 1 is not"),
                           ("etcd: http://a:65536", "2: etcd: number 1 is not"),
                           ("etcd: http://a:1\nnode: a b", '3: node: "a b" is not a name of at most 63'),
                           (f"etcd: http://a:1\nnode: {'x' * 64}", "3: node:"),
                           ("etcd: http://a:1\netcd_prefix: a/b", "3: etcd_prefix:"),
                           ("etcd: http://a:1\netcd_prefix: ''", "3: etcd_prefix: must not be empty"),
                           ("etcd: http://a:1\netcd_lease: 1", "3: etcd_lease: seconds from 2 to 600"),
                           ("etcd: http://a:1\netcd_ca: ca.pem", "3: etcd_ca: no server of `etcd` is https://"),
                           ("etcd: https://a:1\netcd_ca: nowhere.pem", "nowhere.pem: No such file"),
                           ("etcd: https://a:1\netcd_cert: siox.yaml", "3: etcd_cert: a certificate and its key go together"),
                           ("etcd: http://a:1\nmonitor_period: -1", "2: etcd: nothing is measured")):
            with open(path, "w") as f:
                f.write(f"socket: sock\n{text}\n")
            done = subprocess.run([os.path.join(os.environ["SIOX_BUILD"], "bin", "sioxd"), "--config", path],
                                  capture_output=True, text=True, timeout=60)
            assert done.returncode and says in done.stderr and "secret" not in done.stderr, (text, done)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
