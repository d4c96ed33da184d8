defmodule Pessoas.Person do
  @moduledoc "What a valid person is."

  defstruct [:id, :apelido, :nome, :nascimento, :stack]

  @doc "The person of a body, with a new id; `:wrong_type` also for what is no JSON."
  def from_json(body) do
    with {:ok, new} when is_map(new) <- decode(body),
         person = %__MODULE__{
           apelido: new["apelido"],
           nome: new["nome"],
           nascimento: new["nascimento"],
           stack: new["stack"]
         },
         true <- types?(person) do
      if valid?(person), do: {:ok, %{person | id: new_id()}}, else: :invalid
    else
      _other -> :wrong_type
    end
  end

  defp decode(body) do
    {:ok, :jiffy.decode(body, [:return_maps, :use_nil])}
  catch
    _kind, _reason -> :error
  end

  defp types?(person) do
    Enum.all?([person.apelido, person.nome, person.nascimento], &text_or_nil?/1) and
      (person.stack == nil or (is_list(person.stack) and Enum.all?(person.stack, &text_or_nil?/1)))
  end

  defp text_or_nil?(value), do: is_binary(value) or value == nil

  defp valid?(person) do
    fits?(person.apelido, 32) and fits?(person.nome, 100) and date?(person.nascimento) and
      Enum.all?(person.stack || [], &fits?(&1, 32))
  end

  # Characters are code points, as PostgreSQL counts them; `String.length` counts what a reader takes for one.
  # PostgreSQL keeps no NUL in a text.
  defp fits?(nil, _max), do: false
  defp fits?("", _max), do: false
  defp fits?(text, max), do: length(String.codepoints(text)) <= max and not String.contains?(text, "\0")

  # The guard keeps out `+1987-03-14` and years before 1.
  defp date?(<<year::binary-4, "-", _::binary-2, "-", _::binary-2>> = text) when year > "0000" and year <= "9999" do
    match?({:ok, _date}, Date.from_iso8601(text))
  end

  defp date?(_other), do: false

  @doc "Whether a text is a UUID."
  def id?(text), do: String.match?(text, ~r/\A[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\z/i)

  # A random UUID (version 4).
  defp new_id do
    <<a::48, _::4, b::12, _::2, c::62>> = :crypto.strong_rand_bytes(16)
    <<d1::binary-8, d2::binary-4, d3::binary-4, d4::binary-4, d5::binary>> = Base.encode16(<<a::48, 4::4, b::12, 2::2, c::62>>, case: :lower)
    Enum.join([d1, d2, d3, d4, d5], "-")
  end
end
