//! Errors in scripts. The texts are those of BehaviorTree.CPP where it has the same error.

/// An error in a script.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScriptError {
    /// The script is empty.
    #[error("Empty Script")]
    Empty,
    /// The script has too many bytes.
    #[error("a script may have {0} bytes at most")]
    Length(usize),
    /// The script has too many tokens.
    #[error("a script may have {0} words at most")]
    Tokens(usize),
    /// Expressions are nested too deep.
    #[error("an expression may be nested {0} times at most")]
    Depth(usize),
    /// There is no such token.
    #[error("Invalid token '{token}' at position {position}")]
    Token {
        /// The token.
        token: String,
        /// The position in the script, in bytes.
        position: usize,
    },
    /// An operator is missing.
    #[error("Parse error at position {position}: expected '{operator}' (got '{found}')")]
    Operator {
        /// The operator.
        operator: &'static str,
        /// The token that was found.
        found: String,
        /// The position in the script, in bytes.
        position: usize,
    },
    /// An operand is missing.
    #[error("Expected operand at position {position} (got '{found}')")]
    Operand {
        /// The token that was found.
        found: String,
        /// The position in the script, in bytes.
        position: usize,
    },
    /// The left side of an assignment is not a name.
    #[error("Assignment left operand not a blackboard entry at position {position}")]
    Target {
        /// The position in the script, in bytes.
        position: usize,
    },
    /// There is no entry with this name.
    #[error("Variable not found: {0}")]
    UnknownVariable(String),
    /// The entry has no value.
    #[error("The variable is not initialized: {0}")]
    UnsetVariable(String),
    /// An entry that is to be changed does not exist.
    #[error(
        "The blackboard entry [{0}] doesn't exist, yet.\nIf you want to create a new one, use the operator [:=] instead of [=]"
    )]
    UnknownEntry(String),
    /// A value has not the type of its entry.
    #[error(
        "Error assigning a value to entry [{entry}] with type [{kind}]. \nThe right operand {problem} {kind}"
    )]
    EntryType {
        /// The name of the entry.
        entry: String,
        /// The name of its type.
        kind: &'static str,
        /// The type of the value, as a part of the sentence.
        problem: String,
    },
    /// The condition of `?` is not a number.
    #[error("the condition of `?` is not a number")]
    Condition,
    /// The result of a condition is not a truth value.
    #[error("the result is not a truth value: {0}")]
    Truth(String),
    /// Values of different types are compared.
    #[error("Can't mix different types in Comparison. Left operand [{left}] right operand [{right}]")]
    Comparison {
        /// The left value.
        left: String,
        /// The right value.
        right: String,
    },
    /// The operand of a unary operator is not a number.
    #[error("Invalid operator for std::string")]
    Unary,
    /// An operand of a binary operator of bits is not a whole number.
    #[error("Binary operators are not allowed if one of the operands is not an integer")]
    NotInteger,
    /// An operand of a logical operator is not a truth value.
    #[error("Logic operators are not allowed if one of the operands is not castable to bool")]
    NotBool,
    /// The operator does not work with these values.
    #[error("Operation not permitted")]
    NotPermitted,
}
