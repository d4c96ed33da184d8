//! Scenarios of a file as requests to one server.

use std::path::Path;

use super::{RequestOptions, Requests, headers};
use crate::challenge::{Scenario, Scenarios};
use crate::error::PlanError;
use crate::places::Places;
use crate::template::Part;

impl RequestOptions {
    /// Scenarios of a file, or of a challenge's, all or `only` those of these names. From the options come the address,
    /// whose path is put before each target; header lines, which a step's own replace; statuses that end the load; the
    /// seed; and each timeout that they name, in place of the file's.
    ///
    /// # Errors
    /// What is wrong, named as it was written, with what to do.
    pub fn resolve_scenarios(&self, file: &Path, only: &[String]) -> Result<Requests, PlanError> {
        let mut all = Scenarios::read(file, only)?;
        let [url] = &self.parse_urls()?[..] else {
            let hint = "give one address, whose server is sent all of them";
            return Err(PlanError::Invalid(format!("scenarios are of one server\nhint: {hint}")));
        };
        let (path, query) = url.path.split_once('?').map_or((url.path.as_str(), None), |(p, q)| (p, Some(q)));
        if let Some(query) = query {
            let hint = "write it in the file's steps";
            return Err(PlanError::Invalid(format!("`?{query}` would stand before each path\nhint: {hint}")));
        }
        let lines = headers::resolve(&self.headers, &[], &mut Places::default())?;
        lines.check_length(None)?;
        all.headers.retain(|header| !lines.gives(&header.name));
        all.headers.extend_from_slice(&lines.headers);
        all.scenarios.iter_mut().for_each(|scenario| put_behind(path.trim_end_matches('/'), scenario));
        let urls = vec![url.clone(); all.scenarios.len()];
        self.sent(all, urls, &lines)
    }
}

/// Puts a path before those of a scenario.
fn put_behind(path: &str, scenario: &mut Scenario) {
    for step in &mut scenario.steps {
        if !matches!(step.target.parts().first(), Some(Part::Location(_))) {
            step.target = std::mem::take(&mut step.target).behind(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::address::Url;
    use crate::load::{Address, Arrivals, Pick, Pool, Transport};

    /// Seconds of connecting and of an answer.
    fn timeouts(file: &str, answer: Option<&str>, connect: Option<&str>) -> (u64, u64) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.toml");
        let step = "[[scenario]]\nname = 'a'\n[[scenario.step]]\nname = 'b'\nrequest = 'GET /'\n";
        std::fs::write(&path, format!("{file}\n{step}")).unwrap();
        let request = RequestOptions {
            urls: vec!["http://h/".to_owned()],
            timeout: answer.map(str::to_owned),
            connect_timeout: connect.map(str::to_owned),
            ..RequestOptions::default()
        };
        let timeouts = request.resolve_scenarios(&path, &[]).unwrap().timeouts;
        (timeouts.connect_ns / 1_000_000_000, timeouts.answer_ns / 1_000_000_000)
    }

    #[test]
    fn other_rows_generated_values_or_checks_are_other_requests() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.toml");
        let digest = |row: &str, most: u8, expected: u8| {
            let text = format!(
                "[[feeder]]\nname = 'f'\nfile = 'f.csv'\n[[scenario]]\nname = 'a'\nfeeder = 'f'\n[[scenario.step]]\n\
                 name = 'b'\nrequest = 'GET /{{x}}/{{random:1:{most}}}'\nexpect-json = '/a = {expected}'\n"
            );
            std::fs::write(&path, text).unwrap();
            std::fs::write(folder.path().join("f.csv"), format!("x\n{row}\n")).unwrap();
            let request = RequestOptions { urls: vec!["http://h/".to_owned()], ..RequestOptions::default() };
            let nobody = Arrivals::Closed { users: 1, total: Some(0), duration_ns: None };
            let nowhere = |_: &Url| Ok::<_, Infallible>(Address::Unix("/nowhere".into()));
            let requests = request.resolve_scenarios(&path, &[]).unwrap();
            let plan =
                requests.into_plan(nobody, Pick::InTurn, Transport::default(), Pool::default(), nowhere);
            plan.unwrap().requests_sha256()
        };
        let first = digest("1", 5, 3);
        assert_eq!(digest("1", 5, 3), first);
        for other in [digest("2", 5, 3), digest("1", 6, 3), digest("1", 5, 4)] {
            assert_ne!(other, first);
        }
    }

    #[test]
    fn each_timeout_is_the_commands_or_else_the_files() {
        let file = "[timeouts]\nconnect = '3s'\nanswer = '4s'";
        assert_eq!(timeouts(file, None, None), (3, 4));
        assert_eq!(timeouts(file, None, Some("1s")), (1, 4));
        assert_eq!(timeouts(file, Some("2s"), None), (2, 2));
        assert_eq!(timeouts("", None, Some("1s")), (1, 10));
    }
}
