//===- ApplicationStore.cpp - finds application vectors -------------------===//

#include "predict/store/ApplicationStore.h"

#include "formats/cluster/ApplicationFormat.h"
#include "predict/store/ParsedFile.h"
#include "predict/store/ShippedFiles.h"

namespace ergon {

std::expected<Application, Error> loadApplication(const std::string &NameOrFile) {
  const auto Path = shippedOrFile({"applications", "ERGON_APPLICATIONS"}, NameOrFile, "application",
                                  "an application's vector");
  if (!Path)
    return std::unexpected(Path.error());
  return parseFile(*Path, parseApplication);
}

} // namespace ergon
