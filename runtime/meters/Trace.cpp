//===- Trace.cpp - the trace of an external meter -------------------------===//
//
// A CSV file that another program writes while this one runs, or has written for the time in which
// it runs: a first line `time_s,power_w`, then in each line a time (Unix time, in seconds) and the
// power then, in watts. Between two lines power is interpolated linearly.
//
//===----------------------------------------------------------------------===//

#include "runtime/lib/Time.h"
#include "runtime/meters/GrowingFile.h"
#include "runtime/meters/Meter.h"

#include <ctime>

namespace ergon::runtime {
namespace {

class Trace final : public Meter {
public:
  explicit Trace(const std::string &File)
      : Meter("csv:" + File, "what " + File + " traces", 100 * Millisecond), Lines(File) {
    timespec Unix;
    clock_gettime(CLOCK_REALTIME, &Unix);
    Shift = now() - (std::int64_t(Unix.tv_sec) * Second + Unix.tv_nsec);
  }

private:
  struct Point {
    std::int64_t Position = 0, Power = 0; ///< ns of now(), µW
  };

  GrowingFile Lines;
  std::int64_t Shift = 0; ///< from Unix time to now()
  Point Last;
  bool HasLast = false;
  std::int64_t ReadFor = 0;      ///< the start of the process that it has been read in
  __int128 TwiceFemtojoules = 0; // µW·ns

  static __int128 between(const Point &From, const Point &To) {
    return __int128(From.Power + To.Power) * (To.Position - From.Position);
  }

  Outcome readNow(Reading &Target) override {
    // The first reading of a process is when that began.
    const bool IsFirst = ReadFor != startOfRun();
    const std::int64_t End = IsFirst ? startOfRun() : Target.TimeNs;
    while (auto Line = Lines.peek()) {
      if (Lines.line() == 1) {
        if (!Line->starts_with("time_s,power_w"))
          return end("its first line is not `time_s,power_w`");
        Lines.advance();
        continue;
      }
      const std::size_t Comma = Line->find(',');
      auto Value = readDecimal(Line->substr(0, Comma), 9);
      auto Power =
          Comma == std::string_view::npos ? Value : readDecimal(Line->substr(Comma + 1), 6);
      if (!Value || !Power || Comma == std::string_view::npos)
        return end("a line of it is not `time_s,power_w`, two numbers");
      Point Next{*Value + Shift, *Power};
      if (HasLast && Next.Position < Last.Position)
        return end("a time in it is before that of the line above");
      if (Next.Position > End &&
          HasLast) { // a trace that was made before, or the process began there
        ReadFor = startOfRun();
        const Point Cut{End, Last.Power + std::int64_t(__int128(Next.Power - Last.Power) *
                                                       (End - Last.Position) /
                                                       (Next.Position - Last.Position))};
        Target = {End, std::int64_t((TwiceFemtojoules + between(Last, Cut)) / 2'000'000)};
        return Outcome::Read;
      }
      if (Next.Position > Target.TimeNs)
        return Outcome::NoNews;
      if (HasLast)
        TwiceFemtojoules += between(Last, Next);
      Last = Next;
      HasLast = true;
      Lines.advance();
      if (Last.Position > End)
        break; // it began after the process did
    }
    if (Lines.what())
      return end(Lines.what(), Lines.error());
    if (!HasLast || Last.Position < startOfRun())
      return Outcome::NoNews;
    ReadFor = startOfRun();
    Target = {Last.Position, std::int64_t(TwiceFemtojoules / 2'000'000)};
    return Outcome::Read;
  }
};

} // namespace

void findTrace(FoundMeters &Result, const std::string &File) {
  Result.Meters.push_back(std::make_unique<Trace>(File));
}

} // namespace ergon::runtime
