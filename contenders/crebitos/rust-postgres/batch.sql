-- Applies a batch of transactions in its order, as one transaction of PostgreSQL: an id, a change of the balance and a description for
-- each. Gives back a limit (NULL: there is no such client) and the balance after it (NULL: the limit, or 64 bits, forbid it).
-- No blank line inside: `postgres --single` reads up to the first one behind a semicolon.

CREATE FUNCTION transact(ids int[], changes bigint[], texts text[], OUT limits bigint[], OUT balances bigint[])
LANGUAGE plpgsql AS $$
DECLARE
    client record;
    limit_of bigint[]; -- by id
    balance_of bigint[]; -- by id
    id_now int;
    change bigint;
    balance bigint;
BEGIN
    -- Every batch locks in the order of ids, so two never wait for each other.
    FOR client IN SELECT id, limite, saldo FROM clientes WHERE id = ANY (ids) ORDER BY id FOR UPDATE LOOP
        limit_of[client.id] := client.limite;
        balance_of[client.id] := client.saldo;
    END LOOP;
    FOR n IN 1 .. cardinality(ids) LOOP
        id_now := ids[n];
        change := changes[n];
        balance := balance_of[id_now];
        limits[n] := limit_of[id_now];
        -- Neither comparison leaves 64 bits itself.
        IF (CASE WHEN change < 0 THEN balance >= -limits[n] - change ELSE balance <= 9223372036854775807 - change END) THEN
            balances[n] := balance + change;
            balance_of[id_now] := balances[n];
        ELSE
            balances[n] := NULL;
        END IF;
    END LOOP;
    UPDATE clientes SET saldo = balance_of[id] WHERE id = ANY (ids) AND saldo <> balance_of[id];
    INSERT INTO transacoes (cliente_id, valor, tipo, descricao)
        SELECT sent.id, abs(sent.change), CASE WHEN sent.change < 0 THEN 'd' ELSE 'c' END, sent.text
        FROM unnest(ids, changes, texts, balances) WITH ORDINALITY AS sent (id, change, text, balance, n)
        WHERE sent.balance IS NOT NULL ORDER BY sent.n;
END
$$;
