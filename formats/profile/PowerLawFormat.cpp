//===- PowerLawFormat.cpp - the laws of power in a profile ----------------===//

#include "formats/profile/PowerLawFormat.h"
#include "formats/json/SourceFormat.h"

#include <nlohmann/json.hpp>

namespace ergon {

using Json = nlohmann::ordered_json;

static void readVoltage(JsonCursor Json, Machine &M) {
  Json.keys({}, {"core", "exponent"});
  if (JsonCursor Law = Json["core"]) {
    Law.keys({"flat_to_mhz", "rise_per_mhz"});
    M.Power.CoreLaw = {readQuantity(Law["flat_to_mhz"], M.Sources, &JsonCursor::nonNegative),
                       readQuantity(Law["rise_per_mhz"], M.Sources, &JsonCursor::nonNegative)};
  }
  if (JsonCursor Exponent = Json["exponent"])
    M.Power.VoltageExponent = readQuantity(Exponent, M.Sources, &JsonCursor::positive);
}

static Saturation readSaturation(JsonCursor Json, const Machine &M) {
  Json.keys({"exponent", "reference_w"});
  Saturation S{readQuantity(Json["exponent"], M.Sources, &JsonCursor::positive),
               readQuantity(Json["reference_w"], M.Sources, &JsonCursor::positive)};
  if (S.Exponent.Value > 1)
    Json["exponent"]["value"].fail("is above 1", "give the power, 1 or below, that activity has");
  return S;
}

static Correction::Axis readAxis(JsonCursor Json) {
  Json.keys({"class", "full_per_s_per_mhz"});
  return {Json["class"].text(), Json["full_per_s_per_mhz"].positive()};
}

static Correction readCorrection(JsonCursor Json, const Machine &M) {
  Json.keys({"axes", "core_full_mhz", "length", "points", "weights", "source"});
  Correction C;
  for (JsonCursor Entry : Json["axes"].elements())
    C.Axes.push_back(readAxis(Entry));
  if (C.Axes.empty() || C.Axes.size() > Correction::MaxAxes)
    Json["axes"].fail("has no axis or more than " + std::to_string(Correction::MaxAxes),
                      "leave some out");
  C.CoreFullMhz = Json["core_full_mhz"].nonNegative();
  C.Length = Json["length"].positive();
  const auto Points = Json["points"].elements();
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
  for (JsonCursor Element : Json["weights"].elements())
    C.Weights.push_back(Element.number());
  if (C.Weights.size() * C.dimensions() != C.Points.size())
    Json["weights"].fail("has not a number for each point", "correct it");
  C.Source = readSourceKey(Json["source"], M.Sources);
  return C;
}

void readPowerLaws(JsonCursor Root, Machine &M) {
  if (JsonCursor Voltage = Root["voltage"])
    readVoltage(Voltage, M);
  if (JsonCursor Saturation = Root["saturation"])
    M.Power.Saturates = readSaturation(Saturation, M);
  if (JsonCursor Correction = Root["correction"])
    M.Fit.Corrects = readCorrection(Correction, M);
}

static Json correction(const Correction &C) {
  Json Result = Json::object();
  for (const Correction::Axis &A : C.Axes)
    Result["axes"].push_back({{"class", A.Class}, {"full_per_s_per_mhz", A.FullRate}});
  Result["core_full_mhz"] = C.CoreFullMhz;
  Result["length"] = C.Length;
  Result["points"] = Json::array();
  for (std::size_t K = 0; K != C.Weights.size(); ++K) {
    Json &Point = Result["points"].emplace_back(Json::array());
    for (std::size_t D = 0; D != C.dimensions(); ++D)
      Point.push_back(C.Points[D * C.Weights.size() + K]);
  }
  Result["weights"] = C.Weights;
  Result["source"] = C.Source;
  return Result;
}

void addPowerLaws(Json &Output, const Machine &M) {
  if (M.Power.CoreLaw)
    Output["voltage"]["core"] = {{"flat_to_mhz", Json(M.Power.CoreLaw->FlatToMhz)},
                                 {"rise_per_mhz", Json(M.Power.CoreLaw->RisePerMhz)}};
  if (M.Power.VoltageExponent)
    Output["voltage"]["exponent"] = Json(*M.Power.VoltageExponent);
  if (M.Power.Saturates)
    Output["saturation"] = {{"exponent", Json(M.Power.Saturates->Exponent)},
                            {"reference_w", Json(M.Power.Saturates->ReferenceW)}};
  if (M.Fit.Corrects)
    Output["correction"] = correction(*M.Fit.Corrects);
}

} // namespace ergon
