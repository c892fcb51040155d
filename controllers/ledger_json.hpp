// Balances and transfers as JSON: the same for operators and for merchants. Pure.
#pragma once

#include "base/json.hpp"
#include "ledger/views.hpp"

namespace pawl::http {

void write(json::Writer& out, const ledger::BalanceRow& row);
void write(json::Writer& out, const ledger::TransferRow& row);

template <class Rows>
void write_all(json::Writer& out, const char* name, const Rows& rows) {
    out.key(name).begin_array();
    for (const auto& row : rows) write(out, row);
    out.end_array();
}

}  // namespace pawl::http
