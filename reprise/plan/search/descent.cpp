// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/search/descent.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "reprise/plan/search/random.h"
#include "reprise/plan/search/ruin_recreate.h"
#include "reprise/plan/search/seeds.h"

namespace reprise::plan {
namespace {

constexpr std::size_t kStarts = 4;
constexpr std::int64_t kStartShare = 24;  // each start gets a 24th of the iterations
constexpr std::int64_t kLastShare = 6;    // and the lowest of all a sixth: dear iterations

class Descent {
 public:
  Descent(const Program& program, std::int64_t floor_bytes, const DescentOptions& options)
      : program_(program),
        floor_bytes_(floor_bytes),
        enough_bytes_(std::max(floor_bytes, options.enough_bytes)),
        options_(options),
        random_(options.seed) {}

  std::vector<JudgedSchedule> run() {
    offer_boundary_drafts(program_, [this](std::vector<Replays> replays) {
      Schedule schedule;
      schedule.replays = std::move(replays);
      add(judged(program_, std::move(schedule)));
      return goes_on();
    });
    if (goes_on()) {
      std::vector<JudgedSchedule> seeds =
          find_seeds(program_, floor_bytes_, random_, options_.go_on, enough_bytes_);
      for (const JudgedSchedule& seed : seeds) {
        add(seed);
      }
      seeds.resize(std::min(kStarts, seeds.size()));
      for (const JudgedSchedule& seed : seeds) {
        lower(seed, kStartShare);
      }
      lower(JudgedSchedule(lowest_), kLastShare);
    }
    std::stable_sort(found_.begin(), found_.end(),
                     [this](const JudgedSchedule& a, const JudgedSchedule& b) {
                       return is_better(a.outcome, b.outcome, floor_bytes_);
                     });
    return std::move(found_);
  }

 private:
  bool goes_on() const { return lowest_.outcome.peak_bytes > enough_bytes_ && options_.go_on(); }

  void add(JudgedSchedule schedule) {
    if (found_.empty() || is_better(schedule.outcome, lowest_.outcome, floor_bytes_)) {
      lowest_ = schedule;
    }
    found_.push_back(std::move(schedule));
  }

  void lower(const JudgedSchedule& start, std::int64_t share) {
    if (goes_on()) {
      add(judged(program_, lower_peak(program_, start.schedule,
                                      {.budget_bytes = floor_bytes_,
                                       .iterations = options_.iterations / share,
                                       .work = options_.work / share,
                                       .enough_bytes = enough_bytes_,
                                       .go_on_within = options_.go_on},
                                      random_, options_.begin_iteration)));
    }
  }

  const Program& program_;
  std::int64_t floor_bytes_;
  std::int64_t enough_bytes_;
  const DescentOptions& options_;
  Random random_;
  JudgedSchedule lowest_;
  std::vector<JudgedSchedule> found_;
};

}  // namespace

std::vector<JudgedSchedule> descend(const Program& program, std::int64_t floor_bytes,
                                    const DescentOptions& options) {
  return Descent(program, floor_bytes, options).run();
}

}  // namespace reprise::plan
