#include "controllers/http/http_edge_mailbox.hpp"

namespace pawl::http {

void Mailbox::post(std::function<void()> work) {
    if (trantor::EventLoop::getEventLoopOfCurrentThread() == loop_) return work();
    {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(work));
        if (waiting_.size() > 1) return;  // the first one has woken it
    }
    if (!wake()) work_off();
}

bool Mailbox::wake() {
    const std::shared_lock lock(lifeline_->mutex);
    if (!lifeline_->open) return false;
    loop_->queueInLoop([self = shared_from_this()] { self->work_off(); });
    return true;
}

void Mailbox::work_off() {
    std::vector<std::function<void()>> all;
    {
        const std::lock_guard lock(mutex_);
        all.swap(waiting_);
    }
    for (const auto& work : all) work();
}

}  // namespace pawl::http
