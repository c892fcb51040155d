// pawl_sqlgen: the build calls it for each folder with SQL.
//   pawl_sqlgen folder SOURCE_DIR NAME OUTPUT_DIR inside|in_files
//   pawl_sqlgen migrations SOURCE_DIR OUTPUT_DIR inside|in_files
// A file whose content would be the same is left alone, so that its dependents are not rebuilt.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "db/sqlgen/write.hpp"

namespace pawl::sqlgen {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void write(const fs::path& file, const std::string& text) {
    if (fs::exists(file) && read(file) == text) return;
    fs::create_directories(file.parent_path());
    std::ofstream out(file, std::ios::binary);
    out << text << std::flush;
    if (!out) throw std::runtime_error(file.string() + ": cannot be written; check the disk");
}

std::vector<fs::path> files_in(const fs::path& folder, std::string_view extension) {
    std::vector<fs::path> files;
    for (const fs::directory_entry& one : fs::directory_iterator(folder)) {
        if (one.path().extension() == extension) files.push_back(one.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

// Files are named from the root of the tree.
std::string named(const fs::path& file, const fs::path& root) {
    return file.lexically_relative(root).generic_string();
}

Folder read_folder(const fs::path& root, const std::string& name) {
    Folder folder{name, {}, {}};
    const fs::path sql = root / name / "sql";
    for (const fs::path& file : files_in(sql, ".row")) {
        RowType row = parse_row(named(file, root), read(file));
        folder.rows.emplace(row.name, std::move(row));
    }
    for (const fs::path& file : files_in(sql, ".sql")) {
        folder.statements.push_back(parse_statement(named(file, root), read(file), folder.rows));
    }
    return folder;
}

void generate_folder(const fs::path& root, const std::string& name, const fs::path& output,
                     Texts texts) {
    const Folder folder = read_folder(root, name);
    const fs::path own = output / name;
    write(own / "sql.hpp", header_of(folder));
    write(own / "sql.cpp", source_of(folder, texts));
    if (texts == Texts::inside) return;
    for (const Statement& statement : folder.statements) {
        write(own / "sql" / (statement.name + ".sql"), statement.text);
    }
}

void generate_migrations(const fs::path& root, const fs::path& output, Texts texts) {
    std::vector<Script> scripts;
    for (const fs::path& file : files_in(root / "migrations", ".sql")) {
        const std::string copy = "generated/migrations/" + file.filename().string();
        scripts.push_back({file.stem().string(), copy, read(file)});
        if (texts == Texts::in_files) {
            write(output / "migrations" / file.filename(), scripts.back().text);
        }
    }
    write(output / "db" / "migrations.cpp", migrations_of(scripts, texts));
}

int run(const std::vector<std::string>& arguments) {
    const std::string form = arguments.empty() ? "" : arguments.back();
    const Texts texts = form == "in_files" ? Texts::in_files : Texts::inside;
    if (arguments.size() == 5 && arguments[0] == "folder") {
        generate_folder(arguments[1], arguments[2], arguments[3], texts);
    } else if (arguments.size() == 4 && arguments[0] == "migrations") {
        generate_migrations(arguments[1], arguments[2], texts);
    } else {
        std::cerr << "pawl_sqlgen: wrong arguments; see the head of db/sqlgen/main.cpp\n";
        return 2;
    }
    return 0;
}

}  // namespace
}  // namespace pawl::sqlgen

int main(int argc, char** argv) {
    try {
        return pawl::sqlgen::run({argv + 1, argv + argc});
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
