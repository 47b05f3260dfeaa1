// SPDX-License-Identifier: Apache-2.0
// Models and data by name, for programs that take them from a command line.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reprise/zoo/data.h"
#include "reprise/zoo/model.h"

namespace reprise::zoo {

// What to build. A size that is not given is the model's own default (see the model's header).
struct ModelSpec {
  std::string name = "gpt";                  // one of model_names()
  std::optional<std::int64_t> layers = {};   // gpt, audio: transformer blocks; unet: levels
  std::optional<std::int64_t> dim = {};      // gpt, audio: width; lstm: hidden; cnn, unet: channels
  std::optional<std::int64_t> heads = {};    // gpt, audio
  std::optional<std::int64_t> context = {};  // gpt, lstm: tokens; audio: samples
  std::optional<double> dropout = {};        // gpt, audio
  std::optional<std::string> attention = {};    // gpt: written, sdpa, flash
  std::optional<std::int64_t> classes = {};     // cnn, unet
  std::optional<std::int64_t> image_size = {};  // cnn, unet: pixels per side of synthetic images
  std::vector<std::int64_t> depths = {};        // cnn: blocks per stage; empty: the default
};

// "gpt", "lstm", "audio", "cnn", "unet".
const std::vector<std::string>& model_names();

// Parameters are drawn from torch's default generator, as always: seed it first.
// Shared, as torch's modules are: one owner is the caller, another any module that registers this
// one as a part, or a pointer that the module gives out itself (shared_from_this()).
// Throws std::invalid_argument if the name is unknown, or a size is out of range or not one of the
// model's sizes.
std::shared_ptr<Model> make_model(const ModelSpec& spec);

// Where the data come from. Paths that are empty: synthetic data.
struct DataSpec {
  std::string text = {};    // gpt, lstm: a file, read as bytes
  std::string wav = {};     // audio: a folder of WAV files
  std::string images = {};  // cnn, unet: an IDX file of images (MNIST's format)
  std::string labels = {};  // cnn: an IDX file of as many labels
  std::int64_t batch_size = 8;
  std::uint64_t seed = 1;
};

// Throws std::invalid_argument if a path is given that the model has no use for, and FormatError if
// a file cannot be read or is not what it should be.
std::unique_ptr<DataSource> make_data(const ModelSpec& model, const DataSpec& data);

// Tensors of the shapes and types of a synthetic batch, on the meta device: they take no memory.
// Throws as make_data() does. REQUIRES: no path is given.
Batch batch_without_bytes(const ModelSpec& model, const DataSpec& data);

}  // namespace reprise::zoo
