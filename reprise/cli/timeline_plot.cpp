// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/timeline_plot.h"

#include <algorithm>
#include <array>

#include "reprise/cli/number_text.h"

namespace reprise::cli {
namespace {

constexpr std::int64_t kRows = 16;
constexpr std::int64_t kLeastWidth = 40;
constexpr std::int64_t kMargin = 12;  // "1,023.9 MiB "

std::size_t at(std::int64_t position) { return static_cast<std::size_t>(position); }

// Slot i of `slots` lies in this column.
std::int64_t column_of(std::int64_t slot, std::int64_t slots, std::int64_t columns) {
  return slot * columns / slots;
}

// The fullest slot of each column.
std::vector<plan::Slot> fullest_slots(const std::vector<plan::Slot>& timeline,
                                      std::int64_t columns) {
  const auto slots = static_cast<std::int64_t>(timeline.size());
  std::vector<plan::Slot> fullest(at(columns));
  for (std::int64_t i = 0; i < slots; ++i) {
    plan::Slot& best = fullest[at(column_of(i, slots, columns))];
    if (timeline[at(i)].total_bytes() >= best.total_bytes()) {
      best = timeline[at(i)];
    }
  }
  return fullest;
}

// What a cell shows: the kind of the bytes in its middle, from the bottom up.
char cell(const plan::Slot& slot, double bytes) {
  constexpr std::array<char, 4> marks = {'.', '#', '+', '*'};
  const std::array<std::int64_t, 4> parts = {slot.background_bytes, slot.kept_bytes,
                                             slot.recomputed_bytes, slot.workspace_bytes};
  double below = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    below += static_cast<double>(parts[i]);
    if (bytes < below) {
      return marks[i];
    }
  }
  return ' ';
}

std::string right_aligned(const std::string& text) {
  return std::string(
             at(std::max<std::int64_t>(0, kMargin - 1 - static_cast<std::int64_t>(text.size()))),
             ' ') +
         text + " ";
}

std::string without_trailing_space(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string timeline_plot(const std::vector<plan::Slot>& timeline, std::int64_t width) {
  const auto slots = static_cast<std::int64_t>(timeline.size());
  if (slots == 0) {
    return "";
  }
  const std::int64_t columns = std::min(slots, std::max(width, kLeastWidth) - kMargin - 1);
  const std::vector<plan::Slot> fullest = fullest_slots(timeline, columns);
  const std::int64_t peak_bytes =
      std::max_element(fullest.begin(), fullest.end(), [](const auto& a, const auto& b) {
        return a.total_bytes() < b.total_bytes();
      })->total_bytes();

  std::string text;
  for (std::int64_t row = kRows - 1; row >= 0; --row) {
    const double middle =
        (static_cast<double>(row) + 0.5) * static_cast<double>(peak_bytes) / kRows;
    std::string line;
    if (row == kRows - 1 || row == kRows / 2 - 1) {
      line = right_aligned(bytes_text(row == kRows - 1 ? peak_bytes : peak_bytes / 2));
    } else {
      line = std::string(at(kMargin), ' ');
    }
    line += '|';
    for (const plan::Slot& slot : fullest) {
      line += cell(slot, middle);
    }
    text += without_trailing_space(line);
  }
  const auto ops = std::count_if(timeline.begin(), timeline.end(), [](const plan::Slot& slot) {
    return slot.kind == plan::SlotKind::kForward;
  });
  std::string axis(at(columns), '-');
  std::string names(at(columns), ' ');
  names.replace(0, std::min<std::size_t>(7, names.size()), "forward");
  if (ops > 0 && ops < slots) {
    const std::int64_t turn = column_of(ops, slots, columns);
    axis[at(turn)] = '+';
    names.resize(at(std::max<std::int64_t>(turn, 8)), ' ');
    names += "backward";
  } else if (ops == 0) {
    names = "backward";
  }
  names.resize(std::min(names.size(), at(std::max<std::int64_t>(columns, 0))));
  text += right_aligned("0 B") + "+" + axis + "\n";
  text += without_trailing_space(std::string(at(kMargin + 1), ' ') + names);
  return text +
         without_trailing_space(std::string(at(kMargin + 1), ' ') +
                                "# kept  + recomputed  * workspace  . what no plan controls");
}

}  // namespace reprise::cli
