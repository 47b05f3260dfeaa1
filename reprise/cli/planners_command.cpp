// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/planners_command.h"

#include <vector>

#include "reprise/cli/text_table.h"
#include "reprise/plan/planners.h"

namespace reprise::cli {

std::string planners_text() {
  std::vector<std::vector<std::string>> rows;
  for (const plan::PlannerRecord& record : plan::planner_records()) {
    rows.push_back({record.name, record.help});
    for (const plan::PlannerOption& option : record.options) {
      std::string choices;
      for (const std::string& choice : option.choices) {
        choices += (choices.empty() ? " (" : ", ") + choice;
      }
      rows.push_back(
          {"  " + option.name,
           option.help + (choices.empty() ? "" : choices + ")") +
               (option.default_text.empty() ? "" : "; default: " + option.default_text)});
    }
  }
  return table_text({{"planner, its options", false}, {"what it does", false}}, rows);
}

}  // namespace reprise::cli
