# The `pessoas` API: the standard library's HTTP server, and libpq in fibers, in one thread.

require "http/server"
require "./api"
require "./store"

STOP_FOR = 5.seconds

port = ENV.fetch("HTTP_PORT", "8081").to_i
url = ENV.fetch("DATABASE_URL", "postgres://postgres@127.0.0.1:15432/postgres")
begin
  store = Store.new(url, ENV.fetch("POOL", "6").to_i)
rescue error : Store::Error
  abort error.message
end

api = Api.new(store)
server = HTTP::Server.new { |context| api.answer(context) }
begin
  server.bind_tcp("127.0.0.1", port)
rescue error : Socket::BindError
  abort "port #{port}: #{error.message}; end who has it, or set HTTP_PORT"
end
Signal::TERM.trap { server.close }
server.listen

# Nobody is taken any more; those who were are answered.
deadline = Time.monotonic + STOP_FOR
while api.under_way > 0 && Time.monotonic < deadline
  sleep 10.milliseconds
end
