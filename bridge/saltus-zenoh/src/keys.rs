//! Keys and certificates of hosts, in the layout of an enclave of sros2.

use std::{
    fs,
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use rcgen::{
    BasicConstraints, Certificate, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, PublicKeyData,
};
use time::OffsetDateTime;
use x509_parser::{parse_x509_certificate, pem::parse_x509_pem};

/// The files of the authority: its key, and its certificate.
const AUTHORITY_KEY: &str = "ca.key.pem";
const AUTHORITY: &str = "ca.cert.pem";
/// The files of a host: its key, its certificate, and the certificate of the authority.
pub(crate) const KEY: &str = "key.pem";
pub(crate) const CERTIFICATE: &str = "cert.pem";
pub(crate) const IDENTITY_AUTHORITY: &str = "identity_ca.cert.pem";

/// The error if keys can't be made.
#[derive(Debug, thiserror::Error)]
pub enum KeysError {
    /// A file can't be read or written.
    #[error("{}: {cause}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: io::Error,
    },
    /// A key or certificate is not valid.
    #[error("{}: {cause}", .path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: rcgen::Error,
    },
    /// A certificate can't be used.
    #[error("{}: {why}", .path.display())]
    Certificate {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// The name of a host is not valid.
    #[error("`{0}` is no name for a host: expected letters, digits, `_`, `-` and `.`")]
    Name(String),
}

/// The keys of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostKeys {
    /// Their folder.
    pub folder: PathBuf,
    /// Whether they were made now.
    pub are_new: bool,
}

/// Makes keys and certificates for hosts in a folder, and an authority that signs them if there is none. A host that has keys keeps
/// them.
///
/// Certificates of hosts are valid for so many days. The key of the authority stays in the folder. Each host gets its own folder, and nothing else.
///
/// # Errors
/// Returns an error if a name is not valid, or if a file can't be read or written.
pub fn make_keys(folder: &Path, hosts: &[String], days: i64) -> Result<Vec<HostKeys>, KeysError> {
    if let Some(name) = hosts.iter().find(|name| !is_name(name)) {
        return Err(KeysError::Name(name.clone()));
    }
    create_folder(folder)?;
    let (issuer, authority) = authority(folder)?;
    let mut all = Vec::new();
    for host in hosts {
        let own = folder.join(host);
        create_folder(&own)?;
        let are_new = !own.join(CERTIFICATE).exists();
        if are_new {
            let (key, certificate) = certificate(host, &issuer, days).map_err(error_of(&own))?;
            write(&own.join(KEY), &key.serialize_pem(), SECRET)?;
            write(&own.join(IDENTITY_AUTHORITY), &authority, PUBLIC)?;
            // Last, so that a host without it has no keys.
            write(&own.join(CERTIFICATE), &certificate.pem(), PUBLIC)?;
        }
        all.push(HostKeys { folder: own, are_new });
    }
    Ok(all)
}

/// Checks the keys of this host, so that what would be refused elsewhere is told here.
///
/// # Errors
/// Returns an error if a file can't be read, if the certificate is not of the authority or of the key beside it, or if it is not valid now.
pub(crate) fn check_keys(folder: &Path) -> Result<(), KeysError> {
    let read = |name: &str| {
        let path = folder.join(name);
        let bytes = fs::read(&path).map_err(|cause| KeysError::File { path: path.clone(), cause })?;
        Ok::<_, KeysError>((path, bytes))
    };
    let (key_path, key) = read(KEY)?;
    let (path, own) = read(CERTIFICATE)?;
    let (authority_path, authority) = read(IDENTITY_AUTHORITY)?;
    let wrong = |path: &Path, why: String| KeysError::Certificate { path: path.to_owned(), why };
    let unreadable = |path: &Path| wrong(path, "is no certificate in the format PEM".into());
    let (_, own) = parse_x509_pem(&own).map_err(|_| unreadable(&path))?;
    let (_, own) = parse_x509_certificate(&own.contents).map_err(|_| unreadable(&path))?;
    let (_, authority) = parse_x509_pem(&authority).map_err(|_| unreadable(&authority_path))?;
    let (_, authority) =
        parse_x509_certificate(&authority.contents).map_err(|_| unreadable(&authority_path))?;
    if own.verify_signature(Some(authority.public_key())).is_err() {
        return Err(wrong(&path, format!("is not signed by the authority in {}", authority_path.display())));
    }
    // A key in a format that is not known here may be known to zenoh.
    let key = std::str::from_utf8(&key).ok().and_then(|text| KeyPair::from_pem(text).ok());
    if key.is_some_and(|key| key.subject_public_key_info() != own.public_key().raw) {
        return Err(wrong(&path, format!("is not the certificate of the key in {}", key_path.display())));
    }
    let validity = own.validity();
    if validity.is_valid() {
        return Ok(());
    }
    let (begin, end) = (validity.not_before, validity.not_after);
    Err(wrong(
        &path,
        format!("is valid from {begin} to {end}, and not now; make a new one, or set the clock"),
    ))
}

/// The modes of a file with a key, and of others.
const SECRET: u32 = 0o600;
const PUBLIC: u32 = 0o644;

/// Whether a name can be that of a folder and of a certificate.
fn is_name(name: &str) -> bool {
    let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
    !name.is_empty() && !name.starts_with('.') && name.chars().all(is_allowed)
}

fn error_of(path: &Path) -> impl Fn(rcgen::Error) -> KeysError + use<'_> {
    move |cause| KeysError::Key { path: path.to_owned(), cause }
}

fn create_folder(path: &Path) -> Result<(), KeysError> {
    let created = fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    created.map_err(|cause| KeysError::File { path: path.to_owned(), cause })
}

/// Writes a file that is there as a whole or not at all. A link or a file of the name that has another mode is replaced, and not followed.
fn write(path: &Path, text: &str, mode: u32) -> Result<(), KeysError> {
    let new = path.with_extension("new");
    let write = || {
        match fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = fs::File::options().write(true).create_new(true).mode(mode).open(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, path)
    };
    write().map_err(|cause| KeysError::File { path: path.to_owned(), cause })
}

/// Returns the authority of a folder and its certificate. Makes one if there is none.
fn authority(folder: &Path) -> Result<(Issuer<'static, KeyPair>, String), KeysError> {
    let (key_path, path) = (folder.join(AUTHORITY_KEY), folder.join(AUTHORITY));
    if path.exists() {
        let read = |path: &PathBuf| {
            fs::read_to_string(path).map_err(|cause| KeysError::File { path: path.clone(), cause })
        };
        let (key, certificate) = (read(&key_path)?, read(&path)?);
        let key = KeyPair::from_pem(&key).map_err(error_of(&key_path))?;
        let issuer = Issuer::from_ca_cert_pem(&certificate, key).map_err(error_of(&path))?;
        return Ok((issuer, certificate));
    }
    let make = || {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::new(Vec::new())?;
        // Two authorities have different names, so that hosts see which is meant.
        let number: String =
            key.public_key_raw().iter().skip(1).take(4).map(|byte| format!("{byte:02x}")).collect();
        params.distinguished_name.push(DnType::CommonName, format!("saltus authority {number}"));
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let certificate = params.self_signed(&key)?;
        Ok((key, params, certificate))
    };
    let (key, params, certificate) = make().map_err(error_of(&path))?;
    write(&key_path, &key.serialize_pem(), SECRET)?;
    write(&path, &certificate.pem(), PUBLIC)?;
    Ok((Issuer::new(params, key), certificate.pem()))
}

/// Returns a key and a certificate for a host. Its name is the common name, which rules use.
fn certificate(
    host: &str,
    issuer: &Issuer<'static, KeyPair>,
    days: i64,
) -> Result<(KeyPair, Certificate), rcgen::Error> {
    let key = KeyPair::generate()?;
    let mut params = CertificateParams::new(vec![host.to_owned()])?;
    params.distinguished_name.push(DnType::CommonName, host);
    // Clocks of robots differ.
    params.not_before = OffsetDateTime::now_utc() - time::Duration::days(1);
    params.not_after = OffsetDateTime::now_utc() + time::Duration::days(days);
    params.is_ca = IsCa::ExplicitNoCa;
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    // A host listens and connects.
    params.extended_key_usages =
        vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
    let certificate = params.signed_by(&key, issuer)?;
    Ok((key, certificate))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn each_host_has_a_key_that_one_authority_has_signed_and_keeps_it() {
        let folder = tempfile::tempdir().unwrap();
        let made = |hosts: [&str; 2]| {
            let all = make_keys(folder.path(), &hosts.map(str::to_owned), 10).unwrap();
            (all.iter().map(|one| one.folder.clone()).collect::<Vec<_>>(), [all[0].are_new, all[1].are_new])
        };
        let (hosts, are_new) = made(["base", "robot1"]);
        assert_eq!(are_new, [true, true]);
        let read = |path: &Path| fs::read_to_string(path).unwrap();
        let first = read(&hosts[0].join(CERTIFICATE));
        let mode = fs::metadata(hosts[0].join(KEY)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let (again, are_new) = made(["base", "robot2"]);
        assert_eq!(are_new, [false, true]);
        assert_eq!(read(&again[0].join(CERTIFICATE)), first);
        assert_eq!(read(&again[1].join(IDENTITY_AUTHORITY)), read(&hosts[1].join(IDENTITY_AUTHORITY)));
        assert!(!again[1].join(AUTHORITY_KEY).exists());
    }

    #[test]
    fn a_file_that_lies_there_is_replaced_and_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (own, other) = (folder.path().join("base"), folder.path().join("other"));
        fs::create_dir(&own).unwrap();
        fs::write(&other, "untouched").unwrap();
        std::os::unix::fs::symlink(&other, own.join(KEY)).unwrap();
        std::os::unix::fs::symlink(&other, own.join("key.new")).unwrap();
        make_keys(folder.path(), &["base".into()], 10).unwrap();
        assert_eq!(fs::read_to_string(&other).unwrap(), "untouched");
        let key = fs::symlink_metadata(own.join(KEY)).unwrap();
        assert!(key.is_file() && key.permissions().mode() & 0o777 == 0o600);
    }

    #[test]
    fn a_name_that_is_no_folder_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["", "..", "a/b", "a b", ".x"] {
            assert!(
                matches!(make_keys(folder.path(), &[name.into()], 10), Err(KeysError::Name(_))),
                "{name}"
            );
        }
    }

    #[test]
    fn a_certificate_of_another_authority_or_key_and_one_that_has_expired_are_errors() {
        let [folder, other] = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let make = |folder: &tempfile::TempDir, host: &str, days| {
            make_keys(folder.path(), &[host.into()], days).unwrap().remove(0).folder
        };
        let host = &make(&folder, "base", 10);
        check_keys(host).unwrap();
        fs::copy(make(&folder, "robot1", 10).join(KEY), host.join(KEY)).unwrap();
        assert!(check_keys(host).unwrap_err().to_string().contains("is not the certificate of the key"));
        fs::copy(make(&other, "base", 10).join(CERTIFICATE), host.join(CERTIFICATE)).unwrap();
        assert!(check_keys(host).unwrap_err().to_string().contains("is not signed by the authority"));
        let old = &make(&folder, "old", -1);
        assert!(check_keys(old).unwrap_err().to_string().contains("and not now"));
        fs::write(old.join(CERTIFICATE), "x").unwrap();
        assert!(check_keys(old).unwrap_err().to_string().contains("is no certificate"));
    }
}
