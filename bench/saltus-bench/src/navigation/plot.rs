//! A plot of the cost of each case, beside the published ones, as SVG.

use std::path::Path;

use plotters::{
    coord::Shift,
    drawing::DrawingAreaErrorKind,
    prelude::*,
    style::{FontStyle, register_font},
};

use super::{
    published::{ARM, CASES, Figures, X86},
    table::figures,
    types::{Case, Repetition},
};

const AREA: (u32, u32) = (1200, 480);

/// Some bars with the same colour: a mean and a deviation for each case, by its name.
struct Series {
    label: &'static str,
    color: RGBColor,
    bars: Vec<(&'static str, (f64, f64))>,
}

/// Writes `nav.svg` with the CPU and the PSS of each case.
///
/// # Errors
///
/// If the file can't be written.
pub(super) fn write(folder: &Path, cases: &[Case], results: &[Vec<Repetition>]) -> Result<(), String> {
    // The font is part of the program, so that the plot is the same on machines without fonts.
    register_font("sans-serif", FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT)
        .map_err(|_| "the built-in font can't be read".to_owned())?;
    let path = folder.join("nav.svg");
    let area = SVGBackend::new(&path, AREA).into_drawing_area();
    area.fill(&WHITE).map_err(|error| error.to_string())?;
    let (left, right) = area.split_horizontally(AREA.0 / 2);
    let measured: Vec<(&str, Figures)> =
        cases.iter().zip(results).map(|(case, results)| (case.name(), figures(results))).collect();
    for (area, what, part) in [(left, "CPU, %", 1), (right, "PSS, MiB", 4)] {
        let published =
            |rows: &[Figures; 5]| CASES.iter().zip(rows).map(|(name, row)| (*name, row[part])).collect();
        let all = [
            Series {
                label: "this run",
                color: RGBColor(31, 119, 180),
                bars: measured.iter().map(|(name, figures)| (*name, figures[part])).collect(),
            },
            Series { label: "published, x86 (2022)", color: RGBColor(255, 127, 14), bars: published(&X86) },
            Series { label: "published, ARM (2022)", color: RGBColor(160, 160, 160), bars: published(&ARM) },
        ];
        draw(&area, what, &all).map_err(|error| error.to_string())?;
    }
    area.present().map_err(|error| error.to_string())
}

/// The width of a bar. A case is 1 wide.
const WIDTH: f64 = 0.28;

fn draw<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    what: &str,
    all: &[Series],
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in all.iter().flat_map(|series| &series.bars) {
        // The published name of separate processes is `normal`.
        let name = if *name == CASES[0] { Case::Separate.name() } else { name };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let top = all.iter().flat_map(|series| &series.bars).map(|(_, (mean, _))| *mean).fold(1.0, f64::max);
    let mut chart = ChartBuilder::on(area)
        .caption(what, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(35)
        .y_label_area_size(50)
        .build_cartesian_2d(-0.5..names.len() as f64 - 0.5, 0.0..top * 1.1)?;
    let label = |x: &f64| {
        let is_whole = (x - x.round()).abs() < 1e-6;
        let name = is_whole.then(|| names.get(x.round() as usize)).flatten();
        name.map_or_else(String::new, |name| (*name).to_owned())
    };
    chart.configure_mesh().disable_x_mesh().x_labels(2 * names.len()).x_label_formatter(&label).draw()?;
    for (number, series) in all.iter().enumerate() {
        let offset = (number as f64 - 1.0) * WIDTH;
        let bars = series.bars.iter().filter_map(|(name, value)| {
            let name = if *name == CASES[0] { Case::Separate.name() } else { name };
            Some((names.iter().position(|known| *known == name)? as f64 + offset, *value))
        });
        let color = series.color;
        let bars: Vec<(f64, (f64, f64))> = bars.collect();
        chart
            .draw_series(bars.iter().map(|(middle, (mean, _))| {
                Rectangle::new([(middle - WIDTH / 2.0, 0.0), (middle + WIDTH / 2.0, *mean)], color.filled())
            }))?
            .label(series.label)
            .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 12, y + 5)], color.filled()));
        chart.draw_series(bars.iter().map(|(middle, (mean, deviation))| {
            PathElement::new([(*middle, mean - deviation), (*middle, mean + deviation)], BLACK)
        }))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK)
        .draw()
}
