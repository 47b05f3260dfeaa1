# SPDX-License-Identifier: Apache-2.0
"""What tests of `reprise train` share: tiny models, tiny files of data, and runs of them."""

import contextlib
import json
import struct
import threading
import zlib

from end_to_end_case import EndToEndCase, reprise

TINY = ["--model", "gpt", "--layers", "3", "--dim", "16", "--heads", "2", "--context", "16",
        "--batch", "2", "--threads", "1"]
AUDIO = ["--model", "audio", "--layers", "1", "--dim", "16", "--heads", "2", "--context", "1600",
         "--batch", "2", "--threads", "1"]
TEXT = b"the quick brown fox jumps over the lazy dog. " * 200
RUN_FIELDS = {"policy", "segments", "segment_plan", "peak_bytes", "total_peak_bytes",
              "baseline_peak_bytes", "step_ms", "step_cpu_ms", "overhead", "cpu_overhead",
              "units_per_s", "loss", "validation_loss", "bit_equal", "reruns", "recomputed_ops",
              "state_crc32", "budget_bytes", "predicted_peak_bytes", "pass_peak_bytes",
              "predicted_overhead", "plan_ms", "departures"}


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


@contextlib.contextmanager
def changing(recording):
    """While it lasts, the samples of a WAV file change: two runs that read them read others."""
    stop = threading.Event()

    def scribble():
        with open(recording, "r+b", buffering=0) as file:
            level = 0
            while not stop.is_set():
                level = (level + 1) % 30000
                file.seek(44)
                file.write(struct.pack("<h", level) * 4000)
    writer = threading.Thread(target=scribble)
    writer.start()
    try:
        yield
    finally:
        stop.set()
        writer.join()


class TrainingCase(EndToEndCase):
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
