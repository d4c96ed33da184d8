Rails.application.routes.draw do
  resources :pessoas, only: %i[index show create], controller: :queued_pessoas
  get "contagem-pessoas", to: "queued_pessoas#count"
end
