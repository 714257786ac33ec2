// Text in the format of libsvm, svmlight and libFM, `label [qid:q] index:value index:value ... [# comment]`, to a sparse
// matrix and back.
//
// Reading goes block by block. What it keeps is 12 bytes for each nonzero and 12 for each row (20 with query ids), in chunks that
// are never copied, and one line; the matrix by columns takes 12 bytes for each nonzero more.
#ifndef HOFM_IO_LIBSVM_H
#define HOFM_IO_LIBSVM_H

#include <algorithm>
#include <cfloat>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "hofm/data/sparse.h"

namespace hofm {

// ---- Numbers -----------------------------------------------------------------------------------------------

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A decimal number without its sign, taken apart.
struct Decimal {
  std::uint64_t digits = 0;  // the first 19 significant ones
  int exponent = 0;          // value = digits * 10^exponent, if `whole`
  bool whole = true;         // false: there are more digits than fit
  bool any = false;
};

// Moves p behind the number. The exponent is cut at a size at which the result is 0 or infinite anyway.
inline Decimal scan_decimal(const char *&p, const char *end) {
  Decimal d;
  int kept = 0;
  bool point = false;
  for (; p < end && (is_digit(*p) || (*p == '.' && !point)); ++p) {
    if (*p == '.') {
      point = true;
      continue;
    }
    d.any = true;
    if (kept < 19) {
      d.digits = 10 * d.digits + std::uint64_t(*p - '0');
      if (d.digits) ++kept;
      d.exponent -= point;
    } else {
      d.whole = false;
      d.exponent += !point;
    }
  }
  if (!d.any || p == end || (*p != 'e' && *p != 'E')) return d;
  const char *q = p + 1;
  const bool negative = q < end && *q == '-';
  if (q < end && (*q == '-' || *q == '+')) ++q;
  if (q == end || !is_digit(*q)) return d;
  int exponent = 0;
  for (; q < end && is_digit(*q); ++q) exponent = std::min(100000, 10 * exponent + (*q - '0'));
  d.exponent += negative ? -exponent : exponent;
  p = q;
  return d;
}

// Correctly rounded, whatever the number of digits.
inline double slow_decimal(const char *begin, const char *end) {
#ifdef __cpp_lib_to_chars
  double value = 0;
  if (std::from_chars(begin, end, value).ec != std::errc::result_out_of_range) return value;
#endif
  return std::strtod(std::string(begin, end).c_str(), nullptr);  // also tells too large from too small
}

// The number at p, which is moved behind it; false and p unmoved if there is none. Only decimal digits, a point and an exponent:
// no "nan", no "inf", no hexadecimals.
inline bool parse_number(const char *&p, const char *end, double &value) {
  static constexpr double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const char *q = p;
  const bool negative = q < end && *q == '-';
  if (q < end && (*q == '-' || *q == '+')) ++q;
  const char *const begin = q;
  const Decimal d = scan_decimal(q, end);
  if (!d.any) return false;
  // Two exact doubles give a correctly rounded product or quotient, if the machine has no wider registers.
  const bool exact = FLT_EVAL_METHOD == 0 && d.whole && d.digits <= std::uint64_t(1) << 53 && std::abs(d.exponent) <= 22;
  if (!exact) value = slow_decimal(begin, q);
  else value = d.exponent < 0 ? double(d.digits) / power[-d.exponent] : double(d.digits) * power[d.exponent];
  if (negative) value = -value;
  p = q;
  return true;
}

// The shortest decimal number that is read back as `value`, which must be finite.
inline void append_number(std::string &out, double value) {
  char text[40];
#ifdef __cpp_lib_to_chars
  out.append(text, std::to_chars(text, text + sizeof text, value).ptr);
#else
  for (int digits = 15; digits <= 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value) break;
  }
  out += text;
#endif
}

inline void append_integer(std::string &out, std::int64_t value) {
  char text[24];
  out.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

// ---- Reading -----------------------------------------------------------------------------------------------

// A line that is not what it must be. `text` is its beginning, with bytes other than printable ASCII escaped.
struct LibsvmError : std::runtime_error {
  LibsvmError(const std::string &what, std::int64_t line, std::string text)
      : std::runtime_error(what), line(line), text(std::move(text)) {}
  std::int64_t line;
  std::string text;
};

inline std::string printable(const char *begin, const char *end, std::size_t most = 72) {
  std::string out;
  for (; begin < end && out.size() < most; ++begin) {
    const unsigned char c = static_cast<unsigned char>(*begin);
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "\\x%02x", c);
    if (c >= 32 && c < 127) out += char(c);
    else out += c == '\t' ? " " : escaped;
  }
  return begin < end ? out + "..." : out;
}

// Grows without ever copying what it holds. Elements are read in the order in which they were written.
template <class T>
class Chunks {
 public:
  void push_back(T value) {
    if (size_ % chunk == 0) chunks_.emplace_back(new T[chunk]);  // not zeroed, unlike make_unique
    chunks_.back()[size_++ % chunk] = value;
  }
  T operator[](std::size_t at) const { return chunks_[at / chunk][at % chunk]; }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::size_t chunk = std::size_t(1) << 16;
  std::vector<std::unique_ptr<T[]>> chunks_;
  std::size_t size_ = 0;
};

struct LibsvmOptions {
  int base = -1;                                   // the index of the first feature: 0, 1, or -1 to tell from the data
  int features = -1;                               // the number of features, or -1 for the largest that occurs
  int most = std::numeric_limits<int>::max() - 2;  // the largest index that may occur where `features` is not given
};

class LibsvmReader {
 public:
  explicit LibsvmReader(LibsvmOptions options = {}) : options_(options) {}

  // The next bytes of the file.
  void feed(const char *data, std::size_t size) {
    const char *const end = data + size;
    while (data < end) {
      const char *stop = static_cast<const char *>(std::memchr(data, '\n', std::size_t(end - data)));
      if (!stop) {
        rest_.append(data, end);
        return;
      }
      if (rest_.empty()) {
        read_line(data, stop);
      } else {
        rest_.append(data, stop);
        read_rest();
      }
      data = stop + 1;
    }
  }

  // There are no more bytes.
  void finish() {
    if (!rest_.empty()) read_rest();
    if (base() == 0 && options_.features >= 0 && !edge_.empty()) throw LibsvmError(edge_, edge_line_, edge_text_);
  }

  int rows() const { return int(label.size()); }
  std::size_t nonzeros() const { return index_.size() - zeros_; }
  int base() const { return options_.base >= 0 ? options_.base : zero_ ? 0 : 1; }
  int features() const { return options_.features >= 0 ? options_.features : largest_ < base() ? 0 : largest_ - base() + 1; }
  std::int64_t lines() const { return line_; }
  bool has_queries() const { return !query.empty(); }

  // The matrix by columns, into arrays of features() + 1 and twice nonzeros() elements. Rows of a column are in increasing order;
  // zeros that the file spells out are left out.
  template <class Start, class Index, class Value>
  void columns(Start start, Index row, Value value) const {
    const int d = features(), first = base();
    for (int j = 0; j <= d; ++j) start[j] = 0;
    for (std::size_t q = 0; q < index_.size(); ++q) start[index_[q] - first + 1] += value_[q] != 0;
    for (int j = 0; j < d; ++j) start[j + 1] += start[j];
    std::size_t q = 0;
    for (int i = 0; i < rows(); ++i)
      for (int c = count_[i]; c > 0; --c, ++q) {
        const double entry = value_[q];
        if (entry == 0) continue;
        const int to = start[index_[q] - first]++;
        row[to] = i;
        value[to] = entry;
      }
    // Each start has moved to the end of its column, where the next one begins.
    for (int j = d; j > 0; --j) start[j] = start[j - 1];
    start[0] = 0;
  }

  // f(indices from zero, values, how many, label) of each row in turn, zeros and all.
  template <class F>
  void each_row(const F &f) const {
    std::vector<int> index;
    std::vector<double> value;
    std::size_t q = 0;
    for (int i = 0; i < rows(); ++i) {
      index.clear();
      value.clear();
      for (int c = count_[i]; c > 0; --c, ++q) {
        index.push_back(index_[q] - base());
        value.push_back(value_[q]);
      }
      f(index.data(), value.data(), int(index.size()), label[i]);
    }
  }

  Chunks<double> label;
  std::vector<double> query;  // empty if no line has one, else NaN where a line has none

 private:
  [[noreturn]] void fail(const std::string &what) const { throw LibsvmError(what, line_, printable(line_begin_, line_end_)); }

  void read_rest() {
    const std::string line = std::move(rest_);
    rest_.clear();
    read_line(line.data(), line.data() + line.size());
  }

  static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  void skip_blanks() {
    while (p_ < end_ && blank(*p_)) ++p_;
  }
  // A comment ends the line, wherever it begins.
  bool at_end() const { return p_ == end_ || *p_ == '#'; }
  bool between_words() const { return at_end() || blank(*p_); }
  std::string word() const {
    const char *q = p_;
    while (q < end_ && !blank(*q) && *q != '#') ++q;
    return "\"" + printable(p_, q, 30) + "\"";
  }

  void read_line(const char *begin, const char *end) {
    if (++line_ == 1 && end - begin >= 3 && std::memcmp(begin, "\xef\xbb\xbf", 3) == 0) begin += 3;  // the mark of UTF-8
    if (end > begin && end[-1] == '\r') --end;
    p_ = line_begin_ = begin;
    end_ = line_end_ = end;
    skip_blanks();
    if (at_end()) return;
    if (rows() == std::numeric_limits<int>::max()) fail("there are more rows than a matrix can have");
    read_label();
    bool sorted = true;
    int count = 0, last = -1;
    for (skip_blanks(); !at_end(); skip_blanks()) {
      if (*p_ == 'q') {
        read_query(count);
        continue;
      }
      const int index = read_entry();
      sorted = sorted && index > last;
      last = index;
      ++count;
    }
    if (!sorted) check_unique(count);
    count_.push_back(keep(count));
    if (has_queries() && query.size() < label.size()) query.push_back(std::nan(""));
  }

  void read_label() {
    const char *const begin = p_;
    double value = 0;
    const bool number = parse_number(p_, end_, value);
    if (number && p_ < end_ && *p_ == ',') {
      p_ = begin;
      fail(word() + " are several labels, and only one is allowed");
    }
    if (number && p_ < end_ && *p_ == ':') fail("there is no label before the first index");
    if (!number || !between_words() || !std::isfinite(value)) {
      p_ = begin;
      fail("the label must be a finite number, not " + word());
    }
    label.push_back(value);
  }

  void read_query(int count) {
    const char *const begin = p_;
    double value = -1;
    const bool named = end_ - p_ > 4 && std::memcmp(p_, "qid:", 4) == 0 && is_digit(p_[4]);
    if (named) p_ += 4;
    const bool number = named && parse_number(p_, end_, value);
    if (!number || !between_words() || value != std::floor(value) || value > 9007199254740992.0) {
      p_ = begin;
      fail(word() + " is not of the form index:value or qid:number");
    }
    if (count > 0 || query.size() >= label.size()) fail("a qid must come once, right after the label");
    query.resize(label.size() - 1, std::nan(""));
    query.push_back(value);
  }

  int read_entry() {
    const char *const begin = p_;
    std::int64_t index = 0;
    for (; p_ < end_ && is_digit(*p_); ++p_) index = std::min<std::int64_t>(10 * index + (*p_ - '0'), std::int64_t(1) << 40);
    if (p_ == begin || p_ == end_ || *p_ != ':') bad_entry(begin);
    check_index(index);
    const char *const at = ++p_;
    double value = 0;
    if (!parse_number(p_, end_, value) || !between_words() || !std::isfinite(value)) {
      p_ = at;
      fail("the value of index " + std::to_string(index) + " must be a finite number, not " + word());
    }
    index_.push_back(int(index));
    value_.push_back(value);
    zeros_ += value == 0;
    largest_ = std::max(largest_, int(index));
    return int(index);
  }

  [[noreturn]] void bad_entry(const char *begin) {
    p_ = begin;
    const std::string came = word();
    if (came.find(':') == std::string::npos) fail(came + " is not of the form index:value");
    fail("the index in " + came + " must be a whole number of at least " + std::to_string(std::max(0, options_.base)));
  }

  // While it is not known whether indices begin at 0 or 1, the index equal to the number of features is in doubt.
  void check_index(std::int64_t index) {
    if (index == 0 && options_.base == 1) fail("the index 0 must not occur when the first feature has index 1");
    if (index > std::numeric_limits<int>::max() - 2) fail("the index " + std::to_string(index) + " is too large");
    zero_ = zero_ || index == 0;
    if (options_.features < 0) {
      if (index > options_.most)
        fail("the index " + std::to_string(index) + " is above " + std::to_string(options_.most) +
             "; give `n_features` if so many are meant");
      return;
    }
    const int first = options_.base < 0 && !zero_ ? 1 : base();
    if (index - first >= options_.features) fail(beyond(index));
    if (options_.base < 0 && index == options_.features && edge_.empty()) {
      edge_ = beyond(index);
      edge_line_ = line_;
      edge_text_ = printable(line_begin_, line_end_);
    }
  }

  std::string beyond(std::int64_t index) const {
    return "the index " + std::to_string(index) + " is beyond the last of " + std::to_string(options_.features) + " features";
  }

  // The last `count` indices, which came unsorted, must differ.
  void check_unique(int count) {
    sorted_.clear();
    for (std::size_t q = index_.size() - std::size_t(count); q < index_.size(); ++q) sorted_.push_back(index_[q]);
    std::sort(sorted_.begin(), sorted_.end());
    const auto twice = std::adjacent_find(sorted_.begin(), sorted_.end());
    if (twice != sorted_.end()) fail("the index " + std::to_string(*twice) + " occurs more than once");
  }

  int keep(int count) const {
    if (index_.size() > std::size_t(std::numeric_limits<int>::max())) fail("there are more entries than a matrix can hold");
    return count;
  }

  LibsvmOptions options_;
  Chunks<int> index_, count_;  // indices as in the file; entries of each row
  Chunks<double> value_;
  std::size_t zeros_ = 0;
  std::string rest_;  // the beginning of a line whose end has not come yet
  std::int64_t line_ = 0;
  const char *p_ = nullptr, *end_ = nullptr, *line_begin_ = nullptr, *line_end_ = nullptr;
  bool zero_ = false;
  int largest_ = -1;
  std::string edge_, edge_text_;
  std::int64_t edge_line_ = 0;
  std::vector<int> sorted_;
};

// ---- Writing -----------------------------------------------------------------------------------------------

// One line. `query` may be null.
inline void append_libsvm_line(std::string &out, double label, const double *query, const Slice &row, int base) {
  append_number(out, label);
  if (query) {
    out += " qid:";
    append_integer(out, std::int64_t(*query));
  }
  for (int q = 0; q < row.size; ++q) {
    if (row.value[q] == 0) continue;
    out += ' ';
    append_integer(out, std::int64_t(row.index[q]) + base);
    out += ':';
    append_number(out, row.value[q]);
  }
  out += '\n';
}

}  // namespace hofm
#endif
