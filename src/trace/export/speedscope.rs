//! The speedscope format (<https://www.speedscope.app/file-format-schema.json>), with gas for time.

use std::io::{self, Write};

use super::TraceExport;
use super::frame_names::InternedNames;
use super::gas::{GasEvent, walk_gas};

impl TraceExport<'_> {
    pub(super) fn write_speedscope(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut names = InternedNames::default();
        // Calls outside of the scope keep an unused 0.
        let mut frames = vec![0_u32; self.scope.range.len()];
        let end = walk_gas(self.tree, self.scope, |event| {
            if let GasEvent::Open { call, .. } = event
                && let Some(frame) = frames.get_mut(self.scope.position(call))
            {
                *frame = names.intern(self.tree, self.names, call);
            }
            Ok(())
        })?;
        self.write_header(&names, end, out)?;
        self.write_events(&frames, out)?;
        writeln!(out, "]}}]}}")
    }

    fn write_header(&self, names: &InternedNames, end: u64, out: &mut dyn Write) -> io::Result<()> {
        let exporter = concat!("chainglass ", env!("CARGO_PKG_VERSION"));
        let name = self.transaction;
        writeln!(out, r#"{{"$schema":"https://www.speedscope.app/file-format-schema.json","#)?;
        writeln!(out, r#""exporter":"{exporter}","name":"{name}","activeProfileIndex":0,"#)?;
        write!(out, r#""shared":{{"frames":["#)?;
        for (n, frame) in names.names.iter().enumerate() {
            let comma = if n > 0 { ",\n" } else { "\n" };
            write!(out, r#"{comma}{{"name":{}}}"#, serde_json::Value::from(&**frame))?;
        }
        writeln!(out, "]}},")?;
        write!(out, r#""profiles":[{{"type":"evented","name":"gas of {name}","unit":"none","#)?;
        write!(out, r#""startValue":0,"endValue":{end},"events":["#)
    }

    fn write_events(&self, frames: &[u32], out: &mut dyn Write) -> io::Result<()> {
        let mut comma = "\n";
        walk_gas(self.tree, self.scope, |event| {
            let (kind, call, at) = match event {
                GasEvent::Open { call, at } => ('O', call, at),
                GasEvent::Close { call, at, .. } => ('C', call, at),
            };
            let frame = frames.get(self.scope.position(call)).copied().unwrap_or_default();
            write!(out, r#"{comma}{{"type":"{kind}","frame":{frame},"at":{at}}}"#)?;
            comma = ",\n";
            Ok(())
        })?;
        Ok(())
    }
}
