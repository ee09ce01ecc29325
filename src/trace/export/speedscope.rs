//! The speedscope format (<https://www.speedscope.app/file-format-schema.json>), with gas for time.

use std::io::{self, Write};

use super::frame_names::InternedNames;
use super::gas::{GasEvent, GasWalk};
use super::{ExportScope, TraceExport};

/// Names that one step writes.
const NAMES_PER_STEP: usize = 64;

/// The export, written in steps: the names of all calls come before their events.
#[derive(Debug)]
pub(super) struct SpeedscopeExport {
    part: Part,
    walk: GasWalk,
    names: InternedNames,
    /// The name of each call. Calls that are not exported keep an unused 0.
    frames: Vec<u32>,
    separator: &'static str,
}

#[derive(Debug)]
enum Part {
    /// The names are collected.
    Calls,
    /// The names from this number on are to be written.
    Names(usize),
    Events,
}

impl SpeedscopeExport {
    pub(super) fn new(scope: &ExportScope) -> Self {
        Self {
            part: Part::Calls,
            walk: GasWalk::new(scope),
            names: InternedNames::default(),
            frames: vec![0; scope.range.len()],
            separator: "\n",
        }
    }

    /// Returns the number of calls that are still to be visited, some of them twice.
    pub(super) fn calls_left(&self) -> usize {
        let calls = if let Part::Events = self.part { 0 } else { self.frames.len() };
        self.walk.calls_left() + calls
    }

    /// Names some calls, or writes some names or events. Returns `true` after the last.
    pub(super) fn step(
        &mut self,
        export: &TraceExport<'_>,
        out: &mut dyn Write,
    ) -> io::Result<bool> {
        match self.part {
            Part::Calls => {
                if self.collect_names(export)? {
                    write_header(export, out)?;
                    self.part = Part::Names(0);
                }
            }
            Part::Names(written) => {
                let next = self.names.names.iter().skip(written).take(NAMES_PER_STEP);
                let end = written + next.len();
                for name in next {
                    let name = serde_json::Value::from(&**name);
                    write!(out, r#"{}{{"name":{name}}}"#, self.separator)?;
                    self.separator = ",\n";
                }
                self.part = Part::Names(end);
                if end == self.names.names.len() {
                    self.begin_events(export, out)?;
                }
            }
            Part::Events => {
                let is_done = self.write_events(export, out)?;
                if is_done {
                    writeln!(out, "]}}]}}")?;
                }
                return Ok(is_done);
            }
        }
        Ok(false)
    }

    fn collect_names(&mut self, export: &TraceExport<'_>) -> io::Result<bool> {
        let TraceExport { tree, names, scope, .. } = *export;
        self.walk.step(tree, scope, |event| {
            if let GasEvent::Open { call, .. } = event
                && let Some(frame) = self.frames.get_mut(scope.position(call))
            {
                *frame = self.names.intern(tree, names, call);
            }
            Ok(())
        })
    }

    fn begin_events(&mut self, export: &TraceExport<'_>, out: &mut dyn Write) -> io::Result<()> {
        let (name, end) = (export.transaction, self.walk.length);
        writeln!(out, "]}},")?;
        write!(out, r#""profiles":[{{"type":"evented","name":"gas of {name}","unit":"none","#)?;
        write!(out, r#""startValue":0,"endValue":{end},"events":["#)?;
        self.walk.restart(export.scope);
        (self.part, self.separator) = (Part::Events, "\n");
        Ok(())
    }

    fn write_events(&mut self, export: &TraceExport<'_>, out: &mut dyn Write) -> io::Result<bool> {
        self.walk.step(export.tree, export.scope, |event| {
            let (kind, call, at) = match event {
                GasEvent::Open { call, at } => ('O', call, at),
                GasEvent::Close { call, at, .. } => ('C', call, at),
            };
            let frame = self.frames.get(export.scope.position(call)).copied().unwrap_or_default();
            let separator = std::mem::replace(&mut self.separator, ",\n");
            write!(out, r#"{separator}{{"type":"{kind}","frame":{frame},"at":{at}}}"#)
        })
    }
}

fn write_header(export: &TraceExport<'_>, out: &mut dyn Write) -> io::Result<()> {
    let exporter = concat!("chainglass ", env!("CARGO_PKG_VERSION"));
    let name = export.transaction;
    writeln!(out, r#"{{"$schema":"https://www.speedscope.app/file-format-schema.json","#)?;
    writeln!(out, r#""exporter":"{exporter}","name":"{name}","activeProfileIndex":0,"#)?;
    write!(out, r#""shared":{{"frames":["#)
}
