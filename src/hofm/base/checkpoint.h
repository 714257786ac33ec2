// Where a fit stands, in a file: one that was killed goes on from there, with the same bits as if there had been no pause.
//
// A state is a class with a template visit(archive) that calls archive(field) for each field: numbers, and vectors of numbers. Every
// field is a section with its length and checksum. Files of many gigabytes are written field by field, without a copy in memory.
#ifndef HOFM_BASE_CHECKPOINT_H
#define HOFM_BASE_CHECKPOINT_H

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "hofm/base/file.h"

namespace hofm {

struct CheckpointHeader {
  char magic[8];
  std::uint32_t byte_order, version;
  std::uint64_t key;  // of the data, and of what is fitted to them
  double seed;
  std::uint64_t stage;     // a fit may be made of several, one after the other
  std::uint64_t finished;  // whether this one is over
  std::uint64_t checksum;  // of all before
};
static_assert(sizeof(CheckpointHeader) == 56, "the header of a checkpoint must have no padding");

constexpr char kCheckpointMagic[9] = "HOFMCHK\n";
constexpr std::uint32_t kCheckpointOrder = 0x01020304, kCheckpointVersion = 1;

class FieldWriter {
 public:
  explicit FieldWriter(WholeFile &out) : out_(out) {}
  template <class Number, class = std::enable_if_t<std::is_arithmetic_v<Number>>>
  void operator()(Number &number) {
    section(&number, sizeof number);
  }
  template <class Number>
  void operator()(std::vector<Number> &numbers) {
    static_assert(std::is_arithmetic_v<Number>);
    section(numbers.data(), numbers.size() * sizeof(Number));
  }
  template <class Part>
  void parts(std::vector<Part> &all) {
    std::uint64_t n = all.size();
    (*this)(n);
    for (Part &part : all) (*this)(part);
  }

 private:
  void section(const void *data, std::size_t bytes) {
    const std::uint64_t head[2] = {bytes, checksum(data, bytes)};
    out_.put(head, sizeof head);
    out_.put(data, bytes);
  }
  WholeFile &out_;
};

class FieldReader {
 public:
  explicit FieldReader(OpenFile &in) : in_(in) {}
  template <class Number, class = std::enable_if_t<std::is_arithmetic_v<Number>>>
  void operator()(Number &number) {
    if (begin() != sizeof number) in_.fail("is damaged: it is not the checkpoint of such a fit");
    body(&number, sizeof number);
  }
  template <class Number>
  void operator()(std::vector<Number> &numbers) {
    static_assert(std::is_arithmetic_v<Number>);
    const std::uint64_t bytes = begin();
    if (bytes % sizeof(Number)) in_.fail("is damaged: it is not the checkpoint of such a fit");
    numbers.resize(bytes / sizeof(Number));
    body(numbers.data(), bytes);
  }
  template <class Part>
  void parts(std::vector<Part> &all) {
    std::uint64_t n = 0;
    (*this)(n);
    if (!in_.holds(n)) in_.fail("is damaged: it is not the checkpoint of such a fit");
    all.resize(n);
    for (Part &part : all) (*this)(part);
  }

 private:
  std::uint64_t begin() {
    in_.get(head_, sizeof head_);
    if (!in_.holds(head_[0])) in_.fail("is cut off");
    return head_[0];
  }
  void body(void *to, std::size_t bytes) {
    in_.get(to, bytes);
    if (checksum(to, bytes) != head_[1]) in_.fail("is damaged: a checksum is not that of its bytes");
  }
  OpenFile &in_;
  std::uint64_t head_[2] = {0, 0};
};

inline CheckpointHeader read_checkpoint_header(OpenFile &in) {
  CheckpointHeader header;
  if (!in.holds(sizeof header)) in.fail("is too short to be a checkpoint");
  in.get(&header, sizeof header);
  if (std::memcmp(header.magic, kCheckpointMagic, sizeof header.magic) != 0) in.fail("is not a checkpoint");
  if (header.byte_order != kCheckpointOrder) in.fail("was written by a machine with another order of bytes");
  if (header.version > kCheckpointVersion) in.fail("was written by a newer version of the package");
  if (header.checksum != checksum(&header, sizeof header - sizeof header.checksum))
    in.fail("is damaged: its header is not whole");
  return header;
}

// Where the states of one stage of a fit are kept; nowhere if there is no file.
class Checkpoint {
 public:
  std::string file;
  std::uint64_t key = 0, stage = 0;
  double seed = 0;

  // Fills the state if the file has one of this stage. Whether it was finished goes into `finished`.
  template <class State>
  bool load(State &state, bool &finished) const {
    if (file.empty() || !there()) return false;
    OpenFile in(file);
    const CheckpointHeader header = read_checkpoint_header(in);
    if (header.key != key) in.fail("is the checkpoint of another fit");
    if (header.stage != stage) return false;
    FieldReader reader(in);
    state.visit(reader);
    finished = header.finished != 0;
    return true;
  }

  // Writes the state, but so seldom that it takes a twentieth of the time at most.
  template <class State>
  void save(State &state) {
    if (!file.empty() && Clock::now() - written_ >= 20 * took_) write(state, false);
  }
  template <class State>
  void save_last(State &state) {
    if (!file.empty()) write(state, true);
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool there() const { return bool(OwnedFile(std::fopen(file.c_str(), "rb"))); }

  template <class State>
  void write(State &state, bool finished) {
    const auto begin = Clock::now();
    CheckpointHeader header = {};
    std::memcpy(header.magic, kCheckpointMagic, sizeof header.magic);
    header.byte_order = kCheckpointOrder;
    header.version = kCheckpointVersion;
    header.key = key;
    header.seed = seed;
    header.stage = stage;
    header.finished = finished;
    header.checksum = checksum(&header, sizeof header - sizeof header.checksum);
    WholeFile out(file);
    out.put(&header, sizeof header);
    FieldWriter writer(out);
    state.visit(writer);
    out.commit();
    written_ = Clock::now();
    took_ = written_ - begin;
  }

  Clock::time_point written_ = Clock::now();
  Clock::duration took_{0};
};

}  // namespace hofm
#endif
