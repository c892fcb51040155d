// Findings of a rule: place, violation, remedy. A plain value.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace pawl::tidy {

struct Finding {
    std::string path;
    std::size_t line = 1;
    std::string what;
    std::string remedy;
};

class Report {
  public:
    void add(std::string path, std::size_t line, std::string what, std::string remedy) {
        findings_.push_back({std::move(path), line, std::move(what), std::move(remedy)});
    }
    bool empty() const { return findings_.empty(); }
    const std::vector<Finding>& findings() const { return findings_; }
    std::string text() const {
        std::string all;
        for (const Finding& one : findings_) {
            all += "\n" + one.path + ":" + std::to_string(one.line) + ": " + one.what + ". " +
                   one.remedy + ".";
        }
        return all;
    }

  private:
    std::vector<Finding> findings_;
};

}  // namespace pawl::tidy
