//! Published digests of accumulated vectors.

/// Published digest over the first `answers` answers to an algorithm's accumulated vectors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accumulated {
    pub(super) algorithm: &'static str,
    /// Number of answers that the digest covers.
    pub(super) answers: u64,
    /// First 32 bytes of SHAKE128 over the answers, in hexadecimal.
    pub(super) digest: &'static str,
}

const fn published(algorithm: &'static str, answers: u64, digest: &'static str) -> Accumulated {
    Accumulated { algorithm, answers, digest }
}

/// Published digests, sorted by number of answers for each algorithm. The ML-DSA digests come from C2SP CCTV,
/// `ML-DSA/accumulated`. The ML-KEM-768 digests come from the tests of Go's `crypto/mlkem`, because CCTV's ML-KEM
/// digests are for the draft of FIPS 203. No digests are published for ML-KEM-512 and ML-KEM-1024.
pub(super) static ACCUMULATED: &[Accumulated] = &[
    published("ML-DSA-44", 100, "d51148e1f9f4fa1a723a6cf42e25f2a99eb5c1b378b3d2dbbd561b1203beeae4"),
    published("ML-DSA-44", 10_000, "e7fd21f6a59bcba60d65adc44404bb29a7c00e5d8d3ec06a732c00a306a7d143"),
    published("ML-DSA-44", 60_000_000, "080b48049257f5cd30dee17d6aa393d6c42fe52a29099df84a460ebaf4b02330"),
    published("ML-DSA-65", 100, "8358a1843220194417cadbc2651295cd8fc65125b5a5c1a239a16dc8b57ca199"),
    published("ML-DSA-65", 10_000, "5ff5e196f0b830c3b10a9eb5358e7c98a3a20136cb677f3ae3b90175c3ace329"),
    published("ML-DSA-65", 60_000_000, "0af0165db2b180f7a83dbecad1ccb758b9c2d834b7f801fc49dd572a9d4b1e83"),
    published("ML-DSA-87", 100, "8c3ad714777622b8f21ce31bb35f71394f23bc0fcf3c78ace5d608990f3b061b"),
    published("ML-DSA-87", 10_000, "80a8cf39317f7d0be0e24972c51ac152bd2a3e09bc0c32ce29dd82c4e7385e60"),
    published("ML-DSA-87", 60_000_000, "011166e9d5032c9bdc5c9bbb5dbb6c86df1c3d9bf3570b65ebae942dd9830057"),
    published("ML-KEM-768", 100, "1114b1b6699ed191734fa339376afa7e285c9e6acf6ff0177d346696ce564415"),
    published("ML-KEM-768", 10_000, "8a518cc63da366322a8e7a818c7a0d63483cb3528d34a4cf42f35d5ad73f22fc"),
    published("ML-KEM-768", 1_000_000, "424bf8f0e8ae99b78d788a6e2e8e9cdaf9773fc0c08a6f433507cb559edfd0f0"),
];
