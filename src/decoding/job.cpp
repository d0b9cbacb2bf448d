#include "decoding/job.h"

#include <fmt/format.h>

#include <algorithm>

#include "decoding/search.h"

namespace heed {
namespace {

constexpr std::size_t batches_ahead = 4;

}  // namespace

std::exception_ptr at_line(std::size_t line, const std::exception_ptr& error) {
  if (error == nullptr) return nullptr;
  try {
    std::rethrow_exception(error);
  } catch (const Error& reason) {
    return std::make_exception_ptr(Error(fmt::format("line {}: {}", line + 1, reason.what())));
  } catch (...) {
    return error;
  }
}

std::vector<std::unique_ptr<Request>> Job::add(std::span<const Line> lines) {
  std::vector<std::unique_ptr<Request>> requests;
  for (const Line& line : lines) {
    // Before the lock: tokenizing takes long, and threads that complete lines wait for it.
    EncodedLine encoded = codec_.encode(line.text);
    Tokens prefix;
    try {
      prefix = codec_.encode_prefix(line.prefix);
    } catch (const Error&) {
      std::rethrow_exception(at_line(next_number_, std::current_exception()));
    }
    const std::size_t count = encoded.parts.size();
    const std::lock_guard lock(mutex_);
    // References to elements of a deque stay valid while others are added and removed at its ends.
    lines_.push_back({next_number_++, std::move(encoded), std::vector<std::vector<Hypothesis>>(count), count});
    PendingLine& pending = lines_.back();
    if (count > 1) note(pending.number, codec_.about_parts(pending.encoded));
    for (std::size_t part = 0; part < count; ++part) {
      requests.push_back(std::make_unique<Request>(
          Request{.source = pending.encoded.parts[part],
                  .prefix = part == 0 ? prefix : Tokens(),
                  .options = options_,
                  .grammar = pending.encoded.grammars.empty() ? nullptr : pending.encoded.grammars[part],
                  .done = [this, &pending, part](std::vector<Hypothesis> hypotheses, const std::exception_ptr& error) {
                    finish(pending, part, std::move(hypotheses), error);
                  }}));
    }
  }
  std::stable_sort(requests.begin(), requests.end(),
                   [](const auto& a, const auto& b) { return a->source.size() > b->source.size(); });
  const std::lock_guard lock(mutex_);
  unfinished_ += requests.size();
  emit_known();
  return requests;
}

void Job::finish(PendingLine& line, std::size_t part, std::vector<Hypothesis> hypotheses,
                 const std::exception_ptr& error) {
  const std::lock_guard lock(mutex_);
  if (error_ == nullptr) error_ = at_line(line.number, error);
  line.found[part] = std::move(hypotheses);
  --line.missing;
  emit_known();
  --unfinished_;
  finished_.notify_all();
}

void Job::emit_known() {
  try {
    for (; error_ == nullptr && !lines_.empty() && lines_.front().missing == 0; lines_.pop_front()) {
      emit(lines_.front());
    }
  } catch (...) {
    error_ = std::current_exception();
  }
}

void Job::emit(const PendingLine& line) {
  const std::vector<Translation> translations = codec_.decode(line.encoded, line.found, options_);
  if (!translations.front().finished) note(line.number, codec_.about_unfinished());
  stream_.emit(line.number, translations);
}

void Job::note(std::size_t line, const std::string& text) const {
  if (stream_.note && !text.empty()) stream_.note(line, text);
}

void Job::wait_until_unfinished(std::size_t most) {
  std::unique_lock lock(mutex_);
  finished_.wait(lock, [&] { return unfinished_ <= most; });
}

void Job::wait(std::size_t most_unfinished) {
  wait_until_unfinished(most_unfinished);
  const std::lock_guard lock(mutex_);
  if (error_ == nullptr) return;
  std::rethrow_exception(error_);
}

void translate_stream(Engine& engine, std::size_t batch, const Codec& codec, const Translator::Stream& stream,
                      const SearchOptions& options) {
  Job job(codec, options, stream);
  for (std::vector<Line> lines; stream.next(lines); lines.clear()) {
    engine.submit(job.add(lines));
    job.wait(batches_ahead * batch);
  }
  job.wait(0);
}

std::vector<std::vector<Translation>> translate_lines(StepModels models, const Codec& codec,
                                                      std::span<const Line> lines, const SearchOptions& options,
                                                      Index batch, const Workspace& workspace) {
  std::vector<std::vector<Translation>> all(lines.size());
  const Translator::Stream stream{
      {}, [&](std::size_t line, const std::vector<Translation>& translations) { all[line] = translations; }, {}};
  // Before the job, whose destructor waits for its requests.
  Search search(models, batch, workspace);
  Job job(codec, options, stream);
  std::vector<std::unique_ptr<Request>> requests = job.add(lines);
  std::size_t next = 0;
  search.run([&] { return next < requests.size() ? std::move(requests[next++]) : std::unique_ptr<Request>(); });
  job.wait(0);
  return all;
}

}  // namespace heed
