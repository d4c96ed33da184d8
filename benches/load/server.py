"""The server that all tools are measured against: one nginx worker that answers a constant."""

import os
import socket
import subprocess
import sys
import time

BODY = "0123456789abcdefghijklmnopqrstuvwx"  # 34 bytes
TICK_S = 1 / os.sysconf("SC_CLK_TCK")

CONF = """
worker_processes 1;
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log warn;
worker_rlimit_nofile {descriptors};
events {{ worker_connections {connections}; }}
http {{
    access_log off;
    keepalive_requests 100000000;
    keepalive_timeout 1h;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port} backlog=16384{how};
        {tls}
        location / {{ return 200 "{body}"; }}
    }}
}}
"""
TLS = """ssl_certificate {folder}/certificate.pem;
        ssl_certificate_key {folder}/key.pem;
        ssl_protocols TLSv1.3;"""


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Nginx:
    """Runs while the `with` block does. `url` is where; `secure` serves TLS, with HTTP/2 by ALPN."""

    def __init__(self, folder, core, secure):
        self.folder, self.core, self.secure = folder, core, secure
        self.port = free_port()
        self.url = f"{'https' if secure else 'http'}://127.0.0.1:{self.port}/"
        self.master = None
        self.worker = None

    def __enter__(self):
        if self.secure:
            self.certify()
        descriptors = min(os.sysconf("SC_OPEN_MAX"), 65_536)
        conf = CONF.format(
            folder=self.folder,
            port=self.port,
            descriptors=descriptors,
            connections=descriptors - 64,
            how=" ssl http2" if self.secure else "",
            tls=TLS.format(folder=self.folder) if self.secure else "",
            body=BODY,
        )
        path = os.path.join(self.folder, "nginx.conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(conf)
        command = ["taskset", "-c", str(self.core), "nginx", "-p", self.folder, "-c", path]
        try:
            self.master = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        except FileNotFoundError as missing:
            sys.exit(f"`{missing.filename}` is missing: apt-get install nginx util-linux")
        try:
            self.worker = self.ready()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.master.terminate()
        try:
            self.master.wait(10)
        except subprocess.TimeoutExpired:
            self.master.kill()
            self.master.wait()
        self.master.stderr.close()

    def certify(self):
        command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        command += ["-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
        command += ["-keyout", f"{self.folder}/key.pem", "-out", f"{self.folder}/certificate.pem"]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)

    def ready(self):
        """The worker's process, once it takes connections."""
        children = f"/proc/{self.master.pid}/task/{self.master.pid}/children"
        for _ in range(200):
            if self.master.poll() is not None:
                sys.exit(f"nginx did not start: {self.master.stderr.read().decode(errors='replace')}")
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                with open(children, encoding="ascii") as file:
                    pids = file.read().split()
                if pids:
                    return int(pids[0])
            except ConnectionRefusedError:
                pass
            time.sleep(0.05)
        sys.exit("nginx was not ready after 10 s")

    def cpu_s(self):
        """User and system time of the worker so far."""
        with open(f"/proc/{self.worker}/stat", encoding="ascii", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * TICK_S

    def open_descriptors(self):
        return len(os.listdir(f"/proc/{self.worker}/fd"))
