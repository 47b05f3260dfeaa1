# SPDX-License-Identifier: Apache-2.0
"""What tests of the built program share: how it is run, and what a refusal looks like."""

import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import unittest

from folder_case import FolderCase

PROGRAMS = pathlib.Path(__file__).parents[1] / "data" / "programs"
_program = ""


def main():
    """Runs the tests of the file that calls it: FILE PATH_TO_REPRISE [unittest options]."""
    global _program
    _program = sys.argv.pop(1)
    unittest.main()


def start(*words, **streams):
    """The program at work; a stream that is not given is a pipe."""
    return subprocess.Popen([_program, *map(str, words)],
                            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams})


def reprise(*words, **streams):
    """The program's result."""
    with start(*words, **streams) as process:
        try:
            stdout, stderr = process.communicate(timeout=300)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return subprocess.CompletedProcess(words, process.returncode, stdout, stderr)


def on_terminal(stream, *words, interrupt_at=None):
    """The result, and what came to `stream` ("stdout" or "stderr"), a terminal of 70 columns.

    interrupt_at: Ctrl-C is pressed when this text has come.
    """
    ours, theirs = pty.openpty()
    subprocess.run(["stty", "cols", "70"], stdin=theirs, check=True)
    with start(*words, **{stream: theirs}) as process:
        os.close(theirs)
        text = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the end of a terminal
                break
            if not piece:
                break
            text += piece
            if interrupt_at is not None and interrupt_at in text.decode():
                process.send_signal(signal.SIGINT)
                interrupt_at = None
        os.close(ours)
        stdout, stderr = process.communicate(timeout=300)
    return subprocess.CompletedProcess(words, process.returncode, stdout, stderr), text.decode()


def told_defaults(command, kind):
    """Words that give a kind of model or step each default that the documentation tells of it."""
    section = reprise("options").stdout.decode().split(f"\n## reprise {command}\n")[1].split("\n## ")[0]
    words = []
    for name, default, meaning in re.findall(r"^\| `--(\S+) \S+` \| .*? \| (.*?) \| (.*) \|$", section,
                                             re.MULTILINE):
        owners = re.search(r"\(([^()]*)\)$", meaning)
        for part in default.split(", "):
            *kinds, value = part.split(" ")
            if kind in (kinds or (owners.group(1).split(", ") if owners else [])):
                words += ["--" + name, value]
    return words


def one_op(**changes):
    """A program of one op whose result backward reads, as JSON has it."""
    return {"format": "reprise.program", "version": 1, "name": "one op", "device": "cpu",
            "step_us": 2, "forward_us": 1, "resident_bytes": 0, "forward_peak_bytes": [100],
            "values": [{"id": 0, "bytes": 100, "made_at": 0, "released_at": 0, "recipe": 0}],
            "recipes": [{"id": 0, "name": "op", "cost_us": 1, "transient_bytes": 100, "ops": [0],
                         "inputs": [], "outputs": [0]}],
            "uses": [{"name": "use", "cost_us": 1, "background_bytes": [0, 0, 0], "needs": [0]}],
            **changes}


class EndToEndCase(FolderCase):
    def assert_done(self, result):
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def assert_refused(self, result, code, *parts):
        """One line that begins with the program's name and has these parts, and nothing else."""
        self.assertEqual(result.returncode, code, result.stderr)
        lines = result.stderr.decode().splitlines()
        self.assertEqual(len(lines), 1, lines)
        self.assertTrue(lines[0].startswith("reprise"), lines)
        for part in parts:
            self.assertIn(part, lines[0])
        self.assertEqual(result.stdout, b"")
