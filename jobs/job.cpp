#include "jobs/job.hpp"

#include <charconv>

namespace pawl::jobs {

std::string to_text(const JobKey& key) {
    const std::string id = std::to_string(key.id);
    return key.target.empty() ? id : id + "." + key.target;
}

std::optional<JobKey> parse_job_key(std::string_view text) {
    JobKey key;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), key.id);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) return key;
    if (text.front() != '.' || text.size() == 1) return std::nullopt;
    key.target = text.substr(1);
    return key;
}

}  // namespace pawl::jobs
