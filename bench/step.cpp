// SPDX-License-Identifier: Apache-2.0
#include "bench/step.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <iostream>
#include <sstream>

#include <dlfcn.h>
#include <malloc.h>

#include <torch/torch.h>
#include <nlohmann/json.hpp>

#include "bench/cpu_clock.h"
#include "reprise/memory.h"
#include "reprise/memory_budget.h"

namespace reprise::bench {
namespace {

std::int64_t heap_bytes_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<std::int64_t>(info.uordblks + info.hblkhd);
}

// The file that libtorch was loaded from: two processes with the same file run the same kernels.
std::string libtorch_path() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&at::get_num_threads), &info) == 0) {
    return "unknown";
  }
  return info.dli_fname;
}

}  // namespace

Step measure_step(const std::function<at::Tensor()>& forward, const StepOptions& options) {
  Step step;
  at::Tensor loss;
  const MemoryMeter meter;
  const std::int64_t heap_before = options.sees_heap ? heap_bytes_in_use() : 0;
  const auto run = [&] {
    loss = forward();
    step.residue_bytes = meter.live_bytes() - meter.start_bytes();
    step.heap_bytes = options.sees_heap ? heap_bytes_in_use() - heap_before : 0;
    loss.backward();
  };
  const double cpu_start_ms = process_cpu_ms();
  const auto start = std::chrono::steady_clock::now();
  if (options.budget != nullptr) {
    const auto scope = options.budget->step();
    run();
  } else {
    run();
  }
  step.wall_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  step.cpu_ms = process_cpu_ms() - cpu_start_ms;
  step.peak_bytes = meter.peak_bytes();
  step.loss = loss.item<double>();
  return step;
}

nlohmann::json to_json(const Step& step) {
  return {{"wall_ms", step.wall_ms},       {"cpu_ms", step.cpu_ms},
          {"peak_bytes", step.peak_bytes}, {"residue_bytes", step.residue_bytes},
          {"heap_bytes", step.heap_bytes}, {"loss", step.loss}};
}

int answer_commands(const Answer& answer) {
  try {
    const nlohmann::json hello = {{"libtorch", libtorch_path()},
                                  {"threads", at::get_num_threads()}};
    std::cout << hello << std::endl;  // endl: whoever asked waits for the line
    for (std::string line; std::getline(std::cin, line);) {
      std::istringstream in(line);
      std::vector<std::string> words;
      for (std::string word; in >> word;) {
        words.push_back(word);
      }
      std::cout << answer(words) << std::endl;
    }
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}

bool has_word(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace reprise::bench
