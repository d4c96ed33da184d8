//! The rules that an answer can break, by number: `must` first.

use galo_plan::{Rule, Severity};

/// Number of a rule in [`RULES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Broken {
    BelowLimit,
    LimitDiffers,
    AnswerShape,
    StatementShape,
    BadAmountAccepted,
    BadKindAccepted,
    BadDescriptionAccepted,
    #[expect(dead_code, reason = "cases of the file name it")]
    ValidRefused,
    UnknownClient,
    ClientMissing,
    FirstTotal,
    #[expect(dead_code, reason = "cases of the file name it")]
    ServerError,
    ContestOrder,
    ExactStatus,
    DateForm,
    ContentTypeJson,
    WideAmount,
    #[expect(dead_code, reason = "cases of the file name it")]
    FurtherKeys,
}

impl From<Broken> for usize {
    fn from(rule: Broken) -> Self {
        rule as Self
    }
}

/// All rules, in the order of [`Broken`].
pub(crate) const RULES: &[Rule] = &[
    Rule::worded(
        Severity::Must,
        "below-limit",
        "no balance is below the limit that the client has from the start",
        ["a balance was below the limit", "um saldo ficou abaixo do limite"],
        "nenhum saldo fica abaixo do limite que o cliente tem desde o início",
    ),
    Rule::worded(
        Severity::Must,
        "limit-differs",
        "an answer tells the limit that its client has from the start",
        [
            "an answer told another limit than the client's",
            "uma resposta veio com outro limite que não o do cliente",
        ],
        "uma resposta traz o limite que o cliente tem desde o início",
    ),
    Rule::worded(
        Severity::Must,
        "answer-shape",
        "a 200 to a transaction is a JSON object with the whole numbers `limite` and `saldo`",
        ["an answer to a transaction could not be read", "não deu para ler a resposta a uma transação"],
        "um 200 a uma transação é um objeto JSON com os números inteiros `limite` e `saldo`",
    ),
    Rule::worded(
        Severity::Must,
        "statement-shape",
        "a statement is a JSON object with `saldo` and `ultimas_transacoes` as the contest describes them",
        ["a statement could not be read", "não deu para ler um extrato"],
        "um extrato é um objeto JSON com `saldo` e `ultimas_transacoes` como a rinha os descreve",
    ),
    Rule::worded(
        Severity::Must,
        "bad-amount-accepted",
        "a `valor` that is no positive whole number is refused with 422 or 400",
        ["a transaction with a wrong `valor` was accepted", "uma transação com um `valor` errado foi aceita"],
        "um `valor` que não é inteiro positivo é recusado com 422 ou 400",
    ),
    Rule::worded(
        Severity::Must,
        "bad-kind-accepted",
        "a `tipo` that is neither `c` nor `d` is refused with 422 or 400",
        ["a transaction with a wrong `tipo` was accepted", "uma transação com um `tipo` errado foi aceita"],
        "um `tipo` que não é `c` nem `d` é recusado com 422 ou 400",
    ),
    Rule::worded(
        Severity::Must,
        "bad-description-accepted",
        "a `descricao` that has not 1 to 10 characters is refused with 422 or 400",
        [
            "a transaction with a wrong `descricao` was accepted",
            "uma transação com uma `descricao` errada foi aceita",
        ],
        "uma `descricao` que não tem de 1 a 10 caracteres é recusada com 422 ou 400",
    ),
    Rule::worded(
        Severity::Must,
        "valid-refused",
        "a transaction that keeps all rules is done",
        [
            "a transaction that keeps all rules was refused",
            "uma transação que cumpre todas as regras foi recusada",
        ],
        "uma transação que cumpre todas as regras é feita",
    ),
    Rule::worded(
        Severity::Must,
        "unknown-client",
        "a client that there is not is answered 404",
        [
            "a client that there is not was answered otherwise than by 404",
            "um cliente que não existe foi respondido sem 404",
        ],
        "um cliente que não existe é respondido com 404",
    ),
    Rule::worded(
        Severity::Must,
        "client-missing",
        "the five clients are there from the start",
        ["a client was not there", "um cliente não estava lá"],
        "os cinco clientes existem desde o início",
    ),
    Rule::worded(
        Severity::Must,
        "first-total",
        "after 25 debits of 1 the total is -25, after 25 credits of 1 it is 0",
        [
            "the total after 25 transactions of 1 was another",
            "o total depois de 25 transações de 1 foi outro",
        ],
        "depois de 25 débitos de 1 o total é -25, depois de 25 créditos de 1 é 0",
    )
    .of_fresh(),
    Rule::worded(
        Severity::Must,
        "server-error",
        "a request that the rules speak of has an answer, and no 5xx",
        [
            "a request was answered with a 5xx, or not at all",
            "um pedido foi respondido com um 5xx, ou nem foi",
        ],
        "um pedido de que as regras falam tem resposta, e não um 5xx",
    ),
    Rule::worded(
        Severity::Should,
        "contest-order",
        "a user finds its own transactions first, unless others move the same account meanwhile",
        [
            "a user did not find its own transactions first",
            "um usuário não achou primeiro as próprias transações",
        ],
        "um usuário acha primeiro as próprias transações, a não ser que outros mexam na mesma conta",
    ),
    Rule::worded(
        Severity::Should,
        "exact-status",
        "a debit beyond the limit is refused with 422",
        ["a debit was refused with 400 in place of 422", "um débito foi recusado com 400 em vez de 422"],
        "um débito além do limite é recusado com 422",
    ),
    Rule::worded(
        Severity::Should,
        "date-form",
        "`data_extrato` and `realizada_em` are times as RFC 3339 has them",
        ["a date was not as RFC 3339 has it", "uma data não veio como na RFC 3339"],
        "`data_extrato` e `realizada_em` são instantes como na RFC 3339",
    ),
    Rule::worded(
        Severity::Should,
        "content-type-json",
        "JSON is sent as `application/json`",
        ["JSON was sent under another type", "JSON veio com outro tipo"],
        "JSON é enviado como `application/json`",
    ),
    Rule::worded(
        Severity::Should,
        "wide-amount",
        "an amount beyond 32 bits is taken where the balance has room for it",
        ["an amount beyond 32 bits was refused", "um valor além de 32 bits foi recusado"],
        "um valor além de 32 bits é aceito quando o saldo comporta",
    ),
    Rule::worded(
        Severity::Should,
        "further-keys",
        "keys that the contest does not name make no difference to a transaction",
        ["a transaction with a further key was refused", "uma transação com uma chave a mais foi recusada"],
        "chaves que a rinha não nomeia não fazem diferença numa transação",
    ),
];
