use pqlab_verification::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let vectors = Vectors::new(vectors_root());
    let want = args.get(1).cloned().unwrap_or_default();
    let prov = args.get(2).cloned().unwrap_or_default();
    let select = |p: &str, a: &str, _s: &str| a.contains(&want) && p.contains(&prov);
    let mut lines = vec![];
    let t = std::time::Instant::now();
    verify(&pqlab_providers::providers(), &vectors, &select, &mut |l| { eprintln!("{:?} {} {} {}", t.elapsed(), l.provider, l.algorithm, l.suite); lines.push(l) });
    let mut pairs = vec![];
    interop(&pqlab_providers::providers(), &select, &mut |l| { eprintln!("{:?} {} {:?} {}", t.elapsed(), l.provider, l.peer, l.algorithm); pairs.push(l) });
    println!("{}", table(&lines));
    println!("{}", matrix(&pairs));
}
