"""Runs unmodified programs for rclpy under `python -m saltus.ros`, and checks their output.

    python tests/interop/ros_scripts/run.py LIST [FOLDER] [--only WORD]

A list is a YAML file with cases. The programs of a case run at the same time.

    - name: a talker and a listener
      programs:
        - run: talker.py                       # relative to the folder; or `-m package.module`
          expect: ['Publishing: "Hello World: 0"']
        - run: listener.py
          arguments: [--ros-args, -r, chatter:=news]
          path: [lib]                           # folders of its own modules
          expect: ['I heard: "Hello World: \\d+"']
          ends: itself                          # otherwise it is interrupted when all expected text is printed

`expect` is a list of regular expressions. They must match the output, in this order. A program that must end by itself
must end with status 0. FOLDER is the folder of the programs; the default is the folder of the list. Every case has its
own graph.
"""

import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

import yaml

#: The time limit of a case in seconds, unless its list sets another limit.
TIME_LIMIT = 20.0
#: The exit codes that an interrupted Python program may have. It may also end by the signal.
INTERRUPTED = (0, 130, -signal.SIGINT, 1)


class Program:
    """A running program, and its output."""

    def __init__(self, given, folder, environment):
        self.name, self.given = given["run"], given
        words = self.name.split() if self.name.startswith("-m ") else [str(folder / self.name)]
        path = [str(folder / one) for one in given.get("path", ())] + [environment.get("PYTHONPATH", "")]
        environment = {**environment, "PYTHONPATH": os.pathsep.join(filter(None, path))}
        command = [sys.executable, "-u", "-m", "saltus.ros", *words, *map(str, given.get("arguments", ()))]
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines = []
        self.missing = [re.compile(pattern) for pattern in given.get("expect", ())]
        self.changed = threading.Event()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        if "input" in given:
            self.process.stdin.write(given["input"])
        self.process.stdin.close()

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line)
            # A line may match several patterns, in their order.
            rest = line
            while self.missing and (found := self.missing[0].search(rest)):
                self.missing.pop(0)
                rest = rest[found.end() :]
            self.changed.set()
        self.changed.set()

    @property
    def ends_itself(self):
        return self.given.get("ends") == "itself"

    def has_passed(self):
        """Returns whether all expected text was printed, and the program has ended if it must end by itself."""
        return not self.missing and (not self.ends_itself or self.process.poll() is not None)

    def has_failed(self):
        """Returns whether the program has ended, but has not printed all expected text."""
        return self.process.poll() is not None and not self.reader.is_alive() and bool(self.missing)

    def end(self):
        """Interrupts the program if it still runs. Returns the fault in the way that it ended, or None."""
        interrupted = self.process.poll() is None
        if interrupted:
            self.process.send_signal(signal.SIGINT)
        try:
            code = self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return "did not end when it was interrupted"
        self.reader.join(10)
        output = "".join(self.lines)
        # The traceback of the KeyboardInterrupt is no fault.
        fault = output.count("Traceback") > len(re.findall(r"^KeyboardInterrupt", output, re.M))
        if fault and not self.given.get("may_raise"):
            return "raised an exception"
        if not interrupted and code != 0 or interrupted and code not in INTERRUPTED:
            return f"ended with {code}"
        return None


def run_case(case, folder):
    """Runs a case. Returns the faults, as a list of lines."""
    with tempfile.TemporaryDirectory(dir="/dev/shm", prefix="saltus-scripts-") as shm:
        environment = {**os.environ, "SALTUS_SHM_DIR": shm, "PYTHONUNBUFFERED": "1"}
        programs = [Program(given, folder, environment) for given in case["programs"]]
        deadline = time.monotonic() + case.get("seconds", TIME_LIMIT)
        while time.monotonic() < deadline:
            if all(program.has_passed() for program in programs):
                break
            if any(program.has_failed() for program in programs):
                break
            for program in programs:
                program.changed.wait(0.02)
                program.changed.clear()
        faults = []
        for program in programs:
            is_late = program.ends_itself and program.process.poll() is None
            wrong = program.end()
            if program.missing:
                wrong = f"did not print {program.missing[0].pattern!r}" + (f", and {wrong}" if wrong else "")
            elif is_late:
                wrong = "did not end by itself"
            if wrong:
                faults += [f"  {program.name} {wrong}; it printed:"]
                faults += [f"    {line.rstrip()}" for line in program.lines[-30:]]
        return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("list", type=pathlib.Path, help="the list of programs and their expected output")
    folder_help = "the folder of the programs (default: the folder of the list)"
    parser.add_argument("folder", type=pathlib.Path, nargs="?", help=folder_help)
    parser.add_argument("--only", default="", help="run only cases whose names contain this word")
    options = parser.parse_args()
    folder = (options.folder or options.list.parent).resolve()
    if not folder.is_dir():
        parser.error(f"there is no folder {folder}")
    cases = [case for case in yaml.safe_load(options.list.read_text()) if options.only in case["name"]]
    failed = 0
    for case in cases:
        began = time.monotonic()
        faults = run_case(case, folder)
        failed += bool(faults)
        print(f"{'fail' if faults else 'pass'}  {case['name']} ({time.monotonic() - began:.1f} s)", flush=True)
        print("\n".join(faults), end="\n" if faults else "", flush=True)
    print(f"{len(cases) - failed} of {len(cases)} cases passed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
