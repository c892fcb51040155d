# Calls db/sqlgen while the tree is built: FOLDER/sql/*.sql and *.row become "FOLDER/sql.hpp", with
# a struct for each statement, and one source file with all texts of the folder. An edit of a text
# compiles that file again and links; CMake runs again only where a file comes or goes.
#
# PAWL_SQL_AT_RUN_TIME is for `make mutations` alone: the programs of build/dev read the generated
# texts when they start, so that an edit of SQL compiles nothing.
option(PAWL_SQL_AT_RUN_TIME "Programs read their SQL from the build folder (make mutations)" OFF)
if(PAWL_SQL_AT_RUN_TIME)
    set(pawl_sql_texts in_files)
else()
    set(pawl_sql_texts inside)
endif()

# Sets ${generated}: the sources to compile; empty where the folder has no SQL.
function(pawl_generate_sql name generated)
    set(${generated} "" PARENT_SCOPE)
    file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/sql/*.sql
         ${CMAKE_CURRENT_SOURCE_DIR}/sql/*.row)
    if(NOT files)
        return()
    endif()
    set(output ${PROJECT_BINARY_DIR}/generated)
    add_custom_command(
        OUTPUT ${output}/${name}/sql.hpp ${output}/${name}/sql.cpp
        COMMAND pawl_sqlgen folder ${PROJECT_SOURCE_DIR} ${name} ${output} ${pawl_sql_texts}
        DEPENDS pawl_sqlgen ${files}
        COMMENT "Generating ${name}/sql.hpp" VERBATIM)
    set(${generated} ${output}/${name}/sql.cpp ${output}/${name}/sql.hpp PARENT_SCOPE)
endfunction()

# The migrations travel inside the program, so that a binary and its schema cannot be mismatched.
function(pawl_generate_migrations generated)
    file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/migrations/[0-9]*.sql)
    set(output ${PROJECT_BINARY_DIR}/generated)
    add_custom_command(
        OUTPUT ${output}/db/migrations.cpp
        COMMAND pawl_sqlgen migrations ${PROJECT_SOURCE_DIR} ${output} ${pawl_sql_texts}
        DEPENDS pawl_sqlgen ${files}
        COMMENT "Generating db/migrations.cpp" VERBATIM)
    set(${generated} ${output}/db/migrations.cpp PARENT_SCOPE)
endfunction()
