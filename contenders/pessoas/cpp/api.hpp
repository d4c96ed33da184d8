// Routes and statuses.
#pragma once

#include <charconv>
#include <iostream>
#include <string>
#include <string_view>

#include <boost/beast/http.hpp>

#include "database.hpp"
#include "person.hpp"

namespace http = boost::beast::http;
using Request = http::request<http::string_body>;
using Response = http::response<http::string_body>;

// A piece of a query, where `+` is a space and `%2B` is a plus.
inline std::string decoded(std::string_view text) {
    std::string decoded;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char* digits = text.data() + at + 1;
        unsigned char byte;
        if (text[at] == '%' && at + 2 < text.size() && std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
            decoded += static_cast<char>(byte);
            at += 2;
        } else {
            decoded += text[at] == '+' ? ' ' : text[at];
        }
    }
    return decoded;
}

// The term of a query; empty where there is none.
inline std::string term_of(std::string_view query) {
    while (!query.empty()) {
        std::string_view pair = query.substr(0, query.find('&'));
        if (pair.starts_with("t=")) return decoded(pair.substr(2));
        query.remove_prefix(std::min(query.size(), pair.size() + 1));
    }
    return {};
}

// A pattern of LIKE in which every character of the term stands for itself.
inline std::string pattern(const std::string& term) {
    std::string pattern = "%";
    for (char byte : term) {
        if (byte == '%' || byte == '_' || byte == '\\') pattern += '\\';
        pattern += byte;
    }
    return pattern + '%';
}

inline bool is_uuid(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        bool is_hyphen = at == 8 || at == 13 || at == 18 || at == 23;
        if (is_hyphen ? text[at] != '-' : !std::isxdigit(static_cast<unsigned char>(text[at]))) return false;
    }
    return text.size() == 36;
}

inline Response reply(http::status status, const char* type = nullptr, std::string body = {}) {
    Response response(status, 11);
    if (type) response.set(http::field::content_type, type);
    response.body() = std::move(body);
    return response;
}

inline awaitable<Response> create(const Request& request, Pool& pool) {
    Person person = read_person(request.body());
    const char* stack = person.stack ? person.stack->c_str() : nullptr;
    Parameters fields{person.apelido.c_str(), person.nome.c_str(), person.nascimento.c_str(), stack};
    Result created = co_await pool.query(INSERT, fields);
    if (PQntuples(created.get()) == 0) throw Refused{http::status::unprocessable_entity};
    Response response = reply(http::status::created);
    response.set(http::field::location, std::string("/pessoas/") + PQgetvalue(created.get(), 0, 0));
    co_return response;
}

inline awaitable<Response> find(std::string id, Pool& pool) {
    if (!is_uuid(id)) throw Refused{http::status::not_found};
    Parameters parameters{id.c_str()};
    Result found = co_await pool.query(FIND, parameters);
    if (PQntuples(found.get()) == 0) throw Refused{http::status::not_found};
    co_return reply(http::status::ok, "application/json", PQgetvalue(found.get(), 0, 0));
}

inline awaitable<Response> search(std::string term, Pool& pool) {
    if (term.empty()) throw Refused{http::status::bad_request};
    std::string people = "[";
    // Nobody has a NUL, and PostgreSQL cannot be asked for it.
    if (term.find('\0') == term.npos) {
        std::string like = pattern(term);
        Parameters parameters{like.c_str()};
        Result found = co_await pool.query(SEARCH, parameters);
        for (int row = 0; row < PQntuples(found.get()); ++row) {
            if (row > 0) people += ',';
            people += PQgetvalue(found.get(), row, 0);
        }
    }
    co_return reply(http::status::ok, "application/json", people + ']');
}

inline awaitable<Response> count(Pool& pool) {
    Parameters none;
    Result counted = co_await pool.query(COUNT, none);
    co_return reply(http::status::ok, "text/plain", PQgetvalue(counted.get(), 0, 0));
}

inline awaitable<Response> route(const Request& request, Pool& pool) {
    std::string_view path(request.target().data(), request.target().size());
    std::string_view query;
    if (auto at = path.find('?'); at != path.npos) {
        query = path.substr(at + 1);
        path = path.substr(0, at);
    }
    bool is_people = path == "/pessoas";
    if (is_people && request.method() == http::verb::post) co_return co_await create(request, pool);
    bool is_read = request.method() == http::verb::get || request.method() == http::verb::head;
    if (!is_read) throw Refused{http::status::method_not_allowed};
    if (is_people) co_return co_await search(term_of(query), pool);
    if (path.starts_with("/pessoas/")) co_return co_await find(std::string(path.substr(9)), pool);
    if (path == "/contagem-pessoas") co_return co_await count(pool);
    throw Refused{http::status::not_found};
}

inline awaitable<Response> answer(const Request& request, Pool& pool) {
    http::status failed;
    try {
        co_return co_await route(request, pool);
    } catch (const Refused& refused) {
        failed = refused.status;
    } catch (const Busy&) {
        failed = http::status::service_unavailable;
    } catch (const DatabaseError& error) {
        // Class 22 is what was asked: a term that is no UTF-8.
        bool is_asked = error.state.starts_with("22");
        failed = is_asked ? http::status::bad_request : http::status::internal_server_error;
        if (!is_asked) std::cerr << "database: " << error.what() << std::endl;
    }
    co_return reply(failed);
}
