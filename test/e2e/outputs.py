#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What siox writes, and what it must not: one function, one condition. Usage: outputs.py NAME"""

import os
import resource
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import wire  # noqa: E402

SIOX = os.path.join(os.environ["SIOX_BUILD"], "bin", "siox")
SCENARIO = "disks: 2\njobs:\n- generate: {phases: 2, gap: 20, burst: 1M}\n"
CSV = "rank,file,op,offset,bytes,start,end\n0,/a,write,0,1024,0,1\n"


class Place:
    """A directory with some files, in which siox runs."""

    def __init__(self, **files):
        self.temporary = tempfile.TemporaryDirectory(prefix="siox-test.")
        self.path = self.temporary.name
        for name, text in files.items():
            self.write(name.replace("_", "."), text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.temporary.cleanup()

    def at(self, name):
        return os.path.join(self.path, name)

    def write(self, name, text):
        with open(self.at(name), "w") as f:
            f.write(text)

    def read(self, name):
        with open(self.at(name), "rb") as f:
            return f.read()

    def siox(self, *words, status, **more):
        env = {k: v for k, v in os.environ.items() if not k.startswith("SIOX_") or k == "SIOX_BUILD"}
        env["SIOX_SOCKET"] = self.at("no.sock")
        done = subprocess.run([SIOX, *words], cwd=self.path, env=env, capture_output=True, text=True, timeout=60, **more)
        assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
        return done.stderr

    def refused(self, name, *words):
        """The command says what is wrong and leaves the file as it is."""
        before = self.read(name)
        error = self.siox(*words, status=2)
        assert name in error, error
        assert self.read(name) == before, f"{name} was written: {words}"


def record(place, **settings):
    with wire.Daemon(disks=2, record=place.at("run.siox"), **settings) as daemon:
        client = daemon.client().join()
        number, _ = client.open(daemon.file("a", 1 << 20), "0:2:64K")
        client.io(number, 0, 1 << 20, 20 * wire.SECOND)
        client.close()
        daemon.stop()


def a_picture_does_not_take_the_place_of_the_scenario():
    with Place(s_yaml=SCENARIO) as place:
        place.refused("s.yaml", "sim", "s.yaml", "--plot", "s.yaml")
        place.refused("s.yaml", "sim", "s.yaml", "--timeline", "./s.yaml")
        os.link(place.at("s.yaml"), place.at("other"))
        place.refused("other", "sim", "s.yaml", "--plot", "other")


def a_picture_does_not_take_the_place_of_a_trace():
    with Place(s_yaml="jobs: [{trace: run.siox}]\n") as place:
        record(place)
        place.refused("run.siox", "sim", "s.yaml", "--plot", "run.siox")
        place.refused("run.siox", "sim", "s.yaml", "--timeline", "run.siox")
        place.refused("run.siox", "timeline", "run.siox", "--svg", "run.siox")


def a_picture_does_not_take_the_place_of_a_drive():
    with open(os.path.join(os.environ["SIOX_SOURCE"], "share", "drives", "36Z15.yaml")) as f:
        drive = f.read()
    with Place(d_yaml=drive, s_yaml="drive: ./d.yaml\n" + SCENARIO) as place:
        place.refused("d.yaml", "sim", "s.yaml", "--plot", "d.yaml")


def two_pictures_are_two_files():
    with Place(s_yaml=SCENARIO) as place:
        assert "one file" in place.siox("sim", "s.yaml", "--plot", "p.svg", "--timeline", "p.svg", status=2)


def layouts_do_not_take_the_place_of_what_they_are_about():
    with Place(data="content", targets="0 1\n", siox_yaml="disks: 4\n") as place:
        place.refused("data", "layout", "data", "-o", "data")
        place.refused("targets", "layout", "data", "--targets", "targets", "-o", "targets")
        place.refused("siox.yaml", "layout", "data", "--config", "siox.yaml", "-o", "siox.yaml")


def found_layouts_do_not_take_the_place_of_the_scenario():
    with Place(s_yaml=SCENARIO) as place:
        place.refused("s.yaml", "layout", "optimise", "s.yaml", "-o", "s.yaml")
        place.refused("s.yaml", "layout", "optimise", "s.yaml", "--romio-hints", "s.yaml")


def a_trace_does_not_take_the_place_of_the_text_it_is_made_of():
    with Place(t_csv=CSV) as place:
        place.refused("t.csv", "sim", "import", "t.csv", "t.csv")


def a_sweep_does_not_take_the_place_of_what_it_reads():
    for output in ("s.yaml", "w.yaml"):
        sweep = f"scenario: s.yaml\noutput: {output}\nvary:\n- {{key: disks, values: [2, 4]}}\n"
        with Place(s_yaml=SCENARIO, w_yaml=sweep) as place:
            place.refused(output, "sim", "--sweep", "w.yaml")


def a_map_does_not_take_the_place_of_anything_else():
    with Place(s_yaml=SCENARIO) as place:
        place.refused("s.yaml", "sim", "--map", "s.yaml", "--points", "busy=10 gap=5 jobs=1")


def a_record_does_not_take_the_place_of_the_configuration():
    with Place() as place:
        settings = f"socket: {place.at('sock')}\ndisks: 2\nmount: {place.path}\n"
        place.write("c.yaml", settings)
        sioxd = os.path.join(os.environ["SIOX_BUILD"], "bin", "sioxd")
        for name in ("c.yaml", "l.yaml"):
            place.write("l.yaml", "- {file: '*', layout: '0:2:64K'}\n")
            done = subprocess.run([sioxd, "--config", place.at("c.yaml"), "--set", f"layouts={place.at('l.yaml')}",
                                   "--set", f"record={place.at(name)}"], capture_output=True, text=True, timeout=20)
            assert done.returncode and f"record: {place.at(name)}" in done.stderr, done
        assert place.read("c.yaml").decode() == settings


def a_report_does_not_take_the_place_of_what_a_run_reads():
    with Place() as place:
        place.write("c.yaml", f"socket: {place.at('sock')}\ndisks: 2\n")
        place.refused("c.yaml", "run", "-c", "c.yaml", "--json=c.yaml", "--", "true")
        assert "r.siox is the trace, too" in place.siox("run", "--record", "r.siox", "--json=r.siox", "--", "true", status=2)


def an_output_that_has_no_place_is_refused_before_anything_runs():
    with Place(s_yaml=SCENARIO) as place:
        os.mkdir(place.at("d"))
        for words in (("--plot", "no/such/p.svg"), ("--timeline", ""), ("--plot", "d")):
            error = place.siox("sim", "s.yaml", *words, status=2)
            assert "cannot be written" in error, error
        error = place.siox("sim", "--map", "m.csv", "--points", "busy=10 gap=5 jobs=1", "--report", "no/r.md", status=2)
        assert "no/r.md: cannot be written" in error and not os.path.exists(place.at("m.csv.d")), error


def limited():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # as on a full disk, a write fails
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))


def what_cannot_be_written_whole_leaves_what_was_there():
    with Place(s_yaml=SCENARIO, t_csv=CSV, data="content", old="what was there") as place:
        for words in (("sim", "s.yaml", "--plot", "old"), ("sim", "s.yaml", "--timeline", "old"),
                      ("sim", "import", "t.csv", "old")):
            error = place.siox(*words, status=1, preexec_fn=limited)
            assert "old: cannot be written: File too large" in error, error
            assert place.read("old") == b"what was there", words
            assert sorted(os.listdir(place.path)) == ["data", "old", "s.yaml", "t.csv"], os.listdir(place.path)


def a_signal_leaves_nothing_half_written():
    rows = "".join(f"{i % 50},/a,read,{i * 4096},4096,{i},{i + 1}\n" for i in range(200000))
    with Place(t_csv="rank,file,op,offset,bytes,start,end\n" + rows, o_siox="what was there") as place:
        for number in (signal.SIGINT, signal.SIGTERM):
            with subprocess.Popen([SIOX, "sim", "import", "t.csv", "o.siox"], cwd=place.path) as siox:
                while len(os.listdir(place.path)) == 2 and siox.poll() is None:
                    pass  # until the trace is begun
                siox.send_signal(number)
            if siox.returncode == 0:
                continue  # it was faster
            assert siox.returncode == -number, siox.returncode
            assert sorted(os.listdir(place.path)) == ["o.siox", "t.csv"], os.listdir(place.path)
            assert place.read("o.siox") == b"what was there"


def what_a_killed_rank_left_goes_with_the_next_run():
    sweep = "scenario: s.yaml\noutput: w.csv\nvary:\n- {key: disks, values: [2, 4]}\n"
    with Place(s_yaml=SCENARIO, w_yaml=sweep) as place:
        os.mkdir(place.at("w.csv.d"))
        for name in ("00000001.csv.Ab3dEf", "00000001.csv.new", "notes"):
            place.write(f"w.csv.d/{name}", "half")
            os.utime(place.at(f"w.csv.d/{name}"), (1, 1))
        place.write("w.csv.d/00000000.csv.Zb3dEf", "of another rank, now")
        place.siox("sim", "--sweep", "w.yaml", status=0)
        assert sorted(os.listdir(place.at("w.csv.d"))) == ["00000000.csv", "00000000.csv.Zb3dEf", "00000001.csv",
                                                           "00000001.csv.new", "notes"]


def a_link_to_an_output_stays_one():
    with Place(s_yaml=SCENARIO, real="old") as place:
        os.symlink("real", place.at("p.svg"))
        place.siox("sim", "s.yaml", "--plot", "p.svg", status=0)
        assert os.readlink(place.at("p.svg")) == "real" and b"</svg>" in place.read("real")


def what_is_no_text_is_refused_at_its_first_line():
    with Place(data="content") as place:
        for words in (("layout", "data", "--targets", "/dev/zero"), ("sim", "import", "/dev/zero", "o.siox"),
                      ("sim", "import", "--format", "csv", "/dev/zero", "o.siox"), ("sim", "--map", "/dev/zero", "--read")):
            done = subprocess.run([SIOX, *words], cwd=place.path, capture_output=True, text=True, timeout=60)
            assert done.returncode in (1, 2) and "/dev/zero:1: a zero byte" in done.stderr, done


def a_line_that_never_ends_is_refused():
    with Place(long="0 " * (1 << 20), data="content") as place:
        for words in (("layout", "data", "--targets", "long"), ("sim", "import", "long", "o.siox")):
            done = subprocess.run([SIOX, *words], cwd=place.path, capture_output=True, text=True, timeout=60)
            assert done.returncode in (1, 2) and "long:1: longer than a line may be" in done.stderr, done


if __name__ == "__main__":
    globals()[sys.argv[1]]()
