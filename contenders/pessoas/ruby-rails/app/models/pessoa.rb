class Pessoa < ActiveRecord::Base
  # What searches look through. The database makes it, and nobody reads it.
  self.ignored_columns = ["busca"]

  # These are prepared once for a connection. `where` and `insert_all` put values into the text, so each is a text of its own.
  SEARCH = "SELECT id, apelido, nome, nascimento, stack FROM pessoas WHERE busca LIKE lower($1) LIMIT 50"
  INSERT = <<~SQL
    INSERT INTO pessoas (id, apelido, nome, nascimento, stack) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (apelido) DO NOTHING RETURNING id
  SQL

  # Lengths are in characters. PostgreSQL keeps no NUL in a text.
  validates :apelido, length: { in: 1..32 }, format: { without: /\0/ }
  validates :nome, length: { in: 1..100 }, format: { without: /\0/ }
  validate :nascimento_is_a_date, :stack_fits

  # Whoever has the term in the apelido, the nome or an element of the stack, whatever the letter case.
  def self.containing(term)
    # PostgreSQL cannot be asked for a NUL, and nobody has one.
    return [] if term.include?("\0")

    pattern = ActiveRecord::Relation::QueryAttribute.new("busca", "%#{sanitize_sql_like(term)}%", ActiveModel::Type::String.new)
    find_by_sql(SEARCH, [pattern], preparable: true)
  end

  # Stores the person; false where somebody has that apelido. One statement, so of two at once the database lets one in.
  def insert
    values = %w[id apelido nome nascimento stack].map { |name| @attributes[name] }
    self.class.connection.exec_query(INSERT, "Pessoa Insert", values, prepare: true).any?
  end

  private

  def nascimento_is_a_date
    date = /\A(\d{4})-(\d\d)-(\d\d)\z/.match(nascimento)
    year, month, day = date.captures.map(&:to_i) if date
    errors.add(:nascimento, :invalid) unless date && year.positive? && Date.valid_civil?(year, month, day, Date::GREGORIAN)
  end

  def stack_fits
    fits = stack.nil? || stack.all? { |text| text && text.length.between?(1, 32) && text.exclude?("\0") }
    errors.add(:stack, :invalid) unless fits
  end
end
