//! Pictures that ask for more memory or time than anyone has, and pictures that only look complex.
//!
//! Each is decoded by `picture_cost` of the example `dev_tools`, whose only child is the decoder, so that the system's
//! account of children is the decoder's.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;

use base64::Engine as _;
use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};

/// Maximum memory of the program and its decoder, without what the program has for other things.
const MAX_MEGABYTES: u64 = 300;
const MAX_CPU_MILLISECONDS: u64 = 3_000;

struct Cost {
    megabytes: u64,
    cpu_milliseconds: u64,
    milliseconds: u64,
    outcome: String,
}

fn decode(picture: &[u8], side: u32) -> Cost {
    let binary = PathBuf::from(env!("CARGO_BIN_EXE_chainglass"));
    let mut program = Command::new(binary.with_file_name("examples").join("dev_tools"));
    program.arg("picture-cost").arg(binary).arg(side.to_string());
    let mut process = program
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    process.stdin.take().unwrap().write_all(picture).unwrap();
    let output = process.wait_with_output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let mut words = printed.trim_end().splitn(5, ' ');
    let mut number = || words.next().unwrap().parse::<u64>().unwrap();
    let [decoder, own, cpu_milliseconds, milliseconds] = std::array::from_fn(|_| number());
    let outcome = words.next().unwrap().to_owned();
    Cost { megabytes: (decoder + own) >> 10, cpu_milliseconds, milliseconds, outcome }
}

fn svg(content: &str) -> Vec<u8> {
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' \
         width='640' height='640'>{content}</svg>"
    )
    .into()
}

/// Repeats a text in which `#` is a number.
fn each(n: usize, text: &str) -> String {
    (0..n).fold(String::new(), |all, n| all + &text.replace('#', &n.to_string()))
}

fn nested(n: usize, open: &str, close: &str) -> Vec<u8> {
    svg(&[open.repeat(n), close.repeat(n)].concat())
}

/// Twelve definitions that each refer ten times to the one before, and something that uses the last.
fn laughs(definition: &str, reference: &str, link: &str) -> Vec<u8> {
    let name = definition.split(' ').next().unwrap();
    let mut text = format!("<{definition} id='a0'><rect width='9' height='9'/></{name}>");
    for n in 1..=12 {
        let references = reference.replace("LINK", &link.replace('@', &format!("#a{}", n - 1)));
        let _ = write!(text, "<{definition} id='a{n}'>{}</{name}>", references.repeat(10));
    }
    svg(&(text + &reference.replace("LINK", &link.replace('@', "#a12"))))
}

fn filter(content: &str) -> Vec<u8> {
    svg(&format!(
        "<filter id='f' x='-1' y='-1' width='3' height='3'>{content}</filter>\
         <rect width='640' height='640' fill='red' filter='url(#f)'/>"
    ))
}

fn dashes(paths: usize) -> Vec<u8> {
    svg(&each(
        paths,
        "<path d='M0 # L640 640' stroke='red' stroke-width='300' stroke-dasharray='.001'/>",
    ))
}

fn hostile_drawings() -> Vec<(&'static str, Vec<u8>)> {
    let full = "<rect width='640' height='640' fill='red'/>";
    vec![
        ("dashes", dashes(1)),
        ("dashes of many paths", dashes(2_000)),
        ("dashes of a circle", svg("<circle r='1e6' stroke='red' stroke-dasharray='.01'/>")),
        (
            "pattern of 100,000 units",
            svg(&format!("<pattern id='p' width='100000' height='100000' patternUnits='userSpaceOnUse'>{full}</pattern><rect width='640' height='640' fill='url(#p)' transform='scale(.001)'/><rect width='100000' height='100000' fill='url(#p)'/>")),
        ),
        ("patterns in patterns", laughs("pattern width='.1' height='.1'", "<rect width='640' height='640' fill='LINK'/>", "url(@)")),
        ("filter functions", svg(&format!("<rect width='640' height='640' filter='{}'/>", "blur(3) ".repeat(60_000)))),
        ("drop shadows", svg(&format!("<rect width='640' height='640' style='filter:{}'/>", "drop-shadow(1px 1px 9px red) ".repeat(9_000)))),
        ("filters by count", svg(&format!("<filter id='f'><feGaussianBlur stdDeviation='40'/></filter>{}", "<rect width='640' height='640' filter='url(#f)'/>".repeat(5_000)))),
        ("filter primitives", filter(&"<feGaussianBlur stdDeviation='30'/>".repeat(20_000))),
        ("results of filters", filter(&each(20_000, "<feFlood flood-color='red' result='r#'/>"))),
        ("filter region", svg("<filter id='f' x='-1e6' y='-1e6' width='2e6' height='2e6'><feGaussianBlur stdDeviation='1e5'/></filter><rect width='640' height='640' filter='url(#f)'/>")),
        ("turbulence", filter("<feTurbulence numOctaves='999999999' baseFrequency='.5'/>")),
        ("convolution", filter(&format!("<feConvolveMatrix order='300' kernelMatrix='{}'/>", "1 ".repeat(90_000)))),
        ("morphology", filter(&"<feMorphology operator='dilate' radius='300'/>".repeat(300))),
        ("lighting", filter(&"<feSpecularLighting surfaceScale='9'><fePointLight x='9' y='9' z='9'/></feSpecularLighting>".repeat(3_000))),
        ("displacement", filter(&"<feTurbulence baseFrequency='.1'/><feDisplacementMap in2='SourceGraphic' scale='99'/><feTile/>".repeat(3_000))),
        ("rules times elements", svg(&format!("<style>{}</style>{}", each(9_000, "rect.a#{fill:red}"), "<rect class='b'/>".repeat(9_000)))),
        ("deep selectors", svg(&format!("<style>{}</style>{}{}", each(2_000, "g g g g g g g g g rect.a#{fill:red}"), "<g>".repeat(60), "<rect/>".repeat(5_000) + &"</g>".repeat(60)))),
        ("uses", laughs("g", "<use href='LINK'/>", "@")),
        ("xlink uses", laughs("symbol", "<use xlink:href='LINK'/>", "@")),
        ("use of itself", svg("<g id='a'><use href='#a'/><use href='#a'/></g>")),
        ("masks", laughs("mask", "<rect width='640' height='640' mask='LINK'/>", "url(@)")),
        ("clip paths", laughs("clipPath", "<rect width='640' height='640' clip-path='LINK'/>", "url(@)")),
        ("gradients of gradients", svg(&each(60_000, "<linearGradient id='a#' href='#a1#'/>"))),
        ("stops", svg(&format!("<radialGradient id='g'>{}</radialGradient>{}", each(60_000, "<stop offset='.#' stop-color='red'/>"), "<rect width='640' height='640' fill='url(#g)'/>".repeat(900)))),
        ("markers", svg(&format!("<marker id='m' markerWidth='640' markerHeight='640'>{full}</marker><path marker-mid='url(#m)' d='M0 0{}'/>", "h1v1h-1z".repeat(90_000)))),
        ("markers in markers", laughs("marker", "<path d='M0 0h1h1h1h1h1h1h1h1' marker-mid='LINK'/>", "url(@)")),
        ("layers", svg(&format!("<g opacity='.5'>{full}</g>").repeat(20_000))),
        ("layers in layers", nested(90, &format!("<g opacity='.5' style='mix-blend-mode:screen;isolation:isolate'>{}", full.repeat(90)), "</g>")),
    ]
}

fn hostile_documents() -> Vec<(&'static str, Vec<u8>)> {
    let entities = (1..=12).fold("<!ENTITY e0 'aaaaaaaaaa'>".to_owned(), |all, n| {
        all + &format!("<!ENTITY e{n} '{}'>", format!("&e{};", n - 1).repeat(10))
    });
    let quadratic = format!("<!DOCTYPE svg [<!ENTITY e '{}'>]>", "a".repeat(100_000));
    let image = base64::engine::general_purpose::STANDARD.encode(dashes(1));
    let content = String::from_utf8(svg("")).unwrap();
    let with_size = |size: &str| {
        content.replace("width='640' height='640'", size).replace("></svg>", "><rect width='1e9' height='1e9' stroke='red' stroke-width='1e8' stroke-dasharray='3'/></svg>").into_bytes()
    };
    vec![
        ("huge view box", with_size("viewBox='0 0 1e30 1e30'")),
        ("tiny view box", with_size("viewBox='0 0 1e-30 1e-30' width='1e9' height='1e9'")),
        ("huge size", with_size("width='1e9' height='1e9'")),
        ("deep groups", nested(500_000, "<g>", "</g>")),
        (
            "deep documents",
            nested(50_000, "<svg viewBox='0 0 9 9'><symbol id='a'>", "</symbol></svg>"),
        ),
        ("many elements", svg(&"<g/>".repeat(1_900_000))),
        ("many drawn elements", svg(&"<path d='M0 0h640v640z'/>".repeat(300_000))),
        ("attributes", svg(&format!("<g{}/>", each(200_000, " a#='1'")))),
        ("declarations", svg(&format!("<rect style='{}'/>", "fill:red;".repeat(800_000)))),
        (
            "segments",
            svg(&format!(
                "<path stroke='red' stroke-width='99' stroke-linejoin='round' stroke-linecap='round' d='M0 0{}'/>",
                "q1 9 9 1t-9 3".repeat(500_000)
            )),
        ),
        ("arcs", svg(&format!("<path d='M0 0{}'/>", "a9 9 0 1 1 1e9 1e9".repeat(300_000)))),
        (
            "entities",
            [format!("<!DOCTYPE svg [{entities}]>").into_bytes(), svg("<text>&e12;</text>")]
                .concat(),
        ),
        (
            "quadratic entities",
            [quadratic.into_bytes(), svg(&format!("<text>{}</text>", "&e;".repeat(100_000)))]
                .concat(),
        ),
        (
            "pictures in pictures",
            svg(&format!(
                "<image width='640' height='640' href='data:image/svg+xml;base64,{image}'/>"
            )
            .repeat(900)),
        ),
        ("text", svg(&format!("<text>{}</text>", "<tspan x='1 2 3'>a</tspan>".repeat(200_000)))),
        ("gzip", {
            let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
            gzip.write_all(&svg(&" ".repeat(64 << 20))).unwrap();
            gzip.finish().unwrap()
        }),
    ]
}

/// Makes a PNG. Its kind is the bits of a channel, the kind of colours, and 1 if it is interlaced.
fn png(
    sides: [u32; 2],
    [bits, color, interlaced]: [u8; 3],
    data: &[u8],
    more: &[(&str, Vec<u8>)],
) -> Vec<u8> {
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut chunk = |name: &str, content: &[u8]| {
        let body = [name.as_bytes(), content].concat();
        out.extend(u32::try_from(content.len()).unwrap().to_be_bytes());
        out.extend(&body);
        let mut sum = flate2::Crc::new();
        sum.update(&body);
        out.extend(sum.sum().to_be_bytes());
    };
    let size = sides.map(u32::to_be_bytes).concat();
    chunk("IHDR", &[&size[..], &[bits, color, 0, 0, interlaced]].concat());
    for (name, content) in more {
        chunk(name, content);
    }
    chunk("IDAT", data);
    chunk("IEND", &[]);
    out
}

fn zeros(megabytes: usize) -> Vec<u8> {
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::best());
    for _ in 0..megabytes {
        zlib.write_all(&vec![0; 1 << 20]).unwrap();
    }
    zlib.finish().unwrap()
}

/// A GIF of one frame, of codes that each stand for ever longer runs of the same pixel.
fn gif(side: u16) -> Vec<u8> {
    let screen = [side, side].map(u16::to_le_bytes).concat();
    let head = [b"GIF89a", &screen[..], &[0x80, 0, 0, 0, 0, 0, 255, 255, 255]].concat();
    let image = [&[b',', 0, 0, 0, 0], &screen[..], &[0, 2]].concat();
    let codes = [&[255][..], &[0x84; 255]].concat().repeat(20_000);
    [head, image, codes, vec![0, b';']].concat()
}

fn jpeg(side: u16, scans: usize) -> Vec<u8> {
    let side = side.to_be_bytes();
    let table = |class: u8, symbols: &[u8]| {
        let mut counts = [0; 16];
        counts[7] = u8::try_from(symbols.len()).unwrap();
        let length = u8::try_from(19 + symbols.len()).unwrap();
        [&[0xff, 0xc4, 0, length, class][..], &counts, symbols].concat()
    };
    let quantization = [&[0xff, 0xdb, 0, 67, 0][..], &[1; 64]].concat();
    let frame =
        [&[0xff, 0xc2, 0, 17, 8][..], &side, &side, &[3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]]
            .concat();
    let first = [&[0xff, 0xda, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, 0, 0][..], &[0; 1_000]].concat();
    let next = [&[0xff, 0xda, 0, 8, 1, 1, 0, 1, 63, 0][..], &[0; 1_000]].concat();
    [
        &[0xff, 0xd8][..],
        &quantization,
        &frame,
        &table(0, &[0]),
        &table(0x10, &[0]),
        &first,
        &next.repeat(scans),
        &[0xff, 0xd9],
    ]
    .concat()
}

fn hostile_rasters() -> Vec<(&'static str, Vec<u8>)> {
    let text = [b"Comment\0\0", &zeros(200)[..]].concat();
    let webp = |bits: u32| {
        let lossless =
            [&[0x2f][..], &bits.to_le_bytes(), &[0x88, 0x88, 0x08, 0x50, 0xff, 0xff]].concat();
        let length = u32::try_from(lossless.len()).unwrap().to_le_bytes();
        let body = [b"WEBPVP8L", &length[..], &lossless, &[0]].concat();
        [b"RIFF", &u32::try_from(body.len()).unwrap().to_le_bytes()[..], &body].concat()
    };
    vec![
        ("PNG of 16 bits a channel", png([4_096, 4_096], [16, 6, 0], &zeros(130), &[])),
        ("interlaced PNG", png([4_096, 4_096], [16, 2, 1], &zeros(100), &[])),
        ("wide PNG", png([0x7fff_ffff, 1], [8, 6, 0], &zeros(200), &[])),
        ("PNG of much more data", png([4_096, 4_096], [1, 0, 0], &zeros(1_000), &[])),
        (
            "PNG of compressed texts",
            png([64, 64], [8, 6, 0], &zeros(1), &vec![("zTXt", text.clone()); 30]),
        ),
        ("PNG of colour profiles", png([64, 64], [8, 6, 0], &zeros(1), &[("iCCP", text)])),
        ("GIF of a run", gif(4_096)),
        ("wide GIF", gif(u16::MAX)),
        ("JPEG of many scans", jpeg(4_096, 30)),
        ("JPEG of more scans", jpeg(4_096, 6_000)),
        ("wide JPEG", jpeg(u16::MAX, 1)),
        ("WebP", webp(4_095 | 4_095 << 14)),
        ("wide WebP", webp(0x0fff_ffff)),
    ]
}

/// Decodes two pictures at a time, and returns what is wrong.
fn measure(pictures: &[(&'static str, Vec<u8>)]) -> Vec<String> {
    let rest = Mutex::new(pictures.iter());
    let wrong = Mutex::new(Vec::new());
    let work = || {
        while let Some((name, picture)) = { rest.lock().unwrap().next() } {
            let Cost { megabytes, cpu_milliseconds, milliseconds, outcome } = decode(picture, 640);
            let line = format!(
                "{name}: {megabytes} MB, {cpu_milliseconds} ms of CPU, {milliseconds} ms, {outcome}"
            );
            if megabytes > MAX_MEGABYTES || cpu_milliseconds > MAX_CPU_MILLISECONDS {
                wrong.lock().unwrap().push(line.clone());
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    wrong.into_inner().unwrap()
}

#[test]
fn no_picture_takes_more_memory_or_time_than_a_decoder_has() {
    let pictures = [hostile_drawings(), hostile_documents(), hostile_rasters()].concat();
    assert!(pictures.len() >= 40);
    assert_eq!(measure(&pictures), Vec::<String>::new());
}

#[test]
fn art_that_only_looks_complex_is_drawn() {
    let gradient = "<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd'>";
    let defs = "<defs><linearGradient id='g'><stop stop-color='red'/><stop offset='1'/></linearGradient>\
        <radialGradient id='r'><stop stop-color='blue'/><stop offset='1' stop-opacity='.5'/></radialGradient>\
        <pattern id='p' width='.1' height='.1'><circle r='9' fill='url(#r)'/></pattern>\
        <clipPath id='c'><circle cx='320' cy='320' r='300'/></clipPath>\
        <mask id='m'><rect width='640' height='640' fill='url(#g)'/></mask>\
        <marker id='d' markerWidth='3' markerHeight='3'><circle r='2' fill='red'/></marker>\
        <filter id='f'><feTurbulence baseFrequency='.02' numOctaves='3'/><feColorMatrix type='hueRotate' values='90'/><feGaussianBlur stdDeviation='2'/></filter></defs>\
        <style>.a{stroke:url(#g)} .b{fill:url(#p);opacity:.7}</style>";
    for (name, content) in [
        ("rectangles", "<rect class='a' width='640' height='640' fill='url(#g)' style='fill-opacity:.9'/>".repeat(300)),
        ("pixel art", each(24, &"<rect x='#' y='#0' width='26' height='26' fill='red'/>".repeat(24))),
        ("patterns", "<rect class='b' width='640' height='640' clip-path='url(#c)'/>".repeat(3)),
        ("masks", "<g mask='url(#m)'><circle cx='320' cy='320' r='300' fill='url(#r)'/></g>".repeat(3)),
        ("filter", "<rect width='640' height='640' filter='url(#f)'/>".into()),
        ("curves", "<path class='a' fill='none' stroke-width='3' stroke-dasharray='9 3' marker-mid='url(#d)' d='M9 9 C320 9 320 630 630 630 S9 320 320 9'/>".into()),
    ] {
        let picture = [gradient.into(), svg(&format!("{defs}{content}"))].concat();
        let Cost { outcome, .. } = decode(&picture, 320);
        let drawn = outcome.strip_suffix(" pixels of 320×320");
        let drawn: usize = drawn.unwrap_or_else(|| panic!("{name}: {outcome}")).parse().unwrap();
        assert!(drawn > 500, "{name}: {outcome}");
    }
}
