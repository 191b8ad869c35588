//! The language models that the operator set, if any.

use std::sync::Arc;
use std::time::Duration;

use purple_model::{BadEndpoint, Choice, Client, Delivery, Dice, Endpoint, ModelSettings, Patience, choose};
use purple_worker::ModelLimits;
use purple_worker::port::Models;
use ring::rand::{SecureRandom, SystemRandom};

use super::world::Sleep;
use crate::config::{Config, Environment, Provider, SecretRef, Settings};
use crate::failure::Failure;

/// Where Ollama is when somebody asks for it and says no more.
const OLLAMA_HERE: &str = "127.0.0.1";

/// The models, or none: playbooks run without.
pub(crate) fn models(config: &Config, environment: &Environment) -> Result<Option<Models>, Failure> {
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
        call_deadline: settings.model.timeout,
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
    let defaults = Patience::default();
    let within = |limit: Duration| limit.min(settings.model.timeout);
    let patience = Patience {
        connect: within(defaults.connect),
        first_byte: within(defaults.first_byte),
        idle: within(defaults.idle),
        total: settings.model.timeout,
        retries: defaults.retries,
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
