defmodule Pessoas.Store.Worker do
  @moduledoc "Processes with a connection to PostgreSQL each."

  alias Pessoas.Store

  @patience_ms 30_000
  @retry_ms 200

  @statements [
    {"create",
     "INSERT INTO pessoas (id, apelido, nome, nascimento, stack) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (apelido) DO NOTHING"},
    {"find", "SELECT id::text, apelido, nome, nascimento, to_json(stack)::text FROM pessoas WHERE id = $1"},
    {"search",
     "SELECT id::text, apelido, nome, nascimento, to_json(stack)::text FROM pessoas WHERE busca LIKE lower($1) LIMIT 50"},
    {"count", "SELECT count(*)::text FROM pessoas"}
  ]

  @doc "Starts so many, once the database answers. An error is a message."
  def start(url, size) do
    options = options(url)

    case connect_all(options, size, now() + @patience_ms) do
      {:ok, connections} ->
        for connection <- connections, do: spawn(fn -> work(connection, options) end)
        :ok

      {:error, reason} ->
        at = "#{options[:host]}:#{options[:port]}"
        seconds = div(@patience_ms, 1000)
        hint = "hint: start PostgreSQL there, or set DATABASE_URL to where it is"
        {:error, "database: nobody answers at #{at} for #{seconds} s (#{inspect(reason)})\n#{hint}"}
    end
  end

  defp options(url) do
    url = URI.parse(url)
    [user | password] = String.split(url.userinfo || "postgres", ":", parts: 2)

    [
      host: url.host,
      port: url.port || 5432,
      user: URI.decode(user),
      password: URI.decode(Enum.join(password)),
      database: String.trim_leading(url.path || "/postgres", "/"),
      as_binary: true
    ]
    |> Enum.map(fn {key, value} -> {key, if(is_binary(value), do: String.to_charlist(value), else: value)} end)
  end

  defp now, do: System.monotonic_time(:millisecond)

  defp connect_all(_options, 0, _deadline), do: {:ok, []}

  defp connect_all(options, size, deadline) do
    with {:ok, connection} <- try_until(options, deadline),
         {:ok, others} <- connect_all(options, size - 1, deadline) do
      {:ok, [connection | others]}
    end
  end

  defp try_until(options, deadline) do
    with {:error, reason} <- connect(options) do
      if now() > deadline do
        {:error, reason}
      else
        Process.sleep(@retry_ms)
        try_until(options, deadline)
      end
    end
  end

  # A connection is a process that ends when the database ends it.
  defp connect(options) do
    with {:ok, connection} <- :pgsql.connect(options) do
      if Enum.all?(@statements, fn {name, text} -> prepare?(connection, name, text) end) do
        {:ok, connection}
      else
        Process.exit(connection, :kill)
        {:error, :not_prepared}
      end
    end
  end

  defp prepare?(connection, name, text) do
    match?({:ok, _status, _params, _columns}, :pgsql.prepare(connection, name, text))
  catch
    :exit, _reason -> false
  end

  defp work(connection, options) do
    {{statement, params, _deadline}, from} = Store.next()

    # It may have ended while nobody asked: then nothing of this request was sent, and a new one may take it.
    case if(Process.alive?(connection), do: {:ok, connection}, else: connect(options)) do
      {:ok, connection} ->
        result = execute(connection, statement, params)
        GenServer.reply(from, result)
        work(connection, options)

      {:error, reason} ->
        GenServer.reply(from, {:error, reason})
        work(connection, options)
    end
  end

  defp execute(connection, statement, params) do
    # What is a list is sent as text, what is a binary in PostgreSQL's own form.
    case :pgsql.execute(connection, statement, for(param <- params, do: if(param, do: [param], else: :null))) do
      {:ok, {:INSERT, count}} -> {:ok, count}
      {:ok, {"SELECT" <> _, rows}} -> {:ok, for(row <- rows, do: for({_type, value} <- row, do: value))}
      {:error, reason} -> {:error, reason}
    end
  catch
    # It ended meanwhile, or has not answered for 5 s.
    :exit, reason ->
      Process.exit(connection, :kill)
      {:error, reason}
  end
end
