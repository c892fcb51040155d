// The answer of `pawl import captures`: lines, or one JSON object, printed a part at a time,
// because a file may have more lines than fit into memory. Owned by the command; one thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/cli.hpp"
#include "intents/import/import_captures.hpp"

namespace pawl::app {

struct ImportOptions {
    std::string file, reason;
    bool apply = false, as_json = false;
};

class ImportAnswer {
  public:
    ImportAnswer(const ImportOptions& options, const Context& context)
        : options_(options), out_(context.out), err_(context.err) {}

    // The whole answer where lines are bad.
    void faults(const intents::FileSummary& summary) const;

    void begin(const intents::FileSummary& summary, const std::vector<std::string>& warnings) const;
    void left_out(const intents::LeftOut& one);
    // `complete`: the whole file was read. Returns the exit code.
    int end(std::int64_t imported, bool complete) const;

  private:
    void show_sums(const intents::FileSummary& summary) const;

    const ImportOptions& options_;
    const Terminal& out_;
    const Terminal& err_;
    std::int64_t skipped_ = 0, refused_ = 0;
    bool first_ = true;
};

}  // namespace pawl::app
