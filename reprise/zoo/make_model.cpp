// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/make_model.h"

#include <algorithm>
#include <stdexcept>

#include "reprise/zoo/audio_data.h"
#include "reprise/zoo/audio_encoder.h"
#include "reprise/zoo/cnn.h"
#include "reprise/zoo/gpt.h"
#include "reprise/zoo/image_data.h"
#include "reprise/zoo/lstm_lm.h"
#include "reprise/zoo/sizes.h"
#include "reprise/zoo/synthetic_data.h"
#include "reprise/zoo/text_data.h"
#include "reprise/zoo/unet.h"

namespace reprise::zoo {
namespace {

constexpr std::int64_t kDefaultSamples = 16000;
constexpr std::int64_t kCnnImageSize = 32;
constexpr std::int64_t kUnetImageSize = 64;

bool has_name(const ModelSpec& spec, const char* name) { return spec.name == name; }

void check_name(const std::string& name) {
  const std::vector<std::string>& names = model_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw std::invalid_argument("make_model: expected gpt, lstm, audio, cnn or unet, got '" + name +
                                "'");
  }
}

// Sizes that the spec gives but the model does not have are errors, not silently ignored.
void check_sizes(const ModelSpec& spec) {
  const auto refuse = [&spec](bool is_given, const char* size,
                              const std::vector<const char*>& owners) {
    const bool is_owner = std::any_of(owners.begin(), owners.end(),
                                      [&spec](const char* owner) { return has_name(spec, owner); });
    if (is_given && !is_owner) {
      throw std::invalid_argument("make_model: expected only sizes that " + spec.name +
                                  " has, got " + size);
    }
  };
  refuse(spec.layers.has_value(), "layers", {"gpt", "audio", "unet"});
  refuse(spec.heads.has_value(), "heads", {"gpt", "audio"});
  refuse(spec.context.has_value(), "context", {"gpt", "lstm", "audio"});
  refuse(spec.dropout.has_value(), "dropout", {"gpt", "audio"});
  refuse(spec.attention.has_value(), "attention", {"gpt"});
  refuse(spec.classes.has_value(), "classes", {"cnn", "unet"});
  refuse(spec.image_size.has_value(), "image_size", {"cnn", "unet"});
  refuse(!spec.depths.empty(), "depths", {"cnn"});
}

AttentionKind attention_kind(const std::string& name) {
  for (const AttentionKind kind :
       {AttentionKind::kWritten, AttentionKind::kSdpa, AttentionKind::kFlash}) {
    if (name == name_of(kind)) {
      return kind;
    }
  }
  throw std::invalid_argument("make_model: expected attention written, sdpa or flash, got '" +
                              name + "'");
}

// What gpt and audio have in common.
template <class Sizes>
Sizes transformer_sizes(const ModelSpec& spec) {
  Sizes sizes;
  sizes.layers = spec.layers.value_or(sizes.layers);
  sizes.dim = spec.dim.value_or(sizes.dim);
  sizes.heads = spec.heads.value_or(sizes.heads);
  sizes.dropout = spec.dropout.value_or(sizes.dropout);
  return sizes;
}

GptSizes gpt_sizes(const ModelSpec& spec) {
  auto sizes = transformer_sizes<GptSizes>(spec);
  sizes.context = spec.context.value_or(sizes.context);
  sizes.attention = attention_kind(spec.attention.value_or(name_of(sizes.attention)));
  return sizes;
}

LstmSizes lstm_sizes(const ModelSpec& spec) {
  LstmSizes sizes;
  sizes.hidden = spec.dim.value_or(sizes.hidden);
  sizes.context = spec.context.value_or(sizes.context);
  return sizes;
}

CnnSizes cnn_sizes(const ModelSpec& spec) {
  CnnSizes sizes;
  sizes.depths = spec.depths.empty() ? sizes.depths : spec.depths;
  sizes.width = spec.dim.value_or(sizes.width);
  sizes.classes = spec.classes.value_or(sizes.classes);
  return sizes;
}

UnetSizes unet_sizes(const ModelSpec& spec) {
  UnetSizes sizes;
  sizes.base = spec.dim.value_or(sizes.base);
  sizes.levels = spec.layers.value_or(sizes.levels);
  sizes.classes = spec.classes.value_or(sizes.classes);
  return sizes;
}

void check_paths(const ModelSpec& model, const DataSpec& data) {
  const auto refuse = [&model](const std::string& path, const char* kind, bool is_used) {
    if (!path.empty() && !is_used) {
      throw std::invalid_argument("make_data: expected no " + std::string(kind) + " for " +
                                  model.name + ", got '" + path + "'");
    }
  };
  const bool is_image_model = has_name(model, "cnn") || has_name(model, "unet");
  refuse(data.text, "text", has_name(model, "gpt") || has_name(model, "lstm"));
  refuse(data.wav, "folder of WAV files", has_name(model, "audio"));
  refuse(data.images, "images", is_image_model);
  refuse(data.labels, "labels", has_name(model, "cnn"));
  if (has_name(model, "cnn") && data.images.empty() != data.labels.empty()) {
    throw std::invalid_argument("make_data: expected images and labels for cnn, got '" +
                                data.images + "' and '" + data.labels + "'");
  }
  if (!data.images.empty() && model.image_size.has_value()) {
    throw std::invalid_argument("make_data: expected no image_size with images from a file, got " +
                                std::to_string(*model.image_size));
  }
}

std::unique_ptr<DataSource> text_data(const DataSpec& data, std::int64_t context) {
  check_positive("make_data", "context", context);
  const TextSizes sizes{.batch_size = data.batch_size, .context = context, .seed = data.seed};
  if (data.text.empty()) {
    return std::make_unique<SyntheticData>(synthetic_text(sizes));
  }
  return std::make_unique<TextData>(data.text, sizes);
}

std::unique_ptr<DataSource> audio_data(const ModelSpec& model, const DataSpec& data) {
  const std::int64_t samples = model.context.value_or(kDefaultSamples);
  if (samples < kAudioWindow) {
    throw std::invalid_argument("make_data: expected a context of at least " +
                                std::to_string(kAudioWindow) + " samples for audio, got " +
                                std::to_string(samples));
  }
  const AudioDataSizes sizes{.batch_size = data.batch_size, .samples = samples, .seed = data.seed};
  if (data.wav.empty()) {
    return std::make_unique<SyntheticData>(synthetic_audio(sizes));
  }
  return std::make_unique<WavFolder>(data.wav, sizes);
}

std::unique_ptr<DataSource> cnn_data(const ModelSpec& model, const DataSpec& data) {
  const std::int64_t classes = cnn_sizes(model).classes;
  if (!data.images.empty()) {
    return std::make_unique<LabelledImages>(data.images, data.labels, classes, data.batch_size,
                                            data.seed);
  }
  const std::int64_t image_size = model.image_size.value_or(kCnnImageSize);
  check_positive("make_data", "image_size", image_size);
  check_positive("make_data", "classes", classes);
  return std::make_unique<SyntheticData>(synthetic_stripes({.batch_size = data.batch_size,
                                                            .image_size = image_size,
                                                            .classes = classes,
                                                            .seed = data.seed}));
}

std::unique_ptr<DataSource> unet_data(const ModelSpec& model, const DataSpec& data) {
  const UnetSizes sizes = unet_sizes(model);
  const std::int64_t multiple = image_multiple(sizes);
  if (sizes.classes < 2) {
    throw std::invalid_argument("make_data: expected at least 2 classes for unet, got " +
                                std::to_string(sizes.classes));
  }
  if (!data.images.empty()) {
    return std::make_unique<SegmentedImages>(data.images, multiple, data.batch_size, data.seed);
  }
  const std::int64_t image_size = model.image_size.value_or(kUnetImageSize);
  if (image_size < 4 || image_size % multiple != 0) {
    throw std::invalid_argument("make_data: expected an image_size that is a multiple of " +
                                std::to_string(multiple) + " and at least 4 for unet, got " +
                                std::to_string(image_size));
  }
  return std::make_unique<SyntheticData>(synthetic_rectangles({.batch_size = data.batch_size,
                                                               .image_size = image_size,
                                                               .classes = sizes.classes,
                                                               .seed = data.seed}));
}

}  // namespace

const std::vector<std::string>& model_names() {
  static const std::vector<std::string> names = {"gpt", "lstm", "audio", "cnn", "unet"};
  return names;
}

std::shared_ptr<Model> make_model(const ModelSpec& spec) {
  check_name(spec.name);
  check_sizes(spec);
  if (has_name(spec, "gpt")) {
    return std::make_shared<Gpt>(gpt_sizes(spec));
  }
  if (has_name(spec, "lstm")) {
    return std::make_shared<LstmLm>(lstm_sizes(spec));
  }
  if (has_name(spec, "audio")) {
    return std::make_shared<AudioEncoder>(transformer_sizes<AudioSizes>(spec));
  }
  if (has_name(spec, "cnn")) {
    return std::make_shared<Cnn>(cnn_sizes(spec));
  }
  return std::make_shared<Unet>(unet_sizes(spec));
}

std::unique_ptr<DataSource> make_data(const ModelSpec& model, const DataSpec& data) {
  check_name(model.name);
  check_sizes(model);
  check_paths(model, data);
  check_positive("make_data", "batch_size", data.batch_size);
  if (has_name(model, "gpt")) {
    return text_data(data, gpt_sizes(model).context);
  }
  if (has_name(model, "lstm")) {
    return text_data(data, lstm_sizes(model).context);
  }
  if (has_name(model, "audio")) {
    return audio_data(model, data);
  }
  return has_name(model, "cnn") ? cnn_data(model, data) : unet_data(model, data);
}

}  // namespace reprise::zoo
