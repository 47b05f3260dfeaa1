# SPDX-License-Identifier: Apache-2.0
"""The whole program, and `reprise estimate`: program_end_to_end_test.py PATH_TO_REPRISE."""

import os
import pathlib
import unittest

from end_to_end_case import EndToEndCase, main, reprise


class Information(EndToEndCase):
    def test_help_and_version_succeed(self):
        for words in [("--help",), ("train", "--help"), ("estimate", "-h"), ("--version",)]:
            with self.subTest(words):
                result = reprise(*words)
                self.assertEqual((result.returncode, result.stderr), (0, b""))
                self.assertIn(b"reprise", result.stdout)

    def test_the_documentation_is_what_the_program_prints(self):
        documentation = pathlib.Path(__file__).parents[2] / "docs" / "command_line.md"
        self.assertEqual(reprise("options").stdout, documentation.read_bytes())


class Refusals(EndToEndCase):
    def test_an_unknown_command_is_refused(self):
        self.assert_refused(reprise("fly"), 2, "expected a command (train, estimate, plan, ",
                            "options)")
        self.assert_refused(reprise(), 2, "expected a command", "got none")

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_a_full_disk_is_noticed(self):
        with open("/dev/full", "wb") as full:
            result = reprise("estimate", stdout=full)
        self.assertEqual(result.returncode, 3)


if __name__ == "__main__":
    main()
