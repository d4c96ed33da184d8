// What a valid person is.
#pragma once

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>

#include <boost/beast/http/status.hpp>
#include <nlohmann/json.hpp>

// A request that is answered by nothing but this status.
struct Refused {
    boost::beast::http::status status;
};

struct Person {
    std::string apelido, nome, nascimento;
    std::optional<std::string> stack; // as PostgreSQL writes an array
};

// PostgreSQL keeps no NUL in a text. Every byte of UTF-8 but the first of a character begins with 10.
inline bool fits(std::string_view text, std::ptrdiff_t characters_max) {
    auto begins = [](char byte) { return (byte & 0xC0) != 0x80; };
    return !text.empty() && text.find('\0') == text.npos && std::ranges::count_if(text, begins) <= characters_max;
}

// Whether a text is YYYY-MM-DD, and that day exists.
inline bool is_date(const std::string& text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (at == 4 || at == 7 ? text[at] != '-' : !std::isdigit(static_cast<unsigned char>(text[at]))) return false;
    }
    if (text.size() != 10) return false;
    int year = std::stoi(text), month = std::stoi(text.substr(5)), day = std::stoi(text.substr(8));
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    int days[] = {0, 31, is_leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return year > 0 && month <= 12 && day > 0 && day <= days[month];
}

// The text of a field; nothing where it is null or missing.
inline std::optional<std::string> text_of(const nlohmann::json& value) {
    if (value.is_null()) return std::nullopt;
    if (!value.is_string()) throw Refused{boost::beast::http::status::bad_request};
    return value.get<std::string>();
}

inline std::string array_of(const std::vector<std::string>& elements) {
    std::string array = "{";
    for (const std::string& element : elements) {
        array += array.size() > 1 ? ",\"" : "\"";
        for (char byte : element) {
            if (byte == '"' || byte == '\\') array += '\\';
            array += byte;
        }
        array += '"';
    }
    return array + '}';
}

// The person of a body. Types come first, then what is in them.
inline Person read_person(const std::string& body) {
    using boost::beast::http::status;
    nlohmann::json fields = nlohmann::json::parse(body, nullptr, false);
    if (!fields.is_object()) throw Refused{status::bad_request};
    auto apelido = text_of(fields["apelido"]), nome = text_of(fields["nome"]), nascimento = text_of(fields["nascimento"]);
    const nlohmann::json& stack = fields["stack"];
    if (!stack.is_null() && !stack.is_array()) throw Refused{status::bad_request};
    std::vector<std::optional<std::string>> technologies;
    for (const nlohmann::json& element : stack) technologies.push_back(text_of(element));

    bool is_valid = apelido && fits(*apelido, 32) && nome && fits(*nome, 100) && nascimento && is_date(*nascimento);
    std::vector<std::string> elements;
    for (const auto& technology : technologies) {
        is_valid = is_valid && technology && fits(*technology, 32);
        if (is_valid) elements.push_back(*technology);
    }
    if (!is_valid) throw Refused{status::unprocessable_entity};
    return {*apelido, *nome, *nascimento, stack.is_null() ? std::nullopt : std::optional(array_of(elements))};
}
