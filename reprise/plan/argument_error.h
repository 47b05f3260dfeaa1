// SPDX-License-Identifier: Apache-2.0
// An argument that is not as expected, in parts: who knows it by another name can say so.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace reprise {

// The message is "PLACE: NAME must be EXPECTATION, got VALUE: REMARK", without a remark less:
//
//   throw ArgumentError("generate_unet", "image_size", "a multiple of 2^levels (4)", "30");
class ArgumentError : public std::invalid_argument {
 public:
  // `expectation` may name other arguments, each as one word. A long `value` is cut (shortened.h).
  ArgumentError(std::string_view place, std::string_view name, std::string_view expectation,
                std::string_view value, std::string_view remark = {});

  std::string name() const;
  std::string expectation() const;
  std::string value() const;
  std::string remark() const;  // "": none

 private:
  // Where the parts are in the message: so that a copy cannot throw.
  std::size_t name_at_;
  std::size_t expectation_at_;
  std::size_t value_at_;
  std::size_t value_end_;
};

}  // namespace reprise
