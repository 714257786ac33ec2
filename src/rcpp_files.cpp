// What a name in the file system stands for, which R does not tell.
#include <Rcpp.h>
#include <sys/stat.h>

namespace {

// Not `stat` on Windows, which gives up on files of more than 2 GB.
#ifdef _WIN32
using FileInfo = struct _stat64;
bool look_up(const char *name, FileInfo &info) { return _stat64(name, &info) == 0; }
#else
using FileInfo = struct stat;
bool look_up(const char *name, FileInfo &info) { return stat(name, &info) == 0; }
#endif

bool is_kind(unsigned mode, unsigned kind) { return (mode & S_IFMT) == kind; }

bool is_stream(unsigned mode) {
#ifdef S_IFSOCK
  if (is_kind(mode, S_IFSOCK)) return true;
#endif
  return is_kind(mode, S_IFIFO) || is_kind(mode, S_IFCHR);
}

}  // namespace

// "none", "regular", "directory", "stream" (read and written in one go) or "other". Links are followed.
// [[Rcpp::export]]
std::string file_kind_cpp(std::string name) {
  FileInfo info;
  if (!look_up(name.c_str(), info)) return "none";
  if (is_kind(info.st_mode, S_IFREG)) return "regular";
  if (is_kind(info.st_mode, S_IFDIR)) return "directory";
  return is_stream(info.st_mode) ? "stream" : "other";
}
