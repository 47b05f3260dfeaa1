# SPDX-License-Identifier: Apache-2.0
"""Runs the built program on programs and schedules: plan_end_to_end_test.py PATH_TO_REPRISE.

It needs no libtorch.
"""

import csv
import json
import os
import pathlib

from end_to_end_case import PROGRAMS, EndToEndCase, main, on_terminal, one_op, reprise, told_defaults


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

    def interrupt_plan(self, program, *options):
        """Stops `plan` by Ctrl-C once it shows progress; what `simulate` says of its schedule."""
        schedule = self.path("schedule.json")
        result, _ = on_terminal("stderr", "plan", PROGRAMS / program, *options, "--iterations",
                                10**12, "--out", schedule, interrupt_at="plan [")
        self.assertEqual(result.returncode, 130)
        self.assertIn(b", stopped\n", result.stdout)
        return json.loads(self.assert_done(reprise(
            "simulate", PROGRAMS / program, schedule, "--json", "-")))

    def test_an_interrupted_plan_is_the_best_so_far(self):
        simulation = self.interrupt_plan("gpt6.json", "--budget", "50%")
        self.assertLessEqual(simulation["peak_bytes"], simulation["schedule"]["budget_bytes"])

    def test_an_interrupted_search_for_the_minimum_keeps_the_lowest_schedule(self):
        simulation = self.interrupt_plan("lstm300.json", "--planner", "search")
        self.assertEqual(simulation["peak_bytes"], simulation["schedule"]["budget_bytes"])
        self.assertLess(simulation["peak_bytes"], simulation["keep_all_peak_bytes"])

    def test_a_dash_is_standard_output_for_every_file(self):
        unet = PROGRAMS / "unet.json"
        plan = reprise("plan", unet, "--budget", "80%", "--iterations", 2, "--out", "-")
        self.assertEqual(json.loads(self.assert_done(plan))["format"], "reprise.schedule")
        self.assertIn(b"planned by ", plan.stderr)
        timeline = reprise("simulate", unet, "keepall", "--csv", "-", "--timeline")
        self.assertEqual(self.assert_done(timeline)[:5], b"slot,")
        table = reprise("compare", unet, "--budgets", 1, "--planners", "knapsack", "--csv", "-")
        self.assertEqual(self.assert_done(table)[:8], b"planner,")

    def test_files_are_written_though_nobody_reads_the_text(self):
        timeline = self.path("timeline.csv")
        reading, writing = os.pipe()
        os.close(reading)
        result = reprise("simulate", PROGRAMS / "gpt24.json", "keepall", "--timeline", "--csv",
                         timeline, stdout=writing)
        os.close(writing)
        self.assertNotEqual(result.returncode, 0)
        self.assertTrue(timeline.read_text().endswith("\n"))

    def test_names_stay_on_their_line(self):
        self.path("p.json").write_text(json.dumps(one_op(name="a\nb\x1b[31m")))
        text = self.assert_done(reprise("simulate", self.path("p.json"), "keepall"))
        self.assertEqual(text.splitlines()[0][:10], b"a?b?[31m: ")

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

    def test_a_comparison_that_is_interrupted_at_its_bounds_asks_no_planner(self):
        report = self.path("report.json")
        result, text = on_terminal("stderr", "compare", PROGRAMS / "lstm300.json", "--budgets", 1000,
                                   "--json", report, interrupt_at="bounds [")
        self.assertEqual(result.returncode, 130)
        self.assertIn("stopped: not every planner was asked", text)
        frontier = json.loads(report.read_text())
        self.assertEqual((frontier["stopped"], frontier["planners"]), (True, []))
        self.assertEqual(len(frontier["budgets"]), 1000)

    def test_a_plot_fits_the_terminal(self):
        result, text = on_terminal("stdout", "simulate", PROGRAMS / "gpt6.json", "keepall",
                                   "--timeline")
        self.assert_done(result)
        plot = [line for line in text.split("\r\n") if line.startswith("            |")]
        self.assertEqual(len(plot), 14)
        self.assertEqual(max(map(len, plot)) <= 69, True)

    def test_steps_with_next_to_nothing_in_them_are_planned(self):
        external = {"id": 0, "bytes": 8, "external": True}
        nothing = one_op(forward_peak_bytes=[], values=[], recipes=[], uses=[])
        programs = {"nothing": nothing,
                    "one op": one_op(),
                    "forward only": one_op(uses=[]),
                    "nothing to run again": one_op(
                        recipes=[], values=[{**one_op()["values"][0], "recipe": None}]),
                    "parameters only": {**nothing, "values": [external],
                                        "uses": [{**one_op()["uses"][0], "needs": [0]}]}}
        for name, program in programs.items():
            with self.subTest(name):
                path, schedule = self.path("p.json"), self.path("s.json")
                path.write_text(json.dumps(program))
                self.assert_done(reprise("plan", path, "--out", schedule))
                report = json.loads(self.assert_done(reprise("simulate", path, schedule, "--json", "-")))
                self.assertEqual(report["peak_bytes"], report["keep_all_peak_bytes"])
                self.assert_done(reprise("simulate", path, schedule, "--timeline"))
                frontier = json.loads(self.assert_done(reprise("compare", path, "--json", "-")))
                self.assertEqual(len(frontier["budgets"]), 10)

    def test_sizes_that_are_not_given_are_those_that_the_documentation_tells(self):
        for kind, count in (("transformer", 5), ("unet", 5), ("resnet", 4), ("chain", 3), ("random", 2)):
            with self.subTest(kind):
                words = told_defaults("generate", kind)
                self.assertEqual(len(words), 2 * count, words)
                self.assertEqual(self.assert_done(reprise("generate", kind, *words)),
                                 self.assert_done(reprise("generate", kind)))

    def test_help_and_documentation_need_no_libtorch(self):
        for words in [("--help",), ("plan", "--help"), ("simulate", "-h"), ("planners",),
                      ("--version",), ("estimate",)]:
            with self.subTest(words):
                self.assertNotEqual(self.assert_done(reprise(*words)), b"")
        documentation = pathlib.Path(__file__).parents[2] / "docs" / "command_line.md"
        self.assertEqual(reprise("options").stdout, documentation.read_bytes())



if __name__ == "__main__":
    main()
