Rails.application.routes.draw do
  resources :pessoas, only: %i[index show create]
  get "contagem-pessoas", to: "pessoas#count"
end
