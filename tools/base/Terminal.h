//===- Terminal.h - colours and progress on a terminal ----------*- C++ -*-===//
//
// How text leaves for a terminal: guardOutput() makes what programs' names could do to it harmless.
// And what a person at a terminal sees besides the text: styles, and how far long work is. To
// files, pipes and logs goes none of that but a line of progress from time to time, of commands
// that say so.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace ergon {

/// From now on the standard output and the standard error show what would act on a terminal as
/// escapes (formats/json/PlainText.h), but for this file's own. JSON means the same with these
/// escapes, so all output goes this way. At the start of main(), once.
void guardOutput();

/// Where \p To is a terminal that is not `dumb`, and NO_COLOR is not set to anything.
bool useColor(std::FILE *To);

enum class Style { Bold, Red, Magenta, Cyan, Green }; ///< colours are bold too

/// \p Text in this style where \p Colored, else \p Text.
std::string styled(std::string_view Text, Style As, bool Colored);

/// A line on the standard error that is written over and in the end removed, where that is a
/// terminal. Elsewhere nothing, or lines of a log. One at a time.
class ProgressBar {
public:
  /// Where the standard error is no terminal, it gets nothing.
  ProgressBar() = default;
  /// There it gets the line `COMMAND: 3 of 12 THINGS, about 40 s left (NAME)`, \p After the start
  /// and then each \p Every.
  ProgressBar(std::string Command, std::string Things,
              std::chrono::milliseconds Every = std::chrono::seconds(10),
              std::chrono::milliseconds After = {})
      : Command(std::move(Command)), Things(std::move(Things)), Every(Every),
        First(std::chrono::steady_clock::now() + After) {}
  /// Removes the line.
  ~ProgressBar() { clear(); }
  /// \p Name is what is worked on; \p LeftS, how long the rest takes, where that is known. Drawn at
  /// most ten times a second, so that it can be called for each function; what is printed next
  /// begins in its line.
  void show(std::size_t Done, std::size_t Index, std::string_view Name,
            std::optional<double> LeftS = std::nullopt);
  /// Before anything else is printed.
  void clear();

private:
  bool Shown = false;
  std::chrono::steady_clock::time_point Last{};  ///< when something was printed; of a bar, if Shown
  std::string Command, Things;                   ///< of lines in a log; empty: there are none
  std::chrono::milliseconds Every{};             ///< between two of them
  std::chrono::steady_clock::time_point First{}; ///< when the first one may be

  void log(std::size_t Done, std::size_t Index, std::string_view Name, std::optional<double> LeftS);
};

} // namespace ergon
