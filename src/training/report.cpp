#include "training/report.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/script_text.h"

namespace heed {

std::string_view report_page();  // web/report.html, embedded at build time

namespace {

using Json = nlohmann::json;

struct Record {
  Index update = 0;
  Json fields;
};

// The records since the last start, without those undone by a resume.
struct Run {
  std::vector<Record> train;
  std::vector<Record> valid;
  std::vector<Record> changes;
  std::vector<Index> resumed;
  Json started;  // time as in the log, or null
  Json begin;    // the last start or resume, or null
  Json end;      // the last record, once the run has ended
};

struct Point {
  Index update = 0;
  std::optional<double> value;
};

// null if the field is missing or not a number.
Json number_or_null(const Json& fields, const char* name) {
  const auto field = fields.find(name);
  return field != fields.end() && field->is_number() ? *field : Json();
}

std::string text_or_empty(const Json& fields, const char* name) {
  const auto field = fields.find(name);
  return field != fields.end() && field->is_string() ? field->get<std::string>() : std::string();
}

bool is_true(const Json& fields, const char* name) {
  const auto field = fields.find(name);
  return field != fields.end() && *field == true;
}

void forget_after(std::vector<Record>& records, Index update) {
  std::erase_if(records, [update](const Record& record) { return record.update > update; });
}

void add_record(Run& run, Record record) {
  const std::string type = text_or_empty(record.fields, "type");
  if (type == "train") return run.train.push_back(std::move(record));
  if (type == "valid") return run.valid.push_back(std::move(record));
  if (type == "change") return run.changes.push_back(std::move(record));
  if (type == "end") run.end = std::move(record.fields);
  if (type != "start" && type != "resume") return;
  forget_after(run.train, record.update);
  forget_after(run.valid, record.update);
  forget_after(run.changes, record.update);
  std::erase_if(run.resumed, [&record](Index update) { return update > record.update; });
  run.end = Json();
  if (type == "resume") run.resumed.push_back(record.update);
  if (type == "start") run.started = text_or_empty(record.fields, "time");
  run.begin = std::move(record.fields);
}

Run read_log(std::string_view log) {
  Run run;
  while (!log.empty()) {
    const std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(log.size(), line.size() + 1));
    Json fields = Json::parse(line, nullptr, false);
    if (!fields.is_object()) continue;
    const Json update = number_or_null(fields, "update");
    if (!update.is_number_integer() || update.get<Index>() < 0) continue;
    add_record(run, {update.get<Index>(), std::move(fields)});
  }
  return run;
}

std::vector<Point> points_of(const std::vector<Record>& records, const char* name) {
  std::vector<Point> points;
  for (const Record& record : records) {
    const Json value = number_or_null(record.fields, name);
    points.push_back({record.update, value.is_null() ? std::nullopt : std::optional(value.get<double>())});
  }
  return points;
}

// Keeps the minimum and maximum of each stretch instead of its mean, so that spikes stay visible. A missing value
// counts as the lowest, so gaps stay gaps.
std::vector<Point> thin(const std::vector<Point>& points) {
  const auto count = static_cast<Index>(points.size());
  if (count <= report_points) return points;
  const auto lower = [](const Point& a, const Point& b) { return a.value < b.value; };
  const Index stretches = (report_points - 2) / 2;
  std::vector<Point> thinned = {points.front()};
  for (Index i = 0; i < stretches; ++i) {
    const auto begin = points.begin() + 1 + (count - 2) * i / stretches;
    const auto end = points.begin() + 1 + (count - 2) * (i + 1) / stretches;
    const auto [low, high] = std::minmax_element(begin, end, lower);
    thinned.push_back(*std::min(low, high));
    if (low != high) thinned.push_back(*std::max(low, high));
  }
  thinned.push_back(points.back());
  return thinned;
}

// [[update, value or null], …]; empty if there is no value at all.
Json curve(const std::vector<Point>& points) {
  Json pairs = Json::array();
  if (std::ranges::none_of(points, [](const Point& point) { return point.value.has_value(); })) return pairs;
  for (const Point& point : thin(points)) {
    pairs.push_back(Json::array({point.update, point.value ? Json(*point.value) : Json()}));
  }
  return pairs;
}

Json curves(const std::vector<Record>& records, std::initializer_list<const char*> names) {
  Json all = Json::object();
  for (const char* name : names) all[name] = curve(points_of(records, name));
  return all;
}

// Seconds of training by update, from both kinds of records.
Json clock_of(const Run& run) {
  std::vector<Point> points = points_of(run.train, "seconds");
  std::ranges::copy(points_of(run.valid, "seconds"), std::back_inserter(points));
  std::ranges::stable_sort(points, {}, &Point::update);
  return curve(points);
}

Json last_figures(const Run& run) {
  Index update = run.resumed.empty() ? 0 : run.resumed.back();
  for (const auto* records : {&run.train, &run.valid}) {
    if (!records->empty()) update = std::max(update, records->back().update);
  }
  Json last = {{"update", update}};
  for (const char* name : {"epoch", "sentences", "tokens", "seconds", "seconds_left"}) {
    last[name] = run.train.empty() ? Json() : number_or_null(run.train.back().fields, name);
  }
  return last;
}

// Program and machine at the last start or resume; null for what the log does not contain.
Json program_of(const Run& run) {
  Json program = {{"version", text_or_empty(run.begin, "version")},
                  {"instruction_set", text_or_empty(run.begin, "instruction_set")}};
  for (const char* name : {"threads", "seed"}) program[name] = number_or_null(run.begin, name);
  return program;
}

Json changes_of(const Run& run) {
  Json changes = Json::array();
  for (const Record& record : run.changes) {
    changes.push_back({{"update", record.update},
                       {"name", text_or_empty(record.fields, "name")},
                       {"from", text_or_empty(record.fields, "from")},
                       {"to", text_or_empty(record.fields, "to")}});
  }
  return changes;
}

Json end_of(const Run& run) {
  if (run.end.is_null()) return Json();
  return {{"update", number_or_null(run.end, "update")},
          {"reason", text_or_empty(run.end, "reason")},
          {"message", text_or_empty(run.end, "message")},
          {"seconds", number_or_null(run.end, "seconds")}};
}

// The update of the best model, or null.
Json best_update(const Run& run) {
  const auto best = std::find_if(run.valid.rbegin(), run.valid.rend(),
                                 [](const Record& record) { return is_true(record.fields, "best"); });
  return best == run.valid.rend() ? Json() : Json(best->update);
}

// The first update at which the log reports skipped updates, or null.
Json skipped_at(const Run& run) {
  const auto skipped = std::ranges::find_if(run.train, [](const Record& record) {
    const Json count = number_or_null(record.fields, "skipped");
    return !count.is_null() && count.get<double>() > 0.0;
  });
  return skipped == run.train.end() ? Json() : Json(skipped->update);
}

bool has_samples(const Record& record) {
  const auto samples = record.fields.find("samples");
  return samples != record.fields.end() && samples->is_array() && !samples->empty();
}

// The validations whose samples are shown.
std::vector<const Record*> choose_snapshots(const Run& run) {
  std::vector<const Record*> all;
  for (const Record& record : run.valid) {
    if (has_samples(record)) all.push_back(&record);
  }
  const auto count = static_cast<Index>(all.size());
  if (count <= report_snapshots) return all;
  const Json best = best_update(run);
  std::vector<const Record*> chosen;
  for (Index i = 0; i < count; ++i) {
    // One slot is reserved for the best.
    const bool even =
        i == 0 || i * (report_snapshots - 2) / (count - 1) != (i - 1) * (report_snapshots - 2) / (count - 1);
    const Record* record = all[static_cast<std::size_t>(i)];
    if (even || record->update == best) chosen.push_back(record);
  }
  return chosen;
}

// Every sentence once, and the translations of each validation with the index of their sentence.
void add_samples(const Run& run, Json& page) {
  Json& sentences = page["sentences"] = Json::array();
  Json& snapshots = page["snapshots"] = Json::array();
  std::map<std::pair<std::string, std::string>, std::size_t> numbers;
  for (const Record* record : choose_snapshots(run)) {
    Json hypotheses = Json::array();
    for (const Json& sample : record->fields["samples"]) {
      if (!sample.is_object()) continue;
      const std::string source = text_or_empty(sample, "source");
      const std::string reference = text_or_empty(sample, "reference");
      const auto [number, is_new] = numbers.try_emplace({source, reference}, numbers.size());
      if (is_new) sentences.push_back({{"source", source}, {"reference", reference}});
      hypotheses.push_back(Json::array({number->second, text_or_empty(sample, "hypothesis")}));
    }
    snapshots.push_back({{"update", record->update},
                         {"bleu", number_or_null(record->fields, "bleu")},
                         {"brackets", number_or_null(record->fields, "brackets")},
                         {"hypotheses", std::move(hypotheses)}});
  }
}

}  // namespace

std::string render_report(std::string_view config_yaml, std::string_view log_jsonl, const ReportFacts& facts) {
  const Run run = read_log(log_jsonl);
  Json figures = {
      {"model", facts.model},
      {"source_language", facts.source_language},
      {"target_language", facts.target_language},
      {"parameters", facts.parameters},
      {"config", config_yaml},
      {"written", facts.written},
      {"news_lasts", facts.news_lasts},
      {"started", run.started},
      {"program", program_of(run)},
      {"resumed", run.resumed},
      {"changes", changes_of(run)},
      {"last", last_figures(run)},
      {"end", end_of(run)},
      {"best_update", best_update(run)},
      {"skipped_at", skipped_at(run)},
      {"clock", clock_of(run)},
  };
  figures["curves"]["train"] =
      curves(run.train, {"cost", "perplexity", "tokens_per_second", "gradient_norm", "learning_rate"});
  figures["curves"]["valid"] = curves(run.valid, {"cost", "perplexity", "bleu", "chrf", "brackets"});
  add_samples(run, figures);

  return replace_mark(report_page(), "/*RUN*/", script_text(figures));
}

}  // namespace heed
