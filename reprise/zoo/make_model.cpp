// SPDX-License-Identifier: Apache-2.0
#include "reprise/zoo/make_model.h"

#include <algorithm>

#include <ATen/ops/empty.h>

#include "reprise/plan/argument_error.h"
#include "reprise/plan/checks.h"
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

bool is_any_of(const ModelSpec& spec, const std::vector<const char*>& names) {
  return std::any_of(names.begin(), names.end(),
                     [&spec](const char* name) { return has_name(spec, name); });
}

std::string list_text(const std::vector<const char*>& names) {
  std::string text;
  for (const char* name : names) {
    text.append(text.empty() ? "" : ", ").append(name);
  }
  return text;
}

void check_name(const std::string& name) {
  const std::vector<std::string>& names = model_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw ArgumentError("make_model", "name", "gpt, lstm, audio, cnn or unet", name);
  }
}

// Sizes that the spec gives but the model does not have are errors, not silently ignored.
void check_sizes(const ModelSpec& spec) {
  const auto refuse = [&spec](bool is_given, const char* size,
                              const std::vector<const char*>& owners) {
    if (is_given && !is_any_of(spec, owners)) {
      throw ArgumentError("make_model", size, "given for model " + list_text(owners) + " only",
                          spec.name);
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
  throw ArgumentError("make_model", "attention", "written, sdpa or flash", name);
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
  const auto refuse = [&model](const std::string& path, const char* kind,
                               const std::vector<const char*>& owners) {
    if (!path.empty() && !is_any_of(model, owners)) {
      throw ArgumentError("make_data", kind, "given for model " + list_text(owners) + " only",
                          model.name);
    }
  };
  refuse(data.text, "text", {"gpt", "lstm"});
  refuse(data.wav, "wav", {"audio"});
  refuse(data.images, "images", {"cnn", "unet"});
  refuse(data.labels, "labels", {"cnn"});
  if (has_name(model, "cnn") && data.images.empty() != data.labels.empty()) {
    const bool has_images = !data.images.empty();
    throw ArgumentError("make_data", has_images ? "labels" : "images",
                        has_images ? "given together with images" : "given together with labels",
                        "none");
  }
  if (!data.images.empty() && model.image_size.has_value()) {
    throw ArgumentError("make_data", "image_size", "left out beside images",
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
  plan::require_at_least("make_data", "context", samples, kAudioWindow);
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
  plan::require_at_least("make_data", "classes", sizes.classes, 2);
  if (!data.images.empty()) {
    return std::make_unique<SegmentedImages>(data.images, multiple, data.batch_size, data.seed);
  }
  const std::int64_t image_size = model.image_size.value_or(kUnetImageSize);
  plan::require_at_least("make_data", "image_size", image_size, 4);
  plan::require_multiple("make_data", "image_size", image_size, "2^levels", multiple);
  return std::make_unique<SyntheticData>(synthetic_rectangles({.batch_size = data.batch_size,
                                                               .image_size = image_size,
                                                               .classes = sizes.classes,
                                                               .seed = data.seed}));
}

at::Tensor without_bytes(const std::vector<std::int64_t>& sizes, at::ScalarType type) {
  return at::empty(sizes, at::TensorOptions(at::kMeta).dtype(type));
}

Batch images_without_bytes(const ModelSpec& model, std::int64_t batch) {
  if (has_name(model, "cnn")) {
    const std::int64_t size = model.image_size.value_or(kCnnImageSize);
    return {{without_bytes({batch, 3, size, size}, at::kFloat)}, without_bytes({batch}, at::kLong)};
  }
  const std::int64_t size = model.image_size.value_or(kUnetImageSize);
  return {{without_bytes({batch, 3, size, size}, at::kFloat)},
          without_bytes({batch, size, size}, at::kLong)};
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

Batch batch_without_bytes(const ModelSpec& model, const DataSpec& data) {
  make_data(model, data);  // checks both
  const std::int64_t batch = data.batch_size;
  if (has_name(model, "gpt") || has_name(model, "lstm")) {
    const std::int64_t context =
        has_name(model, "gpt") ? gpt_sizes(model).context : lstm_sizes(model).context;
    return {{without_bytes({batch, context}, at::kLong)},
            without_bytes({batch, context}, at::kLong)};
  }
  if (has_name(model, "audio")) {
    const std::int64_t samples = model.context.value_or(kDefaultSamples);
    return {{without_bytes({batch, 1, samples}, at::kFloat)},
            without_bytes({batch, samples / kAudioHop}, at::kLong)};
  }
  return images_without_bytes(model, batch);
}

}  // namespace reprise::zoo
