require "json"
require "uuid"

record Person, id : String, apelido : String, nome : String, nascimento : String, stack : Array(String)?

# A body of the right JSON types; what is null or missing is `nil`.
class NewPerson
  @apelido : String?
  @nome : String?
  @nascimento : String?
  @stack : Array(String?)?

  # `nil` for broken JSON and for a wrong type.
  def self.from_json?(body : String) : NewPerson?
    # The reader passes on bytes that are no UTF-8.
    return nil unless body.valid_encoding?
    new(JSON::PullParser.new(body))
  rescue JSON::ParseException
    nil
  end

  # Whether a text is a UUID.
  def self.id?(text : String) : Bool
    text.ascii_only? && text.matches?(/\A[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\z/i)
  end

  def initialize(json : JSON::PullParser)
    json.read_object do |key|
      case key
      when "apelido"    then @apelido = json.read_string_or_null
      when "nome"       then @nome = json.read_string_or_null
      when "nascimento" then @nascimento = json.read_string_or_null
      when "stack"      then @stack = json.read_null_or { elements(json) }
      else                   json.skip
      end
    end
    json.raise "more than a person" unless json.kind.eof?
  end

  private def elements(json) : Array(String?)
    elements = [] of String?
    json.read_array { elements << json.read_string_or_null }
    elements
  end

  # The person with a new id. `nil` where a rule is broken.
  def validate : Person?
    apelido, nome, nascimento = fitting(@apelido, 32), fitting(@nome, 100), @nascimento
    return nil unless apelido && nome && nascimento && date?(nascimento)
    stack = @stack.try &.map { |element| fitting(element, 32) || return nil }
    Person.new(UUID.random.to_s, apelido, nome, nascimento, stack)
  end

  # Counted in characters. PostgreSQL keeps no NUL in a text.
  private def fitting(text : String?, chars_max : Int32) : String?
    text if text && !text.empty? && text.size <= chars_max && !text.includes?('\0')
  end

  # Whether a text is `YYYY-MM-DD`, and that day exists.
  private def date?(text : String) : Bool
    return false unless parts = text.match(/\A([0-9]{4})-([0-9]{2})-([0-9]{2})\z/)
    year, month, day = parts[1].to_i, parts[2].to_i, parts[3].to_i
    year > 0 && month.in?(1..12) && day.in?(1..Time.days_in_month(year, month))
  end
end
