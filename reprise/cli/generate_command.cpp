// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/generate_command.h"

#include <algorithm>
#include <map>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "reprise/cli/argument_names.h"
#include "reprise/cli/errors.h"
#include "reprise/cli/number_text.h"
#include "reprise/cli/program_text.h"
#include "reprise/cli/report_output.h"
#include "reprise/plan/generate/chain.h"
#include "reprise/plan/generate/random.h"
#include "reprise/plan/generate/resnet.h"
#include "reprise/plan/generate/transformer.h"
#include "reprise/plan/generate/unet.h"
#include "reprise/plan/peak_floor.h"
#include "reprise/plan/serialize.h"
#include "reprise/plan/simulate.h"

namespace reprise::cli {
namespace {

// The sizes that each kind has beside --layers.
const std::map<std::string, std::vector<std::string>>& sizes_of_kinds() {
  static const std::map<std::string, std::vector<std::string>> all = {
      {"transformer", {"width", "heads", "context", "batch", "no-dropout"}},
      {"unet", {"levels", "channels", "image-size", "batch"}},
      {"resnet", {"channels", "image-size", "batch"}},
      {"chain", {"width", "batch"}},
      {"random", {"seed"}}};
  return all;
}

// "--layers, --width, --batch": the sizes of `kind`.
std::string size_options(const std::string& kind) {
  std::string options = "--layers";
  for (const std::string& name : sizes_of_kinds().at(kind)) {
    if (name != "no-dropout") {
      options.append(", --").append(name);
    }
  }
  return options;
}

void check_sizes(const OptionValues& values, const std::string& kind) {
  const std::vector<std::string>& mine = sizes_of_kinds().at(kind);
  for (const auto& [other, sizes] : sizes_of_kinds()) {
    for (const std::string& size : sizes) {
      if (values.is_given(size) && std::find(mine.begin(), mine.end(), size) == mine.end()) {
        std::ostringstream complaint;
        complaint << "--" << size << ": expected a size of '" << kind << "' (" << size_options(kind)
                  << "), got one that it does not have";
        throw UsageError(complaint.str());
      }
    }
  }
}

void take(const OptionValues& values, const std::string& name, std::int64_t& size) {
  if (values.is_given(name)) {
    size = values.integer(name);
  }
}

plan::Program transformer(const OptionValues& values) {
  plan::TransformerSizes sizes;
  take(values, "layers", sizes.layers);
  take(values, "width", sizes.width);
  take(values, "heads", sizes.heads);
  take(values, "context", sizes.context);
  take(values, "batch", sizes.batch);
  sizes.has_dropout = !values.flag("no-dropout");
  return plan::generate_transformer(sizes);
}

plan::Program unet(const OptionValues& values) {
  plan::UnetSizes sizes;
  take(values, "layers", sizes.layers);
  take(values, "levels", sizes.levels);
  take(values, "channels", sizes.channels);
  take(values, "image-size", sizes.image_size);
  take(values, "batch", sizes.batch);
  return plan::generate_unet(sizes);
}

plan::Program resnet(const OptionValues& values) {
  plan::ResnetSizes sizes;
  take(values, "layers", sizes.layers);
  take(values, "channels", sizes.channels);
  take(values, "image-size", sizes.image_size);
  take(values, "batch", sizes.batch);
  return plan::generate_resnet(sizes);
}

plan::Program chain(const OptionValues& values) {
  plan::ChainSizes sizes;
  take(values, "layers", sizes.layers);
  take(values, "width", sizes.width);
  take(values, "batch", sizes.batch);
  return plan::generate_chain(sizes);
}

plan::Program random(const OptionValues& values) {
  plan::RandomSizes sizes;
  take(values, "layers", sizes.ops);
  if (values.is_given("seed")) {
    sizes.seed = static_cast<std::uint64_t>(values.integer("seed"));
  }
  return plan::generate_random(sizes);
}

ArgumentNames argument_names(const std::string& kind) {
  return {{"width", "--width"},
          {"heads", "--heads"},
          {"image_size", "--image-size"},
          {"levels", "--levels"},
          {"sizes", size_options(kind)}};
}

plan::Program generate(const OptionValues& values, const std::string& kind) {
  if (kind == "transformer") {
    return transformer(values);
  }
  if (kind == "unet") {
    return unet(values);
  }
  if (kind == "resnet") {
    return resnet(values);
  }
  return kind == "chain" ? chain(values) : random(values);
}

}  // namespace

void run_generate(const OptionValues& values, std::ostream& out, std::ostream& err) {
  const ReportOutput output(values, {"out"}, {}, out, err);
  const std::string kind = values.text("kind");
  check_sizes(values, kind);
  const plan::Program program =
      with_names(argument_names(kind), [&] { return generate(values, kind); });
  output.write("out", plan::write_program(program));
  output.text() << program_text(program) << "\n"
                << "step " << fixed_text(program.step_us / 1e3, 1) << " ms, peak "
                << bytes_text(plan::simulate_keep_all(program).peak_bytes)
                << " with everything kept, no schedule needs less than "
                << bytes_text(plan::peak_floor(program).bytes) << "\n";
}

}  // namespace reprise::cli
