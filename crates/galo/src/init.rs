//! `galo init`: writes what `galo_init` drafts.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use galo_init::{Files, Options};

use crate::cli::InitArgs;
use crate::exit::{Exit, WrongUse};
use crate::output::{print, say};
use crate::written::request;

/// Runs the command.
pub(crate) fn run(args: &InitArgs) -> Result<Exit> {
    let drafted = match &args.contender {
        Some(contender) => Files::of_contender(contender, folder(args)?),
        None => Files::new(&options(args)),
    };
    let Files { files, told, next } = drafted.map_err(|error| WrongUse(error.to_string()))?;
    if let Some((taken, _)) = files.iter().find(|(path, _)| path.symlink_metadata().is_ok()) {
        let hint = "name another folder with --out, or remove it";
        return Err(WrongUse(format!("`{}` is there already\nhint: {hint}", taken.display())).into());
    }
    told.iter().for_each(|line| say(line));
    let mut lines = Vec::new();
    for (path, text) in &files {
        write(path, text)?;
        lines.push(format!("wrote {}\n", path.display()));
    }
    let label = |number| if number == 0 { "next:" } else { "  or:" };
    lines.extend(next.iter().enumerate().map(|(number, line)| format!("{} {line}\n", label(number))));
    print(&lines.concat())?;
    Ok(Exit::Done)
}

/// Where a contender's files go: the operand is a folder then.
fn folder(args: &InitArgs) -> Result<&Path> {
    match args.operands.as_slice() {
        [] => Ok(&args.out),
        [folder] => Ok(Path::new(folder)),
        _ => Err(WrongUse("with `--contender` there is one folder at most".to_owned()).into()),
    }
}

fn options(args: &InitArgs) -> Options {
    Options {
        operands: args.operands.clone(),
        url: args.url.clone(),
        port: args.port,
        out: args.out.clone(),
        from_openapi: args.from_openapi.clone(),
        requests: args.requests.clone(),
        host: args.host.clone(),
        rate: args.rate.clone(),
        request: request(&args.request, ""),
        cpus: args.cpus.clone(),
        memory: args.memory.clone(),
        names: args.name.clone(),
        cwd: args.cwd.clone(),
        env: args.env.clone(),
        build: args.build.clone(),
    }
}

/// A new file, with the folders above it.
fn write(path: &Path, text: &str) -> Result<()> {
    let create = || {
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        std::fs::File::create_new(path)?.write_all(text.as_bytes())
    };
    create().with_context(|| format!("cannot write `{}`", path.display()))
}
