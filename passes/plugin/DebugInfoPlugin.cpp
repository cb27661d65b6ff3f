//===- DebugInfoPlugin.cpp - names and lines for builds without -g --------===//
//
// A plugin of clang itself (-fplugin), since debug information is made before
// the passes run. It asks for it where the command line does not, with types
// in full: the passes read names, members and lines from it, and strip it.
//
//===----------------------------------------------------------------------===//

#include "passes/plugin/DebugInfoMark.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"

#include <memory>
#include <string>
#include <vector>

namespace {

class DebugInfoAction : public clang::PluginASTAction {
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &CI,
                                                        llvm::StringRef) override {
    clang::CodeGenOptions &Options = CI.getCodeGenOpts();
    if (Options.getDebugInfo() == llvm::codegenoptions::NoDebugInfo) {
      Options.setDebugInfo(llvm::codegenoptions::FullDebugInfo);
      Options.DwarfVersion = 5; // with checksums of the sources
      Options.DwarfDebugFlags = ergon::DebugInfoMark;
    }
    return std::make_unique<clang::ASTConsumer>(); // it looks at nothing
  }
  bool ParseArgs(const clang::CompilerInstance &, const std::vector<std::string> &) override {
    return true;
  }
  ActionType getActionType() override { return AddBeforeMainAction; }
};

clang::FrontendPluginRegistry::Add<DebugInfoAction> Registered("ergon-debug-info",
                                                               "names and lines for Ergon");

} // namespace
