//===- RunKeys.h - the keys of a run record ---------------------*- C++ -*-===//
//
// `ergon-run/1`: what one process counted and measured while it ran. The runtime writes
// it without allocating memory (a signal handler may be the writer), `RunFormat.h` reads it.
//
//===----------------------------------------------------------------------===//
#pragma once

namespace ergon::run_keys {

inline constexpr char Schema[] = "ergon-run/1";

inline constexpr char Program[] = "program";     ///< path of what ran
inline constexpr char Arguments[] = "arguments"; ///< without the program's name; not if very long
inline constexpr char Process[] = "process";
inline constexpr char Parent[] = "parent";
inline constexpr char Started[] = "started"; ///< ISO 8601, UTC
inline constexpr char Duration[] = "duration_s";
inline constexpr char Ended[] = "ended"; ///< `exit`, `exec`, `signal 15`, or `running`

inline constexpr char Functions[] = "functions"; ///< those with a counter that is not zero
inline constexpr char Unit[] = "unit";
inline constexpr char Checksum[] = "checksum"; ///< of the unit's code, as its record has it
inline constexpr char Function[] = "function"; ///< mangled
inline constexpr char Unknowns[] = "unknowns"; ///< by symbol
inline constexpr char Sum[] = "sum";
inline constexpr char Times[] = "times"; ///< the unknown's mean is sum/times

inline constexpr char Calls[] = "calls";         ///< through pointers, by symbol; where there are
inline constexpr char Sums[] = "sums";           ///< of arguments, by number
inline constexpr char Uncounted[] = "uncounted"; ///< the functions' counts are left out, and why

inline constexpr char Mpi[] = "mpi";   ///< of a process of an MPI program
inline constexpr char Rank[] = "rank"; ///< in MPI_COMM_WORLD, as the size
inline constexpr char Size[] = "size";
inline constexpr char Sites[] = "sites"; ///< functions of MPI by the places that call them
inline constexpr char Call[] = "call";
inline constexpr char Position[] = "at"; ///< module and what the call returns to
inline constexpr char Messages[] = "messages";
inline constexpr char MessageBytes[] = "message_bytes";
inline constexpr char Meters[] = "meters"; ///< those that were read
inline constexpr char Name[] = "name";
inline constexpr char Covers[] = "covers";
inline constexpr char Energy[] = "energy_j"; ///< of a region: by meter
inline constexpr char From[] = "from_s";     ///< of the first reading, after `started`
inline constexpr char End[] = "until_s";     ///< of the last one
inline constexpr char Period[] = "update_period_s";
inline constexpr char Readings[] = "readings";
inline constexpr char LongestGap[] = "longest_gap_s"; ///< between two readings
inline constexpr char Why[] = "why";                  ///< it was not read, or no longer
inline constexpr char Quantity[] = "quantity";        ///< what is read where it is no energy
inline constexpr char Clock[] = "clock_hz";           ///< at the readings
inline constexpr char Least[] = "least";
inline constexpr char Mean[] = "mean";
inline constexpr char Most[] = "most";
inline constexpr char HeldDown[] = "held_down_by"; ///< what kept a clock low
inline constexpr char Unread[] = "unread_meters";  ///< not measured, and why

inline constexpr char Regions[] = "regions"; ///< the path without a name: threads as a whole
inline constexpr char Path[] = "path";       ///< from the outermost name to the innermost
inline constexpr char Count[] = "count";
inline constexpr char Threads[] = "threads";
inline constexpr char Time[] = "time_s"; ///< summed over threads, that of inner regions too
inline constexpr char Mistakes[] = "region_mistakes"; ///< ends that fit no begin
inline constexpr char TooDeep[] = "regions_too_deep"; ///< begins that are part of the region around

} // namespace ergon::run_keys
