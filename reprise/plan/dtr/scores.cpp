// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/dtr/scores.h"

#include <algorithm>

namespace reprise::plan::dtr {
namespace {

double staleness(const Facts& facts) { return std::max(facts.staleness_us, 1e-9); }
double bytes(const Facts& facts) { return static_cast<double>(facts.bytes); }

}  // namespace

double h_dtr(const Facts& facts) {
  return (facts.cost_us + facts.neighbourhood_us) / (bytes(facts) * staleness(facts));
}
double h_neighbourhood(const Facts& facts) { return facts.cost_us + facts.neighbourhood_us; }
double h_local(const Facts& facts) { return facts.cost_us / (bytes(facts) * staleness(facts)); }
double h_lru(const Facts& facts) { return 1 / staleness(facts); }
double h_size(const Facts& facts) { return 1 / bytes(facts); }
double h_msps(const Facts& facts) {
  return (facts.cost_us + facts.neighbourhood_us) / bytes(facts);
}

double evaluate(Score score, const Facts& facts) {
  switch (score) {
    case Score::kDtr:
    case Score::kEq:
      return h_dtr(facts);
    case Score::kNeighbourhood:
      return h_neighbourhood(facts);
    case Score::kLocal:
      return h_local(facts);
    case Score::kLru:
      return h_lru(facts);
    case Score::kSize:
      return h_size(facts);
    case Score::kMsps:
      return h_msps(facts);
  }
  return 0;
}

const std::vector<std::string>& score_names() {
  static const std::vector<std::string> names = {"dtr", "eq",   "neighbourhood", "local",
                                                 "lru", "size", "msps"};
  return names;
}

}  // namespace reprise::plan::dtr
