//! The order in which services start.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::raw::RawService;
use super::reader::Reader;
use crate::error::PlanError;
use crate::suggest;

/// Sorts services so that each comes after all that it depends on, and otherwise in the order of the file. A
/// dependency on one of `left_out` that is not required is dropped, as Compose does; no other may name one.
pub(super) fn sort(
    reader: Reader<'_>,
    mut services: Vec<RawService>,
    left_out: &[String],
) -> Result<Vec<RawService>, PlanError> {
    for service in &mut services {
        service.depends_on.retain(|dependency| dependency.required || !left_out.contains(&dependency.name));
        if let Some(missing) = service.depends_on.iter().find(|d| left_out.contains(&d.name)) {
            let what = format!("`{}` depends on `{}`, which is left out", service.name, missing.name);
            let hint = "hint: write `required: false` at the dependency, or take its `profiles` away";
            return reader.error(missing.line, format!("{what}: it belongs to a profile\n{hint}"));
        }
    }
    let places: HashMap<&str, usize> =
        services.iter().enumerate().map(|(at, service)| (service.name.as_str(), at)).collect();
    // Who waits for each; and for how many each waits.
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); services.len()];
    let mut waits: Vec<usize> = vec![0; services.len()];
    for (at, service) in services.iter().enumerate() {
        for dependency in &service.depends_on {
            let Some(place) = places.get(dependency.name.as_str()) else {
                let names: Vec<String> = services.iter().map(|service| service.name.clone()).collect();
                let what = suggest::unknown("service", &dependency.name, &names);
                return reader.error(dependency.line, format!("`{}` depends on an {what}", service.name));
            };
            waiting[*place].push(at);
            waits[at] += 1;
        }
    }
    let mut free: BinaryHeap<Reverse<usize>> =
        (0..services.len()).filter(|at| waits[*at] == 0).map(Reverse).collect();
    let mut services: Vec<Option<RawService>> = services.into_iter().map(Some).collect();
    let mut sorted: Vec<RawService> = Vec::with_capacity(services.len());
    while let Some(Reverse(at)) = free.pop() {
        sorted.extend(services[at].take());
        for after in &waiting[at] {
            waits[*after] -= 1;
            if waits[*after] == 0 {
                free.push(Reverse(*after));
            }
        }
    }
    let left: Vec<RawService> = services.into_iter().flatten().collect();
    match left.first() {
        Some(first) => reader.error(first.line, circle(&left)),
        None => Ok(sorted),
    }
}

/// Each of `services` depends on another of them; following that leads into a circle.
fn circle(services: &[RawService]) -> String {
    let mut path: Vec<&str> = Vec::new();
    let mut next = services.first();
    while let Some(service) = next {
        if let Some(start) = path.iter().position(|name| *name == service.name) {
            path.drain(..start);
            path.push(&service.name);
            break;
        }
        path.push(&service.name);
        next = services.iter().find(|other| service.depends_on.iter().any(|d| d.name == other.name));
    }
    let circle: Vec<String> = path.iter().map(|name| format!("`{name}`")).collect();
    format!(
        "services depend on one another in a circle: {}\nhint: take one out of `depends_on`",
        circle.join(" -> ")
    )
}
