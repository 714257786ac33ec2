// Arbitrary bytes for the reader of libsvm text. Whatever they are, it must end in a matrix or in a LibsvmError; where
// the bytes are cut into blocks must make no difference; and what was read must be read back from what is written of
// it, bit by bit. The first two bytes of the input are settings.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "hofm/io/libsvm.h"

namespace {

// Wider matrices are left alone: their columns alone would take more memory than this programme may.
constexpr int most_features = 1 << 16;

struct Read {
  std::string error;  // empty if there was none
  int rows = 0, features = 0, base = 0;
  std::vector<double> label, query, value;
  std::vector<int> start, row;
};

std::string bytes_of(const std::vector<double> &x) { return {reinterpret_cast<const char *>(x.data()), x.size() * sizeof(double)}; }

// By bits, so that NaN, for no query, equals itself.
bool same(const Read &a, const Read &b) {
  return a.error == b.error && a.rows == b.rows && a.features == b.features && a.base == b.base && a.start == b.start &&
         a.row == b.row && bytes_of(a.label) == bytes_of(b.label) && bytes_of(a.query) == bytes_of(b.query) &&
         bytes_of(a.value) == bytes_of(b.value);
}

// Blocks of a memory of their own, so that a byte too many read is seen.
void feed(hofm::LibsvmReader &reader, const std::string &text, std::size_t at, std::size_t size) {
  const std::vector<char> block(text.begin() + at, text.begin() + at + size);
  reader.feed(block.data(), block.size());
}

Read read(const std::string &text, std::size_t block, hofm::LibsvmOptions options) {
  Read out;
  hofm::LibsvmReader reader(options);
  try {
    for (std::size_t at = 0; at < text.size(); at += block) feed(reader, text, at, std::min(block, text.size() - at));
    reader.finish();
  } catch (const hofm::LibsvmError &e) {
    out.error = std::to_string(e.line) + ": " + e.what() + " | " + e.text;
    return out;
  }
  out.rows = reader.rows();
  out.features = reader.features();
  out.base = reader.base();
  out.query = reader.query;
  for (int i = 0; i < out.rows; ++i) out.label.push_back(reader.label[i]);
  if (out.features > most_features) return out;
  out.start.resize(out.features + 1);
  out.row.resize(reader.nonzeros());
  out.value.resize(reader.nonzeros());
  reader.columns(out.start.begin(), out.row.begin(), out.value.begin());
  return out;
}

// Entry by entry. A row without a query cannot be written where others have one.
std::string written(const Read &data) {
  std::vector<std::vector<int>> index(data.rows);
  std::vector<std::vector<double>> value(data.rows);
  for (int j = 0; j < data.features; ++j)
    for (int q = data.start[j]; q < data.start[j + 1]; ++q) {
      index[data.row[q]].push_back(j);
      value[data.row[q]].push_back(data.value[q]);
    }
  std::string out;
  for (int i = 0; i < data.rows; ++i) {
    const bool asked = !data.query.empty() && !std::isnan(data.query[i]);
    hofm::append_libsvm_line(out, data.label[i], asked ? &data.query[i] : nullptr,
                             {index[i].data(), value[i].data(), int(index[i].size())}, data.base);
  }
  return out;
}

void must(bool ok, const char *what) {
  if (ok) return;
  std::fprintf(stderr, "ERROR: %s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  if (size < 2) return 0;
  const std::string text(reinterpret_cast<const char *>(data) + 2, size - 2);
  const hofm::LibsvmOptions options{data[0] % 3 - 1, data[0] / 3 % 4 == 0 ? data[0] / 12 : -1};
  const std::size_t block = 1 + data[1] % 64;
  const Read whole = read(text, text.size() + 1, options);
  must(same(whole, read(text, block, options)), "the result depends on how the text was cut into blocks");
  if (!whole.error.empty() || whole.features > most_features) return 0;
  const Read back = read(written(whole), block, {whole.base, whole.features});
  must(same(whole, back), "what was written is read as something else");
  return 0;
}
