//! What contenders say is rendered by somebody else's GFM, and must come out as it went in.

use comrak::{Options, markdown_to_html};
use proptest::prelude::*;

use super::*;

/// As GitHub renders it, with all of its extensions that could make something of a text.
fn html(markdown: &str) -> String {
    let mut options = Options::default();
    options.extension.table = true;
    options.extension.autolink = true;
    options.extension.strikethrough = true;
    options.extension.tasklist = true;
    options.extension.footnotes = true;
    options.extension.math_dollars = true;
    options.extension.math_code = true;
    options.extension.alerts = true;
    // Raw HTML is let through, so that what is not escaped is seen.
    options.render.r#unsafe = true;
    markdown_to_html(markdown, &options)
}

/// The text between tags, read back.
fn shown(html: &str) -> String {
    let mut out = String::new();
    let mut rest = html;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        rest = after.split_once('>').map_or("", |(_, rest)| rest);
    }
    out.push_str(rest);
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")];
    entities.into_iter().fold(out, |text, (entity, c)| text.replace(entity, c))
}

/// Words alone: how much space is between them is nobody's claim, nor is a byte order mark, which shows nothing.
fn words_of(text: &str) -> String {
    text.replace([WORD_JOINER, '\u{feff}'], "").split_whitespace().collect::<Vec<_>>().join(" ")
}

fn hostile() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        "[ -~]{1,6}",
        any::<char>().prop_map(String::from),
        proptest::sample::select(vec![
            "<script>alert(1)</script>",
            "</details>",
            "<!--",
            "|",
            "\\|",
            "\\",
            "`",
            "``",
            "```",
            "\n",
            "\n\n",
            "\r\n",
            "@octocat",
            "#123",
            "www.example.com",
            "http://example.com",
            "a@example.com",
            "[x](y)",
            "![x](y)",
            "&lt;",
            "&#124;",
            "**b**",
            "__b__",
            "~~x~~",
            "$x$",
            "$`x`$",
            "[^1]",
            "- [ ] x",
            "1. x",
            "2) y",
            "+",
            "=",
            "---",
            "| a | b |",
            "\u{202e}",
            "\u{1b}[31m",
            "> q",
            "# h",
            "    code",
            "://",
        ])
        .prop_map(str::to_owned),
    ];
    proptest::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
}

#[test]
fn the_line_of_what_is_folded_shows_no_backslash_and_mentions_nobody() {
    let told = details("pool_size=2 [x] @octocat <b> http://a \u{1b}", "body");
    let joiner = WORD_JOINER;
    let line = format!("pool_size=2 [x] @{joiner}octocat &lt;b&gt; http:{joiner}//a \\u{{1b}}");
    assert_eq!(told, format!("<details><summary>{line}</summary>\n\nbody\n\n</details>\n"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_text_breaks_a_table_or_becomes_anything_but_text(raw in hostile(), other in hostile()) {
        let head = ["a".to_owned(), "b".to_owned(), "c".to_owned()];
        let rows = [[&raw, &other], [&other, &raw]].map(|[a, b]| vec![text(a), text(b), "end".to_owned()]);
        let html = html(&table(&head, &[0], &rows));
        prop_assert_eq!(html.matches("<tr>").count(), 3, "{}", html);
        prop_assert_eq!(html.matches("<td align=\"right\">end</td>").count(), 2, "{}", html);
        let tags = html.split('<').skip(1).map(|rest| rest.split(['>', ' ']).next().unwrap_or_default());
        let known = ["table", "thead", "tbody", "tr", "th", "td"];
        for tag in tags {
            prop_assert!(known.contains(&tag.trim_start_matches('/')), "{}: {}", tag, html);
        }
    }

    #[test]
    fn what_is_shown_is_what_was_said(raw in hostile()) {
        let said = words_of(&clean(&raw));
        for markdown in [text(&raw), format!("### {}", text(&raw)), format!("- {}", text(&raw))] {
            prop_assert_eq!(words_of(&shown(&html(&markdown))), said.clone(), "{}", markdown);
        }
        let folded = html(&details(&raw, "body"));
        prop_assert_eq!(words_of(&shown(&folded)), words_of(&format!("{said} body")), "{}", folded);
    }

    #[test]
    fn what_is_folded_begins_and_ends_once_whatever_its_line_says(raw in hostile()) {
        let html = html(&format!("{}\nafter", details(&raw, "body")));
        let tags: Vec<&str> = html.split('<').skip(1).filter_map(|rest| rest.split_once('>')).map(|(tag, _)| tag).collect();
        prop_assert_eq!(
            tags,
            ["details", "summary", "/summary", "p", "/p", "/details", "p", "/p"],
            "{}", html
        );
    }

    #[test]
    fn a_block_holds_any_text_and_ends_where_it_should(raw in hostile()) {
        let html = html(&format!("{}\nafter", block("", &raw)));
        prop_assert!(html.ends_with("<p>after</p>\n"), "{}", html);
        prop_assert_eq!(html.matches("<pre>").count(), 1, "{}", html);
        prop_assert_eq!(words_of(&shown(&html)), words_of(&format!("{} after", clean_lines(&raw))));
    }
}
