#include "hofm/io/libsvm.h"

#include <cstring>
#include <string>

#include "check.h"
#include "hofm/base/random.h"

namespace {

struct Read {
  std::vector<double> label, query, dense;
  int rows = 0, features = 0, base = 0;
};

// All of the text, `block` bytes at a time.
Read read(const std::string &text, std::size_t block, hofm::LibsvmOptions options = {}) {
  hofm::LibsvmReader reader(options);
  for (std::size_t at = 0; at < text.size(); at += block) reader.feed(text.data() + at, std::min(block, text.size() - at));
  reader.finish();
  Read out;
  out.rows = reader.rows();
  out.features = reader.features();
  out.base = reader.base();
  out.query = reader.query;
  for (int i = 0; i < out.rows; ++i) out.label.push_back(reader.label[i]);
  std::vector<int> start(out.features + 1), row(reader.nonzeros());
  std::vector<double> value(reader.nonzeros());
  reader.columns(start.begin(), row.begin(), value.begin());
  out.dense.assign(std::size_t(out.rows) * out.features, 0.0);
  for (int j = 0; j < out.features; ++j)
    for (int q = start[j]; q < start[j + 1]; ++q) out.dense[std::size_t(row[q]) * out.features + j] = value[q];
  return out;
}

// "line: message" of the error that reading the text must raise.
std::string error_of(const std::string &text, hofm::LibsvmOptions options = {}) {
  try {
    read(text, 3, options);
  } catch (const hofm::LibsvmError &e) {
    return std::to_string(e.line) + ": " + e.what() + " | " + e.text;
  }
  return "no error";
}

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

double parsed(const std::string &text) {
  const char *p = text.data();
  double value = -12345;
  const bool ok = hofm::parse_number(p, text.data() + text.size(), value);
  return ok && p == text.data() + text.size() ? value : std::nan("");
}

double random_double(hofm::Random &random) {
  double value = 0;
  do {
    const std::uint64_t bits = random.next();
    std::memcpy(&value, &bits, sizeof value);
  } while (!std::isfinite(value));
  return value;
}

void numbers(hofm::Random &random) {
  for (const char *text : {"1",
                           "+1",
                           "-1",
                           "0",
                           "-0",
                           "0.1",
                           "1e22",
                           "1e23",
                           "-3.5e-7",
                           "9007199254740993",
                           "1.7976931348623157e308",
                           "4.9406564584124654e-324",
                           "2.2250738585072011e-308",
                           ".5",
                           "5.",
                           "1E5",
                           "00012.50",
                           "1e-400",
                           "1e400",
                           "123456789012345678901234567890",
                           "0.00000000000000000000000000000012345678901234567890123"})
    CHECK(same_bits(parsed(text), std::strtod(text, nullptr)));
  for (const char *text : {"", "+", "-", ".", "e5", "nan", "inf", "abc", "1e", "1e+", "0x10", "1 ", "--1", "1.2.3"})
    CHECK(std::isnan(parsed(text)));
  bool round_trip = true, like_strtod = true;
  for (int trial = 0; trial < 20000; ++trial) {
    const double value = random_double(random);
    std::string text;
    hofm::append_number(text, value);
    round_trip = round_trip && same_bits(parsed(text), value) && text.size() <= 24;
    std::string digits = std::to_string(random.next() >> (random.next() % 64));
    digits.insert(random.next() % (digits.size() + 1), ".");
    digits += "e" + std::to_string(int(random.next() % 80) - 40);
    like_strtod = like_strtod && same_bits(parsed(digits), std::strtod(digits.c_str(), nullptr));
  }
  CHECK(round_trip);
  CHECK(like_strtod);
}

void forms() {
  const std::string text = "# a comment\n\n+1 1:0.5 3:2 # more\r\n  -1\t2:1 \n0 qid:7 1:0 3:-4#x\n2.5";
  for (std::size_t block = 1; block < 80; ++block) {
    const Read got = read(text, block);
    CHECK(got.rows == 4 && got.features == 3 && got.base == 1);
    CHECK(got.label == std::vector<double>({1, -1, 0, 2.5}));
    CHECK(got.dense == std::vector<double>({0.5, 0, 2, 0, 1, 0, 0, 0, -4, 0, 0, 0}));
    CHECK(got.query.size() == 4 && std::isnan(got.query[0]) && got.query[2] == 7 && std::isnan(got.query[3]));
  }
  CHECK(read("1 0:5 2:1", 9).base == 0 && read("1 0:5 2:1", 9).features == 3);
  CHECK(read("1 2:5", 9, {0, -1}).features == 3 && read("1 2:5", 9, {1, -1}).features == 2);
  CHECK(read("1 3:1 1:2", 9).dense == std::vector<double>({2, 0, 1}));
  CHECK(read("\xef\xbb\xbf"
             "1 1:2",
             4)
            .dense == std::vector<double>({2}));
  CHECK(read("1\n2\n", 9).features == 0 && read("1\n2\n", 9, {-1, 5}).features == 5);
  CHECK(read("", 9).rows == 0 && read("# nothing\n\n", 9).rows == 0);
}

void errors() {
  CHECK(error_of("1 1:1\nx 1:1\n") == "2: the label must be a finite number, not \"x\" | x 1:1");
  CHECK(error_of("nan 1:1") == "1: the label must be a finite number, not \"nan\" | nan 1:1");
  CHECK(error_of("1e999 1:1") == "1: the label must be a finite number, not \"1e999\" | 1e999 1:1");
  CHECK(error_of("1,2 1:1") == "1: \"1,2\" are several labels, and only one is allowed | 1,2 1:1");
  CHECK(error_of("\n\n1:1 2:1") == "3: there is no label before the first index | 1:1 2:1");
  CHECK(error_of("1 1:1 2") == "1: \"2\" is not of the form index:value | 1 1:1 2");
  CHECK(error_of("1 -1:1") == "1: the index in \"-1:1\" must be a whole number of at least 0 | 1 -1:1");
  CHECK(error_of("1 1.5:1", {1, -1}) == "1: the index in \"1.5:1\" must be a whole number of at least 1 | 1 1.5:1");
  CHECK(error_of("1 0:1", {1, -1}) == "1: the index 0 must not occur when the first feature has index 1 | 1 0:1");
  CHECK(error_of("1 99999999999:1") == "1: the index 99999999999 is too large | 1 99999999999:1");
  CHECK(error_of("1 1:1\n1 8:1", {-1, -1, 7}) == "2: the index 8 is above 7; give `n_features` if so many are meant | 1 8:1");
  CHECK(error_of("1 7:1", {-1, -1, 7}) == "no error");
  CHECK(error_of("1 8:1", {-1, 9, 7}) == "no error");
  for (const char *value : {"", "nan", "Inf", "1e999", "1x", "2:3"})
    CHECK(error_of(std::string("1 4:") + value) ==
          std::string("1: the value of index 4 must be a finite number, not \"") + value + "\" | 1 4:" + value);
  CHECK(error_of("1 4:1 2:1 4:0") == "1: the index 4 occurs more than once | 1 4:1 2:1 4:0");
  CHECK(error_of("1 qid:x 1:1") == "1: \"qid:x\" is not of the form index:value or qid:number | 1 qid:x 1:1");
  CHECK(error_of("1 1:1 qid:2") == "1: a qid must come once, right after the label | 1 1:1 qid:2");
  CHECK(error_of("1 6:1", {1, 5}) == "1: the index 6 is beyond the last of 5 features | 1 6:1");
  CHECK(error_of("1 5:1", {0, 5}) == "1: the index 5 is beyond the last of 5 features | 1 5:1");
  CHECK(error_of("1 5:1\n2 4:1", {-1, 5}) == "no error");
  CHECK(error_of("1 5:1\n2 0:1", {-1, 5}) == "1: the index 5 is beyond the last of 5 features | 1 5:1");
  CHECK(error_of("1 0:1\n2 5:1", {-1, 5}) == "2: the index 5 is beyond the last of 5 features | 2 5:1");
  CHECK(error_of(std::string("1 1:1\0", 6)).find("\\x00") != std::string::npos);
  CHECK(error_of("1 x " + std::string(500, 'y')).size() < 200);
}

// Random lines, written and read back bit by bit.
void round_trips(hofm::Random &random) {
  for (int trial = 0; trial < 200; ++trial) {
    const int n = 1 + int(random.next() % 6), d = 1 + int(random.next() % 7), base = int(random.next() % 2);
    std::vector<double> dense, label;
    std::string text;
    for (int i = 0; i < n; ++i) {
      std::vector<int> index;
      std::vector<double> value;
      for (int j = 0; j < d; ++j) {
        dense.push_back(random.next() % 2 ? random_double(random) : 0.0);
        if (dense.back() != 0) index.push_back(j);
        if (dense.back() != 0) value.push_back(dense.back());
      }
      label.push_back(random_double(random));
      hofm::append_libsvm_line(text, label.back(), nullptr, {index.data(), value.data(), int(index.size())}, base);
    }
    const Read got = read(text, 1 + random.next() % 40, {base, d});
    CHECK(got.label == label && got.dense == dense && got.query.empty());
  }
}

}  // namespace

int main() {
  hofm::Random random(11);
  numbers(random);
  forms();
  errors();
  round_trips(random);
  return report();
}
