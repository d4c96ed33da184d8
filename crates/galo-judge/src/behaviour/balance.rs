//! `unbalanced`: of several instances of one service, one has next to nothing to do.

use galo_plan::{Plan, instances};
use galo_record::RoundData;

use crate::account::Account;
use crate::findings::{Finding, ServiceCpu, Unbalanced};

/// Fewest operations of which a fair share can be expected.
const LEAST_OPERATIONS: u64 = 500;
/// Part of its fair share of the CPU below which an instance is idle: of two, a tenth of what both used.
const PART: f64 = 0.2;
/// CPU that all instances together must have used; below it, merely being there is most of it.
const LEAST_CPU_NS: u64 = 200_000_000;

/// Finds instances ([`instances::groups`]) that took no real part in the load.
///
/// Proves that the CPU was used unevenly, nearly five to one and more. It does not see requests: an instance that hands
/// its work to another one is idle too, and a service that stands by on purpose (`redis1`, `redis2`) looks the same.
pub(super) fn finding(plan: &Plan, round: &RoundData, account: &Account) -> Option<Finding> {
    let contender = plan.contenders.get(round.record.contender)?;
    let (window, placement) = (round.window()?, round.record.placement.as_ref()?);
    if account.intended() < LEAST_OPERATIONS {
        return None;
    }
    let used = |name: &str| {
        let index = placement.services.iter().position(|placed| placed.name == name)?;
        window.usage(index)?.cpu_ns
    };
    instances::groups(&contender.services).into_iter().find_map(|instances| {
        let each: Option<Vec<(&str, u64)>> =
            instances.into_iter().map(|one| Some((one.name.as_str(), used(&one.name)?))).collect();
        idle(&each?, account)
    })
}

/// The least busy of several instances, if it was idle.
fn idle(instances: &[(&str, u64)], account: &Account) -> Option<Finding> {
    let all_ns: u64 = instances.iter().map(|(_, ns)| ns).sum();
    let (name, least_ns) = *instances.iter().min_by_key(|(_, ns)| ns)?;
    let fair = all_ns as f64 / instances.len() as f64;
    (all_ns >= LEAST_CPU_NS && (least_ns as f64) < PART * fair).then(|| {
        let told = |(service, cpu_ns): (&str, u64)| ServiceCpu { service: service.to_owned(), cpu_ns };
        let others = instances.iter().filter(|(other, _)| *other != name);
        Finding::new(Unbalanced {
            idle: told((name, least_ns)),
            operations: account.intended(),
            others: others.map(|&other| told(other)).collect(),
        })
    })
}

#[cfg(test)]
mod tests {
    use galo_record::OperationResult;

    use crate::judge_round;
    use crate::testing::*;

    /// A load of two services with these names and commands, which used so many milliseconds in every 100 of it.
    fn told(names: [&str; 2], commands: [&str; 2], ms: [u64; 2], operations: usize) -> Option<String> {
        let mut plan = plan();
        let mut round = RoundBuilder::clean();
        round.operations(READ, operations, OperationResult::Ok);
        let placed = &mut round.0.record.placement.as_mut().expect("placed").services;
        for (index, (name, command)) in names.iter().zip(commands).enumerate() {
            placed[index].name = (*name).to_owned();
            let service = &mut plan.contenders[0].services[index];
            (service.name, service.command) = ((*name).to_owned(), vec![command.to_owned()]);
        }
        round.0.samples = samples(|service, sample| sample.cpu_ns += ms[service] * 1_000_000);
        let findings = judge_round(&plan, &Counted(CEILING), &round.0).findings;
        findings.into_iter().find(|f| f.name() == "unbalanced").map(|f| figures(&f))
    }

    #[test]
    fn an_instance_without_work_is_told_by_its_name_or_by_its_command() {
        let by_name = told(["api1", "api2"], ["x", "y"], [1, 40], 500);
        insta::assert_snapshot!(by_name.expect("told"), @r#"{"kind":"unbalanced","idle":{"service":"api1","cpu_ns":200000000},"operations":770,"others":[{"service":"api2","cpu_ns":8000000000}]}"#);
        assert!(told(["one", "other"], ["api --port 8081", "api --port 8082"], [40, 1], 500).is_some());
    }

    #[test]
    fn instances_that_share_the_load_unevenly_but_share_it_are_not_told() {
        assert_eq!(told(["api1", "api2"], ["x", "y"], [20, 20], 500), None);
        assert_eq!(told(["api1", "api2"], ["x", "y"], [5, 40], 500), None);
    }

    #[test]
    fn different_services_a_light_load_and_idle_instances_are_not_told() {
        assert_eq!(told(["api", "db"], ["api", "db"], [1, 40], 500), None);
        assert_eq!(told(["api1", "api2"], ["x", "y"], [1, 40], 100), None, "370 operations");
        assert_eq!(told(["api1", "api2"], ["x", "y"], [0, 0], 500), None);
    }
}
