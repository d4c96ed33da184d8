//! What is written while a load runs: a row a second, the histograms of each second, and metrics for others.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::SystemTime;

use anyhow::{Context, Result, anyhow};
use galo_judge::load::Measured;
use galo_record::SecondLatencies;
use galo_report::load::{IntervalLog, SecondsCsv, Totals};

use crate::cli::TellArgs;
use crate::metrics::Exporter;
use crate::output::cannot_write;
use crate::watched::Watched;

/// Everything that follows a load.
pub(super) struct Outputs {
    seconds: Sender<SecondLatencies>,
    follower: JoinHandle<Result<()>>,
    totals: Arc<Totals>,
    exporter: Exporter,
}

impl Outputs {
    /// Opens all that is written meanwhile, so that what cannot be written is known before the load.
    ///
    /// # Errors
    /// What cannot be opened, named.
    pub(super) fn open(tell: &TellArgs, watched: &Watched) -> Result<Self> {
        let files = Files::open(tell)?;
        let totals = Arc::new(Totals::default());
        let exporter = Exporter::open(&tell.metrics, "galo_load", tell.output.quiet, {
            let (totals, watched) = (Arc::clone(&totals), watched.clone());
            move || {
                let now = watched.get().load_now().map(|(_, progress)| *progress);
                totals.to_text(now.as_ref())
            }
        })?;
        let (seconds, news) = channel();
        let follower = std::thread::spawn({
            let totals = Arc::clone(&totals);
            move || follow(&news, files, &totals)
        });
        Ok(Self { seconds, follower, totals, exporter })
    }

    /// Where a load is to send its seconds. Those of a later load come after those of an earlier one.
    pub(super) fn seconds(&self) -> Sender<SecondLatencies> {
        self.seconds.clone()
    }

    /// Writes the rest. All senders of [`Self::seconds`] must be gone.
    ///
    /// # Errors
    /// The first thing that could not be written, at whatever time.
    pub(super) fn close(self, measured: &Measured) -> Result<()> {
        drop(self.seconds);
        let written =
            self.follower.join().map_err(|_| anyhow!("the writer of seconds panicked (a bug in galo)"))?;
        self.totals.finish(measured);
        self.exporter.finish();
        written
    }
}

struct Files {
    csv: Option<(PathBuf, SecondsCsv<File>)>,
    hdr: Option<(PathBuf, IntervalLog<BufWriter<File>>)>,
}

impl Files {
    fn open(tell: &TellArgs) -> Result<Self> {
        let csv = tell.csv.as_ref().map(|path| {
            let csv = File::create(path).and_then(SecondsCsv::new).with_context(|| cannot_write(path))?;
            anyhow::Ok((path.clone(), csv))
        });
        let hdr = tell.hdr.as_ref().map(|path| {
            let file = File::create(path).map(BufWriter::new);
            let log = file.and_then(|file| IntervalLog::new(file, SystemTime::now()));
            anyhow::Ok((path.clone(), log.with_context(|| cannot_write(path))?))
        });
        Ok(Self { csv: csv.transpose()?, hdr: hdr.transpose()? })
    }

    fn row(&mut self, number: u32, second: &SecondLatencies) -> Result<()> {
        if let Some((path, csv)) = &mut self.csv {
            named(path, csv.row(number, second))?;
        }
        if let Some((path, log)) = &mut self.hdr {
            named(path, log.row(number, second))?;
        }
        Ok(())
    }
}

/// Takes every second until the last sender is gone, whether it can be written or not.
fn follow(news: &Receiver<SecondLatencies>, mut files: Files, totals: &Totals) -> Result<()> {
    let mut written = Ok(());
    for (second, number) in news.iter().zip(0..) {
        totals.add(&second);
        if written.is_ok() {
            written = files.row(number, &second);
        }
    }
    written
}

fn named(path: &Path, written: io::Result<()>) -> Result<()> {
    written.with_context(|| cannot_write(path))
}
