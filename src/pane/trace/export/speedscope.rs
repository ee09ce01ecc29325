//! A profile for speedscope (<https://www.speedscope.app/file-format-schema.json>): gas is its time.

use std::io::{self, Write};

use super::TraceExport;
use super::frame_names::InternedNames;
use super::gas::{GasEvent, walk_gas};

impl TraceExport<'_> {
    /// Writes one evented profile.
    pub(super) fn speedscope(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut labels = InternedNames::default();
        // Of a call that is not written there is no name; its number stands for nothing.
        let mut frames = vec![0_u32; self.scope.range.len()];
        let whole = walk_gas(self.names.tree, self.scope, |step| {
            if let GasEvent::Open { number, .. } = step
                && let Some(frame) = frames.get_mut(self.scope.position(number))
            {
                *frame = labels.of(&self.names, number);
            }
            Ok(())
        })?;
        self.head(&labels, whole, out)?;
        self.events(&frames, out)?;
        writeln!(out, "]}}]}}")
    }

    fn head(&self, labels: &InternedNames, whole: u64, out: &mut dyn Write) -> io::Result<()> {
        let exporter = concat!("chainglass ", env!("CARGO_PKG_VERSION"));
        let name = self.transaction;
        writeln!(out, r#"{{"$schema":"https://www.speedscope.app/file-format-schema.json","#)?;
        writeln!(out, r#""exporter":"{exporter}","name":"{name}","activeProfileIndex":0,"#)?;
        write!(out, r#""shared":{{"frames":["#)?;
        for (n, label) in labels.names().iter().enumerate() {
            let comma = if n > 0 { ",\n" } else { "\n" };
            write!(out, r#"{comma}{{"name":{}}}"#, serde_json::Value::from(&**label))?;
        }
        writeln!(out, "]}},")?;
        write!(out, r#""profiles":[{{"type":"evented","name":"gas of {name}","unit":"none","#)?;
        write!(out, r#""startValue":0,"endValue":{whole},"events":["#)
    }

    fn events(&self, frames: &[u32], out: &mut dyn Write) -> io::Result<()> {
        let mut comma = "\n";
        walk_gas(self.names.tree, self.scope, |step| {
            let (kind, number, at) = match step {
                GasEvent::Open { number, at } => ('O', number, at),
                GasEvent::Close { number, at, .. } => ('C', number, at),
            };
            let frame = frames.get(self.scope.position(number)).copied().unwrap_or_default();
            write!(out, r#"{comma}{{"type":"{kind}","frame":{frame},"at":{at}}}"#)?;
            comma = ",\n";
            Ok(())
        })?;
        Ok(())
    }
}
