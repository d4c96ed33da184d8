// What a valid transaction is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

struct Transaction {
    std::int64_t value; // cents, 1 or more
    char kind;          // `c` for a credit, `d` for a debit
    std::string text;   // 1 to 10 characters

    std::int64_t change() const { return kind == 'd' ? -value : value; }
};

// PostgreSQL keeps no NUL in a text. Every byte of a character in UTF-8 but the first begins with 10.
inline bool is_text(const std::string& text) {
    auto begins = [](char byte) { return (byte & 0xC0) != 0x80; };
    return !text.empty() && text.find('\0') == text.npos && std::ranges::count_if(text, begins) <= 10;
}

// The transaction of a body, unless it breaks a rule. JSON's positive integers are read as unsigned.
inline std::optional<Transaction> read_transaction(const std::string& body) {
    auto fields = nlohmann::json::parse(body, nullptr, false);
    if (!fields.is_object()) return std::nullopt;
    const auto &valor = fields["valor"], &tipo = fields["tipo"], &descricao = fields["descricao"];
    if (!valor.is_number_unsigned() || !tipo.is_string() || !descricao.is_string()) return std::nullopt;
    auto value = valor.get<std::uint64_t>();
    auto kind = tipo.get<std::string>(), text = descricao.get<std::string>();
    bool is_value = value > 0 && value <= std::numeric_limits<std::int64_t>::max();
    if (!is_value || (kind != "c" && kind != "d") || !is_text(text)) return std::nullopt;
    return Transaction{static_cast<std::int64_t>(value), kind[0], text};
}
