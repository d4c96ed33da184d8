package pessoas;

import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/** A body of the right JSON types; what is null or missing is null. */
public record NewPerson(String apelido, String nome, String nascimento, List<String> stack) {
    private static final int APELIDO_CHARS_MAX = 32;
    private static final int NOME_CHARS_MAX = 100;
    private static final int TECHNOLOGY_CHARS_MAX = 32;

    /** The person with a new id; null where a rule is broken. */
    public Person validate() {
        boolean isValid = fits(apelido, APELIDO_CHARS_MAX)
            && fits(nome, NOME_CHARS_MAX)
            && isDate(nascimento)
            && (stack == null || stack.stream().allMatch(text -> fits(text, TECHNOLOGY_CHARS_MAX)));
        String[] technologies = stack == null ? null : stack.toArray(String[]::new);
        return isValid ? new Person(newId(), apelido, nome, nascimento, technologies) : null;
    }

    /** PostgreSQL keeps no NUL in a text, and UTF-8 has no half of a surrogate pair. A Java `char` is not a character. */
    private static boolean fits(String text, int charsMax) {
        if (text == null) {
            return false;
        }
        int chars = 0;
        for (int at = 0; at < text.length(); chars++) {
            int character = text.codePointAt(at);
            if (character == 0 || Character.getType(character) == Character.SURROGATE) {
                return false;
            }
            at += Character.charCount(character);
        }
        return chars > 0 && chars <= charsMax;
    }

    /** Whether a text is `YYYY-MM-DD`, and that day exists. */
    private static boolean isDate(String text) {
        try {
            return text != null && text.length() == 10 && LocalDate.parse(text).getYear() > 0;
        } catch (DateTimeParseException noDate) {
            return false;
        }
    }

    /** A UUID of version 7 (RFC 9562, section 5.7): ordered by time, so that new rows are neighbours in the index. */
    private static UUID newId() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long time = System.currentTimeMillis() << 16 | 0x7000 | random.nextInt(1 << 12);
        return new UUID(time, 1L << 63 | random.nextLong() >>> 2);
    }
}
