// SPDX-License-Identifier: Apache-2.0
// A model with one batch, whose steps all begin in the same state: what the programs of a
// comparison train. bench/peer/trained_model.py is the same for Python.
#pragma once

#include <memory>
#include <string>

#include "bench/same_bits.h"
#include "bench/step.h"
#include "reprise/zoo/model.h"

namespace reprise::bench {

class TrainedModel {
 public:
  // Gradients stay between steps, as in training without set_to_none: the peak of a step is then
  // that of its activations.
  TrainedModel(std::shared_ptr<zoo::Model> model, zoo::Batch batch);

  zoo::Model& model() { return *model_; }

  // One step from zero gradients, the buffers that the model was made with and the same random
  // numbers.
  Step step(const StepOptions& options = {});

  // Writes parameters, buffers and batch, and of the last step gradients and buffers, for
  // torch.load.
  void write_model(const std::string& path) const;
  void write_results(const std::string& path) const;

  // What the last step left; they share memory with the model.
  Tensors gradients() const;
  Tensors buffers() const { return model_->buffers(); }

 private:
  std::shared_ptr<zoo::Model> model_;  // as make_model() gives it; nobody else owns it here
  zoo::Batch batch_;
  Tensors first_buffers_;
};

}  // namespace reprise::bench
