package pessoas;

import java.util.UUID;

/** A person as kept and shown. Field names are the contest's. */
public record Person(UUID id, String apelido, String nome, String nascimento, String[] stack) {}
