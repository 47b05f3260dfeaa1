# SPDX-License-Identifier: Apache-2.0
"""Runs the built program on tiny models: end_to_end_test.py PATH_TO_REPRISE [unittest options]."""

import json
import math
import os
import pathlib
import resource
import signal
import struct
import subprocess
import sys
import threading
import time
import unittest
import zlib

from folder_case import FolderCase

PROGRAM = ""
TINY = ["--model", "gpt", "--layers", "3", "--dim", "16", "--heads", "2", "--context", "16",
        "--batch", "2", "--threads", "1"]
AUDIO = ["--model", "audio", "--layers", "1", "--dim", "16", "--heads", "2", "--context", "1600",
         "--batch", "2", "--threads", "1"]
TEXT = b"the quick brown fox jumps over the lazy dog. " * 200
RUN_FIELDS = {"policy", "segments", "segment_plan", "peak_bytes", "total_peak_bytes",
              "baseline_peak_bytes", "step_ms", "step_cpu_ms", "overhead", "cpu_overhead",
              "units_per_s", "loss", "validation_loss", "bit_equal", "reruns", "recomputed_ops",
              "state_crc32"}


def reprise(*words):
    return subprocess.run([PROGRAM, *map(str, words)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=300, check=False)


def sections(path):
    """The named parts of a saved run, read as docs/file_formats.md says."""
    data = path.read_bytes()
    magic, version, count, payload_bytes, payload_crc, header_crc = struct.unpack("<8sIIQII", data[:32])
    payload = data[32:]
    assert magic == b"RPRSTATE" and version == 1 and len(payload) == payload_bytes
    assert zlib.crc32(payload) == payload_crc and zlib.crc32(data[:28]) == header_crc
    parts = {}
    for _ in range(count):
        size, = struct.unpack("<I", payload[:4])
        name, payload = payload[4:4 + size].decode(), payload[4 + size:]
        size, = struct.unpack("<Q", payload[:8])
        parts[name], payload = payload[8:8 + size], payload[8 + size:]
    return parts


def idx(*dimensions, content):
    """An IDX file of bytes."""
    return bytes([0, 0, 8, len(dimensions)]) + struct.pack(f">{len(dimensions)}I", *dimensions) + content


def wav(samples, rate=16000):
    """A WAV file of 16-bit samples, one channel; the samples begin at byte 44."""
    data = struct.pack(f"<{len(samples)}h", *samples)
    return (struct.pack("<4sI4s", b"RIFF", 36 + len(data), b"WAVE") +
            struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, rate, 2 * rate, 2, 16) +
            struct.pack("<4sI", b"data", len(data)) + data)


def wait_for(condition, process):
    """Until `condition()`; fails if the process ends first."""
    while not condition():
        assert process.poll() is None, process.returncode
        time.sleep(0.001)


def steps_done(path):
    return json.loads(sections(path)["run"])["steps_done"]


class EndToEnd(FolderCase):
    def wav_folder(self):
        """Three recordings, the last of which is for validation. Skips without libsndfile."""
        folder = self.path("recordings")
        folder.mkdir()
        for name in ("1.wav", "2.wav", "3.wav"):
            (folder / name).write_bytes(wav([(37 * i) % 2000 - 1000 for i in range(4000)]))
        if b"without libsndfile" in reprise("train", *AUDIO, "--data", folder, "--steps", 1).stderr:
            self.skipTest("built without libsndfile")
        return folder

    def train(self, *words):
        return reprise("train", *TINY, *words)

    def report(self, *words):
        result = self.train(*words, "--json", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def assert_refused(self, result, code, *parts):
        self.assertEqual(result.returncode, code, result.stderr)
        lines = result.stderr.decode().splitlines()
        self.assertEqual(len(lines), 1, lines)
        self.assertTrue(lines[0].startswith("reprise"), lines)
        for part in parts:
            self.assertIn(part, lines[0])


class Compare(EndToEnd):
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
        none, block = self.report("--steps", 2, "--compare", "none,block")["runs"]
        self.assertEqual(none["peak_bytes"], none["baseline_peak_bytes"])
        self.assertEqual(none["peak_bytes"], block["baseline_peak_bytes"])
        self.assertLess(block["peak_bytes"], none["peak_bytes"])
        self.assertGreater(none["total_peak_bytes"], none["peak_bytes"])
        self.assertEqual((none["reruns"], block["reruns"]), (0, 3))
        self.assertEqual(none["overhead"], 0)

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
                           "--clip", 0.5, "--dropout", 0.2)["runs"]
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
        stop = threading.Event()

        def scribble():
            with open(folder / "1.wav", "r+b", buffering=0) as file:
                level = 0
                while not stop.is_set():
                    level = (level + 1) % 30000
                    file.seek(44)
                    file.write(struct.pack("<h", level) * 4000)
        writer = threading.Thread(target=scribble)
        writer.start()
        try:
            result = reprise("train", *AUDIO, "--data", folder, "--steps", 20, "--compare", "none,block",
                             "--json", self.path("run.json"))
        finally:
            stop.set()
            writer.join()
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertEqual(result.stderr.decode().splitlines()[-1],
                         "reprise train: --compare: expected every policy to end bit-equal to none, "
                         "got 'block', which differs")
        runs = json.loads(self.path("run.json").read_text())["runs"]
        self.assertEqual([run["bit_equal"] for run in runs], [True, False])

    def test_ctrl_c_ends_a_comparison_without_a_result(self):
        process = subprocess.Popen([PROGRAM, "train", *TINY, "--steps", "1000000", "--compare", "block",
                                    "--json", str(self.path("run.json"))], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
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


class Train(EndToEnd):
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


class Resume(EndToEnd):
    def assert_same_as_uninterrupted(self, interrupted, steps):
        """Goes on to `steps` and compares the file with that of a run that was never stopped."""
        result = reprise("train", "--resume", interrupted, "--steps", steps, "--save-every", 0)
        self.assertEqual(result.returncode, 0, result.stderr)
        whole = self.path("whole.state")
        self.assertEqual(self.train("--steps", steps, "--save", whole).returncode, 0)
        self.assertEqual(interrupted.read_bytes(), whole.read_bytes())

    def start_long_run(self, saved, **options):
        process = subprocess.Popen([PROGRAM, "train", *TINY, "--steps", "1000000", "--save",
                                    str(saved), "--save-every", "1"], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, **options)
        wait_for(saved.exists, process)
        return process

    def test_a_killed_run_leaves_a_whole_file_and_goes_on_bit_for_bit(self):
        saved = self.path("run.state")
        process = self.start_long_run(saved)
        process.kill()
        process.communicate()
        self.assertEqual(process.returncode, -signal.SIGKILL)
        self.assert_same_as_uninterrupted(saved, steps_done(saved) + 3)

    def test_a_run_that_dies_while_it_saves_leaves_the_old_state_to_go_on_from(self):
        saved = self.path("run.state")
        self.assertEqual(self.train("--steps", 2, "--save", saved).returncode, 0)
        whole = saved.read_bytes()
        half = len(whole) // 2
        # The system kills it (SIGXFSZ) when half of the next state is written.
        killed = subprocess.run([PROGRAM, "train", "--resume", str(saved), "--steps", "4"],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                                                      (half, half)))
        self.assertEqual(killed.returncode, -signal.SIGXFSZ)
        self.assertEqual(saved.read_bytes(), whole)
        leftover, = set(self.folder.iterdir()) - {saved}
        self.assertRegex(leftover.name, r"^run\.state\.\w{6}$")
        self.assertEqual(leftover.stat().st_size, half)
        self.assert_same_as_uninterrupted(saved, 4)
        self.assertEqual(leftover.stat().st_size, half)

    def test_ctrl_c_finishes_the_step_saves_and_goes_on_bit_for_bit(self):
        self.check_that_a_signal_ends_a_run_well(signal.SIGINT)

    def test_sigterm_does_the_same_as_ctrl_c(self):
        self.check_that_a_signal_ends_a_run_well(signal.SIGTERM)

    def test_a_signal_that_was_ignored_from_the_start_stays_ignored(self):
        saved = self.path("run.state")
        process = self.start_long_run(
            saved, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        process.send_signal(signal.SIGINT)
        done = steps_done(saved)
        wait_for(lambda: steps_done(saved) > done + 2, process)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)

    def check_that_a_signal_ends_a_run_well(self, number):
        saved = self.path("run.state")
        process = self.start_long_run(saved)
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        done = steps_done(saved)
        self.assertIn(f"interrupted after step {done} of 1000000".encode(), err)
        self.assertEqual([entry.name for entry in self.folder.iterdir()], ["run.state"])
        self.assert_same_as_uninterrupted(saved, done + 3)

    def test_stopping_at_a_step_and_going_on_gives_the_same_file(self):
        saved = self.path("run.state")
        self.assertEqual(self.train("--steps", 3, "--save", saved).returncode, 0)
        self.assert_same_as_uninterrupted(saved, 6)

    def test_batch_norm_statistics_are_saved_too(self):
        sizes = ["--model", "cnn", "--dim", 4, "--image-size", 16, "--batch", 2, "--threads", 1]
        saved, whole = self.path("run.state"), self.path("whole.state")
        self.assertEqual(reprise("train", *sizes, "--steps", 2, "--save", saved).returncode, 0)
        self.assertEqual(reprise("train", "--resume", saved, "--steps", 4).returncode, 0)
        self.assertEqual(reprise("train", *sizes, "--steps", 4, "--save", whole).returncode, 0)
        self.assertEqual(saved.read_bytes(), whole.read_bytes())

    def test_a_policy_may_change_on_the_way(self):
        saved = self.path("run.state")
        self.assertEqual(self.train("--steps", 2, "--save", saved).returncode, 0)
        regions = self.report("--resume", saved, "--steps", 4, "--policy", "block", "--save",
                              self.path("other.state"))["runs"][0]
        plain = self.report("--steps", 4)["runs"][0]
        self.assertEqual(regions["state_crc32"], plain["state_crc32"])
        self.assertEqual((steps_done(saved), steps_done(self.path("other.state"))), (2, 4))

    def test_other_sizes_or_data_are_refused_in_one_line(self):
        saved = self.path("run.state")
        self.path("text").write_bytes(TEXT)
        self.assertEqual(self.train("--steps", 2, "--save", saved).returncode, 0)
        before = saved.read_bytes()
        self.assert_refused(reprise("train", "--resume", saved, "--dim", 32), 2,
                            "--dim: expected 16 as in", "got '32'")
        self.assert_refused(reprise("train", "--resume", saved, "--text", self.path("text")), 2,
                            "--resume: expected the data of", "synthetic")
        self.assert_refused(reprise("train", "--resume", saved, "--steps", 1), 2,
                            "--steps: expected at least 2", "got '1'")
        self.assertEqual(saved.read_bytes(), before)

    def test_a_damaged_file_is_refused_and_left_as_it_is(self):
        saved, damaged = self.path("run.state"), self.path("damaged.state")
        self.assertEqual(self.train("--steps", 2, "--save", saved).returncode, 0)
        whole = saved.read_bytes()
        middle = len(whole) // 2
        cases = {"a damaged one": whole[:12] + b"\x7f" + whole[13:],
                 "damaged content": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1:],
                 "bytes after the header, got": whole[:middle],
                 "a file of another kind": b"PK\x03\x04" + whole[4:],
                 "an empty file": b""}
        for reason, content in cases.items():
            with self.subTest(reason):
                damaged.write_bytes(content)
                self.assert_refused(reprise("train", "--resume", damaged, "--steps", 4), 3,
                                    "damaged.state: expected", reason)
                self.assertEqual(damaged.read_bytes(), content)

    def test_a_missing_file_is_refused(self):
        self.assert_refused(reprise("train", "--resume", self.path("nowhere")), 3, "nowhere",
                            "No such file")

    def test_a_file_of_another_kind_is_not_replaced(self):
        self.path("thesis.txt").write_text("years of work")
        self.assert_refused(self.train("--save", self.path("thesis.txt")), 3,
                            "thesis.txt: expected a saved run or no file")
        self.assertEqual(self.path("thesis.txt").read_text(), "years of work")


class Refusals(EndToEnd):
    def test_a_wrong_value_is_one_line_with_option_expectation_and_value(self):
        cases = [(("--layers", "many"), "--layers: expected an integer in", "got 'many'"),
                 (("--dropout", "1"), "--dropout: expected a number in [0, 1), got '1'"),
                 (("--model", "bert"), "--model: expected one of: gpt, lstm", "got 'bert'"),
                 (("--policy", "evry=2"), "--policy: expected one of none, block", "'evry=2'"),
                 (("--policy", "every=0"), "--policy: expected a positive integer", "'every=0'"),
                 (("--compare", "none,blok"), "--compare: expected one of", "'blok'"),
                 (("--compare", "block,block"), "--compare: expected each policy once", "'block'"),
                 (("--compare", "none", "--policy", "block"), "--policy: expected without --compare"),
                 (("--compare", "none", "--save", "x"), "--save: expected without --compare"),
                 (("--save-every", "5"), "--save-every: expected together with --save"),
                 (("--data", "x"), "--data: expected a model of sounds or images", "gpt"),
                 (("--model", "cnn", "--depths", "2,x"), "--depths: expected positive integers",
                  "got '2,x'"),
                 (("--depths", "2,2"), "--model: expected only sizes that gpt has, got depths"),
                 (("--model", "cnn", "--policy-from-length", "9"),
                  "--policy-from-length: expected a model of sequences, got cnn"),
                 (("--steps",), "--steps: expected an integer", "got no value"),
                 (("--stepz", "5"), "--stepz: expected an option of 'reprise train'")]
        for words, *parts in cases:
            with self.subTest(words):
                self.assert_refused(reprise("train", *words), 2, *parts)

    def test_sizes_that_do_not_fit_together_are_refused(self):
        self.assert_refused(reprise("train", "--dim", 10, "--heads", 3), 2,
                            "--model: heads must divide dim")
        self.assert_refused(reprise("train", "--model", "cnn", "--heads", 2), 2,
                            "--model: expected only sizes that cnn has, got heads")
        for option in ("--policy", "--compare"):
            self.assert_refused(reprise("train", "--model", "cnn", option, "attention"), 2,
                                option + ": expected a model with attention blocks")
        self.assert_refused(reprise("estimate", "--dim", 10, "--heads", 3), 2, "heads")

    def test_an_unknown_command_is_refused(self):
        self.assert_refused(reprise("fly"), 2, "expected a command (train, estimate, plan, ",
                            "options)")
        self.assert_refused(reprise(), 2, "expected a command", "got none")

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

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_a_full_disk_is_noticed(self):
        with open("/dev/full", "wb") as full:
            result = subprocess.run([PROGRAM, "estimate"], stdout=full, stderr=subprocess.PIPE,
                                    timeout=60, check=False)
        self.assertEqual(result.returncode, 3)


class Information(EndToEnd):
    def test_help_and_version_succeed(self):
        for words in [("--help",), ("train", "--help"), ("estimate", "-h"), ("--version",)]:
            with self.subTest(words):
                result = reprise(*words)
                self.assertEqual((result.returncode, result.stderr), (0, b""))
                self.assertIn(b"reprise", result.stdout)

    def test_the_documentation_is_what_the_program_prints(self):
        documentation = pathlib.Path(__file__).parents[2] / "docs" / "command_line.md"
        self.assertEqual(reprise("options").stdout, documentation.read_bytes())


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
