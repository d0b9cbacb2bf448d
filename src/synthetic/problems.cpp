#include "synthetic/problems.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <vector>

#include "synthetic/draws.h"

namespace heed::synthetic {
namespace {

constexpr int shortest = 3;
constexpr int longest = 10;
constexpr int most_digits = 4;
constexpr int first_year = 1900;
constexpr int last_year = 2099;

std::string spaced(const std::vector<std::string>& symbols) { return fmt::format("{}", fmt::join(symbols, " ")); }

std::vector<std::string> some_letters(std::uint64_t key) {
  Draws draws(key);
  std::vector<std::string> letters(static_cast<std::size_t>(draws.between(shortest, longest)));
  for (std::string& letter : letters) letter = static_cast<char>('a' + draws.between(0, 25));
  return letters;
}

// Uniform over lengths, or short numbers would hardly occur.
int some_number(Draws& draws) {
  int bound = 10;
  for (int digits = draws.between(1, most_digits); digits > 1; --digits) bound *= 10;
  return draws.between(bound == 10 ? 0 : bound / 10, bound - 1);
}

std::string digits_apart(int number) {
  const std::string digits = std::to_string(number);
  return fmt::format("{}", fmt::join(digits, " "));
}

constexpr std::string_view months[] = {"January", "February", "March",     "April",   "May",      "June",
                                       "July",    "August",   "September", "October", "November", "December"};
constexpr std::string_view weekdays[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
constexpr std::string_view ordinals[] = {
    "first",         "second",       "third",         "fourth",       "fifth",        "sixth",          "seventh",
    "eighth",        "ninth",        "tenth",         "eleventh",     "twelfth",      "thirteenth",     "fourteenth",
    "fifteenth",     "sixteenth",    "seventeenth",   "eighteenth",   "nineteenth",   "twentieth",      "twenty-first",
    "twenty-second", "twenty-third", "twenty-fourth", "twenty-fifth", "twenty-sixth", "twenty-seventh", "twenty-eighth",
    "twenty-ninth",  "thirtieth",    "thirty-first"};

std::string_view suffix(unsigned day) {
  if (day / 10 == 1) return "th";
  return day % 10 == 1 ? "st" : day % 10 == 2 ? "nd" : day % 10 == 3 ? "rd" : "th";
}

std::string written_date(std::chrono::year_month_day date, int format) {
  const std::string_view month = months[unsigned{date.month()} - 1];
  const unsigned day{date.day()};
  const int year{date.year()};
  switch (format) {
    case 0: return fmt::format("the {} of {} {}", ordinals[day - 1], month, year);
    case 1: return fmt::format("{} {}, {}", month, day, year);
    case 2: return fmt::format("{} {} {}", day, month, year);
    case 3: return fmt::format("{} {}{}, {}", month, day, suffix(day), year);
    case 4: return fmt::format("{}{} of {} {}", day, suffix(day), month.substr(0, 3), year);
    default: break;
  }
  const unsigned weekday = std::chrono::weekday(std::chrono::sys_days(date)).c_encoding();
  return fmt::format("{}, {} {} {}", weekdays[weekday], day, month, year);
}

}  // namespace

Problem copy_problem(std::uint64_t key) {
  const std::string letters = spaced(some_letters(key));
  return {letters, letters, letters};
}

Problem reverse_problem(std::uint64_t key) {
  std::vector<std::string> letters = some_letters(key);
  const std::string question = spaced(letters);
  std::reverse(letters.begin(), letters.end());
  return {question, spaced(letters), question};
}

Problem sort_problem(std::uint64_t key) {
  Draws draws(key);
  std::vector<int> numbers(static_cast<std::size_t>(draws.between(shortest, longest)));
  std::generate(numbers.begin(), numbers.end(), [&] { return draws.between(0, 99); });
  const std::string question = fmt::format("{}", fmt::join(numbers, " "));
  std::sort(numbers.begin(), numbers.end());
  const std::string answer = fmt::format("{}", fmt::join(numbers, " "));
  return {question, answer, answer};
}

Problem addition_problem(std::uint64_t key) {
  Draws draws(key);
  const int a = some_number(draws);
  const int b = some_number(draws);
  return {fmt::format("{} + {}", digits_apart(a), digits_apart(b)), digits_apart(a + b),
          fmt::format("{} {}", std::min(a, b), std::max(a, b))};
}

Problem date_problem(std::uint64_t key) {
  Draws draws(key);
  const std::chrono::year year{draws.between(first_year, last_year)};
  const std::chrono::month month{static_cast<unsigned>(draws.between(1, 12))};
  const unsigned last{std::chrono::year_month_day_last(year, std::chrono::month_day_last(month)).day()};
  const std::chrono::day day{static_cast<unsigned>(draws.between(1, static_cast<int>(last)))};
  const std::string iso = fmt::format("{:04}-{:02}-{:02}", int{year}, unsigned{month}, unsigned{day});
  return {written_date({year, month, day}, draws.between(0, 5)), iso, iso};
}

}  // namespace heed::synthetic
