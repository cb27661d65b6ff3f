//===- SystemFile.h - the small files of /sys -------------------*- C++ -*-===//

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ergon::runtime {

/// The whole number that a file holds. 0, or an errno value; EBADMSG where it holds none. It is
/// opened each time, because a program may close all files and a device may disappear. A signal
/// handler may call it.
int readNumber(const char *Path, std::int64_t &Value);

/// Whether a read that gave that errno value may succeed the next time.
bool isPassing(int Errno);

/// The first line of a file, and nothing where there is none.
std::string readLine(const std::string &Path);
/// Whether something has that path.
bool exists(const std::string &Path);
/// Whether there is a folder, a pipe or a device of that name.
bool isOtherThanFile(const char *Path);
/// The names in a folder, sorted.
std::vector<std::string> namesIn(const std::string &Folder);
/// The value of an environment variable, or \p Otherwise. A process with more rights than its
/// caller (setuid, setgid, capabilities of files) ignores the environment.
std::string fromEnvironment(const char *Variable, const char *Otherwise);

} // namespace ergon::runtime
