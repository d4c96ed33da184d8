# Answers from Redis where it can, and leaves the database to Sidekiq.
class QueuedPessoasController < PessoasController
  rescue_from Redis::BaseError, ConnectionPool::TimeoutError do |error|
    logger.error("redis: #{error.message}")
    head :service_unavailable
  end

  def create
    pessoa = Pessoa.new(pessoa_params)
    return head :unprocessable_entity unless pessoa.valid? && claim_apelido(pessoa)

    Rails.cache.write("pessoa/#{pessoa.id}", pessoa.to_json)
    InsertPessoaJob.perform_async(pessoa.attributes)
    head :created, location: pessoa_path(pessoa.id)
  end

  def show
    pessoa = Rails.cache.read("pessoa/#{params[:id]}") || Pessoa.find_by(id: params[:id])
    pessoa ? render(json: pessoa) : head(:not_found)
  end

  def index
    render json: Rails.cache.fetch("search/#{term}", expires_in: 5.seconds) { Pessoa.containing(term).to_json }
  end

  private

  # False where somebody has it.
  def claim_apelido(pessoa)
    Sidekiq.redis { |redis| redis.set("apelido/#{pessoa.apelido}", pessoa.id, nx: true) }
  end
end
