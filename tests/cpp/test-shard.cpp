// Files of shards: back as they were, and never a wrong answer from a damaged one.
#include <cstdio>
#include <string>
#include <vector>

#include "check.h"
#include "hofm/base/random.h"
#include "hofm/io/shard.h"
#include "problem.h"

namespace {

std::vector<char> bytes_of(const std::string &file) {
  hofm::OwnedFile in(std::fopen(file.c_str(), "rb"));
  std::vector<char> bytes;
  for (int c; (c = std::fgetc(in.get())) != EOF;) bytes.push_back(char(c));
  return bytes;
}

void put(const std::string &file, const std::vector<char> &bytes) {
  hofm::OwnedFile out(std::fopen(file.c_str(), "wb"));
  if (!bytes.empty()) std::fwrite(bytes.data(), 1, bytes.size(), out.get());
}

bool same(const hofm::Shard &a, const hofm::Shard &b) {
  return a.rows.start == b.rows.start && a.rows.index == b.rows.index && a.rows.value == b.rows.value && a.y == b.y &&
         a.weight == b.weight && a.offset == b.offset;
}

// Whether the file is refused or is read as `right`.
bool never_wrong(const std::string &file, const hofm::Shard &right) {
  try {
    return same(hofm::ShardReader(file).read(), right);
  } catch (const hofm::FileError &) {
    return true;
  }
}

}  // namespace

int main(int, char **arguments) {
  const std::string file = std::string(arguments[0]) + ".hofm";  // beside the programme
  hofm::Random random(8);
  for (double density : {0.0, 0.4, 1.0}) {
    const Sample x(9, 6, density, random);
    hofm::Shard shard;
    shard.rows = hofm::transposed(x.columns.view());
    for (int i = 0; i < x.n; ++i) {
      shard.y.push_back(i % 2);
      shard.weight.push_back(1);
      shard.offset.push_back(0.1 * i);
    }
    hofm::ShardWriter writer(file);
    writer(shard, 77);
    CHECK(same(hofm::ShardReader(file).read(), shard));
    CHECK(hofm::ShardReader(file).header().dictionary == 77);
    const std::vector<char> whole = bytes_of(file);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::vector<char> turned = whole;
      turned[at] = char(turned[at] ^ (1 << random.below(8)));
      put(file, turned);
      CHECK(never_wrong(file, shard));
    }
    for (std::size_t size = 0; size < whole.size(); size += 7) {
      put(file, std::vector<char>(whole.begin(), whole.begin() + size));
      CHECK(never_wrong(file, shard));
    }
    // A header that is whole, of a file that is not what it says.
    for (int q = 0; q < 500; ++q) {
      std::vector<char> forged = whole;
      forged[16 + random.below(232)] = char(random.below(256));
      hofm::ShardHeader header;
      std::memcpy(&header, forged.data(), sizeof header);
      header.checksum = hofm::checksum(&header, sizeof header - sizeof header.checksum);
      std::memcpy(forged.data(), &header, sizeof header);
      put(file, forged);
      try {
        const hofm::Shard read = hofm::ShardReader(file).read();
        CHECK(hofm::sound(read.rows.view(), read.rows.index.size()));
      } catch (const hofm::FileError &) {
      }
    }
  }
  std::remove(file.c_str());
  bool refused = false;
  try {
    hofm::ShardWriter("/no such folder/shard")(hofm::Shard{{0, 0, {0}, {}, {}}, {}, {}, {}}, 0);
  } catch (const hofm::FileError &) {
    refused = true;
  }
  CHECK(refused);
  return report();
}
