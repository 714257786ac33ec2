// Files of shards: written, looked at, read, and summed over.
#include "rcpp_shards.h"

#include "hofm/solve/shards.h"
#include "rcpp_convert.h"
#include "rcpp_monitor.h"

namespace {

std::string hex(std::uint64_t number) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
  return text;
}

std::uint64_t from_hex(const std::string &text) { return std::strtoull(text.c_str(), nullptr, 16); }

}  // namespace

// [[Rcpp::export]]
std::string checksum_cpp(Rcpp::RawVector bytes) {
  return hex(hofm::checksum(bytes.size() ? &bytes[0] : nullptr, std::size_t(bytes.size())));
}

// `x`: a dgCMatrix that is sound; y, weights and offset: a number for each row. Returns the checksum of the header.
// [[Rcpp::export]]
std::string write_shard_cpp(std::string file, Rcpp::S4 x, std::vector<double> y, std::vector<double> weights,
                            std::vector<double> offset, std::string dictionary) {
  hofm::Shard shard{hofm::transposed(hofm::as_columns(x)), std::move(y), std::move(weights), std::move(offset)};
  hofm::ShardWriter writer(file);
  writer(shard, from_hex(dictionary));
  return hex(hofm::ShardReader(file).header().checksum);
}

// What the header of a file says; `whole`: whether to read and check all of it.
// [[Rcpp::export]]
Rcpp::List shard_header_cpp(std::string file, bool whole) {
  hofm::ShardReader reader(file);
  if (whole) reader.read();
  const hofm::ShardHeader &header = reader.header();
  return Rcpp::List::create(Rcpp::_["rows"] = double(header.rows), Rcpp::_["nonzeros"] = double(header.nonzeros),
                            Rcpp::_["features"] = double(header.features), Rcpp::_["dictionary"] = hex(header.dictionary),
                            Rcpp::_["checksum"] = hex(header.checksum));
}

// The first `most` rows, as a dgCMatrix of `features` columns with its responses, weights and offsets.
// [[Rcpp::export]]
Rcpp::List read_shard_cpp(std::string file, int features, double most) {
  hofm::Shard shard = hofm::ShardReader(file).read();
  if (shard.rows.inner > features) throw hofm::ShardError(file, "has more features than the other shards of its folder");
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

// Loss and slopes of all shards of a source. `model` has no parameters: these are bytes, for so many `columns` of each term. `exponents`:
// of the slopes and of the loss.
// [[Rcpp::export]]
Rcpp::RawVector sum_shards_cpp(Rcpp::List source, Rcpp::List model, Rcpp::IntegerVector columns, Rcpp::RawVector parameters,
                               std::string loss, bool slopes, Rcpp::IntegerVector exponents, int threads) {
  const hofm::ShardSource shards = hofm::as_shard_source(source);
  hofm::Model at = hofm::as_model(model);
  for (std::size_t t = 0; t < at.terms.size(); ++t) at.terms[t].P.resize(std::size_t(columns[t]) * at.terms[t].stride);
  hofm::set_parameters(at, parameters);
  std::vector<int> all(shards.count);
  std::iota(all.begin(), all.end(), 0);
  hofm::Monitor monitor = hofm::r_monitor();
  return hofm::as_bytes(hofm::with_loss(loss, [&](auto l) {
    return hofm::sum_shards<decltype(l)>(shards, all, at, slopes, exponents[0], exponents[1], threads, monitor);
  }));
}

// The sum of what sum_shards_cpp() returned for some shards and for others.
// [[Rcpp::export]]
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
