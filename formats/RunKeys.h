//===- RunKeys.h - the keys of a run record ---------------------*- C++ -*-===//
//
// `ergon-run/1`: what one process counted and measured while it ran. The runtime writes
// it without allocating memory (a signal handler may be the writer), `RunFormat.h` reads it.
//
//===----------------------------------------------------------------------===//
#ifndef ERGON_FORMATS_RUNKEYS_H
#define ERGON_FORMATS_RUNKEYS_H

namespace ergon::run_keys {

inline constexpr char Schema[] = "ergon-run/1";

inline constexpr char Program[] = "program"; ///< path of what ran
inline constexpr char Process[] = "process";
inline constexpr char Parent[] = "parent";
inline constexpr char Started[] = "started"; ///< ISO 8601, UTC
inline constexpr char Duration[] = "duration_s";
inline constexpr char Ended[] = "ended"; ///< `exit`, `exec`, `signal 15`, or `running`

inline constexpr char Functions[] = "functions"; ///< those with a counter that is not zero
inline constexpr char Unit[] = "unit";
inline constexpr char Function[] = "function"; ///< mangled
inline constexpr char Unknowns[] = "unknowns"; ///< by symbol
inline constexpr char Sum[] = "sum";
inline constexpr char Times[] = "times"; ///< the unknown's mean is sum/times

} // namespace ergon::run_keys

#endif
