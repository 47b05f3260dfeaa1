# SPDX-License-Identifier: Apache-2.0
"""`reprise verify` on tiny models: verify_end_to_end_test.py PATH_TO_REPRISE."""

from end_to_end_case import main, reprise
from training_case import AUDIO, TrainingCase, changing

SMALL = ["--batch", "2", "--threads", "1"]
GPT = ["--model", "gpt", "--layers", "1", "--dim", "16", "--heads", "2", "--context", "16", *SMALL]
UNET = ["--model", "unet", "--layers", "1", "--dim", "4", "--image-size", "16", *SMALL]


class Verify(TrainingCase):
    def test_every_bit_is_that_of_plain_training(self):
        text = self.assert_done(reprise("verify", *GPT, "--budget", "75%", "--steps", 4)).decode()
        lines = text.splitlines()
        self.assertRegex(lines[2], r"^budget=75%: 3 of 4 passes by plan, in the last [1-9]\d* ops "
                                   r"recomputed; peak .* KiB, predicted .* KiB, with everything kept ")
        rows = [line.split() for line in lines[6:] if "  " in line]
        self.assertIn(["tok.weight", "0", "0"], rows)
        self.assertIn(["head.weight", "0", "0"], rows)
        self.assertEqual({tuple(row[-2:]) for row in rows}, {("0", "0"), ("-", "0")})
        self.assertEqual(lines[-2], "state of the random generator: equal")
        self.assertRegex(lines[-1], r"^bit-equal after 4 steps: \d+ parameters and their gradients, "
                                    r"1 buffers, the generator$")

    def test_statistics_and_accumulated_batches_are_verified_too(self):
        text = self.assert_done(reprise("verify", *UNET, "--budget", "85%", "--steps", 3, "--accumulate",
                                        2, "--bf16")).decode()
        self.assertRegex(text, r"running_mean \(buffer\) +- +0\n")
        self.assertRegex(text, r"num_batches_tracked \(buffer\) +- +0\n")
        self.assertIn(", 18 buffers, the generator\n", text)

    def test_paranoid_replays_every_op_at_once(self):
        for words in (GPT, UNET):
            with self.subTest(words[1]):
                text = self.assert_done(reprise("verify", *words, "--budget", "85%", "--paranoid"))
                self.assertEqual(text.decode().splitlines()[-1],
                                 "every op of forward was replayed at once and gave the same bits")

    def test_a_difference_is_counted_in_ulp_and_ends_with_code_4(self):
        # No budget makes one by itself, so the data are changed while it runs: each run reads others.
        folder = self.wav_folder()
        with changing(folder / "1.wav"):
            result = reprise("verify", *AUDIO, "--data", folder, "--steps", 20, "--budget", "90%")
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertRegex(result.stderr.decode().splitlines()[-1],
                         "^reprise verify: expected every bit as in plain training, got a difference in "
                         "the gradient of ")
        self.assertRegex(result.stdout.decode(), r"\n[a-z.0-9]+weight +[1-9][\d,]* +[1-9][\d,]*\n")
        self.assertNotIn(b"bit-equal", result.stdout)

    def test_an_overhead_may_be_named_in_place_of_a_budget_or_beside_it(self):
        for words, policy in ((("--overhead", "20%"), "overhead=20%"),
                              (("--budget", "90%", "--overhead", "20%"), "budget=90%+overhead=20%")):
            with self.subTest(policy):
                text = self.assert_done(reprise("verify", *GPT, *words)).decode()
                self.assertTrue(text.splitlines()[2].startswith(policy + ": 2 of 3 passes by plan"), text)

    def test_a_budget_that_no_plan_meets_ends_with_code_5(self):
        result = reprise("verify", *GPT, "--budget", "5%")
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assertRegex(result.stderr.decode().splitlines()[-1],
                         "^reprise verify: --budget: expected at least ")

    def test_wrong_options_are_refused_in_one_line(self):
        cases = [(("--steps", 1), "--steps: expected an integer in [2, 1000000000], got '1'"),
                 (("--overhead", "-1%"), "--overhead: expected a share of a plain step's time (10%), got"),
                 (("--budget", "0%"), "--budget: expected bytes above 0, a share in (0%, 100%]"),
                 (("--model", "cnn", "--heads", 2), "--heads: expected given for --model gpt, audio")]
        for words, message in cases:
            with self.subTest(words):
                self.assert_refused(reprise("verify", *words), 2, message)


if __name__ == "__main__":
    main()
