//! The certificate and the key of the door, read from files in PEM.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

/// Where certificate and key are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate and those that lead to its root, in PEM.
    pub certificate: PathBuf,
    /// The private key, in PEM.
    pub key: PathBuf,
}

/// A certificate or key that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadTls {
    /// A file that cannot be read as PEM.
    #[error("`{}` cannot be read as PEM: {cause}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why.
        cause: rustls::pki_types::pem::Error,
    },
    /// A file without a certificate.
    #[error("`{}` has no certificate in it", file.display())]
    NoCertificate {
        /// The file.
        file: PathBuf,
    },
    /// The two do not belong together, or are of a kind that is not known.
    #[error("certificate and key cannot be used: {0}")]
    Unfit(#[source] rustls::Error),
}

/// What makes a TLS connection of a plain one.
pub(crate) fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor, BadTls> {
    let unread = |file: &Path| {
        let file = file.to_path_buf();
        move |cause| BadTls::Unreadable { file, cause }
    };
    let chain: Result<Vec<CertificateDer<'static>>, _> =
        CertificateDer::pem_file_iter(&files.certificate).map_err(unread(&files.certificate))?.collect();
    let chain = chain.map_err(unread(&files.certificate))?;
    if chain.is_empty() {
        return Err(BadTls::NoCertificate { file: files.certificate.clone() });
    }
    let key = PrivateKeyDer::from_pem_file(&files.key).map_err(unread(&files.key))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(BadTls::Unfit)?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(BadTls::Unfit)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
