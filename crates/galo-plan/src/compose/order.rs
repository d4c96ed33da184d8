//! The order in which services start.

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
    let names: Vec<String> = services.iter().map(|service| service.name.clone()).collect();
    for service in &services {
        if let Some(unknown) = service.depends_on.iter().find(|dependency| !names.contains(&dependency.name))
        {
            let what = suggest::unknown("service", &unknown.name, &names);
            return reader.error(unknown.line, format!("`{}` depends on an {what}", service.name));
        }
    }
    let mut sorted: Vec<RawService> = Vec::new();
    while !services.is_empty() {
        let placed = |name: &str| sorted.iter().any(|service| service.name == name);
        let free = services.iter().position(|service| service.depends_on.iter().all(|d| placed(&d.name)));
        match free {
            Some(free) => sorted.push(services.remove(free)),
            None => return reader.error(services[0].line, circle(&services)),
        }
    }
    Ok(sorted)
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
