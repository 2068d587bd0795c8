/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
// siox-opt: the pass on a file of LLVM bitcode or assembly.
#include "cli/text.h"
#include "frontend/Pipeline.h"
#include "transform/Split.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

static const char Usage[] =
    R"(usage: siox-opt INPUT [-o OUTPUT] [options]

Runs the Siox pass on a file of LLVM bitcode (.bc) or assembly (.ll); - is standard input or output. Without -o
nothing is written, which serves the --print options.

  -o FILE              write the instrumented module
  -S                   write assembly instead of bitcode
)";
static const char More[] = R"(  --help               this text
  --version            the version, and LLVM's

A line of --print-access is
  FILE:LINE FUNCTION CALL [origin=FILE:LINE,...[,?]] [first=BYTE] [size=BYTES] [LEVELS]
  [layout=L] [mask=BITS] [why="REASON"]
  origin: the MPI_File_open calls its handle can come from; ? when others may exist
  first: byte offset of the first access; a call outside loops has nothing more to say
  LEVELS: L0 is the innermost loop around the call, callers' loops count on:
    const | affine(stride=BYTES,trip=N) | invariant(trip=N) | unknown(trip=N); what is only
    known at run time is ?, a trip that is not known is left out
  layout: base:factor:unit or nodes:unit; mask: the disks it touches, disk 0 leftmost

example: siox-opt app.bc --disks 6 --summary
)";

namespace {
struct Setting {
  StringRef Name, Value, Help;
  bool TakesValue;
};
} // namespace
static constexpr bool VALUE = true, FLAG = false;
static const Setting Settings[] = {
#define SIOX_PASS_OPTION(name, kind, value, help) {name, value, help, kind},
#include "frontend/options.def"
#undef SIOX_PASS_OPTION
};

static void help() {
  outs() << Usage;
  for (const Setting &S : Settings) {
    std::string Option = ("  --" + S.Name +
                          (S.Value.contains('|') ? "="
                           : S.TakesValue        ? " "
                                                 : "") +
                          S.Value)
                             .str();
    outs() << left_justify(Option, 23);
    if (Option.size() >= 23) {
      outs() << '\n';
      outs().indent(23);
    }
    std::string Variable = "SIOX_" + S.Name.upper();
    std::replace(Variable.begin(), Variable.end(), '-', '_');
    outs().flush(); // stdout has a buffer of its own
    siox__fold(stdout, (S.Help + " (environment " + Variable + ")").str().c_str(), 23);
    fflush(stdout);
  }
  outs() << More;
}

/// A command line that is wrong.
static Error slip(const Twine &Message) {
  return createStringError(Message + "; try siox-opt --help");
}

static int fail(const Twine &Message) {
  errs() << "siox-opt: error: " << Message << '\n';
  return 1;
}

namespace {
struct Reporter : DiagnosticHandler {
  bool &Failed;
  explicit Reporter(bool &Failed) : Failed(Failed) {}
  bool handleDiagnostics(const DiagnosticInfo &Info) override {
    if (Info.getSeverity() != DS_Error && Info.getSeverity() != DS_Warning)
      return true;
    bool Error = Info.getSeverity() == DS_Error;
    Failed |= Error;
    errs() << "siox-opt: " << (Error ? "error: " : "warning: ");
    DiagnosticPrinterRawOStream Printer(errs());
    Info.print(Printer);
    errs() << '\n';
    return true;
  }
};

struct CommandLine {
  siox::Options Options;
  std::string Input, Output;
  bool Assembly = false;
};
} // namespace

/// --name=value, --name value and, for the flags, --name.
static Error parse(ArrayRef<const char *> Args, CommandLine &C) {
  for (size_t I = 0; I < Args.size(); ++I) {
    StringRef Arg = Args[I];
    auto Next = [&]() -> Expected<StringRef> {
      if (I + 1 == Args.size())
        return slip(Arg + " needs a value");
      return StringRef(Args[++I]);
    };
    if (Arg == "-S") {
      C.Assembly = true;
    } else if (Arg == "-o") {
      Expected<StringRef> Value = Next();
      if (!Value)
        return Value.takeError();
      C.Output = Value->str();
    } else if (Arg.starts_with("--")) {
      auto [Name, Value] = Arg.drop_front(2).split('=');
      const auto *Known =
          find_if(Settings, [Name = Name](const Setting &S) { return S.Name == Name; });
      if (Known == std::end(Settings))
        return slip("no option " + Arg.split('=').first);
      if (!Arg.contains('=') && Known->TakesValue) {
        Expected<StringRef> Following = Next();
        if (!Following)
          return Following.takeError();
        Value = *Following;
      }
      if (Error E = C.Options.set(Name, Value))
        return E;
    } else if (Arg.starts_with("-") && Arg != "-") {
      return slip("no option " + Arg);
    } else if (!C.Input.empty()) {
      return slip("more than one input: " + C.Input + " and " + Arg);
    } else {
      C.Input = Arg.str();
    }
  }
  if (C.Input.empty())
    return slip("no input");
  return Error::success();
}

static int write(Module &M, const CommandLine &C) {
  std::error_code EC;
  ToolOutputFile Out(C.Output, EC, C.Assembly ? sys::fs::OF_Text : sys::fs::OF_None);
  if (EC)
    return fail(C.Output + ": " + EC.message());
  if (C.Assembly)
    M.print(Out.os(), nullptr);
  else
    WriteBitcodeToFile(M, Out.os());
  Out.os().flush();
  if (Out.os().has_error()) {
    EC = Out.os().error();
    Out.os().clear_error();
    return fail(C.Output + ": " + EC.message());
  }
  Out.keep();
  return 0;
}

/// Null after a message.
static std::unique_ptr<Module> read(StringRef Input, LLVMContext &Context, const bool &Failed) {
  SMDiagnostic Problem;
  std::unique_ptr<Module> M = parseIRFile(Input, Problem, Context);
  if (!M && !Failed)
    Problem.print("siox-opt", errs());
  if (M && verifyModule(*M, &errs())) {
    fail(Input + ": the module is not valid");
    M.reset();
  }
  return M;
}

/// What a compiler does when its pipeline comes to the vectoriser: nobody may run one behind this.
static void split(Module &M) {
  LoopAnalysisManager LAM;
  FunctionAnalysisManager FAM;
  CGSCCAnalysisManager CGAM;
  ModuleAnalysisManager MAM;
  PassBuilder PB;
  PB.registerModuleAnalyses(MAM);
  PB.registerCGSCCAnalyses(CGAM);
  PB.registerFunctionAnalyses(FAM);
  PB.registerLoopAnalyses(LAM);
  PB.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  FunctionPassManager FPM;
  cantFail(PB.parsePassPipeline(FPM, "sroa,loop(loop-rotate)"));
  FPM.addPass(siox::SplitPass());
  for (Function &F : M)
    if (siox::awaitsSplit(F))
      FPM.run(F, FAM);
  MAM.clear();
  CGAM.clear();
  FAM.clear();
  LAM.clear();
}

/// LLVM's reader of bitcode believes what it reads: a bit that has turned can crash it. What is
/// left of the process then is good for a message.
static bool survives(function_ref<void()> Work) {
  CrashRecoveryContext Context;
  return Context.RunSafely(Work);
}

int main(int argc, char **argv) {
  ArrayRef<const char *> Args(argv + 1, argc - 1);
  for (StringRef Arg : Args)
    if (Arg == "--help" || Arg == "-h") {
      help();
      return 0;
    } else if (Arg == "--version") {
      outs() << "siox-opt " SIOX_VERSION ", LLVM " LLVM_VERSION_STRING "\n";
      return 0;
    }
  CommandLine C;
  Expected<siox::Options> Environment = siox::optionsFromEnvironment();
  if (!Environment)
    return fail(toString(Environment.takeError()));
  C.Options = *Environment;
  if (Error E = parse(Args, C))
    return fail(toString(std::move(E)));

  CrashRecoveryContext::Enable();
  InitializeAllTargetInfos();
  InitializeAllTargetMCs();
  LLVMContext Context;
  bool Failed = false;
  Context.setDiagnosticHandler(std::make_unique<Reporter>(Failed));
  std::unique_ptr<Module> M;
  if (!survives([&] { M = read(C.Input, Context, Failed); }))
    return fail(C.Input + ": damaged: LLVM broke down reading it");
  if (!M)
    return 1;
  bool Valid = false;
  if (!survives([&] {
        siox::runPipeline(*M, C.Options);
        if (!C.Output.empty())
          split(*M);
        Valid = Failed || !verifyModule(*M, &errs());
      }))
    return fail(C.Input +
                ": broke down on it: damaged where LLVM does not look, or a fault of Siox");
  if (Failed)
    return 1;
  if (!Valid)
    return fail(C.Input + ": the pass made an invalid module");
  int Status = 0;
  if (!C.Output.empty() && !survives([&] { Status = write(*M, C); })) {
    if (C.Output != "-")
      (void)sys::fs::remove(C.Output);
    return fail(C.Input + ": damaged: LLVM broke down writing it");
  }
  return Status;
}
