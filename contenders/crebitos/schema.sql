-- The tables of all contenders, made with the database. Amounts are whole cents.

CREATE TABLE clientes (
    id int PRIMARY KEY,
    limite bigint NOT NULL,
    saldo bigint NOT NULL DEFAULT 0,
    CHECK (saldo >= -limite)
);

-- `id` is the order: those of one client are inserted under the lock of its row, one after another.
CREATE TABLE transacoes (
    id bigserial PRIMARY KEY,
    cliente_id int NOT NULL REFERENCES clientes,
    valor bigint NOT NULL,
    tipo char(1) NOT NULL,
    descricao varchar(10) NOT NULL,
    realizada_em timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX transacoes_cliente ON transacoes (cliente_id, id DESC);

INSERT INTO clientes (id, limite) VALUES (1, 100000), (2, 80000), (3, 1000000), (4, 10000000), (5, 500000);
