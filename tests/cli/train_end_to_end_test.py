# SPDX-License-Identifier: Apache-2.0
"""`reprise train` on tiny models: train_end_to_end_test.py PATH_TO_REPRISE."""

import json
import math

from end_to_end_case import main, reprise
from training_case import AUDIO, RUN_FIELDS, TEXT, TrainingCase, idx


class Train(TrainingCase):
    def test_a_model_learns_a_text_and_shows_a_sample(self):
        self.path("text").write_bytes(TEXT)
        result = self.train("--text", self.path("text"), "--steps", 60, "--lr", 0.01, "--json",
                            self.path("run.json"), "--sample", 40)
        self.assertEqual(result.returncode, 0, result.stderr)
        report = json.loads(self.path("run.json").read_text())
        self.assertFalse(report["synthetic"])
        self.assertLess(report["runs"][0]["validation_loss"], math.log(256) - 2)
        self.assertIn(b"validation loss", result.stdout)
        self.assertIn(b"sample, after the held-out text", result.stdout)

    def test_an_audio_encoder_learns_from_a_folder_of_recordings(self):
        report = self.report_of(*AUDIO, "--data", self.wav_folder(), "--compare", "none,block")
        self.assertIn("2 WAV files to train on, 1 to validate on, 16000 Hz", report["data"])

    def test_a_cnn_learns_from_images_with_labels(self):
        self.path("images").write_bytes(idx(20, 16, 16, content=bytes(i % 251 for i in range(5120))))
        self.path("labels").write_bytes(idx(20, content=bytes(i % 3 for i in range(20))))
        report = self.report_of("--model", "cnn", "--dim", 4, "--classes", 3, "--batch", 2, "--data",
                                self.path("images"), "--labels", self.path("labels"), "--compare",
                                "none,block")
        self.assertIn("18 images of 16 x 16 to train on, 2 to validate on", report["data"])

    def test_a_unet_learns_from_images(self):
        self.path("images").write_bytes(idx(20, 16, 16, content=bytes(i % 251 for i in range(5120))))
        report = self.report_of("--model", "unet", "--layers", 2, "--dim", 4, "--classes", 2, "--batch",
                                2, "--data", self.path("images"), "--compare", "none,block")
        self.assertIn("18 images of 16 x 16", report["data"])

    def report_of(self, *words):
        result = reprise("train", *words, "--steps", 2, "--json", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        report = json.loads(result.stdout)
        self.assertFalse(report["synthetic"])
        self.assertEqual([run["bit_equal"] for run in report["runs"]], [True, True])
        return report

    def test_a_run_alone_is_compared_with_nothing(self):
        run, = self.report("--steps", 2, "--policy", "block")["runs"]
        self.assertEqual(set(run), RUN_FIELDS)
        self.assertEqual((run["bit_equal"], run["overhead"], run["baseline_peak_bytes"]),
                         (None, None, None))

    def test_a_policy_does_not_change_the_result(self):
        plain = self.report("--steps", 3, "--policy", "none")["runs"][0]
        regions = self.report("--steps", 3, "--policy", "sqrt")["runs"][0]
        self.assertEqual(plain["state_crc32"], regions["state_crc32"])
        self.assertEqual(plain["validation_loss"], regions["validation_loss"])

    def test_a_seed_changes_the_result(self):
        one = self.report("--steps", 2, "--seed", 1)["runs"][0]
        two = self.report("--steps", 2, "--seed", 2)["runs"][0]
        self.assertNotEqual(one["state_crc32"], two["state_crc32"])

    def test_progress_elsewhere_than_on_a_terminal_is_plain_lines(self):
        result = self.train("--steps", 2)
        self.assertNotIn(b"\r", result.stderr)
        self.assertIn(b"2/2  loss ", result.stderr.splitlines()[-1])


class Refusals(TrainingCase):
    def test_a_wrong_value_is_one_line_with_option_expectation_and_value(self):
        cases = [(("--layers", "many"), "--layers: expected an integer in", "got 'many'"),
                 (("--dropout", "1"), "--dropout: expected a number in [0, 1), got '1'"),
                 (("--model", "bert"), "--model: expected one of: gpt, lstm", "got 'bert'"),
                 (("--policy", "evry=2"), "--policy: expected one of none, block", "'evry=2'"),
                 (("--policy", "every=0"),
                  "--policy: expected every=K with an integer K >= 1, got 'every=0'"),
                 (("--compare", "none,blok"), "--compare: expected one of", "'blok'"),
                 (("--compare", "block,block"), "--compare: expected each policy once", "'block'"),
                 (("--compare", "none", "--policy", "block"), "--policy: expected without --compare"),
                 (("--compare", "none", "--save", "x"), "--save: expected without --compare"),
                 (("--save-every", "5"), "--save-every: expected together with --save"),
                 (("--data", "x"), "--data: expected a model of sounds or images", "gpt"),
                 (("--model", "cnn", "--depths", "2,x"), "--depths: expected positive integers",
                  "got '2,x'"),
                 (("--depths", "2,2"), "--depths: expected given for --model cnn only, got 'gpt'"),
                 (("--model", "cnn", "--depths", ",".join("1" * 17)),
                  "--depths: expected at most 16, got '17'"),
                 (("--model", "cnn", "--policy-from-length", "9"),
                  "--policy-from-length: expected a model of sequences, got cnn"),
                 (("--steps",), "--steps: expected an integer", "got no value"),
                 (("--stepz", "5"), "--stepz: expected an option of 'reprise train'")]
        for words, *parts in cases:
            with self.subTest(words):
                self.assert_refused(reprise("train", *words), 2, *parts)

    def test_sizes_that_do_not_fit_together_are_refused(self):
        cases = [(("--dim", 10, "--heads", 3),
                  "--dim: expected a multiple of --heads (3), got '10': 2 heads would do"),
                 (("--model", "audio", "--dim", 10, "--heads", 3),
                  "--dim: expected a multiple of --heads (3), got '10': 2 heads would do"),
                 (("--model", "cnn", "--heads", 2),
                  "--heads: expected given for --model gpt, audio only, got 'cnn'"),
                 (("--model", "audio", "--context", 399), "--context: expected at least 400, got '399'"),
                 (("--model", "unet", "--layers", 17), "--layers: expected at most 16, got '17'"),
                 (("--model", "unet", "--layers", 3, "--image-size", 12),
                  "--image-size: expected a multiple of 2^--layers (8), got '12'"),
                 (("--model", "unet", "--image-size", 32, "--data", "a.idx"),
                  "--image-size: expected left out beside --data, got '32'"),
                 (("--model", "cnn", "--data", "a.idx"),
                  "--labels: expected given together with --data, got 'none'"),
                 (("--model", "cnn", "--labels", "a.idx"),
                  "--data: expected given together with --labels, got 'none'"),
                 (("--model", "cnn", "--text", "a.txt"),
                  "--text: expected given for --model gpt, lstm only, got 'cnn'"),
                 (("--model", "unet", "--labels", "a.idx"),
                  "--labels: expected given for --model cnn only, got 'unet'")]
        for words, message in cases:
            with self.subTest(words):
                self.assert_refused(reprise("train", *words), 2, "reprise train: " + message)
        for option in ("--policy", "--compare"):
            self.assert_refused(reprise("train", "--model", "cnn", option, "attention"), 2,
                                option + ": expected a model with attention blocks")

    def test_files_that_cannot_be_read_or_written_are_refused(self):
        self.assert_refused(self.train("--text", self.path("nowhere")), 3, "nowhere", "No such file")
        self.assert_refused(self.train("--json", self.path("no/folder.json")), 3, "no/folder.json",
                            "cannot be written")
        self.assert_refused(self.train("--save", self.path("no/run.state")), 3, "no/run.state",
                            "cannot be written")

    def test_damaged_images_are_refused_with_the_offset(self):
        self.path("images").write_bytes(idx(20, 16, 16, content=bytes(100)))
        self.assert_refused(reprise("train", "--model", "unet", "--data", self.path("images")), 3,
                            "images: offset 16: expected 5120 bytes, got 100")

    def test_labels_of_other_images_are_refused(self):
        self.path("images").write_bytes(idx(20, 16, 16, content=bytes(5120)))
        self.path("labels").write_bytes(idx(19, content=bytes(19)))
        self.assert_refused(reprise("train", "--model", "cnn", "--data", self.path("images"), "--labels",
                                    self.path("labels")), 3,
                            "labels: offset 4: expected 20 labels, one per image, got 19")

    def test_data_that_cannot_be_read_to_the_end_stop_only_a_run_that_is_saved(self):
        folder = self.wav_folder()
        (folder / "notes").mkdir()
        (folder / "notes" / "loop").symlink_to("loop")
        words = ["train", *AUDIO, "--data", folder, "--steps", 1]
        self.assertEqual(reprise(*words).returncode, 0)
        self.assert_refused(reprise(*words, "--save", self.path("run.state")), 3,
                            "notes/loop: cannot be read: Too many levels of symbolic links")


if __name__ == "__main__":
    main()
