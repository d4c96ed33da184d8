defmodule Pessoas.Server do
  @moduledoc """
  HTTP/1.1 with a process for each connection. Heads are read by the runtime's own parser (`packet: :http_bin`); a body needs a
  Content-Length, which nginx always sends.
  """

  # nginx ends a connection after 60 s; the side that sends requests must be the first.
  @idle_ms 75_000
  @receive_ms 10_000
  @stop_ms 5_000
  @body_bytes_max 65_536
  @headers_max 200
  # Of a line of the head, so of a target.
  @line_bytes_max 65_536

  defstruct [:listener, :under_way, :stopping]

  @doc "Listens on a port of 127.0.0.1 and answers by `answer.(method, target, body)`: `{status, headers, body}`."
  def start(port, answer) do
    options = [
      :binary,
      ip: {127, 0, 0, 1},
      packet: :http_bin,
      active: false,
      reuseaddr: true,
      nodelay: true,
      backlog: 1024,
      buffer: @line_bytes_max,
      send_timeout: @receive_ms,
      send_timeout_close: true
    ]

    with {:ok, listener} <- :gen_tcp.listen(port, options) do
      server = %__MODULE__{listener: listener, under_way: :counters.new(1, []), stopping: :atomics.new(1, [])}
      acceptor = spawn(fn -> receive(do: (:go -> accept(server, answer))) end)
      :ok = :gen_tcp.controlling_process(listener, acceptor)
      send(acceptor, :go)
      {:ok, server}
    end
  end

  @doc "Takes nobody any more, and waits until those are answered who were taken."
  def stop(server) do
    :atomics.put(server.stopping, 1, 1)
    :gen_tcp.close(server.listener)
    wait_until_idle(server, System.monotonic_time(:millisecond) + @stop_ms)
  end

  defp wait_until_idle(server, deadline) do
    if :counters.get(server.under_way, 1) > 0 and System.monotonic_time(:millisecond) < deadline do
      Process.sleep(10)
      wait_until_idle(server, deadline)
    end
  end

  defp accept(server, answer) do
    case :gen_tcp.accept(server.listener) do
      {:ok, socket} ->
        connection = spawn(fn -> receive(do: (:go -> serve(socket, server, answer))) end)
        :gen_tcp.controlling_process(socket, connection)
        send(connection, :go)
        accept(server, answer)

      {:error, :closed} ->
        :ok

      {:error, _reason} ->
        # No files left, say: others will end.
        Process.sleep(50)
        accept(server, answer)
    end
  end

  # One request after the other; the socket ends with its process.
  defp serve(socket, server, answer) do
    case :gen_tcp.recv(socket, 0, @idle_ms) do
      {:ok, {:http_request, method, target, version}} ->
        :counters.add(server.under_way, 1, 1)

        next =
          try do
            request(socket, server, answer, {to_string(method), path(target), version})
          after
            :counters.sub(server.under_way, 1, 1)
          end

        if next == :keep, do: serve(socket, server, answer), else: :gen_tcp.close(socket)

      {:ok, {:http_error, _line}} ->
        send_answer(socket, {400, [], ""}, :close, "GET")
        :gen_tcp.close(socket)

      _ended ->
        :gen_tcp.close(socket)
    end
  end

  defp path({:abs_path, path}), do: path
  defp path({:absoluteURI, _scheme, _host, _port, path}), do: path
  defp path(_other), do: "*"

  defp request(socket, server, answer, {method, target, version}) do
    with {:ok, headers} <- headers(socket, %{}, @headers_max),
         {:ok, body} <- body(socket, headers) do
      result = answer_or_500(answer, method, target, body)
      next = if keep?(version, headers, server), do: :keep, else: :close
      send_answer(socket, result, next, method)
    else
      {:refuse, status} -> send_answer(socket, {status, [], ""}, :close, method)
      {:error, _gone} -> :close
    end
  end

  defp answer_or_500(answer, method, target, body) do
    answer.(method, target, body)
  rescue
    error ->
      IO.puts(:stderr, Exception.format(:error, error, __STACKTRACE__))
      {500, [], ""}
  end

  # Only those that matter here.
  defp headers(_socket, _headers, 0), do: {:refuse, 431}

  defp headers(socket, headers, left) do
    case :gen_tcp.recv(socket, 0, @receive_ms) do
      {:ok, :http_eoh} ->
        {:ok, headers}

      {:ok, {:http_header, _, name, _, value}} when name in [:"Content-Length", :"Transfer-Encoding", :Connection] ->
        headers(socket, Map.put(headers, name, value), left - 1)

      {:ok, {:http_header, _, _, _, _}} ->
        headers(socket, headers, left - 1)

      {:ok, {:http_error, _line}} ->
        {:refuse, 400}

      {:error, reason} ->
        {:error, reason}
    end
  end

  defp body(_socket, %{"Transfer-Encoding": _}), do: {:refuse, 411}

  defp body(socket, %{"Content-Length": text}) do
    case Integer.parse(text) do
      {0, ""} -> {:ok, ""}
      {length, ""} when length in 1..@body_bytes_max -> receive_body(socket, length)
      {length, ""} when length > 0 -> {:refuse, 413}
      _no_length -> {:refuse, 400}
    end
  end

  defp body(_socket, _headers), do: {:ok, ""}

  defp receive_body(socket, length) do
    :ok = :inet.setopts(socket, packet: :raw)

    with {:ok, body} <- :gen_tcp.recv(socket, length, @receive_ms),
         :ok <- :inet.setopts(socket, packet: :http_bin) do
      {:ok, body}
    end
  end

  defp keep?(version, headers, server) do
    version == {1, 1} and String.downcase(Map.get(headers, :Connection, "")) != "close" and
      :atomics.get(server.stopping, 1) == 0
  end

  defp send_answer(socket, {status, headers, body}, next, method) do
    head = [
      "HTTP/1.1 #{status} #{reason(status)}\r\ncontent-length: #{IO.iodata_length(body)}\r\n",
      for({name, value} <- headers, do: [name, ": ", value, "\r\n"]),
      if(next == :close, do: "connection: close\r\n", else: []),
      "\r\n"
    ]

    case :gen_tcp.send(socket, if(method == "HEAD", do: head, else: [head, body])) do
      :ok -> next
      {:error, _gone} -> :close
    end
  end

  defp reason(200), do: "OK"
  defp reason(201), do: "Created"
  defp reason(400), do: "Bad Request"
  defp reason(404), do: "Not Found"
  defp reason(405), do: "Method Not Allowed"
  defp reason(422), do: "Unprocessable Entity"
  defp reason(503), do: "Service Unavailable"
  defp reason(_other), do: "Error"
end
