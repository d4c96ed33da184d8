Redis.silence_deprecations = true # Sidekiq's own calls are told for each job else
Sidekiq.logger = Rails.logger

Sidekiq.configure_server do |config|
  config.on(:startup) do
    Thread.new do
      loop do
        sleep PessoaBuffer::SECONDS
        Rails.application.executor.wrap { PessoaBuffer.flush }
      end
    end
  end
  config.on(:shutdown) { PessoaBuffer.flush }
end
