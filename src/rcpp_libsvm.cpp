// Text in libsvm's format: blocks of bytes come from, and go to, functions of R that read and write connections.
#include <Rcpp.h>

#include "hofm/io/libsvm.h"
#include "rcpp_convert.h"
#include "rcpp_monitor.h"

namespace {

Rcpp::S4 as_matrix(const hofm::LibsvmReader &reader) {
  Rcpp::S4 x("dgCMatrix");
  const R_xlen_t d = reader.features(), nonzeros = R_xlen_t(reader.nonzeros());
  Rcpp::IntegerVector start(Rcpp::no_init(d + 1)), row(Rcpp::no_init(nonzeros));
  Rcpp::NumericVector value(Rcpp::no_init(nonzeros));
  reader.columns(start.begin(), row.begin(), value.begin());
  x.slot("p") = start;
  x.slot("i") = row;
  x.slot("x") = value;
  x.slot("Dim") = Rcpp::IntegerVector::create(reader.rows(), int(d));
  return x;
}

SEXP as_queries(const hofm::LibsvmReader &reader) {
  if (!reader.has_queries()) return R_NilValue;
  Rcpp::NumericVector out(reader.query.begin(), reader.query.end());
  for (double &q : out)
    if (std::isnan(q)) q = NA_REAL;
  return out;
}

}  // namespace

// `next_block` returns the next bytes (raw), none at the end; `features` is -1 if not given, and then `most` the largest
// index. list(x =, y =, qid =, base =), or list(error =, line =, text =).
// [[Rcpp::export]]
Rcpp::List read_libsvm_cpp(Rcpp::Function next_block, int base, int features, int most) {
  hofm::LibsvmReader reader({base, features, most});
  hofm::Monitor monitor = hofm::r_monitor();
  try {
    for (;;) {
      const Rcpp::RawVector block = next_block();
      if (block.size() == 0) break;
      reader.feed(reinterpret_cast<const char *>(&block[0]), std::size_t(block.size()));
      monitor.poll(double(block.size()));
    }
    reader.finish();
  } catch (const hofm::LibsvmError &e) {
    return Rcpp::List::create(Rcpp::_["error"] = e.what(), Rcpp::_["line"] = double(e.line), Rcpp::_["text"] = e.text);
  }
  Rcpp::NumericVector y(Rcpp::no_init(reader.rows()));
  for (int i = 0; i < reader.rows(); ++i) y[i] = reader.label[i];
  return Rcpp::List::create(Rcpp::_["x"] = as_matrix(reader), Rcpp::_["y"] = y, Rcpp::_["qid"] = as_queries(reader),
                            Rcpp::_["base"] = reader.base());
}

// `put` takes the lines, about `block` bytes at a time (raw). `qid` is empty or has a value for each row.
// [[Rcpp::export]]
void write_libsvm_cpp(Rcpp::S4 x, Rcpp::NumericVector y, Rcpp::NumericVector qid, int base, Rcpp::Function put, int block) {
  const hofm::SparseStore rows = hofm::transposed(hofm::as_columns(x));
  hofm::Monitor monitor = hofm::r_monitor();
  std::string out;
  const auto flush = [&] {
    put(Rcpp::RawVector(out.begin(), out.end()));
    monitor.poll(double(out.size()));
    out.clear();
  };
  for (int i = 0; i < rows.outer; ++i) {
    hofm::append_libsvm_line(out, y[i], qid.size() ? &qid[i] : nullptr, rows.view()[i], base);
    if (out.size() >= std::size_t(block)) flush();
  }
  if (!out.empty()) flush();
}

// The shortest decimal that is read back as the number, each; "null" for what is not finite.
// [[Rcpp::export]]
Rcpp::CharacterVector number_text_cpp(Rcpp::NumericVector x) {
  Rcpp::CharacterVector out(x.size());
  std::string text;
  for (R_xlen_t i = 0; i < x.size(); ++i) {
    text.clear();
    if (std::isfinite(x[i])) hofm::append_number(text, x[i]);
    else text = "null";
    out[i] = text;
  }
  return out;
}
