//! Whom the client trusts, and who it says it is.

use rcgen::DistinguishedName;
use rustls::pki_types::pem::PemObject;
use rustls::sign::{CertifiedKey, SingleCertAndKey};

use super::*;

fn wrong_name(host: &str, names: &str) -> TlsError {
    TlsError::WrongName { host: host.to_owned(), names: names.to_owned() }
}

/// A server's certificate that is signed by itself, as `openssl req -x509` makes it, and a client that is given it.
fn alone(is_ca: bool, names: &[&str], common: &str, years: std::ops::Range<i32>) -> (World, TlsClient) {
    let mut world = World::new();
    let mut params = CertificateParams::new(names.iter().map(|&n| n.to_owned()).collect::<Vec<_>>()).unwrap();
    params.is_ca = if is_ca { IsCa::Ca(BasicConstraints::Unconstrained) } else { IsCa::NoCa };
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, common);
    params.not_before = rcgen::date_time_ymd(years.start, 1, 1);
    params.not_after = rcgen::date_time_ymd(years.end, 1, 1);
    let key = KeyPair::generate().unwrap();
    let certificate = params.self_signed(&key).unwrap();
    world.server = Identity { certificate: certificate.der().clone(), pem: certificate.pem(), key };
    world.write("roots.pem", &world.server.pem);
    let client = world.client();
    (world, client)
}

#[test]
fn a_certificate_that_was_named_itself_is_taken_whether_it_is_an_issuer_or_not() {
    for is_ca in [true, false] {
        for version in BOTH {
            let (world, client) = alone(is_ca, &[HOST], "anyone", 2020..2120);
            Pair::settled(&client, world.server(&[version], false));
        }
    }
}

#[test]
fn a_certificate_that_was_named_itself_may_have_an_issuer_that_was_not() {
    let world = World::new();
    world.write("roots.pem", &world.server.pem);
    Pair::settled(&world.client(), world.server(BOTH, false));
}

#[test]
fn of_a_certificate_that_was_named_itself_name_and_dates_count() {
    for is_ca in [true, false] {
        for (names, common, years, expected) in [
            (&["elsewhere.test"][..], HOST, 2020..2120, wrong_name(HOST, "`elsewhere.test`")),
            (&[], "elsewhere.test", 2020..2120, wrong_name(HOST, "`elsewhere.test`")),
            (&[HOST], "x", 2001..2002, TlsError::Expired("2002-01-01 00:00 UTC".to_owned())),
            (&[HOST], "x", 2119..2120, TlsError::NotYetValid("2119-01-01 00:00 UTC".to_owned())),
        ] {
            let (world, client) = alone(is_ca, names, common, years);
            assert_eq!(refusal(&client, world.server(BOTH, false)), expected, "issuer: {is_ca}");
        }
    }
}

#[test]
fn a_common_name_counts_where_there_is_no_other_and_a_file_was_named() {
    for common in [HOST, "GALO.test", "*.test.example"] {
        let (world, client) = alone(true, &[], common, 2020..2120);
        let mut pair = Pair::new(&client, world.server(BOTH, false));
        if common.starts_with('*') {
            pair.tls = client.connect("galo.test.example").unwrap();
            pair.to_server.clear();
            pair.tls.start(&mut pair.to_server).unwrap();
        }
        pair.settle().unwrap();
    }
    let (world, _) = alone(true, &[], HOST, 2020..2120);
    let stranger = World::new();
    assert_eq!(refusal(&stranger.client(), world.server(BOTH, false)), TlsError::SelfSigned);
}

#[test]
fn a_certificate_that_nobody_but_itself_signed_is_told_as_such() {
    let other = World::new();
    for is_ca in [true, false] {
        let (world, _) = alone(is_ca, &[HOST], HOST, 2020..2120);
        let error = refusal(&other.client(), world.server(BOTH, false));
        assert_eq!(
            error.text(),
            "the server's certificate is signed by itself, and not trusted; hint: name its file with `--cacert FILE`, \
             or trust everyone with `--insecure`"
        );
        let (world, _) = alone(is_ca, &[HOST], HOST, 2001..2002);
        let error = refusal(&other.client(), world.server(BOTH, false));
        assert_eq!(error, TlsError::Expired("2002-01-01 00:00 UTC".to_owned()));
    }
}

#[test]
fn of_many_names_the_first_few_are_told() {
    let names: Vec<String> = (1..=7).map(|n| format!("n{n}.test")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let world = World::with(&names, 2020..2120);
    let error = refusal(&world.client(), world.server(BOTH, false));
    let told = "not for `galo.test`, but for `n1.test`, `n2.test`, `n3.test`, `n4.test`, `n5.test` and 2 more; hint: ";
    assert!(error.text().contains(told), "{}", error.text());
}

/// A self-signed certificate of version 1, made by `openssl x509 -req`, which adds no extensions unless it is asked to.
const VERSION_ONE: &str = include_str!("version_one.pem");
/// The key of that certificate.
const VERSION_ONE_KEY: &str = include_str!("version_one.key");

#[test]
fn a_certificate_of_version_one_is_told_as_such() {
    let world = World::new();
    // rustls' own server refuses to send it, unless nobody looks.
    let server = || {
        let chain = vec![CertificateDer::from_pem_slice(VERSION_ONE.as_bytes()).unwrap()];
        let key = PrivateKeyDer::from_pem_slice(VERSION_ONE_KEY.as_bytes()).unwrap();
        let certified = CertifiedKey::new(chain, ring::sign::any_supported_type(&key).unwrap());
        let mut server = world.server(BOTH, false);
        server.cert_resolver = Arc::new(SingleCertAndKey::from(certified));
        server
    };
    let untrusting = world.client();
    world.write("roots.pem", VERSION_ONE);
    for client in [untrusting, world.client()] {
        assert_eq!(refusal(&client, server()), TlsError::VersionOne);
    }
}

#[test]
fn an_issuer_nobody_named_is_refused_and_the_text_says_what_to_do() {
    let (world, other) = (World::new(), World::new());
    for version in BOTH {
        let error = refusal(&other.client(), world.server(&[version], false));
        assert_eq!(error, TlsError::UnknownIssuer);
        assert_eq!(
            error.text(),
            "the issuer of the server's certificate is not trusted; hint: name a file with it with `--cacert FILE`, \
             or trust everyone with `--insecure`"
        );
    }
}

#[test]
fn the_machines_own_roots_do_not_know_a_private_issuer() {
    let world = World::new();
    match TlsClient::new(&TlsSettings::default(), Protocol::Http1) {
        Ok(client) => assert_eq!(refusal(&client, world.server(BOTH, false)), TlsError::UnknownIssuer),
        // A machine without any.
        Err(error) => assert!(matches!(error, TlsError::NoRoots(_)), "{error:?}"),
    }
}

#[test]
fn anyone_will_do_where_insecure_is_wanted() {
    let world = World::with(&["elsewhere.test"], 2001..2002);
    let settings = TlsSettings { insecure: true, ..TlsSettings::default() };
    let client = TlsClient::new(&settings, Protocol::Http1).unwrap();
    for version in BOTH {
        Pair::settled(&client, world.server(&[version], false));
    }
}

#[test]
fn a_certificate_of_another_name_or_another_time_is_refused() {
    for (names, years, expected) in [
        (
            &["elsewhere.test", "other.test"][..],
            2020..2120,
            wrong_name(HOST, "`elsewhere.test`, `other.test`"),
        ),
        (&[HOST], 2001..2002, TlsError::Expired("2002-01-01 00:00 UTC".to_owned())),
        (&[HOST], 2119..2120, TlsError::NotYetValid("2119-01-01 00:00 UTC".to_owned())),
    ] {
        let world = World::with(names, years);
        assert_eq!(refusal(&world.client(), world.server(BOTH, false)), expected);
    }
}

#[test]
fn an_ip_address_is_a_name_like_any_other() {
    let world = World::with(&["127.0.0.1", "::1"], 2020..2120);
    for (host, taken) in [("127.0.0.1", true), ("::1", true), ("127.0.0.2", false)] {
        let mut pair = Pair::new(&world.client(), world.server(BOTH, false));
        pair.tls = world.client().connect(host).unwrap();
        pair.to_server.clear();
        pair.tls.start(&mut pair.to_server).unwrap();
        let result = pair.settle();
        let refused = wrong_name(host, "`127.0.0.1`, `::1`");
        assert_eq!(result, if taken { Ok(()) } else { Err(refused) });
    }
    assert!(matches!(world.client().connect("a b"), Err(TlsError::Name(_))));
}

#[test]
fn a_server_that_asks_for_a_certificate_gets_the_one_that_was_given() {
    let world = World::new();
    let own = world.issuer.issue(&["client.test"], 2020..2120);
    let files = (world.write("own.pem", &own.pem), world.write("own.key", &own.key.serialize_pem()));
    let settings = TlsSettings { client: Some(files), ..world.settings() };
    let client = TlsClient::new(&settings, Protocol::Http1).unwrap();
    for version in BOTH {
        let pair = Pair::settled(&client, world.server(&[version], true));
        assert_eq!(pair.server.peer_certificates(), Some(&[own.certificate.clone()][..]));
    }
}

#[test]
fn a_server_that_asks_in_vain_says_so() {
    let world = World::new();
    for version in BOTH {
        let error = refusal(&world.client(), world.server(&[version], true));
        assert_eq!(error, TlsError::CertificateWanted, "{version:?}");
    }
}

#[test]
fn a_certificate_that_the_server_does_not_trust_is_told_as_the_clients() {
    let (world, other) = (World::new(), World::new());
    let own = other.issuer.issue(&["client.test"], 2020..2120);
    let files = (world.write("own.pem", &own.pem), world.write("own.key", &own.key.serialize_pem()));
    let settings = TlsSettings { client: Some(files), ..world.settings() };
    let client = TlsClient::new(&settings, Protocol::Http1).unwrap();
    let error = refusal(&client, world.server(BOTH, true));
    assert_eq!(error, TlsError::CertificateRefused("unknown_ca".to_owned()));
}

#[test]
fn the_protocol_is_agreed_or_the_connection_is_of_no_use() {
    let world = World::new();
    let with = |protocol, offered: &[&[u8]]| {
        let client = TlsClient::new(&world.settings(), protocol).unwrap();
        let mut server = world.server(BOTH, false);
        server.alpn_protocols = offered.iter().map(|name| name.to_vec()).collect();
        let mut pair = Pair::new(&client, server);
        pair.settle().map(|()| pair.tls.alpn().map(<[u8]>::to_vec))
    };
    assert_eq!(with(Protocol::Http2, &[b"http/1.1", b"h2"]), Ok(Some(b"h2".to_vec())));
    assert_eq!(with(Protocol::Http1, &[b"h2", b"http/1.1"]), Ok(Some(b"http/1.1".to_vec())));
    assert_eq!(with(Protocol::Http1, &[]), Ok(None));
    assert_eq!(with(Protocol::Http2, &[]), Err(TlsError::ProtocolRefused));
    assert_eq!(with(Protocol::Http2, &[b"http/1.1"]), Err(TlsError::ProtocolRefused));
}

#[test]
fn a_server_of_old_versions_only_is_named_as_such() {
    let world = World::new();
    let mut pair = Pair::new(&world.client(), world.server(BOTH, false));
    // The alert `protocol_version`, as a server that knows TLS 1.1 at most sends it.
    let error = pair.deliver(vec![21, 3, 1, 0, 2, 2, 70]).unwrap_err();
    assert!(error.text().contains("no version or cipher of TLS in common"), "{}", error.text());
    let mut pair = Pair::new(&world.client(), world.server(BOTH, false));
    let error = pair.deliver(vec![21, 3, 3, 0, 2, 2, 80]).unwrap_err();
    assert_eq!(error.text(), "the server gave up with the TLS alert internal_error");
}

#[test]
fn a_file_that_cannot_be_used_is_named_with_the_reason() {
    let world = World::new();
    let own = world.issuer.issue(&["client.test"], 2020..2120);
    let absent = world.folder.path().join("absent.pem");
    let empty = world.write("empty.pem", "nothing here\n");
    let pem = world.write("own.pem", &own.pem);
    let key = world.write("own.key", &own.key.serialize_pem());
    let damaged =
        world.write("damaged.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    let stranger = world.write("stranger.key", &KeyPair::generate().unwrap().serialize_pem());
    let roots = |path: &PathBuf| TlsSettings { roots: Some(path.clone()), ..TlsSettings::default() };
    let client = |pem: &PathBuf, key: &PathBuf| TlsSettings {
        client: Some((pem.clone(), key.clone())),
        ..world.settings()
    };
    for (settings, words) in [
        (roots(&absent), ["certificates in `", "absent.pem`: No such file"]),
        (roots(&empty), ["certificates in `", "empty.pem`: it has none"]),
        (roots(&damaged), ["certificates in `", "damaged.pem`: invalid peer certificate"]),
        (client(&absent, &key), ["certificates in `", "absent.pem`: No such file"]),
        (client(&pem, &absent), ["private key in `", "absent.pem`: No such file"]),
        (client(&pem, &pem), ["private key in `", "own.pem`: it has none"]),
        (client(&pem, &stranger), ["stranger.key` does not belong", "own.pem`"]),
    ] {
        let error = TlsClient::new(&settings, Protocol::Http1).unwrap_err().to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
        assert!(error.contains("\nhint: "), "{error}");
    }
}
