// Taking files apart: comments, literals, functions.
#include <gtest/gtest.h>

#include "tests/tidy/cpp_text.hpp"
#include "tests/tidy/functions.hpp"
#include "tests/tidy/sql_text.hpp"

namespace pawl::tidy {
namespace {

TEST(CppText, CommentsAndLiteralsAreSeparatedFromCode) {
    const CppText text =
        take_apart("int a = 1; // one \"x\"\nf(\"b // no\", 'c'); /* d\ne */ g();");
    ASSERT_EQ(text.code.size(), 3U);
    EXPECT_EQ(text.code[0].find("one"), std::string::npos);
    EXPECT_NE(text.comments[0].find("one \"x\""), std::string::npos);
    EXPECT_NE(text.code[2].find("g();"), std::string::npos);
    ASSERT_EQ(text.literals.size(), 2U);
    EXPECT_EQ(text.literals[0].text, "b // no");
    EXPECT_EQ(text.literals[0].line, 2U);
}

TEST(CppText, NeighbouringLiteralsAreOne) {
    const CppText text = take_apart("x = \"a\"\n    \"b\";\ny = \"c\";");
    ASSERT_EQ(text.literals.size(), 2U);
    EXPECT_EQ(text.literals[0].text, "ab");
    EXPECT_EQ(text.literals[1].text, "c");
}

TEST(CppText, RawLiteralsEndWhereTheySay) {
    const CppText text = take_apart("x = R\"sql(a \" ) // b\nc)sql\"; int y;");
    ASSERT_EQ(text.literals.size(), 1U);
    EXPECT_EQ(text.literals[0].text, "a \" ) // b\nc");
    EXPECT_NE(text.code[1].find("int y;"), std::string::npos);
}

TEST(CppText, SeparatorsOfDigitsAndEscapedQuotesEndNothing) {
    const CppText text = take_apart("int x = 10'000; auto s = \"a\\\"b\"; char q = '\\''; int z;");
    ASSERT_EQ(text.literals.size(), 2U);
    EXPECT_EQ(text.literals[0].text, "a\\\"b");
    EXPECT_NE(text.code[0].find("int z;"), std::string::npos);
}

std::string found(const std::string& text) {
    std::string all;
    for (const Function& function : functions_of(take_apart(text))) {
        all += function.name + "@" + std::to_string(function.line) + "+" +
               std::to_string(function.lines) + " ";
    }
    return all;
}

TEST(Functions, AreFoundInNamespacesAndClasses) {
    EXPECT_EQ(found("namespace a {\nint f() {\n    return 1;\n}\n}\n"), "f@2+3 ");
    EXPECT_EQ(found("class A : public B {\n  public:\n    int f() const { return x_; }\n};\n"),
              "f@3+1 ");
    EXPECT_EQ(found("template <class T = int>\nauto f(T x) -> decltype(g(x)) {\n    g(x);\n}\n"),
              "f@1+4 ");
    EXPECT_EQ(found("bool operator==(const A& a) {\n    return true;\n}\n"), "operator==@1+3 ");
}

TEST(Functions, ConstructorsMayInitialiseWithBraces) {
    EXPECT_EQ(found("A::A(int x)\n    : a_{x},\n      b_{1, 2} {\n    go();\n}\n"), "A::A@1+5 ");
    EXPECT_EQ(found("A::A() : b_(f({1})) {}\nint y;\nvoid g() {\n}\n"), "A::A@1+1 g@3+2 ");
}

TEST(Functions, DataIsNotAFunction) {
    EXPECT_EQ(found("const int a[] = {1, 2};\nconst B b{f(1), 2};\nenum class C { x, y };\n"), "");
    EXPECT_EQ(found("struct D {\n    int x = f(1);\n    E e{};\n};\n"), "");
    EXPECT_EQ(found("#define F(x) \\\n    void x() { \\\n    }\nINSTANTIATE(A, b(C{1}));\n"), "");
}

TEST(Functions, LambdasBelongToTheFunctionAroundThem) {
    EXPECT_EQ(
        found("TEST(A, BC) {\n    const auto f = [](int x) {\n        return x;\n    };\n}\n"),
        "TEST(A, BC)@1+5 ");
}

TEST(SqlText, QuotesAndCommentsHoldNoWords) {
    std::string all;
    for (const SqlWord& word :
         sql_words("-- no;\nselect $1, 'it''s; x', \"A b\", $$ no; $$, $q$ $$ $q$ /* ; */\n;")) {
        all += word.text + "@" + std::to_string(word.line) + " ";
    }
    EXPECT_EQ(all, "SELECT@2 $@2 1@2 ,@2 '@2 '@2 ,@2 \"@2 ,@2 $$@2 ,@2 $$@2 ;@3 ");
}

}  // namespace
}  // namespace pawl::tidy
