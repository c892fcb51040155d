// Verifies the authenticity of a delivery: the signature over the raw bytes first, then its age at
// the moment of arrival. A pure function of its arguments.
#pragma once

#include <string>
#include <vector>

#include "providers/event.hpp"
#include "providers/scheme.hpp"

namespace pawl::providers {

// Ordered by the progress of verification: of several refusals the furthest is reported.
enum class Diagnosis {
    header_missing,
    header_malformed,
    wrong_secret,  // or forged, or altered in a way that leaves no trace: these look the same
    body_altered,  // the signature fits a re-formatted version of the body
    timestamp_too_old,
    timestamp_in_future,
    authentic,
};
std::string_view to_text(Diagnosis diagnosis);  // "ok" for authentic

struct Verification {
    Diagnosis diagnosis = Diagnosis::header_missing;
    std::string detail;  // a sentence for operators
    bool authentic() const { return diagnosis == Diagnosis::authentic; }
};

Verification verify(const Scheme& scheme, const Delivery& delivery);

// By any of them; every scheme of a provider has keys of its own.
Verification verify(const std::vector<Scheme>& schemes, const Delivery& delivery);

}  // namespace pawl::providers
