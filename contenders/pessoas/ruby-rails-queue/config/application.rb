# The application of ../ruby-rails, with Redis and Sidekiq put in. What is not here is taken from there, and its root stays
# there, too.
require_relative "../../ruby-rails/config/application"
require "sidekiq"

module Pessoas
  class Application
    here = File.expand_path("..", __dir__)
    config.paths["app"] << "#{here}/app"
    config.paths["config/initializers"] << "#{here}/config/initializers"
    config.paths["config/routes.rb"] = "#{here}/config/routes.rb"

    config.cache_store = :redis_cache_store, { url: ENV["REDIS_URL"], pool_size: ENV.fetch("POOL", 5).to_i }
  end
end
