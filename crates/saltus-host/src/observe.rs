//! Looks at a domain from outside, without taking part in it.

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

/// The graph of a domain, as a look from outside finds it.
///
/// # Errors
/// If the files of the domain can't be opened.
pub fn observe(domain: &DomainId) -> io::Result<Graph> {
    let Some(place) = open_place(domain)? else { return Ok(Graph::default()) };
    let of_member = |(member, segment): (MemberInfo, io::Result<Segment>)| {
        // `saltus doctor` names those that can't be read.
        segment.map(|segment| entries(&segment, member.id)).unwrap_or_default()
    };
    Ok(living_members(&place).flat_map(of_member).collect())
}

/// The description of a type that somebody in a domain uses, as canonical JSON (REP 2016); text of another
/// process, who may be wrong.
///
/// # Errors
/// If the files of the domain can't be opened.
pub fn observe_description(domain: &DomainId, hash: TypeHash) -> io::Result<Option<String>> {
    let Some(place) = open_place(domain)? else { return Ok(None) };
    let found = living_members(&place).find_map(|(_, segment)| description(&segment.ok()?, hash));
    Ok(found)
}

/// A domain to look at; `None` if nobody is there.
pub(crate) fn open_place(domain: &DomainId) -> io::Result<Option<Place>> {
    match Place::open(domain) {
        // A folder that is missing is a mistake of the user, and not an empty domain.
        Ok(None) => std::fs::metadata(&domain.folder).map(|_| None),
        other => other,
    }
}

/// The members of a domain that are not known to be dead or to have left, with their memory as far as it can be
/// opened.
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
