class PessoasController < ActionController::API
  rescue_from ActionController::BadRequest, JSON::ParserError do
    head :bad_request
  end

  # No database, or no connection to it became free in time.
  rescue_from ActiveRecord::ConnectionNotEstablished, PG::ConnectionBad do |error|
    logger.error("database: #{error.message}")
    head :service_unavailable
  end

  def create
    pessoa = Pessoa.new(pessoa_params)
    return head :unprocessable_entity unless pessoa.valid? && pessoa.insert

    head :created, location: pessoa_path(pessoa.id)
  end

  def show
    pessoa = Pessoa.find_by(id: params[:id])
    pessoa ? render(json: pessoa) : head(:not_found)
  end

  def index
    render json: Pessoa.containing(term)
  end

  def count
    render plain: Pessoa.count.to_s
  end

  private

  # Strong parameters would leave out what has a wrong type, and Active Record would make a text of a number. Here both are
  # mistakes of their own, so types are looked at first. What is null is left to the model.
  def pessoa_params
    body = JSON.parse(request.raw_post)
    raise ActionController::BadRequest unless body.is_a?(Hash)

    fields = body.slice("apelido", "nome", "nascimento", "stack")
    stack = fields["stack"]
    texts = [*fields.values_at("apelido", "nome", "nascimento"), *stack]
    is_typed = texts.all? { |text| text.nil? || (text.is_a?(String) && text.valid_encoding?) }
    raise ActionController::BadRequest unless is_typed && (stack.nil? || stack.is_a?(Array))

    fields.merge("id" => SecureRandom.uuid)
  end

  def term
    term = params[:t]
    raise ActionController::BadRequest unless term.is_a?(String) && !term.empty?

    term
  end
end
