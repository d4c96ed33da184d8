defmodule Pessoas do
  @moduledoc "The `pessoas` API: HTTP on gen_tcp, a pool of processes with a connection to PostgreSQL each."

  @doc "Waits for the database, then serves until SIGTERM."
  def start do
    port = String.to_integer(System.get_env("HTTP_PORT", "8081"))
    url = System.get_env("DATABASE_URL", "postgres://postgres@127.0.0.1:15432/postgres")
    size = String.to_integer(System.get_env("POOL", "6"))
    # What ends a connection's process is told to who asked; a report of the crash besides says nothing more.
    :logger.set_primary_config(:level, :critical)

    case Pessoas.Store.start(url, size) do
      :ok -> :ok
      {:error, message} -> fail(message)
    end

    case Pessoas.Server.start(port, &Pessoas.Api.answer/3) do
      {:ok, server} -> Pessoas.Signals.install(fn -> Pessoas.Server.stop(server) end)
      {:error, reason} -> fail("port #{port}: #{:inet.format_error(reason)}; end who has it, or set HTTP_PORT")
    end
  end

  defp fail(message) do
    IO.puts(:stderr, message)
    System.halt(1)
  end
end

defmodule Pessoas.Signals do
  @moduledoc "Takes SIGTERM in place of the runtime, which would end at once."
  @behaviour :gen_event

  def install(stop) do
    :ok = :gen_event.swap_handler(:erl_signal_server, {:erl_signal_handler, []}, {__MODULE__, stop})
  end

  @impl true
  def init({stop, _state_of_the_former}), do: {:ok, stop}

  @impl true
  def handle_event(:sigterm, stop) do
    spawn(fn ->
      stop.()
      System.halt(0)
    end)

    {:ok, stop}
  end

  def handle_event(_signal, stop), do: {:ok, stop}

  @impl true
  def handle_call(_question, stop), do: {:ok, :ok, stop}
end
