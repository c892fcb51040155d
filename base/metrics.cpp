#include "base/metrics.hpp"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>

namespace pawl {
namespace {

std::string number(double value) {
    if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
    if (std::isnan(value)) return "NaN";
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string escaped(std::string_view text, bool quotes_too) {
    std::string out;
    for (const char c : text) {
        if (c == '\n') {
            out += "\\n";
            continue;
        }
        if (c == '\\' || (quotes_too && c == '"')) out += '\\';
        out += c;
    }
    return out;
}

// {a="x",b="y"}, or nothing where there is no label.
std::string label_set(const std::vector<std::string>& names, const std::vector<std::string>& values,
                      const std::string& extra = "") {
    std::string out;
    for (std::size_t i = 0; i < names.size() && i < values.size(); ++i) {
        if (!out.empty()) out += ',';
        out.append(names[i]).append("=\"").append(escaped(values[i], true)).append("\"");
    }
    if (!extra.empty()) out.append(out.empty() ? "" : ",").append(extra);
    return out.empty() ? out : "{" + out + "}";
}

void sample(std::string& page, const std::string& name, const std::string& labels,
            const std::string& value) {
    page.append(name).append(labels).append(" ").append(value).append("\n");
}

void render_histogram(std::string& page, const std::string& name,
                      const std::vector<std::string>& names, const std::vector<std::string>& values,
                      const Histogram& histogram) {
    std::uint64_t total = 0;  // buckets are cumulative on the page
    for (std::size_t i = 0; i <= histogram.bounds().size(); ++i) {
        total += histogram.count_in(i);
        const std::string bound =
            i < histogram.bounds().size() ? number(histogram.bounds()[i]) : "+Inf";
        sample(page, name + "_bucket", label_set(names, values, "le=\"" + bound + "\""),
               std::to_string(total));
    }
    const std::string labels = label_set(names, values);
    sample(page, name + "_sum", labels, number(histogram.sum()));
    sample(page, name + "_count", labels, std::to_string(total));
}

void head(std::string& page, const std::string& name, const std::string& help, const char* type) {
    page.append("# HELP ").append(name).append(" ").append(escaped(help, false)).append("\n");
    page.append("# TYPE ").append(name).append(" ").append(type).append("\n");
}

}  // namespace

Histogram::Histogram(std::vector<double> upper_bounds)
    : bounds_(std::move(upper_bounds)),
      counts_(std::make_unique<std::atomic<std::uint64_t>[]>(bounds_.size() + 1)) {
    assert(std::is_sorted(bounds_.begin(), bounds_.end()));
}

void Histogram::observe(double value) {
    const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
    counts_[static_cast<std::size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
    sum_.fetch_add(value, std::memory_order_relaxed);
}

std::uint64_t Histogram::count_in(std::size_t bucket) const {
    return counts_[bucket].load(std::memory_order_relaxed);
}

std::vector<double> seconds_buckets() {
    return {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
            0.05,   0.1,     0.25,   0.5,   1,      2.5,   5,    10};
}

Metrics::Entry& Metrics::entry(const std::string& name, const std::string& help, Labels labels) {
    Entry& found = entries_[name];
    if (found.help.empty()) {
        found.help = help;
        found.labels = std::move(labels);
    } else {
        assert(found.labels == labels && "one name, one set of labels");
    }
    return found;
}

Family<Counter>& Metrics::counter(const std::string& name, const std::string& help, Labels labels) {
    std::lock_guard lock(mutex_);
    const std::size_t count = labels.size();
    Entry& e = entry(name, help, std::move(labels));
    if (!e.counters) {
        e.counters =
            std::make_unique<Family<Counter>>(count, [] { return std::make_unique<Counter>(); });
    }
    if (count == 0) e.counters->alone();  // so that it is on the page from the start, as 0
    return *e.counters;
}

Family<Gauge>& Metrics::gauge(const std::string& name, const std::string& help, Labels labels) {
    std::lock_guard lock(mutex_);
    const std::size_t count = labels.size();
    Entry& e = entry(name, help, std::move(labels));
    if (!e.gauges) {
        e.gauges = std::make_unique<Family<Gauge>>(count, [] { return std::make_unique<Gauge>(); });
    }
    if (count == 0) e.gauges->alone();
    return *e.gauges;
}

Family<Histogram>& Metrics::histogram(const std::string& name, const std::string& help,
                                      std::vector<double> upper_bounds, Labels labels) {
    std::lock_guard lock(mutex_);
    const std::size_t count = labels.size();
    Entry& e = entry(name, help, std::move(labels));
    if (!e.histograms) {
        e.histograms = std::make_unique<Family<Histogram>>(
            count,
            [bounds = std::move(upper_bounds)] { return std::make_unique<Histogram>(bounds); });
    }
    if (count == 0) e.histograms->alone();
    return *e.histograms;
}

void Metrics::gauges_from(const std::string& name, const std::string& help, Labels labels,
                          std::function<Samples()> read) {
    std::lock_guard lock(mutex_);
    entry(name, help, std::move(labels)).read = std::move(read);
}

void Metrics::gauge_from(const std::string& name, const std::string& help,
                         std::function<double()> value) {
    gauges_from(name, help, {}, [value = std::move(value)] { return Samples{{{}, value()}}; });
}

void Metrics::render_entry(std::string& page, const std::string& name, const Entry& entry) {
    if (entry.counters) {
        head(page, name, entry.help, "counter");
        entry.counters->each([&](const Labels& values, const Counter& counter) {
            sample(page, name, label_set(entry.labels, values), std::to_string(counter.value()));
        });
    }
    if (entry.gauges || entry.read) head(page, name, entry.help, "gauge");
    if (entry.gauges) {
        entry.gauges->each([&](const Labels& values, const Gauge& gauge) {
            sample(page, name, label_set(entry.labels, values), number(gauge.value()));
        });
    }
    if (entry.read) {
        for (const auto& [values, value] : entry.read()) {
            sample(page, name, label_set(entry.labels, values), number(value));
        }
    }
    if (entry.histograms) {
        head(page, name, entry.help, "histogram");
        entry.histograms->each([&](const Labels& values, const Histogram& histogram) {
            render_histogram(page, name, entry.labels, values, histogram);
        });
    }
}

std::string Metrics::render() const {
    std::lock_guard lock(mutex_);
    std::string page;
    for (const auto& [name, entry] : entries_) render_entry(page, name, entry);
    return page;
}

}  // namespace pawl
