// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/progress_bar.h"

#include <algorithm>
#include <cmath>
#include <ostream>

#include "reprise/cli/number_text.h"

namespace reprise::cli {
namespace {

constexpr std::int64_t kFullBar = 30;
constexpr std::int64_t kShortBar = 10;

double share_of(const Progress& progress) {
  return progress.total <= 0
             ? 0
             : static_cast<double>(progress.done) / static_cast<double>(progress.total);
}

std::string bar_text(double share, std::int64_t cells) {
  const auto full = std::clamp<std::int64_t>(
      static_cast<std::int64_t>(share * static_cast<double>(cells)), 0, cells);
  return "[" + std::string(static_cast<std::size_t>(full), '#') +
         std::string(static_cast<std::size_t>(cells - full), '-') + "]";
}

std::string facts_text(const Progress& progress) {
  std::string percent = fixed_text(std::floor(100 * share_of(progress)), 0);
  percent.insert(0, 3 - std::min<std::size_t>(3, percent.size()), ' ');
  std::string text = " " + percent + " %";
  if (!progress.hides_counts) {
    text += " " + std::to_string(progress.done) + "/" + std::to_string(progress.total);
  }
  if (progress.loss) {
    text += "  loss " + fixed_text(*progress.loss, 4);
  }
  if (progress.rate) {
    text += "  " + grouped_text(std::llround(*progress.rate)) + " " + progress.rate_unit;
  }
  if (progress.peak_bytes) {
    text += "  peak " + bytes_text(*progress.peak_bytes);
  }
  if (progress.left_s) {
    text += "  " + duration_text(*progress.left_s) + " left";
  }
  return text;
}

}  // namespace

std::string progress_text(const Progress& progress, std::int64_t width) {
  const std::string label = progress.label.empty() ? "" : progress.label + " ";
  const std::string facts = facts_text(progress);
  const std::int64_t room = width - static_cast<std::int64_t>(label.size() + facts.size()) - 2;
  std::string line =
      label + bar_text(share_of(progress), std::clamp(room, kShortBar, kFullBar)) + facts;
  line.resize(std::min(line.size(), static_cast<std::size_t>(std::max<std::int64_t>(width, 0))));
  return line;
}

ProgressBar::ProgressBar(std::ostream& out, bool is_terminal, std::int64_t width)
    : out_(out), is_terminal_(is_terminal), width_(width) {}

bool ProgressBar::is_due(const Progress& progress, double now_s) const {
  if (!shown_s_ || progress.done == progress.total) {
    return true;
  }
  if (is_terminal_) {
    return now_s - *shown_s_ >= 0.1;
  }
  return now_s - *shown_s_ >= 1 && (progress.done - shown_done_) * 10 >= progress.total;
}

void ProgressBar::show(const Progress& progress, double now_s) {
  if (!is_due(progress, now_s)) {
    return;
  }
  const std::string line = progress_text(progress, width_);
  const auto size = static_cast<std::int64_t>(line.size());
  if (is_terminal_) {
    // Spaces wipe what a longer line before has left.
    out_ << '\r' << line
         << std::string(static_cast<std::size_t>(std::max<std::int64_t>(shown_size_ - size, 0)),
                        ' ');
  } else {
    out_ << line << '\n';
  }
  out_.flush();
  shown_s_ = now_s;
  shown_done_ = progress.done;
  shown_size_ = size;
}

void ProgressBar::finish() {
  if (is_terminal_ && shown_s_) {
    out_ << '\n';
    out_.flush();
    shown_s_.reset();
    shown_size_ = 0;
  }
}

void ProgressBar::erase() {
  if (is_terminal_ && shown_s_) {
    out_ << '\r' << std::string(static_cast<std::size_t>(shown_size_), ' ') << '\r';
    out_.flush();
    shown_s_.reset();
    shown_size_ = 0;
  }
}

}  // namespace reprise::cli
