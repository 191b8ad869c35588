use super::*;
use purple_port::{Parameter, Shape};

fn number(least: i64, most: i64, places: u8) -> Domain {
    Domain::Number { least: Exact::from(least), most: Exact::from(most), places }
}

fn signature() -> Signature {
    let record =
        Domain::Record([("rate".to_owned(), number(-5, 5, 3)), ("late".to_owned(), Domain::Truth)].into());
    let domains = [
        ("amount", number(0, 1_000_000, 2)),
        ("narrow", number(7, 7, 0)),
        ("name", Domain::Text { chars_max: 30 }),
        ("kind", Domain::OneOf(vec!["a".to_owned(), "b".to_owned()])),
        ("rows", Domain::List { of: Box::new(record), items_min: 1, items_max: 100 }),
    ];
    let parameter = |(name, takes): (&str, Domain)| Parameter { name: name.to_owned(), takes };
    Signature {
        name: "f".to_owned(),
        parameters: domains.into_iter().map(parameter).collect(),
        answers: Shape::Text,
        refuses: vec![],
    }
}

#[test]
fn every_sample_belongs_to_the_domain() {
    let signature = signature();
    let mut sampler = Sampler::new(&signature, 7);
    for index in 0..500 {
        let sample = sampler.sample(index);
        for parameter in &signature.parameters {
            let datum = &sample[&parameter.name];
            assert!(parameter.takes.holds(datum), "{index} {}: {datum:?}", parameter.name);
        }
    }
}

#[test]
fn the_edges_of_a_domain_are_among_its_samples() {
    let signature = signature();
    let mut sampler = Sampler::new(&signature, 7);
    let samples: Vec<Arguments> = (0..crate::limits::SAMPLES).map(|index| sampler.sample(index)).collect();
    let seen = |name: &str, datum: &Datum| samples.iter().any(|sample| &sample[name] == datum);
    for edge in [0, 1_000_000, 1] {
        assert!(seen("amount", &Datum::Number(Exact::from(edge))), "{edge}");
    }
    assert!(seen("amount", &Datum::Number(Exact::parse("0.01").unwrap())));
    assert!(seen("name", &Datum::Text(String::new())));
    assert!(seen("kind", &Datum::Text("a".to_owned())) && seen("kind", &Datum::Text("b".to_owned())));
    let lengths: Vec<usize> = samples
        .iter()
        .map(|sample| if let Datum::List(rows) = &sample["rows"] { rows.len() } else { 0 })
        .collect();
    assert!(lengths.contains(&1) && lengths.contains(&100), "{lengths:?}");
}

#[test]
fn the_same_seed_gives_the_same_samples_and_another_one_others() {
    let signature = signature();
    let samples = |seed| {
        let mut sampler = Sampler::new(&signature, seed);
        (0..64).map(|index| sampler.sample(index)).collect::<Vec<_>>()
    };
    assert_eq!(samples(1), samples(1));
    assert_ne!(samples(1), samples(2));
}
