//! CSV records that a spreadsheet reads as text: quoting, and a guard against formulas.

use std::borrow::Cow;

use csv::WriterBuilder;

/// Leading characters for which a spreadsheet evaluates a field. The full-width ones count in
/// locales that type them.
const FORMULA_PREFIXES: [char; 10] = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];

/// Formats fields as one record without its line break, formulas escaped.
pub fn format_record<I: AsRef<str>>(fields: impl IntoIterator<Item = I>) -> String {
    let fields: Vec<I> = fields.into_iter().collect();
    let escaped: Vec<_> = fields.iter().map(|field| escape_formula(field.as_ref())).collect();
    let len: usize = escaped.iter().map(|field| field.len() + 3).sum();
    let mut writer = WriterBuilder::new().buffer_capacity(len.max(1)).from_writer(Vec::new());
    // Writing to memory cannot fail, and the fields are UTF-8.
    let written = writer.write_record(escaped.iter().map(|field| field.as_bytes()));
    let bytes = written.ok().and_then(|()| writer.into_inner().ok()).unwrap_or_default();
    let mut record = String::from_utf8(bytes).unwrap_or_default();
    record.truncate(record.trim_end_matches('\n').len());
    record
}

/// Puts an apostrophe before a field that a spreadsheet would evaluate.
pub fn escape_formula(field: &str) -> Cow<'_, str> {
    if is_formula(field) { format!("'{field}").into() } else { field.into() }
}

/// Removes the apostrophe that [`escape_formula`] added.
pub fn unescape_formula(field: &str) -> &str {
    field.strip_prefix('\'').filter(|_| is_formula(field)).unwrap_or(field)
}

/// Apostrophes in front are ignored, so that a field that has one already can be restored.
fn is_formula(field: &str) -> bool {
    field.trim_start_matches('\'').starts_with(FORMULA_PREFIXES)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fields_are_quoted_and_formulas_escaped() {
        let record = format_record(["a", "", "x,y", "\"q\"", "=1+1", "＠home", "it's"]);
        assert_eq!(record, r#"a,,"x,y","""q""",'=1+1,'＠home,it's"#);
    }

    proptest! {
        #[test]
        fn records_are_read_back(fields in prop::collection::vec("['=@,\"\\n a]{0,6}", 1..5)) {
            let record = format_record(&fields);
            let reader = csv::ReaderBuilder::new().has_headers(false).from_reader(record.as_bytes());
            let rows: Vec<csv::StringRecord> = reader.into_records().map(Result::unwrap).collect();
            let [row] = &rows[..] else { panic!("{rows:?}") };
            prop_assert!(row.iter().map(unescape_formula).eq(fields.iter().map(String::as_str)));
        }
    }
}
