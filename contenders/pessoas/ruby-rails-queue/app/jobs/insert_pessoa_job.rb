class InsertPessoaJob
  include Sidekiq::Worker

  def perform(pessoa)
    PessoaBuffer.add(pessoa)
  end
end
