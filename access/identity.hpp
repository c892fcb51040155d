// The caller that a token stands for. Plain values.
#pragma once

#include <string>

namespace pawl::access {

enum class TokenRole { api, viewer, operating };

struct TokenIdentity {
    std::string name;  // principal; stays when its token is rotated
    TokenRole role = TokenRole::viewer;
};

}  // namespace pawl::access
