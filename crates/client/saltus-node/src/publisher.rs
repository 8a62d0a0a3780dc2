//! Typed publishers.

use std::{marker::PhantomData, ops::Deref};

use saltus_cdr::{
    Body, Buffer, BuildError, Buildable, CdrError, ENCAPSULATION, Message, Publishable, Target,
};
use saltus_host::{Loan, PublishError};

use crate::{GenericPublisher, PublishValueError};

/// A publisher of messages of one type. Derefs to [`GenericPublisher`], which publishes serialized messages.
///
/// May be used from any thread. A clone is a handle of the same publisher, which ends when the last clone is dropped.
///
/// ```
/// use saltus::{Context, QoS, msgs::std_msgs::msg::String as Text};
/// let context = Context::new()?;
/// let node = context.node("talker").create()?;
/// let publisher = node.publisher::<Text>("doc_publisher").qos(QoS::keep_last(7)).create()?;
/// publisher.publish(&Text { data: "an owned value".into() })?;
/// // The same message, written in place into shared memory, field by field.
/// publisher.loan(Text::size_hint(64))?.data("in place").publish()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "dropping it ends the publisher; keep it in a variable, because `let _ =` drops it at once"]
pub struct Publisher<M> {
    bytes: GenericPublisher,
    of: PhantomData<fn(M)>,
}

impl<M> Clone for Publisher<M> {
    fn clone(&self) -> Self {
        Self { bytes: self.bytes.clone(), of: PhantomData }
    }
}

impl<M> Deref for Publisher<M> {
    type Target = GenericPublisher;

    fn deref(&self) -> &GenericPublisher {
        &self.bytes
    }
}

impl<M: Message> Publisher<M> {
    pub(crate) fn new(bytes: GenericPublisher) -> Self {
        Self { bytes, of: PhantomData }
    }

    /// Publishes a message. It is serialized directly into shared memory. A small message is serialized on the stack
    /// and then copied.
    pub fn publish(&self, message: &M) -> Result<(), PublishValueError> {
        self.bytes.publish_with(saltus_cdr::encoded_len(message), |bytes| {
            Ok(saltus_cdr::encode_into(message, bytes)?)
        })
    }

    /// Publishes a message of `len` bytes, including the encapsulation header. `write` writes the message, in place in
    /// shared memory, or on the stack if it is small. If `write` fails, nothing is published.
    pub fn publish_with(
        &self,
        len: usize,
        write: impl FnOnce(&mut [u8]) -> Result<(), CdrError>,
    ) -> Result<(), PublishValueError> {
        self.bytes.publish_with(len, |bytes| Ok(write(bytes)?))
    }

    /// Publishes a serialized message, including the encapsulation header.
    ///
    /// The bytes are not checked. The caller must ensure that they are a serialized `M`.
    pub fn publish_bytes(&self, bytes: &[u8]) -> Result<(), PublishError> {
        self.bytes.publish(bytes)
    }

    /// Returns a builder that writes a message in place in shared memory. `size` is the expected size of the message's
    /// body in bytes (see its `size_hint`). A larger message is copied once, and the copy is counted.
    ///
    /// Messages of less than about 1 KB take less time with [`Publisher::publish`].
    pub fn loan(&self, size: usize) -> Result<M::Builder<LoanedBody>, PublishError>
    where
        M: Buildable,
    {
        let loan = self.bytes.loan(ENCAPSULATION.len() + size)?;
        Ok(M::build_in(LoanedBody(Body::new(LoanBuffer(loan)))))
    }
}

/// The body of a message that is being built in shared memory.
#[derive(Debug)]
pub struct LoanedBody(Body<LoanBuffer>);

/// The part of a loan after the encapsulation header, for the body of a message.
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
