// Routes and statuses.
#pragma once

#include <charconv>
#include <iostream>
#include <string>
#include <string_view>

#include <boost/beast/http.hpp>

#include "database.hpp"
#include "transaction.hpp"

namespace http = boost::beast::http;
using http::status;
using Request = http::request<http::string_body>;
using Response = http::response<http::string_body>;

inline Response reply(status code) { return Response(code, 11); }

inline Response reply_json(std::string body) {
    Response response(status::ok, 11);
    response.set(http::field::content_type, "application/json");
    response.body() = std::move(body);
    return response;
}

inline awaitable<Response> transact(std::string id, const Request& request, Pool& pool) {
    auto sent = read_transaction(request.body());
    if (!sent) co_return reply(status::unprocessable_entity);
    std::string change = std::to_string(sent->change()), kind(1, sent->kind);
    Parameters parameters{id.c_str(), change.c_str(), kind.c_str(), sent->text.c_str()};
    Result moved = co_await pool.query(TRANSACT, parameters);
    if (PQntuples(moved.get()) == 0) co_return reply(status::not_found);
    if (PQgetisnull(moved.get(), 0, 1)) co_return reply(status::unprocessable_entity);
    std::string limit = PQgetvalue(moved.get(), 0, 0), balance = PQgetvalue(moved.get(), 0, 1);
    co_return reply_json("{\"limite\":" + limit + ",\"saldo\":" + balance + "}");
}

inline awaitable<Response> extract(std::string id, Pool& pool) {
    Parameters parameters{id.c_str()};
    Result found = co_await pool.query(EXTRACT, parameters);
    if (PQntuples(found.get()) == 0) co_return reply(status::not_found);
    co_return reply_json(PQgetvalue(found.get(), 0, 0));
}

inline awaitable<Response> route(const Request& request, Pool& pool) {
    constexpr std::string_view CLIENTS = "/clientes/";
    std::string_view path(request.target().data(), request.target().size());
    if (!path.starts_with(CLIENTS)) co_return reply(status::not_found);
    path.remove_prefix(CLIENTS.size());
    int number;
    auto [end, error] = std::from_chars(path.data(), path.data() + path.size(), number);
    if (error != std::errc()) co_return reply(status::not_found);
    std::string id = std::to_string(number);
    path.remove_prefix(end - path.data());
    bool is_transaction = path == "/transacoes";
    if (!is_transaction && path != "/extrato") co_return reply(status::not_found);
    if (request.method() != (is_transaction ? http::verb::post : http::verb::get)) co_return reply(status::method_not_allowed);
    if (is_transaction) co_return co_await transact(id, request, pool);
    co_return co_await extract(id, pool);
}

inline awaitable<Response> answer(const Request& request, Pool& pool) {
    try {
        co_return co_await route(request, pool);
    } catch (const Busy&) {
        co_return reply(status::service_unavailable);
    } catch (const DatabaseError& error) {
        // 22003: the balance would leave 64 bits.
        if (error.state == "22003") co_return reply(status::unprocessable_entity);
        std::cerr << "database: " << error.what() << std::endl;
        co_return reply(status::internal_server_error);
    }
}
