//! The parameters of a node.

use std::{
    ffi::{c_char, c_void},
    sync::Arc,
};

use saltus::{
    context::{ContextError, RosArgs},
    param::{
        FloatingPointRange, IntegerRange, ParameterCallback as Handle, ParameterDescriptor, ParameterList,
        ParameterType, ParameterValue,
    },
};

use crate::{
    callbacks::{CallbackContext, Closure, DropFunction, Gated},
    gate::Gate,
    node::Node,
    parameter_value::{self, Held, HeldParameters, Parameter, Value},
    pointers::{self, Options},
    status::{Failure, Status, create, destroy, given, place, run, value},
    text::Text,
};

/// The descriptor of a parameter.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Descriptor {
    /// The size of this struct. saltus_descriptor_init() sets it.
    pub struct_size: usize,
    /// One of SALTUS_PARAMETER_…. If there is no default, it is the type that the parameter has.
    pub r#type: u8,
    /// 1: the parameter can't be changed after it was declared.
    pub read_only: u8,
    /// 1: the type may change.
    pub dynamic_typing: u8,
    /// 1: the integer_… fields are a range.
    pub has_integer_range: u8,
    /// 1: the real_… fields are a range.
    pub has_real_range: u8,
    /// What the parameter does, or NULL.
    pub description: *const c_char,
    /// Further constraints as a text, or NULL.
    pub additional_constraints: *const c_char,
    /// The smallest integer.
    pub integer_from: i64,
    /// The largest integer.
    pub integer_to: i64,
    /// The distance of valid integers, counted from the smallest. 0: each integer is valid.
    pub integer_step: u64,
    /// The smallest number.
    pub real_from: f64,
    /// The largest number.
    pub real_to: f64,
    /// The distance of valid numbers, counted from the smallest. 0: each number is valid.
    pub real_step: f64,
}

// SAFETY: it is `repr(C)`, begins with its size, and has only numbers and pointers.
unsafe impl Options for Descriptor {
    const NAME: &str = "saltus_descriptor_t";

    fn defaults() -> Self {
        Self {
            struct_size: size_of::<Self>(),
            r#type: 0,
            read_only: 0,
            dynamic_typing: 0,
            has_integer_range: 0,
            has_real_range: 0,
            description: std::ptr::null(),
            additional_constraints: std::ptr::null(),
            integer_from: 0,
            integer_to: 0,
            integer_step: 0,
            real_from: 0.0,
            real_to: 0.0,
            real_step: 0.0,
        }
    }
}

/// Sets a descriptor to its defaults. Pass sizeof(saltus_descriptor_t).
#[unsafe(no_mangle)]
pub extern "C" fn saltus_descriptor_init(descriptor: *mut Descriptor, struct_size: usize) {
    pointers::write_defaults(descriptor, struct_size);
}

fn read_descriptor(descriptor: *const Descriptor) -> Result<ParameterDescriptor, Failure> {
    let read = pointers::options(descriptor)?;
    let text =
        |text, what| Ok::<_, Failure>(pointers::optional_text(text, what)?.unwrap_or_default().to_owned());
    Ok(ParameterDescriptor {
        ty: parameter_type(read.r#type)?,
        read_only: read.read_only != 0,
        dynamic_typing: read.dynamic_typing != 0,
        description: text(read.description, "description")?,
        additional_constraints: text(read.additional_constraints, "constraint")?,
        integer_range: (read.has_integer_range != 0).then_some(IntegerRange {
            from_value: read.integer_from,
            to_value: read.integer_to,
            step: read.integer_step,
        }),
        floating_point_range: (read.has_real_range != 0).then_some(FloatingPointRange {
            from_value: read.real_from,
            to_value: read.real_to,
            step: read.real_step,
        }),
        ..ParameterDescriptor::default()
    })
}

fn parameter_type(number: u8) -> Result<ParameterType, Failure> {
    ParameterType::from_number(number)
        .ok_or_else(|| Failure::argument(format!("no parameter has the type {number}")))
}

/// The value of a parameter that the library returns.
#[derive(Debug)]
pub struct ParameterResult(Held);

/// Returns the value. It is valid as long as the object.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_parameter_result_value(result: Option<&ParameterResult>) -> *const Value {
    result.map_or(std::ptr::null(), |result| result.0.value())
}

/// Frees a value that the library has returned.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_parameter_result_destroy(result: Option<Box<ParameterResult>>) {
    destroy(result);
}

/// Declares a parameter. Writes the value that it has then: that of the user, unless `ignore_override` is true, or
/// `default_value`. `default_value` and `descriptor` may be NULL. Without a default the parameter has the type of the
/// descriptor, and no value before it is set.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_node_declare_parameter(
    node: Option<&Node>,
    name: *const c_char,
    default_value: *const Value,
    descriptor: *const Descriptor,
    ignore_override: bool,
    result: Option<&mut *mut ParameterResult>,
) -> Status {
    create(result, || {
        let node = &given(node, "node")?.inner;
        let name = pointers::text(name, "name of a parameter")?;
        let (default, descriptor) = (parameter_value::read(default_value)?, read_descriptor(descriptor)?);
        let ty = descriptor.ty;
        let mut builder = node.parameter(name).descriptor(descriptor);
        if ignore_override {
            builder = builder.ignore_override();
        }
        let declared = match default {
            ParameterValue::NotSet if ty != ParameterType::NotSet => builder.declare_type(ty),
            default => builder.declare_value(default),
        };
        Ok(ParameterResult(Held::new(&declared?)))
    })
}

/// Removes a declared parameter.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_node_undeclare_parameter(node: Option<&Node>, name: *const c_char) -> Status {
    run(|| {
        Ok(given(node, "node")?.inner.undeclare_parameter(pointers::text(name, "name of a parameter")?)?)
    })
}

/// Returns whether a parameter is declared.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_node_has_parameter(node: Option<&Node>, name: *const c_char) -> bool {
    value(false, || match (node, pointers::text(name, "name of a parameter")) {
        (Some(node), Ok(name)) => node.inner.has_parameter(name),
        _ => false,
    })
}

/// Writes the value of a parameter.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_node_get_parameter(
    node: Option<&Node>,
    name: *const c_char,
    result: Option<&mut *mut ParameterResult>,
) -> Status {
    create(result, || {
        let name = pointers::text(name, "name of a parameter")?;
        Ok(ParameterResult(Held::new(&given(node, "node")?.inner.parameter_value(name)?)))
    })
}

/// Sets all of these parameters, or none of them.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_node_set_parameters(
    node: Option<&Node>,
    parameters: *const Parameter,
    count: usize,
) -> Status {
    run(|| {
        let list = parameter_value::read_all(parameters, count)?;
        Ok(given(node, "node")?.inner.set_parameters_atomically(list)?)
    })
}

/// A descriptor that the library returns.
#[derive(Debug)]
pub struct DescriptorResult {
    descriptor: Descriptor,
    _texts: [Text; 2],
}

/// Writes the descriptor of a parameter.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_node_describe_parameter(
    node: Option<&Node>,
    name: *const c_char,
    result: Option<&mut *mut DescriptorResult>,
) -> Status {
    create(result, || {
        let name = pointers::text(name, "name of a parameter")?;
        let found = given(node, "node")?.inner.describe_parameter(name)?;
        let texts = [Text::new(&found.description), Text::new(&found.additional_constraints)];
        let mut descriptor = Descriptor {
            r#type: found.ty as u8,
            read_only: u8::from(found.read_only),
            dynamic_typing: u8::from(found.dynamic_typing),
            description: texts[0].pointer(),
            additional_constraints: texts[1].pointer(),
            ..Descriptor::defaults()
        };
        if let Some(range) = found.integer_range {
            descriptor.has_integer_range = 1;
            (descriptor.integer_from, descriptor.integer_to) = (range.from_value, range.to_value);
            descriptor.integer_step = range.step;
        }
        if let Some(range) = found.floating_point_range {
            descriptor.has_real_range = 1;
            (descriptor.real_from, descriptor.real_to) = (range.from_value, range.to_value);
            descriptor.real_step = range.step;
        }
        Ok(DescriptorResult { descriptor, _texts: texts })
    })
}

/// Returns the descriptor. It is valid as long as the object.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_descriptor_result_value(result: Option<&DescriptorResult>) -> *const Descriptor {
    result.map_or(std::ptr::null(), |result| &raw const result.descriptor)
}

/// Frees a descriptor that the library has returned.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_descriptor_result_destroy(result: Option<Box<DescriptorResult>>) {
    destroy(result);
}

/// The names of parameters, and the prefixes of their names.
#[derive(Debug)]
pub struct ParameterNames {
    names: Vec<Text>,
    prefixes: Vec<Text>,
}

/// Writes the names of the parameters that begin with one of the prefixes, or of all if there is no prefix. `depth` is how many
/// dots a name may have more than its prefix, plus 1; 0 is no limit.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_node_list_parameters(
    node: Option<&Node>,
    prefixes: *const *const c_char,
    count: usize,
    depth: u64,
    names: Option<&mut *mut ParameterNames>,
) -> Status {
    create(names, || {
        let prefixes = pointers::texts(prefixes, count, "prefix")?;
        let prefixes: Vec<String> = prefixes.into_iter().map(str::to_owned).collect();
        let ParameterList { names, prefixes } = given(node, "node")?.inner.list_parameters(&prefixes, depth);
        let texts = |all: Vec<String>| all.iter().map(|one| Text::new(one)).collect();
        Ok(ParameterNames { names: texts(names), prefixes: texts(prefixes) })
    })
}

/// Returns a name, or NULL if there is none with this index. It is valid as long as the object.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_parameter_names_name(names: Option<&ParameterNames>, index: usize) -> *const c_char {
    names.and_then(|names| names.names.get(index)).map_or(std::ptr::null(), Text::pointer)
}

/// Returns a prefix, or NULL if there is none with this index. It is valid as long as the object.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_parameter_names_prefix(
    names: Option<&ParameterNames>,
    index: usize,
) -> *const c_char {
    names.and_then(|names| names.prefixes.get(index)).map_or(std::ptr::null(), Text::pointer)
}

/// Frees the names of parameters.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_parameter_names_destroy(names: Option<Box<ParameterNames>>) {
    destroy(names);
}

/// Parameters that the library returns, or that a callback may change.
#[derive(Debug, Default)]
pub struct ParameterSet {
    list: Vec<saltus::param::Parameter>,
    held: HeldParameters,
}

impl ParameterSet {
    fn new(list: Vec<saltus::param::Parameter>) -> Self {
        Self { held: HeldParameters::new(&list), list }
    }
}

/// Writes the values that the user has given from outside the program.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_node_parameter_overrides(
    node: Option<&Node>,
    set: Option<&mut *mut ParameterSet>,
) -> Status {
    create(set, || {
        let overrides = given(node, "node")?.inner.parameter_overrides();
        let parameter = |(name, value): &(String, ParameterValue)| {
            saltus::param::Parameter::new(name.clone(), value.clone())
        };
        Ok(ParameterSet::new(overrides.iter().map(parameter).collect()))
    })
}

/// Returns the parameters of a set, and writes how many they are. They are valid until the set is changed or destroyed.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_parameter_set_items(
    set: Option<&ParameterSet>,
    count: Option<&mut usize>,
) -> *const Parameter {
    let items = set.map_or(&[][..], |set| set.held.as_slice());
    count.into_iter().for_each(|count| *count = items.len());
    items.as_ptr()
}

/// Replaces all parameters of a set.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_parameter_set_replace(
    set: Option<&mut ParameterSet>,
    parameters: *const Parameter,
    count: usize,
) -> Status {
    run(|| {
        let set = place(set, "parameters")?;
        *set = ParameterSet::new(parameter_value::read_all(parameters, count)?);
        Ok(())
    })
}

/// Frees a set.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_parameter_set_destroy(set: Option<Box<ParameterSet>>) {
    destroy(set);
}

/// Called before parameters are checked. It may replace them with saltus_parameter_set_replace().
pub type PreSetFunction = Option<extern "C" fn(context: *mut c_void, parameters: &mut ParameterSet)>;
/// Called to check parameters before they are set. It returns NULL if they may be set, or the reason why not. The reason is read
/// before the function is called again on the same thread.
pub type OnSetFunction =
    Option<extern "C" fn(context: *mut c_void, parameters: *const Parameter, count: usize) -> *const c_char>;
/// Called after parameters were set.
pub type PostSetFunction =
    Option<extern "C" fn(context: *mut c_void, parameters: *const Parameter, count: usize)>;

/// A callback for the parameters of a node. It is called until it is destroyed.
#[derive(Debug)]
pub struct ParameterCallback(#[expect(dead_code, reason = "it keeps the callback")] Gated<Handle>);

/// Calls `call` before the parameters of a node are checked. `drop` is called even if this function fails.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_node_on_pre_set(
    node: Option<&Node>,
    call: PreSetFunction,
    context: *mut c_void,
    drop: DropFunction,
    callback: Option<&mut *mut ParameterCallback>,
) -> Status {
    let context = CallbackContext::new(context, drop);
    create(callback, || {
        let closure = Closure::given(call, context, "parameters")?;
        let gate = Arc::<Gate>::default();
        let entered = gate.clone();
        let handle = given(node, "node")?.inner.on_pre_set_parameters(move |list| {
            let mut set = ParameterSet::new(std::mem::take(list));
            entered.run(|| (closure.call)(closure.context.pointer(), &mut set));
            *list = set.list;
        });
        Ok(ParameterCallback(Gated::new(gate, handle)))
    })
}

/// Calls `call` to check parameters before they are set. The callback that was added last is called first. `drop` is called even
/// if this function fails.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_node_on_set(
    node: Option<&Node>,
    call: OnSetFunction,
    context: *mut c_void,
    drop: DropFunction,
    callback: Option<&mut *mut ParameterCallback>,
) -> Status {
    let context = CallbackContext::new(context, drop);
    create(callback, || {
        let closure = Closure::given(call, context, "parameters")?;
        let gate = Arc::<Gate>::default();
        let entered = gate.clone();
        let handle = given(node, "node")?.inner.on_set_parameters(move |list| {
            let held = HeldParameters::new(list);
            let all = held.as_slice();
            // The reason may be in the context, which lasts as long as the callback runs.
            let reason = entered.run(|| {
                let reason = (closure.call)(closure.context.pointer(), all.as_ptr(), all.len());
                pointers::optional_text(reason, "reason").map(|text| text.map(str::to_owned))
            });
            match reason {
                None | Some(Ok(None)) => Ok(()),
                Some(Ok(Some(reason))) => Err(reason),
                Some(Err(_)) => Err("the reason is not UTF-8".to_owned()),
            }
        });
        Ok(ParameterCallback(Gated::new(gate, handle)))
    })
}

/// Calls `call` after parameters were set. `drop` is called even if this function fails.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_node_on_post_set(
    node: Option<&Node>,
    call: PostSetFunction,
    context: *mut c_void,
    drop: DropFunction,
    callback: Option<&mut *mut ParameterCallback>,
) -> Status {
    let context = CallbackContext::new(context, drop);
    create(callback, || {
        let closure = Closure::given(call, context, "parameters")?;
        let gate = Arc::<Gate>::default();
        let entered = gate.clone();
        let handle = given(node, "node")?.inner.on_post_set_parameters(move |list| {
            let held = HeldParameters::new(list);
            let all = held.as_slice();
            entered.run(|| (closure.call)(closure.context.pointer(), all.as_ptr(), all.len()));
        });
        Ok(ParameterCallback(Gated::new(gate, handle)))
    })
}

/// Removes a callback for parameters.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_parameter_callback_destroy(callback: Option<Box<ParameterCallback>>) {
    destroy(callback);
}

/// Reads the value of a parameter from a text in YAML, as an argument `-p name:=text` does.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_parameter_from_text(
    text: *const c_char,
    result: Option<&mut *mut ParameterResult>,
) -> Status {
    create(result, || {
        let argument = format!("it:={}", pointers::text(text, "text of a parameter")?);
        let args = RosArgs::parse(["--ros-args", "-p", &argument]).map_err(ContextError::from)?;
        let value = args.parameters.into_iter().next().map(|one| one.value).unwrap_or_default();
        Ok(ParameterResult(Held::new(&value)))
    })
}
