//! Holds the README in English and the one in Portuguese together: whoever changes one is told to change the other.

/// What a section says in any language: all but its wording.
#[derive(Default)]
struct Section {
    heading: String,
    level: usize,
    code_blocks: Vec<String>,
    links: Vec<String>,
    /// Rows of each table.
    tables: Vec<usize>,
    /// Code and figures amid the wording, sorted: languages order their words differently.
    code: Vec<String>,
    figures: Vec<String>,
}

fn read(name: &str) -> String {
    let path = format!("{}/../../{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn sections(markdown: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut in_code_block = false;
    let mut in_table = false;
    for line in markdown.lines() {
        let fence = line.starts_with("```");
        let heading = line.trim_start_matches('#');
        let level = line.len() - heading.len();
        if level > 0 && !in_code_block {
            sections.push(Section { heading: heading.trim().to_owned(), level, ..Section::default() });
        }
        let section = sections.last_mut().expect("a README begins with its heading");
        if fence && !in_code_block {
            section.code_blocks.push(String::new());
        }
        if fence || in_code_block {
            let block = section.code_blocks.last_mut().expect("a block begins with its fence");
            *block += line;
            *block += "\n";
            in_code_block ^= fence;
            continue;
        }
        let row = line.starts_with('|');
        if row && !in_table {
            section.tables.push(0);
        }
        if row {
            *section.tables.last_mut().expect("a table begins with its first row") += 1;
        }
        in_table = row;
        read_wording(line, section);
    }
    for section in &mut sections {
        section.code.sort();
        section.figures.sort();
    }
    sections
}

/// Takes links, code and figures out of a line. Neither code nor a link's target runs over lines.
fn read_wording(line: &str, section: &mut Section) {
    assert!(line.matches('`').count().is_multiple_of(2), "code runs over the end of a line: {line}");
    let mut wording = String::new();
    for (at, part) in line.split('`').enumerate() {
        if at % 2 == 1 {
            section.code.push(part.to_owned());
        } else {
            wording += part;
        }
    }
    while let Some((before, rest)) = wording.split_once("](") {
        let (target, after) = rest.split_once(')').expect("a link's target ends on its line");
        section.links.push(target.to_owned());
        wording = format!("{before} {after}");
    }
    // 1,160.5 in English is 1.160,5 in Portuguese.
    let figures = wording.split(|c: char| !c.is_ascii_digit() && c != '.' && c != ',');
    let digits = figures.map(|figure| figure.replace(['.', ','], ""));
    section.figures.extend(digits.filter(|figure| !figure.is_empty()));
}

/// The anchor that GitHub gives a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || *c == ' ' || *c == '-');
    format!("#{}", kept.collect::<String>().to_lowercase().replace(' ', "-"))
}

/// Targets of a section's links. One to a heading of the same file has another name in another language: its number counts.
fn targets(section: &Section, all: &[Section]) -> Vec<String> {
    let heading = |target: &str| {
        let found = all.iter().position(|other| anchor(&other.heading) == target);
        found.unwrap_or_else(|| panic!("`{target}` names no heading"))
    };
    let target =
        |to: &String| if to.starts_with('#') { format!("heading {}", heading(to)) } else { to.clone() };
    section.links.iter().map(target).collect()
}

#[test]
fn both_readmes_say_the_same() {
    let mut english = sections(&read("README.md"));
    let mut portuguese = sections(&read("README.pt-BR.md"));
    assert_eq!(english[0].links.remove(0), "README.pt-BR.md", "the first link is to the other README");
    assert_eq!(portuguese[0].links.remove(0), "README.md", "the first link is to the other README");

    let levels = |sections: &[Section]| sections.iter().map(|s| s.level).collect::<Vec<_>>();
    assert_eq!(levels(&english), levels(&portuguese), "levels of the headings; hint: change both READMEs");
    for (en, pt) in english.iter().zip(&portuguese) {
        let both = format!("`{}` and `{}`; hint: change both READMEs", en.heading, pt.heading);
        assert_eq!(en.code_blocks, pt.code_blocks, "code blocks of {both}");
        assert_eq!(en.tables, pt.tables, "rows of the tables of {both}");
        assert_eq!(targets(en, &english), targets(pt, &portuguese), "links of {both}");
        assert_eq!(en.code, pt.code, "code in the text of {both}");
        assert_eq!(en.figures, pt.figures, "figures in the text of {both}");
    }
}
