// application/x-www-form-urlencoded, as payment APIs parse it: each byte that is not a letter, a
// digit or one of "-._~" becomes %XX, in the order in which the fields were given. The same fields
// make the same bytes. Pure.
#pragma once

#include <string>
#include <string_view>

namespace pawl::outbound {

std::string percent_encoded(std::string_view text);

class Form {
  public:
    Form& field(std::string_view name, std::string_view value);
    const std::string& str() const { return text_; }

  private:
    std::string text_;
};

}  // namespace pawl::outbound
