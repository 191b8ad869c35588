use super::*;

fn leading_to(address: &str, reach: Reach) -> Guard {
    let address: IpAddr = address.parse().unwrap();
    Guard::with_lookup(reach, Arc::new(move |_| Box::pin(std::future::ready(Ok(vec![address])))))
}

fn visited() -> Reach {
    Reach::Visited { private: ["tools.example.com".to_owned()].into() }
}

const NEVER: [&str; 9] = [
    "169.254.169.254",
    "169.254.0.1",
    "0.0.0.0",
    "255.255.255.255",
    "224.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "fe80::1",
    "fd00:ec2::254",
];
const PRIVATE: [&str; 9] = [
    "127.0.0.1",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "100.64.0.1",
    "0.1.2.3",
    "::1",
    "fd12::1",
    "2002:a00:1::",
];
const PUBLIC: [&str; 3] = ["93.184.216.34", "2606:2800:220:1::1", "172.32.0.1"];

#[test]
fn metadata_and_nowhere_are_never_called_however_they_are_written() {
    for reach in [Reach::Configured, visited()] {
        for address in NEVER {
            let guard = leading_to(address, reach.clone());
            let address: IpAddr = address.parse().unwrap();
            for host in ["tools.example.com", "localhost", "evil.example"] {
                let judged = guard.judge(host, &[address]);
                assert!(matches!(judged, Err(Forbidden::Never { .. })), "{host} {address} {reach:?}");
            }
        }
        for url in [
            "http://169.254.169.254/latest/meta-data",
            "http://2852039166/",
            "http://0xa9fea9fe/",
            "http://0251.0376.0251.0376/",
            "http://[::ffff:169.254.169.254]/",
            "http://[fe80::1]/",
            "http://0/",
        ] {
            assert!(Guard::new(reach.clone()).admit(&Url::parse(url).unwrap()).is_err(), "{url}");
        }
        for url in
            ["http://10.0.0.5:9009", "http://127.0.0.1:1", "https://tools.example.com", "http://[::1]:1"]
        {
            assert!(Guard::new(reach.clone()).admit(&Url::parse(url).unwrap()).is_ok(), "{url}");
        }
    }
}

#[test]
fn a_public_name_leads_inside_only_where_the_operator_says_so() {
    let judged = |host: &str, address: &str, reach: Reach| {
        let address: IpAddr = address.parse().unwrap();
        leading_to("1.1.1.1", reach).judge(host, &[address])
    };
    for address in PRIVATE {
        assert!(
            matches!(judged("evil.example", address, visited()), Err(Forbidden::Private { .. })),
            "{address}"
        );
        for host in
            ["tools.example.com", "TOOLS.example.com", "localhost", "green-agent", "a.internal", "nas.local"]
        {
            assert!(judged(host, address, visited()).is_ok(), "{host} {address}");
        }
        assert!(judged("evil.example", address, Reach::Configured).is_ok(), "{address}");
    }
    for address in PUBLIC {
        assert!(judged("evil.example", address, visited()).is_ok(), "{address}");
    }
    let mixed = [PUBLIC[0], PRIVATE[0]].map(|address| address.parse().unwrap());
    assert!(
        leading_to("1.1.1.1", visited()).judge("evil.example", &mixed).is_err(),
        "one bad one spoils all"
    );
}

#[tokio::test]
async fn a_name_is_judged_each_time_it_is_looked_up() {
    let looks = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counter = Arc::clone(&looks);
    let lookup: Lookup = Arc::new(move |_| {
        let look = counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let address = if look == 0 { "93.184.216.34" } else { "169.254.169.254" };
        Box::pin(std::future::ready(Ok(vec![address.parse().unwrap()])))
    });
    let guard = Guard::with_lookup(visited(), lookup);
    let resolve = || guard.resolve("rebinding.example".parse().unwrap());
    let mut first = resolve().await.unwrap();
    assert_eq!(first.next().unwrap().ip().to_string(), "93.184.216.34");
    let second = resolve().await.err().unwrap().to_string();
    assert!(second.contains("where no tool server may be"), "{second}");
}
