// SPDX-License-Identifier: Apache-2.0
#include "reprise/plan/chain/chain_of.h"

#include <algorithm>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reprise/plan/chain/binomial.h"
#include "reprise/plan/chain/lower.h"
#include "reprise/plan/generate/chain.h"
#include "reprise/plan/generate/transformer.h"
#include "tests/plan/chain/chains.h"
#include "tests/plan/chain_program.h"
#include "tests/plan/small_programs.h"

namespace reprise::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string why_not(const Program& program) { return chain_of(program).why_not; }

TEST(ChainOf, GivesBackTheChainThatAProgramWasMadeOf) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Chain chain = random_plain_chain(seed);
    chain.input_bytes = 0;  // always there: a program does not count it
    // Of a first stage with a rest, or its use would need nothing that the second stage does not.
    ++chain.stages[0].options[0].saved_bytes;
    ++chain.stages[0].transient_bytes;
    const ChainAnswer answer = chain_of(program_of(chain));
    ASSERT_TRUE(answer.chain.has_value()) << answer.why_not;
    EXPECT_EQ(answer.chain->chain, chain);
  }
}

TEST(ChainOf, PutsEachUseOfSuchAProgramIntoTheTurnOfItsStage) {
  Chain chain = hetero5();
  chain.stages.pop_back();  // the loss, which makes nothing
  const ChainAnswer answer = chain_of(program_of(chain));
  EXPECT_THAT(answer.chain->stage_of_use, ElementsAre(4, 3, 2, 1, 0));
  EXPECT_THAT(answer.chain->recipes, ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2),
                                                 ElementsAre(3), ElementsAre(4)));
}

TEST(ChainOf, TakesALayersRecipesAsOneStageIfBackwardNeedsOnlyTheLast) {
  // An embedding, three layers of mm and tanh, and a loss of pow and mean that nobody rebuilds.
  const Program program = generate_chain({.layers = 3, .width = 16, .batch = 64});
  const ChainAnswer answer = chain_of(program);
  ASSERT_TRUE(answer.chain.has_value()) << answer.why_not;
  EXPECT_THAT(answer.chain->recipes,
              ElementsAre(ElementsAre(0), ElementsAre(1, 2), ElementsAre(3, 4), ElementsAre(5, 6)));
  // pow and the last tanh need what the last stage makes; each mm and the tanh before it the same.
  EXPECT_THAT(answer.chain->stage_of_use, ElementsAre(3, 3, 3, 3, 2, 2, 1));
  const Stage& layer = answer.chain->chain.stages[1];
  EXPECT_EQ(layer.output_bytes, 64 * 16 * 4);
  EXPECT_EQ(layer.options[0].saved_bytes, 64 * 16 * 4);
  EXPECT_EQ(layer.transient_bytes, 64 * 16 * 4);  // what mm makes
  EXPECT_EQ(layer.forward_us, program.recipes[1].cost_us + program.recipes[2].cost_us);
}

TEST(ChainOf, LetsAnybodyReadWhatIsAlwaysThere) {
  Program program = chain_of_three();
  program.recipes[2].inputs.push_back(0);
  program.uses[1].needs.push_back(0);
  EXPECT_EQ(why_not(program), "");
  // User code holds value 1, so stage b may read it as if it were external.
  program.values[1].released_at = 3;
  EXPECT_THAT(chain_of(program).chain->recipes, ElementsAre(ElementsAre(1), ElementsAre(2)));
}

TEST(ChainOf, SaysWhatIsAgainstIt) {
  Program program = chain_of_three();
  program.recipes[2].inputs.push_back(1);
  EXPECT_EQ(why_not(program),
            "recipe 2 (c) reads value 1, which the recipe before it does not make");
  program = chain_of_three();
  program.recipes[2].inputs.clear();
  EXPECT_EQ(why_not(program), "recipe 2 (c) reads nothing of recipe 1 (b), which runs before it");
  program = chain_of_three();
  program.recipes[1].replayable = false;
  EXPECT_EQ(why_not(program), "recipe 1 (b) must not run again");
  program = chain_of_three();
  program.values[2].recipe = kNoRecipe;
  program.recipes.erase(program.recipes.begin() + 1);
  program.values[3].recipe = 1;
  EXPECT_EQ(why_not(program), "nothing can rebuild value 2, which backward may want");
  program = chain_of_three();
  std::swap(program.uses[0], program.uses[2]);
  EXPECT_EQ(why_not(program),
            "use 2 (C) does not come in the turn of a stage that makes and reads all it needs");
  program.uses.clear();
  EXPECT_EQ(why_not(program), "there is nothing that backward needs and a recipe can rebuild");
  EXPECT_THAT(why_not(generate_transformer({.layers = 1})), HasSubstr("reads"));
}

TEST(ChainOf, CountsStagesForPlannersThatTakeSoMany) {
  EXPECT_EQ(why_not_chain(chain_of_three(), 3), std::nullopt);
  EXPECT_EQ(why_not_chain(chain_of_three(), 2), "it is a chain of 3 stages, at most 2 are solved");
}

TEST(ReplaysOf, RunsOnlyWhatAUseStillNeeds) {
  const Program program = chain_of_three();
  const ProgramChain chain = *chain_of(program).chain;
  // snapshot 0, advance 0-2, turn 2, restore 0, advance 0-1, turn 1, restore 0, turn 0. In the turn
  // of stage 1 the last use needs the state before it; the turns themselves make nothing new.
  EXPECT_THAT(replays_of(program, chain, revolve_actions(3, 1)),
              ElementsAre(Replays{.before_use = 2, .recipes = {0}}));
  EXPECT_THAT(replays_of(program, chain, revolve_actions(3, 3)), IsEmpty());
}

}  // namespace
}  // namespace reprise::plan
