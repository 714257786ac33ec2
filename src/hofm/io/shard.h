// A shard: some rows of a design with their responses, in one binary file, written whole or not at all and checked whenever it is read.
//
// A header of 256 bytes is followed by six sections at multiples of 64 bytes: where rows begin, indices, values, responses, weights and
// offsets. Numbers that are all ones (or zeros) take no room, small integers one byte, what float32 holds exactly four. Every section has
// a checksum, and so has the header. Files are read with fread(): one that shrinks while it is read is an error, where mapped memory
// would end the process.
#ifndef HOFM_IO_SHARD_H
#define HOFM_IO_SHARD_H

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "hofm/base/file.h"
#include "hofm/base/finite.h"
#include "hofm/data/sparse.h"

namespace hofm {

struct Shard {
  SparseStore rows;
  std::vector<double> y, weight, offset;
};

// ---- The format --------------------------------------------------------------------------------------------

enum class ShardNumbers : std::uint32_t { zeros, ones, bytes, floats, doubles };

struct ShardSection {
  std::uint64_t offset, bytes, checksum;
  std::uint32_t numbers, reserved;
};

struct ShardHeader {
  static constexpr int kSections = 6;
  enum { kStarts, kIndices, kValues, kResponses, kWeights, kOffsets };
  char magic[8];
  std::uint32_t byte_order, version;
  std::uint64_t rows, nonzeros, features;
  std::int32_t longest, fixed;  // nonzeros of a row: the most, and of each if all have as many, else -1
  ShardSection section[kSections];
  std::uint64_t dictionary;  // what names the features: the same for all shards of a folder
  std::uint64_t checksum;    // of all before
};
static_assert(sizeof(ShardHeader) == 256, "the header of a shard must have no padding");

constexpr char kShardMagic[9] = "HOFMSHD\n";  // a copy that changes the ends of lines breaks it
constexpr std::uint32_t kShardOrder = 0x01020304, kShardVersion = 1;

// ---- Numbers as narrow as they allow -----------------------------------------------------------------------

inline ShardNumbers narrowest(const double *x, std::size_t n) {
  bool zeros = true, ones = true, bytes = true, floats = true;
  for (std::size_t q = 0; q < n; ++q) {
    zeros &= x[q] == 0;
    ones &= x[q] == 1;
    bytes &= x[q] >= -128 && x[q] <= 127 && x[q] == std::rint(x[q]);
    floats &= std::fabs(x[q]) <= double(std::numeric_limits<float>::max()) && double(float(x[q])) == x[q];
  }
  if (zeros) return ShardNumbers::zeros;
  if (ones) return ShardNumbers::ones;
  return bytes ? ShardNumbers::bytes : floats ? ShardNumbers::floats : ShardNumbers::doubles;
}

inline std::size_t width(ShardNumbers numbers) {
  constexpr std::size_t widths[] = {0, 0, 1, 4, 8};
  return widths[std::uint32_t(numbers)];
}

template <class Narrow>
std::vector<char> narrowed(const double *x, std::size_t n) {
  std::vector<char> out(n * sizeof(Narrow));
  for (std::size_t q = 0; q < n; ++q) {
    const Narrow value = Narrow(x[q]);
    std::memcpy(&out[q * sizeof(Narrow)], &value, sizeof value);
  }
  return out;
}

inline std::vector<char> packed(const double *x, std::size_t n, ShardNumbers numbers) {
  switch (numbers) {
    case ShardNumbers::bytes: return narrowed<std::int8_t>(x, n);
    case ShardNumbers::floats: return narrowed<float>(x, n);
    case ShardNumbers::doubles: return narrowed<double>(x, n);
    default: return {};
  }
}

template <class Narrow>
void widen(const std::vector<char> &from, std::vector<double> &to) {
  for (std::size_t q = 0; q < to.size(); ++q) {
    Narrow value;
    std::memcpy(&value, &from[q * sizeof(Narrow)], sizeof value);
    to[q] = double(value);
  }
}

inline std::vector<double> unpacked(const std::vector<char> &from, std::size_t n, ShardNumbers numbers) {
  std::vector<double> to(n, numbers == ShardNumbers::ones ? 1.0 : 0.0);
  if (numbers == ShardNumbers::bytes) widen<std::int8_t>(from, to);
  if (numbers == ShardNumbers::floats) widen<float>(from, to);
  if (numbers == ShardNumbers::doubles) widen<double>(from, to);
  return to;
}

// ---- Writing -----------------------------------------------------------------------------------------------

class ShardWriter {
 public:
  explicit ShardWriter(std::string file) : file_(std::move(file)) {}

  // `rows` must be sound, numbers finite, and there must be a response, a weight and an offset for each row.
  void operator()(const Shard &shard, std::uint64_t dictionary) {
    ShardHeader header = {};
    std::memcpy(header.magic, kShardMagic, sizeof header.magic);
    header.byte_order = kShardOrder;
    header.version = kShardVersion;
    const SparseView rows = shard.rows.view();
    header.rows = std::uint64_t(rows.outer);
    header.nonzeros = rows.nonzeros();
    header.features = std::uint64_t(rows.inner);
    header.longest = rows.longest();
    header.fixed = header.nonzeros == header.rows * std::uint64_t(header.longest) ? header.longest : -1;
    header.dictionary = dictionary;
    std::array<std::vector<char>, ShardHeader::kSections> bytes;
    if (header.fixed < 0) bytes[ShardHeader::kStarts] = raw(shard.rows.start);
    bytes[ShardHeader::kIndices] = raw(shard.rows.index);
    const std::vector<double> *numbers[] = {&shard.rows.value, &shard.y, &shard.weight, &shard.offset};
    for (int q = 0; q < 4; ++q) {
      const ShardNumbers kind = narrowest(numbers[q]->data(), numbers[q]->size());
      header.section[ShardHeader::kValues + q].numbers = std::uint32_t(kind);
      bytes[ShardHeader::kValues + q] = packed(numbers[q]->data(), numbers[q]->size(), kind);
    }
    std::uint64_t at = sizeof header;
    for (int s = 0; s < ShardHeader::kSections; ++s) {
      header.section[s].offset = at;
      header.section[s].bytes = bytes[s].size();
      header.section[s].checksum = checksum(bytes[s].data(), bytes[s].size());
      at += (bytes[s].size() + 63) / 64 * 64;
    }
    header.checksum = checksum(&header, sizeof header - sizeof header.checksum);
    put(header, bytes);
  }

 private:
  static std::vector<char> raw(const std::vector<int> &x) {
    const char *begin = reinterpret_cast<const char *>(x.data());
    return std::vector<char>(begin, begin + x.size() * sizeof(int));
  }

  void put(const ShardHeader &header, const std::array<std::vector<char>, ShardHeader::kSections> &bytes) const {
    WholeFile out(file_);
    out.put(&header, sizeof header);
    for (const std::vector<char> &section : bytes) {
      const char gap[64] = {};
      out.put(section.data(), section.size());
      out.put(gap, (64 - section.size() % 64) % 64);
    }
    out.commit();
  }

  std::string file_;
};

// ---- Reading -----------------------------------------------------------------------------------------------

class ShardReader {
 public:
  // Opens the file and checks its header against its size.
  explicit ShardReader(const std::string &file) : file_(file) {
    if (!file_.holds(sizeof header_)) fail("is too short to be a shard");
    file_.get(&header_, sizeof header_);
    if (std::memcmp(header_.magic, kShardMagic, sizeof header_.magic) != 0) fail("is not a shard");
    if (header_.byte_order != kShardOrder) fail("was written by a machine with another order of bytes");
    if (header_.version > kShardVersion) fail("was written by a newer version of the package");
    if (header_.checksum != checksum(&header_, sizeof header_ - sizeof header_.checksum))
      fail("is damaged: its header is not whole");
    check_sizes();
  }

  const ShardHeader &header() const { return header_; }

  // Everything in the file, checked.
  Shard read() {
    const std::size_t n = header_.rows, nonzeros = header_.nonzeros;
    Shard shard;
    shard.rows.outer = int(n);
    shard.rows.inner = int(header_.features);
    shard.rows.start = starts();
    shard.rows.index = integers(ShardHeader::kIndices, nonzeros);
    if (!sound(shard.rows.view(), nonzeros)) fail("is damaged: its rows are not what they must be");
    shard.rows.value = numbers(ShardHeader::kValues, nonzeros);
    shard.y = numbers(ShardHeader::kResponses, n);
    shard.weight = numbers(ShardHeader::kWeights, n);
    shard.offset = numbers(ShardHeader::kOffsets, n);
    return shard;
  }

 private:
  [[noreturn]] void fail(const std::string &what) const { file_.fail(what); }

  // Sections must be as long as the counts say, and within the file: nothing is asked of memory that the file does not hold.
  void check_sizes() {
    constexpr std::uint64_t most = std::uint64_t(std::numeric_limits<int>::max()) - 1;
    if (header_.rows > most || header_.nonzeros > most || header_.features > most || header_.longest < 0 || header_.fixed < -1)
      fail("is damaged: its counts cannot be right");
    if (header_.fixed >= 0 && header_.nonzeros != header_.rows * std::uint64_t(header_.fixed))
      fail("is damaged: its counts cannot be right");
    for (int s = 0; s < ShardHeader::kSections; ++s) {
      const ShardSection &section = header_.section[s];
      if (section.numbers > std::uint32_t(ShardNumbers::doubles) || section.bytes != expected(s))
        fail("is damaged: its sections cannot be right");
      if (section.offset > file_.size() || section.bytes > file_.size() - section.offset) fail("is cut off");
    }
  }

  std::uint64_t expected(int s) const {
    if (s == ShardHeader::kStarts) return header_.fixed >= 0 ? 0 : (header_.rows + 1) * sizeof(int);
    if (s == ShardHeader::kIndices) return header_.nonzeros * sizeof(int);
    return (s == ShardHeader::kValues ? header_.nonzeros : header_.rows) * width(ShardNumbers(header_.section[s].numbers));
  }

  void read(int s, void *to) {
    const ShardSection &section = header_.section[s];
    if (section.bytes == 0) return;
    file_.go_to(section.offset);
    file_.get(to, section.bytes);
    if (checksum(to, section.bytes) != section.checksum) fail("is damaged: a checksum is not that of its bytes");
  }

  std::vector<int> integers(int s, std::size_t n) {
    std::vector<int> out(n);
    read(s, out.data());
    return out;
  }

  std::vector<int> starts() {
    if (header_.fixed < 0) return integers(ShardHeader::kStarts, header_.rows + 1);
    std::vector<int> out(header_.rows + 1);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = int(i) * header_.fixed;
    return out;
  }

  std::vector<double> numbers(int s, std::size_t n) {
    std::vector<char> bytes(header_.section[s].bytes);
    read(s, bytes.data());
    std::vector<double> out = unpacked(bytes, n, ShardNumbers(header_.section[s].numbers));
    if (!all_finite(out.data(), out.size())) fail("is damaged: it holds numbers that are not finite");
    return out;
  }

  OpenFile file_;
  ShardHeader header_ = {};
};

}  // namespace hofm
#endif
