// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/generate_command.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/cli/errors.h"
#include "reprise/cli/plan_files.h"
#include "reprise/plan/serialize.h"
#include "tests/cli/plan_commands.h"

namespace reprise::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class GenerateCommand : public PlanCommands {};

TEST_F(GenerateCommand, WritesAProgramThatCanBeRead) {
  const Output output = run(run_generate, {"generate", "transformer", "--layers", "2", "--width",
                                           "8", "--heads", "2", "--out", path("g.json")});
  EXPECT_THAT(output.out, StartsWith("transformer2: "));
  EXPECT_EQ(load_program(path("g.json")).name, "transformer2");
}

TEST_F(GenerateCommand, WritesEveryKindToStandardOutput) {
  for (const std::string kind : {"transformer", "unet", "resnet", "chain", "random"}) {
    SCOPED_TRACE(kind);
    const Output output = run(run_generate, {"generate", kind, "--layers", "12"});
    EXPECT_EQ(plan::read_program(output.out, kind).name, kind + "12");
    EXPECT_THAT(output.err, HasSubstr("with everything kept"));
  }
}

TEST_F(GenerateCommand, RefusesASizeThatTheKindDoesNotHave) {
  EXPECT_EQ(refusal<UsageError>(run_generate, {"generate", "chain", "--heads", "2"}),
            "--heads: expected a size of 'chain' (--layers, --width, --batch), got one that it "
            "does not have");
  EXPECT_THAT(refusal<UsageError>(run_generate, {"generate", "mlp"}),
              StartsWith("KIND: expected one of: transformer, "));
}

}  // namespace
}  // namespace reprise::cli
