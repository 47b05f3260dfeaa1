# SPDX-License-Identifier: Apache-2.0
"""`reprise train --save` and `--resume`: train_resume_end_to_end_test.py PATH_TO_REPRISE."""

import json
import resource
import signal
import subprocess
import time

from end_to_end_case import main, reprise, start
from training_case import TEXT, TINY, TrainingCase, sections


def wait_for(condition, process):
    """Until `condition()`; fails if the process ends first."""
    while not condition():
        assert process.poll() is None, process.returncode
        time.sleep(0.001)


def steps_done(path):
    return json.loads(sections(path)["run"])["steps_done"]


class Resume(TrainingCase):
    def assert_same_as_uninterrupted(self, interrupted, steps):
        """Goes on to `steps` and compares the file with that of a run that was never stopped."""
        result = reprise("train", "--resume", interrupted, "--steps", steps, "--save-every", 0)
        self.assertEqual(result.returncode, 0, result.stderr)
        whole = self.path("whole.state")
        self.assertEqual(self.train("--steps", steps, "--save", whole).returncode, 0)
        self.assertEqual(interrupted.read_bytes(), whole.read_bytes())

    def start_long_run(self, saved, **options):
        process = start("train", *TINY, "--steps", 1000000, "--save", saved, "--save-every", 1,
                        stdout=subprocess.DEVNULL, **options)
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
        killed = reprise("train", "--resume", saved, "--steps", 4,
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (half, half)))
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


if __name__ == "__main__":
    main()
