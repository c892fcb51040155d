# Turns FOLDER/sql/*.sql into typed constants: ledger/sql/post_transfers.sql becomes
# pawl::ledger::sql::post_transfers in the generated header "ledger/sql.hpp". Every query is also
# listed in pawl::ledger::sql::all, which a test PREPAREs against the migrated schema.
function(pawl_embed_sql name generated)
    set(${generated} "" PARENT_SCOPE)
    file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/sql/*.sql)
    if(NOT files)
        return()
    endif()
    set(constants "")
    set(names "")
    foreach(file ${files})
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
        get_filename_component(query ${file} NAME_WE)
        file(READ ${file} text)
        string(APPEND constants
            "inline constexpr db::Query ${query}{\"${name}_${query}\", R\"sql(${text})sql\"};\n")
        list(APPEND names "&${query}")
    endforeach()
    list(JOIN names ", " listed)
    list(LENGTH names count)
    set(header ${PROJECT_BINARY_DIR}/generated/${name}/sql.hpp)
    file(CONFIGURE OUTPUT ${header} @ONLY CONTENT
"// Generated from ${name}/sql/*.sql; edit those.
#pragma once
#include \"db/query.hpp\"
namespace pawl::${name}::sql {
${constants}inline constexpr const db::Query* all[] = {${listed}};
}  // namespace pawl::${name}::sql
")
endfunction()

# The migrations travel inside the program, so that a binary and its schema cannot be mismatched:
# "db/migrations_embedded.hpp" lists name and text of every migrations/NNNN_name.sql in order.
function(pawl_embed_migrations folder)
    file(GLOB files CONFIGURE_DEPENDS ${folder}/[0-9]*.sql)
    list(SORT files)
    set(entries "")
    foreach(file ${files})
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
        get_filename_component(name ${file} NAME_WE)
        file(READ ${file} text)
        string(APPEND entries "    {\"${name}\", R\"sql(${text})sql\"},\n")
    endforeach()
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/db/migrations_embedded.hpp @ONLY CONTENT
"// Generated from migrations/*.sql; edit those.
#pragma once
#include \"db/migration.hpp\"
namespace pawl::db {
inline constexpr Migration embedded_migrations[] = {
${entries}};
}  // namespace pawl::db
")
endfunction()
