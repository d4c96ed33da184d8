# People of finished jobs who wait for one INSERT of many, in the memory of Sidekiq's process.
module PessoaBuffer
  PEOPLE = 100
  SECONDS = 2

  @people = []
  @lock = Mutex.new

  class << self
    def add(pessoa)
      flush if @lock.synchronize { @people.push(pessoa).size } >= PEOPLE
    end

    def flush
      people = @lock.synchronize { @people.shift(10 * PEOPLE) }
      Pessoa.insert_all(people, unique_by: :apelido) if people.any?
    rescue ActiveRecord::ActiveRecordError => error
      Rails.logger.error("database: #{error.message}")
      @lock.synchronize { @people.unshift(*people) } # for the next one
    end
  end
end
