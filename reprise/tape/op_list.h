// SPDX-License-Identifier: Apache-2.0
// The names of the ops that a run of a region called, for telling where two runs part.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <ATen/core/function_schema.h>

namespace reprise::tape {

// Ops below autograd, by schema. Schemas live as long as the process.
using SeenOps = std::vector<const c10::FunctionSchema*>;

// "op 3: ran aten::cat, then aten::mm", or empty if one list begins with the other and
// `compare_ends` is false. An op that only one list has reads "nothing".
std::string first_difference(const SeenOps& first, const SeenOps& rerun, bool compare_ends);

// "op 3, aten::mm", or empty if there is no such op.
std::string op_text(const SeenOps& ops, std::int64_t index);

// Appends the name of every operator called on this thread, as the user called it, to a list for a
// scope (at::RecordFunction); operators that an operator calls are part of it. Scopes may nest: an
// op goes to the list of each. Used with RegionOptions::debug only: it slows every op a little.
class RecordedOps {
 public:
  explicit RecordedOps(std::vector<std::string>& names);
  ~RecordedOps();
  RecordedOps(const RecordedOps&) = delete;
  RecordedOps& operator=(const RecordedOps&) = delete;

  void enter_op(const char* name);
  void leave_op() { --depth_; }

 private:
  std::vector<std::string>& names_;
  std::int64_t depth_ = 0;
  std::uint64_t handle_ = 0;  // of the outermost scope
};

}  // namespace reprise::tape
