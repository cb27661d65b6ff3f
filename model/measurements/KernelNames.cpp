//===- KernelNames.cpp - one name of a kernel for all tools ---------------===//

#include "model/measurements/SampleJoin.h"

#include <cctype>
#include <string>

namespace ergon {

/// Whether \p Text is one word, as a type of a template argument is.
static bool isTypeName(std::string_view Text) {
  bool Letters = false;
  for (const char C : Text) {
    if (!std::isalnum(static_cast<unsigned char>(C)) && C != '_' && C != ' ' && C != ':')
      return false;
    Letters |= std::isalpha(static_cast<unsigned char>(C)) != 0;
  }
  return Letters;
}

std::string kernelName(std::string_view Name) {
  static constexpr std::string_view Anonymous = "(anonymous namespace)";
  if (Name.starts_with('[')) // a copy or fill, no kernel
    return std::string(Name);
  if (Name.starts_with("void "))
    Name.remove_prefix(5);
  std::string Result;
  int Depth = 0; // of template arguments
  for (std::size_t K = 0; K != Name.size(); ++K) {
    const char C = Name[K];
    if (C == '(') {
      const std::size_t Close = Name.find(')', K);
      if (Name.substr(K).starts_with(Anonymous)) {
        Result += Anonymous;
        K += Anonymous.size() - 1;
        continue;
      }
      if (Depth == 0)
        break; // parameters
      if (Close != std::string_view::npos && isTypeName(Name.substr(K + 1, Close - K - 1))) {
        K = Close; // `(int)32`
        continue;
      }
    }
    if (C == '<')
      ++Depth;
    else if (C == '>')
      --Depth;
    if (C == '=' && Depth > 0) { // `int=32`
      const std::size_t Start = Result.find_last_of("<,");
      if (Start != std::string::npos && isTypeName(std::string_view(Result).substr(Start + 1))) {
        Result.resize(Start + 1);
        continue;
      }
    }
    if (C != ' ')
      Result += C;
  }
  return Result.empty() ? std::string(Name) : Result;
}

} // namespace ergon
