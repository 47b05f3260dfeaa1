# SPDX-License-Identifier: Apache-2.0
"""What the built program refuses of programs and schedules: FILE PATH_TO_REPRISE."""

import json
import os
import unittest

from end_to_end_case import PROGRAMS, EndToEndCase, main, on_terminal, one_op, reprise


class Refusals(EndToEndCase):
    def test_a_budget_that_is_too_small_has_an_exit_code_of_its_own(self):
        report = self.path("report.json")
        result = reprise("plan", PROGRAMS / "gpt6.json", "--budget", "1MiB", "--json", report)
        self.assert_refused(result, 5, "--budget: expected at least ", "that no plan controls",
                            "got 1MiB")
        minimum = json.loads(report.read_text())["minimum"]["budget_bytes"]
        self.assertIn(f"{minimum:,} bytes", result.stderr.decode())

    def test_a_refusal_on_a_terminal_leaves_nothing_of_the_progress(self):
        result, text = on_terminal("stderr", "plan", PROGRAMS / "gpt6.json", "--budget", "1MiB",
                                   "--iterations", 30000)
        self.assertEqual(result.returncode, 5)
        self.assertIn("\rplan [", text)
        _, wiped, said = text.removesuffix("\r\n").rsplit("\r", 2)
        self.assertEqual(wiped.strip(), "")
        self.assertTrue(said.startswith("reprise plan: --budget: expected at least"), said)

    def test_wrong_words(self):
        gpt6 = PROGRAMS / "gpt6.json"
        self.assert_refused(reprise("plan"), 2, "reprise plan: PROGRAM", "got none")
        self.assert_refused(reprise("plan", gpt6, gpt6), 2, "got")
        self.assert_refused(reprise("plan", gpt6, "--budget", "much"), 2, "--budget", "'much'")
        self.assert_refused(reprise("plan", gpt6, "--planner", "magic"), 2, "--planner", "'magic'")
        self.assert_refused(reprise("plan", gpt6, "--planner", "exact"), 2,
                            "--planner: expected one that takes this program, got 'exact': ")
        self.assert_refused(reprise("simulate", gpt6), 2, "SCHEDULE", "got none")
        self.assert_refused(reprise("compare", gpt6, "--planners", "magic"), 2, "magic")
        self.assert_refused(reprise("generate", "chain", "--layers", 0), 2, "--layers", "'0'")
        self.assert_refused(reprise("generate", "unet", "--image-size", 30), 2,
                            "--image-size: expected a multiple of 2^--levels (16), got '30'")
        self.assert_refused(reprise("generate", "transformer", "--width", 10, "--heads", 3), 2,
                            "--width: expected a multiple of --heads (3), got '10': 2 heads would do")
        self.assert_refused(
            reprise("generate", "chain", "--batch", 10**6, "--width", 10**6, "--layers", 10**5), 2,
            "--layers, --width, --batch: expected small enough for at most 2^58 bytes in all, got")
        self.assert_refused(reprise("plan", gpt6, "--planner", "every_k", "--option", "n=2"), 2,
                            "--option of every_k: expected one of: k, got 'n'")
        self.assert_refused(reprise("plan", gpt6, "--planner", "every_k", "--option", "k=0"), 2,
                            "--option k of every_k: expected an integer from 1 to", "got '0'")

    def test_a_model_in_a_build_without_libtorch(self):
        if b"no libtorch" in reprise("--version").stdout:
            self.assert_refused(reprise("plan", "--model", "gpt"), 1,
                                "reprise plan: --model: expected a program that was built with libtorch")

    def test_budgets_that_are_none(self):
        for budget in ("-1", "-5%", "nan", "inf", "nan%", "1e400", "40 %", "5 MB", "5mb", "0x10", "+5",
                       "MINIMUM", "60%,50%", " "):
            with self.subTest(budget):
                self.assert_refused(reprise("plan", PROGRAMS / "unet.json", "--budget", budget), 2,
                                    "reprise plan: --budget: expected bytes", f"got '{budget}'")
        for budget in ("1e30", "10EiB", str(2**63 - 1), str(10**20)):
            with self.subTest(budget):
                self.assert_refused(reprise("plan", PROGRAMS / "unet.json", "--budget", budget), 2,
                                    "--budget: expected at most 2^60 bytes", f"got '{budget}', which")
                self.assert_refused(
                    reprise("compare", PROGRAMS / "unet.json", "--budgets", f"60%,{budget}"), 2,
                    "--budgets: expected at most 2^60 bytes", f"got '{budget}', which is too large")
        for budget in ("0", "0%", "0MB", "101%", "1000%"):
            with self.subTest(budget):
                self.assert_refused(
                    reprise("plan", PROGRAMS / "unet.json", "--budget", budget), 2,
                    "--budget: expected bytes above 0, a share in (0%, 100%] or minimum",
                    f"got '{budget}'")
        for budgets, got in (("0", "0"), ("0%", "0%"), ("60%,101%", "101%"), ("-1", "-1"),
                             ("60%,", ""), ("minimum", "minimum"),
                             ("60%,nan", "nan")):
            with self.subTest(budgets):
                self.assert_refused(
                    reprise("compare", PROGRAMS / "unet.json", "--budgets", budgets), 2,
                    "reprise compare: --budgets: expected a count of budgets, a bare number in [1, "
                    "1000], or a list", f"got '{got}'")

    def test_limits_that_are_none(self):
        for limit in ("0", "0s", "-1s", "nan", "inf", "1e400s", "1 s", "1d", "abc"):
            with self.subTest(limit):
                self.assert_refused(reprise("plan", PROGRAMS / "unet.json", "--time-limit", limit), 2,
                                    "--time-limit: expected a duration above 0", f"got '{limit}'")

    def test_planners_that_are_named_twice(self):
        self.assert_refused(reprise("compare", PROGRAMS / "unet.json", "--planners", "dtr,dtr"), 2,
                            "--planners: expected each planner once, got 'dtr' twice")

    def test_words_of_several_lines(self):
        self.assert_refused(reprise("plan", "a\nb"), 3, "a?b: cannot be read: No such file")
        self.assert_refused(reprise("fly\naway"), 2, "got 'fly?away'")

    def test_words_without_an_end(self):
        word, gpt6 = "w" * 100_000, PROGRAMS / "gpt6.json"
        for words in ((word,), ("plan", gpt6, word), ("plan", gpt6, "--" + word),
                      ("plan", gpt6, "--budget", word), ("plan", gpt6, "--budget", "1" + "0" * 10**5),
                      ("plan", gpt6, "--budget", "0" * 10**5 + "1"), ("plan", gpt6, "--planner", word),
                      ("plan", gpt6, "--iterations", word), ("plan", gpt6, "--time-limit", word),
                      ("plan", gpt6, "--option", word), ("plan", gpt6, "--option", word + "=1"),
                      ("plan", gpt6, "--planner", "every_k", "--option", "k=" + word),
                      ("compare", gpt6, "--planners", word), ("compare", gpt6, "--budgets", word),
                      ("compare", gpt6, "--iterations", word + "=1"),
                      ("compare", gpt6, "--time-limit", "search=" + word), ("generate", word)):
            with self.subTest([text[:20] for text in map(str, words)]):
                result = reprise(*words)
                self.assert_refused(result, 5 if b"at least" in result.stderr else 2, "expected")
                self.assertLess(len(result.stderr), 700)

    def test_names_without_an_end(self):
        word, path = "w" * 100_000, self.path("p.json")
        path.write_text(json.dumps(one_op(
            recipes=[{**one_op()["recipes"][0], "name": word, "label": word}],
            uses=[{**one_op()["uses"][0], "name": word, "background_bytes": [0, 900, 0]}])))
        for words in (("--budget", 99), ("--budget", 99, "--planner", "rotor")):
            with self.subTest(words):
                result = reprise("plan", path, *words)
                self.assert_refused(result, 5, "--budget: expected at least ", "wwwww...")
                self.assertLess(len(result.stderr), 700)

    def test_files_that_are_one(self):
        step, schedule = self.path("step.json"), self.path("schedule.json")
        self.assert_done(reprise("generate", "chain", "--layers", 3, "--out", step))
        before = step.read_bytes()
        self.assert_refused(reprise("plan", step, "--out", "-", "--json", "-"), 2,
                            "--json: expected another file than that of --out, got '-'")
        self.assert_refused(reprise("plan", step, "--out", step), 2,
                            "--out: expected another file than that of the program")
        self.assert_refused(reprise("compare", step, "--csv", schedule, "--json", schedule), 2,
                            "--json: expected another file than that of --csv")
        self.assert_done(reprise("plan", step, "--out", schedule))
        self.assert_refused(reprise("simulate", step, schedule, "--json", schedule), 2,
                            "--json: expected another file than that of the schedule")
        self.assertEqual(step.read_bytes(), before)
        self.assertEqual(json.loads(schedule.read_text())["format"], "reprise.schedule")

    def test_broken_files(self):
        good = json.loads((PROGRAMS / "unet.json").read_text())
        broken = {"cut.json": '{"format":', "empty.json": "", "list.json": "[]",
                  "other.json": '{"format": "reprise.estimate", "version": 1}',
                  "later.json": json.dumps({**good, "version": 2}),
                  "negative.json": json.dumps({**good, "resident_bytes": -1}),
                  "nan.json": json.dumps({**good, "step_us": float("nan")}),
                  "few.json": json.dumps({**good, "values": good["values"][:-1]}),
                  "null.json": "null", "behind.json": json.dumps(good) + "x", "deep.json": "[" * 10**6,
                  "huge.json": json.dumps({**good, "step_us": 10**30}),
                  "bytes.json": json.dumps(one_op(resident_bytes=2**62)),
                  "cycle.json": json.dumps(one_op(recipes=[{**one_op()["recipes"][0], "inputs": [0]}])),
                  "no_value.json": json.dumps(one_op(uses=[{**one_op()["uses"][0], "needs": [1]}])),
                  "twice.json": json.dumps(good).replace('"id":', '"id": 0, "id":', 1)}
        for name, text in broken.items():
            with self.subTest(name):
                self.path(name).write_text(text)
                self.assert_refused(reprise("simulate", self.path(name), "keepall"), 3, name)
        self.path("latin.json").write_bytes(json.dumps(one_op(name="X")).encode().replace(b"X", b"\xe9"))
        self.assert_refused(reprise("plan", self.path("latin.json")), 3, "latin.json", "UTF-8")
        self.assert_refused(reprise("plan", self.folder), 3, "cannot be read: Is a directory")
        self.assert_refused(reprise("compare", "/dev/null"), 3, "/dev/null: expected JSON")
        self.assert_refused(reprise("plan", self.path("nowhere")), 3, "nowhere", "No such file")
        self.assert_refused(reprise("plan", PROGRAMS / "unet.json", "--out", self.path("no/s")), 3,
                            "no/s", "cannot be written")

    def test_a_schedule_of_another_program(self):
        schedule = self.path("schedule.json")
        self.assert_done(reprise("plan", PROGRAMS / "unet.json", "--budget", "80%", "--out",
                                 schedule))
        self.assert_refused(reprise("simulate", PROGRAMS / "gpt6.json", schedule), 3,
                            "schedule.json: program: must be ", "it was made for another step")

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_a_full_disk_is_noticed(self):
        with open("/dev/full", "wb") as full:
            result = reprise("generate", "chain", stdout=full)
        self.assertEqual(result.returncode, 3)


if __name__ == "__main__":
    main()
