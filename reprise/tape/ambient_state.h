// SPDX-License-Identifier: Apache-2.0
// The thread's settings that change what ops compute: autocast and the default dtype.
#pragma once

#include <array>

#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>
#include <c10/util/typeid.h>

namespace reprise::tape {

struct AutocastState {
  c10::DeviceType device = c10::DeviceType::CPU;
  bool is_enabled = false;
  c10::ScalarType dtype = c10::ScalarType::Undefined;
};

struct AmbientState {
  std::array<AutocastState, 10> autocast;  // one per device type that has autocast
  bool caches_casts = true;
  caffe2::TypeMeta default_dtype;
};

// The settings of the calling thread now.
AmbientState ambient_state();

// Gives the thread `state`, and grad mode on, for a scope; afterwards all is as it was before it.
// Casts of weights that autocast caches within the scope do not outlive the outermost autocast
// scope.
class RestoredAmbientState {
 public:
  explicit RestoredAmbientState(const AmbientState& state);
  ~RestoredAmbientState();
  RestoredAmbientState(const RestoredAmbientState&) = delete;
  RestoredAmbientState& operator=(const RestoredAmbientState&) = delete;

 private:
  AmbientState present_;
  bool had_grad_;
};

}  // namespace reprise::tape
