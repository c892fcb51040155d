// The program's counters and gauges, and their text for Prometheus (format 0.0.4). Made once by the
// wiring and passed in. Counting is one atomic operation on an object that the caller keeps; only
// looking up a label combination takes a lock. Safe from every thread; the objects of a Metrics
// live as long as the Metrics.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl {

class Counter {
  public:
    void add(std::uint64_t by = 1) { value_.fetch_add(by, std::memory_order_relaxed); }
    std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

  private:
    std::atomic<std::uint64_t> value_{0};
};

class Gauge {
  public:
    void set(double value) { value_.store(value, std::memory_order_relaxed); }
    void add(double by) { value_.fetch_add(by, std::memory_order_relaxed); }
    double value() const { return value_.load(std::memory_order_relaxed); }

  private:
    std::atomic<double> value_{0};
};

class Histogram {
  public:
    explicit Histogram(std::vector<double> upper_bounds);  // rising; +Inf is added
    void observe(double value);
    const std::vector<double>& bounds() const { return bounds_; }
    std::uint64_t count_in(std::size_t bucket) const;  // count in this bucket alone
    double sum() const { return sum_.load(std::memory_order_relaxed); }

  private:
    std::vector<double> bounds_;
    std::unique_ptr<std::atomic<std::uint64_t>[]> counts_;
    std::atomic<double> sum_{0};
};

// For times from a tenth of a millisecond to ten seconds.
std::vector<double> seconds_buckets();

// All the label combinations of one name. Their number is bounded: a label that an outsider can
// choose must not eat the memory, so combinations past the limit are counted together, as "other".
template <class Metric>
class Family {
  public:
    static constexpr std::size_t combinations_max = 1000;
    using Make = std::function<std::unique_ptr<Metric>()>;

    Family(std::size_t label_count, Make make)
        : label_count_(label_count), make_(std::move(make)) {}

    Metric& with(const std::vector<std::string>& values) {
        {
            std::shared_lock lock(mutex_);
            if (const auto found = children_.find(values); found != children_.end()) {
                return *found->second;
            }
        }
        std::unique_lock lock(mutex_);
        const bool full = children_.size() >= combinations_max;
        auto& child = children_[full ? std::vector<std::string>(label_count_, "other") : values];
        if (!child) child = make_();
        return *child;
    }
    Metric& alone() { return with({}); }  // the one of a family without labels

    template <class Visit>
    void each(Visit visit) const {
        std::shared_lock lock(mutex_);
        for (const auto& [values, child] : children_) visit(values, *child);
    }

  private:
    const std::size_t label_count_;
    const Make make_;
    mutable std::shared_mutex mutex_;
    std::map<std::vector<std::string>, std::unique_ptr<Metric>> children_;
};

class Metrics {
  public:
    using Labels = std::vector<std::string>;

    // Asking again for a name gives the same family; the labels must be the same.
    Family<Counter>& counter(const std::string& name, const std::string& help, Labels labels = {});
    Family<Gauge>& gauge(const std::string& name, const std::string& help, Labels labels = {});
    Family<Histogram>& histogram(const std::string& name, const std::string& help,
                                 std::vector<double> upper_bounds, Labels labels = {});
    using Samples = std::vector<std::pair<Labels, double>>;
    // Gauges whose values are computed while the page is rendered; `read` must not block.
    void gauges_from(const std::string& name, const std::string& help, Labels labels,
                     std::function<Samples()> read);
    void gauge_from(const std::string& name, const std::string& help,
                    std::function<double()> value);  // one, without labels

    std::string render() const;

  private:
    struct Entry {
        std::string help;
        Labels labels;
        std::unique_ptr<Family<Counter>> counters;
        std::unique_ptr<Family<Gauge>> gauges;
        std::unique_ptr<Family<Histogram>> histograms;
        std::function<Samples()> read;
    };
    Entry& entry(const std::string& name, const std::string& help, Labels labels);
    static void render_entry(std::string& page, const std::string& name, const Entry& entry);

    mutable std::mutex mutex_;
    std::map<std::string, Entry> entries_;
};

}  // namespace pawl
