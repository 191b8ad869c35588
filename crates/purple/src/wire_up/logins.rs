//! Logins at tool servers: what the operator set, and the files where they are kept.

use std::collections::BTreeMap;
use std::sync::Arc;

use purple_store::LoginFiles;
use purple_tools::{Grant, Issuer, Keep, KnownClient, Logins, OAuth, Secret};

use crate::config::{Config, Environment};
use crate::failure::Failure;

/// The command that logs in, as errors name it.
const COMMAND: &str = "purple tools login";

/// Keeps logins sealed in the data folder.
pub(crate) struct LoginStore(LoginFiles);

/// Where the logins of this set-up are.
pub(crate) fn login_store(config: &Config) -> LoginStore {
    LoginStore(LoginFiles::of_folder(&config.settings.data_dir))
}

/// How logins are made and kept here. Nobody is asked in the middle of a run.
pub(crate) fn logins(config: &Config, environment: &Environment) -> Result<Logins, Failure> {
    let mut servers = BTreeMap::new();
    for (name, server) in &config.settings.servers {
        let set = &server.oauth;
        let client = match &set.client {
            None => None,
            Some(client) => {
                let secret = match &client.secret {
                    None => None,
                    Some((reference, issuer)) => {
                        let secret = reference.resolve(environment)?;
                        Some((Secret::new(secret.expose()), Issuer(issuer.clone())))
                    }
                };
                Some(KnownClient { id: client.id.clone(), secret })
            }
        };
        let grant = if set.by_client { Grant::Client } else { Grant::Person };
        let (document, scopes) = (set.document.clone(), set.scopes.clone());
        servers.insert(name.clone(), OAuth { client, document, scopes, grant });
    }
    let keep = Arc::new(login_store(config));
    Ok(Logins { servers, consent: None, keep, command: COMMAND.to_owned() })
}

impl Keep for LoginStore {
    fn load(&self, server: &str) -> std::io::Result<Option<Secret>> {
        Ok(self.0.load(server)?.map(Secret::new))
    }

    fn save(&self, server: &str, text: &Secret) -> std::io::Result<()> {
        self.0.save(server, text.reveal())
    }

    fn forget(&self, server: &str) -> std::io::Result<bool> {
        self.0.forget(server)
    }
}
