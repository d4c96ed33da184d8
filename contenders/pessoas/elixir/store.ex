defmodule Pessoas.Store do
  @moduledoc """
  One statement for each request. Requests stand in one queue; `POOL` processes, each with a connection of its own, take them from there.
  """
  use GenServer

  # How long a request waits for its answer.
  @wait_ms 8_000

  @doc "Starts the queue and its workers. An error is a message for who started this."
  def start(url, size) do
    {:ok, _queue} = GenServer.start(__MODULE__, [], name: __MODULE__)
    Pessoas.Store.Worker.start(url, size)
  end

  @doc "Keeps a person; `false` where somebody has that `apelido`."
  def create(person) do
    ask("create", [person.id, person.apelido, person.nome, person.nascimento, array(person.stack)], &(&1 == 1))
  end

  @doc "The person in a list, or an empty one."
  def find(id), do: ask("find", [id], &people/1)

  @doc "People in whom a term is contained, whatever the letter case, 50 at most."
  def search(term) do
    # PostgreSQL cannot be asked for a NUL, and nobody has it.
    if String.contains?(term, "\0"),
      do: {:ok, []},
      else: ask("search", ["%" <> String.replace(term, ["\\", "%", "_"], &("\\" <> &1)) <> "%"], &people/1)
  end

  @doc "How many people there are, as text."
  def count, do: ask("count", [], fn [[count]] -> count end)

  defp people(rows) do
    for [id, apelido, nome, nascimento, stack] <- rows do
      %{id: id, apelido: apelido, nome: nome, nascimento: nascimento, stack: texts(stack)}
    end
  end

  # Comes as JSON.
  defp texts(:null), do: nil
  defp texts(json), do: :jiffy.decode(json)

  # As PostgreSQL writes an array of texts.
  defp array(nil), do: nil

  defp array(texts) do
    quoted = for text <- texts, do: [?", String.replace(text, ["\\", "\""], &("\\" <> &1)), ?"]
    IO.iodata_to_binary(["{", Enum.intersperse(quoted, ","), "}"])
  end

  defp ask(statement, params, read) do
    deadline = System.monotonic_time(:millisecond) + @wait_ms

    with {:ok, result} <- GenServer.call(__MODULE__, {:ask, {statement, params, deadline}}, @wait_ms + 1_000) do
      {:ok, read.(result)}
    end
  catch
    :exit, _no_answer_in_time -> {:error, :no_connection}
  end

  ## The queue: requests without a worker, or workers without a request.

  @doc "For a worker: the next request, once there is one, and who asks."
  def next, do: GenServer.call(__MODULE__, :next, :infinity)

  @impl true
  def init([]), do: {:ok, {:queue.new(), []}}

  @impl true
  def handle_call({:ask, request}, from, {requests, [worker | workers]}) do
    GenServer.reply(worker, {request, from})
    {:noreply, {requests, workers}}
  end

  def handle_call({:ask, request}, from, {requests, []}), do: {:noreply, {:queue.in({request, from}, requests), []}}

  def handle_call(:next, worker, {requests, workers}) do
    case :queue.out(requests) do
      {:empty, _} ->
        {:noreply, {requests, [worker | workers]}}

      {{:value, {{_, _, deadline}, from} = waiting}, rest} ->
        if System.monotonic_time(:millisecond) > deadline do
          GenServer.reply(from, {:error, :no_connection})
          handle_call(:next, worker, {rest, workers})
        else
          {:reply, waiting, {rest, workers}}
        end
    end
  end
end
