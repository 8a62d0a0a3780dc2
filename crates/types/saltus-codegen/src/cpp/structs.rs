//! The structs of messages, with their constants.

use std::fmt::Write as _;

use saltus_idl::{Base, Constant, Field, Literal, Message, Primitive, Shape};

use super::{
    definition::Definition,
    file::{CppFile, header},
    literal::expression,
    names::{close_namespace, detail, element, field, full, open_namespace, primitive},
};
use crate::keywords::field_name;

/// Returns the file with the structs of a definition.
pub(super) fn file(definition: &Definition<'_>) -> CppFile {
    let name = &definition.name;
    let mut text = includes(definition);
    for (message, _) in &definition.messages {
        let _ =
            write!(text, "\n{}{}{}", open_namespace(name), message_struct(message), close_namespace(name));
    }
    for service in &definition.services {
        let own = full(service);
        let _ = write!(
            text,
            "\n{}struct {}\n{{\n  using Request = {own}_Request;\n  using Response = {own}_Response;\n  using Event = {own}_Event;\n}};\n{}",
            open_namespace(name),
            service.name,
            close_namespace(name)
        );
    }
    if definition.is_action() {
        text += &action_struct(definition);
    }
    header("cpp", name, detail(name, "struct", "hpp"), &text)
}

/// Returns the lines that include what the structs need.
fn includes(definition: &Definition<'_>) -> String {
    let mut text = String::from("#include <array>\n#include <cstdint>\n");
    if has_unusual_numbers(definition) {
        text += "#include <limits>\n";
    }
    text += "#include <memory>\n#include <string>\n#include <vector>\n\n";
    if definition.has_field(|ty| matches!(ty.shape, Shape::Bounded(_))) {
        text += "#include \"rosidl_runtime_cpp/bounded_vector.hpp\"\n";
    }
    text += "#include \"rosidl_runtime_cpp/message_initialization.hpp\"\n";
    for included in definition.included() {
        let _ = writeln!(text, "#include \"{}\"", detail(&included, "struct", "hpp"));
    }
    if definition.is_action() {
        text += "#include \"action_msgs/srv/detail/cancel_goal__struct.hpp\"\n";
        text += "#include \"action_msgs/msg/detail/goal_status_array__struct.hpp\"\n";
    }
    text
}

/// Whether a constant or default is infinite or not a number.
fn has_unusual_numbers(definition: &Definition<'_>) -> bool {
    let is_unusual = |value: &Literal| matches!(value, Literal::Float(value) if !(*value as f32).is_finite());
    definition.messages.iter().any(|(message, _)| {
        let defaults = message.fields.iter().filter_map(|field| field.default.as_ref());
        message.constants.iter().map(|constant| &constant.value).chain(defaults).any(|value| match value {
            Literal::List(items) => items.iter().any(is_unusual),
            value => is_unusual(value),
        })
    })
}

/// Returns the struct of a message, its alias without an allocator, and the definitions of its constants.
fn message_struct(message: &Message) -> String {
    let name = &message.name.name;
    let fields = message.wire_fields();
    let mut text =
        format!("/// `{}`\ntemplate<class ContainerAllocator>\nstruct {name}_\n{{\n", message.name);
    let _ = write!(text, "  using Type = {name}_<ContainerAllocator>;\n\n");
    text += &constructors(message, &fields);
    for one in &fields {
        let own = field_name(&one.name);
        let _ = write!(text, "  using _{own}_type =\n    {};\n  _{own}_type {own};\n", field(&one.ty));
    }
    text.push('\n');
    text += &setters(&message.fields);
    text += &message.constants.iter().map(|one| constant(message, one)).collect::<String>();
    text += &pointers(name);
    text += &comparison(name, &fields);
    let _ = write!(text, "}};\n\nusing {name} = {}_<std::allocator<void>>;\n", full(&message.name));
    text += &message.constants.iter().map(|one| definition_of_constant(name, one)).collect::<String>();
    text
}

/// Returns the constructors. They set each field to its default, to zero, or to nothing.
fn constructors(message: &Message, fields: &[Field]) -> String {
    let name = &message.name.name;
    let body = body(fields);
    let nested: Vec<_> = fields.iter().filter(|field| is_nested_scalar(field)).collect();
    let with = |arguments: &str| {
        let all: Vec<_> =
            nested.iter().map(|field| format!("{}({arguments})", field_name(&field.name))).collect();
        if all.is_empty() { String::new() } else { format!("\n  : {}", all.join(",\n    ")) }
    };
    let initialization = "rosidl_runtime_cpp::MessageInitialization _init =\n    rosidl_runtime_cpp::MessageInitialization::ALL";
    let used = if body.is_empty() && nested.is_empty() { "    (void)_init;\n" } else { "" };
    format!(
        "  explicit {name}_(\n    {initialization}){}\n  {{\n{used}{body}  }}\n\n  explicit {name}_(\n    const ContainerAllocator & _alloc,\n    {initialization}){}\n  {{\n    (void)_alloc;\n{used}{body}  }}\n\n",
        with("_init"),
        with("_alloc, _init")
    )
}

fn is_nested_scalar(field: &Field) -> bool {
    matches!((&field.ty.base, field.ty.shape), (Base::Nested(_), Shape::Scalar))
}

/// Returns the statements of a constructor.
fn body(fields: &[Field]) -> String {
    let defaults: String = fields.iter().filter_map(set_default).collect();
    let zeros: String = fields.iter().filter_map(set_zero).collect();
    let all: String =
        fields.iter().filter_map(|field| set_default(field).or_else(|| set_zero(field))).collect();
    let mut text = String::new();
    let mut branch = |condition: &str, statements: &str| {
        if !statements.is_empty() {
            let _ = write!(text, "    if ({condition}) {{\n{statements}    }}\n");
        }
    };
    let is = |kind: &str| format!("_init == rosidl_runtime_cpp::MessageInitialization::{kind}");
    if defaults.is_empty() {
        branch(&format!("{} ||\n      {}", is("ALL"), is("ZERO")), &zeros);
    } else {
        branch(&is("ALL"), &all);
        branch(&is("ZERO"), &zeros);
        branch(&is("DEFAULTS_ONLY"), &defaults);
    }
    text
}

/// Returns the statement that sets a field to its default, if it has one.
fn set_default(field: &Field) -> Option<String> {
    let name = field_name(&field.name);
    let value = field.default.as_ref()?;
    Some(match (value, field.ty.shape) {
        (Literal::List(items), Shape::Bounded(_) | Shape::Unbounded) => {
            let items: Vec<_> = items.iter().map(|item| expression(item, &field.ty.base)).collect();
            format!("      this->{name} = {{{}}};\n", items.join(", "))
        }
        (value, _) => format!("      this->{name} = {};\n", expression(value, &field.ty.base)),
    })
}

/// Returns the statement that sets a field to zero, unless a constructor has done that.
fn set_zero(field: &Field) -> Option<String> {
    let name = field_name(&field.name);
    let zero = match &field.ty.base {
        Base::Primitive(Primitive::Bool) => "false".to_owned(),
        Base::Primitive(Primitive::Float32) => "0.0f".to_owned(),
        Base::Primitive(Primitive::Float64) => "0.0".to_owned(),
        Base::Primitive(Primitive::Byte | Primitive::Char | Primitive::Uint8) => "0".to_owned(),
        Base::Primitive(_) => "0".to_owned(),
        Base::String(_) => "\"\"".to_owned(),
        Base::WString(_) => "u\"\"".to_owned(),
        Base::Nested(_) if matches!(field.ty.shape, Shape::Array(_)) => {
            return Some(format!("      this->{name}.fill({}{{_init}});\n", element(&field.ty.base)));
        }
        Base::Nested(_) => return None,
    };
    match field.ty.shape {
        Shape::Scalar => Some(format!("      this->{name} = {zero};\n")),
        Shape::Array(_) => Some(format!("      this->{name}.fill({zero});\n")),
        Shape::Bounded(_) | Shape::Unbounded => None,
    }
}

/// Returns the functions that set a field and return the message.
fn setters(fields: &[Field]) -> String {
    let setter = |one: &Field| {
        let own = field_name(&one.name);
        format!(
            "  Type & set__{own}(\n    const {} & _arg)\n  {{\n    this->{own} = _arg;\n    return *this;\n  }}\n",
            field(&one.ty)
        )
    };
    let text: String = fields.iter().map(setter).collect();
    if text.is_empty() { text } else { text + "\n" }
}

/// Returns the declaration of a constant.
fn constant(message: &Message, constant: &Constant) -> String {
    let value = expression(&constant.value, &constant.ty);
    match &constant.ty {
        Base::Primitive(ty) => format!(
            "  /// A constant of `{}`.\n  static constexpr {} {} = {value};\n",
            message.name,
            primitive(*ty),
            constant.name
        ),
        text => format!(
            "  /// A constant of `{}`.\n  static const {} {};\n",
            message.name,
            element(text),
            constant.name
        ),
    }
}

/// Returns the definition of a constant outside its struct.
fn definition_of_constant(name: &str, constant: &Constant) -> String {
    match &constant.ty {
        // It is an inline variable since C++17.
        Base::Primitive(_) => String::new(),
        text => format!(
            "\ntemplate<typename ContainerAllocator>\nconst {}\n{name}_<ContainerAllocator>::{} = {};\n",
            element(text),
            constant.name,
            expression(&constant.value, text)
        ),
    }
}

/// Returns the names of pointers to a message.
fn pointers(name: &str) -> String {
    let own = format!("{name}_<ContainerAllocator>");
    format!(
        "\n  using RawPtr = {own} *;\n  using ConstRawPtr = const {own} *;\n  using SharedPtr = std::shared_ptr<{own}>;\n  \
         using ConstSharedPtr = std::shared_ptr<const {own}>;\n\n  \
         template<typename Deleter = std::default_delete<{own}>>\n  \
         using UniquePtrWithDeleter = std::unique_ptr<{own}, Deleter>;\n  using UniquePtr = UniquePtrWithDeleter<>;\n  \
         template<typename Deleter = std::default_delete<const {own}>>\n  \
         using ConstUniquePtrWithDeleter = std::unique_ptr<const {own}, Deleter>;\n  \
         using ConstUniquePtr = ConstUniquePtrWithDeleter<>;\n\n  using WeakPtr = std::weak_ptr<{own}>;\n  \
         using ConstWeakPtr = std::weak_ptr<const {own}>;\n\n  \
         using Ptr [[deprecated(\"use SharedPtr\")]] = std::shared_ptr<{own}>;\n  \
         using ConstPtr [[deprecated(\"use ConstSharedPtr\")]] = std::shared_ptr<const {own}>;\n\n"
    )
}

/// Returns the functions that compare two messages field by field.
fn comparison(name: &str, fields: &[Field]) -> String {
    let equal: Vec<_> = fields
        .iter()
        .map(|field| field_name(&field.name))
        .map(|own| format!("this->{own} == other.{own}"))
        .collect();
    format!(
        "  bool operator==(const {name}_ & other) const\n  {{\n    return {};\n  }}\n\n  \
         bool operator!=(const {name}_ & other) const\n  {{\n    return !(*this == other);\n  }}\n",
        equal.join(" &&\n           ")
    )
}

/// Returns the struct of an action.
fn action_struct(definition: &Definition<'_>) -> String {
    let (name, own) = (&definition.name, full(&definition.name));
    format!(
        "\n{}struct {}\n{{\n  using Goal = {own}_Goal;\n  using Result = {own}_Result;\n  using Feedback = {own}_Feedback;\n\n  \
         /// The services and topics that the action consists of.\n  struct Impl\n  {{\n    \
         using SendGoalService = {own}_SendGoal;\n    using GetResultService = {own}_GetResult;\n    \
         using FeedbackMessage = {own}_FeedbackMessage;\n    \
         using CancelGoalService = action_msgs::srv::CancelGoal;\n    \
         using GoalStatusMessage = action_msgs::msg::GoalStatusArray;\n  }};\n}};\n{}",
        open_namespace(name),
        name.name,
        close_namespace(name)
    )
}
