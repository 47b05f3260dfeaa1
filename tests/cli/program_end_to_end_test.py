# SPDX-License-Identifier: Apache-2.0
"""The whole program, and `reprise estimate`: program_end_to_end_test.py PATH_TO_REPRISE."""

import os
import pathlib
import unittest

from end_to_end_case import EndToEndCase, main, reprise


class Information(EndToEndCase):
    def test_help_and_version_succeed(self):
        for words in [("--help",), ("train", "--help"), ("estimate", "-h"), ("--version",), ("help",),
                      ("help", "plan")]:
            with self.subTest(words):
                result = reprise(*words)
                self.assertEqual((result.returncode, result.stderr), (0, b""))
                self.assertIn(b"reprise", result.stdout)

    def test_the_documentation_is_what_the_program_prints(self):
        documentation = pathlib.Path(__file__).parents[2] / "docs" / "command_line.md"
        self.assertEqual(reprise("options").stdout, documentation.read_bytes())


class Refusals(EndToEndCase):
    def test_an_unknown_command_is_refused(self):
        self.assert_refused(reprise("fly"), 2, "expected a command (train, verify, estimate, plan, ",
                            "options; see 'reprise --help')", "got 'fly'")
        self.assert_refused(reprise(), 2, "expected a command", "got none")

    def test_sizes_of_an_estimate_that_do_not_fit_together_are_refused(self):
        cases = [(("--dim", 10, "--heads", 3),
                  "--dim: expected a multiple of --heads (3), got '10': 2 heads would do"),
                 (("--heads", 3, "--tensor-parallel", 2),
                  "--heads: expected a multiple of --tensor-parallel (2), got '3'"),
                 (("--tensor-parallel", 12, "--ffn-dim", 100),
                  "--ffn-dim: expected a multiple of --tensor-parallel (12), got '100'"),
                 (("--tensor-parallel", 12, "--context", 100, "--sequence-parallel"),
                  "--context: expected a multiple of --tensor-parallel (12), got '100'"),
                 (("--pipeline-parallel", 5),
                  "--layers: expected a multiple of --pipeline-parallel * --interleave (5), got '12'"),
                 (("--pipeline-parallel", 2, "--stage", 2), "--stage: expected at most 1, got '2'"),
                 (("--context", 10**9), "--layers, --dim, --heads, --ffn-dim, --vocabulary, --context, "
                  "--batch: expected small enough for at most 9e18 bytes, got '")]
        for words, message in cases:
            with self.subTest(words):
                self.assert_refused(reprise("estimate", *words), 2, "reprise estimate: " + message)

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_a_full_disk_is_noticed(self):
        with open("/dev/full", "wb") as full:
            result = reprise("estimate", stdout=full)
        self.assertEqual(result.returncode, 3)


if __name__ == "__main__":
    main()
