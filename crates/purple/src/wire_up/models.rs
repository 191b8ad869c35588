//! The language models that the operator set, if any.

use std::sync::Arc;
use std::time::Duration;

use purple_model::{
    Api, BadEndpoint, Choice, Client, Delivery, Dice, Endpoint, ModelSettings, Patience, Retries, choose,
    delegated,
};
use purple_worker::ModelLimits;
use purple_worker::port::{Clock, Models};
use ring::rand::{SecureRandom, SystemRandom};

use super::world::Sleep;
use crate::config::{Config, Environment, Provider, SecretRef, Settings};
use crate::failure::Failure;

/// Where Ollama is when somebody asks for it and says no more.
const OLLAMA_HERE: &str = "127.0.0.1";

/// What a delegate is called in the journal.
const BRAINOS: &str = "brainos";
/// How often a delegate is asked again where nobody else could answer.
const BRAINOS_RETRIES_MAX: u32 = 2;

/// The models, or none: playbooks run without. A delegate is asked before the operator's own.
pub(crate) fn models(
    config: &Config,
    environment: &Environment,
    clock: &Arc<dyn Clock>,
) -> Result<Option<Models>, Failure> {
    let own = own(config, environment)?;
    let Some(brainos) = &config.settings.model.brainos else { return Ok(own) };
    let key = brainos.key.as_ref().map(|reference| reference.resolve(environment)).transpose()?;
    let endpoint = Endpoint {
        api: Api::BrainOs,
        base_url: brainos.url.clone(),
        key: key.map(|key| purple_model::Secret::new(key.expose())),
        model: BRAINOS.to_owned(),
    };
    let retries_max = if own.is_some() { 0 } else { BRAINOS_RETRIES_MAX };
    let retries = Retries { retries_max, ..Retries::default() };
    let client = connect(endpoint, Delivery::Streamed, brainos.timeout, retries)?;
    Ok(Some(delegated(Arc::new(client), BRAINOS, own, clock.clone())))
}

/// The operator's own models.
fn own(config: &Config, environment: &Environment) -> Result<Option<Models>, Failure> {
    match choose(&settings(config, environment)?) {
        Choice::Offline => Ok(None),
        Choice::Provider { fast, strong } => {
            let (fast_name, strong_name) = (fast.model.clone(), strong.model.clone());
            let fast = Arc::new(client(&config.settings, fast)?);
            let strong = Arc::new(client(&config.settings, strong)?);
            Ok(Some(Models { fast, fast_name, strong, strong_name }))
        }
    }
}

/// What a task may use of them.
pub(crate) fn limits(settings: &Settings) -> ModelLimits {
    ModelLimits {
        task_tokens_max: settings.tokens,
        iterations_max: u16::try_from(settings.model_calls).unwrap_or(u16::MAX),
        iterations_by: settings.model_calls_by,
        // Who is asked first has a time of its own.
        call_deadline: settings
            .model
            .timeout
            .saturating_add(settings.model.brainos.as_ref().map_or(Duration::ZERO, |first| first.timeout)),
        ..ModelLimits::default()
    }
}

/// Only what the chosen provider needs: a key for another one is not even read.
fn settings(config: &Config, environment: &Environment) -> Result<ModelSettings, Failure> {
    let model = &config.settings.model;
    let mut given = ModelSettings {
        fast_model: model.fast.clone(),
        fallback_model: model.strong.clone(),
        ..ModelSettings::default()
    };
    let key = |reference: &Option<SecretRef>, setting: &'static str| match reference {
        Some(reference) => Ok(purple_model::Secret::new(reference.resolve(environment)?.expose())),
        None => Err(Failure::NoModelKey { setting }),
    };
    match model.chosen() {
        Provider::Anthropic => {
            given.anthropic_key = Some(key(&model.anthropic_key, "model.anthropic_key")?);
            given.anthropic_base_url = model.anthropic_url.clone();
        }
        Provider::OpenAi => {
            given.openai_key = Some(key(&model.openai_key, "model.openai_key")?);
            given.openai_base_url = model.openai_url.clone();
        }
        Provider::Ollama => {
            given.ollama_host = Some(model.ollama_url.clone().unwrap_or_else(|| OLLAMA_HERE.to_owned()));
        }
        Provider::Auto | Provider::Offline => {}
    }
    Ok(given)
}

fn client(settings: &Settings, endpoint: Endpoint) -> Result<Client, BadEndpoint> {
    let delivery = if settings.model.streamed { Delivery::Streamed } else { Delivery::Whole };
    connect(endpoint, delivery, settings.model.timeout, Retries::default())
}

fn connect(
    endpoint: Endpoint,
    delivery: Delivery,
    total: Duration,
    retries: Retries,
) -> Result<Client, BadEndpoint> {
    let defaults = Patience::default();
    let patience = Patience {
        connect: defaults.connect.min(total),
        first_byte: defaults.first_byte.min(total),
        idle: defaults.idle.min(total),
        total,
        retries,
    };
    Client::new(endpoint, delivery, patience, Arc::new(Sleep), Arc::new(Chance))
}

/// Randomness from the operating system.
struct Chance;

impl Dice for Chance {
    fn below(&self, bound: u64) -> u64 {
        let mut bytes = [0_u8; 8];
        // Without randomness nobody is put off: the wait is only a little less spread.
        match SystemRandom::new().fill(&mut bytes) {
            Ok(()) => u64::from_le_bytes(bytes).checked_rem(bound).unwrap_or(0),
            Err(_) => 0,
        }
    }
}
