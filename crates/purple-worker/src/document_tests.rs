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
    assert!(brief.contains("``  first case") || brief.contains("`` first case with [Approve]"), "{brief}");
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
