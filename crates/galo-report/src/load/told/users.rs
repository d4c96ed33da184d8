//! Users of scenarios: how many began, and where they stopped short.

use galo_judge::load::{JudgedLoad, Users};
use galo_words::{Both, say};

pub(super) fn begun(users: Users) -> Both {
    Both::each(|lang| {
        let begun = lang.whole(users.begun);
        let asked = users.asked_per_s.map_or_else(String::new, |rate| {
            let rate = super::per_second(rate, lang);
            say!(lang, ", {rate} asked", ", {rate} pedidos")
        });
        say!(lang, "users: {begun} began{asked}", "usuários: {begun} começaram{asked}")
    })
}

/// Where users stopped short of a step, at the first step of each such place.
pub(super) fn left_out(load: &JudgedLoad) -> impl Iterator<Item = Both> {
    let before = |index: usize| index.checked_sub(1).map_or(0, |index| load.parts[index].left_out);
    let at = load.parts.iter().enumerate();
    let fewer = at.filter(move |(index, step)| step.left_out > before(*index) && !load.interrupted);
    fewer.map(|(_, step)| {
        Both::each(|lang| {
            let users = lang.whole(step.left_out + step.answered.ledger.intended);
            let (without, step) = (lang.whole(step.left_out), &step.name);
            say!(
                lang,
                "{without} of {users} users did not come to `{step}`: they had nothing to send, or time was over",
                "{without} de {users} usuários não chegaram a `{step}`: não tinham o que enviar, ou o tempo acabou"
            )
        })
    })
}
