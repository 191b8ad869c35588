//! Looking at policy.

mod explain;

use std::path::{Path, PathBuf};

use purple_policy::{
    Authority, Diagnostic, Facts, Judgement, PolicyDocument, Source, Subject, Value, Verdict,
};
use purple_worker::Process;
use serde_json::json;

use crate::cli::{Explain, Policy as Args};
use crate::commands::{Scene, place};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::show::{Tone, one_line, visible};
use crate::wire_up::{bare_amounts, processes};

/// `purple policy …`
pub(crate) fn run(scene: &Scene<'_>, args: &Args) -> Result<Exit, Failure> {
    match args {
        Args::Check { file } => check(scene, file),
        Args::Explain(args) if Path::new(&args.what).is_file() => judged(scene, args),
        Args::Explain(args) => explain::run(scene, &args.what),
    }
}

fn check(scene: &Scene<'_>, files: &[PathBuf]) -> Result<Exit, Failure> {
    let mut refused = Vec::new();
    let mut reports = Vec::new();
    let own = scene.config(Vec::new()).ok().and_then(|config| processes(&config).ok());
    let processes = own.or_else(|| Process::shipped().ok()).unwrap_or_default();
    for file in files {
        let text = read(file)?;
        match PolicyDocument::parse(&text, Authority::Operator) {
            Ok(document) if !bare_amounts(&document, &processes).is_empty() => {
                refused.push(file.clone());
                let found = bare_amounts(&document, &processes);
                let told: Vec<_> = found.iter().map(|message| json!({"message": message})).collect();
                reports.push(json!({"file": file, "ok": false, "problems": told}));
                if !scene.screen.is_json() {
                    for message in found {
                        scene.screen.say(&visible(&format!("{}: {message}", file.display())));
                    }
                }
            }
            Ok(document) => {
                let rules: Vec<&str> = document.rule_ids().collect();
                let about = json!({"rules": rules, "names": document.names()});
                reports.push(json!({"file": file, "ok": true, "about": about, "problems": []}));
                if !scene.screen.is_json() {
                    let tick = scene.screen.out.text(Tone::Good, "✓");
                    let names = document.names().join(", ");
                    scene.screen.line(&format!(
                        "{tick} {}: {} rules; they read {names}",
                        file.display(),
                        rules.len()
                    ))?;
                }
            }
            Err(found) => {
                refused.push(file.clone());
                reports.push(json!({"file": file, "ok": false, "problems": problems(&found, &text)}));
                if !scene.screen.is_json() {
                    complain(scene, file, &text, &found);
                }
            }
        }
    }
    if scene.screen.is_json() {
        scene.screen.document(&reports)?;
    }
    if !refused.is_empty() {
        return Err(Failure::RefusedFiles { files: refused, checked: files.len() });
    }
    scene.screen.next("purple policy explain FILE --fact NAME=VALUE   (which rules fire, and why)");
    Ok(Exit::Done)
}

fn problems(found: &[Diagnostic], text: &str) -> Vec<serde_json::Value> {
    let one = |diagnostic: &Diagnostic| {
        let at = place::of(diagnostic, text);
        json!({
            "line": at.line, "column": at.column, "path": diagnostic.path(), "code": diagnostic.code().as_str(),
            "message": diagnostic.message(), "help": diagnostic.help_text(),
        })
    };
    found.iter().map(one).collect()
}

fn complain(scene: &Scene<'_>, file: &Path, text: &str, found: &[Diagnostic]) {
    for diagnostic in found {
        let at = place::of(diagnostic, text);
        scene.screen.say(&visible(&format!("{}:{}:{}: {diagnostic}", file.display(), at.line, at.column)));
    }
}

fn judged(scene: &Scene<'_>, args: &Explain) -> Result<Exit, Failure> {
    let file = Path::new(&args.what);
    let text = read(file)?;
    let authority = if args.as_request { Authority::Request } else { Authority::Operator };
    let document = PolicyDocument::parse(&text, authority).map_err(|found| {
        complain(scene, file, &text, &found);
        Failure::RefusedFiles { files: vec![file.to_owned()], checked: 1 }
    })?;
    let facts = facts(args)?;
    let after: Vec<&str> = args.after.iter().map(String::as_str).collect();
    let subject = Subject {
        task: &args.task,
        tool: args.operation.as_deref(),
        arguments: args.arguments.as_deref().unwrap_or_default(),
        satisfied: &after,
        approval_tools: &[],
    };
    let judgement = document.bind(&facts).judge(&subject);
    if scene.screen.is_json() {
        scene.screen.document(&judgement)?;
    } else {
        told(scene, &judgement)?;
    }
    Ok(Exit::Done)
}

fn told(scene: &Scene<'_>, judgement: &Judgement) -> Result<(), Failure> {
    let (tone, verdict) = match judgement.verdict() {
        Some(Verdict::Allow) => (Tone::Good, "allow"),
        Some(verdict @ (Verdict::RequireApproval | Verdict::Escalate)) => (Tone::Warning, verdict.as_str()),
        Some(Verdict::Block) => (Tone::Bad, "block"),
        None => (Tone::Faint, "no rule fired; the approval mode decides"),
    };
    scene.screen.line(&scene.screen.out.text(tone, verdict))?;
    for rule in judgement.triggered_rules() {
        scene.screen.line(&format!("  {}", one_line(&rule.to_string())))?;
        if let Some(description) = rule.description() {
            scene.screen.line(&format!("    {}", one_line(description)))?;
        }
    }
    for rule in judgement.unchecked_rules() {
        scene.screen.line(&format!("  {}", one_line(&rule.to_string())))?;
    }
    Ok(())
}

fn facts(args: &Explain) -> Result<Facts, Failure> {
    let mut facts = Facts::new();
    if let Some(file) = &args.facts {
        add(&mut facts, Source::Input, &file.display().to_string(), &read(file)?)?;
    }
    if let Some(arguments) = &args.arguments {
        add(&mut facts, Source::Argument, "--arguments", arguments)?;
    }
    for fact in &args.fact {
        let (name, value) = fact.split_once('=').ok_or_else(|| Failure::BadFact { text: fact.clone() })?;
        // A number, an amount or a word, as a person writes it.
        let value = match value {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            text => Value::from_literal(text),
        };
        facts.set(Source::Input, name.trim(), value);
    }
    Ok(facts)
}

fn add(facts: &mut Facts, source: Source, place: &str, text: &str) -> Result<(), Failure> {
    let bad = |why: String| Failure::BadFacts { place: place.to_owned(), why };
    let json: serde_json::Value = serde_json::from_str(text).map_err(|error| bad(error.to_string()))?;
    let all = json.as_object().ok_or_else(|| bad("this is not an object".to_owned()))?;
    for (name, value) in all {
        let value = Value::from_json(value).map_err(|error| bad(format!("`{name}`: {error}")))?;
        facts.set(source, name.as_str(), value);
    }
    Ok(())
}

fn read(file: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(file).map_err(|cause| Failure::Read { file: file.to_owned(), cause })
}
