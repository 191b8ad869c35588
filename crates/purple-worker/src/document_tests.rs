use super::*;
use crate::fixture::invoice;

#[test]
fn every_template_has_a_name_of_its_own_and_sections() {
    let names: Vec<&str> = Template::all().map(Template::name).collect();
    assert_eq!(names.len(), 9);
    for template in Template::all() {
        assert_eq!(Template::find(template.name()), Some(template));
        assert!(template.sections().len() >= 5 && !template.title().is_empty());
    }
    assert_eq!(Template::find("poem"), None);
}

#[test]
fn a_missing_section_is_marked_and_never_invented() {
    let texts = BTreeMap::from([
        ("aging_summary".to_owned(), "90 days: 4,000.00 USD".to_owned()),
        ("by_customer".to_owned(), "  \n".to_owned()),
        ("poem".to_owned(), "roses".to_owned()),
    ]);
    insta::assert_snapshot!(render(Template::ArReport, &texts));
    let missing = ["by_customer", "recommended_actions", "revenue_impact", "write_offs"];
    assert_eq!(Template::ArReport.missing(&texts), missing);
}

#[test]
fn every_template_without_texts_is_nothing_but_marks() {
    for template in Template::all() {
        let text = render(template, &BTreeMap::new());
        assert_eq!(text.matches("— REQUIRED]").count(), template.sections().len());
    }
}

#[test]
fn a_text_cannot_add_a_section() {
    let hostile = "fine\n## Root cause\nme\n  # Title\nSetext\n===\nSetext\n---\nx\u{202e}y\n\u{2028}## Impact\n<h2>x</h2>\n```\n<!--";
    let texts = BTreeMap::from([("timeline".to_owned(), hostile.to_owned())]);
    let text = render(Template::PostMortem, &texts);
    let headings = text.lines().filter(|line| line.trim_start().starts_with('#')).count();
    assert_eq!(headings, 1 + Template::PostMortem.sections().len());
    assert!(!text.contains("\n<") && !text.contains("\n```"));
    assert!(!text.contains("\n===") && !text.contains("\n---") && !text.contains(['\u{202e}', '\u{2028}']));
}

#[test]
fn the_brief_of_an_approval_is_filled_from_the_card() {
    insta::assert_snapshot!(approval_brief(&invoice().card()));
}

#[test]
fn markup_in_a_value_is_code() {
    for (value, expected) in
        [("<b>x</b>", "`<b>x</b>`"), ("a`b", "`` a`b ``"), ("``", "``` `` ```"), ("", "(empty)")]
    {
        assert_eq!(code(value), expected);
    }
    let mut story = invoice();
    story.party = Some("[Approve](https://evil.example) ` <b>".to_owned());
    let brief = approval_brief(&story.card());
    assert!(brief.contains("`` first case with [Approve](https://evil.example) ` <b> ``"), "{brief}");
}

#[test]
fn risks_are_named_where_code_can_see_them() {
    let mut story = invoice();
    story.party = None;
    assert!(approval_brief(&story.card()).contains("Nothing was found"));
    story.evidence[0].trust = Provenance::Counterparty;
    story.with_draft(|draft| {
        draft.operations[0].undo = None;
        draft.operations[0].check = purple_process::Check::Unverifiable;
    });
    let brief = approval_brief(&story.card());
    for risk in ["Cannot be undone", "Nothing can read it back", "Rests on counterparty"] {
        assert!(brief.contains(risk), "{risk}");
    }
}

fn texts_of(template: Template) -> BTreeMap<String, String> {
    template.sections().iter().map(|section| ((*section).to_owned(), format!("about {section}"))).collect()
}

#[test]
fn every_kind_comes_back_from_json_and_from_markdown_as_it_was() {
    for template in Template::all() {
        let mut document = Document::empty(template);
        assert_eq!(document.flaws().len(), template.sections().len());
        assert_eq!(Document::from_json(&document.to_json()), Ok(document.clone()), "{template}");
        for (section, text) in texts_of(template) {
            document.fill(&section, &text).unwrap();
        }
        assert_eq!((document.flaws(), document.missing()), (Vec::new(), Vec::new()), "{template}");
        let json = document.to_json();
        assert_eq!(json["complete"], true);
        assert_eq!(json["sections"].as_array().unwrap().len(), template.sections().len());
        assert_eq!(Document::from_json(&json), Ok(document.clone()), "{template}");
        assert_eq!(Document::from_markdown(template, &document.to_markdown()), document, "{template}");
    }
}

#[test]
fn a_document_that_does_not_fit_its_kind_is_refused_with_every_flaw() {
    use serde_json::json;
    let flaws = |value: serde_json::Value| {
        let flaws = Document::from_json(&value).unwrap_err();
        flaws.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(flaws(json!({"document": "poem", "sections": {}})), ["there is no document `poem`"]);
    assert_eq!(flaws(json!({"document": "prd"})), ["a document is a record with `document` and `sections`"]);
    let long = "x".repeat(SECTION_BYTES_MAX + 1);
    let sections = json!([
        {"name": "roses", "text": "red"}, {"name": "stories", "text": 7}, {"name": "risks", "text": long},
        {"name": "carryover", "text": "one"}, {"name": "carryover", "text": "two"},
    ]);
    assert_eq!(
        flaws(json!({"document": "sprint_plan", "sections": sections})),
        [
            "a `sprint_plan` has no section `roses`",
            "section `stories` is no text",
            "section `risks` has 65537 bytes; at most 65536 fit",
            "section `carryover` is there twice",
        ]
    );
}

#[test]
fn a_task_asks_for_a_document_by_its_name() {
    for (task, kind) in [
        ("Write a post-mortem of the outage on Friday.", Some(Template::PostMortem)),
        ("Prepare the AR report for March.", Some(Template::ArReport)),
        ("Make the qbr_slide for Q1.", Some(Template::QbrSlide)),
        ("We need a root cause analysis of INC-7", Some(Template::IncidentRca)),
        ("Pay the invoice for the harbour report.", None),
        ("Approve INV-7.", None),
    ] {
        assert_eq!(asked_for(task), kind, "{task}");
    }
}

#[test]
fn the_sections_of_a_text_are_found_by_their_headings_and_nothing_else_is_taken() {
    let text = "Intro.\n# Post-mortem\n## Root Cause:\nA full disk.\n### Details\nOn db-2.\n## Poem\nroses\n## TIMELINE\n- 09:00 alarm\n";
    let document = Document::from_markdown(Template::PostMortem, text);
    assert_eq!(document.text("root_cause"), Some("A full disk.\n Details\nOn db-2."));
    assert_eq!(document.text("timeline"), Some("- 09:00 alarm"));
    assert_eq!(document.missing().len(), Template::PostMortem.sections().len() - 2);
    assert!(document.to_markdown().contains("[IMPACT — REQUIRED]"));
}
