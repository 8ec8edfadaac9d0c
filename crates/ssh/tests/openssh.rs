//! Handshakes between this crate and OpenSSH's client and server, over loopback.

#![allow(clippy::unwrap_used)]

use pqlab_ssh::{Config, KeyExchange, KeyType, Keys, Setup};
use pqlab_testing::{Need, program, require};
use russh::keys::PrivateKey;
use russh::keys::ssh_key::LineEnding;
use std::fs::{self, OpenOptions};
use std::future::Future;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

const CLIENT: Need = Need::Installed("ssh (Debian: openssh-client)");
const SERVER: Need = Need::Installed("sshd (Debian: openssh-server)");
/// Time limit for a connection. Only broken connections take this long.
const PATIENCE: Duration = Duration::from_secs(60);
const DATA: &str = "sent to the server and back";

/// Returns the algorithms that OpenSSH and this crate both support.
fn configurations(ssh: &Path) -> Vec<Config> {
    let query = |what: &str| {
        let output = Command::new(ssh).args(["-Q", what]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let (methods, signatures) = (query("kex"), query("sig"));
    let has = |list: &str, name: &str| list.lines().any(|line| line == name);
    let both = |key_exchange: KeyExchange| KeyType::ALL.map(|key_type| Config { key_exchange, key_type });
    let all = KeyExchange::ALL.into_iter().filter(|method| has(&methods, method.name())).flat_map(both);
    let all: Vec<Config> = all.filter(|config| has(&signatures, signature(config.key_type))).collect();
    assert!(all.len() >= KeyType::ALL.len(), "OpenSSH must support curve25519-sha256 and every type of key");
    all
}

/// Returns OpenSSH's name for signatures with a type of key.
fn signature(key_type: KeyType) -> &'static str {
    match key_type {
        KeyType::Ed25519 => "ssh-ed25519",
        KeyType::EcdsaP256 => "ecdsa-sha2-nistp256",
        KeyType::Rsa3072 => "rsa-sha2-512",
    }
}

fn version(program: &Path) -> String {
    let output = Command::new(program).arg("-V").output().unwrap();
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).trim().to_owned()
}

/// Writes a file that only its owner may read, as OpenSSH requires for private keys.
fn write_private(path: &Path, text: &str) {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

fn write_key(path: &Path, key: &PrivateKey) {
    write_private(path, &key.to_openssh(LineEnding::LF).unwrap());
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { timeout(PATIENCE, work).await.expect("the connection must not hang") })
}

/// Runs OpenSSH's client, which logs in and runs `cat`.
fn log_in(ssh: &Path, folder: &Path, config: Config, keys: &Keys, port: u16) -> Output {
    let (key, hosts) = (folder.join("user"), folder.join("hosts"));
    write_key(&key, &keys.user);
    write_private(&hosts, &format!("pqlab {}\n", keys.host.public_key().to_openssh().unwrap()));
    let signature = signature(config.key_type);
    let mut command = Command::new(ssh);
    command.args(["-v", "-F", "none", "-T", "-l", pqlab_ssh::USER, "-p", &port.to_string(), "-i"]).arg(&key);
    for option in [
        "BatchMode=yes".to_owned(),
        "IdentitiesOnly=yes".to_owned(),
        "IdentityAgent=none".to_owned(),
        "HostKeyAlias=pqlab".to_owned(),
        "StrictHostKeyChecking=yes".to_owned(),
        "GlobalKnownHostsFile=/dev/null".to_owned(),
        format!("UserKnownHostsFile={}", hosts.display()),
        format!("KexAlgorithms={}", config.key_exchange.name()),
        format!("HostKeyAlgorithms={signature}"),
        format!("PubkeyAcceptedAlgorithms={signature}"),
    ] {
        command.args(["-o", &option]);
    }
    let pipes = command.args(["127.0.0.1", "cat"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().unwrap();
    child.stdin.take().unwrap().write_all(DATA.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn openssh_logs_in_to_this_server() {
    let ssh = require!(program("ssh"), CLIENT);
    let folder = tempfile::tempdir().unwrap();
    for config in configurations(&ssh) {
        let keys = Arc::new(Keys::generate(config.key_type).unwrap());
        let setup = Setup::new(config, Arc::clone(&keys)).unwrap();
        let logged_in = Arc::<AtomicBool>::default();
        let output = block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let port = listener.local_addr().unwrap().port();
            let (ssh, folder) = (ssh.clone(), folder.path().to_owned());
            let client = spawn_blocking(move || log_in(&ssh, &folder, config, &keys, port));
            let (stream, _) = listener.accept().await.unwrap();
            // The server reports an error if the client closes the connection without a message.
            let _ended = setup.serve(stream, &logged_in).await;
            client.await.unwrap()
        });
        let report = String::from_utf8_lossy(&output.stderr);
        let what = format!("{config:?} with {}: {report}", version(&ssh));
        assert!(output.status.success() && output.stdout == DATA.as_bytes(), "{what}");
        assert!(report.contains(&format!("kex: algorithm: {}", config.key_exchange.name())), "{what}");
        assert!(report.contains(&format!("kex: host key algorithm: {}", signature(config.key_type))), "{what}");
        assert!(logged_in.load(Ordering::Relaxed), "{what}");
    }
}

/// Returns the path of OpenSSH's server, which is in a folder that users may not have in their PATH.
fn server() -> Option<PathBuf> {
    program("sshd").or_else(|| Some(PathBuf::from("/usr/sbin/sshd")).filter(|path| path.is_file()))
}

/// Returns the name of the user who runs this test. A server without root's rights accepts only this user.
fn user() -> String {
    String::from_utf8(Command::new("id").arg("-un").output().unwrap().stdout).unwrap().trim().to_owned()
}

/// Writes the server's files, and returns the path of its configuration.
fn configure(folder: &Path, config: Config, keys: &Keys) -> PathBuf {
    let (host, users, file) = (folder.join("host"), folder.join("users"), folder.join("sshd_config"));
    write_key(&host, &keys.host);
    write_private(&users, &format!("{}\n", keys.user.public_key().to_openssh().unwrap()));
    let (signature, kex) = (signature(config.key_type), config.key_exchange.name());
    write_private(
        &file,
        &format!(
            "HostKey {}\nAuthorizedKeysFile {}\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nPidFile none\n\
             PermitRootLogin prohibit-password\nKexAlgorithms {kex}\nHostKeyAlgorithms {signature}\n\
             PubkeyAcceptedAlgorithms {signature}\n",
            host.display(),
            users.display()
        ),
    );
    file
}

#[test]
fn this_client_logs_in_to_openssh() {
    let ssh = require!(program("ssh"), CLIENT);
    let sshd = require!(server(), SERVER);
    // Debian creates this folder, which sshd requires if root starts it, only when it starts the service.
    let _exists = fs::create_dir("/run/sshd");
    let folder = tempfile::tempdir().unwrap();
    for config in configurations(&ssh) {
        let keys = Arc::new(Keys::generate(config.key_type).unwrap());
        let file = configure(folder.path(), config, &keys);
        let setup = Setup::new(config, Arc::clone(&keys)).unwrap().with_user(user());
        let log = folder.path().join("log");
        let echoed = block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
            let (accepted, _) = listener.accept().await.unwrap();
            let accepted = accepted.into_std().unwrap();
            accepted.set_nonblocking(false).unwrap();
            let input = OwnedFd::from(accepted);
            let output = input.try_clone().unwrap();
            // `-i`: serve the connection on standard input and output.
            let mut child = Command::new(&sshd)
                .args(["-i", "-f"])
                .arg(&file)
                .arg("-E")
                .arg(&log)
                .stdin(input)
                .stdout(output)
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let echoed = async {
                let session = setup.connect(client).await?;
                session.check()?;
                session.echo(DATA.as_bytes().to_vec()).await
            };
            let echoed = echoed.await;
            spawn_blocking(move || child.wait()).await.unwrap().unwrap();
            echoed
        });
        let report = fs::read_to_string(&log).unwrap_or_default();
        let what = format!("{config:?} with {}: {echoed:?}\n{report}", version(&sshd));
        assert_eq!(echoed.as_deref().ok(), Some(DATA.as_bytes()), "{what}");
    }
}
