// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/label_stack.h"

#include <vector>

namespace reprise::tape {
namespace {

// Scope state of this thread: the joined labels, and how long they were before each was added.
struct Labels {
  std::string path;
  std::vector<std::size_t> lengths_before;
};
thread_local Labels labels;

}  // namespace

void push_label(const std::string& name) {
  labels.lengths_before.push_back(labels.path.size());
  if (!labels.path.empty()) {
    labels.path += '.';
  }
  labels.path += name;
}

void pop_label() {
  if (labels.lengths_before.empty()) {
    return;
  }
  labels.path.resize(labels.lengths_before.back());
  labels.lengths_before.pop_back();
}

const std::string& current_label() { return labels.path; }

}  // namespace reprise::tape
