#include "tests/integration/capturing.hpp"

#include "payments/sums.hpp"

namespace pawl::workflows {

Capturing::Allocated Capturing::try_capture(const payments::Payment& of,
                                            std::optional<std::int64_t> amount, bool final) {
    Allocated allocated = payments::NotCapturable{};
    db::in_transaction(session, [&](db::Transaction& transaction) {
        const payments::NewCapture wanted{payments::new_capture_id(), amount, final,
                                          CorrelationId("c")};
        allocated = payments::allocate_capture(transaction, of, wanted, clock.now());
        const auto* made = std::get_if<payments::Capture>(&allocated);
        if (made != nullptr) start_capture(transaction, *made, of, clock.now());
    });
    return allocated;
}

payments::Capture Capturing::capture(const std::string& id) {
    db::Transaction transaction(session);
    return payments::find_capture(transaction, id).value();
}

bool Capturing::cancel(const payments::Payment& payment) {
    bool accepted = false;
    db::in_transaction(session, [&](db::Transaction& transaction) {
        accepted = request_cancel(transaction, payment, clock.now());
    });
    return accepted;
}

std::int64_t Capturing::due(const std::string& order) {
    db::Transaction transaction(session);
    return payments::sum_up(payments::find_order(transaction, order).value(),
                            payments::payments_of(transaction, order))
        .due;
}

}  // namespace pawl::workflows
