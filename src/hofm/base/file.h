// Files that are written whole or not at all, and what is said of one that cannot be read.
#ifndef HOFM_BASE_FILE_H
#define HOFM_BASE_FILE_H

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#ifdef _WIN32
#include <io.h>
#else
#include <unistd.h>
#endif

namespace hofm {

// What is wrong with a file. Not one of the standard errors, which solvers catch where a line search fails.
class FileError : public std::exception {
 public:
  FileError(const std::string &file, const std::string &what) : text_("\"" + file + "\" " + what) {}
  const char *what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

struct FileCloser {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using OwnedFile = std::unique_ptr<std::FILE, FileCloser>;

// Four lanes of multiplications hide each other's latency.
inline std::uint64_t checksum(const void *data, std::size_t bytes) {
  constexpr std::uint64_t prime = 0x9E3779B97F4A7C15u;
  std::uint64_t lane[4] = {1, 2, 3, 4}, word[4];
  const char *p = static_cast<const char *>(data);
  const auto take = [&] {
    for (int l = 0; l < 4; ++l) {
      lane[l] = (lane[l] ^ word[l]) * prime;
      lane[l] ^= lane[l] >> 29;
    }
  };
  std::size_t left = bytes;
  for (; left >= sizeof word; left -= sizeof word, p += sizeof word) {
    std::memcpy(word, p, sizeof word);
    take();
  }
  std::memset(word, 0, sizeof word);
  if (left) std::memcpy(word, p, left);
  take();
  std::uint64_t sum = bytes;
  for (std::uint64_t l : lane) sum = (sum ^ l ^ (sum >> 31)) * prime;
  return sum ^ (sum >> 32);
}

// Written as `file`.part, brought to the disk, and renamed by commit(): a file of the right name is whole. What is not committed is
// removed.
class WholeFile {
 public:
  explicit WholeFile(std::string file)
      : file_(std::move(file)), part_(file_ + ".part"), out_(std::fopen(part_.c_str(), "wb")), good_(bool(out_)) {}
  WholeFile(const WholeFile &) = delete;
  WholeFile &operator=(const WholeFile &) = delete;
  ~WholeFile() {
    if (!out_) return;
    out_.reset();
    std::remove(part_.c_str());
  }

  void put(const void *data, std::size_t bytes) {
    good_ = good_ && (bytes == 0 || std::fwrite(data, 1, bytes, out_.get()) == bytes);
  }

  void commit() {
    good_ = good_ && std::fflush(out_.get()) == 0 && synced(out_.get());
    if (out_) good_ = std::fclose(out_.release()) == 0 && good_;
    good_ = good_ && std::rename(part_.c_str(), file_.c_str()) == 0;
    if (good_) return;
    std::remove(part_.c_str());
    throw FileError(file_, "cannot be written: the folder may be gone, closed to you, or the disk full");
  }

 private:
  static bool synced(std::FILE *file) {
#ifdef _WIN32
    return _commit(_fileno(file)) == 0;
#else
    return fsync(fileno(file)) == 0;
#endif
  }

  std::string file_, part_;
  OwnedFile out_;
  bool good_;
};

// A file that is read from its beginning, and how long it is: nothing is asked of memory that the file does not hold.
class OpenFile {
 public:
  explicit OpenFile(const std::string &file) : name_(file), file_(std::fopen(file.c_str(), "rb")) {
    if (!file_) fail("is not there, or cannot be opened");
    if (std::fseek(file_.get(), 0, SEEK_END) != 0) fail("cannot be read");
    const long end = std::ftell(file_.get());
    if (end < 0) fail("cannot be read");
    size_ = std::uint64_t(end);
    go_to(0);
  }

  std::uint64_t size() const { return size_; }
  void go_to(std::uint64_t offset) {
    if (std::fseek(file_.get(), long(offset), SEEK_SET) != 0) fail("is cut off");
    at_ = offset;
  }
  bool holds(std::uint64_t bytes) const { return bytes <= size_ - at_; }
  void get(void *to, std::size_t bytes) {
    if (!holds(bytes) || (bytes && std::fread(to, 1, bytes, file_.get()) != bytes)) fail("is cut off");
    at_ += bytes;
  }
  [[noreturn]] void fail(const std::string &what) const { throw FileError(name_, what); }

 private:
  std::string name_;
  OwnedFile file_;
  std::uint64_t size_ = 0, at_ = 0;
};

}  // namespace hofm
#endif
