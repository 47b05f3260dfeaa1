# SPDX-License-Identifier: Apache-2.0
"""`reprise train` under a byte budget, on tiny models: train_budget_end_to_end_test.py PATH_TO_REPRISE."""

import json

from end_to_end_case import main, reprise
from training_case import RUN_FIELDS, TrainingCase

# Planned in less than a second.
SMALL = ["--model", "gpt", "--layers", "1", "--dim", "16", "--heads", "2", "--context", "16",
         "--batch", "2", "--threads", "1"]


class BudgetCase(TrainingCase):
    def train(self, *words):
        return reprise("train", *SMALL, *words)

    def run_of(self, *words):
        run, = self.report(*words)["runs"]
        return run


class Budget(BudgetCase):
    def test_a_budget_lowers_the_peak_and_changes_no_bit(self):
        plain = self.run_of("--steps", 4)
        run = self.run_of("--steps", 4, "--budget", "70%")
        self.assertEqual(run["policy"], "budget=70%")
        self.assertEqual(set(run), RUN_FIELDS)
        self.assertEqual(run["state_crc32"], plain["state_crc32"])
        self.assertEqual(run["validation_loss"], plain["validation_loss"])
        self.assertLess(run["peak_bytes"], plain["peak_bytes"])
        self.assertLessEqual(run["predicted_peak_bytes"], run["budget_bytes"])
        self.assertGreater(run["segments"], 0)
        self.assertGreater(run["recomputed_ops"], 0)
        self.assertGreater(run["predicted_overhead"], 0)
        self.assertGreater(run["plan_ms"], 0)
        self.assertGreater(run["step_ms"], 0)
        self.assertLess(run["step_ms"], run["plan_ms"])
        self.assertEqual((run["departures"], run["reruns"]), (0, 0))
        self.assertRegex(run["segment_plan"], r"^\d+ replays before %d uses, by " % run["segments"])

    def test_a_policy_has_no_budget(self):
        run = self.run_of("--steps", 2, "--policy", "block")
        self.assertEqual([run[name] for name in ("budget_bytes", "predicted_peak_bytes", "plan_ms")],
                         [None] * 3)

    def test_all_of_the_peak_keeps_everything_and_is_predicted_to_the_byte(self):
        run = self.run_of("--steps", 3, "--budget", "100%")
        self.assertEqual((run["segments"], run["recomputed_ops"]), (0, 0))
        self.assertEqual(run["pass_peak_bytes"], run["predicted_peak_bytes"])
        self.assertEqual(run["budget_bytes"], run["predicted_peak_bytes"])

    def test_the_minimum_has_no_limit_and_the_lowest_peak(self):
        run = self.run_of("--steps", 3, "--budget", "minimum")
        self.assertIsNone(run["budget_bytes"])
        self.assertLess(run["predicted_peak_bytes"],
                        self.run_of("--steps", 3, "--budget", "90%")["predicted_peak_bytes"])

    def test_a_number_of_bytes_is_for_all_that_is_alive(self):
        plain = self.run_of("--steps", 3)
        limit = plain["total_peak_bytes"] - plain["peak_bytes"] // 5
        run = self.run_of("--steps", 3, "--policy", f"budget={limit}")
        self.assertEqual(run["state_crc32"], plain["state_crc32"])
        self.assertLess(run["total_peak_bytes"], plain["total_peak_bytes"])
        self.assertLess(run["budget_bytes"], limit)
        self.assertGreater(run["recomputed_ops"], 0)

    def test_accumulated_batches_are_passes_of_their_own(self):
        words = ("--steps", 3, "--accumulate", 2, "--bf16")
        plain = self.run_of(*words)
        run = self.run_of(*words, "--budget", "80%")
        self.assertEqual(run["state_crc32"], plain["state_crc32"])
        self.assertGreater(run["recomputed_ops"], 0)

    def test_a_step_that_plans_is_not_timed(self):
        # The first is recorded, the second planned.
        words = ("--steps", 2, "--warmup", 0, "--budget", "70%")
        self.assertEqual(self.run_of(*words)["step_ms"], 0)
        self.assertIn(" not timed ", self.assert_done(self.train(*words)).decode())

    def test_a_saved_run_goes_on_within_its_budget(self):
        plain = self.run_of("--steps", 5)
        state = self.path("run.state")
        self.assert_done(self.train("--steps", 2, "--budget", "70%", "--save", state))
        run = self.run_of("--steps", 5, "--resume", state)
        self.assertEqual(run["policy"], "budget=70%")
        self.assertEqual(run["state_crc32"], plain["state_crc32"])
        self.assertLess(run["peak_bytes"], plain["peak_bytes"])
        run = self.run_of("--steps", 6, "--resume", state, "--budget", "minimum")
        self.assertEqual(run["policy"], "budget=minimum")


class Overhead(BudgetCase):
    def test_a_larger_overhead_takes_fewer_bytes(self):
        plain = self.run_of("--steps", 3)
        none, some = (self.run_of("--steps", 3, "--overhead", share) for share in ("0%", "30%"))
        self.assertEqual(some["policy"], "overhead=30%")
        self.assertIsNone(some["budget_bytes"])
        self.assertEqual((none["recomputed_ops"], none["predicted_overhead"]), (0, 0))
        self.assertGreater(some["recomputed_ops"], 0)
        self.assertLessEqual(some["predicted_overhead"], .3)
        self.assertLess(some["predicted_peak_bytes"], none["predicted_peak_bytes"])
        self.assertEqual(some["pass_peak_bytes"], some["predicted_peak_bytes"])
        self.assertEqual({run["state_crc32"] for run in (none, some)}, {plain["state_crc32"]})

    def test_it_stays_within_a_budget_that_is_given_too_also_when_it_goes_on(self):
        state = self.path("run.state")
        words = ("--budget", "90%", "--overhead", "20%")
        self.assert_done(self.train("--steps", 2, *words, "--save", state))
        for run in (self.run_of("--steps", 3, *words), self.run_of("--steps", 5, "--resume", state)):
            self.assertEqual(run["policy"], "budget=90%+overhead=20%")
            self.assertLessEqual(run["predicted_peak_bytes"], run["budget_bytes"])
            self.assertLessEqual(run["predicted_overhead"], .2)

    def test_it_stands_beside_budgets_in_a_comparison(self):
        policies = ["none", "overhead=20%", "budget=95%+overhead=20%", "budget=290KiB+overhead=30%"]
        runs = self.report("--steps", 1, "--compare", ",".join(policies))["runs"]
        self.assertEqual([run["policy"] for run in runs], policies)
        self.assertEqual([run["bit_equal"] for run in runs], [True] * 4)
        for run in runs[1:]:
            self.assertLessEqual(run["predicted_overhead"], .3)
            self.assertLess(run["predicted_peak_bytes"], runs[0]["peak_bytes"])


class Compare(BudgetCase):
    def test_budgets_stand_beside_policies(self):
        result = self.train("--steps", 3, "--compare", "none,block,budget=80%,budget=290KiB", "--json",
                            self.path("run.json"))
        lines = self.assert_done(result).decode().splitlines()
        runs = json.loads(self.path("run.json").read_text())["runs"]
        self.assertEqual([run["policy"] for run in runs],
                         ["none", "block", "budget=80%", "budget=290KiB"])
        self.assertEqual([run["bit_equal"] for run in runs], [True] * 4)
        none, _, share, size = runs
        self.assertLess(share["peak_bytes"], none["peak_bytes"])
        self.assertLessEqual(size["total_peak_bytes"], 290 * 1024)
        self.assertGreater(share["recomputed_ops"], 0)
        self.assertGreater(share["step_ms"], 0)
        self.assertRegex(lines[7], rf"^budget=80% +{share['segments']} .*yes$")
        self.assertRegex(lines[10], r"^forward and backward +limit +peak predicted +measured ")
        self.assertEqual([line.split()[0] for line in lines[12:]], ["budget=80%", "budget=290KiB"])

    def test_one_step_is_enough_as_it_follows_the_plan_at_once(self):
        _, share, size = self.report("--steps", 1, "--compare", "none,budget=80%,budget=290KiB")["runs"]
        self.assertGreater(share["step_ms"], 0)
        self.assertGreater(size["step_ms"], 0)
        self.assertGreater(share["overhead"], -1)

    def test_memory_of_a_budget_does_not_depend_on_the_others(self):
        # With everything kept there is nothing to decide by times, which are never the same.
        alone = self.report("--steps", 1, "--compare", "budget=100%")["runs"][1]
        among = self.report("--steps", 1, "--compare", "block,none,budget=100%")["runs"][2]
        self.assertEqual(alone["peak_bytes"], among["peak_bytes"])
        self.assertEqual(alone["total_peak_bytes"], among["total_peak_bytes"])


class Files(BudgetCase):
    def test_a_recorded_pass_is_planned_elsewhere_and_followed(self):
        program, schedule, plan = (self.path(name) for name in ("p.json", "s.json", "plan.json"))
        plain = self.run_of("--steps", 4)
        self.assert_done(self.train("--steps", 2, "--budget", "100%", "--save-program", program))
        text = self.assert_done(reprise("plan", program, "--budget", "70%", "--out", schedule, "--json",
                                        plan))
        self.assertRegex(text.decode(), r"^gpt: \d+ forward ops")

        run = self.run_of("--steps", 4, "--schedule", schedule)
        planned = json.loads(plan.read_text())
        self.assertEqual(run["policy"], f"schedule={schedule}")
        self.assertEqual(run["predicted_peak_bytes"], planned["peak_bytes"])
        self.assertEqual(run["segments"], len(planned["schedule"]["replays"]))
        self.assertEqual(run["plan_ms"], 0)
        self.assertEqual(run["state_crc32"], plain["state_crc32"])
        self.assertLess(run["peak_bytes"], plain["peak_bytes"])
        self.assertEqual(self.run_of("--steps", 3, "--budget", "90%", "--schedule",
                                     schedule)["predicted_peak_bytes"], planned["peak_bytes"])

    def test_the_schedule_of_a_run_is_followed_by_another(self):
        program, schedule, again = (self.path(name) for name in ("p.json", "s.json", "again.json"))
        first = self.run_of("--steps", 3, "--budget", "70%", "--save-program", program,
                            "--save-schedule", schedule)
        simulation = self.path("simulation.json")
        self.assert_done(reprise("simulate", program, schedule, "--json", simulation))
        self.assertEqual(json.loads(simulation.read_text())["peak_bytes"],
                         first["predicted_peak_bytes"])
        second = self.run_of("--steps", 3, "--schedule", schedule, "--save-schedule", again)
        for name in ("predicted_peak_bytes", "pass_peak_bytes", "segments", "recomputed_ops"):
            self.assertEqual(second[name], first[name])
        self.assertEqual(schedule.read_bytes(), again.read_bytes())

    def test_a_schedule_of_another_step_is_refused_in_one_line(self):
        schedule = self.path("s.json")
        self.assert_done(self.train("--steps", 2, "--budget", "90%", "--save-schedule", schedule))
        result = reprise("train", "--model", "unet", "--layers", 1, "--dim", 4, "--image-size", 16,
                         "--batch", 2, "--threads", 1, "--steps", 3, "--schedule", schedule)
        self.assertEqual(result.returncode, 3)
        self.assertRegex(result.stderr.decode().splitlines()[-1],
                         "^reprise train: .*s.json: the given schedule does not fit this step: program: "
                         "must be [0-9a-f]{64}, this program's hash, got [0-9a-f]{64}: it was made for "
                         "another step, and model, sizes, batch, .* must be as they were$")

    def test_the_number_of_threads_is_part_of_a_step(self):
        schedule = self.path("s.json")
        self.assert_done(self.train("--steps", 2, "--budget", "90%", "--save-schedule", schedule))
        words = [*SMALL[:-1], 2]  # instead of 1
        result = reprise("train", *words, "--steps", 3, "--schedule", schedule)
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("number of threads must be as they were",
                      result.stderr.decode().splitlines()[-1])

    def test_files_that_are_no_schedule_are_refused(self):
        self.assert_refused(self.train("--schedule", self.path("nowhere")), 3, "nowhere", "No such file")
        self.path("s.json").write_text("{}")
        self.assert_refused(self.train("--schedule", self.path("s.json")), 3, "s.json")
        self.assert_refused(self.train("--schedule", "s.json", "--save-schedule", "s.json"), 2,
                            "--save-schedule: expected another file than that of the schedule")


class Refusals(BudgetCase):
    def test_a_budget_that_no_plan_meets_ends_with_code_5_and_the_smallest_that_one_does(self):
        for words, name in ((("--budget", "5%"), "--budget"), (("--policy", "budget=5%"), "--policy"),
                            (("--compare", "budget=5%"), "--compare: budget=5%")):
            with self.subTest(words):
                result = self.train("--steps", 3, *words)
                self.assertEqual(result.returncode, 5, result.stderr)
                self.assertRegex(result.stderr.decode().splitlines()[-1],
                                 rf"^reprise train: {name}: expected at least .* bytes\), got .* needs ")

    def test_options_that_do_not_fit_together_are_refused(self):
        cases = [(("--budget", "50%", "--policy", "block"), "--budget: expected without --policy"),
                 (("--budget", "50%", "--compare", "block"), "--budget: expected without --compare"),
                 (("--schedule", "x", "--policy", "block"), "--schedule: expected without --policy"),
                 (("--overhead", "5%", "--policy", "block"), "--overhead: expected without --policy"),
                 (("--overhead", "5%", "--schedule", "x"), "--overhead: expected without --schedule"),
                 (("--overhead", "0.1"), "--overhead: expected a share of a plain step's time (10%)",
                  "got '0.1'"),
                 (("--compare", "overhead=x"), "--compare: expected a share", "got 'x'"),
                 (("--budget", "lots"), "--budget: expected bytes", "got 'lots'"),
                 (("--budget", "0"), "--budget: expected bytes above 0", "got '0'"),
                 (("--policy", "budget=101%"), "--policy: expected bytes above 0", "got '101%'"),
                 (("--compare", "budget=50%,budget=50%"), "--compare: expected each policy once"),
                 (("--compare", "none", "--save-program", "x"),
                  "--save-program: expected without --compare"),
                 (("--policy", "blok"), "budget=BYTES, overhead=SHARE, schedule=FILE, got 'blok'")]
        for words, *parts in cases:
            with self.subTest(words):
                self.assert_refused(self.train(*words), 2, *parts)

    def test_what_no_budget_has_recorded_cannot_be_saved(self):
        for option in ("--save-program", "--save-schedule"):
            self.assert_refused(self.train(option, self.path("x.json")), 2,
                                option + ": expected together with --budget, --overhead or "
                                "--schedule, got alone")
        result = self.train("--steps", 1, "--budget", "50%", "--save-schedule", self.path("x.json"))
        self.assertEqual(result.returncode, 2)
        self.assertEqual(result.stderr.decode().splitlines()[-1],
                         "reprise train: --save-schedule: expected steps of which one is planned (the "
                         "second), got 1")
        self.assertFalse(self.path("x.json").exists())


if __name__ == "__main__":
    main()
