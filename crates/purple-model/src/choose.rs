//! Which provider answers, from plain settings. Pure: whoever reads the environment is elsewhere.

use crate::endpoint::{Api, Endpoint};
use crate::secret::Secret;

const ANTHROPIC_URL: &str = "https://api.anthropic.com";
const OPENAI_URL: &str = "https://api.openai.com/v1";
const OLLAMA_PORT: u16 = 11434;

const ANTHROPIC_MODELS: (&str, &str) = ("claude-haiku-4-5", "claude-sonnet-4-6");
const OPENAI_MODELS: (&str, &str) = ("gpt-4.1-mini", "gpt-4.1");
const OLLAMA_MODELS: (&str, &str) = ("qwen2.5:7b", "qwen2.5:7b");

/// What people have set. An empty or blank value counts as not set.
#[derive(Clone, Debug, Default)]
pub struct ModelSettings {
    /// `ANTHROPIC_API_KEY`.
    pub anthropic_key: Option<Secret>,
    /// `ANTHROPIC_BASE_URL`, without the version.
    pub anthropic_base_url: Option<String>,
    /// `OPENAI_API_KEY`.
    pub openai_key: Option<Secret>,
    /// `OPENAI_BASE_URL`, with the version, as the providers write it.
    pub openai_base_url: Option<String>,
    /// `OLLAMA_HOST`: a host, a host with a port, or a URL.
    pub ollama_host: Option<String>,
    /// The model of the fast tier, if not the provider's default.
    pub fast_model: Option<String>,
    /// `FALLBACK_MODEL`: the model of the strong tier, if not the provider's default.
    pub fallback_model: Option<String>,
}

/// Who answers.
#[derive(Clone, Debug)]
pub enum Choice {
    /// A provider, by tier.
    Provider {
        /// Cheap and quick.
        fast: Endpoint,
        /// Careful.
        strong: Endpoint,
    },
    /// Nobody: playbooks run, and everything else says that it needs a model.
    Offline,
}

/// Picks the provider: an Anthropic key, else an OpenAI key, else an Ollama host, else none.
pub fn choose(settings: &ModelSettings) -> Choice {
    let base = |given: &Option<String>, default: &str| given_text(given).unwrap_or(default).to_owned();
    if let Some(key) = given_key(&settings.anthropic_key) {
        let base_url = base(&settings.anthropic_base_url, ANTHROPIC_URL);
        return provider(settings, Api::Anthropic, base_url, Some(key), ANTHROPIC_MODELS);
    }
    if let Some(key) = given_key(&settings.openai_key) {
        let base_url = base(&settings.openai_base_url, OPENAI_URL);
        return provider(settings, Api::OpenAi, base_url, Some(key), OPENAI_MODELS);
    }
    match given_text(&settings.ollama_host) {
        Some(host) => provider(settings, Api::Ollama, ollama_url(host), None, OLLAMA_MODELS),
        None => Choice::Offline,
    }
}

fn provider(
    settings: &ModelSettings,
    api: Api,
    base_url: String,
    key: Option<Secret>,
    (fast, strong): (&str, &str),
) -> Choice {
    let endpoint = |model: &str| Endpoint {
        api,
        base_url: base_url.trim_end_matches('/').to_owned(),
        key: key.clone(),
        model: model.to_owned(),
    };
    Choice::Provider {
        fast: endpoint(given_text(&settings.fast_model).unwrap_or(fast)),
        strong: endpoint(given_text(&settings.fallback_model).unwrap_or(strong)),
    }
}

/// `OLLAMA_HOST` is also what the server listens on, so it may lack a scheme and a port, or say "everywhere".
fn ollama_url(host: &str) -> String {
    let (scheme, rest) = host.split_once("://").unwrap_or(("http", host));
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let authority = match authority.strip_prefix("0.0.0.0") {
        Some(port) => format!("127.0.0.1{port}"),
        None => authority.to_owned(),
    };
    let has_port = authority.rsplit_once(':').is_some_and(|(name, port)| {
        (!name.contains(':') || name.ends_with(']')) && port.bytes().all(|byte| byte.is_ascii_digit())
    });
    if has_port || host.contains("://") {
        format!("{scheme}://{authority}{path}")
    } else {
        format!("{scheme}://{authority}:{OLLAMA_PORT}{path}")
    }
}

fn given_text(text: &Option<String>) -> Option<&str> {
    text.as_deref().map(str::trim).filter(|text| !text.is_empty())
}

fn given_key(key: &Option<Secret>) -> Option<Secret> {
    key.clone().filter(|key| !key.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(settings: &ModelSettings) -> String {
        match choose(settings) {
            Choice::Offline => "offline".to_owned(),
            Choice::Provider { fast, strong } => {
                assert_eq!((fast.api, &fast.base_url), (strong.api, &strong.base_url));
                format!("{:?} {} {} {}", fast.api, fast.base_url, fast.model, strong.model)
            }
        }
    }

    #[test]
    fn a_key_comes_before_a_host_and_a_host_before_nothing() {
        let all = ModelSettings {
            anthropic_key: Some(Secret::new("a")),
            openai_key: Some(Secret::new("o")),
            ollama_host: Some("localhost".to_owned()),
            ..ModelSettings::default()
        };
        let no_anthropic = ModelSettings { anthropic_key: Some(Secret::new(" ")), ..all.clone() };
        let host_only = ModelSettings { openai_key: None, ..no_anthropic.clone() };
        let nothing = ModelSettings { ollama_host: Some(" ".to_owned()), ..host_only.clone() };
        assert_eq!(shown(&all), "Anthropic https://api.anthropic.com claude-haiku-4-5 claude-sonnet-4-6");
        assert_eq!(shown(&no_anthropic), "OpenAi https://api.openai.com/v1 gpt-4.1-mini gpt-4.1");
        assert_eq!(shown(&host_only), "Ollama http://localhost:11434 qwen2.5:7b qwen2.5:7b");
        assert_eq!(shown(&nothing), "offline");
    }

    #[test]
    fn names_and_addresses_can_be_set() {
        let settings = ModelSettings {
            anthropic_key: Some(Secret::new("a")),
            anthropic_base_url: Some("http://127.0.0.1:9/".to_owned()),
            fast_model: Some("small".to_owned()),
            fallback_model: Some("large".to_owned()),
            ..ModelSettings::default()
        };
        assert_eq!(shown(&settings), "Anthropic http://127.0.0.1:9 small large");
    }

    #[test]
    fn an_ollama_host_is_read_the_way_people_write_it() {
        let cases = [
            ("127.0.0.1", "http://127.0.0.1:11434"),
            ("0.0.0.0", "http://127.0.0.1:11434"),
            ("0.0.0.0:8080", "http://127.0.0.1:8080"),
            ("box:1234", "http://box:1234"),
            ("[::1]", "http://[::1]:11434"),
            ("[::1]:5", "http://[::1]:5"),
            ("https://models.example", "https://models.example"),
            ("http://box:1/path", "http://box:1/path"),
        ];
        for (host, url) in cases {
            assert_eq!(ollama_url(host), url);
        }
    }
}
