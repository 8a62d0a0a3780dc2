//! Clients for the parameters of another node.

use std::time::Duration;

use saltus_cdr::Service;
use saltus_host::monotonic_now;
use saltus_msgs::rcl_interfaces::{
    msg::SetParametersResult,
    srv::{
        DescribeParameters, DescribeParameters_Request, GetParameterTypes, GetParameterTypes_Request,
        GetParameters, GetParameters_Request, ListParameters, ListParameters_Request, SetParameters,
        SetParameters_Request, SetParametersAtomically, SetParametersAtomically_Request,
    },
};
use saltus_param::{Parameter, ParameterDescriptor, ParameterList, ParameterType, ParameterValue};
use saltus_types::QoS;

use super::messages::{descriptor_of, parameter_message, value_of};
use crate::{CallError, Client, Node, NodeError};

/// Why a parameter of another node can't be read or set.
#[derive(thiserror::Error)]
pub enum RemoteParameterError {
    /// The client of a service can't be opened: the name is invalid, or shared memory is full.
    #[error(transparent)]
    Node(#[from] NodeError),
    /// The call of a service failed: there is no such node, it has gone, or it did not answer in time.
    #[error(transparent)]
    Call(#[from] CallError),
    /// At least one of the requested parameters is not declared, or has no value.
    #[error("node '{node}': one of these parameters is not declared, or has no value: {}", names.join(", "))]
    Unknown {
        /// The name of the node.
        node: String,
        /// The requested names.
        names: Vec<String>,
    },
    /// The node rejected the change.
    #[error("{0}")]
    Refused(String),
    /// The node did not answer for each requested parameter.
    #[error("node '{node}' answered for {found} of {expected} parameters")]
    Count {
        /// The name of the node.
        node: String,
        /// The number of parameters that were requested.
        expected: usize,
        /// The number of parameters in the response.
        found: usize,
    },
}

saltus_types::debug_as_display!(RemoteParameterError);

/// A client that reads and sets the parameters of another node.
///
/// Each method waits for the response on the calling thread, for at most the timeout of the client. The methods may be
/// called in callbacks too.
///
/// ```no_run
/// use saltus::param::ParameterClient;
/// use std::time::Duration;
/// let context = saltus::Context::new()?;
/// let node = context.node("tuner").create()?;
/// let client = ParameterClient::new(&node, "/driver", Duration::from_secs(2));
/// client.set(vec![saltus::param::Parameter::new("rate", saltus::param::ParameterValue::Double(20.0))])?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ParameterClient {
    node: Node,
    remote: String,
    timeout: Duration,
}

impl ParameterClient {
    /// Creates a client for the parameters of the node with the full name `remote`. That node need not exist yet.
    pub fn new(node: &Node, remote: &str, timeout: Duration) -> Self {
        Self { node: node.clone(), remote: remote.into(), timeout }
    }

    /// Waits until the node serves its parameters, for at most the timeout. Returns whether it does.
    pub fn wait_for_service(&self) -> Result<bool, NodeError> {
        Ok(self.client::<ListParameters>("list_parameters")?.wait_for_service(self.timeout))
    }

    /// Returns the values of parameters, in the order of `names`.
    pub fn get(&self, names: &[String]) -> Result<Vec<ParameterValue>, RemoteParameterError> {
        let request = GetParameters_Request { names: names.to_vec() };
        let values = self.call::<GetParameters>("get_parameters", &request)?.values;
        self.complete(names, values.into_iter().map(|value| value_of(value).unwrap_or_default()).collect())
    }

    /// Returns the types of parameters, in the order of `names`.
    pub fn types(&self, names: &[String]) -> Result<Vec<ParameterType>, RemoteParameterError> {
        let request = GetParameterTypes_Request { names: names.to_vec() };
        let types = self.call::<GetParameterTypes>("get_parameter_types", &request)?.types;
        let types = types.into_iter().map(|ty| ParameterType::from_number(ty).unwrap_or_default()).collect();
        self.complete(names, types)
    }

    /// Returns the descriptors of parameters, in the order of `names`.
    pub fn describe(&self, names: &[String]) -> Result<Vec<ParameterDescriptor>, RemoteParameterError> {
        let request = DescribeParameters_Request { names: names.to_vec() };
        let descriptors = self.call::<DescribeParameters>("describe_parameters", &request)?.descriptors;
        self.complete(names, descriptors.into_iter().map(descriptor_of).collect())
    }

    /// Returns the names of parameters. See [`saltus_param::ParameterStore::list`].
    pub fn list(&self, prefixes: &[String], depth: u64) -> Result<ParameterList, RemoteParameterError> {
        let request = ListParameters_Request { prefixes: prefixes.to_vec(), depth };
        let result = self.call::<ListParameters>("list_parameters", &request)?.result;
        Ok(ParameterList { names: result.names, prefixes: result.prefixes })
    }

    /// Sets parameters one by one. Returns a result for each. An error is the reason why the parameter was not set.
    pub fn set(&self, list: Vec<Parameter>) -> Result<Vec<Result<(), String>>, RemoteParameterError> {
        let expected = list.len();
        let request = SetParameters_Request { parameters: list.into_iter().map(parameter_message).collect() };
        let results = self.call::<SetParameters>("set_parameters", &request)?.results;
        if results.len() != expected {
            let found = results.len();
            return Err(RemoteParameterError::Count { node: self.remote.clone(), expected, found });
        }
        Ok(results.into_iter().map(result_of).collect())
    }

    /// Sets parameters like [`ParameterClient::set`], and those that were refused a second time: a value may need that of a later
    /// parameter.
    pub fn set_in_any_order(
        &self,
        list: Vec<Parameter>,
    ) -> Result<Vec<Result<(), String>>, RemoteParameterError> {
        let mut results = self.set(list.clone())?;
        let refused: Vec<usize> = (0..list.len()).filter(|index| results[*index].is_err()).collect();
        if !refused.is_empty() && refused.len() < list.len() {
            let again = refused.iter().map(|index| list[*index].clone()).collect();
            for (index, result) in refused.into_iter().zip(self.set(again)?) {
                results[index] = result;
            }
        }
        Ok(results)
    }

    /// Sets all parameters of a list, or none.
    pub fn set_atomically(&self, list: Vec<Parameter>) -> Result<(), RemoteParameterError> {
        let parameters = list.into_iter().map(parameter_message).collect();
        let request = SetParametersAtomically_Request { parameters };
        let result = self.call::<SetParametersAtomically>("set_parameters_atomically", &request)?.result;
        result_of(result).map_err(RemoteParameterError::Refused)
    }

    fn client<S: Service>(&self, service: &str) -> Result<Client<S>, NodeError> {
        let name = format!("{}/{service}", self.remote.trim_end_matches('/'));
        self.node.client::<S>(&name).qos(QoS::parameters()).create()
    }

    fn call<S: Service>(
        &self,
        service: &str,
        request: &S::Request,
    ) -> Result<S::Response, RemoteParameterError> {
        let begin = monotonic_now();
        let client = self.client::<S>(service)?;
        client.wait_for_service(self.timeout);
        let used = Duration::from_nanos(monotonic_now().saturating_sub(begin));
        Ok(client.call(request, self.timeout.saturating_sub(used))?)
    }

    /// Checks that `list` has an item for each name. If a node does not know one of the names, it returns no items.
    fn complete<T>(&self, names: &[String], list: Vec<T>) -> Result<Vec<T>, RemoteParameterError> {
        let (node, expected, found) = (self.remote.clone(), names.len(), list.len());
        if found == expected {
            return Ok(list);
        }
        Err(match found {
            0 => RemoteParameterError::Unknown { node, names: names.to_vec() },
            _ => RemoteParameterError::Count { node, expected, found },
        })
    }
}

fn result_of(result: SetParametersResult) -> Result<(), String> {
    if result.successful { Ok(()) } else { Err(result.reason) }
}
