#include "training/report.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace heed {
namespace {

using Json = nlohmann::json;

const ReportFacts some_facts = {.model = "hallo", .source_language = "de", .target_language = "en", .parameters = 1000};

std::string_view between(std::string_view text, std::string_view open, std::string_view close) {
  const std::size_t begin = text.find(open) + open.size();
  return text.substr(begin, text.find(close, begin) - begin);
}

// The embedded JSON as a browser reads it: up to the first end tag.
Json figures_of(const std::string& page) {
  return Json::parse(between(page, R"(<script type="application/json" id="run">)", "</script>"));
}

Json figures_of_log(const std::string& log) { return figures_of(render_report("", log, some_facts)); }

std::string train_line(Index update, double cost) {
  return fmt::format(R"({{"type":"train","update":{},"epoch":1,"cost":{},"seconds":{}}})"
                     "\n",
                     update, cost, update);
}

std::string valid_line(Index update, double bleu, bool best, const Json& samples) {
  const Json record = {{"type", "valid"}, {"update", update}, {"bleu", bleu}, {"best", best}, {"samples", samples}};
  return record.dump() + '\n';
}

Json sample(const std::string& source, const std::string& reference, const std::string& hypothesis) {
  return {{"source", source}, {"reference", reference}, {"hypothesis", hypothesis}};
}

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Report, NeedsNothingFromOutside) {
  std::string page = render_report("", "", some_facts);
  const std::string svg_namespace = "http://www.w3.org/2000/svg";
  ASSERT_EQ(count_of(page, svg_namespace), 1u);
  page.erase(page.find(svg_namespace), svg_namespace.size());
  for (const char* link : {"http://", "https://", "src=", "@import", "url(", "<link rel=\"stylesheet\"", "fetch("}) {
    EXPECT_EQ(page.find(link), std::string::npos) << link;
  }
  // The one link is for the reader to follow: to the page of heed look beside this one.
  EXPECT_EQ(count_of(page, "href="), count_of(page, "href=\"data:") + count_of(page, "<a href=\"look.html\">"));
}

TEST(Report, HoldsItsStyleAndScripts) {
  const std::string page = render_report("", "", some_facts);
  EXPECT_NE(page.find("prefers-color-scheme: dark"), std::string::npos);
  EXPECT_NE(page.find("class Chart"), std::string::npos);
  EXPECT_EQ(page.substr(page.size() - 8), "</html>\n");
}

TEST(Report, EmptyLogIsARunThatHasJustStarted) {
  const Json figures = figures_of(render_report("seed: 1\n", "", some_facts));
  EXPECT_EQ(figures["model"], "hallo");
  EXPECT_EQ(figures["source_language"], "de");
  EXPECT_EQ(figures["target_language"], "en");
  EXPECT_EQ(figures["parameters"], 1000);
  EXPECT_EQ(figures["config"], "seed: 1\n");
  EXPECT_EQ(figures["last"]["update"], 0);
  EXPECT_TRUE(figures["end"].is_null());
  EXPECT_TRUE(figures["best_update"].is_null());
  EXPECT_TRUE(figures["curves"]["train"]["cost"].empty());
  EXPECT_TRUE(figures["snapshots"].empty());
}

TEST(Report, HostileTextStaysText) {
  const std::string hostile = "</script><script>alert(1)</script><!-- \" ' & \\ \u2028 안녕 مرحبا";
  const std::string log = valid_line(1, 2.5, true, Json::array({sample(hostile, hostile, hostile)}));
  const std::string harmless = render_report("", "", some_facts);
  ReportFacts facts = some_facts;
  facts.model = hostile;
  const std::string page = render_report(hostile, log, facts);
  EXPECT_EQ(count_of(page, "</script>"), count_of(harmless, "</script>"));
  EXPECT_EQ(count_of(page, "<!--"), count_of(harmless, "<!--"));
  const Json figures = figures_of(page);
  EXPECT_EQ(figures["model"], hostile);
  EXPECT_EQ(figures["config"], hostile);
  EXPECT_EQ(figures["sentences"][0]["source"], hostile);
  EXPECT_EQ(figures["sentences"][0]["reference"], hostile);
  EXPECT_EQ(figures["snapshots"][0]["hypotheses"][0][1], hostile);
}

TEST(Report, TextThatIsNotUtf8IsShownWithReplacements) {
  EXPECT_EQ(figures_of(render_report("name: \xff", "", some_facts))["config"], "name: \ufffd");
}

TEST(Report, BrokenLinesArePassedOver) {
  const std::string log = train_line(1, 5.0) + "{\"type\":\"train\",\"update\":2,\"co\n" +
                          "\n[1,2]\nnull\n\"train\"\n" + "{\"type\":\"train\",\"update\":\"three\",\"cost\":4}\n" +
                          "{\"type\":\"train\",\"update\":-4,\"cost\":4}\n" + "{\"type\":7,\"update\":5,\"cost\":4}\n" +
                          "{\"update\":6,\"cost\":4}\n" + "{\"type\":\"train\",\"update\":7,\"cost\":NaN}\n" +
                          train_line(8, 3.0) + "{\"type\":\"train\",\"update\":9,\"cost\":2";
  EXPECT_EQ(figures_of_log(log)["curves"]["train"]["cost"], Json::parse("[[1, 5.0], [8, 3.0]]"));
}

TEST(Report, MissingFiguresLeaveGaps) {
  const std::string log = train_line(1, 5.0) + "{\"type\":\"train\",\"update\":2,\"cost\":null}\n" +
                          "{\"type\":\"train\",\"update\":3,\"cost\":\"much\"}\n" + train_line(4, 3.0);
  const Json figures = figures_of_log(log);
  EXPECT_EQ(figures["curves"]["train"]["cost"], Json::parse("[[1, 5.0], [2, null], [3, null], [4, 3.0]]"));
  EXPECT_TRUE(figures["curves"]["train"]["perplexity"].empty());
}

TEST(Report, LongCurvesAreThinnedAndKeepTheirSpikes) {
  std::string log;
  for (Index update = 1; update <= 20000; ++update) log += train_line(update, update == 12345 ? 99.0 : 2.0);
  const Json curves = figures_of_log(log)["curves"];
  const Json& cost = curves["train"]["cost"];
  EXPECT_LE(cost.size(), static_cast<std::size_t>(report_points));
  EXPECT_GT(cost.size(), static_cast<std::size_t>(report_points / 2));
  EXPECT_EQ(cost.front()[0], 1);
  EXPECT_EQ(cost.back()[0], 20000);
  EXPECT_EQ(std::ranges::count(cost, Json::parse("[12345, 99.0]")), 1);
  EXPECT_TRUE(std::ranges::is_sorted(cost, std::ranges::less_equal{}, [](const Json& point) { return point[0]; }));
}

TEST(Report, CurveOfTheLargestSizeIsKeptWhole) {
  std::string log;
  for (Index update = 1; update <= report_points; ++update) log += train_line(update, 2.0);
  EXPECT_EQ(figures_of_log(log)["curves"]["train"]["cost"].size(), static_cast<std::size_t>(report_points));
}

TEST(Report, ResumeUndoesWhatCameAfterItsCheckpoint) {
  const std::string log = train_line(100, 5.0) + train_line(200, 4.0) + train_line(300, 3.0) +
                          R"({"type":"end","update":300,"reason":"signal","seconds":9})"
                          "\n"
                          R"({"type":"resume","update":200})"
                          "\n" +
                          train_line(300, 3.5);
  const Json figures = figures_of_log(log);
  EXPECT_EQ(figures["curves"]["train"]["cost"], Json::parse("[[100, 5.0], [200, 4.0], [300, 3.5]]"));
  EXPECT_EQ(figures["resumed"], Json::parse("[200]"));
  EXPECT_TRUE(figures["end"].is_null());
}

TEST(Report, TellsHowTheRunEndedAndWhichModelIsBest) {
  const std::string log = R"({"type":"start","update":0,"time":"noon"})"
                          "\n" +
                          train_line(100, 5.0) + valid_line(100, 1.0, true, {}) + valid_line(200, 3.0, true, {}) +
                          valid_line(300, 2.0, false, {}) +
                          R"({"type":"end","update":300,"reason":"patience","seconds":60.5})"
                          "\n";
  const Json figures = figures_of_log(log);
  EXPECT_EQ(figures["started"], "noon");
  EXPECT_EQ(figures["best_update"], 200);
  EXPECT_EQ(figures["last"]["update"], 300);
  EXPECT_EQ(figures["end"], Json::parse(R"({"update": 300, "reason": "patience", "message": "", "seconds": 60.5})"));
}

TEST(Report, ChangedSettingsAreToldUnlessTheyWereUndone) {
  const std::string change = R"({"type":"change","update":200,"name":"learning-rate","from":"0.1","to":"0.05"})"
                             "\n";
  const std::string log = train_line(100, 5.0) + change + train_line(300, 4.0);
  EXPECT_EQ(figures_of_log(log)["changes"],
            Json::parse(R"([{"update": 200, "name": "learning-rate", "from": "0.1", "to": "0.05"}])"));
  EXPECT_TRUE(figures_of_log(log + R"({"type":"resume","update":150})"
                                   "\n")["changes"]
                  .empty());
  EXPECT_EQ(figures_of_log(log + R"({"type":"resume","update":200})"
                                 "\n")["changes"]
                .size(),
            1u);
}

TEST(Report, SaysWhenItWasWrittenAndWithWhat) {
  ReportFacts facts = some_facts;
  facts.written = 1700000000;
  facts.news_lasts = 600.0;
  const Json figures = figures_of(
      render_report("",
                    R"({"type":"start","update":0,"version":"0.1.0","threads":2,"seed":7,"instruction_set":"avx2"})"
                    "\n",
                    facts));
  EXPECT_EQ(figures["written"], 1700000000);
  EXPECT_EQ(figures["news_lasts"], 600.0);
  EXPECT_EQ(figures["program"],
            Json::parse(R"({"version": "0.1.0", "threads": 2, "seed": 7, "instruction_set": "avx2"})"));
  EXPECT_TRUE(figures_of_log("")["program"]["threads"].is_null());
}

TEST(Report, SkippedUpdatesAreTold) {
  const std::string log = R"({"type":"train","update":10,"skipped":0})"
                          "\n"
                          R"({"type":"train","update":20,"skipped":2})"
                          "\n";
  EXPECT_EQ(figures_of_log(log)["skipped_at"], 20);
}

TEST(Report, SentencesOfSamplesAreHeldOnce) {
  const Json figures =
      figures_of_log(valid_line(10, 1.0, true, {sample("eins", "one", "two"), sample("zwei", "two", "two")}) +
                     valid_line(20, 2.0, true, {sample("eins", "one", "one"), sample("zwei", "two", "two")}));
  EXPECT_EQ(figures["sentences"],
            Json::parse(R"([{"source": "eins", "reference": "one"}, {"source": "zwei", "reference": "two"}])"));
  ASSERT_EQ(figures["snapshots"].size(), 2u);
  EXPECT_EQ(figures["snapshots"][1]["update"], 20);
  EXPECT_EQ(figures["snapshots"][1]["bleu"], 2.0);
  EXPECT_EQ(figures["snapshots"][1]["hypotheses"], Json::parse(R"([[0, "one"], [1, "two"]])"));
}

TEST(Report, ManyValidationsKeepFirstBestAndLastSamples) {
  std::string log;
  for (Index update = 1; update <= 3000; ++update) {
    log += valid_line(update, 1.0, update == 1501, Json::array({sample("eins", "one", fmt::format("{}", update))}));
  }
  const Json snapshots = figures_of_log(log)["snapshots"];
  EXPECT_LE(snapshots.size(), static_cast<std::size_t>(report_snapshots));
  EXPECT_GT(snapshots.size(), static_cast<std::size_t>(report_snapshots - 3));
  EXPECT_EQ(snapshots.front()["update"], 1);
  EXPECT_EQ(snapshots.back()["update"], 3000);
  EXPECT_TRUE(std::ranges::any_of(snapshots, [](const Json& snapshot) { return snapshot["update"] == 1501; }));
}

}  // namespace
}  // namespace heed
