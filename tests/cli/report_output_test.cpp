// SPDX-License-Identifier: Apache-2.0
#include "reprise/cli/report_output.h"

#include <filesystem>
#include <sstream>

#include <gtest/gtest.h>

#include <unistd.h>

#include "reprise/cli/errors.h"
#include "reprise/cli/file_bytes.h"

namespace reprise::cli {
namespace {

const CommandTable kTable = {
    "tool",
    {{"draw", "Draw", "tool draw"}},
    {{{"draw"}, "page", OptionType::kText, "", "Page", "Files", "PAGE", {}, {}, true},
     {{"draw"}, "out", OptionType::kText, "", "Drawing", "Output", "FILE"},
     {{"draw"}, "json", OptionType::kText, "", "Report", "Output", "FILE"}}};

class ReportOutputs : public testing::Test {
 protected:
  ReportOutputs() {
    std::string name = (std::filesystem::temp_directory_path() / "reprise.XXXXXX").string();
    folder_ = mkdtemp(name.data());
    replace_file(path("page"), "a page");
  }
  ~ReportOutputs() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  ReportOutput output(const std::string& drawing, const std::string& json) {
    OptionValues values(kTable, "draw");
    values.set("page", path("page"));
    if (!drawing.empty()) {
      values.set("out", drawing);
    }
    if (!json.empty()) {
      values.set("json", json);
    }
    return {values, {"out", "json"}, {"page"}, out_, err_};
  }

  std::string refusal(const std::string& drawing, const std::string& json) {
    try {
      output(drawing, json);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "accepted";
  }

  std::ostringstream out_;
  std::ostringstream err_;

 private:
  std::string folder_;
};

TEST_F(ReportOutputs, WriteWhereTheyAreAskedFor) {
  const ReportOutput files = output(path("drawing"), path("report"));
  files.write("out", "a drawing");
  files.write("json", "a report");
  files.text() << "text";
  EXPECT_EQ(read_file(path("drawing")), "a drawing");
  EXPECT_EQ(read_file(path("report")), "a report");
  EXPECT_EQ(out_.str(), "text");
  EXPECT_FALSE(files.text_goes_to_errors());
}

TEST_F(ReportOutputs, WriteNothingThatIsNotAskedFor) {
  const ReportOutput nothing = output("", "");
  EXPECT_FALSE(nothing.is_asked_for("out"));
  nothing.write("out", "a drawing");
  EXPECT_EQ(out_.str() + err_.str(), "");
}

TEST_F(ReportOutputs, LeaveStandardOutputToTheOneThatIsADash) {
  const ReportOutput dash = output("-", path("report"));
  dash.write("out", "a drawing");
  dash.text() << "text";
  EXPECT_EQ(out_.str(), "a drawing");
  EXPECT_EQ(err_.str(), "text");
  EXPECT_TRUE(dash.text_goes_to_errors());
}

TEST_F(ReportOutputs, AreRefusedIfTwoAreOne) {
  EXPECT_EQ(refusal("-", "-"), "--json: expected another file than that of --out, got '-'");
  EXPECT_EQ(refusal(path("x"), path("./x")),
            "--json: expected another file than that of --out, got '" + path("./x") + "'");
  EXPECT_EQ(refusal("/dev/null", "/dev/null"), "accepted");
}

TEST_F(ReportOutputs, AreRefusedInPlaceOfWhatIsRead) {
  std::filesystem::create_hard_link(path("page"), path("link"));
  EXPECT_EQ(refusal("", path("link")),
            "--json: expected another file than that of the page, got '" + path("link") + "'");
  EXPECT_EQ(read_file(path("page")), "a page");
}

TEST_F(ReportOutputs, AreNotComparedWithWhatIsNotGiven) {
  OptionValues values(kTable, "draw");
  values.set("out", path("drawing"));
  EXPECT_NO_THROW(ReportOutput(values, {"out"}, {"json"}, out_, err_));
}

TEST_F(ReportOutputs, AreRefusedAtOnceIfTheyCannotBeWritten) {
  EXPECT_THROW(output(path("missing/x"), ""), FileError);
}

}  // namespace
}  // namespace reprise::cli
