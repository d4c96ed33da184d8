//! The one table of words: English and Portuguese beside each other, so that neither can be forgotten.

use galo_words::Both;

macro_rules! words {
    ($($name:ident: $en:literal, $pt:literal;)*) => {
        $(pub(crate) const $name: Both = Both::word($en, $pt);)*

        /// All of them, for the tests.
        #[cfg(test)]
        pub(crate) const ALL: &[(&str, Both)] = &[$((stringify!($name), $name)),*];
    };
}

words! {
    // The frame of every page.
    LANGUAGE: "Language", "Idioma";
    COLOURS: "Colours", "Cores";
    AUTO: "auto", "auto";
    LIGHT: "light", "claras";
    DARK: "dark", "escuras";
    NO_SCRIPT: "Charts, the switch of language and that of colours need JavaScript; the tables hold the figures all the same.",
        "Gráficos e a troca de idioma e de cores precisam de JavaScript; as tabelas trazem os números mesmo assim.";
    EVIDENCE: "evidence", "evidência";
    DO_IT_AGAIN: "Do it again with", "Para repetir";
    COPY: "Copy", "Copiar";

    // What is answered in ten seconds.
    WHO_WON: "Who won?", "Quem venceu?";
    BY_HOW_MUCH: "By how much?", "Por quanto?";
    IS_IT_REAL: "Is it real?", "É real?";
    WHAT_HELD_BACK: "What held the other back?", "O que segurou o outro?";
    NOBODY: "nobody", "ninguém";
    NOTHING_TO_COMPARE: "nothing to compare", "nada a comparar";
    NO_FINDING_SAYS: "no finding says", "nenhuma constatação diz";
    INCONCLUSIVE: "inconclusive: too much noise to tell", "inconclusivo: ruído demais para dizer";
    OF_DIFFERENT_WORK: "they do not answer the same", "não respondem o mesmo";
    IT_MAY_BE_NOISE: "no: it may as well be noise", "não: pode muito bem ser ruído";
    IT_BROKE_A_RULE: "yes: a broken rule is a fact, whatever the figures", "sim: uma regra quebrada é um fato, sejam quais forem os números";
    IT_DID_NOT_START: "yes: it did not start", "sim: não iniciou";
    SAYS_NOTHING: "no: galo or the machine spoiled it", "não: o galo ou a máquina estragou a medição";
    VOID_TOO_OFTEN: "no: too many rounds of one are void", "não: muitas rodadas de um são nulas";
    TOO_LIGHT: "not known: the load was too light for both", "não se sabe: a carga foi leve demais para ambos";
    NOT_WITH_SO_FEW: "not known yet", "ainda não se sabe";

    // What held a side of a duel back.
    HELD_EACH_BACK: "What held each side back", "O que segurou cada lado";
    HELD_BY_MEMORY: "its memory limit", "o seu limite de memória";
    HELD_BY_CPU_LIMIT: "its CPU limit", "o seu limite de CPU";
    HELD_BY_ONE_THREAD: "one thread that takes a whole core", "uma thread que toma um núcleo inteiro";
    HELD_BY_ALL_CORES: "all the cores that were left", "todos os núcleos que sobravam";
    HELD_BY_BUSY_CORES: "waiting for a core", "a espera por um núcleo";
    HELD_BY_GALO: "galo, which could not ask for more", "o galo, que não podia pedir mais";
    HELD_BY_SOMETHING_ELSE: "neither CPU nor memory", "nem CPU nem memória";
    HELD_BY_NOTHING: "neither CPU nor memory at that rate", "nem CPU nem memória nessa taxa";

    // A league.
    NOBODY_IS_LEFT: "no entry is left that may be ranked", "não sobrou inscrição que possa ser classificada";
    LIGHT_LEAGUE: "no entry came anywhere near a limit: a light load ties everybody; raise it with --scale",
        "nenhuma inscrição chegou perto de um limite: carga leve empata todo mundo; aumente-a com --scale";
    RANKING: "Ranking", "Classificação";
    RANKING_CAPTION: "Those that are in, the best first: places as far as they are proven, means over rounds",
        "As que seguem na disputa, a melhor primeiro: lugares até onde estão provados, médias das rodadas";
    RANKING_NOTE: "A place of 2-5 may be any of these. Between those that share a group no difference is proven. Ratios of p99 are within blocks, divided by that of the first place, with intervals for all comparisons and looks together",
        "Um lugar 2-5 pode ser qualquer um deles. Entre as que têm um grupo em comum nenhuma diferença foi provada. As razões de p99 são dentro dos blocos, divididas pela do primeiro lugar, com intervalos para todas as comparações e olhadas juntas";
    PLACE: "place", "lugar";
    GROUP: "group", "grupo";
    ENTRY: "entry", "inscrição";
    LANGUAGE_OF_ENTRY: "language", "linguagem";
    BY_FIRST: "p99 by the first", "p99 pela primeira";
    COUNTED_AT_REST: "counted", "contados";
    RIGHT_ANSWERS: "right answers", "respostas certas";
    ROUNDS_THAT_COUNT: "rounds", "rodadas";
    HIGHEST_SCALE: "highest scale", "maior escala";
    OF_THIS_ENTRY: "This entry, as the ranking tells it", "Esta inscrição, como a classificação a mostra";
    AGAINST_OTHERS: "Against the others", "Contra as outras";
    WHERE_IT_TOOK_PART: "Where it took part", "Onde participou";
    ITS_CHECK: "its check", "a sua verificação";
    RANKED: "ranked", "classificadas";
    OUT_BY_RULE: "out by a rule", "fora por uma regra";
    FILES_REFUSED: "files not accepted", "arquivos não aceitos";
    BROKE_A_RULE: "Broke a rule", "Quebraram uma regra";
    ENTRIES_NOT_STARTED: "Did not start", "Não iniciaram";
    FILE_REFUSED: "File not accepted", "Arquivo não aceito";

    // A sweep.
    SETTINGS: "settings", "configurações";
    RIGHT_ANSWERS_PER_S: "Right answers per second", "Respostas certas por segundo";
    SWEEP_NOTE: "Means over rounds, as they were measured: settings that met in other blocks differ by those blocks' luck as well",
        "Médias das rodadas, como foram medidas: configurações que se encontraram em outros blocos diferem também pela sorte desses blocos";
    WHAT_RAN_OUT: "What ran out", "O que faltou";
    WHAT_RAN_OUT_CAPTION: "The finding that most rounds name, each with a page in docs/findings", "O achado que a maioria das rodadas nomeia, cada um com uma página em docs/findings";
    WHO_IS_FIRST: "Who is first", "Quem é o primeiro";
    FIRST_CAPTION: "Who is proven better than each other at that setting", "Quem está provado melhor que cada outro nessa configuração";
    FIRST_NOTE: "By right answers, then p99, then CPU, within blocks; the chance of any false name in the table is 5 % over all settings and looks",
        "Por respostas certas, depois p99, depois CPU, dentro dos blocos; a chance de qualquer nome falso na tabela é 5 % sobre todas as configurações e olhadas";
    AT_EACH_SETTING: ", at each setting", ", em cada configuração";
    OUT_IN_BRACKETS: "Figures in [brackets] are of a contender that is out at that setting, and are not ranked",
        "Números entre [colchetes] são de um competidor que está fora nessa configuração e não entram na disputa";
    OUT_AT_SETTINGS: "Out at settings", "Fora em configurações";
    DID_NOT_START_BECAUSE: "did not start: ", "não iniciou: ";

    // A search for the best setting.
    TO_PASTE: "To paste into the Compose file", "Para colar no arquivo Compose";
    BEST_AGAINST_START: "The best against the start", "A melhor contra o início";
    WHAT_MATTERED: "What mattered", "O que importou";
    EFFECTS_CAPTION: "The largest factor that turning one alone makes, from the best setting on, as expected by all tries",
        "O maior fator que girar um só faz, a partir da melhor configuração, como se espera por todas as tentativas";
    EVERY_TRY: "Every try", "Todas as tentativas";
    TRIES_CAPTION: "Settings, in the order in which they were tried", "Configurações, na ordem em que foram tentadas";
    THE_BEST: "the best", "a melhor";

    // Sections.
    SCORE: "Score card", "Placar";
    FIELD: "All contenders", "Todos os competidores";
    FIELD_COSTS_CAPTION: "What each gave and cost: thousands of right answers a second; for each of them its own CPU time and that of the whole machine; its share of a core",
        "O que cada um entregou e custou: milhares de respostas certas por segundo; para cada uma, o tempo de CPU próprio e o da máquina inteira; a sua parte de um núcleo";
    FIELD_TIMES_CAPTION: "Service times of right answers, and the latency from the intended start", "Tempos de serviço das respostas corretas, e a latência desde o início previsto";
    THOUSAND_ANSWERS: "1,000/s", "1.000/s";
    CPU_US_AN_ANSWER: "CPU us", "us de CPU";
    CPU_SHARE_OF_TIME: "core", "núcleo";
    CPU_OF_MACHINE: "machine us", "us da máquina";
    P99_RATIO: "p99, ratio", "p99, razão";
    CPU_RATIO: "CPU of all, ratio", "CPU de tudo, razão";
    P99_GROUP: "by p99", "por p99";
    CPU_GROUP: "by CPU", "por CPU";
    DEVIATION: "deviation", "desvio";
    WHY: "Why", "Por quê";
    OVER_TIME: "Over time", "Ao longo do tempo";
    PERCENTILES: "Latency percentiles", "Percentis de latência";
    DISTRIBUTION: "Response times in classes", "Tempos de resposta em classes";
    WHERE_THE_CPU_WENT: "Where the CPU went", "Para onde foi a CPU";
    BROKEN_RULES: "Broken rules", "Regras quebradas";
    LEDGER: "Ledger", "Livro-razão";
    MACHINE_AND_PLAN: "Machine and plan", "Máquina e plano";
    PLAN: "Plan", "Plano";
    TURN_BY_TURN: "Pair by pair", "Par a par";
    ANSWERS: "Answers", "Respostas";

    // Score card.
    CARD_CAPTION: "Geometric means over the rounds that count", "Médias geométricas das rodadas que contam";
    CARD_STRUCK: "; figures that are struck through, or in [brackets], are those of a disqualified contender and are not ranked",
        "; números riscados, ou entre [colchetes], são de um competidor desclassificado e não entram na disputa";
    TOLD_ONLY: "told only", "só informado";
    PRIMARY: "primary", "principal";
    IN_CONTAINERS: ", in containers", ", em contêineres";
    DISQUALIFIED: "disqualified", "desclassificado";
    VALID_ROUNDS: "valid rounds", "rodadas válidas";
    DISQUALIFIED_ROUNDS: "disqualified rounds", "rodadas desclassificadas";
    VOID_ROUNDS: "void rounds", "rodadas nulas";
    DID_NOT_START: "did not start", "não iniciou";

    BETTER: "better", "melhor";
    WORSE: "worse", "pior";
    NO_DIFFERENCE: "no difference", "sem diferença";
    NOT_MEASURED: "not measured", "não medido";
    TOO_FEW_ROUNDS: "too few rounds", "rodadas insuficientes";
    P50: "p50", "p50";
    P99: "p99", "p99";
    P999: "p99.9", "p99,9";
    ANSWERS_PER_S: "answers/s", "respostas/s";
    CPU_PER_1000: "CPU per 1,000 correct", "CPU por 1.000 corretas";
    CPU_PER_ANSWER: "CPU for each answer", "CPU por resposta";
    MEMORY: "memory", "memória";
    MEMORY_PEAK: "memory peak", "pico de memória";
    ANONYMOUS_PEAK: "anonymous peak", "pico anônimo";
    ELAPSED: "elapsed", "tempo decorrido";
    START: "slowest start", "início mais lento";

    // Findings and rules.
    NO_FINDING: "Nothing was found.", "Nada foi constatado.";
    NO_RULE_BROKEN: "No rule was broken.", "Nenhuma regra foi quebrada.";
    THE_REQUESTS: "the very requests", "as próprias requisições";
    CONFORMANCE: "Conformance", "Conformidade";
    REQUESTS_BEFORE: "The requests before it:", "As requisições anteriores:";
    THE_ANSWER: "The answer:", "A resposta:";
    MUST: "must", "obrigatório";
    SHOULD: "should", "recomendado";
    NOTE: "note", "nota";
    GALO_IS_TO_BLAME: "galo is to blame", "culpa do galo";
    THE_MACHINE_IS_TO_BLAME: "the machine is to blame", "culpa da máquina";
    IN_ITS_ROUND: "in its round", "na sua rodada";
    ANSWERS_DIFFER: "Where answers differ", "Onde as respostas diferem";
    AT: "at", "em";

    // Charts and their tables.
    HOW_TO_READ: "All charts share one time axis and one cursor: point at a second, or focus the charts and press the arrow keys. Drag to look closer, double-click to see all again; with keys + and -. Latency by second is of right answers alone; the score card's is of everything that fell due, where what was not answered rightly counts as 60 s.",
        "Todos os gráficos dividem um eixo de tempo e um cursor: aponte para um segundo, ou foque os gráficos e use as setas. Arraste para ver de perto, clique duas vezes para ver tudo; com o teclado, + e -. A latência por segundo é só das respostas corretas; a do placar é de tudo que era devido, em que o que não foi respondido corretamente conta como 60 s.";
    PERCENTILES_CAPTION: "Latency of everything that ended, from the intended start, and service time of right answers only, from the actual send",
        "Latência de tudo que terminou, desde o início previsto, e tempo de serviço só das respostas corretas, desde o envio de fato";
    LATENCY_OF_ALL: "latency (all that ended)", "latência (tudo que terminou)";
    SERVICE_TIME_OF_RIGHT: "service time (right answers)", "tempo de serviço (respostas corretas)";
    ERRORS: "errors", "erros";
    MAX: "max", "máx.";
    MEAN: "mean", "média";
    CLASS: "class", "classe";
    CLASSES_CAPTION: "Right answers by latency from the intended start, and what was not right", "Respostas corretas por latência desde o início previsto, e o que não foi correto";
    NUMBER: "operations", "operações";
    SHARE: "share", "parcela";
    NOT_RIGHT: "not right", "não corretas";
    CPU_CAPTION: "CPU of each service over the rounds that count, and for 1,000 right answers", "CPU de cada serviço nas rodadas que contam, e por 1.000 respostas corretas";
    SERVICE: "service", "serviço";
    CPU_USED: "CPU used", "CPU usada";
    SHARE_OF_ALL: "share of all", "parcela do total";
    CONTAINER_ENGINE: "container engine", "motor de contêineres";
    ALL_SERVICES: "all", "total";
    SERVICES_CAPTION: "CPU and memory of each service in one round of each contender, each by itself: their peaks need not fall into one moment, as the score card's does",
        "CPU e memória de cada serviço em uma rodada de cada competidor, cada um por si: seus picos não precisam cair no mesmo instante, como o do placar";
    CPU_LIMIT: "CPU limit", "limite de CPU";
    NO_LIMIT: "no limit", "sem limite";
    THROTTLED_PERIODS: "throttled periods", "períodos com CPU cortada";
    THROTTLED_FOR: "throttled for", "tempo com CPU cortada";
    SERVICE_MEMORY_PEAK: "memory peak", "pico de memória";
    SERVICE_ANONYMOUS_PEAK: "anonymous peak", "pico anônimo";
    MEMORY_LIMIT: "memory limit", "limite de memória";
    KILLED_FOR_MEMORY: "killed for memory", "mortos por falta de memória";

    // Ledger.
    LEDGER_ADDS_UP: "Nothing is dropped: intended = ok + wrong + failed + timed out + unfinished.",
        "Nada se perde: previstas = certas + erradas + falhas + expiradas + inacabadas.";
    LEDGER_CAPTION: "Operations of the compared scenarios, and what was stored, by round", "Operações dos cenários comparados, e o que foi gravado, por rodada";
    DUEL_LEDGER_CAPTION: "Operations of all turns", "Operações de todos os turnos";
    ROUND: "round", "rodada";
    CONTENDER: "contender", "competidor";
    STANDING: "standing", "situação";
    VALID: "valid", "válida";
    VOID: "void", "nula";
    NOT_READY: "not ready", "não iniciou";
    INTENDED: "intended", "previstas";
    OK: "ok", "certas";
    WRONG: "wrong", "erradas";
    FAILED: "failed", "falhas";
    TIMED_OUT: "timed out", "expiradas";
    UNFINISHED: "unfinished", "inacabadas";
    CREATED: "created", "criadas";
    CEILING: "ceiling", "teto";
    PROBES: "probes", "sondas";
    UNKNOWN: "unknown", "desconhecidas";
    COUNTED: "counted", "contadas";
    CONTEST_SCORE: "contest's score", "pontuação da rinha";
    SETTLED_AFTER: "settled after", "estável após";
    STEP: "step", "passo";
    PROBE: "probe", "sonda";
    CAME_BACK: "answers", "respostas";
    LATENCY_P50: "latency p50", "latência p50";
    LATENCY_P99: "latency p99", "latência p99";
    LATENCY_P999: "latency p99.9", "latência p99,9";
    LATENCY_MAX: "latency max", "latência máx.";
    SERVICE_TIME_P50: "service time p50 (right)", "tempo de serviço p50 (corretas)";
    SERVICE_TIME_P99: "service time p99 (right)", "tempo de serviço p99 (corretas)";
    ENGINE_CAPTION: "galo's own part, and what the machine saw during the load, by round", "A parte do próprio galo, e o que a máquina viu durante a carga, por rodada";
    LAG_P50: "lag p50", "atraso p50";
    LAG_P99: "lag p99", "atraso p99";
    LAG_MAX: "lag max", "atraso máx.";
    CPU_OF_ENGINE: "CPU of engine threads", "CPU das threads do motor";
    CPU_OF_GALO: "CPU of all of galo", "CPU de todo o galo";
    THREADS: "threads", "threads";
    PRIORITY: "priority", "prioridade";
    CONNECTIONS: "connections", "conexões";
    STEAL: "steal", "CPU roubada";
    ACCEPT_QUEUE_FULL: "accept queue full", "fila de accept cheia";
    CONNECTIONS_DROPPED: "connections dropped", "conexões descartadas";
    SENT_AGAIN: "segments sent again", "segmentos reenviados";

    // Machine and plan.
    STARTED: "started", "início";
    CHALLENGE: "challenge", "desafio";
    SEED: "seed", "semente";
    DATA: "data (SHA-256)", "dados (SHA-256)";
    BUDGET: "budget", "orçamento";
    PROCESSOR: "processor", "processador";
    SYSTEM: "system", "sistema";
    CONTROL_GROUPS: "control groups", "grupos de controle";
    CLOCK_SOURCE: "clock source", "fonte do relógio";
    NOISE_FLOOR: "noise floor", "piso de ruído";
    REQUEST: "request", "requisição";
    SIDE: "side", "lado";
    LOADS: "loads", "cargas";
    WARM_AT: "reached in warm-up", "alcançado no aquecimento";
    RAN_BEFORE: "ran before", "já rodava";

    // A scan.
    DUELS: "Duels", "Duelos";
    HELD_AGAINST: "what all are held against", "a base de comparação";
    VALUE_OF_THE_ROW: "at the value of the row", "com o valor da linha";
    EACH_IN_ITS_WAY: "each in its own way", "cada um a seu modo";

    // Of the script: named again in CHART_WORDS.
    LATENCY_AXIS: "Latency of right answers, from the intended start, ms", "Latência das respostas corretas, desde o início previsto, ms";
    RATE_AXIS: "Operations per second", "Operações por segundo";
    ERRORS_AXIS: "Not right, per second", "Não corretas, por segundo";
    CPU_AXIS: "CPU, % of each service's limit", "CPU, % do limite de cada serviço";
    CPU_AXIS_UNLIMITED: "CPU used, cores", "CPU usada, núcleos";
    THROTTLED_AXIS: "Throttled, % of periods", "CPU cortada, % dos períodos";
    MEMORY_AXIS: "Memory, % of each service's limit", "Memória, % do limite de cada serviço";
    MEMORY_AXIS_UNLIMITED: "Memory, MiB", "Memória, MiB";
    PERCENTILE_AXIS: "By percentile, ms", "Por percentil, ms";
    PAIR_AXIS: "p99 by pair, ms", "p99 por par, ms";
    ARRIVALS: "arrivals", "chegadas";
    DONE: "completed", "concluídas";
    LIMIT: "limit", "limite";
    SECOND: "second", "segundo";
    PERCENTILE: "percentile", "percentil";
    PAIR: "pair", "par";
    OVERLAID: "overlaid", "sobrepostos";
    SIDE_BY_SIDE: "side by side", "lado a lado";
    NOT_SHOWN: "not shown", "oculto";
    LINE: "line", "linha";
    LEAST: "least", "mínimo";
    MOST: "most", "máximo";
    MOST_AT: "most at", "máximo em";
    AS_A_TABLE: "as a table", "em tabela";
    COPIED: "copied", "copiado";
    FIND_ROWS: "Rows with", "Linhas com";
}

/// The words that the script needs, by the names that it knows them by.
pub(crate) const CHART_WORDS: &[(&str, Both)] = &[
    ("latencyAxis", LATENCY_AXIS),
    ("rateAxis", RATE_AXIS),
    ("errorsAxis", ERRORS_AXIS),
    ("cpuAxis", CPU_AXIS),
    ("cpuAxisUnlimited", CPU_AXIS_UNLIMITED),
    ("throttledAxis", THROTTLED_AXIS),
    ("memoryAxis", MEMORY_AXIS),
    ("memoryAxisUnlimited", MEMORY_AXIS_UNLIMITED),
    ("percentileAxis", PERCENTILE_AXIS),
    ("pairAxis", PAIR_AXIS),
    ("arrivals", ARRIVALS),
    ("done", DONE),
    ("notRight", NOT_RIGHT),
    ("latency", LATENCY_OF_ALL),
    ("serviceTime", SERVICE_TIME_OF_RIGHT),
    ("limit", LIMIT),
    ("second", SECOND),
    ("percentile", PERCENTILE),
    ("pair", PAIR),
    ("round", ROUND),
    ("overlaid", OVERLAID),
    ("sideBySide", SIDE_BY_SIDE),
    ("notShown", NOT_SHOWN),
    ("line", LINE),
    ("least", LEAST),
    ("mean", MEAN),
    ("most", MOST),
    ("mostAt", MOST_AT),
    ("asATable", AS_A_TABLE),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// What both languages call the same.
    const ALIKE: &[&str] = &["AUTO", "P50", "P99", "THREADS"];

    #[test]
    fn every_word_is_there_in_both_languages() {
        for (name, Both { en, pt }) in ALL {
            assert!(!en.is_empty() && !pt.is_empty(), "{name}");
            assert_eq!(en == pt, ALIKE.contains(name), "{name}: {en}, {pt}");
        }
    }

    #[test]
    fn the_script_asks_for_no_word_that_is_not_there_and_leaves_none_out() {
        let script = concat!(
            include_str!("../../../templates/drawings.js"),
            include_str!("../../../templates/charts.js")
        );
        let asked: Vec<&str> = script
            .split("word(\"")
            .skip(1)
            .filter_map(|rest| rest.split_once('"').map(|(word, _)| word))
            .collect();
        for word in &asked {
            assert!(CHART_WORDS.iter().any(|(name, _)| name == word), "{word} is no word");
        }
        for (name, _) in CHART_WORDS {
            assert!(asked.contains(name), "{name} is never asked for");
        }
    }
}
