//! Things that galo counts whatever the challenge is: one of each and several, in both languages.

/// A thing that is counted.
#[derive(Debug, Clone, Copy)]
pub struct Noun<'a> {
    /// One and several, in English.
    pub en: [&'a str; 2],
    /// One and several, in Portuguese.
    pub pt: [&'a str; 2],
}

/// `NAME: "one", "many"; "um", "muitos";`
macro_rules! nouns {
    ($($name:ident: $en:literal, $en_many:literal; $pt:literal, $pt_many:literal;)*) => {
        $(
            #[doc = $en_many]
            pub const $name: Noun<'static> = Noun { en: [$en, $en_many], pt: [$pt, $pt_many] };
        )*
    };
}

nouns! {
    ACKNOWLEDGED: "acknowledged creation", "acknowledged creations"; "criação confirmada", "criações confirmadas";
    ALLOCATION: "allocation", "allocations"; "alocação", "alocações";
    ANSWER: "answer", "answers"; "resposta", "respostas";
    BLOCK: "block", "blocks"; "bloco", "blocos";
    BYTE: "byte", "bytes"; "byte", "bytes";
    CHECK: "check", "checks"; "verificação", "verificações";
    CASE: "case", "cases"; "caso", "casos";
    CONNECTION: "connection", "connections"; "conexão", "conexões";
    CONTENDER: "contender", "contenders"; "competidor", "competidores";
    CORE: "core", "cores"; "núcleo", "núcleos";
    CREATION: "creation", "creations"; "criação", "criações";
    ELEMENT: "element", "elements"; "elemento", "elementos";
    ENTRY: "entry", "entries"; "inscrição", "inscrições";
    FAILED_OPERATION: "failed operation", "failed operations"; "operação falha", "operações falhas";
    FAULT: "major page fault", "major page faults"; "página lida do disco", "páginas lidas do disco";
    FORCED_WRITE: "forced write", "forced writes"; "escrita forçada", "escritas forçadas";
    GROUP: "group", "groups"; "grupo", "grupos";
    ACCOUNT: "account", "accounts"; "conta", "contas";
    BALANCE: "balance", "balances"; "saldo", "saldos";
    HOLD: "hold", "holds"; "patamar", "patamares";
    KEY: "key", "keys"; "chave", "chaves";
    LINE: "line", "lines"; "linha", "linhas";
    LOOK: "look", "looks"; "olhada", "olhadas";
    LOOKUP: "lookup", "lookups"; "consulta", "consultas";
    MOVE: "move", "moves"; "movimentação", "movimentações";
    MORE_PAIR: "more pair", "more pairs"; "par a mais", "pares a mais";
    OPENED_CONNECTION: "connection opened", "connections opened"; "conexão aberta", "conexões abertas";
    OPERATION: "operation", "operations"; "operação", "operações";
    ENGINE_THREAD: "engine thread", "engine threads"; "thread do motor", "threads do motor";
    PAIR: "pair", "pairs"; "par", "pares";
    PASS: "more pass", "more passes"; "passada a mais", "passadas a mais";
    PERIOD: "quota period", "quota periods"; "período da cota", "períodos da cota";
    READ: "read", "reads"; "leitura", "leituras";
    REFUSAL: "refusal", "refusals"; "recusa", "recusas";
    REFUSED: "refused creation", "refused creations"; "criação recusada", "criações recusadas";
    REQUEST: "request", "requests"; "requisição", "requisições";
    RETRIED: "retried", "retried"; "repetida", "repetidas";
    ROUND: "round", "rounds"; "rodada", "rodadas";
    ROW: "row", "rows"; "linha", "linhas";
    RULE: "rule", "rules"; "regra", "regras";
    RUN: "run", "runs"; "execução", "execuções";
    SAMPLE: "sample", "samples"; "amostra", "amostras";
    SEARCH: "search", "searches"; "busca", "buscas";
    TRY: "try", "tries"; "tentativa", "tentativas";
    SETTING: "setting", "settings"; "configuração", "configurações";
    SEGMENT: "TCP segment retransmitted", "TCP segments retransmitted"; "segmento TCP reenviado", "segmentos TCP reenviados";
    SLOW_OPERATION: "slow or failed operation", "slow or failed operations"; "operação lenta ou falha", "operações lentas ou falhas";
    STALL: "stall", "stalls"; "parada", "paradas";
    START: "start", "starts"; "início", "inícios";
    STATEMENT: "statement", "statements"; "extrato", "extratos";
    STEP: "step", "steps"; "passo", "passos";
    THREAD: "thread", "threads"; "thread", "threads";
    TURN: "turn", "turns"; "turno", "turnos";
    VOID_ROUND: "more void round", "more void rounds"; "outra rodada nula", "outras rodadas nulas";
    WRITE: "write", "writes"; "escrita", "escritas";
    WAITED: "waited for a free connection", "waited for a free connection"; "esperou por uma conexão livre", "esperaram por uma conexão livre";
}
