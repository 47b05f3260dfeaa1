// SPDX-License-Identifier: Apache-2.0
#include "reprise/tape/ambient_state.h"

#include <ATen/autocast_mode.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/GradMode.h>

namespace reprise::tape {
namespace {

namespace autocast = at::autocast;

static_assert(std::tuple_size_v<decltype(AmbientState::autocast)> ==
              std::tuple_size_v<decltype(autocast::_AUTOCAST_SUPPORTED_DEVICES)>);

void apply(const AmbientState& state) {
  for (const AutocastState& device : state.autocast) {
    if (autocast::is_autocast_enabled(device.device) != device.is_enabled) {
      autocast::set_autocast_enabled(device.device, device.is_enabled);
    }
    if (autocast::get_autocast_dtype(device.device) != device.dtype) {
      autocast::set_autocast_dtype(device.device, device.dtype);
    }
  }
  autocast::set_autocast_cache_enabled(state.caches_casts);
  // The default dtype belongs to the process: touch it only if it really differs.
  if (c10::get_default_dtype() != state.default_dtype) {
    c10::set_default_dtype(state.default_dtype);
  }
}

}  // namespace

AmbientState ambient_state() {
  AmbientState state;
  for (std::size_t i = 0; i < state.autocast.size(); ++i) {
    const c10::DeviceType device = autocast::_AUTOCAST_SUPPORTED_DEVICES.at(i);
    state.autocast.at(i) = {device, autocast::is_autocast_enabled(device),
                            autocast::get_autocast_dtype(device)};
  }
  state.caches_casts = autocast::is_autocast_cache_enabled();
  state.default_dtype = c10::get_default_dtype();
  return state;
}

RestoredAmbientState::RestoredAmbientState(const AmbientState& state)
    : present_(ambient_state()), had_grad_(c10::GradMode::is_enabled()) {
  apply(state);
  c10::GradMode::set_enabled(true);
  autocast::increment_nesting();
}

RestoredAmbientState::~RestoredAmbientState() {
  // Backward usually runs outside of any autocast scope: then nobody else would clear the casts
  // that the rerun cached, and they hold on to its graph.
  if (autocast::decrement_nesting() == 0) {
    autocast::clear_cache();
  }
  c10::GradMode::set_enabled(had_grad_);
  apply(present_);
}

}  // namespace reprise::tape
