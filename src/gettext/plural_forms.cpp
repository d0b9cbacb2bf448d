#include "gettext/plural_forms.h"

#include <array>
#include <cstdint>

namespace heed::gettext {
namespace {

// No language has a special form for a hundred.
constexpr std::uint64_t many_things = 100;
// Far more than any number of forms, and small enough that nothing overflows.
constexpr std::uint64_t largest = 1000000;
// Limit on nested parentheses, conditionals and negations, so that hostile input cannot overflow the stack.
constexpr int most_nested = 50;

using Value = std::optional<std::uint64_t>;

struct Operator {
  std::string_view sign;
  int strength;
};
// Longer signs first, or "<=" would be read as "<".
constexpr std::array<Operator, 13> operators{{{"||", 1},
                                              {"&&", 2},
                                              {"==", 3},
                                              {"!=", 3},
                                              {"<=", 4},
                                              {">=", 4},
                                              {"<", 4},
                                              {">", 4},
                                              {"+", 5},
                                              {"-", 5},
                                              {"*", 6},
                                              {"/", 6},
                                              {"%", 6}}};

Value apply(std::string_view sign, std::uint64_t a, std::uint64_t b) {
  if (sign == "||") return a != 0 || b != 0;
  if (sign == "&&") return a != 0 && b != 0;
  if (sign == "==") return a == b;
  if (sign == "!=") return a != b;
  if (sign == "<=") return a <= b;
  if (sign == ">=") return a >= b;
  if (sign == "<") return a < b;
  if (sign == ">") return a > b;
  if (sign == "+") return a + b <= largest ? Value(a + b) : std::nullopt;
  if (sign == "-") return a >= b ? Value(a - b) : std::nullopt;
  if (sign == "*") return a * b <= largest ? Value(a * b) : std::nullopt;
  if (b == 0) return std::nullopt;
  return sign == "/" ? a / b : a % b;
}

// Evaluates a C expression in one variable; nullopt if it is invalid.
class Expression {
 public:
  Expression(std::string_view text, std::uint64_t n) : rest_(text), n_(n) {}

  Value value() {
    const Value whole = choice();
    skip_spaces();
    return rest_.empty() ? whole : std::nullopt;
  }

 private:
  Value choice() {
    if (++nested_ > most_nested) return std::nullopt;
    const Value condition = binary(1);
    if (!condition || !take("?")) return condition;
    const Value yes = choice();
    if (!yes || !take(":")) return std::nullopt;
    const Value no = choice();
    if (!no) return std::nullopt;
    return *condition != 0 ? yes : no;
  }

  // Parses operators of at least this precedence.
  Value binary(int strength) {
    Value left = operand();
    while (left) {
      const Operator* found = next_operator(strength);
      if (found == nullptr) return left;
      const Value right = binary(found->strength + 1);
      if (!right) return std::nullopt;
      left = apply(found->sign, *left, *right);
    }
    return std::nullopt;
  }

  const Operator* next_operator(int strength) {
    for (const Operator& candidate : operators) {
      if (candidate.strength >= strength && take(candidate.sign)) return &candidate;
    }
    return nullptr;
  }

  Value operand() {
    if (take("!")) {
      if (++nested_ > most_nested) return std::nullopt;
      const Value value = operand();
      return value ? Value(*value == 0) : std::nullopt;
    }
    if (take("(")) {
      const Value inner = choice();
      return take(")") ? inner : std::nullopt;
    }
    if (take("n")) return n_;
    return number();
  }

  Value number() {
    skip_spaces();
    std::uint64_t value = 0;
    std::size_t digits = 0;
    while (digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9' && value <= largest) {
      value = 10 * value + static_cast<std::uint64_t>(rest_[digits++] - '0');
    }
    rest_.remove_prefix(digits);
    return digits > 0 && value <= largest ? Value(value) : std::nullopt;
  }

  bool take(std::string_view sign) {
    skip_spaces();
    if (!rest_.starts_with(sign)) return false;
    rest_.remove_prefix(sign.size());
    return true;
  }

  void skip_spaces() {
    const std::size_t first = rest_.find_first_not_of(" \t\r\\");
    rest_.remove_prefix(first == std::string_view::npos ? rest_.size() : first);
  }

  std::string_view rest_;
  std::uint64_t n_;
  int nested_ = 0;
};

}  // namespace

std::optional<PluralForms> read_plural_forms(std::string_view header) {
  constexpr std::string_view line = "Plural-Forms:";
  constexpr std::string_view rule = "plural=";
  std::size_t at = header.find(line);
  if (at == std::string_view::npos) return std::nullopt;
  header = header.substr(at, header.find('\n', at) - at);
  at = header.find(rule, header.find(';'));
  if (at == std::string_view::npos) return std::nullopt;
  header.remove_prefix(at + rule.size());
  header = header.substr(0, header.find(';'));
  const Value one = Expression(header, 1).value();
  const Value many = Expression(header, many_things).value();
  if (!one || !many) return std::nullopt;
  return PluralForms{*one, *many};
}

}  // namespace heed::gettext
