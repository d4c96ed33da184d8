//! How the full screen looks: a pure function of the run, so that tests draw it without a terminal.

use galo_plan::units::{format_bytes, format_cpus};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Axis, Block, Borders, Chart, Dataset, GraphType, LineGauge, Paragraph};

use super::ongoing::{Ongoing, Point, Use};
use super::{cut, time};

/// Fewer columns hold no service's line, fewer lines no chart.
pub const LEAST_WIDTH: u16 = 72;
/// Same.
pub const LEAST_HEIGHT: u16 = 18;
/// Columns of a service beside its bar.
const SERVICE_COLUMNS: u16 = 69;
/// Share of throttled quota periods that is worth a warning.
const MUCH_THROTTLED: f64 = 0.1;

/// Draws all of it: the run, and as many of the last lines that were said as there is room for.
pub fn draw(frame: &mut Frame<'_>, run: &Ongoing, said: &[String], colour: bool) {
    let paint = Paint { colour };
    let uses = run.uses();
    let services = if uses.is_empty() { 0 } else { uses.len() as u16 + 1 };
    let [heading, gauge, figures, charts, cpu, lines, footer] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Length(2),
        Constraint::Min(6),
        Constraint::Max(services),
        Constraint::Max((said.len() as u16).min(frame.area().height / 4) + 1),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    frame.render_widget(paint.heading(run, heading.width), heading);
    frame.render_widget(paint.gauge(run), gauge);
    frame.render_widget(Paragraph::new(paint.figures(run)), figures);
    let [rates, latencies] = Layout::horizontal([Constraint::Fill(1); 2]).spacing(1).areas(charts);
    paint.rates(frame, rates, run);
    paint.latencies(frame, latencies, run);
    paint.services(frame, cpu, run.contender(), &uses);
    paint.said(frame, lines, said);
    frame.render_widget(Line::styled("Ctrl-C ends it, and cleans up", paint.dim()), footer);
}

/// The styles; without colour nothing is told by a style alone.
#[derive(Clone, Copy)]
struct Paint {
    colour: bool,
}

impl Paint {
    fn fg(self, colour: Color) -> Style {
        if self.colour { Style::new().fg(colour) } else { Style::new() }
    }

    fn first(self) -> Style {
        self.fg(Color::Cyan)
    }

    fn second(self) -> Style {
        self.fg(Color::Yellow)
    }

    fn bad(self) -> Style {
        self.fg(Color::Red).add_modifier(Modifier::BOLD)
    }

    fn dim(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// What is driven, and what happens.
    fn heading(self, run: &Ongoing, width: u16) -> Line<'static> {
        let heading = if run.heading.is_empty() { &run.turn } else { &run.heading };
        let doing = if run.doing.is_empty() { String::new() } else { format!("   {}", run.doing) };
        let bold = Style::new().add_modifier(Modifier::BOLD);
        Line::styled(cut(&crate::clean(&format!("{heading}{doing}")), width.into()), bold)
    }

    fn gauge(self, run: &Ongoing) -> LineGauge<'static> {
        let progress = run.progress.unwrap_or_default();
        let elapsed_s = progress.elapsed_ns / 1_000_000_000;
        let (label, ratio) = match progress.duration_ns {
            Some(ns) if ns > 0 => (
                format!("{elapsed_s} of {} s", ns.div_ceil(1_000_000_000)),
                (progress.elapsed_ns as f64 / ns as f64).min(1.0),
            ),
            _ => (format!("{elapsed_s} s"), 0.0),
        };
        LineGauge::default().label(label).ratio(ratio).filled_symbol("━").filled_style(self.first())
    }

    fn figures(self, run: &Ongoing) -> Vec<Line<'static>> {
        let progress = run.progress.unwrap_or_default();
        let ended_per_s = run.points.back().map_or(0.0, |point| point.ended_per_s);
        let arrivals = progress.arrival_rate.map_or(String::new(), |rate| format!("{rate:.0} users/s   "));
        let [p50, p99] = [progress.latency_us_p50, progress.latency_us_p99].map(seen);
        let ok = progress.done.saturating_sub(progress.wrong + progress.failed);
        let errors = |n: u64| if n > 0 { self.bad() } else { Style::new() };
        vec![
            Line::raw(format!(
                "{arrivals}{ended_per_s:.0} operations/s   {} in flight   p50 {p50}   p99 {p99}",
                progress.in_flight
            )),
            Line::from(vec![
                Span::raw(format!("{ok} ok   ")),
                Span::styled(format!("{} wrong", progress.wrong), errors(progress.wrong)),
                Span::raw("   "),
                Span::styled(format!("{} failed or timed out", progress.failed), errors(progress.failed)),
                Span::styled(format!("   galo sent {} late (p99)", time(progress.lag_us_p99)), self.dim()),
            ]),
        ]
    }

    fn rates(self, frame: &mut Frame<'_>, area: Rect, run: &Ongoing) {
        let pick = |value: fn(&Point) -> Option<f64>| points(run, value);
        let ended = pick(|point| Some(point.ended_per_s));
        let arrivals = pick(|point| point.arrivals_per_s);
        let most = ended.iter().chain(&arrivals).map(|(_, rate)| *rate).fold(1.0, f64::max);
        let title = Line::from(vec![
            Span::raw("per second: "),
            Span::styled("operations", self.first()),
            Span::raw(", "),
            Span::styled("users (dots)", self.second()),
        ]);
        let y = Axis::default().bounds([0.0, most * 1.05]).labels(["0".to_owned(), format!("{most:.0}")]);
        let datasets = vec![
            Dataset::default().marker(Marker::Dot).style(self.second()).data(&arrivals),
            line(&ended, self.first()),
        ];
        frame.render_widget(chart(title, datasets, run, y), area);
    }

    /// On a logarithmic axis: what matters of latencies are their ratios.
    fn latencies(self, frame: &mut Frame<'_>, area: Rect, run: &Ongoing) {
        let p50 = points(run, |point| point.p50_us.map(|us| (us as f64).log10()));
        let p99 = points(run, |point| point.p99_us.map(|us| (us as f64).log10()));
        let all = || p50.iter().chain(&p99).map(|(_, log)| *log);
        let (least, most) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
        let first = if least.is_finite() { least.floor() } else { 2.0 };
        let last = most.ceil().max(first + 1.0);
        let decades = (first as u32)..=(last as u32);
        let y = Axis::default().bounds([first, last]).labels(decades.map(power_of_ten));
        let title = Line::from(vec![
            Span::raw("latency: "),
            Span::styled("p50", self.first()),
            Span::raw(" below "),
            Span::styled("p99", self.second()),
        ]);
        let datasets = vec![line(&p50, self.first()), line(&p99, self.second())];
        frame.render_widget(chart(title, datasets, run, y), area);
    }

    fn services(self, frame: &mut Frame<'_>, area: Rect, contender: &str, uses: &[Use<'_>]) {
        let columns = area.width.saturating_sub(SERVICE_COLUMNS).max(4);
        let lines: Vec<Line<'_>> = uses.iter().map(|used| self.service(used, columns.into())).collect();
        let title = crate::clean(&format!("CPU and memory of {contender} over the last second"));
        frame.render_widget(Paragraph::new(lines).block(section(Line::raw(title))), area);
    }

    fn service(self, used: &Use<'_>, columns: usize) -> Line<'static> {
        let share = (used.cores.unwrap_or(0.0) / used.cores_limit.unwrap_or(1.0)).clamp(0.0, 1.0);
        let filled = (share * columns as f64).round() as usize;
        let limit = used
            .cores_limit
            .map_or(String::new(), |cores| format!(" of {}", format_cpus((cores * 1e3).round() as u32)));
        let unseen = || "-".to_owned();
        let cores = used.cores.map_or_else(unseen, |cores| format!("{cores:.2}"));
        let memory = used.memory_bytes.map_or_else(unseen, format_bytes);
        let throttled = if used.throttled >= MUCH_THROTTLED { self.bad() } else { Style::new() };
        let memory_limit =
            used.memory_limit_bytes.map_or(String::new(), |bytes| format!(" of {}", format_bytes(bytes)));
        Line::from(vec![
            Span::raw(format!("{:<12} ", cut(&crate::clean(used.name), 12))),
            Span::styled("█".repeat(filled), self.first()),
            Span::styled("░".repeat(columns - filled), self.dim()),
            Span::raw(format!(" {:>16}", format!("{cores}{limit} CPU"))),
            Span::styled(format!("  {:>3.0} % throttled", used.throttled * 100.0), throttled),
            Span::raw(format!("  {memory}{memory_limit}")),
        ])
    }

    fn said(self, frame: &mut Frame<'_>, area: Rect, said: &[String]) {
        let room = usize::from(area.height.saturating_sub(1));
        let last = &said[said.len().saturating_sub(room)..];
        let lines: Vec<Line<'_>> = last.iter().map(|line| Line::raw(cut(line, area.width.into()))).collect();
        frame.render_widget(Paragraph::new(lines).block(section(Line::raw("so far"))), area);
    }
}

fn section(mut title: Line<'_>) -> Block<'_> {
    title.push_span(" ");
    Block::new().borders(Borders::TOP).title(title)
}

fn points(run: &Ongoing, value: impl Fn(&Point) -> Option<f64>) -> Vec<(f64, f64)> {
    run.points.iter().filter_map(|point| Some((point.at_s, value(point)?))).collect()
}

fn line(data: &[(f64, f64)], style: Style) -> Dataset<'_> {
    Dataset::default().marker(Marker::Braille).graph_type(GraphType::Line).style(style).data(data)
}

fn chart<'a>(title: Line<'a>, datasets: Vec<Dataset<'a>>, run: &Ongoing, y: Axis<'a>) -> Chart<'a> {
    let [begin, end] = run.span_s();
    let x = Axis::default().bounds([begin, end]).labels([format!("{begin:.0} s"), format!("{end:.0} s")]);
    Chart::new(datasets).block(section(title)).x_axis(x).y_axis(y).legend_position(None)
}

/// A latency; a dash where nothing ended.
fn seen(us: u64) -> String {
    if us == 0 { "–".to_owned() } else { time(us) }
}

/// So many microseconds, in words.
fn power_of_ten(exponent: u32) -> String {
    let (unit, zeros) = match exponent {
        0..3 => ("us", exponent),
        3..6 => ("ms", exponent - 3),
        _ => ("s", exponent - 6),
    };
    format!("1{} {unit}", "0".repeat(zeros as usize))
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::super::ongoing::tests::{heard, placement, progress, sample};
    use super::*;

    fn drawn(run: &Ongoing, said: &[&str], width: u16, height: u16) -> String {
        let said: Vec<String> = said.iter().map(|line| (*line).to_owned()).collect();
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, run, &said, true)).unwrap();
        terminal.backend().to_string()
    }

    fn under_way() -> Ongoing {
        let services = placement(&["nginx", "api1", "a-service-with-a-long-name"]);
        let news = (0..=80).flat_map(|tenths| {
            [sample(tenths, &[tenths * 10, tenths * 50, tenths]), progress(tenths + 1, tenths * tenths * 2)]
        });
        let mut run = heard([services].into_iter().chain(news));
        run.heading = "round 3 (12 planned): rust-sqlite".to_owned();
        run
    }

    #[test]
    fn a_round_under_way_fits_a_terminal_of_eighty_columns() {
        let said = ["round 1 (12 planned): rust-sqlite", "  valid: 1234 of 1234 right, p99 4.0 ms"];
        insta::assert_snapshot!(drawn(&under_way(), &said, 80, 24));
    }

    #[test]
    fn what_does_not_fit_is_cut_and_the_last_words_stay() {
        let said: Vec<String> = (1..=40).map(|n| format!("line {n} {}", "x".repeat(100))).collect();
        let said: Vec<&str> = said.iter().map(String::as_str).collect();
        let screen = drawn(&under_way(), &said, LEAST_WIDTH, LEAST_HEIGHT);
        insta::assert_snapshot!(screen);
    }

    #[test]
    fn a_load_whose_length_and_services_nobody_knows_is_drawn_as_well() {
        let mut run = heard([galo_record::Event::Progress(Default::default())]);
        run.turn("pair 3 of 8: a.js".to_owned());
        insta::assert_snapshot!(drawn(&run, &[], 80, 18));
    }

    #[test]
    fn nothing_panics_however_small_the_terminal_has_become() {
        for (width, height) in [(1, 1), (10, 3), (72, 5), (20, 60), (400, 100)] {
            drawn(&under_way(), &["x"], width, height);
        }
    }

    #[test]
    fn control_characters_of_a_name_do_not_reach_the_terminal() {
        let mut run = Ongoing::default();
        run.begin("round 1: \u{1b}]0;mine\u{7}");
        assert!(!drawn(&run, &[], 80, 24).contains(['\u{1b}', '\u{7}']));
    }

    #[test]
    fn a_power_of_ten_has_its_unit() {
        let words: Vec<String> = (0..=7).map(power_of_ten).collect();
        assert_eq!(words, ["1 us", "10 us", "100 us", "1 ms", "10 ms", "100 ms", "1 s", "10 s"]);
    }
}
