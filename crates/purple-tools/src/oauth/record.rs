//! What a login gave, as it is kept between two runs.

use rmcp::transport::auth::{AuthorizationMetadata, StoredCredentials};
use serde::{Deserialize, Serialize};

use super::{Keep, OAuth, Secret};

/// A login at one server. All of it is secret.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Record {
    /// The address that tokens are for. They go nowhere else, whatever the configuration says later.
    pub(super) url: String,
    /// The same, as the authorization server knows it.
    pub(super) resource: String,
    pub(super) metadata: AuthorizationMetadata,
    pub(super) client: Client,
    /// The tokens.
    pub(super) credentials: StoredCredentials,
    /// Scopes that a request lacked.
    pub(super) wanted: Vec<String>,
}

/// Who we are at the authorization server.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Client {
    pub(super) id: String,
    pub(super) secret: Option<String>,
    pub(super) redirect: String,
}

impl Record {
    /// The login for this address, if it still is what the operator wants.
    pub(super) fn load(keep: &dyn Keep, server: &str, url: &str, oauth: &OAuth) -> Option<Self> {
        // What cannot be read is no login: the next request says that one is wanted.
        let text = keep.load(server).ok().flatten()?;
        let record: Self = serde_json::from_str(text.reveal()).ok()?;
        let same_client = oauth.client.as_ref().is_none_or(|client| client.id == record.client.id);
        (record.url == url && same_client).then_some(record)
    }

    pub(super) fn save(&self, keep: &dyn Keep, server: &str) -> std::io::Result<()> {
        keep.save(server, &Secret::new(serde_json::to_string(self)?))
    }

    pub(super) fn granted(&self) -> &[String] {
        &self.credentials.granted_scopes
    }
}
