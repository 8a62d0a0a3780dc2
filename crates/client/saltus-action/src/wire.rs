//! Reads and writes messages in which a value of an action's own types follows a goal id or a state.

use saltus_cdr::{Cdr, CdrError, ENCAPSULATION, Reader, Writer};
use saltus_msgs::unique_identifier_msgs::msg::UUID;

use crate::{GoalId, GoalStatus};

/// Returns the length in bytes of a message of two fields.
pub(crate) fn pair_len<A: Cdr, B: Cdr>(first: &A, second: &B) -> usize {
    ENCAPSULATION.len() + second.end(first.end(0))
}

/// Writes a message of two fields.
pub(crate) fn write_pair<A: Cdr, B: Cdr>(bytes: &mut [u8], first: &A, second: &B) -> Result<(), CdrError> {
    let (header, body) = bytes.split_at_mut(ENCAPSULATION.len());
    header.copy_from_slice(&ENCAPSULATION);
    let writer = &mut Writer::new(body);
    first.write(writer)?;
    second.write(writer)
}

/// Returns the length of a `_SendGoal_Request` or `_FeedbackMessage`.
pub(crate) fn with_id_len<T: Cdr>(value: &T) -> usize {
    pair_len(&UUID::default(), value)
}

/// Writes a `_SendGoal_Request` or `_FeedbackMessage`.
pub(crate) fn write_with_id<T: Cdr>(bytes: &mut [u8], id: GoalId, value: &T) -> Result<(), CdrError> {
    write_pair(bytes, &UUID::from(id), value)
}

/// Reads the goal id at the start of a message. Returns it and a reader of what follows it.
pub(crate) fn read_id(bytes: &[u8]) -> Result<(GoalId, Reader<'_>), CdrError> {
    let mut reader = Reader::new(bytes)?;
    Ok((UUID::read(&mut reader)?.into(), reader))
}

/// Returns a view of the value that follows the goal id.
pub(crate) fn view_with_id<T: Cdr>(bytes: &[u8]) -> Result<T::View<'_>, CdrError> {
    T::view(&mut read_id(bytes)?.1)
}

/// Reads the value that follows the goal id.
pub(crate) fn value_with_id<T: Cdr>(bytes: &[u8]) -> Result<T, CdrError> {
    T::read(&mut read_id(bytes)?.1)
}

/// Returns the length of a `_GetResult_Response`.
pub(crate) fn result_len<T: Cdr>(result: &T) -> usize {
    pair_len(&0i8, result)
}

/// Writes a `_GetResult_Response`.
pub(crate) fn write_result<T: Cdr>(bytes: &mut [u8], status: GoalStatus, result: &T) -> Result<(), CdrError> {
    write_pair(bytes, &(status as i8), result)
}

/// Reads the state at the start of a `_GetResult_Response`. Returns it and a reader of what follows it.
pub(crate) fn read_status(bytes: &[u8]) -> Result<(GoalStatus, Reader<'_>), CdrError> {
    let mut reader = Reader::new(bytes)?;
    Ok((GoalStatus::from_number(i8::read(&mut reader)?), reader))
}

/// Sets the state at the start of a `_GetResult_Response`.
pub(crate) fn set_status(bytes: &mut [u8], status: GoalStatus) -> Result<(), CdrError> {
    read_status(bytes)?;
    bytes[ENCAPSULATION.len()] = status as i8 as u8;
    Ok(())
}

/// Sets the goal id at the start of a message.
pub(crate) fn set_id(bytes: &mut [u8], id: GoalId) -> Result<(), CdrError> {
    read_id(bytes)?;
    let begin = ENCAPSULATION.len();
    bytes[begin..begin + 16].copy_from_slice(id.as_bytes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use saltus_msgs::example_interfaces::action::{
        Fibonacci_FeedbackMessage, Fibonacci_GetResult_Response, Fibonacci_Result, Fibonacci_SendGoal_Request,
    };

    use super::*;

    #[test]
    fn a_message_written_in_parts_equals_the_generated_message() {
        let id = GoalId::from_bytes(std::array::from_fn(|i| i as u8));
        let goal = Fibonacci_SendGoal_Request { goal_id: id.into(), ..Default::default() };
        let mut bytes = vec![0; with_id_len(&goal.goal)];
        write_with_id(&mut bytes, id, &goal.goal).unwrap();
        assert_eq!(bytes, saltus_cdr::encode(&goal).unwrap());
        let mut feedback = Fibonacci_FeedbackMessage { goal_id: id.into(), ..Default::default() };
        feedback.feedback.sequence = vec![1, 2, 3];
        let mut bytes = vec![0; with_id_len(&feedback.feedback)];
        write_with_id(&mut bytes, id, &feedback.feedback).unwrap();
        assert_eq!(bytes, saltus_cdr::encode(&feedback).unwrap());
        let response =
            Fibonacci_GetResult_Response { status: 4, result: Fibonacci_Result { sequence: vec![7] } };
        let mut bytes = vec![0; result_len(&response.result)];
        write_result(&mut bytes, GoalStatus::Succeeded, &response.result).unwrap();
        assert_eq!(bytes, saltus_cdr::encode(&response).unwrap());
        let (status, mut reader) = read_status(&bytes).unwrap();
        assert_eq!(
            (status, Fibonacci_Result::read(&mut reader).unwrap()),
            (GoalStatus::Succeeded, response.result)
        );
    }
}
