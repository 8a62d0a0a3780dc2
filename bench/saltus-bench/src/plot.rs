//! A plot of the round-trip time by message size, with all rows of a placement, as SVG.

use std::path::Path;

use plotters::{
    coord::Shift,
    prelude::*,
    style::{FontStyle, register_font},
};

use crate::row::Row;

const AREA: (u32, u32) = (1200, 800);

/// Writes `<name>.svg`. Writes nothing if there are no rows to plot.
pub(crate) fn write(folder: &Path, name: &str, title: &str, rows: &[&Row]) -> Result<(), String> {
    if rows.is_empty() {
        return Ok(());
    }
    // The font is part of the program, so that the plot is the same on machines without fonts.
    register_font("sans-serif", FontStyle::Normal, epaint_default_fonts::UBUNTU_LIGHT)
        .map_err(|_| "the built-in font can't be read".to_owned())?;
    let path = folder.join(format!("{name}.svg"));
    draw(&SVGBackend::new(&path, AREA).into_drawing_area(), title, rows)
}

/// The points of one row over all sizes, in bytes and microseconds.
struct Series {
    label: String,
    points: Vec<(f64, f64)>,
}

fn series(rows: &[&Row]) -> Vec<Series> {
    let mut all: Vec<Series> = Vec::new();
    for row in rows.iter().filter(|row| row.p50_us > 0.0) {
        let label = format!("{} {}", row.peer, row.mode);
        let point = (row.size as f64, row.p50_us);
        match all.iter_mut().find(|series| series.label == label) {
            Some(series) => series.points.push(point),
            None => all.push(Series { label, points: vec![point] }),
        }
    }
    all
}

fn draw<B: DrawingBackend>(area: &DrawingArea<B, Shift>, title: &str, rows: &[&Row]) -> Result<(), String> {
    draw_chart(area, title, rows).map_err(|e| e.to_string())
}

fn draw_chart<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    title: &str,
    rows: &[&Row],
) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
    area.fill(&WHITE)?;
    let sizes = rows.iter().map(|row| row.size as f64);
    let (least, most) = sizes.fold((f64::MAX, 0f64), |(a, b), size| (a.min(size), b.max(size)));
    let top = rows.iter().map(|row| row.p50_us).fold(1.0, f64::max) * 2.0;
    let bottom = rows.iter().map(|row| row.p50_us).fold(f64::MAX, f64::min) / 2.0;
    // The space on the right is for the legend.
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(45)
        .y_label_area_size(70)
        .build_cartesian_2d((least..most * 30.0).log_scale(), (bottom..top).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("message size, bytes")
        .y_desc("round trip p50, microseconds")
        .x_label_formatter(&|size| format!("{size:.0}"))
        .draw()?;
    for (i, series) in series(rows).into_iter().enumerate() {
        let color = Palette99::pick(i).to_rgba();
        let width = if series.label.starts_with("saltus") { 3 } else { 1 };
        let points = series.points.clone();
        chart
            .draw_series(LineSeries::new(series.points, color.stroke_width(width)).point_size(3))?
            .label(series.label)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color.stroke_width(width)));
        chart.draw_series(points.into_iter().map(|point| Circle::new(point, 3, color.filled())))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::MiddleRight)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK)
        .draw()?;
    area.present()
}

type DrawingAreaErrorKind<E> = plotters::drawing::DrawingAreaErrorKind<E>;
