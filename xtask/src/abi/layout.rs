//! Where the fields of a struct of the header lie, on a system with 64 bits.

/// The end of the last field of a struct, and the alignment of the struct.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Layout {
    end: usize,
    align: usize,
}

impl Layout {
    /// Returns the size of the struct, with the padding at its end.
    pub(super) fn size(&self) -> usize {
        self.end.next_multiple_of(self.align.max(1))
    }
}

/// Returns the layout of `struct x { ... }`, or `None` if the type of a field is unknown. `all` has the structs in it.
pub(super) fn of(declaration: &str, all: &[String]) -> Option<Layout> {
    let fields = declaration.split_once("{ ")?.1.strip_suffix('}')?;
    let fields = fields.split(';').map(str::trim).filter(|field| !field.is_empty());
    fields.into_iter().try_fold(Layout::default(), |before, field| {
        let (size, align) = field_size(field, all)?;
        let end = before.end.next_multiple_of(align) + size;
        Some(Layout { end, align: before.align.max(align) })
    })
}

/// Whether one of the structs in `all` contains this one, and not only a pointer to it.
pub(super) fn is_part(declaration: &str, all: &[String]) -> bool {
    let Some((name, _)) = declaration.split_once(" {") else { return false };
    let contains = |other: &String| {
        let fields = other.split_once("{ ").map_or("", |(_, fields)| fields).split(';').map(str::trim);
        other.starts_with("struct ")
            && fields
                .filter_map(|field| field.strip_prefix(name))
                .any(|rest| rest.starts_with(' ') && !rest.trim_start().starts_with('*'))
    };
    all.iter().any(contains)
}

/// Returns the offset of a field that is added at the end of a struct.
pub(super) fn offset_after(before: &Layout, field: &str, all: &[String]) -> Option<usize> {
    let (_, align) = field_size(field, all)?;
    Some(before.end.next_multiple_of(align))
}

/// Returns the size and the alignment of a field such as `uint8_t id` or `struct saltus_gid_t gids[2]`.
fn field_size(field: &str, all: &[String]) -> Option<(usize, usize)> {
    let (ty, name) = field.trim().rsplit_once(' ')?;
    let count = match name.split_once('[') {
        Some((_, count)) => count.strip_suffix(']')?.parse().ok()?,
        None => 1,
    };
    let (size, align) = if name.starts_with('*') || ty.ends_with("_function_t") {
        (8, 8)
    } else if let Some(name) = ty.strip_prefix("struct ") {
        let prefix = format!("struct {name} {{");
        let layout = of(all.iter().find(|line| line.starts_with(&prefix))?, all)?;
        (layout.size(), layout.align)
    } else {
        let size = size_of_number(ty)?;
        (size, size)
    };
    Some((size * count, align))
}

fn size_of_number(ty: &str) -> Option<usize> {
    Some(match ty {
        "bool" | "int8_t" | "uint8_t" => 1,
        "int16_t" | "uint16_t" => 2,
        "int32_t" | "uint32_t" | "float" | "saltus_status_t" | "saltus_next_t" => 4,
        "int64_t" | "uint64_t" | "size_t" | "double" => 8,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structs_have_the_layout_of_c() {
        let pair = "struct pair_t { uint8_t bytes[3]; uint32_t number; }".to_owned();
        let size = |fields: &str| {
            of(&format!("struct x_t {{ {fields} }}"), std::slice::from_ref(&pair)).map(|layout| layout.size())
        };
        assert_eq!(size("uint8_t a; uint16_t b;"), Some(4));
        assert_eq!(size("size_t a; uint8_t b;"), Some(16));
        assert_eq!(size("uint8_t a; const char *b; struct pair_t c[2];"), Some(32));
        assert_eq!(size("saltus_drop_function_t a; float b[3];"), Some(24));
        assert_eq!(size("wchar_t a;"), None);
    }
}
