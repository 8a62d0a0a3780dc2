//! The parameters of one node.

use std::collections::{BTreeMap, BTreeSet};

use saltus_types::{ParameterValue, validate_parameter_name};

use crate::{ParameterDescriptor, ParameterError, ParameterType};

/// The separator of the parts of a name.
const SEPARATOR: char = '.';

/// A parameter and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The name.
    pub name: String,
    /// The value.
    pub value: ParameterValue,
}

impl Parameter {
    /// Creates a parameter from its name and value.
    pub fn new(name: impl Into<String>, value: ParameterValue) -> Self {
        Self { name: name.into(), value }
    }
}

/// The declaration of a parameter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Declaration {
    /// The descriptor. Its type may be left out if there is a default.
    pub descriptor: ParameterDescriptor,
    /// The value, unless the user gives an override.
    pub default: ParameterValue,
    /// Whether an override that the user gives is ignored.
    pub ignore_override: bool,
}

/// The changes of parameters. Each name is in only one of the lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// Parameters that did not exist before.
    pub new: Vec<Parameter>,
    /// Parameters that were set.
    pub changed: Vec<Parameter>,
    /// Parameters that were removed, with their last values.
    pub deleted: Vec<Parameter>,
}

/// The result of [`ParameterStore::list`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParameterList {
    /// The names, sorted.
    pub names: Vec<String>,
    /// The part of each name before its last separator, sorted and without duplicates.
    pub prefixes: Vec<String>,
}

#[derive(Clone, Debug)]
struct Entry {
    value: ParameterValue,
    descriptor: ParameterDescriptor,
}

/// The parameters of one node.
///
/// **Invariant:** a value always has its descriptor's type and is within its range. The only exception is a
/// parameter that was declared with only a type and has no value yet.
#[derive(Clone, Debug, Default)]
pub struct ParameterStore {
    entries: BTreeMap<String, Entry>,
    /// The overrides: the values that the user gives from outside the program.
    overrides: BTreeMap<String, ParameterValue>,
    /// The places where the user has given the overrides, as far as they are known.
    locations: BTreeMap<String, String>,
    allow_undeclared: bool,
}

impl ParameterStore {
    /// Creates a store without parameters. `overrides` are the values that the user gives from outside the program. If
    /// undeclared parameters are allowed, setting such a parameter declares it with a dynamic type.
    pub fn new(
        overrides: impl IntoIterator<Item = (String, ParameterValue)>,
        allow_undeclared: bool,
    ) -> Self {
        Self { overrides: overrides.into_iter().collect(), allow_undeclared, ..Self::default() }
    }

    /// Sets the places where the user has given overrides: for each name the file with the line, for example. Errors contain them.
    #[must_use]
    pub fn with_locations(self, locations: impl IntoIterator<Item = (String, String)>) -> Self {
        Self { locations: locations.into_iter().collect(), ..self }
    }

    /// Whether a parameter is declared.
    pub fn contains(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// Checks a declaration. Returns the value and the descriptor that the parameter gets with it. Does not declare the
    /// parameter.
    pub fn check_declaration(
        &self,
        name: &str,
        declaration: Declaration,
    ) -> Result<(ParameterValue, ParameterDescriptor), ParameterError> {
        validate_parameter_name(name)?;
        if self.contains(name) {
            return Err(ParameterError::AlreadyDeclared(name.into()));
        }
        let Declaration { mut descriptor, default, ignore_override } = declaration;
        name.clone_into(&mut descriptor.name);
        if descriptor.ty == ParameterType::NotSet {
            descriptor.ty = ParameterType::of(&default);
        }
        let fault = descriptor.fault().or_else(|| {
            let untyped = descriptor.ty == ParameterType::NotSet && !descriptor.dynamic_typing;
            untyped.then(|| "it needs a default value, a type, or dynamic typing".into())
        });
        if let Some(reason) = fault {
            return Err(ParameterError::Descriptor { name: name.into(), reason });
        }
        let given = self.overrides.get(name).filter(|_| !ignore_override);
        let value = given.cloned().unwrap_or(default);
        if value != ParameterValue::NotSet {
            let location = given.and_then(|_| self.locations.get(name));
            check_value(&descriptor, &value).map_err(|error| match location {
                Some(location) => {
                    ParameterError::Given { error: Box::new(error), location: location.clone() }
                }
                None => error,
            })?;
        }
        if descriptor.dynamic_typing {
            descriptor.ty = ParameterType::of(&value);
        }
        Ok((value, descriptor))
    }

    /// Declares a parameter with the value and descriptor that [`ParameterStore::check_declaration`]
    /// returned.
    pub fn declare(&mut self, value: ParameterValue, descriptor: ParameterDescriptor) -> Changes {
        let parameter = Parameter::new(&descriptor.name, value.clone());
        self.entries.insert(descriptor.name.clone(), Entry { value, descriptor });
        Changes { new: vec![parameter], ..Changes::default() }
    }

    /// Undeclares a parameter. Only the node of the parameter may do that.
    pub fn undeclare(&mut self, name: &str) -> Result<Changes, ParameterError> {
        let entry = self.entries.get(name).ok_or_else(|| ParameterError::NotDeclared(name.into()))?;
        if entry.descriptor.read_only {
            return Err(ParameterError::ReadOnly(name.into()));
        }
        let entry = self.entries.remove(name);
        let deleted = entry.map(|entry| Parameter::new(name, entry.value)).into_iter().collect();
        Ok(Changes { deleted, ..Changes::default() })
    }

    /// Checks whether a parameter may be set to a value. Does not set it.
    pub fn check_set(&self, parameter: &Parameter) -> Result<(), ParameterError> {
        let Parameter { name, value } = parameter;
        let Some(entry) = self.entries.get(name) else {
            return match self.allow_undeclared {
                true => Ok(validate_parameter_name(name)?),
                false => Err(ParameterError::NotDeclared(name.clone())),
            };
        };
        if entry.descriptor.read_only {
            return Err(ParameterError::ReadOnly(name.clone()));
        }
        if *value == ParameterValue::NotSet {
            return match entry.descriptor.dynamic_typing {
                true => Ok(()),
                false => Err(ParameterError::StaticUndeclare(name.clone())),
            };
        }
        check_value(&entry.descriptor, value)
    }

    /// Sets parameters. [`ParameterStore::check_set`] must allow each of them. If a name occurs more than
    /// once, its last value is set. Setting a parameter to [`ParameterValue::NotSet`] removes it.
    pub fn set(&mut self, parameters: &[Parameter]) -> Changes {
        let before: BTreeMap<String, ParameterValue> = parameters
            .iter()
            .filter_map(|one| Some((one.name.clone(), self.entries.get(&one.name)?.value.clone())))
            .collect();
        // Only the last value of each name is applied, because an earlier value could remove the parameter and its
        // descriptor.
        let last: BTreeMap<&String, &ParameterValue> =
            parameters.iter().map(|one| (&one.name, &one.value)).collect();
        for (&name, &value) in &last {
            if *value == ParameterValue::NotSet {
                self.entries.remove(name);
                continue;
            }
            let entry = self.entries.entry(name.clone()).or_insert_with(|| Entry {
                value: ParameterValue::NotSet,
                descriptor: ParameterDescriptor {
                    name: name.clone(),
                    dynamic_typing: true,
                    ..ParameterDescriptor::default()
                },
            });
            entry.descriptor.ty = ParameterType::of(value);
            entry.value = value.clone();
        }
        let mut changes = Changes::default();
        for name in last.into_keys() {
            let after = self.entries.get(name).map(|entry| Parameter::new(name, entry.value.clone()));
            match (before.get(name), after) {
                (None, Some(after)) => changes.new.push(after),
                (Some(_), Some(after)) => changes.changed.push(after),
                (Some(value), None) => changes.deleted.push(Parameter::new(name, value.clone())),
                (None, None) => {}
            }
        }
        changes
    }

    /// Returns the value of a parameter. If undeclared parameters are allowed, the value of an undeclared parameter is
    /// [`ParameterValue::NotSet`].
    pub fn get(&self, name: &str) -> Result<ParameterValue, ParameterError> {
        match self.entries.get(name) {
            Some(Entry { value: ParameterValue::NotSet, descriptor }) if !descriptor.dynamic_typing => {
                Err(ParameterError::NotInitialized(name.into()))
            }
            Some(entry) => Ok(entry.value.clone()),
            None if self.allow_undeclared => Ok(ParameterValue::NotSet),
            None => Err(ParameterError::NotDeclared(name.into())),
        }
    }

    /// Returns the descriptor of a parameter.
    pub fn describe(&self, name: &str) -> Result<ParameterDescriptor, ParameterError> {
        match self.entries.get(name) {
            Some(entry) => Ok(entry.descriptor.clone()),
            None if self.allow_undeclared => {
                Ok(ParameterDescriptor { name: name.into(), ..ParameterDescriptor::default() })
            }
            None => Err(ParameterError::NotDeclared(name.into())),
        }
    }

    /// Returns the names that equal a prefix or begin with a prefix and a separator. Returns all names if there are no
    /// prefixes. If `depth` is not 0, a name must have fewer than `depth` separators after its prefix.
    ///
    /// ```
    /// use saltus_param::{Declaration, ParameterStore, ParameterValue};
    /// let mut store = ParameterStore::default();
    /// for name in ["a", "b.c", "b.d.e"] {
    ///     let declaration = Declaration { default: ParameterValue::Bool(true), ..Default::default() };
    ///     let (value, descriptor) = store.check_declaration(name, declaration)?;
    ///     store.declare(value, descriptor);
    /// }
    /// assert_eq!(store.list(&[], 1).names, ["a"]);
    /// assert_eq!(store.list(&["b".into()], 1).names, ["b.c"]);
    /// assert_eq!(store.list(&[], 0).prefixes, ["b", "b.d"]);
    /// # Ok::<(), saltus_param::ParameterError>(())
    /// ```
    pub fn list(&self, prefixes: &[String], depth: u64) -> ParameterList {
        let is_shallow = |rest: &str| depth == 0 || (rest.matches(SEPARATOR).count() as u64) < depth;
        let is_below = |name: &str, prefix: &String| {
            let rest = name.strip_prefix(prefix.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix(SEPARATOR).is_some_and(&is_shallow))
        };
        let is_selected = |name: &&String| match prefixes {
            [] => is_shallow(name),
            prefixes => prefixes.iter().any(|prefix| is_below(name, prefix)),
        };
        let names: Vec<String> = self.entries.keys().filter(is_selected).cloned().collect();
        let parents = names.iter().filter_map(|name| Some(name.rsplit_once(SEPARATOR)?.0.to_owned()));
        let prefixes = parents.collect::<BTreeSet<_>>().into_iter().collect();
        ParameterList { names, prefixes }
    }
}

/// Checks that a value has the type of a descriptor and is within its range.
fn check_value(descriptor: &ParameterDescriptor, value: &ParameterValue) -> Result<(), ParameterError> {
    let (name, found) = (&descriptor.name, ParameterType::of(value));
    if !descriptor.dynamic_typing && found != descriptor.ty {
        return Err(ParameterError::Type { name: name.clone(), expected: descriptor.ty, found });
    }
    match descriptor.violated_range(value) {
        Some((value, range)) => Err(ParameterError::Range { name: name.clone(), value, range }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
