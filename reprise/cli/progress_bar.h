// SPDX-License-Identifier: Apache-2.0
// A progress bar: one line that is redrawn on a terminal, a plain line now and then elsewhere.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

namespace reprise::cli {

// What one line shows. An unset field is left out.
struct Progress {
  std::string label = {};
  std::int64_t done = 0;
  std::int64_t total = 0;
  bool hides_counts = false;  // where done and total say nothing to people
  std::optional<double> loss = {};
  std::optional<double> rate = {};  // units per second
  std::string rate_unit = {};       // "tokens/s"
  std::optional<std::int64_t> peak_bytes = {};
  std::optional<double> left_s = {};  // time to go
};

// "train [#####-----]  50 % 5/10  loss 2.3026  1,234 tokens/s  peak 1.5 MiB  12 s left", at most
// `width` characters: the bar is shortened first (to 10 cells), then the end is cut.
std::string progress_text(const Progress& progress, std::int64_t width);

// Draws to `out`, which outlives it. Time is given, not read: any clock that never goes back will
// do.
class ProgressBar {
 public:
  ProgressBar(std::ostream& out, bool is_terminal, std::int64_t width);

  // Shows `progress`, unless the last line is too recent (terminal: 100 ms; plain: a tenth of the
  // total and a second). The first and the last step are always shown.
  void show(const Progress& progress, double now_s);

  // Ends the redrawn line, so that other text can follow. Does nothing on plain output.
  void finish();

  // Wipes the redrawn line, as if nothing had been shown. Does nothing on plain output.
  void erase();

 private:
  bool is_due(const Progress& progress, double now_s) const;

  std::ostream& out_;
  bool is_terminal_;
  std::int64_t width_;
  std::optional<double> shown_s_;
  std::int64_t shown_done_ = 0;
  std::int64_t shown_size_ = 0;
};

}  // namespace reprise::cli
