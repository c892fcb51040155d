#include "tests/support/describe.hpp"

#include <libpq-fe.h>

#include <map>
#include <stdexcept>

namespace pawl::testing {
namespace {

using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

// Type numbers never change. A number that is missing here is of a type that no file declares.
std::string type_of(Oid number) {
    static const std::map<Oid, std::string> known{
        {16, "boolean"},  {17, "bytea"},      {20, "bigint"},        {23, "integer"},
        {25, "text"},     {114, "json"},      {1000, "boolean[]"},   {1001, "bytea[]"},
        {1009, "text[]"}, {1016, "bigint[]"}, {1184, "timestamptz"}, {1185, "timestamptz[]"},
        {3802, "jsonb"}};
    const auto found = known.find(number);
    return found == known.end() ? "type " + std::to_string(number) : found->second;
}

bool joins_outwards(std::string_view text) {
    return text.find("LEFT JOIN") != text.npos || text.find("FULL JOIN") != text.npos;
}

}  // namespace

struct Describer::State {
    PGconn* connection = nullptr;

    Result checked(PGresult* raw) const {
        Result result(raw, PQclear);
        const auto status = PQresultStatus(raw);
        if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return result;
        throw std::runtime_error(PQerrorMessage(connection));
    }

    // The catalog does not state it for columns of views.
    std::optional<bool> not_null(Oid table, int column) const {
        if (table == InvalidOid) return std::nullopt;
        const std::string asked =
            "SELECT attnotnull FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid WHERE "
            "relkind IN ('r', 'p') AND attnum = " +
            std::to_string(column) + " AND attrelid = " + std::to_string(table);
        const Result found = checked(PQexec(connection, asked.c_str()));
        if (PQntuples(found.get()) == 0) return std::nullopt;
        return *PQgetvalue(found.get(), 0, 0) == 't';
    }
};

Describer::Describer(const TestDatabase& database) : state_(std::make_unique<State>()) {
    state_->connection = PQconnectdb(database.url().c_str());
    state_->checked(PQexec(state_->connection, "SET search_path = pawl, pg_temp"));
}

Describer::~Describer() {
    PQfinish(state_->connection);
}

Description Describer::describe(std::string_view text) {
    PGconn* connection = state_->connection;
    state_->checked(PQprepare(connection, "", std::string(text).c_str(), 0, nullptr));
    const Result result = state_->checked(PQdescribePrepared(connection, ""));
    Description description;
    for (int i = 0; i < PQnparams(result.get()); ++i) {
        description.parameters.push_back(type_of(PQparamtype(result.get(), i)));
    }
    for (int i = 0; i < PQnfields(result.get()); ++i) {
        description.columns.push_back(
            {PQfname(result.get(), i), type_of(PQftype(result.get(), i)),
             state_->not_null(PQftable(result.get(), i), PQftablecol(result.get(), i))});
    }
    return description;
}

std::vector<std::string> differences(const db::Query& query, const Description& described) {
    std::vector<std::string> found;
    const auto count = [&](const char* what, std::size_t declared, std::size_t there) {
        if (declared == there) return true;
        found.push_back(std::string(what) + ": " + std::to_string(declared) + " declared, " +
                        std::to_string(there) + " described");
        return false;
    };
    if (count("parameters", query.takes.size(), described.parameters.size())) {
        for (std::size_t i = 0; i < query.takes.size(); ++i) {
            if (query.takes[i].type == described.parameters[i]) continue;
            found.push_back("parameter " + std::string(query.takes[i].name) + ": is " +
                            described.parameters[i]);
        }
    }
    if (query.rows == db::Query::Rows::ignored) return found;
    if (!count("columns", query.gives.size(), described.columns.size())) return found;
    for (std::size_t i = 0; i < query.gives.size(); ++i) {
        const db::DeclaredValue& declared = query.gives[i];
        const DescribedColumn& column = described.columns[i];
        const std::string name(declared.name);
        if (name != column.name) found.push_back("column " + name + ": is called " + column.name);
        if (declared.type != column.type) found.push_back("column " + name + ": is " + column.type);
        if (!column.not_null) continue;
        if (!*column.not_null && !declared.nullable) {
            found.push_back("column " + name + ": can be NULL; declare it with null");
        }
        if (*column.not_null && declared.nullable && !joins_outwards(query.text)) {
            found.push_back("column " + name + ": is NOT NULL; declare it without null");
        }
    }
    return found;
}

}  // namespace pawl::testing
