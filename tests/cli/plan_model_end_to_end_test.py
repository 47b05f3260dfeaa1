# SPDX-License-Identifier: Apache-2.0
"""Plans steps of models that are not run: plan_model_end_to_end_test.py PATH_TO_REPRISE.

It needs libtorch.
"""

import json
import resource

from end_to_end_case import PROGRAMS, EndToEndCase, main, reprise, told_defaults

SMALL = {"gpt": ["--layers", 3, "--dim", 16, "--heads", 2, "--context", 16],
         "lstm": ["--dim", 16, "--context", 12],
         "audio": ["--layers", 1, "--dim", 16, "--heads", 2, "--context", 1600],
         "cnn": ["--dim", 4, "--depths", "1,1", "--image-size", 16],
         "unet": ["--dim", 4, "--layers", 2, "--image-size", 16]}
GPT3 = ["--model", "gpt", "--layers", 96, "--dim", 12288, "--heads", 96, "--context", 2048,
        "--batch", 1]


class Models(EndToEndCase):
    def test_each_model_is_planned_and_its_program_planned_again(self):
        for model, sizes in SMALL.items():
            with self.subTest(model):
                program, schedule = self.path("program.json"), self.path("schedule.json")
                words = ("--budget", "minimum", "--iterations", 300)
                plan = json.loads(self.assert_done(reprise(
                    "plan", "--model", model, *sizes, "--batch", 2, *words, "--out", schedule,
                    "--save-program", program, "--json", "-")))
                self.assertEqual(plan["fits"], True)
                self.assertEqual(plan["program"]["name"].split(":")[0], model)
                self.assertGreater(plan["model"]["parameter_bytes"], 0)
                self.assertEqual(json.loads(program.read_text())["device"], "meta")
                again = json.loads(self.assert_done(reprise(
                    "plan", program, *words, "--json", "-")))
                self.assertEqual(again["schedule"], json.loads(schedule.read_text()))

    def test_a_step_that_no_machine_here_could_run_takes_little_memory(self):
        plan = json.loads(self.assert_done(reprise(
            "plan", *GPT3, "--gradients", "there", "--budget", "40%", "--iterations", 300, "--json",
            "-")))
        self.assertEqual(plan["fits"], True)
        self.assertEqual(plan["model"]["there_gradient_bytes"],
                         plan["model"]["parameter_bytes"] - 2048 * 2048)  # the mask is a buffer
        self.assertGreater(plan["model"]["parameter_bytes"], 600 * 2**30)
        self.assertGreater(plan["keep_all_peak_bytes"], 500 * 2**30)
        peak_kib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        self.assertLess(peak_kib, 2 * 2**20)

    def test_a_plan_that_was_made_of_a_model_is_followed_in_training(self):
        schedule = self.path("schedule.json")
        words = ("--model", "gpt", *SMALL["gpt"], "--batch", 2, "--threads", 1)
        self.assert_done(reprise("plan", *words, "--budget", "70%", "--out", schedule))
        run = json.loads(self.assert_done(reprise(
            "train", *words, "--steps", 4, "--validation-batches", 0, "--schedule", schedule,
            "--json", "-")))["runs"][0]
        self.assertEqual(run["pass_peak_bytes"], run["predicted_peak_bytes"])
        self.assertEqual(run["departures"], 0)
        self.assertGreater(run["recomputed_ops"], 0)

    def test_times_go_by_the_speed_of_the_machine(self):
        def step_us(*words):
            return json.loads(self.assert_done(reprise(
                "plan", "--model", "gpt", *SMALL["gpt"], "--planner", "keep_all", "--budget", "100%",
                *words, "--json", "-")))["program"]["step_us"]
        slow = step_us("--gflops", 10, "--gbytes-per-s", 1)
        fast = step_us("--gflops", 20, "--gbytes-per-s", 2)
        self.assertAlmostEqual(slow, 2 * fast, delta=1e-6 * slow)

    def test_text_says_that_times_are_estimates(self):
        text = self.assert_done(reprise("plan", "--model", "cnn", *SMALL["cnn"], "--budget", "90%",
                                        "--gflops", 50)).decode()
        self.assertIn("\ntimes are estimates, at 50 GFLOP/s and 100 GB/s; ", text)


class Defaults(EndToEndCase):
    def program_of(self, model, *words):
        program = self.path("program.json")
        self.assert_done(reprise("plan", "--model", model, "--batch", 2, "--planner", "keep_all",
                                 "--budget", "100%", "--save-program", program, *words))
        return program.read_bytes()

    def test_of_sizes_are_those_that_the_documentation_tells(self):
        for model, count in (("gpt", 6), ("lstm", 2), ("audio", 5), ("cnn", 4), ("unet", 4)):
            with self.subTest(model):
                words = told_defaults("plan", model)
                self.assertEqual(len(words), 2 * count, words)
                self.assertEqual(self.program_of(model, *words), self.program_of(model))

    def test_that_do_not_fit_a_size_that_is_given_are_told(self):
        self.assert_refused(reprise("train", "--dim", 64), 2,
                            "--dim: expected a multiple of --heads (6), got '64': 4 heads would do")


class Refusals(EndToEndCase):
    def test_sizes_that_do_not_fit_together(self):
        for words, message in (
                (("gpt", "--dim", 10, "--heads", 3),
                 "--dim: expected a multiple of --heads (3), got '10': 2 heads would do"),
                (("lstm", "--heads", 2), "--heads: expected given for --model gpt, audio only, got 'lstm'"),
                (("cnn", "--depths", "1,x"), "--depths: expected positive integers"),
                (("unet", "--image-size", 30), "--image-size: expected a multiple of 2^--layers")):
            with self.subTest(words):
                self.assert_refused(reprise("plan", "--model", *words), 2, "reprise plan: " + message)

    def test_a_budget_that_gradients_alone_pass(self):
        self.assert_refused(reprise("plan", *GPT3, "--budget", "40%", "--iterations", 300), 5,
                            "--budget: expected at least ", " of that are gradients (--gradients there: ")

    def test_a_program_beside_a_model(self):
        self.assert_refused(reprise("plan", PROGRAMS / "unet.json", "--model", "unet"), 2,
                            "--model: expected no PROGRAM beside it, got '")


if __name__ == "__main__":
    main()
