//! Publishers of a type.

use std::{marker::PhantomData, sync::Arc, time::Duration};

use saltus_cdr::{
    Body, Buffer, BuildError, Buildable, CdrError, ENCAPSULATION, Message, Publishable, Target,
};
use saltus_host::{EndpointInfo, Loan, PublishError, PublisherStatus};

use crate::{Node, events::EventHandler};

/// Why a value was not published.
#[derive(thiserror::Error)]
pub enum PublishValueError {
    /// It does not fit its type.
    #[error(transparent)]
    Value(#[from] CdrError),
    /// It could not be sent.
    #[error(transparent)]
    Send(#[from] PublishError),
}

saltus_types::debug_as_display!(PublishValueError);

/// The sending end of a topic, for messages of one type.
///
/// May be used from any thread.
#[derive(Debug)]
pub struct Publisher<M> {
    inner: Arc<saltus_host::Publisher>,
    node: Node,
    /// Held, not used: dropping it ends the calls.
    _events: Option<Arc<EventHandler>>,
    of: PhantomData<fn(M)>,
}

impl<M: Message> Publisher<M> {
    pub(crate) fn new(
        inner: Arc<saltus_host::Publisher>,
        node: Node,
        events: Option<Arc<EventHandler>>,
    ) -> Self {
        Self { inner, node, _events: events, of: PhantomData }
    }

    /// Sends a value. It is written straight into shared memory; a small one is written on the stack and copied there.
    pub fn publish(&self, message: &M) -> Result<(), PublishValueError> {
        self.inner.publish_with(saltus_cdr::encoded_len(message), |bytes| {
            Ok(saltus_cdr::encode_into(message, bytes)?)
        })
    }

    /// Sends a message of `len` bytes, encapsulation header included, that `write` writes: in place, or on the
    /// stack if it is small. If that fails nothing is sent.
    pub fn publish_with(
        &self,
        len: usize,
        write: impl FnOnce(&mut [u8]) -> Result<(), CdrError>,
    ) -> Result<(), PublishValueError> {
        self.inner.publish_with(len, |bytes| Ok(write(bytes)?))
    }

    /// Sends a message that is serialized already, encapsulation header included.
    ///
    /// The bytes are not looked at: it is the caller who knows that they are an `M`.
    pub fn publish_bytes(&self, bytes: &[u8]) -> Result<(), PublishError> {
        self.inner.publish_bytes(bytes)
    }

    /// A builder that writes the message in place, into memory for `size` bytes of body (see the
    /// message's `size_hint`). If it turns out larger it is copied once, and that is counted.
    pub fn loan(&self, size: usize) -> Result<M::Builder<LoanedBody>, PublishError>
    where
        M: Buildable,
    {
        let loan = self.inner.loan(ENCAPSULATION.len() + size)?;
        Ok(M::build_in(LoanedBody(Body::new(LoanBuffer(loan)))))
    }

    /// How many subscriptions are connected.
    pub fn subscription_count(&self) -> usize {
        self.inner.status().matched
    }

    /// Waits until at least `count` subscriptions are connected, at most for `timeout`.
    pub fn wait_for_subscriptions(&self, count: usize, timeout: Duration) -> bool {
        self.node.context().wait_until(timeout, || self.subscription_count() >= count)
    }

    /// Says that this publisher is alive, without publishing: renews the lease of manual liveliness.
    pub fn assert_liveliness(&self) {
        self.inner.assert_liveliness();
    }

    /// Counts and states.
    pub fn status(&self) -> PublisherStatus {
        self.inner.status()
    }

    /// What the graph says of it.
    pub fn info(&self) -> &EndpointInfo {
        self.inner.info()
    }

    /// The node that it belongs to.
    pub fn node(&self) -> &Node {
        &self.node
    }
}

/// The body of a message that is being built in shared memory.
#[derive(Debug)]
pub struct LoanedBody(Body<LoanBuffer>);

/// Loaned memory behind the encapsulation header.
#[derive(Debug)]
pub struct LoanBuffer(Loan);

impl LoanBuffer {
    pub(crate) fn new(loan: Loan) -> Self {
        Self(loan)
    }

    pub(crate) fn into_loan(self) -> Loan {
        self.0
    }
}

impl Buffer for LoanBuffer {
    type Error = PublishError;

    fn bytes(&mut self) -> &mut [u8] {
        &mut self.0[ENCAPSULATION.len()..]
    }

    fn grow(&mut self, used: usize, length: usize) -> Result<(), PublishError> {
        self.0.grow(ENCAPSULATION.len() + used, ENCAPSULATION.len() + length)
    }
}

impl Target for LoanedBody {
    type Buffer = LoanBuffer;

    fn body(&mut self) -> &mut Body<LoanBuffer> {
        &mut self.0
    }
}

impl Publishable for LoanedBody {
    type Output = Result<(), BuildError<PublishError>>;

    fn publish(self) -> Self::Output {
        let (LoanBuffer(mut loan), used) = self.0.finish()?;
        loan[..ENCAPSULATION.len()].copy_from_slice(&ENCAPSULATION);
        loan.publish(ENCAPSULATION.len() + used).map_err(BuildError::Room)
    }
}
