// Rows a tile at a time against the whole matrix turned round, and values on them against those of single rows.
#include "check.h"
#include "hofm/model/dispatch.h"
#include "hofm/eval/values.h"
#include "hofm/data/tiles.h"
#include "problem.h"

// Tiles put beside each other and below each other are the rows first..last-1, each nonzero once and in order.
static int check_tiles(const Sample &x, int first, int last, std::ptrdiff_t kept = 0) {
  const hofm::SparseStore whole = hofm::transposed(x.columns.view());
  hofm::RowTiles tiles(x.columns.view(), first, last, kept);
  std::vector<int> had(x.n, 0);
  int next = first, count = 0;
  bool same = true;
  for (; tiles.advance(); ++count) {
    CHECK(tiles.first() == next);
    const hofm::PieceView rows = tiles.rows();
    for (int r = 0; r < rows.rows; ++r) {
      const hofm::Slice b = whole.view()[next + r];
      int &at = had[next + r];
      same = same && rows.start[r] < rows.start[r + 1];
      for (int p = rows.start[r]; p < rows.start[r + 1]; ++p) {
        const hofm::Slice a = rows.piece[p];
        same = same && at + a.size <= b.size && std::equal(a.index, a.index + a.size, b.index + at) &&
               std::equal(a.value, a.value + a.size, b.value + at);
        at += a.size;
      }
      same = same && (!tiles.ends() || at == b.size);
    }
    if (tiles.ends()) next += rows.rows;
  }
  CHECK(same && next == last);
  return count;
}

// The bits do not depend on threads, and values are those of the rows one by one.
static void check_values(const Sample &x, const hofm::Term &term) {
  hofm::Model model;
  model.terms.push_back(term);
  hofm::Monitor monitor;
  hofm::Design design = x.design();
  const Vector one = hofm::term_values(design, model, 1, monitor), three = hofm::term_values(design, model, 3, monitor);
  CHECK(one == three);
  const hofm::SparseStore rows = hofm::transposed(x.columns.view());
  const hofm::RowKernel kernel = hofm::kernels().rows(term.kernel, term.degree);
  Vector state(hofm::state_size(term));
  bool same = true;
  for (int i = 0; i < x.n; ++i) {
    const double alone = kernel.forward(hofm::view(term), rows.view()[i], state.data());
    same = same && std::fabs(one[i] - alone) <= 1e-13 * (1 + std::fabs(alone));
  }
  CHECK(same);
}

int main() {
  hofm::Random random(12);
  for (double density : {0.0, 0.2, 1.0}) {
    const Sample x(40000, 5, density, random);
    for (int first : {0, 700}) CHECK(check_tiles(x, first, 39000) > 1);
  }
  // Long rows are cut: 700 columns take several tiles side by side, and that several times where much is kept of a row.
  const Sample wide(1500, 700, 0.3, random);
  const std::ptrdiff_t much = hofm::TileSize::kMostKept / 512;
  CHECK(check_tiles(wide, 0, 1500) > 2);
  CHECK(check_tiles(wide, 0, 1500, much) > 4);
  CHECK(check_tiles(wide, 10, 1100, much) > 4);
  // Rows of very different length, cut and whole.
  Vector density(1500, 0.01);
  for (int i = 0; i < 1500; i += 100) density[i] = 1;
  const Sample uneven(1500, 700, density, random);
  CHECK(check_tiles(uneven, 3, 1450) == 1);
  for (int i = 0; i < 1500; i += 2) density[i] = 0.9;
  const Sample uneven_cut(1500, 700, density, random);
  CHECK(check_tiles(uneven_cut, 0, 1500) > 2);
  CHECK(check_tiles(uneven_cut, 0, 1500, much) > 4);

  // A tile that is full at its last nonzero, with columns to come that are empty.
  Sample full(384, 256, 1.0, random);
  full.columns.outer = full.d = 257;
  full.columns.start.push_back(full.columns.start.back());
  CHECK(hofm::TileSize(full.columns.view(), 0).nonzeros == full.columns.view().nonzeros());
  check_tiles(full, 0, 384);
  for (const hofm::Term &term : all_terms(3, 3, full.d, 0.1, random)) check_values(full, term);

  const Sample many(2000, 9, 0.5, random), few(3, 9, 0.3, random), long_rows(1100, 700, 0.15, random);
  for (int k : {3, 8, 17, 30}) {
    for (const hofm::Term &term : all_terms(5, k, many.d, 0.1, random)) {
      check_values(many, term);
      check_values(few, term);
    }
    for (const hofm::Term &term : all_terms(k == 17 ? 9 : 2, k, long_rows.d, 0.1, random)) check_values(long_rows, term);
    for (const hofm::Term &term : all_terms(3, k, uneven.d, 0.1, random)) {
      check_values(uneven, term);
      check_values(uneven_cut, term);
    }
  }
  return report();
}
