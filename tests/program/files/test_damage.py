#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Damaged files and unusual surroundings: no crash, no endless wait, and no number that is not in the file.

usage: test_damage.py POLHODE PYTHON_DIR CRASH_IN_HDF5
"""
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import unittest
import warnings

import h5py
import numpy as np

from calling import FOLDER, POLHODE, call, path, run
from small_fluid import FLUID

PYTHON_DIR, CRASH = sys.argv.pop(1), os.path.abspath(sys.argv.pop(1))
sys.path.insert(0, PYTHON_DIR)
import polhode
from polhode.report.facts import notes_of
from polhode.seal import read_tail

POSITION = "particles/trajectory/position/value"
with open(POLHODE, "rb") as program:
    SANITIZED = b"__asan_init" in program.read()  # needs terabytes of addresses, and larger stacks


def copy(name, checkpoint=False, sealed=False):
    """A copy of the good run under this name, with its checkpoint or its seal if wanted"""
    shutil.copy(GOOD, path(name))
    if not sealed:
        with h5py.File(path(name), "r+"):
            pass  # HDF5 cuts off what it does not know
    if checkpoint:
        shutil.copy(GOOD + ".checkpoint", path(name) + ".checkpoint")
    return path(name)


def patch(name, at, new):
    with open(name, "r+b") as file:
        file.seek(at)
        file.write(new)


with open(path("input.yaml"), "w") as out:
    out.write(FLUID + "dynamics: {scheme: verlet, step: 0.002, steps: 20}\n"
              "output: {frames_every: 5, series_every: 5, checkpoint_every: 10}\n")
GOOD = run("good.h5md")


class Surroundings(unittest.TestCase):
    def test_closed_standard_descriptors_leave_the_trajectory_alone(self):
        for closed in ("2>&-", "<&-", "<&- 2>&-", "<&- >&- 2>&-"):
            name = path("closed.h5md")
            words = f"'{POLHODE}' run '{path('input.yaml')}' -o '{name}' --overwrite --threads 1 --set dynamics.equilibrate.steps=10"
            done = subprocess.run(["sh", "-c", f"{words} {closed}"], stdout=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 4 if ">&- 2" in closed else 0, closed)
            with h5py.File(name) as file:
                self.assertEqual(len(file[POSITION]), 7, closed)

    def test_a_limit_on_the_size_of_files_is_an_error(self):
        name = path("limited.csv")
        _, text = call("export", GOOD, "--format", "csv", "-o", name, status=4,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))
        self.assertIn("limited.csv: cannot be written: File too large", text)
        self.assertFalse(os.path.exists(name) or os.path.exists(name + ".new"))

    @unittest.skipIf(SANITIZED, "stacks are larger")
    def test_threads_and_their_stacks_are_checked(self):
        words = ("energy", path("input.yaml"))
        many = {**os.environ, "OMP_NUM_THREADS": "100000"}
        self.assertIn("OMP_NUM_THREADS is 100000: a number from 1 to 1024", call(*words, status=2, env=many)[1])
        small, hard = 100 << 10, resource.getrlimit(resource.RLIMIT_STACK)[1]
        few = {**os.environ, "OMP_NUM_THREADS": "2"}
        for policy in ({}, {"OMP_WAIT_POLICY": "passive"}):
            call(*words, env={**few, **policy}, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (small, hard)))
        _, text = call(*words, status=2, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (small, small)))
        self.assertIn("Stacks are limited to 100 KB", text)
        large = {**os.environ, "OMP_NUM_THREADS": "64", "OMP_STACKSIZE": "64M"}
        call(*words, "--set", "system.molecules[0].count=2000", status=5, env=large,
             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)))

    @unittest.skipIf(SANITIZED, "needs terabytes of addresses")
    def test_memory_that_hdf5_lacks_is_no_damage(self):
        """A small frame in a chunk of 24 MB, for which HDF5 asks"""
        name, n = path("large.h5md"), 1000
        with h5py.File(name, "w") as file:
            file.create_group("h5md").attrs["version"] = [1, 1]
            group = file.create_group("particles/all")
            group.create_group("box").attrs["boundary"] = np.bytes_(["none"] * 3)
            group.create_dataset("position/value", (1, n, 3), "f8", chunks=(1, 10**6, 3), maxshape=(None, None, 3), compression="gzip")
            group["position/value"][0, 0] = 1.0
            group["position/step"] = [0]

        def export(megabytes, file, *words):
            limit = (megabytes << 20, megabytes << 20)
            done = subprocess.run([POLHODE, "export", file, *words, "-o", os.devnull], capture_output=True, text=True,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit))
            return done.returncode, done.stderr

        low, high = 8, 2048
        while high - low > 2:  # what the program needs with a small file
            middle = (low + high) // 2
            low, high = (low, middle) if export(middle, GOOD, "--format", "csv", "--overwrite")[0] == 0 else (middle, high)
        ends = [export(high + more, name, "--format", "dcd", "--overwrite") for more in (4, 12, 80)]
        self.assertEqual([status for status, _ in ends], [5, 5, 0], ends)
        self.assertIn("there is no memory", ends[0][1])

    def test_brackets_within_each_other_are_limited(self):
        with open(path("deep.yaml"), "w") as file:
            file.write("title: " + 100000 * "[" + "\n")
        _, text = call("check", path("deep.yaml"), status=2, timeout=60)
        self.assertIn("deep.yaml: more than 1000 brackets within each other", text)
        _, text = call("check", path("input.yaml"), "--set", "title=" + 30000 * "{", status=2, timeout=60)
        self.assertIn("more than 1000 brackets", text)

    def test_names_may_begin_with_a_dash(self):
        shutil.copy(GOOD, path("-x.h5md"))
        with open(path("script.py"), "w") as file:
            file.write("import sys; print(sys.argv[1:])")
        out, _ = call("report", "--", "-x.h5md", cwd=FOLDER.name, env={**os.environ, "POLHODE_REPORT": path("script.py"),
                                                                       "POLHODE_PYTHON": sys.executable})
        self.assertEqual(out.strip(), "['./-x.h5md', '-o', './-x.html']")

    def test_pipes_in_the_place_of_files_are_refused(self):
        os.mkfifo(path("pipe.h5md"))
        for words in (("info",), ("analyze", "energy"), ("export", "--format", "csv", "-o", "-"), ("report",)):
            self.assertIn("pipe.h5md: is not an HDF5 file", call(*words, path("pipe.h5md"), status=2, timeout=60)[1])
        self.assertRaises(polhode.TrajectoryError, polhode.open, path("pipe.h5md"))
        name = copy("piped.h5md")
        os.mkfifo(name + ".checkpoint")
        self.assertIn("piped.h5md.checkpoint: cannot be used", call("resume", name, status=4, timeout=60)[1])
        self.assertIn("piped.h5md.checkpoint: cannot be used", call("info", name, timeout=60)[0])

    def test_the_program_is_hardened(self):
        """Libraries are not looked for in the working folder, what was linked cannot be overwritten, and where the program is
        optimised, what reads files checks its stack and its copies."""
        words = {"env": {**os.environ, "LC_ALL": "C"}, "stdout": subprocess.PIPE, "text": True, "check": True}
        dynamic = subprocess.run(["readelf", "-dW", POLHODE], **words).stdout
        for found in re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", dynamic):
            for folder in found.split(":"):
                self.assertTrue(folder.startswith(("/", "$ORIGIN")), found)
        self.assertRegex(dynamic, r"BIND_NOW|FLAGS_1.*\bNOW\b")
        self.assertIn("GNU_RELRO", subprocess.run(["readelf", "-lW", POLHODE], **words).stdout)
        if "-DNDEBUG" in call("version")[0]:
            symbols = subprocess.run(["readelf", "--dyn-syms", "-W", POLHODE], **words).stdout
            self.assertRegex(symbols, r"__stack_chk_fail\b")
            self.assertRegex(symbols, r"__v?snprintf_chk\b")


class Checksums(unittest.TestCase):
    def test_flipped_bits_in_numbers_of_frames_are_found(self):
        for kind in ("0", "1"):  # compressed frames have the checksum of deflate
            whole = run("whole.h5md", "--set", f"output.compression={kind}")
            with h5py.File(whole) as file:
                chunk = file[POSITION].id.get_chunk_info(2)
            for at in (0, 100, chunk.size - 1):
                name = path("flipped.h5md")
                shutil.copy(whole, name)
                with open(name, "rb") as file:
                    file.seek(chunk.byte_offset + at)
                    byte = file.read(1)[0]
                patch(name, chunk.byte_offset + at, bytes([byte ^ 16]))
                _, text = call("export", name, "--format", "extxyz", "-o", "-", status=4)
                self.assertIn("particles/trajectory/position cannot be read", text)
                call("export", name, "--format", "extxyz", "--frames", "0:2", "-o", "-")
                with polhode.open(name) as damaged:
                    self.assertEqual(damaged.frames[1].step, 5)
                    self.assertRaises(OSError, lambda: damaged.frames[2].centres)


class Lengths(unittest.TestCase):
    """Of a run of 20 steps whose last checkpoint is that of step 10"""

    def test_more_steps_count_from_the_planned_end(self):
        for words, end in ((("--steps", "5"), 25), (("--until", "15"), 15), (("--until", "5"), 10), ((), 20)):
            name = copy("longer.h5md")
            shutil.copy(GOOD + ".checkpoint.1", name + ".checkpoint")
            _, text = call("resume", name, *words)
            self.assertIn("All 10 steps are done" if end == 10 else f"Continues from step 10 to step {end}.", text)
            with polhode.open(name) as run:
                self.assertEqual((run.frames[-1].step, run.progress.end), (end, end if end != 10 else 20))
        call("resume", name, "--until", "3", "--steps", "3", status=2)


class Indices(unittest.TestCase):
    def move(self, name, data, distance):
        """Moves the address of the last chunk of a data set."""
        with h5py.File(name) as file:
            chunks = file[data].id
            address = chunks.get_chunk_info(chunks.get_num_chunks() - 1).byte_offset
        with open(name, "rb") as file:
            whole = file.read()
        known = address.to_bytes(8, "little")
        self.assertEqual(whole.count(known), 1)
        patch(name, whole.index(known), (address + distance).to_bytes(8, "little"))

    def refused(self, name, readers=("export", "info", "start", "resume", "python"), data=POSITION):
        """Every reader says that something is wrong: no crash, no number. Memory and time are limited."""
        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
            if not SANITIZED:
                resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))

        words = {
            "export": ("export", name, "--format", "extxyz", "-o", "-"),
            "csv": ("export", name, "--format", "csv", "-o", "-"),
            "analyze": ("analyze", "energy", name),
            "info": ("info", name),
            "start": ("energy", path("input.yaml"), "--set", f"system.start={{file: {name}}}", "--set", "system.box={kind: periodic}"),
            "resume": ("resume", name, "--steps", "10", "--quiet"),
        }
        for reader in readers:
            if reader == "python":
                with self.assertRaises((OSError, polhode.TrajectoryError)), polhode.open(name) as run:
                    _ = run.frames[-1].centres, [series.value for series in run.series.values()]
                continue
            done = subprocess.run([POLHODE, *words[reader]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  preexec_fn=limit)
            self.assertIn(done.returncode, (2, 4), (reader, done.stderr))
            self.assertIn(os.path.basename(name), done.stderr, reader)
            self.assertNotIn("crashed", done.stderr, reader)

    def test_good_files_are_read(self):
        call("energy", path("input.yaml"), "--set", f"system.start={{file: {GOOD}}}", "--set", "system.box={kind: periodic}")
        call("resume", copy("resumed.h5md", checkpoint=True), "--steps", "10", "--quiet")

    def test_extents_beyond_the_file_are_damage(self):
        for data, readers in ((POSITION, ("export", "info", "start", "resume", "python")),
                              ("series/total_energy/value", ("csv", "analyze", "info", "resume", "python")),
                              ("series/total_energy/step", ("csv", "analyze", "info", "resume", "python"))):
            name = copy("long.h5md", checkpoint=True)
            with h5py.File(name, "r+") as file:
                file[data].resize(2**40, axis=0)
            self.refused(name, readers)

    def test_types_of_no_processor_are_damage(self):
        double = bytes.fromhex("11203f000800000000004000340b0034ff030000")
        with h5py.File(GOOD) as file, open(GOOD, "rb") as whole:
            begin = h5py.h5o.get_info(file[POSITION].id).addr
            at = begin + whole.read()[begin:].index(double)
        for byte, wrong in ((10, 0xF0), (12, 0x30), (13, 0xFF), (14, 0xF0), (15, 0xB4), (16, 0xFE)):
            name = copy("type.h5md", checkpoint=True)
            patch(name, at + byte, bytes([wrong]))
            self.refused(name)

    def test_addresses_beyond_the_end_are_damage_not_zeros(self):
        for data, words in ((POSITION, ("export", "FILE", "--format", "extxyz", "-o", "-")),
                            ("series/total_energy/value", ("export", "FILE", "--format", "csv", "-o", "-")),
                            ("series/total_energy/value", ("analyze", "energy", "FILE"))):
            name = copy("far.h5md")
            self.move(name, data, 2**40)
            call(*(name if word == "FILE" else word for word in words), status=4)
            with polhode.open(name) as run, self.assertRaises((OSError, polhode.TrajectoryError)):
                run.file[data][:]


class Damage(unittest.TestCase):
    def test_readers_refuse_it_or_read_what_was_written(self):
        readers = "info,json,csv,extxyz,energy,start,python,resume"
        done = subprocess.run([sys.executable, "-B", "-W", "ignore", os.path.join(PYTHON_DIR, "../damage-files"), POLHODE,
                               "--files", "5", "--readers", readers], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"python +[0-5] +[1-5] +0 +0 +0 +0\n")


class Crashes(unittest.TestCase):
    @unittest.skipIf(SANITIZED, "sanitizers must be loaded first")
    def test_a_crash_inside_hdf5_is_damage_of_the_file(self):
        start = (path("input.yaml"), "--set", f"system.start={{file: {GOOD}}}", "--set", "system.box={kind: periodic}")
        for words in (("info", GOOD), ("run", *start, "-o", path("crash.h5md")), ("energy", *start), ("check", *start),
                      ("tune", *start, "--tolerance", "1e-3", "--quiet"),
                      ("sweep", *start, "-o", path("sweep"), "--vary", "dynamics.step=0.001,0.002", "--quiet")):
            _, text = call(*words, status=4, env={**os.environ, "LD_PRELOAD": CRASH})
            self.assertRegex(text, rf"polhode.*: {GOOD}: HDF5 crashed while reading it: the file is damaged", words)


class Seals(unittest.TestCase):
    """Of bytes that have no checksum from HDF5"""

    def refused(self, name):
        start = ("energy", path("input.yaml"), "--set", f"system.start={{file: {name}}}", "--set", "system.box={kind: periodic}")
        for words in (("info", name), ("export", name, "--format", "csv", "-o", "-"), ("analyze", "energy", name), start,
                      ("resume", name, "--steps", "5", "--quiet")):
            self.assertIn(f"{os.path.basename(name)}: is damaged: it is not as the run wrote it. To read what is left",
                          call(*words, status=4)[1])
        with self.assertRaisesRegex(polhode.TrajectoryError, "is damaged: it is not as the run wrote it"):
            polhode.open(name)

    def test_flipped_bits_in_any_other_number_are_found(self):
        with h5py.File(GOOD) as file:
            series = file["series/total_energy/value"].id.get_chunk_info(0).byte_offset
            clock = file["particles/trajectory/position/time"].id.get_chunk_info(0).byte_offset
            mass = file["particles/trajectory/mass"].id.get_offset()
        with open(GOOD, "rb") as file:
            whole = file.read()
        seal = len(whole) - 48
        for at in (series + 8, clock + 14, mass + 6, whole.index(b"reaction-field"), seal - 8, seal + 16, seal + 24, seal + 40):
            name = copy("sealed.h5md", checkpoint=True, sealed=True)
            patch(name, at, bytes([whole[at] ^ 16]))
            self.refused(name)
        call("info", copy("sealed.h5md", sealed=True))

    def test_the_message_says_how_to_read_what_is_left(self):
        name = copy("sealed.h5md", sealed=True)
        with h5py.File(name) as file:
            at = file["series/total_energy/value"].id.get_chunk_info(0).byte_offset
        patch(name, at + 6, b"\0")
        size = re.search(r"truncate -s (\d+) FILE", call("info", name, status=4)[1])[1]
        subprocess.run(["truncate", "-s", size, name], check=True)
        call("info", name)
        with polhode.open(name) as run, polhode.open(GOOD) as good:
            self.assertEqual([a == b for a, b in zip(run.series["total_energy"].value, good.series["total_energy"].value)],
                             [False] + 4 * [True])

    def test_runs_and_other_programs_remove_it_before_they_write(self):
        name = copy("sealed.h5md", checkpoint=True, sealed=True)
        self.assertIsNotNone(seal_of(name))
        call("resume", name, "--steps", "5", "--quiet")
        self.assertNotIn(seal_of(name), (None, seal_of(GOOD)))
        call("info", name)
        with h5py.File(name, "r+") as file:
            file["series/total_energy/value"][0] = 1.0
        self.assertIsNone(seal_of(name))
        with polhode.open(name) as run:
            self.assertEqual(run.series["total_energy"].value[0], 1.0)

    def test_every_reader_says_that_there_is_none(self):
        for sealed in (False, True):
            name = copy("unsealed.h5md", checkpoint=True, sealed=sealed)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                with polhode.open(name) as run:
                    self.assertEqual("has no seal" in "".join(notes_of(run)), not sealed)
            self.assertEqual(["has no seal" in str(one.message) for one in caught], [] if sealed else [True])
            start = ("energy", path("input.yaml"), "--set", f"system.start={{file: {name}}}", "--set", "system.box={kind: periodic}")
            for words in (("info", name), ("info", "--json", name), ("export", name, "--format", "csv", "-o", "-"),
                          ("export", name, "--format", "extxyz", "-o", "-"), ("analyze", "energy", name, "--json"), start,
                          ("resume", name, "--steps", "5", "--quiet")):  # which seals it
                self.assertEqual("has no seal: its run was killed" in "".join(call(*words)), not sealed, words)

    def test_a_run_that_is_refused_leaves_it(self):
        longer, other = copy("longer.h5md", checkpoint=True), run("other.h5md", "--set", "system.start.seed=2")
        call("resume", longer, "--steps", "10", "--quiet")
        for checkpoint, message in ((longer, "needs the row of step 30"), (other, "run")):  # found after it was opened; before
            name = copy("sealed.h5md", sealed=True)
            shutil.copy(checkpoint + ".checkpoint", name + ".checkpoint")
            self.assertIn(message, call("resume", name, "--steps", "5", status=2)[1])
            self.assertIsNotNone(seal_of(name))
            self.assertEqual(seal_of(name), seal_of(GOOD))


def seal_of(name):
    with open(name, "rb") as file:
        return read_tail(file)


class TornRows(unittest.TestCase):
    """A run that is killed while it adds a row leaves it in some of the data sets."""

    def test_rows_count_that_all_elements_have(self):
        name = copy("torn.h5md")
        with h5py.File(name, "r+") as file:
            series, frames = file["series/total_energy"], file["particles/trajectory/position"]
            for group in (series, frames):
                for part in ("step", "time", "value"):
                    group[part].resize(len(group[part]) + 1, axis=0)
            rows, n = len(file["series/temperature/value"]), len(file["particles/trajectory/velocity/value"])
            self.assertEqual((len(series["step"]), len(frames["step"])), (rows + 1, n + 1))
        for words in (("export", "FILE", "--format", "csv", "-o", "-"), ("export", "FILE", "--format", "extxyz", "-o", "-"),
                      ("analyze", "energy", "FILE", "--json"), ("info", "FILE", "--checks")):
            torn, good = (call(*(one if word == "FILE" else word for word in words))[0] for one in (name, copy("same.h5md")))
            torn = torn.replace("torn.h5md", "same.h5md")
            self.assertEqual(torn.split("\nelements")[-1], good.split("\nelements")[-1])
        with polhode.open(name) as torn, polhode.open(GOOD) as good:
            for one in good.series:
                np.testing.assert_array_equal(torn.series[one].step, good.series[one].step)
                np.testing.assert_array_equal(torn.series[one].value, good.series[one].value)
            self.assertEqual(list(torn.frames.step), list(good.frames.step))
            np.testing.assert_array_equal(torn.frames[-1].centres, good.frames[-1].centres)


class OtherFiles(unittest.TestCase):
    def test_all_species_are_counted(self):
        name, n = path("kinds.h5md"), 1500
        with h5py.File(name, "w") as file:
            file.create_group("h5md").attrs["version"] = [1, 1]
            group = file.create_group("particles/all")
            group.create_group("box").attrs["boundary"] = np.bytes_(["none"] * 3)
            group["species"] = np.concatenate([np.arange(n)[::-1], [7]])
            group["position/value"], group["position/step"] = np.zeros((1, n + 1, 3)), [0]
        out, _ = call("info", name, "--json")
        self.assertNotIn("has no seal", out)  # which is no news of such files
        kinds = json.loads(out)["particles"]["kinds"]
        self.assertEqual([kind["name"] for kind in kinds], [f"species {k}" for k in reversed(range(n))])
        self.assertEqual([kind["count"] for kind in kinds if kind["count"] > 1], [2])

    def test_texts_of_files_do_not_command_terminals(self):
        name = copy("escapes.h5md")
        with h5py.File(name, "r+") as file:
            del file["parameters/title"]
            file["parameters/title"] = np.bytes_("\x1b]0;owned\x07 \x7f\u009b31m Größe".encode())
        out, _ = call("info", name)
        self.assertIn("title           ?]0;owned? ??31m Größe\n", out)
        self.assertNotRegex(out, "[\x00-\x08\x0b-\x1f\x7f-\x9f]")
        with h5py.File(name, "r+") as file:
            del file["particles/trajectory/position/value"]
            file["particles/a\x1b[2Jb/x"], file["particles/c\x1b[2Jd/x"] = 1.0, 1.0
            del file["particles/trajectory"]
        self.assertIn("(a?[2Jb, c?[2Jd, ...)", call("info", name, status=2)[1])
        name = copy("escapes.h5md")
        with h5py.File(name, "r+") as file:
            file["parameters/a\x1b[2Jb"] = h5py.ExternalLink(GOOD, "h5md")
        self.assertIn("parameters/a?[2Jb is a link", call("report", name, status=2)[1])
        for script in ("report", "compare"):
            done = subprocess.run([sys.executable, os.path.join(PYTHON_DIR, "..", script), name, "-o", path("a.html")],
                                  env={**os.environ, "POLHODE_PROGRAM": POLHODE}, capture_output=True, text=True)
            self.assertIn("parameters/a?[2Jb is a link", done.stderr)

    def test_links_into_other_files_are_refused(self):
        with h5py.File(path("secret.h5"), "w") as file:
            file["value"] = 42.0
        with open(path("secret.txt"), "w") as file:
            file.write("secret" + 506 * " ")
        for kind in ("link", "storage", "virtual", "text"):
            name = copy("elsewhere.h5md", checkpoint=True)
            with h5py.File(name, "r+") as file:
                energy = file["series/total_energy"]
                shape = energy["value"].shape
                if kind == "link":
                    file["parameters/title_"] = h5py.ExternalLink(path("secret.h5"), "value")
                elif kind == "text":
                    del file["parameters/input"]
                    file["parameters"].create_dataset("input", shape=(1,), dtype="S512", external=[(path("secret.txt"), 0, 512)])
                else:
                    del energy["value"]
                if kind == "storage":
                    energy.create_dataset("value", shape=shape, dtype="f8", external=[(GOOD, 0, 8 * shape[0])])
                if kind == "virtual":
                    layout = h5py.VirtualLayout(shape=shape, dtype="f8")
                    layout[:] = h5py.VirtualSource(path("secret.h5"), "value", shape=shape)
                    energy.create_virtual_dataset("value", layout)
            for words in (("export", name, "--format", "csv", "-o", "-"), ("info", name), ("resume", name, "--steps", "5", "--quiet")):
                _, error = call(*words, status=2 if kind == "link" else 4)
                self.assertIn("in another file" if kind != "link" else "link into another file", error)
            with self.assertRaisesRegex(polhode.TrajectoryError, "another file"), polhode.open(name) as run:
                _ = [series.value for series in run.series.values()], run.parameters
        with open(path("secret.txt")) as file:
            self.assertEqual(file.read().strip(), "secret")


unittest.main()
