//! `service-left-its-group`: a process left its control group.

use galo_record::finding::Weight;
use galo_words::{Both, Lang, say};

use super::{About, Tell};

use galo_record::finding::ServiceLeftItsGroup;

pub(super) const ABOUT: About = About {
    weight: Weight::Must,
    headline: Both::word("a process left its control group", "um processo saiu do seu cgroup"),
    means: "Fora do cgroup os limites do serviço não valem para ele, então os números não dizem nada \
        sobre o orçamento.",
    remedy: Some(Both::word(
        "start the service without what opens a session (`su`, `sudo`, PAM, `systemd-run`): \
            `x-galo.user` makes it another user's",
        "Inicie o serviço sem o que abre uma sessão (`su`, `sudo`, PAM, `systemd-run`): com \
            `x-galo.user` ele roda com outro usuário.",
    )),
};

impl Tell for ServiceLeftItsGroup {
    fn sentence(&self, lang: Lang) -> String {
        let Self { service, pid, command, .. } = self;
        say!(
            lang,
            "process {pid} (`{command}`) of service `{service}` left its control group, and with it the service's limits",
            "o processo {pid} (`{command}`) do serviço `{service}` saiu do seu cgroup, e com isso dos limites do serviço"
        )
    }

    fn evidence(&self) -> Vec<Both> {
        self.groups.iter().map(|line| Both::same(line.clone())).collect()
    }
}
