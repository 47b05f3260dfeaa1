// SPDX-License-Identifier: Apache-2.0
// What an online cache evicts first: the scores of dynamic tensor rematerialisation. The value with
// the lowest score goes. Kirisame et al. 2021 (arXiv 2006.09616), sections 3 and 4 and appendix D.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace reprise::plan::dtr {

enum class Score {
  kDtr,            // h_DTR: with the exact neighbourhood of evicted values
  kEq,             // h_DTR^eq: with a neighbourhood that union-find keeps up to date
  kNeighbourhood,  // e* alone: neither size nor age (the h of theorem 3.1)
  kLocal,          // h_DTR without a neighbourhood
  kLru,            // the least recently used first
  kSize,           // the largest first
  kMsps,           // what it takes to rebuild the value now, per byte
};

// What the scores know about a value that is there.
struct Facts {
  double cost_us = 0;           // of the op that makes it
  double neighbourhood_us = 0;  // of what would have to run too; which, the score says
  std::int64_t bytes = 0;
  double staleness_us = 0;  // since it was last read
};

// Pure functions of the facts, each > 0. A value without bytes scores infinitely where bytes count:
// evicting it gains nothing. Staleness counts from a billionth of a microsecond.
double h_dtr(const Facts& facts);  // (cost + neighbourhood) / (bytes * staleness); h_eq likewise
double h_neighbourhood(const Facts& facts);
double h_local(const Facts& facts);
double h_lru(const Facts& facts);
double h_size(const Facts& facts);
double h_msps(const Facts& facts);

double evaluate(Score score, const Facts& facts);

// "dtr", "eq", "neighbourhood", "local", "lru", "size", "msps", in the order of the enumerators.
const std::vector<std::string>& score_names();

}  // namespace reprise::plan::dtr
