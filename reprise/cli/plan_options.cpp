// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/model_options.h"
#include "reprise/cli/option_table.h"

namespace reprise::cli {
namespace {

using enum OptionType;

constexpr Bounds kSize = {.min = 1, .max = 1e6};
constexpr Bounds kWhole = {.min = 0, .max = 9e15};

OptionRecord operand(std::vector<std::string> commands, std::string name, std::string help,
                     std::string value_name) {
  OptionRecord record{std::move(commands), std::move(name), kText, "", std::move(help), "Files"};
  record.value_name = std::move(value_name);
  record.is_operand = true;
  return record;
}

std::vector<OptionRecord> file_options() {
  OptionRecord planned =
      operand({"plan"}, "program", "Program (docs/file_formats.md); none with --model", "PROGRAM");
  planned.is_optional = true;
  return {
      operand({"simulate", "compare"}, "program", "Program (docs/file_formats.md)", "PROGRAM"),
      planned,
      operand({"simulate"}, "schedule",
              "Schedule of that program, or keepall: the one that replays nothing", "SCHEDULE"),
  };
}

}  // namespace

std::vector<OptionRecord> planned_model_options() {
  return model_options(
             "plan", "Model, in place of PROGRAM", "",
             "Plan a training step of this model, on tensors that take no memory and with "
             "estimated times")
      .integer("batch", "8", kSize, "Sequences or images per batch")
      .choice(
          "gradients", "made", {"made", "there"},
          "Gradients of parameters are made in backward, as after zero_grad(), or there before "
          "the step, as where they are added up, and then on top of all bytes as parameters are")
      .integer("threads", "0", {.min = 0, .max = 4096},
               "Threads that the step would have: some ops take memory for each; 0: one per core")
      .real("gflops", "1000", {.min = 0, .excludes_min = true},
            "Speed of the machine that times are estimated for: 1e9 floating-point operations per "
            "second")
      .real("gbytes-per-s", "100", {.min = 0, .excludes_min = true},
            "Likewise: 1e9 bytes that it reads or writes per second")
      .records();
}

namespace {

// What `plan` is to make.
std::vector<OptionRecord> plan_question_options() {
  OptionRecord option{{"plan"},
                      "option",
                      kText,
                      "",
                      "Option of the planner (reprise planners lists them); may be given several "
                      "times",
                      "Planning",
                      "NAME=VALUE"};
  option.is_repeatable = true;
  return {
      {{"plan"},
       "budget",
       kText,
       "minimum",
       "Most bytes that live tensors may take in a step: 123456789, 200MB, 1.5GiB, 60% (of the "
       "peak with everything kept), or minimum: as few as the planner can do with",
       "Planning",
       "BYTES"},
      {{"plan"},
       "planner",
       kText,
       "auto",
       "Planner (reprise planners lists them); auto picks the one that suits the program",
       "Planning",
       "NAME"},
      option,
  };
}

// What `compare` is to compare.
std::vector<OptionRecord> compare_question_options() {
  return {
      {{"compare"},
       "budgets",
       kText,
       "10",
       "A bare number up to 1000 is a count: so many budgets, evenly spaced between what no "
       "schedule can go below and the peak with everything kept; anything else is a list of "
       "budgets, such as 80%,60%,1.5GiB",
       "Planning",
       "LIST"},
      {{"compare"},
       "planners",
       kText,
       "all",
       "Planners to compare, or all that take the program",
       "Planning",
       "LIST"},
  };
}

// What bounds the search of either, and decides what it draws.
std::vector<OptionRecord> limit_options() {
  return {
      {{"plan"},
       "iterations",
       kInteger,
       "0",
       "Limit in the planner's own iterations, which makes a plan reproducible; 0: the planner's "
       "own",
       "Planning",
       "",
       kWhole},
      {{"compare"},
       "iterations",
       kText,
       "0",
       "Limit of each plan in iterations, for all planners or for some: 500, or "
       "search=500,dtr=20; 0: the planner's own",
       "Planning",
       "LIST"},
      {{"plan"},
       "time-limit",
       kText,
       "",
       "Limit in time: 10s, 500ms, 2min; what it finds depends on the machine",
       "Planning",
       "DURATION"},
      {{"compare"},
       "time-limit",
       kText,
       "",
       "Limit of each plan in time, for all planners or for some: 10s, or search=2s,exact=1min",
       "Planning",
       "LIST"},
      {{"plan", "compare"},
       "seed",
       kInteger,
       "1",
       "Decides what a planner draws at random",
       "Planning",
       "",
       kWhole},
  };
}

std::vector<OptionRecord> generating_options() {
  const std::vector<std::string> generate = {"generate"};
  OptionRecord kind{generate,
                    "kind",
                    kChoice,
                    "",
                    "What kind of step",
                    "Sizes",
                    "KIND",
                    {},
                    {"transformer", "unet", "resnet", "chain", "random"}};
  kind.is_operand = true;
  const std::string group = "Sizes";
  // The defaults are those of plan/generate.
  const auto sized = [&](const std::string& name, const std::string& help,
                         const std::string& default_note, const Bounds& bounds = kSize) {
    OptionRecord size{generate, name, kInteger, "", help, group, "", bounds};
    size.default_note = default_note;
    return size;
  };
  return {
      kind,
      sized("layers",
            "Blocks (transformer, resnet), convolutions (unet), layers (chain) or ops (random)",
            "transformer 12, unet 18, resnet 16, chain 50, random 20"),
      sized("width", "Width of a layer (transformer, chain)", "256"),
      sized("heads", "Attention heads (transformer)", "4"),
      sized("context", "Tokens per sequence (transformer)", "128"),
      sized("channels", "Channels of the first level (unet, resnet)", "16"),
      sized("image-size", "Pixels per side (unet, resnet)", "64"),
      sized("levels", "Halvings of the image (unet)", "4", {.min = 1, .max = 16}),
      sized("batch", "Sequences, images or rows (all but random)",
            "transformer 4, unet 8, resnet 4, chain 1024"),
      {generate, "no-dropout", kFlag, "", "The transformer has no dropout", group},
      {generate, "seed", kInteger, "1", "Decides what is drawn (random)", group, "", kWhole},
  };
}

std::vector<OptionRecord> output_options() {
  const std::string group = "Output";
  const std::string dash = "; -: to standard output, all else to standard error";
  const std::string json = "there (docs/file_formats.md)" + dash;
  return {
      {{"simulate"},
       "timeline",
       kFlag,
       "",
       "Draw the bytes of the step over its slots, as wide as the terminal",
       group},
      {{"plan"}, "out", kText, "", "Write the schedule " + json, group, "FILE"},
      {{"plan"},
       "save-program",
       kText,
       "",
       "With --model: write the program " + json,
       group,
       "FILE"},
      {{"generate"}, "out", kText, "-", "Write the program " + json, group, "FILE"},
      {{"simulate"},
       "csv",
       kText,
       "",
       "Write the bytes of each slot there, as CSV" + dash,
       group,
       "FILE"},
      {{"compare"}, "csv", kText, "", "Write the table there, as CSV" + dash, group, "FILE"},
      {{"simulate"}, "json", kText, "", "Write the simulation " + json, group, "FILE"},
      {{"plan"}, "json", kText, "", "Write the plan and how it was found " + json, group, "FILE"},
      {{"compare"}, "json", kText, "", "Write the frontiers " + json, group, "FILE"},
  };
}

}  // namespace

std::vector<OptionRecord> plan_options() {
  std::vector<OptionRecord> all;
  for (const auto& part :
       {file_options(), planned_model_options(), plan_question_options(),
        compare_question_options(), limit_options(), generating_options(), output_options()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace reprise::cli
