# SPDX-License-Identifier: Apache-2.0
"""`reprise train --compare` on tiny models: train_compare_end_to_end_test.py PATH_TO_REPRISE."""

import json
import signal

from end_to_end_case import main, reprise, start
from training_case import AUDIO, RUN_FIELDS, TINY, TrainingCase, changing


class Compare(TrainingCase):
    def test_every_policy_is_bit_equal_and_the_json_has_every_field(self):
        report = self.report("--steps", 3, "--compare", "none,block,every=2,attention")
        self.assertEqual((report["format"], report["version"]), ("reprise.run", 1))
        self.assertEqual((report["seed"], report["steps"], report["unit"]), (1, 3, "tokens"))
        self.assertTrue(report["synthetic"])
        runs = report["runs"]
        self.assertEqual([run["policy"] for run in runs], ["none", "block", "every=2", "attention"])
        self.assertEqual([set(run) for run in runs], [RUN_FIELDS] * 4)
        self.assertEqual([run["bit_equal"] for run in runs], [True] * 4)
        self.assertEqual([run["segments"] for run in runs], [0, 3, 1, 3])
        self.assertEqual(len({run["state_crc32"] for run in runs}), 1)
        self.assertEqual(len({run["loss"] for run in runs}), 1)

    def test_regions_lower_the_peak_and_rerun_once_per_step(self):
        none, block = self.report("--steps", 2, "--compare", "none,block", "--recompute",
                                  "rerun")["runs"]
        self.assertEqual(none["peak_bytes"], none["baseline_peak_bytes"])
        self.assertEqual(none["peak_bytes"], block["baseline_peak_bytes"])
        self.assertLess(block["peak_bytes"], none["peak_bytes"])
        self.assertGreater(none["total_peak_bytes"], none["peak_bytes"])
        self.assertEqual((none["reruns"], block["reruns"]), (0, 3))
        self.assertEqual(none["overhead"], 0)

    def test_regions_that_replay_never_rerun_and_run_fewer_ops(self):
        words = "--steps", 2, "--compare", "none,block"
        replayed = self.report(*words)["runs"]
        rerun = self.report(*words, "--recompute", "rerun")["runs"]
        self.assertEqual([run["bit_equal"] for run in replayed + rerun], [True] * 4)
        self.assertEqual({run["state_crc32"] for run in replayed},
                         {run["state_crc32"] for run in rerun})
        self.assertEqual(replayed[1]["reruns"], 0)
        self.assertGreater(replayed[1]["recomputed_ops"], 0)
        self.assertLess(replayed[1]["recomputed_ops"], rerun[1]["recomputed_ops"])

    def test_memory_of_a_policy_does_not_depend_on_the_others(self):
        alone = self.report("--steps", 2, "--compare", "none")["runs"][0]
        among = self.report("--steps", 2, "--compare", "block,every=2,none")["runs"][2]
        self.assertEqual(alone["peak_bytes"], among["peak_bytes"])
        self.assertEqual(alone["total_peak_bytes"], among["total_peak_bytes"])

    def test_the_baseline_runs_even_if_it_is_not_named(self):
        runs = self.report("--steps", 2, "--compare", "block")["runs"]
        self.assertEqual([run["policy"] for run in runs], ["none", "block"])

    def test_autocast_accumulation_and_clipping_stay_bit_equal(self):
        runs = self.report("--steps", 3, "--compare", "none,block", "--bf16", "--accumulate", 2,
                           "--clip", 0.5, "--dropout", 0.2, "--recompute", "rerun")["runs"]
        self.assertEqual([run["bit_equal"] for run in runs], [True, True])
        self.assertEqual([run["reruns"] for run in runs], [0, 6])

    def test_the_strip_goes_to_standard_output(self):
        result = self.train("--steps", 2, "--compare", "block", "--json", self.path("run.json"))
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = result.stdout.decode().splitlines()
        self.assertRegex(lines[3], r"^policy +segments +peak +of plain +step +overhead .*bit-equal$")
        self.assertRegex(lines[6], r"^block +3 .*yes$")
        self.assertEqual(len(json.loads(self.path("run.json").read_text())["runs"]), 2)

    def check_model(self, *words):
        result = reprise("train", *words, "--batch", 2, "--steps", 2, "--threads", 1, "--compare",
                         "none,block", "--json", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        report = json.loads(result.stdout)
        self.assertTrue(report["synthetic"])
        self.assertIn(b"synthetic", result.stderr)
        self.assertEqual([run["bit_equal"] for run in report["runs"]], [True, True])

    def test_a_policy_that_ends_with_other_bits_fails_with_code_4(self):
        # No policy does that by itself, so the data are changed while it runs: each run reads others.
        folder = self.wav_folder()
        with changing(folder / "1.wav"):
            result = reprise("train", *AUDIO, "--data", folder, "--steps", 20, "--compare", "none,block",
                             "--json", self.path("run.json"))
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertEqual(result.stderr.decode().splitlines()[-1],
                         "reprise train: --compare: expected every policy to end bit-equal to none, "
                         "got 'block', which differs")
        runs = json.loads(self.path("run.json").read_text())["runs"]
        self.assertEqual([run["bit_equal"] for run in runs], [True, False])

    def test_ctrl_c_ends_a_comparison_without_a_result(self):
        process = start("train", *TINY, "--steps", 1000000, "--compare", "block", "--json",
                        self.path("run.json"))
        first = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertIn(b"loss", first)
        self.assertEqual(err.splitlines()[-1],
                         b"reprise train: interrupted during the comparison; there is no result")
        self.assertNotIn(b"bit-equal", out)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_the_best_k_is_compared(self):
        runs = self.report("--steps", 2, "--compare", "none,best")["runs"]
        self.assertEqual([run["bit_equal"] for run in runs], [True, True])
        self.assertGreater(runs[1]["segments"], 0)

    def test_policies_wait_for_sequences_that_are_long_enough(self):
        def segments(length):
            runs = self.report("--steps", 2, "--compare", "none,block,attention",
                               "--policy-from-length", length)["runs"]
            return [run["segments"] for run in runs]
        self.assertEqual(segments(16), [0, 3, 3])  # --context is 16
        self.assertEqual(segments(17), [0, 0, 0])

    def test_a_cnn_has_the_depths_that_are_given(self):
        result = reprise("train", "--model", "cnn", "--depths", "1,2", "--dim", 4, "--image-size", 16,
                         "--batch", 2, "--steps", 1, "--compare", "block", "--json", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        report = json.loads(result.stdout)
        self.assertEqual(report["model"], "cnn: depths 1-2, width 4, 10 classes")
        self.assertEqual([run["segments"] for run in report["runs"]], [0, 3])

    def test_blocks_are_measured_under_the_autocast_that_trains(self):
        def plan(*words):
            result = reprise("train", "--model", "unet", "--layers", 2, "--dim", 4, "--image-size", 16,
                             "--batch", 2, "--steps", 1, "--policy", "bytes=4", "--json", "-", *words)
            self.assertEqual(result.returncode, 0, result.stderr)
            return json.loads(result.stdout)["runs"][0]["segment_plan"]
        # BatchNorm keeps floats, convolutions do not: the balance moves.
        self.assertNotEqual(plan(), plan("--bf16"))

    def test_an_lstm_is_compared(self):
        self.check_model("--model", "lstm", "--dim", 16, "--context", 8)

    def test_an_audio_encoder_is_compared(self):
        self.check_model("--model", "audio", "--layers", 2, "--dim", 16, "--heads", 2, "--context",
                         4000)

    def test_a_cnn_with_batch_norm_is_compared(self):
        self.check_model("--model", "cnn", "--dim", 4, "--image-size", 16)

    def test_a_unet_is_compared(self):
        self.check_model("--model", "unet", "--layers", 2, "--dim", 4, "--image-size", 16)


if __name__ == "__main__":
    main()
