//! Reads a domain from outside, without joining it.

use std::io;

use saltus_graph::Graph;
use saltus_memory::{
    header::SegmentHeader,
    membership::{DomainId, Place},
    os::{process::ProcessId, segment::Segment},
    protocol::membership::MemberInfo,
};
use saltus_types::TypeHash;

use crate::registry::{description, entries};

/// Returns the graph of a domain, read from outside.
///
/// # Errors
/// If the files of the domain can't be opened.
pub fn observe(domain: &DomainId) -> io::Result<Graph> {
    let Some(place) = open_place(domain)? else { return Ok(Graph::default()) };
    let of_member = |(member, segment): (MemberInfo, io::Result<Segment>)| {
        // `saltus doctor` reports the members that can't be read.
        segment.map(|segment| entries(&segment, member.id)).unwrap_or_default()
    };
    Ok(living_members(&place).flat_map(of_member).collect())
}

/// Returns the description of a type that a process of a domain uses, as canonical JSON (REP 2016). The text is
/// untrusted: it comes from another process.
///
/// # Errors
/// If the files of the domain can't be opened.
pub fn observe_description(domain: &DomainId, hash: TypeHash) -> io::Result<Option<String>> {
    let Some(place) = open_place(domain)? else { return Ok(None) };
    let found = living_members(&place).find_map(|(_, segment)| description(&segment.ok()?, hash));
    Ok(found)
}

/// Opens a domain for reading. `None` if it has no members.
pub(crate) fn open_place(domain: &DomainId) -> io::Result<Option<Place>> {
    match Place::open(domain) {
        // A missing folder is a mistake of the user, not an empty domain.
        Ok(None) => std::fs::metadata(&domain.folder).map(|_| None),
        other => other,
    }
}

/// Returns the members of a domain that are not known to be dead or to have left. Each comes with its memory, or with
/// the error of opening it.
pub(crate) fn living_members(place: &Place) -> impl Iterator<Item = (MemberInfo, io::Result<Segment>)> {
    let this = ProcessId::current();
    place.members().into_iter().filter_map(move |member| {
        let segment = place.open_segment(&member, this);
        let has_left =
            |segment: &Segment| segment.get::<SegmentHeader>(0).is_some_and(|header| header.state.has_left());
        let is_gone = segment.as_ref().is_ok_and(has_left) || place.is_dead(&member, this);
        (!is_gone).then_some((member, segment))
    })
}
