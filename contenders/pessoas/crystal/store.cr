require "json"
require "uri"
require "./connection"
require "./person"

# One statement for each request, on a pool of connections.
class Store
  PATIENCE = 30.seconds
  WAIT     = 8.seconds

  COLUMNS    = "id, apelido, nome, nascimento, to_json(stack)"
  STATEMENTS = {
    "create" => "INSERT INTO pessoas (id, apelido, nome, nascimento, stack) VALUES ($1, $2, $3, $4, $5) " \
                "ON CONFLICT (apelido) DO NOTHING",
    "find"   => "SELECT #{COLUMNS} FROM pessoas WHERE id = $1",
    "search" => "SELECT #{COLUMNS} FROM pessoas WHERE busca LIKE lower($1) LIMIT 50",
    "count"  => "SELECT count(*) FROM pessoas",
  }

  alias Error = Connection::Error

  # No connection became free in time.
  class PoolTimeout < Error
  end

  # Waits for the database, for 30 s at most.
  def initialize(url : String, size : Int32)
    ENV["PGCONNECT_TIMEOUT"] = "5"
    @idle = Channel(Connection).new(size)
    deadline = Time.monotonic + PATIENCE
    size.times { @idle.send connect(url, deadline) }
  end

  private def connect(url, deadline) : Connection
    loop do
      connection = Connection.new(url, STATEMENTS)
      return connection if connection.revive
      reason = connection.message
      connection.close
      if Time.monotonic > deadline
        address = URI.parse(url)
        raise Error.new("database: nobody answers at #{address.host}:#{address.port || 5432} for #{PATIENCE.total_seconds.to_i} s " \
                        "(#{reason})\nhint: start PostgreSQL there, or set DATABASE_URL to where it is")
      end
      sleep 200.milliseconds
    end
  end

  # Keeps a person; `false` where somebody has that `apelido`.
  def create(person : Person) : Bool
    params = [person.id, person.apelido, person.nome, person.nascimento, person.stack.try { |stack| array_literal(stack) }]
    ask("create", params) { |answer| answer.changed == 1 }
  end

  # A person as JSON.
  def find(id : String) : String?
    ask("find", [id] of String?) do |answer|
      JSON.build { |json| show(json, answer, 0) } if answer.rows == 1
    end
  end

  # People in whom a term is contained, whatever the letter case, 50 at most: a list as JSON.
  def search(term : String) : String
    # Nobody has it, and PostgreSQL cannot be asked for it.
    return "[]" if term.includes?('\0')
    pattern = "%#{term.gsub(/[\\%_]/) { |letter| "\\#{letter}" }}%"
    ask("search", [pattern] of String?) do |answer|
      JSON.build do |json|
        json.array { answer.rows.times { |row| show(json, answer, row) } }
      end
    end
  end

  def count : String
    ask("count", [] of String?) { |answer| answer.text(0, 0) }
  end

  private def show(json, answer, row)
    json.object do
      json.field "id", answer.text(row, 0)
      json.field "apelido", answer.text(row, 1)
      json.field "nome", answer.text(row, 2)
      json.field "nascimento", answer.text(row, 3)
      # `stack` is JSON already.
      json.field("stack") { json.raw(answer.text?(row, 4) || "null") }
    end
  end

  # As PostgreSQL writes an array of texts.
  private def array_literal(texts) : String
    quoted = texts.map { |text| %("#{text.gsub(/[\\"]/) { |letter| "\\#{letter}" }}") }
    "{#{quoted.join(',')}}"
  end

  private def ask(statement, params : Array(String?), & : Connection::Answer -> T) : T forall T
    select
    when connection = @idle.receive
      begin
        connection.ask(statement, params) { |answer| yield answer }
      ensure
        @idle.send connection
      end
    when timeout(WAIT)
      raise PoolTimeout.new("no connection became free")
    end
  end
end
