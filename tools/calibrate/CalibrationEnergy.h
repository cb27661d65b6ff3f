//===- CalibrationEnergy.h - the energy half of a calibration ---*- C++ -*-===//
#pragma once

#include "calibration/EnergyCampaign.h"
#include "calibration/EnergyMeter.h"
#include "formats/json/Error.h"
#include "tools/calibrate/CalibrationLog.h"

#include <expected>
#include <optional>
#include <string>
#include <vector>

namespace ergon {

/// The results of the meters.
struct EnergyHalf {
  std::string Meter; ///< the quantity read
  std::string Why;   ///< why there are no energies; otherwise empty
  std::optional<double> IdleBeforeW, IdleAfterW;
  WarmUp Warm;
  EnergyResult Samples;
  std::string File; ///< of the samples
  std::optional<EnergyFit> Fit;
};

/// Mean power of the idle machine; nothing where no meter can be read.
std::optional<double> idleWatts(EnergyMeter &Meter, bool IsQuick);

/// Takes samples with energies, if there is a meter. Problems with a meter, or with a fit, are in
/// the result's Why.
class EnergyCalibration {
public:
  /// \p All and \p Meter must outlive it; \p LineBytes is what a request of memory moves.
  EnergyCalibration(const std::vector<Probe> &All, EnergyMeter &Meter, unsigned LineBytes,
                    bool IsQuick)
      : All(All), Meter(Meter), LineBytes(LineBytes), IsQuick(IsQuick) {}

  /// The file beside \p Profile, for samples at these clocks. Error: as CalibrationLog::open().
  std::expected<void, Error> open(const std::string &Profile, const std::vector<double> &ClocksMhz);
  /// Warms the machine up and samples at one of these clocks; \p Longer each than at the first one
  /// where \p IsSet. Errors: samples cannot be written; the machine is too busy; none, where
  /// StopWhenAsked::asked().
  std::expected<void, Error> measure(double CoreMhz, bool IsSet, double Longer);
  /// Fits. Error: the file cannot be written.
  std::expected<EnergyHalf, Error> conclude();

private:
  const std::vector<Probe> &All;
  EnergyMeter &Meter;
  unsigned LineBytes;
  bool IsQuick;
  std::optional<CalibrationLog> Log; ///< none without a meter
  SampleSizes Sizes;
  EnergyHalf Result;
  unsigned NumMeasured = 0; ///< clocks

  void add(EnergyResult ER, double CoreMhz);
  std::vector<EnergyRow> earlier(const std::vector<Probe> &Probes);
};

} // namespace ergon
