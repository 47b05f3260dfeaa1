# SPDX-License-Identifier: Apache-2.0
"""A test case with a folder of its own."""

import pathlib
import tempfile
import unittest


class FolderCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def path(self, name):
        return self.folder / name
