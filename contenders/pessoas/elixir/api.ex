defmodule Pessoas.Api do
  @moduledoc "Routes and statuses."

  alias Pessoas.{Person, Store}

  @json [{"content-type", "application/json"}]

  @doc "The answer to a request: status, headers, body."
  def answer(method, target, body) do
    [path | query] = :binary.split(target, "?")
    route(if(method == "HEAD", do: "GET", else: method), path, List.first(query), body)
  end

  defp route("POST", "/pessoas", _query, body), do: create(body)
  defp route("GET", "/pessoas", query, _body), do: search(query)
  defp route("GET", "/pessoas/" <> id, _query, _body), do: find(id)
  defp route("GET", "/contagem-pessoas", _query, _body), do: count()
  defp route("GET", _path, _query, _body), do: empty(404)
  defp route(_method, _path, _query, _body), do: empty(405)

  defp create(body) do
    with {:ok, person} <- Person.from_json(body) do
      case Store.create(person) do
        {:ok, true} -> {201, [{"location", "/pessoas/" <> person.id}], ""}
        {:ok, false} -> empty(422)
        failed -> failed(failed)
      end
    else
      :wrong_type -> empty(400)
      :invalid -> empty(422)
    end
  end

  defp find(id) do
    if Person.id?(id) do
      case Store.find(id) do
        {:ok, [person]} -> {200, @json, :jiffy.encode(person, [:use_nil])}
        {:ok, []} -> empty(404)
        failed -> failed(failed)
      end
    else
      empty(404)
    end
  end

  defp search(query) do
    case term(query || "") do
      nil ->
        empty(400)

      term ->
        case Store.search(term) do
          {:ok, people} -> {200, @json, :jiffy.encode(people, [:use_nil])}
          failed -> failed(failed)
        end
    end
  end

  # The first `t`, if it is a text; `nil` where it is missing, empty or none.
  defp term(query) do
    pairs = for pair <- :binary.split(query, "&", [:global]), do: :binary.split(pair, "=")

    with [_, encoded] <- Enum.find(pairs, &(hd(&1) == "t")),
         term when term != "" <- decode(encoded),
         true <- String.valid?(term) do
      term
    else
      _none -> nil
    end
  end

  # A percent sign that begins no encoding is no text.
  defp decode(encoded) do
    URI.decode_www_form(encoded)
  rescue
    ArgumentError -> ""
  end

  defp count do
    case Store.count() do
      {:ok, count} -> {200, [{"content-type", "text/plain"}], count}
      failed -> failed(failed)
    end
  end

  defp empty(status), do: {status, [], ""}

  defp failed({:error, :no_connection}), do: empty(503)

  defp failed({:error, reason}) do
    IO.puts(:stderr, "database: #{inspect(reason)}")
    empty(500)
  end
end
