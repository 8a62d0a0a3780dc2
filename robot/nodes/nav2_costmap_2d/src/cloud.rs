//! The points of scans and clouds.

use saltus::msgs::sensor_msgs::msg::{LaserScan, PointCloud2, PointField};

/// The distance by which an infinite range that counts is shorter than the largest range, in metres.
const BEFORE_END: f32 = 1e-4;

/// Returns the points of a scan in its own frame. Ranges that are too small, too large or not numbers are left out. With `inf_is_valid`,
/// an infinite range counts as the largest range of the sensor.
pub(crate) fn scan_points(scan: &LaserScan, inf_is_valid: bool) -> Vec<[f64; 3]> {
    let mut points = Vec::with_capacity(scan.ranges.len());
    for (ray, range) in scan.ranges.iter().enumerate() {
        let is_infinite = inf_is_valid && !range.is_finite() && *range > 0.0;
        let range = if is_infinite { scan.range_max - BEFORE_END } else { *range };
        if range >= scan.range_min && range < scan.range_max {
            let angle = f64::from(scan.angle_min) + ray as f64 * f64::from(scan.angle_increment);
            let (sine, cosine) = angle.sin_cos();
            points.push([f64::from(range) * cosine, f64::from(range) * sine, 0.0]);
        }
    }
    points
}

/// Returns the points of a cloud in its own frame, or the problem of the cloud. Points that are not finite are left out.
pub(crate) fn cloud_points(cloud: &PointCloud2) -> Result<Vec<[f64; 3]>, String> {
    let offset = |name: &str| -> Result<usize, String> {
        let field = cloud.fields.iter().find(|field| field.name == name);
        let field = field.filter(|field| field.datatype == PointField::FLOAT32 && field.count == 1);
        Ok(field.ok_or_else(|| format!("the cloud has no field '{name}' of 32-bit floats"))?.offset as usize)
    };
    let offsets = [offset("x")?, offset("y")?, offset("z")?];
    let (step, row) = (cloud.point_step as usize, cloud.row_step as usize);
    let (width, height) = (cloud.width as usize, cloud.height as usize);
    let end = offsets.iter().max().map_or(0, |offset| offset + 4);
    let is_possible = end <= step
        && width.checked_mul(step).is_some_and(|used| used <= row)
        && height.checked_mul(row).is_some_and(|size| size <= cloud.data.len());
    if !is_possible {
        return Err(format!("a cloud of {width} x {height} points has {} bytes", cloud.data.len()));
    }
    let mut points = Vec::with_capacity(width * height);
    for row_bytes in cloud.data.chunks_exact(row.max(1)).take(height) {
        for point in row_bytes.chunks_exact(step.max(1)).take(width) {
            let point = offsets.map(|offset| number(&point[offset..offset + 4], cloud.is_bigendian));
            if point.iter().all(|part| part.is_finite()) {
                points.push(point);
            }
        }
    }
    Ok(points)
}

fn number(bytes: &[u8], is_bigendian: bool) -> f64 {
    let bytes = [bytes[0], bytes[1], bytes[2], bytes[3]];
    f64::from(if is_bigendian { f32::from_be_bytes(bytes) } else { f32::from_le_bytes(bytes) })
}
