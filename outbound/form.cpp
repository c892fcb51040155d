#include "outbound/form.hpp"

namespace pawl::outbound {
namespace {

bool unreserved(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

}  // namespace

std::string percent_encoded(std::string_view text) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string encoded;
    encoded.reserve(text.size());
    for (const char c : text) {
        if (unreserved(c)) {
            encoded += c;
            continue;
        }
        encoded += '%';
        encoded += digits[static_cast<unsigned char>(c) >> 4U];
        encoded += digits[static_cast<unsigned char>(c) & 15U];
    }
    return encoded;
}

Form& Form::field(std::string_view name, std::string_view value) {
    if (!text_.empty()) text_ += '&';
    text_ += percent_encoded(name) + "=" + percent_encoded(value);
    return *this;
}

}  // namespace pawl::outbound
