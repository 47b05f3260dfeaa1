# SPDX-License-Identifier: Apache-2.0
"""Callbacks for training loops of others. A plain loop, or Accelerate's, needs none of them."""
