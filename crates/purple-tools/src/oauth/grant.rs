//! Getting tokens by the library: discovery, registration, agreement, exchange, renewal.

use std::sync::Arc;

use reqwest::Url;
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, AuthorizationMetadata, AuthorizationMetadataSource,
    ClientCredentialsConfig, CredentialStore as _, InMemoryCredentialStore, OAuthClientConfig,
    StoredCredentials,
};

use super::record::{Client, Record};
use super::wire::{Wire, is_private_enough};
use super::{Consent, Denied, KnownClient, OAuth};
use crate::said::cut;

/// The name under which we register.
const CLIENT_NAME: &str = "Purple Agent";

/// An authorization server that was found.
pub(super) struct Found {
    manager: AuthorizationManager,
    metadata: AuthorizationMetadata,
    url: String,
}

/// Looks for the authorization server of the server at `url`; `None` if nothing names one.
pub(super) async fn discover(wire: &Wire, url: &str, header: Option<&str>) -> Result<Option<Found>, Denied> {
    let broken = |error| Denied::broken("its authorization server cannot be found", &error, &[]);
    let mut manager = manager(wire, url).await.map_err(broken)?;
    let found = manager.resolve_metadata_from_challenge(header).await.map_err(broken)?;
    match found.source {
        AuthorizationMetadataSource::ProtectedResourceMetadata
        | AuthorizationMetadataSource::AuthorizationServerMetadata => {}
        // Addresses that are merely guessed are not asked for tokens.
        _ => return Ok(None),
    }
    let metadata = found.metadata;
    for address in [&metadata.authorization_endpoint, &metadata.token_endpoint] {
        if !Url::parse(address).is_ok_and(|address| is_private_enough(&address)) {
            return Err(Denied::Plain { address: cut(address) });
        }
    }
    manager.set_metadata(metadata.clone());
    Ok(Some(Found { manager, metadata, url: url.to_owned() }))
}

impl Found {
    /// Whether a login at this authorization server is worth anything here.
    pub(super) fn is_of(&self, record: &Record) -> bool {
        self.metadata.issuer == record.metadata.issuer
    }

    /// What to ask for where the operator leaves it to the server.
    pub(super) async fn scopes(&self) -> Vec<String> {
        self.manager.select_initial_scopes(&[]).await
    }

    /// Lets a person agree.
    pub(super) async fn by_person(
        mut self,
        oauth: &OAuth,
        scopes: &[String],
        consent: &dyn Consent,
    ) -> Result<Session, Denied> {
        let redirect = consent.redirect();
        let client = self.register(oauth, scopes, redirect).await?;
        let secret = client.secret.clone().unwrap_or_default();
        let broken = |what| move |error| Denied::broken(what, &error, &[]);
        self.manager.configure_client(config(&client)).map_err(broken("the client does not fit"))?;
        let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let address = self.manager.get_authorization_url(&scopes).await;
        let address = address.map_err(broken("nobody can be sent to its authorization server"))?;
        let back = consent.ask(&address).await;
        let back = back.map_err(|nobody| Denied::NobodyCameBack { why: cut(&nobody.why) })?;
        let answer = Answer::read(&back, &address)?;
        let store = InMemoryCredentialStore::new();
        self.manager.set_credential_store(store.clone());
        self.manager
            .exchange_code_for_token_with_issuer(&answer.code, &answer.state, answer.issuer.as_deref())
            .await
            .map_err(|error| Denied::broken("it gave no token", &error, &[&secret, &answer.code]))?;
        let resource = parameter(&address, "resource").unwrap_or_else(|| self.url.clone());
        self.session(client, resource, store).await
    }

    /// Takes a token for the client itself.
    pub(super) async fn by_client(mut self, oauth: &OAuth, scopes: &[String]) -> Result<Session, Denied> {
        let client = self.known(oauth)?.ok_or(Denied::NoClient)?;
        let secret = client.secret.clone().ok_or(Denied::NoClient)?;
        let store = InMemoryCredentialStore::new();
        self.manager.set_credential_store(store.clone());
        let resource = self.url.clone();
        take(&mut self.manager, &client.id, &secret, scopes, &resource).await?;
        self.session(client, resource, store).await
    }

    async fn session(
        self,
        client: Client,
        resource: String,
        store: InMemoryCredentialStore,
    ) -> Result<Session, Denied> {
        let Self { manager, metadata, url } = self;
        let credentials = credentials(&store).await.ok_or_else(|| Denied::Broken {
            what: "it gave no token",
            why: "there is none in its answer".to_owned(),
        })?;
        let record = Record { url, resource, metadata, client, credentials, wanted: Vec::new() };
        Ok(Session { manager, store, record })
    }

    /// The client that the operator registered, if there is one, and only for the issuer it is meant for.
    fn known(&self, oauth: &OAuth) -> Result<Option<Client>, Denied> {
        let Some(KnownClient { id, secret }) = &oauth.client else { return Ok(None) };
        let redirect = self.url.clone();
        let Some((secret, issuer)) = secret else {
            return Ok(Some(Client { id: id.clone(), secret: None, redirect }));
        };
        let found = self.metadata.issuer.clone().unwrap_or_default();
        if found.trim_end_matches('/') != issuer.0.trim_end_matches('/') {
            return Err(Denied::Issuer { expected: issuer.0.clone(), found: cut(&found) });
        }
        Ok(Some(Client { id: id.clone(), secret: Some(secret.reveal().to_owned()), redirect }))
    }

    /// Who we are there: whom the operator registered, or whom our document describes, or a new client.
    async fn register(
        &mut self,
        oauth: &OAuth,
        scopes: &[String],
        redirect: String,
    ) -> Result<Client, Denied> {
        if let Some(known) = self.known(oauth)? {
            return Ok(Client { redirect, ..known });
        }
        let reads_documents = self.metadata.additional_fields.get("client_id_metadata_document_supported");
        if let (Some(document), Some(true)) =
            (&oauth.document, reads_documents.and_then(serde_json::Value::as_bool))
        {
            return Ok(Client { id: document.clone(), secret: None, redirect });
        }
        let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let registered = self.manager.register_client(CLIENT_NAME, &redirect, &scopes).await;
        let registered = registered.map_err(|error| Denied::broken("it registers nobody", &error, &[]))?;
        Ok(Client { id: registered.client_id, secret: registered.client_secret, redirect })
    }
}

/// A login that can be used.
pub(super) struct Session {
    manager: AuthorizationManager,
    store: InMemoryCredentialStore,
    pub(super) record: Record,
}

impl Session {
    /// Goes on with a login that was kept. Nothing is sent.
    pub(super) async fn restore(wire: &Wire, record: Record) -> Result<Self, AuthError> {
        let mut manager = manager(wire, &record.resource).await?;
        manager.set_metadata(record.metadata.clone());
        manager.configure_client(config(&record.client))?;
        let store = InMemoryCredentialStore::new();
        store.save(record.credentials.clone()).await?;
        manager.set_credential_store(store.clone());
        Ok(Self { manager, store, record })
    }

    /// A token that is good for a while yet, renewed if need be; `None` if only a new login helps.
    pub(super) async fn token(&mut self) -> Result<Option<String>, Denied> {
        let token = self.manager.get_access_token().await;
        self.note().await;
        match token {
            Ok(token) => Ok(Some(token)),
            Err(AuthError::AuthorizationRequired | AuthError::TokenRefreshRejected(_)) => Ok(None),
            Err(error) => Err(self.broken(&error)),
        }
    }

    /// Another token in place of one that the server does not take; `false` if only a new login helps.
    pub(super) async fn renew(&mut self) -> Result<bool, Denied> {
        let renewed = self.manager.refresh_token().await;
        self.note().await;
        match renewed {
            Ok(_) => Ok(true),
            Err(AuthError::AuthorizationRequired | AuthError::TokenRefreshRejected(_)) => Ok(false),
            Err(error) => Err(self.broken(&error)),
        }
    }

    /// The same for a client that agrees for itself.
    pub(super) async fn renew_by_client(&mut self) -> Result<(), Denied> {
        let Record { client, resource, credentials, .. } = self.record.clone();
        let secret = client.secret.ok_or(Denied::NoClient)?;
        let scopes = credentials.granted_scopes;
        take(&mut self.manager, &client.id, &secret, &scopes, &resource).await?;
        self.note().await;
        Ok(())
    }

    /// The token as it is, good or not.
    pub(super) fn held(&self) -> Option<String> {
        let response = serde_json::to_value(self.record.credentials.token_response.as_ref()?).ok()?;
        response.get("access_token")?.as_str().map(str::to_owned)
    }

    async fn note(&mut self) {
        if let Some(credentials) = credentials(&self.store).await {
            self.record.credentials = credentials;
        }
    }

    fn broken(&self, error: &AuthError) -> Denied {
        let secret = self.record.client.secret.as_deref().unwrap_or_default();
        Denied::broken("its token could not be renewed", error, &[secret])
    }
}

/// What a person brought back.
#[derive(Debug, PartialEq, Eq)]
struct Answer {
    code: String,
    state: String,
    issuer: Option<String>,
}

impl Answer {
    /// Reads the address to which somebody was sent back from `asked`.
    fn read(back: &str, asked: &str) -> Result<Self, Denied> {
        let of = |name| parameter(back, name);
        let state = of("state").ok_or(Denied::State)?;
        if parameter(asked, "state").as_deref() != Some(&state) {
            return Err(Denied::State);
        }
        if let Some(error) = of("error") {
            let error = of("error_description").map_or(error.clone(), |words| format!("{error}, {words}"));
            return Err(Denied::Refused { error: cut(&error) });
        }
        let code = of("code").ok_or(Denied::State)?;
        Ok(Self { code, state, issuer: of("iss") })
    }
}

fn parameter(address: &str, name: &str) -> Option<String> {
    let address = Url::parse(address).ok()?;
    let mut found = address.query_pairs().filter(|(key, _)| key == name);
    let value = found.next()?.1.into_owned();
    // Said twice is said in two ways.
    found.next().is_none().then_some(value)
}

async fn manager(wire: &Wire, url: &str) -> Result<AuthorizationManager, AuthError> {
    AuthorizationManager::new_with_oauth_http_client(url, Arc::new(wire.clone())).await
}

async fn credentials(store: &InMemoryCredentialStore) -> Option<StoredCredentials> {
    store.load().await.ok().flatten()
}

fn config(client: &Client) -> OAuthClientConfig {
    let config = OAuthClientConfig::new(client.id.clone(), client.redirect.clone());
    match &client.secret {
        Some(secret) => config.with_client_secret(secret.clone()),
        None => config,
    }
}

/// Takes a token for a client and nobody else.
async fn take(
    manager: &mut AuthorizationManager,
    id: &str,
    secret: &str,
    scopes: &[String],
    resource: &str,
) -> Result<(), Denied> {
    let config = ClientCredentialsConfig::ClientSecret {
        client_id: id.to_owned(),
        client_secret: secret.to_owned(),
        scopes: scopes.to_vec(),
        resource: Some(resource.to_owned()),
    };
    let broken = |error| Denied::broken("it gave the client no token", &error, &[secret]);
    manager.validate_client_credentials_metadata(&config).map_err(broken)?;
    manager.configure_client_credentials(&config).map_err(broken)?;
    manager.exchange_client_credentials(&config).await.map_err(broken)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASKED: &str = "https://login.example/authorize?state=s1&resource=x";

    #[test]
    fn only_the_answer_to_this_login_is_taken() {
        let read = |query: &str| Answer::read(&format!("http://127.0.0.1:9/back?{query}"), ASKED);
        let good = read("code=c1&state=s1&iss=https%3A%2F%2Flogin.example");
        let issuer = Some("https://login.example".to_owned());
        assert_eq!(good, Ok(Answer { code: "c1".to_owned(), state: "s1".to_owned(), issuer }));
        for other in ["code=c1&state=s2", "code=c1", "state=s1", "code=c1&code=c2&state=s1", ""] {
            assert_eq!(read(other), Err(Denied::State), "{other}");
        }
        let refused = Denied::Refused { error: "access_denied, not today".to_owned() };
        assert_eq!(read("error=access_denied&error_description=not+today&state=s1"), Err(refused));
        assert_eq!(read("error=access_denied&state=s2"), Err(Denied::State), "nobody we asked");
    }
}
