// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/plan_request.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include <unistd.h>

#include "reprise/cli/amounts.h"
#include "reprise/cli/argument_names.h"
#include "reprise/cli/errors.h"
#include "reprise/cli/terminal_size.h"
#include "reprise/plan/planners.h"
#include "reprise/plan/shortened.h"

namespace reprise::cli {
namespace {

// What is done sooner needs no bar.
constexpr double kShownAfterSeconds = 0.5;
constexpr std::int64_t kStepsPerPlan = 100;
constexpr std::int64_t kMostIterations = 9'000'000'000'000'000;

std::int64_t parse_iterations(const std::string& text, const std::string& option) {
  std::int64_t iterations = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, iterations);
  if (error != std::errc() || stop != end || iterations < 0 || iterations > kMostIterations) {
    throw UsageError(option + ": expected an integer in [0, " + std::to_string(kMostIterations) +
                     "], got " + in_quotes(text));
  }
  return iterations;
}

double parse_time_limit(const std::string& text, const std::string& option) {
  const std::optional<double> seconds = parse_seconds(text);
  if (!seconds || *seconds == 0) {
    throw UsageError(option + ": expected a duration above 0 (10s, 500ms, 2min), got " +
                     in_quotes(text));
  }
  return *seconds;
}

// What `text`, one limit or a list of PLANNER=LIMIT, says about `planner`, one of those that are
// `asked`; 0: nothing.
template <class Limit>
Limit limit_of(const std::string& text, const std::string& planner,
               const std::vector<std::string>& asked, const std::string& option,
               Limit (*parse)(const std::string&, const std::string&)) {
  if (text.empty()) {
    return 0;
  }
  if (text.find('=') == std::string::npos) {
    return parse(text, option);
  }
  Limit limit = 0;
  std::set<std::string> named;
  const auto refuse = [&](const std::string& expectation, const std::string& got,
                          const std::string& remark) {
    throw UsageError(option + ": expected " + expectation + ", got " + in_quotes(got) + remark);
  };
  for (const std::string& part : split_list(text)) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos) {
      refuse("PLANNER=LIMIT", part, "");
    }
    const std::string name = part.substr(0, equals);
    require_planner(name, option);
    if (std::find(asked.begin(), asked.end(), name) == asked.end()) {
      refuse("a planner that is asked", name, "");
    }
    if (!named.insert(name).second) {
      refuse("each planner once", name, " twice");
    }
    const Limit its_limit = parse(part.substr(equals + 1), option);
    if (name == planner) {
      limit = its_limit;
    }
  }
  return limit;
}

}  // namespace

void require_planner(const std::string& name, const std::string& option) {
  with_names({{"planner", option}}, [&] { plan::find_planner(name); });
}

plan::PlanRequest plan_request(const OptionValues& values, const std::string& planner,
                               const std::vector<std::string>& asked) {
  plan::PlanRequest request;
  request.iterations = limit_of<std::int64_t>(values.text("iterations"), planner, asked,
                                              "--iterations", parse_iterations);
  request.time_limit_s =
      limit_of<double>(values.text("time-limit"), planner, asked, "--time-limit", parse_time_limit);
  request.seed = static_cast<std::uint64_t>(values.integer("seed"));
  return request;
}

PlanWatch::PlanWatch(std::ostream& err)
    : is_terminal_(isatty(STDERR_FILENO) == 1),
      bar_(err, is_terminal_, terminal_width(STDERR_FILENO)) {}

bool PlanWatch::show(const std::string& label, const plan::PlanProgress& progress,
                     std::int64_t done, std::int64_t total) {
  if (is_terminal_ && seconds() >= kShownAfterSeconds) {
    const double steps = std::clamp(progress.fraction, 0.0, 1.0) * kStepsPerPlan;
    Progress line;
    line.label = label;
    line.done = std::min(done * kStepsPerPlan + static_cast<std::int64_t>(steps),
                         total * kStepsPerPlan - 1);
    line.total = total * kStepsPerPlan;
    line.hides_counts = true;
    if (progress.fits) {
      line.peak_bytes = progress.best_peak_bytes;
    }
    bar_.show(line, seconds());
  }
  return !stop_.is_made();
}

}  // namespace reprise::cli
