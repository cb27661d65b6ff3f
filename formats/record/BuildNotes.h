//===- BuildNotes.h - what compilers tell `ergon record` --------*- C++ -*-===//
//
// A build goes on where a record cannot be written, so the plugin tells `ergon record` when it
// begins with a record, and what became of it. It does so through a named pipe, which needs no room
// on a disk and which a compiler that is killed cannot leave half written: a note is one write of
// at most PIPE_BUF bytes.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ergon {

/// The environment variable that has the pipe's path.
inline constexpr const char *NotesVariable = "ERGON_NOTES";

struct BuildNote {
  /// Started: a compiler runs and does not know yet which record it will write. Begun, Written,
  /// Lost: what became of a record. Ended: a compiler that has started has begun its record, or
  /// ended without one.
  enum class Event : char { Started = 's', Begun = 'b', Written = 'w', Lost = 'l', Ended = 'e' };
  Event What = Event::Begun;
  std::string Record;            ///< its file's name; of what has started, another for each
  std::string Directory, Source; ///< as Unit has them; empty where they are too long
  std::string Why;               ///< it is lost

  bool operator==(const BuildNote &) const = default;
};

/// The bytes of a note: what, then each of the texts with a zero behind it.
std::string writeNote(const BuildNote &Note);
/// Parses any number of notes; stops at bytes that are no note.
std::vector<BuildNote> parseNotes(std::string_view Text);

/// Writes a note into \p Pipe. False where no process reads from it.
bool sendNote(const std::string &Pipe, const BuildNote &Note);

} // namespace ergon
