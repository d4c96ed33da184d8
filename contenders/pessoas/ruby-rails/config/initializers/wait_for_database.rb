# The database may start at the same time. Without this, Rails would start, and answer errors, without one. Connections are
# opened here, all of them, so no request has to; not earlier, as Rails closes idle ones when it is initialized.
Rails.application.config.after_initialize do
  deadline = 30.seconds.from_now
  pool = ActiveRecord::Base.connection_pool
  connections = []
  begin
    connections << pool.checkout while connections.size < pool.size
  rescue ActiveRecord::ActiveRecordError => error
    if Time.current < deadline
      sleep 0.2
      retry
    end
    uri = URI.parse(ENV.fetch("DATABASE_URL"))
    warn <<~MESSAGE
      no database at #{uri.host}:#{uri.port} after 30 s (#{error.message.lines.first.strip})
      hint: start PostgreSQL there, or name another one in DATABASE_URL
    MESSAGE
    exit! 1 # an exception, as `abort` is one, Puma would tell once more
  end
  connections.each { |connection| pool.checkin(connection) }
end
