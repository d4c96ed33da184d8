# Only the parts of Rails that an API on a database needs. Without Bundler: gems are those that Debian's packages bring.
require "rails"
require "pg"
require "active_record/railtie"
require "action_controller/railtie"

module Pessoas
  class Application < Rails::Application
    config.load_defaults 6.1
    config.api_only = true # so there are no cookies, no sessions and no forms that could be forged

    config.cache_classes = true
    config.eager_load = true
    config.consider_all_requests_local = false

    # Warnings alone, and on standard error. Parameters of requests are told at a lower level, so people are in no log.
    config.logger = ActiveSupport::Logger.new($stderr)
    config.log_level = :warn

    # Rails wants a key to start. Nothing is signed or encrypted with it here, so it protects nothing and is no secret.
    config.secret_key_base = "nothing is signed with this key"

    # What these do (files, digests of answers, times, identities, addresses and names of requests), nobody here needs.
    config.public_file_server.enabled = false
    config.cache_store = :null_store
    config.middleware.delete Rack::ETag
    config.middleware.delete Rack::ConditionalGet
    config.middleware.delete Rack::Runtime
    config.middleware.delete Rack::Sendfile
    config.middleware.delete Rails::Rack::Logger
    config.middleware.delete ActionDispatch::ActionableExceptions
    config.middleware.delete ActionDispatch::Callbacks
    config.middleware.delete ActionDispatch::HostAuthorization
    config.middleware.delete ActionDispatch::RequestId
    config.middleware.delete ActionDispatch::RemoteIp
  end
end
