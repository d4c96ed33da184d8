//! What figures, measures, loads and bottlenecks are called, and all other words that stand by themselves.

mod consts;

use galo_judge::Measure;
use galo_judge::bottleneck::Bottleneck;
use galo_record::StartFailure;
use galo_record::duel::Level;
use galo_words::{Both, Figure};

pub(crate) use consts::*;

/// What a measure is called in the score card. `service_level_ms` is the bound of a good answer.
pub(crate) fn measure(measure: Measure, service_level_ms: f64) -> Both {
    match measure {
        Measure::CorrectWithinServiceLevel => {
            let level = Both::figure(Figure::Number(service_level_ms, 0));
            Both::new(format!("correct within {} ms", level.en), format!("corretas em até {} ms", level.pt))
        }
        Measure::LatencyUsP50 => P50,
        Measure::LatencyUsP99 => P99,
        Measure::LatencyUsP999 => P999,
        Measure::CpuMsPer1000 => CPU_PER_1000,
        Measure::MemoryPeakBytes => MEMORY_PEAK,
        Measure::AnonymousPeakBytes => ANONYMOUS_PEAK,
        Measure::ElapsedS => ELAPSED,
        Measure::StartS => START,
        Measure::AnswersPerS => ANSWERS_PER_S,
    }
}

/// A class of reasons, before the reason.
pub(crate) const fn start_failure(class: StartFailure) -> Both {
    match class {
        StartFailure::Killed => Both::word("killed: ", "morta: "),
        StartFailure::MountedFileMissing => Both::word("mounted file missing: ", "arquivo montado ausente: "),
        StartFailure::Exited => Both::word("exited: ", "terminou: "),
        StartFailure::WrongPlatform => Both::word("wrong platform: ", "plataforma errada: "),
        StartFailure::UnknownHost => Both::word("unknown host: ", "host desconhecido: "),
        StartFailure::ImageGone => Both::word("image gone: ", "imagem inexistente: "),
        StartFailure::NotReadyInTime => Both::word("not ready in time: ", "não ficou pronta a tempo: "),
        StartFailure::NotBuilt => Both::word("not built: ", "não foi construída: "),
        StartFailure::Other => Both::word("", ""),
    }
}

/// What a measure is called in a sentence.
pub(crate) const fn in_sentence(measure: Measure) -> Both {
    match measure {
        Measure::CorrectWithinServiceLevel => Both::word(
            "correct answers within the service level",
            "respostas corretas dentro do nível de serviço",
        ),
        Measure::LatencyUsP50 => P50,
        Measure::LatencyUsP99 => P99,
        Measure::LatencyUsP999 => P999,
        Measure::CpuMsPer1000 => {
            Both::word("CPU time per 1,000 correct answers", "tempo de CPU por 1.000 respostas corretas")
        }
        Measure::MemoryPeakBytes => Both::word("peak memory", "pico de memória"),
        Measure::AnonymousPeakBytes => Both::word("peak anonymous memory", "pico de memória anônima"),
        Measure::ElapsedS => Both::word("elapsed time", "tempo decorrido"),
        Measure::StartS => Both::word(
            "time until the slowest service was ready",
            "tempo até o serviço mais lento ficar pronto",
        ),
        Measure::AnswersPerS => ANSWERS_PER_S,
    }
}

/// What a measure of a duel is called.
pub(crate) const fn duel_measure(measure: Measure) -> Both {
    match measure {
        Measure::CpuMsPer1000 => CPU_PER_ANSWER,
        Measure::AnonymousPeakBytes => MEMORY,
        other => in_sentence(other),
    }
}

/// How hard a load of a duel is.
pub const fn level(level: Level) -> Both {
    match level {
        Level::Asked => Both::word("as asked for", "como pedido"),
        Level::Half => Both::word("half of what the slower reaches", "metade do que o mais lento alcança"),
        Level::Near => Both::word("90 % of what the slower reaches", "90 % do que o mais lento alcança"),
        Level::Highest => Both::word("as much as it gives", "tanto quanto consegue"),
    }
}

/// What held a side of a duel back, in two or three words.
pub(crate) const fn bottleneck(by: Bottleneck) -> Both {
    match by {
        Bottleneck::OutOfMemory | Bottleneck::MemoryLimit => HELD_BY_MEMORY,
        Bottleneck::CpuLimit | Bottleneck::CpuLimitAtTimes => HELD_BY_CPU_LIMIT,
        Bottleneck::OneThread => HELD_BY_ONE_THREAD,
        Bottleneck::AllCores => HELD_BY_ALL_CORES,
        Bottleneck::BusyCores => HELD_BY_BUSY_CORES,
        Bottleneck::Galo => HELD_BY_GALO,
        Bottleneck::SomethingElse => HELD_BY_SOMETHING_ELSE,
        Bottleneck::Nothing => HELD_BY_NOTHING,
    }
}
