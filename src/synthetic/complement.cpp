#include "synthetic/complement.h"

#include <utility>

namespace heed::synthetic {
namespace {

constexpr Time present_times[] = {{"every day", "매일"}, {"on weekends", "주말에"}, {"in the morning", "아침에"}};
constexpr Time past_times[] = {{"yesterday", "어제"}, {"last week", "지난주에"}, {"this morning", "오늘 아침에"}};
constexpr Time future_times[] = {{"tomorrow", "내일"}, {"next week", "다음 주에"}, {"tonight", "오늘 밤에"}};
constexpr Time now[] = {{"now", "지금"}};
constexpr Time soon[] = {{"today", "오늘"}, {"tomorrow", "내일"}};
constexpr Time frequency_list[] = {{"often", "자주"}, {"always", "항상"}, {"sometimes", "가끔"}};

}  // namespace

void append(std::string& text, std::string_view words) {
  if (!text.empty() && !words.empty()) text += ' ';
  text += words;
}

void prepend(std::string& text, std::string_view words) {
  std::string whole(words);
  append(whole, text);
  text = std::move(whole);
}

std::span<const Time> times_of(Mood mood) {
  switch (mood) {
    case Mood::present: return present_times;
    case Mood::past: return past_times;
    case Mood::future: return future_times;
    case Mood::progressive: return now;
    case Mood::want:
    case Mood::can:
    case Mood::must: break;
  }
  return soon;
}

std::span<const Time> frequencies() { return frequency_list; }

}  // namespace heed::synthetic
