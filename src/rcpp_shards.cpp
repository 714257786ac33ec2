// Files of shards: written, looked at, read, and summed over. None of it draws random numbers, which workers of future are told off for.
#include "rcpp_shards.h"

#include <algorithm>
#include <numeric>

#include "hofm/io/libsvm.h"
#include "hofm/io/shard_buffer.h"
#include "hofm/solve/shards.h"
#include "rcpp_convert.h"
#include "rcpp_monitor.h"

namespace {

using Buffer = Rcpp::XPtr<hofm::ShardBuffer>;

std::string hex(std::uint64_t number) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
  return text;
}

// What one worker does in one pass: a model, and what its shards so far add up to.
struct Pass {
  hofm::Model model;
  std::string loss;
  bool slopes;
  int exponents[2];
  hofm::Gradient gradient;
  hofm::ShardSums sums;

  void clear() {
    sums = {hofm::FixedSum(exponents[0], slopes ? hofm::parameter_count(model) : 0), hofm::FixedSum(exponents[1], 1)};
  }
};

// A word's number from 0 to 2^bits - 1: FNV-1a, and a mix that lets every letter reach every bit.
std::uint64_t hash_of(const char *text, std::size_t size, std::uint64_t hash = 0xCBF29CE484222325u) {
  for (std::size_t q = 0; q < size; ++q) hash = (hash ^ static_cast<unsigned char>(text[q])) * 0x100000001B3u;
  hash = (hash ^ (hash >> 33)) * 0xFF51AFD7ED558CCDu;
  hash = (hash ^ (hash >> 33)) * 0xC4CEB9FE1A85EC53u;
  return hash ^ (hash >> 33);
}

}  // namespace

// [[Rcpp::export(rng = false)]]
std::string checksum_cpp(Rcpp::RawVector bytes) {
  return hex(hofm::checksum(bytes.size() ? &bytes[0] : nullptr, std::size_t(bytes.size())));
}

// Numbers from 0 to 2^bits - 1, the same on every machine.
// [[Rcpp::export(rng = false)]]
Rcpp::IntegerVector hash_words_cpp(Rcpp::CharacterVector words, int bits) {
  Rcpp::IntegerVector out(Rcpp::no_init(words.size()));
  for (R_xlen_t q = 0; q < words.size(); ++q) {
    const Rcpp::String word = words[q];
    out[q] = int(hash_of(word.get_cstring(), std::strlen(word.get_cstring())) >> (64 - bits));
  }
  return out;
}

// The hash of a dictionary that begins as one with the hash `so_far` and goes on with these names.
// [[Rcpp::export(rng = false)]]
std::string dictionary_cpp(std::string so_far, Rcpp::CharacterVector names) {
  std::uint64_t hash = hofm::from_hex(so_far);
  for (R_xlen_t q = 0; q < names.size(); ++q) {
    const Rcpp::String name = names[q];
    hash = hash_of(name.get_cstring(), std::strlen(name.get_cstring()), hash ^ 0x9E3779B97F4A7C15u);
  }
  return hex(hash);
}

// ---- Writing -----------------------------------------------------------------------------------------------

// [[Rcpp::export(rng = false)]]
SEXP new_buffer_cpp(double size) { return Buffer(new hofm::ShardBuffer(size)); }

// Rows by their entries, (i, j, x) from zero in any order; x may be empty, and is one then. `flush` is called when the buffer is full.
// [[Rcpp::export(rng = false)]]
void add_entries_cpp(SEXP buffer, Rcpp::IntegerVector i, Rcpp::IntegerVector j, Rcpp::NumericVector x, Rcpp::NumericVector y,
                     Rcpp::NumericVector weights, Rcpp::NumericVector offset, Rcpp::Function flush) {
  Buffer rows(buffer);
  const int n = int(y.size());
  std::vector<int> start(std::size_t(n) + 1, 0), index(std::size_t(i.size()));
  std::vector<double> value(index.size(), 1.0);
  for (const int row : i) ++start[std::size_t(row) + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<int> next(start.begin(), start.end() - 1);
  for (R_xlen_t q = 0; q < i.size(); ++q) {
    const std::size_t to = std::size_t(next[std::size_t(i[q])]++);
    index[to] = j[q];
    if (x.size()) value[to] = x[q];
  }
  for (int row = 0; row < n; ++row) {
    const int first = start[std::size_t(row)];
    rows->add(index.data() + first, value.data() + first, start[std::size_t(row) + 1] - first, y[row], weights[row], offset[row]);
    if (rows->full()) flush();
  }
}

// All rows of a dgCMatrix that is sound, a few at a time: no copy is made of the whole.
// [[Rcpp::export(rng = false)]]
void add_matrix_cpp(SEXP buffer, Rcpp::S4 x, Rcpp::NumericVector y, Rcpp::NumericVector weights, Rcpp::NumericVector offset,
                    int block, Rcpp::Function flush) {
  Buffer to(buffer);
  const hofm::SparseView columns = hofm::as_columns(x);
  const int n = columns.inner;
  std::vector<int> next(columns.start, columns.start + columns.outer);
  std::vector<std::vector<int>> index(static_cast<std::size_t>(block));
  std::vector<std::vector<double>> value(index.size());
  for (int first = 0; first < n; first += block) {
    const int last = int(std::min<long>(n, long(first) + block));
    for (int j = 0; j < columns.outer; ++j)
      for (int &q = next[std::size_t(j)]; q < columns.start[j + 1] && columns.index[q] < last; ++q) {
        index[std::size_t(columns.index[q] - first)].push_back(j);
        value[std::size_t(columns.index[q] - first)].push_back(columns.value[q]);
      }
    for (int row = first; row < last; ++row) {
      std::vector<int> &at = index[std::size_t(row - first)];
      std::vector<double> &of = value[std::size_t(row - first)];
      to->add(at.data(), of.data(), int(at.size()), y[row], weights[row], offset[row]);
      at.clear();
      of.clear();
      if (to->full()) flush();
    }
    Rcpp::checkUserInterrupt();
  }
}

// Whole lines of libsvm text. list(lines =, features =, rows =), or list(error =, line =, text =).
// [[Rcpp::export(rng = false)]]
Rcpp::List add_libsvm_cpp(SEXP buffer, Rcpp::RawVector bytes, int base, int features, int most, Rcpp::Function flush) {
  Buffer to(buffer);
  hofm::LibsvmReader reader({base, features, most});
  try {
    if (bytes.size()) reader.feed(reinterpret_cast<const char *>(&bytes[0]), std::size_t(bytes.size()));
    reader.finish();
  } catch (const hofm::LibsvmError &e) {
    return Rcpp::List::create(Rcpp::_["error"] = e.what(), Rcpp::_["line"] = double(e.line), Rcpp::_["text"] = e.text);
  }
  const int seen = reader.features();
  reader.each_row([&](const int *index, const double *value, int n, double label) {
    to->add(index, value, n, label, 1, 0);
    if (to->full()) flush(seen);
  });
  return Rcpp::List::create(Rcpp::_["lines"] = double(reader.lines()), Rcpp::_["features"] = seen, Rcpp::_["rows"] = reader.rows());
}

// [[Rcpp::export(rng = false)]]
double buffered_rows_cpp(SEXP buffer) { return double(Buffer(buffer)->rows()); }

// The rows into a file, after which the buffer is empty. What there is to know of them.
// [[Rcpp::export(rng = false)]]
Rcpp::List write_buffer_cpp(SEXP buffer, std::string file, int features, std::string dictionary) {
  Buffer rows(buffer);
  const hofm::Shard &shard = rows->shard();
  const double n = double(shard.y.size()), nonzeros = double(shard.rows.index.size());
  double weight = 0, y = 0, spread = 0;
  bool offsets = false, weighted = false;
  const auto ends = std::minmax_element(shard.y.begin(), shard.y.end());
  std::vector<double> values = {*ends.first, *ends.second};
  for (std::size_t i = 0; i < shard.y.size(); ++i) {
    weight += shard.weight[i];
    y += shard.weight[i] * shard.y[i];
    offsets |= shard.offset[i] != 0;
    weighted |= shard.weight[i] != 1;
    if (values.size() == 2 && shard.y[i] != values[0] && shard.y[i] != values[1]) values.push_back(shard.y[i]);
  }
  const double mean = weight > 0 ? y / weight : 0;
  for (std::size_t i = 0; i < shard.y.size(); ++i) spread += shard.weight[i] * (shard.y[i] - mean) * (shard.y[i] - mean);
  rows->write(file, features, hofm::from_hex(dictionary));
  return Rcpp::List::create(Rcpp::_["rows"] = n, Rcpp::_["nonzeros"] = nonzeros, Rcpp::_["weight"] = weight, Rcpp::_["y"] = y,
                            Rcpp::_["spread"] = std::min(spread, std::numeric_limits<double>::max()),
                            Rcpp::_["offsets"] = offsets, Rcpp::_["weighted"] = weighted, Rcpp::_["values"] = values,
                            Rcpp::_["checksum"] = hex(hofm::ShardReader(file).header().checksum));
}

// Statistics of all rows written so far, of `features` columns: see ColumnSums.
// [[Rcpp::export(rng = false)]]
Rcpp::List buffer_columns_cpp(SEXP buffer, int features) {
  hofm::ColumnSums &sums = Buffer(buffer)->columns;
  sums.widen(std::size_t(features));
  return Rcpp::List::create(Rcpp::_["weight"] = sums.weight, Rcpp::_["mean"] = sums.mean, Rcpp::_["spread"] = sums.spread,
                            Rcpp::_["other"] = Rcpp::LogicalVector(sums.other.begin(), sums.other.end()));
}

// [[Rcpp::export(rng = false)]]
void set_buffer_columns_cpp(SEXP buffer, Rcpp::NumericVector weight, Rcpp::NumericVector mean, Rcpp::NumericVector spread,
                            Rcpp::LogicalVector other) {
  hofm::ColumnSums &sums = Buffer(buffer)->columns;
  sums.weight.assign(weight.begin(), weight.end());
  sums.mean.assign(mean.begin(), mean.end());
  sums.spread.assign(spread.begin(), spread.end());
  sums.other.assign(other.begin(), other.end());
}

// ---- Looking, reading --------------------------------------------------------------------------------------

// What the header of a file says; `whole`: whether to read and check all of it.
// [[Rcpp::export(rng = false)]]
Rcpp::List shard_header_cpp(std::string file, bool whole) {
  hofm::ShardReader reader(file);
  if (whole) reader.read();
  const hofm::ShardHeader &header = reader.header();
  return Rcpp::List::create(Rcpp::_["rows"] = double(header.rows), Rcpp::_["nonzeros"] = double(header.nonzeros),
                            Rcpp::_["features"] = double(header.features), Rcpp::_["dictionary"] = hex(header.dictionary),
                            Rcpp::_["checksum"] = hex(header.checksum));
}

// The first `most` rows, as a dgCMatrix of `features` columns with its responses, weights and offsets.
// [[Rcpp::export(rng = false)]]
Rcpp::List read_shard_cpp(std::string file, int features, double most) {
  hofm::Shard shard = hofm::ShardReader(file).read();
  if (shard.rows.inner > features) throw hofm::FileError(file, "has more features than the other shards of its folder");
  shard.rows.inner = features;
  if (shard.rows.outer > most) {
    shard.rows.outer = int(most);
    for (std::vector<double> *of : {&shard.y, &shard.weight, &shard.offset}) of->resize(std::size_t(most));
  }
  const hofm::SparseStore columns = hofm::transposed(shard.rows.view());
  Rcpp::S4 x("dgCMatrix");
  x.slot("p") = Rcpp::IntegerVector(columns.start.begin(), columns.start.end());
  x.slot("i") = Rcpp::IntegerVector(columns.index.begin(), columns.index.end());
  x.slot("x") = Rcpp::NumericVector(columns.value.begin(), columns.value.end());
  x.slot("Dim") = Rcpp::IntegerVector::create(shard.rows.outer, features);
  return Rcpp::List::create(Rcpp::_["x"] = x, Rcpp::_["y"] = shard.y, Rcpp::_["weights"] = shard.weight,
                            Rcpp::_["offset"] = shard.offset);
}

// Link values of the rows of one file of a source, with their responses and weights.
// [[Rcpp::export(rng = false)]]
Rcpp::List shard_links_cpp(Rcpp::List source, int which, Rcpp::List model, int threads) {
  const hofm::ShardRows rows = hofm::as_shard_source(source).load(which - 1);
  const hofm::Model at = hofm::as_model(model);
  return Rcpp::List::create(Rcpp::_["link"] = hofm::link_values(rows, at, threads), Rcpp::_["y"] = rows.response.y,
                            Rcpp::_["weights"] = rows.response.weight);
}

// ---- Sums --------------------------------------------------------------------------------------------------

// `model` has no parameters: these are bytes, for so many `columns` of each term. `exponents`: of the slopes and of the loss.
// [[Rcpp::export(rng = false)]]
SEXP new_pass_cpp(Rcpp::List model, Rcpp::IntegerVector columns, Rcpp::RawVector parameters, std::string loss, bool slopes,
                  Rcpp::IntegerVector exponents) {
  Rcpp::XPtr<Pass> pass(new Pass);
  pass->model = hofm::as_model(model);
  for (std::size_t t = 0; t < pass->model.terms.size(); ++t) {
    hofm::Term &term = pass->model.terms[t];
    term.P.resize(std::size_t(columns[t]) * std::size_t(term.stride));
  }
  hofm::set_parameters(pass->model, parameters);
  pass->loss = loss;
  pass->slopes = slopes;
  std::copy(exponents.begin(), exponents.end(), pass->exponents);
  pass->clear();
  return pass;
}

// Adds the rows of file `which` of a source.
// [[Rcpp::export(rng = false)]]
void pass_shard_cpp(SEXP to, Rcpp::List source, int which) {
  Rcpp::XPtr<Pass> pass(to);
  const hofm::ShardRows rows = hofm::as_shard_source(source).load(which - 1);
  hofm::Gradient *gradient = pass->slopes ? &pass->gradient : nullptr;
  if (gradient) gradient->zero_like(pass->model);
  const double loss = hofm::with_loss(
      pass->loss, [&](auto l) { return hofm::sum_rows<decltype(l)>(rows, pass->model, gradient); });
  hofm::add_rounded(pass->sums, loss, gradient);
}

// What has been added since the last call, as bytes.
// [[Rcpp::export(rng = false)]]
Rcpp::RawVector pass_sums_cpp(SEXP of) {
  Rcpp::XPtr<Pass> pass(of);
  const Rcpp::RawVector bytes = hofm::as_bytes(pass->sums);
  pass->clear();
  return bytes;
}

// The sum of what pass_sums_cpp() returned for some shards and for others.
// [[Rcpp::export(rng = false)]]
Rcpp::RawVector add_sums_cpp(Rcpp::List parts) {
  hofm::ShardSums sums = hofm::as_sums(parts[0]);
  for (R_xlen_t q = 1; q < parts.size(); ++q) {
    const hofm::ShardSums other = hofm::as_sums(parts[q]);
    if (other.gradient.total.size() != sums.gradient.total.size() || other.gradient.exponent != sums.gradient.exponent ||
        other.loss.exponent != sums.loss.exponent)
      Rcpp::stop("sums of shards came back damaged");
    sums.gradient.add(other.gradient);
    sums.loss.add(other.loss);
  }
  return hofm::as_bytes(sums);
}

// Sums for a network that adds doubles: each number as a multiple of 2^32 and a rest, of which the sums over a million machines are
// exact. list(sum = <what is to be added up>, max = <what the largest is taken of>).
// [[Rcpp::export(rng = false)]]
Rcpp::List split_sums_cpp(Rcpp::RawVector bytes) {
  const hofm::ShardSums sums = hofm::as_sums(bytes);
  const std::size_t n = sums.gradient.total.size();
  Rcpp::NumericVector sum(Rcpp::no_init(R_xlen_t(2 * (n + 1))));
  const auto put = [&](std::size_t q, std::int64_t v) {
    sum[R_xlen_t(2 * q)] = double(v >> 32);
    sum[R_xlen_t(2 * q + 1)] = double(v & 0xFFFFFFFF);
  };
  put(0, sums.loss.total[0]);
  for (std::size_t q = 0; q < n; ++q) put(q + 1, sums.gradient.total[q]);
  const hofm::FixedSum &g = sums.gradient, &l = sums.loss;
  return Rcpp::List::create(Rcpp::_["sum"] = sum, Rcpp::_["max"] = Rcpp::NumericVector::create(
                                                      g.overflow, !g.finite, g.most, l.overflow, !l.finite, l.most));
}

// Back again: `exponents` of the slopes and of the loss.
// [[Rcpp::export(rng = false)]]
Rcpp::RawVector joined_sums_cpp(Rcpp::NumericVector sum, Rcpp::NumericVector max, Rcpp::IntegerVector exponents) {
  const std::size_t n = std::size_t(sum.size()) / 2 - 1;
  hofm::ShardSums sums{hofm::FixedSum(exponents[0], n), hofm::FixedSum(exponents[1], 1)};
  const auto get = [&](std::size_t q) {
    const std::uint64_t high = std::uint64_t(std::int64_t(sum[R_xlen_t(2 * q)])) << 32;
    return std::int64_t(high + std::uint64_t(std::int64_t(sum[R_xlen_t(2 * q + 1)])));
  };
  sums.loss.total[0] = get(0);
  for (std::size_t q = 0; q < n; ++q) sums.gradient.total[q] = get(q + 1);
  hofm::FixedSum *of[] = {&sums.gradient, &sums.loss};
  for (int s = 0; s < 2; ++s) {
    of[s]->overflow = max[3 * s] != 0;
    of[s]->finite = max[3 * s + 1] == 0;
    of[s]->most = max[3 * s + 2];
  }
  return hofm::as_bytes(sums);
}

// What the header of a checkpoint says.
// [[Rcpp::export(rng = false)]]
Rcpp::List checkpoint_header_cpp(std::string file) {
  hofm::OpenFile in(file);
  const hofm::CheckpointHeader header = hofm::read_checkpoint_header(in);
  return Rcpp::List::create(Rcpp::_["key"] = hex(header.key), Rcpp::_["seed"] = header.seed, Rcpp::_["stage"] = double(header.stage),
                            Rcpp::_["finished"] = header.finished != 0);
}
