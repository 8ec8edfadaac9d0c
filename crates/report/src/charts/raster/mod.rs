//! Converts pictures to PNG and PDF. Texts use DejaVu Sans, which is embedded in the program, so the files are
//! byte-identical on every machine.

mod canonical;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use std::sync::{Arc, LazyLock};
use svg2pdf::usvg::fontdb::Database;

/// Resolution of pictures for print, in pixels per inch.
pub const PRINT_DPI: f32 = 150.0;
/// Number of SVG units per inch.
const UNITS_PER_INCH: f32 = 96.0;
const INCHES_PER_METRE: f32 = 39.370_08;

/// Reason why a picture cannot be converted.
#[derive(Debug, thiserror::Error)]
pub enum RasterError {
    /// The picture is not valid SVG.
    #[error("cannot read the picture: {0}")]
    Parse(#[from] resvg::usvg::Error),
    /// The picture is empty or too large for memory. Contains its width and height in pixels.
    #[error("cannot create a picture of {0} by {1} pixels")]
    Size(u32, u32),
    /// The PNG cannot be encoded.
    #[error("cannot write the PNG: {0}")]
    Png(String),
    /// The PDF cannot be created.
    #[error("cannot create the PDF: {0}")]
    Pdf(String),
}

static FONTS: LazyLock<Arc<Database>> = LazyLock::new(|| {
    let mut fonts = Database::new();
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    fonts.load_font_data(dejavu::sans::bold().to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    Arc::new(fonts)
});

/// Parses an SVG picture.
///
/// # Errors
/// [`RasterError::Parse`] if `svg` is not valid SVG.
pub fn parse(svg: &str) -> Result<Tree, RasterError> {
    let options = Options { fontdb: FONTS.clone(), font_family: "DejaVu Sans".to_owned(), ..Options::default() };
    Ok(Tree::from_str(svg, &options)?)
}

/// Converts a picture to PNG with `dpi` pixels per inch. The file records this resolution.
///
/// # Errors
/// See [`RasterError`].
pub fn png(svg: &str, dpi: f32) -> Result<Vec<u8>, RasterError> {
    let tree = parse(svg)?;
    let scale = dpi / UNITS_PER_INCH;
    let (width, height) = ((tree.size().width() * scale).ceil() as u32, (tree.size().height() * scale).ceil() as u32);
    let mut pixmap = Pixmap::new(width, height).ok_or(RasterError::Size(width, height))?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    let png = pixmap.encode_png().map_err(|error| RasterError::Png(error.to_string()))?;
    Ok(with_density(png, dpi))
}

/// Converts a picture to PDF. Keeps texts as text, not as outlines.
///
/// # Errors
/// See [`RasterError`].
pub fn pdf(svg: &str) -> Result<Vec<u8>, RasterError> {
    let tree = parse(svg)?;
    let pdf = svg2pdf::to_pdf(&tree, svg2pdf::ConversionOptions::default(), svg2pdf::PageOptions::default())
        .map_err(|error| RasterError::Pdf(error.to_string()))?;
    canonical::canonical(&pdf).ok_or_else(|| RasterError::Pdf("unknown layout".to_owned()))
}

/// Inserts a `pHYs` chunk, which records the resolution (PNG, section 11.3.4.3), after the 8-byte signature and the
/// 25-byte header chunk.
fn with_density(mut png: Vec<u8>, dpi: f32) -> Vec<u8> {
    let per_metre = (dpi * INCHES_PER_METRE).round() as u32;
    let mut chunk = b"pHYs".to_vec();
    chunk.extend(per_metre.to_be_bytes());
    chunk.extend(per_metre.to_be_bytes());
    chunk.push(1);
    let mut whole = 9_u32.to_be_bytes().to_vec();
    whole.extend(&chunk);
    whole.extend(crc(&chunk).to_be_bytes());
    png.splice(33..33, whole);
    png
}

/// Returns the CRC-32 of a chunk (PNG, annex D).
fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" width="96" height="48" viewBox="0 0 96 48"
        font-family="ui-sans-serif, sans-serif"><rect width="96" height="48" fill="white"/>
        <text x="4" y="30" font-size="20" fill="black">42 µs</text></svg>"#;

    #[test]
    fn text_is_rendered_without_system_fonts() {
        let bytes = png(TEXT, PRINT_DPI).unwrap();
        let pixmap = Pixmap::decode_png(&bytes).unwrap();
        assert_eq!((pixmap.width(), pixmap.height()), (150, 75));
        let dark = pixmap.pixels().iter().filter(|pixel| pixel.red() < 64).count();
        assert!((150..2000).contains(&dark), "{dark} dark pixels");
    }

    #[test]
    fn png_records_its_density() {
        let bytes = png(TEXT, PRINT_DPI).unwrap();
        assert_eq!(&bytes[37..41], b"pHYs");
        assert_eq!(bytes[41..45], 5906_u32.to_be_bytes());
        // Check value from the CRC catalogue.
        assert_eq!(crc(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn pdf_contains_its_font() {
        let bytes = pdf(TEXT).unwrap();
        assert!(bytes.starts_with(b"%PDF-"));
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.contains("DejaVuSans"));
    }

    #[test]
    fn files_are_identical_from_call_to_call() {
        let run = crate::fixtures::run();
        let analysis = pqlab_analysis::RunAnalysis::new(&run);
        let charts: Vec<_> =
            analysis.areas().into_iter().flat_map(|area| crate::charts::of_area(&analysis, area)).collect();
        for chart in charts.iter().take(6) {
            let (first_pdf, first_png) = (pdf(&chart.svg).unwrap(), png(&chart.svg, PRINT_DPI).unwrap());
            for _ in 0..12 {
                assert!(pdf(&chart.svg).unwrap() == first_pdf, "{}", chart.name);
            }
            assert!(png(&chart.svg, PRINT_DPI).unwrap() == first_png, "{}", chart.name);
        }
    }

    #[test]
    fn rejects_invalid_svg() {
        assert!(matches!(png("<svg", 96.0), Err(RasterError::Parse(_))));
    }
}
