//===- PowerLawFormat.cpp - the laws of power in a profile ----------------===//

#include "formats/profile/PowerLawFormat.h"
#include "formats/json/SourceFormat.h"

#include <nlohmann/json.hpp>

namespace ergon {

using Json = nlohmann::ordered_json;

static void readVoltage(JsonCursor At, Machine &M) {
  At.keys({}, {"core", "exponent"});
  if (JsonCursor Law = At["core"]) {
    Law.keys({"flat_to_mhz", "rise_per_mhz"});
    M.Power.CoreLaw = {readQuantity(Law["flat_to_mhz"], M.Sources, &JsonCursor::nonNegative),
                       readQuantity(Law["rise_per_mhz"], M.Sources, &JsonCursor::nonNegative)};
  }
  if (JsonCursor Exponent = At["exponent"])
    M.Power.VoltageExponent = readQuantity(Exponent, M.Sources, &JsonCursor::positive);
}

static Saturation readSaturation(JsonCursor At, const Machine &M) {
  At.keys({"exponent", "reference_w"});
  Saturation S{readQuantity(At["exponent"], M.Sources, &JsonCursor::positive),
               readQuantity(At["reference_w"], M.Sources, &JsonCursor::positive)};
  if (S.Exponent.Value > 1)
    At["exponent"]["value"].fail("is above 1", "give the power, 1 or below, that activity has");
  return S;
}

static Correction::Axis readAxis(JsonCursor At) {
  At.keys({"class", "full_per_s_per_mhz"});
  return {At["class"].text(), At["full_per_s_per_mhz"].positive()};
}

static Correction readCorrection(JsonCursor At, const Machine &M) {
  At.keys({"axes", "core_full_mhz", "length", "points", "weights", "source"});
  Correction C;
  for (JsonCursor Each : At["axes"].elements())
    C.Axes.push_back(readAxis(Each));
  if (C.Axes.empty() || C.Axes.size() > Correction::MaxAxes)
    At["axes"].fail("has no axis or more than " + std::to_string(Correction::MaxAxes),
                    "leave some out");
  C.CoreFullMhz = At["core_full_mhz"].nonNegative();
  C.Length = At["length"].positive();
  const auto Points = At["points"].elements();
  C.Points.resize(Points.size() * C.dimensions());
  for (std::size_t K = 0; K != Points.size(); ++K) {
    const auto Numbers = Points[K].elements();
    if (Numbers.size() != C.dimensions()) {
      Points[K].fail("has not a number for each axis and one for the clock", "correct it");
      break;
    }
    for (std::size_t D = 0; D != Numbers.size(); ++D)
      C.Points[D * Points.size() + K] = Numbers[D].number();
  }
  for (JsonCursor Each : At["weights"].elements())
    C.Weights.push_back(Each.number());
  if (C.Weights.size() * C.dimensions() != C.Points.size())
    At["weights"].fail("has not a number for each point", "correct it");
  C.Source = readSourceKey(At["source"], M.Sources);
  return C;
}

void readPowerLaws(JsonCursor Root, Machine &M) {
  if (JsonCursor At = Root["voltage"])
    readVoltage(At, M);
  if (JsonCursor At = Root["saturation"])
    M.Power.Saturates = readSaturation(At, M);
  if (JsonCursor At = Root["correction"])
    M.Fit.Corrects = readCorrection(At, M);
}

static Json correction(const Correction &Of) {
  Json Result = Json::object();
  for (const Correction::Axis &Each : Of.Axes)
    Result["axes"].push_back({{"class", Each.Class}, {"full_per_s_per_mhz", Each.FullRate}});
  Result["core_full_mhz"] = Of.CoreFullMhz;
  Result["length"] = Of.Length;
  Result["points"] = Json::array();
  for (std::size_t K = 0; K != Of.Weights.size(); ++K) {
    Json &Point = Result["points"].emplace_back(Json::array());
    for (std::size_t D = 0; D != Of.dimensions(); ++D)
      Point.push_back(Of.Points[D * Of.Weights.size() + K]);
  }
  Result["weights"] = Of.Weights;
  Result["source"] = Of.Source;
  return Result;
}

void addPowerLaws(Json &Into, const Machine &M) {
  if (M.Power.CoreLaw)
    Into["voltage"]["core"] = {{"flat_to_mhz", Json(M.Power.CoreLaw->FlatToMhz)},
                               {"rise_per_mhz", Json(M.Power.CoreLaw->RisePerMhz)}};
  if (M.Power.VoltageExponent)
    Into["voltage"]["exponent"] = Json(*M.Power.VoltageExponent);
  if (M.Power.Saturates)
    Into["saturation"] = {{"exponent", Json(M.Power.Saturates->Exponent)},
                          {"reference_w", Json(M.Power.Saturates->ReferenceW)}};
  if (M.Fit.Corrects)
    Into["correction"] = correction(*M.Fit.Corrects);
}

} // namespace ergon
