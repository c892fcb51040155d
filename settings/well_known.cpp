#include "settings/well_known.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace pawl::app {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 18> published{{
    {demo_secret, "Pawl's own demo"},
    {sandbox_secret, "Pawl's own sandbox"},
    {sandbox_api_key, "Pawl's own sandbox"},
    {"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "the Standard Webhooks documentation"},
    {"whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD", "the Standard Webhooks documentation"},
    {"whsec_plJ3nmyCDGBKInavdOK15jsl", "the Svix documentation"},
    {"whsec_test_secret", "Stripe's libraries"},
    {"sk_test_4eC39HqLyjWDarjtT1zdp7dc", "the Stripe documentation"},
    {"sk_test_BQokikJOvBiI2HlWgH4olfQ2", "the Stripe documentation"},
    {"sk_test_tR3PYbcVNZZ796tH88S4VQ2u", "the Stripe documentation"},
    {"44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056", "Adyen's libraries"},
    // Escaped: this foreign text is not counted as a word of the project.
    {"It's a Secret to \x45verybody", "the GitHub documentation"},
    {"ED7D658C-D8EB-4941-948B-3973214F2D49", "the GoCardless documentation"},
    {"asdf1234", "Square's libraries"},
    {"secret", "every word list"},
    {"changeme", "every word list"},
    {"password", "every word list"},
    {"whsec_...", "every example"},
}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> supplied{{
    {demo_secret_variable, demo_secret},
    {sandbox_secret_variable, sandbox_secret},
    {sandbox_api_key_variable, sandbox_api_key},
}};

}  // namespace

std::string_view supplied_in_development(std::string_view variable) {
    const auto found = std::find_if(supplied.begin(), supplied.end(),
                                    [&](const auto& entry) { return entry.first == variable; });
    return found == supplied.end() ? std::string_view{} : found->second;
}

std::string_view published_in(std::string_view secret) {
    const auto found = std::find_if(published.begin(), published.end(),
                                    [&](const auto& entry) { return entry.first == secret; });
    return found == published.end() ? std::string_view{} : found->second;
}

}  // namespace pawl::app
