#include "settings/suggest.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace pawl::app {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    // Rows i-2, i-1 and i of the usual table; the oldest is needed for swaps.
    std::vector<std::size_t> older(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, change});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], older[j - 2] + 1);
        }
        std::swap(older, above);
        std::swap(above, row);
    }
    return above[b.size()];
}

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
    std::string best;
    // A third of the word may be wrong: more than that is another word.
    std::size_t limit = std::max<std::size_t>(1, word.size() / 3) + 1;
    for (const std::string& candidate : known) {
        const std::size_t distance = edit_distance(word, candidate);
        if (distance < limit) {
            limit = distance;
            best = candidate;
        }
    }
    return best;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
    const std::string near = nearest(word, known);
    if (!near.empty()) return fmt::format("did you mean \"{}\"?", near);
    return "known are " + join(known);
}

std::string join(const std::vector<std::string>& words, std::string_view separator) {
    std::string text;
    for (const std::string& word : words) {
        if (!text.empty()) text += separator;
        text += word;
    }
    return text;
}

std::vector<std::string> split(std::string_view text, std::string_view separator) {
    std::vector<std::string> words;
    while (!text.empty()) {
        const std::size_t cut = text.find(separator);
        words.emplace_back(text.substr(0, cut));
        if (cut == std::string_view::npos) break;
        text.remove_prefix(cut + separator.size());
    }
    return words;
}

}  // namespace pawl::app
