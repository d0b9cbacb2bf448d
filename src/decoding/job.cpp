#include "decoding/job.h"

#include <fmt/format.h>

#include <algorithm>

#include "decoding/search.h"

namespace heed {

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
    lines_.push_back({next_number_++, std::move(encoded.parts), std::vector<std::vector<Hypothesis>>(count), count});
    PendingLine& pending = lines_.back();
    if (count > 1) note(pending.number, about_parts(count, encoded.cut_pieces));
    for (std::size_t part = 0; part < count; ++part) {
      requests.push_back(std::make_unique<Request>(
          Request{.source = pending.parts[part],
                  .prefix = part == 0 ? prefix : Tokens(),
                  .options = options_,
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
  const std::vector<Translation> translations = codec_.decode(line.parts, line.found, options_);
  if (!translations.front().finished) {
    note(line.number, "has a translation that was cut off at the length limit and may repeat itself");
  }
  stream_.emit(line.number, translations);
}

std::string Job::about_parts(std::size_t count, Index cut_pieces) const {
  const Index longest = codec_.longest_part();
  if (cut_pieces == 0) return fmt::format("is longer than {} pieces and is translated in {} parts", longest, count);
  const std::string remedy = cut_pieces > codec_.most_pieces()
                                 ? ""
                                 : fmt::format("; a max-source-length of {} would keep the sentence whole", cut_pieces);
  return fmt::format("has a sentence longer than {} pieces, which is split; the line is translated in {} parts{}",
                     longest, count, remedy);
}

void Job::note(std::size_t line, const std::string& text) const {
  if (stream_.note) stream_.note(line, text);
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

std::vector<std::vector<Translation>> translate_lines(StepModels models, const LineCodec& codec,
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
