package crebitos;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonObject;

/** A credit (`c`) or debit (`d`). Field names are the contest's. */
record Move(long valor, String tipo, String descricao) {
    private static final int DESCRICAO_CHARS_MAX = 10;

    /** The move of a body; null where it is no JSON or breaks a rule. */
    static Move read(Buffer body) {
        if (body == null || !(decode(body) instanceof JsonObject sent)) {
            return null;
        }
        // A fraction is a Double, and what is beyond 64 bits a BigInteger.
        Object valor = sent.getValue("valor");
        boolean isWhole = valor instanceof Integer || valor instanceof Long;
        boolean isValid = isWhole
            && ((Number) valor).longValue() > 0
            && sent.getValue("tipo") instanceof String tipo
            && (tipo.equals("c") || tipo.equals("d"))
            && sent.getValue("descricao") instanceof String descricao
            && fits(descricao);
        return isValid ? new Move(((Number) valor).longValue(), sent.getString("tipo"), sent.getString("descricao")) : null;
    }

    /** What the balance changes by. */
    long change() {
        return tipo.equals("c") ? valor : -valor;
    }

    private static Object decode(Buffer body) {
        try {
            return Json.decodeValue(body);
        } catch (DecodeException refused) {
            return null;
        }
    }

    /** PostgreSQL keeps no NUL in a text, and UTF-8 has no half of a surrogate pair. A Java `char` is not a character. */
    private static boolean fits(String text) {
        long chars = text.codePoints().count();
        return chars > 0
            && chars <= DESCRICAO_CHARS_MAX
            && text.codePoints().allMatch(c -> c != 0 && Character.getType(c) != Character.SURROGATE);
    }
}
