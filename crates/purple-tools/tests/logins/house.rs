//! A tool server that wants a login, and the authorization server beside it, over real HTTP on this machine.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::{get, post};
use purple_port::{BoxFuture, CallOptions, Called, Pass, Tools, ToolsAt, Values};
use purple_testkit::{read_pass, write_pass};
use purple_tools::{
    Consent, Era, Keep, Logins, NoConsent, OAuth, Secret, ServerConfig, ServerKind, ToolServers,
};
use serde_json::{Value, json};

/// What the house does, and what it saw.
#[derive(Default)]
pub(crate) struct Rules {
    /// Put in place of what the metadata of the tool server says.
    pub(crate) resource_metadata: Value,
    /// The same for the authorization server.
    pub(crate) server_metadata: Value,
    /// Parameters that come back in place of the right ones.
    pub(crate) back: BTreeMap<&'static str, String>,
    /// Seconds that a token is good for, by its own word; the first ones first.
    pub(crate) lasts: Vec<u64>,
    /// The scope that a call needs.
    pub(crate) call_needs: Option<&'static str>,
    /// Calls are carried out and then refused.
    pub(crate) lies: bool,
    /// Nothing is ever let in.
    pub(crate) shut: bool,
    /// Tokens that count, and what they may.
    pub(crate) tokens: BTreeMap<String, String>,
    /// Effects of `add_note`.
    pub(crate) notes: usize,
    /// Everything that arrived, in order.
    pub(crate) seen: Vec<String>,
    challenges: BTreeMap<String, (String, String)>,
    refresh: BTreeSet<String>,
    made: usize,
}

/// A house with an address.
#[derive(Clone)]
pub(crate) struct House {
    pub(crate) url: String,
    rules: Arc<Mutex<Rules>>,
}

impl House {
    pub(crate) async fn open() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let house = Self { url, rules: Arc::default() };
        let app = Router::new()
            .route("/mcp", post(mcp).get(|| async { StatusCode::METHOD_NOT_ALLOWED }))
            .route("/.well-known/oauth-protected-resource/mcp", get(resource_metadata))
            .route("/.well-known/oauth-authorization-server", get(server_metadata))
            .route("/register", post(register))
            .route("/authorize", get(authorize))
            .route("/token", post(token))
            .with_state(house.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        house
    }

    pub(crate) fn rules(&self) -> MutexGuard<'_, Rules> {
        self.rules.lock().unwrap()
    }

    pub(crate) fn mcp(&self) -> String {
        format!("{}/mcp", self.url)
    }

    /// How often something arrived.
    pub(crate) fn count(&self, what: &str) -> usize {
        self.rules().seen.iter().filter(|seen| seen.starts_with(what)).count()
    }

    /// The only thing of its kind that arrived.
    pub(crate) fn only(&self, what: &str) -> String {
        let rules = self.rules();
        let mut found = rules.seen.iter().filter(|seen| seen.starts_with(what));
        let one = found.next().unwrap().clone();
        assert_eq!(found.next(), None, "{what} arrived more than once");
        one
    }

    /// Servers that know only this one.
    pub(crate) fn servers(&self, keep: &Arc<Memory>, oauth: OAuth, person: Option<Person>) -> ToolServers {
        servers_at(&self.mcp(), keep, oauth, person)
    }

    fn saw(&self, what: String) {
        self.rules().seen.push(what);
    }
}

pub(crate) fn servers_at(url: &str, keep: &Arc<Memory>, oauth: OAuth, person: Option<Person>) -> ToolServers {
    let server =
        ServerConfig { name: "notes".to_owned(), kind: ServerKind::Url(url.to_owned()), era: Era::Legacy };
    ToolServers::new(vec![server]).unwrap().with_logins(&Logins {
        servers: BTreeMap::from([("notes".to_owned(), oauth)]),
        consent: person.map(|person| Arc::new(person) as Arc<dyn Consent>),
        keep: Arc::clone(keep) as Arc<dyn Keep>,
        command: "purple tools login".to_owned(),
    })
}

pub(crate) async fn list(servers: &ToolServers) -> Result<usize, String> {
    let listed = servers.list(&ToolsAt::Configured).await;
    listed.map(|listing| listing.tools.len()).map_err(|down| down.reason)
}

pub(crate) async fn call(servers: &ToolServers, pass: Pass) -> Called {
    let deadline = std::time::Duration::from_secs(60);
    servers.call(&ToolsAt::Configured, pass, CallOptions { deadline, key: None, answers: None }).await
}

pub(crate) fn add_note() -> Pass {
    write_pass("ses_1", "add_note", Values::new()).unwrap()
}

pub(crate) fn get_note() -> Pass {
    read_pass("get_note", Values::new()).unwrap()
}

/// Somebody with a browser who agrees.
pub(crate) struct Person;

impl Consent for Person {
    fn redirect(&self) -> String {
        "http://127.0.0.1:1/back".to_owned()
    }

    fn ask<'a>(&'a self, address: &'a str) -> BoxFuture<'a, Result<String, NoConsent>> {
        Box::pin(async move {
            let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
            let http = http.timeout(purple_testkit::WAIT_MAX).build().unwrap();
            let answer = http.get(address).send().await.unwrap();
            let back = answer.headers().get("location").map(|back| back.to_str().unwrap().to_owned());
            back.ok_or_else(|| NoConsent { why: answer.status().to_string() })
        })
    }
}

/// Logins in memory, which two programs can share.
#[derive(Default)]
pub(crate) struct Memory(pub(crate) Mutex<BTreeMap<String, Secret>>);

impl Keep for Memory {
    fn load(&self, server: &str) -> std::io::Result<Option<Secret>> {
        Ok(self.0.lock().unwrap().get(server).cloned())
    }

    fn save(&self, server: &str, text: &Secret) -> std::io::Result<()> {
        self.0.lock().unwrap().insert(server.to_owned(), text.clone());
        Ok(())
    }

    fn forget(&self, server: &str) -> std::io::Result<bool> {
        Ok(self.0.lock().unwrap().remove(server).is_some())
    }
}

async fn mcp(State(house): State<House>, headers: HeaderMap, body: Bytes) -> Response {
    let message: Value = serde_json::from_slice(&body).unwrap();
    let method = message["method"].as_str().unwrap_or("answer").to_owned();
    let tool = message["params"]["name"].as_str().unwrap_or_default().to_owned();
    let bearer = headers.get("authorization").map(|value| value.to_str().unwrap().to_owned());
    let bearer = bearer.and_then(|value| value.strip_prefix("Bearer ").map(str::to_owned));
    house.saw(format!("mcp {method} {tool} {}", if bearer.is_some() { "with a token" } else { "bare" }));
    let mut rules = house.rules();
    let scope = bearer.and_then(|token| rules.tokens.get(&token).cloned());
    let lied = method == "tools/call" && rules.lies;
    if lied && tool == "add_note" {
        rules.notes += 1;
    }
    let (Some(scope), false, false) = (scope, rules.shut, lied) else {
        let place = format!("{}/.well-known/oauth-protected-resource/mcp", house.url);
        let challenge = format!("Bearer resource_metadata=\"{place}\", scope=\"notes\"");
        return (StatusCode::UNAUTHORIZED, [("www-authenticate", challenge)]).into_response();
    };
    if let (Some(needed), "tools/call") = (rules.call_needs, method.as_str())
        && !scope.split(' ').any(|one| one == needed)
    {
        let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{needed}\"");
        return (StatusCode::FORBIDDEN, [("www-authenticate", challenge)]).into_response();
    }
    let Some(id) = message.get("id") else { return StatusCode::ACCEPTED.into_response() };
    let result = match method.as_str() {
        "initialize" => {
            json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}})
        }
        "tools/list" => {
            let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
            json!({"tools": [tool("get_note"), tool("add_note")]})
        }
        "tools/call" => {
            rules.notes += usize::from(tool == "add_note");
            json!({"content": [{"type": "text", "text": "{\"done\": true}"}]})
        }
        _ => {
            let error = json!({"code": -32601, "message": "no such method"});
            return Json(json!({"jsonrpc": "2.0", "id": id, "error": error})).into_response();
        }
    };
    Json(json!({"jsonrpc": "2.0", "id": id, "result": result})).into_response()
}

fn with(mut metadata: Value, changed: &Value) -> Json<Value> {
    for (name, value) in changed.as_object().into_iter().flatten() {
        metadata[name] = value.clone();
    }
    Json(metadata)
}

async fn resource_metadata(State(house): State<House>) -> Json<Value> {
    house.saw("resource metadata".to_owned());
    let metadata = json!({"resource": house.mcp(), "authorization_servers": [house.url]});
    with(metadata, &house.rules().resource_metadata)
}

async fn server_metadata(State(house): State<House>) -> Json<Value> {
    house.saw("server metadata".to_owned());
    let url = &house.url;
    let metadata = json!({
        "issuer": url, "authorization_endpoint": format!("{url}/authorize"),
        "token_endpoint": format!("{url}/token"), "registration_endpoint": format!("{url}/register"),
        "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "none"],
    });
    with(metadata, &house.rules().server_metadata)
}

async fn register(State(house): State<House>, Json(asked): Json<Value>) -> Response {
    house.saw(format!("register {}", asked["redirect_uris"][0].as_str().unwrap()));
    (StatusCode::CREATED, Json(json!({"client_id": "client-1", "redirect_uris": asked["redirect_uris"]})))
        .into_response()
}

async fn authorize(State(house): State<House>, Query(asked): Query<BTreeMap<String, String>>) -> Response {
    let of = |name: &str| asked.get(name).cloned().unwrap_or_default();
    assert_eq!(of("code_challenge_method"), "S256");
    assert_eq!(of("resource"), house.mcp(), "a token is for one server");
    house.saw(format!("authorize {} for {}", of("client_id"), of("scope")));
    let mut rules = house.rules();
    rules.made += 1;
    let code = format!("code-{}", rules.made);
    rules.challenges.insert(code.clone(), (of("code_challenge"), of("scope")));
    let mut back = reqwest::Url::parse(&of("redirect_uri")).unwrap();
    let mut answer = BTreeMap::from([("code", code), ("state", of("state")), ("iss", house.url.clone())]);
    answer.extend(rules.back.clone());
    back.query_pairs_mut().extend_pairs(answer);
    (StatusCode::FOUND, [("location", back.to_string())]).into_response()
}

async fn token(State(house): State<House>, headers: HeaderMap, body: String) -> Response {
    let form = reqwest::Url::parse(&format!("http://x/?{body}")).unwrap();
    let form: BTreeMap<String, String> = form.query_pairs().into_owned().collect();
    let of = |name: &str| form.get(name).cloned().unwrap_or_default();
    assert_eq!(of("resource"), house.mcp(), "a token is for one server");
    let who = headers.get("authorization").map_or("nobody", |value| value.to_str().unwrap());
    house.saw(format!("token {} by {who}", of("grant_type")));
    let mut rules = house.rules();
    let scope = match of("grant_type").as_str() {
        "authorization_code" => {
            let (challenge, scope) = rules.challenges.remove(&of("code")).unwrap();
            assert_eq!(challenge, s256(&of("code_verifier")), "whoever asked holds the code");
            scope
        }
        "refresh_token" if rules.refresh.remove(&of("refresh_token")) => of("scope"),
        "client_credentials" => of("scope"),
        _ => return (StatusCode::BAD_REQUEST, Json(json!({"error": "invalid_grant"}))).into_response(),
    };
    rules.made += 1;
    let (token, refresh) = (format!("token-{}", rules.made), format!("refresh-{}", rules.made));
    let lasts = if rules.lasts.is_empty() { 3600 } else { rules.lasts.remove(0) };
    rules.tokens.insert(token.clone(), scope.clone());
    let mut told =
        json!({"access_token": token, "token_type": "Bearer", "expires_in": lasts, "scope": scope});
    if of("grant_type") != "client_credentials" {
        told["refresh_token"] = json!(refresh);
        rules.refresh.insert(refresh);
    }
    Json(told).into_response()
}

/// What PKCE makes of a verifier, by the cryptography that the client does not use.
fn s256(verifier: &str) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, verifier.as_bytes());
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for three in digest.as_ref().chunks(3) {
        let bits =
            three.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for place in 0..=three.len() {
            let digit = (bits >> (18 - 6 * place)) & 63;
            text.push(char::from(DIGITS[usize::try_from(digit).unwrap()]));
        }
    }
    text
}
