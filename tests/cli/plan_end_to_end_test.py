# SPDX-License-Identifier: Apache-2.0
"""Runs the built program on programs and schedules: plan_end_to_end_test.py PATH_TO_REPRISE.

It needs no libtorch.
"""

import csv
import json
import os
import pathlib
import unittest

from end_to_end_case import PROGRAMS, EndToEndCase, main, on_terminal, reprise


class Plans(EndToEndCase):
    def test_a_generated_step_is_planned_and_its_schedule_simulated(self):
        step, schedule = self.path("step.json"), self.path("schedule.json")
        self.assert_done(reprise("generate", "transformer", "--layers", 4, "--out", step))
        plan = json.loads(self.assert_done(reprise(
            "plan", step, "--budget", "60%", "--out", schedule, "--json", "-")))
        simulation = json.loads(self.assert_done(reprise(
            "simulate", step, schedule, "--json", "-")))
        self.assertEqual(plan["peak_bytes"], simulation["peak_bytes"])
        self.assertLessEqual(simulation["peak_bytes"], plan["budget_bytes"])
        self.assertEqual(plan["recompute_us"], simulation["recompute_us"])
        self.assertEqual(plan["budget_bytes"], int(0.6 * simulation["keep_all_peak_bytes"]))

    def test_the_same_words_give_the_same_bytes(self):
        for name in ("first.json", "second.json"):
            self.assert_done(reprise("plan", PROGRAMS / "unet.json", "--budget", "70%", "--out",
                                     self.path(name)))
        self.assertEqual(self.path("first.json").read_bytes(),
                         self.path("second.json").read_bytes())

    def test_a_timeline_adds_up_in_csv_and_json(self):
        timeline = self.path("timeline.csv")
        report = json.loads(self.assert_done(reprise(
            "simulate", PROGRAMS / "gpt6.json", "keepall", "--csv", timeline, "--json", "-")))
        with open(timeline, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        totals = [int(row["total_bytes"]) for row in rows]
        self.assertEqual(max(totals), report["peak_bytes"])
        self.assertEqual(totals.index(max(totals)), report["peak_slot"])
        parts = ("kept_bytes", "recomputed_bytes", "background_bytes", "workspace_bytes")
        self.assertEqual(totals, [sum(int(row[part]) for part in parts) for row in rows])
        self.assertEqual([report["timeline"][part] for part in parts],
                         [[int(row[part]) for row in rows] for part in parts])

    def test_planners_are_compared_on_the_same_budgets(self):
        report = json.loads(self.assert_done(reprise(
            "compare", PROGRAMS / "unet.json", "--budgets", 3, "--planners",
            "keep_all,knapsack", "--json", "-")))
        self.assertEqual([one["planner"] for one in report["planners"]], ["keep_all", "knapsack"])
        self.assertEqual([[result["budget_bytes"] for result in one["results"]]
                          for one in report["planners"]], [report["budgets"]] * 2)

    def test_a_minimum_is_met_by_the_schedule_that_is_written(self):
        schedule = self.path("schedule.json")
        plan = json.loads(self.assert_done(reprise(
            "plan", PROGRAMS / "unet.json", "--budget", "minimum", "--iterations", 300, "--out",
            schedule, "--json", "-")))
        simulation = json.loads(self.assert_done(reprise(
            "simulate", PROGRAMS / "unet.json", schedule, "--json", "-")))
        self.assertEqual(plan["peak_bytes"], plan["budget_bytes"])
        self.assertEqual(simulation["peak_bytes"], plan["budget_bytes"])
        self.assertLess(plan["budget_bytes"], 0.5 * plan["keep_all_peak_bytes"])

    def test_an_interrupted_plan_is_the_best_so_far(self):
        schedule = self.path("schedule.json")
        result, _ = on_terminal("stderr", "plan", PROGRAMS / "gpt6.json", "--budget", "50%",
                                "--iterations", 10**12, "--out", schedule, interrupt_at="plan [")
        self.assertEqual(result.returncode, 130)
        self.assertIn(b", stopped\n", result.stdout)
        simulation = json.loads(self.assert_done(reprise(
            "simulate", PROGRAMS / "gpt6.json", schedule, "--json", "-")))
        self.assertLessEqual(simulation["peak_bytes"], simulation["schedule"]["budget_bytes"])

    def test_an_interrupted_comparison_tells_what_it_found(self):
        table = self.path("table.csv")
        result, text = on_terminal("stderr", "compare", PROGRAMS / "gpt6.json", "--budgets",
                                   "70%,50%", "--planners", "knapsack,search,dtr", "--iterations",
                                   f"search={10**12}", "--csv", table, interrupt_at="search [")
        self.assertEqual(result.returncode, 130)
        self.assertIn("stopped: not every planner was asked", text)
        with open(table, encoding="utf-8", newline="") as file:
            rows = [(row["planner"], row["fits"]) for row in csv.DictReader(file)]
        self.assertEqual(rows, [("knapsack", "true")] * 2 + [("search", "true")] * 2)

    def test_a_plot_fits_the_terminal(self):
        result, text = on_terminal("stdout", "simulate", PROGRAMS / "gpt6.json", "keepall",
                                   "--timeline")
        self.assert_done(result)
        plot = [line for line in text.split("\r\n") if line.startswith("            |")]
        self.assertEqual(len(plot), 14)
        self.assertEqual(max(map(len, plot)) <= 69, True)

    def test_help_and_documentation_need_no_libtorch(self):
        for words in [("--help",), ("plan", "--help"), ("simulate", "-h"), ("planners",),
                      ("--version",), ("estimate",)]:
            with self.subTest(words):
                self.assertNotEqual(self.assert_done(reprise(*words)), b"")
        documentation = pathlib.Path(__file__).parents[2] / "docs" / "command_line.md"
        self.assertEqual(reprise("options").stdout, documentation.read_bytes())


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
        self.assert_refused(reprise("plan"), 2, "PROGRAM", "got none")
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
                            "--width: expected a multiple of --heads (3), got '10'")
        self.assert_refused(
            reprise("generate", "chain", "--batch", 10**6, "--width", 10**6, "--layers", 10**5), 2,
            "--layers, --width, --batch: expected small enough for at most 2^58 bytes in all, got")
        self.assert_refused(reprise("plan", gpt6, "--planner", "every_k", "--option", "n=2"), 2,
                            "--option of every_k: expected one of: k, got 'n'")
        self.assert_refused(reprise("plan", gpt6, "--planner", "every_k", "--option", "k=0"), 2,
                            "--option k of every_k: expected an integer from 1 to", "got '0'")

    def test_broken_files(self):
        good = json.loads((PROGRAMS / "unet.json").read_text())
        broken = {"cut.json": '{"format":', "empty.json": "", "list.json": "[]",
                  "other.json": '{"format": "reprise.estimate", "version": 1}',
                  "later.json": json.dumps({**good, "version": 2}),
                  "negative.json": json.dumps({**good, "resident_bytes": -1}),
                  "nan.json": json.dumps({**good, "step_us": float("nan")}),
                  "few.json": json.dumps({**good, "values": good["values"][:-1]})}
        for name, text in broken.items():
            with self.subTest(name):
                self.path(name).write_text(text)
                self.assert_refused(reprise("simulate", self.path(name), "keepall"), 3, name)
        self.assert_refused(reprise("plan", self.path("nowhere")), 3, "nowhere", "No such file")
        self.assert_refused(reprise("plan", PROGRAMS / "unet.json", "--out", self.path("no/s")), 3,
                            "no/s", "cannot be written")

    def test_a_schedule_of_another_program(self):
        schedule = self.path("schedule.json")
        self.assert_done(reprise("plan", PROGRAMS / "unet.json", "--budget", "80%", "--out",
                                 schedule))
        self.assert_refused(reprise("simulate", PROGRAMS / "gpt6.json", schedule), 3,
                            "schedule.json: program: must be ")

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_a_full_disk_is_noticed(self):
        with open("/dev/full", "wb") as full:
            result = reprise("generate", "chain", stdout=full)
        self.assertEqual(result.returncode, 3)


if __name__ == "__main__":
    main()
