use super::*;
use crate::ledger::{BlockProgress, GenerateRequest, VerifyBlockRequest, generate, verify_block};
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, ParquetMetaDataWriter, RowGroupMetaData};
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

static LABORATORY: LazyLock<Laboratory> =
    LazyLock::new(|| Laboratory::new(crate::WorkerProgram::pqlab("no worker is started")));

fn request(path: PathBuf, scheme: Scheme, count: u64) -> GenerateRequest {
    GenerateRequest {
        path,
        format: BlockFormat::Block,
        form: TransactionForm::TxV2,
        scheme,
        count,
        senders: count,
        invalid: 0,
        chain_id: 7,
        seed: 5,
        provider: None,
        threads: 2,
    }
}

fn make(request: &GenerateRequest) -> Generated {
    let mut count = 0;
    let made = generate(&LABORATORY, request, &mut |more| count += more, &AtomicBool::new(false)).unwrap().unwrap();
    assert_eq!((count, made.transactions), (request.count, request.count));
    made
}

fn verifying(path: PathBuf) -> VerifyBlockRequest {
    let form = TransactionForm::TxV2;
    VerifyBlockRequest {
        path,
        form,
        chain_id: 7,
        threads: 2,
        provider: None,
        keep_keys: false,
        part: None,
        batch: None,
    }
}

fn verified(request: &VerifyBlockRequest) -> Result<BlockReport, LabError> {
    verify_block(&LABORATORY, request, &BlockProgress::default(), &mut |_| {})
}

fn refusal(path: PathBuf) -> String {
    match verified(&verifying(path)) {
        Err(error) if error.is_request() => error.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn rejects_exactly_the_invalid_transactions_in_both_formats() {
    let folder = tempfile::tempdir().unwrap();
    let mut lists = Vec::new();
    for format in [BlockFormat::Block, BlockFormat::Parquet] {
        let path = folder.path().join(format.name());
        let made = make(&GenerateRequest {
            invalid: 13,
            senders: 300,
            format,
            ..request(path.clone(), Scheme::EcdsaSecp256k1, 2_500)
        });
        assert!(made.reproducible);
        for (threads, keep_keys) in [(1, false), (2, true), (5, false)] {
            let report = verified(&VerifyBlockRequest { threads, keep_keys, ..verifying(path.clone()) }).unwrap();
            assert_eq!((report.format, report.transactions, report.rejected), (format, 2_500, 13));
            assert_eq!(report.bytes, made.bytes);
            let kinds: Vec<_> = report.kinds.into_iter().collect();
            let expected = [
                ("non-canonical", 2),
                ("trailing-bytes", 2),
                ("truncated", 3),
                ("wrong-chain", 3),
                ("wrong-signature", 3),
            ];
            assert_eq!(kinds, expected);
            lists.push(report.list);
        }
    }
    assert!(lists.iter().all(|list| *list == lists[0]));
}

#[test]
fn parts_add_up_to_the_whole_block() {
    let folder = tempfile::tempdir().unwrap();
    for format in [BlockFormat::Block, BlockFormat::Parquet] {
        let path = folder.path().join(format.name());
        make(&GenerateRequest { invalid: 40, senders: 3, format, ..request(path.clone(), Scheme::Ed25519, 2_500) });
        let facts = block_facts(&path).unwrap();
        let bytes = fs::metadata(&path).unwrap().len();
        let form = TransactionForm::TxV2;
        assert_eq!(facts, BlockFacts { format, form, transactions: 2_500, bytes, stride: Some(1024) });
        let whole = verified(&verifying(path.clone())).unwrap();
        for cuts in [vec![0, 2_500], vec![0, 1024, 2048, 2_500], vec![0, 1, 700, 1030, 2_499, 2_500, 2_500]] {
            let (mut list, mut transactions, mut taken) = (Vec::new(), 0, 0);
            for ends in cuts.windows(2) {
                let part = Some(ends[0]..ends[1]);
                let report = verified(&VerifyBlockRequest { part, ..verifying(path.clone()) }).unwrap();
                assert_eq!(report.transactions, ends[1] - ends[0]);
                (transactions, taken) = (transactions + report.transactions, taken + report.bytes);
                list.extend(report.list);
            }
            assert_eq!((transactions, taken), (2_500, whole.bytes));
            assert_eq!(list, whole.list, "{cuts:?}");
        }
        for (first, end) in [(0, 2_501), (2_501, 2_502), (5, 4)] {
            let part = Some(first..end);
            let refused = verified(&VerifyBlockRequest { part, ..verifying(path.clone()) });
            assert!(refused.is_err_and(|error| error.is_request()), "{first} to {end}");
        }
    }
}

#[test]
fn verification_reports_its_phases() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("block");
    make(&request(path.clone(), Scheme::Ed25519, 2_000));
    let untimed = verified(&verifying(path.clone())).unwrap();
    assert_eq!(untimed.phases, Phases::default());
    let report = verify_block(&LABORATORY, &verifying(path), &timed(), &mut |_| {}).unwrap();
    let Phases { reading, decoding, verifying, .. } = report.phases;
    assert!(reading > 0 && decoding > 0 && verifying > 0, "{:?}", report.phases);
}

#[test]
fn batches_reject_the_same_transactions_as_single_verification() {
    let folder = tempfile::tempdir().unwrap();
    for (form, format) in [
        (TransactionForm::TxV2, BlockFormat::Block),
        (TransactionForm::TxV2, BlockFormat::Parquet),
        (TransactionForm::TxV1, BlockFormat::Block),
    ] {
        let path = folder.path().join("block");
        let senders = if form == TransactionForm::TxV1 { 1 } else { 40 };
        make(&GenerateRequest { invalid: 25, senders, form, format, ..request(path.clone(), Scheme::MlDsa65, 330) });
        let verify_with = |provider: &str, batch, threads, keep_keys| {
            let provider = Some(provider.to_owned());
            let request = VerifyBlockRequest { form, provider, batch, threads, keep_keys, ..verifying(path.clone()) };
            verified(&request).unwrap()
        };
        let alone = verify_with("aws-lc", None, 2, false);
        assert_eq!((alone.transactions, alone.rejected, alone.batch), (330, 25, None));
        for (batch, threads, keep_keys) in
            [(None, 1, false), (Some(1), 2, false), (Some(7), 5, true), (Some(8), 1, true), (Some(1_000), 2, false)]
        {
            let report = verify_with("mldsa-batch:portable", batch, threads, keep_keys);
            assert_eq!(report.batch, batch.or(Some(100)));
            assert_eq!((&report.list, report.transactions, report.bytes), (&alone.list, 330, alone.bytes));
            let used = report.providers.iter().find(|(scheme, _)| *scheme == Scheme::MlDsa65);
            assert_eq!(used.unwrap().1, "mldsa-batch:portable");
        }
    }
}

#[test]
fn every_scheme_in_this_build_signs_and_verifies() {
    let folder = tempfile::tempdir().unwrap();
    let mut tried = 0;
    for scheme in Scheme::ALL {
        if implementation(&LABORATORY, scheme, None).is_err() {
            continue;
        }
        for format in [BlockFormat::Block, BlockFormat::Parquet] {
            let path = folder.path().join("block");
            make(&GenerateRequest { format, senders: 2, invalid: 5, ..request(path.clone(), scheme, 12) });
            let report = verified(&verifying(path)).unwrap();
            assert_eq!((report.transactions, report.rejected, report.kinds.len()), (12, 5, 5), "{scheme}");
        }
        tried += 1;
    }
    assert!(tried == 9, "{tried}");
}

#[test]
fn accepts_the_reference_form_only_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("block");
    let form = TransactionForm::TxV1;
    let made = make(&GenerateRequest { form, senders: 1, invalid: 1, ..request(path.clone(), Scheme::MlDsa65, 20) });
    assert_eq!(made.bytes, 20 * 5327);
    assert!(refusal(path.clone()).contains("the transactions are TXv1, not TXv2"));
    let report = verified(&VerifyBlockRequest { form, ..verifying(path.clone()) }).unwrap();
    assert_eq!(report.rejected, 1);
    let format = BlockFormat::Parquet;
    for wrong in [
        GenerateRequest { form, ..request(path.clone(), Scheme::Ed25519, 1) },
        GenerateRequest { form, format, ..request(path.clone(), Scheme::MlDsa65, 1) },
        request(path.clone(), Scheme::Ed25519, 0),
        GenerateRequest { senders: 0, ..request(path.clone(), Scheme::Ed25519, 1) },
        GenerateRequest { senders: 2, ..request(path.clone(), Scheme::Ed25519, 1) },
        GenerateRequest { invalid: 2, ..request(path.clone(), Scheme::Ed25519, 1) },
        GenerateRequest { provider: Some("fn-dsa".into()), ..request(path.clone(), Scheme::Ed25519, 1) },
    ] {
        let outcome = generate(&LABORATORY, &wrong, &mut |_| {}, &AtomicBool::new(false));
        assert!(matches!(&outcome, Err(error) if error.is_request()), "{outcome:?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_file_with_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = |seed, threads| {
        let path = folder.path().join("block");
        let whole = GenerateRequest { seed, threads, invalid: 3, ..request(path.clone(), Scheme::MlDsa44, 300) };
        assert!(make(&whole).reproducible);
        fs::read(path).unwrap()
    };
    assert!(bytes(1, 1) == bytes(1, 3));
    assert!(bytes(1, 2) != bytes(2, 2));
}

#[test]
fn every_sender_sends() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("block");
    for (count, senders) in [(1, 1), (10, 3), (600, 599), (600, 600), (1_300, 257)] {
        let whole = GenerateRequest { senders, ..request(path.clone(), Scheme::Ed25519, count) };
        make(&whole);
        let file = fs::File::open(&path).unwrap();
        let mut reader = pqlab_constructions::ledger::block::BlockReader::new(std::io::BufReader::new(file)).unwrap();
        let mut seen = std::collections::BTreeMap::<Vec<u8>, Vec<u64>>::new();
        let mut transaction = Vec::new();
        while reader.read_into(&mut transaction).unwrap().is_some() {
            let decoded = pqlab_constructions::ledger::Transaction::decode(&transaction).unwrap();
            seen.entry(decoded.body().public_key.to_vec()).or_default().push(decoded.body().nonce);
            transaction.clear();
        }
        assert_eq!(seen.len() as u64, senders, "{count}");
        assert!(seen.values().all(|nonces| nonces.iter().copied().eq(0..nonces.len() as u64)));
    }
}

#[test]
fn stopped_or_failed_blocks_leave_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("block");
    let stop = AtomicBool::new(false);
    let whole = request(path.clone(), Scheme::Ed25519, 5_000);
    let outcome = generate(&LABORATORY, &whole, &mut |_| stop.store(true, Ordering::Relaxed), &stop);
    assert_eq!(outcome.unwrap(), None);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    for path in [folder.path().to_owned(), folder.path().join("no/folder"), PathBuf::from("/")] {
        let whole = request(path, Scheme::Ed25519, 5);
        let outcome = generate(&LABORATORY, &whole, &mut |_| {}, &AtomicBool::new(false));
        assert!(matches!(&outcome, Err(error) if error.is_request()), "{outcome:?}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn rejects_files_that_are_not_blocks_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("block");
    assert!(refusal(path.clone()).contains("No such file"));
    assert!(refusal(folder.path().to_owned()).contains("folder"));
    let refused = |bytes: &[u8], word: &str| {
        fs::write(&path, bytes).unwrap();
        let text = refusal(path.clone());
        assert!(text.contains(word) && text.contains("block") && !text.contains('\n'), "{text}");
    };
    refused(b"", "empty");
    refused(b"id,name\n", "not a block file");
    refused(b"PAR1", "Parquet");
    refused(b"PAR1 and so on, but no footer PAR1", "Parquet");
    for format in [BlockFormat::Block, BlockFormat::Parquet] {
        make(&GenerateRequest { format, ..request(path.clone(), Scheme::Ed25519, 50) });
        let whole = fs::read(&path).unwrap();
        refused(&whole[..whole.len() - 10], if format == BlockFormat::Block { "truncated" } else { "Parquet" });
        refused(&[&whole[..], b"more"].concat(), if format == BlockFormat::Block { "grown" } else { "Parquet" });
    }
}

#[test]
fn damaged_parquet_is_an_error_or_a_rejection_but_never_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("block");
    make(&GenerateRequest { format: BlockFormat::Parquet, ..request(path.clone(), Scheme::Ed25519, 20) });
    let whole = fs::read(&path).unwrap();
    let mut refused = 0;
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x55;
        fs::write(&path, &damaged).unwrap();
        // Call the reader directly: `verify_block` would check the known answers of every scheme for each file.
        let outcome = pqlab_blocks::BlockFile::open(&path).unwrap().transactions(None).and_then(|transactions| {
            let verifier =
                pqlab_constructions::ledger::Verifier::new(TransactionForm::TxV2, 7, sha256(&LABORATORY).unwrap());
            transactions.verify(&verifier, None, &BlockProgress::default())
        });
        refused += usize::from(outcome.is_err());
    }
    assert!(refused > 0 && refused < whole.len(), "{refused} of {}", whole.len());
}

/// Returns the Parquet file `whole` with a changed footer. `change` modifies the row groups and the total number of
/// rows.
fn with_footer(whole: &[u8], change: impl FnOnce(&mut Vec<RowGroupMetaData>, &mut i64)) -> Vec<u8> {
    let footer = whole.len() - 8;
    let length = footer_length(whole);
    let metadata = ParquetMetaDataReader::decode_metadata(&whole[footer - length..footer]).unwrap();
    let (file, mut groups) = (metadata.file_metadata().clone(), metadata.row_groups().to_vec());
    let mut rows = file.num_rows();
    change(&mut groups, &mut rows);
    let sum: i64 = groups.iter().map(RowGroupMetaData::num_rows).sum();
    let mut written = Vec::new();
    ParquetMetaDataWriter::new(&mut written, &ParquetMetaData::new(file, groups)).finish().unwrap();
    // The library always writes the correct sum, so replace it in the file. The sum is field 3 of a structure in
    // Thrift's compact protocol, before the list of groups.
    let field = |rows: i64| [&[0x16][..], &variable(((rows << 1) ^ (rows >> 63)) as u64), &[0x19]].concat();
    let (found, wanted) = (field(sum), field(rows));
    let places: Vec<usize> = (0..written.len()).filter(|at| written[*at..].starts_with(&found)).collect();
    assert_eq!(places.len(), 1, "the number of rows must occur once in the footer");
    let metadata = &written[..written.len() - 8];
    let (before, after) = (&metadata[..places[0]], &metadata[places[0] + found.len()..]);
    let metadata = [before, &wanted, after].concat();
    let new_length = (metadata.len() as u32).to_le_bytes();
    [&whole[..footer - length], &metadata, &new_length, b"PAR1"].concat()
}

/// Returns the length in bytes of the metadata in a Parquet footer.
fn footer_length(whole: &[u8]) -> usize {
    u32::from_le_bytes(whole[whole.len() - 8..whole.len() - 4].try_into().unwrap()) as usize
}

/// Encodes a number in groups of seven bits, least significant first.
fn variable(mut number: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
    out
}

/// Returns a copy of `group` that declares `rows` rows and `values` values per column. The declared total size of its
/// pages is multiplied by `pages`.
fn doctored(group: &RowGroupMetaData, rows: i64, values: i64, pages: i64) -> RowGroupMetaData {
    let columns = group.columns().iter().map(|column| {
        let size = column.compressed_size() * pages;
        column.clone().into_builder().set_num_values(values).set_total_compressed_size(size).build().unwrap()
    });
    let columns = columns.collect();
    group.clone().into_builder().set_num_rows(rows).set_column_metadata(columns).build().unwrap()
}

#[test]
fn rejects_footers_whose_counts_disagree() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("block");
    let format = BlockFormat::Parquet;
    make(&GenerateRequest { format, senders: 300, ..request(path.clone(), Scheme::Ed25519, 1600) });
    let whole = fs::read(&path).unwrap();
    let first = {
        let mut first = 0;
        let same = with_footer(&whole, |groups, _| first = groups[0].num_rows());
        fs::write(&path, same).unwrap();
        first
    };
    assert!(first > 3 && first < 1600, "the first of several groups has {first} rows");
    assert_eq!(verified(&verifying(path.clone())).unwrap().transactions, 1600, "an unchanged footer must be valid");
    let refused = |words: &str, change: &dyn Fn(&mut Vec<RowGroupMetaData>, &mut i64)| {
        fs::write(&path, with_footer(&whole, change)).unwrap();
        let text = refusal(path.clone());
        assert!(text.contains(words) && text.contains("disagree") && !text.contains('\n'), "{words}: {text}");
    };
    refused("but its column", &|groups, _| groups[0] = doctored(&groups[0], 3, first, 1));
    refused("but its column", &|groups, rows| {
        groups[0] = doctored(&groups[0], 3, first, 1);
        *rows -= first - 3;
    });
    refused("declares 1600 rows, but its row groups have", &|groups, _| groups[0] = doctored(&groups[0], 3, 3, 1));
    refused("but its pages hold more", &|groups, rows| {
        groups[0] = doctored(&groups[0], 3, 3, 1);
        *rows -= first - 3;
    });
    refused("but its pages hold 0", &|groups, _| groups[0] = doctored(&groups[0], first, first, 0));
    refused("declares 1600 rows, but its row groups have", &|groups, _| drop(groups.remove(0)));
    refused("but its row groups have 1600", &|_, rows| *rows = 1599);
    refused("but its row groups have 1600", &|_, rows| *rows = -1);
}

#[test]
fn schemes_use_providers_that_offer_them() {
    assert_eq!(implementation(&LABORATORY, Scheme::EcdsaSecp256k1, None).unwrap().0, "libsecp256k1");
    assert_eq!(
        implementation(&LABORATORY, Scheme::MlDsa65, Some("libcrux")).unwrap().0.split(':').next(),
        Some("libcrux")
    );
    assert!(matches!(implementation(&LABORATORY, Scheme::Ed25519, Some("liboqs")), Err(LabError::Unoffered { .. })));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("block");
    make(&request(path.clone(), Scheme::MlDsa65, 3));
    let verified_by =
        |provider: &str| verified(&VerifyBlockRequest { provider: Some(provider.into()), ..verifying(path.clone()) });
    let report = verified_by("openssl").unwrap();
    assert!(report.providers.contains(&(Scheme::MlDsa65, "openssl".into())));
    assert_eq!(report.rejected, 0);
    assert!(matches!(verified_by("nobody"), Err(LabError::Unknown { name, .. }) if name == "nobody"));
}
