//! CSV records that a spreadsheet reads as text: quoting, and a guard against formulas.

use std::borrow::Cow;

/// Leading characters for which a spreadsheet evaluates a field. The full-width ones count in locales
/// that type them.
const FORMULA_PREFIXES: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// Formats fields as one record without its line break: all but numbers quoted, formulas escaped.
pub fn format_record<I: AsRef<str>>(fields: impl IntoIterator<Item = I>) -> String {
    let fields: Vec<String> =
        fields.into_iter().map(|field| format_field(field.as_ref())).collect();
    fields.join(",")
}

fn format_field(field: &str) -> String {
    if field.is_empty() || is_number(field) {
        return field.to_owned(); // nothing is not an empty text
    }
    format!("\"{}\"", escape_formula(field).replace('"', "\"\""))
}

/// Returns `true` for a decimal number, which may be negative: it has nothing to evaluate.
fn is_number(field: &str) -> bool {
    let digits = field.strip_prefix('-').unwrap_or(field);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    [whole, fraction]
        .iter()
        .all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
}

/// Puts an apostrophe before anything that a spreadsheet would evaluate: a field, and a part after `;`,
/// which separates fields in many locales.
pub fn escape_formula(field: &str) -> Cow<'_, str> {
    map_formulas(field, |formula| format!("'{formula}"))
}

/// Removes the apostrophes that [`escape_formula`] added.
pub fn unescape_formula(field: &str) -> Cow<'_, str> {
    map_formulas(field, |formula| formula.strip_prefix('\'').unwrap_or(formula).to_owned())
}

fn map_formulas(field: &str, rewrite: impl Fn(&str) -> String) -> Cow<'_, str> {
    if !field.split(';').any(is_formula) {
        return field.into();
    }
    let map = |part| if is_formula(part) { rewrite(part) } else { part.to_owned() };
    field.split(';').map(map).collect::<Vec<_>>().join(";").into()
}

/// Returns `true` if a spreadsheet would evaluate `part`. Blanks and quotes in front are ignored, as
/// some spreadsheets do, and so are apostrophes: a field that has one already can be restored.
fn is_formula(part: &str) -> bool {
    part.trim_start_matches('\'').starts_with(['\t', '\r'])
        || part
            .trim_start_matches(|c: char| {
                c.is_whitespace() || c.is_control() || matches!(c, '\'' | '"')
            })
            .starts_with(FORMULA_PREFIXES)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fields_are_quoted_and_formulas_escaped() {
        let record =
            format_record(["a", "", "x,y", "\"q\"", "=1+1", "＠home", "it's", "12.50", "a;b"]);
        let quoted = r#""a",,"x,y","""q""","'=1+1","'＠home","it's",12.50,"a;b""#;
        assert_eq!(record, quoted);
    }

    #[test]
    fn negative_numbers_stay_numbers() {
        let numbers = ["-1808503383392930", "-12.50", "-0"];
        assert_eq!(format_record(numbers), numbers.join(","));
        for formula in ["-", "-1-2", "-1+A1", "--1", "-1;-2", "-1 ", "-.5", "-5."] {
            assert_eq!(format_record([formula])[..2], *"\"'", "{formula}");
        }
    }

    #[test]
    fn no_separator_and_no_blank_hides_a_formula() {
        for hostile in [
            "a;=1+1;b",
            "a; =1+1",
            "a;\"=1+1\"",
            " =1+1",
            "\t=1+1",
            "\u{a0}@SUM(A1)",
            "\u{3000}-1",
            "\"=1+1",
            ";;+1",
            "\t\"+1",
        ] {
            let record = format_record(["0x12", hostile, "7"]);
            for delimiter in [b',', b';'] {
                let mut reader = csv::ReaderBuilder::new();
                reader.has_headers(false).flexible(true).delimiter(delimiter);
                for row in reader.from_reader(record.as_bytes()).into_records() {
                    for field in &row.unwrap() {
                        let text = field.trim_start_matches([' ', '\t', '\u{a0}', '\u{3000}', '"']);
                        assert!(!text.starts_with(FORMULA_PREFIXES), "{record} {field}");
                    }
                }
            }
            assert_eq!(unescape_formula(&escape_formula(hostile)), hostile);
        }
    }

    proptest! {
        #[test]
        fn records_are_read_back(fields in prop::collection::vec("['=@,;\"\\n\\t a]{0,6}", 2..5)) {
            let record = format_record(&fields);
            let reader = csv::ReaderBuilder::new().has_headers(false).from_reader(record.as_bytes());
            let rows: Vec<csv::StringRecord> = reader.into_records().map(Result::unwrap).collect();
            let [row] = &rows[..] else { panic!("{rows:?}") };
            prop_assert!(row.iter().map(unescape_formula).eq(fields.iter().map(Cow::from)));
        }
    }
}
