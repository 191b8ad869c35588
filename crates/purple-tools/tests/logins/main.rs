//! Logins: made with a person's help, kept, renewed, refused, and never a reason to send a write twice.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests may unwrap")]

mod house;

use std::sync::Arc;

use house::{House, Memory, Person, add_note, call, get_note, list, servers_at};
use purple_port::{BoxFuture, Called, Tools, ToolsAt};
use purple_tools::{Consent, Grant, Issuer, KnownClient, LoggedIn, LoginFailed, NoConsent, OAuth, Secret};
use serde_json::json;

fn plain() -> OAuth {
    OAuth::default()
}

fn known(secret_for: Option<&str>) -> OAuth {
    let secret = secret_for.map(|issuer| (Secret::new("hunter2"), Issuer(issuer.to_owned())));
    OAuth { client: Some(KnownClient { id: "purple".to_owned(), secret }), ..OAuth::default() }
}

/// Logs in, and answers why not.
async fn denied(house: &House, oauth: OAuth) -> String {
    let keep = Arc::new(Memory::default());
    let servers = house.servers(&keep, oauth, None);
    let failed = servers.log_in("notes", &Person).await.unwrap_err();
    assert!(keep.0.lock().unwrap().is_empty(), "nothing is kept of a login that failed");
    match failed {
        LoginFailed::Denied { why, .. } => why,
        LoginFailed::NoServer { server } => panic!("{server}"),
    }
}

async fn logged_in(house: &House, oauth: OAuth) -> (Arc<Memory>, purple_tools::ToolServers) {
    let keep = Arc::new(Memory::default());
    let servers = house.servers(&keep, oauth, None);
    assert_eq!(servers.log_in("notes", &Person).await, Ok(LoggedIn::Yes));
    (keep, servers)
}

fn refused(called: &Called, code: &str, words: &str) {
    let Called::Refused { code: Some(said), message } = called else { panic!("{called:?}") };
    assert!(*said == code && message.for_work().contains(words), "{said:?}: {message:?}");
}

#[tokio::test]
async fn a_server_that_wants_a_login_says_how_it_is_made() {
    let house = House::open().await;
    let servers = house.servers(&Arc::default(), plain(), None);
    let down = list(&servers).await.unwrap_err();
    assert_eq!(down, "`notes`: it wants a login: run `purple tools login notes`");
    assert_eq!(servers.wanting_logins(), ["notes"]);
    let called = call(&servers, add_note()).await;
    assert!(
        matches!(&called, Called::NotSent { reason } if reason.for_work().contains("purple tools login notes"))
    );
    assert_eq!(house.count("token") + house.count("register") + house.count("authorize"), 0);
}

#[tokio::test]
async fn a_login_is_made_once_kept_and_used_by_the_next_program() {
    let house = House::open().await;
    let (keep, servers) = logged_in(&house, plain()).await;
    assert_eq!(house.only("register"), "register http://127.0.0.1:1/back");
    assert_eq!(house.only("authorize"), "authorize client-1 for notes");
    assert_eq!(list(&servers).await, Ok(2));
    assert_eq!(call(&servers, add_note()).await, Called::Answered(json!({"done": true}).into()));
    assert!(servers.wanting_logins().is_empty());
    let before = house.rules().seen.len();
    let next = house.servers(&keep, plain(), None);
    assert_eq!(list(&next).await, Ok(2));
    let asked: Vec<String> = house.rules().seen.split_off(before);
    assert!(asked.iter().all(|one| one.starts_with("mcp ") && one.ends_with("with a token")), "{asked:?}");
    assert_eq!(house.rules().notes, 1);
}

#[tokio::test]
async fn a_server_without_logins_needs_none() {
    let house = House::open().await;
    house.rules().resource_metadata = json!({"authorization_servers": []});
    let moved = servers_at(&format!("{}/nothing", house.url), &Arc::default(), plain(), None);
    assert_eq!(
        moved.log_in("other", &Person).await,
        Err(LoginFailed::NoServer { server: "other".to_owned() })
    );
    let bare = bare_server().await;
    let servers = servers_at(&bare, &Arc::default(), plain(), None);
    assert_eq!(servers.log_in("notes", &Person).await, Ok(LoggedIn::NotNeeded));
}

/// Something that knows neither MCP nor logins.
async fn bare_server() -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, axum::Router::new()).await });
    url
}

#[tokio::test]
async fn a_token_is_renewed_before_it_runs_out_and_a_write_goes_out_with_the_new_one() {
    let house = House::open().await;
    house.rules().lasts = vec![1];
    let (keep, servers) = logged_in(&house, plain()).await;
    let first = keep.0.lock().unwrap()["notes"].reveal().to_owned();
    assert_eq!(call(&servers, add_note()).await, Called::Answered(json!({"done": true}).into()));
    assert_eq!(house.only("token refresh_token"), "token refresh_token by nobody");
    assert_eq!((house.count("mcp tools/call"), house.rules().notes), (1, 1));
    assert_ne!(keep.0.lock().unwrap()["notes"].reveal(), first, "the new token is kept");
}

#[tokio::test]
async fn what_another_program_renewed_is_taken_up() {
    let house = House::open().await;
    let (keep, servers) = logged_in(&house, plain()).await;
    assert_eq!(list(&servers).await, Ok(2));
    let other = house.servers(&keep, plain(), None);
    house.rules().tokens.clear();
    assert_eq!(list(&other).await, Ok(2), "the other program renews it");
    assert_eq!(list(&servers).await, Ok(2));
    assert_eq!(house.count("token refresh_token"), 1, "and this one uses what it kept");
}

#[tokio::test]
async fn a_list_goes_out_again_after_a_refused_token_and_a_call_does_not() {
    let house = House::open().await;
    let (_keep, servers) = logged_in(&house, plain()).await;
    assert_eq!(list(&servers).await, Ok(2));
    house.rules().tokens.clear();
    assert_eq!(list(&servers).await, Ok(2));
    assert_eq!(house.count("token refresh_token"), 1);
    house.rules().tokens.clear();
    refused(&call(&servers, add_note()).await, "TOKEN_RENEWED", "try again");
    assert_eq!((house.count("mcp tools/call"), house.rules().notes), (1, 0));
    assert_eq!(
        call(&servers, add_note()).await,
        Called::Answered(json!({"done": true}).into()),
        "who wants it asks again"
    );
}

#[tokio::test]
async fn a_server_that_does_a_write_and_calls_it_refused_is_not_asked_twice() {
    let house = House::open().await;
    let (keep, servers) = logged_in(&house, plain()).await;
    assert_eq!(list(&servers).await, Ok(2));
    house.rules().lies = true;
    refused(&call(&servers, add_note()).await, "TOKEN_RENEWED", "says that it did nothing");
    assert_eq!((house.count("mcp tools/call"), house.rules().notes), (1, 1));
    let attended = house.servers(&keep, plain(), Some(Person));
    assert_eq!(list(&attended).await, Ok(2));
    refused(&call(&attended, add_note()).await, "TOKEN_RENEWED", "try again");
    assert_eq!(
        (house.count("mcp tools/call"), house.rules().notes),
        (2, 2),
        "not even with somebody who agrees"
    );
}

#[tokio::test]
async fn a_server_that_is_never_content_is_left_after_two_logins() {
    let house = House::open().await;
    house.rules().shut = true;
    let servers = house.servers(&Arc::default(), plain(), Some(Person));
    let down = list(&servers).await.unwrap_err();
    assert!(down.contains("again right after"), "{down}");
    assert!(house.count("authorize") <= 2, "{:?}", house.rules().seen);
}

#[tokio::test]
async fn a_missing_scope_is_asked_for_beside_those_that_are_there() {
    let house = House::open().await;
    house.rules().call_needs = Some("write");
    let (keep, servers) = logged_in(&house, plain()).await;
    refused(&call(&servers, add_note()).await, "UNAUTHORIZED", "run `purple tools login notes`");
    assert_eq!(servers.log_in("notes", &Person).await, Ok(LoggedIn::Yes));
    assert_eq!(house.count("authorize client-1 for notes write"), 1, "{:?}", house.rules().seen);
    assert_eq!(call(&servers, add_note()).await, Called::Answered(json!({"done": true}).into()));
    // A running program takes up what a login in another one gave.
    house.rules().call_needs = Some("more");
    let other = house.servers(&keep, plain(), Some(Person));
    refused(&call(&other, add_note()).await, "TOKEN_RENEWED", "");
    refused(&call(&servers, add_note()).await, "TOKEN_RENEWED", "");
    assert_eq!(call(&servers, get_note()).await, Called::Answered(json!({"done": true}).into()));
    house.rules().call_needs = Some("notes");
    assert_eq!(call(&servers, add_note()).await, Called::Answered(json!({"done": true}).into()));
}

#[tokio::test]
async fn a_scope_that_the_operator_did_not_set_is_never_asked_for() {
    let house = House::open().await;
    house.rules().call_needs = Some("admin");
    let oauth = OAuth { scopes: vec!["notes".to_owned()], ..plain() };
    let (keep, _) = logged_in(&house, oauth.clone()).await;
    let servers = house.servers(&keep, oauth, Some(Person));
    assert_eq!(list(&servers).await, Ok(2));
    refused(&call(&servers, add_note()).await, "UNAUTHORIZED", "the scope `admin`");
    assert_eq!(house.count("authorize"), 1);
}

#[tokio::test]
async fn a_scope_that_is_there_and_not_enough_is_a_plain_no() {
    let house = House::open().await;
    let (keep, _) = logged_in(&house, plain()).await;
    // The token forgot what it may, and the authorization server thinks that it did not.
    house.rules().tokens.values_mut().for_each(String::clear);
    house.rules().call_needs = Some("notes");
    let servers = house.servers(&keep, plain(), Some(Person));
    assert_eq!(list(&servers).await, Ok(2));
    refused(&call(&servers, add_note()).await, "UNAUTHORIZED", "does not allow this");
    assert_eq!(house.count("authorize"), 1);
}

#[tokio::test]
async fn a_client_takes_and_renews_tokens_without_a_person() {
    let house = House::open().await;
    house.rules().lasts = vec![1, 1];
    let oauth = OAuth { grant: Grant::Client, ..known(Some(&house.url)) };
    let servers = house.servers(&Arc::default(), oauth, None);
    assert_eq!(list(&servers).await, Ok(2));
    assert_eq!(call(&servers, add_note()).await, Called::Answered(json!({"done": true}).into()));
    assert_eq!((house.count("mcp tools/call"), house.count("authorize")), (1, 0));
    let basic = "token client_credentials by Basic cHVycGxlOmh1bnRlcjI=";
    assert!(house.count(basic) >= 3, "{:?}", house.rules().seen);
}

#[tokio::test]
async fn the_secret_of_a_client_goes_to_its_issuer_and_nowhere_else() {
    let house = House::open().await;
    let why = denied(&house, known(Some("https://login.example"))).await;
    assert!(why.contains("is for `https://login.example`") && !why.contains("hunter2"), "{why}");
    assert_eq!(house.count("token") + house.count("authorize"), 0);
    let (_keep, servers) = logged_in(&house, known(Some(&house.url))).await;
    assert_eq!(list(&servers).await, Ok(2));
    assert_eq!(house.count("register"), 0);
    assert_eq!(house.only("token"), "token authorization_code by Basic cHVycGxlOmh1bnRlcjI=");
}

#[tokio::test]
async fn a_client_is_described_by_its_document_where_that_is_read() {
    let house = House::open().await;
    house.rules().server_metadata = json!({"client_id_metadata_document_supported": true});
    let document = "https://purple.example/client.json".to_owned();
    logged_in(&house, OAuth { document: Some(document.clone()), ..plain() }).await;
    assert_eq!(house.only("authorize"), format!("authorize {document} for notes"));
    assert_eq!(house.count("register"), 0);
}

#[tokio::test]
async fn what_comes_back_must_be_of_this_login_and_of_this_issuer() {
    for (name, value, words) in [
        ("state", "forged", "no answer to this login"),
        ("iss", "https://evil.example", "issuer mismatch"),
        ("error", "access_denied", "refused: access_denied"),
    ] {
        let house = House::open().await;
        house.rules().back.insert(name, value.to_owned());
        let why = denied(&house, plain()).await;
        assert!(why.contains(words), "{why}");
        assert_eq!(house.count("token"), 0, "{name}");
    }
}

#[tokio::test]
async fn metadata_that_names_another_issuer_resource_or_method_is_refused() {
    for (of_resource, changed, words) in [
        (false, json!({"issuer": "https://evil.example"}), "issuer"),
        (false, json!({"code_challenge_methods_supported": ["plain"]}), "S256"),
        (true, json!({"resource": "https://evil.example/mcp"}), "resource"),
    ] {
        let house = House::open().await;
        if of_resource {
            house.rules().resource_metadata = changed;
        } else {
            house.rules().server_metadata = changed;
        }
        let why = denied(&house, plain()).await;
        assert!(why.contains(words), "{why}");
        assert_eq!(house.count("authorize") + house.count("token"), 0, "{words}");
    }
}

#[tokio::test]
async fn an_authorization_server_is_https_and_never_inside_a_machine() {
    for server in
        ["http://login.example", "http://169.254.169.254", "https://169.254.169.254/x", "http://10.0.0.9"]
    {
        let house = House::open().await;
        house.rules().resource_metadata = json!({"authorization_servers": [server]});
        let why = denied(&house, plain()).await;
        assert!(why.contains("cannot be found"), "{server}: {why}");
    }
    for endpoint in ["authorization_endpoint", "token_endpoint"] {
        let house = House::open().await;
        house.rules().server_metadata = json!({endpoint: "http://login.example/x"});
        let why = denied(&house, plain()).await;
        assert!(why.contains("is not https"), "{endpoint}: {why}");
        assert_eq!(house.count("authorize") + house.count("register"), 0);
    }
}

#[tokio::test]
async fn tokens_go_to_the_address_that_they_are_for() {
    let (house, other) = (House::open().await, House::open().await);
    let (keep, _) = logged_in(&house, plain()).await;
    let moved = servers_at(&other.mcp(), &keep, plain(), None);
    assert!(list(&moved).await.unwrap_err().contains("wants a login"));
    assert!(other.count("mcp") > 0);
    assert_eq!(other.rules().seen.iter().filter(|one| one.contains("with a token")).count(), 0);
    let visited = moved.list(&ToolsAt::Url(house.mcp())).await.unwrap_err();
    assert!(!visited.reason.contains("login"), "{}", visited.reason);
    assert_eq!(house.rules().seen.iter().filter(|one| one.contains("with a token")).count(), 0);
}

#[tokio::test]
async fn tokens_of_an_authorization_server_that_was_replaced_are_forgotten() {
    let (house, new) = (House::open().await, House::open().await);
    let (keep, servers) = logged_in(&house, plain()).await;
    assert_eq!(list(&servers).await, Ok(2));
    new.rules().resource_metadata = json!({"resource": house.mcp()});
    house.rules().resource_metadata = json!({"authorization_servers": [new.url]});
    house.rules().tokens.clear();
    assert!(list(&servers).await.unwrap_err().contains("purple tools login notes"));
    assert_eq!(house.count("token refresh_token") + new.count("token"), 0);
    assert!(keep.0.lock().unwrap().is_empty());
}

/// Somebody who closes the browser.
struct Nobody;

impl Consent for Nobody {
    fn redirect(&self) -> String {
        "http://127.0.0.1:1/back".to_owned()
    }

    fn ask<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<String, NoConsent>> {
        Box::pin(std::future::ready(Err(NoConsent { why: "nothing came within 5 minutes".to_owned() })))
    }
}

#[tokio::test]
async fn nobody_who_agrees_is_no_login() {
    let house = House::open().await;
    let servers = house.servers(&Arc::default(), plain(), None);
    let failed = servers.log_in("notes", &Nobody).await.unwrap_err().to_string();
    assert_eq!(failed, "no login at `notes`: nobody came back from the login: nothing came within 5 minutes");
    assert_eq!(house.count("token"), 0);
}
