# One process. A thread for each connection to the database: more could only wait for one.
count = ENV.fetch("POOL", 5).to_i
threads count, count

# After an answer a thread would wait 200 ms for more on that connection, ten times over, while others are in the queue.
max_fast_inline 0

bind "tcp://127.0.0.1:#{ENV.fetch("HTTP_PORT", 8081)}"

# Seconds. nginx keeps idle connections for 60, and it must be nginx that closes them.
persistent_timeout 75

# At SIGTERM requests under way are answered; after these seconds nobody is waited for.
force_shutdown_after 5
raise_exception_on_sigterm false
