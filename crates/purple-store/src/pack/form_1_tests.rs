//! Bytes that earlier versions of the program wrote, and the texts in them.

use super::{BYTES_MAX, entry, unpack};
use crate::migrate::{MIGRATIONS, migrate};
use crate::{read, row};
use purple_journal::chain::{Chain, Head};
use purple_port::limits::SESSION_BYTES_MAX;
use purple_port::{BlobHash, Digest, SessionId};

/// A journal entry with four digests; the text is that of [`entry`].
const ENTRY: &str = "
    01f602050df80d33312d30352d30345431303a34323a33372e3934323136353434335a880108b804008147a072223a224f52
    442d37377005a7010e910bf01201ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bbcd010f08
    ae075153686970207213207000ea0100bf07f612013e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed5
    9c009de40b0f11850103850cff12012e7d2c03a9507ae265ecf5b5356885a53393a2029d241394997265a1a25aefc605ed07
    51736869705fa90107820302f70704b00c";

/// A blob with digests that the demo stored, and the hash of its text.
const BLOB_WITH_DIGESTS: &str = "
    01ba04009f1901c7051031db1701a71ef312016fd6ba8b65fae11bf0ed31463473ab5ca8ea2556f6235ba8bb35af3f3b421b
    dcb30a1073a715f01201b44160a42f60cdafbeb0fbcdd028b742cbe2e836e3785e53e179bb3046245be2d31601c50200ce04
    05c02ef01201f9040b60f70b9b75664a11691dca1aa721ed9e86a8188efad527aa5bedc12fdfa8170f03870702a40500aa07
    00e11b034fff1190f119af93c863e4c8857100bd20b9ff104a779e36c3b3f51005fed226c11bf10d4f00d1654065636b6cab
    55d06964223a2243484b2d39303031a62305b501f0107f783d7683829762fee8dbeea6605559aeb593fb91edf5ccc611d13f
    b47f10cf0b06660da20a0f02b901f010e53723cea8b41daaafdddb2a1d1f755d4043c85e5657c569160c5638ed8fabcd110f
    1d53ff11fc4d5f8dc102fd769ec83f5ad25cf907bd05613be384a10629c164fabdfad9051653115dda5a008f0202980a5065
    61726c69fb0a000f107d";
const BLOB_WITH_DIGESTS_HASH: &str =
    "sha256:99cd1b8e3c04bc3bdca84149a20eabc17630ae9659cf8d50995098549bcae508";

/// A blob of prose that the demo stored, and the hash of its text.
const BLOB_OF_PROSE: &str = "
    01dd0905f74f4331363234911ff0005c6e726567756c61723a203430206881182332381c64203d20313132bb1f405c6e6f76
    8066206d65a14780312e352074696d65e8391c323800923b762e35203d2035306830746f74f436075227202b2139203d2097
    01f1064e6f74653a20546865206461696c792073706c6974a23b00a04700fe4c116e913af000746865207765656b6c792072
    756c65de37206c699701406f6e6520a73a206120ce3102ad0110202e507261746520cc0101f201616f757273206143612e20
    5769746824116817b16f6620656163682064617916028a010167316d6179850101cd51102eb0381120540067482020312ccb
    010ac24306f73800cd0100d71904f23800e242336e6f2081212520c2e44200f2011065cb222a6174e94250302e363735291f
    3406ed4209d5020fcd02ec0300e11004bf2402e00c0cd81308dc4509a843245b22bf0437222c22b503099c4a025408b81406
    a814018c0406ba140f01dc4201230f0de0423f302e3500e24201160287010f1ae44260737065616b7326836e6f206572726f
    72d30c10738806226e65850601c71200ab5000df4200fd1e01fa0300a50600b313017601ae3f02de071163891100d729048b
    1630347d7d";
const BLOB_OF_PROSE_HASH: &str = "sha256:dc91537659d202621021f4cd832093537d756ac0b9a5a1018486035599c72947";

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.chars().filter_map(|it| it.to_digit(16)).map(|it| it as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn hash(packed: &[u8]) -> Option<String> {
    unpack(packed, BYTES_MAX).map(|text| Digest::of(&text).to_string())
}

/// Stored texts refer to the dictionary: if it changes, they cannot be read any more.
#[test]
fn texts_of_form_1_stay_readable() {
    assert_eq!(unpack(&bytes(ENTRY), BYTES_MAX).unwrap(), entry().as_bytes());
    assert_eq!(hash(&bytes(BLOB_WITH_DIGESTS)).as_deref(), Some(BLOB_WITH_DIGESTS_HASH));
    assert_eq!(hash(&bytes(BLOB_OF_PROSE)).as_deref(), Some(BLOB_OF_PROSE_HASH));
    let words = Digest::of(include_bytes!("words_1.txt"));
    assert_eq!(words.to_string(), "sha256:0433ed535b7c29f1eee6c5c790abd172bd8a4b94091a55788a8f5b48be3eeb69");
}

/// 3000 bytes: three literals and a copy that reads its own output.
#[test]
fn a_copy_of_form_1_may_overlap_with_its_output() {
    let packed = bytes("01b8173f616263a21703");
    assert_eq!(unpack(&packed, BYTES_MAX).unwrap(), "abc".repeat(1000).as_bytes());
}

#[test]
fn a_text_of_form_1_that_is_too_long_is_rejected() {
    let packed = bytes(ENTRY);
    assert!(unpack(&packed, entry().len()).is_some());
    // 374 bytes while the digests are folded, and more after that.
    assert!(unpack(&packed, entry().len() - 1).is_none());
    assert!(unpack(&packed, 373).is_none());
    assert!(unpack(&bytes("01b8173f616263a21703"), 2999).is_none());
    // The claimed length is shorter than what the copy writes.
    assert!(unpack(&bytes("01b7173f616263a21703"), BYTES_MAX).is_none());
}

/// As in form 2, a few bits change nothing: those of a copy that finds the same bytes elsewhere.
#[test]
fn a_changed_bit_of_form_1_gives_another_text_or_none() {
    let packed = bytes(BLOB_WITH_DIGESTS);
    let mut same = 0;
    for place in 0..packed.len() {
        for bit in 0..8 {
            let mut changed = packed.clone();
            changed[place] ^= 1 << bit;
            same += usize::from(hash(&changed).as_deref() == Some(BLOB_WITH_DIGESTS_HASH));
        }
        assert_ne!(hash(&packed[..place]).as_deref(), Some(BLOB_WITH_DIGESTS_HASH));
    }
    assert!(same * 100 < packed.len() * 8, "{same} of {}", packed.len() * 8);
}

/// The last version that wrote form 1 is 9.
#[test]
#[expect(clippy::disallowed_methods, reason = "makes an old database by hand")]
fn a_journal_a_blob_and_a_checkpoint_of_version_9_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("purple.db");
    let mut db = rusqlite::Connection::open(&path).unwrap();
    migrate(&mut db, &path, &MIGRATIONS[..9]).unwrap();
    let session = SessionId::parse("old").unwrap();
    let chain = Chain::Run(&session);
    let head = Head::empty(chain).after(chain, &entry());
    db.execute_batch(
        "INSERT INTO sessions (name, began, changed, head_seq, head_hash, summary)
         VALUES ('old', 1, 2, 1, zeroblob(32), '{}')",
    )
    .unwrap();
    let journal = "INSERT INTO journal (session, seq, entry, packed, hash) VALUES (1, 1, '', ?1, ?2)";
    db.execute(journal, (bytes(ENTRY), head.hash.as_bytes())).unwrap();
    let hash = Digest::parse(BLOB_OF_PROSE_HASH).unwrap();
    let blob = "INSERT INTO blobs (hash, bytes, packed) VALUES (?1, x'', ?2)";
    db.execute(blob, (hash.as_bytes(), bytes(BLOB_OF_PROSE))).unwrap();
    let checkpoint =
        "INSERT INTO checkpoints (session, schema, body, packed, digest) VALUES (1, 1, '', ?1, x'')";
    db.execute(checkpoint, [bytes(ENTRY)]).unwrap();

    migrate(&mut db, &path, MIGRATIONS).unwrap();

    let found = read::since(&db, &session, 0, 9).unwrap();
    assert_eq!((found.len(), found[0].hash, found[0].entry.kind()), (1, head.hash, "write.intent"));
    assert_eq!(Digest::of(&read::blob(&db, BlobHash(hash)).unwrap().unwrap()), hash);
    let body = db.query_row("SELECT body, packed FROM checkpoints", [], |found| {
        row::text(found, 0, SESSION_BYTES_MAX)
    });
    assert_eq!(body.unwrap(), Some(entry()));
}
