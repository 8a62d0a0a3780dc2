//! The services of `simulation_interfaces`.
//!
//! Source: <https://github.com/ros-simulation/simulation_interfaces>. The names are those that its simulators use: the names of
//! the types, relative to the namespace of the node.

use std::sync::mpsc::SyncSender;

use regex_lite::Regex;
use saltus::msgs::simulation_interfaces::{
    msg::{EntityFilters, EntityState, Result as Answer, SimulationState, SimulatorFeatures as Features},
    srv::{
        DeleteEntity, DeleteEntity_Response, GetEntities, GetEntities_Response, GetEntitiesStates,
        GetEntitiesStates_Response, GetEntityState, GetEntityState_Response, GetSimulationState,
        GetSimulationState_Response, GetSimulatorFeatures, GetSimulatorFeatures_Response, ResetSimulation,
        ResetSimulation_Request, ResetSimulation_Response, SetEntityState, SetEntityState_Request,
        SetEntityState_Response, SetSimulationState, SetSimulationState_Request, SetSimulationState_Response,
        SpawnEntity, SpawnEntity_Request, SpawnEntity_Response, StepSimulation, StepSimulation_Response,
    },
};
use saltus::msgs::{geometry_msgs::msg::Pose as PoseMessage, std_msgs::msg::Header};
use saltus::{
    Node,
    cdr::Service,
    node::NodeError,
    service::{Request as Received, Responder},
    types::{NameError, NodeName, TopicName},
};
use saltus::{Server, Time};
use saltus_sim::{EntityError, Model, Pose, RobotSpec, Simulation};

use crate::{
    files::load_model,
    messages,
    runner::{Request, Runner, SpawnError},
};

/// The largest number of steps of one request. The simulation does nothing else in the meantime.
const MOST_STEPS: u64 = 1_000_000;

/// The servers. They work until they are dropped.
pub(crate) struct Services {
    _servers: Vec<Box<dyn std::any::Any>>,
}

pub(crate) fn open(node: &Node, sender: &SyncSender<Request>) -> Result<Services, NodeError> {
    let features = node.service::<GetSimulatorFeatures>("get_simulator_features").callback(|_| features())?;
    Ok(Services {
        _servers: vec![
            Box::new(features),
            serve::<StepSimulation>(node, "step_simulation", sender, |runner, request| {
                StepSimulation_Response { result: step(runner, request.steps) }
            })?,
            serve::<ResetSimulation>(node, "reset_simulation", sender, reset)?,
            serve::<GetSimulationState>(node, "get_simulation_state", sender, |runner, _| state(runner))?,
            serve::<SetSimulationState>(node, "set_simulation_state", sender, set_state)?,
            serve::<SpawnEntity>(node, "spawn_entity", sender, spawn)?,
            serve::<DeleteEntity>(node, "delete_entity", sender, |runner, request| {
                let is_there = runner.simulation().state(&request.entity).is_ok();
                let deleted = runner.change(|simulation| simulation.delete(&request.entity));
                let code = match is_there {
                    true => Answer::RESULT_OPERATION_FAILED,
                    false => Answer::RESULT_NOT_FOUND,
                };
                DeleteEntity_Response { result: answer(deleted, code) }
            })?,
            serve::<GetEntities>(node, "get_entities", sender, |runner, request| {
                let (result, entities) = split(entities(runner, &request.filters));
                GetEntities_Response {
                    result,
                    entities: entities.into_iter().map(|(name, _)| name).collect(),
                }
            })?,
            serve::<GetEntitiesStates>(node, "get_entities_states", sender, |runner, request| {
                let (result, entities) = split(entities(runner, &request.filters));
                let (entities, states) = entities.into_iter().unzip();
                GetEntitiesStates_Response { result, entities, states }
            })?,
            serve::<GetEntityState>(node, "get_entity_state", sender, |runner, request| match entity_state(
                runner,
                &request.entity,
            ) {
                Ok(state) => GetEntityState_Response { result: ok(), state },
                Err(error) => GetEntityState_Response {
                    result: failed(Answer::RESULT_NOT_FOUND, error),
                    state: EntityState::default(),
                },
            })?,
            serve::<SetEntityState>(node, "set_entity_state", sender, set_entity_state)?,
        ],
    })
}

/// Opens a server whose requests are answered by the thread of the simulation.
fn serve<S: Service + 'static>(
    node: &Node,
    name: &str,
    sender: &SyncSender<Request>,
    answer: fn(&mut Runner, S::Request) -> S::Response,
) -> Result<Box<dyn std::any::Any>, NodeError>
where
    Server<S>: 'static,
{
    let (sender, logger) = (sender.clone(), node.logger());
    let server = node.service::<S>(name).deferred(move |request: Received<S>, responder: Responder<S>| {
        let logger = logger.clone();
        let work = move |runner: &mut Runner| {
            let sent = request.value().map_err(|error| error.to_string());
            let sent = sent.map(|request| answer(runner, request));
            let sent = sent.and_then(|response| responder.send(&response).map_err(|error| error.to_string()));
            if let Err(error) = sent {
                saltus::warn!(logger, "can't answer a request: {error}");
            }
        };
        // If too many requests wait, or after the end of the simulation, the responder is dropped, and its client gets an error.
        let _ = sender.try_send(Box::new(work));
    })?;
    Ok(Box::new(server))
}

fn ok() -> Answer {
    Answer { result: Answer::RESULT_OK, error_message: String::new() }
}

fn failed(result: u8, text: impl Into<String>) -> Answer {
    Answer { result, error_message: text.into() }
}

fn answer<T>(result: Result<T, String>, otherwise: u8) -> Answer {
    result.map_or_else(|error| failed(otherwise, error), |_| ok())
}

/// Returns the answer and the value, which is empty if there is none.
fn split<T: Default>(result: Result<T, Answer>) -> (Answer, T) {
    match result {
        Ok(value) => (ok(), value),
        Err(answer) => (answer, T::default()),
    }
}

fn features() -> GetSimulatorFeatures_Response {
    let features = [
        Features::SPAWNING,
        Features::DELETING,
        Features::SPAWNING_RESOURCE_STRING,
        Features::ENTITY_STATE_GETTING,
        Features::ENTITY_STATE_SETTING,
        Features::SIMULATION_RESET,
        Features::SIMULATION_RESET_TIME,
        Features::SIMULATION_RESET_STATE,
        Features::SIMULATION_RESET_SPAWNED,
        Features::SIMULATION_STATE_GETTING,
        Features::SIMULATION_STATE_SETTING,
        Features::SIMULATION_STATE_PAUSE,
        Features::STEP_SIMULATION_SINGLE,
        Features::STEP_SIMULATION_MULTIPLE,
        Features::STEP_SIMULATION_ACTION,
    ];
    GetSimulatorFeatures_Response {
        features: Features {
            features: features.map(u16::from).to_vec(),
            spawn_formats: vec!["yaml".into()],
            custom_info: format!("saltus {}", env!("CARGO_PKG_VERSION")),
        },
    }
}

fn step(runner: &mut Runner, steps: u64) -> Answer {
    if !runner.is_paused {
        return failed(
            Answer::RESULT_INCORRECT_STATE,
            "the simulation must be paused before it takes single steps",
        );
    }
    if steps > MOST_STEPS {
        return failed(Answer::RESULT_OPERATION_FAILED, format!("a request may have {MOST_STEPS} steps"));
    }
    match runner.steps(steps) {
        taken if taken < steps => {
            failed(Answer::RESULT_OPERATION_FAILED, format!("the simulation has ended after {taken} steps"))
        }
        _ => ok(),
    }
}

fn reset(runner: &mut Runner, request: ResetSimulation_Request) -> ResetSimulation_Response {
    let scope = match request.scope {
        ResetSimulation_Request::SCOPE_DEFAULT => ResetSimulation_Request::SCOPE_ALL,
        scope => scope,
    };
    let has = |part: u8| scope & part != 0;
    let [time, state, spawned] = [
        ResetSimulation_Request::SCOPE_TIME,
        ResetSimulation_Request::SCOPE_STATE,
        ResetSimulation_Request::SCOPE_SPAWNED,
    ]
    .map(has);
    if ![time, state, spawned].contains(&true) {
        let result = failed(Answer::RESULT_OPERATION_FAILED, format!("there is no scope {scope}"));
        return ResetSimulation_Response { result };
    }
    let done = runner.change(|simulation| {
        simulation.reset(time, state, spawned);
        Ok(())
    });
    if state {
        runner.forget_commands();
    }
    ResetSimulation_Response { result: answer(done, Answer::RESULT_OPERATION_FAILED) }
}

fn state(runner: &mut Runner) -> GetSimulationState_Response {
    let state = match (runner.is_stopped, runner.is_paused) {
        (true, _) => SimulationState::STATE_STOPPED,
        (false, true) => SimulationState::STATE_PAUSED,
        (false, false) => SimulationState::STATE_PLAYING,
    };
    GetSimulationState_Response { state: SimulationState { state }, result: ok() }
}

/// Stopping is a reset, after which the simulation waits as if it was paused.
fn set_state(runner: &mut Runner, request: SetSimulationState_Request) -> SetSimulationState_Response {
    type Response = SetSimulationState_Response;
    let result = match request.state.state {
        SimulationState::STATE_PLAYING if !runner.is_paused => {
            failed(Response::ALREADY_IN_TARGET_STATE, "the simulation is already playing")
        }
        SimulationState::STATE_PAUSED if runner.is_paused && !runner.is_stopped => {
            failed(Response::ALREADY_IN_TARGET_STATE, "the simulation is already paused")
        }
        SimulationState::STATE_STOPPED if runner.is_stopped => {
            failed(Response::ALREADY_IN_TARGET_STATE, "the simulation is already stopped")
        }
        SimulationState::STATE_PLAYING => {
            (runner.is_paused, runner.is_stopped) = (false, false);
            runner.restart();
            ok()
        }
        SimulationState::STATE_PAUSED => {
            (runner.is_paused, runner.is_stopped) = (true, false);
            ok()
        }
        SimulationState::STATE_STOPPED => {
            runner.is_paused = true;
            let reset = runner.change(|simulation| {
                simulation.reset(true, true, true);
                Ok(())
            });
            runner.is_stopped = reset.is_ok();
            answer(reset, Response::STATE_TRANSITION_ERROR)
        }
        other => failed(Response::INCORRECT_TRANSITION, format!("the state {other} can't be requested")),
    };
    Response { result }
}

fn spawn(runner: &mut Runner, request: SpawnEntity_Request) -> SpawnEntity_Response {
    let name = match name_of(runner, &request) {
        Ok(name) => name,
        Err(result) => return SpawnEntity_Response { result, entity_name: String::new() },
    };
    let refused = |error: SpawnError| {
        let code = match error {
            SpawnError::Entity(EntityError::TooLarge) => SpawnEntity_Response::INVALID_POSE,
            _ => Answer::RESULT_OPERATION_FAILED,
        };
        failed(code, error.to_string())
    };
    let spawned = spec(&request, &name).and_then(|spec| runner.spawn(&spec).map_err(refused));
    match spawned {
        Ok(_) => SpawnEntity_Response { result: ok(), entity_name: name },
        Err(result) => SpawnEntity_Response { result, entity_name: String::new() },
    }
}

/// Returns the name of a new robot.
fn name_of(runner: &Runner, request: &SpawnEntity_Request) -> Result<String, Answer> {
    type Response = SpawnEntity_Response;
    let taken = runner.simulation().names();
    let is_free = |name: &String| !taken.contains(name);
    if request.name.is_empty() && !request.allow_renaming {
        return Err(failed(Response::NAME_INVALID, "a request needs a name, or must allow renaming"));
    }
    let wanted = if request.name.is_empty() { "robot".into() } else { request.name.clone() };
    if is_free(&wanted) {
        return Ok(wanted);
    }
    if !request.allow_renaming {
        return Err(failed(Response::NAME_NOT_UNIQUE, format!("there is already a `{wanted}` in the world")));
    }
    let numbered = (2..).map(|number| format!("{wanted}_{number}"));
    numbered
        .take(taken.len() + 1)
        .find(is_free)
        .ok_or_else(|| failed(Response::NAME_INVALID, "no name is free"))
}

fn spec(request: &SpawnEntity_Request, name: &str) -> Result<RobotSpec, Answer> {
    type Response = SpawnEntity_Response;
    let model = match (&*request.resource_string, &*request.uri) {
        ("", "") => return Err(failed(Response::NO_RESOURCE, "a request needs `uri` or `resource_string`")),
        ("", uri) => {
            let path = uri.strip_prefix("file://").unwrap_or(uri);
            load_model(path).map_err(|error| failed(Response::RESOURCE_PARSE_ERROR, error.to_string()))?
        }
        (text, _) => {
            Model::parse(text).map_err(|error| failed(Response::RESOURCE_PARSE_ERROR, error.to_string()))?
        }
    };
    let pose = pose_of(&request.initial_pose.header, &request.initial_pose.pose);
    let pose = pose.map_err(|text| failed(Response::INVALID_POSE, text))?;
    let namespace = namespace_of(&request.entity_namespace)
        .map_err(|error| failed(Response::NAMESPACE_INVALID, error.to_string()))?;
    Ok(RobotSpec { name: name.into(), namespace, model, pose, commands: Vec::new() })
}

/// Returns a namespace without the `/` around it. Topics must be possible in it.
fn namespace_of(text: &str) -> Result<String, NameError> {
    let namespace = text.trim_matches('/');
    if !namespace.is_empty() {
        // This is stricter about underscores than the rules for namespaces.
        TopicName::expand(&format!("/{namespace}/odom"), &NodeName::new(namespace, "robot")?)?;
    }
    Ok(namespace.into())
}

/// Returns a pose in the world.
fn pose_of(header: &Header, message: &PoseMessage) -> Result<Pose, String> {
    match &*header.frame_id {
        "" | WORLD => messages::from_pose(message).ok_or_else(|| "the pose is not a pose".into()),
        other => Err(format!("poses must be in the frame `{WORLD}`, not in `{other}`")),
    }
}

/// The frame of the world.
const WORLD: &str = "world";

/// Returns the names and the states of the entities that a filter chooses.
fn entities(runner: &Runner, filters: &EntityFilters) -> Result<Vec<(String, EntityState)>, Answer> {
    if !filters.categories.is_empty() || !filters.tags.tags.is_empty() || filters.bounds.r#type != 0 {
        let text = "entities have no categories, tags and bounds here";
        return Err(failed(Answer::RESULT_FEATURE_UNSUPPORTED, text));
    }
    // As with POSIX, it may match a part of the name. An empty one matches all.
    let filter = Regex::new(&filters.filter)
        .map_err(|error| failed(Answer::RESULT_OPERATION_FAILED, format!("the filter is wrong: {error}")))?;
    let simulation = runner.simulation();
    let chosen = simulation.states().filter(|(name, ..)| filter.is_match(name));
    Ok(chosen.map(|(name, pose, velocity)| (name.to_owned(), state_of(simulation, pose, velocity))).collect())
}

fn entity_state(runner: &Runner, name: &str) -> Result<EntityState, String> {
    let simulation = runner.simulation();
    let (pose, velocity) = simulation.state(name).map_err(|error| error.to_string())?;
    Ok(state_of(simulation, pose, velocity))
}

fn state_of(simulation: &Simulation, pose: Pose, velocity: saltus_sim::Velocity) -> EntityState {
    // The standard wants the velocity in the frame of the world.
    let in_world = Pose { x: 0.0, y: 0.0, ..pose }.compose(&Pose::new(velocity.forward, velocity.left, 0.0));
    let in_world = saltus_sim::Velocity { forward: in_world.x, left: in_world.y, ..velocity };
    EntityState {
        header: messages::header(Time::from_nanos(simulation.time()), WORLD),
        pose: messages::pose(&pose),
        twist: messages::twist(&in_world),
        ..EntityState::default()
    }
}

fn set_entity_state(runner: &mut Runner, request: SetEntityState_Request) -> SetEntityState_Response {
    let pose = match pose_of(&request.state.header, &request.state.pose) {
        Ok(pose) => pose,
        Err(text) => {
            return SetEntityState_Response { result: failed(SetEntityState_Response::INVALID_POSE, text) };
        }
    };
    let in_world = messages::velocity(&request.state.twist);
    let own = Pose::new(0.0, 0.0, -pose.yaw).compose(&Pose::new(in_world.forward, in_world.left, 0.0));
    let velocity = saltus_sim::Velocity { forward: own.x, left: own.y, ..in_world };
    let is_known = runner.simulation().names().contains(&request.entity);
    let set = runner.change(|simulation| simulation.set_state(&request.entity, pose, velocity));
    let otherwise = if is_known { SetEntityState_Response::INVALID_POSE } else { Answer::RESULT_NOT_FOUND };
    SetEntityState_Response { result: answer(set, otherwise) }
}
