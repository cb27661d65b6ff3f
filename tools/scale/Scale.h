//===- Scale.h - what ergon scale finds -------------------------*- C++ -*-===//

#pragma once

#include "model/cluster/IsoEnergy.h"

#include <expected>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// A term of the machine's vector, and the document that it is from: the profile or the
/// application by its name, and what that refers to.
struct ScaleTerm {
  ClusterTerm Which;
  ClusterQuantity Amount;
  std::string From, Reference;
};

/// A part of the application's vector as text: `W_c`, `1.06e4*n`.
struct ScaleWork {
  std::string Key, Symbol, Formula, Reference; ///< no reference: not from a document
};

struct ScaleRow {
  IsoPoint Point;
  std::expected<IsoEnergy, NoEfficiency> Value;
  Elasticities Exponents;
};

/// Where EE is kept, over p where the point's P is 0, over n where its N is.
struct ScaleKept {
  IsoPoint Point;
  std::vector<KeptRange> Ranges;
  std::string WhyNoValue; ///< at the end of the last range, where that is why it ends
};

struct ScaleDocument {
  std::string Application, Machine;
  double Overlap = 1;
  std::string OverlapReference; ///< as in ScaleWork
  bool HasSteps = false;
  std::vector<ScaleTerm> Terms;
  std::vector<ScaleWork> Work;
  std::vector<ScaleRow> Rows;
  std::optional<double> KeepEe;
  double MaxP = 0, MaxN = 0; ///< how far was searched
  std::vector<ScaleKept> Kept;
  std::vector<std::string> Notes;
};

/// As tables: the vectors, efficiencies, overheads, and sizes that keep the efficiency.
void printScale(const ScaleDocument &Document);
/// `ergon-scale/1`.
std::string writeScale(const ScaleDocument &Document);

} // namespace ergon
