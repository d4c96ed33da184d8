//! What every page has around what it tells: the policy, style, scripts and data.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

use super::HtmlError;
use super::data::ChartData;
use super::lang::Language;

const STYLE: &str = concat!(
    include_str!("../../../vendor/uplot/uPlot.min.css"),
    "\n",
    include_str!("../../../templates/style.css")
);
/// uPlot with its licence, which asks to stand in every copy; then the page's own.
const SCRIPTS: [&str; 5] = [
    concat!(
        "/*\n",
        include_str!("../../../vendor/uplot/LICENSE"),
        "*/\n",
        include_str!("../../../vendor/uplot/uPlot.iife.min.js")
    ),
    include_str!("../../../templates/page.js"),
    include_str!("../../../templates/tables.js"),
    include_str!("../../../templates/charts.js"),
    include_str!("../../../templates/drawings.js"),
];

/// The part of a page that does not depend on what it tells of.
pub(crate) struct Frame {
    pub(crate) language: &'static str,
    /// Whether the language was asked for, so that the browser's does not matter.
    pub(crate) is_fixed: bool,
    pub(crate) policy: String,
    pub(crate) style: &'static str,
    pub(crate) scripts: [&'static str; 5],
    /// JSON that may stand in a `script` element.
    pub(crate) data: String,
}

impl Frame {
    pub(crate) fn new(data: &ChartData, language: Language) -> Result<Self, HtmlError> {
        Ok(Self {
            language: language.code(),
            is_fixed: language != Language::OfBrowser,
            policy: policy(),
            style: STYLE,
            scripts: SCRIPTS,
            data: embedded(data)?,
        })
    }
}

/// Nothing is loaded from anywhere, and of all that might ever come to stand in the page only these run.
fn policy() -> String {
    let scripts: Vec<String> = SCRIPTS.iter().map(|script| hash(script)).collect();
    format!(
        "default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'",
        scripts.join(" "),
        hash(STYLE)
    )
}

fn hash(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))
}

/// JSON that may stand in a `script` element: without `<` nothing can end it.
fn embedded(data: &ChartData) -> Result<String, HtmlError> {
    Ok(serde_json::to_string(data)?.replace('<', "\\u003c"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vendored_files_are_those_that_their_readme_names() {
        let readme = include_str!("../../../vendor/uplot/README.md");
        for file in [
            &include_bytes!("../../../vendor/uplot/uPlot.iife.min.js")[..],
            include_bytes!("../../../vendor/uplot/uPlot.min.css"),
        ] {
            let sum: String = Sha256::digest(file).iter().map(|byte| format!("{byte:02x}")).collect();
            assert!(readme.contains(&sum), "{sum}");
        }
    }

    #[test]
    fn no_script_or_style_can_end_its_element() {
        for text in SCRIPTS.iter().chain([&STYLE]) {
            let text = text.to_ascii_lowercase();
            assert!(!["</script", "</style", "<!--"].iter().any(|end| text.contains(end)));
        }
    }
}
