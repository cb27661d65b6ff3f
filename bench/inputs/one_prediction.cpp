//===- one_prediction.cpp - how long one prediction takes -----------------===//
//
// usage: one_prediction PROFILE…   prints nanoseconds for time and energy of given
// counts at a setting: as numbers alone, with names and breakdown, and with intervals.
//
//===----------------------------------------------------------------------===//

#include "formats/profile/ProfileFormat.h"
#include "model/energy/Cost.h"

#include <chrono>
#include <cstdio>

using namespace ergon;

/// Nanoseconds of one of \p Times runs, the least of five rounds.
template <typename Function> static double nanoseconds(long Times, Function Run) {
  double Least = 1e300;
  for (int Round = 0; Round != 5; ++Round) {
    const auto Start = std::chrono::steady_clock::now();
    for (long I = 0; I != Times; ++I)
      Run(I);
    const std::chrono::duration<double, std::nano> Spent = std::chrono::steady_clock::now() - Start;
    Least = std::min(Least, Spent.count() / double(Times));
  }
  return Least;
}

int main(int Count, char **Words) {
  double Sum = 0; // so that nothing is left out
  for (int Word = 1; Word < Count; ++Word) {
    const auto Text = readTextFile(Words[Word]);
    const auto M = Text ? parseProfile(*Text) : std::unexpected(Text.error());
    if (!M) {
      std::fprintf(stderr, "%s\n", M.error().line().c_str());
      return 2;
    }
    // Every class of the profile, and as many that it does not price as a function has.
    std::map<std::string, double> Counts{{"branches", 1e6}, {"calls", 1e3}, {"loads_memory", 1e7}};
    for (const auto &[Class, Each] : M->Power.Energies)
      Counts[Class] = 1e9;
    for (const auto &[Class, Each] : M->Timing.Throughputs)
      Counts[Class] = 1e9;
    std::vector<std::string> Classes;
    Piece Work;
    for (const auto &[Class, Value] : Counts) {
      Classes.push_back(Class);
      Work.Value.push_back(Value);
      Work.Least.push_back(Class == "bytes_dram" ? 0 : Value);
    }
    Work.Most = Work.Value;
    const PreparedMachine Prepared(*M, M->Settings, Classes);
    const std::size_t Settings = M->Settings.size();
    const double Plain = nanoseconds(200'000, [&](long I) {
      Work.Value[0] = double(I);
      Sum += Prepared.Costs[I % Settings].of(Work.Value).EnergyJ;
    });
    const double Named = nanoseconds(20'000, [&](long I) {
      Work.Value[0] = double(I);
      Sum += estimate(Prepared.Costs[I % Settings], Classes, Work.Value).EnergyJ;
    });
    const double Intervals = nanoseconds(20'000, [&](long I) {
      Sum += costOf(Prepared, I % Settings, std::span(&Work, 1)).EnergyJ.High;
    });
    std::printf("%-14s %3zu settings %3zu classes: %7.0f ns, with names and breakdown %7.0f ns, "
                "with intervals %7.0f ns\n",
                M->Name.c_str(), Settings, Classes.size(), Plain, Named, Intervals);
  }
  return Sum == 0.12345;
}
